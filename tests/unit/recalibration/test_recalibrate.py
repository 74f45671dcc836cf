"""`recalibrate`: what is chosen, what it shows on cases held out, and what it refuses."""

import copy
import json
import math
import pickle
import warnings

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.demo import animals_path, patients_path
from unconfuse.recalibration import binary_maps
from unconfuse.recalibration.maps import assign_map_folds

RNG = np.random.default_rng(4)
P = np.round(0.02 + 0.96 * RNG.random(400), 3)
ODDS = P / (1 - P)
WORLDS = {
    "none": P,
    "intercept": ODDS / (ODDS + 4),
    "logistic": ODDS**0.3 / (1 + ODDS**0.3),
    "beta": 1 - (1 - P) ** 0.25,
}
U = RNG.random(400)


@pytest.fixture(scope="module")
def shifted():
    return uc.recalibrate(WORLDS["intercept"] > U, P)


@pytest.mark.parametrize("kind", ["none", "intercept", "logistic"])
def test_what_is_off_is_what_is_mended(kind):
    assert uc.recalibrate(WORLDS[kind] > U, P).chosen == kind


def test_curved_relations_take_a_beta_map():
    p = 0.01 + 0.98 * np.random.default_rng(1).random(3000)
    y = np.random.default_rng(2).random(3000) < 1 - (1 - p) ** 0.25
    found = uc.recalibrate(y, p)
    assert found.chosen == "beta"
    assert np.abs(found(p) - (1 - (1 - p) ** 0.25)).max() < 0.06


def test_bumps_take_an_isotonic_map_and_only_with_enough_cases():
    rng = np.random.default_rng(5)
    x = rng.normal(size=3000)
    p = 1 / (1 + np.exp(-1.6 * x))
    y = rng.random(3000) < 1 / (1 + np.exp(-1.6 * x - 1.5 * np.sin(4 * x)))
    assert uc.recalibrate(y, p).chosen == "isotonic"
    assert uc.recalibrate(y[:900], p[:900]).candidates["isotonic"].form is None


def test_leaving_alone_changes_nothing():
    found = uc.recalibrate(U < P, P)
    assert (found(P) == P).all()
    assert found.after["log_loss"].as_dict() == found.before["log_loss"].as_dict()
    assert found.gain["log_loss"].value == 0 and math.isnan(found.gain["log_loss"].low)
    assert found.sentence.startswith("Leave the probabilities alone: these 400 cases do not show")


def test_before_is_what_evaluate_says_and_after_is_better(shifted):
    y = WORLDS["intercept"] > U
    told = uc.evaluate(y, P, metrics=list(shifted.before))
    for name, each in shifted.before.items():
        assert each.as_dict() == told[name].as_dict()
    assert shifted.after["log_loss"].value < shifted.before["log_loss"].value
    gain = shifted.gain["log_loss"]
    assert gain.value == pytest.approx(shifted.before["log_loss"].value - shifted.after["log_loss"].value)
    assert 0 < gain.low < gain.value < gain.high
    assert "cross-fitted" in shifted.after["brier"].conditions


def test_the_paired_interval_by_brute_force(shifted):
    """Each case mended by the intercept of the other folds, dealt as the seed says."""
    y = WORLDS["intercept"] > U
    table = uc.score_table(y, P)
    rng = np.random.default_rng(0)
    parts = assign_map_folds(table.positives, 5, rng), assign_map_folds(table.negatives, 5, rng)
    gains = []
    for fold in range(5):
        own = [each[fold] for each in parts]
        rest = uc.ScoreTable(table.score, table.positives - own[0], table.negatives - own[1])
        level = uc.METRICS["calibration_intercept"](rest)
        new = 1 / (1 + np.exp(-level) * (1 - table.score) / table.score)
        gains += np.repeat(np.log(new / table.score), own[0]).tolist()
        gains += np.repeat(np.log((1 - new) / (1 - table.score)), own[1]).tolist()
    assert len(gains) == 400
    assert shifted.gain["log_loss"].value == pytest.approx(np.mean(gains))
    half = (shifted.gain["log_loss"].high - shifted.gain["log_loss"].low) / 2
    assert half == pytest.approx(1.965927 * np.std(gains, ddof=1) / 20, rel=1e-5)


def test_choosing_and_measuring_a_map_share_their_folds(monkeypatch):
    """Dealing a million cases takes longer than anything else that is done with them."""
    dealt = []
    monkeypatch.setattr(binary_maps, "assign_map_folds", lambda *each: dealt.append(each) or assign_map_folds(*each))
    rng = np.random.default_rng(3)
    p = rng.random(2000)
    found = uc.recalibrate(rng.random(2000) < np.where(p > 0.5, 0.7, 0.3), p)
    assert found.chosen == "isotonic" and len(dealt) == 2  # positives and negatives, once each


