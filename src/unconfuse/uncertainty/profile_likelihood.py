"""Intervals of the recalibration: how far intercept and slope can move before the likelihood drops too far.

The slope's likelihood carries Firth's penalty, half the logarithm of the information's determinant, which keeps it
finite where a threshold nearly separates the classes. Each arm is stretched by the ratio of the sandwich's standard
error to the model's where that is larger: the line need not be the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unconfuse._scipy_special import expit, logit
from unconfuse.metrics import Metric
from unconfuse.metrics.influence_functions import quantile
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.bootstrap import banded
from unconfuse.uncertainty.proportion_intervals import Interval

SLOPE_METHOD = "penalised profile likelihood with the sandwich's spread"
INTERCEPT_METHOD = "likelihood ratio with the sandwich's spread"
_STEPS = 30
_CLOSE = 1e-10
_NOTHING = 1e-13  # what is left of 0 when products are taken from each other


@dataclass(frozen=True, eq=False)
class _LogitCases:
    """The cases of a table by the log-odds of their scores."""

    x: Array
    positives: Array
    negatives: Array

    @classmethod
    def of(cls, table: ScoreTable) -> _LogitCases:
        return cls(logit(table.score), table.positives, table.negatives)

    @cached_property
    def total(self) -> Array:
        return self.positives + self.negatives

    @cached_property
    def x_squared(self) -> Array:
        return self.x**2

    def sums(self, weights: Array) -> Array:
        """Of weights times 1, x and x^2."""
        return np.array([weights.sum(), weights @ self.x, weights @ self.x_squared])


@dataclass(frozen=True, eq=False)
class _LogisticFit:
    """The line logit P(positive) = a + b x through the cases, at one a and b; what was computed once is kept."""

    cases: _LogitCases
    a: float
    b: float

    @cached_property
    def eta(self) -> Array:
        return self.a + self.b * self.cases.x

    @cached_property
    def moments(self) -> tuple[Array, Array, Array]:
        """Fitted shares, their variances, and the information's sums of 1, x and x^2."""
        p = expit(self.eta)
        spread = self.cases.total * p * (1 - p)
        return p, spread, self.cases.sums(spread)

    @property
    def tells_slope(self) -> bool:
        """Whether the cases say anything of b: not where all that count have one score, or fitted shares of 0 and 1."""
        s = self.moments[2]
        return bool(s[0] * s[2] - s[1] ** 2 > _NOTHING * s[0] * s[2])

    @cached_property
    def log_likelihood(self) -> float:
        return float(self.cases.positives @ self.eta - self.cases.total @ np.logaddexp(0.0, self.eta))

    @cached_property
    def penalised(self) -> float:
        s = self.moments[2]
        return self.log_likelihood + 0.5 * float(np.log(max(s[0] * s[2] - s[1] ** 2, 1e-300)))

    def moved(self, a: float, b: float) -> _LogisticFit:
        return _LogisticFit(self.cases, a, b)

    def variances(self, fixed_classes: bool) -> tuple[Array, Array]:
        """Of (a, b): by the model, and by the sandwich of what the cases really do."""
        p, _, s = self.moments
        model = np.linalg.inv(np.array([[s[0], s[1]], [s[1], s[2]]]))
        pull = np.zeros((2, 2))
        for weights, residual in ((self.cases.positives, 1 - p), (self.cases.negatives, -p)):
            scores = np.stack([residual, residual * self.cases.x])
            if fixed_classes:
                scores = scores - _centre(scores, weights)
            pull += (scores * weights) @ scores.T
        return model, model @ pull @ model


def _line_of(table: ScoreTable) -> _LogisticFit:
    """Through the scores that cases have: of others even the log-odds may be infinite."""
    return _LogisticFit(_LogitCases.of(table.nonempty_rows), 0.0, 1.0)


def by_profile(
    metric: Metric, table: ScoreTable, fixed_classes: bool = False, confidence_level: float = 0.95
) -> Interval:
    """Return the interval of a calibration slope or intercept."""
    value, small = float(metric(table)), banded(table)
    line = _line_of(small)
    arms = _slope_arms if metric.inference.recalibrates == "slope" else _intercept_arms
    low, high = arms(line, fixed_classes, quantile(confidence_level) ** 2)
    # Bands change the value a little, not the arms; the value itself is always inside.
    shift = value - float(metric(small)) if small is not table else 0.0
    method = SLOPE_METHOD if metric.inference.recalibrates == "slope" else INTERCEPT_METHOD
    return Interval(np.asarray(min(low + shift, value)), np.asarray(max(high + shift, value)), method)


def sandwich_error(metric: Metric, table: ScoreTable, fixed_classes: bool = False) -> float:
    """Return the sandwich's standard error of the coefficient at its value."""
    small = banded(table)
    line, value = _line_of(small), float(metric(small))
    if not np.isfinite(value):
        return float("nan")
    if metric.inference.recalibrates == "slope":
        line = line.moved(0.0, value)
        best = line.moved(_intercept_given(line, penalised=False), value)
        return float(np.sqrt(best.variances(fixed_classes)[1][1, 1])) if best.tells_slope else float("nan")
    information, pull = _intercept_spread(line.moved(value, 1.0), fixed_classes)
    return float(np.sqrt(pull) / information)


