"""A picture of a reader study: each reader's line through the modalities, and the means with their intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from unconfuse._errors import ArgumentError
from unconfuse._html_repr import BLUE, GREY, INK
from unconfuse.plots._style import line, new_axes, points
from unconfuse.results.readers import Readers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        own = [each[reader] for each in values]
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
