"""Contrasts: two models on the same cases, two sets of cases that share none, or one model at two prevalences.

Whatever is compared, the engine is the same: decisions by the cases on which only one is right, metrics with an
influence function by the covariance of their influences, everything else by replicates of the same resamples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from unconfuse._errors import InputError
from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics._definition import Summary, ratio
from unconfuse.metrics.constrained import constraint_of
from unconfuse.metrics.influence import is_auroc, quantile
from unconfuse.table import Array, Counts, Design, NearSample, Sample
from unconfuse.uncertainty.class_limits import summary_of, variance_of
from unconfuse.uncertainty.closed_form import NamedLimits
from unconfuse.uncertainty.clusters import Jackknifed, difference_of
from unconfuse.uncertainty.engine import estimate
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.folds import corrected_resampled_t
from unconfuse.uncertainty.methods import compares_by_influence
from unconfuse.uncertainty.replicates import refuse_strata_of_groups, replicates, value_of
from unconfuse.uncertainty.resampled import bias_corrected, spread, student_percentile
from unconfuse.uncertainty.significance import (
    SMALLEST,
    Difference,
    InfluenceSums,
    Joint,
    Overlapping,
    bonett_price,
    bonett_price_moments,
    bonferroni,
    bootstrap_p,
    correlated,
    correlation_of,
    difference,
    has_no_width,
    influence_sums,
    mcnemar_mid_p,
    mover,
    p_of,
    possible_limits,
    smallest_p,
    stepped_down,
)

if TYPE_CHECKING:
    from unconfuse.uncertainty.grouped import Grouped

Pair = tuple[str, str]
_BORDER = 0.1  # below this, 2,000 resamples know a p-value to 15% or worse of itself
_HALVINGS = 12  # of the way to a p-value: it is known to the third digit
USUAL_LEVEL = 0.95  # at which intervals without a standard error of their own say what it is
_MANY = 40_000  # resamples of patterns of decisions: some 50 ms


@dataclass(frozen=True)
class Found:
    """A difference of two models in one metric, before it is put into words.

    `inner` are the limits at twice the error: equivalence is shown by two one-sided tests, that is by that interval.
    `adjusted` is the p-value that holds for all pairs at once, `level` that of the interval which goes with it.
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
    level: float = 0.95


UNDEFINED = Found(math.nan, math.nan, math.nan, math.nan, "", math.nan, "", (math.nan, math.nan))


