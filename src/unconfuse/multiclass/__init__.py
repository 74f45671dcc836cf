"""Several classes: K one-versus-rest score tables, and a K x K table of decisions."""

from unconfuse.multiclass._definition import ClassMetric
from unconfuse.multiclass.confusion import Confusion
from unconfuse.multiclass.costs import class_cost
from unconfuse.multiclass.evaluation import check_confusion, confusion_of, judged_classes
from unconfuse.multiclass.intervals import ClassHow
from unconfuse.multiclass.ranking import top_k_accuracy
from unconfuse.multiclass.registry import MULTICLASS_METRICS
from unconfuse.multiclass.result import ClassEvaluation

__all__ = [
    "MULTICLASS_METRICS",
    "ClassEvaluation",
    "ClassHow",
    "ClassMetric",
    "Confusion",
    "check_confusion",
    "class_cost",
    "confusion_of",
    "judged_classes",
    "top_k_accuracy",
]
