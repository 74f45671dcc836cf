"""Documents ranked for queries: from arrays, frames and files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._formatting import short_repr
from unconfuse._row_errors import ColumnProblems, not_numbers
from unconfuse._validate import ColumnRef, as_builtin, as_column, by_text, check_same_length, is_missing, reject_rows
from unconfuse.ingest.bad_rows import RawColumn, RawColumns, lenient
from unconfuse.ingest.build_sample import with_values
from unconfuse.ingest.column_roles import ONLY_MODEL, USUAL_LABELS, USUAL_SCORES, choose_roles
from unconfuse.ingest.data import Data, reject_options
from unconfuse.ingest.grouping import distinct_values, divided_by, named_by
from unconfuse.ingest.named_columns import named_columns
from unconfuse.ingest.read_labels import OF_FILES, numbers_of, refuse_distant, rows_alone
from unconfuse.table.cells import Codes
from unconfuse.table.multi_output import QuerySample

_OF_QUERIES = "documents are ranked for queries"


def read_queries(data: Data) -> QuerySample:
    """Read documents ranked for queries, checked.

    Examples
    --------
    >>> read_queries(Data([1, 0, 2], [.9, .3, .5], query=["a", "a", "b"]))
    QuerySample(2 queries, 3 documents, models: score)
    """
    refuse_distant(data, "rankings per query")
    by_values = data.s is not None
    columns = _query_arrays(data) if by_values else _query_columns(data)
    relevance, scores, query, by, orders = columns
    check_same_length(
        {"relevance": len(relevance), "query": len(query), **{n: len(score) for n, score in scores.items()}}
    )
    names, code = _queries(query)
    order = np.argsort(code, kind="stable")
    division = divided_by(data.by, _once_each(by, code, names), orders) if by else None
    return QuerySample(
        queries=names,
        code=code[order],
        relevance=_relevance(relevance)[order],
        scores={model: _ranking(score, model)[order] for model, score in scores.items()},
        division=division,
    )


def _query_arrays(data: Data) -> tuple[Any, dict[str, Any], Any, dict[str, Any], Any]:
    reject_options(data, frozenset(("source", "s", "query", "by")), _OF_QUERIES)
    if isinstance(data.query, str):
        raise InputError(
            f"`query` takes a value for each row; got {short_repr(data.query)}. Hint: name it beside a frame."
        )
    models = data.s if isinstance(data.s, Mapping) else {ONLY_MODEL: data.s}
    scores = {name: as_column(as_builtin(own), "scores") for name, own in by_text(models, "models").items()}
    raw_columns = with_values(RawColumns(RawColumn([], ColumnRef("labels"))), Data(None, by=data.by))
    return (
        as_column(as_builtin(data.source), "relevance"),
        scores,
        as_column(as_builtin(data.query), "query"),
        dict(raw_columns.by),
        raw_columns.orders,
    )


def _query_columns(data: Data) -> tuple[Any, dict[str, Any], Any, dict[str, Any], Any]:
    is_file = isinstance(data.source, str | os.PathLike)
    known = frozenset(("source", "label", "score", "query", "by")) | (OF_FILES if is_file else frozenset())
    reject_options(data, known, _OF_QUERIES)
    if not isinstance(data.query, str):
        raise InputError("of a frame or a file, `query` names the column of queries. Hint: `query='qid'`.")
    meant: dict[str, Any] = {}
    several = isinstance(data.score, Mapping | list | tuple)
    given = data.score if several else None

    def choose(names: Sequence[str]) -> list[str]:
        usual = {"label": [*USUAL_LABELS, "relevance", "rel"], "score": USUAL_SCORES}
        asked = {"label": data.label, "query": data.query} | ({} if several else {"score": data.score})
        roles = choose_roles(names, asked, usual, "the file" if is_file else "the frame")
        meant.update(roles)
        if several:
            meant["models"] = dict(given) if isinstance(given, Mapping) else {str(n): str(n) for n in given or ()}
        else:
            meant["models"] = {roles["score"]: roles["score"]}
        return list(dict.fromkeys([roles["label"], roles["query"], *meant["models"].values(), *named_by(data.by)[0]]))

    columns = named_columns(rows_alone(data, is_file), choose)
    by = {name: columns[name] for name in named_by(data.by)[0]}
    scores = {str(model): numbers_of(columns[name]) for model, name in meant["models"].items()}
    return numbers_of(columns[meant["label"]]), scores, columns[meant["query"]], by, {}


def _queries(query: npt.NDArray[Any]) -> tuple[tuple[str, ...], Codes]:
    cells = np.asarray(query)
    missing = is_missing(cells.astype(object)) if cells.dtype.kind in "Of" else np.zeros(len(cells), dtype=np.bool_)
    reject_rows(missing, ColumnRef("`query`"), "has missing values", "name the query of every document")
    if not len(cells):
        raise InputError("there are no documents. Hint: check the rows.")
    found, code = distinct_values(cells)
    order = sorted(range(len(found)), key=lambda place: str(found[place]))  # whatever order the rows are in
    place = np.argsort(order)
    return tuple(str(found[each]) for each in order), np.asarray(place[code], dtype=np.int64)


def _relevance(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    numbers, is_text = lenient(numbers_of(np.asarray(values)))
    bad = is_text | np.isnan(numbers) | (numbers < 0) | (numbers != np.round(numbers)) | np.isinf(numbers)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"relevance must be a whole number, 0 or more; got {short_repr(np.asarray(values)[row])} in row {row} "
            "(counted "
            "from 0). Hint: 0 is not relevant, 1 relevant, 2 more so; leave out documents without a known relevance."
        )
    return numbers


def _ranking(values: npt.NDArray[Any], model: str) -> npt.NDArray[np.float64]:
    numbers, is_text = lenient(np.asarray(values))
    if is_text.any():
        raise not_numbers(f"scores of {model}", f"found {short_repr(np.asarray(values)[is_text][0])}")
    place = ColumnRef(f"scores of {short_repr(model)}")
    reject_rows(
        np.isnan(numbers), place, ColumnProblems.NUMBER.what, "a document that was not retrieved has the score -inf"
    )
    reject_rows(np.isposinf(numbers), place, *ColumnProblems.INFINITE)
    return numbers


def _once_each(by: Mapping[str, Any], code: Codes, names: Sequence[str]) -> dict[str, Any]:
    """Return what divides the rows, once for each query; a query that lies in two subgroups is refused."""
    out = {}
    for column, values in by.items():
        cells = np.asarray(values).astype(object)
        check_same_length({"rows": len(code), f"by: {column}": len(cells)})
        first = np.zeros(len(names), dtype=np.intp)
        first[code[::-1]] = np.arange(len(code))[::-1]
        own = cells[first]
        differ = np.array([str(cell) != str(two) for cell, two in zip(cells, own[code], strict=True)])
        if differ.any():
            bad = names[int(code[int(np.argmax(differ))])]
            raise InputError(
                f"query {short_repr(bad)} lies in several subgroups of {short_repr(column)}. Hint: a subgroup is one "
                "of queries."
            )
        out[column] = own
    return out
