"""Several models, each judged on cases of its own: published tables, or test sets that share no case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unconfuse._row_errors import SkippedRows
from unconfuse.table.sample import Sample
from unconfuse.table.sampling import Sampling


@dataclass(frozen=True, eq=False)
class IndependentSamples:
    """One sample for each model; what a comparison asks of models on the same cases, it asks of these together."""

    samples: Mapping[str, Sample]

    @property
    def is_multiclass(self) -> bool:
        """Whether there are more than two classes: never here."""
        return False

    @property
    def in_memory(self) -> None:
        """No rows: these are several samples."""

    @property
    def has_sites(self) -> bool:
        """Whether it is known from which place each case comes: never here."""
        return False

    def site_parts(self) -> Mapping[str, Sample]:
        """Return the cases of each place: of none."""
        return {}

    @property
    def case_sets(self) -> tuple[Sample, ...]:
        """The sets of cases that models were tested on: one for each model."""
        return tuple(self.samples.values())

    def cases_of(self, model: str) -> Sample:
        """Return the cases that a model was tested on."""
        return self.samples[model]

    @property
    def is_clustered(self) -> bool:
        """Whether cases come in groups in any of them."""
        return self.sampling.clustered

    @property
    def sampling(self) -> Sampling:
        """How cases were drawn, which is the same for all unless some come in groups."""
        own = [sample.sampling for sample in self.samples.values()]
        return next((sampling for sampling in own if sampling.clustered), own[0])

    @property
    def classes(self) -> tuple[str, ...]:
        """Of the first: all ask the same question."""
        return next(iter(self.samples.values())).classes

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(self.samples)

    @property
    def n(self) -> float:
        """Cases of all of them."""
        return sum(sample.n for sample in self.samples.values())

    @property
    def n_drawn(self) -> float:
        """How many cases tell what all of these tell."""
        return sum(sample.n_drawn for sample in self.samples.values())

    @property
    def positives(self) -> float:
        """Positives of all of them."""
        return sum(sample.positives for sample in self.samples.values())

    @property
    def skipped(self) -> SkippedRows:
        """Rows that any of them left out."""
        whole = SkippedRows()
        for sample in self.samples.values():
            whole = whole.plus(sample.skipped)
        return whole

    @property
    def thresholds(self) -> dict[str, float]:
        """Of the models that have scores."""
        cuts = {name: sample.thresholds.get(sample.only_model) for name, sample in self.samples.items()}
        return {name: cut for name, cut in cuts.items() if cut is not None}

    @property
    def threshold_sources(self) -> dict[str, str]:
        """Where thresholds come from that nobody gave."""
        known = {name: sample.threshold_sources.get(sample.only_model) for name, sample in self.samples.items()}
        return {name: how for name, how in known.items() if how is not None}

    def has_scores_of(self, model: str) -> bool:
        """Whether a model has scores."""
        return self.samples[model].has_scores

    def has_decisions_of(self, model: str) -> bool:
        """Whether a model has decisions."""
        return self.samples[model].has_decisions_of()

    def threshold_text(self, model: str) -> str:
        """Where a model decides, in words."""
        sample = self.samples[model]
        return sample.threshold_text(sample.only_model) if sample.has_scores else ""

    def select_model(self, model: str) -> Sample:
        """Return the cases of one model."""
        return self.samples[model]

    def with_design(self, fixed_classes: bool) -> IndependentSamples:
        """Return the same cases of studies that chose, or did not choose, the class totals."""
        return IndependentSamples({name: sample.with_design(fixed_classes) for name, sample in self.samples.items()})

    def compact(self) -> IndependentSamples:
        """With no more than later questions need."""
        return IndependentSamples({name: sample.compact() for name, sample in self.samples.items()})
