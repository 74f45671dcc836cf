"""Samples of a population known by its ROC curve, against samples drawn and sorted with NumPy."""

import numpy as np
import pytest

from unconfuse._kernels import RANK_METRICS, collapse, rank_metrics, roc_samples, roc_table

MANY = 4000


def drawn_by_numpy(n_positives, n_negatives, count, seed=0):
    """The Lehmann population v = sqrt(u): negatives Exp(1), positives Exp of rate 1/2."""
    rng = np.random.default_rng(seed)
    is_positive = np.arange(n_positives + n_negatives) < n_positives
    rows = rng.exponential(np.where(is_positive, 2.0, 1.0), size=(count, len(is_positive)))
    found = [rank_metrics(*collapse(score, is_positive)[1:]) for score in rows]
    return {name: np.array([float(each[name]) for each in found]) for name in RANK_METRICS}


@pytest.mark.parametrize(("n_positives", "n_negatives"), [(1, 1), (8, 40), (40, 8)])
def test_same_law_as_plain_samples(n_positives, n_negatives):
    table = roc_table(np.square)
    ours = roc_samples(table, n_positives, n_negatives, seed=5, count=MANY, metrics=RANK_METRICS)
    theirs = drawn_by_numpy(n_positives, n_negatives, 1000)
    for name in RANK_METRICS:
        a, b = ours[name][~np.isnan(ours[name])], theirs[name][~np.isnan(theirs[name])]
        error = np.sqrt(a.var() / len(a) + b.var() / len(b))
        assert abs(a.mean() - b.mean()) <= 4.5 * error + 1e-12, name


def test_slices_and_threads_do_not_matter():
    table = roc_table(np.square)
    whole = roc_samples(table, 30, 200, seed=2, count=64, n_threads=1)["auroc"]
    part = roc_samples(table, 30, 200, seed=2, first=40, count=24, n_threads=3)["auroc"]
    np.testing.assert_array_equal(whole[40:], part)
    assert len(np.unique(whole)) > 60
