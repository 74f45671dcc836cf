"""Cases with many labels: from arrays, frames and files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError, argument_name
from unconfuse._formatting import short_repr
from unconfuse._parameters import names_in
from unconfuse._row_errors import ColumnProblems, not_numbers
from unconfuse._validate import ColumnRef, by_text, check_list, check_same_length, is_missing, reject_rows
from unconfuse.ingest._database_connection import is_address
from unconfuse.ingest.bad_rows import RawColumn, RawColumns, ScoreMatrix, lenient
from unconfuse.ingest.build_sample import _weights, check_unique_ids, group_codes, with_values
from unconfuse.ingest.column_roles import ONLY_MODEL, matched, place_of
from unconfuse.ingest.data import ROLES, Data, reject_options
from unconfuse.ingest.grouping import divided_by, named_by
from unconfuse.ingest.named_columns import named_columns
from unconfuse.ingest.sources.arrays import _has_names
from unconfuse.ingest.sources.spark import recognises as is_spark
from unconfuse.table.multi_output import UNKNOWN, LabelSample
from unconfuse.table.sample import Matrix

_VALUES = frozenset(("source", "s", "labels", "predicted", "weights", "sampling_weights", "groups", "by", "on_bad_row"))
_NAMED = frozenset(("weight", "sampling_weight", "group", "id"))
OF_FILES = frozenset(("delimiter", "decimal", "table"))
_MANY = "cases have many labels"


def read_labels(data: Data) -> LabelSample:
    """Read cases with many labels, checked.

    Examples
    --------
    >>> read_labels(Data([[1, 0], [0, None]], [[.9, .2], [.3, .6]]))
    LabelSample(2 cases, 2 labels, models: score)
    >>> rows = {"has_a": [1, 0], "has_b": [0, 1], "p_a": [.9, .2], "p_b": [.1, .8]}
    >>> read_labels(Data(rows, labels="has_*", scores="p_*")).labels
    ('has_a', 'has_b')
    """
    refuse_distant(data, "many labels")
    by_values = _is_values(data.predicted) and not isinstance(data.source, str | os.PathLike)
    in_memory = data.s is not None or (by_values and data.labels is None)
    truth, names, short, columns, predicted = _of_arrays(data) if in_memory else _of_columns(data)
    kept = columns.screened() if data.on_bad_row == "skip" else columns
    rows = np.asarray(kept.label.values, dtype=np.intp)
    check_same_length(kept.lengths())
    scores = {model: _finite(matrix) for model, matrix in kept.matrices.items() if isinstance(matrix, ScoreMatrix)}
    weights, squares = _weights(kept)
    label_sample = LabelSample(
        labels=names,
        short=short,
        truth=truth[rows],
        scores=scores,
        decided={model: _decided(own[rows], model) for model, own in predicted.items()},
        weights=weights,
        squares=squares,
        groups=None if kept.group is None else group_codes(*kept.group),
        division=divided_by(data.by, kept.by, kept.orders) if kept.by else None,
        skipped=kept.skipped,
    )
    if weights is not None and not weights.all():
        counted = np.flatnonzero(weights > 0)
        division = None if label_sample.division is None else label_sample.division.taken(counted)
        label_sample = replace(label_sample.taken(counted), division=division)
    return _checked(label_sample)


def _checked(sample: LabelSample) -> LabelSample:
    if not len(sample):
        raise InputError("there are no cases. Hint: check the rows.")
    if not sample.observed:
        raise InputError("no label of any case is known. Hint: labels are 1, 0, or missing where unknown.")
    return sample


def refuse_distant(data: Data, what: str) -> None:
    """Spark and databases: what is needed is every label of a case at once."""
    hint = "bring a sample with .toPandas()"
    if is_spark(data):
        raise InputError(f"{what} need the rows, which stay on the cluster. Hint: {hint}.")
    if isinstance(data.source, str) and is_address(data.source):
        raise InputError(f"{what} are not read from a database. Hint: select the columns into a frame or a file.")


def _is_values(given: Any) -> bool:
    return given is not None and not isinstance(given, str)


def _of_arrays(data: Data) -> tuple[Any, tuple[str, ...], tuple[str, ...], RawColumns, dict[str, Any]]:
    """Matrices side by side, whose columns are the labels."""
    in_frames = _VALUES | _NAMED | OF_FILES | {"label", "score", "scores", "query"}
    reject_options(data, in_frames, _MANY)  # what no source of many labels takes; then what takes names of columns
    reject_options(data, _VALUES, "the data are matrices", "give a frame or a file with `labels` and `scores`")
    truth, keys = _matrix(data.source, "labels")
    names = _names(data.labels, keys, truth.shape[1])
    models = data.s if isinstance(data.s, Mapping) else {} if data.s is None else {ONLY_MODEL: data.s}
    said = data.predicted
    decided = said if isinstance(said, Mapping) else {} if said is None else {ONLY_MODEL: said}
    both = [by_text(own, "models") for own in (models, decided)]
    if not (both[0] or both[1]):
        raise InputError("there are labels but no scores. Hint: pass both, as in evaluate(Y, S).")
    scores = {
        name: ScoreMatrix(_in_order(own, names, f"scores of {name}"), ColumnRef("`scores`"))
        for name, own in both[0].items()
    }
    predicted = {name: _in_order(own, names, f"predicted labels of {name}") for name, own in both[1].items()}
    for name, own in predicted.items():
        check_same_length({"labels": len(truth), f"predicted of {name}": len(own)})
    columns = RawColumns(RawColumn(np.arange(len(truth)), ColumnRef("labels")), matrices=scores)
    words = Data(data.source, **{w: getattr(data, w) for _, w in ROLES if w != "folds"}, by=data.by)
    return _truth(truth, names), names, names, with_values(columns, words), predicted


def _names(given: Any, keys: Sequence[str] | None, width: int) -> tuple[str, ...]:
    """Names of the labels: those given, those of the columns, or numbers."""
    if given is None and keys is None:
        return tuple(map(str, range(width)))
    names = tuple(str(each) for each in (keys if given is None else check_list(given, "labels")) or ())
    if len(names) != width:
        raise InputError(f"`labels` must name {width} columns; got {len(names)}.")
    if len(set(names)) < len(names):
        raise InputError(f"`labels` must not name a label twice; got {short_repr(list(names))}.")
    return names


def _matrix(values: Any, what: str) -> tuple[npt.NDArray[Any], list[str] | None]:
    """Rows and columns of any values, and the names of the columns if they have any."""
    keys = [str(column) for column in values.columns] if _has_names(values) else None
    try:
        found = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
        if found.ndim != 2 or not found.shape[1]:
            raise ValueError
    except (TypeError, ValueError):
        raise InputError(f"the {what} must have a row for each case and a column for each label.") from None
    if isinstance(found, np.ma.MaskedArray):
        found = np.ma.filled(found.astype(np.float64), np.nan)
    return found, keys


def _in_order(values: Any, names: Sequence[str], what: str) -> npt.NDArray[Any]:
    """Return a model's matrix with its columns in the order of the labels, by name if they bear the same names."""
    matrix, keys = _matrix(values, what)
    if matrix.shape[1] != len(names):
        raise InputError(f"the {what} must have a column for each of {len(names)} labels; got {matrix.shape[1]}.")
    if keys is not None and set(keys) == set(names):
        return np.asarray(matrix[:, [keys.index(name) for name in names]])
    return matrix


