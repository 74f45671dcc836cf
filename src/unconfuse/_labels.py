"""Which rows are positive: by the stated labels, or by the usual conventions, whatever type the labels have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError, argument_name, surface_text, text_of
from unconfuse._formatting import short_repr
from unconfuse._row_errors import ColumnProblems
from unconfuse._validate import ColumnRef, as_column, as_place, is_missing, is_whole, reject_rows

Flags = npt.NDArray[np.bool_]
Counted = Callable[[], Mapping[Any, float]]
REST = "rest"  # as `negative`: whatever is not positive
_BOTH = "Hint: of a yes-or-no question it names both labels, the positive one second; leave it out otherwise."
_KNOWN_PAIRS = ({Decimal(0), Decimal(1)}, {Decimal(-1), Decimal(1)})
_TRUTH = {"true": Decimal(1), "false": Decimal(0)}
_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]*)(\.[0-9]*)?")
_SHOWN = 5
_LISTED = 8  # labels with their counts
_TYPED = 40  # characters of a label that a hint offers to type
ENOUGH = 101  # distinct labels; more than this only says that the column is not a label


class LabelSpec(NamedTuple):
    """What the user said of the labels of a yes-or-no question.

    `negative` is a label, several of them, or "rest": whatever is not positive. `classes` names both, the positive one
    second.
    """

    positive: object = None
    negative: object = None
    classes: Sequence[object] | None = None

    @property
    def is_silent(self) -> bool:
        """Whether nothing was said."""
        return self.positive is None and self.negative is None and self.classes is None

    @property
    def is_plain(self) -> bool:
        """Whether nothing was said but that true is the positive label, if that."""
        said = self.positive is None or (isinstance(self.positive, bool | int | np.bool_) and self.positive == 1)
        return said and self.negative is None and self.classes is None

    @property
    def negatives(self) -> list[Any]:
        """The labels that were named as negative."""
        if self.negative is None or self.takes_rest:
            return []
        named = list(self.negative) if _is_several(self.negative) else [self.negative]  # type: ignore[call-overload]
        return [check_label(each, "negative") for each in named]

    @property
    def takes_rest(self) -> bool:
        """Whether everything that is not positive is negative."""
        return isinstance(self.negative, str) and self.negative == REST


class BinaryLabels(NamedTuple):
    """The labels found that mean "positive", and the names of both classes, the positive one second."""

    meant: list[Any]
    classes: tuple[str, str]

    @property
    def positive(self) -> object:
        """The positive label as it was found."""
        return self.meant[0] if self.meant else 1


def as_is_positive(
    values: Any, positive: object = None, name: str | ColumnRef = "labels", *, negative: object = None
) -> tuple[Flags, object]:
    """Which rows are positive, and the label that says so.

    >>> as_is_positive(["yes", "no", "yes"], positive="yes")
    (array([ True, False,  True]), 'yes')
    >>> as_is_positive([-1, 1])[0]
    array([False,  True])
    """
    column, positive = as_labels(values, name), None if positive is None else check_label(positive, "positive")
    if column.dtype.kind == "b" and positive in (None, True) and negative is None:
        return column, True
    both = both_in(column, LabelSpec(positive, negative))
    return is_any_of(column, both.meant), both.positive


def both_in(column: npt.NDArray[Any], stated: LabelSpec) -> BinaryLabels:
    """Both classes of a column of labels."""
    found = distinct(column, ENOUGH if stated.is_silent else None)
    return both_classes(found, stated, lambda: counts_of(column))


def as_labels(values: Any, name: str | ColumnRef = "labels") -> npt.NDArray[Any]:
    """Return a column of labels, none of them missing."""
    place = as_place(name)
    column = as_column(values, place.name)
    reject_rows(is_missing(column), place, *ColumnProblems.LABEL)
    if column.dtype.kind == "M":  # dates are named as files write them, not as nanoseconds
        return np.datetime_as_string(column, unit="auto")
    return column


def both_classes(found: Sequence[Any], stated: LabelSpec = LabelSpec(), counted: Counted | None = None) -> BinaryLabels:  # noqa: B008
    """Which of the labels found are positive, and what both classes are called.

    Labels that were neither named nor said to be the rest are never taken for negatives: more than two are refused, and
    `counted` says how many rows each has.

    >>> both_classes(["ill", "well"], LabelSpec("ill"))
    BinaryLabels(meant=['ill'], classes=('well', 'ill'))
    >>> both_classes(["a", "b", "c"], LabelSpec("b", "rest"))
    BinaryLabels(meant=['b'], classes=('not b', 'b'))
    """
    positive = stated_positive(found, stated)
    if stated.classes is not None and not _meanings(found) <= _meanings(stated.classes):
        raise InputError(
            f"`classes` names {shown_labels(stated.classes)}, but the labels are {shown_labels(found)}. {_BOTH}"
        )
    meant = positives_among(found, positive, counted)
    if stated.classes is not None:
        return BinaryLabels(meant, (str(stated.classes[0]), str(stated.classes[1])))
    others = [label for label in found if label not in meant]
    _check_others(meant, others, stated, counted)
    own = text_of(meant[0]) if meant else "1"
    return BinaryLabels(meant, (text_of(others[0]) if len(_apart(others)) == 1 else f"not {own}", own))


def stated_positive(found: Sequence[Any], stated: LabelSpec) -> object:
    """Return the positive label, if given: by itself, as the second of both classes, or as the only one left over."""
    positive, classes = stated.positive, stated.classes
    positive = None if positive is None else check_label(positive, "positive")
    if classes is not None:
        if len(_meanings(classes)) != 2 or len(classes) != 2:
            raise InputError(f"`classes` names {shown_labels(classes)}, but one score belongs to each case. {_BOTH}")
        if positive is not None and canonical_label(positive) != canonical_label(classes[1]):
            raise InputError(f"`positive={short_repr(positive)}` is not the second of `classes`. {_BOTH}")
        return classes[1]
    if positive is None and stated.takes_rest:
        hint = f"Hint: name the positive label as well, {_either(found) if found else argument_name('positive', 1)}."
        raise InputError(f"the rest is negative, but which label is positive? Found {shown_labels(found)}. {hint}")
    if positive is None and stated.negatives:
        named = _meanings(stated.negatives)
        left = [label for label in found if canonical_label(label) not in named]
        return left[0] if len(_apart(left)) == 1 else None
    return positive


def positives_among(found: Sequence[Any], positive: object = None, counted: Counted | None = None) -> list[Any]:
    """Those of the labels found that mean "positive". Text may write one label in several ways: "1", "1.0".

    >>> positives_among(["0", "1", "1.0"])
    ['1', '1.0']
    """
    if not found:
        return []
    if positive is not None:
        return _stated(found, positive)
    if are_usual(found):
        return [label for label in found if canonical_label(label) == 1] or [1]
    raise _which_is_positive(found, counted)


_ANSWERS = (
    *(("1", "0"), ("1", "-1"), ("true", "false"), ("yes", "no"), ("y", "n"), ("positive", "negative"), ("pos", "neg")),
    *(("ja", "nein"), ("j", "n"), ("wahr", "falsch"), ("positiv", "negativ"), ("oui", "non"), ("vrai", "faux")),
    *(("si", "no"), ("sí", "no"), ("sì", "no"), ("sim", "não")),
)


def yes_among(classes: Sequence[str]) -> str | None:
    """Return the class that means yes, if two classes are the answers to a yes-or-no question.

    >>> yes_among(["Yes", "No"]), yes_among(["cat", "dog"])
    ('Yes', None)
    """
    meant = {str(class_name).lower(): class_name for class_name in classes}
    return next((meant[yes] for yes, no in _ANSWERS if set(meant) == {yes, no}), None)


def are_usual(found: Iterable[Any]) -> bool:
    """Whether labels say by themselves which is positive: 0 and 1, -1 and 1, or booleans.

    >>> are_usual([0, 1]), are_usual(["-1", "1"]), are_usual(["no", "yes"])
    (True, True, False)
    """
    values = _meanings(found)
    return any(values <= pair for pair in _KNOWN_PAIRS)


def _kind(label: object) -> tuple[bool, bool]:
    """Yes-or-no and spans of time equal numbers, but are none."""
    return isinstance(label, bool), isinstance(label, timedelta | np.timedelta64)


def _plain(label: object) -> object:
    """NumPy's numbers as Python's: they cannot be compared with decimals, and with tuples only part by part."""
    is_number = isinstance(label, np.bool_ | np.integer | np.floating) and not isinstance(label, np.timedelta64)
    return label.item() if is_number else label  # type: ignore[attr-defined]


def _stated(found: Sequence[Any], positive: object) -> list[Any]:
    """Find the labels meant, in both meanings: one typed on a command line is text whatever the column holds.

    Of text that is no number only the label as it stands is meant, if it is there: another that differs by spaces is
    another label, until the user says what it is.
    """
    plain = _plain(positive)
    exact = [label for label in found if label == plain and _kind(label) == _kind(plain)]
    wanted = canonical_label(positive)
    if exact and (not isinstance(exact[0], str) or isinstance(wanted, str)):
        return exact
    chosen = exact + [label for label in found if label not in exact and canonical_label(label) == wanted]
    if chosen:
        return chosen[:1] if isinstance(wanted, str) else chosen
    near = [label for label in found if _alike(label, positive)]
    hint = (
        f"did you mean {argument_name('positive', near[0])}?" if near else "check the spelling of the positive label."
    )
    raise InputError(
        f"no row has the positive label {short_repr(plain)}; the labels are {shown_labels(found)}. Hint: {hint}"
    )


def _check_others(meant: Sequence[Any], others: Sequence[Any], stated: LabelSpec, counted: Counted | None) -> None:
    """Every label that is not positive is negative by its name, by what the user said, or as the only other one."""
    named = _meanings(stated.negatives)
    both = [label for label in meant if canonical_label(label) in named]
    if both:
        raise InputError(f"{short_repr(both[0])} cannot be both positive and negative. Hint: name it once.")
    unsaid = [label for label in others if canonical_label(label) not in named]
    is_clear = len(_apart(unsaid)) <= 1 and not named and not _near(unsaid, meant)
    if unsaid and not is_clear and not stated.takes_rest:
        raise _too_many(meant, others, unsaid, counted)


def _too_many(
    meant: Sequence[Any], others: Sequence[Any], unsaid: Sequence[Any], counted: Counted | None
) -> InputError:
    """Return the error for labels that nobody has said are negative."""
    found, counts = [*meant, *others], {} if counted is None else counted()
    what = f"the labels must hold exactly two values; found {_many(found)}: {_with_counts(found, counts)}."
    if len(unsaid) < len(others):
        what = (
            f"label {short_repr(unsaid[0])} is neither positive nor negative; labels are {_with_counts(found, counts)}."
        )
    cause = _near(unsaid, found)
    first = "write each label in one way" if cause else "drop or recode the others"
    named = [label for label in unsaid if not _near([label], meant)] or unsaid
    negative = argument_name(
        "negative", *sorted(named, key=lambda label: (-counts.get(label, 0), text_of(label)))[:_LISTED]
    )
    return InputError(
        f"{what}{cause} Hint: {first}; or name what is negative, {negative}; or {_rest()} takes the rest."
    )


def _which_is_positive(found: Sequence[Any], counted: Counted | None) -> InputError:
    counts = {} if counted is None else counted()
    if len(_apart(found)) <= 2:
        hint = f"Hint: say which, {_either(found)}."
        return InputError(f"which label is positive? found {_with_counts(found, counts)}.{_near(found, found)} {hint}")
    return InputError(
        f"the labels must hold exactly two values; found {_many(found)}: {_with_counts(found, counts)}."
        f"{_near(found, found)} Hint: drop or recode the others, say {argument_name('positive', found[0])} and "
        f"{_rest()} to "
        "compare that one with all the rest, or check that this is the label column."
    )


def _either(found: Sequence[Any]) -> str:
    """How to name the positive label: the one that means yes, or one of all, as none is to be suggested by chance."""
    yes = yes_among([text_of(each) for each in found])
    likely = [each for each in found if yes is None or text_of(each) == yes][:_LISTED]
    short = [each for each in likely if len(text_of(each)) <= _TYPED]  # what is cut short cannot be typed
    return " or ".join(argument_name("positive", each) for each in short) or argument_name("positive")


def _many(found: Sequence[Any]) -> str:
    return str(len(found)) if len(found) < ENOUGH else "more than 100"


def _rest() -> str:
    return surface_text("`negative='rest'`", "--rest-negative")


def _near(some: Sequence[Any], others: Sequence[Any]) -> str:
    """Describe the first two labels that differ by case or spaces only; return "" if there are none."""
    pairs = ((one, other) for one in some for other in others if one != other and _alike(one, other))
    found = next(pairs, None)
    return f" {short_repr(found[1])} and {short_repr(found[0])} differ by case or spaces only." if found else ""


def _alike(one: object, other: object) -> bool:
    """Whether two texts differ by case or spaces only."""
    return isinstance(one, str) and isinstance(other, str) and _squeezed(one) == _squeezed(other)


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()


def _apart(labels: Sequence[Any]) -> set[object]:
    """Return what labels say, numbers by their value and text as it stands."""
    return {found if not isinstance(found := canonical_label(label), str) else text_of(label) for label in labels}


def _meanings(labels: Iterable[Any]) -> set[object]:
    return {canonical_label(label) for label in labels}


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


def counts_of(column: npt.NDArray[Any]) -> dict[Any, float]:
    """How many rows each label has."""
    return dict(Counter(column.tolist()))


def check_label(value: Any, name: str) -> Any:
    """One label that a row may have: a number, text, a date; not nothing, and no list of them."""
    label = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    odd = _is_several(label) or isinstance(label, np.void)
    if isinstance(label, Hashable) and not odd and not is_missing(np.array([label], dtype=object))[0]:
        return label
    raise ArgumentError(f"`{name}` must be one label; got {short_repr(value)}.")


def _is_several(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) > 0


def canonical_label(label: Any) -> object:
    """Return the exact number that a label stands for, if it stands for one; otherwise its text.

    Text is a number if it is written as one usually is: 1, -1, 1.0; but 1E2, 1_0 and 007 are names.

    >>> (canonical_label("1.0") == canonical_label(1) == canonical_label(True),
    ...     canonical_label("1E2") == canonical_label("100"))
    (True, False)
    """
    if is_whole(label) or isinstance(label, np.bool_):
        return Decimal(int(label))
    text = text_of(label).strip()
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


def _with_counts(found: Sequence[Any], counts: Mapping[Any, float]) -> str:
    """Labels with the number of their rows, the commonest first."""
    if not counts:
        return shown_labels(found)
    ordered = sorted(counts.items(), key=lambda each: (-each[1], text_of(each[0])))
    shown = ", ".join(f"{short_repr(label)} ({rows:,.6g} rows)" for label, rows in ordered[:_LISTED])
    return shown.replace("(1 rows)", "(1 row)") + (", ..." if len(found) > _LISTED else "")


def shown_labels(found: Sequence[Any]) -> str:
    """Show the first labels in a message."""
    return ", ".join(map(short_repr, found[:_SHOWN])) + (", ..." if len(found) > _SHOWN else "")
