"""Pictures of B(r): its parts, what it costs, and where it cuts the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unconfuse._formatting import number_text
from unconfuse._html_repr import BLUE, GREEN, GREY, INK, ORANGE, VERMILION
from unconfuse.indistinguish import Crossing, find_crossing
from unconfuse.metrics.indistinguishable import reach_of_level
from unconfuse.plots._direct_labels import name_lines, place_labels
from unconfuse.plots._primitives import curves_of, say, table_of, trace
from unconfuse.plots._style import for_each_model, line, new_axes, points
from unconfuse.plots.decision_plots import plot_score_histograms

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_b_parts", "plot_metrics_against_b", "plot_scores_and_r_b"]

LEVELS = (0.4, 0.5, 0.6)


@for_each_model
def plot_b_parts(data: Any, *, ax: Axes | None = None, title: str = "B(r), its parts and F1") -> Axes:
    """B(r) with its parts from labelled positives (B+) and labelled negatives (B-), and F1, against the threshold.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_b_parts(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_ylabel()
    'B(r), F1'
    """
    curve = next(iter(curves_of(data, "b_curve").values()))
    ax = new_axes(ax, title=title, x="Threshold r (cases from this score on are positive)", y="B(r), F1")
    r = curve["threshold"]
    ax.plot([r[-1], r[0]], [0.5, 0.5], color=GREY, linewidth=line(0.9), zorder=1.5)
    shown = (("b", "B", INK), ("b_plus", "B+", ORANGE), ("b_minus", "B-", GREEN), ("f1", "F1", VERMILION))
    for place, (column, _, colour) in enumerate(shown):
        trace(ax, r, curve[column], place, colour)
    ax.set_ylim(-0.015, 1.09)
    _mark_r_b(ax, data)
    name_lines(ax, [(r, curve[column], words, 0.05, colour) for column, words, colour in shown])
    return ax


@for_each_model
def plot_metrics_against_b(data: Any, *, ax: Axes | None = None, title: str = "What each level of B buys") -> Axes:
    """Precision C, TPR v and FPR u against B, with the levels 40, 50 and 60%.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_metrics_against_b(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_ylabel()
    'Share'
    """
    curve = next(iter(curves_of(data, "b_curve").values()))
    ax = new_axes(ax, title=title, x="B: how often a real positive outranks a labelled case", y="Share")
    b = curve["b"]
    shown = (
        ("precision", "precision C", INK, 0.12),
        ("tpr", "recall v", BLUE, 0.35),
        ("fpr", "false positive rate u", VERMILION, 0.6),
    )
    for place, (column, _, colour, _) in enumerate(shown):
        trace(ax, b, curve[column], place, colour)
    ax.set_xlim(0, max(0.65, float(b[-1]) + 0.02))
    ax.set_ylim(-0.015, 1.1)
    table, said = table_of(data), set()
    for level in LEVELS:
        crossing = find_crossing(table, level)
        if crossing.below is not None and crossing.exists:
            _mark_level(
                ax, crossing, tied=reach_of_level(table, level).tied, say_below=crossing.below.threshold not in said
            )
            said.add(crossing.below.threshold)
    name_lines(ax, [(b, curve[column], words, at, colour) for column, words, colour, at in shown])
    return ax


def _mark_level(ax: Axes, found: Crossing, *, tied: bool, say_below: bool) -> None:
    """C at a level: where B jumps over it, C of the set below it (a dot) and of the mixture that hits it (a ring)."""
    assert found.below is not None
    half = found.level == 0.5
    ax.axvline(found.level, color=GREY, linewidth=line(1.1 if half else 0.8), linestyle="-" if half else (0, (2, 2)))
    at = found.below.b if tied else found.level
    ax.plot([at], [found.below.precision], "o", color=INK, markersize=points(4.5), zorder=4)
    if say_below:  # several levels may share the set below them
        words = number_text(found.below.precision, 2)
        place_labels(ax, words, (at, found.below.precision), INK)
    if tied:
        ring: dict[str, Any] = {"markerfacecolor": "white", "markeredgecolor": INK, "markersize": points(4.5)}
        ax.plot([found.level], [found.mixed_precision], "o", zorder=4, **ring)
        place_labels(ax, f"mix {number_text(found.mixed_precision, 2)}", (found.level, found.mixed_precision), GREY)


@for_each_model
def plot_scores_and_r_b(data: Any, *, ax: Axes | None = None, n_bins: int = 40) -> Axes:
    """Draw the scores of both classes, and the threshold from which labelled and real positives cannot be told apart.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_scores_and_r_b(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_xlabel()
    'Score'
    """
    ax = plot_score_histograms(data, ax=ax, n_bins=n_bins)
    _mark_r_b(ax, data, align="right")
    return ax


def _mark_r_b(ax: Axes, data: Any, *, align: str = "left") -> None:
    crossing = find_crossing(table_of(data))
    if crossing.below is None or not crossing.exists:
        return
    r = crossing.below.threshold
    ax.axvline(r, color=GREY, linewidth=line(0.9), linestyle=(0, (2, 2)))
    say(ax, r, 0.93 * ax.get_ylim()[1], f"r_b = {number_text(r)}", colour=INK, align=align)
