"""Merging many tables without copying any row often."""

from __future__ import annotations

from collections.abc import Iterable

from unconfuse.table import ScoreTable


def merge_all(tables: Iterable[ScoreTable]) -> ScoreTable:
    """The table of all rows. Tables of about equal size are merged first, so that no row is copied often.

    Examples
    --------
    >>> import numpy as np
    >>> one = ScoreTable(np.array([0.5]), np.array([1.0]), np.array([2.0]))
    >>> merge_all([one] * 1000).n
    3000.0
    """
    waiting: list[ScoreTable] = []
    for table in tables:
        push(waiting, table)
    return total(waiting)


def push(waiting: list[ScoreTable], table: ScoreTable) -> None:
    """Put one more table on the pile, and merge from the top while the one below is not much larger."""
    waiting.append(table)
    while len(waiting) > 1 and len(waiting[-2]) <= 2 * len(waiting[-1]):
        last = waiting.pop()
        waiting[-1] = waiting[-1].merge(last)


def total(waiting: list[ScoreTable]) -> ScoreTable:
    """All tables of the pile merged, the smallest first."""
    found = ScoreTable.empty()
    for table in reversed(waiting):
        found = table.merge(found) if len(found) else table
    return found
