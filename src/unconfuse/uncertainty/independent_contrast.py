"""Two sets of cases that share none: subgroups, or independent test sets.

Their errors are independent, and the interval of a difference follows from both sides' own intervals (MOVER, the method
of variance estimates recovery: square and add). Only where cases belong together (patients, clinics) may two subgroups
err together: then whole groups are resampled, the same ones for both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unconfuse._scipy_special import ndtr
from unconfuse.metrics import Metric
from unconfuse.metrics.influence_functions import is_auroc, quantile
from unconfuse.table import Array, Sample, ScoreTable, Settings
from unconfuse.uncertainty.bootstrap_intervals import bias_corrected
from unconfuse.uncertainty.difference_tests import (
    SMALLEST,
    USUAL_LEVEL,
    Joint,
    bonferroni,
    bootstrap_p,
    correlated,
    correlation_of,
    error_of,
    is_rounding,
    mover,
    possible_limits,
)
from unconfuse.uncertainty.engine import estimate
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.influence_intervals import delong_variance
from unconfuse.uncertainty.method import NoInterval
from unconfuse.uncertainty.simultaneous import ContrastFamily, Draft, Limits, Pair, undefined

_ROUNDING = 1e-12  # of a difference and its interval: sums of fractional weights leave about 1e-16
_NO_VARIANCE = _ROUNDING**2  # of an area


@dataclass(frozen=True)
class ContrastSide:
    """One of two sets of cases: its metric with its interval, and what that was made from."""

    name: str
    estimate: Estimate
    table: ScoreTable | None = None
    replicates: Array | None = None
    n_groups: int = 0


def independent_difference(
    metric: Metric, first: ContrastSide, second: ContrastSide, *, by_ratio: bool | None = None
) -> Draft:
    """Return the first side less the second; by default their ratio for metrics that have limits on the log scale.

    Limits at another level than that of both sides are those with both arms stretched as the normal quantile is.

    Newcombe (1998), Stat. Med. 17:873; Zou and Donner (2008), Stat. Med. 27:1693 (MOVER). DeLong, DeLong and
    Clarke-Pearson (1988), Biometrics 44:837 (the test of two AUROCs).
    """
    by_ratio = metric.inference.log_limits is not None if by_ratio is None else by_ratio
    level = first.estimate.confidence_level
    values = [_scaled(side.estimate.value, by_ratio) for side in (first, second)]
    gap = values[0] - values[1]
    if math.isnan(gap):
        ends, method, p, test = (math.nan, math.nan), "", math.nan, ""
    elif first.replicates is not None and second.replicates is not None:
        ends, method, p, test = _resampled(gap, first, second, by_ratio, level)
        if is_rounding(ends[1] - ends[0], values):
            ends, method, p, test = _independent(metric, gap, first, second, by_ratio, level)
    else:
        ends, method, p, test = _independent(metric, gap, first, second, by_ratio, level)
    value = _unscaled(gap) if by_ratio else gap
    limits = (_unscaled(ends[0]), _unscaled(ends[1])) if by_ratio else ends
    range = None if by_ratio else metric.range
    return Draft(value, math.nan, method, p, test, stretched(value, limits, level, range), null=float(by_ratio))


def stretched(
    value: float, limits: Limits, usual: float, range: tuple[float, float] | None
) -> Callable[[float], Limits]:
    """Limits at any level from those at one: both arms grow as the normal quantile does.

    They stay within the range of a difference of two values; a ratio (no range) grows on the log scale.
    """

    def ends(level: float) -> Limits:
        factor, by_ratio = quantile(level) / quantile(usual) if level != usual else 1.0, range is None
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            at, low, high = (float(np.log(each)) if by_ratio else each for each in (value, *limits))
            arms = [at + factor * (end - at) if factor != 1 and math.isfinite(end - at) else end for end in (low, high)]
            found = (_unscaled(arms[0]), _unscaled(arms[1])) if by_ratio else (arms[0], arms[1])
        if factor == 1 and by_ratio:
            return limits
        return found if range is None else possible_limits(value, *found, range)

    return ends


def _independent(
    metric: Metric, gap: float, first: ContrastSide, second: ContrastSide, by_ratio: bool, level: float
) -> tuple[Limits, str, float, str]:
    sides = first.estimate, second.estimate
    ends = [(_scaled(side.low, by_ratio), _scaled(side.high, by_ratio)) for side in sides]
    method = "MOVER, independent subgroups" + (", on the log scale" if by_ratio else "")
    if np.isnan(ends).any():
        return (math.nan, math.nan), NoInterval("no interval: one of both sides has none"), math.nan, ""
    if not math.isfinite(gap) or not np.isfinite(ends).all():  # nothing to square: the widest that both allow
        limits = _nowhere_nan(ends[0][0] - ends[1][1], -math.inf), _nowhere_nan(ends[0][1] - ends[1][0], math.inf)
        return limits, method, math.nan, ""
    low, high = mover(np.array([_scaled(side.value, by_ratio) for side in sides]), ends, 0.0)
    p = _delong_p(metric, gap, first.table, second.table)
    if not math.isnan(p):
        return (low, high), method, p, "DeLong, independent"
    return (low, high), method, _recovered_p(gap, low, high, level), "variance recovered from the interval"


def _delong_p(metric: Metric, gap: float, first: ScoreTable | None, second: ScoreTable | None) -> float:
    """DeLong's test of two areas from different cases; none where a class separates perfectly and shows no variance."""
    if not is_auroc(metric) or first is None or second is None:
        return math.nan
    variances = [float(delong_variance(table)) for table in (first, second)]
    if not min(variances) > _NO_VARIANCE:
        return math.nan
    area = gap / metric.root.scale
    return max(float(2 * ndtr(-abs(area) / math.sqrt(sum(variances)))), SMALLEST)


