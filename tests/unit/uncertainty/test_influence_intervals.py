from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import unconfuse as uc
from unconfuse.metrics.influence_functions import placements
from unconfuse.table import InMemorySample, Settings
from unconfuse.uncertainty.contrasts import PairedContrasts
from unconfuse.uncertainty.difference_tests import influence_sums
from unconfuse.uncertainty.influence_intervals import (
    binormal_se,
    by_influence,
    delong_variance,
    hanley_mcneil_se,
    of_mean_loss,
    spread_of,
)
from unconfuse.uncertainty.interval_methods import limits_of_table

auroc_interval = partial(limits_of_table, uc.METRICS["auroc"])


def models(truth, scores, weights=None):
    return InMemorySample(truth=truth, scores={str(name): each for name, each in enumerate(scores)}, weights=weights)


def auroc_sums(truth, scores, weights=None, fixed_classes=False):
    return influence_sums([uc.METRICS["auroc"]], models(truth, scores, weights).with_design(fixed_classes))["auroc"]


def auroc_difference(truth, first, second):
    paired = PairedContrasts([uc.METRICS["auroc"]], models(truth, [first, second]), [("0", "1")], Settings(), "max-t")
    return paired.differences(uc.METRICS["auroc"])[0]


# Values of the DeLong pair and of the small tables: pROC, PRROC and plain double loops agree on them to 1e-14.
CATS = uc.ScoreTable(np.array([0.8, 0.6, 0.3, 0.1]), np.array([1.0, 0, 1, 0]), np.array([0.0, 1, 0, 1]))
TABLES = [
    # score, positives, negatives, DeLong variance, Hanley-McNeil standard error
    (CATS, 0.125, 0.27629564910487775),
    (
        uc.ScoreTable(
            np.array([87, 85, 82, 79, 74, 73, 68, 66, 61, 39, 28, 12.0]),
            np.array([1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0.0]),
            np.array([0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1.0]),
        ),
        0.009876543209876543,
        0.10281285589539801,
    ),
]


def _random_table(seed: int, blocks: int = 12) -> uc.ScoreTable:
    rng = np.random.default_rng(seed)
    positives, negatives = rng.integers(0, 4, (2, blocks)).astype(float)
    positives[0], negatives[-1] = positives[0] + 2, negatives[-1] + 2
    return uc.ScoreTable(np.arange(blocks, 0, -1.0), positives, negatives)


def _rows(table: uc.ScoreTable) -> tuple[np.ndarray, np.ndarray]:
    p, n = table.positives.astype(int), table.negatives.astype(int)
    truth = np.repeat([True, False], [p.sum(), n.sum()])
    return truth, np.concatenate([np.repeat(table.score, p), np.repeat(table.score, n)])


def _kernel_matrix(table: uc.ScoreTable) -> np.ndarray:
    truth, score = _rows(table)
    x, y = score[truth][:, None], score[~truth]
    return (x > y) + (x == y) / 2


@pytest.mark.parametrize(("table", "variance", "guess"), TABLES)
def test_reference_variances(table, variance, guess):
    area = placements(table)[0] @ table.positives / table.n_positives
    assert delong_variance(table) == pytest.approx(variance, abs=1e-12)
    assert hanley_mcneil_se(area, table.n_positives, table.n_negatives) == pytest.approx(guess, abs=1e-12)


