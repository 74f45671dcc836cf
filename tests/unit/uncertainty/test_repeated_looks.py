"""Intervals at repeated looks: wider, refused where nobody has worked them out, and kept by a gate."""

import copy
import json
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.metrics.influence_functions import quantile, student_quantile
from unconfuse.table.looks import Critical, check_looks
from unconfuse.uncertainty.sequential import level_at, p_at
from unconfuse.uncertainty.spending import critical_values

RNG = np.random.default_rng(5)
N = 900
Y = RNG.random(N) < 0.3
S = 1 / (1 + np.exp(1 - 1.8 * Y - RNG.normal(size=N)))
T = 1 / (1 + np.exp(1 - 1.2 * Y - RNG.normal(size=N)))
USUAL = [
    "accuracy",
    "sensitivity",
    "f1",
    "mcc",
    "youden_j",
    "lr_positive",
    "auroc",
    "average_precision",
    "brier",
    "max_f1",
]


def test_a_level_keeps_its_tail():
    level = Critical(9.0, 8.0)
    assert float(level) == 1.0
    assert 1 - level == pytest.approx(2.2571768119076811e-19, rel=1e-9)
    assert quantile(level) == 9.0
    assert level != Critical(8.5, 8.0)  # both are 1 as numbers
    assert level.narrower.z == 8.0
    assert pickle.loads(pickle.dumps(level)).inner == copy.deepcopy(level).inner == 8.0
    assert float(student_quantile(1e9, level)) == pytest.approx(9.0, abs=1e-6)
    assert quantile(0.95) == pytest.approx(1.959964, abs=1e-6)


@pytest.mark.parametrize("looks", ["any", "any:5000", 10, "3/10:pocock", "10/10:obrien-fleming"])
def test_every_interval_is_wider_and_holds_its_value(looks):
    once, often = uc.evaluate(Y, S, metrics=USUAL), uc.evaluate(Y, S, metrics=USUAL, looks=looks)
    for name in USUAL:
        one, many = once[name], often[name]
        assert many.value == one.value
        assert many.low <= one.low < one.high <= many.high, name
        assert "times as wide as one look" in many.method
        assert many.confidence_level == 0.95


def test_exact_is_for_proportions_alone():
    found = uc.evaluate(Y, S, metrics=USUAL, looks="exact")
    assert "exact sequence" in found["sensitivity"].method
    assert math.isnan(found["auroc"].low) and "proportions" in found["auroc"].method
    with pytest.raises(uc.UnconfuseError, match="differences"):
        uc.compare(Y, {"a": S, "b": T}, looks="exact")


def test_few_cases_of_a_class_have_no_interval_but_proportions_do():
    y = np.arange(60) < 7
    found = uc.evaluate(y, S[:60], metrics=["auroc", "brier", "mcc", "accuracy", "sensitivity"], looks="any")
    for name in ("auroc", "brier", "mcc"):
        assert math.isnan(found[name].low)
        assert found[name].method.startswith("no interval: 7 cases of the rarer class")
    assert found["sensitivity"].low < found["sensitivity"].value
    pair = uc.compare(y, {"a": S[:60], "b": T[:60]}, metrics=["auroc", "accuracy"], looks="any")
    assert math.isnan(pair["auroc", "a", "b"].difference.low)
    assert pair["auroc", "a", "b"].verdict == "cannot tell"
    assert math.isfinite(pair["accuracy", "a", "b"].difference.low)


def test_average_precision_says_where_it_is_weak():
    y = np.arange(200) < 15
    assert "weak below 20 positives" in uc.evaluate(y, S[:200], metrics=["ap"], looks="any")["average_precision"].method
    assert "weak" not in uc.evaluate(Y, S, metrics=["ap"], looks="any")["average_precision"].method


def test_tiny_samples_far_from_the_tightest_have_wide_intervals_not_none():
    found = uc.evaluate(Y[:20], S[:20], metrics=["accuracy"], looks="any:1000000")["accuracy"]
    assert 0 <= found.low < found.value < found.high <= 1


