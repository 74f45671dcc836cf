"""Curves: columns over thresholds, each a function of a score table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import short_repr
from unconfuse._validate import check_text, public_api
from unconfuse.curves._curve import Curve
from unconfuse.curves.decision_curves import (
    brier_curve,
    decision_curve,
    reliability,
    reliability_bins,
    score_histogram,
    trends,
)
from unconfuse.curves.ranking_curves import (
    b_curve,
    cost_curve,
    det,
    gain,
    precision_recall,
    precision_recall_gain,
    roc,
    roc_hull,
)
from unconfuse.table import ScoreTable, check_table

_FIRST = (roc, roc_hull, precision_recall, precision_recall_gain, det, gain, trends)
_THEN = (b_curve, cost_curve, brier_curve, decision_curve, reliability, reliability_bins, score_histogram)
__all__ = [
    "CURVES",
    "Curve",
    "b_curve",
    "curve",
    "precision_recall",
    "reliability",
    "reliability_bins",
    "score_histogram",
    "trends",
]

CURVES: Mapping[str, Callable[..., Curve]] = MappingProxyType({each.__name__: each for each in _FIRST + _THEN})


_ALSO = {
    **dict.fromkeys(("pr", "prc", "precisionrecallcurve", "recallprecision"), "precision_recall"),
    **dict.fromkeys(("roccurve", "receiveroperatingcharacteristic"), "roc"),
    **dict.fromkeys(("calibration", "calibrationcurve", "reliabilitydiagram"), "reliability"),
    **dict.fromkeys(("dca", "netbenefit", "decisioncurveanalysis"), "decision_curve"),
    **dict.fromkeys(("histogram", "scores", "scorehistograms"), "score_histogram"),
    **dict.fromkeys(("prg", "gains"), "precision_recall_gain"),
    **dict.fromkeys(("cumulativegain", "cumulativegains"), "gain"),
}


def curve_name(name: str) -> str:
    """Return the name of a curve, however it is written, or whatever another library calls it.

    >>> curve_name("PR"), curve_name("Precision-Recall"), curve_name("calibration"), curve_name("no such")
    ('precision_recall', 'precision_recall', 'reliability', 'no such')
    """
    plain = "".join(letter for letter in name.lower() if letter.isalnum())
    return next((each for each in CURVES if each.replace("_", "") == plain), _ALSO.get(plain, name))


@public_api
def curve(name: str, table: ScoreTable, **settings: Any) -> Curve:
    """Build a curve by its name, with settings if it has any (such as the number of bins).

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> curve("roc", PHOTOS)
    Curve(roc: tpr against fpr, 5 points; columns threshold, fpr, tpr, chance)
    """
    name = curve_name(check_text(name, "name"))
    if name not in CURVES:
        raise ArgumentError(f"unknown curve {short_repr(name)}. {did_you_mean(name, CURVES)}")
    return CURVES[name](check_table(table, "a curve"), **settings)
