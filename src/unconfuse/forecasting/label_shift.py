"""Label shift: scores within each class are as before, and only the prevalence is another one.

One likelihood of all counts: bins of scores among positives and negatives of the reference (a, b) and among new cases
(c), whose distribution is the mixture of both: sum a ln f + b ln g + c ln(q f + (1 - q) g).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unconfuse._scipy_special import chdtrc, xlogy
from unconfuse.metrics.influence_functions import quantile
from unconfuse.table import Array

MOST_BINS = 10
_LEAST_IN_BIN = 5.0  # cases of the smaller class for each bin, on average
_CLOSE = 1e-13  # of the log likelihood, as a share of it, between two rounds
_ROUNDS = 2000
_GRID, _FINE = 65, 33
_ZOOMS = 3  # of the grid on each end: it is known to about 1e-6 then
_TINY = 1e-300


class Mixture(NamedTuple):
    """Shares of bins among positives and negatives, the prevalence, and the log likelihood; any leading axes."""

    positives: Array
    negatives: Array
    prevalence: Array
    log_likelihood: Array


@dataclass(frozen=True)
class LabelShift:
    """Prevalence of new cases with its interval, and a test of whether label shift explains their scores.

    `p_value` is NaN where fewer than three bins leave nothing to test.
    """

    prevalence: float
    low: float
    high: float
    g2: float
    degrees_of_freedom: int
    p_value: float


def bin_edges(scores: Array, weight: Array, bins: int) -> Array:
    """Return lower ends of all bins but the lowest: pooled quantiles, fewer where scores are tied.

    >>> bin_edges(np.array([1., 2, 3, 4]), np.ones(4), 2).tolist()
    [3.0]
    """
    order = np.argsort(scores, kind="stable")
    values, below = scores[order], np.cumsum(weight[order])
    goals = below[-1] * np.arange(1, bins) / bins
    places = np.searchsorted(below, goals * (1 + 1e-12), side="right")
    edges = np.unique(values[np.minimum(places, len(values) - 1)])
    return np.asarray(edges[edges > values[0]])


def bins_for(smallest: float) -> int:
    """Return how many bins the smallest of the three samples allows."""
    return int(min(max(smallest // _LEAST_IN_BIN, 3), MOST_BINS))


def fitted(
    a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike, prevalence: npt.ArrayLike | None = None, close: float = _CLOSE
) -> Mixture:
    """Maximise the likelihood by accelerated EM; at a given prevalence, if there is one.

    The acceleration is SQUAREM (Varadhan and Roland, 2008, Scand. J. Stat. 35:335).
    """
    counts = [np.asarray(each, np.float64) for each in (a, b, c)]
    held = None if prevalence is None else np.asarray(prevalence, np.float64)[..., None]
    lead = np.broadcast_shapes(*(count.shape[:-1] for count in counts), () if held is None else held.shape[:-1])
    first, second, new = (np.broadcast_to(count, (*lead, count.shape[-1])) for count in counts)
    n_bins = first.shape[-1]
    start = [(each + 0.5) / (each.sum(-1, keepdims=True) + 0.5 * n_bins) for each in (first, second)]
    q = np.full((*lead, 1), 0.5) if held is None else np.broadcast_to(held, (*lead, 1))
    state = np.concatenate([*start, q], axis=-1)

    def step(at: Array) -> Array:
        f, g, share = at[..., :n_bins], at[..., n_bins:-1], at[..., -1:]
        mixed = share * f + (1 - share) * g
        ours = new * np.divide(share * f, mixed, out=np.zeros_like(mixed), where=mixed > 0)
        f, g = first + ours, second + new - ours
        own = ours.sum(-1, keepdims=True) / new.sum(-1, keepdims=True) if held is None else share
        parts = [each / each.sum(-1, keepdims=True) for each in (f, g)]
        return np.concatenate([*parts, own], axis=-1)

    def value(at: Array) -> Array:
        f, g, share = at[..., :n_bins], at[..., n_bins:-1], at[..., -1:]
        mixed = share * f + (1 - share) * g
        return np.asarray((xlogy(first, f) + xlogy(second, g) + xlogy(new, mixed)).sum(-1))

    now = value(state)
    for _ in range(_ROUNDS):
        before, state = now, _accelerated(state, step, value)
        now = value(state)
        if np.all(np.abs(now - before) <= close * np.abs(now)):
            break
    return Mixture(state[..., :n_bins], state[..., n_bins:-1], state[..., -1], now)


def _accelerated(at: Array, step: Callable[[Array], Array], value: Callable[[Array], Array]) -> Array:
    """Return a point at least as likely as two steps of EM."""
    one = step(at)
    two = step(one)
    r, v = one - at, two - 2 * one + at
    length = np.sqrt((r**2).sum(-1, keepdims=True) / np.maximum((v**2).sum(-1, keepdims=True), _TINY))
    length = np.clip(length, 1.0, 1e4)
    far = at + 2 * length * r + length**2 * v
    inside = ((far >= 0) & (far <= 1)).all(-1, keepdims=True)
    far = step(np.where(inside, far, two))
    better = (value(far) >= value(two))[..., None]
    return np.where(inside & better, far, step(two))


def label_shift(a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike, confidence_level: float = 0.95) -> LabelShift:
    """Return the prevalence of new cases by maximum likelihood, with profile limits and a test of fit.

    >>> found = label_shift([2, 5, 13, 30], [40, 30, 20, 10], [60, 55, 45, 40])
    >>> print(f"{found.prevalence:.3f} {found.low:.3f} {found.high:.3f} {found.p_value:.3f}")
    0.211 0.054 0.363 0.858
    """
    first, second, new = (np.asarray(each, np.float64) for each in (a, b, c))
    best = fitted(first, second, new)
    drop = quantile(confidence_level) ** 2 / 2
    top, at = float(best.log_likelihood), float(best.prevalence)
    edges = fitted(first, second, new, [0.0, 1.0]).log_likelihood
    if edges.max() >= top:  # EM only comes near a prevalence of 0 or 1
        top, at = float(edges.max()), float(edges.argmax())

    def likely(q: Array) -> npt.NDArray[np.bool_]:
        return np.asarray(fitted(first, second, new, q).log_likelihood >= top - drop)

    low, high = (_end(likely, at, end) for end in (0.0, 1.0))
    g2 = 2 * max(_saturated(first, second, new) - top, 0.0)
    degrees = int(((first + second + new) > 0).sum()) - 2
    return LabelShift(at, low, high, g2, degrees, float(chdtrc(degrees, g2)) if degrees > 0 else math.nan)


def _end(likely: Callable[[Array], npt.NDArray[np.bool_]], inside: float, outside: float) -> float:
    """Return where prevalences cease to be likely, on grids that grow finer."""
    for points in (_GRID, *[_FINE] * _ZOOMS):
        grid = np.linspace(inside, outside, points)
        holds = likely(grid)
        holds[0] = True
        if holds.all():
            return outside
        first = int(np.argmin(holds))
        inside, outside = float(grid[first - 1]), float(grid[first])
    return (inside + outside) / 2


def _saturated(*counts: Array) -> float:
    return float(sum((xlogy(count, count / max(float(count.sum()), _TINY))).sum() for count in counts))