@pytest.mark.parametrize("looks", ["any", 5, "2/5:obrien-fleming"])
@pytest.mark.parametrize("metric", ["auroc", "accuracy", "precision", "f1", "brier"])
def test_p_value_and_interval_agree(looks, metric):
    for n in (60, 150, 400, 900):
        pair = uc.compare(Y[:n], {"a": S[:n], "b": T[:n]}, metrics=[metric], looks=looks)[metric, "a", "b"]
        excluded = pair.difference.low > 0 or pair.difference.high < 0
        assert excluded == (pair.p_value <= 0.05), (n, pair.difference, pair.p_value)
        assert excluded == (pair.verdict in ("better", "worse"))


def test_several_pairs_share_the_error():
    two = uc.compare(Y, {"a": S, "b": T}, metrics=["auroc"], looks="any")["auroc", "a", "b"]
    models = {"a": S, "b": T, "c": S * T}
    three = uc.compare(Y, models, metrics=["auroc"], looks="any")
    holm = uc.compare(Y, models, metrics=["auroc"], looks="any", adjust="holm")
    assert three["auroc", "a", "b"].difference.low < two.difference.low
    assert all(holm[key].p_value <= three[key].p_value for key in three)
    assert any(holm[key].p_value < three[key].p_value for key in three)


def test_models_on_other_cases_and_clusters():
    apart = uc.compare({"a": (Y, S), "b": (Y[:500], T[:500])}, metrics=["auroc"], looks="any")["auroc", "a", "b"]
    once = uc.compare({"a": (Y, S), "b": (Y[:500], T[:500])}, metrics=["auroc"])["auroc", "a", "b"]
    assert apart.difference.low < once.difference.low < once.difference.high < apart.difference.high
    groups = np.arange(N) // 5
    whole = uc.evaluate(Y, S, metrics=["auroc"], looks="any", groups=groups)["auroc"]
    assert whole.low < uc.evaluate(Y, S, metrics=["auroc"], groups=groups)["auroc"].low


def test_several_classes_and_own_metrics():
    k = RNG.integers(0, 3, 300)
    guess = np.where(RNG.random(300) < 0.7, k, RNG.integers(0, 3, 300))
    once, often = (
        uc.evaluate(k, predicted=guess, metrics=["accuracy", "f1_macro"], looks=each) for each in (None, "any")
    )
    for name in ("accuracy", "f1_macro"):
        assert often[name].low < once[name].low
    f2 = uc.evaluate(Y, S, metrics=[uc.f_beta(2)], looks="any")
    assert "at every look" in next(iter(f2.values())).method


def test_asking_again_stays_at_every_look():
    found = uc.evaluate(Y, S, metrics=["auroc"], looks="any")["auroc"]
    assert found.low < found.interval(confidence_level=0.8).low
    named = found.interval(method="delong")
    assert "DeLong, at every look" in named.method
    assert named.low < uc.evaluate(Y, S, metrics=["auroc"])["auroc"].interval(method="delong").low


