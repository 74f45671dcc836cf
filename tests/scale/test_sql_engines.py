"""The query of `unconfuse sql`, executed: four engines make the same score table, bit for bit."""

from __future__ import annotations

import csv
import importlib.util
import math
import os
import shutil
import sqlite3
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from servers import postgres_is_missing, postgres_server

import unconfuse as uc
from unconfuse.ingest.sql_text import DIALECTS, score_table_query

RNG = np.random.default_rng(9)
N = 500
SCORES = [None, float("nan"), -0.0, 0.0, 1.0, 5e-324, 0.1 + 0.2, *RNG.random(N - 107), *np.round(RNG.random(100), 2)]
LABELS = [str(each) for each in np.where(RNG.random(N) < 0.4, "yes", "it's no")]
LABELS[10] = None
DECIMALS = [Decimal(str(round(each, 6))) for each in RNG.random(N)]
SITES = [str(each) for each in RNG.choice(["north", "south"], N)]
ROWS = list(zip(LABELS, (None if each is None else float(each) for each in SCORES), DECIMALS, SITES, strict=True))
WORDS = {"label": "ill?", "positive": "yes"}
ASKED = [{}, {"by": ["site"]}, {"bins": 20}, {"by": ["site"], "bins": 7}]


def on_duckdb(query):
    import duckdb

    with duckdb.connect() as database:
        database.execute('CREATE TABLE visits ("ill?" VARCHAR, risk DOUBLE, price DECIMAL(18, 6), site VARCHAR)')
        database.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", ROWS)
        found = database.execute(query)
        return [each[0] for each in found.description], found.fetchall()


def on_sqlite(query):
    """SQLite has no decimals. Those kept as text it reads to within the last bit only, as the documentation says."""
    with sqlite3.connect(":memory:") as database:
        database.execute('CREATE TABLE visits ("ill?" TEXT, risk REAL, price REAL, site TEXT)')
        database.executemany(
            "INSERT INTO visits VALUES (?, ?, ?, ?)", [(y, s, float(price), site) for y, s, price, site in ROWS]
        )
        found = database.execute(query)
        return [each[0] for each in found.description], found.fetchall()


def on_postgresql(query):
    psycopg = pytest.importorskip("psycopg")
    if postgres_is_missing():
        pytest.skip(postgres_is_missing())
    with psycopg.connect(postgres_server()) as database, database.cursor() as cursor:
        cursor.execute(
            'CREATE TEMPORARY TABLE visits ("ill?" TEXT, risk DOUBLE PRECISION, price NUMERIC(18, 6), site TEXT)'
        )
        cursor.executemany("INSERT INTO visits VALUES (%s, %s, %s, %s)", ROWS)
        cursor.execute(query)
        return [each.name for each in cursor.description], cursor.fetchall()


def on_spark(query):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings = {"ui.enabled": "false", "ui.showConsoleProgress": "false", "sql.shuffle.partitions": "2"}
    builder = SparkSession.builder.master("local[2]").config("spark.log.level", "OFF")
    for key, value in settings.items():
        builder = builder.config(f"spark.{key}", value)
    spark = builder.getOrCreate()
    kinds = "`ill?` STRING, risk DOUBLE, price DECIMAL(18, 6), site STRING"
    spark.createDataFrame(ROWS, kinds).createOrReplaceTempView("visits")
    found = spark.sql(query)
    return found.columns, [tuple(each) for each in found.collect()]


NO_SPARK = shutil.which("java") is None or importlib.util.find_spec("pyspark") is None
ENGINES = [
    pytest.param("duckdb", on_duckdb),
    pytest.param("sqlite", on_sqlite),
    pytest.param("postgres", on_postgresql, marks=pytest.mark.needs("PostgreSQL")),
    pytest.param(
        "spark",
        on_spark,
        marks=[
            pytest.mark.needs("Spark"),
            pytest.mark.skipif(NO_SPARK, reason="Spark needs Java and pyspark"),
            pytest.mark.filterwarnings("ignore"),
        ],
    ),
]


def expected(score, bins=None, site=None):
    """The same by NumPy: rows that have a label and a number, collapsed; in bins, from lowest to highest."""
    column = 1 if score == "risk" else 2
    kept = [row for row in ROWS if row[0] is not None and row[column] is not None and (site is None or row[3] == site)]
    kept = [row for row in kept if not math.isnan(row[column])]
    truth, values = np.array([row[0] == "yes" for row in kept]), np.array([float(row[column]) for row in kept]) + 0.0
    key = values if bins is None else np.floor(values * bins)
    rows = []
    for each in sorted(set(key), reverse=True):
        inside = key == each
        rows.append((values[inside].min(), values[inside].max(), truth[inside].sum(), (~truth[inside]).sum()))
    return rows


@pytest.mark.parametrize("asked", ASKED, ids=str)
@pytest.mark.parametrize("score", ["risk", "price"])
@pytest.mark.parametrize(("dialect", "execute"), ENGINES)
def test_the_table_is_the_same_bit_for_bit(dialect, execute, score, asked, tmp_path):
    names, rows = execute(score_table_query(dialect, "visits", score=score, **WORDS, **asked))
    assert [each.lower() for each in names[len(asked.get("by", ())) :]] == [
        "score",
        *(["highest"] if "bins" in asked else []),
        "positives",
        "negatives",
    ]
    for site in ("north", "south") if "by" in asked else (None,):
        own = [row[1:] for row in rows if row[0] == site] if site else rows
        wanted = expected(score, asked.get("bins"), site)
        assert [(row[0], row[-2], row[-1]) for row in own] == [(low, yes, no) for low, _, yes, no in wanted]
        assert all(math.copysign(1, row[0]) == 1 for row in own)
        if "bins" in asked:
            assert [row[1] for row in own] == [high for _, high, _, _ in wanted]
    _evaluated(tmp_path / "result.csv", names, rows, asked)


def _evaluated(path: Path, names, rows, asked):
    """`evaluate` takes the result as it is; what is binned says that it is approximate."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    found = uc.evaluate(str(path), metrics=["auroc"])
    assert found.n == sum(float(row[-1]) + float(row[-2]) for row in rows)
    assert (found.table.highest is not None) == ("bins" in asked)


def test_what_is_executed_is_labelled_so():
    assert {name for name, each in DIALECTS.items() if each.executed} == {each.values[0] for each in ENGINES}
