"""Beam's paper on resolving power, run again: figures 1, 3, 4, 5 and B2, tables 2 and 3."""

from __future__ import annotations

import os
from pathlib import Path

from unconfuse.reproduce._report import Report, Reproduction, Row
from unconfuse.reproduce.beam.published import HOW_TO_GET, data_folder
from unconfuse.reproduce.beam.simulated import heights, relative_resolutions, signal_curves, standard_errors
from unconfuse.reproduce.beam.tables import table_2, table_3, table_3_again

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
SHORT: Sizes = {1_000: (5_000, 1), 10_000: (2_000, 1), 100_000: (1_000, 1)}
FULL: Sizes = {1_000: (10_000, 3), 10_000: (10_000, 3), 100_000: (10_000, 1)}
ON_REQUEST = (
    "These are fewer samples and trials than in print; set the environment variable UNCONFUSE_BEAM_FULL=1 for all of "
    "them (10,000 samples, three repeats, 500 trials), which takes hours."
)


def run() -> Report:
    """Everything; with UNCONFUSE_BEAM_FULL=1 as many samples, repeats and trials as in the paper."""
    full = os.environ.get("UNCONFUSE_BEAM_FULL", "") not in ("", "0")
    sizes = FULL if full else SHORT
    rows: list[Row] = [*heights(), *signal_curves(), *standard_errors()]
    for n, (n_samples, repeats) in sizes.items():
        rows += relative_resolutions(n, n_samples=n_samples, repeats=repeats)
    used = "; ".join(f"N = {n:,}: {n_samples:,} samples x {repeats}" for n, (n_samples, repeats) in sizes.items())
    notes = [*NOTES, f"Simulated here: {used}." + ("" if full else f" {ON_REQUEST}")]
    folder = data_folder()
    if folder is None:
        return Report(TITLE, tuple(rows), (*notes, HOW_TO_GET))
    again, words = table_3_again(folder, 500 if full else 2)
    return Report(TITLE, (*rows, *table_2(folder), *table_3(folder), *again), (*notes, words))


def draw(folder: Path) -> list[Path]:
    """The figures; matplotlib is imported only now."""
    from unconfuse.reproduce.beam.figures import draw_figures

    return draw_figures(folder)


BEAM = Reproduction("beam", TITLE, SOURCE, run, draw)
