"""A reference with labels and a batch without, collapsed to their distinct scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unconfuse._scipy_special import logit
from unconfuse.metrics import METRICS, Metric
from unconfuse.table import Array, Counts, ScoreTable

NEAREST = 1e-4  # to 0 and 1: nearer probabilities are moved there, for their log-odds would decide the fit alone
AUROC = "auroc"


@dataclass(frozen=True, eq=False)
class Batch:
    """Scores of new cases beside those of a reference.

    `scores` and `weight` are the distinct new scores and how many cases have each; `threshold` is NaN where decisions
    are not asked for.
    """

    reference: ScoreTable
    scores: Array
    weight: Array
    threshold: float
    probabilities: bool

    @property
    def n(self) -> float:
        """Number of new cases."""
        return float(self.weight.sum())

    def feature(self, scores: Array) -> Array:
        """Return what the logistic model sees: log-odds of probabilities, other scores as they are."""
        return logit(np.clip(scores, NEAREST, 1 - NEAREST)) if self.probabilities else scores

    @property
    def moved(self) -> float:
        """Number of cases, old and new, whose probability was moved away from 0 or 1."""
        if not self.probabilities:
            return 0.0
        cases = self.reference.positives + self.reference.negatives
        return float(cases[_is_extreme(self.reference.score)].sum() + self.weight[_is_extreme(self.scores)].sum())

    @cached_property
    def flagged(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which of the distinct new scores are labelled positive."""
        return np.asarray(self.scores >= self.threshold)

    @property
    def outside(self) -> float:
        """Share of new cases whose score lies beyond those of the reference."""
        score = self.reference.score
        return float(self.weight[(self.scores < score.min()) | (self.scores > score.max())].sum() / self.n)

    def cells(self, risk: Array) -> Counts:
        """Return the expected 2x2 table if each distinct score has this risk; leading axes allowed."""
        ours, theirs = self.weight * risk, self.weight * (1 - risk)
        return Counts.from_validated(
            tp=ours[..., self.flagged].sum(-1),
            fp=theirs[..., self.flagged].sum(-1),
            fn=ours[..., ~self.flagged].sum(-1),
            tn=theirs[..., ~self.flagged].sum(-1),
        )

    def value(self, metric: Metric, risk: Array) -> float:
        """Return a metric of decisions, or the AUROC, if each distinct score has this risk."""
        if metric.name != AUROC:
            with np.errstate(divide="ignore", invalid="ignore"):
                return float(metric(self.cells(risk)))
        return expected_auroc(self.scores, self.weight, risk)


def _is_extreme(p: Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.asarray((p < NEAREST) | (p > 1 - NEAREST))


def expected_auroc(scores: Array, weight: Array, risk: Array) -> float:
    """Return the AUROC of cases that are positive with these chances; no case is compared with itself.

    >>> round(expected_auroc(np.array([1., 2.]), np.ones(2), np.array([.2, .8])), 4)
    0.9412
    """
    ours, theirs = weight * risk, weight * (1 - risk)
    above, pairs = concordance(scores, ours, theirs)
    own = float((weight * risk * (1 - risk)).sum())  # each with itself: a tie
    return float((float(above @ ours) - own / 2) / max(pairs - own, 1e-300))


def concordance(scores: Array, ours: Array, theirs: Array) -> tuple[Array, float]:
    """Return the weight of negatives below each score, ties half, and the weight of all pairs."""
    order = np.argsort(scores, kind="stable")
    below = np.cumsum(theirs[order]) - theirs[order] / 2
    found = np.empty_like(below)
    found[order] = below
    return found, float(ours.sum() * theirs.sum())


USUAL = ("accuracy", "sensitivity", "specificity", "precision", "npv", "f1", "mcc", AUROC)


def is_forecast(metric: Metric) -> bool:
    """Whether a metric is forecast: those of decisions, and the AUROC."""
    return metric.of == "counts" or metric is METRICS[AUROC]
