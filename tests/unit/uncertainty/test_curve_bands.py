"""Bands of every curve: against plain NumPy, against values computed elsewhere, and by coverage."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse.curves import CURVES
from unconfuse.uncertainty.bands import BANDS
from unconfuse.uncertainty.exact_bands import critical_value, net_benefit_moments

CASES = json.loads((Path(__file__).parents[2] / "reference" / "questions.json").read_text(encoding="utf-8"))
RNG = np.random.default_rng(7)
Y = RNG.random(240) < 0.35
P = np.round(1 / (1 + np.exp(-(1.5 * Y - 1 + RNG.normal(size=240)))), 2)
Q = np.round(1 / (1 + np.exp(-(0.5 * Y - 1 + RNG.normal(size=240)))), 2)
TABLE = uc.score_table(Y, P)


def test_every_curve_has_a_band():
    assert set(BANDS) == set(CURVES)


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
@pytest.mark.parametrize("name", BANDS)
def test_bands_hold_their_curve_and_are_wider_all_at_once(name, kind):
    found = uc.band(TABLE, name, kind=kind, n_resamples=200)
    assert found.kind == kind and len(found.x) == len(found.y) == len(found.rows())
    known = ~np.isnan(found.y)
    assert (found.low <= found.y + 1e-12)[known].all() and (found.y <= found.high + 1e-12)[known].all()
    other = uc.band(TABLE, name, n_resamples=200)
    assert np.nanmean(found.high - found.low) >= np.nanmean(other.high - other.low) - 1e-12


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("roc", "fpr", "tpr"),
        ("roc_hull", "fpr", "tpr"),
        ("gain", "queue_rate", "gain"),
        ("precision_recall_gain", "recall_gain", "precision_gain"),
        ("cost_curve", "probability_cost", "cost"),
        ("b_curve", "threshold", "b"),
        ("decision_curve", "threshold", "net_benefit"),
    ],
)
def test_the_middle_of_a_band_is_the_curve(name, x, y):
    curve = uc.curve(name, TABLE)
    at, height = curve[x], curve[y]
    moves = np.diff(at) != 0  # where a curve is upright, the band follows its upper end
    upper = np.append(True, moves) if name == "precision_recall_gain" else np.append(moves, True)
    upper &= (at >= 0) & (at <= 1)
    found = uc.band(TABLE, name, grid=at[upper], n_resamples=100)
    np.testing.assert_allclose(found.y, height[upper], atol=1e-9)


@pytest.mark.parametrize(
    "case", [each for each in CASES if each["group"] == "net_benefit"], ids=lambda case: case["id"]
)
def test_net_benefit_of_other_implementations(case):
    given, expected, tolerance = case["inputs"], case["expect"], case["tolerance"]
    table, at = uc.score_table(given["y"], given["s"]), np.array(given["thresholds"])
    values, covariance = net_benefit_moments(table, at)
    error = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(values, expected["value"], atol=tolerance)
    np.testing.assert_allclose(error, expected["standard_error"], atol=tolerance)
    np.testing.assert_allclose(covariance / np.outer(error, error), expected["correlation"], atol=tolerance)
    if "critical_95" in expected:
        assert critical_value(covariance, 0.95) == pytest.approx(expected["critical_95"], abs=tolerance)
        found = uc.band(table, "net_benefit", grid=at, kind="simultaneous")
        np.testing.assert_allclose(found.low, expected["low"], atol=tolerance)
        np.testing.assert_allclose(found.high, expected["high"], atol=tolerance)


def test_the_critical_value_of_many_is_that_of_their_largest():
    independent, alike = np.eye(5), np.ones((5, 5))
    assert critical_value(independent, 0.95) == pytest.approx(stats.norm.ppf((1 + 0.95 ** (1 / 5)) / 2), abs=0.03)
    assert critical_value(alike, 0.95) == pytest.approx(1.96, abs=0.02)
    assert critical_value(np.diag([1.0, 0.0]), 0.95) == pytest.approx(stats.norm.ppf(0.975))


def naive_difference(at):
    odds = at / (1 - at)
    gain = np.where(Y[:, None], 1.0, -odds)
    return (P[:, None] >= at) * gain - (Q[:, None] >= at) * gain


def test_two_decision_curves_differ_as_row_by_row():
    at = np.array([0.1, 0.25, 0.5, 0.8])
    rows = naive_difference(at)
    cmp = uc.compare(Y, {"p": P, "q": Q}, metrics=["auroc"])
    found = cmp.decision_curve("p", "q", threshold_probabilities=at, kind="pointwise")
    decided = (P[:, None] >= at) != (Q[:, None] >= at)
    unseen = sum(  # where fewer than three cases of a class decide, one more is thought of
        (decided[own].sum(axis=0) < 3) * worth**2 for own, worth in ((Y, np.ones(4)), (~Y, at / (1 - at)))
    )
    error = np.sqrt(rows.var(axis=0) / len(Y) + unseen / len(Y) ** 2)
    np.testing.assert_allclose(found.band.y, rows.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.band.high - found.band.y, stats.norm.ppf(0.975) * error, atol=1e-12)
    turned = cmp.decision_curve("q", "p", threshold_probabilities=at)
    np.testing.assert_allclose(turned.band.y, -found.band.y, atol=1e-12)
    assert (turned.band.high - turned.band.low >= found.band.high - found.band.low).all()
    assert found.to_frame().shape == (4, 4) and "net benefit" in found.sentence


def test_a_net_benefit_of_nobody_is_not_certain():
    table = uc.score_table(np.arange(200) % 2, np.linspace(0, 0.4, 200))
    found = uc.band(table, "net_benefit", grid=[0.5, 0.8])
    assert (found.y == 0).all() and (found.low < 0).all() and (found.high > 0).all()
    assert found.high[1] > found.high[0]  # a false alarm costs more there


def test_weights_are_repeated_rows():
    weights = RNG.integers(1, 4, len(Y))
    one = uc.compare(Y, {"p": P, "q": Q}, weights=weights, metrics=["auroc"]).decision_curve()
    many = uc.compare(
        np.repeat(Y, weights), {"p": np.repeat(P, weights), "q": np.repeat(Q, weights)}, metrics=["auroc"]
    ).decision_curve()
    np.testing.assert_allclose(one.band.high, many.band.high, atol=1e-12)


def test_where_a_model_wins_is_said():
    rng = np.random.default_rng(3)
    logit = rng.normal(size=4000)
    y = rng.random(4000) < 1 / (1 + np.exp(-2 * logit))
    good, poor = 1 / (1 + np.exp(-2 * logit)), np.full(4000, y.mean())
    found = uc.compare(y, {"good": good, "poor": poor}, metrics=["brier"]).decision_curve()
    assert found.wins["good"] and not found.wins["poor"]
    assert "good has the larger net benefit at threshold probabilities" in found.sentence


def test_the_simultaneous_band_of_net_benefit_covers():
    """500 samples of 400: at most so many curves leave the band as chance allows (one in a thousand)."""
    at, missed = np.linspace(0.05, 0.6, 12), 0
    tpr, fpr = (stats.norm.sf(stats.norm.ppf(at), loc, 1) for loc in (1.0, 0.0))
    truth = 0.3 * tpr - 0.7 * fpr * at / (1 - at)
    for seed in range(500):
        rng = np.random.default_rng(seed)
        y = rng.random(400) < 0.3
        found = uc.band(
            uc.score_table(y, stats.norm.cdf(y + rng.normal(size=400))), "net_benefit", grid=at, kind="simultaneous"
        )
        missed += bool(((truth < found.low) | (truth > found.high)).any())
    assert missed <= stats.binom.ppf(0.999, 500, 0.07)  # METHODS measured .924 to .950


def test_the_reliability_band_holds_an_increasing_truth():
    missed = {"pointwise": 0.0, "simultaneous": 0.0}
    for seed in range(100):
        rng = np.random.default_rng(seed)
        p = np.round(rng.random(300), 2)
        table = uc.score_table(rng.random(300) < p, p)
        for kind in missed:
            found = uc.band(table, "reliability", kind=kind)
            outside = (found.x < found.low) | (found.x > found.high)
            missed[kind] += outside.any() if kind == "simultaneous" else outside.mean()
    assert missed["simultaneous"] <= 5 and missed["pointwise"] <= 8


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"curve": "nonsense"}, "no band for the curve"),
        ({"curve": "roc", "metric": "mcc"}, "`metric` is for"),
        ({"curve": "trends", "metric": "auroc"}, "a metric of decisions"),
        ({"curve": "roc", "grid": [2]}, "between 0 and 1"),
        ({"curve": "roc", "grid": []}, "between 0 and 1"),
        ({"curve": "decision_curve", "grid": [1.0]}, "between 0 and 1"),
        ({"curve": "decision_curve", "design": "case-control"}, "which the study chose"),
        ({"curve": "reliability", "grid": [0.5]}, "its own places"),
        ({"curve": "trends", "grid": [np.nan]}, "thresholds"),
    ],
)
def test_what_makes_no_sense_is_refused(words, told):
    with pytest.raises(ArgumentError, match=told):
        uc.band(TABLE, **words)


def test_decision_curves_need_probabilities():
    with pytest.raises((ArgumentError, InputError), match="probabilities"):
        uc.band(uc.score_table(Y, 100 * P), "decision_curve")
    with pytest.raises(ArgumentError, match="need probabilities"):
        uc.compare(Y, {"p": P, "q": 9 * Q}, metrics=["auroc"]).decision_curve()


@pytest.mark.parametrize("scores", [[0.5] * 6, [0.9] * 3 + [0.1] * 3, [0.1] * 3 + [0.9] * 3, [1, 1, 1, 0, 0, 0]])
def test_odd_tables_have_bands(scores):
    table = uc.score_table([1, 1, 1, 0, 0, 0], scores)
    for name in BANDS:
        for kind in ("pointwise", "simultaneous"):
            found = uc.band(table, name, kind=kind, n_resamples=100)
            assert not np.isinf(found.low).any() and not np.isinf(found.high).any()
