"""Intervals of metrics of scores that need no resampling, from what a metric declares: its influence or its spread.

The defaults add half a case of unknown rank to each class (see `smoothed`), take the standard error from the influence
function, and step 1.96 of them to each side on a scale without ends. The AUROC has its classics besides. Ties count
half, weights count as that many cases.

Areas have Wilson's limits with an effective number of cases: an area A with the variance V is as sure as a proportion
of A(1 - A)/V cases. Such limits stay inside the range, are not symmetric near its ends, and need no fallback where
classes are perfectly separated; Student's quantile allows for a variance from few cases. What chose this:
docs/intervals-ranking.md, tests/coverage/areas.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from unconfuse._scipy_special import expit, gammaincinv, logit, ndtr, ndtri, owens_t
from unconfuse.metrics import Metric
from unconfuse.metrics._metric import ratio
from unconfuse.metrics._tie_blocks import totals
from unconfuse.metrics.best_threshold import Best, best_of, critical, p_of_best
from unconfuse.metrics.influence_functions import (
    InfluenceFunction,
    VarianceComponents,
    area_of,
    auroc_influence,
    auroc_spread,
    is_auroc,
    quantile,
    student_quantile,
)
from unconfuse.table import Array, ScoreTable, remembered
from unconfuse.uncertainty.bootstrap import HALF, banded, half_case, with_ends
from unconfuse.uncertainty.method import Method
from unconfuse.uncertainty.proportion_intervals import FIXED_BY_DESIGN, Interval, Limits, mid_p

_TINY = 1e-12
_FEW, _ENOUGH = 4.0, 8.0  # cases that make a loss: of so few the gamma limit holds, from so many on the usual one does
AT_BEST = "Wilson at the best threshold, search allowed for"
_ADDED = "half a case of unknown rank added to each class"
_BY_INFLUENCE = Method("Wilson (effective n)", f"effective sample size from the influence function, {_ADDED}")
Range = tuple[float, float]
_UNIT = (0.0, 1.0)
_TOP = 0.1  # of a case: what a small sample may lack above all that it shows


def spread_of(metric: Metric, table: ScoreTable, added: float = 0.0) -> VarianceComponents | InfluenceFunction:
    """Value and standard error, with a case of that weight and of unknown rank added to each class."""
    if metric.inference.spread is not None and table.is_single_table:
        return metric.inference.spread(table, added)
    assert metric.inference.influence is not None
    small = table if metric.inference.joined is None else metric.inference.joined(table)
    return metric.inference.influence(half_case(small, weight=added) if added else small)


def standard_error(metric: Metric, table: ScoreTable, fixed_classes: bool = False) -> float:
    """Of a metric that declares its influence or its spread, on this table as it is."""
    small = table if metric.inference.spread is not None else banded(table)
    return float(spread_of(metric, small).standard_error(fixed_classes=fixed_classes))


def by_influence(metric: Metric, table: ScoreTable, fixed_classes: bool = False, level: float = 0.95) -> Interval:
    """Half a case added to each class, then normal limits on the scale of the metric's range.

    Perfect separation thus gives an honest interval instead of [1, 1], and coverage of the AUROC stays near the level
    down to 10 cases in a class (docs/intervals-ranking.md).

    >>> from unconfuse.metrics import METRICS
    >>> table = ScoreTable(np.arange(20.)[::-1], np.repeat([1., 0], 10), np.repeat([0., 1], 10))
    >>> low, high, method = by_influence(METRICS["auroc"], table)
    >>> print(f"{low:.3f} {high:.3f}, {method}")
    0.637 1.000, DeLong on the logit scale
    """
    value, unknown = metric(table), "score" if metric.of == "probabilities" else "rank"
    words = "DeLong" if is_auroc(metric) else "normal" if metric.of == "probabilities" else "influence function"
    method = Method(f"{words}{_scale_name(metric)}", f"half a case of unknown {unknown} added to each class")
    if np.any(np.isinf(value)):  # as the log loss of something that was stated to be impossible
        return Interval(value, value, method)
    spread = spread_of(metric, table, HALF)
    low, high = limits_on_scale(spread.value, spread.standard_error(fixed_classes=fixed_classes), level, metric.range)
    return widen_to_value(value, low, high, method, metric.range)


def of_mean_loss(metric: Metric, table: ScoreTable, fixed_classes: bool = False, level: float = 0.95) -> Interval:
    """Return the same for a mean loss or a skill, whose best limit half a case spoils where the model is very good.

    That limit is the mean of the usual one and of the one on the log scale of the data as they are, with Student's
    quantile: each alone misses on one side (tests/coverage/losses.py). Where the loss comes from a few cases, it is
    that of `_of_few_cases`. A skill is 1 less a ratio of losses, of which
    the lower rests on the rarer class: so do its degrees of freedom.

    >>> from unconfuse.metrics import METRICS
    >>> table = ScoreTable(np.array([.95, .9, .1, .05]), np.array([9., 6, 0, 0]), np.array([0., 0, 6, 9]))
    >>> [f"{each(METRICS['brier'], table).low:.4f}" for each in (by_influence, of_mean_loss)]
    ['0.0055', '0.0049']
    """
    usual = by_influence(metric, table, fixed_classes, level)
    error = spread_of(metric, table).standard_error(fixed_classes=fixed_classes)
    best, worse = (0.0, 1.0) if metric.better == "lower" else (1.0, -1.0)
    loss, limit = worse * (np.asarray(metric(table)) - best), usual.low if worse > 0 else usual.high
    count = np.sum if worse > 0 else np.min
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        relative = ratio(error, loss)
        reach = student_quantile(np.maximum(count(totals(table), axis=0) - 1, 1), level) * relative
        own = np.where(loss > 0, loss * np.exp(-reach), 0.0)
        least = _of_few_cases(loss, relative, (worse * (limit - best) + own) / 2, level)
    moved = np.where(np.isfinite(own), best + worse * least, limit)
    return usual._replace(low=moved) if worse > 0 else usual._replace(high=moved)


def _of_few_cases(loss: Array, relative: Array, limit: Array, level: float) -> Array:
    """Return the lower limit of a loss where few cases make nearly all of it, as the mistakes of a very good model do.

    One mistake may have come from a rate of a fortieth of it, which neither half a case nor the log scale allows for.
    Fay and Feuer's limit of a sum of weighted Poisson counts does: the gamma distribution with the loss's mean and
    variance. `relative` is the standard error over the loss; 1 over its square is how many cases the loss amounts to.
    Of AUROCs of .993 to .9999, limits without it lay above the truth in 5 to 18% of samples of 30 to 200 cases, with it
    in at most 2%, and intervals are at most 4% wider (300 samples of each of five settings).

    Fay and Feuer (1997), Stat. Med. 16:791.
    """
    cases = np.clip(relative**-2.0, _TINY, _ENOUGH)
    gamma = loss * gammaincinv(cases, (1 - level) / 2) / cases
    weight = np.clip((_ENOUGH - cases) / (_ENOUGH - _FEW), 0.0, 1.0)
    return np.where(weight > 0, limit - weight * np.maximum(limit - gamma, 0.0), limit)


def by_influence_at_top(
    metric: Metric, table: ScoreTable, fixed_classes: bool = False, level: float = 0.95
) -> Interval:
    """Return the interval of an area decided by the few cases at the top, which a small sample tends to miss.

    Besides half a case of unknown rank in each class, the upper limit's standard error allows for a tenth of a positive
    above all cases, and the lower limit's for a tenth of a negative there. Davis and Goadrich's area takes the limits
    of the continuous one, which it approaches, widened if need be to hold its value.

    >>> from unconfuse.metrics import METRICS
    >>> table = ScoreTable(np.array([.9, .7, .5, .3, .1]), np.array([8., 5, 4, 2, 1]), np.array([1., 3, 6, 30, 60]))
    >>> low, high, method = by_influence_at_top(METRICS["average_precision"], table)
    >>> print(f"{METRICS['average_precision'](table):.3f} [{low:.3f}, {high:.3f}]")
    0.713 [0.464, 0.849]
    """
    influence = metric.inference.influence
    assert influence is not None
    value, centre, below, above = remembered(
        table, (influence, fixed_classes), lambda: _centre_and_errors(influence, table, fixed_classes)
    )
    low = limits_on_scale(centre, below, level, metric.range)[0]
    high = limits_on_scale(centre, above, level, metric.range)[1]
    method = Method(f"influence function{_scale_name(metric)}", _ADDED)
    return widen_to_value(metric(table), *widen_to_value(value, low, high, method, metric.range), metric.range)


def _centre_and_errors(
    influence: Callable[[ScoreTable], InfluenceFunction], table: ScoreTable, fixed_classes: bool
) -> tuple[Array, Array, Array, Array]:
    """Return the area, the centre of its interval, and the standard errors for the lower and the upper limit."""
    value, small = area_of(influence, table), banded(table) if table.is_single_table else table
    smoothed = half_case(small)
    # Joining scores into bands changes the value, not the noise: only what the half case adds to it is taken over.
    centre = influence(smoothed).value + (value - influence(small).value)
    below = influence(with_ends(smoothed, top_negatives=_TOP)).standard_error(fixed_classes=fixed_classes)
    above = influence(with_ends(smoothed, top_positives=_TOP)).standard_error(fixed_classes=fixed_classes)
    return value, centre, below, above


def limits_on_scale(value: Array, error: Array, confidence_level: float = 0.95, range: Range = _UNIT) -> Limits:
    """Return normal limits on the logit scale between two ends of the range, on the log scale next to one of them.

    >>> low, high = limits_on_scale(np.array(.9), np.array(.05))
    >>> print(f"{low:.3f} {high:.3f}")
    0.752 0.964
    """
    low, high = range
    reach = quantile(confidence_level) * error
    if np.isfinite(low) and np.isfinite(high):
        share = np.clip((np.asarray(value) - low) / (high - low), 1e-12, 1 - 1e-12)
        half = quantile(confidence_level) * ratio(error, (high - low) * share * (1 - share))
        centre = logit(share)
        return low + (high - low) * expit(centre - half), low + (high - low) * expit(centre + half)
    if np.isfinite(low):
        factor = np.exp(ratio(reach, value - low))
        return low + (value - low) / factor, low + (value - low) * factor
    if np.isfinite(high):
        factor = np.exp(ratio(reach, high - value))
        return high - (high - value) * factor, high - (high - value) / factor
    return value - reach, value + reach


def _scale_name(metric: Metric) -> str:
    """In words; next to an upper end alone it is the distance to that end, as 1 - skill, whose logarithm is taken."""
    low, high = np.isfinite(metric.range)
    distance = "" if low else f" of {metric.range[1]:g} - {metric.name.rpartition('_')[2]}"
    return " on the logit scale" if low and high else f" on the log scale{distance}" if low or high else ""


def widen_to_value(value: Array, low: Array, high: Array, method: str, range: Range = _UNIT) -> Interval:
    """Limits that hold the value; a value at an end of the range cannot be excluded, so that end is open to it."""
    low = np.where(value <= range[0], range[0], np.clip(np.minimum(low, value), *range))
    return Interval(low, np.where(value >= range[1], range[1], np.clip(np.maximum(high, value), *range)), method)


def delong_variance(table: ScoreTable) -> Array:
    """DeLong's variance of the AUROC: the sample variances of both classes' placements, over the class sizes.

    It is 0, and so misleading, where the classes are perfectly separated; the default interval copes with that.

    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837.

    >>> table = ScoreTable(np.array([.8, .6, .3, .1]), np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1]))
    >>> float(delong_variance(table))
    0.125
    """
    plain = table.is_single_table and not table.is_sampled
    return auroc_spread(table).within if plain else auroc_influence(table).variance()


def delong(metric: Metric, table: ScoreTable, fixed_classes: bool = False, level: float = 0.95) -> Interval:
    """DeLong's standard error to each side, cut at 0 and 1: of no width where the classes are perfectly separated."""
    return _wald(metric, table, np.sqrt(delong_variance(table)), level, "DeLong")


