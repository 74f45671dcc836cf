"""For scikit-learn: scorers, displays, thresholds, mended probabilities, and selection that knows its noise.

>>> from sklearn.datasets import make_classification
>>> from sklearn.linear_model import LogisticRegression
>>> from sklearn.model_selection import cross_val_score
>>> from unconfuse.sklearn import scorer
>>> X, y = make_classification(200, random_state=0)
>>> len(cross_val_score(LogisticRegression(), X, y, scoring=scorer("auroc")))
5
"""

from unconfuse.integrations.cross_validation import cross_evaluate
from unconfuse.integrations.displays import (
    BCurveDisplay,
    CurveDisplay,
    DecisionCurveDisplay,
    DetDisplay,
    GainDisplay,
    PrecisionRecallDisplay,
    ReliabilityDisplay,
    RocDisplay,
)
from unconfuse.integrations.recalibrator import Recalibrator
from unconfuse.integrations.scorers import Scorer, scorer
from unconfuse.integrations.selection import SelectByResolution
from unconfuse.integrations.threshold_classifier import ThresholdClassifier

__all__ = [
    "BCurveDisplay",
    "CurveDisplay",
    "DecisionCurveDisplay",
    "DetDisplay",
    "GainDisplay",
    "PrecisionRecallDisplay",
    "Recalibrator",
    "ReliabilityDisplay",
    "RocDisplay",
    "Scorer",
    "SelectByResolution",
    "ThresholdClassifier",
    "cross_evaluate",
    "scorer",
]
