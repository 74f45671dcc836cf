"""Curves of the ranking: ROC, DET, costs and gains; precision against recall, on gain scales, and B(r)."""

from __future__ import annotations

import numpy as np

from unconfuse import _kernels
from unconfuse.curves._curve import Curve, single_table
from unconfuse.metrics._tie_blocks import segments_of
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.table import Array, ScoreTable

RATES = {
    "threshold": "Threshold: score from which a case is labelled positive",
    "fpr": "False positive rate (share of negatives labelled positive)",
    "tpr": "Sensitivity (share of positives found)",
    "fnr": "False negative rate (share of positives missed)",
    "queue_rate": "Queue rate (share of all cases labelled positive)",
}
LABELS = {
    **RATES,
    "recall": "Recall (share of positives found)",
    "precision": "Precision (share of positive labels that are right)",
}
_CHANCE = {"chance": "useless: as many positives as negatives are labelled positive"}


def _rates(table: ScoreTable) -> tuple[Array, Array, Array]:
    """Threshold, FPR and TPR from (0, 0) to (1, 1), one point per distinct score."""
    sums = table.n_positives, table.n_negatives
    return _kernels.roc_points(table.score, table.positives, table.negatives, class_totals=sums)


def roc(table: ScoreTable) -> Curve:
    """Draw the ROC curve: sensitivity against false positive rate at every threshold; `roc_hull` is its convex hull.

    Ties are one point: the line across a block of ties is what random labels within the block would reach.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> curve = roc(PHOTOS)
    >>> curve["fpr"], curve["tpr"]
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    threshold, fpr, tpr = _rates(single_table(table, binned=True))
    columns = {"threshold": threshold, "fpr": fpr, "tpr": tpr, "chance": fpr}
    note = "One point per distinct score; the first, with nothing labelled positive, has an infinite threshold."
    return Curve("roc", columns, "fpr", "tpr", RATES, _CHANCE, note)


def roc_hull(table: ScoreTable) -> Curve:
    """Return the corners of the ROC curve's convex hull: the only thresholds that are best for some costs."""
    table = single_table(table)
    hull = segments_of(table)
    tp, fp = (np.append(0.0, np.cumsum(each)) for each in (hull.positives, hull.negatives))
    fpr, tpr = fp / fp[-1], tp / tp[-1]
    threshold = np.append(np.inf, table.score[hull.last_block - 1])
    columns = {"threshold": threshold, "fpr": fpr, "tpr": tpr, "chance": fpr}
    note = "Between two corners lies a range of costs for which both thresholds beat all others."
    return Curve("roc_hull", columns, "fpr", "tpr", RATES, _CHANCE, note)


def det(table: ScoreTable) -> Curve:
    """Draw the detection error trade-off: both error rates, on normal-deviate scales (binormal scores draw a line)."""
    from unconfuse._scipy_special import ndtri

    threshold, fpr, tpr = _rates(single_table(table, binned=True))
    fnr = 1 - tpr
    columns = {
        "threshold": threshold,
        "fpr": fpr,
        "fnr": fnr,
        "fpr_deviate": ndtri(fpr),
        "fnr_deviate": ndtri(fnr),
        "chance": 1 - fpr,
    }
    baselines = {"chance": "useless: the two error rates add up to 1"}
    note = "Deviates are infinite where a rate is 0 or 1."
    return Curve("det", columns, "fpr", "fnr", RATES, baselines, note)


def gain(table: ScoreTable) -> Curve:
    """Cumulative gain (CAP) and lift against the share of cases looked at, best scores first.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> gain(PHOTOS)["lift"]
    array([       nan, 2.        , 1.        , 1.33333333, 1.        ])
    """
    table = single_table(table, binned=True)
    threshold, _, tpr = _rates(table)
    queue_rate = np.append(0.0, np.cumsum(table.positives + table.negatives) / table.n)
    with np.errstate(invalid="ignore"):
        lift = tpr / queue_rate
    perfect = np.minimum(1.0, queue_rate / table.prevalence)
    columns = {
        "threshold": threshold,
        "queue_rate": queue_rate,
        "gain": tpr,
        "lift": lift,
        "perfect": perfect,
        "chance": queue_rate,
        "chance_lift": np.ones_like(tpr),
    }
    labels = {
        **RATES,
        "queue_rate": "Share of cases looked at, best scores first",
        "gain": "Share of positives found",
        "lift": "Lift (times as many positives as at random)",
    }
    baselines = {"chance": "useless: a random share", "perfect": "perfect: positives first"}
    note = "The area between gain and chance, as a share of the perfect one's, is the Gini coefficient."
    return Curve("gain", columns, "queue_rate", "gain", labels, baselines, note)


