"""Likelihood intervals of the recalibration: against plain optimisation, and by how often they hold the truth."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit

import unconfuse as uc
from unconfuse import METRICS
from unconfuse.table import Settings
from unconfuse.uncertainty import estimate_scores
from unconfuse.uncertainty.profile_likelihood import by_profile

SLOPE, INTERCEPT = METRICS["calibration_slope"], METRICS["calibration_intercept"]


def sample(n, intercept, slope, seed):
    rng = np.random.default_rng(seed)
    x = 1.2 * rng.normal(size=n)
    return x, rng.random(n) < expit(intercept + slope * x)


def log_likelihood(x, y, a, b):
    eta = a + b * x
    return float(np.sum(y * eta - np.logaddexp(0, eta)))


def penalised(x, y, a, b):
    p = expit(a + b * x)
    w = p * (1 - p)
    return log_likelihood(x, y, a, b) + 0.5 * np.log(w.sum() * (w * x * x).sum() - (w * x).sum() ** 2)


def arms(loss, centre):
    return [abs(brentq(lambda at: loss(at) - 3.841458820694124, centre, centre + side) - centre) for side in (-4, 4)]


def test_intercept_by_plain_likelihood():
    x, y = sample(150, 0.4, 0.8, 3)
    best = minimize_scalar(lambda a: -log_likelihood(x, y, a, 1.0), bracket=(-1, 1)).x
    down, up = arms(lambda a: 2 * (log_likelihood(x, y, best, 1.0) - log_likelihood(x, y, a, 1.0)), best)
    p = expit(best + x)
    stretch = np.sqrt(max(1.0, np.sum((y - p) ** 2) / np.sum(p * (1 - p))))
    found = by_profile(INTERCEPT, uc.ScoreTable.from_rows(y, expit(x)))
    assert float(found.low) == pytest.approx(best - stretch * down, abs=1e-6)
    assert float(found.high) == pytest.approx(best + stretch * up, abs=1e-6)


def test_slope_by_plain_penalised_likelihood():
    x, y = sample(120, -0.3, 1.2, 4)

    def profiled(b):
        return -minimize_scalar(lambda a: -penalised(x, y, a, b), bracket=(-1, 1), tol=1e-12).fun

    best = minimize_scalar(lambda b: -profiled(b), bracket=(0.5, 2), tol=1e-10).x
    down, up = arms(lambda b: 2 * (profiled(best) - profiled(b)), best)
    a = minimize_scalar(lambda a: -penalised(x, y, a, best), bracket=(-1, 1), tol=1e-12).x
    p = expit(a + best * x)
    design = np.column_stack([np.ones_like(x), x])
    inverse = np.linalg.inv(design.T @ (design * (p * (1 - p))[:, None]))
    sandwich = inverse @ (design.T @ (design * ((y - p) ** 2)[:, None])) @ inverse * 120 / 118
    stretch = np.sqrt(max(1.0, sandwich[1, 1] / inverse[1, 1]))
    found = by_profile(SLOPE, uc.ScoreTable.from_rows(y, expit(x)))
    assert float(found.low) == pytest.approx(best - stretch * down, abs=1e-4)
    assert float(found.high) == pytest.approx(best + stretch * up, abs=1e-4)


@pytest.mark.parametrize("fixed_classes", [False, True])
@pytest.mark.parametrize("metric", [SLOPE, INTERCEPT], ids=lambda each: each.name)
def test_limits_hold_the_value_and_narrow_with_the_level(metric, fixed_classes):
    x, y = sample(80, 0.0, 1.0, 5)
    table = uc.ScoreTable.from_rows(y, expit(x))
    wide, narrow = (
        estimate_scores([metric], table, Settings(level), fixed_classes=fixed_classes)[metric.name]
        for level in (0.95, 0.8)
    )
    assert wide.low < narrow.low < wide.value < narrow.high < wide.high


def test_a_large_table_has_the_interval_of_its_rows():
    x, y = sample(40_000, -0.5, 0.9, 6)
    found = by_profile(SLOPE, uc.ScoreTable.from_rows(y, expit(x)))
    p = expit(-0.5 + 0.9 * x)
    design = np.column_stack([np.ones_like(x), x])
    error = np.sqrt(np.linalg.inv(design.T @ (design * (p * (1 - p))[:, None]))[1, 1])
    assert float(found.high - found.low) == pytest.approx(2 * 1.96 * error, rel=0.03)


def test_coverage_of_the_slope():
    held = 0
    for seed in range(300):
        x, y = sample(100, 0.3, 0.8, 1000 + seed)
        found = by_profile(SLOPE, uc.ScoreTable.from_rows(y, expit(x)))
        held += bool(found.low <= 0.8 <= found.high)
    assert 0.91 <= held / 300 <= 0.985
