"""Comparing models on cases that stay on a cluster: everything follows from sums over them.

Metrics with an influence function (AUROC and its kin, average precision, Brier) need sums of products of influences;
metrics of decisions need the number of cases with each pattern of labels, from which resamples are drawn here. Only the
rest, and data in groups, are resampled on the cluster, in bands of scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError
from unconfuse.comparison.cases import UNCUT, by_influence
from unconfuse.comparison.replicates import Resampling
from unconfuse.ingest._old import DistantRows, Draws, LabelPatterns
from unconfuse.metrics import Metric
from unconfuse.table import Array, Counts, ScoreTable
from unconfuse.uncertainty.bootstrap import values_of
from unconfuse.uncertainty.coarse import Places, band_ends, in_bands
from unconfuse.uncertainty.formulas import INFLUENCES
from unconfuse.uncertainty.influence import Influence, is_cohort
from unconfuse.uncertainty.paired import InfluenceSums

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class DistantCases:
    """Cases on a cluster; see `Cases`."""

    rows: DistantRows
    how: Resampling = UNCUT

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return self.rows.models

    @property
    def n(self) -> float:
        """Weight of all cases."""
        return self.rows.table().n

    @property
    def positives(self) -> float:
        """Weight of the positives."""
        return self.rows.table().n_positives

    @property
    def is_weighted(self) -> bool:
        """Whether rows stand for several cases."""
        return self.rows.is_weighted

    @property
    def is_clustered(self) -> bool:
        """Whether cases belong to groups."""
        return self.rows.is_clustered

    def with_constants(self, scores: Mapping[str, float]) -> DistantCases:
        """The same cases with models that give all of them the same score."""
        return DistantCases(self.rows.with_constants(scores), self.how) if scores else self

    def cut_at(self, how: Resampling) -> DistantCases:
        """The same cases, labelled at these thresholds and resampled in this way."""
        return DistantCases(self.rows, how)

    def table(self, model: str) -> ScoreTable:
        """The score table of one model."""
        return self.rows.table(model)

    def influences(self, name: str, pair: tuple[str, str]) -> InfluenceSums:
        """Sums of the cases' influences on a metric of both models."""
        return self._sums[name].of([self.models.index(each) for each in pair])

    def discordant(self, pair: tuple[str, str], among: str) -> tuple[float, float, float]:
        """Cases that only the first, and only the second model labels right, and all cases that count."""
        found = self._patterns
        first, second = (found.labelled[each] == found.is_positive for each in pair)
        members = {"positives": found.is_positive, "negatives": ~found.is_positive}.get(among, first | ~first)
        counted = found.weight * members
        return float(counted @ (first & ~second)), float(counted @ (second & ~first)), float(counted.sum())

    def replicates(self, metrics: Iterable[Metric]) -> Mapping[str, Array]:
        """Replicates of shape (models, n_resamples) for each metric."""
        wanted = list(metrics)
        labels = [each for each in wanted if each.of == "counts" and not self.is_clustered]
        formulas = [each for each in wanted if by_influence(each) and not self.is_clustered]
        others = [each for each in wanted if each not in labels and each not in formulas]
        if self.is_clustered and not is_cohort(self.how.design):
            raise ArgumentError("groups are resampled whole, whatever their class. Hint: use design='cohort'.")
        return self._by_labels(labels) | self._by_formula(formulas) | self._in_bands(others)

    @cached_property
    def _patterns(self) -> LabelPatterns:
        return self.rows.label_patterns(self.how.thresholds)

    @cached_property
    def _sums(self) -> Mapping[str, InfluenceSums]:
        """Of every metric that has an influence function, from one pass over the cases."""
        found = {name: {model: of(self.table(model)) for model in self.models} for name, of in INFLUENCES.items()}
        means = {(name, model): _class_means(each) for name, of in found.items() for model, each in of.items()}
        worth = {
            model: {
                name: (of[model].positive - means[name, model][0], of[model].negative - means[name, model][1])
                for name, of in found.items()
            }
            for model in self.models
        }
        products = self.rows.products(worth)
        size = self.rows.table().n_positives, self.rows.table().n_negatives
        return {
            name: InfluenceSums(
                np.array([float(of[model].value) for model in self.models]),
                size,
                _columns([means[name, model] for model in self.models]),
                (products.positive[name], products.negative[name]),
            )
            for name, of in found.items()
        }

    def _by_labels(self, metrics: list[Metric]) -> dict[str, Array]:
        """Drawing cases one by one is drawing how many come from each pattern of labels."""
        if not metrics:
            return {}
        found, generator = self._patterns, np.random.default_rng(self.how.seed)
        drawn = np.zeros((self.how.n_resamples, len(found.weight)))
        cohort = is_cohort(self.how.design)
        for members in [slice(None)] if cohort else [found.is_positive, ~found.is_positive]:
            weight = found.weight[members]
            drawn[:, members] = generator.multinomial(round(weight.sum()), weight / weight.sum(), len(drawn))
        counts = {model: _counts(drawn, found.is_positive, found.labelled[model]) for model in self.models}
        return {each.name: np.array([each(counts[model]) for model in self.models]) for each in metrics}

    def _by_formula(self, metrics: list[Metric]) -> dict[str, Array]:
        """Draws from the normal distribution that the influences say the metrics have."""
        replicates = {}
        for each in metrics:
            name, scale, shift = ("auroc", 2.0, -1.0) if each.name == "gini" else (each.name, 1.0, 0.0)
            sums, generator = self._sums[name], np.random.default_rng(self.how.seed)
            covariance = np.nan_to_num(sums.covariance(design=self.how.design))
            drawn = generator.multivariate_normal(sums.value, covariance, self.how.n_resamples, method="eigh")
            replicates[each.name] = scale * drawn.T + shift
        return replicates

    def _in_bands(self, metrics: list[Metric]) -> dict[str, Array]:
        """Any metric: resampled tables of bands of scores, made on the cluster, give the spread about the value."""
        if not metrics:
            return {}
        ends = {model: self._ends(model) for model in self.models}
        lowest = {model: self.table(model).score[each] for model, each in ends.items()}
        drawn = self.rows.replicates(lowest, Draws(self.how.n_resamples, self.how.seed))
        values: dict[str, list[Array]] = {each.name: [] for each in metrics}
        for model in self.models:
            table, cut = self.table(model), self.how.thresholds[model]
            small = in_bands(table, ends[model])
            stack = self._at_design(ScoreTable(small.score, *drawn[model]))
            for each in metrics:
                shift = values_of(each, table, cut) - values_of(each, small, cut)
                values[each.name].append(values_of(each, stack, cut) + shift)
        return {name: np.array(found) for name, found in values.items()}

    def _ends(self, model: str) -> Places:
        """The last block of each band; one band ends at the threshold, so that decisions stay exact."""
        table = self.table(model)
        labelled = int(np.searchsorted(-table.score, -self.how.thresholds[model], side="right"))
        return np.unique(np.append(band_ends(table), labelled - 1 if labelled else len(table) - 1))

    def _at_design(self, stack: ScoreTable) -> ScoreTable:
        """Class sizes vary from resample to resample in a cohort; a case-control study fixed them."""
        if is_cohort(self.how.design):
            return stack
        sizes = self.rows.table().n_positives, self.rows.table().n_negatives
        fixed = [
            weights * (size / weights.sum(axis=-1, keepdims=True))
            for weights, size in zip((stack.positives, stack.negatives), sizes, strict=True)
        ]
        return ScoreTable(stack.score, *fixed)


def _class_means(influence: Influence) -> tuple[float, float]:
    table = influence.table
    return (
        float(influence.positive @ table.positives / table.n_positives),
        float(influence.negative @ table.negatives / table.n_negatives),
    )


def _columns(means: list[tuple[float, float]]) -> tuple[Array, Array]:
    positive, negative = np.array(means).T
    return positive, negative


def _counts(drawn: Array, is_positive: Flags, labelled: Flags) -> Counts:
    cells = (is_positive & labelled, ~is_positive & labelled, is_positive & ~labelled, ~is_positive & ~labelled)
    tp, fp, fn, tn = (drawn @ each for each in cells)
    return Counts(tp=tp, fp=fp, fn=fn, tn=tn)
