"""What the verbs return: frozen results that carry their values, their uncertainty and how both were made."""

from unconfuse.results.comparison import Comparison, PairedDifference
from unconfuse.results.confusion import Confusion
from unconfuse.results.evaluation import Evaluation
from unconfuse.results.subgroup_difference import SubgroupDifference
from unconfuse.results.subgroups import Subgroups

__all__ = ["Comparison", "Confusion", "Evaluation", "PairedDifference", "SubgroupDifference", "Subgroups"]
