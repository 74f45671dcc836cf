"""`estimate`: every metric with its interval, by the way that its declaration and the sample allow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from unconfuse._errors import ArgumentError, InputError
from unconfuse.metrics import METRICS, MULTICLASS_METRICS, Metric, find_metric, find_metrics
from unconfuse.metrics._blocks import compute_together
from unconfuse.metrics._definition import ratio
from unconfuse.metrics.needs import by_cut, lacking
from unconfuse.table import Counts, Design, NearSample, Sample, ScoreTable, remembered
from unconfuse.table.sample import positives_of
from unconfuse.uncertainty.binned import bounded_all
from unconfuse.uncertainty.bootstrap import (
    PLACES,
    banded,
    bootstrap,
    half_case,
    in_fine_bands,
    in_own_bands,
    kernels_of,
    split,
)
from unconfuse.uncertainty.classes import estimates_of_classes
from unconfuse.uncertainty.closed_form import NOTHING, Limits, NamedLimits, delta_variance
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.folds import estimates_over_folds
from unconfuse.uncertainty.judge import estimates_of_judged
from unconfuse.uncertainty.methods import Drawn, has_formula, limits, limits_of_table, limits_together, method_for
from unconfuse.uncertainty.replicates import refuse_strata_of_groups
from unconfuse.uncertainty.resampled import spread
from unconfuse.uncertainty.sandwich import estimates_of_sampled, has_influence

WORTH_A_THREAD = 100_000  # scores; below this, a second thread saves nothing
_MANY = 3e8  # scores beyond which metrics that bin every column of a matrix are only made when asked for
_IMPOSSIBLE = "what happened was given probability 0"
_SAME = 1e-12  # rounding, between two ways to compute one value


def estimate(
    metrics: Iterable[Metric], sample: Sample, design: Design, *, model: str | None = None
) -> dict[str, Estimate]:
    """Metrics of one model with their intervals, by name, in the order asked for.

    Metrics of decisions have a closed form or a posterior, those of scores a formula from their influence or a
    bootstrap, cases in groups are resampled whole, cases with sampling weights have the sandwich, and several classes
    have summaries of their own.
    """
    own = sample if model is None or len(sample.models) == 1 else sample.only(model)
    wanted = [_for_classes(each, own) for each in metrics]
    if not own.n > 0:  # a fold or a subgroup
        return {each.name: _of_nobody(each, design) for each in wanted}
    if own.has_folds:
        return estimates_over_folds(wanted, own, design, estimate)
    if own.several:
        if not own.is_sampled:
            refuse_strata_of_groups(own, design)
        return _of_classes(wanted, own, design)
    found: dict[str, Estimate] = {}
    if own.is_sampled:
        of_sampled = estimates_of_judged if own.is_judged else estimates_of_sampled
        for cut, some in by_cut(wanted, own):
            found |= of_sampled(some, cut, design)
    elif own.is_clustered:
        found = _of_groups(wanted, own, design)
    else:
        found = _of_cases(wanted, own, design)
    found |= _causes(wanted, found, own)
    if own.has_scores and not own.table().is_exact:
        for cut, some in by_cut(wanted, own):
            found |= bounded_all(found, some, own.table(), cut.thresholds.get(own.only_model))
    return {each.name: found[each.name] for each in wanted}


def _for_classes(metric: Metric, sample: Sample) -> Metric:
    """Of two classes a metric has the range of the yes-or-no question: the Brier score is halved there."""
    if not (sample.several and sample.n_classes == 2 and metric.inference.two_class):
        return metric
    usual = find_metric(metric.inference.two_class).range
    return metric if metric.range == usual else replace(metric, range=usual)


def _causes(metrics: Sequence[Metric], found: Mapping[str, Estimate], sample: Sample) -> dict[str, Estimate]:
    """Undefined values of metrics that can tell which of several reasons it is."""
    return {
        each.name: replace(found[each.name], undefined=each.doc.cause(sample.table()))
        for each in metrics
        if each.doc.cause is not None and found[each.name].undefined == each.undefined
    }


def _of_nobody(metric: Metric, design: Design) -> Estimate:
    return Estimate.of(metric, math.nan, NOTHING, design.confidence_level, undefined="none of these cases counts")


def available(
    metrics: Iterable[str | Metric] | None, sample: Sample, *, probabilities: bool = True
) -> tuple[Metric, ...]:
    """The metrics wanted, or all that this sample can have; one that a model cannot have is refused, and why."""
    if metrics is None:
        declared = MULTICLASS_METRICS if sample.several else METRICS
        return tuple(
            each
            for each in declared.values()
            if not _slow(each, sample)
            and (probabilities or not each.needs_probabilities)
            and not any(why_not(each, sample, model) for model in sample.models)
        )
    wanted = find_metrics(metrics, several=sample.several)
    for each in wanted:
        for model in sample.models:
            reason = why_not(each, sample, model)
            if reason:
                kind = InputError if each.needs_probabilities and sample.has_scores else ArgumentError
                raise kind(f"{each.name} needs {reason}")
    return wanted


def why_not(metric: Metric, sample: Sample, model: str) -> str:
    """What a metric needs that a model of the sample lacks, with a hint; nothing if it lacks nothing."""
    if sample.is_judged and not has_influence(metric):
        return "the truth of every case, and only some were checked. Hint: ask for metrics of decisions or the AUROC."
    return lacking(metric, sample, model)


def _slow(metric: Metric, sample: Sample) -> bool:
    if metric.inference.gaps is None or not (isinstance(sample, NearSample) and sample.several and sample.has_scores):
        return False
    return sample.matrix.size > _MANY


def _of_cases(metrics: Sequence[Metric], sample: Sample, design: Design) -> dict[str, Estimate]:
    """Every case stands for itself."""
    size, found = _size_of(sample), dict[str, Estimate]()
    for own, decisions in by_cut([each for each in metrics if each.of == "counts"], sample):
        context = ", ".join(part for part in (own.threshold_text(), size) if part)
        found |= estimates_of_counts(decisions, own.counts(), design, context)
    scores = [each for each in metrics if each.of != "counts"]
    if scores:
        found |= estimate_scores(scores, sample.table().at_middles(), design, context=size)
    return found


def estimates_of_counts(metrics: Sequence[Metric], counts: Counts, design: Design, context: str) -> dict[str, Estimate]:
    """Decision metrics of one 2x2 table with their intervals."""
    level, quiet = design.confidence_level, design.quietly()
    again = partial(estimate_counts, confidence_level=level, design=design.kind, context=context, resampling=quiet)
    known = limits_together(metrics, counts, confidence_level=level, design=design.kind)
    return {each.name: again(each, counts, known=known.get(each.name)) for each in metrics}


def _of_groups(metrics: Sequence[Metric], sample: Sample, design: Design) -> dict[str, Estimate]:
    """Whole groups are left out one by one; on a cluster they are resampled."""
    from unconfuse.uncertainty.grouped_estimates import estimates_of_groups  # most cases stand each for itself

    return estimates_of_groups(metrics, sample, design, context=_size_of(sample), draw=draw)


def _of_classes(metrics: Sequence[Metric], sample: Sample, design: Design) -> dict[str, Estimate]:
    """Summaries of several classes; of two, those that are the metric of the yes-or-no question have its interval."""
    found = estimates_of_classes(metrics, sample, design)
    if sample.n_classes > 2 or min(sample.sizes) == 0:
        return found
    two = {each.name: find_metric(each.inference.two_class) for each in metrics if each.inference.two_class}
    same = [each for each in metrics if each.name in two and not why_not(two[each.name], sample, sample.only_model)]
    known = estimate([two[each.name] for each in same], sample.against_rest(1), design)
    for each in same:
        one, own = known[two[each.name].name], found[each.name]
        both_undefined = one.undefined is not None and own.undefined is not None
        if both_undefined or abs(one.value - own.value) <= _SAME * max(1.0, abs(own.value)):
            found[each.name] = replace(
                one, name=each.name, label=each.label, context=own.context, baseline=own.baseline
            )
    return found


def _size_of(sample: Sample) -> str:
    return positives_of(sample.positives, sample.n)


def estimate_counts(
    metric: Metric,
    counts: Counts,
    *,
    confidence_level: float = 0.95,
    design: str = "cohort",
    method: str | None = None,
    context: str = "",
    resampling: Design | None = None,
    known: tuple[str, Limits] | None = None,
) -> Estimate:
    """One decision metric of one 2x2 table with its interval, which may be `known` already.

    >>> from unconfuse.metrics import METRICS
    >>> print(estimate_counts(METRICS["npv"], Counts(tp=30, fp=20, fn=10, tn=140), method="wilson"))
    npv 0.933 [0.882, 0.963] 95% Wilson
    """
    value = float(metric(counts))
    label, (low, high) = known or limits(
        metric, counts, confidence_level=confidence_level, design=design, method=method, resampling=resampling
    )
    return Estimate.of(
        metric,
        value,
        (max(float(low), metric.range[0]), min(float(high), metric.range[1]), label),
        confidence_level,
        baseline=_baseline(metric, counts),
        context=context,
        ask=partial(estimate_counts, metric, counts, design=design, context=context, resampling=resampling),
        standard_error=_error_of_counts(metric, counts, design) if np.isfinite(value) and low < high else math.nan,
    )


def _error_of_counts(metric: Metric, counts: Counts, design: str) -> float:
    """Binomial for a proportion whose trials the design did not choose, otherwise by the delta method."""
    if metric.inference.fraction is None or (design == "case-control" and metric.depends_on_prevalence):
        variance = delta_variance(metric, counts, cohort=design == "cohort")
        return math.sqrt(max(variance, 0.0)) if math.isfinite(variance) else math.nan
    successes, trials = metric.inference.fraction(counts)
    return float(np.sqrt(ratio(ratio(successes, trials) * ratio(trials - successes, trials), trials)))


def _baseline(metric: Metric, counts: Counts) -> float:
    """The value of a useless classifier that labels as many cases positive among as many positives."""
    share, queue = ratio(counts.positives, counts.total), ratio(counts.labelled_positive, counts.total)
    return float(metric.baseline(share, queue))


def estimate_scores(
    metrics: Iterable[Metric], table: ScoreTable, design: Design, *, context: str = ""
) -> dict[str, Estimate]:
    """Metrics of one score table with their intervals, from one shared set of resamples."""
    wanted = list(metrics)
    drawn = _drawn_and_computed(wanted, table, design)
    return {each.name: _estimate(each, table, drawn.get(each.name), design, context) for each in wanted}


def _drawn_and_computed(metrics: list[Metric], table: ScoreTable, design: Design) -> dict[str, Drawn]:
    """Replicates of the metrics that need them; meanwhile a large table's values are computed on another thread."""
    to_draw = [each for each in metrics if not has_formula(each)]
    if len(table) < WORTH_A_THREAD:
        compute_together(table, kernels_of(metrics))
        return draw(to_draw, table, design)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as helper:
        ahead = helper.submit(_values, [each for each in metrics if _is_declared(each)], table)
        drawn = draw(to_draw, table, design)
        ahead.result()
    return drawn


