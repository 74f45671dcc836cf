"""Points that stand for a distribution of three independent proportions, and the quantiles of a function of them.

A rank-1 lattice spreads the points evenly over the unit cube, and each of its axes visits the same equally spaced
probabilities. So the quantiles of a proportion are computed once for each axis and only their order differs.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from numpy.polynomial.chebyshev import chebvander
from scipy.special import betaincinv, expit, ndtr, ndtri

from unconfuse.table import Array

# Multipliers with a small worst-case error in three dimensions, for each number of points.
MULTIPLIER = {1024: 149, 2048: 1423, 4096: 367, 8192: 3295}
_NODES = 20
_EMPTY = 0.02  # a smaller cell counts as empty: its quantiles cannot be told from 0 in double precision


def beta_quantiles(a: Array, b: Array, size: int) -> Array:
    """Quantiles of Beta(a, b) at the midpoints of `size` equal parts of (0, 1).

    The log-odds of the quantile is so smooth a function of the normal score that a polynomial through 20 exact values
    gives the rest, at a hundredth of the cost.
    """
    nodes, weights = _interpolation(size)
    swap = (a > b)[..., None]
    small, large = (np.maximum(each, _EMPTY)[..., None] for each in (np.minimum(a, b), np.maximum(a, b)))
    quantile = np.clip(betaincinv(small, large, np.where(swap, 1 - nodes, nodes)), 1e-300, 1 - 1e-16)
    log_odds = np.log(quantile) - np.log1p(-quantile)
    result: Array = expit(np.where(swap, -log_odds, log_odds) @ weights)
    result[a < _EMPTY] = 0.0
    result[b < _EMPTY] = 1.0
    return result


@cache
def _interpolation(size: int) -> tuple[Array, Array]:
    """Probabilities of the nodes, and the matrix that takes values there to the midpoints."""
    scores = ndtri((np.arange(size) + 0.5) / size)
    reach = scores[-1] * 1.001
    nodes = np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)
    weights = np.linalg.solve(chebvander(nodes, _NODES - 1).T, chebvander(scores / reach, _NODES - 1).T)
    return np.asarray(ndtr(nodes * reach)), np.asarray(weights, dtype=np.float64)


@cache
def lattice(n_points: int) -> tuple[npt.NDArray[np.int64], ...]:
    """Which quantile of the first, second and third rate each point takes: evenly spread over the cube."""
    step = MULTIPLIER[n_points]
    return tuple(np.arange(n_points) * power % n_points for power in (1, step, step**2 % n_points))


def equal_tails(values: Array, confidence_level: float) -> tuple[Array, Array]:
    """Both quantiles along the last axis, leaving out undefined values."""
    missing = np.isnan(values)
    count = values.shape[-1] - missing.sum(axis=-1)
    rank = count * (1 - confidence_level) / 2 - 0.5
    if missing.any() or rank.size == 0:
        ordered = np.sort(values, axis=-1)  # NaN goes last
        return _at_rank(ordered, rank, count), _at_rank(ordered, count - 1 - rank, count)
    return _lower_tail(values, float(rank.flat[0])), -_lower_tail(-values, float(rank.flat[0]))


def _lower_tail(values: Array, rank: float) -> Array:
    """The value at a rank that may lie between two, without sorting more than needed."""
    below = max(int(np.floor(rank)), 0)
    above = min(below + 1, values.shape[-1] - 1)
    part = np.partition(values, above, axis=-1)
    left = part[..., : below + 1].max(axis=-1)
    return _between(left, part[..., above], np.asarray(rank - below))


def _at_rank(ordered: Array, rank: Array, count: npt.NDArray[np.int64]) -> Array:
    last = np.maximum(count - 1, 0)
    below = np.clip(np.floor(rank).astype(np.int64), 0, last)
    above = np.minimum(below + 1, last)
    left, right = (np.take_along_axis(ordered, at[..., None], -1)[..., 0] for at in (below, above))
    return _between(left, right, rank - below)


def _between(left: Array, right: Array, share: Array) -> Array:
    """Linear interpolation between neighbours, which may be infinite."""
    with np.errstate(invalid="ignore"):
        inside = left + np.clip(share, 0.0, 1.0) * (right - left)
    return np.where(left == right, left, inside)
