"""`unconfuse apply`: label new rows with the threshold of a card."""

from __future__ import annotations

import click

from unconfuse.cli import _options
from unconfuse.cli._options import Words, collected, option
from unconfuse.cli._output import csv_text, emit_text, path_option


@click.command()
@click.argument("card", type=click.Path(dir_okay=False), metavar="CARD")
@collected("data", _options.file_argument)
@option("--rule NAME", "Which rule of the card to use; needed if it holds several.")
@collected(
    "data",
    option("--score COLUMN", "Column of scores. [default: score, p, probability or prob]"),
    option("--label COLUMN", "Column of true labels, if they are known: the prevalence is watched."),
    option("--positive LABEL", "The positive label. [default: that of the card]"),
    option("--id COLUMN", "Column that names the rows; otherwise they are numbered from 1."),
    _options.delimiter_option,
    _options.database_options,
)
@path_option
def apply(*, card: str, data: Words, rule: str | None, path: str | None) -> None:
    """Label the rows of FILE with the threshold of CARD (made by `unconfuse thresholds --export`).

    Prints CSV: the row (or its id), its score, and 1 if it is labelled positive. Notes on standard error say when the
    share labelled, the prevalence or the scores no longer look like the data of the card.
    """
    from unconfuse.ingest.others import read_columns
    from unconfuse.thresholds import apply_card, read_card

    read = read_card(card)
    chosen = rule or _only_rule(list(read))
    positive = data.pop("positive")
    rows = read_columns(_options.described(data))
    ((score, values),) = rows.numbers.items()
    applied = apply_card(read, values, rule=chosen, y=rows.label, positive=positive)
    names = range(1, len(values) + 1) if rows.id is None else rows.id
    lines = [
        {data["id"] or "row": str(name), score: value, "labelled_positive": int(labelled)}
        for name, value, labelled in zip(names, values.tolist(), applied.labels, strict=True)
    ]
    emit_text(csv_text(lines), path)


def _only_rule(rules: list[str]) -> str:
    if len(rules) == 1:
        return rules[0]
    raise click.UsageError(f"which rule? The card holds {', '.join(rules)}. Hint: pass --rule {rules[0]}.")
