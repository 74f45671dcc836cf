"""Checks of values and arrays: each refusal says what was wrong, what was given, what to do."""

from __future__ import annotations

import functools
import inspect
import math
import types
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from unconfuse._argument_types import annotation_mismatch, is_number
from unconfuse._errors import (
    ArgumentError,
    CallError,
    InputError,
    SkippedRowsWarning,
    UnconfuseError,
    WeightWarning,
    argument_name,
    surface_text,
    warn,
)
from unconfuse._formatting import short_repr
from unconfuse._row_errors import NOTHING_SKIPPED, ColumnProblems, SkippedRows, no_weight, not_numbers

T = TypeVar("T", bound=Callable[..., Any])
Array = npt.NDArray[np.float64]
_OPERATORS = ("__init__", "__call__", "__getitem__")  # that are public
MOST = 10**12  # of anything that is counted out one by one: more is a mistake
_NEAREST = 1e-12  # a level of 1 - 1e-16 is 1 when halves of its tails are computed
MOST_CASES = 2.0**53  # beyond, counts are not exact, and soon products of four overflow


def public_api(public: T) -> T:
    """Make a function, or every public method of a class, name the argument that made it fail.

    >>> @public_api
    ... def halved(values: list[float], name: str = "") -> list[float]:
    ...     return [each / 2 for each in values]
    >>> halved([1, 3])
    [0.5, 1.5]
    >>> halved(7)
    Traceback (most recent call last):
    unconfuse._errors.CallError: `values` must be a list (of numbers); got 7.
    """
    if isinstance(public, type):
        for name in dir(public):
            held = inspect.getattr_static(public, name)
            if isinstance(held, types.FunctionType) and _is_ours(name, held):
                setattr(public, name, public_api(held))
        return public

    @functools.wraps(public)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return public(*args, **kwargs)
        except (UnconfuseError, Warning, MemoryError):
            raise
        except Exception as error:
            said = annotation_mismatch(public, args, kwargs)
            if not said:
                raise
            raise (CallError if isinstance(error, TypeError) else ArgumentError)(said) from error

    return call  # type: ignore[return-value]


def _is_ours(name: str, held: types.FunctionType) -> bool:
    """Whether a method is public, takes something, and was written here."""
    takes = held.__code__.co_argcount + held.__code__.co_kwonlyargcount > 1
    return takes and held.__module__.startswith("unconfuse") and (name[0] != "_" or name in _OPERATORS)


def check_probability(value: float, name: str, *, open_interval: bool = False) -> float:
    """Check for a number in [0, 1], or in (0, 1) when `open_interval`, which also excludes what rounds to 0 or 1."""
    number = check_number(value, name)
    if not (_NEAREST <= number <= 1 - _NEAREST if open_interval else 0 <= number <= 1):
        where = f"strictly between 0 and 1, no nearer to them than {_NEAREST:g}" if open_interval else "between 0 and 1"
        hint = f" Hint: {number:g}% is {number / 100:g}." if 1 < number <= 100 else ""
        raise ArgumentError(f"`{name}` must lie {where}; got {number:g}.{hint}")
    return number


def check_number(value: Any, name: str) -> float:
    """Check that a value is a single finite number."""
    try:
        unfit = isinstance(value, complex | np.complexfloating | np.timedelta64) or (
            isinstance(value, np.ndarray) and value is np.ma.masked
        )
        number = math.nan if unfit else float(value)
    except (TypeError, ValueError, OverflowError):
        share = value.strip()[:-1] if isinstance(value, str) and value.strip().endswith("%") else ""
        hint = f" Hint: {share}% is {float(share) / 100:g}." if share.replace(".", "", 1).isdigit() else ""
        raise ArgumentError(f"`{name}` must be a number; got {short_repr(value)}.{hint}") from None
    if not np.isfinite(number):
        raise ArgumentError(f"`{name}` must be a finite number; got {number}.")
    return number


def check_threshold(value: Any) -> float:
    """Check for one number to cut scores at; the name of a rule and a list of thresholds are asked for elsewhere."""
    hint = ""
    if isinstance(value, str) and value.isidentifier():
        hint = f" Hint: {argument_name('threshold_rule', 'youden')} chooses it by a rule; `threshold_card` shows all."
    elif isinstance(value, list | tuple | np.ndarray):
        hint = " Hint: `threshold_card` shows several thresholds side by side."
    if hint:
        raise ArgumentError(f"`threshold` must be a number; got {short_repr(value)}.{hint}")
    return check_number(value, "threshold")


