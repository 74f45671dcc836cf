"""Where a rising function crosses zero, in few calls: qualities are sought along a hundred ways of one page.

SciPy's would do, but takes longer to import than all of these searches take.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

Function = Callable[[float], float]
_SLOW = 3  # steps that must halve a bracket, else it is cut in the middle


@dataclass(frozen=True)
class Bracket:
    """Two places, with a function's values below 0 at the first and not at the second, unless it crosses nowhere."""

    low: float
    high: float
    at_low: float
    at_high: float


def crossing(function: Function, step: float, limit: float) -> Bracket:
    """Go from 0 in the direction of the crossing, in steps that double, to `limit` at most on either side.

    A step of 0, of scores that are all alike, would lead nowhere: it is the limit then.

    >>> found = crossing(lambda x: x - 3, step=1, limit=10)
    >>> found.low, found.high
    (2, 4)
    """
    at_last, last, step = function(0.0), 0.0, step or limit
    rises = at_last < 0
    while True:
        place = min(step, limit) if rises else -min(step, limit)
        value = function(place)
        if (value >= 0) == rises or step >= limit:
            break
        last, at_last, step = place, value, 2 * step
    return Bracket(last, place, at_last, value) if rises else Bracket(place, last, value, at_last)


def narrowed(function: Function, bracket: Bracket, enough: Callable[[Bracket], bool]) -> Bracket:
    """Narrow a bracket until it is enough, or its ends are neighbours: by false position, halved where that is slow.

    >>> found = narrowed(lambda x: x**3 - 2, Bracket(0.0, 2.0, -2.0, 6.0), lambda each: each.high - each.low < 1e-12)
    >>> round(found.high, 9)
    1.25992105
    """
    low, high, at_low, at_high = bracket.low, bracket.high, bracket.at_low, bracket.at_high
    of_low, of_high = at_low, at_high  # halved at an end that stays, so that it moves as well (Illinois)
    widths, last = [math.inf] * _SLOW, 0
    while not enough(Bracket(low, high, at_low, at_high)):
        is_slow = high - low > widths.pop(0) / 2
        widths.append(high - low)
        rise = of_high - of_low  # 0 where both ends are so close to 0 that halves of them are 0
        place = low - of_low * (high - low) / rise if rise > 0 else math.nan
        if is_slow or not low < place < high:
            place = (low + high) / 2
        if not low < place < high:
            break
        value = function(place)
        side = 1 if value >= 0 else -1
        if value < 0:
            low, at_low, of_low, of_high = place, value, value, of_high / 2 if side == last else at_high
        else:
            high, at_high, of_high, of_low = place, value, value, of_low / 2 if side == last else at_low
        last = side
    return Bracket(low, high, at_low, at_high)
