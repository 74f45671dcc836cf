"""From rules to operating points: the choice, its interval, its flat region, and every metric in both ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from unconfuse._plain import number_text
from unconfuse.bayesian.shift import shift_counts_estimates
from unconfuse.metrics import Metric
from unconfuse.table import Array, Counts, ScoreTable
from unconfuse.thresholds.candidates import Candidates, at_prevalence, grouped
from unconfuse.thresholds.card import HONEST, FlatRegion, OperatingPoint
from unconfuse.thresholds.honest import Replicates, cross_fitted, replicated
from unconfuse.thresholds.rules import Rule
from unconfuse.uncertainty import estimate
from unconfuse.uncertainty.estimate import Estimate

NOWHERE = FlatRegion(np.nan, np.nan)


@dataclass(frozen=True)
class Settings:
    """How the card is made."""

    honest: str | None
    prevalence: float | None
    design: str
    confidence_level: float
    n_resamples: int
    folds: int
    repeats: int
    rng: int

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def operating_points(
    table: ScoreTable, rules: list[Rule], metrics: tuple[Metric, ...], settings: Settings
) -> Mapping[str, OperatingPoint]:
    """The operating point of each rule, by name."""
    shown = [(*metrics, *rule.shown) for rule in rules]
    small = grouped(table)
    replicates = replicated(
        small,
        rules,
        shown,
        prevalence=settings.prevalence,
        design=settings.design,
        n_resamples=settings.n_resamples,
        rng=settings.rng,
    )
    held_out: list[Counts] | list[None] = [None] * len(rules)
    if settings.honest == "crossfit":
        held_out = cross_fitted(
            small,
            rules,
            prevalence=settings.prevalence,
            folds=_folds(table, settings.folds),
            repeats=settings.repeats,
            rng=settings.rng,
        )
    whole = Candidates(at_prevalence(table, settings.prevalence))
    return MappingProxyType(
        {
            rule.name: _point(
                rule, table, whole, metrics=shown[i], replicates=replicates[i], held_out=held_out[i], settings=settings
            )
            for i, rule in enumerate(rules)
        }
    )


def _folds(table: ScoreTable, folds: int) -> int:
    """No more folds than cases of the smaller class, so that each fold holds cases of both."""
    return max(2, min(folds, int(min(table.n_positives, table.n_negatives))))


def _point(
    rule: Rule,
    table: ScoreTable,
    whole: Candidates,
    *,
    metrics: tuple[Metric, ...],
    replicates: Replicates,
    held_out: Counts | None,
    settings: Settings,
) -> OperatingPoint:
    index = rule.choose(whole)
    threshold = float(whole.thresholds(index)) if rule.fixed is None else rule.fixed
    counts = table.counts_at(threshold)
    apparent = _estimates(metrics, counts, settings, threshold, "same data")
    if rule.fixed is not None or settings.honest is None:
        honest, used = apparent, counts  # a fixed threshold was not chosen here: its measurement is honest as it is
    elif held_out is not None:
        honest, used = _estimates(metrics, held_out, settings, threshold, HONEST["crossfit"]), held_out
    else:
        honest, used = _corrected(metrics, apparent, replicates.optimism), counts
    following = int(np.searchsorted(-table.score, -threshold, side="right"))
    return OperatingPoint(
        rule=rule.name,
        label=rule.label,
        why=rule.why,
        threshold=_threshold(rule, threshold, replicates, settings, table),
        next_score=float(table.score[following]) if following < len(table) else -np.inf,
        flat_region=_flat_region(rule, whole, int(index), replicates.error),
        metrics=honest,
        apparent=apparent,
        optimism=MappingProxyType({name: apparent[name].value - honest[name].value for name in apparent}),
        at_prevalence=_shifted(metrics, used, settings),
        counts=used,
        unreachable=rule.unreachable(whole),
    )


def _estimates(
    metrics: tuple[Metric, ...], counts: Counts, settings: Settings, threshold: float, how: str
) -> Mapping[str, Estimate]:
    context = (
        f"threshold {number_text(threshold)}, {how}, {float(counts.positives):g} positives of {float(counts.total):g}"
    )
    return MappingProxyType(
        {
            metric.name: estimate(
                metric, counts, confidence_level=settings.confidence_level, design=settings.design, context=context
            )
            for metric in metrics
        }
    )


def _corrected(
    metrics: tuple[Metric, ...], apparent: Mapping[str, Estimate], optimism: dict[str, float]
) -> Mapping[str, Estimate]:
    """The same-data value and its interval, both moved by the optimism, within the metric's range."""

    def moved(metric: Metric, seen: Estimate) -> Estimate:
        by = 0.0 if np.isnan(optimism[metric.name]) else optimism[metric.name]
        value, low, high = (float(np.clip(each - by, *metric.range)) for each in (seen.value, seen.low, seen.high))
        method = f"{seen.method}, moved by the optimism" if seen.method else ""
        return replace(
            seen,
            value=value,
            low=low,
            high=high,
            method=method,
            ask=None,
            context=seen.context.replace("same data", HONEST["optimism"]),
        )

    return MappingProxyType({metric.name: moved(metric, apparent[metric.name]) for metric in metrics})


def _shifted(metrics: tuple[Metric, ...], counts: Counts, settings: Settings) -> Mapping[str, Estimate]:
    if settings.prevalence is None:
        return MappingProxyType({})
    return MappingProxyType(
        shift_counts_estimates(counts, metrics, settings.prevalence, confidence_level=settings.confidence_level)
    )


def _threshold(rule: Rule, value: float, replicates: Replicates, settings: Settings, table: ScoreTable) -> Estimate:
    context = f"{rule.label}, {table.n_positives:g} positives of {table.n:g}"
    if rule.fixed is not None:
        return Estimate(
            "threshold",
            "Threshold",
            value,
            np.nan,
            np.nan,
            settings.confidence_level,
            method="fixed beforehand",
            better="neither",
            context=context,
        )
    tail = (1 - settings.confidence_level) / 2
    low, high = _quantiles(replicates.thresholds, tail)
    return Estimate(
        "threshold",
        "Threshold",
        value,
        low,
        high,
        settings.confidence_level,
        method="percentile bootstrap",
        better="neither",
        context=context,
    )


def _quantiles(values: Array, tail: float) -> tuple[float, float]:
    """Order statistics: interpolation between a score and infinity would be no threshold."""
    low, high = np.quantile(values, [tail, 1 - tail], method="closest_observation")
    return float(low), float(high)


def _flat_region(rule: Rule, whole: Candidates, index: int, error: float) -> FlatRegion:
    if rule.curve is None or index < 0 or np.isnan(error):
        return NOWHERE
    objective = rule.objective(whole)
    if not np.isfinite(objective[index]):
        return NOWHERE
    worse = objective < objective[index] - error * (1 + 1e-12)
    above, below = np.flatnonzero(worse[:index]), np.flatnonzero(worse[index:])
    first = int(above[-1]) + 1 if len(above) else 0
    last = index + int(below[0]) - 1 if len(below) else len(worse) - 1
    return FlatRegion(float(whole.table.score[last]), float(whole.table.score[first]))
