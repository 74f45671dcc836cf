"""Every word that describes data acts on every kind of source, or is refused in words: none is passed over."""

import contextlib
import sqlite3
from typing import get_type_hints

import numpy as np
import pandas as pd
import polars as pl
import pytest

import unconfuse as uc
from unconfuse.ingest import DataOptions, read
from unconfuse.table import AggregatedSample, InMemorySample

N = 60
RNG = np.random.default_rng(4)
Y = np.arange(N) % 2
KIND = np.array(["cat", "dog", "fox"])[np.arange(N) % 3]
COLUMNS = {
    "y": Y,
    "p": (RNG.random(N) + Y).round(2) / 2,
    "q": RNG.random(N).round(3),
    "other": (np.arange(N) // 2) % 2,
    "w": RNG.integers(1, 4, N),
    "g": np.arange(N) // 3,
    "sex": np.where(np.arange(N) % 5 < 2, "F", "M"),
    "fold": np.arange(N) % 4,
    "number": np.arange(N),
    "kind": KIND,
    "called": np.roll(KIND, 1),
    **{f"m_{name}": np.where(np.equal(KIND, name), 0.5, 0.25) for name in ("cat", "dog", "fox")},
    **{f"n_{name}": np.where(np.equal(KIND, name), 0.25, 0.375) for name in ("cat", "dog", "fox")},
}
VALUES = {"weights": COLUMNS["w"], "groups": COLUMNS["g"], "folds": COLUMNS["fold"]}
# For each word, values of which each must change what is read, or be refused.
PROBES = {
    "label": ["other", "nothing"],
    "labels": ["n_*", ["y", "other"]],
    "score": ["q", ["p", "q"], {"old": "q"}],
    "scores": ["n_*", {"a": "m_*", "b": "n_*"}, ["n_cat", "n_dog", "n_fox"]],
    "predicted": ["called", {"a": "called", "b": "kind"}, np.roll(KIND, 2)],
    "weight": ["w", "nothing"],
    "sampling_weight": ["w", "nothing"],
    "sampling_weights": [COLUMNS["w"], COLUMNS["w"][:5]],
    "stratum": ["fold", "nothing"],
    "strata": [COLUMNS["fold"], COLUMNS["fold"][:5]],
    "judge": ["other", np.roll(Y, 1)],
    "group": ["g"],
    "by": ["sex", ["sex", "fold"], COLUMNS["sex"], {"sex": COLUMNS["sex"]}],
    "fold": ["fold"],
    "site": ["sex", COLUMNS["sex"], "nothing"],
    "id": ["g"],
    "positive": [0, "cat", "nobody"],
    "negative": [1, "rest", ["cat", "dog"]],
    "classes": [[1, 0], ["fox", "dog", "cat"], ["a", "b"]],
    "ordered": [True, "yes"],
    "table": ["others"],
    "query": ["SELECT * FROM cases LIMIT 50"],
    "on_bad_row": ["nonsense"],
    "bins": [3, 0, 2.5],
    "max_distinct": [5, 0],
    "delimiter": ["~"],
    "decimal": [",", "x"],
    **{word: [values, values[:5]] for word, values in VALUES.items()},
}


def files(folder):
    frame = pd.DataFrame(COLUMNS)
    frame.to_csv(folder / "rows.csv", index=False)
    frame.to_parquet(folder / "rows.parquet")
    uc.ScoreTable.from_rows(Y == 1, COLUMNS["p"]).save(folder / "table.parquet")
    with contextlib.closing(sqlite3.connect(folder / "rows.db")) as database:
        frame.to_sql("cases", database, index=False)
        frame.iloc[:40].to_sql("others", database, index=False)
    return folder


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """For each kind of source, what it is and the words that it needs."""
    folder = files(tmp_path_factory.mktemp("door"))
    table = uc.ScoreTable.from_rows(Y == 1, COLUMNS["p"])
    frame = pl.DataFrame(COLUMNS)
    matrix = np.column_stack([COLUMNS[f"m_{name}"] for name in ("cat", "dog", "fox")])
    two, several = {"label": "y", "score": "p"}, {"label": "kind", "scores": "m_*"}
    decided = {"label": "kind", "predicted": "called"}
    address = f"sqlite:///{folder / 'rows.db'}"
    named = {
        "mapping": dict(COLUMNS),
        "pandas": frame.to_pandas(),
        "polars": frame,
        "lazy polars": frame.lazy(),
        "csv": folder / "rows.csv",
        "parquet": str(folder / "rows.parquet"),
    }
    return {
        "arrays": (Y, {"s": COLUMNS["p"]}),
        "arrays of several classes": (KIND, {"s": matrix}),
        "arrays of decisions": (KIND, {"predicted": COLUMNS["kind"]}),
        **{name: (source, two) for name, source in named.items()},
        **{f"{name}, several classes": (source, several) for name, source in named.items()},
        **{f"{name}, decisions": (source, decided) for name, source in named.items()},
        "database": (address, {**two, "table": "cases"}),
        "database, several classes": (address, {**several, "table": "cases"}),
        "database, decisions": (address, {**decided, "query": "SELECT * FROM cases"}),
        "table": (table, {}),
        "tables of subgroups": ({"F": table, "M": table}, {}),
        "saved table": (folder / "table.parquet", {}),
        "sample": (read(uc.Data(Y, COLUMNS["p"])), {}),
    }


KINDS = (
    "arrays",
    "arrays of several classes",
    "arrays of decisions",
    *(
        f"{name}{rest}"
        for name in ("mapping", "pandas", "polars", "lazy polars", "csv", "parquet", "database")
        for rest in ("", ", several classes", ", decisions")
    ),
    "table",
    "tables of subgroups",
    "saved table",
    "sample",
)


def fingerprint(sample):
    """All that tells one sample from another."""
    about = [
        type(sample).__name__,
        sample.classes,
        sample.is_multiclass,
        sample.models,
        sample.positive_label,
        sample.by,
    ]
    about += [sample.is_sampled, None if getattr(sample, "strata", None) is None else sample.strata.tolist()]
    about += [sample.ordinal, sample.is_weighted, sample.n_groups, sample.sizes.tolist(), sample.skipped]
    about += [
        {name: part.n for name, part in parts.items()}
        for parts in (sample.by_subgroup(), sample.by_fold(), sample.site_parts())
    ]
    for model in sample.models:
        has_scores = model in (sample.scores if isinstance(sample, InMemorySample) else sample.tables)
        for k in range(sample.n_classes if sample.is_multiclass else 1):
            about.append(sample.table(model, k if sample.is_multiclass else None).as_dict() if has_scores else None)
        about.append(sample.cells(model).matrix().tolist() if sample.is_multiclass else None)
    return repr(about)


def test_every_word_is_probed_on_every_kind(sources):
    assert set(PROBES) == set(get_type_hints(DataOptions))
    assert set(KINDS) == set(sources)


@pytest.fixture(scope="module")
def untouched(sources):
    """What is read of each kind when no word is added: read once for all words."""
    return {kind: fingerprint(read(uc.Data(source, **words))) for kind, (source, words) in sources.items()}


@pytest.mark.parametrize("word", PROBES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_word_acts_or_is_refused(sources, untouched, kind, word):
    source, words = sources[kind]
    for value in PROBES[word]:
        if value is words.get(word):
            continue
        try:
            after = fingerprint(read(uc.Data(source, **{**words, word: value})))
        except uc.UnconfuseError as error:
            assert len(str(error)) > 20
        else:
            assert after != untouched[kind], f"{word}={value!r} changes nothing"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "table" not in kind and kind != "sample"])
