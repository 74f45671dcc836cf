"""Columns by name, of rows that are no cases: published counts of studies, results of a benchmark."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError, did_you_mean
from unconfuse._formatting import number_in, short_repr
from unconfuse._validate import Array, as_numbers, check_same_length, is_missing, reject_rows
from unconfuse.ingest._database_connection import is_address
from unconfuse.ingest.column_roles import ColumnRoles, place_of
from unconfuse.ingest.data import Data, reject_options
from unconfuse.ingest.sources.frames import columns_of, known_frame, names_of

Chooses = Callable[[Sequence[str]], Sequence[str]]


def named_columns(source: Any, names: Sequence[str] | Chooses) -> dict[str, npt.NDArray[Any]]:
    """Return these columns of a frame, a mapping, a file or a `Data` that names one; those of files are text.

    A function chooses them from the names of all columns, where a pattern stands for several.

    Examples
    --------
    >>> named_columns({"d": ["x", "y"], "auc": [.8, .9]}, ["auc"])
    {'auc': array([0.8, 0.9])}
    """
    data = source if isinstance(source, Data) else Data(source)
    if isinstance(data.source, str | os.PathLike):
        found = _of_files(os.fspath(data.source), data, names)
    else:
        reject_options(data, frozenset(("source",)), "the data are a frame")
        frame = known_frame(data.source, expected="", hint="")
        known = names_of(frame)
        names = names(known) if callable(names) else names
        _check_names(names, known, "the mapping" if isinstance(frame, Mapping) else "the frame")
        found = {
            name: np.atleast_1d(column) for name, column in columns_of(frame, ColumnRoles(by=tuple(names))).items()
        }
    check_same_length({name: len(column) for name, column in found.items()})
    if not len(next(iter(found.values()))):
        raise InputError("there are no rows. Hint: check the file or the frame.")
    return found


def _check_names(names: Sequence[str], known: Sequence[str], where: str) -> None:
    for name in names:
        if name not in known:
            raise InputError(f"{where} has no column {short_repr(name)}. {did_you_mean(name, known)}")


def _of_files(path: str, data: Data, names: Sequence[str] | Chooses) -> dict[str, npt.NDArray[Any]]:
    from unconfuse.ingest._duckdb_engine import Engine
    from unconfuse.ingest._duckdb_readers import parts_of
    from unconfuse.ingest._file_discovery import open_sources

    if is_address(path):
        raise InputError("a database does not give such columns. Hint: select them into a frame or a file first.")
    reject_options(data, frozenset(("source", "delimiter", "decimal", "table")), "the data are files")
    with open_sources(path, data.table, as_stated=data.is_stated) as sources, Engine(sources) as engine:
        parts = parts_of(engine, sources, data, labelled=False, everything=True)
        names = names(list(parts[0].types)) if callable(names) else names
        for part in parts:
            _check_names(names, list(part.types), part.sources[0].name)
        found = engine.columns(" UNION ALL BY NAME ".join(part.as_texts() for part in parts))
    columns = {name: np.asarray(found[name], dtype=object) for name in names}
    if data.decimal is None or data.decimal == ".":
        return columns
    return {name: _with_point(column, data.decimal) for name, column in columns.items()}


def _with_point(column: npt.NDArray[Any], decimal: str) -> npt.NDArray[Any]:
    """Numbers with the usual point; what is no number with it stays as it is written."""

    def pointed(cell: Any) -> Any:
        if not isinstance(cell, str):
            return cell
        try:
            number_in(cell.replace(decimal, "."))
        except ValueError:
            return cell
        return cell.replace(decimal, ".")

    return np.array([pointed(cell) for cell in column], dtype=object)


def numbers_in(column: npt.NDArray[Any], name: str) -> Array:
    """Return a column as numbers, even that of a file, whose cells are text."""
    if column.dtype != object:
        return as_numbers(column, place_of(name))
    return as_numbers(np.array([_number(cell) for cell in column], dtype=object), place_of(name))


def _number(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    try:
        return number_in(cell)
    except ValueError:
        return cell


def texts_in(column: npt.NDArray[Any], name: str) -> list[str]:
    """Return a column as names; a missing one is refused."""
    objects = column.astype(object)
    reject_rows(is_missing(objects), place_of(name), "has missing names", "name every row, or leave the row out")
    return [str(cell) for cell in objects]
