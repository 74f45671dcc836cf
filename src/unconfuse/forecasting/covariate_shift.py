"""Same risk: a score means as before, so that each new case's chance of being positive follows from the reference.

A logistic curve is fitted to the reference; expected cells give the metrics (as "confidence-based performance
estimation" does). Two errors are allowed for: that of the curve (its sandwich covariance) and that of the batch, whose
labels will not be their expectations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from unconfuse._scipy_special import expit
from unconfuse.forecasting.batch import AUROC, Batch, concordance
from unconfuse.metrics import Metric
from unconfuse.table import Array, Counts

_STEPS = 100
_CLOSE = 1e-12
_FAR = 50.0  # of the curve's slope in units of the spread of scores: beyond it, classes are separated
_SHIFT = 1e-4  # of the parameters, in standard errors, for slopes


@dataclass(frozen=True, eq=False)
class RiskCurve:
    """Intercept and slope of the log-odds with their covariance."""

    parameters: Array
    covariance: Array

    def risk(self, feature: Array, parameters: Array | None = None) -> Array:
        """Return the chance of being positive."""
        at = self.parameters if parameters is None else parameters
        return np.asarray(expit(at[0] + at[1] * feature))


def fitted_curve(batch: Batch) -> RiskCurve | None:
    """Fit the curve to the reference, not penalised; None where scores separate the classes, or do not vary."""
    table = batch.reference
    x, positives, cases = batch.feature(table.score), table.positives, table.positives + table.negatives
    middle = float(np.average(x, weights=cases))
    spread = math.sqrt(float(np.average((x - middle) ** 2, weights=cases)))
    if not spread > 0:
        return None
    features = np.stack([np.ones_like(x), (x - middle) / spread])
    at = np.array([math.log(table.n_positives / table.n_negatives), 0.0])
    for _ in range(_STEPS):
        p = expit(at @ features)
        information = (features * (cases * p * (1 - p))) @ features.T
        if not np.linalg.cond(information) < 1e12:
            return None
        step = np.linalg.solve(information, features @ (positives - cases * p))
        at = at + step * min(1.0, 2.0 / max(float(np.abs(step).max()), _CLOSE))
        if abs(at[1]) > _FAR:
            return None
        if np.abs(step).max() < _CLOSE:
            break
    else:
        return None
    p = expit(at @ features)
    bread = np.linalg.inv((features * (cases * p * (1 - p))) @ features.T)
    meat = (features * (positives * (1 - p) ** 2 + (cases - positives) * p**2)) @ features.T
    turn = np.array([[1.0, -middle / spread], [0.0, 1.0 / spread]])  # back to scores as they are
    return RiskCurve(turn @ at, turn @ (bread @ meat @ bread) @ turn.T)


def expected(metric: Metric, batch: Batch, curve: RiskCurve) -> tuple[float, float]:
    """Return the value to expect in the batch, and the standard error of what will be found there."""
    feature = batch.feature(batch.scores)
    value = batch.value(metric, curve.risk(feature))
    variance = _of_curve(metric, batch, curve, feature) + _of_labels(metric, batch, curve.risk(feature), value)
    return value, math.sqrt(variance) if variance >= 0 else math.nan


def expected_prevalence(batch: Batch, curve: RiskCurve) -> tuple[float, float]:
    """Return the share of positives to expect, and its standard error."""
    feature = batch.feature(batch.scores)
    risk, share = curve.risk(feature), batch.weight / batch.n
    slope = np.array([float((share * risk * (1 - risk)).sum()), float((share * risk * (1 - risk) * feature).sum())])
    of_labels = float((share * risk * (1 - risk)).sum()) / batch.n
    return float(share @ risk), math.sqrt(float(slope @ curve.covariance @ slope) + of_labels)


def _of_curve(metric: Metric, batch: Batch, curve: RiskCurve, feature: Array) -> float:
    """Return the variance that comes from the curve, by slopes along its principal axes."""
    sizes, axes = np.linalg.eigh(curve.covariance)
    total = 0.0
    for size, axis in zip(np.maximum(sizes, 0.0), axes.T, strict=True):
        step = axis * math.sqrt(size) * _SHIFT
        up, down = (batch.value(metric, curve.risk(feature, curve.parameters + sign * step)) for sign in (1, -1))
        total += ((up - down) / (2 * _SHIFT)) ** 2
    return total


def _of_labels(metric: Metric, batch: Batch, risk: Array, value: float) -> float:
    """Return the variance that comes from the batch's own labels, given every case's chance."""
    spread = batch.weight * risk * (1 - risk)
    if metric.name == AUROC:
        slope = _slope_of_auroc(batch, risk, value)
    else:
        tp, fp, fn, tn = _slopes(metric, batch.cells(risk))
        slope = np.where(batch.flagged, tp - fp, fn - tn)
    return float((spread * slope**2).sum())


def _slope_of_auroc(batch: Batch, risk: Array, value: float) -> Array:
    """Return how the AUROC changes if one case becomes a little more positive."""
    ours, theirs = batch.weight * risk, batch.weight * (1 - risk)
    below, pairs = concordance(batch.scores, ours, theirs)
    above = concordance(-batch.scores, theirs, ours)[0]
    return np.asarray((below - above) / pairs - value / ours.sum() + value / theirs.sum())


def _slopes(metric: Metric, cells: Counts) -> list[float]:
    """Return the change of the metric by each cell: tp, fp, fn, tn."""
    at = np.array([float(each) for each in (cells.tp, cells.fp, cells.fn, cells.tn)])
    found = []
    for place in range(4):
        step = max(at[place], 1.0) * 1e-5
        ends = []
        for sign in (1, -1):
            moved = at.copy()
            moved[place] = max(moved[place] + sign * step, 0.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                value = float(
                    metric(
                        Counts.from_validated(
                            **dict(zip(("tp", "fp", "fn", "tn"), map(np.asarray, moved), strict=True))
                        )
                    )
                )
            ends.append((value, moved[place]))
        found.append((ends[0][0] - ends[1][0]) / (ends[0][1] - ends[1][1]))
    return [each if math.isfinite(each) else 0.0 for each in found]
