"""Intervals of metrics of scores: a formula where one serves, else the bootstrap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.metrics import Metric
from unconfuse.results import Estimate
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty import resampled
from unconfuse.uncertainty.bootstrap import Progress, bootstrap, split
from unconfuse.uncertainty.coarse import coarsened
from unconfuse.uncertainty.delong import auroc_interval
from unconfuse.uncertainty.smoothed import NamedLimits


@dataclass(frozen=True)
class Resampling:
    """How many resamples, with which seed, under which design."""

    n_resamples: int = 2000
    seed: int = 0
    design: str = "cohort"
    progress: Progress | None = None


def estimate_scores(
    metrics: Iterable[Metric], table: ScoreTable, *, confidence_level: float, how: Resampling, context: str = ""
) -> dict[str, Estimate]:
    """Metrics of one score table with their intervals, from one shared set of resamples."""
    wanted = list(metrics)
    replicates = replicates_of([each for each in wanted if each.interval == "bootstrap"], table, how)
    return {
        each.name: _estimate(each, table, replicates.get(each.name), confidence_level, how, context) for each in wanted
    }


def replicates_of(metrics: list[Metric], table: ScoreTable, how: Resampling) -> dict[str, Array]:
    """Replicates of each metric; where no kernel computes it, the noise comes from a table of fewer score bands."""
    draw = partial(bootstrap, n_resamples=how.n_resamples, design=how.design, rng=how.seed, progress=how.progress)
    compiled, others = split(metrics)
    small = coarsened(table)
    drawn = draw(table, compiled) if compiled else {}
    noise = draw(small, others) if others else {}
    return drawn | {each.name: noise[each.name] + (each(table) - each(small)) for each in others}


def _estimate(
    metric: Metric, table: ScoreTable, replicates: Array | None, level: float, how: Resampling, context: str,
    *, method: str | None = None,
) -> Estimate:  # fmt: skip
    value = float(metric(table))
    undefined = metric.undefined if np.isnan(value) else None
    limits = None if undefined else _limits(metric, table, value, replicates, level, method)
    return Estimate(
        name=metric.name, label=metric.label, value=value,
        low=np.nan if limits is None else float(limits.low),
        high=np.nan if limits is None else float(limits.high),
        confidence_level=level, method="" if limits is None else limits.method, undefined=undefined,
        better=metric.better, baseline=float(metric.baseline(table.prevalence, table.prevalence)), context=context,
        ask=partial(_ask_again, metric, table, how, context),
    )  # fmt: skip


def _ask_again(
    metric: Metric, table: ScoreTable, how: Resampling, context: str, *, confidence_level: float, method: str | None
) -> Estimate:
    drawn = None
    if method is not None or metric.interval == "bootstrap":
        drawn = replicates_of([metric], table, how)[metric.name]
    return _estimate(metric, table, drawn, confidence_level, how, context, method=method)


def _limits(
    metric: Metric, table: ScoreTable, value: float, replicates: Array | None, level: float, method: str | None
) -> NamedLimits:
    if replicates is None:
        area = auroc_interval(table, confidence_level=level)
        return area if metric.name == "auroc" else NamedLimits(2 * area.low - 1, 2 * area.high - 1, area.method)
    if method in (None, "bootstrap", "bias_corrected"):
        return resampled.bias_corrected(value, replicates, confidence_level=level, range=metric.range)
    if method == "percentile":
        return resampled.percentile(value, replicates, confidence_level=level)
    if method == "basic":
        return resampled.basic(value, replicates, confidence_level=level, range=metric.range)
    if method == "bca":
        pull = resampled.jackknife_acceleration(metric, table)
        return resampled.bca(value, replicates, acceleration=pull, confidence_level=level)
    raise ArgumentError(f"unknown interval method {method!r}. Hint: percentile, basic, bca or bias_corrected.")
