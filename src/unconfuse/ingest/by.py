"""What divides the rows into subgroups: one column, or several that are crossed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError
from unconfuse._validate import brief, check_same_length, is_missing
from unconfuse.ingest.arrays import plain
from unconfuse.table import Division, Scores

MISSING = "(missing)"
MOST = 200  # subgroups: more are a column of ids or of measured numbers, and nobody reads that many
Codes = npt.NDArray[np.int64]


def names_or_values(by: Any, *, arrays: bool) -> tuple[tuple[str, ...], Any]:
    """Whether `by` names columns of a frame or a file, or holds a value for each row.

    Examples
    --------
    >>> names_or_values(["sex", "site"], arrays=False)
    (('sex', 'site'), None)
    >>> names_or_values(["F", "M"], arrays=True)
    ((), ['F', 'M'])
    """
    if isinstance(by, str):
        return (by,), None
    if isinstance(by, list | tuple) and not by:
        raise ArgumentError("`by` names no column. Hint: pass by='name'.")
    if not arrays and isinstance(by, list | tuple) and all(isinstance(each, str) for each in by):
        return tuple(dict.fromkeys(by)), None
    return (), by


def divided_by(rows: Scores, by: Any) -> Scores:
    """Rows that were read already, divided by values that were given apart from them."""
    if by is None:
        return rows
    if isinstance(by, str):
        raise InputError(f"by={by!r} names a column, but the rows have been read already. Hint: pass the values.")
    columns = by if isinstance(by, Mapping) else {"subgroup": by}
    found = {str(name): np.asarray(plain(column)) for name, column in columns.items()}
    for name, column in found.items():
        if column.ndim != 1:
            raise InputError(f"`by` must hold one value for each row; {brief(name)} has the shape {column.shape}.")
    check_same_length({"labels": len(rows)} | {f"by: {name}"[:60]: len(column) for name, column in found.items()})
    return replace(rows, by=division_of(found, {str(name): _categories(each) for name, each in columns.items()}))


def orders_of(frame: Any, names: Sequence[str]) -> dict[str, Sequence[Any]]:
    """The order of the values in those columns of a frame that know one (as ordered categories do)."""
    if not names or isinstance(frame, Mapping):
        return {name: _categories(frame[name]) for name in names}
    import narwhals as nw

    schema = nw.from_native(frame).collect_schema()
    return {name: getattr(schema[name], "categories", ()) for name in names}


def division_of(
    columns: Mapping[str, npt.NDArray[Any]], orders: Mapping[str, Sequence[Any]] | None = None
) -> Division | None:
    """The subgroups of the rows by these columns, crossed, in an order that does not depend on the rows'.

    Missing values are a subgroup of their own. Numbers within names count as numbers: "5-9" comes before "10-14".
    `orders` overrules that where a column has an order of its own.

    Examples
    --------
    >>> found = division_of({"age": np.array(["10-14", "5-9", None, "5-9"])})
    >>> found.names, found.code
    (('5-9', '10-14', '(missing)'), array([1, 0, 2, 0]))
    """
    if not columns:
        return None
    each = [_coded(column, name, (orders or {}).get(name, ())) for name, column in columns.items()]
    if len(each) == 1:
        values, code = [(name,) for name in each[0][0]], each[0][1]
    else:
        sizes = [len(names) for names, _ in each]
        crossed = np.ravel_multi_index([code for _, code in each], sizes)
        present, code = np.unique(crossed, return_inverse=True)
        places = zip(*np.unravel_index(present, sizes), strict=True)
        values = [tuple(each[k][0][place] for k, place in enumerate(found)) for found in places]
    refuse_many(len(values), len(code), tuple(columns))
    return Division(tuple(columns), _names(values), code.astype(np.int64))


def _categories(column: Any) -> Sequence[Any]:
    if isinstance(column, np.ndarray | list | tuple):
        return ()
    import narwhals as nw

    known = nw.from_native(column, allow_series=True, pass_through=True)
    return getattr(known.dtype, "categories", ()) if isinstance(known, nw.Series) else ()


def _coded(column: npt.NDArray[Any], name: str, order: Sequence[Any]) -> tuple[list[str], Codes]:
    """The names that occur, in order, and the place of each row's name among them."""
    found, code = _distinct(column, name)
    texts = [MISSING if _is_gone(value) else _text(value) for value in found]
    rank = {_text(value): position for position, value in enumerate(order)}
    ordered = sorted(set(texts), key=lambda text: (text == MISSING, rank.get(text, len(rank)), _natural(text)))
    place = {text: position for position, text in enumerate(ordered)}
    return ordered, np.array([place[text] for text in texts], dtype=np.int64)[code]


def _distinct(column: npt.NDArray[Any], name: str) -> tuple[list[Any], Codes]:
    """Distinct values in any order, and which of them each row holds; text is never sorted, which would take long."""
    if column.dtype.kind not in "OUS":
        values, code = np.unique(column, return_inverse=True)
        return list(values), code.astype(np.int64)
    seen: dict[Any, int] = {}
    try:
        code = np.fromiter((seen.setdefault(value, len(seen)) for value in column.tolist()), np.int64, len(column))
    except TypeError:
        hint = "Hint: choose another column."
        raise InputError(f"column {brief(name)} must hold names or numbers to divide by. {hint}") from None
    return list(seen), code


def _is_gone(value: Any) -> bool:
    """Nothing, a blank, or what is not equal to itself: NaN and NaT."""
    held = np.empty(1, dtype=object)
    held[0] = value
    blank = isinstance(value, str | bytes) and not value.strip()
    return bool(is_missing(held)[0]) or blank or bool(value != value)  # noqa: PLR0124


def _text(value: Any) -> str:
    """Whole numbers lose their point: a column of whole numbers with gaps is often read as 1.0, 2.0, ..."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value).strip()


def _natural(name: str) -> tuple[list[Any], str]:
    """Text and numbers by turns, so that like is compared with like."""
    parts = re.split(r"(\d+(?:\.\d+)?)", name)
    return [float(part) if place % 2 else part for place, part in enumerate(parts)], name


def _names(values: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    joined = tuple(", ".join(parts) for parts in values)
    # Values that hold commas themselves could make two subgroups look the same.
    return joined if len(set(joined)) == len(joined) else tuple(", ".join(map(repr, parts)) for parts in values)


def refuse_many(found: int, rows: int, columns: Sequence[str]) -> None:
    """A column of ids makes no subgroups."""
    if found > MOST:
        what = " and ".join(brief(name) for name in columns)
        raise InputError(
            f"{what} would divide {rows:,} rows into {found:,} subgroups; at most {MOST} make sense. Hint: choose a "
            "column of few values, not of ids; put measured numbers such as ages into bands first."
        )
