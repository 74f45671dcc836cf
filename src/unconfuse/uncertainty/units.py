"""Units that were drawn in groups or within strata: the variance of a sum over them, and their random weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unconfuse._errors import ArgumentError, InputError, argument
from unconfuse.table import Array, Codes, Design, NearSample

_LEAST = 0.1  # shape of the multipliers of the smallest strata


@dataclass(frozen=True, eq=False)
class Units:
    """What was drawn: rows or groups of them, within strata; the stratum of each, and which have rows."""

    of_row: Codes
    stratum: Codes
    held: Codes

    @classmethod
    def of(cls, sample: NearSample, design: Design) -> Units:
        """Groups lie within strata."""
        units = np.arange(len(sample)) if sample.groups is None else sample.groups
        strata, size = _strata(sample, design), int(units.max()) + 1
        stratum = np.zeros(size, dtype=np.int64)
        stratum[units] = strata
        if sample.groups is not None and np.any(stratum[units] != strata):
            raise InputError(
                "a group has rows in several strata. Hint: groups are drawn within strata; check both columns."
            )
        return cls(units, stratum, np.flatnonzero(np.bincount(units, minlength=size)))

    @property
    def size(self) -> int:
        """Of arrays that have a place for each unit."""
        return len(self.stratum)

    @cached_property
    def _of_strata(self) -> Array:
        return np.bincount(self.stratum[self.held]).astype(np.float64)

    @property
    def freedom(self) -> float:
        """Units less strata."""
        return float(len(self.held) - np.count_nonzero(self._of_strata))

    def sums(self, moves: Array) -> Array:
        """Of a column of rows, by unit."""
        return np.bincount(self.of_row, weights=moves, minlength=self.size).astype(np.float64)

    def variance(self, sums: Array) -> float:
        """Of the total of all units."""
        return float(self.covariance(sums[:, None])[0, 0])

    def covariance(self, sums: Array) -> Array:
        """Of the totals of several columns, one row for each unit.

        Units of a stratum are compared with their mean, with n/(n - 1); the only unit of a stratum counts in full.
        """
        own, stratum, n = sums[self.held], self.stratum[self.held], self._of_strata
        factor = np.sqrt(np.divide(n, n - 1, out=np.ones_like(n), where=n > 1))
        means = (np.bincount(stratum, weights=column) for column in own.T)
        mean = np.array([np.divide(each, n, out=np.zeros_like(n), where=n > 1) for each in means]).T
        apart = (own - mean[stratum]) * factor[stratum, None]
        return np.asarray(apart.T @ apart)


def variance_of_units(moves: Array, sample: NearSample, design: Design) -> tuple[float, float]:
    """Variance of a sum over rows that were drawn in groups, or within strata; and how many units it rests on."""
    units = Units.of(sample, design)
    return units.variance(units.sums(moves)), units.freedom + 1


def _strata(sample: NearSample, design: Design) -> Codes:
    """Within what rows were drawn: the strata given, and the classes if the study chose their sizes."""
    found = np.zeros(len(sample), dtype=np.int64) if sample.strata is None else sample.strata
    if design.is_cohort:
        return found
    if sample.groups is not None:
        raise ArgumentError(f"groups are drawn whole, whatever their class. Hint: use {argument('design', 'cohort')}.")
    return np.asarray(found * sample.n_classes + sample.truth, dtype=np.int64)


def drawn_multipliers(
    stratum: Codes, count: int, generator: np.random.Generator, *, sampled: bool, divided: bool | None = None
) -> Array:
    """Multipliers of mean 1 for every unit, in each of `count` resamples.

    Of sampled units within strata they add up to n in a stratum of n, and are gamma distributed with the shape
    (n - 2)/n: then they give the variance n/(n - 1) times the sum of squares about the stratum's mean. Sampled units
    without strata have exponential ones. Units that each stand for themselves are drawn with replacement.
    """
    if not sampled:
        return generator.multinomial(len(stratum), np.full(len(stratum), 1 / len(stratum)), count).astype(np.float64)
    if not (stratum.any() if divided is None else divided):
        return generator.standard_exponential((count, len(stratum)))
    sizes = np.bincount(stratum).astype(np.float64)
    shape = np.maximum((sizes - 2) / np.maximum(sizes, 1), _LEAST)[stratum]
    drawn = generator.standard_gamma(shape, (count, len(stratum)))
    member = np.zeros((len(stratum), len(sizes)))
    member[np.arange(len(stratum)), stratum] = 1.0
    return np.asarray(drawn * (sizes / np.maximum(drawn @ member, 1e-300))[:, stratum])
