"""An evaluation by subgroup in every form that the command line prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError
from unconfuse._plain import number_text
from unconfuse.cli._matrix import count_text
from unconfuse.cli._output import emit, markdown_text
from unconfuse.cli._text import harmless, shortened
from unconfuse.comparison import Subgroups
from unconfuse.comparison.result import p_text
from unconfuse.comparison.subgroup_difference import short_label
from unconfuse.comparison.subgroup_findings import HEADLINES
from unconfuse.comparison.subgroups import EVERYONE

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_NAME_WIDTH = 24
_VALUE_WIDTH = 22  # a value and its interval, and the gap to the next
_DIFFERENCE_HEADS = ("", "difference", "interval", "adjusted p", "verdict")


def refuse_with_subgroups(by: Sequence[str], **others: Any) -> None:
    """Options that make no sense, or are not made yet, for several subgroups at once."""
    if not by:
        raise ArgumentError("--reference names a subgroup, but there are none. Hint: add --by COLUMN.")
    for name, value in others.items():
        if value is not None:
            raise ArgumentError(f"--{name} does not go with --by. Hint: select the rows of one subgroup first.")


def shown_of_subgroups(*, form: str, as_json: bool, output: str | None) -> tuple[str, ...]:
    """The metrics to compute: tables show a few, other programs are given all."""
    return () if as_json or form in ("json", "csv") else HEADLINES


def emit_subgroups(result: object, plot: str | None, *, form: str, as_json: bool, output: str | None) -> None:
    """Print every subgroup, how they differ, and what that means."""
    assert isinstance(result, Subgroups)  # which is what `evaluate` gives for rows that are divided
    if plot is not None:
        result.plot(path=plot)
    whole = as_json or form in ("json", "csv")  # only these show every metric's differences
    emit(
        payload=result.as_dict() | {"source": result.overall.source} if whole else None,
        rows=result.rows() if form == "csv" and not as_json else [],
        markdown=lambda: _markdown(result),
        draw=lambda console: _draw(console, result),
        form=form,
        as_json=as_json,
        output=output,
    )


def _markdown(result: Subgroups) -> str:
    said = "".join(f"- {finding.sentence}\n" for finding in result.findings)
    heads = ["Subgroup", "Cases", "Positives", *(result.overall[name].label for name in result.headlines())]
    parts = [said, markdown_text(heads, [[name, *cells] for name, cells in _lines(result, result.headlines())])]
    for metric in result.headlines():
        label = result.overall[metric].label
        parts.append(markdown_text([label, *_DIFFERENCE_HEADS[1:]], _differences(result, metric)))
    return "\n".join(part for part in parts if part)


def _lines(result: Subgroups, metrics: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Each subgroup's name, sizes and metrics with their intervals; everyone comes last."""
    return [
        (
            name,
            [
                count_text(each.n),
                count_text(each.positives),
                *(f"{number_text(each[metric].value)} {each[metric].interval_text}".strip() for metric in metrics),
            ],
        )
        for name, each in {**result.evaluations, EVERYONE: result.overall}.items()
    ]


def _differences(result: Subgroups, metric: str) -> list[list[str]]:
    return [
        [
            f"{each.first} {'/' if each.scale == 'ratio' else '-'} {each.second}",
            number_text(each.difference.value),
            each.difference.interval_text,
            p_text(each.adjusted_p_value).removeprefix("p ").removeprefix("= "),
            each.verdict,
        ]
        for each in result.differences(metric)
    ]


def _draw(console: Console, result: Subgroups) -> None:
    from rich.text import Text

    o = result.overall
    name = " of ".join(shortened(part, 40) for part in (o.name, o.source) if part)
    console.print(Text(f"{name} by {shortened(' and '.join(result.by), 40)}", style="bold"))
    console.print(
        Text(
            f"{count_text(o.n)} cases, {count_text(o.positives)} positive; threshold "
            f"{number_text(o.threshold or 0.0)}; {o.design} design\n",
            style="dim",
        )
    )
    for finding in result.findings:
        console.print(Text(harmless(finding.sentence), style="bold" if finding is result.findings[0] else ""))
    _draw_values(console, result)
    if len(result) > 1:
        _draw_differences(console, result)


def _draw_values(console: Console, result: Subgroups) -> None:
    """As many metrics side by side as the width holds; the others below them."""
    from rich.text import Text

    metrics = list(result.headlines())
    fit = _side_by_side(result, metrics, console.width)
    for start in range(0, len(metrics), fit):
        chosen = metrics[start : start + fit]
        heads = [short_label(result.overall[name].label)[:_VALUE_WIDTH] for name in chosen]
        table = _table(["", "cases", "positives", *heads], right=(1, 2))
        for name, cells in _lines(result, chosen):
            style = "dim" if name == EVERYONE else ""
            table.add_row(*(Text(cell, style=style) for cell in (shortened(name, _NAME_WIDTH), *cells)))
        console.print()
        console.print(table)


def _side_by_side(result: Subgroups, metrics: Sequence[str], width: int) -> int:
    lines = [(shortened(name, _NAME_WIDTH), *cells) for name, cells in _lines(result, metrics)]
    widths = [max(len(line[column]) for line in lines) + 2 for column in range(len(metrics) + 3)]
    left = width - widths[0] - max(widths[1], 7) - max(widths[2], 11)
    return max(left // max(*widths[3:], _VALUE_WIDTH), 1)


def _draw_differences(console: Console, result: Subgroups) -> None:
    from rich.text import Text

    o = result.overall
    console.print(Text(f"\nDifferences from {shortened(result.reference, 40)}", style="bold"))
    table = _table(_DIFFERENCE_HEADS, right=(1, 3))
    for metric in result.headlines():
        table.add_row(Text(short_label(o[metric].label), style="bold"))
        for line in _differences(result, metric):
            table.add_row(Text(f" {shortened(line[0], 2 * _NAME_WIDTH - 4)}"), *(Text(cell) for cell in line[1:]))
    console.print(table)
    clustered = o.design == "clustered"
    how = "whole groups resampled, the same for all subgroups" if clustered else "MOVER, from both subgroups' intervals"
    console.print(
        Text(
            f"\n{100 * o.confidence_level:.4g}% intervals ({how}); p-values are adjusted for all subgroups "
            "of a metric (Holm), not for several metrics.",
            style="dim",
        )
    )


def _table(heads: Sequence[str], *, right: Sequence[int]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for place, head in enumerate(heads):
        table.add_column(Text(head), justify="right" if place in right else "left", no_wrap=True)
    return table
