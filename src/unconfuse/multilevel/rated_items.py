"""Answers that an imperfect judge scored, some of them checked by people: PPI++ with intervals for few checks.

Angelopoulos, Duchi & Zrnic (2023), PPI++: Efficient prediction-powered inference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from unconfuse._scipy_special import betaincinv, ndtri, stdtrit
from unconfuse.multilevel.items import mean_of
from unconfuse.table import Array
from unconfuse.table.counts import summed


@dataclass(frozen=True)
class RaterCorrectedMean:
    """A mean corrected by checks: its value, standard error, how far the judge is trusted, and how many were checked.

    `residual` is the part of the variance that checked items bring, `judged` that of the others.
    """

    value: float
    residual: float
    judged: float
    trust: float
    checked: int
    squares: float  # sum of squared residuals, for differences

    @property
    def standard_error(self) -> float:
        """Standard error of the value."""
        return math.sqrt(self.residual + self.judged)


def corrected(truth: Array, judged: Array, others: Array) -> RaterCorrectedMean:
    """Return the mean of all answers, from truth and judge on the checked ones and the judge alone on the others.

    The weight of the judge, `trust`, makes the variance smallest, and lies between 0 (ignored) and 1.
    """
    n, rest = len(truth), len(others)
    trust = _trust(truth, judged, others)
    residuals = truth - trust * judged
    squares = summed((residuals - mean_of(residuals)) ** 2)
    of_judge = trust**2 * _variance(others) / rest if rest and trust else 0.0
    value = mean_of(residuals) + (trust * mean_of(others) if rest and trust else 0.0)
    return RaterCorrectedMean(value, squares / n**2, of_judge, trust, n, squares)


def _trust(truth: Array, judged: Array, others: Array) -> float:
    if not len(others):
        return 0.0
    everything = np.concatenate([judged, others])
    spread = summed((everything - mean_of(everything)) ** 2) / (len(everything) - 1)
    together = mean_of((truth - mean_of(truth)) * (judged - mean_of(judged)))
    found = together / (1 + len(truth) / len(others)) / spread if spread > 0 else 0.0
    return min(max(found, 0.0), 1.0)


def _variance(values: Array) -> float:
    return mean_of((values - mean_of(values)) ** 2)


def share_limits(value: float, error: float, checked: int, level: float) -> tuple[float, float]:
    """Return Korn and Graubard's limits: Clopper-Pearson's of an effective size. They cover .948 to .988.

    >>> low, high = share_limits(1.0, 0.0, 20, 0.95)
    >>> round(low, 3), high
    (0.832, 1.0)
    """
    if checked < 2:
        return math.nan, math.nan
    value = min(max(value, 0.0), 1.0)
    tail = (1 - level) / 2
    effective = float(checked)
    if error > 0 and 0 < value < 1:
        effective = value * (1 - value) / error**2 * float(ndtri(tail) / stdtrit(checked - 1, tail)) ** 2
    right = value * effective
    low = float(betaincinv(right, effective - right + 1, tail)) if right > 0 else 0.0
    high = float(betaincinv(right + 1, effective - right, 1 - tail)) if right < effective else 1.0
    return low, high


def difference_error(found: RaterCorrectedMean) -> float:
    """Return the standard error of a corrected difference, with two pseudo residuals, +1 and -1: covers .958 to 1."""
    n = found.checked
    return math.sqrt((found.squares + 2) / ((n + 1) * (n + 2)) + found.judged)
