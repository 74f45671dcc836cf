"""Net benefits, gaps between groups, a judge's prevalence and promised thresholds, as other packages have them.

python -m venv elsewhere && elsewhere/bin/pip install dcurves fairlearn ppi-python mapie
elsewhere/bin/python tests/reference/make_question_values.py > tests/reference/question_values.json
"""

import json
from importlib.metadata import version

import numpy as np
import pandas as pd
from dcurves import dca
from fairlearn import metrics as fair
from mapie.risk_control import BinaryClassificationController
from ppi_py import ppi_mean_pointestimate

rng = np.random.default_rng(16)
n = 400
y = (rng.random(n) < 0.4).astype(int)
group = rng.choice(["a", "b", "c"], n)
score = np.round(1 / (1 + np.exp(-(1.6 * y - 1.0 + rng.normal(size=n)))), 3)
other = np.round(1 / (1 + np.exp(-(0.8 * y - 0.7 + rng.normal(size=n)))), 3)
judge = np.where(rng.random(n) < np.where(y == 1, 0.85, 0.9), y, 1 - y)
checked = np.sort(rng.choice(n, 80, replace=False))
at = [0.1, 0.25, 0.4, 0.6]

# dcurves labels a case positive above the threshold, here at or above it: no score lies at one of these
assert not set(at) & set(score.tolist() + other.tolist())
curves = dca(pd.DataFrame({"y": y, "score": score, "other": other}), "y", ["score", "other"], thresholds=at)
net_benefit = {
    model: curves[curves.model == model].sort_values("threshold").net_benefit.tolist()
    for model in ("score", "other", "all")
}

called = (score >= 0.5).astype(int)
gaps = {
    "sensitivity": [
        fair.true_positive_rate_difference(y, called, sensitive_features=group),
        fair.true_positive_rate_ratio(y, called, sensitive_features=group),
    ],
    "false_positive_rate": [
        fair.false_positive_rate_difference(y, called, sensitive_features=group),
        fair.false_positive_rate_ratio(y, called, sensitive_features=group),
    ],
    "queue_rate": [
        fair.demographic_parity_difference(y, called, sensitive_features=group),
        fair.demographic_parity_ratio(y, called, sensitive_features=group),
    ],
    "accuracy": [
        fair.accuracy_score_difference(y, called, sensitive_features=group),
        fair.accuracy_score_ratio(y, called, sensitive_features=group),
    ],
    "equalised_odds": [fair.equalized_odds_difference(y, called, sensitive_features=group), None],
}

rest = np.setdiff1d(np.arange(n), checked)
known, said = y[checked].astype(float), judge[checked].astype(float)
apart = known[said == 1].mean() - known[said == 0].mean()
prevalence = ppi_mean_pointestimate(known, said, judge[rest].astype(float), lam=apart * len(rest) / n)


def promised(risk: str, level: float, confidence: float) -> list[float]:
    """Thresholds that mapie finds safe, tested one after another from the safest."""
    grid = np.linspace(0.8, 0.05, 16) if risk == "precision" else np.linspace(0.05, 0.95, 19)
    control = BinaryClassificationController(
        predict_function=lambda scores: np.column_stack([1 - scores, scores]),
        risk=risk,
        target_level=level,
        confidence_level=confidence,
        list_predict_params=grid,
        fwer_method="fixed_sequence",
    )
    control.calibrate(score, y)
    return sorted(float(each) for each in np.ravel(control.valid_predict_params))


found = {
    "made_by": {name: version(name) for name in ("dcurves", "fairlearn", "ppi-python", "mapie")},
    "data": {"y": y.tolist(), "score": score.tolist(), "other": other.tolist(), "group": group.tolist()}
    | {"judge": judge.tolist(), "checked": checked.tolist()},
    "at": at,
    "net_benefit": net_benefit,
    "gaps": gaps,
    "prevalence": float(np.ravel(prevalence)[0]),
    "promised": [
        {"metric": ours, "at_least": level, "thresholds": promised(theirs, level, 0.95)}
        for ours, theirs, level in (("precision", "precision", 0.6), ("sensitivity", "recall", 0.7))
    ],
}
print(json.dumps(found))
