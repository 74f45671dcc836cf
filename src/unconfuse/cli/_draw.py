"""An evaluation on the terminal: first what it means, then the four counts, then every number."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unconfuse.cli._notes import Notes
from unconfuse.cli._sections import sections
from unconfuse.cli._text import harmless, shortened
from unconfuse.results import Estimate, Evaluation, number_text

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.table import Table
    from rich.text import Text


_LABEL_WIDTH = 37


def draw_evaluation(console: Console, evaluation: Evaluation, prevalence: float | None = None) -> None:
    """The whole answer."""
    draw_heading(console, evaluation, prevalence)
    draw_findings(console, evaluation)
    draw_matrix(console, evaluation, per_thousand=prevalence is not None)
    draw_metrics(console, evaluation)


def draw_heading(console: Console, evaluation: Evaluation, prevalence: float | None) -> None:
    """What was judged, on what."""
    from rich.text import Text

    name = " of ".join(shortened(part, 60) for part in (evaluation.name, evaluation.source) if part)
    cases = (f"{count_text(evaluation.n)} cases, {count_text(evaluation.positives)} positive "
             f"({evaluation.positives / evaluation.n:.1%})")
    parts = [
        cases if prevalence is None else f"where {100 * prevalence:.4g}% are positive",
        "" if evaluation.threshold is None else f"threshold {number_text(evaluation.threshold)}",
        f"{evaluation.design} design",
    ]
    heading = Text(f"{name}\n" if name else "", style="bold")
    heading.append("; ".join(part for part in parts if part), style="not bold dim" if name else "bold")
    console.print(heading)
    console.print()


def draw_findings(console: Console, evaluation: Evaluation) -> None:
    """The verdict stands out; the other findings follow."""
    from rich.padding import Padding
    from rich.text import Text

    colours = {"useful": "green", "misleading": "red", "useless": "red"}
    for position, finding in enumerate(evaluation.findings):
        style = f"bold {colours.get(finding.verdict, '')}".strip() if position == 0 else ""
        sentence = Text(harmless(finding.sentence), style=style)
        console.print(Padding(sentence, (0, 0, 0, 0 if position == 0 else 2)))
    if evaluation.findings:
        console.print()


def draw_matrix(console: Console, evaluation: Evaluation, *, per_thousand: bool = False) -> None:
    """The 2x2 table with its margins; of 1,000 cases where nobody has been counted."""
    from rich.table import Table

    c = evaluation.counts
    scale = 1000 / float(c.total) if per_thousand else 1.0
    tp, fp, fn, tn = (scale * float(cell) for cell in (c.tp, c.fp, c.fn, c.tn))
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("of 1,000 cases" if per_thousand else "", style="dim")
    for head in ("truly positive", "truly negative", "all"):
        table.add_column(head, justify="right")
    table.add_row("labelled positive", _cell(tp, "TP", "green"), _cell(fp, "FP", "red"), count_text(tp + fp))
    table.add_row("labelled negative", _cell(fn, "FN", "red"), _cell(tn, "TN", "green"), count_text(fn + tn))
    table.add_row("all", f"{count_text(tp + fn)}   ", f"{count_text(fp + tn)}   ", count_text(tp + fp + fn + tn))
    console.print(table)
    console.print()


def draw_metrics(console: Console, evaluation: Evaluation) -> None:
    """Every metric, by section; the columns stand in line over all sections, and long remarks below them."""
    from rich.text import Text

    binned = any(each.bound_text() for each in evaluation.values())
    heads = ("", "value", interval_head(evaluation), "certainly" if binned else "chance", "method")
    grouped = [(each.title, [_cells(estimate, binned) for estimate in each.estimates]) for each in
               sections(evaluation.values())]
    lines = [heads, *(cells for _, members in grouped for cells in members)]
    widths = [max(len(part) for line in lines for part in line[column].split("\n")) for column in range(4)]
    notes = Notes(room=max(console.width - sum(widths) - 8, 12))
    console.print(_table(widths, [heads], style="dim"))
    for position, (title, members) in enumerate(grouped):
        console.print(Text(title if position == 0 else f"\n{title}", style="bold"))
        console.print(_table(widths, [[*cells[:4], notes.short(cells[4])] for cells in members]))
    notes.draw(console)


def interval_head(evaluation: Evaluation) -> str:
    """Column head of the intervals, with their level."""
    return f"{evaluation.confidence_level * 100:.4g}% interval"


def _cell(count: float, name: str, colour: str) -> Text:
    from rich.text import Text

    return Text.assemble((count_text(count), colour), (f" {name}", "dim"))


def count_text(count: float) -> str:
    """A count for reading: whole, or with as many digits as matter."""
    if abs(count - round(count)) <= 1e-9 * max(1.0, abs(count)):
        return f"{count:,.0f}"
    return f"{count:,.1f}" if abs(count) >= 10 else f"{count:.3g}"


def _table(widths: Sequence[int], lines: Sequence[Sequence[str]], style: str = "") -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False, style=style)
    justify: tuple[JustifyMethod, ...] = ("left", "right", "left", "right")
    for width, side in zip(widths, justify, strict=True):
        table.add_column(width=width, justify=side, no_wrap=True, style=style)
    table.add_column(style="dim")
    for line in lines:
        table.add_row(*line)
    return table


def _cells(estimate: Estimate, binned: bool) -> tuple[str, str, str, str, str]:
    label = " " + "\n ".join(textwrap.wrap(shortened(estimate.label, 120), _LABEL_WIDTH))
    if estimate.undefined:
        return label, "", "undefined", "", harmless(estimate.undefined)
    beside = (estimate.bound_text(4) or "exact") if binned else chance_text(estimate)
    return label, number_text(estimate.value), estimate.interval_text, beside, harmless(estimate.method)


def chance_text(estimate: Estimate) -> str:
    """The value of a useless classifier, without the dust of rounding."""
    return "" if math.isnan(estimate.baseline) else number_text(round(estimate.baseline, 12) + 0.0)
