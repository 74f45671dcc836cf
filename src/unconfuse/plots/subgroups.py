"""One metric of all subgroups: a point and its interval for each, and everyone's value as a line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from unconfuse._errors import ArgumentError
from unconfuse._palette import BLUE, GREY, INK
from unconfuse._plain import number_text
from unconfuse.plots._style import figure, new_axes
from unconfuse.results import Subgroups
from unconfuse.results.evaluation import Evaluation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST = 32


def plot_subgroups(result: Subgroups, metric: str = "sensitivity", *, ax: Axes | None = None) -> Axes:
    """A forest plot: the metric of each subgroup with its interval; the line and its shade are everyone's.

    Examples
    --------
    >>> import unconfuse as uc
    >>> result = uc.evaluate([1, 0, 1, 0], [.9, .2, .8, .6], by=["F", "F", "M", "M"], metrics=["specificity"])
    >>> plot_subgroups(result.subgroups, "specificity").get_title(loc="left")
    'Specificity (TNR) by subgroup'
    """
    if not isinstance(result, Subgroups):
        raise ArgumentError(f"it needs subgroups; got {type(result).__name__}. Hint: uc.evaluate(..., by=...).")
    everyone, names = result.overall[metric], list(result)
    ax = figure(figsize=(7.2, 1.5 + 0.34 * len(names))).subplots() if ax is None else ax
    ax = new_axes(ax, title=f"{everyone.label} by {_plain(' and '.join(result.by))}", x=everyone.label, y="")
    ax.axvline(everyone.value, color=GREY, linewidth=0.9, zorder=1.5)
    if math.isfinite(everyone.low) and math.isfinite(everyone.high):
        ax.axvspan(everyone.low, everyone.high, color=GREY, alpha=0.15, linewidth=0)
    for place, name in enumerate(names):
        _draw_one(ax, place, result[name], metric)
    ax.set_yticks(range(len(names)), [_plain(name) for name in names], fontsize=8, color=INK)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    words = f"line and shade: everyone, {100 * everyone.confidence_level:.4g}% intervals"
    for x, text, side in ((1.0, words, "right"), (1.01, "value, interval, positives of cases", "left")):
        ax.text(x, 1.01, text, transform=ax.transAxes, fontsize=7.5, color=GREY, ha=side, va="bottom")
    return ax


def _draw_one(ax: Axes, place: int, evaluation: Evaluation, metric: str) -> None:
    each = evaluation[metric]
    words = "undefined" if each.undefined else f"{number_text(each.value)} {each.interval_text}"
    if math.isfinite(each.value):
        low, high = (end if math.isfinite(end) else each.value for end in (each.low, each.high))
        ax.plot([low, high], [place, place], color=BLUE, linewidth=1.6, zorder=3)
        ax.plot([each.value], [place], "o", color=BLUE, markersize=5, zorder=4)
    note = f"{words}   {evaluation.positives:,.7g} of {evaluation.n:,.7g}"
    ax.annotate(
        note,
        (1.01, place),
        xycoords=("axes fraction", "data"),
        fontsize=7.5,
        color=INK,
        va="center",
        annotation_clip=False,
    )


def _plain(name: str) -> str:
    """Not too long, and without formulas, which a dollar sign would start."""
    short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 3]}..."
    return short.replace("$", r"\$")
