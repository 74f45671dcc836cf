"""Paired predictive values against R's DTComPair; the script beside this file made the values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc

CASES = json.loads(Path(__file__).with_name("predictive_values.json").read_text(encoding="utf-8"))
LABELS = np.array([[1, 1, 0, 0], [1, 0, 1, 0]], dtype=float)


@pytest.mark.parametrize("case", CASES)
def test_the_score_test_is_that_of_dtcompair(case: dict) -> None:
    cells = np.array([*case["diseased"], *case["healthy"]])
    truth = np.repeat([True] * 4 + [False] * 4, cells)
    scores = {name: np.repeat(np.tile(each, 2), cells) for name, each in zip("ab", LABELS, strict=True)}
    found = uc.compare(truth, scores, metrics=["precision", "npv"], threshold=0.5)
    for metric in ("precision", "npv"):
        each = found[metric, "a", "b"]
        assert each.p_value == pytest.approx(case[metric], rel=1e-9)
        assert each.difference.low <= each.difference.value <= each.difference.high
        assert (each.difference.low > 0 or each.difference.high < 0) == (each.p_value < 0.05)
