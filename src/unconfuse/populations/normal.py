"""Mixtures of normals in both classes: rates, pairs won and B(r) at any score in closed form."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr, ndtri, owens_t

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_number, check_probability
from unconfuse.populations.roc import Population, PopulationCrossing, outranked, queue_rate
from unconfuse.table import Array

Component = tuple[float, float, float]
"""Weight, mean and standard deviation of one normal of a mixture."""


class NormalMixtures(Population):
    """Each class a mixture of normals, as (weight, mean, sd) components, and a prevalence.

    Examples
    --------
    >>> nine_a = NormalMixtures([(1, 10, 2)], [(1000, 5, 2), (100, 2, 2)], prevalence=1000 / 2100)
    >>> round(nine_a.auroc, 4), round(nine_a.crossing().precision, 4), round(nine_a.auprc(.5), 4)
    (0.9647, 0.8744, 0.965)
    """

    positives: tuple[Component, ...]
    negatives: tuple[Component, ...]
    prevalence: float

    def __init__(self, positives: Sequence[Component], negatives: Sequence[Component], prevalence: float) -> None:
        own, other = _components(positives, "positives"), _components(negatives, "negatives")
        share = check_probability(prevalence, "prevalence", open_interval=True)
        vars(self).update(positives=own, negatives=other, prevalence=share)
        super().__init__(
            lambda tpr: _tail(other, _quantile(own, tpr)),
            lambda fpr: _tail(own, _quantile(other, fpr)),
            lambda tpr: _quantile(own, tpr),
        )

    @classmethod
    def binormal(
        cls, *, mean: float, sd: float = 1.0, prevalence: float, negative_mean: float = 0.0, negative_sd: float = 1.0
    ) -> NormalMixtures:
        """One normal for each class."""
        return cls([(1.0, mean, sd)], [(1.0, negative_mean, negative_sd)], prevalence)

    def __repr__(self) -> str:
        return f"NormalMixtures({self.positives}, {self.negatives}, {self.prevalence:g})"

    def sensitivity(self, r: Array | float) -> Array:
        """Share of positives with a score above r: v(r)."""
        return _tail(self.positives, r)

    def false_positive_rate(self, r: Array | float) -> Array:
        """Share of negatives with a score above r: u(r)."""
        return _tail(self.negatives, r)

    def wins(self, r: Array | float) -> Array:
        """Share of (positive, negative) pairs in which the negative scores above r and the positive above it."""
        at, own, other = np.asarray(r, dtype=np.float64), self.positives, self.negatives
        return np.asarray(sum(w * x * _pair_wins(at, *up, *down) for w, *up in own for x, *down in other))

    @property
    def auroc(self) -> float:
        """Chance that a random positive outranks a random negative."""
        return float(self.wins(-np.inf))

    def b(self, r: Array | float, prevalence: float | None = None) -> Array:
        """B(r): how often a positive outranks a case that scores above r, at this or another prevalence."""
        pi = self.prevalence if prevalence is None else prevalence
        return np.asarray(outranked(self.sensitivity(r), self.false_positive_rate(r), self.wins(r), pi))

    def precision(self, r: Array | float) -> Array:
        """C(r)."""
        v, pi = self.sensitivity(r), self.prevalence
        return np.asarray(pi * v / queue_rate(v, self.false_positive_rate(r), pi))

    def f1(self, r: Array | float) -> Array:
        """F1 with the threshold at r."""
        v, pi = self.sensitivity(r), self.prevalence
        return np.asarray(2 * pi * v / (pi + queue_rate(v, self.false_positive_rate(r), pi)))

    def crossing(self, level: float = 0.5) -> PopulationCrossing:
        """Where B = level at the population's own prevalence."""
        return self.indistinguishable(self.prevalence, level)

    def indistinguishable(self, prevalence: float, level: float = 0.5) -> PopulationCrossing:
        """Where B(r) passes through a level: sought among scores, where everything is in closed form."""
        from scipy.optimize import brentq

        # Nine standard deviations beyond the outermost components there is practically nothing.
        parts = [*self.positives, *self.negatives]
        low, high = min(m - 9 * s for _, m, s in parts), max(m + 9 * s for _, m, s in parts)
        if self.b(-np.inf, prevalence) < level or self.b(low, prevalence) < level:
            return PopulationCrossing(level)
        # B lies below v, so B is under the level where v is half of it. Further out B is a ratio of rounding errors.
        end = float(brentq(lambda at: float(self.sensitivity(at)) - level / 2, low, high))
        r = float(brentq(lambda at: float(self.b(at, prevalence)) - level, low, end, xtol=1e-13))
        v, u = float(self.sensitivity(r)), float(self.false_positive_rate(r))
        return PopulationCrossing(level, r, float(prevalence * v / queue_rate(v, u, prevalence)), v, u)


def _components(parts: Sequence[Component], name: str) -> tuple[Component, ...]:
    total = sum(check_number(w, name) for w, _, _ in parts)
    if total <= 0 or any(s <= 0 or w < 0 for w, _, s in parts):
        raise ArgumentError(f"`{name}` must be (weight, mean, sd) with weights and sds above 0; got {parts!r}.")
    return tuple((w / total, float(m), float(s)) for w, m, s in parts)


def _tail(parts: Sequence[Component], r: Array | float) -> Array:
    return np.asarray(sum(w * ndtr((m - np.asarray(r)) / s) for w, m, s in parts))


def _quantile(parts: Sequence[Component], tail: Array) -> Array:
    """The score above which there is this share: by bisection between the components' own quantiles."""
    each = np.stack([m - s * ndtri(tail) for _, m, s in parts])
    low, high = each.min(axis=0), each.max(axis=0)
    for _ in range(80 if len(parts) > 1 else 0):
        middle = (low + high) / 2
        over = _tail(parts, middle) > tail
        low, high = np.where(over, middle, low), np.where(over, high, middle)
    return np.asarray(high)


def _pair_wins(r: Array, m1: float, s1: float, m0: float, s0: float) -> Array:
    """Chance that r < negative < positive."""
    spread = math.hypot(s0, s1)
    reach = (m1 - m0) / spread
    return np.asarray(ndtr(reach) - binormal_cdf((r - m0) / s0, reach, s0 / spread))


def binormal_cdf(h: Array | float, k: float, rho: float) -> Array:
    """Chance that both of two standard normals with correlation rho lie below h and k, by Owen's T function.

    >>> binormal_cdf(0.0, 0.0, 0.5).round(6), binormal_cdf(-np.inf, 1.0, 0.5), binormal_cdf(np.inf, 0.0, 0.5)
    (np.float64(0.333333), array(0.), array(0.5))
    """
    at = np.asarray(h, dtype=np.float64)
    finite = np.where(np.isfinite(at), at, 1.0)
    root = math.sqrt(1 - rho**2)
    # Exactly 0 would be divided by; so small a step changes the result by less than rounding does.
    x, y = np.where(finite == 0, 1e-300, finite), k if k != 0 else 1e-300
    both = (ndtr(x) + ndtr(y)) / 2 - owens_t(x, (y - rho * x) / (x * root)) - owens_t(y, (x - rho * y) / (y * root))
    both = both - np.where((x < 0) != (y < 0), 0.5, 0.0)
    return np.where(at == np.inf, ndtr(k), np.where(at == -np.inf, 0.0, both))
