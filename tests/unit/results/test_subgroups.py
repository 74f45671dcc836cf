"""Subgroups: each is judged as if it were alone, and differences between them hold what they promise."""

from __future__ import annotations

import math
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats
from sklearn import metrics as sk

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import plain_json
from unconfuse._table_view import csv_text
from unconfuse.results.subgroup_pairs import subgroup_difference
from unconfuse.table import Settings
from unconfuse.uncertainty import ContrastSide, estimate_counts, estimate_scores
from unconfuse.uncertainty.difference_tests import holm

FEW = ["sensitivity", "precision", "queue_rate", "auroc", "f1", "lr_positive", "brier", "ks"]


def cases(n: int = 900, seed: int = 3) -> pd.DataFrame:
    """Women's sensitivity is lower; a few cases are of unknown sex, and one small site has no positives."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(np.array(["F", "M", None], dtype=object), n, p=[0.5, 0.44, 0.06])
    site = rng.choice(np.array(["north", "south"], dtype=object), n)
    y = rng.random(n) < 0.35
    site[:7], y[:7] = "island", False
    p = np.round(np.clip(0.35 + 0.3 * y - 0.12 * (y & (sex == "F")) + rng.normal(0, 0.17, n), 0, 1), 2)
    return pd.DataFrame(
        {
            "y": y.astype(int),
            "p": p,
            "sex": sex,
            "site": site,
            "w": rng.integers(1, 4, n),
            "clinic": rng.integers(0, 40, n),
        }
    )


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return cases()


@pytest.fixture(scope="module")
def by_sex(frame):
    return uc.evaluate(frame, label="y", score="p", by="sex", n_resamples=200).subgroups


def judge(frame, **options):
    found = uc.evaluate(frame, **{"label": "y", "score": "p", "n_resamples": 200, "metrics": FEW, **options})
    return found.subgroups if "by" in options else found


def same(one, other) -> None:
    """All estimates, counts and findings, bit for bit."""
    assert plain_json(one.as_dict()) == plain_json(other.as_dict())


# Every subgroup as if it were alone ----------------------------------------------------------------------------------


def test_a_subgroup_is_what_evaluate_gives_for_its_rows(frame, by_sex):
    for name in ("F", "M"):
        same(by_sex[name], uc.evaluate(frame[frame.sex == name], label="y", score="p", n_resamples=200))
    same(by_sex["(missing)"], uc.evaluate(frame[frame.sex.isna()], label="y", score="p", n_resamples=200))
    same(by_sex.overall, uc.evaluate(frame, label="y", score="p", n_resamples=200))
    assert list(by_sex) == ["F", "M", "(missing)"]
    assert by_sex["F"]["auroc"].conditions.endswith(f"of {(frame.sex == 'F').sum()}")


@pytest.mark.parametrize(
    "options",
    [
        {"design": "case-control"},
        {"weight": "w"},
        {"group": "clinic"},
        {"group": "clinic", "weight": "w"},
        {"confidence_level": 0.8, "rng": 5},
    ],
)
def test_so_it_is_with_any_design(frame, options):
    found = judge(frame, by="sex", **options)
    for name in ("F", "M"):
        same(found[name], judge(frame[frame.sex == name], **options))
    gaps = found.differences("auroc")
    assert [each.first for each in gaps] == ["M", "(missing)"]
    assert all(each.difference.low < each.difference.value < each.difference.high for each in gaps)


def test_crossed_columns(frame):
    found = judge(frame, by=["sex", "site"])
    assert list(found)[:3] == ["F, island", "F, north", "F, south"]
    same(found["M", "south"], judge(frame[(frame.sex == "M") & (frame.site == "south")]))
    assert found["M", "south"] is found["M, south"]
    assert sum(each.n for each in found.values()) == found.overall.n == len(frame)


@pytest.mark.parametrize("kind", [pl.DataFrame, pa.Table.from_pandas, dict])
def test_every_source_gives_the_same(frame, by_sex, kind):
    small = frame[["y", "p", "sex", "site"]]
    found = uc.evaluate(
        kind(small), label="y", score="p", by=["sex", "site"], metrics=["npv"], n_resamples=200
    ).subgroups
    same(found["F", "north"], judge(small[(small.sex == "F") & (small.site == "north")], metrics=["npv"]))
    arrays = uc.evaluate(
        frame.y, frame.p, by={"sex": frame.sex, "site": frame.site}, metrics=["npv"], n_resamples=200
    ).subgroups
    assert plain_json(arrays.as_dict()["subgroups"]) == plain_json(found.as_dict()["subgroups"])
    assert arrays.by == ("sex", "site")


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_files(frame, tmp_path, ending):
    path, small = tmp_path / f"data.{ending}", frame[["y", "p", "sex", "w"]]
    {
        "csv": lambda: small.to_csv(path, index=False),
        "parquet": lambda: small.to_parquet(path),
        "jsonl": lambda: small.to_json(path, orient="records", lines=True),
    }[ending]()
    found = uc.evaluate(path, label="y", score="p", by=["sex", "w"], metrics=["sensitivity", "auroc"]).subgroups
    expected = uc.evaluate(small, label="y", score="p", by=["sex", "w"], metrics=["sensitivity", "auroc"]).subgroups
    assert plain_json(found.as_dict()) == plain_json(expected.as_dict())


def test_tables_of_subgroups_are_enough(frame, by_sex):
    tables = {name: each.table for name, each in by_sex.items()}
    found = uc.evaluate(tables, by="sex", n_resamples=200, classes=["0", "1"], positive="1").subgroups
    assert plain_json(found.as_dict()) == plain_json(by_sex.as_dict())
    assert found.overall.table == by_sex.overall.table


def test_row_order_and_seed(frame, by_sex):
    again = uc.evaluate(frame.sample(frac=1, random_state=1), label="y", score="p", by="sex", n_resamples=200).subgroups
    assert plain_json(again.as_dict()) == plain_json(by_sex.as_dict())
    other = judge(frame, by="sex", rng=1)
    assert other["F"]["max_f1"].low != by_sex["F"]["max_f1"].low


def test_as_a_loop_over_scikit_learn(frame, by_sex):
    theirs = {
        "sensitivity": sk.recall_score,
        "precision": sk.precision_score,
        "accuracy": sk.accuracy_score,
        "f1": sk.f1_score,
        "mcc": sk.matthews_corrcoef,
    }
    for name, part in frame.groupby("sex"):
        for metric, function in theirs.items():
            assert by_sex[name][metric].value == pytest.approx(function(part.y, part.p >= 0.5), abs=1e-12)
        assert by_sex[name]["auroc"].value == pytest.approx(sk.roc_auc_score(part.y, part.p), abs=1e-12)
    women, men = (frame[frame.sex == each] for each in "FM")
    gaps = {  # equal opportunity, predictive parity, demographic parity
        "sensitivity": (sk.recall_score(women.y, women.p >= 0.5) - sk.recall_score(men.y, men.p >= 0.5)),
        "precision": (sk.precision_score(women.y, women.p >= 0.5) - sk.precision_score(men.y, men.p >= 0.5)),
        "queue_rate": (women.p >= 0.5).mean() - (men.p >= 0.5).mean(),
    }
    for metric, gap in gaps.items():
        assert by_sex.difference(metric, "F", "M").difference.value == pytest.approx(gap, abs=1e-12)


# What is odd is ordinary ---------------------------------------------------------------------------------------------


def test_one_class_and_few_cases_raise_nothing(frame):
    found = uc.evaluate(frame, label="y", score="p", by="site", n_resamples=200).subgroups
    island = found["island"]
    assert island.positives == 0
    assert math.isnan(island["sensitivity"].value)
    assert island["sensitivity"].undefined
    assert island["specificity"].low < 1
    for metric in found.overall:
        for each in (*found.differences(metric), *found.differences(metric, "rest")):
            assert each.verdict in ("better", "worse", "different", "cannot tell", "undefined")
            assert (each.verdict == "undefined") == bool(each.difference.undefined) == math.isnan(each.difference.value)
    assert "island has no value" in found.difference("sensitivity", "island", "north").difference.undefined
    words = " ".join(map(str, found.findings))
    assert "island (no positives, 7 negatives)" in words


def test_what_the_design_fixes_has_no_interval(frame):
    found = judge(frame, by="sex", design="case-control", metrics=["prevalence"])
    gap = found.difference("prevalence", "M", "F")
    assert math.isnan(gap.difference.low)
    assert "no interval" in gap.sentence
    assert not any("prevalence" in each.sentence for each in found.findings)


def test_single_cases_and_perfect_scores():
    y, s, by = [1, 0, 1, 0, 1, 0, 1], [0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.6], ["a", "a", "b", "b", "c", "d", "d"]
    found = uc.evaluate([*y[:-1], 0], s, by=by, n_resamples=100).subgroups
    for metric in found.overall:
        found.differences(metric)
    assert found.difference("auroc", "a", "b").p_value == 1
    assert found.difference("auroc", "a", "b").difference.value == 0
    assert len(found.findings) > 0
    assert uc.evaluate([1, 0], [0.9, 0.1], by=["x", "x"]).subgroups.findings[0].verdict == "one subgroup"


def test_infinite_ratios():
    one, other = (
        uc.ScoreTable.from_rows(np.array([1, 1, 0, 0]) > 0, np.array([0.9, 0.2, 0.1, 0.1])),
        uc.ScoreTable.from_rows(np.array([1, 1, 0, 0]) > 0, np.array([0.9, 0.2, 0.8, 0.1])),
    )
    found = uc.evaluate({"sure": one, "loose": other, "sure too": one}, metrics=["lr_positive"]).subgroups
    gap = found.difference("lr_positive", "sure", "loose").difference
    assert (gap.value, gap.high) == (math.inf, math.inf)
    assert 0 < gap.low < math.inf
    assert found.difference("lr_positive", "sure", "sure too").verdict == "undefined"


def test_missing_values_are_said(by_sex, frame):
    said = [each for each in by_sex.findings if each.verdict == "missing values"]
    assert f"{frame.sex.isna().sum()} cases have no value in sex" in said[0].sentence
    floats = uc.evaluate(frame.y, frame.p, by=np.where(frame.sex == "F", 1.0, np.nan), metrics=["npv"]).subgroups
    assert list(floats) == ["1", "(missing)"]
    blanks = uc.evaluate([1, 0, 1], [0.9, 0.1, 0.3], by=["x", " ", "x"], metrics=["npv"]).subgroups
    assert list(blanks) == ["x", "(missing)"]


def test_names_are_ordered_as_people_count():
    by = ["10-14", "5-9", "100+", "5-9", "10-14", "100+"]
    assert list(uc.evaluate([1, 0] * 3, np.linspace(0, 1, 6), by=by, metrics=["npv"]).subgroups) == [
        "5-9",
        "10-14",
        "100+",
    ]


@pytest.mark.parametrize("kind", [lambda f: f, lambda f: pl.DataFrame({"y": f.y, "p": f.p, "sex": f.sex}), dict])
def test_ordered_categories_keep_their_order(frame, kind):
    known = ["X", "M", "F"]
    if kind(frame).__class__ is pl.DataFrame:
        ordered = kind(frame).with_columns(pl.col("sex").cast(pl.Enum(known)))
    else:
        ordered = kind(frame.assign(sex=pd.Categorical(frame.sex, known, ordered=True)))
    assert list(judge(ordered, by="sex", metrics=["npv"])) == ["M", "F", "(missing)"]
    assert list(uc.evaluate(ordered["y"], ordered["p"], by=ordered["sex"], metrics=["npv"]).subgroups) == [
        "M",
        "F",
        "(missing)",
    ]


def test_names_with_commas_stay_apart():
    by = {"a": ["x, y", "x"], "b": ["z", "y, z"]}
    found = uc.evaluate([1, 0], [0.9, 0.1], by=by, metrics=["npv"]).subgroups
    assert len(found) == 2


def test_rows_of_weight_0_are_no_subgroup(frame):
    weights = np.where(frame.site == "island", 0, 1)
    assert "island" not in judge(frame, by="site", weights=weights)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"by": "gender"}, "no column 'gender'"),
        ({"by": []}, "names no column"),
        ({"by": "id"}, "900 subgroups"),
        ({"by": np.arange(3)}, "same length"),
        ({"by": np.zeros((900, 2))}, "one column of values"),
        ({"by": [["x", "z"]] * 900}, "one column of values"),
        ({"by": "sex", "reference": "X"}, "no subgroup 'X'"),
        ({"reference": "F"}, "give `by`"),
    ],
)
def test_refusals(frame, options, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        judge(frame.assign(id=np.arange(len(frame))), **options)


def test_more_refusals(frame, by_sex):
    table = by_sex.overall.table
    with pytest.raises(ArgumentError, match="no rows to divide"):
        uc.evaluate(table, by="sex")
    with pytest.raises(InputError, match="plain arrays"):
        uc.evaluate(frame.y.to_numpy(), frame.p.to_numpy(), by="sex")
    with pytest.raises(InputError, match="plain arrays"):
        uc.compare(frame.y.to_numpy(), {"a": frame.p.to_numpy(), "b": frame.p.to_numpy()}, by="sex")
    with pytest.raises(ArgumentError, match="with itself"):
        by_sex.difference("auroc", "F", "F")
    with pytest.raises(uc.UnconfuseError, match="'sensitivity'"):
        by_sex.differences("sensitivty")
    with pytest.raises(ArgumentError, match="whole"):
        judge(frame, by="sex", group="clinic", design="case-control")


# Differences ---------------------------------------------------------------------------------------------------------


def newcombe(x1: int, n1: int, x2: int, n2: int) -> tuple[float, float]:
    """His method 10, from Wilson's intervals."""
    a, b = (stats.binomtest(x, n).proportion_ci(method="wilson") for x, n in ((x1, n1), (x2, n2)))
    p, q = x1 / n1, x2 / n2
    return (p - q - math.hypot(p - a.low, b.high - q), p - q + math.hypot(a.high - p, q - b.low))


