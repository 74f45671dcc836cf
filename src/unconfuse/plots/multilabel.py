"""A picture of many labels: each one's value with its interval, the worst first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text
from unconfuse._html_repr import BLUE, GREY, INK
from unconfuse.plots._style import figure, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unconfuse.results.multilabel import LabelEvaluation

_LONGEST = 32  # letters of a label's name
_MOST = 60  # labels


def plot_labels(result: LabelEvaluation, *, metric: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw every label's value with its interval, the worst first; a line marks the mean over labels.

    Parameters
    ----------
    result : LabelEvaluation
    metric : str, optional
        Of one label. Default: AUROC, or F1 where there are no scores.
    ax : Axes, optional

    Examples
    --------
    >>> import unconfuse as uc
    >>> Y, S = [[1, 0], [0, 1], [1, 1], [0, 0]], [[.9, .7], [.3, .8], [.7, .4], [.1, .6]]
    >>> plot_labels(uc.evaluate(Y, S, labels=["mass", "nodule"])).get_title(loc="left")
    'AUROC of each label, the worst first'
    """
    if not hasattr(result, "per_label"):
        raise ArgumentError(f"it needs an evaluation of many labels; got {type(result).__name__}.")
    wanted = metric or ("auroc" if result.sample.has_scores else "f1")
    table = result.per_label([wanted])
    name = next(iter(next(iter(table.estimates.values()))))
    shown = list(table)[:_MOST]
    ax = figure(figsize=(7.2, 1.5 + 0.3 * len(shown))).subplots() if ax is None else ax
    head = next(iter(table.estimates.values()))[name].label.split(" (")[0]
    level = f"{100 * result.confidence_level:.4g}% intervals"
    ax = new_axes(ax, title=f"{head} of each label, the worst first", x=f"{head}, {level}", y="")
    mean = result[f"{name}_macro"].value
    if math.isfinite(mean):
        ax.axvline(mean, color=GREY, linewidth=0.9, zorder=1.5)
    for place, label in enumerate(shown):
        each = table[label][name]
        if math.isfinite(each.value):
            low, high = (end if math.isfinite(end) else each.value for end in (each.low, each.high))
            ax.plot([low, high], [place, place], color=BLUE, linewidth=1.6, zorder=3)
            ax.plot([each.value], [place], "o", color=BLUE, markersize=5, zorder=4)
        positives, cases = table.support[label]
        words = "undefined" if each.undefined else number_text(each.value)
        note, at = f"{words}   {positives:,g} of {cases:,g}", ("axes fraction", "data")
        ax.annotate(note, (1.01, place), xycoords=at, fontsize=7.5, color=INK, va="center", annotation_clip=False)
    names = [label if len(label) <= _LONGEST else f"{label[: _LONGEST - 3]}..." for label in shown]
    ax.set_yticks(range(len(shown)), [each.replace("$", r"\$") for each in names], fontsize=8, color=INK)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    return ax
