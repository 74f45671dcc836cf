"""Reading the data of commands that need no rows."""

from __future__ import annotations

from typing import Any

from unconfuse._validate import Skipped
from unconfuse.cli._progress import reading_line
from unconfuse.table import ScoreTable


def read_table(file: str, **options: Any) -> tuple[ScoreTable, Skipped]:
    """The score table of a source, and what was left out of it (which is said at once)."""
    from unconfuse._validate import mention_skipped
    from unconfuse.ingest import gather

    with reading_line() as progress:
        found = gather(file, **options, progress=progress, rows=False)
    mention_skipped(found.skipped)
    return found.table(), found.skipped