def wilson_side(name: str, x: int, n: int) -> ContrastSide:
    counts = uc.Counts(tp=x, fp=0, fn=n - x, tn=0)
    return ContrastSide(
        name, estimate_counts(uc.METRICS["sensitivity"], counts, method="wilson"), uc.ScoreTable.empty()
    )


@pytest.mark.parametrize(
    ("cells", "published"),
    [((56, 70, 48, 80), (0.0524, 0.3339)), ((9, 10, 3, 10), (0.1705, 0.8090)), ((10, 10, 0, 20), (0.6791, 1.0))],
)
def test_square_and_add_as_published(cells, published):
    """Newcombe (1998), Statistics in Medicine 17:873, table II, method 10."""
    found = subgroup_difference(uc.METRICS["sensitivity"], wilson_side("a", *cells[:2]), wilson_side("b", *cells[2:]))
    assert (found.difference.low, found.difference.high) == pytest.approx(published, abs=6e-5)
    assert (found.difference.low, found.difference.high) == pytest.approx(newcombe(*cells), abs=1e-9)


def test_delong_of_different_cases(by_sex, frame):
    """Against placements averaged by hand."""
    parts = []
    for name in "FM":
        part = frame[frame.sex == name]
        wins = np.array([[(a > b) + (a == b) / 2 for b in part.p[part.y == 0]] for a in part.p[part.y == 1]])
        parts.append((wins.mean(), wins.mean(1).var(ddof=1) / wins.shape[0] + wins.mean(0).var(ddof=1) / wins.shape[1]))
    z = (parts[0][0] - parts[1][0]) / math.sqrt(parts[0][1] + parts[1][1])
    found = by_sex.difference("auroc", "F", "M")
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)
    assert by_sex.difference("gini", "F", "M").p_value == pytest.approx(found.p_value)
    assert found.test == "DeLong, independent"


