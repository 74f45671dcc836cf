"""What differences are worth: covariances of models from all cases' influences, intervals, tests, and what remains of
their p-values when there are many of them.

Several comparisons step down: the smallest p-value is judged among all, the next among those left, until one is
not small enough. "holm" multiplies by the number of those left, whatever their dependence; "max-t" asks how often the
largest of so many correlated normal variables would be as extreme. Intervals do not step down: `single_error` is the
error of each at which all of them hold together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unconfuse._scipy_special import bdtr, ndtr, ndtri
from unconfuse.metrics import Metric
from unconfuse.metrics.influence_functions import InfluenceFunction, quantile, student_quantile
from unconfuse.table import Array, Sample, Settings

Places = npt.NDArray[np.intp]
Joint = Callable[[float, Places], float]
"""How probable a p-value as small as this is, among the comparisons at these places."""
_DRAWS = 8192  # p-values are then known to 1% of themselves, however small
_ROUNDS = 4  # the joint probability is almost in proportion to the single one
SMALLEST = float(np.finfo(np.float64).tiny)  # a p-value is never 0
USUAL_LEVEL = 0.95  # at which intervals without a standard error of their own say what it is
_NO_WIDTH = 1e-9  # of a difference: rounding, not spread
_SMALL = 5.0  # a class of this size leaves the interval to MOVER; one of 100 hardly uses it (docs/intervals-ranking.md)


def mcnemar_mid_p(only_first: float, only_second: float) -> float:
    """Two-sided mid-p of McNemar's test, from the cases that exactly one of two classifiers labels right.

    Fagerland, Lydersen & Laake (2013), BMC Medical Research Methodology 13:91.

    >>> round(mcnemar_mid_p(8, 1), 4)
    0.0215
    """
    fewer, trials = min(only_first, only_second), only_first + only_second
    if trials == 0:
        return 1.0
    below, at_most = (float(bdtr(k, int(trials), 0.5)) if k >= 0 else 0.0 for k in (fewer - 1, fewer))
    return float(np.clip(below + at_most, SMALLEST, 1.0)) if only_first != only_second else 1.0


def bonett_price(
    only_first: float, only_second: float, cases: float, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Interval of the difference of two paired proportions; it does not collapse when no case disagrees.

    Bonett & Price (2012), Journal of Educational and Behavioral Statistics 37:479.

    >>> low, high = bonett_price(8, 1, 50)
    >>> print(f"{low:.3f} {high:.3f}")
    0.015 0.254
    """
    centre, error = bonett_price_moments(only_first, only_second, cases)
    half = quantile(confidence_level) * error
    return max(centre - half, -1.0), min(centre + half, 1.0)


def bonett_price_moments(only_first: float, only_second: float, cases: float) -> tuple[float, float]:
    """Return the centre of the Bonett-Price interval, and the standard error, which depends on no confidence level."""
    first, second = (only_first + 1) / (cases + 2), (only_second + 1) / (cases + 2)
    centre = first - second
    return centre, float(np.sqrt((first + second - centre**2) / (cases + 2)))


@dataclass(frozen=True)
class OverlappingProportions:
    """Two proportions of the same cases, of which each has trials of its own and some are trials of both.

    Successes and trials of both, and over the cases that are trials of both: their number, the successes of the first,
    of the second, and of both at once.
    """

    successes: tuple[float, float]
    trials: tuple[float, float]
    shared: float
    shared_successes: tuple[float, float]
    both: float

    @property
    def values(self) -> tuple[float, float]:
        """Both proportions."""
        return self.successes[0] / self.trials[0], self.successes[1] / self.trials[1]

    def covariance_sum(self, one: float, other: float) -> float:
        """Sum (first - one)(second - other) over the trials of both."""
        first, second = self.shared_successes
        return self.both - other * first - one * second + one * other * self.shared

    def correlation(self) -> float:
        """Of the errors of both proportions; 0 where one shows no error at all."""
        one, other = self.values
        spread = np.sqrt(self.trials[0] * one * (1 - one) * self.trials[1] * other * (1 - other))
        return float(np.clip(self.covariance_sum(one, other) / spread, -1.0, 1.0)) if spread > 0 else 0.0

    def score_p(self) -> float:
        """Return the p-value of the weighted generalised score test of equal proportions.

        Kosinski (2013), Stat. Med. 32:964, for predictive values; after Leisenring, Alonzo and Pepe (2000), Biometrics
        56:345.

        >>> alike = OverlappingProportions((40., 30.), (50., 50.), 30., (25., 25.), 25.)
        >>> round(alike.score_p(), 4)
        0.0033
        """
        (one, other), (n, m) = self.values, self.trials
        pooled = sum(self.successes) / (n + m)
        shared = self.covariance_sum(pooled, pooled) / (n + m)
        variance = (pooled * (1 - pooled) - 2 * shared) * (1 / n + 1 / m)
        return p_of(one - other, float(np.sqrt(max(variance, 0.0))))


