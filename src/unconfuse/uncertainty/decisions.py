"""Intervals of decision metrics, by name: which one a metric uses is part of its declaration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np

from unconfuse._errors import ArgumentError, nearest
from unconfuse.metrics import Metric
from unconfuse.metrics._definition import ratio
from unconfuse.results import Estimate, number_text
from unconfuse.table import Counts
from unconfuse.uncertainty import closed_form
from unconfuse.uncertainty.closed_form import Limits
from unconfuse.uncertainty.posterior import posterior_interval

FIXED_BY_DESIGN = "fixed by the case-control design"


@dataclass(frozen=True)
class Method:
    """A way to make an interval: what to call it in print, what it can be used for, and how."""

    label: str
    limits: Callable[[Metric, Counts, float, str], Limits]
    needs_fraction: bool = False


def estimate(
    metric: Metric,
    counts: Counts,
    *,
    confidence_level: float = 0.95,
    design: str = "cohort",
    method: str | None = None,
    context: str = "",
) -> Estimate:
    """One decision metric of one 2x2 table with its interval.

    Examples
    --------
    >>> from unconfuse.metrics import METRICS
    >>> print(estimate(METRICS["npv"], Counts(tp=30, fp=20, fn=10, tn=140), method="wilson"))
    npv 0.933 [0.882, 0.963] 95% Wilson
    """
    value = float(metric(counts))
    label, (low, high) = limits(metric, counts, confidence_level=confidence_level, design=design, method=method)
    undefined = metric.undefined if np.isnan(value) else None
    return Estimate(
        name=metric.name,
        label=metric.label,
        value=value,
        low=np.nan if undefined else max(float(low), metric.range[0]),
        high=np.nan if undefined else min(float(high), metric.range[1]),
        confidence_level=confidence_level,
        method="" if undefined else label,
        undefined=undefined,
        better=metric.better,
        baseline=_baseline(metric, counts),
        context=context,
        ask=partial(estimate, metric, counts, design=design, context=context),
    )


def estimate_all(
    metrics: Iterable[Metric],
    counts: Counts,
    *,
    confidence_level: float = 0.95,
    design: str = "cohort",
    threshold: float | None = None,
) -> Mapping[str, Estimate]:
    """Several decision metrics of one 2x2 table, by name."""
    at = "" if threshold is None else f"threshold {number_text(threshold)}, "
    context = f"{at}{float(counts.positives):g} positives of {float(counts.total):g}"
    return MappingProxyType(
        {
            each.name: estimate(each, counts, confidence_level=confidence_level, design=design, context=context)
            for each in metrics
        }
    )


def limits(
    metric: Metric,
    counts: Counts,
    *,
    confidence_level: float = 0.95,
    design: str = "cohort",
    method: str | None = None,
) -> tuple[str, Limits]:
    """The name in print of the method used, and the limits for every table in `counts`."""
    if design == "case-control" and metric.depends_on_prevalence:
        return _with_fixed_class_sizes(metric, counts, confidence_level)
    chosen = _find(method or metric.interval)
    if chosen.needs_fraction and metric.fraction is None:
        raise ArgumentError(f"{chosen.label} is for proportions, and {metric.name} is not one. Hint: use 'posterior'.")
    return chosen.label, chosen.limits(metric, counts, confidence_level, design)


def _with_fixed_class_sizes(metric: Metric, counts: Counts, confidence_level: float) -> tuple[str, Limits]:
    """The study chose the share of positives, so that only sensitivity and specificity are uncertain."""
    low, high = _posterior(metric, counts, confidence_level, "case-control")
    fixed = low == high
    if counts.shape == () and fixed:
        return FIXED_BY_DESIGN, (np.full_like(low, np.nan), np.full_like(high, np.nan))
    return METHODS["posterior"].label, (low, high)


def _proportion(name: str, metric: Metric, counts: Counts, level: float, design: str) -> Limits:
    if metric.fraction is None:
        raise ArgumentError(f"{metric.name} is not a proportion.")
    return closed_form.PROPORTION_METHODS[name](*metric.fraction(counts), confidence_level=level)


def _posterior(metric: Metric, counts: Counts, level: float, design: str) -> Limits:
    return posterior_interval(metric, counts, confidence_level=level, design="case-control" if design == "case-control" else "cohort")


def _log(name: str, metric: Metric, counts: Counts, level: float, design: str) -> Limits:
    function: Callable[..., Limits] = getattr(closed_form, name)
    return function(counts, confidence_level=level)


def _f1_of_jaccard(metric: Metric, counts: Counts, level: float, design: str) -> Limits:
    """F1 = 2J / (1 + J) rises with the Jaccard index J, which is a proportion: its limits carry over."""
    low, high = closed_form.mid_p(counts.tp, counts.tp + counts.fp + counts.fn, confidence_level=level)
    return ratio(2 * low, 1 + low), ratio(2 * high, 1 + high)


_PROPORTION_LABELS = {
    "mid_p": "mid-p",
    "wilson": "Wilson",
    "clopper_pearson": "Clopper-Pearson",
    "jeffreys": "Jeffreys",
    "agresti_coull": "Agresti-Coull",
}
METHODS: Mapping[str, Method] = MappingProxyType(
    {
        **{
            name: Method(label, partial(_proportion, name), needs_fraction=True)
            for name, label in _PROPORTION_LABELS.items()
        },
        "posterior": Method("posterior", _posterior),
        "f1_of_jaccard": Method("mid-p of Jaccard", _f1_of_jaccard),
        "log_lr_positive": Method("log interval", partial(_log, "log_lr_positive")),
        "log_lr_negative": Method("log interval", partial(_log, "log_lr_negative")),
        "log_odds_ratio": Method("log interval", partial(_log, "log_odds_ratio")),
    }
)


def _find(name: str) -> Method:
    if name not in METHODS:
        raise ArgumentError(f"unknown interval method {name!r}. {nearest(name, METHODS)}")
    return METHODS[name]


def _baseline(metric: Metric, counts: Counts) -> float:
    """The value of a useless classifier that labels as many cases positive among as many positives."""
    share, queue = ratio(counts.positives, counts.total), ratio(counts.labelled_positive, counts.total)
    return float(metric.baseline(share, queue))
