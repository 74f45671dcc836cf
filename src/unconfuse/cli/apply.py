"""`unconfuse apply`: label new rows with the threshold of a card."""

from __future__ import annotations

import click

from unconfuse.cli._options import database_options


@click.command()
@click.argument("card", type=click.Path(dir_okay=False), metavar="CARD")
@click.argument("file", metavar="FILE")
@click.option("--rule", metavar="NAME", help="Which rule of the card to use; needed if it holds several.")
@click.option("--score", metavar="COLUMN", help="Column of scores. [default: score, p, probability or prob]")
@click.option("--label", metavar="COLUMN", help="Column of true labels, if they are known: the prevalence is watched.")
@click.option("--positive", metavar="LABEL", help="The positive label. [default: that of the card]")
@click.option("--id", metavar="COLUMN", help="Column that names the rows; otherwise they are numbered from 1.")
@click.option("--delimiter", metavar="CHARACTER", help="Separator of a CSV file. [default: found by itself]")
@database_options
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write to a file instead.")
def apply(
    *,
    card: str,
    file: str,
    rule: str | None,
    score: str | None,
    label: str | None,
    positive: str | None,
    id: str | None,
    delimiter: str | None,
    table: str | None,
    query: str | None,
    output: str | None,
) -> None:
    """Label the rows of FILE with the threshold of CARD (made by `unconfuse thresholds --export`).

    Prints CSV: the row (or its id), its score, and 1 if it is labelled positive. Notes on standard error say when the
    share labelled, the prevalence or the scores no longer look like the data of the card.
    """
    from unconfuse.cli._output import _emit_text, csv_text
    from unconfuse.ingest import Data
    from unconfuse.ingest.others import read_columns
    from unconfuse.thresholds import apply_card, read_card

    read = read_card(card)
    chosen = rule or _only_rule(list(read))
    rows = read_columns(Data(file, score=score, label=label, id=id, delimiter=delimiter, table=table, query=query))
    ((score_name, scores),) = rows.numbers.items()
    applied = apply_card(read, scores, rule=chosen, y=rows.label, positive=positive)
    names = range(1, len(scores) + 1) if rows.id is None else rows.id
    lines = [
        {id or "row": str(name), score_name: value, "labelled_positive": int(labelled)}
        for name, value, labelled in zip(names, scores.tolist(), applied.labels, strict=True)
    ]
    _emit_text(csv_text(lines), output)


def _only_rule(rules: list[str]) -> str:
    if len(rules) == 1:
        return rules[0]
    raise click.UsageError(f"which rule? The card holds {', '.join(rules)}. Hint: pass --rule {rules[0]}.")
