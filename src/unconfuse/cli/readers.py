"""`unconfuse readers`: people who read the same cases, with and without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse._formatting import number_text
from unconfuse._parameters.cases import POSITIVE, SCORE
from unconfuse._parameters.planning import DIFFERENCE, POWER, WIDTH
from unconfuse.cli._estimate_tables import Table, draw_table, interval_cell, result_options, show
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, say
from unconfuse.cli._options import Words, csv_options, file_argument, level_option, option

if TYPE_CHECKING:
    from unconfuse.results.readers import Readers


@command()
@file_argument
@option("--reader COLUMN", "Column that names the readers.", is_needed=True)
@option("--case COLUMN", "Column that names the cases.", is_needed=True)
@option("--truth COLUMN", "Column of the true class of each case.", is_needed=True)
@option(SCORE, "Column of the readers' scores; of a rate, 1 for a case called positive.", is_needed=True)
@option("--modality COLUMN", "Column of modalities, such as with and without a model.")
@option("--metric auroc|sensitivity|specificity|accuracy", "What is averaged over readers.")
@option("--generalise both|cases|readers", "Generalise to new readers and new cases, or to new ones of one kind only.")
@option(POSITIVE, "The positive label of --truth. [default: 1 or true]")
@option(DIFFERENCE.but(usage="--difference SHARE", kind="share"), "Plan readers and cases to show this difference.")
@option(WIDTH.but(usage="--width SHARE", kind="share"), "Plan readers and cases for an interval of this width.")
@option(POWER, "For --difference: how often it is to be shown. [default: 0.8]")
@csv_options
@level_option
@result_options("readers and modalities")
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
    show(found, output, _table, _draw_readers, plan=plan)


def _table(found: Readers) -> Table:
    lines = []
    for row in found.rows():
        p = "" if row["p_value"] != row["p_value"] else number_text(row["p_value"])
        lines.append([row["modality"], number_text(row["value"]), interval_cell(row), p])
    level = f"{100 * found.confidence_level:.4g}% interval"
    return ["modality", found.metric.label.split(" (")[0], level, "p"], lines


def _draw_readers(console: Console, found: Readers) -> None:
    say(console)
    values = [found.by_reader(name) for name in found]
    cells = {"reader": list(found.names)}
    cells |= {
        name: [number_text(value[reader]) for reader in found.names] for name, value in zip(found, values, strict=True)
    }
    draw_table(console, list(cells), list(zip(*cells.values(), strict=True)))
