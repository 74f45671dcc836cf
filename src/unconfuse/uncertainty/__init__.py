"""How sure every number is: closed forms, posteriors, influences and resampling, and the one engine that chooses."""

from unconfuse.uncertainty.class_limits import NEEDS_ROWS, variance_of
from unconfuse.uncertainty.contrasts import Found, Paired
from unconfuse.uncertainty.engine import available, estimate, estimate_counts, estimate_scores, why_not
from unconfuse.uncertainty.estimate import Estimate, Finding
from unconfuse.uncertainty.independent import Side, independent_difference
from unconfuse.uncertainty.methods import METHODS, limits
from unconfuse.uncertainty.replicates import by_cases, value_of
from unconfuse.uncertainty.unpaired import Unpaired

__all__ = [
    "METHODS",
    "NEEDS_ROWS",
    "Estimate",
    "Finding",
    "Found",
    "Paired",
    "Side",
    "Unpaired",
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
