"""Sensitivity and specificity of several studies together: the bivariate binomial-normal model.

Logits of both are normal between studies and correlated; cases within a study are binomial. Fitted by Laplace's
approximation, as lme4 does (nAGQ = 1); the factor of the covariance is unconstrained, so that no variance and a
correlation of 1 are not at the edge of anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse import _scipy_special as special
from unconfuse.multilevel.random_effects import Array

_STARTS = (0.0, -0.5)  # correlations: from 0 alone lme4 stays at no variance in 2 of 7 tried sets of studies
_STEP = 1e-3  # of second differences, on the logit scale
_FLAT = 1e-3  # curvature below which the covariance between studies is not known
_NEWTON = 50
_NO_SPREAD = 1e-3  # of a logit between studies: below it a correlation is that of nothing


@dataclass(frozen=True, eq=False)
class BivariateFit:
    """The mean logits of sensitivity and specificity, their covariance, and that between studies.

    `effective` is the number of studies that have positives, and that have negatives.
    """

    mean: Array
    covariance: Array
    between: Array
    log_likelihood: float
    effective: tuple[int, int]

    @property
    def deviations(self) -> tuple[float, float]:
        """Standard deviations between studies, of the logits."""
        first, second = np.sqrt(np.diagonal(self.between))
        return float(first), float(second)

    @property
    def correlation(self) -> float:
        """Of the two logits between studies; NaN if one of them does not vary."""
        first, second = self.deviations
        if min(first, second) < _NO_SPREAD:
            return math.nan
        return float(np.clip(self.between[0, 1] / (first * second), -1, 1))


def fit(tp: Array, positives: Array, tn: Array, negatives: Array) -> BivariateFit:
    """Fit the model; studies without positives or without negatives take part with what they have."""
    from scipy.optimize import minimize  # takes long to import, and no other verb needs it

    right, cases = np.stack([tp, tn]), np.stack([positives, negatives])

    def cost(at: Array) -> float:
        return -_laplace(at[:2], at[2:], right, cases)

    starts = [_start(right, cases, each) for each in _STARTS]
    found = [minimize(cost, start, method="BFGS", options={"gtol": 1e-6}) for start in starts]
    best = min(found, key=lambda each: float(each.fun))
    mean, lower = best.x[:2], _lower(best.x[2:])
    covariance = _covariance(best.x, right, cases)
    coefficients = special.gammaln(cases + 1) - special.gammaln(right + 1) - special.gammaln(cases - right + 1)
    size = (int((positives > 0).sum()), int((negatives > 0).sum()))
    return BivariateFit(mean, covariance, lower @ lower.T, float(coefficients.sum() - best.fun), size)


def _start(right: Array, cases: Array, correlation: float) -> Array:
    logits = np.log((right + 0.5) / (cases - right + 0.5))
    known = [logits[side][cases[side] > 0] for side in (0, 1)]
    mean = [float(each.mean()) for each in known]
    first, second = (max(float(each.std()), 0.3) for each in known)
    return np.array([*mean, first, second * correlation, second * math.sqrt(1 - correlation**2)])


def _lower(factor: Array) -> Array:
    return np.array([[factor[0], 0.0], [factor[1], factor[2]]])


def _laplace(mean: Array, factor: Array, right: Array, cases: Array) -> float:
    """Compute the log likelihood but for binomial coefficients: Newton's method for each study's likeliest effect."""
    lower = _lower(factor)
    effect = np.zeros_like(right)
    logit = np.broadcast_to(mean[:, None], right.shape)
    height = _height(logit, effect, right, cases)
    for _ in range(_NEWTON):
        p = special.expit(logit)
        slope = lower.T @ (right - cases * p) - effect
        step = _solve(_information(lower, cases * p * (1 - p)), slope)
        effect, logit, higher = _climb(mean, lower, effect, step, height, right, cases)
        done = float(np.abs(step).max()) < 1e-9
        height = higher
        if done:
            break
    p = special.expit(logit)
    inside = _information(lower, cases * p * (1 - p))
    determinant = inside[0] * inside[2] - inside[1] ** 2
    return float((height - 0.5 * np.log(determinant)).sum())


def _climb(
    mean: Array, lower: Array, effect: Array, step: Array, height: Array, right: Array, cases: Array
) -> tuple[Array, Array, Array]:
    """Take the step, halved for the studies that it would take down."""
    size = np.ones(right.shape[1])
    for _ in range(30):
        tried = effect + size * step
        logit = mean[:, None] + lower @ tried
        higher = _height(logit, tried, right, cases)
        worse = higher < height - 1e-12 * np.abs(height)
        if not worse.any():
            break
        size = np.where(worse, size / 2, size)
    return tried, logit, higher


def _height(logit: Array, effect: Array, right: Array, cases: Array) -> Array:
    likelihood = -right * np.logaddexp(0, -logit) - (cases - right) * np.logaddexp(0, logit)
    return np.asarray((likelihood - 0.5 * effect**2).sum(axis=0))


def _information(lower: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Entries of I + L'WL for each study: first, mixed, second."""
    (a, _), (b, c) = lower
    return 1 + a * a * weights[0] + b * b * weights[1], b * c * weights[1], 1 + c * c * weights[1]


def _solve(inside: tuple[Array, Array, Array], slope: Array) -> Array:
    first, mixed, second = inside
    determinant = first * second - mixed**2
    return np.stack([second * slope[0] - mixed * slope[1], first * slope[1] - mixed * slope[0]]) / determinant


