"""Thresholds: every rule, the honest threshold card, and its use on new cases."""

from unconfuse.thresholds.apply import Applied, DriftWarning, apply_card
from unconfuse.thresholds.card import FlatRegion, OperatingPoint, ThresholdCard
from unconfuse.thresholds.make import threshold_card
from unconfuse.thresholds.rules import Constraint, Rule
from unconfuse.thresholds.store import read_card

__all__ = ["Applied", "Constraint", "DriftWarning", "FlatRegion", "OperatingPoint", "Rule", "ThresholdCard",
           "apply_card", "read_card", "threshold_card"]
