"""The picture of a confusion matrix: readable with three classes and with a hundred."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._palette import GREY, INK
from unconfuse.plots._style import new_axes
from unconfuse.results.confusion import Confusion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NUMBERS_UP_TO = 12  # classes whose cells still have room for a number
_NAMES_UP_TO = 40
_LONGEST = 18


def plot_confusion(data: Any, *, normalise: str = "truth", ordered: bool | None = None, ax: Axes | None = None) -> Axes:
    """Shares of each true class (or predicted class, or all cases) as shades; right decisions lie on the diagonal.

    With many classes the diagonal is left out of the scale of shades, so that confusions are seen, and classes that
    are confused with each other sit together (`ordered`; by default from 13 classes on).
    """
    found = getattr(data, "confusion", data)
    if not isinstance(found, Confusion):
        raise ArgumentError(f"this picture needs a confusion matrix; got {type(data).__name__}.")
    many = len(found.classes) > _NUMBERS_UP_TO
    shown = found.ordered() if (many if ordered is None else ordered) else found
    share = np.nan_to_num(shown.normalised(normalise))
    size = len(shown.classes)
    if ax is None:
        from unconfuse.plots._style import figure

        side = float(np.clip(2.2 + 0.55 * size, 4.6, 11.0))
        ax = figure(figsize=(side + 1.2, side)).subplots()
    words = {
        "truth": "shares of each true class",
        "predicted": "shares of each predicted class",
        "all": "shares of all cases",
    }
    right = float(np.trace(shown.counts)) / shown.n
    new_axes(ax, title=f"Confusion: {right:.1%} of {shown.n:,.6g} right", x="Predicted class", y="True class")
    ax.grid(visible=False)
    off = share[~np.eye(size, dtype=bool)].max() if size > 1 else 1.0
    top = float(max(off, 1e-9)) if many else 1.0
    image = ax.imshow(share, cmap="Blues", vmin=0, vmax=top, aspect="equal", interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, fraction=0.04, pad=0.02, extend="max" if many else "neither").set_label(
        words[normalise], fontsize=8
    )
    _name(ax, shown)
    if not many:
        _numbers(ax, shown, share)
    return ax


def _name(ax: Axes, shown: Confusion) -> None:
    """All names, or every n-th of them where there are too many."""
    size = len(shown.classes)
    step = max(1, -(-size // _NAMES_UP_TO))
    places = list(range(0, size, step))
    names = [_short(shown.classes[each]) for each in places]
    small = 8 if size <= _NUMBERS_UP_TO else 6
    ax.set_xticks(
        places, names, rotation=45 if size <= _NUMBERS_UP_TO else 90, ha="right", fontsize=small, parse_math=False
    )
    ax.set_yticks(places, names, fontsize=small, parse_math=False)


def _short(name: str) -> str:
    plain = "".join(each if each.isprintable() else "?" for each in name)
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"


def _numbers(ax: Axes, shown: Confusion, share: Any) -> None:
    for i, line in enumerate(shown.counts):
        for j, count in enumerate(line):
            colour = "white" if share[i, j] > 0.55 else INK if count else GREY
            ax.text(
                j,
                i,
                f"{count:,.6g}",
                ha="center",
                va="center",
                fontsize=8.5,
                color=colour,
                fontweight="bold" if i == j else "normal",
            )
