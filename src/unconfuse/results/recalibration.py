"""What `recalibrate` returns: the map that was chosen, and what it does to cases that had no part in its fit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from unconfuse import _html_repr
from unconfuse._formatting import FrozenMapping, TabularResult, number_text, p_text, strict_json
from unconfuse._render_mixins import PlotMixin
from unconfuse.recalibration.map_selection import Candidate, DevianceTest
from unconfuse.recalibration.maps import Form
from unconfuse.recalibration.saved_map import ProbabilityMap
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.estimate import Estimate, Finding

# Cases, and those of the rarest class, below which a map is called unreliable. Between two simulated sizes: at 60 cases
# 4 to 45% of the excess loss of two classes went (bumps: 8% more), at 200 cases 59 to 91%.
FEW = 100
FEW_OF_CLASS = 10  # a rule of thumb
_LEVEL = 1e-9  # a slope below this is 0 but for rounding


@dataclass(frozen=True, repr=False, eq=False)
class Recalibration(PlotMixin, TabularResult):
    """A map that mends stated probabilities, or the advice to leave them alone.

    Attributes
    ----------
    map : ProbabilityMap
        Maps new probabilities; so does the result itself, `r(p_new)`.
    before, after : mapping of str to Estimate
        Log loss, Brier score and, of a yes-or-no question, calibration intercept and slope: of the stated
        probabilities, and of mended ones, each by a map that was fitted to the other folds.
    gain : mapping of str to Estimate
        By how much log loss and Brier score fall, case by case; without an interval where no gain is shown.
    candidates : mapping of str to Candidate
        Every map that was tried, with its deviance, or the reason why it was not fitted.
    test : DevianceTest
        Whether the probabilities are off at all, by a likelihood-ratio test.
    asked : bool
        Whether the kind of map was asked for, rather than chosen.
    """

    map: ProbabilityMap
    before: Mapping[str, Estimate]
    after: Mapping[str, Estimate]
    gain: Mapping[str, Estimate]
    candidates: Mapping[str, Candidate]
    test: DevianceTest
    rarest: float
    asked: bool
    tables: tuple[ScoreTable, ScoreTable | None] = field(repr=False)
    picture: ClassVar[str] = "plot_recalibration"

    def __post_init__(self) -> None:
        """Keep what is held from being changed, and tell the map what is said of it."""
        for name in ("before", "after", "gain", "candidates"):
            object.__setattr__(self, name, FrozenMapping(getattr(self, name)))
        object.__setattr__(self.map, "sentence", self.sentence)

    @property
    def chosen(self) -> str:
        """Kind of map: "none", "intercept", "logistic", "beta", "isotonic", "temperature", "bias" or both of these."""
        return self.map.kind

    def __call__(self, p: Any) -> Array:
        """Mend new probabilities, as `ProbabilityMap` does."""
        return self.map(p)

    def save(self, path: Any) -> None:
        """Write the map as JSON; `read_recalibration` and `unconfuse apply` read it."""
        self.map.save(path)

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        cases = f"{self.map.n:,.10g} cases"
        test = f"likelihood-ratio test, {p_text(self.test.p_value)}"
        if self.chosen == "none":
            if self.asked:
                return f"The probabilities stay as they are, as asked ({cases}; {test})."
            if self._without_slope:
                why = f"{self._without_slope}, and an intercept shows nothing"
                return f"Leave the probabilities alone: {why} ({cases}; {test})."
            return f"Leave the probabilities alone: these {cases} do not show that they are off ({test})."
        how = "as asked" if self.asked else test
        return f"Mend the probabilities by {map_words(self.map.form)} ({cases}; {how}). {self._gained()}"

    @property
    def _without_slope(self) -> str:
        """Why no slope was fitted, or nothing."""
        return self.candidates["temperature" if self.map.several else "logistic"].why_not

    def _gained(self) -> str:
        gain, before, after = (each["log_loss"] for each in (self.gain, self.before, self.after))
        if math.isnan(gain.value):
            return f"What it gains on new cases is not known: {gain.undefined}."
        told = f"Log loss: {number_text(before.value)} before, {number_text(after.value)} after (cross-fitted); "
        if math.isnan(gain.low):
            return f"{told}no gain shown."
        level = f"{100 * gain.confidence_level:.4g}% interval {number_text(gain.low)} to {number_text(gain.high)}"
        return f"{told}gain {number_text(gain.value)}, {level}."

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What to know, in plain words."""
        said = [Finding("closed test on deviances", self.chosen, self.sentence, self._numbers)]
        if self.chosen != "none" and (self.map.n < FEW or self.rarest < FEW_OF_CLASS):
            words = (
                f"Only {self.map.n:,.10g} cases, {self.rarest:,.10g} of the rarest class: maps fitted to so few are "
                "unreliable on new cases. Collect more before you use this one."
            )
            said.append(Finding("few cases", "few cases", words, {"n": self.map.n, "rarest": self.rarest}))
        if _is_level(self.map.form):
            words = "The stated probabilities do not rank the cases better than chance: the map gives all the same."
            said.append(Finding("slope of 0", "no information", words, {}))
        for candidate in self.candidates.values():
            if candidate.form is None and candidate.kind != "isotonic":
                words = f"A map of the kind {candidate.kind} was not fitted: {candidate.why_not}."
                said.append(Finding("not fitted", "not fitted", words, {}))
        return tuple(said)

    @property
    def _numbers(self) -> dict[str, float]:
        return {"drop": self.test.drop, "p_value": self.test.p_value, "n": self.map.n}

    def rows(self) -> list[dict[str, Any]]:
        """One row for each metric: before, after, and what is gained."""
        made = []
        for name, old in self.before.items():
            row: dict[str, Any] = {"metric": name}
            for when, estimate in (("before", old), ("after", self.after[name]), ("gain", self.gain.get(name))):
                ends = (math.nan,) * 3 if estimate is None else (estimate.value, estimate.low, estimate.high)
                row |= dict(zip((when, f"{when}_low", f"{when}_high"), ends, strict=True))
            made.append(row)
        return made

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        tried = {
            name: {
                "deviance": candidate.deviance,
                "degrees_of_freedom": candidate.degrees_of_freedom,
                "why_not": candidate.why_not,
            }
            for name, candidate in self.candidates.items()
        }
        parts = {name: getattr(self, name) for name in ("before", "after", "gain")}
        return {
            "chosen": self.chosen,
            "asked": self.asked,
            "map": self.map.as_dict(),
            **{part: {name: each.as_dict() for name, each in held.items()} for part, held in parts.items()},
            "candidates": tried,
            "test": {
                "drop": self.test.drop,
                "degrees_of_freedom": self.test.degrees_of_freedom,
                "p_value": self.test.p_value,
            },
            "findings": [finding.as_dict() for finding in self.findings],
            "sentence": self.sentence,
        }

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        rows = [
            [_html_repr.text(old.label, 44), _cell(old), _cell(self.after[name]), _cell(self.gain.get(name))]
            for name, old in self.before.items()
        ]
        table = _html_repr.table(["", "before", "after", "gain"], rows, numbers=[1, 2, 3])
        notes = [finding.sentence for finding in self.findings[1:]]
        return _html_repr.card("Recalibration", table, verdict=self.sentence, notes=notes)


