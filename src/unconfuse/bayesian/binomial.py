"""Exact binomial probabilities."""

from __future__ import annotations

import math

from scipy.special import bdtr, bdtrc, betaln, xlog1py, xlogy

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_probability, check_whole


def binomial_at_most(k: int, n: int, p: float) -> float:
    """Probability of at most `k` successes in `n` trials, each with probability `p`.

    Examples
    --------
    A classifier that finds 80% of the positives finds 6 or fewer of 10 this often:

    >>> round(binomial_at_most(6, 10, .8), 6)
    0.120874
    """
    k, n, p = _checked(k, n, p)
    return float(bdtr(k, n, p))


def binomial_at_least(k: int, n: int, p: float) -> float:
    """Probability of at least `k` successes in `n` trials, each with probability `p`.

    >>> round(binomial_at_least(7, 10, .8), 6)
    0.879126
    """
    k, n, p = _checked(k, n, p)
    return float(bdtrc(k - 1, n, p)) if k else 1.0


def binomial_exactly(k: int, n: int, p: float) -> float:
    """Probability of exactly `k` successes in `n` trials, each with probability `p`.

    >>> round(binomial_exactly(10, 10, .8), 6)
    0.107374
    """
    k, n, p = _checked(k, n, p)
    ways = -betaln(k + 1, n - k + 1) - math.log(n + 1)
    return float(math.exp(ways + xlogy(k, p) + xlog1py(n - k, -p)))


def _checked(k: int, n: int, p: float) -> tuple[int, int, float]:
    trials, successes = check_whole(n, "n", at_least=1), check_whole(k, "k", at_least=0)
    if successes > trials:
        raise ArgumentError(f"`k` must not exceed `n`; got {successes} of {trials}.")
    return successes, trials, check_probability(p, "p")
