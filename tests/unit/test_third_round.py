"""What an outside audit of the questions of the third round found: each case was wrong once."""

import math
import pickle
import re

import numpy as np
import pandas as pd
import pytest

import unconfuse as uc
from unconfuse.multilevel.random_effects import reml
from unconfuse.multilevel.readers import Readings, averaged
from unconfuse.resolving.model_sequence import TablePopulation
from unconfuse.uncertainty.difference_tests import cases_needed

RNG = np.random.default_rng(0)
N = 400
Y = (RNG.random(N) < 0.4).astype(int)
S = 1 / (1 + np.exp(-(1.2 * Y + RNG.normal(size=N) - 0.9)))
OTHER = np.clip(S + 0.1 * RNG.normal(size=N), 0, 1)
SITE = RNG.integers(0, 6, N)


def readings(scores, readers=5, cases=40):
    modality, reader, case = (each.ravel() for each in np.indices((2, readers, cases)))
    truth = (case < cases // 2).astype(int)
    return {"m": modality, "r": reader, "c": case, "y": truth, "s": scores(truth)}


ROLES = {"reader": "r", "case": "c", "truth": "y", "score": "s", "modality": "m"}


class TestReaders:
    @pytest.mark.parametrize("turn", [lambda y: y * 1.0, lambda y: -1.0 * y, lambda y: 0.0 * y])
    def test_readers_who_agree_say_nothing_of_another(self, turn):
        found = uc.readers(readings(turn), **ROLES)
        new = found.new_reader("1")
        assert math.isnan(new.low) and new.method.startswith("no interval")
        with pytest.raises(uc.UnconfuseError, match="readings that vary"):
            found.plan(difference=0.05)

    def test_readers_of_one_modality_each_make_no_plan(self):
        rows = readings(lambda y: y + RNG.normal(size=len(y)))
        kept = (rows["r"] < 2) == (rows["m"] == 1)
        found = uc.readers({name: each[kept] for name, each in rows.items()}, **ROLES)
        with pytest.raises(uc.UnconfuseError, match="at least 3 readers of '0' and of '1'; got 0"):
            found.plan(difference=0.05)

    def test_missing_readings_do_not_tell_equal_modalities_apart_too_often(self):
        rng, told = np.random.default_rng(1), 0
        is_positive = np.repeat([True, False], (50, 100))
        for _ in range(300):  # Gallas' U-statistics tell 9 to 10% of these apart
            people, own, both = 0.55 * rng.normal(size=150), 0.45 * rng.normal(size=(10, 150)), []
            for _ in range(2):
                scores = 2.48 * is_positive + people + own + 0.55 * rng.normal(size=150)
                scores = scores + 0.45 * rng.normal(size=(10, 150)) + 0.15 * rng.normal(size=(10, 1)) * is_positive
                both.append(Readings.of_areas(np.where(rng.random((10, 150)) < 0.2, np.nan, scores), is_positive))
            found = averaged(*both)
            told += found.p_value < 0.05
            assert found.low <= found.value <= found.high
        assert told <= 300 * 0.06

    def test_a_reader_of_one_modality_leaves_u_statistics(self):
        rows = readings(lambda y: y + RNG.normal(size=len(y)))
        kept = (rows["r"] > 0) | (rows["m"] == 1)
        found = uc.readers({name: each[kept] for name, each in rows.items()}, **ROLES)
        assert found["0", "1"].difference.method.startswith(("Gallas", "no interval: too few readings are shared"))


class TestBenchmark:
    @pytest.mark.parametrize("seed", range(8))
    @pytest.mark.parametrize("error", [None, "se"])
    def test_all_pairs_at_once_are_no_surer_than_each_alone(self, seed, error):
        rng = np.random.default_rng(seed)
        values = rng.normal(0.8, 0.05, (6, 1)) + rng.normal(0, 0.02, (6, 2)) + np.array([0, 0.02])
        frame = {"d": np.repeat(np.arange(6), 2), "m": np.tile(["a", "b"], 6), "v": values.ravel()}
        frame["se"] = rng.uniform(0.005, 0.05, 12)
        pair = uc.benchmark(frame, dataset="d", model="m", value="v", standard_error=error)["a", "b"]
        own, all_at_once = pair.difference, pair.simultaneous
        assert all_at_once.low <= own.low and own.high <= all_at_once.high
        assert pair.adjusted_p_value >= pair.p_value
        assert pair.verdict == "cannot tell" or own.low > 0 or own.high < 0

    def test_subgroups_are_refused(self):
        rows = {"y": Y, "a": S, "b": OTHER, "d": SITE, "sex": SITE % 2}
        with pytest.raises(uc.UnconfuseError, match="`by`"):
            uc.benchmark(uc.Data(rows, label="y", score=["a", "b"], by="sex"), dataset="d")


def answers(right, runs=3):
    item, run = (each.ravel() for each in np.indices((30, runs)))
    return {"q": item, "run": run, "ok": right(item)}


class TestItems:
    @pytest.mark.parametrize("value", [0, 1])
    def test_no_plan_from_items_that_are_all_alike(self, value):
        found = uc.items(answers(lambda item: item * 0 + value), item="q", correct="ok", run="run")
        with pytest.raises(uc.UnconfuseError, match="same score"):
            found.plan(width=0.1)

    def test_the_width_now_is_that_of_the_interval(self):
        found = uc.items(answers(lambda item: (item < 2) * 1, runs=1), item="q", correct="ok")
        own = found[found.models[0]]
        assert found.plan(width=0.1).width_now == pytest.approx(own.high - own.low)

    def test_each_role_has_its_column(self):
        with pytest.raises(uc.UnconfuseError, match="column of its own"):
            uc.items(answers(lambda item: item % 2), item="q", model="q", correct="ok", run="run")


class TestGateState:
    def ask(self, n, state, new=S, **data):
        return uc.gate(Y[:n], new[:n], OTHER[:n], margin=0.02, state=state, **data)

    @pytest.mark.parametrize("word", ["weights", "groups"])
    def test_cases_counted_otherwise_are_another_question(self, tmp_path, word):
        self.ask(200, tmp_path / "gate.json")
        with pytest.raises(uc.UnconfuseError, match=f"another `{word}`"):
            self.ask(N, tmp_path / "gate.json", **{word: 1 + np.arange(N) % 3})

    def test_several_classes_are_remembered(self, tmp_path):
        shares = RNG.dirichlet([1, 1, 1], N)
        for n in (200, N):
            found = uc.gate(SITE[:n] % 3, shares[:n], shares[:n], metrics="accuracy", margin=0.1, state=tmp_path / "a")
            assert found.verdict == "pass"

    def test_many_labels_are_refused_in_words(self, tmp_path):
        labels, scores = np.stack([Y, 1 - Y], axis=1), np.stack([S, 1 - S], axis=1)
        with pytest.raises(uc.UnconfuseError, match="`looks` does not support many labels"):
            uc.gate(labels, scores, scores, metrics=["f1_macro"], margin=0.1, state=tmp_path / "gate.json")

    def test_an_interval_of_all_looks_holds_its_value(self, tmp_path):
        rng, seen = np.random.default_rng(3), 0
        for trial in range(30):
            y, path = rng.integers(0, 2, 600), tmp_path / f"{trial}.json"
            noise = np.where(np.arange(600) < 300, 0.4, 3.0)  # the new model becomes worse half-way
            new, old = y + noise * rng.normal(size=600), y + rng.normal(size=600)
            for n in (150, 300, 450, 600):
                (check,) = uc.gate(y[:n], new[:n], old[:n], margin=0.3, state=path).checks
                assert check.estimate.low <= check.estimate.value <= check.estimate.high
                seen += check.estimate.method.endswith("all looks so far")
        assert seen


class TestPromises:
    def test_one_promise_in_a_mapping_is_that_promise(self):
        alone = uc.guarantee(Y, S, "precision", at_least=0.6)
        mapped = uc.guarantee(Y, S, {"precision": 0.6})
        assert mapped.threshold == alone.threshold and "middle" not in mapped.sentence

    def test_sets_of_classes_from_a_file(self, tmp_path):
        path = tmp_path / "rows.csv"
        pd.DataFrame({"y": Y, "p": S}).to_csv(path, index=False)
        assert uc.prediction_sets(path, label="y", score="p").size.value == uc.prediction_sets(Y, S).size.value


class TestWords:
    def test_a_difference_of_rounding_needs_no_cases(self):
        assert math.isnan(cases_needed(100, 5e-17, 0.05, 0.95)) and cases_needed(100, 1e-3, 0.05, 0.95) > 100

    def test_values_are_named_without_their_type(self):
        labels, scores = np.stack([Y, Y + 1], axis=1), np.stack([S, S], axis=1)
        with pytest.raises(uc.UnconfuseError, match=re.escape("got 2 in row")):
            uc.evaluate(labels, scores)
        with pytest.raises(uc.UnconfuseError, match="got -1 in row"):
            uc.evaluate(Y - 1, S, query=SITE)

    def test_a_rule_for_queries_is_refused_by_its_name(self):
        with pytest.raises(uc.UnconfuseError, match="`threshold_rule`"):
            uc.evaluate(Y, S, query=SITE, threshold_rule="youden")

    @pytest.mark.parametrize("word", ["site", "folds", "judge"])
    def test_what_many_labels_never_take_has_no_hint_at_frames(self, word):
        labels, scores = np.stack([Y, 1 - Y], axis=1), np.stack([S, 1 - S], axis=1)
        with pytest.raises(uc.UnconfuseError, match=f"leave `{word}` out"):
            uc.evaluate(labels, scores, **{word: SITE})

    def test_an_unknown_metric_of_a_forecast_is_refused_in_words(self):
        with pytest.raises(uc.UnconfuseError, match="no 'precision' here"):
            uc.forecast((Y, S), S, metrics=["auroc"]).same_risk["precision"]

    def test_values_of_sites_can_be_read(self):
        assert "auroc" in repr(uc.evaluate(Y, S, site=SITE, metrics=["auroc"]).sites["auroc"].estimates)

    def test_one_case_has_no_area_to_forecast(self):
        found = uc.forecast((Y, S), S[:1])
        for reading in (found.same_risk, found.label_shift):
            assert math.isnan(reading["auroc"].value) and "two" in reading["auroc"].undefined


def test_methods_have_short_names_and_keep_the_rest_as_a_note():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 80)
    s = rng.normal(size=80) + y
    found = uc.evaluate(y, s)["auroc"]
    assert found.method == "Wilson (DeLong effective n)"
    assert "half a case" in found.method.note
    assert pickle.loads(pickle.dumps(found)).method.note == found.method.note
    looked = uc.evaluate(y, s, looks="any")["auroc"]
    assert (
        looked.method.startswith("Wilson (DeLong effective n), at every look") and "half a case" in looked.method.note
    )