def _cell(each: Estimate | None) -> str:
    return "" if each is None else f"{number_text(each.value)} {each.interval_text}".strip()


def _is_level(form: Form) -> bool:
    """Whether the map gives all cases the same probability."""
    if form.kind in ("logistic", "beta"):
        return max(form.parameters[1:]) < _LEVEL
    if form.knots is not None:
        return len(set(form.knots.mended)) == 1
    return form.kind.startswith("temperature") and form.parameters[0] < _LEVEL


def map_words(form: Form) -> str:
    """Return the map in plain words, with its parameters."""
    own = [number_text(parameter) for parameter in form.parameters]
    if form.kind == "intercept":
        return f"an intercept: {own[0]} added to the log-odds"
    if form.kind == "logistic":
        return f"a logistic map: log-odds {own[0]} + {own[1]} times the stated ones"
    if form.kind == "beta":
        return f"a beta map: log-odds {own[0]} + {own[1]} log p - {own[2]} log(1 - p)"
    if form.knots is not None:
        return f"an isotonic map of {len(set(form.knots.mended))} levels"
    words = {"bias": "an intercept for each class", "none": "no map"}
    if form.kind in words:
        return words[form.kind]
    slope = form.parameters[0]
    heat = f"a temperature of {number_text(1 / slope)}" if slope else "a slope of 0"
    return f"{heat} and an intercept for each class" if form.kind.endswith("bias") else heat
