"""Score tables as files: what is written comes back, merging is the union, and what does not add up is refused."""

import json

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unconfuse as uc
from unconfuse.ingest import table_files
from unconfuse.ingest.sources.score_tables import merge_all


def random_table(rng, n=200, *, weights=None):
    label = rng.random(n) < 0.3
    return uc.ScoreTable.from_rows(label, np.round(rng.random(n) + label / 4, 2) / 2, weights)


@pytest.fixture
def table():
    return random_table(np.random.default_rng(0))


def assert_same(one, two):
    assert one == two
    assert (one.highest is None) == (two.highest is None)


def test_what_is_saved_comes_back(tmp_path, table):
    weighted = random_table(np.random.default_rng(1), weights=np.random.default_rng(2).random(200) + 0.1)
    for each in (table, weighted, table.coarsen(7), table.coarsen(9, min_count=10, edges=[0.3]), uc.ScoreTable.empty()):
        each.save(tmp_path / "site.parquet")
        assert_same(uc.ScoreTable.load(tmp_path / "site.parquet"), each)
    assert [each.name for each in tmp_path.iterdir()] == ["site.parquet"]


def test_other_tools_read_the_file(tmp_path, table):
    table.coarsen(7).save(tmp_path / "site.parquet", positive_label="it's")
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pandas.read_parquet(tmp_path / "site.parquet")
    assert list(frame) == ["score", "positives", "negatives", "highest"]
    assert frame["positives"].sum() == table.n_positives
    assert polars.read_parquet(tmp_path / "site.parquet")["negatives"].sum() == table.n_negatives


def test_the_file_tells_nothing_but_the_table(tmp_path, table):
    table.save(tmp_path / "secret-name.parquet", positive_label="yes")
    found = duckdb.sql(f"SELECT key, value FROM parquet_kv_metadata('{tmp_path / 'secret-name.parquet'}')").fetchall()
    assert [key for key, _ in found] == [b"unconfuse_table"]
    about = json.loads(found[0][1])
    known = {"format", "rows", "positives", "negatives", "binned", "positive_label", "written_by", "checksum"}
    assert set(about) == known
    assert b"secret-name" not in (tmp_path / "secret-name.parquet").read_bytes()


def test_names_of_files_stay_names(tmp_path, table):
    for name in ("it's.parquet", "a*b[1]?.parquet", 'say "x".parquet'):
        table.save(tmp_path / name)
        assert_same(uc.ScoreTable.load(tmp_path / name), table)


def write(path, columns, about, key="unconfuse_table"):
    lists = {name: ", ".join(f"'{value}'" for value in values) for name, values in columns.items()}
    selected = ", ".join(f"unnest([{values}]::DOUBLE[]) AS {name}" for name, values in lists.items())
    text = about if isinstance(about, str) else json.dumps(about)
    duckdb.sql(f"COPY (SELECT {selected}) TO '{path}' (FORMAT parquet, KV_METADATA {{{key}: '{text}'}})")


GOOD = {"score": [0.9, 0.4], "positives": [1.0, 0.0], "negatives": [0.0, 2.0]}
ABOUT = {"format": 1, "rows": 2, "positives": 1.0, "negatives": 2.0, "binned": False}


def test_a_file_made_by_hand_is_read(tmp_path):
    write(tmp_path / "t.parquet", GOOD, ABOUT)
    assert uc.ScoreTable.load(tmp_path / "t.parquet").n == 3


