"""`estimate`: every metric with its interval, by the way that its declaration and the sample allow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from unconfuse._errors import ArgumentError, InputError
from unconfuse._plain import number_text
from unconfuse.metrics import METRICS, MULTICLASS_METRICS, Metric, find_metrics
from unconfuse.table import Counts, Design, NearSample, Sample
from unconfuse.uncertainty.binned import bounded_all
from unconfuse.uncertainty.classes import estimates_of_classes
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.estimates import estimate_counts, estimate_scores
from unconfuse.uncertainty.replicates import by_cases
from unconfuse.uncertainty.resampled import bias_corrected, spread

_MANY = 3e8  # scores beyond which metrics that bin every column of a matrix are only made when asked for
_SAME = 1e-12  # rounding, between two ways to compute one value


def estimate(
    metrics: Iterable[Metric], sample: Sample, design: Design, *, model: str | None = None
) -> dict[str, Estimate]:
    """Metrics of one model with their intervals, by name, in the order asked for.

    Metrics of decisions have a closed form or a posterior, those of scores a formula from their influence or a
    bootstrap, cases in groups are resampled whole, and several classes have summaries of their own.
    """
    own = sample if model is None or len(sample.models) == 1 else sample.only(model)
    wanted = list(metrics)
    if own.several:
        return _of_classes(wanted, own, design)
    found = _of_groups(wanted, own, design) if own.is_clustered else _of_cases(wanted, own, design)
    if own.has_scores and not own.table().is_exact:
        found = bounded_all(found, wanted, own.table(), own.thresholds.get(own.only_model))
    return {each.name: found[each.name] for each in wanted}


def value_of(metric: Metric, sample: Sample, model: str) -> float:
    """The bare value of a metric of one model."""
    if metric.of == "counts":
        return float(metric(sample.counts(model)))
    if metric.of == "cells":
        return float(metric(sample.cells(model)))
    if metric.of == "rows":
        assert isinstance(sample, NearSample)
        return float(metric(sample.only(model)))
    return float(metric(sample.table(model)))


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
    if metric.of in ("counts", "cells"):
        return ""
    if not sample.has_scores:
        if sample.several:
            return "scores, not only decisions. Hint: use `evaluate(y, S)`."
        return "the scores, not only four counts. Hint: use `evaluate`."
    why = sample.why_not_probabilities(model) if metric.needs_probabilities else ""
    if not why:
        return ""
    hint = "scale every row to add up to 1, or ask" if sample.several else "rescale or recalibrate them, or ask"
    return f"probabilities: {why}. Hint: {hint} for ranking metrics."


def _slow(metric: Metric, sample: Sample) -> bool:
    if metric.gaps is None or not (isinstance(sample, NearSample) and sample.several and sample.has_scores):
        return False
    return sample.matrix.size > _MANY


def _of_cases(metrics: Sequence[Metric], sample: Sample, design: Design) -> dict[str, Estimate]:
    """Every case stands for itself."""
    size, at = _size_of(sample), sample.thresholds.get(sample.only_model)
    cut = size if at is None else f"threshold {number_text(at)}, {size}"
    decisions = [each for each in metrics if each.of == "counts"]
    found = {}
    if decisions:
        counts = sample.counts()
        found = {
            each.name: estimate_counts(
                each, counts, confidence_level=design.confidence_level, design=design.kind, context=cut
            )
            for each in decisions
        }
    scores = [each for each in metrics if each.of != "counts"]
    if scores:
        found |= estimate_scores(scores, sample.table().at_middles(), design, context=size)
    return found


def _of_groups(metrics: Sequence[Metric], sample: Sample, design: Design) -> dict[str, Estimate]:
    """Cases of one group are not independent, so that only resampling whole groups says how sure a number is."""
    drawn, n_groups, model = by_cases(metrics, sample, design), sample.n_groups, sample.only_model
    context = f"{n_groups} groups, {_size_of(sample)}"
    counts = sample.counts() if any(each.of == "counts" for each in metrics) else None
    found = {}
    for each in metrics:
        value = value_of(each, sample, model)
        limits = bias_corrected(
            value,
            drawn[each.name][0],
            confidence_level=design.confidence_level,
            range=each.range,
            smaller_class=n_groups,
        )
        undefined = each.undefined if np.isnan(value) else None
        found[each.name] = Estimate(
            each.name,
            each.label,
            value,
            float(limits.low),
            float(limits.high),
            design.confidence_level,
            method="" if undefined else f"{limits.method}, whole groups",
            undefined=undefined,
            better=each.better,
            baseline=_baseline(each, sample, counts),
            context=context,
            ask=partial(_ask_groups, each, sample, design.quietly()),
            standard_error=math.nan if undefined else spread(drawn[each.name][0]),
        )
    return found


def _ask_groups(
    metric: Metric, sample: Sample, design: Design, *, confidence_level: float, method: str | None
) -> Estimate:
    if method not in (None, "bias_corrected", "bootstrap"):
        raise ArgumentError(
            f"cases in groups have the interval 'bias_corrected' only, from whole groups; got {method!r}."
        )
    return _of_groups([metric], sample, design.at(confidence_level))[metric.name]


def _of_classes(metrics: Sequence[Metric], sample: Sample, design: Design) -> dict[str, Estimate]:
    """Summaries of several classes; of two, those that are the metric of the yes-or-no question have its interval."""
    found = estimates_of_classes(metrics, sample, design)
    if sample.n_classes > 2 or min(sample.sizes) == 0:
        return found
    same = [
        each for each in metrics if each.two_class and not why_not(METRICS[each.two_class], sample, sample.only_model)
    ]
    known = estimate([METRICS[each.two_class] for each in same], sample.against_rest(1), design)
    for each in same:
        one, own = known[each.two_class], found[each.name]
        if one.undefined == own.undefined or abs(one.value - own.value) <= _SAME * max(1.0, abs(own.value)):
            found[each.name] = replace(
                one, name=each.name, label=each.label, context=own.context, baseline=own.baseline
            )
    return found


def _size_of(sample: Sample) -> str:
    return f"{sample.positives:g} positives of {sample.n:g}"


def _baseline(metric: Metric, sample: Sample, counts: Counts | None) -> float:
    """The value of a useless classifier that labels as many cases positive among as many positives."""
    share = sample.positives / sample.n
    queue = share if counts is None or metric.of != "counts" else float(counts.labelled_positive / counts.total)
    return float(metric.baseline(share, queue))
