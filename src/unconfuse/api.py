"""The verbs: check what was given, call the room that knows, wrap the answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from unconfuse import ingest, uncertainty
from unconfuse._errors import InputError
from unconfuse._validate import (
    check_both_classes,
    check_choice,
    check_count,
    check_not_empty,
    check_number,
    check_probability,
)
from unconfuse.bayes import bayes, posterior, prevalence_of, shift_counts_estimates, usefulness
from unconfuse.findings import findings_at_prevalence, findings_of
from unconfuse.metrics import Metric, find_metrics
from unconfuse.results import Estimate, Evaluation
from unconfuse.table import Counts, ScoreTable

__all__ = ["bayes", "evaluate", "evaluate_counts", "posterior", "score_table", "shift_prevalence", "usefulness"]
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
) -> ScoreTable:
    """Collapse rows of labels and scores into one row per distinct score.

    Parameters
    ----------
    y : array_like or data frame
        Labels; or a frame (pandas, polars, pyarrow, ...) with the columns `label` and `score`.
    s : array_like
        Scores, higher for "more likely positive".
    weights : array_like, optional
        How many cases each row stands for.
    positive : optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    label, score, weight : str, optional
        Column names, when a frame is given.

    Examples
    --------
    >>> import unconfuse as uc
    >>> uc.score_table([1, 0, 1, 0], [.9, .4, .4, .1])
    ScoreTable(3 distinct scores, 2 positives of 4)
    """
    return ingest.gather(
        y, s, weights=weights, positive=positive, label=label, score=score, weight=weight
    ).table()


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
    positive: object = None,
    label: str | None = None,
    score: str | None = None,
    weight: str | None = None,
    name: str = "",
) -> Evaluation:
    """Judge one classifier: every metric with its interval, and findings in plain words.

    Parameters
    ----------
    y : array_like, data frame or ScoreTable
        Labels; or a frame with the columns `label` and `score`; or a table made by `score_table`.
    s : array_like
        Scores, higher for "more likely positive". A case is called positive iff its score is at least `threshold`.
    threshold : float
    metrics : names or Metric objects, optional
        All declared metrics by default.
    design : {"cohort", "case-control"}
        Whether the share of positives came about by itself, or was chosen by the study.
    confidence_level : float
    n_resamples, rng : int
        Size and seed of the bootstrap, where one is needed.
    weights, positive, label, score, weight
        As in `score_table`.
    name : str
        What to call the classifier.

    Examples
    --------
    >>> import unconfuse as uc
    >>> ev = uc.evaluate([1, 1, 1, 0, 0, 0, 0, 1], [.9, .8, .3, .6, .2, .1, .3, .7], metrics=["sensitivity", "npv"])
    >>> print(ev["sensitivity"])
    sensitivity 0.750 [0.301, 0.954] 95% Wilson, threshold 0.500, 4 positives of 8
    """
    check_choice(design, "design", DESIGNS)
    check_probability(confidence_level, "confidence_level", open_interval=True)
    at = check_number(threshold, "threshold")
    wanted = find_metrics(metrics)
    table = _table_of(y, s, weights, positive, label, score, weight)
    _check_threshold(at, table)

    counts = table.counts_at(at)
    estimates = uncertainty.estimate_all(wanted, counts, confidence_level=confidence_level, design=design, threshold=at)
    return _with_findings(
        Evaluation(
            estimates, counts, threshold=at, table=table, design=design, confidence_level=confidence_level,
            n_resamples=n_resamples, seed=rng, name=name, metrics=wanted,
        )
    )


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
    specificity 1.000 [0.890, 1.000] 95% Wilson, 208 positives of 239
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

    wanted = tuple(each for each in find_metrics(metrics) if metrics is not None or each.of == "counts")
    estimates = uncertainty.estimate_all(wanted, counts, confidence_level=confidence_level, design=design)
    return _with_findings(
        Evaluation(
            estimates, counts, design=design, confidence_level=confidence_level, name=name, metrics=wanted
        )
    )


def shift_prevalence(
    evaluation: Evaluation, *, prevalence: float | tuple[int, int] | Estimate, confidence_level: float | None = None
) -> Evaluation:
    """The same classifier where positives are rarer or more common.

    Sensitivity and specificity stay as they are; what depends on prevalence is computed anew, with an interval that
    carries the uncertainty of sensitivity and specificity and, if the prevalence is an estimate, of the prevalence.

    Parameters
    ----------
    evaluation : Evaluation
    prevalence : float, (positives, cases) or Estimate
        A known prevalence, or the counts or the estimate it comes from.
    confidence_level : float, optional
        That of the evaluation by default.

    Examples
    --------
    >>> import unconfuse as uc
    >>> test = uc.evaluate_counts(tp=90, fp=5, fn=10, tn=95)
    >>> print(uc.shift_prevalence(test, prevalence=.02)["precision"].value)  # doctest: +ELLIPSIS
    0.268...
    """
    level = evaluation.confidence_level if confidence_level is None else confidence_level
    share = prevalence_of(prevalence)
    estimates = shift_counts_estimates(evaluation.counts, evaluation.metrics, share, confidence_level=level)
    return evaluation.replaced(
        estimates=estimates,
        counts=evaluation.counts.at_prevalence(share.value).times(evaluation.n),
        confidence_level=level,
        findings=findings_at_prevalence(evaluation.counts, share.value),
    )


def _table_of(
    y: Any, s: Any, weights: Any, positive: object, label: str | None, score: str | None, weight: str | None
) -> ScoreTable:
    if isinstance(y, ScoreTable):
        table, positive_label = y, positive
    else:
        rows = ingest.gather(y, s, weights=weights, positive=positive, label=label, score=score, weight=weight)
        table, positive_label = rows.table(), rows.positive_label
    check_not_empty(len(table))
    check_both_classes(table.n_positives, table.n_negatives, positive_label)
    return table


def _check_threshold(threshold: float, table: ScoreTable) -> None:
    """Scores that are all in [0, 1] are probabilities, and no probability can be cut at 50."""
    if table.score[0] <= 1 and table.score[-1] >= 0:
        check_probability(threshold, "threshold")


def _with_findings(evaluation: Evaluation) -> Evaluation:
    return evaluation.replaced(findings=findings_of(evaluation))
