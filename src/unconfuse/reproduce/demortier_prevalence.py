"""Section 10 of "Taking the confusion out of the confusion matrix": what training and test prevalence do.

The flight delays of the original are not public, so the two tables are made again from data drawn here. Their numbers
differ, but not the claim: test prevalence leaves sensitivity and specificity alone, training prevalence does not.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from unconfuse.reproduce._report import Report, Reproduction, Row
from unconfuse.table import Array
from unconfuse.thresholds import PrevalenceStudy, StudyRow, prevalence_study

TITLE = "Effect of prevalence on training and testing"
NOTES = (
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
        PlainLogistic(), X, y, training=TRAINING, test=TEST, training_prevalence=0.45, test_prevalence=0.30, rng=rng
    )


def run() -> Report:
    """The two tables, and what moved."""
    found = study()
    rows = [row for each in found.by_training for row in _lines(f"trained at {each.training:.2f}", each)]
    rows += [row for each in found.by_test for row in _lines(f"tested at {each.test:.2f}", each)]
    rows += [
        Row(
            f"{metric} moved with {varied} prevalence (1 yes, 0 no)",
            float(expected),
            float(found.moved(varied, metric)),
        )
        for varied, claims in MOVES.items()
        for metric, expected in claims.items()
    ]
    return Report(TITLE, tuple(rows), (*NOTES, *(each.sentence for each in found.findings)))


def _lines(what: str, row: StudyRow) -> list[Row]:
    return [Row(f"{what}: {name}", None, each.value, note=each.interval_text) for name, each in row.metrics.items()]


PREVALENCE = Reproduction(
    "prevalence", TITLE, "Demortier, Taking the confusion out of the confusion matrix, section 10", run
)
