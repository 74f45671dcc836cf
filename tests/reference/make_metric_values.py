"""Makes metric_values.json, the reference values of all declared metrics. Run it as a script, anywhere.

Each value comes from the metric's definition, in loops over rows and pairs (`definitions.py`, `class_definitions.py`).
Where scikit-learn or SciPy know the metric too, they must agree before anything is written. The library that is tested
is never asked.
"""

from __future__ import annotations

import json
import math
import random
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from class_definitions import OF_CLASSES, predicted
from definitions import OF_LABELS, OF_PROBABILITIES, OF_RANKS, labelled
from scipy import stats
from sklearn import metrics as sk

VALUES = Path(__file__).with_name("metric_values.json")
THRESHOLD = 0.5
AGREES = 1e-9

# --- the data sets -------------------------------------------------------------------------------------------------


def two_classes() -> dict[str, dict[str, list[Any]]]:
    """Small enough to check by hand, and each with something that goes wrong easily."""
    draw = random.Random(12)
    untied = draw.sample([each / 1000 for each in range(3, 998)], 24)
    skewed = [round(draw.betavariate(1, 4), 2) for _ in range(37)]
    return {
        "ties": {
            "label": [1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0],
            "score": [0.9, 0.9, 0.8, 0.7, 0.7, 0.7, 0.6, 0.5, 0.5, 0.5, 0.4, 0.4, 0.3, 0.2, 0.2, 0.1],
        },
        "untied": {"label": [int(draw.random() < 0.2 + 0.6 * each) for each in untied], "score": untied},
        "imbalanced": {"label": [0] * 37 + [1, 1, 1], "score": [*skewed, 0.93, 0.61, 0.18]},
        "weights": {
            "label": [0, 1, 0, 1, 1, 0, 1, 0, 0],
            "score": [0.95, 0.85, 0.65, 0.65, 0.55, 0.45, 0.25, 0.15, 0.05],
            "weight": [1, 3, 2, 4, 1, 5, 2, 3, 6],
        },
        "perfect": {"label": [1, 1, 1, 0, 0, 0, 0], "score": [0.97, 0.88, 0.71, 0.42, 0.31, 0.31, 0.06]},
        "reversed": {"label": [0, 0, 0, 0, 1, 1], "score": [0.96, 0.83, 0.74, 0.62, 0.37, 0.11]},
    }


def three_classes() -> dict[str, dict[str, list[Any]]]:
    draw = random.Random(34)

    def cases(shares: list[float], n: int, digits: int) -> dict[str, list[Any]]:
        label = [draw.choices(range(3), shares)[0] for _ in range(n - 3)] + [0, 1, 2]
        scores = [_stated(draw, k, digits) for k in label]
        return {"label": label, "score": scores}

    perfect = {"label": [0, 0, 1, 2, 2], "score": [[0.8, 0.15, 0.05], [0.6, 0.1, 0.3], [0.2, 0.7, 0.1]]}
    perfect["score"] += [[0.05, 0.05, 0.9], [0.25, 0.25, 0.5]]
    return {
        "ties": cases([0.4, 0.3, 0.3], 30, 1),
        "untied": cases([0.4, 0.3, 0.3], 30, 4),
        "imbalanced": cases([0.9, 0.08, 0.02], 40, 2),
        "weights": {**cases([0.5, 0.3, 0.2], 12, 2), "weight": [1, 3, 2, 1, 4, 2, 1, 5, 2, 3, 1, 2]},
        "perfect": perfect,
        "reversed": {**perfect, "label": [2, 1, 0, 1, 0]},
    }


def _stated(draw: random.Random, truth: int, digits: int) -> list[float]:
    """Probabilities with a few digits that add up to 1, one of them the highest."""
    while True:
        raw = [draw.gammavariate(1.8 if k == truth else 1.0, 1.0) for k in range(3)]
        first, second = (round(max(each / sum(raw), 10**-digits), digits) for each in raw[:2])
        scores = [first, second, round(1 - first - second, digits)]
        if scores[2] > 0 and scores.count(max(scores)) == 1:
            return scores


def repeated(data: Mapping[str, list[Any]]) -> list[tuple[Any, Any]]:
    """A weight is a row that stands there several times."""
    weights = data.get("weight", [1] * len(data["label"]))
    rows = zip(data["label"], data["score"], weights, strict=True)
    return [(label, score) for label, score, weight in rows for _ in range(weight)]


# --- what other libraries say --------------------------------------------------------------------------------------


def _fallout(t: Any, p: Any) -> float:
    return float(sk.recall_score(1 - np.array(t), p))


LABELS_ELSEWHERE: dict[str, Callable[..., float]] = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "sensitivity": sk.recall_score,
    "specificity": partial(sk.recall_score, pos_label=0),
    "false_positive_rate": _fallout,
    "precision": sk.precision_score,
    "npv": partial(sk.precision_score, pos_label=0),
    "f1": sk.f1_score,
    "f_beta(0.5)": partial(sk.fbeta_score, beta=0.5),
    "f_beta(2)": partial(sk.fbeta_score, beta=2),
    "jaccard": sk.jaccard_score,
    "mcc": sk.matthews_corrcoef,
    "cohen_kappa": sk.cohen_kappa_score,
}


def _area_of_curve(t: Any, s: Any) -> float:
    precision, recall, _ = sk.precision_recall_curve(t, s)
    return float(sk.auc(recall, precision))


