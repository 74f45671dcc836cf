"""Many labels of one case: intervals from whole cases, unknown labels, each label by itself, comparisons, refusals."""

import pickle
import subprocess
import sys
from statistics import NormalDist

import numpy as np
import pandas as pd
import polars as pl
import pytest

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse.metrics import multilabel


def world(n=300, width=4, seed=0, rho=0.7):
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n, 1))
    truth = ((rho * shared + rng.normal(size=(n, width))) > 0.7).astype(float)
    scores = 1 / (1 + np.exp(-(1.5 * truth - 0.8 + 0.6 * rng.normal(size=(n, 1)) + rng.normal(size=(n, width)))))
    return truth, scores


Y, S = world()
NAMES = ["mass", "nodule", "edema", "hernia"]


def frame(truth=Y, scores=S, **more):
    own = {f"finding_{name}": truth[:, k] for k, name in enumerate(NAMES)}
    return pd.DataFrame(own | {f"p_{name}": scores[:, k] for k, name in enumerate(NAMES)} | more)


def test_one_label_is_the_yes_or_no_evaluation():
    found = uc.evaluate(Y, S, labels=NAMES)
    for k, name in enumerate(NAMES):
        alone = uc.evaluate(Y[:, k].astype(int), S[:, k], metrics=["auroc", "sensitivity", "brier"])
        own = found.of_label(name)
        for metric in alone:
            assert own[metric].value == alone[metric].value
            assert (own[metric].low, own[metric].high) == (alone[metric].low, alone[metric].high)


def test_one_label_only_and_decisions_only():
    one, alone = uc.evaluate(Y[:, :1], S[:, :1]), uc.evaluate(Y[:, 0].astype(int), S[:, 0])
    assert {name: str(each) for name, each in one.items()} == {name: str(each) for name, each in alone.items()}
    decided = uc.evaluate(Y, predicted=S >= 0.5)
    assert decided["f1_macro"].value == uc.evaluate(Y, S)["f1_macro"].value
    assert "auroc_macro" not in decided
    with pytest.raises(ArgumentError, match="needs scores"):
        uc.evaluate(Y, predicted=S >= 0.5, metrics=["auroc_macro"])


def test_labels_of_a_case_go_together():
    """Every case twice is no more evidence if both are one group; a copy of a label adds none either."""
    plain = uc.evaluate(Y, S, metrics=["f1_macro", "auroc_macro", "hamming_loss"])
    copied = uc.evaluate(np.hstack([Y, Y]), np.hstack([S, S]), metrics=list(plain))
    twice = uc.evaluate(np.vstack([Y, Y]), np.vstack([S, S]), groups=np.tile(np.arange(len(Y)), 2), metrics=list(plain))
    for name, each in plain.items():
        assert copied[name].standard_error == pytest.approx(each.standard_error, rel=1e-9)
        assert twice[name].standard_error == pytest.approx(each.standard_error, rel=0.02)


def test_rows_in_any_order():
    order = np.random.default_rng(3).permutation(len(Y))
    one, other = uc.evaluate(Y, S), uc.evaluate(Y[order], S[order])
    for name, each in one.items():
        assert (each.value, each.low) == pytest.approx((other[name].value, other[name].low), abs=1e-12)
    chosen = [
        uc.evaluate(y, s, at="max_f1", metrics=["f1_macro"])["f1_macro"].value
        for y, s in ((Y, S), (Y[order], S[order]))
    ]
    assert chosen[0] == pytest.approx(chosen[1], abs=1e-12)


def test_unknown_labels():
    truth = Y.copy()
    truth[np.random.default_rng(1).random(Y.shape) < 0.3] = np.nan
    found = uc.evaluate(truth, S)
    known = ~np.isnan(truth)
    assert found["hamming_loss"].value == pytest.approx(((S >= 0.5) != truth)[known].mean())
    complete = known.all(axis=1)
    assert found["subset_accuracy"].value == pytest.approx(((S >= 0.5) == truth)[complete].all(axis=1).mean())
    assert f"{complete.sum()} of {len(Y)} cases" in found["subset_accuracy"].conditions
    whole = uc.evaluate(Y[complete], S[complete])
    for name in ("f1_samples", "auroc_samples", "average_precision_samples"):
        assert found[name].value == pytest.approx(whole[name].value)
        assert f"{complete.sum()} of {len(Y)} cases" in found[name].conditions
    truth[:, 0] = np.nan
    assert "all known" in uc.evaluate(truth, S, metrics=["f1_samples"])["f1_samples"].undefined
    assert any("unknown" in each.sentence for each in found.findings)
    for k, name in enumerate(found.labels):
        assert found.of_label(name).n == known[:, k].sum()


