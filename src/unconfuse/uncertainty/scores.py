"""Intervals of metrics of scores: a formula where one serves, else the bootstrap."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics._blocks import compute_together
from unconfuse.results import Estimate
from unconfuse.table import Array, ScoreTable, remembered
from unconfuse.uncertainty import resampled
from unconfuse.uncertainty.bootstrap import Progress, bootstrap, split
from unconfuse.uncertainty.coarse import coarsened
from unconfuse.uncertainty.formulas import FORMULAS
from unconfuse.uncertainty.smoothed import NamedLimits, half_case

PLACES = 50  # over so many scores the half case is spread
WORTH_A_THREAD = 100_000  # scores; below this, a second thread saves nothing
PATIENCE = 5e7  # replicates times blocks that a user waits for; about a second


@dataclass(frozen=True)
class Resampling:
    """How many resamples, with which seed, under which design."""

    n_resamples: int = 2000
    seed: int = 0
    design: str = "cohort"
    progress: Progress | None = None


@dataclass(frozen=True)
class Drawn:
    """Replicates of one metric, the value of the table that was resampled, and what to add to the method's name."""

    replicates: Array
    start: float
    remark: str = ""


def estimate_scores(
    metrics: Iterable[Metric], table: ScoreTable, *, confidence_level: float, how: Resampling, context: str = ""
) -> dict[str, Estimate]:
    """Metrics of one score table with their intervals, from one shared set of resamples."""
    wanted = list(metrics)
    drawn = _drawn_and_computed(wanted, table, how)
    return {each.name: _estimate(each, table, drawn.get(each.name), confidence_level, how, context) for each in wanted}


def _drawn_and_computed(metrics: list[Metric], table: ScoreTable, how: Resampling) -> dict[str, Drawn]:
    """Replicates of the metrics that need them; meanwhile a large table's values are computed on another thread."""
    to_draw = [each for each in metrics if not has_formula(each)]
    if len(table) < WORTH_A_THREAD:
        return draw(to_draw, table, how)
    with ThreadPoolExecutor(1) as helper:
        ahead = helper.submit(_values, [each for each in metrics if _is_declared(each)], table)
        drawn = draw(to_draw, table, how)
        ahead.result()
    return drawn


def _values(metrics: list[Metric], table: ScoreTable) -> dict[str, float]:
    """The value of each metric; what a kernel can compute together is computed together."""
    compute_together(table, [each.name for each in metrics])
    return {each.name: _value(each, table) for each in metrics}


def _value(metric: Metric, table: ScoreTable) -> float:
    """The table remembers the values of declared metrics; what a user's own does is unknown."""
    if not _is_declared(metric):
        return float(metric(table))
    return remembered(table, ("value", metric.name), lambda: float(metric(table)))


def _is_declared(metric: Metric) -> bool:
    """A user's own metric may bear any name."""
    return METRICS.get(metric.name) is metric


def has_formula(metric: Metric) -> bool:
    """Whether the default interval needs no resampling."""
    return metric.name in FORMULAS and _is_declared(metric)


def draw(metrics: list[Metric], table: ScoreTable, how: Resampling) -> dict[str, Drawn]:
    """Resample the table with half a case added to each class, so that a perfect sample is not taken for the truth.

    Metrics that declare the percentile interval are resampled from the table as it is, unless every resample agrees.
    Where resampling would take long, the spread comes from a table of fewer score bands, and the estimate says so.
    """
    plain = _draw([each for each in metrics if each.interval == "percentile"], table, how)
    plain = {name: each for name, each in plain.items() if _varies(each.replicates)}
    return plain | _draw([each for each in metrics if each.name not in plain], half_case(table, places=PLACES), how)


def _varies(replicates: Array) -> bool:
    defined = replicates[~np.isnan(replicates)]
    return bool(len(defined) and np.ptp(defined) > 0)


def _draw(metrics: list[Metric], basis: ScoreTable, how: Resampling) -> dict[str, Drawn]:
    if not metrics:
        return {}
    compiled, others = split(metrics)
    if how.n_resamples * np.count_nonzero(basis.positives) > PATIENCE:
        compiled, others = [], metrics
    small = coarsened(basis)
    again = partial(bootstrap, n_resamples=how.n_resamples, design=how.design, rng=how.seed, progress=how.progress)
    whole = again(basis, compiled) if compiled else {}
    banded = again(small, others) if others else {}
    remark = f", spread from {len(small):,} score bands" if len(small) < len(basis) else ""
    starts = _values(metrics, basis)
    return {name: Drawn(values, starts[name]) for name, values in whole.items()} | {
        each.name: Drawn(banded[each.name] + (starts[each.name] - each(small)), starts[each.name], remark)
        for each in others
    }


def _estimate(
    metric: Metric,
    table: ScoreTable,
    drawn: Drawn | None,
    level: float,
    how: Resampling,
    context: str,
    *,
    method: str | None = None,
) -> Estimate:
    value = _value(metric, table)
    undefined = metric.undefined if np.isnan(value) else None
    limits = None if undefined else _limits(metric, table, value, drawn, level, how.design, method)
    return Estimate(
        name=metric.name,
        label=metric.label,
        value=value,
        low=np.nan if limits is None else float(limits.low),
        high=np.nan if limits is None else float(limits.high),
        confidence_level=level,
        method="" if limits is None else limits.method,
        undefined=undefined,
        better=metric.better,
        baseline=float(metric.baseline(table.prevalence, table.prevalence)),
        context=context,
        ask=partial(_ask_again, metric, table, how, context),
    )


def _ask_again(
    metric: Metric, table: ScoreTable, how: Resampling, context: str, *, confidence_level: float, method: str | None
) -> Estimate:
    drawn = None if method is None and has_formula(metric) else draw([metric], table, how)[metric.name]
    return _estimate(metric, table, drawn, confidence_level, how, context, method=method)


def _limits(
    metric: Metric, table: ScoreTable, value: float, drawn: Drawn | None, level: float, design: str, method: str | None
) -> NamedLimits:
    if drawn is None:
        low, high, how = FORMULAS[metric.name](table, design=design, confidence_level=level)
        return NamedLimits(np.minimum(low, value), np.maximum(high, value), how)  # rounding must not leave it outside
    found = _resampled(metric, table, value, drawn, level, method)
    return NamedLimits(found.low, found.high, found.method + drawn.remark)


def _resampled(
    metric: Metric, table: ScoreTable, value: float, drawn: Drawn, level: float, method: str | None
) -> NamedLimits:
    draws = drawn.replicates
    if method is None and metric.interval == "percentile" and drawn.start == value:
        method = "percentile"  # else every resample agreed, and half a case was added
    if method in (None, "bootstrap", "bias_corrected"):
        smaller = min(table.n_positives, table.n_negatives)
        return resampled.bias_corrected(
            value, draws, smoothed_value=drawn.start, smaller_class=smaller, confidence_level=level, range=metric.range
        )
    if method == "percentile":
        return resampled.percentile(value, draws, confidence_level=level)
    if method == "basic":
        return resampled.basic(value, draws, confidence_level=level, range=metric.range)
    if method == "bca":
        pull = resampled.jackknife_acceleration(metric, table)
        return resampled.bca(value, draws, acceleration=pull, confidence_level=level)
    raise ArgumentError(f"unknown interval method {method!r}. Hint: percentile, basic, bca or bias_corrected.")
