"""The convex hull of the ROC curve, which is also the isotonic (PAV) calibration of the scores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unconfuse import _kernels
from unconfuse.table import Array, ScoreTable


def hull_points(positives: Array, negatives: Array) -> tuple[Array, Array]:
    """True and false positives at the corners of the ROC curve's upper convex hull, from (0, 0) on."""
    corners = _kernels.roc_hull(positives, negatives)
    return np.append(0.0, np.cumsum(positives))[corners], np.append(0.0, np.cumsum(negatives))[corners]


def hull_segments(positives: Array, negatives: Array) -> tuple[Array, Array]:
    """Positives and negatives in each segment of the hull, best scores first.

    The share of positives in a segment is the isotonic estimate of P(positive) for all its scores.

    Examples
    --------
    >>> hull_segments(np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1]))
    (array([1., 1., 0.]), array([0., 1., 1.]))
    """
    tp, fp = hull_points(positives, negatives)
    return np.diff(tp), np.diff(fp)


def over_replicates(table: ScoreTable, function: Callable[[Array, Array], float]) -> Array:
    """A function of the hull's segments, for each replicate."""
    positives, negatives = np.broadcast_arrays(table.positives, table.negatives)
    shape, width = positives.shape[:-1], positives.shape[-1]
    rows = zip(positives.reshape(-1, width), negatives.reshape(-1, width), strict=True)
    return np.array([function(*hull_segments(*row)) for row in rows]).reshape(shape)
