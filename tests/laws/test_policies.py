"""Policies that hold on every surface: which threshold is taken and whose it is, and which labels mean what."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import unconfuse as uc
from unconfuse.cli import cli
from unconfuse.report import check_payload, payload_of

RNG = np.random.default_rng(3)
N = 400
Y = RNG.random(N) < 0.3
RISK = 1 / (1 + np.exp(-(2 * Y - 1 + RNG.normal(size=N))))
RULE = np.round(5 * RISK + RNG.normal(size=N)).clip(0, 5)
MODELS = {"risk": RISK, "rule": RULE}
OF_DECISIONS = {name for name, each in uc.METRICS.items() if each.of == "counts"}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("policies") / "rows.csv"
    called = np.where(RISK > 0.4, "cat", "dog")
    truth = np.where(Y, "cat", "dog")
    pd.DataFrame({"y": Y.astype(int), "animal": truth, "called": called, **MODELS}).to_csv(path, index=False)
    return str(path)


def command(*words):
    done = CliRunner().invoke(cli, words, prog_name="unconfuse")
    return done.exit_code, done.stdout, done.stderr


def test_probabilities_have_a_default_that_is_named_everywhere(rows):
    ev = uc.evaluate(Y, RISK)
    assert (ev.threshold, ev.threshold_source) == (0.5, "default")
    assert "threshold 0.5 (default)" in repr(ev)
    assert "threshold 0.5 (default)" in str(ev["mcc"])
    assert "threshold 0.5 (default)" in ev._repr_html_()
    assert "threshold 0.5 (default)" in command("evaluate", rows, "--score", "risk")[1]
    assert payload_of(ev)["models"][0]["threshold_origin"] == "default"
    assert uc.evaluate(Y, RISK, threshold=0.5).threshold_source == "given"
    assert "(default)" not in repr(uc.evaluate(Y, RISK, threshold=0.5))
    assert uc.evaluate(Y, RISK, threshold=0.5)["mcc"].value == ev["mcc"].value


def test_other_scores_have_none_and_are_judged_by_their_ranking(rows):
    ev = uc.evaluate(Y, RULE)
    assert ev.threshold is None and ev.threshold_source is None and not ev.has_decisions
    assert not OF_DECISIONS & set(ev) and "auroc" in ev
    assert "The ranking is better than guessing" in ev.findings[0].sentence
    assert "none was passed" in ev.findings[1].sentence and "threshold_card" in ev.findings[1].sentence
    assert ev.as_dict()["threshold"] is None and ev.as_dict()["counts"] is None
    for ask in (lambda: ev["mcc"], lambda: ev.counts, lambda: uc.evaluate(Y, RULE, metrics=["mcc"])):
        with pytest.raises(uc.UnconfuseError, match="range from 0 to 5: they are not probabilities"):
            ask()
    code, out, _ = command("evaluate", rows, "--score", "rule", "--json")
    assert code == 0 and json.loads(out)["threshold"] is None
    assert "--threshold SCORE" in command("evaluate", rows, "--score", "rule")[1]
    given = uc.evaluate(Y, RULE, threshold=3)
    assert given["sensitivity"].value == (RULE[Y] >= 3).mean()


def test_what_a_result_without_a_threshold_is_asked_later():
    ev = uc.evaluate(Y, RULE, by=np.where(np.arange(N) % 2, "odd", "even"))
    assert set(ev.subgroups) == {"odd", "even"} and "auroc" in ev.subgroups["odd"]
    assert uc.shift_prevalence(uc.evaluate(Y, RULE), prevalence=0.02)["auroc"].value == ev["auroc"].value
    assert ev.default_card["youden"].threshold.value > 0
    assert "no threshold" in ev._repr_html_()
    clustered = uc.evaluate(Y, RULE, groups=np.arange(N) // 2, metrics=["auroc"], n_resamples=100)
    assert "no threshold" in repr(clustered)


def test_the_page_without_a_threshold_says_where_its_slider_begins():
    payload = payload_of(uc.evaluate(Y, RULE))
    check_payload(payload)
    (model,) = payload["models"]
    assert model["threshold"] is None and "No threshold was passed" in model["start_words"]
    at = model["stops"]["threshold"].index(model["start"])
    called = model["stops"]["tp"][at] + model["stops"]["fp"][at]
    others = [abs(tp + fp - Y.sum()) for tp, fp in zip(model["stops"]["tp"], model["stops"]["fp"], strict=True)]
    assert abs(called - Y.sum()) == min(others)
    assert set(model["stops"]["intervals"]) == OF_DECISIONS
    of_decisions = {
        "cheaper than labelling none or all",
        "better",
        "worse",
        "worse than guessing",
        "no better than guessing",
    }
    assert not of_decisions & {each["verdict"] for each in model["findings"]}
    assert "The ranking is" in model["findings"][0]["sentence"]


def test_compared_models_have_each_their_own(rows):
    ranked = uc.compare(Y, MODELS)
    assert (
        not OF_DECISIONS & set(ranked.metrics)
        and "rule none" in ranked.thresholds
        and "risk 0.5 (default)" in ranked.thresholds
    )
    with pytest.raises(uc.UnconfuseError, match="the scores of 'rule' range from 0 to 5"):
        uc.compare(Y, MODELS, metrics=["mcc"])
    with pytest.raises(uc.UnconfuseError, match="cannot cut both probabilities and other scores"):
        uc.compare(Y, MODELS, threshold=0.5)
    own = uc.compare(Y, MODELS, threshold={"risk": 0.1, "rule": 3}, metrics=["sensitivity"])
    found = own["sensitivity", "risk", "rule"]
    assert (found.first_value, found.second_value) == ((RISK[Y] >= 0.1).mean(), (RULE[Y] >= 3).mean())
    assert own.settings["threshold_origins"] == {"risk": "given", "rule": "given"}
    words = ("compare", rows, "--label", "y", "--score", "risk", "--score", "rule")
    out = command(*words, "--threshold", "risk=10%", "--threshold", "rule=3", "--metric", "sensitivity")[1]
    assert "Thresholds: risk 0.1; rule 3." in out
    code, _, err = command(*words, "--metric", "mcc")
    assert code == 2 and "--threshold rule=SCORE" in err


def test_a_rule_chooses_without_the_cases_that_it_is_judged_by(rows):
    noise = {"a": RNG.normal(size=N), "b": RNG.normal(size=N)}
    found = uc.compare(Y, noise, at="youden", metrics=["youden_j"])["youden_j", "a", "b"]
    card = {
        name: uc.threshold_card(Y, each, rules=["youden"], n_resamples=20)["youden"] for name, each in noise.items()
    }
    flattered = sum(each.apparent["youden_j"].value for each in card.values())
    assert found.first_value + found.second_value < flattered / 2
    chosen = uc.compare(Y, MODELS, at="youden", metrics=["mcc"])
    assert "Youden J, cross-fitted" in chosen.thresholds
    assert (
        chosen.settings["thresholds"]["rule"]
        == uc.threshold_card(Y, RULE, rules=["youden"]).points["youden"].threshold.value
    )
    words = ("compare", rows, "--label", "y", "--score", "risk", "--score", "rule", "--at")
    assert "Youden J" in command(*words, "youden", "--metric", "mcc")[1]
    assert "did you mean 'youden'" in command(*words, "yuden")[2]
    with pytest.raises(uc.UnconfuseError, match="cannot be combined"):
        uc.compare(Y, MODELS, at="youden", threshold=0.5)


def test_net_benefit_is_at_its_own_threshold():
    ev = uc.evaluate(Y, RISK, metrics=["net_benefit(.1)", "mcc"])
    curve = ev.curve("decision_curve")
    at = int(np.flatnonzero(np.isclose(curve["threshold"], 0.1))[0])
    assert ev["net_benefit(.1)"].value == pytest.approx(curve["net_benefit"][at])
    assert "threshold 0.1" in str(ev["net_benefit(.1)"]) and "threshold 0.5" in str(ev["mcc"])
    assert (
        uc.evaluate(Y, RISK, threshold=0.7, metrics=["net_benefit(.1)"])["net_benefit(.1)"].value
        == ev["net_benefit(.1)"].value
    )
    grouped = uc.evaluate(Y, RISK, groups=np.arange(N) // 2, metrics=["net_benefit(.1)"], n_resamples=200)
    assert grouped["net_benefit(.1)"].value == ev["net_benefit(.1)"].value
    assert uc.shift_prevalence(ev, prevalence=float(Y.mean()))["net_benefit(.1)"].value == ev["net_benefit(.1)"].value
    pair = uc.compare(Y, MODELS, threshold={"rule": 3}, metrics=["net_benefit(.1)"])["net_benefit(.1)", "risk", "rule"]
    points = uc.Counts(
        tp=(RULE[Y] >= 3).sum(), fp=(RULE[~Y] >= 3).sum(), fn=(RULE[Y] < 3).sum(), tn=(RULE[~Y] < 3).sum()
    )
    assert pair.first_value == pytest.approx(ev["net_benefit(.1)"].value)
    assert pair.second_value == pytest.approx(uc.net_benefit(0.1)(points))


def test_predicted_classes_with_a_positive_one_answer_a_yes_or_no_question(rows):
    called, truth = np.where(RISK > 0.4, "cat", "dog"), np.where(Y, "cat", "dog")
    ev = uc.evaluate(truth, predicted=called, positive="cat")
    assert ev["sensitivity"].value == (RISK[Y] > 0.4).mean() and ev.threshold is None and ev.has_decisions
    matrix = [[int(ev.counts.tn), int(ev.counts.fp)], [int(ev.counts.fn), int(ev.counts.tp)]]
    same = uc.evaluate_confusion(matrix, classes=["dog", "cat"], positive="cat")
    assert all(np.isclose(same[name].value, ev[name].value, equal_nan=True) for name in ev)
    code, out, _ = command(
        "evaluate", rows, "--label", "animal", "--predicted", "called", "--positive", "cat", "--json"
    )
    assert code == 0 and json.loads(out)["metrics"]["sensitivity"]["value"] == ev["sensitivity"].value
    pair = uc.compare(truth, predicted={"a": called, "b": np.roll(called, 1)}, positive="cat")
    assert pair["sensitivity", "a", "b"].first_value == ev["sensitivity"].value and "auroc" not in pair.metrics
    with pytest.raises(uc.UnconfuseError, match="predicted labels only"):
        uc.evaluate(truth, predicted=called, positive="cat", threshold=0.5)
    with pytest.raises(uc.UnconfuseError, match="exactly two values; found 3"):
        uc.evaluate(np.where(np.arange(N) % 9, truth, "fox"), predicted=called, positive="cat")
