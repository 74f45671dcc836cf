"""The smaller table keeps what matters: the totals, the order, the level, and the noise of any metric."""

from __future__ import annotations

import numpy as np
import pytest

import unconfuse as uc
from unconfuse import METRICS
from unconfuse.uncertainty.bootstrap import banded


def table_of(n: int, prevalence: float, seed: int = 0) -> uc.ScoreTable:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    return uc.ScoreTable.from_rows(y, 1 / (1 + np.exp(2 - 1.5 * y - rng.normal(size=n))))


TABLES = {
    "balanced": table_of(30_000, 0.5),
    "rare": table_of(30_000, 0.01),
    "common": table_of(30_000, 0.99),
    "one positive": uc.ScoreTable(np.arange(5000.0, 0, -1), np.arange(5000) == 700.0, np.ones(5000)),
    "weighted": uc.ScoreTable(np.arange(5000.0, 0, -1) / 5000, *np.random.default_rng(1).exponential(3.0, (2, 5000))),
    "empty blocks": uc.ScoreTable(np.arange(5000.0, 0, -1), *(np.arange(5000) % np.array([[7], [11]]) == 0) * 1.0),
}
every_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


@every_table
def test_totals_order_and_size(table):
    small = banded(table)
    assert len(small) < min(len(table), 1000)
    assert small.n_positives == pytest.approx(table.n_positives)
    assert small.n_negatives == pytest.approx(table.n_negatives)
    assert (np.diff(small.score) < 0).all()
    assert table.score[-1] <= small.score[-1] and small.score[0] <= table.score[0]
    weight = table.positives + table.negatives
    mean, small_mean = (each.score @ (each.positives + each.negatives) for each in (table, small))
    assert small_mean == pytest.approx(mean) and weight.sum() == pytest.approx(small.n)


@every_table
def test_no_band_is_large(table):
    small = banded(table, 100)
    for ours, whole in ((small.positives, table.positives), (small.negatives, table.negatives)):
        assert ours.max() <= whole.sum() / 100 + whole.max() + 1e-9


def test_the_top_of_the_list_is_cut_finely():
    small = banded(TABLES["balanced"])
    np.testing.assert_array_equal(small.score[:20], TABLES["balanced"].score[:20])


def test_a_small_table_stays_as_it_is():
    table = table_of(900, 0.3)
    assert banded(table) is table
    assert banded(table, 50) is not table


def test_values_stay_near():
    table = TABLES["balanced"]
    for name, tolerance in (("auroc", 1e-4), ("auch", 1e-3), ("brier", 1e-4), ("max_f1", 1e-3), ("h_measure", 1e-3)):
        assert METRICS[name](banded(table)) == pytest.approx(float(METRICS[name](table)), abs=tolerance)


@pytest.mark.parametrize("name", ["auroc", "average_precision", "max_f1", "brier"])
def test_noise_is_that_of_the_full_table(name):
    table = table_of(6000, 0.1)
    full, small = (
        uc.bootstrap(each, [name], n_resamples=1500, rng=seed)[name].std()
        for seed, each in enumerate((table, banded(table)))
    )
    assert small == pytest.approx(full, rel=0.08)  # the standard errors of both are known to 1.8% each