def delong_logit(metric: Metric, table: ScoreTable, fixed_classes: bool = False, level: float = 0.95) -> Interval:
    """Return DeLong's interval on the logit scale (Pepe 2003, section 5.2.5)."""
    low, high = limits_on_scale(metric(table), np.sqrt(delong_variance(table)), level)
    return Interval(low, high, "DeLong on the logit scale")


def hanley_mcneil(metric: Metric, table: ScoreTable, fixed_classes: bool = False, level: float = 0.95) -> Interval:
    """Hanley and McNeil's standard error to each side, cut at 0 and 1."""
    return _wald(metric, table, hanley_mcneil_error(metric, table), level, "Hanley-McNeil")


def newcombe(metric: Metric, table: ScoreTable, fixed_classes: bool = False, level: float = 0.95) -> Interval:
    """Newcombe's method 5: all areas from which the value is no farther than z of the standard errors they imply.

    The variance is Hanley and McNeil's with both class sizes replaced by their mean where they multiply.

    Newcombe (2006), Stat. Med. 25:559.

    >>> from unconfuse.metrics import METRICS
    >>> table = ScoreTable(np.arange(20.)[::-1], np.repeat([1., 0], 10), np.repeat([0., 1], 10))
    >>> low, high, method = newcombe(METRICS["auroc"], table)
    >>> print(f"{low:.3f} {high:.3f}")
    0.800 1.000
    """
    from scipy.optimize import brentq  # takes long to import, and few ask for this method

    value, z = float(metric(table)), quantile(level)

    def beyond(area: float, side: float) -> float:
        return side * (area - value) - z * float(_newcombe_se(area, table.n_positives, table.n_negatives))

    near = 1e-12  # to the value, where the standard error is longer than the way
    low = 0.0 if value <= near else float(brentq(beyond, 0.0, value - near, args=(-1.0,), xtol=1e-14))
    high = 1.0 if value >= 1 - near else float(brentq(beyond, value + near, 1.0, args=(1.0,), xtol=1e-14))
    return Interval(np.asarray(low), np.asarray(high), "Newcombe's method 5")


