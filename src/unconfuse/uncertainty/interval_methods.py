"""Every interval by name, for counts, for score tables and for replicates: what `.interval(method=...)` accepts.

A method looks at what a metric declares (a fraction, limits on the log scale, an influence, a range), never at its
name, so that a user's own metric is served like any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import short_repr
from unconfuse._validate import check_text
from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics._metric import ratio
from unconfuse.metrics.best_threshold import p_of_search
from unconfuse.metrics.constrained import constraint_of
from unconfuse.metrics.influence_functions import is_auroc
from unconfuse.table import Array, Counts, ScoreTable, Settings
from unconfuse.table.looks import Critical
from unconfuse.uncertainty import bootstrap_intervals, influence_intervals, proportion_intervals
from unconfuse.uncertainty.bootstrap import replicates_of_counts
from unconfuse.uncertainty.posterior import posterior_interval, posterior_intervals
from unconfuse.uncertainty.profile_likelihood import by_profile, sandwich_error
from unconfuse.uncertainty.proportion_intervals import FIXED_BY_DESIGN, Interval, Limits

_HALVINGS = 12  # of a share of a distance: known to a four-thousandth
_CLEARLY = 1e-3  # a p-value of the best threshold below which no labels dealt out anew come near the value
Source = Literal["counts", "table", "replicates"]


@dataclass(frozen=True)
class IntervalMethod:
    """A way to make an interval: its name in print, whether it serves a metric, and what it is made from.

    `limits` takes (metric, counts, level) and gives (low, high); from a table (metric, table, fixed_classes, level) and
    gives `Interval`, of a metric that is no affine function of another; from replicates (metric, table or counts,
    value, `MetricReplicates`, level), where `smoothed` ones are of a table with half a case in each class, others of
    the data as they are. `error` is the standard error of such a metric on a table, with or without fixed class totals.
    `by_chance` is the p-value of a useless ranking, for metrics whose chance level is an end that their values never
    reach; others invert the interval.
    """

    label: str
    limits: Callable[..., Any]
    serves: Callable[[Metric], bool]
    source: Source = "counts"
    error: Callable[[Metric, ScoreTable, bool], float] = influence_intervals.standard_error
    smoothed: bool = True
    by_chance: Callable[[Metric, ScoreTable], float] | None = None


@dataclass(frozen=True)
class MetricReplicates:
    """Replicates of one metric, the value of the table resampled, whether class totals are fixed, and a remark."""

    replicates: Array
    start: float
    fixed_classes: bool = False
    remark: str = ""


def method_for(metric: Metric, name: str | None = None) -> IntervalMethod:
    """Return the method of that name, or the metric's own; refuse it if it does not serve the metric."""
    wanted = metric.interval if name is None else check_text(name, "method")
    if wanted not in METHODS:
        raise ArgumentError(f"unknown interval method {short_repr(wanted)}. {did_you_mean(wanted, METHODS)}")
    if not METHODS[wanted].serves(metric):
        others = ", ".join(each for each, method in METHODS.items() if method.serves(metric))
        raise ArgumentError(f"the interval {short_repr(wanted)} does not serve {metric.name}. Hint: use {others}.")
    return METHODS[wanted]


def limits(
    metric: Metric,
    counts: Counts,
    *,
    confidence_level: float = 0.95,
    fixed_classes: bool = False,
    method: str | None = None,
    resampling: Settings | None = None,
) -> tuple[str, Limits]:
    """Return the name in print of the method used, and the limits for every table in `counts`."""
    chosen = method_for(metric, method)
    if isinstance(confidence_level, Critical) and _reads_points(metric, chosen, fixed_classes):
        if metric.inference.log_limits is not None:
            return METHODS["log"].label, _log(metric, counts, confidence_level)
        from unconfuse.uncertainty.tail_limits import FAR_OUT, far_limits  # most data are looked at once

        return FAR_OUT, far_limits(metric, counts, confidence_level, cohort=not fixed_classes)
    if chosen.source == "replicates":
        metric_replicates = MetricReplicates(
            replicates_of_counts(metric, counts, fixed_classes, resampling or Settings()), float(metric(counts))
        )
        low, high, label = chosen.limits(metric, counts, metric_replicates.start, metric_replicates, confidence_level)
        return label, (low, high)
    if fixed_classes and metric.depends_on_prevalence:
        return with_fixed_class_sizes([metric], counts, confidence_level)[metric.name]
    of = "" if metric.inference.increasing is None else metric.inference.increasing.of
    return chosen.label.format(of=of), chosen.limits(metric, counts, confidence_level)


