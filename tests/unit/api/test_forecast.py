"""Forecasts before labels arrive: two readings, a test, refusals, and a check once labels came."""

import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest

import unconfuse as uc
from unconfuse.forecasting.batch import expected_auroc
from unconfuse.forecasting.label_shift import bin_edges, fitted, label_shift
from unconfuse.serve.trend import change_of, widened_points

RNG = np.random.default_rng(3)


def drawn(n, prevalence, rng=RNG):
    """Labels and calibrated probabilities (at 30% positives)."""
    y = rng.random(n) < prevalence
    x = 1.8 * y + rng.normal(size=n)
    return y, 1 / (1 + np.exp(math.log(7 / 3) - 1.8 * x + 1.62))


Y, S = drawn(1000, 0.3)
LATER, NEW = drawn(500, 0.1)
F = uc.forecast((Y, S), NEW, n_resamples=200)


def test_label_shift_is_told_by_its_reading():
    held = F.check(LATER).held
    assert held["label shift"][0] >= 8
    assert held["same risk"][0] <= 6
    assert F.prevalence.low <= LATER.mean() <= F.prevalence.high
    assert F.label_shift_p > 0.05
    assert not F.is_refuted


def test_expected_is_the_hull_unless_label_shift_is_refuted():
    one, other, both = F.same_risk["precision"], F.label_shift["precision"], F.expected["precision"]
    assert (both.low, both.high) == (min(one.low, other.low), max(one.high, other.high))
    spread = np.concatenate([S[S > 0.6], S[S < 0.02]])  # no mixture of the classes looks like this
    refuted = uc.forecast((Y, S), spread, n_resamples=100)
    assert refuted.is_refuted
    assert refuted.expected["precision"] == refuted.same_risk["precision"]
    assert refuted.prevalence == refuted.same_risk["prevalence"]
    assert "refuted" in refuted.sentence


def test_sentences_name_their_condition():
    assert "If a score means what it meant" in F.sentence
    assert "If only the prevalence has changed (not refuted" in F.sentence
    assert "cannot be seen" in F.sentence


def test_the_same_from_frames_data_tables_and_files(tmp_path):
    old, new = pd.DataFrame({"y": np.where(Y, "yes", "no"), "p": S}), pd.DataFrame({"p": NEW})
    words = {"label": "y", "score": "p", "positive": "yes", "n_resamples": 200}
    old.to_csv(tmp_path / "old.csv", index=False)
    new.to_csv(tmp_path / "new.csv", index=False)
    described = uc.Data(old, label="y", score="p", positive="yes"), uc.Data(new, score="p")
    others = [
        uc.forecast(old, new, **words),
        uc.forecast(*described, n_resamples=200),
        uc.forecast(tmp_path / "old.csv", tmp_path / "new.csv", **words),
        uc.forecast(uc.score_table(Y, S), NEW, n_resamples=200),
    ]
    for each in others:
        assert each.rows() == F.rows()
    labels = np.where(LATER, "yes", "no")
    assert others[0].check(labels).held == others[1].check(labels).held == F.check(LATER).held


def test_row_order_and_seed():
    order, new = RNG.permutation(1000), RNG.permutation(NEW)
    assert uc.forecast((Y[order], S[order]), new, n_resamples=200).rows() == F.rows()
    other = uc.forecast((Y, S), NEW, n_resamples=200, rng=1)
    assert other.label_shift["precision"].low != F.label_shift["precision"].low


def test_scores_that_are_no_probabilities():
    ranked = uc.forecast((Y, 10 * S - 3), 10 * NEW - 3)
    assert set(ranked.same_risk) == {"auroc", "prevalence"}
    assert math.isnan(ranked.threshold)
    cut = uc.forecast((Y, 10 * S - 3), 10 * NEW - 3, threshold=2)
    assert cut.label_shift["precision"].value == pytest.approx(F.label_shift["precision"].value, abs=1e-9)
    with pytest.raises(uc.UnconfuseError, match="requires decisions"):
        ranked.label_next(10)


