"""The K x K table as the cells that occur, and its margins: what every metric of decisions is a function of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unconfuse.ingest._old import ClassScores, Codes
from unconfuse.table import Array, Counts


@dataclass(frozen=True, eq=False, repr=False)
class Margins:
    """Right decisions, true and predicted cases of each class, and all cases; arrays may carry leading axes.

    `weighted` is the sum over the cells of `weighting` times count, for metrics that weigh confusions.
    """

    right: Array
    truth: Array
    predicted: Array
    total: Array
    weighting: Array | None = None
    weighted: Array | None = None

    @cached_property
    def counts(self) -> Counts:
        """The 2x2 table of each class against the rest, along the last axis."""
        wrong, missed = self.predicted - self.right, self.truth - self.right
        return Counts(tp=self.right, fp=wrong, fn=missed, tn=self.total[..., None] - self.right - wrong - missed)

    @cached_property
    def pooled(self) -> Counts:
        """All these 2x2 tables added up."""
        c = self.counts
        return Counts(tp=c.tp.sum(axis=-1), fp=c.fp.sum(axis=-1), fn=c.fn.sum(axis=-1), tn=c.tn.sum(axis=-1))


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """The cells of a K x K table that hold cases, by true and then by predicted class."""

    truth: Codes
    predicted: Codes
    count: Array
    n_classes: int

    @classmethod
    def of_matrix(cls, matrix: Array) -> Cells:
        """The cells of a matrix above 0."""
        truth, predicted = np.nonzero(matrix)
        return cls(
            truth.astype(np.int64), predicted.astype(np.int64), matrix[truth, predicted].astype(float), len(matrix)
        )

    @classmethod
    def of_rows(cls, rows: ClassScores, predicted: Codes | None = None) -> Cells:
        """Count the rows; no K x K array is made."""
        size = rows.n_classes
        code = rows.truth * size + (rows.predicted if predicted is None else predicted)
        found, inverse = np.unique(code, return_inverse=True)
        count = np.bincount(inverse, weights=rows.weights, minlength=len(found)).astype(np.float64)
        seen = count > 0
        return cls(found[seen] // size, found[seen] % size, count[seen], size)

    def matrix(self) -> Array:
        """The whole table, rows = truth."""
        dense = np.zeros((*self.count.shape[:-1], self.n_classes, self.n_classes))
        dense[..., self.truth, self.predicted] = self.count
        return dense

    def margins(self, weighting: Array | None = None) -> Margins:
        """What metrics need."""
        right = np.zeros((*self.count.shape[:-1], self.n_classes))
        on = self.truth == self.predicted
        right[..., self.truth[on]] = self.count[..., on]
        truth = _sums(self.truth, self.count, self.n_classes)
        order = np.argsort(self.predicted, kind="stable")
        predicted = _sums(self.predicted[order], self.count[..., order], self.n_classes)
        weighted = None if weighting is None else self.count @ weighting[self.truth, self.predicted]
        return Margins(right, truth, predicted, np.asarray(self.count.sum(axis=-1)), weighting, weighted)

    def with_counts(self, count: Array) -> Cells:
        """The same cells with other counts."""
        return Cells(self.truth, self.predicted, count, self.n_classes)

    def smoothed(self, half: float = 0.5) -> Cells:
        """Half a case of unknown decision added to each class that occurs: a perfect sample is not the truth."""
        dense = self.matrix()
        dense[dense.sum(axis=1) > 0] += half / self.n_classes
        return Cells.of_matrix(dense)


def _sums(code: Codes, count: Array, size: int) -> Array:
    """Sums over cells of the same code; codes ascend."""
    out = np.zeros((*count.shape[:-1], size))
    if len(code):
        first = np.flatnonzero(np.diff(code, prepend=-1))
        out[..., code[first]] = np.add.reduceat(count, first, axis=-1)
    return out


MarginFunction = Callable[[Margins], Array]
_AT_A_TIME = 128
_STEP = 1e-5


def cell_influence(function: MarginFunction, cells: Cells, weighting: Array | None = None) -> Array:
    """Effect of one more case in each cell, by forward differences of second order in the margins.

    Forward only: no margin ever falls below what it holds, so that no metric leaves its domain.
    """
    base = cells.margins(weighting)
    size, total = cells.n_classes, float(base.total)
    slopes = [_slopes(function, base, name) for name in ("right", "truth", "predicted")]
    of_total = _differences(function, base, [_moved(base, total=base.total + s * total * _STEP) for s in (1, 2)], total)
    influence = slopes[1][cells.truth] + slopes[2][cells.predicted] + of_total
    on = cells.truth == cells.predicted
    influence[on] += slopes[0][cells.truth[on]]
    if base.weighted is not None and weighting is not None:
        unit = max(float(base.weighted), total)
        moved = [_moved(base, weighted=base.weighted + s * unit * _STEP) for s in (1, 2)]
        influence += _differences(function, base, moved, unit) * weighting[cells.truth, cells.predicted]
    assert size == base.truth.shape[-1]
    return np.asarray(influence)


def _moved(base: Margins, **changes: Array) -> Margins:
    fields = {name: getattr(base, name) for name in ("right", "truth", "predicted", "total", "weighting", "weighted")}
    return Margins(**{**fields, **changes})


def _differences(function: MarginFunction, base: Margins, moved: Sequence[Margins], unit: float | Array) -> Array:
    start, one, two = (np.asarray(function(each), dtype=np.float64) for each in (base, *moved))
    return np.asarray((4 * one - two - 3 * start) / (2 * _STEP * unit))


def _slopes(function: MarginFunction, base: Margins, name: str) -> Array:
    """The partial derivative by each entry of one margin; 0 where the entry holds nothing."""
    values = getattr(base, name)
    out = np.zeros(len(values))
    held = np.flatnonzero(values > 0)
    for first in range(0, len(held), _AT_A_TIME):
        chosen = held[first : first + _AT_A_TIME]
        moved = []
        for times in (1, 2):
            changed = np.repeat(values[None], len(chosen), axis=0)
            changed[np.arange(len(chosen)), chosen] *= 1 + times * _STEP
            moved.append(_stacked(_moved(base, **{name: changed}), len(chosen)))
        out[chosen] = _differences(function, base, moved, values[chosen])
    return out


def _stacked(margins: Margins, length: int) -> Margins:
    """All margins with the same leading axis."""
    vectors = {
        name: np.broadcast_to(value, (length, value.shape[-1]))
        for name in ("right", "truth", "predicted")
        for value in [getattr(margins, name)]
    }
    weighted = None if margins.weighted is None else np.broadcast_to(margins.weighted, (length,))
    return Margins(
        **vectors, total=np.broadcast_to(margins.total, (length,)), weighting=margins.weighting, weighted=weighted
    )
