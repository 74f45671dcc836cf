"""Intervals for the threshold where B(r) = level and for the precision there."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from unconfuse.indistinguish.influence import precision_influence
from unconfuse.metrics import METRICS, Metric, precision_at_b
from unconfuse.metrics._definition import ratio
from unconfuse.metrics.indistinguishable import b_values, labelled_at_level
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.bootstrap import bootstrap
from unconfuse.uncertainty.estimates import Resampling, estimate_scores

Limits = tuple[float, float]
NOWHERE = (math.nan, math.nan)


def precision_by_influence(table: ScoreTable, level: float, *, confidence_level: float, design: str) -> Limits:
    """From the influence function, on the logit scale, so that it stays within 0 and 1."""
    found = precision_influence(table, level)
    value, error = float(found.value), float(found.standard_error(design=design))
    if not 0 < value < 1:
        return value, value
    middle, reach = math.log(value / (1 - value)), _z(confidence_level) * error / (value * (1 - value))
    low, high = (1 / (1 + math.exp(-edge)) for edge in (middle - reach, middle + reach))
    return low, high


def precision_by_bootstrap(
    table: ScoreTable, level: float, *, confidence_level: float, design: str, n_resamples: int, rng: int
) -> tuple[float, float, str]:
    """The metric's own interval, as in an evaluation, with the name of its method."""
    metric = METRICS["precision_at_indistinguishability"] if level == 0.5 else precision_at_b(level)
    how = Resampling(n_resamples, rng, design)
    found = estimate_scores([metric], table, confidence_level=confidence_level, how=how)[metric.name]
    return found.low, found.high, found.method


def threshold_by_bootstrap(
    table: ScoreTable, level: float, *, confidence_level: float, design: str, n_resamples: int, rng: int
) -> Limits:
    """Equal tails of the thresholds of bootstrap replicates; makes whole tables, so it takes time on large data."""
    metric = Metric(f"threshold_at_b({level:g})", lambda tables: _thresholds(tables, level), of="ranks")
    replicates = bootstrap(table, [metric], n_resamples=n_resamples, design=design, rng=rng)[metric.name]
    return _equal_tails(replicates, confidence_level)


def threshold_by_inversion(table: ScoreTable, level: float, *, confidence_level: float, design: str) -> Limits:
    """All thresholds at which B differs from the level by no more than its own standard error explains.

    Only ranks enter, so the interval moves along with any increasing transform of the scores, and no density has to be
    estimated.
    """
    b, error = b_values(table), b_standard_errors(table, level, design=design)
    apart = np.abs(b - level) > _z(confidence_level) * error
    # Far up, where hardly anybody is labelled, B says nothing: only the run around the crossing counts.
    crossing = min(int(np.searchsorted(b, level)), len(b) - 1)
    before, after = np.flatnonzero(apart[:crossing]), np.flatnonzero(apart[crossing:])
    first = int(before[-1]) + 1 if len(before) else 0
    low = float(table.score[crossing + after[0]]) if len(after) else -np.inf
    return low, float(table.score[first])


def b_standard_errors(table: ScoreTable, level: float | None = None, *, design: str = "cohort") -> Array:
    """Standard error of B with the threshold at each score, for a true B equal to `level` (or to what was found).

    The influence of a case on B is a square in running totals, so cumulated sums give the errors at all thresholds at
    once.

    Examples
    --------
    >>> table = ScoreTable(np.array([3., 2, 1, 0]), np.array([3., 2, 1, 0]), np.array([0., 1, 2, 3]))
    >>> b_standard_errors(table).round(3)
    array([0.102, 0.087, 0.065, 0.069])
    """
    p, q = table.positives, table.negatives
    n_positives, n_negatives = table.n_positives, table.n_negatives
    tp, labelled = np.cumsum(p), np.cumsum(p + q)
    at = b_values(table) if level is None else np.full(len(table), level)

    outranked_by = tp - p / 2  # positives above each case, half of the ties included
    labelled_mid = labelled - (p + q) / 2
    # Influence of a labelled positive: own + constant; of one not labelled: missed; of a negative: above - shift.
    own, constant, missed = outranked_by - labelled_mid, labelled - at * (labelled + n_positives), -at * labelled
    sum_own = np.cumsum(p * own)
    positive_sum = sum_own + constant * tp + missed * (n_positives - tp)
    positive_squares = np.cumsum(p * own**2) + constant * (2 * sum_own + constant * tp) + missed**2 * (n_positives - tp)
    shift, fp = at * n_positives, labelled - tp
    negative_part = np.cumsum(q * outranked_by)
    negative_sum = negative_part - shift * fp
    negative_squares = np.cumsum(q * outranked_by**2) - 2 * shift * negative_part + shift**2 * fp
    variance = positive_squares + negative_squares
    if design == "case-control":
        variance = variance - positive_sum**2 / n_positives - negative_sum**2 / n_negatives
    return ratio(np.sqrt(np.maximum(variance, 0)), n_positives * labelled)


def _thresholds(tables: ScoreTable, level: float) -> Array:
    index = labelled_at_level(tables, level)
    return np.where(index >= 0, tables.score[np.maximum(index, 0)], np.nan)


def _equal_tails(replicates: Array, confidence_level: float) -> Limits:
    kept = replicates[~np.isnan(replicates)]
    if not len(kept):
        return NOWHERE
    tail = (1 - confidence_level) / 2
    low, high = np.quantile(kept, [tail, 1 - tail])
    return float(low), float(high)


def _z(confidence_level: float) -> float:
    return float(ndtri((1 + confidence_level) / 2))
