"""Two subgroups, or one and everyone else: how they differ in one metric or several, and what that is made from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import short_repr
from unconfuse.ingest.sources.score_tables import merge_all
from unconfuse.metrics import Metric
from unconfuse.table import AggregatedSample, Array, InMemorySample, Sample, ScoreTable
from unconfuse.uncertainty import ContrastSide, by_cases, estimate, independent_difference
from unconfuse.uncertainty.difference_tests import bonferroni
from unconfuse.uncertainty.simultaneous import simultaneous

if TYPE_CHECKING:
    from unconfuse.results.contrast import Contrast
    from unconfuse.results.evaluation import Evaluation


class SubgroupPairs:
    """Pairs of subgroups of one sample. What was made once is kept, also if another one becomes the reference."""

    def __init__(self, overall: Evaluation, evaluations: Mapping[str, Evaluation]) -> None:
        self._overall, self._evaluations = overall, evaluations
        self._compared: dict[tuple[str, str], dict[str, Contrast]] = {}
        self._drawn: dict[str, dict[str, Array]] = {}  # replicates of a subgroup, by metric

    def compared(self, metrics: Sequence[Metric], first: str, second: str) -> Mapping[str, Contrast]:
        """How two subgroups, or one and the rest, differ in several metrics: they share a table and resamples."""
        known = self._compared.setdefault((first, second), {})
        missing = [metric for metric in metrics if metric.name not in known]
        if missing:
            contrast_sides = self._sides(missing, first)
            against = self._sides(missing, second) if second in self._evaluations else self._rest(missing, first)
            pairs, by = zip(missing, contrast_sides, against, strict=True), " and ".join(self._overall.sample.by)
            known |= {
                metric.name: subgroup_difference(metric, contrast_side, other, by)
                for metric, contrast_side, other in pairs
            }
        return known

    def _sides(self, metrics: Sequence[Metric], name: str) -> list[ContrastSide]:
        evaluation, drawn = self._evaluations[name], self._drawn.setdefault(name, {})
        missing = [metric for metric in metrics if metric.name not in drawn]
        if missing and self._by_groups:
            drawn |= self._resampled(missing, self._restricted(name))
        table, units = _table_of(evaluation.sample), self._units(evaluation.sample)
        return [ContrastSide(name, evaluation[metric.name], table, drawn.get(metric.name), units) for metric in metrics]

    def _rest(self, metrics: Sequence[Metric], name: str) -> list[ContrastSide]:
        """Everyone but one subgroup."""
        if len(self._evaluations) < 2:
            raise ArgumentError(f"only one subgroup ({short_repr(name)}): nothing to compare it with.")
        rest = self._others(name)
        found = estimate(metrics, rest, self._overall.settings.without_progress())
        drawn = self._resampled(metrics, self._restricted(name, others=True)) if self._by_groups else {}
        table, units = _table_of(rest), self._units(rest)
        return [ContrastSide(REST, found[metric.name], table, drawn.get(metric.name), units) for metric in metrics]

    def _others(self, name: str) -> Sample:
        whole = self._overall.sample
        if (rows := whole.in_memory) is not None and rows.division is not None:
            return rows.taken((rows.division.code != rows.division.names.index(name)).nonzero()[0])
        tables = [part.sample.table() for other, part in self._evaluations.items() if other != name]
        rest = AggregatedSample.of_table(merge_all(tables), whole.only_model)
        return rest.with_thresholds(whole.thresholds)

    @property
    def _by_groups(self) -> bool:
        """Whether whole groups are resampled; elsewhere every case stands for itself."""
        whole = self._overall.sample
        return whole.is_clustered and not whole.is_multiclass and whole.in_memory is not None

    def _units(self, part: Sample) -> int:
        return part.n_groups if self._by_groups else 0

    def _resampled(self, metrics: Sequence[Metric], rows: Sample) -> dict[str, Array]:
        """Replicates of whole groups, the same ones for all subgroups."""
        whole = self._overall.sample.rows_for("resampling groups")
        assert whole.groups is not None
        settings, units = self._overall.settings.without_progress(), int(whole.groups.max()) + 1
        return {name: values[0] for name, values in by_cases(metrics, rows, settings, units=units).items()}

    def _restricted(self, name: str, *, others: bool = False) -> InMemorySample:
        """One subgroup, or all cases but it, with the groups of the whole."""
        whole = self._overall.sample.rows_for("resampling groups")
        assert whole.division is not None
        inside = whole.division.code == whole.division.names.index(name)
        return whole.restricted(np.flatnonzero(~inside if others else inside)).without_subgroups()


def _table_of(part: Sample) -> ScoreTable | None:
    return part.table() if part.has_scores and not part.is_multiclass else None


REST = "rest"  # everyone but one subgroup


def subgroup_difference(metric: Metric, first: ContrastSide, second: ContrastSide, by: str = "") -> Contrast:
    """Return the first subgroup less (or over) the second, with interval, test and verdict; `by` says what divides."""
    from unconfuse.results.contrast import Contrast  # most evaluations have no subgroups

    names, values = (first.name, second.name), (first.estimate.value, second.estimate.value)
    level = first.estimate.confidence_level
    (simultaneous_result,) = simultaneous([independent_difference(metric, first, second)], bonferroni, level)
    return Contrast.held(metric, names, values, simultaneous_result, level, undefined=_reason(first, second), by=by)


def with_adjusted(metric: Metric, found: Sequence[Contrast]) -> tuple[Contrast, ...]:
    """Several differences in one metric, with p-values, intervals and verdicts that hold for all of them at once."""
    from unconfuse.results.contrast import Contrast  # most evaluations have no subgroups

    known = sum(not math.isnan(contrast.unadjusted_p_value) for contrast in found)
    if known < 2:
        return tuple(found)
    level = found[0].confidence_level
    simultaneous_results = simultaneous([contrast.draft(metric) for contrast in found], bonferroni, level)
    among = f"{known} subgroups"
    return tuple(
        contrast
        if math.isnan(contrast.unadjusted_p_value)
        else Contrast.held(
            metric,
            (contrast.first, contrast.second),
            (contrast.first_value, contrast.second_value),
            simultaneous_result,
            level,
            among=among,
            by=contrast.by,
        )
        for contrast, simultaneous_result in zip(found, simultaneous_results, strict=True)
    )


def _reason(first: ContrastSide, second: ContrastSide) -> str:
    for side in (first, second):
        if side.estimate.undefined:
            return f"{side.name} has no value ({side.estimate.undefined})"
    return "both values are infinite or zero"
