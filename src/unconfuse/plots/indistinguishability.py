"""Pictures of B(r): its parts, what it costs, and where it cuts the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._palette import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, VERMILION
from unconfuse.indistinguish import find_crossing
from unconfuse.plots._style import curves_of, name_line, new_axes, say, table_of
from unconfuse.plots.decisions import plot_score_histograms
from unconfuse.results import number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVELS = (0.4, 0.5, 0.6)


def plot_b_parts(data: Any, *, ax: Axes | None = None, title: str = "B(r), its parts and F1") -> Axes:
    """B(r) with its parts from labelled positives (B+) and labelled negatives (B-), and F1, against the threshold."""
    each = next(iter(curves_of(data, "b_curve").values()))
    ax = new_axes(ax, title=title, x="Threshold r (cases from this score on are positive)", y="B(r), F1")
    r = each["threshold"]
    ax.plot([r[-1], r[0]], [0.5, 0.5], color=GREY, linewidth=0.9, zorder=1.5)
    for column, words, colour in (("b", "B", INK), ("b_plus", "B+", ORANGE), ("b_minus", "B-", GREEN),
                                  ("f1", "F1", VERMILION)):
        ax.plot(r, each[column], color=colour, linewidth=1.8)
        # All four begin apart where everybody is labelled, so their names stand there, outside of the picture.
        ax.annotate(words, (0, each[column][-1]), xycoords=("axes fraction", "data"), xytext=(3, -2),
                    textcoords="offset points", fontsize=8, color=colour, va="top" if column == "b_minus" else "bottom")
    ax.set_ylim(-0.015, 1.09)
    _mark_r_b(ax, data)
    return ax


def plot_against_b(data: Any, *, ax: Axes | None = None, title: str = "What each level of B buys") -> Axes:
    """Precision C, TPR v and FPR u against B, with the levels 40, 50 and 60%."""
    each = next(iter(curves_of(data, "b_curve").values()))
    ax = new_axes(ax, title=title, x="B: how often a real positive outranks a labelled case", y="Share")
    b = each["b"]
    for column, words, colour, at in (("precision", "precision C", INK, 0.12), ("tpr", "recall v", BLUE, 0.35),
                                      ("fpr", "false positive rate u", VERMILION, 0.6)):
        ax.plot(b, each[column], color=colour, linewidth=1.8)
        name_line(ax, b, each[column], words, at=at, colour=colour)
    table = table_of(data)
    for level in LEVELS:
        found = find_crossing(table, level)
        if found.below is None or not found.exists:
            continue
        half = level == 0.5
        ax.axvline(level, color=GREY, linewidth=1.1 if half else 0.8, linestyle="-" if half else (0, (2, 2)))
        ax.plot([level], [found.mixed_precision], "o", color=INK, markersize=4.5, zorder=4)
        say(ax, level, found.mixed_precision, number_text(found.mixed_precision, 2), colour=INK, align="left")
    ax.set_xlim(0, max(0.65, float(b[-1]) + 0.02))
    ax.set_ylim(-0.015, 1.07)
    return ax


def plot_scores_and_r_b(data: Any, *, ax: Axes | None = None, n_bins: int = 40) -> Axes:
    """The scores of both classes, and the threshold from which labelled and real positives cannot be told apart."""
    ax = plot_score_histograms(data, ax=ax, n_bins=n_bins)
    _mark_r_b(ax, data, align="right")
    return ax


def plot_threshold_card(card: Any, *, ax: Axes | None = None, metric: str = "youden_j") -> Axes:
    """Every rule's honest value with its interval, and a cross where the same data would have put it."""
    points = list(card.values())
    label = points[0].metrics[metric].label
    ax = new_axes(ax, title="Expected (dot), as it looked (cross)", x=label, y="")
    places = np.arange(len(points))[::-1]
    for place, point in zip(places, points, strict=True):
        honest = point.metrics[metric]
        ax.plot([honest.low, honest.high], [place, place], color=BLUE, linewidth=1.6)
        ax.plot([honest.value], [place], "o", color=BLUE, markersize=5)
        ax.plot([point.apparent[metric].value], [place], "x", color=PURPLE, markersize=6, markeredgewidth=1.6)
    ax.set_yticks(places, [point.label for point in points], fontsize=8)
    return ax


def _mark_r_b(ax: Axes, data: Any, *, align: str = "left") -> None:
    found = find_crossing(table_of(data))
    if found.below is None or not found.exists:
        return
    r = found.below.threshold
    ax.axvline(r, color=GREY, linewidth=0.9, linestyle=(0, (2, 2)))
    say(ax, r, 0.93 * ax.get_ylim()[1], f"r_b = {number_text(r)}", colour=INK, align=align)
