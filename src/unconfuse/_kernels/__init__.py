"""The compiled hot loops. They know arrays only; every one has a plain-NumPy twin in tests/kernels."""

from unconfuse._kernels._bootstrap import (
    bootstrap_ranks,
    bootstrap_rows,
    bootstrap_tables,
    paired_bootstrap_ranks,
    roc_samples,
    roc_table,
)
from unconfuse._kernels._ranks import RANK_METRICS, ClassRanks, class_ranks, order_rows, placement_moments, rank_metrics
from unconfuse._kernels._scans import (
    LossMoments,
    Moments,
    band_sums,
    beta_tails,
    gain_areas,
    hull_segments,
    loss_moments,
    mean_precision,
    partial_areas,
    places_reaching,
    recalibrate,
    trapezoid_areas,
)
from unconfuse._kernels._tables import collapse, merge_tables, precision_recall_points, roc_points, totals

__all__ = [
    "RANK_METRICS",
    "ClassRanks",
    "LossMoments",
    "Moments",
    "band_sums",
    "beta_tails",
    "bootstrap_ranks",
    "bootstrap_rows",
    "bootstrap_tables",
    "class_ranks",
    "collapse",
    "gain_areas",
    "hull_segments",
    "loss_moments",
    "mean_precision",
    "merge_tables",
    "order_rows",
    "paired_bootstrap_ranks",
    "partial_areas",
    "placement_moments",
    "places_reaching",
    "precision_recall_points",
    "rank_metrics",
    "recalibrate",
    "roc_points",
    "roc_samples",
    "roc_table",
    "totals",
    "trapezoid_areas",
]
