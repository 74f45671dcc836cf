"""`estimate`: every metric with its interval, by the way that its declaration and the sample allow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from unconfuse._errors import ArgumentError, InputError
from unconfuse.metrics import Metric, find_metric, metrics_of
from unconfuse.metrics.requirements import by_cut, lacking
from unconfuse.table import INTERVAL, Sample, Settings
from unconfuse.table.sample import positives_of
from unconfuse.uncertainty.binned import bounded_all
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.multiclass_intervals import estimates_of_classes
from unconfuse.uncertainty.proportion_intervals import NOTHING
from unconfuse.uncertainty.strategies import strategy_for, strategy_of

_MANY = 3e8  # scores beyond which metrics that bin every column of a matrix are only made when asked for
_SAME = 1e-12  # rounding, between two ways to compute one value


def estimate(
    metrics: Iterable[Metric], sample: Sample, design: Settings, *, model: str | None = None
) -> dict[str, Estimate]:
    """Metrics of one model with their intervals, by name, in the order asked for.

    Metrics of decisions have a closed form or a posterior, those of scores a formula from their influence or a
    bootstrap, cases in groups are resampled whole, cases with sampling weights have the sandwich, and several classes
    have summaries of their own.
    """
    own = sample if model is None or len(sample.models) == 1 else sample.select_model(model)
    wanted = [_for_classes(metric, own) for metric in metrics]
    if design.looks is not None:
        from unconfuse.uncertainty.sequential import estimates_at_every_look  # most data are looked at once

        return estimates_at_every_look(wanted, own, design, estimate)
    if not own.n > 0:  # a fold or a subgroup
        return {metric.name: _of_nobody(metric, design) for metric in wanted}
    own.sampling.require(INTERVAL)
    if own.is_multiclass and not own.sampling.pooled:
        return _of_classes(wanted, own, design)
    found = _at_own_choice(wanted, own, design)
    others = [metric for metric in wanted if metric.name not in found]
    found |= strategy_of(own).estimates(others, own, design, estimate) if others else {}
    if own.sampling.pooled:
        return found
    found |= _causes(wanted, found, own)
    if own.has_scores and not own.table().is_exact:
        for cut, some in by_cut(wanted, own):
            found |= bounded_all(found, some, own.table(), cut.thresholds.get(own.only_model))
    return {metric.name: found[metric.name] for metric in wanted}


def _for_classes(metric: Metric, sample: Sample) -> Metric:
    """Of two classes a metric has the range of the yes-or-no question: the Brier score is halved there."""
    if not (sample.is_multiclass and sample.n_classes == 2 and metric.inference.two_class):
        return metric
    usual = find_metric(metric.inference.two_class).range
    return metric if metric.range == usual else replace(metric, range=usual)


def _causes(metrics: Sequence[Metric], found: Mapping[str, Estimate], sample: Sample) -> dict[str, Estimate]:
    """Undefined values of metrics that can tell which of several reasons it is."""
    return {
        metric.name: replace(found[metric.name], undefined=metric.doc.cause(sample.table()))
        for metric in metrics
        if metric.doc.cause is not None and found[metric.name].undefined == metric.undefined
    }


def _of_nobody(metric: Metric, design: Settings) -> Estimate:
    return Estimate.from_interval(
        metric, math.nan, NOTHING, design.confidence_level, undefined="none of these cases counts"
    )


def available(
    metrics: Iterable[str | Metric] | None, sample: Sample, *, probabilities: bool = True
) -> tuple[Metric, ...]:
    """Return the metrics wanted, or all that this sample can have; refuse one that a model cannot have, and say why."""
    if metrics is None:
        return tuple(
            each
            for each in metrics_of(sample).values()
            if not _slow(each, sample)
            and (probabilities or not each.needs_probabilities)
            and not any(why_not(each, sample, model) for model in sample.models)
        )
    wanted = metrics_of(sample).find_all(metrics)
    for metric in wanted:
        for model in sample.models:
            reason = why_not(metric, sample, model)
            if reason:
                kind = InputError if metric.needs_probabilities and sample.has_scores else ArgumentError
                raise kind(f"{metric.name} needs {reason}")
    return wanted


def why_not(metric: Metric, sample: Sample, model: str) -> str:
    """Say what a metric needs that a model of the sample lacks, with a hint; nothing if it lacks nothing."""
    against = strategy_for(sample.sampling.cases).reason_against(metric)
    if against:
        return against
    return lacking(metric, sample, model)


def _slow(metric: Metric, sample: Sample) -> bool:
    rows = sample.in_memory
    if metric.inference.gaps is None or rows is None or not (rows.is_multiclass and rows.has_scores):
        return False
    return rows.matrix.size > _MANY


def _at_own_choice(metrics: Sequence[Metric], sample: Sample, design: Settings) -> dict[str, Estimate]:
    """Return metrics of decisions at a threshold that these cases chose themselves."""
    if sample.choice is None:
        return {}
    decisions = [metric for metric in metrics if metric.of == "counts" and metric.requires.cut is None]
    size = positives_of(sample.positives, sample.n)
    return dict(sample.choice.estimates(decisions, design, f"{sample.threshold_text()}, {size}"))


def _of_classes(metrics: Sequence[Metric], sample: Sample, design: Settings) -> dict[str, Estimate]:
    """Summaries of several classes; of two, those that are the metric of the yes-or-no question have its interval."""
    estimates = estimates_of_classes(metrics, sample, design)
    if sample.n_classes > 2 or min(sample.sizes) == 0:
        return estimates
    two = {each.name: find_metric(each.inference.two_class) for each in metrics if each.inference.two_class}
    same = [each for each in metrics if each.name in two and not why_not(two[each.name], sample, sample.only_model)]
    known = estimate([two[each.name] for each in same], sample.one_vs_rest(1), design)
    for metric in same:
        one, own = known[two[metric.name].name], estimates[metric.name]
        both_undefined = one.undefined is not None and own.undefined is not None
        if both_undefined or abs(one.value - own.value) <= _SAME * max(1.0, abs(own.value)):
            estimates[metric.name] = replace(
                one, name=metric.name, label=metric.label, conditions=own.conditions, baseline=own.baseline
            )
    return estimates
