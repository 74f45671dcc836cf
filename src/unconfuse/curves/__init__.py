"""Curves: columns over thresholds, each a function of a score table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from unconfuse._errors import ArgumentError, nearest
from unconfuse.curves._curve import Curve
from unconfuse.curves.decisions import brier_curve, decision_curve, trends
from unconfuse.curves.precision_recall import b_curve, precision_recall, precision_recall_gain
from unconfuse.curves.reliability import reliability, reliability_bins, score_histogram
from unconfuse.curves.roc import cost_curve, det, gain, roc, roc_hull
from unconfuse.table import ScoreTable

__all__ = [
    "CURVES",
    "Curve",
    "b_curve",
    "brier_curve",
    "cost_curve",
    "curve",
    "decision_curve",
    "det",
    "gain",
    "precision_recall",
    "precision_recall_gain",
    "reliability",
    "reliability_bins",
    "roc",
    "roc_hull",
    "score_histogram",
    "trends",
]

CURVES: Mapping[str, Callable[[ScoreTable], Curve]] = MappingProxyType(
    {
        each.__name__: each
        for each in (
            roc,
            roc_hull,
            precision_recall,
            precision_recall_gain,
            det,
            gain,
            trends,
            b_curve,
            cost_curve,
            brier_curve,
            decision_curve,
            reliability,
            reliability_bins,
            score_histogram,
        )
    }
)


def curve(name: str, table: ScoreTable) -> Curve:
    """A curve by its name.

    Examples
    --------
    >>> from unconfuse.metrics._blocks import PHOTOS
    >>> curve("roc", PHOTOS)
    Curve(roc: tpr against fpr, 5 points; columns threshold, fpr, tpr, chance)
    """
    if name not in CURVES:
        raise ArgumentError(f"unknown curve {name!r}. {nearest(name, CURVES)}")
    return CURVES[name](table)
