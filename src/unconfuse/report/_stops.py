"""Where a page's threshold slider stops: chosen thresholds, the 2x2 table and every interval at each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from unconfuse.curves import curve
from unconfuse.curves._curve import plain
from unconfuse.findings import counts_are_open
from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.report._plain import exact, rounded
from unconfuse.results.evaluation import Evaluation
from unconfuse.table import Array, Counts, ScoreTable
from unconfuse.uncertainty.closed_form import Limits
from unconfuse.uncertainty.methods import limits
from unconfuse.uncertainty.posterior import posterior_interval, posterior_intervals

FEW = 160  # with so many distinct scores or fewer, every one is a stop
_HULL = 80


def stops_of(evaluation: Evaluation, wanted: Iterable[float] = (), *, most: int = FEW) -> dict[str, Any]:
    """The slider's stops of one evaluation, from the lowest threshold to "label nobody".

    Those of a binned table lie between its blocks, where counts are exact.
    """
    table = evaluation.table
    if table is None:
        return _columns(
            evaluation,
            np.array([np.nan]),
            Counts(**{name: np.atleast_1d(cell) for name, cell in evaluation.counts.as_dict().items()}),
        )
    exactly, table = table.is_exact, plain(table, binned=True)
    chosen = [] if evaluation.threshold is None or counts_are_open(evaluation) else [evaluation.threshold]
    at = np.unique(
        np.concatenate([_spread(table, most), chosen, [each for each in wanted if np.isfinite(each)], [np.inf]])
    )
    found = _columns(evaluation, at, table.counts_at(at))
    return found | ({"b": rounded(_b(table, at), 7)} if exactly else {})


def _spread(table: ScoreTable, most: int) -> Array:
    """All scores if they are few; else every corner of the ROC hull, where costs are least, and even steps between."""
    if len(table) <= most:
        return table.score
    hull = curve("roc_hull", table)["threshold"]
    hull = hull[np.linspace(0, len(hull) - 1, min(len(hull), most // 2, _HULL)).round().astype(int)]
    even = curve("roc", table).thinned(most - len(hull))["threshold"]
    found = np.concatenate([hull, even, table.score[[0, -1]]])
    return np.asarray(found[np.isfinite(found)])


def _b(table: ScoreTable, at: Array) -> Array:
    """B(r) at each threshold; undefined where nobody is labelled."""
    labelled = np.searchsorted(-table.score, -at, side="right")
    return np.append(np.nan, b_values(table))[labelled]


def _columns(evaluation: Evaluation, at: Array, counts: Counts) -> dict[str, Any]:
    metrics = [each for each in evaluation.metrics if each.of == "counts"]
    known = evaluation.design != "clustered"  # counts do not know which cases belong together
    found = intervals(metrics, counts, evaluation) if known else {}
    return {
        "threshold": exact(at),
        "tp": exact(counts.tp),
        "fp": exact(counts.fp),
        "intervals": {name: [rounded(low), rounded(high)] for name, (low, high) in found.items()},
        "values": {each.name: rounded(each(counts), 12) for each in metrics if not each.expression},
        "ratios": {
            name: [rounded(low, 7), rounded(high, 7)]
            for name, (low, high) in (ratio_limits(counts, evaluation.confidence_level) if known else {}).items()
        },
    }


def intervals(metrics: list[Metric], counts: Counts, how: Evaluation) -> dict[str, Limits]:
    """The intervals that `estimate` gives, for many tables at once."""
    case_control = how.design == "case-control"
    by_posterior = {
        each.name: each
        for each in metrics
        if each.interval == "posterior" and not (case_control and each.depends_on_prevalence)
    }
    together = posterior_intervals(by_posterior, counts, confidence_level=how.confidence_level)
    found = {
        each.name: together[each.name]
        if each.name in together
        else limits(each, counts, confidence_level=how.confidence_level, design=how.design)[1]
        for each in metrics
    }
    return {each.name: _within(each, counts, *found[each.name]) for each in metrics}


def _within(metric: Metric, counts: Counts, low: Array, high: Array) -> Limits:
    undefined = np.isnan(metric(counts))
    return (
        np.where(undefined, np.nan, np.maximum(low, metric.range[0])),
        np.where(undefined, np.nan, np.minimum(high, metric.range[1])),
    )


def ratio_limits(counts: Counts, level: float) -> dict[str, Limits]:
    """Limits of both likelihood ratios as `shift_prevalence` uses them: a prior's odds times these are its limits.

    They come from the log interval; where a cell is empty, from the posterior with known class sizes. The probability
    after a label rises with the ratio, so the limits of one are those of the other, whatever the prevalence.
    """
    empty = (counts.tp * counts.fp * counts.fn * counts.tn) == 0
    found = {}
    for name in ("lr_positive", "lr_negative"):
        _, closed = limits(METRICS[name], counts, confidence_level=level, method="log")
        exactly = posterior_interval(METRICS[name], counts, confidence_level=level, design="case-control")
        found[name] = (np.where(empty, exactly[0], closed[0]), np.where(empty, exactly[1], closed[1]))
    return found
