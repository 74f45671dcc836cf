"""Honest measurement: what a rule's threshold does on cases that had no part in choosing it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unconfuse import _kernels
from unconfuse.metrics import Metric
from unconfuse.table import Array, Counts, ScoreTable
from unconfuse.thresholds.candidates import NOBODY, Candidates, Index, at_prevalence
from unconfuse.thresholds.rules import Rule

_CELLS_AT_A_TIME = 1 << 21


def cross_fitted(
    table: ScoreTable, rules: list[Rule], *, prevalence: float | None, folds: int, repeats: int, rng: int
) -> list[Counts]:
    """The 2x2 table of each rule when every case is labelled by a threshold chosen without it.

    The cases are dealt into folds, class by class. The threshold is chosen on all folds but one and applied to that
    one; the counts of all folds are added up, and averaged over several deals.
    """
    generator = np.random.default_rng(rng)
    found: list[list[Counts]] = [[] for _ in rules]
    for _ in range(repeats):
        tested = _dealt(table, folds, generator)
        chosen_on = Candidates(
            at_prevalence(
                ScoreTable(table.score, table.positives - tested.positives, table.negatives - tested.negatives),
                prevalence,
            )
        )
        applied_to = Candidates(tested)
        for results, rule in zip(found, rules, strict=True):
            results.append(applied_to.counts_at(rule.choose(chosen_on)))
    return [_averaged(results) for results in found]


def _dealt(table: ScoreTable, folds: int, generator: np.random.Generator) -> ScoreTable:
    """The part of the table in each fold, stacked; every fold gets its share of each class."""
    parts = [_deal(weights, folds, generator) for weights in (table.positives, table.negatives)]
    return ScoreTable(table.score, *parts)


def _deal(weights: Array, folds: int, generator: np.random.Generator) -> Array:
    """Whole cases one by one; where weights are no whole numbers, all that is at one score together.

    Both classes begin with the same fold, so that a fold takes the same share of each. If it did not, the left-out
    cases would tip the balance where two thresholds are equally good, always in their own favour: leaving out single
    cases made Youden J of 25 against 25 cases look .04 better than it is.
    """
    whole = bool((weights == np.rint(weights)).all())
    places = np.repeat(np.arange(len(weights)), weights.astype(np.int64)) if whole else np.flatnonzero(weights)
    fold = generator.permutation(np.arange(len(places)) % folds)
    values = None if whole else weights[places]
    size = folds * len(weights)
    return np.bincount(fold * len(weights) + places, values, size).reshape(folds, -1).astype(np.float64)


def _averaged(results: list[Counts]) -> Counts:
    """Folds added up, deals averaged."""
    cells = {name: np.mean([getattr(each, name).sum() for each in results]) for name in ("tp", "fp", "fn", "tn")}
    return Counts(**{name: np.asarray(value) for name, value in cells.items()})


@dataclass(frozen=True)
class Replicates:
    """What happened to one rule in bootstrap replicates.

    Attributes
    ----------
    thresholds : array
        Chosen in each replicate; infinite where it labels nobody.
    error : float
        Standard error of the rule's curve at the threshold chosen on the data.
    optimism : mapping of metric name to float
        By how much a metric at the threshold chosen on the replicate looks better on the replicate than on the data.
    """

    thresholds: Array
    error: float
    optimism: dict[str, float]


def replicated(
    table: ScoreTable,
    rules: list[Rule],
    metrics: list[tuple[Metric, ...]],
    *,
    prevalence: float | None,
    design: str,
    n_resamples: int,
    rng: int,
) -> list[Replicates]:
    """Choose anew in every bootstrap replicate, for all rules on the same replicates."""
    whole = Candidates(at_prevalence(table, prevalence))
    chosen = [rule.choose(whole) for rule in rules]
    thresholds: list[list[Array]] = [[] for _ in rules]
    values: list[list[Array]] = [[] for _ in rules]
    optimism: list[list[Array]] = [[] for _ in rules]
    for slice_ in _slices(table, design=design, n_resamples=n_resamples, rng=rng):
        drawn, seen = Candidates(at_prevalence(slice_, prevalence)), Candidates(slice_)
        for i, rule in enumerate(rules):
            index = rule.choose(drawn)
            thresholds[i].append(drawn.thresholds(index))
            values[i].append(_values_at(rule, drawn, chosen[i]))
            optimism[i].append(_optimism(metrics[i], seen, table, index))
    return [_summary(metrics[i], thresholds[i], values[i], optimism[i]) for i in range(len(rules))]


def _slices(table: ScoreTable, *, design: str, n_resamples: int, rng: int) -> list[ScoreTable]:
    step = max(1, _CELLS_AT_A_TIME // len(table))
    return [
        ScoreTable(
            table.score,
            *_kernels.bootstrap_tables(
                table.positives,
                table.negatives,
                seed=rng,
                first=first,
                count=min(step, n_resamples - first),
                design="cohort" if design == "cohort" else "case-control",
            ),
        )
        for first in range(0, n_resamples, step)
    ]


def _values_at(rule: Rule, drawn: Candidates, index: Index) -> Array:
    if rule.curve is None or index == NOBODY:
        return np.full(len(drawn.table.positives), np.nan)
    return rule.curve(drawn)[..., int(index)]


def _optimism(metrics: tuple[Metric, ...], drawn: Candidates, table: ScoreTable, index: Index) -> Array:
    own = drawn.counts_at(index)
    tp, fp = (np.append(0.0, np.cumsum(weights))[index + 1] for weights in (table.positives, table.negatives))
    original = Counts(tp=tp, fp=fp, fn=table.n_positives - tp, tn=table.n_negatives - fp)
    return np.stack([metric(own) - metric(original) for metric in metrics])


def _summary(
    metrics: tuple[Metric, ...], thresholds: list[Array], values: list[Array], optimism: list[Array]
) -> Replicates:
    differences = np.concatenate(optimism, axis=-1)
    mean = [float(np.mean(row[np.isfinite(row)])) if np.isfinite(row).any() else np.nan for row in differences]
    curve = np.concatenate(values)
    kept = curve[np.isfinite(curve)]
    return Replicates(
        np.concatenate(thresholds),
        float(kept.std()) if len(kept) else np.nan,
        {metric.name: value for metric, value in zip(metrics, mean, strict=True)},
    )
