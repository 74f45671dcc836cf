"""Contrasts: two models on the same cases, two sets of cases that share none, or one model at two prevalences.

Whatever is compared, the engine is the same: decisions by the cases on which only one is right, metrics with an
influence function by the covariance of their influences, everything else by replicates of the same resamples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unconfuse.metrics import Metric
from unconfuse.metrics._definition import Summary
from unconfuse.metrics.influence import is_auroc, quantile
from unconfuse.table import Array, Design, NearSample, Sample
from unconfuse.uncertainty.classes import summary_of, variance_of
from unconfuse.uncertainty.engine import estimate
from unconfuse.uncertainty.methods import compares_by_influence
from unconfuse.uncertainty.replicates import refuse_strata_of_groups, replicates, row_weights, value_of
from unconfuse.uncertainty.resampled import bias_corrected
from unconfuse.uncertainty.significance import (
    Difference,
    InfluenceSums,
    bonett_price,
    bootstrap_p,
    difference,
    holm,
    influence_sums,
    max_t,
    mcnemar_mid_p,
    p_of,
)

Pair = tuple[str, str]


@dataclass(frozen=True)
class Found:
    """A difference of two models in one metric, before it is put into words.

    `inner` are the limits at twice the error: equivalence is shown by two one-sided tests, that is by that interval.
    `adjusted` is the p-value that holds for all pairs at once.
    """

    value: float
    standard_error: float
    low: float
    high: float
    method: str
    p_value: float
    test: str
    inner: tuple[float, float]
    adjusted: float = math.nan


UNDEFINED = Found(math.nan, math.nan, math.nan, math.nan, "", math.nan, "", (math.nan, math.nan))


class Paired:
    """Differences of models on the same cases; what several metrics share is computed once."""

    def __init__(self, metrics: Sequence[Metric], sample: Sample, pairs: Sequence[Pair], design: Design, adjust: str):
        refuse_strata_of_groups(sample, design)
        self.metrics, self.sample, self.pairs, self.design, self.adjust = metrics, sample, pairs, design, adjust
        self.values = {each.name: {m: value_of(each, sample, m) for m in sample.models} for each in metrics}
        self._sums: Mapping[str, InfluenceSums] = {}
        self._drawn: Mapping[str, Array] = {}
        self._known: dict[tuple[str, str], Summary] = {}
        if not sample.several:
            known = [each for each in metrics if self._by_influence(each)]
            self._sums = influence_sums(known, sample, design)
            needed = [each for each in metrics if len(pairs) > 1 or not self._has_formula(each)]
            self._drawn = replicates(needed, sample, design, sums=self._sums)

    def differences(self, metric: Metric) -> list[Found]:
        """Of all pairs in one metric, with p-values that hold for all of them at once."""
        found = [self._difference(metric, pair) for pair in self.pairs]
        known = [place for place, each in enumerate(found) if not math.isnan(each.p_value)]
        if len(known) < 2:
            return [replace(each, adjusted=each.p_value) for each in found]
        p_values = np.array([found[place].p_value for place in known])
        if self.adjust == "holm":
            adjusted = holm(p_values)
        else:
            moved = self._moves(metric, [found[place] for place in known], [self.pairs[place] for place in known])
            adjusted = np.maximum(max_t(np.array([found[place].value for place in known]), moved), p_values)
        for place, p in zip(known, adjusted, strict=True):
            found[place] = replace(found[place], adjusted=float(p))
        return [replace(each, adjusted=each.p_value) if math.isnan(each.adjusted) else each for each in found]

    def _has_formula(self, metric: Metric) -> bool:
        return self._by_influence(metric) or self._by_labels(metric)

    def _by_influence(self, metric: Metric) -> bool:
        return not self.sample.several and not self.sample.has_units and compares_by_influence(metric)

    def _by_labels(self, metric: Metric) -> bool:
        plain = not self.sample.is_clustered and not self.sample.is_weighted
        return plain and bool(metric.paired) and (self.design.is_cohort or not self.sample.several)

    def _difference(self, metric: Metric, pair: Pair) -> Found:
        one, other = (self.values[metric.name][model] for model in pair)
        if not np.isfinite(one - other):
            return UNDEFINED
        if self._by_labels(metric):
            return of_labels(self._discordant(metric, pair), one - other, self.design)
        if self.sample.several:
            return self._of_rows(metric, pair)
        if self._by_influence(metric):
            return self._of_influences(metric, pair)
        return self._of_replicates(metric, pair)

    def _discordant(self, metric: Metric, pair: Pair) -> tuple[float, float, float]:
        """Cases that only the first, and only the second model labels right, and all cases that count."""
        if self.sample.several:
            assert isinstance(self.sample, NearSample)
            first, second = (self.sample.decided[model] == self.sample.truth for model in pair)
            return float((first & ~second).sum()), float((second & ~first).sum()), float(len(first))
        found = self.sample.patterns()
        first, second = (found.labelled[model] == found.is_positive for model in pair)
        everyone = np.ones(len(found.weight), dtype=np.bool_)
        members = {"positives": found.is_positive, "negatives": ~found.is_positive}.get(metric.paired, everyone)
        counted = found.weight * members
        return float(counted @ (first & ~second)), float(counted @ (second & ~first)), float(counted.sum())

    def _of_influences(self, metric: Metric, pair: Pair) -> Found:
        """By each case's influence on both models: for the AUROC this is DeLong's test."""
        root = metric.root
        sums = self._sums[root.of.name].of([self.sample.models.index(each) for each in pair])
        wide, narrow = (self._limits(root.of, sums, pair, design) for design in self._designs())
        ends, inner = (_sorted(root.scale * each.low, root.scale * each.high) for each in (wide, narrow))
        words = "sandwich" if self.sample.is_sampled else "DeLong" if is_auroc(metric) else "influence function"
        value, error = root.scale * wide.value, abs(root.scale) * wide.standard_error
        return Found(value, error, *ends, f"{words}, paired", wide.p_value, words, inner)

    def _limits(self, root: Metric, sums: InfluenceSums, pair: Pair, design: Design) -> Difference:
        own = [estimate([root], self.sample, design, model=model)[root.name] for model in pair]
        return difference(sums, design, [(each.low, each.high) for each in own], root.range)

    def _designs(self) -> tuple[Design, Design]:
        return self.design, self.design.at(twice_the_error(self.design.confidence_level))

    def _of_replicates(self, metric: Metric, pair: Pair) -> Found:
        drawn = self._drawn[metric.name]
        one, other = (self.sample.models.index(each) for each in pair)
        spread, values = drawn[one] - drawn[other], self.values[metric.name]
        value = values[pair[0]] - values[pair[1]]
        wide, narrow = (
            bias_corrected(value, spread, confidence_level=each.confidence_level) for each in self._designs()
        )
        method = wide.method.replace("bootstrap", "paired bootstrap")
        ends, inner = ((float(each.low), float(each.high)) for each in (wide, narrow))
        test = f"paired bootstrap, {self.design.n_resamples} resamples"
        return Found(value, float(np.nanstd(spread)), *ends, method, bootstrap_p(value, spread), test, inner)

    def _of_rows(self, metric: Metric, pair: Pair) -> Found:
        """Several classes: by each row's influence on both models."""
        assert isinstance(self.sample, NearSample)
        one, two = (self._summary(metric, model) for model in pair)
        value = one.value - two.value
        error = float(np.sqrt(variance_of(one.influence - two.influence, self.sample, self.design)))
        wide, narrow = (quantile(each.confidence_level) * error for each in self._designs())
        span = metric.range[1] - metric.range[0]
        ends = (max(value - wide, -span), min(value + wide, span))
        words = "sandwich" if self.sample.is_sampled else "influence function"
        p, inner = p_of(value, error), (value - narrow, value + narrow)
        return Found(value, error, *ends, f"{words}, paired", p, words, inner)

    def _summary(self, metric: Metric, model: str) -> Summary:
        assert isinstance(self.sample, NearSample)
        key = metric.name, model
        if key not in self._known:
            self._known[key] = summary_of(metric, self.sample.only(model))
        return self._known[key]

    def _moves(self, metric: Metric, found: Sequence[Found], pairs: Sequence[Pair]) -> Array:
        """Replicates of all differences from the same resamples, for max-T: shape (pairs, n_resamples)."""
        if not self.sample.several:
            drawn, place = self._drawn[metric.name], self.sample.models.index
            return np.array([drawn[place(one)] - drawn[place(other)] for one, other in pairs])
        assert isinstance(self.sample, NearSample)
        own = {model: np.nan_to_num(self._summary(metric, model).influence) for pair in pairs for model in pair}
        influence = np.column_stack([own[one] - own[other] for one, other in pairs])
        moved = np.concatenate([(w - self.sample.weight) @ influence for w in row_weights(self.sample, self.design)])
        return np.asarray(np.array([each.value for each in found])[:, None] + moved.T)


def of_labels(discordant: tuple[float, float, float], value: float, design: Design) -> Found:
    """Shares of right labels: from the cases that only one of the models labels right."""
    level = design.confidence_level
    wide, narrow = (bonett_price(*discordant, confidence_level=each) for each in (level, twice_the_error(level)))
    sign = 1.0 if value * (discordant[0] - discordant[1]) >= 0 else -1.0  # rates of wrong labels count the other way
    ends, inner = (_sorted(sign * each[0], sign * each[1]) for each in (wide, narrow))
    ends, error = (min(ends[0], value), max(ends[1], value)), (wide[1] - wide[0]) / (2 * quantile(level))
    p = mcnemar_mid_p(*discordant[:2])
    return Found(value, error, *ends, "Bonett-Price, paired", p, "McNemar mid-p", inner)


def _sorted(one: float, other: float) -> tuple[float, float]:
    return min(one, other), max(one, other)


def twice_the_error(confidence_level: float) -> float:
    """Equivalence is shown by two one-sided tests, that is by the interval with twice the error."""
    return 1 - 2 * (1 - confidence_level)
