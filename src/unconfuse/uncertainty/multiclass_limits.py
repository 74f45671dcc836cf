"""Limits of metrics of several classes: how far each row or cell moves them, with half a case, or from sums alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unconfuse._formatting import number_text
from unconfuse.metrics import Metric
from unconfuse.metrics._metric import InfluenceSummary
from unconfuse.metrics.influence_functions import student_quantile
from unconfuse.metrics.multiclass_decisions import absentees, left_out, unpredicted, values_in_average, weighted_mean
from unconfuse.table import AggregatedSample, Array, ClassMargins, ConfusionCells, InMemorySample, Sample, Settings
from unconfuse.uncertainty.bootstrap_intervals import bias_corrected, scale_name, spread, step
from unconfuse.uncertainty.method import NoInterval
from unconfuse.uncertainty.proportion_intervals import mid_p

PATIENCE = 4e7  # cells times resamples that a user waits for; about a second
NEEDS_ROWS = "needs the rows, which stay on the cluster"
BINNED = "the scores were binned on the cluster"
IMPOSSIBLE = "a true class was given probability 0"
_NEAR = 2e-3  # of the range
_SMALL = 1_000_000  # scores up to which half a case matters
_PLACES = 20  # cases of other classes over which half a case is spread
_TOO_PERFECT = 0.25  # as a share of the variance with half a case added
_AT_A_TIME = 128
_STEP = 1e-5
_SIDES = ("tp", "fn", "fp")
MarginFunction = Callable[[ClassMargins], Array]


@dataclass(frozen=True)
class ClassInterval:
    """The ends of an interval, in words how they were made, and what a reader must know of the value."""

    low: float
    high: float
    method: str
    note: str = ""
    standard_error: float = np.nan


def limits_of_share(value: float, successes: float, trials: float, level: float, note: str) -> ClassInterval:
    """Mid-p limits of a share of the cases."""
    low, high = mid_p(successes, trials, confidence_level=level)
    return ClassInterval(float(low), float(high), "mid-p", note, float(np.sqrt(value * (1 - value) / trials)))


def undefined_classes(metric: Metric, margins: ClassMargins, classes: Sequence[str]) -> str:
    """Which classes an average leaves out, or counts without their having a value, in words; nothing if none."""
    average = metric.inference.average
    if average is None or average.kind == "micro":
        return ""
    values = values_in_average(average.of, margins)
    without = left_out([name for name, value in zip(classes, values, strict=True) if np.isnan(value)])
    absent = (margins.truth == 0) & (margins.predicted > 0) & ~np.isnan(values) & (average.kind == "macro")
    counted = absentees([name for name, each in zip(classes, absent, strict=True) if each])
    return "; ".join(filter(None, (unpredicted(average, margins, classes), counted, without)))


def cell_influence(metric: Metric, cells: ConfusionCells) -> Array:
    """Effect of one more case in each cell, by forward differences of second order in the margins.

    Forward only: no margin ever falls below what it holds, so that no metric leaves its domain.
    """
    weighting = None if metric.inference.weighting is None else metric.inference.weighting(cells.n_classes)
    base = cells.margins(weighting)
    with np.errstate(divide="ignore", invalid="ignore"):
        right, missed, wrong = (_slopes(metric.value, base, name) for name in _SIDES)
        apart = missed[cells.truth] + wrong[cells.predicted]
        influence = np.where(cells.truth == cells.predicted, right[cells.truth], apart)
        if base.weighted is not None and weighting is not None:
            unit = max(float(base.weighted), float(base.total))
            moved = [replace(base, weighted=base.weighted + s * unit * _STEP) for s in (1, 2)]
            influence += _slope(metric.value, base, moved, unit) * weighting[cells.truth, cells.predicted]
    return np.asarray(influence)


def _slope(function: MarginFunction, base: ClassMargins, moved: Sequence[ClassMargins], unit: float | Array) -> Array:
    start, one, two = (np.asarray(function(class_margins), dtype=np.float64) for class_margins in (base, *moved))
    return np.asarray((4 * one - two - 3 * start) / (2 * _STEP * unit))


def _slopes(function: MarginFunction, base: ClassMargins, name: str) -> Array:
    """Return the partial derivative by each entry of one margin; 0 where the entry holds nothing."""
    values = getattr(base, name)
    out = np.zeros(len(values))
    held = np.flatnonzero(values > 0)
    for first in range(0, len(held), _AT_A_TIME):
        chosen = held[first : first + _AT_A_TIME]
        moved = []
        for times in (1, 2):
            changed = np.repeat(values[None], len(chosen), axis=0)
            changed[np.arange(len(chosen)), chosen] *= 1 + times * _STEP
            moved.append(_stacked(replace(base, **{name: changed}), len(chosen)))
        out[chosen] = _slope(function, base, moved, values[chosen])
    return out


def _stacked(margins: ClassMargins, length: int) -> ClassMargins:
    """All margins with the same leading axis."""
    sides = {name: getattr(margins, name) for name in _SIDES}
    vectors = {name: np.broadcast_to(value, (length, value.shape[-1])) for name, value in sides.items()}
    weighted = None if margins.weighted is None else np.broadcast_to(margins.weighted, (length,))
    return replace(margins, **vectors, weighted=weighted)


def summary_of(metric: Metric, rows: InMemorySample) -> InfluenceSummary:
    """Return a metric's value and every row's influence on it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if metric.of == "rows":
            influence_summary: InfluenceSummary = metric.value(rows)
            return influence_summary
    cells = rows.cells()
    code, size = rows.truth * rows.n_classes + rows.predicted, rows.n_classes
    place = np.minimum(np.searchsorted(cells.truth * size + cells.predicted, code), len(cells.truth) - 1)
    note = undefined_classes(metric, cells.margins(), rows.classes)
    return InfluenceSummary(float(metric(cells)), cell_influence(metric, cells)[place], note)


