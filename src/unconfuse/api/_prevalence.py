"""`shift_prevalence`: the same classifier among other cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import isclose, nan
from typing import Any

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_probability, public_api
from unconfuse.api._multiclass_prevalence import check_mix, shift_classes
from unconfuse.bayesian import PrevalenceEstimate, prevalence_of, shift_counts_estimates
from unconfuse.bayesian.prevalence_shift import PREDICTIVE, ShiftedCounts, with_prevalence_error
from unconfuse.bayesian.ratios import NO_GROUPS
from unconfuse.metrics import Metric
from unconfuse.metrics.requirements import by_cut
from unconfuse.results.decision_findings import findings_at_prevalence
from unconfuse.results.evaluation import Evaluation
from unconfuse.results.findings import counts_are_open
from unconfuse.table import (
    AggregatedSample,
    Array,
    ConfusionCells,
    Feature,
    Question,
    Sample,
    SamplingKind,
    ScoreTable,
    Settings,
)
from unconfuse.uncertainty import Estimate, estimate, estimate_scores
from unconfuse.uncertainty.binned import bounded_all

_SHIFT = Question.of(
    "`shift_prevalence`",
    Feature.CLUSTERS,
    Feature.SAMPLING_WEIGHTS,
    Feature.STRATA,
    hints={
        Feature.FOLDS: "shift_prevalence(ev.pooled, ...), or one of ev.folds",
        Feature.DOUBLE_SAMPLING: "`bayes` takes rates to another prevalence",
    },
)


@public_api
def shift_prevalence(
    evaluation: Evaluation,
    *,
    prevalence: float | tuple[int, int] | Estimate | Mapping[Any, float],
    confidence_level: float | None = None,
) -> Evaluation:
    """Evaluate the same classifier where positives are rarer or more common.

    Sensitivity and specificity stay as they are; what depends on prevalence is computed anew, with an interval that
    carries the uncertainty of both classes and, if the prevalence is an estimate, of the prevalence (half a case is
    added where all or none of its cases were positive). At the data's own prevalence, if known, every number keeps the
    interval that it has.

    Parameters
    ----------
    evaluation : Evaluation
    prevalence : float, (positives, cases), Estimate or mapping of class to share
        A known prevalence, or the counts or the estimate it comes from. Of several classes: the share of each, taken
        as known, such as {"a": .2, "b": .5, "c": .3}.
    confidence_level : float, optional
        That of the evaluation by default.

    Examples
    --------
    >>> import unconfuse as uc
    >>> test = uc.evaluate_counts(tp=90, fp=5, fn=10, tn=95)
    >>> print(uc.shift_prevalence(test, prevalence=.02)["precision"].value)  # doctest: +ELLIPSIS
    0.268...
    >>> animals = uc.evaluate_confusion([[50, 3, 2], [10, 30, 5], [0, 4, 16]], classes=["cat", "dog", "fox"])
    >>> among_foxes = uc.shift_prevalence(animals, prevalence={"cat": .1, "dog": .1, "fox": .8})
    >>> print(f"{among_foxes['accuracy'].value:.3f}")
    0.798
    """
    if not isinstance(evaluation, Evaluation):
        raise ArgumentError(
            f"expected an Evaluation; got {type(evaluation).__name__}. Hint: pass what `evaluate` gave."
        )
    if confidence_level is not None:
        confidence_level = check_probability(confidence_level, "confidence_level", open_interval=True)
    share = None if evaluation.sample.is_multiclass else _share_of(prevalence, evaluation).inside()
    if evaluation.sample.has_sites:
        raise ArgumentError(
            "`shift_prevalence` does not support sites, which have prevalences of their own. Hint: evaluate without "
            "`site`."
        )
    evaluation.sample.sampling.require(_SHIFT)
    if share is None:
        return shift_classes(evaluation, prevalence, confidence_level)
    if evaluation.sample.sampling.by_weights:
        return _of_sampled(evaluation, share, confidence_level)
    settings = evaluation.settings.with_confidence_level(
        evaluation.confidence_level if confidence_level is None else confidence_level
    )
    own = share.trials is None and isclose(share.value, evaluation.positives / evaluation.n, rel_tol=1e-12)
    if own:
        found = {name: each.interval(confidence_level=settings.confidence_level) for name, each in evaluation.items()}
    else:
        decisions = _shifted_decisions(evaluation, share, settings.confidence_level)
        found = _bounded(evaluation, share.value, decisions | _shifted_scores(evaluation, share, settings))
    certain = evaluation.has_decisions and not counts_are_open(evaluation)
    findings = findings_at_prevalence(evaluation.counts, share.value) if certain else ()
    if evaluation.sample.sampling.kind is SamplingKind.CLUSTERED and not own:
        found, findings = _of_groups(evaluation, share, found, settings.confidence_level), findings[:1]
    return evaluation.with_changes(
        estimates={name: found[name] for name in evaluation},
        sample=_at_prevalence(evaluation.sample, share.value),
        settings=settings,
        cached_findings=findings,
    )


def _share_of(
    prevalence: float | tuple[int, int] | Estimate | Mapping[Any, float], evaluation: Evaluation
) -> PrevalenceEstimate:
    """Return the share of positives of a yes-or-no question, also where both classes' shares were given."""
    if isinstance(prevalence, Mapping):
        return prevalence_of(float(check_mix(prevalence, evaluation.sample)[1]))
    return prevalence_of(prevalence)


