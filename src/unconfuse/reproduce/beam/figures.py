"""The paper's figures 2, 4 and 5, and 6 and 7 where the readmission scores are at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from unconfuse.ingest.others import every_column
from unconfuse.plots import save
from unconfuse.plots._style import figure
from unconfuse.plots.resolving import plot_normality, plot_relative_resolution, plot_signal_curve, plot_standard_errors
from unconfuse.reproduce.beam.published import PREVALENCES, QUALITIES, data_folder
from unconfuse.reproduce.beam.tables import AREA
from unconfuse.resolving import Binormal, Empirical, resolving_power
from unconfuse.table import ScoreTable

SAMPLES = 2_000  # at each quality; enough for a picture


def draw_figures(folder: Path) -> list[Path]:
    """Draw the figures as PNG files into a folder, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    sheets = {"figure_2": _signal(), "figure_4": _relative(), "figure_5": _errors(), **_readmission()}
    for name, sheet in sheets.items():
        save(sheet, str(folder / f"beam_{name}.png"), close=True)
    return [folder / f"beam_{name}.png" for name in sheets]


def _signal() -> Any:
    result = resolving_power(Binormal(), [AREA], n=10_000, prevalence=0.1, at=[0.75, 0.9], n_samples=SAMPLES)
    return _one(lambda ax: plot_signal_curve(result, AREA, ax=ax))


def _relative() -> Any:
    results = [
        resolving_power(Binormal(), [AREA], n=10_000, prevalence=share, at=QUALITIES, n_samples=SAMPLES)
        for share in PREVALENCES
    ]
    return _one(lambda ax: plot_relative_resolution(results, AREA, ax=ax))


def _errors() -> Any:
    return _one(lambda ax: plot_standard_errors(ax=ax))


def _readmission() -> dict[str, Any]:
    data = data_folder()
    if data is None or not (data / "cv_scores.parquet").exists():
        return {}
    rows = every_column(data / "cv_scores.parquet")
    table = ScoreTable.of_rows(np.asarray(rows["DV"]) == 1, np.asarray(rows["ylogit"], dtype=np.float64))
    result = resolving_power(Empirical(table, scale="raw"), [AREA], method="asymptotic")
    return {"figure_6": plot_normality(table), "figure_7": _one(lambda ax: plot_signal_curve(result, AREA, ax=ax))}


def _one(picture: Any) -> Any:
    sheet = figure(figsize=(8.0, 5.2))
    picture(sheet.subplots())
    return sheet
