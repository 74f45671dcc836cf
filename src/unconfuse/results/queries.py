"""What an evaluation of rankings for queries says: averages over queries, and the queries that are worst."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from unconfuse._formatting import number_text
from unconfuse._render_mixins import PlotMixin
from unconfuse._validate import public_api
from unconfuse.metrics import Metric
from unconfuse.metrics.query_ranking import found, ranked, values_of
from unconfuse.policy import Verdict
from unconfuse.results.multi_output import MultiOutputEvaluation
from unconfuse.table.multi_output import QuerySample
from unconfuse.uncertainty.estimate import Estimate, Finding

_FEW = 20  # queries


@public_api
@dataclass(frozen=True, repr=False, eq=False)
class QueryEvaluation(PlotMixin, MultiOutputEvaluation):
    """Averages over queries of how well documents are ranked, with intervals over queries.

    A query is one case: its documents go together. Computed when asked for: `ev["ndcg_at(5)"]`,
    `ev["precision_at_k(3)"]`.

    Attributes
    ----------
    sample : QuerySample
    settings : Design
    metrics : tuple of Metric
    estimates : mapping of name to Estimate
    name, source : str

    Examples
    --------
    >>> import unconfuse as uc
    >>> ev = uc.evaluate([1, 0, 0, 2, 0, 1], [.9, .4, .1, .3, .8, .2], query=["a", "a", "a", "b", "b", "b"])
    >>> ev["reciprocal_rank"].value
    0.75
    >>> ev.per_query("average_precision")
    {'a': 1.0, 'b': 0.5833333333333333}
    """

    picture: ClassVar[str] = "plot_estimates"

    sample: QuerySample

    first: ClassVar[tuple[str, ...]] = (
        "average_precision",
        "ndcg",
        "ndcg_at(10)",
        "reciprocal_rank",
        "precision_at_k(10)",
    )

    def _metric(self, name: str) -> Metric:
        return found(name)

    @property
    def queries(self) -> tuple[str, ...]:
        """Names of the queries."""
        return self.sample.queries

    @property
    def drawn_estimates(self) -> dict[str, Estimate]:
        """What the picture shows: each average by its name."""
        return {estimate.label: estimate for estimate in self.estimates.values()}

    def per_query(self, metric: str | Metric) -> dict[str, float]:
        """Return each query's own value."""
        values = values_of(found(metric), self.sample)
        return dict(zip(self.queries, values.tolist(), strict=True))

    def worst(self, metric: str | Metric, n: int = 10) -> dict[str, float]:
        """Return the queries with the lowest values, the worst first."""
        return dict(sorted(self.per_query(metric).items(), key=lambda item: (item[1], item[0]))[:n])

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What the averages rest on, in plain words."""
        told = [self._spread(), self._empty()]
        if len(self.queries) < _FEW:
            words = f"{len(self.queries)} {'query is' if len(self.queries) == 1 else 'queries are'} few: "
            words += "the intervals are of other queries like these."
            told.append(Finding("few queries", Verdict.CANNOT_TELL, words, {"queries": len(self.queries)}))
        return tuple(finding for finding in told if finding is not None)

    def _spread(self) -> Finding:
        metric = self.metrics[0]
        values, estimate = values_of(metric, self.sample), self[metric.name]
        none = int((values == 0).sum())
        words = f"{estimate.label} is {number_text(estimate.value)} {estimate.interval_text}".rstrip()
        words += f" over {len(values):,} queries"
        words += f"; half of them have {number_text(float(np.median(values)))} or less"
        words += f", {none:,} {'has' if none == 1 else 'have'} 0." if none else "."
        return Finding("mean over queries", "described", words, {"value": estimate.value, "zero": none})

    def _empty(self) -> Finding | None:
        relevant = ranked(self.sample).relevant
        empty = int((relevant == 0).sum())
        if not empty:
            return None
        metric = self.metrics[0]
        rest = float(values_of(metric, self.sample)[relevant > 0].mean()) if empty < len(relevant) else np.nan
        words = f"{empty:,} of {len(relevant):,} queries have no relevant document and count as 0, as in trec_eval"
        words += "." if np.isnan(rest) else f"; without them {metric.label} is {number_text(rest)}."
        return Finding("queries without relevant documents", "described", words, {"queries": empty, "without": rest})

    def _more(self) -> dict[str, Any]:
        return {"queries": len(self.queries), "documents": len(self.sample.code)}
