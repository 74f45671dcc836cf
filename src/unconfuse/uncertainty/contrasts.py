"""Differences of models on the same cases, each metric's in its own way (`contrast_ways`), all of them held at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from unconfuse._errors import InputError
from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics.influence_functions import quantile
from unconfuse.table import INTERVAL, Array, InMemorySample, Sample, Settings
from unconfuse.uncertainty.contrast_ways import PAIRED_WAYS, ContrastWay
from unconfuse.uncertainty.difference_tests import (
    USUAL_LEVEL,
    Joint,
    bonferroni,
    error_of,
    is_rounding,
    mover,
    p_of,
    possible_limits,
    smallest_p,
)
from unconfuse.uncertainty.engine import estimate
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.joint_replicates import value_of
from unconfuse.uncertainty.method import Method, note_of
from unconfuse.uncertainty.resampled_contrasts import ByGroups, ByReplicates, OverFolds
from unconfuse.uncertainty.simultaneous import (
    ContrastFamily,
    Draft,
    Limits,
    Pair,
    SubgroupMoments,
    joint_of_pairs,
    undefined,
)
from unconfuse.uncertainty.unseen_cases import least_error

_FEWEST = 5.0  # cases of a class: an interval of fewer is MOVER's alone (`limits_of_difference`), which knows their n


class PairedContrasts(ContrastFamily):
    """Differences of models on the same cases; what several metrics share is computed once."""

    def __init__(self, metrics: Sequence[Metric], sample: Sample, pairs: Sequence[Pair], design: Settings, adjust: str):
        sample.sampling.require(INTERVAL)
        if sample.is_clustered and sample.n_groups < 2:
            raise InputError("all cases belong to one group, which does not say how groups differ. Hint: leave it out.")
        self.metrics, self.sample, self.pairs, self.design, self.adjust = metrics, sample, pairs, design, adjust
        self.values = {metric.name: {m: value_of(metric, sample, m) for m in sample.models} for metric in metrics}
        self._estimates: dict[tuple[str, str, float], Estimate] = {}
        self._different: dict[tuple[str, Pair], float] = {}
        self._least: dict[tuple[str, str], float] = {}
        self._drafts: dict[tuple[str, Pair], Draft] = {}
        self._ways = self._chosen()

    def _chosen(self) -> dict[str, ContrastWay]:
        """Return the way to each metric's differences, with what several of them share computed once."""
        ways = [kind(self) for kind in self._kinds()]
        chosen = {metric.name: next(way for way in ways if way.serves(metric)) for metric in self.metrics}
        for way in ways:
            way.prepare([metric for metric in self.metrics if chosen[metric.name] is way])
        return chosen

    def _kinds(self) -> Sequence[type[ContrastWay]]:
        """Return the ways there are, of which the first that serves a metric is taken."""
        if self.sample.has_folds:
            return (OverFolds,)
        if not self.sample.is_multiclass:
            return *PAIRED_WAYS, ByGroups, ByReplicates
        from unconfuse.uncertainty.multiclass_contrasts import MULTICLASS_WAYS  # most questions have two classes

        return MULTICLASS_WAYS

    @property
    def rows(self) -> InMemorySample:
        """The cases of several classes, which are compared row by row."""
        return self.sample.rows_for("comparing several classes")

    def draft(self, metric: Metric, pair: Pair) -> Draft:
        """Return a difference with limits that it can have, and a p-value that so many different cases can give."""
        key = metric.name, pair
        if key not in self._drafts:
            self._drafts[key] = self._possible(metric, pair)
        return self._drafts[key]

    def _possible(self, metric: Metric, pair: Pair) -> Draft:
        found = self._difference(metric, pair)
        low, high = found.limits(self.design.confidence_level)
        spread, values = min(high - low, found.standard_error), self._values(metric, pair)
        if is_rounding(spread, values) and self._differ(metric, pair) > 0:
            found = self._without_spread(metric, pair, found)
        elif math.isnan(spread) and is_rounding(abs(found.value), values):
            found = replace(found, p_value=1.0)
        if metric.of in ("counts", "cells") and not self._ways[metric.name].allows_for_unseen(metric):
            found = self._as_unsure_as_unseen(metric, pair, found)
        made, range = found.ends, metric.range
        least = 0.0 if self._ways[metric.name].counts_differences else self.smallest_p(metric, pair)
        found = replace(found, ends=lambda level: possible_limits(found.value, *made(level), range), _known={})
        if not found.p_value < least:
            return found
        return replace(found, p_value=least, test=f"{found.test}, not below the smallest exchange p-value")

    def _without_spread(self, metric: Metric, pair: Pair, found: Draft) -> Draft:
        """Where all resamples, influences or folds show the same difference: by both models' own intervals.

        Perfect models leave nothing to resample; their errors count as independent, which is on the safe side.
        """
        values = self._values(metric, pair)

        def ends(level: float) -> Limits:
            own = [self.estimate_of(metric, model, self.design.with_confidence_level(level)) for model in pair]
            return mover(np.array(values), [(one.low, one.high) for one in own], 0.0)

        method = "MOVER of both intervals (no spread to resample)"
        error = error_of(*ends(USUAL_LEVEL))
        p = 1.0 if is_rounding(abs(found.value), values) else found.p_value
        return replace(found, ends=ends, standard_error=error, p_value=p, method=method, freedom=math.inf, _known={})

    def _as_unsure_as_unseen(self, metric: Metric, pair: Pair, found: Draft) -> Draft:
        """Return the draft with limits as far apart as two pseudo cases alone would set them (`unseen_cases`)."""
        made, least = found.ends, max(self._least_error(metric, model) for model in pair)
        if math.isnan(found.value) or not least > found.standard_error:
            return found

        def ends(level: float) -> Limits:
            (low, high), reach = made(level), quantile(level) * least
            return min(low, found.value - reach), max(high, found.value + reach)

        note = "; ".join(filter(None, (note_of(found.method), "no narrower than two unseen cases leave it")))
        method = Method(found.method, note)
        return replace(found, ends=ends, standard_error=least, method=method, _known={})

    def _least_error(self, metric: Metric, model: str) -> float:
        if (metric.name, model) not in self._least:
            self._least[metric.name, model] = least_error(metric, self._pooled, model)
        return self._least[metric.name, model]

    def _values(self, metric: Metric, pair: Pair) -> list[float]:
        return [self.values[metric.name][model] for model in pair]

    def smallest_p(self, metric: Metric, pair: Pair) -> float:
        """Return it from the cases on which the models differ."""
        return smallest_p(self._differ(metric, pair))

    def _differ(self, metric: Metric, pair: Pair) -> float:
        """On how many cases the models' labels, ranks or scores differ, whichever the metric looks at."""
        by_rank = metric.of == "ranks" and METRICS.get(metric.name) is metric  # what a user's own looks at is unknown
        what = "labels" if metric.of in ("counts", "cells") else "ranks" if by_rank else "scores"
        if (what, pair) not in self._different:
            self._different[what, pair] = self._pooled.n_different(*pair, what)
        return self._different[what, pair]

    @cached_property
    def _pooled(self) -> Sample:
        """All cases, each once however often it was in a fold."""
        return self.sample.pooled() if self.sample.has_folds else self.sample

    def joint(self, metric: Metric, drafts: Sequence[Draft], *, sides: int = 2) -> Joint:
        """How the differences that have a test vary together; the same in any order of models and of pairs."""
        pairs = [pair for pair, draft in zip(self.pairs, drafts, strict=True) if not math.isnan(draft.p_value)]
        if self.adjust == "holm" or len(pairs) < 2:
            return bonferroni
        models = sorted(self.sample.models)
        rows = [self.sample.models.index(model) for model in models]
        covariance = self._ways[metric.name].covariance(metric)[np.ix_(rows, rows)]

        def of_pairs(turned: Sequence[Pair]) -> Array:
            contrasts = np.array([[float(m == one) - float(m == other) for m in models] for one, other in turned])
            return np.asarray(contrasts @ covariance @ contrasts.T)

        return joint_of_pairs(pairs, of_pairs, self.design.seed, sides=sides)

    def p_far_out(self, metric: Metric, pair: Pair, draft: Draft) -> float:
        """Return the p-value where it may be tiny, which resamples do not reach: by the normal distribution then."""
        if not self._ways[metric.name].by_resampling:
            return draft.p_value
        return max(p_of(draft.value, draft.standard_error), self.smallest_p(metric, pair))

    def moments(self, metric: Metric, pair: Pair) -> SubgroupMoments:
        """Return the difference with a plain standard error and degrees of freedom, by which subgroups are compared."""
        one, other = (self.values[metric.name][model] for model in pair)
        if not np.isfinite(one - other):
            return SubgroupMoments(math.nan, math.nan, math.nan, self.sample.n)
        return self._ways[metric.name].moments(metric, pair)

    def _difference(self, metric: Metric, pair: Pair) -> Draft:
        one, other = (self.values[metric.name][model] for model in pair)
        return self._ways[metric.name].draft(metric, pair) if np.isfinite(one - other) else undefined()

    @property
    def counted(self) -> bool:
        """Whether whole cases were drawn each for itself; a whole weight is their number."""
        sample = self.sample
        return not (sample.is_clustered or sample.is_sampled or sample.has_fractions)

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of the smallest class, for limits that rest on a normal approximation."""
        return max(float(np.min(self.sample.effective_sizes)), _FEWEST) - 1

    def estimate_of(self, metric: Metric, model: str, design: Settings) -> Estimate:
        """One model's own estimate, which all its pairs share."""
        key = metric.name, model, design.confidence_level
        if key not in self._estimates:
            self._estimates[key] = estimate([metric], self.sample, design, model=model)[metric.name]
        return self._estimates[key]
