"""What is read but is no sample: scores of new rows, features that models are fitted to, and confusion matrices."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._formatting import number_in, short_repr
from unconfuse._row_errors import not_numbers
from unconfuse._validate import Array, as_numbers
from unconfuse.ingest._database_connection import is_address
from unconfuse.ingest._duckdb_readers import SEPARATORS, separator_of
from unconfuse.ingest.bad_rows import lenient
from unconfuse.ingest.build_sample import check_unique_ids
from unconfuse.ingest.column_roles import ColumnRoles, choose, place_of
from unconfuse.ingest.csv_rows import csv_rows
from unconfuse.ingest.data import Data, reject_options

_KNOWN = frozenset(("source", "label", "score", "scores", "id"))


@dataclass(frozen=True)
class NumberColumns:
    """Columns of numbers in the order of the source, with labels and ids if those columns were named."""

    numbers: Mapping[str, Array]
    label: npt.NDArray[Any] | None = None
    id: npt.NDArray[Any] | None = None
    texts: Mapping[str, npt.NDArray[Any]] | None = None  # of a file: every column as it is written there
    classes: Mapping[str, str] | None = None  # by class, its column of numbers, if `scores` named them


def read_columns(
    data: Data, *, everything: bool = False, as_written: bool = False, labelled: bool = False
) -> NumberColumns:
    """Read the scores of rows that need no label; or everything but the label, NaN where a number is missing.

    Rows that must be `labelled` have their label in the column that was named, or in one with a usual name.

    Of files, `on_bad_row="skip"` leaves out the rows that a sample would leave out.

    What is kept `as_written` is every column of a file as text, so that it can be written again beside something new.

    Examples
    --------
    >>> read_columns(Data({"p": [.2, .9], "who": ["a", "b"]}, id="who")).numbers
    {'p': array([0.2, 0.9])}
    """
    path = os.fspath(data.source) if isinstance(data.source, str | os.PathLike) else None
    texts: dict[str, npt.NDArray[Any]] | None = {} if as_written else None
    labelled = labelled or data.label is not None
    if path is not None and is_address(path):
        chosen, found = _of_database(data, everything, labelled)
    elif path is not None:
        chosen, found = _of_files(path, data, everything, labelled, texts)
    else:
        chosen, found = _of_frame(data, everything, labelled)
    if not len(next(iter(found.values()))):
        raise InputError("there are no rows. Hint: check the file, the table or the query.")
    numbers = {name: _numbers(name, found[name], everything) for name in chosen.score_columns}
    label, own = (None if name is None else found[name] for name in (chosen.label, chosen.id))
    return NumberColumns(numbers, label, own, texts or None, next(iter(chosen.matrices.values()), None))


def _of_database(data: Data, everything: bool, labelled: bool) -> tuple[ColumnRoles, Mapping[str, Any]]:
    from unconfuse.ingest.sources.databases import columns_of_database

    reject_options(data, _KNOWN | {"table", "query"}, "the data are a database")
    return columns_of_database(data, everything=everything, labelled=labelled)


def _of_files(
    path: str, data: Data, everything: bool, labelled: bool, texts: dict[str, npt.NDArray[Any]] | None = None
) -> tuple[ColumnRoles, Mapping[str, Any]]:
    from unconfuse.ingest._duckdb_engine import Engine
    from unconfuse.ingest._duckdb_errors import check_duplicated_ids
    from unconfuse.ingest._duckdb_readers import parts_of
    from unconfuse.ingest._file_discovery import open_sources
    from unconfuse.ingest.sources.files import whole_columns

    skip = data.on_bad_row == "skip"
    needed = {"on_bad_row", "weight", "group"} if skip else set()  # what may be missing in a row
    reject_options(data, _KNOWN | {"delimiter", "decimal", "table"} | needed, "the data are files")
    with open_sources(path, data.table, as_stated=data.is_stated) as sources, Engine(sources) as engine:
        parts = parts_of(engine, sources, data, labelled=labelled, everything=everything)
        if data.id is not None:
            check_duplicated_ids(engine, parts, lenient=skip)
        columns = whole_columns(engine, parts, checked=not everything, skip=skip)
        if texts is not None:
            texts |= engine.columns(" UNION ALL BY NAME ".join(part.as_texts(lenient=skip) for part in parts))
    chosen = parts[0].chosen
    return chosen, {name: columns[role] for role, name in {**chosen.texts, **chosen.numbers}.items()}


def _of_frame(data: Data, everything: bool, labelled: bool) -> tuple[ColumnRoles, Mapping[str, Any]]:
    from unconfuse.ingest.sources.frames import columns_of, known_frame, names_of

    reject_options(data, _KNOWN, "the data are a frame")
    frame = known_frame(data.source)
    chosen = choose(names_of(frame), data, "the frame", labelled=labelled, everything=everything)
    columns = columns_of(frame, chosen)
    if chosen.id is not None:
        check_unique_ids(columns[chosen.id].tolist(), chosen.id)
    return chosen, columns


def _numbers(name: str, column: npt.NDArray[Any], may_be_missing: bool) -> Array:
    if not may_be_missing:
        return as_numbers(column, place_of(name))
    numbers, is_text = lenient(np.asarray(column))
    if is_text.any():
        raise not_numbers(
            place_of(name).name, f"found {short_repr(column[is_text][0])}", "encode it first, or leave it out"
        )
    return numbers


def every_column(path: Path) -> dict[str, Any]:
    """Whatever a CSV or Parquet file holds, as the engine reads it."""
    import duckdb

    reader = "read_parquet" if path.suffix == ".parquet" else "read_csv_auto"
    return dict(duckdb.execute(f"SELECT * FROM {reader}(?)", [str(path)]).fetchnumpy())


def read_matrix(path: str) -> tuple[Array, list[str] | None]:
    """Return the counts, and the classes' names if the file has them in its first line or its first column."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{short_repr(path, 200)} cannot be read: {getattr(error, 'strerror', None) or error}."
        ) from None
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise InputError(f"{short_repr(path, 200)} is empty. Hint: one line for each true class.")
    cells = [line.split() for line in lines]  # typed with blanks between
    if any(each in lines[0] for each in SEPARATORS):
        rows = csv_rows(lines, separator_of(lines[0]), short_repr(path, 200))
        cells = [[cell.strip() for cell in line] for line in rows]
    heads = cells.pop(0) if _is_header(cells[0]) else None
    names = [line.pop(0) for line in cells] if _are_named(cells, heads) else None
    return _counts(cells, path), _agreed(heads, names, len(cells))