def test_sources_agree():
    told = uc.evaluate(Y, S, labels=[f"finding_{name}" for name in NAMES], metrics=["f1_macro", "auroc_macro"])
    words = {"labels": "finding_*", "scores": "p_*", "metrics": ["f1_macro", "auroc_macro"]}
    shuffled = frame()[list(frame().columns[::-1])]
    ways = [
        uc.evaluate(shuffled, **words),
        uc.evaluate(pl.from_pandas(frame()).lazy(), **words),
        uc.evaluate(uc.Data(frame(), labels="finding_*", scores="p_*"), metrics=words["metrics"]),
        uc.evaluate(
            frame(), labels=[f"finding_{n}" for n in NAMES], scores=[f"p_{n}" for n in NAMES], metrics=words["metrics"]
        ),
        uc.evaluate(pd.DataFrame(Y, columns=NAMES), pd.DataFrame(S, columns=NAMES)[NAMES[::-1]], metrics=["f1_macro"]),
    ]
    for found in ways:
        assert found["f1_macro"].value == pytest.approx(told["f1_macro"].value, abs=1e-12)
    assert ways[0].of_label("finding_mass").n == ways[0].of_label("mass").n == len(Y)
    assert ways[4].labels == tuple(NAMES)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_and_the_command_line(tmp_path, kind):
    truth = Y.copy()
    truth[0, 0] = np.nan
    path = tmp_path / f"scans.{kind}"
    getattr(frame(truth), f"to_{kind}")(path, index=False)
    found = uc.evaluate(str(path), labels="finding_*", scores="p_*")
    assert found["f1_macro"].value == pytest.approx(uc.evaluate(truth, S)["f1_macro"].value, abs=1e-12)
    asked = [sys.executable, "-m", "unconfuse", "evaluate", str(path), "--labels", "finding_*", "--scores", "p_*"]
    shown = subprocess.run([*asked, "--format", "json"], capture_output=True, text=True, check=True).stdout
    assert f'"value": {found["f1_macro"].value!r}'[:20] in shown and '"per_label"' in shown
    table = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert "worst first" in table and "finding_hernia" in table
    subprocess.run([*asked, "--html", str(tmp_path / "a.html")], capture_output=True, check=True)
    assert "finding_hernia" in (tmp_path / "a.html").read_text()


def test_thresholds_by_label():
    by_name = uc.evaluate(Y, S, labels=NAMES, threshold=dict(zip(NAMES, (0.2, 0.3, 0.4, 0.6), strict=True)))
    by_place = uc.evaluate(Y, S, threshold=[0.2, 0.3, 0.4, 0.6])
    assert by_name["f1_macro"].value == by_place["f1_macro"].value
    assert by_name.of_label("hernia").threshold == 0.6
    crossfit = uc.evaluate(Y, S, labels=NAMES, at="max_f1", metrics=["f1_macro"])["f1_macro"].value
    best = np.mean([float(uc.METRICS["max_f1"](uc.score_table(Y[:, k], S[:, k]))) for k in range(4)])
    assert crossfit < best
    assert (
        by_name.cards["mass"]["youden"].threshold.value
        == by_name.of_label("mass").default_card["youden"].threshold.value
    )


def test_scores_that_are_no_probabilities_have_no_threshold():
    found = uc.evaluate(Y, 10 * S)
    assert "auroc_macro" in found and "f1_macro" not in found
    with pytest.raises(uc.UnconfuseError, match="threshold"):
        found["f1_macro"]
    assert uc.evaluate(Y, 10 * S, threshold=5)["f1_macro"].value == uc.evaluate(Y, S)["f1_macro"].value


