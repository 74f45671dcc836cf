"""The threshold card: every rule side by side, with what to expect of it on new cases."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from unconfuse import _html_repr
from unconfuse._deprecated import renamed
from unconfuse._errors import UnknownNameError, argument_name, did_you_mean
from unconfuse._formatting import frame_of, number_text, short_repr, strict_json
from unconfuse._phrases import counted, only
from unconfuse._render_mixins import PlotMixin, ReportMixin
from unconfuse._validate import check_text, public_api
from unconfuse.table import Counts, Sample, ScoreTable
from unconfuse.table.sample import positives_of
from unconfuse.uncertainty.estimate import Estimate, Finding

HONEST = {
    "bootstrap": "corrected by bootstrap",
    "crossfit": "cross-fitted",
    "optimism": "optimism-corrected",
    None: "measured on the data it was chosen on",
}
FEW = 10  # cases of a class below which nothing can be chosen honestly
FLATTERY = 0.02  # Youden J that looks this much better than it is deserves a remark


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
        The lowest score to label positive; infinite where labelling nobody is best.
    next_score : float
        Every threshold above this score, up to `threshold`, labels the same cases of the data.
    flat_region : FlatRegion
    metrics : mapping of name to Estimate
        Honest: what to expect on new cases of the same kind.
    apparent : mapping of name to Estimate
        Measured on the data that the threshold was chosen on.
    optimism : mapping of name to float
        Apparent minus honest.
    at_prevalence : mapping of name to Estimate
        The honest metrics at the stated prevalence; empty if none was stated.
    counts : Counts
        Honest 2x2 table (a mean over deals, so not whole numbers), or the apparent one.
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
            return f"{self.label}: label nobody."
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
        for name, each in self.metrics.items():
            columns |= {
                name: each.value,
                f"{name}_low": each.low,
                f"{name}_high": each.high,
                f"{name}_apparent": self.apparent[name].value,
                f"{name}_optimism": self.optimism[name],
            }
        columns |= {f"{name}_at_prevalence": each.value for name, each in self.at_prevalence.items()}
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
            "metrics": {name: each.as_dict() for name, each in self.metrics.items()},
            "apparent": {name: each.as_dict() for name, each in self.apparent.items()},
            "optimism": dict(self.optimism),
            "at_prevalence": {name: each.as_dict() for name, each in self.at_prevalence.items()},
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
    """Every rule for choosing a threshold, by name, with honest performance.

    Attributes
    ----------
    points : mapping of rule name to OperatingPoint
    data : mapping
        Summary of the data: n, positives, prevalence, lowest and highest score, the positive label.
    honest : {"bootstrap", "crossfit", "optimism", None}
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
        plain = name.lower().replace(" ", "_").replace("-", "_")
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
        points = self.points.values()
        payers = [_costs(self, who) for who in self.costs]
        found = [_few_cases(self), _optimism(self), *payers, *map(_unreachable, points), *map(_nobody, points)]
        return tuple(each for each in found if each is not None)

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
            "rules": {name: each.as_dict() for name, each in self.points.items()},
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
        table = _html_repr.table(heads, [row(each) for each in self.points.values()], numbers=[1, 4, 5, 6, 7])
        first, *others = [each.sentence for each in self.findings[:2]] or [""]
        return _html_repr.card(repr(self), table, verdict=first, notes=others)

    honest = renamed("validation")


def _few_cases(card: ThresholdCard) -> Finding | None:
    """So few cases that any choice is a guess."""
    positives, negatives = float(card.data["positives"]), float(card.data["n"]) - float(card.data["positives"])
    small = {name: size for name, size in (("positive", positives), ("negative", negatives)) if size < FEW}
    if not small:
        return None
    sentence = f"{only(small)}: so few cases allow no honest choice, whichever rule is taken."
    rule = f"Fewer than {FEW} cases of a class cannot both choose a threshold and measure it."
    return Finding(rule, "too few cases", sentence, {f"{name}s": size for name, size in small.items()})


def _costs(card: ThresholdCard, who: str) -> Finding | None:
    """Say what a stakeholder gains over labelling nobody or everybody, with a threshold chosen for these costs."""
    point = card.points.get(f"cost:{who}" if who else "cost")
    if point is None or point.infeasible_reason:
        return None
    fp, fn = card.costs[who]
    held = point.at_prevalence or point.metrics
    cost = next((each.value for name, each in held.items() if name.startswith("expected_cost")), math.nan)
    share = float(card.data["prevalence"]) if card.prevalence is None else card.prevalence
    nobody, everybody = fn * share, fp * (1 - share)
    if math.isnan(cost):
        return None
    whose = f"For {who}, a case" if who else "A case"
    useful = cost < min(nobody, everybody)
    costs = (
        f"costs {number_text(cost)} on average at the cheapest threshold, {number_text(nobody)} if nobody is labelled"
    )
    verdict = "acting on the scores is useful" if useful else "the scores save nothing"
    sentence = f"{whose} {costs} and {number_text(everybody)} if everybody is: at these costs {verdict}."
    rule = "Scores are useful to whom they save costs, against labelling nobody and against labelling everybody."
    numbers = {"cost": cost, "nobody": nobody, "everybody": everybody, "prevalence": share}
    return Finding(rule, "useful" if useful else "not useful", sentence, numbers)


def _optimism(card: ThresholdCard) -> Finding | None:
    if card.validation is None:
        sentence = (
            "The thresholds were chosen and measured on the same data, which flatters them: ask for "
            f"{argument_name('validation', 'crossfit')} or {argument_name('validation', 'optimism')}."
        )
        return Finding("Choosing and measuring on the same data flatters.", "not honest", sentence)
    gains = {name: point.optimism.get("youden_j", math.nan) for name, point in card.points.items()}
    gains = {name: gain for name, gain in gains.items() if not math.isnan(gain)}
    worst = max(gains, key=lambda name: gains[name], default=None)
    if worst is None or gains[worst] < FLATTERY:
        return None
    point = card.points[worst]
    sentence = (
        f"Choosing a threshold and measuring it on the same data flatters: by the rule {point.label!r}, Youden's J "
        f"looks like {number_text(point.apparent['youden_j'].value)}, but expect "
        f"{number_text(point.metrics['youden_j'].value)} on new cases."
    )
    rule = f"Youden's J looks better by at least {FLATTERY:g} on the data that chose the threshold."
    return Finding(rule, "optimism", sentence, {worst: gains[worst]})


def _unreachable(point: OperatingPoint) -> Finding | None:
    if point.infeasible_reason is None:
        return None
    return Finding(
        "Some limits are reached by no threshold.", "cannot be met", f"{point.label}: {point.infeasible_reason}."
    )


def _nobody(point: OperatingPoint) -> Finding | None:
    if not math.isinf(point.threshold.value) or point.infeasible_reason:
        return None
    reason = (
        f"at these costs every threshold is dearer than its misses: {point.rationale}"
        if point.rule.startswith("cost")
        else "more cases share the highest score than there is room for"
    )
    return Finding("Labelling nobody is a choice too.", "label nobody", f"{point.label}: label nobody; {reason}.")
