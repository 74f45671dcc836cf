"""`unconfuse table`, `merge`, `sql` and `schema`: score tables made in many places, and text for other machines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unconfuse._parameters import cases
from unconfuse.cli._help import command
from unconfuse.cli._options import Words, file_options, file_to_write, files_to_read, option, read, several, together
from unconfuse.cli._output import emit_text, path_option
from unconfuse.table.sample import positives_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unconfuse.table import ScoreTable

_options = together(
    option("--bins N", "Join scores into at most about so many blocks. [default: keep all scores]"),
    several(
        "--keep-threshold SCORE",
        "A threshold at which counts must stay exact; may be repeated.",
        name="edges",
        was="--edge",
    ),
    option(
        "--min-count N", "Join scores until every block holds at least so many cases, to reveal less.", kind="number"
    ),
    file_to_write("--output FILE", "Where to write the table (Parquet).", short="-o", is_needed=True, group="Output"),
)


@command()
@file_options
@_options
def table(*, data: Words, output: str, **binning: Any) -> None:
    """Write the score table of labels and scores: all that `evaluate` needs, without the rows.

    \b
    unconfuse table patients.csv --label outcome --positive yes --score risk --min-count 10 -o site.parquet
    unconfuse evaluate site.parquet
    """
    if data["group"] is not None:
        raise click.UsageError("a table does not know which cases belong together: --group has no use here.")
    sample = read(data)
    _write(_small(sample.table(), **binning), output, str(sample.positive_label))


@command()
@files_to_read("files", nargs=-1, required=True, metavar="FILE...")
@_options
@option("--keep-sites", "Remember which file each case comes from: `evaluate` then looks at new places too.")
def merge(*, files: tuple[str, ...], output: str, keep_sites: bool, **binning: Any) -> None:
    """Merge score tables: evaluating the result is evaluating all rows together.

    \b
    unconfuse merge north.parquet south.parquet west.parquet --keep-sites -o all.parquet
    unconfuse evaluate all.parquet
    """
    from unconfuse.ingest.sources.score_tables import merge_all
    from unconfuse.ingest.table_files import common_label, load_table, save_sites, tables_by_site

    if keep_sites:
        sites = {name: _small(score_table, **binning) for name, score_table in tables_by_site(files).items()}
        save_sites(sites, output, positive_label=common_label(files))
        _say_written(merge_all(sites.values()), output, sites)
        return
    tables = [load_table(file) for file in files]
    merged = merge_all(tables)
    _write(_small(merged, **binning), output, common_label(files))
    _say_if_places_differ(dict(zip(files, tables, strict=True)))


def _say_if_places_differ(tables: dict[str, ScoreTable]) -> None:
    """Name tables whose AUROCs differ by more than chance: merging hides disagreement."""
    from unconfuse import evaluate
    from unconfuse.results.site_disagreement import places_finding

    both = {
        name: score_table
        for name, score_table in tables.items()
        if score_table.n_positives > 1 and score_table.n_negatives > 1
    }
    finding = places_finding(
        {Path(name).name: evaluate(score_table, metrics=["auroc"])["auroc"] for name, score_table in both.items()}
    )
    if finding is not None:
        click.echo(finding.sentence)


def _small(found: ScoreTable, *, bins: int | None, edges: list[float] | None, min_count: float | None) -> ScoreTable:
    if bins is None and not min_count and not edges:
        return found
    return found.coarsen(len(found) or 1 if bins is None else bins, edges=edges or (), min_count=min_count or 0)


def _write(found: ScoreTable, output: str, positive_label: str | None) -> None:
    found.save(output, positive_label=positive_label)
    _say_written(found, output, {"": found})


def _say_written(found: ScoreTable, output: str, sites: Mapping[str, ScoreTable]) -> None:
    rows = "distinct scores" if found.is_exact else "blocks of scores"
    of = f" of {len(sites)} sites" if len(sites) > 1 else ""
    click.echo(f"{Path(output).name}: {len(found):,} {rows}, {positives_of(found.n_positives, found.n)} cases{of}.")
    single = sum(int((site.positives + site.negatives == 1).sum()) for site in sites.values())
    if single:
        words = "rows hold a single case: who gets the file learns these cases' scores and labels."
        click.echo(f"{single:,} {words} Hint: --min-count 10 joins them with others.")


@command()
@option("--dialect duckdb|postgres|sqlite|spark|snowflake|bigquery|databricks|redshift", "The warehouse's language.")
@option(cases.TABLE, "The table that holds the rows.", is_needed=True)
@option(cases.LABEL, "Column of true labels.", is_needed=True)
@option(cases.SCORE, "Column of scores.", is_needed=True)
@option(cases.POSITIVE, "The positive label; all others are negative.", default="1")
@option(cases.BY, "Column of subgroups; may be repeated.")
@option("--bins N", "Join scores in [0, 1] that lie in the same of so many steps: a smaller table.")
@path_option
def sql(*, dialect: str, table: str, path: str | None, by: list[str] | None, **columns: Any) -> None:
    """Print the query that makes the score table in a warehouse; its result, as CSV, goes into `evaluate` as it is.

    \b
    unconfuse sql --dialect postgres --table visits --label ill --score risk --positive yes > table.sql
    unconfuse evaluate result.csv
    """
    from unconfuse.ingest.sql_text import score_table_query

    emit_text(score_table_query(dialect, table, by=by or (), **columns) + "\n", path)


@command()
@path_option
def schema(*, path: str | None) -> None:
    """Print the JSON schema of what pages show (`--payload`), so that other programs can rely on it.

    \b
    unconfuse schema -o unconfuse-payload.json
    """
    import json

    from unconfuse.report import schema as published

    emit_text(json.dumps(published(), indent=1) + "\n", path)
