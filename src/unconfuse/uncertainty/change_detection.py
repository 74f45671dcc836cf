"""Has it become worse? A detector of change with a stated rate of false alarms.

Shiryaev and Roberts' statistic of wealth in bets against "not worse than the reference" (an e-detector: Shin, Ramdas
and Rinaldo, 2024, NEJSDS 2:229). Without a change its mean grows by at most 1 each step, so that an alarm at c comes
within H steps with a chance of at most H/c, whatever the distribution of the losses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unconfuse.table import Array

RISES = (0.025, 0.05, 0.1, 0.2, 0.4)  # of the loss, as shares of the way to 1, that the bets are best for
_DROPS = (0.25, 0.5, 1.0, 2.0, 4.0)  # the same in standard errors of one evaluation
_MOST = 0.9  # of what may be bet
USUAL_ERROR = 0.05


@dataclass(frozen=True)
class Alarm:
    """Where a change was noticed.

    Attributes
    ----------
    at : int
        Step at which the alarm was given, from 0.
    since : int
        Step from which on the bets won most: about when the change came.
    """

    at: int
    since: int


def bets(mu0: float) -> Array:
    """Return how much is bet on a rise of a loss above mu0, for each of several rises."""
    goals = np.array([mu0 + rise * (1 - mu0) for rise in RISES])
    return np.asarray(np.minimum((goals - mu0) / (mu0 * (1 - mu0)), _MOST / mu0))


def gains_of_losses(losses: npt.ArrayLike, mu0: float) -> Array:
    """Return the logarithm of what each bet gains at each case, of losses in [0, 1]: shape (bets, cases)."""
    return np.asarray(np.log1p(bets(mu0)[:, None] * (np.asarray(losses, np.float64) - mu0)))


def gains_of_counts(errors: npt.ArrayLike, cases: npt.ArrayLike, mu0: float) -> Array:
    """Return the same for evaluations of several cases each, of which some were wrong."""
    wrong, all_of, bet = np.asarray(errors, np.float64), np.asarray(cases, np.float64), bets(mu0)[:, None]
    return np.asarray(wrong * np.log1p(bet * (1 - mu0)) + (all_of - wrong) * np.log1p(-bet * mu0))


def gains_of_scores(worse: npt.ArrayLike) -> Array:
    """Return the same for evaluations that are so many standard errors worse than the reference could have been."""
    z, drop = np.asarray(worse, np.float64), np.array(_DROPS)[:, None]
    return np.asarray(drop * z - drop**2 / 2)


def log_wealth(gains: Array, before: npt.ArrayLike | None = None) -> Array:
    """Return the logarithm of each bet's wealth after each step: shape (bets, steps); it goes on from `before`."""
    wealth = np.full(len(gains), -np.inf) if before is None else np.asarray(before, np.float64)
    found = []
    for step in gains.T:
        wealth = np.logaddexp(wealth, 0.0) + step
        found.append(wealth)
    return np.array(found).reshape(-1, len(gains)).T


def log_statistic(wealth: Array) -> Array:
    """Return the logarithm of the statistic after each step: of the mean wealth of the bets.

    >>> round(float(log_statistic(log_wealth(gains_of_losses([1, 1, 1], .1)))[-1]), 2)
    3.58
    """
    return np.asarray(np.logaddexp.reduce(wealth, axis=0) - math.log(len(wealth)))


def alarm_of(gains: Array, within: float, error: float = USUAL_ERROR) -> Alarm | None:
    """Return where it first has become worse; within so many steps a false alarm is no likelier than the error."""
    found = log_statistic(log_wealth(gains))
    reached = np.flatnonzero(found >= math.log(within / error))
    if not len(reached):
        return None
    at = int(reached[0])
    from_here = np.cumsum(gains[:, at::-1], axis=1)  # what a bet has gained that began so many steps ago
    return Alarm(at, at - int(np.argmax(from_here.max(axis=0))))
