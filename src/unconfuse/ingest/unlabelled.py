"""New rows of a file: scores, but not necessarily labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._validate import as_numbers
from unconfuse.ingest._engine import Engine
from unconfuse.ingest.columns import Chosen, Wanted, choose_columns
from unconfuse.ingest.files import _sources
from unconfuse.table import Array


@dataclass(frozen=True)
class NewRows:
    """Scores in the order of the file, with labels and ids as text if those columns were named."""

    score: Array
    score_name: str
    label: npt.NDArray[Any] | None
    id: npt.NDArray[Any] | None


def new_rows(
    path: str, *, score: str | None = None, label: str | None = None, id: str | None = None,
    delimiter: str | None = None,
) -> NewRows:  # fmt: skip
    """Scores (and labels, if a column is named) of one or several files, or of standard input."""
    with _sources(path) as sources, Engine() as engine:
        chosen = None
        for source in sources:
            names = engine.column_names(source, delimiter)
            chosen = _columns(names, score, label, id, source.name)
            engine.load(source, names, chosen, delimiter)
        if chosen is None or not engine._count():
            raise InputError("there are no rows to label. Hint: check how the file was written.")
        name = next(iter(chosen.scores))
        numbers = as_numbers(engine._column("score 0"), engine._place(name))
        texts = {role: engine._column(role) for role in ("label", "id") if role in chosen.texts}
        return NewRows(numbers, name, texts["label"] if label is not None else None, texts.get("id"))


def _columns(names: list[str], score: str | None, label: str | None, id: str | None, where: str) -> Chosen:
    """The engine wants a label column: without one, the score is read a second time in its place."""
    if label is not None:
        return choose_columns(names, Wanted(label=label, score=score, id=id), where)
    stand_in = [*names, "\0nothing"]  # a name that no file has
    chosen = choose_columns(stand_in, Wanted(label="\0nothing", score=score, id=id), where)
    return Chosen(next(iter(chosen.scores.values())), chosen.scores, id=chosen.id)


def as_text(values: npt.NDArray[Any] | None, count: int) -> list[str]:
    """Ids as text; row numbers from 1 where there are none."""
    return [str(each) for each in (np.arange(1, count + 1) if values is None else values)]
