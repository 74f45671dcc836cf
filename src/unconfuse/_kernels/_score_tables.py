"""Score tables: their arrays, making and merging them, the points of their curves, and functions of whole tables or
stacks of them: areas under curves, the ROC hull, sums over bands, losses.

NumPy allocates (it asks for huge pages), C++ sorts by digits and does the single passes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from unconfuse._kernels import _native

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
Counts32 = npt.NDArray[np.uint32]
Words = npt.NDArray[np.uint64]
Columns = tuple[Floats, Floats, Floats]
Sums = tuple[float, float] | None
Threads = int | None

N = TypeVar("N", bound=np.generic)


def floats(values: npt.ArrayLike) -> Floats:
    """Return a contiguous array of float64; a copy only if it has to be."""
    return np.ascontiguousarray(values, dtype=np.float64)


def integers(values: npt.ArrayLike) -> Integers:
    """Return a contiguous array of int64."""
    return np.ascontiguousarray(values, dtype=np.int64)


def flags(values: npt.ArrayLike) -> Flags:
    """Return a contiguous array of bool."""
    return np.ascontiguousarray(values, dtype=np.bool_)


def threads(wanted: int | None) -> int:
    """Return the number of threads: as wanted, or one for each core that this process may use."""
    if wanted is not None:
        return max(1, wanted)
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


def collapse_cases(score: Floats, is_positive: Flags, *, n_threads: Threads = None) -> tuple[Floats, Counts32] | None:
    """Distinct scores, descending, and how many positives and negatives each has, of shape (k, 2): 16 bytes a row.

    -0.0 counts as 0.0. None if scores of both signs span more than 300 powers of ten: `collapse` takes these too.
    """
    score, is_positive = floats(score), flags(is_positive)
    both = _room_for_two(len(score))
    size = _native.collapse_cases(score, is_positive, threads(n_threads), *both)
    if size is None:
        return None
    found, counts = (_shrunk(each, size) for each in both)
    return found.view(np.float64), counts.view(np.uint32).reshape(-1, 2)


def _room_for_two(rows: int) -> tuple[Words, Words]:
    """Two columns of words: one array up to 32 MB, which the C library keeps when it is freed, until the next is made.

    Two of half that size would go back to the system, which clears their pages again: a third of the time at 1e6 rows.
    """
    if rows > 1 << 21:
        return np.empty(rows, dtype=np.uint64), np.empty(rows, dtype=np.uint64)
    both = np.empty((2, rows), dtype=np.uint64)
    return both[0], both[1]


def collapse(score: Floats, is_positive: Flags, weights: Floats | None = None) -> Columns:
    """Distinct scores, descending, with the weight of positives and of negatives at each.

    -0.0 counts as 0.0. A row of weight 0 is no row. With whole-number weights the sums are exact.
    """
    counted = collapse_cases(score, is_positive) if weights is None else None
    if counted is not None:
        return counted[0], *widened(counted[1])
    score, is_positive = floats(score), flags(is_positive)
    columns, room = _empty_columns(len(score)), np.empty(4 * len(score), dtype=np.uint64)
    given = None if weights is None else floats(weights)
    size = _native.collapse_weighted(score, is_positive, given, room, *columns)
    return _all_shrunk(columns, size)


def widened(counts: Counts32) -> tuple[Floats, Floats]:
    """Positives and negatives of counts of cases, as the columns of a table."""
    return counts[:, 0].astype(np.float64), counts[:, 1].astype(np.float64)


def merge_tables(*both: Floats) -> Columns:
    """Merge two tables in one pass: score, positives and negatives of the first, then of the second."""
    columns = _empty_columns(len(both[0]) + len(both[3]))
    size = _native.merge_tables(*(floats(column) for column in both), *columns)  # type: ignore[call-arg]
    return _all_shrunk(columns, size)


def _empty_columns(room: int) -> Columns:
    """NumPy's own memory: it asks for huge pages, and untouched pages cost nothing."""
    return np.empty(room), np.empty(room), np.empty(room)


