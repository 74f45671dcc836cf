"""Items, runs and judges against clubSandwich, exact fractions and ppi-python (tests/reference/items.json)."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from unconfuse._scipy_special import ndtri, stdtrit
from unconfuse.multilevel import items, pairs
from unconfuse.multilevel.rated_items import corrected

CASES = json.loads(Path(__file__).with_name("items.json").read_text())["cases"]


def _of(group):
    return [pytest.param(each, id=each["id"]) for each in CASES if each["group"] == group]


def _check(case, **found):
    for name, value in found.items():
        assert value == pytest.approx(case["expect"][name], abs=case["tolerance"][name]), name


@pytest.mark.parametrize("case", _of("items: clustered mean"))
def test_clustered_means_equal_clubsandwich(case):
    y, code = np.array(case["data"]["y"]), np.unique(case["data"]["cluster"], return_inverse=True)[1]
    scores = items.ItemScores(y[:, None], np.zeros((len(y), 1)), np.ones((len(y), 1), dtype=int), code)
    mean, variance = items.mean_of(y), items.clustered_variance(y, scores)
    effective = mean * (1 - mean) / variance
    low, high = items.effective_wilson(mean, effective, float(stdtrit(scores.n_clusters - 1, 0.975)))
    _check(case, mean=mean, se_cr1=math.sqrt(variance), n_eff=effective, wilson_lo=low, wilson_hi=high)


@pytest.mark.parametrize("case", _of("items: pass@k"))
def test_pass_at_k_equals_exact_fractions(case):
    right = np.array(case["data"]["c"])
    runs, k = np.full(len(right), case["data"]["n"]), case["data"]["k"]
    scores = items.ItemScores(right[:, None] / runs[:, None], np.zeros((len(right), 1)), runs[:, None])
    at, hat = items.pass_at(right, runs, k), items.pass_hat(right, runs, k)
    errors = [math.sqrt(items.clustered_variance(each, scores)) for each in (at, hat)]
    _check(case, pass_at_k=items.mean_of(at), pass_hat_k=items.mean_of(hat), se_at=errors[0], se_hat=errors[1])


@pytest.mark.parametrize("case", _of("items: PPI++"))
def test_corrected_means_equal_ppi_python(case):
    found = corrected(*(np.array(case["data"][name]) for name in ("y", "f", "F")))
    half = float(ndtri(0.975)) * found.standard_error
    _check(case, estimate=found.value, lo=found.value - half, hi=found.value + half)


def test_the_critical_value_of_all_pairs_is_that_of_the_studentised_range():
    """scipy.stats.studentized_range.ppf(.95, 5, 19) is 4.25283: five independent means, ten pairs."""
    two = pairs.Differences(np.zeros((2, 2)), np.ones((2, 2)), np.eye(2), 19)
    assert two.critical(0.95) == pytest.approx(float(stdtrit(19, 0.975)), abs=1e-9)
    five = pairs.Differences(np.zeros((5, 5)), np.ones((5, 5)), np.eye(5), 19)
    assert five.critical(0.95) == pytest.approx(4.25283 / math.sqrt(2), abs=0.005)
    assert five.p_value(4.25283 / math.sqrt(2)) == pytest.approx(0.05, abs=0.0005)
