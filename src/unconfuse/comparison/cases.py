"""The cases on which models are compared: what a comparison asks of them, and the answer where rows are at hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from unconfuse.comparison.replicates import Resampling, paired_replicates
from unconfuse.metrics import Metric
from unconfuse.table import Array, Scores, ScoreTable
from unconfuse.uncertainty.paired import InfluenceSums, row_influences

UNCUT = Resampling(0, 0, "cohort", {})  # before anything is asked of the cases


class Cases(Protocol):
    """Cases with the scores of several models."""

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        ...

    @property
    def n(self) -> float:
        """Weight of all cases."""
        ...

    @property
    def positives(self) -> float:
        """Weight of the positives."""
        ...

    @property
    def is_weighted(self) -> bool:
        """Whether rows stand for several cases."""
        ...

    @property
    def is_clustered(self) -> bool:
        """Whether cases belong to groups."""
        ...

    def with_constants(self, scores: Mapping[str, float]) -> Cases:
        """The same cases with models that give all of them the same score."""
        ...

    def cut_at(self, how: Resampling) -> Cases:
        """The same cases, labelled at these thresholds and resampled in this way."""
        ...

    def table(self, model: str) -> ScoreTable:
        """The score table of one model."""
        ...

    def influences(self, metric: Metric, pair: tuple[str, str]) -> InfluenceSums:
        """The cases' influences on a metric of both models, which declares its influence."""
        ...

    def discordant(self, pair: tuple[str, str], among: str) -> tuple[float, float, float]:
        """Cases that only the first, and only the second model labels right, and all cases that count."""
        ...

    def replicates(self, metrics: Iterable[Metric]) -> Mapping[str, Array]:
        """Replicates of shape (models, n_resamples) for each metric."""
        ...


@dataclass(frozen=True)
class NearCases:
    """Cases whose rows are in memory."""

    rows: Scores
    how: Resampling = UNCUT

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(self.rows.score)

    @cached_property
    def n(self) -> float:
        """Weight of all cases."""
        return float(len(self.rows) if self.rows.weights is None else self.rows.weights.sum())

    @cached_property
    def positives(self) -> float:
        """Weight of the positives."""
        weights, members = self.rows.weights, self.rows.is_positive
        return float(members.sum() if weights is None else weights[members].sum())

    @property
    def is_weighted(self) -> bool:
        """Whether rows stand for several cases."""
        return self.rows.weights is not None

    @property
    def is_clustered(self) -> bool:
        """Whether cases belong to groups."""
        return self.rows.groups is not None

    def with_constants(self, scores: Mapping[str, float]) -> NearCases:
        """The same cases with models that give all of them the same score."""
        rows = self.rows
        score = {**rows.score, **{name: np.full(len(rows), each) for name, each in scores.items()}}
        return NearCases(Scores(rows.is_positive, score, rows.weights, rows.groups, rows.positive_label), self.how)

    def cut_at(self, how: Resampling) -> NearCases:
        """The same cases, labelled at these thresholds and resampled in this way."""
        return NearCases(self.rows, how)

    @cached_property
    def _tables(self) -> dict[str, ScoreTable]:
        return {}

    def table(self, model: str) -> ScoreTable:
        """The score table of one model."""
        if model not in self._tables:
            self._tables[model] = self.rows.table(model)
        return self._tables[model]

    def influences(self, metric: Metric, pair: tuple[str, str]) -> InfluenceSums:
        """The cases' influences on a metric of both models, which declares its influence."""
        assert metric.influence is not None
        scores = [self.rows.score[each] for each in pair]
        return row_influences(metric.influence, self.rows.is_positive, scores, weights=self.rows.weights).sums()

    def discordant(self, pair: tuple[str, str], among: str) -> tuple[float, float, float]:
        """Cases that only the first, and only the second model labels right, and all cases that count."""
        rows = self.rows
        chosen = {"all": slice(None), "positives": rows.is_positive, "negatives": ~rows.is_positive}[among]
        first, second = (((rows.score[name] >= self.how.thresholds[name]) == rows.is_positive)[chosen] for name in pair)
        return float((first & ~second).sum()), float((second & ~first).sum()), float(len(first))

    def replicates(self, metrics: Iterable[Metric]) -> Mapping[str, Array]:
        """Replicates of shape (models, n_resamples) for each metric."""
        return paired_replicates(self.rows, metrics, self.how)
