"""Pictures of resolving power: signal curves, relative resolution, standard errors, and how normal the scores are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._html_repr import COLOURS, GREY, INK, NEGATIVE, POSITIVE
from unconfuse._scipy_special import ndtri
from unconfuse._validate import check_whole
from unconfuse.metrics import METRICS
from unconfuse.plots._direct_labels import place_labels
from unconfuse.plots._primitives import beside, note, table_of
from unconfuse.plots._style import are_models, figure, for_each_result, line, new_axes, points
from unconfuse.resolving.difference_plan import DifferencePlan
from unconfuse.resolving.power_result import ResolvingPower
from unconfuse.table import ScoreTable
from unconfuse.uncertainty.influence_intervals import binormal_se, hanley_mcneil_se

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "plot_normality",
    "plot_plan",
    "plot_relative_resolution",
    "plot_signal_curve",
    "plot_signal_curves",
    "plot_standard_errors",
]


@for_each_result
def plot_signal_curve(result: ResolvingPower, metric: str, *, ax: Axes | None = None) -> Axes:
    """Draw a metric against the reference scale, with its interval at each quality mapped down to that scale.

    Examples
    --------
    >>> import unconfuse as uc
    >>> rp = uc.resolving_power(uc.Binormal(), ["average_precision"], n=1000, prevalence=.1, at=.8, method="asymptotic")
    >>> ax = plot_signal_curve(rp, "average_precision")
    """
    curve, name = result.signal_curve(metric), _label(metric)
    ax = new_axes(ax, title=f"Signal curve of {name}", x=f"Quality ({_label(curve.reference_name)})", y=name)
    ax.plot(curve.reference, curve.values, color=INK, linewidth=line(1.6))
    left, bottom = float(curve.reference.min()), float(curve.values.min())
    for place, (colour, at) in enumerate(zip(_cycle(len(result.at)), result.at, strict=True)):
        resolution = result[metric, at]
        if resolution.undefined:
            continue
        for value, mapped in ((resolution.low, resolution.mapped_low), (resolution.high, resolution.mapped_high)):
            ax.plot([left, mapped, mapped], [value, value, bottom], color=colour, linewidth=line(0.9), linestyle="--")
        reached = [resolution.mapped_low, resolution.mapped_high]
        ax.plot(reached, [bottom] * 2, color=colour, linewidth=line(4), solid_capstyle="butt")
        ax.plot(
            at if curve.reference_name == "auroc" else np.nan, resolution.value, "o", color=colour, markersize=points(5)
        )
        # The corner above a rising curve, or beyond a falling one, is empty but for thin lines.
        corner = {"ha": "left" if curve.is_increasing else "right", "va": "top", "backgroundcolor": "white"}
        words = f"AUROC {at:.3g}: κ = {resolution.kappa:.3g}"
        note(ax, 0.03 if curve.is_increasing else 0.97, 0.98 - 0.07 * place, words, colour=colour, size=8.5, **corner)
    return ax


def plot_signal_curves(result: ResolvingPower) -> Any:
    """Draw the signal curve of every metric that was asked for, side by side; return the figure.

    Examples
    --------
    >>> import unconfuse as uc
    >>> rp = uc.resolving_power(uc.Binormal(), ["auroc", "auprg"], n=1000, prevalence=.1, at=.8, method="asymptotic")
    >>> len(plot_signal_curves(rp).axes)
    2
    """
    names, columns = list(result.metrics), min(3, len(result.metrics))
    rows = -(-len(names) // columns)
    sheet = figure(figsize=(5.2 * columns, 4.2 * rows))
    for place, name in enumerate(names):
        plot_signal_curve(result, name, ax=sheet.add_subplot(rows, columns, place + 1))
    return sheet


@for_each_result
def plot_plan(plan: DifferencePlan, *, ax: Axes | None = None) -> Axes:
    """Resolution against the number of cases, and the smallest number at which kappa is the difference.

    Examples
    --------
    >>> import unconfuse as uc
    >>> plot_plan(uc.plan(uc.Binormal(), difference=.02, prevalence=.1, method="asymptotic")).get_xlabel()
    'Cases'
    """
    title = f"{plan.n:,} cases show {plan.difference:g} by {_label(plan.metric)} with a power of {plan.power:.0%}"
    ax = new_axes(ax, title=title, x="Cases", y="Width of the 95% interval on the AUROC scale, κ")
    sizes, kappas = np.array(plan.curve, dtype=np.float64).T
    ax.loglog(sizes, kappas, color=INK, linewidth=line(1.6))
    ax.axhline(plan.difference, color=GREY, linewidth=line(0.9), linestyle="--")
    ax.axvline(plan.n, color=GREY, linewidth=line(0.9), linestyle=(0, (2, 2)))
    ax.plot([plan.n], [plan.kappa], "o", color=COLOURS[0], markersize=points(6), zorder=4)
    beside(ax, f"{plan.n:,} cases", (plan.n, plan.kappa), (-6, -6), COLOURS[0], size=9, ha="right", va="top")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    for which in ("major", "minor"):
        ax.yaxis.set_tick_params(which=which, labelsize=points(8))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter("{x:.2g}")
    return ax


def _label(name: str) -> str:
    """Return the printed name of a declared metric, without what is in brackets; a user's own name as it is."""
    return METRICS[name].label.split(" (")[0] if name in METRICS else name