def _values(metrics: list[Metric], table: ScoreTable) -> dict[str, float]:
    """The value of each metric; what a kernel can compute together is computed together."""
    compute_together(table, kernels_of(metrics))
    return {each.name: _value(each, table) for each in metrics}


def _value(metric: Metric, table: ScoreTable) -> float:
    """The table remembers the values of declared metrics; what a user's own does is unknown."""
    if not _is_declared(metric):
        return float(metric(table))
    return remembered(table, ("value", metric.name), lambda: float(metric(table)))


def _is_declared(metric: Metric) -> bool:
    """A user's own metric may bear any name."""
    return METRICS.get(metric.name) is metric


def draw(metrics: list[Metric], table: ScoreTable, design: Design) -> dict[str, Drawn]:
    """Resample the table with half a case added to each class, so that a perfect sample is not taken for the truth.

    Where resampling would take long, the spread comes from a table of fewer score bands, and the estimate says so.
    """
    return _draw(metrics, half_case(table, places=PLACES), design) if metrics else {}


def _draw(metrics: list[Metric], basis: ScoreTable, design: Design) -> dict[str, Drawn]:
    """Resample a table as it is, or bands of it."""
    compiled, others = split(metrics)
    starts, found = _values(metrics, basis), dict[str, Drawn]()
    joined = [([each], in_own_bands(basis, each)) for each in others if each.inference.bands is not None]
    usual = [each for each in others if each.inference.bands is None]
    for some, small in ((compiled, in_fine_bands(basis)), (usual, banded(basis)), *joined):
        if some:
            found |= _drawn_from(some, small, starts, design, "" if len(small) == len(basis) else _in_bands(small))
    return found


