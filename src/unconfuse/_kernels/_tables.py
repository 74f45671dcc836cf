"""Making and merging score tables: NumPy allocates and sorts (its sort is SIMD), C++ does the single passes."""

from __future__ import annotations

from threading import Thread

import numpy as np

from unconfuse._kernels import _native
from unconfuse._kernels._arrays import Flags, Floats, flags, floats

Columns = tuple[Floats, Floats, Floats]

WORTH_A_THREAD = 50_000  # rows; below this, starting a thread costs more than it saves


def collapse(score: Floats, is_positive: Flags, weights: Floats | None = None) -> Columns:
    """Distinct scores, descending, with the weight of positives and of negatives at each.

    -0.0 counts as 0.0. A row of weight 0 is no row. With whole-number weights the sums are exact.

    Examples
    --------
    >>> collapse(np.array([.4, .9, .4]), np.array([True, True, False]))
    (array([0.9, 0.4]), array([1., 1.]), array([0., 1.]))
    """
    score, is_positive = floats(score), flags(is_positive)
    columns = _empty_columns(len(score))
    if weights is None:
        size = _collapse_unweighted(score, is_positive, columns)
    else:
        size = _native.collapse_weighted(score, is_positive, floats(weights), *columns)
    return _shrunk(columns, size)


def merge_tables(
    score_a: Floats, positives_a: Floats, negatives_a: Floats, score_b: Floats, positives_b: Floats, negatives_b: Floats
) -> Columns:
    """The table of both sets of rows, in one pass.

    Examples
    --------
    >>> merge_tables(*(np.array([x]) for x in (.9, 1., 0.)), *(np.array([x]) for x in (.9, 0., 2.)))
    (array([0.9]), array([1.]), array([2.]))
    """
    columns = _empty_columns(len(score_a) + len(score_b))
    inputs = [floats(column) for column in (score_a, positives_a, negatives_a, score_b, positives_b, negatives_b)]
    size = _native.merge_tables(*inputs, *columns)  # type: ignore[call-arg]
    return _shrunk(columns, size)


def _collapse_unweighted(score: Floats, is_positive: Flags, columns: Columns) -> int:
    """Sort each class on its own and merge them; the larger one lives in the score column, to touch less memory."""
    n_positives = _native.count_true(is_positive)
    positives_are_fewer = 2 * n_positives <= len(score)
    smaller = np.empty(min(n_positives, len(score) - n_positives))
    larger = columns[0][len(smaller) :]
    _native.split_by_class(score, is_positive, positives_are_fewer, smaller, larger)
    _sort_both(smaller, larger)
    counts = columns[1:] if positives_are_fewer else columns[:0:-1]
    return _native.merge_classes(smaller, columns[0], *counts)


def _sort_both(smaller: Floats, larger: Floats) -> None:
    """Sort in place, the smaller array on a second thread if it is worth it: NumPy lets go of the GIL."""
    if len(smaller) < WORTH_A_THREAD:
        smaller.sort()
        larger.sort()
    else:
        helper = Thread(target=smaller.sort)
        helper.start()
        larger.sort()
        helper.join()


def _empty_columns(room: int) -> Columns:
    """NumPy's own memory: it asks for huge pages, and untouched pages cost nothing."""
    return np.empty(room), np.empty(room), np.empty(room)


def _shrunk(columns: Columns, size: int) -> Columns:
    for column in columns:
        column.resize(size, refcheck=False)
    return columns