def test_row_order_does_not_matter():
    order = RNG.permutation(N)
    one, other = (uc.evaluate(Y[o], S[o], metrics=USUAL, looks="any").as_dict() for o in (np.arange(N), order))
    assert json.dumps(one["metrics"]) == json.dumps(other["metrics"])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("maybe", "must be 'any'"),
        (1, "at least 2"),
        (101, "at most 100"),
        (True, "must be 'any'"),
        (2.5, "must be 'any'"),
        ("11/10", "one of the 10"),
        ("3/10:wald", "pocock"),
        ("any:0", "tightest"),
        ("4:pocock", "which of the 4"),
    ],
)
def test_looks_that_make_no_sense(given, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        uc.evaluate(Y, S, metrics=["accuracy"], looks=given)


@pytest.mark.parametrize(
    "more",
    [
        {"folds": np.arange(N) % 5},
        {"sampling_weights": 1 + np.arange(N) % 3},
        {"by": np.arange(N) % 2},
        {"site": np.arange(N) % 3},
        {"at": "youden"},
    ],
    ids=lambda each: next(iter(each)),
)
def test_what_is_not_worked_out_is_refused(more):
    with pytest.raises(uc.UnconfuseError, match="`looks`"):
        uc.evaluate(Y, S, metrics=["accuracy"], looks="any", **more)
    with pytest.raises(uc.UnconfuseError, match="`looks`"):
        uc.compare(Y, {"a": S, "b": T}, metrics=["accuracy"], looks="any", **more)
    if "at" not in more:
        with pytest.raises(uc.UnconfuseError, match=r"`looks`|`site`"):
            uc.gate(Y, T, S, metrics=["accuracy"], looks="any", **more)


def test_double_sampling_is_refused():
    checked = np.where(np.arange(N) % 3 == 0, Y.astype(float), np.nan)
    with pytest.raises(uc.UnconfuseError, match="`looks` does not support double sampling"):
        uc.evaluate(checked, S, metrics=["accuracy"], looks="any", judge=Y)


def test_findings_say_what_it_costs():
    found = uc.evaluate(Y, S, looks="any")
    told = " ".join(map(str, found.findings))
    assert "hold at all looks together" in told and "times as wide" in told
    assert "at every look" in str(found.findings[0])


def test_p_values_of_planned_looks_reach_the_error_at_the_critical_value():
    for text in ("5", "2/5:pocock"):
        looks = check_looks(text)
        z = level_at(looks, 100.0, 0.95).z
        assert p_at(looks, 100.0, 0.95, z) == pytest.approx(0.05, rel=2e-3)


def test_looks_at_other_sizes_than_planned():
    """Alpha is spent by the number of the look; how looks are correlated follows from their sizes."""
    even = critical_values([1 / 3, 2 / 3, 1], 0.025, "pocock", [100, 200, 300])
    bunched = critical_values([1 / 3, 2 / 3, 1], 0.025, "pocock", [280, 290, 300])
    assert even == pytest.approx(critical_values([1 / 3, 2 / 3, 1], 0.025, "pocock"), abs=1e-6)
    assert bunched[-1] < even[-1]  # looks that are nearly the same cost less


def test_pairs_without_a_test_count_among_those_that_share_the_error():
    """A pair of two equal models has no p-value below 1; how the error is divided must not depend on it."""
    models = {"a": S, "b": T, "c": S.copy()}
    found = uc.compare(Y, models, metrics=["auroc"], looks="any")
    other = uc.compare(Y, {"a": S, "b": T, "c": S * T}, metrics=["auroc"], looks="any")
    assert found["auroc", "a", "b"].difference.low == other["auroc", "a", "b"].difference.low
    assert found["auroc", "a", "b"].p_value == other["auroc", "a", "b"].p_value


@pytest.mark.parametrize("looks", ["any", 5])
def test_margins_are_judged_at_every_look(looks):
    once = uc.compare(Y, {"a": S, "b": T}, metrics=["auroc", "brier"], margin=0.3)
    often = uc.compare(Y, {"a": S, "b": T}, metrics=["auroc", "brier"], margin=0.3, looks=looks)
    assert all(once[key].within_margin and often[key].within_margin and often[key].not_worse for key in often)
    gap = once["auroc", "a", "b"].difference
    close = gap.value + 1.9 * gap.standard_error  # beyond one look's 1.64 standard errors, within those of several
    assert uc.compare(Y, {"a": S, "b": T}, metrics=["auroc"], margin=close)["auroc", "a", "b"].within_margin
    again = uc.compare(Y, {"a": S, "b": T}, metrics=["auroc"], margin=close, looks=looks)["auroc", "a", "b"]
    assert not again.within_margin and again.not_worse


@pytest.mark.parametrize("text", ["any", "5", "2/5:obrien-fleming"])
def test_one_sided_p_values_reach_the_error_at_the_critical_value(text):
    looks = replace(check_looks(text), one_sided=True)
    z = level_at(looks, 300.0, 0.9).z
    assert p_at(looks, 300.0, 0.9, z) == pytest.approx(0.1, rel=2e-3)


class TestGate:
    def test_conditions_share_the_error_of_worse(self):
        """At one look of several each check of m is called worse at an mth of the error: later than one alone."""
        cases = range(150, N + 1, 25)
        alone = [uc.gate(Y[:n], T[:n], S[:n], metrics=["auroc"], looks="any").verdict for n in cases]
        asked = ["auroc", "accuracy", "brier", "f1"]
        among = [uc.gate(Y[:n], T[:n], S[:n], metrics=asked, looks="any").checks for n in cases]
        among = [next(each.verdict for each in one if each.name == "auroc") for one in among]
        assert alone.count("worse") > among.count("worse") > 0
        assert all(one == "worse" for one, other in zip(alone, among, strict=True) if other == "worse")

    def test_exact_looks_of_requirements(self):
        found = uc.gate(Y, S, require=["accuracy>=.5", "accuracy>=.99"], looks="exact")
        assert [each.verdict for each in found.checks] == ["worse", "pass"]
        twosided = uc.evaluate(Y, S, metrics=["accuracy"], looks="exact", confidence_level=0.95)["accuracy"]
        assert found.checks[0].estimate.low == twosided.low  # 5% on each side is 5% in all

    def look(self, place, n, **more):
        words = {"margin": 0.02, "metrics": ["auroc"]} | more
        return uc.gate(Y[:n], T[:n], S[:n], state=place, **words)

    def test_looks_narrow_and_the_first_verdict_stays(self, tmp_path):
        place = tmp_path / "gate.json"
        found = [self.look(place, n) for n in (60, 200, 500, 900)]
        assert [each.look for each in found] == [1, 2, 3, 4]
        widths = [each.checks[0].estimate.high - each.checks[0].estimate.low for each in found]
        assert widths == sorted(widths, reverse=True)
        assert found[-1].verdict == "worse"
        first = next(each for each in found if each.verdict == "worse")
        assert first.kept is None or first is not found[-1]
        again = self.look(place, 900)
        assert again.look == found[-1].look  # the same cases are no further look
        content = json.loads(place.read_text())
        assert (content["format"], content["version"], len(content["looks"])) == ("unconfuse gate state", 1, 4)

    def test_other_questions_models_and_missing_cases_are_refused(self, tmp_path):
        place = tmp_path / "gate.json"
        self.look(place, 300)
        before = place.read_text()
        for more, words in (({"margin": 0.03}, "margin"), ({"metrics": ["brier"]}, "metrics"), ({"looks": 5}, "looks")):
            with pytest.raises(uc.UnconfuseError, match=words):
                self.look(place, 400, **more)
        with pytest.raises(uc.UnconfuseError, match="another model"):
            uc.gate(Y[:400], T[:400] * 0.999, S[:400], margin=0.02, state=place)
        with pytest.raises(uc.UnconfuseError, match="other cases"):
            uc.gate(Y[300:700], T[300:700], S[300:700], margin=0.02, state=place)
        assert place.read_text() == before

    def test_files_that_are_no_state(self, tmp_path):
        place = tmp_path / "gate.json"
        for text in ("", "{", "[]", '{"format": "unconfuse gate state", "version": 2}'):
            place.write_text(text)
            with pytest.raises(uc.UnconfuseError, match="not the state of a gate"):
                self.look(place, 300)
        with pytest.raises(uc.UnconfuseError, match="must be the path"):
            self.look(7, 300)

    def test_rows_in_another_order_are_the_same_look(self, tmp_path):
        place, order = tmp_path / "gate.json", RNG.permutation(300)
        one = self.look(place, 300)
        other = uc.gate(Y[:300][order], T[:300][order], S[:300][order], margin=0.02, state=place)
        assert (other.look, other.checks[0].estimate.low) == (1, one.checks[0].estimate.low)

    def test_planned_looks_are_counted_and_end(self, tmp_path):
        place = tmp_path / "gate.json"
        for n in (300, 600):
            self.look(place, n, looks="2:obrien-fleming", require="accuracy>=.5")
        with pytest.raises(uc.UnconfuseError, match="all 2 planned looks"):
            self.look(place, 900, looks="2:obrien-fleming", require="accuracy>=.5")

    def test_looks_that_contradict_have_no_verdict(self, tmp_path):
        place = tmp_path / "gate.json"
        self.look(place, 900)
        content = json.loads(place.read_text())
        content["looks"][0] |= {"cases": 100, "verdict": "cannot tell", "limits": {"auroc: new - old": [0.5, 0.6]}}
        place.write_text(json.dumps(content))
        found = self.look(place, 900)
        assert found.verdict == "cannot tell"
        assert "changed over time" in found.sentence
