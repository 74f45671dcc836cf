"""Summaries of several classes whose cases belong to groups: the jackknife over whole groups.

A table of decisions is computed anew without each group. Of scores, a group moves the value by the influences of its
cases, those of each class divided by the share of the class that is left: without the group, each other case counts
for more.
"""

from __future__ import annotations

import numpy as np

from unconfuse.metrics import Metric
from unconfuse.metrics._metric import InfluenceSummary
from unconfuse.table import Array, ConfusionCells, InMemorySample, Settings, summed_by
from unconfuse.table.counts import counted_by, summed
from unconfuse.uncertainty.bootstrap_intervals import scale_name
from unconfuse.uncertainty.clustered_metrics import with_half, without_each
from unconfuse.uncertainty.clusters import ClusterPart, Jackknifed, deciding_cases, difference_of, jackknifed, part_of
from unconfuse.uncertainty.joint_replicates import ONE_GROUP
from unconfuse.uncertainty.method import NoInterval
from unconfuse.uncertainty.multiclass_limits import (
    ClassInterval,
    cell_influence,
    gaps_by_chance,
    variance_of,
    with_half_cases,
)

_CELLS = 1 << 23  # of the tables without each group; beyond that, influences do
_SMOOTHED_UP_TO = 30  # classes, as where tables are resampled


def limits_of_groups(metric: Metric, found: InfluenceSummary, rows: InMemorySample, design: Settings) -> ClassInterval:
    """Return the interval of a summary, or why there is none."""
    if rows.n_groups < 2:
        return ClassInterval(*ONE_GROUP, found.note)
    own = _jackknifed(metric, found, rows)
    if np.isnan(own.variance):
        return ClassInterval(np.nan, np.nan, NoInterval("no interval: its influence function is not known"), found.note)
    low, high = own.limits(design.confidence_level)
    note, chance = found.note, gaps_by_chance(metric, found.value, rows, design)
    if chance is not None:
        note, low = "; ".join(part for part in (note, chance.note) if part), 0.0 if chance.reached else low
    scale = ", Wilson" if np.isfinite(metric.range).all() else scale_name(metric.range)
    return ClassInterval(low, high, f"jackknife of whole groups{scale}{own.remark}", note, own.error)


def difference_of_groups(
    metric: Metric, one: InfluenceSummary, two: InfluenceSummary, rows: InMemorySample
) -> Jackknifed:
    """Of two models on the same cases, from both models' influences."""
    influence = one.influence - two.influence
    value, weight = one.value - two.value, rows.weight
    parts, span = _parts(influence, rows, summed(weight * influence**2)), metric.range[1] - metric.range[0]
    least = (
        0.5 * (span / (rows.n + 1)) ** 2 if np.isfinite(span) else 0.5 * summed(weight * influence**2) / (rows.n + 1)
    )
    return difference_of(value, value - _moves(influence, rows), parts, least=least, span=span)


def _jackknifed(metric: Metric, found: InfluenceSummary, rows: InMemorySample) -> Jackknifed:
    alone = rows.ungrouped()
    variance, centre = variance_of(found.influence, alone), found.value
    wary = with_half_cases(metric, alone) if metric.of != "cells" else _smoothed(metric, rows)
    if wary is not None and wary[1] > variance:
        centre, variance = wary[0], wary[1]
    if np.isfinite(metric.range).all():
        centre = with_half(found.value, rows.n, metric.range)
    parts, errors = _parts(found.influence, rows, variance), deciding_cases(found.influence, rows.weight)
    if metric.interval == "mid_p":  # a share of all cases
        assert rows.groups is not None
        variance, errors = centre * (1 - centre) / (rows.n + 1), rows.n * min(found.value, 1 - found.value)
        parts = [part_of(found.influence, rows.weight, rows.groups, rows.n_groups, variance, "cases")]
    return jackknifed(
        found.value, value_without(metric, found, rows), parts, centre=centre, errors=errors, range=metric.range
    )


def _smoothed(metric: Metric, rows: InMemorySample) -> tuple[float, float] | None:
    """Value and variance of a table of decisions with half a case of unknown decision in each class."""
    if rows.n_classes > _SMOOTHED_UP_TO:
        return None
    cells = rows.cells().smoothed()
    influence = np.nan_to_num(cell_influence(metric, cells))
    return float(metric(cells)), float(cells.count @ influence**2)


def value_without(metric: Metric, found: InfluenceSummary, rows: InMemorySample) -> Array:
    """Return the value without each group."""
    assert rows.groups is not None
    cells, groups = rows.cells(), rows.n_groups
    if metric.inference.gaps is not None:
        columns = np.column_stack([metric.inference.gaps(rows), np.ones(len(rows))]) * rows.weight[:, None]
        held = np.column_stack([summed_by(rows.groups, each, groups) for each in columns.T])
        left = held.sum(axis=0) - held
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.abs(left[:, :-1] / left[:, -1:]).sum(axis=1))
    if metric.of == "cells" and groups * len(cells.truth) <= _CELLS:
        return metric(cells.with_counts(without_each(_held(cells, rows))))
    return found.value - _moves(found.influence, rows)


def _held(cells: ConfusionCells, rows: InMemorySample) -> Array:
    """Return the weight of each group in each cell."""
    size = rows.n_classes
    code, known = rows.truth * size + rows.predicted, cells.truth * size + cells.predicted
    place, many = np.minimum(np.searchsorted(known, code), len(known) - 1), len(known)
    assert rows.groups is not None
    held = counted_by(rows.groups * many + place, rows.weights, rows.n_groups * many)
    return np.asarray(held.reshape(-1, many))


def _moves(influence: Array, rows: InMemorySample) -> Array:
    """By how much each group moves the value; NaN where nothing is left of a class without it."""
    assert rows.groups is not None
    place, shape = rows.groups * rows.n_classes + rows.truth, (rows.n_groups, rows.n_classes)
    sums, sizes = (
        summed_by(place, each, shape[0] * shape[1]).reshape(shape) for each in (rows.weight * influence, rows.weight)
    )
    left, whole = without_each(sizes), sizes.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = np.where(sizes > 0, sums * (whole / left), 0.0)
        # Two classes that a group empties at once may add up inf and -inf.
        return np.asarray(np.where(np.isfinite(moved).all(axis=1), moved.sum(axis=1), np.nan))


def _parts(influence: Array, rows: InMemorySample, variance: float) -> list[ClusterPart]:
    """Each class with its share of the variance; equal ones where all cases are alike."""
    assert rows.groups is not None
    classes = [(f"class {rows.classes[k]}", np.flatnonzero(rows.truth == k)) for k in np.flatnonzero(rows.sizes > 0)]
    powers = np.array([summed(rows.weight[own] * influence[own] ** 2) for _, own in classes])
    shares = powers / powers.sum() if powers.sum() > 0 else np.full(len(classes), 1 / len(classes))
    return [
        part_of(influence[own], rows.weight[own], rows.groups[own], rows.n_groups, variance * float(share), name)
        for (name, own), share in zip(classes, shares, strict=True)
    ]
