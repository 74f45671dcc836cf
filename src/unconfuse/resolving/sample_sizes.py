"""How many cases a study needs: for an interval's width, for a test's power, for non-inferiority."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import frame_of, number_text, strict_json
from unconfuse._scipy_special import ndtr, ndtri
from unconfuse.resolving.standard_errors import StandardErrorModel

_MOST = 10**10
_ROUNDS = 3  # of correcting theory by simulation, which converges at once where errors shrink with the root of n


@dataclass(frozen=True)
class SampleSize:
    """The smallest number of cases that reaches a goal.

    Attributes
    ----------
    metric, value, prevalence
        What is measured, the value expected of it, and the share of positives.
    goal : {"width", "power", "non-inferiority"}
    n, positives : int
        Cases (of each model, if each has a test set of its own), and positives among them.
    reached : float
        The width of the interval, or the power, with so many cases.
    curve : tuple of (n, reached)
    assumptions : str
        In words.
    design : {"cohort", "case-control"}
        Whether the number of positives varies from study to study, or is fixed.
    """

    metric: str
    value: float
    prevalence: float
    goal: str
    n: int
    positives: int
    reached: float
    curve: tuple[tuple[int, float], ...]
    assumptions: str
    design: str = "cohort"

    @property
    def sentence(self) -> str:
        """The answer in words."""
        reached = number_text(self.reached, 4) if self.goal == "width" else f"{self.reached:.1%}"
        what = {"width": "the interval is then", "power": "the power is then"}.get(self.goal, "the power is then")
        wide = " wide" if self.goal == "width" else ""
        return (
            f"{self.metric} of about {number_text(self.value)} needs {self.n:,} cases, {self.positives:,} of them "
            f"positive ({self.prevalence:.3g}, {self.design}): {what} {reached}{wide}. {self.assumptions}"
        )

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**vars(self), "curve": [list(point) for point in self.curve], "sentence": self.sentence}

    def to_frame(self) -> Any:
        """Return the curve as a data frame."""
        return frame_of([{"n": n, self.reached_name: reached} for n, reached in self.curve])

    @property
    def reached_name(self) -> str:
        """What the curve shows against n."""
        return "width" if self.goal == "width" else "power"

    def __index__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class StudyGoal:
    """What a study is to show."""

    width: float | None = None
    power: float | None = None
    margin: float | None = None
    null: float | None = None
    difference: float | None = None
    level: float = 0.95
    icc: float = 0.0
    group_size: float = 1.0

    @property
    def z(self) -> float:
        """Normal quantile of the level, two-sided."""
        return float(ndtri((1 + self.level) / 2))

    @property
    def inflation(self) -> float:
        """How many cases in groups count as one: the design effect."""
        return 1 + (self.group_size - 1) * self.icc


def sample_size(spread: StandardErrorModel, goal: StudyGoal, assumptions: str) -> SampleSize:
    """Find the smallest n that reaches the goal."""
    kind, reached, enough = _question(spread, goal)
    rarer = min(spread.prevalence, 1 - spread.prevalence)
    n = _settled(spread, enough, max(4, math.ceil(2 / rarer)))
    grouped = math.ceil(n * goal.inflation - 1e-9)
    sizes = np.unique(np.geomspace(max(n / 8, 4 / rarer), n * 8, 17).astype(int)).tolist()
    curve = tuple((math.ceil(size * goal.inflation - 1e-9), reached(size)) for size in sizes)
    positives = math.ceil(grouped * spread.prevalence - 1e-9)
    words = assumptions + spread.remark + _grouped(goal)
    about = spread.metric.name, spread.value, spread.prevalence
    return SampleSize(*about, kind, grouped, positives, reached(n), curve, words, spread.design)


def _settled(spread: StandardErrorModel, enough: Callable[[int], bool], start: int) -> int:
    """Find the smallest n that is enough, by standard errors that hold at about this n."""
    n = _smallest(enough, start)
    for _ in range(_ROUNDS):
        if spread.holds_at(n):
            return n
        n = _smallest(enough, start)
    return n


def _grouped(goal: StudyGoal) -> str:
    if goal.inflation == 1:
        return ""
    return (
        f" Cases come in groups of {goal.group_size:g} with a correlation of {goal.icc:g} within, which asks for "
        f"{goal.inflation:.3g} times as many."
    )


def _question(spread: StandardErrorModel, goal: StudyGoal) -> tuple[str, Callable[[int], float], Callable[[int], bool]]:
    """Return the kind of goal, what n cases reach, and whether that is enough."""
    if goal.width is not None:
        wanted, level, z = goal.width, goal.level, goal.z
        return "width", lambda n: spread.width(n, level, z), lambda n: spread.width(n, level, z) <= wanted
    if goal.power is None:
        raise ArgumentError("say what is to be reached: `width` or `power`.")
    wanted = goal.power
    if goal.margin is not None:
        found = _power(spread, goal, goal.margin + (goal.difference or 0.0), non_inferior=True)
        return "non-inferiority", found, lambda n: found(n) >= wanted
    if goal.null is not None:
        effect = abs(spread.value - goal.null)
    elif goal.difference is not None:
        effect = spread.effect(goal.difference)
    else:
        raise ArgumentError("power to show what? Give `null=`, a value to be excluded, `difference=` or `margin=`.")
    if effect < 1e-9:
        raise ArgumentError(f"there is no difference to be shown: {spread.metric.name} is {spread.value:.4g}.")
    found = _power(spread, goal, effect)
    return "power", found, lambda n: found(n) >= wanted


def _power(
    spread: StandardErrorModel, goal: StudyGoal, effect: float, *, non_inferior: bool = False
) -> Callable[[int], float]:
    """Chance that a test shows the effect, with n cases."""

    def of(n: int) -> float:
        if goal.null is not None:
            null, own = spread.against(goal.null, n)
        else:
            null, own = spread.between(goal.difference or 0.0, n)
        null = own if non_inferior else null  # the margin's border is no place of equal models
        return float(ndtr((effect - goal.z * null) / own))

    return of


def _smallest(enough: Callable[[int], bool], start: int) -> int:
    """Find the smallest n that is enough, by doubling and halving."""
    low, high = start - 1, start
    while not enough(high):
        low, high = high, 2 * high
        if high > _MOST:
            raise ArgumentError(f"more than {_MOST:,} cases would be needed.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