def test_what_should_act_does(sources, kind):
    """No kind of source gets away with refusing what it could do."""
    source, words = sources[kind]
    named = not kind.startswith("arrays")
    asked = {"weight": "w", "group": "g", "by": "sex", "fold": "fold"} if named else {**VALUES, "by": COLUMNS["sex"]}
    found = read(uc.Data(source, **{**words, **asked}))
    assert found.is_weighted and found.n_groups == 20
    assert list(found.by_subgroup()) == ["F", "M"] and list(found.by_fold()) == ["0", "1", "2", "3"]
    assert list(found.by_subgroup()["F"].by_fold()) == ["0", "1", "2", "3"]
    assert found.n == COLUMNS["w"].sum()
    assert sum(part.n for part in found.by_fold().values()) == found.n


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.split(",")[0] in ("lazy polars", "database")])
def test_engines_divide_rows_that_they_add_up(sources, kind):
    source, words = sources[kind]
    found = read(uc.Data(source, **words, by="sex", fold="fold", weight="w"))
    assert isinstance(found, InMemorySample if "," in kind else AggregatedSample)
    expected = read(
        uc.Data(COLUMNS, **{key: each for key, each in words.items() if key not in ("table", "query")}, by="sex")
    )
    for name, part in expected.by_subgroup().items():
        assert found.by_subgroup()[name].n == float(COLUMNS["w"][COLUMNS["sex"] == name].sum())
        assert sum(each.n for each in found.by_subgroup()[name].by_fold().values()) == found.by_subgroup()[name].n
        assert part.classes == found.classes


