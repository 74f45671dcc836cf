"""The jackknife over whole groups (clusters): how sure a number is whose cases belong together.

Each group is left out once. Groups that happen to agree say little of how groups differ, so the variance is never below
that of independent cases times what their correlation within groups adds; where hardly a case is wrong, and the
correlation cannot be seen, .1 is believed. Student's t has degrees of freedom between those of equal groups and those
of groups as unequal as these.

Bell and McCaffrey (2002), Survey Methodology 28:169; Imbens and Kolesar (2016), Review of Economics and Statistics
98:701 (degrees of freedom); Wilson (1927), JASA 22:209.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from unconfuse._scipy_special import stdtr
from unconfuse.metrics.influence_functions import student_quantile
from unconfuse.table import Array, Codes, summed_by
from unconfuse.table.counts import summed
from unconfuse.table.survey_design import FEW_UNITS
from unconfuse.uncertainty.bootstrap_intervals import step
from unconfuse.uncertainty.influence_intervals import wilson_limits

if TYPE_CHECKING:
    from unconfuse.uncertainty.interval_methods import MetricReplicates

_BELIEVED, _WORTH = 0.1, 5.0  # correlation that is believed before errors are seen, and how many errors outweigh it
_LEAST = 0.05  # correlation that degrees of freedom allow for
_SMALLEST = 1e-300


@dataclass(frozen=True, eq=False)
class ClusterPart:
    """Cases whose contributions are compared: of a proportion its trials, of a ranking each class by itself.

    `sizes` and `sums` are of the cases, and of what they contribute, in each group; `squares` is the sum over all cases
    of squared contributions, `variance` what they add to the metric's variance if each stood for itself, and `name`
    what they are called.
    """

    sizes: Array
    sums: Array
    squares: float
    variance: float
    name: str = "cases"

    @property
    def units(self) -> int:
        """In how many groups these cases are."""
        return int(np.count_nonzero(self.sizes))

    @cached_property
    def correlation(self) -> float:
        """Within groups: by the analysis of variance, from 0 to 1; 0 where it cannot be known."""
        held = self.sizes > 0
        sizes, sums, k = self.sizes[held], self.sums[held], int(held.sum())
        n = float(sizes.sum())
        if k < 2 or n <= k:
            return 0.0
        between = max(float((sums**2 / sizes).sum() - sums.sum() ** 2 / n), 0.0) / (k - 1)
        within = max(self.squares - float((sums**2 / sizes).sum()), 0.0) / (n - k)
        usual = (n - float((sizes**2).sum()) / n) / (k - 1)
        whole = between + (usual - 1) * within
        if not whole > 1e-12 * self.squares / n:  # all contribute alike, but for rounding
            return 0.0
        return min(max((between - within) / whole, 0.0), 1.0)

    def weighed(self, correlation: float) -> Array:
        """Return what each group adds to the variance, at this correlation within groups."""
        n = max(float(self.sizes.sum()), _SMALLEST)
        return np.asarray(self.sizes * (1 + np.maximum(self.sizes - 1, 0.0) * correlation) * (self.variance / n))


@dataclass(frozen=True, eq=False)
class Jackknifed:
    """A value with its variance over groups, its degrees of freedom, and where an interval is centred.

    `centre` is the value with half a case added: a proportion is as variable there as its variance says, and a metric
    without two ends is stepped from there. `units` is the smallest number of groups that a kind of cases comes from.
    """

    value: float
    variance: float
    freedom: float
    centre: float
    range: tuple[float, float]
    units: int
    kind: str = "cases"
    how: str = ""  # what was done to groups or scores that are many
    drawn: MetricReplicates | None = None  # a few resamples of single cases, of a metric that needs them
    increasing: Jackknifed | None = None  # of the proportion that the metric is an increasing function of

    @property
    def error(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance)

    def limits(self, level: float) -> tuple[float, float]:
        """Wilson's between two ends, otherwise a step on the log or on the natural scale."""
        reach, (least, most) = float(student_quantile(self.freedom, level)), self.range
        if not np.isfinite(self.range).all():
            low, high = (
                float(each) for each in step(np.asarray(self.centre), np.asarray(reach * self.error), self.range)
            )
            return min(low, self.value), max(high, self.value)
        span = most - least
        share, centre = ((each - least) / span for each in (self.value, self.centre))
        cases = centre * (1 - centre) * span**2 / max(self.variance, _SMALLEST)
        low, high = (float(wilson_limit) for wilson_limit in wilson_limits(np.asarray(share), np.asarray(cases), reach))
        low, high = least + span * min(max(low, 0.0), share), least + span * max(min(high, 1.0), share)
        return (least if self.value <= least else low), (most if self.value >= most else high)

    @property
    def remark(self) -> str:
        """What a reader must know of many, and of few groups."""
        groups = "group" if self.units == 1 else "groups"
        return self.how + (f", {self.kind} in {self.units} {groups} only" if self.units < FEW_UNITS else "")

    def limits_of_difference(self, level: float) -> tuple[float, float]:
        """Student's t to both sides, within the range."""
        reach = float(student_quantile(self.freedom, level)) * self.error
        return max(self.value - reach, self.range[0]), min(self.value + reach, self.range[1])

    @property
    def p_of_none(self) -> float:
        """Two-sided, that the value is 0."""
        return float(2 * stdtr(self.freedom, -abs(self.value) / max(self.error, _SMALLEST)))


