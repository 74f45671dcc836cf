"""`unconfuse meta`: published 2x2 tables of several studies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse._formatting import number_text
from unconfuse.cli._estimate_tables import Table, interval_cell, result_options, show
from unconfuse.cli._help import command
from unconfuse.cli._options import Words, csv_options, file_argument, level_option, option, together

if TYPE_CHECKING:
    from unconfuse.results.meta_analysis import MetaAnalysis


@command()
@file_argument
@together(
    *(
        option(f"--{cell} COLUMN", f"Column of the {cell.upper()} of each study.", default=cell)
        for cell in ("tp", "fp", "fn", "tn")
    )
)
@option("--study COLUMN", "Column that names the studies. [default: they are numbered]")
@csv_options
@level_option
@option("--kind roc|forest", "What --plot draws: studies in the ROC plane, or a forest plot.")
@result_options("the studies")
def meta(*, source: str, output: Words, delimiter: str | None, decimal: str | None, kind: str, **words: Any) -> None:
    """Pool the 2x2 tables of several studies, and predict a new study.

    \b
    unconfuse meta studies.csv --tp tp --fp fp --fn fn --tn tn --study id
    unconfuse meta studies.csv --plot forest.png --kind forest
    """
    import unconfuse

    meta_analysis = unconfuse.meta_analysis(unconfuse.Data(source, delimiter=delimiter, decimal=decimal), **words)
    if output["plot"] is None and kind != "roc":
        raise click.UsageError("--kind says what to draw: it needs --plot.")
    show(meta_analysis, output, _table, kind=kind)


def _table(found: MetaAnalysis) -> Table:
    lines: dict[str, list[str]] = {}
    for row in found.rows():
        cell = f"{number_text(row['value'])} {interval_cell(row)}".rstrip()
        lines.setdefault(row["study"], [row["study"]]).append(cell)
    return ["study", "sensitivity", "specificity"], list(lines.values())
