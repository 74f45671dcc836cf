"""B(r), the indistinguishability threshold r_b and the precision C(r_b) there, in samples and in populations."""

from unconfuse.indistinguish.alike import Alike, compare_sets
from unconfuse.indistinguish.crossing import Crossing, LabelledSet, find_crossing
from unconfuse.indistinguish.easy import EasyNegatives, easy_negatives, easy_negatives_finding
from unconfuse.indistinguish.intervals import precision_influence
from unconfuse.indistinguish.pairs import sampled_a, sampled_b
from unconfuse.indistinguish.result import Indistinguishability
from unconfuse.indistinguish.threshold import indistinguishability
from unconfuse.metrics.indistinguishable import b_standard_errors
from unconfuse.populations import NormalMixtures, Population, PopulationCrossing

__all__ = [
    "Alike",
    "Crossing",
    "EasyNegatives",
    "Indistinguishability",
    "LabelledSet",
    "NormalMixtures",
    "Population",
    "PopulationCrossing",
    "b_standard_errors",
    "compare_sets",
    "easy_negatives",
    "easy_negatives_finding",
    "find_crossing",
    "indistinguishability",
    "precision_influence",
    "sampled_a",
    "sampled_b",
]