def limits_together(
    metrics: Iterable[Metric], counts: Counts, *, confidence_level: float, fixed_classes: bool
) -> dict[str, tuple[str, Limits]]:
    """Return `limits` of one table in one go, for plain proportions and what has a posterior; leave out the others."""
    own = [metric for metric in metrics if not (fixed_classes and metric.depends_on_prevalence)]
    far = isinstance(confidence_level, Critical)  # where points of a posterior do not reach
    by_posterior = {metric.name: metric for metric in own if metric.interval == "posterior" and not far}
    drawn = posterior_intervals(by_posterior, counts, confidence_level=confidence_level) if by_posterior else {}
    found = {name: (METHODS["posterior"].label, ends) for name, ends in drawn.items()}
    plain = [
        (metric, metric.inference.fraction)
        for metric in own
        if metric.interval == "mid_p" and metric.inference.fraction
    ]
    if plain:
        fractions = np.array([[float(part) for part in fraction(counts)] for _, fraction in plain])
        low, high = proportion_intervals.mid_p(*fractions.T, confidence_level=confidence_level)
        label = METHODS["mid_p"].label
        found |= {metric.name: (label, (low[place], high[place])) for place, (metric, _) in enumerate(plain)}
    return found


def limits_of_table(
    metric: Metric,
    table: ScoreTable,
    *,
    fixed_classes: bool = False,
    confidence_level: float = 0.95,
    method: str | None = None,
) -> Interval:
    """Limits of a metric of scores by a method that needs no resampling."""
    root = metric.root
    found = method_for(metric, method).limits(root.of, table, fixed_classes, confidence_level)
    low, high = (root(found.low), root(found.high))[:: 1 if root.scale > 0 else -1]
    return Interval(low, high, found.method)


def has_formula(metric: Metric) -> bool:
    """Whether the default interval of a metric of scores needs no resampling."""
    return metric.of != "counts" and method_for(metric).source == "table"


def compares_by_influence(metric: Metric) -> bool:
    """Whether differences of this metric follow from each case's influence, without resampling."""
    return metric.root.of.inference.influence is not None and has_formula(metric)


def with_fixed_class_sizes(
    metrics: Iterable[Metric], counts: Counts, confidence_level: float
) -> dict[str, tuple[str, Limits]]:
    """Return limits where the study chose the share of positives: only sensitivity and specificity are uncertain."""
    wanted = {metric.name: metric for metric in metrics}
    intervals = posterior_intervals(wanted, counts, confidence_level=confidence_level, fixed_classes=True)
    unknown = FIXED_BY_DESIGN, (np.full(counts.shape, np.nan), np.full(counts.shape, np.nan))
    known = {name: np.any(low != high) for name, (low, high) in intervals.items()}
    return {name: (METHODS["posterior"].label, ends) if known[name] else unknown for name, ends in intervals.items()}


def _reads_points(metric: Metric, chosen: IntervalMethod, fixed_classes: bool) -> bool:
    """Whether the usual interval is read from points of a posterior, which are too few for a far tail."""
    return chosen is METHODS["posterior"] or (fixed_classes and metric.depends_on_prevalence)


def _proportion(function: Callable[..., Limits], metric: Metric, counts: Counts, level: float) -> Limits:
    assert metric.inference.fraction is not None
    return function(*metric.inference.fraction(counts), confidence_level=level)


def _increasing(metric: Metric, counts: Counts, level: float) -> Limits:
    """F1 = 2J/(1 + J) of the Jaccard index J, a plain proportion, needs no approximation of its own."""
    assert metric.inference.increasing is not None
    low, high = proportion_intervals.mid_p(*metric.inference.increasing.fraction(counts), confidence_level=level)
    return metric.inference.increasing.function(low), metric.inference.increasing.function(high)


def _posterior(metric: Metric, counts: Counts, level: float) -> Limits:
    return posterior_interval(metric, counts, confidence_level=level)


def _log(metric: Metric, counts: Counts, level: float) -> Limits:
    assert metric.inference.log_limits is not None
    return metric.inference.log_limits(counts, confidence_level=level)


def _percentile(metric: Metric, table: ScoreTable, value: float, drawn: MetricReplicates, level: float) -> Interval:
    return bootstrap_intervals.percentile(value, drawn.replicates, confidence_level=level)


