"""The same classifier in a population where positives are rarer or more common."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from unconfuse._errors import ArgumentError
from unconfuse.bayesian._source import Prevalence, counts_of, prevalence_of
from unconfuse.metrics import METRICS, Metric
from unconfuse.table import Array, Counts
from unconfuse.uncertainty import estimate, limits
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.posterior import posterior_interval, posterior_intervals

AFTER_POSITIVE = ("precision", "false_discovery_rate")
RISING = ("precision", "false_omission_rate")  # with the prevalence
PREDICTIVE = ("precision", "npv", "false_discovery_rate", "false_omission_rate")
LOGIT = "logit interval"
POSTERIOR = "posterior at the given prevalence"
GIVEN = "given"
ROUNDING = 1e-12
Limits = tuple[str, float, float]
"""How an interval was made, and its ends."""


def shift_counts_estimates(
    counts: Counts,
    metrics: Iterable[Metric],
    prevalence: float | tuple[int, int] | Estimate | Prevalence,
    *,
    confidence_level: float = 0.95,
    context: str = "",
) -> dict[str, Estimate]:
    """Decision metrics at another prevalence, with the uncertainty of sensitivity, specificity and of the prevalence.

    Parameters
    ----------
    counts : Counts
        One 2x2 table, from a study of any prevalence.
    metrics : iterable of Metric
        Those of scores are left out: a 2x2 table cannot shift them.
    prevalence : float, (positives, cases) or Estimate
        A number is taken as known; (20, 1000) means that 20 of 1,000 other cases were positive.
    confidence_level : float
    context : str
        Added to each estimate; the prevalence and the class sizes by default.

    Returns
    -------
    dict of name to Estimate
        Predictive values with logit intervals; metrics that do not depend on prevalence with the interval they have;
        all others, and all with an empty cell, with equal tails of the posterior of the rates at the given prevalence.

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

    moving = [metric for metric in wanted if metric.depends_on_prevalence and metric.name not in PREDICTIVE]
    limits = _posterior_limits(moving, table, share, confidence_level)
    return {
        each.name: _shifted(each, table, share, limits, confidence_level=confidence_level, context=words)
        for each in wanted
    }


def _shifted(
    metric: Metric,
    counts: Counts,
    share: Prevalence,
    limits: dict[str, Limits],
    *,
    confidence_level: float,
    context: str,
) -> Estimate:
    if not metric.depends_on_prevalence:
        return estimate(metric, counts, confidence_level=confidence_level, design="case-control", context=context)
    if metric.name in PREDICTIVE:
        return predictive_value(metric.name, counts, share, confidence_level=confidence_level, context=context)
    return _wrapped(metric, counts, share, limits[metric.name], confidence_level=confidence_level, context=context)


def predictive_value(
    name: str,
    counts: Counts,
    prevalence: Prevalence,
    *,
    confidence_level: float = 0.95,
    method: str | None = None,
    context: str = "",
) -> Estimate:
    """Precision, NPV, or the complement of one of them, at a prevalence, with a logit interval."""
    metric = METRICS[name]
    if method not in (None, "logit", "posterior"):
        raise ArgumentError(f"{name} at another prevalence has the intervals 'logit' and 'posterior'; got {method!r}.")
    limits = None if method == "posterior" else _logit_limits(name, counts, prevalence, confidence_level)
    if limits is None:
        limits = _posterior_limits([metric], counts, prevalence, confidence_level)[name]
    return _wrapped(metric, counts, prevalence, limits, confidence_level=confidence_level, context=context)


def predictive_limits(
    name: str, counts: Counts, prevalence: npt.ArrayLike, *, confidence_level: float
) -> tuple[Array, Array]:
    """Limits at known prevalences: odds after the label = odds before it x likelihood ratio.

    The interval of the log likelihood ratio carries over to the log-odds of the predictive value, because the two
    differ by a constant: this is the logit interval. With an empty cell it would collapse or be far too wide, so that
    the posterior takes its place.
    """
    at = np.asarray(prevalence, dtype=np.float64)
    if _has_empty_cell(counts):
        tables = Counts(**{cell: np.broadcast_to(count, at.shape) for cell, count in counts.as_dict().items()})
        return posterior_interval(METRICS[name], tables, prevalence=at, confidence_level=confidence_level)
    ratio = METRICS["lr_positive" if name in AFTER_POSITIVE else "lr_negative"]
    _, ends = limits(ratio, counts, confidence_level=confidence_level, method="log")
    low, high = (expit(logit(at) + np.log(end)) for end in ends)
    return (1 - high, 1 - low) if name in ("npv", "false_discovery_rate") else (low, high)


def _has_empty_cell(counts: Counts) -> bool:
    return not (counts.tp and counts.fp and counts.fn and counts.tn)


def _logit_limits(name: str, counts: Counts, share: Prevalence, level: float) -> Limits | None:
    """The logit interval; None where a cell is empty or a prevalence of 0 or 1 is itself uncertain."""
    if _has_empty_cell(counts) or (share.trials and share.value in (0, 1)):
        return None
    low, high = (float(end) for end in predictive_limits(name, counts, share.value, confidence_level=level))
    if share.trials is None:
        return LOGIT, low, high
    # Two independent terms on the log-odds scale: their distances to the limits add up as squares.
    value, ends = logit(float(METRICS[name](counts.at_prevalence(share.value)))), share.limits(level)
    below, above = sorted((logit(end) - logit(share.value)) * (1 if name in RISING else -1) for end in ends)
    return (
        LOGIT,
        float(expit(value - np.hypot(value - logit(low), below))),
        float(expit(value + np.hypot(logit(high) - value, above))),
    )


def _posterior_limits(metrics: list[Metric], counts: Counts, share: Prevalence, level: float) -> dict[str, Limits]:
    """Equal tails of what the distributions of the rates make of each metric."""
    found = posterior_intervals(
        {metric.name: metric for metric in metrics},
        counts,
        confidence_level=level,
        prevalence=share.value,
        prevalence_trials=share.trials,
    )
    return {name: (POSTERIOR, float(low), float(high)) for name, (low, high) in found.items()}


def _wrapped(
    metric: Metric, counts: Counts, share: Prevalence, limits: Limits, *, confidence_level: float, context: str
) -> Estimate:
    """The value there; without an interval if it is undefined or follows from the prevalence alone."""
    there = counts.at_prevalence(share.value)
    value = float(metric(there))
    method, low, high = limits
    undefined = metric.undefined if math.isnan(value) else None
    if undefined or not high - low > ROUNDING:
        method, low, high = "" if undefined else GIVEN, math.nan, math.nan
    return Estimate(
        metric.name,
        metric.label,
        value,
        low,
        high,
        confidence_level=confidence_level,
        method=method,
        undefined=undefined,
        better=metric.better,
        baseline=float(metric.baseline(share.value, METRICS["queue_rate"](there))),
        context=context,
        ask=partial(_ask_again, metric, counts, share, context=context),
    )


def _ask_again(
    metric: Metric, counts: Counts, share: Prevalence, *, confidence_level: float, method: str | None, context: str
) -> Estimate:
    if metric.name in PREDICTIVE:
        return predictive_value(
            metric.name, counts, share, confidence_level=confidence_level, method=method, context=context
        )
    if method not in (None, "posterior"):
        raise ArgumentError(f"{metric.name} at another prevalence has the interval 'posterior' only; got {method!r}.")
    limits = _posterior_limits([metric], counts, share, confidence_level)
    return _wrapped(metric, counts, share, limits[metric.name], confidence_level=confidence_level, context=context)
