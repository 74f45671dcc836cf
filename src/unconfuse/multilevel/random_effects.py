"""Units whose sampling errors are independent: the variance between them, and their mean."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unconfuse import _scipy_special as special

Array = npt.NDArray[np.float64]
_STEPS = 50  # of the search for the highest likelihood, which may have two modes: Newton's method alone finds either
_GOLDEN = (math.sqrt(5) - 1) / 2
_HALVINGS = 200  # of an interval, more than a double can tell
_GAIN = 1e-9  # in log-likelihood: less is rounding, and a variance that small is none
_LEAST = 1e-12  # of the largest sampling variance: a unit that is known exactly would otherwise be all that counts


@dataclass(frozen=True)
class Heterogeneity:
    """How units differ beyond chance, on the scale of their values.

    `deviation` is the standard deviation between units (REML), `low` and `high` its interval (Q-profile), `statistic`
    Cochran's Q and `p_value` that of no difference between units.
    """

    deviation: float
    low: float
    high: float
    statistic: float
    p_value: float


def positive(variances: Array) -> Array:
    """Return the sampling variances with none of them 0."""
    return np.asarray(np.maximum(variances, _LEAST * float(variances.max(initial=0.0))))


def weighted(values: Array, variances: Array, between: npt.ArrayLike) -> tuple[Array, Array, Array]:
    """Return the mean, Cochran's Q and the sum of weights, for one or many variances between the units."""
    weights = 1 / (variances + np.asarray(between, dtype=np.float64)[..., None])
    total = weights.sum(axis=-1)
    mean = (weights * values).sum(axis=-1) / total
    return mean, (weights * (values - mean[..., None]) ** 2).sum(axis=-1), total


def reml(values: Array, variances: Array) -> float:
    """Return the variance between units of the highest restricted likelihood; 0 unless another beats it.

    >>> round(reml(np.array([.8, 1.4, 1.1, 2., .3]), np.array([.04, .09, .05, .12, .06])), 5)
    0.30218
    """
    width = 4 * float(values.var(ddof=1))
    grid = width * np.linspace(0, 1, _STEPS + 1) ** 2
    heights = _likelihood(values, variances, grid)
    best = int(heights.argmax())
    low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, _STEPS)])
    found = _highest(values, variances, low, high)
    return found if _likelihood(values, variances, np.array([found]))[0] > heights[0] + _GAIN else 0.0


def _likelihood(values: Array, variances: Array, between: Array) -> Array:
    _, q, total = weighted(values, variances, between)
    logs = np.log(variances + between[:, None]).sum(axis=-1)
    return np.asarray(-0.5 * (logs + np.log(total) + q))


def _highest(values: Array, variances: Array, low: float, high: float) -> float:
    """Golden section: the likelihood has one mode between neighbours of the best of many steps."""
    while high - low > 1e-12 * high:
        span = _GOLDEN * (high - low)
        inner = np.array([high - span, low + span])
        left, right = _likelihood(values, variances, inner)
        low, high = (low, float(inner[1])) if left >= right else (float(inner[0]), high)
        if inner[0] >= inner[1]:
            break
    return (low + high) / 2


def between_at(values: Array, variances: Array, goals: npt.ArrayLike) -> Array:
    """Return the variance between units at which Cochran's Q is so large; 0 where Q is smaller with none between them.

    With Q = k - 1 it is Paule and Mandel's estimate; with quantiles of chi-squared the limits of the Q-profile.
    """
    least = _LEAST * float(weighted(values, variances, 0.0)[1]) + np.finfo(np.float64).tiny  # of Q, which is never 0
    goal = np.maximum(np.asarray(goals, dtype=np.float64), least)
    around = float(((values - values.mean()) ** 2).sum())  # Q is at most this, divided by the variance between
    low, high = np.zeros(goal.shape), around / goal
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = weighted(values, variances, middle)[1] > goal
        low, high = np.where(above, middle, low), np.where(above, high, middle)
        if (high - low <= 1e-15 * high).all():
            break
    return np.where(weighted(values, variances, 0.0)[1] > goal, (low + high) / 2, 0.0)


def spread(values: Array, variances: Array, confidence_level: float = 0.95) -> Heterogeneity:
    """Return the standard deviation between units with its Q-profile interval, and the test that there is none.

    >>> found = spread(np.array([.8, 1.4, 1.1, 2., .3]), np.array([.04, .09, .05, .12, .06]))
    >>> print(f"{found.deviation:.4f} [{found.low:.4f}, {found.high:.4f}], Q {found.statistic:.4f}")
    0.5497 [0.2452, 1.8089], Q 19.4338
    """
    known, freedom = positive(variances), len(values) - 1
    statistic = float(weighted(values, known, 0.0)[1])
    tail = (1 - confidence_level) / 2
    ends = between_at(values, known, special.chdtri(freedom, np.array([tail, 1 - tail])))
    low, high = np.sqrt(ends)
    p_value = float(special.chdtrc(freedom, statistic))
    return Heterogeneity(math.sqrt(reml(values, known)), float(low), float(high), statistic, p_value)


def mean_unit(values: Array, variances: Array) -> tuple[float, float, float]:
    """Return the mean of units like these, its standard error and degrees of freedom: Hartung and Knapp's, floored.

    Plain Hartung-Knapp intervals cover 91.6% in the worst of the simulated settings, floored ones 94.2%.
    """
    mean, q, total = weighted(values, variances, reml(values, variances))
    freedom = len(values) - 1
    return float(mean), math.sqrt(max(1.0, float(q) / freedom) / float(total)), float(freedom)
