"""What the driver makes of columns from Spark, which come in any order: tables, bins, cases with all their scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._kernels import order_rows
from unconfuse.ingest import _spark_executor
from unconfuse.ingest.build_sample import unsquared
from unconfuse.table.counts import Array
from unconfuse.table.in_memory import InMemorySample
from unconfuse.table.score_table import ScoreTable

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class JointScoreCounts:
    """How much weight each class has at each combination of all models' scores (in each slice), in any order."""

    scores: Mapping[str, Array]
    positives: Array
    negatives: Array
    squares: tuple[Array, ...] = ()

    def table(self, model: str, own: Flags) -> ScoreTable:
        """Return the table of one model's scores, in some of the combinations."""
        return table_of(self.scores[model], (self.positives, self.negatives, *self.squares), own)

    def with_constants(self, scores: Mapping[str, float]) -> JointScoreCounts:
        """Return a copy with models added that give all cases the same score."""
        added = {model: np.full(len(self.positives), float(score)) for model, score in scores.items()}
        return replace(self, scores={**self.scores, **added})

    def cases(self, models: Iterable[str], thresholds: Mapping[str, float]) -> InMemorySample:
        """Return what occurs together as weighted cases, in an order that does not depend on how they came."""
        of_class = [np.flatnonzero(each) for each in (self.positives, self.negatives)]
        truth, at = np.repeat([True, False], [len(each) for each in of_class]), np.concatenate(of_class)
        scores = {model: self.scores[model][at] for model in models}
        order = np.argsort(_spark_executor.keys_of([truth, *scores.values()]))

        def weight(*columns: Array) -> Array:
            return np.concatenate([column[own] for column, own in zip(columns, of_class, strict=True)])[order]

        return InMemorySample(
            truth=truth[order],
            scores={model: score[order] for model, score in scores.items()},
            weights=weight(self.positives, self.negatives),
            squares=weight(*self.squares) if self.squares else None,
            thresholds=thresholds,
        )


def found_together(found: Mapping[str, Any], models: Iterable[str]) -> JointScoreCounts:
    """All models' scores as an answer holds them."""
    scores = {model: found[f"key{place}"] for place, model in enumerate(models)}
    squares = tuple(found[name] for name in ("squares1", "squares0") if name in found)
    return JointScoreCounts(scores, found["positives"], found["negatives"], squares)


def found_table(found: Mapping[str, Any], own: Flags) -> ScoreTable:
    """Return the table of some rows of an answer; if it holds bins, these come with their highest scores."""
    weights = tuple(found[name] for name in ("positives", "negatives", "squares1", "squares0") if name in found)
    if "high" not in found:
        return table_of(found["key"], weights, own)
    return table_of(found["low"], weights, own, found["high"])


def table_of(score: Array, weights: Sequence[Array], own: Flags, high: Array | None = None) -> ScoreTable:
    """Return the table of some rows of these columns, which come in any order; rows of one score are added up."""
    own = own & (weights[0] + weights[1] > 0)  # a score that only rows of weight 0 have is no score of the table
    if not own.all():
        score, weights, high = score[own], [weight[own] for weight in weights], None if high is None else high[own]
    order, ends = order_rows(score)
    first = np.append(0, ends[:-1]) if len(ends) else ends
    positives, negatives, *squares = (np.add.reduceat(weight[order], first) for weight in weights)
    if not all(np.isfinite(square).all() for square in squares):
        raise unsquared()
    low, highest = score[order[first]], None if high is None else high[order[first]]
    exact = highest is None or np.array_equal(low, highest)
    return ScoreTable.from_validated(low, positives, negatives, None if exact else highest, *squares)


def joined(table: ScoreTable, edges: Array) -> ScoreTable:
    """Build the table of bins from that of scores; edges, which are fewer, are looked up among the scores."""
    if not len(table):  # of rows without weight
        return table
    above = len(table) - np.searchsorted(table.score[::-1], edges, side="left")  # scores at or above each edge
    first = np.unique(np.append(0, above[above < len(table)]))
    last = np.append(first[1:], len(table)) - 1
    weights = (table.positives, table.negatives, *(table.squared_weights if table.is_sampled else ()))
    positives, negatives, *squares = (np.add.reduceat(weight, first) for weight in weights)
    low, high = table.score[last], table.score[first]
    return ScoreTable.from_validated(low, positives, negatives, None if np.array_equal(low, high) else high, *squares)
