"""`Data`: where rows come from and what their columns mean, described once and read when needed.

Which of its words mean something depends on the kind of source: the others are refused, none is passed over.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, NamedTuple, TypedDict

import numpy as np

from unconfuse._errors import InputError, argument_name, surface_text
from unconfuse._formatting import short_repr
from unconfuse._labels import LabelSpec
from unconfuse._parameters.cases import ON_BAD_ROW
from unconfuse._validate import check_choice, check_flag, check_list, check_whole, public_api

Columns = str | Sequence[str] | Mapping[Any, str]
Progress = Callable[[int, int], object]
ROLES = (  # what a column is for, by name, and as values
    ("weight", "weights"),
    ("sampling_weight", "sampling_weights"),
    ("stratum", "strata"),
    ("group", "groups"),
    ("fold", "folds"),
)
NAMES = frozenset(("label", "score", "scores", "by", "site", "id", *(name for name, _ in ROLES)))  # of columns
VALUES = frozenset(values for _, values in ROLES)  # one for each row
ANY = frozenset(("source", "predicted", "positive", "negative", "classes", "ordered", "on_bad_row", "bins"))


class CaseOptions(TypedDict, total=False):
    """The words that describe data, but for folds given as values: a threshold card deals its own."""

    label: str | None
    labels: Any
    score: Columns | None
    scores: Any
    predicted: Any
    judge: Any
    weight: str | None
    weights: Any
    sampling_weight: str | None
    sampling_weights: Any
    stratum: str | None
    strata: Any
    group: str | None
    groups: Any
    by: Any
    fold: str | None
    id: str | None
    positive: object
    negative: object
    classes: Sequence[object] | None
    ordered: bool
    table: str | None
    query: Any
    on_bad_row: str
    bins: int | None
    max_distinct: int | None
    delimiter: str | None
    decimal: str | None


class DataOptions(CaseOptions, total=False):
    """The words that describe data: every verb takes them, and hands them to `Data`, which explains them."""

    folds: Any
    site: Any


@public_api
@dataclass(frozen=True, eq=False)
class Data:
    """A source of rows, and the roles of its columns.

    Nothing is read before a verb needs it; every verb takes a `Data`, or the same words beside the source itself.

    Parameters
    ----------
    source : array_like, data frame, path, address of a database, or table
        Labels; or a frame (pandas, polars, pyarrow, DuckDB, Dask, Ibis, Spark, ..., eager or lazy) or a mapping of
        columns; or the path of a CSV, Parquet or JSON file or of a spreadsheet (a folder, a pattern that matches
        several, "-" for standard input); or the address of a database ("sqlite:///file.db",
        "postgresql://user@host/name"); or a `ScoreTable`, or a mapping from subgroup to one.
    s : array_like, matrix or mapping of model to array_like, optional
        Scores beside labels, higher for "more likely positive"; a matrix has a column for each class. One of two
        columns, as `predict_proba` gives it, is a yes-or-no question: they are in the order of the sorted labels, and
        the second is the positive class, unless `positive` names it.
    label : str, optional
        Column of labels; one with a usual name by default.
    labels : pattern or names, optional
        Columns of several labels that a case may have at once, such as "finding_*", holding 0, 1 or nothing (unknown);
        their scores are those that `scores` names. Beside a matrix: the names of its columns.
    score : str, list of str or mapping of model to str, optional
        Column of scores; several columns are several models.
    scores : pattern, names or mapping of class to name, optional
        Columns of scores of several classes, such as "p_*" (the class is what the star stands for).
    predicted : str, array_like or mapping of model to either, optional
        Predicted classes, as a column or as values, instead of scores; of 0 and 1, -1 and 1 or booleans they answer a
        yes-or-no question.
    judge : str or array_like, optional
        Labels by a judge whose errors were measured on some of these cases: a rater, a cheap test, a language model.
        The label of a case that was not checked is missing; numbers are about the truth.
    weight, weights : str, array_like, optional
        How many cases each row stands for: the name of a column, or values.
    sampling_weight, sampling_weights : str, array_like, optional
        How each row was sampled: the inverse of its chance to be among these rows, up to a factor (surveys, partial
        verification, censoring, another population). Intervals then rest on the rows, not on the sum of weights.
    stratum, strata : str, array_like, optional
        Within which part of the population each row was sampled, with `sampling_weight`.
    group, groups : str, array_like, optional
        Cases that belong together (one patient, one clinic): the name of a column, or values.
    by : str, list of str, array_like or mapping of name to array_like, optional
        What divides the cases into subgroups: columns (several are crossed), or a value for each row.
    fold, folds : str, array_like, optional
        In which fold of a cross-validation each row was tested: the name of a column, or values.
    site : str or array_like, optional
        Where each case comes from (hospital, country, laboratory): the name of a column, or a value for each row. Of
        score tables in a mapping or in several files, which are one site each, what to call them. `evaluate` and
        `compare` then also say what to expect of a new site.
    id : str, optional
        Column that names each case once, as a patient number does.
    positive : optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans. With predicted classes it makes
        a yes-or-no question of them.
    negative : label, list of labels or "rest", optional
        The negative labels, where there are several; "rest" means whatever is not positive. Without it, more than two
        labels are an error.
    classes : sequence, optional
        Several classes in the order of the columns of their scores; the sorted labels by default. Where there are
        fewer labels than columns they must be named, unless the labels are whole numbers, 0 among them.
    ordered : bool
        Several classes have an order (mild, moderate, severe): that of `classes`, or of their labels if these are
        numbers. Metrics that count how far a confusion goes, as weighted kappas do, need it.
    table, query : str, optional
        Which rows of a database: all of a table, or what a SELECT gives; `table` also names a sheet of a spreadsheet.
        Of other data, `query` says which query each document was ranked for (a column, or values): numbers are then
        averages over queries.
    on_bad_row : {"error", "skip"}
        Rows without a label or a usable score or weight are an error, or are left out with a warning that counts them.
    bins : int, optional
        Make score tables of about so many bins instead of exact ones; their numbers come with a certified bound.
    max_distinct : int, optional
        A Spark frame with more distinct scores than this (20 million by default) is binned anyway.
    delimiter : str, optional
        Separator of a CSV file; found by itself otherwise.
    decimal : {".", ","}, optional
        What stands before the decimals in a CSV file; a point by default.

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
    labels: Any = None
    score: Columns | None = None
    scores: Any = None
    predicted: Any = None
    judge: Any = None
    weight: str | None = None
    weights: Any = None
    sampling_weight: str | None = None
    sampling_weights: Any = None
    stratum: str | None = None
    strata: Any = None
    group: str | None = None
    groups: Any = None
    by: Any = None
    fold: str | None = None
    folds: Any = None
    site: Any = None
    id: str | None = None
    positive: object = None
    negative: object = None
    classes: Sequence[object] | None = None
    ordered: bool = False
    table: str | None = None
    query: Any = None
    on_bad_row: str = "error"
    bins: int | None = None
    max_distinct: int | None = None
    delimiter: str | None = None
    decimal: str | None = None

    @property
    def stated(self) -> LabelSpec:
        """What was said of the labels of a yes-or-no question."""
        if check_flag(self.ordered, "ordered"):
            raise InputError("`ordered` is for several classes, and this is a yes-or-no question. Hint: leave it out.")
        classes = None if self.classes is None else check_list(self.classes, "classes")
        return LabelSpec(self.positive, self.negative, classes)

    @property
    def is_stated(self) -> bool:
        """Whether it was said how a CSV file is written, so that nothing is guessed about it."""
        return self.delimiter is not None or self.decimal is not None

    def words(self) -> dict[str, Any]:
        """Return what was given besides the source, by name."""
        given = ((field.name, getattr(self, field.name), field.default) for field in fields(self))
        return {name: value for name, value, usual in given if not _is(value, usual)}


