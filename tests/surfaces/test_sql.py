"""`unconfuse sql`: the same table from every engine that runs here, and queries that others can parse."""

import json
import sqlite3

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse.cli import cli
from unconfuse.ingest.sql_text import DIALECTS, score_table_query

RNG = np.random.default_rng(3)
N = 400
ROWS = pd.DataFrame(
    {
        "ill?": np.where(RNG.random(N) < 0.4, "yes", "it's no"),
        'the "risk"': np.round(RNG.random(N), 2),
        "site": RNG.choice(["north", "south"], N),
    }
)
ROWS.loc[3, 'the "risk"'] = -0.0
ROWS.loc[4, 'the "risk"'] = 0.0
GAPS = ROWS.copy()
GAPS.loc[5, "ill?"] = None
GAPS.loc[6, 'the "risk"'] = None
WORDS = {"label": "ill?", "score": 'the "risk"', "positive": "yes"}


def expected(rows):
    usable = rows.dropna()
    return uc.score_table(usable["ill?"] == "yes", usable['the "risk"'])


def same(found, rows):
    table = uc.score_table(found) if not isinstance(found, uc.ScoreTable) else found
    wanted = expected(rows)
    for name in ("score", "positives", "negatives"):
        np.testing.assert_array_equal(getattr(table, name), getattr(wanted, name))


def run(*arguments):
    return CliRunner().invoke(cli, [str(each) for each in arguments])


