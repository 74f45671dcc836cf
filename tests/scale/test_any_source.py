"""The same rows give the same numbers, wherever they are and however they are cut into pieces.

Each source is one function in the table below: it takes columns by name and a folder, puts the rows there, and gives
back what a user would pass to `unconfuse`: the data, and keywords beside the names of the columns. A new kind of source
is one more function; every test runs over all of them.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import sqlite3
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import servers

import unconfuse as uc
from unconfuse._errors import InputError, SkippedRowsWarning
from unconfuse.ingest import read
from unconfuse.table import AggregatedSample

Columns = dict[str, list[Any]]
Given = tuple[Any, dict[str, Any]]
SOURCES: dict[str, Callable[[Columns, Path], Given]] = {}
NAMES = {"label": "outcome of study", "score": "risk", "positive": "ill"}


def source(name: str) -> Callable[[Callable[[Columns, Path], Given]], Callable[[Columns, Path], Given]]:
    """Put a source into the table."""

    def add(make: Callable[[Columns, Path], Given]) -> Callable[[Columns, Path], Given]:
        SOURCES[name] = make
        return make

    return add


@source("mapping of columns")
def mapping(columns: Columns, folder: Path) -> Given:
    return columns, {}


@source("pandas")
def pandas(columns: Columns, folder: Path) -> Given:
    import pandas as pd

    return pd.DataFrame(columns), {}


@source("polars")
def polars(columns: Columns, folder: Path) -> Given:
    import polars as pl

    return pl.DataFrame(columns, strict=False), {}


@source("polars, lazy")
def polars_lazy(columns: Columns, folder: Path) -> Given:
    return polars(columns, folder)[0].lazy(), {}


@source("pyarrow")
def pyarrow(columns: Columns, folder: Path) -> Given:
    import pyarrow as pa

    return pa.table(columns), {}


@source("DuckDB relation")
def duckdb_relation(columns: Columns, folder: Path) -> Given:
    import duckdb

    path = parquet(columns, folder)[0]
    return duckdb.connect().read_parquet(str(path)), {}


@source("Ibis")
def ibis_table(columns: Columns, folder: Path) -> Given:
    import ibis

    return ibis.memtable(pyarrow(columns, folder)[0]), {}


@source("Dask, three partitions")
def dask_frame(columns: Columns, folder: Path) -> Given:
    import dask.dataframe as dd

    return dd.from_pandas(pandas(columns, folder)[0], npartitions=3), {}


def csv_text(columns: Columns) -> str:
    rows = zip(*columns.values(), strict=True)
    lines = (",".join("" if each is None else str(each) for each in row) for row in rows)
    return "\n".join([",".join(columns), *lines]) + "\n"


@source("CSV")
def csv(columns: Columns, folder: Path) -> Given:
    (folder / "rows.csv").write_text(csv_text(columns))
    return folder / "rows.csv", {}


@source("CSV, gzip")
def csv_gzip(columns: Columns, folder: Path) -> Given:
    (folder / "rows.csv.gz").write_bytes(gzip.compress(csv_text(columns).encode()))
    return folder / "rows.csv.gz", {}


@source("CSV, zstd")
def csv_zstd(columns: Columns, folder: Path) -> Given:
    import pyarrow as pa

    with pa.output_stream(folder / "rows.csv.zst", compression="zstd") as file:
        file.write(csv_text(columns).encode())
    return folder / "rows.csv.zst", {}


@source("Parquet")
def parquet(columns: Columns, folder: Path) -> Given:
    import pyarrow.parquet as pq

    pq.write_table(pyarrow(columns, folder)[0], folder / "rows.parquet")
    return folder / "rows.parquet", {}


@source("JSON lines")
def json_lines(columns: Columns, folder: Path) -> Given:
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in _objects(columns)))
    return folder / "rows.jsonl", {}


@source("JSON array")
def json_array(columns: Columns, folder: Path) -> Given:
    (folder / "rows.json").write_text(json.dumps(_objects(columns), indent=1))
    return folder / "rows.json", {}


@source("pattern of many CSV files")
def many_csv(columns: Columns, folder: Path) -> Given:
    (folder / "many").mkdir()
    for number, piece in enumerate(pieces(columns, 7)):
        (folder / "many" / f"{number}.csv").write_text(csv_text(piece))
    return str(folder / "many" / "*.csv"), {}


@source("folder of many Parquet files")
def many_parquet(columns: Columns, folder: Path) -> Given:
    for number, piece in enumerate(pieces(columns, 7)):
        (folder / "many" / f"part={number}").mkdir(parents=True)
        parquet(piece, folder / "many" / f"part={number}")
    return folder / "many", {}


@source("SQLite")
def sqlite(columns: Columns, folder: Path) -> Given:
    kinds = {"str": "TEXT", "float": "REAL", "int": "INTEGER", "bool": "BOOLEAN"}
    with contextlib.closing(sqlite3.connect(folder / "rows.db")) as database:
        _insert(database, columns, kinds, "?")
    return f"sqlite:///{folder / 'rows.db'}", {"table": 'all "rows"'}


@source("PostgreSQL")
def postgresql(columns: Columns, folder: Path) -> Given:
    import psycopg

    kinds = {"str": "text", "float": "double precision", "int": "bigint", "bool": "boolean"}
    address = postgres_server()
    with psycopg.connect(address) as database:
        database.execute('DROP TABLE IF EXISTS "all ""rows"""')
        _insert(database, columns, kinds, "%s")
    return address, {"query": 'SELECT * FROM "all ""rows""" WHERE \'a:b%\' <> \'\';'}