class Paired:
    """Differences of models on the same cases; what several metrics share is computed once."""

    def __init__(self, metrics: Sequence[Metric], sample: Sample, pairs: Sequence[Pair], design: Design, adjust: str):
        refuse_strata_of_groups(sample, design)
        if sample.is_clustered and sample.n_groups < 2:
            raise InputError("all cases belong to one group, which does not say how groups differ. Hint: leave it out.")
        self.metrics, self.sample, self.pairs, self.design, self.adjust = metrics, sample, pairs, design, adjust
        self.values = {each.name: {m: value_of(each, sample, m) for m in sample.models} for each in metrics}
        self._by_fold: dict[str, Array] = {}
        self._sums: Mapping[str, InfluenceSums] = {}
        self._drawn: Mapping[str, Array] = {}
        self._without: Mapping[str, Array] = {}
        self._known: dict[tuple[str, str], Summary] = {}
        self._estimates: dict[tuple[str, str, float], Estimate] = {}
        self._different: dict[tuple[str, Pair], float] = {}
        if sample.has_folds:
            self._over_folds()
        elif not sample.several:
            known = [each for each in metrics if self._by_influence(each)]
            self._sums = influence_sums(known, sample, design)
            if self._grouped is not None:
                self._without = self._grouped.all_without([each for each in metrics if constraint_of(each) is None])
                design.finished()
            needed = [each for each in metrics if not self._has_formula(each)]
            self._drawn = replicates(needed, sample, design)

    @cached_property
    def _grouped(self) -> Grouped | None:
        """Rows in groups, which are left out one by one; sampling weights have multipliers."""
        rows = self.sample
        if rows.several or not rows.is_clustered or rows.is_sampled or not isinstance(rows, NearSample):
            return None
        from unconfuse.uncertainty.grouped import Grouped  # most cases stand each for itself

        return Grouped(rows if rows.weights is None else rows.taken(np.flatnonzero(rows.weight)), self.design)

    def _over_folds(self) -> None:
        """Each model's value in each fold, of which the mean is its value: shape (models, folds)."""
        folds, models = list(self.sample.fold_parts().values()), self.sample.models
        for each in self.metrics:
            self._by_fold[each.name] = np.array([[value_of(each, part, m) for part in folds] for m in models])
            self.values[each.name] = dict(zip(models, self._by_fold[each.name].mean(axis=1).tolist(), strict=True))

    def _of_folds(self, metric: Metric, pair: Pair, design: Design) -> Found:
        """By the differences of folds: training sets overlap, which the corrected t-test allows for."""
        one, other = (self._by_fold[metric.name][self.sample.models.index(each)] for each in pair)
        with np.errstate(invalid="ignore"):  # both may be infinite in a fold
            gaps = one - other
        if not np.isfinite(gaps).all():
            return UNDEFINED
        repeats = len(set(self.sample.repeats.values())) or 1
        found = corrected_resampled_t(gaps, repeats=repeats)
        ends, inner = (found.limits(each.confidence_level) for each in _designs(design))
        method = f"corrected resampled t, {len(one)} folds"
        return Found(found.difference, found.standard_error, *ends, method, found.p_value, method, inner)

    def differences(self, metric: Metric) -> list[Found]:
        """Of all pairs in one metric, with p-values and intervals that hold for all of them at once."""
        found = [self._agreeing(metric, pair, self.design) for pair in self.pairs]
        known = [place for place, each in enumerate(found) if not math.isnan(each.p_value)]
        if len(known) < 2:
            return [replace(each, adjusted=each.p_value, level=self.design.confidence_level) for each in found]
        joint = bonferroni if self.adjust == "holm" else self._joint(metric, [self.pairs[place] for place in known])
        for _ in range(len(known) + 1):  # an interval at its own level may raise a p-value, and with it others
            p_values = np.array([found[place].p_value for place in known])
            raised, errors = stepped_down(p_values, 1 - self.design.confidence_level, joint)
            for place, p, error in zip(known, raised, errors, strict=True):
                own = self._agreeing(metric, self.pairs[place], self.design.at(1 - float(error)))
                surest = max(own.p_value, found[place].p_value)
                found[place] = replace(own, p_value=surest, adjusted=float(p), level=1 - float(error))
            if all(found[place].p_value == p for place, p in zip(known, p_values, strict=True)):
                break
        return found

    def _agreeing(self, metric: Metric, pair: Pair, design: Design) -> Found:
        """A difference whose interval and p-value agree on whether it may be 0: where they do not, neither excludes it.

        Tests and intervals of small classes rest on different approximations. A p-value that is too sure becomes the
        error at which the interval reaches 0; an interval that is too sure reaches as far as 0.
        """
        found, error = self._possible(metric, pair, design), 1 - design.confidence_level
        if math.isnan(found.p_value) or math.isnan(found.low):
            return found
        if found.low <= 0 <= found.high and found.p_value <= error:
            p = error_that_excludes(lambda each: self._possible(metric, pair, design.at(1 - each)), error)
            return replace(found, p_value=p, test=f"{found.method}: the error at which the interval reaches 0")
        if found.p_value > error:
            return replace(found, low=min(found.low, 0.0), high=max(found.high, 0.0))
        return found

    def _possible(self, metric: Metric, pair: Pair, design: Design) -> Found:
        """A difference with limits that it can have, and a p-value that so many different cases can give."""
        found = (self._of_folds if self._by_fold else self._difference)(metric, pair, design)
        if has_no_width(found.value, found.low, found.high):
            found = self._without_spread(metric, pair, design, found)
        ends, inner = (
            possible_limits(found.value, *each, metric.range) for each in ((found.low, found.high), found.inner)
        )
        found = replace(found, low=ends[0], high=ends[1], inner=inner)
        least = 0.0 if self._by_labels(metric) and not self._by_fold else self._smallest_p(metric, pair)
        if not found.p_value < least:  # McNemar's test counts these cases itself
            return found
        return replace(found, p_value=least, test=f"{found.test}, not below the smallest exchange p-value")

    def _without_spread(self, metric: Metric, pair: Pair, design: Design, found: Found) -> Found:
        """Where all resamples, influences or folds show the same difference: by both models' own intervals.

        Perfect models leave nothing to resample; their errors count as independent, which is on the safe side.
        """
        values, ends = np.array([self.values[metric.name][model] for model in pair]), []
        for each in (*_designs(design), design.at(USUAL_LEVEL)):
            own = [self._estimate(metric, model, each) for model in pair]
            ends.append(mover(values, [(one.low, one.high) for one in own], 0.0))
        wide, inner, usual = ends
        method = "MOVER of both intervals (no spread to resample)"
        return replace(found, low=wide[0], high=wide[1], inner=inner, standard_error=error_of(*usual), method=method)

    def _smallest_p(self, metric: Metric, pair: Pair) -> float:
        """From the cases whose labels, ranks or scores differ, whichever the metric looks at."""
        by_rank = metric.of == "ranks" and METRICS.get(metric.name) is metric  # what a user's own looks at is unknown
        what = "labels" if metric.of in ("counts", "cells") else "ranks" if by_rank else "scores"
        if (what, pair) not in self._different:
            self._different[what, pair] = self._pooled.n_different(*pair, what)
        return smallest_p(self._different[what, pair])

    @cached_property
    def _pooled(self) -> Sample:
        """All cases, each once however often it was in a fold."""
        return self.sample.pooled() if self.sample.has_folds else self.sample

    def _joint(self, metric: Metric, pairs: Sequence[Pair]) -> Joint:
        """How all differences vary together; the same in any order of models and of pairs."""
        models = sorted(self.sample.models)
        contrasts = np.array(
            [[float(m == one) - float(m == other) for m in models] for one, other in map(sorted, pairs)]
        )
        order = sorted(range(len(pairs)), key=lambda place: sorted(pairs[place]))
        rows = [self.sample.models.index(model) for model in models]
        covariance = self._covariance(metric)[np.ix_(rows, rows)]
        joint = correlated(correlation_of(contrasts[order] @ covariance @ contrasts[order].T), self.design.seed)
        return lambda p, among: joint(p, np.sort(np.argsort(order)[among]))

    def _covariance(self, metric: Metric) -> Array:
        """Of all models' values: by a formula, or of the folds or replicates."""
        if self._by_fold:
            return np.cov(self._by_fold[metric.name])
        if self._by_labels(metric):
            return self._covariance_of_labels(metric)
        if self._by_shares(metric):
            return self._covariance_of_shares(metric)
        if self.sample.several:
            return self._covariance_of_rows(metric)
        if self._by_influence(metric):
            return np.nan_to_num(self._sums[metric.root.of.name].covariance(self.design))
        drawn = self._drawn[metric.name] if self._by_replicates(metric) else self._without[metric.name]
        usable = drawn[:, np.isfinite(drawn).all(axis=0)]
        return np.cov(usable) if usable.shape[1] > 1 else np.zeros((len(drawn), len(drawn)))

    def _covariance_of_labels(self, metric: Metric) -> Array:
        """In proportion: which models label the same cases right."""
        weight, right = self._right(metric)
        centred = right - (right @ weight / weight.sum())[:, None]
        return np.asarray(centred * weight @ centred.T)

    def _covariance_of_shares(self, metric: Metric) -> Array:
        """From each case's influence on each model's proportion: success less the proportion, over the trials."""
        weight, success, trial = self._shares(metric)
        trials = trial @ weight
        influence = trial * (success - ratio(success @ weight, trials)[:, None]) / np.maximum(trials, 1.0)[:, None]
        return np.asarray(np.nan_to_num(influence) * weight @ np.nan_to_num(influence).T)

    def _covariance_of_rows(self, metric: Metric) -> Array:
        """From variances of sums and differences of the models' influences."""
        assert isinstance(self.sample, NearSample)
        own = [np.nan_to_num(self._summary(metric, model).influence) for model in self.sample.models]
        variance = partial(variance_of, rows=self.sample, design=self.design)
        return np.array([[(variance(one + two) - variance(one - two)) / 4 for two in own] for one in own])

    def _has_formula(self, metric: Metric) -> bool:
        by_cases = self._by_influence(metric) or self._by_labels(metric) or self._by_shares(metric)
        return by_cases or not self._by_replicates(metric)

    def _by_replicates(self, metric: Metric) -> bool:
        """Groups are left out one by one, but a threshold that the data choose jumps: its groups are resampled."""
        return self._grouped is None or constraint_of(metric) is not None

    def _by_influence(self, metric: Metric) -> bool:
        return not self.sample.several and not self.sample.has_units and compares_by_influence(metric)

    def _by_labels(self, metric: Metric) -> bool:
        return self._counted and bool(metric.inference.paired) and (self.design.is_cohort or not self.sample.several)

    @property
    def _counted(self) -> bool:
        """Whether whole cases were drawn each for itself; a whole weight is their number."""
        sample = self.sample
        return not (sample.is_clustered or sample.is_sampled or sample.has_fractions)

    def _by_shares(self, metric: Metric) -> bool:
        """Proportions whose trials are the cases that a model labels in some way, as predictive values."""
        plain = self._counted and self.design.is_cohort and not self.sample.several
        return plain and metric.of == "counts" and metric.inference.fraction is not None

    def _difference(self, metric: Metric, pair: Pair, design: Design) -> Found:
        one, other = (self.values[metric.name][model] for model in pair)
        if not np.isfinite(one - other):
            return UNDEFINED
        if self._by_labels(metric):
            return of_labels(self._discordant(metric, pair), one - other, design)
        if self._by_shares(metric):
            return self._of_shares(metric, pair, design)
        if self.sample.several:
            return self._of_rows(metric, pair, design)
        if self._by_influence(metric):
            return self._of_influences(metric, pair, design)
        return (self._of_replicates if self._by_replicates(metric) else self._of_groups)(metric, pair, design)

    def _discordant(self, metric: Metric, pair: Pair) -> tuple[float, float, float]:
        """Cases that only the first, and only the second model labels right, and all cases that count."""
        weight, right = self._right(metric)
        first, second = (right[self.sample.models.index(model)] for model in pair)
        return float(weight @ (first > second)), float(weight @ (second > first)), float(weight.sum())

    def _right(self, metric: Metric) -> tuple[Array, Array]:
        """The weight of each kind of cases that count, and whether each model labels them right: (models, kinds)."""
        if self.sample.several:
            assert isinstance(self.sample, NearSample)
            right = [self.sample.decided[model] == self.sample.truth for model in self.sample.models]
            return self.sample.weight, np.array(right, dtype=np.float64)
        found = self.sample.patterns()
        right = [found.labelled[model] == found.is_positive for model in self.sample.models]
        everyone = np.ones(len(found.weight), dtype=np.bool_)
        of_class = {"positives": found.is_positive, "negatives": ~found.is_positive}
        members = of_class.get(metric.inference.paired, everyone)
        return found.weight * members, np.array(right, dtype=np.float64)

    def _of_shares(self, metric: Metric, pair: Pair, design: Design) -> Found:
        """By both models' own intervals and the cases that are trials of both."""
        shares = self._overlapping(metric, pair)
        value, values = shares.values[0] - shares.values[1], np.array(shares.values)
        ends = []
        for each in (*_designs(design), design.at(USUAL_LEVEL)):
            own = [self._estimate(metric, model, each) for model in pair]
            low, high = mover(values, [(one.low, one.high) for one in own], shares.correlation())
            ends.append((min(low, value), max(high, value)))
        p, test = shares.score_p(), "weighted generalised score"
        return Found(value, error_of(*ends[2]), *ends[0], "MOVER, paired", p, test, ends[1])

    def _overlapping(self, metric: Metric, pair: Pair) -> Overlapping:
        weight, success, trial = self._shares(metric)
        one, other = (self.sample.models.index(model) for model in pair)
        shared = weight * trial[one] * trial[other]
        return Overlapping(
            (float(weight @ success[one]), float(weight @ success[other])),
            (float(weight @ trial[one]), float(weight @ trial[other])),
            float(shared.sum()),
            (float(shared @ success[one]), float(shared @ success[other])),
            float(shared @ (success[one] * success[other])),
        )

    def _shares(self, metric: Metric) -> tuple[Array, Array, Array]:
        """The weight of each kind of cases, and whether it is a success and a trial of each model: (models, kinds)."""
        assert metric.inference.fraction is not None
        found, cell = self.sample.patterns(), np.eye(4)
        success, trial = metric.inference.fraction(Counts.trusted(tp=cell[0], fp=cell[1], fn=cell[2], tn=cell[3]))
        places = [2 * ~found.labelled[model] + ~found.is_positive for model in self.sample.models]
        return found.weight, np.array([success[each] for each in places]), np.array([trial[each] for each in places])

    def _of_influences(self, metric: Metric, pair: Pair, design: Design) -> Found:
        """By each case's influence on both models: for the AUROC this is DeLong's test."""
        root = metric.root
        sums = self._sums[root.of.name].of([self.sample.models.index(each) for each in pair])
        wide, narrow = (self._limits(root.of, sums, pair, each) for each in _designs(design))
        ends, inner = (_sorted(root.scale * each.low, root.scale * each.high) for each in (wide, narrow))
        words = "sandwich" if self.sample.is_sampled else "DeLong" if is_auroc(metric) else "influence function"
        value, error = root.scale * wide.value, abs(root.scale) * wide.standard_error
        return Found(value, error, *ends, f"{words}, paired", wide.p_value, words, inner)

    def _limits(self, root: Metric, sums: InfluenceSums, pair: Pair, design: Design) -> Difference:
        own = [self._estimate(root, model, design) for model in pair]
        return difference(sums, design, [(each.low, each.high) for each in own], root.range)

    def _estimate(self, metric: Metric, model: str, design: Design) -> Estimate:
        """One model's own, which all its pairs share."""
        key = metric.name, model, design.confidence_level
        if key not in self._estimates:
            self._estimates[key] = estimate([metric], self.sample, design, model=model)[metric.name]
        return self._estimates[key]

    def _of_groups(self, metric: Metric, pair: Pair, design: Design) -> Found:
        """By both models' values without each group."""
        assert self._grouped is not None
        values, without = self.values[metric.name], self._without[metric.name]
        one, other = (self.sample.models.index(each) for each in pair)
        with np.errstate(invalid="ignore"):
            gaps = without[one] - without[other]
        parts, least = self._grouped.parts_of_difference(metric, pair)
        span, value = metric.range[1] - metric.range[0], values[pair[0]] - values[pair[1]]
        found = difference_of(value, gaps, parts, least=least, span=span)
        if found.units < 2:
            return replace(UNDEFINED, value=value, method=f"no interval: all {found.kind} come from one group")
        return _of_jackknife(found, design)

    def _of_replicates(self, metric: Metric, pair: Pair, design: Design) -> Found:
        drawn = self._drawn[metric.name]
        one, other = (self.sample.models.index(each) for each in pair)
        drawn_apart, values = drawn[one] - drawn[other], self.values[metric.name]
        value, constraint = values[pair[0]] - values[pair[1]], constraint_of(metric)
        strict = "" if constraint is None else constraint.too_strict(self.sample.positives, self.sample.negatives)
        if strict:
            return replace(UNDEFINED, value=value, method=strict)
        wide, narrow = (self._limits_of_drawn(metric, value, drawn_apart, each) for each in _designs(design))
        method = wide.method.replace("bootstrap", "paired bootstrap")
        ends, inner = ((float(each.low), float(each.high)) for each in (wide, narrow))
        p, resamples = bootstrap_p(value, drawn_apart), self.design.n_resamples
        if metric.name in self._finely and p < _BORDER:
            drawn, resamples = self._finely[metric.name], _MANY
            p = bootstrap_p(value, drawn[one] - drawn[other])
        test = f"paired bootstrap, {resamples} resamples"
        return Found(value, spread(drawn_apart), *ends, method, p, test, inner)

    def _limits_of_drawn(self, metric: Metric, value: float, drawn: Array, design: Design) -> NamedLimits:
        """Percentiles where both thresholds are chosen anew under a constraint: what resamples show as bias is none."""
        level, sample = design.confidence_level, self.sample
        if constraint_of(metric) is None:
            return bias_corrected(value, drawn, confidence_level=level)
        units = sample.n_groups - 1 if sample.is_clustered else 2 * min(sample.positives, sample.negatives)
        low, high, method = student_percentile(value, drawn, units, confidence_level=level)
        return NamedLimits(np.minimum(low, value), np.maximum(high, value), method)

    @cached_property
    def _finely(self) -> Mapping[str, Array]:
        """Many more resamples of metrics of decisions, which cost little: a small p-value needs them."""
        if self.sample.has_units or self.design.n_resamples >= _MANY:
            return {}
        needed = [each for each in self.metrics if each.of == "counts" and not self._has_formula(each)]
        return replicates(needed, self.sample, replace(self.design.quietly(), n_resamples=_MANY))

    def _of_rows(self, metric: Metric, pair: Pair, design: Design) -> Found:
        """Several classes: by each row's influence on both models."""
        assert isinstance(self.sample, NearSample)
        one, two = (self._summary(metric, model) for model in pair)
        if self.sample.is_clustered and not self.sample.is_sampled:
            from unconfuse.uncertainty.class_groups import difference_of_groups  # most cases stand each for itself

            return _of_jackknife(difference_of_groups(metric, one, two, self.sample), design)
        value = one.value - two.value
        error = float(np.sqrt(variance_of(one.influence - two.influence, self.sample, design)))
        wide, narrow = (quantile(each.confidence_level) * error for each in _designs(design))
        ends, inner = (value - wide, value + wide), (value - narrow, value + narrow)
        words = "sandwich" if self.sample.is_sampled else "influence function"
        return Found(value, error, *ends, f"{words}, paired", p_of(value, error), words, inner)

    def _summary(self, metric: Metric, model: str) -> Summary:
        assert isinstance(self.sample, NearSample)
        key = metric.name, model
        if key not in self._known:
            self._known[key] = summary_of(metric, self.sample.only(model))
        return self._known[key]


