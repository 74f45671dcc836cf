"""What given quantities leave: one table, several, or none, and between which bounds every quantity then lies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from unconfuse._scipy_special import expit, logit
from unconfuse.bayesian import _nonlinear_solver
from unconfuse.bayesian._linear_solver import SHARES, STRICT, Table, cleaned, corners, value_in
from unconfuse.bayesian._nonlinear_solver import PopulationPoint, Value, Values, values_at
from unconfuse.metrics import METRICS
from unconfuse.table import Array, Counts

Range = tuple[float, float]
QUANTITIES = _nonlinear_solver.TWELVE_AND_RATIOS
_ALONG = np.concatenate([[0.0], expit(np.linspace(-21, 21, 401)), [1.0]])  # an edge; ratios run to infinity at its ends
_NEVER = 1e-8  # beyond the reach of the walk, which ends before 0 and infinity
_FIT = 1 + 1e-6  # a fit this much beyond the rounding is the optimiser's own
_LEAST = 1e-13  # nearest to 0 and 1 that rates are tried: at 0 itself ratios have no value


@dataclass(frozen=True)
class SolutionSet:
    """Tables that agree with all that was given.

    `tables` are the corners of the set of them, or its only members if it is `isolated`; a curve or a surface is known
    by points all over it, `walked`.
    """

    tables: Sequence[Table] = ()
    isolated: bool = False
    walked: tuple[Array, Array, Array] | None = None
    known: Values = field(default_factory=dict)

    @property
    def possible(self) -> bool:
        """Whether there is any."""
        return bool(self.tables) or (self.walked is not None and self.walked[0].size > 0)

    @property
    def determined(self) -> bool:
        """Whether there is only one."""
        return self.walked is None and len(self.tables) == 1

    def spread(self, name: str) -> Range | None:
        """Smallest and largest value of a quantity; None if it is 0/0 everywhere."""
        values = self._values(name)
        values = values[~np.isnan(values)]
        if not values.size:
            return None
        low, high = float(values.min()), float(values.max())
        if self.walked is None:
            return low, high
        return (low if abs(low) > _NEVER else 0.0), (high if high < 1 / _NEVER else math.inf)

    def _values(self, name: str) -> Array:
        if self.walked is not None:
            return values_at(name, *self.walked)
        if name in SHARES:  # a ratio of linear functions has its extremes at the corners
            exact = [value_in(table, name) for table in self.tables]
            return np.array([math.nan if each is None else float(each) for each in exact])
        return np.asarray(METRICS[name](self._edges()))

    def _edges(self) -> Counts:
        """At a given prevalence ratios have their extremes at corners too, hence all of them along the edges."""
        cells = np.array([[float(cell) for cell in table] for table in self.tables])
        if len(cells) > 1 and not self.isolated:
            pairs = [(cells[i], cells[j]) for i, j in combinations(range(len(cells)), 2)]
            cells = np.concatenate([np.outer(1 - _ALONG, one) + np.outer(_ALONG, two) for one, two in pairs])
        return Counts.from_validated(**dict(zip(("tp", "fp", "fn", "tn"), cells.T, strict=True)))


def answer(given: Values, tolerance: float = STRICT) -> SolutionSet:
    """Find what the given values leave possible, each of which may be off by the tolerance because it is rounded.

    If they contradict each other as they stand, the first three that determine a table decide, if all others are within
    their rounding there; otherwise the table decides that is nearest to all of them.
    """
    solution_set = _strict(given)
    if solution_set.possible or tolerance <= STRICT:
        return solution_set
    first = _of_the_first_three(given, tolerance)
    if first is not None:
        return first
    fitted = _nearest(given, tolerance)
    return solution_set if fitted is None else _of_points([fitted])


def _of_the_first_three(given: Values, tolerance: float) -> SolutionSet | None:
    for names in combinations(given, 3):
        solution_set = _strict({name: given[name] for name in names})
        if solution_set.determined:
            within = (
                _within(solution_set, name, value, tolerance) for name, value in given.items() if name not in names
            )
            return solution_set if all(within) else None
    return None


def _within(found: SolutionSet, name: str, value: Value, tolerance: float) -> bool:
    implied = found.spread(name)
    return implied is not None and abs(implied[0] - value) <= slack_of(float(value), tolerance)


def _strict(given: Values) -> SolutionSet:
    if set(given) <= set(SHARES):
        exact = {name: Fraction(value) for name, value in given.items()}
        tables = corners(exact)
        return SolutionSet([cleaned(tables[0], exact)] if len(tables) == 1 else tables, known=given)
    points = _nonlinear_solver.solutions(given)
    return SolutionSet(walked=_nonlinear_solver.walk(given), known=given) if points is None else _of_points(points)


def _of_points(points: Sequence[PopulationPoint]) -> SolutionSet:
    """Of one point its rates are known even where a class has no members."""
    known = {} if len(points) != 1 else {"sensitivity": points[0][1], "false_positive_rate": points[0][2]}
    return SolutionSet([point.table for point in points], isolated=True, known=known)


def slack_of(value: float, tolerance: float) -> float:
    """How far off a value may be that was rounded.

    Less than the step of the rounding, it was not rounded by it: then half of its own last digit.

    >>> slack_of(.64, .005), slack_of(1e-6, .005), slack_of(0, .005)
    (0.005, 5e-07, 0.005)
    """
    size = min(abs(value), abs(1 - value)) if 0 < value < 1 else abs(value)
    if size == 0 or size >= 2 * tolerance * (1 - 1e-9):
        return tolerance
    digits = f"{Fraction(repr(float(value))) if value == size else 1 - Fraction(repr(float(value)))}"
    return min(tolerance, 0.5 * float(_last_digit(Fraction(digits))))


def _last_digit(value: Fraction) -> Fraction:
    """Return the power of ten that the last digit of a decimal number stands for."""
    step = Fraction(1)
    while (value / step).denominator != 1 and step > Fraction(1, 10**18):
        step /= 10
    return step


def _nearest(given: Values, tolerance: float) -> PopulationPoint | None:
    """Find the point whose worst miss, as a share of what rounding allows, is smallest; None if it allows none."""
    from scipy.optimize import minimize  # takes long to import, and only rounded numbers need it

    if any(math.isinf(value) for value in given.values()):
        return None
    names, wanted = list(given), np.array([float(value) for value in given.values()])
    slack = np.array([slack_of(value, tolerance) for value in wanted])

    def misses(point: Array, least: float = _LEAST) -> Array:
        share, rates = expit(point[0]), np.clip(point[1:3], least, 1 - least)
        found = np.array([float(values_at(name, share, rates[0], rates[1])) for name in names])
        return np.asarray(np.nan_to_num((found - wanted) / slack, nan=1e6, posinf=1e6, neginf=-1e6))

    for start in _starts(given):
        beginning = np.array([*start, np.abs(misses(np.array(start))).max()])
        within: Any = [
            {"type": "ineq", "fun": lambda x: x[3] - misses(x)},
            {"type": "ineq", "fun": lambda x: x[3] + misses(x)},
        ]
        bounds: Any = [(-28, 28), (0, 1), (0, 1), (0, None)]
        options: Any = {"maxiter": 200, "ftol": 1e-10}
        how: Any = {"method": "SLSQP", "constraints": within, "bounds": bounds, "options": options}
        done = minimize(_last, beginning, **how)
        if np.abs(misses(done.x)).max() <= _FIT:
            least = 0.0 if np.abs(misses(done.x, 0.0)).max() <= _FIT else _LEAST  # where ratios of rates still hold
            rates = np.clip(done.x[1:3], least, 1 - least)
            return PopulationPoint(*(Fraction(float(each)) for each in (expit(done.x[0]), *rates)))
    return None


def _starts(given: Values) -> list[tuple[float, float, float]]:
    """Points that fulfil three of the given values, pulled inside; then a few that fulfil none."""
    found = [(-2.0, 0.8, 0.2), (0.0, 0.5, 0.4), (-5.0, 0.95, 0.05), (2.0, 0.8, 0.2), (0.0, 0.2, 0.8)]
    for names in combinations(given, 3):
        for share, hit, alarm in _nonlinear_solver.common_points({name: given[name] for name in names}) or ():
            inside = np.clip([float(share), float(hit), float(alarm)], 1e-9, 1 - 1e-9)
            found.insert(0, (float(logit(inside[0])), float(inside[1]), float(inside[2])))
    return found


def _last(point: Array) -> float:
    return float(point[3])
