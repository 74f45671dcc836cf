"""What the stated probabilities of a table cost, and their logistic recalibration."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unconfuse._kernels import _native
from unconfuse._kernels._arrays import Flags, Floats, flags, floats, threads
from unconfuse._kernels._scans import as_stack


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
    """Moments of the squared or the logarithmic loss; scores are first moved into [floor, 1 - floor].

    Examples
    --------
    >>> found = loss_moments(np.array([.8, .6]), np.array([1., 0]), np.array([0., 1]), logarithmic=False)
    >>> round(found.positive_over_positives.mean, 4), round(found.negative_over_negatives.mean, 4)
    (0.04, 0.36)
    """
    columns = floats(score), floats(positives), floats(negatives)
    return LossMoments(
        *(Moments(*each) for each in _native.loss_moments(*columns, logarithmic, floor, threads(n_threads)))
    )


def recalibrate(
    score: Floats, positives: Floats, negatives: Floats, with_slope: Flags, *, n_threads: int | None = None
) -> tuple[Floats, Floats, Floats]:
    """Fit logit P(positive) = a + b logit(score), for scores strictly between 0 and 1.

    Returns a with b held at 1, then a and b fitted together; the latter are meaningless where `with_slope` is false.

    Examples
    --------
    >>> level, intercept, slope = recalibrate(np.array([.8, .2]), np.array([3., 1]), np.array([1., 3]), np.array(True))
    >>> abs(level.round(6)).item(), slope.round(4).item()
    (0.0, 0.7925)
    """
    stack, shape = as_stack(positives, negatives)
    out = np.empty((3, len(stack[0])))
    wanted = flags(np.broadcast_to(with_slope, shape)).reshape(-1)
    _native.recalibrate(floats(score), *stack, wanted, threads(n_threads), out)
    level, intercept, slope = out.reshape(3, *shape)
    return level, intercept, slope
