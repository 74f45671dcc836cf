"""A picture of many labels: each one's value with its interval, the worst first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text
from unconfuse._html_repr import GREY
from unconfuse.plots._rows import axes_of_rows, draw_interval, name_rows
from unconfuse.plots._style import line, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unconfuse.results.multilabel import LabelEvaluation

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
    ax = axes_of_rows(len(shown)) if ax is None else ax
    head = next(iter(table.estimates.values()))[name].label.split(" (")[0]
    level = f"{100 * result.confidence_level:.4g}% intervals"
    title = f"{head} of each label, the worst first"
    ax = new_axes(ax, title=title, x=f"{head}, {level}", y="")
    mean = result[f"{name}_macro"].value
    if math.isfinite(mean):
        ax.axvline(mean, color=GREY, linewidth=line(0.9), zorder=1.5)
    notes = []
    for place, label in enumerate(shown):
        each = table[label][name]
        draw_interval(ax, place, each.value, each.low, each.high)
        positives, cases = table.support[label]
        words = "undefined" if each.undefined else number_text(each.value)
        notes.append(f"{words}   {positives:,g} of {cases:,g}")
    name_rows(ax, shown, notes, title=title)
    return ax
