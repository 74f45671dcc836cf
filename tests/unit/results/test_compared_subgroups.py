"""Two models in every subgroup, in comparisons and in the gate."""

import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import unconfuse as uc
from unconfuse._errors import ArgumentError
from unconfuse._formatting import plain_json
from unconfuse.cli import cli
from unconfuse.results import Contrast

N = 1200


def cases(seed=0, n=N):
    """Two models of which the first is much worse for the old, and as good as the second for others."""
    rng = np.random.default_rng(seed)
    y, age = rng.random(n) < 0.4, rng.choice(["young", "middle", "old"], n)
    first = y * np.where(age == "old", 0.2, 2.0) + rng.normal(size=n)
    second = 2.0 * y + rng.normal(size=n)
    return y, {"a": first, "b": second}, age


def test_each_subgroup_is_the_comparison_of_its_rows():
    y, s, age = cases()
    found = uc.compare(y, s, by=age, threshold=1.0, metrics=["auroc", "accuracy", "f1"])
    for name in ("young", "middle", "old"):
        rows = age == name
        alone = uc.compare(
            y[rows], {k: v[rows] for k, v in s.items()}, threshold=1.0, metrics=["auroc", "accuracy", "f1"]
        )
        for metric in found.metrics:
            one, other = found.subgroups[metric, "a", "b"][name], alone[metric, "a", "b"]
            assert isinstance(one, Contrast) and isinstance(one.difference, uc.Estimate)
            assert one.difference.value == pytest.approx(other.difference.value, abs=1e-12)
            assert one.first_value == pytest.approx(other.first_value, abs=1e-12)
            if metric == "auroc":
                assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9)
    whole = uc.compare(y, s, threshold=1.0, metrics=["auroc", "accuracy", "f1"])
    assert [each.difference for each in whole.values()] == [each.difference for each in found.values()]


def test_sentences_say_what_the_adjusted_intervals_say():
    y, s, age = cases()
    found = uc.compare(y, s, by=age, metrics=["auroc"]).subgroups["auroc", "a", "b"]
    assert found["old"].verdict == "worse" and found.interaction_p < 0.001
    assert (
        "worse for old (-0." in found.sentence and "varies between subgroups (Welch's F, p < 0.001)" in found.sentence
    )
    turned = uc.compare(y, s, by=age, metrics=["auroc"]).subgroups["auroc", "b", "a"]
    assert turned["old"].difference.low == -found["old"].difference.high and turned["old"].verdict == "better"
    assert turned.interaction_p == found.interaction_p and "better for old" in turned.sentence
    same = uc.compare(y, {"a": s["b"], "b": s["b"] + 0.3 * np.random.default_rng(3).normal(size=N)}, by=age)
    assert "better for" not in same.subgroups["auroc", "a", "b"].sentence


def test_intervals_widen_with_subgroups_and_with_pairs():
    y, s, age = cases()
    half = np.where(age == "old", "old", "rest")
    three, two = (uc.compare(y, s, by=by, metrics=["auroc"]).subgroups["auroc", "a", "b"]["old"] for by in (age, half))
    more = uc.compare(y, s | {"c": s["b"] + 1e-3 * s["a"]}, by=age, metrics=["auroc"]).subgroups["auroc", "a", "b"][
        "old"
    ]
    assert two.high - two.low < three.high - three.low < more.high - more.low
    assert "3 subgroups and 3 pairs" in more.method and more.unadjusted_p_value == three.unadjusted_p_value


def test_rows_come_in_any_order_and_results_can_be_kept():
    y, s, age = cases()
    order = np.random.default_rng(8).permutation(N)
    one = uc.compare(y, s, by=age, threshold=1.0)
    other = uc.compare(y[order], {k: v[order] for k, v in s.items()}, by=age[order], threshold=1.0)
    assert plain_json(one.subgroups.as_dict()) == plain_json(other.subgroups.as_dict())
    again = pickle.loads(pickle.dumps(one))
    assert plain_json(again.as_dict()) == plain_json(one.as_dict()) and "subgroups" in again.as_dict()
    assert len(one.subgroups.to_frame()) == 3 * len(one.metrics)
    assert one.findings[-1] == one.subgroups["auroc", "a", "b"].sentence and one.findings[-1] in str(one)