def test_a_p_value_agrees_with_its_interval(by_sex):
    for metric in by_sex.overall:
        found = by_sex.difference(metric, "F", "M")
        gap = found.difference
        if found.test.startswith("variance"):
            assert (found.p_value < 0.05) == (not gap.low <= gap.baseline <= gap.high), metric
    shares = by_sex.difference("sensitivity", "F", "M")
    table = [[float(by_sex[each].counts.tp), float(by_sex[each].counts.fn)] for each in "FM"]
    assert shares.p_value == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue, rel=0.5)


def test_ratios_are_compared_on_the_log_scale(by_sex):
    found = by_sex.difference("lr_positive", "F", "M")
    assert found.scale == "ratio"
    assert found.difference.value == pytest.approx(by_sex["F"]["lr_positive"].value / by_sex["M"]["lr_positive"].value)
    swapped = by_sex.difference("lr_positive", "M", "F").difference
    assert (1 / swapped.high, 1 / swapped.low) == pytest.approx((found.difference.low, found.difference.high))


def test_holm_over_subgroups(frame):
    found = judge(frame, by=["sex", "site"])
    for metric in ("precision", "auroc"):
        gaps = [each for each in found.differences(metric) if not math.isnan(each.p_value)]
        assert [each.adjusted_p_value for each in gaps] == pytest.approx(
            holm(np.array([g.unadjusted_p_value for g in gaps]))
        )
        assert all(each.second == found.reference for each in gaps)
    assert found.reference == max(found, key=lambda name: found[name].n)


