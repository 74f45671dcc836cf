"""Columns in memory become a sample: labels, scores, weights, groups, subgroups and folds, each checked once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError, surface_text, text_of, warn
from unconfuse._formatting import short_repr
from unconfuse._labels import (
    ENOUGH,
    LabelSpec,
    are_usual,
    as_labels,
    both_classes,
    both_in,
    canonical_label,
    counts_of,
    distinct,
    is_any_of,
    shown_labels,
)
from unconfuse._row_errors import ColumnProblems, repeated
from unconfuse._validate import (
    ColumnRef,
    as_builtin,
    as_column,
    as_numbers,
    as_weights,
    by_text,
    check_flag,
    check_same_length,
    is_missing,
    reject_rows,
)
from unconfuse.ingest.bad_rows import ROLES_OF_ONE, Matrix, RawColumn, RawColumns, ScoreMatrix
from unconfuse.ingest.column_roles import ONLY_MODEL, ColumnRoles, place_of
from unconfuse.ingest.data import ROLES, Data, asks_of_predicted, is_array_source, may_be_usual
from unconfuse.ingest.grouping import distinct_values, divided_by, folds_of, named_by, sites_of, values_of
from unconfuse.table.cells import Codes
from unconfuse.table.counts import Array
from unconfuse.table.in_memory import SUM_TOLERANCE, InMemorySample, decide, pieces_of

_LARGEST = 1e140  # weight whose square, times any number of rows, is still a number


def sample_of(columns: RawColumns, data: Data) -> InMemorySample:
    """Return checked rows of two or of several classes.

    Examples
    --------
    >>> truth, score = RawColumn(["no", "yes"], ColumnRef("y")), RawColumn([.2, .7], ColumnRef("p"))
    >>> sample_of(RawColumns(truth, {"p": score}), Data(None, positive="yes"))
    InMemorySample(2 cases, 1 positive, models: p)
    """
    kept = columns.screened() if data.on_bad_row == "skip" else columns
    found = _read_as(kept, data)(kept, data)
    weights, squares = _weights(kept)
    strata, groups = (None if each is None else group_codes(*each) for each in (kept.stratum, kept.group))
    check_same_length(kept.lengths())
    whole = InMemorySample(
        **found,
        weights=weights,
        squares=squares,
        strata=strata,
        groups=groups,
        skipped=kept.skipped,
        division=divided_by(data.by, kept.by, kept.orders) if kept.by else None,
        folds=folds_of(kept.fold, kept.orders) if kept.fold else None,
        sites=sites_of(kept.site, kept.orders) if kept.site else None,
    )
    return whole.counted()


def _weights(kept: RawColumns) -> tuple[Array | None, Array | None]:
    """How much each row counts; and its square, if it is a sampling weight (of as many cases as a row stands for)."""
    counted, sampled = (None if each is None else as_weights(*each) for each in (kept.weight, kept.sampling_weight))
    if sampled is None:
        return counted, None
    check_same_length(kept.lengths())
    if sampled.max(initial=0.0) > _LARGEST:
        raise unsquared()
    if len(sampled) and sampled.max() ** 2 == 0 < sampled.max():
        raise InputError("the sampling weights are too small to be squared. Hint: divide them by their mean.")
    sampled = np.where(sampled**2 > 0, sampled, 0.0)  # what is too small to be squared does not count
    return (sampled, sampled**2) if counted is None else (counted * sampled, counted * sampled**2)


def unsquared() -> InputError:
    """Return the refusal of weights that are too large for a double to hold their squares."""
    return InputError("the sampling weights are too large to be squared. Hint: divide them by their mean.")


def named_sample(
    chosen: ColumnRoles, values: Mapping[str, Any], data: Data, orders: Mapping[str, Sequence[Any]] | None = None
) -> InMemorySample:
    """Return checked rows from columns by name, and what was given apart from them."""
    check_same_length({short_repr(name): len(column) for name, column in values.items()})
    if chosen.id is not None:
        check_unique_ids(values[chosen.id].tolist(), chosen.id)

    def of(name: str) -> RawColumn:
        return RawColumn(values[name], place_of(name))

    assert chosen.label is not None
    labels = distinct_values(np.asarray(values[chosen.label]))[0] if chosen.matrices else []
    columns = RawColumns(
        of(chosen.label),
        {model: of(name) for model, name in chosen.scores.items()},
        {
            model: {key: of(name) for key, name in by_label(matrix, labels).items()}
            for model, matrix in chosen.matrices.items()
        },
        {model: of(name) for model, name in chosen.predicted.items()},
        by={name: values[name] for name in chosen.by},
        fold={} if chosen.fold is None else {chosen.fold: values[chosen.fold]},
        site={} if chosen.site is None else {chosen.site: values[chosen.site]},
        orders=orders or {},
    )
    named: dict[str, Any] = {role: of(name) for role in ROLES_OF_ONE if (name := getattr(chosen, role)) is not None}
    return sample_of(with_values(replace(columns, **named), data), data)


def with_values(columns: RawColumns, data: Data) -> RawColumns:
    """Return the columns, along with those that were given as values, apart from the source."""
    given: dict[str, Any] = {}
    for role, word in ROLES:
        if role != "fold" and getattr(data, word) is not None:
            given[role] = RawColumn(as_builtin(getattr(data, word)), ColumnRef(f"`{word}`"))
    predicted = data.predicted if isinstance(data.predicted, Mapping) else {ONLY_MODEL: data.predicted}
    values = {
        model: RawColumn(
            as_builtin(own), ColumnRef("`predicted`" if len(predicted) == 1 else f"`predicted` of {short_repr(model)}")
        )
        for model, own in by_text(predicted, "models").items()
        if own is not None and not isinstance(own, str)
    }
    orders = dict(columns.orders)
    for role, divided, name, word in (
        ("by", _by_values(data), "subgroup", "by"),
        ("fold", data.folds, "fold", "folds"),
        ("site", None if isinstance(data.site, str) else data.site, "site", "site"),
    ):
        if divided is not None:
            given[role], known = values_of(divided, name, word)
            orders |= known
    return replace(columns, **given, predicted={**columns.predicted, **values}, orders=orders)


def _by_values(data: Data) -> Any:
    return data.by if is_array_source(data) else named_by(data.by)[1]


def _read_as(kept: RawColumns, data: Data) -> Callable[[RawColumns, Data], dict[str, Any]]:
    if not (kept.matrices or kept.predicted):
        return _two
    if asks_of_predicted(data) or (may_be_usual(data) and _are_usual(kept)):
        return _predicted
    pairs = [
        matrix for matrix in kept.matrices.values() if isinstance(matrix, ScoreMatrix) and matrix.values.shape[1] == 2
    ]
    return _both_columns if len(pairs) == len(kept.matrices) and not kept.predicted else _several


def _are_usual(kept: RawColumns) -> bool:
    """Whether all labels, true and predicted, are 0 and 1, -1 and 1, or booleans."""
    every = (as_labels(*each) for each in (kept.label, *kept.predicted.values()))
    return are_usual({label for each in every for label in distinct(each, ENOUGH)})


def _two(kept: RawColumns, data: Data) -> dict[str, Any]:
    """Read a yes-or-no question."""
    labels = as_labels(*kept.label)
    positive: object = True
    truth, classes = labels, ("False", "True")  # the usual case at no cost
    if labels.dtype.kind != "b" or not data.stated.is_plain:
        both = both_in(labels, data.stated)
        truth, classes, positive = is_any_of(labels, both.meant), both.classes, both.positive
    scores = {model: as_numbers(*score) for model, score in kept.scores.items()}
    return {"truth": truth, "scores": scores, "classes": classes, "positive_label": positive}


def _predicted(kept: RawColumns, data: Data) -> dict[str, Any]:
    """Read a yes-or-no question that predicted classes answer."""
    columns = {model: as_labels(*each) for model, each in kept.predicted.items()}
    labels = as_labels(*kept.label)
    check_same_length(kept.lengths())
    every = [labels, *columns.values()]
    found = sorted({label for each in every for label in distinct(each)}, key=lambda label: (str(type(label)), label))
    both = both_classes(found, data.stated, lambda: counts_of(labels))

    def is_positive(column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        own = set(distinct(column))
        return is_any_of(column, [label for label in both.meant if label in own])

    decided = {model: is_positive(column).astype(np.int64) for model, column in columns.items()}
    return {"truth": is_positive(labels), "decided": decided, "classes": both.classes, "positive_label": both.positive}


def _both_columns(kept: RawColumns, data: Data) -> dict[str, Any]:
    """Read a yes-or-no question that the probabilities of both classes answer, as `predict_proba` gives them."""
    labels = as_labels(*kept.label)
    matrices = {model: _matrix(matrix) for model, matrix in kept.matrices.items()}
    single = {model: as_numbers(*score) for model, score in kept.scores.items()}
    _refuse_turned(len(labels), (matrix for matrix, _ in matrices.values()))
    check_same_length(kept.lengths())
    order, stated = _columns_of_two(labels, next(iter(matrices.values()))[1], data)
    both = both_in(labels, stated)
    wanted = canonical_label(both.positive)

    def of(model: str, matrix: npt.NDArray[Any], keys: Sequence[str] | None) -> Array:
        _refuse_unlike_probabilities(matrix)
        own = [canonical_label(each) for each in (order if keys is None else keys)]
        if wanted not in own:
            places_of([str(both.positive)], list(map(str, order if keys is None else keys)))
        return as_numbers(np.ascontiguousarray(matrix[:, own.index(wanted)]), kept.matrices[model].place)  # type: ignore[union-attr]

    scores = {model: of(model, *matrix) for model, matrix in matrices.items()} | single
    truth = is_any_of(labels, both.meant)
    return {"truth": truth, "scores": scores, "classes": both.classes, "positive_label": both.positive}


def _columns_of_two(
    labels: npt.NDArray[Any], keys: Sequence[str] | None, data: Data
) -> tuple[Sequence[Any], LabelSpec]:
    """Return the classes of two columns in order, and what is known of the positive one: the second, if nobody says."""
    found, stated = distinct(labels, ENOUGH), data.stated
    if len(found) < 2 and not are_usual(found):
        raise _one_class(f"only {short_repr(text_of(found[0]))} among {len(labels)} rows" if found else "no rows")
    if stated.classes is not None:
        class_names(stated.classes)
        first = stated.classes[:1] == [stated.positive] and len(stated.classes) == 2
        return stated.classes, stated._replace(classes=stated.classes[::-1]) if first else stated
    if are_usual(found) and keys is None:
        return (-1 if -1 in map(canonical_label, found) else 0, 1), stated
    order: Sequence[Any] = found if keys is None else keys
    if len({canonical_label(each) for each in found}) > 2 or len(order) != 2:
        raise InputError(
            f"the scores have 2 columns, but the labels are {shown_labels(found)}. Hint: {_name_classes()}; or pass "
            "the one column of the positive class."
        )
    if keys is not None:
        places_of([text_of(each) for each in found], list(keys))
    if not stated.is_silent or are_usual(found):
        return order, stated
    second = next((each for each in found if canonical_label(each) == canonical_label(order[1])), order[1])
    warn(
        f"`positive` was not given; {short_repr(second)}, the second column, is the positive class. Hint: pass "
        f"`positive={short_repr(second)}` or "
        f"`positive={short_repr(next((each for each in found if each != second), order[0]))}`."
    )
    return order, LabelSpec(second)


def _refuse_unlike_probabilities(matrix: npt.NDArray[Any]) -> None:
    """Refuse two columns of which one does not follow from the other: they may be of two models."""
    total = matrix.sum(axis=1, dtype=np.float64)
    bad = np.flatnonzero((np.abs(total - 1) > SUM_TOLERANCE) | (matrix.min(axis=1) < -SUM_TOLERANCE))
    if len(bad):
        raise InputError(
            f"two columns of scores must be the probabilities of both classes, which add up to 1; row {bad[0]} is "
            f"{short_repr(matrix[bad[0]].tolist())}. Hint: pass the one column of the positive class, S[:, 1]; or "
            "name the "
            "models, compare(y, {'a': S[:, 0], 'b': S[:, 1]})."
        )


def _refuse_turned(n: int, matrices: Iterable[Array]) -> None:
    """Refuse a row for each model or class where a column is meant: a list of models' scores is such a matrix."""
    for matrix in matrices:
        rows, columns = matrix.shape
        if columns == n != rows:
            raise InputError(
                f"there are {n} labels, but the scores have {rows} rows and {columns} columns. Hint: to compare "
                "models, name them, compare(y, {'a': s1, 'b': s2}); scores of classes have a column for each, S.T."
            )


