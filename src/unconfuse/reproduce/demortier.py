"""The relations and tables of "Taking the confusion out of the confusion matrix".

The flight delays of its section 10 are not public, so these two tables are also made again from data drawn here. Their
numbers differ, but not the claim: test prevalence leaves sensitivity and specificity alone, training prevalence does
not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unconfuse._scipy_special import expit
from unconfuse.api import score_table
from unconfuse.bayesian import bayes, expected_rates, expected_rates_of_sample, posterior, usefulness
from unconfuse.metrics import METRICS
from unconfuse.reproduce._report import Report, ReproducedValue, Reproduction
from unconfuse.table import Array, Counts
from unconfuse.thresholds import PrevalenceStudy, PrevalenceStudyRow, prevalence_study

TITLE = "The confusion matrix by Bayes' theorem: twelve quantities, usefulness, expectations"
NOTES = (
    "Likelihood ratios are not odds but multipliers of odds: odds after the result = likelihood ratio x odds before "
    "it. A test with sensitivity 0.9 and specificity 0.95 has LR+ 18, yet at 1% prevalence the odds after a positive "
    "result are only 0.18.",
    "The accuracy bound is said to follow from usefulness without being equivalent to it. It is equivalent: accuracy "
    "minus bound is 2 (TP x TN - FP x FN) / n^2, which is positive exactly if the diagnostic odds ratio is above 1.",
    "The equivalent conditions need cells that are not empty: with an empty cell the odds ratio is infinite or 0/0, "
    "and a predictive value may be 0/0 as well.",
    "The expectations hold for continuous scores. In a sample, the case whose score is the threshold is itself "
    "labelled positive; without ties this adds 1/(2n), -1/(2n) and (P - N)/(2n^2) to the three.",
    "Recall and queue rate do not always decrease when the threshold is raised; they never increase.",
    "The accuracies of the two tables follow from their sensitivities, specificities and test prevalences within the "
    "rounding of the printed numbers.",
    "The confusion matrix there has labels in rows and truth in columns, the transpose of what most texts print.",
)
TRAINED: tuple[
    tuple[str, float, float, float], ...
] = (  # sensitivity, specificity, accuracy; tested at a prevalence of 0.30
    ("0.40", 0.16, 0.96, 0.72),
    ("0.42", 0.29, 0.91, 0.72),
    ("0.44", 0.46, 0.82, 0.71),
    ("0.46", 0.58, 0.72, 0.68),
    ("0.48", 0.63, 0.67, 0.66),
    ("0.50", 0.73, 0.57, 0.62),
)
TESTED = (  # prevalence, sensitivity, specificity, accuracy
    (0.20, 0.50, 0.78, 0.73),
    (0.30, 0.48, 0.80, 0.70),
    (0.40, 0.45, 0.82, 0.67),
    (0.50, 0.46, 0.80, 0.63),
    (0.60, 0.50, 0.79, 0.61),
)
ROUNDING = 0.01  # half a hundredth each from the printed accuracy and from the rates that it averages

PREVALENCE_TITLE = "Effect of prevalence on training and testing"
PREVALENCE_NOTES = (
    "Printed, sensitivity rises from .16 to .73 and specificity falls from .96 to .57 as the training prevalence goes "
    "from .40 to .50, while AUROC stays at .71 to .72; over test prevalences from .20 to .60 sensitivity stays within "
    ".45 to .50 and specificity within .78 to .82.",
    "Here: 60,000 cases with 20% positives, two weak features (AUROC about .72), logistic regression, threshold 1/2. "
    "Rows of one class are dropped to reach a prevalence. 'Moved' means that two 99% intervals do not overlap.",
)
TRAINING, TEST = (0.40, 0.42, 0.44, 0.46, 0.48, 0.50), (0.20, 0.30, 0.40, 0.50, 0.60)
MOVES = {
    "training": {"sensitivity": True, "specificity": True, "auroc": False},
    "test": {"sensitivity": False, "specificity": False, "auroc": False, "accuracy": True},
}


def _twelve() -> list[ReproducedValue]:
    """Section 2: three of the twelve quantities determine the others."""
    test = bayes(prevalence=0.01, sensitivity=0.9, specificity=0.95)
    back = bayes(queue_rate=test.queue_rate, precision=test.precision, npv=test.npv)
    closed = 0.9 / (0.9 - 0.05 + 0.05 / 0.01)
    at_prevalence = bayes(prevalence=0.3, queue_rate=0.3, sensitivity=0.8)
    majority = bayes(prevalence=0.2, false_positive_rate=0, false_negative_rate=1)
    minority = bayes(prevalence=0.2, false_positive_rate=1, false_negative_rate=0)
    products = at_prevalence.false_positive_rate * at_prevalence.false_negative_rate
    labels = at_prevalence.false_discovery_rate * at_prevalence.false_omission_rate
    return [
        _identity("precision by the closed formula of section 2.6", closed, test.precision, note="Se .9, Sp .95, 1%"),
        _identity("prevalence recovered from queue rate, precision and NPV", 0.01, back.prevalence),
        _identity("sensitivity recovered from queue rate, precision and NPV", 0.9, back.sensitivity),
        _identity("queue rate = prevalence: precision equals sensitivity", 0.8, at_prevalence.precision),
        _identity("queue rate = prevalence: NPV equals specificity", at_prevalence.specificity, at_prevalence.npv),
        _identity("queue rate = prevalence: FDR x FOR equals alpha x beta", products, labels),
        _identity("majority classifier: alpha + beta", 1.0, _sum_of_errors(majority)),
        _identity("majority classifier: precision", math.nan, majority.precision, note=majority.undefined["precision"]),
        _identity("minority classifier: alpha + beta", 1.0, _sum_of_errors(minority)),
    ]


def _identity(quantity: str, reference: float, ours: float, **more: Any) -> ReproducedValue:
    """Make a row for a relation that the text states, rather than a number."""
    return ReproducedValue.checked(quantity, reference, ours, "identity", **more)


def _sum_of_errors(of: Any) -> float:
    return float(of.false_positive_rate + of.false_negative_rate)


def _likelihood_ratio() -> list[ReproducedValue]:
    """Section 4: what the likelihood ratio is."""
    test = bayes(prevalence=0.01, sensitivity=0.9, specificity=0.95)
    after = posterior(test, prior=0.01).after_positive.value
    note = "the likelihood ratio is called the odds; it multiplies them"
    what = "odds after a positive result at 1% prevalence"
    return [
        _identity("LR+ of Se .9, Sp .95", 0.9 / 0.05, test.lr_positive, tolerance=1e-9),
        ReproducedValue.checked(
            what, test.lr_positive, after / (1 - after), "as the text reads it", erratum=True, note=note
        ),
    ]


def _bound() -> list[ReproducedValue]:
    """Section 5: the minority classifier with one label flipped, N = 1,000 and 10% positives."""
    flipped = usefulness(tp=100, fp=899, fn=0, tn=1)
    misleading = usefulness(tp=5, fp=60, fn=45, tn=90)
    excess = 2 * (5 * 90 - 60 * 45) / 200**2
    gap = misleading.accuracy - misleading.accuracy_bound
    note = "2 (TP x TN - FP x FN) / n^2, which is below 0 exactly when a classifier misleads"
    said = "as the text reads it"
    equivalent = (
        "the text: a bound that holds without being equivalent; accuracy above it and odds ratio above 1 are one"
    )
    return [
        _identity("flipped minority classifier: accuracy", 0.1 + 1 / 1000, flipped.accuracy),
        _identity("flipped minority classifier: accuracy bound", 0.1 + 1 / 1000 - 0.2 / 1000, flipped.accuracy_bound),
        ReproducedValue(
            "flipped minority classifier: diagnostic odds ratio", None, _odds_ratio(100, 899, 0, 1), note="useful"
        ),
        _identity("accuracy minus bound of a misleading classifier", excess, gap, note=note),
        ReproducedValue.checked(
            "2x2 tables above the bound but not useful", 1.0, _exceptions(), said, erratum=True, note=equivalent
        ),
        ReproducedValue(
            "empty cells: odds ratio of a classifier without false positives", None, _odds_ratio(5, 0, 5, 90), **_EMPTY
        ),
        ReproducedValue("recall: thresholds raised without a change", None, _standing_still(), **_NEVER),
    ]


_EMPTY: dict[str, Any] = {"erratum": True, "note": "the conditions are said to be equivalent for every table"}
_NEVER: dict[str, Any] = {"erratum": True, "note": "recall is said always to decrease; it never increases"}


def _odds_ratio(tp: float, fp: float, fn: float, tn: float) -> float:
    return float(METRICS["diagnostic_odds_ratio"](Counts(tp=tp, fp=fp, fn=fn, tn=tn)))


def _exceptions() -> float:
    """Tables of up to 6 cases in each cell whose accuracy exceeds the bound although the odds ratio is not above 1."""
    tp, fp, fn, tn = np.meshgrid(*[np.arange(1.0, 7.0)] * 4)
    n = tp + fp + fn + tn
    bound = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / n**2
    useful = METRICS["diagnostic_odds_ratio"](Counts(tp=tp, fp=fp, fn=fn, tn=tn)) > 1
    return float(np.sum(((tp + tn) / n > bound + 1e-12) & ~useful))


def _standing_still() -> float:
    """Of the ten scores of a small sample, how many thresholds leave the recall as it was."""
    table = score_table([1, 0, 0, 1, 0, 1, 0, 0, 1, 0], list(range(10)))
    return float(np.sum(np.diff(np.cumsum(table.positives)) == 0))


def _expectations() -> list[ReproducedValue]:
    """Section 6 and appendix 11.1, by formula and over the thresholds of a sample without ties."""
    labels = [int(i % 10 in (0, 3, 7)) for i in range(200)]
    table = score_table(labels, [(37 * i) % 211 + 40 * label + i / 1000 for i, label in enumerate(labels)])
    area, share = float(METRICS["auroc"](table)), table.prevalence
    formula, corrected = (expected_rates(share, area, n=n).as_dict() for n in (None, int(table.n)))
    sample, rows = expected_rates_of_sample(table).as_dict(), []
    for name, short in {"sensitivity": "E[Se]", "specificity": "E[Sp]", "accuracy": "E[A]"}.items():
        what, ours, note = f"{short} over the 200 thresholds of a sample", sample[name], "differs by up to 1/(2n)"
        rows.append(_identity(f"{what}, by the formula", formula[name], ours, tolerance=1 / 400, note=note))
        rows.append(_identity(f"{short} with the correction for a sample", corrected[name], ours, tolerance=1e-12))
    return rows


def _accuracy_of_tables() -> list[ReproducedValue]:
    """Section 10: accuracy = Se x prevalence + Sp x (1 - prevalence)."""

    def row(what: str, prevalence: float, se: float, sp: float, printed: float) -> ReproducedValue:
        ours = bayes(prevalence=prevalence, sensitivity=se, specificity=sp).accuracy
        return ReproducedValue(f"{what}: accuracy", printed, ours, ROUNDING)

    trained = [row(f"trained at {at}, tested at 0.30", 0.3, *rates) for at, *rates in TRAINED]
    return trained + [row(f"trained at 0.45, tested at {at:.2f}", at, *rates) for at, *rates in TESTED]


def run() -> Report:
    """Recompute all relations and tables."""
    rows = [*_twelve(), *_likelihood_ratio(), *_bound(), *_expectations(), *_accuracy_of_tables()]
    return Report(TITLE, tuple(rows), NOTES)


DEMORTIER = Reproduction(
    "demortier", TITLE, "L. Demortier (2016, revised 2021), Taking the confusion out of the confusion matrix", run
)


class PlainLogistic:
    """Logistic regression by Newton's method: enough for the study, and no other library is needed."""

    def fit(self, X: Array, y: Array) -> PlainLogistic:
        """Eight Newton steps from 0."""
        design, self.weights = _with_constant(X), np.zeros(X.shape[1] + 1)
        for _ in range(8):
            p = expit(design @ self.weights)
            curvature = design.T @ (design * (p * (1 - p))[:, None])
            self.weights = self.weights + np.linalg.solve(curvature, design.T @ (y - p))
        return self

    def predict_proba(self, X: Array) -> Array:
        """Probabilities of both classes."""
        p = expit(_with_constant(X) @ self.weights)
        return np.column_stack([1 - p, p])