def test_everyone_else(frame, by_sex):
    others = frame[frame.sex != "F"]
    alone = uc.evaluate(others, label="y", score="p", n_resamples=200)
    for metric in ("sensitivity", "auroc", "ks", "mcc"):
        found = by_sex.difference(metric, "F", "rest")
        assert found.second_value == alone[metric].value
    rest = uc.evaluate(frame.y, frame.p, by=np.where(frame.sex == "F", "F", "other"), n_resamples=200).subgroups
    for metric in ("sensitivity", "auroc", "ks"):
        one, two = by_sex.difference(metric, "F", "rest").difference, rest.difference(metric, "F", "other").difference
        assert (one.low, one.high) == (two.low, two.high)
    assert judge(frame, by="sex", reference="rest").differences("f1")[0].second == "rest"


@pytest.mark.parametrize("metric", ["auroc", "sensitivity", "lr_positive"])
def test_groups_that_span_subgroups_are_resampled_whole(metric):
    """Cases of one patient, some of each eye: plain intervals would be too wide, for both eyes err together."""
    rng = np.random.default_rng(0)
    patients, ill = 150, rng.random(150) < 0.5
    level = np.where(ill, 1.0, 0.0) + rng.normal(size=patients)
    y, eye, patient = np.tile(ill, 2), np.repeat(["left", "right"], patients), np.tile(np.arange(patients), 2)
    s = 1 / (1 + np.exp(-(np.tile(level, 2) + 0.1 * rng.normal(size=2 * patients)) + 0.5))
    free = uc.evaluate(y, s, by=eye, metrics=[metric]).subgroups.difference(metric, "left", "right")
    held = uc.evaluate(y, s, by=eye, groups=patient, metrics=[metric]).subgroups.difference(metric, "left", "right")
    assert held.difference.value == pytest.approx(free.difference.value)
    width = held.difference.high - held.difference.low
    assert width < 0.5 * (free.difference.high - free.difference.low)
    assert "whole groups" in held.difference.method
    rest = uc.evaluate(y, s, by=eye, groups=patient, metrics=[metric]).subgroups.difference(metric, "left", "rest")
    assert (rest.difference.low, rest.difference.high) == pytest.approx((held.difference.low, held.difference.high))


