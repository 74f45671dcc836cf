"""The characters that pictures on a terminal are made of, and bars of intervals made of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unconfuse._plain import number_text
from unconfuse.uncertainty.estimate import Estimate

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


@dataclass(frozen=True)
class Marks:
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


UNICODE = Marks()
ASCII = Marks(
    track="-",
    interval="=",
    halves="==",
    value="o",
    chance="|",
    threshold="^",
    upright="|",
    tick="+",
    origin="+",
    block="#",
    levels=".:#",
    corners="+++++++++",
    braille=False,
)


def marks_for(console: Console) -> Marks:
    """Fine characters where the output can hold them, else ASCII."""
    return ASCII if console.options.ascii_only else UNICODE


@dataclass(frozen=True)
class Scale:
    """A stretch of numbers laid out over a number of cells.

    Examples
    --------
    >>> scale = Scale(0.0, 1.0, 11)
    >>> scale.cell(0.0), scale.cell(0.5), scale.cell(1.0), scale.cell(7.0)
    (0, 5, 10, 10)
    """

    low: float
    high: float
    cells: int

    def half(self, number: float) -> int:
        """The half cell of a number; what lies beyond an end stands at that end."""
        share = (number - self.low) / ((self.high - self.low) or 1.0)
        return math.floor(min(max(share, 0.0), 1.0) * (2 * self.cells - 1) + 0.5)

    def cell(self, number: float) -> int:
        """The cell of a number."""
        return self.half(number) // 2


def interval_bar(
    marks: Marks, scale: Scale, *, value: float, low: float, high: float, reference: float = math.nan, style: str = ""
) -> Text:
    """A value and its interval along a scale, with a mark at the reference; nothing where there is no value."""
    from rich.text import Text

    if math.isnan(value):
        return Text()
    cells = [(marks.track, "dim")] * scale.cells
    if not (math.isnan(low) or math.isnan(high)):
        first, last = scale.half(low), scale.half(high)
        for cell in range(first // 2, last // 2 + 1):
            covered = first <= 2 * cell, 2 * cell + 1 <= last
            cells[cell] = (_part(marks, *covered), style)
    if not math.isnan(reference):
        cells[scale.cell(reference)] = (marks.chance, "not dim")
    cells[scale.cell(value)] = (marks.value, f"bold {style}".strip())
    return Text.assemble(*cells)


def _part(marks: Marks, from_left: bool, to_right: bool) -> str:
    if from_left == to_right:  # the whole cell, or an interval shorter than a cell
        return marks.interval
    return marks.halves[1] if from_left else marks.halves[0]


def estimate_bar(marks: Marks, estimate: Estimate, span: tuple[float, float] | None, room: int) -> Text:
    """The bar of a metric over all values it can have, with both ends written; chance is marked."""
    from rich.text import Text

    if span is None or estimate.undefined:
        return Text()
    ends = [number_text(end, 0) if abs(end) >= 1 or end == 0 else number_text(end, 1) for end in span]
    scale = Scale(*span, max(room - len(ends[1]) - 4, 5))
    bar = interval_bar(
        marks, scale, value=estimate.value, low=estimate.low, high=estimate.high, reference=estimate.baseline
    )
    return Text.assemble((f"{ends[0]:>2} ", "dim"), bar, (f" {ends[1]}", "dim"))
