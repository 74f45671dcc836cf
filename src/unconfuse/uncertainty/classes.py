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
from unconfuse.metrics.of_cells import values_in_average
from unconfuse.table import Array, Cells, Design, DistantSample, Margins, NearSample, Sample
from unconfuse.uncertainty.bootstrap import slices
from unconfuse.uncertainty.class_limits import (
    PATIENCE,
    Limits,
    cell_influence,
    limits_of_rows,
    limits_of_share,
    limits_of_sums,
    needs_rows,
    stepped_limits,
    summary_of,
    undefined_classes,
    variance_within,
)
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.resampled import bias_corrected, percentile, scale_name, spread

SMOOTHED_UP_TO = 30  # classes; beyond that, half a case for each class would fill the whole table
_CELLS_AT_A_TIME = 1 << 22
# Cases added to a class that is predicted and does not occur, where an average counts it: it may occur elsewhere.
# Chosen among .5, 1, 1.5 and 2 on tables of 200 cases without the class (1% of cases, 3% of predictions), where it held
# macro F1 and precision 97% and 96% of the time (98 tables); on fresh ones 91% and 90% (124 tables), and in two other
# populations always (148 tables). Without it: 20% and 38% (40 tables).
_ABSENT = 1.5


def estimates_of_classes(metrics: Sequence[Metric], sample: Sample, design: Design) -> dict[str, Estimate]:
    """All metrics of one model of several classes, by name, in the order asked for."""
    cells = sample.cells()
    drawn = None
    resampled = [each for each in metrics if _is_resampled(each, sample, design)]
    if resampled and can_resample(cells, design):
        drawn = draw_tables(resampled, cells, design)
    return {each.name: _estimate(each, sample, cells, drawn, design, None) for each in metrics}


def _is_resampled(metric: Metric, sample: Sample, design: Design) -> bool:
    if metric.of != "cells" or needs_rows(sample):
        return False
    return metric.interval == "bootstrap" or not design.is_cohort


def _estimate(
    metric: Metric, sample: Sample, cells: Cells, drawn: Drawn | None, design: Design, method: str | None
) -> Estimate:
    """A value with everything that a reader needs beside it, able to be asked again."""
    value, limits, why = _value_and_limits(metric, sample, cells, drawn, design, method)
    margins = cells.margins()
    total = float(margins.total)
    size = f"{cells.n_classes} classes, {total:g} cases"
    chance = metric.chance
    return Estimate.of(
        metric,
        value,
        (max(limits.low, metric.range[0]), min(limits.high, metric.range[1]), limits.method),
        design.confidence_level,
        standard_error=limits.standard_error,
        undefined=why or (metric.undefined if np.isnan(value) else None),
        baseline=np.nan if chance is None else float(chance(margins.truth / total, margins.predicted / total)),
        context=f"{size}; {limits.note}" if limits.note else size,
        ask=partial(_ask_again, metric, sample, design.quietly()),
    )


def _ask_again(
    metric: Metric, sample: Sample, design: Design, *, confidence_level: float, method: str | None
) -> Estimate:
    cells, settings = sample.cells(), design.at(confidence_level)
    needed = metric.of == "cells" and not needs_rows(sample) and (method or metric.interval) != "delta"
    again = draw_tables([metric], cells, settings) if needed and can_resample(cells, design) else None
    return _estimate(metric, sample, cells, again, settings, method)


def _value_and_limits(
    metric: Metric, sample: Sample, cells: Cells, drawn: Drawn | None, design: Design, method: str | None
) -> tuple[float, Limits, str | None]:
    nothing = Limits(np.nan, np.nan, "")
    if metric.of == "cells" and not needs_rows(sample):
        value = float(metric(cells))
        limits = nothing if np.isnan(value) else _of_cells(metric, value, cells, sample, drawn, design, method)
        return value, limits, None
    if method not in (None, metric.interval):
        raise ArgumentError(f"{metric.name} has the interval {metric.interval!r} only; got {method!r}.")
    if isinstance(sample, NearSample):
        found = summary_of(metric, sample)
        found = replace(found, value=float(metric.rounded(np.asarray(found.value))))
        return found.value, nothing if np.isnan(found.value) else limits_of_rows(metric, found, sample, design), None
    assert isinstance(sample, DistantSample)
    return limits_of_sums(metric, sample, design)