def jackknifed(
    value: float,
    without: Array,
    parts: Sequence[ClusterPart],
    *,
    centre: float,
    errors: float,
    range: tuple[float, float],
) -> Jackknifed:
    """From the values without each group, and from what cases of each part contribute.

    `errors` is how many cases are wrong, or right if these are fewer: how much the correlation is believed.
    """
    correlation = float(np.mean([part.correlation for part in parts]))
    shrunk = (correlation * errors + _BELIEVED * _WORTH) / (errors + _WORTH)
    floor = sum(float(part.weighed(shrunk).sum()) for part in parts)
    fewest = min(parts, key=lambda each: each.units)
    return Jackknifed(
        value, max(jackknife_variance(value, without), floor), freedom(parts), centre, range, fewest.units, fewest.name
    )


def unknown(value: float) -> Jackknifed:
    """Return a value that is undefined or infinite, of which groups tell nothing."""
    return Jackknifed(value, math.nan, math.nan, math.nan, (-math.inf, math.inf), 0)


def jackknife_variance(value: float, without: Array) -> float:
    """From the values without each group; those that are undefined are left out."""
    known = without[np.isfinite(without)] if math.isfinite(value) else without[:0]
    return float(((known - value) ** 2).sum() * (len(known) - 1) / len(known)) if len(known) else 0.0


def freedom(parts: Sequence[ClusterPart]) -> float:
    """Degrees of freedom: half way between those of groups as unequal as these, and one less than the groups.

    The trace of B, and of its square, follow from a few sums: B is a diagonal matrix and one of rank two.
    """
    correlation = max(float(np.mean([part.correlation for part in parts])), _LEAST)
    if not any(part.variance > 0 for part in parts):  # only the sizes are known
        parts = [replace(part, variance=1.0) for part in parts]
    own = np.asarray(sum(part.weighed(0.0) for part in parts), dtype=np.float64)
    held = own > 0
    k = int(held.sum())
    if k < 2:
        return 1.0
    p = own[held] / own[held].sum()
    w = np.asarray(sum(part.weighed(correlation) for part in parts), dtype=np.float64)[held]
    w = w / w.sum()
    d = 1 / np.maximum(1 - p, 1e-12)
    u = w - p
    trace = float((d * (w - 2 * p * w + p * p)).sum())
    own_square = float((d * d * w * (w - 2 * (2 * p * w - p * p))).sum())
    both = float(
        (d * p * p).sum() * ((d * u * u).sum() + (d * w * w).sum()) + 2 * (d * p * w).sum() * (d * p * u).sum()
    )
    unequal = trace**2 / max(own_square + both, _SMALLEST)
    return max(1.0, (min(unequal, k - 1) + k - 1) / 2)


def difference_of(
    value: float, without: Array, parts: Sequence[ClusterPart], *, least: float, span: float
) -> Jackknifed:
    """Of two models on the same cases: the jackknife of their difference, its variance not below `least`.

    `parts` hold what each case contributes to the difference, `span` is how far two values can lie apart.
    """
    variance = max(jackknife_variance(value, without), least)
    fewest = min(parts, key=lambda each: each.units)
    return Jackknifed(value, variance, freedom(parts), value, (-span, span), fewest.units, fewest.name)


def part_of(contribution: Array, weight: Array, group: Codes, groups: int, variance: float, name: str) -> ClusterPart:
    """From what each row contributes."""
    n = summed(weight)
    own = contribution - summed(weight * contribution) / n if n > 0 else contribution
    sizes, sums = (summed_by(group, each, groups) for each in (weight, weight * own))
    return ClusterPart(sizes, sums, summed(weight * own**2), variance, name)


def deciding_cases(contribution: Array, weight: Array) -> float:
    """Of how many cases the contributions come: of a proportion about as many as are wrong, or right if fewer."""
    squares = summed(weight * contribution**2)
    return summed(weight * np.abs(contribution)) ** 2 / (4 * squares) if squares > 0 else 0.0
