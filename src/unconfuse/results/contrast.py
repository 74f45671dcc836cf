"""A difference or a ratio of one metric: of two models, two subgroups or two test sets, with its test and verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from unconfuse._deprecated import renamed
from unconfuse._formatting import number_text, p_text, short_label, strict_json
from unconfuse._phrases import called, told_apart
from unconfuse.metrics import Metric
from unconfuse.policy import Verdict
from unconfuse.results.best_model import pair_sentence
from unconfuse.uncertainty.difference_tests import possible_limits
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.independent_contrast import stretched
from unconfuse.uncertainty.simultaneous import Draft, SimultaneousResult

TOLD_APART = (Verdict.BETTER, Verdict.WORSE, Verdict.DIFFERENT)
_STEP_DOWN_ONLY = ", distinguished by the step-down test only"


@dataclass(frozen=True, repr=False)
class Contrast(Estimate):
    """How two models, or two subgroups, differ in one metric: the first minus the second, or their ratio.

    Attributes
    ----------
    metric, label, first, second : str
    first_value, second_value : float
    difference : Estimate
        Value of the first minus that of the second; their ratio if `scale` is "ratio". With several pairs or subgroups
        the interval is single-step: all intervals of the metric hold at once.
    p_value : float
        Of no difference at all; never 0. With several pairs it is adjusted (step-down): it holds for all at once. NaN
        if there is no test.
    unadjusted_p_value : float
        As if this were the only comparison.
    test : str
        Where the p-value comes from.
    level : float
        Of the interval, as if it were the only one.
    verdict : {"better", "worse", "equivalent", "different", "cannot tell", "undefined"}
        Of the first against the second.
    within_margin : bool or None
        Whether the difference is surely smaller than the margin; None without one. Holds for all pairs at once.
    not_worse : bool or None
        Whether the first model is surely not worse by the margin; None without one. Holds for all pairs at once.
    cases_needed : float
        About how many cases like these would tell a difference of this size in four of five studies, at `level`.
    scale : {"difference", "ratio"}
        Likelihood ratios and odds ratios of subgroups are compared by their ratio.
    by : str or None
        What divides the cases, where subgroups are compared with each other; None where models are.
    subgroup : str
        The subgroup in which two models are compared; empty for all cases.

    Examples
    --------
    >>> import unconfuse as uc
    >>> tables = {"F": uc.score_table([1, 1, 0, 0], [.9, .2, .3, .1]), "M": uc.score_table([1, 0, 0], [.8, .4, .1])}
    >>> found = uc.evaluate(tables, metrics=["recall"]).subgroups.difference("recall", "F", "M")
    >>> found.difference.value, found.verdict
    (-0.5, 'cannot tell')
    """

    first: str = ""
    second: str = ""
    first_value: float = math.nan
    second_value: float = math.nan
    p_value: float = math.nan
    unadjusted_p_value: float = math.nan
    test: str = ""
    level: float = 0.95
    verdict: Verdict = Verdict.UNDEFINED
    within_margin: bool | None = None
    not_worse: bool | None = None
    cases_needed: float = math.nan
    scale: str = "difference"
    by: str | None = None
    subgroup: str = ""

    @classmethod
    def held(
        cls,
        metric: Metric,
        names: tuple[str, str],
        values: tuple[float, float],
        held: SimultaneousResult,
        confidence_level: float,
        *,
        among: str = "",
        undefined: str | None = None,
        **more: Any,
    ) -> Contrast:
        """Return a contrast from what holds for all of its family; `among` says how many there are.

        No difference leaves the range that two values of the metric have.
        """
        draft, scale = held.draft, "ratio" if held.draft.null == 1 else "difference"
        missing = (undefined or metric.undefined) if math.isnan(draft.value) else None
        low, high = held.low, held.high
        if scale == "difference" and missing is None and not math.isnan(low):
            low, high = possible_limits(draft.value, low, high, metric.range)
        method = draft.method + f", adjusted for {among}" if among and not missing else draft.method
        verdict = _verdict(metric.better, draft, (low, high), held.adjusted, 1 - confidence_level, missing)
        if verdict is Verdict.CANNOT_TELL and more.get("within_margin"):
            verdict = Verdict.EQUIVALENT
        return cls(
            metric.name,
            metric.label,
            draft.value,
            low,
            high,
            confidence_level,
            method if missing is None else "",
            missing,
            metric.better,
            draft.null,
            f" {'/' if scale == 'ratio' else '-'} ".join(names)
            + (f", {more['subgroup']}" if more.get("subgroup") else ""),
            standard_error=draft.standard_error,
            first=names[0],
            second=names[1],
            first_value=values[0],
            second_value=values[1],
            p_value=held.adjusted,
            unadjusted_p_value=held.p_value,
            test=draft.test,
            level=held.level,
            verdict=verdict,
            scale=scale,
            **more,
        )

    @property
    def metric(self) -> str:
        """Name of the metric."""
        return self.name

    @property
    def difference(self) -> Estimate:
        """The difference (or ratio) alone, with its interval."""
        own = {name: getattr(self, name) for name in Estimate.__dataclass_fields__}
        return Estimate(**own | {"label": f"{self.scale} in {self.label}"})

    @property
    def adjusted_p_value(self) -> float:
        """The p-value: there is one, and where several comparisons were made it holds for all of them."""
        return self.p_value

    @property
    def step_down_only(self) -> bool:
        """Whether the step-down test tells a difference that the interval, which holds for all at once, does not."""
        return self.verdict in TOLD_APART and self.low <= self.baseline <= self.high

    @property
    def p_value_text(self) -> str:
        """The p-value for a sentence, which says if it was adjusted."""
        several = self.p_value > self.unadjusted_p_value or "adjusted for" in self.method
        return ("adjusted " if several else "") + p_text(self.p_value)

    @property
    def names(self) -> tuple[str, str]:
        """Both sides as a sentence calls them: "smoker 1" says more than "1"."""
        if self.by is None:
            return self.first, self.second
        return called(self.first, self.by), called(self.second, self.by)

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.by is not None:
            return self._of_subgroups()
        sentence = pair_sentence(self)
        return sentence[:-1] + _STEP_DOWN_ONLY + "." if self.step_down_only else sentence

    def _of_subgroups(self) -> str:
        what, (first, second) = short_label(self.label), self.names
        one, other = told_apart(self.first_value, self.second_value)
        values = f"{one} vs {other}"
        if self.verdict is Verdict.UNDEFINED:
            return f"{first} and {second} cannot be compared in {what}: {self.undefined}."
        if math.isnan(self.low):
            return f"Inconclusive whether {first} and {second} differ in {what}: no interval ({values})."
        gap = f"{self.scale} {number_text(self.value)} {self.interval_text}".strip()
        if self.verdict is Verdict.CANNOT_TELL:
            return f"Inconclusive whether {first} and {second} differ in {what}: {values}, {gap}, {self.p_value_text}."
        lower = "lower" if self.first_value < self.second_value else "higher"
        metric, only = f"{what[0].upper()}{what[1:]}", _STEP_DOWN_ONLY if self.step_down_only else ""
        return (
            f"{metric} is {lower} for {first} than for {second}: {values}, {self._amount()}, {self.p_value_text}{only}."
        )

    def _amount(self) -> str:
        if self.scale == "ratio":
            return f"ratio {number_text(self.value)} {self.interval_text}"
        contrast = self.reversed() if self.value < 0 else self
        return f"difference {number_text(contrast.value)} {contrast.interval_text}"

    def reversed(self) -> Contrast:
        """Return the second against the first."""
        turned: dict[str, Any] = {"first": self.second, "second": self.first}
        turned |= {"first_value": self.second_value, "second_value": self.first_value}
        ends = {"value": -self.value, "low": -self.high, "high": -self.low}
        if self.scale == "ratio":
            ends = {"value": _inverse(self.value), "low": _inverse(self.high), "high": _inverse(self.low)}
        said = {"verdict": self.verdict.opposite, "not_worse": None, "recompute": None}
        sign = "/" if self.scale == "ratio" else "-"
        rest = f", {self.subgroup}" if self.subgroup else ""
        words = {"conditions": f"{self.second} {sign} {self.first}{rest}"}
        return replace(self, **turned | ends | said | words)

    def draft(self, metric: Metric) -> Draft:
        """Return the contrast alone as a draft, whose arms grow as the normal quantile does: to adjust it anew."""
        range = metric.range if self.scale == "difference" else None
        ends = stretched(self.value, (self.low, self.high), self.level, range)
        own = self.value, self.standard_error, self.method, self.unadjusted_p_value, self.test
        return Draft(*own, ends, null=self.baseline)

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        named = ["metric", "label", "first", "second", "first_value", "second_value"]
        numbers = ["low", "high", "method", "p_value", "unadjusted_p_value", "test", "verdict"]
        own = ["within_margin", "not_worse", "cases_needed"] if self.by is None else ["undefined"]
        values = {name: getattr(self, name) for name in named}
        values |= {} if self.by is None else {"scale": self.scale}
        values |= {"subgroup": self.subgroup} if self.subgroup else {}
        return values | {"difference": self.value} | {name: getattr(self, name) for name in [*numbers, *own]}

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return self.sentence

    p_words = renamed("p_value_text")


def _verdict(
    better: str, draft: Draft, limits: tuple[float, float], p: float, error: float, missing: str | None
) -> Verdict:
    """Return what can be said of the first: the test decides, and where there is none the interval does."""
    if missing is not None:
        return Verdict.UNDEFINED
    excluded = limits[0] > draft.null or limits[1] < draft.null
    if math.isnan(limits[0]) or not (excluded if math.isnan(p) else p <= error):
        return Verdict.CANNOT_TELL
    if better == "neither":
        return Verdict.DIFFERENT
    return Verdict.BETTER if (draft.value > draft.null) == (better == "higher") else Verdict.WORSE


def _inverse(value: float) -> float:
    return math.inf if value == 0 else 1 / value
