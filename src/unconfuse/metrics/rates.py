"""Shares of cases: how often labels are right or wrong, among all cases, within a class or among equal labels."""

from __future__ import annotations

from functools import partial

from unconfuse.metrics._count_expressions import share
from unconfuse.metrics._metric import Metric

_FLEISS = "Fleiss, Levin & Paik (2003), Statistical Methods for Rates and Proportions"
_KUHN = "Kuhn & Johnson (2013), Applied Predictive Modeling, section 11.2: the no-information rate"
_ALTMAN = "Altman & Bland (1994), BMJ 308:1552 and 309:102, Diagnostic tests 1 and 2"
_PREDICTIVE = "Altman & Bland (1994), BMJ 309:102, Diagnostic tests 2: predictive values"
_DEMORTIER = "Demortier (2016), Taking the confusion out of the confusion matrix"
_of_all = partial(share, paired="all", references=(_FLEISS,))
_of_a_class = partial(share, depends_on_prevalence=False, references=(_ALTMAN,))
_of_a_label = partial(share, references=(_PREDICTIVE,))
_of_the_data = partial(share, better="neither", references=(_DEMORTIER,))
_null = partial(_of_the_data, misleads="It belongs to the data, not to the classifier.", references=(_KUHN,))

accuracy = _of_all(
    "accuracy",
    label="Accuracy",
    question="What share of all cases gets the right label?",
    aliases=("accuracy_score", "acc"),
    expression="(tp + tn) / total",
    misleads="With rare positives, labelling every case negative is highly accurate: compare with the null accuracy.",
    example=170 / 200,
)

misclassification_rate = _of_all(
    "misclassification_rate",
    label="Misclassification rate",
    question="What share of all cases gets the wrong label?",
    aliases=("error_rate", "zero_one_loss"),
    expression="(fp + fn) / total",
    better="lower",
    misleads="It counts a false positive and a false negative as equally bad.",
    example=30 / 200,
)

null_accuracy = _null(
    "null_accuracy",
    label="Null accuracy",
    question="How accurate is it to give every case the more common label?",
    expression="max(positives, negatives) / total",
    range=(0.5, 1.0),
    formula=r"\frac{\max(P,N)}{n}",
    example=160 / 200,
)

null_error_rate = _null(
    "null_error_rate",
    label="Null error rate",
    question="How often is it wrong to give every case the more common label?",
    expression="min(positives, negatives) / total",
    range=(0.0, 0.5),
    formula=r"\frac{\min(P,N)}{n}",
    example=40 / 200,
)

sensitivity = _of_a_class(
    "sensitivity",
    label="Sensitivity (recall, TPR)",
    question="What share of the positives is found?",
    aliases=("recall", "tpr", "true_positive_rate", "hit_rate", "power", "recall_score", "se", "sens"),
    expression="tp / positives",
    paired="positives",
    misleads="Labelling every case positive makes it 1: read it together with the specificity.",
    example=30 / 40,
)

specificity = _of_a_class(
    "specificity",
    label="Specificity (TNR)",
    question="What share of the negatives is not flagged?",
    aliases=("tnr", "true_negative_rate", "selectivity", "sp", "spec"),
    expression="tn / negatives",
    paired="negatives",
    misleads="Labelling all cases negative makes it 1, and 0.99 still means many false positives among many negatives.",
    example=140 / 160,
)

false_positive_rate = _of_a_class(
    "false_positive_rate",
    label="False positive rate (type I, alpha)",
    question="What share of the negatives is flagged?",
    aliases=("fpr", "fall_out", "alpha", "type_i_error", "false_alarm_rate"),
    expression="fp / negatives",
    paired="negatives",
    better="lower",
    misleads="It is not the share of flagged cases that are negative: that is the false discovery rate.",
    example=20 / 160,
)

false_negative_rate = _of_a_class(
    "false_negative_rate",
    label="False negative rate (type II, beta)",
    question="What share of the positives is missed?",
    aliases=("fnr", "miss_rate", "beta", "type_ii_error", "missed_rate"),
    expression="fn / positives",
    paired="positives",
    better="lower",
    misleads="It is not the share of negative labels that are wrong: that is the false omission rate.",
    example=10 / 40,
)

precision = _of_a_label(
    "precision",
    label="Precision (PPV)",
    question="If the label is positive, how likely is the case positive?",
    aliases=("ppv", "positive_predictive_value", "precision_score"),
    expression="tp / labelled_positive",
    misleads="It falls with prevalence although the classifier is the same: use `shift_prevalence` for your setting.",
    example=30 / 50,
)

npv = _of_a_label(
    "npv",
    label="Negative predictive value (NPV)",
    question="If the label is negative, how likely is the case negative?",
    aliases=("negative_predictive_value",),
    expression="tn / labelled_negative",
    misleads="With rare positives it is high even for a useless classifier: its baseline is the share of negatives.",
    example=140 / 150,
)

false_discovery_rate = _of_a_label(
    "false_discovery_rate",
    label="False discovery rate (FDR)",
    question="What share of the positive labels is wrong?",
    aliases=("fdr",),
    expression="fp / labelled_positive",
    better="lower",
    misleads="It rises as prevalence falls although the classifier is the same.",
    references=("Benjamini & Hochberg (1995), JRSS B 57:289",),
    example=20 / 50,
)

false_omission_rate = _of_a_label(
    "false_omission_rate",
    label="False omission rate (FOR)",
    question="What share of the negative labels is wrong?",
    aliases=("for",),
    expression="fn / labelled_negative",
    better="lower",
    misleads="With rare positives it is small even for a useless classifier: its baseline is the prevalence.",
    example=10 / 150,
)

prevalence = _of_the_data(
    "prevalence",
    label="Prevalence",
    question="What share of the cases is positive?",
    aliases=("base_rate",),
    expression="positives / total",
    misleads="In a case-control sample it was fixed by the study and carries no information about the population.",
    references=(_ALTMAN,),
    example=40 / 200,
)

queue_rate = _of_the_data(
    "queue_rate",
    label="Queue rate (positive labels)",
    question="What share of the cases is labelled positive?",
    aliases=(
        "predicted_positive_rate",
        "selection_rate",
        "detection_prevalence",
        "labelling_rate",
        "labeling_rate",
        "positive_label_rate",
    ),
    expression="labelled_positive / total",
    misleads="It says how much work the positive labels make, not how good they are.",
    example=50 / 200,
)

negative_queue_rate = _of_the_data(
    "negative_queue_rate",
    label="Negative queue rate",
    question="What share of the cases is labelled negative?",
    aliases=("predicted_negative_rate",),
    expression="labelled_negative / total",
    misleads="It says how many cases are not flagged, not how many of them correctly.",
    example=150 / 200,
)


def _joint(cell: str, words: str, value: float) -> Metric:
    """One of the four joint probabilities of truth and label."""
    return share(
        f"joint_{words.replace(' ', '_')}",
        label=f"Joint probability of a {words}",
        question=f"What share of all cases is a {words}?",
        expression=f"{cell} / total",
        better="higher" if words.startswith("true") else "lower",
        misleads="It mixes how common the class is with how well it is labelled.",
        references=(f"{_DEMORTIER}, section 3",),
        example=value,
    )


joint_true_positive = _joint("tp", "true positive", 30 / 200)
joint_false_positive = _joint("fp", "false positive", 20 / 200)
joint_false_negative = _joint("fn", "false negative", 10 / 200)
joint_true_negative = _joint("tn", "true negative", 140 / 200)
