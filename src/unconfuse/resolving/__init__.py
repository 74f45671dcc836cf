"""Resolving power: which metric can tell classifiers of similar quality apart, on how much data."""

from unconfuse.resolving.models import BetaMixture, Binormal, Distributions, Uniform

__all__ = ["BetaMixture", "Binormal", "Distributions", "Uniform"]
