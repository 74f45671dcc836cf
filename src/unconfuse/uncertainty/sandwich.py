"""Cases that were drawn with unequal chances: every metric from weights, its standard error from their squares.

A sampling weight says how many cases of the population a row stands for, not how many were seen. So the variance of a
metric is the sum over rows of (weight x influence) squared, the sandwich estimator: of a table, sums of squared weights
at each score say it exactly. Rows that were drawn in groups are added up first, and rows drawn within strata are
compared with their own stratum. Metrics without an influence function are resampled by multipliers: every row, or group
of rows, gets a random weight of mean 1 and variance 1, whatever its own weight.

Half a case of the class's usual weight is added before the spread is taken, as everywhere in this room: a sample in
which no heavy row went wrong may still have one in its population.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import stdtrit

from unconfuse._errors import ArgumentError, InputError
from unconfuse.metrics import Metric
from unconfuse.metrics.influence import Influence
from unconfuse.table import Array, Codes, Counts, Design, NearSample, Sample, ScoreTable, kish
from unconfuse.uncertainty.bootstrap import HALF, half_case, table_replicates
from unconfuse.uncertainty.closed_form import wilson
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.methods import compares_by_influence
from unconfuse.uncertainty.replicates import by_cases, value_of
from unconfuse.uncertainty.resampled import bias_corrected, scale_name, spread, step

_STEP = 1e-3  # of a cell; a stencil of five points is then exact to about 1e-12
_STENCIL = ((-2, 1), (-1, -8), (1, 8), (2, -1))
_BY_MULTIPLIERS = ("bootstrap", "bias_corrected")
PLACES = 50  # over so many scores the half case is spread where tables are resampled


def estimates_of_sampled(
    metrics: Sequence[Metric], sample: Sample, design: Design, *, method: str | None = None
) -> dict[str, Estimate]:
    """Metrics of one model with intervals that rest on the rows and their weights."""
    to_draw = [each for each in metrics if method in _BY_MULTIPLIERS or not has_influence(each)]
    if method not in (None, "sandwich", *_BY_MULTIPLIERS) or (method == "sandwich" and to_draw):
        raise ArgumentError(
            f"the interval {method!r} does not serve {metrics[0].name} of sampled cases. Hint: use 'sandwich' where a "
            "metric has an influence function, or 'bootstrap'."
        )
    drawn = multiplied(to_draw, sample, design)
    return {
        each.name: _resampled(each, sample, *drawn[each.name], design)
        if each.name in drawn
        else _by_influence(each, sample, design)
        for each in metrics
    }


def has_influence(metric: Metric) -> bool:
    """Whether each case's influence is known: of decisions from the derivatives by four cells, of scores if declared."""
    return metric.of == "counts" or compares_by_influence(metric)


def size_of(sample: Sample) -> str:
    """How much the sample says, in words."""
    negatives, positives = (f"{each:.4g}" for each in sample.effective_sizes)
    groups = f"{sample.n_groups} groups, " if sample.is_clustered else ""
    return f"{groups}sampling weights worth {positives} positives and {negatives} negatives"


@dataclass(frozen=True)
class Sandwich:
    """A value with its standard error; value and error with half a case added; and how many cases they rest on."""

    value: float
    error: float
    centre: float
    spread: float
    cases: float


def sandwich(metric: Metric, sample: Sample, design: Design) -> Sandwich:
    """Of one metric of one model.

    Binder (1983), International Statistical Review 51:279; Kish (1965), Survey Sampling (the effective number of
    cases).
    """
    table = decision_table(sample) if metric.of == "counts" else sample.table().at_middles()
    own, wary = influence_on(metric, table), influence_on(metric, _wary(metric, table))
    variances = [float(each.variance(design=design.kind)) for each in (own, wary)]
    cases, factor = _cases(metric, table), 1.0
    if isinstance(sample, NearSample) and sample.has_units:
        seen = variances[0]
        variances[0], units = variance_of_units(_of_rows(own, metric, sample), sample, design)
        factor, cases = (variances[0] / seen if seen > 0 else 1.0), min(cases, units)
    value = value_of(metric, sample, sample.only_model)
    return Sandwich(value, np.sqrt(variances[0]), float(wary.value), np.sqrt(factor * variances[1]), cases)


def decision_table(sample: Sample) -> ScoreTable:
    """Decisions as a table of two scores, 1 where a case is called positive."""
    counts, squares = sample.counts(), sample.squared_counts()
    columns = ([each.tp, each.fn] if own else [each.fp, each.tn] for each in (counts, squares) for own in (True, False))
    positives, negatives, *squared = (np.array(column, dtype=np.float64) for column in columns)
    return ScoreTable(np.array([1.0, 0.0]), positives, negatives, None, *squared)


