"""Several comparisons at once: p-values that hold for all of them, and the levels of the intervals that go with them.

Both ways step down: the smallest p-value is judged among all, the next among those that are left, until one is not
small enough. "holm" multiplies by the number of those left, whatever their dependence. "max-t" asks how often the
largest of so many correlated normal variables would be as extreme; models compared with each other are correlated, so
it gives more. An interval has the level of its own step, so that it excludes 0 where its adjusted p-value is small.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from unconfuse.table import Array

Places = npt.NDArray[np.intp]
Joint = Callable[[float, Places], float]
"""How probable a p-value as small as this is, among the comparisons at these places."""
_DRAWS = 8192  # p-values are then known to 1% of themselves, however small
_ROUNDS = 4  # the joint probability is almost in proportion to the single one


def holm(p_values: Array) -> Array:
    """Holm's step-down adjustment.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    return stepped_down(p_values, 0.05, bonferroni)[0]


def bonferroni(p: float, among: Places) -> float:
    """At most so many times the single probability."""
    return min(1.0, p * len(among))


def stepped_down(p_values: Array, error: float, joint: Joint) -> tuple[Array, Array]:
    """Adjusted p-values, and for each comparison the error of its interval; all of them hold together with `error`.

    >>> adjusted, errors = stepped_down(np.array([0.001, 0.04, 0.5]), 0.05, bonferroni)
    >>> print(adjusted, errors.round(4))
    [0.003 0.08  0.5  ] [0.0167 0.025  0.025 ]
    """
    order = np.argsort(p_values, kind="stable")
    adjusted, errors = np.empty(len(order)), np.empty(len(order))
    reached = own = 0.0
    for step, place in enumerate(order):
        if reached <= error:  # from the first that fails on, intervals keep its level
            own = single_error(error, order[step:], joint)
        reached = max(reached, joint(float(p_values[place]), order[step:]))
        adjusted[place], errors[place] = reached, own
    return adjusted, errors


def single_error(error: float, among: Places, joint: Joint) -> float:
    """The p-value of one comparison at which all of these together reach the error."""
    p = error / len(among)
    for _ in range(_ROUNDS if len(among) > 1 else 0):
        p = min(error, p * error / joint(p, among))
    return p


def correlated(correlation: Array, seed: int = 0) -> Joint:
    """The joint probability of normal variables with this correlation matrix.

    One of them, chosen at random, is drawn from its own tail, the others given that one; the mean of 1 over how many
    are then in their tails, times the sum of all tails, is the probability that any is. No tail is too far out.

    >>> joint = correlated(np.full((3, 3), .5) + .5 * np.eye(3))
    >>> round(joint(0.01, np.arange(3)), 3)  # 0.03 if they were mutually exclusive
    0.027
    >>> round(correlated(np.ones((3, 3)))(0.01, np.arange(3)), 6)  # thrice the same question is one question
    0.01
    """
    generator = np.random.default_rng(seed)
    free = generator.standard_normal((_DRAWS, len(correlation))) @ _root(correlation).T
    share, sign = 1 - generator.random(_DRAWS), generator.choice([-1.0, 1.0], _DRAWS)

    def joint(p: float, among: Places) -> float:
        if len(among) == 1 or p >= 1:
            return min(p, 1.0)
        chosen = among[np.arange(_DRAWS) % len(among)]
        far = -sign * ndtri(share * p / 2)
        moved = far - free[np.arange(_DRAWS), chosen]
        drawn = free[:, among] + correlation[chosen][:, among] * moved[:, None]
        extreme = np.count_nonzero(np.abs(drawn) >= -ndtri(p / 2) * (1 - 1e-9), axis=1)
        return float(min(1.0, len(among) * p * np.mean(1 / np.maximum(extreme, 1))))

    return joint


def _root(matrix: Array) -> Array:
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def correlation_of(covariance: Array) -> Array:
    """The correlation matrix; what does not vary, or is not known, is correlated with nothing."""
    spread = np.sqrt(np.diag(covariance))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = covariance / np.outer(spread, spread)
    found = np.clip(np.where(np.isfinite(found), found, 0.0), -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)
