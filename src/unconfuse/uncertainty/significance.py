"""Tests of differences, and what remains of their p-values when there are many of them."""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr, ndtri

from unconfuse.table import Array

SMALLEST = float(np.finfo(np.float64).tiny)  # a p-value is never 0


def mcnemar_mid_p(only_first: float, only_second: float) -> float:
    """Two-sided mid-p of McNemar's test, from the cases that exactly one of two classifiers labels right.

    Fagerland, Lydersen & Laake (2013), BMC Medical Research Methodology 13:91.

    Examples
    --------
    >>> round(mcnemar_mid_p(8, 1), 4)
    0.0215
    """
    fewer, trials = min(only_first, only_second), only_first + only_second
    if trials == 0:
        return 1.0
    below, at_most = (float(bdtr(k, int(trials), 0.5)) if k >= 0 else 0.0 for k in (fewer - 1, fewer))
    return float(np.clip(below + at_most, SMALLEST, 1.0)) if only_first != only_second else 1.0


def bonett_price(
    only_first: float, only_second: float, cases: float, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Interval of the difference of two paired proportions; it does not collapse when no case disagrees.

    Bonett & Price (2012), Journal of Educational and Behavioral Statistics 37:479.

    Examples
    --------
    >>> low, high = bonett_price(8, 1, 50)
    >>> print(f"{low:.3f} {high:.3f}")
    0.015 0.254
    """
    first, second = (only_first + 1) / (cases + 2), (only_second + 1) / (cases + 2)
    centre = first - second
    half = float(ndtri((1 + confidence_level) / 2)) * np.sqrt((first + second - centre**2) / (cases + 2))
    return max(centre - half, -1.0), min(centre + half, 1.0)


def bootstrap_p(difference: float, replicates: Array) -> float:
    """How often a resampled difference strays from the seen one by as much as that strays from 0: (b + 1)/(B + 1).

    Examples
    --------
    >>> bootstrap_p(2.0, np.array([1.0, 2.0, 3.0, 4.0]))
    0.4
    """
    usable = replicates[~np.isnan(replicates)]
    strayed = np.abs(usable - difference) >= abs(difference)
    return float((1 + strayed.sum()) / (1 + len(usable)))


def max_t(differences: Array, replicates: Array) -> Array:
    """p-values that hold for all differences at once, from the largest standardised one of each resample.

    Parameters
    ----------
    differences : array of shape (k,)
    replicates : array of shape (k, B)
        Of the same resamples.
    """
    spread = np.nanstd(replicates, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        strayed = np.abs(replicates - differences[:, None]) / spread[:, None]
        seen = np.nan_to_num(np.abs(differences) / spread, posinf=np.inf)  # no difference, no spread: no evidence
    largest = np.nan_to_num(strayed, posinf=0.0).max(axis=0)
    return np.asarray((1 + (largest[None, :] >= seen[:, None]).sum(axis=1)) / (1 + len(largest)))


def holm(p_values: Array) -> Array:
    """Holm's step-down adjustment.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values)
    raised = np.maximum.accumulate(p_values[order] * np.arange(len(order), 0, -1))
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def cases_needed(
    n: float, difference: float, standard_error: float, confidence_level: float, power: float = 0.8
) -> float:
    """How many cases would tell a difference of this size, since standard errors shrink with the root of n.

    Examples
    --------
    >>> round(cases_needed(100, 0.05, 0.05, 0.95))
    785
    """
    if difference == 0 or not standard_error > 0:
        return float("nan")
    z = float(ndtri((1 + confidence_level) / 2) + ndtri(power))
    return float(np.ceil(n * (z * standard_error / difference) ** 2))
