"""Honest measurement: what a rule's threshold does on cases that had no part in choosing it, for every rule at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from unconfuse._formatting import FrozenMapping, number_text
from unconfuse.metrics import Metric
from unconfuse.table import AT_A_TIME, Array, Counts, ScoreTable, Settings, sums_of_first, sums_of_others
from unconfuse.thresholds.candidates import NOBODY, Candidates, Index, at_prevalence, labelled_blocks
from unconfuse.thresholds.card import HONEST, FlatRegion, OperatingPoint
from unconfuse.thresholds.case_units import IndependentCases, at_other_prevalence, averaged, summed
from unconfuse.thresholds.optimism import Choices, corrected, honest_counts
from unconfuse.thresholds.rules import ThresholdRule
from unconfuse.uncertainty.bootstrap import Progress, ProgressReporter
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.method import NoInterval

NOWHERE = FlatRegion(np.nan, np.nan)
Tell = Callable[[int], object]


def _in_silence(_: int) -> None:
    """Nobody asked how far it is."""


@dataclass(frozen=True)
class CardSettings:
    """How the card is made."""

    honest: str | None = "bootstrap"
    prevalence: float | None = None
    design: str = "cohort"
    confidence_level: float = 0.95
    n_resamples: int = 500
    folds: int = 20
    repeats: int = 5
    rng: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @property
    def sampling(self) -> Settings:
        """How cases are drawn, and how sure the numbers are to be."""
        return Settings(self.confidence_level, self.n_resamples, self.rng)


def operating_points(
    cases: IndependentCases,
    rules: list[ThresholdRule],
    metrics: tuple[Metric, ...],
    settings: CardSettings,
    progress: Progress | None = None,
) -> Mapping[str, OperatingPoint]:
    """Return the operating point of each rule, by name."""
    shown, table = [(*metrics, *rule.extra_metrics) for rule in rules], cases.table
    whole = cases.candidates if settings.prevalence is None else Candidates(at_prevalence(table, settings.prevalence))
    # No more folds than cases of the smaller class, so that each fold holds cases of both.
    folds = max(2, min(settings.folds, int(min(table.n_positives, table.n_negatives))))
    work = settings.n_resamples + (folds * settings.repeats if settings.honest == "crossfit" else 0)
    tell = ProgressReporter(progress, work, work)
    replicates = replicated(cases, rules, settings, tell)
    held_out: list[Counts] | list[None] = [None] * len(rules)
    if settings.honest == "crossfit":
        held_out = cross_fitted(cases, rules, replace(settings, folds=folds), tell)
    points = {
        rule.name: _point(rule, cases, whole, settings, each, replicate, counts)
        for rule, each, replicate, counts in zip(rules, shown, replicates, held_out, strict=True)
    }
    return FrozenMapping(points)


def _point(
    rule: ThresholdRule,
    cases: IndependentCases,
    whole: Candidates,
    settings: CardSettings,
    metrics: tuple[Metric, ...],
    replicates: RuleReplicates,
    held_out: Counts | None,
) -> OperatingPoint:
    index = rule.choose(whole)
    threshold = float(whole.thresholds(index)) if rule.threshold is None else rule.threshold
    table, counts = cases.table, cases.counts_at(threshold)
    apparent = _estimates(metrics, counts, cases, settings, threshold, "same data")
    shifted = _shifted(metrics, counts, cases, settings)
    if held_out is not None and rule.threshold is None:
        honest = _estimates(metrics, held_out, cases, settings, threshold, HONEST["crossfit"])
        used, shifted = summed(held_out), _shifted(metrics, held_out, cases, settings)
    elif replicates.choices is None or np.isposinf(threshold):
        # A fixed threshold was not chosen here, and labelling none does the same everywhere.
        honest, used = apparent, summed(counts)
    elif settings.honest == "optimism":
        honest, used = _moved(metrics, apparent, replicates.choices), summed(counts)
    else:
        words = _words(counts, threshold, HONEST["bootstrap"])
        honest = corrected(metrics, cases, counts, replicates.choices, settings.sampling, words)
        used, shifted = (
            honest_counts(honest, counts),
            _corrected_elsewhere(metrics, counts, cases, settings, replicates),
        )
    following = labelled_blocks(table, threshold)
    return OperatingPoint(
        rule=rule.name,
        label=rule.label,
        rationale=rule.rationale,
        threshold=_threshold(rule, threshold, replicates.thresholds, settings, cases),
        next_score=float(table.score[following]) if following < len(table) else -np.inf,
        flat_region=_flat_region(rule, whole, int(index), replicates.error),
        metrics=honest,
        apparent=apparent,
        optimism=FrozenMapping({name: apparent[name].value - honest[name].value for name in apparent}),
        at_prevalence=shifted,
        counts=used,
        infeasible_reason=rule.unreachable(whole, int(index)),
    )


def _estimates(
    metrics: tuple[Metric, ...],
    counts: Counts,
    cases: IndependentCases,
    settings: CardSettings,
    threshold: float,
    how: str,
) -> Mapping[str, Estimate]:
    return cases.estimates(metrics, counts, settings.sampling, _words(counts, threshold, how))


def _words(counts: Counts, threshold: float, how: str) -> str:
    total = summed(counts)
    return f"threshold {number_text(threshold)}, {how}, {float(total.positives):g} positives of {float(total.total):g}"


def _moved(metrics: tuple[Metric, ...], apparent: Mapping[str, Estimate], choices: Choices) -> Mapping[str, Estimate]:
    """Move the same-data value and its interval by the optimism, within the metric's range."""

    def moved(metric: Metric, seen: Estimate) -> Estimate:
        optimism = choices.optimism(metric)
        by = 0.0 if np.isnan(optimism) else optimism
        value, low, high = (float(np.clip(each - by, *metric.range)) for each in (seen.value, seen.low, seen.high))
        method = seen.method + ", moved by the optimism" if seen.method else ""
        words = seen.conditions.replace("same data", HONEST["optimism"])
        return replace(seen, value=value, low=low, high=high, method=method, recompute=None, conditions=words)

    return FrozenMapping({metric.name: moved(metric, apparent[metric.name]) for metric in metrics})


