"""Which of several models is better on the same cases, and where one model is better on other cases."""

from unconfuse.comparison.cases import Cases, NearCases
from unconfuse.comparison.distant import DistantCases
from unconfuse.comparison.models import compare
from unconfuse.comparison.replicates import Resampling, paired_replicates
from unconfuse.comparison.result import Comparison, PairedDifference
from unconfuse.comparison.subgroup_difference import SubgroupDifference
from unconfuse.comparison.subgroups import Subgroups

__all__ = [
    "Cases",
    "Comparison",
    "DistantCases",
    "NearCases",
    "PairedDifference",
    "Resampling",
    "SubgroupDifference",
    "Subgroups",
    "compare",
    "paired_replicates",
]