def test_replicates_of_groups_are_the_resampled_rows():
    """A plain-NumPy twin of one replicate set for all subgroups."""
    from unconfuse import _kernels

    frame = cases(200, seed=8)
    found = judge(frame, by="site", group="clinic", metrics=["sensitivity", "auroc"])
    found.differences("auroc")
    groups = np.unique(frame.clinic, return_inverse=True)[1]
    times = _kernels.bootstrap_rows(np.ones(groups.max() + 1), seed=0, count=200)[:, groups]
    for name in found:
        for replicate in (0, 17, 199):
            rows = np.repeat(np.arange(200), times[replicate] * (frame.site == name).to_numpy())
            y, p = frame.y.to_numpy()[rows], frame.p.to_numpy()[rows]
            if 0 < y.sum() < len(y):
                assert found._pairs._drawn[name]["auroc"][replicate] == pytest.approx(sk.roc_auc_score(y, p), abs=1e-12)
                assert found._pairs._drawn[name]["sensitivity"][replicate] == pytest.approx(
                    sk.recall_score(y, p >= 0.5)
                )


def test_a_metric_of_your_own(frame):
    @uc.metric(label="Missed per 1,000", better="lower", range=(0, 1000))
    def missed(c):
        return 1000 * c.fn / c.total

    found = judge(frame, by="sex", metrics=[missed, "npv"])
    gap = found.difference("missed", "F", "M")
    assert gap.difference.low < gap.difference.value < gap.difference.high
    assert gap.verdict == ("worse" if gap.difference.low > 0 else "cannot tell")


