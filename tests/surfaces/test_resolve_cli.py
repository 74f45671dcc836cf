"""The commands resolve, plan and tournament."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from unconfuse.cli import cli


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    random = np.random.default_rng(1)
    y = random.random(600) < 0.3
    p = 1 / (1 + np.exp(-random.normal(size=600) - y))
    path = tmp_path_factory.mktemp("scores") / "scores.csv"
    path.write_text("y,p\n" + "".join(f"{int(label)},{score}\n" for label, score in zip(y, p, strict=True)))
    return str(path)


def run(*arguments):
    return CliRunner().invoke(cli, [str(each) for each in arguments])


def test_resolve_in_words_and_as_json(scores):
    words = run("resolve", scores, "--label", "y", "--score", "p", "--n-samples", 300, "--difference", 0.75, 0.8)
    assert words.exit_code == 0 and "whether another metric is better than the AUROC" in words.output.replace("\n", " ")
    assert "precision_at_indist" in words.output and "0.8000 lie 0.0500 apart" in words.output.replace("\n", " ")
    plain = run("resolve", scores, "--label", "y", "--score", "p", "--quick", "--json")
    found = json.loads(plain.output)
    assert found["n"] == 600 and found["method"] == "asymptotic" and len(found["resolutions"]) == 6
    assert [each["improvement"] for each in found["recommendation"]["kinds"]] == ["shift", "scale", "top", "tilt"]


def test_kinds_of_improvement_are_shown_unless_one_is_named(scores):
    asked = ["resolve", scores, "--label", "y", "--score", "p", "--quick", "--metric", "auroc", "--metric", "ap"]
    shown = run(*asked)
    lines = shown.output.splitlines()
    heads = next(line.split() for line in lines if line.startswith("metric") and "shift" in line)
    assert heads == ["metric", "shift", "scale", "top", "tilt"]
    found = json.loads(run(*asked, "--json").output)["recommendation"]["kinds"]
    cells = [f"{1 / each['efficiencies']['average_precision']:.2f}" for each in found]
    assert ["average_precision", *cells] in [line.split() for line in lines]
    named = run(*asked, "--improvement", "top")
    assert named.exit_code == 0 and "by kind of improvement" not in named.output
    assert "makes the highest tenth of the negatives rarer" in named.output.replace("\n", " ")
    assert "| metric | shift |" in " ".join(run(*asked, "--format", "markdown").output.split())


@pytest.mark.parametrize("form", ["csv", "markdown"])
def test_resolve_in_other_forms(scores, form):
    shown = run("resolve", scores, "--label", "y", "--score", "p", "--quick", "--metric", "auroc", "--format", form)
    assert shown.exit_code == 0 and "auroc" in shown.output


def test_plan(scores):
    words = run("plan", "--difference", 0.01, "--prevalence", "10%")
    assert words.exit_code == 0 and "98,6" in words.output
    assert "with a power of about 79%" in " ".join(words.output.split())
    found = json.loads(
        run(
            "plan", "--difference", 0.1, "--data", scores, "--label", "y", "--score", "p", "--n-samples", 500, "--json"
        ).output
    )
    assert found["n"] > 50 and found["kappa"] <= 0.1


def test_tournament(tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    y = X[:, 0] + random.normal(size=300) > 1
    file = tmp_path / "rows.csv"
    file.write_text("a,b,y\n" + "".join(f"{row[0]},{row[1]},{int(label)}\n" for row, label in zip(X, y, strict=True)))
    options = [
        "tournament",
        file,
        "--label",
        "y",
        "--estimator",
        "sklearn.linear_model:LogisticRegression",
        "--space",
        '{"C": [0.01, 1.0]}',
        "--trials",
        2,
        "--candidates",
        2,
        "--checkpoint",
        tmp_path / "trials",
    ]
    shown = run(*options)
    assert shown.exit_code == 0 and "expected by chance: 1.0" in " ".join(shown.output.split())
    found = json.loads(run(*options, "--json").output)
    assert found["n_trials"] == 2 and found["duels"][0]["chance_agreements"] == 1.0


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "--difference", "2", "--prevalence", ".1"],
        ["plan", "--difference", ".1", "--metric", "accuracy"],
        ["plan", "--difference", ".1", "--label", "y"],
        ["plan", "--difference", ".1", "--data", "missing.csv", "--sd-ratio", "2"],
        ["resolve", "missing.csv"],
        ["tournament", "missing.csv", "--label", "y"],
    ],
)
def test_wrong_use_exits_with_2(arguments):
    refused = run(*arguments)
    assert refused.exit_code == 2 and "Traceback" not in refused.output