def test_duckdb(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as database:
        database.register("visits", GAPS)
        database.execute("CREATE TABLE more AS SELECT * FROM visits")
        nan = "INSERT INTO more SELECT \"ill?\", 'NaN'::DOUBLE, site FROM visits LIMIT 3"
        database.execute(nan)
        found = database.execute(score_table_query("duckdb", "more", **WORDS)).df()
    found.to_csv(tmp_path / "result.csv", index=False)
    same(str(tmp_path / "result.csv"), GAPS)


def test_sqlite(tmp_path):
    with sqlite3.connect(tmp_path / "rows.db") as database:
        GAPS.to_sql("visits", database, index=False)
        found = pd.read_sql(score_table_query("sqlite", "visits", **WORDS), database)
    found.to_csv(tmp_path / "result.csv", index=False)
    same(str(tmp_path / "result.csv"), GAPS)


def test_subgroups_come_along(tmp_path):
    with sqlite3.connect(tmp_path / "rows.db") as database:
        ROWS.to_sql("visits", database, index=False)
        found = pd.read_sql(score_table_query("sqlite", "visits", by=["site"], **WORDS), database)
    found.to_csv(tmp_path / "result.csv", index=False)
    result = run("evaluate", tmp_path / "result.csv", "--threshold", 0.5, "--json")
    assert result.exit_code == 0, result.output
    wanted = uc.evaluate(ROWS, label="ill?", score='the "risk"', positive="yes", by="site", threshold=0.5)
    said = json.loads(result.stdout)
    assert said["overall"]["metrics"]["auroc"]["value"] == wanted["auroc"].value
    assert set(said["subgroups"]) == {"north", "south"}


@pytest.mark.parametrize("bins", [None, 5])
def test_subgroups_may_be_called_as_the_query_calls_its_own(tmp_path, bins):
    duckdb = pytest.importorskip("duckdb")
    named = ROWS.rename(columns={"site": "S"}).assign(y=ROWS["site"].str.upper())
    wanted = score_table_query("duckdb", "visits", by=["site", "other"], bins=bins, **WORDS)
    asked = score_table_query("duckdb", "visits", by=["S", "y"], bins=bins, **WORDS)
    with duckdb.connect() as database:
        database.register("visits", named)
        found = database.execute(asked).fetchall()
        database.register("visits", ROWS.assign(other=named["y"]))
        assert sorted(found) == sorted(database.execute(wanted).fetchall())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_parses(dialect):
    sqlglot = pytest.importorskip("sqlglot")
    for by in ((), ("site",)):
        query = score_table_query(dialect, "clinic.visits", label="ill", score="risk", positive="it's", by=by, bins=50)
        parsed = sqlglot.parse(query, dialect=dialect)
        assert len(parsed) == 1 and parsed[0] is not None
        assert "visits" in {each.name for each in parsed[0].find_all(sqlglot.exp.Table)}


@pytest.mark.parametrize("bins", [None, 20])
@pytest.mark.parametrize("dialect", [name for name, each in DIALECTS.items() if not each.executed])
def test_a_warehouse_that_cannot_be_had_gives_the_table_by_translation(dialect, bins, tmp_path):
    """What sqlglot understands of the query, said in DuckDB's words, executed there, and read back."""
    duckdb, sqlglot = pytest.importorskip("duckdb"), pytest.importorskip("sqlglot")
    rows = GAPS.rename(columns={'the "risk"': "risk"}).astype({"risk": float})
    rows.loc[7, "risk"] = float("nan")
    query = score_table_query(dialect, "visits", label="ill?", score="risk", positive="it's no", bins=bins)
    (translated,) = sqlglot.transpile(query, read=dialect, write="duckdb")
    with duckdb.connect() as database:
        database.register("given", rows)
        database.execute("CREATE TABLE visits AS SELECT * FROM given")
        database.execute("INSERT INTO visits SELECT \"ill?\", 'NaN'::DOUBLE, site FROM given LIMIT 3")
        found = database.execute(translated).df()
    found.to_csv(tmp_path / "result.csv", index=False)
    usable = rows.dropna()
    wanted = uc.score_table(usable["ill?"] == "it's no", usable["risk"])
    result = uc.evaluate(str(tmp_path / "result.csv"), metrics=["auroc"])
    assert result.n == wanted.n and result.positives == wanted.n_positives
    if bins is None:
        assert result["auroc"].value == uc.METRICS["auroc"](wanted)
    else:
        low, high = result["auroc"].binning_bounds
        assert low <= uc.METRICS["auroc"](wanted) <= high


@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_cannot_break_out(dialect):
    sqlglot = pytest.importorskip("sqlglot")
    nasty = 'x"; DROP TABLE t; --` OR 1=1'
    query = score_table_query(dialect, "t", label=nasty, score=nasty, positive="'; DROP TABLE t; --")
    parsed = sqlglot.parse(query, dialect=dialect)
    assert len(parsed) == 1 and not list(parsed[0].find_all(sqlglot.exp.Drop))


def test_the_command_prints_it():
    result = run("sql", "--dialect", "duckdb", "--table", "rows", "--label", "y", "--score", "p")
    assert result.exit_code == 0
    assert result.stdout.strip() == score_table_query("duckdb", "rows", label="y", score="p")
    assert run("sql", "--dialect", "duckdb", "--table", "rows", "--label", "y").exit_code == 2
    assert run("sql", "--dialect", "oracle", "--table", "r", "--label", "y", "--score", "p").exit_code == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"dialect": "duck"}, "duckdb"),
        ({"label": ""}, "not the name of"),
        ({"positive": "a\\b"}, "backslash"),
        ({"bins": 0}, "bins"),
        ({"by": ["Score"]}, "two columns called 'score'"),
        ({"by": ["site", "SITE"]}, "two columns called 'site'"),
    ],
)
def test_what_makes_no_sense_is_refused(words, told):
    given = {"dialect": "duckdb", "table": "t", "label": "y", "score": "s"} | words
    with pytest.raises(ArgumentError, match=told):
        score_table_query(given.pop("dialect"), given.pop("table"), **given)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("score,positives,negatives\n.5,1,x\n", "line 2"),
        ("score,positives,negatives\n.5,1,1\n.4,-1,2\n", "line 3"),
        ("score,positives,negatives\nnan,1,1\n", "finite"),
        ("score,positives,negatives\n", "no rows"),
    ],
)
def test_a_damaged_result_is_refused(tmp_path, text, told):
    path = tmp_path / "result.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        uc.evaluate(str(path))


def test_rows_with_such_columns_are_still_rows_if_a_label_is_named(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y,score,positives,negatives\n1,.9,0,0\n0,.2,0,0\n1,.3,0,0\n")
    assert uc.evaluate(str(path), label="y", metrics=["auroc"])["auroc"].value == 1.0


def test_the_schema_is_printed():
    from unconfuse.report import schema

    result = run("schema")
    assert result.exit_code == 0 and json.loads(result.stdout) == schema()