def _several(kept: RawColumns, data: Data) -> dict[str, Any]:
    """Read a score for each class, or the predicted class."""
    labels = as_labels(*kept.label)
    predicted = {model: as_labels(*each) for model, each in kept.predicted.items()}
    matrices = {model: _matrix(matrix) for model, matrix in kept.matrices.items()}
    _refuse_turned(len(labels), (matrix for matrix, _ in matrices.values()))
    check_same_length(kept.lengths())
    classes = _classes([labels, *predicted.values()], matrices) if data.classes is None else list(data.classes)
    nameless = any(keys is None for _, keys in matrices.values())
    classes = in_their_order(classes, data, fixed=nameless)
    names = class_names(classes)
    scores = {model: _in_order(*matrix, names) for model, matrix in matrices.items()}
    truth = codes_of(labels, classes, kept.label.place)
    if len(np.unique(truth)) < 2:
        said = "no rows" if not len(truth) else f"only {short_repr(names[int(truth[0])])} among {len(truth)} rows"
        raise _one_class(said)
    decided = {
        model: codes_of(predicted[model], classes, kept.predicted[model].place)
        if model in predicted
        else decide(scores[model])
        for model in dict.fromkeys([*scores, *predicted])
    }
    by_alphabet = (
        nameless
        and data.classes is None
        and any(isinstance(canonical_label(class_name), str) for class_name in classes)
    )
    kind = {"classes": names, "is_multiclass": True, "ordinal": data.ordered, "classes_sorted": by_alphabet}
    return {"truth": truth, "scores": scores, "decided": decided, **kind}


