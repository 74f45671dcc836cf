"""`unconfuse sql` and `unconfuse schema`: text for other machines."""

from __future__ import annotations

from typing import Any

from unconfuse._parameters import cases
from unconfuse.cli._help import command
from unconfuse.cli._options import option
from unconfuse.cli._output import emit_text, path_option


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

    from unconfuse.report.document import schema as published

    emit_text(json.dumps(published(), indent=1) + "\n", path)
