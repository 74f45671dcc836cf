"""The convex hull of the ROC curve, which is also the isotonic (PAV) calibration of the scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse.table import Array, ScoreTable, remembered


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
