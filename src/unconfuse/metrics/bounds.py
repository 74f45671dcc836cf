"""What a binned table says for certain: the values that exact tables behind it can have, for each kind of metric.

An exact table is compatible with a binned one if each of its cases lies in a block and the blocks hold what their cases
weigh. A metric declares which of these ways bounds it over all compatible tables; `docs/binned-tables.md` proves them.
A way takes (metric, table, threshold) and gives (lowest, highest); NaN stands for an end of which nothing is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unconfuse.table import Array, Counts, ScoreTable

if TYPE_CHECKING:
    from unconfuse.metrics._metric import Metric

Bound = tuple[float, float]
ROUNDING = 1e-12  # sums are rounded; a bound leaves room for that
_CLOSE = 1 + ROUNDING  # sums are rounded: what is this close to a level may lie on either side of it


def certain_bound(metric: Metric, table: ScoreTable, threshold: float | None) -> Bound:
    """Between which values a metric certainly lies, by the way that it declares; NaN if that is not known."""
    known = _known_exactly(metric, table, threshold)
    if known is not None:
        return float(known), float(known)
    if metric.bounds is None:
        return np.nan, np.nan
    with np.errstate(divide="ignore", invalid="ignore"):  # of an empty class nothing is known: NaN is the answer
        low, high = metric.bounds(metric, table, threshold)
    if np.isnan(low) and np.isnan(high) and metric.of != "counts":
        return low, high
    low, high = (end if np.isnan(each) else each for each, end in zip((low, high), metric.range, strict=True))
    slack = [0.0 if np.isinf(each) else ROUNDING * max(abs(each), 1.0) for each in (low, high)]
    return max(low - slack[0], metric.range[0]), min(high + slack[1], metric.range[1])


def _known_exactly(metric: Metric, table: ScoreTable, threshold: float | None) -> Array | None:
    """Return the value if binning has not touched it, else None."""
    if metric.of == "counts" and threshold is not None:
        least, most = table.counts_between(threshold)
        return metric(least) if least == most else None
    return metric(table) if table.is_exact else None


def by_corners(metric: Any, table: ScoreTable, threshold: float | None) -> Bound:
    """For metrics of counts that rise or fall steadily in TP and in FP: the corners of what the counts can be."""
    if threshold is None:
        raise TypeError("a metric of counts is bounded at a threshold")
    least, most = table.counts_between(threshold)
    tp, fn = (np.array([least_of, least_of, most_of, most_of]) for least_of, most_of in _pairs(least, most, "tp", "fn"))
    fp, tn = (np.array([least_of, most_of, least_of, most_of]) for least_of, most_of in _pairs(least, most, "fp", "tn"))
    values = metric(Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn))
    return (np.nan, np.nan) if np.isnan(values).any() else (float(values.min()), float(values.max()))


def _pairs(least: Counts, most: Counts, *cells: str) -> list[tuple[Array, Array]]:
    return [(getattr(least, cell), getattr(most, cell)) for cell in cells]


def by_extremes(metric: Any, table: ScoreTable, threshold: float | None = None) -> Bound:
    """For metrics that only gain when positives move up and negatives down: the worst and the best of all tables."""
    worst, best = (float(metric(extreme)) for extreme in table.extremes)
    return min(worst, best), max(worst, best)


def by_best_threshold(metric: Any, table: ScoreTable, threshold: float | None = None) -> Bound:
    """For the best value over thresholds: every compatible table can be cut between blocks, and none does better
    than one that has all positives of each block above its negatives (or below, where the sign does not count)."""
    tied, (worst, best) = float(metric(table)), (float(metric(extreme)) for extreme in table.extremes)
    return tied, float(np.fmax(worst, best))


def by_best_correlation(metric: Any, table: ScoreTable, threshold: float | None = None) -> Bound:
    """Bound the best MCC over thresholds, which nears 0 from below as fewer and fewer negatives are labelled first."""
    tied, highest = by_best_threshold(metric, table)
    return tied, float(np.fmax(highest, 0.0))


def average_precision(metric: Any, table: ScoreTable, threshold: float | None = None) -> Bound:
    """Worst: negatives first, and then the positives one by one, however little each of them weighs."""
    blocks = _WeightedBlocks(table)
    tied = blocks.p * _share(blocks.tp + blocks.p, blocks.fp + blocks.n)
    lowest = np.where(blocks.exact, tied, _area(blocks.tp, blocks.p, blocks.fp + blocks.n))
    return float(lowest.sum() / table.n_positives), float(metric(table.extremes[1]))


def area_by_trapezoids(metric: Any, table: ScoreTable, threshold: float | None = None) -> Bound:
    """Worst: negatives first, then all positives at once. Best: positives first, one by one (the curve is concave)."""
    blocks = _WeightedBlocks(table)
    above = blocks.tp + blocks.fp
    before = np.divide(blocks.tp, above, out=np.ones_like(above), where=above > 0)
    tied = blocks.p * (before + _share(blocks.tp + blocks.p, blocks.fp + blocks.n)) / 2
    highest = np.where(blocks.exact, tied, _area(blocks.tp, blocks.p, blocks.fp))
    return float(metric(table.extremes[0])), float(highest.sum() / table.n_positives)


def area_by_units(metric: Any, table: ScoreTable, threshold: float | None = None) -> Bound:
    """Davis and Goadrich's area: the extremes, and what chords over steps of at most 1 positive can cut off."""
    blocks = _WeightedBlocks(table)
    worst, best = (float(metric(extreme)) for extreme in table.extremes)
    lost = [np.float64(blocks.cut_off(beside)) / table.n_positives for beside in (blocks.fp + blocks.n, blocks.fp)]
    return worst - lost[0], best + lost[1]


