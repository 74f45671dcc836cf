"""An evaluation on the terminal: first what it means, then what to see at a glance, then every number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from unconfuse._cards import TERMINAL
from unconfuse.cli._layout import Column, Layout, fit
from unconfuse.cli._marks import estimate_bar, marks_for
from unconfuse.cli._matrix import count_text, draw_matrix
from unconfuse.cli._notes import Notes
from unconfuse.cli._pictures import draw_pictures
from unconfuse.cli._sections import sections
from unconfuse.cli._text import harmless, shortened
from unconfuse.results import Estimate, Evaluation, number_text

if TYPE_CHECKING:
    from rich.console import Console


_LABEL_WIDTH, _NARROW_LABEL, _HEADLINE_LABEL, _BAR, _LEAST_METHOD = 37, 16, 26, 40, 12
VERDICT_COLOURS = {"useful": TERMINAL["good"], "misleading": "red", "useless": "red"}


def draw_evaluation(console: Console, evaluation: Evaluation, prevalence: float | None = None) -> None:
    """The whole answer."""
    draw_heading(console, evaluation, prevalence)
    draw_findings(console, evaluation)
    draw_headline(console, evaluation)
    draw_pictures(console, evaluation)
    draw_matrix(console, evaluation, per_thousand=prevalence is not None)
    draw_metrics(console, evaluation)


def draw_heading(console: Console, evaluation: Evaluation, prevalence: float | None) -> None:
    """What was judged, on what."""
    from rich.text import Text

    room = max((console.width - len(" of ")) // 2, 12)
    name = " of ".join(shortened(part, room) for part in (evaluation.name, evaluation.source) if part)
    cases = (
        f"{count_text(evaluation.n)} cases, {count_text(evaluation.positives)} positive "
        f"({evaluation.positives / evaluation.n:.1%})"
    )
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

    for position, finding in enumerate(evaluation.findings):
        style = f"bold {VERDICT_COLOURS.get(finding.verdict, '')}".strip() if position == 0 else ""
        sentence = Text(harmless(finding.sentence), style=style)
        console.print(Padding(sentence, (0, 0, 0, 0 if position == 0 else 2)))
    if evaluation.findings:
        console.print()


def draw_headline(console: Console, evaluation: Evaluation) -> None:
    """A few numbers with bars, unless they are all there is: then the table says the same."""
    from rich.text import Text

    shown = evaluation.headline
    if len(shown) == len(evaluation):
        return
    marks = marks_for(console)
    columns = [
        Column("", [shortened(_short_label(each), _HEADLINE_LABEL) for each in shown]),
        Column("value", [number_text(each.value) for each in shown], right=True),
        Column(interval_head(evaluation), [each.interval_text for each in shown]),
    ]
    room = min(console.width - fit(columns, console.width).width - 2, _BAR)
    bars = [estimate_bar(marks, each, evaluation.span(each.name), room) for each in shown]
    legend = Text(f"   {marks.value} value  {marks.interval} interval  {marks.chance} chance", style="dim")
    layout = fit([*columns, Column("", bars)], console.width)
    layout.draw_heads(console)
    layout.draw(console)
    console.print(Text(" " * max(min(layout.width - room - 3, console.width - legend.cell_len), 0)) + legend)
    console.print()


def _short_label(estimate: Estimate) -> str:
    return estimate.label.split(" (")[0]


def draw_metrics(console: Console, evaluation: Evaluation) -> None:
    """Every metric, by section; the columns stand in line over all sections, and long remarks below them."""
    from rich.text import Text

    grouped = sections(evaluation.values())
    notes, layout = _metrics_layout(console, evaluation, [each for group in grouped for each in group.estimates])
    layout.draw_heads(console)
    start = 0
    for position, group in enumerate(grouped):
        console.print(Text(group.title if position == 0 else f"\n{group.title}", style="bold"))
        layout.draw(console, slice(start, start + len(group.estimates)))
        start += len(group.estimates)
    layout.draw_left_out(console)
    notes.draw(console)


def _metrics_layout(console: Console, evaluation: Evaluation, shown: Sequence[Estimate]) -> tuple[Notes, Layout]:
    """Where methods do not fit they are left out, but why a metric is undefined is always said."""
    binned = any(each.bound_text() for each in evaluation.values())
    rows = [_cells(estimate, binned) for estimate in shown]
    values = [
        Column("value", [cells[1] for cells in rows], right=True),
        Column(interval_head(evaluation), [cells[2] for cells in rows]),
        Column("certainly" if binned else "chance", [cells[3] for cells in rows], right=True, rank=1),
    ]
    room = console.width - fit(values, console.width).width - 3
    labels = Column(
        "", [_wrapped_label(cells[0], min(_LABEL_WIDTH, max(room, _NARROW_LABEL)), console) for cells in rows]
    )
    rest = console.width - fit([labels, *values], console.width).width - 2
    notes = Notes(room=max(rest, _LEAST_METHOD))
    if rest >= _LEAST_METHOD:
        methods = Column("method", [notes.short(cells[4]) for cells in rows], style="dim")
        return notes, fit([labels, *values, methods], console.width)
    said = [cells[2] if cells[1] else notes.short(cells[4]) for cells in rows]
    layout = fit([labels, values[0], replace(values[1], cells=said), values[2]], console.width)
    return notes, replace(layout, left_out=(*layout.left_out, "method"))


def interval_head(evaluation: Evaluation) -> str:
    """Column head of the intervals, with their level."""
    return f"{evaluation.confidence_level * 100:.4g}% interval"


def _wrapped_label(label: str, room: int, console: Console) -> str:
    """The label over as many lines as it takes, each a little to the right."""
    from rich.text import Text

    lines = Text(shortened(label, 3 * room)).wrap(console, room)
    return "\n".join(f" {line.plain.rstrip()}" for line in lines)


def _cells(estimate: Estimate, binned: bool) -> tuple[str, str, str, str, str]:
    if estimate.undefined:
        return estimate.label, "", "undefined", "", harmless(estimate.undefined)
    beside = (estimate.bound_text(4) or "exact") if binned else chance_text(estimate)
    return (estimate.label, number_text(estimate.value), estimate.interval_text, beside, harmless(estimate.method))


def chance_text(estimate: Estimate) -> str:
    """The value of a useless classifier, without the dust of rounding."""
    return "" if math.isnan(estimate.baseline) else number_text(round(estimate.baseline, 12) + 0.0)
