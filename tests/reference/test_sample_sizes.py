"""Plans against R's presize and pROC; the script beside this file made the values.

Rates: presize inverts Wilson's interval, as we do. AUROC: presize takes Hanley and McNeil's standard error, of
exponential scores, and pROC Obuchowski's approximation for normal scores; ours is exact for the scores that are named.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import unconfuse as uc
from unconfuse.uncertainty.influence_intervals import hanley_mcneil_se

CASES = json.loads(Path(__file__).with_name("sample_sizes.json").read_text(encoding="utf-8"))


def _of(*questions: str) -> list[dict]:
    return [case for case in CASES if case["question"] in questions]


@pytest.mark.parametrize("case", _of("sensitivity", "specificity"))
def test_rates_need_as_many_cases_as_by_presize(case: dict) -> None:
    name, share = case["question"], case["prevalence"]
    found = uc.plan(metric=name, width=case["goal"], prevalence=share, **{name: case["rate"]})
    counted = share if name == "sensitivity" else 1 - share
    two_of_each = math.ceil(2 / min(share, 1 - share))  # which presize does not ask for
    assert found.n == max(math.ceil(case["n"] / counted - 1e-3), two_of_each)


@pytest.mark.parametrize("case", _of("auroc"))
def test_presize_takes_exponential_scores(case: dict) -> None:
    positives, negatives = case["n"] * case["prevalence"], case["n"] * (1 - case["prevalence"])
    theirs = 2 * 1.959964 * float(hanley_mcneil_se(case["rate"], positives, negatives))
    assert theirs == pytest.approx(case["goal"], rel=1e-4)


@pytest.mark.parametrize("case", _of("power"))
def test_weak_models_need_about_as_many_cases_as_by_proc(case: dict) -> None:
    how = {"null": 0.5, "power": case["goal"], "prevalence": case["prevalence"]}
    found = uc.plan(uc.Binormal(), at=case["rate"], **how)
    assert found.n * case["prevalence"] == pytest.approx(case["n"], rel=0.12 if case["rate"] < 0.7 else 0.2)
