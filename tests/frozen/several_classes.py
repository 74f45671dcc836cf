"""Situations of several classes: matrices of scores, predicted labels, tables of decisions."""

from __future__ import annotations

from functools import partial
from typing import Any

import flatten
import numpy as np
import rows
from rows import NAMES, Situation

import unconfuse as uc


def judged(make: Any, read: Any = flatten.several_classes, **options: Any) -> Situation:
    """Evaluate the rows that `make` draws."""
    return Situation(read, lambda: uc.evaluate(*make(), **{"n_resamples": 300} | options))


def ranks(size: int = 3) -> tuple[Any, Any]:
    """Scores that are no probabilities, with ties."""
    truth, stated = rows.matrix(300, size, 81)
    return truth, np.log(np.maximum(stated, 1e-6)).round(1)


def by_class(make: Any, size: int) -> tuple[Any, Any]:
    """Two columns by the names of their classes, which stay two classes of several; a matrix of them is yes or no."""
    truth, stated = make()
    return truth, dict(enumerate(stated.T)) if size == 2 else stated


def texts(size: int = 3, n: int = 300) -> tuple[Any, Any]:
    truth, stated = rows.matrix(n, size, 82)
    return NAMES[truth], stated


def matrices() -> dict[str, Situation]:
    """Scores with a column for each class."""
    some = ["accuracy", "f1_macro", "auroc_ovr_macro", "log_loss"]
    asked = ["npv_macro", "jaccard_micro", "average_precision_macro", "specificity_weighted", uc.top_k_accuracy(2)]
    missing = [0, 1, 3]
    return {
        **{f"{size} classes": judged(partial(by_class, partial(rows.matrix, 300, size), size)) for size in (2, 3, 6)},
        "3 classes, 2000 resamples": judged(rows.matrix, n_resamples=2000),
        "3 classes named by texts": judged(texts, classes=list(NAMES[:3])),
        "classes in another order": judged(lambda: (texts()[0], texts()[1][:, ::-1]), classes=["cat", "bee", "ant"]),
        "scores that are no probabilities": judged(ranks),
        "6 classes, scores that are no probabilities": judged(partial(ranks, 6)),
        "2 classes, scores that are no probabilities": judged(partial(by_class, partial(ranks, 2), 2)),
        "whole weights": judged(rows.matrix, weights=rows.whole_weights()),
        "fractional weights": judged(rows.matrix, weights=rows.fractions()),
        "weights of zero": judged(rows.matrix, weights=rows.with_zeros()),
        "groups": judged(rows.matrix, groups=rows.clusters()),
        "groups and weights": judged(rows.matrix, groups=rows.clusters(), weights=rows.whole_weights()),
        "case-control": judged(rows.matrix, design="case-control"),
        "level .9, another seed": judged(rows.matrix, confidence_level=0.9, rng=5),
        "tiny": judged(partial(rows.matrix, 9, 3, 83)),
        "perfect": judged(lambda: (np.arange(30) % 3, np.eye(3)[np.arange(30) % 3] * 0.7 + 0.1)),
        "useless": judged(partial(rows.matrix, 300, 3, 84, 0.0)),
        "a missing class": judged(lambda: (np.array(missing)[rows.matrix()[0]], rows.matrix(300, 4, 85)[1])),
        "few metrics": judged(rows.matrix, metrics=some),
        "averages that have no declaration": judged(rows.matrix, metrics=asked),
        "n = 5000": judged(partial(rows.matrix, 5000, 4, 86), metrics=some, n_resamples=200),
        "decisions beside scores": judged(
            texts, classes=list(NAMES[:3]), predicted=NAMES[rows.decided(rows.matrix(300, 3, 82)[0], 3)]
        ),
        "every class in full": judged(rows.matrix, flatten.whole_class),
        "every class in full, two classes": judged(
            partial(by_class, partial(rows.matrix, 300, 2), 2), flatten.whole_class
        ),
        "every class in full, groups": judged(rows.matrix, flatten.whole_class, groups=rows.clusters()),
        "side by side": judged(rows.matrix, flatten.per_class),
        "side by side, 6 classes": judged(partial(rows.matrix, 300, 6), flatten.per_class),
    }


