"""Models on the same items: their means for new items, and which of them are not told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unconfuse._html_repr import BLUE, GREY
from unconfuse.plots._rows import name_rows
from unconfuse.plots._style import line, new_axes, points
from unconfuse.results.items import Items

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    tiers = [[found.models.index(model) for model in each] for each in found.tiers if len(each) > 1]
    lanes: list[int] = []
    across = ax.get_yaxis_transform()
    for places in tiers:
        lane = next((number for number, end in enumerate(lanes) if end < places[0]), len(lanes))
        lanes[lane : lane + 1] = [places[-1]]
        x = 1.02 + 0.025 * lane
        look: dict[str, Any] = {"transform": across, "clip_on": False, "color": GREY}
        ax.plot([x, x], [places[0], places[-1]], linewidth=line(1), **look)
        ax.plot([x] * len(places), places, "s", markersize=points(5), **look)
