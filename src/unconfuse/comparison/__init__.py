"""Which of several models is better, measured on the same cases."""

from unconfuse.comparison.cases import Cases, NearCases
from unconfuse.comparison.distant import DistantCases
from unconfuse.comparison.models import compare
from unconfuse.comparison.replicates import Resampling, paired_replicates
from unconfuse.comparison.result import Comparison, PairedDifference

__all__ = [
    "Cases",
    "Comparison",
    "DistantCases",
    "NearCases",
    "PairedDifference",
    "Resampling",
    "compare",
    "paired_replicates",
]
