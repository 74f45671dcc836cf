"""Where nothing varies in the sample, the interval is wide or there is none: never a point, and never rounding."""

import math

import numpy as np
import pytest

import unconfuse as uc

N = 9
Y = np.repeat([0, 1], N)
_RNG = np.random.default_rng(1)
ONE, OTHER = (Y * 0.6 + _RNG.random(2 * N) * 0.3 for _ in range(2))
RANKING = ["auroc", "ks", "average_precision", "max_f1", "h_measure", "auprg", "auch", "partial_auroc"]
SAMPLES = {
    "cases": {},
    "groups": {"groups": np.arange(2 * N) % N},
    "folds": {"folds": np.arange(2 * N) % 3},
    "weights": {"weights": np.full(2 * N, 2)},
    "sampling weights": {"sampling_weights": np.random.default_rng(0).random(2 * N) + 0.1},
    "case-control": {"design": "case-control"},
}


@pytest.mark.parametrize("words", SAMPLES.values(), ids=SAMPLES)
def test_two_perfect_models_are_not_equivalent_on_a_few_cases(words):
    compared = uc.compare(Y, {"one": ONE, "other": OTHER}, metrics=RANKING, margin=0.02, n_resamples=100, **words)
    for name, pair in compared.items():
        gap = pair.difference
        assert gap.low < -0.02 and gap.high > 0.02, (name, gap)
        assert pair.p_value == 1, (name, pair.p_value)
        assert pair.verdict == "cannot tell", (name, pair.verdict)


def test_a_gate_does_not_pass_a_perfect_model_on_a_few_cases():
    assert not uc.gate(Y, ONE, OTHER, margin=0.02).passed


def test_a_model_is_equivalent_to_its_own_ranking():
    pair = uc.compare(Y, {"one": ONE, "other": ONE**2}, metrics=["auroc"], margin=0.02)["auroc", "one", "other"]
    assert (pair.difference.low, pair.difference.high, pair.verdict) == (0, 0, "equivalent")


@pytest.mark.parametrize("name", ["f1", "g_mean", "fowlkes_mallows"])
def test_two_models_that_find_nothing_are_not_equivalent(name):
    predicted = {"one": (np.arange(2 * N) == 0).astype(int), "other": (np.arange(2 * N) == 1).astype(int)}
    gap = uc.compare(Y, predicted=predicted, metrics=[name])[name, "one", "other"].difference
    assert gap.low < -0.02 and gap.high > 0.02


@pytest.mark.parametrize("name", ["auroc", "ks", "average_precision"])
def test_subgroups_ranked_perfectly_may_differ(name):
    found = uc.evaluate(Y, ONE, by={"g": np.arange(2 * N) % 2}, n_resamples=100).subgroups.differences(name)
    assert all(each.difference.low < 0 < each.difference.high for each in found)


def test_the_auprg_of_perfect_scores_in_groups_has_a_lower_limit_that_a_ranking_can_have():
    found = uc.evaluate(Y, ONE, groups=SAMPLES["groups"]["groups"], metrics=["auprg"], n_resamples=100)["auprg"]
    worst = uc.evaluate(Y, -ONE, metrics=["auprg"])["auprg"].value
    assert worst - 1e-12 <= found.low < 0.9


def test_next_to_no_cases_tell_nothing_of_a_table():
    found = uc.evaluate_counts(tp=2e-9, fp=2e-9, fn=0, tn=2e-9)
    for name in ("cohen_kappa", "fowlkes_mallows", "mcc", "youden_j"):
        assert math.isnan(found[name].low) and math.isnan(found[name].high), found[name]


@pytest.mark.parametrize("name", ["calibration_intercept", "calibration_slope"])
@pytest.mark.parametrize(
    ("y", "s"),
    [([0, 1], [0.49, 0.95]), ([0] * 9 + [1], [0.2, 0.4, 0.6] * 3 + [0.5]), ([0] * 5 + [1] * 5, [0.2] * 5 + [0.7] * 5)],
    ids=["one of each", "one positive", "one score of each"],
)
def test_a_class_without_spread_does_not_fix_the_recalibration_of_a_case_control_study(name, y, s):
    study, cohort = (uc.evaluate(y, s, metrics=[name], design=design)[name] for design in ("case-control", "cohort"))
    if not math.isnan(study.value):
        assert study.high - study.low > 0.2 * (cohort.high - cohort.low), (study, cohort)


@pytest.mark.filterwarnings("ignore:.*`weights` are not integers")
def test_fewer_cases_never_know_a_slope_better():
    """Weights are numbers of cases; below two of them only the penalty's own spread was left, which looked narrow."""
    scores = np.clip(0.5 + 0.1 * (Y - 0.5) + 0.2 * np.random.default_rng(1).normal(size=2 * N), 0.02, 0.98)
    found = [
        uc.evaluate(Y, scores, metrics=["calibration_slope"], weights=np.full(2 * N, each))["calibration_slope"]
        for each in (1, 0.5, 0.2, 0.15, 0.12, 0.1, 0.01, 1e-9)
    ]
    widths = [each.high - each.low for each in found]
    assert widths == sorted(widths) and math.isinf(widths[-1])
