"""Static pictures, one function each. They take a table, a result or a curve, and an `ax`; they return the `ax`.

matplotlib is imported only when something is drawn.

>>> import unconfuse as uc
>>> from unconfuse.plots import plot_roc
>>> plot_roc(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_title(loc="left")
'ROC: AUROC 1.000'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from unconfuse._deprecated import renamed_names
from unconfuse._errors import did_you_mean
from unconfuse._html_repr import INK
from unconfuse.curves import curve_name
from unconfuse.plots import (
    decision_plots,
    estimates,
    indistinguishability,
    metric_by_prevalence,
    multilevel,
    ranking_plots,
    resolving,
    result_plots,
)
from unconfuse.plots._inputs import given
from unconfuse.plots._primitives import can_shade, table_of
from unconfuse.plots._style import are_models, figure, points, save, style, width_of, words_for_several
from unconfuse.plots.decision_plots import *
from unconfuse.plots.estimates import *
from unconfuse.plots.indistinguishability import *
from unconfuse.plots.metric_by_prevalence import *
from unconfuse.plots.multilevel import *
from unconfuse.plots.ranking_plots import *
from unconfuse.plots.resolving import *
from unconfuse.plots.result_plots import *
from unconfuse.table.sample import positives_of

__all__ = ["OF_DECISIONS", "PICTURES", "figure", "overview", "panel", "save", "style"]
__all__ += decision_plots.__all__
__all__ += estimates.__all__
__all__ += indistinguishability.__all__
__all__ += metric_by_prevalence.__all__
__all__ += multilevel.__all__
__all__ += ranking_plots.__all__
__all__ += resolving.__all__
__all__ += result_plots.__all__

# Every picture also takes labels and scores, and names what it cannot use.
globals().update({name: given(globals()[name]) for name in __all__ if name.startswith("plot_")})

# The picture of every curve that `unconfuse.curves` declares, by the curve's name.
PICTURES: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "roc": plot_roc,
        "roc_hull": plot_roc,
        "precision_recall": plot_precision_recall,
        "precision_recall_gain": plot_precision_recall_gain,
        "det": plot_det,
        "gain": plot_gain,
        "trends": plot_trends,
        "b_curve": plot_b_curve,
        "cost_curve": plot_cost_curve,
        "brier_curve": plot_brier_curve,
        "decision_curve": plot_decision_curve,
        "reliability": plot_reliability,
        "reliability_bins": plot_reliability,
        "score_histogram": plot_score_histograms,
    }
)
# Pictures of decisions, which need no scores.
OF_DECISIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {"confusion": plot_confusion, "prevalence": plot_predictive_values, "predictive_values": plot_predictive_values}
)


def overview(data: Any, *, title: str = "", band: bool | None = None) -> Any:
    """One figure of six: scores, ROC and precision-recall; trends, indistinguishability, and reliability (or gain).

    Reliability is shown when the scores can be probabilities. `band` shades where the ROC and the precision-recall
    curve may lie; by default it does so for an evaluation, which says how its cases were drawn. Of several models by
    name, six pictures that compare them. Returns the matplotlib figure.

    Examples
    --------
    >>> import unconfuse as uc
    >>> len(overview(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).axes)
    6
    """
    models = are_models(data)
    table = table_of(next(iter(data.values())) if models else data)
    shaded = (can_shade(data) if band is None else band) and not models
    probabilities = table.score[0] <= 1 and table.score[-1] >= 0
    wide = width_of((15.0, 9.4))  # rows and columns that leave each of six pictures room enough in it
    rows, columns, height = (2, 3, 0.63) if wide >= 10 else (3, 2, 1.25) if wide >= 6 else (6, 1, 5.2)
    last = plot_reliability if probabilities else plot_gain
    pictures: tuple[Any, ...] = plot_score_histograms, plot_roc, plot_precision_recall, plot_trends, plot_b_curve, last
    if models:
        pictures = plot_roc, plot_precision_recall, plot_gain, plot_det, plot_precision_recall_gain, plot_cost_curve
    words = f"{positives_of(table.n_positives, table.n)} cases"
    words += "" if models else f", {len(table):,} distinct scores"
    with words_for_several():
        sheet = figure(figsize=(15.0, 15.0 * height))
        for ax, picture in zip(sheet.subplots(rows, columns).flat, pictures, strict=True):
            if shaded and picture in (plot_roc, plot_precision_recall):
                picture(data, ax=ax, band=True)
            else:
                picture(data, ax=ax)
        sheet.suptitle(f"{title}: {words}" if title else words, x=0.01, ha="left", fontsize=points(12))
    return sheet


def panel(data: Any, *, columns: int | None = None, band: bool | None = None) -> Any:
    """One figure of four for a paper: ROC, precision-recall, calibration and net benefit; gain of other scores.

    Calibration and net benefit are of probabilities; of other scores the cumulative gain and the cost curve stand in
    their place. Panels are lettered. Returns the matplotlib figure.

    Parameters
    ----------
    data : Evaluation or ScoreTable
    columns : {None, 1, 2}
        1: 88 mm wide, panels below each other; 2: 180 mm wide, two by two; None: two by two, as large as a screen.
    band : bool, optional
        Whether to shade where the ROC and the precision-recall curve may lie; as for `overview`.

    Examples
    --------
    >>> import unconfuse as uc
    >>> made = panel(uc.score_table([1, 0, 1, 0, 1], [.9, .4, .7, .1, .3]), columns=2)
    >>> len(made.axes), round(25.4 * made.get_size_inches()[0])
    (4, 180)
    """
    table = table_of(data)
    shaded = can_shade(data) if band is None else band
    probabilities = not table.probability_problem
    last = (plot_reliability, plot_decision_curve) if probabilities else (plot_gain, plot_cost_curve)
    with style(columns):
        rows, across, height = (4, 1, 2.7) if columns == 1 else (2, 2, 0.94)
        sheet = figure(figsize=(10.0, 10.0 * height))
        for letter, ax, picture in zip("ABCD", sheet.subplots(rows, across).flat, _PANEL + last, strict=True):
            picture(data, ax=ax, **({"band": True} if shaded and picture in _PANEL else {}))
            title = {"fontsize": ax.title.get_fontsize(), "color": INK, "weight": "bold"}
            ax.set_title(f"{letter}  {ax.get_title(loc='left')}", loc="left", **title)
    return sheet


_PANEL: tuple[Callable[..., Any], ...] = (plot_roc, plot_precision_recall)


def _unknown_picture(name: str) -> Any:
    """Answer a picture that does not exist with the one that was probably meant."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    meant = PICTURES.get(curve_name(name.removeprefix("plot_")))
    hint = did_you_mean(name, __all__) if meant is None else f"Hint: did you mean {meant.__name__!r}?"
    raise AttributeError(f"unconfuse.plots has no picture {name!r}. {hint}")


if not TYPE_CHECKING:  # there, every name would seem to exist
    __getattr__ = renamed_names(
        __name__,
        _unknown_picture,
        plot_against_b="plot_metrics_against_b",
        plot_metric_of_classes="plot_multiclass_metric",
        plot_prg="plot_precision_recall_gain",
    )
