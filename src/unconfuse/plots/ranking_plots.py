"""Pictures of the ranking: ROC, precision-recall, gains, detection errors, costs, B(r)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._formatting import number_text, threshold_words
from unconfuse._html_repr import BLUE, GREEN, GREY, INK, VERMILION
from unconfuse.curves import Curve, curve
from unconfuse.metrics import METRICS
from unconfuse.plots._direct_labels import name_lines, place_labels
from unconfuse.plots._primitives import (
    begin,
    curves_of,
    draw,
    reference,
    say,
    shade,
    stepped,
    table_of,
    trace,
    value_text,
)
from unconfuse.plots._style import are_models, for_each_model, line, new_axes, points, unit_square
from unconfuse.table import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "plot_b_curve",
    "plot_cost_curve",
    "plot_det",
    "plot_gain",
    "plot_lift",
    "plot_precision_recall",
    "plot_precision_recall_gain",
    "plot_roc",
]


def _titled(title: str, metric: str, words: str, data: Any) -> str:
    """Return the title, with the metric's value and interval if there is one classifier."""
    value = "" if isinstance(data, Curve) or are_models(data) else value_text(data, metric)
    return f"{title}: {words} {value}" if value else title


def _named(data: Any, metric: str, words: str) -> dict[str, str]:
    """Each of several models with the value of a metric, for the legend."""
    if not are_models(data):
        return {}
    return {str(name): f"{name}: {words} {value_text(each, metric)}" for name, each in data.items()}


def plot_roc(data: Any, *, ax: Axes | None = None, hull: bool = True, band: bool = False) -> Axes:
    """Draw the ROC curve with its convex hull; `data` is a table, a result, a curve, or a mapping of several.

    `band=True` shades where the curve may lie at each false positive rate (95% unless an evaluation says otherwise). Of
    an evaluation the operating point is marked: where its threshold lies.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_roc(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_title(loc="left")
    'ROC: AUROC 1.000'
    """
    title = _titled("ROC", "auroc", "AUROC", data)
    ax, curves, _ = begin(ax, data, "roc", title, "fpr", "tpr", square=True)
    reference(ax, [0, 0.62, 1], [0, 0.62, 1], "useless", above=False)
    with_hull = hull and len(curves) == 1 and not isinstance(data, Curve)
    outline = next(iter(curves_of(data, "roc_hull").values())) if with_hull else None
    if outline is not None:
        ax.plot(outline["fpr"], outline["tpr"], color=GREY, linewidth=line(0.9), linestyle=(0, (2, 2)))
    draw(ax, curves, x="fpr", y="tpr", names=_named(data, "auroc", "AUROC"))
    if band:
        shade(ax, data, "roc", words_at=(0.98, 0.03))
    unit_square(ax)
    _mark_operating_point(ax, data, "false_positive_rate", "sensitivity")
    if outline is not None:
        _name_along(ax, outline["fpr"], outline["tpr"], "convex hull", at=0.35)
    return ax


def _mark_operating_point(ax: Axes, evaluation: Any, x: str, y: str) -> None:
    """Draw a dot where an evaluation decides, with its threshold beside it; nothing of data that decide nowhere."""
    if getattr(evaluation, "threshold", None) is None or not hasattr(evaluation, "counts"):
        return
    at = tuple(float(METRICS[name](evaluation.counts)) for name in (x, y))
    if np.isfinite(at).all():
        ax.plot(*at, marker="o", color=INK, markersize=points(6), linestyle="none", zorder=4)
        below = [(1, -1), (-1, -1), (0, -1), (1, 1), (-1, 1), (0, 1)]
        place_labels(ax, f"threshold {threshold_words(evaluation.threshold)}", at, INK, sides=below)


def _name_along(ax: Axes, x: Array, y: Array, words: str, *, at: float) -> None:
    """Write what a thin line is beside it, best at this x, in the middle part where a name is looked for."""
    spots = np.linspace(0.02, 0.98, 25)
    order = np.argsort(x, kind="stable")
    places = np.column_stack([spots, np.interp(spots, x[order], y[order])])
    place_labels(ax, words, places, GREY, cost=np.abs(spots - at), size=7.5)