def _two_samples(t: Any, s: Any) -> float:
    t, s = np.array(t), np.array(s)
    return float(stats.ks_2samp(s[t == 1], s[t == 0]).statistic)


def _mann_whitney(t: Any, s: Any) -> float:
    t, s = np.array(t), np.array(s)
    return float(2 * stats.mannwhitneyu(s[t == 1], s[t == 0]).statistic / ((t == 1).sum() * (t == 0).sum()) - 1)


SCORES_ELSEWHERE: dict[str, Callable[..., float]] = {
    "auroc": sk.roc_auc_score,
    "gini": _mann_whitney,
    "ks": _two_samples,
    "partial_auroc": partial(sk.roc_auc_score, max_fpr=0.1),
    "partial_auroc(0.3)": partial(sk.roc_auc_score, max_fpr=0.3),
    "average_precision": sk.average_precision_score,
    "auprc_trapezoid": _area_of_curve,
    "brier": sk.brier_score_loss,
    "log_loss": sk.log_loss,
}
CLASSES_ELSEWHERE: dict[str, Callable[..., float]] = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "mcc": sk.matthews_corrcoef,
    "cohen_kappa": sk.cohen_kappa_score,
    "cohen_kappa_linear": partial(sk.cohen_kappa_score, weights="linear"),
    "cohen_kappa_quadratic": partial(sk.cohen_kappa_score, weights="quadratic"),
    **{
        f"{name}_{kind}": partial(score, average=kind, zero_division=np.nan)
        for name, score in (("f1", sk.f1_score), ("precision", sk.precision_score), ("sensitivity", sk.recall_score))
        for kind in ("macro", "micro", "weighted")
    },
}
CLASS_SCORES_ELSEWHERE: dict[str, Callable[..., float]] = {
    "auroc_ovr_macro": partial(sk.roc_auc_score, multi_class="ovr", average="macro"),
    "auroc_ovr_weighted": partial(sk.roc_auc_score, multi_class="ovr", average="weighted"),
    "auroc_hand_till": partial(sk.roc_auc_score, multi_class="ovo", average="macro"),
    "log_loss": sk.log_loss,
}


def agreed(name: str, value: float, elsewhere: Mapping[str, Callable[..., float]], *data: Any) -> float:
    """The value, if nobody else says something different. Other libraries write 0 for what does not exist."""
    if name in elsewhere and not math.isnan(value):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            other = float(elsewhere[name](*data))
        if not math.isclose(value, other, rel_tol=AGREES, abs_tol=AGREES):
            raise SystemExit(f"{name}: {value!r} by its definition, {other!r} elsewhere, of {data}")
    return value


# --- all values ----------------------------------------------------------------------------------------------------


def of_two_classes(data: Mapping[str, list[Any]]) -> dict[str, float]:
    rows = [(bool(label), float(score)) for label, score in repeated(data)]
    cut, truth, scores = labelled(rows, THRESHOLD), [int(t) for t, _ in rows], [s for _, s in rows]
    labels = [int(label) for _, label in cut]
    found = {name: agreed(name, f(cut), LABELS_ELSEWHERE, truth, labels) for name, f in OF_LABELS.items()}
    of_scores = OF_RANKS | OF_PROBABILITIES
    return found | {name: agreed(name, f(rows), SCORES_ELSEWHERE, truth, scores) for name, f in of_scores.items()}


def of_three_classes(data: Mapping[str, list[Any]]) -> dict[str, float]:
    cases = repeated(data)
    truth, scores, labels = [k for k, _ in cases], [s for _, s in cases], [predicted(case) for case in cases]
    values = {name: f(cases) for name, f in OF_CLASSES.items()}
    values = {name: agreed(name, value, CLASSES_ELSEWHERE, truth, labels) for name, value in values.items()}
    return {name: agreed(name, value, CLASS_SCORES_ELSEWHERE, truth, scores) for name, value in values.items()}


def written(value: float) -> float | str | None:
    """As JSON can say it: null does not exist, "inf" is infinite."""
    return None if math.isnan(value) else "inf" if value == math.inf else value


def all_values() -> dict[str, Any]:
    kinds = {"two classes": (two_classes(), of_two_classes), "three classes": (three_classes(), of_three_classes)}
    return {
        kind: {
            name: {**data, "values": {metric: written(value) for metric, value in judge(data).items()}}
            for name, data in sets.items()
        }
        for kind, (sets, judge) in kinds.items()
    }


def as_text(found: Mapping[str, Any]) -> str:
    """One line for each column and for each value, so that a change can be read."""
    kinds = []
    for kind, sets in found.items():
        parts = []
        for name, data in sets.items():
            columns = [f"   {json.dumps(key)}: {json.dumps(data[key])}" for key in data if key != "values"]
            values = [f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in data["values"].items()]
            held = ",\n".join([*columns, '   "values": {\n' + ",\n".join(values) + "\n   }"])
            parts.append(f"  {json.dumps(name)}: {{\n{held}\n  }}")
        kinds.append(f" {json.dumps(kind)}: {{\n" + ",\n".join(parts) + "\n }")
    return "{\n" + ",\n".join(kinds) + "\n}\n"


if __name__ == "__main__":
    VALUES.write_text(as_text(all_values()), encoding="utf-8")
    print(f"wrote {VALUES.name}")
