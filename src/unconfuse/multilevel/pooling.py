"""One engine: values of units and the covariance of their sampling errors in, a mean or a new unit out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from unconfuse import _scipy_special as special
from unconfuse.multilevel import new_unit
from unconfuse.multilevel.random_effects import Array, mean_unit, positive
from unconfuse.uncertainty.method import NoInterval

New = Literal["cases", "units", "one unit"]
FEWEST = 3  # units: two say nothing about others


@dataclass(frozen=True)
class Pooled:
    """A mean of units, or one more of them, with its interval and how it was made.

    `standard_error` and `freedom` are NaN of one new unit, whose distribution is no Student's t; `p_value` is that of
    a mean of 0, and of one new unit NaN.
    """

    value: float
    low: float
    high: float
    method: str
    standard_error: float = math.nan
    freedom: float = math.nan
    p_value: float = math.nan


def pool(
    values: npt.ArrayLike,
    covariance: npt.ArrayLike | None = None,
    new: New = "units",
    *,
    confidence_level: float = 0.95,
) -> Pooled:
    """Pool units; `new` says what would be drawn anew, and so to whom the interval speaks.

    Parameters
    ----------
    values : array of U numbers
        One for each unit, on a scale on which they may be averaged (logit, log, or a difference).
    covariance : array of U x U numbers, or of U variances, optional
        Of the units' sampling errors: diagonal if they share no cases. None: not known.
    new : {"cases", "units", "one unit"}
        New cases of these units: their plain mean. New units: the mean of all units like these. One unit: the value
        of the next one, with a prediction interval.

    Notes
    -----
    Units without known errors, or which share cases: se^2 = MS / U + c, where c is the mean covariance of two of them;
    t with Hillis' degrees of freedom, which is Obuchowski and Rockette's analysis. Units which share none: REML and
    Hartung-Knapp, floored. One unit: `new_unit`.

    >>> found = pool([.8, 1.4, 1.1, 2., .3], [.04, .09, .05, .12, .06])
    >>> print(f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}] {found.method}")
    1.086 [0.312, 1.860] Hartung-Knapp (REML)
    """
    y = np.asarray(values, dtype=np.float64)
    variances, shared = _split(covariance, len(y))
    if new == "cases":
        return _of_these(y, covariance, confidence_level)
    if len(y) < FEWEST:
        raise ValueError(f"pooling over new units needs {FEWEST} of them; got {len(y)}")
    if new == "one unit":
        found, method = _distribution(y, variances, shared)
        tail = (1 - confidence_level) / 2
        return Pooled(found.centre, found.quantile(tail), found.quantile(1 - tail), method)
    if variances is None or shared > 0:
        return _student(
            *_equal_weights(y, shared), "t over units" if shared == 0 else "Obuchowski-Rockette", confidence_level
        )
    return _student(*mean_unit(y, positive(variances)), "Hartung-Knapp (REML)", confidence_level)


def chance_above(values: npt.ArrayLike, covariance: npt.ArrayLike | None, goal: float) -> float:
    """Return the probability that the true value of one new unit exceeds a goal.

    >>> round(chance_above([.02, .05, .01, .03], None, 0.0), 3)
    0.877
    """
    y = np.asarray(values, dtype=np.float64)
    return _distribution(y, *_split(covariance, len(y)))[0].above(goal)


def _distribution(y: Array, variances: Array | None, shared: float) -> tuple[new_unit.NewUnit, str]:
    if variances is None:
        return new_unit.by_t(y), "t over units"
    return new_unit.by_mixture(y, np.maximum(variances - shared, 0), shared), "Q-mixture"


def _split(covariance: npt.ArrayLike | None, size: int) -> tuple[Array | None, float]:
    """Variances, None where no error is known, and the mean covariance of two units if it is above 0."""
    if covariance is None:
        return None, 0.0
    matrix = np.asarray(covariance, dtype=np.float64)
    if matrix.ndim == 1:
        return (matrix if matrix.any() else None), 0.0
    variances = np.diagonal(matrix).copy()
    pairs = size * (size - 1)
    shared = float(matrix[~np.eye(size, dtype=bool)].sum()) / pairs if pairs else 0.0
    return (variances if variances.any() else None), max(shared, 0.0)


def _of_these(y: Array, covariance: npt.ArrayLike | None, confidence_level: float) -> Pooled:
    """Estimate the mean of these units on new cases: no unit is drawn anew."""
    if covariance is None:
        why = NoInterval("no interval: the units' sampling errors are not known")
        return Pooled(float(y.mean()), math.nan, math.nan, why)
    matrix = np.asarray(covariance, dtype=np.float64)
    variance = float(matrix.sum()) / len(y) ** 2
    return _student(float(y.mean()), math.sqrt(max(variance, 0.0)), math.inf, "normal", confidence_level)


def _equal_weights(y: Array, shared: float) -> tuple[float, float, float]:
    size, square = len(y), float(y.var(ddof=1))
    if square == 0:
        return float(y.mean()), math.sqrt(shared), math.inf if shared else size - 1.0
    freedom = (square + size * shared) ** 2 / (square**2 / (size - 1))
    return float(y.mean()), math.sqrt(square / size + shared), freedom


def _student(mean: float, error: float, freedom: float, method: str, confidence_level: float) -> Pooled:
    tail = (1 - confidence_level) / 2
    finite = math.isfinite(freedom)
    cut = -float(special.stdtrit(freedom, tail) if finite else special.ndtri(tail))
    if error <= 1e-12 * abs(mean):
        return Pooled(mean, math.nan, math.nan, NoInterval("no interval: all units are alike"), error, freedom)
    z = -abs(mean) / error
    p_value = 2 * float(special.stdtr(freedom, z) if finite else special.ndtr(z))
    return Pooled(mean, mean - cut * error, mean + cut * error, method, error, freedom, p_value)
