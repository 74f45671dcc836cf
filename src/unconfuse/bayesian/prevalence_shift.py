"""The same classifier where positives are rarer or more common: how far its labels can be believed there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError
from unconfuse._scipy_special import expit, logit
from unconfuse._validate import as_numbers, check_probability
from unconfuse.bayesian._inputs import HasCounts, PrevalenceEstimate, counts_of, level_of, prevalence_of
from unconfuse.bayesian.ratios import SHORT, Limits, limits_after, probability_after, ratio_limits
from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics.influence_functions import quantile
from unconfuse.table import Array, Counts
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.method import NoInterval
from unconfuse.uncertainty.posterior import posterior_intervals
from unconfuse.uncertainty.table_estimates import estimate_counts

AFTER_POSITIVE = ("precision", "false_discovery_rate")
OF_NEGATIVES = ("npv", "false_discovery_rate")
PREDICTIVE = ("precision", "npv", "false_discovery_rate", "false_omission_rate")
ROUNDING = 1e-12
_PREVALENCES = 9  # between the limits of one that is an estimate: a calibration error can be least in between
OF_RATIOS = {None: None, "posterior": None, "logit": "log"}
"""Intervals of predictive values, and the likelihood ratio's that each is made from."""


def shift_counts_estimates(
    counts: Counts,
    metrics: Iterable[Metric],
    prevalence: float | tuple[int, int] | Estimate | PrevalenceEstimate,
    *,
    confidence_level: float = 0.95,
    context: str = "",
) -> dict[str, Estimate]:
    """Decision metrics at another prevalence, with the uncertainty of sensitivity, specificity and of the prevalence.

    Predictive values have the interval of their likelihood ratio, carried over; what does not depend on prevalence has
    the interval it always has; all others, and all at a prevalence that is itself an estimate, have equal tails of the
    posterior of the rates at the given prevalence. Metrics of scores are left out: a 2x2 table cannot shift them.

    Examples
    --------
    >>> from unconfuse.metrics import METRICS
    >>> study = Counts(tp=90, fp=5, fn=10, tn=95)
    >>> shifted = shift_counts_estimates(study, METRICS.values(), .02)
    >>> print(f"{shifted['precision'].value:.3f} {shifted['accuracy'].value:.3f} {shifted['sensitivity'].value:.3f}")
    0.269 0.949 0.900
    """
    table, share = counts_of(counts), prevalence_of(prevalence)
    wanted = [metric for metric in metrics if metric.of == "counts"]
    words = context or (
        f"prevalence {share}, sensitivity from {float(counts.positives):g} positives, "
        f"specificity from {float(counts.negatives):g} negatives"
    )

    there = ShiftedCounts(table, share, confidence_level, words)
    moving = [metric for metric in wanted if metric.depends_on_prevalence and not _is_predictive(metric)]
    limits = there.posterior_limits(moving)
    return {
        metric.name: there.wrapped(metric, limits[metric.name]) if metric.name in limits else there.metric(metric)
        for metric in wanted
    }


