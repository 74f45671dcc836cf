"""Files of every format give the same rows; bad files give one clear error each."""

import gzip
import io
import json
import os
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse._labels import LabelSpec
from unconfuse.ingest import _duckdb_aggregate, _duckdb_engine, read


def rows_of(source, s=None, **words):
    """The cases, as a comparison needs them."""
    return read(uc.Data(source, s, **words), rows=True)


def table_of(source, s=None, **words):
    """Their score table, as an evaluation needs it."""
    return read(uc.Data(source, s, **words)).table()


LABELS, SCORES = ["yes", "no", "yes", "no", "no"], [0.9, 0.4, 0.4, -0.0, 0.0]
TABLE = table_of(LABELS, SCORES, positive="yes")
LINES = ["y,p", *(f"{label},{score}" for label, score in zip(LABELS, SCORES, strict=True))]
CSV = "\n".join(LINES) + "\n"
JSONL = "".join(json.dumps({"y": y, "p": p}) + "\n" for y, p in zip(LABELS, SCORES, strict=True))


def written_by_engine(path: Path, options: str) -> None:
    rows = ", ".join(f"({i}, '{y}', {p}::DOUBLE)" for i, (y, p) in enumerate(zip(LABELS, SCORES, strict=True)))
    with duckdb.connect() as database:
        database.execute(f"COPY (SELECT y, p FROM (VALUES {rows}) AS t(i, y, p) ORDER BY i) TO '{path}' ({options})")


GOOD = {
    "plain.csv": CSV.encode(),
    "no_ending": CSV.encode(),
    "no_last_line_end.csv": CSV.rstrip().encode(),
    "windows.csv": CSV.replace("\n", "\r\n").encode(),
    "byte_order_mark.csv": b"\xef\xbb\xbf" + CSV.encode(),
    "semicolons.csv": CSV.replace(",", ";").encode(),
    "tabs.tsv": CSV.replace(",", "\t").encode(),
    "pipes.txt": CSV.replace(",", "|").encode(),
    "quoted.csv": b'"y","p","note, long"\n'
    + "".join(f'"{y}","{p}","a ""b"",\nc"\n' for y, p in zip(LABELS, SCORES, strict=True)).encode(),
    "blanks_in_header.csv": CSV.replace("y,p", " y , p ").encode(),
    "compressed.csv.gz": gzip.compress(CSV.encode()),
    "compressed_without_ending": gzip.compress(CSV.encode()),
    "lines.jsonl": JSONL.encode(),
    "lines_without_ending": JSONL.encode(),
    "lines.json": JSONL.encode(),
    "lines.jsonl.gz": gzip.compress(JSONL.encode()),
    "looks*like[a]pattern?.csv": CSV.encode(),
    "it's.csv": CSV.encode(),
}


@pytest.mark.parametrize("name", GOOD)
def test_every_format_gives_the_same_table(tmp_path, name):
    (tmp_path / name).write_bytes(GOOD[name])
    assert table_of(tmp_path / name, positive="yes") == TABLE


@pytest.mark.parametrize(
    ("name", "options"),
    [("a.parquet", "FORMAT parquet"), ("a", "FORMAT parquet"), ("a.csv.zst", "FORMAT csv, HEADER, COMPRESSION zstd")],
)
def test_formats_that_the_engine_writes(tmp_path, name, options):
    written_by_engine(tmp_path / name, options)
    assert table_of(str(tmp_path / name), positive="yes") == TABLE


@pytest.mark.parametrize(
    "data", [CSV.encode(), JSONL.encode(), gzip.compress(CSV.encode(), mtime=0)], ids=["csv", "json lines", "gzip"]
)
def test_standard_input_is_read_and_leaves_nothing_behind(monkeypatch, tmp_path, data):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert table_of("-", positive="yes") == TABLE
    assert list(tmp_path.iterdir()) == []


def test_a_named_pipe_is_read(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(CSV,))
    writer.start()
    assert table_of(path, positive="yes") == TABLE
    writer.join()


def test_several_files_are_read_as_one(tmp_path):
    (tmp_path / "b.csv").write_text("\n".join([LINES[0], *LINES[4:]]))
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress("\n".join(LINES[:4]).encode()))
    (tmp_path / "c.csv").write_text("p,y\n")  # another order of columns, and no rows
    rows = rows_of(str(tmp_path / "*"), positive="yes")
    assert rows.table() == TABLE
    assert rows.scores["p"].tolist() == SCORES


