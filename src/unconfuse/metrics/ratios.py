"""Likelihood ratios and the diagnostic odds ratio: what a label does to the odds."""

from __future__ import annotations

import numpy as np

from unconfuse.metrics import bounds
from unconfuse.metrics._clinic import DEEKS, example
from unconfuse.metrics._definition import metric, ratio
from unconfuse.table import Array, Counts


@metric(
    bounds=bounds.by_corners,
    label="Positive likelihood ratio (LR+)",
    question="By how much does a positive label multiply the odds of being positive?",
    range=(0.0, np.inf),
    formula=r"\frac{TP/P}{FP/N}",
    expression="tp * negatives / (fp * positives)",
    depends_on_prevalence=False,
    undefined="a class is empty, or no case is labelled positive",
    interval="posterior",
    misleads="It multiplies odds, not probabilities; without false positives it is infinite whatever the sample size.",
    references=(DEEKS, "Simel, Samsa & Matchar (1991), J Clin Epidemiol 44:763"),
    example=example((30 / 40) / (20 / 160)),
)
def lr_positive(c: Counts) -> Array:
    """Sensitivity / false positive rate."""
    return ratio(c.tp * c.negatives, c.fp * c.positives)


@metric(
    bounds=bounds.by_corners,
    label="Negative likelihood ratio (LR-)",
    question="By how much does a negative label multiply the odds of being positive?",
    range=(0.0, np.inf),
    better="lower",
    formula=r"\frac{FN/P}{TN/N}",
    expression="fn * negatives / (tn * positives)",
    depends_on_prevalence=False,
    undefined="a class is empty, or no case is labelled negative",
    interval="posterior",
    misleads="It multiplies odds, not probabilities; without missed positives it is 0 whatever the sample size.",
    references=(DEEKS, "Simel, Samsa & Matchar (1991), J Clin Epidemiol 44:763"),
    example=example((10 / 40) / (140 / 160)),
)
def lr_negative(c: Counts) -> Array:
    """False negative rate / specificity."""
    return ratio(c.fn * c.negatives, c.tn * c.positives)


@metric(
    bounds=bounds.by_corners,
    label="Diagnostic odds ratio (DOR)",
    question="How many times higher are the odds of a positive label among positives than among negatives?",
    range=(0.0, np.inf),
    formula=r"\frac{TP\cdot TN}{FP\cdot FN}",
    expression="tp * tn / (fp * fn)",
    depends_on_prevalence=False,
    undefined="TP x TN and FP x FN are both 0",
    interval="posterior",
    misleads="Very different pairs of sensitivity and specificity share one odds ratio.",
    references=("Glas et al. (2003), J Clin Epidemiol 56:1129, The diagnostic odds ratio",),
    example=example(30 * 140 / (20 * 10)),
)
def diagnostic_odds_ratio(c: Counts) -> Array:
    """LR+ / LR-."""
    return ratio(c.tp * c.tn, c.fp * c.fn)
