"""Metrics of the ranking: areas under the ROC curve and its relatives, which do not depend on prevalence, then the area
under the precision-recall curve in the four forms that share one name, and the area of its gains."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_number, public_api
from unconfuse.metrics import bounds
from unconfuse.metrics._inference import Affine
from unconfuse.metrics._metric import Metric, ratio
from unconfuse.metrics._tie_blocks import TieBlocks, at_prevalence, by_kernel, constant, rank_metric
from unconfuse.metrics.influence_functions import (
    auprc_influence,
    auroc_influence,
    auroc_spread,
    average_precision_influence,
)
from unconfuse.table import Array, ScoreTable

_DAVIS = "Davis & Goadrich (2006), ICML, The relationship between precision-recall and ROC curves"
_KEILWAGEN = "Keilwagen, Grosse & Grau (2014), PLoS ONE 9:e92209"
_CHEN = "Chen et al. (2024), Genome Biology 25:118: ten tools rank classifiers differently"
_PREVALENCE = "It changes with prevalence: compare it with its baseline, the prevalence, and never across data sets."
_of_roc = partial(rank_metric, straight=True, depends_on_prevalence=False, chance=constant(0.0))

auroc = _of_roc(
    "auroc",
    label="AUROC",
    question="How often does a random positive score higher than a random negative (ties count half)?",
    aliases=("auc", "roc_auc", "roc_auc_score", "c_statistic", "auc_roc", "c_index", "concordance"),
    influence=auroc_influence,
    spread=auroc_spread,
    population=lambda population, prevalence: population.auroc,
    formula=r"\Pr(X>Y)+\tfrac12\Pr(X=Y)",
    chance=constant(0.5),
    misleads="Many easy negatives push it towards 1 although precision stays poor: compare it with the precision at "
    "indistinguishability.",
    references=("Hanley & McNeil (1982), Radiology 143:29", "Bamber (1975), Journal of Mathematical Psychology 12:387"),
    example=3 / 4,
)

gini = _of_roc(
    "gini",
    label="Gini coefficient (accuracy ratio)",
    question="How far is the ranking from chance (0) towards perfect (1)?",
    aliases=("accuracy_ratio",),
    function=lambda table: 2 * by_kernel("auroc", table) - 1,
    affine=Affine(auroc, 2.0, -1.0),
    formula=r"2\,\mathrm{AUROC}-1",
    range=(-1.0, 1.0),
    misleads="It is the AUROC on another scale and says no more; the Gini of incomes or of trees is another thing.",
    references=("Engelmann, Hayden & Tasche (2003), Risk 16:82, Testing rating accuracy",),
    example=1 / 2,
)

ks = _of_roc(
    "ks",
    label="Kolmogorov-Smirnov statistic",
    question="How far apart are the two classes' scores at most, in either direction?",
    aliases=("ks_statistic",),
    interval="best_threshold_either_way",
    bounds=bounds.by_best_threshold,
    formula=r"\max_r\,|\mathrm{TPR}(r)-\mathrm{FPR}(r)|",
    misleads="It ignores the direction: scores that rank negatives first may get 1. It looks at one threshold, chosen "
    "on the same data.",
    references=("Hand (2012), Int Stat Rev 80:400, Assessing the performance of classification methods",),
    example=1 / 2,
)

max_youden = _of_roc(
    "max_youden",
    label="Largest Youden J over thresholds",
    question="How much more often is a positive labelled positive than a negative is, at the best threshold?",
    interval="best_threshold",
    bounds=bounds.by_best_threshold,
    formula=r"\max_r\,[\mathrm{TPR}(r)-\mathrm{FPR}(r)]",
    misleads="The threshold is chosen on the data it is measured on, so the value is optimistic: see `threshold_card`.",
    references=("Youden (1950), Cancer 3:32, Index for rating diagnostic tests",),
    example=1 / 2,
)


equal_error_rate = _of_roc(
    "equal_error_rate",
    label="Equal error rate (EER)",
    question="How often are positives missed at the threshold that flags this share of negatives?",
    aliases=("eer",),
    better="lower",
    formula=r"\mathrm{FPR}(r)\ \mathrm{where}\ \mathrm{FPR}(r)=1-\mathrm{TPR}(r)",
    chance=constant(0.5),
    misleads="It is read off straight lines between the points of the ROC curve, not off its convex hull, which gives "
    "less; and hardly any use of a classifier calls for equal error rates.",
    references=("Martin et al. (1997), Eurospeech, The DET curve in assessment of detection task performance",),
    example=1 / 2,
)


auch = _of_roc(
    "auch",
    label="Area under the ROC convex hull (AUCH)",
    question="How good would the ranking be if scores in the wrong order were pooled?",
    formula=r"\int_0^1 \mathrm{hull}(u)\,du",
    range=(0.5, 1.0),
    interval="hull",
    chance=constant(0.5),
    misleads="It is never below 1/2 and optimistic in small samples: the hull is fitted to the data it is measured on.",
    references=("Provost & Fawcett (2001), Machine Learning 42:203",),
    example=7 / 8,
)


_LEAST_ALPHA = 1e-6  # at a smaller one the digits of chance, a difference of two large numbers, are lost


@public_api
def concentrated_auroc(alpha: float = 7.0) -> Metric:
    """Area under the concentrated ROC curve: the start of the list is magnified.

    The false positive rate x becomes (1 - exp(-alpha x)) / (1 - exp(-alpha)).

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> round(concentrated_auroc(7)(PHOTOS).item(), 4)
    0.5147
    """
    rate = check_number(alpha, "alpha")
    if rate < _LEAST_ALPHA:
        hint = "7 magnifies the first tenth to a half; hardly any alpha is the AUROC."
        raise ArgumentError(f"`alpha` must be {_LEAST_ALPHA:g} or more; got {rate:g}. Hint: {hint}")
    half = np.exp(-rate / 2)
    return rank_metric(
        f"concentrated_auroc({rate:g})",
        label=f"Concentrated AUROC (alpha {rate:g})",
        question="How good is the ranking if its top counts far more than the rest?",
        function=partial(_concentrated, rate),
        formula=rf"\int \mathrm{{TPR}}\,dx',\ x'=\frac{{1-e^{{-\alpha x}}}}{{1-e^{{-\alpha}}}},\ \alpha={rate:g}",
        chance=constant(1 / rate - np.exp(-rate) / -np.expm1(-rate)),
        depends_on_prevalence=False,
        misleads="Chance is not 1/2 but 1/alpha - 1/(exp(alpha) - 1), and alpha decides what counts as the top.",
        references=("Swamidass et al. (2010), Bioinformatics 26:1348, A CROC stronger than ROC",),
        example=((1 + half) / 2 - half**2) / (1 - half**2),
    )


def _concentrated(rate: float, table: ScoreTable) -> Array:
    """Each positive counts the mean of exp(-rate x) over its block's stretch of false positive rates x."""
    blocks = TieBlocks.of(table)
    negatives = blocks.each(blocks.n_negatives)
    start, length = rate * ratio(blocks.fp, negatives), rate * ratio(blocks.negatives, negatives)
    mean = np.exp(-start) * np.divide(-np.expm1(-length), length, out=np.ones_like(length), where=length > 0)
    total = ratio(blocks.total(blocks.positives * mean), blocks.n_positives)
    return np.asarray((total - np.exp(-rate)) / -np.expm1(-rate))


