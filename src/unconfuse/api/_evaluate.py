"""`score_table`, `evaluate` and its kin: check, read, estimate, wrap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Unpack

import numpy as np

from unconfuse._deprecated import parameter_aliases
from unconfuse._errors import ArgumentError, InputError, argument_name, warn
from unconfuse._formatting import short_repr
from unconfuse._labels import LabelSpec, both_classes, yes_among
from unconfuse._parameters.cases import ROWS
from unconfuse._validate import (
    check_cases,
    check_choice,
    check_count,
    check_flag,
    check_rule,
    check_threshold,
    public_api,
)
from unconfuse.ingest import DataOptions
from unconfuse.ingest._read import check_judgeable, only_table, public_data_api, refuse, sample_of, warn_missing
from unconfuse.ingest.data import has_many_labels, has_queries
from unconfuse.metrics import Metric
from unconfuse.policy import DEFAULT_THRESHOLD
from unconfuse.results.confusion import check_confusion
from unconfuse.results.evaluate_sample import cut_by_policy, evaluate_sample
from unconfuse.results.evaluation import Evaluation
from unconfuse.table import AggregatedSample, Counts, Feature, Question, Sample, ScoreTable, Settings, parse_design


@public_data_api
def score_table(y: Any, s: Any = None, **data: Unpack[DataOptions]) -> ScoreTable:
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
    return only_table(y, s, data, Question.of("`score_table`", Feature.SAMPLING_WEIGHTS)).table()


@parameter_aliases(at="threshold_rule")
@public_data_api
def evaluate(
    y: Any,
    s: Any = None,
    *,
    threshold: Any = None,
    threshold_rule: str | None = None,
    metrics: Iterable[str | Metric] | None = None,
    design: str = "cohort",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: int = 0,
    reference: Any = None,
    looks: str | int | None = None,
    name: str = "",
    progress: Callable[[int, int], object] | None = None,
    **data: Unpack[DataOptions],
) -> Evaluation:
    """Evaluate one classifier: every metric with its interval, and findings in plain words.

    Several classes are recognised by a matrix of scores with a column for each (or `scores=`), or by `predicted`; many
    labels of one case by a matrix of labels beside a matrix of scores (or `labels=`); rankings by `query=`.

    Parameters
    ----------
    y : array_like, data frame, path, address of a database, ScoreTable or Data
        Labels, or a source of labels and scores; a mapping from subgroup to its score table will do too. A matrix of 0,
        1 and NaN (unknown) has a column for each of many labels.
    s : array_like
        Scores, higher for "more likely positive". A case is called positive iff its score is at least `threshold`.
    threshold : float
        0.5 by default, if the scores are probabilities. Other scores have no default: without a threshold only their
        ranking is judged. Several classes have none: the highest score decides. Many labels may have one each, by name.
    threshold_rule : str, optional
        A rule that chooses the threshold instead, such as "youden" or "recall_at_precision(0.8)". Metrics of decisions
        are then about this threshold on new cases: corrected by a bootstrap in which the rule chooses anew (for
        subgroups, folds and sampling weights by thresholds chosen without the cases that they label).
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
    looks : "any", "exact" or int, optional
        The data grow and are looked at more than once: intervals then hold at all looks together. "any": at any number
        of looks, tightest near 500 cases, or near as many as "any:2000" says beforehand; "exact": the same for
        proportions alone, exactly; a number: so many planned looks at equal steps, each as wide ("3/10:pocock" and
        "3/10:obrien-fleming": the third of ten, by alpha spending). Each look takes all cases so far.
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
        answer later questions. Of many labels a `LabelEvaluation` with `.of_label(...)`, of queries a
        `QueryEvaluation` with `.per_query(...)`.

    Examples
    --------
    >>> import unconfuse as uc
    >>> ev = uc.evaluate([1, 1, 1, 0, 0, 0, 0, 1], [.9, .8, .3, .6, .2, .1, .3, .7], metrics=["sensitivity", "npv"])
    >>> print(ev["sensitivity"])
    sensitivity 0.750 [0.242, 0.987] 95% mid-p, threshold 0.5 (default), 4 positives of 8
    >>> several = uc.evaluate(["a", "b", "c", "a"], [[.7, .2, .1], [.2, .6, .2], [.1, .5, .4], [.6, .3, .1]])
    >>> several["accuracy"].value, several.one_vs_rest("a")["auroc"].value
    (0.75, 1.0)
    """
    fixed_classes = parse_design(design)
    check_rule(threshold_rule)
    settings = Settings.validated(confidence_level, n_resamples, rng, progress, looks)
    if settings.looks is not None and threshold_rule is not None:
        raise ArgumentError(
            f"{argument_name('looks')} and {argument_name('threshold_rule')} cannot be combined: a threshold that is "
            "chosen anew "
            f"at each look is another one each time. Hint: give {argument_name('threshold')}."
        )
    many, queries = has_many_labels(y, s, data.get("labels"), data.get("predicted")), has_queries(y, data.get("query"))
    if many or queries:
        from unconfuse.api import _multi_output  # most data are of one question

        request = _multi_output.MultiOutputRequest(
            settings, metrics, threshold, threshold_rule, name, reference, fixed_classes
        )
        found: Any = (_multi_output.evaluate_labels if many else _multi_output.evaluate_queries)(
            _multi_output.described(y, s, data), request
        )
        return found  # type: ignore[no-any-return]
    cut = None if threshold is None else check_threshold(threshold)
    sample = sample_of(
        y,
        s,
        data,
        rows=threshold_rule is not None,
        edges=[DEFAULT_THRESHOLD if cut is None else cut],
        progress=progress,
        sites=True,
    )
    sample = sample.with_design(fixed_classes)
    check_judgeable(sample)
    if reference is not None and not sample.by:
        hint = f"Hint: give {argument_name('by')} as well."
        raise ArgumentError(f"{argument_name('reference')} names a subgroup, but there are none. {hint}")
    return evaluate_sample(
        _cut(sample, cut, threshold_rule, settings),
        metrics,
        settings,
        name=name or _name_of(sample),
        reference=reference,
    )


def _cut(sample: Sample, threshold: float | None, at: str | None, settings: Settings) -> Sample:
    """Scores of two classes cut where the user said, or where a rule says; what cannot be cut is refused."""
    if sample.is_multiclass:
        refuse(sample, threshold=threshold, threshold_rule=at)
        return sample
    if not sample.has_scores:
        given = argument_name("threshold" if at is None else "threshold_rule")
        if threshold is not None or at is not None:
            raise ArgumentError(f"{given} cuts scores, and there are predicted labels only.")
        return sample
    if at is None:
        return cut_by_policy(sample, threshold)
    if threshold is not None:
        raise ArgumentError(
            f"{argument_name('threshold')} and {argument_name('threshold_rule')} cannot be combined. "
            "Hint: pass either of them."
        )
    from unconfuse.thresholds.measured_choice import cut_by_rule

    return cut_by_rule(sample if sample.in_memory is None else sample.in_memory.ordered, at, settings)


@public_api
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
    """Evaluate a classifier from its four counts.

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
    fixed_classes, settings = parse_design(design), Settings.validated(confidence_level, 2000, 0)
    cells = {key: check_count(cell, key) for key, cell in (("tp", tp), ("fp", fp), ("fn", fn), ("tn", tn))}
    counts = Counts(**cells)
    if counts.shape:
        raise InputError("`evaluate_counts` takes one 2x2 table. Hint: METRICS['mcc'](Counts(...)) takes arrays.")
    with np.errstate(over="ignore"):
        if not counts.total > 0:
            raise ArgumentError("all four counts are 0. Hint: name how many cases were labelled rightly and wrongly.")
        check_cases(float(counts.total), "the counts")
    return evaluate_sample(AggregatedSample.of_counts(counts).with_design(fixed_classes), metrics, settings, name=name)