def test_scores_are_never_guessed_to_be_whole_numbers(tmp_path):
    (tmp_path / "a.csv").write_text("y,p\n" + "1,1\n0,0\n" * 30_000 + "1,0.75\n")
    assert table_of(tmp_path / "a.csv").score.tolist() == [1, 0.75, 0]


@pytest.mark.parametrize("labels", [("0", "1"), ("-1", "1"), ("0.0", "1.0"), ("false", "true"), ("False", "True")])
def test_usual_labels_need_no_positive(tmp_path, labels):
    (tmp_path / "a.csv").write_text(f"y,p\n{labels[0]},.5\n{labels[1]},.2\n")
    assert rows_of(tmp_path / "a.csv").is_positive.tolist() == [False, True]


@pytest.mark.parametrize("kind", ["BOOLEAN", "INTEGER", "DOUBLE", "VARCHAR", "DECIMAL(4, 1)"])
def test_labels_of_any_type_in_parquet(tmp_path, kind):
    path = tmp_path / "a.parquet"
    rows = duckdb.sql(f"SELECT CAST(y AS {kind}) AS y, p FROM (VALUES (1, 0.5), (0, 0.25)) AS t(y, p)")
    rows.write_parquet(str(path))
    assert rows_of(path).is_positive.tolist() == [True, False]
    assert rows_of(path, positive="0" if kind != "BOOLEAN" else "false").is_positive.tolist() == [False, True]


def test_all_roles_of_columns(tmp_path):
    (tmp_path / "a.csv").write_text("id,y,p,q,w,g\na,1,.5,.1,2,x\nb,0,.4,.2,1,z\nc,0,.3,.3,0,x\n")
    rows = rows_of(tmp_path / "a.csv", score=["p", "q"], weight="w", group="g", id="id")
    assert rows.weights.tolist() == [2, 1]  # a row of weight 0 is as if absent
    assert rows.groups.tolist() == [0, 1]
    assert rows.scores["q"].tolist() == [0.1, 0.2]


