"""`unconfuse reconstruct`: the same answers as in Python, from options or from a file of papers."""

import csv
import io
import json

import pytest
from click.testing import CliRunner

import unconfuse as uc
from unconfuse.cli import cli

PAPERS = """paper,n,positives,negatives,recall,recall_low,recall_high,specificity,LR+,auroc,auroc_low,auroc_high,note
Smith 2019,,41,79,92.7%,80.6%,97.5%,81.0%,,,,,percentages
Jones 2020,120,41,,0.94,,,0.81,NR,,,,
Lee 2021,,41,79,,,,,,0.85,0.77,0.93,
Roe,,208,31,0.678,,,1.0,inf,,,,
"""


def run(*words, code=0):
    result = CliRunner().invoke(cli, ["reconstruct", *map(str, words)])
    assert result.exit_code == code, result.output
    return result.output


def test_options_are_what_python_takes():
    given = ["--sensitivity", ".93", "--specificity", ".81", "--n", "120", "--accuracy", ".85"]
    told = json.loads(run(*given, "--json"))
    own = uc.reconstruct(sensitivity=".93", specificity=".81", n="120", accuracy=".85")
    assert told["sentence"] == own.sentence and len(told["tables"]) == len(own.tables) == told["n_tables"]
    assert "38  15  3   64" in run(*given)
    rows = list(csv.DictReader(io.StringIO(run(*given, "--format", "csv"))))
    assert len(rows) == len(own.tables) and rows[0]["rounding"]
    assert own.findings[0] in run(*given, "--format", "markdown")


def test_one_table_is_shown_with_its_intervals():
    shown = run("--sensitivity", ".93", "--specificity", ".81", "--positives", 41, "--negatives", 79)
    assert "TP 38, FP 15, FN 3, TN 64" in shown and "0.927 [0.814, 0.981]" in shown


def test_other_rates_and_intervals():
    shown = run("--rate", "f_beta(2)=.71", "--tp", 30, "--fp", 20, "--fn", 10, "--tn", 140)
    assert "One table" in shown
    shown = run("--sensitivity", "92.7%", "--interval", "sensitivity=80.6%,97.5%", "--tn", 64, "--fp", 15)
    assert "TP 38" in shown and "reproduced by Wilson" in shown
    shown = run("--auroc", ".85", "--interval", "auroc=.77 to .93", "--positives", 41, "--negatives", 79)
    assert "Hanley-McNeil" in shown


def test_impossible_is_an_answer():
    shown = run("--sensitivity", ".94", "--specificity", ".81", "--positives", 41, "--negatives", 79)
    assert "Impossible as printed" in shown and "0.93 or 0.95" in shown


def test_papers_in_one_file(tmp_path):
    path = tmp_path / "papers.csv"
    path.write_text(PAPERS)
    found = uc.reconstruct(path)
    assert [each.possible for each in found] == [True, False, True, True] and found.possible is False
    assert found.sentence == "3 of 4 are possible as printed; impossible: Jones 2020."
    assert found[0].tables == found[0].tables and found[3].tables == [uc.Counts(tp=141, fp=0, fn=67, tn=31)]
    told = json.loads(run(path, "--json"))
    assert [each["possible"] for each in told["results"]] == [True, False, True, True]
    rows = list(csv.DictReader(io.StringIO(run(path, "--format", "csv"))))
    assert rows[0]["tp"] == "38" and "sensitivity" in rows[1]["suspects"]
    assert "Jones 2020: impossible" in run(path) and "| Lee 2021 | possible |" in run(path, "--format", "markdown")
    same = uc.reconstruct([{"paper": "Smith 2019", "positives": 41, "negatives": 79, "sensitivity": "92.7%"}])
    assert same[0].name == "Smith 2019" and same[0].possible
    (tmp_path / "other.csv").write_text(PAPERS.replace(",", ";"))
    assert uc.reconstruct(str(tmp_path / "other.csv")).rows() == found.rows()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "at least one printed rate is required. Hint: pass --sensitivity"),
        (["--sensitivity", "high"], "--sensitivity must be a number"),
        (["--rate", "sensitivity"], "--rate must be NAME=VALUE"),
        (["--interval", "sensitivity=.8"], "--interval must be NAME=LOW,HIGH"),
        (["--rate", "sensitivity=.8", "--sensitivity", ".8"], "given twice"),
        (["nowhere.csv"], "nowhere.csv cannot be read"),
        (["--ppv", ".8", "--rate", "precision=.8"], "are the same number"),
    ],
)
def test_refusals(words, said):
    assert said in run(*words, code=2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("paper,sensitivity\nA,high\n", "A (row 1): `sensitivity` must be a number"),
        ("paper,sensitivty\nA,.9\n", "did you mean 'sensitivity'"),
        ("paper,sensitivity\nA,.9,3\n", "has 3 cells; the header has 2"),
        ("paper,sensitivity,sensitivity\nA,.9,3\n", "two columns named 'sensitivity'"),
        ("paper,sensitivity\n", "must have a header and at least one row"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, text, said):
    path = tmp_path / "papers.csv"
    path.write_text(text)
    with pytest.raises(uc.UnconfuseError) as refused:
        uc.reconstruct(path)
    assert said in str(refused.value)
    with pytest.raises(uc.UnconfuseError, match="cannot be combined"):
        uc.reconstruct(path, sensitivity=0.9)
