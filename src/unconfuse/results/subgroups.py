"""What an evaluation by subgroup says: every metric of every subgroup, and how they differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse import _html_repr
from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError, UnknownNameError, did_you_mean, text_of
from unconfuse._formatting import TabularResult, number_text, plain_values, short_repr, strict_json, with_numbers
from unconfuse._render_mixins import PublicationMixin, ReportMixin, lazy_import
from unconfuse._validate import check_probability, public_api
from unconfuse.metrics import Metric
from unconfuse.policy import OF_SUBGROUPS
from unconfuse.results.subgroup_findings import findings_of_subgroups, sentence_of_subgroups
from unconfuse.results.subgroup_pairs import REST, with_adjusted
from unconfuse.table import Array
from unconfuse.table.sample import MISSING
from unconfuse.uncertainty import Finding
from unconfuse.uncertainty.subgroup_range import SubgroupRange, smallest_ratio, widest_gap

if TYPE_CHECKING:
    from unconfuse.results.contrast import Contrast
    from unconfuse.results.evaluation import Evaluation
    from unconfuse.results.subgroup_pairs import SubgroupPairs

EVERYONE = "(everyone)"
_FEW_METRICS = 12


@public_api
@dataclass(frozen=True, repr=False, eq=False)
class Subgroups(ReportMixin, TabularResult, PublicationMixin, Mapping[str, "Evaluation"]):
    """Every metric of every subgroup with its interval, by the subgroup's name, and the differences between them.

    Subgroups of several columns are named by their values, "F, 60+"; `result["F", "60+"]` finds them too.

    Attributes
    ----------
    overall : Evaluation
        Of everyone.
    evaluations : mapping of name to Evaluation

    Examples
    --------
    >>> import unconfuse as uc
    >>> y, s = [1, 1, 0, 0, 1, 0, 0], [.9, .2, .3, .1, .8, .4, .1]
    >>> result = uc.evaluate(y, s, by=["F", "F", "F", "F", "M", "M", "M"]).subgroups
    >>> result
    Subgroups by subgroup: 2 (F, M), 3 positives of 7, compared with F
    >>> result["F"]["sensitivity"].value, result.overall["specificity"].value
    (0.5, 1.0)
    """

    overall: Evaluation
    evaluations: Mapping[str, Evaluation]
    _shared: SubgroupPairs | None = None  # of the same subgroups with another reference

    def __getitem__(self, name: Any) -> Evaluation:
        return self.evaluations[self._name(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    @property
    def by(self) -> tuple[str, ...]:
        """The columns that divide the cases."""
        return self.overall.sample.by

    @cached_property
    def reference(self) -> str:
        """The subgroup that others are compared with (the largest by default), or "rest": each with everyone else."""
        if self.overall.reference is not None:
            return self._known(self.overall.reference)
        known = [name for name in self if name != MISSING] or list(self)
        return max(known, key=lambda name: self[name].n)

    def with_reference(self, reference: Any) -> Subgroups:
        """Return a copy with another reference subgroup, or "rest"."""
        self._known(reference)
        return replace(self, overall=self.overall.with_changes(reference=reference), _shared=self._pairs)

    def difference(self, metric: str, first: Any, second: Any = None) -> Contrast:
        """How two subgroups differ; the second is the reference unless it is named, and may be "rest".

        Examples
        --------
        >>> import unconfuse as uc
        >>> y, sex = [1, 0] * 100, ["F"] * 100 + ["M"] * 100
        >>> s = [.9, .3] * 40 + [.2, .3] * 10 + [.9, .3] * 50
        >>> found = uc.evaluate(y, s, by=sex, metrics=["recall"]).subgroups.difference("recall", "F", "M")
        >>> print(found.difference, "|", found.verdict)
        sensitivity -0.200 [-0.328, -0.090] 95% MOVER, independent subgroups, F - M | worse
        """
        one, other = self._name(first), self.reference if second is None else self._known(second)
        if one == other:
            raise ArgumentError(f"{short_repr(one)} cannot be compared with itself.")
        return self._difference(self._metric(metric), one, other)

    def differences(self, metric: str, reference: Any = None) -> tuple[Contrast, ...]:
        """Every other subgroup against the reference, or each against the "rest", with Holm's adjusted p-values."""
        declared, other = self._metric(metric), self.reference if reference is None else self._known(reference)
        return with_adjusted(declared, [self._difference(declared, name, other) for name in self if name != other])

    def largest_difference(self, metric: str, *, confidence_level: float | None = None) -> SubgroupRange:
        """Largest less smallest value among the subgroups, with an interval that covers.

        Samples show a wider gap than there is: `.by_chance` says what subgroups of these sizes would show if they were
        all alike, `.corrected` takes the bias off.

        Examples
        --------
        >>> import unconfuse as uc
        >>> y, sex = [1, 0] * 100, ["F"] * 100 + ["M"] * 100
        >>> s = [.9, .3] * 40 + [.2, .3] * 10 + [.9, .3] * 50
        >>> found = uc.evaluate(y, s, by=sex, metrics=["recall"]).subgroups.largest_difference("recall")
        >>> print(found, "|", found.lowest, found.highest, round(found.by_chance, 3))
        sensitivity 0.200 [0.075, 0.309] 95% all pairs at once (Agresti-Caffo, Tukey-Kramer), 2 subgroups | F M 0.047
        """
        return self._gap_of(widest_gap, metric, confidence_level)

    def smallest_ratio(self, metric: str, *, confidence_level: float | None = None) -> SubgroupRange:
        """Smallest over largest value among the subgroups (1: all alike), with an interval that covers."""
        return self._gap_of(smallest_ratio, metric, confidence_level)

    def equalised_odds(self, *, confidence_level: float | None = None) -> SubgroupRange:
        """Return the wider of the gaps in sensitivity and in false positive rate: 0 where both errors are shared alike.

        Both intervals hold at once (Bonferroni).
        """
        level = self._level(confidence_level)
        both = [
            self.largest_difference(name, confidence_level=(1 + level) / 2)
            for name in ("sensitivity", "false_positive_rate")
        ]
        subgroup_ranges = [subgroup_range for subgroup_range in both if not math.isnan(subgroup_range.value)] or both
        wider = max(subgroup_ranges, key=lambda each: each.value)
        low, high = np.max(
            [(subgroup_range.low, subgroup_range.high) for subgroup_range in subgroup_ranges], axis=0
        )  # NaN if one of them has no interval
        label = "equalised odds difference"
        return replace(
            wider, name="equalised_odds", label=label, confidence_level=level, low=float(low), high=float(high)
        )

    def _gap_of(self, kind: Callable[..., SubgroupRange], metric: str, confidence_level: float | None) -> SubgroupRange:
        declared, level = self._metric(metric), self._level(confidence_level)
        values = {name: part[declared.name] for name, part in self.evaluations.items()}
        known = [name for name, value in values.items() if math.isfinite(value.value)]
        fixed = any(math.isnan(values[name].low) for name in known)  # by the design: chance has no part in it
        return kind(declared, values, None if fixed else self._trials(declared, known), level)

    def _level(self, confidence_level: float | None) -> float:
        if confidence_level is None:
            return self.overall.settings.confidence_level
        return check_probability(confidence_level, "confidence_level", open_interval=True)

    def _trials(self, metric: Metric, names: list[str]) -> tuple[Array, Array] | None:
        """Successes and trials of a proportion, where cases are whole and each stands for itself."""
        whole = self.overall.sample
        if (
            not names
            or metric.inference.fraction is None
            or whole.is_multiclass
            or whole.is_clustered
            or whole.is_sampled
            or whole.has_fractions
        ):
            return None
        found = [metric.inference.fraction(self.evaluations[name].sample.counts()) for name in names]
        successes, trials = (np.array([float(each) for each in side]) for side in zip(*found, strict=True))
        return successes, trials

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The widest gaps that the data can show, and what they cannot."""
        found = {name: self.differences(name) for name in self.headlines()} if len(self) > 1 else {}
        gaps = [self.largest_difference(name) for name in self.headlines()] if len(self) > 2 else []
        return findings_of_subgroups(self.evaluations, found, gaps, self.by)

    @property
    def sentence(self) -> str:
        """Whether it works alike for everyone, in one sentence."""
        found = {name: self.differences(name) for name in self.headlines()} if len(self) > 1 else {}
        return sentence_of_subgroups(found, self.by)

    def headlines(self) -> tuple[str, ...]:
        """Return the few metrics to look at first: all of them if they are few."""
        known = tuple(self.overall)
        return (
            known if len(known) <= _FEW_METRICS else tuple(name for name in OF_SUBGROUPS if name in known) or known[:5]
        )

    def plot(self, metric: str | None = None, path: str | None = None) -> Any:
        """One metric of all subgroups with their intervals and everyone's as a line; saved if a path is given."""
        draw = lazy_import("plots")
        sheet = draw.plot_subgroups(self, self.headlines()[0] if metric is None else metric).figure
        return sheet if path is None else draw.save(sheet, path)

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each subgroup and metric, with its difference from the reference."""
        gaps = {(difference.first, difference.metric): difference for difference in self._all_differences()}
        return [
            {"subgroup": name, **part.size_fields, **row, **_gap(gaps.get((name, row["metric"])))}
            for name, part in {EVERYONE: self.overall, **self.evaluations}.items()
            for row in part.rows()
        ]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return the whole result as plain values."""
        differences = self._all_differences()
        gaps = {
            name: {"gap": self.largest_difference(name), "ratio": self.smallest_ratio(name)}
            for name in self.headlines()
        }
        whole = {"by": self.by, "reference": self.reference, "overall": self.overall, "subgroups": self.evaluations}
        compared = {"differences": differences, "gaps": gaps, "findings": self.findings}
        values: dict[str, Any] = plain_values(whole | compared)
        return values

    def __repr__(self) -> str:
        names = list(self)
        shown = ", ".join(name[:30] for name in names[:6]) + (", ..." if len(names) > 6 else "")
        whole = self.overall
        by = " and ".join(self.by)
        return f"Subgroups by {by}: {len(self)} ({shown}), {whole.size_text}, compared with {self.reference[:30]}"

    def _repr_html_(self) -> str:
        shown = self.headlines()
        everyone = self.overall[shown[0]]
        heads = [
            "subgroup",
            "cases",
            *(_html_repr.text(self.overall[name].label.split(" (")[0], 28) for name in shown),
            "",
        ]
        rows = [
            [
                _html_repr.text(name, 40),
                f"{part.n:,.7g}",
                *(f"{number_text(part[each].value)} {part[each].interval_text}" for each in shown),
                part[shown[0]].cells_html(part.value_range(shown[0]), everyone.value)[-1],
            ]
            for name, part in {EVERYONE: self.overall, **self.evaluations}.items()
        ]
        return _html_repr.card(
            repr(self),
            _html_repr.table(heads, rows, numbers=[1]),
            _html_repr.quiet(
                f"Bars: {everyone.label}; tick: everyone. More in .findings, .differences() and .to_frame()."
            ),
            verdict=self.sentence,
        )

    def _name(self, name: Any) -> str:
        wanted = ", ".join(map(text_of, name)) if isinstance(name, tuple) else text_of(name)
        if wanted not in self.evaluations:
            raise UnknownNameError(
                f"no subgroup {short_repr(name)} in this result. {did_you_mean(wanted, self.evaluations)}"
            )
        return wanted

    def _known(self, name: Any) -> str:
        return REST if isinstance(name, str) and name == REST and REST not in self.evaluations else self._name(name)

    def _metric(self, name: str) -> Metric:
        wanted = self.overall[name].name
        metric = next((each for each in self.overall.metrics if each.name == wanted), None)
        if metric is None:
            raise UnknownNameError(f"no metric {short_repr(name)} in this result. {did_you_mean(name, self.overall)}")
        return metric

    def _all_differences(self) -> list[Contrast]:
        """In every metric, one after the other; made subgroup by subgroup, in all metrics at once."""
        for name, part in self.evaluations.items():
            part.estimates.values()
            if name != self.reference:
                self._pairs.compared(self.overall.metrics, name, self.reference)
        return [difference for name in self.overall for difference in self.differences(name)]

    def _difference(self, metric: Metric, first: str, second: str) -> Contrast:
        """Whoever looks at one of the main metrics looks at the others too."""
        wanted = self.headlines() if metric.name in self.headlines() else (metric.name,)
        return self._pairs.compared([self._metric(each) for each in wanted], first, second)[metric.name]

    @cached_property
    def _pairs(self) -> SubgroupPairs:
        from unconfuse.results.subgroup_pairs import SubgroupPairs  # most results have no subgroups

        return self._shared or SubgroupPairs(self.overall, self.evaluations)

    gap = renamed("largest_difference", permanent=True)
    ratio = renamed("smallest_ratio", permanent=True)
    compared_with = renamed("with_reference")


def _gap(found: Contrast | None) -> dict[str, Any]:
    """Return the part of a row that says how a subgroup differs from the reference; the reference itself does not."""
    keys = ("difference", "low", "high", "p_value", "unadjusted_p_value", "verdict")
    against = "" if found is None else found.second
    values = dict.fromkeys(keys, math.nan) | {"verdict": ""} if found is None else with_numbers(found)
    named = {f"difference_{key}" if key in ("low", "high") else key: values[key] for key in keys}
    return {"against": against, **named}
