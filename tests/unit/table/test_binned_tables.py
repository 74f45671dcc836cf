"""Binned tables: what `coarsen` promises, and that merging keeps it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unconfuse as uc
from unconfuse.table.banding import keys_of, scores_of

SCORES = st.one_of(
    st.floats(0, 1), st.floats(-1e6, 1e6), st.floats(0.49, 0.51), st.sampled_from([-1.5, -0.0, 0.0, 0.25, 0.5, 1.0])
)
rows = st.lists(st.tuples(st.booleans(), SCORES, st.integers(1, 5)), min_size=1, max_size=60)
bins = st.integers(1, 20)


def table_of(given_rows):
    is_positive, score, weight = (np.array(column) for column in zip(*given_rows, strict=True))
    return uc.ScoreTable.from_rows(is_positive.astype(bool), score.astype(float), weight.astype(float))


def assert_sound(table):
    """Blocks are disjoint and descending, and None stands for exactness."""
    assert (table.score <= table.upper_edges).all()
    assert (table.upper_edges[1:] < table.score[:-1]).all()
    assert table.is_exact == (table.highest is None)


def assert_compatible(exact, binned):
    """Every exact row lies in one block, and the blocks hold what the rows weigh."""
    assert_sound(binned)
    for low, high, positives, negatives in zip(*binned._columns(), strict=True):
        inside = (exact.score >= low) & (exact.score <= high)
        assert exact.positives[inside].sum() == positives
        assert exact.negatives[inside].sum() == negatives
    assert exact.n == binned.n


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2))
def test_keys_keep_the_order_and_come_back(values):
    score = np.sort(np.array(values))
    keys = keys_of(score)
    assert ((keys[1:] > keys[:-1]) == (score[1:] > score[:-1])).all()
    np.testing.assert_array_equal(scores_of(keys), score)


@given(rows, bins, st.lists(SCORES, max_size=3))
def test_coarsening_keeps_all_cases_and_the_edges(given_rows, n_bins, edges):
    table = table_of(given_rows)
    small = table.coarsen(n_bins, edges=edges)
    assert_compatible(table, small)
    assert len(small) <= n_bins + len(edges)
    for edge in edges:
        assert small.counts_at(edge) == table.counts_at(edge)


@given(rows, bins, st.randoms(use_true_random=False))
def test_coarsening_does_not_know_the_order_of_rows(given_rows, n_bins, shuffler):
    shuffled = list(given_rows)
    shuffler.shuffle(shuffled)
    assert table_of(given_rows).coarsen(n_bins) == table_of(shuffled).coarsen(n_bins)


@given(rows)
def test_enough_bins_leave_the_table_exact(given_rows):
    table = table_of(given_rows)
    assert table.coarsen(len(table)) == table
    assert table.coarsen(len(table)).highest is None


@given(rows, bins, st.integers(1, 12))
def test_no_block_is_lighter_than_asked(given_rows, n_bins, least):
    table = table_of(given_rows)
    if table.n < least:
        with pytest.raises(uc.UnconfuseError, match="whole table"):
            table.coarsen(n_bins, min_count=least)
        return
    small = table.coarsen(n_bins, min_count=least)
    assert_compatible(table, small)
    assert (small.positives + small.negatives).min() >= least


@given(rows, rows, rows, bins, bins, st.integers(0, 8))
@settings(max_examples=200)
def test_merging_binned_tables_in_any_order(a, b, c, bins_a, bins_b, least):
    one, three = table_of(a).coarsen(bins_a), table_of(c)
    two = table_of(b).coarsen(bins_b, min_count=min(least, len(b)))
    merged = one.merge(two).merge(three)
    assert merged == one.merge(two.merge(three)) == three.merge(two).merge(one)
    assert merged.merge(uc.ScoreTable.empty()) == merged
    assert_compatible(table_of(a + b + c), merged)


def test_a_heavy_tie_stays_exact():
    rng = np.random.default_rng(0)
    score = np.concatenate([rng.random(5000), np.full(5000, 1 / 3)])
    small = uc.ScoreTable.from_rows(rng.random(10_000) < 0.3, score).coarsen(50)
    tie = np.flatnonzero(small.score == 1 / 3)
    assert small.highest[tie] == small.score[tie]
    assert (small.positives + small.negatives)[tie] == 5000


def test_tables_binned_apart_still_merge_finely():
    """Each half has its own cuts; cut at their own quantiles, the halves would merge into a single block."""
    rng = np.random.default_rng(0)
    label, score = rng.random(40_000) < 0.2, rng.normal(size=40_000)
    one, two = (uc.ScoreTable.from_rows(label[k::2], score[k::2]).coarsen(500) for k in (0, 1))
    assert len(one.merge(two)) > 400


def test_an_edge_cannot_split_a_block():
    table = uc.ScoreTable(np.linspace(1, 0, 101), np.ones(101), np.ones(101)).coarsen(4)
    with pytest.raises(uc.UnconfuseError, match="cannot be split"):
        table.coarsen(4, edges=[0.501])


def test_an_edge_and_a_least_count_can_contradict():
    table = uc.ScoreTable(np.linspace(1, 0, 101), np.ones(101), np.ones(101))
    with pytest.raises(uc.UnconfuseError, match="fewer than 10 cases"):
        table.coarsen(20, edges=[0.02], min_count=10)


def test_with_a_least_count_ends_are_no_ones_score():
    rng = np.random.default_rng(1)
    table = uc.ScoreTable.from_rows(rng.random(1000) < 0.5, rng.random(1000))
    small = table.coarsen(30, min_count=10)
    assert not set(small.score) & set(table.score)
    assert not set(small.highest) & set(table.score)
    assert np.log2(small.score[-1]) % 1 == 0 and np.log2(1 - small.highest[0]) % 1 == 0


def test_bad_arguments_are_refused():
    table = uc.ScoreTable(np.array([0.5]), np.array([1.0]), np.array([1.0]))
    for wrong in ({"bins": 0}, {"bins": 2.5}, {"edges": ["x"]}, {"min_count": -1}):
        with pytest.raises(uc.UnconfuseError):
            table.coarsen(**wrong)
    with pytest.raises(uc.UnconfuseError, match="replicates"):
        uc.ScoreTable(np.array([1.0]), np.ones((3, 1)), np.ones((3, 1))).coarsen()