SAME = [kind for kind in KINDS if kind.split(",")[0] in ("pandas", "lazy polars", "csv", "parquet", "database")]


@pytest.mark.parametrize("kind", SAME)
def test_the_same_cases_come_from_everywhere(sources, kind):
    source, words = sources[kind]
    plain = {key: each for key, each in words.items() if key not in ("table", "query")}
    for rows in (False, True):
        found, expected = (
            read(uc.Data(given, **said), rows=rows) for given, said in ((source, words), (COLUMNS, plain))
        )
        assert found.classes == expected.classes and found.sizes.tolist() == expected.sizes.tolist()
        assert found.is_multiclass == expected.is_multiclass == ("," in kind)
        for k in range(3 if "several" in kind else 0):
            assert found.table(k=k) == expected.table(k=k)
        if found.is_multiclass:
            np.testing.assert_array_equal(found.cells().matrix(), expected.cells().matrix())
        else:
            assert found.table() == expected.table()


@pytest.mark.parametrize("name", ["mapping", "pandas", "lazy polars", "csv", "parquet", "database"])
def test_several_models_of_several_classes_are_one_sample(sources, name):
    source, words = sources[name]
    more = {key: each for key, each in words.items() if key in ("table", "query")}
    found = read(uc.Data(source, label="kind", scores={"a": "m_*", "b": "n_*"}, predicted={"c": "called"}, **more))
    assert found.models == ("a", "b", "c") and found.is_multiclass and isinstance(found, InMemorySample)
    assert found.cells("a").margins().tp.sum() == N and found.cells("b").margins().tp.sum() == 0
    arrays = {name: np.column_stack([COLUMNS[f"{name}_{kind}"] for kind in ("cat", "dog", "fox")]) for name in "mn"}
    same = read(uc.Data(KIND, {"a": arrays["m"], "b": arrays["n"]}, predicted={"c": COLUMNS["called"]}))
    for model in found.models:
        np.testing.assert_array_equal(found.cells(model).matrix(), same.cells(model).matrix())


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "table" not in kind and kind != "sample"])
def test_bad_rows_are_left_out_and_counted(sources, kind, tmp_path):
    """A missing label, a missing and an infinite score, a missing decision, a bad weight and a missing group."""
    _, words = sources[kind]
    frame = pd.DataFrame(COLUMNS).astype({"w": float, "y": object, "g": object, "kind": object, "called": object})
    frame.loc[0, ["y", "kind"]] = None
    for column in ("p", "m_cat"):
        frame.loc[1, column], frame.loc[2, column] = np.nan, np.inf
    frame.loc[3, "called"] = None
    frame.loc[4, "w"] = -1
    frame.loc[5, "g"] = None
    by_name = {name: frame[name].to_numpy() for name in frame}
    source, options = spoilt(kind, frame, tmp_path), {key: each for key, each in words.items() if key != "s"}
    if kind.startswith("arrays"):
        given = {"s": by_name["p"]} if kind == "arrays" else {"predicted": by_name["called"]}
        if "several" in kind:
            given = {"s": np.column_stack([by_name[f"m_{name}"] for name in ("cat", "dog", "fox")])}
        source = by_name["y" if kind == "arrays" else "kind"]
        options = {**given, "weights": by_name["w"], "groups": by_name["g"]}
    else:
        options |= {"weight": "w", "group": "g"}
    found = read(uc.Data(source, **options, on_bad_row="skip"))
    decided = "decisions" in kind
    scores = {"missing prediction": 1} if decided else {"missing score": 1, "infinite score": 1}
    assert dict(found.skipped.counts) == {
        "missing label": 1,
        **scores,
        "missing, infinite or negative weight": 1,
        "missing group": 1,
    }
    with pytest.raises(uc.UnconfuseError, match="missing values"):
        read(uc.Data(source, **options))


