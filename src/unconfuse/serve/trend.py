"""One metric over time: intervals that hold at all evaluations together, whether it has become worse, the picture."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unconfuse._errors import did_you_mean
from unconfuse._scipy_special import expit, logit, ndtri
from unconfuse.metrics import METRICS, MULTICLASS_METRICS, Metric
from unconfuse.serve.page_layout import SafeHtml, element
from unconfuse.serve.questions import FieldError
from unconfuse.serve.store import HistoryStore
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
    for point in points:
        if not _has_interval(point):
            found.append(point | {"low_at_all": None, "high_at_all": None})
            continue
        count += 1
        reach = float(-ndtri((1 - _LEVEL) * 3 / (math.pi * count) ** 2)) / float(-ndtri((1 - _LEVEL) / 2))
        low, high = _stretched(point, reach, known)
        found.append(point | {"low_at_all": low, "high_at_all": high})
    return found


def change_of(points: list[dict[str, Any]], metric: str) -> dict[str, Any] | None:
    """Return since when a metric is worse than the first evaluation could have been; None if nothing is known of it.

    `alarm` is None where nothing says so. Evaluations must be of separate cases.
    """
    known, shown = _metric(metric), [point for point in points if _has_interval(point)]
    if known is None or known.better == "neither" or len(shown) < LEAST:
        return None
    sign = 1.0 if known.better == "higher" else -1.0
    first, later = shown[0], shown[1:]
    limit = _limit(first, sign)
    alarm = alarm_of(_gains(later, metric, limit, sign), WITHIN)
    promise = f"A false signal within {WITHIN} evaluations of separate cases has a chance of at most {USUAL_ERROR:.0%}."
    if alarm is None:
        return {"alarm": None, "since": None, "sentence": f"No sign that it has become worse. {promise}"}
    since, at = later[alarm.since]["created"][:10], later[alarm.at]["created"][:10]
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
    metric: Metric | None = METRICS.get(name) or MULTICLASS_METRICS.get(name)
    return metric


def _has_interval(each: dict[str, Any]) -> bool:
    ends = (each.get("value"), each.get("low"), each.get("high"))
    return all(isinstance(end, int | float) and math.isfinite(end) for end in ends) and ends[1] < ends[2]  # type: ignore[operator]


WIDE, HIGH, LEFT, BELOW = 720, 300, 56, 44
LOOKED_AT = 1000  # evaluations, the newest ones: more points than a picture can show
_LARGEST = 1e15  # values beyond are listed, and not drawn


def trend_of(store: HistoryStore, metric: str = "auroc", search: str = "", tag: str = "") -> dict[str, Any]:
    """Oldest first: when, which evaluation, value and interval."""
    found = store.search(search, tag, limit=LOOKED_AT)
    known = sorted({name for each in found for name in each["summary"]})
    if metric not in METRICS and metric not in known:
        raise FieldError(
            "metric", f"no evaluation has a metric named {metric[:60]!r}. {did_you_mean(metric[:60], known)}"
        )
    points = [
        {"id": each["id"], "name": each["name"], "created": each["created"], "n": each["n"], **each["summary"][metric]}
        for each in reversed(found)
        if metric in each["summary"] and each["summary"][metric].get("value") is not None
    ]
    watched = {"points": widened_points(points, metric), "change": change_of(points, metric)}
    return {"metric": metric, "metrics": known, **watched, "total": store.count(search, tag)}


def label_of(metric: str) -> str:
    """Return what people call a metric."""
    known = METRICS.get(metric) or MULTICLASS_METRICS.get(metric)
    return metric.replace("_", " ") if known is None else known.label


def picture_of(trend: dict[str, Any]) -> SafeHtml | str:
    """Points with their intervals, evenly spaced in the order of time; nothing if no value can be drawn."""
    points = [each for each in trend["points"] if _is_drawn(each["value"])]
    if not points:
        return ""
    names = ("low", "high", "value", "low_at_all", "high_at_all")
    ends = [end for point in points for end in map(point.get, names) if _is_drawn(end)]
    ticks = round_ticks(min(ends), max(ends))
    low, high = ticks[0], ticks[-1]
    step = (WIDE - LEFT - 24) / max(len(points), 1)

    def down(value: float) -> float:
        return round(12 + (high - value) / (high - low) * (HIGH - BELOW - 12), 1)

    marks = [_point(point, LEFT + step * (place + 0.5), down) for place, point in enumerate(points)]
    line = " ".join(f"{LEFT + step * (place + 0.5):.1f},{down(point['value'])}" for place, point in enumerate(points))
    axis = [_tick(value, down) for value in ticks]
    dates = [
        _date(points[place], LEFT + step * (place + 0.5)) for place in sorted({0, len(points) // 2, len(points) - 1})
    ]
    words = f"{label_of(trend['metric'])} of {len(points)} evaluations, oldest first"
    return element(
        "svg", axis, element("polyline", points=line, class_="trend-line"), marks, dates,
        viewBox=f"0 0 {WIDE} {HIGH}", role="img", aria_label=words, class_="trend",
    )  # fmt: skip


def round_ticks(low: float, high: float) -> list[float]:
    """Round numbers from the lowest or below to the highest or above, at least two.

    >>> round_ticks(0.53, 0.95)
    [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    """
    reach = max(abs(low), abs(high))
    spread = high - low if high - low > 1e-9 * max(reach, 1.0) else max(reach, 0.1)  # less is one place on an axis
    size = 10.0 ** math.floor(math.log10(spread))
    step = next(size * part for part in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0) if spread / (size * part) <= 6)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    return [round(number * step, 10) for number in range(first, last + 1)]


def _is_drawn(value: Any) -> bool:
    """Infinite values (text in JSON) and huge ones have no place on an axis."""
    return isinstance(value, int | float) and abs(value) <= _LARGEST


def _point(each: dict[str, Any], x: float, down: Any) -> SafeHtml:
    said = f"{each['name']}: {each['value']:.3f}"
    whole = _is_drawn(each["low"]) and _is_drawn(each["high"])
    place = f"{x:.1f}"
    bar = (
        element("line", x1=place, x2=place, y1=down(each["low"]), y2=down(each["high"]), class_="trend-bar")
        if whole
        else ""
    )
    far = (
        element(
            "line", x1=place, x2=place, y1=down(each["low_at_all"]), y2=down(each["high_at_all"]), class_="trend-far"
        )
        if _is_drawn(each.get("low_at_all")) and _is_drawn(each.get("high_at_all"))
        else ""
    )
    dot = element("circle", cx=place, cy=down(each["value"]), r=5, class_="trend-dot")
    return element("g", element("title", said), far, bar, dot)


def _tick(value: float, down: Any) -> SafeHtml:
    y = down(value)
    rule = element("line", x1=LEFT, x2=WIDE, y1=y, y2=y, class_="trend-rule")
    return element("g", rule, element("text", f"{value:g}", x=LEFT - 8, y=y + 4, text_anchor="end"))


def _date(each: dict[str, Any], x: float) -> SafeHtml:
    return element("text", each["created"][:10], x=f"{x:.1f}", y=HIGH - 14, text_anchor="middle")