def precision_at_level(level: float, metric: Any, table: ScoreTable, threshold: float | None = None) -> Bound:
    """Precision where B crosses a level: B between its limits tells the blocks in which it can cross."""
    blocks = _WeightedBlocks(table)
    sure = (blocks.tp + blocks.p / 2) * blocks.p + blocks.n * blocks.tp
    pairs = level * table.n_positives * np.cumsum(blocks.p + blocks.n)
    fewest, most = (np.cumsum(sure + np.where(blocks.exact, 0.5, share) * blocks.p * blocks.n) for share in (0.0, 1.0))
    if most[-1] * _CLOSE < pairs[-1]:
        return np.nan, np.nan
    inside, outside = int((most * _CLOSE <= pairs).sum()), int((fewest <= pairs * _CLOSE).sum())  # sets of whole blocks
    low, high = blocks.precision_between(inside, outside)
    return (float(low.min()), float(high.max())) if len(low) else (np.nan, np.nan)


def calibration_error(bins_of: Any, metric: Any, table: ScoreTable, threshold: float | None = None) -> Bound:
    """ECE: the gap of each bin between its limits; a block that can lie in two bins counts with its largest gap."""
    first, last, n_bins = bins_of(table)
    whole, weight = first == last, table.positives + table.negatives
    gaps = [
        np.bincount(first[whole], (table.positives - weight * end)[whole], n_bins)
        for end in (table.upper_edges, table.score)
    ]
    loose = float((table.positives * (1 - table.score) + table.negatives * table.upper_edges)[~whole].sum())
    nearest = np.maximum(np.maximum(gaps[0], -gaps[1]), 0.0).sum()
    farthest = np.maximum(np.abs(gaps[0]), np.abs(gaps[1])).sum()
    return max(nearest - loose, 0.0) / table.n, (farthest + loose) / table.n


class _WeightedBlocks:
    """The blocks that have weight, with what lies above each."""

    def __init__(self, table: ScoreTable) -> None:
        there = (table.positives + table.negatives) > 0
        self.p, self.n = table.positives[there], table.negatives[there]
        self.tp, self.fp = np.cumsum(self.p) - self.p, np.cumsum(self.n) - self.n
        self.exact: npt.NDArray[np.bool_] = (table.upper_edges == table.score)[there]

    def cut_off(self, beside: Array) -> float:
        """At most this much lies between the area under t/(t + beside) and under chords of steps of at most 1."""
        rise = _share(self.tp + self.p, beside) - _share(self.tp, beside)
        steps = np.minimum(self.p, 1.0) / 2
        return float((steps * rise)[~self.exact & (self.p > 0) & (beside > 0)].sum())

    def precision_between(self, inside: int, outside: int) -> tuple[Array, Array]:
        """Lowest and highest precision of sets that hold the first `inside` blocks, but not `outside` + 1 of them."""
        at = slice(inside, outside + 1)
        p, n, tp, fp, exact = self.p[at], self.n[at], self.tp[at], self.fp[at], self.exact[at]
        end = _share(tp + p, fp + n)
        low, high = np.where(exact, end, _share(tp, fp + n)), np.where(exact, end, _share(tp + p, fp))
        high = np.where(~exact & (tp + p == 0), 0.0, high)
        possible = ~exact | (np.arange(len(p)) + inside < outside)
        low, high = low[possible], high[possible]
        if inside:
            sure = _share(self.tp[inside - 1 : inside] + self.p[inside - 1], self.fp[inside - 1] + self.n[inside - 1])
            low, high = np.append(low, sure), np.append(high, sure)
        return low, high


def _share(positives: Array, negatives: Array) -> Array:
    """Precision; 1 of nothing, since where it is asked for, only positives can follow."""
    total = positives + negatives
    return np.divide(positives, total, out=np.ones_like(total), where=total > 0)


def _area(tp: Array, p: Array, fp: Array) -> Array:
    """Return the integral of t/(t + fp) over t from tp to tp + p."""
    total = tp + fp
    x = np.divide(p, total, out=np.zeros_like(total), where=total > 0)
    return p - fp * np.log1p(x)