def bootstrap_p(difference: float, replicates: Array) -> float:
    """How often a resampled difference strays from the seen one by as much as that strays from 0: (b + 1)/(B + 1).

    >>> bootstrap_p(2.0, np.array([1.0, 2.0, 3.0, 4.0]))
    0.4
    """
    usable = replicates[~np.isnan(replicates)]
    strayed = np.abs(usable - difference) >= abs(difference) * (1 - _NO_WIDTH)  # a tie but for rounding is one
    return float((1 + strayed.sum()) / (1 + len(usable)))


def smallest_p(different: float) -> float:
    """Return the smallest two-sided p-value of a test that exchanges two models' outputs case by case.

    Of so many cases on which they differ, 2 of 2^m exchanges are as extreme as what was seen. A variance of 0, as that
    of two models that separate a few cases perfectly, is no evidence beyond that.

    >>> smallest_p(8), smallest_p(0)
    (0.0078125, 1.0)
    """
    return float(min(1.0, 2.0 ** (1 - different)))


def possible_limits(value: float, low: float, high: float, range: tuple[float, float]) -> tuple[float, float]:
    """Limits of a difference, no wider than two values in the range of the metric can differ; they hold the difference.

    >>> possible_limits(0.96, 0.73, 1.2, (0, 1))
    (0.73, 1)
    """
    widest = max(range[1] - range[0], abs(value))
    return max(min(low, value), -widest), min(max(high, value), widest)


def is_rounding(size: float, values: Sequence[float]) -> bool:
    """Whether a difference of two values, its standard error or the width of its interval is nothing but rounding.

    It is 0 where every resample is perfect, and about 1e-17 where sums of fractional weights are.

    >>> is_rounding(2e-17, (1.0, 1.0)), is_rounding(0.1, (0.9, 0.8))
    (True, False)
    """
    return size <= _NO_WIDTH * max(abs(value) for value in values)


def cases_needed(
    n: float, difference: float, standard_error: float, confidence_level: float, power: float = 0.8
) -> float:
    """How many cases would tell a difference of this size, since standard errors shrink with the root of n.

    `confidence_level` is that of the interval which must exclude 0: of several pairs, the adjusted one.

    >>> cases_needed(100, 0.05, 0.05, 0.95)
    785.0
    """
    if abs(difference) <= _NO_WIDTH * standard_error or not standard_error > 0:  # no difference but for rounding
        return float("nan")
    z = quantile(confidence_level) + float(ndtri(power))
    return float(np.ceil(n * (z * standard_error / difference) ** 2))


@dataclass(frozen=True, eq=False, repr=False)
class InfluenceSums:
    """What remains of all cases' influences on a metric of each model.

    Of each model its value; of positives and negatives their number, each model's mean influence, and for each pair of
    models the sum of products of influences, each less its mean. Of sampled cases, the number is Kish's, products are
    of squared weights, and influences of a cohort are not taken apart: their mean is 0 over both classes.
    """

    value: Array
    size: tuple[float, float]
    mean: tuple[Array, Array]
    products: tuple[Array, Array]
    fixed_classes: bool = False  # whether the study chose the class sizes

    def covariance(self) -> Array:
        """Covariance matrix of the models' metrics: each class's own part, and in a cohort that of the class sizes.

        Each class has its own n - 1, so that for the AUROC the sum is exactly DeLong's.
        """
        matrix = np.zeros_like(self.products[0])
        for size, mean, products in zip(self.size, self.mean, self.products, strict=True):
            matrix += products * (size / (size - 1) if size > 1 else np.nan)
            if not self.fixed_classes:
                matrix += size * np.outer(mean, mean)
        return matrix

    def freedom(self) -> float:
        """Satterthwaite's degrees of freedom of the first model less the second: each class knows its own spread.

        Satterthwaite (1946), Biometrics Bulletin 2:110.
        """
        contrast = np.array([1.0, -1.0])
        whole, excess = float(contrast @ self.covariance() @ contrast), 0.0
        for size, products in zip(self.size, self.products, strict=True):
            if size > 1:
                own = float(contrast @ products @ contrast) * size / (size - 1)
                excess += own**2 / (size - 1)
        return whole**2 / excess if excess > 0 else min(self.size) - 1

    def of(self, models: Sequence[int]) -> InfluenceSums:
        """Of some of the models."""
        chosen, square = np.asarray(models), np.ix_(models, models)
        mean = self.mean[0][chosen], self.mean[1][chosen]
        products = self.products[0][square], self.products[1][square]
        return InfluenceSums(self.value[chosen], self.size, mean, products, self.fixed_classes)


