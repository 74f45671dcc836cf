"""An evaluation of several classes as a part of a page's payload: the matrix, the classes, and what was found."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from unconfuse._formatting import elided
from unconfuse.curves import curve
from unconfuse.explorer.formulas import script_text
from unconfuse.metrics import METRICS, find_metric
from unconfuse.report._curve_data import exact, picked, rounded, thin
from unconfuse.report._sections import estimate_of
from unconfuse.results import ConfusionMatrix
from unconfuse.results.evaluation import Evaluation
from unconfuse.results.per_class import ClassTable
from unconfuse.results.risk_coverage import limits_at
from unconfuse.table import Array
from unconfuse.uncertainty import Estimate

CLASSES = 1000  # that one page shows at most: the largest
CELLS = 12_000  # of the matrix that one page holds at most: the largest
WORST = 10
_NAMES = 40_000  # bytes for all names together
_SMALL_CURVES = 25_000  # bytes for the small ROC curves together
_SMALL = 0.012  # a small curve may stray so far
_TRIED = 2000  # points of the reject option, most of them in front, of which those that shape its band are shown
_HIGHEST = 0.5  # error rate up to which the band of the reject option keeps its shape
_RISKS = (0.01, 0.02, 0.05, 0.1, 0.2)


def with_short_names(result: Evaluation, longest: int) -> Evaluation:
    """Shorten the names to what a page can bear, so that they still differ, in the findings too."""
    names = short_names(result.classes, longest)
    if names == result.classes:
        return result
    return result.with_changes(sample=result.sample.derive(classes=names), cached_findings=None)


def short_names(names: Sequence[str], longest: int) -> tuple[str, ...]:
    """Names cut so that all together take a bearable room.

    >>> short_names(["cat", "d" * 20, "d" * 30], 12)
    ('cat', 'dddd…ddddddd', 'dddd…ddddddd (3)')
    """
    while longest > 8 and sum(len(script_text(name[:longest]).encode()) for name in names) > _NAMES:
        longest = int(longest * 0.7)
    cut = [elided(name, longest) for name in names]
    first = {short: place for place, short in reversed(list(enumerate(cut)))}
    return tuple(short if first[short] == place else f"{short} ({place + 1})" for place, short in enumerate(cut))


def classes_of(result: Evaluation) -> dict[str, Any]:
    """Return what a page shows of several classes, besides the pages of single ones."""
    kept = _largest(result.confusion.truth)
    table, confusion = result.per_class(), result.confusion
    small = ConfusionMatrix(confusion.counts[np.ix_(kept, kept)], tuple(confusion.classes[each] for each in kept))
    worst = confusion.largest_confusions(WORST, confidence_level=result.confidence_level)
    summaries = {estimate.name: estimate for estimate in (*result.values(), *_tops(result))}
    made: dict[str, Any] = {
        **picked(result, "name source n"),
        "names": list(small.classes),
        "left_out": len(result.classes) - len(kept),
        "truth": _counts(confusion.truth[kept]),
        "predicted": _counts(confusion.predicted[kept]),
        "cells": cells_of(small.counts),
        "order": small.order(),
        "worst": [
            picked(confusion_pair, "truth predicted count of rate low high sentence") for confusion_pair in worst
        ],
        "summaries": {name: summary_of(summary) for name, summary in summaries.items()},
        "declared": _declared(result, summaries),
        "table": _table(table, kept),
        "design": result.design,
        "level": result.confidence_level,
        **picked(result, "n_resamples seed"),
        "findings": [finding.as_dict() for finding in result.findings],
        "small_curves": _small_curves(result, kept),
        "full": [],
    }
    if result.sample.has_scores and result.sample.in_memory is not None:
        made["risk_coverage"] = _risk_coverage(result)
    return made


def by_need(result: Evaluation) -> list[int]:
    """Classes that a page can show in full, those with the lowest recall first."""
    sizes, kept = result.confusion.truth, set(_largest(result.confusion.truth).tolist())
    weakest = result.per_class(["sensitivity"]).order("sensitivity", ascending=True)
    return [k for k in weakest if 0 < sizes[k] < result.n and k in kept]


def _largest(sizes: Array) -> Any:
    return np.sort(np.argsort(-sizes, kind="stable")[:CLASSES])


def cells_of(counts: Array) -> dict[str, Any]:
    """Return the cells that hold cases, row after row: each one's distance from the cell before, and its count.

    >>> cells_of(np.array([[5.0, 0.0], [2.0, 1.0]]))
    {'step': [0, 2, 1], 'count': [5, 2, 1], 'left_out': 0, 'at_most': 0}
    """
    there = np.flatnonzero(counts)
    size = counts.flat[there] + np.where(there % (len(counts) + 1) == 0, np.inf, 0)  # right ones always stay
    kept = np.sort(there[np.argsort(-size, kind="stable")[:CELLS]])
    lost = np.setdiff1d(there, kept)
    return {
        "step": np.diff(kept, prepend=0).tolist(),
        "count": _counts(counts.flat[kept]),
        "left_out": len(lost),
        "at_most": _counts(np.max(counts.flat[lost], initial=0.0)),
    }


def _counts(values: Any) -> Any:
    """Whole counts as they are; sums of weights to nine digits."""
    flat = np.atleast_1d(values)
    found = exact(flat) if (flat == np.round(flat)).all() else rounded(flat, 9)
    return found if np.ndim(values) else found[0]


def summary_of(each: Estimate) -> dict[str, Any]:
    """Return a summary with what its value rests on."""
    return estimate_of(each) | {"note": each.conditions.partition("; ")[2]}


def _tops(result: Evaluation) -> Iterable[Estimate]:
    """How often the true class is among the first few; where nobody asked for other metrics alone."""
    if "aurc" not in result or len(result.classes) < 3:
        return []
    sizes = (2,) if len(result.classes) < 10 else (3, 5)
    metrics = [find_metric(f"top_k_accuracy({k})", several=True) for k in sizes]
    return result.estimate([metric for metric in metrics if metric.name not in result]).values()


def _declared(result: Evaluation, names: Iterable[str]) -> dict[str, Any]:
    own = {metric.name: metric for metric in result.metrics}
    found = {name: own.get(name) or find_metric(name, several=True) for name in names}
    return {name: picked(metric, "label question better range misleads") for name, metric in found.items()}


def _table(table: ClassTable, kept: Any) -> dict[str, Any]:
    def column(name: str) -> dict[str, Any]:
        ends = {"low": rounded(table.low[name][kept], 4), "high": rounded(table.high[name][kept], 4)}
        return {"label": METRICS[name].label, "value": rounded(table.values[name][kept]), **ends}

    why = {str(place): table.undefined[k] for place, k in enumerate(kept) if table.undefined[k]}
    return {"metrics": {name: column(name) for name in table.values}, "undefined": why}


def _small_curves(result: Evaluation, kept: Any) -> dict[str, Any]:
    """Small ROC curves for as many classes as there is room for, the weakest first."""
    if not result.sample.has_scores:
        return {}
    found: dict[str, Any] = {}
    place, room = {int(k): i for i, k in enumerate(kept)}, _SMALL_CURVES
    for k in by_need(result):
        roc = curve("roc", result.table_of(result.classes[k]))
        keep = thin(roc["fpr"], roc["tpr"], _SMALL)
        line = {"x": rounded(roc["fpr"][keep], 3), "y": rounded(roc["tpr"][keep], 3)}
        room -= len(script_text(line)) + 10
        if room < 0:
            break
        found[str(place[k])] = line
    return found


def _risk_coverage(result: Evaluation) -> dict[str, Any]:
    risk_coverage = result.risk_coverage()
    # Intervals grow shorter with every case: of a long curve few are computed, most of them where few are decided.
    tried = np.unique(np.geomspace(1, len(risk_coverage.risk), _TRIED).astype(np.int64) - 1)
    shown = thin(risk_coverage.coverage[tried], np.minimum(limits_at(risk_coverage, tried)[1], _HIGHEST))
    keep = np.union1d(thin(risk_coverage.coverage, risk_coverage.risk), tried[shown])
    overall = float(risk_coverage.risk[-1])
    wanted = {risk: risk_coverage.coverage_at(risk) for risk in _RISKS if risk < overall}
    low, high = limits_at(risk_coverage, keep)
    columns = {name: rounded(each[keep]) for name, each in picked(risk_coverage, "coverage risk threshold").items()}
    columns |= {"low": rounded(low), "high": rounded(high)}
    at = [
        {"risk": risk, **picked(estimate, "value low high"), "cut": estimate.conditions}
        for risk, estimate in wanted.items()
    ]
    return {**columns, "area": estimate_of(risk_coverage.area), "overall": overall, "at": at}
