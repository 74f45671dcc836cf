"""The published numbers, and where the authors' files may be found."""

from __future__ import annotations

import os
from pathlib import Path

PREVALENCES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
QUALITIES = (0.65, 0.75, 0.85, 0.95)

# Relative difference of resolutions (AUPRC against AUROC), from the authors' simulation files.
DELTAS = {
    1_000: (
        (0.075, 0.057, 0.004, -0.028),
        (0.132, 0.096, 0.031, -0.104),
        (0.121, 0.088, 0.029, -0.077),
        (0.105, 0.097, 0.055, -0.025),
        (0.101, 0.088, 0.052, 0.012),
        (0.098, 0.096, 0.077, 0.051),
        (0.098, 0.103, 0.092, 0.075),
    ),
    10_000: (
        (0.317, 0.220, 0.110, -0.128),
        (0.160, 0.135, 0.040, -0.119),
        (0.129, 0.103, 0.039, -0.064),
        (0.117, 0.101, 0.061, -0.026),
        (0.114, 0.106, 0.060, 0.010),
        (0.120, 0.102, 0.085, 0.051),
        (0.106, 0.105, 0.096, 0.071),
    ),
    100_000: (
        (0.229, 0.259, 0.147, -0.142),
        (0.172, 0.133, 0.035, -0.115),
        (0.134, 0.127, 0.018, -0.092),
        (0.115, 0.098, 0.055, -0.011),
        (0.107, 0.087, 0.068, -0.002),
        (0.089, 0.106, 0.080, 0.042),
        (0.110, 0.129, 0.102, 0.090),
    ),
}
REPEATS = {1_000: 3, 10_000: 3, 100_000: 1}
FIGURES = {1_000: "figure B2, top", 10_000: "figure 4", 100_000: "figure B2, bottom"}
NOISE = {True: 0.018, False: 0.0115}  # standard deviation of one repeat of theirs: at prevalence .01, and elsewhere

HOW_TO_GET = (
    "The authors' files (cv_scores, store_boot.csv, empirical_grid.csv, xgb_*.csv, diabetes) were not found, so that "
    "tables 2 and 3 are left out. Get them from https://github.com/colinbeam/resolving_power and the UCI repository "
    "(Diabetes 130-US hospitals), put them in one folder and name it in the environment variable UNCONFUSE_BEAM_DATA."
)


def data_folder() -> Path | None:
    """The folder of the authors' files, if there is one."""
    named = os.environ.get("UNCONFUSE_BEAM_DATA")
    places = [Path(named)] if named else [Path("shared/data"), Path("../shared/data"), Path("data")]
    return next((place for place in places if (place / "cv_scores.parquet").exists()), None)