def _wald(metric: Metric, table: ScoreTable, error: npt.ArrayLike, level: float, method: str) -> Interval:
    value, reach = metric(table), quantile(level) * np.asarray(error)
    return Interval(np.maximum(value - reach, 0.0), np.minimum(value + reach, 1.0), method)


def hanley_mcneil_error(metric: Metric, table: ScoreTable, fixed_classes: bool = False) -> float:
    """Hanley and McNeil's standard error of the AUROC of a table."""
    return float(hanley_mcneil_se(metric(table), table.n_positives, table.n_negatives))


def newcombe_error(metric: Metric, table: ScoreTable, fixed_classes: bool = False) -> float:
    """Return the standard error of Newcombe's method 5, at the value."""
    return float(_newcombe_se(metric(table), table.n_positives, table.n_negatives))


def _newcombe_se(auroc: npt.ArrayLike, positives: float, negatives: float) -> Array:
    area, mean = np.asarray(auroc, dtype=np.float64), (positives + negatives) / 2
    pairs = 1 + (mean - 1) * ((1 - area) / (2 - area) + area / (1 + area))
    return np.sqrt(area * (1 - area) * pairs / (positives * negatives))


def hanley_mcneil_se(auroc: npt.ArrayLike, positives: npt.ArrayLike, negatives: npt.ArrayLike) -> Array:
    """Return the standard error of an AUROC known only by its value: exact for exponential scores, else a guess.

    For normal scores and few positives it is up to 1.5 times too large at an AUROC of .95.

    Hanley and McNeil (1982), Radiology 143:29.

    >>> round(float(hanley_mcneil_se(.75, 2, 2)), 6)
    0.276296
    """
    area = np.asarray(auroc, dtype=np.float64)
    return _pair_se(area, area / (2 - area), 2 * area**2 / (1 + area), positives, negatives)