def _at_level(metric: Metric, table: ScoreTable, value: float, drawn: MetricReplicates, level: float) -> Interval:
    """Of a precision where the data choose the threshold: percentiles, or the hull over all that ties leave open.

    Where scores are tied the value jumps from one threshold to the next, and resamples that rarely jump hide the other
    one. Elsewhere percentiles at Student's quantiles, with twice as many degrees of freedom as the smaller class has
    cases (tests/coverage/indistinguishability.py).
    """
    assert metric.inference.candidates is not None
    counts = metric.inference.candidates(table, drawn.fixed_classes, level)
    if counts is None:
        twice = 2 * min(table.n_positives, table.n_negatives)
        found = bootstrap_intervals.student_percentile(value, drawn.replicates, twice, confidence_level=level)
    else:
        how, (low, high) = limits(
            METRICS["precision"], counts, confidence_level=level, fixed_classes=drawn.fixed_classes
        )
        how = f"{how} of the precision at each threshold that ties leave open"
        found = Interval(np.min(low, axis=-1), np.max(high, axis=-1), how)
    top = np.maximum(found.high, value) if value < 1 else np.asarray(1.0)
    return Interval(np.minimum(found.low, value), top, found.method)


def _basic(metric: Metric, table: ScoreTable, value: float, drawn: MetricReplicates, level: float) -> Interval:
    return bootstrap_intervals.basic(value, drawn.replicates, confidence_level=level, range=metric.range)


def _bca(metric: Metric, table: ScoreTable | Counts, value: float, drawn: MetricReplicates, level: float) -> Interval:
    if isinstance(table, Counts):
        pull = bootstrap_intervals.jackknife_of_counts(metric, table)
    else:
        pull = bootstrap_intervals.jackknife_acceleration(metric, table)
    return bootstrap_intervals.bca(value, drawn.replicates, acceleration=pull, confidence_level=level)


def _bias_corrected(metric: Metric, table: ScoreTable, value: float, drawn: MetricReplicates, level: float) -> Interval:
    smaller = min(table.n_positives, table.n_negatives)
    how = {"smoothed_value": drawn.start, "smaller_class": smaller, "confidence_level": level}
    found = bootstrap_intervals.bias_corrected(value, drawn.replicates, **how, range=metric.range)
    return found if metric.inference.noise is None else found._replace(low=_low_by_noise(metric, table, value, level))


def _low_by_noise(metric: Metric, table: ScoreTable, value: float, level: float) -> Array:
    """Return the smallest part of a sum of distances that, with noise, reaches the value often enough.

    Noise makes distances of its own, more of them where less is real: what resamples of noisy distances take off is too
    little. Of overconfident models the bootstrap's lower limit lay above the truth in 10 to 16% of samples of 40.
    """
    assert metric.inference.noise is not None
    reaching = partial(metric.inference.noise, table)
    excluded, held = 0.0, 1.0
    if np.mean(reaching(share=0.0) >= value) >= (1 - level) / 2:
        return np.asarray(0.0)
    for _ in range(_HALVINGS):
        middle = (excluded + held) / 2
        if np.mean(reaching(share=middle) >= value) >= (1 - level) / 2:
            held = middle
        else:
            excluded = middle
    return np.asarray(held * value)


def _searched(metric: Metric, table: ScoreTable, value: float, drawn: MetricReplicates, level: float) -> Interval:
    """Correct the interval at a best threshold for bias; chance is left out where it does not reach the value."""
    return _with_chance(metric, table, _bias_corrected(metric, table, value, drawn, level), level)


def _own_scale(metric: Metric, table: ScoreTable, value: float, drawn: MetricReplicates, level: float) -> Interval:
    """Return that interval on the metric's own scale, cut at its range: a useless ranking's value is next to an end.

    On a scale on which that end is infinitely far, limits would run to the other one.
    """
    smaller = min(table.n_positives, table.n_negatives)
    found = bootstrap_intervals.bias_corrected(
        value, drawn.replicates, smoothed_value=drawn.start, smaller_class=smaller, confidence_level=level
    )
    low, high = (np.clip(each, *metric.range) for each in (found.low, found.high))
    return _with_chance(metric, table, found._replace(low=low, high=high), level)


def _of_hull(metric: Metric, table: ScoreTable, value: float, drawn: MetricReplicates, level: float) -> Interval:
    """Return that interval, down to the AUROC's lower limit at least: the hull's area is never below the curve's.

    The hull takes the chance of all scores for a gain, of which resamples show too little: alone, the bootstrap's lower
    limit lay above the truth in up to 12% of samples of 60 to 300 cases.
    """
    found = _own_scale(metric, table, value, drawn, level)
    least = influence_intervals.wilson_effective(METRICS["auroc"], table, level=level).low
    return found._replace(low=np.minimum(found.low, np.maximum(least, metric.range[0])))