@pytest.mark.parametrize("kind", ["weights", "sampling_weights", "groups", "ties", "classes", "own metric"])
def test_kinds_of_cases(kind):
    y, s, age = cases(n=600)
    rng, words = np.random.default_rng(1), {}
    metrics = ["auroc", "accuracy", "precision", "f1"]
    if kind == "weights":
        words = {"weights": rng.integers(1, 4, 600)}
    elif kind == "sampling_weights":
        words = {"sampling_weights": rng.random(600) + 0.5}
    elif kind == "groups":
        words = {"groups": rng.integers(0, 60, 600)}
    elif kind == "ties":
        s = {name: np.round(each) for name, each in s.items()}
    elif kind == "classes":
        y = rng.integers(0, 3, 600)
        s = {name: (np.eye(3)[y] + k * rng.dirichlet([1, 1, 1], 600)) / (1 + k) for k, name in ((1, "a"), (3, "b"))}
        metrics = ["accuracy", "f1_macro", "log_loss"]
    else:
        metrics = [uc.Metric("mine", lambda table: (table.positives * table.score).mean(axis=-1), of="ranks")]
    cut = {} if kind == "classes" else {"threshold": 1.0}
    found = uc.compare(y, s, by=age, metrics=metrics, n_resamples=200, **cut, **words)
    for each in found.subgroups.values():
        for one in each.values():
            assert one.low < one.value < one.high and 0 < one.unadjusted_p_value <= one.p_value <= 1
        assert math.isnan(each.interaction_p) == (kind == "groups")
    if kind == "weights":
        times = np.repeat(np.arange(600), words["weights"])
        rows = uc.compare(
            y[times], {k: v[times] for k, v in s.items()}, by=age[times], metrics=metrics, n_resamples=200, **cut
        )
        for key in (("auroc", "a", "b"), ("accuracy", "a", "b")):
            pairs = zip(found.subgroups[key].values(), rows.subgroups[key].values(), strict=True)
            assert all(one.low == pytest.approx(other.low, rel=1e-9) for one, other in pairs)


def test_clusters_within_subgroups_are_independent():
    y, s, age = cases(n=600)
    code = np.unique(age, return_inverse=True)[1]
    groups = code * 100 + np.random.default_rng(1).integers(0, 30, 600)
    found = uc.compare(y, s, by=age, groups=groups, metrics=["auroc"]).subgroups["auroc", "a", "b"]
    assert found.interaction_p < 0.01 and "Bonferroni" not in found["old"].method


def test_tiny_and_odd_subgroups_are_listed_not_dropped():
    y, s, age = cases()
    age = age.astype(object)
    age[:3], age[3:8], y[3:8] = "tiny", "positives only", True
    age[8:10] = None
    found = uc.compare(y, s, by=age, threshold=1.0, metrics=["auroc", "accuracy"])
    area = found.subgroups["auroc", "a", "b"]
    assert set(area) == {"young", "middle", "old", "tiny", "positives only", "(missing)"}
    assert area["positives only"].verdict == "undefined" and "positives only" in area.sentence
    right = found.subgroups["accuracy", "a", "b"]["tiny"]
    assert right.low >= -1 and right.high <= 1 and right.verdict == "cannot tell"
    one = uc.compare(y, s, by=np.repeat("all", N), metrics=["auroc"]).subgroups["auroc", "a", "b"]
    assert len(one) == 1 and math.isnan(one.interaction_p) and "fewer than two" in one.sentence
    perfect = uc.compare(y, {"a": y * 1.0, "b": 1.0 - y}, by=age, metrics=["auroc"]).subgroups["auroc", "a", "b"]
    assert perfect["young"].value == 1.0 and perfect["young"].low < 1.0 and perfect["young"].verdict == "better"


def test_what_makes_no_sense_is_refused():
    y, s, age = cases(n=300)
    with pytest.raises(ArgumentError, match="`by` cannot be combined with folds"):
        uc.compare(y, s, by=age, folds=np.arange(300) % 5)
    with pytest.raises(ArgumentError, match="cases of their own"):
        uc.compare({"a": (y, s["a"]), "b": (y, s["b"])}, by=age)
    with pytest.raises(ArgumentError, match="there are no subgroups here"):
        _ = uc.compare(y, s, metrics=["auroc"]).subgroups
    found = uc.compare(y, s, by=age, metrics=["auroc"]).subgroups
    with pytest.raises(KeyError, match="no subgroup 'ol'"):
        _ = found["auroc", "a", "b"]["ol"]
    with pytest.raises(KeyError):
        _ = found["auroc", "a", "c"]
    with pytest.raises(ArgumentError, match="ask for"):
        _ = found["auroc"]
    with pytest.raises(ArgumentError, match="two models in each subgroup"):
        uc.gate(y, 1 / (1 + np.exp(-s["a"])), by=age, require="auroc>=.5")


# The gate ------------------------------------------------------------------------------------------------------------


