from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unconfuse as uc
from unconfuse.table import InMemorySample, Settings
from unconfuse.uncertainty.contrasts import PairedContrasts
from unconfuse.uncertainty.interval_methods import has_formula, limits_of_table
from unconfuse.uncertainty.method import in_full

FORMULAS = {name: partial(limits_of_table, each) for name, each in uc.METRICS.items() if has_formula(each)}


def _table(seed: int, n: int = 60) -> uc.ScoreTable:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    truth[:2], truth[2:4] = True, False
    return uc.ScoreTable.from_rows(truth, np.clip(np.round(rng.normal(0.4, 0.2, n) + 0.2 * truth, 2), 0.01, 0.99))


@pytest.mark.parametrize("name", FORMULAS)
@given(seed=st.integers(0, 5000), level=st.sampled_from([0.5, 0.9, 0.99]))
@settings(max_examples=20, deadline=None)
def test_interval_holds_the_value_and_stays_in_range(name, seed, level):
    table, metric = _table(seed), uc.METRICS[name]
    low, high, method = FORMULAS[name](table, confidence_level=level)
    assert metric.range[0] <= low <= metric(table) + 1e-12
    assert metric(table) - 1e-12 <= high <= metric.range[1]
    assert any(word in in_full(method) for word in ("half a case", "best threshold")) or (
        metric.inference.recalibrates and "sandwich" in method
    )


@pytest.mark.parametrize("name", FORMULAS)
def test_higher_level_and_fewer_cases_give_wider_intervals(name):
    table = _table(1, 400)
    smaller = uc.ScoreTable(table.score, table.positives / 4, table.negatives / 4)
    base, higher, fewer = (
        np.subtract(*FORMULAS[name](t, confidence_level=c)[1::-1])
        for t, c in ((table, 0.95), (table, 0.99), (smaller, 0.95))
    )
    assert base < higher
    assert base < fewer


@pytest.mark.parametrize("name", ["average_precision", "auprc_davis_goadrich", "brier"])
def test_a_cohort_is_less_certain_than_fixed_classes(name):
    table = _table(2, 400)
    cohort, fixed = (np.subtract(*FORMULAS[name](table, fixed_classes=each)[1::-1]) for each in (False, True))
    assert cohort > fixed


@pytest.mark.parametrize("name", ["auroc", "gini", "average_precision", "auprc_davis_goadrich", "auprc_integral"])
def test_perfect_ranking_does_not_collapse(name):
    flags = np.repeat([1.0, 0.0], (20, 180))
    low, high, _ = FORMULAS[name](uc.ScoreTable(np.linspace(0.99, 0.01, 200), flags, 1 - flags))
    assert high == 1
    assert low < 0.99


def test_log_loss_of_the_impossible_is_infinite_and_certainty_alone_is_not():
    happened = uc.ScoreTable(np.array([1.0, 0.5, 0.0]), np.array([3.0, 2, 1]), np.array([0.0, 2, 5]))
    assert FORMULAS["log_loss"](happened)[:2] == (np.inf, np.inf)
    sure = uc.ScoreTable(happened.score, np.array([3.0, 2, 0]), happened.negatives)
    low, high, _ = FORMULAS["log_loss"](sure)
    assert 0 < low < uc.METRICS["log_loss"](sure) < high < np.inf


def test_paired_difference_of_average_precision_agrees_with_the_bootstrap_of_rows():
    rng = np.random.default_rng(4)
    truth = rng.random(600) < 0.3
    one = rng.normal(size=600) + 1.5 * truth
    other = 0.7 * one + rng.normal(size=600)
    metric, sample = uc.METRICS["average_precision"], InMemorySample(truth=truth, scores={"one": one, "other": other})
    found = PairedContrasts([metric], sample, [("one", "other")], Settings(), "max-t").differences(metric)[0]
    draws = []
    for rows in rng.integers(0, 600, (600, 600)):
        tables = (uc.ScoreTable.from_rows(truth[rows], score[rows]) for score in (one, other))
        draws.append(np.subtract(*(float(uc.METRICS["average_precision"](table)) for table in tables)))
    assert found.standard_error == pytest.approx(np.std(draws), rel=0.12)
    assert found.low < found.value < found.high