def decisions() -> dict[str, Situation]:
    """Predicted labels alone, and tables of them."""
    truth = rows.matrix(300, 4, 87)[0]
    called = rows.decided(truth, 4)
    named = {"predicted": NAMES[called]}
    labels = lambda: (NAMES[truth],)  # noqa: E731
    animals = [[50, 3, 2], [10, 30, 5], [0, 4, 16]]
    five = (np.eye(5) * 40 + np.random.default_rng(88).integers(0, 9, (5, 5))).astype(int).tolist()
    empty = [[20, 3, 0], [0, 0, 0], [4, 1, 12]]
    costs = uc.class_cost([[0, 1, 1], [1, 0, 1], [8, 8, 0]])
    return {
        "labels": judged(labels, **named),
        "labels and weights": judged(labels, weights=rows.whole_weights(), **named),
        "labels and groups": judged(labels, groups=rows.clusters(), **named),
        "labels, case-control": judged(labels, design="case-control", **named),
        "labels of 2 classes": judged(lambda: (truth % 2,), predicted=called % 2, classes=[0, 1]),
        "labels never called": judged(labels, predicted=NAMES[called % 3]),
        "matrix of 2": confused([[40, 10], [5, 60]]),
        "matrix of 2, as counts 141 0 67 31": confused([[31, 0], [67, 141]]),
        "matrix of 2 with an empty cell": confused([[10, 0], [3, 7]]),
        "matrix of 3": confused(animals, classes=["cat", "dog", "fox"]),
        "matrix of 3, level .9": confused(animals, confidence_level=0.9, rng=4),
        "matrix of 3, case-control": confused(animals, design="case-control"),
        "matrix of 3, costs": confused(animals, metrics=["accuracy", costs, "cohen_kappa_quadratic"], ordered=True),
        "matrix of 3, a class without cases": confused(empty),
        "matrix of 3, perfect": confused(np.diag([10, 20, 5]).tolist()),
        "matrix of 5": confused(five),
        "matrix of 3, every class in full": confused(animals, flatten.whole_class),
    }


def confused(cells: Any, read: Any = flatten.several_classes, **options: Any) -> Situation:
    """A table of decisions."""
    return Situation(read, lambda: uc.evaluate_confusion(cells, **{"n_resamples": 300} | options))


def later() -> dict[str, Situation]:
    """What a result answers afterwards."""

    def found(**options: Any) -> Any:
        return uc.evaluate(*rows.matrix(), n_resamples=200, **options)

    costs = [[0, 1, 1], [1, 0, 1], [8, 8, 0]]
    names = ["accuracy", "log_loss", "auroc_hand_till"]
    return {
        "costs": Situation(flatten.costs, lambda: found().expected_cost(costs)),
        "costs, recalibrated": Situation(flatten.costs, lambda: found().expected_cost(costs, recalibrate=True)),
        "reject option": Situation(flatten.risk_coverage, lambda: found().risk_coverage()),
        "reject option, weights": Situation(
            flatten.risk_coverage, lambda: found(weights=rows.whole_weights()).risk_coverage()
        ),
        "threshold card of a class": Situation(flatten.card, lambda: found().threshold_card(1)),
        "indistinguishability of a class": Situation(
            flatten.indistinguishability, lambda: found().indistinguishability(1)
        ),
        "table of a class": Situation(flatten.table, lambda: found().table_of(2)),
        "resolving power": Situation(flatten.class_resolution, lambda: found().resolving_power(names)),
        "a metric asked later": Situation(flatten.estimate, lambda: found(metrics=["accuracy"])["npv_macro"]),
    }


def situations() -> dict[str, Situation]:
    """All of several classes, by name."""
    parts = {"classes": matrices, "decisions": decisions, "classes, later": later}
    return {f"{part}: {name}": each for part, make in parts.items() for name, each in make().items()}
