"""Functions of whole tables, or of stacks of them: areas under curves, the ROC hull, sums over bands."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unconfuse._kernels import _native
from unconfuse._kernels._arrays import Floats, Integers, floats, integers, threads


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
    """Areas under straight lines through the precision-recall points, from (0, 1) on; NaN where a class is empty.

    Examples
    --------
    >>> trapezoid_areas(np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1])).round(4).item()
    0.7917
    """
    return _areas(lambda p, q, out: _native.trapezoid_areas(p, q, threads(n_threads), out), positives, negatives)


def gain_areas(positives: Floats, negatives: Floats, *, n_threads: int | None = None) -> Floats:
    """Areas under the precision-recall-gain curve where the recall gain is 0 or more; NaN where a class is empty.

    Examples
    --------
    >>> gain_areas(np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1])).item()
    0.25
    """
    return _areas(lambda p, q, out: _native.gain_areas(p, q, threads(n_threads), out), positives, negatives)


def partial_areas(positives: Floats, negatives: Floats, max_fpr: float, *, n_threads: int | None = None) -> Floats:
    """Areas under the ROC curve up to a false positive rate, linear within tie blocks; NaN where a class is empty.

    Examples
    --------
    >>> partial_areas(np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1]), 0.5).item()
    0.25
    """
    return _areas(lambda p, q, out: _native.partial_areas(p, q, max_fpr, threads(n_threads), out), positives, negatives)


def mean_precision(positives: Floats, negatives: Floats, nodes: Floats, weights: Floats) -> float:
    """Precision at `nodes` within each block (1 is its end), averaged with `weights` and over the positives.

    Examples
    --------
    >>> round(mean_precision(np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1]), np.ones(1), np.ones(1)), 4)
    0.8333
    """
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
    """The segments of the ROC hull, best scores first; the share of positives falls from each to the next.

    Examples
    --------
    >>> hull_segments(np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1])).last_block.tolist()
    [1, 3, 4]
    """
    stack, shape = as_stack(positives, negatives)
    last_block, own, beside, counts = _native.hull_segments(*stack, threads(n_threads))
    return HullSegments(last_block, own, beside, counts.reshape(shape))


def beta_tails(
    a: npt.ArrayLike, b: npt.ArrayLike, log_beta: npt.ArrayLike, x: Floats, *, n_threads: int | None = None
) -> tuple[Floats, Floats]:
    """I_x(a + 1, b) and 1 - I_x(a, b + 1) of the regularised incomplete beta function; `log_beta` is ln B(a, b).

    Examples
    --------
    >>> below, above = beta_tails(1, 1, 0, np.array([.5]))
    >>> below.round(4), above.round(4)
    (array([0.25]), array([0.25]))
    """
    each = [floats(np.broadcast_to(np.asarray(value), x.shape)).reshape(-1) for value in (a, b, log_beta, x)]
    below, above = np.empty(x.size), np.empty(x.size)
    _native.beta_tails(each[0], each[1], each[2], each[3], threads(n_threads), below, above)
    return below.reshape(x.shape), above.reshape(x.shape)


def places_reaching(weights: Floats, marks: Floats) -> Integers:
    """For each mark, ascending, the first place at which the running sum of the weights reaches it.

    Examples
    --------
    >>> places_reaching(np.array([1., 2, 3]), np.array([0.5, 3, 6, 7]))
    array([0, 1, 2, 3])
    """
    out = np.empty(len(marks), dtype=np.int64)
    _native.places_reaching(floats(weights), floats(marks), out)
    return out


def band_sums(
    score: Floats, positives: Floats, negatives: Floats, starts: Integers, *, n_threads: int | None = None
) -> tuple[Floats, Floats, Floats]:
    """Positives, negatives and sum of the cases' scores in runs of blocks, of shape (..., bands).

    Examples
    --------
    >>> band_sums(np.array([.9, .5, .1]), np.array([1., 1, 0]), np.array([0., 1, 1]), np.array([0, 2]))
    (array([2., 0.]), array([1., 1.]), array([1.9, 0.1]))
    """
    stack, shape = as_stack(positives, negatives)
    out = np.empty((3, len(stack[0]), len(starts)))
    _native.band_sums(floats(score), *stack, integers(starts), threads(n_threads), out)
    first, second, third = out.reshape(3, *shape, len(starts))
    return first, second, third
