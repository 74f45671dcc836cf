"""How two subgroups differ in one metric, and several of them at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unconfuse.metrics import Metric
from unconfuse.uncertainty import ContrastSide, independent_difference
from unconfuse.uncertainty.difference_tests import bonferroni
from unconfuse.uncertainty.simultaneous import simultaneous

if TYPE_CHECKING:
    from unconfuse.results.contrast import Contrast

REST = "rest"  # everyone but one subgroup


def subgroup_difference(metric: Metric, first: ContrastSide, second: ContrastSide, by: str = "") -> Contrast:
    """Return the first subgroup less (or over) the second, with interval, test and verdict; `by` says what divides."""
    from unconfuse.results.contrast import Contrast  # most evaluations have no subgroups

    names, values = (first.name, second.name), (first.estimate.value, second.estimate.value)
    level = first.estimate.confidence_level
    (found,) = simultaneous([independent_difference(metric, first, second)], bonferroni, level)
    return Contrast.held(metric, names, values, found, level, undefined=_reason(first, second), by=by)


def with_adjusted(metric: Metric, found: Sequence[Contrast]) -> tuple[Contrast, ...]:
    """Several differences in one metric, with p-values, intervals and verdicts that hold for all of them at once."""
    from unconfuse.results.contrast import Contrast  # most evaluations have no subgroups

    known = sum(not math.isnan(each.unadjusted_p_value) for each in found)
    if known < 2:
        return tuple(found)
    level = found[0].confidence_level
    held = simultaneous([each.draft(metric) for each in found], bonferroni, level)
    among = f"{known} subgroups"
    return tuple(
        each
        if math.isnan(each.unadjusted_p_value)
        else Contrast.held(
            metric,
            (each.first, each.second),
            (each.first_value, each.second_value),
            one,
            level,
            among=among,
            by=each.by,
        )
        for each, one in zip(found, held, strict=True)
    )


def _reason(first: ContrastSide, second: ContrastSide) -> str:
    for side in (first, second):
        if side.estimate.undefined:
            return f"{side.name} has no value ({side.estimate.undefined})"
    return "both values are infinite or zero"
