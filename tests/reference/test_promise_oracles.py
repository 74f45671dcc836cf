"""Thresholds with a guarantee: questions whose answers were computed elsewhere (`questions.json`)."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc

CASES = json.loads((Path(__file__).parent / "questions.json").read_text(encoding="utf-8"))
GUARANTEES = [each for each in CASES if each["group"] == "guarantee"]


def asked(given, metric, bound, probability):
    word = "at_most" if metric == "false_positive_rate" else "at_least"
    return uc.guarantee(*given, metric, probability=probability, **{word: bound})


@pytest.mark.parametrize("case", [each for each in GUARANTEES if "items" not in each["inputs"]], ids=lambda c: c["id"])
def test_thresholds_and_tests(case):
    given, expected = case["inputs"], case["expect"]
    bound = given.get("at_least", given.get("at_most"))
    found = asked((given["y"], given["s"]), given["metric"], bound, given["probability"])
    np.testing.assert_allclose(found.p_values, expected["p_values"], rtol=0, atol=case["tolerance"])
    np.testing.assert_array_equal(found.scores, expected["scores"])
    assert found.cases_needed == expected["cases_needed"]
    wanted = expected["threshold"]
    assert math.isnan(found.threshold) if wanted is None else found.threshold == wanted


@pytest.mark.parametrize("case", [each for each in GUARANTEES if "items" in each["inputs"]], ids=lambda c: c["id"])
def test_cases_needed(case):
    nobody = [1, 0], [0.9, 0.1]
    found = [
        asked(nobody, each["metric"], each["bound"], each["probability"]).cases_needed
        for each in case["inputs"]["items"]
    ]
    assert found == case["expect"]["cases_needed"]
