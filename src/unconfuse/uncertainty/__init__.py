"""How sure every number is: closed forms, posteriors, influences and resampling, and the one engine that chooses."""

from unconfuse.uncertainty.engine import available, estimate, why_not
from unconfuse.uncertainty.estimate import Estimate, Finding
from unconfuse.uncertainty.independent_contrast import ContrastSide, independent_difference
from unconfuse.uncertainty.interval_methods import METHODS, limits
from unconfuse.uncertainty.joint_replicates import by_cases, value_of
from unconfuse.uncertainty.multiclass_limits import NEEDS_ROWS, variance_of
from unconfuse.uncertainty.table_estimates import estimate_counts, estimate_scores

__all__ = [
    "METHODS",
    "NEEDS_ROWS",
    "ContrastSide",
    "Estimate",
    "Finding",
    "available",
    "by_cases",
    "estimate",
    "estimate_counts",
    "estimate_scores",
    "independent_difference",
    "limits",
    "value_of",
    "variance_of",
    "why_not",
]
