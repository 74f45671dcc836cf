"""Sites that share no cases: the mean site, a new one, how far they differ, and whether by chance. Arrays only.

Rates have their binomial likelihood, which small sites need; areas and all else are averaged on a scale of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from unconfuse import _scipy_special as special
from unconfuse.multilevel.binomial import RatePosterior, rate_posterior, unlike
from unconfuse.multilevel.new_unit import NewUnit, by_mixture
from unconfuse.multilevel.pooling import FEWEST, pool
from unconfuse.multilevel.random_effects import Array, Heterogeneity, positive, spread
from unconfuse.uncertainty.influence_intervals import hanley_mcneil_se
from unconfuse.uncertainty.method import NoInterval

ScaleName = Literal["logit", "log", "identity"]
_WIDE = 1.959963984540054  # deviations between which 95% of normal sites lie
Limits = tuple[float, float]


@dataclass(frozen=True)
class Scale:
    """A scale on which values of sites may be averaged; limits of the identity end where the metric does."""

    name: ScaleName
    lowest: float = -math.inf
    highest: float = math.inf

    def to(self, values: npt.ArrayLike) -> Array:
        """Return values on this scale.

        >>> Scale("log").to([1.0, np.e]).tolist()
        [0.0, 1.0]
        """
        given = np.asarray(values, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(
                special.logit(given) if self.name == "logit" else np.log(given) if self.name == "log" else given
            )

    def slope(self, values: npt.ArrayLike) -> Array:
        """Return by how much a value on this scale grows with the value itself."""
        given = np.asarray(values, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.name == "logit":
                return np.asarray(1 / (given * (1 - given)))
            return np.asarray(1 / given) if self.name == "log" else np.ones(given.shape)

    def back(self, value: float) -> float:
        """Return a number of this scale in the metric's own units."""
        if self.name == "logit":
            return float(special.expit(value))
        return float(np.exp(value)) if self.name == "log" else float(np.clip(value, self.lowest, self.highest))


@dataclass(frozen=True, eq=False)
class PooledValues:
    """Values of sites with their sampling variances, both on a scale."""

    values: Array
    variances: Array
    scale: Scale
    confidence_level: float = 0.95
    test: str = "Cochran's Q"
    tested: tuple[Array, Array] | None = None  # values and variances that the test looks at, if they are others

    @property
    def size(self) -> int:
        """Number of sites."""
        return len(self.values)

    @cached_property
    def mean(self) -> tuple[float, float, float, str]:
        """Value, limits and method of the mean site."""
        if self.size < FEWEST:
            weights = 1 / positive(self.variances) if self.variances.any() else np.ones(self.size)
            value = float((weights * self.values).sum() / weights.sum())
            return self.scale.back(value), math.nan, math.nan, few_words(self.size)
        found = pool(self.values, self.variances, confidence_level=self.confidence_level)
        method = found.method.replace("units", "sites") + _on(self.scale)
        return self.scale.back(found.value), self.scale.back(found.low), self.scale.back(found.high), method

    @cached_property
    def new(self) -> tuple[float, float, str]:
        """Limits of a new site, and method."""
        if self.size < FEWEST:
            return math.nan, math.nan, few_words(self.size)
        found = pool(self.values, self.variances, "one unit", confidence_level=self.confidence_level)
        method = found.method.replace("units", "sites") + f", prediction{_on(self.scale)}"
        return self.scale.back(found.low), self.scale.back(found.high), method

    @cached_property
    def _spread(self) -> Heterogeneity:
        return spread(self.values, self.variances, self.confidence_level)

    @property
    def deviation(self) -> float:
        """Standard deviation between sites, on the scale (REML)."""
        return self._spread.deviation if self.size >= 2 and self.variances.any() else math.nan

    @property
    def share(self) -> float:
        """I squared: the share of the variation that is not chance. It depends on the sites' sizes."""
        statistic = self._spread.statistic
        return max(0.0, 1 - (self.size - 1) / statistic) if statistic > 0 else 0.0

    @property
    def range(self) -> Limits:
        """Return between which values 95% of the sites lie, if mean and deviation are as estimated."""
        centre, reach = float(self.scale.to(self.mean[0])), _WIDE * self.deviation
        return self.scale.back(centre - reach), self.scale.back(centre + reach)

    @property
    def p_value(self) -> float:
        """Of no difference between sites beyond chance."""
        if self.size < 2 or not self.variances.any():
            return math.nan
        return self._spread.p_value if self.tested is None else spread(*self.tested).p_value

    def chance_above(self, value: float) -> float:
        """Return the probability that a new site's true value exceeds this one."""
        return math.nan if self.size < FEWEST else self._new_unit.above(float(self.scale.to(value)))

    @cached_property
    def _new_unit(self) -> NewUnit:
        return by_mixture(self.values, self.variances)


