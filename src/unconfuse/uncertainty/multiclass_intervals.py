"""Intervals of summaries of several classes: mid-p for shares, resampled tables for decisions, influences for the rest.

One set of resampled tables serves all metrics of decisions, so that they can be compared within a resample. Influence
functions need no resampling, whatever the number of classes; groups are added up before they are squared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from unconfuse import _kernels
from unconfuse._errors import ArgumentError
from unconfuse.metrics import Metric
from unconfuse.metrics.multiclass_decisions import values_in_average
from unconfuse.table import Array, ClassMargins, ConfusionCells, InMemorySample, Sample, Settings
from unconfuse.uncertainty.bootstrap import slices
from unconfuse.uncertainty.bootstrap_intervals import bias_corrected, percentile, scale_name, spread
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.multiclass_limits import (
    PATIENCE,
    ClassInterval,
    cell_influence,
    limits_of_rows,
    limits_of_share,
    limits_of_sums,
    stepped_limits,
    summary_of,
    undefined_classes,
)

SMOOTHED_UP_TO = 30  # classes; beyond that, half a case for each class would fill the whole table
RARE = 30  # cases of a class, below which averages ask for its own interval (tests/coverage/multiclass.py)
_CELLS_AT_A_TIME = 1 << 22
# Cases added to a class that is predicted and does not occur, where an average counts it: it may occur elsewhere.
# Chosen among .5, 1, 1.5 and 2 on tables of 200 cases without the class (1% of cases, 3% of predictions), where it held
# macro F1 and precision 97% and 96% of the time (98 tables); on fresh ones 91% and 90% (124 tables), and in two other
# populations always (148 tables). Without it: 20% and 38% (40 tables).
_ABSENT = 1.5


def estimates_of_classes(metrics: Sequence[Metric], sample: Sample, design: Settings) -> dict[str, Estimate]:
    """All metrics of one model of several classes, by name, in the order asked for."""
    cells = sample.cells()
    multiclass_replicates = None
    resampled = [metric for metric in metrics if _is_resampled(metric, sample, design)]
    if resampled and can_resample(cells, design):
        multiclass_replicates = draw_tables(resampled, cells, design, sample.sampling.fixed_classes)
    return {metric.name: _estimate(metric, sample, cells, multiclass_replicates, design, None) for metric in metrics}


def _is_resampled(metric: Metric, sample: Sample, design: Settings) -> bool:
    if metric.of != "cells" or not sample.sampling.counted:
        return False
    return metric.interval == "bootstrap" or sample.sampling.fixed_classes


def _estimate(
    metric: Metric,
    sample: Sample,
    cells: ConfusionCells,
    drawn: MulticlassReplicates | None,
    design: Settings,
    method: str | None,
) -> Estimate:
    """Estimate a value with everything that a reader needs beside it, able to be asked again."""
    value, limits, why = _value_and_limits(metric, sample, cells, drawn, design, method)
    margins = cells.margins()
    total = float(margins.total)
    size = f"{cells.n_classes} classes, {total:g} cases"
    chance = metric.chance
    return Estimate.from_interval(
        metric,
        value,
        (max(limits.low, metric.range[0]), min(limits.high, metric.range[1]), limits.method),
        design.confidence_level,
        standard_error=limits.standard_error,
        undefined=why or (metric.undefined if np.isnan(value) else None),
        baseline=np.nan if chance is None else float(chance(margins.truth / total, margins.predicted / total)),
        conditions=f"{size}; {limits.note}" if limits.note else size,
        recompute=partial(_ask_again, metric, sample, design.without_progress()),
    )


def _ask_again(
    metric: Metric, sample: Sample, design: Settings, *, confidence_level: float, method: str | None
) -> Estimate:
    cells, settings = sample.cells(), design.with_confidence_level(confidence_level)
    needed = metric.of == "cells" and sample.sampling.counted and (method or metric.interval) != "delta"
    again = (
        draw_tables([metric], cells, settings, sample.sampling.fixed_classes)
        if needed and can_resample(cells, design)
        else None
    )
    return _estimate(metric, sample, cells, again, settings, method)


def _value_and_limits(
    metric: Metric,
    sample: Sample,
    cells: ConfusionCells,
    drawn: MulticlassReplicates | None,
    design: Settings,
    method: str | None,
) -> tuple[float, ClassInterval, str | None]:
    nothing = ClassInterval(np.nan, np.nan, "")
    if metric.of == "cells" and sample.sampling.counted:
        value = float(metric(cells))
        limits = nothing if np.isnan(value) else _of_cells(metric, value, cells, sample, drawn, design, method)
        rare = _of_rare(metric, value, sample, design) if method is None else None
        return value, limits if rare is None else _as_far_as(limits, rare, metric), None
    if method not in (None, metric.interval):
        raise ArgumentError(f"{metric.name} has the interval {metric.interval!r} only; got {method!r}.")
    if (rows := sample.in_memory) is not None:
        influence_summary = summary_of(metric, rows)
        influence_summary = replace(influence_summary, value=float(metric.rounded(np.asarray(influence_summary.value))))
        if (rare := _of_rare(metric, influence_summary.value, sample, design)) is not None:
            return influence_summary.value, replace(rare, note=influence_summary.note), None
        limits = (
            nothing if np.isnan(influence_summary.value) else limits_of_rows(metric, influence_summary, rows, design)
        )
        return influence_summary.value, _not_narrower(limits, metric, influence_summary.value, rows, design), None
    assert sample.aggregated is not None
    return limits_of_sums(metric, sample.aggregated, design)


def _not_narrower(
    limits: ClassInterval, metric: Metric, value: float, rows: InMemorySample, design: Settings
) -> ClassInterval:
    """Limits of cases in groups: where a class is rare, at least those of the same cases each for itself."""
    if np.isnan(limits.low) or not rows.sampling.clustered or rows.sampling.by_weights:
        return limits
    alone = _of_rare(metric, value, rows.ungrouped(), design)
    if alone is None:
        return limits
    return replace(limits, low=min(limits.low, alone.low), high=max(limits.high, alone.high))


def _as_far_as(limits: ClassInterval, rare: ClassInterval, metric: Metric) -> ClassInterval:
    """Limits of an average with a rare class, towards the better end as far out at least as without its own interval.

    Small samples without an error leave the classes' own intervals no room above, and averages such as macro F1 have a
    bias downwards that they do not know: with them alone the truth of 30 cases of four to six classes lay above in 7 to
    9% of the samples, now in 0 to 4%, with intervals up to a fifth wider (250 samples of each of eight settings).
    """
    if metric.better == "lower":
        return replace(rare, low=float(np.fmin(rare.low, limits.low)))
    return replace(rare, high=float(np.fmax(rare.high, limits.high)))


def _of_rare(metric: Metric, value: float, sample: Sample, design: Settings) -> ClassInterval | None:
    """Limits of an average over classes of which one has few cases; None of all else."""
    if sample.sizes[sample.sizes > 0].min(initial=np.inf) >= RARE:
        return None
    from unconfuse.uncertainty.rare_classes import limits_of_average  # few samples have such a class

    return limits_of_average(metric, value, sample, design)


# Decisions: functions of a K x K table


@dataclass(frozen=True, eq=False)
class MulticlassReplicates:
    """Replicates of the metrics of decisions, and their values on the table that was resampled."""

    replicates: dict[str, Array]
    start: dict[str, float]


def can_resample(cells: ConfusionCells, design: Settings) -> bool:
    """Whether resampling the table is quick enough."""
    size = cells.n_classes**2 if cells.n_classes <= SMOOTHED_UP_TO else len(cells.truth)
    return size * design.n_resamples <= PATIENCE


def draw_tables(
    metrics: Sequence[Metric], cells: ConfusionCells, design: Settings, fixed_classes: bool
) -> MulticlassReplicates:
    """Resample the K x K table: over all cases, or within true classes."""
    if cells.n_classes > SMOOTHED_UP_TO:
        return _drawn_from(cells, metrics, design, fixed_classes)
    wide = [metric for metric in metrics if not fixed_classes and _counts_absent(metric, cells.margins())]
    multiclass_replicates = _drawn_from(
        cells.smoothed(), [metric for metric in metrics if metric not in wide], design, fixed_classes
    )
    more = _drawn_from(cells.smoothed(absent=_ABSENT), wide, design.without_progress(), fixed_classes)
    return MulticlassReplicates(
        multiclass_replicates.replicates | more.replicates, multiclass_replicates.start | more.start
    )


def _counts_absent(metric: Metric, margins: ClassMargins) -> bool:
    """Whether an average counts a class that is predicted and does not occur."""
    if (
        metric.inference.average is None or metric.inference.average.kind != "macro"
    ):  # a weight of no cases counts for nothing
        return False
    absent = (margins.truth == 0) & (margins.predicted > 0)
    return bool((absent & ~np.isnan(values_in_average(metric.inference.average.of, margins))).any())


def _drawn_from(
    basis: ConfusionCells, metrics: Sequence[Metric], design: Settings, fixed_classes: bool, shares: Array | None = None
) -> MulticlassReplicates:
    parts: dict[str, list[Array]] = {each.name: [] for each in metrics}
    strata = basis.truth if fixed_classes else None
    for first, count in slices(design.n_resamples if metrics else 0, _CELLS_AT_A_TIME // (len(basis.truth) + 1)):
        draws = _kernels.bootstrap_rows(basis.count, seed=design.seed, first=first, count=count, strata=strata)
        tables = basis.with_counts(draws.astype(np.float64))
        tables = tables if shares is None else tables.at_shares(shares)
        for metric in metrics:
            parts[metric.name].append(metric(tables))
        if design.progress is not None:
            design.progress(first + count, design.n_resamples)
    replicates = {name: np.concatenate(values) for name, values in parts.items()}
    start = basis if shares is None else basis.at_shares(shares)
    return MulticlassReplicates(replicates, {each.name: float(each(start)) for each in metrics})


def limits_at_shares(
    metrics: Sequence[Metric], cells: ConfusionCells, shares: Array, design: Settings
) -> dict[str, ClassInterval]:
    """Limits of metrics of decisions where classes have other shares: cases are resampled within their class."""
    basis = cells.smoothed() if cells.n_classes <= SMOOTHED_UP_TO else cells
    multiclass_replicates, size = (
        _drawn_from(basis, metrics, design, fixed_classes=True, shares=shares),
        float(cells.count.sum()),
    )
    found = {}
    for metric in metrics:
        value, draws = float(metric(cells.at_shares(shares))), multiclass_replicates.replicates[metric.name]
        how = {"smoothed_value": multiclass_replicates.start[metric.name], "smaller_class": size}
        limits = bias_corrected(value, draws, **how, confidence_level=design.confidence_level, range=metric.range)
        found[metric.name] = ClassInterval(float(limits.low), float(limits.high), limits.method, "", spread(draws))
    return found


def _of_cells(
    metric: Metric,
    value: float,
    cells: ConfusionCells,
    sample: Sample,
    drawn: MulticlassReplicates | None,
    design: Settings,
    method: str | None,
) -> ClassInterval:
    margins, level = cells.margins(), design.confidence_level
    note, wanted = undefined_classes(metric, margins, sample.classes), method or metric.interval
    if wanted == "mid_p" and not sample.sampling.fixed_classes:
        return limits_of_share(value, float(margins.tp.sum()), float(margins.total), level, note)
    if drawn is not None and metric.name in drawn.replicates and wanted != "delta":
        return _resampled(metric, value, drawn, margins, level, wanted, note)
    influence = cell_influence(metric, cells)[:, None]
    spread = float(sample.sampling.covariance(influence, cells.count, cells.truth)[0, 0])
    low, high = stepped_limits(metric, value, spread, float(margins.total), level)
    return ClassInterval(low, high, f"delta method{scale_name(metric.range)}", note, float(np.sqrt(spread)))


def _resampled(
    metric: Metric,
    value: float,
    drawn: MulticlassReplicates,
    margins: ClassMargins,
    level: float,
    method: str,
    note: str,
) -> ClassInterval:
    draws = drawn.replicates[metric.name]
    error = spread(draws)
    if method == "percentile":
        found = percentile(value, draws, confidence_level=level)
    elif method in ("bootstrap", "mid_p"):
        start, size = drawn.start[metric.name], float(margins.truth.sum())
        how = {"smoothed_value": start, "smaller_class": size, "confidence_level": level}
        found = bias_corrected(value, draws, **how, range=metric.range)
    else:
        raise ArgumentError(f"unknown interval method {method!r}. Hint: bootstrap, percentile or delta.")
    return ClassInterval(float(found.low), float(found.high), found.method, note, error)


# Scores: sums over rows of each one's influence


# Sums: rows that stay elsewhere


# Steps on a scale without ends
