"""`evaluate` and `counts`: the same numbers from every source and in every form."""

import csv
import io
import json
import math
import sqlite3
from contextlib import closing

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import unconfuse as uc

COUNTS = ("counts", "--tp", 141, "--fp", 0, "--fn", 67, "--tn", 31)
QUICK = ("--metric", "sensitivity", "--metric", "mcc", "--resamples", 200)
OPTIONS = ("--label", "y", "--score", "p", "--positive", "ill")


def strict(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.fixture(scope="module")
def expected(columns):
    return uc.evaluate(columns["y"], columns["p"], positive="ill", metrics=["sensitivity", "mcc"], n_resamples=200)


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_frames_give_the_numbers_of_lists(columns, expected, make):
    found = uc.evaluate(
        make(columns), label="y", score="p", positive="ill", metrics=["sensitivity", "mcc"], n_resamples=200
    )
    assert found.as_dict()["metrics"] == expected.as_dict()["metrics"]


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet", "data.jsonl"])
def test_files_give_the_numbers_of_lists(run, data_files, expected, name):
    result = run("evaluate", data_files[name], *OPTIONS, *QUICK, "--json")
    assert result.exit_code == 0, result.stderr
    assert strict(result.stdout)["metrics"] == expected.as_dict()["metrics"]


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet", "data.jsonl"])
def test_standard_input_gives_the_numbers_of_lists(shell, data_files, expected, name):
    result = shell("evaluate", "-", *OPTIONS, *QUICK, "--json", input=data_files[name].read_bytes())
    assert result.returncode == 0, result.stderr
    answer = strict(result.stdout)
    assert answer["metrics"] == expected.as_dict()["metrics"]
    assert answer["source"] == "standard input"


@pytest.mark.parametrize(
    ("given", "named"), [("data.csv", "data.csv"), ("da*.csv", "da*.csv"), ("d?ta.csv", "d?ta.csv")]
)
def test_results_name_the_file_without_its_folders(run, data_files, tmp_path, given, named):
    folder, page = data_files["data.csv"].parent, tmp_path / "page.html"
    result = run("evaluate", folder / given, *OPTIONS, *QUICK, "--json", "--html", page)
    assert result.exit_code == 0, result.stderr
    assert strict(result.stdout)["source"] == named
    assert str(folder) not in page.read_text() and str(tmp_path) not in page.read_text()


def test_the_command_on_a_page_holds_no_password(run, tmp_path):
    address, page = f"sqlite:///{tmp_path}/rows.db?password=secret&timeout=5", tmp_path / "page.html"
    with closing(sqlite3.connect(tmp_path / "rows.db")) as rows, rows:
        rows.execute("CREATE TABLE cases (y INTEGER, p REAL)")
        rows.executemany("INSERT INTO cases VALUES (?, ?)", [(number % 2, number / 40) for number in range(40)])
    result = run("evaluate", address, "--table", "cases", "--label", "y", "--score", "p", "--html", page)
    assert result.exit_code == 0, result.stderr
    assert "secret" not in page.read_text() and "secret" not in result.stdout


def test_json_has_the_promised_keys_and_whole_counts(run, data_files, expected):
    answer = strict(run("evaluate", data_files["data.csv"], *OPTIONS, *QUICK, "--json").stdout)
    assert {"metrics", "n", "positives", "threshold"} <= set(answer)
    assert {"value", "low", "high", "method"} <= set(answer["metrics"]["mcc"])
    assert isinstance(answer["n"], int) and answer["n"] == 300
    assert answer["positives"] == expected.positives
    assert answer["threshold"] == 0.5


def test_undefined_is_null_and_infinity_is_text(run):
    answer = strict(run("counts", "--tp", 0, "--fp", 0, "--fn", 5, "--tn", 5, "--json").stdout)
    assert answer["metrics"]["precision"]["value"] is None
    assert "no case is labelled positive" in answer["metrics"]["precision"]["undefined"]
    assert strict(run(*COUNTS, "--json").stdout)["metrics"]["lr_positive"]["value"] == "inf"


def test_every_decision_metric_is_shown_in_every_form(run):
    forms = {
        form: run(*COUNTS, "--complements", "--format", form).stdout for form in ("table", "json", "csv", "markdown")
    }
    values = strict(forms["json"])["metrics"]
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(forms["csv"]))}
    for name, estimate in uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31).items():
        assert estimate.label in forms["table"]
        assert estimate.label in forms["markdown"]
        assert float(values[name]["value"]) == float(rows[name]["value"]) == estimate.value
    assert set(values) == {name for name, metric in uc.METRICS.items() if metric.of == "counts"}


