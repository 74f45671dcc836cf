"""Which cases are held out: dealt by what the rows hold, so that a case repeated is a case that weighs more."""
# mypy: disable-error-code="import-untyped"

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from unconfuse._errors import InputError
from unconfuse._formatting import short_repr

Places = npt.NDArray[np.intp]


def distinct_cases(X: Any, labels: Any) -> Places:
    """Return the number of each row's case, in the order of what rows hold: equal rows of one class are one case.

    Rows that are equal go together into what is held out. If they did not, a model would be judged on cases that it has
    seen, and rows repeated would be held out otherwise than rows that weigh more.
    """
    _, rows = np.unique(_keys(X), return_inverse=True)
    _, classes = np.unique(labels, return_inverse=True)
    both = rows.ravel() * (int(classes.max()) + 1) + classes.ravel()
    cases: Places = np.unique(both, return_inverse=True)[1].ravel()
    return cases


def _keys(X: Any) -> npt.NDArray[Any]:
    """Return what each row holds, as something that can be sorted."""
    if hasattr(X, "tocsr"):
        rows = X.tocsr(copy=True)
        rows.sum_duplicates()
        ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        return np.array([f"{rows.indices[a:b].tolist()} {rows.data[a:b].tolist()}" for a, b in ends])
    values = np.asarray(X)
    if not values.ndim:
        raise InputError(f"`X` must be a table of features; got {short_repr(X)}.")
    if values.dtype.hasobject or values.dtype.kind in "MmUS":
        return np.array([repr(row.tolist()) if isinstance(row, np.ndarray) else repr(row) for row in values])
    flat = np.ascontiguousarray(values).reshape(len(values), int(np.prod(values.shape[1:])))
    if not flat.shape[1]:  # no features: fitting says so
        return np.zeros(len(values))
    return flat.view(np.dtype((np.void, flat.dtype.itemsize * flat.shape[1]))).ravel()


def assign_folds(cases: Places, labels: Any, folds: int, random_state: Any) -> Places:
    """Return the fold of each row: the cases of each class in turn, in random order."""
    generator = check_random_state(random_state)
    fold = np.empty(len(cases), dtype=np.intp)
    for label in np.unique(labels):
        own, place = np.unique(cases[labels == label], return_inverse=True)
        fold[labels == label] = generator.permutation(np.arange(len(own)) % folds)[place.ravel()]
    return fold


def kept(cases: Places, labels: Any, share: float, random_state: Any) -> npt.NDArray[np.bool_]:
    """Which rows are held out: this share of the cases of each class, at least one, and never all."""
    generator = check_random_state(random_state)
    out = np.zeros(len(cases), dtype=bool)
    for label in np.unique(labels):
        own, place = np.unique(cases[labels == label], return_inverse=True)
        many = int(np.clip(round(share * len(own)), 1, max(len(own) - 1, 0)))
        out[labels == label] = (generator.permutation(len(own)) < many)[place.ravel()]
    return out