def _with_constant(X: Array) -> Array:
    return np.column_stack([np.ones(len(X)), X])


def study(rng: int = 0) -> PrevalenceStudy:
    """Both tables on one data set drawn here."""
    generator = np.random.default_rng(rng)
    y = generator.random(60_000) < 0.2
    X = generator.normal(size=(60_000, 2)) + 0.58 * y[:, None]
    return prevalence_study(
        PlainLogistic(),
        X,
        y,
        training_prevalences=TRAINING,
        test_prevalences=TEST,
        training_prevalence=0.45,
        test_prevalence=0.30,
        rng=rng,
    )


def run_prevalence() -> Report:
    """Reproduce the two tables, and what moved."""
    found = study()
    rows = [row for each in found.by_training for row in _lines(f"trained at {each.training:.2f}", each)]
    rows += [row for each in found.by_test for row in _lines(f"tested at {each.test:.2f}", each)]
    for varied, claims in MOVES.items():
        for metric, expected in claims.items():
            what = f"{metric} moved with {varied} prevalence (1 yes, 0 no)"
            said = f"the text: it {'moves' if expected else 'stays'}"
            rows.append(ReproducedValue.checked(what, float(expected), float(found.moved(varied, metric)), said))
    return Report(PREVALENCE_TITLE, tuple(rows), (*PREVALENCE_NOTES, *(finding.sentence for finding in found.findings)))


def _lines(what: str, row: PrevalenceStudyRow) -> list[ReproducedValue]:
    return [
        ReproducedValue(f"{what}: {name}", None, metric.value, note=metric.interval_text)
        for name, metric in row.metrics.items()
    ]


PREVALENCE = Reproduction(
    "prevalence",
    PREVALENCE_TITLE,
    "Demortier, Taking the confusion out of the confusion matrix, section 10",
    run_prevalence,
)
