"""The 2x2 table as a picture: counts in boxes, margins around them, a bar for each cell's share of its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unconfuse._cards import TERMINAL
from unconfuse.cli._marks import Marks, marks_for
from unconfuse.results import Evaluation

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_WIDEST, _NARROWEST, _LABEL = 18, 10, 18
Cell = tuple[float, str, float, str]  # count, name, share of its class, role of its colour


def draw_matrix(console: Console, evaluation: Evaluation, *, per_thousand: bool = False) -> None:
    """The 2x2 table with its margins; of 1,000 cases where nobody has been counted."""
    from rich.text import Text

    marks = marks_for(console)
    c = evaluation.counts
    scale = 1000 / float(c.total) if per_thousand else 1.0
    tp, fp, fn, tn = (scale * float(cell) for cell in (c.tp, c.fp, c.fn, c.tn))
    rows: list[tuple[str, tuple[Cell, Cell]]] = [
        ("labelled positive", ((tp, "TP", tp / (tp + fn or 1), "good"), (fp, "FP", fp / (fp + tn or 1), "bad"))),
        ("labelled negative", ((fn, "FN", fn / (tp + fn or 1), "bad"), (tn, "TN", tn / (fp + tn or 1), "good"))),
    ]
    total = count_text(tp + fp + fn + tn)
    wide = min(max((console.width - _LABEL - len(total) - 8) // 2, _NARROWEST), _WIDEST)
    heads = ("truly positive", "truly negative") if wide >= 14 else ("positive", "negative")
    lines = [_margin("of 1,000 cases" if per_thousand else "", heads, "all", wide), _rule(marks, wide, 0)]
    for row, (label, cells) in enumerate(rows):
        lines += [_rule(marks, wide, 3)] if row else []
        sides = Text(marks.upright, style="dim")
        counted = sides.join([_count(cell, wide) for cell in cells])
        lines.append(
            Text.assemble(
                (f"{label:<{_LABEL}}", "dim"), sides, counted, sides, f"  {count_text(cells[0][0] + cells[1][0])}"
            )
        )
        lines.append(Text.assemble(" " * _LABEL, sides, sides.join([_bar(cell, wide, marks) for cell in cells]), sides))
    lines.append(_rule(marks, wide, 6))
    lines.append(_margin("all", (count_text(tp + fn), count_text(fp + tn)), total, wide))
    console.print(Text("\n").join(lines), no_wrap=True, overflow="crop")
    console.print(Text(f"{'':<{_LABEL}} bars: shares of each column", style="dim"))
    console.print()


def count_text(count: float) -> str:
    """A count for reading: whole, or with as many digits as matter."""
    if abs(count - round(count)) <= 1e-9 * max(1.0, abs(count)):
        return f"{count:,.0f}" if abs(count) < 1e9 else f"{count:.4g}"
    return f"{count:,.1f}" if abs(count) >= 10 else f"{count:.3g}"


def _margin(label: str, columns: tuple[str, str], last: str, wide: int) -> Text:
    from rich.text import Text

    inside = " ".join(each.center(wide) for each in columns)
    return Text.assemble((f"{label:<{_LABEL}} {inside}", "dim"), f"   {last}")


def _rule(marks: Marks, wide: int, start: int) -> Text:
    from rich.text import Text

    left, middle, right = list(marks.corners[start : start + 3])
    line = marks.track * wide
    return Text.assemble(" " * _LABEL, (f"{left}{line}{middle}{line}{right}", "dim"))


def _count(cell: Cell, wide: int) -> Text:
    from rich.text import Text

    count, name, _, role = cell
    words = Text.assemble(" ", (count_text(count), f"bold {TERMINAL[role]}"), (f" {name}", "dim"))
    words.pad_right(wide - words.cell_len)
    return words


def _bar(cell: Cell, wide: int, marks: Marks) -> Text:
    """At least one character for what occurred at all."""
    from rich.text import Text

    count, _, share, role = cell
    length = max(round(share * (wide - 2)), 1) if count > 0 else 0
    bar = Text.assemble(" ", (marks.block * length, TERMINAL[role]))
    bar.pad_right(wide - bar.cell_len)
    return bar