def influence_sums(metrics: Iterable[Metric], sample: Sample) -> dict[str, InfluenceSums]:
    """Of every metric that declares its influence, in one pass over the cases; by the name of its root."""
    roots = {metric.root.of.name: metric.root.of for metric in metrics}
    found = {
        name: {model: root.inference.influence(sample.table(model)) for model in sample.models}
        for name, root in roots.items()
        if root.inference.influence is not None
    }
    if not found:
        return {}
    sampling = sample.sampling
    whole = sampling.by_weights and not sampling.fixed_classes
    means = {
        (name, model): (0.0, 0.0) if whole else _class_means(each)
        for name, of in found.items()
        for model, each in of.items()
    }
    negatives, positives = (float(effective_size) for effective_size in sample.effective_sizes)
    worth: dict[str, dict[str, tuple[Array, Array]]] = {model: {} for model in sample.models}
    for (name, model), mean in means.items():
        influence_function = found[name][model]
        worth[model][name] = influence_function.positive - mean[0], influence_function.negative - mean[1]
    products = sample.cross_products(worth)
    sums = {}
    for name, of in found.items():
        values = np.array([float(of[model].value) for model in sample.models])
        both = np.array([means[name, model] for model in sample.models]).T
        sizes, own = (positives, negatives), (both[0], both[1])
        sums[name] = InfluenceSums(values, sizes, own, products[name], sampling.fixed_classes)
    return sums


def _class_means(influence: InfluenceFunction) -> tuple[float, float]:
    table = influence.table
    with np.errstate(invalid="ignore"):  # a subgroup may lack one of the classes
        return (
            float(influence.positive @ table.positives / table.n_positives),
            float(influence.negative @ table.negatives / table.n_negatives),
        )


def moments(sums: InfluenceSums) -> tuple[float, float, Array]:
    """First model's metric less the second's, its standard error, and the covariance matrix of both."""
    contrast, matrix = np.array([1.0, -1.0]), sums.covariance()
    return float(contrast @ sums.value), float(np.sqrt(max(contrast @ matrix @ contrast, 0.0))), matrix


def limits_of_difference(
    sums: InfluenceSums,
    design: Settings,
    single: Sequence[tuple[float, float]],
    range: tuple[float, float],
    freedom: float | None = None,
) -> tuple[float, float]:
    """Return the interval of the first model's metric less the second's.

    A small class says little about its own outliers: standard errors are smallest when the sample was lucky. So the
    normal interval is drawn towards the one that MOVER makes of both models' own (`single`), with a weight of 5 over
    the size of the smaller class. That reaches 0 too often where both models are very good; where Student's t with
    Satterthwaite's degrees of freedom (or as many as are given) excludes 0, its limit is taken at that end
    (docs/intervals-ranking.md).

    Zou and Donner (2008), Stat. Med. 27:1693 (MOVER, the method of variance estimates recovery).
    """
    value, error, matrix = moments(sums)
    reach = quantile(design.confidence_level) * error
    low, high = value - reach, value + reach
    if not value == error == 0.0:
        weight = min(1.0, _SMALL / min(sums.size))
        wide = mover(sums.value, single, correlation(matrix))
        low, high = (1 - weight) * low + weight * wide[0], (1 - weight) * high + weight * wide[1]
    if low <= 0 <= high and error > 0:
        known = sums.freedom() if freedom is None else freedom
        reach = float(student_quantile(known, design.confidence_level)) * error
        low, high = value - reach if value > reach else low, value + reach if value < -reach else high
    return possible_limits(value, low, high, range)


