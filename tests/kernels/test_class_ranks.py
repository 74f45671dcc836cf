"""The one-pass ranks of many classes against counting pairs, in every layout, type and number of threads."""

import numpy as np
import pytest

from unconfuse._kernels import class_ranks


def twin(scores, truth, weights, coefficients):
    """By comparing every row with every own case of every class."""
    n, size = scores.shape
    own_weight = np.bincount(truth, weights=weights, minlength=size)
    areas, sums = np.full(size, np.nan), np.zeros((len(coefficients), n))
    for k in range(size):
        own = (truth == k) & (weights > 0)
        if not own.any():
            continue
        above = (scores[own, k][None] > scores[:, k][:, None]) + 0.5 * (scores[own, k][None] == scores[:, k][:, None])
        credit = above @ weights[own] / own_weight[k]
        rest = truth != k
        areas[k] = credit[rest] @ weights[rest]
        sums[:, rest] += coefficients[:, k][:, None] * credit[rest]
    return areas, sums


SHAPES = {
    "continuous": lambda rng, shape: rng.normal(size=shape),
    "ties": lambda rng, shape: rng.integers(-2, 3, shape).astype(float),
    "constant": lambda rng, shape: np.zeros(shape),
    "signed zeros": lambda rng, shape: rng.choice([-0.0, 0.0, 1.0], shape),
    "skewed": lambda rng, shape: np.exp(8 * rng.normal(size=shape)),
    "tiny": lambda rng, shape: 1e-30 * rng.random(shape),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", ["C", "F", "strided"])
@pytest.mark.parametrize("weighted", [False, True])
def test_twin(shape, dtype, layout, weighted):
    rng = np.random.default_rng(0)
    n, size = 300, 21  # more than one block of columns
    scores = SHAPES[shape](rng, (n, size)).astype(dtype)
    given = {"C": scores, "F": np.asfortranarray(scores), "strided": np.repeat(scores, 2, axis=1)[:, ::2]}[layout]
    truth = rng.integers(0, size - 1, n)  # the last class does not occur
    weights = rng.integers(0, 3, n).astype(float) if weighted else np.ones(n)
    weights[np.unique(truth, return_index=True)[1]] = 1.0  # every class keeps a case
    coefficients = rng.random((2, size))
    found = class_ranks(given, truth, weights, coefficients=coefficients)
    areas, sums = twin(scores, truth, weights, coefficients)
    begins = 2 * found.start[:-1] + np.arange(size)
    ours = np.add.reduceat(found.others * found.credit, begins)
    np.testing.assert_allclose(ours[:-1], areas[:-1], rtol=1e-12)
    np.testing.assert_allclose(found.sums, sums, rtol=1e-12, atol=1e-15)
    assert found.others.sum() == pytest.approx((size - 2) * weights.sum())
    np.testing.assert_allclose(found.balanced[: begins[-1]].sum(), (size - 1) * (size - 2))


def test_threads_change_nothing():
    rng = np.random.default_rng(1)
    scores, truth, weights = rng.random((5000, 40)), rng.integers(0, 40, 5000), rng.random(5000)
    one, many = (
        class_ranks(scores, truth, weights, coefficients=rng.random((1, 40)) * 0 + 0.1, n_threads=each)
        for each in (1, 3)
    )
    for ours, theirs in zip(one, many, strict=True):
        np.testing.assert_array_equal(ours, theirs)
