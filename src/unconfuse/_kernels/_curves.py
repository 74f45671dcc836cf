"""The points of curves, one for each distinct score."""

from __future__ import annotations

import numpy as np

from unconfuse._kernels import _native
from unconfuse._kernels._arrays import Floats, floats, threads

Columns = tuple[Floats, Floats, Floats]


def totals(positives: Floats, negatives: Floats) -> tuple[float, float, bool]:
    """The weight of each class, and whether any block has weight 0.

    Examples
    --------
    >>> totals(np.array([1., 0, 1]), np.array([0., 0, 3]))
    (2.0, 3.0, True)
    """
    return _native.totals(floats(positives), floats(negatives))


def roc_points(
    score: Floats,
    positives: Floats,
    negatives: Floats,
    *,
    class_totals: tuple[float, float] | None = None,
    n_threads: int | None = None,
) -> Columns:
    """Threshold, FPR and TPR from (0, 0), where the threshold is infinite, to (1, 1).

    Examples
    --------
    >>> roc_points(np.array([.9, .4]), np.array([1., 1]), np.array([0., 2]))
    (array([inf, 0.9, 0.4]), array([0., 0., 1.]), array([0. , 0.5, 1. ]))
    """
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
    """Recall, precision and queue rate at each distinct score.

    Examples
    --------
    >>> precision_recall_points(np.array([1., 1]), np.array([0., 2]))
    (array([0.5, 1. ]), array([1. , 0.5]), array([0.25, 1.  ]))
    """
    out = np.empty(len(positives)), np.empty(len(positives)), np.empty(len(positives))
    sums = totals(positives, negatives)[:2] if class_totals is None else class_totals
    _native.precision_recall_points(floats(positives), floats(negatives), *sums, threads(n_threads), *out)
    return out