def _insert(database: Any, columns: Columns, kinds: dict[str, str], mark: str) -> None:
    types = [kinds[type(next(each for each in column if each is not None)).__name__] for column in columns.values()]
    declared = ", ".join(f'"{name}" {kind}' for name, kind in zip(columns, types, strict=True))
    cursor = database.cursor()
    cursor.execute(f'CREATE TABLE "all ""rows""" ({declared})')
    marks = ", ".join([mark] * len(columns))
    cursor.executemany(f'INSERT INTO "all ""rows""" VALUES ({marks})', list(zip(*columns.values(), strict=True)))
    database.commit()


def postgres_server() -> str:
    """The address of a server of our own."""
    if servers.postgres_is_missing():
        pytest.skip(servers.postgres_is_missing())
    return servers.postgres_server()


def _objects(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def pieces(columns: Columns, number: int) -> list[Columns]:
    """The same rows in several parts of different sizes."""
    n = len(next(iter(columns.values())))
    cuts = [0, *sorted(np.random.default_rng(3).integers(0, n, number - 1).tolist()), n]
    return [
        {name: column[start:end] for name, column in columns.items()} for start, end in pairwise(cuts) if start < end
    ]


def rows(n: int = 400) -> Columns:
    """Tied scores, both zeros, whole-number and other weights, two models, clinics."""
    rng = np.random.default_rng(11)
    ill = rng.random(n) < 0.3
    risk = np.round(np.clip(0.3 + 0.2 * ill + rng.normal(0, 0.2, n), 0, 1), 2)
    risk[:4] = [0.0, -0.0, 0.1 + 0.2, 0.3]
    return {
        "outcome of study": np.where(ill, "ill", "well").tolist(),
        "risk": risk.tolist(),
        "rule": np.round(rng.random(n) / 3 + ill / 3, 3).tolist(),
        "cases": rng.integers(0, 4, n).tolist(),
        "importance": rng.random(n).tolist(),
        "clinic": rng.choice(["north", "south", "east", "west"], n).tolist(),
    }


def shuffled(columns: Columns, seed: int = 5) -> Columns:
    order = np.random.default_rng(seed).permutation(len(columns["risk"]))
    return {name: [column[row] for row in order] for name, column in columns.items()}


@pytest.fixture(params=SOURCES)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Columns], Given]:
    """Each source in turn."""
    return lambda columns: SOURCES[request.param](columns, tmp_path)


EXPECTED = rows()
Y, S = np.array(EXPECTED["outcome of study"]), np.array(EXPECTED["risk"])


def test_the_table_is_the_same_bit_for_bit(make: Callable[[Columns], Given]) -> None:
    data, options = make(shuffled(EXPECTED))
    assert uc.score_table(data, **NAMES, **options) == uc.score_table(Y, S, positive="ill")


