"""Metrics of rankings for queries: one value for each query, and their mean.

Definitions are those of trec_eval, pytrec_eval and ir_measures. Two rules where tools differ:

- documents with equal scores count as if lots were drawn, on average (McSherry & Najork 2008), so that no value depends
  on the order of rows; trec_eval sorts them by name;
- a query without relevant documents counts as 0, as in those tools, and the estimate says how many there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import short_repr
from unconfuse._validate import check_list, check_text, check_whole, public_api
from unconfuse.metrics import Metric, Registry, call_factory, key_of
from unconfuse.metrics._metric import WholeSummary, made, ratio
from unconfuse.table import Array, summed
from unconfuse.table.multi_output import QuerySample

_CORMACK = "Voorhees & Harman (2005), TREC: Experiment and Evaluation in Information Retrieval."
_TIES = " Equal scores count as the mean over their random orders."
_RANKING = Callable[["RankedQuery"], Array]
USUAL_CUT = 10


class RankedQuery(NamedTuple):
    """The retrieved documents of all queries, best first within each, and what a tie makes of them.

    Of each document: its query, relevance, place (from 1), the first place of its tie, how many are tied, how many of
    those are relevant, their mean relevance, and how many relevant ones come before the tie. Of each query: how many
    relevant documents it has, retrieved or not; and the relevances of all, best first, with their places.
    """

    queries: int
    code: Any
    place: Array
    begin: Array
    tied: Array
    hits: Array
    gain: Array
    before: Array
    relevant: Array
    ideal_code: Any
    ideal_gain: Array
    ideal_place: Array


def ranked(sample: QuerySample) -> RankedQuery:
    """Return the rankings of the only model, made once."""
    return sample.once(("ranked", sample.only_model), partial(_ranked, sample))  # type: ignore[no-any-return]


def _ranked(sample: QuerySample) -> RankedQuery:
    score, size = sample.scores[sample.only_model], len(sample)
    relevant: Array = np.bincount(sample.code, weights=sample.relevance > 0, minlength=size).astype(np.float64)
    best = np.lexsort((-sample.relevance, sample.code))
    ideal = _places(sample.code[best])
    kept = np.flatnonzero(score > -np.inf)
    order = kept[np.lexsort((-score[kept], sample.code[kept]))]
    code, own, gain = sample.code[order], score[order], sample.relevance[order]
    new = np.r_[True, (code[1:] != code[:-1]) | (own[1:] != own[:-1])] if len(code) else np.zeros(0, dtype=np.bool_)
    tie = np.cumsum(new) - 1
    places = _places(code)
    begin = places[new][tie] if len(code) else places
    tied, hits, gains = (
        np.bincount(tie, weights=each)[tie] if len(code) else np.zeros(0)
        for each in (np.ones(len(code)), (gain > 0).astype(np.float64), gain)
    )
    seen: Any = np.cumsum(gain > 0) - (gain > 0)
    first = np.r_[0, np.flatnonzero(code[1:] != code[:-1]) + 1] if len(code) else np.zeros(0, dtype=np.int64)
    start = np.zeros(size)
    start[code[first]] = seen[first] if len(code) else 0
    before = (seen[new][tie] if len(code) else seen) - start[code]
    return RankedQuery(
        size,
        code,
        places,
        begin,
        tied,
        hits,
        ratio(gains, tied),
        before,
        relevant,
        sample.code[best],
        sample.relevance[best],
        ideal,
    )


def _places(code: Any) -> Array:
    """Places from 1 within each query, of rows that are sorted by query."""
    starts = np.r_[True, code[1:] != code[:-1]] if len(code) else np.zeros(0, dtype=np.bool_)
    first = np.maximum.accumulate(np.where(starts, np.arange(len(code)), 0)) if len(code) else np.zeros(0)
    return np.asarray(np.arange(len(code)) - first + 1.0)


def _mean(function: _RANKING, sample: QuerySample) -> WholeSummary:
    """Return the mean over queries; each moves it by its distance from it."""
    known = ranked(sample)
    values = function(known)
    n = sample.n
    value = summed(sample.weight * values) / n
    empty = int((known.relevant == 0).sum())
    note = f"{empty:,} without a relevant document count{'s' if empty == 1 else ''} as 0" if empty else ""
    return WholeSummary(value, (values - value) / n, note, cases=n)


def values_of(metric: Metric, sample: QuerySample) -> Array:
    """Return the value of each query."""
    return np.asarray(metric.value.args[0](ranked(sample)))  # type: ignore[attr-defined]


def _by_query(name: str, function: _RANKING, **declared: Any) -> Metric:
    usual: dict[str, Any] = {"of": "queries", "range": (0.0, 1.0), "undefined": "there are no queries"}
    return made(name, partial(_mean, function), None, **(usual | declared))


def _average_precision(known: RankedQuery) -> Array:
    """Precision at each place that may hold a relevant document, by the chance that it does."""
    within = known.place - known.begin
    chance = known.hits / known.tied
    others = within * ratio(known.hits - 1, np.maximum(known.tied - 1, 1))
    precision = (known.before + 1 + others) / known.place
    sums = np.bincount(known.code, weights=chance * precision, minlength=known.queries)
    return np.nan_to_num(ratio(sums, known.relevant))


def _discounted(gain: Array, place: Array, code: Array, queries: int, most: float) -> Array:
    worth = np.where(place <= most, gain / np.log2(place + 1), 0.0)
    return np.bincount(code, weights=worth, minlength=queries).astype(np.float64)


def _ndcg(most: float, known: RankedQuery) -> Array:
    own = _discounted(known.gain, known.place, known.code, known.queries, most)
    best = _discounted(known.ideal_gain, known.ideal_place, known.ideal_code, known.queries, most)
    return np.nan_to_num(ratio(own, best))


def _reciprocal_rank(known: RankedQuery) -> Array:
    out = np.zeros(known.queries)
    first = (known.before == 0) & (known.hits > 0)
    alone = first & (known.tied == known.hits)  # the first of the tie is relevant
    begins = alone & (known.place == known.begin)
    out[known.code[begins].astype(np.intp)] = 1 / known.place[begins]
    for at in np.flatnonzero(first & ~alone & (known.place == known.begin)):
        tied, hits, begin = int(known.tied[at]), int(known.hits[at]), int(known.begin[at])
        ways = [math.comb(tied - i, hits - 1) / math.comb(tied, hits) for i in range(1, tied - hits + 2)]
        out[int(known.code[at])] = math.fsum(way / (begin + i) for i, way in enumerate(ways))
    return out


def _precision_at(most: int, known: RankedQuery) -> Array:
    share = np.where(known.place <= most, known.hits / known.tied, 0.0)
    return np.asarray(np.bincount(known.code, weights=share, minlength=known.queries) / most)


average_precision = _by_query(
    "average_precision",
    _average_precision,
    label="Mean average precision (MAP)",
    question=(
        "Of the documents ranked at least as high as a relevant one, what share is relevant, averaged "
        "over the query's relevant documents and over the queries?"
    ),
    aliases=("map", "mean_average_precision", "ap"),
    formula=r"\frac1Q \sum_q \frac1{R_q} \sum_{k: \text{relevant}} P_q(k)",
    misleads=f"It does not count relevant documents that are missing from the rows.{_TIES}",
    references=(_CORMACK, "McSherry & Najork (2008), ECIR: Computing information retrieval performance with ties."),
)
ndcg = _by_query(
    "ndcg",
    partial(_ndcg, np.inf),
    label="nDCG",
    question="How much of the gain of the best possible order does the ranking keep, if later places count less?",
    aliases=("normalized_discounted_cumulative_gain",),
    formula=r"\frac1Q \sum_q \frac{\sum_k g_{qk}/\log_2(k+1)}{\sum_k g^*_{qk}/\log_2(k+1)}",
    misleads=f"The gain is the relevance itself, as in trec_eval; other tools take 2^g - 1.{_TIES}",
    references=("Jarvelin & Kekalainen (2002), ACM TOIS 20:422.",),
)
reciprocal_rank = _by_query(
    "reciprocal_rank",
    _reciprocal_rank,
    label="Mean reciprocal rank (MRR)",
    question="How early does the first relevant document come?",
    aliases=("mrr", "mean_reciprocal_rank", "rr"),
    formula=r"\frac1Q \sum_q 1/k_q",
    misleads=f"From place 1 to 2 it falls as far as from 2 to the very end.{_TIES}",
    references=(_CORMACK,),
)


@public_api
def ndcg_at(k: int) -> Metric:
    """Return nDCG over the first k places of each query's ranking.

    Examples
    --------
    >>> import unconfuse as uc
    >>> ev = uc.evaluate([2, 0, 1, 0], [.3, .9, .2, .1], query=["a", "a", "b", "b"], metrics=[uc.ndcg_at(1)])
    >>> ev["ndcg_at(1)"].value
    0.5
    """
    most = check_whole(k, "k", at_least=1)
    return _by_query(
        f"ndcg_at({most})",
        partial(_ndcg, most),
        label=f"nDCG at {most}",
        question=f"How much of the gain of the best possible first {most} does the ranking keep?",
        formula=rf"\frac1Q \sum_q \mathrm{{DCG}}_q({most}) / \mathrm{{DCG}}^*_q({most})",
        misleads=f"The gain is the relevance itself, as in trec_eval; other tools take 2^g - 1.{_TIES}",
        references=("Jarvelin & Kekalainen (2002), ACM TOIS 20:422.",),
    )


def precision_at_place(k: int) -> Metric:
    """Return the share of relevant documents among the first k of each query, `precision_at_k(k)` there."""
    if isinstance(k, float) and not float(k).is_integer():
        raise ArgumentError(f"of queries, precision_at_k takes a number of documents; got {k}. Hint: `k=10`.")
    most = check_whole(int(k), "k", at_least=1)
    return _by_query(
        f"precision_at_k({most})",
        partial(_precision_at, most),
        label=f"Precision at {most}",
        question=f"What share of the first {most} documents of a query is relevant?",
        formula=rf"\frac1Q \sum_q \frac1{{{most}}} \sum_{{k \le {most}}} [g_{{qk}} > 0]",
        misleads=f"It divides by {most} even where fewer documents were retrieved or are relevant.{_TIES}",
        references=(_CORMACK,),
    )


QUERY_METRICS = Registry([average_precision, ndcg, ndcg_at(USUAL_CUT), reciprocal_rank, precision_at_place(USUAL_CUT)])
_FACTORIES: dict[str, Callable[..., Metric]] = {
    "ndcg_at": ndcg_at,
    "ndcg": ndcg_at,
    "precision_at_k": precision_at_place,
    "precision_at": precision_at_place,
    "p": precision_at_place,
}


def found(wanted: str | Metric) -> Metric:
    """Return a metric of queries by its name.

    >>> found("MRR").name, found("ndcg@5").name, found("P@20").name, found("precision_at_k(3)").name
    ('reciprocal_rank', 'ndcg_at(5)', 'precision_at_k(20)', 'precision_at_k(3)')
    """
    name = wanted.name if isinstance(wanted, Metric) else check_text(wanted, "metric")
    if isinstance(wanted, Metric) and wanted.of == "queries":
        return wanted
    if name in QUERY_METRICS:
        return QUERY_METRICS[name]
    head, _, rest = name.replace("@", "(").partition("(")
    factory = next((each for each in _FACTORIES if key_of(each) == key_of(head)), None)
    if factory and rest:
        return call_factory(f"{factory}({rest.rstrip(')')})", _FACTORIES[factory])
    known = [*QUERY_METRICS.known_names(), "ndcg_at(5)", "precision_at_k(5)"]
    raise ArgumentError(f"unknown metric {short_repr(name)} of queries. {did_you_mean(name, known)}")


def available(wanted: Iterable[str | Metric] | None) -> tuple[Metric, ...]:
    """Return the metrics wanted, or all."""
    if wanted is None:
        return tuple(QUERY_METRICS.values())
    names: Sequence[Any] = [wanted] if isinstance(wanted, str | Metric) else check_list(wanted, "metrics")
    return tuple(found(name) for name in names)
