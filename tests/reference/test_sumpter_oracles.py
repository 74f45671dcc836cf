"""The open oracle cases of B(r), r_b and C(r_b): samples, populations and the nine data sets."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.indistinguish import NormalMixtures, find_crossing
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.populations import Population
from unconfuse.reproduce.sumpter import nine_data_sets, sample

CASES = json.loads((Path(__file__).parent / "cases.json").read_text())["cases"]


def cases(group, needs=""):
    chosen = [case for case in CASES if case["group"] == group and needs in case["id"]]
    return [pytest.param(case["inputs"], case["expect"], id=case["id"]) for case in chosen]


def table_of(inputs):
    return uc.ScoreTable.from_rows(np.array(inputs["y"]) == 1, np.array(inputs["s"]))


@pytest.mark.parametrize(("inputs", "expect"), cases("sumpter"))
def test_figure_1_under_every_convention(inputs, expect):
    positives = np.array(inputs["cats"], dtype=float)
    everybody = np.append(positives, inputs["noncats"])
    table = uc.ScoreTable.from_rows(np.arange(len(everybody)) < len(positives), everybody)
    for threshold, wanted in expect.items():
        labelled = int((everybody >= float(threshold)).sum())
        assert b_values(table)[labelled - 1] == pytest.approx(wanted["half_all_pairs"], abs=1e-12)
        assert b_values(table, exclude_self=True)[labelled - 1] == pytest.approx(wanted["exclude_same_item"], abs=1e-12)
        counts = table.counts_at(float(threshold))
        assert counts.tp / counts.labelled_positive == pytest.approx(wanted["C"], abs=1e-12)


@pytest.mark.parametrize(("inputs", "expect"), cases("ranking"))
def test_curves_of_b(inputs, expect):
    table = table_of(inputs)
    if expect["B_curve"] is not None:
        assert b_values(table) == pytest.approx(expect["B_curve"]["B"], abs=1e-12)
        assert b_values(table, exclude_self=True) == pytest.approx(expect["B_curve_excl"], abs=1e-12)
    assert b_values(table)[-1] == pytest.approx(expect["B_minus_inf"], abs=1e-12)


@pytest.mark.parametrize("which", ["r_b", "r_60", "r_40"])
@pytest.mark.parametrize("exclude_self", [False, True])
@pytest.mark.parametrize(("inputs", "expect"), cases("ranking"))
def test_crossings(inputs, expect, which, exclude_self):
    level = {"r_b": 0.5, "r_60": 0.6, "r_40": 0.4}[which]
    wanted = expect[which + ("_excl" if exclude_self else "")]
    found = find_crossing(table_of(inputs), level, exclude_self=exclude_self)
    assert found.exists == wanted["exists"]
    for ours, theirs in ((found.below, wanted.get("lower")), (found.above, wanted.get("upper"))):
        assert (ours is None) == (theirs is None)
        if theirs is not None:
            numbers = (
                ours.next_score,
                ours.threshold,
                ours.b,
                ours.precision,
                ours.sensitivity,
                ours.false_positive_rate,
                ours.tp,
                ours.fp,
            )
            asked = [float(theirs[key]) for key in ("r_low", "r_high", "B", "C", "v", "u", "tp", "fp")]
            assert numbers == pytest.approx(asked, abs=1e-9)
    if "C_mix" in wanted:
        assert found.mixed_precision == pytest.approx(wanted["C_mix"], abs=1e-9)
    if "theta" in wanted:
        assert found.share == pytest.approx(wanted["theta"], abs=1e-9)


@pytest.mark.parametrize(("inputs", "expect"), cases("binormal"))
def test_binormal_populations(inputs, expect):
    if "m1" in inputs:
        model = NormalMixtures.binormal(
            mean=inputs["m1"],
            sd=inputs["s1"],
            negative_mean=inputs["m0"],
            negative_sd=inputs["s0"],
            prevalence=inputs["prevalence"],
        )
    else:
        model = NormalMixtures.binormal(mean=expect["delta"], prevalence=inputs["prevalence"])
    found = model.crossing()
    assert (found.threshold, found.precision, found.sensitivity) == pytest.approx(
        (expect["r_b"], expect["C_rb"], expect["v_rb"]), abs=1e-9
    )
    if "u_rb" in expect:
        assert found.false_positive_rate == pytest.approx(expect["u_rb"], abs=1e-9)
        assert float(model.b(0)) == pytest.approx(expect["B_at_0"], abs=1e-9)


@pytest.mark.parametrize(("inputs", "expect"), cases("lehmann"))
def test_lehmann_populations(inputs, expect):
    """Exponential scores with rates 1 (negatives) and k (positives)."""
    k, prevalence = inputs["k"], inputs["P"] / (inputs["P"] + inputs["N"])
    model = Population(lambda p: p ** (1 / k), lambda q: q**k, lambda p: -np.log(p) / k)
    found = model.indistinguishability_crossing(prevalence)
    assert (found.threshold, found.precision, found.sensitivity, found.false_positive_rate) == pytest.approx(
        (expect["r"], expect["C"], expect["v"], expect["u"]), abs=1e-9
    )
    ours = model.auroc, model.b_at(1.0, prevalence)
    assert ours == pytest.approx((expect["auroc"], expect["B_minus_inf"]), abs=1e-12)


@pytest.mark.parametrize(("inputs", "expect"), cases("sumpter-nine", "population"))
def test_nine_populations(inputs, expect, request):
    model = nine_data_sets()[request.node.callspec.id.split("-")[1]]
    found = model.crossing()
    ours = model.auroc, found.precision, found.sensitivity, found.false_positive_rate, found.threshold
    assert ours == pytest.approx([expect[key] for key in ("A", "C_rb", "v_rb", "u_rb", "x_rb")], abs=1e-6)
    for level, key in ((0.6, "C_r60"), (0.4, "C_r40")):
        wanted = math.nan if expect[key] is None else expect[key]
        assert model.crossing(level).precision == pytest.approx(wanted, abs=1e-6, nan_ok=True)
    assert float(model.b(-np.inf)) == pytest.approx(expect["B_minus_inf"], abs=1e-6)


@pytest.mark.parametrize(("inputs", "expect"), cases("sumpter-nine", "simulation"))
def test_nine_simulations(inputs, expect, request):
    name, seeds = request.node.callspec.id.split("-")[1], 20
    tolerances = next(c["tol"] for c in CASES if c["id"] == f"nine-{name}-simulation")
    tables = [sample(name, np.random.default_rng(seed)) for seed in range(seeds)]
    ours = {
        "A": [float(uc.METRICS["auroc"](t)) for t in tables],
        "maxF1": [float(uc.METRICS["max_f1"](t)) for t in tables],
    }
    ours |= {f"C{level}mix": [find_crossing(t, level / 100).mixed_precision for t in tables] for level in (40, 50, 60)}
    for key, wanted in expect.items():
        if wanted is not None:
            assert np.mean(ours[key]) == pytest.approx(wanted, abs=tolerances[key] / math.sqrt(seeds)), key
