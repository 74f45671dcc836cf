"""The worked examples and questions of two sets of lecture notes on classification performance metrics."""

from __future__ import annotations

import math
from typing import Any

from unconfuse.api import evaluate, evaluate_counts, score_table
from unconfuse.bayesian import binomial_at_least, binomial_at_most, binomial_exactly
from unconfuse.metrics import METRICS, Metric, expected_cost
from unconfuse.reproduce._report import Report, ReproducedValue, Reproduction
from unconfuse.results.evaluation import Evaluation

CHAPTER_TITLE = "Classification performance metrics: examples 8.1 to 8.3"
CHAPTER_NOTES = (
    "Example 8.1: the sentence after the recall says what share of the positive results is right. That is the "
    "precision, which is 100%; the recall of 67.8% is the share of the ill that the test finds.",
    "Example 8.1: the sentence after the specificity says that all negative results are right. That would be an NPV "
    "of 1; the NPV is 31/98 = 0.316, so that two of three negative results are wrong.",
    "Example 8.2: the specificity is printed as 990/1000 = 0.99 with FN in the denominator. That is the NPV. "
    "Specificity divides by the negatives, FP + TN: 990/990 = 1. Table 8.1 describes the NPV under the same name.",
    "The definitions by conditional probability have swapped denominators: precision divides by the probability of a "
    "positive label, recall by the probability of a positive case.",
    "The area under the ROC curve is not confined to [0.5, 1]: scores that rank the negatives first have an area "
    "below 0.5, down to 0.",
)


def _antibody_test() -> list[ReproducedValue]:
    test = evaluate_counts(tp=141, fp=0, fn=67, tn=31)
    as_precision: dict[str, Any] = {"erratum": True, "note": "the text reads the recall as the precision"}
    as_npv: dict[str, Any] = {"erratum": True, "note": "the text reads the specificity as the NPV"}
    accuracy = ReproducedValue(
        "8.1 accuracy", 0.7196652, test["accuracy"].value, 1e-7, note="printed cut off, not rounded"
    )
    return [
        accuracy,
        ReproducedValue.printed("8.1 precision", "1", test["precision"].value),
        ReproducedValue.printed("8.1 recall", "0.678", test["sensitivity"].value),
        ReproducedValue.printed("8.1 specificity", "1", test["specificity"].value),
        ReproducedValue.printed("8.1 F1", "0.808", test["f1"].value),
        ReproducedValue.printed(
            "8.1 share of positive results that are right", "0.678", test["precision"].value, **as_precision
        ),
        ReproducedValue.printed("8.1 share of negative results that are right", "1", test["npv"].value, **as_npv),
    ]


def _always_negative() -> list[ReproducedValue]:
    test = evaluate_counts(tp=0, fp=0, fn=10, tn=990)
    return [
        ReproducedValue.printed("8.2 accuracy", "0.99", test["accuracy"].value),
        ReproducedValue(
            "8.2 precision", math.nan, test["precision"].value, note="undefined: no case is labelled positive"
        ),
        ReproducedValue.printed("8.2 recall", "0", test["sensitivity"].value),
        ReproducedValue.printed(
            "8.2 specificity", "0.99", test["specificity"].value, erratum=True, note="the printed number is the NPV"
        ),
        ReproducedValue.printed("8.2 NPV", "0.99", test["npv"].value, note="printed as specificity"),
        ReproducedValue.printed("8.2 F1", "0", test["f1"].value),
    ]


def _ten_positives() -> list[ReproducedValue]:
    return [
        ReproducedValue.printed(
            "8.3 6 or fewer of 10 right at a true recall of 0.8", "12.09%", binomial_at_most(6, 10, 0.8)
        ),
        ReproducedValue.printed("8.3 all 10 right at a true recall of 0.8", "10.74%", binomial_exactly(10, 10, 0.8)),
    ]


def _smallest_area() -> list[ReproducedValue]:
    reversed_scores = score_table([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1])
    area = float(METRICS["auroc"](reversed_scores))
    return [
        ReproducedValue(
            "8.5 smallest area under a ROC curve", 0.5, area, erratum=True, note="negatives may be ranked first"
        )
    ]


def run_chapter() -> Report:
    """Recompute all examples of the chapter."""
    rows = [*_antibody_test(), *_always_negative(), *_ten_positives(), *_smallest_area()]
    return Report(CHAPTER_TITLE, tuple(rows), CHAPTER_NOTES)


CHAPTER = Reproduction("chapter", CHAPTER_TITLE, "Lecture notes on machine learning, chapter 8", run_chapter)


FUND_TITLE = "Four cats, a fraud detector, a roulette wheel and a robotic chicken"
FUND_NOTES = (
    "Cats: the scores are shown in a picture only. Any scores in the same order, with one photograph in each quarter "
    "between 0, 25, 50, 75 and 100%, give the same numbers.",
    "A classifier that knows nothing has an area of 0.5 under the ROC curve at any prevalence, not only with equally "
    "common classes.",
    "Roulette: 4% is 1.5 times what guessing one of 38 slots achieves, so this low accuracy is the good one, if it was "
    "measured on enough spins: guessing gets 4% or more of 1,000 spins right about once in 140 tries.",
    "Affliction: 99.99% is exactly what calling everyone healthy achieves, while it finds nobody.",
    "Chicken: at 99.99% a thousand crossings a day go wrong about every tenth day, which is too often for an expensive "
    "chicken.",
    "Raising the threshold can only lower the recall or leave it as it is. The precision usually rises, but the cats "
    "show that it need not: from 25% to 50% it falls from 2/3 to 1/2.",
    "Better precision and better recall make a model probably better, not certainly: a model that labels more cases "
    "can have more false alarms in total, and these may cost more than the misses it avoids.",
)
CATS = ([1, 0, 1, 0], [0.8, 0.6, 0.3, 0.1])
TEXT_COUNTS = {"25%": (2, 1, 0, 1), "50%": (1, 1, 1, 1), "75%": (1, 0, 1, 2)}
TEXT_RATES = {"25%": ("1", "0.5"), "50%": ("0.5", "0.5"), "75%": ("0.5", "0")}