def _drawn_from(
    metrics: list[Metric], small: ScoreTable, starts: dict[str, float], design: Design, remark: str
) -> dict[str, Drawn]:
    """Replicates of a table; of a table of bands only their spread about its own value counts."""
    kind, count = design.kind, design.n_resamples
    values = bootstrap(small, metrics, n_resamples=count, design=kind, rng=design.seed, progress=design.progress)
    own = _values(metrics, small) if remark else starts
    return {
        each.name: Drawn(values[each.name] + (starts[each.name] - own[each.name]), starts[each.name], kind, remark)
        for each in metrics
    }


def _in_bands(small: ScoreTable) -> str:
    return f", spread from {len(small):,} score bands"


def _estimate(
    metric: Metric, table: ScoreTable, drawn: Drawn | None, design: Design, context: str, *, method: str | None = None
) -> Estimate:
    value = _value(metric, table)
    missing = np.isnan(value)
    return Estimate.of(
        _without_ceiling_if_tied(metric, table, design),
        value,
        NOTHING if missing else _limits(metric, table, value, drawn, design, method),
        design.confidence_level,
        baseline=float(metric.baseline(table.prevalence, table.prevalence)),
        context=context,
        ask=partial(_ask_again, metric, table, design.quietly(), context),
        standard_error=math.nan if missing else _standard_error(metric, table, drawn, design.kind, method),
        ask_chance=None if missing else _chance_of(metric, table),
    )


