"""Intervals near the ends of the range against independent computations: the largest Youden J, and the H-measure."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import unconfuse as uc
from unconfuse.metrics import best_threshold
from unconfuse.metrics.influence_functions import quantile
from unconfuse.uncertainty import METHODS
from unconfuse.uncertainty.interval_methods import MetricReplicates

CASES = json.loads((Path(__file__).parent / "ends.json").read_text())["cases"]
OF = {group: [each for each in CASES if each["group"] == group] for group in ("ks", "h measure")}


def _table(case):
    made = {"np": np}
    exec(case["make"], made)
    return uc.ScoreTable.from_rows(made["y"], made["s"])


@pytest.mark.parametrize("case", OF["ks"], ids=lambda case: case["id"])
def test_the_largest_youden_j(case):
    table, expected = _table(case), case["expect"]
    best = best_threshold.best_of(table)
    low, high, _ = METHODS["best_threshold"].limits(uc.METRICS["max_youden"], table, False, 0.95)
    found = {
        "value": best.value,
        "standard_error": best.error,
        "log_odds_span": best.span,
        "critical": best_threshold.critical(best.span, 0.025, quantile(0.95)),
        "low": float(low),
        "high": float(high),
        "p_value": best_threshold.p_of_search(table),
    }
    assert found == pytest.approx(expected, abs=case["tolerance"]["default"])


@pytest.mark.parametrize("case", OF["ks"], ids=lambda case: case["id"])
def test_the_distance_in_either_direction_has_the_usual_test(case):
    table = _table(case)
    distance, sizes = float(uc.METRICS["ks"](table)), (table.n_positives, table.n_negatives)
    usual = stats.kstwobign.sf(distance * np.sqrt(sizes[0] * sizes[1] / sum(sizes)))
    assert best_threshold.p_of_search(table, either_way=True) == pytest.approx(usual, abs=1e-12)


@pytest.mark.parametrize("case", OF["h measure"], ids=lambda case: case["id"])
def test_the_h_measure(case):
    given, expected = case["data"], case["expect"]
    sizes = given["positives"], given["negatives"]
    perfect = uc.ScoreTable(np.array([1.0, 0.0]), np.array([sizes[0], 0.0]), np.array([0.0, sizes[1]]))
    draws = given["mean"] + given["sd"] * np.array([-1.0, 1.0]) / np.sqrt(2)
    found = METHODS["own_scale"].limits(
        uc.METRICS["h_measure"], perfect, given["v"], MetricReplicates(draws, given["st"]), 0.95
    )
    assert (float(found.low), float(found.high)) == pytest.approx((expected["low"], expected["high"]), abs=1e-9)
