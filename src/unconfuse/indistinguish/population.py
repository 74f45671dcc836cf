"""B(r) and C(r_b) of score models: what a sample of any size aims at."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, owens_t

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_choice, check_number, check_probability, check_whole
from unconfuse.table import Array

Component = tuple[float, float, float]
"""Weight, mean and standard deviation of one normal of a mixture."""


@dataclass(frozen=True)
class PopulationCrossing:
    """The threshold where B = level, and precision C, TPR v and FPR u there; NaN where B never reaches the level."""

    level: float
    threshold: float
    precision: float
    sensitivity: float
    false_positive_rate: float


class Population(ABC):
    """Score distributions of two classes and a prevalence. Subclasses say what the distributions are."""

    prevalence: float

    @abstractmethod
    def sensitivity(self, r: Array | float) -> Array:
        """Share of positives with a score above r: v(r)."""

    @abstractmethod
    def false_positive_rate(self, r: Array | float) -> Array:
        """Share of negatives with a score above r: u(r)."""

    @abstractmethod
    def wins(self, r: Array | float) -> Array:
        """Share of (positive, negative) pairs in which the negative scores above r and the positive above it."""

    @abstractmethod
    def densities(self, r: Array) -> tuple[Array, Array]:
        """Of the positives and of the negatives."""

    @abstractmethod
    def support(self) -> tuple[float, float]:
        """Scores outside of which there is practically nothing."""

    @property
    def auroc(self) -> float:
        """Area under the ROC curve."""
        return float(self.wins(-np.inf))

    def b(self, r: Array | float) -> Array:
        """B(r): how often a positive outranks a case that scores above r."""
        v, pi = self.sensitivity(r), self.prevalence
        return np.asarray((pi * v**2 / 2 + (1 - pi) * self.wins(r)) / self.queue_rate(r))

    def queue_rate(self, r: Array | float) -> Array:
        """Share of all cases that score above r."""
        pi = self.prevalence
        return np.asarray(pi * self.sensitivity(r) + (1 - pi) * self.false_positive_rate(r))

    def precision(self, r: Array | float) -> Array:
        """C(r)."""
        return np.asarray(self.prevalence * self.sensitivity(r) / self.queue_rate(r))

    def f1(self, r: Array | float) -> Array:
        """F1 with the threshold at r."""
        return np.asarray(2 * self.prevalence * self.sensitivity(r) / (self.prevalence + self.queue_rate(r)))

    def crossing(self, level: float = 0.5) -> PopulationCrossing:
        """Where B = level."""
        from scipy.optimize import brentq

        low, high = self.support()
        if self.b(-np.inf) < level or self.b(low) < level:
            return PopulationCrossing(level, math.nan, math.nan, math.nan, math.nan)
        # B lies below v, so B is under the level where v is half of it. Further out B is a ratio of rounding errors.
        end = float(brentq(lambda at: float(self.sensitivity(at)) - level / 2, low, high))
        r = float(brentq(lambda at: float(self.b(at)) - level, low, end, xtol=1e-13))
        return PopulationCrossing(
            level, r, *(float(each(r)) for each in (self.precision, self.sensitivity, self.false_positive_rate))
        )

    def precision_sd(self, n: int, *, level: float = 0.5, design: str = "case-control") -> float:
        """Standard deviation of C(r_b) in samples of n cases, from the influence function (to first order)."""
        size = check_whole(n, "n", at_least=1)
        check_choice(design, "design", ("cohort", "case-control"))
        pi = self.prevalence
        (mean_1, square_1), (mean_0, square_0) = self._influence_moments(level)
        within = (square_1 - mean_1**2) / pi + (square_0 - mean_0**2) / (1 - pi)
        between = mean_1**2 / pi + mean_0**2 / (1 - pi) if design == "cohort" else 0.0
        return math.sqrt((within + between) / size)

    def _influence_moments(self, level: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """Mean and mean square of the influence over the positives and over the negatives, times each class's share."""
        found, pi = self.crossing(level), self.prevalence
        r, precision = found.threshold, found.precision
        queue = float(self.queue_rate(r))
        f1, f0 = (float(each[0]) for each in self.densities(np.array([r])))
        local = pi * f1 / (pi * f1 + (1 - pi) * f0)
        pull = (precision - local) / (queue * (found.sensitivity - level))

        def positive(x: Array) -> Array:
            above, outranked = x > r, np.maximum(queue - self.queue_rate(x), 0) - level * queue
            own = pi * (self.sensitivity(x) - level) * above
            return pi * (above * (1 - precision) / queue + pull / pi * (outranked + own))

        def negative(x: Array) -> Array:
            above = x > r
            return (1 - pi) * above * (pull * (self.sensitivity(x) - level) - precision / queue)

        return self._moments(positive, r, 0), self._moments(negative, r, 1)

    def _moments(self, influence: Callable[[Array], Array], r: float, which: int) -> tuple[float, float]:
        nodes, weights = np.polynomial.legendre.leggauss(400)
        low, high = self.support()
        mean = square = 0.0
        for start, end in ((low, r), (r, high)):
            x = (nodes + 1) / 2 * (end - start) + start
            mass = weights * (end - start) / 2 * self.densities(x)[which]
            values = influence(x)
            mean, square = mean + float(mass @ values), square + float(mass @ values**2)
        return mean, square


