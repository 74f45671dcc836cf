"""Estimates from one table: four counts, or scores of cases that were drawn each for itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics._metric import ratio
from unconfuse.metrics._tie_blocks import compute_together
from unconfuse.table import Counts, ScoreTable, Settings, remembered
from unconfuse.uncertainty.bootstrap import (
    PLACES,
    banded,
    bootstrapped,
    half_case,
    in_fine_bands,
    in_own_bands,
    kernels_of,
    split,
)
from unconfuse.uncertainty.bootstrap_intervals import spread
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.interval_methods import (
    MetricReplicates,
    has_formula,
    limits,
    limits_of_table,
    limits_together,
    method_for,
)
from unconfuse.uncertainty.proportion_intervals import NOTHING, Interval, Limits, delta_variance

WORTH_A_THREAD = 100_000  # scores; below this, a second thread saves nothing
_IMPOSSIBLE = "what happened was given probability 0"


def estimates_of_counts(
    metrics: Sequence[Metric], counts: Counts, design: Settings, context: str, *, fixed_classes: bool = False
) -> dict[str, Estimate]:
    """Decision metrics of one 2x2 table with their intervals."""
    level, quiet = design.confidence_level, design.without_progress()
    again = partial(estimate_counts, fixed_classes=fixed_classes, context=context, resampling=quiet)
    known = limits_together(metrics, counts, confidence_level=level, fixed_classes=fixed_classes)
    return {
        metric.name: again(metric, counts, confidence_level=level, known=known.get(metric.name)) for metric in metrics
    }


def estimate_counts(
    metric: Metric,
    counts: Counts,
    *,
    confidence_level: float = 0.95,
    fixed_classes: bool = False,
    method: str | None = None,
    context: str = "",
    resampling: Settings | None = None,
    known: tuple[str, Limits] | None = None,
) -> Estimate:
    """One decision metric of one 2x2 table with its interval, which may be `known` already.

    >>> from unconfuse.metrics import METRICS
    >>> print(estimate_counts(METRICS["npv"], Counts(tp=30, fp=20, fn=10, tn=140), method="wilson"))
    npv 0.933 [0.882, 0.963] 95% Wilson
    """
    value = float(metric(counts))
    label, (low, high) = known or limits(
        metric,
        counts,
        confidence_level=confidence_level,
        fixed_classes=fixed_classes,
        method=method,
        resampling=resampling,
    )
    return Estimate.from_interval(
        metric,
        value,
        (max(float(low), metric.range[0]), min(float(high), metric.range[1]), label),
        confidence_level,
        baseline=_baseline(metric, counts),
        conditions=context,
        recompute=partial(
            estimate_counts, metric, counts, fixed_classes=fixed_classes, context=context, resampling=resampling
        ),
        standard_error=_error_of_counts(metric, counts, fixed_classes)
        if np.isfinite(value) and low < high
        else math.nan,
    )


def _error_of_counts(metric: Metric, counts: Counts, fixed_classes: bool) -> float:
    """Binomial for a proportion whose trials the design did not choose, otherwise by the delta method."""
    if metric.inference.fraction is None or (fixed_classes and metric.depends_on_prevalence):
        variance = delta_variance(metric, counts, cohort=not fixed_classes)
        return math.sqrt(max(variance, 0.0)) if math.isfinite(variance) else math.nan
    successes, trials = metric.inference.fraction(counts)
    return float(np.sqrt(ratio(ratio(successes, trials) * ratio(trials - successes, trials), trials)))


def _baseline(metric: Metric, counts: Counts) -> float:
    """Return the value of a useless classifier that labels as many cases positive among as many positives."""
    share, queue = ratio(counts.positives, counts.total), ratio(counts.labelled_positive, counts.total)
    return float(metric.baseline(share, queue))


def estimate_scores(
    metrics: Iterable[Metric], table: ScoreTable, design: Settings, *, context: str = "", fixed_classes: bool = False
) -> dict[str, Estimate]:
    """Metrics of one score table with their intervals, from one shared set of resamples."""
    wanted = list(metrics)
    drawn = _drawn_and_computed(wanted, table, design, fixed_classes)
    made = partial(_estimate, table=table, design=design, context=context, fixed_classes=fixed_classes)
    return {metric.name: made(metric, drawn=drawn.get(metric.name)) for metric in wanted}


def _drawn_and_computed(
    metrics: list[Metric], table: ScoreTable, design: Settings, fixed_classes: bool
) -> dict[str, MetricReplicates]:
    """Replicates of the metrics that need them; meanwhile a large table's values are computed on another thread."""
    to_draw = [metric for metric in metrics if not has_formula(metric)]
    if len(table) < WORTH_A_THREAD:
        compute_together(table, kernels_of(metrics))
        return draw(to_draw, table, design, fixed_classes)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as helper:
        ahead = helper.submit(_values, [metric for metric in metrics if _is_declared(metric)], table)
        drawn = draw(to_draw, table, design, fixed_classes)
        ahead.result()
    return drawn


def _values(metrics: list[Metric], table: ScoreTable) -> dict[str, float]:
    """Return the value of each metric; what a kernel can compute together is computed together."""
    compute_together(table, kernels_of(metrics))
    return {metric.name: _value(metric, table) for metric in metrics}


def _value(metric: Metric, table: ScoreTable) -> float:
    """Return a metric's value, which the table remembers if declared; what a user's own metric does is unknown."""
    if not _is_declared(metric):
        return float(metric(table))
    return remembered(table, ("value", metric.name), lambda: float(metric(table)))


def _is_declared(metric: Metric) -> bool:
    """Tell whether a metric is a declared one: a user's own may bear any name."""
    return METRICS.get(metric.name) is metric


