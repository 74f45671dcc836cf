"""A sample of which only tables and sums are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.table.cells import Cells
from unconfuse.table.counts import Array, Counts
from unconfuse.table.sample import Moments, Patterns, Sample, Worth, needs_rows
from unconfuse.table.sampling import Sampling, Weighted
from unconfuse.table.scores import ScoreTable, kish


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DistantSample(Sample):
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
    losses: Mapping[str, Moments] = field(default_factory=dict)
    divided: Mapping[str, Sample] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    folded: Mapping[str, Sample] = field(default_factory=dict)
    placed: Mapping[str, Sample] = field(default_factory=dict)
    reason: str = ""
    is_weighted: bool = False
    has_fractions: bool = False

    @classmethod
    def of_table(cls, table: ScoreTable, name: str = "score") -> DistantSample:
        """One table of a yes-or-no question."""
        return cls(tables={name: (table,)}, is_weighted=True)

    @classmethod
    def of_counts(cls, counts: Counts, name: str = "score") -> DistantSample:
        """Four counts, without scores."""
        return cls(matrices={name: Cells.of_counts(counts).matrix()})

    def _drawn_by(self) -> Sampling:
        return Weighted(self.fixed_classes) if self.is_sampled else super()._drawn_by()

    def with_design(self, fixed_classes: bool) -> Self:
        if fixed_classes == self.fixed_classes:
            return self
        divided, folded = (
            {name: each.with_design(fixed_classes) for name, each in slices.items()}
            for slices in (self.divided, self.folded)
        )
        return self.derive(fixed_classes=fixed_classes, divided=divided, folded=folded)

    @property
    def aggregated(self) -> DistantSample:
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
        return any(each.is_sampled for own in self.tables.values() for each in own)

    @property
    def effective_sizes(self) -> Array:
        if not self.is_sampled:
            return self.sizes
        table = self.table(self.models[0])
        return np.array([kish(table.negatives, table.squares[1]), kish(table.positives, table.squares[0])])

    @property
    def has_scores(self) -> bool:
        return bool(self.tables)

    def is_scored(self, model: str | None = None) -> bool:
        return self.named(model) in self.tables

    def decides(self, model: str | None = None) -> bool:
        name = self.named(model)
        return name in self.matrices or name in self.thresholds

    def weighed(self, positive: float, negative: float) -> DistantSample:
        factors = np.array(positive), np.array(negative)
        tables = {name: tuple(each.scaled(*factors) for each in own) for name, own in self.tables.items()}
        rows = np.array([[negative], [positive]])
        return self.derive(tables=tables, matrices={name: each * rows for name, each in self.matrices.items()})

    def only(self, model: str) -> DistantSample:
        tables = {name: each for name, each in self.tables.items() if name == model}
        return self.derive(tables=tables, matrices={name: m for name, m in self.matrices.items() if name == model})

    def undivided(self) -> DistantSample:
        return self.derive(divided={}, by=(), folded={}, placed={})

    def parts(self) -> Mapping[str, Sample]:
        return self.divided

    def cut_at(self, thresholds: float | Mapping[str, float], origin: str | Mapping[str, str] | None = None) -> Self:
        cut = super().cut_at(thresholds, origin)
        divided, folded, placed = (
            {name: each.cut_at(cut.thresholds, cut.origins) for name, each in slices.items()}
            for slices in (self.divided, self.folded, self.placed)
        )
        others = {name: each for name, each in self.matrices.items() if name not in cut.thresholds}
        return cut.derive(divided=divided, folded=folded, placed=placed, matrices=others)

    @property
    def has_folds(self) -> bool:
        return bool(self.folded)

    def pooled(self) -> DistantSample:
        return self.derive(folded={})

    def fold_parts(self) -> Mapping[str, Sample]:
        return self.folded

    def site_parts(self) -> Mapping[str, Sample]:
        return self.placed

    def unplaced(self) -> DistantSample:
        return self.derive(placed={})

    def table(self, model: str | None = None, k: int | None = None) -> ScoreTable:
        name = self.named(model)
        if name not in self.tables:
            raise ArgumentError("this needs the scores, not only decisions. Hint: use `evaluate`.")
        return self.tables[name][(1 if k is None else k) if self.several else 0]

    def cells(self, model: str | None = None) -> Cells:
        name = self.named(model)
        if name in self.matrices:
            return Cells.of_matrix(self.matrices[name])
        return Cells.of_counts(self.counts(name))

    def counts(self, model: str | None = None, k: int = 1) -> Counts:
        name = self.named(model)
        if name in self.matrices:
            return self.cells(name).of_class(k)
        return self.table(name).at_middles().counts_at(self.thresholds[name])

    def squared_counts(self, model: str | None = None) -> Counts:
        if not self.is_sampled:
            return self.counts(model)
        name = self.named(model)
        table = self.table(name).at_middles()
        return ScoreTable.trusted(table.score, *table.squares).counts_at(self.thresholds[name])

    def against_rest(self, k: int) -> DistantSample:
        name = self.only_model
        return self.derive(
            classes=(f"not {self.classes[k]}", self.classes[k]),
            several=False,
            positive_label=self.classes[k],
            tables={name: (self.tables[name][k],)} if name in self.tables else {},
            matrices={name: Cells.of_counts(self.counts(name, k)).matrix()},
            losses={},
            divided={},
            by=(),
            placed={},
        )

    def patterns(self) -> Patterns:
        counts = self.counts(self.only_model)
        weight = np.array([counts.tn, counts.fn, counts.fp, counts.tp])
        truth, labelled = np.array([False, True, False, True]), np.array([False, False, True, True])
        return Patterns(truth, {self.only_model: labelled}, weight)

    def n_different(self, first: str, second: str, what: str) -> float:
        raise needs_rows("comparing models")

    def products(self, worth: Mapping[str, Worth]) -> Mapping[str, tuple[Array, Array]]:
        raise needs_rows("comparing models")

    def replicates(self, lowest: Mapping[str, Array], n_resamples: int, seed: int) -> Mapping[str, tuple[Array, Array]]:
        """Refused: cases are resampled one by one; a cluster resamples its own, in bands that begin at `lowest`."""
        raise needs_rows("resampling")

    def why_not_probabilities(self, model: str | None = None) -> str:
        if not self.tables:
            return "there are no scores"
        return self.reason if self.several else self.table(model).why_not_probabilities

    def with_constants(self, scores: Mapping[str, float]) -> DistantSample:
        negatives, positives = self.sizes
        added = {
            name: (ScoreTable.trusted(np.array([each]), np.array([positives]), np.array([negatives])),)
            for name, each in scores.items()
        }
        return self.derive(tables={**self.tables, **added})
