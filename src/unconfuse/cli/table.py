"""`unconfuse table` and `unconfuse merge`: score tables as files, made in many places and put together in one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli._help import command
from unconfuse.cli._options import Words, file_options, file_to_write, files_to_read, option, read, several, together
from unconfuse.table.sample import positives_of

if TYPE_CHECKING:
    from unconfuse.table import ScoreTable

_options = together(
    option("--bins N", "Join scores into at most about so many blocks. [default: keep all scores]"),
    several("--edge SCORE", "A threshold at which counts must stay exact; may be repeated.", to="edges"),
    option("--min-count N", "Join scores until every block holds at least so many cases, to reveal less.", type=float),
    file_to_write("-o", "--output", words="Where to write the table (Parquet).", required=True),
)


@command()
@file_options
@_options
def table(*, data: Words, output: str, **binning: Any) -> None:
    """Write the score table of labels and scores: all that `evaluate` needs, without the rows.

    \b
    unconfuse table patients.csv --label outcome --score risk --min-count 10 -o site.parquet
    unconfuse evaluate site.parquet
    """
    if data["group"] is not None:
        raise click.UsageError("a table does not know which cases belong together: --group has no use here.")
    found = read(data)
    _write(_small(found.table(), **binning), output, str(found.positive_label))


@command()
@files_to_read("files", nargs=-1, required=True, metavar="FILE...")
@_options
def merge(*, files: tuple[str, ...], output: str, **binning: Any) -> None:
    """Merge score tables: evaluating the result is evaluating all rows together.

    \b
    unconfuse merge north.parquet south.parquet -o all.parquet
    unconfuse evaluate all.parquet
    """
    from unconfuse.ingest.table_files import common_label, load_table
    from unconfuse.ingest.tables import merge_all

    merged = merge_all(load_table(each) for each in files)
    _write(_small(merged, **binning), output, common_label(files))


def _small(found: ScoreTable, *, bins: int | None, edges: list[float] | None, min_count: float | None) -> ScoreTable:
    if bins is None and not min_count and not edges:
        return found
    return found.coarsen(len(found) or 1 if bins is None else bins, edges=edges or (), min_count=min_count or 0)


def _write(found: ScoreTable, output: str, positive_label: str | None) -> None:
    found.save(output, positive_label=positive_label)
    rows = "distinct scores" if found.is_exact else "blocks of scores"
    click.echo(f"{Path(output).name}: {len(found):,} {rows}, {positives_of(found.n_positives, found.n)} cases.")
    single = int((found.positives + found.negatives == 1).sum())
    if single:
        words = "rows hold a single case: who gets the file learns these cases' scores and labels."
        click.echo(f"{single:,} {words} Hint: --min-count 10 joins them with others.")
