"""Shares of cases: how often labels are right or wrong, among all cases, within a class or among equal labels."""

from __future__ import annotations

import numpy as np

from unconfuse.metrics._clinic import (
    ALL_LABELLED,
    ALTMAN,
    FLEISS,
    NO_CASES,
    NO_NEGATIVES,
    NO_POSITIVES,
    NONE_LABELLED,
    example,
)
from unconfuse.metrics._definition import Fraction, Metric, proportion
from unconfuse.table import Counts


@proportion(
    label="Accuracy",
    question="What share of all cases gets the right label?",
    formula=r"\frac{TP+TN}{n}",
    expression="(tp + tn) / total",
    undefined=NO_CASES,
    misleads="With rare positives, calling everyone negative is highly accurate: compare with the null accuracy.",
    references=(FLEISS,),
    example=example(170 / 200),
)
def accuracy(c: Counts) -> Fraction:
    """Share of cases with the right label."""
    return c.tp + c.tn, c.total


@proportion(
    label="Misclassification rate",
    question="What share of all cases gets the wrong label?",
    better="lower",
    formula=r"\frac{FP+FN}{n}",
    expression="(fp + fn) / total",
    undefined=NO_CASES,
    misleads="It counts a false alarm and a missed case as equally bad.",
    references=(FLEISS,),
    example=example(30 / 200),
)
def misclassification_rate(c: Counts) -> Fraction:
    """Share of cases with the wrong label."""
    return c.fp + c.fn, c.total


@proportion(
    label="Null accuracy",
    question="How accurate is it to call every case by the more common class?",
    better="neither",
    range=(0.5, 1.0),
    formula=r"\frac{\max(P,N)}{n}",
    expression="max(positives, negatives) / total",
    undefined=NO_CASES,
    misleads="It belongs to the data, not to the classifier.",
    references=("Kuhn & Johnson (2013), Applied Predictive Modeling, section 11.2: the no-information rate",),
    example=example(160 / 200),
)
def null_accuracy(c: Counts) -> Fraction:
    """Accuracy of always naming the majority class."""
    return np.maximum(c.positives, c.negatives), c.total


@proportion(
    label="Null error rate",
    question="How often is it wrong to call every case by the more common class?",
    better="neither",
    range=(0.0, 0.5),
    formula=r"\frac{\min(P,N)}{n}",
    expression="min(positives, negatives) / total",
    undefined=NO_CASES,
    misleads="It belongs to the data, not to the classifier.",
    references=("Kuhn & Johnson (2013), Applied Predictive Modeling, section 11.2: the no-information rate",),
    example=example(40 / 200),
)
def null_error_rate(c: Counts) -> Fraction:
    """Error rate of always naming the majority class."""
    return np.minimum(c.positives, c.negatives), c.total


@proportion(
    label="Sensitivity (recall, TPR)",
    question="What share of the positives is found?",
    formula=r"\frac{TP}{TP+FN}",
    expression="tp / positives",
    depends_on_prevalence=False,
    undefined=NO_POSITIVES,
    misleads="Calling everyone positive makes it 1: read it together with the specificity.",
    references=(ALTMAN,),
    example=example(30 / 40),
)
def sensitivity(c: Counts) -> Fraction:
    """Share of the positives that is labelled positive."""
    return c.tp, c.positives


@proportion(
    label="Specificity (TNR)",
    question="What share of the negatives is left alone?",
    formula=r"\frac{TN}{FP+TN}",
    expression="tn / negatives",
    depends_on_prevalence=False,
    undefined=NO_NEGATIVES,
    misleads="Calling everyone negative makes it 1; and 0.99 still means many false alarms among many negatives.",
    references=(ALTMAN,),
    example=example(140 / 160),
)
def specificity(c: Counts) -> Fraction:
    """Share of the negatives that is labelled negative."""
    return c.tn, c.negatives


@proportion(
    label="False positive rate (type I, alpha)",
    question="What share of the negatives raises a false alarm?",
    better="lower",
    formula=r"\frac{FP}{FP+TN}",
    expression="fp / negatives",
    depends_on_prevalence=False,
    undefined=NO_NEGATIVES,
    misleads="It is not the share of alarms that are false: that is the false discovery rate.",
    references=(ALTMAN,),
    example=example(20 / 160),
)
def false_positive_rate(c: Counts) -> Fraction:
    """Share of the negatives that is labelled positive."""
    return c.fp, c.negatives


@proportion(
    label="False negative rate (type II, beta)",
    question="What share of the positives is missed?",
    better="lower",
    formula=r"\frac{FN}{TP+FN}",
    expression="fn / positives",
    depends_on_prevalence=False,
    undefined=NO_POSITIVES,
    misleads="It is not the share of negative labels that are wrong: that is the false omission rate.",
    references=(ALTMAN,),
    example=example(10 / 40),
)
def false_negative_rate(c: Counts) -> Fraction:
    """Share of the positives that is labelled negative."""
    return c.fn, c.positives


