"""Bounds of the calibration intercept and slope on a binned table, by signs of the equations that define them.

Neither bound trusts a fit: a number is a bound because a sum certainly lies on one side of 0 there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from unconfuse.metrics.bounds import Bound
from unconfuse.table import Array, ScoreTable

_ROOM = 1e-9  # for the rounding of roots
_FARTHEST = 1e3  # slopes beyond this are not looked for


def intercept(metric: Any, table: ScoreTable, threshold: float | None = None) -> Bound:
    """The intercept falls when any log-odds rise: all of them at their highest, and all at their lowest."""
    if np.isnan(metric(table)):
        return np.nan, np.nan
    low, high = _log_odds(table)
    weight = table.positives + table.negatives
    return _level(high, weight, table.n_positives) - _ROOM, _level(low, weight, table.n_positives) + _ROOM


def slope(metric: Any, table: ScoreTable, threshold: float | None = None) -> Bound:
    """The slope is above b if and only if the likelihood still rises at b: so where it certainly rises, or falls."""
    middle = float(metric(table))
    if np.isnan(middle):
        return np.nan, np.nan
    lowest = _nearest(middle, -1.0, lambda b: _rise(table, b)[0] > 0)
    return lowest, _nearest(middle, 1.0, lambda b: _rise(table, b)[1] < 0)


def _nearest(middle: float, side: float, certain: Callable[[float], bool]) -> float:
    """A place on one side of the middle, about as near as can be, where something is certain; infinite if none is."""
    near, far = 0.0, 1e-5
    while not certain(middle + side * far):
        near, far = far, 8 * far
        if far > _FARTHEST:
            return side * np.inf
    for _ in range(8):
        half = (near + far) / 2
        near, far = (near, half) if certain(middle + side * half) else (half, far)
    return middle + side * far


def _rise(table: ScoreTable, b: float) -> Bound:
    """Limits of the derivative of the likelihood in the slope at b, the intercept being fitted."""
    from scipy.special import expit

    low, high = _log_odds(table)
    z_low, z_high = (low * b, high * b) if b >= 0 else (high * b, low * b)
    weight, pos = table.positives + table.negatives, table.n_positives
    a_low, a_high = _level(z_high, weight, pos) - _ROOM, _level(z_low, weight, pos) + _ROOM
    chance = expit(a_low + z_low), expit(a_high + z_high)
    centre = float(weight @ (low + high)) / (2 * table.n)  # the equation of the intercept lets x be measured from here
    positive = _products(1 - chance[1], 1 - chance[0], low - centre, high - centre)
    negative = _products(*chance, low - centre, high - centre)
    least = float((table.positives * positive[0] - table.negatives * negative[1]).sum())
    most = float((table.positives * positive[1] - table.negatives * negative[0]).sum())
    room = _ROOM * (1e-3 * float((weight * np.maximum(np.abs(low), np.abs(high))).sum()) + 1e-6)
    return least - room, most + room


def _products(small: Array, large: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Limits of r x for 0 <= small <= r <= large and low <= x <= high."""
    return np.where(low < 0, large, small) * low, np.where(high > 0, large, small) * high


def _level(z: Array, weight: Array, positives: float) -> float:
    """The intercept at which the expected number of positives is right."""
    from scipy.optimize import brentq
    from scipy.special import expit

    def excess(a: float) -> float:
        return float((weight * expit(a + z)).sum()) - positives

    even = np.log(positives) - np.log(weight.sum() - positives)  # the answer if all z were 0
    return float(brentq(excess, even - float(z.max()) - 1e-6, even - float(z.min()) + 1e-6, xtol=1e-11))


def _log_odds(table: ScoreTable) -> tuple[Array, Array]:
    """The ends of each block; a stated probability of exactly 0 or 1 leaves both metrics undefined, so none is."""
    inside = (np.clip(ends, np.nextafter(0, 1), np.nextafter(1, 0)) for ends in (table.score, table.tops))
    low, high = (np.log(end) - np.log1p(-end) for end in inside)
    return low, high
