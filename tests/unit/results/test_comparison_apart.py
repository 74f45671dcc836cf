"""Models that were judged on different cases."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

import unconfuse as uc
from unconfuse._errors import ArgumentError
from unconfuse._formatting import plain_json

TABLES = {"a": uc.Counts(tp=90, fp=30, fn=10, tn=170), "b": uc.Counts(tp=70, fp=10, fn=30, tn=190)}
REFERENCE = json.loads((Path(__file__).parents[2] / "reference/named_intervals.json").read_text(encoding="utf-8"))


def test_two_published_tables() -> None:
    found = uc.compare(TABLES)
    assert not found.same_cases and found.n == 600 and set(found.metrics) >= {"sensitivity", "precision", "mcc"}
    each = found["sensitivity", "a", "b"]
    assert each.difference.value == pytest.approx(0.2) and each.verdict == "better"
    assert found["sensitivity", "b", "a"].difference.value == pytest.approx(-0.2)
    singles = [uc.evaluate_counts(**table.as_dict())["sensitivity"] for table in TABLES.values()]
    low = 0.2 - math.hypot(singles[0].value - singles[0].low, singles[1].high - singles[1].value)
    assert each.difference.low == pytest.approx(low)
    assert pickle.loads(pickle.dumps(found)).findings == found.findings
    json.dumps(plain_json(found.as_dict()), allow_nan=False)


def test_independent_areas_are_delongs_z_test() -> None:
    """pROC takes Student's t with some 100 degrees of freedom instead, hence its slightly larger p-values."""
    for case in REFERENCE["auroc"]:
        y, s, even = np.array(case["y"]), np.array(case["s"]), np.arange(len(case["y"])) % 2 == 1
        found = uc.compare({"even": (y[even], s[even]), "odd": (y[~even], s[~even])}, metrics=["auroc"], threshold=0.5)
        sides = [uc.evaluate(y[part], s[part], metrics=["auroc"], threshold=0.5)["auroc"] for part in (even, ~even)]
        one, other = (each.interval(method="delong") for each in sides)
        z = (one.value - other.value) / math.hypot(one.standard_error, other.standard_error)
        each = found["auroc", "even", "odd"]
        assert each.p_value == pytest.approx(2 * norm.sf(abs(z)), rel=1e-9)
        assert each.p_value == pytest.approx(case["pROC"]["independent p"], rel=0.02)


def test_intervals_of_independent_differences_keep_their_level() -> None:
    rng, held, rejected = np.random.default_rng(2), 0, 0
    for _ in range(150):
        sides = {}
        for name in "ab":
            y = rng.random(120) < 0.4
            sides[name] = uc.score_table(y, y + rng.normal(size=120))
        each = uc.compare(sides, metrics=["auroc"], threshold=0.5)["auroc", "a", "b"]
        held += each.difference.low <= 0 <= each.difference.high
        rejected += each.p_value < 0.05
    assert held > 135 and rejected < 15


def test_three_sets_are_adjusted() -> None:
    tables = {**TABLES, "c": uc.Counts(tp=80, fp=20, fn=20, tn=180)}
    for adjust in ("max-t", "holm"):
        found = uc.compare(tables, metrics=["sensitivity"], adjust=adjust)
        for each in found.values():
            assert each.p_value >= each.unadjusted_p_value
            assert (each.difference.low > 0 or each.difference.high < 0) == (each.p_value <= 0.05)
    assert len(uc.compare(tables, metrics=["f1"], reference="c")) == 2


@pytest.mark.parametrize(
    ("given", "more", "words"),
    [
        ({"a": TABLES["a"]}, {}, "at least two"),
        (TABLES, {"threshold": 0.3}, "only counts"),
        (TABLES, {"baselines": ["majority"]}, "cases of their own"),
        (TABLES, {"positive": 1}, "four counts"),
        (TABLES, {"metrics": ["auroc"]}, "scores"),
        ({**TABLES, "c": uc.Counts(tp=[1, 2], fp=1, fn=1, tn=1)}, {}, "one 2x2 table"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict, more: dict, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        uc.compare(given, **more)


def test_a_class_without_cases_is_undefined_not_wrong() -> None:
    found = uc.compare({"a": uc.Counts(tp=0, fp=3, fn=0, tn=7), "b": TABLES["b"]}, metrics=["sensitivity", "accuracy"])
    assert found["sensitivity", "a", "b"].verdict == "undefined"
    assert found["accuracy", "a", "b"].verdict in ("better", "worse", "cannot tell")
