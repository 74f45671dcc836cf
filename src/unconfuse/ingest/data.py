"""`Data`: where rows come from and what their columns mean, described once and read when needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, TypedDict

Columns = str | Sequence[str] | Mapping[Any, str]
Progress = Callable[[int, int], object]


class DataWords(TypedDict, total=False):
    """The words that describe data: every verb takes them, and hands them to `Data`, which explains them."""

    label: str | None
    score: Columns | None
    scores: Any
    predicted: Any
    weight: str | None
    weights: Any
    group: str | None
    groups: Any
    by: Any
    fold: str | None
    folds: Any
    id: str | None
    positive: object
    classes: Sequence[object] | None
    table: str | None
    query: str | None
    on_bad_row: str
    bins: int | None
    max_distinct: int | None
    delimiter: str | None


@dataclass(frozen=True, eq=False)
class Data:
    """A source of rows, and the roles of its columns.

    Nothing is read before a verb needs it; every verb takes a `Data`, or the same words beside the source itself.

    Parameters
    ----------
    source : array_like, data frame, path, address of a database, or table
        Labels; or a frame (pandas, polars, pyarrow, DuckDB, Dask, Ibis, Spark, ..., eager or lazy) or a mapping of
        columns; or the path of a CSV, Parquet or JSON file (a folder, a pattern that matches several, "-" for standard
        input); or the address of a database ("sqlite:///file.db", "postgresql://user@host/name"); or a `ScoreTable`, or
        a mapping from subgroup to one.
    s : array_like, matrix or mapping of model to array_like, optional
        Scores beside labels, higher for "more likely positive"; a matrix has a column for each class.
    label : str, optional
        Column of labels; one with a usual name by default.
    score : str, list of str or mapping of model to str, optional
        Column of scores; several columns are several models.
    scores : pattern, names or mapping of class to name, optional
        Columns of scores of several classes, such as "p_*" (the class is what the star stands for).
    predicted : str, array_like or mapping of model to either, optional
        Predicted classes, as a column or as values, instead of scores.
    weight, weights : str, array_like, optional
        How many cases each row stands for: the name of a column, or values.
    group, groups : str, array_like, optional
        Cases that belong together (one patient, one clinic): the name of a column, or values.
    by : str, list of str, array_like or mapping of name to array_like, optional
        What divides the cases into subgroups: columns (several are crossed), or a value for each row.
    fold, folds : str, array_like, optional
        In which fold of a cross-validation each row was tested: the name of a column, or values.
    id : str, optional
        Column that names each case once, as a patient number does.
    positive : optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    classes : sequence, optional
        Several classes in the order of the columns of their scores; the sorted labels by default.
    table, query : str, optional
        Which rows of a database: all of a table, or what a SELECT gives.
    on_bad_row : {"error", "skip"}
        Rows without a label or a usable score or weight are an error, or are left out with a warning that counts them.
    bins : int, optional
        Make score tables of about so many bins instead of exact ones; their numbers come with a certified bound.
    max_distinct : int, optional
        A Spark frame with more distinct scores than this (20 million by default) is binned anyway.
    delimiter : str, optional
        Separator of a CSV file; found by itself otherwise.

    Examples
    --------
    >>> import unconfuse as uc
    >>> visits = uc.Data({"ill": ["no", "yes", "no"], "risk": [.2, .9, .4]}, label="ill", score="risk", positive="yes")
    >>> uc.evaluate(visits, metrics=["auroc"])["auroc"].value
    1.0
    """

    source: Any
    s: Any = None
    _: KW_ONLY
    label: str | None = None
    score: Columns | None = None
    scores: Any = None
    predicted: Any = None
    weight: str | None = None
    weights: Any = None
    group: str | None = None
    groups: Any = None
    by: Any = None
    fold: str | None = None
    folds: Any = None
    id: str | None = None
    positive: object = None
    classes: Sequence[object] | None = None
    table: str | None = None
    query: str | None = None
    on_bad_row: str = "error"
    bins: int | None = None
    max_distinct: int | None = None
    delimiter: str | None = None

    def words(self) -> dict[str, Any]:
        """What was given besides the source, by name."""
        given = ((each.name, getattr(self, each.name), each.default) for each in fields(self))
        return {name: value for name, value, usual in given if not _is(value, usual)}


def _is(value: Any, usual: Any) -> bool:
    """Whether this is the usual value; texts are compared, anything else may be an array."""
    return value == usual if isinstance(value, str) else value is usual