def variance_of(influence: Array, rows: InMemorySample) -> float:
    """Return the metric's variance from the rows' influences, as the cases were drawn."""
    return float(rows.sampling.covariance(influence[:, None], rows.weights, rows.truth)[0, 0])


def limits_of_rows(metric: Metric, found: InfluenceSummary, rows: InMemorySample, design: Settings) -> ClassInterval:
    """By how far each row moves the value."""
    level, value, note = design.confidence_level, found.value, found.note
    if (
        metric.interval == "mid_p"
        and metric.of != "cells"
        and rows.sampling.counted
        and not rows.sampling.fixed_classes
    ):
        return limits_of_share(value, value * rows.n, rows.n, level, note)
    if np.isinf(value):
        return ClassInterval(value, value, IMPOSSIBLE, note)
    if rows.groups is not None and not rows.sampling.by_weights:
        from unconfuse.uncertainty.multiclass_clusters import limits_of_groups  # most cases stand each for itself

        return limits_of_groups(metric, found, rows, design)
    spread = variance_of(found.influence, rows)
    if np.isnan(spread):
        return ClassInterval(np.nan, np.nan, NoInterval("no interval: its influence function is not known"), note)
    cases = rows.sampling.evidence(rows.effective_sizes)
    limits = stepped_limits(metric, value, spread, cases, level)
    wary, remark = with_half_cases(metric, rows), ", whole groups" if rows.groups is not None else ""
    if wary is not None and spread < _TOO_PERFECT * wary[1]:
        limits = _open_to_the_better(metric, stepped_limits(metric, *wary, cases, level), limits)
        spread, remark = (
            wary[1],
            f"{remark}, half a case of unknown {'score' if rows.scores else 'label'} added to each class",
        )
    elif (resampled := _of_gaps(metric, value, rows, design)) is not None:
        return replace(resampled, note="; ".join(part for part in (note, resampled.note) if part))
    low, high = limits
    words = f"{'sandwich' if rows.sampling.by_weights else 'influence function'}{scale_name(metric.range)}{remark}"
    return ClassInterval(min(low, value), max(high, value), words, note, float(np.sqrt(spread)))


def _open_to_the_better(metric: Metric, wary: tuple[float, float], own: tuple[float, float]) -> tuple[float, float]:
    """Take the better end from the data as they are, if it lies further out: half cases may hide how good a model is.

    Each of them is a case that is wholly wrong. Of 30 cases in 4 to 6 classes, told apart well, limits with them alone
    lay above the true log loss in 21 to 41% of the samples and above the Brier score in 6 to 34%, now in 1 to 2%; no
    setting had more than 3% (400 samples of each; tests/coverage/multiclass.py).
    """
    if metric.better == "lower":
        return float(np.fmin(wary[0], own[0])), wary[1]
    return wary[0], float(np.fmax(wary[1], own[1]))


