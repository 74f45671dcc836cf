"""Points of curves against plain NumPy, for any number of threads."""

import numpy as np
import pytest

from unconfuse._kernels import precision_recall_points, roc_points, totals


def table(k, seed=0, whole=True):
    rng = np.random.default_rng(seed)
    positives, negatives = rng.integers(0, 3, k).astype(float), rng.integers(0, 4, k).astype(float)
    scale = 1.0 if whole else rng.random(k)
    return np.sort(rng.normal(size=k))[::-1].copy(), positives * scale, negatives * scale


@pytest.mark.parametrize("k", [1, 2, 1000, 250_001])
@pytest.mark.parametrize("whole", [True, False])
def test_points_are_running_sums(k, whole):
    score, positives, negatives = table(k, whole=whole)
    positives[0], negatives[-1] = 1, 1
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    threshold, fpr, tpr = roc_points(score, positives, negatives, n_threads=2)
    np.testing.assert_array_equal(threshold, np.append(np.inf, score))
    np.testing.assert_array_equal(fpr, np.append(0, fp / fp[-1]))
    np.testing.assert_array_equal(tpr, np.append(0, tp / tp[-1]))
    recall, precision, queue_rate = precision_recall_points(positives, negatives, n_threads=2)
    np.testing.assert_array_equal(recall, tp / tp[-1])
    np.testing.assert_array_equal(precision, tp / (tp + fp))
    np.testing.assert_array_equal(queue_rate, (tp + fp) / (tp[-1] + fp[-1]))


def test_threads_do_not_matter():
    score, positives, negatives = table(300_000, whole=False)
    for one, many in zip(
        roc_points(score, positives, negatives, n_threads=1),
        roc_points(score, positives, negatives, n_threads=5),
        strict=True,
    ):
        np.testing.assert_array_equal(one, many)


def test_totals_see_empty_blocks():
    assert totals(np.array([1.0, 2]), np.array([0.0, 1])) == (3.0, 1.0, False)
    assert totals(np.array([1.0, 0]), np.array([0.0, 0])) == (1.0, 0.0, True)


def test_wrong_sizes_are_refused():
    with pytest.raises(ValueError, match="one score for each block"):
        roc_points(np.zeros(3), np.ones(2), np.ones(2))