def _shifted_decisions(
    evaluation: Evaluation, share: PrevalenceEstimate, confidence_level: float
) -> dict[str, Estimate]:
    """Metrics of decisions: most at the evaluation's threshold, some at one of their own."""
    found: dict[str, Estimate] = {}
    for sample, metrics in by_cut(
        [metric for metric in evaluation.metrics if metric.of == "counts"], evaluation.sample
    ):
        found |= shift_counts_estimates(sample.counts(), metrics, share, confidence_level=confidence_level)
    return found


def _of_sampled(evaluation: Evaluation, share: PrevalenceEstimate, confidence_level: float | None) -> Evaluation:
    """Shift sampled cases: every row weighs more or less, by its class, and the share of positives is fixed."""
    if share.trials is not None:
        raise ArgumentError(
            "sampled cases are taken to a known prevalence; this one is an estimate. Hint: give a number."
        )
    sample, level = evaluation.sample, confidence_level or evaluation.confidence_level
    factors = share.value * sample.n / sample.positives, (1 - share.value) * sample.n / sample.negatives
    moved = sample.reweighted(*factors).with_design(fixed_classes=True)
    settings = evaluation.settings.without_progress().with_confidence_level(level)
    found = estimate(evaluation.metrics, moved, settings)
    findings = findings_at_prevalence(evaluation.counts, share.value)[:1] if evaluation.has_decisions else ()
    return evaluation.with_changes(estimates=found, sample=moved, settings=settings, cached_findings=findings)


def _at_prevalence(sample: Sample, prevalence: float) -> Sample:
    """Weight the same class distributions to another prevalence; rows cannot follow, tables and counts do."""
    model = sample.only_model
    cells = {}
    if sample.has_decisions_of():
        counts = sample.counts().at_prevalence(prevalence).scaled(sample.n)
        cells = {model: ConfusionCells.from_counts(counts).matrix()}
    return AggregatedSample(
        classes=sample.classes,
        thresholds=sample.thresholds,
        threshold_sources=sample.threshold_sources,
        positive_label=sample.positive_label,
        skipped=sample.skipped,
        fixed_classes=sample.fixed_classes,
        tables={model: (sample.table().at_prevalence(prevalence),)} if sample.has_scores else {},
        matrices=cells,
        is_weighted=True,
    )


