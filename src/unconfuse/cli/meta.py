"""`unconfuse meta`: published 2x2 tables of several studies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, TerminalColumn, fit, number_text, say
from unconfuse.cli._options import Words, csv_options, file_argument, level_option, option, together
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
    from unconfuse.results.meta_analysis import MetaAnalysis

_RATES = ("sensitivity", "specificity")


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
@plot_of("the studies")
@table_page_options
@output_options
def meta(*, source: str, output: Words, delimiter: str | None, decimal: str | None, kind: str, **words: Any) -> None:
    """Pool the 2x2 tables of several studies, and predict a new study.

    \b
    unconfuse meta studies.csv --tp tp --fp fp --fn fn --tn tn --study id
    unconfuse meta studies.csv --plot forest.png --kind forest
    """
    import unconfuse

    found = unconfuse.meta_analysis(unconfuse.Data(source, delimiter=delimiter, decimal=decimal), **words)
    if output["plot"] is not None:
        found.plot(output["plot"], kind=kind)
        wrote(output["plot"])
    elif kind != "roc":
        import click

        raise click.UsageError("--kind says what to draw: it needs --plot.")
    write_table_page(found, output)
    emit_result(output, found, _markdown, _draw)


def _lines(found: MetaAnalysis) -> list[list[str]]:
    lines: dict[str, list[str]] = {}
    for row in found.rows():
        ends = "" if row["low"] != row["low"] else f" [{number_text(row['low'])}, {number_text(row['high'])}]"
        lines.setdefault(row["study"], [row["study"]]).append(number_text(row["value"]) + ends)
    return list(lines.values())


def _markdown(found: MetaAnalysis) -> str:
    return markdown_text(["study", *_RATES], _lines(found), found.findings)


def _draw(console: Console, found: MetaAnalysis) -> None:
    first, *rest = found.findings
    say(console, first.sentence, "bold")
    for each in rest:
        say(console, each.sentence)
    console.print()
    names, *cells = zip(*_lines(found), strict=True)
    columns = [
        TerminalColumn("study", names, narrowest=12),
        *(TerminalColumn(head, each) for head, each in zip(_RATES, cells, strict=True)),
    ]
    fit(columns, console.width).draw_all(console)
