"""Beam's paper on resolving power, run again: the toy example, figures 1, 3, 4, 5 and B2, tables 2 and 3."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from unconfuse.ingest.read_columns import every_column
from unconfuse.reproduce._report import Report, ReproducedValue, Reproduction
from unconfuse.reproduce.beam import simulated, toy
from unconfuse.reproduce.beam.tables import HOW_TO_GET, data_folder, empirical_grid, table_2, table_3, table_3_again
from unconfuse.table import ScoreTable

Sizes = dict[int, tuple[int, int]]
TITLE = "Resolving power of threshold-free metrics"
SOURCE = "Beam (2023), Resolving power: A general approach to compare the distinguishing ability of evaluation metrics"
NOTES = (
    "The recipe: class sizes are fixed; the AUPRC is Davis and Goadrich's; limits are the .025 and .975 quantiles; "
    "those of the AUPRC go back to the AUROC through the nearest of 10,000 grid points, whose AUPRC is a right Riemann "
    "sum of 1,000 steps, 4e-5 to 5e-4 below the integral.",
    "The grid starts at an AUROC of .5, so that lower limits are clipped: at N = 1,000, prevalence .01 and AUROC .65 "
    "delta is .075, and .133 without clipping.",
    "kappa is called the smallest distance that can be told apart; two independent estimates differ significantly from "
    "0.71 kappa on.",
    "The sign of delta at N = 100,000, prevalence .3 and AUROC .95 (-.002) is noise: its limit is +.019.",
)


# Samples at each quality, and repeats, for each N; and trials of the tournament.
SHORT: Sizes = {1_000: (5_000, 1), 10_000: (2_000, 1), 100_000: (500, 1)}
FULL: Sizes = {1_000: (10_000, 3), 10_000: (10_000, 3), 100_000: (10_000, 1)}
ON_REQUEST = (
    "These are fewer samples and trials than in print; set the environment variable UNCONFUSE_BEAM_FULL=1 for all of "
    "them (10,000 samples, three repeats, 500 trials), which takes hours."
)


def run() -> Report:
    """Everything; with UNCONFUSE_BEAM_FULL=1 as many samples, repeats and trials as in the paper."""
    full = os.environ.get("UNCONFUSE_BEAM_FULL", "") not in ("", "0")
    sizes = FULL if full else SHORT
    rows: list[ReproducedValue] = [
        *simulated.heights(),
        *toy.rows(),
        *simulated.signal_curves(),
        *simulated.standard_errors(),
    ]
    for n, (n_samples, repeats) in sizes.items():
        rows += simulated.relative_resolutions(n, n_samples=n_samples, repeats=repeats)
    used = "; ".join(f"N = {n:,}: {n_samples:,} samples x {repeats}" for n, (n_samples, repeats) in sizes.items())
    notes = [*NOTES, f"Simulated here: {used}." + ("" if full else f" {ON_REQUEST}")]
    folder = data_folder()
    if folder is None:
        return Report(TITLE, tuple(rows), (*notes, HOW_TO_GET))
    again, words = table_3_again(folder, 500 if full else 2)
    reproduced_values = (*rows, *table_2(folder), *empirical_grid(folder), *table_3(folder), *again)
    return Report(TITLE, reproduced_values, (*notes, words))


def draw(folder: Path) -> list[Path]:
    """Figures 1 to 5, A1 and B2, and 6 and 7 where the readmission scores are at hand, as PNG files in a folder."""
    from unconfuse import plots
    from unconfuse.reproduce.beam import figures

    sheets = {
        "figure_1": figures.heights(),
        "figure_2": toy.figure_2(),
        "figure_3": figures.signal_curves(),
        "figure_4": figures.relative_resolutions(10_000),
        "figure_5": figures.standard_errors(),
        "figure_A1": toy.figure_a1(),
        "figure_B2": figures.relative_resolutions(1_000, 100_000),
    }
    data = data_folder()
    if data is not None:
        rows = every_column(data / "cv_scores.parquet")
        table = ScoreTable.from_rows(np.asarray(rows["DV"]) == 1, np.asarray(rows["ylogit"], dtype=np.float64))
        sheets |= {"figure_6": plots.plot_normality(table), "figure_7": figures.empirical(table)}
    folder.mkdir(parents=True, exist_ok=True)
    for name, sheet in sheets.items():
        plots.save(sheet, str(folder / f"beam_{name}.png"), close=True)
    return [folder / f"beam_{name}.png" for name in sheets]


BEAM = Reproduction("beam", TITLE, SOURCE, run, draw)