def _of_jackknife(found: Jackknifed, design: Design) -> Found:
    """A difference from values without each group."""
    ends, inner = (found.limits_of_difference(each.confidence_level) for each in _designs(design))
    method = f"jackknife of whole groups, paired{found.remark}"
    return Found(found.value, found.error, *ends, method, max(found.p_of_none, SMALLEST), "jackknife t", inner)


def error_that_excludes(made: Callable[[float], Found], least: float) -> float:
    """The smallest error, above one that does not do, at which an interval does not hold 0."""
    most = 1.0
    for _ in range(_HALVINGS):
        middle = (least + most) / 2
        found = made(middle)
        least, most = (middle, most) if found.low <= 0 <= found.high else (least, middle)
    return most


def of_labels(discordant: tuple[float, float, float], value: float, design: Design) -> Found:
    """Shares of right labels: from the cases that only one of the models labels right."""
    level = design.confidence_level
    wide, narrow = (bonett_price(*discordant, confidence_level=each) for each in (level, twice_the_error(level)))
    sign = 1.0 if value * (discordant[0] - discordant[1]) >= 0 else -1.0  # rates of wrong labels count the other way
    ends, inner = (_sorted(sign * each[0], sign * each[1]) for each in (wide, narrow))
    ends, error = (min(ends[0], value), max(ends[1], value)), bonett_price_moments(*discordant)[1]
    p = mcnemar_mid_p(*discordant[:2])
    return Found(value, error, *ends, "Bonett-Price, paired", p, "McNemar mid-p", inner)


def _designs(design: Design) -> tuple[Design, Design]:
    return design, design.at(twice_the_error(design.confidence_level))


def _sorted(one: float, other: float) -> tuple[float, float]:
    return min(one, other), max(one, other)


def error_of(low: float, high: float) -> float:
    """The standard error that an interval at the usual level shows: it must not depend on the level that was asked."""
    return (high - low) / (2 * quantile(USUAL_LEVEL))


def twice_the_error(confidence_level: float) -> float:
    """Equivalence is shown by two one-sided tests, that is by the interval with twice the error."""
    return 1 - 2 * (1 - confidence_level)
