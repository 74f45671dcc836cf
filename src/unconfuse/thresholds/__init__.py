"""Thresholds: every rule, the honest threshold card, and its use on new cases."""

from unconfuse.thresholds.card import FlatRegion, OperatingPoint, ThresholdCard
from unconfuse.thresholds.deployed import Applied, DriftWarning, apply_card, read_card
from unconfuse.thresholds.guaranteed import Guarantee, guarantee
from unconfuse.thresholds.make import threshold_card
from unconfuse.thresholds.prevalence import PrevalenceStudy, StudyRow, prevalence_study
from unconfuse.thresholds.rules import Constraint, Rule
from unconfuse.thresholds.sets_of_classes import PredictionSets, prediction_sets
from unconfuse.thresholds.watched import Watch, watch_card

__all__ = [
    "Applied",
    "Constraint",
    "DriftWarning",
    "FlatRegion",
    "Guarantee",
    "OperatingPoint",
    "PredictionSets",
    "PrevalenceStudy",
    "Rule",
    "StudyRow",
    "ThresholdCard",
    "Watch",
    "apply_card",
    "guarantee",
    "prediction_sets",
    "prevalence_study",
    "read_card",
    "threshold_card",
    "watch_card",
]