@pytest.mark.parametrize(
    ("reference", "new", "more", "words"),
    [
        ((np.zeros(50), S[:50]), NEW, {}, "at least 10 cases of each class; got 0 positives"),
        ((Y[:20], S[:20]), NEW, {}, "at least 10"),
        ((Y, S), NEW + 5, {}, "probabilities, but new ones range"),
        ((Y, S * 0.1), np.full(50, 0.9), {}, "all new scores lie outside"),
        ((Y, S), [], {}, "at least one case"),
        ((Y, S), [0.1, np.nan], {}, "missing"),
        ((Y, S), [0.1, np.inf], {}, "inf"),
        ((Y, S), np.stack([NEW, NEW], 1), {}, "one column"),
        ((Y, S), (LATER, NEW), {}, "scores alone"),
        ((Y, S, S), NEW, {}, "3 parts"),
        ((Y, S), NEW, {"metrics": ["brier"]}, "brier is not forecast"),
        ((Y, 9 * S), 9 * NEW, {"metrics": ["precision"]}, "requires a threshold"),
        ((Y, S), NEW, {"threshold": 3}, "between 0 and 1"),
        ((Y, S), NEW, {"folds": np.arange(1000) % 2}, "folds"),
        ((Y, S), NEW, {"weights": np.full(1000, 0.5)}, "fractional"),
    ],
)
def test_refusals(reference, new, more, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        uc.forecast(reference, new, **more)


def test_perfect_constant_reversed_and_tied_scores():
    perfect = uc.forecast((Y, Y * 0.5 + 0.2), LATER * 0.5 + 0.2)
    assert "separate the classes" in perfect.same_risk["precision"].undefined
    assert perfect.prevalence.value == pytest.approx(LATER.mean(), abs=1e-6)
    assert perfect.label_shift["precision"].low < 1
    constant = uc.forecast((Y, np.full(1000, 0.3)), np.full(20, 0.3))
    assert constant.prevalence.undefined is not None
    assert math.isnan(constant.label_shift_p)
    turned = uc.forecast((Y, 1 - S), 1 - NEW)
    assert turned.same_risk["auroc"].value < 0.5
    tied = uc.forecast((Y, np.round(S, 1)), np.round(NEW, 1))
    assert tied.prevalence.low <= LATER.mean() <= tied.prevalence.high


def test_one_new_case_is_nearly_unknown():
    one = uc.forecast((Y, S), NEW[:1])
    assert one.prevalence.high - one.prevalence.low > 0.8
    own = one.label_shift["accuracy"]
    assert own.undefined is not None or own.high - own.low > 0.1
    low_end = one.label_shift["precision"]
    assert low_end.undefined is not None or low_end.high > 0.5


def test_odds_factors():
    assert F.odds_factor("precision>=.99") == 1.0
    assert F.odds_factor("accuracy>=0") == math.inf
    factor = F.odds_factor("accuracy>=.7")
    curve, batch = F.curve, F.batch
    risk = curve.risk(batch.feature(batch.scores))
    odds = risk / (1 - risk) * np.where(batch.flagged, 1 / factor, factor)
    assert batch.value(uc.METRICS["accuracy"], odds / (1 + odds)) == pytest.approx(0.7, abs=1e-5)
    assert "no verdict without labels" in F.requirement_sentence("accuracy>=.7")
    with pytest.raises(uc.UnconfuseError, match="not forecast here"):
        uc.forecast((Y, S), NEW, metrics=["f1"]).odds_factor("npv>=.5")


def test_labels_next():
    chosen = F.label_next(60)
    assert len(set(chosen.rows.tolist())) == 60
    assert F.label_next(60, rng=1).rows.tolist() != chosen.rows.tolist()
    wrong = float(((NEW >= 0.5) != LATER).mean())
    every = F.label_next(500)
    assert every.error_rate(LATER[every.rows]).value == pytest.approx(wrong)
    held = 0
    for seed in range(60):
        some = F.label_next(100, how="errors", rng=seed)
        found = some.error_rate(LATER[some.rows])
        held += found.low <= wrong <= found.high
    assert held >= 52
    with pytest.raises(uc.UnconfuseError, match="at most"):
        F.label_next(501)
    with pytest.raises(uc.UnconfuseError, match="0 or 1"):
        chosen.error_rate([2] * 60)


def test_results_are_plain_and_can_be_kept():
    again = pickle.loads(pickle.dumps(F))
    assert again.rows() == F.rows()
    content = json.dumps(F.as_dict(), allow_nan=False)
    assert "label_shift_p" in content
    assert "came" in repr(F.check(LATER)) and json.dumps(F.check(LATER).as_dict(), allow_nan=False)
    assert "<table" in F._repr_html_()
    with pytest.raises(TypeError):
        F.same_risk["precision"] = None


def test_own_metrics():
    found = uc.forecast((Y, S), NEW, metrics=[uc.f_beta(2), "auroc"], n_resamples=100)
    assert any("beta" in name for name in found.same_risk)
    assert found.check(LATER).rows()


def test_expected_auroc_is_that_of_chances():
    scores, risk = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.2, 0.5, 0.4, 0.9])
    chance = {(i, j): risk[i] * (1 - risk[j]) for i in range(4) for j in range(4) if i != j}
    wins = sum(each for (i, j), each in chance.items() if scores[i] > scores[j])
    assert expected_auroc(scores, np.ones(4), risk) == pytest.approx(wins / sum(chance.values()))


