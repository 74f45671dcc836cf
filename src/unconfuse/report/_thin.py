"""Fewer points for the same picture: what is left out cannot be seen."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unconfuse.table import Array

HALF_A_PIXEL = 0.5 / 400  # of a picture 400 pixels wide: the largest error that thinning may make
_FIRST = 0.2  # share of it that the first, coarse pass may use
_MOST = 20_000


def thin(x: Array, y: Array, tolerance: float = HALF_A_PIXEL) -> npt.NDArray[np.intp]:
    """Which points of a line to keep, so that the rest lie within `tolerance` (of the larger spread) of what is drawn.

    Examples
    --------
    >>> x = np.linspace(0, 1, 1001)
    >>> len(thin(x, x)), len(thin(x, x**2)) < 30
    (2, True)
    """
    if len(x) <= 2:
        return np.arange(len(x))
    spread = max(float(np.ptp(x)), float(np.ptp(y))) or 1.0
    along = _travelled(x, y)
    coarse = _evenly(along, max(tolerance * _FIRST * spread, along[-1] / _MOST))
    line = np.column_stack([x[coarse], y[coarse]]) / spread
    return np.asarray(coarse[_corners(line, tolerance * (1 - _FIRST))])


def _travelled(x: Array, y: Array) -> Array:
    """The way along the line to each point, across and up; in place, because lines may have millions of points."""
    steps, up = np.diff(x, prepend=x[0]), np.diff(y, prepend=y[0])
    np.abs(steps, out=steps)
    steps += np.abs(up, out=up)
    return np.cumsum(steps, out=steps)


def _evenly(along: Array, step: float) -> npt.NDArray[np.intp]:
    """The first point of every step along the line, and the last point before the next: corners survive."""
    moves = np.diff(np.floor(along / step)) > 0
    return np.flatnonzero(np.append(True, moves) | np.append(moves, True))


def _corners(line: Array, tolerance: float) -> npt.NDArray[np.intp]:
    """Ramer, Douglas and Peucker: split where the line strays furthest from its chord, until it strays no more."""
    keep = np.zeros(len(line), dtype=bool)
    keep[[0, -1]] = True
    open_parts = [(0, len(line) - 1)]
    while open_parts:
        first, last = open_parts.pop()
        if last - first < 2:
            continue
        away = _distance(line[first + 1 : last], line[first], line[last])
        furthest = int(np.argmax(away))
        if away[furthest] > tolerance:
            middle = first + 1 + furthest
            keep[middle] = True
            open_parts += [(first, middle), (middle, last)]
    return np.flatnonzero(keep)


def _distance(points: Array, start: Array, end: Array) -> Array:
    """Of each point to the stretch from start to end."""
    chord = end - start
    length = float(chord @ chord)
    share = np.clip((points - start) @ chord / length, 0, 1) if length else np.zeros(len(points))
    return np.asarray(np.hypot(*(points - start - share[:, None] * chord).T))