def _shrunk(column: npt.NDArray[N], size: int) -> npt.NDArray[N]:
    """Return the beginning of a column and free the rest; a view is copied only if the rest is at least half of it."""
    if column.base is not None:
        return column[:size] if 2 * size > len(column) else column[:size].copy()
    column.resize(size, refcheck=False)
    return column


def _all_shrunk(columns: Columns, size: int) -> Columns:
    return _shrunk(columns[0], size), _shrunk(columns[1], size), _shrunk(columns[2], size)


def totals(*weights: Floats | Counts32) -> tuple[float, float, bool]:
    """Return the weight of each class, and whether any block has weight 0; from both columns or counts of cases."""
    return _native.totals(*weights)  # type: ignore[arg-type]


def roc_points(
    score: Floats, positives: Floats, negatives: Floats, *, class_totals: Sums = None, n_threads: Threads = None
) -> Columns:
    """Threshold, FPR and TPR from (0, 0), where the threshold is infinite, to (1, 1)."""
    out = _empty_columns(len(score) + 1)
    sums = totals(positives, negatives)[:2] if class_totals is None else class_totals
    _native.roc_points(floats(score), floats(positives), floats(negatives), *sums, threads(n_threads), *out)
    return out


def precision_recall_points(
    positives: Floats, negatives: Floats, *, class_totals: Sums = None, n_threads: Threads = None
) -> Columns:
    """Recall, precision and queue rate at each distinct score."""
    out = _empty_columns(len(positives))
    sums = totals(positives, negatives)[:2] if class_totals is None else class_totals
    _native.precision_recall_points(floats(positives), floats(negatives), *sums, threads(n_threads), *out)
    return out


def as_stack(positives: Floats, negatives: Floats) -> tuple[tuple[Floats, Floats], tuple[int, ...]]:
    """Tables of shape (..., k) as two matrices with one row for each, and the shape of the leading axes."""
    both = np.broadcast_arrays(positives, negatives)
    shape, size = both[0].shape[:-1], both[0].shape[-1]
    flat = (int(np.prod(shape)), size)
    return (floats(both[0]).reshape(flat), floats(both[1]).reshape(flat)), shape


def _areas(kernel: Callable[[Floats, Floats, Floats], None], positives: Floats, negatives: Floats) -> Floats:
    stack, shape = as_stack(positives, negatives)
    out = np.empty(len(stack[0]))
    kernel(*stack, out)
    return out.reshape(shape)


def partial_areas(positives: Floats, negatives: Floats, max_fpr: float, *, n_threads: Threads = None) -> Floats:
    """Areas under the ROC curve up to a false positive rate, linear within tie blocks; NaN where a class is empty."""
    return _areas(lambda p, q, out: _native.partial_areas(p, q, max_fpr, threads(n_threads), out), positives, negatives)


def mean_precision(positives: Floats, negatives: Floats, nodes: Floats, weights: Floats) -> float:
    """Precision at `nodes` within each block (1 is its end), averaged with `weights` and over the positives."""
    return _native.mean_precision(floats(positives), floats(negatives), floats(nodes), floats(weights))


def last_at_level(positives: Floats, negatives: Floats, level: float, *, exclude_self: bool) -> int:
    """Return the last block of the largest labelled set with B <= level; -1 if none, or the level is not reached."""
    return int(_native.last_at_level(floats(positives), floats(negatives), level, exclude_self))


def reach_of_level(
    positives: Floats, negatives: Floats, level: float, errors: float, *, cohort: bool, exclude_self: bool
) -> tuple[int, int, int, bool]:
    """Find the blocks around that one where B is within so many standard errors of the level, and whether B jumps.

    First, crossing, last; B jumps where tied cases take it over the level by half of its standard error.
    """
    return _native.reach_of_level(floats(positives), floats(negatives), level, errors, cohort, exclude_self)


class HullSegments(NamedTuple):
    """The segments of the ROC curve's upper convex hull, of all tables end to end."""

    last_block: Integers  # blocks labelled positive at the end of each segment
    positives: Floats
    negatives: Floats
    counts: Integers  # segments of each table, of the shape of the leading axes


