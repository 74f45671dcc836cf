"""Ways to the difference of two models of several classes: by each row's influence on both, or by right labels.

Summaries of decisions are tested by exchanging the two models' predictions case by case: if both models are alike,
which of them made which of two predictions of a case is chance. Only cases on which they differ count; all exchanges
are weighed exactly where they are few. It needs no variance, which rare classes hide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property, partial
from itertools import product
from math import comb

import numpy as np

from unconfuse._scipy_special import stdtr, stdtrit
from unconfuse.metrics import Metric
from unconfuse.metrics._metric import InfluenceSummary
from unconfuse.metrics.influence_functions import quantile
from unconfuse.table import Array, Codes, ConfusionCells, InMemorySample
from unconfuse.table.counts import counted_by
from unconfuse.uncertainty.contrast_ways import ByLabels, ContrastWay
from unconfuse.uncertainty.difference_tests import SMALLEST, p_of
from unconfuse.uncertainty.multiclass_limits import summary_of, variance_of
from unconfuse.uncertainty.resampled_contrasts import of_jackknife
from unconfuse.uncertainty.simultaneous import Draft, Limits, Pair, SubgroupMoments

_EXACT = 4096  # exchanges up to which all are weighed: twelve cases that differ, or more of few kinds
_DRAWS = 4000  # else: a p-value of .05 is then known to .0034
_AT_ONCE = 2_000_000  # cells held at a time
_ROUNDING = 1e-12


class ByClassLabels(ByLabels):
    """The share of right labels among several classes; where a study chose the classes, it is no share of all cases."""

    def serves(self, metric: Metric) -> bool:
        return super().serves(metric) and not self.sample.sampling.fixed_classes

    def _right(self, metric: Metric) -> tuple[Array, Array]:
        rows = self.family.rows
        right = [rows.decided[model] == rows.truth for model in rows.models]
        return rows.weight, np.array(right, dtype=np.float64)


class ByRows(ContrastWay):
    """By each row's influence on both models."""

    def serves(self, metric: Metric) -> bool:
        return True

    def allows_for_unseen(self, metric: Metric) -> bool:
        """Return whether groups are left out one by one, which adds half a case (`difference_of_groups`)."""
        by_groups = self.sample.is_clustered and not self.sample.is_sampled
        return by_groups and math.isfinite(metric.range[1] - metric.range[0])

    def draft(self, metric: Metric, pair: Pair) -> Draft:
        rows = self.family.rows
        influence_summary, two = (self._summary(metric, model) for model in pair)
        if rows.is_clustered and not rows.is_sampled:
            from unconfuse.uncertainty.multiclass_clusters import (
                difference_of_groups,  # most cases stand for themselves
            )

            return of_jackknife(difference_of_groups(metric, influence_summary, two, rows))
        value = influence_summary.value - two.value
        if metric.of == "rows" and _means_over_classes(metric):
            from unconfuse.uncertainty.rare_classes import has_rare_class

            if has_rare_class(rows):
                rare = _of_rare_classes(value, influence_summary.influence - two.influence, rows)
                if rare.standard_error > 0:  # without any spread the usual floor of the p-value holds
                    return rare
        error = float(np.sqrt(variance_of(influence_summary.influence - two.influence, rows)))

        def ends(level: float) -> Limits:
            reach = quantile(level) * error
            return value - reach, value + reach

        words = "sandwich" if rows.is_sampled else "influence function"
        p, test = p_of(value, error), words
        if metric.of == "cells" and self.family.counted:
            p, test = exchange_p(metric, rows, pair, self.design.seed), "exchange of predictions"
        return Draft(value, error, f"{words}, paired", p, test, ends, self.family.freedom)

    def covariance(self, metric: Metric) -> Array:
        """From variances of sums and differences of the models' influences."""
        own = [np.nan_to_num(self._summary(metric, model).influence) for model in self.sample.models]
        variance = partial(variance_of, rows=self.family.rows)
        return np.array([[(variance(one + two) - variance(one - two)) / 4 for two in own] for one in own])

    def moments(self, metric: Metric, pair: Pair) -> SubgroupMoments:
        """Satterthwaite's degrees of freedom over the classes, of which each knows its own spread."""
        if self.sample.is_clustered:
            return super().moments(metric, pair)
        rows = self.family.rows
        one, two = (self._summary(metric, model).influence for model in pair)
        variance = variance_of(one - two, rows)
        size, excess = rows.effective_sizes, 0.0
        for k in np.flatnonzero(size > 1):
            held = rows.truth == k
            weight, own = rows.weight[held], (one - two)[held]
            squares = float(weight @ (own - weight @ own / weight.sum()) ** 2)
            excess += (squares * size[k] / (size[k] - 1)) ** 2 / (size[k] - 1)
        smallest = float(size[size > 0].min())
        freedom = variance**2 / excess if excess > 0 else smallest - 1
        return SubgroupMoments(self._value(metric, pair), float(np.sqrt(variance)), freedom, smallest)

    def _summary(self, metric: Metric, model: str) -> InfluenceSummary:
        key = metric.name, model
        if key not in self._known:
            self._known[key] = summary_of(metric, self.family.rows.select_model(model))
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[str, str], InfluenceSummary]:
        return {}


