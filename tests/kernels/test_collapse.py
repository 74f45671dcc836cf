from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st

from unconfuse._kernels import _native, collapse, merge_tables

few_values = st.sampled_from([-np.inf, -1.5, -0.0, 0.0, 5e-324, 0.1, 0.3, 1.0, 1e300, np.inf])
any_value = st.floats(allow_nan=False)
row = st.tuples(few_values | any_value, st.booleans(), st.sampled_from([0.0, 0.1, 0.3, 1.0, 2.0, 7.0, 1e9]))
rows = st.lists(row, max_size=60)


def columns_of(some_rows):
    score = np.array([s for s, _, _ in some_rows], dtype=float)
    is_positive = np.array([y for _, y, _ in some_rows], dtype=bool)
    return score, is_positive, np.array([w for _, _, w in some_rows], dtype=float)


def assert_same_table(got, expected, rtol=0.0):
    for mine, theirs in zip(got, expected, strict=True):
        assert mine.dtype == np.float64
        assert mine.flags.owndata
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=0)
    assert not np.signbit(got[0][got[0] == 0]).any()


@settings(deadline=None)
@given(rows)
def test_unweighted_equals_twin(some_rows):
    score, is_positive, _ = columns_of(some_rows)
    assert_same_table(collapse(score, is_positive, None), twins.collapse(score, is_positive))


@settings(deadline=None)
@given(rows)
def test_weighted_equals_twin(some_rows):
    score, is_positive, weights = columns_of(some_rows)
    expected = twins.collapse(score, is_positive, weights)
    assert_same_table(collapse(score, is_positive, weights), expected, rtol=1e-15)


@settings(deadline=None)
@given(rows, st.randoms(use_true_random=False))
def test_row_order_does_not_show(some_rows, random):
    shuffled = random.sample(some_rows, len(some_rows))
    for weights in (False, True):
        one, other = (columns_of(each)[: 2 + weights] for each in (some_rows, shuffled))
        assert_same_table(collapse(*one), collapse(*other), rtol=1e-15)


@settings(deadline=None)
@given(rows, rows)
def test_merging_equals_collapsing_together(first, second):
    merged = merge_tables(*collapse(*columns_of(first)), *collapse(*columns_of(second)))
    assert_same_table(merged, collapse(*columns_of(first + second)), rtol=1e-15)


@settings(deadline=None)
@given(rows, rows)
def test_merge_equals_twin_and_commutes(first, second):
    a, b = collapse(*columns_of(first)), collapse(*columns_of(second))
    assert_same_table(merge_tables(*a, *b), twins.merge_tables(*a, *b))
    assert_same_table(merge_tables(*a, *b), merge_tables(*b, *a))


@pytest.mark.parametrize("prevalence", [0.0, 1e-5, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("decimals", [0, 2, 16])
def test_large(prevalence, decimals):
    """Large enough for the second thread and for the radix sort."""
    rng = np.random.default_rng(3)
    n = 250_000
    score = np.round(rng.standard_cauchy(n), decimals)
    is_positive = rng.random(n) < prevalence
    weights = rng.integers(0, 5, n).astype(float)
    for given_weights in (None, weights):
        ones = np.ones(n) if given_weights is None else given_weights
        distinct, place = np.unique(score[ones > 0] + 0.0, return_inverse=True)
        kept, size = is_positive[ones > 0], len(distinct)
        by_class = [np.bincount(place, ones[ones > 0] * (kept == wanted), size)[::-1] for wanted in (True, False)]
        assert_same_table(collapse(score, is_positive, given_weights), (distinct[::-1], *by_class))


def test_strided_and_integer_input():
    score, is_positive = np.array([3, 9, 3, 9, 1, 9])[::2], np.array([1, 0, 0, 0, 1, 0])[::2]
    expected = twins.collapse(np.array([3.0, 3.0, 1.0]), np.array([True, False, True]))
    assert_same_table(collapse(score, is_positive), expected)


WITH_NAN = """
import subprocess
import sys

import numpy as np
from unconfuse._kernels import collapse
score, is_positive = np.array([np.nan, 1.0, np.nan, 0.5, np.nan]), np.array([True, True, False, False, False])
for weights in (None, np.ones(5)):
    assert len(collapse(score, is_positive, weights)[0]) <= 5
"""


def test_nan_does_not_hang():
    """Scores are checked before they come here; if a NaN slips in, the kernel must still end.

    In a process of its own, which can be ended from outside: the kernel does not listen to Python while it runs.
    """
    subprocess.run([sys.executable, "-c", WITH_NAN], check=True, timeout=60)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="differ in length"):
        collapse(np.zeros(3), np.zeros(2, dtype=bool))
    with pytest.raises(ValueError, match="differ in length"):
        collapse(np.zeros(3), np.zeros(3, dtype=bool), np.zeros(2))
    with pytest.raises(ValueError, match="differ in length"):
        merge_tables(np.zeros(1), np.zeros(2), np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(1))


@settings(deadline=None)
@given(st.lists(st.floats(allow_nan=False), max_size=30), st.integers(0, 3))
def test_doubles_are_sorted_as_numbers(values, times):
    """Any sign, infinities and subnormals; and arrays that are long enough for the digits."""
    given_values = np.array(values * (1 + 40 * times), dtype=np.float64)
    found = given_values.copy()
    _native.sort_doubles(found.view(np.uint64), np.empty_like(found).view(np.uint64))
    np.testing.assert_array_equal(found, np.sort(given_values))
