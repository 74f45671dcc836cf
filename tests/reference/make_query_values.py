"""Makes query_values.json: rankings per query as ir_measures (over pytrec_eval) judges them. Run it as a script.

    pip install ir_measures pytrec_eval-terrier

The data have no tied scores, where tools break ties each in their own way; some queries have no relevant document, some
relevant documents were not retrieved (minus infinity).
"""

import json
import random
from pathlib import Path

import ir_measures
from ir_measures import AP, RR, P, nDCG

MEASURES = {"average_precision": AP, "ndcg": nDCG, "reciprocal_rank": RR}
MEASURES |= {f"ndcg_at({k})": nDCG @ k for k in (1, 3, 10)}
MEASURES |= {f"precision_at_k({k})": P @ k for k in (1, 5, 20)}


def rankings(seed: int, queries: int, most: int) -> list[dict]:
    draw = random.Random(seed)
    rows = []
    for query in range(queries):
        size = draw.randint(1, most)
        for document, score in enumerate(draw.sample(range(10_000), size)):
            relevance = 0 if query % 7 == 3 else draw.choice([0, 0, 0, 1, 1, 2, 3])
            retrieved = draw.random() < 0.9
            rows.append({"query": f"q{query}", "document": f"d{document}", "relevance": relevance})
            rows[-1]["score"] = score / 10_000 if retrieved else None
    return rows


def judged(rows: list[dict]) -> dict:
    truths = [ir_measures.Qrel(row["query"], row["document"], row["relevance"]) for row in rows]
    run = [
        ir_measures.ScoredDoc(row["query"], row["document"], row["score"]) for row in rows if row["score"] is not None
    ]
    names = {str(measure): name for name, measure in MEASURES.items()}
    means = ir_measures.calc_aggregate(list(MEASURES.values()), truths, run)
    by_query: dict = {name: {} for name in MEASURES}
    for each in ir_measures.iter_calc(list(MEASURES.values()), truths, run):
        by_query[names[str(each.measure)]][each.query_id] = each.value
    return {"mean": {names[str(measure)]: value for measure, value in means.items()}, "by_query": by_query}


if __name__ == "__main__":
    cases = []
    for seed, queries, most in ((1, 5, 4), (2, 12, 30), (3, 40, 12)):
        rows = rankings(seed, queries, most)
        cases.append({"rows": rows, **judged(rows)})
    made = {"by": f"ir_measures {ir_measures.__version__}", "cases": cases}
    Path(__file__).with_name("query_values.json").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
