"""The K x K table as the cells that occur, and its margins: what every metric of decisions is a function of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unconfuse._deprecated import renamed
from unconfuse.table.counts import Array, Counts, counted_by, sums_of_others

Codes = npt.NDArray[np.int64]
_ROUNDING = 1e-13  # what is left of 0 when sums of weights are taken from each other


@dataclass(frozen=True, eq=False, repr=False)
class ClassMargins:
    """For each class its cases that were given it, those that were not, and others that were; arrays may carry leading
    axes. Sums of cells, never differences, which weights that are no whole numbers could bring below 0.

    `weighted` is the sum over the cells of `weighting` times count, for metrics that weigh confusions.
    """

    tp: Array
    fn: Array
    fp: Array
    weighting: Array | None = None
    weighted: Array | None = None

    @cached_property
    def truth(self) -> Array:
        """Cases of each class."""
        return self.tp + self.fn

    @cached_property
    def predicted(self) -> Array:
        """Cases that were given each class."""
        return self.tp + self.fp

    @cached_property
    def errors(self) -> Array:
        """Cases that were not given their class."""
        return np.asarray(self.fn.sum(axis=-1))

    @cached_property
    def total(self) -> Array:
        """All cases."""
        return np.asarray(self.tp.sum(axis=-1) + self.errors)

    @cached_property
    def counts(self) -> Counts:
        """The 2x2 table of each class against the rest, along the last axis."""
        elsewhere = sums_of_others(self.fn) - self.fp  # mistakes in which the class has no part
        elsewhere = np.where(elsewhere > _ROUNDING * self.errors[..., None], elsewhere, 0.0)
        return Counts.from_validated(tp=self.tp, fp=self.fp, fn=self.fn, tn=sums_of_others(self.tp) + elsewhere)

    @cached_property
    def pooled(self) -> Counts:
        """All these 2x2 tables added up."""
        c = self.counts
        return Counts.from_validated(
            tp=c.tp.sum(axis=-1), fp=c.fp.sum(axis=-1), fn=c.fn.sum(axis=-1), tn=c.tn.sum(axis=-1)
        )

    def discordant_pairs(self, first: Array, second: Array) -> Array:
        """Pairs of a case of the first and one of the second margin that are of different classes."""
        return np.asarray((first * sums_of_others(second)).sum(axis=-1))

    right = renamed("tp")
    missed = renamed("fn")
    wrong = renamed("fp")


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionCells:
    """The cells of a K x K table that hold cases, by true and then by predicted class."""

    truth: Codes
    predicted: Codes
    count: Array
    n_classes: int

    @classmethod
    def from_matrix(cls, matrix: Array) -> ConfusionCells:
        """Build the cells of a matrix that are above 0."""
        truth, predicted = np.nonzero(matrix)
        return cls(
            truth.astype(np.int64), predicted.astype(np.int64), matrix[truth, predicted].astype(float), len(matrix)
        )

    @classmethod
    def from_codes(cls, truth: Codes, predicted: Codes, weights: Array | None, n_classes: int) -> ConfusionCells:
        """Count rows by their true and their predicted class; no K x K array is made that is larger than the rows."""
        place, found = truth * n_classes + predicted, np.arange(n_classes**2 if n_classes**2 <= len(truth) else 0)
        if not len(found):
            found, place = np.unique(place, return_inverse=True)
        count = counted_by(place, weights, len(found))
        seen = np.flatnonzero(count > 0)
        return cls(found[seen] // n_classes, found[seen] % n_classes, count[seen], n_classes)

    @classmethod
    def from_counts(cls, counts: Counts) -> ConfusionCells:
        """Four counts as a 2 x 2 table, the positive class second."""
        return cls.from_matrix(np.array([[counts.tn, counts.fp], [counts.fn, counts.tp]], dtype=np.float64))

    def matrix(self) -> Array:
        """Return the whole table, rows = truth."""
        dense = np.zeros((*self.count.shape[:-1], self.n_classes, self.n_classes))
        dense[..., self.truth, self.predicted] = self.count
        return dense

    def one_vs_rest(self, k: int) -> Counts:
        """Return the 2x2 table of class k against the rest: sums of cells, never differences, so none is below 0."""
        own, named = self.truth == k, self.predicted == k
        tp, fp, fn, tn = (
            self.count[..., which].sum(axis=-1) for which in (own & named, ~own & named, own & ~named, ~own & ~named)
        )
        return Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn)

    def margins(self, weighting: Array | None = None) -> ClassMargins:
        """Return the margins that metrics need."""
        right = np.zeros((*self.count.shape[:-1], self.n_classes))
        on = self.truth == self.predicted
        right[..., self.truth[on]] = self.count[..., on]
        truth, predicted, count = self.truth[~on], self.predicted[~on], self.count[..., ~on]
        order = np.argsort(predicted, kind="stable")
        missed = _sums(truth, count, self.n_classes)
        wrong = _sums(predicted[order], count[..., order], self.n_classes)
        weighted = None if weighting is None else self.count @ weighting[self.truth, self.predicted]
        return ClassMargins(right, missed, wrong, weighting, weighted)

    def with_counts(self, count: Array) -> ConfusionCells:
        """Return the same cells with other counts."""
        return ConfusionCells(self.truth, self.predicted, count, self.n_classes)

    def at_shares(self, shares: Array) -> ConfusionCells:
        """Return the same decisions within each class, but with other class shares and as many cases in all.

        >>> ConfusionCells.from_matrix(np.array([[3.0, 1.0], [0.0, 4.0]])).at_shares(np.array([0.25, 0.75])).matrix()
        array([[1.5, 0.5],
               [0. , 6. ]])
        """
        sizes = _sums(self.truth, self.count, self.n_classes)
        total = sizes.sum(axis=-1, keepdims=True)
        factor = np.divide(shares * total, sizes, out=np.zeros_like(sizes), where=sizes > 0)
        return self.with_counts(self.count * factor[..., self.truth])

    def smoothed(self, half: float = 0.5, *, absent: float = 0.0) -> ConfusionCells:
        """Half a case of unknown decision added to each class that occurs: a perfect sample is not the truth.

        `absent` is what is added to a class that is predicted and does not occur.
        """
        dense = self.matrix()
        occurs, predicted = dense.sum(axis=1) > 0, dense.sum(axis=0) > 0
        dense[occurs] += half / self.n_classes
        dense[predicted & ~occurs] += absent / self.n_classes
        return ConfusionCells.from_matrix(dense)


def _sums(code: Codes, count: Array, size: int) -> Array:
    """Sum over cells of the same code; codes ascend."""
    out = np.zeros((*count.shape[:-1], size))
    if len(code):
        first = np.flatnonzero(np.diff(code, prepend=-1))
        out[..., code[first]] = np.add.reduceat(count, first, axis=-1)
    return out
