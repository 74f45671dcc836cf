"""The same rows as arrays, on Spark in one process, on two executors, and through Spark Connect: the same numbers."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.ingest import read

SCRIPT = Path(__file__).with_name("spark_scenarios.py")
pytestmark = [
    pytest.mark.needs("Spark"),
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, which is not on this machine"),
    pytest.mark.skipif(importlib.util.find_spec("pyspark") is None, reason="pyspark is not installed"),
]
KINDS = ("local", "connect", "cluster")


def _scenarios() -> Any:
    spec = importlib.util.spec_from_file_location("spark_scenarios", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def scenarios() -> Any:
    return _scenarios()


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What each kind of session gave; run once, when first asked for."""
    found: dict[str, Any] = {}

    def run(kind: str) -> Any:
        if kind not in found:
            found[kind] = _run(kind, tmp_path_factory.mktemp(kind))
        return found[kind]

    return run


def _run(kind: str, folder: Path) -> Any:
    environment = {**os.environ, "PYTHONWARNINGS": "default", "SPARK_LOCAL_IP": "127.0.0.1"}
    if kind == "cluster":
        environment["SPARK_HOME"] = str(_writable_home(folder / "home"))
    command = [sys.executable, str(SCRIPT), kind, str(folder / "out.pkl")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return pickle.loads((folder / "out.pkl").read_bytes())


def _writable_home(folder: Path) -> Path:
    """Executors write into SPARK_HOME/work: a folder of links to the installed Spark, where they may."""
    import pyspark

    folder.mkdir()
    for each in Path(pyspark.__file__).parent.iterdir():
        if each.name != "work":
            (folder / each.name).symlink_to(each)
    return folder


@pytest.fixture(scope="module")
def rows(scenarios: Any) -> Any:
    return scenarios.data()


def _same_table(found: tuple[Any, ...], table: Any, tolerance: float = 0.0) -> None:
    for ours, theirs in zip(found[:3], (table.score, table.positives, table.negatives), strict=True):
        if tolerance:
            np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=0)
        else:
            np.testing.assert_array_equal(ours, theirs)
    assert found[3] is None


@pytest.mark.parametrize("kind", KINDS)
def test_tables_are_those_of_the_arrays_bit_for_bit(kind: str, outcome: Any, rows: Any) -> None:
    expected = read(uc.Data(rows, label="y", score=["a", "b", "zero"], weight="w"))
    for found in outcome(kind)["weighted"].values():
        for model in ("a", "b", "zero"):
            _same_table(found[model], expected.table(model))


