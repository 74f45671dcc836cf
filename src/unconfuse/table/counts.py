"""Four counts: one 2x2 table, or an array of them. And the sums of weights that they are: never below 0, and whatever
order the rows are in, also where weights are fractions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError, InputError
from unconfuse._validate import broadcast, check_count, public_api

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
_FEW = 64  # times as many weights as places, from where on sums at every weight are wasted
_LEVELS = 3  # of about 50 bits less those of the number of rows: far more than a double shows


@public_api
@dataclass(frozen=True, eq=False, repr=False)
class Counts:
    """True and false positives and negatives: one 2x2 table, or an array of them.

    Parameters
    ----------
    tp, fp, fn, tn : array_like
        Counts (or sums of weights), 0 or more; they are broadcast against each other.

    Examples
    --------
    >>> Counts(tp=141, fp=0, fn=67, tn=31)
    Counts(tp=141, fp=0, fn=67, tn=31)
    >>> Counts(tp=[1, 2], fp=0, fn=3, tn=4).positives
    array([4., 5.])
    """

    tp: Array
    fp: Array
    fn: Array
    tn: Array

    def __init__(self, *, tp: npt.ArrayLike, fp: npt.ArrayLike, fn: npt.ArrayLike, tn: npt.ArrayLike) -> None:
        cells = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        self._fill({name: check_count(cell, name) for name, cell in cells.items()})

    @classmethod
    def from_validated(cls, *, tp: npt.ArrayLike, fp: npt.ArrayLike, fn: npt.ArrayLike, tn: npt.ArrayLike) -> Counts:
        """Build counts from cells that were computed here: not checked again, and NaN where they are unknown."""
        counts = object.__new__(cls)
        counts._fill({"tp": tp, "fp": fp, "fn": fn, "tn": tn})
        return counts

    def _fill(self, cells: dict[str, Any]) -> None:
        try:
            arrays = [np.asarray(cell, dtype=np.float64) for cell in cells.values()]
            same = arrays if len({each.shape for each in arrays}) == 1 else np.broadcast_arrays(*arrays)
        except ValueError:
            shapes = ", ".join(f"{name} {np.shape(cell)}" for name, cell in cells.items())
            raise InputError(f"the four counts do not fit each other; their shapes are {shapes}.") from None
        for name, cell in zip(cells, same, strict=True):
            object.__setattr__(self, name, cell)

    @cached_property
    def positives(self) -> Array:
        """Members of the positive class, TP + FN."""
        return self.tp + self.fn

    @cached_property
    def negatives(self) -> Array:
        """Members of the negative class, FP + TN."""
        return self.fp + self.tn

    @cached_property
    def labelled_positive(self) -> Array:
        """Cases called positive, TP + FP."""
        return self.tp + self.fp

    @cached_property
    def labelled_negative(self) -> Array:
        """Cases called negative, FN + TN."""
        return self.fn + self.tn

    @cached_property
    def total(self) -> Array:
        """All cases."""
        return self.positives + self.negatives

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the leading axes; `()` for a single table."""
        return self.tp.shape

    @classmethod
    def from_rates(cls, *, prevalence: npt.ArrayLike, sensitivity: npt.ArrayLike, specificity: npt.ArrayLike) -> Counts:
        """Return the joint probabilities (a table that sums to 1) of a test with these rates at this prevalence."""
        pi, se, sp = _rates(prevalence=prevalence, sensitivity=sensitivity, specificity=specificity)
        return cls.from_validated(tp=pi * se, fp=(1 - pi) * (1 - sp), fn=pi * (1 - se), tn=(1 - pi) * sp)

    @classmethod
    def expected_by_chance(cls, *, prevalence: npt.ArrayLike, queue_rate: npt.ArrayLike) -> Counts:
        """Return the table of a useless classifier: its label is independent of the truth."""
        (rate,) = _rates(queue_rate=queue_rate)
        return cls.from_rates(prevalence=prevalence, sensitivity=rate, specificity=1 - rate)

    def at_prevalence(self, prevalence: npt.ArrayLike) -> Counts:
        """Return the same sensitivity and specificity at another prevalence, as joint probabilities."""
        (pi,) = _rates(prevalence=prevalence)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            positive, negative = pi / self.positives, (1 - pi) / self.negatives
            return Counts.from_validated(
                tp=self.tp * positive, fp=self.fp * negative, fn=self.fn * positive, tn=self.tn * negative
            )

    def scaled(self, factor: npt.ArrayLike) -> Counts:
        """All four cells multiplied."""
        size = check_count(factor, "factor")
        return Counts.from_validated(tp=self.tp * size, fp=self.fp * size, fn=self.fn * size, tn=self.tn * size)

    def as_dict(self) -> dict[str, Any]:
        """Return the four cells as plain numbers (or lists of them)."""
        return {name: getattr(self, name).tolist() for name in ("tp", "fp", "fn", "tn")}

    def __getitem__(self, index: Any) -> Counts:
        return Counts.from_validated(tp=self.tp[index], fp=self.fp[index], fn=self.fn[index], tn=self.tn[index])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return all(np.array_equal(getattr(self, k), getattr(other, k)) for k in ("tp", "fp", "fn", "tn"))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self.shape:
            return f"Counts(shape={self.shape})"
        return "Counts(" + ", ".join(f"{k}={v:g}" for k, v in self.as_dict().items()) + ")"

    of_rates = renamed("from_rates")
    by_chance = renamed("expected_by_chance")
    times = renamed("scaled")