def _without_ceiling_if_tied(metric: Metric, table: ScoreTable, design: Design) -> Metric:
    """Where ties let B jump over the level, the precision before the jump may be above its ceiling."""
    if metric.inference.ceiling >= metric.range[1] or metric.inference.candidates is None:
        return metric
    tied = metric.inference.candidates(table, design.kind, design.confidence_level) is not None
    return metric.with_fields(ceiling=np.inf) if tied else metric


def _chance_of(metric: Metric, table: ScoreTable) -> Callable[[], float] | None:
    """The metric's own test against a useless ranking, if it has one."""
    return None if method_for(metric).by_chance is None else partial(_p_of_chance, metric, table)


def _p_of_chance(metric: Metric, table: ScoreTable) -> float:
    test = method_for(metric).by_chance
    assert test is not None
    return test(metric, table)


def _ask_again(
    metric: Metric, table: ScoreTable, design: Design, context: str, *, confidence_level: float, method: str | None
) -> Estimate:
    chosen = method_for(metric, method)
    drawn = None
    if chosen.source != "table":
        drawn = (draw if chosen.smoothed else _draw)([metric], table, design)[metric.name]
    return _estimate(metric, table, drawn, design.at(confidence_level), context, method=method)


def _limits(
    metric: Metric, table: ScoreTable, value: float, drawn: Drawn | None, design: Design, method: str | None
) -> NamedLimits:
    level = design.confidence_level
    if metric.of == "probabilities" and np.isinf(value):
        return NamedLimits(np.asarray(value), np.asarray(value), _IMPOSSIBLE)
    if drawn is None:
        low, high, how = limits_of_table(metric, table, design=design.kind, confidence_level=level, method=method)
        return NamedLimits(np.minimum(low, value), np.maximum(high, value), how)  # rounding must not leave it outside
    found = method_for(metric, method).limits(metric, table, value, drawn, level)
    low, high = found.low, found.high
    if method is None:  # a method that was asked for by name is exactly that; the usual interval holds its value
        low, high = np.minimum(low, value), np.maximum(high, value)
    return NamedLimits(low, high, found.method + drawn.remark)


def _standard_error(metric: Metric, table: ScoreTable, drawn: Drawn | None, design: str, method: str | None) -> float:
    """By the method's formula, or that of the replicates."""
    if drawn is None:
        root = metric.root
        return abs(root.scale) * method_for(metric, method).error(root.of, table, design)
    return spread(drawn.replicates)