@public_api
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
    """Evaluate a classifier of several classes from its K x K matrix of counts; rows are the truth.

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
    fixed_classes, settings = parse_design(design), Settings.validated(confidence_level, n_resamples, rng)
    confusion = check_confusion(matrix, classes)
    truth_first = confusion.counts if check_choice(rows, "rows", ROWS.choices) == "truth" else confusion.counts.T
    sample = AggregatedSample(classes=confusion.classes, is_multiclass=True, matrices={"score": truth_first.copy()})
    sample = sample.derive(ordinal=check_flag(ordered, "ordered"), fixed_classes=fixed_classes)
    warn_missing(sample)
    if positive is None and negative is None and not ordered and metrics is None:
        positive = _yes_among(sample.classes) if classes is not None or hasattr(matrix, "columns") else None
        if positive is None and len(sample.classes) == 2:
            first, second = (argument_name("positive", class_name) for class_name in sample.classes)
            warn(
                "neither of two classes is known to be positive, so sensitivity and specificity are left out. "
                f"Hint: pass {second} or {first}."
            )
    if positive is None and negative is None:
        return evaluate_sample(sample, metrics, settings, name=name)
    counted = dict(zip(sample.classes, sample.sizes.tolist(), strict=True))
    both = both_classes(list(sample.classes), LabelSpec(positive, negative), lambda: counted)
    aggregated_sample = sample.one_vs_rest(sample.class_index(both.positive))
    return evaluate_sample(aggregated_sample.derive(classes=both.classes), metrics, settings, name=name)


def _yes_among(classes: Sequence[str]) -> str | None:
    """Return the class that means yes, if two classes are an answer to a yes-or-no question; it is named."""
    yes = yes_among(classes)
    if yes is not None:
        warn(
            f"class {short_repr(yes)} is taken as positive. Hint: pass {argument_name('positive')} to choose the other."
        )
    return yes


def _name_of(sample: Sample) -> str:
    return "" if sample.only_model == "score" else sample.only_model
