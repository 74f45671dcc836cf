"""Pictures of the ranking: ROC, precision-recall, gains, detection errors, costs, B(r)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse.curves import Curve
from unconfuse.metrics import METRICS
from unconfuse.plots._style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    VERMILION,
    curves_of,
    draw,
    new_axes,
    reference,
    say,
    table_of,
    unit_square,
)
from unconfuse.results import number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _titled(words: str, metric: str, data: Any) -> str:
    """The title, with the metric's value if there is one classifier."""
    try:
        value = METRICS[metric](table_of(data))
    except ValueError:
        return words
    return f"{words}: {metric_words(metric)} {number_text(float(value))}"


def metric_words(metric: str) -> str:
    """A metric's label without what stands in brackets."""
    return METRICS[metric].label.split(" (")[0]


def plot_roc(data: Any, *, ax: Axes | None = None, hull: bool = True) -> Axes:
    """The ROC curve with its convex hull; `data` is a table, a result, a curve, or a mapping of several."""
    curves = curves_of(data, "roc")
    first = next(iter(curves.values()))
    ax = new_axes(ax, title=_titled("ROC", "auroc", data), x=first.label("fpr"), y=first.label("tpr"), square=True)
    reference(ax, [0, 0.62, 1], [0, 0.62, 1], "useless", above=False)
    if hull and len(curves) == 1:
        ax.plot(first["fpr"], first["hull"], color=GREY, linewidth=0.9, linestyle=(0, (2, 2)))
        middle = int(np.searchsorted(first["fpr"], 0.35))
        say(ax, float(first["fpr"][middle]), float(first["hull"][middle]), "convex hull")
    draw(ax, curves, x="fpr", y="tpr")
    unit_square(ax)
    return ax


def _between_points(each: Curve) -> Curve:
    """The line between precision-recall points: false positives grow in step with true ones, so it bends."""
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


def plot_precision_recall(data: Any, *, ax: Axes | None = None) -> Axes:
    """Precision against recall, with the prevalence as baseline."""
    curves = curves_of(data, "precision_recall")
    first = next(iter(curves.values()))
    title = _titled("Precision-recall", "average_precision", data)
    ax = new_axes(ax, title=title, x=first.label("recall"), y=first.label("precision"), square=True)
    prevalence = float(first["prevalence"][0])
    reference(ax, [0, 0.02, 1], [prevalence] * 3, "", at=0)
    draw(ax, {name: _between_points(each) for name, each in curves.items()}, x="recall", y="precision")
    say(ax, 0.01, prevalence, f"useless: prevalence {number_text(prevalence)}", above=prevalence < 0.85, align="left")
    unit_square(ax)
    return ax


def plot_prg(data: Any, *, ax: Axes | None = None) -> Axes:
    """Precision gain against recall gain."""
    curves = curves_of(data, "precision_recall_gain")
    first = next(iter(curves.values()))
    ax = new_axes(ax, title=_titled("Precision-recall-gain", "auprg", data), x=first.label("recall_gain"),
                  y=first.label("precision_gain"), square=True)
    reference(ax, [0, 0.03, 1], [0, 0, 0], "")
    say(ax, 0.02, 0, "useless: precision is the prevalence", align="left")
    draw(ax, curves, x="recall_gain", y="precision_gain")
    unit_square(ax)
    ax.set_ylim(min(-0.05, max(-1.0, float(first["precision_gain"].min()))), 1.015)
    return ax


def plot_det(data: Any, *, ax: Axes | None = None) -> Axes:
    """Both error rates on normal-deviate scales: binormal scores draw a straight line."""
    from scipy.special import ndtri

    curves = curves_of(data, "det")
    first = next(iter(curves.values()))
    ax = new_axes(ax, title="Detection error trade-off", x="False positive rate (normal-deviate scale)",
                  y="False negative rate (normal-deviate scale)", square=True)
    ticks = np.array([0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999])
    reference(ax, ndtri(np.linspace(0.002, 0.998, 99)), -ndtri(np.linspace(0.002, 0.998, 99)), "useless", at=0.5)
    finite = {name: _finite(each) for name, each in curves.items()}
    draw(ax, finite, x="fpr_deviate", y="fnr_deviate")
    where = int(np.argmin(np.abs(first["fpr"] - first["fnr"])))
    equal = float((first["fpr"][where] + first["fnr"][where]) / 2)
    if len(curves) == 1 and 0 < equal < 1:
        ax.plot([ndtri(equal)], [ndtri(equal)], "o", color=INK, markersize=4)
        say(ax, float(ndtri(equal)), float(ndtri(equal)), f"equal error rate {number_text(equal)}", colour=INK, above=False)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(ndtri(ticks), [f"{tick:g}" for tick in ticks])
    ax.set_xlim(*ndtri([0.002, 0.998]))
    ax.set_ylim(*ndtri([0.002, 0.998]))
    return ax


