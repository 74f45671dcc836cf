"""Metrics of a batch under label shift: sensitivity and specificity of the reference, at another prevalence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unconfuse.forecasting.batch import AUROC, Batch
from unconfuse.forecasting.label_shift import LabelShift, bin_edges, bins_for, fitted, label_shift
from unconfuse.metrics import METRICS, Metric
from unconfuse.table import Array, Codes, Counts
from unconfuse.uncertainty.proportion_intervals import delta_variance

_ROUGH = 1e-9  # of the log likelihood: resamples need no more
_HALF = 0.5  # of a case on each side of the threshold, so that a rate of 0 or 1 varies among resamples


@dataclass(frozen=True, eq=False)
class LabelShiftMetrics:
    """The reference's rates, the batch's prevalence, and resamples of both."""

    batch: Batch
    confidence_level: float
    n_resamples: int
    seed: int

    @cached_property
    def edges(self) -> Array:
        """Lower ends of the bins of scores."""
        table, batch = self.batch.reference, self.batch
        scores = np.concatenate([table.score, batch.scores])
        weight = np.concatenate([table.positives + table.negatives, batch.weight])
        smallest = min(table.n_positives, table.n_negatives, batch.n)
        return bin_edges(scores, weight, bins_for(smallest))

    @property
    def bins(self) -> int:
        """Number of bins."""
        return len(self.edges) + 1

    @cached_property
    def _places(self) -> tuple[Codes, Codes]:
        """Twice the bin of each distinct score of reference and batch, and one more where it is labelled positive."""
        found = []
        for scores in (self.batch.reference.score, self.batch.scores):
            place = np.searchsorted(self.edges, scores, side="right")
            found.append(np.asarray(2 * place + (scores >= self.batch.threshold), np.int64))
        return found[0], found[1]

    @cached_property
    def _counts(self) -> tuple[Array, Array, Array]:
        """Positives, negatives and new cases in each bin, unflagged and flagged: shape (bins, 2)."""
        table, (known, new) = self.batch.reference, self._places
        pairs = (known, table.positives), (known, table.negatives), (new, self.batch.weight)
        bins, size = self.bins, 2 * self.bins
        a, b, c = (np.asarray(np.bincount(at, each, size).reshape(bins, 2), np.float64) for at, each in pairs)
        return a, b, c

    @cached_property
    def shift(self) -> LabelShift:
        """Prevalence of the batch, and whether label shift explains its scores."""
        a, b, c = (count.sum(-1) for count in self._counts)
        return label_shift(a, b, c, self.confidence_level)

    @cached_property
    def _resampled(self) -> tuple[Array, Array, Array]:
        """Sensitivity, specificity and prevalence in resamples of reference and batch."""
        rng = np.random.default_rng(self.seed)
        drawn = [
            rng.multinomial(round(float(count.sum())), count.ravel() / count.sum(), self.n_resamples).reshape(
                -1, self.bins, 2
            )
            for count in self._counts
        ]
        a, b, c = (each.sum(-1) for each in drawn)
        q = fitted(a, b, c, close=_ROUGH).prevalence
        positives, negatives = (each.sum(1) for each in drawn[:2])
        se = (positives[:, 1] + _HALF) / (positives.sum(1) + 2 * _HALF)
        sp = (negatives[:, 0] + _HALF) / (negatives.sum(1) + 2 * _HALF)
        return se, sp, q

    def expected(self, metric: Metric) -> tuple[float, float]:
        """Return the value to expect in the batch, and the standard error of what will be found there."""
        if metric.name == AUROC:
            return self._auroc()
        a, b, c = (count.sum(0) for count in self._counts)
        n, q = self.batch.n, self.shift.prevalence
        labelled = c[1] / c.sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            if np.isnan(metric(_cells(labelled, 1 - labelled, 0.5, n))):  # such as precision where none is positive
                return math.nan, math.nan
        cells = _cells(a[1] / a.sum(), b[0] / b.sum(), q, n)
        padded = _cells((a[1] + _HALF) / (a.sum() + 1), (b[0] + _HALF) / (b.sum() + 1), q, n)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn = np.asarray(metric(_cells(*self._resampled, n)))
            value, own = float(metric(cells)), delta_variance(metric, padded, cohort=True)
        usable = drawn[np.isfinite(drawn)]
        variance = float(usable.var()) + own if len(usable) > 1 else math.nan
        return value, math.sqrt(variance) if variance >= 0 else math.nan

    def reach_of_prevalence(self, metric: Metric) -> tuple[float, float]:
        """Return the metric at both ends of the prevalence's interval: where that is at an end, resamples are blind."""
        a, b, _ = (count.sum(0) for count in self._counts)
        if metric.name == AUROC:
            return math.inf, -math.inf
        ends = np.array([self.shift.low, self.shift.high])
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.asarray(metric(_cells(a[1] / a.sum(), b[0] / b.sum(), ends, self.batch.n)))
        known = found[np.isfinite(found)]
        return (float(known.min()), float(known.max())) if len(known) else (math.inf, -math.inf)

    def _auroc(self) -> tuple[float, float]:
        """Return that of the reference; its error, and that of as many new positives and negatives as are expected."""
        table, q, n = self.batch.reference, self.shift.prevalence, self.batch.n
        of_positives, of_negatives = _placement_variances(table.positives, table.negatives)
        variance = of_positives / table.n_positives + of_negatives / table.n_negatives
        variance += of_positives / max(q * n, 1.0) + of_negatives / max((1 - q) * n, 1.0)
        return float(METRICS[AUROC](table)), math.sqrt(variance)


def _cells(sensitivity: Array, specificity: Array, prevalence: Array | float, n: float) -> Counts:
    q, se, sp = (np.asarray(each, np.float64) for each in (prevalence, sensitivity, specificity))
    return Counts.from_validated(tp=n * q * se, fp=n * (1 - q) * (1 - sp), fn=n * q * (1 - se), tn=n * (1 - q) * sp)


def _placement_variances(positives: Array, negatives: Array) -> tuple[float, float]:
    """Return the variance of the placements of positives among negatives, and of negatives among positives."""
    p, n = positives.sum(), negatives.sum()
    below = 1 - (np.cumsum(negatives) - negatives / 2) / n  # scores descend
    above = (np.cumsum(positives) - positives / 2) / p
    mean = float(positives @ below / p)
    return float(positives @ (below - mean) ** 2 / max(p - 1, 1)), float(
        negatives @ (above - mean) ** 2 / max(n - 1, 1)
    )