@dataclass(frozen=True)
class ShiftedCounts:
    """The 2x2 table of a study among other cases: the share of positives there, and how intervals are made and told."""

    counts: Counts
    share: PrevalenceEstimate
    confidence_level: float = 0.95
    context: str = ""
    source: HasCounts | None = None  # where only an evaluation knows which cases belong together

    def metric(self, metric: Metric, *, confidence_level: float | None = None, method: str | None = None) -> Estimate:
        """One decision metric there."""
        there = self if confidence_level is None else replace(self, confidence_level=confidence_level)
        if not metric.depends_on_prevalence:
            how = {"confidence_level": there.confidence_level, "method": method, "context": self.context}
            estimate = estimate_counts(metric, self.counts, fixed_classes=True, **how)  # type: ignore[arg-type]
            return replace(estimate, baseline=self.chance(metric), recompute=partial(self.metric, metric))
        if not _is_predictive(metric):
            if method not in (None, "posterior"):
                known = f"{metric.name} at another prevalence has the interval 'posterior' only"
                raise ArgumentError(f"{known}; got {method!r}.")
            return there.wrapped(metric, there.posterior_limits([metric])[metric.name])
        if method not in OF_RATIOS or (method == "logit" and self.share.trials is not None):
            known = f"{metric.name} at another prevalence has the intervals 'posterior' and, if it is known, 'logit'"
            raise ArgumentError(f"{known}; got {method!r}.")
        return there.wrapped(metric, there._predictive_limits(metric.name, OF_RATIOS[method]))

    def chance(self, metric: Metric) -> float:
        """Return the value there of a useless classifier that labels as many cases positive as this one does there."""
        there = self.counts.at_prevalence(self.share.value)
        return float(metric.baseline(self.share.value, METRICS["queue_rate"](there)))

    def posterior_limits(self, metrics: list[Metric]) -> dict[str, Limits]:
        """Equal tails of what the distributions of the rates make of each metric."""
        intervals = posterior_intervals(
            {metric.name: metric for metric in metrics},
            self.counts,
            confidence_level=self.confidence_level,
            prevalence=self.share.value,
            prevalence_trials=self.share.trials,
        )
        made = "posterior at the given prevalence"
        return {name: (made, float(low), float(high)) for name, (low, high) in intervals.items()}

    def _predictive_limits(self, name: str, method: str | None) -> Limits:
        """As of one person's probability after the label."""
        study, label = self.source or self.counts, "+" if name in AFTER_POSITIVE else "-"
        made, low, high = limits_after(study, self.share, label, self.confidence_level, method)
        return (made, 1 - high, 1 - low) if name in OF_NEGATIVES else (made, low, high)

    def wrapped(self, metric: Metric, limits: Limits) -> Estimate:
        """Return the value there; without an interval if it is undefined or follows from the prevalence alone."""
        there = self.counts.at_prevalence(self.share.value)
        value = float(metric(there))
        method, low, high = limits
        undefined = metric.undefined if math.isnan(value) else None
        if undefined or high - low <= ROUNDING:
            method, low, high = "" if undefined else NoInterval("given"), math.nan, math.nan
        return Estimate(
            metric.name,
            metric.label,
            value,
            min(low, value),  # whose last bit is that of another sum
            max(high, value),
            confidence_level=self.confidence_level,
            method=method,
            undefined=undefined,
            better=metric.better,
            baseline=self.chance(metric),
            conditions=self.context,
            recompute=partial(self.metric, metric),
        )


def predictive_limits(
    name: str, source: HasCounts | Counts, prevalence: npt.ArrayLike, *, confidence_level: float
) -> tuple[Array, Array]:
    """Limits at known prevalences: odds after the label = odds before it x likelihood ratio."""
    ratio = "lr_positive" if name in AFTER_POSITIVE else "lr_negative"
    _, *ends = ratio_limits(source, ratio, confidence_level)
    low, high = (probability_after(prevalence, end) for end in ends)
    return (1 - high, 1 - low) if name in OF_NEGATIVES else (low, high)


def with_prevalence_error(
    found: Estimate, at: Callable[[float], float], share: PrevalenceEstimate, span: tuple[float, float]
) -> Estimate:
    """Add the error of an estimated prevalence to an estimate that was made at its value.

    The data and the prevalence err independently, so their distances to the limits add up as squares. `at` is the value
    at a prevalence, which need not rise or fall all the way between the limits; `span` is the metric's range.
    """
    if share.trials is None or math.isnan(found.low):
        return found
    low, high = (logit(end) for end in share.limits(found.confidence_level))
    inside = expit(np.linspace(low, high, _PREVALENCES)) if np.isfinite(high - low) else np.array([share.value])
    values = np.array([at(float(each)) for each in inside])
    below = math.hypot(found.value - found.low, max(found.value - float(np.nanmin(values)), 0.0))
    above = math.hypot(found.high - found.value, max(float(np.nanmax(values)) - found.value, 0.0))
    spread = float(np.nanmax(values) - np.nanmin(values)) / (2 * quantile(found.confidence_level))
    return replace(
        found,
        low=max(found.value - below, span[0]),
        high=min(found.value + above, span[1]),
        method=found.method + ", with the prevalence's error",
        standard_error=math.hypot(found.standard_error, spread),
    )


def _is_predictive(metric: Metric) -> bool:
    """Check whether a metric is a built-in predictive value; a user's own metric may bear any name."""
    return metric.name in PREDICTIVE and METRICS[metric.name] is metric