def hull_segments(positives: Floats, negatives: Floats, *, n_threads: Threads = None) -> HullSegments:
    """Return the segments of the ROC hull, best scores first; the share of positives falls from each to the next."""
    stack, shape = as_stack(positives, negatives)
    last_block, own, beside, counts = _native.hull_segments(*stack, threads(n_threads))
    return HullSegments(last_block, own, beside, counts.reshape(shape))


def beta_tails(
    a: npt.ArrayLike, b: npt.ArrayLike, log_beta: npt.ArrayLike, x: Floats, *, n_threads: Threads = None
) -> tuple[Floats, Floats]:
    """I_x(a + 1, b) and 1 - I_x(a, b + 1) of the regularised incomplete beta function; `log_beta` is ln B(a, b)."""
    each = [floats(np.broadcast_to(np.asarray(value), x.shape)).reshape(-1) for value in (a, b, log_beta, x)]
    below, above = np.empty(x.size), np.empty(x.size)
    _native.beta_tails(each[0], each[1], each[2], each[3], threads(n_threads), below, above)
    return below.reshape(x.shape), above.reshape(x.shape)


def node_weights(score: Floats, weight: Floats) -> Floats:
    """For each two neighbours (ascending, distinct) the weight of the smallest node of a tree that holds both.

    The tree is that of all scores in `banding`: sign, exponent, then the digits of the fraction.
    """
    held = np.empty(len(score) - 1)
    _native.node_weights(floats(score), floats(weight), held)
    return held


def places_reaching(weights: Floats, marks: Floats) -> Integers:
    """For each mark, ascending, the first place at which the running sum of the weights reaches it."""
    out = np.empty(len(marks), dtype=np.int64)
    _native.places_reaching(floats(weights), floats(marks), out)
    return out


def band_sums(
    score: Floats, positives: Floats, negatives: Floats, starts: Integers, *, n_threads: Threads = None
) -> Columns:
    """Positives, negatives and sum of the cases' scores in runs of blocks, of shape (..., bands)."""
    stack, shape = as_stack(positives, negatives)
    out = np.empty((3, len(stack[0]), len(starts)))
    _native.band_sums(floats(score), *stack, integers(starts), threads(n_threads), out)
    first, second, third = out.reshape(3, *shape, len(starts))
    return first, second, third


class WeightedMoments(NamedTuple):
    """Total weight, mean, and sum of squares about the mean."""

    weight: float
    mean: float
    squares: float


class LossMoments(NamedTuple):
    """The loss of a case if it were positive, and if it were negative, over the cases of each class."""

    positive_over_positives: WeightedMoments
    positive_over_negatives: WeightedMoments
    negative_over_positives: WeightedMoments
    negative_over_negatives: WeightedMoments


def loss_moments(
    score: Floats,
    positives: Floats,
    negatives: Floats,
    *,
    logarithmic: bool,
    floor: float = 0.0,
    n_threads: Threads = None,
) -> LossMoments:
    """Moments of the squared or the logarithmic loss; scores are first moved into [floor, 1 - floor]."""
    columns = floats(score), floats(positives), floats(negatives)
    moments = _native.loss_moments(*columns, logarithmic, floor, threads(n_threads))
    return LossMoments(*(WeightedMoments(*each) for each in moments))


def recalibrate(
    score: Floats, positives: Floats, negatives: Floats, with_slope: Flags, *, n_threads: Threads = None
) -> Columns:
    """Fit logit P(positive) = a + b logit(score), for scores strictly between 0 and 1.

    Returns a with b held at 1, then a and b fitted together; the latter are meaningless where `with_slope` is false.
    """
    stack, shape = as_stack(positives, negatives)
    out = np.empty((3, len(stack[0])))
    wanted = flags(np.broadcast_to(with_slope, shape)).reshape(-1)
    _native.recalibrate(floats(score), *stack, wanted, threads(n_threads), out)
    level, intercept, slope = out.reshape(3, *shape)
    return level, intercept, slope
