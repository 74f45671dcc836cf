"""Resolving power: which metric can tell classifiers of similar quality apart, on how much data."""

from typing import TYPE_CHECKING

from unconfuse._deprecated import renamed_names
from unconfuse.populations import Population
from unconfuse.resolving._plan import plan
from unconfuse.resolving._resolving_power import resolving_power
from unconfuse.resolving.difference_plan import DifferencePlan
from unconfuse.resolving.empirical import Empirical
from unconfuse.resolving.model_sequence import ModelSequence
from unconfuse.resolving.models import BetaMixture, Binormal, Distributions, Uniform
from unconfuse.resolving.multiclass_power import ClassResolvingPower, class_resolving_power
from unconfuse.resolving.power_result import ResolvingPower
from unconfuse.resolving.tournaments import tournament

__all__ = [
    "BetaMixture",
    "Binormal",
    "ClassResolvingPower",
    "DifferencePlan",
    "Distributions",
    "Empirical",
    "ModelSequence",
    "Population",
    "ResolvingPower",
    "Uniform",
    "class_resolving_power",
    "plan",
    "resolving_power",
    "tournament",
]

if not TYPE_CHECKING:  # there, every name would seem to exist
    __getattr__ = renamed_names(__name__, Path="ModelSequence", Plan="DifferencePlan")
