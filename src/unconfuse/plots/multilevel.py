"""Pictures of units: studies in the ROC plane and as a forest, ranks of models, items and readers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import cut_names, number_text
from unconfuse._html_repr import BLUE, GREEN, GREY, INK, VERMILION
from unconfuse.multilevel.benchmarks import tiers
from unconfuse.plots._primitives import say
from unconfuse.plots._rows import axes_of_rows, draw_interval, name_rows
from unconfuse.plots._style import figure, line, new_axes, points, unit_square, width_of
from unconfuse.results.benchmark import Benchmark
from unconfuse.results.items import Items
from unconfuse.results.meta_analysis import RATES, MetaAnalysis
from unconfuse.results.pooled_sites import PooledSites
from unconfuse.results.readers import Readers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unconfuse.uncertainty.estimate import Estimate

__all__ = ["plot_critical_difference", "plot_forest", "plot_items", "plot_readers", "plot_sites", "plot_summary_roc"]

_LONGEST = 28  # letters of a model's name beside its rank
_NUMBER = 5  # letters of the rank
_FOR_NAMES = 0.32  # share of the width that names on one side may take
_FOREST = (9.6, 4.0)
_MOST_SITES = 60  # in one picture


def plot_summary_roc(found: MetaAnalysis, *, ax: Axes | None = None) -> Axes:
    """Draw the studies in the ROC plane with the mean study, its region, a new study's intervals and the summary curve.

    Examples
    --------
    >>> import unconfuse as uc
    >>> cells = {"tp": [28, 40, 33, 38], "fp": [13, 6, 2, 7], "fn": [2, 5, 16, 1], "tn": [65, 43, 55, 68]}
    >>> plot_summary_roc(uc.meta_analysis(cells)).get_title(loc="left")
    '4 studies in the ROC plane'
    """
    _check(found, MetaAnalysis, "a meta-analysis", "uc.meta_analysis(...)")
    title = f"{len(found)} studies in the ROC plane"
    ax = new_axes(ax, title=title, x="False positive rate (1 - specificity)", y="Sensitivity", square=True)
    _draw_studies(ax, found)
    level = f"{100 * found.confidence_level:.4g}%"
    if found.fitted is not None:
        _draw_model(ax, found, level)
    mean, new = (found.sensitivity, found.specificity), (found.new_study.sensitivity, found.new_study.specificity)
    if all(math.isfinite(estimate.value) for estimate in mean):
        at = 1 - mean[1].value, mean[0].value
        look: dict[str, Any] = {"color": GREEN, "linewidth": line(1.4), "zorder": 3}
        ax.plot([at[0]] * 2, [new[0].low, new[0].high], label=f"new study, {level} intervals", **look)
        ax.plot([1 - new[1].high, 1 - new[1].low], [at[1]] * 2, **look)
        ax.plot(*at, "s", color=VERMILION, markersize=points(7), zorder=5, label="mean study")
    unit_square(ax)
    ax.legend(frameon=False, fontsize=points(8), loc="lower right")
    return ax


def _draw_studies(ax: Axes, found: MetaAnalysis) -> None:
    known = [study for study in found.studies.values() if float(study.positives) and float(study.negatives)]
    x = [float(counts.fp / counts.negatives) for counts in known]
    y = [float(counts.tp / counts.positives) for counts in known]
    largest = max((float(counts.total) for counts in known), default=1.0)
    areas = [points(8) * points(16) * max(float(counts.total) / largest, 0.06) for counts in known]
    ax.scatter(
        x, y, s=areas, facecolor="none", edgecolor=BLUE, linewidth=line(1.2), zorder=4, label="study (area: cases)"
    )


def _draw_model(ax: Axes, found: MetaAnalysis, level: str) -> None:
    curve = found.summary_roc()
    guess = " (shape is a guess)" if any(finding.rule == "shape" for finding in found.findings) else ""
    if np.isfinite(curve["sensitivity"]).all():
        ax.plot(
            curve["false_positive_rate"],
            curve["sensitivity"],
            color=GREY,
            linewidth=line(1.4),
            label=f"summary ROC{guess}",
        )
    for kind, dashes in (("mean", "-"), ("new", (0, (4, 2)))):
        try:
            outline = found.region(kind)
        except ArgumentError:  # too few studies for that region
            continue
        look: dict[str, Any] = {"color": VERMILION, "linestyle": dashes, "linewidth": line(1.2)}
        ax.plot(outline["false_positive_rate"], outline["sensitivity"], label=f"{kind} study, {level} region", **look)


def plot_forest(found: MetaAnalysis, *, ax: Any = None) -> Any:
    """Draw each study's sensitivity and specificity with their intervals, then the mean and a new study.

    Examples
    --------
    >>> import unconfuse as uc
    >>> cells = {"tp": [28, 40, 33, 38], "fp": [13, 6, 2, 7], "fn": [2, 5, 16, 1], "tn": [65, 43, 55, 68]}
    >>> plot_forest(uc.meta_analysis(cells)).get_xlabel()
    'Specificity'
    """
    _check(found, MetaAnalysis, "a meta-analysis", "uc.meta_analysis(...)")
    if ax is not None:
        raise ArgumentError("a forest of two rates is drawn on axes of its own. Hint: leave out `ax`.")
    names = [*found.studies, "mean study", "new study"]
    beside = width_of(_FOREST) >= _FOREST[0] / 2  # one column of a paper has them one below the other
    sheet = figure(figsize=(_FOREST[0], (1.6 + 0.3 * len(names)) * (1 if beside else 4.4)))
    first, second = sheet.subplots(*((1, 2) if beside else (2, 1)), sharey=True)
    for rate, each in zip(RATES, (first, second), strict=True):
        new_axes(each, title=f"{rate.capitalize()} by study", x=rate.capitalize(), y="")
        rows = [found.estimates[name][rate] for name in found.studies]
        for place, one in enumerate([*rows, getattr(found, rate), found.new_study[rate]]):
            _draw_unit(each, place, one, len(rows))
        each.axhline(len(rows) - 0.5, color=GREY, linewidth=line(0.8))
        each.set_xlim(-0.02, 1.02)
        name_rows(each, names, least=_LONGEST if beside else 12)
    return second


def _draw_unit(ax: Axes, place: int, each: Estimate, studies: int) -> None:
    """Draw a study, the mean one, or what to expect of a new one, which has an interval and no value."""
    colour, mark = (BLUE, "o") if place < studies else (VERMILION, "s") if place == studies else (GREEN, "")
    draw_interval(ax, place, each.value, each.low, each.high, colour=colour, mark=mark)


def plot_sites(found: PooledSites, *, ax: Axes | None = None) -> Axes:
    """Draw each site's value with its interval, then the mean site and a new one.

    Examples
    --------
    >>> import unconfuse as uc
    >>> y, s = [1, 0] * 60, [.9, .3, .7, .4, .2, .6] * 20
    >>> ev = uc.evaluate(y, s, site=list("aabbccdd") * 15, metrics=["auroc"])
    >>> plot_sites(ev.sites["auroc"]).get_title(loc="left")
    'AUROC in 4 sites'
    """
    _check(found, PooledSites, "one metric over sites", "ev.sites['auroc']")
    shown = list(found.estimates)[:_MOST_SITES]
    more = len(found.estimates) - len(shown)
    label = (
        found.label.split(" (")[0]
        if found.models is None
        else f"{found.label.split(' (')[0]}, {' - '.join(found.models)}"
    )
    title = f"{label} in {found.n_sites} sites" + (f", {len(shown)} shown" if more else "")
    names = [*shown, "mean site", "new site"]
    ax = axes_of_rows(len(names), wide=6.4) if ax is None else ax
    ax = new_axes(ax, title=title, x=label, y="")
    for place, estimate in enumerate([*(found.estimates[name] for name in shown), found.mean, found.new_site]):
        _draw_unit(ax, place, estimate, len(shown))
    ax.axhline(len(shown) - 0.5, color=GREY, linewidth=line(0.8))
    if found.models is not None:
        ax.axvline(0, color=INK, linewidth=line(0.8))
    name_rows(ax, names, title=title)
    return ax


def plot_critical_difference(found: Benchmark, *, ax: Axes | None = None) -> Axes:
    """Draw models by their mean ranks, best on the right; bars join those that Nemenyi's test does not tell apart.

    Examples
    --------
    >>> import unconfuse as uc
    >>> frame = {"d": list("abcdef") * 2, "m": ["x"] * 6 + ["y"] * 6}
    >>> frame["auc"] = [.81, .72, .93, .88, .79, .84, .80, .70, .93, .85, .78, .82]
    >>> plot_critical_difference(uc.benchmark(frame, dataset="d", model="m", value="auc")).get_title(loc="left")
    '2 models on 6 data sets: critical difference 0.800'
    """
    _check(found, Benchmark, "a benchmark", "uc.benchmark(...)")
    ranks, names, apart = found.friedman, found.models, found.friedman.critical_difference
    size, sets = len(names), len(found.data_sets)
    title = f"{size} models on {sets} data sets: critical difference {number_text(apart)}"
    ax = axes_of_rows((size + 1) // 2, wide=7.6) if ax is None else ax
    ax = new_axes(ax, title=title, x="Mean rank (1 is best)", y="")
    order = sorted(range(size), key=lambda place: (ranks.mean_ranks[place], names[place]))
    gaps = np.abs(np.subtract.outer(ranks.mean_ranks, ranks.mean_ranks)) >= apart
    runs = [run for run in tiers(order, gaps) if len(run) > 1]
    for level, run in enumerate(runs):
        ends = [ranks.mean_ranks[run[0]] - 0.03, ranks.mean_ranks[run[-1]] + 0.03]
        ax.plot(ends, [-0.35 - 0.3 * level] * 2, color=VERMILION, linewidth=line(3), solid_capstyle="butt", zorder=3)
    below = 0.5 + 0.3 * len(runs)
    short = [cut_name.replace("$", r"\$") for cut_name in cut_names(names, _letters(ax))]
    beside = _beside(ax, short) * (size - 1)
    for place, model in enumerate(order):
        on_right = place < (size + 1) // 2
        depth = -(below + 0.5 * (place if on_right else size - 1 - place))
        at, edge = ranks.mean_ranks[model], 1 - beside if on_right else size + beside
        ax.plot([at, at, edge], [0, depth, depth], color=INK, linewidth=line(0.9), zorder=2)
        words = f"{short[model]} {ranks.mean_ranks[model]:.2f}"
        say(ax, edge, depth, words, colour=INK, align="right" if on_right else "left")
    ax.plot([1, min(1 + apart, size)], [0.35, 0.35], color=GREY, linewidth=line(1.6))
    say(ax, 1 + min(apart, size - 1) / 2, 0.35, "critical difference", align="center")
    ax.axhline(0, color=INK, linewidth=line(1.0))
    ax.set_xlim(size + beside + 0.05, 0.95 - beside)
    ax.set_ylim(-(below + 0.5 * ((size + 1) // 2)), 0.95)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set_xticks(range(1, size + 1))
    return ax


def _beside(ax: Axes, names: list[str]) -> float:
    """Return the room beside the ranks that names and their numbers need, as a share of the ranks' own width."""
    share = min((max(map(len, names)) + _NUMBER) * _letter(ax), _FOR_NAMES)
    return share / (1 - 2 * share)


