"""Every command that takes FILE takes folders and databases, and can leave out bad rows."""

import contextlib
import json
import sqlite3

import pytest


@pytest.fixture
def database(columns, tmp_path):
    """The shared rows in SQLite, with a second model and an id."""
    with contextlib.closing(sqlite3.connect(tmp_path / "study.db")) as made:
        made.execute("CREATE TABLE scores (y TEXT, p REAL, q REAL, id INTEGER PRIMARY KEY)")
        rows = [(y, p, 1 - p) for y, p in zip(columns["y"], columns["p"], strict=True)]
        made.executemany("INSERT INTO scores (y, p, q) VALUES (?, ?, ?)", rows)
        made.commit()
    return f"sqlite:///{tmp_path / 'study.db'}"


COMMANDS = {
    "evaluate": ["--score", "p", "--metric", "auroc"],
    "compare": ["--score", "p", "--score", "q", "--metric", "auroc", "--resamples", "100"],
    "thresholds": ["--score", "p", "--rule", "youden", "--resamples", "20"],
    "indistinguish": ["--score", "p", "--resamples", "20"],
    "resolve": ["--score", "p", "--quick"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_database_and_a_file_print_the_same(run, command, database, data_files, tmp_path):
    rest = ["--label", "y", "--positive", "ill", "--json", *COMMANDS[command]]
    made = tmp_path / "study.csv"
    with contextlib.closing(sqlite3.connect(tmp_path / "study.db")) as rows:
        lines = (",".join(map(str, row)) for row in rows.execute("SELECT y, p, q FROM scores"))
        made.write_text("\n".join(["y,p,q", *lines]))
    found = [
        run(command, database, "--table", "scores", *rest),
        run(command, database, "--query", "SELECT * FROM scores", *rest),
        run(command, str(made), *rest),
    ]
    assert [each.exit_code for each in found] == [0, 0, 0], found[0].output
    first, second, third = ({**json.loads(each.stdout), "source": ""} for each in found)
    assert first == second == third


def test_apply_takes_a_database(run, database, tmp_path):
    card = str(tmp_path / "card.json")
    read = [database, "--table", "scores", "--score", "p"]
    made = run(
        "thresholds",
        *read,
        "--label",
        "y",
        "--positive",
        "ill",
        "--rule",
        "youden",
        "--resamples",
        "20",
        "--export",
        card,
    )
    assert made.exit_code == 0
    applied = run("apply", card, *read, "--id", "id")
    assert applied.exit_code == 0
    assert len(applied.stdout.splitlines()) == 301


@pytest.mark.filterwarnings("always:.*rows were left out")
def test_bad_rows_are_counted_everywhere(run, data_files, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "good.csv").write_text(data_files["data.csv"].read_text())
    (folder / "bad.csv").write_text("y,p\nill,oops\nwell,\n,.5\n")
    rest = ["--label", "y", "--score", "p", "--positive", "ill"]
    refused = run("evaluate", str(folder), *rest)
    assert refused.exit_code == 2
    assert "line 2 of" in refused.output and "found 'oops'" in refused.output
    for command in ("evaluate", "thresholds", "indistinguish", "resolve"):
        found = run(command, str(folder), *rest, *COMMANDS[command][2:], "--on-bad-row", "skip", "--json")
        assert found.exit_code == 0
        assert '"missing label": 1' in found.stdout and '"text where a number belongs": 1' in found.stdout
        assert "3 rows were left out" in found.stderr


def test_a_password_is_never_shown(run):
    found = run("evaluate", "postgresql://me:sEcret@127.0.0.1:1/study", "--table", "scores")
    assert found.exit_code == 2
    assert "cannot connect" in found.output and "sEcret" not in found.output


@pytest.mark.parametrize("path", ["a" * 300 + ".csv", "b/" * 3000], ids=["name", "path"])
def test_an_impossible_path_is_refused_in_words(run, path):
    result = run("evaluate", path)
    assert result.exit_code == 2
    assert "cannot be read" in result.stderr
    assert len(result.stderr) < 400


@pytest.mark.parametrize("weight", ["1e308", "1e17"])
def test_weights_that_are_no_numbers_of_cases_are_refused(run, tmp_path, weight):
    made = tmp_path / "weighted.csv"
    made.write_text("label,score,w\n" + "".join(f"{k % 2},{k / 20},{weight}\n" for k in range(20)))
    result = run("evaluate", str(made), "--weight", "w")
    assert result.exit_code == 2
    assert "not a number of cases" in result.stderr


def test_two_cases_are_judged_without_complaints_of_the_arithmetic(run, tmp_path):
    made = tmp_path / "two.csv"
    made.write_text("label,score\n0,0.1\n1,0.2\n")
    assert run("evaluate", str(made), "--resamples", "100").exit_code == 0
    assert "encountered" not in run("thresholds", str(made), "--resamples", "100").stderr
    assert "encountered" not in run("counts", "--tp", "1e18", "--fp", "1", "--fn", "1", "--tn", "1").stderr