def standardised_predictive_values(
    source: HasCounts | Counts, *, confidence_level: float | None = None
) -> dict[str, Estimate]:
    """Precision and NPV as if half of all cases were positive, to compare tests from studies of different prevalence.

    Examples
    --------
    >>> import unconfuse as uc
    >>> values = standardised_predictive_values(uc.Counts(tp=30, fp=20, fn=10, tn=140))
    >>> print(f"{values['precision'].value:.3f} {values['npv'].value:.3f}")
    0.857 0.778
    """
    counts, level = counts_of(source), level_of(source, confidence_level)
    there = ShiftedCounts(
        counts, PrevalenceEstimate(0.5), level, "at prevalence 1/2", None if isinstance(source, Counts) else source
    )
    return {name: there.metric(METRICS[name]) for name in ("precision", "npv")}


def predictive_value_curve(
    source: HasCounts | Counts, prevalences: npt.ArrayLike | None = None, *, confidence_level: float | None = None
) -> dict[str, Array]:
    """Precision and NPV of one classifier over a range of prevalences, with pointwise limits, as named columns.

    By default there are 199 prevalences from 0.001 to 0.999, evenly spaced in log-odds.

    Examples
    --------
    >>> import unconfuse as uc
    >>> curve = predictive_value_curve(uc.Counts(tp=90, fp=5, fn=10, tn=95), [.01, .1, .5])
    >>> curve["precision"].round(3)
    array([0.154, 0.667, 0.947])
    """
    counts, level = counts_of(source), level_of(source, confidence_level)
    usual = expit(np.linspace(logit(0.001), logit(0.999), 199))
    at = usual if prevalences is None else as_numbers(prevalences, "prevalences")
    if ((at < 0) | (at > 1)).any():
        raise ArgumentError("`prevalences` must lie between 0 and 1. Hint: 2% is 0.02.")

    columns: dict[str, Array] = {"prevalence": at}
    there = counts.at_prevalence(at)
    for name in ("precision", "npv"):
        low, high = predictive_limits(name, source, at, confidence_level=level)
        value = METRICS[name](there)
        columns |= {name: value, f"{name}_low": np.minimum(low, value), f"{name}_high": np.maximum(high, value)}
    return columns


def break_even_prevalence(
    source: HasCounts | Counts,
    *,
    precision: float | None = None,
    npv: float | None = None,
    confidence_level: float | None = None,
) -> Estimate:
    r"""Find the prevalence at which a label is right exactly as often as demanded.

    At :math:`\pi^* = FPR / (Se + FPR)` every second alarm is right; where the condition is rarer, most are false.
    In general the odds of the break-even prevalence are the odds of the target divided by the likelihood ratio. A
    `precision` (1/2 if nothing is given) is reached at and above the result, an `npv` at and below.

    Examples
    --------
    >>> import unconfuse as uc
    >>> test = uc.Counts(tp=90, fp=5, fn=10, tn=95)
    >>> round(break_even_prevalence(test).value, 4)
    0.0526
    >>> round(break_even_prevalence(test, npv=.99).value, 4)
    0.0876
    """
    if precision is not None and npv is not None:
        raise ArgumentError("give `precision` or `npv`, not both: each has its own break-even prevalence.")
    counts, level = counts_of(source), level_of(source, confidence_level)
    if npv is None:
        target = check_probability(0.5 if precision is None else precision, "precision", open_interval=True)
        what, ratio, odds = f"precision {target:g}", METRICS["lr_positive"], target / (1 - target)
    else:
        target = check_probability(npv, "npv", open_interval=True)
        what, ratio, odds = f"NPV {target:g}", METRICS["lr_negative"], (1 - target) / target

    value = float(odds / (odds + ratio(counts)))
    method, *ends = ratio_limits(source, ratio.name, level)
    high, low = (odds / (odds + end) for end in ends)
    return Estimate(
        "break_even_prevalence",
        f"Prevalence at which the {what} is reached",
        value,
        min(low, value),
        max(high, value),
        level,
        method=method if math.isnan(low) else f"{method} of {SHORT[ratio.name]}",
        better="lower" if npv is None else "higher",
        undefined=ratio.undefined if math.isnan(value) else None,
    )
