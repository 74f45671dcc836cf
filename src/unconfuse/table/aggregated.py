"""A sample of which only tables and sums are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.table.cells import ConfusionCells
from unconfuse.table.counts import Array, Counts
from unconfuse.table.sample import ClassSums, JointCounts, Sample, Worth, needs_rows
from unconfuse.table.sampling import Sampling, Weighted
from unconfuse.table.score_table import ScoreTable, effective_sample_size


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AggregatedSample(Sample):
    """Cases of which only tables and sums are known: rows that were added up before, or a table that was given.

    Sources that can add up more of their rows when asked (a cluster) override the questions that are refused here.

    Attributes
    ----------
    tables : mapping of model to tuple of ScoreTable
        Of the positive class, or of each class against the rest.
    matrices : mapping of model to array of shape (K, K)
        Decisions by true and predicted class, where there are several classes or no scores.
    losses : mapping of name to Moments
        What was added up over the cases of several classes: `log_loss` and `brier`.
    divided, folded, placed : mapping of subgroup, of fold or of site to Sample
    reason : str
        Why the scores of several classes cannot be probabilities, or nothing.
    """

    tables: Mapping[str, tuple[ScoreTable, ...]] = field(default_factory=dict)
    matrices: Mapping[str, Array] = field(default_factory=dict)
    losses: Mapping[str, ClassSums] = field(default_factory=dict)
    divided: Mapping[str, Sample] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    folded: Mapping[str, Sample] = field(default_factory=dict)
    placed: Mapping[str, Sample] = field(default_factory=dict)
    reason: str = ""
    is_weighted: bool = False
    has_fractions: bool = False

    @classmethod
    def of_table(cls, table: ScoreTable, name: str = "score") -> AggregatedSample:
        """One table of a yes-or-no question."""
        return cls(tables={name: (table,)}, is_weighted=True)

    @classmethod
    def of_counts(cls, counts: Counts, name: str = "score") -> AggregatedSample:
        """Four counts, without scores."""
        return cls(matrices={name: ConfusionCells.from_counts(counts).matrix()})

    def _drawn_by(self) -> Sampling:
        return Weighted(self.fixed_classes) if self.is_sampled else super()._drawn_by()

    def with_design(self, fixed_classes: bool) -> Self:
        if fixed_classes == self.fixed_classes:
            return self
        divided, folded = (
            {name: sample.with_design(fixed_classes) for name, sample in slices.items()}
            for slices in (self.divided, self.folded)
        )
        return self.derive(fixed_classes=fixed_classes, divided=divided, folded=folded)

    @property
    def aggregated(self) -> AggregatedSample:
        return self

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.tables, *self.matrices]))

    @property
    def sizes(self) -> Array:
        name = self.models[0]
        if name in self.matrices:
            return np.asarray(self.matrices[name].sum(axis=1), dtype=np.float64)
        first = self.tables[name][0]
        return np.array([first.n_negatives, first.n_positives])

    @property
    def is_sampled(self) -> bool:
        return any(score_table.is_sampled for table in self.tables.values() for score_table in table)

    @property
    def effective_sizes(self) -> Array:
        if not self.is_sampled:
            return self.sizes
        table = self.table(self.models[0])
        return np.array(
            [
                effective_sample_size(table.negatives, table.squared_weights[1]),
                effective_sample_size(table.positives, table.squared_weights[0]),
            ]
        )

    @property
    def has_scores(self) -> bool:
        return bool(self.tables)

    def has_scores_of(self, model: str | None = None) -> bool:
        return self.resolve_model(model) in self.tables

    def has_decisions_of(self, model: str | None = None) -> bool:
        name = self.resolve_model(model)
        return name in self.matrices or name in self.thresholds

    def reweighted(self, positive: float, negative: float) -> AggregatedSample:
        factors = np.array(positive), np.array(negative)
        tables = {
            name: tuple(score_table.scaled(*factors) for score_table in table) for name, table in self.tables.items()
        }
        rows = np.array([[negative], [positive]])
        return self.derive(tables=tables, matrices={name: matrix * rows for name, matrix in self.matrices.items()})

    def select_model(self, model: str) -> AggregatedSample:
        tables = {name: table for name, table in self.tables.items() if name == model}
        return self.derive(tables=tables, matrices={name: m for name, m in self.matrices.items() if name == model})

    def without_subgroups(self) -> AggregatedSample:
        return self.derive(divided={}, by=(), folded={}, placed={})

    def by_subgroup(self) -> Mapping[str, Sample]:
        return self.divided

    def with_thresholds(
        self, thresholds: float | Mapping[str, float], origin: str | Mapping[str, str] | None = None
    ) -> Self:
        cut = super().with_thresholds(thresholds, origin)
        divided, folded, placed = (
            {name: sample.with_thresholds(cut.thresholds, cut.threshold_sources) for name, sample in slices.items()}
            for slices in (self.divided, self.folded, self.placed)
        )
        others = {name: matrix for name, matrix in self.matrices.items() if name not in cut.thresholds}
        return cut.derive(divided=divided, folded=folded, placed=placed, matrices=others)

    @property
    def has_folds(self) -> bool:
        return bool(self.folded)

    def pooled(self) -> AggregatedSample:
        return self.derive(folded={})

    def by_fold(self) -> Mapping[str, Sample]:
        return self.folded

    def site_parts(self) -> Mapping[str, Sample]:
        return self.placed

    def unplaced(self) -> AggregatedSample:
        return self.derive(placed={})

    def table(self, model: str | None = None, k: int | None = None) -> ScoreTable:
        name = self.resolve_model(model)
        if name not in self.tables:
            raise ArgumentError("this needs the scores, not only decisions. Hint: use `evaluate`.")
        return self.tables[name][(1 if k is None else k) if self.is_multiclass else 0]

    def cells(self, model: str | None = None) -> ConfusionCells:
        name = self.resolve_model(model)
        if name in self.matrices:
            return ConfusionCells.from_matrix(self.matrices[name])
        return ConfusionCells.from_counts(self.counts(name))

    def counts(self, model: str | None = None, k: int = 1) -> Counts:
        name = self.resolve_model(model)
        if name in self.matrices:
            return self.cells(name).one_vs_rest(k)
        return self.table(name).at_midpoints().counts_at(self.thresholds[name])

    def squared_counts(self, model: str | None = None) -> Counts:
        if not self.is_sampled:
            return self.counts(model)
        name = self.resolve_model(model)
        table = self.table(name).at_midpoints()
        return ScoreTable.from_validated(table.score, *table.squared_weights).counts_at(self.thresholds[name])

    def one_vs_rest(self, k: int) -> AggregatedSample:
        name = self.only_model
        return self.derive(
            classes=(f"not {self.classes[k]}", self.classes[k]),
            is_multiclass=False,
            positive_label=self.classes[k],
            tables={name: (self.tables[name][k],)} if name in self.tables else {},
            matrices={name: ConfusionCells.from_counts(self.counts(name, k)).matrix()},
            losses={},
            divided={},
            by=(),
            placed={},
        )

    def joint_counts(self) -> JointCounts:
        counts = self.counts(self.only_model)
        weight = np.array([counts.tn, counts.fn, counts.fp, counts.tp])
        truth, labelled = np.array([False, True, False, True]), np.array([False, False, True, True])
        return JointCounts(truth, {self.only_model: labelled}, weight)

    def n_different(self, first: str, second: str, what: str) -> float:
        raise needs_rows("comparing models")

    def cross_products(self, worth: Mapping[str, Worth]) -> Mapping[str, tuple[Array, Array]]:
        raise needs_rows("comparing models")

    def replicates(self, lowest: Mapping[str, Array], n_resamples: int, seed: int) -> Mapping[str, tuple[Array, Array]]:
        """Refused: cases are resampled one by one; a cluster resamples its own, in bands that begin at `lowest`."""
        raise needs_rows("resampling")

    def probability_problem(self, model: str | None = None) -> str:
        if not self.tables:
            return "there are no scores"
        return self.reason if self.is_multiclass else self.table(model).probability_problem

    def with_constants(self, scores: Mapping[str, float]) -> AggregatedSample:
        negatives, positives = self.sizes
        added = {
            name: (ScoreTable.from_validated(np.array([score]), np.array([positives]), np.array([negatives])),)
            for name, score in scores.items()
        }
        return self.derive(tables={**self.tables, **added})
