"""`shift_prevalence` of several classes: the same class distributions, mixed in other shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text, short_repr
from unconfuse._validate import check_probability
from unconfuse.metrics import Metric
from unconfuse.results.evaluation import Evaluation
from unconfuse.table import Array, ConfusionCells, InMemorySample, Sample, Settings, summed_by
from unconfuse.table.sampling import CaseControl
from unconfuse.uncertainty import Estimate, estimate
from unconfuse.uncertainty.method import NoInterval
from unconfuse.uncertainty.multiclass_intervals import SMOOTHED_UP_TO, can_resample, limits_at_shares
from unconfuse.uncertainty.multiclass_limits import (
    cell_influence,
    stepped_limits,
    summary_of,
    variance_of,
    with_half_cases,
)

_MOST = 5_000_000  # cases that counts are unfolded into, one row each
_ROUNDING = 1e-6  # of shares that were typed
_GROUPS = "influence function, whole groups, class shares fixed"
_ONE_GROUP = NoInterval("no interval: there is one group")


def check_mix(given: Any, sample: Sample) -> Array:
    """Return the share of each class, in the order of the classes.

    >>> from unconfuse.api import evaluate
    >>> cases = evaluate(["a", "b", "c"], predicted=["a", "b", "b"]).sample
    >>> check_mix({"a": .2, "c": .3, "b": .5}, cases)
    array([0.2, 0.5, 0.3])
    """
    if not isinstance(given, Mapping):
        example = ", ".join(f"{short_repr(name)}: {1 / sample.n_classes:.3g}" for name in sample.classes[:3])
        more = ", ..." if sample.n_classes > 3 else ""
        raise ArgumentError(
            f"`prevalence` must be a mapping of {sample.n_classes} classes to shares; got {short_repr(given)}. "
            f"Hint: `prevalence={{{example}{more}}}`."
        )
    shares = np.full(sample.n_classes, np.nan)
    for name, share in given.items():
        place = sample.class_index(name)
        if not np.isnan(shares[place]):
            raise ArgumentError(f"`prevalence` names class {short_repr(sample.classes[place])} twice.")
        shares[place] = check_probability(share, f"prevalence[{name!r}]")
    missing = [name for name, share in zip(sample.classes, shares, strict=True) if np.isnan(share)]
    if missing:
        raise ArgumentError(
            f"`prevalence` has no share for class {short_repr(missing[0])}. Hint: every class needs one, or 0."
        )
    if abs(shares.sum() - 1) > _ROUNDING:
        raise ArgumentError(f"the shares in `prevalence` must add up to 1; got {number_text(float(shares.sum()))}.")
    held = zip(sample.classes, shares, sample.sizes, strict=True)
    empty = [name for name, share, size in held if share > 0 and size == 0]
    if empty:
        raise ArgumentError(
            f"class {short_repr(empty[0])} has no cases, so its share cannot be changed. Hint: give it a share of 0."
        )
    return np.asarray(shares / shares.sum())


def shift_classes(evaluation: Evaluation, prevalence: Any, confidence_level: float | None) -> Evaluation:
    """Return the evaluation among cases whose classes have these shares, which are taken as known."""
    sample = evaluation.sample
    shares = check_mix(prevalence, sample)
    settings = evaluation.settings.with_confidence_level(confidence_level or evaluation.confidence_level)
    found = {name: each.interval(confidence_level=settings.confidence_level) for name, each in evaluation.items()}
    if np.allclose(shares, sample.sizes / sample.n, rtol=1e-12, atol=0):
        return evaluation.with_changes(estimates=found, settings=settings)
    rows = _rows(sample)
    rows = rows.taken(np.flatnonzero(shares[rows.truth] > 0))
    factor = np.divide(shares * rows.n, rows.sizes, out=np.zeros(len(shares)), where=rows.sizes > 0)[rows.truth]
    moved = _mixed(rows, factor)
    metrics = [metric for metric in evaluation.metrics if metric.depends_on_prevalence or (shares == 0).any()]
    if rows.groups is None:
        new = _of_cases(metrics, rows, moved, shares, settings.without_progress())
    else:
        new = {metric.name: _of_groups(metric, rows, factor, settings) for metric in metrics}
    words = "class shares " + ", ".join(
        f"{name} {number_text(float(share))}" for name, share in zip(sample.classes, shares, strict=True)
    )
    found |= {name: replace(each, conditions=words) for name, each in new.items()}
    kept = {name: found[name] for name in evaluation}
    return evaluation.with_changes(estimates=kept, sample=moved, settings=settings, cached_findings=())


def _of_cases(
    metrics: Sequence[Metric], rows: InMemorySample, moved: InMemorySample, shares: Array, settings: Settings
) -> dict[str, Estimate]:
    """Decisions of whole cases are resampled within classes, with half a case in each; the rest goes by influence."""
    found, cells = estimate(metrics, moved, settings), rows.cells()
    decided = [each for each in metrics if each.of == "cells" and not np.isnan(found[each.name].value)]
    if not rows.sampling.counted or not can_resample(cells, settings):
        return found
    limits = limits_at_shares(decided, cells, shares, settings)
    for metric in decided:
        class_interval = limits[metric.name]
        ask = partial(_decided_again, metric, found[metric.name], cells, shares, settings)
        error, how = class_interval.standard_error, class_interval.method + ", within classes"
        found[metric.name] = replace(
            found[metric.name],
            low=class_interval.low,
            high=class_interval.high,
            method=how,
            standard_error=error,
            recompute=ask,
        )
    return found


def _decided_again(
    metric: Metric,
    known: Estimate,
    cells: ConfusionCells,
    shares: Array,
    settings: Settings,
    *,
    confidence_level: float,
    method: str | None,
) -> Estimate:
    _refuse_method(method)
    class_interval = limits_at_shares([metric], cells, shares, settings.with_confidence_level(confidence_level))[
        metric.name
    ]
    ask = partial(_decided_again, metric, known, cells, shares, settings)
    how = class_interval.method + ", within classes"
    return replace(
        known,
        low=class_interval.low,
        high=class_interval.high,
        confidence_level=confidence_level,
        method=how,
        recompute=ask,
    )


def _refuse_method(method: str | None) -> None:
    if method is not None:
        raise ArgumentError(f"`method` must be left out at another class mix; got {method!r}.")


def _rows(sample: Sample) -> InMemorySample:
    """Return the cases one by one: whole weights and tables of counts are unfolded."""
    rows = sample.in_memory
    if rows is None:
        cells = sample.cells() if sample.has_scores is False else None
        if cells is None or (cells.count % 1).any() or cells.count.sum() > _MOST:
            raise ArgumentError(
                "`shift_prevalence` of several classes needs the rows, or a table of whole counts. Hint: bring a "
                "sample of the rows with .toPandas()."
            )
        return _of_cells(sample, cells)
    if rows.weights is None or rows.is_sampled:
        return rows
    if rows.has_fractions or rows.n > _MOST:
        raise ArgumentError(
            "`shift_prevalence` of several classes does not support `weights` that are not integers. Hint: pass them "
            "as `sampling_weights` if they describe how cases were sampled."
        )
    times = rows.weights.astype(np.int64)
    return rows.taken(np.repeat(np.arange(len(rows)), times)).derive(weights=None)


def _of_cells(sample: Sample, cells: ConfusionCells) -> InMemorySample:
    times = cells.count.astype(np.int64)
    return InMemorySample(
        truth=np.repeat(cells.truth, times),
        decided={sample.only_model: np.repeat(cells.predicted, times)},
        classes=sample.classes,
        is_multiclass=True,
        ordinal=sample.ordinal,
        skipped=sample.skipped,
    )


def _mixed(rows: InMemorySample, factor: Array) -> InMemorySample:
    """Weight each row by its class; the study chose the shares, unless whole groups were drawn."""
    squares = factor**2 if rows.squares is None else rows.squares * factor**2
    fixed = rows.groups is None
    return rows.derive(weights=rows.weight * factor, squares=squares, fixed_classes=fixed)


def _of_groups(metric: Metric, rows: InMemorySample, factor: Array, settings: Settings) -> Estimate:
    """Whole groups: the influence of a case is taken about the mean of its class, whose share does not vary.

    Never narrower than the same cases drawn one by one, with half a case of unknown score in each class.
    """
    moved = _mixed(rows, factor)
    alone = moved.derive(groups=None, strata=None, fixed_classes=True)
    influence_summary = summary_of(metric, moved)
    variance = max(
        variance_of(_within_classes(influence_summary.influence, moved), moved),
        variance_of(influence_summary.influence, alone),
    )
    wary = _smoothed(metric, rows, moved) if metric.of == "cells" else with_half_cases(metric, alone)
    centre = influence_summary.value
    if wary is not None and variance < wary[1]:
        centre, variance = wary
    return _estimate(metric, moved, (influence_summary.value, centre, variance), influence_summary.note, settings)


def _smoothed(metric: Metric, rows: InMemorySample, moved: InMemorySample) -> tuple[float, float] | None:
    """Value and variance of decisions with half a case of unknown decision in each class."""
    if rows.n_classes > SMOOTHED_UP_TO:
        return None
    cells = rows.cells().smoothed()
    there = cells.at_shares(moved.sizes / moved.n)
    times = there.count / cells.count
    influence = times * np.nan_to_num(cell_influence(metric, there))
    return float(metric(there)), float(CaseControl().covariance(influence[:, None], cells.count, cells.truth)[0, 0])


def _estimate(
    metric: Metric, moved: InMemorySample, found: tuple[float, float, float], note: str, settings: Settings
) -> Estimate:
    """From the value, the centre of its interval, and the variance."""
    value, centre, variance = found
    if np.isnan(value) or moved.n_groups < 2 or np.isnan(variance):
        limits: tuple[float, float, str] = (np.nan, np.nan, "" if np.isnan(value) else _ONE_GROUP)
    else:
        ends = stepped_limits(metric, centre, variance, moved.n_groups, settings.confidence_level)
        low, high = max(min(ends[0], value), metric.range[0]), min(max(ends[1], value), metric.range[1])
        limits = (low, high, _GROUPS)
    return Estimate.from_interval(
        metric,
        value,
        limits,
        settings.confidence_level,
        standard_error=float(np.sqrt(variance)),
        undefined=metric.undefined if np.isnan(value) else None,
        conditions=note,
        recompute=partial(_again, metric, moved, found, note, settings),
    )


def _again(
    metric: Metric,
    moved: InMemorySample,
    found: tuple[float, float, float],
    note: str,
    settings: Settings,
    *,
    confidence_level: float,
    method: str | None,
) -> Estimate:
    _refuse_method(method)
    return _estimate(metric, moved, found, note, settings.with_confidence_level(confidence_level))


def _within_classes(influence: Array, rows: InMemorySample) -> Array:
    """Influences about the mean of their class."""
    truth = rows.truth.astype(np.int64, copy=False)
    sums = summed_by(truth, rows.weight * influence, rows.n_classes)
    means = np.divide(sums, rows.sizes, out=np.zeros(rows.n_classes), where=rows.sizes > 0)
    return np.asarray(influence - means[truth])
