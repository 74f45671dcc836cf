"""One metric, many pairs of models: differences, intervals, tests and verdicts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from unconfuse.comparison.cases import Cases
from unconfuse.comparison.replicates import Resampling
from unconfuse.comparison.result import PairedDifference
from unconfuse.comparison.significance import (
    SMALLEST,
    bonett_price,
    bootstrap_p,
    cases_needed,
    holm,
    max_t,
    mcnemar_mid_p,
)
from unconfuse.metrics import Metric
from unconfuse.metrics.influence import is_auroc, quantile
from unconfuse.results import Estimate
from unconfuse.table import Array
from unconfuse.uncertainty.bootstrap import values_of
from unconfuse.uncertainty.methods import compares_by_influence
from unconfuse.uncertainty.paired import difference_of_tables
from unconfuse.uncertainty.resampled import bias_corrected


class Declared(Protocol):
    """What a verdict needs to know of a metric, of two classes or of several."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def label(self) -> str: ...  # noqa: D102
    @property
    def better(self) -> str: ...  # noqa: D102
    @property
    def undefined(self) -> str: ...  # noqa: D102


@dataclass(frozen=True)
class Settings:
    """What is asked of every difference."""

    confidence_level: float
    adjust: str
    margin: float | None


@dataclass(frozen=True)
class Found:
    """A difference before its verdict."""

    value: float
    standard_error: float
    low: float
    high: float
    method: str
    p_value: float
    test: str
    equivalence_low: float
    equivalence_high: float


UNDEFINED = Found(math.nan, math.nan, math.nan, math.nan, "", math.nan, "", math.nan, math.nan)


def paired_differences(
    metric: Metric, cases: Cases, pairs: list[tuple[str, str]], replicates: Array, how: Resampling, settings: Settings
) -> list[PairedDifference]:
    """The differences of all pairs in one metric, with p-values that hold for all of them at once."""
    models = cases.models
    values = {name: float(values_of(metric, cases.table(name), how.thresholds[name])) for name in models}
    spread = {pair: replicates[models.index(pair[0])] - replicates[models.index(pair[1])] for pair in pairs}
    found = [_difference(metric, cases, pair, values, spread[pair], how, settings) for pair in pairs]
    adjusted = adjusted_p(found, [spread[pair] for pair in pairs], settings.adjust)
    return [
        verdict_of(metric, pair, values, each, p, cases.n, settings, one_of_many=len(pairs) > 1)
        for pair, each, p in zip(pairs, found, adjusted, strict=True)
    ]


def _difference(
    metric: Metric,
    cases: Cases,
    pair: tuple[str, str],
    values: dict[str, float],
    replicates: Array,
    how: Resampling,
    settings: Settings,
) -> Found:
    value = values[pair[0]] - values[pair[1]]
    if math.isnan(value):
        return UNDEFINED
    if not cases.is_clustered and compares_by_influence(metric):
        return _by_influence(metric, cases, pair, how, settings.confidence_level)
    if metric.paired and not cases.is_clustered and not cases.is_weighted:
        return of_labels(cases.discordant(pair, metric.paired), value, settings.confidence_level)
    levels = settings.confidence_level, twice_the_error(settings.confidence_level)
    wide, narrow = (bias_corrected(value, replicates, confidence_level=level) for level in levels)
    return Found(
        value,
        float(np.nanstd(replicates)),
        float(wide.low),
        float(wide.high),
        wide.method.replace("bootstrap", "paired bootstrap"),
        bootstrap_p(value, replicates),
        f"paired bootstrap, {how.n_resamples} resamples",
        float(narrow.low),
        float(narrow.high),
    )


def of_labels(discordant: tuple[float, float, float], value: float, level: float) -> Found:
    """Shares of right labels: from the cases that only one of the models labels right."""
    wide, narrow = (bonett_price(*discordant, confidence_level=each) for each in (level, twice_the_error(level)))
    p = mcnemar_mid_p(*discordant[:2])
    sign = 1.0 if value * (discordant[0] - discordant[1]) >= 0 else -1.0  # rates of wrong labels count the other way
    ends, inner = (sorted((sign * each[0], sign * each[1])) for each in (wide, narrow))
    return Found(
        value,
        (wide[1] - wide[0]) / (2 * quantile(level)),
        min(ends[0], value),
        max(ends[1], value),
        "Bonett-Price, paired",
        p,
        "McNemar mid-p",
        *inner,
    )


