"""Ways to the difference of two models that take whole units: folds, groups left out one by one, or resamples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from unconfuse.metrics import Metric
from unconfuse.metrics.constrained import constraint_of
from unconfuse.table import Array
from unconfuse.uncertainty.bootstrap_intervals import bias_corrected, spread, student_percentile
from unconfuse.uncertainty.clusters import Jackknifed, difference_of
from unconfuse.uncertainty.contrast_ways import ContrastWay
from unconfuse.uncertainty.difference_tests import SMALLEST, bootstrap_p
from unconfuse.uncertainty.folds import corrected_resampled_t
from unconfuse.uncertainty.joint_replicates import replicates, value_of
from unconfuse.uncertainty.proportion_intervals import Interval
from unconfuse.uncertainty.simultaneous import Draft, Limits, Pair, undefined

if TYPE_CHECKING:
    from unconfuse.uncertainty.clustered_metrics import Grouped

_BORDER = 0.1  # below this, 2,000 resamples know a p-value to 15% or worse of itself
_MANY = 40_000  # resamples of patterns of decisions: some 50 ms


class OverFolds(ContrastWay):
    """By the differences of folds: training sets overlap, which the corrected t-test allows for."""

    def serves(self, metric: Metric) -> bool:
        return True

    def prepare(self, metrics: Sequence[Metric]) -> None:
        """Take each model's value in each fold, of which the mean is its value: shape (models, folds)."""
        folds, models = list(self.sample.by_fold().values()), self.sample.models
        self._by_fold = {
            metric.name: np.array([[value_of(metric, part, m) for part in folds] for m in models]) for metric in metrics
        }
        for name, values in self._by_fold.items():
            self.family.values[name] = dict(zip(models, values.mean(axis=1).tolist(), strict=True))

    def draft(self, metric: Metric, pair: Pair) -> Draft:
        one, other = self._by_fold[metric.name][self._places(pair)]
        with np.errstate(invalid="ignore"):  # both may be infinite in a fold
            gaps = one - other
        if not np.isfinite(gaps).all():
            return undefined()
        return corrected_resampled_t(gaps, repeats=len(set(self.sample.repeats.values())) or 1)

    def covariance(self, metric: Metric) -> Array:
        return np.cov(self._by_fold[metric.name])


class ByGroups(ContrastWay):
    """By both models' values without each group; a threshold that the data choose under a constraint jumps."""

    def serves(self, metric: Metric) -> bool:
        return self._grouped is not None and constraint_of(metric) is None

    def allows_for_unseen(self, metric: Metric) -> bool:
        return math.isfinite(metric.range[1] - metric.range[0])  # `Grouped.parts_of_difference`

    @cached_property
    def _grouped(self) -> Grouped | None:
        """Rows in groups, which are left out one by one; sampling weights have multipliers."""
        rows = self.sample.in_memory
        if rows is None or not rows.is_clustered or rows.is_sampled:
            return None
        from unconfuse.uncertainty.clustered_metrics import Grouped  # most cases stand each for itself

        return Grouped(rows if rows.weights is None else rows.taken(np.flatnonzero(rows.weight)), self.design)

    def prepare(self, metrics: Sequence[Metric]) -> None:
        if self._grouped is not None:
            self._without = self._grouped.all_without(metrics)
            self.design.report_finished()

    def draft(self, metric: Metric, pair: Pair) -> Draft:
        assert self._grouped is not None
        one, other = self._without[metric.name][self._places(pair)]
        with np.errstate(invalid="ignore"):
            gaps = one - other
        parts, least = self._grouped.parts_of_difference(metric, pair)
        span, value = metric.range[1] - metric.range[0], self._value(metric, pair)
        difference = difference_of(value, gaps, parts, least=least, span=span)
        if difference.units < 2:
            return undefined(value, f"no interval: all {difference.kind} come from one group")
        return of_jackknife(difference)

    def covariance(self, metric: Metric) -> Array:
        return _covariance_of_columns(self._without[metric.name])


class ByReplicates(ContrastWay):
    """By replicates of the same resamples of both models."""

    by_resampling = True

    def serves(self, metric: Metric) -> bool:
        return True

    def prepare(self, metrics: Sequence[Metric]) -> None:
        self._metrics = metrics
        self._drawn = replicates(metrics, self.sample, self.design)

    def draft(self, metric: Metric, pair: Pair) -> Draft:
        drawn_apart, value = self._apart(self._drawn, metric, pair), self._value(metric, pair)
        constraint = constraint_of(metric)
        strict = "" if constraint is None else constraint.too_strict(self.sample.positives, self.sample.negatives)
        if strict:
            return undefined(value, strict)

        def ends(level: float) -> Limits:
            limits = self._limits(metric, value, drawn_apart, level)
            return float(limits.low), float(limits.high)

        usual = self._limits(metric, value, drawn_apart, self.design.confidence_level)
        method = usual.method.replace("bootstrap", "paired bootstrap")
        p, resamples = bootstrap_p(value, drawn_apart), self.design.n_resamples
        if metric.name in self._finely and p < _BORDER:
            p, resamples = bootstrap_p(value, self._apart(self._finely, metric, pair)), _MANY
        test = f"paired bootstrap, {resamples} resamples"
        return Draft(value, spread(drawn_apart), method, p, test, ends, self.family.freedom)

    def covariance(self, metric: Metric) -> Array:
        return _covariance_of_columns(self._drawn[metric.name])

    def _plain_error(self, metric: Metric, pair: Pair) -> float:
        return spread(self._apart(self._drawn, metric, pair))

    def _apart(self, drawn: Mapping[str, Array], metric: Metric, pair: Pair) -> Array:
        one, other = drawn[metric.name][self._places(pair)]
        with np.errstate(invalid="ignore"):  # both ratios may be infinite
            return np.asarray(one - other)

    def _limits(self, metric: Metric, value: float, drawn: Array, level: float) -> Interval:
        """Percentiles where both thresholds are chosen anew under a constraint: what resamples show as bias is none."""
        sample = self.sample
        if constraint_of(metric) is None:
            return bias_corrected(value, drawn, confidence_level=level)
        units = sample.n_groups - 1 if sample.is_clustered else 2 * min(sample.positives, sample.negatives)
        low, high, method = student_percentile(value, drawn, units, confidence_level=level)
        return Interval(np.minimum(low, value), np.maximum(high, value), method)

    @cached_property
    def _finely(self) -> Mapping[str, Array]:
        """Many more resamples of metrics of decisions, which cost little: a small p-value needs them."""
        if self.sample.has_units or self.design.n_resamples >= _MANY:
            return {}
        needed = [metric for metric in self._metrics if metric.of == "counts"]
        return replicates(needed, self.sample, replace(self.design.without_progress(), n_resamples=_MANY))


def _covariance_of_columns(drawn: Array) -> Array:
    usable = drawn[:, np.isfinite(drawn).all(axis=0)]
    return np.cov(usable) if usable.shape[1] > 1 else np.zeros((len(drawn), len(drawn)))


def of_jackknife(found: Jackknifed) -> Draft:
    """Draft a difference from values without each group, by Student's t."""
    method, p = f"jackknife of whole groups, paired{found.remark}", max(found.p_of_none, SMALLEST)
    return Draft(found.value, found.error, method, p, "jackknife t", found.limits_of_difference)
