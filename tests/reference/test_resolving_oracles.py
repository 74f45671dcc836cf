"""Oracle cases of resolving power: recomputed by independent code, and published by the author."""

from __future__ import annotations

import json
import os
from pathlib import Path as FilePath

import numpy as np
import pytest

from unconfuse import METRICS, Binormal, Distributions, Empirical, h_measure, resolving_power
from unconfuse.ingest.read_columns import every_column
from unconfuse.resolving import Population
from unconfuse.resolving.asymptotic import ClassSizes, standard_error
from unconfuse.resolving.signal_curve import SignalCurve
from unconfuse.uncertainty.influence_intervals import hanley_mcneil_se

CASES = json.loads((FilePath(__file__).parent / "cases.json").read_text())["cases"]
DATA = FilePath(os.environ.get("UNCONFUSE_BEAM_DATA", FilePath(__file__).parents[3] / "shared" / "data"))
needs_data = pytest.mark.skipif(
    not (DATA / "cv_scores.parquet").exists(), reason=f"the authors' files are not in {DATA}"
)
AREA = "auprc_davis_goadrich"


def cases(group, *, having=""):
    found = [case for case in CASES if case["group"] == group and having in json.dumps(case["inputs"])]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def case_named(name):
    return next(case for case in CASES if case["id"] == name)


@cases("binormal", having="auroc")
def test_population_values_of_normal_scores(case):
    given, expected = case["inputs"], case["expect"]
    pi, n = given["prevalence"], given["N_total"]
    shift = Binormal().shift_for(given["auroc"])
    population = Binormal().population(shift)
    sizes = ClassSizes.of(n, pi)
    at = population.indistinguishability_crossing(pi)
    table = population.table(pi, 1 - pi, 8000)
    ours = {
        "delta": shift,
        "auprc_exact": population.auprc(pi),
        "auprc_paper_riemann1000": population.auprc_by_right_sums(pi),
        "auprg": population.auprg(pi),
        "h_beta22": float(h_measure("beta22")(table)),
        "h_beta_1p_pi": float(h_measure("hand2014")(table)),
        "r_b": at.threshold,
        "C_rb": at.precision,
        "v_rb": at.sensitivity,
        "u_rb": at.false_positive_rate,
        "B_at_0": population.b_at(float(population.tpr_at(np.array([0.5]))[0]), pi),
        "sd_auroc_exact": standard_error(population, METRICS["auroc"], sizes),
        "sd_auroc_hanley_mcneil": float(hanley_mcneil_se(given["auroc"], sizes.positives, sizes.negatives)),
        "sd_ap_asymptotic": standard_error(population, METRICS["average_precision"], sizes),
        "sd_Crb_asymptotic": standard_error(population, METRICS["precision_at_indistinguishability"], sizes),
    }
    assert set(ours) == set(expected)
    for name, value in ours.items():
        assert value == pytest.approx(expected[name], abs=case["tol"].get(name, case["tol"]["default"]), rel=0), name


@cases("binormal", having="m1")
def test_population_values_on_the_scale_of_the_scores(case):
    from scipy.stats import norm

    given, expected = case["inputs"], case["expect"]
    population = Distributions(norm(given["m1"], given["s1"]), norm(given["m0"], given["s0"])).population(0)
    at = population.indistinguishability_crossing(given["prevalence"])
    ours = {
        "auroc": population.auroc,
        "auprc": population.auprc(given["prevalence"]),
        "r_b": at.threshold,
        "C_rb": at.precision,
        "v_rb": at.sensitivity,
    }
    for name, value in ours.items():
        assert value == pytest.approx(expected[name], abs=case["tol"], rel=0), name


@cases("lehmann")
def test_population_values_of_lehmann_pairs(case):
    given, expected, k = case["inputs"], case["expect"], case["inputs"]["k"]
    positives, negatives = given["P"], given["N"]
    pi = positives / (positives + negatives)
    population = Population(lambda p: p ** (1 / k), lambda q: q**k, lambda p: -np.log(p) / k)
    at = population.indistinguishability_crossing(pi)
    ours = {
        "auroc": population.auroc,
        "B_minus_inf": population.b_at(1.0, pi),
        "u": at.false_positive_rate,
        "v": at.sensitivity,
        "r": at.threshold,
        "C": at.precision,
        "var_auroc": population.auroc_variance(positives, negatives),
        "auprc": population.auprc(pi),
        "auprg": population.auprg(pi),
    }
    for name in set(ours) & set(expected):
        assert ours[name] == pytest.approx(expected[name], abs=case["tol"], rel=0), name