def test_fractional_weights_agree_to_rounding(outcome: Any, rows: Any) -> None:
    expected = read(uc.Data(rows, label="word", score="b", weight="f", positive="yes")).table()
    for found in outcome("local")["fractions"].values():
        _same_table(found, expected, tolerance=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_evaluate_gives_the_same_numbers(kind: str, outcome: Any, rows: Any) -> None:
    expected = uc.evaluate(rows["y"], rows["a"]).as_dict()["metrics"]
    found = outcome(kind)["evaluate"]["metrics"]
    assert found.keys() == expected.keys()
    for name, each in expected.items():
        for part in ("value", "low", "high"):
            np.testing.assert_equal(found[name][part], each[part])


@pytest.mark.parametrize("kind", KINDS)
def test_paired_comparison_gives_the_same_numbers(kind: str, outcome: Any, rows: Any) -> None:
    wanted = ["auroc", "accuracy", "mcc"]
    expected = uc.compare(rows["y"], {name: rows[name] for name in "ab"}, metrics=wanted).rows()
    _same_differences(outcome(kind)["compare"], expected)


def test_the_usual_metrics_are_compared(outcome: Any, rows: Any) -> None:
    expected = uc.compare(rows["y"], {name: rows[name] for name in "ab"}).rows()
    _same_differences(outcome("local")["usual metrics"], expected)


def test_comparisons_do_not_depend_on_the_partitions(outcome: Any) -> None:
    first, second = outcome("local")["compared in any order"]
    np.testing.assert_equal(first, second)


def test_scores_without_room_on_the_driver_are_compared_by_a_join(outcome: Any, rows: Any, scenarios: Any) -> None:
    scores = {name: rows[name] for name in "ab"}
    found = outcome("local")
    _same_differences(
        found["joined comparison"], uc.compare(rows["y"], scores, metrics=scenarios.EXACT).rows(), adjusted=False
    )
    expected = uc.compare(rows["y"], scores, weights=rows["w"], metrics=["auroc", "brier"]).rows()
    _same_differences(found["joined comparison, weighted"], expected)


def test_binned_scores_are_compared_alike_on_the_driver_and_by_a_join(outcome: Any) -> None:
    here, there = outcome("local")["binned comparison"]
    _same_differences(here, there)


def test_what_the_executors_are_asked(outcome: Any) -> None:
    """Once for the labels and once for all tables; bins of many rows need their number and a sample of scores first."""
    assert outcome("local")["passes"] == {"evaluate": 2, "bins": 2, "few bins": 4, "compare": 2}


def test_executors_get_this_interpreter_unless_another_is_named(tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "from unconfuse.ingest._spark_session import open_session\n"
        "session, close = open_session('local[1]')\n"
        "def who(batches):\n"
        "    import pyarrow as pa\n"
        "    yield pa.RecordBatch.from_pydict({'who': [sys.executable + os.environ.get('NAMED', '')]})\n"
        "print(session.range(1).mapInArrow(who, 'who string').collect()[0]['who'])\n"
        "close()\n"
    )
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nNAMED=,named exec "{sys.executable}" "$@"\n', encoding="utf-8")
    other.chmod(0o755)
    without = {name: each for name, each in os.environ.items() if name != "PYSPARK_PYTHON"}
    without |= {"SPARK_LOCAL_IP": "127.0.0.1"}
    named = {**without, "PYSPARK_PYTHON": str(other)}
    for environment, expected in ((without, sys.executable), (named, f"{sys.executable},named")):
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]
        assert done.stdout.split()[-1] == expected


def test_weighted_comparison_of_three_models(outcome: Any, rows: Any) -> None:
    scores = {name: rows[name] for name in "abc"}
    expected = uc.compare(rows["y"], scores, weights=rows["w"], metrics=["auroc", "brier"]).rows()
    _same_differences(outcome("local")["weighted comparison"], expected, adjusted=False)


def test_sampling_weights_are_those_of_the_rows(outcome: Any, rows: Any) -> None:
    expected = uc.evaluate(rows["y"], rows["a"], sampling_weights=rows["f"], n_resamples=200).as_dict()["metrics"]
    found = outcome("local")["sampled"]["metrics"]
    assert found.keys() == expected.keys()
    for name in ("auroc", "average_precision", "brier", "sensitivity", "mcc"):
        assert [found[name][part] for part in ("value", "low", "high")] == pytest.approx(
            [expected[name][part] for part in ("value", "low", "high")], rel=1e-10
        )
    scores = {name: rows[name] for name in "ab"}
    several = uc.compare(rows["y"], scores, sampling_weights=rows["f"], metrics=["auroc", "brier", "mcc"]).rows()
    _same_differences(outcome("local")["sampled comparison"], several)


def _same_differences(found: Any, expected: Any, *, adjusted: bool = True) -> None:
    """By formula to rounding; where cases are drawn, by other draws of the same distribution."""
    assert [each["metric"] for each in found] == [each["metric"] for each in expected]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours["difference"] == pytest.approx(theirs["difference"], abs=1e-12)
        assert ours["test"] == theirs["test"]
        by_draws = "bootstrap" in ours["test"]
        room = 0.15 * (theirs["high"] - theirs["low"])
        for part in ("low", "high"):
            assert ours[part] == pytest.approx(theirs[part], abs=room if by_draws else 1e-10)
        if not by_draws:
            assert ours["p_value"] == pytest.approx(theirs["p_value"], rel=1e-8, abs=1e-300)
        if adjusted:
            assert ours["verdict"] == theirs["verdict"]