def cost_curve(table: ScoreTable) -> Curve:
    """Draw the lowest normalised expected cost that any threshold reaches, against how much missed positives weigh.

    The weight is the probability cost PC = π1 C_FN / (π1 C_FN + π0 C_FP); the cost is FNR PC + FPR (1 - PC).

    References
    ----------
    Drummond & Holte (2006), Machine Learning 65:95, Cost curves.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
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
    columns = {
        "probability_cost": weight,
        "cost": cost,
        "threshold": hull["threshold"][best],
        "trivial": np.minimum(weight, 1 - weight),
    }
    labels = {
        "probability_cost": "Weight of missed positives (prevalence and costs together)",
        "cost": "Expected cost (1 = the worst)",
        "threshold": RATES["threshold"],
    }
    baselines = {"trivial": "trivial: one label for all cases"}
    note = "The lower envelope over all thresholds. It is chosen on the same data, which flatters."
    return Curve("cost_curve", columns, "probability_cost", "cost", labels, baselines, note)


def precision_recall(table: ScoreTable) -> Curve:
    """Precision against recall at every threshold.

    There is no point at recall 0 unless negatives come first: precision without positive labels is 0/0, and the usual
    (0, 1) is a convention, not a measurement.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> precision_recall(PHOTOS)["precision"].round(3)
    array([1.   , 0.5  , 0.667, 0.5  ])
    """
    table = single_table(table, binned=True)
    sums = table.n_positives, table.n_negatives
    recall, precision, queue_rate = _kernels.precision_recall_points(
        table.positives, table.negatives, class_totals=sums
    )
    prevalence = np.broadcast_to(precision[-1], precision.shape)  # with everyone labelled, precision is the prevalence
    columns = {
        "threshold": table.score,
        "recall": recall,
        "precision": precision,
        "queue_rate": queue_rate,
        "prevalence": prevalence,
    }
    baselines = {
        "prevalence": "useless: precision is the prevalence",
        "queue_rate": "useless: recall is the queue rate",
    }
    note = "Points, not a line: between two of them precision follows a curve (see the forms of the AUPRC)."
    return Curve("precision_recall", columns, "recall", "precision", LABELS, baselines, note)


def precision_recall_gain(table: ScoreTable) -> Curve:
    """Precision gain against recall gain, from recall gain 0 on; straight lines between points are right here."""
    table = single_table(table)
    counts = table.counts()
    positives, odds = counts.tp[-1], counts.tp[-1] / counts.fp[-1]
    start = positives * table.prevalence  # true positives where the recall gain is 0
    inside = counts.tp >= start
    tp, fp, threshold = (each[inside] for each in (counts.tp, counts.fp, table.score))
    if tp[0] > start:
        first = int(np.argmax(inside))
        share = (start - (counts.tp[first] - table.positives[first])) / table.positives[first]
        edge = counts.fp[first] - (1 - share) * table.negatives[first]
        tp, fp, threshold = (np.append(a, b) for a, b in ((start, tp), (edge, fp), (threshold[0], threshold)))
    columns = {
        "threshold": threshold,
        "recall_gain": 1 - odds * (positives - tp) / tp,
        "precision_gain": 1 - odds * fp / tp,
        "chance": np.zeros_like(tp),
    }
    labels = {
        **LABELS,
        "recall_gain": "Recall gain (0 = the prevalence)",
        "precision_gain": "Precision gain (0 = the prevalence)",
    }
    baselines = {"chance": "useless: precision is the prevalence"}
    note = (
        "The part with a recall gain below 0 is left out, as in the area; if it ends within a block of ties, the "
        "point at recall gain 0 is interpolated in counts."
    )
    return Curve("precision_recall_gain", columns, "recall_gain", "precision_gain", labels, baselines, note)


def b_curve(table: ScoreTable) -> Curve:
    """B(r) and what goes with it at every threshold.

    Columns: `b` (half credit for ties), its parts `b_plus` = TPR x precision/2 and `b_minus`, `b_excluding_self` (no
    case compared with itself), precision, tpr, fpr, queue_rate and f1.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> b_curve(PHOTOS)["b"]
    array([0.25 , 0.375, 0.5  , 0.625])
    """
    table = single_table(table)
    counts = table.counts()
    b, tpr = b_values(table), counts.tp / counts.tp[-1]
    precision: Array = counts.tp / counts.labelled_positive
    columns = {
        "threshold": table.score,
        "b": b,
        "b_plus": tpr * precision / 2,
        "b_minus": b - tpr * precision / 2,
        "b_excluding_self": b_values(table, exclude_self=True),
        "precision": precision,
        "tpr": tpr,
        "fpr": counts.fp / counts.fp[-1],
        "queue_rate": counts.labelled_positive / table.n,
        "f1": 2 * counts.tp / (counts.tp[-1] + counts.labelled_positive),
        "half": np.full(len(table), 0.5),
    }
    labels = {**LABELS, "b": "B(r): how often a positive outranks a labelled case", "f1": "F1"}
    baselines = {"half": "labelled cases and positives rank equally often above each other"}
    note = "B never rises with the threshold. It passes 1/2 if and only if AUROC is at least 1/2."
    return Curve("b_curve", columns, "threshold", "b", labels, baselines, note)