def test_every_metric_of_scores_is_shown_in_every_form(run, data_files):
    common = ("evaluate", data_files["data.csv"], *OPTIONS, "--resamples", 200)
    forms = {form: run(*common, "--complements", "--format", form) for form in ("table", "json", "csv", "markdown")}
    assert {form: result.exit_code for form, result in forms.items()} == dict.fromkeys(forms, 0)
    values = strict(forms["json"].stdout)["metrics"]
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(forms["csv"].stdout))}
    for name, metric in uc.METRICS.items():
        assert metric.label[:30] in forms["table"].stdout
        assert metric.label in forms["markdown"].stdout
        assert name in values
        assert name in rows
        if values[name]["value"] is not None:
            assert math.isclose(float(rows[name]["value"]), float(values[name]["value"]))


def test_the_table_is_made_for_reading(run, data_files):
    lines = run("evaluate", data_files["data.csv"], *OPTIONS, "--all", "--resamples", 200).stdout.splitlines()
    assert max(map(len, lines)) <= 100
    assert not any("\x1b" in line for line in lines)
    assert all(line == line.rstrip() for line in lines)
    text = "\n".join(lines)
    order = ("300 cases", "guessing", "value  95% interval", "ROC", "truly positive", "mid-p")
    first = [text.index(words) for words in order]
    assert first == sorted(first)


def test_a_tab_can_be_typed(run, tmp_path):
    (tmp_path / "a.csv").write_text("y\tp,;,;,;\n1\t.5\n0\t.2\n")
    for typed in ("tab", "\\t", "\t"):
        result = run("evaluate", tmp_path / "a.csv", "--score", "p,;,;,;", "--delimiter", typed, *QUICK)
        assert result.exit_code == 0, result.stderr


def test_undefined_values_say_why(run):
    shown = run("counts", "--tp", 0, "--fp", 0, "--fn", 5, "--tn", 5, "--metric", "precision").stdout
    assert "undefined" in shown
    assert "no case is labelled positive" in " ".join(shown.split())


def test_level_design_and_threshold_reach_the_numbers(run, data_files):
    options = ("--level", "90%", "--threshold", ".4", "--design", "case-control", "--seed", 3)
    answer = strict(run("evaluate", data_files["data.csv"], *OPTIONS, *QUICK, "--json", *options).stdout)
    found = [answer[key] for key in ("confidence_level", "threshold", "design", "seed")]
    assert found == [0.9, 0.4, "case-control", 3]


def test_another_prevalence(run):
    shifted = uc.shift_prevalence(uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31), prevalence=0.02)
    answer = strict(run(*COUNTS, "--prevalence", "2%", "--json").stdout)
    assert answer["prevalence"] == 0.02
    assert answer["metrics"]["precision"]["value"] == shifted["precision"].value
    assert "where 2% are positive" in run(*COUNTS, "--prevalence", ".02").stdout


def test_groups_are_resampled_whole(run, tmp_path, columns):
    rows = "".join(f"{y},{p},{i // 3}\n" for i, (y, p) in enumerate(zip(columns["y"], columns["p"], strict=True)))
    (tmp_path / "a.csv").write_text("y,p,clinic\n" + rows)
    answer = strict(run("evaluate", tmp_path / "a.csv", *OPTIONS, *QUICK, "--group", "clinic", "--json").stdout)
    assert answer["design"] == "clustered"


def test_metrics_with_a_number_of_their_own(run):
    answer = strict(run(*COUNTS, "--metric", "f_beta(2)", "--json").stdout)
    assert list(answer["metrics"]) == ["f_beta(2)"]


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_output_goes_whole_into_a_file(run, tmp_path, form):
    printed = run(*COUNTS, "--format", form).stdout
    result = run(*COUNTS, "--format", form, "--output", tmp_path / "out")
    assert (result.exit_code, result.stdout) == (0, "")
    assert (tmp_path / "out").read_text() == printed
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_nothing_is_written_when_the_input_is_bad(run, tmp_path):
    result = run("counts", "--tp", 1, "--fp", -1, "--fn", 1, "--tn", 1, "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert list(tmp_path.iterdir()) == []
    assert run(*COUNTS, "--output", tmp_path / "no" / "out").exit_code == 2
