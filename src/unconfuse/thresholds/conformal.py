"""Split-conformal sets of classes: which score a class must have to be in the set, and what that promises. Arrays only.

A class is in the set of a case if its score is at least a threshold: the score of the true class that so many of n
labelled cases reach. One case more, of the same kind, is then as likely to lie anywhere among them, so that its true
class is in its set with the chance that was asked for, whatever the model (Sadinle's LAC). Given the cases at hand, the
coverage of new ones follows a beta law.

Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World; Sadinle, Lei & Wasserman (2019), JASA 114:223;
Vovk (2012), ACML 25:475 (the beta law, and classes apart).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from unconfuse._scipy_special import betaincinv
from unconfuse.table import Array
from unconfuse.uncertainty.proportion_intervals import mid_p

_ROUNDING = 1e-9  # of (n + 1) x coverage: 10 x 0.9 must stay 9


@dataclass(frozen=True)
class ConformalCutoff:
    """A score that classes must have, what it rests on: `rank` of n cases reach it at least, and `reached` do.

    It is minus infinity where n cases are too few: every class is then in every set.
    """

    score: float
    rank: int
    reached: float
    n: float

    @property
    def is_open(self) -> bool:
        """Whether every class passes."""
        return math.isinf(self.score)

    @property
    def mean(self) -> float:
        """The expected coverage of new cases; with ties it is a little higher."""
        return 1.0 if self.is_open else self.reached / (self.n + 1)

    def quantile(self, tail: float, *, upper: bool) -> float:
        """Of the coverage of new cases: beta, of the rank; where scores are tied, beyond all cases that share it."""
        if self.is_open:
            return 1.0
        tied = self.reached > self.rank
        rank = self.rank if not (upper and tied) else min(self.reached + 1, self.n + 1)
        return 1.0 if rank > self.n else float(betaincinv(rank, self.n + 1 - rank, 1 - tail if upper else tail))

    @property
    def variance(self) -> float:
        """Of the coverage of new cases."""
        return 0.0 if self.is_open else self.mean * (1 - self.mean) / (self.n + 2)


def bar_of(scores: Array, weight: Array, coverage: float) -> ConformalCutoff:
    """Find the highest score that enough cases reach for this coverage.

    >>> bar_of(np.arange(1., 20), np.ones(19), .9)
    ConformalCutoff(score=2.0, rank=18, reached=18.0, n=19.0)
    >>> bar_of(np.arange(1., 9), np.ones(8), .9).is_open
    True
    """
    n = float(weight.sum())
    rank = math.ceil((n + 1) * coverage - _ROUNDING)
    if rank > n:
        return ConformalCutoff(-math.inf, rank, n, n)
    order = np.argsort(-scores, kind="stable")
    reached = np.cumsum(weight[order])
    score = float(scores[order][int(np.searchsorted(reached, rank - _ROUNDING))])
    return ConformalCutoff(score, rank, float(weight[scores >= score].sum()), n)


def fewest(coverage: float) -> int:
    """With fewer cases every class is in every set.

    >>> fewest(.9), fewest(.95)
    (9, 19)
    """
    return math.ceil(coverage / (1 - coverage) - _ROUNDING)


def mixture_limits(bars: list[ConformalCutoff], sizes: Array, level: float) -> tuple[float, float, float]:
    """Return the coverage of all classes, each with its own bar, and its limits: beta with the mixture's moments.

    What classes new cases have is uncertain too.
    """
    n = float(sizes.sum())
    shares, means = sizes / n, np.array([bar.mean for bar in bars])
    value = 1.0 if (means == 1).all() else min(float(shares @ means), 1.0)  # shares may add up to 1 and a rounding
    variance = float(shares**2 @ np.array([bar.variance for bar in bars]) + (shares @ means**2 - value**2) / n)
    if variance <= 0 or value >= 1:
        return value, value, value
    cases = value * (1 - value) / variance - 1
    ends = betaincinv(cases * value, cases * (1 - value), np.array([(1 - level) / 2, (1 + level) / 2]))
    return value, float(ends[0]), float(ends[1])


def share_limits(inside: float, n: float, level: float) -> tuple[float, float]:
    """Of a class that has no bar of its own: a proportion."""
    low, high = mid_p(inside, n, confidence_level=level)
    return float(low), float(high)


def mean_limits(sizes: Array, weight: Array, most: int, level: float) -> tuple[float, float, float]:
    """Mean size of the sets, with limits; where all are of one size, what a few others among so many could do.

    >>> mean_limits(np.array([1., 2, 1, 2]), np.ones(4), 3, .95)[0]
    1.5
    """
    from scipy.special import stdtrit

    n = float(weight.sum())
    mean = float(sizes @ weight / n)
    spread = float(weight @ (sizes - mean) ** 2)
    if spread == 0:
        other = 1 - ((1 - level) / 2) ** (1 / n)
        return mean, mean * (1 - other), mean + (most - mean) * other
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * math.sqrt(spread / (n - 1) / n)
    return mean, max(mean - reach, 0.0), min(mean + reach, float(most))