def _truth(matrix: npt.NDArray[Any], names: Sequence[str]) -> npt.NDArray[np.int8]:
    """0, 1, and -1 where nothing is known; anything else is refused by name."""
    numbers, is_text = lenient(matrix)
    for place, name in enumerate(names):
        own = numbers[:, place]
        bad = is_text[:, place] | ~(np.isnan(own) | (own == 0) | (own == 1))
        if bad.any():
            row = int(np.argmax(bad))
            raise InputError(
                f"label {short_repr(name)} must hold 0, 1 or nothing (unknown); got {short_repr(matrix[row, place])} "
                "in row "
                f"{row} (counted from 0). Hint: recode it; several classes in one column are evaluate(y, S) with y of "
                "one dimension."
            )
    return np.where(np.isnan(numbers), UNKNOWN, numbers).astype(np.int8)


def _decided(matrix: npt.NDArray[Any], model: str) -> npt.NDArray[np.bool_]:
    numbers, is_text = lenient(matrix)
    if is_text.any() or not np.isin(numbers, (0.0, 1.0)).all():
        raise InputError(f"predicted labels of {model} must be 0 or 1 in every row. Hint: recode them.")
    return np.asarray(numbers == 1)


def _finite(own: ScoreMatrix) -> Matrix:
    numbers, is_text = lenient(np.asarray(own.values))
    if is_text.any():
        raise not_numbers("`scores`", f"found {short_repr(np.asarray(own.values)[is_text][0])}")
    reject_rows(np.asarray(np.isnan(numbers).any(axis=1)), own.place, *ColumnProblems.NUMBER)
    reject_rows(np.asarray(np.isinf(numbers).any(axis=1)), own.place, *ColumnProblems.INFINITE)
    return numbers