def test_whole_number_weights_are_exact(make: Callable[[Columns], Given]) -> None:
    data, options = make(shuffled(EXPECTED))
    expected = uc.score_table(Y, S, positive="ill", weights=EXPECTED["cases"])
    assert uc.score_table(data, **NAMES, weight="cases", **options) == expected


@pytest.mark.filterwarnings("ignore:`weights` are not integers")
def test_other_weights_agree_to_rounding(make: Callable[[Columns], Given]) -> None:
    data, options = make(shuffled(EXPECTED))
    found = uc.score_table(data, **NAMES, weight="importance", **options)
    expected = uc.score_table(Y, S, positive="ill", weights=EXPECTED["importance"])
    np.testing.assert_array_equal(found.score, expected.score)
    np.testing.assert_allclose(found.positives, expected.positives, rtol=1e-12)
    np.testing.assert_allclose(found.negatives, expected.negatives, rtol=1e-12)


def test_an_evaluation_is_the_same(make: Callable[[Columns], Given]) -> None:
    data, options = make(shuffled(EXPECTED))
    chosen = {"metrics": ["auroc", "mcc", "brier", "average_precision"], "n_resamples": 100, "threshold": 0.4}
    found, expected = uc.evaluate(data, **NAMES, **options, **chosen), uc.evaluate(Y, S, positive="ill", **chosen)
    assert found.as_dict() == expected.as_dict()
    assert found.name == "risk"


def test_groups_are_the_same(make: Callable[[Columns], Given]) -> None:
    data, options = make(shuffled(EXPECTED))
    chosen = {"metrics": ["auroc", "sensitivity"], "n_resamples": 100}
    found = uc.evaluate(data, **NAMES, **options, group="clinic", **chosen).as_dict()
    expected = uc.evaluate(Y, S, positive="ill", groups=EXPECTED["clinic"], **chosen).as_dict()
    for name, estimate in expected["metrics"].items():
        for value in ("value", "low", "high"):
            assert found["metrics"][name][value] == pytest.approx(estimate[value], rel=1e-12)


ENGINES = ("polars, lazy", "DuckDB relation", "Ibis", "Dask, three partitions", "SQLite", "PostgreSQL")


def divided() -> Columns:
    """With missing clinics, a second column of whole numbers, and decisions of three classes."""
    n = len(EXPECTED["risk"])
    clinics = [None if row % 50 == 7 else each for row, each in enumerate(EXPECTED["clinic"])]
    called = ["low" if risk < 0.3 else "high" if risk > 0.5 else "middle" for risk in EXPECTED["risk"]]
    meant = [each if row % 3 else "middle" for row, each in enumerate(called)]
    return EXPECTED | {"clinic": clinics, "round": [row % 3 + 9 for row in range(n)], "called": called, "meant": meant}


@pytest.mark.parametrize("by", ["clinic", ["clinic", "round"]])
def test_subgroups_are_the_same(make: Callable[[Columns], Given], by: Any) -> None:
    columns = divided()
    data, options = make(shuffled(columns))
    chosen = {"metrics": ["auroc", "sensitivity"], "n_resamples": 100, "by": by, "weight": "cases"}
    found, expected = uc.evaluate(data, **NAMES, **options, **chosen), uc.evaluate(columns, **NAMES, **chosen)
    assert list(found) == list(expected)
    np.testing.assert_equal(found.as_dict(), expected.as_dict())


@pytest.mark.parametrize("name", ENGINES)
def test_engines_hand_over_the_tables_of_subgroups(name: str, tmp_path: Path) -> None:
    data, options = SOURCES[name](divided(), tmp_path)
    found = read(uc.Data(data, **NAMES, **options, by="clinic"))
    assert isinstance(found, AggregatedSample)
    assert list(found.by_subgroup()) == ["east", "north", "south", "west", "(missing)"]