def _one_class(said: str) -> InputError:
    return InputError(f"the labels hold one class only: {said}. Hint: pass cases of at least two classes.")


def in_their_order(classes: list[Any], data: Data, *, fixed: bool = False) -> list[Any]:
    """Classes that have an order: as they were named, or by their numbers, which columns without names must follow."""
    if not check_flag(data.ordered, "ordered") or data.classes is not None:
        return classes
    numbers: list[Any] = [canonical_label(class_name) for class_name in classes]
    if any(isinstance(number, str) for number in numbers) or (fixed and numbers != sorted(numbers)):
        how = surface_text("`classes=[lowest, ..., highest]`", "--ordered lowest,...,highest")
        raise InputError(
            f"in what order are the classes {shown_labels(classes)}? Hint: name them from the lowest on, {how}."
        )
    return [classes[place] for place in sorted(range(len(classes)), key=lambda place: numbers[place])]


def _matrix(own: Matrix) -> tuple[npt.NDArray[Any], Sequence[str] | None]:
    """Return a matrix of finite numbers, and the classes of its columns if they are named."""
    if not isinstance(own, ScoreMatrix):
        return np.column_stack([as_numbers(*each) for each in own.values()]), list(own)
    for first, piece in pieces_of(own.values):  # a mask of the whole matrix would take a quarter of its memory
        bad = ~np.isfinite(piece)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise InputError(
                f"the scores have missing or infinite values, first in row {first + row}, column {column} (counted "
                "from 0). Hint: drop those rows or fill them in."
            )
    return own.values, own.keys