def _of_columns(data: Data) -> tuple[Any, tuple[str, ...], tuple[str, ...], RawColumns, dict[str, Any]]:
    """Columns of a frame or of files, by name."""
    known = _VALUES | _NAMED | {"scores"}
    is_file = isinstance(data.source, str | os.PathLike)
    reject_options(
        _without(data, "labels", "scores", "predicted"), known | (OF_FILES if is_file else frozenset()), _MANY
    )
    if data.labels is None or (data.scores is None and data.predicted is None):
        missing = "labels" if data.labels is None else "scores"
        raise InputError(f"{_MANY}: both must be named. Hint: give {argument_name(missing, 'pattern')}, such as 'p_*'.")
    meant: dict[str, Any] = {}

    def choose(names: Sequence[str]) -> list[str]:
        meant["labels"] = _by_star(data.labels, names)
        for word in ("scores", "predicted"):
            given = getattr(data, word)
            models = given if isinstance(given, Mapping) else {} if given is None else {ONLY_MODEL: given}
            meant[word] = {str(model): _aligned(own, names, meant["labels"], word) for model, own in models.items()}
        each = [own for word in ("scores", "predicted") for own in meant[word].values()]
        roles = [getattr(data, role) for role in _NAMED if getattr(data, role) is not None]
        return list(
            dict.fromkeys([*meant["labels"].values(), *(n for own in each for n in own), *named_by(data.by)[0], *roles])
        )

    found = named_columns(rows_alone(data, is_file), choose)
    labels: dict[str, str] = meant["labels"]
    if data.id is not None:
        check_unique_ids(found[data.id].tolist(), data.id)
    truth = _truth(_stacked(found, list(labels.values())), list(labels.values()))
    scores = {
        model: ScoreMatrix(_stacked(found, own), ColumnRef(f"columns {short_repr(own[0])} to {short_repr(own[-1])}"))
        for model, own in meant["scores"].items()
    }
    predicted = {model: _stacked(found, own) for model, own in meant["predicted"].items()}
    columns = _with_roles(RawColumns(RawColumn(np.arange(len(truth)), ColumnRef("rows")), matrices=scores), data, found)
    return truth, tuple(labels.values()), tuple(labels), columns, predicted


def _with_roles(columns: RawColumns, data: Data, found: Mapping[str, Any]) -> RawColumns:
    """Return the columns with weights, groups and what divides the rows, as named columns or as values."""
    named: dict[str, Any] = {}
    for role in ("weight", "sampling_weight", "group"):
        name = getattr(data, role)
        if name is not None:
            own = found[name]
            named[role] = RawColumn(own if role == "group" else lenient(numbers_of(own))[0], place_of(name))
    by = {name: found[name] for name in named_by(data.by)[0]}
    words = {word: getattr(data, word) for _, word in ROLES if word != "folds"}
    return with_values(replace(columns, **named, by=by), Data(None, **words, by=None if by else data.by))


def _without(data: Data, *words: str) -> Data:
    nothing: dict[str, Any] = dict.fromkeys(words)
    return replace(data, **nothing)


def rows_alone(data: Data, is_file: bool) -> Data:
    """Where the rows are, without what their columns mean."""
    return Data(data.source, **{word: getattr(data, word) for word in OF_FILES if is_file})


def _by_star(labels: Any, names: Sequence[str]) -> dict[str, str]:
    """Columns of labels by the part in which their names differ."""
    if isinstance(labels, str) and "*" in labels:
        before, after = labels.split("*", 1)
        if "*" in after:
            raise InputError(
                f"a pattern of labels needs one star; got {short_repr(labels)}. Hint: for instance 'finding_*'."
            )
        short = len(before) + len(after)
        found = {
            name[len(before) : len(name) - len(after)]: name
            for name in names
            if len(name) > short and name.startswith(before) and name.endswith(after)
        }
        if not found:
            shown = ", ".join(map(short_repr, names[:20]))
            raise InputError(f"no column matches {short_repr(labels)}; the columns are {shown}.")
        return found
    listed = names_in(labels) if isinstance(labels, str) else check_list(labels, "labels")
    return {str(name): str(name) for name in listed}


def _aligned(given: Any, names: Sequence[str], labels: Mapping[str, str], word: str) -> list[str]:
    """Return a model's columns in the order of the labels: by what the star stands for, by name, or as listed."""
    if isinstance(given, str) and "*" in given:
        taken = list(labels.values())
        own = matched(given, names, taken) if len(labels) > 1 else _by_star(given, [n for n in names if n not in taken])
        missing = [short for short in labels if short not in own]
        if missing:
            raise InputError(
                f"no column of {short_repr(given)} for label {short_repr(labels[missing[0]])}. Hint: {word} and "
                "labels are "
                "matched by what the star stands for."
            )
        return [own[short] for short in labels]
    listed = names_in(given) if isinstance(given, str) else list(given)
    if isinstance(given, Mapping):
        missing = [name for name in labels.values() if name not in given]
        if missing:
            raise InputError(f"`{word}` names no column for label {short_repr(missing[0])}.")
        return [str(given[name]) for name in labels.values()]
    if len(listed) != len(labels):
        raise InputError(f"`{word}` must name a column for each of {len(labels)} labels; got {len(listed)}.")
    return [str(each) for each in listed]


def _stacked(found: Mapping[str, npt.NDArray[Any]], names: Sequence[str]) -> npt.NDArray[Any]:
    return np.column_stack([numbers_of(found[name]) for name in names])


def numbers_of(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers where there are some, also as files write them; what is none stays as it is, to be refused by name."""
    if column.dtype.kind in "fiub":
        return column.astype(np.float64)
    cells = column.astype(object)
    cells[is_missing(cells)] = np.nan
    try:
        return cells.astype(np.float64)
    except (TypeError, ValueError):
        return np.array([_read(cell) for cell in cells], dtype=object)


def _read(cell: Any) -> Any:
    text = str(cell).strip()
    if text.casefold() in ("", "na", "nan", "null", "none"):
        return np.nan
    if text.casefold() in ("true", "false"):
        return float(text.casefold() == "true")
    try:
        return float(text)
    except ValueError:
        return cell
