"""B(r), the indistinguishability threshold r_b and the precision C(r_b) there, in samples and in populations."""

from unconfuse.indistinguish.crossing import Crossing, LabelledSet, find_crossing, sampled_b
from unconfuse.indistinguish.easy import EasyNegatives, easy_negatives, easy_negatives_finding
from unconfuse.indistinguish.intervals import b_standard_errors, precision_influence
from unconfuse.indistinguish.threshold import Indistinguishability, indistinguishability
from unconfuse.populations import NormalMixtures, Population, PopulationCrossing

__all__ = [
    "Crossing",
    "EasyNegatives",
    "Indistinguishability",
    "LabelledSet",
    "NormalMixtures",
    "Population",
    "PopulationCrossing",
    "b_standard_errors",
    "easy_negatives",
    "easy_negatives_finding",
    "find_crossing",
    "indistinguishability",
    "precision_influence",
    "sampled_b",
]
