"""Text and tables on a terminal: harmless words, numbers for reading, columns that fit."""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import rich.console
    import rich.table
    import rich.text

    Console = rich.console.Console
    Table = rich.table.Table
    Text = rich.text.Text
else:  # rich is imported only where something is drawn
    Console = Table = Text = object

_GAP = 2
LINE = 100  # characters of a sentence; and of everything in pipes and files
_DANGEROUS = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}  # control, format (also right-to-left overrides), surrogates


def harmless(text: str, *, keep: str = "") -> str:
    r"""Return the text with every control character written out.

    >>> harmless("\x1b[31mred")
    '\\x1b[31mred'
    """
    if text.isascii() and text.isprintable():
        return text
    bad = {each for each in text if each not in keep and unicodedata.category(each) in _DANGEROUS}
    return "".join(each.encode("unicode_escape", "surrogatepass").decode() if each in bad else each for each in text)


def shortened(text: str, room: int = 40) -> str:
    """Harmless and no wider than `room` cells of a terminal; some characters take two, some none.

    >>> shortened("abcdefgh", 6), shortened("\u8a3a\u65ad\u8a3a\u65ad", 6)
    ('abc...', '\u8a3a...')
    """
    from rich.cells import cell_len, set_cell_size

    shown = harmless(text[: 8 * room])  # what is left out need not be looked at
    if len(text) <= 8 * room and max(len(shown), cell_len(shown)) <= room:
        return shown
    return set_cell_size(shown[: room - 3], room - 3).rstrip() + "..."


_PLAIN = {"\u00b1": "+/-", "\u03ba": "kappa", "\u0394": "delta", "\u2026": "...", "\u00d7": "x"}
_PLAIN |= dict.fromkeys("\u2013\u2014", "-")


def in_encoding(text: str, encoding: str) -> str:
    """Text that can be written in an encoding: usual signs in other words, anything else written out.

    >>> in_encoding("0.1 \u00b1 0.02 of \u8a3a", "ascii")
    '0.1 +/- 0.02 of \\\\u8a3a'
    """
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plain = "".join(_PLAIN.get(each, each) for each in text)
        return plain.encode(encoding, "backslashreplace").decode(encoding)
    return text


def count_text(count: float) -> str:
    """Format a count for reading: whole, or with as many digits as matter; NaN is one that nobody knows."""
    if math.isnan(count):
        return "?"
    if abs(count - round(count)) <= 1e-9 * max(1.0, abs(count)):
        return f"{count:,.0f}" if abs(count) < 1e9 else f"{count:.4g}"
    return f"{count:,.1f}" if abs(count) >= 10 else f"{count:.3g}"


def say(console: Console, words: str = "", style: str = "") -> None:
    """Print words in a style, in lines that are not too long to read; an empty line without words."""
    console.print(_text(words, style), width=min(console.width, LINE))


def as_table(
    lines: Iterable[Sequence[str | Text]], columns: Sequence[Mapping[str, Any]], *, gap: int = _GAP, below: int = 0
) -> Table:
    """Build a table without rules; columns are described as in rich, with or without headings."""
    from rich.table import Table

    heads = any("header" in column for column in columns)
    table = Table(box=None, pad_edge=False, padding=(0, gap, below, 0), header_style="dim", show_header=heads)
    for column in columns:
        table.add_column(**{**column, "header": _text(column.get("header", ""), "")})
    for line in lines:
        table.add_row(*(_text(cell, "") for cell in line))
    return table


def _text(cell: str | Text, style: str) -> Text:
    from rich.text import Text

    return Text(cell, style=style) if isinstance(cell, str) else cell


def _cells(text: str | Text) -> int:
    """How many cells of a terminal a text takes."""
    from rich.cells import cell_len

    return cell_len(str(text))


@dataclass(frozen=True)
class TerminalColumn:
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
        return max(_cells(line) for text in (self.head, *self.cells) for line in str(text).split("\n"))


