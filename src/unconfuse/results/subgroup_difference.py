"""How two subgroups differ in one metric, and what that means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unconfuse._plain import number_text, p_text, short_label, strict_json, with_numbers
from unconfuse.metrics import Metric
from unconfuse.metrics.influence import quantile
from unconfuse.uncertainty import Estimate, Side, independent_difference
from unconfuse.uncertainty.significance import bonferroni, possible_limits, stepped_down

REST = "rest"  # everyone but one subgroup


@dataclass(frozen=True)
class Difference:
    """How two models, or two subgroups, differ in one metric: the first against the second."""

    metric: str
    label: str
    first: str
    second: str
    first_value: float
    second_value: float
    difference: Estimate
    p_value: float
    unadjusted_p_value: float
    test: str
    verdict: str

    @property
    def sentence(self) -> str:
        """The verdict in plain words."""
        raise NotImplementedError

    @property
    def adjusted_p_value(self) -> float:
        """The p-value: there is one, and where several comparisons were made it holds for all of them."""
        return self.p_value

    @property
    def p_words(self) -> str:
        """The p-value for a sentence, which says if it was adjusted."""
        several = self.p_value > self.unadjusted_p_value or "adjusted for" in self.difference.method
        adjusted = "adjusted " if several else ""
        return adjusted + p_text(self.p_value)

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        found = self.difference
        gap = {"difference": found.value, "low": found.low, "high": found.high, "method": found.method}
        own = vars(self)
        return {key: own[key] for key in list(own)[:6]} | gap | {key: own[key] for key in own if key != "difference"}

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class SubgroupDifference(Difference):
    """How two subgroups differ in one metric.

    Attributes
    ----------
    metric, label, first, second : str
    first_value, second_value : float
    difference : Estimate
        Value of the first subgroup less that of the second; their ratio if `scale` is "ratio".
    p_value : float
        Of no difference at all, by Holm's adjustment for all subgroups that are compared in this metric; NaN if there
        is no test.
    unadjusted_p_value : float
        As if this were the only comparison.
    test : str
        Where the p-value comes from.
    verdict : {"better", "worse", "different", "cannot tell", "undefined"}
        Of the first subgroup against the second.
    scale : {"difference", "ratio"}
        Likelihood ratios and odds ratios are compared by their ratio.

    Examples
    --------
    >>> import unconfuse as uc
    >>> tables = {"F": uc.score_table([1, 1, 0, 0], [.9, .2, .3, .1]), "M": uc.score_table([1, 0, 0], [.8, .4, .1])}
    >>> found = uc.evaluate(tables, metrics=["recall"]).subgroups.difference("recall", "F", "M")
    >>> found.difference.value, found.verdict
    (-0.5, 'cannot tell')
    """

    scale: str = "difference"
    by: str = ""

    @property
    def names(self) -> tuple[str, str]:
        """Both subgroups as a sentence calls them: "smoker 1" says more than "1"."""
        one, other = (f"{self.by} {name}" if _says_little(name) else name for name in (self.first, self.second))
        return one, other

    @property
    def sentence(self) -> str:
        """The verdict in plain words."""
        what, (first, second) = short_label(self.label), self.names
        values = f"{number_text(self.first_value)} against {number_text(self.second_value)}"
        if self.verdict == "undefined":
            return f"{first} and {second} cannot be compared in {what}: {self.difference.undefined}."
        if math.isnan(self.difference.low):
            return f"Whether {first} and {second} differ in {what} cannot be judged without an interval ({values})."
        if self.verdict == "cannot tell":
            gap = f"{self.scale} {number_text(self.difference.value)} {self.difference.interval_text}".strip()
            return f"{first} and {second} cannot be told apart in {what} at this size ({values}, {gap})."
        words = f"{first} looks {self.verdict} than {second}"
        if self.verdict == "different":
            words = f"{first} and {second} differ"
        return (
            f"{words} in {what} by {self._amount()} ({values}); that is more than chance would give ({self.p_words})."
        )

    def _amount(self) -> str:
        found = self.difference
        if self.scale == "ratio":
            return f"a factor of {number_text(found.value)} {found.interval_text}"
        if found.value < 0:
            found = replace(found, value=-found.value, low=-found.high, high=-found.low)
        return f"{number_text(found.value)} {found.interval_text}"

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        whole = with_numbers(self, Difference) | {"undefined": self.difference.undefined}
        del whole["by"]
        return {key: whole[key] for key in [*list(whole)[:6], "scale"]} | whole


def _says_little(name: str) -> bool:
    return not any(each.isalpha() for each in name) or name.lower() in ("true", "false", "yes", "no")


def subgroup_difference(metric: Metric, first: Side, second: Side, by: str = "") -> SubgroupDifference:
    """The first subgroup less the second (or over it), with interval, test and verdict; `by` says what divides."""
    found = independent_difference(metric, first, second)
    by_ratio, names = metric.inference.log_limits is not None, (first.name, second.name)
    scale, sign, baseline = ("ratio", "/", 1.0) if by_ratio else ("difference", "-", 0.0)
    estimate = Estimate.of(
        metric,
        found.value,
        (found.low, found.high, found.method),
        first.estimate.confidence_level,
        label=f"{scale} in {metric.label}",
        undefined=_reason(first, second) if math.isnan(found.value) else None,
        baseline=baseline,
        context=f" {sign} ".join(names),
    )
    values, p = (first.estimate.value, second.estimate.value), (found.p_value, found.p_value)
    verdict = _verdict(estimate, sure=True)
    return SubgroupDifference(metric.name, metric.label, *names, *values, estimate, *p, found.test, verdict, scale, by)


def with_adjusted(metric: Metric, found: Sequence[SubgroupDifference]) -> tuple[SubgroupDifference, ...]:
    """Several differences in one metric, with p-values, intervals and verdicts that hold for all of them at once."""
    p_values = np.array([each.unadjusted_p_value for each in found])
    known, errors = np.flatnonzero(~np.isnan(p_values)), np.full(len(found), np.nan)
    if len(known) > 1:
        error = 1 - found[0].difference.confidence_level
        p_values[known], errors[known] = stepped_down(p_values[known], error, bonferroni)
    return tuple(
        _adjusted(metric, each, float(p), float(error), len(known))
        for each, p, error in zip(found, p_values, errors, strict=True)
    )


def _adjusted(metric: Metric, found: SubgroupDifference, p: float, error: float, among: int) -> SubgroupDifference:
    """With the p-value and the interval of its step; both arms grow as the normal quantile does."""
    gap = found.difference
    if not math.isnan(error):
        low, high = _stretched(gap, quantile(1 - error) / quantile(gap.confidence_level), found.scale == "ratio")
        if found.scale == "difference":
            low, high = possible_limits(gap.value, low, high, metric.range)
        gap = replace(gap, low=low, high=high, method=f"{gap.method}, adjusted for {among} subgroups")
    sure = math.isnan(p) or p <= 1 - gap.confidence_level
    return replace(found, p_value=p, difference=gap, verdict=_verdict(gap, sure=sure))


def _stretched(gap: Estimate, factor: float, by_ratio: bool) -> tuple[float, float]:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value, low, high = (np.log(each) if by_ratio else each for each in (gap.value, gap.low, gap.high))
        ends = [value + factor * (end - value) if np.isfinite(end - value) else end for end in (low, high)]
        low, high = (float(np.exp(end)) if by_ratio else float(end) for end in ends)
    return low, high


def _reason(first: Side, second: Side) -> str:
    for side in (first, second):
        if side.estimate.undefined:
            return f"{side.name} has no value ({side.estimate.undefined})"
    return "both values are infinite or zero"


def _verdict(found: Estimate, *, sure: bool) -> str:
    if found.undefined:
        return "undefined"
    if not sure or not (found.low > found.baseline or found.high < found.baseline):
        return "cannot tell"
    if found.better == "neither":
        return "different"
    return "better" if (found.low > found.baseline) == (found.better == "higher") else "worse"