@pytest.mark.parametrize(
    ("columns", "about", "message"),
    [
        ({"positives": [-1.0, 2.0]}, {}, "negative"),
        ({"score": [0.4, 0.9]}, {}, "not descending"),
        ({"score": [0.4, 0.4]}, {}, "not descending"),
        ({"score": [float("inf"), 0.4]}, {}, "not finite"),
        ({}, {"positives": 2.0}, "totals"),
        ({}, {"negatives": None}, "totals"),
        ({}, {"rows": 3}, "number of rows"),
        ({}, {"format": 9, "written_by": "unconfuse 9"}, "reads format 4"),
        ({}, {"format": 3}, "checksum"),
        ({}, {"checksum": "x"}, "checksum"),
        ({}, {"format": "x"}, "in which format"),
        ({}, {"binned": True}, "lacks a column"),
        ({"highest": [0.95, 0.3]}, {"binned": True}, "below its lowest"),
        ({"highest": [0.95, 0.9]}, {"binned": True}, "blocks overlap"),
    ],
)
def test_what_does_not_add_up_is_refused(tmp_path, columns, about, message):
    write(tmp_path / "t.parquet", {**GOOD, **columns}, {**ABOUT, **about})
    with pytest.raises(uc.UnconfuseError, match=message):
        uc.ScoreTable.load(tmp_path / "t.parquet")


def test_foreign_and_damaged_files_are_refused(tmp_path, table):
    place = tmp_path / "t.parquet"
    write(place, GOOD, ABOUT, key="other")
    with pytest.raises(uc.UnconfuseError, match="not a score table"):
        uc.ScoreTable.load(place)
    write(place, GOOD, "no json")
    with pytest.raises(uc.UnconfuseError, match="readable way"):
        uc.ScoreTable.load(place)
    table.save(place)
    place.write_bytes(place.read_bytes()[:-30])
    with pytest.raises(uc.UnconfuseError, match="cannot be read"):
        uc.ScoreTable.load(place)
    place.write_text("score,positives\n")
    with pytest.raises(uc.UnconfuseError, match="not a score table"):
        uc.ScoreTable.load(place)
    with pytest.raises(uc.UnconfuseError, match="no file"):
        uc.ScoreTable.load(tmp_path / "absent.parquet")
    with pytest.raises(uc.UnconfuseError, match="cannot be written"):
        table.save(tmp_path / "absent" / "t.parquet")


def test_a_failed_write_leaves_the_old_file(tmp_path, table, monkeypatch):
    table.save(tmp_path / "t.parquet")
    with monkeypatch.context() as patched, pytest.raises(duckdb.Error):
        patched.setattr("unconfuse.ingest.table_files._KEY", "not a key")
        table.coarsen(3).save(tmp_path / "t.parquet")
    assert_same(uc.ScoreTable.load(tmp_path / "t.parquet"), table)
    assert len(list(tmp_path.iterdir())) == 1


