"""Questions that few tools answer: sampling weights, an imperfect judge, folds, against cases worked out elsewhere."""

import json
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.uncertainty.folds import corrected_resampled_t

HERE = Path(__file__).parent
CASES = {each["id"]: each for each in json.loads((HERE / "questions.json").read_text())}
SURVEY = json.loads((HERE / "survey_values.json").read_text())
WEIGHTED_ROC = json.loads((HERE / "weighted_roc_values.json").read_text())
ELSEWHERE = json.loads((HERE / "question_values.json").read_text())


def cases(group):
    return [each for each in CASES.values() if each["group"] == group]


def by_id(case):
    return case["id"]


@pytest.mark.parametrize("case", cases("weights"), ids=by_id)
def test_sampling_weights(case):
    given, near = case["inputs"], {"abs": case["tolerance"]}
    ev = uc.evaluate(given["y"], given["s"], threshold=given["threshold"], sampling_weights=given["w"])
    for name, expected in case["expect"].items():
        if name in ev:
            assert ev[name].value == pytest.approx(expected["value"], **near)
            assert ev[name].standard_error == pytest.approx(expected["standard_error"], **near)
            assert ev[name].low < ev[name].high
            if "wilson_low_at_kish_n" in expected:
                assert ev[name].low == pytest.approx(expected["wilson_low_at_kish_n"], **near)
    if "table" in case["expect"]:
        table, expected = uc.score_table(given["y"], given["s"], sampling_weights=given["w"]), case["expect"]["table"]
        columns = table.score, table.positives, table.negatives, table.positives_squared, table.negatives_squared
        for column, name in zip(columns, ("score", "P", "N", "P2", "N2"), strict=True):
            np.testing.assert_allclose(column, expected[name], atol=case["tolerance"])


@pytest.mark.parametrize("design", SURVEY["found"])
def test_shares_of_a_survey_as_r_has_them(design):
    rows = {name: np.array([row[name] for row in SURVEY["data"]]) for name in ("y", "s", "w", "stratum", "cluster")}
    words = {"strata": rows["stratum"]} if design in ("strata", "both") else {}
    words |= {"groups": rows["cluster"]} if design in ("groups", "both") else {}
    ev = uc.evaluate(rows["y"], rows["s"], sampling_weights=rows["w"], **words)
    # R divides by n - 1 where rows are drawn by themselves, too
    factor = np.sqrt(len(rows["y"]) / (len(rows["y"]) - 1)) if design == "weights" else 1.0
    for name, expected in SURVEY["found"][design].items():
        assert ev[name].value == pytest.approx(expected["value"], abs=1e-12)
        assert ev[name].standard_error * factor == pytest.approx(expected["standard_error"], rel=1e-9)


@pytest.mark.parametrize("word", ["weights", "sampling_weights"])
@pytest.mark.parametrize("kind", WEIGHTED_ROC["found"])
def test_weighted_curves_and_areas_as_weightedroc_has_them(kind, word):
    y, s, w = (np.array([row[name] for row in SURVEY["data"]]) for name in ("y", "s", "w"))
    scores, expected = {"scores": s, "heavy ties": np.floor(8 * s), "reversed": -s}[kind], WEIGHTED_ROC["found"][kind]
    table = uc.score_table(y, scores, **{word: w})
    assert uc.METRICS["auroc"](table) == pytest.approx(expected["auroc"], abs=1e-13)
    curve = uc.curve("roc", table)
    theirs = np.column_stack([expected["fpr"], expected["tpr"]])[::-1]  # from the highest threshold down
    np.testing.assert_allclose(np.column_stack([curve["fpr"], curve["tpr"]]), theirs, atol=1e-13)


@pytest.mark.parametrize("name", ["folds-01-four-folds", "folds-06-fold-without-positives"])
def test_folds(name):
    case = CASES[name]
    given, near = case["inputs"], {"abs": case["tolerance"]}
    ev = uc.evaluate(given["y"], given["s"], folds=given["folds"])
    for metric, expected in case["expect"].items():
        found = ev[metric]
        if expected.get("undefined"):
            assert np.isnan(found.value)
            assert "fold" in found.undefined
        else:
            assert found.value == pytest.approx(expected["value"], **near)
            assert found.standard_error == pytest.approx(expected["standard_error"], **near)
            assert found.low < found.value < found.high
        values = [ev.folds[fold][metric].value for fold in sorted(set(given["folds"]))]
        assert values == pytest.approx([np.nan if v is None else v for v in expected["folds"]], nan_ok=True, **near)
        assert ev.pooled[metric].value == pytest.approx(expected["pooled"], **near)