def _cats_at(threshold: str) -> Evaluation:
    names = ["sensitivity", "false_positive_rate", "precision"]
    return evaluate(*CATS, threshold=float(threshold.rstrip("%")) / 100, metrics=names)


def _cats() -> list[ReproducedValue]:
    rows = []
    for threshold, counts in TEXT_COUNTS.items():
        evaluation = _cats_at(threshold)
        cells = zip(("TP", "FP", "FN", "TN"), counts, evaluation.counts.as_dict().values(), strict=True)
        rows += [
            ReproducedValue(f"cats at {threshold}: {cell}", float(text), float(ours)) for cell, text, ours in cells
        ]
        rates = zip(("TPR", "FPR"), TEXT_RATES[threshold], ("sensitivity", "false_positive_rate"), strict=True)
        rows += [
            ReproducedValue.printed(f"cats at {threshold}: {rate}", text, evaluation[name].value)
            for rate, text, name in rates
        ]
    area = float(METRICS["auroc"](score_table(*CATS)))
    return [
        *rows,
        ReproducedValue.checked("cats: area under the ROC curve", 0.75, area, "from the three points of the figure"),
    ]


def _majority() -> list[ReproducedValue]:
    fraud = evaluate_counts(tp=0, fp=0, fn=1, tn=99, metrics=["accuracy", "balanced_accuracy"])
    knows_nothing = float(METRICS["auroc"](score_table([1] + [0] * 99, [0.5] * 100)))
    note = "said to be so with equally common classes only; it is so at any prevalence"
    affliction = evaluate_counts(tp=0, fp=0, fn=1, tn=9_999, metrics=["accuracy", "sensitivity"])
    return [
        ReproducedValue.printed("fraud: accuracy of always saying no", "99%", fraud["accuracy"].value),
        ReproducedValue("fraud: balanced accuracy of always saying no", None, fraud["balanced_accuracy"].value),
        ReproducedValue(
            "area of a classifier that knows nothing, at 1% prevalence", None, knows_nothing, erratum=True, note=note
        ),
        ReproducedValue.printed(
            "affliction: accuracy of calling everyone healthy", "99.99%", affliction["accuracy"].value
        ),
        ReproducedValue("affliction: sensitivity of calling everyone healthy", None, affliction["sensitivity"].value),
    ]


def _roulette_and_chicken() -> list[ReproducedValue]:
    guess = evaluate_counts(tp=1, fp=37, fn=0, tn=0, metrics=["precision"])["precision"].value
    luck = binomial_at_least(40, 1000, guess)
    safe = binomial_exactly(0, 1000, 1e-4)
    return [
        ReproducedValue("roulette: accuracy of guessing one slot of 38", None, guess, note="the model's is 4%"),
        ReproducedValue("roulette: chance that guessing gets 40 or more of 1,000 right", None, luck),
        ReproducedValue(
            "chicken: chance of 1,000 crossings without an error", None, safe, note="a day, at an accuracy of 99.99%"
        ),
        ReproducedValue("chicken: days between errors", None, 1 / (1000 * 1e-4)),
    ]


def _raising_the_threshold() -> list[ReproducedValue]:
    found = {threshold: _cats_at(threshold) for threshold in TEXT_COUNTS}
    return [
        ReproducedValue(f"{words} at {at}", None, evaluation[name].value, note=note)
        for words, name, note in (
            ("precision", "precision", "probably increases"),
            ("recall", "sensitivity", "never increases"),
        )
        for at, evaluation in found.items()
    ]


def _two_models() -> list[ReproducedValue]:
    cost = expected_cost(fp=100, fn=1)
    metrics: list[str | Metric] = ["precision", "sensitivity", cost]
    a = evaluate_counts(tp=80, fp=5, fn=20, tn=895, metrics=metrics)
    b = evaluate_counts(tp=10, fp=1, fn=90, tn=899, metrics=metrics)
    names = {"precision": "precision", "sensitivity": "recall", cost.name: "cost per case, a false alarm costing 100"}
    return [
        ReproducedValue(f"model {which}: {words}", None, model[name].value, note="A has better precision and recall")
        for name, words in names.items()
        for which, model in (("A", a), ("B", b))
    ]


def run_fund() -> Report:
    """Recompute all examples and questions."""
    rows = [*_cats(), *_majority(), *_roulette_and_chicken(), *_raising_the_threshold(), *_two_models()]
    return Report(FUND_TITLE, tuple(rows), FUND_NOTES)


FUND = Reproduction("fund", FUND_TITLE, "F. Fund, Classifier performance metrics (lecture notes)", run_fund)
