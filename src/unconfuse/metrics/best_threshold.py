"""The largest distance between two ROC coordinates, Youden's J or Kolmogorov and Smirnov's: its interval and its test.

The best of many thresholds looks good by chance alone. So the lower limit allows for the search: over all thresholds at
which J is not clearly below its maximum, a normal process with the correlation of an empirical distribution function
must exceed its critical value with the error that a limit may have. The upper limit needs no such allowance: the best
threshold of the population is one threshold. Limits are on the scale of J itself, where chance is an ordinary value.

Miller and Siegmund (1982), Biometrics 38:1011 (maximally selected statistics); Newcombe (1998), Stat. Med. 17:873 (a
difference from Wilson's limits). What chose the contact set of two standard errors: docs/intervals-ranking.md,
tests/coverage/ends.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unconfuse._scipy_special import ndtr
from unconfuse.table import Array, ScoreTable, remembered

_CONTACT = 2.0  # standard errors below the maximum; with 1 the limit left out chance in up to 6.7% of useless models
_RISING = 1.56  # below it the approximation of the search is not yet a decreasing function
_FAR = 40.0  # standard errors: beyond it a tail has no digits left
_SAME = 1e-12  # rounding: weights that are scaled must not move a threshold


class Best(NamedTuple):
    """The best threshold: J there, its standard error, both rates, and over what span of labels J is nearly as high."""

    value: float
    error: float
    rates: tuple[float, float]
    sizes: tuple[float, float]
    span: float


def best_of(table: ScoreTable, *, either_way: bool = False) -> Best:
    """Find the best threshold of a table; `either_way` also counts how far negatives lie above positives.

    >>> table = ScoreTable(np.array([.8, .6, .3, .1]), np.array([9., 5, 3, 1]), np.array([1., 4, 6, 7]))
    >>> best = best_of(table)
    >>> print(f"{best.value:.3f} {best.error:.3f} {best.span:.3f}")
    0.500 0.143 2.208
    """
    return remembered(table, ("best threshold", either_way), lambda: _best_of(table, either_way))


def _best_of(table: ScoreTable, either_way: bool) -> Best:
    p, n = table.n_positives, table.n_negatives
    tp, fp = np.cumsum(table.positives), np.cumsum(table.negatives)
    height = tp / p
    height -= fp / n
    if either_way:
        np.abs(height, out=height)
    at = _first_and_last(height >= height.max() - _SAME)[1]  # the last of equals, whatever rounding made of them
    error = math.sqrt(_variance(tp[at], p) + _variance(fp[at], n))
    near = _first_and_last(height >= height[at] - _CONTACT * error - _SAME)
    share = np.array([tp[each] + fp[each] for each in near]) / (p + n)
    rates = min(tp[at] / p, 1.0), min(fp[at] / n, 1.0)
    return Best(max(float(height[at]), 0.0), error, rates, (p, n), _span(share, p + n))


def _first_and_last(flags: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """Return the places of the first and of the last that is true."""
    return int(flags.argmax()), len(flags) - 1 - int(flags[::-1].argmax())


def _variance(labelled: float, size: float) -> float:
    """Binomial, of a share with half a case added to either side."""
    return float((labelled + 0.5) * (max(size - labelled, 0.0) + 0.5) / (size + 1) ** 3)


def _span(share: Array, n: float) -> float:
    """Return the distance between the log odds of the smallest and of the largest share that is labelled."""
    ends = np.clip(share, min(0.5 / n, 0.5), max(1 - 0.5 / n, 0.5))
    return float(np.diff(np.log(ends / (1 - ends)))[0])


def critical(span: float, tail: float, least: float) -> float:
    """How many standard errors the highest of all thresholds within a span exceeds with this probability.

    >>> round(critical(7.327123292259292, .025, 1.959964), 4)
    3.2125
    """

    def beyond(c: float) -> float:
        density = math.exp(-c * c / 2) / math.sqrt(2 * math.pi)
        return float(ndtr(-c)) + density * (c - 1 / c) * span / 2

    low, high = max(least, _RISING), max(least, _FAR)
    if beyond(low) <= tail:
        return least
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) > tail else (low, middle)
    return high


def p_of_search(table: ScoreTable, *, either_way: bool = False) -> float:
    """How probable so large a distance is if scores have nothing to do with the class.

    One-sided for J, which is never below 0, and two-sided for Kolmogorov and Smirnov's distance; both for many cases,
    and with ties they are too large, never too small.

    Smirnov (1948), Annals of Mathematical Statistics 19:279.

    >>> table = ScoreTable(np.arange(20.)[::-1], np.repeat([1., 0], 10), np.repeat([0., 1], 10))
    >>> print(f"{p_of_search(table):.2e} {p_of_search(table, either_way=True):.2e}")
    4.54e-05 9.08e-05
    """
    return p_of_best(best_of(table, either_way=either_way), either_way=either_way)


def p_of_best(best: Best, *, either_way: bool) -> float:
    """Compute the p-value of `p_of_search` from a best threshold that is known already."""
    power = 2 * best.value**2 * best.sizes[0] * best.sizes[1] / sum(best.sizes)
    if not either_way:
        return math.exp(-power)
    if power < 0.08:  # the series needs many terms there, and its sum is 1 to fifteen digits
        return 1.0
    terms = ((-1) ** (k - 1) * math.exp(-(k**2) * power) for k in range(1, 60))
    return float(min(2 * sum(terms), 1.0))
