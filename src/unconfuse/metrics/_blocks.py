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
from unconfuse.metrics._definition import Metric
from unconfuse.table import Array, ScoreTable, remembered

EMPTY_CLASS = "one of the classes is empty"
# One table serves every worked example: four photographs, two of them cats, ranked cat, dog, cat, dog.
PHOTOS = ScoreTable(np.array([0.8, 0.6, 0.3, 0.1]), np.array([1.0, 0, 1, 0]), np.array([0.0, 1, 0, 1]))


@dataclass(frozen=True)
class Blocks:
    """The tie blocks that hold positives, of all replicates end to end, and what lies above each.

    Areas over recall need no other blocks: recall stands still where there are no positives.
    """

    tp: Array
    fp: Array
    positives: Array
    negatives: Array
    replicate: npt.NDArray[np.intp] | None
    shape: tuple[int, ...]
    n_positives: Array
    n_negatives: Array

    @classmethod
    def of(cls, table: ScoreTable) -> Blocks:
        """The blocks of a table, or of each replicate in a stack of tables."""
        positives, negatives = np.broadcast_arrays(table.positives, table.negatives)
        totals = positives.sum(axis=-1), negatives.sum(axis=-1)
        if positives.ndim == 1:
            where = np.flatnonzero(positives > 0)
            own, beside = positives[where], negatives[where]
            above = np.cumsum(own) - own, np.cumsum(negatives)[where] - beside
            return cls(*above, own, beside, None, (), *totals)
        shape = positives.shape[:-1]
        positives, negatives = (each.reshape(-1, each.shape[-1]) for each in (positives, negatives))
        rows, columns = np.nonzero(positives)
        own, beside = positives[rows, columns], negatives[rows, columns]
        tp = np.cumsum(positives, axis=1)[rows, columns] - own
        fp = np.cumsum(negatives, axis=1)[rows, columns] - beside
        return cls(tp, fp, own, beside, rows, shape, *totals)

    def total(self, values: Array) -> Array:
        """The sum over the blocks of each replicate."""
        if self.replicate is None:
            return np.asarray(values.sum())
        size = int(np.prod(self.shape))
        sums: Array = np.bincount(self.replicate, weights=values, minlength=size).astype(np.float64, copy=False)
        return sums.reshape(self.shape)

    def each(self, values: Array) -> Array:
        """A value of each replicate, repeated for each of its blocks."""
        return values if self.replicate is None else values.reshape(-1)[self.replicate]


@dataclass(frozen=True, eq=False)
class Hulls:
    """The segments of the hulls of all replicates, end to end, best scores first.

    The share of positives in a segment is the isotonic estimate of P(positive) for all its scores.
    """

    positives: Array
    negatives: Array
    counts: npt.NDArray[np.int64]

    def total(self, values: Array) -> Array:
        """The sum over the segments of each replicate."""
        if not self.counts.shape:
            return np.asarray(values.sum())
        sums = np.bincount(self._replicate, weights=values, minlength=self.counts.size)
        return sums.astype(np.float64, copy=False).reshape(self.counts.shape)

    def each(self, values: Array) -> Array:
        """A value of each replicate, repeated for each of its segments."""
        return values if not self.counts.shape else values.reshape(-1)[self._replicate]

    @property
    def _replicate(self) -> npt.NDArray[np.intp]:
        return np.repeat(np.arange(self.counts.size), self.counts.reshape(-1))


def hulls_of(table: ScoreTable) -> Hulls:
    """The hull of a table, or of each replicate in a stack of tables; several metrics share it."""
    return remembered(table, "hull", lambda: _hulls(table.positives, table.negatives))


def _hulls(positives: Array, negatives: Array) -> Hulls:
    found = _kernels.hull_segments(positives, negatives)
    return Hulls(found.positives, found.negatives, found.counts)


def hull_points(positives: Array, negatives: Array) -> tuple[Array, Array]:
    """True and false positives at the corners of the ROC curve's upper convex hull, from (0, 0) on."""
    tp, fp = (np.append(0.0, np.cumsum(each)) for each in hull_segments(positives, negatives))
    return tp, fp


def hull_segments(positives: Array, negatives: Array) -> tuple[Array, Array]:
    """Positives and negatives in each segment of the hull of one table, best scores first.

    Examples
    --------
    >>> hull_segments(np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1]))
    (array([1., 1., 0.]), array([0., 1., 1.]))
    """
    found = _hulls(positives, negatives)
    return found.positives, found.negatives


def by_kernel(name: str, table: ScoreTable) -> Array:
    """A metric that the compiled kernels know, of a table or of each replicate."""
    return remembered(table, name, lambda: _by_kernel((name,), table)[name])


def compute_together(table: ScoreTable, names: Iterable[str]) -> None:
    """Compute those of these metrics that the kernels know in one go; `by_kernel` then finds them."""
    known = vars(table).get("_remembered", {})
    missing = [name for name in _kernels.RANK_METRICS if name in set(names) and name not in known]
    for name, value in (_by_kernel(missing, table) if missing else {}).items():
        remembered(table, name, partial(np.asarray, value))


def _by_kernel(names: Iterable[str], table: ScoreTable) -> dict[str, Array]:
    return _kernels.rank_metrics(table.positives, table.negatives, names, n_threads=None)


def cumulated(table: ScoreTable) -> tuple[Array, Array]:
    """True and false positives with the threshold at each score."""
    return np.cumsum(table.positives, axis=-1), np.cumsum(table.negatives, axis=-1)


def totals(table: ScoreTable) -> tuple[Array, Array]:
    """The weight of each class."""
    if table.positives.ndim == table.negatives.ndim == 1:
        return np.asarray(table.n_positives), np.asarray(table.n_negatives)
    return remembered(table, "totals", lambda: (table.positives.sum(axis=-1), table.negatives.sum(axis=-1)))


def ranking(**declared: Any) -> Callable[[Callable[[ScoreTable], Any]], Metric]:
    """Declare a rank metric: NaN where a class is empty, rounding kept inside the range."""

    def declare(function: Callable[[ScoreTable], Any]) -> Metric:
        return rank_metric(**{"name": function.__name__, "function": function, **declared})

    return declare


def rank_metric(*, function: Callable[[ScoreTable], Any] | None = None, **declared: Any) -> Metric:
    """A metric of ranks from its function, or from the name of its kernel, and the rest of its declaration."""
    low, high = declared.setdefault("range", (0.0, 1.0))
    compute = partial(by_kernel, declared["kernel"]) if function is None else function

    def guarded(table: ScoreTable) -> Array:
        positives, negatives = totals(table)
        defined = (positives > 0) & (negatives > 0)
        if not np.any(defined):
            return np.full(np.shape(defined), np.nan)
        return np.where(defined, np.clip(compute(table), low, high), np.nan)

    return Metric(**{"of": "ranks", "undefined": EMPTY_CLASS, **declared, "function": guarded})


def constant(value: float) -> Callable[[Array, Array], Array]:
    """A baseline that depends on nothing."""
    return lambda prevalence, queue_rate: np.full(np.broadcast_shapes(prevalence.shape, queue_rate.shape), value)


def at_prevalence(prevalence: Array, queue_rate: Array) -> Array:
    """The baseline of precision-like metrics: a useless ranking is right as often as positives occur."""
    return np.broadcast_to(prevalence, np.broadcast_shapes(prevalence.shape, queue_rate.shape))