def plot_relative_resolution(results: Iterable[ResolvingPower], metric: str, *, ax: Axes | None = None) -> Axes:
    """How much coarser a metric is than the reference, by prevalence (one group for each result) and quality.

    Examples
    --------
    >>> import unconfuse as uc
    >>> found = [uc.resolving_power(uc.Binormal(), ["average_precision"], n=1000, prevalence=each, at=[.7, .8],
    ...                             method="asymptotic") for each in (.1, .5)]
    >>> plot_relative_resolution(found, "average_precision").get_xlabel()
    'Prevalence'
    """
    groups = list(results)
    title = f"Resolution of {_label(metric)}, relative to {_label(groups[0].reference)}"
    ax = new_axes(ax, title=title, x="Prevalence", y="Δ, positive: coarser")
    qualities = groups[0].at
    width = 0.8 / len(qualities)
    for place, (colour, at) in enumerate(zip(_cycle(len(qualities)), qualities, strict=True)):
        x = np.arange(len(groups)) + (place - (len(qualities) - 1) / 2) * width
        resolutions = [group[metric, at] for group in groups]
        errors = [2 * resolution.delta_error for resolution in resolutions]
        error_bars: dict[str, Any] = {
            "yerr": errors if any(errors) else None,
            "error_kw": {"elinewidth": 0.8, "ecolor": GREY},
        }
        deltas = [resolution.delta for resolution in resolutions]
        ax.bar(x, deltas, width * 0.92, color=colour, label=f"AUROC {at:g}", **error_bars)
    ax.set_xticks(np.arange(len(groups)), [f"{group.prevalence:g}" for group in groups])
    ax.axhline(0, color=INK, linewidth=line(0.8))
    ax.legend(fontsize=points(8), frameon=False, ncols=len(qualities), loc="upper right")
    ax.margins(y=0.18)
    return ax


def plot_standard_errors(
    n: int = 10_000, prevalences: Sequence[float] = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5), *, ax: Axes | None = None
) -> Axes:
    """Draw the standard error of the AUROC: exact for normal scores (lines), and Hanley and McNeil's (dashes).

    Examples
    --------
    >>> plot_standard_errors(500).get_title(loc="left")
    'Standard error of the AUROC, 500 cases'
    """
    check_whole(n, "n", at_least=2)
    ax = new_axes(ax, title=f"Standard error of the AUROC, {n:,} cases", x="AUROC", y="Standard error")
    area = np.linspace(0.5, 0.995, 200)
    names = []
    for colour, prevalence in zip(_cycle(len(prevalences)), prevalences, strict=True):
        positives = round(prevalence * n)
        if not 0 < positives < n:
            raise ArgumentError(
                f"`n` must leave cases of both classes at every prevalence; got {n:,} at {prevalence:g}. Hint: pass a "
                "larger `n` or other `prevalences`."
            )
        exact, usual = (se(area, positives, n - positives) for se in (binormal_se, hanley_mcneil_se))
        ax.plot(area, exact, color=colour, linewidth=line(1.5))
        ax.plot(area, usual, color=colour, linewidth=line(0.9), linestyle="--")
        names.append((float(exact[0]), f"{prevalence:g}", colour))
    for height, words, colour in _spread_out(names):
        beside(ax, words, (area[0], height), (-4, 0), colour, ha="right", va="center")
    ax.set_xlim(0.44, 1.0)
    ax.set_ylim(bottom=0)
    words = "solid: normal scores, exact\ndashed: Hanley & McNeil\nnumbers: prevalence"
    note(ax, 0.99, 0.97, words, colour=INK, size=8, ha="right", va="top")
    return ax


