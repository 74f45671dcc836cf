"""Every metric of one classifier by name, and what these numbers rest on."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError, InputError, UnknownNameError
from unconfuse._formatting import whole
from unconfuse._render_mixins import PublicationMixin, TableWriter
from unconfuse._row_errors import SkippedRows
from unconfuse._validate import check_list
from unconfuse.metrics import Metric, canonical, metrics_of
from unconfuse.metrics.requirements import no_threshold
from unconfuse.table import Counts, Sample, ScoreTable, Settings
from unconfuse.uncertainty import Estimate, Finding, available, estimate
from unconfuse.uncertainty.strategies import strategy_of


class ScoresAndTable(TableWriter, ScoreTable):
    """A writer of tables that is still the score table it used to be."""

    def __init__(self, result: EstimateMapping, scores: ScoreTable) -> None:
        vars(self).update(vars(scores), _result=result)


@dataclass(frozen=True, repr=False, eq=False)
class EstimateMapping(PublicationMixin, Mapping[str, Estimate]):
    """Estimates by name, with the sample and the design that other metrics are computed from when asked for."""

    sample: Sample
    settings: Settings
    metrics: tuple[Metric, ...]
    estimates: Mapping[str, Estimate]
    name: str = ""
    source: str = ""
    reference: object = None
    cached_findings: tuple[Finding, ...] | None = field(default=None, repr=False)

    def __getitem__(self, name: str) -> Estimate:
        if isinstance(name, str) and name in self.estimates:
            return self.estimates[name]
        try:
            if isinstance(name, str) and (own := canonical(name, self.metrics)) in self.estimates:
                return self.estimates[own]
            metric = metrics_of(self.sample).find(name)
            available([metric], self.sample)
        except (ArgumentError, InputError) as error:
            raise UnknownNameError(str(error)) from None
        return self.estimates.get(metric.name) or self.estimate([metric])[metric.name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self.estimates or canonical(name, self.metrics) in self.estimates)

    def __iter__(self) -> Iterator[str]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def estimate(self, metrics: Iterable[str | Metric]) -> dict[str, Estimate]:
        """Other metrics of the same data under the same design; also your own."""
        wanted = metrics_of(self.sample).find_all(check_list(metrics, "metrics"))
        available(wanted, self.sample)
        return estimate(wanted, self.sample, self.settings.without_progress())

    @cached_property
    def _whole(self) -> Sample:
        """All cases, each once: those of a repeated cross-validation are read more often."""
        return self.sample.pooled() if self.sample.repeats else self.sample

    @property
    def n(self) -> float:
        """Number of cases (sum of weights); a whole number where it is whole."""
        return whole(self._whole.n)

    @property
    def positives(self) -> float:
        """Number of positives (sum of weights)."""
        return whole(self._whole.positives)

    @property
    def negatives(self) -> float:
        """Number of negatives (sum of weights)."""
        return whole(self._whole.negatives)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes; of a yes-or-no question, the positive one is the second."""
        return self.sample.classes

    @property
    def counts(self) -> Counts:
        """The 2x2 table at the threshold; at one that a rule chose on these cases, the table to expect of as many."""
        self._two_classes("four counts")
        self._require_decisions("four counts need")
        return self._whole.counts() if self._whole.choice is None else self._whole.choice.counts

    def _require_decisions(self, need: str) -> None:
        if not self.has_decisions:
            why, hint = no_threshold(self.sample, self.sample.only_model)
            raise ArgumentError(f"{need} decisions, but {why}. Hint: {hint}.")

    @property
    def has_decisions(self) -> bool:
        """Whether cases are called positive or negative: scores that are no probabilities need a threshold first."""
        return self.sample.has_decisions_of()

    @property
    def threshold(self) -> float | None:
        """Where a yes-or-no question is cut; None if decisions were given, or if nobody chose a threshold."""
        return self.sample.thresholds.get(self.sample.models[0])

    @property
    def threshold_source(self) -> str | None:
        """How the threshold came about: "default", "given", or by which rule; None if there is none."""
        return None if self.threshold is None else self.sample.threshold_sources.get(self.sample.models[0], "given")

    @property
    def table(self) -> TableWriter:
        """Write a table for a paper: `ev.table("latex")`, `ev.table("docx", "results.docx")`; see docs/papers.md.

        Until the next release it can also be used as the score table, which is `ev.score_table` now.

        Examples
        --------
        >>> import unconfuse as uc
        >>> ev = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31, metrics=["sensitivity"])
        >>> print(ev.table("csv"), end="")
        Metric,Cases,Value,95% interval
        "Sensitivity (recall, TPR)",141/208,0.678,"[0.612, 0.739]"
        """
        scores = self.score_table
        return TableWriter(self) if scores is None else ScoresAndTable(self, scores)

    @property
    def score_table(self) -> ScoreTable | None:
        """The score table of a yes-or-no question; None when only decisions were given."""
        scored = self.sample.has_scores and not self.sample.sampling.doubly_sampled
        return self._whole.table() if scored else None

    @property
    def design(self) -> str:
        """How cases were drawn: "cohort", "case-control", "clustered", "sampled" or "cross-validated"."""
        return self.sample.sampling.label

    @property
    def confidence_level(self) -> float:
        """Of the intervals."""
        return self.settings.confidence_level

    @property
    def n_resamples(self) -> int | None:
        """Size of the bootstrap; None of four counts, which need none."""
        return self.settings.n_resamples if self.sample.has_scores else None

    @property
    def seed(self) -> int | None:
        """Of the bootstrap; None of four counts, which need none."""
        return self.settings.seed if self.sample.has_scores else None

    @property
    def skipped(self) -> SkippedRows:
        """Rows that were left out because they could not be used, by reason."""
        return self.sample.skipped

    def _two_classes(self, what: str) -> None:
        """Refuse what only a yes-or-no question has, if this is none."""

    def _scores(self, what: str) -> ScoreTable:
        self._two_classes(what)
        if self.sample.sampling.doubly_sampled:
            raise ArgumentError(f"{what} needs the truth of every case, and only some were checked.")
        table = self.score_table
        if table is None:
            raise ArgumentError(f"{what} needs the scores, not only four counts. Hint: use `evaluate`.")
        return table

    def __getstate__(self) -> dict[str, Any]:
        return {
            **{key: vars(self)[key] for key in self.__dataclass_fields__},
            "estimates": dict(self.estimates.items()),  # a read-only view cannot be pickled
            "settings": self.settings.without_progress(),
        }

    threshold_origin = renamed("threshold_source")


