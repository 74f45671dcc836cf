"""What each metric is called elsewhere, and the page of all these names.

The texts are those that `unconfuse reproduce` recomputes: "chapter" is the textbook chapter on classification
performance metrics, "Fund" the lecture notes on classifier performance, "Demortier" the article on the confusion
matrix and Bayes' theorem, "Sumpter" the one on indistinguishability, "Beam" the one on resolving power.
"""

from __future__ import annotations

from pathlib import Path

from unconfuse.metrics import METRICS

PLACES = ("chapter", "Fund", "Demortier", "Sumpter", "Beam", "scikit-learn", "R", "medicine")
_NAMES = {
    "accuracy": "accuracy|accuracy|accuracy|||accuracy_score|yardstick accuracy|accuracy, efficiency",
    "misclassification_rate": "||misclassification rate|||zero_one_loss||",
    "null_accuracy": "||null accuracy|||DummyClassifier|caret NoInformationRate|",
    "null_error_rate": "||null error rate|||||",
    "sensitivity": "recall, sensitivity, TPR|true positive rate, recall, sensitivity|sensitivity, recall, S_e|"
    "true positive rate, v(r)|recall, TPR, hit rate|recall_score|yardstick sens, recall; pROC sensitivity|sensitivity",
    "specificity": "specificity|true negative rate, specificity|specificity, S_p||specificity|"
    "recall_score(pos_label=0)|yardstick spec; pROC specificity|specificity",
    "false_positive_rate": "FPR|false positive rate|false-positive or Type-I-error rate, alpha|"
    "false positive rate, u(r)|false positive rate, false alarm rate|roc_curve's fpr|1 - spec|false positive rate",
    "false_negative_rate": "||false-negative or Type-II-error rate, beta|||1 - recall_score|1 - sens|miss rate",
    "precision": "precision|positive predictive value, precision|precision, ppv|precision, C(r)|precision, PPV|"
    "precision_score|yardstick precision, ppv|positive predictive value",
    "npv": "(called specificity once)||negative predictive value, npv|||precision_score(pos_label=0)|yardstick npv|"
    "negative predictive value",
    "false_discovery_rate": "|false discovery rate|false discovery rate, fdr|||1 - precision_score||",
    "false_omission_rate": "||false omission rate, for|||||",
    "prevalence": "||prevalence, pi_1|P / (P + N)|prevalence, pi|y.mean()||prevalence, pre-test probability",
    "queue_rate": "||queue rate, labelling rate, p_1|||y_pred.mean()|yardstick detection_prevalence|test positive rate",
    "balanced_accuracy": "|||||balanced_accuracy_score|yardstick bal_accuracy|",
    "f1": "F1|F1 score|F_beta with beta = 1|F1-score|F1|f1_score|yardstick f_meas|",
    "youden_j": "||Youden's J|||balanced_accuracy_score(adjusted=True)|yardstick j_index|Youden's index",
    "mcc": "|||||matthews_corrcoef|yardstick mcc|phi",
    "cohen_kappa": "|||||cohen_kappa_score|yardstick kap|kappa",
    "jaccard": "|||||jaccard_score||threat score, critical success index (weather)",
    "lr_positive": "||positive likelihood ratio, lr+|||class_likelihood_ratios|epiR epi.tests|LR+",
    "lr_negative": "||negative likelihood ratio, lr-|||class_likelihood_ratios|epiR epi.tests|LR-",
    "diagnostic_odds_ratio": "||diagnostic odds ratio, dor||||epiR epi.tests|diagnostic odds ratio",
    "auroc": "AUC|AUC|AUROC|AUC, A|AUROC|roc_auc_score|pROC auc; yardstick roc_auc|AUC, c statistic",
    "gini": "|||||2 * roc_auc_score - 1|yardstick gain_capture (of the gain curve)|Somers' D",
    "ks": "|||||||",
    "average_precision": "||AUPRC|area under the precision-recall curve|AUPRC (by Davis and Goadrich)|"
    "average_precision_score|yardstick average_precision|",
    "auprc_trapezoid": "|||||auc(recall, precision)|yardstick pr_auc|",
    "auprc_davis_goadrich": "||||AUPRC|none|PRROC auc.davis.goadrich|",
    "auprc_integral": "|||||none|PRROC auc.integral; precrec|",
    "auprg": "|||||none|prg calc_auprg|",
    "partial_auroc": "|||||roc_auc_score(max_fpr=0.1)|pROC auc(partial.auc = ..., partial.auc.correct = TRUE)|",
    "h_measure": "||||H-measure|none|hmeasure HMeasure(severity.ratio = NA) is another Beta|",
    "precision_at_indistinguishability": "|||C(r_b)||none|none|",
    "brier": "|||||brier_score_loss|yardstick brier_class|Brier score",
    "brier_skill": "||||||rms val.prob's R2 is another|scaled Brier score",
    "log_loss": "|||||log_loss|yardstick mn_log_loss|logarithmic score",
    "ece": "|||||none|none|",
    "calibration_intercept": "|||||none|rms val.prob Intercept; CalibrationCurves|calibration-in-the-large",
    "calibration_slope": "|||||none|rms val.prob Slope; CalibrationCurves|calibration slope",
}
NAMES = {
    name: {place: word for place, word in zip(PLACES, words.split("|"), strict=True) if word}
    for name, words in _NAMES.items()
}

_WORDS = {
    "positive, negative": "the two answers to a yes-or-no question; positive is what is looked for, be it good or bad",
    "labelled": "what the classifier said, as opposed to what is true",
    "threshold": "a case is labelled positive if its score is at least this",
    "cohort, case-control": "whether the share of positives came about by itself, or was chosen by the study",
    "chance": "the value of a classifier that guesses, at the same prevalence and queue rate",
    "interval": "where the true value may lie, given the cases seen: 95% of such intervals hold it",
    "honest": "measured on cases that had no part in choosing the threshold",
    "net benefit": "true positives per case, less false ones weighed as the threshold probability says",
    "indistinguishable, r_b": "the threshold from which on a labelled case and a real positive score alike",
    "resolving power": "how small a difference between models a metric can tell on so many cases",
    "easy negatives": "negatives below every threshold that matters: they raise AUROC and accuracy, and nothing else",
    "score table": "one row for each distinct score, with how many positives and negatives have it",
}


def write_glossary(folder: Path) -> None:
    """The page `glossary.md`: words, then names of metrics by place."""
    words = "".join(f"**{word}**\n: {meaning}.\n\n" for word, meaning in _WORDS.items())
    heads = ("metric", "also", *PLACES)
    lines = [_line(name) for name in METRICS]
    table = "".join("| " + " | ".join(each) + " |\n" for each in (heads, ["---"] * len(heads), *lines))
    note = f"{__doc__.split(chr(10), 2)[2].strip()}\n" if __doc__ else ""
    why = "A name in `also` is accepted wherever a metric is named, in Python and on the command line.\n"
    text = f"# Glossary\n\n{words}## Who calls it what\n\n{why}\n{note}\n{table}"
    (folder / "glossary.md").write_text(text, encoding="utf-8")


def _line(name: str) -> list[str]:
    others = NAMES.get(name, {})
    also = ", ".join(f"`{each}`" for each in METRICS[name].aliases)
    return [f"[{METRICS[name].label}](metrics/{name}.md)", also, *(others.get(place, "") for place in PLACES)]
