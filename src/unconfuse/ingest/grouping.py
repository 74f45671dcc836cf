"""What divides the rows into subgroups or folds: one column, or several that are crossed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError, argument_name, text_of
from unconfuse._formatting import short_repr
from unconfuse._phrases import counted
from unconfuse._validate import as_builtin, as_column, is_missing
from unconfuse.table.sample import Grouping

MISSING = "(missing)"
MOST_SITES = 10_000
MOST = 200  # subgroups: more are a column of ids or of measured numbers, and nobody reads that many
Codes = npt.NDArray[np.int64]
Values = Mapping[str, "npt.NDArray[Any] | CodedColumn"]  # of columns


class SeparateColumnNames(tuple[str, ...]):
    """Names of columns of which each divides the rows by itself: they are read at once and not crossed."""


class SeparateColumns(dict[str, Any]):
    """Such columns, given as values."""


def apart(by: Any) -> Any:
    """Return the same columns, not crossed."""
    names, values = named_by(by)
    return SeparateColumnNames(names) if names else SeparateColumns(values) if isinstance(values, Mapping) else by


def named_by(by: Any) -> tuple[tuple[str, ...], Any]:
    """Whether `by` names columns of a frame or a file, or holds a value for each row.

    Examples
    --------
    >>> named_by(["sex", "site"])
    (('sex', 'site'), None)
    >>> named_by(np.array(["F", "M"]))[0]
    ()
    """
    if isinstance(by, str):
        return (by,), None
    if isinstance(by, list | tuple) and not by:
        raise ArgumentError(f"`by` names no column. Hint: give {argument_name('by', 'name')}.")
    if isinstance(by, list | tuple) and all(isinstance(each, str) for each in by):
        return tuple(dict.fromkeys(by)), None
    return (), by


def values_of(values: Any, name: str, what: str) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Sequence[Any]]]:
    """Return values given apart from the rows, one for each: columns by name, and the orders that some of them know."""
    given = values if isinstance(values, Mapping) else {name: values}
    found = {text_of(key): as_column(as_builtin(column), what) for key, column in given.items()}
    return found, {text_of(key): _categories(column) for key, column in given.items()}


def orders_of(frame: Any, names: Sequence[str]) -> dict[str, Sequence[Any]]:
    """Return the order of the values in those columns of a frame that know one (as ordered categories do)."""
    if not names or isinstance(frame, Mapping):
        return {name: _categories(frame[name]) for name in names}
    import narwhals as nw

    schema = nw.from_native(frame).collect_schema()
    return {name: getattr(schema[name], "categories", ()) for name in names}


def folds_of(columns: Values, orders: Mapping[str, Sequence[Any]] | None = None) -> Grouping | None:
    """Return the folds of a cross-validation: subgroups of which none may be unknown."""
    grouping = division_of(columns, orders)
    if grouping is not None and MISSING in grouping.names:
        bad = counted(int((grouping.code == grouping.names.index(MISSING)).sum()), "row")
        name = short_repr(grouping.columns[0])
        raise InputError(f"column {name} has missing values: {bad}. Hint: every case was tested in some fold.")
    if grouping is not None and len(grouping.names) < 2:
        raise InputError(
            f"there is one fold only, {short_repr(grouping.names[0])}. Hint: a cross-validation has two or more."
        )
    if grouping is not None and len(grouping.columns) > 2:
        raise InputError(f"folds have one column, or two: the repeat and the fold; got {len(grouping.columns)}.")
    return grouping


def sites_of(columns: Values, orders: Mapping[str, Sequence[Any]] | None = None) -> Grouping | None:
    """Return the places that cases come from: two or more, and none unknown."""
    grouping = division_of(columns, orders, most=MOST_SITES)
    if grouping is None:
        return None
    name = short_repr(grouping.columns[0])
    if len(grouping.columns) > 1:
        raise InputError(f"`site` must be one column; got {len(grouping.columns)}. Hint: join them into one.")
    if MISSING in grouping.names:
        bad = counted(int((grouping.code == grouping.names.index(MISSING)).sum()), "row")
        raise InputError(f"column {name} has missing values: {bad}. Hint: drop those rows or name their site.")
    if len(grouping.names) < 2:
        raise one_site(grouping.names[0])
    if len(grouping.names) == len(grouping.code):
        raise InputError(f"column {name} names a site for each row. Hint: a site has many cases.")
    return grouping


class OneSiteError(InputError):
    """All cases come from one site."""


def one_site(name: str) -> OneSiteError:
    """Build the refusal of a single site."""
    return OneSiteError(
        f"there is one site only, {short_repr(name)}: it carries no information about other sites. Hint: leave out "
        f"{argument_name('site')}."
    )


def divided_by(by: Any, columns: Values, orders: Mapping[str, Sequence[Any]]) -> Grouping:
    """By all columns crossed, or by each of them, as `by` says."""
    whole = division_of(columns, orders) if not isinstance(by, SeparateColumnNames | SeparateColumns) else None
    if whole is not None:
        return whole
    found = [division_of({name: column}, orders) for name, column in columns.items()]
    each = tuple(grouping for grouping in found if grouping is not None)
    return Grouping(tuple(columns), ("",), np.zeros(len(each[0].code), dtype=np.int64), each=each)


def division_of(
    columns: Values, orders: Mapping[str, Sequence[Any]] | None = None, *, most: int = MOST
) -> Grouping | None:
    """Divide the rows into subgroups by these columns, crossed, in an order that does not depend on the rows'.

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
    each = [_coded(column, name, (orders or {}).get(name, ()), most) for name, column in columns.items()]
    if len(each) == 1:
        values, code = [(name,) for name in each[0][0]], each[0][1]
    else:
        sizes = [len(names) for names, _ in each]
        crossed = np.ravel_multi_index([code for _, code in each], sizes)
        present, code = np.unique(crossed, return_inverse=True)
        places = zip(*np.unravel_index(present, sizes), strict=True)
        values = [tuple(each[k][0][place] for k, place in enumerate(found)) for found in places]
    reject_many(len(values), len(code), tuple(columns), most)
    firsts = tuple(value[0] for value in values) if len(columns) > 1 else ()
    return Grouping(tuple(columns), _names(values), code.astype(np.int64), firsts)


