"""Figures 2 to 6 of "Precision at the indistinguishability threshold", drawn again from corrected equations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from unconfuse.plots import plot_roc
from unconfuse.plots._style import figure
from unconfuse.plots.indistinguishability import plot_against_b, plot_b_parts, plot_scores_and_r_b
from unconfuse.plots.ranking import plot_b_curve
from unconfuse.reproduce.sumpter import NAMES, sample
from unconfuse.table import ScoreTable

FIGURES: dict[str, tuple[str, Callable[..., Any]]] = {
    "figure_2": ("Scores of the nine data sets, and r_b", plot_scores_and_r_b),
    "figure_3": ("ROC curves", plot_roc),
    "figure_4": ("B(r)", plot_b_curve),
    "figure_5": ("Precision, TPR and FPR against B", plot_against_b),
    "figure_6": ("B(r), its parts and F1", plot_b_parts),
}


def draw_figures(folder: str | Path, *, seed: int = 0, only: str | None = None) -> list[Path]:
    """Draw the figures as PNG files into a folder, and return their paths."""
    from matplotlib import pyplot

    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    tables = [sample(name, np.random.default_rng([seed, position])) for position, name in enumerate(NAMES)]
    paths = []
    for name, (title, picture) in FIGURES.items():
        if only in (None, name):
            sheet = _sheet(title, picture, tables)
            paths.append(place / f"sumpter_{name}.png")
            sheet.savefig(paths[-1], dpi=80)
            pyplot.close(sheet)
    return paths


def _sheet(title: str, picture: Callable[..., Any], tables: list[ScoreTable]) -> Any:
    sheet = figure(figsize=(13.5, 11.5))
    for name, table, ax in zip(NAMES, tables, sheet.subplots(3, 3).flat, strict=True):
        picture(table, ax=ax)
        ax.set_title(f"({name})", loc="left", fontsize=10)
    sheet.suptitle(title, x=0.01, ha="left", fontsize=13)
    return sheet
