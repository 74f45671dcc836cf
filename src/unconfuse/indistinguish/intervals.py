"""Intervals for the threshold where B(r) = level and for the precision there, by resampling and by influence.

The influence of one more case at each score on C(r_b): let W(r) add up, over the labelled cases, by how much each one's
chance of being outranked exceeds the level. W = 0 at the crossing. One more case moves W, hence the crossing, hence the
precision, which also counts the case itself. The density of the scores cancels on the way; only the share of positives
right at the crossing remains to be estimated.
"""

from __future__ import annotations

import math

import numpy as np

from unconfuse.metrics import METRICS, Metric, precision_at_b
from unconfuse.metrics._definition import ratio
from unconfuse.metrics.indistinguishable import b_values, labelled_at_level
from unconfuse.metrics.influence import Influence, quantile
from unconfuse.table import Array, Design, ScoreTable
from unconfuse.uncertainty.bootstrap import bootstrap
from unconfuse.uncertainty.engine import estimate_scores

Limits = tuple[float, float]
NamedLimits = tuple[float, float, str]
_WINDOW = 0.75  # half-width of the window at the crossing, in units of n^(4/5) / 2 cases


def precision_limits(table: ScoreTable, level: float, method: str | None, settings: Design) -> NamedLimits:
    """Of C(r_b): by influence if asked for, else the metric's own interval, as in an evaluation."""
    if method == "influence":
        return (*precision_by_influence(table, level, settings), "influence function, logit")
    metric = METRICS["precision_at_indistinguishability"] if level == 0.5 else precision_at_b(level)
    found = estimate_scores([metric], table, settings)[metric.name]
    return found.low, found.high, found.method


def threshold_limits(table: ScoreTable, level: float, method: str | None, settings: Design) -> NamedLimits:
    """Of r_b: by bootstrap if asked for, which takes time on large data, else by inversion."""
    if method == "bootstrap":
        return (*threshold_by_bootstrap(table, level, settings), "percentile bootstrap")
    return (*threshold_by_inversion(table, level, settings), "inversion of B")


def precision_by_influence(table: ScoreTable, level: float, settings: Design) -> Limits:
    """From the influence function, on the logit scale, so that it stays within 0 and 1."""
    found = precision_influence(table, level)
    value, error = float(found.value), float(found.standard_error(design=settings.kind))
    if not 0 < value < 1:
        return value, value
    middle, reach = math.log(value / (1 - value)), quantile(settings.confidence_level) * error / (value * (1 - value))
    low, high = (1 / (1 + math.exp(-edge)) for edge in (middle - reach, middle + reach))
    return low, high


def threshold_by_bootstrap(table: ScoreTable, level: float, settings: Design) -> Limits:
    """Equal tails of the thresholds of bootstrap replicates, which are whole tables."""

    def thresholds(tables: ScoreTable) -> Array:
        index = labelled_at_level(tables, level)
        return np.where(index >= 0, tables.score[np.maximum(index, 0)], np.nan)

    metric = Metric(f"threshold_at_b({level:g})", thresholds, of="ranks")
    many, seed = settings.n_resamples, settings.seed
    replicates = bootstrap(table, [metric], n_resamples=many, design=settings.kind, rng=seed)[metric.name]
    kept, tail = replicates[~np.isnan(replicates)], (1 - settings.confidence_level) / 2
    low, high = np.quantile(kept, [tail, 1 - tail]).tolist() if len(kept) else (math.nan, math.nan)
    return low, high


def threshold_by_inversion(table: ScoreTable, level: float, settings: Design) -> Limits:
    """All thresholds at which B differs from the level by no more than its own standard error explains.

    Only ranks enter, so the interval moves along with any increasing transform of the scores, and no density has to be
    estimated.
    """
    b, error = b_values(table), b_standard_errors(table, level, design=settings.kind)
    apart = np.abs(b - level) > quantile(settings.confidence_level) * error
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


def precision_influence(table: ScoreTable, level: float = 0.5) -> Influence:
    """Influence on the precision where B(r) = level, for the mixture that hits the level exactly.

    >>> table = ScoreTable(np.array([3., 2, 1, 0]), np.array([3., 2, 1, 0]), np.array([0., 1, 2, 3]))
    >>> of_c = precision_influence(table)
    >>> of_c.value.round(3), of_c.standard_error().round(3)
    (np.float64(0.788), np.float64(0.148))
    """
    part = _labelled_part(table, level)
    tp, fp = float(part @ table.positives), float(part @ table.negatives)
    labelled, precision = tp + fp, tp / (tp + fp)
    above = _mid_cumulated(table.positives)
    excess = float(above[_crossing_block(part)]) - level * table.n_positives
    pull = (precision - _local_share(table, part)) / (labelled * excess)
    # The effect of one more case at each score on W, with the labelled part held fixed. A positive also outranks every
    # labelled case below it, and raises the level's share of all comparisons.
    own = part * (above - level * table.n_positives)
    cases = part * (table.positives + table.negatives)
    more = own + (cases.sum() - _mid_cumulated(cases)) - level * cases.sum()
    of_positives = part * (1 - precision) / labelled + pull * more
    return Influence(table, np.asarray(precision), of_positives, -part * precision / labelled + pull * own)


def _labelled_part(table: ScoreTable, level: float) -> Array:
    """Share of each block that is labelled when B hits the level exactly: 1 above the crossing, 0 below it."""
    cases = table.positives + table.negatives
    gain = cases * (_mid_cumulated(table.positives) - level * table.n_positives)
    excess = np.cumsum(gain)
    at = int(np.searchsorted(np.where(excess > 0, 1, 0), 1))
    part = np.zeros(len(table))
    part[:at] = 1.0
    if at < len(table):
        part[at] = 1 - excess[at] / gain[at]
    return part


def _crossing_block(part: Array) -> int:
    """Index of the block in which the labelled part ends."""
    return min(int(np.count_nonzero(part == 1)), len(part) - 1)


def _local_share(table: ScoreTable, part: Array) -> float:
    """Share of positives right at the crossing: a straight line through the cases around it, by rank.

    A crossing inside a large tie block needs no neighbours: the block's own share is the answer.
    """
    cases = table.positives + table.negatives
    half = _WINDOW * float(cases.sum()) ** 0.8 / 2
    rank, place = _mid_cumulated(cases), float(part @ cases)
    weight = cases * np.maximum(1 - ((rank - place) / half) ** 2, 0)
    at = _crossing_block(part)
    if cases[at] >= half or not weight.any():
        return float(table.positives[at] / cases[at])
    # Weighted least squares: the height of the line at x = 0.
    x, y, w = rank - place, table.positives / cases, weight / weight.sum()
    mean_x, mean_y = float(w @ x), float(w @ y)
    spread = float(w @ (x - mean_x) ** 2)
    slope = float(w @ ((x - mean_x) * (y - mean_y))) / spread if spread > 0 else 0.0
    return float(np.clip(mean_y - slope * mean_x, 0, 1))


def _mid_cumulated(weights: Array) -> Array:
    """Weight above each block, half of its own included."""
    return np.cumsum(weights) - weights / 2
