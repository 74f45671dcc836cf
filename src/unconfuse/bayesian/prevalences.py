"""How far a label can be believed, against the prevalence; and from which prevalence on it is worth believing."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from unconfuse._errors import ArgumentError
from unconfuse._validate import as_numbers, check_probability
from unconfuse.bayesian._source import Prevalence, counts_of, level_of
from unconfuse.bayesian.shift import predictive_limits, predictive_value
from unconfuse.metrics import METRICS
from unconfuse.results.evaluation import Evaluation
from unconfuse.table import Array, Counts
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.posterior import posterior_interval


def standardised_predictive_values(
    source: Evaluation | Counts, *, confidence_level: float | None = None
) -> dict[str, Estimate]:
    """Precision and NPV as if half of all cases were positive, to compare tests from studies of different prevalence.

    Examples
    --------
    >>> import unconfuse as uc
    >>> values = standardised_predictive_values(uc.Counts(tp=30, fp=20, fn=10, tn=140))
    >>> print(f"{values['precision'].value:.3f} {values['npv'].value:.3f}")
    0.857 0.778
    """
    counts, level = counts_of(source), level_of(source, confidence_level)
    return {
        name: predictive_value(name, counts, Prevalence(0.5), confidence_level=level, context="at prevalence 1/2")
        for name in ("precision", "npv")
    }


def predictive_value_curve(
    source: Evaluation | Counts, prevalences: npt.ArrayLike | None = None, *, confidence_level: float | None = None
) -> dict[str, Array]:
    """Precision and NPV of one classifier over a range of prevalences, with pointwise limits.

    Parameters
    ----------
    source : Evaluation or Counts
    prevalences : array_like, optional
        By default 199 of them from 0.001 to 0.999, evenly spaced in log-odds.
    confidence_level : float, optional

    Returns
    -------
    dict of arrays
        Columns `prevalence`, `precision`, `precision_low`, `precision_high`, `npv`, `npv_low` and `npv_high`.

    Examples
    --------
    >>> import unconfuse as uc
    >>> curve = predictive_value_curve(uc.Counts(tp=90, fp=5, fn=10, tn=95), [.01, .1, .5])
    >>> curve["precision"].round(3)
    array([0.154, 0.667, 0.947])
    """
    counts, level = counts_of(source), level_of(source, confidence_level)
    at = (
        expit(np.linspace(logit(0.001), logit(0.999), 199))
        if prevalences is None
        else as_numbers(prevalences, "prevalences")
    )
    if ((at < 0) | (at > 1)).any():
        raise ArgumentError("`prevalences` must lie between 0 and 1. Hint: 2% is 0.02.")

    columns: dict[str, Array] = {"prevalence": at}
    there = counts.at_prevalence(at)
    for name in ("precision", "npv"):
        low, high = predictive_limits(name, counts, at, confidence_level=level)
        value = METRICS[name](there)
        columns |= {name: value, f"{name}_low": np.fmin(low, value), f"{name}_high": np.fmax(high, value)}
    return columns


def break_even_prevalence(
    source: Evaluation | Counts,
    *,
    precision: float | None = None,
    npv: float | None = None,
    confidence_level: float | None = None,
) -> Estimate:
    r"""The prevalence at which a label is right exactly as often as demanded.

    At :math:`\pi^* = FPR / (Se + FPR)` every second alarm is right; where the condition is rarer, most are false.
    In general the odds of the break-even prevalence are the odds of the target divided by the likelihood ratio.

    Parameters
    ----------
    source : Evaluation or Counts
    precision : float, optional
        Demanded of positive labels; 1/2 if nothing is given. It is reached at and above the result.
    npv : float, optional
        Demanded of negative labels instead. It is reached at and below the result.
    confidence_level : float, optional

    Examples
    --------
    >>> import unconfuse as uc
    >>> test = uc.Counts(tp=90, fp=5, fn=10, tn=95)
    >>> round(break_even_prevalence(test).value, 4)
    0.0526
    >>> round(break_even_prevalence(test, npv=.99).value, 4)
    0.0876
    """
    if precision is not None and npv is not None:
        raise ArgumentError("give `precision` or `npv`, not both: each has its own break-even prevalence.")
    counts, level = counts_of(source), level_of(source, confidence_level)
    if npv is None:
        target = check_probability(0.5 if precision is None else precision, "precision", open_interval=True)
        what, ratio, odds = f"precision {target:g}", METRICS["lr_positive"], target / (1 - target)
    else:
        target = check_probability(npv, "npv", open_interval=True)
        what, ratio, odds = f"NPV {target:g}", METRICS["lr_negative"], (1 - target) / target

    def there(tables: Counts) -> Array:
        return odds / (odds + ratio(tables))

    low, high = posterior_interval(there, counts, confidence_level=level, design="case-control")
    value = float(there(counts))
    return Estimate(
        "break_even_prevalence",
        f"Prevalence at which the {what} is reached",
        value,
        float(low),
        float(high),
        level,
        method="posterior",
        better="lower" if npv is None else "higher",
        undefined=ratio.undefined if math.isnan(value) else None,
    )