def p_of(value: float, error: float) -> float:
    """Two-sided p-value of no difference; never 0."""
    z = abs(value) / error if error > 0 else (0.0 if value == 0 else np.inf)
    return max(float(2 * ndtr(-z)), SMALLEST)


def correlation(matrix: Array) -> float:
    """Correlation of the first two models' errors; 0 where one of them shows no error at all, or only rounding."""
    smaller, larger = np.sqrt(np.sort(matrix[[0, 1], [0, 1]]))
    return float(matrix[0, 1] / (smaller * larger)) if smaller > _NO_WIDTH * larger else 0.0


def mover(value: Array, single: Sequence[tuple[float, float]], correlation: float) -> tuple[float, float]:
    """Return the interval of a difference from both models' own intervals and the correlation of their errors.

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


def holm(p_values: Array) -> Array:
    """Holm's step-down adjustment.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    return step_down_adjust(p_values, bonferroni)


def bonferroni(p: float, among: Places) -> float:
    """At most so many times the single probability."""
    return min(1.0, p * len(among))


def sidak(p: float, among: Places) -> float:
    """Return the probability of any of them, if they are independent."""
    return float(-np.expm1(len(among) * np.log1p(-min(p, 1 - 1e-16))))


def step_down_adjust(p_values: Array, joint: Joint) -> Array:
    """Adjust p-values: the smallest among all, the next among those left.

    >>> print(step_down_adjust(np.array([0.001, 0.04, 0.5]), bonferroni))
    [0.003 0.08  0.5  ]
    """
    order = np.argsort(p_values, kind="stable")
    adjusted, reached = np.empty(len(order)), 0.0
    for step, place in enumerate(order):
        reached = max(reached, joint(float(p_values[place]), order[step:]))
        adjusted[place] = reached
    return adjusted


def single_error(error: float, among: Places, joint: Joint) -> float:
    """Return the p-value of one comparison at which all of these together reach the error."""
    p = error / len(among)
    for _ in range(_ROUNDS if len(among) > 1 else 0):
        p = min(error, p * error / joint(p, among))
    return p


def correlated(correlation: Array, seed: int = 0, *, sides: int = 2) -> Joint:
    """Return the joint probability of normal variables with this correlation matrix, in both tails or the upper one.

    One of them, chosen at random, is drawn from its own tail, the others given that one; the mean of 1 over how many
    are then in their tails, times the sum of all tails, is the probability that any is. No tail is too far out.

    >>> joint = correlated(np.full((3, 3), .5) + .5 * np.eye(3))
    >>> round(joint(0.01, np.arange(3)), 3)  # 0.03 if they were mutually exclusive
    0.027
    >>> round(correlated(np.ones((3, 3)))(0.01, np.arange(3)), 6)  # thrice the same question is one question
    0.01
    """
    generator = np.random.default_rng(seed)
    free = generator.standard_normal((_DRAWS, len(correlation))) @ _root(correlation).T
    share, sign = 1 - generator.random(_DRAWS), generator.choice([-1.0, 1.0], _DRAWS)
    if sides == 1:
        sign = np.ones(_DRAWS)

    def joint(p: float, among: Places) -> float:
        if len(among) == 1 or p >= 1:
            return min(p, 1.0)
        chosen = among[np.arange(_DRAWS) % len(among)]
        far = -sign * ndtri(share * p / sides)
        moved = far - free[np.arange(_DRAWS), chosen]
        drawn = free[:, among] + correlation[chosen][:, among] * moved[:, None]
        reached = np.abs(drawn) if sides == 2 else drawn
        extreme = np.count_nonzero(reached >= -ndtri(p / sides) * (1 - 1e-9), axis=1)
        return float(min(1.0, len(among) * p * np.mean(1 / np.maximum(extreme, 1))))

    return joint


def _root(matrix: Array) -> Array:
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def correlation_of(covariance: Array) -> Array:
    """Return the correlation matrix; what does not vary, or is not known, is correlated with nothing."""
    spread = np.sqrt(np.maximum(np.diag(covariance), 0.0))  # rounding may leave less than nothing
    with np.errstate(divide="ignore", invalid="ignore"):
        found = covariance / np.outer(spread, spread)
    found = np.clip(np.where(np.isfinite(found), found, 0.0), -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def error_of(low: float, high: float) -> float:
    """Return the standard error that an interval at the usual level shows: it must not depend on the level asked."""
    return (high - low) / (2 * quantile(USUAL_LEVEL))