def _shifted(
    metrics: tuple[Metric, ...], counts: Counts, cases: IndependentCases, settings: CardSettings
) -> Mapping[str, Estimate]:
    if settings.prevalence is None:
        return FrozenMapping({})
    return cases.shifted(metrics, counts, settings.sampling, settings.prevalence)


def _corrected_elsewhere(
    metrics: tuple[Metric, ...],
    counts: Counts,
    cases: IndependentCases,
    settings: CardSettings,
    replicates: RuleReplicates,
) -> Mapping[str, Estimate]:
    """Return the corrected metrics at the stated prevalence."""
    if settings.prevalence is None or replicates.choices is None:
        return FrozenMapping({})
    there = [at_other_prevalence(metric, settings.prevalence, cases.table.n) for metric in metrics]
    words = f"prevalence {settings.prevalence:.4g}"
    return corrected(there, cases, counts, replicates.choices, settings.sampling, words)


def _threshold(
    rule: ThresholdRule, value: float, replicates: Array, settings: CardSettings, cases: IndependentCases
) -> Estimate:
    """By the rule's own way, or with order statistics: interpolation between a score and infinity is no threshold."""
    level, low, high = settings.confidence_level, np.nan, np.nan
    method: str = NoInterval("fixed beforehand")
    known = None if settings.prevalence is not None else cases.limits_of(rule, settings.sampling)
    if known is not None:
        low, high, method = min(known[0], value), max(known[1], value), known[2]
    elif rule.threshold is None:
        tail = (1 - level) / 2
        ends = np.quantile(replicates, [tail, 1 - tail], method="closest_observation")
        low, high, method = min(float(ends[0]), value), max(float(ends[1]), value), "percentile bootstrap"
    table = cases.table
    words = f"{rule.label}, {table.n_positives:g} positives of {table.n:g}"
    return Estimate(
        "threshold", "Threshold", value, low, high, level, method=method, better="neither", conditions=words
    )


def _flat_region(rule: ThresholdRule, whole: Candidates, index: int, error: float) -> FlatRegion:
    """From the chosen threshold both ways, until the rule's objective is worse by more than its error."""
    if rule.curve is None or index < 0 or np.isnan(error):
        return NOWHERE
    best, size = _objective(rule, whole, index, index + 1)[0], len(whole.table)
    if not np.isfinite(best):
        return NOWHERE
    least, first, last = best - error * (1 + 1e-12), 0, size - 1
    for end in range(index, 0, -AT_A_TIME):
        start = max(end - AT_A_TIME, 0)
        worse = np.flatnonzero(_objective(rule, whole, start, end) < least)
        if len(worse):
            first = start + int(worse[-1]) + 1
            break
    for start in range(index, size, AT_A_TIME):
        worse = np.flatnonzero(_objective(rule, whole, start, start + AT_A_TIME) < least)
        if len(worse):
            last = start + int(worse[0]) - 1
            break
    return FlatRegion(float(whole.table.score[last]), float(whole.table.score[first]))