def _recovered_p(gap: float, low: float, high: float, level: float) -> float:
    """From the variance that the interval shows on the side of no difference: p < 5% iff 95% limits exclude it."""
    if gap == 0 or max(abs(gap), high - low) < _ROUNDING:
        return 1.0
    reach = gap - low if gap > 0 else high - gap
    return max(float(2 * ndtr(-abs(gap) * quantile(level) / reach)), SMALLEST) if reach > 0 else math.nan


def _resampled(
    gap: float, first: ContrastSide, second: ContrastSide, by_ratio: bool, level: float
) -> tuple[Limits, str, float, str]:
    assert first.replicates is not None
    assert second.replicates is not None
    n_groups = min(first.n_groups, second.n_groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (np.log(each) if by_ratio else each for each in (first.replicates, second.replicates))
        spread = one - other
    spread = np.where(np.isfinite(spread), spread, np.nan)
    if n_groups < 2 or not math.isfinite(gap) or np.isnan(spread).all():
        told = (
            "no interval: one group only" if n_groups < 2 else "no interval: resamples of both sides cannot be compared"
        )
        return (math.nan, math.nan), NoInterval(told), math.nan, ""
    limits = bias_corrected(gap, spread, confidence_level=level, smaller_class=n_groups)
    method = limits.method.replace("bootstrap", "bootstrap of whole groups, the same for both subgroups", 1)
    return (float(limits.low), float(limits.high)), method, bootstrap_p(gap, spread), "bootstrap of whole groups"


def _scaled(value: float, by_ratio: bool) -> float:
    if not by_ratio:
        return value
    return math.nan if math.isnan(value) else -math.inf if value <= 0 else math.log(value)


def _unscaled(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(value))


def _nowhere_nan(value: float, instead: float) -> float:
    return instead if math.isnan(value) else value


class UnpairedContrasts(ContrastFamily):
    """The same questions as `Paired` answers, of samples whose errors are independent."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        samples: Mapping[str, Sample],
        pairs: Sequence[Pair],
        design: Settings,
        adjust: str,
    ):
        self.samples, self.pairs, self.design, self.adjust = samples, pairs, design, adjust
        self._own = {name: estimate(metrics, sample, design) for name, sample in samples.items()}
        self.values = {
            metric.name: {name: own[metric.name].value for name, own in self._own.items()} for metric in metrics
        }

    def joint(self, metric: Metric, drafts: Sequence[Draft], *, sides: int = 2) -> Joint:
        """Pairs that share a model vary together."""
        pairs = [pair for pair, draft in zip(self.pairs, drafts, strict=True) if not math.isnan(draft.p_value)]
        if self.adjust == "holm" or len(pairs) < 2:
            return bonferroni
        models = sorted({model for pair in pairs for model in pair})
        errors = [self._own[model][metric.name] for model in models]
        spread = np.diag([np.nan_to_num(_half_width(error)) ** 2 for error in errors])
        contrasts = np.array([[float(m == one) - float(m == other) for m in models] for one, other in pairs])
        return correlated(correlation_of(contrasts @ spread @ contrasts.T), self.design.seed, sides=sides)

    def draft(self, metric: Metric, pair: Pair) -> Draft:
        """One difference, whose limits follow from both models' own at any level."""

        def at(level: float) -> Draft:
            return independent_difference(metric, *(self._side(metric, model, level) for model in pair), by_ratio=False)

        def ends(level: float) -> Limits:
            return at(level).limits(level)

        draft = at(self.design.confidence_level)
        if not math.isfinite(draft.value):
            return undefined()
        method = draft.method.replace("subgroups", "cases")
        return replace(draft, standard_error=error_of(*ends(USUAL_LEVEL)), method=method, ends=ends, _known={})

    def _side(self, metric: Metric, model: str, level: float) -> ContrastSide:
        sample, own = self.samples[model], self._own[model][metric.name]
        if level != own.confidence_level and own.undefined is None:
            own = own.interval(confidence_level=level)
        return ContrastSide(model, own, sample.table() if sample.has_scores else None)


def _half_width(found: Estimate) -> float:
    return found.standard_error if found.standard_error > 0 else (found.high - found.low) / 4