@given(st.integers(0, 10_000), st.integers(1, 12), st.booleans())
@settings(max_examples=60, deadline=None)
def test_merging_pieces_is_the_table_of_all_rows(seed, pieces, weighted):
    """Evaluating the merge is evaluating the union, bit for bit when weights are whole numbers."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 400))
    label, score = rng.random(n) < 0.4, np.round(rng.random(n), int(rng.integers(1, 4)))
    weights = rng.integers(1, 5, n).astype(float) if weighted else None
    site = rng.integers(0, pieces, n)
    union = uc.ScoreTable.from_rows(label, score, weights)
    apart = [
        uc.ScoreTable.from_rows(label[site == k], score[site == k], None if weights is None else weights[site == k])
        for k in rng.permutation(pieces)
    ]
    merged = merge_all(apart)
    assert merged == union
    builder = uc.TableBuilder()
    for each in apart:
        builder.add(each)
    assert builder.table == union
    for metric in uc.METRICS.values():
        if metric.of != "counts":
            np.testing.assert_array_equal(metric(merged), metric(union))


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_bounds_hold_for_the_merge_of_binned_sites(seed):
    rng = np.random.default_rng(seed)
    label = rng.random(600) < 0.3
    score = rng.beta(2 + label, 3 - label)
    builder = uc.TableBuilder(bins=int(rng.integers(5, 60)), edges=[0.5])
    for piece in np.array_split(rng.permutation(600), int(rng.integers(1, 9))):
        builder.add(label[piece], score[piece])
    union = uc.ScoreTable.from_rows(label, score)
    assert builder.table.counts_at(0.5) == union.counts_at(0.5)
    for metric in uc.METRICS.values():
        low, high = metric.bound_on(builder.table, 0.5)
        value = metric(union.counts_at(0.5)) if metric.of == "counts" else metric(union)
        assert np.isnan(value) or low <= value <= high, metric.name


def test_a_builder_with_bins_stays_small():
    rng = np.random.default_rng(0)
    builder = uc.TableBuilder(bins=100)
    for _ in range(50):
        builder.add(rng.random(2000) < 0.5, rng.random(2000))
        assert sum(len(each) for each in builder._waiting) < 5000
    assert len(builder.table) <= 100
    assert builder.table.n == 100_000
    assert repr(builder) == "TableBuilder(100000 cases so far)"


def test_a_path_to_a_table_is_as_good_as_the_table(tmp_path, table):
    table.save(tmp_path / "a.parquet")
    table.coarsen(20).save(tmp_path / "b.parquet")
    exact = uc.evaluate(tmp_path / "a.parquet", metrics=["auroc"])["auroc"]
    assert exact.value == uc.METRICS["auroc"](table) and exact.binning_bounds is None
    both = uc.evaluate(str(tmp_path / "*.parquet"), metrics=["auroc"])
    assert both.n == 2 * table.n and both["auroc"].binning_bounds[0] < exact.value < both["auroc"].binning_bounds[1]
    assert uc.indistinguishability(tmp_path / "a.parquet").table == table
    with pytest.raises(uc.UnconfuseError, match="leave `label` out"):
        uc.evaluate(tmp_path / "a.parquet", label="y")
    with pytest.raises(uc.UnconfuseError, match="holds no rows"):
        uc.compare(tmp_path / "a.parquet", score=["a", "b"])
    (tmp_path / "c.parquet").write_text("y,p\n1,0.5\n")
    with pytest.raises(uc.UnconfuseError, match=r"c\.parquet is not a score table"):
        uc.evaluate(str(tmp_path / "*.parquet"))


REFUSING = ("indistinguishability", "threshold_card", "Empirical", "band", "definitions", "bootstrap")


@pytest.mark.parametrize("what", REFUSING)
def test_what_needs_exact_scores_refuses_a_binned_table(what, table):
    calls = {"bootstrap": lambda t: uc.bootstrap(t, ["auroc"]), "definitions": lambda t: uc.definitions("auprc", t)}
    with pytest.raises(uc.UnconfuseError, match="needs exact scores"):
        calls.get(what, getattr(uc, what))(table.coarsen(5))


def test_damaged_files_are_refused_or_hold_the_same(tmp_path, table):
    path = tmp_path / "t.parquet"
    table.save(path, positive_label="yes")
    whole, random = path.read_bytes(), np.random.default_rng(0)
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[random.integers(len(whole))] ^= 1 << int(random.integers(8))
        path.write_bytes(damaged if random.random() < 0.8 else whole[: random.integers(len(whole))])
        try:
            found = uc.ScoreTable.load(path)
        except uc.UnconfuseError:
            continue
        assert_same(found, table)


def test_a_column_whose_name_was_damaged_is_no_surprise(tmp_path, table):
    path = tmp_path / "t.parquet"
    table.save(path)
    path.write_bytes(path.read_bytes().replace(b"score", b"Score"))
    assert_same(uc.ScoreTable.load(path), table)


def test_why_a_table_cannot_be_written_is_said_in_words():
    class Full:
        def execute(self, _):
            raise duckdb.IOException('IO Error: Async write failed: {"message":"no: No space left","errno":"28"}')

    with pytest.raises(OSError, match="No space left") as error:
        table_files._write(Full(), "")
    assert error.value.strerror == "No space left"
