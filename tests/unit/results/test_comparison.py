"""Which model is better: the right differences, tests and words, for any metric, design and number of models."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc
from unconfuse import METRICS, Metric
from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import plain_json
from unconfuse._phrases import times
from unconfuse.uncertainty.difference_tests import holm, mcnemar_mid_p

CASES = json.loads((Path(__file__).parents[2] / "reference" / "cases.json").read_text())["cases"]
DELONG = [case for case in CASES if case["group"] == "delong"]


def models(n: int = 400, seed: int = 0, noise: float = 0.8) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Three models of the same cases, the third much worse than the others."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.35
    shared = 1.2 * y + rng.normal(size=n)

    def squash(s):
        return 1 / (1 + np.exp(0.6 - s))

    return y, {"a": squash(shared), "b": squash(shared + noise * rng.normal(size=n)), "c": squash(rng.normal(size=n))}


# Against other implementations ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", DELONG, ids=[case["id"] for case in DELONG])
def test_oracle_delong(case):
    inputs, expect = case["inputs"], case["expect"]
    result = uc.compare(inputs["y"], {"one": inputs["s1"], "two": inputs["s2"]}, metrics=["auroc", "gini"])
    found = result["auroc", "one", "two"]
    assert found.difference.value == pytest.approx(expect["diff"], abs=case["tol"])
    assert found.p_value == pytest.approx(expect["p"], abs=case["tol"])
    gini = result["gini", "one", "two"]
    assert gini.difference.value == pytest.approx(2 * expect["diff"], abs=case["tol"])
    assert gini.difference.low == pytest.approx(2 * found.difference.low)
    assert gini.p_value == pytest.approx(found.p_value)


# What is compared ----------------------------------------------------------------------------------------------------


def test_differences_are_those_of_the_values():
    y, s = models()
    result = uc.compare(y, s, n_resamples=200)
    alone = {name: uc.evaluate(y, score, metrics=result.metrics, n_resamples=100) for name, score in s.items()}
    assert result.models == ("a", "b", "c") and len(result) == 3 * len(result.metrics)
    for (metric, first, second), each in result.items():
        assert each.first_value == pytest.approx(alone[first][metric].value, abs=1e-12)
        assert each.difference.value == pytest.approx(alone[first][metric].value - alone[second][metric].value)
        assert each.difference.low <= each.difference.value <= each.difference.high
        assert each.unadjusted_p_value <= each.p_value <= 1


def test_every_metric_can_be_compared():
    y, s = models(120)
    result = uc.compare(y, {"a": s["a"], "b": s["b"]}, metrics=list(METRICS), n_resamples=100)
    for name in METRICS:
        each = result[name, "a", "b"]
        assert each.verdict in ("better", "worse", "different", "equivalent", "cannot tell", "undefined")
        assert each.sentence.endswith(".")
        if each.verdict != "undefined":
            assert each.difference.low <= each.difference.value <= each.difference.high and 0 < each.p_value <= 1


def test_bootstrap_and_formula_agree_on_one_difference():
    y, s = models(1500)
    same = Metric("area", METRICS["auroc"].value, of="ranks", range=(0, 1))
    result = uc.compare(y, {"a": s["a"], "b": s["b"]}, metrics=["auroc", same], n_resamples=2000)
    formula, resampled = (result[name, "a", "b"].difference for name in ("auroc", "area"))
    assert resampled.low == pytest.approx(formula.low, abs=0.1 * (formula.high - formula.low))
    assert resampled.high == pytest.approx(formula.high, abs=0.1 * (formula.high - formula.low))
    assert "DeLong" in result["auroc", "a", "b"].test and "bootstrap" in result["area", "a", "b"].test


def test_reversed_pairs_mirror():
    y, s = models()
    result = uc.compare(y, s, metrics=["auroc", "misclassification_rate", "f1", "prevalence"], n_resamples=200)
    for (metric, first, second), each in result.items():
        back = result[metric, second, first]
        assert back.difference.value == -each.difference.value
        assert (back.difference.low, back.difference.high) == (-each.difference.high, -each.difference.low)
        assert back.p_value == each.p_value and (back.first, back.second) == (second, first)
        assert {back.verdict, each.verdict} in ({"better", "worse"}, {each.verdict})
        assert (back.first_value, back.second_value) == (each.second_value, each.first_value)


def test_pairs_given_the_other_way_round_agree_with_reversed_ones():
    y, s = models()
    metrics = ["auroc", "accuracy", "misclassification_rate", "f1"]
    one = uc.compare(y, {"a": s["a"], "b": s["b"]}, metrics=metrics, n_resamples=200)
    two = uc.compare(y, {"b": s["b"], "a": s["a"]}, metrics=metrics, n_resamples=200)
    for metric in metrics:
        there, back = one[metric, "a", "b"], two[metric, "a", "b"]
        assert there.difference.low == pytest.approx(back.difference.low, abs=1e-12)
        assert there.difference.high == pytest.approx(back.difference.high, abs=1e-12)
        assert there.p_value == pytest.approx(back.p_value)
        assert there.verdict == back.verdict


def test_rates_of_wrong_labels_mirror_those_of_right_ones():
    y, s = models()
    result = uc.compare(
        y, s, metrics=["accuracy", "misclassification_rate", "specificity", "false_positive_rate"], n_resamples=100
    )
    for right, wrong in (("accuracy", "misclassification_rate"), ("specificity", "false_positive_rate")):
        for pair in (("a", "b"), ("b", "c"), ("a", "c")):
            up, down = result[right, *pair], result[wrong, *pair]
            assert down.difference.low == pytest.approx(-up.difference.high)
            assert down.difference.high == pytest.approx(-up.difference.low)
            assert down.p_value == up.p_value and down.verdict == up.verdict


def test_a_model_against_itself():
    y, s = models(150)
    result = uc.compare(y, {"a": s["a"], "twin": s["a"]}, metrics=list(METRICS), n_resamples=100)
    for each in result.values():
        if each.verdict == "undefined":
            continue
        assert each.difference.value == 0 and each.p_value == each.unadjusted_p_value == 1
        assert each.verdict == "cannot tell" and math.isnan(each.cases_needed)
        assert each.difference.low <= 0 <= each.difference.high
        known = each.difference.low == each.difference.high == 0
        assert ("same value" if known else "inconclusive") in each.sentence and "would settle" not in each.sentence


@pytest.mark.parametrize("adjust", ["max-t", "holm"])
@pytest.mark.parametrize("cases", [4, 9, 24, 60])
def test_intervals_and_p_values_never_contradict_each_other(cases, adjust):
    """Small classes, where tests and intervals rest on different approximations."""
    seen = 0
    for seed in range(4):
        rng = np.random.default_rng([seed, cases])
        y = np.arange(cases) % 4 == 0 if seed % 2 else np.arange(cases) % 2 == 0
        scores = {name: np.round(rng.random(cases) * (1 + y * seed) / 5, 2) for name in ("a", "b")} | {"c": 0.8 * y}
        found = uc.compare(y, scores, n_resamples=100, adjust=adjust)
        for each in uc.compare(y, {"a": scores["a"], "c": scores["c"]}, n_resamples=100).values():
            assert not each.step_down_only, each.sentence  # one pair: the test and the interval agree
        for each in found.values():
            gap, sure = each.difference, each.p_value <= 1 - each.difference.confidence_level
            if not math.isnan(gap.low):
                excluded = not gap.low <= 0 <= gap.high
                assert sure if excluded else sure == each.step_down_only, each.sentence
                assert each.step_down_only == ("distinguished by the step-down test only" in each.sentence)
                assert each.p_value >= each.unadjusted_p_value or math.isclose(each.p_value, each.unadjusted_p_value)
                assert (each.verdict in ("better", "worse")) == sure
                seen += 1
    assert seen > 20


def test_verdicts_and_what_would_tell():
    y, s = models()
    result = uc.compare(y, s, metrics=["auroc", "brier"], n_resamples=500)
    assert result["auroc", "a", "c"].verdict == "better" and result["brier", "a", "c"].verdict == "better"
    assert result["brier", "a", "c"].difference.value < 0  # lower is better
    assert math.isnan(result["auroc", "a", "c"].cases_needed)
    rng = np.random.default_rng(3)
    near = {"a": s["a"], "b": np.clip(s["a"] + 0.02 * rng.normal(size=len(y)), 0, 1)}
    close = uc.compare(y, near, metrics=["auroc"])["auroc", "a", "b"]
    assert close.verdict == "cannot tell" and close.cases_needed > len(y)
    assert f"about {times(close.cases_needed)} cases" in close.sentence
    rates = uc.compare(y, s, metrics=["queue_rate"], threshold={"a": 0.1, "b": 0.9}, n_resamples=200)
    assert rates["queue_rate", "a", "b"].verdict == "different"


def test_many_pairs_must_convince_together():
    """Two models that differ by chance at p = 0.04 are not told apart once they are one of six pairs."""
    y, s = models(300, seed=4)
    rng = np.random.default_rng(11)
    crowd = {f"m{k}": np.clip(s["a"] + 0.25 * rng.normal(size=len(y)), 0, 1) for k in range(4)}
    for adjust in ("max-t", "holm"):
        result = uc.compare(y, crowd, metrics=["auroc"], adjust=adjust, n_resamples=500)
        for each in result.values():
            assert each.p_value >= each.unadjusted_p_value
            if each.verdict in ("better", "worse"):
                assert each.p_value <= 0.05
    raw = np.array([each.unadjusted_p_value for each in result.values()])
    np.testing.assert_allclose([each.p_value for each in result.values()], holm(raw))


@pytest.mark.parametrize("adjust", ["max-t", "holm"])
def test_adjusting_raises_p_values(adjust):
    y, s = models(300, seed=4)
    rng = np.random.default_rng(11)
    crowd = {f"m{k}": np.clip(s["a"] + 0.25 * rng.normal(size=len(y)), 0, 1) for k in range(5)}
    for metric in ("auroc", "f1"):
        found = [
            each
            for each in uc.compare(y, crowd, metrics=[metric], adjust=adjust, n_resamples=500).values()
            if 0.001 < each.unadjusted_p_value < 0.3
        ]
        assert all(each.p_value >= each.unadjusted_p_value for each in found)
        smallest = min(found, key=lambda each: each.unadjusted_p_value)
        assert smallest.p_value > 1.3 * smallest.unadjusted_p_value


def test_labels_are_tested_by_the_cases_that_one_model_alone_gets_right():
    y, s = models()
    right = {name: (score >= 0.5) == y for name, score in s.items()}
    result = uc.compare(y, s, metrics=["accuracy", "sensitivity", "false_positive_rate"], n_resamples=100)
    for metric, among in (("accuracy", np.ones(len(y), dtype=bool)), ("sensitivity", y), ("false_positive_rate", ~y)):
        b, c = (right["a"] & ~right["b"] & among).sum(), (right["b"] & ~right["a"] & among).sum()
        found = result[metric, "a", "b"]
        assert found.unadjusted_p_value == pytest.approx(mcnemar_mid_p(b, c)) and "McNemar" in found.test


# Margins -------------------------------------------------------------------------------------------------------------


def test_equivalence_and_non_inferiority():
    y, s = models(3000)
    rng = np.random.default_rng(3)
    pair = {"a": s["a"], "b": np.clip(s["a"] + 0.01 * rng.normal(size=len(y)), 0, 1)}
    for metric in ("auroc", "accuracy", "f1", "brier"):
        wide, tight = (
            uc.compare(y, pair, metrics=[metric], margin=margin, n_resamples=300)[metric, "a", "b"]
            for margin in (0.2, 1e-6)
        )
        assert wide.within_margin and wide.not_worse and wide.verdict in ("equivalent", "better", "worse")
        assert not tight.within_margin and tight.verdict != "equivalent"
        if wide.verdict == "equivalent":
            assert "equivalent within the margin" in wide.sentence
    none = uc.compare(y, pair, metrics=["auroc"])["auroc", "a", "b"]
    assert none.within_margin is None and none.not_worse is None


@pytest.mark.parametrize("metric", ["auroc", "accuracy", "f1", "brier"])
def test_equivalence_is_two_one_sided_tests(metric):
    """At 95% it takes the interval of 90%: a margin just outside that one will do, just inside will not."""
    y, s = models(800)
    rng = np.random.default_rng(5)
    pair = {"a": s["a"], "b": np.clip(s["a"] + 0.1 * rng.normal(size=len(y)), 0, 1)}

    def found(**more):
        return uc.compare(y, pair, metrics=[metric], n_resamples=300, **more)[metric, "a", "b"]

    inner, outer = (
        max(abs(each.difference.low), abs(each.difference.high))
        for each in (found(confidence_level=0.9), found(confidence_level=0.95))
    )
    assert inner < outer
    assert found(margin=inner + 0.3 * (outer - inner)).within_margin
    assert not found(margin=0.97 * inner).within_margin


def test_better_by_less_than_the_margin_is_said():
    y, s = models(4000, noise=0.3)
    found = uc.compare(y, {"a": s["a"], "b": s["b"]}, metrics=["auroc"], margin=0.3)["auroc", "a", "b"]
    assert found.verdict == "better" and found.sentence.endswith("though by less than the margin.")


@pytest.mark.parametrize("metric", ["accuracy", "misclassification_rate", "brier", "auroc"])
def test_not_worse_looks_at_the_right_side(metric):
    y, s = models(2000)
    pair = {"good": s["a"], "bad": s["c"]}
    result = uc.compare(y, pair, metrics=[metric], margin=0.01, n_resamples=200)
    assert result[metric, "good", "bad"].not_worse
    assert not uc.compare(y, {"bad": s["c"], "good": s["a"]}, metrics=[metric], margin=0.01, n_resamples=200)[
        metric, "bad", "good"
    ].not_worse
    assert result[metric, "good", "bad"].reversed().not_worse is None  # not asked that way round


# Baselines, references, weights, groups ------------------------------------------------------------------------------


def test_baselines():
    y, s = models()
    result = uc.compare(y, {"a": s["a"]}, baselines=["majority", "constant"], n_resamples=200)
    assert result.models == ("a", "majority", "constant")
    assert result["auroc", "a", "majority"].second_value == 0.5
    assert result["accuracy", "a", "majority"].second_value == pytest.approx(1 - y.mean())
    assert result["brier", "a", "constant"].second_value == pytest.approx(y.mean() * (1 - y.mean()))
    assert result["sensitivity", "a", "majority"].second_value == 0
    assert result["precision", "a", "majority"].verdict == "undefined"
    assert "cannot be compared" in result["precision", "a", "majority"].sentence
    flipped = uc.compare(~y, {"a": 1 - s["a"]}, baselines="majority", metrics=["sensitivity"], n_resamples=100)
    assert flipped["sensitivity", "a", "majority"].second_value == 1


def test_reference():
    y, s = models()
    result = uc.compare(y, s, reference="b", metrics=["auroc"])
    assert set(result) == {("auroc", "a", "b"), ("auroc", "c", "b")}
    with pytest.raises(ArgumentError, match="not compared with each other"):
        result["auroc", "a", "c"]


@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_whole_weights_are_rows(design):
    y, s = models(100)
    w = np.random.default_rng(1).integers(1, 4, 100)
    repeated = {name: np.repeat(score, w) for name, score in s.items()}
    metrics = ["auroc", "accuracy", "max_f1", "brier"]
    one = uc.compare(y, s, weights=w, metrics=metrics, design=design, n_resamples=1000)
    two = uc.compare(np.repeat(y, w), repeated, metrics=metrics, design=design, n_resamples=1000)
    assert (one.n, one.positives) == (two.n, two.positives)
    for key, each in one.items():
        assert each.difference.value == pytest.approx(two[key].difference.value, abs=1e-12)
        width = two[key].difference.high - two[key].difference.low
        assert each.difference.low == pytest.approx(two[key].difference.low, abs=0.15 * width)
        assert each.difference.high == pytest.approx(two[key].difference.high, abs=0.15 * width)


def test_duplicated_rows_in_groups_do_not_count_twice():
    y, s = models(150)
    groups = np.tile(np.arange(150), 4)
    many = {name: np.tile(score, 4) for name, score in s.items()}
    metrics = ["auroc", "accuracy", "f1", "brier"]
    apart = uc.compare(np.tile(y, 4), many, metrics=metrics, n_resamples=600)
    together = uc.compare(np.tile(y, 4), many, metrics=metrics, groups=groups, n_resamples=600)
    once = uc.compare(y, s, metrics=metrics, n_resamples=600)
    assert together.settings["design"] == "clustered"
    for key, each in together.items():
        width, naive, honest = (
            result[key].difference.high - result[key].difference.low for result in (together, apart, once)
        )
        assert 1.6 < width / naive < 2.4
        assert width == pytest.approx(honest, rel=0.25)
        assert each.difference.value == pytest.approx(once[key].difference.value, abs=1e-12)


# Bad input, and how results read --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"margin": -0.1}, "margin"),
        ({"margin": 0}, "margin"),
        ({"adjust": "bonferroni"}, "adjust"),
        ({"reference": "z"}, "no model 'z'"),
        ({"baselines": ["best"]}, "baselines"),
        ({"threshold": {"z": 1}}, "not a model"),
        ({"threshold": math.nan}, "threshold"),
        ({"n_resamples": 10}, "n_resamples"),
        ({"rng": -1}, "rng"),
        ({"design": "x"}, "design"),
        ({"confidence_level": 0}, "confidence_level"),
        ({"metrics": ["aurok"]}, "auroc"),
    ],
)
def test_wrong_arguments_are_refused(change, message):
    y, s = models(60)
    with pytest.raises(ArgumentError, match=message):
        uc.compare(y, s, **change)


def test_wrong_data_are_refused():
    y, s = models(60)
    with pytest.raises(ArgumentError, match="at least two models"):
        uc.compare(y, {"a": s["a"]})
    with pytest.raises(InputError, match="one class"):
        uc.compare(np.ones(60), s)
    with pytest.raises(uc.UnconfuseError):
        uc.compare(y, {"a": s["a"], "b": s["b"][:-1]})
    with pytest.raises(uc.UnconfuseError):
        uc.compare(y, {"a": s["a"], "b": np.where(y, np.nan, s["b"])})
    with pytest.raises(ArgumentError, match="groups"):
        uc.compare(y, s, groups=np.arange(60), design="case-control")


def test_asking_for_what_is_not_there():
    y, s = models(60)
    result = uc.compare(y, s, metrics=["auroc"])
    for key, message in ((("auroc", "a", "z"), "'z'"), (("f1", "a", "b"), "'f1'"), ("auroc", "ask for")):
        with pytest.raises(ArgumentError, match=message):
            result[key]


def test_results_read_well():
    y, s = models(100)
    result = uc.compare(y, s, metrics=["auroc", "precision"], margin=0.05, baselines=["majority"], n_resamples=100)
    values = plain_json(result.as_dict())
    assert json.loads(json.dumps(values, allow_nan=False)) == values
    assert len(result.to_frame()) == len(result) == len(result.rows())
    assert len(result.findings) == 6
    assert repr(result).startswith("Comparison of a, b, c, majority: 2 metrics")
    assert result._repr_html_().count("<tr>") == len(result) + 1 + len(result.models)  # the leaderboard and its head
    assert str(result["auroc", "a", "b"]) == result["auroc", "a", "b"].sentence


def test_frames_progress_and_seeds():
    import pandas as pd

    y, s = models(100)
    told: list[tuple[int, int]] = []
    frame = pd.DataFrame({"y": np.where(y, "ill", "well"), **s})
    by_frame = uc.compare(
        frame,
        label="y",
        score=["a", "b"],
        positive="ill",
        metrics=["f1", "auroc"],
        n_resamples=100,
        progress=lambda done, total: told.append((done, total)),
    )
    by_arrays = uc.compare(y, {"a": s["a"], "b": s["b"]}, metrics=["f1", "auroc"], n_resamples=100)
    assert plain_json(by_frame.rows()) == plain_json(by_arrays.rows())
    assert told[-1] == (100, 100)


def test_rows_of_weight_0_with_a_score_of_their_own_change_nothing():
    y, scores = [1, 0, 1, 0, 0], {"a": [0.9, 0.8, 0.7, 0.6, 0.1], "b": [0.9, 0.2, 0.8, 0.3, 0.0]}
    with_zero = uc.compare(y, scores, weights=[1, 1, 1, 1, 0], metrics=["auroc"]).rows()
    without = uc.compare(y[:4], {name: each[:4] for name, each in scores.items()}, metrics=["auroc"]).rows()
    assert with_zero == without
