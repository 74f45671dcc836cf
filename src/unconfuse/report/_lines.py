"""Curves for a page: thinned to what can be seen, with their bands."""

from __future__ import annotations

from typing import Any

import numpy as np

from unconfuse.curves import Curve, curve
from unconfuse.report._plain import rounded
from unconfuse.report._thin import thin
from unconfuse.results.evaluation import Evaluation
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.bands import HEIGHTS, band

ANY_SCORES = ("roc", "precision_recall", "precision_recall_gain", "gain")
BETWEEN_BLOCKS = ("roc", "precision_recall", "gain")  # what a binned table gives exactly, at the ends of its blocks
PROBABILITIES = ("reliability", "decision_curve")
_BASELINES = {
    "roc": ("chance",),
    "gain": ("chance", "perfect"),
    "precision_recall": ("prevalence",),
    "precision_recall_gain": ("chance",),
    "decision_curve": ("treat_all", "treat_none"),
    "reliability": ("ideal",),
}
_FEW_BLOCKS = 400
_BETWEEN = np.linspace(0, 1, 9)[1:]


def curves_of(evaluation: Evaluation, *, bands: bool = True) -> dict[str, Any]:
    """Every curve that these scores allow."""
    table = evaluation.table
    if table is None:
        return {}
    if not table.is_exact:
        return {name: _line(curve(name, table)) for name in BETWEEN_BLOCKS}
    probabilities = bool(table.score[0] <= 1 and table.score[-1] >= 0)
    names = ANY_SCORES + (PROBABILITIES if probabilities else ())
    with_bands = bands and evaluation.design != "clustered"
    found = {name: _line(curve(name, table)) for name in names}
    found["precision_recall"] |= _between_blocks(table)
    for name in HEIGHTS if with_bands else ():
        found[name]["band"] = _band(evaluation, name)
    if probabilities:
        found["reliability"]["bins"] = _bins(evaluation)
    return found


def _line(each: Curve) -> dict[str, Any]:
    baselines = {name: {"words": each.baselines[name], **_drawn(each, name)} for name in _BASELINES[each.name]}
    return {
        **_drawn(each, each.y),
        "x_label": each.label(each.x),
        "y_label": each.label(each.y),
        "points": len(each),
        "baselines": baselines,
        "note": each.note,
    }


def _drawn(each: Curve, column: str) -> dict[str, Any]:
    """The part that the picture shows: a gain or a net benefit may fall without end."""
    lowest = {"precision_recall_gain": -0.2, "decision_curve": -1.0}.get(each.name, -np.inf)
    x, y = each[each.x], np.maximum(each[column], lowest)
    keep = np.arange(len(x)) if each.name == "decision_curve" else thin(x, y)
    return {"x": rounded(x[keep]), "y": rounded(y[keep])}


def _between_blocks(table: ScoreTable) -> dict[str, Any]:
    """Between two thresholds precision does not run straight: false positives grow evenly with true ones."""
    if len(table) > _FEW_BLOCKS:
        return {}
    counts = table.counts()
    tp, fp = (_filled(each) for each in (counts.tp, counts.fp))
    there = tp + fp > 0
    recall, precision = tp[there] / tp[-1], tp[there] / (tp + fp)[there]
    keep = thin(recall, precision)
    return {"x": rounded(recall[keep]), "y": rounded(precision[keep])}


def _filled(cumulated: Array) -> Array:
    before = np.append(0.0, cumulated[:-1])
    return np.asarray((before[:, None] + (cumulated - before)[:, None] * _BETWEEN).reshape(-1))


def _band(evaluation: Evaluation, name: str) -> dict[str, Any]:
    assert evaluation.table is not None
    found = band(
        evaluation.table,
        name,
        confidence_level=evaluation.confidence_level,
        design=evaluation.design,
        rng=evaluation.seed or 0,
    )
    return {
        "x": rounded(found.x),
        "low": rounded(found.low, 4),
        "high": rounded(found.high, 4),
        "kind": found.kind,
        "method": found.method,
    }


def _bins(evaluation: Evaluation) -> dict[str, Any]:
    from unconfuse.curves import reliability_bins

    assert evaluation.table is not None
    found = reliability_bins(evaluation.table, confidence_level=evaluation.confidence_level)
    return {name: rounded(found[name]) for name in ("score", "share", "low", "high", "weight")} | {"note": found.note}


def histogram_of(table: ScoreTable) -> dict[str, Any]:
    """How the scores of both classes are spread."""
    found = curve("score_histogram", table)
    return {name: rounded(found[name], 6) for name in ("left", "right", "share_of_positives", "share_of_negatives")}
