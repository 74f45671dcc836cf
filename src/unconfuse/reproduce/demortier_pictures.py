"""The pictures of the trends: scores and metrics against the threshold; scores, ROC and precision-recall."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from unconfuse._palette import GREY
from unconfuse.curves import precision_recall
from unconfuse.plots import plot_precision_recall, plot_roc, plot_score_histograms, plot_trends, save
from unconfuse.plots._style import figure
from unconfuse.table import ScoreTable


class Drawable(Protocol):
    """A sample with a title and a table."""

    @property
    def title(self) -> str:
        """What is above the picture."""
        ...

    def table(self) -> ScoreTable:
        """Its scores."""
        ...


def draw_figures(cases: Iterable[Drawable], pairs: Iterable[Drawable], folder: Path) -> list[Path]:
    """One file for each sample; returns where they are."""
    written = [_saved(_trend_figure(each), folder / f"trends-{k}.png") for k, each in enumerate(cases, 1)]
    return written + [_saved(_pair_figure(each), folder / f"roc-pr-{k}.png") for k, each in enumerate(pairs, 1)]


def _trend_figure(sample: Drawable) -> Any:
    sheet = figure((11.5, 4.4))
    left, right = sheet.subplots(1, 2)
    table = sample.table()
    plot_score_histograms(table, ax=left, n_bins=40 if len(table) > 400 else 14)
    plot_trends(table, ["sensitivity", "precision"], ax=right)
    right.set_title("Sensitivity (recall) and precision", loc="left", fontsize=11, fontweight="bold", pad=10)
    right.set_ylim(-0.02, 1.04)
    sheet.suptitle(sample.title, x=0.01, ha="left", fontsize=12)
    return sheet


def _pair_figure(sample: Drawable) -> Any:
    sheet = figure((15.0, 4.9))
    scores, roc, pr = sheet.subplots(1, 3)
    table = sample.table()
    plot_score_histograms(table, ax=scores)
    plot_roc(table, ax=roc, hull=False, band=True)
    plot_precision_recall(table, ax=pr, band=True)
    curve = precision_recall(table)
    pr.plot(curve["queue_rate"], curve["precision"], color=GREY, linewidth=0.9, linestyle=(0, (4, 3)))
    height = 0.08 if table.prevalence > 0.2 else 0.9  # below or above the curve
    pr.annotate(
        "dashed: precision against queue rate",
        (0.98, height),
        xycoords="axes fraction",
        fontsize=7.5,
        color=GREY,
        ha="right",
    )
    sheet.suptitle(sample.title, x=0.01, ha="left", fontsize=12)
    return sheet


def _saved(sheet: Any, path: Path) -> Path:
    save(sheet, str(path), close=True)
    return path
