"""Evaluations of binned tables: bounds on everything, intervals that hold for both ends, nothing unbounded."""

import math

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.uncertainty.binned import NOT_BOUNDED


@pytest.fixture(scope="module")
def exact():
    rng = np.random.default_rng(5)
    y = rng.random(3000) < 0.2
    return uc.score_table(y, rng.beta(2 + 2 * y, 5 - 2 * y))


@pytest.fixture(scope="module")
def pair(exact):
    """The exact table and a binned one, judged at a threshold inside a block."""
    return uc.evaluate(exact, threshold=0.4), uc.evaluate(exact.coarsen(60), threshold=0.4)


def test_every_number_has_a_bound_that_holds(pair):
    judged, binned = pair
    assert set(judged) == set(binned)
    for name, each in binned.items():
        low, high = each.binning_bounds
        assert low <= each.value <= high, name
        assert low <= judged[name].value <= high, name
        assert judged[name].binning_bounds is None


def test_intervals_are_widened_by_the_bound(pair):
    for each in pair[1].values():
        low, high = each.binning_bounds
        assert each.low <= low + 1e-9 or each.low == pytest.approx(low)
        assert each.high >= high - 1e-9 or each.high == pytest.approx(high)
        if low < high:
            assert "binned table, 60 blocks" in each.method or "blocks" in each.method


def test_asking_again_keeps_the_bound(pair):
    again = pair[1]["auroc"].interval(confidence_level=0.5)
    assert again.binning_bounds == pair[1]["auroc"].binning_bounds
    assert again.high - again.low < pair[1]["auroc"].high - pair[1]["auroc"].low


def test_words_and_rows_show_the_bound(pair):
    judged, binned = pair
    assert "exact value certainly 0." in str(binned["auroc"])
    assert {"bound_low", "bound_high"} <= set(binned.rows()[0])
    assert "bound_low" not in judged.rows()[0]
    assert "exact value certainly" in binned._repr_html_()
    assert "exact value certainly" not in judged._repr_html_()


def test_a_finding_says_that_the_table_is_binned(exact, pair):
    inside, at_edge = pair[1].findings[0], uc.evaluate(exact.coarsen(60, edges=[0.4]), threshold=0.4)
    assert inside.verdict == "binned"
    assert "lies inside a bin" in inside.sentence
    assert inside.numbers["auroc"] == max(abs(end - pair[1]["auroc"].value) for end in pair[1]["auroc"].binning_bounds)
    assert "lies inside" not in at_edge.findings[-1].sentence
    assert [each.sentence for each in at_edge.findings[:3]] == [each.sentence for each in pair[0].findings[:3]]


def test_a_metric_without_a_bound_is_not_shown(exact):
    mine = uc.Metric("mine", lambda table: table.positives[..., 0], of="ranks")
    found = uc.evaluate(exact.coarsen(60), metrics=[mine])["mine"]
    assert math.isnan(found.value) and math.isnan(found.low)
    assert found.undefined == NOT_BOUNDED


def test_what_may_be_undefined_says_so(exact):
    found = uc.evaluate(exact.coarsen(1), threshold=0.9, metrics=["precision"])["precision"]
    assert found.undefined.startswith("not known from a binned table")
    assert found.binning_bounds == (0.0, 1.0)


def test_another_prevalence_keeps_the_bounds(exact, pair):
    moved = uc.shift_prevalence(pair[1], prevalence=0.05)
    truth = uc.shift_prevalence(pair[0], prevalence=0.05)
    for name, each in moved.items():
        low, high = each.binning_bounds
        assert low - 1e-12 <= truth[name].value <= high + 1e-12, name


def test_points_between_blocks_are_points_of_the_exact_curve(exact, pair):
    for name in ("roc", "precision_recall", "gain", "det", "trends"):
        few, many = pair[1].curve(name), pair[0].curve(name)
        at = np.flatnonzero(np.isin(many["threshold"], few["threshold"]))
        np.testing.assert_allclose(few[few.y], many[many.y][at], rtol=1e-12)
    for name in ("reliability", "b_curve", "roc_hull", "decision_curve"):
        with pytest.raises(uc.UnconfuseError, match="needs exact scores"):
            pair[1].curve(name)


def test_scores_that_may_lie_beyond_probabilities():
    table = uc.ScoreTable(np.array([0.5, 0.1]), np.ones(2), np.ones(2), np.array([1.2, 0.4]))
    assert "brier" not in uc.evaluate(table)
    with pytest.raises(uc.UnconfuseError, match="not probabilities"):
        uc.METRICS["brier"].bound_on(table)
