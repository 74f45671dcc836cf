"""What pictures are drawn of and with: curves, lines, bands, and words beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text, threshold_words
from unconfuse._html_repr import COLOURS, DASHES, GREY, INK
from unconfuse.curves import Curve, curve
from unconfuse.metrics import METRICS
from unconfuse.plots._style import are_models, line, new_axes, points
from unconfuse.table import Array, Sampling, ScoreTable
from unconfuse.uncertainty.bands import band

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MANY_POINTS = 2000


def curves_of(data: Any, name: str) -> dict[str, Curve]:
    """Return the curve of a table, of a result that carries one, or of each of several; a curve is taken as it is."""
    if isinstance(data, Curve):
        return {"": data.downsampled(_MANY_POINTS)}
    if are_models(data):
        return {str(key): next(iter(curves_of(each, name).values())) for key, each in data.items()}
    return {"": curve(name, table_of(data)).downsampled(_MANY_POINTS)}


def mark_threshold(ax: Axes, data: Any, *, at: float = 0.97) -> None:
    """Where an evaluation decides, as an upright line; nothing of data that decide nowhere."""
    cut = getattr(data, "threshold", None)
    if cut is None or not np.isfinite(cut):
        return
    ax.axvline(cut, color=INK, linewidth=line(0.9), linestyle=(0, (1, 2)), zorder=1.8)
    low, high = ax.get_xlim()
    right = cut > (low + high) / 2
    where, words = ax.get_xaxis_transform(), f"threshold {threshold_words(cut)}"
    look: dict[str, Any] = {"textcoords": "offset points", "xytext": (-4 if right else 4, 0), "va": "top"}
    ax.annotate(
        words, (cut, at), xycoords=where, fontsize=points(8), color=INK, ha="right" if right else "left", **look
    )


def value_text(data: Any, metric: str) -> str:
    """Format a metric's value, with its interval where an evaluation holds one; return "" if it cannot be computed."""
    if isinstance(data, Mapping) and metric in data and np.isfinite(data[metric].value):
        return f"{number_text(data[metric].value)} {data[metric].interval_text}".strip()
    try:
        return number_text(float(METRICS[metric](table_of(data))))
    except ValueError:
        return ""


def table_of(data: Any) -> ScoreTable:
    """Return a score table, or the one that a result carries."""
    found = getattr(data, "score_table" if hasattr(data, "score_table") else "table", data)
    if not isinstance(found, ScoreTable):
        raise ArgumentError(
            f"a picture needs scores: a score table, or an evaluation of labels and scores; got {type(data).__name__}. "
            "Hint: pass uc.evaluate(y, s), or y and s themselves."
        )
    return found


def draw(
    ax: Axes,
    curves: Mapping[str, Curve],
    *,
    x: str,
    y: str,
    drawstyle: str = "default",
    names: Mapping[str, str] | None = None,
) -> None:
    """One line per curve, with its band if it has one, and its name, or what `names` says, where there are several."""
    for place, (name, each) in enumerate(curves.items()):
        colour = COLOURS[place % len(COLOURS)]
        label = (names or {}).get(name, name) or None
        trace(ax, each[x], each[y], place, colour, drawstyle=drawstyle, label=label, solid_joinstyle="round")
        if "low" in each.columns and "high" in each.columns and y == each.y:
            ax.fill_between(each[x], each["low"], each["high"], color=colour, alpha=0.18, linewidth=0)
    if len(curves) > 1:
        ax.legend(frameon=False, fontsize=points(8))


def trace(ax: Axes, x: Array, y: Array, place: int, colour: str, **more: Any) -> None:
    """Draw a line of the usual width; the dashes belong to its place, so that lines differ in grey as well."""
    ax.plot(x, y, color=colour, linewidth=line(1.8), linestyle=dashes(place), **more)


def begin(
    ax: Axes | None, data: Any, name: str, title: str, x: str, y: str, *, square: bool = False
) -> tuple[Axes, dict[str, Curve], Curve]:
    """Axes named after two columns, the curves to draw there, and the first of them."""
    curves = curves_of(data, name)
    first = next(iter(curves.values()))
    return new_axes(ax, title=title, x=first.label(x), y=first.label(y), square=square), curves, first


def note(ax: Axes, x: float, y: float, words: str, *, colour: str = GREY, size: float = 7.5, **more: Any) -> None:
    """Small words at a place that is given as shares of the picture's width and height."""
    ax.text(x, y, words, fontsize=points(size), color=colour, transform=ax.transAxes, **more)


def shade(ax: Axes, data: Any, name: str, *, words_at: tuple[float, float]) -> None:
    """Shade the band that holds each point of the curve with the confidence level, light, behind the line."""
    several = data if are_models(data) else {"": data}
    for place, each in enumerate(several.values()):
        sampling = _sampling(each)
        design = "cohort" if sampling is None else sampling.design
        level = getattr(each, "confidence_level", 0.95)
        confidence_band = band(table_of(each), name, design=design, confidence_level=level)
        colour = COLOURS[place % len(COLOURS)]
        ax.fill_between(
            confidence_band.x,
            confidence_band.low,
            confidence_band.high,
            color=colour,
            alpha=0.14,
            linewidth=0,
            zorder=1.2,
        )
    note(ax, *words_at, f"shaded: {100 * confidence_band.confidence_level:.4g}% band at each point", ha="right")


def can_shade(data: Any) -> bool:
    """Whether an evaluation says enough for a band: bands of grouped cases would need the rows."""
    sampling = _sampling(data)
    return sampling is not None and sampling.independent


def _sampling(data: Any) -> Sampling | None:
    return getattr(getattr(data, "sample", None), "sampling", None)


def dashes(place: int) -> Any:
    """Return the dashes of the line at this place, so that lines differ in grey as well."""
    pattern = DASHES[place % len(DASHES)]
    return (0, pattern) if pattern else "-"


def reference(
    ax: Axes,
    x: Array | Sequence[float],
    y: Array | Sequence[float],
    words: str,
    *,
    at: float = 0.5,
    above: bool = True,
    align: str = "left",
    dashed: bool = False,
) -> None:
    """Draw a thin grey line with its name written along it, at a share `at` of its length."""
    ax.plot(x, y, color=GREY, linewidth=line(0.9), linestyle=(0, (4, 3)) if dashed else "-", zorder=1.5)
    if words:
        i = int(np.clip(round(at * (len(x) - 1)), 0, len(x) - 1))
        say(ax, float(x[i]), float(y[i]), words, above=above, align=align)


def say(
    ax: Axes, x: float, y: float, words: str, *, colour: str = GREY, above: bool = True, align: str = "center"
) -> None:
    """Small words beside a point."""
    right = {"left": 4, "right": -4, "center": 0}[align]
    beside(ax, words, (x, y), (right, 3 if above else -3), colour, ha=align, va="bottom" if above else "top", zorder=5)


def beside(
    ax: Axes, words: str, xy: tuple[float, float], offset: tuple[float, float], colour: str, **more: Any
) -> None:
    """Small words so many points away from a place."""
    size = points(more.pop("size", 8))
    ax.annotate(words, xy, xytext=offset, textcoords="offset points", fontsize=size, color=colour, **more)


def stepped(each: Curve) -> str:
    """How to draw a line over few thresholds: it stands still between two of them."""
    return "steps-post" if len(each) < 60 else "default"
