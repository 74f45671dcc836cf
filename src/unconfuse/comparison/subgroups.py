"""What an evaluation by subgroup says: every metric of every subgroup, and how they differ."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError, UnknownNameError, nearest
from unconfuse.comparison.replicates import Resampling, paired_replicates
from unconfuse.comparison.subgroup_difference import Side, SubgroupDifference, subgroup_difference, with_adjusted
from unconfuse.comparison.subgroup_findings import HEADLINES, findings_of_subgroups
from unconfuse.metrics import Metric
from unconfuse._plain import frame_of, number_text
from unconfuse._doors import Drawable
from unconfuse.results.evaluation import Evaluation
from unconfuse.uncertainty.estimate import Estimate, Finding
from unconfuse.table import Array, Scores, ScoreTable
from unconfuse.uncertainty import estimate
from unconfuse.uncertainty.estimates import Resampling as TableResampling
from unconfuse.uncertainty.estimates import estimate_scores

REST = "rest"
EVERYONE = "(everyone)"
_FEW_METRICS = 12


@dataclass(frozen=True, repr=False)
class Subgroups(Drawable, Mapping[str, Evaluation]):
    """Every metric of every subgroup with its interval, by the subgroup's name, and the differences between them.

    Subgroups of several columns are named by their values, "F, 60+"; `result["F", "60+"]` finds them too.

    Attributes
    ----------
    evaluations : mapping of name to Evaluation
    overall : Evaluation
        Of everyone.
    by : tuple of str
        The columns that divide the cases.
    reference : str
        The subgroup that others are compared with, or "rest": each with everyone else.
    findings : tuple of Finding
        What the differences mean, in plain words.

    Examples
    --------
    >>> import unconfuse as uc
    >>> y, s = [1, 1, 0, 0, 1, 0, 0], [.9, .2, .3, .1, .8, .4, .1]
    >>> result = uc.evaluate(y, s, by=["F", "F", "F", "F", "M", "M", "M"])
    >>> result
    Subgroups by subgroup: 2 (F, M), 3 positives of 7, compared with F
    >>> result["F"]["sensitivity"].value, result.overall["specificity"].value
    (0.5, 1.0)
    """

    evaluations: Mapping[str, Evaluation]
    overall: Evaluation
    by: tuple[str, ...]
    reference: str
    clustered: Scores | None = None
    _drawn: dict[str, Array] = field(default_factory=dict, compare=False)

    def __getitem__(self, name: Any) -> Evaluation:
        return self.evaluations[self._name(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    def difference(self, metric: str, first: Any, second: Any = None) -> SubgroupDifference:
        """How two subgroups differ; the second is the reference unless it is named, and may be "rest".

        Examples
        --------
        >>> import unconfuse as uc
        >>> y, sex = [1, 0] * 100, ["F"] * 100 + ["M"] * 100
        >>> s = [.9, .3] * 40 + [.2, .3] * 10 + [.9, .3] * 50
        >>> found = uc.evaluate(y, s, by=sex, metrics=["sensitivity"]).difference("sensitivity", "F", "M")
        >>> print(found.difference, "|", found.verdict)
        sensitivity -0.200 [-0.328, -0.090] 95% MOVER, independent subgroups, F - M | worse
        """
        declared = self._metric(metric)
        one, other = self._name(first), self._reference(second)
        if one == other:
            raise ArgumentError(f"{one!r} cannot be compared with itself.")
        return self._difference(declared, one, other)

    def differences(self, metric: str, reference: Any = None) -> tuple[SubgroupDifference, ...]:
        """Every other subgroup against the reference, or each against the "rest", with Holm's adjusted p-values."""
        declared, other = self._metric(metric), self._reference(reference)
        firsts = [name for name in self if name != other]
        return with_adjusted([self._difference(declared, name, other) for name in firsts])

    def replaced(self, **changes: Any) -> Subgroups:
        """A copy in which some fields of everyone's evaluation are changed, such as its source."""
        return replace(self, overall=self.overall.replaced(**changes))

    def compared_with(self, reference: Any) -> Subgroups:
        """The same result with another reference subgroup, or "rest"."""
        return replace(self, reference=self._reference(reference))

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The widest gaps that the data can show, and what they cannot."""
        headlines = self.headlines()
        found = {name: self.differences(name) for name in headlines} if len(self) > 1 else {}
        return findings_of_subgroups(self.evaluations, found, self.by)

    def headlines(self) -> tuple[str, ...]:
        """The few metrics to look at first: all of them if they are few."""
        known = tuple(self.overall)
        return known if len(known) <= _FEW_METRICS else tuple(name for name in HEADLINES if name in known) or known[:5]

    def plot(self, metric: str | None = None, path: str | None = None) -> Any:
        """One metric of all subgroups with their intervals and everyone's as a line; saved if a path is given."""
        from unconfuse.plots import plot_subgroups, save

        sheet = plot_subgroups(self, self.headlines()[0] if metric is None else metric).figure
        return sheet if path is None else save(sheet, path)

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each subgroup and metric, with its difference from the reference."""
        gaps = {(each.first, each.metric): each for name in self.overall for each in self.differences(name)}
        parts = {EVERYONE: self.overall, **self.evaluations}
        return [
            {"subgroup": name, "n": part.n, "positives": part.positives, **row, **_gap(gaps.get((name, row["metric"])))}
            for name, part in parts.items()
            for row in part.rows()
        ]

    def to_frame(self) -> Any:
        """A data frame with one row for each subgroup and metric."""
        return frame_of(self.rows())

    def as_dict(self) -> dict[str, Any]:
        """The whole result as plain values."""
        return {
            "by": list(self.by),
            "reference": self.reference,
            "overall": self.overall.as_dict(),
            "subgroups": {name: each.as_dict() for name, each in self.evaluations.items()},
            "differences": [each.as_dict() for name in self.overall for each in self.differences(name)],
            "findings": [each.as_dict() for each in self.findings],
        }

    def __repr__(self) -> str:
        names = list(self)
        shown = ", ".join(each[:30] for each in names[:6]) + (", ..." if len(names) > 6 else "")
        return (
            f"Subgroups by {' and '.join(self.by)}: {len(self)} ({shown}), {self.overall.positives:g} positives of "
            f"{self.overall.n:g}, compared with {self.reference[:30]}"
        )

    def _repr_html_(self) -> str:
        heads = ["subgroup", "n", "positives", *(self.overall[name].label for name in self.headlines())]
        lines = [
            [
                name,
                f"{each.n:g}",
                f"{each.positives:g}",
                *(f"{number_text(each[m].value)} {each[m].interval_text}" for m in self.headlines()),
            ]
            for name, each in {EVERYONE: self.overall, **self.evaluations}.items()
        ]
        head = "".join(f"<th>{html.escape(each)}</th>" for each in heads)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>" for line in lines)
        words = "".join(f"<p>{html.escape(str(each))}</p>" for each in self.findings)
        return f"<p><b>{html.escape(repr(self))}</b></p>{words}<table><tr>{head}</tr>{body}</table>"

    def _name(self, name: Any) -> str:
        wanted = ", ".join(map(str, name)) if isinstance(name, tuple) else str(name)
        if wanted not in self.evaluations:
            raise UnknownNameError(f"no subgroup {wanted!r} in this result. {nearest(wanted, self.evaluations)}")
        return wanted

    def _reference(self, name: Any) -> str:
        if name is None:
            return self.reference
        return REST if name == REST and REST not in self.evaluations else self._name(name)

    def _metric(self, name: str) -> Metric:
        wanted = self.overall[name].name
        found: Metric = next(each for each in self.overall.metrics if each.name == wanted)
        return found

    def _difference(self, metric: Metric, first: str, second: str) -> SubgroupDifference:
        against = self._side(metric, second) if second in self.evaluations else self._rest(metric, first)
        return subgroup_difference(metric, self._side(metric, first), against, " and ".join(self.by))

    def _side(self, metric: Metric, name: str) -> Side:
        one = self.evaluations[name]
        assert one.table is not None
        if self.clustered is None:
            return Side(name, one[metric.name], one.table)
        place = list(self).index(name)
        part = self._parts[name]
        return Side(name, one[metric.name], one.table, self._replicates(metric)[place], _count_groups(part))

    def _rest(self, metric: Metric, name: str) -> Side:
        """Everyone but one subgroup."""
        if len(self) < 2:
            raise ArgumentError(f"there is no one but {name!r} to compare it with.")
        tables = [part.table for other, part in self.evaluations.items() if other != name and part.table is not None]
        table = merged(tables)
        value = self._estimate(metric, table)
        if self.clustered is None:
            return Side(REST, value, table)
        assert self.clustered.by is not None
        chosen = np.flatnonzero(self.clustered.by.code != self.clustered.by.names.index(name))
        rows = self.clustered.taken(chosen)
        return Side(REST, value, table, self._draw(rows, [metric])[metric.name][0], _count_groups(rows))

    def _estimate(self, metric: Metric, table: ScoreTable) -> Estimate:
        o = self.overall
        assert o.threshold is not None
        design = "cohort" if o.design == "clustered" else o.design
        if metric.of == "counts":
            return estimate(metric, table.counts_at(o.threshold), confidence_level=o.confidence_level, design=design)
        how = TableResampling(o.n_resamples or 2000, o.seed or 0, design)
        return estimate_scores([metric], table, confidence_level=o.confidence_level, how=how)[metric.name]

    @cached_property
    def _parts(self) -> dict[str, Scores]:
        assert self.clustered is not None
        return self.clustered.divided()

    def _replicates(self, metric: Metric) -> Array:
        """One row of replicates for each subgroup, from the same resampled groups; drawn once."""
        if metric.name not in self._drawn:
            names = self.headlines() if metric.name in self.headlines() else tuple(self.overall)
            wanted = [self._metric(name) for name in names if name not in self._drawn]
            parts = [self._draw(self._parts[name], wanted) for name in self]
            self._drawn.update({each.name: np.concatenate([part[each.name] for part in parts]) for each in wanted})
        return self._drawn[metric.name]

    def _draw(self, rows: Scores, metrics: list[Metric]) -> dict[str, Array]:
        assert self.clustered is not None
        assert self.clustered.groups is not None
        o = self.overall
        how = Resampling(
            o.n_resamples or 2000,
            o.seed or 0,
            "cohort",
            dict.fromkeys(rows.score, o.threshold or 0.0),
            n_groups=int(self.clustered.groups.max()) + 1,
        )
        return paired_replicates(rows, metrics, how)


def merged(tables: list[ScoreTable]) -> ScoreTable:
    """One table of all, merged in pairs so that no row is touched more often than need be."""
    while len(tables) > 2:
        pairs = [tables[place : place + 2] for place in range(0, len(tables), 2)]
        tables = [pair[0].merge(pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return reduce(lambda one, other: one.merge(other), tables)


def _count_groups(rows: Scores) -> int:
    return len(np.unique(rows.groups)) if rows.groups is not None else 0


def _gap(found: SubgroupDifference | None) -> dict[str, Any]:
    """The part of a row that says how a subgroup differs from the reference; the reference itself does not."""
    keys = {
        "difference": "difference",
        "difference_low": "low",
        "difference_high": "high",
        "p_value": "p_value",
        "adjusted_p_value": "adjusted_p_value",
        "verdict": "verdict",
    }
    values = {} if found is None else found.as_dict()
    empty: dict[str, Any] = dict.fromkeys(keys, float("nan")) | {"verdict": ""}
    return {"against": "" if found is None else found.second} | {
        key: values.get(name, empty[key]) for key, name in keys.items()
    }