def test_bins_of_ties():
    assert bin_edges(np.array([1.0, 1, 1, 1]), np.ones(4), 5).tolist() == []
    assert bin_edges(np.array([0.0, 1.0]), np.array([90.0, 10.0]), 5).tolist() in ([], [1.0])


def test_likelihood_at_a_given_prevalence_is_highest_at_the_estimate():
    a, b, c = [2, 5, 13, 30], [40, 30, 20, 10], [60, 55, 45, 40]
    best = label_shift(a, b, c)
    grid = np.linspace(0.01, 0.99, 99)
    found = fitted(a, b, c, grid).log_likelihood
    assert abs(grid[np.argmax(found)] - best.prevalence) < 0.01


class TestTrend:
    def points(self, values, width=0.03):
        return [
            {"value": v, "low": v - width, "high": v + width, "created": f"2026-{1 + place:02d}-01", "n": 400}
            for place, v in enumerate(values)
        ]

    def test_intervals_for_all_evaluations_are_wider_and_grow(self):
        found = widened_points(self.points([0.8] * 6), "auroc")
        widths = [each["high_at_all"] - each["low_at_all"] for each in found]
        assert all(width > 0.06 for width in widths)
        assert widths == sorted(widths)
        assert all(each["low_at_all"] >= 0 and each["high_at_all"] <= 1 for each in found)

    @pytest.mark.parametrize("metric", ["auroc", "accuracy"])
    def test_a_fall_is_noticed_and_dated(self, metric):
        found = change_of(self.points([0.85] * 5 + [0.72] * 5), metric)
        assert found["alarm"] is not None
        assert found["since"] in ("2026-05-01", "2026-06-01", "2026-07-01")
        assert "at most 5%" in found["sentence"]

    def test_a_loss_counts_the_other_way(self):
        assert change_of(self.points([0.1] * 3 + [0.3] * 5), "brier")["alarm"] is not None
        assert change_of(self.points([0.3] * 3 + [0.1] * 5), "brier")["alarm"] is None

    def test_nothing_is_said_of_few_or_of_what_has_no_direction(self):
        assert change_of(self.points([0.8, 0.7]), "auroc") is None
        assert change_of(self.points([0.3] * 8), "prevalence") is None

    def test_false_alarms_are_rare(self):
        rng, alarms = np.random.default_rng(0), 0
        for _ in range(200):
            alarms += (
                change_of(self.points((0.8 + 0.0153 * rng.normal(size=12)).tolist()), "auroc")["alarm"] is not None
            )
        assert alarms <= 10