@dataclass(frozen=True)
class NormalMixtures(Population):
    """Each class a mixture of normals, as (weight, mean, sd) components.

    Examples
    --------
    >>> nine_a = NormalMixtures([(1, 10, 2)], [(1000, 5, 2), (100, 2, 2)], prevalence=1000 / 2100)
    >>> round(nine_a.auroc, 4), round(nine_a.crossing().precision, 4)
    (0.9647, 0.8744)
    """

    positives: Sequence[Component]
    negatives: Sequence[Component]
    prevalence: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "positives", _components(self.positives, "positives"))
        object.__setattr__(self, "negatives", _components(self.negatives, "negatives"))
        check_probability(self.prevalence, "prevalence", open_interval=True)

    @classmethod
    def binormal(
        cls, *, mean: float, sd: float = 1.0, prevalence: float, negative_mean: float = 0.0, negative_sd: float = 1.0
    ) -> NormalMixtures:
        """One normal for each class."""
        return cls([(1.0, mean, sd)], [(1.0, negative_mean, negative_sd)], prevalence)

    def sensitivity(self, r: Array | float) -> Array:
        """Share of positives with a score above r."""
        return _tail(self.positives, r)

    def false_positive_rate(self, r: Array | float) -> Array:
        """Share of negatives with a score above r."""
        return _tail(self.negatives, r)

    def wins(self, r: Array | float) -> Array:
        """Share of pairs in which the negative scores above r and the positive above it."""
        at = np.asarray(r, dtype=np.float64)
        return np.asarray(
            sum(
                w1 * w0 * _pair_wins(at, m1, s1, m0, s0)
                for w1, m1, s1 in self.positives
                for w0, m0, s0 in self.negatives
            )
        )

    def densities(self, r: Array) -> tuple[Array, Array]:
        """Of the positives and of the negatives."""
        return _density(self.positives, r), _density(self.negatives, r)

    def support(self) -> tuple[float, float]:
        """Nine standard deviations beyond the outermost components."""
        parts = [*self.positives, *self.negatives]
        return min(m - 9 * s for _, m, s in parts), max(m + 9 * s for _, m, s in parts)


@dataclass(frozen=True)
class Lehmann(Population):
    """Negatives Exp(1), positives Exp(k) with 0 < k <= 1, so that v = u**k.

    Examples
    --------
    >>> found = Lehmann(.5, prevalence=.5).crossing()
    >>> round(found.false_positive_rate, 9), round(found.sensitivity, 9), round(found.precision, 9)
    (0.75, 0.866025404, 0.535898385)
    """

    k: float
    prevalence: float

    def __post_init__(self) -> None:
        if check_number(self.k, "k") <= 0:
            raise ArgumentError(f"`k` must be above 0; got {self.k:g}.")
        check_probability(self.prevalence, "prevalence", open_interval=True)

    def sensitivity(self, r: Array | float) -> Array:
        """Share of positives with a score above r."""
        return np.asarray(np.exp(-self.k * np.maximum(r, 0)))

    def false_positive_rate(self, r: Array | float) -> Array:
        """Share of negatives with a score above r."""
        return np.asarray(np.exp(-np.maximum(r, 0)))

    def wins(self, r: Array | float) -> Array:
        """Share of pairs in which the negative scores above r and the positive above it."""
        return np.asarray(np.exp(-(1 + self.k) * np.maximum(r, 0)) / (1 + self.k))

    def densities(self, r: Array) -> tuple[Array, Array]:
        """Of the positives and of the negatives."""
        return np.where(r >= 0, self.k * np.exp(-self.k * r), 0.0), np.where(r >= 0, np.exp(-r), 0.0)

    def support(self) -> tuple[float, float]:
        """From 0 to where next to nothing is left."""
        return 0.0, 40 / min(self.k, 1)


def _components(parts: Sequence[Component], name: str) -> tuple[Component, ...]:
    total = sum(check_number(w, name) for w, _, _ in parts)
    if total <= 0 or any(s <= 0 or w < 0 for w, _, s in parts):
        raise ArgumentError(f"`{name}` must be (weight, mean, sd) with weights and sds above 0; got {parts!r}.")
    return tuple((w / total, float(m), float(s)) for w, m, s in parts)


def _tail(parts: Sequence[Component], r: Array | float) -> Array:
    return np.asarray(sum(w * ndtr((m - np.asarray(r)) / s) for w, m, s in parts))


def _density(parts: Sequence[Component], r: Array) -> Array:
    return np.asarray(sum(w * np.exp(-(((r - m) / s) ** 2) / 2) / (s * math.sqrt(2 * math.pi)) for w, m, s in parts))


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
