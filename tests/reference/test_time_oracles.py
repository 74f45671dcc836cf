"""Repeated looks, change and forecasts against values that R and plain Python gave (time.json)."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.forecasting.label_shift import label_shift
from unconfuse.table.looks import Critical
from unconfuse.uncertainty.change_detection import gains_of_counts, gains_of_losses, log_statistic, log_wealth
from unconfuse.uncertainty.proportion_intervals import mid_p
from unconfuse.uncertainty.sequential import exact_limits, widened
from unconfuse.uncertainty.spending import constant_critical_value, critical_values

CASES = json.loads((Path(__file__).parent / "time.json").read_text(encoding="utf-8"))["cases"]
SPENDING = {"asOF": "obrien-fleming", "asP": "pocock"}


def of(group, *, has):
    """The cases of a group whose data hold a name."""
    return [pytest.param(each, id=each["id"]) for each in CASES if each["group"] == group and has in each["data"]]


def made(case):
    """The arrays that a case's own line of NumPy makes."""
    names = {"np": np}
    exec(case["make"], names)
    return names


@pytest.mark.parametrize("case", of("repeated_looks", has="one_sided"))
def test_widened_critical_values(case):
    data = case["data"]
    found = widened(data["n"], data["n_star"], data["alpha"], one_sided=data["one_sided"])
    assert found == pytest.approx(case["expect"]["z"], abs=1e-10)


@pytest.mark.parametrize("case", of("repeated_looks", has="k"))
def test_mid_p_at_the_widened_value(case):
    data, expect = case["data"], case["expect"]
    z = widened(data["n"], data["n_star"], data["alpha"])
    low, high = mid_p(data["k"], data["n"], confidence_level=Critical(z, z))
    assert (z, low, high) == pytest.approx((expect["z"], expect["low"], expect["high"]), abs=1e-7)


@pytest.mark.parametrize("case", of("repeated_looks", has="k"))
def test_evaluate_hands_the_widened_value_on(case):
    data, expect = case["data"], case["expect"]
    right = np.arange(data["n"]) < data["k"]
    truth = np.arange(data["n"]) % 2
    found = uc.evaluate(truth, predicted=np.where(right, truth, 1 - truth), looks=f"any:{data['n_star']}")["accuracy"]
    assert (found.low, found.high) == pytest.approx((expect["low"], expect["high"]), abs=1e-7)
    assert found.confidence_level == 0.95
    assert f"{z_ratio(expect['z']):.2f} times as wide" in found.method


def z_ratio(z):
    """How much wider than one look's 1.96."""
    return z / 1.959963984540054


@pytest.mark.parametrize("case", of("repeated_looks", has="successes"))
def test_exact_sequence_of_a_proportion(case):
    data, expect = case["data"], case["expect"]
    found = exact_limits(data["successes"], data["failures"], data["alpha"])
    assert found == pytest.approx((expect["low"], expect["high"]), abs=1e-7)


@pytest.mark.parametrize("case", of("spending", has="information"))
def test_spending_equals_rpact(case):
    data = case["data"]
    found = critical_values(data["information"], data["alpha"], SPENDING[data["type"]])
    assert found == pytest.approx(case["expect"]["z"], abs=1e-5)


@pytest.mark.parametrize(("looks", "z"), [(2, 2.178), (3, 2.289), (4, 2.361), (5, 2.413), (10, 2.555), (20, 2.672)])
def test_constants_equal_the_printed_ones(looks, z):
    """Jennison and Turnbull (2000), table 2.1: Pocock's constants, two-sided 5%."""
    assert constant_critical_value(looks, 0.025) == pytest.approx(z, abs=6e-4)


@pytest.mark.parametrize("case", of("gate_looks", has="margin"))
def test_gate_over_looks(case, tmp_path):
    """The product's interval is Bonett and Price's, half a case wider than the case's: limits agree to a hundredth."""
    data, d = case["data"], made(case)["d"]
    truth = np.arange(len(d)) % 2
    rng = np.random.default_rng(0)
    both = rng.random(len(d)) < 0.6
    new, old = np.where(d == 0, both, d > 0), np.where(d == 0, both, d < 0)
    score = {name: np.where(right, truth, 1 - truth).astype(float) for name, right in (("new", new), ("old", old))}
    first = 0
    for n, limits in zip(data["looks"], case["expect"]["limits"], strict=True):
        gate = uc.gate(
            truth[:n], score["new"][:n], score["old"][:n], metrics=["accuracy"], margin=data["margin"],
            looks=f"any:{data['n_star']}",
        )  # fmt: skip
        own = gate.checks[0].estimate
        assert (own.low, own.high) == pytest.approx(limits, abs=0.02)
        if gate.verdict != "cannot tell" and not first:
            first = n
    assert first >= case["expect"]["at"]


@pytest.mark.parametrize("case", of("change", has="mu0"))
def test_statistic_of_change(case):
    x, mu0, expect = made(case)["x"], case["data"]["mu0"], case["expect"]
    found = log_statistic(log_wealth(gains_of_losses(x, mu0)))
    assert found[99] == pytest.approx(expect["log_statistic_at_100"], abs=1e-9)
    assert found[299] == pytest.approx(expect["log_statistic_at_300"], abs=1e-9)
    alarms = np.flatnonzero(found >= math.log(1000))
    assert (alarms[0] + 1 if len(alarms) else 0) == expect["alarm_at"]
    assert log_statistic(log_wealth(gains_of_counts(x, np.ones_like(x), mu0))) == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("case", of("label_shift", has="positives"))
def test_label_shift_by_one_likelihood(case):
    data, expect = case["data"], case["expect"]
    found = label_shift(data["positives"], data["negatives"], data["new"])
    assert (found.prevalence, found.low, found.high) == pytest.approx(
        (expect["prevalence"], expect["low"], expect["high"]), abs=1e-5
    )
    assert (found.g2, found.p_value) == pytest.approx((expect["g2"], expect["p"]), abs=1e-5)


@pytest.mark.parametrize("case", of("label_shift", has="threshold"))
def test_expected_metrics_of_a_batch(case):
    given, expect = made(case), case["expect"]
    f = uc.forecast((given["y"], given["s"]), given["new"], threshold=case["data"]["threshold"])
    assert f.curve.parameters == pytest.approx((expect["intercept"], expect["slope"]), abs=1e-6)
    for name in ("accuracy", "precision", "sensitivity"):
        assert f.same_risk[name].value == pytest.approx(expect[f"expected_{name}"], abs=1e-7)
