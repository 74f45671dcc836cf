"""Rank metrics against the oracle cases (PRROC, pROC, hmeasure, prg and the seeds) and against scikit-learn."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as sk

import unconfuse as uc
from unconfuse.metrics.indistinguishable import b_values

HERE = Path(__file__).parent
CASES = json.loads((HERE / "cases.json").read_text())["cases"]
DATA = [each for each in CASES if each["group"] == "ranking"]
DIABETES = HERE.parents[1] / "data" / "cv_scores.parquet"
SHARED = Path(__file__).parents[3] / "shared" / "data" / "cv_scores.parquet"
NAMES = {
    "auroc": uc.METRICS["auroc"],
    "ap_step": uc.METRICS["average_precision"],
    "auprg": uc.METRICS["auprg"],
    "auprc_trapezoid": uc.METRICS["auprc_trapezoid"],
    "auprc_davis_goadrich": uc.METRICS["auprc_davis_goadrich"],
    "auprc_integral": uc.METRICS["auprc_integral"],
    "h_beta22": uc.h_measure("beta22"),
    "h_beta_1p_pi": uc.h_measure("hand2014"),
    "h_R_default": uc.h_measure("severity_ratio"),
    "max_f1": uc.METRICS["max_f1"],
}


def table_of(y, s, w=None):
    return uc.ScoreTable.from_rows(np.asarray(y) == 1, np.asarray(s, dtype=float), w)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", DATA, ids=lambda case: case["id"])
def test_oracle(case, name):
    value = NAMES[name](table_of(case["inputs"]["y"], case["inputs"]["s"]))
    assert value == pytest.approx(case["expect"][name], abs=case["tol"])


@pytest.mark.parametrize("case", DATA, ids=lambda case: case["id"])
def test_indistinguishability_oracle(case):
    table, expect = table_of(case["inputs"]["y"], case["inputs"]["s"]), case["expect"]
    if expect["B_curve"]:
        np.testing.assert_allclose(b_values(table), expect["B_curve"]["B"], atol=case["tol"])
        np.testing.assert_allclose(b_values(table, exclude_self=True), expect["B_curve_excl"], atol=case["tol"])
    for level, key in ((0.4, "r_40"), (0.5, "r_b"), (0.6, "r_60")):
        lower = expect[key].get("lower") if expect[key]["exists"] else None
        wanted = lower["C"] if lower else np.nan
        np.testing.assert_allclose(uc.precision_at_b(level)(table), wanted, atol=case["tol"])
    np.testing.assert_array_equal(uc.METRICS["precision_at_indistinguishability"](table), uc.precision_at_b(0.5)(table))


def test_four_forms_of_auprc_on_one_data_set():
    table = table_of([1, 1, 1] + [0] * 7, [5] + [0] * 9)
    values = (
        ("average_precision", 0.533),
        ("auprc_integral", 0.614),
        ("auprc_davis_goadrich", 0.671),
        ("auprc_trapezoid", 0.767),
    )
    for name, value in values:
        assert uc.METRICS[name](table) == pytest.approx(value, abs=5e-4)


@pytest.mark.skipif(not (DIABETES.exists() or SHARED.exists()), reason="the diabetes scores are not here")
@pytest.mark.parametrize(
    "case",
    [each for each in CASES if each["inputs"].get("data") == "cv_scores.parquet" and each["group"] == "empirical"],
    ids=lambda case: case["id"],
)
def test_diabetes(case):
    import pandas as pd

    frame = pd.read_parquet(DIABETES if DIABETES.exists() else SHARED)
    y, s = frame["DV"].to_numpy() == 1, frame["ylogit"].to_numpy()
    step = case["inputs"].get("step", 0)
    shift = case["inputs"]["shift_up"] if step > 0 else case["inputs"].get("shift_down", 0)
    table = table_of(y, s + step * shift * y)
    names = {
        "auroc": "auroc",
        "auprc": "auprc_davis_goadrich",
        "dg": "auprc_davis_goadrich",
        "ap": "average_precision",
        "trap": "auprc_trapezoid",
        "integral": "auprc_integral",
    }
    for key, value in case["expect"].items():
        if key in names:
            assert uc.METRICS[names[key]](table) == pytest.approx(value, abs=case["tol"])


SAMPLES = [(seed, decimals, weighted) for seed in range(4) for decimals in (0, 1, 8) for weighted in (False, True)]


@pytest.fixture(params=SAMPLES, ids=str)
def sample(request):
    seed, decimals, weighted = request.param
    rng = np.random.default_rng(seed)
    y = rng.random(300) < 0.25
    return y, np.round(rng.normal(size=300) + y, decimals), rng.random(300) + 0.1 if weighted else None


def test_scikit_learn_areas(sample):
    y, s, w = sample
    table = table_of(y, s, w)
    near = {"rel": 1e-12, "abs": 1e-12}
    assert uc.METRICS["auroc"](table) == pytest.approx(sk.roc_auc_score(y, s, sample_weight=w), **near)
    wanted = sk.average_precision_score(y, s, sample_weight=w)
    assert uc.METRICS["average_precision"](table) == pytest.approx(wanted, **near)
    for max_fpr in (0.05, 0.1, 0.5, 1.0):
        wanted = sk.roc_auc_score(y, s, sample_weight=w, max_fpr=max_fpr)
        assert uc.partial_auroc(max_fpr)(table) == pytest.approx(wanted, **near)
    precision, recall, _ = sk.precision_recall_curve(y, s, sample_weight=w)
    assert uc.METRICS["auprc_trapezoid"](table) == pytest.approx(sk.auc(recall, precision), **near)


def test_kolmogorov_smirnov_of_scipy(sample):
    from scipy.stats import ks_2samp

    y, s, _ = sample
    for name, side in (("ks", "two-sided"), ("max_youden", "less")):
        wanted = ks_2samp(s[y], s[~y], alternative=side).statistic
        assert uc.METRICS[name](table_of(y, s)) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    "case",
    [each for each in CASES if each["group"] == "binormal" and "auroc" in each["inputs"]],
    ids=lambda case: case["id"],
)
def test_binormal_population_as_a_fine_table(case):
    """A table of class probabilities on a fine grid of scores is the population; the metrics converge to its values."""
    from scipy.stats import norm

    pi, delta = case["inputs"]["prevalence"], case["expect"]["delta"]
    edges = np.linspace(9 + delta, -9, 200_001)
    positives, negatives = (np.diff(norm.sf(edges - mean)) for mean in (delta, 0.0))
    table = uc.ScoreTable(edges[1:], 1e4 * pi * positives, 1e4 * (1 - pi) * negatives)
    names = {
        "auprc_exact": uc.METRICS["auprc_integral"],
        "auprg": uc.METRICS["auprg"],
        "h_beta22": uc.h_measure("beta22"),
        "h_beta_1p_pi": uc.h_measure(),
        "C_rb": uc.METRICS["precision_at_indistinguishability"],
    }
    for key, metric in names.items():
        assert metric(table) == pytest.approx(case["expect"][key], abs=1e-4 if key == "C_rb" else 1e-6)
    assert uc.METRICS["auroc"](table) == pytest.approx(case["inputs"]["auroc"], abs=1e-7)


@pytest.mark.parametrize("case", [each for each in CASES if each["group"] == "lehmann"], ids=lambda case: case["id"])
def test_lehmann_population_as_a_fine_table(case):
    k, P, N, expect = (*(case["inputs"][key] for key in ("k", "P", "N")), case["expect"])
    u = np.linspace(0, 1, 400_001) ** 3
    table = uc.ScoreTable(-np.log(u[1:]), P * np.diff(u**k), N * np.diff(u))
    assert uc.METRICS["auroc"](table) == pytest.approx(expect["auroc"], abs=1e-7)
    assert uc.METRICS["precision_at_indistinguishability"](table) == pytest.approx(expect["C"], abs=2e-5)
    assert b_values(table)[-1] == pytest.approx(expect["B_minus_inf"], abs=1e-7)
    for key, name in (("auprc", "auprc_integral"), ("auprg", "auprg")):
        if key in expect:
            assert uc.METRICS[name](table) == pytest.approx(expect[key], abs=1e-7)
