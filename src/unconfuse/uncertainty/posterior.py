"""An interval for any function of a 2x2 table, from the distribution of the three rates behind the table.

Prevalence, sensitivity and specificity are independent proportions, each with its own distribution given the data. A
fixed set of points carries the three through the function, and the interval has equal tails of the result. There is no
random number in it: the same table gives the same interval.

The default distribution, `prior="mid_p"`, is the one whose tails are the mid-p limits of a proportion: half
Beta(x, n - x + 1), half Beta(x + 1, n - x), the posteriors of the two extreme priors. With x = 0 half of its mass is
at 0, so a table without errors is no proof of perfection, but perfection is not ruled out either. A number as `prior`
gives the usual Dirichlet posterior with this many cases added to each cell (1/2: Jeffreys); it always rules it out.

The points are a rank-1 lattice, spread evenly over the unit cube: each of its axes visits the same equally spaced
probabilities, so the quantiles of a proportion are computed once for each axis and only their order differs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numpy.polynomial.chebyshev import chebvander

from unconfuse._errors import ArgumentError
from unconfuse._scipy_special import betaincinv, expit, ndtr, ndtri
from unconfuse.table import Array, Counts
from unconfuse.uncertainty.proportion_intervals import Limits

Function = Callable[[Counts], Array]
Prior = Literal["mid_p"] | float

_CHUNK = 1 << 17  # points held at a time: what stays in the cache
_ROUNDING = 1e-12
# Multipliers with a small worst-case error in three dimensions, for each number of points.
MULTIPLIER = {1024: 149, 2048: 1423, 4096: 367, 8192: 3295}
_NODES = 20
_EMPTY = 0.02  # a smaller cell counts as empty: its quantiles cannot be told from 0 in double precision


def posterior_interval(function: Function, counts: Counts, **settings: Any) -> Limits:
    """Interval of one function of the table; `settings` as in `posterior_intervals`.

    >>> def youden_j(counts):
    ...     return counts.tp / counts.positives + counts.tn / counts.negatives - 1
    >>> low, high = posterior_interval(youden_j, Counts.from_validated(tp=80, fp=10, fn=20, tn=90))
    >>> print(f"{low:.2f} {high:.2f}")
    0.59 0.78
    """
    return posterior_intervals({"": function}, counts, **settings)[""]


def posterior_intervals(
    functions: Mapping[str, Function],
    counts: Counts,
    *,
    confidence_level: float = 0.95,
    fixed_classes: bool = False,
    prior: Prior = "mid_p",
    prevalence: npt.ArrayLike | None = None,
    prevalence_trials: npt.ArrayLike | None = None,
    n_points: int = 4096,
) -> dict[str, Limits]:
    """Intervals of functions of the table from one set of points, for tables with any leading axes.

    Each function takes `Counts` with the total of the given table and returns an array of their shape. `fixed_classes`
    says whether the class sizes were fixed beforehand rather than random; a number as `prior` is added to each of the
    four cells. `prevalence` replaces the sample's: known exactly, or estimated from `prevalence_trials` other cases.
    With 4096 points the limits lie within 1% of the interval's width of the exact ones, mostly within 0.2%; they are
    NaN where the function of the observed table is undefined, and always enclose its value.
    """
    _check(prior, n_points)
    shape = np.broadcast_shapes(counts.shape, np.shape(_or_nan(prevalence)), np.shape(_or_nan(prevalence_trials)))
    observed = counts if prevalence is None else _scaled(counts.at_prevalence(prevalence), counts.total)
    known = _flat(_or_nan(_known_prevalence(counts, fixed_classes, prevalence)), shape)
    trials = _flat(_or_nan(prevalence_trials), shape)

    tables, step = _flat_counts(counts, shape), max(1, _CHUNK // n_points)
    parts: dict[str, list[Limits]] = {name: [] for name in functions}
    with np.errstate(divide="ignore", invalid="ignore"):
        for start in range(0, max(tables.tp.size, 1), step):
            rows = slice(start, start + step)
            points = _shared_points(tables[rows], known[rows], trials[rows], prior, n_points)
            for name, function in functions.items():
                parts[name].append(equal_tails(function(points), confidence_level))
        rates = _tell_rates(counts)
        return {
            name: _wrap(parts[name], np.where(rates, function(observed), np.nan), shape)
            for name, function in functions.items()
        }


def _tell_rates(counts: Counts) -> npt.NDArray[np.bool_]:
    """Whether both classes hold enough of a case to have quantiles, or none, which leaves their rates undefined."""
    positive, negative = ((size == 0) | (size >= _EMPTY) for size in (counts.positives, counts.negatives))
    return np.asarray(positive & negative)


def _known_prevalence(counts: Counts, fixed_classes: bool, prevalence: npt.ArrayLike | None) -> npt.ArrayLike | None:
    """Return the prevalence that is not estimated from the table itself, if there is one."""
    if prevalence is not None or not fixed_classes:
        return prevalence
    with np.errstate(invalid="ignore"):
        return counts.positives / counts.total


def _shared_points(counts: Counts, prevalence: Array, trials: Array, prior: Prior, n_points: int) -> Counts:
    """Those of a single table are kept: the next metric of the same table needs them too."""
    if counts.tp.size != 1:
        return _points(counts, prevalence, trials, prior, n_points)
    cells = tuple(float(each.item()) for each in (counts.tp, counts.fp, counts.fn, counts.tn))
    given = tuple(None if np.isnan(each.item()) else float(each.item()) for each in (prevalence, trials))
    return _points_of_one(cells, given, prior, n_points)


@lru_cache(maxsize=4)
def _points_of_one(cells: tuple[float, ...], given: tuple[float | None, ...], prior: Prior, n_points: int) -> Counts:
    prevalence, trials = (_or_nan(each).reshape(1) for each in given)
    tp, fp, fn, tn = (np.array([cell]) for cell in cells)
    return _points(Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn), prevalence, trials, prior, n_points)


def _points(counts: Counts, prevalence: Array, trials: Array, prior: Prior, n_points: int) -> Counts:
    """Tables drawn from the distribution, along a new last axis; NaN `prevalence` or `trials` means none is given."""
    first, second, third = lattice(n_points)
    pi = _proportion(counts.positives, counts.negatives, prior, 2, n_points)[..., first]
    estimated = np.isfinite(trials)
    if estimated.any():
        size = np.where(estimated, trials, 1.0)
        other = _proportion(prevalence * size, (1 - prevalence) * size, prior, 1, n_points)[..., first]
        pi = np.where(estimated[..., None], other, pi)
    known = np.isfinite(prevalence) & ~estimated
    pi = np.where(known[..., None], prevalence[..., None], pi)

    se = _proportion(counts.tp, counts.fn, prior, 1, n_points)[..., second]
    sp = _proportion(counts.tn, counts.fp, prior, 1, n_points)[..., third]
    return _scaled(Counts.from_rates(prevalence=pi, sensitivity=se, specificity=sp), counts.total[..., None])


def _proportion(successes: Array, failures: Array, prior: Prior, cells: int, n_points: int) -> Array:
    """Equally spaced quantiles of the distribution of a proportion; `cells` is how many cells each side consists of."""
    if prior == "mid_p":
        half = n_points // 2
        extremes = (successes, failures + 1), (successes + 1, failures)
        return np.concatenate([beta_quantiles(*extreme, half) for extreme in extremes], axis=-1)
    extra = float(prior) * cells
    return beta_quantiles(successes + extra, failures + extra, n_points)


def _wrap(parts: list[Limits], observed: Array, shape: tuple[int, ...]) -> Limits:
    """Back to the leading shape; NaN where the observed value is undefined."""
    low, high = (np.concatenate([part[side] for part in parts]).reshape(shape) for side in (0, 1))
    # Such as the prevalence of a case-control study:
    constant = np.isfinite(observed) & (high - low <= _ROUNDING * np.abs(observed))
    low, high = (np.where(constant, observed, limit) for limit in (low, high))
    return np.minimum(low, observed), np.maximum(high, observed)  # both pass NaN on


def _scaled(counts: Counts, factor: Array) -> Counts:
    return Counts.from_validated(
        tp=counts.tp * factor, fp=counts.fp * factor, fn=counts.fn * factor, tn=counts.tn * factor
    )


def _or_nan(values: npt.ArrayLike | None) -> Array:
    return np.asarray(np.nan if values is None else values, dtype=np.float64)


def _flat(values: Array, shape: tuple[int, ...]) -> Array:
    return np.broadcast_to(values, shape).reshape(-1)


def _flat_counts(counts: Counts, shape: tuple[int, ...]) -> Counts:
    tp, fp, fn, tn = (_flat(cell, shape) for cell in (counts.tp, counts.fp, counts.fn, counts.tn))
    return Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn)


def _check(prior: Prior, n_points: int) -> None:
    if prior != "mid_p" and not (isinstance(prior, (int, float)) and prior > 0):
        raise ArgumentError(f"`prior` must be 'mid_p' or a number above 0; found {prior!r}.")
    if n_points not in MULTIPLIER:
        raise ArgumentError(f"`n_points` must be one of {sorted(MULTIPLIER)}; found {n_points}.")


def beta_quantiles(a: Array, b: Array, size: int) -> Array:
    """Quantiles of Beta(a, b) at the midpoints of `size` equal parts of (0, 1).

    The log-odds of the quantile is so smooth a function of the normal score that a polynomial through 20 exact values
    gives the rest, at a hundredth of the cost.
    """
    if a.size > 1 and (a == a.flat[0]).all() and (b == b.flat[0]).all():  # as the prevalence at many thresholds
        return np.repeat(beta_quantiles(a.reshape(-1)[:1], b.reshape(-1)[:1], size), a.size, axis=0).reshape(
            *a.shape, size
        )
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
    partly = np.isnan(values.max(axis=-1))
    low, high = _both_tails(values, values.shape[-1] * (1 - confidence_level) / 2 - 0.5)
    if partly.any():
        ordered = np.sort(values[partly], axis=-1)  # NaN goes last
        count = values.shape[-1] - np.isnan(ordered).sum(axis=-1)
        rank = count * (1 - confidence_level) / 2 - 0.5
        low[partly], high[partly] = _at_rank(ordered, rank, count), _at_rank(ordered, count - 1 - rank, count)
    return low, high


def _both_tails(values: Array, rank: float) -> tuple[Array, Array]:
    """Return the values at a rank that may lie between two, from below and above, sorting no more than needed."""
    last = values.shape[-1] - 1
    below = max(int(np.floor(rank)), 0)
    above, share = min(below + 1, last), np.asarray(rank - below)
    part = np.partition(values, sorted({below, above, last - above, last - below}), axis=-1)
    low, high = ((part[..., one], part[..., other]) for one, other in ((below, above), (last - below, last - above)))
    return np.atleast_1d(_between(*low, share)), np.atleast_1d(_between(*high, share))


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
