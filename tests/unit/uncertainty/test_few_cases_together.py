"""What words said together, of very few cases, once ended inside: found by tests/attack/attack_combinations.py."""

import math

import numpy as np
import pytest

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse.resolving.signal_curve import SignalCurve
from unconfuse.uncertainty.difference_tests import correlation_of

pytestmark = pytest.mark.filterwarnings("ignore::unconfuse.UnconfuseWarning")
EMPTY = uc.ScoreTable(np.array([1.0, 0.7, 0.4, 0.0]), np.array([0.0, 3, 2, 0]), np.array([0.0, 1, 4, 0]))
FULL = uc.ScoreTable(np.array([0.7, 0.4]), np.array([3.0, 2]), np.array([1.0, 4]))


def test_scores_that_no_case_has_say_nothing():
    found, wanted = (uc.evaluate(each, n_resamples=100) for each in (EMPTY, FULL))
    for name, each in wanted.items():
        np.testing.assert_equal(
            (found[name].value, found[name].low, found[name].high), (each.value, each.low, each.high)
        )
    assert found["calibration_intercept"].low < found["calibration_intercept"].high
    assert str(found.calibration.as_dict()) == str(wanted.calibration.as_dict())


def test_groups_of_several_classes_keep_no_class_sizes():
    y, scores = [3, 2, 1, 0], np.random.default_rng(0).dirichlet(np.ones(4), 4)
    with pytest.raises(ArgumentError, match="does not support groups"):
        uc.evaluate(y, scores, groups=[2, 1, 2, 0], design="case-control")


def test_two_cases_cannot_be_held_apart():
    with pytest.raises(InputError, match="none is left to choose a threshold by"):
        uc.evaluate([0, 1], [1.0, 0.0], at="youden")


def test_a_fold_of_one_class_has_no_ranks():
    y, s = [2, 1, 1, 2, 1, 2], np.random.default_rng(0).dirichlet(np.ones(3), 6)
    found = uc.evaluate(y, s, classes=[0, 1, 2], folds=[2, 2, 0, 1, 1, 1], by={"site": list("aaaaac")}, n_resamples=100)
    assert list(found.subgroups) and np.isnan(found.folds["0"]["auroc_macro"].value)


def test_a_fold_whose_cases_weigh_nothing_is_undefined():
    y, s = [0, 1, 0, 1, 0, 1], [0.0, 1.0, 1.0, 0.0, 0.0, 1.0]
    words = {"sampling_weights": [1, 1, 1, 1, 0, 0], "groups": [0] * 6, "folds": [0, 0, 1, 1, 2, 2]}
    found = uc.evaluate(y, s, threshold=1.0, n_resamples=100, **words)
    assert found["sensitivity"].undefined or found["sensitivity"].method.startswith("no interval")


def test_a_difference_without_an_interval_says_why():
    few = uc.ScoreTable(np.array([0.0]), np.array([7.0]), np.array([0.3]))
    many = uc.ScoreTable(np.array([0.0]), np.array([7.0]), np.array([7.0]))
    found = uc.compare({"a": many, "b": few}, n_resamples=100)["auroc", "a", "b"].difference
    assert np.isnan(found.low) and found.method == "no interval: one of both sides has none"


@pytest.mark.parametrize("words", [{}, {"sampling_weights": [1e6] * 5}])
def test_a_loss_that_is_infinite_resolves_nothing(words):
    scores = [[0.3, 0.5, 0.2], [0.4, 0.5, 0.1], [0.4, 0.0, 0.6], [0.2, 0.8, 0.0], [0.8, 0.2, 0.0]]
    found = uc.evaluate([0, 1, 0, 2, 0], scores, classes=[0, 1, 2], n_resamples=100, **words)
    assert "undefined" in found.resolving_power(["log_loss", "accuracy"])["log_loss"].undefined


def test_a_binned_table_without_positives_bounds_nothing():
    found = uc.evaluate([0, 0, 0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], bins=2, by={"g": list("aaaabb")})
    assert found.subgroups["a"]["average_precision"].undefined


def test_losses_that_are_infinite_in_a_fold_have_no_difference():
    y, s = [0, 1, 0, 1], [1.0, 0.0, 0.2, 0.7]
    found = uc.compare(y, {"a": s, "b": s}, folds=[0, 0, 1, 1], metrics=["log_loss"], n_resamples=100)[
        "log_loss", "a", "b"
    ].difference
    assert found.undefined


SCORES = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.5, 0.3, 0.2], [0.3, 0.4, 0.3], [0.2, 0.2, 0.6]]


@pytest.mark.parametrize("word", ["weights", "sampling_weights"])
def test_a_fold_of_several_classes_whose_cases_weigh_nothing_says_so(word):
    weight = {word: [1, 1, 2, 0, 0, 0]}
    ev = uc.evaluate([0, 1, 2, 0, 1, 2], SCORES, folds=[1, 1, 1, 2, 2, 2], n_resamples=100, **weight)
    assert math.isnan(ev.folds["2"]["accuracy"].value) and "counts" in ev.folds["2"]["accuracy"].undefined
    assert ev.folds["1"]["accuracy"].value == 1


def test_rows_without_weight_are_no_points_of_the_risk_and_coverage():
    ev = uc.evaluate([0, 1, 2, 0, 1, 2], SCORES, weights=[1, 1, 2, 1, 0, 0], n_resamples=100)
    curve = ev.risk_coverage()
    assert len(curve.rows()) == len(curve.coverage) == 3


def test_a_correlation_stays_one_however_unequal_the_weights():
    ev = uc.evaluate([1, 0], predicted=[0, 1], sampling_weights=[1e5, 1e-4], metrics=["mcc"], n_resamples=100)
    assert -1 <= ev["mcc"].value < -1 + 1e-12


def test_variances_that_rounding_leaves_below_nothing_are_nothing():
    found = correlation_of(np.array([[-1e-18, 1e-18], [1e-18, 2.0]]))
    np.testing.assert_array_equal(found, np.eye(2))


def test_a_signal_that_is_undefined_in_the_middle_is_read_from_its_ends():
    curve = SignalCurve("mcc", "auroc", np.array([0.5, 0.6, 0.7, 0.8]), np.array([-0.5, np.nan, np.nan, 1.0]))
    assert curve.not_invertible_reason is None
    np.testing.assert_allclose(curve.to_reference([-0.5, 1.0]), [0.5, 0.8])


def test_models_of_several_classes_are_compared_over_folds_that_weigh_nothing():
    both, weights = {"a": SCORES, "b": SCORES[::-1]}, [1, 1, 2, 0, 0, 0]
    found = uc.compare([0, 1, 2, 0, 1, 2], both, folds=[1, 1, 1, 2, 2, 2], weights=weights, n_resamples=100)
    assert math.isnan(found["log_loss", "a", "b"].difference.low)


def test_multipliers_of_hardly_a_case_may_all_be_nothing():
    y, both = [1, 0, 1, 0, 1, 0], {"a": [0.9, 0.2, 0.6, 0.4, 0.3, 0.7], "b": [0.8, 0.3, 0.2, 0.6, 0.7, 0.1]}
    how = {"design": "case-control", "threshold": 0.5, "metrics": ["precision", "f1"], "n_resamples": 200}
    found = uc.compare(y, both, sampling_weights=[1e6, 1, 1e-4, 1e5, 1e-4, 1e-5], **how)
    assert np.isfinite(found["f1", "a", "b"].difference.value)
