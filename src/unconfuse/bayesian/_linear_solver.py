"""All 2x2 tables in which some quantities have given values.

Each of the twelve quantities, and accuracy, is a share, top / bottom, of the four joint probabilities. Its value v is
therefore one linear equation, top - v * bottom = 0. Together with "the four add up to 1" and "none is negative", the
tables that agree with what was given form a polytope in four dimensions. Its corners answer every question: no corner
means that the given values contradict each other, one corner that they determine the table, several that they do not,
and then each quantity lies between its smallest and largest value at the corners (a ratio of linear functions has its
extremes there). Corners are computed with exact fractions, so rare conditions lose no digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from unconfuse.metrics import METRICS

Table = tuple[Fraction, ...]
"""Joint probabilities of true positives, false positives, false negatives and true negatives."""
Given = Mapping[str, Fraction]
NOISE = 1e-14  # what rounding leaves of a probability that is 0
STRICT = 1e-9  # given values may miss each other by this; rounded ones are fitted elsewhere
BELOW = 1e-5  # a cell this far below 0 is emptied; whether all values still hold then decides, since where a condition
# is rare a cell lies far below 0 before the value that asks for it is wrong by anything
DEPENDENT = 1e-9  # a row this close to the span of the others adds no information that could be trusted

_ALL, _POSITIVES, _NEGATIVES = (1, 1, 1, 1), (1, 0, 1, 0), (0, 1, 0, 1)
_LABELLED, _NOT_LABELLED = (1, 1, 0, 0), (0, 0, 1, 1)
_TP, _FP, _FN, _TN = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)
TWELVE = {
    "prevalence": (_POSITIVES, _ALL),
    "negative_prevalence": (_NEGATIVES, _ALL),
    "sensitivity": (_TP, _POSITIVES),
    "specificity": (_TN, _NEGATIVES),
    "false_positive_rate": (_FP, _NEGATIVES),
    "false_negative_rate": (_FN, _POSITIVES),
    "queue_rate": (_LABELLED, _ALL),
    "negative_queue_rate": (_NOT_LABELLED, _ALL),
    "precision": (_TP, _LABELLED),
    "npv": (_TN, _NOT_LABELLED),
    "false_discovery_rate": (_FP, _LABELLED),
    "false_omission_rate": (_FN, _NOT_LABELLED),
}
"""Each quantity: one group of cells of the 2x2 table as a share of another."""
SHARES = TWELVE | {"accuracy": ((1, 0, 0, 1), _ALL)}
"""All quantities that are such shares."""
COMPLEMENTS = {
    "prevalence": "negative_prevalence",
    "sensitivity": "false_negative_rate",
    "specificity": "false_positive_rate",
    "queue_rate": "negative_queue_rate",
    "precision": "false_discovery_rate",
    "npv": "false_omission_rate",
}
"""Pairs that add up to 1; the first of each, in the order in which they are suggested."""
OF_THE_CLASSIFIER = ("sensitivity", "specificity", "false_positive_rate", "false_negative_rate")
"""These keep their meaning in a population that has no member of the class."""
OF_THE_LABELS = ("precision", "npv", "false_discovery_rate", "false_omission_rate")


def value_in(table: Table, name: str) -> Fraction | None:
    """Return the value of the quantity in a table, or None if it is 0/0 there."""
    top, bottom = _parts_in(table, name)
    return top / bottom if bottom else None


def why_undefined(name: str) -> str:
    """Why the quantity is 0/0, in words."""
    return METRICS[name].undefined.split(" (")[0]


def _parts_in(table: Table, name: str) -> tuple[Fraction, Fraction]:
    """Return the two probabilities whose ratio is the quantity."""
    top, bottom = (sum(p for p, inside in zip(table, cells, strict=True) if inside) for cells in SHARES[name])
    return Fraction(top), Fraction(bottom)


def _equation(name: str, value: Fraction) -> list[Fraction]:
    """Return the row r for which r . table = 0 says that the quantity has this value: top - value * bottom = 0."""
    return [top - value * bottom for top, bottom in zip(*SHARES[name], strict=True)]


def normalised(cells: Sequence[Fraction]) -> Table:
    """Joint probabilities in proportion to the cells."""
    total = sum(cells)
    return tuple(cell / total for cell in cells)


def corners(given: Given) -> list[Table]:
    """Return the corners of the set of tables in which every given quantity has its value; empty if there is none."""
    rows = [[Fraction(1)] * 4, *(_equation(name, given[name]) for name in independent(given))]
    sets = combinations(range(4), len(rows))
    found = list(dict.fromkeys(table for cells in sets if (table := _corner(rows, cells))))
    agreed = all(_holds(name, value, found) for name, value in given.items())
    return found if agreed and _add_up(given) else []


def cleaned(table: Table, given: Given) -> Table:
    """Empty the cells that are nothing but rounding, if the table still agrees with all that was given."""
    clean = normalised([cell if cell > NOISE else Fraction(0) for cell in table])
    for name, value in given.items():
        found = value_in(clean, name)
        if name in OF_THE_LABELS if found is None else abs(found - value) > STRICT:
            return table
    return clean


def independent(given: Given) -> list[str]:
    """Names whose equations do not follow from the ones before them: at most three."""
    basis = [np.full(4, 0.5)]
    kept = []
    for name, value in given.items():
        row = np.array([float(each) for each in _equation(name, value)])
        row /= np.linalg.norm(row)
        for _ in range(2):  # the second pass removes what rounding left in the first
            row = row - sum(np.dot(row, each) * each for each in basis)
        size = np.linalg.norm(row)
        if size > DEPENDENT:
            kept.append(name)
            basis.append(row / size)
    return kept


def _add_up(given: Given) -> bool:
    """Whether complements add up to 1: a rate and its complement could both "hold" in a class without members."""
    pairs = ((given.get(name), given.get(other)) for name, other in COMPLEMENTS.items())
    return all(abs(one + two - 1) <= STRICT for one, two in pairs if one is not None and two is not None)


def _holds(name: str, value: Fraction, tables: Sequence[Table]) -> bool:
    """Whether the quantity has its given value at every corner (equations that were left out as dependent count too).

    Without members of a class its rates remain what was given; without such labels, predictive values cannot be.
    """
    shares = [_parts_in(table, name) for table in tables]
    if not any(bottom for _, bottom in shares):
        return name not in OF_THE_LABELS and bool(tables)
    noise = NOISE if len(tables) > 1 else 0.0  # at some of several corners the share may be rounding / rounding
    return all(abs(top - value * bottom) <= STRICT * bottom + noise for top, bottom in shares)


def _corner(rows: Sequence[list[Fraction]], cells: tuple[int, ...]) -> Table | None:
    """Return the table that fulfils the equations with all other cells empty; None if there is none."""
    solution = solve([[row[cell] for cell in cells] for row in rows], [Fraction(i == 0) for i in range(len(rows))])
    if solution is None or min(solution) < -BELOW:
        return None
    table = [Fraction(0)] * 4
    for cell, value in zip(cells, solution, strict=True):
        table[cell] = max(value, Fraction(0))
    return normalised(table)


def solve(matrix: list[list[Fraction]], right: Sequence[Fraction]) -> list[Fraction] | None:
    """Gauss-Jordan elimination with exact fractions; None if the matrix is singular."""
    size = len(matrix)
    rows = [[*row, end] for row, end in zip(matrix, right, strict=True)]
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
