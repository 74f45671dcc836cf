"""Ways to the difference of two models on the same cases that have a formula: by labels, by shares, by influences."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from unconfuse.metrics import Metric
from unconfuse.metrics._metric import ratio
from unconfuse.metrics.influence_functions import is_auroc
from unconfuse.table import Array, Counts
from unconfuse.uncertainty.difference_tests import (
    USUAL_LEVEL,
    InfluenceSums,
    OverlappingProportions,
    bonett_price,
    bonett_price_moments,
    error_of,
    influence_sums,
    limits_of_difference,
    mcnemar_mid_p,
    moments,
    mover,
    p_of,
)
from unconfuse.uncertainty.interval_methods import compares_by_influence
from unconfuse.uncertainty.simultaneous import Draft, Limits, Pair, SubgroupMoments

if TYPE_CHECKING:
    from unconfuse.uncertainty.contrasts import PairedContrasts


_VERY_GOOD = 0.9  # AUROC of both models


class ContrastWay(ABC):
    """One way to a difference: which metrics it serves, its drafts, and the covariance of all models' values."""

    counts_differences: ClassVar[bool] = False  # whether its test counts the cases on which models differ itself
    by_resampling: ClassVar[bool] = False

    def __init__(self, family: PairedContrasts) -> None:
        self.family, self.sample, self.design = family, family.sample, family.design

    @abstractmethod
    def serves(self, metric: Metric) -> bool:
        """Return whether this is a way to differences in a metric."""

    def prepare(self, metrics: Sequence[Metric]) -> None:  # noqa: B027  most ways share nothing
        """Compute what the differences in several metrics share."""

    def allows_for_unseen(self, metric: Metric) -> bool:
        """Return whether its limits allow for unseen cases on which the models' labels differ (`unseen_cases`)."""
        return False

    @abstractmethod
    def draft(self, metric: Metric, pair: Pair) -> Draft:
        """Return a difference as if it were the only one."""

    @abstractmethod
    def covariance(self, metric: Metric) -> Array:
        """Return how the values of all models vary together, perhaps only in proportion."""

    def moments(self, metric: Metric, pair: Pair) -> SubgroupMoments:
        """Return the difference with a plain standard error and its degrees of freedom: here by units, groups or cases.

        The smallest class, or all groups, say how many there are.
        """
        units = float(self.sample.n_groups if self.sample.is_clustered else np.min(self.sample.effective_sizes))
        return SubgroupMoments(self._value(metric, pair), self._plain_error(metric, pair), units - 1, units)

    def _plain_error(self, metric: Metric, pair: Pair) -> float:
        return self.family.draft(metric, pair).standard_error

    def _value(self, metric: Metric, pair: Pair) -> float:
        one, other = (self.family.values[metric.name][model] for model in pair)
        return one - other

    def _places(self, pair: Pair) -> list[int]:
        return [self.sample.models.index(model) for model in pair]


class ByLabels(ContrastWay):
    """Shares of right labels, by the cases that only one of the models labels right."""

    counts_differences = True

    def serves(self, metric: Metric) -> bool:
        return self.family.counted and bool(metric.inference.paired)

    def allows_for_unseen(self, metric: Metric) -> bool:
        return True

    def draft(self, metric: Metric, pair: Pair) -> Draft:
        discordant, value = self._discordant(metric, pair), self._value(metric, pair)
        sign = 1.0 if value * (discordant[0] - discordant[1]) >= 0 else -1.0  # rates of wrong labels: the other way

        def ends(level: float) -> Limits:
            low, high = _sorted(*(sign * each for each in bonett_price(*discordant, confidence_level=level)))
            return min(low, value), max(high, value)

        error, p = bonett_price_moments(*discordant)[1], mcnemar_mid_p(*discordant[:2])
        return Draft(value, error, "Bonett-Price, paired", p, "McNemar mid-p", ends)

    def covariance(self, metric: Metric) -> Array:
        """In proportion: which models label the same cases right."""
        weight, right = self._right(metric)
        centred = right - (right @ weight / weight.sum())[:, None]
        return np.asarray(centred * weight @ centred.T)

    def moments(self, metric: Metric, pair: Pair) -> SubgroupMoments:
        only_first, only_second, n = self._discordant(metric, pair)
        mean, apart = (only_first - only_second) / n, only_first + only_second
        error = math.sqrt(max(apart / n - mean**2, 0.0) / (n - 1)) if n > 1 else math.nan
        return SubgroupMoments(self._value(metric, pair), error, n - 1, n)

    def _discordant(self, metric: Metric, pair: Pair) -> tuple[float, float, float]:
        """Cases that only the first, and only the second model labels right, and all cases that count."""
        weight, right = self._right(metric)
        first, second = right[self._places(pair)]
        return float(weight @ (first > second)), float(weight @ (second > first)), float(weight.sum())

    def _right(self, metric: Metric) -> tuple[Array, Array]:
        """Return the weight of each kind of case that counts, and whether each model is right: (models, kinds)."""
        joint_counts = self.sample.joint_counts()
        right = [joint_counts.labelled[model] == joint_counts.is_positive for model in self.sample.models]
        everyone = np.ones(len(joint_counts.weight), dtype=np.bool_)
        of_class = {"positives": joint_counts.is_positive, "negatives": ~joint_counts.is_positive}
        members = of_class.get(metric.inference.paired, everyone)
        return joint_counts.weight * members, np.array(right, dtype=np.float64)


