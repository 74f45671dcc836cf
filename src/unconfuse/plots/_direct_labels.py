"""Names of lines and marks, written where they cover neither a line nor other words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse.plots._style import points
from unconfuse.table import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Named = tuple[
    Array, Array, str, float, str
]  # a line's x and y, its name, how far along that had best stand, its colour
_SIDES = [(x, y) for y in (1, -1) for x in (1, -1, 0)]  # of a place: right or left of it or centred, above or below
_GAP = 3.0  # points between words and what they name
_AIR = 1.5  # points around words that stay free
_ROOM = 1.15  # of the words' size, because axes may shrink when the figure is laid out, and words do not
_CLOSE = 4.0  # pixels between points along a line that is to be kept clear
_SPOTS = 49


def name_lines(ax: Axes, named: Iterable[Named]) -> None:
    """Each line's name beside it; called when all lines and marks are drawn and the axes have their limits."""
    for x, y, words, at, colour in named:
        low, high = sorted(ax.get_xlim())
        inside = np.flatnonzero(np.isfinite(y) & (x >= low) & (x <= high))
        if len(inside):
            half = x[inside] / 2  # so that no difference of two scores is too large for a number
            wanted = np.linspace(float(np.min(half)), float(np.max(half)), _SPOTS)
            nearest = inside[np.argmin(np.abs(half[:, None] - wanted), axis=0)]
            away = np.abs(np.linspace(0, 1, _SPOTS) - at)
            place_labels(ax, words, np.column_stack([x[nearest], y[nearest]]), colour, cost=away)


def place_labels(
    ax: Axes, words: str, places: Any, colour: str, *, cost: Any = 0.0, size: float = 8, sides: Any = _SIDES
) -> None:
    """Words beside one of some places: where they cover least, and among such where the cost is lowest."""
    spots, sides = np.atleast_2d(np.asarray(places, dtype=np.float64)), np.asarray(sides)
    text = ax.annotate(
        words,
        (0, 0),
        (0, 0),
        textcoords="offset points",
        fontsize=points(size),
        color=colour,
        zorder=5,
        annotation_clip=False,
    )
    scale = ax.figure.dpi / 72
    box = np.array(text.get_window_extent().size)
    centres = _centres(ax.transData.transform(spots), sides, box, _GAP * scale)
    covered = _covered(ax, text, centres, _ROOM * box / 2 + _AIR * scale)
    # Of equal costs the first side; an upright line that is crossed costs as much as half of the way along.
    order = covered / 5 + np.broadcast_to(cost, len(spots))[:, None] + 1e-3 * np.arange(len(sides))
    spot, side = np.unravel_index(int(order.argmin()), order.shape)
    text.xy = tuple(spots[spot])
    right, up = sides[side]
    text.set_position((_GAP * right, _GAP * up))
    text.set_horizontalalignment("left" if right > 0 else "right" if right < 0 else "center")
    text.set_verticalalignment("bottom" if up > 0 else "top")


def _centres(pixels: Array, sides: Array, box: Array, gap: float) -> Array:
    """Where the middle of the words would be: for each spot and side."""
    found: Array = pixels[:, None, :] + sides[None] * (box / 2 + gap)
    return found


def _covered(ax: Axes, own: Any, centres: Array, half: Array) -> Array:
    """How much a box of words hides at each centre: points of lines; other words and the frame count as many."""
    lines = _points_of_lines(ax)
    found = np.zeros(centres.shape[:2])
    for side in range(centres.shape[1]):
        near = np.abs(centres[:, side, None, :] - lines[None]) < half
        found[:, side] = near.all(axis=2).sum(axis=1)
    for text in ax.texts:
        if text is not own and text.get_text():
            other = text.get_window_extent()
            middle = np.array([(other.x0 + other.x1) / 2, (other.y0 + other.y1) / 2])
            found += 100.0 * (np.abs(centres - middle) < half + np.array(other.size) / 2).all(axis=2)
    frame = ax.get_window_extent()
    return found + 1000.0 * ((centres - half < frame.min) | (centres + half > frame.max)).any(axis=2)


def _points_of_lines(ax: Axes) -> Array:
    """Points along all lines of the axes, in pixels, a few pixels apart."""
    found = [np.empty((0, 2))]
    for line in ax.lines:
        path = line.get_transform().transform(np.asarray(line.get_xydata(), dtype=np.float64))
        path = path[np.isfinite(path).all(axis=1)]
        if not len(path):
            continue
        along = np.append(0.0, np.cumsum(np.hypot(*np.diff(path, axis=0).T)))
        even = np.linspace(0, along[-1], int(min(along[-1], 1e4) / _CLOSE) + 2)
        found.append(np.column_stack([np.interp(even, along, path[:, i]) for i in (0, 1)]))
    return np.concatenate(found)
