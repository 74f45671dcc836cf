"""Readers against plain loops: missing readings, rates, what is drawn anew."""

import itertools
import math

import numpy as np
import pytest

from unconfuse.multilevel.readers import (
    Pairs,
    Readings,
    averaged,
    components,
    covariance_of,
    gallas,
    moments,
    new_reader,
)

RNG = np.random.default_rng(5)
POSITIVE = np.repeat([True, False], [6, 8])
EFFECT = RNG.normal(size=14)
FIRST, SECOND = (1.2 * POSITIVE + EFFECT + RNG.normal(size=(4, 14)) for _ in range(2))
HOLES = [np.where(RNG.random((4, 14)) < 0.25, np.nan, each) for each in (FIRST, SECOND)]


def areas(scores):
    return Readings.of_areas(scores, POSITIVE)


def variance_by_loops(scores):
    """U-statistic of the squared mean: products of successes that share neither reader, positive nor negative."""
    s, positives, negatives = scores, np.flatnonzero(POSITIVE), np.flatnonzero(~POSITIVE)
    rows = [
        (r, i, j, float(s[r, i] > s[r, j]) + 0.5 * float(s[r, i] == s[r, j]))
        for r, i, j in itertools.product(range(len(s)), positives, negatives)
        if not (np.isnan(s[r, i]) or np.isnan(s[r, j]))
    ]
    mean = np.mean([each[3] for each in rows])
    apart = [a[3] * b[3] for a, b in itertools.product(rows, rows) if a[0] != b[0] and a[1] != b[1] and a[2] != b[2]]
    return mean**2 - np.mean(apart)


@pytest.mark.parametrize("scores", [FIRST, HOLES[0], np.round(FIRST)], ids=["complete", "missing", "ties"])
def test_the_variance_of_a_mean_is_that_of_products_which_share_nothing(scores):
    assert moments(areas(scores), areas(scores)).unbiased == pytest.approx(variance_by_loops(scores), rel=1e-9)


def test_a_mean_counts_every_reading():
    known = areas(HOLES[0])
    sums = [each.sum() for each in known.success]
    assert known.mean == pytest.approx(sum(sums) / known.totals.sum()) and not known.is_complete


def test_covariances_of_readers_are_delongs():
    success = np.array([[[float(p > n) for n in row[~POSITIVE]] for p in row[POSITIVE]] for row in FIRST])
    expected = np.cov(success.mean(axis=2)) / 6 + np.cov(success.mean(axis=1)) / 8
    assert covariance_of(areas(FIRST)) == pytest.approx(expected)


def test_rates_are_means_of_decisions():
    right = (FIRST > 0.5).astype(float)
    found = Readings.of_rates(right)
    assert found.mean == pytest.approx(right.mean())
    assert covariance_of(found) == pytest.approx(np.cov(right) / 14)


def test_cases_alone_leave_readers_as_they_are():
    one, two = areas(FIRST), areas(SECOND)
    fixed = averaged(one, two, generalise="cases")
    assert fixed.standard_error**2 == pytest.approx(covariance_of(one, two).sum() / 16)
    t = averaged(one, two, generalise="readers")
    gaps = one.values - two.values
    assert t.standard_error == pytest.approx(gaps.std(ddof=1) / 2) and t.freedom == 3


def test_the_order_of_readers_and_cases_does_not_matter():
    some = RNG.permutation(14)
    turned = Readings.of_areas(HOLES[0][::-1][:, some], POSITIVE[some])
    assert gallas(turned)[0] == pytest.approx(gallas(areas(HOLES[0]))[0], rel=1e-12)


def test_reversed_scores_turn_the_difference_round():
    found, turned = averaged(areas(FIRST), areas(SECOND)), averaged(areas(SECOND), areas(FIRST))
    assert (turned.value, turned.low, turned.high) == pytest.approx((-found.value, -found.high, -found.low))


def test_perfect_readers_have_an_interval_below_1():
    found = averaged(areas(np.tile(10.0 * POSITIVE, (4, 1)) + 0.01 * FIRST))
    assert found.value == 1 and (math.isnan(found.low) or found.low < 1)


def test_two_readers_say_nothing_about_others_but_have_new_cases():
    pair = areas(FIRST[:2])
    assert math.isnan(averaged(pair).low) and averaged(pair).method.startswith("no interval")
    assert not math.isnan(averaged(pair, generalise="cases").low)


def test_a_reader_without_readings_takes_no_part():
    alone = np.vstack([FIRST, np.full(14, np.nan)])
    assert averaged(areas(alone)) == averaged(areas(FIRST))
    assert gallas(areas(alone))[0] == pytest.approx(gallas(areas(FIRST))[0])
    half = averaged(areas(alone), areas(np.vstack([SECOND, SECOND[:1]])))
    assert half.method == "Gallas U-statistics" and half.low < half.value < half.high
    assert new_reader(areas(alone)) == pytest.approx(new_reader(areas(FIRST)))


def test_more_readers_and_more_cases_make_less_variance():
    parts = components(areas(FIRST), areas(SECOND))
    assert parts.variance(8, 1) <= parts.variance(4, 1) and parts.variance(4, 2) <= parts.variance(4, 1)


@pytest.mark.parametrize("by_rank", [True, False])
def test_pairs_are_summed_as_their_matrix_is(by_rank):
    rng = np.random.default_rng(3)
    positives, negatives = (np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 6, n) / 2) for n in (13, 21))
    pairs = Pairs(positives, negatives, by_rank)
    for axis in (None, 0, 1):
        np.testing.assert_array_equal(pairs.sum(axis=axis), pairs.matrix.sum(axis=axis))
    assert not pairs.all() and Pairs(np.ones(2), np.zeros(3), by_rank).all()
    empty = Pairs(np.full(2, np.nan), negatives, by_rank)
    np.testing.assert_array_equal(empty.sum(axis=0), np.zeros(21))


def test_memory_does_not_grow_with_pairs():
    """Matrices of pairs took 1.5 GB for ten readers of 10,000 cases: of 100,000 they would have taken 150."""
    import tracemalloc

    rng = np.random.default_rng(4)
    is_positive = rng.random(20_000) < 0.3
    tracemalloc.start()
    readings = Readings.of_areas(rng.normal(size=(4, 20_000)) + is_positive, is_positive)
    found = averaged(readings)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.low < readings.mean < found.high and readings.is_complete
    assert peak < 20e6
