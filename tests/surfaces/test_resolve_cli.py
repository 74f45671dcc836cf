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
    words = run("resolve", scores, "--label", "y", "--score", "p", "--samples", 300, "--difference", 0.75, 0.8)
    assert words.exit_code == 0 and "whether another metric is better than the AUROC" in words.output.replace("\n", " ")
    assert "precision_at_indist" in words.output and "0.8000 lie 0.0500 apart" in words.output.replace("\n", " ")
    plain = run("resolve", scores, "--label", "y", "--score", "p", "--quick", "--json")
    found = json.loads(plain.output)
    assert found["n"] == 600 and found["method"] == "asymptotic" and len(found["resolutions"]) == 6


@pytest.mark.parametrize("form", ["csv", "markdown"])
def test_resolve_in_other_forms(scores, form):
    shown = run("resolve", scores, "--label", "y", "--score", "p", "--quick", "--metric", "auroc", "--format", form)
    assert shown.exit_code == 0 and "auroc" in shown.output


def test_plan(scores):
    words = run("plan", "--difference", 0.01, "--prevalence", "10%")
    assert words.exit_code == 0 and "98,6" in words.output
    found = json.loads(
        run(
            "plan", "--difference", 0.1, "--data", scores, "--label", "y", "--score", "p", "--samples", 500, "--json"
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
        "--store",
        tmp_path / "trials",
    ]
    shown = run(*options)
    assert shown.exit_code == 0 and "auroc" in shown.output
    assert json.loads(run(*options, "--json").output)["n_trials"] == 2


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
