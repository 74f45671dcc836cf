"""What Spark brings to the driver is said before it comes."""

import warnings

import pytest

import unconfuse as uc
from unconfuse.ingest._spark_tables import MAX_DISTINCT, _announce


def test_few_scores_come_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _announce(1_000_000, MAX_DISTINCT)


def test_many_scores_are_counted_and_weighed():
    with pytest.warns(
        uc.UnconfuseWarning, match=r"at most 10,000,000 distinct scores \(about 2.5 GB on the driver\) come"
    ):
        _announce(10_000_000, MAX_DISTINCT, "at most ")


def test_beyond_the_limit_bins_are_announced():
    with pytest.warns(uc.UnconfuseWarning, match=r"1,000 distinct .* more than `max_distinct=500`, .* 65,536 bins"):
        _announce(1000, 500)
