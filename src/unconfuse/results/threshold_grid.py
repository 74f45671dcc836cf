"""The decisions of an evaluation at many thresholds, with their intervals: the stops of a threshold slider."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from unconfuse import _kernels
from unconfuse.curves import curve
from unconfuse.curves._curve import outlined, single_table
from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.policy import Verdict, against_guessing
from unconfuse.results.findings import counts_are_open
from unconfuse.table import Array, Counts, ScoreTable
from unconfuse.uncertainty import limits
from unconfuse.uncertainty.interval_methods import method_for, with_fixed_class_sizes
from unconfuse.uncertainty.posterior import posterior_intervals
from unconfuse.uncertainty.proportion_intervals import Limits

if TYPE_CHECKING:
    from unconfuse.results.evaluation import Evaluation

FEW = 160  # with so many distinct scores or fewer, every one is a stop
_HULL = 80
_ALWAYS = (
    "sensitivity",
    "specificity",
    "precision",
    "npv",
    "false_positive_rate",
    "false_negative_rate",
)  # whoever looks
_RATIOS = ("lr_positive", "lr_negative")  # whose limits carry over to every prevalence: `bayesian.ratios`
_JUDGING = ("youden_j", "diagnostic_odds_ratio")  # what the verdict rests on


@dataclass(frozen=True, eq=False)
class ThresholdGrid:
    """Thresholds from the lowest to "label nobody", and what is known at each.

    Where only four counts are known, the threshold is NaN; of decisions without one, `start` is where the scores call
    as many cases positive as the decisions did, and without decisions, as there are positives. The intervals are those
    that `estimate` gives; of groups and of sampling weights only at the evaluated threshold, for counts do not know how
    cases were drawn. The odds of a prior times the limits of the likelihood `ratios` are the limits of its probability,
    as `shift_prevalence` uses them. `b` is B(r) of those labelled; None of a binned table. `verdict` is that of
    `usefulness` at each stop.
    """

    threshold: Array
    counts: Counts
    intervals: Mapping[str, Limits] = field(default_factory=dict)
    ratios: Mapping[str, Limits] = field(default_factory=dict)
    b: Array | None = None
    start: float | None = None
    verdict: tuple[Verdict, ...] = ()


def stops(evaluation: Evaluation, thresholds: Iterable[float] = (), *, most: int = FEW) -> ThresholdGrid:
    """About `most` stops, among them these thresholds and that of the evaluation.

    Those of a binned table lie between its blocks, where counts are exact.

    >>> import unconfuse as uc
    >>> found = stops(uc.evaluate([1, 0, 1, 0], [.9, .4, .4, .1], metrics=["sensitivity"]))
    >>> found.threshold, found.counts.tp
    (array([0.1, 0.4, 0.5, 0.9, inf]), array([2., 2., 1., 1., 0.]))
    """
    if evaluation.score_table is None:
        cells = {name: np.atleast_1d(cell) for name, cell in evaluation.counts.as_dict().items()}
        counts = Counts.from_validated(**cells)
        at = np.array([np.nan])
        limited, verdict = _limits(evaluation, at, counts)
        return ThresholdGrid(at, counts, *limited, verdict=verdict)
    exactly, table = evaluation.score_table.is_exact, single_table(evaluation.score_table, binned=True)
    start = _start(evaluation, table) if evaluation.threshold is None else None
    own = [] if evaluation.threshold is None or counts_are_open(evaluation) else [evaluation.threshold]
    wanted = [each for each in (*thresholds, *([] if start is None else [start])) if np.isfinite(each)]
    at = np.unique(np.concatenate([_spread(table, most), own, wanted, [np.inf]]))
    counts = table.counts_at(at)
    limited, verdict = _limits(evaluation, at, counts)
    return ThresholdGrid(at, counts, *limited, _b(table, at) if exactly else None, start, verdict)


def _start(evaluation: Evaluation, table: ScoreTable) -> float:
    """Where the scores call as many cases positive as the decisions did; without decisions, as there are positives."""
    wanted = float(evaluation.counts.labelled_positive) if evaluation.has_decisions else evaluation.positives
    place = int(_kernels.places_reaching(table.positives + table.negatives, np.array([wanted]))[0])
    around = table.score[max(place - 1, 0) : place + 1]  # the last score that calls fewer, and the next
    called = np.asarray(table.counts_at(around).labelled_positive)
    return float(around[int(np.argmin(np.abs(called - wanted)))])


def _b(table: ScoreTable, at: Array) -> Array:
    """B(r) of those labelled; of nobody it is undefined."""
    return np.asarray(np.append(np.nan, b_values(table))[np.searchsorted(-table.score, -at, side="right")])


def _spread(table: ScoreTable, most: int) -> Array:
    """All scores if they are few; else every corner of the ROC hull, where costs are least, and even steps between."""
    if len(table) <= most:
        return table.score
    hull = curve("roc_hull", table)["threshold"]
    hull = hull[np.linspace(0, len(hull) - 1, min(len(hull), most // 2, _HULL)).round().astype(int)]
    even = curve("roc", outlined(table)).downsampled(most - len(hull))["threshold"]
    found = np.concatenate([hull, even, table.score[[0, -1]]])
    return np.asarray(found[np.isfinite(found)])


Known = tuple[Mapping[str, Limits], Mapping[str, Limits]]


def _limits(evaluation: Evaluation, at: Array, counts: Counts) -> tuple[Known, tuple[Verdict, ...]]:
    """Intervals of metrics and of likelihood ratios, and the verdict at each stop, from one set of points."""
    if not evaluation.sample.sampling.independent:
        known = _limits_as_evaluated(evaluation, at, counts)
        return (known, {name: known[name] for name in _RATIOS if name in known}), ()
    wanted = {metric.name: metric for metric in (*(METRICS[name] for name in _ALWAYS), *moving(evaluation))}
    ratios = {name: replace(METRICS[name], name=f"ratio {name}") for name in _RATIOS}
    judging = {f"by {name}": replace(METRICS[name], name=f"by {name}") for name in _JUDGING}
    more = [*ratios.values(), *judging.values()]  # under names of their own: a user's metric may have any
    intervals = _intervals([*wanted.values(), *more], counts, evaluation)
    of_ratios = {name: intervals[ratio.name] for name, ratio in ratios.items()}
    return ({name: intervals[name] for name in wanted}, of_ratios), _verdicts(
        counts, *(intervals[name] for name in judging)
    )


def _limits_as_evaluated(evaluation: Evaluation, at: Array, counts: Counts) -> Mapping[str, Limits]:
    """Where only the evaluation knows how cases were drawn: its own limits, at its own threshold."""
    own = at == evaluation.threshold if evaluation.score_table is not None else np.ones(len(at), bool)
    found = {}
    for metric in (each for each in moving(evaluation) if own.any() and each.name in evaluation):
        estimate = evaluation[metric.name]
        if np.allclose(
            np.asarray(metric(counts))[own], estimate.value, rtol=1e-9
        ):  # a mean over folds is another number
            found[metric.name] = np.where(own, estimate.low, np.nan), np.where(own, estimate.high, np.nan)
    return found


def _verdicts(counts: Counts, *judging: Limits) -> tuple[Verdict, ...]:
    """Better than guessing or not, at each stop."""
    labelled, sizes = (counts.labelled_positive, counts.labelled_negative), (counts.positives, counts.negatives)
    columns = (*judging, labelled, sizes)
    rows = zip(*(zip(*(np.asarray(each).tolist() for each in pair), strict=True) for pair in columns), strict=True)
    return tuple(against_guessing(j, ratio, labelled=own, sizes=of) for j, ratio, own, of in rows)


def moving(evaluation: Evaluation) -> list[Metric]:
    """Return the metrics that follow a slider: of decisions, but for those that have a threshold of their own.

    Where nobody has chosen a threshold, all of them: the reader of a page may look for one.
    """
    known = evaluation.metrics if evaluation.has_decisions else METRICS.values()
    return [
        metric
        for metric in known
        if metric.of == "counts" and (metric.requires.cut is None or evaluation.score_table is None)
    ]


def _intervals(metrics: Sequence[Metric], counts: Counts, how: Evaluation) -> dict[str, Limits]:
    """Return the intervals that `estimate` gives, for many tables at once."""
    level, fixed = how.confidence_level, how.sample.sampling.fixed_classes
    drawn = [each for each in metrics if method_for(each).source != "replicates"]
    moved = [each for each in drawn if fixed and each.depends_on_prevalence]
    by_posterior = {each.name: each for each in metrics if each.interval == "posterior" and each not in moved}
    found = dict(posterior_intervals(by_posterior, counts, confidence_level=level))
    found |= {name: ends for name, (_, ends) in with_fixed_class_sizes(moved, counts, level).items()}
    for metric in metrics:
        if metric.name not in found:
            found[metric.name] = limits(metric, counts, confidence_level=level, fixed_classes=fixed)[1]
    return {each.name: _within(each, counts, *found[each.name]) for each in metrics}


def _within(metric: Metric, counts: Counts, low: Array, high: Array) -> Limits:
    undefined, (least, most) = np.isnan(metric(counts)), metric.range
    return np.where(undefined, np.nan, np.maximum(low, least)), np.where(undefined, np.nan, np.minimum(high, most))
