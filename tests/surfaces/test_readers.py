"""Reader studies: Python, the command line, pictures, and what is refused."""

import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest

import unconfuse as uc

RNG = np.random.default_rng(2)
GRID = np.meshgrid(["with", "without"], ["ann", "bob", "cy", "di", "eve"], range(60), indexing="ij")
FRAME = pd.DataFrame({name: column.ravel() for name, column in zip("mrc", GRID, strict=True)})
FRAME["y"] = (FRAME.c < 25).astype(int)
SEEN = (1 + 0.9 * (FRAME.m == "with")) * FRAME.y + 0.5 * RNG.normal(size=60)[FRAME.c] + 0.8 * RNG.normal(size=600)
FRAME["s"], FRAME["d"] = SEEN.round(2), (SEEN > 0.7).astype(int)
ROLES = {"reader": "r", "case": "c", "truth": "y"}
WORDS = {**ROLES, "score": "s", "modality": "m"}


@pytest.fixture(scope="module")
def rd():
    return uc.readers(FRAME, **WORDS)


def test_differences_and_their_reverse(rd):
    one, back = rd["with", "without"], rd["without", "with"]
    assert one.verdict == "better" and back.verdict == "worse"
    assert one.difference.value == pytest.approx(rd["with"].value - rd["without"].value)
    assert (back.difference.low, back.difference.high) == (-one.difference.high, -one.difference.low)
    assert "AUROC of readers is" in one.sentence and one.sentence.endswith("for readers and cases like these.")


def test_readers_find_more_of_100():
    rd = uc.readers(FRAME, **ROLES, score="d", modality="m", metric="recall")
    gap = rd["with", "without"]
    more, low, high = (f"{100 * each:.0f}" for each in (gap.difference.value, gap.difference.low, gap.difference.high))
    assert gap.sentence.startswith(f"with: readers find {more} more of 100 positives than without [{low}, {high}], for")
    assert f"find {more} fewer of 100 positives than with" in rd["without", "with"].sentence
    positives = FRAME[(FRAME.y == 1) & (FRAME.m == "with")]
    assert rd["with"].value == pytest.approx(positives.d.mean())
    assert rd.by_reader("with")["ann"] == pytest.approx(positives[positives.r == "ann"].d.mean())


def test_intervals_speak_of_whom_they_are_asked_about(rd):
    widths = {}
    for scope in ("both", "cases", "readers"):
        found = uc.readers(FRAME, **WORDS, generalise=scope)
        assert found.generalised("both")["with"] == rd["with"]
        widths[scope] = found["with"].high - found["with"].low
    assert widths["both"] >= max(widths["cases"], widths["readers"]) * 0.9


def test_missing_readings_and_the_order_of_rows(rd):
    some = FRAME[RNG.random(len(FRAME)) < 0.8]
    found = uc.readers(some, **WORDS)
    assert found.missing == len(FRAME) - len(some) and "missing" in found.findings[-1].sentence
    again = uc.readers(some.sample(frac=1, random_state=1), **WORDS)
    assert again["with", "without"].difference.low == pytest.approx(found["with", "without"].difference.low, abs=1e-12)
    split = FRAME[(FRAME.m == "with") == FRAME.r.isin(["ann", "bob", "cy"])]  # no reader reads with and without
    assert uc.readers(split, **WORDS)["with", "without"].difference.low < 1


def test_one_modality_has_a_mean_and_a_new_reader():
    rd = uc.readers(FRAME[FRAME.m == "with"], **ROLES, score="s")
    new = rd.new_reader()
    assert new.low <= rd.mean.low < rd.mean.value < rd.mean.high <= new.high and "one more reader" in rd.sentence
    with pytest.raises(uc.UnconfuseError, match="requires two modalities"):
        rd.plan(difference=0.1)
    assert "plan at least" in rd.plan(width=0.2).sentence


def test_more_readers_need_fewer_cases(rd):
    rows = rd.plan(difference=0.1, readers=[4, 8, 16]).rows()
    assert [each["readers"] for each in rows] == [4, 8, 16]
    assert rows[0]["cases"] >= rows[1]["cases"] >= rows[2]["cases"]
    assert "not enough" in rd.plan(difference=0.0001).sentence


