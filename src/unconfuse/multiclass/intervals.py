"""Intervals of summaries of several classes: mid-p for shares, resampled tables for decisions, influences for the rest.

One set of resampled tables serves all metrics of decisions, so that they can be compared within a resample. Influence
functions need no resampling, whatever the number of classes; groups are added up before they are squared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.special import stdtrit

from unconfuse import _kernels
from unconfuse._errors import ArgumentError
from unconfuse.ingest._old import ClassScores, Codes
from unconfuse.multiclass._definition import ClassMetric, Summary
from unconfuse.multiclass.cells import Cells, cell_influence
from unconfuse.multiclass.decisions import undefined_classes
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.table import Array
from unconfuse.uncertainty.bootstrap import Progress, slices
from unconfuse.uncertainty.closed_form import NamedLimits, mid_p
from unconfuse.uncertainty.resampled import bias_corrected, percentile, scale_name, step

PATIENCE = 4e7  # cells times resamples that a user waits for; about a second
SMOOTHED_UP_TO = 30  # classes; beyond that, half a case for each class would fill the whole table
_CELLS_AT_A_TIME = 1 << 22
_NEAR = 2e-3  # of the range
_SMALL = 1_000_000  # scores
_PLACES = 20  # cases of other classes over which half a case is spread
_TOO_PERFECT = 0.25  # as a share of the variance with half a case added
Ends = tuple[Array | float, Array | float]


@dataclass(frozen=True)
class ClassHow:
    """The settings of an evaluation, checked."""

    design: str = "cohort"
    confidence_level: float = 0.95
    n_resamples: int = 2000
    seed: int = 0
    progress: Progress | None = None


def summary_of(metric: ClassMetric, rows: ClassScores, cells: Cells) -> Summary:
    """A metric's value and every row's influence on it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if metric.of != "confusion":
            found: Summary = metric.function(rows)
            return found
        weighting = None if metric.weighting is None else metric.weighting(rows.n_classes)
        by_cell = cell_influence(metric.function, cells, weighting)
        note = undefined_classes(metric, cells.margins().counts, rows.classes)
        return Summary(float(metric.of_cells(cells)), by_cell[_cell_of_rows(rows, cells)], note)


def _cell_of_rows(rows: ClassScores, cells: Cells) -> Codes:
    code = rows.truth * rows.n_classes + rows.predicted
    place = np.searchsorted(cells.truth * rows.n_classes + cells.predicted, code)
    return np.minimum(place, len(cells.truth) - 1)


def variance(influence: Array, rows: ClassScores, design: str) -> float:
    """Of the metric, from the rows' influences: over cases, within classes, or over whole groups."""
    weight = rows.weight
    if rows.groups is not None:
        sums = np.bincount(rows.groups, weights=weight * influence)
        return float(((sums - sums.mean()) ** 2).sum() * len(sums) / max(len(sums) - 1, 1))
    if design == "case-control":
        return _within(influence, weight, rows.truth, rows.sizes)
    return _within(influence, weight, np.zeros(len(rows), dtype=np.int64), np.array([rows.n]))


def _within(influence: Array, weight: Array, stratum: Codes, sizes: Array) -> float:
    """Sum of squares about each stratum's mean, with its own n - 1."""
    held = np.where(sizes > 0, sizes, 1.0)
    mean = np.bincount(stratum, weights=weight * influence, minlength=len(sizes)) / held
    squares = np.bincount(stratum, weights=weight * (influence - mean[stratum]) ** 2, minlength=len(sizes))
    return float((squares * sizes / np.maximum(sizes - 1, 1.0)).sum())


