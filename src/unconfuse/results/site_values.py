"""What each site knows of a metric: successes and trials, or a value with its variance on the metric's scale."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unconfuse.metrics import Metric
from unconfuse.metrics.influence_functions import is_auroc, quantile
from unconfuse.metrics.requirements import cut_for
from unconfuse.multilevel.sites import PooledRates, PooledValues, Scale, areas
from unconfuse.table import Counts, Sample, Settings
from unconfuse.uncertainty.contrasts import PairedContrasts
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.joint_replicates import value_of
from unconfuse.uncertainty.proportion_intervals import delta_variance
from unconfuse.uncertainty.simultaneous import SimultaneousResult

_UNIT = (0.0, 1.0)
_ROUNDING = 1e-12  # a share this near to an end is at the end: sums of fractional weights are off by less
Pooled = PooledValues | PooledRates


@dataclass(frozen=True, eq=False)
class SiteValues:
    """Sites that take part with what they know, and why others do not."""

    pooled: Pooled
    taking_part: tuple[str, ...]
    left_out: Mapping[str, str]


def scale_of(metric: Metric) -> Scale:
    """Return the scale on which sites are averaged: logit of shares, log of ratios and losses, else plain.

    >>> from unconfuse import METRICS
    >>> [scale_of(METRICS[name]).name for name in ("auroc", "f1", "lr_positive", "brier", "mcc")]
    ['logit', 'logit', 'log', 'identity', 'identity']
    """
    if metric.range == _UNIT and metric.of != "probabilities":
        return Scale("logit")
    return Scale("log") if metric.range == (0.0, math.inf) else Scale("identity", *metric.range)


def values_of_sites(
    metric: Metric, sites: Mapping[str, Sample], asked: Mapping[str, Mapping[str, Estimate]], how: Settings
) -> SiteValues:
    """Return what the sites know of one metric of one model."""
    counted = all(_is_counted(site) for site in sites.values())
    if counted and _is_share(metric, fixed_classes=_fixed(sites)):
        return _shares(metric, sites, how)
    if counted and metric.of == "counts":
        return _by_counts(metric, sites, how)
    if counted and is_auroc(metric):
        return _areas(metric, sites, how)
    return _by_estimates(metric, sites, asked, how)


def _is_counted(sample: Sample) -> bool:
    """Whether whole cases were drawn each for itself."""
    return sample.sampling.counted


def _fixed(sites: Mapping[str, Sample]) -> bool:
    """Whether the study chose the class totals."""
    return any(site.sampling.fixed_classes for site in sites.values())


def _is_share(metric: Metric, *, fixed_classes: bool) -> bool:
    fixed = fixed_classes and metric.depends_on_prevalence
    if metric.of == "cells":
        return metric.interval == "mid_p" and not fixed_classes
    return metric.of == "counts" and metric.inference.fraction is not None and metric.range == _UNIT and not fixed


def _shares(metric: Metric, sites: Mapping[str, Sample], how: Settings) -> SiteValues:
    found = [_share(metric, site) for site in sites.values()]
    successes, trials = (np.array(each) for each in zip(*found, strict=True))
    empty = {name: metric.undefined for name, size in zip(sites, trials, strict=True) if size == 0}
    some = tuple(name for name in sites if name not in empty)
    return SiteValues(PooledRates(successes, trials, how.confidence_level), some, empty)


def _share(metric: Metric, sample: Sample) -> tuple[float, float]:
    if metric.of == "cells":
        return value_of(metric, sample, sample.only_model) * sample.n, sample.n
    assert metric.inference.fraction is not None
    successes, trials = metric.inference.fraction(cut_for(metric, sample).counts())
    return float(successes), float(trials)


def _areas(metric: Metric, sites: Mapping[str, Sample], how: Settings) -> SiteValues:
    """Of the AUROC itself; what is an affine function of it takes its limits over."""
    both = {name: site for name, site in sites.items() if site.positives > 0 and site.negatives > 0}
    root = metric.root.of
    auroc, positives, negatives = np.array(
        [(value_of(root, sample, sample.only_model), sample.positives, sample.negatives) for sample in both.values()]
    ).T.reshape(3, -1)
    y, variances, plain = areas(auroc, positives, negatives) if both else (auroc, auroc, auroc)
    test, level = "Cochran's Q, Hanley-McNeil errors", how.confidence_level
    pooled = PooledValues(y, variances, Scale("logit"), level, test, (auroc, plain))
    return SiteValues(pooled, tuple(both), {name: _one_class(site) for name, site in sites.items() if name not in both})


def _one_class(sample: Sample) -> str:
    return f"there are no {'positives' if sample.positives == 0 else 'negatives'}"


def _by_counts(metric: Metric, sites: Mapping[str, Sample], how: Settings) -> SiteValues:
    """By the delta method, with half a case in each cell: no site seems certain, and ratios stay finite."""
    scale, found, left_out = scale_of(metric), {}, {}
    for name, sample in sites.items():
        counts = cut_for(metric, sample).counts()
        if not (sample.positives > 0 and sample.negatives > 0):
            left_out[name] = _one_class(sample)
            continue
        padded = Counts(**{cell: float(each) + 0.5 for cell, each in counts.as_dict().items()})
        own, inside = float(metric(counts)), float(metric(padded))
        y = float(scale.to(own))
        variance = (
            delta_variance(metric, padded, cohort=not sample.sampling.fixed_classes) * float(scale.slope(inside)) ** 2
        )
        y = y if math.isfinite(y) else float(scale.to(inside))
        if not (math.isfinite(y) and math.isfinite(variance) and variance > 0):
            left_out[name] = metric.undefined
            continue
        found[name] = y, variance
    return _pooled(found, scale, left_out, how)


def _by_estimates(
    metric: Metric, sites: Mapping[str, Sample], asked: Mapping[str, Mapping[str, Estimate]], how: Settings
) -> SiteValues:
    """By each site's own standard error, as its cases were drawn."""
    scale, found, left_out = scale_of(metric.root.of), {}, {}
    for name, sample in sites.items():
        estimate = asked[name][metric.root.of.name]
        placed = _on_scale(estimate, scale, _smaller_class(sample))
        if placed is None:
            left_out[name] = estimate.undefined or "there is no standard error"
        else:
            found[name] = placed
    return _pooled(found, scale, left_out, how)


