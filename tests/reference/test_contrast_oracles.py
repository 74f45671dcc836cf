"""Several comparisons, exchange tests, gates and subgroups beside R (mvtnorm, p.adjust, oneway.test)."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import unconfuse as uc
from unconfuse.api._gate import _surely_failed
from unconfuse.table import InMemorySample, Settings
from unconfuse.uncertainty.contrasts import PairedContrasts
from unconfuse.uncertainty.difference_tests import holm, single_error
from unconfuse.uncertainty.subgroup_contrasts import critical_value, welch

CASES = json.loads((Path(__file__).parent / "contrasts.json").read_text(encoding="utf-8"))["cases"]


def of(group):
    chosen = [case for case in CASES if case["group"] == group and not case["id"].startswith("maxT")]
    return pytest.mark.parametrize("case", chosen, ids=[case["id"] for case in chosen])


@of("simultaneous")
def test_critical_values_are_those_of_mvtnorm(case):
    made = {"np": np}
    exec(case["make"], made)
    scores = {f"m{k}": each for k, each in enumerate(made["S"])}
    sample, metric = InMemorySample(truth=made["y"], scores=scores), uc.METRICS["auroc"]
    pairs = [(f"m{j}", f"m{i}") for j in range(len(scores)) for i in range(j)]
    expect, paired = case["expect"], PairedContrasts([metric], sample, pairs, Settings(), "max-t")
    drafts = [paired.draft(metric, pair) for pair in pairs]
    assert [each.value for each in drafts] == pytest.approx(expect["difference"], abs=1e-9)
    own = single_error(0.05, np.arange(len(pairs)), paired.joint(metric, drafts))
    critical = stats.norm.isf(own / 2)
    assert critical == pytest.approx(expect["critical"], abs=0.01)
    error = np.array([each.standard_error for each in drafts])
    assert np.array(expect["difference"]) - critical * error == pytest.approx(expect["low"], abs=0.002)
    first = [pair for pair in pairs if pair[1] == "m0"]
    family = PairedContrasts([metric], sample, first, Settings(), "max-t")
    drafts = [family.draft(metric, pair) for pair in first]
    own = single_error(0.05, np.arange(len(first)), family.joint(metric, drafts, sides=1))
    assert stats.norm.isf(own) == pytest.approx(expect["one_sided_critical"], abs=0.01)


@of("swap permutation")
def test_predictions_are_exchanged_case_by_case(case):
    data = case["data"]
    metrics = ["precision_macro", "f1_macro", "balanced_accuracy"]
    found = uc.compare(data["y"], predicted={"a": data["a"], "b": data["b"]}, metrics=metrics)
    for name in metrics:
        each = found[name, "a", "b"]
        assert each.value == pytest.approx(case["expect"][name], abs=1e-9)
        assert each.p_value == pytest.approx(case["expect"][f"p_{name}"], abs=1e-9) and "exchange" in each.test


@of("gate")
def test_worse_is_holm_over_all_checks(case):
    @dataclass
    class Condition:
        z: float

        def fails(self, error):
            return stats.norm.cdf(self.z) <= error

    data, expect = case["data"], case["expect"]
    assert holm(stats.norm.cdf(data["z"])) == pytest.approx(expect["holm"], abs=1e-9)
    assert bool(_surely_failed([Condition(each) for each in data["z"]], 0.025)) == bool(expect["worse"])


@of("subgroups in comparisons")
def test_subgroups_are_those_of_r(case):
    """Two models that are right or wrong so that their difference in each case is the one given."""
    expect, given = case["expect"], case["data"]["d"]
    gap = np.concatenate(given)
    by = np.repeat([f"s{k}" for k in range(len(given))], [len(each) for each in given])
    y = np.arange(len(gap)) % 2
    right = {"b": gap >= 0, "a": gap <= 0}
    predicted = {name: np.where(each, y, 1 - y) for name, each in right.items()}
    found = uc.compare(y, predicted=predicted, by=by, metrics=["accuracy"]).subgroups["accuracy", "b", "a"]
    for name, expected in (("value", "diff"), ("standard_error", "se"), ("low", "lo"), ("high", "hi")):
        assert [getattr(each, name) for each in found.values()] == pytest.approx(expect[expected], abs=1e-6), name
    assert found.interaction_p == pytest.approx(expect["welch_p"], abs=1e-6)
    freedoms = [len(each) - 1 for each in given]
    assert critical_value(freedoms, 0.05) == pytest.approx(expect["crit_two_sided"], abs=1e-6)
    assert critical_value(freedoms, 0.05, sides=1) == pytest.approx(expect["crit_one_sided"], abs=1e-6)


def test_welch_needs_two_subgroups():
    assert all(np.isnan(each) for each in welch([]))
