"""How two subgroups differ in one metric.

Subgroups share no case. So their errors are independent, and the interval of a difference follows from both subgroups'
own intervals (MOVER, the method of variance estimates recovery: square and add). Only where cases belong together
(patients, clinics) may two subgroups err together: then whole groups are resampled, the same ones for both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr

from unconfuse.comparison.result import p_text
from unconfuse.comparison.significance import SMALLEST, bootstrap_p, holm
from unconfuse.metrics import Metric
from unconfuse.metrics.influence import is_auroc, quantile
from unconfuse._plain import number_text
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.delong import delong_variance
from unconfuse.uncertainty.paired import mover
from unconfuse.uncertainty.resampled import bias_corrected

_NAMES = ("Matthews", "Jaccard", "Gini", "Brier")  # of people: they keep their capital
Limits = tuple[float, float]


@dataclass(frozen=True)
class Side:
    """One of the two subgroups: its metric with its interval, and what that was made from."""

    name: str
    estimate: Estimate
    table: ScoreTable
    replicates: Array | None = None
    n_groups: int = 0


@dataclass(frozen=True)
class SubgroupDifference:
    """How two subgroups differ in one metric.

    Attributes
    ----------
    metric, label, first, second : str
    first_value, second_value : float
    difference : Estimate
        Value of the first subgroup less that of the second; their ratio if `scale` is "ratio".
    p_value : float
        Of no difference at all; NaN if there is no test.
    adjusted_p_value : float
        Holm's, for all subgroups that are compared in this metric.
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
    >>> found = uc.evaluate(tables, metrics=["sensitivity"]).difference("sensitivity", "F", "M")
    >>> found.difference.value, found.verdict
    (-0.5, 'cannot tell')
    """

    metric: str
    label: str
    first: str
    second: str
    first_value: float
    second_value: float
    difference: Estimate
    p_value: float
    adjusted_p_value: float
    test: str
    verdict: str
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
        words = (
            f"{first} and {second} differ"
            if self.verdict == "different"
            else (f"{first} looks {self.verdict} than {second}")
        )
        return f"{words} in {what} by {self._amount()} ({values}); that is more than chance would give ({self._p()})."

    def _amount(self) -> str:
        found = self.difference
        if self.scale == "ratio":
            return f"a factor of {number_text(found.value)} {found.interval_text}"
        if found.value < 0:
            found = replace(found, value=-found.value, low=-found.high, high=-found.low)
        return f"{number_text(found.value)} {found.interval_text}"

    def _p(self) -> str:
        adjusted = self.adjusted_p_value > self.p_value
        return f"adjusted {p_text(self.adjusted_p_value)}" if adjusted else p_text(self.p_value)

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "metric": self.metric,
            "label": self.label,
            "first": self.first,
            "second": self.second,
            "first_value": self.first_value,
            "second_value": self.second_value,
            "scale": self.scale,
            "difference": self.difference.value,
            "low": self.difference.low,
            "high": self.difference.high,
            "method": self.difference.method,
            "p_value": self.p_value,
            "adjusted_p_value": self.adjusted_p_value,
            "test": self.test,
            "verdict": self.verdict,
            "undefined": self.difference.undefined,
        }

    def __str__(self) -> str:
        return self.sentence


def _says_little(name: str) -> bool:
    return not any(each.isalpha() for each in name) or name.lower() in ("true", "false", "yes", "no")


def short_label(label: str) -> str:
    """A metric's name within a sentence.

    >>> short_label("Sensitivity (recall, TPR)"), short_label("AUROC"), short_label("Brier score")
    ('sensitivity', 'AUROC', 'Brier score')
    """
    words = label.split(" (", maxsplit=1)[0]
    first = words.split(" ")[0]
    return words if first in _NAMES or not (first.isalpha() and first.istitle()) else words[0].lower() + words[1:]


def subgroup_difference(metric: Metric, first: Side, second: Side, by: str = "") -> SubgroupDifference:
    """The first subgroup less the second (or over it), with interval, test and verdict; `by` names what divides them.

    References
    ----------
    Newcombe (1998), Stat. Med. 17:873; Zou and Donner (2008), Stat. Med. 27:1693 (MOVER). DeLong, DeLong and
    Clarke-Pearson (1988), Biometrics 44:837 (the test of two AUROCs).
    """
    by_ratio = metric.log_limits is not None
    level = first.estimate.confidence_level
    values = [_scaled(side.estimate.value, by_ratio) for side in (first, second)]
    gap = values[0] - values[1]
    if math.isnan(gap):
        (low, high), method, p, test = (math.nan, math.nan), "", math.nan, ""
    elif first.replicates is not None and second.replicates is not None:
        (low, high), method, p, test = _resampled(gap, first, second, by_ratio, level)
    else:
        (low, high), method, p, test = _independent(metric, gap, first, second, by_ratio, level)
    value, low, high = (_unscaled(each, by_ratio) for each in (gap, low, high))
    scale = "ratio" if by_ratio else "difference"
    found = Estimate(
        metric.name,
        f"{scale} in {metric.label}",
        value,
        low,
        high,
        level,
        method=method,
        undefined=_reason(first, second) if math.isnan(gap) else None,
        better=metric.better,
        baseline=1.0 if by_ratio else 0.0,
        context=f"{first.name} {'/' if by_ratio else '-'} {second.name}",
    )
    return SubgroupDifference(
        metric.name,
        metric.label,
        first.name,
        second.name,
        first.estimate.value,
        second.estimate.value,
        found,
        p,
        p,
        test,
        _verdict(found, sure=True),
        scale,
        by,
    )


def with_adjusted(found: Sequence[SubgroupDifference]) -> tuple[SubgroupDifference, ...]:
    """Several differences in one metric, with p-values and verdicts that hold for all of them at once."""
    p_values = np.array([each.p_value for each in found])
    known = ~np.isnan(p_values)
    p_values[known] = holm(p_values[known])
    return tuple(
        replace(
            each,
            adjusted_p_value=float(p),
            verdict=_verdict(each.difference, sure=math.isnan(p) or p <= 1 - each.difference.confidence_level),
        )
        for each, p in zip(found, p_values, strict=True)
    )


def _independent(
    metric: Metric, gap: float, first: Side, second: Side, by_ratio: bool, level: float
) -> tuple[Limits, str, float, str]:
    ends = [
        tuple(_scaled(each, by_ratio) for each in (side.estimate.low, side.estimate.high)) for side in (first, second)
    ]
    method = "MOVER, independent subgroups" + (", on the log scale" if by_ratio else "")
    if np.isnan(ends).any():
        return (math.nan, math.nan), "", math.nan, ""
    if not math.isfinite(gap) or not np.isfinite(ends).all():  # nothing to square: the widest that both allow
        limits = _nowhere_nan(ends[0][0] - ends[1][1], -math.inf), _nowhere_nan(ends[0][1] - ends[1][0], math.inf)
        return limits, method, math.nan, ""
    values = np.array([_scaled(side.estimate.value, by_ratio) for side in (first, second)])
    low, high = mover(values, [(each[0], each[1]) for each in ends], 0.0)
    p = _delong_p(metric, gap, first.table, second.table)
    if not math.isnan(p):
        return (low, high), method, p, "DeLong, independent"
    return (low, high), method, _recovered_p(gap, low, high, level), "variance recovered from the interval"


def _delong_p(metric: Metric, gap: float, first: ScoreTable, second: ScoreTable) -> float:
    """DeLong's test of two areas from different cases; none where a class separates perfectly and shows no variance."""
    if not is_auroc(metric):
        return math.nan
    variances = [float(delong_variance(table)) for table in (first, second)]
    if not min(variances) > 0:
        return math.nan
    return max(float(2 * ndtr(-abs(gap / metric.root.scale) / math.sqrt(sum(variances)))), SMALLEST)


