"""The area under the precision-recall curve, in the four forms that share one name, and the area of its gains."""

from __future__ import annotations

from functools import partial

import numpy as np

from unconfuse import _kernels
from unconfuse.metrics import bounds
from unconfuse.metrics._blocks import PHOTOS, at_prevalence, by_kernel, constant, ranking
from unconfuse.metrics._definition import Example
from unconfuse.table import Array, ScoreTable

_DAVIS = "Davis & Goadrich (2006), ICML, The relationship between precision-recall and ROC curves"
_KEILWAGEN = "Keilwagen, Grosse & Grau (2014), PLoS ONE 9:e92209"
_CHEN = "Chen et al. (2024), Genome Biology 25:118: ten tools rank classifiers differently"
_PREVALENCE = "It changes with prevalence: compare it with its baseline, the prevalence, and never across data sets."
_example = partial(Example, PHOTOS)


@ranking(
    label="Average precision (AUPRC, step)",
    bounds=bounds.average_precision,
    interval="influence",
    question="How high is the precision on average at the scores of the positives?",
    formula=r"\frac1P\sum_b p_b\,\frac{TP_b}{TP_b+FP_b}",
    chance=at_prevalence,
    misleads=_PREVALENCE + " A useless ranking of few cases lies a little above it.",
    references=("Manning, Raghavan & Schuetze (2008), Introduction to Information Retrieval, section 8.4", _CHEN),
    example=_example((1 + 2 / 3) / 2),
)
def average_precision(table: ScoreTable) -> Array:
    """Mean over the positives of the precision with the threshold at their score (scikit-learn's)."""
    return by_kernel("average_precision", table)


@ranking(
    label="AUPRC (trapezoid)",
    bounds=bounds.area_by_trapezoids,
    question="What is the area under straight lines drawn through the precision-recall points?",
    formula=r"\frac1P\sum_b p_b\,\frac{C_{b-1}+C_b}{2},\ C_0=1",
    chance=at_prevalence,
    misleads="Do not use it with ties: straight lines are no achievable precision, and constant scores get "
    "(1 + prevalence)/2. It is here because other tools report it.",
    references=(_DAVIS, _CHEN),
    example=_example((1 + (1 / 2 + 2 / 3) / 2) / 2),
)
def auprc_trapezoid(table: ScoreTable) -> Array:
    """Area under straight lines through the precision-recall points, from (recall 0, precision 1)."""
    return _kernels.trapezoid_areas(table.positives, table.negatives)


@ranking(
    label="AUPRC (Davis-Goadrich)",
    bounds=bounds.area_by_units,
    interval="influence",
    question="What is the area under the precision-recall curve, interpolated at every whole true positive?",
    formula=r"\frac1P\sum_{t=1}^{P}\tfrac12\left[\frac{t-1}{t-1+f(t-1)}+\frac{t}{t+f(t)}\right]",
    chance=at_prevalence,
    misleads=_PREVALENCE,
    references=(_DAVIS, "Grau, Grosse & Keilwagen (2015), Bioinformatics 31:2595, PRROC", _CHEN),
    example=_example((1 + (1 / 2 + 2 / 3) / 2) / 2),
)
def auprc_davis_goadrich(table: ScoreTable) -> Array:
    """Area by Davis and Goadrich's discrete interpolation, as PRROC computes it.

    Within a tie block the false positives grow in step with the true ones; the precision is taken after every unit of
    positive weight (and after the rest, if the weight is no whole number) and joined by straight lines. If the best
    block holds positives, its precision holds from recall 0 on; if negatives come first, the precision starts at 0.
    """
    return by_kernel("auprc_davis_goadrich", table)


@ranking(
    label="AUPRC (continuous integral)",
    bounds=bounds.by_extremes,
    interval="influence",
    question="What is the area under the precision-recall curve, interpolated continuously?",
    formula=r"\frac1P\int_0^P\frac{t}{t+f(t)}\,dt",
    chance=at_prevalence,
    misleads=_PREVALENCE,
    references=(_KEILWAGEN, "Boyd, Eng & Page (2013), ECML PKDD, Area under the precision-recall curve", _CHEN),
    example=_example((1 + 1 - np.log(3 / 2)) / 2),
)
def auprc_integral(table: ScoreTable) -> Array:
    """Area under the curve whose false positives grow linearly with the true ones within a block (PRROC's integral)."""
    return by_kernel("auprc_integral", table)


@ranking(
    label="Area under precision-recall-gain (AUPRG)",
    bounds=bounds.by_extremes,
    question="How high is the precision on average, on scales where the prevalence is 0 and linear averages are fair?",
    formula=r"\int_0^1 \mathrm{precG}\,d\,\mathrm{recG},\ "
    r"\mathrm{precG}=1-\frac{\pi}{1-\pi}\frac{FP}{TP},\ \mathrm{recG}=1-\frac{\pi}{1-\pi}\frac{FN}{TP}",
    range=(-np.inf, 1.0),
    chance=constant(0.0),
    misleads="It is not free of prevalence: the same ROC curve gave 0.27, 0.50 and 0.77 at 50, 10 and 1% positives.",
    references=("Flach & Kull (2015), NeurIPS, Precision-recall-gain curves",),
    example=_example(1 / 4),
)
def auprg(table: ScoreTable) -> Array:
    """Area under the precision-recall-gain curve where the recall gain is 0 or more.

    Between two points the false positives grow linearly with the true ones, which is a straight line on gain scales.
    """
    return _kernels.gain_areas(table.positives, table.negatives)
