"""Pictures of estimates with their intervals: metrics, forecasts, labels; predictive values against the prevalence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text, p_text
from unconfuse._html_repr import BLUE, GREY, INK, ORANGE, VERMILION
from unconfuse._validate import check_probability
from unconfuse.bayesian import BinaryQuantities, predictive_value_curve
from unconfuse.bayesian.ratios import probability_after
from unconfuse.plots._rows import axes_of_rows, draw_interval, name_rows
from unconfuse.plots._style import line, new_axes, points
from unconfuse.results import Evaluation
from unconfuse.results.forecast import Forecast, ForecastCheck
from unconfuse.table import Array, Counts
from unconfuse.uncertainty import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unconfuse.results.multilabel import LabelEvaluation

__all__ = ["plot_estimates", "plot_forecast", "plot_labels", "plot_predictive_values"]

_RAREST = 0.001  # prevalences drawn, on a scale of log-odds


def plot_estimates(data: Any, *, ax: Axes | None = None) -> Axes:
    """Draw estimates as points with their intervals, one in a line, first on top.

    It takes an estimate, estimates by name, or a result that consists of a few, such as a gate or a found slice.

    Examples
    --------
    >>> import unconfuse as uc
    >>> found = uc.evaluate_counts(tp=90, fp=5, fn=10, tn=95)
    >>> [tick.get_text() for tick in plot_estimates({"ill found": found["sensitivity"]}).get_yticklabels()]
    ['ill found']
    """
    shown = _estimates_of(data)
    ax = axes_of_rows(len(shown)) if ax is None else ax
    levels = {each.confidence_level for each in shown.values() if math.isfinite(each.low)}
    x = " and ".join(f"{100 * level:.4g}%" for level in sorted(levels)) + " intervals" if levels else "value"
    title = getattr(data, "picture_title", "")
    ax = new_axes(ax, title=title, x=x, y="")
    for place, estimate in enumerate(shown.values()):
        draw_interval(ax, place, estimate.value, estimate.low, estimate.high)
        if math.isfinite(estimate.baseline):
            ax.plot([estimate.baseline] * 2, [place - 0.3, place + 0.3], color=GREY, linewidth=line(0.9), zorder=2)
    notes = [
        "undefined" if each.undefined else f"{number_text(each.value)} {each.interval_text}".strip()
        for each in shown.values()
    ]
    name_rows(ax, list(shown), notes, title=title)
    return ax


def _estimates_of(data: Any) -> dict[str, Estimate]:
    found = getattr(data, "drawn_estimates", data)
    found = {found.label: found} if isinstance(found, Estimate) else found
    if not isinstance(found, Mapping) or not all(isinstance(each, Estimate) for each in found.values()) or not found:
        raise ArgumentError(
            f"this picture needs estimates; got {type(data).__name__}. Hint: ev['auroc'], or {{'AUROC': ev['auroc']}}."
        )
    return {str(name): each for name, each in found.items()}


def plot_predictive_values(data: Any, *, prevalence: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw precision (PPV) and NPV against the prevalence, with bands where the test was measured on cases.

    It takes an evaluation with decisions, counts, or what `bayes` returned; a line marks one prevalence, by default
    that of the data. The scale of prevalences is one of log-odds.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_predictive_values(uc.bayes(prevalence=.01, sensitivity=.9, specificity=.95)).get_ylabel()
    'Share of labels that are right'
    """
    columns, own = _columns(data)
    at = own if prevalence is None else check_probability(prevalence, "prevalence", open_interval=True)
    here = {
        name: float(np.interp(_odds(at), _odds(columns["prevalence"]), columns[name])) for name in ("precision", "npv")
    }
    said = ", ".join(
        f"{short} {number_text(here[name])}"
        for name, short in (("precision", "PPV"), ("npv", "NPV"))
        if not math.isnan(here[name])
    )
    ax = new_axes(
        ax,
        title=f"Predictive values: {said} at {100 * at:.4g}% prevalence",
        x="Prevalence",
        y="Share of labels that are right",
    )
    x = columns["prevalence"]
    for name, words, colour in (("precision", "PPV (precision)", ORANGE), ("npv", "NPV", BLUE)):
        ax.plot(x, columns[name], color=colour, linewidth=line(1.8), label=words)
        if f"{name}_low" in columns:
            ax.fill_between(x, columns[f"{name}_low"], columns[f"{name}_high"], color=colour, alpha=0.15, linewidth=0)
    ax.axvline(at, color=INK, linewidth=line(0.9), linestyle=(0, (1, 2)), zorder=1.8)
    ax.set_xscale("logit", one_half="50%")
    ticks = [0.001, 0.01, 0.1, 0.5, 0.9, 0.99]
    ax.set_xticks(ticks, [f"{100 * tick:.4g}%" for tick in ticks])
    ax.set_xticks([], minor=True)
    ax.set_ylim(-0.03, 1.03)
    ax.legend(frameon=False, fontsize=points(8))
    return ax


