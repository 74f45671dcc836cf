"""Intervals for the threshold where B(r) = level and for the precision there, by resampling and by influence.

The influence of one more case at each score on C(r_b): let W(r) add up, over the labelled cases, by how much each one's
chance of being outranked exceeds the level. W = 0 at the crossing. One more case moves W, hence the crossing, hence the
precision, which also counts the case itself. The density of the scores cancels on the way; only the share of positives
right at the crossing remains to be estimated, unless the crossing lies within one block of ties, whose share is known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._scipy_special import expit, logit, stdtrit
from unconfuse.metrics import METRICS, Metric, precision_at_b
from unconfuse.metrics.indistinguishable import (
    LevelReach,
    counts_between,
    labelled_at_level,
    reach_of_level,
    threshold_reach,
)
from unconfuse.metrics.influence_functions import InfluenceFunction
from unconfuse.table import Array, Sample, ScoreTable, Settings
from unconfuse.uncertainty.bootstrap import bootstrapped
from unconfuse.uncertainty.engine import estimate
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.interval_methods import limits
from unconfuse.uncertainty.joint_replicates import by_cases

NamedLimits = tuple[float, float, str]
ENOUGH = 200  # of each class; with fewer, C(r_b) is too far from linear (85% coverage with 40 positives)
_WINDOW = 0.75  # half-width of the window at the crossing, in units of n^(4/5) / 2 cases


@dataclass(frozen=True, eq=False)
class IndistinguishabilityRequest:
    """What is asked of the data: which level, which labelled set, and how intervals are made."""

    sample: Sample
    table: ScoreTable
    level: float
    exclude_self: bool
    take: str
    method: str | None
    settings: Settings
    known: Mapping[str, Estimate] = field(default_factory=dict)  # by metric: what an evaluation has estimated already

    @cached_property
    def reach(self) -> LevelReach:
        """The thresholds at which B may be equal to the level."""
        return reach_of_level(
            self.table,
            self.level,
            fixed_classes=self.sample.sampling.fixed_classes,
            confidence_level=self.settings.confidence_level,
            exclude_self=self.exclude_self,
        )

    @cached_property
    def metric(self) -> Metric:
        """The precision of the largest set below the level, as an evaluation knows it."""
        if self.level == 0.5:
            return METRICS["precision_at_indistinguishability"]  # comparing a case with itself changes nothing there
        return precision_at_b(self.level, exclude_self=self.exclude_self)

    def at(self, **changes: object) -> IndistinguishabilityRequest:
        """Return a copy with another level, or with anything else changed."""
        return replace(self, **changes)  # type: ignore[arg-type]


def precision_limits(asked: IndistinguishabilityRequest, step: int) -> tuple[NamedLimits, Estimate | None]:
    """Of C(r_b); and the evaluation's own estimate where that is the same question.

    `step` says by how many blocks the labelled set goes beyond the largest one below the level.
    """
    if asked.method == "influence":
        return (*precision_by_influence(asked), "influence function, logit"), None
    if asked.take == "mixture" and asked.reach.tied:
        return (*_mixture_limits(asked), "delta method on the logit scale"), None
    if step and asked.reach.tied:
        level_reach, level = asked.reach, asked.settings.confidence_level
        counts = counts_between(
            asked.table, level_reach.first + step, min(level_reach.last + step, len(asked.table) - 1)
        )
        fixed = asked.sample.sampling.fixed_classes
        how, (lows, highs) = limits(METRICS["precision"], counts, confidence_level=level, fixed_classes=fixed)
        return (float(np.min(lows)), float(np.max(highs)), f"{how} of the precision at each threshold in reach"), None
    found_by = asked.known.get(asked.metric.name) or _own_estimate(asked)
    return (found_by.low, found_by.high, found_by.method), None if step else found_by


def estimates_at(asked: Sequence[IndistinguishabilityRequest]) -> Mapping[str, Estimate]:
    """C(r_b) at several levels of the same data, from one set of resamples where they serve."""
    if any(
        indistinguishability_request.method == "influence" or indistinguishability_request.take != "below"
        for indistinguishability_request in asked
    ):
        return {}
    return estimate(
        [indistinguishability_request.metric for indistinguishability_request in asked],
        asked[0].sample,
        asked[0].settings,
    )


def _own_estimate(asked: IndistinguishabilityRequest) -> Estimate:
    return estimate([asked.metric], asked.sample, asked.settings)[asked.metric.name]


def threshold_limits(asked: IndistinguishabilityRequest, step: int) -> NamedLimits:
    """Of r_b: by bootstrap if asked for or if whole groups must be drawn, else by inversion."""
    if asked.sample.sampling.clustered:
        return (*threshold_by_bootstrap(asked), "percentile bootstrap, whole groups")
    if asked.method == "bootstrap":
        return (*threshold_by_bootstrap(asked), "percentile bootstrap")
    fixed, level = asked.sample.sampling.fixed_classes, asked.settings.confidence_level
    return threshold_reach(asked.level, asked.table, fixed, level, asked.reach, step)


def threshold_by_bootstrap(asked: IndistinguishabilityRequest) -> tuple[float, float]:
    """Equal tails of the thresholds of bootstrap replicates, which are whole tables."""

    def thresholds(tables: ScoreTable) -> Array:
        index = labelled_at_level(tables, asked.level, exclude_self=asked.exclude_self)
        return np.where(index >= 0, tables.score[np.maximum(index, 0)], np.nan)

    metric = Metric(f"threshold_at_b({asked.level:g})", thresholds, of="ranks")
    how = asked.settings
    if asked.sample.sampling.clustered:
        replicates = by_cases([metric], asked.sample, how)[metric.name][0]
    else:
        fixed = asked.sample.sampling.fixed_classes
        again = bootstrapped(asked.table, [metric], how.n_resamples, fixed_classes=fixed, seed=how.seed)
        replicates = again[metric.name]
    kept, tail = replicates[~np.isnan(replicates)], (1 - asked.settings.confidence_level) / 2
    if not len(kept):
        return math.nan, math.nan
    low, high = np.quantile(kept, [tail, 1 - tail], method="closest_observation").tolist()
    return low, high


def precision_by_influence(asked: IndistinguishabilityRequest) -> tuple[float, float]:
    """From the influence function, on the logit scale, so that it stays within 0 and 1."""
    smaller = min(asked.table.n_positives, asked.table.n_negatives)
    if asked.reach.tied and asked.take != "mixture":
        raise ArgumentError(
            "`method='influence'` needs a precision that moves smoothly, but so many cases share a score that it jumps "
            "there. Hint: leave `method` out, or pass `side='mixture'`."
        )
    if smaller < ENOUGH and not asked.reach.tied:
        raise ArgumentError(
            f"`method='influence'` needs at least {ENOUGH} cases of each class, because its interval is too short with "
            f"fewer; the smaller class has {smaller:g}. Hint: leave `method` out for the bootstrap."
        )
    return _mixture_limits(asked)


def _mixture_limits(asked: IndistinguishabilityRequest) -> tuple[float, float]:
    influence_function, fixed = precision_influence(asked.table, asked.level), asked.sample.sampling.fixed_classes
    value, error = float(influence_function.value), float(influence_function.standard_error(fixed_classes=fixed))
    if not 0 < value < 1:
        _, (low, high) = limits(
            METRICS["precision"],
            counts_between(asked.table, asked.reach.first, asked.reach.last),
            confidence_level=asked.settings.confidence_level,
            fixed_classes=fixed,
        )
        return float(np.min(low)), float(np.max(high))
    smaller = min(asked.table.n_positives, asked.table.n_negatives)
    reach = stdtrit(smaller, (1 + asked.settings.confidence_level) / 2) * error / (value * (1 - value))
    return float(expit(logit(value) - reach)), float(expit(logit(value) + reach))


def precision_influence(table: ScoreTable, level: float = 0.5) -> InfluenceFunction:
    """Influence on the precision where B(r) = level, for the mixture that hits the level exactly.

    >>> table = ScoreTable(np.array([3., 2, 1, 0]), np.array([3., 2, 1, 0]), np.array([0., 1, 2, 3]))
    >>> of_c = precision_influence(table)
    >>> of_c.value.round(3), of_c.standard_error().round(3)
    (np.float64(0.788), np.float64(0.148))
    """
    part = _labelled_part(table, level)
    tp, fp = float(part @ table.positives), float(part @ table.negatives)
    labelled, precision = tp + fp, tp / (tp + fp)
    above = _mid_cumulated(table.positives)
    excess = float(above[_crossing_block(part)]) - level * table.n_positives
    share = _block_share(table, part) if reach_of_level(table, level).tied else _local_share(table, part)
    pull = (precision - share) / (labelled * excess)
    # The effect of one more case at each score on W, with the labelled part held fixed. A positive also outranks every
    # labelled case below it, and raises the level's share of all comparisons.
    own = part * (above - level * table.n_positives)
    cases = part * (table.positives + table.negatives)
    more = own + (cases.sum() - _mid_cumulated(cases)) - level * cases.sum()
    of_positives = part * (1 - precision) / labelled + pull * more
    return InfluenceFunction(table, np.asarray(precision), of_positives, -part * precision / labelled + pull * own)


def _labelled_part(table: ScoreTable, level: float) -> Array:
    """Share of each block that is labelled when B hits the level exactly: 1 above the crossing, 0 below it."""
    cases = table.positives + table.negatives
    gain = cases * (_mid_cumulated(table.positives) - level * table.n_positives)
    excess = np.cumsum(gain)
    at = int(np.searchsorted(np.where(excess > 0, 1, 0), 1))
    part = np.zeros(len(table))
    part[:at] = 1.0
    if at < len(table):
        part[at] = 1 - excess[at] / gain[at]
    return part


def _crossing_block(part: Array) -> int:
    """Index of the block in which the labelled part ends."""
    return min(int(np.count_nonzero(part == 1)), len(part) - 1)


def _block_share(table: ScoreTable, part: Array) -> float:
    """Share of positives in the block of ties in which the crossing lies."""
    at = _crossing_block(part)
    return float(table.positives[at] / (table.positives[at] + table.negatives[at]))


def _local_share(table: ScoreTable, part: Array) -> float:
    """Share of positives right at the crossing: a straight line through the cases around it, by rank."""
    cases = table.positives + table.negatives
    half = _WINDOW * float(cases.sum()) ** 0.8 / 2
    rank, place = _mid_cumulated(cases), float(part @ cases)
    weight = cases * np.maximum(1 - ((rank - place) / half) ** 2, 0)
    if not weight.any():
        return _block_share(table, part)
    # Weighted least squares: the height of the line at x = 0.
    x, y, w = rank - place, table.positives / cases, weight / weight.sum()
    mean_x, mean_y = float(w @ x), float(w @ y)
    spread = float(w @ (x - mean_x) ** 2)
    slope = float(w @ ((x - mean_x) * (y - mean_y))) / spread if spread > 0 else 0.0
    return float(np.clip(mean_y - slope * mean_x, 0, 1))


def _mid_cumulated(weights: Array) -> Array:
    """Weight above each block, half of its own included."""
    return np.cumsum(weights) - weights / 2