def _covariance(at: Array, right: Array, cases: Array) -> Array:
    """Of the mean, from the curvature of the likelihood: that by all parameters, as lme4 has it.

    Where the likelihood is flat in the covariance between studies, that is held; NaN where it is flat in the mean.
    """
    curvature = _curvature(lambda x: -_laplace(x[:2], x[2:], right, cases), at)
    if np.linalg.matrix_rank(curvature[:2, :2]) < 2:
        return np.full((2, 2), math.nan)
    held = np.asarray(np.linalg.inv(curvature[:2, :2]), dtype=np.float64)
    if float(np.linalg.eigvalsh(curvature)[0]) <= _FLAT:
        return held
    return np.asarray(np.linalg.inv(curvature)[:2, :2], dtype=np.float64)


def _curvature(function: Callable[[Array], float], at: Array) -> Array:
    """Second derivatives, by differences."""
    size, steps = len(at), _STEP * np.eye(len(at))
    found = np.empty((size, size))
    for i in range(size):
        for j in range(i + 1):
            one, two = steps[i] + steps[j], steps[i] - steps[j]
            ends = function(at + one) + function(at - one) - function(at + two) - function(at - two)
            found[i, j] = found[j, i] = ends / (4 * _STEP**2)
    return found


def limits(fitted: BivariateFit, side: int, confidence_level: float) -> tuple[float, float]:
    """Return the interval of the mean study's sensitivity (0) or specificity (1), on their own scale.

    Student's t with two studies less covers 92 to 100%, the normal distribution 78 to 97%.
    """
    cut = -float(special.stdtrit(fitted.effective[side] - 2, (1 - confidence_level) / 2))
    error = math.sqrt(float(fitted.covariance[side, side]))
    low, high = (float(special.expit(fitted.mean[side] + sign * cut * error)) for sign in (-1, 1))
    return low, high


def region(fitted: BivariateFit, confidence_level: float, *, new: bool, points: int = 181) -> dict[str, Array]:
    """Return the outline of the region of the mean study, or of a new one, in the ROC plane.

    By F, not chi-squared, which covers 73 to 97% for the mean study.
    """
    size = min(fitted.effective)
    spread = fitted.covariance + (fitted.between if new else 0.0)
    radius = math.sqrt(2 * (size - 1) / (size - 2) * float(special.fdtri(2, size - 2, confidence_level)))
    angle = np.linspace(0, 2 * np.pi, points)
    root = np.linalg.cholesky(spread + 1e-12 * np.eye(2))
    logits = fitted.mean[:, None] + radius * root @ np.stack([np.cos(angle), np.sin(angle)])
    sensitivity, specificity = special.expit(logits)
    return {"false_positive_rate": 1 - specificity, "sensitivity": sensitivity}


def summary_roc(fitted: BivariateFit, false_positive_rate: npt.ArrayLike) -> Array:
    """Sensitivity along the summary ROC curve of Rutter and Gatsonis, by the parameters of this model (Harbord)."""
    first, second = fitted.deviations
    if min(first, second) < _NO_SPREAD:
        return np.full(np.shape(false_positive_rate), np.nan)
    shape = math.log(second / first)
    accuracy = math.exp(shape / 2) * fitted.mean[0] + math.exp(-shape / 2) * fitted.mean[1]
    logit = special.logit(np.asarray(false_positive_rate, dtype=np.float64))
    return np.asarray(special.expit(accuracy * math.exp(-shape / 2) + math.exp(-shape) * logit))


def normal_fit(tp: Array, positives: Array, tn: Array, negatives: Array) -> dict[str, Any]:
    """Fit logits of sensitivity and false positive rate as normal (Reitsma; the R package mada), for comparison.

    Half a case is added to all cells if any is empty. It is biased where studies are small and rates near 1.
    """
    from scipy.optimize import minimize

    cells = np.stack([tp, positives - tp, negatives - tn, tn])
    cells = cells + 0.5 * bool((cells == 0).any())
    y = np.log(np.stack([cells[0] / cells[1], cells[2] / cells[3]])).T
    errors = np.stack([1 / cells[0] + 1 / cells[1], 1 / cells[2] + 1 / cells[3]]).T

    def parts(factor: Array) -> tuple[Array, Array, float]:
        lower = _lower(factor)
        spreads = lower @ lower.T + errors[:, :, None] * np.eye(2)
        inverse = np.linalg.inv(spreads)
        total = inverse.sum(axis=0)
        mean = np.linalg.solve(total, np.einsum("kij,kj->i", inverse, y))
        away = y - mean
        quadratic = float(np.einsum("ki,kij,kj->", away, inverse, away))
        logs = float(np.linalg.slogdet(spreads)[1].sum() + np.linalg.slogdet(total)[1])
        return mean, lower @ lower.T, logs + quadratic

    def cost(factor: Array) -> float:
        return parts(factor)[2]

    first, second = (max(float(each), 0.3) for each in y.std(axis=0))
    starts = [np.array([first, second * r, second * math.sqrt(1 - r**2)]) for r in (0.0, 0.5)]
    found = [minimize(cost, start, method="BFGS", options={"gtol": 1e-7}) for start in starts]
    mean, between, _ = parts(min(found, key=lambda each: float(each.fun)).x)
    one, two = np.sqrt(np.diagonal(between))
    sensitivity, rate = special.expit(mean)
    return {
        "sensitivity": float(sensitivity),
        "false_positive_rate": float(rate),
        "deviation_sensitivity": float(one),
        "deviation_false_positive_rate": float(two),
        "correlation": float(between[0, 1] / (one * two)) if one * two > 0 else math.nan,
    }