# Coverage ------------------------------------------------------------------------------------------------------------


def truths(shift: float, cut: float, prevalence: float) -> dict[str, float]:
    sensitivity, false = stats.norm.sf(cut - shift), stats.norm.sf(cut)
    tp, fp = prevalence * sensitivity, (1 - prevalence) * false
    return {
        "sensitivity": sensitivity,
        "precision": tp / (tp + fp),
        "f1": 2 * tp / (tp + fp + prevalence),
        "auroc": stats.norm.cdf(shift / math.sqrt(2)),
    }


def side(metric: uc.Metric, rng: np.random.Generator, shift: float, cut: float, prevalence: float) -> ContrastSide:
    y = rng.random(200) < prevalence
    table = uc.ScoreTable.from_rows(y, rng.normal(size=200) + shift * y)
    if metric.of == "counts":
        return ContrastSide("", estimate_counts(metric, table.counts_at(cut)), table)
    return ContrastSide("", estimate_scores([metric], table, Settings())[metric.name], table)


@pytest.mark.parametrize("name", ["sensitivity", "precision", "auroc", "f1"])
def test_coverage_of_differences(name):
    """Two subgroups of 200 cases that differ in everything: 95% intervals hold the true difference in 93 to 97%."""
    rng, held, runs, one, other = np.random.default_rng(12), 0, 1500, (1.5, 0.8, 0.4), (1.1, 0.8, 0.3)
    gap = truths(*one)[name] - truths(*other)[name]
    for _ in range(runs):
        found = subgroup_difference(
            uc.METRICS[name], side(uc.METRICS[name], rng, *one), side(uc.METRICS[name], rng, *other)
        )
        held += found.difference.low <= gap <= found.difference.high
    assert 0.93 <= held / runs <= 0.97


# The result ----------------------------------------------------------------------------------------------------------


def test_the_result_in_every_form(by_sex):
    assert repr(by_sex).startswith("Subgroups by sex: 3 (F, M, (missing))")
    rows = by_sex.rows()
    assert len(rows) == 4 * len(by_sex.overall)
    assert rows[0]["subgroup"] == "(everyone)"
    frame = by_sex.to_frame()
    line = frame[(frame.subgroup == "M") & (frame.metric == "auroc")].iloc[0]
    gap = by_sex.difference("auroc", "M", "F")
    assert (line.value, line.difference, line.against) == (by_sex["M"]["auroc"].value, gap.difference.value, "F")
    assert (
        "<script>" not in uc.evaluate([1, 0], [0.9, 0.1], by=["<script>", "b"], metrics=["npv"]).subgroups._repr_html_()
    )
    assert "sensitivity" in by_sex._repr_html_()
    again = pickle.loads(pickle.dumps(by_sex))
    assert plain_json(again.as_dict()) == plain_json(by_sex.as_dict())


