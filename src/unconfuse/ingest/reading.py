"""How to read a source, whatever kind it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from unconfuse._validate import check_choice

WHEN_BAD = ("error", "skip")


@dataclass(frozen=True)
class Reading:
    """Everything but the columns: the positive label, what to do with bad rows, and what is needed.

    Attributes
    ----------
    positive : object
        The positive label, or None.
    on_bad_row : {"error", "skip"}
    delimiter : str or None
        Of a CSV file.
    table, query : str or None
        Of a database.
    progress : callable or None
        Called with (rows read, rows in all or 0).
    rows : bool
        Whether rows are needed; otherwise score tables will do.
    """

    positive: object = None
    on_bad_row: str = "error"
    delimiter: str | None = None
    table: str | None = None
    query: str | None = None
    progress: Callable[[int, int], object] | None = None
    rows: bool = True

    def checked(self) -> Reading:
        """Itself, if its words are known."""
        check_choice(self.on_bad_row, "on_bad_row", WHEN_BAD)
        return self
