"""Pictures of rows, the first on top: a dot with its interval, its name to the left, what it comes to on the right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unconfuse._formatting import cut_names
from unconfuse._html_repr import BLUE, INK
from unconfuse.plots._style import entitle, figure, line, points, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LETTER = 0.52  # how wide a letter is, as a share of its size
_FOR_NAMES = 0.34  # share of the width that names may take: 32 letters of a picture that no style narrows
_FEWEST = 12  # letters of a name
_MARGINS = 1.29  # how much wider a sheet is than axes that have not been laid out yet
_GAPS = 30  # points between names, axes, notes and the edges
_NARROW = 300  # points; one column of a paper has 193


def axes_of_rows(rows: int, *, wide: float = 7.2) -> Axes:
    """Return the axes of a new figure that is as high as its rows need, at any width that a style wants."""
    high = (1.5 + 0.34 * rows) * points(1.0)
    made: Axes = figure(figsize=(wide, high * wide / width_of((wide, high)))).subplots()
    return made


def is_narrow(ax: Axes) -> bool:
    """Whether there is room for the shortest remarks only."""
    return _size(ax)[0] < _NARROW


def draw_interval(
    ax: Axes, place: int, value: float, low: float, high: float, *, colour: str = BLUE, mark: str = "o"
) -> None:
    """Draw a value with its interval in a row; nothing of what is undefined."""
    if not math.isfinite(value):
        return
    ends = [end if math.isfinite(end) else value for end in (low, high)]
    ax.plot(ends, [place, place], color=colour, linewidth=line(1.6), zorder=3)
    if mark:
        ax.plot([value], [place], mark, color=colour, markersize=points(5), zorder=4)


def name_rows(
    ax: Axes, names: Sequence[str], notes: Sequence[str] = (), *, title: str = "", least: int = _FEWEST
) -> None:
    """Write names and notes beside the rows, and wrap the title to the width that they leave.

    Names lose their middle, so that those that begin alike stay apart; `least` letters are left in any case.
    """
    wide, high = _size(ax)
    letters = max(int(_FOR_NAMES * wide / (_LETTER * points(8))), least)
    short = cut_names(names, letters)
    small = min(points(8), 0.85 * high / max(len(names), 1))
    ax.set_yticks(range(len(names)), short, fontsize=small, color=INK, parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    beside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "center", "annotation_clip": False}
    for place, words in enumerate(notes):
        ax.annotate(words, (1.01, place), fontsize=small * 7.5 / 8, color=INK, **beside)
    if title:
        taken = _LETTER * small * sum(max(map(len, each), default=0) for each in (short, notes))
        entitle(ax, title, max(_MARGINS * wide - taken - _GAPS, 0.35 * wide) / 72)


def _size(ax: Axes) -> tuple[float, float]:
    """Return the width and the height of the axes in points."""
    wide, high = (72 * float(side) / ax.figure.dpi for side in ax.get_window_extent().size)
    return wide, high