def with_half_cases(metric: Metric, rows: InMemorySample) -> tuple[float, float] | None:
    """Value and variance when each class has half a case more, with the scores, or labels, of cases of other classes.

    A class that shows no outlier may still have one; a standard error from the data alone cannot know that. Only for
    samples small enough for half a case to matter.
    """
    if (rows.matrix.size if rows.scores else len(rows)) > _SMALL or not (rows.scores or metric.of == "cells"):
        return None
    present = np.flatnonzero(rows.sizes > 0)
    if len(present) < 2:  # a subgroup of one class has no cases of others
        return None
    ordered = rows.ordered
    others = [np.flatnonzero(ordered.truth != k) for k in present]
    picked = [each[np.linspace(0, len(each) - 1, min(_PLACES, len(each))).astype(np.int64)] for each in others]
    copied, lengths = np.concatenate(picked), [len(each) for each in picked]
    scores = {}
    if rows.scores:
        matrix = np.concatenate([ordered.matrix, ordered.matrix[copied]]).astype(np.float64)
        if metric.requires.probabilities:  # the surprise at an added case must stay finite
            matrix[len(rows) :] = np.maximum(matrix[len(rows) :], 0.5 / rows.n_drawn)
        scores = {rows.only_model: matrix}
    squares, units = ordered.squares, np.ones(len(present))
    if squares is not None:  # what a case of each class weighs, as far as the variance is concerned
        units = rows.sizes[present] / rows.effective_sizes[present]
    more = ordered.derive(
        truth=np.concatenate([ordered.truth, np.repeat(present, lengths)]),
        scores=scores,
        decided={rows.only_model: np.concatenate([ordered.predicted, ordered.predicted[copied]])},
        weights=np.concatenate([ordered.weight, np.repeat(0.5 * units / lengths, lengths)]),
        squares=None if squares is None else np.concatenate([squares, np.repeat(0.5 * units**2 / lengths, lengths)]),
        strata=None if ordered.strata is None else np.concatenate([ordered.strata, ordered.strata[copied]]),
        groups=None,
        division=None,
    )
    influence_summary = summary_of(metric, more)
    if ordered.groups is None:
        return influence_summary.value, variance_of(influence_summary.influence, more)
    # What is added is in no group: of the half case it is not known which of these scores it has.
    held, worth = len(rows), more.weight if more.squares is None else more.squares
    added = float(worth[held:] @ influence_summary.influence[held:] ** 2)
    return influence_summary.value, variance_of(influence_summary.influence[:held], ordered) + added


def _of_gaps(metric: Metric, value: float, rows: InMemorySample, design: Settings) -> ClassInterval | None:
    """Bound a mean of distances |sum over rows|: no derivative at 0, so rows are resampled, if they are not too many.

    Noise makes distances of probabilities that are right. Where noise alone reaches the value, 0 is not excluded; the
    bias-corrected limit alone held the truth of such forecasts in 42 to 93% of samples (tests/coverage/multiclass.py).
    """
    if metric.inference.gaps is None or len(rows) * max(design.n_resamples, 15 * rows.n_classes) > PATIENCE:
        return None
    draws, noise = _drawn_gaps(metric, rows, design)
    found = bias_corrected(value, draws, confidence_level=design.confidence_level, range=metric.range)
    chance = ByChance.of(noise, value, design)
    return ClassInterval(
        0.0 if chance.reached else float(found.low), float(found.high), found.method, chance.note, spread(draws)
    )


@dataclass(frozen=True)
class ByChance:
    """Whether noise alone reaches a sum of distances, and what a reader must know of it."""

    reached: bool
    note: str

    @classmethod
    def of(cls, noise: Array, value: float, design: Settings) -> ByChance:
        """From resamples of the distances of probabilities that are right."""
        reached = bool(np.mean(noise >= value) >= (1 - design.confidence_level) / 2)
        return cls(reached, f"probabilities that are right would show {number_text(float(np.median(noise)))} by chance")


