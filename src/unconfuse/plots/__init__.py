"""Static pictures, one function each. They take a table, a result or a curve, and an `ax`; they return the `ax`.

matplotlib is imported only when something is drawn.

>>> import unconfuse as uc
>>> from unconfuse.plots import plot_roc
>>> plot_roc(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_title(loc="left")
'ROC: AUROC 1.000'
"""

from __future__ import annotations

from typing import Any

from unconfuse._errors import InputError
from unconfuse.plots._style import can_shade, figure, table_of
from unconfuse.plots.confusion import plot_confusion
from unconfuse.plots.decisions import plot_decision_curve, plot_reliability, plot_score_histograms, plot_trends
from unconfuse.plots.ranking import (
    plot_b_curve,
    plot_cost_curve,
    plot_det,
    plot_gain,
    plot_lift,
    plot_precision_recall,
    plot_prg,
    plot_roc,
)
from unconfuse.plots.resolving import (
    plot_normality,
    plot_relative_resolution,
    plot_signal_curve,
    plot_standard_errors,
)

__all__ = ["overview", "plot_b_curve", "plot_confusion", "plot_cost_curve", "plot_decision_curve", "plot_det",
           "plot_gain", "plot_lift",
           "plot_normality", "plot_precision_recall", "plot_prg", "plot_relative_resolution",
           "plot_reliability", "plot_roc", "plot_score_histograms", "plot_signal_curve",
           "plot_standard_errors", "plot_trends", "save"]


def overview(data: Any, *, title: str = "", band: bool | None = None) -> Any:
    """One figure of six: scores, ROC and precision-recall; trends, indistinguishability, and reliability (or gain).

    Reliability is shown when the scores can be probabilities. `band` shades where the ROC and the precision-recall
    curve may lie; by default it does so for an evaluation, which says how its cases were drawn. Returns the matplotlib
    figure.
    """
    table = table_of(data)
    shaded = can_shade(data) if band is None else band
    probabilities = table.score[0] <= 1 and table.score[-1] >= 0
    last = plot_reliability if probabilities else plot_gain
    sheet = figure(figsize=(15.0, 9.4))
    pictures: tuple[Any, ...] = plot_score_histograms, plot_roc, plot_precision_recall, plot_trends, plot_b_curve, last
    for ax, picture in zip(sheet.subplots(2, 3).flat, pictures, strict=True):
        if shaded and picture in (plot_roc, plot_precision_recall):
            picture(data, ax=ax, band=True)
        else:
            picture(table, ax=ax)
    words = f"{table.n_positives:,.7g} positives of {table.n:,.7g} cases, {len(table):,} distinct scores"
    sheet.suptitle(f"{title}: {words}" if title else words, x=0.01, ha="left", fontsize=12)
    return sheet


def save(sheet: Any, path: str, *, close: bool = False) -> Any:
    """Write a figure as PNG, SVG or PDF, by the ending of its name; returns the figure, closed if you wish."""
    try:
        sheet.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        hint = "Hint: end it in .png, .svg or .pdf."
        raise InputError(f"the picture {path} cannot be written: {error}. {hint}") from None
    if close:
        from matplotlib import pyplot

        pyplot.close(sheet)
    return sheet