def influence_on(metric: Metric, table: ScoreTable) -> Influence:
    """Each case's influence on a metric of this table, on the metric's own scale."""
    if metric.of == "counts":
        return _of_decisions(metric, table)
    root = metric.root
    assert root.of.influence is not None
    found = root.of.influence(table)
    return Influence(table, root(found.value), root.scale * found.positive, root.scale * found.negative)


def _of_decisions(metric: Metric, table: ScoreTable) -> Influence:
    """By numerical derivatives; a cell that holds nothing moves nothing."""
    cells = np.concatenate([table.positives, table.negatives])
    slopes = np.zeros(4)
    for times, weight in _STENCIL:
        moved = cells + np.diag(times * _STEP * cells)
        value = metric(Counts(tp=moved[:, 0], fn=moved[:, 1], fp=moved[:, 2], tn=moved[:, 3]))
        slopes += weight * np.nan_to_num(value, nan=np.nan, posinf=np.nan, neginf=np.nan)
    slopes = np.divide(slopes, 12 * _STEP * cells, out=np.zeros(4), where=cells > 0)
    tp, fn, fp, tn = cells
    return Influence(table, metric(Counts(tp=tp, fn=fn, fp=fp, tn=tn)), slopes[:2], slopes[2:])


def _wary(metric: Metric, table: ScoreTable) -> ScoreTable:
    """With half a case of each class: of unknown rank, or half of it in each cell of decisions."""
    if metric.of != "counts":
        return half_case(table)
    units = [_unit(own, squares) for own, squares in zip((table.positives, table.negatives), table.squares, strict=True)]
    added = [table.positives + HALF * units[0], table.negatives + HALF * units[1]]
    squares = [own + HALF * unit**2 for own, unit in zip(table.squares, units, strict=True)]
    return ScoreTable(table.score, *added, None, *squares)


def _unit(weight: Array, squares: Array) -> float:
    """What a case of this class weighs, as far as the variance is concerned."""
    return float(squares.sum() / weight.sum()) if weight.sum() > 0 else 0.0


def _cases(metric: Metric, table: ScoreTable) -> float:
    """Kish's number of cases among which a share is taken; of anything else, of the smaller class."""
    fraction = metric.fraction or (metric.increasing.fraction if metric.increasing else None)
    if metric.of != "counts" or fraction is None:
        both = zip((table.positives, table.negatives), table.squares, strict=True)
        return min(kish(*each) for each in both)
    ones = np.eye(4)
    trials = fraction(Counts(tp=ones[0], fn=ones[1], fp=ones[2], tn=ones[3]))[1]
    counted = trials * np.concatenate([table.positives, table.negatives])
    return kish(counted, trials * np.concatenate(table.squares))


def _of_rows(found: Influence, metric: Metric, sample: NearSample) -> Array:
    """Weight times influence of every row."""
    name = sample.only_model
    if metric.of == "counts":
        place = np.where(sample.labelled(name), 0, 1)
    else:
        place = sample.blocks(name)
    return np.asarray(sample.weight * np.where(sample.is_positive, found.positive[place], found.negative[place]))


def variance_of_units(moves: Array, sample: NearSample, design: Design) -> tuple[float, float]:
    """Variance of a sum over rows that were drawn in groups, or within strata; and how many units it rests on.

    Units of a stratum are compared with their mean, with n/(n - 1); the only unit of a stratum counts in full.
    """
    units = np.arange(len(sample)) if sample.groups is None else sample.groups
    strata = _strata(sample, design)
    size = int(units.max()) + 1
    sums, stratum = np.bincount(units, weights=moves, minlength=size), np.zeros(size, dtype=np.int64)
    stratum[units] = strata
    if sample.groups is not None and np.any(stratum[units] != strata):
        raise InputError("a group has rows in several strata. Hint: groups are drawn within strata; check both columns.")
    held = np.unique(units)
    sums, stratum = sums[held], stratum[held]
    n = np.bincount(stratum).astype(np.float64)
    present = n > 0
    mean = np.divide(np.bincount(stratum, weights=sums), n, out=np.zeros_like(n), where=n > 1)
    squares = np.bincount(stratum, weights=(sums - mean[stratum]) ** 2)
    factor = np.divide(n, n - 1, out=np.ones_like(n), where=n > 1)
    return float(factor @ squares), float(len(held) - present.sum() + 1)