def draw(
    metrics: list[Metric], table: ScoreTable, design: Settings, fixed_classes: bool = False
) -> dict[str, MetricReplicates]:
    """Resample the table with half a case added to each class, so that a perfect sample is not taken for the truth.

    Where resampling would take long, the spread comes from a table of fewer score bands, and the estimate says so.
    """
    return _draw(metrics, half_case(table, places=PLACES), design, fixed_classes) if metrics else {}


def _draw(
    metrics: list[Metric], basis: ScoreTable, design: Settings, fixed_classes: bool
) -> dict[str, MetricReplicates]:
    """Resample a table as it is, or bands of it."""
    compiled, others = split(metrics)
    starts, found = _values(metrics, basis), dict[str, MetricReplicates]()
    joined = [([metric], in_own_bands(basis, metric)) for metric in others if metric.inference.bands is not None]
    usual = [metric for metric in others if metric.inference.bands is None]
    for some, small in ((compiled, in_fine_bands(basis)), (usual, banded(basis)), *joined):
        if some:
            remark = "" if len(small) == len(basis) else _in_bands(small)
            found |= _drawn_from(some, small, starts, design, remark, fixed_classes)
    return found


def _drawn_from(
    metrics: list[Metric],
    small: ScoreTable,
    starts: dict[str, float],
    design: Settings,
    remark: str,
    fixed_classes: bool,
) -> dict[str, MetricReplicates]:
    """Replicates of a table; of a table of bands only their spread about its own value counts."""
    count, seed, progress = design.n_resamples, design.seed, design.progress
    values = bootstrapped(small, metrics, count, fixed_classes=fixed_classes, seed=seed, progress=progress)
    own = _values(metrics, small) if remark else starts
    return {
        metric.name: MetricReplicates(
            values[metric.name] + (starts[metric.name] - own[metric.name]), starts[metric.name], fixed_classes, remark
        )
        for metric in metrics
    }


def _in_bands(small: ScoreTable) -> str:
    return f", spread from {len(small):,} score bands"


def _estimate(
    metric: Metric,
    table: ScoreTable,
    drawn: MetricReplicates | None,
    design: Settings,
    context: str,
    fixed_classes: bool,
    *,
    method: str | None = None,
) -> Estimate:
    value = _value(metric, table)
    missing = np.isnan(value)
    return Estimate.from_interval(
        _without_ceiling_if_tied(metric, table, design, fixed_classes),
        value,
        NOTHING if missing else _limits(metric, table, value, drawn, design, fixed_classes, method),
        design.confidence_level,
        baseline=float(metric.baseline(table.prevalence, table.prevalence)),
        conditions=context,
        recompute=partial(_ask_again, metric, table, design.without_progress(), context, fixed_classes),
        standard_error=math.nan if missing else _standard_error(metric, table, drawn, fixed_classes, method),
        ask_chance=None if missing else _chance_of(metric, table),
    )


def _without_ceiling_if_tied(metric: Metric, table: ScoreTable, design: Settings, fixed_classes: bool) -> Metric:
    """Where ties let B jump over the level, the precision before the jump may be above its ceiling."""
    if metric.inference.ceiling >= metric.range[1] or metric.inference.candidates is None:
        return metric
    tied = metric.inference.candidates(table, fixed_classes, design.confidence_level) is not None
    return metric.with_fields(ceiling=np.inf) if tied else metric


def _chance_of(metric: Metric, table: ScoreTable) -> Callable[[], float] | None:
    """Return the metric's own test against a useless ranking, if it has one."""
    return None if method_for(metric).by_chance is None else partial(_p_of_chance, metric, table)


def _p_of_chance(metric: Metric, table: ScoreTable) -> float:
    test = method_for(metric).by_chance
    assert test is not None
    return test(metric, table)


def _ask_again(
    metric: Metric,
    table: ScoreTable,
    design: Settings,
    context: str,
    fixed_classes: bool,
    *,
    confidence_level: float,
    method: str | None,
) -> Estimate:
    chosen = method_for(metric, method)
    metric_replicates = None
    if chosen.source != "table":
        metric_replicates = (draw if chosen.smoothed else _draw)([metric], table, design, fixed_classes)[metric.name]
    return _estimate(
        metric,
        table,
        metric_replicates,
        design.with_confidence_level(confidence_level),
        context,
        fixed_classes,
        method=method,
    )


def _limits(
    metric: Metric,
    table: ScoreTable,
    value: float,
    drawn: MetricReplicates | None,
    design: Settings,
    fixed_classes: bool,
    method: str | None,
) -> Interval:
    level = design.confidence_level
    if metric.of == "probabilities" and np.isinf(value):
        return Interval(np.asarray(value), np.asarray(value), _IMPOSSIBLE)
    if drawn is None:
        asked = {"fixed_classes": fixed_classes, "confidence_level": level, "method": method}
        low, high, how = limits_of_table(metric, table, **asked)  # type: ignore[arg-type]
        return Interval(np.minimum(low, value), np.maximum(high, value), how)  # rounding must not leave it outside
    found = method_for(metric, method).limits(metric, table, value, drawn, level)
    low, high = found.low, found.high
    if method is None:  # a method that was asked for by name is exactly that; the usual interval holds its value
        low, high = np.minimum(low, value), np.maximum(high, value)
    return Interval(low, high, found.method + drawn.remark)


def _standard_error(
    metric: Metric, table: ScoreTable, drawn: MetricReplicates | None, fixed_classes: bool, method: str | None
) -> float:
    """By the method's formula, or that of the replicates."""
    if drawn is None:
        root = metric.root
        return abs(root.scale) * method_for(metric, method).error(root.of, table, fixed_classes)
    return spread(drawn.replicates)