def resampled_weights(rows: ClassScores, how: ClassHow) -> Iterator[Array]:
    """The weight of every row in each resample, slice by slice: of cases, within classes, or of whole groups."""
    strata = rows.truth if how.design == "case-control" else None
    for first, count in slices(how.n_resamples, _CELLS_AT_A_TIME // (len(rows) + 1)):
        if rows.groups is None:
            draws = _kernels.bootstrap_rows(rows.weight, seed=how.seed, first=first, count=count, strata=strata)
            yield draws.astype(np.float64)
        else:
            units = np.ones(int(rows.groups.max()) + 1)
            draws = _kernels.bootstrap_rows(units, seed=how.seed, first=first, count=count)
            yield draws[:, rows.groups] * rows.weight


def linear_replicates(influence: Array, rows: ClassScores, how: ClassHow) -> Array:
    """How far each of several metrics (columns) moves in each resample of the rows, to first order."""
    return np.concatenate([(weights - rows.weight) @ influence for weights in resampled_weights(rows, how)])


def _of_gaps(metric: ClassMetric, value: float, rows: ClassScores, how: ClassHow) -> NamedLimits | None:
    """A mean of distances |sum over rows|: no derivative at 0, so that rows are resampled, if they are not too many."""
    make = metric.details.get("gaps")
    if make is None or len(rows) * max(how.n_resamples, 15 * rows.n_classes) > PATIENCE:
        return None
    gaps = make(rows)
    draws = [np.abs(weights @ gaps).sum(axis=1) / weights.sum(axis=1) for weights in resampled_weights(rows, how)]
    return bias_corrected(value, np.concatenate(draws), confidence_level=how.confidence_level, range=metric.range)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Replicates of the metrics of decisions, and their values on the table that was resampled."""

    replicates: dict[str, Array]
    start: dict[str, float]


def can_resample(cells: Cells, how: ClassHow) -> bool:
    """Whether resampling the table is quick enough."""
    size = cells.n_classes**2 if cells.n_classes <= SMOOTHED_UP_TO else len(cells.truth)
    return size * how.n_resamples <= PATIENCE


def draw_tables(metrics: Sequence[ClassMetric], cells: Cells, how: ClassHow) -> Drawn:
    """Resample the K x K table: over all cases, or within true classes."""
    basis = cells.smoothed() if cells.n_classes <= SMOOTHED_UP_TO else cells
    parts: dict[str, list[Array]] = {each.name: [] for each in metrics}
    strata = basis.truth if how.design == "case-control" else None
    for first, count in slices(how.n_resamples if metrics else 0, _CELLS_AT_A_TIME // (len(basis.truth) + 1)):
        draws = _kernels.bootstrap_rows(basis.count, seed=how.seed, first=first, count=count, strata=strata)
        tables = basis.with_counts(draws.astype(np.float64))
        for each in metrics:
            parts[each.name].append(each.of_cells(tables))
        if how.progress is not None:
            how.progress(first + count, how.n_resamples)
    return Drawn(
        {name: np.concatenate(values) for name, values in parts.items()},
        {each.name: float(each.of_cells(basis)) for each in metrics},
    )


def estimate_confusion(
    metric: ClassMetric,
    cells: Cells,
    classes: Sequence[str],
    drawn: Drawn | None,
    how: ClassHow,
    *,
    method: str | None = None,
) -> Estimate:
    """A metric of a K x K table with its interval."""
    value = float(metric.of_cells(cells))
    margins = cells.margins()
    level, note = how.confidence_level, undefined_classes(metric, margins.counts, classes)
    if np.isnan(value):
        return _undefined(metric, level)
    wanted = method or metric.interval
    if wanted == "mid_p" and how.design == "cohort":
        low, high = mid_p(margins.right.sum(), margins.total, confidence_level=level)
        words = "mid-p"
    elif drawn is not None and wanted != "delta":
        found = _resampled(metric, value, drawn, cells, level, wanted)
        low, high, words = found.low, found.high, found.method
    else:
        weighting = None if metric.weighting is None else metric.weighting(cells.n_classes)
        with np.errstate(divide="ignore", invalid="ignore"):
            influence = cell_influence(metric.function, cells, weighting)
        strata = cells.truth if how.design == "case-control" else np.zeros(len(cells.truth), dtype=np.int64)
        sizes = np.bincount(strata, weights=cells.count).astype(np.float64)
        spread = _within(influence, cells.count, strata, sizes)
        low, high = _stepped(metric, value, spread, float(margins.total), level)
        words = f"delta method{scale_name(metric.range)}"
    return as_estimate(metric, value, (low, high), words, note, cells, level)


def _resampled(metric: ClassMetric, value: float, drawn: Drawn, cells: Cells, level: float, method: str) -> NamedLimits:
    draws = drawn.replicates[metric.name]
    if method == "percentile":
        return percentile(value, draws, confidence_level=level)
    if method not in ("bootstrap", "mid_p"):
        raise ArgumentError(f"unknown interval method {method!r}. Hint: bootstrap, percentile or delta.")
    sizes = cells.margins().truth
    return bias_corrected(
        value,
        draws,
        smoothed_value=drawn.start[metric.name],
        confidence_level=level,
        smaller_class=float(sizes[sizes > 0].sum()),
        range=metric.range,
    )


def estimate_rows(
    metric: ClassMetric, rows: ClassScores, cells: Cells, how: ClassHow, *, summary: Summary | None = None
) -> Estimate:
    """Any metric with the interval that its rows' influences give."""
    found = summary_of(metric, rows, cells) if summary is None else summary
    level = how.confidence_level
    if np.isnan(found.value):
        return _undefined(metric, level)
    if metric.interval == "mid_p" and metric.of != "confusion" and rows.groups is None and how.design == "cohort":
        low, high = mid_p(found.value * rows.n, rows.n, confidence_level=level)
        return as_estimate(metric, found.value, (low, high), "mid-p", found.note, cells, level)
    if np.isinf(found.value):
        return as_estimate(
            metric,
            found.value,
            (found.value, found.value),
            "a true class was given probability 0",
            found.note,
            cells,
            level,
        )
    spread = variance(found.influence, rows, how.design)
    if np.isnan(spread):
        return as_estimate(
            metric,
            found.value,
            (np.nan, np.nan),
            "no interval: its influence function is not known",
            found.note,
            cells,
            level,
        )
    cases = float(rows.groups.max() + 1) if rows.groups is not None else rows.n
    centre, remark = found.value, ", whole groups" if rows.groups is not None else ""
    wary = _with_half_cases(metric, rows, how.design)
    if wary is not None and spread < _TOO_PERFECT * wary[1]:
        (centre, spread), remark = wary, f"{remark}, half a case of unknown score added to each class"
    elif (resampled := _of_gaps(metric, found.value, rows, how)) is not None:
        return as_estimate(metric, found.value, resampled[:2], resampled.method, found.note, cells, level)
    low, high = _stepped(metric, centre, spread, cases, level)
    words = f"influence function{scale_name(metric.range)}{remark}"
    limits = np.minimum(low, found.value), np.maximum(high, found.value)
    return as_estimate(metric, found.value, limits, words, found.note, cells, level)


def estimate_of_mean(
    metric: ClassMetric, value: float, spread: float, cases: float, cells: Cells, how: ClassHow
) -> Estimate:
    """A mean over cases with the interval that its variance gives."""
    level = how.confidence_level
    if np.isnan(value):
        return _undefined(metric, level)
    if np.isinf(value):
        return as_estimate(metric, value, (value, value), "a true class was given probability 0", "", cells, level)
    limits = _stepped(metric, value, spread, cases, level)
    return as_estimate(metric, value, limits, f"influence function{scale_name(metric.range)}", "", cells, level)


def _with_half_cases(metric: ClassMetric, rows: ClassScores, design: str) -> tuple[float, float] | None:
    """Value and variance when each class has half a case more, with the scores of cases of other classes.

    A class that shows no outlier may still have one; a standard error from the data alone cannot know that. Only for
    samples small enough for half a case to matter.
    """
    if rows.scores is None or rows.scores.size > _SMALL:
        return None
    present = np.flatnonzero(rows.sizes > 0)
    others = [np.flatnonzero(rows.truth != k) for k in present]
    picked = [each[np.linspace(0, len(each) - 1, min(_PLACES, len(each))).astype(np.int64)] for each in others]
    copied = np.concatenate(picked)
    scores = np.concatenate([rows.scores, rows.scores[copied]]).astype(np.float64)
    if metric.of == "probabilities":  # the surprise at an added case must stay finite
        scores[len(rows) :] = np.maximum(scores[len(rows) :], 0.5 / rows.n)
    added = np.concatenate([np.full(len(each), 0.5 / len(each)) for each in picked])
    groups = (
        None
        if rows.groups is None
        else np.concatenate(
            [rows.groups, rows.groups.max() + 1 + np.repeat(np.arange(len(present)), [len(each) for each in picked])]
        )
    )
    more = ClassScores(
        np.concatenate([rows.truth, np.repeat(present, [len(each) for each in picked])]),
        rows.classes,
        scores,
        np.concatenate([rows.predicted, rows.predicted[copied]]),
        np.concatenate([rows.weight, added]),
        groups,
    )
    found = summary_of(metric, more, Cells.of_rows(more))
    return found.value, variance(found.influence, more, design)


def _stepped(metric: ClassMetric, value: float, spread: float, cases: float, level: float) -> tuple[Array, Array]:
    reach = np.sqrt(spread) * stdtrit(max(cases - 1, 1.0), (1 + level) / 2)
    low, high = step(np.asarray(value), np.asarray(reach), _open_end(value, metric.range))
    return np.minimum(low, value), np.maximum(high, value)


def _open_end(value: float, ends: tuple[float, float]) -> tuple[float, float]:
    """Very near one end of the range, but not at it, the other end is as good as infinitely far."""
    room = _NEAR * (ends[1] - ends[0])
    if not np.isfinite(room):
        return ends
    if 0 < value - ends[0] < room:
        return ends[0], np.inf
    return (-np.inf, ends[1]) if 0 < ends[1] - value < room else ends


def _undefined(metric: ClassMetric, level: float) -> Estimate:
    return Estimate(
        metric.name, metric.label, np.nan, np.nan, np.nan, level, undefined=metric.undefined, better=metric.better
    )


def as_estimate(
    metric: ClassMetric, value: float, limits: Ends, method: str, note: str, cells: Cells, level: float
) -> Estimate:
    """A value and its limits with everything that a reader needs beside them."""
    margins = cells.margins()
    total = float(margins.total)
    size = f"{cells.n_classes} classes, {total:g} cases"
    return Estimate(
        metric.name,
        metric.label,
        value,
        max(float(limits[0]), metric.range[0]),
        min(float(limits[1]), metric.range[1]),
        level,
        method=method,
        better=metric.better,
        context=f"{size}; {note}" if note else size,
        baseline=metric.baseline(margins.truth / total, margins.predicted / total),
    )


def estimates_of(
    metrics: Sequence[ClassMetric], rows: ClassScores | None, cells: Cells, classes: Sequence[str], how: ClassHow
) -> dict[str, Estimate]:
    """All metrics by name, in the order asked for."""
    if rows is not None and rows.groups is not None and how.design == "case-control":
        raise ArgumentError("groups are resampled whole, whatever their class. Hint: use design='cohort'.")
    clustered = rows is not None and rows.groups is not None
    tables = [each for each in metrics if each.of == "confusion" and not clustered]
    resampled = [each for each in tables if each.interval == "bootstrap" or how.design == "case-control"]
    drawn = draw_tables(resampled, cells, how) if resampled and can_resample(cells, how) else None
    found: dict[str, Estimate] = {}
    for each in metrics:
        if each.of == "confusion" and not clustered:
            estimate = estimate_confusion(each, cells, classes, drawn if each in resampled else None, how)
            found[each.name] = _able_to_answer(estimate, each, cells, classes, how)
        else:
            assert rows is not None
            found[each.name] = estimate_rows(each, rows, cells, how)
    return found


def _able_to_answer(
    estimate: Estimate, metric: ClassMetric, cells: Cells, classes: Sequence[str], how: ClassHow
) -> Estimate:
    """The estimate, able to be asked again."""
    return replace(estimate, ask=partial(_ask_again, metric, cells, classes, how))


def _ask_again(
    metric: ClassMetric,
    cells: Cells,
    classes: Sequence[str],
    how: ClassHow,
    *,
    confidence_level: float,
    method: str | None,
) -> Estimate:
    settings = replace(how, confidence_level=confidence_level)
    wanted = method or metric.interval
    drawn = draw_tables([metric], cells, settings) if wanted in ("bootstrap", "percentile") else None
    return estimate_confusion(metric, cells, classes, drawn, settings, method=method)