def _slope_arms(line: _LogisticFit, fixed_classes: bool, drop: float) -> tuple[float, float]:
    best, n = _penalised_fit(line), float(line.cases.total.sum())
    if not best.tells_slope or n <= 2:  # any line fits two cases: what is left is the penalty's own spread
        return -np.inf, np.inf
    model, sandwich = best.variances(fixed_classes)
    stretch = _stretch(model[1, 1], sandwich[1, 1] * n / (n - 2), fixed_classes)
    top, at = best.penalised, best.a

    def lost(b: float) -> float:
        nonlocal at
        at = _intercept_given(best.moved(at, b), penalised=True)
        return 2 * (top - best.moved(at, b).penalised) - drop

    return _limits(lost, best.b, float(np.sqrt(model[1, 1] * drop)), stretch)


def _intercept_arms(line: _LogisticFit, fixed_classes: bool, drop: float) -> tuple[float, float]:
    best = line.moved(_intercept_given(line, penalised=False), 1.0)
    information, pull = _intercept_spread(best, fixed_classes)
    stretch, top = _stretch(1 / information, pull / information**2, fixed_classes), best.log_likelihood

    def lost(a: float) -> float:
        return 2 * (top - best.moved(a, 1.0).log_likelihood) - drop

    return _limits(lost, best.a, float(np.sqrt(drop / information)), stretch)


def _intercept_spread(best: _LogisticFit, fixed_classes: bool) -> tuple[float, float]:
    """Return the information about the intercept alone, and what the cases really do to it."""
    p, spread, _ = best.moments
    pull = 0.0
    for weights, residual in ((best.cases.positives, 1 - p), (best.cases.negatives, -p)):
        centre = _centre(residual[None], weights)[0] if fixed_classes else 0.0
        pull += float(weights @ (residual - centre) ** 2)
    return float(spread.sum()), pull


def _centre(scores: Array, weights: Array) -> Array:
    """Mean of a class of fixed size, about which alone its cases vary; 0 for a single one, which shows no spread."""
    total = weights.sum()
    return np.asarray((scores @ weights / total)[:, None] * (total > 1))


def _stretch(model: float, sandwich: float, fixed_classes: bool) -> float:
    """Return the stretch of the model's spread: never below 1 in a cohort, but fixed class sizes may shrink it.

    They shrink it to nothing where all cases of a class have one score; that is no knowledge, and the model's is kept.
    """
    ratio = sandwich / model
    return float(np.sqrt(ratio if fixed_classes and ratio > _CLOSE else max(1.0, ratio)))


def _limits(lost: Callable[[float], float], centre: float, step: float, stretch: float) -> tuple[float, float]:
    """Where the loss crosses 0 on both sides, each distance stretched."""
    below, above = (abs(_crossing(lost, centre, side * step) - centre) for side in (-1.0, 1.0))
    return centre - stretch * below, centre + stretch * above


def _crossing(lost: Callable[[float], float], centre: float, step: float) -> float:
    """By false position (Illinois), from a step that is about right; infinite if the loss never reaches 0."""
    inside, f_inside = centre, lost(centre)
    outside, f_outside = centre + step, lost(centre + step)
    for _ in range(_STEPS):
        if f_outside > 0:
            break
        inside, f_inside = outside, f_outside
        outside = centre + 2 * (outside - centre)
        f_outside = lost(outside)
    else:
        return float(np.copysign(np.inf, step))
    for _ in range(_STEPS):
        middle = outside - f_outside * (outside - inside) / (f_outside - f_inside)
        found = lost(middle)
        if abs(found) < 1e-7 or abs(outside - inside) < 1e-9 * abs(step):
            return middle
        if found * f_outside < 0:
            inside, f_inside = outside, f_outside
        else:
            f_inside /= 2
        outside, f_outside = middle, found
    return outside


def _intercept_given(line: _LogisticFit, *, penalised: bool) -> float:
    """Return the best a at this b, by Newton's method."""
    a, total = line.a, float(line.cases.positives.sum())
    for _ in range(_STEPS):
        p, spread, s = line.moved(a, line.b).moments
        slope = total - float(line.cases.total @ p)
        if penalised:
            d = line.cases.sums(spread * (1 - 2 * p))
            slope += 0.5 * float((d[0] * s[2] + s[0] * d[2] - 2 * s[1] * d[1]) / max(s[0] * s[2] - s[1] ** 2, 1e-300))
        move = float(np.clip(slope / max(s[0], 1e-300), -5.0, 5.0))
        a += move
        if abs(move) < _CLOSE * (1 + abs(a)):
            break
    return a


def _penalised_fit(line: _LogisticFit) -> _LogisticFit:
    """Find the largest penalised likelihood: Firth's modified scores, by Newton's method with halved steps."""
    cases, here = line.cases, line.moved(_intercept_given(line, penalised=True), line.b)
    top = here.penalised
    for _ in range(_STEPS):
        if not here.tells_slope:
            return here
        p, spread, s = here.moments
        inverse = np.array([[s[2], -s[1]], [-s[1], s[0]]]) / (s[0] * s[2] - s[1] ** 2)
        leverage = spread * (inverse[0, 0] + 2 * inverse[0, 1] * cases.x + inverse[1, 1] * cases.x_squared)
        residual = cases.positives - cases.total * p + leverage * (0.5 - p)
        move = inverse @ np.array([residual.sum(), residual @ cases.x])
        size = 1.0
        while (moved := here.moved(here.a + size * move[0], here.b + size * move[1])).penalised < top - 1e-12:
            size /= 2
            if size < 1e-6:
                return here
        here, top = moved, moved.penalised
        if np.abs(move).max() < _CLOSE * (1 + abs(here.b)):
            break
    return here
