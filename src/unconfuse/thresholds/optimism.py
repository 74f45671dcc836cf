"""Performance of a threshold that the same cases chose, corrected by a bootstrap.

The rule chooses anew in each resample. By how much a resample looks better at its own threshold than the cases it left
out, in standard errors of the metric there, is what choosing flatters; .632 of that is taken off the apparent value,
since a resample holds that share of the distinct cases (Efron 1983, JASA 78:316). The spread is that of the resamples
at their own thresholds about the data at these thresholds. Both are about the threshold that is shown, where
cross-fitting measures the thresholds of smaller samples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import FrozenMapping
from unconfuse.metrics import Metric
from unconfuse.metrics.influence_functions import quantile, student_quantile
from unconfuse.table import Array, Counts, Settings
from unconfuse.thresholds.case_units import IndependentCases, half_case_error, summed
from unconfuse.thresholds.fixed_sequence import COMPLEMENTS, OF_LABELS
from unconfuse.uncertainty.bootstrap_intervals import scale_name
from unconfuse.uncertainty.clusters import Jackknifed
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.method import NoInterval
from unconfuse.uncertainty.proportion_intervals import jeffreys

FEWEST_LABELLED = 5  # with fewer, left-out cases hardly ever show a rate among the labelled (repairs.md, section 5)
_SHARE = 0.632  # of the distinct cases, that a resample holds on average
_METHOD = ".632 bootstrap of the choice"
_AMONG_LABELLED = {*OF_LABELS, *(name for name, rate in COMPLEMENTS.items() if rate in OF_LABELS)}


@dataclass(frozen=True, eq=False)
class Choices:
    """Counts of each resample when the rule chooses anew there, and at the threshold that is shown.

    Attributes
    ----------
    own, original, left_out : Counts
        At the resample's own threshold: of the resample, of the data, and of the cases that it did not draw.
    own_shown, left_out_shown : Counts
        At the shown threshold: of the resample, and of the cases that it did not draw. They differ by chance alone,
        so that subtracting them takes the chance of the resamples off, and nothing else.
    """

    own: Counts
    original: Counts
    left_out: Counts
    own_shown: Counts
    left_out_shown: Counts

    @staticmethod
    def joined(parts: Sequence[Choices]) -> Choices:
        """Return all resamples, from slices of them."""
        names = "own", "original", "left_out", "own_shown", "left_out_shown"
        return Choices(**{name: _joined([getattr(part, name) for part in parts]) for name in names})

    def optimism(self, metric: Metric) -> float:
        """Return how much better a metric looks in the resamples than on the data, on average; NaN if never known."""
        return _mean(metric(self.own) - metric(self.original))

    def flattery(self, metric: Metric, shown: Counts, cohort: bool) -> float:
        """Return how much better it looks in a resample than on the cases left out, in standard errors at the shown
        threshold."""
        error = float(half_case_error(metric, shown, cohort=cohort))
        own = (metric(self.own) - metric(self.left_out)) / half_case_error(metric, self.original, cohort=cohort)
        chance = (metric(self.own_shown) - metric(self.left_out_shown)) / error
        return _mean(own - chance) * error

    def variance(self, metric: Metric) -> float:
        """Return the variance of a resample about the data, both at the resample's own threshold."""
        differences = metric(self.own) - metric(self.original)
        known = differences[np.isfinite(differences)]
        return float(known.var()) if len(known) else math.nan


def _joined(parts: Sequence[Counts]) -> Counts:
    cells = {name: np.concatenate([getattr(part, name) for part in parts]) for name in ("tp", "fp", "fn", "tn")}
    return Counts.from_validated(**cells)


def _mean(values: Array) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else math.nan


def corrected(
    metrics: Sequence[Metric], cases: IndependentCases, counts: Counts, choices: Choices, design: Settings, context: str
) -> Mapping[str, Estimate]:
    """Return metrics at a threshold that these cases chose, with intervals; `counts` are those at the threshold."""
    seen = cases.estimates(tuple(metrics), counts, design, context)
    with np.errstate(divide="ignore", invalid="ignore"):
        return FrozenMapping(
            {
                metric.name: _corrected(metric, seen[metric.name], cases, counts, choices, not cases.fixed_classes)
                for metric in metrics
            }
        )


