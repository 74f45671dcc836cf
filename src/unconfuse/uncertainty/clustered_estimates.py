"""Estimates of cases in groups: the jackknife over whole groups, or whole groups resampled where that was asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.metrics import Metric
from unconfuse.metrics.constrained import constraint_of
from unconfuse.metrics.requirements import cut_for
from unconfuse.table import INTERVAL, Counts, InMemorySample, Sample, Settings
from unconfuse.uncertainty.bootstrap_intervals import scale_name
from unconfuse.uncertainty.clustered_metrics import Draw, Grouped, of_group_counts
from unconfuse.uncertainty.clusters import Jackknifed
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.interval_methods import has_formula, least_possible, limits_of_table, method_for
from unconfuse.uncertainty.joint_replicates import BY_RESAMPLING, ONE_GROUP, resampled_groups, value_of
from unconfuse.uncertainty.method import NoInterval

_OFFERED = {True: "'jackknife' or 'bias_corrected'", False: "'bias_corrected'"}  # by whether rows are in memory
Found = tuple[float, float, str, float]  # limits, how they were made, standard error


def estimates_of_groups(
    metrics: Sequence[Metric],
    sample: Sample,
    design: Settings,
    *,
    context: str,
    draw: Draw,
    method: str | None = None,
    known: Mapping[str, Jackknifed] | None = None,
) -> dict[str, Estimate]:
    """Metrics of one model whose cases belong to groups; what is `known` of them is not computed again."""
    sample.sampling.require(INTERVAL)
    rows = sample.in_memory
    near = rows is not None
    if method not in (None, *(("jackknife",) if near else ()), *BY_RESAMPLING):
        raise ArgumentError(f"cases in groups do not support the interval {method!r}. Hint: use {_OFFERED[near]}.")
    if method in BY_RESAMPLING or rows is None:
        found = resampled_groups(metrics, sample, design)
    else:
        jumping = [metric for metric in metrics if constraint_of(metric) is not None and method is None]
        smooth = [metric for metric in metrics if metric not in jumping]
        known = known or (_jackknifed(smooth, rows, design, draw) if smooth else {})
        found = {metric.name: _limits_of(metric, known[metric.name], rows, design) for metric in smooth}
        found |= _resampled_not_narrower(jumping, rows, design) if jumping else {}
        design.report_finished()
    asked = partial(_asked, sample, design.without_progress(), context, draw)
    return {
        metric.name: _estimate(metric, found[metric.name], sample, design, context, asked(metric, known))
        for metric in metrics
    }


def _asked(
    sample: Sample, design: Settings, context: str, draw: Draw, metric: Metric, known: Mapping[str, Jackknifed] | None
) -> Callable[..., Estimate]:
    """Return what answers for another level: the jackknife is the same at every one."""
    own = None if known is None or metric.name not in known else {metric.name: known[metric.name]}
    return partial(_ask_again, metric, sample, design, context, draw, own)


def _jackknifed(
    metrics: Sequence[Metric], sample: InMemorySample, design: Settings, draw: Draw
) -> dict[str, Jackknifed]:
    """Rows that weigh nothing are no cases, and their groups no groups."""
    rows = sample if sample.weights is None or sample.weights.all() else sample.taken(np.flatnonzero(sample.weight))
    return Grouped(rows, design, draw).jackknifed(metrics)


def limits_of(metric: Metric, found: Jackknifed, level: float, n_groups: int) -> Found:
    """Return an interval, or the reason why there is none."""
    if math.isnan(found.value):
        return math.nan, math.nan, "", math.nan
    if n_groups < 2:
        return *ONE_GROUP, math.nan
    if found.units < 2:
        return math.nan, math.nan, NoInterval(f"no interval: all {found.kind} come from one group"), math.nan
    scale = ", Wilson" if np.isfinite(metric.range).all() else scale_name(metric.range)
    increasing = metric.inference.increasing
    if increasing is not None and found.increasing is not None:
        low, high = (float(increasing.function(np.asarray(limit))) for limit in found.increasing.limits(level))
    else:
        low, high = found.limits(level)
    return low, high, f"jackknife of whole groups{scale}{found.remark}", found.error


def _resampled_not_narrower(metrics: Sequence[Metric], sample: InMemorySample, design: Settings) -> dict[str, Found]:
    """Where the data choose a threshold under a constraint a value jumps, and leaving out groups says little."""
    table, found = sample.table().at_midpoints(), resampled_groups(metrics, sample, design)
    for metric in metrics:
        low, high, method, error = found[metric.name]
        if not math.isnan(low):
            alone = limits_of_table(metric, table, confidence_level=design.confidence_level)
            found[metric.name] = min(low, float(alone.low)), max(high, float(alone.high)), method, error
    return found


def _limits_of(metric: Metric, found: Jackknifed, sample: InMemorySample, design: Settings) -> Found:
    """Not narrower than those of independent cases."""
    level = design.confidence_level
    if math.isinf(found.value) and math.isnan(found.variance):
        return math.nan, math.nan, NoInterval("no interval: the value is infinite"), math.nan
    low, high, method, error = limits_of(metric, found, level, sample.n_groups)
    if math.isnan(low) or metric.of == "counts":
        return low, high, method, error
    table = sample.table().at_midpoints()
    if has_formula(metric):
        alone = limits_of_table(metric, table, confidence_level=level)
    else:
        alone = method_for(metric).limits(metric, table, found.value, found.drawn, level)
    low = max(float(np.fmin(low, alone.low)), least_possible(metric, table))
    return min(low, found.value), float(np.fmax(high, alone.high)), method, error


def _estimate(
    metric: Metric, found: Found, sample: Sample, design: Settings, context: str, ask: Callable[..., Estimate]
) -> Estimate:
    low, high, method, error = found
    value, share = value_of(metric, sample, sample.only_model), sample.positives / sample.n
    return _wrapped(
        metric,
        value,
        (low, high, method),
        error,
        design,
        share=share,
        queue=_queue(metric, sample) if metric.of == "counts" else share,
        context=f"{sample.n_groups} groups, {context}",
        ask=ask,
    )


def _queue(metric: Metric, sample: Sample) -> float:
    counts = cut_for(metric, sample).counts()
    return float(counts.labelled_positive / counts.total)


def _wrapped(
    metric: Metric,
    value: float,
    limits: tuple[float, float, str],
    error: float,
    design: Settings,
    *,
    share: float,
    queue: float,
    context: str,
    ask: Callable[..., Estimate] | None = None,
) -> Estimate:
    more: dict[str, Any] = {
        "standard_error": math.nan if math.isnan(value) else error,
        "conditions": context,
        "recompute": ask,
    }
    return Estimate.from_interval(
        metric, value, limits, design.confidence_level, baseline=float(metric.baseline(share, queue)), **more
    )


def _ask_again(
    metric: Metric,
    sample: Sample,
    design: Settings,
    context: str,
    draw: Draw,
    known: Mapping[str, Jackknifed] | None,
    *,
    confidence_level: float,
    method: str | None,
) -> Estimate:
    how = {"context": context, "draw": draw, "method": method, "known": known}
    return estimates_of_groups([metric], sample, design.with_confidence_level(confidence_level), **how)[metric.name]  # type: ignore[arg-type]


def estimate_of_group_counts(metric: Metric, counts: Counts, design: Settings, context: str) -> Estimate:
    """Estimate a metric of decisions from the counts of each group."""
    total = Counts.from_validated(**{name: getattr(counts, name).sum() for name in ("tp", "fp", "fn", "tn")})
    n_groups = len(np.atleast_1d(counts.tp))
    found = of_group_counts(metric, counts)
    low, high, method, error = limits_of(metric, found, design.confidence_level, n_groups)
    share, queue = float(total.positives / total.total), float(total.labelled_positive / total.total)
    return _wrapped(metric, found.value, (low, high, method), error, design, share=share, queue=queue, context=context)
