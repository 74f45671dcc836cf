"""Differences of two models on the same cases, from each row's influence on each model's metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtrit

from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.influence import Influence, is_cohort

InfluenceOf = Callable[[ScoreTable], Influence]


@dataclass(frozen=True, eq=False, repr=False)
class RowInfluences:
    """Each row's influence on a metric of each model.

    Attributes
    ----------
    is_positive, weights : arrays of shape (n,)
    value : array of shape (models,)
    influence : array of shape (models, n)
    """

    is_positive: npt.NDArray[np.bool_]
    weights: Array
    value: Array
    influence: Array

    def sizes(self) -> tuple[float, float]:
        """Weight of the positives and of the negatives."""
        return float(self.weights[self.is_positive].sum()), float(self.weights[~self.is_positive].sum())

    def parts(self) -> tuple[Array, Array, Array]:
        """Covariance matrices from the positives' scores, the negatives' scores, and the share of positives."""
        within, shift = [], np.zeros((len(self.value), len(self.value)))
        for members, size in zip((self.is_positive, ~self.is_positive), self.sizes(), strict=True):
            influence, weights = self.influence[:, members], self.weights[members]
            mean = influence @ weights / size
            centred = influence - mean[:, None]
            within.append((centred * weights) @ centred.T * (size / (size - 1) if size > 1 else np.nan))
            shift += size * np.outer(mean, mean)
        return within[0], within[1], shift

    def covariance(self, *, design: str = "cohort") -> Array:
        """Covariance matrix of the models' metrics; fixed class sizes drop the share of positives."""
        positives, negatives, prevalence = self.parts()
        return positives + negatives + (prevalence if is_cohort(design) else 0.0)


@dataclass(frozen=True)
class Difference:
    """A difference of two models on the same cases: value, standard error, test of no difference, interval."""

    difference: float
    standard_error: float
    z: float
    p_value: float
    low: float
    high: float
    method: str
    degrees_of_freedom: float = float("inf")


def row_influences(
    influence: InfluenceOf,
    is_positive: npt.NDArray[np.bool_],
    scores: Sequence[Array],
    *,
    weights: Array | None = None,
) -> RowInfluences:
    """Each row's influence on each model's metric: made on the score table, then handed back to the rows.

    Examples
    --------
    >>> from unconfuse.uncertainty.influence import auroc_influence
    >>> rows = row_influences(auroc_influence, np.array([True, False, True]), [np.array([.9, .4, .3])])
    >>> rows.value, rows.influence
    (array([0.5]), array([[ 0.25,  0.  , -0.25]]))
    """
    found = [_rows_of_one(influence, is_positive, np.asarray(score, dtype=np.float64), weights) for score in scores]
    counted = np.ones(len(is_positive)) if weights is None else weights
    return RowInfluences(is_positive, counted, np.array([value for value, _ in found]), np.stack([g for _, g in found]))


def difference(
    rows: RowInfluences, *, design: str = "cohort", confidence_level: float = 0.95, label: str = "influence function"
) -> Difference:
    """First model's metric less the second's: z test, and an interval with Student's t for small classes.

    Two models that order the cases alike have a difference of exactly 0 and nothing to test: p is 1.
    """
    contrast = np.array([1.0, -1.0])
    parts = [float(contrast @ part @ contrast) for part in rows.parts()][: 3 if is_cohort(design) else 2]
    value, error = float(contrast @ rows.value), float(np.sqrt(max(sum(parts), 0.0)))
    z = value / error if error > 0 else (0.0 if value == 0 else float(np.copysign(np.inf, value)))
    freedom = _degrees_of_freedom(parts, *rows.sizes())
    half = float(stdtrit(freedom, (1 + confidence_level) / 2)) * error
    return Difference(value, error, z, float(2 * ndtr(-abs(z))), max(value - half, -1.0), min(value + half, 1.0),
                      f"{label}, paired, Student's t", freedom)  # fmt: skip


def _rows_of_one(
    influence: InfluenceOf, is_positive: npt.NDArray[np.bool_], score: Array, weights: Array | None
) -> tuple[float, Array]:
    table = ScoreTable.of_rows(is_positive, score, weights)
    found = influence(table)
    block = np.searchsorted(-table.score, -score)
    return float(found.value), np.where(is_positive, found.positive[block], found.negative[block])


def _degrees_of_freedom(parts: Sequence[float], positives: float, negatives: float) -> float:
    """Welch's and Satterthwaite's, as for a single model."""
    sizes = positives - 1, negatives - 1, positives + negatives - 1
    known = sum(part**2 / size for part, size in zip(parts, sizes, strict=False) if size > 0)
    return sum(parts) ** 2 / known if known > 0 else max(min(positives, negatives) - 1, 1.0)
