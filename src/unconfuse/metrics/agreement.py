"""Summaries of the four counts in one number: how far labels and truth go together."""

from __future__ import annotations

from functools import partial

import numpy as np

from unconfuse.metrics import bounds
from unconfuse.metrics._clinic import example
from unconfuse.metrics._definition import Fraction, Metric, metric, proportion, ratio
from unconfuse.table import Array, Counts


@metric(
    bounds=bounds.by_corners,
    label="Balanced accuracy",
    question="What share is labelled right if both classes count the same?",
    range=(0.0, 1.0),
    formula=r"\tfrac12\left(\frac{TP}{P}+\frac{TN}{N}\right)",
    expression="(tp / positives + tn / negatives) / 2",
    depends_on_prevalence=False,
    undefined="one of the classes is empty",
    interval="posterior",
    misleads="It weighs the classes equally even where one error costs far more than the other.",
    references=("Brodersen et al. (2010), ICPR, The balanced accuracy and its posterior distribution",),
    example=example((30 / 40 + 140 / 160) / 2),
)
def balanced_accuracy(c: Counts) -> Array:
    """Mean of sensitivity and specificity."""
    return (ratio(c.tp, c.positives) + ratio(c.tn, c.negatives)) / 2


def f_score(beta: float, c: Counts) -> Array:
    """The F score in which sensitivity counts `beta` times as much as precision."""
    hits = (1 + beta**2) * c.tp
    return ratio(hits, hits + beta**2 * c.fn + c.fp)


f1 = Metric(
    name="f1",
    function=partial(f_score, 1.0),
    bounds=bounds.by_corners,
    label="F1 score",
    question="How good are precision and sensitivity together (their harmonic mean)?",
    range=(0.0, 1.0),
    formula=r"\frac{2\,TP}{2\,TP+FP+FN}",
    expression="2 * tp / (2 * tp + fn + fp)",
    undefined="there are neither positives nor positive labels (TP + FP + FN = 0)",
    interval="f1_of_jaccard",
    misleads="It ignores the true negatives and changes with prevalence: do not compare it across data sets.",
    references=("van Rijsbergen (1979), Information Retrieval, chapter 7",),
    example=example(60 / 90),
)


@metric(
    bounds=bounds.by_corners,
    label="Youden's J (informedness)",
    question="How much more often is a positive labelled positive than a negative is?",
    range=(-1.0, 1.0),
    formula=r"\frac{TP}{P}+\frac{TN}{N}-1",
    expression="tp / positives + tn / negatives - 1",
    depends_on_prevalence=False,
    undefined="one of the classes is empty",
    interval="posterior",
    misleads="It takes a missed positive and a false alarm, each as a share of its class, as equally bad.",
    references=("Youden (1950), Cancer 3:32, Index for rating diagnostic tests",),
    example=example(30 / 40 + 140 / 160 - 1),
)
def youden_j(c: Counts) -> Array:
    """Sensitivity + specificity - 1."""
    return ratio(c.tp, c.positives) + ratio(c.tn, c.negatives) - 1


@metric(
    bounds=bounds.by_corners,
    label="Markedness",
    question="How much more likely is a case positive after a positive label than after a negative one?",
    range=(-1.0, 1.0),
    formula=r"\frac{TP}{TP+FP}+\frac{TN}{TN+FN}-1",
    expression="tp / labelled_positive + tn / labelled_negative - 1",
    undefined="all cases get the same label",
    misleads="It changes with prevalence although the classifier is the same.",
    references=("Powers (2011), Journal of Machine Learning Technologies 2:37",),
    example=example(30 / 50 + 140 / 150 - 1),
)
def markedness(c: Counts) -> Array:
    """PPV + NPV - 1."""
    return ratio(c.tp, c.labelled_positive) + ratio(c.tn, c.labelled_negative) - 1


def _cross_difference(c: Counts) -> Array:
    return c.tp * c.tn - c.fp * c.fn


