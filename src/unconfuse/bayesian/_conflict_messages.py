"""What is said if given quantities contradict each other, or leave more than one table."""

from __future__ import annotations

import math

import numpy as np

from unconfuse._errors import argument_name, surface_text
from unconfuse.bayesian._linear_solver import COMPLEMENTS, SHARES, STRICT, independent, why_undefined
from unconfuse.bayesian._nonlinear_solver import Value, Values, values_at
from unconfuse.bayesian._solution_set import QUANTITIES, Range, SolutionSet, answer

ROUNDED = 0.005  # values with two decimals
_SAME = 1e-9  # ends of a range that are one value


def contradiction(given: Values, tolerance: float) -> str:
    """Which of the given values contradict each other, and what the others imply for the last of them."""
    *others, last = _conflict(given, tolerance)
    limits = answer({name: given[name] for name in others}, tolerance).spread(last)
    causes = _listed([shown(name, given[name]) for name in others])
    start = f"{shown(last, given[last])} contradicts {causes}:" if others else f"{shown(last, given[last])} cannot be:"
    if limits is None:
        return f"{start} then {why_undefined(last)}, so {last} has no value. Hint: leave one of them out."
    low, high, found = _told_apart([*limits, float(given[last])])
    if others:
        start = f"{_given_as(last, found)} contradicts {causes}:"
    implied = f"{last} is then {low}" if low == high else f"{last} then lies between {low} and {high}"
    return f"{start} {implied}. Hint: correct or leave out one of them.{_rounding_hint(given, tolerance)}"


def _rounding_hint(given: Values, tolerance: float) -> str:
    if tolerance > STRICT:
        return f" They do not agree even if each of them is off by up to {tolerance:g}."
    rounded = len(given) > 1 and answer(given, ROUNDED).possible
    return (
        f" They agree if they are rounded to two decimals: then give {argument_name('tolerance', 0.005)}."
        if rounded
        else ""
    )


def _conflict(given: Values, tolerance: float) -> list[str]:
    """Find a smallest set of names whose values contradict each other: without any one of them there is no conflict."""
    left = dict(given)
    for name in given:
        without = {each: value for each, value in left.items() if each != name}
        if without and not answer(without, tolerance).possible:
            left = without
    return list(left)


def insufficiency(given: Values, found: SolutionSet) -> str:
    """Say what is missing, with an example, and what can be said without it."""
    ranges = ranges_of(found)
    follow = [shown(name, low) for name, (low, high) in ranges.items() if _one(low, high) and name not in given]
    open_ones = _open(given, ranges)
    bounds = [
        f"{name} between {short(low)} and {short(high)}" for name, (low, high) in open_ones.items() if _says(low, high)
    ]
    known = [*([f"it follows that {_listed(follow)}"] if follow else []), *([_listed(bounds)] if bounds else [])]
    return (
        f"{_missing(given, found)}{' Known so far: ' + '; '.join(known) + '.' if known else ''} "
        f"Hint: {surface_text('pass `ranges=True`', 'give --ranges')} for all that is known{_to_add(open_ones, found)}."
    )


def _to_add(open_ones: dict[str, Range], found: SolutionSet) -> str:
    """Say what would settle the question, with an example; at the very ends nothing may be left to add."""
    if not open_ones:
        return ""
    example, (low, high) = next(iter(open_ones.items()))
    value = low if found.isolated else (low + high) / 2
    digits = 6 if found.isolated else 2
    return f", or add one of {', '.join(open_ones)}, for example {_given_as(example, f'{value:.{digits}g}')}"


def ranges_of(found: SolutionSet) -> dict[str, Range]:
    """Between which bounds each quantity lies; those that are 0/0 everywhere are left out."""
    return {name: limits for name in QUANTITIES if (limits := found.spread(name)) is not None}


def _open(given: Values, ranges: dict[str, Range]) -> dict[str, Range]:
    """Quantities that could be added: shares, the first of each pair."""
    free = [name for name, other in COMPLEMENTS.items() if name in ranges and not {name, other} & set(given)]
    return {name: ranges[name] for name in free if not _one(*ranges[name])}


def _one(low: float, high: float) -> bool:
    return high - low <= _SAME * max(1.0, abs(low))


def _says(low: float, high: float) -> bool:
    return low > 1e-6 or high < 1 - 1e-6


def _missing(given: Values, found: SolutionSet) -> str:
    if not given:
        return "nothing was given: three independent quantities are needed."
    causes = _listed([shown(name, value) for name, value in given.items()])
    if found.isolated:
        return f"{causes} fit {len(found.tables)} different classifiers: one more quantity is needed to tell which."
    missing = 3 - _rank(given, found)
    needed = f"{missing} more independent {'quantity is' if missing == 1 else 'quantities are'} needed."
    return f"{causes} {'does' if len(given) < 2 else 'do'} not determine the rest: {needed}"


def _rank(given: Values, found: SolutionSet) -> int:
    """How many of the given ones are independent: on a walked surface, the rank of their slopes at a point amid it."""
    if found.walked is None:
        return len(independent({name: value for name, value in given.items() if name in SHARES}))  # type: ignore[misc]
    amid = np.argmin(sum((column - 0.5) ** 2 for column in found.walked))
    at = np.array([float(column[amid]) for column in found.walked])
    step = 1e-6 * np.eye(3)
    slopes = [[float(values_at(name, *(at + each)) - values_at(name, *(at - each))) for each in step] for name in given]
    return int(np.linalg.matrix_rank(np.nan_to_num(np.array(slopes)) / 2e-6, tol=1e-4))


def shown(name: str, value: Value) -> str:
    """Format a given value as it would be written."""
    return _given_as(name, short(value))


def _given_as(name: str, text: str) -> str:
    return surface_text(f"{name}={text}", argument_name(name, text))


def short(value: Value, digits: int = 6) -> str:
    """Six digits, unless more are needed."""
    return f"{float(value):.{digits}g}"


def _told_apart(values: list[float]) -> list[str]:
    """Numbers with as many digits as it takes to see which of them differ."""
    different = len({round(value, 12) if math.isfinite(value) else value for value in values})
    for digits in range(6, 18):
        texts = [short(value, digits) for value in values]
        if len(set(texts)) >= different:
            return texts
    return texts


def _listed(items: list[str]) -> str:
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)
