"""Summaries of the four counts in one number: how far labels and truth go together."""

from __future__ import annotations

import numpy as np

from unconfuse.metrics._counts import decision, example, share
from unconfuse.metrics._definition import Increasing
from unconfuse.metrics._expression import fraction_of

balanced_accuracy = decision(
    "balanced_accuracy",
    "(tp / positives + tn / negatives) / 2",
    aliases=("balanced_accuracy_score",),
    label="Balanced accuracy",
    question="What share is labelled right if both classes count the same?",
    range=(0.0, 1.0),
    formula=r"\tfrac12\left(\frac{TP}{P}+\frac{TN}{N}\right)",
    depends_on_prevalence=False,
    undefined="one of the classes is empty",
    misleads="It weighs the classes equally even where one error costs far more than the other.",
    references=("Brodersen et al. (2010), ICPR, The balanced accuracy and its posterior distribution",),
    example=example((30 / 40 + 140 / 160) / 2),
)


f1 = decision(
    "f1",
    "2 * tp / (2 * tp + fn + fp)",
    aliases=("f1_score", "dice"),
    increasing=Increasing("Jaccard", fraction_of("tp / (tp + fp + fn)"), lambda j: 2 * j / (1 + j)),
    label="F1 score",
    question="How good are precision and sensitivity together (their harmonic mean)?",
    range=(0.0, 1.0),
    formula=r"\frac{2\,TP}{2\,TP+FP+FN}",
    undefined="there are neither positives nor positive labels (TP + FP + FN = 0)",
    interval="f1_of_jaccard",
    misleads="It ignores the true negatives and changes with prevalence: do not compare it across data sets.",
    references=("van Rijsbergen (1979), Information Retrieval, chapter 7",),
    example=example(60 / 90),
)


youden_j = decision(
    "youden_j",
    "tp / positives + tn / negatives - 1",
    aliases=("informedness", "bookmaker_informedness"),
    label="Youden's J (informedness)",
    question="How much more often is a positive labelled positive than a negative is?",
    range=(-1.0, 1.0),
    formula=r"\frac{TP}{P}+\frac{TN}{N}-1",
    depends_on_prevalence=False,
    undefined="one of the classes is empty",
    misleads="It takes a missed positive and a false alarm, each as a share of its class, as equally bad.",
    references=("Youden (1950), Cancer 3:32, Index for rating diagnostic tests",),
    example=example(30 / 40 + 140 / 160 - 1),
)


markedness = decision(
    "markedness",
    "tp / labelled_positive + tn / labelled_negative - 1",
    label="Markedness",
    question="How much more likely is a case positive after a positive label than after a negative one?",
    range=(-1.0, 1.0),
    formula=r"\frac{TP}{TP+FP}+\frac{TN}{TN+FN}-1",
    undefined="all cases get the same label",
    misleads="It changes with prevalence although the classifier is the same.",
    references=("Powers (2011), Journal of Machine Learning Technologies 2:37",),
    example=example(30 / 50 + 140 / 150 - 1),
)


mcc = decision(
    "mcc",
    "(tp * tn - fp * fn) / (sqrt(labelled_positive * positives) * sqrt(negatives * labelled_negative))",
    aliases=("matthews_corrcoef", "phi_coefficient"),
    label="Matthews correlation (MCC)",
    question="How strongly do labels and truth go together (their correlation)?",
    range=(-1.0, 1.0),
    formula=r"\frac{TP\cdot TN-FP\cdot FN}{\sqrt{(TP+FP)(TP+FN)(TN+FP)(TN+FN)}}",
    undefined="a class or a label does not occur",
    misleads="It changes with prevalence: the same classifier looks worse where positives are rare.",
    references=("Matthews (1975), Biochimica et Biophysica Acta 405:442", "Chicco & Jurman (2020), BMC Genomics 21:6"),
    example=example((30 * 140 - 20 * 10) / np.sqrt(50.0 * 40 * 160 * 150)),
)


cohen_kappa = decision(
    "cohen_kappa",
    "2 * (tp * tn - fp * fn) / (labelled_positive * negatives + positives * labelled_negative)",
    aliases=("kappa", "cohen_kappa_score"),
    label="Cohen's kappa",
    question="How far do labels and truth agree beyond chance?",
    range=(-1.0, 1.0),
    formula=r"\frac{2\,(TP\cdot TN-FP\cdot FN)}{(TP+FP)(FP+TN)+(TP+FN)(FN+TN)}",
    undefined="all cases lie in one class and get its label",
    misleads="Its largest reachable value depends on prevalence and queue rate.",
    references=("Cohen (1960), Educational and Psychological Measurement 20:37",),
    example=example(2 * (30 * 140 - 20 * 10) / (50 * 160 + 40 * 150)),
)


fowlkes_mallows = decision(
    "fowlkes_mallows",
    "tp / sqrt(labelled_positive * positives)",
    aliases=("fowlkes_mallows_index",),
    label="Fowlkes-Mallows index",
    question="How good are precision and sensitivity together (their geometric mean)?",
    range=(0.0, 1.0),
    formula=r"\sqrt{\frac{TP}{TP+FP}\cdot\frac{TP}{TP+FN}}",
    undefined="there are no positives, or no case is labelled positive",
    misleads="It ignores the true negatives and changes with prevalence.",
    references=("Fowlkes & Mallows (1983), JASA 78:553",),
    example=example(np.sqrt(30 / 50 * 30 / 40)),
)


g_mean = decision(
    "g_mean",
    "sqrt(tp / positives * (tn / negatives))",
    label="G-mean",
    question="How good are sensitivity and specificity together (their geometric mean)?",
    range=(0.0, 1.0),
    formula=r"\sqrt{\frac{TP}{P}\cdot\frac{TN}{N}}",
    depends_on_prevalence=False,
    undefined="one of the classes is empty",
    misleads="It is 0 as soon as one class is always mislabelled, however good the other.",
    references=("Kubat & Matwin (1997), ICML, Addressing the curse of imbalanced training sets",),
    example=example(np.sqrt(30 / 40 * 140 / 160)),
)


jaccard = share(
    "jaccard",
    "tp / (tp + fp + fn)",
    aliases=("threat_score", "critical_success_index", "jaccard_score"),
    label="Jaccard index (threat score)",
    question="Of the cases that are positive or called so, what share is both?",
    formula=r"\frac{TP}{TP+FP+FN}",
    undefined="there are neither positives nor positive labels (TP + FP + FN = 0)",
    misleads="It ignores the true negatives and changes with prevalence.",
    references=("Jaccard (1912), New Phytologist 11:37", "Schaefer (1990), Weather and Forecasting 5:570"),
    example=example(30 / 60),
)
