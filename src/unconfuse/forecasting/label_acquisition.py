"""Which cases of a batch to label next, and what their labels say of all."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._formatting import number_text
from unconfuse._scipy_special import ndtri
from unconfuse._validate import as_floats
from unconfuse.table import Array
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.influence_intervals import wilson_limits
from unconfuse.uncertainty.proportion_intervals import mid_p

_BY_ERROR, _UNIFORM = 0.8, 0.2  # shares of the chances that follow the stated error, and that do not


@dataclass(frozen=True, eq=False)
class LabelAcquisition:
    """Cases to label next.

    Attributes
    ----------
    rows : array of int
        Places of the cases among the new scores, from 0.
    chance : array
        How likely each of them was to be chosen.
    how : {"random", "errors"}
        Each case alike, or doubtful ones more often.
    """

    rows: npt.NDArray[np.int64]
    chance: Array
    how: str
    decisions: npt.NDArray[np.bool_]
    stated: Array  # chance that the decision is wrong, of every case of the batch

    def error_rate(self, labels: npt.ArrayLike, confidence_level: float = 0.95) -> Estimate:
        """Return the share of wrong decisions in the whole batch from the labels of these cases, in their order."""
        given = as_floats(labels, "labels")
        if given.shape != self.rows.shape or not np.isin(given, (0, 1)).all():
            raise InputError(
                f"`labels` must be {len(self.rows)} values of 0 or 1, one for each of `rows`; got {given.size} values."
            )
        wrong = (given == 1) != self.decisions[self.rows]
        name, label = "misclassification_rate", "Misclassification rate"
        if self.how == "random":
            low, high = (float(each) for each in mid_p(wrong.sum(), len(wrong), confidence_level=confidence_level))
            return Estimate(name, label, float(wrong.mean()), low, high, confidence_level, "mid-p", better="lower")
        m, e = len(self.stated), self.stated
        gap = (wrong - e[self.rows]) / self.chance
        value = float(e.mean() + gap.sum() / m)
        error = math.sqrt(float(((1 - self.chance) * gap**2).sum())) / m
        share = min(max(value, 0.5 / m), 1 - 0.5 / m)
        reach = float(-ndtri((1 - confidence_level) / 2))
        cases = share * (1 - share) / max(error**2, 1e-300)
        ends = wilson_limits(np.asarray(share), np.asarray(cases), reach)
        low, high = min(max(float(ends[0]), 0.0), value), max(min(float(ends[1]), 1.0), value)
        how = "difference estimator (Poisson sampling), Wilson"
        return Estimate(name, label, value, low, high, confidence_level, how, better="lower")

    def __repr__(self) -> str:
        least, most = number_text(float(self.chance.min())), number_text(float(self.chance.max()))
        return f"LabelAcquisition({len(self.rows)} cases, {self.how}, chance {least} to {most})"


def chosen(risk: Array, decisions: npt.NDArray[np.bool_], n: int, how: str, seed: int) -> LabelAcquisition:
    """Choose about n of the cases: exactly n at random, or each with a chance that grows with the doubt about it."""
    rng, m = np.random.default_rng(seed), len(risk)
    stated = np.where(decisions, 1 - risk, risk)
    if how == "random":
        rows = np.sort(rng.choice(m, size=n, replace=False))
        return LabelAcquisition(rows, np.full(n, n / m), how, decisions, stated)
    doubt = np.sqrt(stated * (1 - stated))
    share = _BY_ERROR * doubt / max(float(doubt.sum()), 1e-300) + _UNIFORM / m
    chance = np.minimum(n * share, 1.0)
    rows = np.flatnonzero(rng.random(m) < chance)
    return LabelAcquisition(rows, chance[rows], how, decisions, stated)
