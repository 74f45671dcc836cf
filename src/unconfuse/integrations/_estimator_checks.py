"""What is asked of somebody's estimator: what it raises is its own, what it answers is checked and refused in words."""
# mypy: disable-error-code="import-untyped"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import short_repr
from unconfuse._labels import check_label
from unconfuse._validate import as_builtin, as_floats, as_numbers, is_missing
from unconfuse.table import Array

EITHER = ("predict_proba", "decision_function")
Labels = npt.NDArray[Any]


def labels_in(y: Any, name: str = "y") -> tuple[Labels, Labels]:
    """One label for each case, and the classes among them in order."""
    try:
        labels = np.asarray(as_builtin(y))
        if labels.ndim == 1 and labels.dtype.kind not in "Vc" and not is_missing(labels).any():
            return labels, np.unique(labels)
    except (TypeError, ValueError):  # lists of different lengths, and things that cannot be put in order
        raise InputError(f"`{name}` must hold labels of one kind: numbers, text or booleans.") from None
    raise InputError(f"`{name}` must hold one label for each row, none of them missing.")


def rows_of(X: Any, places: Any) -> Any:
    """Return some rows of features of any library."""
    try:
        return _safe_indexing(X, places)
    except Exception as error:  # whatever the library that made them says
        raise InputError(f"`X` must be a table with rows: {error}") from None


def fresh(estimator: Any) -> Any:
    """Return an unfitted copy of an estimator."""
    _check_kind(estimator, "fit", "get_params")
    try:
        return clone(estimator)
    except (TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise ArgumentError(f"`estimator` cannot be copied as scikit-learn copies estimators: {error}") from None


def learnt(estimator: Any, X: Any, labels: Labels, **params: Any) -> Any:
    """Return a copy of an estimator fitted to these cases: the copy itself, whatever its `fit` returns."""
    model = fresh(estimator)
    model.fit(X, labels, **params)
    return model


def _check_kind(estimator: Any, *methods: str) -> None:
    if isinstance(estimator, type) or not all(hasattr(estimator, method) for method in methods):
        raise ArgumentError(
            f"`estimator` must be a scikit-learn classifier, such as LogisticRegression(); got {short_repr(estimator)}."
        )


def classes_of(estimator: Any, known: Labels | None = None) -> Labels:
    """Return the classes of a fitted estimator; those known, if it does not name them."""
    _check_kind(estimator)
    named = getattr(estimator, "classes_", known)
    if named is None:
        raise ArgumentError(f"{type(estimator).__name__} names no classes. Hint: fit it; it must have `classes_`.")
    try:
        found = np.asarray(named)
    except ValueError:  # one list of classes for each of several questions
        found = np.empty((0, 0))
    if found.ndim != 1 or not len(found):
        raise ArgumentError(f"`classes_` of {type(estimator).__name__} must be its classes; got {short_repr(named)}.")
    return found


def place_of(positive: Any, classes: Labels) -> int:
    """Which of two classes is the positive one: the second, if nobody says."""
    if len(classes) != 2:
        raise ArgumentError(f"this is for two classes; the estimator knows {len(classes)}.")
    if positive is None:
        return 1
    label = check_label(positive, "positive")
    found = [place for place, each in enumerate(classes.tolist()) if each == label]
    if not found:
        raise ArgumentError(f"`positive={short_repr(positive)}` is none of the estimator's classes {classes.tolist()}.")
    return found[0]


def estimator_output(estimator: Any, X: Any, methods: Sequence[str], wanted_by: str, n: int, k: int) -> Array:
    """Return what the first of `methods` that the estimator has says of n cases: a column for each of k classes, or one
    for the second of two.
    """
    method = next((each for each in methods if hasattr(estimator, each)), None)
    kind = type(estimator).__name__
    if method is None:
        raise ArgumentError(f"{wanted_by} needs {' or '.join(methods)}, which {kind} does not have.")
    found = as_floats(getattr(estimator, method)(X), f"{kind}.{method}(X)")
    if found.shape not in ((n, k), (n,) if k == 2 else (n, k)):
        wanted = f"{n:,} rows and {k} columns are needed, one for each class"
        raise InputError(f"{kind}.{method}(X) has the shape {found.shape}; {wanted}.")
    return found


def scores_of(estimator: Any, X: Any, index: int, methods: Sequence[str], wanted_by: str, n: int) -> Array:
    """Return what an estimator says of one of its two classes, case by case."""
    found = estimator_output(estimator, X, methods, wanted_by, n, 2)
    one = np.ascontiguousarray(found[:, index]) if found.ndim == 2 else found if index == 1 else -found
    return as_numbers(one, f"scores of {type(estimator).__name__}")


def decided_by(estimator: Any, X: Any, n: int) -> Labels:
    """Return the class that an estimator gives to each of n cases."""
    name = f"{type(estimator).__name__}.predict(X)"
    found, _ = labels_in(estimator.predict(X), name)
    if len(found) != n:
        raise InputError(f"{name} has {len(found):,} rows; {n:,} are needed.")
    return found


def truth_of(estimator: Any, y: Any, positive: Any) -> tuple[npt.NDArray[np.bool_], int]:
    """Which cases are positive, and which of the estimator's two classes that is."""
    labels, found = labels_in(y)
    classes = classes_of(estimator, found)
    index = place_of(positive, classes)
    strange = [each for each in found.tolist() if each not in classes.tolist()]
    if strange:
        raise InputError(
            f"`y` holds {short_repr(strange[0])}, which is none of the estimator's classes {classes.tolist()}."
        )
    return np.asarray(labels == classes[index], dtype=np.bool_), index
