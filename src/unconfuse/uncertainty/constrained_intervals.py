"""Intervals of one rate where another is held: the threshold's own uncertainty and that of the rate, put together.

Where the threshold lies follows from order statistics of the class whose rate is held: so many of its cases lie beyond
the population's threshold as a binomial variable may count. Between these two thresholds the rate moves by d1; Wilson's
limits at the chosen threshold are d2 away; the interval reaches sqrt(d1^2 + d2^2) (MOVER). No density is estimated, and
only ranks enter. What chose this among eleven methods, and its coverage: docs/constrained-metrics.md and
tests/coverage/constrained.py.

Zou and Donner (2008), Statistics in Medicine 27:1693 (MOVER).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from unconfuse._scipy_special import betainc
from unconfuse.metrics import Metric
from unconfuse.metrics.constrained import Constraint
from unconfuse.metrics.influence_functions import quantile
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.proportion_intervals import Interval, wilson

_USUAL = 0.95
_SAME = 1e-9  # rounding of sums of weights
_FLAT = 0.3  # recall below which precision is nearly flat: MOVER then covered 88 and 91% of gamma scores
_MOVER = "MOVER of threshold and rate"
_TIES = "Wilson at each threshold that ties leave open"
_NEARLY_FLAT = "Wilson at each threshold that may be meant; precision is flat here"
_NOWHERE = "Wilson at each threshold that may be meant; no threshold of these cases has the precision"
Ends = tuple[float, float]


def limits_at_constraint(
    metric: Metric, table: ScoreTable, fixed_classes: bool = False, level: float = 0.95
) -> Interval:
    """Limits of a metric under a constraint.

    >>> from unconfuse.metrics.constrained import specificity_at_sensitivity
    >>> table = ScoreTable(np.arange(40.)[::-1], np.tile([1., 0, 1, 0], 10), np.tile([0., 1, 0, 1], 10))
    >>> low, high, method = limits_at_constraint(specificity_at_sensitivity(.8), table)
    >>> print(f"{low:.3f} {high:.3f}, {method}")
    0.007 0.515, MOVER of threshold and rate
    """
    constraint = metric.inference.constraint
    assert constraint is not None
    if constraint.holds == "precision":
        low, high, how = _at_precision(constraint.level, table, level)
    elif constraint.asked == "precision":
        low, high, how = _precision(constraint, table, fixed_classes, level)
    else:
        low, high, how = _rate(constraint, table, level)
    return Interval(np.asarray(max(low, 0.0)), np.asarray(min(high, 1.0)), how)


def error_at_constraint(metric: Metric, table: ScoreTable, fixed_classes: bool = False) -> float:
    """Return the standard error that the interval at the usual level shows."""
    low, high, _ = limits_at_constraint(metric, table, fixed_classes, _USUAL)
    return float(high - low) / (2 * quantile(_USUAL))


class _LevelReach(NamedTuple):
    """Both classes beyond each threshold, in the order in which the held rate grows, and which of them may be meant.

    `least` and `most` are how many of the other class lie beyond the nearest and the farthest threshold, `first` and
    `last` the blocks between which it lies where scores are tied (-1: beyond none).
    """

    own: Array
    other: Array
    at: int
    least: float
    most: float
    tied: bool
    first: int
    last: int


def _reach(constraint: Constraint, table: ScoreTable, level: float) -> _LevelReach:
    members, others = constraint.seen(table)
    own, other = np.cumsum(members), np.cumsum(others)
    size, rate = own[-1], constraint.level
    at = min(int(np.count_nonzero(own < rate * size * (1 - 1e-12))), len(own) - 1)
    fewest, most = _counts_in_reach(size, rate, (1 - level) / 2)
    near = int(np.count_nonzero(own < fewest - _SAME))  # the block that holds the first case that may be the edge
    far = int(np.count_nonzero(own <= most + _SAME))
    least = 0.0 if fewest <= 0 else other[min(near, len(own) - 1)]
    beyond = other[-1] if far >= len(own) else other[far] - others[far]
    between = members[near : far + 1]
    tied = np.count_nonzero(between) < between.sum() / 2
    return _LevelReach(own, other, at, float(least), float(beyond), bool(tied), *_open_blocks(own, rate, level))


def _counts_in_reach(size: float, rate: float, tail: float) -> tuple[int, int]:
    """Return the least and the greatest count of which neither mid-p tail is below `tail`."""
    counts = _near_counts(size, rate)
    beyond = np.where(counts < size, betainc(counts + 1, np.maximum(size - counts, _SAME), rate), 0.0)  # P(X > k)
    reached = np.where(counts > 0, betainc(np.maximum(counts, _SAME), size - counts + 1, rate), 1.0)  # P(X >= k)
    upper = (beyond + reached) / 2
    inside = counts[(upper > tail) & (1 - upper > tail)]
    if not len(inside):  # a class so small that one count holds nearly everything
        inside = counts[[int(np.argmin(np.abs(upper - 0.5)))]]
    return int(inside[0]), int(inside[-1])


def _near_counts(size: float, rate: float) -> Array:
    """All counts within forty standard deviations of the expected one."""
    spread = 40 * math.sqrt(size * rate * (1 - rate)) + 2
    low, high = max(math.floor(size * rate - spread), 0), min(math.ceil(size * rate + spread), math.floor(size + _SAME))
    return np.arange(low, high + 1, dtype=np.float64)


def _open_blocks(own: Array, rate: float, level: float) -> tuple[int, int]:
    """From the first threshold whose rate may reach the level to the first whose rate certainly does."""
    low, high = wilson(np.minimum(own, own[-1]), own[-1], confidence_level=level)
    none = wilson(0.0, own[-1], confidence_level=level)[1]
    first = -1 if none >= rate else int(np.argmax(high >= rate))
    return first, int(np.argmax(low >= rate)) if (low >= rate).any() else len(own) - 1


def _rate(constraint: Constraint, table: ScoreTable, level: float) -> tuple[float, float, str]:
    """Specificity where sensitivity is held, or seen from the other side the reverse."""
    reach = _reach(constraint, table, level)
    size = float(reach.other[-1])
    if reach.tied:
        fewest = 0.0 if reach.first < 0 else float(reach.other[reach.first])
        low, high = (wilson(size - each, size, confidence_level=level) for each in (reach.other[reach.last], fewest))
        return float(low[0]), float(high[1]), _TIES
    value = 1 - float(reach.other[reach.at]) / size
    wide = wilson(size - reach.other[reach.at], size, confidence_level=level)
    return *_together(value, (1 - reach.most / size, 1 - reach.least / size), _floats(wide)), _MOVER


def _precision(
    constraint: Constraint, table: ScoreTable, fixed_classes: bool, level: float
) -> tuple[float, float, str]:
    """Precision where recall is held; a case-control study chose the class sizes, so that only the rates are open."""
    reach = _reach(constraint, table, level)
    tp, size = float(reach.own[reach.at]), float(reach.other[-1])
    if fixed_classes:
        low, high, how = _rate(constraint, table, level)
        return _share(tp, size * (1 - low)), _share(tp, size * (1 - high)), how
    if reach.tied:
        span = slice(max(reach.first, 0), reach.last + 1)
        ends = wilson(reach.own[span], reach.own[span] + reach.other[span], confidence_level=level)
        return float(np.nanmin(ends[0])), float(np.nanmax(ends[1])), _TIES
    labelled = tp + float(reach.other[reach.at])
    wide = wilson(tp, labelled, confidence_level=level)
    return *_together(tp / labelled, (_share(tp, reach.most), _share(tp, reach.least)), _floats(wide)), _MOVER


def _at_precision(least: float, table: ScoreTable, level: float) -> tuple[float, float, str]:
    """Recall where precision is held: the threshold may lie wherever precision is not clearly above or below it."""
    tp, labelled = np.cumsum(table.positives), np.cumsum(table.positives + table.negatives)
    size = float(tp[-1])
    held = np.flatnonzero(tp >= least * (1 - 1e-12) * labelled)
    at = -1 if not len(held) or tp[held[-1]] <= 0 else int(held[np.argmax(tp[held])])
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.nan_to_num((tp / labelled - least) / np.sqrt(least * (1 - least) / labelled))
    far, near = _walk_down(gap, at, quantile(level)), _walk_up(gap, at, quantile(level))
    found = 0.0 if at < 0 else float(tp[at])
    ends = (0.0 if near < 0 else float(tp[near])), (0.0 if far < 0 else float(tp[far]))
    if found / size < _FLAT:
        low, high = wilson(ends[0], size, confidence_level=level)[0], wilson(ends[1], size, confidence_level=level)[1]
        return float(low), float(high), _NOWHERE if at < 0 else _NEARLY_FLAT
    value, wide = found / size, _floats(wilson(found, size, confidence_level=level))
    rho = math.sqrt((1 - least) * (1 - value))
    return *_together(value, (ends[0] / size, ends[1] / size), wide, rho), _MOVER


def _walk_down(gap: Array, at: int, z: float) -> int:
    """Return the last block, from the chosen one on, up to which precision is never clearly below the level."""
    below = np.flatnonzero(gap[at + 1 :] < -z)
    return at + int(below[0]) if len(below) else len(gap) - 1


def _walk_up(gap: Array, at: int, z: float) -> int:
    """Return the last block, from the chosen one back, with precision clearly above the level; -1 if nowhere."""
    above = np.flatnonzero(gap[: max(at, 0)] > z)
    return int(above[-1]) if len(above) else -1


def _together(value: float, threshold: Ends, rate: Ends, rho: float = 0.0) -> Ends:
    """Both parts' distances on either side, as the sides of a triangle."""
    down = [max(value - each[0], 0.0) for each in (threshold, rate)]
    up = [max(each[1] - value, 0.0) for each in (threshold, rate)]
    reach = [math.sqrt(a * a + b * b + 2 * rho * a * b) for a, b in (down, up)]
    return value - reach[0], value + reach[1]


def _share(tp: float, fp: float) -> float:
    return tp / (tp + fp)


def _floats(ends: tuple[Array, Array]) -> Ends:
    return float(ends[0]), float(ends[1])