def _bounded(evaluation: Evaluation, prevalence: float, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """With a bound on everything, if the table is binned."""
    if evaluation.score_table is None or evaluation.score_table.is_exact:
        return found
    new = [metric for metric in evaluation.metrics if found[metric.name].binning_bounds is None]
    return found | bounded_all(found, new, evaluation.score_table.at_prevalence(prevalence), evaluation.threshold)


def _of_groups(
    evaluation: Evaluation, share: PrevalenceEstimate, found: Mapping[str, Estimate], level: float
) -> dict[str, Estimate]:
    """Cases in groups: predictive values follow from the likelihood ratios; what else moves has no interval."""
    moved = {metric.name: metric for metric in evaluation.metrics if metric.depends_on_prevalence}
    unknown = {name: replace(found[name], low=nan, high=nan, method=NO_GROUPS, recompute=None) for name in moved}
    kept = {name: evaluation[name].interval(confidence_level=level) for name in evaluation if name not in moved}
    if not evaluation.has_decisions:
        return kept | unknown
    there = ShiftedCounts(evaluation.counts, share, level, context=f"prevalence {share}", source=evaluation)
    return kept | unknown | {name: there.metric(moved[name]) for name in PREDICTIVE if name in moved}


def _shifted_scores(evaluation: Evaluation, share: PrevalenceEstimate, settings: Settings) -> dict[str, Estimate]:
    """Metrics of scores: both class distributions stay, their weights change; resamples keep the class sizes."""
    if evaluation.score_table is None:
        return {}
    metrics = [metric for metric in evaluation.metrics if metric.of != "counts" and metric.depends_on_prevalence]
    moved, table = [at_prevalence(metric, share.value) for metric in metrics], evaluation.score_table.at_midpoints()
    found = estimate_scores(
        moved, table, settings.without_progress(), context=f"prevalence {share}", fixed_classes=True
    )
    if share.trials is not None:
        found = {metric.name: _unsure(metric, table, share, found[metric.name]) for metric in metrics}
    found |= {
        name: replace(each, undefined=evaluation[name].undefined)
        for name, each in found.items()
        if each.undefined and evaluation[name].undefined
    }
    kept = {metric.name: evaluation[metric.name] for metric in evaluation.metrics if metric.of != "counts"}
    if settings.confidence_level != evaluation.confidence_level:
        kept = {name: each.interval(confidence_level=settings.confidence_level) for name, each in kept.items()}
    return kept | found


def _unsure(metric: Metric, table: ScoreTable, share: PrevalenceEstimate, found: Estimate) -> Estimate:
    """With the error of the prevalence, now and whenever it is asked again."""
    widened = with_prevalence_error(found, partial(_at, metric, table=table), share, metric.range)
    return replace(widened, recompute=partial(_unsure_again, metric, table, share, found))


def _unsure_again(
    metric: Metric,
    table: ScoreTable,
    share: PrevalenceEstimate,
    known: Estimate,
    *,
    confidence_level: float,
    method: str | None,
) -> Estimate:
    return _unsure(metric, table, share, known.interval(confidence_level=confidence_level, method=method))


def _always(value: float, prevalence: Array, queue_rate: Array) -> float:
    """Return a level that is known beforehand; a function of its own, so that results can be pickled."""
    return value


def at_prevalence(metric: Metric, prevalence: float) -> Metric:
    """Return the metric of a table weighted to another prevalence; its formulas for intervals do not carry over."""
    function = partial(_at, metric, prevalence)
    kept = {name: getattr(metric, name) for name in ("label", "of", "range", "better", "undefined", "bounds")}
    there = float(metric.baseline(prevalence, prevalence))
    return Metric(metric.name, function, interval="bias_corrected", chance=partial(_always, there), **kept)


def _at(metric: Metric, prevalence: float, table: ScoreTable) -> Any:
    return metric(table.at_prevalence(prevalence))