# Decisions: functions of a K x K table


@dataclass(frozen=True, eq=False)
class Drawn:
    """Replicates of the metrics of decisions, and their values on the table that was resampled."""

    replicates: dict[str, Array]
    start: dict[str, float]


def can_resample(cells: Cells, design: Design) -> bool:
    """Whether resampling the table is quick enough."""
    size = cells.n_classes**2 if cells.n_classes <= SMOOTHED_UP_TO else len(cells.truth)
    return size * design.n_resamples <= PATIENCE


def draw_tables(metrics: Sequence[Metric], cells: Cells, design: Design) -> Drawn:
    """Resample the K x K table: over all cases, or within true classes."""
    if cells.n_classes > SMOOTHED_UP_TO:
        return _drawn_from(cells, metrics, design)
    wide = [each for each in metrics if design.is_cohort and _counts_absent(each, cells.margins())]
    found = _drawn_from(cells.smoothed(), [each for each in metrics if each not in wide], design)
    more = _drawn_from(cells.smoothed(absent=_ABSENT), wide, design.quietly())
    return Drawn(found.replicates | more.replicates, found.start | more.start)


def _counts_absent(metric: Metric, margins: Margins) -> bool:
    """Whether an average counts a class that is predicted and does not occur."""
    if (
        metric.inference.average is None or metric.inference.average.kind != "macro"
    ):  # a weight of no cases counts for nothing
        return False
    absent = (margins.truth == 0) & (margins.predicted > 0)
    return bool((absent & ~np.isnan(values_in_average(metric.inference.average.of, margins))).any())


def _drawn_from(basis: Cells, metrics: Sequence[Metric], design: Design) -> Drawn:
    parts: dict[str, list[Array]] = {each.name: [] for each in metrics}
    strata = None if design.is_cohort else basis.truth
    for first, count in slices(design.n_resamples if metrics else 0, _CELLS_AT_A_TIME // (len(basis.truth) + 1)):
        draws = _kernels.bootstrap_rows(basis.count, seed=design.seed, first=first, count=count, strata=strata)
        tables = basis.with_counts(draws.astype(np.float64))
        for each in metrics:
            parts[each.name].append(each(tables))
        if design.progress is not None:
            design.progress(first + count, design.n_resamples)
    replicates = {name: np.concatenate(values) for name, values in parts.items()}
    return Drawn(replicates, {each.name: float(each(basis)) for each in metrics})


def _of_cells(
    metric: Metric, value: float, cells: Cells, sample: Sample, drawn: Drawn | None, design: Design, method: str | None
) -> Limits:
    margins, level = cells.margins(), design.confidence_level
    note, wanted = undefined_classes(metric, margins, sample.classes), method or metric.interval
    if wanted == "mid_p" and design.is_cohort:
        return limits_of_share(value, float(margins.right.sum()), float(margins.total), level, note)
    if drawn is not None and metric.name in drawn.replicates and wanted != "delta":
        return _resampled(metric, value, drawn, margins, level, wanted, note)
    strata = np.zeros(len(cells.truth), dtype=np.int64) if design.is_cohort else cells.truth
    sizes = np.bincount(strata, weights=cells.count).astype(np.float64)
    spread = variance_within(cell_influence(metric, cells), cells.count, strata, sizes)
    low, high = stepped_limits(metric, value, spread, float(margins.total), level)
    return Limits(low, high, f"delta method{scale_name(metric.range)}", note, float(np.sqrt(spread)))


def _resampled(
    metric: Metric, value: float, drawn: Drawn, margins: Margins, level: float, method: str, note: str
) -> Limits:
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
    return Limits(float(found.low), float(found.high), found.method, note, error)


# Scores: sums over rows of each one's influence


# Sums: rows that stay elsewhere


# Steps on a scale without ends
