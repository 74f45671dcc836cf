"""The verbs: what goes in comes out right, and every result can be asked, printed, stored and drawn."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import unconfuse as uc
from unconfuse import METRICS, Metric
from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import plain_json

FEW = {"n_resamples": 200}


def rows(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return y, np.round(1 / (1 + np.exp(1 - 1.4 * y - rng.normal(size=n))), 3)


Y, S = rows()


@pytest.fixture(scope="module")
def ev():
    return uc.evaluate(Y, S, threshold=0.4, **FEW)


def numbers(evaluation):
    return plain_json({name: (each.value, each.low, each.high) for name, each in evaluation.items()})


# What goes in --------------------------------------------------------------------------------------------------------


def test_arrays_lists_table_and_frames_agree(ev):
    import pandas as pd
    import polars as pl

    wanted = numbers(ev)
    table = uc.score_table(Y, S)
    columns = {"truth": np.where(Y, "ill", "well").tolist(), "risk": S.tolist()}
    names = {"label": "truth", "score": "risk", "positive": "ill"}
    for found in (
        uc.evaluate(Y.tolist(), S.tolist(), threshold=0.4, **FEW),
        uc.evaluate(np.where(Y, 1, -1), S, threshold=0.4, **FEW),
        uc.evaluate(table, threshold=0.4, **FEW),
        uc.evaluate(pd.DataFrame(columns), **names, threshold=0.4, **FEW),
        uc.evaluate(pl.DataFrame(columns).lazy(), **names, threshold=0.4, **FEW),
    ):
        assert numbers(found) == wanted
    assert uc.score_table(pd.DataFrame(columns), **names) == table


def test_weights_are_rows(ev):
    weighted = uc.evaluate(Y, S, weights=np.full(len(Y), 2.0), threshold=0.4, **FEW)
    doubled = uc.evaluate(np.tile(Y, 2), np.tile(S, 2), threshold=0.4, **FEW)
    assert numbers(weighted) == numbers(doubled)
    assert (weighted.n, weighted.positives) == (600, 2 * ev.positives)


def test_all_metrics_or_some(ev):
    assert list(ev) == list(METRICS)
    log_odds = uc.evaluate(Y, np.log(S / (1 - S)), threshold=0.0, **FEW)
    assert set(log_odds) == {name for name, each in METRICS.items() if each.of != "probabilities"}
    some = uc.evaluate(Y, S, metrics=["npv", "auroc", "f_beta(2)"], threshold=0.4)
    assert list(some) == ["npv", "auroc", "f_beta(2)"]
    assert some["auroc"].value == ev["auroc"].value
    with pytest.raises(KeyError, match="auroc"):
        some["aurok"]
    with pytest.raises(ArgumentError, match="precision_at_k"):
        uc.evaluate(Y, S, metrics=["precision_at_kk"])


def test_probabilities_are_not_asked_of_other_scores():
    with pytest.raises(InputError, match="probabilit"):
        uc.evaluate(Y, S * 10, metrics=["brier"], threshold=3)


def test_users_own_metrics_of_every_kind():
    """They take the bootstrap unless they say otherwise, also when they have a name of ours."""
    mine = [
        Metric("area", METRICS["auroc"].value, of="ranks", range=(0, 1)),
        Metric("squares", METRICS["brier"].value, of="probabilities", range=(0, 1), better="lower"),
        Metric("found", lambda c: c.tp / (c.tp + c.fn), range=(0, 1)),
    ]
    found = uc.evaluate(Y, S, metrics=[*mine, "auroc", "brier", "sensitivity"], threshold=0.4)
    for name, ours in (("area", "auroc"), ("squares", "brier"), ("found", "sensitivity")):
        assert found[name].value == found[ours].value
        width = found[ours].high - found[ours].low
        assert found[name].low == pytest.approx(found[ours].low, abs=0.2 * width)
        assert found[name].high == pytest.approx(found[ours].high, abs=0.2 * width)
    assert "bootstrap" in found["area"].method and "bootstrap" in found["squares"].method
    shifted = Metric("auroc", lambda table: 3 + 0 * METRICS["auroc"](table), of="ranks", range=(2, 4))
    borrowed = uc.evaluate(Y, S, metrics=[shifted], **FEW)["auroc"]
    assert borrowed.value == 3 and 2 <= borrowed.low <= 3 <= borrowed.high <= 4


def test_design_changes_what_depends_on_prevalence():
    metrics = ["sensitivity", "auroc", "average_precision", "precision"]
    cohort, fixed = (uc.evaluate(Y, S, metrics=metrics, design=d, threshold=0.4) for d in ("cohort", "case-control"))
    assert (cohort["auroc"].low, cohort["sensitivity"].low) == (fixed["auroc"].low, fixed["sensitivity"].low)
    width = {each.design: each["average_precision"].high - each["average_precision"].low for each in (cohort, fixed)}
    assert width["case-control"] < width["cohort"]


def test_groups_are_resampled_whole():
    y, s = rows(100)
    metrics = ["auroc", "brier", "sensitivity", "max_f1"]
    many, groups = (np.tile(y, 4), np.tile(s, 4)), np.tile(np.arange(100), 4)
    honest = uc.evaluate(*many, groups=groups, metrics=metrics, threshold=0.4)
    naive = uc.evaluate(*many, metrics=metrics, threshold=0.4)
    assert honest.design == "clustered"
    for name in metrics:
        assert honest[name].value == pytest.approx(naive[name].value)
        assert 1.5 < (honest[name].high - honest[name].low) / (naive[name].high - naive[name].low) < 2.6
        assert "whole groups" in honest[name].method and "100 groups" in honest[name].conditions


# Awkward data --------------------------------------------------------------------------------------------------------


def test_one_class_is_refused():
    for labels in (np.ones(5), np.zeros(5)):
        with pytest.raises(InputError, match="one class"):
            uc.evaluate(labels, np.arange(5.0))


def test_constant_scores_are_warned_of():
    with pytest.warns(uc.UnconfuseWarning, match="the cases are not ranked"):
        found = uc.evaluate([1, 0, 1, 0], [0.5] * 4, **FEW)
    assert found["auroc"].value == 0.5 and found["auroc"].low <= 0.5 <= found["auroc"].high


@pytest.mark.parametrize("labels", [[1, 0], [1, 0, 0, 0, 0], [1, 1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]])
def test_tiny_and_perfect_samples_have_intervals(labels):
    found = uc.evaluate(labels, np.linspace(0.9, 0.1, len(labels)), **FEW)
    for name, each in found.items():
        if each.undefined is None and METRICS[name].of != "counts":
            assert each.low <= each.value <= each.high, name
    assert found["auroc"].high - found["auroc"].low > 0.1


def test_a_threshold_no_probability_can_reach_is_refused():
    for threshold in (50, -1):
        with pytest.raises(ArgumentError, match="threshold"):
            uc.evaluate(Y, S, threshold=threshold, **FEW)
    assert uc.evaluate(Y, S * 100, threshold=50, metrics=["f1"])["f1"].value > 0


@pytest.mark.parametrize(("threshold", "words"), [(1.0, "labelled negative"), (0.0, "labelled positive")])
def test_a_threshold_beyond_the_scores_is_found(threshold, words):
    found = uc.evaluate(Y, S, threshold=threshold, metrics=["mcc"])
    said = [each for each in found.findings if each.verdict == "threshold out of range"]
    assert len(said) == 1 and words in said[0].sentence
    inside = uc.evaluate(Y, S, threshold=float(S.max()), metrics=["mcc"])
    assert not [each for each in inside.findings if each.verdict == "threshold out of range"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"design": "both"}, "design"),
        ({"confidence_level": 1}, "confidence_level"),
        ({"n_resamples": 3}, "n_resamples"),
        ({"rng": 1.5}, "rng"),
        ({"threshold": math.inf}, "threshold"),
        ({"threshold": "half"}, "threshold"),
    ],
)
def test_wrong_arguments_are_refused(change, message):
    with pytest.raises(ArgumentError, match=message):
        uc.evaluate(Y, S, **change)


def test_two_models_are_for_compare():
    with pytest.raises(ArgumentError, match="compare"):
        uc.evaluate(Y, {"a": S, "b": S})


# Asking again --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "bias_corrected"])
@pytest.mark.parametrize("name", ["auroc", "average_precision", "max_f1", "brier", "auch"])
def test_other_bootstrap_intervals(ev, name, method):
    again = ev[name].interval(method=method)
    assert again.value == ev[name].value and again.confidence_level == 0.95
    assert {"bca": "BCa", "bias_corrected": "bias-corrected"}.get(method, method) in again.method
    assert again.high - again.low == pytest.approx(ev[name].high - ev[name].low, rel=0.5)
    wider = ev[name].interval(confidence_level=0.999, method=method)
    assert wider.high - wider.low > again.high - again.low
    assert wider.interval(confidence_level=0.95, method=method) == again


def test_other_levels_keep_the_default_method(ev):
    for name in ("auroc", "brier", "sensitivity", "mcc"):
        wider = ev[name].interval(confidence_level=0.99)
        assert wider.method == ev[name].method and wider.low <= ev[name].low <= ev[name].high <= wider.high
        assert ev[name].interval() == ev[name]


def test_proportions_have_their_own_methods(ev):
    wilson = ev["sensitivity"].interval(method="wilson")
    p, n, z = ev["sensitivity"].value, ev.positives, 1.959963984540054
    centre, half = (
        (p + z * z / (2 * n)) / (1 + z * z / n),
        z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)),
    )
    assert (wilson.low, wilson.high) == (pytest.approx(centre - half), pytest.approx(centre + half))


def test_methods_that_do_not_exist_are_refused(ev):
    for name in ("auroc", "brier", "sensitivity"):
        with pytest.raises(ArgumentError, match="Hint"):
            ev[name].interval(method="magic")


# Another prevalence --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prevalence", [0.02, 0.3, 0.8])
def test_shifting_the_prevalence_is_reweighting_the_classes(ev, prevalence):
    moved = uc.shift_prevalence(ev, prevalence=prevalence)
    positive, negative = prevalence / ev.positives, (1 - prevalence) / ev.negatives
    weights = np.where(Y, positive, negative) * ev.n
    table = uc.score_table(Y, S, weights=weights)
    for name, metric in METRICS.items():
        wanted = float(metric(table if metric.of != "counts" else table.counts_at(0.4)))
        assert moved[name].value == pytest.approx(wanted, abs=1e-9, nan_ok=True), name
        if metric.of != "counts":
            assert moved[name].low <= moved[name].value <= moved[name].high, name
    assert moved["auroc"].low == ev["auroc"].low
    assert moved.counts.positives / moved.counts.total == pytest.approx(prevalence)


def test_shifting_to_another_level_changes_every_interval(ev):
    moved = uc.shift_prevalence(ev, prevalence=0.1, confidence_level=0.5)
    assert {each.confidence_level for each in moved.values()} == {0.5}
    assert moved["auroc"].high - moved["auroc"].low < ev["auroc"].high - ev["auroc"].low


def test_grouped_cases_promise_no_interval_that_forgets_the_groups():
    """Every case four times: what depends on counts alone would look twice as sure as it is."""
    y, s = rows(60)
    many = np.tile(y, 4), np.tile(s, 4)
    grouped = uc.evaluate(*many, groups=np.tile(np.arange(60), 4), threshold=0.4, n_resamples=300)
    moved = uc.shift_prevalence(grouped, prevalence=0.1)
    plain = uc.shift_prevalence(uc.evaluate(*many, threshold=0.4, n_resamples=300), prevalence=0.1)
    for name, metric in METRICS.items():
        assert moved[name].value == pytest.approx(plain[name].value, nan_ok=True), name
        if name in ("precision", "npv", "false_discovery_rate", "false_omission_rate"):
            inner = plain[name]  # they follow from the likelihood ratio, whose interval knows the groups
            assert moved[name].low < inner.low < inner.high < moved[name].high, name
        elif metric.depends_on_prevalence:
            assert math.isnan(moved[name].low), name
        else:
            assert moved[name] == grouped[name]
    said = grouped.findings[0]
    assert said.numbers["low"] == grouped["youden_j"].low and "whole clusters" in said.sentence
    few = uc.evaluate(*many, groups=np.tile(np.arange(60), 4), threshold=0.4, n_resamples=300, metrics=["auroc"])
    asked_later = next(each for each in few.findings if each.rule == said.rule)
    assert asked_later.numbers["low"] == grouped["youden_j"].low and "whole clusters" in asked_later.sentence
    assert all("undefined" not in each.sentence for each in few.findings)


# What comes out ------------------------------------------------------------------------------------------------------


def test_curves_explanations_and_pictures(ev, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert ev.curve("roc")["tpr"][-1] == 1
    assert ev.definitions("auprc").entries[0].value == ev["average_precision"].value
    with pytest.raises(ArgumentError, match="roc"):
        ev.curve("rok")
    with pytest.raises(ArgumentError):
        ev.definitions("nothing")
    ev.plot(str(tmp_path / "all.png"))
    assert (tmp_path / "all.png").stat().st_size > 20_000
    counts = uc.evaluate_counts(tp=3, fp=1, fn=2, tn=9)
    assert counts.plot().axes  # the confusion matrix
    for ask in (lambda: counts.curve("roc"), lambda: counts.definitions("auprc")):
        with pytest.raises(ArgumentError, match="needs the scores"):
            ask()
    matplotlib.pyplot.close("all")


def test_plain_values(ev):
    values = plain_json(ev.as_dict())
    assert json.loads(json.dumps(values, allow_nan=False)) == values
    assert set(values["metrics"]) == set(METRICS) and values["n"] == 300 and values["seed"] == 0
    frame = ev.to_frame()
    assert list(frame["metric"]) == list(METRICS) and "low" in frame.columns


def test_it_reads_well(ev):
    assert repr(ev) == "Evaluation: 56 metrics, 84 positives of 300, threshold 0.4, cohort design".replace(
        "56", str(len(METRICS))
    ).replace("84", f"{ev.positives:g}")
    assert str(ev["auroc"]).startswith("auroc 0.8") and "95% Wilson (DeLong effective n)" in str(ev["auroc"])
    assert ev._repr_html_().count("<svg") == len(ev.headline) + 1  # a bar each, and the ROC curve
    assert uc.evaluate(Y, {"risk": S}, metrics=["auroc"]).name == "risk"


def test_findings_rest_on_the_numbers(ev):
    assert ev.findings and all(each.sentence.endswith(".") for each in ev.findings)
    few = uc.evaluate([1] * 3 + [0] * 30, np.linspace(1, 0, 33), metrics=["auroc"])
    assert any(each.verdict == "too few cases" for each in few.findings)


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others(ev):
    again, other = (uc.evaluate(Y, S, threshold=0.4, rng=seed, **FEW) for seed in (0, 1))
    assert numbers(again) == numbers(ev)
    assert other["max_f1"].low != ev["max_f1"].low


def test_progress_is_told():
    told: list[tuple[int, int]] = []
    uc.evaluate(Y, S, progress=lambda done, total: told.append((done, total)), **FEW)
    assert told[-1][0] == told[-1][1] == 200


def test_results_can_be_stored(ev):
    again = pickle.loads(pickle.dumps(ev))
    assert numbers(again) == numbers(ev) and again.table == ev.table and again.findings == ev.findings
    for name in ("auroc", "max_f1", "sensitivity"):
        assert again[name].interval(confidence_level=0.9) == ev[name].interval(confidence_level=0.9)
    comparison = uc.compare(Y, {"a": S, "b": np.roll(S, 1)}, metrics=["auroc", "f1"], n_resamples=100)
    assert plain_json(pickle.loads(pickle.dumps(comparison)).rows()) == plain_json(comparison.rows())
    moved = uc.shift_prevalence(ev, prevalence=0.1)
    assert numbers(pickle.loads(pickle.dumps(moved))) == numbers(moved)


def test_factories_and_module_level_metrics_can_be_stored():
    found = uc.evaluate(Y, S, metrics=["f_beta(2)", "partial_auroc(0.2)", MINE], threshold=0.4, **FEW)
    assert numbers(pickle.loads(pickle.dumps(found))) == numbers(found)


def hits(counts):
    return counts.tp / counts.total


MINE = Metric("hits", hits, range=(0, 1))


def test_tables_can_be_copied_with_changes():
    table = uc.score_table(Y, S)
    assert replace(table, score=table.score + 1).score[0] == table.score[0] + 1
    assert isinstance(pickle.loads(pickle.dumps(table)), uc.ScoreTable)


def test_fractional_weights_are_mentioned():
    with pytest.warns(uc.UnconfuseWarning, match="not integers"):
        uc.evaluate([1, 0, 1, 0], [0.9, 0.4, 0.3, 0.1], weights=[0.5, 1, 1, 1], metrics=["accuracy"])
    uc.evaluate([1, 0, 1, 0], [0.9, 0.4, 0.3, 0.1], weights=[2, 1, 1, 1], metrics=["accuracy"])
