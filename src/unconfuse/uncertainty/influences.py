"""What all cases' influences on a metric of each model add up to: every covariance, near or distant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from unconfuse.metrics import Metric
from unconfuse.metrics.influence import Influence, quantile
from unconfuse.table import Array, Design, Sample

SMALLEST = float(np.finfo(np.float64).tiny)  # a p-value is never 0
_SMALL = 5.0  # a class of this size leaves the interval to MOVER; one of 100 hardly uses it (docs/intervals-ranking.md)


@dataclass(frozen=True, eq=False, repr=False)
class InfluenceSums:
    """What remains of all cases' influences on a metric of each model.

    Attributes
    ----------
    value : array of shape (models,)
    size : (float, float)
        Weight of the positives and of the negatives.
    mean : two arrays of shape (models,)
        Mean influence of each class.
    products : two arrays of shape (models, models)
        Of each class: sums of products of influences, each less its mean.
    """

    value: Array
    size: tuple[float, float]
    mean: tuple[Array, Array]
    products: tuple[Array, Array]

    def covariance(self, design: Design) -> Array:
        """Covariance matrix of the models' metrics: each class's own part, and in a cohort that of the class sizes.

        Each class has its own n - 1, so that for the AUROC the sum is exactly DeLong's.
        """
        matrix = np.zeros_like(self.products[0])
        for size, mean, products in zip(self.size, self.mean, self.products, strict=True):
            matrix += products * (size / (size - 1) if size > 1 else np.nan)
            if design.is_cohort:
                matrix += size * np.outer(mean, mean)
        return matrix

    def of(self, models: Sequence[int]) -> InfluenceSums:
        """Of some of the models."""
        chosen, square = np.asarray(models), np.ix_(models, models)
        mean = self.mean[0][chosen], self.mean[1][chosen]
        return InfluenceSums(self.value[chosen], self.size, mean, (self.products[0][square], self.products[1][square]))


def influence_sums(metrics: Iterable[Metric], sample: Sample) -> dict[str, InfluenceSums]:
    """Of every metric that declares its influence, in one pass over the cases; by the name of its root."""
    roots = {each.root.of.name: each.root.of for each in metrics}
    found = {
        name: {model: each.influence(sample.table(model)) for model in sample.models}
        for name, each in roots.items()
        if each.influence is not None
    }
    if not found:
        return {}
    means = {(name, model): _class_means(each) for name, of in found.items() for model, each in of.items()}
    worth = {
        model: {
            name: (of[model].positive - means[name, model][0], of[model].negative - means[name, model][1])
            for name, of in found.items()
        }
        for model in sample.models
    }
    products = sample.products(worth)
    size = sample.positives, sample.negatives
    return {
        name: InfluenceSums(
            np.array([float(of[model].value) for model in sample.models]),
            size,
            tuple(np.array([means[name, model] for model in sample.models]).T),  # type: ignore[arg-type]
            products[name],
        )
        for name, of in found.items()
    }


def _class_means(influence: Influence) -> tuple[float, float]:
    table = influence.table
    return (
        float(influence.positive @ table.positives / table.n_positives),
        float(influence.negative @ table.negatives / table.n_negatives),
    )


@dataclass(frozen=True)
class Difference:
    """A difference of two models on the same cases: value, standard error, test of no difference, interval."""

    value: float
    standard_error: float
    p_value: float
    low: float
    high: float


def difference(
    sums: InfluenceSums, design: Design, single: Sequence[tuple[float, float]], range: tuple[float, float]
) -> Difference:
    """First model's metric less the second's, with a z test and an interval.

    A small class says little about its own outliers: standard errors are smallest when the sample was lucky. So the
    normal interval is drawn towards the one that MOVER makes of both models' own (`single`), with a weight of 5 over
    the size of the smaller class.

    References
    ----------
    Zou and Donner (2008), Stat. Med. 27:1693 (MOVER, the method of variance estimates recovery).
    """
    contrast, matrix = np.array([1.0, -1.0]), sums.covariance(design)
    value, error = float(contrast @ sums.value), float(np.sqrt(max(contrast @ matrix @ contrast, 0.0)))
    reach = quantile(design.confidence_level) * error
    low, high = value - reach, value + reach
    if not value == error == 0.0:
        weight = min(1.0, _SMALL / min(sums.size))
        wide = mover(sums.value, single, correlation(matrix))
        low, high = (1 - weight) * low + weight * wide[0], (1 - weight) * high + weight * wide[1]
    span = range[1] - range[0]
    return Difference(value, error, p_of(value, error), max(min(low, value), -span), min(max(high, value), span))


def p_of(value: float, error: float) -> float:
    """Two-sided p-value of no difference; never 0."""
    z = abs(value) / error if error > 0 else (0.0 if value == 0 else np.inf)
    return max(float(2 * ndtr(-z)), SMALLEST)


def correlation(matrix: Array) -> float:
    """Correlation of the first two models' errors; 0 where one of them shows no error at all."""
    spread = float(np.sqrt(matrix[0, 0] * matrix[1, 1]))
    return float(matrix[0, 1] / spread) if spread > 0 else 0.0


def mover(value: Array, single: Sequence[tuple[float, float]], correlation: float) -> tuple[float, float]:
    """The interval of a difference from both models' own intervals and the correlation of their errors.

    >>> low, high = mover(np.array([.8, .7]), [(.7, .9), (.6, .8)], 0.5)
    >>> print(f"{low:.2f} {high:.2f}")
    0.00 0.20
    """
    (low, high), (other_low, other_high) = single

    def length(one: float, two: float) -> float:
        return float(np.sqrt(max(one**2 + two**2 - 2 * correlation * one * two, 0.0)))

    gap = float(value[0] - value[1])
    down, up = length(value[0] - low, other_high - value[1]), length(high - value[0], value[1] - other_low)
    return gap - down, gap + up
