"""How metrics of counts are declared, and what they share: one worked example, references and reasons."""

from __future__ import annotations

from functools import partial
from typing import Any

from unconfuse.metrics import bounds
from unconfuse.metrics._definition import Example, Metric
from unconfuse.metrics._expression import fraction_of
from unconfuse.table import Counts

# One table serves every worked example: 40 of 200 people have the condition, the test finds 30 of them and raises
# 20 false alarms.
CLINIC = Counts(tp=30, fp=20, fn=10, tn=140)
example = partial(Example, CLINIC)

FLEISS = "Fleiss, Levin & Paik (2003), Statistical Methods for Rates and Proportions"
ALTMAN = "Altman & Bland (1994), BMJ 308:1552 and 309:102, Diagnostic tests 1 and 2"
DEEKS = "Deeks & Altman (2004), BMJ 329:168, Diagnostic tests 4: likelihood ratios"

NO_POSITIVES = "there are no positives (TP + FN = 0)"
NO_NEGATIVES = "there are no negatives (FP + TN = 0)"
NO_CASES = "there are no cases"
NONE_LABELLED = "no case is labelled positive (TP + FP = 0)"
ALL_LABELLED = "no case is labelled negative (FN + TN = 0)"


def decision(name: str, expression: str, **declared: Any) -> Metric:
    """A metric of counts that rises or falls steadily in TP and in FP."""
    return Metric(**{"name": name, "expression": expression, "bounds": bounds.by_corners, **declared})


def share(name: str, expression: str, **declared: Any) -> Metric:
    """A share of cases: its expression divides successes by trials."""
    usual = {"fraction": fraction_of(expression), "range": (0.0, 1.0), "interval": "mid_p"}
    return decision(name, expression, **{**usual, **declared})
