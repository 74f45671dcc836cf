"""Adding rows or tables in pieces: the table of all of them, at any time, without copying any row often."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unconfuse._validate import check_whole, mention_skipped
from unconfuse.table.scores import ScoreTable


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


class TableBuilder:
    """Collects rows or tables piece by piece; `table` is the score table of all of them.

    Pieces are merged like the digits of a binary counter, so that k pieces of together n rows cost about n log k. With
    `bins`, the table never grows beyond a few times so many rows, however many scores there are, and is binned.

    Parameters
    ----------
    bins : int, optional
        Keep the table this small (see `ScoreTable.coarsen`). By default it stays exact.
    edges : floats
        Thresholds at which counts stay exact although the table is binned.

    Examples
    --------
    >>> import unconfuse as uc
    >>> day = uc.TableBuilder()
    >>> for labels, scores in [([1, 0], [.9, .4]), ([0, 0], [.2, .4]), ([1], [.7])]:
    ...     day.add(labels, scores)
    >>> day.table
    ScoreTable(4 distinct scores, 2 positives of 5)
    >>> print(uc.evaluate(day.table, metrics=["auroc"])["auroc"].value)
    1.0
    """

    def __init__(self, *, bins: int | None = None, edges: Iterable[float] = ()) -> None:
        self._bins = None if bins is None else check_whole(bins, "bins", at_least=1)
        self._edges = tuple(edges)
        self._waiting: list[ScoreTable] = []

    def add(self, y: Any, s: Any = None, **words: Any) -> None:
        """One more piece: whatever `score_table` takes, or a table."""
        from unconfuse.ingest import Data, read

        found = read(Data(y, s, **words))
        mention_skipped(found.skipped)
        push(self._waiting, self._small(found.table(), room=4))
        self._waiting[-1] = self._small(self._waiting[-1], room=4)

    @property
    def table(self) -> ScoreTable:
        """The table of all rows so far."""
        return self._small(total(self._waiting), room=1)

    def _small(self, table: ScoreTable, room: int) -> ScoreTable:
        """Pieces are kept finer than the result, so that little is lost when their blocks are united."""
        if self._bins is None or len(table) <= room * self._bins:
            return table
        return table.coarsen(room * self._bins // 2 if room > 1 else self._bins, edges=self._edges)

    def __repr__(self) -> str:
        return f"TableBuilder({sum(each.n for each in self._waiting):g} cases so far)"