def test_the_mapping_of_metrics_makes_those_with_a_parameter():
    assert uc.METRICS["f2"].name == uc.METRICS["F_beta(2)"].name == "f_beta(2)"
    assert uc.METRICS["sensitivity_at_specificity(0.9)"].name == "sensitivity_at_specificity(0.9)"
    with pytest.raises(uc.UnconfuseError, match=r"f_beta takes a parameter: ask for 'f_beta\(2\)'"):
        uc.METRICS["f_beta"]
    assert "f_beta(2)" not in list(uc.METRICS)


def test_anything_that_predicts_is_a_model():
    class OnlyProbabilities:
        def predict_proba(self, rows):
            return np.full((len(rows), 2), 0.5)

    with pytest.raises(uc.UnconfuseError, match="not a model"):
        uc.evaluate(OnlyProbabilities(), np.zeros((4, 1)), [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: uc.compare([[1, 2], [3]], {"a": [0.1, 0.2], "b": [0.3, 0.4]}), "a list of unequal lists"),
        (lambda: uc.compare([0, 1], {"a": np.eye(2), "b": 5.0}), "^`scores` of 'b' must be one column of values"),
        (lambda: uc.evaluate(Y, S, groups=SITE, design="case-control", threshold_rule="youden"), "not support groups"),
        (lambda: uc.gate(Y, S, OTHER, state="x" * 5000), "`state`"),
    ],
)
def test_what_an_attack_found_is_refused_in_words(call, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        call()


def test_rounding_of_huge_weights_leaves_no_negative_variance():
    table = uc.ScoreTable([3.0, 2.0, 1.0], [1_000_004.0, 0, 0], [0, 6e5, 0.2])
    assert uc.METRICS["auroc"](table) == 1.0
    assert TablePopulation(table).auroc_variance(1_000_004.0, 600_000.2) == 0.0


class TestOddShapes:
    @pytest.mark.parametrize(
        "ask",
        [
            lambda: uc.compare([1], {"a": [[0.2, 0.5, 0.3]], "b": [[0.2, 0.5, 0.3]]}),
            lambda: uc.prediction_sets([1], [[0.2, 0.5, 0.3]]),
        ],
    )
    def test_one_row_of_several_scores_is_not_one_case(self, ask):
        with pytest.raises(uc.UnconfuseError, match="same length; got 1 and 3"):
            ask()

    def test_a_batch_of_which_nothing_is_labelled_positive_has_no_precision(self):
        found = uc.forecast((Y, S), [0.1], threshold=0.5)
        assert math.isnan(found.label_shift["precision"].value)
        assert found.prevalence.value == 0.0 and "1 new case, " in str(found.prevalence)


class TestNamesInSentences:
    """A name that is not a word gets a noun."""

    def test_places(self):
        two = uc.evaluate(Y, S, site=SITE % 2, metrics=["auroc"])
        assert " in place 0 and " in two.findings[0].sentence and two.findings[0].sentence.endswith("in place 1.")

    def test_labels_and_how_many_cases_have_all_of_them(self):
        labels = np.stack([Y, 1.0 - Y], axis=1)
        labels[0, 0] = math.nan
        worst, unknown = (each.sentence for each in uc.evaluate(labels, np.stack([S, 1 - S], axis=1)).findings)
        assert "(label 1)" in worst and f"{N - 1} cases have all of them" in unknown

    def test_classes_of_prediction_sets(self):
        classes = np.where(S > 0.9, 1, 0)
        assert "Coverage of class 1 is" in str(uc.prediction_sets(classes, 0.9 * np.where(classes, 0.2, S)))


def test_places_without_spread_say_why_a_new_one_has_the_interval_of_the_mean():
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.4).astype(int)
    sites = uc.evaluate(y, y + rng.normal(size=300), site=np.repeat(np.arange(6), 50), metrics=["auroc"]).sites
    assert sites["auroc"].spread.deviation == 0
    assert sites["auroc"].new_site.interval_text == sites["auroc"].mean.interval_text
    assert sites.sentence.endswith("which does not show that they are alike.")
    unlike = uc.evaluate(Y, S + (SITE - 3) * Y * 0.5, site=SITE, metrics=["auroc"]).sites
    assert "alike" not in unlike.sentence


