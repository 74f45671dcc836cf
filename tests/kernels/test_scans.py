from __future__ import annotations

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc, betaincc, betaln

import unconfuse as uc
from unconfuse._kernels import (
    band_sums,
    beta_tails,
    hull_segments,
    last_at_level,
    mean_precision,
    node_weights,
    partial_areas,
    placement_moments,
    places_reaching,
    rank_metrics,
    reach_of_level,
)
from unconfuse.metrics.indistinguishable import b_standard_errors, b_values, labelled_at_level

block = st.tuples(st.integers(0, 4), st.integers(0, 4))
tables = st.lists(block, min_size=1, max_size=25).map(lambda blocks: np.array(blocks, dtype=float).T.copy())
both_classes = tables.filter(lambda table: table.sum(axis=1).all())
scales = st.sampled_from([1.0, 0.1, 1 / 3, 2.5])


@settings(deadline=None)
@given(both_classes, scales, scales, st.sampled_from([0.05, 0.1, 0.5, 1.0]))
def test_areas_equal_twins(table, positive_scale, negative_scale, max_fpr):
    positives, negatives = table[0] * positive_scale, table[1] * negative_scale
    assert partial_areas(positives, negatives, max_fpr) == pytest.approx(
        twins.partial_area(positives, negatives, max_fpr), rel=1e-12, abs=1e-14
    )


@settings(deadline=None)
@given(both_classes)
def test_mean_precision(table):
    nodes, weights = np.array([0.2, 0.7, 1.0]), np.array([0.5, 0.2, 0.3])
    expected = sum(
        weight * c * (tp + node * c) / (tp + node * c + fp + node * d)
        for tp, fp, c, d in twins.prrc_points(*table)
        for node, weight in zip(nodes, weights, strict=True)
    )
    assert mean_precision(*table, nodes, weights) == pytest.approx(expected / table[0].sum(), rel=1e-12)


@pytest.mark.parametrize("name", ["auprc_trapezoid", "auprg", "auch", "h_measure", "equal_error_rate", "partial"])
def test_leading_axes_and_threads(name):
    def areas(*table, **options):
        if name == "partial":
            return partial_areas(*table, 0.1, **options)
        return rank_metrics(*table, [name], **options)[name]

    positives, negatives = np.random.default_rng(1).integers(0, 3, (2, 30, 4, 10)).astype(float)
    together = areas(positives, negatives, n_threads=3)
    assert together.shape == (30, 4)
    for i in np.ndindex(30, 4):
        np.testing.assert_array_equal(together[i], areas(positives[i], negatives[i], n_threads=1))
    assert np.isnan(areas(np.zeros(3), np.ones(3)))
    assert np.isnan(areas(np.empty(0), np.empty(0)))


@settings(deadline=None)
@given(st.lists(both_classes, min_size=1, max_size=6))
def test_hulls_of_a_stack(found):
    size = max(each.shape[1] for each in found)
    stack = np.array([np.pad(each, ((0, 0), (0, size - each.shape[1]))) for each in found])
    segments = hull_segments(stack[:, 0], stack[:, 1], n_threads=2)
    starts = np.r_[0, np.cumsum(segments.counts)]
    for i, table in enumerate(stack):
        own = slice(starts[i], starts[i + 1])
        alone = hull_segments(*table)
        np.testing.assert_array_equal(segments.last_block[own], alone.last_block)
        ends = np.array([each[:end].sum() for each in table for end in alone.last_block]).reshape(2, -1)
        np.testing.assert_allclose(np.cumsum(segments.positives[own]), ends[0])
        np.testing.assert_allclose(np.cumsum(segments.negatives[own]), ends[1])


@settings(deadline=None)
@given(st.floats(0.05, 40), st.floats(0.05, 40), st.floats(0, 1) | st.sampled_from([0.0, 1.0, 1e-300, 1e-9, 1 - 1e-9]))
def test_beta_tails_equal_scipy(a, b, x):
    below, above = (float(each[0]) for each in beta_tails(a, b, betaln(a, b), np.array([x])))
    assert below == pytest.approx(betainc(a + 1, b, x), rel=1e-11, abs=1e-13)
    assert above == pytest.approx(betaincc(a, b + 1, x), rel=1e-11, abs=1e-13)


