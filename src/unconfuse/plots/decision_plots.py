"""Pictures of decisions and probabilities: trends, net benefit, reliability as it is and recalibrated, the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._errors import ArgumentError, InputError
from unconfuse._html_repr import BLUE, COLOURS, FAINT, GREY, NEGATIVE, POSITIVE, VERMILION
from unconfuse.curves import Curve, reliability, reliability_bins, score_histogram, trends
from unconfuse.metrics import METRICS
from unconfuse.plots._direct_labels import name_lines
from unconfuse.plots._primitives import (
    begin,
    dashes,
    draw,
    mark_threshold,
    note,
    reference,
    say,
    stepped,
    table_of,
    trace,
    value_text,
)
from unconfuse.plots._style import for_each_model, line, new_axes, points, unit_square

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unconfuse.results.recalibration import Recalibration

__all__ = [
    "plot_brier_curve",
    "plot_decision_curve",
    "plot_recalibration",
    "plot_reliability",
    "plot_score_histograms",
    "plot_trends",
]

_VISIBLE = 0.02  # share of the largest net benefit that is more than the noise of a few high scores
_LARGEST = 1e300  # of a score in bars: matplotlib adds up where they begin and end
_USUAL = ("sensitivity", "specificity", "precision")


@for_each_model
def plot_trends(data: Any, names: Sequence[str] = _USUAL, *, ax: Axes | None = None) -> Axes:
    """Decision metrics against the threshold; the baseline of each (as many labels, at random) is its thin line.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_trends(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_ylabel()
    'Value'
    """
    curve = data if isinstance(data, Curve) else trends(table_of(data), metrics=names).downsampled(2000)
    x = "Threshold (cases from this score on are positive)"
    ax = new_axes(ax, title="Metrics against the threshold", x=x, y="Value")
    at, style, named = curve["threshold"], stepped(curve), []
    for place, name in enumerate(names):
        colour, where = COLOURS[place % len(COLOURS)], 0.12 + 0.7 * place / max(len(names) - 1, 1)
        thin = {"linewidth": line(0.8), "alpha": 0.55, "linestyle": dashes(place)}
        ax.plot(at, curve[f"{name}_baseline"], color=colour, drawstyle=style, **thin)
        trace(ax, at, curve[name], place, colour, drawstyle=style)
        named.append((at, curve[name], _short(name), where, colour))
    note(ax, 1, 1.01, "thin lines: a useless classifier", ha="right")
    mark_threshold(ax, data, at=0.06)
    name_lines(ax, named)
    return ax


def _short(name: str) -> str:
    return METRICS[name].label.split(" (")[0].lower() if name in METRICS else name


def plot_decision_curve(data: Any, *, ax: Axes | None = None) -> Axes:
    """Net benefit against the threshold probability, beside acting on all and on none.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_decision_curve(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_title(loc="left")
    'Decision curve'
    """
    ax, curves, first = begin(ax, data, "decision_curve", "Decision curve", "threshold", "net_benefit")
    top = float(max(curve["net_benefit"].max() for curve in curves.values()))
    floor = -0.15 * top
    seen = first["treat_all"] >= floor
    ax.plot(first["threshold"][seen], first["treat_all"][seen], color=GREY, linewidth=line(0.9))
    ax.axhline(0, color=GREY, linewidth=line(0.9))
    end = min(_useful_up_to(curves) + 0.05, 1.015)
    draw(ax, curves, x="threshold", y="net_benefit")
    ax.set_xlim(-0.015, end)
    ax.set_ylim(floor, 1.1 * top)
    mark_threshold(ax, data)
    at, everyone = first["threshold"], np.where(seen, first["treat_all"], np.nan)
    name_lines(ax, [(at, everyone, "act on all", 0.9, GREY), (at, np.zeros(len(at)), "act on none", 0.5, GREY)])
    return ax


def _useful_up_to(curves: Mapping[str, Curve]) -> float:
    """Return the last threshold at which some model is worth more than acting on nobody or on everybody."""
    least = _VISIBLE * max(float(curve["net_benefit"].max()) for curve in curves.values())
    useful = [
        curve["threshold"][curve["net_benefit"] > np.maximum(curve["treat_all"], 0) + least]
        for curve in curves.values()
    ]
    return max((float(each.max()) for each in useful if len(each)), default=1.0)


def plot_brier_curve(data: Any, *, ax: Axes | None = None) -> Axes:
    """Loss against the cost of a false positive, scores taken at their word; the area below is the Brier score.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_brier_curve(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_title(loc="left")
    'Brier curve'
    """
    ax, curves, first = begin(ax, data, "brier_curve", "Brier curve", "cost", "loss")
    ax.fill_between(first["cost"], first["trivial"], color=FAINT, linewidth=0, zorder=1)
    highest = int(np.argmax(first["trivial"]))
    say(ax, float(first["cost"][highest]), float(first["trivial"][highest]), "one label for all", align="left")
    draw(ax, curves, x="cost", y="loss")
    ax.set_xlim(-0.015, 1.015)
    ax.set_ylim(0, None)
    return ax


@for_each_model
def plot_reliability(data: Any, *, ax: Axes | None = None, n_bins: int = 10) -> Axes:
    """Draw what was stated against what occurred: isotonic line, bins with exact intervals, how often each was stated.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_reliability(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_title(loc="left")
    'Reliability: Brier 0.068'
    """
    table = table_of(data)
    isotonic, bins = reliability(table).downsampled(2000), reliability_bins(table, n_bins=n_bins)
    title = f"Reliability: Brier {value_text(data, 'brier')}"
    ax = new_axes(ax, title=title, x=isotonic.label("score"), y=isotonic.label("share"), square=True)
    reference(ax, [0, 0.78, 1], [0, 0.78, 1], "ideal", align="right")
    reach = [bins["share"] - bins["low"], bins["high"] - bins["share"]]
    look: dict[str, Any] = {"fmt": "o", "markersize": points(4), "linewidth": line(1.1), "zorder": 3}
    ax.errorbar(bins["score"], bins["share"], yerr=reach, color=BLUE, **look)
    ax.plot(isotonic["score"], isotonic["share"], color=VERMILION, linewidth=line(1.6))
    _stated(ax, table)
    note(ax, 0.02, 0.97, "isotonic fit", colour=VERMILION, size=8, va="top")
    note(ax, 0.02, 0.92, f"{len(bins)} bins, 95% intervals", colour=BLUE, size=8, va="top")
    unit_square(ax)
    return ax


def _stated(ax: Axes, table: Any) -> None:
    """Draw a low histogram of the stated probabilities along the bottom."""
    bars = score_histogram(table, n_bins=40)
    height = bars["positives"] + bars["negatives"]
    look: dict[str, Any] = {"color": GREY, "alpha": 0.35, "linewidth": 0, "zorder": 1}
    ax.bar(bars["left"], 0.1 * height / height.max(), bars["right"] - bars["left"], align="edge", **look)


@for_each_model
def plot_score_histograms(data: Any, *, ax: Axes | None = None, n_bins: int = 40) -> Axes:
    """How the scores of each class are spread: both classes add up to 1, so that a rare one is seen too.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_score_histograms(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_xlabel()
    'Score'
    """
    table = table_of(data)
    bars = score_histogram(table, n_bins=n_bins)
    if max(-bars["left"][0], bars["right"][-1]) > _LARGEST:
        raise InputError("these scores are too large to be drawn in bars. Hint: take their logarithm or their ranks.")
    ax = new_axes(ax, title="Scores of both classes", x="Score", y=bars.label("share_of_positives"))
    width = bars["right"] - bars["left"]
    edges = np.append(bars["left"], bars["right"][-1])
    for place, (column, colour) in enumerate((("share_of_negatives", NEGATIVE), ("share_of_positives", POSITIVE))):
        ax.bar(bars["left"], bars[column], width=width, align="edge", color=colour, alpha=0.4, linewidth=0)
        ax.stairs(bars[column], edges, color=colour, linewidth=line(0.9), linestyle=dashes(place))
    counts = (("positives", table.n_positives, POSITIVE), ("negatives", table.n_negatives, NEGATIVE))
    for place, (words, count, colour) in enumerate(counts):
        look = {"ha": "right", "va": "top", "fontweight": "bold"}
        note(ax, 0.98, 0.97 - 0.07 * place, f"{count:,.7g} {words}", colour=colour, size=8.5, **look)
    ax.set_ylim(0, 1.26 * max(bars["share_of_negatives"].max(), bars["share_of_positives"].max()))
    mark_threshold(ax, data, at=0.84)  # below the names of the classes
    return ax


def plot_recalibration(result: Recalibration, *, ax: Axes | None = None, n_bins: int = 10) -> Axes:
    """Draw what was stated against what occurred, before and after: isotonic lines, bins with exact intervals.

    "After" is cross-fitted: each case is mended by a map that was fitted to other cases. Of several classes it is the
    probability of the likeliest class, and how often that was the true one.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(1)
    >>> p = .02 + .96 * rng.random(400)
    >>> plot_recalibration(uc.recalibrate(rng.random(400) < p / 2, p)).get_title(loc="left")
    'Reliability before and after (logistic)'
    """
    if not hasattr(result, "tables"):
        raise ArgumentError(f"`result` must be what `recalibrate` returns; got {type(result).__name__}.")
    before, after = result.tables
    if not (before.n_positives and before.n_negatives):
        always = "always" if before.n_positives else "never"
        raise InputError(f"the likeliest class is {always} the true one, so there is no reliability to draw.")
    curve = reliability(before)
    x, y = (curve.label(name) for name in ("score", "share"))
    if result.map.several:
        x, y = "Stated probability of the likeliest class", "Share of cases of that class"
    title = "Reliability: left alone" if result.chosen == "none" else f"Reliability before and after ({result.chosen})"
    ax = new_axes(ax, title=title, x=x, y=y, square=True)
    reference(ax, [0, 0.78, 1], [0, 0.78, 1], "ideal", align="right")
    drawn = [("before", before, VERMILION, -0.004, "s")]
    if result.chosen != "none" and after is not None:
        drawn.append(("after, cross-fitted", after, BLUE, 0.004, "o"))
    for place, (words, table, colour, aside, mark) in enumerate(drawn):
        _draw(ax, table, colour, aside, mark, n_bins)
        note(ax, 0.02, 0.97 - 0.05 * place, words, colour=colour, size=8, va="top")
    unit_square(ax)
    return ax


def _draw(ax: Axes, table: Any, colour: str, aside: float, mark: str, n_bins: int) -> None:
    """One isotonic line with its bins, a little aside so that two of them can be told apart."""
    isotonic, bins = reliability(table).downsampled(2000), reliability_bins(table, n_bins=n_bins)
    reach = [bins["share"] - bins["low"], bins["high"] - bins["share"]]
    look: dict[str, Any] = {"fmt": mark, "markersize": points(3.5), "linewidth": line(1.0), "zorder": 3}
    ax.errorbar(bins["score"] + aside, bins["share"], yerr=reach, color=colour, **look)
    ax.plot(isotonic["score"], isotonic["share"], color=colour, linewidth=line(1.4), alpha=0.7)