def _is(value: Any, usual: Any) -> bool:
    """Whether this is the usual value; texts are compared, anything else may be an array."""
    return value == usual if isinstance(value, str) else value is usual


class ReadRequest(NamedTuple):
    """What a verb needs of the data."""

    rows: bool = False  # cases must be told apart; otherwise score tables will do
    edges: tuple[float, ...] = ()  # where bins must begin, so that counts at these thresholds stay exact
    models: bool = False  # a mapping of scores is of models, even if its keys could name the classes
    progress: Progress | None = None  # called with (rows read, rows in all or 0)


def is_array_source(data: Data) -> bool:
    """Whether labels are given as they are, rather than by the name of a column."""
    if data.s is not None or isinstance(data.source, list | tuple | np.ndarray):
        return True
    if data.predicted is None or has_names(data.predicted):
        return False
    return not (isinstance(data.source, str | os.PathLike | Mapping) or hasattr(type(data.source), "columns"))


def has_many_labels(source: Any, s: Any, labels: Any, predicted: Any) -> bool:
    """Whether a case may have several labels at once: columns of labels are named, or truth and scores are matrices.

    >>> has_many_labels(np.eye(2), np.eye(2), None, None), has_many_labels([1, 0], np.eye(2), None, None)
    (True, False)
    """
    if isinstance(source, Data):
        return has_many_labels(source.source, source.s, source.labels, source.predicted)
    given = s if s is not None else predicted
    each = list(given.values()) if isinstance(given, Mapping) else [given]
    matrices = bool(each) and all(map(_is_matrix, each)) and _is_matrix(source)
    return labels is not None or matrices


