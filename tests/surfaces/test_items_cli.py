"""`unconfuse items`: models on the same items, from files and logs."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from unconfuse.cli import cli


@pytest.fixture
def answers(tmp_path):
    rng = np.random.default_rng(0)
    hard = rng.normal(size=80)
    lines = ["q,m,run,ok,llm"]
    for i in range(80):
        for model, skill in (("Ash", 2.0), ("Elm", 1.8), ("Fir", 0.0)):
            for r in range(3):
                ok = int(rng.random() < 1 / (1 + np.exp(-skill - hard[i])))
                lines.append(f"q{i},{model},{r},{ok},{ok}")
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def run(*words):
    return CliRunner().invoke(cli, ["items", *map(str, words)])


def test_the_table_says_for_whom_the_numbers_are(answers):
    said = run(answers, "--run", "run", "--pass-at", 2, "--width", "5%")
    assert said.exit_code == 0, said.output
    for words in (
        "on new items like these 80",
        "cannot tell it from Elm",
        "Inconclusive differences: Ash, Elm; Fir.",
        "pass@2",
    ):
        assert words in " ".join(said.output.split())
    assert "For a 95% interval of width 0.050" in said.output


def test_json_csv_and_markdown(answers):
    told = json.loads(run(answers, "--run", "run", "--json", "--pass-at", 3, "--width", ".05").stdout)
    assert [each["model"] for each in told["models"]] == ["Ash", "Elm", "Fir"]
    assert told["pass"][0]["k"] == 3 and told["plan"]["items_needed"] > 80
    assert run(answers, "--run", "run", "--format", "csv").stdout.startswith("model,accuracy,low,high")
    assert "| Ash |" in run(answers, "--run", "run", "--format", "markdown").stdout


def test_a_picture_is_drawn(answers, tmp_path):
    assert run(answers, "--run", "run", "--plot", tmp_path / "tiers.svg").exit_code == 0
    assert (tmp_path / "tiers.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name the column of runs, --run name"),
        (["--run", "run", "--pass-at", "4"], "requires at least 4 runs of every item; some have 3"),
        (["--run", "run", "--width", "2"], "--width must lie between 0 and 1; got 2"),
        (["--run", "run", "--item-cost", "2"], "--item-cost requires --width"),
        (["--run", "run", "--width", ".1", "--item-cost", "-1"], "--item-cost must be at least 0"),
        (["--run", "nope"], "no column 'nope'"),
        (["--run", "run", "--level", "2"], "--confidence-level"),
    ],
)
def test_refusals_in_options(answers, words, said):
    told = run(answers, *words)
    assert told.exit_code == 2 and said in told.output, told.output
