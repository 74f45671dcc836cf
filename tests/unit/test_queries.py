"""Documents ranked for queries: averages and intervals over queries, comparisons, sources, refusals."""

import math
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import unconfuse as uc


def world(queries=40, size=15, seed=0):
    rng = np.random.default_rng(seed)
    relevance = rng.choice([0, 0, 0, 1, 2], queries * size)
    difficulty = np.repeat(rng.normal(size=queries), size)
    score = relevance * np.exp(difficulty / 2) + rng.normal(size=queries * size)
    return relevance, score, np.repeat(np.arange(queries), size)


REL, SCORE, QUERY = world()


def test_the_mean_over_queries_and_its_interval():
    found = uc.evaluate(REL, SCORE, query=QUERY)
    values = np.array(list(found.per_query("average_precision").values()))
    own = found["average_precision"]
    assert own.value == pytest.approx(values.mean())
    assert own.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(len(values)))
    assert own.low < own.value < own.high
    assert found["MRR"] is found["reciprocal_rank"] and "ndcg_at(3)" not in found
    assert found["ndcg@3"].value == pytest.approx(np.mean(list(found.per_query("ndcg_at(3)").values())))
    assert found["precision_at_k(1)"].value == pytest.approx(found["P@1"].value)


def test_rows_in_any_order_and_names_of_any_kind():
    order = np.random.default_rng(2).permutation(len(REL))
    one = uc.evaluate(REL, SCORE, query=QUERY)
    other = uc.evaluate(REL[order], SCORE[order], query=[f"q{each}" for each in QUERY[order]])
    for name in one:
        assert (one[name].value, one[name].high) == pytest.approx((other[name].value, other[name].high), abs=1e-12)


def test_sources_agree(tmp_path):
    frame = pd.DataFrame({"qid": QUERY, "relevance": REL, "bm25": SCORE, "dense": -SCORE, "kind": QUERY % 2})
    told = uc.evaluate(REL, SCORE, query=QUERY)["ndcg"]
    frame.to_csv(tmp_path / "run.csv", index=False)
    path = str(tmp_path / "run.csv")
    for found in (
        uc.evaluate(frame, label="relevance", score="bm25", query="qid"),
        uc.evaluate(path, score="bm25", query="qid"),
        uc.evaluate(uc.Data(path, label="relevance", score="bm25", query="qid")),
    ):
        assert found["ndcg"].value == pytest.approx(told.value, abs=1e-12)
    asked = [sys.executable, "-m", "unconfuse", "evaluate", path, "--score", "bm25", "--query", "qid"]
    assert "40 queries" in subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    parts = uc.evaluate(frame, score="bm25", query="qid", by="kind").subgroups
    even = QUERY % 2 == 0
    assert parts["0"]["ndcg"].value == uc.evaluate(REL[even], SCORE[even], query=QUERY[even])["ndcg"].value
    both = uc.compare(frame, label="relevance", score=["bm25", "dense"], query="qid")
    assert both["ndcg", "bm25", "dense"].verdict == "better"


def test_differences_are_paired():
    other = SCORE + 0.3 * np.random.default_rng(1).normal(size=len(SCORE))
    found = uc.compare(REL, {"a": SCORE, "b": other}, query=QUERY, metrics=["ndcg"])["ndcg", "a", "b"]
    one, two = (np.array(list(uc.evaluate(REL, s, query=QUERY).per_query("ndcg").values())) for s in (SCORE, other))
    assert found.difference.value == pytest.approx((one - two).mean())
    assert found.difference.standard_error == pytest.approx((one - two).std(ddof=1) / np.sqrt(len(one)))
    alone = uc.evaluate(REL, SCORE, query=QUERY)["ndcg"]
    assert found.difference.high - found.difference.low < alone.high - alone.low
    assert uc.gate(REL, other, SCORE, query=QUERY, metrics=["ndcg"], margin=0.2).verdict == "pass"


def test_queries_without_relevant_documents_and_documents_not_retrieved():
    relevance, score, query = [1, 0, 0, 0, 1, 1], [0.9, 0.1, 0.3, 0.2, -math.inf, 0.5], list("aabbcc")
    found = uc.evaluate(relevance, score, query=query)
    assert found.per_query("average_precision") == {"a": 1.0, "b": 0.0, "c": 0.5}
    assert "1 without a relevant document counts as 0" in found["average_precision"].conditions
    assert any("without them" in each.sentence and "0.750" in each.sentence for each in found.findings)
    nothing = uc.evaluate([0, 0, 0], [0.1, 0.2, 0.3], query=list("aab"))
    assert nothing["ndcg"].value == 0 and nothing["ndcg"].high < 1


def test_perfect_and_single():
    perfect = uc.evaluate(REL, REL.astype(float), query=QUERY)["ndcg"]
    assert perfect.value == 1 and 0.8 < perfect.low < 1
    one = uc.evaluate([1, 0], [0.2, 0.1], query=["a", "a"])["ndcg"]
    assert one.value == 1 and math.isnan(one.low)


def test_results_can_be_kept():
    found = uc.evaluate(REL, SCORE, query=QUERY)
    assert pickle.loads(pickle.dumps(found))["ndcg_at(7)"].value == found["ndcg_at(7)"].value
    assert list(found.worst("ndcg", 3)) == sorted(found.per_query("ndcg"), key=found.per_query("ndcg").get)[:3]
    assert set(found.to_frame()["metric"]) == set(found)


REFUSED = {
    "negative relevance": lambda: uc.evaluate(-REL, SCORE, query=QUERY),
    "half a relevance": lambda: uc.evaluate(REL / 2, SCORE, query=QUERY),
    "missing score": lambda: uc.evaluate(REL, np.where(SCORE > 2, np.nan, SCORE), query=QUERY),
    "missing query": lambda: uc.evaluate(REL, SCORE, query=[None, *QUERY[1:]]),
    "another length": lambda: uc.evaluate(REL, SCORE, query=QUERY[:5]),
    "weights": lambda: uc.evaluate(REL, SCORE, query=QUERY, weights=np.ones(len(REL))),
    "groups": lambda: uc.evaluate(REL, SCORE, query=QUERY, groups=QUERY),
    "threshold": lambda: uc.evaluate(REL, SCORE, query=QUERY, threshold=0.5),
    "a share": lambda: uc.evaluate(REL, SCORE, query=QUERY, metrics=["precision_at_k(.1)"]),
    "auroc": lambda: uc.evaluate(REL, SCORE, query=QUERY, metrics=["auroc"]),
    "k of 0": lambda: uc.ndcg_at(0),
    "two subgroups": lambda: uc.evaluate(REL, SCORE, query=QUERY, by=np.arange(len(REL)) % 2),
    "a page in a data file": lambda: uc.evaluate(REL, SCORE, query=QUERY).report("a.csv"),
    "another verb": lambda: uc.score_table(REL > 0, SCORE, query=QUERY),
    "no column": lambda: uc.evaluate(pd.DataFrame({"y": [1, 0], "p": [0.1, 0.2]}), query="qid"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(what):
    with pytest.raises(uc.UnconfuseError) as refusal:
        REFUSED[what]()
    assert len(str(refusal.value)) > 20