def spoilt(kind, frame, folder):
    name = kind.split(",")[0]
    if name == "csv":
        frame.to_csv(folder / "a.csv", index=False)
        return folder / "a.csv"
    if name == "parquet":
        frame.astype({"y": float, "g": float}).to_parquet(folder / "a.parquet")
        return folder / "a.parquet"
    if name == "database":
        with contextlib.closing(sqlite3.connect(folder / "a.db")) as database:
            frame.to_sql("cases", database, index=False)
        return f"sqlite:///{folder / 'a.db'}"
    if "polars" in name:
        made = pl.from_pandas(frame.astype({"y": float, "g": float}))
        return made.lazy() if "lazy" in name else made
    return frame if name == "pandas" else {each: frame[each].to_numpy() for each in frame}


def test_bins_are_made_of_every_source(sources):
    for kind in ("arrays", "mapping", "lazy polars", "csv", "database", "table"):
        source, words = sources[kind]
        found = read(uc.Data(source, **words, bins=5), edges=[0.4])
        assert isinstance(found, AggregatedSample) and len(found.table()) <= 6 and not found.table().is_exact
        assert found.table().counts_at(0.4) == uc.ScoreTable.from_rows(Y == 1, COLUMNS["p"]).counts_at(0.4)


def test_classes_of_a_question_are_named():
    assert read(uc.Data(["ill", "well"], [0.1, 0.2], positive="ill")).classes == ("well", "ill")
    assert read(uc.Data(["a", "b", "c"], [0.1, 0.2, 0.3], positive="b", negative="rest")).classes == ("not b", "b")
    assert read(uc.Data([True, False], [0.1, 0.2])).classes == ("False", "True")
    named = read(uc.Data(["a", "b"], [0.1, 0.2], classes=["b", "a"]))
    assert named.classes == ("b", "a") and named.truth.tolist() == [True, False]
    with pytest.raises(uc.UnconfuseError, match="`classes` names 'a', 'c', but the labels are 'a', 'b'"):
        read(uc.Data(["a", "b"], [0.1, 0.2], classes=["a", "c"]))


def test_what_has_been_read_passes_through():
    sample = read(uc.Data(Y, COLUMNS["p"]))
    assert read(uc.Data(sample)) is sample


class Frame:
    """Looks like a frame of Spark: what can be refused is refused before anything is asked of it."""

    columns = ("y", "p")


Frame.__module__, Frame.__name__ = "pyspark.sql.classic.dataframe", "DataFrame"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"weights": [1.0]}, "on a cluster"),
        ({"groups": [1.0]}, "on a cluster"),
        ({"folds": [1.0]}, "on a cluster"),
        ({"by": np.array(["a"])}, "on a cluster"),
        ({"predicted": np.array(["a"])}, "on a cluster"),
        ({"table": "x"}, "chooses rows of a database"),
        ({"delimiter": ","}, "CSV file"),
        ({"on_bad_row": "x"}, "must be one of"),
        ({"bins": 0}, "at least 1"),
        ({"max_distinct": 0}, "at least 1"),
        ({"scores": "p_*", "positive": 1}, "yes-or-no question"),
    ],
)
def test_spark_refuses_what_means_nothing_there(words, said):
    with pytest.raises(uc.UnconfuseError, match=said):
        read(uc.Data(Frame(), **words))
