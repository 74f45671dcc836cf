"""How sure every number is: closed forms, posteriors, influences and resampling, and the one engine that chooses."""

from unconfuse.uncertainty.class_limits import NEEDS_ROWS, variance_of
from unconfuse.uncertainty.engine import available, estimate, why_not
from unconfuse.uncertainty.estimate import Estimate, Finding
from unconfuse.uncertainty.independent import Side, independent_difference
from unconfuse.uncertainty.methods import METHODS, limits
from unconfuse.uncertainty.replicates import by_cases, value_of
from unconfuse.uncertainty.tables import estimate_counts, estimate_scores

__all__ = [
    "METHODS",
    "NEEDS_ROWS",
    "Estimate",
    "Finding",
    "Side",
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
