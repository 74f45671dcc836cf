"""`unconfuse evaluate --by`: every form, the width of a terminal, and names from files as text."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

import unconfuse as uc

FRAME = pd.DataFrame(
    {
        "y": np.random.default_rng(2).random(600) < 0.4,
        "sex": np.random.default_rng(3).choice(["F", "M"], 600),
        "band": np.random.default_rng(4).choice(["5-9", "10-14", None], 600, p=[0.6, 0.38, 0.02]),
    }
).assign(p=lambda d: np.round(np.clip(0.3 + 0.3 * d.y + np.random.default_rng(5).normal(0, 0.2, 600), 0, 1), 2))


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("subgroups") / "data.csv"
    FRAME.to_csv(path, index=False)
    return path


def test_table(run, file):
    done = run("evaluate", file, "--label", "y", "--score", "p", "--by", "sex", "--by", "band")
    assert done.exit_code == 0, done.output
    assert max(map(len, done.output.splitlines())) <= 100
    for words in (
        "sex and band",
        "F, 5-9",
        "M, 10-14",
        "F, (missing)",
        "(everyone)",
        "have wide intervals: F, (missing) (1 positive, 4",
        "Differences from",
        "adjusted p",
        "sensitivity",
        "AUROC",
        "queue rate",
    ):
        assert words in done.output, words
    assert done.output.index("F, 5-9") < done.output.index("F, 10-14")


def test_reference_and_metrics(run, file):
    done = run(
        "evaluate",
        file,
        "--label",
        "y",
        "--score",
        "p",
        "--by",
        "sex",
        "--metric",
        "npv",
        "--metric",
        "f1",
        "--reference",
        "rest",
    )
    assert done.exit_code == 0
    assert "F - rest" in done.output
    assert "negative predictive value" in done.output
    assert "sensitivity" not in done.output


def test_json_is_the_result(run, file):
    done = run("evaluate", file, "--label", "y", "--score", "p", "--by", "sex", "--json", "--resamples", 100)
    found = json.loads(done.output)
    result = uc.evaluate(FRAME, label="y", score="p", by="sex", n_resamples=100).subgroups
    assert found["reference"] == result.reference
    assert found["subgroups"]["F"]["metrics"]["auroc"]["low"] == result["F"]["auroc"].low
    assert set(found["overall"]["metrics"]) == set(uc.METRICS)
    assert {each["metric"] for each in found["differences"]} == set(uc.METRICS)


def test_csv_and_markdown(run, file):
    done = run("evaluate", file, "--label", "y", "--score", "p", "--by", "sex", "--format", "csv", "--metric", "npv")
    rows = list(csv.DictReader(io.StringIO(done.output)))
    assert [row["subgroup"] for row in rows] == ["(everyone)", "F", "M"]
    assert sum(row["difference"] != "" for row in rows) == 1
    done = run("evaluate", file, "--label", "y", "--score", "p", "--by", "sex", "--format", "markdown")
    assert "| Subgroup | Cases | Positives |" in done.output


def test_picture(run, file, tmp_path):
    done = run("evaluate", file, "--label", "y", "--score", "p", "--by", "sex", "--plot", tmp_path / "forest.svg")
    assert done.exit_code == 0
    assert "everyone" in (tmp_path / "forest.svg").read_text() or (tmp_path / "forest.svg").stat().st_size > 5000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--by", "gender"], "no column 'gender'"),
        (["--reference", "F"], "--by COLUMN"),
        (["--by", "sex", "--prevalence", "2%"], "--prevalence does not go with --by"),
        (["--by", "sex", "--explain", "auprc"], "--definitions does not go with --by"),
        (["--by", "sex", "--reference", "X"], "no subgroup 'X'"),
    ],
)
def test_refusals(run, file, options, words):
    done = run("evaluate", file, "--label", "y", "--score", "p", *options)
    assert done.exit_code == 2
    assert words in done.output
    assert "Traceback" not in done.output


def test_ids_are_no_subgroups(run, tmp_path):
    FRAME.assign(id=np.arange(600)).to_csv(tmp_path / "ids.csv", index=False)
    done = run("evaluate", tmp_path / "ids.csv", "--label", "y", "--score", "p", "--by", "id")
    assert done.exit_code == 2
    assert "600 subgroups" in done.output
    assert "not of ids" in done.output


def test_names_cannot_command_the_terminal(run, tmp_path):
    names = np.where(FRAME.sex == "F", "\x1b[31mred[bold]", "long " * 40)
    FRAME.assign(sex=names).to_csv(tmp_path / "odd.csv", index=False)
    done = run("evaluate", tmp_path / "odd.csv", "--label", "y", "--score", "p", "--by", "sex")
    assert done.exit_code == 0
    assert "\x1b" not in done.output
    assert max(map(len, done.output.splitlines())) <= 100