def area_in_population(population: Any, prevalence: float) -> float:
    """With infinitely many cases all four forms are one."""
    return float(population.auprc(prevalence))


_area = partial(
    rank_metric,
    influence=auprc_influence,
    interval="wilson_at_top",
    population=area_in_population,
    straight=True,
    chance=at_prevalence,
    misleads=_PREVALENCE,
)

average_precision = _area(
    "average_precision",
    label="Average precision (AUPRC, step)",
    question="How high is the precision on average at the scores of the positives?",
    aliases=("ap", "auprc", "pr_auc", "average_precision_score", "auc_pr"),
    influence=average_precision_influence,
    bounds=bounds.average_precision,
    formula=r"\frac1P\sum_b p_b\,\frac{TP_b}{TP_b+FP_b}",
    misleads=_PREVALENCE + " A useless ranking of few cases lies a little above it.",
    references=("Manning, Raghavan & Schuetze (2008), Introduction to Information Retrieval, section 8.4", _CHEN),
    example=(1 + 2 / 3) / 2,
)

auprc_trapezoid = _area(
    "auprc_trapezoid",
    label="AUPRC (trapezoid)",
    question="What is the area under straight lines drawn through the precision-recall points?",
    interval="bias_corrected",
    bounds=bounds.area_by_trapezoids,
    formula=r"\frac1P\sum_b p_b\,\frac{C_{b-1}+C_b}{2},\ C_0=1",
    misleads="Do not use it with ties: straight lines are not achievable precision, and constant scores get "
    "(1 + prevalence)/2. It is here because other tools report it.",
    references=(_DAVIS, _CHEN),
    example=(1 + (1 / 2 + 2 / 3) / 2) / 2,
)

