"""Tables that fit: where there is no room, words wrap first, then the least important columns are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_GAP = 2


@dataclass(frozen=True)
class Column:
    """Cells under a head.

    `rank` says how early it is left out (0: never; columns of one rank go together); `narrowest` to how many cells it
    may be wrapped.
    """

    head: str
    cells: Sequence[str | Text]
    right: bool = False
    rank: int = 0
    narrowest: int | None = None
    style: str = ""
    name: str = ""

    @property
    def natural(self) -> int:
        """Width of the widest line."""
        from rich.cells import cell_len

        texts = [self.head, *map(str, self.cells)]
        return max(cell_len(line) for text in texts for line in text.split("\n"))


@dataclass(frozen=True)
class Layout:
    """The columns that are shown, their widths, and the names of those that are not."""

    columns: tuple[Column, ...]
    widths: tuple[int, ...]
    left_out: tuple[str, ...] = field(default=())

    @property
    def width(self) -> int:
        """Of a whole line."""
        return sum(self.widths) + _GAP * (len(self.widths) - 1)

    def draw_heads(self, console: Console) -> None:
        """The line above the table."""
        table = self._table()
        table.add_row(*(_text(column.head, "dim") for column in self.columns))
        console.print(table)

    def draw(self, console: Console, rows: slice | None = None) -> None:
        """All rows, or some."""
        table = self._table()
        for cells in zip(*(column.cells[rows or slice(None)] for column in self.columns), strict=True):
            table.add_row(*(_text(cell, "") for cell in cells))
        console.print(table)

    def draw_left_out(self, console: Console) -> None:
        """Which columns are not shown, and where to find them."""
        if self.left_out:
            words = f"(no room for: {', '.join(self.left_out)}; --format csv has every column)"
            console.print(_text(words, "dim"))

    def draw_all(self, console: Console) -> None:
        """Heads, rows, and what is missing."""
        self.draw_heads(console)
        self.draw(console)
        self.draw_left_out(console)

    def _table(self) -> Table:
        from rich.table import Table

        table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=False)
        for column, width in zip(self.columns, self.widths, strict=True):
            rigid = column.narrowest is None
            table.add_column(
                width=width,
                justify="right" if column.right else "left",
                style=column.style,
                no_wrap=rigid,
                overflow="crop" if rigid else "fold",
            )
        return table


def fit(columns: Sequence[Column], room: int) -> Layout:
    """The columns that fit into so many cells.

    Examples
    --------
    >>> layout = fit([Column("name", ["a rather long name"], narrowest=10), Column("p", ["0.05"], rank=1)], 16)
    >>> layout.widths, layout.left_out
    ((10, 4), ())
    >>> fit(layout.columns, 12).left_out
    ('p',)
    """
    shown, left_out = list(columns), list[str]()
    while True:
        widths = _wrapped(shown, room)
        last = max(each.rank for each in shown)
        if sum(widths) + _GAP * (len(shown) - 1) <= room or last == 0:
            return Layout(tuple(shown), tuple(widths), tuple(left_out))
        left_out = [each.name or each.head for each in shown if each.rank == last] + left_out
        shown = [each for each in shown if each.rank < last]


def _wrapped(columns: Sequence[Column], room: int) -> list[int]:
    """Natural widths, with those that may wrap made narrower, the widest first, as far as it takes."""
    widths = [column.natural for column in columns]
    excess = sum(widths) + _GAP * (len(columns) - 1) - room
    while excess > 0:
        able = [i for i, column in enumerate(columns) if column.narrowest is not None and widths[i] > column.narrowest]
        if not able:
            break
        widest = max(able, key=lambda i: widths[i])
        widths[widest] -= 1
        excess -= 1
    return widths


def _text(cell: str | Text, style: str) -> Text:
    from rich.text import Text

    return Text(cell, style=style) if isinstance(cell, str) else cell
