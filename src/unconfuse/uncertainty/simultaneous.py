"""Drafts of contrasts, and what holds for several of them at once: models, subgroups, test sets.

Intervals are single-step: one critical value for the whole family, so that all of them hold together whatever the
p-values are. p-values step down, which finds more; where they find a difference whose interval still holds 0, both are
shown. Claims about a margin step down on the margin hypotheses themselves. Where a p-value and an interval of one
contrast rest on different approximations, the less certain of the two decides.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from unconfuse._scipy_special import ndtr, stdtrit
from unconfuse.metrics import Metric
from unconfuse.table import Array, Settings
from unconfuse.uncertainty.difference_tests import (
    Joint,
    bonferroni,
    correlated,
    correlation_of,
    single_error,
    step_down_adjust,
)
from unconfuse.uncertainty.method import NoInterval

Limits = tuple[float, float]
Pair = tuple[str, str]
_HALVINGS = 12  # of the way to a p-value: it is known to the third digit
_FARTHEST = 7.0  # standard errors; a level beyond cannot be told from 1 by those who compute limits


@dataclass(frozen=True, eq=False)
class Draft:
    """A contrast before it is part of a result: its value, its test, and its limits at any level.

    `freedom` are degrees of freedom that the limits do not allow for: in a family of contrasts, whose critical value
    lies far out, Student's t takes the place of the normal quantile. `null` is no difference: 0, of ratios 1.
    """

    value: float
    standard_error: float
    method: str
    p_value: float
    test: str
    ends: Callable[[float], Limits]
    freedom: float = math.inf
    null: float = 0.0
    _known: dict[float, Limits] = field(default_factory=dict)

    def limits(self, level: float) -> Limits:
        """Return the interval of this contrast alone, at a level."""
        if level not in self._known:
            self._known[level] = self.ends(level)
        return self._known[level]

    def limits_among(self, error: float) -> Limits:
        """Return the limits of one contrast among several, of which each may err so often on both sides together."""
        return self.limits(1 - error if math.isinf(self.freedom) else _level_of_t(self.freedom, error))

    def excludes(self, limits: Limits) -> bool:
        """Return whether limits leave out no difference."""
        return not limits[0] <= self.null <= limits[1]

    def agreeing(self, error: float, limits: Callable[[float], Limits]) -> Draft:
        """Return the draft with a p-value that is not surer than the limits: the error at which they reach 0."""
        if not self.p_value <= error or self.excludes(limits(error)) or math.isnan(limits(error)[0]):
            return self
        least, most = error, 1.0
        for _ in range(_HALVINGS):
            middle = (least + most) / 2
            least, most = (least, middle) if self.excludes(limits(middle)) else (middle, most)
        return replace(self, p_value=most, test=f"{self.method}: the error at which the interval reaches 0")


def undefined(value: float = math.nan, method: str = "") -> Draft:
    """Return the draft of a contrast that has no interval and no test."""
    why = NoInterval(method) if method else ""
    return Draft(value, math.nan, why, math.nan, "", lambda level: (math.nan, math.nan))


@dataclass(frozen=True)
class SubgroupMoments:
    """A difference, its standard error, the degrees of freedom of that, and from how many cases it comes."""

    value: float
    error: float
    freedom: float
    cases: float

    @property
    def known(self) -> bool:
        """Return whether it can be tested: one case shows no spread."""
        return math.isfinite(self.value) and 0 < self.error < math.inf and self.freedom >= 1

    def padded(self, span: float) -> SubgroupMoments:
        """Return the same with two pseudo cases, +1 and -1, where no case shows a difference in spread.

        >>> round(SubgroupMoments(0.0, 0.0, 7.0, 8.0).padded(1.0).error, 4)
        0.1491
        """
        if self.error > 0:
            return self
        mean = self.value * self.cases / (self.cases + 2) / span
        squares = abs(self.value) * self.cases / span + 2
        variance = max(squares / (self.cases + 2) - mean**2, 0.0) / (self.cases + 1)
        return SubgroupMoments(self.value, span * math.sqrt(variance), self.freedom, self.cases)


def _level_of_t(freedom: float, error: float) -> float:
    """Return the level at which the normal quantile is that of Student's t, with the same tail.

    >>> print(f"{_level_of_t(10, 0.05):.4f}")
    0.9741
    """
    reach = min(float(stdtrit(freedom, 1 - error / 2)), _FARTHEST)
    return float(1 - 2 * ndtr(-reach))


@dataclass(frozen=True, eq=False)
class SimultaneousResult:
    """A contrast with an interval and a p-value that hold for all of its family at once.

    `adjusted` is the step-down p-value, `level` that of the interval as if it were alone.
    """

    draft: Draft
    low: float
    high: float
    adjusted: float
    level: float

    @property
    def value(self) -> float:
        """The contrast itself."""
        return self.draft.value

    @property
    def standard_error(self) -> float:
        """Of the contrast."""
        return self.draft.standard_error

    @property
    def method(self) -> str:
        """How the interval was made."""
        return self.draft.method

    @property
    def p_value(self) -> float:
        """Of this contrast alone."""
        return self.draft.p_value

    @property
    def test(self) -> str:
        """Where the p-value comes from."""
        return self.draft.test


def simultaneous(drafts: Sequence[Draft], joint: Joint, confidence_level: float) -> list[SimultaneousResult]:
    """Return all contrasts of a family with single-step intervals and step-down p-values.

    >>> from functools import partial
    >>> from unconfuse.uncertainty.difference_tests import p_of
    >>> def plain(value): return Draft(value, 1.0, "z", p_of(value, 1.0), "z", lambda level: (value - 2, value + 2))
    >>> [round(each.adjusted, 4) for each in simultaneous([plain(3.0), plain(2.5)], bonferroni, 0.95)]
    [0.0054, 0.0124]
    """
    error = 1 - confidence_level
    found = [each.agreeing(error, lambda e, draft=each: draft.limits(1 - e)) for each in drafts]  # type: ignore[misc]
    known = [place for place, draft in enumerate(found) if not math.isnan(draft.p_value)]
    if len(known) < 2:
        return [
            held_at(draft, draft.limits(confidence_level), draft.p_value, error, confidence_level) for draft in found
        ]
    own = single_error(error, np.arange(len(known)), joint)
    for place in known:
        found[place] = found[place].agreeing(own, found[place].limits_among)
    adjusted = np.full(len(found), np.nan)
    adjusted[known] = step_down_adjust(np.array([found[place].p_value for place in known]), joint)
    return [
        held_at(draft, draft.limits_among(own), float(p), error, 1 - own)
        for draft, p in zip(found, adjusted, strict=True)
    ]


def held_at(draft: Draft, limits: Limits, adjusted: float, error: float, level: float) -> SimultaneousResult:
    """Return a held contrast: an interval that leaves out no difference where not even its test does reaches as far."""
    low, high = limits
    if adjusted > error:
        low, high = min(low, draft.null), max(high, draft.null)
    return SimultaneousResult(draft, low, high, adjusted, level)


def surely_above(drafts: Sequence[Draft], bound: float, joint: Joint, error: float, *, sign: int = 1) -> list[bool]:
    """Return which contrasts (times `sign`) surely lie above a bound, with one error for all false claims together.

    `joint` is the one-sided probability of their correlated errors.
    """

    def proven(limits: Limits) -> bool:
        return (limits[0] if sign > 0 else -limits[1]) > bound

    return _claimed(drafts, proven, joint, error)


def surely_within(drafts: Sequence[Draft], margin: float, error: float) -> list[bool]:
    """Return which contrasts surely lie within a margin on both sides: two one-sided tests each, by Holm for all."""
    return _claimed(drafts, lambda limits: -margin < limits[0] and limits[1] < margin, bonferroni, error)


def _claimed(drafts: Sequence[Draft], proven: Callable[[Limits], bool], joint: Joint, error: float) -> list[bool]:
    """Step down: what is claimed leaves the family, and the others are tested among those left."""
    known = [place for place, each in enumerate(drafts) if not math.isnan(each.p_value)]
    left, claimed = list(range(len(known))), [False] * len(drafts)
    while left:
        own = 2 * single_error(error, np.array(left), joint)
        found = set()
        for each in left:
            draft = drafts[known[each]]
            if proven(draft.limits_among(own) if len(known) > 1 else draft.limits(1 - own)):
                claimed[known[each]] = True
                found.add(each)
        if not found:
            break
        left = [each for each in left if each not in found]
    return claimed


def joint_of_pairs(
    pairs: Sequence[Pair], covariance: Callable[[Sequence[Pair]], Array], seed: int, *, sides: int
) -> Joint:
    """Return how pairs' differences vary together: the same in any order of models and of pairs.

    `covariance` gives that of the differences of some pairs, of which two-sided probabilities need no direction.
    """
    turned = [pair if sides == 1 else (min(pair), max(pair)) for pair in pairs]
    order = sorted(range(len(pairs)), key=lambda place: sorted(pairs[place]))
    matrix = correlation_of(covariance([turned[place] for place in order]))
    joint, places = correlated(matrix, seed, sides=sides), np.argsort(order)
    return lambda p, among: joint(p, np.sort(places[among]))


class ContrastFamily(ABC):
    """All pairs of a comparison: each metric's differences, and what can be claimed of them, hold for all at once."""

    pairs: Sequence[Pair]
    design: Settings
    values: dict[str, dict[str, float]]

    @abstractmethod
    def draft(self, metric: Metric, pair: Pair) -> Draft:
        """Return one difference as if it were the only one."""

    @abstractmethod
    def joint(self, metric: Metric, drafts: Sequence[Draft], *, sides: int = 2) -> Joint:
        """Return how the differences that have a test vary together."""

    def p_far_out(self, metric: Metric, pair: Pair, draft: Draft) -> float:
        """Return the p-value of a draft where it may be tiny."""
        return draft.p_value

    def differences(self, metric: Metric) -> list[SimultaneousResult]:
        """Return the differences of all pairs, with p-values and intervals that hold for all of them at once."""
        drafts = [self.draft(metric, pair) for pair in self.pairs]
        return simultaneous(drafts, self.joint(metric, drafts), self.design.confidence_level)

    def claims(self, metric: Metric, margin: float) -> list[tuple[bool, bool]]:
        """Return of all pairs whether they surely lie within a margin, and the first surely is not worse by it."""
        drafts, error = [self.draft(metric, pair) for pair in self.pairs], 1 - self.design.confidence_level
        joint, sign = self.joint(metric, drafts, sides=1), -1 if metric.better == "lower" else 1
        within, not_worse = surely_within(drafts, margin, error), surely_above(drafts, -margin, joint, error, sign=sign)
        return list(zip(within, not_worse, strict=True))
