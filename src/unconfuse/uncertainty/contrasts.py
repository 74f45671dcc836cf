"""Contrasts: two models on the same cases, two sets of cases that share none, or one model at two prevalences.

Whatever is compared, the engine is the same: decisions by the cases on which only one is right, metrics with an
influence function by the covariance of their influences, everything else by replicates of the same resamples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from unconfuse._errors import InputError
from unconfuse._scipy_special import stdtr, stdtrit
from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics._metric import InfluenceSummary, ratio
from unconfuse.metrics.constrained import constraint_of
from unconfuse.metrics.influence_functions import is_auroc, quantile
from unconfuse.table import INTERVAL, Array, Counts, InMemorySample, Sample, Settings
from unconfuse.uncertainty.bootstrap_intervals import bias_corrected, spread, student_percentile
from unconfuse.uncertainty.clusters import Jackknifed, difference_of
from unconfuse.uncertainty.difference_tests import (
    SMALLEST,
    InfluenceSums,
    Joint,
    OverlappingProportions,
    bonett_price,
    bonett_price_moments,
    bonferroni,
    bootstrap_p,
    influence_sums,
    is_rounding,
    limits_of_difference,
    mcnemar_mid_p,
    moments,
    mover,
    p_of,
    possible_limits,
    smallest_p,
)
from unconfuse.uncertainty.engine import estimate
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.folds import corrected_resampled_t
from unconfuse.uncertainty.interval_methods import compares_by_influence
from unconfuse.uncertainty.joint_replicates import replicates, value_of
from unconfuse.uncertainty.multiclass_limits import summary_of, variance_of
from unconfuse.uncertainty.proportion_intervals import Interval
from unconfuse.uncertainty.simultaneous import ContrastFamily, Draft, Limits, Pair, joint_of_pairs, undefined

if TYPE_CHECKING:
    from unconfuse.uncertainty.clustered_metrics import Grouped

_BORDER = 0.1  # below this, 2,000 resamples know a p-value to 15% or worse of itself
USUAL_LEVEL = 0.95  # at which intervals without a standard error of their own say what it is
_MANY = 40_000  # resamples of patterns of decisions: some 50 ms


_FEWEST = 5.0  # cases of a class: an interval of fewer is MOVER's alone (`limits_of_difference`), which knows their n


class PairedContrasts(ContrastFamily):
    """Differences of models on the same cases; what several metrics share is computed once."""

    def __init__(self, metrics: Sequence[Metric], sample: Sample, pairs: Sequence[Pair], design: Settings, adjust: str):
        sample.sampling.require(INTERVAL)
        if sample.is_clustered and sample.n_groups < 2:
            raise InputError("all cases belong to one group, which does not say how groups differ. Hint: leave it out.")
        self.metrics, self.sample, self.pairs, self.design, self.adjust = metrics, sample, pairs, design, adjust
        self.values = {each.name: {m: value_of(each, sample, m) for m in sample.models} for each in metrics}
        self._by_fold: dict[str, Array] = {}
        self._sums: Mapping[str, InfluenceSums] = {}
        self._drawn: Mapping[str, Array] = {}
        self._without: Mapping[str, Array] = {}
        self._known: dict[tuple[str, str], InfluenceSummary] = {}
        self._estimates: dict[tuple[str, str, float], Estimate] = {}
        self._different: dict[tuple[str, Pair], float] = {}
        self._drafts: dict[tuple[str, Pair], Draft] = {}
        if sample.has_folds:
            self._over_folds()
        elif not sample.is_multiclass:
            known = [each for each in metrics if self._by_influence(each)]
            self._sums = influence_sums(known, sample)
            if self._grouped is not None:
                self._without = self._grouped.all_without([each for each in metrics if constraint_of(each) is None])
                design.report_finished()
            needed = [each for each in metrics if not self._has_formula(each)]
            self._drawn = replicates(needed, sample, design)

    @property
    def _rows(self) -> InMemorySample:
        return self.sample.rows_for("comparing several classes")

    @cached_property
    def _grouped(self) -> Grouped | None:
        """Rows in groups, which are left out one by one; sampling weights have multipliers."""
        rows = self.sample.in_memory
        if rows is None or rows.is_multiclass or not rows.is_clustered or rows.is_sampled:
            return None
        from unconfuse.uncertainty.clustered_metrics import Grouped  # most cases stand each for itself

        return Grouped(rows if rows.weights is None else rows.taken(np.flatnonzero(rows.weight)), self.design)

    def _over_folds(self) -> None:
        """Each model's value in each fold, of which the mean is its value: shape (models, folds)."""
        folds, models = list(self.sample.by_fold().values()), self.sample.models
        for each in self.metrics:
            self._by_fold[each.name] = np.array([[value_of(each, part, m) for part in folds] for m in models])
            self.values[each.name] = dict(zip(models, self._by_fold[each.name].mean(axis=1).tolist(), strict=True))

    def _of_folds(self, metric: Metric, pair: Pair) -> Draft:
        """By the differences of folds: training sets overlap, which the corrected t-test allows for."""
        one, other = (self._by_fold[metric.name][self.sample.models.index(each)] for each in pair)
        with np.errstate(invalid="ignore"):  # both may be infinite in a fold
            gaps = one - other
        if not np.isfinite(gaps).all():
            return undefined()
        return corrected_resampled_t(gaps, repeats=len(set(self.sample.repeats.values())) or 1)

    def draft(self, metric: Metric, pair: Pair) -> Draft:
        """Return a difference with limits that it can have, and a p-value that so many different cases can give."""
        key = metric.name, pair
        if key not in self._drafts:
            self._drafts[key] = self._possible(metric, pair)
        return self._drafts[key]

    def _possible(self, metric: Metric, pair: Pair) -> Draft:
        found = (self._of_folds if self._by_fold else self._difference)(metric, pair)
        low, high = found.limits(self.design.confidence_level)
        spread, values = min(high - low, found.standard_error), self._values(metric, pair)
        if is_rounding(spread, values) and self._differ(metric, pair) > 0:
            found = self._without_spread(metric, pair, found)
        elif math.isnan(spread) and is_rounding(abs(found.value), values):
            found = replace(found, p_value=1.0)
        made, range = found.ends, metric.range
        least = 0.0 if self._by_labels(metric) and not self._by_fold else self.smallest_p(metric, pair)
        found = replace(found, ends=lambda level: possible_limits(found.value, *made(level), range), _known={})
        if not found.p_value < least:  # McNemar's test counts these cases itself
            return found
        return replace(found, p_value=least, test=f"{found.test}, not below the smallest exchange p-value")

    def _without_spread(self, metric: Metric, pair: Pair, found: Draft) -> Draft:
        """Where all resamples, influences or folds show the same difference: by both models' own intervals.

        Perfect models leave nothing to resample; their errors count as independent, which is on the safe side.
        """
        values = self._values(metric, pair)

        def ends(level: float) -> Limits:
            own = [self._estimate(metric, model, self.design.with_confidence_level(level)) for model in pair]
            return mover(np.array(values), [(one.low, one.high) for one in own], 0.0)

        method = "MOVER of both intervals (no spread to resample)"
        error = error_of(*ends(USUAL_LEVEL))
        p = 1.0 if is_rounding(abs(found.value), values) else found.p_value
        return replace(found, ends=ends, standard_error=error, p_value=p, method=method, freedom=math.inf, _known={})

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
        pairs = [pair for pair, each in zip(self.pairs, drafts, strict=True) if not math.isnan(each.p_value)]
        if self.adjust == "holm" or len(pairs) < 2:
            return bonferroni
        models = sorted(self.sample.models)
        rows = [self.sample.models.index(model) for model in models]
        covariance = self._covariance(metric)[np.ix_(rows, rows)]

        def of_pairs(turned: Sequence[Pair]) -> Array:
            contrasts = np.array([[float(m == one) - float(m == other) for m in models] for one, other in turned])
            return np.asarray(contrasts @ covariance @ contrasts.T)

        return joint_of_pairs(pairs, of_pairs, self.design.seed, sides=sides)

    def _covariance(self, metric: Metric) -> Array:
        """Of all models' values: by a formula, or of the folds or replicates."""
        if self._by_fold:
            return np.cov(self._by_fold[metric.name])
        if self._by_labels(metric):
            return self._covariance_of_labels(metric)
        if self._by_shares(metric):
            return self._covariance_of_shares(metric)
        if self.sample.is_multiclass:
            return self._covariance_of_rows(metric)
        if self._by_influence(metric):
            return np.nan_to_num(self._sums[metric.root.of.name].covariance())
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
        own = [np.nan_to_num(self._summary(metric, model).influence) for model in self.sample.models]
        variance = partial(variance_of, rows=self._rows)
        return np.array([[(variance(one + two) - variance(one - two)) / 4 for two in own] for one in own])

    def _has_formula(self, metric: Metric) -> bool:
        by_cases = self._by_influence(metric) or self._by_labels(metric) or self._by_shares(metric)
        return by_cases or not self._by_replicates(metric)

    def _by_replicates(self, metric: Metric) -> bool:
        """Tell whether to use replicates: groups are left out one by one, but a threshold the data choose jumps."""
        return self._grouped is None or constraint_of(metric) is not None

    def _by_influence(self, metric: Metric) -> bool:
        return not self.sample.is_multiclass and not self.sample.has_units and compares_by_influence(metric)

    def _by_labels(self, metric: Metric) -> bool:
        return (
            self._counted
            and bool(metric.inference.paired)
            and not (self.sample.sampling.fixed_classes and self.sample.is_multiclass)
        )

    @property
    def _counted(self) -> bool:
        """Whether whole cases were drawn each for itself; a whole weight is their number."""
        sample = self.sample
        return not (sample.is_clustered or sample.is_sampled or sample.has_fractions)

    def _by_shares(self, metric: Metric) -> bool:
        """Proportions whose trials are the cases that a model labels in some way, as predictive values."""
        plain = self._counted and not self.sample.sampling.fixed_classes and not self.sample.is_multiclass
        return plain and metric.of == "counts" and metric.inference.fraction is not None

    def _difference(self, metric: Metric, pair: Pair) -> Draft:
        one, other = (self.values[metric.name][model] for model in pair)
        if not np.isfinite(one - other):
            return undefined()
        if self._by_labels(metric):
            return of_labels(self._discordant(metric, pair), one - other)
        if self._by_shares(metric):
            return self._of_shares(metric, pair)
        if self.sample.is_multiclass:
            return self._of_rows(metric, pair)
        if self._by_influence(metric):
            return self._of_influences(metric, pair)
        return (self._of_replicates if self._by_replicates(metric) else self._of_groups)(metric, pair)

    @cached_property
    def _freedom(self) -> float:
        """Degrees of freedom of the smallest class, for limits that rest on a normal approximation."""
        return max(float(np.min(self.sample.effective_sizes)), _FEWEST) - 1

    def _discordant(self, metric: Metric, pair: Pair) -> tuple[float, float, float]:
        """Cases that only the first, and only the second model labels right, and all cases that count."""
        weight, right = self._right(metric)
        first, second = (right[self.sample.models.index(model)] for model in pair)
        return float(weight @ (first > second)), float(weight @ (second > first)), float(weight.sum())

    def _right(self, metric: Metric) -> tuple[Array, Array]:
        """Return the weight of each kind of case that counts, and whether each model is right: (models, kinds)."""
        if self.sample.is_multiclass:
            rows = self._rows
            right = [rows.decided[model] == rows.truth for model in rows.models]
            return rows.weight, np.array(right, dtype=np.float64)
        found = self.sample.joint_counts()
        right = [found.labelled[model] == found.is_positive for model in self.sample.models]
        everyone = np.ones(len(found.weight), dtype=np.bool_)
        of_class = {"positives": found.is_positive, "negatives": ~found.is_positive}
        members = of_class.get(metric.inference.paired, everyone)
        return found.weight * members, np.array(right, dtype=np.float64)

    def _of_shares(self, metric: Metric, pair: Pair) -> Draft:
        """By both models' own intervals and the cases that are trials of both."""
        shares = self._overlapping(metric, pair)
        value, values = shares.values[0] - shares.values[1], np.array(shares.values)

        def ends(level: float) -> Limits:
            own = [self._estimate(metric, model, self.design.with_confidence_level(level)) for model in pair]
            low, high = mover(values, [(one.low, one.high) for one in own], shares.correlation())
            return min(low, value), max(high, value)

        error = error_of(*ends(USUAL_LEVEL))
        return Draft(value, error, "MOVER, paired", shares.score_p(), "weighted generalised score", ends)

    def _overlapping(self, metric: Metric, pair: Pair) -> OverlappingProportions:
        weight, success, trial = self._shares(metric)
        one, other = (self.sample.models.index(model) for model in pair)
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
        found, cell = self.sample.joint_counts(), np.eye(4)
        success, trial = metric.inference.fraction(
            Counts.from_validated(tp=cell[0], fp=cell[1], fn=cell[2], tn=cell[3])
        )
        places = [2 * ~found.labelled[model] + ~found.is_positive for model in self.sample.models]
        return found.weight, np.array([success[each] for each in places]), np.array([trial[each] for each in places])

    def _of_influences(self, metric: Metric, pair: Pair) -> Draft:
        """By each case's influence on both models: for the AUROC this is DeLong's test."""
        root = metric.root
        sums = self._sums[root.of.name].of([self.sample.models.index(each) for each in pair])
        value, error, _ = moments(sums)

        def ends(level: float) -> Limits:
            design = self.design.with_confidence_level(level)
            own = [self._estimate(root.of, model, design) for model in pair]
            low, high = limits_of_difference(sums, design, [(each.low, each.high) for each in own], root.of.range)
            return _sorted(root.scale * low, root.scale * high)

        words = "sandwich" if self.sample.is_sampled else "DeLong" if is_auroc(metric) else "influence function"
        tested = p_of(value, error), words, ends, self._freedom
        return Draft(root.scale * value, abs(root.scale) * error, f"{words}, paired", *tested)

    def _estimate(self, metric: Metric, model: str, design: Settings) -> Estimate:
        """One model's own, which all its pairs share."""
        key = metric.name, model, design.confidence_level
        if key not in self._estimates:
            self._estimates[key] = estimate([metric], self.sample, design, model=model)[metric.name]
        return self._estimates[key]

    def _of_groups(self, metric: Metric, pair: Pair) -> Draft:
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
            return undefined(value, f"no interval: all {found.kind} come from one group")
        return _of_jackknife(found)

    def _of_replicates(self, metric: Metric, pair: Pair) -> Draft:
        drawn = self._drawn[metric.name]
        one, other = (self.sample.models.index(each) for each in pair)
        drawn_apart, values = drawn[one] - drawn[other], self.values[metric.name]
        value, constraint = values[pair[0]] - values[pair[1]], constraint_of(metric)
        strict = "" if constraint is None else constraint.too_strict(self.sample.positives, self.sample.negatives)
        if strict:
            return undefined(value, strict)

        def ends(level: float) -> Limits:
            found = self._limits_of_drawn(metric, value, drawn_apart, level)
            return float(found.low), float(found.high)

        usual = self._limits_of_drawn(metric, value, drawn_apart, self.design.confidence_level)
        method = usual.method.replace("bootstrap", "paired bootstrap")
        p, resamples = bootstrap_p(value, drawn_apart), self.design.n_resamples
        if metric.name in self._finely and p < _BORDER:
            drawn, resamples = self._finely[metric.name], _MANY
            p = bootstrap_p(value, drawn[one] - drawn[other])
        test = f"paired bootstrap, {resamples} resamples"
        return Draft(value, spread(drawn_apart), method, p, test, ends, self._freedom)

    def _limits_of_drawn(self, metric: Metric, value: float, drawn: Array, level: float) -> Interval:
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
        needed = [each for each in self.metrics if each.of == "counts" and not self._has_formula(each)]
        return replicates(needed, self.sample, replace(self.design.without_progress(), n_resamples=_MANY))

    def _of_rows(self, metric: Metric, pair: Pair) -> Draft:
        """Several classes: by each row's influence on both models."""
        rows = self._rows
        one, two = (self._summary(metric, model) for model in pair)
        if rows.is_clustered and not rows.is_sampled:
            from unconfuse.uncertainty.multiclass_clusters import (
                difference_of_groups,  # most cases stand each for itself
            )

            return _of_jackknife(difference_of_groups(metric, one, two, rows))
        value = one.value - two.value
        if metric.of == "rows" and _means_over_classes(metric):
            from unconfuse.uncertainty.rare_classes import has_rare_class

            if has_rare_class(rows):
                rare = _of_rare_classes(value, one.influence - two.influence, rows)
                if rare.standard_error > 0:  # without any spread the usual floor of the p-value holds
                    return rare
        error = float(np.sqrt(variance_of(one.influence - two.influence, rows)))

        def ends(level: float) -> Limits:
            reach = quantile(level) * error
            return value - reach, value + reach

        words = "sandwich" if rows.is_sampled else "influence function"
        p, test = p_of(value, error), words
        if metric.of == "cells" and self._counted:
            from unconfuse.uncertainty.permutation_test import exchange_p  # most questions have two classes

            p, test = exchange_p(metric, rows, pair, self.design.seed), "exchange of predictions"
        return Draft(value, error, f"{words}, paired", p, test, ends, self._freedom)

    def _summary(self, metric: Metric, model: str) -> InfluenceSummary:
        key = metric.name, model
        if key not in self._known:
            self._known[key] = summary_of(metric, self._rows.select_model(model))
        return self._known[key]


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


def _of_jackknife(found: Jackknifed) -> Draft:
    """Draft a difference from values without each group, by Student's t."""
    method, p = f"jackknife of whole groups, paired{found.remark}", max(found.p_of_none, SMALLEST)
    return Draft(found.value, found.error, method, p, "jackknife t", found.limits_of_difference)


def of_labels(discordant: tuple[float, float, float], value: float) -> Draft:
    """Shares of right labels: from the cases that only one of the models labels right."""
    sign = 1.0 if value * (discordant[0] - discordant[1]) >= 0 else -1.0  # rates of wrong labels count the other way

    def ends(level: float) -> Limits:
        low, high = _sorted(*(sign * each for each in bonett_price(*discordant, confidence_level=level)))
        return min(low, value), max(high, value)

    error, p = bonett_price_moments(*discordant)[1], mcnemar_mid_p(*discordant[:2])
    return Draft(value, error, "Bonett-Price, paired", p, "McNemar mid-p", ends)


def _sorted(one: float, other: float) -> tuple[float, float]:
    return min(one, other), max(one, other)


def error_of(low: float, high: float) -> float:
    """Return the standard error that an interval at the usual level shows: it must not depend on the level asked."""
    return (high - low) / (2 * quantile(USUAL_LEVEL))
