"""What the driver makes of columns from Spark, without Spark."""

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.ingest._spark_driver import joined
from unconfuse.ingest._spark_executor import bins_of


@pytest.mark.parametrize("seed", range(20))
def test_scores_are_joined_where_their_bins_are_the_same(seed):
    rng = np.random.default_rng(seed)
    score = np.unique(rng.normal(size=30).round(1) + 0.0)[::-1].copy()
    edges = np.unique(rng.normal(size=rng.integers(1, 9)).round(1) + 0.0)
    positives, negatives = rng.integers(0, 5, (2, len(score))).astype(float)
    found, own = joined(uc.ScoreTable.from_validated(score, positives, negatives), edges), bins_of(score, edges)
    same = [own == each for each in np.unique(own)[::-1]]
    np.testing.assert_array_equal(found.score, [score[each].min() for each in same])
    np.testing.assert_array_equal(found.upper_edges, [score[each].max() for each in same])
    np.testing.assert_array_equal(found.positives, [positives[each].sum() for each in same])
    np.testing.assert_array_equal(found.negatives, [negatives[each].sum() for each in same])


def test_a_slice_without_weight_has_an_empty_table():
    assert len(joined(uc.ScoreTable.empty(), np.array([0.5]))) == 0
