"""Every interval, by name."""

from unconfuse.uncertainty.estimates import estimate, estimate_all
from unconfuse.uncertainty.methods import METHODS, limits

__all__ = ["METHODS", "estimate", "estimate_all", "limits"]
