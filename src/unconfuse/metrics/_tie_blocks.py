"""What the rank metrics share: tie blocks, the ROC convex hull and how a rank metric is declared.

A threshold takes a whole block of tied scores or none of it. A block of weight 0 is no block, so the tables of
bootstrap replicates need not be compacted first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse.metrics import bounds
from unconfuse.metrics._metric import Metric, made
from unconfuse.table import Array, ScoreTable, remembered

EMPTY_CLASS = "one of the classes is empty"
# One table serves every worked example: four photographs, two of them cats, ranked cat, dog, cat, dog.
PHOTOS = ScoreTable(np.array([0.8, 0.6, 0.3, 0.1]), np.array([1.0, 0, 1, 0]), np.array([0.0, 1, 0, 1]))


@dataclass(frozen=True, eq=False)
class RankingPieces:
    """Pieces of the rankings of all replicates, end to end, best scores first; `replicate` is None of one table."""

    positives: Array
    negatives: Array
    replicate: npt.NDArray[np.intp] | None
    shape: tuple[int, ...]

    def total(self, values: Array) -> Array:
        """Return the sum over the pieces of each replicate."""
        if self.replicate is None:
            return np.asarray(values.sum())
        sums = np.bincount(self.replicate, weights=values, minlength=int(np.prod(self.shape)))
        return sums.astype(np.float64, copy=False).reshape(self.shape)

    def each(self, values: Array) -> Array:
        """Repeat the value of each replicate for each of its pieces."""
        return values if self.replicate is None else values.reshape(-1)[self.replicate]


@dataclass(frozen=True, eq=False)
class TieBlocks(RankingPieces):
    """The tie blocks that hold positives, and what lies above each; recall stands still where there are none."""

    tp: Array
    fp: Array
    n_positives: Array
    n_negatives: Array

    @classmethod
    def of(cls, table: ScoreTable) -> TieBlocks:
        """Find the blocks of a table, or of each replicate in a stack of tables."""
        if table.is_single_table:
            there = np.flatnonzero(table.positives > 0)
            own, beside = table.positives[there], table.negatives[there]
            above = np.cumsum(own) - own, np.cumsum(table.negatives)[there] - beside
            return cls(own, beside, None, (), *above, *totals(table))
        both = np.broadcast_arrays(table.positives, table.negatives)
        positives, negatives = (each.reshape(-1, each.shape[-1]) for each in both)
        rows, columns = np.nonzero(positives > 0)
        own, beside = positives[rows, columns], negatives[rows, columns]
        tp, fp = (np.cumsum(each, axis=1)[rows, columns] for each in (positives, negatives))
        shape, sizes = both[0].shape[:-1], (each.sum(axis=-1) for each in both)
        return cls(own, beside, rows if shape else None, shape, tp - own, fp - beside, *sizes)


def hulls_of(table: ScoreTable) -> RankingPieces:
    """Segments of the hulls; the share of positives in one is the isotonic estimate of P(positive) at its scores."""
    found = segments_of(table)
    shape, counts = found.counts.shape, found.counts.reshape(-1)
    return RankingPieces(
        found.positives, found.negatives, np.repeat(np.arange(counts.size), counts) if shape else None, shape
    )


def segments_of(table: ScoreTable) -> _kernels.HullSegments:
    """Return the segments of the hulls as the kernel finds them; several metrics, curves and pictures look at them."""
    return remembered(table, "hull", lambda: _kernels.hull_segments(table.positives, table.negatives))


def hull_segments(positives: Array, negatives: Array) -> tuple[Array, Array]:
    """Positives and negatives in each segment of the hull of one table, best scores first."""
    found = _kernels.hull_segments(positives, negatives)
    return found.positives, found.negatives


def by_kernel(name: str, table: ScoreTable) -> Array:
    """Compute a metric that the compiled kernels know, of a table or of each replicate."""
    return remembered(table, name, lambda: _by_kernel((name,), table)[name])


def compute_together(table: ScoreTable, names: Iterable[str]) -> None:
    """Compute those of these metrics that the kernels know in one go; `by_kernel` then finds them."""
    known = vars(table).get("_remembered", {})
    missing = [name for name in _kernels.RANK_METRICS if name in set(names) and name not in known]
    for name, value in (_by_kernel(missing, table) if missing else {}).items():
        remembered(table, name, partial(np.asarray, value))


def _by_kernel(names: Iterable[str], table: ScoreTable) -> dict[str, Array]:
    if list(names) == ["auroc"] and table.from_cases is not None:
        return {"auroc": np.asarray(_kernels.auroc_of_counts(table.from_cases))}
    return _kernels.rank_metrics(table.positives, table.negatives, names, n_threads=None)


def cumulated(table: ScoreTable) -> tuple[Array, Array]:
    """Return the true and false positives with the threshold at each score."""
    return np.cumsum(table.positives, axis=-1), np.cumsum(table.negatives, axis=-1)


def totals(table: ScoreTable) -> tuple[Array, Array]:
    """Return the weight of each class."""
    if table.is_single_table:
        return np.asarray(table.n_positives), np.asarray(table.n_negatives)
    return remembered(table, "totals", lambda: (table.positives.sum(axis=-1), table.negatives.sum(axis=-1)))


def rank_metric(name: str, *, function: Callable[[ScoreTable], Any] | None = None, **declared: Any) -> Metric:
    """Declare a metric of ranks: NaN where a class is empty, kept inside its range.

    Without a function it is the kernel that it names, or that of its own name.
    """
    limits = declared.setdefault("range", (0.0, 1.0))
    kernel = declared.pop("kernel", "" if function else name)
    compute = partial(by_kernel, kernel) if function is None else function

    def guarded(table: ScoreTable) -> Array:
        positives, negatives = totals(table)
        defined = (positives > 0) & (negatives > 0)
        if not np.any(defined):
            return np.full(np.shape(defined), np.nan)
        return np.where(defined, np.clip(compute(table), *limits), np.nan)

    usual = {"of": "ranks", "undefined": EMPTY_CLASS, "bounds": bounds.by_extremes} | (
        {"kernel": kernel} if kernel else {}
    )
    return made(name, guarded, PHOTOS, **(usual | declared))


def constant(value: float) -> Callable[[Array, Array], Array]:
    """Return a baseline that depends on nothing."""
    return lambda prevalence, queue_rate: np.full(np.broadcast_shapes(prevalence.shape, queue_rate.shape), value)


def at_prevalence(prevalence: Array, queue_rate: Array) -> Array:
    """Return the baseline of precision-like metrics: a useless ranking is right as often as positives occur."""
    return np.broadcast_to(prevalence, np.broadcast_shapes(prevalence.shape, queue_rate.shape))
