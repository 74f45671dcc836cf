"""Resolving power: which metric can tell classifiers of similar quality apart, on how much data."""

from unconfuse.populations import Population
from unconfuse.resolving.answers import ResolvingPower
from unconfuse.resolving.classes import ClassResolvingPower, class_resolving_power
from unconfuse.resolving.empirical import Empirical
from unconfuse.resolving.models import BetaMixture, Binormal, Distributions, Uniform
from unconfuse.resolving.path import Path
from unconfuse.resolving.planning import plan
from unconfuse.resolving.plans import Plan
from unconfuse.resolving.power import resolving_power
from unconfuse.resolving.tournaments import tournament

__all__ = [
    "BetaMixture",
    "Binormal",
    "ClassResolvingPower",
    "Distributions",
    "Empirical",
    "Path",
    "Plan",
    "Population",
    "ResolvingPower",
    "Uniform",
    "class_resolving_power",
    "plan",
    "resolving_power",
    "tournament",
]