@pytest.mark.parametrize("name", ["pandas", *ENGINES[:4]])
@pytest.mark.parametrize("options", [{}, {"weight": "cases"}, {"group": "clinic"}], ids=["plain", "weights", "groups"])
def test_decisions_of_several_classes_are_the_same(name: str, options: dict[str, str], tmp_path: Path) -> None:
    columns = EXPECTED | {key: each for key, each in divided().items() if key in ("called", "meant")}
    data, _ = SOURCES[name](shuffled(columns), tmp_path)
    chosen = {"label": "meant", "predicted": "called", "n_resamples": 100, **options}
    found: Any = uc.evaluate(data, **chosen)
    expected: Any = uc.evaluate(columns, **chosen)
    assert found.confusion.as_dict() == expected.confusion.as_dict()
    assert name == "pandas" or options.get("group") or len(found.sample) <= 9
    for key, each in expected.items():
        ours = found[key]
        np.testing.assert_allclose((ours.value, ours.low, ours.high), (each.value, each.low, each.high), rtol=1e-10)


def test_decisions_that_are_missing_are_counted(tmp_path: Path) -> None:
    columns = divided() | {"called": [None if row % 40 == 3 else each for row, each in enumerate(divided()["called"])]}
    with pytest.raises(InputError, match="column 'called' has missing values: 10 of 400 rows"):
        uc.evaluate(polars_lazy(columns, tmp_path)[0], label="meant", predicted="called")


def test_several_models_come_from_one_reading(make: Callable[[Columns], Given]) -> None:
    data, options = make(shuffled(EXPECTED))
    names = {**NAMES, "score": {"old": "rule", "new": "risk"}}
    found = read(uc.Data(data, **names, **options))
    assert found.models == ("old", "new")
    assert found.table("new") == uc.score_table(Y, S, positive="ill")
    assert found.table("old") == uc.score_table(Y, EXPECTED["rule"], positive="ill")


def test_a_comparison_is_the_same(make: Callable[[Columns], Given]) -> None:
    data, options = make(shuffled(EXPECTED))
    chosen = {"metrics": ["auroc", "accuracy"], "n_resamples": 100}
    found = uc.compare(data, **{**NAMES, "score": ["risk", "rule"]}, **options, **chosen)
    expected = uc.compare(Y, {"risk": S, "rule": EXPECTED["rule"]}, positive="ill", **chosen)
    assert found.as_dict() == expected.as_dict()


def spoilt() -> Columns:
    """Twelve bad rows: the reasons are those of `EXPECTED_REASONS`."""
    columns = rows(100)
    columns["outcome of study"][10:13] = [None] * 3
    columns["risk"][20:24] = [None, float("nan"), None, float("nan")]
    columns["risk"][30:32] = [float("inf"), -float("inf")]
    columns["importance"][40:43] = [-1.0, float("nan"), float("inf")]
    return columns


EXPECTED_REASONS = {
    "missing label": 3,
    "missing score": 4,
    "infinite score": 2,
    "missing, infinite or negative weight": 3,
}


@pytest.mark.filterwarnings("ignore:`weights` are not integers")
def test_bad_rows_are_skipped_and_counted(make: Callable[[Columns], Given]) -> None:
    columns = spoilt()
    data, options = make(columns)
    with pytest.warns(SkippedRowsWarning, match="12 rows were left out"):
        found = uc.evaluate(data, **NAMES, weight="importance", on_bad_row="skip", metrics=["auroc"], **options)
    assert found.skipped.as_dict() == {"rows": 12, "reasons": EXPECTED_REASONS}
    assert found.as_dict()["skipped"]["rows"] == 12
    assert "12 rows were left out" in found.findings[-1].sentence
    good = [row for row in range(100) if row not in {10, 11, 12, 20, 21, 22, 23, 30, 31, 40, 41, 42}]
    kept = {name: [column[row] for row in good] for name, column in columns.items()}
    expected = uc.score_table(kept, **NAMES, weight="importance")
    np.testing.assert_allclose(found.table.positives, expected.positives, rtol=1e-12)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("outcome of study", None, "'outcome of study' has missing values"),
        ("risk", None, "'risk' has missing values"),
        ("risk", float("nan"), "'risk' has missing values"),
        ("risk", float("inf"), "'risk' has infinite values"),
        ("cases", -1, "'cases' has .*negative values"),
    ],
)
def test_a_bad_row_is_an_error_unless_told_otherwise(
    make: Callable[[Columns], Given], column: str, value: Any, words: str
) -> None:
    columns = rows(100)
    columns[column][20] = value
    data, options = make(columns)
    with pytest.raises(InputError, match=f"{words}.*: 1 of 100 rows"):
        uc.score_table(data, **NAMES, weight="cases", **options)