def test_a_spread_of_rounding_is_none():
    exact = np.full(6, 0.1) + 1e-15 * np.arange(6)
    assert reml(exact, np.full(6, 0.01)) == 0.0
    values = np.array([-0.04, 0.31, -0.08, 0.12, 0.2, -0.02])  # whose likelihood is flat next to 0
    for scale in np.linspace(0.5, 2, 50):
        found = reml(values, np.full(6, scale * values.var(ddof=1)))
        assert found == 0.0 or found > 1e-9


def test_a_lone_column_of_right_and_wrong_points_to_items(tmp_path):
    path = tmp_path / "answers.csv"
    pd.DataFrame({"ok": [0, 1, 1, 0]}).to_csv(path, index=False)
    for source in (path, pd.read_csv(path)):
        with pytest.raises(uc.UnconfuseError, match="use `items`"):
            uc.evaluate(source, label="ok")


class TestShown:
    def test_pairs_are_printed_as_sentences(self):
        frame = {"d": np.repeat(np.arange(6), 2), "m": np.tile(["a", "b"], 6), "v": RNG.random(12)}
        pair = uc.benchmark(frame, dataset="d", model="m", value="v")["a", "b"]
        assert str(pair) == pair.sentence
        pair = uc.readers(readings(lambda y: y + RNG.normal(size=len(y))), **ROLES)["0", "1"]
        assert str(pair) == pair.sentence

    def test_averages_over_queries_have_a_picture(self):
        ev = uc.evaluate(Y, S, query=np.arange(N) // 10)
        assert len(ev.plot().axes[0].get_yticklabels()) == len(ev)

    def test_queries_of_which_none_counts_as_0(self):
        spread, *_ = uc.evaluate(np.ones(40, dtype=int), S[:40], query=np.arange(40) // 4).findings
        assert spread.sentence.endswith("have 1.000 or less.")

    def test_differences_over_places_have_a_card(self):
        sites = uc.compare(Y, {"a": S, "b": OTHER}, site=SITE, metrics=["auroc"]).sites
        assert sites.findings[0].sentence.split(" (")[0] in sites._repr_html_()


class TestSeveralClasses:
    CLASSES, SHARES = SITE % 3, RNG.dirichlet([1, 1, 1], N)

    @pytest.mark.parametrize("verb", ["indistinguishability", "threshold_card", "resolving_power"])
    def test_verbs_of_one_score_name_the_method_that_answers(self, verb):
        ask = uc.Empirical if verb == "resolving_power" else getattr(uc, verb)
        with pytest.raises(uc.UnconfuseError, match=rf"Hint: evaluate\(y, S\).{verb}\("):
            ask(self.CLASSES, self.SHARES)
        assert hasattr(uc.evaluate(self.CLASSES, self.SHARES), verb)

    @pytest.mark.parametrize(
        "ask",
        [
            lambda y, p, judge: uc.evaluate(y, p, judge=judge),
            lambda y, p, judge: uc.evaluate(y, p[:, 0], judge=judge),
            lambda y, p, judge: uc.prevalence(y, judge=judge),
        ],
    )
    def test_a_rater_of_several_classes_is_refused_with_the_reason(self, ask):
        known = [None if row > 150 else int(each) for row, each in enumerate(self.CLASSES)]
        with pytest.raises(uc.UnconfuseError, match=r"for a yes-or-no question.*; got 3 classes. Hint: ask about one"):
            ask(known, self.SHARES, self.CLASSES)

    def test_many_labels_where_one_is_asked(self):
        both = np.stack([Y, 1 - Y], axis=1)
        with pytest.raises(uc.UnconfuseError, match="Hint: ask about one of its columns at a time"):
            uc.threshold_card(both, np.stack([S, 1 - S], axis=1))


def test_columns_of_labels_with_one_name_are_refused():
    labels = pd.DataFrame(np.stack([Y, 1 - Y], axis=1), columns=["mass", "mass"])
    with pytest.raises(uc.UnconfuseError, match="must not name a label twice"):
        uc.evaluate(labels, np.stack([S, 1 - S], axis=1))
