"""Spark frames, classic and Connect: tables are made on the executors, and only tables come to the driver."""

from __future__ import annotations

from typing import Any

from unconfuse._errors import InputError
from unconfuse._labels import positives_among
from unconfuse._validate import Skipped, check_not_empty
from unconfuse.ingest import _hashed
from unconfuse.ingest import _spark_sql as sql
from unconfuse.ingest._spark_checks import check_types, labels_of, refuse_repeated_ids, without_bad_rows
from unconfuse.ingest._spark_errors import complaints
from unconfuse.ingest._spark_rows import SparkRows, by_value
from unconfuse.ingest._spark_tables import (
    MAX_DISTINCT,
    Precision,
    count_subgroups,
    edges_of_bins,
    has_fractions,
    kept_columns,
    tables_of,
)
from unconfuse.ingest.columns import Wanted, choose_columns
from unconfuse.ingest.reading import Reading
from unconfuse.ingest.tables import DividedTables

__all__ = ["MAX_DISTINCT", "Precision", "SparkRows", "rows_of_spark", "subgroups_of_spark"]


def rows_of_spark(
    frame: Any, wanted: Wanted, how: Reading | None = None, *, precision: Precision | None = None, text: bool = False
) -> SparkRows:
    """Checked rows of a Spark frame, which stay on the cluster.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    wanted : Wanted
        Columns.
    how : Reading, optional
        The positive label, and what to do with bad rows.
    precision : Precision, optional
        Limits of exact tables.
    text : bool
        Whether numbers may be written as text, as in a CSV file.
    """
    with complaints():  # a Connect session finds out only now whether the frame exists
        return _rows(frame, wanted, how or Reading(), precision or Precision(), text)[0]


def subgroups_of_spark(
    frame: Any, wanted: Wanted, how: Reading | None = None, *, precision: Precision | None = None, text: bool = False
) -> DividedTables:
    """The table of each subgroup, divided by the columns `wanted.by`; parameters as in `rows_of_spark`."""
    if wanted.group is not None:
        raise InputError(
            "subgroups of cases that belong to groups need rows, but they are on a cluster. "
            "Hint: leave out group=, or bring a sample with .toPandas()."
        )
    with complaints():
        rows, parts = _rows(frame, wanted, how or Reading(), precision or Precision(), text)
    return DividedTables(rows.tables, rows.positive_label, rows.skipped, rows.has_fractions, parts, wanted.by)


def _rows(frame: Any, wanted: Wanted, how: Reading, precision: Precision, text: bool) -> tuple[SparkRows, Any]:
    chosen = choose_columns(list(frame.columns), wanted, "the Spark frame")
    check_types(frame, chosen, text)
    if chosen.id is not None:
        refuse_repeated_ids(frame, chosen.id)
    skips = how.on_bad_row == "skip"
    counts, n_rows = labels_of(frame, chosen.label, skips=skips)
    labels = positives_among(list(counts), how.positive)
    meant = [each for each in labels if each in counts]
    is_positive = frame[sql.quoted(chosen.label)].isin(meant).alias("positive")  # null where the label is
    kept = kept_columns(frame, chosen, [is_positive], text)
    kept, skipped = without_bad_rows(kept, chosen) if skips else (kept, Skipped())
    check_not_empty(n_rows - skipped.total)

    edges = edges_of_bins(kept, chosen, n_rows, count_subgroups(kept, chosen, n_rows), precision)
    binned = in_bins(kept, edges)
    tables, parts = tables_of(binned, chosen, n_rows, binned=edges is not None)
    rows = SparkRows(
        tables,
        labels[0] if labels else 1,
        skipped,
        has_fractions(tables, chosen),
        n_rows - skipped.total,
        chosen.weight is not None,
        chosen.group is not None,
        frame=binned,
        chosen=chosen,
        edges=edges,
    )
    return rows, parts


def in_bins(kept: Any, edges: Any) -> Any:
    """The same rows with the number of its bin for each score, if there are bins."""
    return kept if edges is None else kept.mapInArrow(by_value(_hashed.binning(edges)), kept.schema)
