"""Fit the maps of a yes-or-no question to a score table, by maximum likelihood; none turns the ranking round."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unconfuse._scipy_special import expit
from unconfuse.metrics import METRICS
from unconfuse.metrics._tie_blocks import segments_of
from unconfuse.metrics.calibration import recalibration
from unconfuse.recalibration.maps import Form, Knots, Parameters, assign_map_folds
from unconfuse.table import Array, ScoreTable

_STEPS = 60  # of Newton's method; it takes about six
_CLOSE = 1e-11  # of the deviance, as a share of it, between two steps
_FAR = 1e6  # beyond, a parameter has no finite optimum


def fitted(kind: str, table: ScoreTable) -> Form | None:
    """Fit one kind of map; None where these cases do not determine it."""
    if kind == "none":
        return Form("none")
    if kind == "isotonic":
        return Form("isotonic", (), _isotonic(table))
    found = {"intercept": _intercept, "logistic": _logistic, "beta": _beta}[kind](table)
    return None if found is None or not np.isfinite(found).all() else Form(kind, found)


def deviance(table: ScoreTable, form: Form) -> float:
    """Return -2 times the log likelihood of the mended probabilities."""
    return _deviance(table, form.of_two(table.score))


def _deviance(table: ScoreTable, q: Array) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        high = np.where(table.positives > 0, table.positives * np.log(q), 0.0)
        low = np.where(table.negatives > 0, table.negatives * np.log1p(-q), 0.0)
    return -2 * float(high.sum() + low.sum())


def _intercept(table: ScoreTable) -> Parameters:
    return (float(METRICS["calibration_intercept"](table)),)


def _logistic(table: ScoreTable) -> Parameters:
    """Fit intercept and slope; a slope below 0 would turn the ranking round, and becomes 0."""
    intercept, slope = (float(each) for each in recalibration(table))
    if slope < 0:
        return _level(table), 0.0
    if np.isnan(slope) and len(table) > 1 and _is_reversed(table):
        return _level(table), 0.0
    return intercept, slope


def _level(table: ScoreTable) -> float:
    """Return the log-odds of the share of positives."""
    return float(np.log(table.n_positives / table.n_negatives))


def _is_reversed(table: ScoreTable) -> bool:
    """Whether no positive scores above a negative, and some score below."""
    positives, negatives = table.score[table.positives > 0], table.score[table.negatives > 0]
    return bool(positives[0] <= negatives[-1] and positives[-1] < negatives[0])


def _beta(table: ScoreTable) -> Parameters | None:
    """Fit c + a log p - b log(1 - p); None where a or b is below 0, for such a map does not rise everywhere.

    Kull, Silva Filho & Flach (2017), Electronic Journal of Statistics 11:5052.
    """
    if len(table) < 3 or np.isnan(_logistic(table)[1]):
        return None
    p = table.score
    found = _newton(table, np.stack([np.ones(len(p)), np.log(p), -np.log1p(-p)]))
    return None if found is None or (found[1:] < 0).any() else (float(found[0]), float(found[1]), float(found[2]))


def _newton(table: ScoreTable, features: Array) -> Array | None:
    """Maximise the likelihood of a logistic regression; None if it has no finite optimum."""
    weight = table.positives + table.negatives
    at, before = np.zeros(len(features)), np.inf
    at[0] = _level(table)
    now = _deviance(table, expit(at @ features))
    for _ in range(_STEPS):
        q = expit(at @ features)
        slope = features @ (table.positives - weight * q)
        try:
            step = np.linalg.solve((features * (weight * q * (1 - q))) @ features.T, slope)
        except np.linalg.LinAlgError:
            return None
        before, scale = now, 1.0
        now = _deviance(table, expit((at + step) @ features))
        while not now <= before * (1 + _CLOSE) and scale > 1e-6:
            scale /= 2
            now = _deviance(table, expit((at + scale * step) @ features))
        at = at + scale * step
        if np.abs(at).max() > _FAR or not np.isfinite(now):
            return None
        if abs(before - now) <= _CLOSE * (before + 1):
            return at
    return None


def _isotonic(table: ScoreTable) -> Knots:
    """Join the shares of positives along the convex hull; ends of 0 and 1 take half a case, for nothing is certain."""
    hull = segments_of(table)
    cases = hull.positives + hull.negatives
    share = hull.positives / cases
    last = hull.last_block.astype(np.intp)
    first = np.append(0, last[:-1])
    if share[0] == 1:
        share[0] = max(1 - 0.5 / (cases[0] + 1), share[1] if len(share) > 1 else 0.0)
    if share[-1] == 0:
        share[-1] = min(0.5 / (cases[-1] + 1), share[-2] if len(share) > 1 else 1.0)
    ends = np.column_stack([table.score[last - 1], table.score[first]])[::-1]  # lowest scores first
    stated, mended = ends.reshape(-1), np.repeat(share[::-1], 2)
    kept = np.append(True, stated[1:] > stated[:-1])
    return Knots(tuple(stated[kept].tolist()), tuple(mended[kept].tolist()))


@dataclass(frozen=True, eq=False)
class CrossFits:
    """Maps that mend each fold of a table and were fitted to the others: choosing and measuring a map ask for the same.

    Attributes
    ----------
    folds : int
        How many; with 0 there are none.
    """

    table: ScoreTable
    folds: int
    seed: int
    _found: dict[str, Array | None] = field(default_factory=dict)

    @cached_property
    def dealt(self) -> tuple[Array, Array]:
        """Positives and negatives of each fold, of shape (folds, blocks)."""
        rng = np.random.default_rng(self.seed)
        sides = self.table.positives, self.table.negatives
        positives, negatives = (assign_map_folds(side, self.folds, rng).astype(np.float64) for side in sides)
        return positives, negatives

    def of(self, kind: str) -> tuple[Array, Array, Array] | None:
        """Mended probabilities, positives, negatives, of shape (folds, blocks).

        None if a part of the folds does not determine the map.
        """
        if kind not in self._found:
            self._found[kind] = self._mended(kind) if self.folds else None
        mended = self._found[kind]
        return None if mended is None else (mended, *self.dealt)

    def _mended(self, kind: str) -> Array | None:
        table, mended = self.table, np.empty((self.folds, len(self.table)))
        for number, (positives, negatives) in enumerate(zip(*self.dealt, strict=True)):
            own = table.positives - positives, table.negatives - negatives
            held = (own[0] + own[1]) > 0
            rest = ScoreTable.from_validated(table.score[held], own[0][held], own[1][held])
            form = fitted(kind, rest) if own[0].any() and own[1].any() else None
            if form is None:
                return None
            mended[number] = form.of_two(table.score)
        return mended


def table_of(mended: Array, positives: Array, negatives: Array) -> ScoreTable:
    """Collapse mended probabilities, with so many positives and negatives each, into a table."""
    score, weight = np.concatenate([mended.ravel()] * 2), np.concatenate([positives.ravel(), negatives.ravel()])
    is_positive = np.repeat([True, False], mended.size)
    held = weight > 0
    return ScoreTable.from_rows(is_positive[held], score[held], weight[held])
