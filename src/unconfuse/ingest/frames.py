"""Frames of any library that narwhals knows, eager or lazy: only the columns that matter are ever collected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._labels import as_is_positive
from unconfuse._validate import Place, as_numbers, as_weights, brief, check_same_length
from unconfuse.ingest.arrays import group_codes, plain
from unconfuse.ingest.columns import Chosen, Wanted, choose_columns
from unconfuse.table import Scores

Columns = Mapping[str, Any]


def rows_of_frame(frame: Any, wanted: Wanted, *, positive: object = None) -> Scores:
    """Checked rows of a frame, or of a mapping from names to columns.

    Examples
    --------
    >>> rows_of_frame({"y": [1, 0], "p": [.8, .3]}, Wanted())
    Scores(2 rows, 1 positive, models: p)
    """
    chosen, columns = _from_mapping(frame, wanted) if isinstance(frame, Mapping) else _from_frame(frame, wanted)
    check_same_length({name: len(column) for name, column in columns.items()})
    if chosen.id is not None:
        refuse_duplicated_ids(columns[chosen.id], chosen.id)
    is_positive, label = as_is_positive(columns[chosen.label], positive, _place(chosen.label))
    return Scores(
        is_positive,
        {model: as_numbers(columns[name], _place(name)) for model, name in chosen.scores.items()},
        None if chosen.weight is None else as_weights(columns[chosen.weight], _place(chosen.weight)),
        None if chosen.group is None else group_codes(columns[chosen.group], _place(chosen.group)),
        label,
    )


def refuse_duplicated_ids(ids: npt.NDArray[Any], name: str) -> None:
    """The same case twice would count as two: refuse it by name."""
    first_row: dict[Any, int] = {}
    for row, value in enumerate(ids.tolist()):
        if first_row.setdefault(value, row) != row:
            raise InputError(
                f"column {brief(name)} holds {brief(value)} more than once, first in rows {first_row[value]} and {row} "
                "(counted from 0). Hint: keep one row for each case, or name the column as the group."
            )


def _from_frame(frame: Any, wanted: Wanted) -> tuple[Chosen, Columns]:
    import narwhals as nw

    known = nw.from_native(frame, pass_through=True)
    if not isinstance(known, nw.DataFrame | nw.LazyFrame):
        raise InputError(
            f"expected labels and scores, a data frame or the path of a file; got {type(frame).__name__}. "
            "Hint: pass scores as well, as in evaluate(y, s)."
        )
    chosen = choose_columns(known.collect_schema().names(), wanted, "the frame")
    kept = known.select(*dict.fromkeys([*chosen.texts.values(), *chosen.numbers.values()]))
    eager = kept.collect() if isinstance(kept, nw.LazyFrame) else kept
    return chosen, {name: eager[name].to_numpy() for name in eager.columns}


def names_of_frame(frame: Any) -> list[str]:
    """Column names of a frame or a mapping."""
    import narwhals as nw

    if isinstance(frame, Mapping):
        return [str(name) for name in frame]
    known = nw.from_native(frame, pass_through=True)
    if not isinstance(known, nw.DataFrame | nw.LazyFrame):
        raise InputError(f"expected a data frame, a mapping of columns or a file; got {type(frame).__name__}.")
    return list(known.collect_schema().names())


def columns_of_frame(frame: Any, names: Iterable[str]) -> Columns:
    """Some columns of a frame or a mapping, as arrays."""
    import narwhals as nw

    wanted = list(dict.fromkeys(names))
    if isinstance(frame, Mapping):
        return {name: np.asarray(plain(frame[name])) for name in wanted}
    kept = nw.from_native(frame).select(*wanted)
    eager = kept.collect() if isinstance(kept, nw.LazyFrame) else kept
    return {name: eager[name].to_numpy() for name in wanted}


def _from_mapping(frame: Mapping[str, Any], wanted: Wanted) -> tuple[Chosen, Columns]:
    chosen = choose_columns([str(name) for name in frame], wanted, "the mapping")
    names = dict.fromkeys([*chosen.texts.values(), *chosen.numbers.values()])
    return chosen, {name: np.asarray(plain(frame[name])) for name in names}


def _place(name: str) -> Place:
    return Place(f"column {brief(name)}")
