"""Checks of values and arrays: each refusal says what was wrong, what was given and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError

Array = npt.NDArray[np.float64]
_KNOWN_PAIRS = ((0.0, 1.0), (-1.0, 1.0))


def check_probability(value: float, name: str, *, open_interval: bool = False) -> float:
    """A single number in [0, 1], or in (0, 1) when `open_interval`."""
    number = check_number(value, name)
    inside = 0 < number < 1 if open_interval else 0 <= number <= 1
    if not inside:
        where = "strictly between 0 and 1" if open_interval else "between 0 and 1"
        hint = f" Hint: {number:g}% is {number / 100:g}." if 1 < number <= 100 else ""
        raise ArgumentError(f"`{name}` must lie {where}; got {number:g}.{hint}")
    return number


def check_number(value: Any, name: str) -> float:
    """A single finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"`{name}` must be a number; got {value!r}.") from None
    if not np.isfinite(number):
        raise ArgumentError(f"`{name}` must be a finite number; got {number}.")
    return number


def check_choice(value: object, name: str, choices: Sequence[str]) -> str:
    """One of a few words."""
    if value not in choices:
        raise ArgumentError(f"`{name}` must be one of {', '.join(map(repr, choices))}; got {value!r}.")
    return str(value)


def check_whole(value: Any, name: str, *, at_least: int) -> int:
    """A whole number that is large enough."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < at_least:
        raise ArgumentError(f"`{name}` must be a whole number of at least {at_least}; got {value!r}.")
    return int(value)


def check_count(value: Any, name: str) -> Array:
    """One count, or an array of them: finite and not negative."""
    try:
        cells = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"`{name}` must be a count; got {value!r}.") from None
    if not np.isfinite(cells).all() or (cells < 0).any():
        raise InputError(f"`{name}` must be a count of 0 or more; got {value!r}.")
    return cells


def check_same_length(columns: dict[str, int]) -> None:
    """All columns have as many rows as the first."""
    first, *others = columns.items()
    for name, length in others:
        if length != first[1]:
            raise InputError(
                f"`{first[0]}` and `{name}` must have the same length; got {first[1]} and {length}. "
                "Hint: each row needs one label and one score."
            )


def check_not_empty(length: int) -> None:
    """There is at least one row."""
    if length == 0:
        raise InputError("there are no rows. Hint: check the file or the filter that made the data.")


def check_both_classes(positives: float, negatives: float, positive_label: object) -> None:
    """Both classes occur: without that a classifier cannot be judged."""
    if positives > 0 and negatives > 0:
        return
    found = "only positives" if positives > 0 else "no positives"
    raise InputError(
        f"the labels hold one class only: {found} ({positive_label!r}) among {positives + negatives:g} rows. "
        "Hint: a classifier is judged on cases of both classes; check `positive=`, or use "
        "`evaluate_counts` for what four counts can say."
    )


def as_column(values: Any, name: str) -> npt.NDArray[Any]:
    """A one-dimensional NumPy array from anything array-like."""
    column = np.asarray(values)
    if column.ndim == 2 and 1 in column.shape:
        column = column.reshape(-1)
    if column.ndim != 1:
        raise InputError(f"`{name}` must be one column of values; got an array of shape {column.shape}.")
    return column


def as_numbers(values: Any, name: str) -> Array:
    """A column of finite numbers as float64; text, missing and infinite values are refused by row."""
    column = as_column(values, name)
    if column.dtype.kind not in "fiub":
        column = _numbers_from_objects(column, name)
    numbers = np.ascontiguousarray(column, dtype=np.float64)
    _refuse_rows(np.isnan(numbers), numbers, f"`{name}` has missing values (NaN)", "drop those rows or fill them in")
    _refuse_rows(np.isinf(numbers), numbers, f"`{name}` has infinite values", "clip them to a finite score")
    return numbers


def as_weights(values: Any) -> Array:
    """A column of weights: finite, not negative, not all zero."""
    weights = as_numbers(values, "weights")
    _refuse_rows(weights < 0, weights, "`weights` has negative values", "a weight counts cases and cannot be negative")
    if len(weights) and not weights.any():
        raise InputError("`weights` are all zero. Hint: give at least one case a weight above 0.")
    return weights


def as_is_positive(values: Any, positive: object = None) -> tuple[npt.NDArray[np.bool_], object]:
    """Which rows are positive, and the label that says so."""
    column = as_column(values, "labels")
    _refuse_rows(is_missing(column), column, "`labels` has missing values", "drop those rows or label them")
    if column.dtype.kind == "b" and positive in (None, True):
        return column, True
    found = distinct(column)
    label = positive_of(found, positive)
    return np.asarray(column == label), label


def positive_of(found: Sequence[Any], positive: object) -> Any:
    """The positive one among the labels found, by the stated name or by the usual conventions."""
    if positive is not None:
        return _stated_positive(found, positive)
    numeric = all(isinstance(label, int | float) for label in found)
    for low, high in _KNOWN_PAIRS if numeric else ():
        if set(found) <= {low, high}:
            return type(found[0])(high)
    shown = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
    if len(found) > 2:
        raise InputError(
            f"`labels` must hold exactly two values; found {_at_least(found)}: {shown}. "
            f"Hint: drop or recode the others, or pass positive={found[0]!r} to set it against all the rest."
        )
    raise InputError(
        f"which label is positive? found {shown}. Hint: pass positive={found[-1]!r} (or --positive {found[-1]})."
    )


def _stated_positive(found: Sequence[Any], positive: object) -> Any:
    for label in found:
        if label == positive and isinstance(label, bool) == isinstance(positive, bool):
            return label
    for label in found:  # a label typed on a command line is text, whatever the column holds
        if str(label) == str(positive):
            return label
    shown = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
    raise InputError(f"no row has the positive label {positive!r}; the labels are {shown}. Hint: check `positive=`.")


def distinct(column: npt.NDArray[Any]) -> list[Any]:
    """Distinct labels in sorted order as Python values, at most 101 of them."""
    if column.dtype.kind == "O":
        values = sorted(set(column.tolist()), key=lambda label: (str(type(label)), label))
        return values[:101]
    return np.unique(column)[:101].tolist()  # type: ignore[no-any-return]


def is_missing(column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """None and NaN, also inside a column of Python objects."""
    if column.dtype.kind == "f":
        return np.isnan(column)
    if column.dtype.kind == "O":
        flags = (each is None or each != each or str(each) == "<NA>" for each in column)  # noqa: PLR0124
        return np.fromiter(flags, dtype=np.bool_, count=len(column))
    return np.zeros(len(column), dtype=np.bool_)


def _numbers_from_objects(column: npt.NDArray[Any], name: str) -> Array:
    _refuse_rows(is_missing(column), column, f"`{name}` has missing values", "drop those rows or fill them in")
    try:
        if column.dtype.kind in "USMmc":
            raise ValueError
        return column.astype(np.float64)
    except (TypeError, ValueError):
        bad = next((i for i, each in enumerate(column) if not _is_number(each)), 0)
        raise InputError(
            f"`{name}` must hold numbers; row {bad} (counted from 0) is {column[bad].item()!r}. "
            if hasattr(column[bad], "item")
            else f"`{name}` must hold numbers; row {bad} (counted from 0) is {column[bad]!r}. "
            "Hint: convert text to numbers first, or choose another column."
        ) from None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, complex)


def _at_least(found: Sequence[Any]) -> str:
    return str(len(found)) if len(found) <= 100 else "more than 100"


def _refuse_rows(bad: npt.NDArray[np.bool_], values: npt.NDArray[Any], what: str, hint: str) -> None:
    if not bad.any():
        return
    rows = np.flatnonzero(bad)
    first = ", ".join(str(row) for row in rows[:5]) + (", ..." if len(rows) > 5 else "")
    raise InputError(f"{what}: {len(rows)} of {len(values)} rows, first at row {first} (counted from 0). Hint: {hint}.")
