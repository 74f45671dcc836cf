"""The declared metrics. Declaring one in this room makes it appear in the API, the command line and the docs."""

from __future__ import annotations

from unconfuse.metrics._inference import Affine
from unconfuse.metrics._metric import Metric
from unconfuse.metrics.agreement import expected_cost, f_beta, net_benefit
from unconfuse.metrics.at_k import lift_at, precision_at_k
from unconfuse.metrics.constrained import (
    fpr_at_tpr,
    precision_at_recall,
    recall_at_precision,
    sensitivity_at_specificity,
    specificity_at_sensitivity,
)
from unconfuse.metrics.early_recognition import bedroc, min_detection_cost
from unconfuse.metrics.hand_measure import h_measure
from unconfuse.metrics.indistinguishable import precision_at_b
from unconfuse.metrics.multiclass_decisions import class_cost
from unconfuse.metrics.multiclass_scores import top_k_accuracy
from unconfuse.metrics.partial_areas import partial_auroc
from unconfuse.metrics.probability import clipped_log_loss, ece
from unconfuse.metrics.ranking import concentrated_auroc
from unconfuse.metrics.registry import (
    FACTORIES,
    METRICS,
    MULTICLASS_METRICS,
    RARE,
    Registry,
    call_factory,
    canonical,
    find_metric,
    find_metrics,
    key_of,
    metrics_of,
    name_among,
)
from unconfuse.metrics.user_metric import UserFunction, metric

__all__ = ["FACTORIES", "METRICS", "MULTICLASS_METRICS", "RARE", "Affine", "Metric", "UserFunction", "metric"]
__all__ += [
    "Registry",
    "call_factory",
    "canonical",
    "find_metric",
    "find_metrics",
    "key_of",
    "metrics_of",
    "name_among",
]
__all__ += ["class_cost", "clipped_log_loss", "concentrated_auroc", "ece", "expected_cost", "f_beta", "h_measure"]
__all__ += ["lift_at", "net_benefit", "partial_auroc", "precision_at_b", "precision_at_k", "top_k_accuracy"]
__all__ += ["bedroc", "min_detection_cost"]
__all__ += ["fpr_at_tpr", "precision_at_recall", "recall_at_precision"]
__all__ += ["sensitivity_at_specificity", "specificity_at_sensitivity"]
