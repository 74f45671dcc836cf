"""A small and plain CSV file without the engine, which takes longer to start than such a file takes to read.

Only what can be read in one way is read here: no quotes, no missing values, as many cells in every line, and scores
that are decimal numbers. Anything else is left to the engine, which then also says what is wrong with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from unconfuse._errors import InputError
from unconfuse._labels import BinaryLabels, both_classes
from unconfuse.ingest._duckdb_aggregate import ROOM
from unconfuse.ingest._duckdb_readers import MISSING, csv_header
from unconfuse.ingest._file_discovery import FileSource
from unconfuse.ingest.column_roles import ColumnRoles, choose
from unconfuse.ingest.data import Data
from unconfuse.table.score_table import ScoreTable

_LARGEST = 1 << 20  # bytes: what Python reads while the engine starts
_ODD = re.compile('["\0\r\ufeff]')
_NUMBER = re.compile(r"-?([0-9]{1,15}(\.[0-9]{1,40})?|\.[0-9]{1,40})([eE][-+]?[0-9]{1,2})?", re.ASCII)
_EXACT = 2.0**53  # whole numbers beyond may have become ties


class SmallCsv(NamedTuple):
    """The columns chosen, one table for each model, and what the labels mean."""

    chosen: ColumnRoles
    tables: list[ScoreTable]
    question: BinaryLabels
    rows: int


def read_small(sources: Sequence[FileSource], data: Data) -> SmallCsv | None:
    """Return the tables of a small file; None where the engine must look at it."""
    if not _is_small(sources) or data.decimal is not None or data.on_bad_row != "error":
        return None
    try:
        names, separator, blank = csv_header(None, sources[0], data.delimiter)
        chosen = choose(names, data, sources[0].name)
        if blank or not _is_simple(chosen, names):
            return None
        lines = _lines(sources[0], separator, len(names))
        return None if lines is None else _tables(chosen, dict(zip(names, zip(*lines, strict=True), strict=True)), data)
    except (InputError, UnicodeDecodeError, OSError):  # the engine says it better
        return None


def _is_small(sources: Sequence[FileSource]) -> bool:
    source = sources[0]
    plain = source.format == "csv" and source.compression == "none" and not source.sheet and not source.partitions
    return len(sources) == 1 and plain and Path(source.path).stat().st_size <= _LARGEST


def _is_simple(chosen: ColumnRoles, names: Sequence[str]) -> bool:
    """Tell whether a label and scores are all that is asked for."""
    only_scores = list(chosen.texts) == ["label"] and len(chosen.numbers) == len(chosen.scores) > 0
    return only_scores and chosen.label not in chosen.numbers.values() and set(chosen.needed) <= set(names)


def _lines(source: FileSource, separator: str, width: int) -> list[list[str]] | None:
    """Return the cells of every line below the header; None if a line is odd, or if there is none."""
    text = Path(source.path).read_bytes().decode("utf-8")
    if text.count("\r") == text.count("\n") == text.count("\r\n"):
        text = text.replace("\r\n", "\n")
    if _ODD.search(text):
        return None
    found = [line.split(separator) for line in text.removesuffix("\n").split("\n")[1:]]
    return found if found and all(len(cells) == width for cells in found) else None


def _tables(chosen: ColumnRoles, columns: dict[str, tuple[str, ...]], data: Data) -> SmallCsv | None:
    labels = columns[str(chosen.label)]
    counted, scores = Counter(labels), [columns[name] for name in chosen.scores.values()]
    if len(counted) > ROOM or any(each in MISSING or each != each.strip() for each in counted):
        return None
    if not all(_NUMBER.fullmatch(cell) for column in scores for cell in column):
        return None
    numbers = [np.array(column, dtype=np.float64) for column in scores]
    if any(np.abs(number).max() >= _EXACT for number in numbers):
        return None
    question = both_classes(sorted(counted), data.stated, lambda: counted)
    meant = set(map(str, question.meant))
    truth = np.array([label in meant for label in labels])
    return SmallCsv(chosen, [ScoreTable.from_rows(truth, number) for number in numbers], question, len(labels))
