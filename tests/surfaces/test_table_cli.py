"""`unconfuse table` and `merge`, and a table in the place of a file of rows."""

import json

import numpy as np
import pytest

import unconfuse as uc

DATA = ("--label", "y", "--score", "p", "--positive", "ill")


@pytest.fixture
def made(run, data_files, tmp_path):
    """Tables of the same rows: exact, and binned."""
    paths = {"exact": tmp_path / "exact.parquet", "binned": tmp_path / "binned.parquet"}
    for name, options in (("exact", ()), ("binned", ("--min-count", 10, "--keep-threshold", 0.5))):
        result = run("table", data_files["data.csv"], *DATA, *options, "-o", paths[name])
        assert result.exit_code == 0
        assert "positives of 300 cases" in result.stdout
        assert ("hold a single case" in result.stdout) == (name == "exact")
    return paths


def numbers(run, path, *options):
    return json.loads(run("evaluate", path, "--json", *options).stdout)


def test_a_table_gives_the_numbers_of_its_rows(run, data_files, made):
    assert numbers(run, made["exact"])["metrics"] == numbers(run, data_files["data.csv"], *DATA)["metrics"]


def test_a_binned_table_gives_bounds_around_them(run, data_files, made):
    exact, binned = numbers(run, data_files["data.csv"], *DATA), numbers(run, made["binned"])
    for name, each in binned["metrics"].items():
        value = exact["metrics"][name]["value"]
        if each["bound_low"] is not None and isinstance(value, float):
            assert float(each["bound_low"]) <= value <= float(each["bound_high"]), name
    assert exact["counts"] == binned["counts"]
    assert any("binned" in each["verdict"] for each in binned["findings"])


def test_every_form_shows_the_bounds(run, made):
    bound = numbers(run, made["binned"])["metrics"]["auroc"]
    assert f"{bound['bound_low']:.3f}"[:4] in run("evaluate", made["binned"], "--all").stdout
    assert "certainly" in run("evaluate", made["binned"], "--all").stdout
    assert "Certainly" in run("evaluate", made["binned"], "--format", "markdown").stdout
    assert "bound_low" in run("evaluate", made["binned"], "--format", "csv").stdout.splitlines()[0]
    assert "certainly" not in run("evaluate", made["exact"]).stdout


def test_merging_adds_up(run, made, tmp_path):
    result = run("merge", made["exact"], made["exact"], made["exact"], "-o", tmp_path / "all.parquet")
    assert "of 900 cases" in result.stdout
    one, three = uc.ScoreTable.load(made["exact"]), uc.ScoreTable.load(tmp_path / "all.parquet")
    assert three == one.merge(one).merge(one)
    assert run("merge", *made.values(), "--bins", 5, "-o", tmp_path / "small.parquet").exit_code == 0
    assert len(uc.ScoreTable.load(tmp_path / "small.parquet")) <= 5


def test_merging_tables_that_disagree_is_said(run, tmp_path):
    for name, clear in {"one": 0.2, "two": 2.5, "three": 0.2}.items():
        rng = np.random.default_rng(len(name))
        y = rng.random(500) < 0.4
        uc.score_table(y, np.round(rng.normal(size=500) + clear * y, 1)).save(tmp_path / f"{name}.parquet")
    files = [tmp_path / f"{name}.parquet" for name in ("one", "two", "three")]
    assert "AUROC differs between the 3 places" in run("merge", *files, "-o", tmp_path / "all.parquet").stdout
    alike = run("merge", files[0], files[2], "-o", tmp_path / "alike.parquet")
    assert alike.exit_code == 0 and "differs" not in alike.stdout


@pytest.mark.parametrize("command", [("indistinguish",), ("thresholds", "--rule", "youden"), ("resolve", "--quick")])
def test_other_commands_take_an_exact_table(run, data_files, made, command):
    name, *options = command
    from_rows = run(name, data_files["data.csv"], *DATA, *options)
    from_table = run(name, made["exact"], *options)
    assert from_table.exit_code == 0
    assert from_table.stdout == from_rows.stdout
    assert "needs exact scores" in run(name, made["binned"], *options).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("evaluate", "{exact}", "--label", "y"), "leave --label out"),
        (("compare", "{exact}", "--score", "a", "--score", "b"), "holds no rows"),
        (("merge", "{csv}", "-o", "{out}"), "is not a score table"),
        (("merge", "{exact}", "{other}", "-o", "{out}"), "different positive labels"),
        (
            (
                "table",
                "{csv}",
                "--label",
                "y",
                "--score",
                "p",
                "--positive",
                "ill",
                "--min-count",
                "999",
                "-o",
                "{out}",
            ),
            "fewer than --min-count",
        ),
        (
            ("table", "{csv}", "--label", "y", "--score", "p", "--positive", "ill", "--group", "y", "-o", "{out}"),
            "--group",
        ),
        (("table", "{csv}", "--label", "y", "--score", "p", "--positive", "ill"), "--output"),
    ],
)
def test_wrong_use_is_refused_in_one_message(run, data_files, made, tmp_path, arguments, message):
    uc.ScoreTable.load(made["exact"]).save(tmp_path / "other.parquet", positive_label="well")
    places = {
        "exact": made["exact"],
        "csv": data_files["data.csv"],
        "out": tmp_path / "out.parquet",
        "other": tmp_path / "other.parquet",
    }
    result = run(*(str(each).format(**places) for each in arguments))
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "out.parquet").exists()


def test_a_table_of_one_block_can_be_written(run, data_files, tmp_path):
    made = tmp_path / "one.parquet"
    assert run("table", data_files["data.csv"], *DATA, "--bins", 1, "-o", made).exit_code == 0
    assert len(uc.ScoreTable.load(made)) == 1


def test_a_table_does_not_replace_the_rows_it_is_made_of(run, data_files):
    before = data_files["data.csv"].read_bytes()
    result = run("table", data_files["data.csv"], *DATA, "-o", data_files["data.csv"])
    assert result.exit_code == 2
    assert "would be lost" in result.stderr
    assert data_files["data.csv"].read_bytes() == before


def test_a_dash_is_no_name_of_a_file(run, data_files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("table", data_files["data.csv"], *DATA, "-o", "-")
    assert done.exit_code == 2
    assert "not a file name" in done.output
    assert not (tmp_path / "-").exists()
