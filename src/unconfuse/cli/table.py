"""`unconfuse table` and `unconfuse merge`: score tables as files, made in many places and put together in one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli._options import file_options

if TYPE_CHECKING:
    from unconfuse.table import ScoreTable

_into = click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Where to write the table (Parquet).",
)


def _binning_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option(
            "--min-count",
            type=float,
            default=0,
            metavar="N",
            help="Join scores until every block holds at least so many cases, to reveal less.",
        ),
        click.option(
            "--edge",
            "edges",
            type=float,
            multiple=True,
            metavar="SCORE",
            help="A threshold at which counts must stay exact; may be repeated.",
        ),
        click.option(
            "--bins",
            type=int,
            metavar="N",
            help="Join scores into at most about so many blocks. [default: keep all scores]",
        ),
    ):
        command = option(command)
    return command


@click.command()
@file_options
@_binning_options
@_into
def table(
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
    bins: int | None,
    edges: tuple[float, ...],
    min_count: float,
    output: str,
) -> None:
    """Write the score table of labels and scores: all that `evaluate` needs, without the rows.

    \b
    unconfuse table patients.csv --label outcome --score risk --min-count 10 -o site.parquet
    unconfuse evaluate site.parquet
    """
    from unconfuse.cli._progress import reading_line
    from unconfuse.ingest._old import gather

    if group is not None:
        raise click.UsageError("a table does not know which cases belong together: --group has no use here.")
    with reading_line() as progress:
        found = gather(
            file,
            label=label,
            score=score,
            weight=weight,
            id=id,
            positive=positive,
            delimiter=delimiter,
            table=table,
            query=query,
            on_bad_row=on_bad_row,
            progress=progress,
            rows=False,
        )
    if Path(output).exists() and Path(file).exists() and Path(output).samefile(file):
        raise click.UsageError(f"{output} is the file that is read; its rows would be lost. Hint: choose another name.")
    _write(_small(found.table(), bins, edges, min_count), output, str(found.positive_label))


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@_binning_options
@_into
def merge(*, files: tuple[str, ...], bins: int | None, edges: tuple[float, ...], min_count: float, output: str) -> None:
    """Merge score tables: evaluating the result is evaluating all rows together.

    \b
    unconfuse merge north.parquet south.parquet -o all.parquet
    unconfuse evaluate all.parquet
    """
    from unconfuse.ingest.builder import merge_all
    from unconfuse.ingest.table_files import common_label, load_table

    merged = merge_all(load_table(each) for each in files)
    _write(_small(merged, bins, edges, min_count), output, common_label(files))


def _small(found: ScoreTable, bins: int | None, edges: tuple[float, ...], min_count: float) -> ScoreTable:
    if bins is None and not min_count and not edges:
        return found
    return found.coarsen(len(found) or 1 if bins is None else bins, edges=edges, min_count=min_count)


def _write(found: ScoreTable, output: str, positive_label: str | None) -> None:
    found.save(output, positive_label=positive_label)
    rows = "distinct scores" if found.is_exact else "blocks of scores"
    click.echo(f"{Path(output).name}: {len(found):,} {rows}, {found.n_positives:g} positives of {found.n:g} cases.")
    single = int((found.positives + found.negatives == 1).sum())
    if single:
        click.echo(
            f"{single:,} rows hold a single case: who gets the file learns these cases' scores and labels. "
            "Hint: --min-count 10 joins them with others."
        )
