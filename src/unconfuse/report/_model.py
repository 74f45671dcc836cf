"""One evaluation as a part of a page's payload: its numbers, its curves, and every stop of the threshold slider."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from unconfuse._plain import plain_json
from unconfuse.curves import curve
from unconfuse.curves._curve import plain
from unconfuse.findings import counts_are_open
from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.metrics.ledger import FAMILIES, explain
from unconfuse.report._lines import curves_of, exact, histogram_of, is_probability, picked, rounded
from unconfuse.results.evaluation import Evaluation
from unconfuse.table import Array, Counts, ScoreTable
from unconfuse.uncertainty.closed_form import Limits, log_lr_negative, log_lr_positive
from unconfuse.uncertainty.decisions import limits
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.posterior import posterior_interval, posterior_intervals

NAME_LENGTH = 10_000
FEW = 160  # with so many distinct scores or fewer, every one is a stop
_HULL = 80


def model_of(
    evaluation: Evaluation, thresholds: Iterable[float] = (), *, name: str = "", stops: int = FEW, bands: bool = True
) -> dict[str, Any]:
    """What a page needs to draw one classifier."""
    start = [] if evaluation.table is None or evaluation.threshold is not None else [start_of(evaluation)]
    part = {
        "name": (name or evaluation.name)[:NAME_LENGTH],
        "source": evaluation.source[:NAME_LENGTH],
        **picked(evaluation, "n positives negatives threshold design"),
        "level": evaluation.confidence_level,
        **picked(evaluation, "n_resamples seed"),
        "findings": [each.as_dict() for each in evaluation.findings],
        "estimates": {key: estimate_of(each) for key, each in evaluation.estimates.items()},
        "stops": stops_of(evaluation, [*thresholds, *start], most=stops),
        "curves": curves_of(evaluation, bands=bands),
    }
    part |= {"start": start[0]} if start else {}
    part |= {"skipped": evaluation.skipped.as_dict()} if evaluation.skipped else {}
    return part | ({} if evaluation.table is None else _scores(evaluation.table))


def start_of(evaluation: Evaluation) -> float:
    """Decisions without a threshold: where the scores call as many cases positive as the decisions did."""
    table = evaluation.table
    assert table is not None
    called = np.asarray(table.counts_at(table.score).labelled_positive)
    wanted = float(evaluation.counts.labelled_positive)
    return float(table.score[int(np.argmin(np.abs(called - wanted)))])


def _scores(table: ScoreTable) -> dict[str, Any]:
    ends = {"lowest_score": float(table.score[-1]), "highest_score": float(table.tops[0])}
    spread = {"histogram": histogram_of(table)} if table.is_exact else {"binned": True}
    return {"distinct_scores": len(table), **ends, **spread}


def estimate_of(each: Estimate) -> dict[str, Any]:
    """A value with its interval, what chance would give, and the reason where there is none."""
    found = picked(each, "value low high method baseline undefined")
    return found if each.bound is None else found | {"bound": list(each.bound), "bound_text": each.bound_text()}


def declarations_of(metrics: Iterable[Metric]) -> dict[str, Any]:
    """What a page says about each metric, and how it computes it."""
    words = "label question of better range expression depends_on_prevalence undefined misleads references"
    return {each.name: picked(each, words) for each in metrics}


def ledgers_of(table: ScoreTable) -> list[dict[str, Any]]:
    """Every definition that goes by a name that tools disagree on, once for each family."""
    needs = set() if is_probability(table) else {"ece", "log_loss", "calibration_intercept", "brier"}
    first: dict[int, str] = {}
    for name, family in FAMILIES.items():
        first.setdefault(id(family), name)
    return [explain(name, table).as_dict() for name in first.values() if name not in needs]


def stops_of(evaluation: Evaluation, wanted: Iterable[float] = (), *, most: int = FEW) -> dict[str, Any]:
    """The slider's stops of one evaluation, from the lowest threshold to "label nobody".

    Those of a binned table lie between its blocks, where counts are exact.
    """
    table = evaluation.table
    if table is None:
        cells = {name: np.atleast_1d(cell) for name, cell in evaluation.counts.as_dict().items()}
        return _columns(evaluation, np.array([np.nan]), Counts(**cells))
    exactly, table = table.is_exact, plain(table, binned=True)
    chosen = [] if evaluation.threshold is None or counts_are_open(evaluation) else [evaluation.threshold]
    chosen += [each for each in wanted if np.isfinite(each)]
    at = np.unique(np.concatenate([_spread(table, most), chosen, [np.inf]]))
    found = _columns(evaluation, at, table.counts_at(at))
    if not exactly:
        return found
    labelled = np.searchsorted(-table.score, -at, side="right")
    return found | {"b": rounded(np.append(np.nan, b_values(table))[labelled], 7)}  # B(r) of nobody is undefined


def _spread(table: ScoreTable, most: int) -> Array:
    """All scores if they are few; else every corner of the ROC hull, where costs are least, and even steps between."""
    if len(table) <= most:
        return table.score
    hull = curve("roc_hull", table)["threshold"]
    hull = hull[np.linspace(0, len(hull) - 1, min(len(hull), most // 2, _HULL)).round().astype(int)]
    even = curve("roc", table).thinned(most - len(hull))["threshold"]
    found = np.concatenate([hull, even, table.score[[0, -1]]])
    return np.asarray(found[np.isfinite(found)])


def _columns(evaluation: Evaluation, at: Array, counts: Counts) -> dict[str, Any]:
    metrics = [each for each in evaluation.metrics if each.of == "counts"]
    known = evaluation.design != "clustered"  # counts do not know which cases belong together
    found = intervals(metrics, counts, evaluation) if known else {}
    ratios = ratio_limits(counts, evaluation.confidence_level) if known else {}
    return {
        "threshold": exact(at),
        "tp": exact(counts.tp),
        "fp": exact(counts.fp),
        "intervals": {name: [rounded(end) for end in ends] for name, ends in found.items()},
        "values": {each.name: rounded(each(counts), 12) for each in metrics if not each.expression},
        "ratios": {name: [rounded(end, 7) for end in ends] for name, ends in ratios.items()},
    }


def intervals(metrics: list[Metric], counts: Counts, how: Evaluation) -> dict[str, Limits]:
    """The intervals that `estimate` gives, for many tables at once."""
    level, case_control = how.confidence_level, how.design == "case-control"
    by_posterior = {
        each.name: each
        for each in metrics
        if each.interval == "posterior" and not (case_control and each.depends_on_prevalence)
    }
    found = dict(posterior_intervals(by_posterior, counts, confidence_level=level))
    for each in metrics:
        if each.name not in found:
            found[each.name] = limits(each, counts, confidence_level=level, design=how.design)[1]
    return {each.name: _within(each, counts, *found[each.name]) for each in metrics}


def _within(metric: Metric, counts: Counts, low: Array, high: Array) -> Limits:
    undefined, (least, most) = np.isnan(metric(counts)), metric.range
    return np.where(undefined, np.nan, np.maximum(low, least)), np.where(undefined, np.nan, np.minimum(high, most))


def ratio_limits(counts: Counts, level: float) -> dict[str, Limits]:
    """Limits of both likelihood ratios as `shift_prevalence` uses them: a prior's odds times these are its limits.

    They come from the log interval; where a cell is empty, from the posterior with known class sizes. The probability
    after a label rises with the ratio, so the limits of one are those of the other, whatever the prevalence.
    """
    empty = (counts.tp * counts.fp * counts.fn * counts.tn) == 0
    found = {}
    for name, log in (("lr_positive", log_lr_positive), ("lr_negative", log_lr_negative)):
        closed = log(counts, confidence_level=level)
        exactly = posterior_interval(METRICS[name], counts, confidence_level=level, design="case-control")
        found[name] = (np.where(empty, exactly[0], closed[0]), np.where(empty, exactly[1], closed[1]))
    return found
