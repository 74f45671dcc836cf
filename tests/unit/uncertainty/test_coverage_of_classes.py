"""A small version of tests/coverage/multiclass.py: intervals hold the truth about as often as they say."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import unconfuse as uc
from unconfuse.metrics import find_metric
from unconfuse.table import Settings
from unconfuse.uncertainty.proportion_intervals import mid_p
from unconfuse.uncertainty.rare_classes import limits_of_average

_spec = importlib.util.spec_from_file_location(
    "multiclass_coverage", Path(__file__).parents[2] / "coverage" / "multiclass.py"
)
study = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = study  # its dataclasses look there for their annotations
_spec.loader.exec_module(study)


def test_coverage_is_near_its_level():
    """With 400 trials the standard error is 1.1%: three of them on each side, so that 98.3% is too much."""
    names = ("accuracy", "f1_macro", "mcc", "log_loss", "auroc_hand_till", "balanced_accuracy")
    found = study.coverage(400, names=names, n_resamples=300)
    assert all(abs(share - 0.95) <= 0.033 for share in found.values()), found


def test_a_class_that_is_never_predicted_may_have_any_precision() -> None:
    """Its whole range is added, not the root of squares with the others: nothing random makes it unknown."""
    sample = uc.evaluate_confusion([[27, 3, 0], [4, 16, 0], [2, 1, 0]], metrics=[]).sample
    value, shares = (27 / 33 + 16 / 20) / 3, [(27, 33), (16, 20)]
    found = limits_of_average(find_metric("precision_macro", several=True), value, sample, Settings())
    others = np.hypot(*(float(mid_p(*each)[1]) - each[0] / each[1] for each in shares))
    assert found.high == pytest.approx(value + (others + 1) / 3)


@pytest.mark.parametrize("metric", ["f1_macro", "balanced_accuracy", "precision_macro"])
def test_few_cases_of_each_class_have_no_lower_upper_limit_than_resampled_tables(metric: str) -> None:
    matrix = np.diag([7, 7, 7, 6]) + np.roll(np.diag([0, 0, 0, 1]), 1, axis=1)
    found = uc.evaluate_confusion(matrix.tolist(), metrics=[metric])[metric]
    assert found.high >= found.interval(method="bootstrap").high
    assert found.low > found.interval(method="bootstrap").low


@pytest.mark.parametrize("metric", ["log_loss", "brier"])
def test_a_very_good_model_may_be_as_good_as_it_looks(metric: str) -> None:
    """Half a case of each class that is wholly wrong is a worry above a loss, and hides nothing below it."""
    truth = np.arange(32) % 4
    sure = np.where(np.arange(32) < 4, 0.9, 0.99)
    scores = np.repeat(((1 - sure) / 3)[:, None], 4, axis=1)
    scores[np.arange(32), truth] = sure
    found = uc.evaluate(truth, scores, classes=range(4), metrics=[metric])[metric]
    losses = -np.log(sure) if metric == "log_loss" else (1 - sure) ** 2 * (1 + 1 / 3)
    reach = stats.t.ppf(0.975, 31) * losses.std(ddof=1) / np.sqrt(32) / losses.mean()
    assert "half a case" in found.method
    assert found.value == pytest.approx(losses.mean())
    assert found.low <= losses.mean() * np.exp(-reach) * (1 + 1e-6)
    assert found.high > 3 * found.value
