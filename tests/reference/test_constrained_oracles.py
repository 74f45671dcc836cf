"""Metrics under a constraint, and sets of classes: against brute force over all thresholds, and other libraries."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve, roc_curve

import unconfuse as uc
from unconfuse.thresholds.conformal import bar_of

CASES = json.loads((Path(__file__).parent / "constrained.json").read_text())["cases"]
OF = {group: [each for each in CASES if each["group"] == group] for group in ("constrained", "promises")}
ASKED = {
    "specificity_at_sensitivity_.95": "specificity_at_sensitivity(0.95)",
    "sensitivity_at_specificity_.9": "sensitivity_at_specificity(0.9)",
    "fpr_at_tpr_.95": "fpr_at_tpr(0.95)",
    "precision_at_recall_.9": "precision_at_recall(0.9)",
    "recall_at_precision_.8": "recall_at_precision(0.8)",
}


def made(case):
    names = {"np": np}
    exec(case["make"], names)
    return names


@pytest.mark.parametrize("case", OF["constrained"], ids=lambda case: case["id"])
def test_values_and_limits(case):
    data, expected = made(case), case["expect"]
    y = np.repeat([1, 0], [len(data["pos"]), len(data["neg"])])
    ev = uc.evaluate(y, np.append(data["pos"], data["neg"]), metrics=list(ASKED.values()))
    found = {name: ev[asked].value for name, asked in ASKED.items()}
    for short, asked in (("spec", "specificity_at_sensitivity(0.95)"), ("sens", "sensitivity_at_specificity(0.9)")):
        found |= {f"{short}_low": ev[asked].low, f"{short}_high": ev[asked].high}
    for name, value in expected.items():
        if name in found:
            assert found[name] == pytest.approx(value, abs=case["tolerance"][name]), name
    same, other = ev["specificity_at_sensitivity(0.95)"], ev["fpr_at_tpr(0.95)"]
    assert (1 - other.high, 1 - other.low) == pytest.approx((same.low, same.high))


@pytest.mark.parametrize("digits", [0, 1, 6])
@pytest.mark.parametrize("level", [0.05, 0.5, 0.8, 0.95])
def test_curves_of_scikit_learn(digits, level):
    rng = np.random.default_rng(digits)
    y = rng.random(200) < 0.3
    s = np.round(rng.normal(size=200) + 1.2 * y, digits)
    fpr, tpr, _ = roc_curve(y, s, drop_intermediate=False)
    precision, recall, _ = precision_recall_curve(y, s)
    table = uc.score_table(y, s)
    reached = np.argmax(tpr >= level - 1e-12)
    assert uc.specificity_at_sensitivity(level)(table) == pytest.approx(1 - fpr[reached])
    assert uc.fpr_at_tpr(level)(table) == pytest.approx(fpr[reached])
    assert uc.sensitivity_at_specificity(level)(table) == pytest.approx(tpr[1 - fpr >= level - 1e-12].max())
    held = recall[:-1][precision[:-1] >= level - 1e-12]
    assert uc.recall_at_precision(level)(table) == pytest.approx(held.max(initial=0.0))
    first = np.flatnonzero(recall[:-1] >= level - 1e-12)[-1]  # thresholds rise along its curve
    assert uc.precision_at_recall(level)(table) == pytest.approx(precision[first])


@pytest.mark.parametrize("case", [each for each in OF["promises"] if "make" in each], ids=lambda case: case["id"])
def test_sets_of_classes(case):
    """Thresholds over all cases (least ambiguous sets, as MAPIE's LAC) and of each class (Mondrian)."""
    data, expected = made(case), case["expect"]
    overall, within = (uc.prediction_sets(data["y"], data["p"], coverage=0.9, by_class=each) for each in (False, True))
    assert 1 - overall.bars[0].score == pytest.approx(expected["lac"], abs=1e-12)
    assert [1 - each.score for each in within.bars] == pytest.approx(expected["mondrian"], abs=1e-12)
    assert overall.size.value == pytest.approx(expected["lac_mean_size"], abs=1e-12)


@pytest.mark.parametrize("case", [each for each in OF["promises"] if "make" not in each], ids=lambda case: case["id"])
def test_the_law_of_coverage(case):
    n, alpha = case["data"]["n"], case["data"]["alpha"]
    bar = bar_of(np.arange(float(n)), np.ones(n), 1 - alpha)
    found = {"mean": bar.mean, "q05": bar.quantile(0.05, upper=False), "q95": bar.quantile(0.05, upper=True)}
    assert found == pytest.approx({name: case["expect"][name] for name in found}, abs=1e-9)
