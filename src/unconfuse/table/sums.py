"""Sums of weights that are never below 0 and do not depend on the order of rows, also where weights are fractions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
_LEVELS = 3  # of about 50 bits less those of the number of rows: far more than a double shows


def sums_of_first(weights: Array, counts: Places) -> tuple[Array, Array]:
    """Sums over the first so many entries of the last axis, for each of the counts, and over the rest.

    Both are added up: a difference of two sums may fall below 0 where weights are no whole numbers.

    >>> sums_of_first(np.array([1., 2., 4.]), np.array([0, 2]))
    (array([0., 3.]), array([7., 4.]))
    """
    if not counts.ndim:
        return np.asarray(weights[..., :counts].sum(axis=-1)), np.asarray(weights[..., counts:].sum(axis=-1))
    zero = np.zeros((*weights.shape[:-1], 1))
    first, rest = (np.concatenate([zero, np.cumsum(each, axis=-1)], axis=-1) for each in (weights, weights[..., ::-1]))
    return first[..., counts], rest[..., weights.shape[-1] - counts]


def sums_on_both_sides(weights: Array) -> tuple[Array, Array]:
    """Sums over the last axis up to each entry, which is counted, and beyond it.

    >>> sums_on_both_sides(np.array([1., 2., 4.]))
    (array([1., 3., 7.]), array([6., 4., 0.]))
    """
    upto, beyond = np.cumsum(weights, axis=-1), np.zeros_like(weights)
    beyond[..., :-1] = np.cumsum(weights[..., :0:-1], axis=-1)[..., ::-1]
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


def summed_by(code: npt.NDArray[np.int64], values: Array, size: int) -> Array:
    """Sums over entries of the same code, to the same bits whatever order the entries are in.

    >>> summed_by(np.array([0, 1, 0]), np.array([.1, .2, .3]), 2)
    array([0.4, 0.2])
    """
    parts = [np.bincount(code, weights=part, minlength=size) for part in _exactly_added(values)]
    return np.asarray(sum(reversed(parts)), dtype=np.float64)


def summed(values: Array) -> float:
    """The sum, to the same bits whatever order the entries are in."""
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
