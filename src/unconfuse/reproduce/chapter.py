"""The worked examples of a textbook chapter on classification performance metrics."""

from __future__ import annotations

import math

from unconfuse.api import evaluate_counts, score_table
from unconfuse.bayesian import binomial_at_most, binomial_exactly
from unconfuse.metrics import METRICS
from unconfuse.reproduce._report import Report, Reproduction, Row

TITLE = "Classification performance metrics: examples 8.1 to 8.3"
NOTES = (
    "Example 8.1: the sentence after the recall says what share of the positive results is right. That is the "
    "precision, which is 100%; the recall of 67.8% is the share of the ill that the test finds.",
    "Example 8.1: the sentence after the specificity says that all negative results are right. That would be an NPV "
    "of 1; the NPV is 31/98 = 0.316, so that two of three negative results are wrong.",
    "Example 8.2: the specificity is printed as 990/1000 = 0.99 with FN in the denominator. That is the NPV. "
    "Specificity divides by the negatives, FP + TN: 990/990 = 1. Table 8.1 describes the NPV under the same name.",
    "The definitions by conditional probability have swapped denominators: precision divides by the probability of a "
    "positive label, recall by the probability of a positive case.",
    "The area under the ROC curve is not confined to [0.5, 1]: scores that rank the negatives first have an area "
    "below 0.5, down to 0.",
)


def _antibody_test() -> list[Row]:
    test = evaluate_counts(tp=141, fp=0, fn=67, tn=31)
    accuracy = Row("8.1 accuracy", 0.7196652, test["accuracy"].value, 1e-7, note="printed cut off, not rounded")
    return [
        accuracy,
        Row.printed("8.1 precision", "1", test["precision"].value),
        Row.printed("8.1 recall", "0.678", test["sensitivity"].value),
        Row.printed("8.1 specificity", "1", test["specificity"].value),
        Row.printed("8.1 F1", "0.808", test["f1"].value),
        Row.printed(
            "8.1 share of positive results that are right",
            "0.678",
            test["precision"].value,
            erratum=True,
            note="the text reads the recall as the precision",
        ),
        Row.printed(
            "8.1 share of negative results that are right",
            "1",
            test["npv"].value,
            erratum=True,
            note="the text reads the specificity as the NPV",
        ),
    ]


def _always_negative() -> list[Row]:
    test = evaluate_counts(tp=0, fp=0, fn=10, tn=990)
    return [
        Row.printed("8.2 accuracy", "0.99", test["accuracy"].value),
        Row("8.2 precision", math.nan, test["precision"].value, note="undefined: no case is labelled positive"),
        Row.printed("8.2 recall", "0", test["sensitivity"].value),
        Row.printed(
            "8.2 specificity", "0.99", test["specificity"].value, erratum=True, note="the printed number is the NPV"
        ),
        Row.printed("8.2 NPV", "0.99", test["npv"].value, note="printed as specificity"),
        Row.printed("8.2 F1", "0", test["f1"].value),
    ]


def _ten_positives() -> list[Row]:
    return [
        Row.printed("8.3 6 or fewer of 10 right at a true recall of 0.8", "12.09%", binomial_at_most(6, 10, 0.8)),
        Row.printed("8.3 all 10 right at a true recall of 0.8", "10.74%", binomial_exactly(10, 10, 0.8)),
    ]


def _smallest_area() -> list[Row]:
    reversed_scores = score_table([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1])
    area = float(METRICS["auroc"](reversed_scores))
    return [Row("8.5 smallest area under a ROC curve", 0.5, area, erratum=True, note="negatives may be ranked first")]


def run() -> Report:
    """Recompute all examples."""
    rows = [*_antibody_test(), *_always_negative(), *_ten_positives(), *_smallest_area()]
    return Report(TITLE, tuple(rows), NOTES)


CHAPTER = Reproduction("chapter", TITLE, "Lecture notes on machine learning, chapter 8", run)