MULTICLASS_WAYS = (ByClassLabels, ByRows)
"""Of several classes: the first that serves a metric is taken."""


def _means_over_classes(metric: Metric) -> bool:
    """Whether each class counts the same, and so a rare one as much as any."""
    average = metric.inference.average
    return metric.name == "auroc_hand_till" or (average is not None and average.kind == "macro")


def _of_rare_classes(value: float, influence: Array, rows: InMemorySample) -> Draft:
    """Draft a difference that may rest on a few cases of one class: Student's t with the freedom that these leave."""
    from unconfuse.uncertainty.rare_classes import variance_of_difference

    variance, freedom = variance_of_difference(influence, rows)
    error = float(np.sqrt(variance))

    def ends(level: float) -> Limits:
        reach = float(stdtrit(freedom, (1 + level) / 2)) * error
        return value - reach, value + reach

    p = 1.0 if error == 0 else max(float(2 * stdtr(freedom, -abs(value) / error)), SMALLEST)
    return Draft(value, error, "influence function by class, paired", p, "Welch-Satterthwaite t", ends)


def exchange_p(metric: Metric, rows: InMemorySample, pair: tuple[str, str], seed: int = 0) -> float:
    """Return the two-sided p-value of equal models in a metric of decisions.

    >>> from unconfuse.metrics import find_metric
    >>> truth, first, second = (np.array(each) for each in ([0, 0, 1, 1, 2], [0, 0, 1, 1, 2], [0, 1, 1, 0, 1]))
    >>> words = {"scores": {}, "classes": ("x", "y", "z"), "is_multiclass": True}
    >>> rows = InMemorySample(truth=truth, decided={"a": first, "b": second}, **words)
    >>> exchange_p(find_metric("f1_macro", several=True), rows, ("a", "b"))
    0.25
    """
    k, weight = rows.n_classes, rows.weight
    one, other = (rows.decided[model].astype(np.int64) for model in sorted(pair))  # the same draws either way round
    truth = rows.truth.astype(np.int64)
    differ = np.flatnonzero((one != other) & (weight > 0))
    if not len(differ):
        return 1.0
    kinds, place = np.unique((truth * k + one)[differ] * k + other[differ], return_inverse=True)
    times = counted_by(place, weight[differ], len(kinds))
    whole = np.unique(np.concatenate([truth * k + one, truth * k + other]))
    base = [counted_by(np.searchsorted(whole, truth * k + each), weight, len(whole)) for each in (one, other)]
    of_kind = kinds // (k * k) * k
    from_cell, to_cell = (np.searchsorted(whole, of_kind + label) for label in (kinds // k % k, kinds % k))
    apart, shares = [], []
    for exchanged, share in _exchanges(times, seed, max(1, _AT_ONCE // max(len(kinds), len(whole)))):
        moved = _moved(exchanged, from_cell, to_cell, len(whole))
        values = [_value(metric, whole, count, k) for count in (base[0] + moved, base[1] - moved)]
        apart.append(values[0] - values[1])
        if share is not None:
            shares.append(share)
    seen = abs(float(_value(metric, whole, base[0], k)) - float(_value(metric, whole, base[1], k)))
    found = np.abs(np.concatenate(apart))
    extreme = ~(found < seen - _ROUNDING)  # what is undefined counts against a difference
    if shares:
        return float(min(np.concatenate(shares)[extreme].sum(), 1.0))
    return float((1 + np.count_nonzero(extreme)) / (1 + len(extreme)))


def _moved(exchanged: Array, from_cell: Codes, to_cell: Codes, cells: int) -> Array:
    """Return how many cases each exchange of predictions takes from and adds to each cell: shape (exchanges, cells)."""
    start = np.arange(len(exchanged))[:, None] * cells
    taken, added = (
        np.bincount((start + place).ravel(), exchanged.ravel(), len(exchanged) * cells)
        for place in (from_cell, to_cell)
    )
    return np.asarray(added - taken).reshape(len(exchanged), cells)


def _value(metric: Metric, cells: Codes, count: Array, k: int) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(metric(ConfusionCells(cells // k, cells % k, count, k)))


def _exchanges(times: Array, seed: int, at_once: int) -> Iterator[tuple[Array, Array | None]]:
    """How many cases of each kind are exchanged, so many ways at a time: all with their probabilities, or draws."""
    sizes = times.round().astype(np.int64)
    with np.errstate(over="ignore"):
        few = np.prod(sizes + 1.0) <= _EXACT
    if few:
        ways = np.array(list(product(*(range(size + 1) for size in sizes))), dtype=np.float64)
        chances = [np.array([comb(int(size), j) / 2.0 ** int(size) for j in range(size + 1)]) for size in sizes]
        share = np.ones(len(ways))
        for column, chance in enumerate(chances):
            share *= chance[ways[:, column].astype(np.int64)]
        for first in range(0, len(ways), at_once):
            yield ways[first : first + at_once], share[first : first + at_once]
        return
    generator = np.random.default_rng(seed)
    for first in range(0, _DRAWS, at_once):
        drawn = generator.binomial(sizes, 0.5, (min(at_once, _DRAWS - first), len(sizes)))
        yield drawn.astype(np.float64), None
