"""New rows of a file: scores, but not necessarily labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._validate import as_numbers, brief
from unconfuse.ingest._bad_rows import first_text, refuse_bad_rows, refuse_duplicated_ids
from unconfuse.ingest._engine import Engine
from unconfuse.ingest._parts import Choose, Part, parts_of
from unconfuse.ingest._refusals import explained
from unconfuse.ingest._sql import quoted
from unconfuse.ingest.addresses import is_address
from unconfuse.ingest.columns import Chosen, Wanted, choose_columns
from unconfuse.ingest.files import open_sources
from unconfuse.ingest.reading import Reading
from unconfuse.table import Array


@dataclass(frozen=True)
class NewRows:
    """Scores in the order of the source, with labels and ids as text if those columns were named."""

    score: Array
    score_name: str
    label: npt.NDArray[Any] | None
    id: npt.NDArray[Any] | None


def new_rows(
    path: str,
    *,
    score: str | None = None,
    label: str | None = None,
    id: str | None = None,
    delimiter: str | None = None,
    table: str | None = None,
    query: str | None = None,
) -> NewRows:
    """Scores (and labels, if a column is named) of files, of standard input or of a database."""
    wanted, choose = Wanted(label=label, score=score, id=id), choose_columns if label else without_label
    if is_address(path):
        return _of_database(path, wanted, Reading(table=table, query=query), choose)
    with open_sources(path) as sources, Engine() as engine:
        parts = parts_of(engine, sources, wanted, delimiter, choose)
        if id is not None:
            refuse_duplicated_ids(engine, parts)
        columns = _columns(engine, parts)
        if not len(columns["score 0"]):
            raise InputError("there are no rows to label. Hint: check how the file was written.")
        if not np.isfinite(columns["score 0"]).all():
            refuse_bad_rows(engine, parts)
        name = next(iter(parts[0].chosen.scores))
        return NewRows(columns["score 0"], name, columns["label"] if label is not None else None, columns.get("id"))


def _of_database(address: str, wanted: Wanted, how: Reading, choose: Choose) -> NewRows:
    from unconfuse.ingest.databases import columns_of_database

    chosen, columns = columns_of_database(address, wanted, how, choose)
    name = next(iter(chosen.scores))
    score = as_numbers(columns[name], f"column {brief(name)}")
    if not len(score):
        raise InputError("there are no rows to label. Hint: check the table or the query.")
    id = None if chosen.id is None else columns[chosen.id]
    return NewRows(score, name, None if wanted.label is None else columns[chosen.label], id)


def _columns(engine: Engine, parts: Sequence[Part]) -> dict[str, npt.NDArray[Any]]:
    each = []
    for part in parts:
        texts = [f"CAST({part.column(role)} AS VARCHAR) AS {quoted(role)}" for role in part.chosen.texts]
        score = f"coalesce({part.number('score 0', lenient=False)}, CAST('nan' AS DOUBLE)) AS \"score 0\""
        each.append(f"SELECT {', '.join([*texts, score])} FROM {part.reader()}")
    try:
        return engine.columns(" UNION ALL ".join(each))
    except engine.failure as error:
        first_text(engine, parts)
        sources = [source for part in parts for source in part.sources]
        raise explained(error, sources, list(parts[0].types)) from None


def without_label(names: Sequence[str], wanted: Wanted, where: str) -> Chosen:
    """The engine wants a label column: without one, the score is read a second time in its place."""
    stand_in = [*names, "\0nothing"]  # a name that no file has
    chosen = choose_columns(stand_in, Wanted(label="\0nothing", score=wanted.score, id=wanted.id), where)
    return Chosen(next(iter(chosen.scores.values())), chosen.scores, id=chosen.id)


def as_text(values: npt.NDArray[Any] | None, count: int) -> list[str]:
    """Ids as text; row numbers from 1 where there are none."""
    return [str(each) for each in (np.arange(1, count + 1) if values is None else values)]
