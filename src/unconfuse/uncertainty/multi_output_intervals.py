"""Intervals from cases that are drawn whole: all labels of a case go together, and so do all documents of a query.

Taken as independent, labels of one case cover 58 to 89% instead of 95 (20 and 6 labels). So the influences of all its
labels are added up before they are squared. Limits are Wilson's, at the number of cases that would have this variance,
with Student's t; without two ends to the range, a step of that length (Wald's).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._scipy_special import stdtr, stdtrit
from unconfuse.metrics import Metric
from unconfuse.metrics._metric import WholeSummary
from unconfuse.table import Array, Settings, summed, summed_by
from unconfuse.table.multi_output import MultiOutputSample
from unconfuse.uncertainty.difference_tests import SMALLEST, Joint, bonferroni, possible_limits, smallest_p
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.influence_intervals import wilson_limits
from unconfuse.uncertainty.method import NoInterval
from unconfuse.uncertainty.simultaneous import ContrastFamily, Draft, Limits, Pair, joint_of_pairs, undefined

_ROUNDING = 1e-20  # of a variance, as a share of the squared range


def summary_of(metric: Metric, sample: MultiOutputSample) -> WholeSummary:
    """Return a metric's value, back within its range where only rounding left it, and every case's influence.

    Influences are those of cases at the scale of `in_drawn_cases`.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        whole_summary: WholeSummary = metric.value(sample.in_drawn_cases)
    return replace(whole_summary, value=float(metric.rounded(np.asarray(whole_summary.value))))


def estimates_of_whole(metrics: Sequence[Metric], sample: MultiOutputSample, design: Settings) -> dict[str, Estimate]:
    """Return metrics of one model with their intervals, by name, in the order asked for."""
    return {metric.name: _estimate(metric, summary_of(metric, sample), sample, design, None) for metric in metrics}


def _estimate(
    metric: Metric, found: WholeSummary, sample: MultiOutputSample, design: Settings, method: str | None
) -> Estimate:
    if method not in (None, metric.interval):
        raise ArgumentError(f"{metric.name} has the interval {metric.interval!r} only; got {method!r}.")
    size = size_text(sample)
    limits, error = (np.nan, np.nan, ""), np.nan
    if not np.isnan(found.value):
        error = float(np.sqrt(variance_of(found, sample)))
        limits = _limits(metric, found, sample, design.confidence_level)
    return Estimate.from_interval(
        metric,
        found.value,
        limits,
        design.confidence_level,
        undefined=metric.undefined if np.isnan(found.value) else None,
        standard_error=error,
        conditions=f"{size}; {found.note}" if found.note else size,
        recompute=partial(_ask_again, metric, found, sample, design.without_progress()),
    )


def _ask_again(
    metric: Metric,
    found: WholeSummary,
    sample: MultiOutputSample,
    design: Settings,
    *,
    confidence_level: float,
    method: str | None,
) -> Estimate:
    return _estimate(metric, found, sample, design.with_confidence_level(confidence_level), method)


def size_text(sample: MultiOutputSample) -> str:
    """Return what a value rests on, in words."""
    labels = getattr(sample, "labels", None)
    if labels is None:
        return f"{len(sample):,} {'query' if len(sample) == 1 else 'queries'}"
    groups = f" in {sample.n_groups:,} clusters" if sample.groups is not None else ""
    return f"{len(labels)} label{'' if len(labels) == 1 else 's'}, {sample.n:g} cases{groups}"


def variance_of(found: WholeSummary, sample: MultiOutputSample) -> float:
    """Return the variance of a value, from the influences of whole cases, or of whole clusters of them."""
    careful = found.influence if found.wary is None else found.wary
    return spread_of(careful, sample, found.cases, corrected=found.wary is not None) + found.unseen


def spread_of(influence: Array, sample: MultiOutputSample, cases: float, *, corrected: bool = False) -> float:
    """Return the sum of squared influences, with n/(n - 1) unless they are `corrected` already."""
    sample = sample.in_drawn_cases
    if sample.groups is not None:
        sums = summed_by(sample.groups, sample.weight * influence, sample.n_groups)
        return summed(sums**2) * len(sums) / max(len(sums) - 1, 1)
    if sample.squares is not None:
        return summed(sample.squares * influence**2)
    plain = summed(sample.weight * influence**2)
    return plain if corrected else plain * cases / max(cases - 1, 1.0)


def freedom_of(found: WholeSummary, sample: MultiOutputSample) -> float:
    """Return the degrees of freedom: one less than the cases or clusters, or what labels with few positives leave."""
    held = float(sample.n_groups) if sample.groups is not None else effective(found.cases, sample)
    return max(min(held - 1, found.freedom), 1.0)


def effective(cases: float, sample: MultiOutputSample) -> float:
    """Return the number of cases; of sampled ones at most Kish's."""
    return cases if sample.squares is None else min(cases, sample.n_drawn)


