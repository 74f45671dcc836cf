"""One door for data: arrays, frames and files become checked rows.

Nothing outside this room knows data-frame libraries or the file engine, and neither is imported before it is needed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._errors import InputError
from unconfuse.ingest.arrays import rows_of_arrays
from unconfuse.ingest.columns import Wanted
from unconfuse.table import Scores, ScoreTable

if TYPE_CHECKING:
    from unconfuse.ingest.distant import DistantRows

__all__ = ["distant_rows", "gather", "gather_table"]


def gather(
    data: Any,
    scores: Any = None,
    *,
    label: str | None = None,
    score: str | Sequence[str] | Mapping[str, str] | None = None,
    weight: str | None = None,
    weights: Any = None,
    group: str | None = None,
    groups: Any = None,
    positive: object = None,
    id: str | None = None,
    delimiter: str | None = None,
) -> Scores:
    """Checked rows from labels and scores, from a frame, or from a file.

    Parameters
    ----------
    data : array_like, frame, path or Scores
        Labels; or a frame (pandas, polars, pyarrow, ..., eager or lazy), a mapping of columns, or the path of a CSV,
        Parquet or JSON-lines file (or a pattern that matches several, or "-" for standard input).
    scores : array_like or mapping of name to array_like, optional
        Scores of one model, or of several; only with labels.
    label, score, weight, group, id : str, optional
        Column names, only with a frame or a file. `score` may name several columns, or map models to columns. The
        values of the column `id` must be unique.
    weights, groups : array_like, optional
        One value for each row.
    positive : optional
        The positive label.
    delimiter : str, optional
        Separator of a CSV file; found by itself otherwise.

    Examples
    --------
    >>> gather([1, 0, 1], [.9, .2, .4])
    Scores(3 rows, 2 positive, models: score)
    >>> gather({"y": ["a", "b"], "p": [.1, .8]}, positive="b")
    Scores(2 rows, 1 positive, models: p)
    """
    if isinstance(data, Scores):
        return data
    wanted = Wanted(label=label, score=score, weight=weight, group=group, id=id)
    if isinstance(data, str | os.PathLike) and scores is None:
        from unconfuse.ingest.files import rows_of_files

        rows = rows_of_files(os.fspath(data), wanted, positive=positive, delimiter=delimiter)
    elif scores is None and not isinstance(data, list | tuple | np.ndarray):
        from unconfuse.ingest.frames import rows_of_frame

        rows = rows_of_frame(data, wanted, positive=positive)
    else:
        _refuse_column_names(wanted)
        return rows_of_arrays(data, scores, weights=weights, groups=groups, positive=positive)
    return rows if weights is None and groups is None else _with_columns(rows, weights, groups)


def distant_rows(
    data: Any,
    *,
    label: str | None = None,
    score: str | Sequence[str] | Mapping[str, str] | None = None,
    weight: str | None = None,
    group: str | None = None,
    id: str | None = None,
    positive: object = None,
    bins: int | None = None,
    edges: Sequence[float] = (),
) -> DistantRows | None:
    """Rows that stay on a cluster, if that is where the data are; otherwise None.

    Parameters
    ----------
    data : any source of data
    label, score, weight, group, id, positive
        As in `gather`.
    bins : int, optional
        Tables of about so many bins instead of exact ones.
    edges : floats
        Where a bin must begin, so that the 2x2 table at that threshold stays exact.
    """
    from unconfuse.ingest.distant import DistantRows, is_distant

    if isinstance(data, DistantRows):
        return data
    if not is_distant(data):
        return None
    from unconfuse.ingest.spark import Precision, rows_of_spark

    wanted = Wanted(label=label, score=score, weight=weight, group=group, id=id)
    return rows_of_spark(data, wanted, positive=positive, precision=Precision(bins, edges=tuple(edges)))


def gather_table(data: Any, scores: Any = None, **options: Any) -> ScoreTable:
    """The score table of the rows that `gather` gives; a score table is given back as it is."""
    return data if isinstance(data, ScoreTable) else gather(data, scores, **options).table()


def _refuse_column_names(wanted: Wanted) -> None:
    named = [f"{key}={value!r}" for key, value in wanted.as_dict().items() if value is not None]
    if named:
        raise InputError(
            f"{', '.join(named)} names a column, but the data are plain arrays. "
            "Hint: give a frame or a file, or pass the arrays as `weights=` and `groups=`."
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
    )
