"""Intervals of proportions.

All take arrays, all take counts that are not whole (sums of weights), and all say NaN where the value is undefined.
`mid_p` is the default for proportions because it kept its promise in the widest part of the simulation
(docs/intervals.md): Wilson's limits fall to 85% where a proportion is very near 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unconfuse._scipy_special import betainc, betaincinv, betaln, xlog1py, xlogy
from unconfuse.metrics.influence_functions import quantile
from unconfuse.table import Array, Counts
from unconfuse.uncertainty.method import NoInterval

Limits = tuple[Array, Array]

_NEWTON_STEPS = 4
_STEP = 1e-5  # by which a cell is moved, as a share of it


class Interval(NamedTuple):
    """The ends of an interval and, in words, how they were made."""

    low: Array
    high: Array
    method: str


FIXED_BY_DESIGN = NoInterval("fixed by the case-control design")
NOTHING = Interval(np.asarray(np.nan), np.asarray(np.nan), "")


def mid_p(successes: npt.ArrayLike, trials: npt.ArrayLike, *, confidence_level: float = 0.95) -> Limits:
    """Clopper and Pearson's limits with only half of the observed outcome counted in each tail: the default.

    A little shorter than `clopper_pearson`, whose coverage is above the level everywhere; close to it on average.
    Lancaster (1961), JASA 56:223; Agresti and Gottard (2007), Comput. Stat. Data Anal. 51:6447.

    >>> low, high = mid_p(8, 10)
    >>> print(f"{low:.4f} {high:.4f}")
    0.4805 0.9650
    """
    x, n = _checked(successes, trials)
    tail = (1 - confidence_level) / 2
    return _wrap(_mid_p_low(x, n, tail), 1 - _mid_p_low(n - x, n, tail), n)


def wilson(successes: npt.ArrayLike, trials: npt.ArrayLike, *, confidence_level: float = 0.95) -> Limits:
    """Wilson's score limits: all proportions that a two-sided z-test would not reject.

    Short and good in the middle; at a proportion within about 3/n of 0 or 1 it can cover as little as 85%.

    Wilson (1927), JASA 22:209.

    >>> low, high = wilson(8, 10)
    >>> print(f"{low:.4f} {high:.4f}")
    0.4902 0.9433
    """
    x, n = _checked(successes, trials)
    z = quantile(confidence_level)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = x / n
        centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    # The formula gives these ends only up to rounding.
    low, high = np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
    return _wrap(np.where(x <= 0, 0.0, low), np.where(x >= n, 1.0, high), n)


def clopper_pearson(successes: npt.ArrayLike, trials: npt.ArrayLike, *, confidence_level: float = 0.95) -> Limits:
    """Clopper and Pearson's "exact" limits: coverage is never below the level, hence mostly above it.

    Clopper and Pearson (1934), Biometrika 26:404.

    >>> low, high = clopper_pearson(8, 10)
    >>> print(f"{low:.4f} {high:.4f}")
    0.4439 0.9748
    """
    x, n = _checked(successes, trials)
    tail = (1 - confidence_level) / 2
    return _wrap(beta_quantile(x, n - x + 1, tail), beta_quantile(x + 1, n - x, 1 - tail), n)


def jeffreys(successes: npt.ArrayLike, trials: npt.ArrayLike, *, confidence_level: float = 0.95) -> Limits:
    """Equal tails of the posterior with Jeffreys' prior, Beta(1/2, 1/2); the end is 0 or 1 if all cases agree.

    Brown, Cai and DasGupta (2001), Stat. Sci. 16:101.

    >>> low, high = jeffreys(8, 10)
    >>> print(f"{low:.4f} {high:.4f}")
    0.4972 0.9559
    """
    x, n = _checked(successes, trials)
    tail = (1 - confidence_level) / 2
    low = np.where(x <= 0, 0.0, beta_quantile(x + 0.5, n - x + 0.5, tail))
    return _wrap(low, np.where(x >= n, 1.0, beta_quantile(x + 0.5, n - x + 0.5, 1 - tail)), n)


def agresti_coull(successes: npt.ArrayLike, trials: npt.ArrayLike, *, confidence_level: float = 0.95) -> Limits:
    """Return the textbook interval after adding z^2/2 (about 2) successes and as many failures, cut at 0 and 1.

    Agresti and Coull (1998), Am. Stat. 52:119.

    >>> low, high = agresti_coull(8, 10)
    >>> print(f"{low:.4f} {high:.4f}")
    0.4794 0.9541
    """
    x, n = _checked(successes, trials)
    z = quantile(confidence_level)
    size = n + z**2
    p = (x + z**2 / 2) / size
    half = z * np.sqrt(p * (1 - p) / size)
    return _wrap(np.maximum(p - half, 0.0), np.minimum(p + half, 1.0), n)


def wald(successes: npt.ArrayLike, trials: npt.ArrayLike, *, confidence_level: float = 0.95) -> Limits:
    """Return the textbook interval cut at 0 and 1, to compare only: too short for few cases, no width if all agree.

    >>> low, high = wald(8, 10)
    >>> print(f"{low:.4f} {high:.4f}")
    0.5521 1.0000
    """
    x, n = _checked(successes, trials)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = x / n
        half = quantile(confidence_level) * np.sqrt(p * (1 - p) / n)
    return _wrap(np.maximum(p - half, 0.0), np.minimum(p + half, 1.0), n)


BY_NAME: Mapping[str, tuple[str, Callable[..., Limits]]] = MappingProxyType(
    {
        "mid_p": ("mid-p", mid_p),
        "wilson": ("Wilson", wilson),
        "clopper_pearson": ("Clopper-Pearson", clopper_pearson),
        "jeffreys": ("Jeffreys", jeffreys),
        "agresti_coull": ("Agresti-Coull", agresti_coull),
        "wald": ("Wald", wald),
    }
)
"""Every interval of a proportion: what `.interval(method=...)` calls it, its name in print, and its limits."""


def delta_variance(function: Callable[[Counts], Array], counts: Counts, *, cohort: bool) -> float:
    """Variance of any smooth function of one 2x2 table, from its slopes by the four cells (the delta method).

    In a cohort the four cells vary together; a case-control study fixed the class sizes. NaN where a slope is.

    >>> table = Counts(tp=80, fp=10, fn=20, tn=90)
    >>> round(delta_variance(lambda c: c.tp / c.positives, table, cohort=True), 6)
    0.0016
    """
    cells = np.array([float(each) for each in (counts.tp, counts.fp, counts.fn, counts.tn)])
    with np.errstate(divide="ignore", invalid="ignore"):
        up, down = map(function, _moved(*cells.tolist()))
        slope = np.where(cells > 0, (up - down) / (2 * np.where(cells > 0, _STEP * cells, 1.0)), 0.0)
    squares = float(cells @ slope**2)
    drift = sum(
        float(cells[each] @ slope[each]) ** 2 / max(float(cells[each].sum()), 1e-300) for each in _fixed(cohort)
    )
    return squares - drift


def delta_variances(function: Callable[[Counts], Array], counts: Counts, *, cohort: bool) -> Array:
    """Return the same for an array of tables, none of whose cells is 0.

    >>> tables = Counts(tp=[80, 40], fp=[10, 5], fn=[20, 10], tn=[90, 45])
    >>> delta_variances(lambda c: c.tp / c.positives, tables, cohort=True).round(6)
    array([0.0016, 0.0032])
    """
    cells = np.array([counts.tp, counts.fp, counts.fn, counts.tn])
    steps = _STEP * cells
    with np.errstate(divide="ignore", invalid="ignore"):
        up, down = (
            np.array([function(_with(cells, place, cells[place] + sign * steps[place])) for place in range(4)])
            for sign in (1, -1)
        )
        slope = (up - down) / (2 * steps)
    drift = sum((cells[each] * slope[each]).sum(axis=0) ** 2 / cells[each].sum(axis=0) for each in _fixed(cohort))
    return np.asarray((cells * slope**2).sum(axis=0) - drift)


def _with(cells: Array, place: int, cell: Array) -> Counts:
    tp, fp, fn, tn = (cell if index == place else cells[index] for index in range(4))
    return Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn)


def _fixed(cohort: bool) -> list[list[int]]:
    """Return the cells whose sum the study fixed: all four, or those of each class."""
    return [[0, 1, 2, 3]] if cohort else [[0, 2], [1, 3]]


@lru_cache(maxsize=4)
def _moved(*cells: float) -> tuple[Counts, Counts]:
    """One table with each of its cells a little larger, and a little smaller; the next metric needs the same."""
    each = [np.array(cells)[:, None] + sign * np.diag(_STEP * np.array(cells)) for sign in (1, -1)]
    up, down = (Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn) for tp, fp, fn, tn in each)
    return up, down


def beta_quantile(a: Array, b: Array, probability: float) -> Array:
    """Quantile of Beta(a, b), where a = 0 means that all mass is at 0 and b = 0 that all is at 1."""
    inner = betaincinv(np.where(a > 0, a, 1.0), np.where(b > 0, b, 1.0), probability)
    return np.where(a <= 0, 0.0, np.where(b <= 0, 1.0, inner))


def _mid_p_low(x: Array, n: Array, tail: float) -> Array:
    """Return the p at which half of P(X = x) and all of P(X > x) make up the tail."""
    inside = (x > 0) & (n > 0)
    x, n = np.where(inside, x, 1.0), np.where(inside, n, 1.0)
    low, high = betaincinv(x, n - x + 1, tail), betaincinv(x, n - x + 1, min(2 * tail, 1.0))
    log_choose = _log_choose(x, n)
    p = low
    for _ in range(_NEWTON_STEPS):  # log(tail) is almost a straight line in log(p)
        outcome = np.exp(log_choose + xlogy(x, p) + xlog1py(n - x, -p))
        reached = betainc(x, n - x + 1, p) - outcome / 2
        with np.errstate(divide="ignore", invalid="ignore"):  # p may round to 1, and then it stays there
            slope = outcome * (x + (n - x) * p / (1 - p)) / 2
            step = np.log(tail / reached) * reached / slope
        p = np.clip(p * np.exp(np.where(np.isfinite(step), step, 0.0)), low, high)
    return np.where(inside, p, 0.0)


def _log_choose(x: Array, n: Array) -> Array:
    return np.asarray(-betaln(x + 1, n - x + 1) - np.log(n + 1))


def mid_p_tail(successes: npt.ArrayLike, trials: npt.ArrayLike, p: float) -> Array:
    """Return the chance of more successes than observed, with half of the observed outcome, if their probability is p.

    The lower limit of `mid_p` is at most p exactly where this is at least the tail: one step, where the limit itself
    takes a search.

    >>> low, _ = mid_p(8, 10)
    >>> print(f"{mid_p_tail(8, 10, float(low)):.4f}")
    0.0250
    """
    x, n = _checked(successes, trials)
    inside = (x > 0) & (n > 0)
    x, n = np.where(inside, x, 1.0), np.where(inside, n, 1.0)
    outcome = np.exp(_log_choose(x, n) + xlogy(x, p) + xlog1py(n - x, -p))
    return np.where(inside, betainc(x, n - x + 1, p) - outcome / 2, 1.0)  # without successes the limit is 0


def _checked(successes: npt.ArrayLike, trials: npt.ArrayLike) -> tuple[Array, Array]:
    x, n = np.broadcast_arrays(np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64))
    return np.clip(x, 0.0, n), n


def _wrap(low: Array, high: Array, trials: Array) -> Limits:
    """Undefined without trials."""
    return np.where(trials > 0, low, np.nan), np.where(trials > 0, high, np.nan)
