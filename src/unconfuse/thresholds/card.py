"""The threshold card: every rule side by side, with what to expect of it on new cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from unconfuse import _html_repr
from unconfuse._deprecated import renamed
from unconfuse._errors import UnknownNameError, did_you_mean
from unconfuse._formatting import frame_of, number_text, short_repr, strict_json
from unconfuse._phrases import counted
from unconfuse._render_mixins import PlotMixin, ReportMixin
from unconfuse._validate import check_text, public_api
from unconfuse.table import Counts, Sample, ScoreTable
from unconfuse.table.sample import positives_of
from unconfuse.thresholds.card_findings import card_findings
from unconfuse.thresholds.rules import usual_name
from unconfuse.uncertainty.estimate import Estimate, Finding

HONEST = {
    "bootstrap": "corrected by bootstrap",
    "crossfit": "cross-fitted",
    "optimism": "optimism-corrected",
    None: "measured on the data it was chosen on",
}


class FlatRegion(NamedTuple):
    """All thresholds around the chosen one that do as well within one standard error; NaN where that means nothing."""

    low: float
    high: float


@dataclass(frozen=True, repr=False)
class OperatingPoint:
    """One rule of the card.

    Attributes
    ----------
    rule, label, why : str
        Its key, its name in print, what it is good for.
    threshold : Estimate
        The lowest score to label positive; infinite where labelling none is best.
    next_score : float
        Every threshold above this score, up to `threshold`, labels the same cases of the data.
    flat_region : FlatRegion
    metrics : mapping of name to Estimate
        Honest: what to expect on new cases of the same kind.
    apparent : mapping of name to Estimate
        Measured on the data that the threshold was chosen on.
    optimism : mapping of name to float
        Apparent minus validated.
    at_prevalence : mapping of name to Estimate
        The validated metrics at the stated prevalence; empty if none was stated.
    counts : Counts
        Validated 2x2 table (a mean over deals, so not whole numbers), or the apparent one.
    unreachable : str or None
        Why the rule cannot be met, and the best that can be reached.
    """

    rule: str
    label: str
    rationale: str
    threshold: Estimate
    next_score: float
    flat_region: FlatRegion
    metrics: Mapping[str, Estimate]
    apparent: Mapping[str, Estimate]
    optimism: Mapping[str, float]
    at_prevalence: Mapping[str, Estimate] = field(default_factory=dict)
    counts: Counts | None = None
    infeasible_reason: str | None = None

    @property
    def sentence(self) -> str:
        """The rule's result in plain words."""
        if self.infeasible_reason:
            return f"{self.label}: {self.infeasible_reason}."
        if np.isposinf(self.threshold.value):
            return f"{self.label}: label none."
        between = self.threshold.interval_text and f" {self.threshold.interval_text}"
        sensitivity, specificity = self.metrics["sensitivity"], self.metrics["specificity"]
        seen = " and ".join(number_text(self.apparent[name].value) for name in ("sensitivity", "specificity"))
        return (
            f"{self.label}: label scores of {number_text(self.threshold.value)}{between} or more. Expect sensitivity "
            f"{number_text(sensitivity.value)} {sensitivity.interval_text} and specificity "
            f"{number_text(specificity.value)} {specificity.interval_text}; the data it was chosen on show {seen}."
        )

    def row(self) -> dict[str, Any]:
        """Plain values in one row."""
        columns: dict[str, Any] = {
            "rule": self.rule,
            "label": self.label,
            "threshold": self.threshold.value,
            "threshold_low": self.threshold.low,
            "threshold_high": self.threshold.high,
            "flat_low": self.flat_region.low,
            "flat_high": self.flat_region.high,
        }
        for name, metric in self.metrics.items():
            columns |= {
                name: metric.value,
                f"{name}_low": metric.low,
                f"{name}_high": metric.high,
                f"{name}_apparent": self.apparent[name].value,
                f"{name}_optimism": self.optimism[name],
            }
        columns |= {f"{name}_at_prevalence": estimate.value for name, estimate in self.at_prevalence.items()}
        return {**columns, "unreachable": self.infeasible_reason}

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values, nested."""
        return {
            "label": self.label,
            "why": self.rationale,
            "threshold": self.threshold.as_dict(),
            "next_score": self.next_score,
            "flat_region": list(self.flat_region),
            "metrics": {name: metric.as_dict() for name, metric in self.metrics.items()},
            "apparent": {name: estimate.as_dict() for name, estimate in self.apparent.items()},
            "optimism": dict(self.optimism),
            "at_prevalence": {name: estimate.as_dict() for name, estimate in self.at_prevalence.items()},
            "counts": self.counts and self.counts.as_dict(),
            "unreachable": self.infeasible_reason,
            "sentence": self.sentence,
        }

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return _html_repr.card(self.label, verdict=self.sentence, notes=[self.rationale])

    why = renamed("rationale")
    unreachable = renamed("infeasible_reason")


@public_api
@dataclass(frozen=True, repr=False)
class ThresholdCard(PlotMixin, ReportMixin, Mapping[str, OperatingPoint]):
    """Every rule for choosing a threshold, by name, with its performance on cases not used to choose it.

    Attributes
    ----------
    points : mapping of rule name to OperatingPoint
    data : mapping
        Summary of the data: n, positives, prevalence, lowest and highest score, the positive label.
    validation : {"bootstrap", "crossfit", "optimism", None}
        How `.metrics` were measured.
    prevalence : float or None
        The stated one, at which the thresholds were chosen.
    settings : mapping
        Design, confidence level, folds, repeats, resamples, seed, costs.
    costs : mapping of name to (fp, fn)
        The stakeholders' costs.
    sample : Sample or None
        The cases it was made from; None for a card that was read.
    table : ScoreTable or None
        The data; None in a card that was read from a file.
    """

    picture = "plot_threshold_card"

    points: Mapping[str, OperatingPoint]
    data: Mapping[str, Any]
    validation: str | None = "bootstrap"
    prevalence: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    table: ScoreTable | None = field(default=None, compare=False)
    costs: Mapping[str, tuple[float, float]] = field(default_factory=dict, compare=False)
    sample: Sample | None = field(default=None, compare=False, repr=False)

    def __getitem__(self, name: str) -> OperatingPoint:
        if check_text(name, "rule") in self.points:
            return self.points[name]
        # "recall_at_precision" is enough where only one limit was asked for.
        plain = usual_name(name)
        found = [key for key in self.points if plain in (key.partition("(")[0], key)]
        if len(found) == 1:
            return self.points[found[0]]
        raise UnknownNameError(f"no rule {short_repr(name)} in this card. {did_you_mean(name, self.points)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Plain-words remarks: too few cases, optimism that matters, what stakeholders gain, limits out of reach."""
        return card_findings(self)

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each rule."""
        rows = [point.row() for point in self.points.values()]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return [{name: row.get(name, np.nan) for name in names} for row in rows]

    def to_frame(self) -> Any:
        """Return a data frame with one row per rule (pandas if installed, else polars, else pyarrow)."""
        return frame_of(self.rows())

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return the whole card as plain values; `to_json` writes it."""
        return {
            "data": dict(self.data),
            "honest": self.validation,
            "prevalence": self.prevalence,
            "settings": dict(self.settings),
            "rules": {name: point.as_dict() for name, point in self.points.items()},
        }

    def to_json(self, path: Any = None) -> str:
        """Return the card as versioned JSON for deployment, written to a file if a path is given."""
        from unconfuse.thresholds.deployment import card_to_json

        return card_to_json(self, path)

    def apply(self, scores: Any, *, rule: str, y: Any = None, positive: object = None) -> Any:
        """Label new scores by one rule and say whether they still look like the data: see `apply_card`."""
        from unconfuse.thresholds.deployment import apply_card

        return apply_card(self, scores, rule=rule, y=y, positive=positive)

    def __repr__(self) -> str:
        return (
            f"ThresholdCard: {counted(len(self), 'rule')}, {positives_of(self.data['positives'], self.data['n'])}, "
            f"performance {HONEST[self.validation]}"
        )

    def _repr_html_(self) -> str:
        span = (float(self.data["lowest_score"]), float(self.data["highest_score"]))
        shown = ("sensitivity", "specificity", "precision", "youden_j")

        def row(each: OperatingPoint) -> list[str]:
            at = each.threshold
            drawn = _html_repr.bar(at.value, at.low, at.high, span) if np.isfinite(at.value) else ""
            values = (number_text(each.metrics[name].value) for name in shown)
            return [_html_repr.text(each.label, 36), number_text(at.value), at.interval_text, drawn, *values]

        heads = ["rule", "threshold", "interval", "among the scores", *(name.replace("_", " ") for name in shown)]
        table = _html_repr.table(heads, [row(point) for point in self.points.values()], numbers=[1, 4, 5, 6, 7])
        first, *others = [finding.sentence for finding in self.findings[:2]] or [""]
        return _html_repr.card(repr(self), table, verdict=first, notes=others)

    honest = renamed("validation")