class ByShares(ContrastWay):
    """Proportions whose trials are the cases that a model labels in some way, as predictive values."""

    def serves(self, metric: Metric) -> bool:
        plain = self.family.counted and not self.sample.sampling.fixed_classes
        return plain and metric.of == "counts" and metric.inference.fraction is not None

    def draft(self, metric: Metric, pair: Pair) -> Draft:
        """By both models' own intervals and the cases that are trials of both."""
        shares = self._overlapping(metric, pair)
        value, values = shares.values[0] - shares.values[1], np.array(shares.values)

        def ends(level: float) -> Limits:
            estimates = [
                self.family.estimate_of(metric, model, self.design.with_confidence_level(level)) for model in pair
            ]
            low, high = mover(values, [(estimate.low, estimate.high) for estimate in estimates], shares.correlation())
            return min(low, value), max(high, value)

        error = error_of(*ends(USUAL_LEVEL))
        return Draft(value, error, "MOVER, paired", shares.score_p(), "weighted generalised score", ends)

    def covariance(self, metric: Metric) -> Array:
        """From each case's influence on each model's proportion: success less the proportion, over the trials."""
        weight, success, trial = self._shares(metric)
        trials = trial @ weight
        influence = trial * (success - ratio(success @ weight, trials)[:, None]) / np.maximum(trials, 1.0)[:, None]
        return np.asarray(np.nan_to_num(influence) * weight @ np.nan_to_num(influence).T)

    def moments(self, metric: Metric, pair: Pair) -> SubgroupMoments:
        weight, _, trial = self._shares(metric)
        places = self._places(pair)
        matrix = self.covariance(metric)[np.ix_(places, places)]
        n = float(min(trial[place] @ weight for place in places))
        variance = max(float(np.trace(matrix) - 2 * matrix[0, 1]), 0.0) * n / (n - 1) if n > 1 else math.nan
        return SubgroupMoments(self._value(metric, pair), math.sqrt(variance), n - 1, n)

    def _overlapping(self, metric: Metric, pair: Pair) -> OverlappingProportions:
        weight, success, trial = self._shares(metric)
        one, other = self._places(pair)
        shared = weight * trial[one] * trial[other]
        return OverlappingProportions(
            (float(weight @ success[one]), float(weight @ success[other])),
            (float(weight @ trial[one]), float(weight @ trial[other])),
            float(shared.sum()),
            (float(shared @ success[one]), float(shared @ success[other])),
            float(shared @ (success[one] * success[other])),
        )

    def _shares(self, metric: Metric) -> tuple[Array, Array, Array]:
        """Return each kind's weight, and whether it is a success and a trial of each model: (models, kinds)."""
        assert metric.inference.fraction is not None
        joint_counts, cell = self.sample.joint_counts(), np.eye(4)
        success, trial = metric.inference.fraction(
            Counts.from_validated(tp=cell[0], fp=cell[1], fn=cell[2], tn=cell[3])
        )
        places = [2 * ~joint_counts.labelled[model] + ~joint_counts.is_positive for model in self.sample.models]
        return (
            joint_counts.weight,
            np.array([success[place] for place in places]),
            np.array([trial[place] for place in places]),
        )


class ByInfluence(ContrastWay):
    """By each case's influence on both models: for the AUROC this is DeLong's test."""

    def serves(self, metric: Metric) -> bool:
        return not self.sample.has_units and compares_by_influence(metric)

    def prepare(self, metrics: Sequence[Metric]) -> None:
        self._sums: Mapping[str, InfluenceSums] = influence_sums(metrics, self.sample)

    def draft(self, metric: Metric, pair: Pair) -> Draft:
        root = metric.root
        sums = self._sums[root.of.name].of(self._places(pair))
        value, error, _ = moments(sums)

        def ends(level: float) -> Limits:
            design = self.design.with_confidence_level(level)
            estimates = [self.family.estimate_of(root.of, model, design) for model in pair]
            limits = [(estimate.low, estimate.high) for estimate in estimates]
            low, high = limits_of_difference(sums, design, limits, root.of.range, self._freedom(root.of, sums))
            return _sorted(root.scale * low, root.scale * high)

        words = "sandwich" if self.sample.is_sampled else "DeLong" if is_auroc(metric) else "influence function"
        tested = p_of(value, error), words, ends, self.family.freedom
        return Draft(root.scale * value, abs(root.scale) * error, f"{words}, paired", *tested)

    @staticmethod
    def _freedom(metric: Metric, sums: InfluenceSums) -> float | None:
        """Return infinitely many degrees of freedom for two very good AUROCs; None leaves them to the cases.

        Few cases of very good models are ranked wrongly, and those few make the standard error large just where they
        make a difference. DeLong's test without Student's t then tells equal models apart in at most 5%, whatever the
        classes' sizes (5 to 190; tests/coverage/paired_tests.py), and finds up to twice as many differences.
        """
        return math.inf if is_auroc(metric) and float(np.min(sums.value)) >= _VERY_GOOD else None

    def covariance(self, metric: Metric) -> Array:
        return np.nan_to_num(self._sums[metric.root.of.name].covariance())

    def moments(self, metric: Metric, pair: Pair) -> SubgroupMoments:
        root = metric.root
        sums = self._sums[root.of.name].of(self._places(pair))
        error, size = abs(root.scale) * moments(sums)[1], float(np.min(self.sample.effective_sizes))
        return SubgroupMoments(self._value(metric, pair), error, sums.freedom(), size)


PAIRED_WAYS: tuple[type[ContrastWay], ...] = (ByLabels, ByShares, ByInfluence)
"""The ways that have a formula, of which the first that serves a metric is taken."""


def _sorted(one: float, other: float) -> tuple[float, float]:
    return min(one, other), max(one, other)