def _recovered_p(gap: float, low: float, high: float, level: float) -> float:
    """From the variance that the interval shows on the side of no difference: p < 5% iff 95% limits exclude it."""
    if gap == 0:
        return 1.0
    reach = gap - low if gap > 0 else high - gap
    return max(float(2 * ndtr(-abs(gap) * quantile(level) / reach)), SMALLEST) if reach > 0 else math.nan


def _resampled(gap: float, first: Side, second: Side, by_ratio: bool, level: float) -> tuple[Limits, str, float, str]:
    assert first.replicates is not None
    assert second.replicates is not None
    n_groups = min(first.n_groups, second.n_groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (np.log(each) if by_ratio else each for each in (first.replicates, second.replicates))
        spread = one - other
    spread = np.where(np.isfinite(spread), spread, np.nan)
    if n_groups < 2 or not math.isfinite(gap) or np.isnan(spread).all():
        return (math.nan, math.nan), "", math.nan, ""
    limits = bias_corrected(gap, spread, confidence_level=level, smaller_class=n_groups)
    method = limits.method.replace("bootstrap", "bootstrap of whole groups, the same for both subgroups", 1)
    return (float(limits.low), float(limits.high)), method, bootstrap_p(gap, spread), "bootstrap of whole groups"


def _scaled(value: float, by_ratio: bool) -> float:
    if not by_ratio:
        return value
    return math.nan if math.isnan(value) else -math.inf if value <= 0 else math.log(value)


def _unscaled(value: float, by_ratio: bool) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(value)) if by_ratio else value


def _nowhere_nan(value: float, instead: float) -> float:
    return instead if math.isnan(value) else value


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
