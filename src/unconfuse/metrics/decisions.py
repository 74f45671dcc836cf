"""Metrics of decisions: everything that follows from TP, FP, FN and TN."""

from __future__ import annotations

from functools import partial

import numpy as np

from unconfuse.metrics._definition import Example, Fraction, Metric, metric, proportion, ratio
from unconfuse.table import Array, Counts

# One table serves every worked example: 40 of 200 people have the condition, the test finds 30 of them and raises
# 20 false alarms.
_CLINIC = Counts(tp=30, fp=20, fn=10, tn=140)
_FLEISS = "Fleiss, Levin & Paik (2003), Statistical Methods for Rates and Proportions"
_ALTMAN = "Altman & Bland (1994), BMJ 308:1552 and 309:102, Diagnostic tests 1 and 2"
_DEEKS = "Deeks & Altman (2004), BMJ 329:168, Diagnostic tests 4: likelihood ratios"
_NO_POSITIVES = "there are no positives (TP + FN = 0)"
_NO_NEGATIVES = "there are no negatives (FP + TN = 0)"
_NO_CASES = "there are no cases"
_NONE_LABELLED = "no case is labelled positive (TP + FP = 0)"
_ALL_LABELLED = "no case is labelled negative (FN + TN = 0)"
_example = partial(Example, _CLINIC)


@proportion(
    label="Accuracy",
    question="What share of all cases gets the right label?",
    formula=r"\frac{TP+TN}{n}",
    undefined=_NO_CASES,
    misleads="With rare positives, calling everyone negative is highly accurate: compare with the null accuracy.",
    references=(_FLEISS,),
    example=_example(170 / 200),
)
def accuracy(c: Counts) -> Fraction:
    """Share of cases with the right label."""
    return c.tp + c.tn, c.total


@proportion(
    label="Misclassification rate",
    question="What share of all cases gets the wrong label?",
    better="lower",
    formula=r"\frac{FP+FN}{n}",
    undefined=_NO_CASES,
    misleads="It counts a false alarm and a missed case as equally bad.",
    references=(_FLEISS,),
    example=_example(30 / 200),
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
    undefined=_NO_CASES,
    misleads="It belongs to the data, not to the classifier.",
    references=("Kuhn & Johnson (2013), Applied Predictive Modeling, section 11.2: the no-information rate",),
    example=_example(160 / 200),
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
    undefined=_NO_CASES,
    misleads="It belongs to the data, not to the classifier.",
    references=("Kuhn & Johnson (2013), Applied Predictive Modeling, section 11.2: the no-information rate",),
    example=_example(40 / 200),
)
def null_error_rate(c: Counts) -> Fraction:
    """Error rate of always naming the majority class."""
    return np.minimum(c.positives, c.negatives), c.total


@metric(
    label="Balanced accuracy",
    question="What share is labelled right if both classes count the same?",
    range=(0.0, 1.0),
    formula=r"\tfrac12\left(\frac{TP}{P}+\frac{TN}{N}\right)",
    depends_on_prevalence=False,
    undefined="one of the classes is empty",
    interval="posterior",
    misleads="It weighs the classes equally even where one error costs far more than the other.",
    references=("Brodersen et al. (2010), ICPR, The balanced accuracy and its posterior distribution",),
    example=_example((30 / 40 + 140 / 160) / 2),
)
def balanced_accuracy(c: Counts) -> Array:
    """Mean of sensitivity and specificity."""
    return (ratio(c.tp, c.positives) + ratio(c.tn, c.negatives)) / 2


@proportion(
    label="Sensitivity (recall, TPR)",
    question="What share of the positives is found?",
    formula=r"\frac{TP}{TP+FN}",
    depends_on_prevalence=False,
    undefined=_NO_POSITIVES,
    misleads="Calling everyone positive makes it 1: read it together with the specificity.",
    references=(_ALTMAN,),
    example=_example(30 / 40),
)
def sensitivity(c: Counts) -> Fraction:
    """Share of the positives that is labelled positive."""
    return c.tp, c.positives


@proportion(
    label="Specificity (TNR)",
    question="What share of the negatives is left alone?",
    formula=r"\frac{TN}{FP+TN}",
    depends_on_prevalence=False,
    undefined=_NO_NEGATIVES,
    misleads="Calling everyone negative makes it 1; and 0.99 still means many false alarms among many negatives.",
    references=(_ALTMAN,),
    example=_example(140 / 160),
)
def specificity(c: Counts) -> Fraction:
    """Share of the negatives that is labelled negative."""
    return c.tn, c.negatives