@pytest.mark.parametrize("name", ["folds-03-nadeau-bengio-5", "folds-04-nadeau-bengio-10x2"])
def test_corrected_resampled_t(name):
    case = CASES[name]
    found = corrected_resampled_t(case["inputs"]["differences"], repeats=case["inputs"]["repeats"])
    low, high = found.limits(0.95)
    got = {"difference": found.value, "standard_error": found.standard_error}
    got |= {"p_value": found.p_value, "low": low, "high": high}
    for key, value in got.items():
        assert value == pytest.approx(case["expect"][key], abs=case["tolerance"])


def test_models_compared_over_folds():
    case = CASES["folds-05-compare-rows"]
    given = case["inputs"]
    result = uc.compare(given["y"], {"a": given["a"], "b": given["b"]}, folds=given["folds"])
    for metric, expected in case["expect"].items():
        found = result[metric, "a", "b"]
        got = {"difference": found.difference.value, "standard_error": found.difference.standard_error}
        got |= {"p_value": found.p_value, "low": found.difference.low, "high": found.difference.high}
        for key, value in got.items():
            assert value == pytest.approx(expected[key], abs=case["tolerance"]), (metric, key)


@pytest.mark.parametrize("case", cases("judge"), ids=by_id)
def test_judge(case):
    given, expected, near = case["inputs"], case["expect"], {"abs": case["tolerance"]}
    words = {key: given[key] for key in ("threshold", "sensitivity", "specificity") if key in given}
    if "s" not in given:
        if "error" in expected:
            with pytest.raises(uc.UnconfuseError):
                uc.prevalence(given.get("y"), judge=given["judge"], **words)
            return
        found = uc.prevalence(given.get("y"), judge=given["judge"], **words)
        for key in ("value", "standard_error", "low", "high"):
            if key in expected:
                assert getattr(found, key) == pytest.approx(expected[key], **near)
        return
    ev = uc.evaluate(given["y"], given["s"], judge=given["judge"], **words)
    if "error" in expected:
        assert ev["sensitivity"].undefined
        return
    for name, each in expected.items():
        assert ev[name].value == pytest.approx(each["value"], **near)
        assert ev[name].standard_error == pytest.approx(each["standard_error"], **near)


def elsewhere(*names):
    return [np.array(ELSEWHERE["data"][name]) for name in names]


def test_net_benefits_as_dcurves_has_them():
    y, score, other = elsewhere("y", "score", "other")
    both = uc.compare(y, {"score": score, "other": other}, metrics=["auroc"])
    found = both.decision_curve("score", "other", threshold_probabilities=ELSEWHERE["at"])
    gaps = np.subtract(ELSEWHERE["net_benefit"]["score"], ELSEWHERE["net_benefit"]["other"])
    np.testing.assert_allclose(found.band.y, gaps, atol=1e-12)
    for model, scores in (("score", score), ("other", other)):
        table = uc.score_table(y, scores)
        values = [float(uc.net_benefit(each)(table.counts_at(each))) for each in ELSEWHERE["at"]]
        np.testing.assert_allclose(values, ELSEWHERE["net_benefit"][model], atol=1e-12)


@pytest.mark.parametrize("metric", ELSEWHERE["gaps"])
def test_gaps_as_fairlearn_has_them(metric):
    y, score, group = elsewhere("y", "score", "group")
    difference, ratio = ELSEWHERE["gaps"][metric]
    found = uc.evaluate(y, score, by=group).subgroups
    widest = found.equalised_odds() if metric == "equalised_odds" else found.largest_difference(metric)
    assert widest.value == pytest.approx(difference, abs=1e-12)
    if ratio is not None:
        assert found.smallest_ratio(metric).value == pytest.approx(ratio, abs=1e-12)


def test_prevalence_behind_a_judge_as_prediction_powered_inference_has_it():
    y, judge, checked = elsewhere("y", "judge", "checked")
    known = np.full(len(y), np.nan)
    known[checked] = y[checked]
    assert uc.prevalence(known, judge=judge).value == pytest.approx(ELSEWHERE["prevalence"], abs=1e-12)


@pytest.mark.parametrize("case", ELSEWHERE["promised"], ids=lambda case: case["metric"])
def test_what_mapie_promises_is_promised(case):
    """Its bound on the risk is wider than the exact binomial's, so that it promises no more."""
    y, score = elsewhere("y", "score")
    found = uc.guarantee(y, score, case["metric"], at_least=case["at_least"], probability=0.95)
    assert case["thresholds"]
    if case["metric"] == "precision":
        assert found.threshold <= min(case["thresholds"])
    else:
        assert found.threshold >= max(case["thresholds"])
