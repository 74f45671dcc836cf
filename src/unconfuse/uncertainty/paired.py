"""Differences of two models on the same cases, from each row's influence on each model's metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from unconfuse.metrics import Metric
from unconfuse.metrics.influence import Influence, is_auroc, is_cohort, quantile
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.methods import limits_of_table

InfluenceOf = Callable[[ScoreTable], Influence]
_SMALL = 5.0  # a class of this size leaves the interval to MOVER; one of 100 hardly uses it


@dataclass(frozen=True, eq=False, repr=False)
class InfluenceSums:
    """What remains of all rows' influences on a metric of each model: enough for every covariance.

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

    def parts(self) -> tuple[Array, Array, Array]:
        """Covariance matrices from the positives' scores, the negatives' scores, and the share of positives."""
        within = [
            products * (size / (size - 1) if size > 1 else np.nan)
            for size, products in zip(self.size, self.products, strict=True)
        ]
        shift = sum(
            (size * np.outer(mean, mean) for size, mean in zip(self.size, self.mean, strict=True)),
            np.zeros((len(self.value), len(self.value))),
        )
        return within[0], within[1], shift

    def covariance(self, *, design: str = "cohort") -> Array:
        """Covariance matrix of the models' metrics; fixed class sizes drop the share of positives."""
        positives, negatives, prevalence = self.parts()
        return positives + negatives + (prevalence if is_cohort(design) else 0.0)

    def of(self, models: Sequence[int]) -> InfluenceSums:
        """Of some of the models."""
        chosen, square = np.asarray(models), np.ix_(models, models)
        mean = self.mean[0][chosen], self.mean[1][chosen]
        return InfluenceSums(self.value[chosen], self.size, mean, (self.products[0][square], self.products[1][square]))


@dataclass(frozen=True, eq=False, repr=False)
class RowInfluences:
    """Each row's influence on a metric of each model.

    Attributes
    ----------
    is_positive, weights : arrays of shape (n,)
    value : array of shape (models,)
    influence : array of shape (models, n)
    """

    is_positive: npt.NDArray[np.bool_]
    weights: Array
    value: Array
    influence: Array

    def sums(self) -> InfluenceSums:
        """All rows added up."""
        sizes, means, products = [], [], []
        for members in (self.is_positive, ~self.is_positive):
            influence, weights = self.influence[:, members], self.weights[members]
            size = float(weights.sum())
            mean = influence @ weights / size
            centred = influence - mean[:, None]
            sizes.append(size)
            means.append(mean)
            products.append((centred * weights) @ centred.T)
        return InfluenceSums(self.value, (sizes[0], sizes[1]), (means[0], means[1]), (products[0], products[1]))


@dataclass(frozen=True)
class Difference:
    """A difference of two models on the same cases: value, standard error, test of no difference, interval."""

    difference: float
    standard_error: float
    z: float
    p_value: float
    low: float
    high: float
    method: str


def row_influences(
    influence: InfluenceOf, is_positive: npt.NDArray[np.bool_], scores: Sequence[Array], *, weights: Array | None = None
) -> RowInfluences:
    """Each row's influence on each model's metric: made on the score table, then handed back to the rows.

    Examples
    --------
    >>> from unconfuse.metrics.influence import auroc_influence
    >>> rows = row_influences(auroc_influence, np.array([True, False, True]), [np.array([.9, .4, .3])])
    >>> rows.value, rows.influence
    (array([0.5]), array([[ 0.25,  0.  , -0.25]]))
    """
    found = [_rows_of_one(influence, is_positive, np.asarray(score, dtype=np.float64), weights) for score in scores]
    counted = np.ones(len(is_positive)) if weights is None else weights
    return RowInfluences(is_positive, counted, np.array([value for value, _ in found]), np.stack([g for _, g in found]))


def difference(
    sums: InfluenceSums,
    *,
    single: Sequence[tuple[float, float]] = (),
    design: str = "cohort",
    confidence_level: float = 0.95,
    label: str = "influence function",
    widest: float = 1.0,
) -> Difference:
    """First model's metric less the second's, with a z test and an interval.

    A small class says little about its own outliers: standard errors are smallest when the sample was lucky. So the
    normal interval is drawn towards the one that MOVER makes of both models' own, with a weight of 5 over the size of
    the smaller class.

    Parameters
    ----------
    sums : InfluenceSums
        Of two models.
    single : two pairs (low, high), optional
        Each model's own interval at this level.
    widest : float
        The largest difference that there can be.

    References
    ----------
    Zou and Donner (2008), Stat. Med. 27:1693 (MOVER, the method of variance estimates recovery).
    """
    contrast = np.array([1.0, -1.0])
    matrix = sums.covariance(design=design)
    value, error = float(contrast @ sums.value), float(np.sqrt(max(contrast @ matrix @ contrast, 0.0)))
    z = value / error if error > 0 else (0.0 if value == 0 else float(np.copysign(np.inf, value)))
    reach = quantile(confidence_level) * error
    low, high = value - reach, value + reach
    if single and not value == error == 0.0:
        weight = min(1.0, _SMALL / min(sums.size))
        wide = mover(sums.value, single, correlation(matrix))
        low, high = (1 - weight) * low + weight * wide[0], (1 - weight) * high + weight * wide[1]
    low, high = max(min(low, value), -widest), min(max(high, value), widest)
    return Difference(value, error, z, float(2 * ndtr(-abs(z))), low, high, f"{label}, paired")


def difference_of_tables(
    metric: Metric,
    sums: InfluenceSums,
    tables: Sequence[ScoreTable],
    *,
    design: str = "cohort",
    confidence_level: float = 0.95,
) -> Difference:
    """The same from both models' tables, and from the influences of the rows, which may be elsewhere."""
    limits = [limits_of_table(metric, table, design=design, confidence_level=confidence_level) for table in tables]
    return difference(
        sums,
        single=[(float(each.low), float(each.high)) for each in limits],
        design=design,
        confidence_level=confidence_level,
        label="DeLong" if is_auroc(metric) else "influence function",
        widest=metric.range[1] - metric.range[0],
    )


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


def _rows_of_one(
    influence: InfluenceOf, is_positive: npt.NDArray[np.bool_], score: Array, weights: Array | None
) -> tuple[float, Array]:
    table = ScoreTable.of_rows(is_positive, score, weights)
    found = influence(table)
    # A score that only rows of weight 0 have is not in the table; what such rows are worth never counts.
    block = np.minimum(np.searchsorted(-table.score, -score), len(table) - 1)
    return float(found.value), np.where(is_positive, found.positive[block], found.negative[block])