@metric(
    bounds=bounds.by_corners,
    label="Matthews correlation (MCC)",
    question="How strongly do labels and truth go together (their correlation)?",
    range=(-1.0, 1.0),
    formula=r"\frac{TP\cdot TN-FP\cdot FN}{\sqrt{(TP+FP)(TP+FN)(TN+FP)(TN+FN)}}",
    expression="(tp * tn - fp * fn) / (sqrt(labelled_positive * positives) * sqrt(negatives * labelled_negative))",
    undefined="a class or a label does not occur",
    misleads="It changes with prevalence: the same classifier looks worse where positives are rare.",
    references=("Matthews (1975), Biochimica et Biophysica Acta 405:442", "Chicco & Jurman (2020), BMC Genomics 21:6"),
    example=example((30 * 140 - 20 * 10) / np.sqrt(50.0 * 40 * 160 * 150)),
)
def mcc(c: Counts) -> Array:
    """Correlation of label and truth."""
    spread = np.sqrt(c.labelled_positive * c.positives) * np.sqrt(c.negatives * c.labelled_negative)
    return ratio(_cross_difference(c), spread)


@metric(
    bounds=bounds.by_corners,
    label="Cohen's kappa",
    question="How far do labels and truth agree beyond chance?",
    range=(-1.0, 1.0),
    formula=r"\frac{2\,(TP\cdot TN-FP\cdot FN)}{(TP+FP)(FP+TN)+(TP+FN)(FN+TN)}",
    expression="2 * (tp * tn - fp * fn) / (labelled_positive * negatives + positives * labelled_negative)",
    undefined="all cases lie in one class and get its label",
    misleads="Its largest reachable value depends on prevalence and queue rate.",
    references=("Cohen (1960), Educational and Psychological Measurement 20:37",),
    example=example(2 * (30 * 140 - 20 * 10) / (50 * 160 + 40 * 150)),
)
def cohen_kappa(c: Counts) -> Array:
    """Agreement beyond chance."""
    expected = c.labelled_positive * c.negatives + c.positives * c.labelled_negative
    return ratio(2 * _cross_difference(c), expected)


@metric(
    bounds=bounds.by_corners,
    label="Fowlkes-Mallows index",
    question="How good are precision and sensitivity together (their geometric mean)?",
    range=(0.0, 1.0),
    formula=r"\sqrt{\frac{TP}{TP+FP}\cdot\frac{TP}{TP+FN}}",
    expression="tp / sqrt(labelled_positive * positives)",
    undefined="there are no positives, or no case is labelled positive",
    misleads="It ignores the true negatives and changes with prevalence.",
    references=("Fowlkes & Mallows (1983), JASA 78:553",),
    example=example(np.sqrt(30 / 50 * 30 / 40)),
)
def fowlkes_mallows(c: Counts) -> Array:
    """Geometric mean of precision and sensitivity."""
    return ratio(c.tp, np.sqrt(c.labelled_positive * c.positives))


@metric(
    bounds=bounds.by_corners,
    label="G-mean",
    question="How good are sensitivity and specificity together (their geometric mean)?",
    range=(0.0, 1.0),
    formula=r"\sqrt{\frac{TP}{P}\cdot\frac{TN}{N}}",
    expression="sqrt(tp / positives * (tn / negatives))",
    depends_on_prevalence=False,
    undefined="one of the classes is empty",
    misleads="It is 0 as soon as one class is always mislabelled, however good the other.",
    references=("Kubat & Matwin (1997), ICML, Addressing the curse of imbalanced training sets",),
    example=example(np.sqrt(30 / 40 * 140 / 160)),
)
def g_mean(c: Counts) -> Array:
    """Geometric mean of sensitivity and specificity."""
    return np.sqrt(ratio(c.tp, c.positives) * ratio(c.tn, c.negatives))


@proportion(
    label="Jaccard index (threat score)",
    question="Of the cases that are positive or called so, what share is both?",
    formula=r"\frac{TP}{TP+FP+FN}",
    expression="tp / (tp + fp + fn)",
    undefined="there are neither positives nor positive labels (TP + FP + FN = 0)",
    misleads="It ignores the true negatives and changes with prevalence.",
    references=("Jaccard (1912), New Phytologist 11:37", "Schaefer (1990), Weather and Forecasting 5:570"),
    example=example(30 / 60),
)
def jaccard(c: Counts) -> Fraction:
    """Overlap of the positives and the positive labels."""
    return c.tp, c.tp + c.fp + c.fn
