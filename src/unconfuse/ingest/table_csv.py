"""Score tables as plain CSV, as a warehouse's own query makes them (see `unconfuse sql`).

A file whose header has the columns score, positives and negatives, and of which no label was named, holds a table; a
column highest is the highest score of each block of a binned one, and other columns divide the cases into subgroups.
"""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import numpy as np

from unconfuse._errors import InputError
from unconfuse._formatting import number_in
from unconfuse.ingest._file_discovery import shown
from unconfuse.ingest.csv_rows import csv_rows
from unconfuse.ingest.data import Data, ReadRequest
from unconfuse.ingest.sources import score_tables
from unconfuse.table.aggregated import AggregatedSample
from unconfuse.table.score_table import ScoreTable

COLUMNS = ("score", "positives", "negatives")
HIGHEST = "highest"
_HEADER = 1 << 16  # characters in which a header must end
_SEPARATORS = (",", ";", "\t", "|")
Cells = tuple[list[float], ...]


def csv_table(path: str, data: Data, needs: ReadRequest) -> AggregatedSample | None:
    """Return the table in a CSV file; None if the file holds anything else."""
    if data.label is not None or not path.lower().endswith((".csv", ".tsv", ".txt")):
        return None
    header = _header(path)
    if header is None or not set(COLUMNS) <= set(header[0]):
        return None
    names, separator = header
    by = [name for name in names if name not in (*COLUMNS, HIGHEST)]
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        parts = _parts(file, names, by, separator, path)
    if not parts:
        raise InputError(f"{shown(path)} holds a header but no rows. Hint: check the query that made it.")
    found = {name: _table(cells) for name, cells in parts.items()}
    source = found if by else next(iter(found.values()))
    return score_tables.read(
        replace(data, source=source, score=None, delimiter=None, by=" and ".join(by) or None), needs
    )


def _header(path: str) -> tuple[list[str], str] | None:
    """Names of the columns and what separates them."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            line = file.readline(_HEADER)
        of_separator = {separator: next(csv.reader([line], delimiter=separator), []) for separator in _SEPARATORS}
    except (OSError, UnicodeDecodeError, csv.Error):  # the reader of rows will say what is wrong
        return None
    for separator, names in of_separator.items():
        if len(names) > 1:
            known = (*COLUMNS, HIGHEST)
            return [
                name.strip().lower() if name.strip().lower() in known else name.strip() for name in names
            ], separator
    return None


def _parts(file: TextIO, names: list[str], by: list[str], separator: str, path: str) -> dict[str, Cells]:
    """Scores and counts of each subgroup."""
    columns = (*COLUMNS, *([HIGHEST] if HIGHEST in names else []))
    places, groups = [names.index(each) for each in columns], [names.index(each) for each in by]
    found: dict[str, Cells] = defaultdict(lambda: tuple([] for _ in columns))
    for line, cells in _lines(file, separator, path):
        try:
            numbers = [number_in(cells[place]) for place in places]
        except (ValueError, IndexError):
            raise _odd(path, line, f"needs a score and two counts; got {separator.join(cells)[:60]!r}") from None
        if not all(map(math.isfinite, numbers)) or min(numbers[1:3]) < 0:
            raise _odd(path, line, f"needs a finite score and counts of 0 or more; got {numbers}")
        own = found[", ".join(cells[place] for place in groups)]
        for column, number in zip(own, numbers, strict=True):
            column.append(number)
    return found


def _lines(file: TextIO, separator: str, path: str) -> Iterator[tuple[int, list[str]]]:
    rows = csv_rows(file, separator, shown(path))
    next(rows)
    yield from ((line, cells) for line, cells in enumerate(rows, start=2) if cells)


def _odd(path: str, line: int, why: str) -> InputError:
    return InputError(
        f"line {line} of {shown(path)}, a score table, {why}. Hint: each row is score, positives, negatives."
    )


def _table(cells: Cells) -> ScoreTable:
    """One row for each distinct score, highest first."""
    score, positives, negatives, *tops = (np.array(cell) for cell in cells)
    distinct, place = np.unique(score + 0.0, return_inverse=True)
    first, second = (
        np.bincount(place, each, len(distinct)).astype(np.float64)[::-1] for each in (positives, negatives)
    )
    columns = distinct[::-1].copy(), first.copy(), second.copy()
    if not tops or bool((tops[0] + 0.0 == score).all()):
        return ScoreTable(*columns)
    highest = distinct.copy()
    np.maximum.at(highest, place, tops[0] + 0.0)
    return ScoreTable(*columns, highest[::-1].copy())