@dataclass(frozen=True, eq=False)
class PooledRates:
    """Successes and trials of sites; those without trials say nothing."""

    successes: Array
    trials: Array
    confidence_level: float = 0.95
    test: str = "Pearson's chi-squared"

    @property
    def size(self) -> int:
        """Number of sites that have trials."""
        return int((self.trials > 0).sum())

    @cached_property
    def _posterior(self) -> RatePosterior:
        some = self.trials > 0
        return rate_posterior(self.successes[some], self.trials[some])

    @property
    def _tails(self) -> Limits:
        return (1 - self.confidence_level) / 2, (1 + self.confidence_level) / 2

    @cached_property
    def mean(self) -> tuple[float, float, float, str]:
        """Value, limits and method of the mean site."""
        if self.size < FEWEST:
            return float(self.successes.sum() / self.trials.sum()), math.nan, math.nan, few_words(self.size)
        low, high = (self._posterior.typical(tail) for tail in self._tails)
        return self._posterior.typical(0.5), low, high, "binomial-normal posterior"

    @cached_property
    def new(self) -> tuple[float, float, str]:
        """Limits of a new site, and method."""
        if self.size < FEWEST:
            return math.nan, math.nan, few_words(self.size)
        low, high = (self._posterior.new(tail) for tail in self._tails)
        return low, high, "binomial-normal posterior, prediction"

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of the logits between sites, median of its posterior."""
        if self.size < FEWEST:
            return math.nan
        below = np.cumsum(self._posterior.weights.sum(axis=0))
        return float(np.interp(0.5, below / below[-1], self._posterior.deviation))

    @property
    def share(self) -> float:
        """I squared is not defined by this model."""
        return math.nan

    @property
    def range(self) -> Limits:
        """Return between which rates 95% of the sites lie, if typical rate and deviation are as estimated."""
        centre, reach = float(special.logit(self.mean[0])), _WIDE * self.deviation
        return float(special.expit(centre - reach)), float(special.expit(centre + reach))

    @property
    def p_value(self) -> float:
        """Of equal rates in all sites."""
        return unlike(self.successes, self.trials)

    def chance_above(self, value: float) -> float:
        """Return the probability that a new site's true rate exceeds this one."""
        return math.nan if self.size < FEWEST else self._posterior.chance_above(value)


def few_words(size: int) -> str:
    """Return why so few sites have no interval for others."""
    which = {0: "no site has a value", 1: "one site says", 2: "two sites say"}[size]
    return NoInterval(f"no interval: {which}" + (" nothing about other sites" if size else ""))


def _on(scale: Scale) -> str:
    return "" if scale.name == "identity" else f" on the {scale.name} scale"


def areas(auroc: Array, positives: Array, negatives: Array) -> tuple[Array, Array, Array]:
    """Return logits of sites' AUROCs, their variances and those of the plain AUROCs: Hanley-McNeil at the pooled one.

    Half a pair is added to each site and half a case to the pooled AUROC, so perfect sites take part. DeLong's own
    errors make weights follow luck in small sites, and the test of differences rejects too often (6 to 16%). That test
    looks at plain AUROCs: at 0.93 in small sites it rejects 1% of equal ones, on the logit scale 11 to 18%.

    >>> y, v, _ = areas(np.array([1.0, .75]), np.array([2.0, 4.0]), np.array([3.0, 4.0]))
    >>> print(y.round(3), v.round(3))
    [2.565 1.022] [1.952 1.019]
    """
    pairs = positives * negatives
    cases = float(np.minimum(positives, negatives).sum())
    pooled = (float((auroc * pairs).sum() / pairs.sum()) * cases + 0.5) / (cases + 1)  # perfect sites are not certain
    sides = (positives, negatives) if pooled >= 0.5 else (negatives, positives)
    errors = hanley_mcneil_se(max(pooled, 1 - pooled), *sides)
    logits = np.asarray(special.logit((auroc * pairs + 0.5) / (pairs + 1)))
    return logits, (errors / (pooled * (1 - pooled))) ** 2, errors**2
