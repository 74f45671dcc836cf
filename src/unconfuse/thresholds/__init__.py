"""Thresholds: every rule, the honest threshold card, and its use on new cases."""

from typing import TYPE_CHECKING

from unconfuse._deprecated import renamed_names
from unconfuse.thresholds._guarantee import GuaranteedThreshold, guarantee
from unconfuse.thresholds._prediction_sets import PredictionSets, prediction_sets
from unconfuse.thresholds._prevalence_study import PrevalenceStudy, PrevalenceStudyRow, prevalence_study
from unconfuse.thresholds.build_card import threshold_card
from unconfuse.thresholds.card import FlatRegion, OperatingPoint, ThresholdCard
from unconfuse.thresholds.deployment import AppliedCard, DriftWarning, apply_card, read_card
from unconfuse.thresholds.monitoring import Watch, watch_card
from unconfuse.thresholds.rules import Constraint, ThresholdRule

__all__ = [
    "AppliedCard",
    "Constraint",
    "DriftWarning",
    "FlatRegion",
    "GuaranteedThreshold",
    "OperatingPoint",
    "PredictionSets",
    "PrevalenceStudy",
    "PrevalenceStudyRow",
    "ThresholdCard",
    "ThresholdRule",
    "Watch",
    "apply_card",
    "guarantee",
    "prediction_sets",
    "prevalence_study",
    "read_card",
    "threshold_card",
    "watch_card",
]

if not TYPE_CHECKING:  # there, every name would seem to exist
    __getattr__ = renamed_names(
        __name__,
        Applied="AppliedCard",
        Guarantee="GuaranteedThreshold",
        Rule="ThresholdRule",
        StudyRow="PrevalenceStudyRow",
    )