def _with_chance(metric: Metric, table: ScoreTable, found: Interval, level: float) -> Interval:
    chance = float(metric.baseline(table.prevalence, table.prevalence))
    if found.low <= chance or p_of_search(table) < _CLEARLY:
        return found
    by_chance = _p_by_chance(metric, table) >= (1 - level) / 2
    return found._replace(low=np.asarray(chance)) if by_chance else found


def _floored(metric: Metric, table: ScoreTable, value: float, drawn: MetricReplicates, level: float) -> Interval:
    """For a metric that has no lower end of its own: on a scale without ends its lower limit would run away.

    The lower limit is a quantile of the replicates, or that on the scale of 1/(1 + distance from the upper end), on
    which a few disasters among the resamples weigh little: the nearer one, and not below the worst possible ranking.
    """
    above, low = (
        _bias_corrected(metric, table, value, drawn, level),
        bootstrap_intervals.percentile(value, drawn.replicates, confidence_level=level).low,
    )
    low = np.maximum(
        np.maximum(low, _low_by_distance(metric, table, value, drawn, level)), least_possible(metric, table)
    )
    words = "bootstrap with half a case" + bootstrap_intervals.undefined_text(drawn.replicates)
    return Interval(np.minimum(low, value), above.high, words)


def least_possible(metric: Metric, table: ScoreTable) -> float:
    """Return the value of these cases with all negatives above all positives, of a ranking without a lower end."""
    if not _is_floored(metric):
        return -math.inf
    cases = np.array([0.0, table.n_positives]), np.array([table.n_negatives, 0.0])
    return float(metric(ScoreTable.from_validated(np.array([1.0, 0.0]), *cases)))


def _is_floored(metric: Metric) -> bool:
    return metric.of == "ranks" and not np.isfinite(metric.range[0])


def _low_by_distance(metric: Metric, table: ScoreTable, value: float, drawn: MetricReplicates, level: float) -> Array:
    top = metric.range[1]
    of = [1 / (1 + top - np.asarray(each)) for each in (value, drawn.replicates, drawn.start)]
    smaller = min(table.n_positives, table.n_negatives)
    low = bootstrap_intervals.bias_corrected(
        of[0], of[1], smoothed_value=of[2], smaller_class=smaller, confidence_level=level
    ).low
    return np.where(low > 0, 1 + top - ratio(1.0, low), -np.inf)


def _is_proportion(metric: Metric) -> bool:
    return metric.of == "counts" and metric.inference.fraction is not None


def _has_influence(metric: Metric) -> bool:
    return metric.root.of.inference.influence is not None or metric.root.of.inference.spread is not None


def _has_influence_and_range(metric: Metric) -> bool:
    return _has_influence(metric) and bool(np.isfinite(metric.root.of.range).all())


def _is_loss_or_skill(metric: Metric) -> bool:
    loss, skill = metric.root.of.range[0] == 0.0, metric.root.of.range == (-np.inf, 1.0)
    return metric.of == "probabilities" and _has_influence(metric) and (loss or skill)


def _is_area(metric: Metric) -> bool:
    return (
        metric.of == "ranks" and metric.root.of.inference.influence is not None and metric.root.of.range == (0.0, 1.0)
    )


def _p_by_chance(metric: Metric, table: ScoreTable) -> float:
    """Call `p_by_chance`, loaded only for metrics of the best threshold or of a hull: it is rarely needed."""
    from unconfuse.uncertainty.chance_levels import p_by_chance

    return p_by_chance(metric, table)


def _limits_at_constraint(metric: Metric, table: ScoreTable, fixed_classes: bool, level: float) -> Interval:
    """Call `limits_at_constraint`, loaded only where a metric under a constraint is asked for."""
    from unconfuse.uncertainty.constrained_intervals import limits_at_constraint

    return limits_at_constraint(metric, table, fixed_classes, level)


def _error_at_constraint(metric: Metric, table: ScoreTable, fixed_classes: bool) -> float:
    from unconfuse.uncertainty.constrained_intervals import error_at_constraint

    return error_at_constraint(metric, table, fixed_classes)


def _of_scores(metric: Metric) -> bool:
    return metric.of != "counts"


def _of_two_classes(metric: Metric) -> bool:
    return metric.of in ("counts", "ranks", "probabilities")


def _is_searched(metric: Metric) -> bool:
    return metric.interval in ("searched", "own_scale", "hull")