def _limits(metric: Metric, found: WholeSummary, sample: MultiOutputSample, level: float) -> tuple[float, float, str]:
    value, (least, most) = found.value, metric.range
    if sample.groups is not None and sample.n_groups < 2:
        return np.nan, np.nan, NoInterval("no interval: all cases belong to one cluster")
    if found.cases < 2:
        return np.nan, np.nan, NoInterval("no interval: one case does not show how cases differ")
    variance, freedom = variance_of(found, sample), freedom_of(found, sample)
    reach = float(stdtrit(freedom, (1 + level) / 2))
    units = "clusters" if sample.groups is not None else "whole cases" if hasattr(sample, "labels") else "queries"
    if not np.isfinite(most - least):
        half = reach * float(np.sqrt(variance))
        return max(value - half, least), min(value + half, most), f"influence of {units}, t"
    span = most - least
    share = (value - least) / span
    held = sample.n_groups if sample.groups is not None else effective(found.cases, sample)
    centre = share if 0 < share < 1 else (share * held + 0.5) / (held + 1)
    variance /= span**2
    if not (0 < share < 1 and variance > _ROUNDING):  # no error seen is not none in half a case more
        variance = max(variance, 0.5 / (held + 1) ** 2)
    low, high = (
        float(wilson_limit)
        for wilson_limit in wilson_limits(np.asarray(share), np.asarray(centre * (1 - centre) / variance), reach)
    )
    words = "sandwich" if sample.squares is not None else "effective n"
    low, high = (least + span * min(max(each, 0.0), 1.0) for each in (low, high))
    return min(low, value), max(high, value), f"Wilson ({words} of {units}, t)"


class PairedMultiOutput(ContrastFamily):
    """Differences of models on the same whole cases."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        samples: Mapping[str, MultiOutputSample],
        pairs: Sequence[Pair],
        design: Settings,
        adjust: str,
    ) -> None:
        self.samples, self.pairs, self.design, self.adjust = samples, pairs, design, adjust
        self._found = {
            metric.name: {model: summary_of(metric, sample) for model, sample in samples.items()} for metric in metrics
        }
        self.values = {
            name: {model: whole_summary.value for model, whole_summary in found.items()}
            for name, found in self._found.items()
        }

    @cached_property
    def _sample(self) -> MultiOutputSample:
        return next(iter(self.samples.values()))

    def joint(self, metric: Metric, drafts: Sequence[Draft], *, sides: int = 2) -> Joint:
        """How the differences that have a test vary together; the same in any order of models and of pairs."""
        pairs = [pair for pair, draft in zip(self.pairs, drafts, strict=True) if not math.isnan(draft.p_value)]
        if self.adjust == "holm" or len(pairs) < 2:
            return bonferroni
        whole = partial(spread_of, sample=self._sample, cases=self._cases(metric))

        def covariance(turned: Sequence[Pair]) -> Array:
            moved = [self._moved(metric, pair) for pair in turned]
            return np.array([[(whole(a + b) - whole(a - b)) / 4 for b in moved] for a in moved])

        return joint_of_pairs(pairs, covariance, self.design.seed, sides=sides)

    def _cases(self, metric: Metric) -> float:
        return min(whole_summary.cases for whole_summary in self._found[metric.name].values())

    def _moved(self, metric: Metric, pair: Pair) -> Array:
        whole_summary, other = (self._found[metric.name][model] for model in pair)
        careful = [own.influence if own.wary is None else own.wary for own in (whole_summary, other)]
        return np.asarray(careful[0] - careful[1])

    def draft(self, metric: Metric, pair: Pair) -> Draft:
        """One difference by Student's t, with limits that it can have."""
        whole_summary, other = (self._found[metric.name][model] for model in pair)
        value, moved = whole_summary.value - other.value, self._moved(metric, pair)
        cases, sample = self._cases(metric), self._sample
        if not np.isfinite(value):
            return undefined()
        if cases < 2 or (sample.groups is not None and sample.n_groups < 2):
            return undefined(value, "no interval: one case")
        how = "paired influence of whole cases, t"
        differ = int(np.count_nonzero(moved))
        if not differ and value == 0 and not whole_summary.of_decisions:
            return Draft(0.0, 0.0, how, 1.0, "no case differs", lambda level: (0.0, 0.0))
        freedom = min(freedom_of(whole_summary, sample), freedom_of(other, sample))
        spread = float(np.sqrt(self._variance(metric, moved, corrected=whole_summary.wary is not None)))
        p = float(2 * stdtr(freedom, -abs(value) / spread)) if spread > 0 else 1.0
        units = differ if sample.groups is None else len(np.unique(sample.groups[moved != 0]))

        def ends(level: float) -> Limits:
            reach = float(stdtrit(freedom, (1 + level) / 2)) * spread
            return possible_limits(value, value - reach, value + reach, metric.range)

        return Draft(value, spread, how, max(p, smallest_p(units), SMALLEST), "t of whole cases", ends)

    def _variance(self, metric: Metric, moved: Array, *, corrected: bool) -> float:
        """Of a difference; where all cases differ alike, or none does, others may not: two pseudo cases, +1 and -1."""
        cases, sample, span = self._cases(metric), self._sample, metric.range[1] - metric.range[0]
        spread = spread_of(moved, sample, cases, corrected=corrected)
        if np.isfinite(span) and spread <= _ROUNDING * span**2:
            units = sample.n_groups if sample.groups is not None else effective(cases, sample)
            return float(2 * (span / (units + 2)) ** 2)
        return spread
