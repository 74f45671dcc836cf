"""`score_table`, `evaluate` and its kin: check, read, estimate, wrap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Unpack

import numpy as np

from unconfuse._errors import ArgumentError, InputError, argument
from unconfuse._labels import Stated, both_classes
from unconfuse._validate import (
    check_cases,
    check_choice,
    check_count,
    check_flag,
    check_not_empty,
    check_number,
    in_words,
)
from unconfuse.ingest import DataWords
from unconfuse.ingest.door import check_judgeable, mention_missing, only_table, refuse, sample_of, takes_data
from unconfuse.metrics import Metric
from unconfuse.results.confusion import check_confusion
from unconfuse.results.evaluation import Evaluation
from unconfuse.results.judged import USUAL, cut_by_policy, judged
from unconfuse.table import Counts, Design, DistantSample, NearSample, Sample, ScoreTable


@takes_data
def score_table(y: Any, s: Any = None, **data: Unpack[DataWords]) -> ScoreTable:
    """Collapse rows of labels and scores into one row per distinct score.

    Parameters
    ----------
    y : array_like, data frame, path, address of a database or Data
        Labels, or a source of labels and scores.
    s : array_like
        Scores, higher for "more likely positive".
    **data
        What the columns mean, which rows to read: the words of `Data`.

    Examples
    --------
    >>> import unconfuse as uc
    >>> uc.score_table([1, 0, 1, 0], [.9, .4, .4, .1])
    ScoreTable(3 distinct scores, 2 positives of 4)
    """
    return only_table(y, s, data, "one score table", sampled=True).table()


@takes_data
def evaluate(
    y: Any,
    s: Any = None,
    *,
    threshold: float | None = None,
    at: str | None = None,
    metrics: Iterable[str | Metric] | None = None,
    design: str = "cohort",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: int = 0,
    reference: Any = None,
    name: str = "",
    progress: Callable[[int, int], object] | None = None,
    **data: Unpack[DataWords],
) -> Evaluation:
    """Judge one classifier: every metric with its interval, and findings in plain words.

    Several classes are recognised by a matrix of scores with a column for each (or `scores=`), or by `predicted`.

    Parameters
    ----------
    y : array_like, data frame, path, address of a database, ScoreTable or Data
        Labels, or a source of labels and scores; a mapping from subgroup to its score table will do too.
    s : array_like
        Scores, higher for "more likely positive". A case is called positive iff its score is at least `threshold`.
    threshold : float
        0.5 by default, if the scores are probabilities. Other scores have no default: without a threshold only their
        ranking is judged. Several classes have none: the highest score decides.
    at : str, optional
        A rule that chooses the threshold instead, such as "youden": the cases of each fold are cut where the others
        say, so that no case has a part in the choice that it is judged by.
    metrics : names or Metric objects, optional
        All declared metrics by default; those of probabilities only if the scores lie in [0, 1], those of decisions
        only if there is a threshold.
    design : {"cohort", "case-control"}
        Whether the share of positives came about by itself, or was chosen by the study.
    confidence_level : float
    n_resamples, rng : int
        Size and seed of the bootstrap, where one is needed.
    reference : optional
        The subgroup (of `by=`) that others are compared with, the largest by default; "rest": each with everyone else.
    name : str
        What to call the classifier.
    progress : callable, optional
        Called with (done, total) resamples.
    **data
        What the columns mean, which rows to read, what divides the cases: the words of `Data`.

    Returns
    -------
    Evaluation
        A mapping from metric to `Estimate`; `.subgroups`, `.of_class(...)`, `.curve(...)`, `.card` and `.findings`
        answer later questions.

    Examples
    --------
    >>> import unconfuse as uc
    >>> ev = uc.evaluate([1, 1, 1, 0, 0, 0, 0, 1], [.9, .8, .3, .6, .2, .1, .3, .7], metrics=["sensitivity", "npv"])
    >>> print(ev["sensitivity"])
    sensitivity 0.750 [0.242, 0.987] 95% mid-p, threshold 0.500 (default), 4 positives of 8
    >>> several = uc.evaluate(["a", "b", "c", "a"], [[.7, .2, .1], [.2, .6, .2], [.1, .5, .4], [.6, .3, .1]])
    >>> several["accuracy"].value, several.of_class("a")["auroc"].value
    (0.75, 1.0)
    """
    settings = Design.checked(design, confidence_level, n_resamples, rng, progress)
    cut = None if threshold is None else check_number(threshold, "threshold")
    sample = sample_of(y, s, data, rows=at is not None, edges=[USUAL if cut is None else cut], progress=progress)
    check_judgeable(sample)
    if reference is not None and not sample.by:
        hint = f"Hint: give {argument('by')} as well."
        raise ArgumentError(f"{argument('reference')} names a subgroup, but there are none. {hint}")
    return judged(
        _cut(sample, cut, at, settings.seed), metrics, settings, name=name or _name_of(sample), reference=reference
    )


def _cut(sample: Sample, threshold: float | None, at: str | None, seed: int) -> Sample:
    """Scores of two classes cut where the user said, or where a rule says; what cannot be cut is refused."""
    if sample.several:
        refuse(sample, threshold=threshold, at=at)
        return sample
    if not sample.has_scores:
        given = argument("threshold" if at is None else "at")
        if threshold is not None or at is not None:
            raise ArgumentError(f"{given} cuts scores, and there are predicted labels only.")
        return sample
    if at is None:
        return cut_by_policy(sample, threshold)
    if threshold is not None:
        raise ArgumentError(f"{argument('threshold')} and {argument('at')} both say where to cut. Hint: give one.")
    from unconfuse.thresholds.crossfit import decided_by_rule

    return decided_by_rule(sample.ordered if isinstance(sample, NearSample) else sample, at, seed)


@in_words
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
        True positives, false positives, false negatives and true negatives: cases, or sums of weights that say how
        many cases each row stands for, which need not be whole.
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
    settings = Design.checked(design, confidence_level, 2000, 0)
    cells = {key: check_count(cell, key) for key, cell in (("tp", tp), ("fp", fp), ("fn", fn), ("tn", tn))}
    counts = Counts(**cells)
    if counts.shape:
        raise InputError("`evaluate_counts` takes one 2x2 table. Hint: METRICS['mcc'](Counts(...)) takes arrays.")
    with np.errstate(over="ignore"):
        check_not_empty(int(counts.total > 0))
        check_cases(float(counts.total), "the counts")
    return judged(DistantSample.of_counts(counts), metrics, settings, name=name)


@in_words
def evaluate_confusion(
    matrix: Any,
    classes: Sequence[object] | None = None,
    *,
    rows: str = "truth",
    ordered: bool = False,
    positive: object = None,
    negative: object = None,
    metrics: Iterable[str | Metric] | None = None,
    design: str = "cohort",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: int = 0,
    name: str = "",
) -> Evaluation:
    """Judge a classifier of several classes from its K x K matrix of counts; rows are the truth.

    Parameters
    ----------
    matrix : array_like or data frame of shape (K, K)
        Whole counts; the row is the true class, the column the predicted one, unless `rows` says otherwise.
    classes : sequence, optional
        Names of the classes; a frame's column names, or 0, 1, ... by default.
    rows : {"truth", "labels"}
        What the rows of the matrix are. Texts differ: some print the predicted labels as rows and the truth as columns.
    ordered : bool
        The classes have an order, that of `classes`: weighted kappas are shown then.
    positive, negative : optional
        The positive class makes a yes-or-no question of two classes; of more, if the negative ones are named too, or
        are the "rest".
    metrics, design, confidence_level, n_resamples, rng, name
        As in `evaluate`.

    Examples
    --------
    >>> import unconfuse as uc
    >>> ev = uc.evaluate_confusion([[50, 3, 2], [10, 30, 5], [0, 4, 16]])
    >>> print(ev["mcc"])
    mcc 0.683 [0.546, 0.783] 95% bias-corrected bootstrap on the logit scale, 3 classes, 120 cases
    >>> print(uc.evaluate_confusion([[50, 5], [10, 35]], classes=["dog", "cat"], positive="cat")["precision"])
    precision 0.875 [0.744, 0.953] 95% mid-p, 45 positives of 100
    """
    settings = Design.checked(design, confidence_level, n_resamples, rng)
    confusion = check_confusion(matrix, classes)
    truth_first = confusion.counts if check_choice(rows, "rows", ("truth", "labels")) == "truth" else confusion.counts.T
    sample = DistantSample(classes=confusion.classes, several=True, matrices={"score": truth_first.copy()})
    sample = sample.derive(ordinal=check_flag(ordered, "ordered"))
    mention_missing(sample)
    if positive is None and negative is None:
        return judged(sample, metrics, settings, name=name)
    counted = dict(zip(sample.classes, sample.sizes.tolist(), strict=True))
    both = both_classes(list(sample.classes), Stated(positive, negative), lambda: counted)
    asked = sample.against_rest(sample.position(both.positive))
    return judged(asked.derive(classes=both.classes), metrics, settings, name=name)


def _name_of(sample: Sample) -> str:
    return "" if sample.only_model == "score" else sample.only_model