def check_rule(value: Any) -> str | None:
    """Check for the name of a rule that chooses the threshold, or none; a number is a threshold, not a rule."""
    numeric = is_number(value) or (isinstance(value, str) and value.strip().replace(".", "", 1).isdigit())
    if value is None or (isinstance(value, str) and not numeric):
        return value
    hint = f" Hint: {argument_name('threshold')} takes the number itself." if numeric else ""
    name = argument_name("threshold_rule")
    raise ArgumentError(f"{name} must be the name of one rule, such as 'youden'; got {short_repr(value)}.{hint}")


def check_choice(value: object, name: str, choices: Sequence[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise ArgumentError(f"`{name}` must be one of {', '.join(map(repr, choices))}; got {short_repr(value)}.")
    return str(value)


def check_text(value: object, name: str) -> str:
    """Text, as names are."""
    if not isinstance(value, str):
        raise ArgumentError(f"`{name}` must be text; got {short_repr(value)}.")
    return str(value)


def by_text(named: Mapping[Any, Any], what: str) -> dict[str, Any]:
    """Return what a mapping holds, by the text of its keys; two keys of the same text are refused.

    >>> by_text({1: "first", "b": "second"}, "models")
    {'1': 'first', 'b': 'second'}
    """
    found = {str(key): value for key, value in named.items()}
    if len(found) < len(named):
        texts = [str(key) for key in named]
        twice = next(text for text in texts if texts.count(text) > 1)
        raise ArgumentError(
            f"names of {what} must differ as text; got {short_repr(twice)} twice. Hint: rename one of them."
        )
    return found


def check_flag(value: object, name: str) -> bool:
    """Yes or no."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(f"`{name}` must be True or False; got {short_repr(value)}.")
    return bool(value)


def check_list(values: Any, name: str) -> list[Any]:
    """Several values; one that is no list is refused, and so is text, which is a list of letters."""
    try:
        if not isinstance(values, str | bytes | bytearray | Mapping):
            return list(values)
    except TypeError:
        pass
    raise ArgumentError(f"`{name}` must be a list; got {short_repr(values)}.")


def as_floats(values: Any, name: str) -> Array:
    """Numbers of any shape as float64, NaN and infinity among them; text, dates and complex numbers are refused."""
    try:
        found = np.asarray(values)
        if found.dtype.kind == "O" and not all(map(is_number, found.flat)):
            raise TypeError
        if found.dtype.kind in "fiubO":
            return np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ArgumentError(f"`{name}` must hold numbers; got {short_repr(values)}.")


def broadcast(values: Mapping[str, Any]) -> list[Array]:
    """Numbers, or arrays of numbers that fit together, all of the same shape."""
    found = [as_floats(value, name) for name, value in values.items()]
    try:
        return [np.asarray(broadcast_array) for broadcast_array in np.broadcast_arrays(*found)]
    except ValueError:
        names, shapes = ", ".join(f"`{name}`" for name in values), ", ".join(str(each.shape) for each in found)
        raise ArgumentError(f"{names} must be numbers, or arrays of one shape; got {shapes}.") from None


def check_whole(value: Any, name: str, *, at_least: int, at_most: int = MOST) -> int:
    """Check that a value is a whole number that is large enough, and not absurdly large."""
    if not is_whole(value) or isinstance(value, bool) or value < at_least:
        raise ArgumentError(f"`{name}` must be a whole number of at least {at_least}; got {short_repr(value)}.")
    if value > at_most:
        raise ArgumentError(f"`{name}` must be at most {at_most:,}; got {short_repr(value)}.")
    return int(value)


def is_whole(value: Any) -> bool:
    """Whether it is a whole number; spans of time are none, although NumPy counts them among its integers."""
    return isinstance(value, int | np.integer) and not isinstance(value, np.timedelta64)


def check_resamples(value: Any, *, at_least: int) -> int:
    """How many resamples to draw: one number of each metric is kept for every one of them."""
    return check_whole(value, "n_resamples", at_least=at_least, at_most=10**7)


def check_bins(value: Any) -> int:
    """How many bins probabilities are sorted into."""
    return check_whole(value, "n_bins", at_least=1, at_most=10**6)


def check_seed(value: Any, name: str = "rng") -> int:
    """Check the seed of a random number generator: 64 bits."""
    return check_whole(value, name, at_least=0, at_most=2**64 - 1)


def check_count(value: Any, name: str, *, at_most: float = MOST_CASES) -> Array:
    """One count, or an array of them: finite and not negative."""
    cells = as_floats(value, name)
    if not np.isfinite(cells).all() or (cells < 0).any():
        raise InputError(f"`{name}` must be a count of 0 or more; got {short_repr(value)}.")
    if (cells > at_most).any():
        raise InputError(f"`{name}` must be a number of cases, at most 2**53; got {short_repr(value)}.")
    return cells


def check_same_length(columns: dict[str, int]) -> None:
    """All columns have as many rows as the first."""
    first, *others = columns.items()
    for name, length in others:
        if length != first[1]:
            both = f"`{first[0]}` and `{name}` must have the same length; got {first[1]} and {length}."
            raise InputError(f"{both} Hint: each row needs one label and one score.")


def check_not_empty(length: int) -> None:
    """There is at least one row."""
    if length == 0:
        raise InputError("there are no rows. Hint: check the file or the filter that made the data.")


def check_both_classes(positives: float, negatives: float, positive_label: object) -> None:
    """Both classes occur: without that a classifier cannot be judged. Their weights add up to a number of cases."""
    cases = positives + negatives
    if not (positives > 0 and negatives > 0):
        found = "only positives" if positives > 0 else "no positives"
        raise InputError(
            f"the labels hold one class only: {found} ({short_repr(positive_label)}) among {cases:g} rows. "
            f"Hint: a classifier is evaluated on cases of both classes; check {argument_name('positive')}, or use "
            f"{surface_text('`evaluate_counts`', '`unconfuse counts`')} for what four counts can say."
        )
    check_cases(cases)


def check_cases(cases: float, what: str = "the weights") -> None:
    """Weights, or counts, that add up to a number of cases."""
    if not 1 / MOST_CASES <= cases <= MOST_CASES:
        hint = "Hint: a weight says how many cases a row stands for; divide the weights by their mean."
        raise InputError(f"{what} add up to {cases:g}, which is not a number of cases. {hint}")


@dataclass(frozen=True)
class ColumnRef:
    """How to speak of a column and its rows: as array positions, or as rows of a file."""

    name: str
    rows: Callable[[Sequence[int]], str] = lambda rows: f"row {_first(rows)} (counted from 0)"


def as_place(name: str | ColumnRef) -> ColumnRef:
    """Return a reference to a column; if it is known by its name alone, its rows are counted from 0."""
    return name if isinstance(name, ColumnRef) else ColumnRef(f"`{name}`")


def _is_masked(values: Any) -> bool:
    """Whether this is a masked array: NumPy loads its room for them only when asked, and most never need to ask."""
    return isinstance(values, np.ndarray) and type(values) is not np.ndarray and isinstance(values, np.ma.MaskedArray)


def as_builtin(values: Any) -> Any:
    """Turn a column of any library into something NumPy understands. NumPy arrays and lists pass through untouched."""
    if _is_masked(values):
        return values.tolist()  # what is masked becomes None
    if isinstance(values, np.ndarray | list | tuple):
        return values
    if isinstance(values, str | bytes | Mapping | Set):  # the members of a set are in no order, and never twice
        raise InputError(f"expected a column of values; got {type(values).__name__}. Hint: pass an array or a list.")
    try:
        if hasattr(values, "to_numpy"):
            try:
                return values.to_numpy()
            except Exception:  # pyarrow arrays with nulls, text or booleans refuse to share their memory
                return values.to_numpy(zero_copy_only=False)
        return list(values) if hasattr(values, "__iter__") and not hasattr(values, "__array__") else values
    except Exception:  # whatever the library that made it, or its own iterator, raises
        raise InputError(f"{short_repr(values)} is not a column of values. Hint: pass an array or a list.") from None


def as_column(values: Any, name: str) -> npt.NDArray[Any]:
    """Make a one-dimensional NumPy array from anything array-like."""
    shown = name if "`" in name else f"`{name}`"  # the words for a place are marked already
    try:
        column = np.asarray(values)
    except (TypeError, ValueError):  # lists of different lengths, and things that look like lists
        raise InputError(f"{shown} must be one column of values; got a list of unequal lists.") from None
    if column.ndim == 2 and 1 in column.shape:
        column = column.reshape(-1)
    if column.ndim != 1:
        what = short_repr(values) if column.ndim == 0 else f"an array of shape {column.shape}"
        hint = " Hint: ask about one of its columns at a time." if column.ndim == 2 else ""
        raise InputError(f"{shown} must be one column of values; got {what}.{hint}")
    return column


def as_numbers(values: Any, name: str | ColumnRef) -> Array:
    """Return a column of finite numbers as float64; text, missing and infinite values are refused by row."""
    place = as_place(name)
    column = as_column(values, place.name)
    if column.dtype.kind not in "fiub":
        column = _numbers_from_objects(column, place)
    reject_rows(is_rounded(column), place, *ColumnProblems.WHOLE)
    numbers = np.ascontiguousarray(column, dtype=np.float64)
    if not np.isfinite(numbers).all():
        reject_rows(np.isnan(numbers), place, *ColumnProblems.NUMBER)
        reject_rows(np.isinf(numbers), place, *ColumnProblems.INFINITE)
    return numbers


def as_weights(values: Any, name: str | ColumnRef = "weights") -> Array:
    """Return a column of weights: finite, not negative, not all zero."""
    place = as_place(name)
    weights = as_numbers(values, place)
    reject_rows(weights < 0, place, *ColumnProblems.NEGATIVE)
    if len(weights) and not weights.any():
        raise no_weight(place.name)
    if len(weights) and weights.max() > MOST_CASES / len(weights):
        with np.errstate(over="ignore"):
            check_cases(float(weights.sum()))
    return weights


def is_missing(column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """None, NaN, NaT and pandas' NA, also inside a column of Python objects."""
    if column.dtype.kind == "f":
        return np.asarray(np.isnan(column))
    if column.dtype.kind in "mM":
        return np.asarray(np.isnat(column))
    if column.dtype.kind == "O":
        return np.fromiter(map(_is_nothing, column), dtype=np.bool_, count=len(column))
    return np.zeros(len(column), dtype=np.bool_)


def reject_rows(bad: npt.NDArray[np.bool_], name: str | ColumnRef, what: str, hint: str) -> None:
    """Raise an error that counts the bad rows and names the first of them, if there are any."""
    if not bad.any():
        return
    place, rows = as_place(name), np.flatnonzero(bad)
    where = f"{len(rows)} of {len(bad)} rows, first at {place.rows(rows.tolist())}"
    raise InputError(f"{place.name} {what}: {where}. Hint: {hint}.")


def _first(rows: Sequence[int]) -> str:
    return ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")


def _is_nothing(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)  # noqa: PLR0124


def _numbers_from_objects(column: npt.NDArray[Any], place: ColumnRef) -> Array:
    reject_rows(is_missing(column), place, *ColumnProblems.NUMBER)
    text = column.dtype.kind != "O"
    bad = 0 if text else next((row for row, each in enumerate(column) if not is_number(each)), -1)
    if bad < 0:
        reject_rows(is_rounded(column), place, *ColumnProblems.WHOLE)
        return column.astype(np.float64)
    raise not_numbers(place.name, f"{place.rows([bad])} is {short_repr(column[bad : bad + 1].tolist()[0])}")


def is_rounded(column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Whole numbers that no float64 holds exactly."""
    if column.dtype.kind == "O":
        return np.fromiter(
            (isinstance(each, int) and abs(each) > 2**53 and not _is_exact(each) for each in column), np.bool_
        )
    if (
        column.dtype.kind not in "iu"
        or column.dtype.itemsize < 8
        or not len(column)
        or -(2**53) <= column.min() <= column.max() <= 2**53
    ):
        return np.zeros(len(column), dtype=np.bool_)
    return np.array([not _is_exact(each) for each in column.tolist()], dtype=np.bool_)


def _is_exact(value: int) -> bool:
    try:
        return int(float(value)) == value
    except OverflowError:
        return False


def warn_fractions(fractions: bool) -> None:
    """Say how intervals take weights that count no cases."""
    if fractions:
        what = "`weights` are not integers; intervals use their sum as the number of cases."
        hint = "Hint: if they describe how cases were sampled, pass them as `sampling_weights`."
        warn(f"{what} {hint}", WeightWarning)


def warn_skipped(skipped: SkippedRows) -> None:
    """Rows that were left out are never left out in silence."""
    if skipped is not NOTHING_SKIPPED and skipped:
        hint = "Hint: inspect the skipped rows; values that are not missing at random can bias the results."
        warn(f"{skipped}. {hint}", SkippedRowsWarning)
