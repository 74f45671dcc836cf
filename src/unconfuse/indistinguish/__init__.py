"""B(r), the indistinguishability threshold r_b and the precision C(r_b) there, in samples and in populations."""

from typing import TYPE_CHECKING

from unconfuse._deprecated import renamed_names
from unconfuse.indistinguish._easy_negatives import EasyNegatives, easy_negatives, easy_negatives_finding
from unconfuse.indistinguish.crossing import Crossing, LabelledSet, find_crossing
from unconfuse.indistinguish.distribution_diagnostics import ScoreSetDifference, compare_sets
from unconfuse.indistinguish.intervals import precision_influence
from unconfuse.indistinguish.pair_sampling import sampled_a, sampled_b
from unconfuse.indistinguish.result import Indistinguishability
from unconfuse.indistinguish.threshold import crossing_in, indistinguishability
from unconfuse.metrics.indistinguishable import b_standard_errors
from unconfuse.populations import NormalMixtures, Population, PopulationCrossing

__all__ = [
    "Crossing",
    "EasyNegatives",
    "Indistinguishability",
    "LabelledSet",
    "NormalMixtures",
    "Population",
    "PopulationCrossing",
    "ScoreSetDifference",
    "b_standard_errors",
    "compare_sets",
    "crossing_in",
    "easy_negatives",
    "easy_negatives_finding",
    "find_crossing",
    "indistinguishability",
    "precision_influence",
    "sampled_a",
    "sampled_b",
]

if not TYPE_CHECKING:  # there, every name would seem to exist
    __getattr__ = renamed_names(__name__, Alike="ScoreSetDifference")