Matrices = Mapping[str, tuple[npt.NDArray[Any], Sequence[str] | None]]


def _classes(seen: Sequence[npt.NDArray[Any]], matrices: Matrices) -> list[Any]:
    """Return the classes when nobody stated them: those of named columns; else the labels in order, or 0, 1, ..."""
    named = [keys for _, keys in matrices.values() if keys is not None]
    widths = {matrix.shape[1] for matrix, _ in matrices.values()}
    if any(set(each) != set(named[0]) for each in named) or len(widths) > 1:
        raise InputError(f"the models do not have the same classes. Hint: {_name_classes()}.")
    if named:
        return list(named[0])
    labels = _labels_in(seen)
    width = max(widths, default=len(labels))
    if len(labels) == width:
        return labels
    if all(isinstance(each, int) and 0 <= each < width for each in labels):  # numbers of columns
        _refuse_unknown_first(labels, width)
        return list(range(width))
    raise InputError(
        f"the scores have {width} columns, but the labels hold {len(labels)} classes: {shown_labels(labels)}. "
        f"Hint: {_name_classes()}."
    )


def _refuse_unknown_first(found: Sequence[int], width: int) -> None:
    """Refuse labels such as 1 and 2 of three columns, which may be columns 1 and 2 of 0, 1, 2 or of 1, 2, 3."""
    if 0 not in found:
        raise InputError(
            f"the labels {shown_labels(found)} may number the {width} columns of scores from 0 or from 1. Hint: name "
            f"the classes in the order of the columns, `classes=range({width})` or `classes=range(1, {width + 1})`."
        )


def _labels_in(columns: Sequence[npt.NDArray[Any]]) -> list[Any]:
    """Distinct labels of all columns, sorted; as text if any column holds Python objects."""
    if any(column.dtype.kind == "O" for column in columns):
        return sorted({str(value) for column in columns for value in distinct_values(column)[0]})
    found: list[Any] = np.unique(np.concatenate(columns)).tolist()
    return found