def _smaller_class(sample: Sample) -> float:
    """Return the size of the smallest class that has cases."""
    return float(min((effective_size for effective_size in sample.effective_sizes if effective_size > 0), default=1.0))


def _on_scale(own: Estimate, scale: Scale, size: float) -> tuple[float, float] | None:
    """Return a value and its variance on the scale; at the end of the range with half a case of the smaller class."""
    if not math.isfinite(own.value):
        return None
    if scale.name == "logit" and min(own.value, 1 - own.value) < _ROUNDING:
        inside = (own.value * size + 0.5) / (size + 1)
        return float(scale.to(inside)), 1 / (size * inside * (1 - inside))
    y = float(scale.to(own.value))
    error = own.standard_error * float(scale.slope(own.value))
    if not error > 0:
        ends = scale.to([own.low, own.high])
        error = float(ends[1] - ends[0]) / (2 * quantile(own.confidence_level))
    return (y, error**2) if math.isfinite(y) and math.isfinite(error) and error > 0 else None


def _pooled(
    found: Mapping[str, tuple[float, float]], scale: Scale, left_out: Mapping[str, str], how: Settings
) -> SiteValues:
    y, variances = np.array(list(found.values()), dtype=np.float64).reshape(-1, 2).T
    return SiteValues(PooledValues(y, variances, scale, how.confidence_level), tuple(found), left_out)


def differences_of_sites(
    metric: Metric, sites: Mapping[str, Sample], pair: tuple[str, str], how: Settings
) -> tuple[SiteValues, dict[str, SimultaneousResult]]:
    """Return paired differences of two models in each site, on the plain scale."""
    found: dict[str, SimultaneousResult] = {}
    values: dict[str, tuple[float, float]] = {}
    left_out: dict[str, str] = {}
    for name, sample in sites.items():
        if (np.asarray(sample.sizes) > 0).sum() < 2 and metric.of != "counts":
            left_out[name] = "there is one class only"
            continue
        simultaneous_result = found[name] = PairedContrasts(
            [metric], cut_for(metric, sample), [pair], how.without_progress(), "max-t"
        ).differences(metric)[0]
        if not math.isfinite(simultaneous_result.value):
            left_out[name] = metric.undefined
            continue
        values[name] = simultaneous_result.value, variance_of_difference(simultaneous_result, sample)
    width = metric.range[1] - metric.range[0]
    return _pooled(values, Scale("identity", -width, width), left_out, how), found


def variance_of_difference(own: SimultaneousResult, sample: Sample) -> float:
    """Return that of a difference; two pseudo cases, +1 and -1, where no case shows a difference."""
    if own.standard_error > 0 and math.isfinite(own.standard_error):
        return own.standard_error**2
    size = _smaller_class(sample)
    return 2 / ((size + 1) * (size + 2))