def _corrected(
    metric: Metric, seen: Estimate, cases: IndependentCases, counts: Counts, choices: Choices, cohort: bool
) -> Estimate:
    if not math.isfinite(seen.value):
        return seen
    total = summed(counts)
    if metric.name in _AMONG_LABELLED and metric.inference.fraction is not None:
        trials = float(metric.inference.fraction(total)[1])
        if trials < FEWEST_LABELLED:
            return _uncorrected(seen, f"fewer than {FEWEST_LABELLED} cases have this label")
    known, spread = metric(choices.original), choices.variance(metric)
    flattery = choices.flattery(metric, total, cohort)
    if math.isnan(flattery) or math.isnan(spread):
        return _uncorrected(seen, "hardly any resample defines it")
    if np.all(known == seen.value):  # every resample chooses the same, or the metric does not depend on the threshold
        return seen
    value = float(np.clip(seen.value - _SHARE * flattery, *metric.range))
    own = cases.spread_at(metric, counts, value, cohort=cohort)
    if math.isnan(own.variance):
        return _uncorrected(seen, "its variance is not known")
    return _estimate(metric, seen, replace(own, variance=max(own.variance, spread)))


def _uncorrected(seen: Estimate, why: str) -> Estimate:
    """Return the apparent value without an interval, and the reason."""
    method = NoInterval(f"no interval: {seen.name} cannot be corrected for the choice of the threshold, {why}")
    return replace(seen, low=math.nan, high=math.nan, method=method, recompute=None, standard_error=math.nan)


def _estimate(metric: Metric, seen: Estimate, own: Jackknifed, level: float | None = None) -> Estimate:
    """Return the corrected value with Wilson's limits, or a step on the scale of a metric without two ends."""
    wanted = seen.confidence_level if level is None else level
    if own.units < 2:
        return _uncorrected(seen, f"all {own.kind} come from one group")
    bounded = bool(np.isfinite(metric.range).all())
    low, high = _between_ends(own, wanted) if bounded else own.limits(wanted)
    # Where no case of the data is wrong, or none right, the end itself may be true: correction excludes nothing.
    low, high = (seen.value if seen.value == end else each for each, end in zip((low, high), metric.range, strict=True))
    scale = "Wilson or Jeffreys" if bounded else scale_name(metric.range).strip() or "normal"
    return replace(
        seen,
        value=own.value,
        low=low,
        high=high,
        confidence_level=wanted,
        method=f"{_METHOD}, {scale}{own.remark}",
        standard_error=own.error,
        recompute=partial(_ask_again, metric, seen, own),
    )


def _between_ends(own: Jackknifed, level: float) -> tuple[float, float]:
    """Return Wilson's limits, or Jeffreys' of as many effective cases where these reach further.

    Near an end Wilson's alone miss a share of .99 that a rule such as B(r) = .6 chooses in 13% of the samples
    (coverage-thresholds.md).
    """
    (low, high), (least, most) = own.limits(level), own.range
    span = most - least
    share, centre = ((each - least) / span for each in (own.value, own.centre))
    # Student's t reaches further than the normal quantile: as if there were that many fewer cases.
    shrink = (float(quantile(level)) / float(student_quantile(own.freedom, level))) ** 2
    cases = centre * (1 - centre) * span**2 / own.variance * shrink if own.variance > 0 else 0.0
    if cases <= 0:
        return low, high
    below, above = (float(each) for each in jeffreys(share * cases, cases, confidence_level=level))
    return min(low, least + span * below), max(high, least + span * above)


def _ask_again(
    metric: Metric, seen: Estimate, own: Jackknifed, *, confidence_level: float, method: str | None
) -> Estimate:
    if method is not None:
        raise ArgumentError(
            f"`method` is not supported where these cases chose the threshold; got {method!r}. Hint: pass "
            "`threshold`, which is then taken as chosen on other cases."
        )
    return _estimate(metric, seen, own, confidence_level)


def honest_counts(found: Mapping[str, Estimate], apparent: Counts) -> Counts:
    """Return the 2x2 table to expect among as many cases: from the corrected sensitivity and specificity."""
    total = summed(apparent)
    positives, negatives = float(total.positives), float(total.negatives)
    tp, tn = found["sensitivity"].value * positives, found["specificity"].value * negatives
    return Counts.from_validated(tp=tp, fp=negatives - tn, fn=positives - tp, tn=tn)