def _is_matrix(values: Any) -> bool:
    """Whether this has rows and columns, as an array, a frame or a list of lists."""
    shape = getattr(values, "shape", None)
    if shape is None and isinstance(values, list | tuple) and values and not isinstance(values[0], str):
        return hasattr(values[0], "__len__")
    return isinstance(shape, tuple) and len(shape) == 2 and shape[1] != 1


def has_queries(source: Any, query: Any) -> bool:
    """Whether documents were ranked for queries; of a database, a query chooses its rows instead."""
    if isinstance(source, Data):
        return has_queries(source.source, source.query)
    if query is None or not isinstance(source, str | os.PathLike):
        return query is not None
    from unconfuse.ingest._database_connection import is_address  # few ask

    return not is_address(os.fspath(source))


def is_path(data: Data) -> bool:
    """Whether the source is a path or an address that is read here; one that Spark is to read knows its session."""
    return isinstance(data.source, str | os.PathLike) and not hasattr(data.source, "session")


def is_several(data: Data) -> bool:
    """Whether columns of several classes were asked for."""
    return data.scores is not None or data.predicted is not None


def asks_of_predicted(data: Data) -> bool:
    """Whether predicted classes answer a yes-or-no question: one of them was said to be positive, or negative."""
    return (
        data.predicted is not None
        and data.scores is None
        and data.s is None
        and (data.positive is not None or data.negative is not None)
    )


def may_be_usual(data: Data) -> bool:
    """Whether predicted classes make a yes-or-no question if they are 0 and 1, -1 and 1 or booleans."""
    silent = data.classes is None and not check_flag(data.ordered, "ordered")
    return data.predicted is not None and data.scores is None and data.s is None and silent


def has_values(data: Data) -> bool:
    """Whether something was given as a value for each row, apart from the source."""
    by_values = data.by is not None and not isinstance(data.by, str) and not _are_names(data.by)
    apart = data.predicted is not None and not all(isinstance(own, str) for own in _each(data.predicted))
    site_values = data.site is not None and not isinstance(data.site, str)
    return by_values or site_values or apart or any(getattr(data, word) is not None for word in VALUES)


def has_names(given: Any) -> bool:
    """Whether a column is named, for the only model or for one of several."""
    return any(isinstance(own, str) for own in _each(given))


def _each(given: Any) -> list[Any]:
    return list(given.values()) if isinstance(given, Mapping) else [given]


def _are_names(by: Any) -> bool:
    return isinstance(by, list | tuple) and all(isinstance(each, str) for each in by)


