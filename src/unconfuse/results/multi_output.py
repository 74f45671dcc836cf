"""What evaluations of many labels and of queries have in common: estimates by name, and how they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from unconfuse import _html_repr
from unconfuse._errors import ArgumentError, UnknownNameError
from unconfuse._formatting import TabularResult, number_text, strict_json, whole, with_numbers
from unconfuse._phrases import counted
from unconfuse._render_mixins import ModelCardMixin, PublicationMixin, Reported
from unconfuse._row_errors import SkippedRows
from unconfuse.metrics import Metric
from unconfuse.table import Settings
from unconfuse.table.multi_output import MultiOutputSample
from unconfuse.uncertainty.estimate import Estimate, Finding
from unconfuse.uncertainty.multi_output_intervals import estimates_of_whole, size_text


@dataclass(frozen=True, repr=False, eq=False)
class MultiOutputEvaluation(TabularResult, Reported, PublicationMixin, ModelCardMixin, Mapping[str, Estimate]):
    """Every metric of one model by name, with the sample that others are computed from when asked for."""

    sample: Any
    settings: Settings
    metrics: tuple[Metric, ...]
    estimates: Mapping[str, Estimate]
    name: str = ""
    source: str = ""

    first: ClassVar[tuple[str, ...]] = ()  # names of the metrics to see first

    def _metric(self, name: str) -> Metric:
        """Return the declaration of a name, or refuse it."""
        raise NotImplementedError

    def __getitem__(self, name: str) -> Estimate:
        if isinstance(name, str) and name in self.estimates:
            return self.estimates[name]
        try:
            metric = self._metric(name)
        except ArgumentError as error:
            raise UnknownNameError(str(error)) from None
        if metric.name in self.estimates:
            return self.estimates[metric.name]
        return estimates_of_whole([metric], self.sample, self.settings)[metric.name]

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and (name in self.estimates or self._metric(name).name in self.estimates)
        except ArgumentError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    @property
    def n(self) -> float:
        """Number of cases (sum of weights), or of queries."""
        return whole(self.sample.n)

    @property
    def confidence_level(self) -> float:
        """Of the intervals."""
        return self.settings.confidence_level

    @property
    def design(self) -> str:
        """How cases were drawn: "cohort", "clustered" or "sampled"."""
        word: str = self.sample.sampling.label
        return word

    @property
    def skipped(self) -> SkippedRows:
        """Rows that were left out because they could not be used, by reason."""
        skipped_rows: SkippedRows = self.sample.skipped
        return skipped_rows

    @cached_property
    def subgroups(self) -> dict[str, Self]:
        """The same model in each subgroup, by the subgroup's name; `evaluate(..., by=...)` names them."""
        if not self.sample.by:
            raise ArgumentError("there are no subgroups here. Hint: evaluate with `by='column'` or `by=[values]`.")
        parts: dict[str, MultiOutputSample] = self.sample.by_subgroup()
        return {name: self._of_part(name, part) for name, part in parts.items()}

    def _of_part(self, name: str, part: MultiOutputSample) -> Self:
        estimates = estimates_of_whole(self.metrics, part, self.settings)
        return replace(self, sample=part, estimates=estimates, name=name, source="")

    @property
    def headline(self) -> tuple[Estimate, ...]:
        """The few numbers to see first."""
        estimates = [self.estimates[name] for name in self.first if name in self.estimates]
        return tuple((estimates or list(self.estimates.values()))[:6])

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Plain-words statements, the most important first."""
        raise NotImplementedError

    def with_changes(self, **changes: Any) -> Self:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row of plain values for each metric; of subgroups, for each subgroup as well."""
        if not self.sample.by:
            return [self._row(name, estimate) for name, estimate in self.estimates.items()]
        parts = {
            "(everyone)": self.estimates,
            **{name: subgroup.estimates for name, subgroup in self.subgroups.items()},
        }
        return [
            {"subgroup": part, **self._row(name, estimate)}
            for part, found in parts.items()
            for name, estimate in found.items()
        ]

    def _row(self, name: str, each: Estimate) -> dict[str, Any]:
        return {"metric": name, "label": each.label, **with_numbers(each), "context": each.conditions}

    def _more(self) -> dict[str, Any]:
        """Return what else this kind says of itself."""
        return {}

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return the whole result as plain values, fit for strict JSON."""
        found: dict[str, Any] = {
            "metrics": {
                name: estimate.as_dict() | {"context": estimate.conditions} for name, estimate in self.estimates.items()
            },
            "n": self.n,
            **self._more(),
            "design": self.design,
            "confidence_level": self.confidence_level,
            "n_resamples": self.settings.n_resamples,
            "seed": self.settings.seed,
            "findings": [finding.as_dict() for finding in self.findings],
            "skipped": self.skipped.as_dict(),
        }
        if self.sample.by:
            found["subgroups"] = {
                name: {metric: estimate.as_dict() for metric, estimate in subgroup.items()}
                for name, subgroup in self.subgroups.items()
            }
        return found

    def __str__(self) -> str:
        """Return the first numbers, one in a line, under what they rest on."""
        lines = [
            f"  {estimate.label} {number_text(estimate.value)} {estimate.interval_text}".rstrip()
            for estimate in self.headline
        ]
        return "\n".join([repr(self), *lines])

    def __repr__(self) -> str:
        of = f" of {self.name}" if self.name else ""
        by = f", by {' and '.join(self.sample.by)}" if self.sample.by else ""
        what = f"{type(self).__name__}{of}: {counted(len(self), 'metric')}"
        return f"{what}, {size_text(self.sample)}, {self.design} design{by}"

    def _repr_html_(self) -> str:
        rows = [estimate.cells_html((0.0, 1.0), estimate.baseline) for estimate in self.headline]
        first = self.findings[0].sentence if self.findings else ""
        notes = [repr(self), *(finding.sentence for finding in self.findings[1:3])]
        return _html_repr.card(
            self.name or "Evaluation", _html_repr.table([], rows, numbers=[1]), verdict=first, notes=notes
        )

    def __getstate__(self) -> dict[str, Any]:
        own = {field.name: vars(self)[field.name] for field in fields(self)}
        return own | {"estimates": dict(self.estimates.items()), "settings": self.settings.without_progress()}