def _categories(column: Any) -> Sequence[Any]:
    if isinstance(column, np.ndarray | list | tuple):
        return ()
    import narwhals as nw

    known = nw.from_native(column, allow_series=True, pass_through=True)
    return getattr(known.dtype, "categories", ()) if isinstance(known, nw.Series) else ()


def _coded(
    column: npt.NDArray[Any] | CodedColumn, name: str, order: Sequence[Any], most: int
) -> tuple[list[str], Codes]:
    """Return the names that occur, in order, and the place of each row's name among them."""
    try:
        found, code = distinct_values(column)
    except TypeError:
        hint = "Hint: choose another column."
        raise InputError(f"column {short_repr(name)} must hold names or numbers to divide by. {hint}") from None
    reject_many(_names_known_at_once(found), len(column), (name,), most)
    texts = [MISSING if _is_gone(value) else _text(value) for value in found]
    rank = {_text(value): position for position, value in enumerate(order)}
    ordered = sorted(set(texts), key=lambda text: (text == MISSING, rank.get(text, len(rank)), _natural(text)))
    place = {text: position for position, text in enumerate(ordered)}
    return ordered, np.array([place[text] for text in texts], dtype=np.int64)[code]


def _names_known_at_once(found: list[Any]) -> int:
    """How many names the distinct values of a column have, if all are text or numbers of one type, else 0.

    To name each of a million ids or measurements only to refuse them takes ten seconds.
    """
    kinds = set(map(type, found))
    if kinds == {str}:
        return len({each.strip() or MISSING for each in found})
    return len(found) if len(kinds) == 1 and issubclass(kinds.pop(), np.floating | np.integer) else 0


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column whose distinct values its source told apart: `values[code]`, the last value where `code` is -1."""

    values: npt.NDArray[Any]
    code: npt.NDArray[np.integer[Any]]

    def __len__(self) -> int:
        return len(self.code)

    def __getitem__(self, rows: Any) -> CodedColumn:
        return CodedColumn(self.values, self.code[rows])

    def decoded(self) -> npt.NDArray[Any]:
        """Every row's value."""
        return np.asarray(self.values[self.code])

    def distinct(self) -> tuple[list[Any], Codes]:
        """Return the values that occur, and which of them each row holds."""
        code = self.code.astype(np.int64) % len(self.values)
        held = np.bincount(code, minlength=len(self.values)) > 0
        return list(self.values[held]), (np.cumsum(held) - 1)[code]


def distinct_values(column: npt.NDArray[Any] | CodedColumn) -> tuple[list[Any], Codes]:
    """Distinct values in any order, and which of them each row holds; text is never sorted, which would take long."""
    if isinstance(column, CodedColumn):
        return column.distinct()
    if column.dtype.kind not in "OUS":
        values, code = np.unique(column, return_inverse=True)
        return list(values), code.astype(np.int64)
    rows = column.tolist()
    found = list(dict.fromkeys(rows))
    place = dict(zip(found, range(len(found)), strict=True))
    return found, np.fromiter(map(place.__getitem__, rows), np.int64, len(rows))


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
    return value.decode(errors="replace") if isinstance(value, bytes) else text_of(value).strip()


def _natural(name: str) -> tuple[list[Any], str]:
    """Text and numbers by turns, so that like is compared with like."""
    parts = re.split(r"(\d+(?:\.\d+)?)", name)
    return [float(part) if place % 2 else part for place, part in enumerate(parts)], name


def _names(values: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    joined = tuple(", ".join(parts) for parts in values)
    # Values that hold commas themselves could make two subgroups look the same.
    return joined if len(set(joined)) == len(joined) else tuple(", ".join(map(repr, parts)) for parts in values)


def reject_many(found: int, rows: int, columns: Sequence[str], most: int = MOST) -> None:
    """Refuse more subgroups than make sense: a column of ids makes none."""
    if found > most:
        what = " and ".join(short_repr(name) for name in columns)
        raise InputError(
            f"{what} would divide {rows:,} rows into {found:,} subgroups; at most {most:,} make sense. Hint: choose a "
            "column of few values, not of ids; put measured numbers such as ages into bands first."
        )