@pytest.mark.parametrize(
    ("frame", "words", "match"),
    [
        (FRAME[FRAME.r == "ann"], {}, "at least 2 readers; got 1"),
        (pd.concat([FRAME, FRAME[:1]]), {}, "twice"),
        (FRAME.assign(y=np.arange(600) % 7 % 2), {}, "positive in some rows"),
        (FRAME[FRAME.y == 1], {}, "at least 2 negative|one class"),
        (FRAME, {"metric": "sensitivity"}, "requires decisions"),
        (FRAME, {"metric": "brier"}, "metric"),
        (FRAME, {"generalise": "all"}, "generalise"),
        (FRAME, {"score": "r"}, "column of its own"),
        (FRAME, {"case": "nothing"}, "no column"),
        (FRAME.assign(s=np.where(FRAME.index == 5, np.nan, FRAME.s)), {}, "missing"),
    ],
)
def test_bad_studies_are_refused(frame, words, match):
    with pytest.raises(uc.UnconfuseError, match=match):
        uc.readers(frame, **{**WORDS, **words})


def test_two_readers_say_nothing_about_others():
    rd = uc.readers(FRAME[FRAME.r.isin(["ann", "bob"])], **WORDS)
    assert math.isnan(rd["with"].low) and any("say nothing" in each.sentence for each in rd.findings)
    assert not math.isnan(rd.generalised("cases")["with", "without"].difference.low)


def test_results_are_plain_pickled_and_drawn(rd, tmp_path):
    assert json.loads(json.dumps(rd.as_dict()))["pairs"][0]["verdict"] == "better"
    assert pickle.loads(pickle.dumps(rd))["with"].value == rd["with"].value
    rd.plot(str(tmp_path / "readers.png"))
    assert (tmp_path / "readers.png").stat().st_size > 5000 and "5 readers" in rd._repr_html_()
    with pytest.raises(uc.UnconfuseError, match="no modality"):
        rd["nobody"]


def test_the_command_line(run, tmp_path, rd):
    FRAME.to_csv(tmp_path / "readings.csv", index=False)
    words = [each for role, name in WORDS.items() for each in (f"--{role}", name)]
    told = json.loads(run("readers", tmp_path / "readings.csv", *words, "--json").stdout)
    assert told["modalities"]["with"]["mean"]["low"] == pytest.approx(rd["with"].low)
    shown = run("readers", tmp_path / "readings.csv", *words, "--difference", "10%").stdout
    assert "plan at least" in " ".join(shown.split()) and "eve" in shown
    refused = run("readers", tmp_path / "readings.csv", *words, "--power", "0.9")
    assert refused.exit_code == 2 and "--difference" in refused.output


def test_benchmarks_from_predictions(run, tmp_path):
    y = RNG.integers(0, 2, 600)
    rows = pd.DataFrame({"d": np.repeat(list("abcdef"), 100), "y": y})
    rows["good"], rows["poor"] = y + RNG.normal(size=600), y + 3 * RNG.normal(size=600)
    data = uc.Data(rows, label="y", score=["good", "poor"])
    found = uc.benchmark(data, dataset="d")
    own = uc.compare(y[:100], {"good": rows.good[:100], "poor": rows.poor[:100]}, metrics=["auroc"])
    gap = own["auroc", "good", "poor"].difference
    assert found.scores[0, 0] - found.scores[0, 1] == pytest.approx(gap.value)
    assert found.pair_errors[0, 0] == pytest.approx(gap.standard_error)
    sites = uc.compare(data.source.y, {"good": rows.good, "poor": rows.poor}, site=rows.d, metrics=["auroc"]).sites
    pooled = sites["auroc", "good", "poor"].mean
    assert (found["good", "poor"].difference.low, found["good", "poor"].difference.high) == pytest.approx(
        (pooled.low, pooled.high)
    )
    rows.to_csv(tmp_path / "cases.csv", index=False)
    words = ["--dataset", "d", "--label", "y", "--score", "good", "--score", "poor"]
    assert "good is better than poor" in " ".join(run("benchmark", tmp_path / "cases.csv", *words).stdout.split())
    for given, match in (
        ({"better": "lower"}, "describes results"),
        ({"metric": "prevalence", "threshold": 0.5}, "no value that it is better"),
        ({"model": "y"}, "requires"),
    ):
        with pytest.raises(uc.UnconfuseError, match=match):
            uc.benchmark(data, dataset="d", **given)
    with pytest.raises(uc.UnconfuseError, match="one class"):
        uc.benchmark(
            uc.Data(rows.assign(y=np.where(rows.d == "a", 1, y)), label="y", score=["good", "poor"]), dataset="d"
        )
    with pytest.raises(uc.UnconfuseError, match="at least 3 data sets"):
        uc.benchmark(uc.Data(rows.assign(d="a"), label="y", score=["good", "poor"]), dataset="d")