def test_groups_and_other_metrics_are_resampled_on_the_cluster(outcome: Any, rows: Any) -> None:
    scores = {name: rows[name] for name in "ab"}
    found = outcome("local")
    for ours, theirs in (
        (
            found["clustered comparison"],
            uc.compare(rows["y"], scores, groups=rows["g"], metrics=["auroc", "mcc"], n_resamples=1000).rows(),
        ),
        (found["resampled comparison"], uc.compare(rows["y"], scores, metrics=["ks"], n_resamples=1000).rows()),
    ):
        for one, other in zip(ours, theirs, strict=True):
            assert one["difference"] == pytest.approx(other["difference"], abs=1e-12)
            assert one["high"] - one["low"] == pytest.approx(other["high"] - other["low"], rel=0.25)
    single = uc.evaluate(rows["y"], rows["a"], groups=rows["g"], metrics=["auroc"], n_resamples=1000)["auroc"]
    ours = found["clustered"]["metrics"]["auroc"]
    assert ours["value"] == single.value
    assert ours["high"] - ours["low"] == pytest.approx(single.high - single.low, rel=0.25)


def test_a_baseline_needs_no_column(outcome: Any, rows: Any) -> None:
    expected = uc.compare(rows["y"], {"a": rows["a"]}, baselines=["majority"], metrics=["accuracy"]).rows()
    _same_differences(outcome("local")["baseline"], expected)


def test_cards_and_crossings_come_from_the_table(outcome: Any, rows: Any) -> None:
    card = uc.threshold_card(rows["y"], rows["a"], n_resamples=100)
    assert outcome("local")["card"] == card["youden"].threshold.value
    assert outcome("local")["indistinguishability"] == uc.indistinguishability(rows["y"], rows["b"]).threshold.value


# -- subgroups


@pytest.mark.parametrize("name", ["one column", "two columns, weighted"])
def test_subgroups_are_those_of_the_rows(name: str, outcome: Any, rows: Any, scenarios: Any) -> None:
    expected = uc.evaluate(rows, label="y", score="b", n_resamples=200, **scenarios.BY[name])
    found = outcome("local")["by"][name]
    assert list(found) == ["(everyone)", *expected.subgroups] and "(missing)" in " ".join(found)
    np.testing.assert_equal(found, scenarios.subgroups(expected))


def test_subgroups_of_binned_scores_have_bounds(outcome: Any, rows: Any) -> None:
    exact = uc.evaluate(rows, label="y", score="b", by="sex", n_resamples=200).subgroups
    found = outcome("local")["bounded by"]
    assert list(found) == list(exact)
    for name, part in found.items():
        _within(part, exact[name])


# -- several classes


@pytest.mark.parametrize(
    "name",
    ["probabilities", "scores with ties", "two classes", "decisions", "decisions in groups", "decisions beside scores"],
)
def test_several_classes_are_those_of_the_rows(name: str, outcome: Any, rows: Any, scenarios: Any) -> None:
    expected = scenarios.judged({key: each for key, each in rows.items() if key != "sex"}, **scenarios.SEVERAL[name])
    found = outcome("local")["several"][name]
    assert found["confusion"] == expected["confusion"]
    np.testing.assert_equal(found["classes"], expected["classes"])
    assert found["estimates"].keys() == expected["estimates"].keys()
    without = {key for key, each in found["estimates"].items() if "cluster" in f"{each[3]} {each[4]}"}
    for key, each in found["estimates"].items():
        value, low, high, method, undefined = expected["estimates"][key]
        if key not in without:
            assert (method, undefined) == each[3:]
            np.testing.assert_allclose(each[:3], (value, low, high), rtol=1e-9)
        elif each[4] is None:  # averages over classes: the value, and why there is no interval
            np.testing.assert_allclose(each[0], value, rtol=1e-12)
            assert np.isnan(each[1:3]).all()
    rows_alone = ("confident", "not probabilities")  # the first needs rows, the second names one
    assert [each for each in found["findings"] if not any(word in each for word in rows_alone)] == [
        each for each in expected["findings"] if not any(word in each for word in rows_alone)
    ]
    for end, columns in expected["per class"].items():
        for metric, column in columns.items():
            np.testing.assert_allclose(found["per class"][end][metric], column, rtol=1e-12)
    assert without == (LEFT_OUT if name == "probabilities" or name.endswith("scores") else without & LEFT_OUT)


