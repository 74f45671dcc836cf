"""Cross-validation: the mean over folds with its interval, and differences of models over folds.

Given the models that were fitted, folds are tested on different cases: their errors are independent, and the interval
of their mean follows from the folds' own intervals by squaring and adding (MOVER). That is the interval of the mean
performance of these fitted models. It says nothing of how other training sets would have done; for that, differences
of two learners have Nadeau and Bengio's corrected t-test, and `cross_evaluate(..., nested=...)` refits.

Cases of a group that straddles folds err together in every fold that has some, so that folds are not independent: taken
one by one they held the mean AUROC in 84 to 91% of samples, with each group left out of all folds in 93 to 96% (8 to 60
groups).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from unconfuse._scipy_special import stdtr, stdtrit
from unconfuse.metrics import Metric
from unconfuse.metrics.influence_functions import quantile
from unconfuse.metrics.requirements import cut_for
from unconfuse.table import Array, InMemorySample, Sample, Settings
from unconfuse.table.survey_design import FEW_UNITS
from unconfuse.uncertainty.bootstrap_intervals import scale_name
from unconfuse.uncertainty.clustered_metrics import Grouped
from unconfuse.uncertainty.clusters import Jackknifed, jackknife_variance
from unconfuse.uncertainty.difference_tests import SMALLEST
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.joint_replicates import value_of
from unconfuse.uncertainty.method import NoInterval
from unconfuse.uncertainty.multiclass_clusters import value_without
from unconfuse.uncertainty.multiclass_limits import summary_of
from unconfuse.uncertainty.simultaneous import Draft

Engine = Callable[[Sequence[Metric], Sample, Settings], Mapping[str, Estimate]]  # what judges one fold
FEW_RESAMPLES = 500  # of each fold at least


def estimates_over_folds(
    metrics: Sequence[Metric], sample: Sample, design: Settings, engine: Engine
) -> dict[str, Estimate]:
    """Estimate the mean over the folds of a cross-validation, each of them judged by itself."""
    rows = sample.in_memory
    if rows is not None and rows.straddling and not rows.sampling.by_weights:
        return _left_out(metrics, rows, design, engine)
    parts = sample.by_fold()
    # Errors of the folds' resamples average out in the mean, so that all of them together need no more than one sample.
    few = min(design.n_resamples, max(design.n_resamples // max(len(parts), 1), FEW_RESAMPLES))
    dealt = replace(design, n_resamples=few)
    found = {fold: engine(metrics, part, dealt) for fold, part in parts.items()}
    own = {metric.name: {fold: one[metric.name] for fold, one in found.items()} for metric in metrics}
    return {metric.name: _mean_of_folds(metric, own[metric.name], sample, parts, design, engine) for metric in metrics}


def _left_out(
    metrics: Sequence[Metric], sample: InMemorySample, design: Settings, engine: Engine
) -> dict[str, Estimate]:
    """Leave groups that straddle folds out of all of them at once."""

    alone = estimates_over_folds(metrics, sample.ungrouped(), design, engine)
    found, quiet = left_out_of_folds(metrics, sample, design, alone), design.without_progress()
    return {
        metric.name: replace(found[metric.name], recompute=partial(_ask_folds, metric, sample, quiet, engine))
        for metric in metrics
    }


def _mean_of_folds(
    metric: Metric,
    folds: dict[str, Estimate],
    sample: Sample,
    parts: Mapping[str, Sample],
    design: Settings,
    engine: Engine,
) -> Estimate:
    ask = partial(_ask_folds, metric, sample, design.without_progress(), engine)
    few = [_few_trials(metric, part) for part in parts.values()]
    return mean_over_folds(metric, folds, sample.repeats, design.confidence_level, few=few, recompute=ask)


def _ask_folds(
    metric: Metric, sample: Sample, design: Settings, engine: Engine, *, confidence_level: float, method: str | None
) -> Estimate:
    if method is None and sample.straddling and not sample.sampling.by_weights:
        return estimates_over_folds([metric], sample, design.with_confidence_level(confidence_level), engine)[
            metric.name
        ]
    parts = sample.by_fold()
    found = {fold: engine([metric], part, design)[metric.name] for fold, part in parts.items()}
    asked = {
        fold: estimate.interval(confidence_level=confidence_level, method=method) for fold, estimate in found.items()
    }
    return _mean_of_folds(metric, asked, sample, parts, design.with_confidence_level(confidence_level), engine)


def _few_trials(metric: Metric, sample: Sample) -> float:
    """How much the variance of a proportion of few cases is too small on average; other errors know their n - 1."""
    if metric.of != "counts" or metric.inference.fraction is None or sample.is_multiclass:
        return 1.0
    share = sample.n_drawn / sample.n if sample.n > 0 else 1.0  # sampling weights may have any scale
    trials = share * float(metric.inference.fraction(cut_for(metric, sample).counts())[1])
    return trials / (trials - 1) if trials > 1 else 1.0


def mean_over_folds(
    metric: Metric,
    folds: Mapping[str, Estimate],
    repeats: Mapping[str, str],
    level: float,
    *,
    few: Sequence[float] | None = None,
    **more: Any,
) -> Estimate:
    """Return a metric's mean over folds; undefined if it is so in one: a mean over fewer would be another number.

    Folds of one repeat share no case; repeats share all, so that they are averaged and not taken for more cases. `few`
    is what each fold's variance is multiplied with, n / (n - 1) for a proportion of n.

    Bayle, Bayle, Janson and Mackey (2020), NeurIPS; LeDell, Petersen and van der Laan (2015), Electronic Journal of
    Statistics 9:1583 (the AUROC); Zou and Donner (2008), Stat. Med. 27:1693 (MOVER).
    """
    estimates = list(folds.values())
    value = float(np.mean([estimate.value for estimate in estimates]))
    missing = [name for name, fold in folds.items() if fold.undefined]
    words = {
        "baseline": float(np.mean([estimate.baseline for estimate in estimates])),
        "conditions": _context(folds, repeats),
        **more,
    }
    if missing:
        why = f"fold {missing[0]}: {folds[missing[0]].undefined}"
        return Estimate.from_interval(metric, math.nan, (math.nan, math.nan, ""), level, undefined=why, **words)
    arms = np.array(
        [
            [estimate.value - estimate.low, estimate.high - estimate.value, estimate.standard_error]
            for estimate in estimates
        ]
    )
    own, factor = [repeats.get(name, "") for name in folds], np.sqrt(np.ones(len(estimates)) if few is None else few)
    down, up, error = _combined(arms, own)
    # A fold at the end of the range has no arm beyond it, but its error counts: ten folds of few cases had the truth
    # above the interval in 10% of samples where arms alone were added.
    spread = quantile(level) * _combined(arms * factor[:, None], own)[2]
    down, up = (float(np.fmax(each, spread)) for each in (down, up))
    low, high = max(value - down, metric.range[0]), min(value + up, metric.range[1])
    limits = low, high, f"MOVER over {len(estimates)} folds"
    return Estimate.from_interval(metric, value, limits, level, standard_error=error, **words)


def _combined(arms: Array, repeats: Sequence[str]) -> tuple[float, float, float]:
    """Root of the sum of squares over the folds of each repeat, over their number; the root mean square of repeats."""
    own = [arms[[repeat == name for repeat in repeats]] for name in dict.fromkeys(repeats)]
    with np.errstate(over="ignore"):  # a fold whose interval has hardly an end leaves none to the mean
        squares = np.array([np.square(each).sum(axis=0) / len(each) ** 2 for each in own])
    down, up, error = np.sqrt(squares.mean(axis=0))
    return float(down), float(up), float(error)


def _context(folds: Mapping[str, Estimate], repeats: Mapping[str, str]) -> str:
    times = len(set(repeats.values()) or {""})
    return f"mean over {len(folds)} folds" + (f" of {times} repeats" if times > 1 else "")


def corrected_resampled_t(differences: Sequence[float], *, repeats: int = 1) -> Draft:
    """Nadeau and Bengio's corrected resampled t-test of J differences, one for each fold of each repeat.

    Training sets overlap, so that differences of folds are not independent: the variance is (1/J + 1/(k - 1)) s^2 for k
    folds, since each model was trained on k - 1 times as many cases as it was tested on.

    Nadeau and Bengio (2003), Machine Learning 52:239; Bouckaert and Frank (2004) for repeats.

    >>> found = corrected_resampled_t([.032, .0031, .0377, .0213, -.0271])
    >>> round(found.standard_error, 6), round(found.p_value, 4)
    (0.017574, 0.4882)
    """
    values = np.asarray(differences, dtype=np.float64)
    total = len(values)
    k, df = total / repeats, total - 1.0
    mean, spread = float(values.mean()), float(values.var(ddof=1))
    error = math.sqrt((1 / total + 1 / (k - 1)) * spread)
    t = abs(mean) / error if error > 0 else (0.0 if mean == 0 else math.inf)

    def ends(level: float) -> tuple[float, float]:
        reach = error * float(stdtrit(df, (1 + level) / 2))
        return mean - reach, mean + reach

    method = f"corrected resampled t, {total} folds"
    return Draft(mean, error, method, max(float(2 * stdtr(df, -t)), SMALLEST), method, ends)


def left_out_of_folds(
    metrics: Sequence[Metric], sample: InMemorySample, design: Settings, alone: Mapping[str, Estimate]
) -> dict[str, Estimate]:
    """Means over folds, `alone` as if every case stood for itself, with intervals from the groups."""
    usable = [
        metric for metric in metrics if alone[metric.name].undefined is None and np.isfinite(alone[metric.name].value)
    ]
    without = _without(usable, sample, design) if sample.n_groups > 1 else {}
    return {
        metric.name: _with_interval(metric, alone[metric.name], without.get(metric.name), sample, design)
        for metric in metrics
    }


def _with_interval(
    metric: Metric, alone: Estimate, without: Array | None, sample: InMemorySample, design: Settings
) -> Estimate:
    if without is None:
        return alone
    known = int(np.isfinite(without).sum())
    if known < 2:
        reason = NoInterval("no interval: hardly a group can be left out without emptying a fold")
        return replace(alone, low=np.nan, high=np.nan, method=reason, standard_error=np.nan)
    variance, value = jackknife_variance(alone.value, without), alone.value
    found = Jackknifed(value, variance, float(sample.n_groups - 1), value, metric.range, known)
    low, high = found.limits(design.confidence_level) if variance > 0 else (value, value)
    if known < FEW_UNITS or not variance > 0 or value in metric.range:  # groups that agree tell hardly anything
        low, high = min(low, alone.low), max(high, alone.high)
    scale = ", Wilson" if np.isfinite(metric.range).all() else scale_name(metric.range)
    method = f"jackknife of whole groups over all folds{scale}"
    return replace(alone, low=low, high=high, method=method, standard_error=found.error)


def _without(metrics: Sequence[Metric], sample: InMemorySample, design: Settings) -> dict[str, Array]:
    """Return the mean over folds without each group."""
    assert sample.groups is not None
    assert sample.folds is not None
    found: dict[str, list[Array]] = {each.name: [] for each in metrics}
    for place in np.unique(sample.folds.code):
        rows = np.flatnonzero(sample.folds.code == place)
        part, held = sample.taken(rows).derive(folds=None), np.unique(sample.groups[rows])
        values, own = _of_fold(metrics, part, design)
        for metric in metrics:
            column = np.full(sample.n_groups, values[metric.name])
            column[held] = own[metric.name]
            found[metric.name].append(column)
    return {name: np.mean(columns, axis=0) for name, columns in found.items()}


def _of_fold(
    metrics: Sequence[Metric], part: InMemorySample, design: Settings
) -> tuple[dict[str, float], dict[str, Array]]:
    """Return the value of each metric in one fold, and without each of its groups."""
    if part.is_multiclass:
        summaries = {metric.name: summary_of(metric, part) for metric in metrics}
        own = {metric.name: value_without(metric, summaries[metric.name], part) for metric in metrics}
        return {name: summary.value for name, summary in summaries.items()}, own
    found = Grouped(part, design).all_without(metrics)
    return (
        {metric.name: value_of(metric, part, part.only_model) for metric in metrics},
        {name: each[0] for name, each in found.items()},
    )
