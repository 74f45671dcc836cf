"""Bands around curves: their heights are the curve's, their level is what they say, and they never collapse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

import unconfuse as uc
from unconfuse._errors import ArgumentError

GRID = np.array([0.1, 0.3, 0.5, 0.7, 0.9])


def sample(seed: int, positives: int = 80, negatives: int = 120, shift: float = 1.2) -> uc.ScoreTable:
    rng = np.random.default_rng(seed)
    y = np.repeat([True, False], [positives, negatives])
    return uc.ScoreTable.from_rows(y, rng.normal(size=positives + negatives) + shift * y)


def true_height(name: str, at: np.ndarray, shift: float = 1.2, prevalence: float = 0.4) -> np.ndarray:
    if name == "roc":
        return ndtr(shift + ndtri(at))
    cut = shift - ndtri(at)
    return prevalence * at / (prevalence * at + (1 - prevalence) * ndtr(-cut))


def test_heights_are_those_of_the_curves():
    table = sample(0)
    roc = uc.curve("roc", table)
    found = uc.band(table, "roc", grid=roc["fpr"], n_resamples=100)
    top = np.array([roc["tpr"][roc["fpr"] == each].max() for each in roc["fpr"]])
    np.testing.assert_allclose(found.y, top, atol=1e-12)
    pr = uc.curve("precision_recall", table)
    first = np.unique(pr["recall"], return_index=True)[1]
    first = first[pr["recall"][first] > 0]
    found = uc.band(table, "precision_recall", grid=pr["recall"][first], n_resamples=100)
    np.testing.assert_allclose(found.y, pr["precision"][first], atol=1e-12)
    gain = uc.curve("gain", table)
    np.testing.assert_allclose(
        uc.band(table, "gain", grid=gain["queue_rate"], n_resamples=100).y, gain["gain"], atol=1e-12
    )


@pytest.mark.parametrize("name", ["roc", "precision_recall"])
def test_coverage(name):
    """Pointwise: each point about 95 of 100 times. Simultaneous: all points at once about as often."""
    truth, inside, all_inside = true_height(name, GRID), [], []
    for seed in range(100):
        table = sample(seed)
        each, whole = (
            uc.band(table, name, grid=GRID, kind=kind, n_resamples=200, design="case-control")
            for kind in ("pointwise", "simultaneous")
        )
        inside.append((each.low <= truth) & (truth <= each.high))
        all_inside.append(((whole.low <= truth) & (truth <= whole.high)).all())
    assert np.mean(inside, axis=0).min() > 0.86 and 0.91 < np.mean(inside) < 0.985
    assert np.mean(np.all(inside, axis=1)) < np.mean(all_inside)
    assert np.mean(all_inside) > 0.88


@pytest.mark.parametrize("name", ["roc", "precision_recall", "gain"])
def test_band_holds_the_curve_and_the_simultaneous_one_is_wider(name):
    for design in ("cohort", "case-control"):
        each, whole = (
            uc.band(sample(1), name, kind=kind, design=design, n_resamples=400)
            for kind in ("pointwise", "simultaneous")
        )
        for found in (each, whole):
            assert (found.low <= found.y + 1e-12).all() and (found.y <= found.high + 1e-12).all()
            assert found.low.min() >= 0 and found.high.max() <= 1
            assert len(found.x) == 101
        assert (whole.high - whole.low).mean() > (each.high - each.low).mean()
    assert (each.kind, whole.kind, whole.confidence_level) == ("pointwise", "simultaneous", 0.95)


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
@pytest.mark.parametrize("name", ["roc", "precision_recall"])
def test_perfect_separation_does_not_collapse(name, kind):
    y = np.repeat([True, False], [20, 20])
    table = uc.ScoreTable.from_rows(y, np.arange(40.0, 0, -1))
    found = uc.band(table, name, grid=GRID, kind=kind)
    np.testing.assert_array_equal(found.y, 1.0)
    np.testing.assert_array_equal(found.high, 1.0)
    # 20 of 20 right leaves a rate of about 0.86 possible; the band must not claim more than a proportion would.
    assert (found.low < 0.99).all()
    known = found.low
    if (name, kind) == ("roc", "simultaneous"):
        # With probability .12 none of 20 negatives lies above the threshold of FPR .1: nothing is known there.
        assert GRID[0] == 0.1 and known[0] == 0
        known = known[1:]
        assert known.min() > 0.7
    assert known.min() > (0.3 if kind == "pointwise" else 0.1)
    if name == "roc" and kind == "pointwise":
        assert known.min() > 0.6


@pytest.mark.parametrize(("n", "apart"), [(80, 1.2), (150, 2.5)])
def test_a_band_that_holds_everywhere_is_not_twice_as_wide(n, apart):
    """A few steps near the ends, where curves hardly stray, once made it 2 to 3 times as wide."""
    rng, grid, held, ratios = np.random.default_rng(n), np.linspace(0, 1, 51), [], []
    truth = stats.norm.sf(stats.norm.isf(grid) - apart)
    for seed in range(40):
        y = rng.random(n) < 0.4
        table = uc.score_table(y, rng.normal(size=n) + apart * y)
        each, whole = (
            uc.band(table, "roc", grid=grid, kind=kind, n_resamples=400, rng=seed)
            for kind in ("pointwise", "simultaneous")
        )
        held.append(((whole.low <= truth + 1e-12) & (truth <= whole.high + 1e-12)).all())
        ratios.append((whole.high - whole.low).mean() / (each.high - each.low).mean())
    assert np.mean(held) > 0.85
    assert 1.2 < np.mean(ratios) < 2


def test_reversed_and_constant_scores():
    y = np.repeat([True, False], [20, 20])
    worst = uc.band(uc.ScoreTable.from_rows(y, np.arange(40.0)), "roc", grid=GRID)
    np.testing.assert_array_equal(worst.y, 0.0)
    assert (worst.low == 0).all() and (worst.high > 0.01).all()
    constant = uc.ScoreTable(np.array([0.5]), np.array([20.0]), np.array([30.0]))
    flat = uc.band(constant, "precision_recall", grid=GRID)
    np.testing.assert_allclose(flat.y, 0.4)
    assert (flat.low < 0.35).all() and (flat.high > 0.45).all()


def test_level_seed_and_one_point():
    narrow, wide = (uc.band(sample(2), confidence_level=level, n_resamples=500) for level in (0.5, 0.99))
    assert (wide.high - wide.low).mean() > 1.5 * (narrow.high - narrow.low).mean()
    np.testing.assert_array_equal(uc.band(sample(2), n_resamples=100).low, uc.band(sample(2), n_resamples=100).low)
    assert uc.band(sample(2), grid=0.2, n_resamples=100).y.shape == (1,)


@pytest.mark.parametrize(
    "arguments",
    [
        {"curve": "roq"},
        {"kind": "both"},
        {"confidence_level": 1.0},
        {"n_resamples": 5},
        {"design": "cohorts"},
        {"rng": -1},
        {"grid": [0.2, 1.5]},
        {"grid": [0.2, np.nan]},
    ],
)
def test_wrong_arguments_are_refused(arguments):
    with pytest.raises(ArgumentError):
        uc.band(sample(0), **arguments)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="both classes"):
        uc.band(uc.ScoreTable(np.array([2.0, 1.0]), np.array([1.0, 3.0]), np.zeros(2)))


def test_a_band_that_holds_everywhere_reaches_a_truth_near_one():
    """One positive missed of 500 at the end of the curve may be the only one in 10,000: Clopper and Pearson know."""
    y = np.repeat([True, False], 500)
    s = np.concatenate([np.linspace(1, 2, 499), [-1.0], np.linspace(-2, 0.9, 500)])
    found = uc.band(uc.ScoreTable.from_rows(y, s), "roc", grid=[0.3, 0.5], kind="simultaneous", n_resamples=200)
    assert (found.y == 0.998).all() and (found.high > 0.9999).all()


@pytest.mark.parametrize("curve", ["roc", "roc_hull", "det", "precision_recall", "gain", "cost_curve"])
@pytest.mark.parametrize(
    ("y", "s"), [([0, 1], [0.3, 0.6]), ([0, 1, 1, 0], [1, 0, 1, 0]), ([0, 0, 0, 1, 1, 0], range(6))]
)
def test_a_band_of_a_few_cases_that_holds_everywhere_holds_at_each_place(curve, y, s):
    table = uc.score_table(y, [float(each) for each in s])
    at_each, everywhere = (uc.band(table, curve, kind=kind, n_resamples=400) for kind in ("pointwise", "simultaneous"))
    known = ~np.isnan(at_each.low)
    assert (everywhere.low[known] <= at_each.low[known] + 1e-9).all()
    assert (everywhere.high[known] >= at_each.high[known] - 1e-9).all()