BAD = {
    "empty.csv": (b"", "is empty"),
    "blank.csv": (b"\n \n", "is empty"),
    "empty.csv.gz": (gzip.compress(b""), "is empty"),
    "header_only.csv": (b"y,p\n", "column names but no rows"),
    "text.csv": (b"y,p\n1,.5\n0,abc\n", "line 3 of {path}: column 'p' must hold numbers; found 'abc'"),
    "decimal_comma.csv": (b"y;p\n1;1,234\n", "must hold numbers; found '1,234'. Hint: write decimals with a point"),
    "few_fields.csv": (b"y,p,x\n1,.5,a\n0,.5\n", "line 3 of {path} has 2 fields, but the header names 3 columns"),
    "many_fields.csv": (b"y,p\n1,.5\n0,.5,9\n", "line 3 of {path} has 3 fields"),
    "open_quote.csv": (b'y,p,t\n1,.5,"a\n0,.5,b\n', "has a quote that is never closed"),
    "no_score.csv": (
        b"y,p\n1,\n0,.5\n1,NA\n0,nan\n",
        "missing values (null or NaN): 3 of 4 rows, first at row 1, 3, 4",
    ),
    "infinite.csv": (b"y,p\n1,inf\n0,.5\n", "column 'p' has infinite values: 1 of 2 rows, first at row 1"),
    "no_label.csv": (b"y,p\n1,.1\n,.5\n", "column 'y' has missing values: 1 of 2 rows, first at row 2"),
    "three_labels.csv": (
        b"y,p\n1,.1\n0,.5\n2,.5\n",
        "exactly two values; found 3: '0' (1 row), '1' (1 row), '2' (1 row)",
    ),
    "words.csv": (b"y,p\nyes,.1\nno,.5\n", "which label is positive? found 'no' (1 row), 'yes' (1 row)"),
    "twice.csv": (b"y,p,p\n1,.1,.2\n", "more than one column named 'p'"),
    "no_header.csv": (b"1,0.5\n0,0.2\n", "The first line must hold the column names"),
    "other_columns.csv": (b"a,b\n1,0.5\n", "which column of {path} is the label? It has the columns 'a', 'b'"),
    "neither.csv": (b"y,p\ns\x81\xed,.1\nno,.2\n", "is not text in UTF-8"),  # nor Windows-1252
    "neither_late.csv": (b"y,p\n" + b"no,.1\n" * 9999 + b"s\x81\xed,.1\n", "line 10001 of {path} is not text in UTF-8"),
    "utf16.csv": (CSV.encode("utf-16"), "is text in UTF-16"),
    "garbage.csv": (bytes(range(256)) * 20, "neither text nor Parquet"),
    "sheet.xlsx": (b"PK\x03\x04\x00\x00", "is a spreadsheet"),
    "cut.csv.gz": (gzip.compress(os.urandom(9999))[:500], "gzip data do not end properly"),
    "cut_at_row.csv.gz": (gzip.compress(CSV.encode())[:-8], "gzip data do not end properly"),
    "cut.csv.zst": (b"\x28\xb5\x2f\xfd\x04\x00", "zstd data do not end properly"),
    "cut.parquet": (b"PAR1\x15\x04\x15\x10", "damaged, cut short"),
    "not.parquet": (CSV.encode(), "is not a Parquet file"),
    "cut.jsonl": (b'{"y": 1, "p": 0.5}\n{"y": 0, "p"', "is not one JSON object per line"),
    "array.json": (b"[1, 2]\n[3, 4]\n", "is not one JSON object per line"),
    "text.jsonl": (b'{"y": 1, "p": 0.5}\n{"y": 0, "p": "abc"}\n', "line 2 of {path} must hold numbers"),
    "missing.jsonl": (
        b'{"y": 1, "p": 0.5}\n{"y": 0, "p": null}\n{"y": 0}\n',
        "missing values (null or NaN): 2 of 3 rows",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_give_one_clear_error(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(BAD[name][0])
    with pytest.raises(InputError) as caught:
        rows_of(path)
    assert BAD[name][1].format(path=path) in str(caught.value)
    assert str(path) in str(caught.value) or "column" in str(caught.value) or "label" in str(caught.value)


def test_a_file_cut_inside_zstd_is_noticed(tmp_path):
    whole = tmp_path / "whole.csv.zst"
    with duckdb.connect() as database:
        rows = "SELECT 1 AS y, random() AS p FROM range(50000)"
        database.execute(f"COPY ({rows}) TO '{whole}' (FORMAT csv, COMPRESSION zstd)")
    data = whole.read_bytes()
    for size in (5, 100, len(data) // 2, len(data) - 1):
        (tmp_path / "cut.csv.zst").write_bytes(data[:size])
        with pytest.raises(InputError, match="zstd data do not end properly"):
            rows_of(tmp_path / "cut.csv.zst")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nothing.csv", "there is no file"),
        ("*.nothing", "no file matches"),
        ("", "is a folder"),
        ("folder/nothing.csv", "there is no folder"),
    ],
)
def test_paths_that_lead_nowhere(tmp_path, path, words):
    with pytest.raises(InputError, match=words):
        rows_of(os.path.join(tmp_path, path))  # noqa: PTH118


def test_the_nearest_file_and_the_nearest_column_are_offered(tmp_path):
    (tmp_path / "patients.csv").write_text("outcome,risk\n1,.5\n")
    with pytest.raises(InputError, match=r"did you mean .*patients\.csv"):
        rows_of(tmp_path / "patient.csv")
    with pytest.raises(InputError, match=r"has no column 'outcom'\. Hint: did you mean 'outcome'"):
        rows_of(tmp_path / "patients.csv", label="outcom", score="risk")


def test_text_in_a_score_column_of_parquet_is_named_by_row(tmp_path):
    path = str(tmp_path / "a.parquet")
    duckdb.sql("SELECT 1 AS y, x AS p FROM (VALUES ('0.5'), ('abc')) AS t(x)").write_parquet(path)
    with pytest.raises(InputError, match=r"row 2 of .*a.parquet: column 'p' must hold numbers; found 'abc'"):
        rows_of(path)


def test_a_duplicated_id_is_named(tmp_path):
    (tmp_path / "a.csv").write_text("id,y,p\na,1,.5\nb,0,.4\na,0,.3\n")
    with pytest.raises(InputError, match=r"column 'id' holds 'a' more than once: row 1 of .* and row 3 of"):
        rows_of(tmp_path / "a.csv", id="id")


def test_a_missing_group_is_named(tmp_path):
    (tmp_path / "a.csv").write_text("g,y,p\na,1,.5\n,0,.4\n")
    with pytest.raises(InputError, match="column 'g' has missing values: 1 of 2 rows, first at row 2"):
        rows_of(tmp_path / "a.csv", group="g")


def test_bad_rows_of_many_files_name_the_file(tmp_path):
    (tmp_path / "a.csv").write_text("y,p\n1,.5\n")
    (tmp_path / "b.csv").write_text("y,p\n1,.5\n0,\n")
    with pytest.raises(InputError, match=r"1 of 3 rows, first at row 2 of .*b\.csv"):
        rows_of(str(tmp_path / "*.csv"))


@pytest.mark.parametrize("delimiter", ["", "ab", "é"])
def test_a_delimiter_is_one_character(tmp_path, delimiter):
    (tmp_path / "a.csv").write_text(CSV)
    with pytest.raises(ArgumentError, match="one character"):
        rows_of(tmp_path / "a.csv", positive="yes", delimiter=delimiter)


def test_a_stated_delimiter_wins(tmp_path):
    (tmp_path / "a.csv").write_text("y~p;x;x;x\nyes~.5\nno~.2\n")
    rows = rows_of(tmp_path / "a.csv", score="p;x;x;x", positive="yes", delimiter="~")
    assert rows.scores["p;x;x;x"].tolist() == [0.5, 0.2]


STRANGE = [
    "[red]x[/red]",
    "<script>alert(1)</script>",
    "a'b",
    'a"b',
    "a;b",
    "\x1b[31mred",
    "\u202eabc",
    "é" * 5000,
    "x" * 10_000,
    "P",
    "c0",
    "DROP TABLE kept; --",
    "${HOME}",
    "%s{0}",
]


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_names_are_names_whatever_they_hold(tmp_path, name, ending):
    import pandas as pd

    frame = pd.DataFrame({"y": [1, 0], "p": [0.1, 0.2], name: [0.5, 0.25]})
    if ending == "jsonl" and name == "P":
        pytest.skip("the engine does not tell keys apart by case alone")
    path = tmp_path / f"a.{ending}"
    {
        "csv": lambda: frame.to_csv(path, index=False),
        "parquet": lambda: frame.to_parquet(path),
        "jsonl": lambda: frame.to_json(path, orient="records", lines=True),
    }[ending]()
    if ending == "parquet" and name == "P":
        name = "P_1"  # likewise
    assert rows_of(path, label="y", score=name).scores[name].tolist() == [0.5, 0.25]


def test_very_many_columns(tmp_path):
    names = [f"column{number}" for number in range(100_000)]
    (tmp_path / "a.csv").write_text(",".join(["y", *names]) + "\n" + ",".join(["1"] * 100_001) + "\n")
    with pytest.raises(InputError, match="and 99981 more"):
        rows_of(tmp_path / "a.csv")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
@given(
    rows=st.lists(
        st.tuples(st.booleans(), st.floats(allow_nan=False, allow_infinity=False), st.floats(0.001, 1e6)), min_size=1
    )
)
def test_numbers_come_back_from_csv_exactly(tmp_path, rows):
    path = tmp_path / "a.csv"
    path.write_text("y,p,w\n" + "".join(f"{y},{p!r},{w!r}\n" for y, p, w in rows))
    read = rows_of(path, weight="w")
    assert read.is_positive.tolist() == [row[0] for row in rows]
    assert read.scores["p"].tolist() == [row[1] for row in rows]
    assert read.weights.tolist() == [row[2] for row in rows]


@pytest.mark.parametrize("word", ["table", "query"])
def test_words_for_databases_are_refused_elsewhere(tmp_path, word):
    (tmp_path / "a.csv").write_text(CSV)
    for data in (str(tmp_path / "a.csv"), {"y": [1, 0], "p": [0.9, 0.1]}):
        with pytest.raises(InputError, match=f"`{word}` chooses rows of a database"):
            rows_of(data, **{word: "scores"})


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_whole_numbers_that_no_float_holds_are_refused_by_their_row(tmp_path: Path, ending: str) -> None:
    large = 2**53
    rows = pa.table({"y": [0, 1, 0, 1], "s": [large, large + 1, large + 2, 5]})
    path = tmp_path / f"large.{ending}"
    lines = [f"{y},{s}" for y, s in zip(*rows.to_pydict().values(), strict=True)]
    if ending == "parquet":
        pq.write_table(rows, path)
    elif ending == "csv":
        path.write_text("\n".join(["y,s", *lines]), encoding="utf-8")
    else:
        path.write_text("\n".join(json.dumps(row) for row in rows.to_pylist()), encoding="utf-8")
    with pytest.raises(InputError, match=r"above 2\^53.*row 2 of .*large.*9007199254740993"):
        table_of(str(path), label="y", score="s")
    exact = pa.table({"y": [0, 1, 0, 1], "s": [large, large + 2, large + 4, 5]})
    pq.write_table(exact, path.with_suffix(".parquet"))
    assert len(table_of(str(path.with_suffix(".parquet")), label="y", score="s")) == 4


def test_hardly_a_thread_where_little_memory_may_be_addressed(monkeypatch):
    """DuckDB's allocator ends the process if one of its threads is refused memory."""
    monkeypatch.setattr(_duckdb_engine, "_addressable", lambda: 2.0**29)
    with duckdb.connect(config=_duckdb_engine.settings()) as database:
        asked = "SELECT name, value FROM duckdb_settings() WHERE name IN ('threads', 'async_threads')"
        found = dict(database.execute(asked).fetchall())
    assert found.pop("async_threads", "0") == "0"
    assert found == {"threads": "1"}


def test_a_damaged_file_may_promise_that_no_label_is_missing_and_break_it():
    """Statistics that say so are believed by the engine, which then leaves the condition out."""

    class Engine:
        def fetch(self, query):
            return [("0",), ("1",), (None,)] if "GROUP BY ALL" in query else [("0", 2), ("1", 3), (None, 1)]

    part = SimpleNamespace(
        reader=lambda lenient: "f", column=str, name=str, label_is_missing=lambda: "FALSE", label_type="BIGINT"
    )
    assert set(_duckdb_aggregate.first_guess(Engine(), [part], LabelSpec(), lenient=False).texts) == {"0", "1"}
    assert _duckdb_aggregate.full(Engine(), [part], LabelSpec(), lenient=False).rows == {"0": 2, "1": 3}


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
@pytest.mark.parametrize("how", ["error", "skip"])
def test_numbers_with_underscores_are_text(tmp_path, ending, how):
    """The engine reads 0_57 as 57, and so did this."""
    path, rows = tmp_path / f"rows.{ending}", "y,s\n1,0.7\n0,0_57\n1,0.9\n0,0.3\n"
    if ending == "parquet":
        pq.write_table(pa.table({"y": [1, 0, 1, 0], "s": ["0.7", "0_57", "0.9", "0.3"]}), path)
    else:
        path.write_bytes(gzip.compress(rows.encode()) if ending.endswith("gz") else rows.encode())
    with pytest.raises(InputError, match=r"row 2 of .*must hold numbers; found '0_57'"):
        uc.evaluate(path, label="y", score="s", on_bad_row=how)


@pytest.mark.filterwarnings("ignore::unconfuse.UnconfuseWarning")
@pytest.mark.parametrize(
    ("last", "words"),
    [
        ("5;0;0_3", "rows.csv: column 'p' must hold numbers; found '0_3'"),
        ("4;0;0.3", "column 'id' holds '4' more than once"),
        ("5;0;9007199254740993", "integers above 2\\^53"),
    ],
)
def test_checks_pass_over_the_lines_that_are_skipped(tmp_path, last, words):
    """They read the file strictly, and ended in an error of the engine's own."""
    path, rows = tmp_path / "rows.csv", "id;y;p\n1;0;0.1\n2;1;0.9\n3;0;0.2;a;b_c\n4;1;0.8\n"
    path.write_text(f"{rows}5;0;0.3\n")
    found = uc.evaluate(path, label="y", score="p", id="id", on_bad_row="skip")
    assert found.n == 4 and "line that cannot be read (1)" in str(found.sample.skipped)
    path.write_text(f"{rows}{last}\n")
    with pytest.raises(InputError, match=words):
        uc.evaluate(path, label="y", score="p", id="id", on_bad_row="skip")


def test_underscores_elsewhere_are_no_matter(tmp_path):
    (tmp_path / "rows.csv").write_text("y,s,id\n1,0.7,a_1\n0,0.2,b_2\n1,0.9,c_3\n0,0.3,d_4\n")
    assert uc.evaluate(tmp_path / "rows.csv", label="y", score="s", id="id")["auroc"].value == 1


def test_a_score_table_knows_no_underscores_either(tmp_path):
    (tmp_path / "table.csv").write_text("score,positives,negatives\n0_5,3,1\n0.2,1,3\n")
    with pytest.raises(InputError, match="line 2"):
        uc.evaluate(tmp_path / "table.csv")


@pytest.mark.parametrize("line", ["1_000;b;c", '1_000;"";"'])
@pytest.mark.parametrize("read", [uc.evaluate, uc.score_table])
def test_a_line_that_is_skipped_is_skipped_by_every_check(tmp_path, line, read):
    """An underscore anywhere makes the file be read once more, for numbers like 0_57."""
    path = tmp_path / "rows.csv"
    path.write_text("y;p\n1;0.2\n0;0.3\n1;0.7\n0;0.1\n" + line + "\n", newline="")
    with pytest.warns(uc.UnconfuseWarning, match="1 row was left out"):
        found = read(path, label="y", score="p", on_bad_row="skip")
    assert (found.n, found.n_positives) == (4, 2) if read is uc.score_table else found.n == 4
