"""Replicates of several models on the same resampled cases, wherever these are, so that differences are paired.

Drawing cases one by one is drawing how many come from each pattern of decisions, so that metrics of decisions need the
patterns alone. Only the rest, and cases in groups, are resampled case by case: near ones here, distant ones on their
cluster in bands of scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from unconfuse.metrics import Metric
from unconfuse.metrics._metric import ratio
from unconfuse.metrics.constrained import constraint_of
from unconfuse.metrics.requirements import by_cut, cut_for
from unconfuse.table import INTERVAL, AggregatedSample, Array, Counts, InMemorySample, Sample, ScoreTable, Settings
from unconfuse.table.sample import JointCounts
from unconfuse.uncertainty.bootstrap import band_ends, in_bands, slices, values_of
from unconfuse.uncertainty.bootstrap_intervals import bias_corrected, spread, student_percentile
from unconfuse.uncertainty.method import NoInterval
from unconfuse.uncertainty.proportion_intervals import Interval
from unconfuse.uncertainty.row_bootstrap import GROUPS, replicates_of_random_groups

if TYPE_CHECKING:
    from unconfuse.uncertainty.row_bootstrap import RowBootstrap

Integers = npt.NDArray[np.int64]
_CELLS = 1 << 21  # patterns of all resamples that are held at a time: 16 MB


def replicates(metrics: Iterable[Metric], sample: Sample, design: Settings) -> dict[str, Array]:
    """Replicates of shape (models, n_resamples) for each metric of a yes-or-no question."""
    wanted = list(metrics)
    if not sample.sampling.by_table:
        return by_cases(wanted, sample, design)
    labels = [metric for metric in wanted if metric.of == "counts"]
    others = [metric for metric in wanted if metric not in labels]
    found: dict[str, Array] = {}
    for own, some in by_cut(labels, sample):
        found |= _by_patterns(some, own, design)
    if found and not others and design.progress is not None:
        design.progress(design.n_resamples, design.n_resamples)
    return found | by_cases(others, sample, design)


def _by_patterns(metrics: Sequence[Metric], sample: Sample, design: Settings) -> dict[str, Array]:
    if not metrics:
        return {}
    joint_counts, generator = sample.joint_counts(), np.random.default_rng(design.seed)
    fixed = sample.sampling.fixed_classes
    names = [*joint_counts.labelled]
    labelled = np.array([joint_counts.labelled[name] for name in names])
    sides = np.stack(
        [
            each & label
            for each in (labelled, ~labelled)
            for label in (joint_counts.is_positive, ~joint_counts.is_positive)
        ]
    )
    cells = np.zeros((4, len(names), design.n_resamples))
    for members in (
        [joint_counts.is_positive, ~joint_counts.is_positive] if fixed else [np.ones_like(joint_counts.is_positive)]
    ):
        own = sides[..., members].astype(np.float64)
        for first, count in slices(
            design.n_resamples, _CELLS // len(joint_counts.weight)
        ):  # all at once take a gigabyte
            drawn = _resampled(joint_counts, members, count, generator, fixed_classes=fixed)
            cells[..., first : first + count] += own @ drawn.T
    counts = dict(zip(names, np.moveaxis(cells, 1, 0), strict=True))
    told = {name: Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn) for name, (tp, fp, fn, tn) in counts.items()}
    return {metric.name: np.array([metric(told[model]) for model in sample.models]) for metric in metrics}


def _resampled(
    found: JointCounts,
    members: npt.NDArray[np.bool_],
    count: int,
    generator: np.random.Generator,
    *,
    fixed_classes: bool,
) -> Array:
    """Draw how many cases come from each pattern of these, or what they weigh."""
    weight = found.weight[members]
    if not len(weight):  # a subgroup may lack a class, of which a study fixed the size
        return np.zeros((count, 0))
    if found.squares is None:
        return generator.multinomial(round(weight.sum()), weight / weight.sum(), count).astype(np.float64)
    squares = found.squares[members]  # by multipliers: see `bootstrap.multiplied`
    again = generator.standard_gamma(weight**2 / squares, (count, len(weight))) * (squares / weight)
    return np.asarray(again * _scales(weight.sum(), again) if fixed_classes else again)


def _scales(total: float, drawn: Array) -> Array:
    """Return what brings each resample back to its total; NaN where hardly a case was multiplied by next to nothing."""
    scales = ratio(total, drawn.sum(axis=1, keepdims=True))
    return np.where(np.isfinite(scales), scales, np.nan)


def by_cases(
    metrics: Sequence[Metric], sample: Sample, design: Settings, *, units: int | None = None
) -> dict[str, Array]:
    """Any metric, case by case or group by group.

    `units` says how many groups are drawn from, where the cases are a subgroup that lacks some of them.
    """
    sample.sampling.require(INTERVAL)
    if not metrics:
        return {}
    found: dict[str, Array] = {}
    for own, some in by_cut(metrics, sample):
        if (rows := own.in_memory) is not None:
            found |= _of_rows(some, _drawn(rows, design, units))
        elif (tables := own.aggregated) is not None:
            found |= _in_bands(some, tables, design)
    return found


def _drawn(sample: InMemorySample, design: Settings, units: int | None = None) -> RowBootstrap:
    from unconfuse.uncertainty.row_bootstrap import RowBootstrap  # most cases stand each for itself and need no rows

    return RowBootstrap(sample, design, units)


def _of_rows(metrics: Sequence[Metric], rows: RowBootstrap) -> dict[str, Array]:
    """Of very many rows in units, random groups of these are resampled."""
    if not rows.are_too_many:
        return rows.replicates(metrics)
    ends = {model: _ends(rows.sample, model) for model in rows.sample.models}
    return replicates_of_random_groups(metrics, rows.sample, rows.design, rows.within, ends)


ONE_GROUP = np.nan, np.nan, NoInterval("no interval: one group does not say how groups differ")
BY_RESAMPLING = ("bias_corrected", "bootstrap")  # what cases in groups may be asked for by name


def resampled_groups(
    metrics: Sequence[Metric], sample: Sample, design: Settings
) -> dict[str, tuple[float, float, str, float]]:
    """Limits, how they were made and standard error of each metric, from whole groups that are resampled."""
    drawn, model = by_cases(metrics, sample, design), sample.only_model
    values = {metric.name: value_of(metric, sample, model) for metric in metrics}
    return {
        metric.name: _limits_of(metric, values[metric.name], drawn[metric.name][0], sample, design)
        for metric in metrics
    }


def _limits_of(
    metric: Metric, value: float, replicates: Array, sample: Sample, design: Settings
) -> tuple[float, float, str, float]:
    level, n_groups = design.confidence_level, sample.n_groups
    if n_groups < 2:
        return *ONE_GROUP, np.nan
    if metric.inference.candidates is None and constraint_of(metric) is None:
        found = bias_corrected(value, replicates, confidence_level=level, range=metric.range, smaller_class=n_groups)
    else:  # its bias is small, and where ties make it jump, resamples jump as well
        low, high, how = student_percentile(value, replicates, n_groups - 1, confidence_level=level)
        found = Interval(np.minimum(low, value), np.maximum(high, value), how)
    method = found.method + f", whole groups{_remark(metric, sample, design)}"
    return float(found.low), float(found.high), method, spread(replicates)


def _remark(metric: Metric, sample: Sample, design: Settings) -> str:
    """Say what else was done to the rows: joined to random groups, or their scores to bands."""
    if sample.in_memory is None:
        return ""
    rows = _drawn(sample.in_memory, design)
    if rows.are_too_many:
        return f", {GROUPS} random ones of them, in score bands"
    joined = metric.of != "counts" and rows.bands_of([metric], sample.only_model) is not None
    return ", in score bands" if joined else ""


def value_of(metric: Metric, sample: Sample, model: str) -> float:
    """Return the bare value of a metric of one model; NaN where no case counts."""
    if not sample.n > 0:
        return math.nan
    if metric.of == "counts":
        return float(metric(cut_for(metric, sample).counts(model)))
    if metric.of == "cells":
        return float(metric(sample.cells(model)))
    if metric.of == "rows":
        return float(metric(sample.rows_for(metric.name).select_model(model)))
    return float(metric(sample.table(model)))


def _in_bands(metrics: Sequence[Metric], sample: AggregatedSample, design: Settings) -> dict[str, Array]:
    """Resampled tables of bands of scores, made where the cases are, give the spread about the value."""
    ends = {model: _ends(sample, model) for model in sample.models}
    lowest = {model: sample.table(model).score[end] for model, end in ends.items()}
    drawn = sample.replicates(lowest, design.n_resamples, design.seed)
    values: dict[str, list[Array]] = {each.name: [] for each in metrics}
    for model in sample.models:
        table, cut = sample.table(model), sample.thresholds.get(model)
        small = in_bands(table, ends[model])
        stack = _at_design(ScoreTable.from_validated(small.score, *drawn[model]), sample)
        for metric in metrics:
            shift = values_of(metric, table, cut) - values_of(metric, small, cut)
            values[metric.name].append(values_of(metric, stack, cut) + shift)
    return {name: np.array(value) for name, value in values.items()}


def _ends(sample: Sample, model: str) -> Integers:
    """Return the last block of each band; one band ends at the threshold, so that decisions stay exact."""
    table = sample.table(model)
    if model not in sample.thresholds:
        return band_ends(table)
    labelled = int(np.searchsorted(-table.score, -sample.thresholds[model], side="right"))
    return np.unique(np.append(band_ends(table), labelled - 1 if labelled else len(table) - 1))


def _at_design(stack: ScoreTable, sample: Sample) -> ScoreTable:
    """Class sizes vary from resample to resample in a cohort; a case-control study fixed them."""
    if not sample.sampling.fixed_classes:
        return stack
    fixed = [
        weights * (size / weights.sum(axis=-1, keepdims=True))
        for weights, size in ((stack.positives, sample.positives), (stack.negatives, sample.negatives))
    ]
    return ScoreTable.from_validated(stack.score, *fixed)