def _is_header(line: list[str]) -> bool:
    return not line[0] or not all(map(_is_number, line[1:]))


def _are_named(cells: list[list[str]], heads: list[str] | None) -> bool:
    """Whether lines begin with the name of their class: it is no number, or the header has one cell more as well."""
    if any(not _is_number(line[0]) for line in cells):
        return True
    return heads is not None and not heads[0] and len(heads) == len(cells) + 1


def _agreed(heads: list[str] | None, names: list[str] | None, size: int) -> list[str] | None:
    """Names of the columns; those of the rows must be the same in the same order."""
    if heads is not None and len(heads) == size + 1:
        heads = heads[1:]
    if heads is not None and names is not None and heads != names:
        raise InputError(
            "rows and columns of the confusion matrix name different classes, or in another order. "
            f"Hint: the columns are {', '.join(map(short_repr, heads[:5]))}."
        )
    return heads or names


def _counts(cells: list[list[str]], path: str) -> Array:
    if len({len(line) for line in cells}) > 1:
        raise InputError(
            f"the lines of {short_repr(path, 200)} have different lengths. Hint: a confusion matrix is square."
        )
    for place, line in enumerate(cells):
        for cell in line:
            if not _is_number(cell):
                raise InputError(
                    f"row {place + 1} of the confusion matrix holds {short_repr(cell)}, which is not a count."
                )
    return np.array(cells, dtype=np.float64)


def _is_number(cell: str) -> bool:
    try:
        number_in(cell)
    except ValueError:
        return False
    return True