def test_errors_name_what_there_is(make: Callable[[Columns], Given]) -> None:
    data, options = make(rows(50))
    with pytest.raises(InputError, match=r"has no column 'riskk'\. Hint: did you mean 'risk'"):
        uc.evaluate(data, **{**NAMES, "score": "riskk"}, **options)
    with pytest.raises(InputError, match=r"which label is positive\? found 'well' \(\d+ rows\), 'ill' \(\d+ rows\)"):
        uc.evaluate(data, label="outcome of study", score="risk", **options)
    with pytest.raises(InputError, match="no row has the positive label 'sick'; the labels are 'ill', 'well'"):
        uc.evaluate(data, **{**NAMES, "positive": "sick"}, **options)
    with pytest.raises(InputError, match="must hold numbers"):
        uc.evaluate(data, **{**NAMES, "score": "clinic"}, **options)


def test_no_label_becomes_negative_unsaid(make: Callable[[Columns], Given]) -> None:
    columns = rows(60)
    labels = columns["outcome of study"]
    ill = [place for place, label in enumerate(labels) if label == "ill"]
    labels[ill[0]], labels[labels.index("well")] = "Ill", "unknown"
    data, options = make(columns)
    words = rf"found 4: .*'ill' \({len(ill) - 1} rows\), 'Ill' \(1 row\), 'unknown' \(1 row\)\. 'ill' and 'Ill' differ"
    with pytest.raises(InputError, match=words):
        uc.evaluate(data, **NAMES, **options)
    with pytest.raises(InputError, match=r"found 4: .*'Ill'"):
        uc.evaluate(data, **{**NAMES, "positive": None}, **options)
    for negative in ("rest", ["well", "Ill", "unknown"]):
        assert uc.score_table(data, **NAMES, negative=negative, **options).n_positives == len(ill) - 1


def test_predicted_classes_with_a_positive_one_are_a_yes_or_no_question(make: Callable[[Columns], Given]) -> None:
    columns = rows(60)
    truth = columns["outcome of study"]
    columns["called"] = ["ill" if score > 0.5 else "well" for score in columns["risk"]]
    data, options = make(columns)
    found = uc.evaluate(data, label="outcome of study", predicted="called", positive="ill", **options)
    called = [label == "ill" for label in columns["called"]]
    hits = sum(label == "ill" and is_called for label, is_called in zip(truth, called, strict=True))
    assert (found.counts.tp, found.counts.labelled_positive, found.threshold) == (hits, sum(called), None)
    assert found.classes == ("well", "ill")


def test_usual_labels_of_any_type(make: Callable[[Columns], Given]) -> None:
    columns = rows(60)
    ill = [label == "ill" for label in columns["outcome of study"]]
    expected = uc.score_table(ill, columns["risk"])
    columns |= {"flag": ill, "number": [int(each) for each in ill], "sign": [2.0 * each - 1 for each in ill]}
    data, options = make(columns)
    for label in ("flag", "number", "sign"):
        assert uc.score_table(data, label=label, score="risk", **options) == expected


# What only databases can get wrong.

