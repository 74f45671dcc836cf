"""Units that were drawn in groups or within strata: the variance of a sum over them, and their random weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unconfuse._errors import InputError
from unconfuse.table.cells import Codes
from unconfuse.table.counts import Array

_ROUNDING = 1e-13  # relative: below it strata of rows that are all alike do not vary
FEW_UNITS = 4  # groups of a class below which an interval covers less than it says: sensitivity about 85%
_MANY = 10_000  # units whose variance is as good as known
_LEAST = 0.1  # shape of the multipliers of the smallest strata


@dataclass(frozen=True, eq=False)
class SamplingUnits:
    """What was drawn: rows or groups of them, within strata; the stratum of each, and which have rows."""

    of_row: Codes
    stratum: Codes
    held: Codes

    @classmethod
    def of(cls, strata: Codes | None, groups: Codes | None, size: int) -> SamplingUnits:
        """Return the units of so many rows; groups lie within strata."""
        within = np.zeros(size, dtype=np.int64) if strata is None else strata
        if groups is None:
            every = np.arange(size)
            return cls(every, within, every)
        many = int(groups.max()) + 1
        stratum = np.zeros(many, dtype=np.int64)
        stratum[groups] = within
        if np.any(stratum[groups] != within):
            raise InputError(
                "a group has rows in several strata. Hint: groups are drawn within strata; check both columns."
            )
        return cls(groups, stratum, np.flatnonzero(np.bincount(groups, minlength=many)))

    @property
    def size(self) -> int:
        """Of arrays that have a place for each unit."""
        return len(self.stratum)

    @property
    def are_rows(self) -> bool:
        """Whether every row was drawn by itself."""
        return self.of_row is self.held

    @cached_property
    def _of_strata(self) -> Array:
        return np.bincount(self._stratum_of_held).astype(np.float64)

    @cached_property
    def _stratum_of_held(self) -> Codes:
        return self.stratum if len(self.held) == self.size else self.stratum[self.held]

    @property
    def freedom(self) -> float:
        """Units less strata."""
        return float(len(self.held) - np.count_nonzero(self._of_strata))

    def sums(self, moves: Array) -> Array:
        """Of a column of rows, by unit."""
        if self.are_rows:
            return moves
        return np.bincount(self.of_row, weights=moves, minlength=self.size).astype(np.float64)

    def variance(self, sums: Array) -> float:
        """Of the total of all units."""
        return float(np.sum(self._apart(sums) ** 2))

    def covariance(self, sums: Array) -> Array:
        """Of the totals of several columns of sums, one row for each unit."""
        apart = np.column_stack([self._apart(each) for each in sums.T])
        return np.array([[float(np.sum(one * other)) for other in apart.T] for one in apart.T])

    def freedom_of(self, sums: Array) -> float:
        """Satterthwaite's degrees of freedom of that variance: few units that weigh much leave it uncertain."""
        if len(self.held) > _MANY:
            return np.inf
        power = self._apart(sums) ** 2
        total = float(power.sum())
        excess = float(power @ power) - total**2 / len(power)
        return 2 * total**2 / excess if excess > _ROUNDING * total**2 else np.inf

    def _apart(self, sums: Array) -> Array:
        """Units of a stratum less their mean, with n/(n - 1); the only unit of a stratum counts in full."""
        own = sums if len(self.held) == self.size else sums[self.held]
        stratum, n = self._stratum_of_held, self._of_strata
        mean = np.divide(np.bincount(stratum, weights=own), n, out=np.zeros_like(n), where=n > 1)
        return np.asarray((own - mean[stratum]) * np.sqrt(self._few)[stratum])

    @cached_property
    def _few(self) -> Array:
        """n/(n - 1) of each stratum."""
        n = self._of_strata
        return np.divide(n, n - 1, out=np.ones_like(n), where=n > 1)

    def sums_of_cells(self, cell: Codes, weight: Array, cells: int) -> Array:
        """Of a weight, by unit and by the cell to which each row belongs."""
        found = np.bincount(cells * self.of_row + cell, weights=weight, minlength=cells * self.size)
        return found.astype(np.float64).reshape(-1, cells)

    def covariance_of_cells(self, cell: Codes, weight: Array, cells: int) -> Array:
        """Of the totals of the weights in each cell."""
        if not self.are_rows:
            apart = np.array([self._apart(each) for each in self.sums_of_cells(cell, weight, cells).T])
            return np.asarray(apart @ apart.T)
        place, many = cells * self.stratum + cell, (len(self._of_strata), cells)
        first, second = (
            np.bincount(place, weights=each, minlength=many[0] * cells).reshape(many) for each in (weight, weight**2)
        )
        n, factor = self._of_strata, self._few
        mean = np.where(n[:, None] > 1, first / np.maximum(n, 1.0)[:, None], 0.0)
        whole = factor @ second
        found = np.diag(whole) - (first * factor[:, None]).T @ mean
        return np.where(np.abs(found) > _ROUNDING * np.sqrt(np.outer(whole, whole)), found, 0.0)


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
