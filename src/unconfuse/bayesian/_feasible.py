"""All 2x2 tables in which some quantities have given values.

Each of the twelve quantities is a share, top / bottom, of the four joint probabilities. Its value v is therefore one
linear equation, top - v * bottom = 0. Together with "the four add up to 1" and "none is negative", the tables that
agree with what was given form a polytope in four dimensions. Its corners answer every question: no corner means that
the given values contradict each other, one corner that they determine the table, several that they do not, and then
each quantity lies between its smallest and largest value at the corners (a ratio of linear functions has its extremes
there). Corners are computed with exact fractions, so rare conditions lose no digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from unconfuse.bayesian._quantities import COMPLEMENTS, OF_THE_LABELS, Table, equation, parts_in, value_in

Row = list[Fraction]
NOISE = 1e-14  # what rounding leaves of a probability that is 0
DEPENDENT = 1e-9  # a row this close to the span of the others adds no information that could be trusted


def corners(given: Mapping[str, Fraction], tolerance: float) -> list[Table]:
    """The corners of the set of tables in which every given quantity has its value; empty if there is none."""
    used = independent(given)
    rows = [[Fraction(1)] * 4, *(equation(name, given[name]) for name in used)]
    found: list[Table] = []
    for cells in combinations(range(4), len(rows)):
        table = _corner(rows, cells, tolerance)
        if table is not None and table not in found:
            found.append(table)
    agreed = all(_holds(name, value, found, tolerance) for name, value in given.items())
    return found if agreed and _add_up(given, tolerance) else []


def cleaned(table: Table, given: Mapping[str, Fraction], tolerance: float) -> Table:
    """The table with cells that are nothing but rounding emptied, if it still agrees with all that was given."""
    kept = [cell if cell > NOISE else Fraction(0) for cell in table]
    total = sum(kept)
    clean = (kept[0] / total, kept[1] / total, kept[2] / total, kept[3] / total)
    for name, value in given.items():
        found = value_in(clean, name)
        if name in OF_THE_LABELS if found is None else abs(found - value) > tolerance:
            return table
    return clean


def independent(given: Mapping[str, Fraction]) -> list[str]:
    """Names whose equations do not follow from the ones before them: at most three."""
    basis = [np.full(4, 0.5)]
    kept = []
    for name, value in given.items():
        row = np.array([float(each) for each in equation(name, value)])
        row /= np.linalg.norm(row)
        for _ in range(2):  # the second pass removes what rounding left in the first
            row = row - sum(np.dot(row, each) * each for each in basis)
        size = np.linalg.norm(row)
        if size > DEPENDENT:
            kept.append(name)
            basis.append(row / size)
    return kept


def spread(tables: Sequence[Table], name: str) -> tuple[Fraction, Fraction] | None:
    """Smallest and largest value of a quantity over the set with these corners; None if it is 0/0 everywhere."""
    values = [value for table in tables if (value := value_in(table, name)) is not None]
    return (min(values), max(values)) if values else None


def conflict(given: Mapping[str, Fraction], tolerance: float) -> list[str]:
    """A smallest set of names whose values contradict each other: without any one of them there is no conflict."""
    left = dict(given)
    for name in given:
        without = {each: value for each, value in left.items() if each != name}
        if not corners(without, tolerance):
            left = without
    return list(left)


def _add_up(given: Mapping[str, Fraction], tolerance: float) -> bool:
    """Whether complements add up to 1: a rate and its complement could both "hold" in a class without members."""
    pairs = ((given.get(name), given.get(other)) for name, other in COMPLEMENTS.items())
    return all(abs(one + two - 1) <= tolerance for one, two in pairs if one is not None and two is not None)


def _holds(name: str, value: Fraction, tables: Sequence[Table], tolerance: float) -> bool:
    """Whether the quantity has its given value at every corner (equations that were left out as dependent count too).

    Without members of a class its rates remain what was given; without such labels, predictive values cannot be.
    """
    shares = [parts_in(table, name) for table in tables]
    if not any(bottom for _, bottom in shares):
        return name not in OF_THE_LABELS and bool(tables)
    noise = NOISE if len(tables) > 1 else 0.0  # at some of several corners the share may be rounding / rounding
    return all(abs(top - value * bottom) <= tolerance * bottom + noise for top, bottom in shares)


def _corner(rows: Sequence[Row], cells: tuple[int, ...], tolerance: float) -> Table | None:
    """The table that fulfils the equations with all other cells empty; None if there is none."""
    solution = _solve([[row[cell] for cell in cells] for row in rows])
    if solution is None or min(solution) < -tolerance:
        return None
    table = [Fraction(0)] * 4
    for cell, value in zip(cells, solution, strict=True):
        table[cell] = max(value, Fraction(0))
    total = sum(table)
    return (table[0] / total, table[1] / total, table[2] / total, table[3] / total)


def _solve(matrix: list[Row]) -> Row | None:
    """Gauss-Jordan elimination with right-hand side (1, 0, 0, ...); None if the matrix is singular."""
    size = len(matrix)
    rows = [[*row, Fraction(i == 0)] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = next((i for i in range(column, size) if rows[i][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [each / rows[column][column] for each in rows[column]]
        for i in range(size):
            factor = rows[i][column]
            if i != column and factor:
                rows[i] = [each - factor * top for each, top in zip(rows[i], rows[column], strict=True)]
    return [row[-1] for row in rows]
