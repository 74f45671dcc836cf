"""Sampling weights have no scale, and rows no order: neither moves an interval, a p-value or the cases needed."""

import math

import numpy as np
import pytest

import unconfuse as uc

N = 30
_RNG = np.random.default_rng(3)
Y = np.arange(N) % 2
ONE = np.clip(0.3 * Y + 0.7 * _RNG.random(N), 0.01, 0.99)
OTHER = np.clip(ONE + 0.2 * _RNG.standard_normal(N), 0.01, 0.99)
PERFECT = [Y * 0.5 + _RNG.random(N) * 0.4 for _ in range(2)]
WEIGHTS, STRATA, FOLDS = _RNG.random(N) + 0.1, _RNG.integers(0, 2, N), np.arange(N) % 3
HOW = {"n_resamples": 100}


def numbers(found):
    """All values, intervals, standard errors and p-values of estimates or pairs."""
    parts = [getattr(each, "difference", each) for each in found.values()]
    own = [(each.value, each.low, each.high, each.standard_error) for each in parts]
    more = [(getattr(each, "p_value", 0.0), getattr(each, "cases_needed", 0.0)) for each in found.values()]
    return np.concatenate([np.ravel(own), np.ravel(more)])


CLASSES = np.arange(N) % 3
CHANCES = np.round(0.4 * np.eye(3)[CLASSES] + 0.6 * _RNG.dirichlet(np.ones(3), N), 2) + 0.01
CHANCES = CHANCES / CHANCES.sum(axis=1, keepdims=True)
ASKED = {
    "classes": lambda w: uc.evaluate(CLASSES, CHANCES, classes=[0, 1, 2], sampling_weights=w, **HOW),
    "labels of classes": lambda w: uc.evaluate(CLASSES, predicted=CLASSES, sampling_weights=w, **HOW),
    "evaluate": lambda w: uc.evaluate(Y, ONE, sampling_weights=w, **HOW),
    "perfect": lambda w: uc.evaluate(Y, PERFECT[0], sampling_weights=w, **HOW),
    "compare": lambda w: uc.compare(Y, {"a": ONE, "b": OTHER}, threshold=0.5, sampling_weights=w, **HOW),
    "perfect and good": lambda w: uc.compare(Y, {"a": PERFECT[0], "b": ONE}, sampling_weights=w, **HOW),
    "both perfect": lambda w: uc.compare(Y, dict(zip("ab", PERFECT, strict=True)), sampling_weights=w, **HOW),
    "folds": lambda w: uc.evaluate(Y, ONE, threshold=0.5, folds=FOLDS, sampling_weights=w, **HOW),
    "strata": lambda w: uc.evaluate(Y, ONE, strata=STRATA, sampling_weights=w, **HOW),
}


