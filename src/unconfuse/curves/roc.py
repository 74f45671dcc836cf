"""Curves of the ranking that do not depend on prevalence (ROC, DET, cost) and the gain chart."""

from __future__ import annotations

import numpy as np

from unconfuse import _kernels
from unconfuse.curves._curve import Curve, from_origin, plain
from unconfuse.metrics._blocks import hull_points
from unconfuse.table import Array, ScoreTable

RATES = {
    "threshold": "Threshold: score from which a case is labelled positive",
    "fpr": "False positive rate (share of negatives labelled positive)",
    "tpr": "Sensitivity (share of positives found)",
    "fnr": "False negative rate (share of positives missed)",
    "queue_rate": "Queue rate (share of all cases labelled positive)",
}


def _rates(table: ScoreTable) -> tuple[Array, Array, Array]:
    """Threshold, FPR and TPR from (0, 0) to (1, 1), one point per distinct score."""
    sums = table.n_positives, table.n_negatives
    return _kernels.roc_points(table.score, table.positives, table.negatives, class_totals=sums)


def _hull_rates(table: ScoreTable) -> tuple[Array, Array]:
    tp, fp = hull_points(table.positives, table.negatives)
    return fp / fp[-1], tp / tp[-1]


def roc(table: ScoreTable) -> Curve:
    """The ROC curve: sensitivity against false positive rate at every threshold; `roc_hull` is its convex hull.

    Ties are one point: the line across a block of ties is what random labels within the block would reach.

    Examples
    --------
    >>> from unconfuse.metrics._blocks import PHOTOS
    >>> curve = roc(PHOTOS)
    >>> curve["fpr"], curve["tpr"]
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    threshold, fpr, tpr = _rates(plain(table, binned=True))
    return Curve(
        name="roc",
        columns={"threshold": threshold, "fpr": fpr, "tpr": tpr, "chance": fpr},
        x="fpr",
        y="tpr",
        labels=RATES,
        baselines={"chance": "useless: as many positives as negatives are labelled positive"},
        note="One point per distinct score; the first, with nothing labelled positive, has an infinite threshold.",
    )


def roc_hull(table: ScoreTable) -> Curve:
    """The corners of the ROC curve's convex hull: the only thresholds that are best for some costs."""
    fpr, tpr = _hull_rates(plain(table))
    threshold, all_fpr, all_tpr = _rates(plain(table))
    at = np.searchsorted(all_fpr + all_tpr, fpr + tpr - 1e-12)
    return Curve(
        name="roc_hull",
        columns={"threshold": threshold[at], "fpr": fpr, "tpr": tpr, "chance": fpr},
        x="fpr",
        y="tpr",
        labels=RATES,
        baselines={"chance": "useless: as many positives as negatives are labelled positive"},
        note="Between two corners lies a range of costs for which both thresholds beat all others.",
    )


def det(table: ScoreTable) -> Curve:
    """The detection error trade-off: both error rates, on normal-deviate scales where binormal scores draw a line."""
    from scipy.special import ndtri

    threshold, fpr, tpr = _rates(plain(table, binned=True))
    fnr = 1 - tpr
    return Curve(
        name="det",
        columns={
            "threshold": threshold,
            "fpr": fpr,
            "fnr": fnr,
            "fpr_deviate": ndtri(fpr),
            "fnr_deviate": ndtri(fnr),
            "chance": 1 - fpr,
        },
        x="fpr",
        y="fnr",
        labels=RATES,
        baselines={"chance": "useless: the two error rates add up to 1"},
        note="Deviates are infinite where a rate is 0 or 1.",
    )


def gain(table: ScoreTable) -> Curve:
    """Cumulative gain (CAP) and lift against the share of cases looked at, best scores first.

    Examples
    --------
    >>> from unconfuse.metrics._blocks import PHOTOS
    >>> gain(PHOTOS)["lift"]
    array([       nan, 2.        , 1.        , 1.33333333, 1.        ])
    """
    table = plain(table, binned=True)
    threshold, _, tpr = _rates(table)
    queue_rate = from_origin(np.cumsum(table.positives + table.negatives) / table.n)
    with np.errstate(invalid="ignore"):
        lift = tpr / queue_rate
    perfect = np.minimum(1.0, queue_rate / table.prevalence)
    return Curve(
        name="gain",
        columns={
            "threshold": threshold,
            "queue_rate": queue_rate,
            "gain": tpr,
            "lift": lift,
            "perfect": perfect,
            "chance": queue_rate,
            "chance_lift": np.ones_like(tpr),
        },
        x="queue_rate",
        y="gain",
        labels={
            **RATES,
            "queue_rate": "Share of cases looked at, best scores first",
            "gain": "Share of positives found",
            "lift": "Lift (times as many positives as at random)",
        },
        baselines={"chance": "useless: a random share", "perfect": "perfect: positives first"},
        note="The area between gain and chance, as a share of the perfect one's, is the Gini coefficient.",
    )


def cost_curve(table: ScoreTable) -> Curve:
    """The lowest normalised expected cost that any threshold reaches, against how much missed positives weigh.

    The weight is the probability cost PC = π1 C_FN / (π1 C_FN + π0 C_FP); the cost is FNR PC + FPR (1 - PC).

    References
    ----------
    Drummond & Holte (2006), Machine Learning 65:95, Cost curves.

    Examples
    --------
    >>> from unconfuse.metrics._blocks import PHOTOS
    >>> curve = cost_curve(PHOTOS)
    >>> curve["probability_cost"], curve["cost"]
    (array([0. , 0.5, 1. ]), array([0.  , 0.25, 0.  ]))
    """
    hull = roc_hull(table)
    rise, run = np.diff(hull["tpr"]), np.diff(hull["fpr"])
    switches = run / (rise + run)  # where the next corner becomes cheaper
    weight = np.unique(np.concatenate([[0.0, 0.5, 1.0], switches]))
    best = np.searchsorted(switches, weight, side="left")
    cost = (1 - hull["tpr"][best]) * weight + hull["fpr"][best] * (1 - weight)
    return Curve(
        name="cost_curve",
        columns={
            "probability_cost": weight,
            "cost": cost,
            "threshold": hull["threshold"][best],
            "trivial": np.minimum(weight, 1 - weight),
        },
        x="probability_cost",
        y="cost",
        labels={
            "probability_cost": "Weight of missed positives (prevalence and costs together)",
            "cost": "Expected cost (1 = the worst)",
            "threshold": RATES["threshold"],
        },
        baselines={"trivial": "trivial: one label for all cases"},
        note="The lower envelope over all thresholds. It is chosen on the same data, which flatters.",
    )
