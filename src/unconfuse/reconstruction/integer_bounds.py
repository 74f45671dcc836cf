"""Whole numbers at which a steadily rising or falling metric enters and leaves its bounds, for many tables at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from unconfuse.reconstruction.exact_ratios import Tables
from unconfuse.reconstruction.rounding import RoundingBounds
from unconfuse.table import Array


class Lines(NamedTuple):
    """Tables of which one cell (`axis`, TP or FP) varies from `low` to `high` while the other is fixed."""

    positives: Array
    negatives: Array
    axis: str
    fixed: Array
    low: Array
    high: Array

    def at(self, place: Array, rows: Any = slice(None)) -> Tables:
        """Return the tables of some lines, each at its place."""
        cells = (place, self.fixed[rows]) if self.axis == "tp" else (self.fixed[rows], place)
        return Tables(self.positives[rows], self.negatives[rows], *cells)


def within(lines: Lines, expression: str, bounds: RoundingBounds) -> tuple[Array, Array]:
    """First and last place of each line whose value lies within the bounds; first > last where there is none.

    Every metric of four counts rises or falls along a line; where it is undefined, at an end, it is not within.
    """
    low, high = lines.low.copy(), lines.high.copy()
    low += (low <= high) & np.isnan(lines.at(low).values(expression))
    high -= (low <= high) & np.isnan(lines.at(high).values(expression))
    first, last = _cut(lines, expression, bounds, low, high)
    none = (low > high) | (first > last)
    rest = np.flatnonzero(~none)
    held = bounds.hold(lines.at(first[rest], rest).values(expression))  # NaN all along, as of an empty class
    none[rest] = ~held
    return np.where(none, 1.0, first), np.where(none, 0.0, last)


def tightened(
    positives: Array, negatives: Array, axis: str, own: tuple[Array, Array], other: tuple[Array, Array], rule: Any
) -> tuple[Array, Array]:
    """Return a smaller range for one cell that loses no table, where the other one has a range too."""
    expression, bounds = rule
    low, high = own
    for fixed, sides in ((other[0], (0, 1)), (other[1], (1, 0))):
        lines = Lines(positives, negatives, axis, fixed, low, high)
        first, last = _cut(lines, expression, bounds, low, high, unless=other[sides[1]])
        low, high = first, last
    return low, high


def _cut(
    lines: Lines, expression: str, bounds: RoundingBounds, low: Array, high: Array, unless: Array | None = None
) -> tuple[Array, Array]:
    """Where a line enters its bounds and where it leaves them again.

    With `unless`, the other end of the fixed cell, a side is cut only where the value there is no nearer.
    """
    start, stop = lines.at(low).values(expression), lines.at(high).values(expression)
    rising = ~(stop < start)
    cut_below: Any = np.ones(len(low), dtype=bool)
    cut_above: Any = cut_below
    if unless is not None:
        there, middle = lines._replace(fixed=unless), np.floor((low + high) / 2)
        # An odds ratio is 0 at one end of every line and infinite at the other: the middle tells them apart.
        places = low, middle, high
        here = np.stack([start, lines.at(middle).values(expression), stop])
        other = np.stack([there.at(place).values(expression) for place in places])
        known = ~np.isnan(here + other).any(axis=0)
        larger, smaller = known & (here >= other).all(axis=0), known & (here <= other).all(axis=0)
        cut_below, cut_above = larger, smaller

    def entered(place: Array, rows: Any) -> Any:
        values = lines.at(place, rows).values(expression)
        outside = np.where(rising[rows], bounds.below(values) & cut_below[rows], bounds.above(values) & cut_above[rows])
        return np.asarray(~outside)

    def left(place: Array, rows: Any) -> Any:
        values = lines.at(place, rows).values(expression)
        return np.asarray(
            np.where(rising[rows], bounds.above(values) & cut_above[rows], bounds.below(values) & cut_below[rows])
        )

    guess = _guess(lines, expression, low, high)
    first = _first(entered, low, high, guess(np.where(rising, bounds.low, bounds.high)))
    last = _first(left, low, high, guess(np.where(rising, bounds.high, bounds.low))) - 1
    return first, last


def _guess(lines: Lines, expression: str, low: Array, high: Array) -> Callable[[Array], Array]:
    """Where the value is reached, which is exact if numerator and denominator are straight lines, as mostly."""
    ratio, two = lines.at(low).ratio(expression), lines.at(high).ratio(expression)

    def reached(target: Array) -> Array:
        with np.errstate(all="ignore"):
            start, stop = (each.top - target * (1.0 if each.bottom is None else each.bottom) for each in (ratio, two))
            place = low + (high - low) * start / (start - stop)
        return np.where(np.isfinite(place), place, low)

    return reached


def _first(true: Callable[[Array, Any], Any], low: Array, high: Array, guess: Array) -> Array:
    """Smallest place from low to high at which a condition holds that stays true from there on; else high + 1."""
    everything = slice(None)
    answer = np.where(true(low, everything), low, high + 1)
    rows = np.flatnonzero((answer > low) & (high > low))
    rows = rows[true(high[rows], rows)]
    left, right = low[rows], high[rows]  # false on the left, true on the right
    near = np.clip(np.ceil(guess[rows]), left + 1, right)
    for guessed in (near, near - 1):
        place = np.clip(guessed, left, right)
        holds = true(place, rows)
        right, left = np.where(holds, np.minimum(place, right), right), np.where(holds, left, np.maximum(place, left))
    while True:
        open_ones = right - left > 1
        if not open_ones.any():
            break
        some = np.flatnonzero(open_ones)
        middle = np.floor((left[some] + right[some]) / 2)
        holds = true(middle, rows[some])
        right[some], left[some] = np.where(holds, middle, right[some]), np.where(holds, left[some], middle)
    answer[rows] = right
    return answer