@proportion(
    label="Precision (PPV)",
    question="If the label is positive, how likely is the case positive?",
    formula=r"\frac{TP}{TP+FP}",
    expression="tp / labelled_positive",
    undefined=NONE_LABELLED,
    misleads="It falls with prevalence although the classifier is the same: use `shift_prevalence` for your setting.",
    references=("Altman & Bland (1994), BMJ 309:102, Diagnostic tests 2: predictive values",),
    example=example(30 / 50),
)
def precision(c: Counts) -> Fraction:
    """Share of the positive labels that is right."""
    return c.tp, c.labelled_positive


@proportion(
    label="Negative predictive value (NPV)",
    question="If the label is negative, how likely is the case negative?",
    formula=r"\frac{TN}{TN+FN}",
    expression="tn / labelled_negative",
    undefined=ALL_LABELLED,
    misleads="With rare positives it is high for any classifier: its baseline is the share of negatives.",
    references=("Altman & Bland (1994), BMJ 309:102, Diagnostic tests 2: predictive values",),
    example=example(140 / 150),
)
def npv(c: Counts) -> Fraction:
    """Share of the negative labels that is right."""
    return c.tn, c.labelled_negative


@proportion(
    label="False discovery rate (FDR)",
    question="What share of the positive labels is wrong?",
    better="lower",
    formula=r"\frac{FP}{TP+FP}",
    expression="fp / labelled_positive",
    undefined=NONE_LABELLED,
    misleads="It rises as prevalence falls although the classifier is the same.",
    references=("Benjamini & Hochberg (1995), JRSS B 57:289",),
    example=example(20 / 50),
)
def false_discovery_rate(c: Counts) -> Fraction:
    """Share of the positive labels that is wrong."""
    return c.fp, c.labelled_positive


@proportion(
    label="False omission rate (FOR)",
    question="What share of the negative labels is wrong?",
    better="lower",
    formula=r"\frac{FN}{TN+FN}",
    expression="fn / labelled_negative",
    undefined=ALL_LABELLED,
    misleads="With rare positives it is small for any classifier: its baseline is the prevalence.",
    references=("Altman & Bland (1994), BMJ 309:102, Diagnostic tests 2: predictive values",),
    example=example(10 / 150),
)
def false_omission_rate(c: Counts) -> Fraction:
    """Share of the negative labels that is wrong."""
    return c.fn, c.labelled_negative


@proportion(
    label="Prevalence",
    question="What share of the cases is positive?",
    better="neither",
    formula=r"\frac{TP+FN}{n}",
    expression="positives / total",
    undefined=NO_CASES,
    misleads="In a case-control sample it was chosen by the study and says nothing about the population.",
    references=(ALTMAN,),
    example=example(40 / 200),
)
def prevalence(c: Counts) -> Fraction:
    """Share of the positive class."""
    return c.positives, c.total


@proportion(
    label="Queue rate (positive labels)",
    question="What share of the cases is labelled positive?",
    better="neither",
    formula=r"\frac{TP+FP}{n}",
    expression="labelled_positive / total",
    undefined=NO_CASES,
    misleads="It says how much work the positive labels make, not how good they are.",
    references=("Demortier (2016), Taking the confusion out of the confusion matrix",),
    example=example(50 / 200),
)
def queue_rate(c: Counts) -> Fraction:
    """Share of positive labels."""
    return c.labelled_positive, c.total


@proportion(
    label="Negative queue rate",
    question="What share of the cases is labelled negative?",
    better="neither",
    formula=r"\frac{TN+FN}{n}",
    expression="labelled_negative / total",
    undefined=NO_CASES,
    misleads="It says how many cases are let through, not how rightly.",
    references=("Demortier (2016), Taking the confusion out of the confusion matrix",),
    example=example(150 / 200),
)
def negative_queue_rate(c: Counts) -> Fraction:
    """Share of negative labels."""
    return c.labelled_negative, c.total


def _joint(cell: str, words: str, letters: str, value: float) -> Metric:
    """One of the four joint probabilities of truth and label."""
    return proportion(
        name=f"joint_{words.replace(' ', '_')}",
        label=f"Joint probability of a {words}",
        question=f"What share of all cases is a {words}?",
        better="higher" if words.startswith("true") else "lower",
        formula=rf"\frac{{{letters}}}{{n}}",
        expression=f"{cell} / total",
        undefined=NO_CASES,
        misleads="It mixes how common the class is with how well it is labelled.",
        references=("Demortier (2016), Taking the confusion out of the confusion matrix, section 3",),
        example=example(value),
    )(lambda c: (getattr(c, cell), c.total))


joint_true_positive = _joint("tp", "true positive", "TP", 30 / 200)
joint_false_positive = _joint("fp", "false positive", "FP", 20 / 200)
joint_false_negative = _joint("fn", "false negative", "FN", 10 / 200)
joint_true_negative = _joint("tn", "true negative", "TN", 140 / 200)