def _odds(share: Any) -> Any:
    return np.log(np.asarray(share) / (1 - np.asarray(share)))


def _columns(data: Any) -> tuple[dict[str, Array], float]:
    """Both curves, and the prevalence at which the test was seen."""
    if isinstance(data, BinaryQuantities):
        at = 1 / (1 + np.exp(-np.linspace(_odds(_RAREST), _odds(1 - _RAREST), 199)))
        after = probability_after(at, data.lr_positive), probability_after(at, data.lr_negative)
        return {"prevalence": at, "precision": after[0], "npv": 1 - after[1]}, data.prevalence
    if not isinstance(data, Evaluation | Counts) or (isinstance(data, Evaluation) and not data.has_decisions):
        raise ArgumentError(
            f"predictive values need decisions: an evaluation with a threshold, counts, or uc.bayes(...); got "
            f"{type(data).__name__}. Hint: uc.evaluate(y, s, threshold=0.5)."
        )
    counts = data.counts if isinstance(data, Evaluation) else data
    own = float(counts.positives / counts.total)
    return predictive_value_curve(data), min(max(own, _RAREST), 1 - _RAREST)


_ASIDE = 0.14


def plot_forecast(found: Forecast | ForecastCheck, *, ax: Axes | None = None) -> Axes:
    """Draw what is expected of each metric under both assumptions; of a check, what came as well.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(1)
    >>> y = rng.random(600) < .3
    >>> f = uc.forecast((y, y + rng.normal(size=600)), rng.normal(size=300) + .4, threshold=.8)
    >>> plot_forecast(f).get_title(loc="left")
    'Forecast of 300 cases without labels'
    """
    if not isinstance(found, Forecast | ForecastCheck):
        raise ArgumentError(f"`found` must be what `forecast` returns; got {type(found).__name__}.")
    forecast = found.forecast if isinstance(found, ForecastCheck) else found
    names = [
        name
        for name in forecast.same_risk
        if forecast.same_risk[name].undefined is None or forecast.label_shift[name].undefined is None
    ]
    title = f"Forecast of {forecast.n:,.10g} cases without labels"
    ax = new_axes(ax, title=title, x="Value", y="")
    words = "refuted" if forecast.is_refuted else "not refuted"
    kinds: list[tuple[Any, str, str, float]] = [
        (forecast.same_risk, "if a score means as before", BLUE, -_ASIDE),
        (
            forecast.label_shift,
            f"if only the prevalence changed ({words}, {p_text(forecast.label_shift_p)})",
            VERMILION,
            _ASIDE,
        ),
    ]
    for estimates, label, colour, aside in kinds:
        pairs = [(place + aside, estimates[name]) for place, name in enumerate(names)]
        shown = [(place, each) for place, each in pairs if each.undefined is None]
        if shown:
            y, x = np.array([place for place, _ in shown]), np.array([each.value for _, each in shown])
            reach = np.array([[each.value - each.low, each.high - each.value] for _, each in shown]).T
            faint = 0.35 if estimates is forecast.label_shift and forecast.is_refuted else 1.0
            look: dict[str, Any] = {"fmt": "o", "color": colour, "markersize": points(4), "linewidth": line(1.4)}
            ax.errorbar(x, y, xerr=np.nan_to_num(reach), label=label, alpha=faint, **look)
    if isinstance(found, ForecastCheck):
        came = [found.realised[name] for name in names]
        ax.plot(came, range(len(names)), "D", color=GREY, markersize=points(5), label="what came", zorder=4)
    ax.set_yticks(range(len(names)), [forecast.same_risk[name].label.split(" (")[0] for name in names])
    ax.invert_yaxis()
    ax.legend(frameon=False, fontsize=points(8), loc="upper center", bbox_to_anchor=(0.5, -0.14))
    return ax


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
        estimate = table[label][name]
        draw_interval(ax, place, estimate.value, estimate.low, estimate.high)
        positives, cases = table.support[label]
        words = "undefined" if estimate.undefined else number_text(estimate.value)
        notes.append(f"{words}   {positives:,g} of {cases:,g}")
    name_rows(ax, shown, notes, title=title)
    return ax
