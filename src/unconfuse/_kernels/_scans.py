"""Functions of whole tables, or of stacks of them: areas under curves, the ROC hull, sums over bands, losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unconfuse._kernels import _native
from unconfuse._kernels._tables import Columns, Flags, Floats, Integers, flags, floats, integers, threads


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


def trapezoid_areas(positives: Floats, negatives: Floats, *, n_threads: int | None = None) -> Floats:
    """Areas under straight lines through the precision-recall points, from (0, 1) on; NaN where a class is empty."""
    return _areas(lambda p, q, out: _native.trapezoid_areas(p, q, threads(n_threads), out), positives, negatives)


def gain_areas(positives: Floats, negatives: Floats, *, n_threads: int | None = None) -> Floats:
    """Areas under the precision-recall-gain curve where the recall gain is 0 or more; NaN where a class is empty."""
    return _areas(lambda p, q, out: _native.gain_areas(p, q, threads(n_threads), out), positives, negatives)


def partial_areas(positives: Floats, negatives: Floats, max_fpr: float, *, n_threads: int | None = None) -> Floats:
    """Areas under the ROC curve up to a false positive rate, linear within tie blocks; NaN where a class is empty."""
    return _areas(lambda p, q, out: _native.partial_areas(p, q, max_fpr, threads(n_threads), out), positives, negatives)


def mean_precision(positives: Floats, negatives: Floats, nodes: Floats, weights: Floats) -> float:
    """Precision at `nodes` within each block (1 is its end), averaged with `weights` and over the positives."""
    return _native.mean_precision(floats(positives), floats(negatives), floats(nodes), floats(weights))


class HullSegments(NamedTuple):
    """The segments of the ROC curve's upper convex hull, of all tables end to end.

    `last_block` is the number of blocks labelled positive at the end of each segment, `counts` the number of segments
    of each table, of the shape of the leading axes.
    """

    last_block: Integers
    positives: Floats
    negatives: Floats
    counts: Integers


def hull_segments(positives: Floats, negatives: Floats, *, n_threads: int | None = None) -> HullSegments:
    """The segments of the ROC hull, best scores first; the share of positives falls from each to the next."""
    stack, shape = as_stack(positives, negatives)
    last_block, own, beside, counts = _native.hull_segments(*stack, threads(n_threads))
    return HullSegments(last_block, own, beside, counts.reshape(shape))


def beta_tails(
    a: npt.ArrayLike, b: npt.ArrayLike, log_beta: npt.ArrayLike, x: Floats, *, n_threads: int | None = None
) -> tuple[Floats, Floats]:
    """I_x(a + 1, b) and 1 - I_x(a, b + 1) of the regularised incomplete beta function; `log_beta` is ln B(a, b)."""
    each = [floats(np.broadcast_to(np.asarray(value), x.shape)).reshape(-1) for value in (a, b, log_beta, x)]
    below, above = np.empty(x.size), np.empty(x.size)
    _native.beta_tails(each[0], each[1], each[2], each[3], threads(n_threads), below, above)
    return below.reshape(x.shape), above.reshape(x.shape)


def places_reaching(weights: Floats, marks: Floats) -> Integers:
    """For each mark, ascending, the first place at which the running sum of the weights reaches it."""
    out = np.empty(len(marks), dtype=np.int64)
    _native.places_reaching(floats(weights), floats(marks), out)
    return out


def band_sums(
    score: Floats, positives: Floats, negatives: Floats, starts: Integers, *, n_threads: int | None = None
) -> Columns:
    """Positives, negatives and sum of the cases' scores in runs of blocks, of shape (..., bands)."""
    stack, shape = as_stack(positives, negatives)
    out = np.empty((3, len(stack[0]), len(starts)))
    _native.band_sums(floats(score), *stack, integers(starts), threads(n_threads), out)
    first, second, third = out.reshape(3, *shape, len(starts))
    return first, second, third


class Moments(NamedTuple):
    """Total weight, mean, and sum of squares about the mean."""

    weight: float
    mean: float
    squares: float


class LossMoments(NamedTuple):
    """The loss of a case if it were positive, and if it were negative, over the cases of each class."""

    positive_over_positives: Moments
    positive_over_negatives: Moments
    negative_over_positives: Moments
    negative_over_negatives: Moments


def loss_moments(
    score: Floats,
    positives: Floats,
    negatives: Floats,
    *,
    logarithmic: bool,
    floor: float = 0.0,
    n_threads: int | None = None,
) -> LossMoments:
    """Moments of the squared or the logarithmic loss; scores are first moved into [floor, 1 - floor]."""
    columns = floats(score), floats(positives), floats(negatives)
    return LossMoments(
        *(Moments(*each) for each in _native.loss_moments(*columns, logarithmic, floor, threads(n_threads)))
    )


def recalibrate(
    score: Floats, positives: Floats, negatives: Floats, with_slope: Flags, *, n_threads: int | None = None
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
