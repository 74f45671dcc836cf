"""Which rows are positive: by the stated label, or by the usual conventions, whatever type the labels have."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError
from unconfuse._validate import Faults, Place, as_column, as_place, brief, is_missing, refuse_rows

Flags = npt.NDArray[np.bool_]
_BOTH = "Hint: of a yes-or-no question it names both labels, the positive one second; leave it out otherwise."
_KNOWN_PAIRS = ({Decimal(0), Decimal(1)}, {Decimal(-1), Decimal(1)})
_TRUTH = {"true": Decimal(1), "false": Decimal(0)}
_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]*)(\.[0-9]*)?")
_SHOWN = 5
ENOUGH = 101  # distinct labels; more than this only says that the column is not a label


def as_is_positive(values: Any, positive: object = None, name: str | Place = "labels") -> tuple[Flags, object]:
    """Which rows are positive, and the label that says so.

    >>> as_is_positive(["yes", "no", "yes"], positive="yes")
    (array([ True, False,  True]), 'yes')
    >>> as_is_positive([-1, 1])[0]
    array([False,  True])
    """
    column = as_labels(values, name)
    if column.dtype.kind == "b" and (positive is None or positive is True):
        return column, True
    chosen = positives_among(distinct(column, ENOUGH if positive is None else None), positive)
    return is_any_of(column, chosen), chosen[0] if chosen else 1


def as_labels(values: Any, name: str | Place = "labels") -> npt.NDArray[Any]:
    """A column of labels, none of them missing."""
    place = as_place(name)
    column = as_column(values, place.name.strip("`"))
    refuse_rows(is_missing(column), place, *Faults.LABEL)
    if column.dtype.kind == "M":  # dates are named as files write them, not as nanoseconds
        return np.datetime_as_string(column, unit="auto")
    return column


def positives_among(found: Sequence[Any], positive: object = None) -> list[Any]:
    """Those of the labels found that mean "positive". Text may write one label in several ways: "1", "1.0".

    >>> positives_among(["0", "1", "1.0"])
    ['1', '1.0']
    """
    if not found:
        return []
    if positive is not None:
        return _stated(found, positive)
    values = [meaning(label) for label in found]
    if any(set(values) <= pair for pair in _KNOWN_PAIRS):
        return [label for label, value in zip(found, values, strict=True) if value == 1] or [1]
    raise _which_is_positive(found)


def both_classes(
    found: Sequence[Any], positive: object = None, classes: Sequence[object] | None = None
) -> tuple[list[Any], tuple[str, str]]:
    """The labels found that mean "positive", and the names of both classes, the positive one second.

    >>> both_classes(["ill", "well"], "ill")
    (['ill'], ('well', 'ill'))
    >>> both_classes(["a", "b", "c"], "b")
    (['b'], ('not b', 'b'))
    """
    stated = stated_positive(positive, classes)
    if classes is not None and not {meaning(each) for each in found} <= {meaning(each) for each in classes}:
        raise InputError(f"`classes` names {_shown(list(classes))}, but the labels are {_shown(found)}. {_BOTH}")
    meant = positives_among(found, stated)
    if classes is not None:
        return meant, (str(classes[0]), str(classes[1]))
    others = [label for label in found if label not in meant]
    own = str(meant[0]) if meant else "1"
    return meant, (str(others[0]) if len(meant) == len(others) == 1 else f"not {own}", own)


def stated_positive(positive: object, classes: Sequence[object] | None) -> object:
    """The positive label, if it was given: by itself, or as the second of both classes."""
    if classes is None:
        return positive
    if len({meaning(each) for each in classes}) != 2 or len(classes) != 2:
        raise InputError(f"`classes` names {_shown(list(classes))}, but one score belongs to each case. {_BOTH}")
    if positive is not None and meaning(positive) != meaning(classes[1]):
        raise InputError(f"positive={brief(positive)} is not the second of `classes`. {_BOTH}")
    return classes[1]


def distinct(column: npt.NDArray[Any], enough: int | None = None) -> list[Any]:
    """Distinct labels in sorted order as Python values, all or just enough of them."""
    if column.dtype.kind != "O":
        if column.dtype.kind in "iu" and len(column) and column.min() >= -1 and column.max() <= 1:
            return [value for value in (-1, 0, 1) if (column == value).any()]  # no need to sort
        return np.unique(column)[:enough].tolist()  # type: ignore[no-any-return]
    try:
        return sorted(set(column.tolist()), key=lambda label: (type(label).__name__, label))[:enough]
    except TypeError:
        found = f"found {type(column[0]).__name__}. Hint: give one label for each row."
        raise InputError(f"`labels` must be numbers, text or booleans; {found}") from None


def _stated(found: Sequence[Any], positive: object) -> list[Any]:
    """A label typed on a command line is text whatever the column holds, so both meanings are tried."""
    if hasattr(positive, "__len__") and not isinstance(positive, str | bytes):
        raise ArgumentError(f"`positive` must be one label; got {brief(positive)}.")
    exact = [label for label in found if label == positive and isinstance(label, bool) == isinstance(positive, bool)]
    if exact and not isinstance(exact[0], str):
        return exact
    wanted = meaning(positive)
    chosen = exact + [label for label in found if label not in exact and meaning(label) == wanted]
    if chosen:
        return chosen
    there = f"the labels are {_shown(found)}. Hint: check the spelling of the positive label."
    raise InputError(f"no row has the positive label {brief(positive)}; {there}")


def meaning(label: object) -> object:
    """The number that a label stands for, exactly, if it does; otherwise its text.

    Text is a number if it is written as one usually is: 1, -1, 1.0; but 1E2, 1_0 and 007 are names.

    >>> meaning("1.0") == meaning(1) == meaning(True), meaning("1E2") == meaning("100")
    (True, False)
    """
    if isinstance(label, int | np.integer | np.bool_):
        return Decimal(int(label))
    text = str(label).strip()
    if isinstance(label, float | np.floating) or _NUMBER.fullmatch(text):
        return Decimal(text)
    return _TRUTH.get(text.lower(), text)


def is_any_of(column: npt.NDArray[Any], labels: Sequence[Any]) -> Flags:
    """Which rows have one of these labels."""
    matches = np.zeros(len(column), dtype=np.bool_)
    kind = object if column.dtype.kind == "O" else None  # as NumPy's own text a label would lose its trailing zeros
    for label in labels:
        matches |= np.asarray(column == np.asarray(label, dtype=kind), dtype=np.bool_)
    return matches


def _which_is_positive(found: Sequence[Any]) -> InputError:
    if len(found) <= 2:
        offered = brief(found[-1])
        hint = f"Hint: pass positive={offered} (on the command line: --positive {offered})."
        return InputError(f"which label is positive? found {_shown(found)}. {hint}")
    many = str(len(found)) if len(found) < ENOUGH else "more than 100"
    return InputError(
        f"the labels must hold exactly two values; found {many}: {_shown(found)}. Hint: drop or recode the others, "
        f"pass positive={brief(found[0])} to set that one against all the rest, or check that this is the label column."
    )


def _shown(found: Sequence[Any]) -> str:
    return ", ".join(map(brief, found[:_SHOWN])) + (", ..." if len(found) > _SHOWN else "")
