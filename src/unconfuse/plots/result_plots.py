"""Pictures of other results: a confusion matrix, subgroups, a threshold card, indistinguishability."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import cut_names, number_text, share_words
from unconfuse._html_repr import BLUE, GREY, INK, PAPER, VERMILION
from unconfuse.indistinguish import Indistinguishability
from unconfuse.plots._direct_labels import name_lines
from unconfuse.plots._primitives import say, stepped, trace
from unconfuse.plots._rows import axes_of_rows, draw_interval, is_narrow, name_rows
from unconfuse.plots._style import KEEPS_COLOUR, figure, for_each_result, line, new_axes, points
from unconfuse.results import Comparison, ConfusionMatrix, Subgroups
from unconfuse.results.evaluation import Evaluation
from unconfuse.results.leaderboard import Leaderboard
from unconfuse.thresholds import ThresholdCard

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_confusion", "plot_indistinguishability", "plot_leaderboard", "plot_subgroups", "plot_threshold_card"]

_NUMBERS_UP_TO = 12  # classes whose cells still have room for a number
_NAMES_UP_TO = 40
_LONGEST_CLASS, _LONGEST_SUBGROUP, _UPRIGHT = 18, 32, 4
_NARROW = 3.2  # inches of axes whose title needs two lines
_DARKEST = 0.2  # share of a class from which on a confusion is drawn in full colour at most


@for_each_result
def plot_confusion(data: Any, *, normalise: str = "truth", ordered: bool | None = None, ax: Axes | None = None) -> Axes:
    """Shares of each true class (or predicted class, or all cases) as shades; right decisions lie on the diagonal.

    Right decisions are blue and confusions orange, on a scale of their own. Classes that are confused with each other
    sit together (`ordered`; by default from 13 classes on).

    Examples
    --------
    >>> import unconfuse as uc
    >>> found = uc.evaluate_confusion([[40, 8, 2], [5, 30, 5], [1, 4, 25]], classes=["cat", "dog", "fox"])
    >>> plot_confusion(found).get_title(loc="left")
    'Confusion: 79.2% of 120 right'
    """
    found = getattr(data, "confusion", data)
    if not isinstance(found, ConfusionMatrix):
        raise ArgumentError(f"this picture needs a confusion matrix; got {type(data).__name__}.")
    many = len(found.classes) > _NUMBERS_UP_TO
    shown = found.reordered() if (many if ordered is None else ordered) else found
    share = np.nan_to_num(shown.normalised(normalise))
    size = len(shown.classes)
    if ax is None:
        side = float(np.clip(2.2 + 0.55 * size, 4.6, 11.0))
        ax = figure(figsize=(side + 1.2, side)).subplots()
    of = {"truth": "each true class", "predicted": "each predicted class", "all": "all cases"}
    right = float(np.trace(shown.counts)) / shown.n
    x = f"Predicted class\nshades: share of {of[normalise]}"
    apart = ": " if ax.get_window_extent().width / ax.figure.dpi > _NARROW else "\n"
    new_axes(ax, title=f"Confusion{apart}{share_words(right)} of {shown.n:,.6g} right", x=x, y="True class")
    ax.grid(visible=False)
    _shade(ax, share)
    _name(ax, shown)
    if not many:
        _numbers(ax, shown, share)
    return ax


def _shade(ax: Axes, share: Any) -> None:
    """Right answers blue and confusions orange, as on the page, each on a scale of its own.

    One scale for both would hide the confusions of a good model, or all that is beyond the largest of them.
    """
    right = np.eye(len(share), dtype=bool)
    shades = (("Blues", right, 1.0, "right", 0.55), ("Oranges", ~right, _most_confused(share), "confused", 0.0))
    for colours, shown, top, words, bottom in shades:
        held = np.ma.masked_array(share, ~shown)
        image = ax.imshow(held, cmap=colours, vmin=0, vmax=top, aspect="equal", interpolation="nearest")
        place = ax.inset_axes((1.03, bottom, 0.03, 0.38))
        ax.figure.colorbar(image, cax=place, format=lambda value, _: f"{100 * value:.3g}%")
        place.set_title(words, fontsize=points(8), loc="left", pad=points(5), color=INK, fontweight="normal")
        place.tick_params(labelsize=points(7.5))


def _most_confused(share: Any) -> float:
    """Return the share that the darkest orange stands for: the largest confusion, unless all are small."""
    return max(_DARKEST, float(share[~np.eye(len(share), dtype=bool)].max())) if len(share) > 1 else 1.0


def _name(ax: Axes, shown: ConfusionMatrix) -> None:
    """All names, or every n-th of them where there are too many."""
    size = len(shown.classes)
    step = max(1, -(-size // _NAMES_UP_TO))
    places = list(range(0, size, step))
    printable = ["".join(each if each.isprintable() else "?" for each in name) for name in shown.classes]
    names = [cut_names(printable, _LONGEST_CLASS)[place] for place in places]
    few = size <= _NUMBERS_UP_TO
    upright = max(map(len, names)) <= (_UPRIGHT if few else 2)  # digits and other short names need no turning
    turned, align = (0, "center") if upright else (45, "right") if few else (90, "center")
    small = points(8 if few else 6)
    ax.set_xticks(places, names, rotation=turned, ha=align, fontsize=small, parse_math=False)
    if not upright and few:
        for label in ax.get_xticklabels():
            label.set_rotation_mode("anchor")
    ax.set_yticks(places, names, fontsize=small, parse_math=False)


def _numbers(ax: Axes, shown: ConfusionMatrix, share: Any) -> None:
    wrong = _most_confused(share)
    for i, row in enumerate(shown.counts):
        for j, count in enumerate(row):
            dark = share[i, j] > (0.55 if i == j else 0.6 * wrong)
            colour = PAPER if dark and count else INK if count else GREY
            look: dict[str, Any] = {"ha": "center", "va": "center", "fontweight": "bold" if i == j else "normal"}
            ax.text(j, i, f"{count:,.6g}", fontsize=points(8.5), color=colour, gid=KEEPS_COLOUR, **look)


@for_each_result
def plot_subgroups(result: Subgroups, metric: str = "sensitivity", *, ax: Axes | None = None) -> Axes:
    """Draw a forest plot: the metric of each subgroup with its interval; the line and its shade are everyone's.

    Examples
    --------
    >>> import unconfuse as uc
    >>> result = uc.evaluate([1, 0, 1, 0], [.9, .2, .8, .6], by=["F", "F", "M", "M"], metrics=["specificity"])
    >>> plot_subgroups(result.subgroups, "specificity").get_title(loc="left")
    'Specificity (TNR) by subgroup'
    """
    if not isinstance(result, Subgroups):
        raise ArgumentError(f"it needs subgroups; got {type(result).__name__}. Hint: `uc.evaluate(..., by=...)`.")
    everyone, names = result.overall[metric], list(result)
    ax = axes_of_rows(len(names)) if ax is None else ax
    words = f"{everyone.label}\nline and shade: everyone, {100 * everyone.confidence_level:.4g}% intervals"
    by = cut_names([" and ".join(result.by)], _LONGEST_SUBGROUP)[0].replace("$", r"\$")
    title = f"{everyone.label} by {by}"
    ax = new_axes(ax, title=title, x=words, y="")
    ax.axvline(everyone.value, color=GREY, linewidth=0.9, zorder=1.5)
    if math.isfinite(everyone.low) and math.isfinite(everyone.high):
        ax.axvspan(everyone.low, everyone.high, color=GREY, alpha=0.15, linewidth=0)
    for place, name in enumerate(names):
        estimate = result[name][metric]
        draw_interval(ax, place, estimate.value, estimate.low, estimate.high)
    counted = not is_narrow(ax)
    name_rows(ax, names, [_subgroup_note(result[name], metric, counted) for name in names], title=title)
    look: dict[str, Any] = {"fontsize": points(7.5), "color": GREY, "ha": "left", "va": "bottom"}
    said = f"value, interval{', positives of cases' if counted else ''}"
    ax.text(1.01, 1.01, said, transform=ax.transAxes, **look)
    return ax


def _subgroup_note(evaluation: Evaluation, metric: str, counted: bool) -> str:
    estimate = evaluation[metric]
    words = "undefined" if estimate.undefined else f"{number_text(estimate.value)} {estimate.interval_text}"
    return f"{words}   {evaluation.positives:,.7g} of {evaluation.n:,.7g}" if counted else words


def plot_leaderboard(result: Comparison | Leaderboard, *, ax: Axes | None = None) -> Axes:
    """Draw each model's difference from the best with its interval, best first; a line parts the tiers.

    Examples
    --------
    >>> import unconfuse as uc
    >>> found = uc.compare([1, 0, 1, 0], {"a": [.9, .2, .8, .1], "b": [.2, .9, .8, .1]}, metrics=["auroc"])
    >>> plot_leaderboard(found).get_title(loc="left")
    'AUROC, best first'
    """
    if not isinstance(result, Comparison | Leaderboard):
        raise ArgumentError(f"it needs a comparison; got {type(result).__name__}. Hint: uc.compare(y, {{...}}).")
    board = result if isinstance(result, Leaderboard) else result.leaderboard
    ax = axes_of_rows(len(board)) if ax is None else ax
    level = f"{100 * result.design.confidence_level:.4g}% intervals" if isinstance(result, Comparison) else "intervals"
    title = f"{board.label}, best first"
    ax = new_axes(ax, title=title, x=f"difference from the best\n{level}", y="")
    ax.axvline(0.0, color=GREY, linewidth=0.9, zorder=1.5)
    for place, each in enumerate(board):
        known = 0.0 if place == 0 else each.difference
        draw_interval(ax, place, known, each.low, each.high)
        if place and each.tier != board[place - 1].tier:
            ax.axhline(place - 0.5, color=GREY, linewidth=0.6, linestyle=":")
    name_rows(ax, [each.model for each in board], [number_text(each.value) for each in board], title=title)
    return ax


@for_each_result
def plot_threshold_card(card: ThresholdCard, *, ax: Axes | None = None, metric: str = "youden_j") -> Axes:
    """Draw what to expect of every rule on new cases, with its interval, and a cross where the same data would put it.

    Examples
    --------
    >>> import unconfuse as uc
    >>> card = uc.threshold_card([1, 0, 1, 0] * 9, [.9, .4, .35, .1] * 9, rules=["youden"], n_resamples=20)
    >>> plot_threshold_card(card, metric="sensitivity").get_title(loc="left")
    'Rules on new cases'
    """
    rules = list(card.values())
    words = f"{rules[0].metrics[metric].label}\ndot: new cases; cross: as it looked"
    ax = new_axes(ax, title="Rules on new cases", x=words, y="")
    for place, rule in enumerate(rules):
        honest = rule.metrics[metric]
        ax.plot([honest.low, honest.high], [place, place], color=BLUE, linewidth=line(1.8), solid_capstyle="butt")
        ax.plot([honest.value], [place], "o", color=BLUE, markersize=points(5))
        cross: dict[str, Any] = {"color": VERMILION, "markersize": points(6), "markeredgewidth": line(1.6), "zorder": 4}
        ax.plot([rule.apparent[metric].value], [place], "x", **cross)
    ax.set_yticks(np.arange(len(rules)), [rule.label for rule in rules], fontsize=points(8), color=INK)
    ax.set_ylim(len(rules) - 0.4, -0.6)
    return ax


@for_each_result
def plot_indistinguishability(found: Indistinguishability, *, ax: Axes | None = None) -> Axes:
    """B(r) and precision against the threshold, with the level, r_b and C(r_b), and shaded what they may be.

    Examples
    --------
    >>> import unconfuse as uc
    >>> ax = plot_indistinguishability(uc.indistinguishability([1, 0, 1, 0, 1, 0], [.9, .4, .7, .1, .3, .2]))
    >>> ax.get_ylabel()
    'Share'
    """
    c, r, curve = found.precision, found.threshold, found.curve.downsampled(2000)
    name = "C(r_b)" if found.level == 0.5 else f"C at B = {found.level:g}"
    title = f"{name} = {number_text(c.value)} {c.interval_text}, from {number_text(r.value)} on"
    ax = new_axes(ax, title=title, x="Threshold r (cases from this score on are labelled)", y="Share")
    scores, style = curve["threshold"], stepped(curve)
    low, high = (min(max(end, float(scores[-1])), float(scores[0])) for end in (r.low, r.high))
    ax.axvspan(low, high, color=BLUE, alpha=0.12, linewidth=0, zorder=0.8)
    ax.plot([scores[-1], scores[0]], [found.level] * 2, color=GREY, linewidth=line(0.9), zorder=1.5)
    shown = (("b", "B(r)", BLUE, 0.05), ("precision", "precision C(r)", VERMILION, 0.97))
    for place, (column, _, colour, _) in enumerate(shown):
        trace(ax, scores, curve[column], place, colour, drawstyle=style)
    ax.axvline(r.value, color=GREY, linewidth=line(0.9), linestyle=(0, (2, 2)))
    ends = [[max(c.value - c.low, 0.0)], [max(c.high - c.value, 0.0)]]
    ax.errorbar([r.value], [c.value], yerr=ends, fmt="o", color=VERMILION, capsize=3, markersize=points(5), zorder=4)
    words = f"r_b {number_text(r.value)} {r.interval_text}" if found.level == 0.5 else f"r {number_text(r.value)}"
    right = r.value > (float(scores[0]) + float(scores[-1])) / 2
    say(ax, r.value, 1.02, words, colour=INK, align="right" if right else "left")
    ax.set_ylim(-0.015, 1.1)
    name_lines(ax, [(scores, curve[column], words, at, colour) for column, words, colour, at in shown])
    return ax