def test_a_label_without_positives_is_left_out_and_named():
    truth = np.column_stack([Y, np.zeros(len(Y))])
    scores = np.column_stack([S, np.full(len(Y), 0.1)])
    found = uc.evaluate(truth, scores, labels=[*NAMES, "never"])
    for name in ("f1_macro", "sensitivity_macro", "auroc_macro"):
        assert found[name].value == pytest.approx(uc.evaluate(Y, S)[name].value, abs=1e-12)
        assert "never" in found[name].conditions
    with pytest.raises(ArgumentError, match="no positive case"):
        found.of_label("never")
    assert list(found.per_label(["auroc"]))[-1] == "never"


@pytest.mark.parametrize("scores", [Y, 1 - Y], ids=["perfect", "reversed"])
def test_without_an_error_intervals_keep_a_width(scores):
    found = uc.evaluate(Y, scores)
    for name in ("f1_macro", "auroc_macro", "subset_accuracy", "hamming_loss", "f1_micro"):
        assert found[name].value in (0.0, 1.0)
        assert 0.001 < found[name].high - found[name].low < 0.2


def test_few_cases():
    truth, scores = np.array([[1, 0], [0, 1], [1, 0]]), np.array([[0.9, 0.2], [0.3, 0.8], [0.6, 0.4]])
    for each in uc.evaluate(truth, scores).values():
        assert each.low <= each.value <= each.high
    one = uc.evaluate(truth[:1], scores[:1])
    assert np.isnan(one["subset_accuracy"].low) and "one case" in one["subset_accuracy"].method
    assert one["auroc_macro"].undefined


def test_sampling_weights_and_subgroups():
    rng = np.random.default_rng(8)
    equal = uc.evaluate(Y, S, sampling_weights=np.full(len(Y), 3.0), metrics=["f1_macro", "hamming_loss"])
    plain = uc.evaluate(Y, S, metrics=list(equal))
    for name, each in equal.items():
        assert each.value == pytest.approx(plain[name].value) and each.low == pytest.approx(plain[name].low, abs=2e-3)
        uneven = uc.evaluate(Y, S, sampling_weights=rng.exponential(size=len(Y)), metrics=[name])[name]
        assert uneven.standard_error > each.standard_error
    sex = rng.choice(["F", "M"], len(Y))
    found = uc.evaluate(frame(sex=sex), labels="finding_*", scores="p_*", by="sex")
    assert found.subgroups["F"]["f1_macro"].value == uc.evaluate(Y[sex == "F"], S[sex == "F"])["f1_macro"].value
    assert set(found.to_frame()["subgroup"]) == {"(everyone)", "F", "M"}


def by_holm(p_values):
    order = np.argsort(p_values)
    raised = np.maximum.accumulate(np.sort(p_values) * np.arange(len(p_values), 0, -1))
    return np.minimum(raised, 1)[np.argsort(order)]


quantile = NormalDist().inv_cdf


def test_comparison_and_gate():
    noisy = np.clip(S + 0.3 * np.random.default_rng(2).normal(size=S.shape), 0, 1)
    found = uc.compare(Y, {"a": S, "b": noisy}, labels=NAMES)
    pair = found["auroc_macro", "a", "b"]
    assert pair.verdict == "better" and found["auroc_macro", "b", "a"].verdict == "worse"
    by_label = found.labels["auroc", "a", "b"]
    alone = [uc.compare(y, {"a": a, "b": b}, metrics=["auroc"]) for y, a, b in zip(Y.T, S.T, noisy.T, strict=True)]
    p_values = [each["auroc", "a", "b"].p_value for each in alone]
    for name, each, p in zip(NAMES, alone, by_holm(p_values), strict=True):
        single = each["auroc", "a", "b"]
        assert by_label[name].p_value == pytest.approx(p) and by_label[name].unadjusted_p_value == single.p_value
        assert by_label[name].value == single.value and by_label[name].level == pytest.approx(1 - 0.05 / 4)
        reach = (by_label[name].high - by_label[name].low) / (single.high - single.low)
        assert reach > quantile(1 - 0.05 / 8) / quantile(0.975) - 0.02  # all four hold at once
        assert "adjusted for 4 labels" in by_label[name].method and by_label[name].conditions.startswith(f"{name}: ")
    assert pickle.loads(pickle.dumps(found))["f1_macro", "a", "b"].p_value == found["f1_macro", "a", "b"].p_value
    assert found.evaluations["a"]["f1_macro"].value == uc.evaluate(Y, S)["f1_macro"].value
    same = uc.compare(Y, {"a": S, "b": S}, metrics=["f1_macro"])["f1_macro", "a", "b"]
    assert (same.verdict, same.p_value) == ("cannot tell", 1.0)
    three = uc.compare(Y, {"a": S, "b": noisy, "c": 1 - S}, metrics=["auroc_macro"])
    assert [each.model for each in three.leaderboard] == ["a", "b", "c"]
    assert uc.gate(Y, noisy, S, metrics=["auroc_macro"], margin=0.01).verdict == "worse"
    assert uc.gate(Y, S, metrics=["auroc_macro"], require=["hamming_loss<=.4"]).verdict == "pass"


