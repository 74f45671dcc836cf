"""`score_table`, `evaluate`, `evaluate_counts`: check what was given, call the rooms that know, wrap the answer."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import numpy as np

from unconfuse import ingest
from unconfuse._errors import ArgumentError, InputError, UnconfuseWarning
from unconfuse._validate import (
    NOTHING_SKIPPED,
    check_both_classes,
    check_choice,
    check_count,
    check_not_empty,
    check_number,
    check_probability,
    check_whole,
    mention_fractions,
    mention_skipped,
)
from unconfuse.api._estimates import How, estimates_of, is_clustered
from unconfuse.api.classes import evaluate_classes
from unconfuse.api.subgroups import by_subgroup, divided, is_tables, turn
from unconfuse.findings import findings_of
from unconfuse.ingest import Tables
from unconfuse.ingest.classes import gather_classes, has_classes
from unconfuse.metrics import Metric, find_metrics
from unconfuse.multiclass import ClassHow
from unconfuse.results import Evaluation
from unconfuse.table import Counts, Scores, ScoreTable
from unconfuse.uncertainty import estimate_all
from unconfuse.uncertainty.binned import bounded_all

DESIGNS = ("cohort", "case-control")


def score_table(
    y: Any,
    s: Any = None,
    *,
    weights: Any = None,
    positive: object = None,
    label: str | None = None,
    score: str | None = None,
    weight: str | None = None,
    table: str | None = None,
    query: str | None = None,
    on_bad_row: str = "error",
    bins: int | None = None,
    max_distinct: int | None = None,
) -> ScoreTable:
    """Collapse rows of labels and scores into one row per distinct score.

    Parameters
    ----------
    y : array_like, data frame, path or address of a database
        Labels; or a frame (pandas, polars, pyarrow, DuckDB, Dask, Ibis, ..., eager or lazy), the path of a CSV, Parquet
        or JSON file (or a folder, or a pattern that matches several), or the address of a database
        ("sqlite:///file.db", "postgresql://user@host/name"), with the columns `label` and `score`.
    s : array_like
        Scores, higher for "more likely positive".
    weights : array_like, optional
        How many cases each row stands for.
    positive : optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    label, score, weight : str, optional
        Column names, when a frame, a file or a database is given.
    table, query : str, optional
        Which rows of a database: all of a table, or what a SELECT gives.
    on_bad_row : {"error", "skip"}
        Rows without a label or a usable score or weight are an error, or are left out with a warning that counts them.
    bins : int, optional
        Make a table of about so many bins of scores instead of an exact one; its numbers come with a certified bound.
    max_distinct : int, optional
        A Spark frame with more distinct scores than this (20 million by default) is binned anyway (docs/spark.md).

    Examples
    --------
    >>> import unconfuse as uc
    >>> uc.score_table([1, 0, 1, 0], [.9, .4, .4, .1])
    ScoreTable(3 distinct scores, 2 positives of 4)
    """
    found = ingest.gather(
        y,
        s,
        weights=weights,
        positive=positive,
        label=label,
        score=score,
        weight=weight,
        table=table,
        query=query,
        on_bad_row=on_bad_row,
        rows=False,
        bins=bins,
        max_distinct=max_distinct,
    )
    mention_skipped(found.skipped)
    return _binned(found.table(), bins)


def evaluate(
    y: Any,
    s: Any = None,
    *,
    threshold: float = 0.5,
    metrics: Iterable[str | Metric] | None = None,
    design: str = "cohort",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: int = 0,
    weights: Any = None,
    groups: Any = None,
    by: Any = None,
    reference: Any = None,
    positive: object = None,
    label: str | None = None,
    score: str | None = None,
    weight: str | None = None,
    group: str | None = None,
    table: str | None = None,
    query: str | None = None,
    on_bad_row: str = "error",
    bins: int | None = None,
    max_distinct: int | None = None,
    predicted: Any = None,
    scores: Any = None,
    classes: Sequence[object] | None = None,
    name: str = "",
    progress: Callable[[int, int], object] | None = None,
) -> Evaluation:
    """Judge one classifier: every metric with its interval, and findings in plain words.

    Several classes are recognised by a matrix of scores with a column for each, or by `predicted`; the answer is then
    a `ClassEvaluation`.

    Parameters
    ----------
    y : array_like, data frame, path, address of a database or ScoreTable
        Labels; or a source of the columns `label` and `score`, as in `score_table`; or a table made by it.
    s : array_like
        Scores, higher for "more likely positive". A case is called positive iff its score is at least `threshold`.
    threshold : float
    metrics : names or Metric objects, optional
        All declared metrics by default; those of probabilities only if the scores lie in [0, 1].
    design : {"cohort", "case-control"}
        Whether the share of positives came about by itself, or was chosen by the study.
    confidence_level : float
    n_resamples, rng : int
        Size and seed of the bootstrap, where one is needed.
    weights, positive, label, score, weight, table, query, on_bad_row
        As in `score_table`; what was left out is in `skipped` of the result.
    by : str, list of str, array_like or mapping of name to array_like, optional
        What divides the cases into subgroups: columns of the frame or the file (several are crossed), or a value for
        each row. Instead, `y` may be a mapping from subgroup to its score table.
    reference : optional
        The subgroup that others are compared with (the largest by default), or "rest": each with everyone else.
    groups : array_like, optional (or `group`, the name of a column)
        Cases that belong together (one patient, one clinic): they are resampled as a whole.
    bins, max_distinct : int, optional
        As in `score_table`; the 2x2 table at the threshold stays exact.
    predicted : array_like, optional (or the name of a column)
        Predicted labels of several classes.
    scores : pattern, names or mapping of class to name, optional
        Score columns of several classes in a frame, such as "p_*" (the class is what the star stands for).
    classes : sequence, optional
        The classes in the order of the columns of `s`; the sorted labels by default.
    name : str
        What to call the classifier.
    progress : callable, optional
        Called with (done, total) resamples.

    Returns
    -------
    Evaluation
        A mapping from metric to `Estimate`. With `by`, a `Subgroups`: a mapping from subgroup to `Evaluation`.

    Examples
    --------
    >>> import unconfuse as uc
    >>> ev = uc.evaluate([1, 1, 1, 0, 0, 0, 0, 1], [.9, .8, .3, .6, .2, .1, .3, .7], metrics=["sensitivity", "npv"])
    >>> print(ev["sensitivity"])
    sensitivity 0.750 [0.242, 0.987] 95% mid-p, threshold 0.500, 4 positives of 8
    >>> several = uc.evaluate(["a", "b", "c", "a"], [[.7, .2, .1], [.2, .6, .2], [.1, .5, .4], [.6, .3, .1]])
    >>> several["accuracy"].value, several.of_class("a")["auroc"].value
    (0.75, 1.0)
    """
    how = How(
        design=check_choice(design, "design", DESIGNS),
        confidence_level=check_probability(confidence_level, "confidence_level", open_interval=True),
        n_resamples=check_whole(n_resamples, "n_resamples", at_least=100),
        seed=check_whole(rng, "rng", at_least=0),
        threshold=check_number(threshold, "threshold"),
        progress=progress,
    )
    if predicted is not None or scores is not None or has_classes(y, s):
        rows = gather_classes(
            y,
            s,
            predicted=predicted,
            classes=classes,
            label=label,
            columns=scores,
            weight=weight,
            group=group,
            weights=weights,
            groups=groups,
        )
        settings = ClassHow(how.design, how.confidence_level, how.n_resamples, how.seed, progress)
        # Typed as the usual answer: what is returned follows from the data, not from the types of the arguments.
        return cast("Evaluation", evaluate_classes(rows, metrics, settings, name))  # type: ignore[arg-type]
    data = (
        y
        if isinstance(y, ScoreTable) or is_tables(y)
        else ingest.gather(
            y,
            s,
            weights=weights,
            groups=groups,
            positive=positive,
            label=label,
            score=score,
            weight=weight,
            group=group,
            table=table,
            query=query,
            on_bad_row=on_bad_row,
            rows=False,
            by=by,
            bins=bins,
            edges=[how.threshold],
            max_distinct=max_distinct,
        )
    )
    _mention(data)
    division = divided(data, by, reference)
    data = data if division is None else division.everyone
    collapsed = _binned(_checked_table(data, how.threshold), bins, how.threshold)
    wanted = _wanted(metrics, collapsed)
    overall = _judged(data, collapsed, wanted, name or _name_of(data), turn(how, 0, division))
    if division is None:
        return overall
    # Typed as the usual answer: what is returned follows from the data, not from the types of the arguments.
    return cast("Evaluation", by_subgroup(division, overall, reference, how, _judged))


def _judged(
    data: Scores | Tables | ScoreTable, table: ScoreTable, wanted: tuple[Metric, ...], name: str, how: How
) -> Evaluation:
    middles = table.at_middles()
    counts = middles.counts_at(how.threshold)
    estimates = estimates_of(wanted, data if table.is_exact else middles, middles, counts, how)
    if not table.is_exact:
        estimates = bounded_all(estimates, wanted, table, how.threshold)
    result = Evaluation(
        estimates,
        counts,
        threshold=how.threshold,
        table=table,
        design=_design_of(data, how.design),
        confidence_level=how.confidence_level,
        n_resamples=how.n_resamples,
        seed=how.seed,
        metrics=wanted,
        name=name,
        skipped=NOTHING_SKIPPED if isinstance(data, ScoreTable) else data.skipped,
    )
    return _with_findings(result)


def evaluate_counts(
    *,
    tp: float,
    fp: float,
    fn: float,
    tn: float,
    metrics: Iterable[str | Metric] | None = None,
    design: str = "cohort",
    confidence_level: float = 0.95,
    name: str = "",
) -> Evaluation:
    """Judge a classifier from its four counts.

    Parameters
    ----------
    tp, fp, fn, tn : float
        True positives, false positives, false negatives and true negatives.
    metrics, design, confidence_level, name
        As in `evaluate`.

    Examples
    --------
    >>> import unconfuse as uc
    >>> test = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31)
    >>> print(test["specificity"])
    specificity 1.000 [0.908, 1.000] 95% mid-p, 208 positives of 239
    >>> print(test["lr_positive"].value)
    inf
    """
    check_choice(design, "design", DESIGNS)
    check_probability(confidence_level, "confidence_level", open_interval=True)
    cells = {key: check_count(cell, key) for key, cell in (("tp", tp), ("fp", fp), ("fn", fn), ("tn", tn))}
    counts = Counts(**cells)
    if counts.shape:
        raise InputError("`evaluate_counts` takes one 2x2 table. Hint: METRICS['mcc'](Counts(...)) takes arrays.")
    check_not_empty(int(np.ceil(counts.total)))

    wanted = _of_counts(metrics)
    estimates = estimate_all(wanted, counts, confidence_level=confidence_level, design=design)
    return _with_findings(
        Evaluation(estimates, counts, design=design, confidence_level=confidence_level, name=name, metrics=wanted)
    )


def _mention(data: Any) -> None:
    """Say what the reader of the numbers should know of the data."""
    if not isinstance(data, Scores | Tables):
        return
    mention_skipped(data.skipped, stacklevel=4)
    if isinstance(data, Tables):
        mention_fractions(np.array([0.5]) if data.has_fractions else None)
    else:
        mention_fractions(data.weights)


def _checked_table(data: Scores | Tables | ScoreTable, threshold: float) -> ScoreTable:
    """A table with both classes, and a threshold that its scores can be cut at."""
    table = data if isinstance(data, ScoreTable) else _only_model(data).table()
    check_not_empty(len(table))
    check_both_classes(table.n_positives, table.n_negatives, getattr(data, "positive_label", 1))
    if len(table) == 1 and table.is_exact:
        warnings.warn(f"all scores are {table.score[0]:g}: nothing is ranked above anything.", UnconfuseWarning, 3)
    if _are_probabilities(table):  # and no probability can be cut at 50
        check_probability(threshold, "threshold")
    return table


def _binned(table: ScoreTable, bins: int | None, *edges: float) -> ScoreTable:
    """In bins if that was asked for; a cluster has made them already."""
    return table if bins is None or not table.is_exact else table.coarsen(bins, edges=edges)


def _only_model(rows: Scores | Tables) -> Scores | Tables:
    if len(rows.models) > 1:
        raise ArgumentError(
            f"`evaluate` judges one model; got scores of {', '.join(rows.models)}. Hint: name one, or use `compare`."
        )
    return rows


def _are_probabilities(table: ScoreTable) -> bool:
    return bool(table.tops[0] <= 1 and table.score[-1] >= 0)


def _wanted(metrics: Iterable[str | Metric] | None, table: ScoreTable) -> tuple[Metric, ...]:
    found = find_metrics(metrics)
    if metrics is not None or _are_probabilities(table):
        return found
    return tuple(each for each in found if each.of != "probabilities")


def _design_of(data: Scores | Tables | ScoreTable, design: str) -> str:
    return "clustered" if is_clustered(data) else design


def _name_of(data: Scores | Tables | ScoreTable) -> str:
    name = "" if isinstance(data, ScoreTable) else data.models[0]
    return "" if name == "score" else name


def _with_findings(evaluation: Evaluation) -> Evaluation:
    return evaluation.replaced(findings=findings_of(evaluation))


def _of_counts(metrics: Iterable[str | Metric] | None) -> tuple[Metric, ...]:
    found = find_metrics(metrics)
    others = [each.name for each in found if each.of != "counts"]
    if metrics is not None and others:
        raise ArgumentError(f"{others[0]} needs the scores, not only four counts. Hint: use `evaluate`.")
    return tuple(each for each in found if each.of == "counts")
