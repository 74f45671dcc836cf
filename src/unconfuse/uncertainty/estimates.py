"""Metrics with their intervals: of a 2x2 table, or of a score table, by formula where one serves, else by bootstrap."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from unconfuse._plain import number_text
from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics._blocks import compute_together
from unconfuse.metrics._definition import ratio
from unconfuse.table import Array, Counts, Design, ScoreTable, remembered
from unconfuse.uncertainty.bootstrap import bootstrap, kernels_of, split
from unconfuse.uncertainty.closed_form import NamedLimits
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.methods import Drawn, has_formula, limits, limits_of_table, method_for
from unconfuse.uncertainty.resampled import spread
from unconfuse.uncertainty.smoothed import banded, half_case

PLACES = 50  # over so many scores the half case is spread
WORTH_A_THREAD = 100_000  # scores; below this, a second thread saves nothing
PATIENCE = 5e7  # replicates times blocks that a user waits for; about a second


def estimate_counts(
    metric: Metric,
    counts: Counts,
    *,
    confidence_level: float = 0.95,
    design: str = "cohort",
    method: str | None = None,
    context: str = "",
) -> Estimate:
    """One decision metric of one 2x2 table with its interval.

    Examples
    --------
    >>> from unconfuse.metrics import METRICS
    >>> print(estimate_counts(METRICS["npv"], Counts(tp=30, fp=20, fn=10, tn=140), method="wilson"))
    npv 0.933 [0.882, 0.963] 95% Wilson
    """
    value = float(metric(counts))
    label, (low, high) = limits(metric, counts, confidence_level=confidence_level, design=design, method=method)
    undefined = metric.undefined if np.isnan(value) else None
    return Estimate(
        name=metric.name,
        label=metric.label,
        value=value,
        low=np.nan if undefined else max(float(low), metric.range[0]),
        high=np.nan if undefined else min(float(high), metric.range[1]),
        confidence_level=confidence_level,
        method="" if undefined else label,
        undefined=undefined,
        better=metric.better,
        baseline=_baseline(metric, counts),
        context=context,
        ask=partial(estimate_counts, metric, counts, design=design, context=context),
        standard_error=_binomial_error(metric, counts, design),
    )


def _binomial_error(metric: Metric, counts: Counts, design: str) -> float:
    """Of a proportion whose trials the design did not choose."""
    if metric.fraction is None or (design == "case-control" and metric.depends_on_prevalence):
        return math.nan
    successes, trials = metric.fraction(counts)
    return float(np.sqrt(ratio(ratio(successes, trials) * ratio(trials - successes, trials), trials)))


def _baseline(metric: Metric, counts: Counts) -> float:
    """The value of a useless classifier that labels as many cases positive among as many positives."""
    share, queue = ratio(counts.positives, counts.total), ratio(counts.labelled_positive, counts.total)
    return float(metric.baseline(share, queue))


def estimate_all(
    metrics: Iterable[Metric],
    counts: Counts,
    *,
    confidence_level: float = 0.95,
    design: str = "cohort",
    threshold: float | None = None,
) -> Mapping[str, Estimate]:
    """Several decision metrics of one 2x2 table, by name."""
    at = "" if threshold is None else f"threshold {number_text(threshold)}, "
    context = f"{at}{float(counts.positives):g} positives of {float(counts.total):g}"
    return {
        each.name: estimate_counts(each, counts, confidence_level=confidence_level, design=design, context=context)
        for each in metrics
    }


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
        return draw(to_draw, table, design)
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

    Metrics that declare the percentile interval are resampled from the table as it is, unless every resample agrees.
    Where resampling would take long, the spread comes from a table of fewer score bands, and the estimate says so.
    """
    plain = _draw([each for each in metrics if each.interval == "percentile"], table, design)
    plain = {name: each for name, each in plain.items() if _varies(each.replicates)}
    return plain | _draw([each for each in metrics if each.name not in plain], half_case(table, places=PLACES), design)


def _varies(replicates: Array) -> bool:
    defined = replicates[~np.isnan(replicates)]
    return bool(len(defined) and np.ptp(defined) > 0)


def _draw(metrics: list[Metric], basis: ScoreTable, design: Design) -> dict[str, Drawn]:
    if not metrics:
        return {}
    compiled, others = split(metrics)
    if design.n_resamples * np.count_nonzero(basis.positives) > PATIENCE:
        compiled, others = [], metrics
    small = banded(basis)
    again = partial(
        bootstrap, n_resamples=design.n_resamples, design=design.kind, rng=design.seed, progress=design.progress
    )
    whole = again(basis, compiled) if compiled else {}
    in_bands = again(small, others) if others else {}
    remark = f", spread from {len(small):,} score bands" if len(small) < len(basis) else ""
    starts = _values(metrics, basis)
    return {name: Drawn(values, starts[name]) for name, values in whole.items()} | {
        each.name: Drawn(in_bands[each.name] + (starts[each.name] - each(small)), starts[each.name], remark)
        for each in others
    }


def _estimate(
    metric: Metric, table: ScoreTable, drawn: Drawn | None, design: Design, context: str, *, method: str | None = None
) -> Estimate:
    value = _value(metric, table)
    undefined = metric.undefined if np.isnan(value) else None
    found = None if undefined else _limits(metric, table, value, drawn, design, method)
    return Estimate(
        name=metric.name,
        label=metric.label,
        value=value,
        low=np.nan if found is None else float(found.low),
        high=np.nan if found is None else float(found.high),
        confidence_level=design.confidence_level,
        method="" if found is None else found.method,
        undefined=undefined,
        better=metric.better,
        baseline=float(metric.baseline(table.prevalence, table.prevalence)),
        context=context,
        ask=partial(_ask_again, metric, table, design.quietly(), context),
        standard_error=math.nan if undefined else _standard_error(metric, table, drawn, design.kind, method),
    )


def _ask_again(
    metric: Metric, table: ScoreTable, design: Design, context: str, *, confidence_level: float, method: str | None
) -> Estimate:
    by_formula = method_for(metric, method).source == "table"
    drawn = None if by_formula else draw([metric], table, design)[metric.name]
    return _estimate(metric, table, drawn, design.at(confidence_level), context, method=method)


def _limits(
    metric: Metric, table: ScoreTable, value: float, drawn: Drawn | None, design: Design, method: str | None
) -> NamedLimits:
    level = design.confidence_level
    if drawn is None:
        low, high, how = limits_of_table(metric, table, design=design.kind, confidence_level=level, method=method)
        return NamedLimits(np.minimum(low, value), np.maximum(high, value), how)  # rounding must not leave it outside
    if method is None and metric.interval == "percentile" and drawn.start != value:
        method = "bias_corrected"  # every resample agreed, and half a case was added
    found = method_for(metric, method).limits(metric, table, value, drawn, level)
    return NamedLimits(found.low, found.high, found.method + drawn.remark)


def _standard_error(metric: Metric, table: ScoreTable, drawn: Drawn | None, design: str, method: str | None) -> float:
    """By the method's formula, or that of the replicates."""
    if drawn is None:
        root = metric.root
        return abs(root.scale) * method_for(metric, method).error(root.of, table, design)
    return spread(drawn.replicates)