def test_findings_tell_the_gap(by_sex):
    first = by_sex.findings[0]
    assert first.verdict in ("better", "worse")
    assert re.search(r"is (lower|higher) for \w+ than for \w+: .*, difference 0.*p [<=]", first.sentence)
    assert any(each.sentence.startswith("Inconclusive") for each in by_sex.findings)


def test_nothing_to_see_where_there_is_nothing():
    """Among subgroups that do not differ, false alarms are as rare as the level says: seeded, 40 data sets."""
    rng, alarms = np.random.default_rng(5), 0
    for _ in range(40):
        y = rng.random(400) < 0.4
        found = uc.evaluate(
            y, y + rng.normal(size=400), by=rng.integers(0, 4, 400), threshold=0.5, metrics=["sensitivity"]
        ).subgroups
        alarms += found.findings[0].verdict != "cannot tell"
    assert alarms <= 5


def test_progress_counts_everyone_and_subgroups_come_when_asked(frame):
    told = []
    judge(frame, by="sex", metrics=["ks"], progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (200, 200)


def test_picture(by_sex, tmp_path):
    from unconfuse.plots import plot_subgroups

    with pytest.raises(ArgumentError, match="needs subgroups"):
        plot_subgroups(by_sex.overall)
    by_sex.plot("sensitivity", str(tmp_path / "forest.png"))
    assert (tmp_path / "forest.png").stat().st_size > 5000
    odd = uc.evaluate(
        [1, 0, 0], [0.9, 0.1, 0.2], by=["$a$", "$a$", "b_{"], metrics=["lr_positive", "sensitivity"]
    ).subgroups
    for metric in odd.overall:
        odd.plot(metric, str(tmp_path / "odd.svg"))


def test_subgroups_compute_what_is_asked_of_them():
    rng = np.random.default_rng(0)
    y, by = rng.random(300) < 0.4, rng.choice(["a", "b"], 300)
    s = rng.random(300) * 0.7 + 0.2 * y
    found = uc.evaluate(y, s, by=by, n_resamples=100)
    part = found.subgroups["a"]
    assert part.estimates._made == {}
    found.subgroups.largest_difference("sensitivity")
    assert list(part.estimates._made) == ["sensitivity"]
    alone = uc.evaluate(y[by == "a"], s[by == "a"], n_resamples=100)
    for name, each in alone.items():
        expected = pytest.approx((each.value, each.low, each.high), nan_ok=True)
        assert (part[name].value, part[name].low, part[name].high) == expected, name
    assert list(pickle.loads(pickle.dumps(part))) == list(alone)


def test_decisions_without_scores_are_compared_between_subgroups():
    ev = uc.evaluate([0, 1, 1, 0] * 3, predicted=[0, 1, 0, 0] * 3, by=["a", "b"] * 6)
    rows = ev.subgroups.as_dict()["differences"]
    assert rows, "differences of decisions need no scores"


@pytest.mark.parametrize("few", ["a", "z"])
def test_subgroups_with_and_without_bounds_share_one_table(few):
    """Three scores need no bins and have no bounds, first or last; the frame and CSV leave the field empty."""
    rng = np.random.default_rng(1)
    site = np.where(np.arange(60) < 3, few, "m")
    found = uc.evaluate(rng.integers(0, 2, 60), rng.random(60), by=site, bins=3, metrics=["auroc"]).subgroups
    frame = found.to_frame().set_index("subgroup")
    assert math.isnan(frame["bound_low"][few])
    assert frame["bound_low"]["m"] < frame["value"]["m"]
    assert ",bound_low," in csv_text(found.rows()).splitlines()[0]
    assert ",bound_low," in csv_text(found.rows()[::-1]).splitlines()[0]
