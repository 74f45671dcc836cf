"""Answers to items, one row each: which item, which model, right or wrong, and perhaps which run and what a judge said.

Rows come from frames, mappings of columns, files, or logs of evaluation frameworks (`ingest.eval_logs`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError, argument_name, text_of
from unconfuse._formatting import number_in, short_repr
from unconfuse._phrases import counted
from unconfuse._validate import as_builtin, as_column, check_same_length
from unconfuse.ingest.column_roles import choose_roles
from unconfuse.ingest.data import Data

Codes = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]
_USUAL = {
    "item": ("item", "q", "question", "item_id", "question_id", "doc_id", "id"),
    "model": ("model", "m"),
    "correct": ("correct", "ok", "right", "score", "acc"),
}
_WORDS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0, "right": 1.0, "wrong": 0.0}
_WORDS |= {"correct": 1.0, "incorrect": 0.0, "pass": 1.0, "fail": 0.0}
_MISSING = {"", "na", "n/a", "nan", "null", "none", "<na>", "nat"}
ONLY = "the model"  # what a model is called that has no name


@dataclass(frozen=True)
class ResponseColumns:
    """A column of names: the distinct ones, and which of them each row has."""

    names: tuple[str, ...]
    code: Codes


@dataclass(frozen=True)
class ItemResponses:
    """Checked rows, one for each answer; `correct` is NaN where nobody checked what a judge scored."""

    item: ResponseColumns
    model: ResponseColumns
    correct: Array
    run: ResponseColumns | None = None
    cluster: ResponseColumns | None = None
    judge: Array | None = None


def read_answers(source: Any, roles: Mapping[str, str | None], data: Mapping[str, Any]) -> ItemResponses:
    """Read and check the columns of these roles; of logs the columns are known."""
    from unconfuse.ingest.eval_logs import columns_of_logs

    columns = columns_of_logs(source, roles)
    if columns is None:
        columns = _columns(source, roles, data)
    elif given := [word for word, value in data.items() if value is not None]:
        raise InputError(f"logs do not support `{given[0]}`. Hint: leave it out.")
    check_same_length({role: len(column) for role, column in columns.items()})
    if not len(columns["item"]):
        raise InputError("there are no rows. Hint: check the file or the frame.")
    judged = "judge" in columns
    names = {role: _named(columns[role], role) for role in ("item", "run", "cluster") if role in columns}
    model = _named(columns["model"], "model") if "model" in columns else None
    if model is None:
        model = ResponseColumns((ONLY,), np.zeros(len(columns["item"]), dtype=np.int64))
    return ItemResponses(
        names["item"],
        model,
        _scores(columns["correct"], "correct", may_be_missing=judged),
        names.get("run"),
        names.get("cluster"),
        _scores(columns["judge"], "judge", may_be_missing=False) if judged else None,
    )


def _columns(source: Any, roles: Mapping[str, str | None], data: Mapping[str, Any]) -> dict[str, npt.NDArray[Any]]:
    if isinstance(source, str | os.PathLike):
        return _of_files(os.fspath(source), roles, data)
    for word, value in data.items():
        if value is not None:
            raise InputError(f"`{word}` is for files; the data are a frame. Hint: leave it out.")
    from unconfuse.ingest.sources.frames import known_frame, names_of

    try:
        frame = known_frame(source)
    except InputError:
        if hasattr(source, "columns"):
            raise
        raise InputError(
            f"`items` requires a data frame, a mapping of columns, a file or logs; got {type(source).__name__}. "
            "Hint: give one row for each answer, with columns of items, models and right or wrong."
        ) from None
    chosen = _chosen(names_of(frame), roles, "the mapping" if isinstance(frame, Mapping) else "the frame")
    if isinstance(frame, Mapping):
        return {role: as_column(as_builtin(frame[name]), name) for role, name in chosen.items()}
    eager = frame.select(*dict.fromkeys(chosen.values()))
    eager = eager.collect() if hasattr(eager, "collect") else eager
    return {role: eager.get_column(name).to_numpy() for role, name in chosen.items()}


def _of_files(path: str, roles: Mapping[str, str | None], data: Mapping[str, Any]) -> dict[str, npt.NDArray[Any]]:
    from unconfuse.ingest._database_connection import is_address
    from unconfuse.ingest._duckdb_engine import Engine
    from unconfuse.ingest._duckdb_errors import explained
    from unconfuse.ingest._duckdb_readers import parts_of, quoted
    from unconfuse.ingest._file_discovery import open_sources

    if is_address(path):
        raise InputError("`items` does not support databases. Hint: read the rows into a frame first.")
    words = {word: value for word, value in data.items() if value is not None}
    described = Data(path, **words)
    with open_sources(path, described.table) as sources, Engine(sources) as engine:
        parts = parts_of(engine, sources, described, labelled=False, everything=True)
        chosen = _chosen(list(parts[0].types), roles, sources[0].name)
        for part in parts[1:]:
            _chosen(list(part.types), chosen, part.sources[0].name)
        named = ", ".join(f"{quoted(name)} AS {quoted(role)}" for role, name in chosen.items())
        query = " UNION ALL ".join(f"SELECT {named} FROM ({part.as_texts()})" for part in parts)
        try:
            return engine.columns(query)
        except engine.failure as error:
            raise explained(error, sources, list(parts[0].types)) from None


def _chosen(names: Sequence[str], roles: Mapping[str, str | None], where: str) -> dict[str, str]:
    """Columns by role; a model need not have one if there is a single model."""
    return choose_roles(names, roles, _USUAL, where, optional=("model",))


def _named(column: npt.NDArray[Any], role: str) -> ResponseColumns:
    """Names as text; those of items stay in the order of the rows, because sorting a million of them takes long."""
    if column.dtype.kind in "iubf":
        values, code = np.unique(column, return_inverse=True)
        distinct, code = values.tolist(), code.reshape(-1).astype(np.int64)
    else:
        distinct, code = _numbered(column, role)
    if _lacks_some(distinct):
        missing = np.array([_is_blank(each) for each in distinct], dtype=bool)
        rows = np.flatnonzero(missing[code])
        raise InputError(
            f"column `{role}` has missing values: {counted(len(rows), 'row')}, first at row {rows[0]} "
            "(counted from 0). Hint: name every row, or drop those rows."
        )
    return _merged(distinct, code, is_sorted=role != "item")


def _lacks_some(distinct: list[Any]) -> bool:
    if set(map(type, distinct)) == {str}:  # the usual case, several times faster
        return "" in distinct or any(map(str.isspace, distinct))
    return any(map(_is_blank, distinct))


def _is_blank(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or text_of(value) in ("nan", "NaN", "NaT", "<NA>", "None")


def _numbered(column: npt.NDArray[Any], role: str) -> tuple[list[Any], Codes]:
    """Distinct values in the order in which they come, and which of them each row has."""
    place: dict[Any, int] = {}
    try:
        code = np.array([place.setdefault(each, len(place)) for each in column.tolist()], dtype=np.int64)
    except TypeError:  # lists and the like
        raise InputError(f"column `{role}` must hold names or numbers; got {column.dtype.name} of lists.") from None
    return list(place), code


def _merged(values: list[Any], code: Codes, *, is_sorted: bool) -> ResponseColumns:
    """Names that are the same as text, such as 1 and "1", are one."""
    texts = distinct = values
    if set(map(type, values)) != {str}:
        texts = [str(int(value)) if type(value) is float and value.is_integer() else text_of(value) for value in values]
        distinct = list(dict.fromkeys(texts))
    distinct = sorted(distinct) if is_sorted else distinct
    if distinct == texts:
        return ResponseColumns(tuple(texts), code)
    place = {name: number for number, name in enumerate(distinct)}
    return ResponseColumns(tuple(distinct), np.array([place[text] for text in texts], dtype=np.int64)[code])


def _scores(column: npt.NDArray[Any], role: str, *, may_be_missing: bool) -> Array:
    """Right or wrong as 1 and 0, or scores in [0, 1]; NaN where a check is missing, if it may be."""
    if column.dtype.kind in "fiub":
        numbers = column.astype(np.float64)
    else:
        values, code = _numbered(column, role)
        numbers = np.array([_score(value, role) for value in values], dtype=np.float64)[code]
    outside = (numbers < 0) | (numbers > 1)
    if outside.any():
        hint = "Hint: divide scores by the largest possible one."
        raise InputError(
            f"column `{role}` must be right or wrong (1 or 0), or scores from 0 to 1; got "
            f"{numbers[outside][0]:g} in {int(outside.sum()):,} rows. {hint}"
        )
    missing = np.isnan(numbers)
    if missing.any() and not may_be_missing:
        given = argument_name("judge", "name")
        more = f" If a rater scored all answers and people only some, name the rater's column: {given}."
        raise InputError(
            f"column `{role}` has missing values: {counted(int(missing.sum()), 'row')}, first at row "
            f"{int(np.flatnonzero(missing)[0])} (counted from 0). Hint: score every answer, or drop those rows."
            + (more if role == "correct" else "")
        )
    return numbers


def _score(value: Any, role: str) -> float:
    text = text_of(value).strip()
    if value is None:
        return float("nan")
    known = _WORDS.get(text.lower())
    if known is not None:
        return known
    if text.lower() in _MISSING:
        return float("nan")
    try:
        return number_in(text)
    except ValueError:
        raise InputError(
            f"column `{role}` must be right or wrong (1 or 0, true or false), or scores from 0 to 1; "
            f"got {short_repr(value)}."
        ) from None