def binormal_se(
    auroc: npt.ArrayLike, positives: npt.ArrayLike, negatives: npt.ArrayLike, *, sd_ratio: npt.ArrayLike = 1.0
) -> Array:
    """Exact standard error of the sample AUROC of normal scores; `sd_ratio` is positives' over negatives' deviation.

    >>> round(float(binormal_se(.95, 100, 9900)), 6)
    0.009895
    """
    area, square = np.asarray(auroc, dtype=np.float64), np.square(np.asarray(sd_ratio, dtype=np.float64))
    two_positives, two_negatives = _both_below(area, 1 / (1 + square)), _both_below(area, square / (1 + square))
    return _pair_se(area, two_positives, two_negatives, positives, negatives)


def _both_below(auroc: Array, correlation: Array) -> Array:
    """P(both of two standard normals with this correlation are below probit(AUROC)), by Owen's T function."""
    limit = ndtri(auroc)
    return np.asarray(ndtr(limit) - 2 * owens_t(limit, np.sqrt((1 - correlation) / (1 + correlation))))


def _pair_se(area: Array, two_positives: Array, two_negatives: Array, p: npt.ArrayLike, n: npt.ArrayLike) -> Array:
    """From the chances that two positives outrank one negative, and that one positive outranks two negatives."""
    positives, negatives = np.asarray(p, dtype=np.float64), np.asarray(n, dtype=np.float64)
    variance = area * (1 - area)
    variance = variance + (positives - 1) * (two_positives - area**2) + (negatives - 1) * (two_negatives - area**2)
    return np.sqrt(np.maximum(variance, 0) / (positives * negatives))


