"""Score tables: their arrays, making and merging them, the points of their curves.

NumPy allocates and sorts (its sort is SIMD), C++ does the single passes.
"""

from __future__ import annotations

import os
from threading import Thread

import numpy as np
import numpy.typing as npt

from unconfuse._kernels import _native

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
Counts32 = npt.NDArray[np.uint32]
Columns = tuple[Floats, Floats, Floats]

WORTH_A_THREAD = 50_000  # rows; below this, starting a thread costs more than it saves


def floats(values: npt.ArrayLike) -> Floats:
    """A contiguous array of float64; a copy only if it has to be."""
    return np.ascontiguousarray(values, dtype=np.float64)


def integers(values: npt.ArrayLike) -> Integers:
    """A contiguous array of int64."""
    return np.ascontiguousarray(values, dtype=np.int64)


def flags(values: npt.ArrayLike) -> Flags:
    """A contiguous array of bool."""
    return np.ascontiguousarray(values, dtype=np.bool_)


def threads(wanted: int | None) -> int:
    """The number of threads: as wanted, or one for each core that this process may use."""
    if wanted is not None:
        return max(1, wanted)
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


def collapse(score: Floats, is_positive: Flags, weights: Floats | None = None) -> Columns:
    """Distinct scores, descending, with the weight of positives and of negatives at each.

    -0.0 counts as 0.0. A row of weight 0 is no row. With whole-number weights the sums are exact.
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
    """The table of both sets of rows, in one pass."""
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


def totals(positives: Floats, negatives: Floats) -> tuple[float, float, bool]:
    """The weight of each class, and whether any block has weight 0."""
    return _native.totals(floats(positives), floats(negatives))


def roc_points(
    score: Floats,
    positives: Floats,
    negatives: Floats,
    *,
    class_totals: tuple[float, float] | None = None,
    n_threads: int | None = None,
) -> Columns:
    """Threshold, FPR and TPR from (0, 0), where the threshold is infinite, to (1, 1)."""
    out = np.empty(len(score) + 1), np.empty(len(score) + 1), np.empty(len(score) + 1)
    sums = totals(positives, negatives)[:2] if class_totals is None else class_totals
    _native.roc_points(floats(score), floats(positives), floats(negatives), *sums, threads(n_threads), *out)
    return out


def precision_recall_points(
    positives: Floats,
    negatives: Floats,
    *,
    class_totals: tuple[float, float] | None = None,
    n_threads: int | None = None,
) -> Columns:
    """Recall, precision and queue rate at each distinct score."""
    out = np.empty(len(positives)), np.empty(len(positives)), np.empty(len(positives))
    sums = totals(positives, negatives)[:2] if class_totals is None else class_totals
    _native.precision_recall_points(floats(positives), floats(negatives), *sums, threads(n_threads), *out)
    return out