def _letters(ax: Axes) -> int:
    """Return how many letters of a name there is room for."""
    return min(max(int(_FOR_NAMES / _letter(ax)) - _NUMBER, 10), _LONGEST)


def _letter(ax: Axes) -> float:
    """Return how wide a letter is, as a share of the axes."""
    return points(4.8) * ax.figure.dpi / 72 / float(ax.get_window_extent().size[0])


def _check(found: Any, kind: type, what: str, hint: str) -> None:
    if not isinstance(found, kind):
        raise ArgumentError(f"the picture must be of {what}; got {type(found).__name__}. Hint: {hint}.")


def plot_items(found: Items, *, ax: Axes | None = None) -> Axes:
    """Draw each model's mean with its interval; models that share a grey bar are not told apart.

    Examples
    --------
    >>> import unconfuse as uc
    >>> rows = {"q": [1, 2, 3, 4] * 2, "m": ["new"] * 4 + ["old"] * 4, "ok": [1, 1, 1, 0, 1, 0, 1, 0]}
    >>> ax = plot_items(uc.items(rows))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['new', 'old']
    """
    words = found.name.replace("_", " ")
    level = f"{found.confidence_level * 100:.4g}%"
    title = f"{words.capitalize()} on new items like these {found.n_items:,}"
    ax = new_axes(ax, title=title, x=f"{words}, {level} interval\na grey bar: inconclusive", y="")
    for place, model in enumerate(found.models):
        own = found[model]
        ax.plot([own.low, own.high], [place, place], color=BLUE, linewidth=line(3), alpha=0.5, solid_capstyle="round")
        ax.plot([own.value], [place], "o", color=BLUE, markersize=points(5))
    name_rows(ax, found.models, title=title)
    _brackets(ax, found)
    return ax


