"""Integrals over (0, 1) of functions that may be steep at the ends, as ROC and precision-recall curves are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from scipy.special import expit

from unconfuse.table import Array

# With p = 1/(1 + exp(-x)) any power of p or 1 - p at an end becomes an exponential, and the trapezoid rule over the
# whole line is exact to rounding for what remains.
_STEP = 0.1
_X = np.arange(-400, 401) * _STEP
NODES: Array = expit(_X)
WEIGHTS: Array = _STEP * NODES * expit(-_X)


def integral(
    function: Callable[[Array], Array], low: float = 0.0, high: float = 1.0, corners: Sequence[float] = ()
) -> float:
    """Integral of a function from low to high, piece by piece between the corners.

    Examples
    --------
    >>> round(integral(lambda p: p**.25), 12), round(integral(np.log, 0, 1), 12)
    (0.8, -1.0)
    """
    edges = [low, *sorted(corner for corner in set(corners) if low < corner < high), high]
    return float(sum(_piece(function, start, end) for start, end in pairwise(edges)))


def _piece(function: Callable[[Array], Array], low: float, high: float) -> float:
    width = high - low
    return width * float(function(low + width * NODES) @ WEIGHTS) if width > 0 else 0.0
