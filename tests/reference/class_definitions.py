"""Metrics of several classes by their definitions: plain loops over cases, pairs of cases and pairs of classes.

A case is its true class and the list of its scores; a weight is a case that stands there several times. The class with
the highest score is the predicted one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import partial

from definitions import OF_LABELS, Labelled, auroc, calibration_gaps, divided, equal_width, mean

Case = tuple[int, Sequence[float]]
Cases = Sequence[Case]
_UNPREDICTED = {"precision": 0.0, "false_discovery_rate": 1.0}
COSTS = ([[0, 1, 2], [3, 0, 1], [5, 2, 0]], [[-1, 4, 4], [1, 0, 1], [2, 2, -3]])


def predicted(case: Case) -> int:
    return max(range(len(case[1])), key=lambda k: case[1][k])


def decisions(cases: Cases) -> list[tuple[int, int]]:
    return [(case[0], predicted(case)) for case in cases]


def classes_of(cases: Cases) -> range:
    return range(len(cases[0][1]))


def against_the_rest(cases: Cases, k: int) -> Labelled:
    return [(truth == k, label == k) for truth, label in decisions(cases)]


def average(metric: str, kind: str, cases: Cases) -> float:
    """Of a metric of two classes; classes for which it does not exist are left out.

    Only the precision of a class that occurs and is never predicted counts as 0, and its false discoveries as 1.
    """
    each = {k: against_the_rest(cases, k) for k in classes_of(cases)}
    if kind == "micro":
        return OF_LABELS[metric]([row for rows in each.values() for row in rows])
    values = {k: OF_LABELS[metric](rows) for k, rows in each.items()}
    for k, rows in each.items():
        if metric in _UNPREDICTED and any(truth for truth, _ in rows) and not any(label for _, label in rows):
            values[k] = _UNPREDICTED[metric]
    counts = {k: 1 if kind == "macro" else sum(truth == k for truth, _ in cases) for k in values}
    known = [k for k, value in values.items() if not math.isnan(value)]
    return divided(math.fsum(values[k] * counts[k] for k in known), sum(counts[k] for k in known))


def occurring(cases: Cases) -> list[int]:
    return sorted({truth for truth, _ in cases})


def balanced_accuracy(cases: Cases) -> float:
    return mean(OF_LABELS["sensitivity"](against_the_rest(cases, k)) for k in occurring(cases))


def gorodkin(cases: Cases) -> float:
    """The correlation of two tables of zeros and ones: is this the case's class, was it given this class?"""

    def covariance(first: int, second: int) -> float:
        total = 0.0
        for k in classes_of(cases):
            x, y = ([float(pair[side] == k) for pair in decisions(cases)] for side in (first, second))
            total += mean((a - mean(x)) * (b - mean(y)) for a, b in zip(x, y, strict=True))
        return total

    return divided(covariance(0, 1), math.sqrt(covariance(0, 0) * covariance(1, 1)))


def kappa(distance: Callable[[int, int], float], cases: Cases) -> float:
    """How far truth and prediction of a case are from each other, against those of two cases drawn apart."""
    pairs = decisions(cases)
    apart = mean(distance(truth, label) for truth, _ in pairs for _, label in pairs)
    return 1 - divided(mean(distance(*pair) for pair in pairs), apart)


def column(cases: Cases, k: int) -> list[tuple[bool, float]]:
    return [(truth == k, scores[k]) for truth, scores in cases]


def hand_till(cases: Cases) -> float:
    """For each ordered pair of classes, how well the column of the first tells the two apart."""
    return mean(
        auroc(column([case for case in cases if case[0] in pair], pair[0]))
        for pair in itertools.permutations(occurring(cases), 2)
    )


def weighted_auroc(cases: Cases) -> float:
    return mean(auroc(column(cases, truth)) for truth, _ in cases)


def brier(cases: Cases) -> float:
    return mean(math.fsum((p - (k == truth)) ** 2 for k, p in enumerate(scores)) for truth, scores in cases)


def top_label_error(cases: Cases) -> float:
    stated = [(predicted(case) == case[0], max(case[1])) for case in cases]
    return calibration_gaps(stated, equal_width(15), 15)


def classwise_error(cases: Cases) -> float:
    return mean(calibration_gaps(column(cases, k), equal_width(15), 15) for k in classes_of(cases))


def risk_coverage(cases: Cases) -> float:
    """For each case, the error rate among those that are at least as sure."""
    sure = [(max(case[1]), predicted(case) != case[0]) for case in cases]
    return mean(mean(float(wrong) for other, wrong in sure if other >= level) for level, _ in sure)


def top_k_accuracy(k: int, cases: Cases) -> float:
    """Where the true class is tied at the border, lots decide: the share of orders in which it is among the first."""

    def chance(truth: int, scores: Sequence[float]) -> float:
        orders = [
            order
            for order in itertools.permutations(range(len(scores)))
            if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
        ]
        return mean(float(truth in order[:k]) for order in orders)

    return mean(chance(*case) for case in cases)


def mean_cost(costs: Sequence[Sequence[float]], cases: Cases) -> float:
    return mean(costs[truth][label] for truth, label in decisions(cases))


OF_CLASSES: dict[str, Callable[[Cases], float]] = {
    "accuracy": lambda cases: mean(float(truth == label) for truth, label in decisions(cases)),
    "balanced_accuracy": balanced_accuracy,
    "mcc": gorodkin,
    "cohen_kappa": partial(kappa, lambda truth, label: float(truth != label)),
    "cohen_kappa_linear": partial(kappa, lambda truth, label: abs(truth - label)),
    "cohen_kappa_quadratic": partial(kappa, lambda truth, label: (truth - label) ** 2),
    **{
        f"{metric}_{kind}": partial(average, metric, kind)
        for metric in ("f1", "precision", "sensitivity")
        for kind in ("macro", "micro", "weighted")
    },
    "auroc_ovr_macro": lambda cases: mean(auroc(column(cases, k)) for k in occurring(cases)),
    "auroc_ovr_weighted": weighted_auroc,
    "auroc_hand_till": hand_till,
    "log_loss": lambda cases: mean(-math.log(scores[truth]) for truth, scores in cases),
    "brier": brier,
    "ece_top_label": top_label_error,
    "ece_classwise": classwise_error,
    "aurc": risk_coverage,
    "top_k_accuracy(1)": partial(top_k_accuracy, 1),
    "top_k_accuracy(2)": partial(top_k_accuracy, 2),
    **{f"class_cost({costs})": partial(mean_cost, costs) for costs in COSTS},
}
