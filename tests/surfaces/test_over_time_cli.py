"""Repeated looks and forecasts on the command line."""

import json

import numpy as np
import pandas as pd
import pytest

from unconfuse.demo import patients_path

WORDS = ("--label", "outcome", "--positive", "yes")


@pytest.fixture(scope="module")
def ward(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ward")
    rows = pd.read_csv(patients_path()).query("site == 'hospital'")
    rows[:700].to_csv(folder / "old.csv", index=False)
    rows[700:].to_csv(folder / "new.csv", index=False)
    rows[700:].drop(columns="outcome").to_csv(folder / "scores.csv", index=False)
    rows.to_csv(folder / "all.csv", index=False)
    return folder


def test_evaluate_and_compare_at_every_look(run, ward):
    found = run("evaluate", ward / "old.csv", *WORDS, "--score", "risk", "--looks", "any", "--json")
    assert found.exit_code == 0
    told = json.loads(found.output)["metrics"]
    assert "at every look" in told["auroc"]["method"]
    both = run(
        "compare",
        ward / "old.csv",
        *WORDS,
        "--score",
        "risk",
        "--score",
        "lab",
        "--looks",
        "5",
        "--metric",
        "auroc",
        "--json",
    )
    assert both.exit_code == 0
    assert "each of 5 looks" in both.output
    bad = run("evaluate", ward / "old.csv", *WORDS, "--score", "risk", "--looks", "often")
    assert bad.exit_code == 2
    assert "--looks must be 'any'" in bad.stderr


def test_gate_remembers_its_looks(run, ward, tmp_path):
    gate = ("--score", "risk", "--baseline-score", "lab", "--state", tmp_path / "gate.json")
    first = run("gate", ward / "old.csv", *WORDS, *gate, "--margin", ".02", "--json")
    second = run("gate", ward / "all.csv", *WORDS, *gate, "--margin", ".02", "--json")
    assert (json.loads(first.output)["look"], json.loads(second.output)["look"]) == (1, 2)
    assert first.exit_code in (0, 4)
    other = run("gate", ward / "all.csv", *WORDS, *gate, "--margin", ".05")
    assert other.exit_code == 2
    assert "another" in other.stderr
    shown = run("gate", ward / "all.csv", *WORDS, *gate, "--margin", ".02")
    assert "Look 2." in shown.output


def test_forecast(run, ward):
    words = (
        ward / "old.csv",
        ward / "scores.csv",
        *WORDS,
        "--score",
        "risk",
        "--threshold",
        ".15",
        "--resamples",
        "200",
    )
    found = run("forecast", *words, "--require", "precision>=.4", "--label-next", "5")
    assert found.exit_code == 0
    assert "Rows to label next" in found.output
    told = json.loads(run("forecast", *words, "--require", "precision>=.4", "--label-next", "5", "--json").output)
    shown = " ".join(found.output.split())
    assert " ".join(told["sentence"].split()) in shown
    assert len(told["label_next"]) == 5
    assert told["requirements"][0]["odds_factor"] > 1
    assert np.isfinite(told["label_shift"]["precision"]["low"])
    assert "| Precision" in run("forecast", *words, "--format", "markdown").output


def test_forecast_is_checked_once_labels_came(run, ward, tmp_path):
    words = (*WORDS, "--score", "risk", "--threshold", ".15", "--resamples", "200", "--check")
    found = run("forecast", ward / "old.csv", ward / "new.csv", *words, "--json", "--plot", tmp_path / "f.png")
    assert found.exit_code == 0
    assert json.loads(found.stdout)["held"] == {"same_risk": [9, 9], "label_shift": [9, 9]}
    assert (tmp_path / "f.png").stat().st_size > 1000
    assert "held" in run("forecast", ward / "old.csv", ward / "new.csv", *words).output
    idle = run("forecast", ward / "old.csv", ward / "new.csv", *words, "--label-next", "5")
    assert idle.exit_code == 2
    assert "--label-next is for cases without labels" in idle.stderr
    none = run("forecast", ward / "old.csv", ward / "scores.csv", *words)
    assert none.exit_code == 2
    assert "no column 'outcome'" in none.stderr