@pytest.mark.parametrize("factor", [7.0, 1 / 3, 1e-3, 1e4])
@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_the_scale_of_sampling_weights_moves_nothing(ask, factor):
    np.testing.assert_allclose(numbers(ask(WEIGHTS * factor)), numbers(ask(WEIGHTS)), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("factor", [7.0, 1e-3])
def test_the_cases_that_a_gate_needs_do_not_grow_with_the_weights(factor):
    one, other = (uc.gate(Y, ONE, OTHER, margin=0.05, sampling_weights=w, **HOW) for w in (WEIGHTS, factor * WEIGHTS))
    assert one.checks[0].cases_needed == other.checks[0].cases_needed > 0


@pytest.mark.parametrize("factor", [1 / 3, 7.0, 1e-3])
def test_the_mean_of_perfect_sites_does_not_move_with_rounding(factor):
    for seed in range(20):
        w = np.random.default_rng(seed).random(N) + 0.1
        one, other = (
            uc.evaluate(Y, PERFECT[0], site=FOLDS, metrics=["auroc"], sampling_weights=each).sites["auroc"].mean
            for each in (w, factor * w)
        )
        assert math.isclose(one.value, other.value, rel_tol=1e-9) and math.isclose(one.low, other.low, rel_tol=1e-6)


def test_rounding_is_no_evidence_between_two_perfect_models():
    for seed in range(20):
        w = np.random.default_rng(seed).random(N) + 0.1
        compared = uc.compare(Y, dict(zip("ab", PERFECT, strict=True)), sampling_weights=w, metrics=["auroc"])
        pair = compared["auroc", "a", "b"]
        assert pair.p_value == 1 and pair.difference.low < -0.02 < 0.02 < pair.difference.high, pair


@pytest.mark.parametrize("strata", [STRATA, np.full(N, "only one")], ids=["two", "one"])
def test_the_order_of_rows_moves_nothing_within_strata(strata):
    order = np.random.default_rng(0).permutation(N)
    one = uc.evaluate(Y, ONE, sampling_weights=WEIGHTS, strata=strata, **HOW)
    other = uc.evaluate(Y[order], ONE[order], sampling_weights=WEIGHTS[order], strata=strata[order], **HOW)
    np.testing.assert_allclose(numbers(one), numbers(other), rtol=1e-9, atol=1e-12)


def test_perfect_scores_within_strata_have_an_interval():
    names = ["ks", "max_f1", "auprg", "auch", "h_measure", "equal_error_rate"]
    found = uc.evaluate(Y, PERFECT[0], sampling_weights=WEIGHTS, strata=STRATA, metrics=names, **HOW)
    assert all(each.high - each.low > 0.05 for each in found.values()), found


def test_subgroups_next_to_a_perfect_one_are_tested_alike_at_any_scale():
    by = {"half": np.arange(N) // (N // 2)}
    scores = np.where(np.arange(N) < N // 2, PERFECT[0], ONE)
    for seed in range(20):
        w = np.random.default_rng(seed).random(N) + 0.1
        one, other = (
            uc.evaluate(Y, scores, by=by, sampling_weights=each, metrics=["auroc"]).subgroups.differences("auroc")
            for each in (w, w / 3)
        )
        assert all(a.test == b.test for a, b in zip(one, other, strict=True))


def test_the_auprg_of_sampled_cases_has_a_lower_limit_that_a_ranking_can_have():
    few = slice(0, 6)
    how = {"sampling_weights": WEIGHTS[few], "metrics": ["auprg"], **HOW}
    worst = uc.evaluate(Y[few], -PERFECT[0][few], **how)["auprg"].value
    for words in ({}, {"strata": STRATA[few]}):
        assert uc.evaluate(Y[few], PERFECT[0][few], **how, **words)["auprg"].low >= worst - 1e-12


@pytest.mark.filterwarnings("ignore:all scores")
def test_constant_scores_of_subgroups_do_not_differ_by_rounding():
    by = {"half": np.arange(N) // (N // 2)}
    for seed in range(20):
        w = np.random.default_rng(seed).random(N) + 0.1
        how = {"sampling_weights": w, "strata": STRATA, "metrics": ["auprg"], **HOW}
        (pair,) = uc.evaluate(Y, np.full(N, 0.5), by=by, **how).subgroups.differences("auprg")
        assert pair.p_value == 1, pair


@pytest.mark.parametrize("words", [{}, {"strata": STRATA}, {"groups": np.arange(N) // 2}], ids=["", "strata", "groups"])
def test_labels_that_are_all_right_leave_as_much_open_as_scores_of_the_same_labels(words):
    names = ["accuracy", "f1_macro", "mcc", "cohen_kappa", "balanced_accuracy"]
    how = {"classes": [0, 1, 2], "metrics": names, "sampling_weights": WEIGHTS, **words}
    labels, scores = uc.evaluate(CLASSES, predicted=CLASSES, **how), uc.evaluate(CLASSES, np.eye(3)[CLASSES], **how)
    for name in names:
        assert labels[name].low < 0.95, labels[name]
        assert math.isclose(labels[name].low, scores[name].low, rel_tol=1e-9)