def test_rows_in_any_order_and_repeated_or_weighted_are_the_same():
    y, order = WORLDS["logistic"] > U, np.random.default_rng(0).permutation(400)
    one = uc.recalibrate(y, P)
    assert one.as_dict() == uc.recalibrate(y[order], P[order]).as_dict()
    times = np.arange(400) % 3
    weighted, repeated = uc.recalibrate(y, P, weights=times), uc.recalibrate(np.repeat(y, times), np.repeat(P, times))
    assert weighted.map.form == repeated.map.form
    assert weighted.gain["brier"].as_dict() == repeated.gain["brier"].as_dict()
    table = uc.recalibrate(uc.score_table(y, P))
    assert table.map.form == one.map.form and table.gain["log_loss"].value == one.gain["log_loss"].value


def test_classes_in_any_order_of_rows():
    rows = uc.recalibrate(animals_path(), label="animal", scores="old_*")
    assert rows.chosen == "temperature+bias" and rows.gain["log_loss"].low > 0
    assert rows.before["log_loss"].value == pytest.approx(
        uc.evaluate(animals_path(), label="animal", scores="old_*", metrics=["log_loss"])["log_loss"].value
    )
    import pandas as pd

    frame = pd.read_csv(animals_path())
    shuffled = uc.recalibrate(frame.sample(frac=1, random_state=1), label="animal", scores="old_*")
    assert shuffled.as_dict() == rows.as_dict()
    columns = {name: frame[f"old_{name}"] for name in ("owl", "fox", "dog", "cat")}
    assert rows(columns) == pytest.approx(rows(frame[[f"old_{name}" for name in rows.map.classes]].to_numpy()))


def test_the_seed_deals_the_folds_and_nothing_else():
    y = WORLDS["intercept"] > U
    one, other = uc.recalibrate(y, P), uc.recalibrate(y, P, rng=1)
    assert one.map.form == other.map.form and one.gain["log_loss"].value != other.gain["log_loss"].value


@pytest.mark.parametrize("which", ["patients", "animals", "isotonic"])
def test_a_saved_map_does_what_the_map_does(tmp_path, which):
    if which == "animals":
        found = uc.recalibrate(animals_path(), label="animal", scores="new_*")
        new = np.random.default_rng(0).dirichlet(np.ones(4), 50)
    else:
        kind = "isotonic" if which == "isotonic" else None
        found = uc.recalibrate(patients_path(), label="outcome", score="risk", positive="yes", kind=kind)
        new = np.linspace(0, 1, 101)
    path = tmp_path / "map.json"
    found.save(path)
    read = uc.read_recalibration(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert (read(new) == found(new)).all()
    assert read.as_dict() == found.map.as_dict()
    assert repr(read) == found.sentence


def test_a_result_shows_itself(shifted):
    assert pickle.loads(pickle.dumps(shifted)).as_dict() == shifted.as_dict()
    assert copy.deepcopy(shifted).sentence == shifted.sentence == str(shifted)
    json.dumps(shifted.as_dict(), allow_nan=False)
    assert "Recalibration" in shifted._repr_html_()
    assert list(shifted.to_frame()["metric"]) == list(shifted.before)
    assert shifted.plot().axes[0].get_title(loc="left") == "Reliability before and after (intercept)"
    with pytest.raises(TypeError):
        shifted.before["brier"] = 1


def test_probabilities_of_0_and_1():
    y, p = U < P, np.where(np.arange(400) < 3, [0.0, 1.0] * 200, P)
    with pytest.raises(uc.UnconfuseError, match=r"3 stated probabilities are exactly 0 or 1.*clip=0\.001"):
        uc.recalibrate(y, p)
    found = uc.recalibrate(y, p, clip=0.01, kind="logistic")
    assert 0 < found([0.0])[0] == found([0.005])[0] < found([1.0])[0] < 1
    unclipped = uc.recalibrate(WORLDS["intercept"] > U, P)
    assert unclipped([0.0, 1.0]).tolist() == [0.0, 1.0]


def test_few_cases_and_no_information_are_findings():
    few = uc.recalibrate([1] + [0] * 30, np.linspace(0.95, 0.5, 31))
    assert few.chosen == "intercept" and math.isnan(few.gain["log_loss"].value)
    said = " ".join(map(str, few.findings))
    assert "Only 31 cases, 1 of the rarest class" in said and "the slope is infinite" in said
    turned = uc.recalibrate([0] * 50 + [1] * 50, np.linspace(0.95, 0.05, 100))
    assert turned.chosen == "logistic" and np.ptp(turned(P)) == 0
    assert "better than chance" in " ".join(map(str, turned.findings))


@pytest.mark.filterwarnings("ignore::unconfuse.UnconfuseWarning")
def test_no_map_turns_the_ranking_round():
    rng = np.random.default_rng(0)
    for _ in range(30):
        n = int(rng.choice([6, 20, 60]))
        y, p = np.append([True, False], rng.random(n) < 0.5), np.round(0.01 + 0.98 * rng.random(n + 2), 1) + 0.004
        for kind in ("intercept", "logistic", "isotonic"):
            try:
                found = uc.recalibrate(y, np.clip(p, 0.01, 0.99), kind=kind)
            except uc.UnconfuseError:
                continue
            assert (np.diff(found(np.linspace(0.01, 0.99, 99))) >= -1e-12).all()


Y = [0, 1, 1, 0] * 20
S = [0.2, 0.7, 0.4, 0.6] * 20


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"s": [7.0] * 80}, "requires probabilities: they run from 7 to 7"),
        ({"s": S, "weights": [0.5] * 80}, "does not support fractional weights"),
        ({"s": S, "sampling_weights": [2] * 80}, "sampling weights"),
        ({"s": S, "groups": list(range(80))}, "groups"),
        ({"s": S, "folds": [0, 1] * 40}, "folds"),
        ({"s": {"a": S, "b": S}}, "several models"),
        ({"s": S, "kind": "temperature"}, "`kind` must be one of 'none', 'intercept'"),
        ({"s": S, "clip": 0.7}, "`clip` must lie strictly between 0 and 0.5; got 0.7"),
        ({"s": [0.2, 0.7, 0.6, 0.1] * 20, "kind": "logistic"}, "cannot be fitted: a threshold separates"),
        ({"predicted": Y, "positive": 1}, "predicted labels only"),
        ({"s": S, "confidence_level": 95}, "95% is 0.95"),
    ],
)
def test_refusals(words, told):
    with pytest.raises(uc.UnconfuseError, match=told.replace("(", r"\(")):
        uc.recalibrate(Y, **words)


