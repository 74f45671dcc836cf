"""One metric over time, each evaluation with its interval, and the picture of it."""

from __future__ import annotations

import math
from typing import Any

from unconfuse._errors import did_you_mean
from unconfuse.metrics import METRICS, MULTICLASS_METRICS
from unconfuse.serve.html_builder import SafeHtml, element
from unconfuse.serve.monitoring import change_of, widened_points
from unconfuse.serve.questions import FieldError
from unconfuse.serve.store import HistoryStore

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
    ends = [end for each in points for end in map(each.get, names) if _is_drawn(end)]
    ticks = round_ticks(min(ends), max(ends))
    low, high = ticks[0], ticks[-1]
    step = (WIDE - LEFT - 24) / max(len(points), 1)

    def down(value: float) -> float:
        return round(12 + (high - value) / (high - low) * (HIGH - BELOW - 12), 1)

    marks = [_point(each, LEFT + step * (place + 0.5), down) for place, each in enumerate(points)]
    line = " ".join(f"{LEFT + step * (place + 0.5):.1f},{down(each['value'])}" for place, each in enumerate(points))
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
