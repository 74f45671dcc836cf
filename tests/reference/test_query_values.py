"""Rankings per query equal those of ir_measures and pytrec_eval, query by query and on average."""

import json
import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc

CASES = json.loads(Path(__file__).with_name("query_values.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=["few", "long", "many"])
def test_values_of_ir_measures(case):
    rows = case["rows"]
    score = [-math.inf if row["score"] is None else row["score"] for row in rows]
    relevance, query = [row["relevance"] for row in rows], [row["query"] for row in rows]
    found = uc.evaluate(relevance, score, query=query, metrics=list(case["mean"]))
    for name, mean in case["mean"].items():
        assert found[name].value == pytest.approx(mean, abs=1e-9)
        own = found.per_query(name)
        for key, value in case["by_query"][name].items():
            assert own[key] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("name", ["average_precision", "ndcg", "ndcg_at(2)", "reciprocal_rank", "precision_at_k(3)"])
def test_ties_count_as_the_mean_over_all_orders(name):
    relevance, score = np.array([1, 0, 2, 0, 1]), np.array([0.5, 0.9, 0.5, 0.5, 0.1])
    tied = uc.evaluate(relevance, score, query=["q"] * 5, metrics=[name])[name].value
    values = []
    for order in permutations(range(3)):
        broken = score.copy()
        broken[[0, 2, 3]] += np.array(order) * 1e-6
        values.append(uc.evaluate(relevance, broken, query=["q"] * 5, metrics=[name])[name].value)
    assert tied == pytest.approx(np.mean(values), abs=1e-12)
