"""All pairs of models on the same items: paired differences that hold together, and tiers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unconfuse._scipy_special import betaincc as upper_beta
from unconfuse._scipy_special import stdtr, stdtrit
from unconfuse.multilevel.items import ItemScores, mean_of
from unconfuse.table import Array

_DIRECTIONS = 8_192  # of correlated errors; their lengths are integrated exactly, so the critical value is known to .01
_CHUNK = 4_000_000  # numbers at a time
_ROUNDS = 24  # of bisection: to a millionth
_NOTHING = 1e-12  # of the variances of two models: what rounding leaves of the difference of equal ones


@dataclass(frozen=True, eq=False)
class Differences:
    """First minus second of every pair of models: values, standard errors and degrees of freedom.

    `error` holds two pseudo clusters of differences +1 and -1, as Bonett and Price's interval does: few items, or
    models that hardly ever differ, would otherwise seem certain. `covariance` is that of the means, without them.
    """

    value: Array
    error: Array
    covariance: Array
    freedom: float

    @cached_property
    def furthest(self) -> Array:
        """Return for random directions of the models' errors the largest standardised difference of any pair."""
        return _furthest(self.covariance)

    @cached_property
    def rank(self) -> int:
        """Number of dimensions in which the differences vary."""
        return len(_root(self.covariance))

    def p_value(self, t: float, *, adjusted: bool = True) -> float:
        """Return the probability that any pair (or one alone) is as far apart, were all models alike."""
        if not adjusted or self.rank < 2:
            return float(2 * stdtr(self.freedom, -abs(t)))
        return _beyond(abs(t), self.furthest, self.rank, self.freedom)

    def critical(self, level: float) -> float:
        """Return how many standard errors the intervals of all pairs reach, so that all hold together."""
        alone = float(stdtrit(self.freedom, (1 + level) / 2))
        if self.rank < 2:
            return alone
        low, high = alone, alone * 2
        while self.p_value(high) > 1 - level:
            high *= 2
        for _ in range(_ROUNDS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.p_value(middle) > 1 - level else (low, middle)
        return high


def differences(scores: ItemScores) -> Differences:
    """Return all paired differences of models over items or clusters of items."""
    means = np.array([mean_of(column) for column in scores.mean.T])
    centred = np.column_stack([scores.added(column - mean) for column, mean in zip(scores.mean.T, means, strict=True)])
    if scores.cluster is None:  # clusters are in the order of their names; items are put in one that is not the rows'
        centred = centred[np.lexsort(centred.T)]
    products = np.einsum("gi,gj->ij", centred, centred)  # no BLAS: its sums depend on the number of threads
    n, groups = scores.n_items, scores.n_clusters
    spread = np.diag(products)
    squares = spread[:, None] + spread[None, :] - 2 * products
    squares[squares < _NOTHING * (spread[:, None] + spread[None, :])] = 0.0
    size = n / groups
    padded = (squares + 2 * size**2) * (groups + 2) / (groups + 1) / (n + 2 * size) ** 2
    covariance = products * groups / (groups - 1) / n**2
    return Differences(means[:, None] - means[None, :], np.sqrt(padded), covariance, groups - 1.0)


def _root(covariance: Array) -> Array:
    """Return rows of independent errors that add up to those of the models, less what all models share."""
    centring = np.eye(len(covariance)) - 1 / len(covariance)
    values, vectors = np.linalg.eigh(centring @ covariance @ centring)
    own = values > _NOTHING * max(float(values.max()), 0.0)
    return np.asarray((vectors[:, own] * np.sqrt(values[own])).T)


def _furthest(covariance: Array) -> Array:
    root = _root(covariance)
    directions = np.random.default_rng(0).standard_normal((_DIRECTIONS, len(root)))
    directions /= np.sqrt((directions**2).sum(axis=1, keepdims=True))
    first, second = np.triu_indices(len(covariance), 1)
    spread = np.sqrt(((root[:, first] - root[:, second]) ** 2).sum(axis=0))
    varies = spread > 0
    first, second, spread = first[varies], second[varies], spread[varies]
    errors, step = directions @ root, max(1, _CHUNK // max(1, len(first)))
    parts = [errors[start : start + step] for start in range(0, _DIRECTIONS, step)]
    return np.concatenate([(np.abs(part[:, first] - part[:, second]) / spread).max(axis=1) for part in parts])


def _beyond(t: float, furthest: Array, rank: int, freedom: float) -> float:
    """Return P(max|T| > t): along each direction the square of the length over s is rank times an F variable."""
    ratio = t**2 / np.maximum(furthest, 1e-300) ** 2
    return float(np.mean(upper_beta(rank / 2, freedom / 2, ratio / (ratio + freedom))))


def tiers(told: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Return every largest set of models of which no two are told apart; models are in the order of their means.

    Sets overlap, and may leave out a model that lies between two others.

    >>> told = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> tiers(told)
    [[0, 1], [1, 2]]
    """
    alike = [set(np.flatnonzero(~row).tolist()) - {place} for place, row in enumerate(told)]
    return sorted(sorted(clique) for clique in _cliques(set(), set(range(len(told))), set(), alike))


def _cliques(inside: set[int], open_: set[int], done: set[int], alike: list[set[int]]) -> Iterator[set[int]]:
    """Yield maximal cliques (Bron and Kerbosch, with a pivot)."""
    if not open_ and not done:
        yield inside
        return
    pivot = max(open_ | done, key=lambda each: len(alike[each] & open_))
    for each in sorted(open_ - alike[pivot]):
        yield from _cliques(inside | {each}, open_ & alike[each], done & alike[each], alike)
        open_, done = open_ - {each}, done | {each}