def _objective(rule: ThresholdRule, whole: Candidates, first: int, end: int) -> Array:
    """Return what the rule makes as large as it can, at some neighbouring thresholds."""
    part = whole.stretch(first, end)
    values = rule.values(part)
    assert values is not None
    return rule.objective(part, values)


def cross_fitted(
    cases: IndependentCases, rules: list[ThresholdRule], settings: CardSettings, tell: Tell = _in_silence
) -> list[Counts]:
    """Return the 2x2 table of each rule when every case is labelled by a threshold chosen without it.

    The cases are dealt into folds, class by class (groups whole). The threshold is chosen on all folds but one and
    applied to that one; the counts of all folds are added up, and averaged over several deals.
    """
    generator, table = np.random.default_rng(settings.rng), cases.small
    found: list[list[Counts]] = [[] for _ in rules]
    for _ in range(settings.repeats):
        score_table, fold_of_group = cases.dealt(settings.folds, generator)
        rest = ScoreTable.from_validated(
            table.score, sums_of_others(score_table.positives, 0), sums_of_others(score_table.negatives, 0)
        )
        chosen_on, applied_to = Candidates(at_prevalence(rest, settings.prevalence)), Candidates(score_table)
        for results, rule in zip(found, rules, strict=True):
            results.append(cases.labelled(applied_to, rule.choose(chosen_on), fold_of_group))
        tell(settings.folds)
    return [averaged(results) for results in found]


class RuleReplicates(NamedTuple):
    """What happened to one rule in bootstrap replicates.

    The `thresholds` chosen (infinite where one labels nobody), the standard `error` of the rule's curve at the
    threshold chosen on the data, and the counts at the replicates' own `choices`; None where nobody needs them.
    """

    thresholds: Array
    error: float
    choices: Choices | None


def replicated(
    cases: IndependentCases, rules: list[ThresholdRule], settings: CardSettings, tell: Tell = _in_silence
) -> list[RuleReplicates]:
    """Choose anew in every bootstrap replicate, for all rules on the same replicates."""
    table, counted = cases.small, settings.honest in ("bootstrap", "optimism")
    whole = Candidates(at_prevalence(table, settings.prevalence))
    chosen = [rule.choose(whole) for rule in rules]
    found: list[list[tuple[Array, Array]]] = [[] for _ in rules]
    choices: list[list[Choices]] = [[] for _ in rules]
    for resamples, others in cases.slices(settings.sampling):
        candidates = Candidates(at_prevalence(resamples, settings.prevalence))
        seen, left = Candidates(resamples), Candidates(others)
        for i, rule in enumerate(rules):
            values = rule.values(candidates)
            index = rule.choose(candidates, values)
            found[i].append((candidates.thresholds(index), _values_at(values, candidates, chosen[i])))
            if counted and rule.threshold is None:
                choices[i].append(_choices(seen, left, table, index, chosen[i]))
        tell(len(resamples.positives))
    return [_summary(*each) for each in zip(found, choices, strict=True)]


def _values_at(values: Array | None, drawn: Candidates, index: Index) -> Array:
    if values is None or index == NOBODY:
        return np.full(len(drawn.table.positives), np.nan)
    return values[..., int(index)].copy()  # of a view all values of all resamples would be held


def _choices(seen: Candidates, left: Candidates, table: ScoreTable, index: Index, shown: Index) -> Choices:
    (tp, fn), (fp, tn) = (sums_of_first(weights, index + 1) for weights in (table.positives, table.negatives))
    original, everywhere = Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn), np.full(len(index), int(shown))
    return Choices(
        seen.counts_at(index), original, left.counts_at(index), seen.counts_at(everywhere), left.counts_at(everywhere)
    )


def _summary(slices: list[tuple[Array, Array]], choices: list[Choices]) -> RuleReplicates:
    thresholds, values = (np.concatenate(part, axis=-1) for part in zip(*slices, strict=True))
    kept = values[np.isfinite(values)]
    error = float(kept.std()) if len(kept) else np.nan
    return RuleReplicates(thresholds, error, Choices.joined(choices) if choices else None)
