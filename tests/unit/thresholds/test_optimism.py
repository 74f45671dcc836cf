"""A threshold chosen on the same cases: values against an independent bootstrap, and what must hold of every rule."""

import json
import pickle
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta

import unconfuse as uc

CASES = json.loads((Path(__file__).parents[2] / "reference" / "chosen_thresholds.json").read_text())["cases"]
RNG = np.random.default_rng(11)
Y = RNG.random(150) < 0.35
S = RNG.normal(size=150) + 1.2 * Y


@pytest.mark.parametrize("case", CASES, ids=lambda each: each["id"])
def test_values_of_another_bootstrap(case):
    given = {"np": np}
    exec(case["make"], given)
    rule = {"youden": "youden", "f1": "max_f1"}[case["data"]["rule"]]
    point = uc.threshold_card(given["y"], given["s"], rules=rule, n_resamples=2000)[rule]
    expected, within = case["expect"], case["tolerance"]
    assert point.threshold.value == expected["threshold"]
    for place, name in enumerate(("sensitivity", "specificity", "accuracy")):
        found = point.metrics[name]
        assert point.apparent[name].value == pytest.approx(expected["apparent"][place], abs=within["apparent"])
        assert found.value == pytest.approx(expected["corrected"][place], abs=within["corrected"])
        assert found.low == pytest.approx(expected["low"][place], abs=within["low"])
        assert found.high == pytest.approx(expected["high"][place], abs=within["high"])


def test_evaluate_and_card_say_the_same():
    card, ev = uc.threshold_card(Y, S, rules=["youden"]), uc.evaluate(Y, S, at="youden")
    assert card.validation == "bootstrap" and "corrected by bootstrap" in repr(card)
    for name, found in card["youden"].metrics.items():
        assert (ev[name].value, ev[name].low, ev[name].high) == (found.value, found.low, found.high)
    assert ev.threshold == card["youden"].threshold.value
    assert ev.counts.tp == round(ev["sensitivity"].value * Y.sum())
    assert ".632 bootstrap" in ev["npv"].method  # asked for later
    assert ev["f1"].interval(confidence_level=0.5).low > ev["f1"].low
    with pytest.raises(ValueError, match="`method` is not supported"):
        ev["f1"].interval(method="wilson")
    assert pickle.loads(pickle.dumps(ev))["mcc"].value == ev["mcc"].value


def test_row_order_and_what_the_threshold_does_not_touch():
    order = RNG.permutation(len(Y))
    one, other = uc.evaluate(Y, S, at="max_f1"), uc.evaluate(Y[order], S[order], at="max_f1")
    assert {name: each.value for name, each in one.items()} == {name: each.value for name, each in other.items()}
    plain = uc.evaluate(Y, S, threshold=one.threshold)
    assert one["auroc"].value == plain["auroc"].value
    assert (one["prevalence"].low, one["prevalence"].high) == (plain["prevalence"].low, plain["prevalence"].high)
    assert one["sensitivity"].value < plain["sensitivity"].value


def test_a_choice_that_never_varies_needs_no_correction():
    y, s = np.repeat([0, 1], 60), np.tile([0.0, 1.0], 60)
    s[:50], s[70:] = 0.0, 1.0
    point = uc.threshold_card(y, s, rules=["youden"], threshold=None)["youden"]
    assert point.metrics["sensitivity"].value == point.apparent["sensitivity"].value


def test_an_end_that_the_data_reach_is_not_excluded():
    """No positive of this population scores below 1, so a threshold there finds all of them."""
    rng, held = np.random.default_rng(5), []
    for seed in range(60):
        y = rng.random(80) < 0.4
        s = rng.lognormal(size=80) + y
        point = uc.threshold_card(y, s, rules=["b_60"], n_resamples=100, rng=seed)["b_60"]
        if point.threshold.value <= 1:
            found = point.metrics["sensitivity"]
            assert point.apparent["sensitivity"].value == 1 and found.value <= 1
            held.append(found.high == 1)
    assert len(held) > 10 and all(held)


