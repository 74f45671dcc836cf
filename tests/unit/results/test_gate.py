"""May a new model take the place of the old one?"""

import json
import math
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import unconfuse as uc
from unconfuse._errors import ArgumentError
from unconfuse._formatting import plain_json
from unconfuse._phrases import times
from unconfuse.cli import cli
from unconfuse.testing import assert_not_worse

RNG = np.random.default_rng(5)
N = 800
Y = (RNG.random(N) < 0.3).astype(int)
OLD = 1 / (1 + np.exp(-(2 * Y - 1 + RNG.normal(size=N))))
SAME = np.clip(OLD + 0.01 * RNG.normal(size=N), 0, 1)
BAD = RNG.random(N)


def run(*arguments):
    return CliRunner().invoke(cli, [str(each) for each in arguments])


@pytest.fixture
def files(tmp_path):
    frame = pd.DataFrame({"id": [f"c{k}" for k in range(N)], "y": Y})
    for name, scores in (("old", OLD), ("same", SAME), ("bad", BAD)):
        frame.assign(p=scores).sample(frac=1, random_state=len(name)).to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


@pytest.mark.parametrize(
    ("new", "margin", "verdict", "code"),
    [("same", 0.02, "pass", 0), ("bad", 0.02, "worse", 3), ("same", 1e-4, "cannot tell", 4)],
)
def test_three_answers_as_exit_codes(files, new, margin, verdict, code):
    both = [files / f"{new}.csv", "--baseline", files / "old.csv", "--label", "y", "--score", "p", "--id", "id"]
    result = run("gate", *both, "--metric", "auroc", "--margin", margin, "--json")
    assert result.exit_code == code, result.output
    said = json.loads(result.stdout)
    assert said["verdict"] == verdict
    ours = uc.gate(Y, {"same": SAME, "bad": BAD}[new], OLD, margin=margin)
    assert ours.verdict == verdict and said["checks"][0]["estimate"]["low"] == pytest.approx(
        ours.checks[0].estimate.low
    )


def test_metrics_of_which_less_is_better_are_turned():
    found = uc.gate(Y, BAD, OLD, metrics=["brier", "log_loss"], margin=0.01)
    assert found.verdict == "worse" and all(each.estimate.value < 0 for each in found.checks)
    assert uc.gate(Y, OLD, BAD, metrics=["brier"]).verdict == "pass"


def test_requirements_have_three_answers_too():
    at = float(np.mean(OLD[Y == 1] >= 0.5))
    verdicts = [uc.gate(Y, OLD, require=f"sensitivity>={bound}").verdict for bound in (at - 0.2, at + 0.15, at)]
    assert verdicts == ["pass", "worse", "cannot tell"]
    assert uc.gate(Y, OLD, require=["fpr<=.9", "auroc>=.5"]).passed
    assert uc.gate(Y, OLD, require=["fpr<=.001"]).verdict == "worse"


def test_one_bad_check_decides():
    found = uc.gate(Y, SAME, OLD, margin=0.05, require=["sensitivity>=.999"])
    assert found.verdict == "worse" and [each.verdict for each in found.checks] == ["worse", "pass"]
    assert "pass" not in found.sentence.lower().split(":")[0]


def test_cannot_tell_says_what_would():
    (check,) = uc.gate(Y, SAME, OLD, margin=1e-4).checks
    assert 0 < check.power < 0.5 and check.cases_needed > N
    assert f"about {times(check.cases_needed)} cases" in check.sentence


def test_error_rates_at_the_border():
    """Of 400 releases few pass that are worse by the margin, and few are called worse that are as good."""
    worse = passed = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        y = np.repeat([1, 0], [60, 140])
        base, noise = y + rng.normal(size=200), rng.normal(size=(2, 200))
        worse += uc.gate(y, base + 0.5 * noise[0], base + 0.5 * noise[1], margin=0.03).verdict == "worse"
        same = uc.gate(y, 0.8 * y + rng.normal(size=200), y + rng.normal(size=200), margin=0.0455)
        passed += same.verdict == "pass"  # AUROC of the first is Phi(.8/sqrt 2) = .7142, of the second .7602
    assert worse <= 0.05 * 400 + 3.1 * math.sqrt(400 * 0.05 * 0.95)
    assert passed <= 0.05 * 400 + 3.1 * math.sqrt(400 * 0.05 * 0.95)


def test_forms(tmp_path, files):
    found = uc.gate(Y, BAD, OLD, margin=0.02, require=["npv>=.5"])
    root = ET.fromstring(found.to_junit())
    assert root.attrib["failures"] == "1" and len(root) == 2
    json.dumps(plain_json(found.as_dict()), allow_nan=False)
    assert found.to_frame().shape[0] == 2 and "<script>" not in found._repr_html_()
    both = [files / "bad.csv", "--baseline", files / "old.csv", "--label", "y", "--score", "p", "--id", "id"]
    result = run("gate", *both, "--junit", tmp_path / "junit.xml", "--format", "markdown")
    assert result.exit_code == 3 and "| check |" in result.stdout
    assert ET.parse(tmp_path / "junit.xml").getroot().tag == "testsuite"
    assert "WORSE" in run("gate", *both).stdout


def test_two_columns_of_one_file(tmp_path):
    path = tmp_path / "scores.csv"
    pd.DataFrame({"y": Y, "new": SAME, "old": OLD}).to_csv(path, index=False)
    result = run("gate", path, "--label", "y", "--score", "new", "--baseline-score", "old", "--margin", 0.02)
    assert result.exit_code == 0, result.output
    assert run("gate", path, "--label", "y", "--score", "new", "--require", "auroc>=.6").exit_code == 0


