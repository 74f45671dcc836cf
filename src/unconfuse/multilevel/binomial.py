"""Rates of units: r of n cases each, also none or all of them. A typical unit, and a new one.

The logits of the units' true rates are normal, and the cases of each are binomial. Averaging logits with halves added
to empty cells instead covers as little as 19% (12 small units with rates near 0.95); more units make it worse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unconfuse import _scipy_special as special
from unconfuse.multilevel.random_effects import Array

_THETA = np.arange(-9, 15.001, 0.05)  # logits of a unit's rate; rates below a half are turned round
_MU, _TAU = np.arange(-5, 11.001, 0.08), np.arange(0.02, 4.81, 0.1)
_HALF_NORMAL = 1.5  # standard deviation of the prior of tau: with that of mu the best of six, confirmed on a fresh seed
_MANY = 200  # cases of the rarer kind, from where on a unit's likelihood is normal to three digits
_NEGLIGIBLE = 1e-7  # of the posterior, outside of the finer grid
_FINE_MU, _FINE_TAU, _FINE_THETA = 161, 60, 481
_ALONE = 1 << 18  # products up to which BLAS multiplies in one thread: of several, most wait for each other
_ABREAST = 32  # units at a time


@dataclass(frozen=True, eq=False)
class RatePosterior:
    """Where a typical unit's logit (`mean`) and the deviation between units (`deviation`) lie, and how probably."""

    mean: Array
    deviation: Array
    weights: Array  # (mean, deviation)
    turned: bool

    def typical(self, probability: float) -> float:
        """Return the rate below which that of a typical unit lies with this probability."""
        return self._rate(_quantile(self.mean, self.weights.sum(axis=1), self._side(probability)))

    def new(self, probability: float) -> float:
        """Return the rate below which that of a new unit lies with this probability."""
        goal = self._side(probability)
        low, high = float(self.mean[0]) - 40.0, float(self.mean[-1]) + 40.0
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if self._below(middle) < goal else (low, middle)
        return self._rate((low + high) / 2)

    def chance_above(self, rate: float) -> float:
        """Return the probability that a new unit's rate exceeds this one."""
        if not 0 < rate < 1:
            return float(rate <= 0)
        below = self._below(float(special.logit(1 - rate if self.turned else rate)))
        return below if self.turned else 1 - below

    def _below(self, logit: float) -> float:
        away = (logit - self.mean[:, None]) / self.deviation
        return float((self.weights * special.ndtr(away)).sum())

    def _side(self, probability: float) -> float:
        return 1 - probability if self.turned else probability

    def _rate(self, logit: float) -> float:
        return float(special.expit(-logit if self.turned else logit))


def rate_posterior(successes: Array, trials: Array) -> RatePosterior:
    """Compute the posterior of a typical unit's rate; units without cases say nothing.

    The prior of the typical logit is proportional to sqrt(p (1 - p)): a flat one would push rates to the edge.

    >>> found = rate_posterior(np.array([9., 12, 20, 7, 15]), np.array([10., 12, 24, 13, 18]))
    >>> print(f"typical {found.typical(.025):.2f} to {found.typical(.975):.2f}")
    typical 0.60 to 0.95
    >>> print(f"new {found.new(.025):.2f} to {found.new(.975):.2f}")
    new 0.22 to 0.99
    """
    turned = bool(successes.sum() < trials.sum() / 2)
    r = trials - successes if turned else successes
    coarse = _posterior(r, trials, _MU, _TAU, _THETA)
    mu, tau = _MU[_held(coarse.sum(axis=1))], _TAU[_held(coarse.sum(axis=0))]
    fine_mu = np.linspace(mu[0] - 0.08, mu[-1] + 0.08, _FINE_MU)
    fine_tau = np.linspace(_TAU[0], tau[-1] + (0.1 if tau[-1] < _TAU[-1] else 0.0), _FINE_TAU)
    reach = 6 * fine_tau[-1]
    theta = np.linspace(max(mu[0] - reach, -9.0), min(mu[-1] + reach, 15.0), _FINE_THETA)
    return RatePosterior(fine_mu, fine_tau, _posterior(r, trials, fine_mu, fine_tau, theta), turned)


def _posterior(r: Array, n: Array, mu: Array, tau: Array, theta: Array) -> Array:
    """Probabilities of a grid of typical logits and deviations."""
    normal = np.minimum(r, n - r) >= _MANY
    (small_r, small_n), alike = np.unique([r[~normal], n[~normal]], axis=1, return_counts=True)
    units = _of_units(small_r, small_n, theta)
    logs = np.stack([_likelihood(units, alike, mu, each, theta) for each in tau], axis=1)
    rate = r[normal] / n[normal]
    centre, variance = special.logit(rate), 1 / (n[normal] * rate * (1 - rate))
    for one, its in zip(centre, variance, strict=True):
        width = its + tau**2
        logs += -0.5 * ((one - mu[:, None]) ** 2 / width + np.log(width))
    p = special.expit(mu)
    logs += 0.5 * np.log(p * (1 - p))[:, None] - 0.5 * (tau / _HALF_NORMAL) ** 2
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _of_units(r: Array, n: Array, theta: Array) -> Array:
    """Likelihood of each logit, a row, by each unit, over the largest."""
    # log p and log (1 - p) without loss at either end
    logs = -r[:, None] * np.logaddexp(0, -theta) - (n - r)[:, None] * np.logaddexp(0, theta)
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)).T)


def _likelihood(units: Array, alike: npt.NDArray[np.integer], mu: Array, tau: float, theta: Array) -> Array:
    """Log likelihoods of small units together, so many of each kind, for each typical logit at one deviation."""
    found = np.zeros(len(mu))
    if not units.size:
        return found
    kernel = np.exp(-0.5 * ((theta - mu[:, None]) / tau) ** 2)
    sums = kernel.sum(axis=1, keepdims=True)
    kernel = np.divide(kernel, sums, out=np.zeros_like(kernel), where=sums > 0)
    for first in range(0, units.shape[1], _ABREAST):
        some, times = units[:, first : first + _ABREAST], alike[first : first + _ABREAST]
        strip = max(1, _ALONE // some.size)
        mixed = np.concatenate([kernel[start : start + strip] @ some for start in range(0, len(mu), strip)])
        found += (np.log(np.maximum(mixed, 1e-300)) * times).sum(axis=1)
    return found


def _held(weights: Array) -> slice:
    """Where all but a negligible part of the probability lies."""
    first, last = (int(np.searchsorted(np.cumsum(each), _NEGLIGIBLE)) for each in (weights, weights[::-1]))
    return slice(first, max(len(weights) - last, first + 1))


def _quantile(places: Array, weights: Array, probability: float) -> float:
    """Of a density that is known at even places, by the trapezoids between them."""
    steps = (weights[1:] + weights[:-1]) / 2
    below = np.concatenate([[0.0], np.cumsum(steps)])
    return float(np.interp(probability, below / below[-1], places))


def unlike(successes: Array, trials: Array) -> float:
    """Return the p-value of equal rates in all units: Pearson's chi-squared, which holds its level also in small units.

    >>> round(unlike(np.array([9., 3.]), np.array([10., 10.])), 4)
    0.0062
    """
    known = trials > 0
    r, n = successes[known], trials[known]
    rate = float(r.sum() / n.sum()) if len(n) else math.nan
    if len(n) < 2 or not 0 < rate < 1:
        return math.nan if len(n) < 2 else 1.0
    return float(special.chdtrc(len(n) - 1, ((r - n * rate) ** 2 / (n * rate * (1 - rate))).sum()))
