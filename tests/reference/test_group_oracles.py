"""Cases in groups against brute force: pairs, explicit leave-one-group-out, eigenvalues; and the same over folds."""

import json
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc

CASES = json.loads(Path(__file__).with_name("groups.json").read_text())["cases"]
OF_GROUPS = [each for each in CASES if each["group"] == "cluster"]
OF_FOLDS = [each for each in CASES if each["group"] == "folds and groups"]


def rows(case):
    """The cases that a recipe makes."""
    made = {"np": np}
    exec(case["make"], made)
    return made


@pytest.mark.parametrize("case", OF_GROUPS, ids=lambda each: each["id"])
def test_groups(case):
    made, expected, metric = rows(case), case["expect"], case["id"].rpartition("-")[2]
    found = uc.evaluate(made["y"], made["s"], groups=made["g"], threshold=0, metrics=[metric])[metric]
    assert found.value == pytest.approx(expected["value"], abs=1e-9)
    assert found.standard_error**2 == pytest.approx(expected["variance"], abs=1e-6, rel=1e-6)
    assert (found.low, found.high) == pytest.approx((expected["low"], expected["high"]), abs=1e-6)


@pytest.mark.parametrize("case", OF_FOLDS, ids=lambda each: each["id"])
def test_groups_that_straddle_folds(case):
    made, expected = rows(case), case["expect"]
    found = uc.evaluate(made["y"], made["s"], groups=made["g"], folds=made["f"], metrics=["auroc"])["auroc"]
    assert found.value == pytest.approx(expected["value"], abs=1e-9)
    assert found.standard_error**2 == pytest.approx(expected["jackknife_variance"], abs=1e-9)
    assert (found.low, found.high) == pytest.approx((expected["low"], expected["high"]), abs=1e-6)
