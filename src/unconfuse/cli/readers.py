"""`unconfuse readers`: people who read the same cases, with and without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, TerminalColumn, fit, number_text, say
from unconfuse.cli._options import Words, decimal_option, delimiter_option, file_argument, level_option, option
from unconfuse.cli._output import (
    emit_result,
    markdown_text,
    output_options,
    plot_of,
    table_page_options,
    write_table_page,
    wrote,
)

if TYPE_CHECKING:
    from unconfuse.results.readers import Readers


@command()
@file_argument
@option("--reader COLUMN", "Column that names the readers.", required=True)
@option("--case COLUMN", "Column that names the cases.", required=True)
@option("--truth COLUMN", "Column of the true class of each case.", required=True)
@option("--score COLUMN", "Column of the readers' scores; of a rate, 1 for a case called positive.", required=True)
@option("--modality COLUMN", "Column of modalities, such as with and without a model.")
@option("--metric auroc|sensitivity|specificity|accuracy", "What is averaged over readers.")
@option("--generalise both|cases|readers", "Generalise to new readers and new cases, or to new ones of one kind only.")
@option("--positive LABEL", "The positive label of --truth. [default: 1 or true]")
@option("--difference SHARE", "Plan readers and cases to show this difference.")
@option("--width SHARE", "Plan readers and cases for an interval of this width.")
@option("--power SHARE", "For --difference: how often it is to be shown. [default: 0.8]")
@delimiter_option
@decimal_option
@level_option
@plot_of("readers and modalities")
@table_page_options
@output_options
def readers(
    *,
    source: str,
    output: Words,
    delimiter: str | None,
    decimal: str | None,
    difference: float | None,
    width: float | None,
    power: float | None,
    **words: Any,
) -> None:
    """Evaluate readers of the same cases: means for new readers and cases, differences of modalities, a plan.

    \b
    unconfuse readers readings.csv --reader r --case c --truth y --score s --modality m
    unconfuse readers readings.csv --reader r --case c --truth y --score s --modality m --difference 5%
    """
    import unconfuse

    if power is not None and difference is None:
        raise click.UsageError("--power requires --difference.")
    found = unconfuse.readers(unconfuse.Data(source, delimiter=delimiter, decimal=decimal), **words)
    plan = None
    if difference is not None or width is not None:
        plan = found.plan(difference=difference, width=width, **({} if power is None else {"power": power}))
    if output["plot"] is not None:
        found.plot(output["plot"])
        wrote(output["plot"])

    write_table_page(found, output)

    def draw(console: Console, result: Readers) -> None:
        _draw(console, result)
        if plan is not None:
            say(console)
            say(console, plan.sentence, "bold")

    emit_result(output, found, _markdown, draw, **({} if plan is None else {"plan": plan.as_dict()}))


def _lines(found: Readers) -> list[list[str]]:
    lines = []
    for row in found.rows():
        ends = "" if row["low"] != row["low"] else f"[{number_text(row['low'])}, {number_text(row['high'])}]"
        p = "" if row["p_value"] != row["p_value"] else number_text(row["p_value"])
        lines.append([row["modality"], number_text(row["value"]), ends, p])
    return lines


def _heads(found: Readers) -> list[str]:
    return ["modality", found.metric.label.split(" (")[0], f"{100 * found.confidence_level:.4g}% interval", "p"]


def _markdown(found: Readers) -> str:
    return markdown_text(_heads(found), _lines(found), found.findings)


def _draw(console: Console, found: Readers) -> None:
    first, *rest = found.findings
    say(console, first.sentence, "bold")
    for each in rest:
        say(console, each.sentence)
    say(console)
    columns = zip(*_lines(found), strict=True)
    fit(
        [TerminalColumn(head, cells) for head, cells in zip(_heads(found), columns, strict=True)], console.width
    ).draw_all(console)
    say(console)
    values = [found.by_reader(name) for name in found]
    cells = {"reader": list(found.names)}
    cells |= {
        name: [number_text(own[reader]) for reader in found.names] for name, own in zip(found, values, strict=True)
    }
    fit([TerminalColumn(head, each) for head, each in cells.items()], console.width).draw_all(console)