def _between_points(each: Curve) -> Curve:
    """Return the line between precision-recall points: false positives grow in step with true ones, so it bends."""
    recall, rate, prevalence = each["recall"], each["queue_rate"], each["prevalence"][0]
    points = np.arange(len(recall))
    fine = np.unique(np.concatenate([points, np.linspace(0, len(recall) - 1, max(2000, len(recall)))]))
    recall, rate = np.interp(fine, points, recall), np.interp(fine, points, rate)
    precision = prevalence * recall / rate
    start = [0.0] if recall[0] > 0 else []
    columns = {"recall": np.append(start, recall), "precision": np.append(precision[0] if start else [], precision)}
    if "low" in each.columns:
        extra = {name: np.interp(fine, points, each[name]) for name in ("low", "high")}
        columns |= {name: np.append(column[0] if start else [], column) for name, column in extra.items()}
    return Curve(each.name, columns, "recall", "precision", each.labels)


def plot_precision_recall(data: Any, *, ax: Axes | None = None, band: bool = False) -> Axes:
    """Precision against recall, with both baselines, and with a band as in `plot_roc`.

    The one is the prevalence, the precision of labels at random. The other is precision against queue rate, because
    labels at random find as large a share of the positives as they label of all: the curve lies to the right of it as
    far as it finds more than that.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_precision_recall(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_ylabel()
    'Precision (share of positive labels that are right)'
    """
    title = _titled("Precision-recall", "average_precision", "average precision", data)
    ax, curves, first = begin(ax, data, "precision_recall", title, "recall", "precision", square=True)
    prevalence = float(first["prevalence"][0])
    reference(ax, [0, 0.02, 1], [prevalence] * 3, "", at=0)
    lines = {name: _between_points(each) for name, each in curves.items()}
    draw(ax, lines, x="recall", y="precision", names=_named(data, "average_precision", "AP"))
    if len(curves) == 1:
        reference(ax, *_second_baseline(first), "", dashed=True)
    if band:
        shade(ax, data, "precision_recall", words_at=(0.98, 0.03 if prevalence > 0.2 else 0.94))
    unit_square(ax)
    _mark_operating_point(ax, data, "sensitivity", "precision")
    guessing = f"guessing: prevalence {number_text(prevalence)}"
    _name_along(ax, np.array([0.0, 1.0]), np.full(2, prevalence), guessing, at=0.02)
    if len(curves) == 1:
        rate, share = _second_baseline(first)
        _name_along(ax, rate, share, "useless: recall\nis the queue rate", at=0.3)
    return ax


def _second_baseline(first: Curve) -> tuple[Array, Array]:
    """Return the queue rate, and the precision there."""
    order = np.argsort(first["queue_rate"], kind="stable")
    return first["queue_rate"][order], first["precision"][order]


def plot_precision_recall_gain(data: Any, *, ax: Axes | None = None) -> Axes:
    """Precision gain against recall gain.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_precision_recall_gain(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_title(loc="left")
    'Precision-recall-gain: AUPRG 1.000'
    """
    title = _titled("Precision-recall-gain", "auprg", "AUPRG", data)
    ax, curves, first = begin(ax, data, "precision_recall_gain", title, "recall_gain", "precision_gain", square=True)
    reference(ax, [0, 0.03, 1], [0, 0, 0], "")
    say(ax, 0.02, 0, "useless: precision is the prevalence", align="left")
    draw(ax, curves, x="recall_gain", y="precision_gain", names=_named(data, "auprg", "AUPRG"))
    unit_square(ax)
    ax.set_ylim(min(-0.05, max(-1.0, float(first["precision_gain"].min()))), 1.015)
    return ax


def plot_det(data: Any, *, ax: Axes | None = None) -> Axes:
    """Both error rates on normal-deviate scales: binormal scores draw a straight line.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_det(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_title(loc="left")
    'Detection error trade-off'
    """
    from unconfuse._scipy_special import ndtri

    curves = curves_of(data, "det")
    first = next(iter(curves.values()))
    words, title = "positive rate (normal-deviate scale)", "Detection error trade-off"
    ax = new_axes(ax, title=title, x=f"False {words}", y=f"False {words.replace('positive', 'negative')}", square=True)
    ticks = np.array([0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999])
    reference(ax, ndtri(np.linspace(0.002, 0.998, 99)), -ndtri(np.linspace(0.002, 0.998, 99)), "useless", at=0.5)
    finite = {name: _finite(each) for name, each in curves.items()}
    draw(ax, finite, x="fpr_deviate", y="fnr_deviate", names=_named(data, "equal_error_rate", "EER"))
    where = int(np.argmin(np.abs(first["fpr"] - first["fnr"])))
    equal = float((first["fpr"][where] + first["fnr"][where]) / 2)
    if len(curves) == 1 and 0 < equal < 1:
        ax.plot([ndtri(equal)], [ndtri(equal)], "o", color=INK, markersize=points(4))
        at, words = float(ndtri(equal)), f"equal error rate {number_text(equal)}"
        say(ax, at, at, words, colour=INK, above=False, align="right")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(ndtri(ticks), [f"{tick:g}" for tick in ticks])
    ax.set_xlim(*ndtri([0.002, 0.998]))
    ax.set_ylim(*ndtri([0.002, 0.998]))
    return ax