def wilson_effective(metric: Metric, table: ScoreTable, fixed_classes: bool = False, level: float = 0.95) -> Interval:
    """Of a metric with an influence and a range, with two degrees of freedom for each case that decides it.

    These are the cases of the smaller class; of a partial area, those in its part of the curve.

    >>> from unconfuse.metrics import METRICS
    >>> table = ScoreTable(np.arange(20.)[::-1], np.repeat([1., 0], 10), np.repeat([0., 1], 10))
    >>> low, high, method = wilson_effective(METRICS["auroc"], table)
    >>> print(f"{low:.3f} {high:.3f}, {method}")
    0.767 1.000, Wilson (DeLong effective n)
    """
    value, found, (least, most) = metric(table), spread_of(metric, table, HALF), metric.range
    span = most - least
    cases = effective_cases((found.value - least) / span, found.standard_error(fixed_classes=fixed_classes) / span)
    freedom = np.maximum(2 * _smaller_class(table, metric.inference.deciding), 1.0)
    reach = student_quantile(freedom, level)
    low, high = (least + span * wilson_limit for wilson_limit in wilson_limits((value - least) / span, cases, reach))
    method = Method("Wilson (DeLong effective n)", _ADDED) if is_auroc(metric) else _BY_INFLUENCE
    return widen_to_value(value, low, high, method, metric.range)


def wilson_at_top(metric: Metric, table: ScoreTable, fixed_classes: bool = False, level: float = 0.95) -> Interval:
    """Of areas that the few cases at the top of the list decide, which a small sample tends to miss.

    The upper limit's variance allows for a tenth of a positive above all cases, the lower limit's for a tenth of a
    negative there. Davis and Goadrich's area takes the limits of the continuous one, which it approaches, widened if
    need be to hold its value.

    >>> from unconfuse.metrics import METRICS
    >>> table = ScoreTable(np.array([.9, .7, .5, .3, .1]), np.array([8., 5, 4, 2, 1]), np.array([1., 3, 6, 30, 60]))
    >>> low, high, method = wilson_at_top(METRICS["average_precision"], table)
    >>> print(f"{METRICS['average_precision'](table):.3f} [{low:.3f}, {high:.3f}]")
    0.713 [0.482, 0.862]
    """
    influence = metric.inference.influence
    assert influence is not None
    if table.is_single_table and len(table) == 1:
        return _of_one_score(table, fixed_classes, level)
    value, below, above = remembered(
        table, ("at the top", influence, fixed_classes), lambda: _area_and_cases(influence, table, fixed_classes)
    )
    low = wilson_limits(value, below, student_quantile(_smaller_class(table), level))[0]
    high = wilson_limits(value, above, quantile(level))[1]
    return widen_to_value(metric(table), *widen_to_value(value, low, high, _BY_INFLUENCE))