def test_a_gate_fails_a_subgroup_that_is_surely_worse_and_lists_what_it_cannot_tell():
    y, s, age = cases()
    age = age.astype(object)
    age[:6] = "tiny"
    found = uc.gate(y, s["a"], s["b"], margin=0.05, by=age)
    said = {each.subgroup: each.verdict for each in found.checks}
    assert found.verdict == "worse" and said["old"] == "worse" and said["tiny"] == "cannot tell"
    assert "tiny" in found.cannot_tell_subgroups and found.sentence.endswith("Inconclusive for the subgroup tiny.")
    close = s["b"] + 0.02 * np.random.default_rng(1).normal(size=N)
    passed = uc.gate(y, close, s["b"], margin=0.05, by=age)
    assert passed.verdict == "pass" and passed.passed
    assert (
        "<skipped" in found.to_junit() and f'failures="{sum(v == "worse" for v in said.values())}"' in found.to_junit()
    )
    assert [row["subgroup"] for row in found.rows()].count("old") == 1


def test_more_checks_never_make_worse_easier():
    """The verdict's error is shared: a difference that fails alone at 2.5% need not fail among six."""
    rng = np.random.default_rng(4)
    y = rng.random(400) < 0.4
    old = 1 / (1 + np.exp(-(2 * y - 1 + rng.normal(size=400))))
    names = ["auroc", "brier", "accuracy", "sensitivity", "specificity", "average_precision"]
    changed = 0
    for seed in range(12):
        noise = np.random.default_rng(seed).normal(size=400)
        new = 1 / (1 + np.exp(-(1.55 * y - 0.8 + noise)))
        alone, together = uc.gate(y, new, old, metrics=names[:1]), uc.gate(y, new, old, metrics=names)
        first = next(each for each in together.checks if each.name == "auroc")
        assert not (first.verdict == "worse" and alone.verdict != "worse")
        changed += alone.verdict == "worse" and first.verdict != "worse"
    assert changed >= 1


# The command line ----------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    y, s, age = cases()
    frame = pd.DataFrame(
        {"id": range(N), "y": y.astype(int), **s, "age": age, "sex": np.where(np.arange(N) % 3, "F", "")}
    )
    frame.to_csv(tmp_path / "cases.csv", index=False)
    return tmp_path / "cases.csv"


def run(*arguments):
    return CliRunner().invoke(cli, [str(each) for each in arguments])


def test_compare_by_on_the_command_line(file):
    both = ["compare", file, "--label", "y", "--score", "a", "--score", "b", "--metric", "auroc"]
    shown = run(*both, "--by", "age")
    assert shown.exit_code == 0 and "worse for old" in " ".join(shown.output.split()), shown.output
    said = json.loads(run(*both, "--by", "age", "--json").stdout)["subgroups"]["contrasts"][0]
    y, s, age = cases()
    ours = uc.compare(y, s, by=age, metrics=["auroc"]).subgroups["auroc", "a", "b"]
    low = {row["subgroup"]: row["low"] for row in said["subgroups"]}
    assert low["old"] == pytest.approx(ours["old"].low) and said["interaction_p"] == pytest.approx(ours.interaction_p)
    assert "| old |" in run(*both, "--by", "age", "--format", "markdown").output
    assert run(*both, "--by", "age", "--decision-curve").exit_code == 2
    assert "agee" in run(*both, "--by", "agee").output


def test_gate_by_on_the_command_line(file):
    both = ["gate", file, "--label", "y", "--score", "a", "--baseline-score", "b", "--margin", ".05", "--id", "id"]
    shown = run(*both, "--by", "age", "--by", "sex", "--json")
    assert shown.exit_code == 3, shown.output
    said = {each.get("subgroup", ""): each["verdict"] for each in json.loads(shown.stdout)["checks"]}
    assert said["old, F"] == "worse" and "old, (missing)" in said
    wrong = run(*both, "--by", "agee")
    assert wrong.exit_code == 2 and "no column 'agee'" in wrong.output


@pytest.mark.parametrize("design", ["case-control", "cohort"])
def test_a_subgroup_that_lacks_a_class_is_compared_by_what_it_has(design):
    y, sex = np.array([1, 0, 1, 1, 0, 1, 1, 0]), np.array(list("FFMMFMMF"))
    scores = {"a": np.linspace(0.1, 0.9, 8), "b": np.linspace(0.9, 0.1, 8)}
    found = uc.compare(y, scores, threshold=0.5, by={"sex": sex}, metrics=["f1", "mcc", "sensitivity"], design=design)
    assert set(found.by_subgroup.names) == {"F", "M"} and not np.isnan(found["f1", "a", "b"].low)