@cases("resolving-asymptotic")
def test_limit_for_many_cases(case):
    rp = resolving_power(
        Binormal(),
        [AREA, "precision_at_indistinguishability"],
        n=1_000_000,
        method="asymptotic",
        prevalence=case["inputs"]["prevalence"],
        at=case["inputs"]["auroc"],
    )
    for name, key in ((AREA, "delta_auprc"), ("precision_at_indistinguishability", "delta_C_rb")):
        found = [rp[name, at].delta for at in case["inputs"]["auroc"]]
        np.testing.assert_allclose(found, case["expect"][key], atol=case["tol"], rtol=0)


def published_cells():
    """All cells of N = 1,000; at larger N those that are cheap, so that the suite stays fast."""
    for case in CASES:
        given = case["inputs"]
        cheap = given.get("N") == 1000 or (given.get("N") == 10_000 and given["prevalence"] <= 0.1)
        if case["group"] == "resolving-binormal" and "auroc" in given and cheap:
            yield pytest.param(case, id=case["id"])


@pytest.mark.parametrize("case", list(published_cells()))
def test_published_cells_of_figure_4(case):
    given, expected, tol = case["inputs"], case["expect"], case["tol"]
    runs = [
        resolving_power(
            Binormal(), ["auroc", AREA], n=given["N"], prevalence=given["prevalence"], at=given["auroc"], rng=seed
        )
        for seed in range(given["repeats"])
    ]
    roc, pr = (np.mean([run[name].kappa for run in runs]) for name in ("auroc", AREA))
    assert pr / roc - 1 == pytest.approx(expected["delta"], abs=tol["delta"])
    assert roc == pytest.approx(expected["kappa_roc"], rel=tol["kappa_roc_rel"])
    assert pr == pytest.approx(expected["kappa_prc"], rel=tol["kappa_prc_rel"])
    low, high = (np.mean([getattr(run[AREA], name) for run in runs]) for name in ("mapped_low", "mapped_high"))
    assert [low, high] == pytest.approx(expected["mapped_ci"], abs=tol["mapped_ci_abs"])


def test_clipping_is_reported_and_can_be_undone():
    case = case_named("fig4-N1000-0.01-0.65")
    clipped, free = (
        resolving_power(Binormal(), [AREA], n=1000, prevalence=0.01, at=0.65, grid_start=start, rng=3)[AREA]
        for start in (0.5, 0.0)
    )
    assert (clipped.clipped, free.clipped) == ("low", "")
    assert clipped.mapped_low == pytest.approx(0.5, abs=1e-9)
    assert free.delta == pytest.approx(case["expect"]["own_high_precision"]["delta_unclipped_exact_curve"], abs=0.05)


def test_other_metrics_at_few_positives():
    case = case_named("fig4-N1000-0.05-0.85")["expect"]["own_high_precision"]
    rp = resolving_power(
        Binormal(), ["average_precision", "precision_at_indistinguishability"], n=1000, prevalence=0.05, at=0.85
    )
    assert rp["average_precision"].delta == pytest.approx(case["delta_ap"], abs=0.05)
    assert rp["precision_at_indistinguishability"].delta == pytest.approx(case["delta_C_rb"], abs=0.05)


@cases("resolving-toy")
def test_toy_metric(case):
    area = np.linspace(0.5, 1, 100_001)
    curve = SignalCurve("ausgc", "auroc", area, 0.01 ** (1 - (area - 0.5) / 0.5))
    given, expected = case["inputs"], case["expect"]
    value = float(curve(given["auroc"]))
    assert value == pytest.approx(expected["ausgc"], abs=1e-9)
    if "slope" in expected:
        assert 1 / curve.slope(given["auroc"]) == pytest.approx(expected["slope"], rel=1e-6)
    else:
        limits = [value - given["half_width"], value + given["half_width"]]
        np.testing.assert_allclose(curve.to_reference(limits), expected["mapped"], atol=1e-9)