def _finite(each: Curve) -> Curve:
    keep = np.isfinite(each["fpr_deviate"]) & np.isfinite(each["fnr_deviate"])
    return Curve(each.name, {name: column[keep] for name, column in each.columns.items()}, each.x, each.y, each.labels)


def plot_gain(data: Any, *, ax: Axes | None = None) -> Axes:
    """Cumulative gain (CAP): the share of positives found against the share of cases looked at.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_gain(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_ylabel()
    'Share of positives found'
    """
    title = _titled("Cumulative gain", "gini", "Gini", data)
    ax, curves, first = begin(ax, data, "gain", title, "queue_rate", "gain", square=True)
    reference(ax, [0, 0.62, 1], [0, 0.62, 1], "useless: a random share", above=False)
    if len(curves) == 1:
        reference(ax, first["queue_rate"], first["perfect"], "", dashed=True)
        say(ax, 0.6, 1.0, "perfect", above=False)
    draw(ax, curves, x="queue_rate", y="gain", names=_named(data, "gini", "Gini"))
    unit_square(ax)
    return ax


def plot_lift(data: Any, *, ax: Axes | None = None) -> Axes:
    """Lift: how many times more positives than at random, against the share of cases looked at.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_lift(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_title(loc="left")
    'Lift'
    """
    ax, curves, _ = begin(ax, data, "gain", "Lift", "queue_rate", "lift")
    reference(ax, [0, 0.5, 1], [1, 1, 1], "useless: 1", above=False)
    draw(ax, curves, x="queue_rate", y="lift")
    ax.set_xlim(-0.015, 1.015)
    ax.set_ylim(0, None)
    return ax


def plot_cost_curve(data: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the lowest expected cost that any threshold reaches, against how much missed positives weigh.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_cost_curve(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_title(loc="left")
    'Cost curve'
    """
    ax, curves, _ = begin(ax, data, "cost_curve", "Cost curve", "probability_cost", "cost")
    reference(ax, [0, 0.5, 1], [0, 0.5, 0], "")
    say(ax, 0.24, 0.26, "all negative", align="right")
    say(ax, 0.76, 0.26, "all positive", align="left")
    draw(ax, curves, x="probability_cost", y="cost")
    ax.set_xlim(-0.015, 1.015)
    ax.set_ylim(0, 0.54)
    return ax


@for_each_model
def plot_b_curve(data: Any, *, ax: Axes | None = None) -> Axes:
    """B(r) with precision and recall against the threshold, and the point where B is 1/2.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_b_curve(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1])).get_ylabel()
    'Share'
    """
    each = next(iter(curves_of(data, "b_curve").values()))
    title = _titled("Indistinguishability", "precision_at_indistinguishability", "C(r_b)", data)
    ax = new_axes(ax, title=title, x="Threshold r (cases from this score on are positive)", y="Share")
    r = each["threshold"]
    reference(ax, [r[-1], r[0]], [0.5, 0.5], "")
    shown = (("b", "B(r)", BLUE, 0.05), ("precision", "precision", VERMILION, 0.75), ("tpr", "recall", GREEN, 0.3))
    for place, (column, _, colour, _) in enumerate(shown):
        trace(ax, r, each[column], place, colour, drawstyle=stepped(each))
    ax.set_ylim(-0.015, 1.08)
    _mark_crossing(ax, data if isinstance(data, Curve) else curve("b_curve", table_of(data)))
    name_lines(ax, [(r, each[column], words, at, colour) for column, words, colour, at in shown])
    return ax


def _mark_crossing(ax: Axes, whole: Curve) -> None:
    """r_b, from the whole curve: the one that is drawn has fewer points."""
    inside = np.flatnonzero(whole["b"] <= 0.5)
    if not len(inside) or whole["b"][-1] < 0.5:
        return
    at, precision = (float(whole[column][inside[-1]]) for column in ("threshold", "precision"))
    ax.axvline(at, color=GREY, linewidth=line(0.9), linestyle=(0, (2, 2)))
    ax.plot([at], [precision], "o", color=VERMILION, markersize=points(5))
    place_labels(ax, f"r_b = {threshold_words(at)}", [(at, 0.0), (at, 1.08)], INK, cost=[0, 1])
