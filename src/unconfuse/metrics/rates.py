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
    "accuracy | accuracy_score | acc = (tp + tn) / total",
    "Accuracy: What share of all cases gets the right label?",
    misleads="With rare positives, labelling every case negative is highly accurate: compare with the null accuracy.",
    example=170 / 200,
)

misclassification_rate = _of_all(
    "misclassification_rate | error_rate | zero_one_loss = (fp + fn) / total",
    "Misclassification rate: What share of all cases gets the wrong label?",
    better="lower",
    misleads="It counts a false positive and a false negative as equally bad.",
    example=30 / 200,
)

null_accuracy = _null(
    "null_accuracy = max(positives, negatives) / total",
    "Null accuracy: How accurate is it to give every case the more common label?",
    range=(0.5, 1.0),
    formula=r"\frac{\max(P,N)}{n}",
    example=160 / 200,
)

null_error_rate = _null(
    "null_error_rate = min(positives, negatives) / total",
    "Null error rate: How often is it wrong to give every case the more common label?",
    range=(0.0, 0.5),
    formula=r"\frac{\min(P,N)}{n}",
    example=40 / 200,
)

sensitivity = _of_a_class(
    "sensitivity | recall | tpr | true_positive_rate | hit_rate | power | recall_score | se | sens = tp / positives",
    "Sensitivity (recall, TPR): What share of the positives is found?",
    paired="positives",
    misleads="Labelling every case positive makes it 1: read it together with the specificity.",
    example=30 / 40,
)

specificity = _of_a_class(
    "specificity | tnr | true_negative_rate | selectivity | sp | spec = tn / negatives",
    "Specificity (TNR): What share of the negatives is not flagged?",
    paired="negatives",
    misleads="Labelling all cases negative makes it 1, and 0.99 still means many false positives among many negatives.",
    example=140 / 160,
)

false_positive_rate = _of_a_class(
    "false_positive_rate | fpr | fall_out | alpha | type_i_error | false_alarm_rate = fp / negatives",
    "False positive rate (type I, alpha): What share of the negatives is flagged?",
    paired="negatives",
    better="lower",
    misleads="It is not the share of flagged cases that are negative: that is the false discovery rate.",
    example=20 / 160,
)

false_negative_rate = _of_a_class(
    "false_negative_rate | fnr | miss_rate | beta | type_ii_error | missed_rate = fn / positives",
    "False negative rate (type II, beta): What share of the positives is missed?",
    paired="positives",
    better="lower",
    misleads="It is not the share of negative labels that are wrong: that is the false omission rate.",
    example=10 / 40,
)

precision = _of_a_label(
    "precision | ppv | positive_predictive_value | precision_score = tp / labelled_positive",
    "Precision (PPV): If the label is positive, how likely is the case positive?",
    misleads="It falls with prevalence although the classifier is the same: use `shift_prevalence` for your setting.",
    example=30 / 50,
)

npv = _of_a_label(
    "npv | negative_predictive_value = tn / labelled_negative",
    "Negative predictive value (NPV): If the label is negative, how likely is the case negative?",
    misleads="With rare positives it is high even for a useless classifier: its baseline is the share of negatives.",
    example=140 / 150,
)

false_discovery_rate = _of_a_label(
    "false_discovery_rate | fdr = fp / labelled_positive",
    "False discovery rate (FDR): What share of the positive labels is wrong?",
    better="lower",
    misleads="It rises as prevalence falls although the classifier is the same.",
    references=("Benjamini & Hochberg (1995), JRSS B 57:289",),
    example=20 / 50,
)

false_omission_rate = _of_a_label(
    "false_omission_rate | for = fn / labelled_negative",
    "False omission rate (FOR): What share of the negative labels is wrong?",
    better="lower",
    misleads="With rare positives it is small even for a useless classifier: its baseline is the prevalence.",
    example=10 / 150,
)

prevalence = _of_the_data(
    "prevalence | base_rate = positives / total",
    "Prevalence: What share of the cases is positive?",
    misleads="In a case-control sample it was fixed by the study and carries no information about the population.",
    references=(_ALTMAN,),
    example=40 / 200,
)

queue_rate = _of_the_data(
    "queue_rate | predicted_positive_rate | selection_rate | detection_prevalence | labelling_rate | labeling_rate | "
    "positive_label_rate = labelled_positive / total",
    "Queue rate (positive labels): What share of the cases is labelled positive?",
    misleads="It says how much work the positive labels make, not how good they are.",
    example=50 / 200,
)

negative_queue_rate = _of_the_data(
    "negative_queue_rate | predicted_negative_rate = labelled_negative / total",
    "Negative queue rate: What share of the cases is labelled negative?",
    misleads="It says how many cases are not flagged, not how many of them correctly.",
    example=150 / 200,
)


def _joint(cell: str, words: str, value: float) -> Metric:
    """One of the four joint probabilities of truth and label."""
    return share(
        f"joint_{words.replace(' ', '_')} = {cell} / total",
        f"Joint probability of a {words}: What share of all cases is a {words}?",
        better="higher" if words.startswith("true") else "lower",
        misleads="It mixes how common the class is with how well it is labelled.",
        references=(f"{_DEMORTIER}, section 3",),
        example=value,
    )


joint_true_positive = _joint("tp", "true positive", 30 / 200)
joint_false_positive = _joint("fp", "false positive", 20 / 200)
joint_false_negative = _joint("fn", "false negative", 10 / 200)
joint_true_negative = _joint("tn", "true negative", 140 / 200)
