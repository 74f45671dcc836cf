"""The widest gap between subgroups: largest less smallest value, with an interval that covers.

The gap that a sample shows is too wide on average, because the largest and the smallest values are so by chance too:
ten equal groups of 50 cases at a rate of .8 show .17. So the interval does not rest on the gap itself but on all pairs:
the widest and the narrowest gap that simultaneous intervals of all differences allow. What chance alone would show is
given beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from unconfuse._formatting import number_text, short_label, strict_json, with_numbers
from unconfuse._scipy_special import bdtr, ndtr
from unconfuse.metrics import Metric
from unconfuse.metrics.influence_functions import quantile
from unconfuse.table import Array
from unconfuse.uncertainty.difference_tests import possible_limits
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.method import NoInterval

EXACT = 5_000  # distinct rates up to which the chance distribution is computed, not drawn
_DRAWS = 50_000  # the Monte-Carlo error of a probability is then at most .0022
_ROUNDING = 1e-12
Trials = tuple[Array, Array]  # successes and trials of each subgroup


@dataclass(frozen=True)
class SubgroupRange(Estimate):
    """The largest less the smallest value of a metric among subgroups, or the smallest over the largest.

    Attributes
    ----------
    highest, lowest : str
        The subgroups at the ends.
    by_chance : float
        The gap (or ratio) that subgroups of these sizes would show on average if they were all alike.
    p_equal : float
        How often such subgroups would show at least this gap; NaN for a ratio.
    bias : float
        By how much the gap is too wide on average, if every subgroup's value were its true one.
    left_out : tuple of str
        Subgroups that have no value.
    """

    highest: str = ""
    lowest: str = ""
    by_chance: float = math.nan
    p_equal: float = math.nan
    bias: float = math.nan
    left_out: tuple[str, ...] = ()

    @property
    def corrected(self) -> float:
        """The gap less its bias, not below 0."""
        return max(self.value - self.bias, 0.0)

    @property
    def sentence(self) -> str:
        """The gap in plain words."""
        if self.undefined:
            return f"No {self.label}: {self.undefined}."
        left = f" ({', '.join(self.left_out)} left out: no value)" if self.left_out else ""
        ends = "all subgroups alike" if self.highest == self.lowest else f"from {self.lowest} to {self.highest}"
        return (
            f"{self.label[0].upper()}{self.label[1:]}: {number_text(self.value)} {self.interval_text}, {ends}{left}. "
            f"Identical subgroups of these sizes would show {number_text(self.by_chance)} on average"
            f"{self._chance()}."
        )

    def _chance(self) -> str:
        how = "less than 0.001" if self.p_equal < 0.001 else f"{self.p_equal:.2g}"
        return "" if math.isnan(self.p_equal) else f", and at least this much with probability {how}"

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        own = {"highest": self.highest, "lowest": self.lowest, "by_chance": self.by_chance, "p_equal": self.p_equal}
        return (
            with_numbers(self, Estimate)
            | own
            | {"bias": self.bias, "left_out": list(self.left_out), "sentence": self.sentence}
        )


def widest_gap(
    metric: Metric, values: Mapping[str, Estimate], trials: Trials | None, confidence_level: float
) -> SubgroupRange:
    """Largest less smallest value; `trials` are given for proportions of whole, independent cases."""
    known, left_out = _defined(values)
    label = f"largest difference in {short_label(metric.label)}"
    if len(known) < 2:
        return _nothing(metric, label, left_out, confidence_level)
    at = np.array([estimate.value for estimate in known.values()])
    highest, lowest = int(at.argmax()), int(at.argmin())
    low, high, how = _limits(known, trials, confidence_level)
    seen = float(at[highest] - at[lowest])
    chance = _by_chance(at, trials) if trials is not None else _by_chance_of_errors(at, _errors(known))
    names = list(known)
    return SubgroupRange(
        metric.name,
        label,
        seen,
        *possible_limits(seen, low, high, metric.range),
        confidence_level,
        how,
        better="lower",
        baseline=0.0,
        conditions=f"{len(known)} subgroups",
        highest=names[highest],
        lowest=names[lowest],
        by_chance=chance[0],
        p_equal=chance[1],
        bias=chance[2],
        left_out=left_out,
    )


def smallest_ratio(
    metric: Metric, values: Mapping[str, Estimate], trials: Trials | None, confidence_level: float
) -> SubgroupRange:
    """Smallest over largest value, on the log scale."""
    known, left_out = _defined(values)
    label = f"smallest ratio in {short_label(metric.label)}"
    at = np.array([estimate.value for estimate in known.values()])
    if len(known) < 2 or at.max() <= 0 or at.min() < 0:
        return _nothing(metric, label, left_out, confidence_level, "values must be positive" if len(known) > 1 else "")
    centres, errors = _log_values(known, trials)
    with np.errstate(divide="ignore", invalid="ignore"):
        near, far = _projected(centres, errors, critical(len(known), confidence_level))
    names, seen = list(known), float(at.min() / at.max())
    return SubgroupRange(
        metric.name,
        label,
        seen,
        min(math.exp(-far) if math.isfinite(far) else 0.0, seen),
        max(math.exp(-near), seen),
        confidence_level,
        "all pairs at once, on the log scale",
        better="higher",
        baseline=1.0,
        conditions=f"{len(known)} subgroups",
        highest=names[int(at.argmax())],
        lowest=names[int(at.argmin())],
        by_chance=_ratio_by_chance(at, trials, errors),
        left_out=left_out,
    )


@lru_cache(maxsize=256)
def critical(groups: int, confidence_level: float) -> float:
    """How many standard errors hold all differences of so many groups at once (Tukey; Kramer where errors differ).

    Hayter (1984), Annals of Statistics 12:61, shows that with unequal errors this is on the safe side.

    >>> round(critical(2, .95), 6), round(critical(3, .95), 6)
    (1.959964, 2.343701)
    """
    if groups == 2:
        return quantile(confidence_level)
    low, high = 0.0, 20.0
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _range_below(middle * math.sqrt(2), groups) < confidence_level else (low, middle)
    return high


@lru_cache(maxsize=1)
def _legendre() -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(200)


def _range_below(width: float, groups: int) -> float:
    """P(the range of so many standard normals is below a width), by Gauss-Legendre integration over the largest."""
    nodes, weights = _legendre()
    largest = 9.0 * nodes
    density = np.exp(-(largest**2) / 2) / math.sqrt(2 * math.pi)
    inside = ndtr(largest) - ndtr(largest - width)
    return float(groups * 9.0 * (weights * density * inside ** (groups - 1)).sum())


def _defined(values: Mapping[str, Estimate]) -> tuple[dict[str, Estimate], tuple[str, ...]]:
    known = {name: value for name, value in values.items() if math.isfinite(value.value)}
    return known, tuple(name for name in values if name not in known)


def _nothing(metric: Metric, label: str, left_out: tuple[str, ...], level: float, why: str = "") -> SubgroupRange:
    reason = why or "fewer than two subgroups have a value"
    nan = math.nan
    return SubgroupRange(metric.name, label, nan, nan, nan, level, undefined=reason, left_out=left_out)


def _limits(known: Mapping[str, Estimate], trials: Trials | None, confidence_level: float) -> tuple[float, float, str]:
    """Narrowest and widest gap that simultaneous intervals of all pairs allow."""
    reach = critical(len(known), confidence_level)
    if trials is not None:
        centres, errors = _agresti_caffo(trials)
        return *_projected(centres, errors, reach), "all pairs at once (Agresti-Caffo, Tukey-Kramer)"
    level = float(2 * ndtr(reach) - 1)
    at, low, high = (
        np.array(each)
        for each in zip(*((e.value, *_ends(e, level, confidence_level, reach)) for e in known.values()), strict=True)
    )
    if np.isnan(low).any() or np.isnan(high).any():
        return math.nan, math.nan, NoInterval("no interval: a subgroup has none")
    gap = at[:, None] - at  # of each first less each second, MOVER: square and add
    below = np.sqrt((at - low)[:, None] ** 2 + (high - at) ** 2)
    pairs = ~np.eye(len(at), dtype=bool)
    upper = np.sqrt((high - at)[:, None] ** 2 + (at - low) ** 2)
    method = "all pairs at once (MOVER, Tukey-Kramer)"
    return max(float((gap - below)[pairs].max()), 0.0), float((gap + upper)[pairs].max()), method


def _ends(each: Estimate, level: float, usual: float, reach: float) -> tuple[float, float]:
    """Limits at the level that holds for all pairs; widened in proportion where an estimate cannot be asked again."""
    if each.recompute is not None:
        again = each.interval(confidence_level=level)
        return again.low, again.high
    factor = reach / quantile(usual)
    return each.value - factor * (each.value - each.low), each.value + factor * (each.high - each.value)


def _agresti_caffo(trials: Trials) -> tuple[Array, Array]:
    """Rates with one success and one failure added, and their standard errors."""
    successes, n = trials
    centres = (successes + 1) / (n + 2)
    return centres, np.sqrt(centres * (1 - centres) / (n + 2))


def _projected(centres: Array, errors: Array, reach: float) -> tuple[float, float]:
    apart = np.abs(centres[:, None] - centres)
    width = reach * np.hypot(errors[:, None], errors)
    pairs = ~np.eye(len(centres), dtype=bool)
    return max(float((apart - width)[pairs].max()), 0.0), float((apart + width)[pairs].max())


def _errors(known: Mapping[str, Estimate]) -> Array:
    """Return standard errors; those that are not known, or 0, follow from the width of the interval."""
    reach = np.array([2 * quantile(estimate.confidence_level) for estimate in known.values()])
    stated = np.array([estimate.standard_error for estimate in known.values()])
    widths = np.array([estimate.high - estimate.low for estimate in known.values()])
    return np.where(stated > 0, stated, widths / reach)


def _log_values(known: Mapping[str, Estimate], trials: Trials | None) -> tuple[Array, Array]:
    if trials is not None:
        centres, errors = _agresti_caffo(trials)
    else:
        centres, errors = np.array([estimate.value for estimate in known.values()]), _errors(known)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(centres), np.asarray(errors / centres)


def _by_chance(at: Array, trials: Trials) -> tuple[float, float, float]:
    """Mean gap and probability of the seen one if all rates were the pooled one; bias if each were the seen one."""
    successes, n = trials
    pooled = _pooled(successes, n)
    seen = float(at.max() - at.min())
    rates = np.unique(np.concatenate([np.arange(each + 1) / each for each in n])) if n.sum() <= EXACT else None
    if rates is None:
        drawn = [_drawn_ranges(n, each) for each in (pooled, at)]
        return float(drawn[0].mean()), _reached(drawn[0], seen), float(drawn[1].mean()) - seen
    return _mean_range(rates, n, pooled), _range_reaches(rates, n, pooled, seen), _mean_range(rates, n, at) - seen


def _pooled(successes: Array, n: Array) -> Array:
    return np.full(len(n), successes.sum() / n.sum())


def _below(rates: Array, n: Array, p: Array) -> Array:
    """P(rate of each group <= each of these rates)."""
    counts = np.floor(rates * n[:, None] + 1e-9)
    return np.asarray(bdtr(counts, n[:, None].astype(np.int64), p[:, None]))


def _mean_range(rates: Array, n: Array, p: Array) -> float:
    below = _below(rates, n, p)
    largest = np.diff(below.prod(axis=0), prepend=0.0)
    smallest = -np.diff((1 - below).prod(axis=0), prepend=1.0)
    return float(rates @ (largest - smallest))


def _range_reaches(rates: Array, n: Array, p: Array, width: float) -> float:
    """P(largest - smallest >= width), added up over the smallest."""
    below = np.concatenate([np.zeros((len(n), 1)), _below(rates, n, p)], axis=1)  # column k: rates before the k-th
    start = np.arange(len(rates))
    end = np.searchsorted(rates, rates + width - _ROUNDING)
    least = (1 - below[:, start]).prod(axis=0) - (1 - below[:, start + 1]).prod(axis=0)
    near = (below[:, end] - below[:, start]).prod(axis=0)
    above = np.maximum(below[:, end] - below[:, start + 1], 0.0).prod(axis=0)
    return float(np.clip((least - np.where(end > start, near - above, 0.0)).sum(), 0.0, 1.0))


def _reached(drawn: Array, seen: float) -> float:
    """How often chance gave at least what was seen; never 0, because more draws might have."""
    return float((np.count_nonzero(drawn >= seen - _ROUNDING) + 1) / (len(drawn) + 1))


def _drawn_ranges(n: Array, p: Array) -> Array:
    smallest, largest = _drawn_ends(tuple(n), tuple(p))
    return np.asarray(largest - smallest)


@lru_cache(maxsize=16)  # a gap, its ratio and its findings ask for the same ones
def _drawn_ends(n: tuple[float, ...], p: tuple[float, ...]) -> tuple[Array, Array]:
    """Draw the smallest and the largest rate of subgroups of these sizes and chances, subgroup by subgroup."""
    generator, smallest, largest = np.random.default_rng(0), np.full(_DRAWS, np.inf), np.full(_DRAWS, -np.inf)
    for size, chance in zip(n, p, strict=True):
        rates = generator.binomial(int(size), chance, _DRAWS) / size
        np.minimum(smallest, rates, out=smallest)
        np.maximum(largest, rates, out=largest)
    return smallest, largest


def _by_chance_of_errors(at: Array, errors: Array) -> tuple[float, float, float]:
    """Return what `_by_chance` does, for normal errors around one value, and around the seen ones."""
    if np.isnan(errors).any():
        return math.nan, math.nan, math.nan
    noise = np.random.default_rng(0).normal(size=(_DRAWS, len(at))) * errors
    alike, seen = np.ptp(noise, axis=1), float(at.max() - at.min())
    return (
        float(alike.mean()),
        float((alike >= seen - _ROUNDING).mean()),
        float(np.ptp(at + noise, axis=1).mean()) - seen,
    )


def _ratio_by_chance(at: Array, trials: Trials | None, errors: Array) -> float:
    if trials is None:
        spread = np.ptp(np.random.default_rng(0).normal(size=(_DRAWS, len(at))) * errors, axis=1)
        return float(np.exp(-spread).mean())
    successes, n = trials
    smallest, largest = _drawn_ends(tuple(n), tuple(_pooled(successes, n)))
    return float(np.where(largest > 0, smallest / np.maximum(largest, _ROUNDING), 1.0).mean())
