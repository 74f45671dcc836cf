"""What pictures on a terminal are made of: characters, bars of intervals, and a canvas of dots."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np
from rich.console import Console
from rich.text import Text

from unconfuse._formatting import number_text
from unconfuse.table import Array
from unconfuse.uncertainty.estimate import Estimate

_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])  # of the dots of a braille cell


@dataclass(frozen=True)
class CharacterSet:
    """One set of characters.

    `halves` begin and end an interval in the middle of a cell; `levels` fill a cell from the bottom; `corners` are
    those of a box, row by row.
    """

    track: str = "─"
    interval: str = "━"
    halves: str = "╼╾"
    value: str = "●"
    chance: str = "┃"
    threshold: str = "▲"
    upright: str = "│"
    tick: str = "┤"
    origin: str = "└"
    block: str = "█"
    levels: str = "▁▂▃▄▅▆▇█"
    corners: str = "┌┬┐├┼┤└┴┘"
    braille: bool = True


UNICODE = CharacterSet()
ASCII = CharacterSet("-", "=", "==", "o", "|", "^", "|", "+", "+", "#", ".:#", "+++++++++", braille=False)


def marks_for(console: Console) -> CharacterSet:
    """Fine characters where the output can hold them, else ASCII."""
    return ASCII if console.options.ascii_only else UNICODE


@dataclass(frozen=True)
class AxisScale:
    """A stretch of numbers laid out over a number of cells.

    >>> scale = AxisScale(0.0, 1.0, 11)
    >>> scale.cell(0.0), scale.cell(0.5), scale.cell(1.0), scale.cell(7.0)
    (0, 5, 10, 10)
    """

    low: float
    high: float
    cells: int

    def half(self, number: float) -> int:
        """Return the half cell of a number; what lies beyond an end is put at that end."""
        share = (number - self.low) / ((self.high - self.low) or 1.0)
        return math.floor(min(max(share, 0.0), 1.0) * (2 * self.cells - 1) + 0.5)

    def cell(self, number: float) -> int:
        """Return the cell of a number."""
        return self.half(number) // 2


def interval_bar(
    marks: CharacterSet,
    scale: AxisScale,
    value: float,
    low: float,
    high: float,
    reference: float = math.nan,
    style: str = "",
) -> Text:
    """Draw a value and its interval along a scale, with a mark at the reference; nothing where there is no value."""
    if math.isnan(value):
        return Text()
    cells = [(marks.track, "dim")] * scale.cells
    if not (math.isnan(low) or math.isnan(high)):
        first, last = scale.half(low), scale.half(high)
        for cell in range(first // 2, last // 2 + 1):
            left, right = first <= 2 * cell, 2 * cell + 1 <= last  # both: a whole cell; none: less than a cell
            cells[cell] = (marks.interval if left == right else marks.halves[left], style)
    if not math.isnan(reference):
        cells[scale.cell(reference)] = (marks.chance, "not dim")
    cells[scale.cell(value)] = (marks.value, f"bold {style}".strip())
    return in_runs(cells)


def in_runs(cells: Iterable[tuple[str, str]]) -> Text:
    """One text of characters and their styles; neighbours of one style are drawn together.

    >>> len(in_runs([("a", "dim"), ("b", "dim"), ("c", "")]).spans)
    1
    """
    runs = groupby(cells, key=itemgetter(1))
    return Text.assemble(*(("".join(mark for mark, _ in run), style) for style, run in runs))


def estimate_bar(marks: CharacterSet, estimate: Estimate, span: tuple[float, float] | None, room: int) -> Text:
    """Draw the bar of a metric over all values it can have, with both ends written; chance is marked."""
    if span is None or estimate.undefined:
        return Text()
    ends = [number_text(end, 0) if abs(end) >= 1 or end == 0 else number_text(end, 1) for end in span]
    scale = AxisScale(*span, max(room - len(ends[1]) - 4, 5))
    bar = interval_bar(marks, scale, estimate.value, estimate.low, estimate.high, estimate.baseline)
    return Text.assemble((f"{ends[0]:>2} ", "dim"), bar, (f" {ends[1]}", "dim"))


class Canvas:
    """A picture of the unit square: the origin at the bottom left, later layers over earlier ones.

    A cell holds eight dots in braille, one in ASCII.

    >>> canvas = Canvas(4, 2, braille=False)
    >>> canvas.line([0, 1], [0, 1], "*", "")
    >>> canvas.mark(0, 1, "o", "")
    (0, 0)
    >>> [line.plain for line in canvas.lines()]
    ['o **', '**  ']
    """

    def __init__(self, columns: int, rows: int, *, braille: bool) -> None:
        self.columns, self.rows, self.braille = columns, rows, braille
        self._across, self._down = (2, 4) if braille else (1, 1)
        self._cells = np.full((rows, columns), " ", dtype="<U1")
        self._styles = np.full((rows, columns), "", dtype=object)

    @property
    def finest(self) -> int:
        """Into how many parts a line is cut so that none of its dots is left out."""
        return 2 * max(self.columns * self._across, self.rows * self._down)

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Row and column of the cell that holds a point."""
        across, down = self._dots(np.array([x]), np.array([y]))
        return int(down[0]) // self._down, int(across[0]) // self._across

    def line(
        self, x: Sequence[float] | Array, y: Sequence[float] | Array, ascii_mark: str, style: str, *, every: int = 1
    ) -> None:
        """Draw a line through points, or only every so many of its dots."""
        across, down = self._dots(*_fine(np.asarray(x, dtype=float), np.asarray(y, dtype=float), self.finest))
        kept = slice(None, None, every)
        dots = np.zeros((self.rows * self._down, self.columns * self._across), dtype=bool)
        dots[down[kept], across[kept]] = True
        blocks = dots.reshape(self.rows, self._down, self.columns, self._across).swapaxes(1, 2)
        there = blocks.any(axis=(2, 3))
        if self.braille:
            codes = (blocks * _BITS).sum(axis=(2, 3)) + 0x2800
            characters = np.array([chr(code) for code in codes.ravel()]).reshape(codes.shape)
        else:
            characters = np.full(there.shape, ascii_mark)
        self._cells[there], self._styles[there] = characters[there], style

    def mark(self, x: float, y: float, mark: str, style: str) -> tuple[int, int]:
        """One character at a point; says in which row and column."""
        place = self.cell(x, y)
        self._cells[place], self._styles[place] = mark, style
        return place

    def lines(self) -> list[Text]:
        """Return the lines of the picture from top to bottom."""
        rows = zip(self._cells.tolist(), self._styles.tolist(), strict=True)
        return [in_runs(zip(cells, styles, strict=True)) for cells, styles in rows]

    def _dots(self, x: Array, y: Array) -> tuple[Array, Array]:
        wide, high = self.columns * self._across - 1, self.rows * self._down - 1
        across = np.floor(np.clip(x, 0, 1) * wide + 0.5).astype(int)
        return across, high - np.floor(np.clip(y, 0, 1) * high + 0.5).astype(int)


def _fine(x: Array, y: Array, n_points: int) -> tuple[Array, Array]:
    """Points close enough together that no dot between two of them is left out, evenly along the line."""
    along = np.append(0.0, np.cumsum(np.maximum(np.abs(np.diff(x)), np.abs(np.diff(y)))))
    spots = np.unique(np.concatenate([along, np.linspace(0.0, along[-1], n_points * 2)]))
    return np.interp(spots, along, x), np.interp(spots, along, y)
