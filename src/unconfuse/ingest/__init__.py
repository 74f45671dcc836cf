"""One door for data: arrays, frames, files and databases become checked rows, or score tables where no row is needed.

Nothing outside this room knows data-frame libraries, the file engine or databases, and none is imported before it is
needed. To add a kind of source: recognise it in `_read`, and hand back `Scores` or `Tables` (see `ingest.grouped` for
engines that add up rows themselves).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, overload

import numpy as np

from unconfuse._errors import InputError
from unconfuse._validate import brief, check_whole, mention_skipped
from unconfuse.ingest.arrays import rows_of_arrays
from unconfuse.ingest.by import divided_by, names_or_values
from unconfuse.ingest.columns import Wanted
from unconfuse.ingest.distant import DistantRows, SparkPath, is_distant
from unconfuse.ingest.reading import Reading
from unconfuse.ingest.tables import Tables
from unconfuse.table import Scores, ScoreTable

__all__ = ["DistantRows", "Tables", "by_spark", "distant_rows", "gather", "gather_table"]

Score = str | Sequence[str] | Mapping[str, str] | None
Progress = Callable[[int, int], object]


@overload
def gather(
    data: Any,
    scores: Any = ...,
    *,
    label: str | None = ...,
    score: Score = ...,
    weight: str | None = ...,
    weights: Any = ...,
    group: str | None = ...,
    groups: Any = ...,
    positive: object = ...,
    id: str | None = ...,
    delimiter: str | None = ...,
    table: str | None = ...,
    query: str | None = ...,
    on_bad_row: str = ...,
    progress: Progress | None = ...,
    rows: Literal[True] = ...,
    by: Any = ...,
    bins: int | None = ...,
    edges: Sequence[float] = ...,
    max_distinct: int | None = ...,
) -> Scores: ...


@overload
def gather(
    data: Any,
    scores: Any = ...,
    *,
    label: str | None = ...,
    score: Score = ...,
    weight: str | None = ...,
    weights: Any = ...,
    group: str | None = ...,
    groups: Any = ...,
    positive: object = ...,
    id: str | None = ...,
    delimiter: str | None = ...,
    table: str | None = ...,
    query: str | None = ...,
    on_bad_row: str = ...,
    progress: Progress | None = ...,
    rows: bool,
    by: Any = ...,
    bins: int | None = ...,
    edges: Sequence[float] = ...,
    max_distinct: int | None = ...,
) -> Scores | Tables: ...


def gather(
    data: Any,
    scores: Any = None,
    *,
    label: str | None = None,
    score: Score = None,
    weight: str | None = None,
    weights: Any = None,
    group: str | None = None,
    groups: Any = None,
    positive: object = None,
    id: str | None = None,
    delimiter: str | None = None,
    table: str | None = None,
    query: str | None = None,
    on_bad_row: str = "error",
    progress: Progress | None = None,
    rows: bool = True,
    by: Any = None,
    bins: int | None = None,
    edges: Sequence[float] = (),
    max_distinct: int | None = None,
) -> Scores | Tables:
    """Checked rows from labels and scores, from a frame, a file or a database.

    Parameters
    ----------
    data : array_like, frame, path, address of a database, Scores or Tables
        Labels; or a frame (pandas, polars, pyarrow, ..., eager or lazy), a mapping of columns, the path of a CSV,
        Parquet or JSON file (or a folder, or a pattern that matches several, or "-" for standard input), or the address
        of a database such as "sqlite:///file.db" or "postgresql://user@host/name".
    scores : array_like or mapping of name to array_like, optional
        Scores of one model, or of several; only with labels.
    label, score, weight, group, id : str, optional
        Column names, only with a frame, a file or a database. `score` may name several columns, or map models to
        columns. The values of the column `id` must be unique.
    weights, groups : array_like, optional
        One value for each row.
    positive : optional
        The positive label.
    delimiter : str, optional
        Separator of a CSV file; found by itself otherwise.
    table, query : str, optional
        Which rows of a database.
    on_bad_row : {"error", "skip"}
        Whether a row that cannot be used (no label, no score, a score that is infinite or no number, a bad weight) is
        an error, or is left out and counted.
    progress : callable, optional
        Called with (rows read, rows in all or 0) while files are read.
    rows : bool
        Whether rows are needed. Otherwise sources that can do so give their score tables alone.
    by : str, list of str, array_like or mapping of name to array_like, optional
        What divides the rows into subgroups: columns of the frame or the file, or values for each row.
    bins : int, optional
        Tables of about so many bins of scores, where a cluster makes them; other tables are exact.
    edges : floats
        Where a bin must begin, so that the 2x2 table at that threshold stays exact.
    max_distinct : int, optional
        How many distinct scores a cluster may hand over before it bins them; 20 million by default.

    Examples
    --------
    >>> gather([1, 0, 1], [.9, .2, .4])
    Scores(3 rows, 2 positive, models: score)
    >>> gather({"y": ["a", "b"], "p": [.1, .8]}, positive="b")
    Scores(2 rows, 1 positive, models: p)
    """
    if isinstance(data, Tables):
        return _as_asked(data, rows or by is not None)
    if isinstance(data, Scores):
        return divided_by(data, by)
    arrays = scores is not None or isinstance(data, list | tuple | np.ndarray)
    named, given = names_or_values(by, arrays=arrays)
    wanted = Wanted(label=label, score=score, weight=weight, group=group, id=id, by=named)
    if arrays:
        _refuse_column_names(wanted)
        found = rows_of_arrays(data, scores, weights=weights, groups=groups, positive=positive, on_bad_row=on_bad_row)
        return divided_by(found, given)
    apart = weights is not None or groups is not None
    needed = rows or apart or group is not None or given is not None
    if is_distant(data):
        if rows or apart or given is not None:
            raise InputError(
                "rows are needed here, but they are on a cluster. Hint: bring a sample with .toPandas(), "
                "and name weights, groups and subgroups as columns."
            )
        return _of_cluster(data, wanted, positive, on_bad_row, bins, edges, max_distinct)
    how = Reading(positive, on_bad_row, delimiter, table, query, progress, needed).checked()
    read = _read(data, wanted, how)
    if isinstance(read, Tables):
        return read
    return divided_by(_with_columns(read, weights, groups) if apart else read, given)


def distant_rows(
    data: Any,
    *,
    label: str | None = None,
    score: Score = None,
    weight: str | None = None,
    group: str | None = None,
    id: str | None = None,
    positive: object = None,
    on_bad_row: str = "error",
    bins: int | None = None,
    edges: Sequence[float] = (),
    max_distinct: int | None = None,
) -> DistantRows | None:
    """Rows that stay on a cluster, if that is where the data are; otherwise None. Parameters as in `gather`."""
    if isinstance(data, DistantRows):
        return data
    wanted = Wanted(label=label, score=score, weight=weight, group=group, id=id)
    if not is_distant(data):
        return None
    found = _of_cluster(data, wanted, positive, on_bad_row, bins, edges, max_distinct)
    assert isinstance(found, DistantRows)
    return found


def _of_cluster(
    data: Any,
    wanted: Wanted,
    positive: object,
    on_bad_row: str,
    bins: int | None,
    edges: Sequence[float],
    max_distinct: int | None,
) -> Tables:
    from unconfuse.ingest.spark import MAX_DISTINCT, Precision, rows_of_spark, subgroups_of_spark

    how, text = Reading(positive, on_bad_row).checked(), False
    limit = MAX_DISTINCT if max_distinct is None else check_whole(max_distinct, "max_distinct", at_least=1)
    wanted_bins = None if bins is None else check_whole(bins, "bins", at_least=1)
    if isinstance(data, SparkPath):
        from unconfuse.ingest._spark_session import frame_of_files

        data, text = frame_of_files(data.session, str(data), data.delimiter)
    read = subgroups_of_spark if wanted.by else rows_of_spark
    return read(data, wanted, how, precision=Precision(wanted_bins, limit, tuple(edges)), text=text)


def by_spark(path: str, master: str, delimiter: str | None = None) -> tuple[SparkPath, Callable[[], None]]:
    """A path that Spark reads wherever a source is asked for, and what to call in the end."""
    from unconfuse.ingest._spark_session import open_session

    session, close = open_session(master)
    return SparkPath(path, session, delimiter), close


def gather_table(data: Any, scores: Any = None, **options: Any) -> ScoreTable:
    """The score table of what `gather` gives; a score table is given back as it is."""
    if isinstance(data, ScoreTable):
        return data
    found: Scores | Tables = gather(data, scores, **options, rows=False)
    mention_skipped(found.skipped, stacklevel=4)
    return found.table()


def _read(data: Any, wanted: Wanted, how: Reading) -> Scores | Tables:
    """Whichever reader knows this kind of source."""
    if isinstance(data, str | os.PathLike):
        from unconfuse.ingest.addresses import is_address

        path = os.fspath(data)
        if is_address(path):
            from unconfuse.ingest.databases import gather_database

            return gather_database(path, wanted, how)
        _refuse_database_words(how)
        from unconfuse.ingest.table_files import saved_tables

        how = replace(how, rows=how.rows or bool(wanted.by))  # files are read in parts, without subgroups
        saved = saved_tables(path, wanted, rows=how.rows)
        if saved is not None:
            return saved
        from unconfuse.ingest.files import gather_files

        return gather_files(path, wanted, how)
    _refuse_database_words(how)
    from unconfuse.ingest.frames import gather_frame

    return gather_frame(data, wanted, how)


def _refuse_database_words(how: Reading) -> None:
    """What only a database understands must not be passed over in silence."""
    for name, value in (("table", how.table), ("query", how.query)):
        if value is not None:
            raise InputError(
                f"`{name}` chooses rows of a database, but the data are not one; got {brief(value)}. "
                "Hint: leave it out, or give an address such as sqlite:///file.db."
            )


def _as_asked(data: Scores | Tables, rows: bool) -> Scores | Tables:
    if rows and isinstance(data, Tables):
        raise InputError("these are score tables, but rows are needed here. Hint: give the data themselves.")
    return data


def _refuse_column_names(wanted: Wanted) -> None:
    named = [f"{key}={value!r}" for key, value in wanted.as_dict().items() if value is not None]
    if named:
        raise InputError(
            f"{', '.join(named)} names a column, but the data are plain arrays. "
            "Hint: give a frame or a file, or pass the arrays as `weights=`, `groups=` and `by=`."
        )


def _with_columns(rows: Scores, weights: Any, groups: Any) -> Scores:
    """Rows of a frame with weights or groups that were given apart from it."""
    added = rows_of_arrays(rows.is_positive, rows.score, weights=weights, groups=groups)
    return Scores(
        rows.is_positive,
        rows.score,
        rows.weights if weights is None else added.weights,
        rows.groups if groups is None else added.groups,
        rows.positive_label,
        rows.skipped,
        rows.by,
    )