def _by_influence(metric: Metric, cases: Cases, pair: tuple[str, str], how: Resampling, level: float) -> Found:
    """By each row's influence on both models: for the AUROC this is DeLong's test."""
    base, scale = metric.root.of, metric.root.scale
    joint, tables = cases.influences(base, pair), [cases.table(each) for each in pair]
    wide, narrow = (
        difference_of_tables(base, joint, tables, design=how.design, confidence_level=each)
        for each in (level, twice_the_error(level))
    )
    ends, inner = (sorted((scale * each.low, scale * each.high)) for each in (wide, narrow))
    test = "DeLong" if is_auroc(base) else "influence function"
    return Found(
        scale * wide.difference,
        abs(scale) * wide.standard_error,
        ends[0],
        ends[1],
        wide.method,
        max(wide.p_value, SMALLEST),
        test,
        inner[0],
        inner[1],
    )


def twice_the_error(confidence_level: float) -> float:
    """Equivalence is shown by two one-sided tests, that is by the interval with twice the error."""
    return 1 - 2 * (1 - confidence_level)


def adjusted_p(found: list[Found], replicates: list[Array], adjust: str) -> list[float]:
    """P-values that hold for all pairs at once."""
    p_values = np.array([each.p_value for each in found])
    known = np.flatnonzero(~np.isnan(p_values))
    if len(known) < 2:
        return p_values.tolist()  # type: ignore[no-any-return]
    if adjust == "holm":
        p_values[known] = holm(p_values[known])
    else:
        differences = np.array([found[i].value for i in known])
        p_values[known] = np.maximum(max_t(differences, np.array([replicates[i] for i in known])), p_values[known])
    return p_values.tolist()  # type: ignore[no-any-return]


def verdict_of(
    metric: Declared,
    pair: tuple[str, str],
    values: dict[str, float],
    found: Found,
    adjusted: float,
    n: float,
    settings: Settings,
    *,
    one_of_many: bool,
) -> PairedDifference:
    """A difference with what it means."""
    undefined = metric.undefined if math.isnan(found.value) else None
    within = not_worse = None
    if settings.margin is not None and undefined is None:
        within = -settings.margin < found.equivalence_low and found.equivalence_high < settings.margin
        not_worse = (
            found.equivalence_high < settings.margin
            if metric.better == "lower"
            else found.equivalence_low > -settings.margin
        )
    difference = Estimate(
        metric.name,
        f"difference in {metric.label}",
        found.value,
        found.low,
        found.high,
        settings.confidence_level,
        method=found.method,
        undefined=undefined,
        better=metric.better,
        baseline=0.0,
        context=f"{pair[0]} - {pair[1]}",
    )
    # Among many pairs an interval that misses 0 is not enough: the adjusted p-value must agree.
    sure = not one_of_many or adjusted <= 1 - settings.confidence_level
    verdict = "undefined" if undefined else _word(metric.better, found, within, sure)
    needed = (
        math.nan
        if verdict in ("better", "worse", "different", "undefined")
        else cases_needed(n, found.value, found.standard_error, settings.confidence_level)
    )
    return PairedDifference(
        metric.name,
        metric.label,
        *pair,
        values[pair[0]],
        values[pair[1]],
        difference,
        found.p_value,
        adjusted,
        found.test,
        verdict,
        within,
        not_worse,
        needed,
    )


def _word(better: str, found: Found, within: bool | None, sure: bool) -> str:
    if sure and (found.low > 0 or found.high < 0):
        if better == "neither":
            return "different"
        return "better" if (found.low > 0) == (better == "higher") else "worse"
    return "equivalent" if within else "cannot tell"
