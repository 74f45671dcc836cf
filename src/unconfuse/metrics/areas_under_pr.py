"""The area under the precision-recall curve, in the four forms that share one name, and the area of its gains."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from unconfuse import _kernels
from unconfuse.metrics import bounds
from unconfuse.metrics._blocks import at_prevalence, constant, rank_metric
from unconfuse.metrics.influence import auprc_influence, average_precision_influence

_DAVIS = "Davis & Goadrich (2006), ICML, The relationship between precision-recall and ROC curves"
_KEILWAGEN = "Keilwagen, Grosse & Grau (2014), PLoS ONE 9:e92209"
_CHEN = "Chen et al. (2024), Genome Biology 25:118: ten tools rank classifiers differently"
_PREVALENCE = "It changes with prevalence: compare it with its baseline, the prevalence, and never across data sets."


def area_in_population(population: Any, prevalence: float) -> float:
    """With infinitely many cases all four forms are one."""
    return float(population.auprc(prevalence))


_area = partial(
    rank_metric,
    influence=auprc_influence,
    interval="influence_at_top",
    population=area_in_population,
    straight=True,
    chance=at_prevalence,
    misleads=_PREVALENCE,
)

average_precision = _area(
    "average_precision | ap | auprc | pr_auc | average_precision_score",
    "Average precision (AUPRC, step): How high is the precision on average at the scores of the positives?",
    influence=average_precision_influence,
    bounds=bounds.average_precision,
    formula=r"\frac1P\sum_b p_b\,\frac{TP_b}{TP_b+FP_b}",
    misleads=_PREVALENCE + " A useless ranking of few cases lies a little above it.",
    references=("Manning, Raghavan & Schuetze (2008), Introduction to Information Retrieval, section 8.4", _CHEN),
    example=(1 + 2 / 3) / 2,
)

auprc_trapezoid = _area(
    "auprc_trapezoid",
    "AUPRC (trapezoid): What is the area under straight lines drawn through the precision-recall points?",
    interval="bias_corrected",
    bounds=bounds.area_by_trapezoids,
    formula=r"\frac1P\sum_b p_b\,\frac{C_{b-1}+C_b}{2},\ C_0=1",
    misleads="Do not use it with ties: straight lines are no achievable precision, and constant scores get "
    "(1 + prevalence)/2. It is here because other tools report it.",
    references=(_DAVIS, _CHEN),
    example=(1 + (1 / 2 + 2 / 3) / 2) / 2,
    function=lambda table: _kernels.trapezoid_areas(table.positives, table.negatives),
)

# As PRROC computes it: within a tie block the false positives grow in step with the true ones; the precision is taken
# after every unit of positive weight (and the rest, if the weight is no whole number), with straight lines between.
# If the best block holds positives, its precision holds from recall 0 on; if negatives come first, it starts at 0.
auprc_davis_goadrich = _area(
    "auprc_davis_goadrich",
    "AUPRC (Davis-Goadrich): What is the area under the precision-recall curve, interpolated at every whole true "
    "positive?",
    bounds=bounds.area_by_units,
    formula=r"\frac1P\sum_{t=1}^{P}\tfrac12\left[\frac{t-1}{t-1+f(t-1)}+\frac{t}{t+f(t)}\right]",
    references=(_DAVIS, "Grau, Grosse & Keilwagen (2015), Bioinformatics 31:2595, PRROC", _CHEN),
    example=(1 + (1 / 2 + 2 / 3) / 2) / 2,
)

auprc_integral = _area(
    "auprc_integral",
    "AUPRC (continuous integral): What is the area under the precision-recall curve, interpolated continuously?",
    formula=r"\frac1P\int_0^P\frac{t}{t+f(t)}\,dt",
    references=(_KEILWAGEN, "Boyd, Eng & Page (2013), ECML PKDD, Area under the precision-recall curve", _CHEN),
    example=(1 + 1 - np.log(3 / 2)) / 2,
)

# Between two points the false positives grow linearly with the true ones: a straight line on gain scales.
auprg = rank_metric(
    "auprg",
    "Area under precision-recall-gain (AUPRG): How high is the precision on average, on scales where the prevalence "
    "is 0 and linear averages are fair?",
    population=lambda population, prevalence: population.auprg(prevalence),
    formula=r"\int_0^1 \mathrm{precG}\,d\,\mathrm{recG},\ "
    r"\mathrm{precG}=1-\frac{\pi}{1-\pi}\frac{FP}{TP},\ \mathrm{recG}=1-\frac{\pi}{1-\pi}\frac{FN}{TP}",
    range=(-np.inf, 1.0),
    chance=constant(0.0),
    misleads="It is not free of prevalence: the same ROC curve gave 0.27, 0.50 and 0.77 at 50, 10 and 1% positives.",
    references=("Flach & Kull (2015), NeurIPS, Precision-recall-gain curves",),
    example=1 / 4,
    function=lambda table: _kernels.gain_areas(table.positives, table.negatives),
    straight=True,
)
