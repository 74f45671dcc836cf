"""Wilson's limits with an effective number of cases: the defaults of the AUROC and of precision-recall areas.

An area A with the variance V is as sure as a proportion of A(1 - A)/V cases. Wilson's limits of such a proportion stay
inside the range, are not symmetric near its ends, and need no fallback where the classes are perfectly separated. The
variance is that of the table with half a case of unknown rank in each class (see `bootstrap.half_case`), because a
sample that shows no outlier may have been lucky; the centre is the value itself. Student's quantile allows for a
variance that was estimated from few cases. What chose this: docs/intervals-ranking.md, tests/coverage/areas.py.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import stdtrit

from unconfuse.metrics import Metric
from unconfuse.metrics._definition import ratio
from unconfuse.metrics.influence import Influence, area_of, is_auroc, quantile
from unconfuse.table import Array, ScoreTable, remembered
from unconfuse.uncertainty.bootstrap import HALF, banded, half_case, with_ends
from unconfuse.uncertainty.closed_form import NamedLimits
from unconfuse.uncertainty.delong import around, spread_of

_TOP = 0.1  # of a case: what a small sample may lack above all that it shows
_TINY = 1e-12
_ADDED = "half a case of unknown rank added to each class"


def wilson_effective(metric: Metric, table: ScoreTable, design: str = "cohort", level: float = 0.95) -> NamedLimits:
    """Of a metric with an influence and a range, with two degrees of freedom for each case that decides it.

    These are the cases of the smaller class; of a partial area, those in its part of the curve.

    >>> from unconfuse.metrics import METRICS
    >>> table = ScoreTable(np.arange(20.)[::-1], np.repeat([1., 0], 10), np.repeat([0., 1], 10))
    >>> low, high, method = wilson_effective(METRICS["auroc"], table)
    >>> print(f"{low:.3f} {high:.3f}, {method}")
    0.767 1.000, Wilson with DeLong's effective sample size, half a case of unknown rank added to each class
    """
    value, found, (least, most) = metric(table), spread_of(metric, table, HALF), metric.range
    span = most - least
    cases = effective_cases((found.value - least) / span, found.standard_error(design=design) / span)
    freedom = np.maximum(2 * _smaller_class(table, metric.deciding), 1.0)
    reach = np.asarray(stdtrit(freedom, (1 + level) / 2), np.float64)
    low, high = (least + span * each for each in wilson_limits((value - least) / span, cases, reach))
    whose = "DeLong's" if is_auroc(metric) else "the influences'"
    return around(value, low, high, f"Wilson with {whose} effective sample size, {_ADDED}", metric.range)


def wilson_at_top(metric: Metric, table: ScoreTable, design: str = "cohort", level: float = 0.95) -> NamedLimits:
    """Of areas that the few cases at the top of the list decide, which a small sample tends to miss.

    The upper limit's variance allows for a tenth of a positive above all cases, the lower limit's for a tenth of a
    negative there. Davis and Goadrich's area takes the limits of the continuous one, which it approaches, widened if
    need be to hold its value.

    >>> from unconfuse.metrics import METRICS
    >>> table = ScoreTable(np.array([.9, .7, .5, .3, .1]), np.array([8., 5, 4, 2, 1]), np.array([1., 3, 6, 30, 60]))
    >>> low, high, method = wilson_at_top(METRICS["average_precision"], table)
    >>> print(f"{METRICS['average_precision'](table):.3f} [{low:.3f}, {high:.3f}]")
    0.713 [0.482, 0.862]
    """
    influence = metric.influence
    assert influence is not None
    value, below, above = remembered(
        table, ("at the top", influence, design), lambda: _area_and_cases(influence, table, design)
    )
    low = wilson_limits(value, below, np.asarray(stdtrit(_smaller_class(table), (1 + level) / 2), np.float64))[0]
    high = wilson_limits(value, above, quantile(level))[1]
    method = f"Wilson with the influences' effective sample size, {_ADDED}"
    return around(metric(table), *around(value, low, high, method))


def _area_and_cases(
    influence: Callable[[ScoreTable], Influence], table: ScoreTable, design: str
) -> tuple[Array, Array, Array]:
    """The area, and how many cases it is worth for the lower and for the upper limit."""
    small = banded(table) if table.positives.ndim == 1 else table
    smoothed = half_case(small)
    ends = (with_ends(smoothed, top_negatives=_TOP), with_ends(smoothed, top_positives=_TOP))
    found = [influence(each) for each in ends]
    below, above = (effective_cases(each.value, each.standard_error(design=design)) for each in found)
    return area_of(influence, table), below, above


def effective_cases(value: Array, error: Array) -> Array:
    """Of how many cases a proportion would have this value and this standard error."""
    share = np.clip(value, _TINY, 1 - _TINY)
    return ratio(share * (1 - share), np.square(error))


def wilson_limits(value: Array, cases: Array, reach: Array | float) -> tuple[Array, Array]:
    """Wilson's limits, so many standard errors wide.

    >>> low, high = wilson_limits(np.array(.8), np.array(10.), 1.96)
    >>> print(f"{low:.4f} {high:.4f}")
    0.4902 0.9433
    """
    square = np.square(reach)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = (value + square / (2 * cases)) / (1 + square / cases)
        half = reach * np.sqrt(value * (1 - value) / cases + square / (4 * cases**2)) / (1 + square / cases)
    return np.asarray(centre - half), np.asarray(centre + half)


def _smaller_class(table: ScoreTable, deciding: tuple[float, float] = (1.0, 1.0)) -> Array:
    """How many cases there are in the class that has fewer which matter."""
    sizes = (
        share * each.sum(axis=-1) for share, each in zip(deciding, (table.positives, table.negatives), strict=True)
    )
    return np.asarray(np.minimum(*sizes), np.float64)