def test_limits_near_an_end_reach_as_far_as_those_of_jeffreys():
    """Wilson's upper limit stops short where hardly a case is missed: of 38 of 40 cases .986, Jeffreys' is .990."""
    rng = np.random.default_rng(8)
    y, s = np.repeat([1, 0], [40, 60]), np.concatenate([rng.normal(3.5, 1, 40), rng.normal(size=60)])
    point = uc.threshold_card(y, s, rules=["precision_at_recall(0.95)"], min_recall=0.95)["precision_at_recall(0.95)"]
    found = point.metrics["sensitivity"]
    assert point.apparent["sensitivity"].value == 0.95 and "Jeffreys" in found.method
    cases = found.value * (1 - found.value) / found.standard_error**2
    _, high = beta.interval(0.95, found.value * cases + 0.5, (1 - found.value) * cases + 0.5)
    assert found.high == pytest.approx(high, abs=0.003)  # .973 by Wilson alone


def test_fewer_than_five_labelled_cannot_be_corrected():
    y, s = [1] * 3 + [0] * 40 + [1] * 17, np.linspace(1, 0, 60)
    found = uc.threshold_card(y, s, rules=["capacity(3)"])["capacity"].metrics["precision"]
    assert found.value == 1 and np.isnan(found.low)
    assert "cannot be corrected" in found.method and "fewer than 5" in found.method


@pytest.mark.parametrize("honest", ["bootstrap", "crossfit", "optimism", "none"])
def test_ways_by_name(honest):
    card = uc.threshold_card(Y, S, rules=["youden"], honest=honest, n_resamples=100)
    assert card.validation == (None if honest == "none" else honest)
    assert uc.read_card(card.to_json()).validation == card.validation


def test_subgroups_folds_and_sampling_weights_are_cross_fitted():
    site = np.arange(150) % 2
    ev = uc.evaluate(Y, S, at="youden", by=site)
    assert ".632 bootstrap" in ev["sensitivity"].method
    part = ev.subgroups["1"]
    assert part.threshold_source.endswith("cross-fitted") and ".632" not in part["sensitivity"].method
    weighted = uc.evaluate(Y, S, at="youden", sampling_weights=1 + np.abs(S))
    assert weighted.threshold_source.endswith("cross-fitted")
    assert ".632" not in uc.evaluate(Y, S, at="youden", folds=np.arange(150) % 3)["sensitivity"].method


def test_groups_are_drawn_whole():
    group = np.arange(150) // 15
    effect = np.repeat(RNG.normal(size=10), 15)
    alone, grouped = (uc.evaluate(Y, S + effect, at="youden", groups=g) for g in (None, group))
    width = [each["specificity"].high - each["specificity"].low for each in (alone, grouped)]
    assert width[1] > 1.2 * width[0] and "10 groups" in grouped["specificity"].conditions


@pytest.mark.parametrize(
    ("y", "s"),
    [
        ([0, 1], [0.0, 1.0]),
        ([1] + [0] * 30, np.linspace(1, 0, 31)),
        ([0, 1] * 20, [0.5] * 40),
        ([0] * 20 + [1] * 20, np.arange(40.0)),
        ([1] * 20 + [0] * 20, np.arange(40.0)),
    ],
)
def test_extreme_cases_have_values_within_their_range(y, s):
    card = uc.threshold_card(y, s, costs=(1, 4), prevalence=0.2, n_resamples=50)
    for point in card.values():
        for found in (*point.metrics.values(), *point.at_prevalence.values()):
            assert not found.low > found.value + 1e-12 and not found.high < found.value - 1e-12, found


def test_youden_on_a_thousand_rows_is_quick():
    rng = np.random.default_rng(1)
    y = rng.random(1000) < 0.3
    s = rng.normal(size=1000) + y
    uc.evaluate(y, s, at="youden")
    start = time.process_time()
    uc.evaluate(y, s, at="youden")
    assert time.process_time() - start < 0.3
