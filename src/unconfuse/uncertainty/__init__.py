"""Every interval, by name."""

from unconfuse.uncertainty.decisions import METHODS, estimate, estimate_all, limits

__all__ = ["METHODS", "estimate", "estimate_all", "limits"]
