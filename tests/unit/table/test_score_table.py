import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unconfuse as uc

rows = st.lists(
    st.tuples(st.booleans(), st.sampled_from([-1.5, -0.0, 0.0, 0.25, 0.5, 1.0, 7.0]), st.integers(1, 3)), max_size=30
)


def table_of(rows_given):
    columns = list(zip(*rows_given, strict=True)) if rows_given else ([], [], [])
    is_positive, score, weight = (np.array(column) for column in columns)
    return uc.ScoreTable.from_rows(is_positive.astype(bool), score.astype(float), weight.astype(float))


@given(rows)
def test_collapse_counts_every_row_once(given_rows):
    table = table_of(given_rows)
    assert (np.diff(table.score) < 0).all()
    for score, positives, negatives in zip(table.score, table.positives, table.negatives, strict=True):
        assert positives == sum(w for y, s, w in given_rows if s == score and y)
        assert negatives == sum(w for y, s, w in given_rows if s == score and not y)


@given(rows, rows, rows)
def test_merge_is_the_union_in_any_order(a, b, c):
    union = table_of(a + b + c)
    one, two, three = table_of(a), table_of(b), table_of(c)
    assert one.merge(two).merge(three) == union
    assert one.merge(two.merge(three)) == union
    assert three.merge(one).merge(two) == union
    assert union.merge(uc.ScoreTable.empty()) == union


@given(rows)
def test_weight_two_is_the_row_twice(given_rows):
    repeated = [(y, s, 1) for y, s, w in given_rows for _ in range(w)]
    assert table_of(given_rows) == table_of(repeated)


@given(rows, st.sampled_from([-2.0, -1.5, 0.0, 0.1, 0.25, 7.0, 8.0]))
def test_counts_at_any_threshold(given_rows, threshold):
    counts = table_of(given_rows).counts_at(threshold)
    assert counts.tp == sum(w for y, s, w in given_rows if y and s >= threshold)
    assert counts.fp == sum(w for y, s, w in given_rows if not y and s >= threshold)
    assert counts.fn == sum(w for y, s, w in given_rows if y and s < threshold)
    assert counts.tn == sum(w for y, s, w in given_rows if not y and s < threshold)


@given(rows)
def test_counts_are_counts_at_the_scores(given_rows):
    table = table_of(given_rows)
    if len(table):
        assert table.counts() == table.counts_at(table.score)


def test_counts_at_with_leading_axes():
    table = uc.ScoreTable(np.array([2.0, 1.0]), np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([[0.0, 1.0], [5.0, 5.0]]))
    counts = table.counts_at([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(counts.tp, [[3, 1, 0], [3, 3, 0]])
    np.testing.assert_array_equal(counts.tn, [[0, 1, 1], [0, 5, 10]])


def test_nothing_is_left_where_everybody_is_labelled_positive():
    weights = np.random.default_rng(0).random((2, 300))
    table = uc.ScoreTable(np.linspace(1, 0, 300), *weights)
    counts = table.counts_at(np.array([0.0, 0.5, 2.0]))
    assert (counts.fn[0], counts.tn[0], counts.tp[2], counts.fp[2]) == (0, 0, 0, 0)


def test_at_prevalence_keeps_the_rates():
    counts = uc.Counts(tp=30, fp=20, fn=10, tn=140).at_prevalence(0.02)
    assert counts.total == pytest.approx(1)
    assert counts.positives == pytest.approx(0.02)
    assert counts.tp / counts.positives == pytest.approx(0.75)
    assert counts.tn / counts.negatives == pytest.approx(0.875)
    table = uc.ScoreTable(np.array([2.0, 1.0]), np.array([1.0, 2.0]), np.array([1.0, 6.0])).at_prevalence(0.5)
    assert table.prevalence == pytest.approx(0.5)
    assert table.n == pytest.approx(10)


def test_counts_broadcast_index_and_compare():
    counts = uc.Counts(tp=[1, 2], fp=0, fn=3, tn=4)
    assert counts.shape == (2,)
    assert counts[1] == uc.Counts(tp=2, fp=0, fn=3, tn=4)
    assert counts != uc.Counts(tp=1, fp=0, fn=3, tn=4)
    assert repr(counts) == "Counts(shape=(2,))"


def test_replicates_do_not_merge():
    replicates = uc.ScoreTable(np.array([1.0]), np.ones((3, 1)), np.ones((3, 1)))
    with pytest.raises(ValueError, match="replicates"):
        replicates.merge(replicates)