def test_the_scale_of_sampling_weights_does_not_change_how_many_cases_are_needed():
    noisy = np.clip(S + 0.03 * np.random.default_rng(2).normal(size=S.shape), 0, 1)
    weights = np.random.default_rng(3).exponential(size=len(Y))
    one, other = (
        uc.compare(Y, {"a": S, "b": noisy}, sampling_weights=each, metrics=["hamming_loss"])["hamming_loss", "a", "b"]
        for each in (weights, 7 * weights)
    )
    assert other.cases_needed == pytest.approx(one.cases_needed) and other.p_value == pytest.approx(one.p_value)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 3e5])
@pytest.mark.parametrize("groups", [None, np.arange(len(Y)) // 2])
def test_the_scale_of_sampling_weights_moves_no_interval(scale, groups):
    rare, scores = Y.copy(), S.copy()
    rare[:, 0], scores[0, 0] = np.arange(len(Y)) == 0, 1  # one positive, and a label without errors
    weights = np.random.default_rng(3).exponential(size=len(Y))
    noisy = np.clip(scores + 0.05 * np.random.default_rng(2).normal(size=S.shape), 0, 1)
    numbers = []
    for each in (weights, scale * weights):
        how = {"sampling_weights": each, "groups": groups}
        found = [
            *uc.evaluate(rare, scores, **how).values(),
            *uc.compare(rare, {"a": scores, "b": noisy}, **how).values(),
        ]
        numbers.append([(own.value, own.low, own.high, own.standard_error) for own in found])
    np.testing.assert_allclose(*numbers, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("words", [{}, {"groups": np.arange(len(Y)) // 2}, {"sampling_weights": np.full(len(Y), 0.1)}])
def test_the_same_labels_of_these_cases_are_not_equivalent_but_the_same_scores_are(words):
    rounded = np.where((S.round(2) >= 0.5) == (S >= 0.5), S.round(2), S)
    of_labels = ["f1_macro", "f1_micro", "f1_weighted", "f1_samples", "subset_accuracy", "hamming_loss"]
    for other in (S, rounded):
        found = uc.compare(Y, {"a": S, "b": other}, metrics=of_labels, threshold=0.5, margin=0.001, **words)
        for name in of_labels:
            pair = found[name, "a", "b"]
            assert pair.value == 0 and pair.low < -0.001 and pair.high > 0.001 and pair.verdict == "cannot tell", pair
    same = uc.compare(Y, {"a": S, "b": S}, metrics=["auroc_macro"], margin=0.001, **words)["auroc_macro", "a", "b"]
    assert (same.low, same.high, same.verdict) == (0, 0, "equivalent")


def test_a_gate_adjusts_for_all_its_conditions():
    noisy = np.clip(S + 0.05 * np.random.default_rng(5).normal(size=S.shape), 0, 1)
    alone, names = uc.gate(Y, noisy, S, metrics=["auroc_macro"], margin=0.001), ["auroc_macro", "f1_macro", "f1_micro"]
    p_value = uc.compare(Y, {"new": noisy, "old": S}, metrics=["auroc_macro"])["auroc_macro", "new", "old"].p_value
    assert 0.05 / 4 < p_value <= 0.05 and alone.verdict == "worse"  # half of the error, two-sided
    many = uc.gate(Y, noisy, S, metrics=names, margin=0.001, require=["hamming_loss<=.9"])
    assert {each.name: each.verdict for each in many.checks}["auroc_macro"] == "cannot tell"
    cuts = dict(zip(map(str, range(4)), [0.2, 0.3, 0.4, 0.5], strict=True))
    cut = uc.gate(Y, S, noisy, metrics=["f1_macro"], threshold=cuts, margin=0.1, require=["f1_macro>=.1"])
    value = uc.evaluate(Y, S, threshold=cuts)["f1_macro"].value
    assert cut.passed and value in [each.estimate.value for each in cut.checks]
    lower = uc.gate(Y, 1 - S, S, metrics=["ranking_loss"], margin=0.01)  # of which less is better
    assert lower.verdict == "worse" and lower.checks[0].estimate.value < 0


def test_margins_hold_for_all_labels_at_once():
    shaken = S + 0.001 * np.random.default_rng(3).normal(size=S.shape)
    shaken[:, 0] = S[:, 0]  # the models answer alike
    shaken[:, 3] = 1 - S[:, 3]
    found = uc.compare(Y, {"a": shaken, "b": S}, metrics=["auroc_macro"], margin=0.05).labels["auroc", "a", "b"]
    assert [found[name].verdict for name in "0123"] == ["equivalent", "equivalent", "equivalent", "worse"]
    assert [found[name].within_margin for name in "0123"] == [True, True, True, False]
    assert [found[name].not_worse for name in "0123"] == [True, True, True, False]
    assert next(iter(found)) == "3" and "adjusted for 3 labels" in found["3"].method
    assert found["0"].low == 0 == found["0"].high and found["0"].p_value == 1


def test_differences_do_not_depend_on_the_order_of_models():
    rng = np.random.default_rng(4)
    models = {name: S + how * rng.normal(size=S.shape) for name, how in (("c", 0.1), ("a", 0.2), ("b", 0.5))}
    one, other = (
        uc.compare(Y, {name: models[name] for name in order}, metrics=["auroc_macro"]) for order in ("cab", "abc")
    )
    for first, second in (("a", "b"), ("b", "c"), ("c", "a")):
        found, again = one["auroc_macro", first, second], other["auroc_macro", first, second]
        assert (found.low, found.high, found.p_value) == pytest.approx(
            (again.low, again.high, again.p_value), rel=1e-12
        )


def test_results_can_be_kept():
    found = uc.evaluate(Y, S, labels=NAMES)
    again = pickle.loads(pickle.dumps(found))
    assert again["f1_macro"].value == found["f1_macro"].value and again["npv_macro"].value == found["npv_macro"].value
    assert found["f1_macro"].interval(confidence_level=0.8).low > found["f1_macro"].low
    assert set(found.as_dict()) >= {"metrics", "labels", "per_label", "findings"}
    assert "f1_macro" in str(found.to_frame()) and "<" in found._repr_html_()


def test_any_metric_can_be_averaged():
    found = uc.evaluate(Y, S)
    each = [uc.evaluate(Y[:, k], S[:, k], metrics=["npv", "brier", "mcc", "gini"]) for k in range(4)]
    for name in each[0]:
        assert found[f"{name}_macro"].value == pytest.approx(np.mean([own[name].value for own in each]))
        assert found[f"{name}_macro"].low < found[f"{name}_macro"].value < found[f"{name}_macro"].high
    assert found["recall_macro"] is found["sensitivity_macro"]


Spark = type("DataFrame", (), {"__module__": "pyspark.sql.dataframe"})  # a frame of Spark is known by its class

REFUSED = {
    "a cluster": lambda: uc.evaluate(Spark(), labels="finding_*", scores="p_*"),
    "queries on a cluster": lambda: uc.evaluate(Spark(), query="qid"),
    "a third value": lambda: uc.evaluate(Y + 1, S),
    "text": lambda: uc.evaluate(np.where(Y > 0, "yes", "no"), S),
    "another width": lambda: uc.evaluate(Y, S[:, :3]),
    "another length": lambda: uc.evaluate(Y, S[:50]),
    "a missing score": lambda: uc.evaluate(Y, np.where(S > 0.9, np.nan, S)),
    "no label known": lambda: uc.evaluate(np.full(Y.shape, np.nan), S),
    "case-control": lambda: uc.evaluate(Y, S, design="case-control"),
    "folds": lambda: uc.evaluate(Y, S, folds=np.arange(len(Y)) % 5),
    "positive": lambda: uc.evaluate(Y, S, positive=1),
    "a metric of one label": lambda: uc.evaluate(Y, S, metrics=["auroc"]),
    "an unknown metric": lambda: uc.evaluate(Y, S, metrics=["f1_makro"]),
    "npv within a case": lambda: uc.evaluate(Y, S, metrics=["npv_samples"]),
    "a threshold for no label": lambda: uc.evaluate(Y, S, threshold={"mars": 0.5}),
    "too few thresholds": lambda: uc.evaluate(Y, S, threshold=[0.5]),
    "a label twice": lambda: uc.evaluate(Y, S, labels=["a", "a", "b", "c"]),
    "a metric of many labels for one": lambda: uc.evaluate(Y[:, 0], S[:, 0], metrics=[uc.LABEL_METRICS["f1_macro"]]),
    "a metric of queries": lambda: uc.evaluate(Y[:, 0], S[:, 0], metrics=[uc.ndcg_at(3)]),
    "no such label": lambda: uc.evaluate(Y, S).of_label("mars"),
    "no such columns": lambda: uc.evaluate(frame(), labels="found_*", scores="p_*"),
    "no scores": lambda: uc.evaluate(frame(), labels="finding_*"),
    "unmatched": lambda: uc.evaluate(frame().drop(columns="p_mass"), labels="finding_*", scores="p_*"),
    "a database": lambda: uc.evaluate("sqlite:///a.db", labels="finding_*", scores="p_*", table="t"),
    "a page in a data file": lambda: uc.evaluate(Y, S).report("a.csv"),
    "one model": lambda: uc.compare(Y, {"a": S}),
    "subgroups of a comparison": lambda: uc.compare(Y, {"a": S, "b": 1 - S}, by=Y[:, 0]),
    "subgroups of a gate": lambda: uc.gate(Y, S, 1 - S, metrics=["f1_macro"], by=Y[:, 0]),
    "sites": lambda: uc.evaluate(Y, S, site=Y[:, 0]),
    "case-control models": lambda: uc.compare(Y, {"a": S, "b": 1 - S}, design="case-control"),
    "a gate by a metric of one label": lambda: uc.gate(Y, S, 1 - S),
    "another verb": lambda: uc.threshold_card(Y[:, 0], S[:, 0], labels=["a"]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(what):
    with pytest.raises(uc.UnconfuseError) as refusal:
        REFUSED[what]()
    assert len(str(refusal.value)) > 30


def test_rows_with_missing_scores_can_be_left_out():
    scores = np.where(S > 0.97, np.nan, S)
    with pytest.warns(uc.UnconfuseWarning, match="left out"):
        found = uc.evaluate(Y, scores, on_bad_row="skip")
    kept = ~np.isnan(scores).any(axis=1)
    assert found.n == kept.sum()
    assert found["f1_macro"].value == uc.evaluate(Y[kept], S[kept])["f1_macro"].value


def test_declarations_say_what_a_reader_needs():
    for name, each in multilabel.LABEL_METRICS.items():
        assert each.question.endswith("?") and each.formula and each.misleads and each.references, name
        assert pickle.loads(pickle.dumps(each)).name == name


def test_matrices_of_one_question_stay_what_they_were():
    y = Y[:, 0].astype(int)
    two = np.column_stack([1 - S[:, 0], S[:, 0]])
    assert (
        uc.evaluate(y, two, metrics=["auroc"])["auroc"].value
        == uc.evaluate(y, S[:, 0], metrics=["auroc"])["auroc"].value
    )
    assert isinstance(uc.evaluate(y[:, None], S[:, 0], metrics=["auroc"]), uc.Evaluation)
    with pytest.raises(InputError):
        uc.evaluate(Y, S[:, 0])
