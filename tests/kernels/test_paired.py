from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unconfuse._kernels import (
    RANK_METRICS,
    UnitTotals,
    bootstrap_rows,
    collapse,
    order_rows,
    paired_bootstrap_ranks,
    rank_metrics,
)

rows = st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 50)), min_size=1, max_size=40)


def expected_values(scores, is_positive, multiplicities):
    """Each replicate's weighted rows, collapsed and evaluated one by one."""
    values = np.empty((len(RANK_METRICS), len(scores), len(multiplicities)))
    for i, multiplicity in enumerate(multiplicities):
        for model, score in enumerate(scores):
            table = collapse(score, is_positive, multiplicity.astype(float))
            values[:, model, i] = list(rank_metrics(*table[1:]).values())
    return dict(zip(RANK_METRICS, values, strict=True))


def assert_same(got, expected):
    for name in RANK_METRICS:
        np.testing.assert_allclose(got[name], expected[name], rtol=1e-10, atol=1e-12, err_msg=name)


@settings(max_examples=50, deadline=None)
@given(rows, st.booleans())
def test_paired_equals_row_by_row(some_rows, stratified):
    is_positive = np.array([y for y, _, _ in some_rows])
    scores = [np.array([row[i] for row in some_rows], dtype=float) for i in (1, 2)]
    strata = is_positive.astype(np.int64) if stratified else None
    draws = bootstrap_rows(np.ones(len(is_positive)), seed=9, count=10, strata=strata)
    got = paired_bootstrap_ranks(
        [order_rows(score) for score in scores], is_positive, seed=9, count=10, strata=strata, metrics=RANK_METRICS
    )
    assert_same(got, expected_values(scores, is_positive, draws))


@pytest.mark.parametrize("weighted", [False, True])
def test_clusters(weighted):
    rng = np.random.default_rng(4)
    n, n_clusters = 300, 40
    is_positive, cluster = rng.random(n) < 0.4, rng.integers(0, n_clusters, n)
    scores = [np.round(rng.normal(size=n) + is_positive, 1) for _ in range(3)]
    weights = rng.exponential(size=n) if weighted else None
    draws = bootstrap_rows(np.ones(n_clusters), seed=2, count=20)[:, cluster]
    if weights is not None:
        draws = draws * weights
    orders = [order_rows(score) for score in scores]
    options = {"unit_of_row": cluster, "row_weights": weights, "weights": np.ones(n_clusters), "metrics": RANK_METRICS}
    got = paired_bootstrap_ranks(orders, is_positive, seed=2, count=20, n_threads=3, **options)
    assert_same(got, expected_values(scores, is_positive, draws))
    second_half = paired_bootstrap_ranks(orders, is_positive, seed=2, first=10, count=10, n_threads=1, **options)
    for name in RANK_METRICS:
        np.testing.assert_array_equal(second_half[name], got[name][:, 10:])


def test_bad_units_are_refused():
    orders = [order_rows(np.array([0.1, 0.2, 0.3]))]
    labels = np.array([True, False, True])
    with pytest.raises(ValueError, match="out of range"):
        paired_bootstrap_ranks(orders, labels, seed=1, count=1, weights=np.ones(2), unit_of_row=np.array([0, 1, 2]))
    with pytest.raises(ValueError, match="differ in length"):
        paired_bootstrap_ranks(orders, labels[:2], seed=1, count=1)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_sums_of_units_are_those_of_their_rows(n_threads):
    rng = np.random.default_rng(0)
    cell, unit, held = rng.integers(0, 7, 200), rng.integers(0, 30, 200), rng.normal(size=200)
    times = rng.integers(0, 4, (5, 33)).astype(float)  # units without rows may come last
    found = UnitTotals.of(cell, unit, held, 8).sums(times, n_threads=n_threads)
    expected = [np.bincount(cell, weights=held * each[unit], minlength=8) for each in times]
    np.testing.assert_allclose(found, expected, atol=1e-13)
    assert (found[:, 7] == 0).all()


def test_sums_of_units_refuse_units_that_are_not_there():
    held = UnitTotals.of(np.array([0, 1]), np.array([0, 5]), np.ones(2), 2)
    with pytest.raises(ValueError, match="units are out of range"):
        held.sums(np.ones((1, 5)))