def reject_options(data: Data, known: frozenset[str], what: str, hint: str = "") -> None:
    """Each word acts on this kind of source, or is refused; `what` says what kind it is."""
    given = data.words()
    _reject_names_and_values_mistaken(given)
    for word, value in given.items():
        if word not in known:
            raise refused(word, value, what, hint)
    check_choice(data.on_bad_row, "on_bad_row", ON_BAD_ROW.choices)
    for word in ("bins", "max_distinct"):
        if word in given:
            check_whole(given[word], word, at_least=1)
    if is_several(data):
        reject_with_multiclass(data)
    if data.sampling_weight is None and data.sampling_weights is None:
        for word in ("stratum", "strata"):
            if word in given:
                raise InputError(
                    f"`{word}` says within what rows were sampled, but no sampling weights were given. Hint: pass "
                    "`sampling_weight` as well; rows that were all sampled alike have the weight 1."
                )
    for one, other in ROLES:
        if one in given and other in given:
            raise InputError(f"`{one}` and `{other}` say the same in two ways. Hint: give one of them.")


def reject_with_multiclass(data: Data) -> None:
    """Refuse what only a yes-or-no question has."""
    for word in ("positive", "negative"):
        value = getattr(data, word)
        if value is not None and not asks_of_predicted(data):
            raise InputError(
                f"`{word}` is for a yes-or-no question, but there are several classes; got {short_repr(value)}. "
                f"Hint: leave it out; {surface_text('`of_class` evaluates', '--class NAME evaluates')} one class "
                "versus the rest."
            )
    if data.score is not None:
        raise InputError(
            f"{argument_name('score')} is the one score of a yes-or-no question, but there are several classes. "
            f"Hint: name the column of each class with {argument_name('scores')}, or leave out "
            f"{argument_name('predicted')}."
        )


def _reject_names_and_values_mistaken(given: Mapping[str, Any]) -> None:
    """Refuse values where a column is named, and a name where values are passed."""
    for name, word in ROLES:
        if isinstance(given.get(word), str):
            text = short_repr(given[word])
            raise InputError(f"`{word}` takes a value for each row; got {text}. Hint: `{name}={text}` names a column.")
    for name, hint in (*((name, f"`{word}=` takes a value for each row") for name, word in ROLES), *_BY_PLACE):
        if _holds_values(given.get(name)):
            raise InputError(f"`{name}` names a column; got its values. Hint: {hint}.")


_BY_PLACE = (("label", "evaluate(y, s) takes values"), ("score", "evaluate(y, s) takes values"))


def _holds_values(given: Any) -> bool:
    """Whether values came where the name of a column belongs."""
    return hasattr(given, "dtype") or (isinstance(given, list) and bool(given) and isinstance(given[0], int | float))


def refused(word: str, value: Any, what: str, hint: str = "") -> InputError:
    """Return the refusal of a word that means nothing for this kind of source."""
    why = _WHY.get(word, f"`{word}={short_repr(value)}` names a column")
    return InputError(f"{why}, but {what}. Hint: {_HINTS.get(word) or hint or f'leave `{word}` out'}.")


_WHY = {
    "table": "`table` chooses rows of a database",
    "query": "`query` chooses rows of a database, or ranks documents by query in `evaluate` and `compare`",
    "labels": "`labels` names several labels of a case, in `evaluate`, `compare` and `gate`",
    "delimiter": "`delimiter` separates the columns of a CSV file",
    "decimal": "`decimal` says how a CSV file writes numbers",
    "max_distinct": "`max_distinct` says when Spark makes bins",
    "on_bad_row": "`on_bad_row` leaves out rows",
    "positive": "`positive` names a label",
    "negative": "`negative` names labels",
    "classes": "`classes` names labels",
    "ordered": "`ordered` says that several classes have an order",
    "bins": "`bins` makes tables of blocks of scores",
    **{word: f"`{word}` holds a value for each row" for word in ("s", *VALUES)},
}
_HINTS = dict.fromkeys(("table", "query"), "leave it out, or give an address such as sqlite:///file.db")