def test_binned_tables_are_refused():
    table = uc.score_table(Y, np.linspace(0.1, 0.9, 80)).coarsen(5)
    with pytest.raises(uc.UnconfuseError, match="needs exact scores"):
        uc.recalibrate(table)


@pytest.mark.parametrize(
    ("p", "told"),
    [([2.0], "outside"), ([math.nan], "missing"), ("text", "column of values"), ([[0.5, 0.9]], "adds up to 1.4")],
)
def test_what_is_no_probability_is_not_mended(shifted, p, told):
    with pytest.raises(uc.UnconfuseError, match=told):
        shifted(p)


def test_probabilities_of_another_range_are_worth_a_word():
    found = uc.recalibrate(U < P / 4, 0.3 + 0.2 * P)
    with pytest.warns(uc.UnconfuseWarning, match="20 of 20 probabilities lie outside the range"):
        found(np.full(20, 0.9))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "unconfuse threshold card"}, "not a recalibration map"),
        ({"version": 2}, "reads version 1"),
        ({"kind": "magic"}, "damaged"),
        ({"parameters": {"intercept": "1"}}, "damaged"),
        ({"parameters": {}}, "damaged"),
        ({"clip": 3}, "damaged"),
        ({"classes": [1]}, "damaged"),
        ({"kind": "isotonic", "knots": {"stated": [0.1, 0.2], "mended": [0.5, 0.4]}}, "damaged"),
        ({"kind": "logistic", "parameters": {"intercept": 0, "slope": -1}}, "damaged"),
    ],
)
def test_damaged_maps(shifted, change, told):
    content = {"format": "unconfuse recalibration", "version": 1, **shifted.map.as_dict()}
    assert uc.read_recalibration(content)([0.5]) == shifted([0.5])
    with pytest.raises(uc.UnconfuseError, match=told):
        uc.read_recalibration(content | change)


def test_files_that_hold_no_map(tmp_path):
    for text, told in (("[]", "must be a JSON object"), ("{", "not JSON"), ('{"a": NaN}', "cannot be read")):
        (tmp_path / "map.json").write_text(text)
        with pytest.raises(uc.UnconfuseError, match=told):
            uc.read_recalibration(tmp_path / "map.json")
    with pytest.raises(uc.UnconfuseError, match="cannot be read"):
        uc.read_recalibration(tmp_path / "none.json")


def test_deals_every_case_once():
    for weight in (np.array([1.0, 3, 0, 2, 7]), np.array([2e9, 3.0])):
        found = assign_map_folds(weight, 5, np.random.default_rng(0))
        assert (found.sum(axis=0) == weight).all() and (found >= 0).all()
        sizes = found.sum(axis=1)
        assert sizes.max() - sizes.min() <= max(1, 1e-3 * weight.sum())