@proportion(
    label="False positive rate (type I, alpha)",
    question="What share of the negatives raises a false alarm?",
    better="lower",
    formula=r"\frac{FP}{FP+TN}",
    depends_on_prevalence=False,
    undefined=_NO_NEGATIVES,
    misleads="It is not the share of alarms that are false: that is the false discovery rate.",
    references=(_ALTMAN,),
    example=_example(20 / 160),
)
def false_positive_rate(c: Counts) -> Fraction:
    """Share of the negatives that is labelled positive."""
    return c.fp, c.negatives


@proportion(
    label="False negative rate (type II, beta)",
    question="What share of the positives is missed?",
    better="lower",
    formula=r"\frac{FN}{TP+FN}",
    depends_on_prevalence=False,
    undefined=_NO_POSITIVES,
    misleads="It is not the share of negative labels that are wrong: that is the false omission rate.",
    references=(_ALTMAN,),
    example=_example(10 / 40),
)
def false_negative_rate(c: Counts) -> Fraction:
    """Share of the positives that is labelled negative."""
    return c.fn, c.positives


@proportion(
    label="Precision (PPV)",
    question="If the label is positive, how likely is the case positive?",
    formula=r"\frac{TP}{TP+FP}",
    undefined=_NONE_LABELLED,
    misleads="It falls with prevalence although the classifier is the same: use `shift_prevalence` for your setting.",
    references=("Altman & Bland (1994), BMJ 309:102, Diagnostic tests 2: predictive values",),
    example=_example(30 / 50),
)
def precision(c: Counts) -> Fraction:
    """Share of the positive labels that is right."""
    return c.tp, c.labelled_positive


@proportion(
    label="Negative predictive value (NPV)",
    question="If the label is negative, how likely is the case negative?",
    formula=r"\frac{TN}{TN+FN}",
    undefined=_ALL_LABELLED,
    misleads="With rare positives it is high for any classifier: its baseline is the share of negatives.",
    references=("Altman & Bland (1994), BMJ 309:102, Diagnostic tests 2: predictive values",),
    example=_example(140 / 150),
)
def npv(c: Counts) -> Fraction:
    """Share of the negative labels that is right."""
    return c.tn, c.labelled_negative


@proportion(
    label="False discovery rate (FDR)",
    question="What share of the positive labels is wrong?",
    better="lower",
    formula=r"\frac{FP}{TP+FP}",
    undefined=_NONE_LABELLED,
    misleads="It rises as prevalence falls although the classifier is the same.",
    references=("Benjamini & Hochberg (1995), JRSS B 57:289",),
    example=_example(20 / 50),
)
def false_discovery_rate(c: Counts) -> Fraction:
    """Share of the positive labels that is wrong."""
    return c.fp, c.labelled_positive


@proportion(
    label="False omission rate (FOR)",
    question="What share of the negative labels is wrong?",
    better="lower",
    formula=r"\frac{FN}{TN+FN}",
    undefined=_ALL_LABELLED,
    misleads="With rare positives it is small for any classifier: its baseline is the prevalence.",
    references=("Altman & Bland (1994), BMJ 309:102, Diagnostic tests 2: predictive values",),
    example=_example(10 / 150),
)
def false_omission_rate(c: Counts) -> Fraction:
    """Share of the negative labels that is wrong."""
    return c.fn, c.labelled_negative


@proportion(
    label="Prevalence",
    question="What share of the cases is positive?",
    better="neither",
    formula=r"\frac{TP+FN}{n}",
    undefined=_NO_CASES,
    misleads="In a case-control sample it was chosen by the study and says nothing about the population.",
    references=(_ALTMAN,),
    example=_example(40 / 200),
)
def prevalence(c: Counts) -> Fraction:
    """Share of the positive class."""
    return c.positives, c.total


@proportion(
    label="Queue rate (positive labels)",
    question="What share of the cases is labelled positive?",
    better="neither",
    formula=r"\frac{TP+FP}{n}",
    undefined=_NO_CASES,
    misleads="It says how much work the positive labels make, not how good they are.",
    references=("Demortier (2016), Taking the confusion out of the confusion matrix",),
    example=_example(50 / 200),
)
def queue_rate(c: Counts) -> Fraction:
    """Share of positive labels."""
    return c.labelled_positive, c.total


@proportion(
    label="Negative queue rate",
    question="What share of the cases is labelled negative?",
    better="neither",
    formula=r"\frac{TN+FN}{n}",
    undefined=_NO_CASES,
    misleads="It says how many cases are let through, not how rightly.",
    references=("Demortier (2016), Taking the confusion out of the confusion matrix",),
    example=_example(150 / 200),
)
def negative_queue_rate(c: Counts) -> Fraction:
    """Share of negative labels."""
    return c.labelled_negative, c.total


def _f_score(beta: float, c: Counts) -> Array:
    hits = (1 + beta**2) * c.tp
    return ratio(hits, hits + beta**2 * c.fn + c.fp)