KINDS = {"float8": "float8", "real": "real", "numeric": "numeric(6, 4)", "integer": "integer"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("label", ["boolean", "text", "integer", "numeric"])
def test_types_of_postgresql(kind: str, label: str) -> None:
    import psycopg

    y, s = [1, 0, 1, 0, 0], [3.25, 1.5, 1.5, -2.0, 0.0]
    scores = np.round(s) if kind == "integer" else np.array(s)
    with psycopg.connect(postgres_server()) as database:
        database.execute("DROP TABLE IF EXISTS typed")
        database.execute(f"CREATE TABLE typed (y {label}, p {KINDS[kind]})")
        for truth, score in zip(y, scores.tolist(), strict=True):
            database.execute(f"INSERT INTO typed VALUES (CAST(%s AS {label}), %s)", (str(truth), score))
    assert uc.score_table(postgres_server(), table="typed") == uc.score_table(y, scores)


def test_not_a_number_and_infinity_in_postgresql() -> None:
    import psycopg

    with psycopg.connect(postgres_server()) as database:
        database.execute("DROP TABLE IF EXISTS odd")
        database.execute("CREATE TABLE odd (y int, p float8, q float8)")
        odd = "(1, 'NaN', 1), (0, 'Infinity', 2), (1, 3, 'NaN'), (0, 4, 1), (1, 5, 1)"
        database.execute(f"INSERT INTO odd VALUES {odd}")
    with pytest.raises(InputError, match=r"'p' has missing values.*1 of 5 rows"):
        uc.score_table(postgres_server(), table="odd", label="y", score="p")
    found = read(uc.Data(postgres_server(), table="odd", label="y", score=["p", "q"], on_bad_row="skip"))
    assert found.skipped.as_dict()["reasons"] == {"missing score": 2, "infinite score": 1}
    assert found.table("p").score.tolist() == [5, 4]
    assert found.table("q").as_dict() == {"score": [1.0], "positives": [1.0], "negatives": [1.0]}


@pytest.mark.needs("PostgreSQL")
@pytest.mark.parametrize(
    ("address", "options", "words"),
    [
        ("{address}", {"table": "nothing"}, "has no table 'nothing'"),
        ("{address}", {"query": "SELECT nonsense"}, "refused the question.*nonsense"),
        ("{address}", {}, "which rows of the database"),
        ("{address}", {"table": "a", "query": "b"}, "which rows of the database"),
        ("{address}", {"query": "DELETE FROM pg_class RETURNING 1 AS y, 2 AS p"}, "refused the question"),
        ("postgresql://me:sEcret@127.0.0.1:1/db", {"table": "t"}, r"cannot connect.*at most 10 s"),
        ("sqlite:///no/such/file.db", {"table": "t"}, "there is no file no/such/file.db"),
        ("nosuchdatabase://host/db", {"table": "t"}, "cannot open"),
    ],
)
def test_databases_that_cannot_be_read(address: str, options: dict[str, str], words: str) -> None:
    with pytest.raises(InputError if options and len(options) == 1 else uc.UnconfuseError, match=words) as caught:
        uc.evaluate(address.format(address=postgres_server()), label="y", score="p", **options)
    assert "sEcret" not in str(caught.value)


def test_sqlite_text_among_numbers_is_named_or_skipped(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "a.db")) as database:
        database.execute("CREATE TABLE t (y, p)")
        database.executemany("INSERT INTO t VALUES (?, ?)", [(1, 0.5), (0, 0.25), (1, "abc"), (0, 1)])
        database.commit()
    address = f"sqlite:///{tmp_path / 'a.db'}"
    with pytest.raises(InputError, match="column 'p' must hold numbers; found 'abc'"):
        uc.score_table(address, table="t")
    with pytest.warns(SkippedRowsWarning, match=r"text where a number belongs \(1\)"):
        assert len(uc.score_table(address, table="t", on_bad_row="skip")) == 3


def test_a_database_is_never_changed(tmp_path: Path) -> None:
    given, _ = sqlite(EXPECTED, tmp_path)
    before = (tmp_path / "rows.db").read_bytes()
    with pytest.raises(InputError, match="refused the question"):
        uc.evaluate(given, query='DELETE FROM "all ""rows""" RETURNING risk AS p', label="p", score="p")
    assert (tmp_path / "rows.db").read_bytes() == before


# What only files can get wrong.


def test_lines_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p,x\n1,.5,a\n0,abc,a\n1,.4,a,b\n1\n0,,a\n0,.2,a\n,.3,a\n0,inf,a\n")
    found = read(uc.Data(tmp_path / "a.csv", on_bad_row="skip"))
    assert found.skipped.as_dict()["reasons"] == {
        "text where a number belongs": 1,
        "line that cannot be read": 2,
        "missing score": 1,
        "missing label": 1,
        "infinite score": 1,
    }
    assert found.table().score.tolist() == [0.5, 0.2]
    assert read(uc.Data(tmp_path / "a.csv", on_bad_row="skip"), rows=True).skipped == found.skipped


