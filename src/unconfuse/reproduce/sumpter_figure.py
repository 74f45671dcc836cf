"""Figure 1 of the indistinguishability paper, drawn and moving: the threshold falls, and B(r) rises through 1/2."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._html_repr import BLUE, GREY, INK, NEGATIVE, POSITIVE
from unconfuse.indistinguish import Indistinguishability, indistinguishability
from unconfuse.plots import figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CATS, OTHERS = (79, 85, 82, 68, 87, 66), (61, 39, 28, 73, 74, 12)
SHOWN = (60.0, 67.0, 75.0)


def pictures() -> Indistinguishability:
    """Compare the twelve pictures, none with itself."""
    return indistinguishability([1] * 6 + [0] * 6, [*CATS, *OTHERS], exclude_self=True, n_resamples=100)


def figure_1() -> Any:
    """Draw the scored pictures, and the labelled and the real cats at three thresholds."""
    found, sheet = pictures(), figure(figsize=(9.6, 6.4))
    for ax, r in zip(sheet.subplots(3, 1), SHOWN, strict=True):
        _rows(ax, found, r)
    sheet.suptitle("Labelled and real cats at three thresholds", x=0.01, ha="left", fontsize=12)
    return sheet


def animation(path: Path, *, seconds: float = 0.2) -> None:
    """Write a GIF of the threshold falling from 87 to 11 and returning to 67, above B(r) as far as it has come."""
    from matplotlib import pyplot
    from matplotlib.animation import FuncAnimation, PillowWriter

    found, sheet = pictures(), figure(figsize=(7.2, 5.0))
    top, bottom = sheet.subplots(2, 1, height_ratios=(1.0, 1.4))
    steps = np.concatenate([np.arange(87, 10, -4.0), np.full(10, 67.0)])

    def frame(i: int) -> list[Any]:
        for ax in (top, bottom):
            ax.clear()
        _rows(top, found, float(steps[i]))
        _curve(bottom, found, float(steps[i]))
        return []

    frame(0)
    sheet.draw_without_rendering()
    sheet.set_layout_engine("none")  # laid out once, so that nothing jumps
    moving = FuncAnimation(sheet, frame, frames=len(steps))
    moving.save(path, writer=PillowWriter(fps=round(1 / seconds)), dpi=72)
    pyplot.close(sheet)


def _rows(ax: Axes, found: Indistinguishability, r: float) -> None:
    """Two rows of scores, real cats above and labelled cats below; what is not labelled is pale."""
    for score, is_cat in [(each, True) for each in CATS] + [(each, False) for each in OTHERS]:
        colour = POSITIVE if is_cat else NEGATIVE
        if is_cat:
            _card(ax, score, 1.3, colour, pale=False)
        _card(ax, score, 0.0, colour, pale=score < r)
    ax.axvline(r, color=GREY, linewidth=1.0, linestyle=(0, (3, 2)))
    b, c = float(found.b(r)), float(found.curve["precision"][np.sum(found.table.score >= r) - 1])
    ax.set_title(f"r = {r:g}:  B(r) = {b:.2f},  C(r) = {c:.2f}", loc="left", fontsize=10, color=INK)
    ax.set_yticks([0, 1.3], ["labelled", "real cats"], fontsize=9)
    ax.set_xlim(5, 95)
    ax.set_ylim(-0.6, 1.9)
    ax.spines[["top", "right", "left"]].set_visible(False)


def _card(ax: Axes, score: float, row: float, colour: str, *, pale: bool) -> None:
    face = {"facecolor": "white" if pale else colour, "edgecolor": colour, "boxstyle": "round,pad=0.25"}
    ink, alpha = (colour, 0.6) if pale else ("white", 1.0)
    # Neighbouring scores are close: every other one stands a little higher.
    lift = 0.25 if score in (87, 82, 74, 68, 61) else -0.25
    ax.text(score, row + lift, f"{score:g}", ha="center", va="center", fontsize=8, color=ink, alpha=alpha, bbox=face)


def _curve(ax: Axes, found: Indistinguishability, r: float) -> None:
    every = np.arange(87, r - 0.01, -0.5)
    ax.step(every, found.b(every), color=BLUE, linewidth=1.8, where="post")
    ax.plot([r], [found.b(r)], "o", color=BLUE, markersize=6)
    ax.axhline(0.5, color=GREY, linewidth=0.9)
    ax.set_xlim(5, 95)
    ax.set_ylim(0, 0.85)
    ax.set_xlabel("threshold r", fontsize=9, color=INK)
    ax.set_ylabel("B(r)", fontsize=9, color=INK)
    ax.text(6, 0.515, "cannot be told apart", fontsize=8, color=GREY)
    ax.spines[["top", "right"]].set_visible(False)
