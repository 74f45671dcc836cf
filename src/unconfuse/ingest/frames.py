"""Frames of any library that narwhals knows, eager or lazy: only the columns that matter are ever collected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._labels import as_is_positive
from unconfuse._validate import Place, as_numbers, as_weights, brief, check_same_length
from unconfuse.ingest.arrays import group_codes, plain
from unconfuse.ingest.by import division_of, orders_of
from unconfuse.ingest.columns import Chosen, Wanted, choose_columns
from unconfuse.ingest.reading import Reading
from unconfuse.ingest.screening import Columns as Unchecked
from unconfuse.ingest.screening import screened
from unconfuse.ingest.tables import Tables
from unconfuse.table import Scores

Columns = Mapping[str, Any]
Orders = Mapping[str, Sequence[Any]]


def gather_frame(frame: Any, wanted: Wanted, how: Reading) -> Scores | Tables:
    """Checked rows of a frame; of a lazy one only its score tables, unless rows are needed.

    Examples
    --------
    >>> gather_frame({"y": [1, 0], "p": [.8, .3]}, Wanted(), Reading())
    Scores(2 rows, 1 positive, models: p)
    """
    if isinstance(frame, Mapping):
        return rows_of_columns(*_from_mapping(frame, wanted), how, orders_of(frame, wanted.by))
    import narwhals as nw

    known = _known(frame)
    if not isinstance(known, nw.DataFrame | nw.LazyFrame):
        raise InputError(
            f"expected labels and scores, a data frame or the path of a file; got {type(frame).__name__}. "
            "Hint: pass scores as well, as in evaluate(y, s)."
        )
    if isinstance(known, nw.DataFrame):
        return rows_of_columns(*_from_eager(known, wanted), how, orders_of(frame, wanted.by))
    if how.rows:
        return rows_of_columns(*_collected(known, wanted), how, orders_of(frame, wanted.by)).in_order()
    from unconfuse.ingest.lazy import tables_of_lazy

    return tables_of_lazy(known, wanted, how)


def rows_of_columns(chosen: Chosen, columns: Columns, how: Reading, orders: Orders | None = None) -> Scores:
    """Checked rows from columns by name."""
    check_same_length({name: len(column) for name, column in columns.items()})
    if chosen.id is not None:
        refuse_duplicated_ids(columns[chosen.id], chosen.id)
    kept = screened(
        Unchecked(
            columns[chosen.label],
            {model: columns[name] for model, name in chosen.scores.items()},
            None if chosen.weight is None else columns[chosen.weight],
            None if chosen.group is None else columns[chosen.group],
        ),
        how.on_bad_row,
    )
    is_positive, label = as_is_positive(kept.label, how.positive, _place(chosen.label))
    return Scores(
        is_positive,
        {model: as_numbers(column, _place(chosen.scores[model])) for model, column in kept.scores.items()},
        None if chosen.weight is None else as_weights(kept.weight, _place(chosen.weight)),
        None if chosen.group is None else group_codes(kept.group, _place(chosen.group)),
        label,
        kept.skipped,
        division_of({name: _only(columns[name], kept.kept) for name in chosen.by}, orders),
    )


def _known(frame: Any) -> Any:
    import narwhals as nw

    try:
        return nw.from_native(frame, pass_through=True)
    except nw.exceptions.DuplicateError:
        twice = next(name for name in frame.columns if list(frame.columns).count(name) > 1)
        raise InputError(f"the frame has more than one column named {brief(twice)}. Hint: rename one.") from None


def _only(column: Any, kept: Any) -> Any:
    return column if kept is None else np.asarray(column)[kept]


def refuse_duplicated_ids(ids: npt.NDArray[Any], name: str) -> None:
    """The same case twice would count as two: refuse it by name."""
    first_row: dict[Any, int] = {}
    for row, value in enumerate(ids.tolist()):
        if first_row.setdefault(value, row) != row:
            raise InputError(
                f"column {brief(name)} holds {brief(value)} more than once, first in rows {first_row[value]} and {row} "
                "(counted from 0). Hint: keep one row for each case, or name the column as the group."
            )


def _from_eager(frame: Any, wanted: Wanted) -> tuple[Chosen, Columns]:
    chosen = choose_columns(frame.columns, wanted, "the frame")
    return chosen, {name: frame.get_column(name).to_numpy() for name in _needed(chosen)}


def _collected(frame: Any, wanted: Wanted) -> tuple[Chosen, Columns]:
    """Only the columns that matter leave the engine."""
    chosen = choose_columns(frame.collect_schema().names(), wanted, "the frame")
    eager = frame.select(*_needed(chosen)).collect()
    return chosen, {name: eager[name].to_numpy() for name in eager.columns}


def _needed(chosen: Chosen) -> list[str]:
    return list(dict.fromkeys([*chosen.texts.values(), *chosen.numbers.values()]))


def is_lazy(frame: Any) -> bool:
    """Whether an engine holds the rows of this frame."""
    import narwhals as nw

    return not isinstance(frame, Mapping) and isinstance(nw.from_native(frame, pass_through=True), nw.LazyFrame)


def names_of_frame(frame: Any) -> list[str]:
    """Column names of a frame or a mapping."""
    import narwhals as nw

    if isinstance(frame, Mapping):
        return [str(name) for name in frame]
    known = _known(frame)
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
    return chosen, {name: np.asarray(plain(frame[name])) for name in _needed(chosen)}


def _place(name: str) -> Place:
    return Place(f"column {brief(name)}")