def test_labels_that_come_late_are_still_seen(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n" + "no,.5\n" * 30_000 + "yes,.75\n")
    assert uc.score_table(tmp_path / "a.csv", positive="yes").n_positives == 1
    with pytest.raises(InputError, match=r"found 'no' \(30,000 rows\), 'yes' \(1 row\)"):
        uc.score_table(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text("y,p\n" + "0,.5\n" * 30_000 + "1.0,.75\n2,.1\n")
    with pytest.raises(InputError, match=r"found 3: '0' \(30,000 rows\), '1.0' \(1 row\), '2' \(1 row\)"):
        uc.score_table(tmp_path / "b.csv")


def test_many_files_of_different_types_are_read_as_one(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"y": [1, 0], "p": [1, 0]}), tmp_path / "a.parquet")  # whole numbers, and
    pq.write_table(pa.table({"p": [0.75, 0.5], "y": ["1", "0"]}), tmp_path / "b.parquet")  # others, in another order
    for number in range(200):
        pq.write_table(pa.table({"y": [number % 2], "p": [number / 200]}), tmp_path / f"c{number}.parquet")
    found = uc.score_table(tmp_path)
    assert (found.n, found.n_positives) == (204, 102)
    assert {0.75, 0.5, 1.0} <= set(found.score.tolist())


def test_few_distinct_scores_are_added_up_by_the_engine(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    y, s = rng.random(120_000) < 0.2, rng.integers(0, 100, 120_000) / 100
    (tmp_path / "a.csv").write_text("y,p\n" + "".join(f"{int(a)},{b}\n" for a, b in zip(y, s, strict=True)))
    assert uc.score_table(tmp_path / "a.csv") == uc.score_table(y, s)


def test_progress_is_told_while_files_are_read(tmp_path: Path) -> None:
    given, _ = parquet(EXPECTED, tmp_path)
    told: list[tuple[int, int]] = []
    read(uc.Data(given, **NAMES), progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (400, 400)


def test_a_query_of_postgresql_is_one_statement_that_cannot_write() -> None:
    import psycopg

    with psycopg.connect(postgres_server()) as database:
        database.execute("DROP TABLE IF EXISTS guarded")
        database.execute("CREATE TABLE guarded AS SELECT * FROM (VALUES (1, .9), (0, .4)) AS t (y, p)")
    out = "SELECT y, p FROM guarded) AS a; COMMIT; {}; SELECT * FROM (SELECT y, p FROM guarded"
    for statement in ("DROP TABLE guarded", "CREATE TABLE hacked(x int)", "COPY guarded TO PROGRAM 'true'"):
        with pytest.raises(InputError, match="refused the question"):
            uc.score_table(postgres_server(), query=out.format(statement), label="y", score="p")
    with psycopg.connect(postgres_server()) as database:
        assert database.execute("SELECT count(*) FROM guarded").fetchone() == (2,)
        assert database.execute("SELECT to_regclass('hacked')").fetchone() == (None,)
    found = uc.score_table(postgres_server(), query="SELECT * FROM guarded -- all of it", label="y", score="p")
    assert found.n == 2


@pytest.mark.parametrize("statement", ["DELETE FROM t", "PRAGMA query_only = OFF", "ATTACH 'x.db' AS x", "VACUUM"])
def test_a_query_of_sqlite_is_one_statement_that_cannot_write(statement: str, tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "a.db")) as database, database:
        database.execute("CREATE TABLE t AS SELECT 1 AS y, .9 AS p UNION ALL SELECT 0, .4")
    for query in (statement, f"SELECT * FROM t; {statement}", f"SELECT * FROM t) AS a; {statement}; SELECT * FROM (t"):
        with pytest.raises(InputError, match="refused the question"):
            uc.score_table(f"sqlite:///{tmp_path / 'a.db'}", query=query, label="y", score="p")
    assert [each.name for each in tmp_path.iterdir()] == ["a.db"]


def test_drivers_that_take_several_statements_are_given_none_with_a_semicolon() -> None:
    from types import SimpleNamespace

    from unconfuse.ingest._database_connection import check_one_statement

    unknown = SimpleNamespace(dialect=SimpleNamespace(driver="psycopg2"))
    check_one_statement("SELECT 1", unknown)
    with pytest.raises(uc.UnconfuseError, match="without a semicolon"):
        check_one_statement("SELECT 1; DROP TABLE t", unknown)