def test_files_that_do_not_fit(files, tmp_path):
    both = [files / "same.csv", "--baseline", files / "old.csv", "--label", "y", "--score", "p"]
    result = run("gate", *both)
    assert result.exit_code == 2 and "--id" in result.output
    other = pd.read_csv(files / "old.csv")
    other.assign(id=[f"x{k}" for k in range(N)]).to_csv(tmp_path / "apart.csv", index=False)
    result = run(
        "gate", files / "same.csv", "--baseline", tmp_path / "apart.csv", "--label", "y", "--score", "p", "--id", "id"
    )
    assert result.exit_code == 2 and "share no case" in result.output
    other.assign(y=1 - other["y"]).to_csv(tmp_path / "turned.csv", index=False)
    result = run(
        "gate", files / "same.csv", "--baseline", tmp_path / "turned.csv", "--label", "y", "--score", "p", "--id", "id"
    )
    assert result.exit_code == 2 and "disagree about the labels" in result.output
    other.head(500).to_csv(tmp_path / "part.csv", index=False)
    result = run(
        "gate",
        files / "same.csv",
        "--baseline",
        tmp_path / "part.csv",
        "--label",
        "y",
        "--score",
        "p",
        "--id",
        "id",
        "--margin",
        0.05,
    )
    assert result.exit_code == 0 and "300 rows are in only one of the files" in result.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"margin": -1}, "margin"),
        ({"error_rate": 0.6}, "error_rate"),
        ({"require": "nonsense"}, "cannot read"),
        ({"metrics": ["nonsense"]}, "nonsense"),
    ],
)
def test_what_makes_no_sense_is_refused(words, told):
    with pytest.raises(uc.UnconfuseError, match=told):
        uc.gate(Y, SAME, OLD, **words)
    with pytest.raises(ArgumentError, match="nothing to check"):
        uc.gate(Y, SAME)


def test_assertions_for_tests_of_models():
    assert assert_not_worse(Y, SAME, OLD, metric="auroc", margin=0.02).passed
    with pytest.raises(AssertionError, match="WORSE"):
        assert_not_worse(Y, BAD, OLD, margin=0.02)
    with pytest.raises(AssertionError, match="CANNOT TELL"):
        assert_not_worse(Y, SAME, OLD, margin=1e-4)
    assert assert_not_worse(Y, SAME, OLD, margin=1e-4, cannot_tell="pass").verdict == "cannot tell"


def test_the_fixture_is_the_assertion():
    from unconfuse import testing_plugin

    assert testing_plugin.model_gate.__wrapped__() is assert_not_worse


def test_requirements_say_what_would_tell():
    """The cases that a check asks for let a model pass about four times of five: tried with normal noise."""
    few = slice(0, 120)
    equal = uc.gate(Y[few], SAME[few], OLD[few], metrics=["auroc"], margin=1e-4).checks[0]
    assert equal.verdict == "cannot tell" and "equally good model" in equal.sentence and 0 < equal.power < 0.8
    better = uc.gate(Y[few], OLD[few], (OLD + 0.3 * RNG.random(N))[few], metrics=["auroc"]).checks[0]
    if better.verdict == "cannot tell" and better.estimate.value > 0:
        assert "better by" in better.sentence
    value = uc.evaluate(Y[few], OLD[few], metrics=["sensitivity"], threshold=0.5)["sensitivity"].value
    asked = uc.gate(Y[few], OLD[few], require=f"sensitivity>={value - 0.02:.4f}", threshold=0.5).checks[0]
    assert asked.verdict == "cannot tell" and asked.cases_needed > 120 and times(asked.cases_needed) in asked.sentence
    missed = uc.gate(Y[few], OLD[few], require=f"sensitivity>={value + 0.02:.4f}", threshold=0.5).checks[0]
    assert missed.verdict == "cannot tell" and math.isnan(missed.power) and math.isnan(missed.cases_needed)


def test_cases_needed_have_the_power_they_promise():
    check = uc.gate(Y, np.clip(OLD + 0.1 * RNG.normal(size=N), 0, 1), OLD, metrics=["auroc"], margin=0.01).checks[0]
    reach, error = 1.6448536, (check.estimate.high - check.estimate.low) / (2 * 1.6448536)
    error *= math.sqrt(N / check.cases_needed)
    draws = np.random.default_rng(0).normal(0, error, 100_000)
    assert np.mean(draws - reach * error > -0.01) == pytest.approx(0.8, abs=0.01)


def test_models_may_be_named_as_in_a_comparison():
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.3
    old = y + rng.normal(size=200)
    new = old + rng.normal(size=200) / 2
    how = {"metrics": ["auroc", "sensitivity"], "margin": 0.1}
    plain = uc.gate(y, new, old, threshold={"new": 0.4, "old": 0.6}, **how).sentence
    both = {"second": new, "first": old}
    assert uc.gate(y, both, "first", threshold={"second": 0.4, "first": 0.6}, **how).sentence == plain
    assert uc.gate(y, both, baseline="first", threshold={"new": 0.4, "old": 0.6}, **how).sentence == plain
    assert uc.gate(y, {"second": new}, {"first": old}, threshold={"new": 0.4, "first": 0.6}, **how).sentence == plain


@pytest.mark.parametrize("baseline", ["third", None])
def test_a_gate_of_several_models_asks_which_is_the_old_one(baseline):
    models = {"first": [0.1, 0.7, 0.4], "second": [0.2, 0.6, 0.1], "third": [0.3, 0.3, 0.2]}
    with pytest.raises(uc.UnconfuseError, match="one new model against one old one; got 'first', 'second'"):
        uc.gate([0, 1, 0], models, baseline, require="auroc>=.5")
