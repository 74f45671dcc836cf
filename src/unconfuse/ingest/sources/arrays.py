"""Labels and scores that are in memory already: arrays, lists, and the columns of any data-frame library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._formatting import short_repr
from unconfuse._labels import canonical_label
from unconfuse._validate import ColumnRef, as_builtin, by_text
from unconfuse.ingest.bad_rows import Matrix, RawColumn, RawColumns, ScoreMatrix
from unconfuse.ingest.build_sample import sample_of, with_values
from unconfuse.ingest.column_roles import ONLY_MODEL
from unconfuse.ingest.data import (
    ANY,
    VALUES,
    Data,
    ReadRequest,
    asks_of_predicted,
    has_names,
    is_array_source,
    refused,
    reject_options,
    reject_with_multiclass,
)
from unconfuse.table.in_memory import InMemorySample

_WHAT = "the data are plain arrays"
_HINT = "give a frame or a file, or pass the arrays as `weights=`, `groups=`, `by=`, `folds=` and `site=`"


def recognises(data: Data) -> bool:
    """Labels beside scores or predicted classes."""
    return is_array_source(data)


def read(data: Data, needs: ReadRequest) -> InMemorySample:
    """Labels and scores side by side, checked.

    Examples
    --------
    >>> read(Data([1, 0, 1], {"old": [.9, .2, .4], "new": [.8, .1, .7]}), ReadRequest())
    InMemorySample(3 cases, 2 positive, models: old, new)
    >>> read(Data(["a", "b", "c"], [[.6, .3, .1], [.2, .5, .3], [.1, .1, .8]]), ReadRequest()).classes
    ('a', 'b', 'c')
    """
    reject_options(data, ANY | VALUES | {"s", "by", "site"}, _WHAT, _HINT)
    if needs.models:
        data = replace(data, s=_by_model(data.s, data.source))
    for word, value in (("by", data.by), ("site", data.site), ("predicted", data.predicted)):
        if isinstance(value, str) or (word == "predicted" and has_names(value)):
            raise refused(word, value, _WHAT, _HINT)
    if _is_empty(data.s) or (data.s is None and data.predicted is None):
        shape = np.shape(data.source) if isinstance(data.source, list | tuple | np.ndarray) else ()
        if len(shape) == 2 and shape[0] == shape[1]:
            raise InputError(
                "a square table is not a column of labels. Hint: evaluate_confusion(matrix) takes a confusion matrix, "
                "rows = truth; evaluate_counts(tp=90, fp=5, fn=10, tn=95) its four counts."
            )
        if len(shape) == 2 and shape[1] == 2:
            raise InputError(
                "the rows hold two values each: labels and scores come as two columns. Hint: y, s = zip(*rows); "
                "evaluate(y, s)."
            )
        raise InputError(
            "there are labels but no scores. Hint: pass both, as in evaluate(y, s); for answers that are right or "
            "wrong, use `items`."
        )
    if isinstance(data.source, Mapping) and data.s is not None and not isinstance(data.s, Mapping):
        raise InputError(
            "the first argument holds several columns by name and the second one column: they are swapped. Hint: "
            "labels come first, compare(y, {'a': s1, 'b': s2})."
        )
    labels = as_builtin(data.source)
    label = RawColumn(labels, ColumnRef("`labels`"))
    if data.predicted is None and not _has_classes(labels, data.s, needs):
        models = data.s if isinstance(data.s, Mapping) else {ONLY_MODEL: data.s}
        scores = {
            name: RawColumn(as_builtin(own), _place(name, len(models)))
            for name, own in by_text(models, "models").items()
        }
        try:
            return sample_of(with_values(RawColumns(label, scores), data), data)
        except InputError:
            _refuse_swapped(labels, data.s)
            raise
    if data.predicted is None and (pairs := _pairs_of_columns(data.s)) is not None:
        return sample_of(with_values(replace(pairs, label=label), data), data)
    if not asks_of_predicted(data):
        reject_with_multiclass(data)
    columns = RawColumns(label, matrices={} if data.s is None else _matrices(data.s))
    return sample_of(with_values(columns, data), data)


def _by_model(scores: Any, labels: Any) -> Any:
    """Return scores by model where columns or pairs name models, and none of the names is a label; else as given."""
    if isinstance(scores, list) and scores and all(isinstance(score, tuple) and len(score) == 2 for score in scores):
        return dict(scores) if all(isinstance(name, str) for name, _ in scores) else scores
    names = list(getattr(scores, "columns", ()))
    if not names or not all(isinstance(name, str) for name in names):
        return scores
    known = {str(canonical_label(each)) for each in np.unique(np.asarray(labels)).tolist()}
    return scores if known & set(names) else {name: scores[name] for name in names}


def _place(name: object, models: int) -> ColumnRef:
    return ColumnRef("`scores`" if models == 1 else f"`scores` of {short_repr(str(name))}")


def _has_classes(labels: Any, scores: Any, needs: ReadRequest) -> bool:
    """Whether scores are a matrix with a column for each class, rather than one column of scores."""
    if not isinstance(scores, Mapping):
        return _width(scores) > 1
    if any(isinstance(score, Mapping) or _width(score) > 1 for score in scores.values()):
        return True
    if needs.models or len(scores) < 2:
        return False
    return {canonical_label(each) for each in np.unique(np.asarray(labels)).tolist()} <= {
        canonical_label(score) for score in scores
    }


def _pairs_of_columns(scores: Any) -> RawColumns | None:
    """Matrices of two columns, as `predict_proba` gives them, with the models that have one; None if any has more."""
    models = by_text(scores, "models") if isinstance(scores, Mapping) else {ONLY_MODEL: scores}
    if any(isinstance(model, Mapping) for model in models.values()):
        return None
    widths = {name: _width(model) for name, model in models.items()}
    if 2 not in widths.values() or max(widths.values()) > 2:
        return None
    wide = {name: _wide(model) for name, model in models.items() if widths[name] == 2}
    single = {
        name: RawColumn(as_builtin(model), _place(name, len(models)))
        for name, model in models.items()
        if widths[name] == 1
    }
    return RawColumns(RawColumn([], ColumnRef("`labels`")), single, wide)


def _refuse_swapped(labels: Any, scores: Any) -> None:
    """Say so if scores came first and labels second."""
    if isinstance(scores, Mapping):
        for score in scores.values():
            _refuse_swapped(labels, score)
        return
    try:
        first, second = np.asarray(labels), np.asarray(as_builtin(scores))
    except ValueError:  # lists of unequal lists: whoever calls has a word on them
        return
    are_scores = first.ndim in (1, 2) and first.dtype.kind == "f" and len(np.unique(first)) > 2
    are_labels = second.ndim == 1 and len({str(each) for each in second.tolist()[:1000]}) <= 2
    if first.ndim and second.ndim == 1 and _are_labels_of(second, first):
        raise InputError(
            f"the second argument holds labels ({short_repr(second[:3].tolist())}, ...), not scores. Hint: name them, "
            "evaluate(y, predicted=labels)."
        )
    if are_scores and are_labels and (first != np.round(first)).any():
        raise InputError(
            f"the first argument holds scores ({short_repr(first[:3].tolist())}, ...) and the second labels "
            f"({short_repr(second[:3].tolist())}, ...): they are swapped. Hint: labels come first, evaluate(y, s)."
        )


def _are_labels_of(scores: npt.NDArray[Any], labels: npt.NDArray[Any]) -> bool:
    """Whether what came as scores holds nothing but labels, and more than 0 and 1, which may be both."""
    try:
        held = set(labels.ravel().tolist()) if labels.dtype.kind in "iuOUS" else set()
        given = set(scores.tolist())
        return len(given) > 1 and given <= held and (scores.dtype.kind != "i" or len(held) > 2)
    except TypeError:  # values that cannot be labels are refused elsewhere
        return False


def _is_empty(scores: Any) -> bool:
    """Whether models or classes should be there by name, and are not."""
    return isinstance(scores, Mapping) and (not scores or any(map(_is_empty, scores.values())))


def _width(scores: Any) -> int:
    """Columns of a matrix; 1 for anything else."""
    shape = getattr(scores, "shape", None)
    if shape is None and isinstance(scores, list | tuple) and scores and hasattr(scores[0], "__len__"):
        return 1 if isinstance(scores[0], str) or len(scores) == 1 else len(scores[0])
    return int(shape[1]) if isinstance(shape, tuple) and len(shape) == 2 and shape[0] != 1 else 1


def _matrices(scores: Any) -> dict[str, Matrix]:
    """Return the matrix of each model; a mapping is of models if it holds matrices, and otherwise of classes."""
    if not isinstance(scores, Mapping):
        return {ONLY_MODEL: _wide(scores)}
    if any(isinstance(score, Mapping) or _width(score) > 1 for score in scores.values()):
        models = by_text(scores, "models")
        return {
            name: _by_class(model) if isinstance(model, Mapping) else _wide(model) for name, model in models.items()
        }
    return {ONLY_MODEL: _by_class(scores)}


def _by_class(columns: Mapping[Any, Any]) -> dict[str, RawColumn]:
    named = by_text(columns, "classes")
    return {name: RawColumn(as_builtin(own), _place(name, len(columns))) for name, own in named.items()}


def _has_names(scores: Any) -> bool:
    """Whether somebody named the columns: the numbers that pandas gives to those of a matrix are no names."""
    return hasattr(scores, "columns") and type(scores.columns).__name__ != "RangeIndex"


def _wide(scores: Any) -> ScoreMatrix:
    """Return a matrix of numbers, single precision left as it is, and the names of its columns if they have any."""
    keys = [str(column) for column in scores.columns] if _has_names(scores) else None
    try:
        matrix: npt.NDArray[Any] = np.asarray(scores.to_numpy() if hasattr(scores, "to_numpy") else scores)
        if matrix.dtype.kind not in "fiubO":  # text, dates and complex numbers
            raise TypeError
        matrix = matrix if matrix.dtype in (np.float32, np.float64) else matrix.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "the scores must be a matrix of numbers, one column for each class. "
            "Hint: check for text and for rows of different lengths."
        ) from None
    if matrix.ndim != 2:
        raise InputError(
            f"the scores must have a row for each case and a column for each class; got shape {matrix.shape}."
        )
    return ScoreMatrix(matrix, ColumnRef("`scores`"), keys)
