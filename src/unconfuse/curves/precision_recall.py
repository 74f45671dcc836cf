"""Curves of precision: against recall, on gain scales, and B(r)."""

from __future__ import annotations

import numpy as np

from unconfuse import _kernels
from unconfuse.curves._curve import Curve, plain
from unconfuse.curves.roc import RATES
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.table import Array, ScoreTable

LABELS = {
    **RATES,
    "recall": "Recall (share of positives found)",
    "precision": "Precision (share of positive labels that are right)",
}


def precision_recall(table: ScoreTable) -> Curve:
    """Precision against recall at every threshold.

    There is no point at recall 0 unless negatives come first: precision without positive labels is 0/0, and the usual
    (0, 1) is a convention, not a measurement.

    Examples
    --------
    >>> from unconfuse.metrics._blocks import PHOTOS
    >>> precision_recall(PHOTOS)["precision"].round(3)
    array([1.   , 0.5  , 0.667, 0.5  ])
    """
    table = plain(table, binned=True)
    sums = table.n_positives, table.n_negatives
    recall, precision, queue_rate = _kernels.precision_recall_points(
        table.positives, table.negatives, class_totals=sums
    )
    prevalence = np.broadcast_to(precision[-1], precision.shape)  # with everyone labelled, precision is the prevalence
    return Curve(
        name="precision_recall",
        columns={
            "threshold": table.score,
            "recall": recall,
            "precision": precision,
            "queue_rate": queue_rate,
            "prevalence": prevalence,
        },
        x="recall",
        y="precision",
        labels=LABELS,
        baselines={
            "prevalence": "useless: precision is the prevalence",
            "queue_rate": "useless: recall is the queue rate",
        },
        note="Points, not a line: between two of them precision follows a curve (see the forms of the AUPRC).",
    )


def precision_recall_gain(table: ScoreTable) -> Curve:
    """Precision gain against recall gain, from recall gain 0 on; straight lines between points are right here."""
    table = plain(table)
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
    return Curve(
        name="precision_recall_gain",
        columns={
            "threshold": threshold,
            "recall_gain": 1 - odds * (positives - tp) / tp,
            "precision_gain": 1 - odds * fp / tp,
            "chance": np.zeros_like(tp),
        },
        x="recall_gain",
        y="precision_gain",
        labels={
            **LABELS,
            "recall_gain": "Recall gain (0 = the prevalence)",
            "precision_gain": "Precision gain (0 = the prevalence)",
        },
        baselines={"chance": "useless: precision is the prevalence"},
        note="The part with a recall gain below 0 is left out, as in the area; if it ends within a block of ties, the "
        "point at recall gain 0 is interpolated in counts.",
    )


def b_curve(table: ScoreTable) -> Curve:
    """B(r) and what goes with it at every threshold.

    Columns: `b` (half credit for ties), its parts `b_plus` = TPR x precision/2 and `b_minus`, `b_excluding_self` (no
    case compared with itself), precision, tpr, fpr, queue_rate and f1.

    Examples
    --------
    >>> from unconfuse.metrics._blocks import PHOTOS
    >>> b_curve(PHOTOS)["b"]
    array([0.25 , 0.375, 0.5  , 0.625])
    """
    table = plain(table)
    counts = table.counts()
    b, tpr = b_values(table), counts.tp / counts.tp[-1]
    precision: Array = counts.tp / counts.labelled_positive
    return Curve(
        name="b_curve",
        columns={
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
        },
        x="threshold",
        y="b",
        labels={**LABELS, "b": "B(r): how often a positive outranks a labelled case", "f1": "F1"},
        baselines={"half": "labelled and real positives cannot be told apart"},
        note="B never rises with the threshold. It passes 1/2 if and only if AUROC is at least 1/2.",
    )