class LazyEstimates(Mapping[str, Estimate]):
    """Estimates of metrics that are made when they are first asked for; those that share resamples are made together.

    Whoever asks for all of them, by `items` or `values`, has them made together.

    >>> import numpy as np
    >>> from unconfuse.metrics import METRICS
    >>> from unconfuse.table import InMemorySample
    >>> sample = InMemorySample(truth=np.array([True, False] * 9), scores={"s": np.linspace(1, 0, 18)}, classes=(0, 1))
    >>> round(LazyEstimates([METRICS["auroc"]], sample, Settings())["auroc"].value, 3)
    0.556
    """

    def __init__(self, metrics: Iterable[Metric], sample: Sample, design: Settings) -> None:
        self._metrics, self._sample, self._design = {metric.name: metric for metric in metrics}, sample, design
        self._made: dict[str, Estimate] = {}

    def __getitem__(self, name: str) -> Estimate:
        if name not in self._made:
            metric = self._metrics[name]
            some = [metric] if self._alone(metric) else [m for m in self._metrics.values() if not self._alone(m)]
            self._made |= estimate(some, self._sample, self._design)
        return self._made[name]

    def items(self) -> ItemsView[str, Estimate]:
        """All of them, made together."""
        self._make_all()
        return super().items()

    def values(self) -> ValuesView[Estimate]:
        """All of them, made together."""
        self._make_all()
        return super().values()

    def _make_all(self) -> None:
        missing = [metric for name, metric in self._metrics.items() if name not in self._made]
        if missing:
            self._made |= estimate(missing, self._sample, self._design)

    def _alone(self, metric: Metric) -> bool:
        return not self._sample.is_multiclass and strategy_of(self._sample).separately(metric)

    def __contains__(self, name: object) -> bool:
        return name in self._metrics

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)
