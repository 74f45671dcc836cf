"""The compiled hot loops. They know arrays only; every one has a plain-NumPy twin in tests/kernels."""

from unconfuse._kernels._ranks import (
    RANK_METRICS,
    ClassRanks,
    Design,
    UnitTotals,
    auroc_of_counts,
    bootstrap_ranks,
    bootstrap_rows,
    bootstrap_tables,
    class_ranks,
    design_of,
    order_rows,
    paired_bootstrap_ranks,
    placement_moments,
    rank_metrics,
    roc_samples,
    roc_table,
)
from unconfuse._kernels._score_tables import (
    Counts32,
    HullSegments,
    LossMoments,
    WeightedMoments,
    band_sums,
    beta_tails,
    collapse,
    collapse_cases,
    hull_segments,
    last_at_level,
    loss_moments,
    mean_precision,
    merge_tables,
    node_weights,
    partial_areas,
    places_reaching,
    precision_recall_points,
    reach_of_level,
    recalibrate,
    roc_points,
    totals,
    widened,
)

__all__ = [
    "RANK_METRICS",
    "ClassRanks",
    "Counts32",
    "Design",
    "HullSegments",
    "LossMoments",
    "UnitTotals",
    "WeightedMoments",
]
__all__ += [
    "auroc_of_counts",
    "band_sums",
    "collapse",
    "collapse_cases",
    "merge_tables",
    "node_weights",
    "order_rows",
    "places_reaching",
    "precision_recall_points",
]
__all__ += ["beta_tails", "hull_segments", "mean_precision", "partial_areas"]
__all__ += [
    "bootstrap_ranks",
    "bootstrap_rows",
    "bootstrap_tables",
    "design_of",
    "paired_bootstrap_ranks",
    "roc_samples",
]
__all__ += ["class_ranks", "loss_moments", "placement_moments", "rank_metrics", "recalibrate", "roc_points"]
__all__ += ["last_at_level", "reach_of_level", "roc_table", "totals", "widened"]