f1 = Metric(
    name="f1",
    function=partial(_f_score, 1.0),
    label="F1 score",
    question="How good are precision and sensitivity together (their harmonic mean)?",
    range=(0.0, 1.0),
    formula=r"\frac{2\,TP}{2\,TP+FP+FN}",
    undefined="there are neither positives nor positive labels (TP + FP + FN = 0)",
    interval="f1_of_jaccard",
    misleads="It ignores the true negatives and changes with prevalence: do not compare it across data sets.",
    references=("van Rijsbergen (1979), Information Retrieval, chapter 7",),
    example=_example(60 / 90),
)


@metric(
    label="Youden's J (informedness)",
    question="How much more often is a positive labelled positive than a negative is?",
    range=(-1.0, 1.0),
    formula=r"\frac{TP}{P}+\frac{TN}{N}-1",
    depends_on_prevalence=False,
    undefined="one of the classes is empty",
    interval="posterior",
    misleads="It takes a missed positive and a false alarm, each as a share of its class, as equally bad.",
    references=("Youden (1950), Cancer 3:32, Index for rating diagnostic tests",),
    example=_example(30 / 40 + 140 / 160 - 1),
)
def youden_j(c: Counts) -> Array:
    """Sensitivity + specificity - 1."""
    return ratio(c.tp, c.positives) + ratio(c.tn, c.negatives) - 1


@metric(
    label="Markedness",
    question="How much more likely is a case positive after a positive label than after a negative one?",
    range=(-1.0, 1.0),
    formula=r"\frac{TP}{TP+FP}+\frac{TN}{TN+FN}-1",
    undefined="all cases get the same label",
    misleads="It changes with prevalence although the classifier is the same.",
    references=("Powers (2011), Journal of Machine Learning Technologies 2:37",),
    example=_example(30 / 50 + 140 / 150 - 1),
)
def markedness(c: Counts) -> Array:
    """PPV + NPV - 1."""
    return ratio(c.tp, c.labelled_positive) + ratio(c.tn, c.labelled_negative) - 1


def _cross_difference(c: Counts) -> Array:
    return c.tp * c.tn - c.fp * c.fn


@metric(
    label="Matthews correlation (MCC)",
    question="How strongly do labels and truth go together (their correlation)?",
    range=(-1.0, 1.0),
    formula=r"\frac{TP\cdot TN-FP\cdot FN}{\sqrt{(TP+FP)(TP+FN)(TN+FP)(TN+FN)}}",
    undefined="a class or a label does not occur",
    misleads="It changes with prevalence: the same classifier looks worse where positives are rare.",
    references=("Matthews (1975), Biochimica et Biophysica Acta 405:442", "Chicco & Jurman (2020), BMC Genomics 21:6"),
    example=_example((30 * 140 - 20 * 10) / np.sqrt(50.0 * 40 * 160 * 150)),
)
def mcc(c: Counts) -> Array:
    """Correlation of label and truth."""
    spread = np.sqrt(c.labelled_positive * c.positives) * np.sqrt(c.negatives * c.labelled_negative)
    return ratio(_cross_difference(c), spread)


@metric(
    label="Cohen's kappa",
    question="How far do labels and truth agree beyond chance?",
    range=(-1.0, 1.0),
    formula=r"\frac{2\,(TP\cdot TN-FP\cdot FN)}{(TP+FP)(FP+TN)+(TP+FN)(FN+TN)}",
    undefined="all cases lie in one class and get its label",
    misleads="Its largest reachable value depends on prevalence and queue rate.",
    references=("Cohen (1960), Educational and Psychological Measurement 20:37",),
    example=_example(2 * (30 * 140 - 20 * 10) / (50 * 160 + 40 * 150)),
)
def cohen_kappa(c: Counts) -> Array:
    """Agreement beyond chance."""
    expected = c.labelled_positive * c.negatives + c.positives * c.labelled_negative
    return ratio(2 * _cross_difference(c), expected)


@metric(
    label="Fowlkes-Mallows index",
    question="How good are precision and sensitivity together (their geometric mean)?",
    range=(0.0, 1.0),
    formula=r"\sqrt{\frac{TP}{TP+FP}\cdot\frac{TP}{TP+FN}}",
    undefined="there are no positives, or no case is labelled positive",
    misleads="It ignores the true negatives and changes with prevalence.",
    references=("Fowlkes & Mallows (1983), JASA 78:553",),
    example=_example(np.sqrt(30 / 50 * 30 / 40)),
)
def fowlkes_mallows(c: Counts) -> Array:
    """Geometric mean of precision and sensitivity."""
    return ratio(c.tp, np.sqrt(c.labelled_positive * c.positives))


