"""The K x K table as the cells that occur, and its margins: what every metric of decisions is a function of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unconfuse.table.counts import Array, Counts

Codes = npt.NDArray[np.int64]


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
    def of_codes(cls, truth: Codes, predicted: Codes, weights: Array | None, n_classes: int) -> Cells:
        """Count rows by their true and their predicted class; no K x K array is made."""
        found, inverse = np.unique(truth * n_classes + predicted, return_inverse=True)
        count = np.bincount(inverse, weights=weights, minlength=len(found)).astype(np.float64)
        seen = count > 0
        return cls(found[seen] // n_classes, found[seen] % n_classes, count[seen], n_classes)

    @classmethod
    def of_counts(cls, counts: Counts) -> Cells:
        """Four counts as a 2 x 2 table, the positive class second."""
        return cls.of_matrix(np.array([[counts.tn, counts.fp], [counts.fn, counts.tp]], dtype=np.float64))

    def matrix(self) -> Array:
        """The whole table, rows = truth."""
        dense = np.zeros((*self.count.shape[:-1], self.n_classes, self.n_classes))
        dense[..., self.truth, self.predicted] = self.count
        return dense

    def of_class(self, k: int) -> Counts:
        """The 2x2 table of class k against the rest: sums of cells, never differences, so that none is below 0."""
        own, named = self.truth == k, self.predicted == k
        tp, fp, fn, tn = (
            self.count[..., which].sum(axis=-1) for which in (own & named, ~own & named, own & ~named, ~own & ~named)
        )
        return Counts(tp=tp, fp=fp, fn=fn, tn=tn)

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
