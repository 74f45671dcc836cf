"""Likelihood ratios and the diagnostic odds ratio: what a label does to the odds, with limits on the log scale."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from unconfuse.metrics._counts import decision
from unconfuse.metrics.influence import quantile
from unconfuse.table import Array, Counts


def log_lr_positive(counts: Counts, *, confidence_level: float = 0.95) -> tuple[Array, Array]:
    """Log interval of LR+ = sensitivity / (1 - specificity), Simel, Samsa and Matchar (1991).

    Zero-cell rule: a table with an empty TP or FP gets 1/2 added to all four cells for the limits; then the end on
    the side of the value is the value itself: 0 if TP = 0, infinity if FP = 0. NaN if both are empty.
    """
    return _log_ratio(counts.tp, counts.positives, counts.fp, counts.negatives, confidence_level)


def log_lr_negative(counts: Counts, *, confidence_level: float = 0.95) -> tuple[Array, Array]:
    """Log interval of LR- = (1 - sensitivity) / specificity; zero-cell rule as in `log_lr_positive`."""
    return _log_ratio(counts.fn, counts.positives, counts.tn, counts.negatives, confidence_level)


def log_odds_ratio(counts: Counts, *, confidence_level: float = 0.95) -> tuple[Array, Array]:
    """Woolf's (1955) log interval of the diagnostic odds ratio; 1/2 is added to every cell if one of them is empty.

    As with the likelihood ratios the end is 0 if TP or TN is empty, infinity if FP or FN is; NaN for 0/0. Anscombe
    (1956), Biometrika 43:461.
    """
    cells = np.stack([counts.tp, counts.tn, counts.fp, counts.fn])
    smooth = cells + 0.5 * (cells <= 0).any(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = np.log(smooth[0]) + np.log(smooth[1]) - np.log(smooth[2]) - np.log(smooth[3])
        half = quantile(confidence_level) * np.sqrt((1 / smooth).sum(axis=0))
        low, high = np.exp(centre - half), np.exp(centre + half)
    return _open_ends(low, high, cells[0] * cells[1], cells[2] * cells[3])


def _log_ratio(x: Array, m: Array, y: Array, n: Array, confidence_level: float) -> tuple[Array, Array]:
    """Log interval of (x/m) / (y/n), two independent proportions."""
    half_cell = 0.5 * ((x <= 0) | (y <= 0))
    a, b, c, d = x + half_cell, m + 2 * half_cell, y + half_cell, n + 2 * half_cell
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        centre = np.log(a) - np.log(b) - np.log(c) + np.log(d)
        half = quantile(confidence_level) * np.sqrt(np.maximum(1 / a - 1 / b + 1 / c - 1 / d, 0.0))
        low, high = np.exp(centre - half), np.exp(centre + half)
    return _open_ends(low, high, x, y, known=np.minimum(m, n) > 0)


def _open_ends(low: Array, high: Array, above: Array, below: Array, known: Any = True) -> tuple[Array, Array]:
    """The ends where the ratio above / below is 0, infinite or undefined."""
    undefined = (above <= 0) & (below <= 0) | ~np.asarray(known)
    low, high = np.where(above <= 0, 0.0, low), np.where(below <= 0, np.inf, high)
    return np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)


_DEEKS = "Deeks & Altman (2004), BMJ 329:168, Diagnostic tests 4: likelihood ratios"
_SIMEL = "Simel, Samsa & Matchar (1991), J Clin Epidemiol 44:763"
_odds = partial(decision, range=(0.0, np.inf), depends_on_prevalence=False, references=(_DEEKS, _SIMEL))

lr_positive = _odds(
    "lr_positive | lr+ | plr | positive_likelihood_ratio = tp * negatives / (fp * positives)",
    "Positive likelihood ratio (LR+): By how much does a positive label multiply the odds of being positive?",
    log_limits=log_lr_positive,
    formula=r"\frac{TP/P}{FP/N}",
    undefined="a class is empty, or no case is labelled positive",
    misleads="It multiplies odds, not probabilities; without false positives it is infinite whatever the sample size.",
    example=(30 / 40) / (20 / 160),
)

lr_negative = _odds(
    "lr_negative | lr- | nlr | negative_likelihood_ratio = fn * negatives / (tn * positives)",
    "Negative likelihood ratio (LR-): By how much does a negative label multiply the odds of being positive?",
    log_limits=log_lr_negative,
    better="lower",
    formula=r"\frac{FN/P}{TN/N}",
    undefined="a class is empty, or no case is labelled negative",
    misleads="It multiplies odds, not probabilities; without missed positives it is 0 whatever the sample size.",
    example=(10 / 40) / (140 / 160),
)

diagnostic_odds_ratio = _odds(
    "diagnostic_odds_ratio | dor = tp * tn / (fp * fn)",
    "Diagnostic odds ratio (DOR): How many times higher are the odds of a positive label among positives than "
    "among negatives?",
    log_limits=log_odds_ratio,
    formula=r"\frac{TP\cdot TN}{FP\cdot FN}",
    undefined="TP x TN and FP x FN are both 0",
    misleads="Very different pairs of sensitivity and specificity share one odds ratio.",
    references=("Glas et al. (2003), J Clin Epidemiol 56:1129, The diagnostic odds ratio",),
    example=30 * 140 / (20 * 10),
)