# As PRROC computes it: within a tie block the false positives grow in step with the true ones; the precision is taken
# after every unit of positive weight (and the rest, if the weight is no whole number), with straight lines between.
# If the best block holds positives, its precision holds from recall 0 on; if negatives come first, it starts at 0.


def _davis_goadrich(table: ScoreTable) -> Array:
    """Interpolate at every whole true positive; sampling weights count no whole ones, so there it is continuous."""
    return by_kernel("auprc_integral" if table.is_sampled else "auprc_davis_goadrich", table)


auprc_davis_goadrich = _area(
    "auprc_davis_goadrich",
    label="AUPRC (Davis-Goadrich)",
    question="What is the area under the precision-recall curve, interpolated at every whole true positive?",
    function=_davis_goadrich,
    kernel="auprc_davis_goadrich",
    bounds=bounds.area_by_units,
    formula=r"\frac1P\sum_{t=1}^{P}\tfrac12\left[\frac{t-1}{t-1+f(t-1)}+\frac{t}{t+f(t)}\right]",
    references=(_DAVIS, "Grau, Grosse & Keilwagen (2015), Bioinformatics 31:2595, PRROC", _CHEN),
    example=(1 + (1 / 2 + 2 / 3) / 2) / 2,
)

auprc_integral = _area(
    "auprc_integral",
    label="AUPRC (continuous integral)",
    question="What is the area under the precision-recall curve, interpolated continuously?",
    formula=r"\frac1P\int_0^P\frac{t}{t+f(t)}\,dt",
    references=(_KEILWAGEN, "Boyd, Eng & Page (2013), ECML PKDD, Area under the precision-recall curve", _CHEN),
    example=(1 + 1 - np.log(3 / 2)) / 2,
)

# Between two points the false positives grow linearly with the true ones: a straight line on gain scales.
auprg = rank_metric(
    "auprg",
    label="Area under precision-recall-gain (AUPRG)",
    question=(
        "How high is the precision on average, on scales where the prevalence is 0 and linear averages are fair?"
    ),
    population=lambda population, prevalence: population.auprg(prevalence),
    formula=r"\int_0^1 \mathrm{precG}\,d\,\mathrm{recG},\ "
    r"\mathrm{precG}=1-\frac{\pi}{1-\pi}\frac{FP}{TP},\ \mathrm{recG}=1-\frac{\pi}{1-\pi}\frac{FN}{TP}",
    range=(-np.inf, 1.0),
    interval="floored",
    chance=constant(0.0),
    misleads="It is not free of prevalence: the same ROC curve gave 0.27, 0.50 and 0.77 at 50, 10 and 1% positives.",
    references=("Flach & Kull (2015), NeurIPS, Precision-recall-gain curves",),
    example=1 / 4,
    straight=True,
)