def _finite(each: Curve) -> Curve:
    keep = np.isfinite(each["fpr_deviate"]) & np.isfinite(each["fnr_deviate"])
    return Curve(each.name, {name: column[keep] for name, column in each.columns.items()}, each.x, each.y, each.labels)


def plot_gain(data: Any, *, ax: Axes | None = None) -> Axes:
    """Cumulative gain (CAP): the share of positives found against the share of cases looked at."""
    curves = curves_of(data, "gain")
    first = next(iter(curves.values()))
    ax = new_axes(ax, title=_titled("Cumulative gain", "gini", data), x=first.label("queue_rate"), y=first.label("gain"),
                  square=True)
    reference(ax, [0, 0.62, 1], [0, 0.62, 1], "useless: a random share", above=False)
    if len(curves) == 1:
        reference(ax, first["queue_rate"], first["perfect"], "", dashed=True)
        say(ax, 0.6, 1.0, "perfect", above=False)
    draw(ax, curves, x="queue_rate", y="gain")
    unit_square(ax)
    return ax


def plot_lift(data: Any, *, ax: Axes | None = None) -> Axes:
    """Lift: how many times more positives than at random, against the share of cases looked at."""
    curves = curves_of(data, "gain")
    first = next(iter(curves.values()))
    ax = new_axes(ax, title="Lift", x=first.label("queue_rate"), y=first.label("lift"))
    reference(ax, [0, 0.5, 1], [1, 1, 1], "useless: 1", above=False)
    draw(ax, curves, x="queue_rate", y="lift")
    ax.set_xlim(-0.015, 1.015)
    ax.set_ylim(0, None)
    return ax


def plot_cost_curve(data: Any, *, ax: Axes | None = None) -> Axes:
    """The lowest expected cost that any threshold reaches, against how much missed positives weigh."""
    curves = curves_of(data, "cost_curve")
    first = next(iter(curves.values()))
    ax = new_axes(ax, title="Cost curve", x=first.label("probability_cost"), y=first.label("cost"))
    reference(ax, [0, 0.5, 1], [0, 0.5, 0], "")
    say(ax, 0.24, 0.26, "trivial: all negative", align="right")
    say(ax, 0.76, 0.26, "trivial: all positive", align="left")
    draw(ax, curves, x="probability_cost", y="cost")
    ax.set_xlim(-0.015, 1.015)
    ax.set_ylim(0, 0.54)
    return ax


def plot_b_curve(data: Any, *, ax: Axes | None = None) -> Axes:
    """B(r) with precision and recall against the threshold, and the point where B is 1/2."""
    each = next(iter(curves_of(data, "b_curve").values()))
    ax = new_axes(ax, title=_titled("Indistinguishability", "precision_at_indistinguishability", data).replace(
        "Precision at indistinguishability, C(r_b)", "precision C(r_b)"), x="Threshold r", y="Share")
    r = each["threshold"]
    reference(ax, [r[-1], r[0]], [0.5, 0.5], "")
    for column, words, colour in (("b", "B(r)", BLUE), ("precision", "precision", VERMILION), ("tpr", "recall", GREEN)):
        ax.plot(r, each[column], color=colour, linewidth=1.8, drawstyle="steps-post" if len(r) < 40 else "default")
        _name_line(ax, r, each[column], words, colour)
    inside = np.flatnonzero(each["b"] <= 0.5)
    if len(inside) and each["b"][-1] >= 0.5:
        at = inside[-1]
        ax.axvline(r[at], color=GREY, linewidth=0.9, linestyle=(0, (2, 2)))
        ax.plot([r[at]], [each["precision"][at]], "o", color=VERMILION, markersize=5)
        say(ax, float(r[at]), 0.0, f"r_b = {number_text(float(r[at]))}", colour=INK)
    ax.set_ylim(-0.015, 1.03)
    return ax


_NAME_AT = {"B(r)": 0.30, "precision": 0.22, "recall": 0.12}


def _name_line(ax: Axes, x: Any, y: Any, words: str, colour: str) -> None:
    """A line's name where the lines run apart: at a fixed share of the way along the axis."""
    spot = x[-1] + _NAME_AT[words] * (x[0] - x[-1])
    i = int(np.argmin(np.abs(x - spot)))
    say(ax, float(x[i]), float(y[i]), words, colour=colour)
