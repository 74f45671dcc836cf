from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st

from unconfuse._kernels import collapse, collapse_cases, merge_tables, order_rows

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


@pytest.mark.parametrize(
    "shape", ["normal", "tied", "float32", "one value but for a few", "tiny", "alike in their first bits", "sorted"]
)
def test_many_rows_are_counted_on_any_number_of_threads(shape):
    """Enough rows that they are dealt into buckets, and that three threads have work."""
    rng = np.random.default_rng(5)
    y, z = rng.random(400_001) < 0.2, rng.normal(size=400_001)
    score = {
        "normal": z + y,
        "tied": np.round(z + y, 2),
        "float32": (z + y).astype(np.float32).astype(float),
        "one value but for a few": np.where(rng.random(len(z)) < 1e-3, z * 10.0 ** rng.integers(-300, 7, len(z)), 0.25),
        "tiny": 5e-324 * rng.integers(-(10**6), 10**9, len(z)),
        "alike in their first bits": 1 + 2.0**-52 * rng.integers(0, 10**7, len(z)),
        "sorted": np.sort(z),
    }[shape]
    values, place = np.unique(score, return_inverse=True)
    expected = [values[::-1], *(np.bincount(place[rows], minlength=len(values))[::-1] for rows in (y, ~y))]
    for n_threads in (1, 2, 3):
        found = collapse_cases(score, y, n_threads=n_threads)
        assert_same_table((found[0], *found[1].astype(float).T), expected)


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
    """Large enough for both lengths of digits."""
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


def hostile_scores(rng, n):
    """Orders and distributions that a sort by digits might be slow or wrong on."""
    some = rng.normal(size=n)
    yield "random", some
    yield "ascending", np.sort(some)
    yield "descending", np.sort(some)[::-1]
    yield "ascending with ties", np.sort(np.round(some, 2))
    yield "organ pipe", np.abs(np.linspace(-1, 1, n))
    yield "constant", np.full(n, 0.25)
    yield "two values", np.where(some > 0, 0.1, 0.9)
    yield "subnormal", 5e-324 * np.floor(1e9 * rng.random(n))
    yield "both zeros", np.where(some > 1, some, np.copysign(0.0, some))
    yield "one far away", np.append(0.5 + 1e-12 * rng.random(n - 1), 1e300)
    yield "close pairs among far ones", np.repeat(np.exp(90 * some[: n // 2]), 2) * (1 + 2e-16 * rng.integers(0, 3, n))
    yield (
        "clusters that agree in many bits",
        np.repeat([1e-300, 1.0, 1e200], [n // 3, n // 3, n - 2 * (n // 3)]) * (1 + 1e-13 * rng.random(n)),
    )
    yield "all exponents of one sign", np.exp(rng.uniform(-708, 709, n))
    yield "all exponents of both signs", np.exp(rng.uniform(-708, 709, n)) * np.where(some > 0, 1, -1)


@pytest.mark.parametrize("n", [300, 700, 70_000])
def test_hostile_scores(n):
    """Short enough to compare, short digits, long digits: always what np.unique finds, and order does not matter."""
    rng = np.random.default_rng(n)
    is_positive = rng.random(n) < 0.3
    for name, score in hostile_scores(rng, n):
        distinct, place = np.unique(score + 0.0, return_inverse=True)
        by_class = (np.bincount(place, is_positive == wanted, len(distinct))[::-1] for wanted in (True, False))
        expected = (distinct[::-1], *by_class)
        assert_same_table(collapse(score, is_positive), expected)
        assert_same_table(collapse(score, is_positive, np.ones(n)), expected)
        order, ends = order_rows(score)
        stable = np.argsort(-score, kind="stable")
        assert np.array_equal(order, stable), name
        assert len(ends) == len(distinct), name


@pytest.mark.parametrize("values", [1, 2, 63, 64, 65, 300])
@pytest.mark.parametrize("n", [1, 5000, 400_000])
def test_few_distinct_scores_are_counted_as_they_would_be_sorted(values, n):
    """Also where more values come late than the first rows showed, and where each thread meets others."""
    rng = np.random.default_rng(values)
    known = np.concatenate([[-0.0, 0.0], rng.normal(size=values) * 10.0 ** rng.integers(-300, 300, values)])[-values:]
    is_positive = rng.random(n) < 0.3
    for score in (known[rng.integers(0, values, n)], np.sort(known[rng.integers(0, values, n)])):
        for n_threads in (1, 2):
            found = collapse_cases(score, is_positive, n_threads=n_threads)
            if values <= 64 and len(np.unique(score)) <= 64:
                assert found is not None  # whatever they span
            if found is not None:
                score_found, counts = found
                expected = collapse(score, is_positive, np.ones(n))
                assert_same_table((score_found, counts[:, 0].astype(float), counts[:, 1].astype(float)), expected)


def test_cases_take_sixteen_bytes_a_row_unless_their_scores_span_everything():
    is_positive = np.array([True, False, True, False])
    score, counts = collapse_cases(np.array([0.2, 0.2, -1.0, 7.0]), is_positive)
    assert (score.dtype, counts.dtype, counts.tolist()) == (np.float64, np.uint32, [[0, 1], [1, 1], [1, 0]])
    wide = np.concatenate([np.array([5e-324, -5e-324, 1e308, -1e308]), np.arange(100.0)])  # few values are counted
    is_positive = np.arange(len(wide)) % 2 == 0
    assert collapse_cases(wide, is_positive) is None
    assert collapse_cases(np.abs(wide), is_positive) is not None
    assert_same_table(collapse(wide, is_positive), twins.collapse(wide, is_positive))


@pytest.mark.parametrize("n", [1_000, (1 << 21) + 1])
def test_a_table_of_few_scores_does_not_hold_the_room_of_its_rows(n):
    """Up to 2^21 rows both columns are made as one array, beyond as two."""
    value, is_positive = np.arange(n) % 7, np.arange(n) % 3 == 0
    score, counts = collapse_cases(value.astype(float), is_positive)
    expected = [np.bincount(value[rows], minlength=7)[::-1] for rows in (is_positive, ~is_positive)]
    assert_same_table((score, *counts.astype(float).T), (np.arange(7.0)[::-1], *expected))
    for held in (score, counts):
        while held.base is not None:
            held = held.base  # noqa: PLW2901
        assert held.nbytes == 7 * 8
