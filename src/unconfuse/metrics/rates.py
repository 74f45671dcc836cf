"""Shares of cases: how often labels are right or wrong, among all cases, within a class or among equal labels."""

from __future__ import annotations

from unconfuse.metrics._counts import ALTMAN, FLEISS, example, share
from unconfuse.metrics._definition import Metric

accuracy = share(
    "accuracy",
    "(tp + tn) / total",
    aliases=("accuracy_score",),
    paired="all",
    label="Accuracy",
    question="What share of all cases gets the right label?",
    misleads="With rare positives, calling everyone negative is highly accurate: compare with the null accuracy.",
    references=(FLEISS,),
    example=example(170 / 200),
)


misclassification_rate = share(
    "misclassification_rate",
    "(fp + fn) / total",
    aliases=("error_rate", "zero_one_loss"),
    paired="all",
    label="Misclassification rate",
    question="What share of all cases gets the wrong label?",
    better="lower",
    misleads="It counts a false alarm and a missed case as equally bad.",
    references=(FLEISS,),
    example=example(30 / 200),
)


null_accuracy = share(
    "null_accuracy",
    "max(positives, negatives) / total",
    label="Null accuracy",
    question="How accurate is it to call every case by the more common class?",
    better="neither",
    range=(0.5, 1.0),
    formula=r"\frac{\max(P,N)}{n}",
    misleads="It belongs to the data, not to the classifier.",
    references=("Kuhn & Johnson (2013), Applied Predictive Modeling, section 11.2: the no-information rate",),
    example=example(160 / 200),
)


null_error_rate = share(
    "null_error_rate",
    "min(positives, negatives) / total",
    label="Null error rate",
    question="How often is it wrong to call every case by the more common class?",
    better="neither",
    range=(0.0, 0.5),
    formula=r"\frac{\min(P,N)}{n}",
    misleads="It belongs to the data, not to the classifier.",
    references=("Kuhn & Johnson (2013), Applied Predictive Modeling, section 11.2: the no-information rate",),
    example=example(40 / 200),
)


sensitivity = share(
    "sensitivity",
    "tp / positives",
    aliases=("recall", "tpr", "true_positive_rate", "hit_rate", "power", "recall_score"),
    paired="positives",
    label="Sensitivity (recall, TPR)",
    question="What share of the positives is found?",
    depends_on_prevalence=False,
    misleads="Calling everyone positive makes it 1: read it together with the specificity.",
    references=(ALTMAN,),
    example=example(30 / 40),
)


specificity = share(
    "specificity",
    "tn / negatives",
    aliases=("tnr", "true_negative_rate", "selectivity"),
    paired="negatives",
    label="Specificity (TNR)",
    question="What share of the negatives is left alone?",
    depends_on_prevalence=False,
    misleads="Calling everyone negative makes it 1; and 0.99 still means many false alarms among many negatives.",
    references=(ALTMAN,),
    example=example(140 / 160),
)


false_positive_rate = share(
    "false_positive_rate",
    "fp / negatives",
    aliases=("fpr", "fall_out", "alpha", "type_i_error"),
    paired="negatives",
    label="False positive rate (type I, alpha)",
    question="What share of the negatives raises a false alarm?",
    better="lower",
    depends_on_prevalence=False,
    misleads="It is not the share of alarms that are false: that is the false discovery rate.",
    references=(ALTMAN,),
    example=example(20 / 160),
)


false_negative_rate = share(
    "false_negative_rate",
    "fn / positives",
    aliases=("fnr", "miss_rate", "beta", "type_ii_error"),
    paired="positives",
    label="False negative rate (type II, beta)",
    question="What share of the positives is missed?",
    better="lower",
    depends_on_prevalence=False,
    misleads="It is not the share of negative labels that are wrong: that is the false omission rate.",
    references=(ALTMAN,),
    example=example(10 / 40),
)


precision = share(
    "precision",
    "tp / labelled_positive",
    aliases=("ppv", "positive_predictive_value", "precision_score"),
    label="Precision (PPV)",
    question="If the label is positive, how likely is the case positive?",
    misleads="It falls with prevalence although the classifier is the same: use `shift_prevalence` for your setting.",
    references=("Altman & Bland (1994), BMJ 309:102, Diagnostic tests 2: predictive values",),
    example=example(30 / 50),
)


npv = share(
    "npv",
    "tn / labelled_negative",
    aliases=("negative_predictive_value",),
    label="Negative predictive value (NPV)",
    question="If the label is negative, how likely is the case negative?",
    misleads="With rare positives it is high for any classifier: its baseline is the share of negatives.",
    references=("Altman & Bland (1994), BMJ 309:102, Diagnostic tests 2: predictive values",),
    example=example(140 / 150),
)


false_discovery_rate = share(
    "false_discovery_rate",
    "fp / labelled_positive",
    aliases=("fdr",),
    label="False discovery rate (FDR)",
    question="What share of the positive labels is wrong?",
    better="lower",
    misleads="It rises as prevalence falls although the classifier is the same.",
    references=("Benjamini & Hochberg (1995), JRSS B 57:289",),
    example=example(20 / 50),
)


false_omission_rate = share(
    "false_omission_rate",
    "fn / labelled_negative",
    aliases=("for",),
    label="False omission rate (FOR)",
    question="What share of the negative labels is wrong?",
    better="lower",
    misleads="With rare positives it is small for any classifier: its baseline is the prevalence.",
    references=("Altman & Bland (1994), BMJ 309:102, Diagnostic tests 2: predictive values",),
    example=example(10 / 150),
)


prevalence = share(
    "prevalence",
    "positives / total",
    label="Prevalence",
    question="What share of the cases is positive?",
    better="neither",
    misleads="In a case-control sample it was chosen by the study and says nothing about the population.",
    references=(ALTMAN,),
    example=example(40 / 200),
)


queue_rate = share(
    "queue_rate",
    "labelled_positive / total",
    aliases=("selection_rate",),
    label="Queue rate (positive labels)",
    question="What share of the cases is labelled positive?",
    better="neither",
    misleads="It says how much work the positive labels make, not how good they are.",
    references=("Demortier (2016), Taking the confusion out of the confusion matrix",),
    example=example(50 / 200),
)


negative_queue_rate = share(
    "negative_queue_rate",
    "labelled_negative / total",
    label="Negative queue rate",
    question="What share of the cases is labelled negative?",
    better="neither",
    misleads="It says how many cases are let through, not how rightly.",
    references=("Demortier (2016), Taking the confusion out of the confusion matrix",),
    example=example(150 / 200),
)


def _joint(cell: str, words: str, value: float) -> Metric:
    """One of the four joint probabilities of truth and label."""
    return share(
        f"joint_{words.replace(' ', '_')}",
        f"{cell} / total",
        label=f"Joint probability of a {words}",
        question=f"What share of all cases is a {words}?",
        better="higher" if words.startswith("true") else "lower",
        misleads="It mixes how common the class is with how well it is labelled.",
        references=("Demortier (2016), Taking the confusion out of the confusion matrix, section 3",),
        example=example(value),
    )


joint_true_positive = _joint("tp", "true positive", 30 / 200)
joint_false_positive = _joint("fp", "false positive", 20 / 200)
joint_false_negative = _joint("fn", "false negative", 10 / 200)
joint_true_negative = _joint("tn", "true negative", 140 / 200)
