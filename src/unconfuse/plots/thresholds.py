"""Pictures of a threshold card."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unconfuse._palette import BLUE, INK, VERMILION
from unconfuse.plots._style import line, new_axes, points
from unconfuse.thresholds import ThresholdCard

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_threshold_card(card: ThresholdCard, *, ax: Axes | None = None, metric: str = "youden_j") -> Axes:
    """What to expect of every rule on new cases, with its interval, and a cross where the same data would have put it.

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
        ax.plot(
            [rule.apparent[metric].value],
            [place],
            "x",
            color=VERMILION,
            markersize=points(6),
            markeredgewidth=line(1.6),
            zorder=4,
        )
    ax.set_yticks(np.arange(len(rules)), [rule.label for rule in rules], fontsize=points(8), color=INK)
    ax.set_ylim(len(rules) - 0.4, -0.6)
    return ax
