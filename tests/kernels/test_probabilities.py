from __future__ import annotations

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st

from unconfuse._kernels import loss_moments, recalibrate

cells = st.tuples(st.integers(0, 4), st.integers(0, 4))
tables = st.lists(cells, min_size=2, max_size=25).map(lambda blocks: np.array(blocks, dtype=float).T.copy())


@settings(deadline=None)
@given(tables, st.booleans(), st.sampled_from([0.0, 0.2]))
def test_loss_moments(table, logarithmic, floor):
    score = np.linspace(0.95, 0.01, table.shape[1])
    got = loss_moments(score, *table, logarithmic=logarithmic, floor=floor)
    np.testing.assert_allclose(got, twins.loss_moments(score, *table, logarithmic, floor), rtol=1e-10, atol=1e-12)


def test_loss_moments_of_many_scores_on_any_number_of_threads():
    rng = np.random.default_rng(3)
    score, table = np.sort(rng.random(100_000))[::-1].copy(), rng.integers(0, 3, (2, 100_000)) * 0.7
    for logarithmic in (False, True):
        one, two = (loss_moments(score, *table, logarithmic=logarithmic, n_threads=n) for n in (1, 2))
        assert one == two
        np.testing.assert_allclose(one, twins.loss_moments(score, *table, logarithmic, 0.0), rtol=1e-11)


def test_an_impossible_case_counts_only_if_it_happened():
    score = np.array([1.0, 0.5, 0.0])
    never = loss_moments(score, np.array([1.0, 1, 0]), np.array([0.0, 1, 1]), logarithmic=True)
    assert never.positive_over_positives.mean == pytest.approx(np.log(2) / 2)
    happened = loss_moments(score, np.array([1.0, 1, 1]), np.array([0.0, 1, 1]), logarithmic=True)
    assert happened.positive_over_positives.mean == np.inf


def random_table(size, *, slope=1.0, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    log_odds = np.sort(rng.normal(-1, 1.5, size))[::-1]
    score = 1 / (1 + np.exp(-log_odds))
    positives = (rng.random(size) < 1 / (1 + np.exp(-0.3 - slope * log_odds))).astype(float)
    return score, scale * positives, scale * (1 - positives)


@pytest.mark.parametrize(
    ("size", "slope"), [(200, 1), (200, 3), (39_000, 0.8), (60_000, 0.8), (60_000, 2), (60_000, 6), (60_000, -1)]
)
def test_recalibration_equals_twin(size, slope):
    """Below and above the size at which neighbours are gathered, and where the slope is too steep for that."""
    score, positives, negatives = random_table(size, slope=slope)
    got = [float(each) for each in recalibrate(score, positives, negatives, np.array(True))]
    np.testing.assert_allclose(got, twins.recalibration(score, positives, negatives), rtol=1e-10, atol=1e-11)


def test_recalibration_of_extreme_scores():
    """Scores next to 0 and 1 leave their groups nearly empty, not wrong."""
    score, positives, negatives = random_table(60_000, seed=4)
    ends = np.array([1 - 1e-15, 1 - 1e-12]), np.array([1e-12, 1e-200])
    score = np.concatenate([ends[0], score, ends[1]])
    positives, negatives = (np.concatenate([[1.0, 1], each, [1.0, 0]]) for each in (positives, negatives))
    got = [float(each) for each in recalibrate(score, positives, negatives, np.array(True))]
    np.testing.assert_allclose(got, twins.recalibration(score, positives, negatives), rtol=1e-10, atol=1e-10)


def test_recalibration_does_not_depend_on_threads_or_scale():
    score, positives, negatives = random_table(200_000, seed=1)
    one, two, scaled = (
        np.array(recalibrate(score, positives * scale, negatives * scale, np.array(True), n_threads=n))
        for n, scale in ((1, 1.0), (2, 1.0), (2, 0.3))
    )
    np.testing.assert_array_equal(one, two)
    np.testing.assert_allclose(one, scaled, rtol=1e-11)


def test_recalibration_of_a_stack():
    score, *_ = random_table(50)
    stack = np.random.default_rng(5).integers(0, 3, (2, 40, 50)).astype(float)
    stack[0, 0], stack[1, 0] = 0, 1  # the first table has no positives: the others must not start where it ended
    together = np.array(recalibrate(score, *stack, np.arange(40) > 0, n_threads=2))[:, 1:]
    for i in range(39):
        np.testing.assert_allclose(together[:, i], twins.recalibration(score, *stack[:, i + 1]), rtol=1e-10, atol=1e-11)
