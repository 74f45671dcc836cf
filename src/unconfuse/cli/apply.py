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
    from unconfuse.ingest.unlabelled import as_text, new_rows
    from unconfuse.thresholds import apply_card, read_card

    read = read_card(card)
    chosen = rule or _only_rule(list(read))
    rows = new_rows(file, score=score, label=label, id=id, delimiter=delimiter, table=table, query=query)
    applied = apply_card(read, rows.score, rule=chosen, y=rows.label, positive=positive)
    names = as_text(rows.id, len(rows.score))
    lines = [
        {id or "row": name, rows.score_name: value, "labelled_positive": int(labelled)}
        for name, value, labelled in zip(names, rows.score.tolist(), applied.labels, strict=True)
    ]
    _emit_text(csv_text(lines), output)


def _only_rule(rules: list[str]) -> str:
    if len(rules) == 1:
        return rules[0]
    raise click.UsageError(f"which rule? The card holds {', '.join(rules)}. Hint: pass --rule {rules[0]}.")
