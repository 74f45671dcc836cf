"""The exercises of the lecture texts as a page that checks answers; the library computes every answer.

docs/exercises.md shows the same exercises with their commands; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import unconfuse
from unconfuse._formatting import number_text, plain_json
from unconfuse.api import evaluate, evaluate_counts
from unconfuse.bayesian import bayes, binomial_at_most, binomial_exactly, posterior
from unconfuse.explorer import lesson_of

TITLE = "Exercises: metrics of classifiers"
TOLERANCE, RELATIVE_TOLERANCE = 0.0051, 0.05  # accept answers of two decimals; of small ones, two digits
_TEXTS = {
    "I": "I. Classification performance metrics",
    "II": "II. Taking the confusion out of the confusion matrix",
    "III": "III. Classifier performance metrics",
}


@dataclass(frozen=True)
class Part:
    """One number that is asked for, its answer (NaN where it is undefined) and how it comes about."""

    label: str
    answer: float
    why: str


@dataclass(frozen=True)
class Exercise:
    """A question of one of the three texts, its parts, and the beginning of the command that answers it."""

    name: str
    text: str
    question: str
    command: str
    parts: tuple[Part, ...]


def _of_counts(asked: Mapping[str, str], **cells: int) -> tuple[Part, ...]:
    """Return one part for each metric, with its formula filled in."""
    evaluation = evaluate_counts(metrics=list(asked), **cells)  # type: ignore[arg-type]
    return tuple(
        Part(evaluation[name].label, evaluation[name].value, why.format(**cells)) for name, why in asked.items()
    )


def _antibody_test() -> Exercise:
    asked = {
        "accuracy": "(TP + TN) / all = ({tp} + {tn}) / 239",
        "precision": "TP / (TP + FP) = {tp} / ({tp} + {fp})",
        "sensitivity": "TP / (TP + FN) = {tp} / ({tp} + {fn})",
        "specificity": "TN / (TN + FP) = {tn} / ({tn} + {fp})",
        "npv": "TN / (TN + FN) = {tn} / ({tn} + {fn})",
        "f1": "2 TP / (2 TP + FP + FN)",
    }
    question = "An antibody test on 239 people: TP 141, FP 0, FN 67, TN 31. Compute these metrics."
    command = "unconfuse counts --tp 141 --fp 0 --fn 67 --tn 31"
    return Exercise("8.1", "I", question, command, _of_counts(asked, tp=141, fp=0, fn=67, tn=31))


def _always_negative() -> Exercise:
    asked = {
        "accuracy": "{tn} of 1,000 labels are right",
        "precision": "0 / 0: no case is labelled positive, so it is undefined",
        "sensitivity": "{tp} of 10 positives are found",
        "specificity": "all {tn} negatives are labelled negative; 0.99 is the NPV",
    }
    question = (
        "Among 1,000 samples 10 are positive, and the classifier labels every sample negative. Type “undefined” where "
        "a metric is 0/0."
    )
    command = "unconfuse counts --tp 0 --fp 0 --fn 10 --tn 990"
    return Exercise("8.2", "I", question, command, _of_counts(asked, tp=0, fp=0, fn=10, tn=990))


def _ten_positives() -> Exercise:
    question = "A classifier that truly finds 80% of the positives is tried on 10 positives. Give probabilities."
    parts = (
        Part("It finds 6 or fewer", binomial_at_most(6, 10, 0.8), "binomial with 10 trials and probability 0.8"),
        Part("It finds all 10", binomial_exactly(10, 10, 0.8), "0.8 to the power of 10"),
    )
    return Exercise("8.3", "I", question, "unconfuse small-sample --successes 6 --trials 10 --rate .8", parts)


def _four_theorems() -> Exercise:
    found: Any = bayes(prevalence=0.01, sensitivity=0.9, specificity=0.95)
    question = "1% are ill. A test has sensitivity 0.9 and specificity 0.95. Compute what its result means."
    parts = (
        Part("Precision (PPV)", found.precision, "0.9 x 0.01 / (0.9 x 0.01 + 0.05 x 0.99)"),
        Part("NPV", found.npv, "0.95 x 0.99 / (0.95 x 0.99 + 0.1 x 0.01)"),
        Part("Share labelled positive", found.queue_rate, "0.9 x 0.01 + 0.05 x 0.99"),
    )
    command = "unconfuse bayes --prevalence 1% --sensitivity .9 --specificity .95"
    return Exercise("Figure 1", "II", question, command, parts)


def _equal_rates() -> Exercise:
    found: Any = bayes(prevalence=0.2, queue_rate=0.2, sensitivity=0.7)
    question = "20% are positive, 20% are labelled positive, and the sensitivity is 0.7."
    parts = (
        Part("Precision (PPV)", found.precision, "as many are labelled as are positive, so it equals the sensitivity"),
        Part("Specificity", found.specificity, "1 - 0.2 x 0.3 / 0.8"),
    )
    command = "unconfuse bayes --prevalence 20% --queue-rate 20% --sensitivity .7"
    return Exercise("2.5", "II", question, command, parts)


def _one_person() -> Exercise:
    test = evaluate_counts(tp=90, fp=5, fn=10, tn=95)
    question = (
        "My prior probability of being ill is 0.001. A test with sensitivity 0.9 and specificity 0.95 is positive. "
        "What is the probability now, and after a second positive and a third, negative result?"
    )
    after = [float(posterior(test, prior=0.001, results=results).after_results.value) for results in ("+", "++-")]
    parts = (
        Part("After one positive result", after[0], "odds 1/999 x LR+ 18"),
        Part("After ++-", after[1], "odds 1/999 x 18 x 18 x 0.105"),
    )
    command = "unconfuse bayes --sensitivity .9 --specificity .95 --prior 0.1% --results +"
    return Exercise("2.6", "II", question, command, parts)


def _predictive_values() -> Exercise:
    found: Any = bayes(precision=0.6, npv=0.95, queue_rate=0.1)
    question = "Precision is 0.6, NPV 0.95, and 10% are labelled positive."
    parts = (
        Part("Accuracy", found.accuracy, "0.1 x 0.6 + 0.9 x 0.95"),
        Part("Prevalence", found.prevalence, "0.1 x 0.6 + 0.9 x 0.05"),
    )
    return Exercise("3", "II", question, "unconfuse bayes --precision .6 --npv .95 --queue-rate 10%", parts)


def _fraud() -> Exercise:
    asked = {"accuracy": "{tn} of 1,000 labels are right", "balanced_accuracy": "(0 + 1) / 2"}
    question = "1% of 1,000 payments are fraud, and the classifier never says so."
    command = "unconfuse counts --tp 0 --fp 0 --fn 10 --tn 990"
    return Exercise("Fraud", "III", question, command, _of_counts(asked, tp=0, fp=0, fn=10, tn=990))


def _photographs() -> Exercise:
    labels, scores = [1, 0, 1, 0], [0.9, 0.6, 0.3, 0.1]
    parts = []
    for threshold in (0.25, 0.5, 0.75):
        evaluation = evaluate(labels, scores, threshold=threshold, metrics=["sensitivity", "false_positive_rate"])
        for name in ("sensitivity", "false_positive_rate"):
            why = f"count the photographs with a score of {threshold} or more"
            parts.append(Part(f"{evaluation[name].label} at threshold {threshold}", evaluation[name].value, why))
    area = evaluate(labels, scores, metrics=["auroc"])["auroc"].value
    parts.append(Part("AUROC", area, "3 of the 4 pairs of a cat and another photograph are ranked correctly"))
    question = "Four photographs: two cats with scores 0.9 and 0.3, two others with scores 0.6 and 0.1."
    command = "printf 'cat,score\\n1,.9\\n0,.6\\n1,.3\\n0,.1\\n' | unconfuse evaluate - --label cat --score score"
    return Exercise("Photographs", "III", question, command, tuple(parts))


def _chicken() -> Exercise:
    question = (
        "A robotic chicken crosses a road 1,000 times a day, and each crossing goes well with probability 0.9999."
    )
    why = "0.9999 to the power of 10,000"
    parts = (Part("Probability that it survives ten days", binomial_exactly(10_000, 10_000, 0.9999), why),)
    command = "unconfuse small-sample --successes 10000 --trials 10000 --rate .9999"
    return Exercise("Question 1c", "III", question, command, parts)


def tolerance(answer: float) -> float:
    """Return how far from the answer a typed number may lie: 0.005, or 5% of it where that is less.

    >>> tolerance(0.678), round(tolerance(0.0177), 6), tolerance(0.0)
    (0.0051, 0.000885, 0.0051)
    """
    return min(TOLERANCE, RELATIVE_TOLERANCE * abs(answer) or TOLERANCE)


def exercises() -> tuple[Exercise, ...]:
    """Return all exercises with their answers, in the order of the texts."""
    first = (_antibody_test(), _always_negative(), _ten_positives())
    second = (_four_theorems(), _equal_rates(), _one_person(), _predictive_values())
    return *first, *second, _fraud(), _photographs(), _chicken()


def rows() -> list[dict[str, Any]]:
    """Return one row for each number that is asked for."""
    return [
        {"exercise": exercise.name, "text": exercise.text, "asked": part.label, "answer": part.answer, "why": part.why}
        for exercise in exercises()
        for part in exercise.parts
    ]


def _told(part: Part) -> dict[str, Any]:
    compared = {"answer": part.answer, "tolerance": tolerance(part.answer), "shown": number_text(part.answer)}
    return {"label": part.label, "why": part.why} | compared


def payload() -> dict[str, Any]:
    """Return all that the page shows, as plain values."""
    listed = [
        {
            "name": exercise.name,
            "text": _TEXTS[exercise.text],
            "question": exercise.question,
            "command": exercise.command,
            "parts": [_told(part) for part in exercise.parts],
        }
        for exercise in exercises()
    ]
    made = {"schema": "unconfuse-exercises/1", "version": unconfuse.__version__, "title": TITLE, "exercises": listed}
    return dict(plain_json(made | {"metrics": {}}))


def page() -> str:
    """Return the page that checks answers: one HTML document that works offline."""
    return lesson_of(payload(), "exercises.js", [exercise.question for exercise in exercises()])