def gaps_by_chance(metric: Metric, value: float, rows: InMemorySample, design: Settings) -> ByChance | None:
    """Return what noise does to a mean of distances; None for anything else, or if it would take long."""
    if metric.inference.gaps is None or len(rows) * max(design.n_resamples, 15 * rows.n_classes) > PATIENCE:
        return None
    return ByChance.of(_drawn_gaps(metric, rows, design)[1], value, design)


def _drawn_gaps(metric: Metric, rows: InMemorySample, design: Settings) -> tuple[Array, Array]:
    """Resampled sums of distances, and of what they differ from those of the cases."""
    from unconfuse.uncertainty.row_bootstrap import RowBootstrap  # few ask for these

    assert metric.inference.gaps is not None
    ordered = rows.ordered
    gaps = metric.inference.gaps(ordered)
    with np.errstate(invalid="ignore"):  # rows that weigh next to nothing may be all that is drawn
        sums = RowBootstrap(ordered, design).sums(np.column_stack([gaps, np.ones(len(ordered))]))
        drawn = sums[:, :-1] / sums[:, -1:]
    draws, noise = (np.abs(each).sum(axis=1) for each in (drawn, drawn - ordered.weight @ gaps / ordered.n))
    return draws, noise


def limits_of_sums(
    metric: Metric, sample: AggregatedSample, design: Settings
) -> tuple[float, ClassInterval, str | None]:
    """Return a metric of scores or probabilities, as far as tables and sums go."""
    if metric.name in sample.losses:
        moments = sample.losses[metric.name]
        value = float(moments.total.sum() / sample.n)
        if np.isinf(value):
            return value, ClassInterval(value, value, IMPOSSIBLE), None
        spread = _variance_of_mean(moments.total, moments.squares, sample)
        low, high = stepped_limits(metric, value, spread, sample.n, design.confidence_level)
        words = f"influence function{scale_name(metric.range)}"
        return value, ClassInterval(low, high, words, standard_error=float(np.sqrt(spread))), None
    nothing = ClassInterval(np.nan, np.nan, "")
    if metric.inference.average is None:
        return np.nan, nothing, NEEDS_ROWS
    if not all(score_table.is_exact for score_table in sample.tables[sample.only_model]):
        return np.nan, nothing, BINNED
    present, binary = sample.sizes > 0, metric.inference.average.of
    values = np.full(sample.n_classes, np.nan)
    values[present] = [float(binary(sample.table(k=int(k)))) for k in np.flatnonzero(present)]
    weights = sample.sizes / sample.n if metric.inference.average.kind == "weighted" else present / present.sum()
    note = left_out([class_name for class_name, found in zip(sample.classes, values, strict=True) if np.isnan(found)])
    limits = ClassInterval(np.nan, np.nan, NoInterval(f"no interval: it {NEEDS_ROWS}"), note)
    return float(weighted_mean(values, weights)), limits, None


def _variance_of_mean(total: Array, squares: Array, sample: Sample) -> float:
    """Of a mean over all cases, from sums of squares: over cases, or within classes."""
    sizes, n = sample.sizes, sample.n
    if not sample.sampling.fixed_classes:
        total, squares, sizes = (np.array([each.sum()]) for each in (total, squares, sizes))
    held = np.where(sizes > 0, sizes, 1.0)
    return float(((squares - total**2 / held) * sizes / np.maximum(sizes - 1, 1.0)).sum() / n**2)


def stepped_limits(metric: Metric, value: float, spread: float, cases: float, level: float) -> tuple[float, float]:
    """Step the usual length to both sides, on a scale that keeps within the metric's range."""
    reach = np.sqrt(spread) * student_quantile(max(cases - 1, 1.0), level)
    low, high = step(np.asarray(value), np.asarray(reach), _open_end(value, metric.range))
    return min(float(low), value), max(float(high), value)


def _open_end(value: float, ends: tuple[float, float]) -> tuple[float, float]:
    """Very near one end of the range, but not at it, the other end is as good as infinitely far."""
    room = _NEAR * (ends[1] - ends[0])
    if not np.isfinite(room):
        return ends
    if 0 < value - ends[0] < room:
        return ends[0], np.inf
    return (-np.inf, ends[1]) if 0 < ends[1] - value < room else ends