@pytest.fixture(scope="module")
def readmissions():
    columns = every_column(DATA / "cv_scores.parquet")
    return Empirical(np.asarray(columns["DV"]), np.asarray(columns["ylogit"]))


@needs_data
def test_table_2(readmissions):
    case = case_named("table2-rerun")
    rp = resolving_power(readmissions, ["auroc", AREA])
    roc, pr = rp["auroc"], rp[AREA]
    ours = {
        "auroc_lo": roc.low,
        "auroc_hi": roc.high,
        "auprc_lo": pr.low,
        "auprc_hi": pr.high,
        "mapped_lo": pr.mapped_low,
        "mapped_hi": pr.mapped_high,
        "kappa_roc": roc.kappa,
        "kappa_prc": pr.kappa,
        "rp_roc": roc.resolving_power,
        "rp_prc": pr.resolving_power,
        "sd_auroc": roc.sd,
        "ratio_prc_roc": pr.delta + 1,
    }
    for name, value in ours.items():
        assert value == pytest.approx(case["expect"][name], abs=case["tol"][name]), name
    assert roc.kappa == pytest.approx(0.0143, abs=0.0003)
    assert pr.kappa == pytest.approx(0.0250, abs=0.0008)


@needs_data
def test_table_2_from_the_authors_draws():
    case = case_named("table2-from-authors-draws")
    draws, grid = every_column(DATA / "store_boot.csv"), every_column(DATA / "empirical_grid.csv")
    order = np.argsort(grid["auroc"])
    curve = SignalCurve("auprc", "auroc", grid["auroc"][order], grid["auprc"][order])
    limits = np.quantile(draws["auprc"], [0.025, 0.975])
    np.testing.assert_allclose(limits, case["expect"]["auprc_ci"], atol=1e-9)
    np.testing.assert_allclose(curve.to_reference(limits, "nearest"), case["expect"]["mapped_nearest"], atol=1e-9)
    np.testing.assert_allclose(
        curve.to_reference(limits), case["expect"]["mapped_interp"], atol=2e-6
    )  # ours is not linear


@needs_data
def test_linear_method(readmissions):
    case = case_named("linear-method-diabetes")
    expected, tol = case["expect"], case["tol"]
    around = readmissions.around(readmissions.auroc, (-0.001, 0.0, 0.001))
    np.testing.assert_allclose([each.auroc for each in around], expected["auroc"], atol=tol["auroc"])
    np.testing.assert_allclose([METRICS[AREA](each.table) for each in around], expected["auprc"], atol=tol["auprc"])
    rp = resolving_power(readmissions, ["auroc", AREA], method="linear")
    assert rp["auroc"].kappa == pytest.approx(expected["kappa_roc"], abs=tol["kappa_roc"])
    assert rp[AREA].kappa == pytest.approx(expected["kappa_prc"], abs=tol["kappa_prc"])
    assert rp[AREA].kappa / (4 * rp[AREA].sd) == pytest.approx(expected["slope"], abs=tol["slope"])


@needs_data
def test_table_3_from_the_authors_trials():
    from unconfuse.reproduce.beam.tables import table_3

    rows = table_3(DATA)
    counts = case_named("xgb-counts")["expect"]
    assert [row.ours for row in rows[:5]] == [
        counts["roc_better"],
        counts["agree"],
        counts["disagree"],
        counts["roc_roc_better"],
        counts["roc_prc_better"],
    ]
    expected = case_named("table3")["expect"]
    np.testing.assert_allclose([row.ours for row in rows[5:13]], expected["disagree"] + expected["agree"], atol=1e-9)


def test_normal_approximation_of_section_5():
    case = case_named("hm-normal-ci")
    z = 1.959963984540054
    for area, key in ((0.65, "ci_065"), (0.95, "ci_095")):
        se = float(hanley_mcneil_se(area, 100, 9900))
        np.testing.assert_allclose([area - z * se, area + z * se], case["expect"][key], atol=2e-6)