def _at_best(*, either_way: bool) -> IntervalMethod:
    """Of the largest J, or of the largest distance: only a metric that is one of these declares it."""
    name = "best_threshold_either_way" if either_way else "best_threshold"
    return IntervalMethod(
        influence_intervals.AT_BEST,
        partial(influence_intervals.limits_at_best, either_way=either_way),
        lambda metric: metric.interval == name,
        "table",
        partial(influence_intervals.error_at_best, either_way=either_way),
        by_chance=lambda metric, table: p_of_search(table, either_way=either_way),
    )


METHODS: Mapping[str, IntervalMethod] = MappingProxyType(
    {
        name: IntervalMethod(label, partial(_proportion, function), _is_proportion)
        for name, (label, function) in proportion_intervals.BY_NAME.items()
    }
    | {
        "posterior": IntervalMethod("posterior", _posterior, lambda metric: metric.of == "counts"),
        "f1_of_jaccard": IntervalMethod(
            "mid-p of {of}", _increasing, lambda metric: metric.inference.increasing is not None
        ),
        "log": IntervalMethod("log", _log, lambda metric: metric.inference.log_limits is not None),
        "wilson_effective": IntervalMethod(
            "Wilson, effective sample size", influence_intervals.wilson_effective, _has_influence_and_range, "table"
        ),
        "wilson_at_top": IntervalMethod(
            "Wilson, effective sample size", influence_intervals.wilson_at_top, _is_area, "table"
        ),
        "delong_half_case": IntervalMethod(
            "DeLong with half a case", influence_intervals.by_influence, is_auroc, "table"
        ),
        "delong": IntervalMethod("DeLong", influence_intervals.delong, is_auroc, "table"),
        "delong_logit": IntervalMethod("logit DeLong", influence_intervals.delong_logit, is_auroc, "table"),
        "hanley_mcneil": IntervalMethod(
            "Hanley-McNeil",
            influence_intervals.hanley_mcneil,
            is_auroc,
            "table",
            influence_intervals.hanley_mcneil_error,
        ),
        "newcombe": IntervalMethod(
            "Newcombe", influence_intervals.newcombe, is_auroc, "table", influence_intervals.newcombe_error
        ),
        "influence": IntervalMethod("influence function", influence_intervals.by_influence, _has_influence, "table"),
        "mean_loss": IntervalMethod("influence function", influence_intervals.of_mean_loss, _is_loss_or_skill, "table"),
        "influence_at_top": IntervalMethod(
            "influence function at the top", influence_intervals.by_influence_at_top, _is_area, "table"
        ),
        "profile": IntervalMethod(
            "profile likelihood",
            by_profile,
            lambda metric: bool(metric.inference.recalibrates),
            "table",
            sandwich_error,
        ),
        "best_threshold": _at_best(either_way=False),
        "best_threshold_either_way": _at_best(either_way=True),
        "at_constraint": IntervalMethod(
            "MOVER of threshold and rate",
            _limits_at_constraint,
            lambda metric: constraint_of(metric) is not None,
            "table",
            _error_at_constraint,
        ),
        "bias_corrected": IntervalMethod("bias-corrected bootstrap", _bias_corrected, _of_scores, "replicates"),
        "searched": IntervalMethod(
            "bias-corrected bootstrap", _searched, _is_searched, "replicates", by_chance=_p_by_chance
        ),
        "own_scale": IntervalMethod(
            "bias-corrected bootstrap", _own_scale, _is_searched, "replicates", by_chance=_p_by_chance
        ),
        "hull": IntervalMethod(
            "bias-corrected bootstrap",
            _of_hull,
            lambda metric: metric.interval == "hull",
            "replicates",
            by_chance=_p_by_chance,
        ),
        "floored": IntervalMethod("bootstrap with half a case", _floored, _is_floored, "replicates"),
        "bootstrap": IntervalMethod("bias-corrected bootstrap", _bias_corrected, _of_scores, "replicates"),  # in short
        "at_level": IntervalMethod(
            "percentile bootstrap", _at_level, lambda metric: metric.inference.candidates is not None, "replicates"
        ),
        "percentile": IntervalMethod(
            "percentile bootstrap", _percentile, _of_two_classes, "replicates", smoothed=False
        ),
        "basic": IntervalMethod("basic bootstrap", _basic, _of_two_classes, "replicates", smoothed=False),
        "bca": IntervalMethod("BCa bootstrap", _bca, _of_two_classes, "replicates", smoothed=False),
    }
)