def _spread_out(names: Sequence[tuple[float, str, str]]) -> list[tuple[float, str, str]]:
    """Names at heights that are too close to be read apart become one."""
    kept: list[tuple[float, str, str]] = []
    top = max(height for height, _, _ in names)
    for height, words, colour in sorted(names, reverse=True):
        if kept and kept[-1][0] - height < 0.035 * top:
            kept[-1] = (kept[-1][0], f"{kept[-1][1]}, {words}", INK)
        else:
            kept.append((height, words, colour))
    return kept


def plot_normality(data: Any) -> Any:
    """Densities of both classes' scores, and their quantiles against the normal distribution's; returns the figure.

    Several models, by name, stand side by side.

    Examples
    --------
    >>> import unconfuse as uc
    >>> len(plot_normality(uc.score_table([1, 0, 1, 0, 1, 0], [.9, .4, .7, .1, .5, .2])).axes)
    3
    """
    if not are_models(data):
        sheet = figure(figsize=(9.6, 7.6))
        _normality(sheet, table_of(data))
        return sheet
    if not data:
        raise ArgumentError("there is no model to draw. Hint: give a table, or several by name.")
    sheet = figure(figsize=(9.6 * len(data), 7.6))
    for part, (name, each) in zip(sheet.subfigures(1, len(data), squeeze=False)[0], data.items(), strict=True):
        _normality(part, table_of(each))
        part.suptitle(str(name), fontweight="bold")
    return sheet


def _normality(sheet: Any, table: ScoreTable) -> None:
    axes = sheet.subplot_mosaic([["density", "density"], ["negatives", "positives"]])
    top = new_axes(axes["density"], title="Scores of both classes", x="Score", y="Density")
    peaks = []
    for name, weights, colour in (("negatives", table.negatives, NEGATIVE), ("positives", table.positives, POSITIVE)):
        grid, density = _density(table.score, weights)
        top.plot(grid, density, color=colour, linewidth=line(1.5))
        peaks.append((name, (grid[density.argmax()], density.max()), colour))
        _quantiles(axes[name], name, table.score, weights, colour)
    top.margins(y=0.12)
    reached = np.cumsum(table.positives + table.negatives) / table.n
    inside = table.score[(reached > 0.0005) & (reached < 0.9995)]  # a few far scores would leave no room for the others
    if len(inside) > 1:
        top.set_xlim(inside[-1], inside[0])
    for name, peak, colour in peaks:
        place_labels(top, name, peak, colour, size=9)


def _quantiles(ax: Axes, name: str, score: Any, weights: Any, colour: str) -> None:
    """Sample against normal quantiles, with a line through the quartiles."""
    ax = new_axes(ax, title=f"Quantiles of the {name}", x="Normal quantile", y="Score")
    own = weights[::-1] > 0
    score, weights = score[::-1][own], weights[::-1][own]
    share = (np.cumsum(weights) - weights / 2) / weights.sum()
    kept = np.linspace(0, len(share) - 1, min(len(share), 2000)).astype(int)
    normal, value = ndtri(share[kept]), score[kept]
    quartiles = np.interp([0.25, 0.75], share, score)
    slope = np.ptp(quartiles) / np.ptp(ndtri([0.25, 0.75]))
    ends = np.array([normal.min(), normal.max()])
    ax.plot(ends, quartiles.mean() + slope * ends, color=GREY, linewidth=line(1))
    ax.plot(normal, value, ".", color=colour, markersize=points(2.5))


def _density(score: Any, weights: Any) -> tuple[Any, Any]:
    """Estimate a kernel density from a fine histogram, with Silverman's bandwidth."""
    total = weights.sum()
    mean = (score * weights).sum() / total
    sd = np.sqrt(((score - mean) ** 2 * weights).sum() / total)
    bandwidth = max(0.9 * sd * total**-0.2, 1e-12)
    edges = np.linspace(score.min() - 3 * bandwidth, score.max() + 3 * bandwidth, 513)
    counts, _ = np.histogram(score, edges, weights=weights)
    centres = (edges[1:] + edges[:-1]) / 2
    kernel = np.exp(-0.5 * ((centres[:, None] - centres) / bandwidth) ** 2) / (bandwidth * np.sqrt(2 * np.pi))
    return centres, kernel @ counts / total


def _cycle(n: int) -> list[str]:
    return [COLOURS[i % len(COLOURS)] for i in range(n)]