def test_beta_tails_on_threads_and_where_undefined():
    x = np.r_[np.nan, np.random.default_rng(2).random(5000)]
    one, two = (beta_tails(1.1, 1.9, betaln(1.1, 1.9), x, n_threads=n) for n in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert np.isnan(one[0][0])
    np.testing.assert_allclose(one[0][1:], betainc(2.1, 1.9, x[1:]), rtol=1e-12)


@settings(deadline=None)
@given(st.lists(st.integers(0, 4), max_size=30), st.lists(st.floats(0, 100), max_size=10).map(sorted))
def test_places_reaching(weights, marks):
    weights, marks = np.array(weights, dtype=float), np.array(marks, dtype=float)
    marks = marks[marks > 0]  # the twin has no running sum of nothing
    np.testing.assert_array_equal(places_reaching(weights, marks), np.searchsorted(np.cumsum(weights), marks))


def test_marks_must_ascend():
    with pytest.raises(ValueError, match="ascend"):
        places_reaching(np.ones(3), np.array([2.0, 1.0]))


@settings(deadline=None)
@given(tables, st.data())
def test_band_sums(table, data):
    size = table.shape[1]
    starts = np.array(sorted(data.draw(st.lists(st.integers(0, size), min_size=1, max_size=6))))
    score = np.linspace(1, 0, size)
    got = band_sums(score, *table, starts)
    for start, end, *sums in zip(starts, [*starts[1:], size], *got, strict=True):
        part = slice(start, max(start, end))
        expected = table[0][part].sum(), table[1][part].sum(), (table.sum(axis=0) * score)[part].sum()
        np.testing.assert_allclose(sums, expected, atol=1e-12)


def test_bands_must_lie_within_the_table():
    for starts in ([0, 4], [-1], [2, 1]):
        with pytest.raises(ValueError, match="bands"):
            band_sums(np.ones(3), np.ones(3), np.ones(3), np.array(starts))


@settings(deadline=None)
@given(both_classes, st.floats(0, 1), st.floats(0, 1))
def test_placements_with_cases_added(table, more_positives, more_negatives):
    positives, negatives = table[0] + more_positives * table[1], table[1] + more_negatives * table[0]
    got = placement_moments(*table, added=(more_positives, more_negatives))
    np.testing.assert_allclose(got, placement_moments(positives, negatives), rtol=1e-9, atol=1e-12)


def reach_twin(table, level, errors, fixed_classes, exclude_self):
    """From B and its standard error at every block."""
    scores = np.arange(table.shape[1], 0.0, -1.0)
    ranked = uc.ScoreTable.from_validated(scores, *table)
    with np.errstate(invalid="ignore", divide="ignore"):
        beyond = b_values(ranked, exclude_self=exclude_self) - level
        error = b_standard_errors(ranked, level, fixed_classes=fixed_classes)
    at = int(
        labelled_at_level(uc.ScoreTable.from_validated(scores, *table[:, None]), level, exclude_self=exclude_self)[0]
    )
    inside, outside = np.flatnonzero(beyond[: at + 1] < -errors * error[: at + 1]), beyond > errors * error
    first = int(inside[-1]) if len(inside) else min(at, 0)
    after = np.flatnonzero(outside[at + 1 :])
    last = at + int(after[0]) if len(after) else len(beyond) - 1
    tied = False
    if at + 1 < len(beyond) and table[:, at + 1].sum() >= 2:
        tied = bool(beyond[at + 1] - (beyond[at] if at >= 0 else 0.0) > error[at + 1] / 2)
    return first, at, last, tied


@settings(deadline=None)
@given(both_classes, st.sampled_from([0.3, 0.5, 0.8]), st.booleans(), st.booleans())
def test_reach_of_level_equals_its_twin(table, level, fixed_classes, exclude_self):
    table = table[:, table.sum(axis=0) > 0]
    found = reach_of_level(*table, level, 1.96, cohort=not fixed_classes, exclude_self=exclude_self)
    assert found == reach_twin(table, level, 1.96, fixed_classes, exclude_self)
    assert found[1] == last_at_level(*table, level, exclude_self=exclude_self)


numbers = st.one_of(st.floats(0, 1), st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([-0.0, 5e-324]))


@settings(deadline=None)
@given(st.sets(numbers, min_size=1, max_size=25), st.integers(0, 2**32 - 1), scales)
def test_weights_of_nodes_equal_twins(scores, seed, scale):
    score = np.unique(np.array(sorted(scores)))
    weight = scale * np.random.default_rng(seed).integers(1, 5, len(score))
    np.testing.assert_allclose(node_weights(score, weight), twins.node_weights(score, weight), rtol=1e-12)


def test_weights_of_nodes_stay_in_their_memory():
    """Scores that are neither distinct nor in order have no meaning, and do no harm."""
    score = np.tile([0.5, 0.5, 2.0, -1.0], 1000)
    assert np.isfinite(node_weights(score, np.ones(4000))).all()