def _of_one_score(table: ScoreTable, fixed_classes: bool, level: float) -> Interval:
    """Where all scores are the same an area is the share of positives: a proportion that a cohort estimates."""
    if fixed_classes:
        return Interval(*(np.asarray(table.prevalence),) * 2, FIXED_BY_DESIGN)
    low, high = mid_p(np.asarray(table.n_positives), np.asarray(table.n), confidence_level=level)
    return Interval(low, high, "mid-p of the share of positives: all scores are the same")


def _area_and_cases(
    influence: Callable[[ScoreTable], InfluenceFunction], table: ScoreTable, fixed_classes: bool
) -> tuple[Array, Array, Array]:
    """Return the area, and how many cases it is worth for the lower and for the upper limit."""
    small = banded(table) if table.is_single_table else table
    smoothed = half_case(small)
    ends = (with_ends(smoothed, top_negatives=_TOP), with_ends(smoothed, top_positives=_TOP))
    influence_functions = [influence(end) for end in ends]
    below, above = (
        effective_cases(influence_function.value, influence_function.standard_error(fixed_classes=fixed_classes))
        for influence_function in influence_functions
    )
    return area_of(influence, table), below, above


def effective_cases(value: Array, error: Array) -> Array:
    """Of how many cases a proportion would have this value and this standard error."""
    share = np.clip(value, _TINY, 1 - _TINY)
    return ratio(share * (1 - share), np.square(error))


def wilson_limits(value: Array, cases: Array, reach: Array | float) -> tuple[Array, Array]:
    """Wilson's limits, so many standard errors wide.

    >>> low, high = wilson_limits(np.array(.8), np.array(10.), 1.96)
    >>> print(f"{low:.4f} {high:.4f}")
    0.4902 0.9433
    """
    square = np.square(reach)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = (value + square / (2 * cases)) / (1 + square / cases)
        half = reach * np.sqrt(value * (1 - value) / cases + np.square(reach / (2 * cases))) / (1 + square / cases)
    return np.asarray(centre - half), np.asarray(centre + half)


def _smaller_class(table: ScoreTable, deciding: tuple[float, float] = (1.0, 1.0)) -> Array:
    """How many cases there are in the class that has fewer which matter."""
    sizes = (share * total for share, total in zip(deciding, totals(table), strict=True))
    return np.asarray(np.minimum(*sizes), np.float64)


def limits_at_best(
    metric: Metric, table: ScoreTable, fixed_classes: bool = False, level: float = 0.95, *, either_way: bool = False
) -> Interval:
    """Limits of the largest J, or in either direction of the largest distance; class sizes chosen or not.

    >>> from unconfuse.metrics import METRICS
    >>> table = ScoreTable(np.arange(20.)[::-1], np.repeat([1., 0], 10), np.repeat([0., 1], 10))
    >>> low, high, method = limits_at_best(METRICS["max_youden"], table)
    >>> print(f"{low:.3f} {high:.3f}, {method}")
    0.532 1.000, Wilson at the best threshold, search allowed for
    """
    best, z = best_of(table, either_way=either_way), quantile(level)
    searched = critical(best.span, (1 - level) / (4 if either_way else 2), z)
    down = math.hypot(*_reach(best, searched, of_low=True))
    up = math.hypot(*_reach(best, z, of_low=False))
    low, high = max(best.value - down, 0.0), min(best.value + up, 1.0)
    if p_of_best(best, either_way=either_way) >= (1 - level) / 2:
        low = 0.0  # of one to five positives Wilson's limits alone would leave chance out too often
    return Interval(np.asarray(low), np.asarray(high), AT_BEST)


def _reach(best: Best, reach: float, *, of_low: bool) -> list[float]:
    """How far Wilson's limits lie from both rates, on the sides on which they lower (or raise) J."""
    rises = best.rates[0] >= best.rates[1]
    found = []
    for rate, size, upward in zip(best.rates, best.sizes, (rises != of_low, rises == of_low), strict=True):
        low, high = wilson_limits(np.asarray(rate), np.asarray(size), reach)
        found.append(float(high) - rate if upward else rate - float(low))
    return [max(each, 0.0) for each in found]


def error_at_best(metric: Metric, table: ScoreTable, fixed_classes: bool = False, *, either_way: bool = False) -> float:
    """Return the standard error at the best threshold, with half a case."""
    return best_of(table, either_way=either_way).error
