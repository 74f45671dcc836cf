from __future__ import annotations

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from unconfuse._kernels import (
    RANK_METRICS,
    _native,
    collapse,
    hull_segments,
    order_rows,
    placement_moments,
    rank_metrics,
)

block = st.tuples(st.integers(0, 4), st.integers(0, 4))
tables = st.lists(block, min_size=1, max_size=25).map(lambda blocks: np.array(blocks, dtype=float).T.copy())
scales = st.sampled_from([1.0, 0.1, 1 / 3, 2.5])


def areas(positives, negatives):
    return [float(each) for each in rank_metrics(positives, negatives, RANK_METRICS[:3]).values()]


def assert_same_metrics(got, expected, rtol=1e-10):
    for name, value in expected.items():
        np.testing.assert_allclose(got[name], value, rtol=rtol, atol=1e-12, err_msg=name)


@settings(deadline=None)
@given(tables)
def test_rank_metrics_equal_twin(table):
    assert_same_metrics(rank_metrics(*table), twins.rank_metrics(*table), rtol=1e-8)


@settings(deadline=None)
@given(tables, scales, scales)
def test_weights_that_are_no_whole_numbers(table, positive_scale, negative_scale):
    positives, negatives = table[0] * positive_scale, table[1] * negative_scale
    assert_same_metrics(rank_metrics(positives, negatives), twins.rank_metrics(positives, negatives), rtol=1e-8)


@settings(deadline=None)
@given(tables)
def test_areas_equal_scikit_learn(table):
    if not table.sum(axis=1).all():
        return
    is_positive, score = twins.expand(*table)
    auroc, average_precision, _ = areas(*table)
    assert auroc == pytest.approx(roc_auc_score(is_positive, score), abs=1e-12)
    assert average_precision == pytest.approx(average_precision_score(is_positive, score), abs=1e-12)


@pytest.mark.parametrize(("tp", "fp"), [(0, 0), (0, 5), (3, 0), (7, 1e7), (1e4, 10)])
@pytest.mark.parametrize("c", [24, 25, 31.5, 1000])
@pytest.mark.parametrize("d", [0, 1, 5000])
def test_closed_form_of_large_blocks(tp, fp, c, d):
    """Blocks with many positives are summed by a formula, not step by step."""
    positives, negatives = np.array([0, tp, c, 0.0]), np.array([fp, 0, d, 1.0])
    got = rank_metrics(positives, negatives)["auprc_davis_goadrich"]
    assert got == pytest.approx(twins.davis_goadrich(positives, negatives), rel=1e-11)


def test_huge_block_takes_no_time():
    positives, negatives = np.array([1e8, 1.0]), np.array([3e8, 1.0])
    assert areas(positives, negatives)[2] == pytest.approx(0.25, abs=1e-6)


def test_leading_axes():
    rng = np.random.default_rng(1)
    positives, negatives = rng.integers(0, 3, (2, 3, 4, 10)).astype(float)
    together = rank_metrics(positives, negatives, n_threads=2)
    assert set(together) == set(RANK_METRICS)
    for i in np.ndindex(3, 4):
        alone = rank_metrics(positives[i], negatives[i])
        for name, values in together.items():
            assert values.shape == (3, 4)
            np.testing.assert_array_equal(values[i], alone[name])


def test_empty_table():
    assert all(np.isnan(value) for value in rank_metrics(np.empty(0), np.empty(0)).values())
    assert np.isnan(placement_moments(np.empty(0), np.empty(0)).auroc)
    assert hull_segments(np.empty(0), np.empty(0)).last_block.tolist() == []


@settings(deadline=None)
@given(tables)
def test_placement_moments(table):
    if not table.sum(axis=1).all():
        return
    is_positive, score = twins.expand(*table)
    v10, v01 = twins.placements(score, is_positive)
    wins = np.sign(score[is_positive][:, None] - score[~is_positive][None, :]) / 2 + 0.5
    moments = placement_moments(*table)
    expected = (v10.mean(), v10.var(), v01.var(), (wins**2).mean() - v10.mean() ** 2, len(v10), len(v01))
    np.testing.assert_allclose(moments, expected, atol=1e-12)
    if len(v10) > 1 and len(v01) > 1:
        delong = v10.var(ddof=1) / len(v10) + v01.var(ddof=1) / len(v01)
        assert moments.delong_variance == pytest.approx(delong, abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.sampled_from([-np.inf, -2.0, -0.0, 0.0, 1.5, np.inf]) | st.floats(allow_nan=False), max_size=40))
def test_order_rows(values):
    score = np.array(values, dtype=float)
    order, block_end = order_rows(score)
    np.testing.assert_array_equal(order, np.argsort(-score, kind="stable"))
    assert len(block_end) == len(np.unique(score))
    starts = np.r_[0, block_end[:-1]] if len(block_end) else []
    assert all(len(np.unique(score[order[a:b]])) == 1 for a, b in zip(starts, block_end, strict=True))


@settings(deadline=None)
@given(tables)
def test_hull(table):
    kept = table.sum(axis=0) > 0
    vertices = [0, *hull_segments(*table).last_block.tolist()]
    places = np.r_[0, np.flatnonzero(kept) + 1]
    assert vertices == places[twins.roc_hull(*table[:, kept])].tolist()


def test_large_order_equals_table():
    rng = np.random.default_rng(5)
    score, is_positive = np.round(rng.normal(size=20_000), 2), rng.random(20_000) < 0.2
    order, block_end = order_rows(score)
    np.testing.assert_array_equal(order, np.argsort(-score, kind="stable"))
    assert len(block_end) == len(collapse(score, is_positive)[0])


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), max_size=30), st.integers(0, 9))
def test_untied_areas_with_and_without_simd(blocks, below):
    """The bootstrap's shortcut for replicates in which no positive ties with a negative."""
    gaps = np.array([gap for gap, _ in blocks] + [below], dtype=np.uint32)
    positives = np.array([count for _, count in blocks], dtype=np.uint32)
    fast = _native.untied_areas(positives, gaps, False)
    assert repr(fast) == repr(_native.untied_areas(positives, gaps, True))
    table = np.zeros((2, 2 * len(blocks) + 1))
    table[0, 1::2], table[1, ::2] = positives, gaps
    np.testing.assert_allclose(fast, areas(*table), rtol=1e-12)
