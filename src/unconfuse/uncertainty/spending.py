"""Critical values for a planned number of looks: alpha spending, and one constant for all looks.

One-sided, by the recursion of Armitage, McPherson and Rowe (1969), JRSS A 132:235; spending functions of Lan and DeMets
(1983), Biometrika 70:659; the constant is Pocock's (1977), Biometrika 64:191.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from unconfuse._scipy_special import ndtr, ndtri
from unconfuse.table import Array
from unconfuse.table.looks import OBRIEN_FLEMING

_NODES = 801  # of Simpson's rule: equal to rpact to 1e-6
_FEWER = 401  # where many bounds are tried: to 1e-5
_FARTHEST = 8.5  # standard deviations below 0 at which the density is 0 for all purposes
_BEYOND = 12.0  # a critical value that is never reached: no error is left to spend at such an early look
_HALVINGS = 60
_CLOSE = 1e-6  # of a critical value, or of the error as a share of itself


def spent(share: float, error: float, spending: str) -> float:
    """Return how much of a one-sided error is spent when this share of the information is in.

    >>> round(spent(.5, .05, "obrien-fleming"), 6), round(spent(.5, .05, "pocock"), 6)
    (0.005575, 0.031006)
    """
    if spending == OBRIEN_FLEMING:
        return 2 * float(ndtr(float(ndtri(error / 2)) / math.sqrt(share)))
    return error * math.log1p((math.e - 1) * share)


def critical_values(shares: Sequence[float], error: float, spending: str, sizes: Sequence[float] = ()) -> list[float]:
    """Return the one-sided critical value of each look so far.

    `shares` say how much of the error is spent by then; `sizes`, the cases at each look, how looks are correlated: they
    may be spaced otherwise than planned.

    >>> [round(z, 4) for z in critical_values([.5, 1], .05, "obrien-fleming")]
    [2.538, 1.6621]
    """
    return list(_critical_values(tuple(shares), error, spending, tuple(sizes) or tuple(shares)))


@lru_cache(maxsize=64)
def _critical_values(
    shares: tuple[float, ...], error: float, spending: str, sizes: tuple[float, ...]
) -> tuple[float, ...]:
    walk, found, before = _Walk(), [], 0.0
    for share, size in zip(shares, sizes, strict=True):
        now = spent(share, error, spending)
        bound = walk.bound_of(max(now - before, 0.0), size)
        walk.take(bound, size)
        found.append(bound / math.sqrt(size))
        before = now
    return tuple(found)


@lru_cache(maxsize=64)
def constant_critical_value(looks: int, error: float) -> float:
    """Return the one critical value at each of equally spaced looks that leaves this one-sided error over all.

    >>> round(constant_critical_value(5, .025), 3), round(constant_critical_value(10, .025), 3)
    (2.413, 2.555)
    """
    low, high = float(-ndtri(error)), float(-ndtri(error / looks))  # one look; looks as if independent (Bonferroni)
    above, below = (math.log(chance_of_crossing(each, looks) / error) for each in (low, high))
    while high - low > _CLOSE:
        middle = high - (high - low) * below / (below - above)  # the logarithm is almost a straight line
        found = math.log(chance_of_crossing(middle, looks) / error)
        if abs(found) < _CLOSE:
            return middle
        low, above, high, below = (middle, found, high, below) if found > 0 else (low, above, middle, found)
    return high


def chance_of_crossing(z: float, looks: int) -> float:
    """Return how often chance alone crosses a constant one-sided critical value at one of equally spaced looks."""
    walk, total = _Walk(_FEWER), 0.0
    for size in range(1, looks + 1):
        bound = z * math.sqrt(size)
        total += walk.chance_above(bound, size)
        walk.take(bound, size)
    return total


class _Walk:
    """The density of a Brownian motion that has not crossed a bound so far, on the nodes of Simpson's rule."""

    def __init__(self, nodes: int = _NODES) -> None:
        self.nodes, self.size = nodes, 0.0
        self.places: Array = np.zeros(1)
        self.mass: Array = np.ones(1)  # density times weight of Simpson's rule

    def chance_above(self, bound: float, size: float) -> float:
        """Return the chance of crossing the bound now, and not before."""
        return float(self.mass @ ndtr((self.places - bound) / math.sqrt(size - self.size)))

    def bound_of(self, chance: float, size: float) -> float:
        """Return the bound that is crossed now, and not before, with this chance."""
        low, high = -_FARTHEST * math.sqrt(size), _BEYOND * math.sqrt(size)
        if chance <= self.chance_above(high, size):
            return high
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.chance_above(middle, size) > chance else (low, middle)
        return high

    def take(self, bound: float, size: float) -> None:
        """Go on to this look, below the bound."""
        top = min(bound, _FARTHEST * math.sqrt(size))
        places = np.linspace(-_FARTHEST * math.sqrt(size), top, self.nodes)
        spread = math.sqrt(size - self.size)
        density = np.exp(-np.square((places[:, None] - self.places) / spread) / 2) @ self.mass
        weights = np.full(self.nodes, 2.0)
        weights[1::2], weights[0], weights[-1] = 4.0, 1.0, 1.0
        step = (places[1] - places[0]) / 3 / (spread * math.sqrt(2 * math.pi))
        self.size, self.places, self.mass = size, places, density * weights * step
