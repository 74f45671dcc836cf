"""A prevalence that is itself an estimate: its error enters every metric that depends on it."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.bayesian import PrevalenceEstimate
from unconfuse.bayesian.prevalence_shift import with_prevalence_error

# Average precision at k of m, of a loop over thresholds; with limits of the value - .1 and + .08 from the data alone.
ORACLES = [
    (61, 10, 100, 0.6584509271055344, 0.5440902737496298, 0.7634943662549477),
    (62, 3, 50, 0.35566174439085324, 0.20547416360443496, 0.5584859194531324),
    (64, 30, 60, 0.7498554363084982, 0.60742143355406, 0.8633358082464019),
    (65, 1, 200, 0.04781447756063507, -0.05289102024483661, 0.14908334084869088),
]


@pytest.mark.parametrize(("seed", "k", "m", "value", "low", "high"), ORACLES)
def test_distances_add_up_as_squares(seed, k, m, value, low, high):
    rng = np.random.default_rng(seed)
    y = np.arange(60) < 30
    table = uc.ScoreTable.from_rows(y, np.round(rng.normal(size=60) + 1.6 * y, 2))

    def at(prevalence):
        return float(uc.METRICS["average_precision"](table.at_prevalence(prevalence)))

    known = uc.Estimate("ap", "AP", at(k / m), at(k / m) - 0.1, at(k / m) + 0.08)
    found = with_prevalence_error(known, at, PrevalenceEstimate(k / m, m), (-math.inf, math.inf))
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=1e-6)


@pytest.fixture(scope="module")
def judged():
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.3
    p = 1 / (1 + np.exp(-(2 * y - 2 + rng.normal(size=400))))  # calibrated to no prevalence

    @uc.metric(of="probabilities", range=(0, 1))
    def mean_score(table: uc.ScoreTable) -> float:
        weight = table.positives + table.negatives
        return (table.score * weight).sum(axis=-1) / weight.sum(axis=-1)

    names = ["precision", "npv", "f1", "average_precision", "brier", "log_loss", "max_f1", "net_benefit(0.2)", "ece"]
    more = ["precision_at_indistinguishability", "auroc", "sensitivity", "lift_at(0.1)"]
    return uc.evaluate(y, p, metrics=[*names, *more, mean_score], n_resamples=200)


def test_the_error_of_the_prevalence_enters_every_metric_that_depends_on_it(judged):
    known, few, many = (uc.shift_prevalence(judged, prevalence=each) for each in (0.05, (2, 40), (5000, 100_000)))
    for name in judged:
        width, wider, about = (each[name].high - each[name].low for each in (known, few, many))
        assert few[name].value == pytest.approx(known[name].value)
        if name in ("auroc", "sensitivity"):
            assert wider == pytest.approx(width)
        else:
            assert wider > about >= width * 0.995, name
            assert wider > 1.02 * width, name
            assert about == pytest.approx(width, rel=0.05), name
            assert "from 40 cases" in few[name].conditions


def test_it_can_be_asked_again_and_kept(judged):
    few = uc.shift_prevalence(judged, prevalence=(2, 40))["average_precision"]
    known = uc.shift_prevalence(judged, prevalence=0.05)["average_precision"]
    half, certain = few.interval(confidence_level=0.5), known.interval(confidence_level=0.5)
    assert few.low < half.low < certain.low < certain.high < half.high < few.high
    again = pickle.loads(pickle.dumps(few)).interval(confidence_level=0.5)
    assert (again.low, again.high) == (half.low, half.high)


@pytest.mark.parametrize("given", [(0, 40), (40, 40)])
def test_all_or_none_of_the_cases_add_half_a_case(judged, given):
    found = uc.shift_prevalence(judged, prevalence=given)
    at = (given[0] + 0.5) / 41
    assert found["average_precision"].value == pytest.approx(
        uc.shift_prevalence(judged, prevalence=at)["average_precision"].value
    )
    for name in judged:
        assert found[name].low <= found[name].value <= found[name].high, name
        assert found[name].low < found[name].high, name
    assert "half a case added" in found["brier"].conditions


def test_groups_say_that_there_is_no_interval():
    rng = np.random.default_rng(1)
    y = rng.random(120) < 0.4
    ev = uc.evaluate(y, y + rng.normal(size=120), threshold=0.5, groups=np.arange(120) // 4, n_resamples=100)
    found = uc.shift_prevalence(ev, prevalence=(2, 40))
    for name in ("average_precision", "precision", "f1"):
        assert math.isnan(found[name].low) and "groups" in found[name].method