def _rates(**rates: npt.ArrayLike) -> list[Array]:
    """Shares of one shape; NaN where one is unknown."""
    found = broadcast(rates)
    for name, rate in zip(rates, found, strict=True):
        if ((rate < 0) | (rate > 1)).any():
            raise ArgumentError(f"`{name}` must lie between 0 and 1.")
    return found


def sums_of_first(weights: Array, counts: Places) -> tuple[Array, Array]:
    """Sum over the first so many entries of the last axis, for each of the counts, and over the rest.

    Both are added up: a difference of two sums may fall below 0 where weights are no whole numbers.

    >>> sums_of_first(np.array([1., 2., 4.]), np.array([0, 2]))
    (array([0., 3.]), array([7., 4.]))
    """
    if not counts.ndim:
        return np.asarray(weights[..., :counts].sum(axis=-1)), np.asarray(weights[..., counts:].sum(axis=-1))
    if weights.ndim == 1 and counts.size * _FEW < len(weights):
        return _sums_of_few(weights, counts)
    zero = np.zeros((*weights.shape[:-1], 1))
    first, rest = (np.concatenate([zero, np.cumsum(each, axis=-1)], axis=-1) for each in (weights, weights[..., ::-1]))
    return first[..., counts], rest[..., weights.shape[-1] - counts]


def _sums_of_few(weights: Array, counts: Places) -> tuple[Array, Array]:
    """Sum as `sums_of_first` does over a long row for few counts: what lies between them is added up first."""
    places, back = np.unique(np.concatenate([[0, len(weights)], counts.reshape(-1)]), return_inverse=True)
    parts = np.add.reduceat(weights, places[:-1])
    zero, at = np.zeros(1), back[2:].reshape(counts.shape)
    first, rest = (np.concatenate([zero, np.cumsum(each)]) for each in (parts, parts[::-1]))
    return first[at], rest[len(parts) - at]


def sums_on_both_sides(weights: Array) -> tuple[Array, Array]:
    """Sum over the last axis up to and including each entry, and beyond it.

    >>> sums_on_both_sides(np.array([1., 2., 4.]))
    (array([1., 3., 7.]), array([6., 4., 0.]))
    """
    upto, beyond = np.cumsum(weights, axis=-1), np.empty(weights.shape)
    beyond[..., -1:] = 0.0
    np.cumsum(weights[..., :0:-1], axis=-1, out=beyond[..., :-1][..., ::-1])
    return upto, beyond


def sums_of_others(values: Array, axis: int = -1) -> Array:
    """For each entry along an axis, the sum of all others: added up, not taken from the total, so never below 0.

    >>> sums_of_others(np.array([1., 2., 4.]))
    array([6., 5., 3.])
    """
    along = np.moveaxis(values, axis, -1)
    zero = np.zeros((*along.shape[:-1], 1))
    before = np.concatenate([zero, np.cumsum(along[..., :-1], axis=-1)], axis=-1)
    after = np.concatenate([zero, np.cumsum(along[..., :0:-1], axis=-1)], axis=-1)[..., ::-1]
    return np.moveaxis(before + after, -1, axis)


def summed_by(code: npt.NDArray[Any], values: Array, size: int) -> Array:
    """Sum over entries of the same code, to the same bits whatever order the entries are in.

    >>> summed_by(np.array([0, 1, 0]), np.array([.1, .2, .3]), 2)
    array([0.4, 0.2])
    """
    parts = [np.bincount(code, weights=part, minlength=size) for part in _exactly_added(values)]
    return np.asarray(sum(reversed(parts)), dtype=np.float64)


def counted_by(code: npt.NDArray[Any], weights: Array | None, size: int) -> Array:
    """How many cases have each code, also where a row stands for a part of one or for several."""
    return np.bincount(code, minlength=size).astype(np.float64) if weights is None else summed_by(code, weights, size)


def summed(values: Array) -> float:
    """Return the sum, to the same bits whatever order the entries are in."""
    return float(sum(part.sum() for part in reversed(_exactly_added(values))))


def _exactly_added(values: Array) -> list[Array]:
    """Arrays that add up to the values, of which any sum is exact, and so does not depend on the order.

    Adding and taking away a power of two rounds all entries to the same last bit, which no sum of them loses.
    """
    rest, parts = np.asarray(values, dtype=np.float64), []
    for _ in range(_LEVELS):
        largest = float(np.abs(rest).max(initial=0.0))
        if largest == 0 or not np.isfinite(largest) or largest > 1e290:
            break
        anchor = 2.0 ** (np.ceil(np.log2(largest * len(rest))) + 1)
        parts.append((rest + anchor) - anchor)
        rest = rest - parts[-1]
    return parts or [rest]