def _brackets(ax: Axes, found: Items) -> None:
    """Draw one bar for each tier of several models, right of the axes; tiers may leave out a model between."""
    tiers = [[found.models.index(model) for model in tier] for tier in found.tiers if len(tier) > 1]
    lanes: list[int] = []
    across = ax.get_yaxis_transform()
    for places in tiers:
        lane = next((number for number, end in enumerate(lanes) if end < places[0]), len(lanes))
        lanes[lane : lane + 1] = [places[-1]]
        x = 1.02 + 0.025 * lane
        look: dict[str, Any] = {"transform": across, "clip_on": False, "color": GREY}
        ax.plot([x, x], [places[0], places[-1]], linewidth=line(1), **look)
        ax.plot([x] * len(places), places, "s", markersize=points(5), **look)


def plot_readers(found: Readers, *, ax: Axes | None = None) -> Axes:
    """Draw one thin line for each reader through the modalities, and the mean with its interval.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(1)
    >>> rows = {name: column.ravel() for name, column in zip("mrc", np.meshgrid(*map(np.arange, (2, 4, 40))))}
    >>> rows["y"] = (rows["c"] < 15).astype(int)
    >>> rows["s"] = (1 + rows["m"]) * rows["y"] + rng.normal(size=320)
    >>> ax = plot_readers(uc.readers(rows, reader="r", case="c", truth="y", score="s", modality="m"))
    >>> ax.get_title(loc="left")
    '4 readers, 40 cases'
    """
    if not isinstance(found, Readers):
        raise ArgumentError(f"`found` must be what `readers` returns; got {type(found).__name__}.")
    label, level = found.metric.label.split(" (")[0], f"{100 * found.confidence_level:.4g}%"
    title = f"{len(found.names)} readers, {found.cases} cases"
    ax = new_axes(ax, title=title, x="", y=f"{label}, {level} intervals")
    names = list(found)
    values = [found.by_reader(name) for name in names]
    for reader in found.names:
        own = [value[reader] for value in values]
        ax.plot(range(len(names)), own, "o-", color=GREY, linewidth=line(0.9), markersize=points(3), zorder=2)
    for place, name in enumerate(names):
        mean = found[name]
        if math.isfinite(mean.low):
            ax.plot([place, place], [mean.low, mean.high], color=BLUE, linewidth=line(2.6), zorder=3)
        ax.plot([place], [mean.value], "s", color=BLUE, markersize=points(7), zorder=4)
    ax.set_xticks(range(len(names)), [name[:24].replace("$", r"\$") for name in names], fontsize=points(9), color=INK)
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.grid(visible=False, axis="x")
    return ax
