"""`unconfuse indistinguish`: the threshold at which labelled and real positives cannot be told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli._options import SHARE, file_options, output_options

if TYPE_CHECKING:
    from rich.console import Console

    from unconfuse.indistinguish import Indistinguishability


@click.command()
@file_options
@click.option(
    "--level",
    "levels",
    type=SHARE,
    multiple=True,
    default=(0.5, 0.4, 0.6),
    show_default=True,
    metavar="SHARE",
    help="Which B(r) to look for; may be repeated.",
)
@click.option("--method", type=click.Choice(["bootstrap", "influence"]), help="How to make the intervals.")
@click.option("--resamples", type=int, default=2000, show_default=True, metavar="N", help="Size of the bootstrap.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the bootstrap.")
@output_options
def indistinguish(
    *,
    file: str,
    label: str | None,
    score: str | None,
    weight: str | None,
    group: str | None,
    id: str | None,
    positive: str | None,
    delimiter: str | None,
    table: str | None,
    query: str | None,
    on_bad_row: str,
    levels: tuple[float, ...],
    method: str | None,
    resamples: int,
    seed: int,
    form: str,
    as_json: bool,
    output: str | None,
) -> None:
    """When labelled and real positives cannot be told apart, what share of the labelled is real?"""
    from unconfuse import indistinguishability
    from unconfuse._errors import InputError
    from unconfuse.cli._output import emit, markdown_text
    from unconfuse.cli._reading import read_table
    from unconfuse.indistinguish import easy_negatives_finding

    scores, skipped = read_table(
        file,
        label=label,
        score=score,
        weight=weight,
        group=group,
        id=id,
        positive=positive,
        delimiter=delimiter,
        table=table,
        query=query,
        on_bad_row=on_bad_row,
    )
    found = [indistinguishability(scores, level=levels[0], method=method, n_resamples=resamples, rng=seed)]
    missing = []
    for level in levels[1:]:
        try:
            found.append(found[0].at(level))
        except InputError as error:  # the first level decides; others may be out of reach
            missing.append(str(error))
    remark = easy_negatives_finding(scores)
    said = [each.sentence for each in found] + missing + ([remark.sentence] if remark else [])
    rows = [_row(each) for each in found]
    emit(
        payload={
            "levels": [each.as_dict() for each in found],
            "findings": said,
            "n": scores.n,
            "positives": scores.n_positives,
            "skipped": skipped.as_dict(),
        },
        rows=rows,
        markdown=lambda: "".join(f"- {each}\n" for each in said) + "\n" + markdown_text(list(rows[0]), _texts(rows)),
        draw=lambda console: _draw(console, said, rows),
        form=form,
        as_json=as_json,
        output=output,
    )


def _row(found: Indistinguishability) -> dict[str, Any]:
    return {
        "level": found.level,
        "threshold": found.threshold.value,
        "threshold_low": found.threshold.low,
        "threshold_high": found.threshold.high,
        "precision": found.precision.value,
        "precision_low": found.precision.low,
        "precision_high": found.precision.high,
        "sensitivity": found.labelled.sensitivity,
        "false_positive_rate": found.labelled.false_positive_rate,
        "b": found.labelled.b,
    }


def _texts(rows: list[dict[str, Any]]) -> list[list[str]]:
    from unconfuse._plain import number_text

    return [[f"{value:g}" if name == "level" else number_text(value) for name, value in row.items()] for row in rows]


def _draw(console: Console, said: list[str], rows: list[dict[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    for position, sentence in enumerate(said):
        console.print(Text(sentence, style="bold" if position == 0 else ""))
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    shown = ("level", "threshold", "precision", "sensitivity", "false_positive_rate", "b")
    for head in shown:
        table.add_column(head.replace("_", " "), justify="right")
    for row in rows:
        table.add_row(*_texts([{name: row[name] for name in shown}])[0])
    console.print(table)
