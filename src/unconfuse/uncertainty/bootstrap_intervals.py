"""Intervals from bootstrap replicates, for any metric.

All take a value and its replicates along the last axis, and drop replicates in which the metric is undefined; the
method's name says how many these were. `bias_corrected` is the default: of those below it kept closest to its level for
metrics that no formula serves (docs/intervals-ranking.md).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from unconfuse._scipy_special import expit, logit, ndtr, ndtri, stdtrit
from unconfuse.metrics._metric import ratio
from unconfuse.metrics.influence_functions import quantile, student_quantile
from unconfuse.table import Array, Counts, ScoreTable
from unconfuse.table.looks import Critical
from unconfuse.uncertainty.bootstrap import banded
from unconfuse.uncertainty.method import NoInterval
from unconfuse.uncertainty.proportion_intervals import Interval

_TIMES = (1.0, 2.5)  # how often the bias that resamples show is taken off
_HUGE = 1e100  # beyond it a third power is none that a number can hold
_NEAREST = 1e-3  # to an end of the range, on a scale on which the ends are infinitely far
_JACKKNIFE_BANDS = 250  # of each class; the acceleration is a third moment and needs no finer table


def percentile(value: npt.ArrayLike, replicates: npt.ArrayLike, *, confidence_level: float = 0.95) -> Interval:
    """Quantiles of the replicates. Simple; a metric that chooses a threshold is flattered twice over.

    >>> low, high, method = percentile(.5, np.linspace(0, 1, 1001))
    >>> print(f"{low:.3f} {high:.3f} {method}")
    0.025 0.975 percentile bootstrap
    """
    if isinstance(confidence_level, Critical):
        why = NoInterval("no interval: resamples do not reach so far out")
        return Interval(np.asarray(np.nan), np.asarray(np.nan), why)
    tail = (1 - confidence_level) / 2
    low, high = _quantiles(np.asarray(replicates, dtype=np.float64), tail, 1 - tail)
    return Interval(low, high, "percentile bootstrap" + undefined_text(replicates))


def student_percentile(
    value: npt.ArrayLike, replicates: npt.ArrayLike, freedom: float, *, confidence_level: float = 0.95
) -> Interval:
    """Percentiles further out, where Student's t has its quantiles: few cases spread more than their resamples show.

    >>> low, high, _ = student_percentile(.5, np.linspace(0, 1, 1001), 20)
    >>> print(f"{low:.3f} {high:.3f}")
    0.018 0.982
    """
    if isinstance(confidence_level, Critical):
        return percentile(value, replicates, confidence_level=confidence_level)
    student = stdtrit(max(freedom, 1.0), (1 + confidence_level) / 2)
    return percentile(value, replicates, confidence_level=float(2 * ndtr(student) - 1))


def basic(
    value: npt.ArrayLike,
    replicates: npt.ArrayLike,
    *,
    confidence_level: float = 0.95,
    range: tuple[float, float] = (-np.inf, np.inf),
) -> Interval:
    """Reflect the percentile interval at the value and cut it at the metric's range.

    >>> low, high, _ = basic(.5, np.linspace(.3, .9, 1001))
    >>> print(f"{low:.3f} {high:.3f}")
    0.115 0.685
    """
    centre = np.asarray(value, dtype=np.float64)
    low, high, _ = percentile(value, replicates, confidence_level=confidence_level)
    low, high = np.clip(2 * centre - high, *range), np.clip(2 * centre - low, *range)
    return Interval(low, high, "basic bootstrap" + undefined_text(replicates))


def bca(
    value: npt.ArrayLike,
    replicates: npt.ArrayLike,
    *,
    acceleration: npt.ArrayLike = 0.0,
    confidence_level: float = 0.95,
) -> Interval:
    """Percentiles corrected for median bias and for a standard error that changes with the value.

    `acceleration`: see `jackknife_acceleration`, or a sixth of the skewness of the influences; 0 gives the BC interval.
    Efron (1987), JASA 82:171.

    >>> low, high, _ = bca(.5, np.linspace(0, 1, 1001))
    >>> print(f"{low:.3f} {high:.3f}")
    0.025 0.975
    """
    centre, draws = np.asarray(value, dtype=np.float64), np.asarray(replicates, dtype=np.float64)
    shift, pull = ndtri(_share_below(centre, draws)), np.asarray(acceleration, dtype=np.float64)
    low, high = (
        _own_quantiles(draws, ndtr(shift + ratio(shift + z, 1 - pull * (shift + z))))
        for z in (-quantile(confidence_level), quantile(confidence_level))
    )
    return Interval(low, high, "BCa bootstrap" + undefined_text(replicates))


def bias_corrected(
    value: npt.ArrayLike,
    replicates: npt.ArrayLike,
    *,
    smoothed_value: npt.ArrayLike | None = None,
    smaller_class: npt.ArrayLike = np.inf,
    confidence_level: float = 0.95,
    range: tuple[float, float] = (-np.inf, np.inf),
) -> Interval:
    """Limits about the value less its bias, on a scale without ends: the default for metrics without a formula.

    Resampling shows the bias of a smooth metric in full, but less than half of it if a threshold is chosen as the best
    one (in theory 2^(2/3) - 1 = 59%, for large samples). So the limit on the side of the bias takes off two and a half
    times, the other limit once, what the resamples show.

    `smoothed_value` is that of the table that was resampled, if that was `half_case(table, places=50)`, as it should:
    perfect separation then does not give an interval of no width. Student's t has one degree of freedom less than the
    smaller class has cases. The scale is the logit between two finite bounds of the range, the logarithm next to one.

    >>> draws = np.random.default_rng(0).beta(80, 20, 4000)
    >>> low, high, method = bias_corrected(.8, draws, range=(0, 1))
    >>> print(f"{low:.2f} {high:.2f} {method}")
    0.71 0.87 bias-corrected bootstrap on the logit scale
    """
    found, draws = np.asarray(value, dtype=np.float64), np.asarray(replicates, dtype=np.float64)
    start = found if smoothed_value is None else np.asarray(smoothed_value, dtype=np.float64)
    mean, error = _mean_and_spread(draws)
    with np.errstate(invalid="ignore"):  # two infinities
        bias = mean - start
    reach = error * student_quantile(np.maximum(np.asarray(smaller_class) - 1.0, 1.0), confidence_level)
    centres = [each - times * bias for each in (found, start) for times in _TIMES]
    lower, upper = _off_ends(np.minimum.reduce(centres), np.maximum.reduce(centres), reach, range)
    low, high = step(lower, reach, range)[0], step(upper, reach, range)[1]
    method = f"bias-corrected bootstrap{scale_name(range)}" + undefined_text(replicates)
    return Interval(np.minimum(low, found), np.maximum(high, found), method)


def _off_ends(lower: Array, upper: Array, reach: Array, range: tuple[float, float]) -> tuple[Array, Array]:
    """Keep the centre of the lower limit half a reach or more from the upper end, and that of the upper limit likewise.

    A centre at an end, or beyond it, is infinitely far out on a scale without ends, and a step from there leads to the
    other end, whatever its length. From half a reach it leads at most 3.7 of them away.

    >>> _off_ends(np.array(.99), np.array(-.2), np.array(.1), (0, 1))
    (array(0.95), array(0.05))
    """
    low, high = range
    half = np.minimum(reach / 2, (high - low) / 2) if np.isfinite(range).all() else reach / 2
    return np.asarray(np.minimum(lower, high - half)), np.asarray(np.maximum(upper, low + half))


def _mean_and_spread(draws: Array) -> tuple[Array, Array]:
    if draws.shape[-1] > 1 and np.isfinite(draws).all():  # as nearly always, and several times faster
        return np.mean(draws, axis=-1), np.std(draws, axis=-1, ddof=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no replicate is defined: NaN is the answer
        return np.nanmean(draws, axis=-1), np.nanstd(draws, axis=-1, ddof=1)


def spread(replicates: Array, ddof: int = 1) -> float:
    """Return the standard deviation of the defined replicates; NaN if some are infinite, or too few are defined.

    Where replicates lie so far apart that no number can hold their squares, it is infinite.
    """
    known = replicates[~np.isnan(replicates)]
    with np.errstate(over="ignore"):
        return float(np.std(known, ddof=ddof)) if len(known) > ddof and np.isfinite(known).all() else np.nan


def step(centre: Array, reach: Array, range: tuple[float, float]) -> tuple[Array, Array]:
    """One step down and one up from the centre, of that length there, on the scale of the metric's range.

    >>> low, high = step(np.array(.5), np.array(.2), (0, 1))
    >>> print(f"{low:.3f} {high:.3f}")
    0.310 0.690
    """
    low, high = range
    if np.isfinite(low) and np.isfinite(high):
        share = np.clip((centre - low) / (high - low), _NEAREST, 1 - _NEAREST)
        half = reach / ((high - low) * share * (1 - share))
        return low + (high - low) * expit(logit(share) - half), low + (high - low) * expit(logit(share) + half)
    if np.isfinite(low):
        above = np.maximum(centre - low, _NEAREST * reach)
        factor = np.exp(np.minimum(ratio(reach, above), 700.0))
        with np.errstate(over="ignore", divide="ignore"):
            return low + above / factor, low + above * factor
    if np.isfinite(high):
        down, up = step(-centre, reach, (-high, np.inf))
        return -up, -down
    return centre - reach, centre + reach


def scale_name(range: tuple[float, float]) -> str:
    """Name the scale of `step` in words."""
    return {2: " on the logit scale", 1: " on the log scale", 0: ""}[int(np.isfinite(range).sum())]


def jackknife_of_counts(metric: Callable[[Counts], Array], counts: Counts) -> float:
    """Return the acceleration of `bca` for one 2x2 table, by leaving out one case of each cell."""
    cells = np.array([float(each) for each in (counts.tp, counts.fp, counts.fn, counts.tn)])
    without = cells[:, None] - np.diag(np.minimum(cells, 1.0))
    left = metric(Counts.from_validated(tp=without[0], fp=without[1], fn=without[2], tn=without[3]))
    return _sixth_of_skewness(_pull(metric(counts), left), cells)


def jackknife_acceleration(metric: Callable[[ScoreTable], Array], table: ScoreTable) -> float:
    """Return the acceleration of `bca`: a sixth of the influences' skewness, by leaving out one case at each score.

    A table of many scores is first joined into at most about 1,000 bands, so the cost does not grow with the rows.

    >>> from unconfuse.metrics import METRICS
    >>> table = ScoreTable(np.array([.8, .6, .3, .1]), np.array([9., 5, 3, 1]), np.array([1., 4, 6, 7]))
    >>> round(jackknife_acceleration(METRICS["auroc"], table), 4)
    -0.0441
    """
    small = banded(table, _JACKKNIFE_BANDS)
    influence, weights = [], []
    for name in ("positives", "negatives"):
        cases = getattr(small, name)
        present = np.flatnonzero(cases >= 1)
        without = np.repeat(cases[None], len(present), axis=0)
        without[np.arange(len(present)), present] -= 1
        stack = {"positives": small.positives, "negatives": small.negatives, name: without}
        influence.append(_pull(metric(small), metric(ScoreTable.from_validated(small.score, **stack))))
        weights.append(cases[present])
    return _sixth_of_skewness(np.concatenate(influence), np.concatenate(weights))


def _pull(whole: Array, without: Array) -> Array:
    """Return what a left-out case takes with it; NaN where the metric is infinite with it and without it."""
    with np.errstate(invalid="ignore"):
        return np.asarray(whole - without)


def _sixth_of_skewness(found: Array, counted: Array) -> float:
    known = np.where(np.isfinite(found), found, 0.0)
    found = np.where(np.isfinite(found), known - np.average(known, weights=counted), 0.0)
    largest = np.abs(found).max(initial=0.0)
    if largest > _HUGE:
        found = found / largest  # skewness has no unit, and cubes of a huge one no number
    third, second = counted @ found**3, counted @ found**2
    return float(third / (6 * second**1.5)) if second > 0 else 0.0


def undefined_text(replicates: npt.ArrayLike) -> str:
    """Return what to add to a method's name when some resamples left the metric undefined.

    >>> undefined_text([.5, np.nan, .7, .8])
    ' (undefined in 25% of the resamples, left out)'
    """
    share = float(np.mean(np.isnan(np.asarray(replicates, dtype=np.float64))))
    return f" (undefined in {share * 100:.3g}% of the resamples, left out)" if share else ""


def _quantiles(draws: Array, *levels: float) -> tuple[Array, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no replicate is defined: NaN is the answer
        return tuple(np.asarray(np.nanquantile(draws, level, axis=-1)) for level in levels)


def _share_below(value: Array, draws: Array) -> Array:
    """Share of replicates below the value, ties counted half, kept off 0 and 1."""
    defined = np.sum(~np.isnan(draws), axis=-1)
    below = np.sum(draws < value[..., None], axis=-1) + np.sum(draws == value[..., None], axis=-1) / 2
    return np.clip(ratio(below, defined), ratio(0.5, defined + 1), ratio(defined + 0.5, defined + 1))


def _own_quantiles(draws: Array, levels: Array) -> Array:
    """Each row's quantile at its own level, by linear interpolation; NaN replicates sort last and are not counted."""
    ordered = np.sort(draws, axis=-1)
    last = np.sum(~np.isnan(draws), axis=-1) - 1
    place = np.clip(np.nan_to_num(levels) * last, 0, np.maximum(last, 0))
    before = np.floor(place).astype(np.intp)
    after = np.minimum(before + 1, np.maximum(last, 0))
    below, above = (np.take_along_axis(ordered, at[..., None], axis=-1)[..., 0] for at in (before, after))
    with np.errstate(invalid="ignore"):  # two infinite neighbours
        between = np.where(below == above, below, below + (place - before) * (above - below))
    return np.where(np.isnan(levels), np.nan, between)
