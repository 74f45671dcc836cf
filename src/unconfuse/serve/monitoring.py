"""A metric over time: intervals that hold at all evaluations together, and whether it has become worse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unconfuse._scipy_special import expit, logit, ndtri
from unconfuse.metrics import METRICS, MULTICLASS_METRICS, Metric
from unconfuse.uncertainty.change_detection import USUAL_ERROR, alarm_of, gains_of_counts, gains_of_scores

WITHIN = 100  # evaluations, within which a false alarm comes with a chance of at most 5%
LEAST = 3  # evaluations with an interval, below which nothing is said of change
_LEVEL = 0.95  # of the intervals that are kept
_LIMIT = 0.9  # one-sided: the reference is taken to be as bad as it could have been
_EASY = 1e-9


def widened_points(points: list[dict[str, Any]], metric: str) -> list[dict[str, Any]]:
    """Return the points with limits that hold at all evaluations together, however many follow.

    The k-th of them may miss with a chance of 6/(pi k)^2 of the error, which sums to it; no independence is needed.
    """
    known, found, count = _metric(metric), [], 0
    for each in points:
        if not _has_interval(each):
            found.append(each | {"low_at_all": None, "high_at_all": None})
            continue
        count += 1
        reach = float(-ndtri((1 - _LEVEL) * 3 / (math.pi * count) ** 2)) / float(-ndtri((1 - _LEVEL) / 2))
        low, high = _stretched(each, reach, known)
        found.append(each | {"low_at_all": low, "high_at_all": high})
    return found


def change_of(points: list[dict[str, Any]], metric: str) -> dict[str, Any] | None:
    """Return since when a metric is worse than the first evaluation could have been; None if nothing is known of it.

    `alarm` is None where nothing says so. Evaluations must be of separate cases.
    """
    known, shown = _metric(metric), [each for each in points if _has_interval(each)]
    if known is None or known.better == "neither" or len(shown) < LEAST:
        return None
    sign = 1.0 if known.better == "higher" else -1.0
    first, later = shown[0], shown[1:]
    limit = _limit(first, sign)
    found = alarm_of(_gains(later, metric, limit, sign), WITHIN)
    promise = f"A false signal within {WITHIN} evaluations of separate cases has a chance of at most {USUAL_ERROR:.0%}."
    if found is None:
        return {"alarm": None, "since": None, "sentence": f"No sign that it has become worse. {promise}"}
    since, at = later[found.since]["created"][:10], later[found.at]["created"][:10]
    sentence = (
        f"It has become worse since about {since}, noticed on {at}: worse than the first evaluation could have been "
        f"(its one-sided {_LIMIT:.0%} limit, {limit:.3f}). {promise}"
    )
    return {"alarm": at, "since": since, "sentence": sentence}


def _gains(later: list[dict[str, Any]], metric: str, limit: float, sign: float) -> Any:
    """Return what bets on a change gain: of the accuracy by counts, of other metrics by standard errors."""
    cases = [each.get("n") for each in later]
    if metric == "accuracy" and all(cases) and 0 < limit < 1:
        errors = [round((1 - each["value"]) * each["n"]) for each in later]
        return gains_of_counts(errors, np.array(cases, np.float64), 1 - limit)
    worse = [sign * (limit - each["value"]) / max(_error(each), _EASY) for each in later]
    return gains_of_scores(worse)


def _limit(each: dict[str, Any], sign: float) -> float:
    """Return the one-sided limit on the bad side."""
    end = each["low"] if sign > 0 else each["high"]
    share = float(ndtri(_LIMIT)) / float(-ndtri((1 - _LEVEL) / 2))
    return float(each["value"] + share * (end - each["value"]))


def _error(each: dict[str, Any]) -> float:
    return float(each["high"] - each["low"]) / (2 * float(-ndtri((1 - _LEVEL) / 2)))


def _stretched(each: dict[str, Any], reach: float, metric: Metric | None) -> tuple[float, float]:
    """Return both ends so much further out; on the logit scale of a metric between two ends, where it is inside."""
    least, most = (-math.inf, math.inf) if metric is None else metric.range
    ends = [each["low"], each["value"], each["high"]]
    if math.isfinite(most - least) and all(least < end < most for end in ends):
        low, value, high = (float(logit((end - least) / (most - least))) for end in ends)
        low, high = value + reach * (low - value), value + reach * (high - value)
        return tuple(least + (most - least) * float(expit(end)) for end in (low, high))  # type: ignore[return-value]
    low, value, high = ends
    return max(value + reach * (low - value), least), min(value + reach * (high - value), most)


def _metric(name: str) -> Metric | None:
    found: Metric | None = METRICS.get(name) or MULTICLASS_METRICS.get(name)
    return found


def _has_interval(each: dict[str, Any]) -> bool:
    ends = (each.get("value"), each.get("low"), each.get("high"))
    return all(isinstance(end, int | float) and math.isfinite(end) for end in ends) and ends[1] < ends[2]  # type: ignore[operator]