@metric(
    label="G-mean",
    question="How good are sensitivity and specificity together (their geometric mean)?",
    range=(0.0, 1.0),
    formula=r"\sqrt{\frac{TP}{P}\cdot\frac{TN}{N}}",
    depends_on_prevalence=False,
    undefined="one of the classes is empty",
    misleads="It is 0 as soon as one class is always mislabelled, however good the other.",
    references=("Kubat & Matwin (1997), ICML, Addressing the curse of imbalanced training sets",),
    example=_example(np.sqrt(30 / 40 * 140 / 160)),
)
def g_mean(c: Counts) -> Array:
    """Geometric mean of sensitivity and specificity."""
    return np.sqrt(ratio(c.tp, c.positives) * ratio(c.tn, c.negatives))


@proportion(
    label="Jaccard index (threat score)",
    question="Of the cases that are positive or called so, what share is both?",
    formula=r"\frac{TP}{TP+FP+FN}",
    undefined="there are neither positives nor positive labels (TP + FP + FN = 0)",
    misleads="It ignores the true negatives and changes with prevalence.",
    references=("Jaccard (1912), New Phytologist 11:37", "Schaefer (1990), Weather and Forecasting 5:570"),
    example=_example(30 / 60),
)
def jaccard(c: Counts) -> Fraction:
    """Overlap of the positives and the positive labels."""
    return c.tp, c.tp + c.fp + c.fn


@metric(
    label="Positive likelihood ratio (LR+)",
    question="By how much does a positive label multiply the odds of being positive?",
    range=(0.0, np.inf),
    formula=r"\frac{TP/P}{FP/N}",
    depends_on_prevalence=False,
    undefined="a class is empty, or no case is labelled positive",
    interval="posterior",
    misleads="It multiplies odds, not probabilities; without false positives it is infinite whatever the sample size.",
    references=(_DEEKS, "Simel, Samsa & Matchar (1991), J Clin Epidemiol 44:763"),
    example=_example((30 / 40) / (20 / 160)),
)
def lr_positive(c: Counts) -> Array:
    """Sensitivity / false positive rate."""
    return ratio(c.tp * c.negatives, c.fp * c.positives)


@metric(
    label="Negative likelihood ratio (LR-)",
    question="By how much does a negative label multiply the odds of being positive?",
    range=(0.0, np.inf),
    better="lower",
    formula=r"\frac{FN/P}{TN/N}",
    depends_on_prevalence=False,
    undefined="a class is empty, or no case is labelled negative",
    interval="posterior",
    misleads="It multiplies odds, not probabilities; without missed positives it is 0 whatever the sample size.",
    references=(_DEEKS, "Simel, Samsa & Matchar (1991), J Clin Epidemiol 44:763"),
    example=_example((10 / 40) / (140 / 160)),
)
def lr_negative(c: Counts) -> Array:
    """False negative rate / specificity."""
    return ratio(c.fn * c.negatives, c.tn * c.positives)


@metric(
    label="Diagnostic odds ratio (DOR)",
    question="How many times higher are the odds of a positive label among positives than among negatives?",
    range=(0.0, np.inf),
    formula=r"\frac{TP\cdot TN}{FP\cdot FN}",
    depends_on_prevalence=False,
    undefined="TP x TN and FP x FN are both 0",
    interval="posterior",
    misleads="Very different pairs of sensitivity and specificity share one odds ratio.",
    references=("Glas et al. (2003), J Clin Epidemiol 56:1129, The diagnostic odds ratio",),
    example=_example(30 * 140 / (20 * 10)),
)
def diagnostic_odds_ratio(c: Counts) -> Array:
    """LR+ / LR-."""
    return ratio(c.tp * c.tn, c.fp * c.fn)


def _joint(cell: str, words: str, letters: str, value: float) -> Metric:
    """One of the four joint probabilities of truth and label."""
    return proportion(
        name=f"joint_{words.replace(' ', '_')}",
        label=f"Joint probability of a {words}",
        question=f"What share of all cases is a {words}?",
        better="higher" if words.startswith("true") else "lower",
        formula=rf"\frac{{{letters}}}{{n}}",
        undefined=_NO_CASES,
        misleads="It mixes how common the class is with how well it is labelled.",
        references=("Demortier (2016), Taking the confusion out of the confusion matrix, section 3",),
        example=_example(value),
    )(lambda c: (getattr(c, cell), c.total))


joint_true_positive = _joint("tp", "true positive", "TP", 30 / 200)
joint_false_positive = _joint("fp", "false positive", "FP", 20 / 200)
joint_false_negative = _joint("fn", "false negative", "FN", 10 / 200)
joint_true_negative = _joint("tn", "true negative", "TN", 140 / 200)
