"""Units, studies and data sets against metafor, lme4, mada's model, SciPy, scikit-posthocs and baycomp."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import logit

import unconfuse as uc
from unconfuse.multilevel import benchmarks as tests
from unconfuse.multilevel.binomial import rate_posterior
from unconfuse.multilevel.bivariate import fit, normal_fit
from unconfuse.multilevel.pooling import chance_above, pool
from unconfuse.multilevel.random_effects import between_at, spread

CASES = json.loads(Path(__file__).with_name("levels.json").read_text())["cases"]
# metafor's likelihood search ends at equal variances and a correlation of .99 there, where ours is higher
NOT_CONVERGED = {("studies_bv_one_class_sites", name) for name in ("reitsma_tau_sens", "reitsma_tau_fpr")}


def of_group(group):
    return pytest.mark.parametrize(
        "case", [each for each in CASES if each["group"] == group], ids=lambda each: each["id"]
    )


def compare(case, found):
    for name, value in found.items():
        if name in case["expect"] and (case["id"], name) not in NOT_CONVERGED:
            assert value == pytest.approx(case["expect"][name], abs=case["tolerance"][name], rel=0), name


@of_group("places: random effects")
def test_units_with_independent_errors(case):
    y, v = (np.array(case["data"][name]) for name in "yv")
    mean, new, between = pool(y, v), pool(y, v, "one unit"), spread(y, v)
    found = {"mu": mean.value, "mean_lo_floored": mean.low, "mean_hi_floored": mean.high}
    found |= {"tau2": between.deviation**2, "tau2_lo": between.low**2, "tau2_hi": between.high**2}
    found |= {"Q": between.statistic, "Q_p": between.p_value, "tau2_pm": float(between_at(y, v, len(y) - 1.0))}
    found |= {"new_lo_qmix": new.low, "new_hi_qmix": new.high, "p_new_above_0": chance_above(y, v, 0)}
    compare(case, found)


@of_group("places: binomial-normal")
def test_rates_of_units(case):
    found = rate_posterior(*(np.array(case["data"][name], dtype=float) for name in "rn"))
    ends = {"grid_mean_lo": found.typical(0.025), "grid_mean_median": found.typical(0.5)}
    ends |= {"grid_mean_hi": found.typical(0.975), "grid_new_lo": found.new(0.025), "grid_new_hi": found.new(0.975)}
    compare(case, {name: float(logit(each)) for name, each in ends.items()})
    assert found.chance_above(found.new(0.2)) == pytest.approx(0.8, abs=1e-6)


def cells(case):
    tp, fn, tn, fp = (np.array(case["data"][name], dtype=float) for name in ("tp", "fn", "tn", "fp"))
    return tp, tp + fn, tn, tn + fp


@of_group("places: bivariate 2x2")
def test_studies(case):
    found, older = fit(*cells(case)), normal_fit(*cells(case))
    errors = np.sqrt(np.diagonal(found.covariance))
    compare(
        case,
        {
            "mu_logit_sens": found.mean[0],
            "mu_logit_spec": found.mean[1],
            "tau_sens": found.deviations[0],
            "tau_spec": found.deviations[1],
            "rho": found.correlation,
            "se_logit_sens": errors[0],
            "se_logit_spec": errors[1],
            "loglik": found.log_likelihood,
            "reitsma_sens": older["sensitivity"],
            "reitsma_fpr": older["false_positive_rate"],
            "reitsma_tau_sens": older["deviation_sensitivity"],
            "reitsma_tau_fpr": older["deviation_false_positive_rate"],
            "reitsma_rho": older["correlation"],
        },
    )


@of_group("places: bivariate 2x2")
def test_the_verb_gives_the_model(case):
    found = uc.meta_analysis(case["data"])
    compare(case, {"sens": found.sensitivity.value, "spec": found.specificity.value, "rho": found.correlation})
    backwards = uc.meta_analysis({name: cell[::-1] for name, cell in case["data"].items()}).sensitivity
    assert backwards.value == pytest.approx(found.sensitivity.value, abs=1e-6)


def frame(scores):
    sets, models = scores.shape
    names = {"d": [f"d{i:02}" for i in range(sets) for _ in range(models)]}
    return {**names, "m": [f"m{j}" for _ in range(sets) for j in range(models)], "auc": scores.ravel()}


@of_group("benchmarks")
def test_data_sets(case):
    scores = np.array(case["data"]["scores"])
    found = uc.benchmark(frame(scores), dataset="d", model="m", value="auc")
    pair = found[found.models[-1], found.models[0]]
    chances = found.signed_rank(rope=0.01)[found.models[0], found.models[-1]]
    compare(
        case,
        {
            "friedman_chi2": found.friedman.statistic,
            "friedman_p": found.friedman.p_value,
            "mean_ranks": list(found.friedman.mean_ranks),
            "cd": found.friedman.critical_difference,
            "nemenyi": list(found.nemenyi.values()),
            "wilcoxon": list(found.wilcoxon.values()),
            "holm": list(found.wilcoxon_holm.values()),
            "mean_diff": pair.difference.value,
            "diff_lo": pair.difference.low,
            "diff_hi": pair.difference.high,
            "p_new": pair.wins_next.value,
            "bayes": list(chances.values()),
        },
    )


def test_the_largest_t_under_all_signs():
    """Brute force: every sign of five data sets, the t statistics computed anew."""
    scores = np.random.default_rng(4).normal(size=(5, 3))
    found = tests.all_pairs(scores)
    gaps = np.stack([scores[:, i] - scores[:, j] for i, j in ((0, 1), (0, 2), (1, 2))], axis=1)
    largest = []
    for number in range(32):
        signs = np.array([1 - 2 * ((number >> place) & 1) for place in range(5)])[:, None]
        drawn = signs * (gaps - gaps.mean(axis=0))
        largest.append(np.max(np.abs(drawn.mean(axis=0)) / (drawn.std(axis=0, ddof=1) / np.sqrt(5))))
    assert found.critical == pytest.approx(max(largest))
    t = np.abs(gaps.mean(axis=0)) / (gaps.std(axis=0, ddof=1) / np.sqrt(5))
    expected = [max(np.sum(np.array(largest) >= each * (1 - 1e-9)), 1) / 32 for each in t]
    assert found.p_value == pytest.approx(expected)