@dataclass(frozen=True)
class Layout:
    """The columns that are shown, their widths, and the names of those that are not."""

    columns: tuple[TerminalColumn, ...]
    widths: tuple[int, ...]
    left_out: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Of a whole line."""
        return sum(self.widths) + _GAP * (len(self.widths) - 1)

    def draw_heads(self, console: Console) -> None:
        """Print the line above the table."""
        self._print(console, [[_text(column.head, "dim") for column in self.columns]])

    def draw(self, console: Console, rows: slice | None = None) -> None:
        """All rows, or some."""
        self._print(console, zip(*(column.cells[rows or slice(None)] for column in self.columns), strict=True))

    def draw_left_out(self, console: Console) -> None:
        """Which columns are not shown, and where to find them."""
        if self.left_out:
            say(console, f"(no room for: {', '.join(self.left_out)}; --format csv has every column)", "dim")

    def draw_all(self, console: Console) -> None:
        """Heads, rows, and what is missing."""
        self.draw_heads(console)
        self.draw(console)
        self.draw_left_out(console)

    def _print(self, console: Console, lines: Iterable[Sequence[str | Text]]) -> None:
        columns = []
        for column, width in zip(self.columns, self.widths, strict=True):
            wraps, side = column.narrowest is not None, "right" if column.right else "left"
            how = {"no_wrap": not wraps, "overflow": "fold" if wraps else "crop"}
            columns.append({"width": width, "justify": side, "style": column.style, **how})
        for is_short, run in groupby(lines, key=lambda line: self.width <= console.width and self._is_short(line)):
            some = list(run)
            console.print(self._joined(some) if is_short else as_table(some, columns), no_wrap=is_short)

    def _is_short(self, line: Sequence[str | Text]) -> bool:
        """Whether no cell needs a second line, as most do not: then rich's search for room would be for nothing."""
        return all(
            "\n" not in str(cell) and _cells(cell) <= width for cell, width in zip(line, self.widths, strict=True)
        )

    def _joined(self, lines: Sequence[Sequence[str | Text]]) -> Text:
        """Lines of cells that are each as wide as their column."""
        from rich.text import Text

        parts = list[str | Text | tuple[str, str]]()
        for line in lines:
            for cell, column, width in zip(line, self.columns, self.widths, strict=True):
                blank = " " * (width - _cells(cell))
                words = (cell, column.style) if isinstance(cell, str) else cell
                parts += [blank, words, " " * _GAP] if column.right else [words, blank, " " * _GAP]
            parts[-1] = "\n"
        return Text.assemble(*parts[:-1])


def fit(columns: Sequence[TerminalColumn], room: int) -> Layout:
    """Choose the columns that fit into so many cells.

    >>> layout = fit([TerminalColumn("name", ["a rather long name"], narrowest=10), TerminalColumn("p", ["0.05"],
    ...     rank=1)], 16)
    >>> layout.widths, layout.left_out
    ((10, 4), ())
    >>> fit(layout.columns, 12).left_out
    ('p',)
    """
    shown, left_out = list(columns), list[str]()
    while True:
        widths = _wrapped(shown, room)
        last = max(terminal_column.rank for terminal_column in shown)
        if sum(widths) + _GAP * (len(shown) - 1) <= room or last == 0:
            return Layout(tuple(shown), tuple(widths), tuple(left_out))
        left_out = [
            terminal_column.name or terminal_column.head for terminal_column in shown if terminal_column.rank == last
        ] + left_out
        shown = [terminal_column for terminal_column in shown if terminal_column.rank < last]


def _wrapped(columns: Sequence[TerminalColumn], room: int) -> list[int]:
    """Natural widths, with those that may wrap made narrower, the widest first, as far as it takes."""
    widths = [column.natural for column in columns]
    excess = sum(widths) + _GAP * (len(columns) - 1) - room
    while excess > 0:
        able = [i for i, column in enumerate(columns) if column.narrowest is not None and widths[i] > column.narrowest]
        if not able:
            break
        widths[max(able, key=widths.__getitem__)] -= 1
        excess -= 1
    return widths


class Footnotes:
    """Numbered remarks; the same words get the same number.

    >>> notes = Footnotes(room=20)
    >>> notes.short("Wilson"), notes.short("bootstrap on the logit scale"), notes.short("bootstrap on the logit scale")
    ('Wilson', 'bootstrap on... [1]', 'bootstrap on... [1]')
    """

    def __init__(self, room: int) -> None:
        self._room, self._numbers = room, dict[str, int]()

    def short(self, words: str) -> str:
        """Return the words if there is room for them, else their beginning and a number."""
        if len(words) <= self._room:
            return words
        mark = f" [{self._numbers.setdefault(words, len(self._numbers) + 1)}]"
        return textwrap.shorten(words, self._room - len(mark), placeholder="...") + mark

    def draw(self, console: Console) -> None:
        """All remarks in full."""
        from rich.padding import Padding

        if self._numbers:
            console.print()
        for words, number in self._numbers.items():
            lead = f"[{number}] "
            body = textwrap.fill(lead + words, console.width, subsequent_indent=" " * len(lead))
            console.print(Padding(body, 0), style="dim")
