"""Which of several models is better, measured on the same cases."""

from unconfuse.comparison.models import compare
from unconfuse.comparison.replicates import Resampling, paired_replicates
from unconfuse.comparison.result import Comparison, PairedDifference

__all__ = ["Comparison", "PairedDifference", "Resampling", "compare", "paired_replicates"]