LEFT_OUT = {"auroc_ovr_macro", "auroc_ovr_weighted", "auroc_hand_till", "ece_top_label", "ece_classwise", "aurc"}


# -- bins


def _inside(found: tuple[Any, ...], exact: Any) -> uc.ScoreTable:
    """A binned table that holds the exact one: every bin has exactly the cases of its scores."""
    low, positives, negatives, high = found
    assert high is not None and (low <= high).all() and (high[1:] < low[:-1]).all()
    block = np.searchsorted(-low, -exact.score)  # the first bin that begins at or below the score
    assert (exact.score <= high[block]).all() and (exact.score >= low[block]).all()
    for ours, theirs in ((positives, exact.positives), (negatives, exact.negatives)):
        np.testing.assert_array_equal(np.bincount(block, theirs, minlength=len(low)), ours)
    return uc.ScoreTable(low, positives, negatives, high)


@pytest.mark.parametrize("kind", KINDS)
def test_bins_hold_exactly_their_cases(kind: str, outcome: Any, rows: Any) -> None:
    table = _inside(outcome(kind)["bounded"], uc.score_table(rows["y"], rows["b"]))
    assert 32 < len(table) <= 130
    assert (table.positives + table.negatives).max() < 4 * len(rows["y"]) / 64


def _within(bounds: Any, exact: Any) -> None:
    """Every bound holds the exact value; some metrics have none."""
    known = {name for name, each in bounds.items() if not np.isnan(each[0])}
    assert {"auroc", "brier", "sensitivity", "precision"} <= known
    for name in known:
        value = exact[name].value
        low, high = bounds[name]
        assert np.isnan(value) or low - 1e-12 <= value <= high + 1e-12, name
    assert bounds["auroc"][0] < bounds["auroc"][1] and bounds["sensitivity"][0] == bounds["sensitivity"][1]


def test_evaluate_of_bins_bounds_the_exact_value(outcome: Any, rows: Any) -> None:
    _within(outcome("local")["bounds"], uc.evaluate(rows["y"], rows["b"], n_resamples=200))


