"""What each of the twelve quantities is: one group of cells of the 2x2 table as a share of another."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from unconfuse.metrics import METRICS

Table = tuple[Fraction, Fraction, Fraction, Fraction]
"""Joint probabilities of true positives, false positives, false negatives and true negatives."""
Cells = tuple[int, int, int, int]

_ALL: Cells = (1, 1, 1, 1)
_POSITIVES, _NEGATIVES, _LABELLED, _NOT_LABELLED = (1, 0, 1, 0), (0, 1, 0, 1), (1, 1, 0, 0), (0, 0, 1, 1)
_TP, _FP, _FN, _TN = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)

TWELVE: Mapping[str, tuple[Cells, Cells]] = MappingProxyType(
    {
        "prevalence": (_POSITIVES, _ALL),
        "negative_prevalence": (_NEGATIVES, _ALL),
        "sensitivity": (_TP, _POSITIVES),
        "specificity": (_TN, _NEGATIVES),
        "false_positive_rate": (_FP, _NEGATIVES),
        "false_negative_rate": (_FN, _POSITIVES),
        "queue_rate": (_LABELLED, _ALL),
        "negative_queue_rate": (_NOT_LABELLED, _ALL),
        "precision": (_TP, _LABELLED),
        "npv": (_TN, _NOT_LABELLED),
        "false_discovery_rate": (_FP, _LABELLED),
        "false_omission_rate": (_FN, _NOT_LABELLED),
    }
)
COMPLEMENTS: Mapping[str, str] = MappingProxyType(
    {
        "prevalence": "negative_prevalence",
        "sensitivity": "false_negative_rate",
        "specificity": "false_positive_rate",
        "queue_rate": "negative_queue_rate",
        "precision": "false_discovery_rate",
        "npv": "false_omission_rate",
    }
)
"""Pairs that add up to 1; the first of each, in the order in which they are suggested."""
OF_THE_CLASSIFIER = ("sensitivity", "specificity", "false_positive_rate", "false_negative_rate")
"""These keep their meaning in a population that has no member of the class."""
OF_THE_LABELS = ("precision", "npv", "false_discovery_rate", "false_omission_rate")


def parts_in(table: Table, name: str) -> tuple[Fraction, Fraction]:
    """The two probabilities whose ratio is the quantity."""
    top, bottom = (
        sum((p for p, inside in zip(table, cells, strict=True) if inside), Fraction(0)) for cells in TWELVE[name]
    )
    return top, bottom


def value_in(table: Table, name: str) -> Fraction | None:
    """The quantity in a table, or None if it is 0/0 there."""
    top, bottom = parts_in(table, name)
    return top / bottom if bottom else None


def equation(name: str, value: Fraction) -> list[Fraction]:
    """The row r with r . table = 0 that says that the quantity has this value: top - value * bottom = 0."""
    return [top - value * bottom for top, bottom in zip(*TWELVE[name], strict=True)]


def why_undefined(name: str) -> str:
    """Why the quantity is 0/0, in words."""
    return METRICS[name].undefined.split(" (")[0]