@given(st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_delong_equals_double_loop(seed):
    table = _random_table(seed)
    psi = _kernel_matrix(table)
    p, n = psi.shape
    expected = psi.mean(1).var(ddof=1) / p + psi.mean(0).var(ddof=1) / n
    assert delong_variance(table) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(
    ("prevalence", "area", "exact", "guess"),
    [
        (0.01, 0.65, 0.02732829142571763, 0.030037468949017286),
        (0.01, 0.95, 0.009894514795818014, 0.015220415628722254),
        (0.3, 0.85, 0.004094227511286793, 0.004680309108633594),
    ],
)
def test_binormal_and_hanley_mcneil(prevalence, area, exact, guess):
    positives = round(10_000 * prevalence)
    assert binormal_se(area, positives, 10_000 - positives) == pytest.approx(exact, abs=1e-9)
    assert hanley_mcneil_se(area, positives, 10_000 - positives) == pytest.approx(guess, abs=1e-9)


def test_binormal_unequal_variances_by_simulation():
    rng, area, ratio = np.random.default_rng(1), 0.8, 1.6
    from scipy.special import ndtri

    shift = ndtri(area) * math.hypot(1, ratio)
    x, y = shift + ratio * rng.standard_normal((4000, 15)), rng.standard_normal((4000, 25))
    values = (x[:, :, None] > y[:, None, :]).mean(axis=(1, 2))
    assert values.std() == pytest.approx(float(binormal_se(area, 15, 25, sd_ratio=ratio)), rel=0.04)


def test_weight_two_is_the_row_twice_in_the_value_and_halves_the_variance_nearly():
    table = _random_table(5)
    double = uc.ScoreTable(table.score, 2 * table.positives, 2 * table.negatives)
    assert np.allclose(placements(table), placements(double))
    assert float(delong_variance(double)) < float(delong_variance(table)) / 1.9


def test_covariance_against_the_double_loop():
    rng = np.random.default_rng(2)
    truth = rng.random(60) < 0.4
    scores = [np.round(rng.normal(size=60) + truth, 1) for _ in range(3)]
    psi = [(s[truth][:, None] > s[~truth]) + (s[truth][:, None] == s[~truth]) / 2 for s in scores]
    p, n = psi[0].shape
    expected = np.cov([m.mean(1) for m in psi]) / p + np.cov([m.mean(0) for m in psi]) / n
    found = auroc_sums(truth, scores, fixed_classes=True)
    assert np.allclose(found.covariance(), expected, atol=1e-15)
    assert np.allclose(found.value, [m.mean() for m in psi])


def test_covariance_counts_weights_as_rows():
    rng = np.random.default_rng(4)
    truth, weights = rng.random(40) < 0.5, rng.integers(1, 4, 40).astype(float)
    scores = [rng.normal(size=40) + truth, np.round(rng.normal(size=40), 1)]
    repeat = np.repeat(np.arange(40), weights.astype(int))
    once = auroc_sums(truth, scores, weights)
    rows = auroc_sums(truth[repeat], [s[repeat] for s in scores])
    assert np.allclose(once.covariance(), rows.covariance(), atol=1e-15)


def test_difference_is_signed_and_antisymmetric():
    rng = np.random.default_rng(6)
    truth = rng.random(200) < 0.3
    good, poor = rng.normal(size=200) + 2 * truth, rng.normal(size=200) + 0.3 * truth
    better, worse = auroc_difference(truth, good, poor), auroc_difference(truth, poor, good)
    assert better.value > 0 > worse.value
    assert better.value / better.standard_error == pytest.approx(-worse.value / worse.standard_error)
    assert better.low == pytest.approx(-worse.high)
    assert better.p_value == worse.p_value


def test_difference_of_a_model_with_itself():
    truth = np.repeat([True, False], 10)
    same = auroc_difference(truth, np.arange(20.0), np.arange(20.0) * 3)
    assert (same.value, same.standard_error, same.p_value) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("sizes", [(3, 3), (10, 10), (20, 980), (500, 500)])
def test_perfect_separation_does_not_collapse(sizes):
    p, n = sizes
    flags = np.repeat([1.0, 0.0], sizes)
    perfect = uc.ScoreTable(np.arange(p + n, 0, -1.0), flags, 1 - flags)
    reversed_ = uc.ScoreTable(
        perfect.score,
        flags[::-1] if p == n else np.repeat([0.0, 1.0], (n, p)),
        1 - flags[::-1] if p == n else np.repeat([1.0, 0.0], (n, p)),
    )
    low, high, method = auroc_interval(perfect)
    assert low < 1 - 0.2 / min(p, n)
    assert high == 1
    assert "half a case" in method.note
    other = auroc_interval(reversed_)
    assert (other.low, other.high) == (0, pytest.approx(1 - low))


@given(st.integers(0, 10_000), st.sampled_from([0.5, 0.9, 0.99]))
@settings(max_examples=50, deadline=None)
def test_interval_holds_the_value_stays_inside_and_grows_with_the_level(seed, level):
    table = _random_table(seed)
    value = placements(table)[0] @ table.positives / table.n_positives
    low, high, _ = auroc_interval(table, confidence_level=level)
    wide = auroc_interval(table, confidence_level=0.999)
    assert 0 <= wide.low <= low <= value <= high <= wide.high <= 1


def test_stacked_tables_equal_single_ones():
    tables = [_random_table(seed) for seed in range(4)]
    stacked = (np.stack([getattr(each, name) for each in tables]) for name in ("positives", "negatives"))
    stack = uc.ScoreTable(tables[0].score, *stacked)
    low, high, _ = auroc_interval(stack)
    for index, table in enumerate(tables):
        assert auroc_interval(table)[:2] == (pytest.approx(low[index]), pytest.approx(high[index]))


ORACLE = Path(__file__).parents[2] / "reference" / "cases.json"


def test_oracle_file():
    for case in json.loads(ORACLE.read_text())["cases"]:
        inputs, expect = case["inputs"], case["expect"]
        if case["group"] == "delong":
            found = auroc_difference(np.array(inputs["y"]) == 1, np.array(inputs["s1"]), np.array(inputs["s2"]))
            z = found.value / found.standard_error
            values = (found.value, found.standard_error, z, found.p_value)
            assert values == pytest.approx([expect[k] for k in ("diff", "se", "z", "p")], abs=1e-9)
        if case["group"] == "ranking":
            table = uc.ScoreTable.from_rows(np.array(inputs["y"]) == 1, np.array(inputs["s"], dtype=float))
            assert delong_variance(table) == pytest.approx(expect["delong_var"], abs=1e-9)
            psi = _kernel_matrix(table)
            p, n = psi.shape
            exact = (psi.var() + (n - 1) * psi.mean(1).var() + (p - 1) * psi.mean(0).var()) / (p * n)
            assert exact == pytest.approx(expect["boot_auroc_var_exact"], abs=1e-9)


@pytest.mark.parametrize("metric", ["brier", "log_loss", "brier_skill", "log_loss_skill"])
def test_one_mistake_may_have_come_from_a_rate_of_a_fortieth(metric):
    """As Fay and Feuer's limit has it: of one Poisson count, the lower limit is 0.025."""
    truth = np.repeat([True, False], 30)
    stated = np.where(truth, 1 - 1e-6, 1e-6)
    stated[0] = 0.2
    found = uc.evaluate(truth, stated, metrics=[metric])[metric]
    loss, least = (1 - found.value, 1 - found.high) if metric.endswith("skill") else (found.value, found.low)
    assert 0.015 < least / loss < 0.03


def test_a_loss_of_many_cases_is_as_it_was():
    """Of eight cases or more that make the loss, the limit is the mean of both others."""
    rng = np.random.default_rng(0)
    table = uc.score_table(rng.random(200) < 0.3, rng.random(200))
    metric = uc.METRICS["brier"]
    value, error = float(metric(table)), float(spread_of(metric, table).standard_error(fixed_classes=False))
    assert (value / error) ** 2 > 8
    own = value * np.exp(-stats.t.ppf(0.975, 199) * error / value)
    assert of_mean_loss(metric, table).low == pytest.approx((by_influence(metric, table).low + own) / 2)