def _in_order(matrix: npt.NDArray[Any], keys: Sequence[str] | None, names: Sequence[str]) -> npt.NDArray[Any]:
    """Return the columns in the order of the classes; those that have no names are in that order already."""
    if keys is not None:
        return matrix if list(keys) == list(names) else matrix[:, places_of(names, keys)]
    if len(names) != matrix.shape[1]:
        raise InputError(
            f"the scores have {matrix.shape[1]} columns, but there are {len(names)} classes. Hint: {_name_classes()}."
        )
    return matrix


def places_of(names: Sequence[str], keys: Sequence[str]) -> list[int]:
    """Where each class is among the named columns."""
    missing = [name for name in names if name not in keys]
    if missing:
        raise InputError(
            f"no score column belongs to the class {short_repr(missing[0])}. "
            f"Hint: the columns are for {', '.join(map(short_repr, keys[:10]))}."
        )
    return [keys.index(name) for name in names]


def class_names(classes: Sequence[object]) -> tuple[str, ...]:
    """Names as text; no two of them may mean the same."""
    if len(classes) < 2:
        raise InputError(f"there must be at least two classes; got {len(classes)}.")
    twice = [
        each for each, times in Counter(canonical_label(class_name) for class_name in classes).items() if times > 1
    ]
    if twice:
        same = [class_name for class_name in classes if canonical_label(class_name) == twice[0]]
        raise InputError(
            f"two classes have the same name: {short_repr(same[0])} and {short_repr(same[1])}. Hint: rename one."
        )
    return tuple(str(class_name) for class_name in classes)


def codes_of(column: npt.NDArray[Any], classes: Sequence[object], place: ColumnRef) -> Codes:
    """Return the number of each value's class; unknown values are refused by row."""
    numbered = column.dtype.kind in "iu" and len(column) and list(classes) == list(range(len(classes)))
    if numbered and column.min() >= 0 and column.max() < len(classes):
        return column.astype(np.int64)
    found, inverse = distinct_values(column)
    known = {canonical_label(class_name): number for number, class_name in enumerate(classes)}
    code = np.array([known.get(canonical_label(each), -1) for each in found], dtype=np.int64)
    unknown = np.flatnonzero(code < 0)
    if len(unknown):
        reject_rows(np.isin(inverse, unknown), place, *unknown_class(found[unknown[0]], classes))
    return code[inverse]


def unknown_class(value: object, classes: Sequence[object]) -> tuple[str, str]:
    """Return what to say of a label that is none of the classes, and what to do."""
    shown = ", ".join(short_repr(str(class_name)) for class_name in classes[:10]) + (
        ", ..." if len(classes) > 10 else ""
    )
    shown_value = value.item() if isinstance(value, np.generic) else value
    what = f"holds {short_repr(shown_value)}, which is none of the classes ({shown})"
    named = surface_text("name all classes with `classes`", "see that every class is named, or has its column")
    models = surface_text("; models, not classes, are named with `score=['a', 'b']`", "; models are named with --score")
    return what, f"check the spelling, or {named}{models}"


def by_label(columns: Mapping[str, str], labels: Iterable[Any]) -> dict[str, str]:
    """Columns by class; a column whose whole name is a label belongs to that label, whatever the star stands for.

    >>> by_label({"cat": "p_cat", "dog": "p_dog"}, ["p_cat", "p_dog"])
    {'p_cat': 'p_cat', 'p_dog': 'p_dog'}
    """
    seen = {canonical_label(str(label)) for label in labels}
    return {
        name if canonical_label(name) in seen and canonical_label(key) not in seen else key: name
        for key, name in columns.items()
    }


def group_codes(groups: Any, place: ColumnRef) -> Codes:
    """Whole numbers from 0 that stand for the groups."""
    column = as_column(groups, place.name)
    reject_rows(is_missing(column), place, *ColumnProblems.GROUP)
    if column.dtype.kind not in "biufUSMm":
        column = np.array([text_of(each) for each in column.tolist()])
    return np.unique(column, return_inverse=True)[1].astype(np.int64)


def check_unique_ids(ids: Sequence[Any], name: str) -> None:
    """Refuse by name a case that occurs twice: it would count as two."""
    first_row: dict[Any, int] = {}
    for row, value in enumerate(ids):
        if first_row.setdefault(value, row) != row:
            raise repeated(name, value, f", first in rows {first_row[value]} and {row} (counted from 0)")


def _name_classes() -> str:
    """How to say which column of scores belongs to which class."""
    return surface_text(
        "give one column for each class, and name them in that order with `classes`", "give a column to each"
    )