def test_bins_do_not_depend_on_the_partitions(outcome: Any) -> None:
    first, *others = outcome("local")["bins"].values()
    for other in others:
        for ours, theirs in zip(first, other, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_too_many_distinct_scores_are_binned_and_the_threshold_stays_exact(outcome: Any, rows: Any) -> None:
    exact = uc.score_table(rows["y"], rows["b"])
    table = _inside(outcome("local")["too many"], exact) if outcome("local")["too many"][3] is not None else exact
    assert table.counts_at(0.5) == exact.counts_at(0.5)


# -- resamples: a plain twin


def _mix(word: int) -> int:
    mask = (1 << 64) - 1
    word = (word + 0x9E3779B97F4A7C15) & mask
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & mask
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & mask
    return word ^ (word >> 31)


def _drawn(key: int, seed: int, resample: int) -> int:
    """How often a case is drawn: inversion of Poisson(1) at 16 bits of a hash."""
    bits = (_mix(key ^ _mix(_mix(seed) ^ (resample // 4))) >> (16 * (resample % 4))) & 0xFFFF
    chance, below, count = np.exp(-1.0), np.exp(-1.0), 0
    while bits >= round(below * 65536) and count < 12:
        count += 1
        chance /= count
        below += chance
    return count


def _key(*words: float) -> int:
    key = 0
    for word in words:
        bits = np.float64(word).view(np.uint64) if isinstance(word, float) else np.int64(word).view(np.uint64)
        key = _mix(key ^ int(bits))
    return key


def _keys(kind: str, rows: Any) -> list[int]:
    if kind == "content":
        seen: dict[tuple[Any, ...], int] = {}
        keys = []
        for y, a, b in zip(rows["y"], rows["a"], rows["b"], strict=True):
            case = int(y), float(a), float(b)
            seen[case] = seen.get(case, 0) + 1
            keys.append(_key(*case, seen[case]))
        return keys
    column, copy = (rows["id"], 1) if kind == "id" else (rows["g"], 0)
    return [
        _key(int(hashlib.md5(str(each).encode(), usedforsecurity=False).hexdigest()[:15], 16), copy) for each in column
    ]


@pytest.mark.parametrize("kind", ["content", "id", "group"])
def test_resamples_are_those_of_a_plain_twin(kind: str, outcome: Any, rows: Any, scenarios: Any) -> None:
    keys, some = _keys(kind, rows), (0, 1, 2, 3, 57, 119)
    positive = rows["y"] == 1
    for found in outcome("local")["replicates"][kind].values():
        for model, lowest in scenarios.BANDS.items():
            band = (rows[model][:, None] < lowest).sum(axis=1)
            for resample in some:
                drawn = np.array([_drawn(key, 3, resample) for key in keys], dtype=float)
                for members, ours in zip((positive, ~positive), found[model], strict=True):
                    expected = np.bincount(band[members], drawn[members], minlength=len(lowest))
                    np.testing.assert_array_equal(ours[resample], expected)


@pytest.mark.parametrize("kind", KINDS)
def test_resamples_are_the_same_on_every_kind_of_session(kind: str, outcome: Any) -> None:
    first = outcome("local")["replicates"]["group"]["shuffled, 3"]
    for model, pair in outcome(kind)["grouped"].items():
        np.testing.assert_array_equal(pair, first[model])


def test_a_row_of_weight_two_is_drawn_as_two_rows(outcome: Any, rows: Any, scenarios: Any) -> None:
    repeated = {name: np.repeat(rows[name], rows["w"]) for name in ("y", "a", "b")}
    keys = _keys("content", repeated)
    drawn = np.array([_drawn(key, 3, 11) for key in keys], dtype=float)
    band = (repeated["a"][:, None] < scenarios.BANDS["a"]).sum(axis=1)
    members = repeated["y"] == 1
    expected = np.bincount(band[members], drawn[members], minlength=len(scenarios.BANDS["a"]))
    np.testing.assert_array_equal(outcome("local")["weight as copies"]["a"][0][11], expected)


def test_draws_are_poisson_with_mean_one() -> None:
    from unconfuse.ingest._spark_executor import keys_of, multiplicities

    drawn = multiplicities(keys_of([np.arange(20_000)]), 5, 0, 40).astype(float)
    assert drawn.mean() == pytest.approx(1, abs=0.01)
    assert drawn.var() == pytest.approx(1, abs=0.02)
    correlation = np.corrcoef(drawn)
    assert np.abs(correlation - np.eye(40)).max() < 0.04


# -- what goes wrong


ERRORS = {
    "null": "column 'a' has missing values (null or NaN): 4 of 1200 rows",
    "nan": "column 'a' has missing values (null or NaN): 3 of 1200 rows",
    "infinite": "column 'a' has infinite values: 3 of 1200 rows, such as -inf",
    "huge whole numbers": "column 'a' has integers above 2^53, where neighbouring ones would become ties: 1200",
    "negative weight": "column 'w' has negative values: 3 of 1200 rows, such as -2.0",
    "no weight": "column 'w' is zero in every row",
    "missing label": "column 'y' has missing values: 3 of 1200 rows",
    "missing group": "column 'g' has missing values",
    "which label": "which label is positive? found 'no' (833 rows), 'yes' (367 rows)",
    "too many labels": "found more than 100",
    "text": "column 'word' must hold numbers; Spark says that it holds string",
    "no column": "the Spark frame has no column 'A'",
    "repeated id": "Hint: keep one row for each case",
    "one class": "the labels hold one class only",
    "no rows": "there are no rows",
    "vanished": "Spark could not read a file",
    "failing column": "a column has the wrong type for Spark",
    "csv": "column 'p' must hold numbers: 1 of 3 rows, such as 'n/a'",
    "no file": "Path does not exist",
    "fractions": "weights that are not whole numbers",
    "subgroups of ids": "'id' would divide 1,200 rows into 1,200 subgroups",
    "subgroups in groups": "subgroups of cases that belong to groups need rows",
    "values apart": "rows are needed here, but they are on a cluster",
    "unknown class": "column 'kind' holds 'fox', which is none of the classes ('cat', 'dog')",
    "missing class score": "column 'p_dog' has missing values (null or NaN): 3 of 1200 rows",
    "missing decision": "column 'hat' has missing values",
    "bad weight of decisions": "column 'w' has missing, infinite or negative values",
    "classes in groups": "scores of several classes in groups need rows",
    "case-control groups": "resampled whole",
}


@pytest.mark.parametrize("name", ERRORS)
def test_each_mistake_gives_one_clear_error(name: str, outcome: Any) -> None:
    kind, said = outcome("local")["errors"][name]
    assert issubclass(
        getattr(uc, kind, None) or getattr(__import__("unconfuse._errors", fromlist=[kind]), kind), uc.UnconfuseError
    )
    assert ERRORS[name] in said
    assert "\n" not in said and "org.apache" not in said and len(said) < 600


def test_every_mistake_is_checked(outcome: Any) -> None:
    assert outcome("local")["errors"].keys() == ERRORS.keys()


def test_connect_complains_in_the_same_words(outcome: Any) -> None:
    kind, said = outcome("connect")["errors"]["no file"]
    assert kind == "InputError" and "Spark could not read a file" in said and "org.apache" not in said


def test_bad_rows_can_be_left_out(outcome: Any, rows: Any) -> None:
    found = outcome("local")["skipped"]
    assert found["counts"] == {
        "missing score": 3,
        "infinite score": 4,
        "missing label": 1,
        "missing, infinite or negative weight": 1,
    }
    bad = [0, 1, 2, 3, 4, 5, 6, 9, 20]
    kept = {name: np.delete(rows[name], bad) for name in ("y", "a", "b", "w")}
    expected = read(uc.Data(kept, label="y", score=["a", "b"], weight="w"))
    for model in "ab":
        _same_table(found["tables"][model], expected.table(model))


def test_a_killed_executor_changes_nothing(outcome: Any, rows: Any) -> None:
    found = outcome("cluster")["killed"]
    assert len(found["before"]) == 2
    assert found["killed"] and found["killed"][0] not in found["after"]
    expected = read(uc.Data(rows, label="y", score=["a", "b"], weight="w"))
    for model in "ab":
        _same_table(found["tables"][model], expected.table(model))
    assert found["patterns"].sum() == rows["w"].sum()


def test_a_cluster_without_workers_is_given_up_after_the_time_out(outcome: Any) -> None:
    found = outcome("stalled")
    assert found["said"][0] == "EngineError" and "no task has run on Spark for 4 seconds" in found["said"][1]
    assert 4 <= found["seconds"] < 60


def test_nobody_at_the_address_is_said_at_once() -> None:
    from unconfuse._errors import EngineError
    from unconfuse.ingest._spark_session import open_session

    for master in ("spark://127.0.0.1:9", "sc://127.0.0.1:9"):
        with pytest.raises(EngineError, match="no Spark answers"):
            open_session(master)
    with pytest.raises(uc.UnconfuseError, match="is not a Spark master"):
        open_session("spark")


def test_no_java_and_no_pyspark_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from unconfuse._errors import EngineError
    from unconfuse.ingest._spark_session import open_session

    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(EngineError, match="Java, which is not here"):
        open_session("local[1]")
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(EngineError, match=r"unconfuse\[spark\]"):
        open_session("local[1]")


def test_the_command_line_reads_by_spark(outcome: Any, rows: Any) -> None:
    said = {name: json.loads(each) for name, each in outcome("local")["command line"].items()}
    found = said["compare"]["differences"][0]
    expected = uc.compare(rows["y"], {name: rows[name] for name in "ab"}, metrics=["auroc"]).rows()[0]
    assert found["difference"] == pytest.approx(expected["difference"], abs=1e-12)
    assert found["p_value"] == pytest.approx(expected["p_value"], rel=1e-8)
    parts = uc.evaluate(rows, label="y", score="b", by="sex", metrics=["auroc"]).subgroups
    assert {name: each["metrics"]["auroc"]["value"] for name, each in said["by"]["subgroups"].items()} == {
        name: each["auroc"].value for name, each in parts.items()
    }
    share = float((rows["kind"] == rows["hat"]).mean())
    assert said["several"]["metrics"]["accuracy"]["value"] == pytest.approx(share, abs=1e-12)
