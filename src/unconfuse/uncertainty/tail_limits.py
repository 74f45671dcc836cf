"""Limits far out, for metrics of a 2x2 table whose usual interval is read from points of a posterior: too few there."""

from __future__ import annotations

import math

import numpy as np

from unconfuse.metrics import Metric
from unconfuse.metrics.influence_functions import quantile
from unconfuse.table import Counts
from unconfuse.uncertainty.influence_intervals import wilson_limits
from unconfuse.uncertainty.proportion_intervals import Limits, delta_variance

FAR_OUT = "Wilson (delta-method effective n)"
_HALF = 0.5  # of a case, added to each cell where the variance is taken: an empty cell has none


def far_limits(metric: Metric, counts: Counts, level: float, *, cohort: bool) -> Limits:
    """Return Wilson's limits with as many cases as have the same variance; NaN without two finite ends.

    >>> from unconfuse.metrics import METRICS
    >>> low, high = far_limits(METRICS["mcc"], Counts(tp=80, fp=10, fn=20, tn=90), .95, cohort=True)
    >>> print(f"{low:.2f} {high:.2f}")
    0.59 0.79
    """
    least, most = metric.range
    value, span = float(metric(counts)), most - least
    padded = Counts.from_validated(
        **{name: np.asarray(float(getattr(counts, name)) + _HALF) for name in ("tp", "fp", "fn", "tn")}
    )
    variance = delta_variance(metric, padded, cohort=cohort)
    if not (math.isfinite(span) and math.isfinite(value) and variance > 0):
        return np.asarray(math.nan), np.asarray(math.nan)
    share, centre = (value - least) / span, (float(metric(padded)) - least) / span
    ends = wilson_limits(np.asarray(share), np.asarray(centre * (1 - centre) * span**2 / variance), quantile(level))
    low, high = (least + span * min(max(float(end), 0.0), 1.0) for end in ends)
    return np.asarray(min(low, value)), np.asarray(max(high, value))
