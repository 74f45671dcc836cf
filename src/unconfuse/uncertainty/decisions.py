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
    """A way to make an interval: what to call it in print, how, and for which metrics."""

    label: str
    limits: Callable[[Metric, Counts, float], Limits]
    serves: Callable[[Metric], bool] = lambda metric: True


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
    return {
        each.name: estimate(each, counts, confidence_level=confidence_level, design=design, context=context)
        for each in metrics
    }


def limits(
    metric: Metric, counts: Counts, *, confidence_level: float = 0.95, design: str = "cohort", method: str | None = None
) -> tuple[str, Limits]:
    """The name in print of the method used, and the limits for every table in `counts`."""
    chosen = _find(method or metric.interval)
    if not chosen.serves(metric):
        raise ArgumentError(f"the {chosen.label} interval does not serve {metric.name}. Hint: use method='posterior'.")
    if design == "case-control" and metric.depends_on_prevalence:
        return _with_fixed_class_sizes(metric, counts, confidence_level)
    return chosen.label, chosen.limits(metric, counts, confidence_level)


def _with_fixed_class_sizes(metric: Metric, counts: Counts, confidence_level: float) -> tuple[str, Limits]:
    """The study chose the share of positives, so that only sensitivity and specificity are uncertain."""
    low, high = posterior_interval(metric, counts, confidence_level=confidence_level, design="case-control")
    if np.all(low == high):
        return FIXED_BY_DESIGN, (np.full_like(low, np.nan), np.full_like(high, np.nan))
    return METHODS["posterior"].label, (low, high)


def _is_proportion(metric: Metric) -> bool:
    return metric.fraction is not None


def _proportion(name: str, metric: Metric, counts: Counts, level: float) -> Limits:
    assert metric.fraction is not None
    return closed_form.PROPORTION_METHODS[name](*metric.fraction(counts), confidence_level=level)


def _posterior(metric: Metric, counts: Counts, level: float) -> Limits:
    return posterior_interval(metric, counts, confidence_level=level)


def _log(metric: Metric, counts: Counts, level: float) -> Limits:
    return _LOG[metric.name](counts, confidence_level=level)


def _f1(metric: Metric, counts: Counts, level: float) -> Limits:
    return closed_form.f1_of_jaccard(counts, confidence_level=level)


_LOG: Mapping[str, Callable[..., Limits]] = {
    "lr_positive": closed_form.log_lr_positive,
    "lr_negative": closed_form.log_lr_negative,
    "diagnostic_odds_ratio": closed_form.log_odds_ratio,
}
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
            name: Method(label, partial(_proportion, name), _is_proportion)
            for name, label in _PROPORTION_LABELS.items()
        },
        "posterior": Method("posterior", _posterior),
        "f1_of_jaccard": Method("mid-p of Jaccard", _f1, lambda metric: metric.name == "f1"),
        "log": Method("log", _log, lambda metric: metric.name in _LOG),
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