def _strata(sample: NearSample, design: Design) -> Codes:
    """Within what rows were drawn: the strata given, and the classes if the study chose their sizes."""
    found = np.zeros(len(sample), dtype=np.int64) if sample.strata is None else sample.strata
    if design.is_cohort:
        return found
    if sample.groups is not None:
        raise ArgumentError("groups are drawn whole, whatever their class. Hint: use design='cohort'.")
    return np.asarray(found * sample.n_classes + sample.truth, dtype=np.int64)


def _by_influence(metric: Metric, sample: Sample, design: Design) -> Estimate:
    found = sandwich(metric, sample, design)
    low, high = limits_of(found, design.confidence_level, metric.range)
    remark = _units(sample)
    words = f"sandwich{scale_name(metric.range)}, half a case added to each class{remark}"
    if found.error == 0 and _is_share(metric):
        words = f"Wilson with Kish's number of cases{remark}"
    return _wrapped(metric, sample, found.value, (low, high, words), found.error, design)


def _units(sample: Sample) -> str:
    strata = ", within strata" if isinstance(sample, NearSample) and sample.strata is not None else ""
    return (", whole groups" if sample.is_clustered else "") + strata


def _is_share(metric: Metric) -> bool:
    return bool(np.isfinite(metric.range).all())


def limits_of(found: Sandwich, level: float, range: tuple[float, float]) -> tuple[float, float]:
    """Student's t on the scale of the metric's range; where no row differs from any other, Wilson's limits."""
    value = found.value
    if found.error == 0 and np.isfinite(range).all():
        share = (value - range[0]) / (range[1] - range[0])
        ends = wilson(share * found.cases, found.cases, confidence_level=level)
        low, high = (range[0] + (range[1] - range[0]) * float(each) for each in ends)
        return low, high
    reach = found.spread * stdtrit(max(found.cases - 1, 1.0), (1 + level) / 2)
    low, high = (float(each) for each in step(np.asarray(found.centre), np.asarray(reach), range))
    return max(min(low, value), range[0]), min(max(high, value), range[1])


def _wrapped(
    metric: Metric, sample: Sample, value: float, limits: tuple[float, float, str], error: float, design: Design
) -> Estimate:
    share = queue = sample.positives / sample.n
    at = sample.thresholds.get(sample.only_model)
    if metric.of == "counts":
        counts = sample.counts()
        queue = float(counts.labelled_positive / counts.total)
    cut = "" if at is None or metric.of != "counts" else f"threshold {at:.3g}, "
    missing = np.isnan(value)
    return Estimate.of(
        metric,
        value,
        limits,
        design.confidence_level,
        standard_error=np.nan if missing else error,
        baseline=float(metric.baseline(share, queue)),
        context=f"{cut}{size_of(sample)}",
        ask=partial(_ask_again, metric, sample, design.quietly()),
    )


def _ask_again(
    metric: Metric, sample: Sample, design: Design, *, confidence_level: float, method: str | None
) -> Estimate:
    return estimates_of_sampled([metric], sample, design.at(confidence_level), method=method)[metric.name]


def multiplied(metrics: Sequence[Metric], sample: Sample, design: Design) -> dict[str, tuple[Array, float]]:
    """Replicates by multipliers, and the value of what was resampled: rows in their units, or else a table."""
    if not metrics:
        return {}
    if isinstance(sample, NearSample) and sample.has_units:
        drawn = by_cases(metrics, sample, design)
        return {each.name: (drawn[each.name][0], np.nan) for each in metrics}
    found = {}
    for kind in (True, False):
        own = [each for each in metrics if (each.of == "counts") == kind]
        if own:
            found |= _of_table(own, decision_table(sample) if kind else sample.table().at_middles(), design)
    return found


def _of_table(metrics: Sequence[Metric], table: ScoreTable, design: Design) -> dict[str, tuple[Array, float]]:
    basis = half_case(table, places=PLACES) if metrics[0].of != "counts" else _wary(metrics[0], table)
    return table_replicates(metrics, basis, design)


def _resampled(metric: Metric, sample: Sample, drawn: Array, start: float, design: Design) -> Estimate:
    value, level = value_of(metric, sample, sample.only_model), design.confidence_level
    table = decision_table(sample) if metric.of == "counts" else sample.table()
    cases = _cases(metric, table)
    if isinstance(sample, NearSample) and sample.has_units:
        cases = min(cases, variance_of_units(np.zeros(len(sample)), sample, design)[1])
    found = bias_corrected(
        value,
        drawn,
        smoothed_value=value if np.isnan(start) else start,
        smaller_class=cases,
        confidence_level=level,
        range=metric.range,
    )
    limits = float(found.low), float(found.high), f"{found.method}, multipliers{_units(sample)}"
    return _wrapped(metric, sample, value, limits, spread(drawn), design)
