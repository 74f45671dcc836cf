"""What `bayes` says when the given quantities contradict each other or do not determine the rest."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from unconfuse.bayesian._feasible import conflict, corners, independent, spread
from unconfuse.bayesian._quantities import COMPLEMENTS, TWELVE, Table, why_undefined

Given = Mapping[str, Fraction]


def contradiction(given: Given, tolerance: float) -> str:
    """Which of the given values contradict each other, and what the others imply for the last of them."""
    *others, last = conflict(given, tolerance)
    tables = corners({name: given[name] for name in others}, tolerance)
    limits = spread(tables, last)
    causes = _listed([shown(name, given[name]) for name in others])
    start = f"{shown(last, given[last])} contradicts {causes}:"
    if limits is None:
        return f"{start} then {why_undefined(last)}, so {last} has no value. Hint: leave one of them out."
    low, high = (short(each) for each in limits)
    implied = f"{last} is then {low}" if low == high else f"{last} then lies between {low} and {high}"
    hint = " If they are rounded, pass tolerance=0.005 or so." if _near(given[last], limits) else ""
    return f"{start} {implied}. Hint: correct or leave out one of them.{hint}"


def insufficiency(given: Given, tables: list[Table]) -> str:
    """What is missing, with an example, and what can be said without it."""
    limits = {name: found for name in TWELVE if (found := spread(tables, name))}
    free = [name for name, other in COMPLEMENTS.items() if name in limits and not {name, other} & set(given)]
    open_ones = {name: limits[name] for name in free if limits[name][0] < limits[name][1]}
    follow = [shown(name, low) for name, (low, high) in limits.items() if low == high and name not in given]
    bounds = [
        f"{name} between {short(low)} and {short(high)}"
        for name, (low, high) in open_ones.items()
        if low > 0 or high < 1
    ]
    example, (low, high) = next(iter(open_ones.items()))
    known = [*([f"it follows that {_listed(follow)}"] if follow else []), *([_listed(bounds)] if bounds else [])]
    return (
        f"{_missing(given)}{' Known so far: ' + '; '.join(known) + '.' if known else ''} "
        f"Hint: add one of {', '.join(open_ones)}, for example {example}={float((low + high) / 2):.2g}."
    )


def _missing(given: Given) -> str:
    missing = 3 - len(independent(given))
    needed = f"{missing} more independent {'quantity is' if missing == 1 else 'quantities are'} needed."
    if not given:
        return "nothing was given: three independent quantities are needed."
    causes = _listed([shown(name, value) for name, value in given.items()])
    return f"{causes} {'does' if len(given) < 2 else 'do'} not determine the rest: {needed}"


def _near(value: Fraction, limits: tuple[Fraction, Fraction]) -> bool:
    return limits[0] - value <= 0.01 and value - limits[1] <= 0.01


def shown(name: str, value: Fraction) -> str:
    """A given value as it would be written."""
    return f"{name}={short(value)}"


def short(value: Fraction) -> str:
    """Six digits."""
    return f"{float(value):.6g}"


def _listed(items: list[str]) -> str:
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)
