"""What is asked of a distribution again and again, tabulated if that is slow; and of two with values of many cases."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import short_repr
from unconfuse._scipy_special import expit, logit
from unconfuse.resolving.improvements import INSTEAD, AnyPopulation, Improved
from unconfuse.resolving.model_sequence import TableBasedModel, TablePopulation
from unconfuse.table import Array, ScoreTable

_FEW, _KEPT = 100, 64  # shares from which quantiles are remembered, and how many sets of them
_SLOW = 2e-4  # seconds of a quantile and its tail; closed forms take a hundredth of that, integrals ten times as much
_FARTHEST, _KNOTS = 20.0, 400  # log-odds of the outermost share in a table (2e-9), and how many shares it has
_PROBED, _BEYOND = expit(np.linspace(-_FARTHEST, _FARTHEST, 12)), np.array([0.1, 0.5, 1.0])
_HALVINGS = 30  # of a step between two shares in the table: 1e-10


class LegacyDistribution:
    """A distribution of scipy's newer kind (`scipy.stats.Normal`), by the names that the older kind has."""

    def __init__(self, given: Any) -> None:
        if any(each.__name__ == "DiscreteDistribution" for each in type(given).__mro__):  # its quantiles are unfinished
            hint = "Hint: use the older kind, such as scipy.stats.poisson(4)."
            raise ArgumentError(
                f"scipy's newer discrete distributions cannot be used yet; got {short_repr(given)}. {hint}"
            )
        self._given, self.sf, self.isf, self.support = given, given.ccdf, given.iccdf, given.support

    def __repr__(self) -> str:
        return repr(self._given)


class CachedDistribution:
    """A distribution that knows its quantiles at shares it was asked before: integrals ask at the same ones always."""

    def __init__(self, given: Any) -> None:
        exact = TabulatedDistribution(given) if _is_slow(given) else given
        self.sf, self.support, self._isf = exact.sf, exact.support, exact.isf
        self._known: dict[bytes, Array] = {}

    def isf(self, share: Any) -> Array:
        """Return the values above which these shares lie."""
        asked = np.asarray(share, dtype=np.float64)
        if asked.size < _FEW:
            return np.asarray(self._isf(asked), dtype=np.float64)
        key = asked.tobytes()
        if key not in self._known:
            if len(self._known) >= _KEPT:
                self._known.pop(next(iter(self._known)))
            self._known[key] = np.asarray(self._isf(asked), dtype=np.float64)
        return self._known[key]


def _is_slow(given: Any) -> bool:
    """Measured where quantiles lie and beyond, where the other class may lie; the first call only warms up."""
    spent = []
    for _ in range(2):
        started = time.process_time()
        value = np.asarray(given.isf(_PROBED), dtype=np.float64)
        wide = value[0] - value[-1]
        given.sf(np.concatenate([value, value[0] + _BEYOND * wide, value[-1] - _BEYOND * wide]))
        spent.append(time.process_time() - started)
    return min(spent) > _SLOW * len(_PROBED)


class TabulatedDistribution:
    """Quantiles by smooth interpolation between 400 of them, on log-odds of the shares; tails by its inverse.

    >>> from scipy.stats import norm
    >>> found = TabulatedDistribution(norm(2, 3))
    >>> float(found.isf(.3)).__round__(5), float(found.sf(4)).__round__(5), norm(2, 3).sf(4).round(5)
    (3.5732, 0.25249, np.float64(0.25249))
    """

    def __init__(self, given: Any) -> None:
        from scipy.interpolate import PchipInterpolator

        odds = np.linspace(-_FARTHEST, _FARTHEST, _KNOTS)
        value = -np.maximum.accumulate(-np.asarray(given.isf(expit(odds)), dtype=np.float64))
        self.support, self._ends = given.support, given.support()
        self._odds, self._value = odds, value
        self._between, self._slopes = PchipInterpolator(odds, value), np.diff(value)[[0, -1]] / np.diff(odds)[[0, -1]]

    def isf(self, share: Any) -> Array:
        """Return the values above which these shares lie; beyond the table they go on straight, within the support."""
        with np.errstate(divide="ignore"):
            odds = np.asarray(logit(np.asarray(share, dtype=np.float64)))
        inside = np.clip(odds, -_FARTHEST, _FARTHEST)
        with np.errstate(invalid="ignore"):
            beyond = np.where(odds == inside, 0.0, (odds - inside) * np.where(odds < 0, *self._slopes))
        return np.asarray(np.clip(np.asarray(self._between(inside)) + beyond, *self._ends))

    def sf(self, score: Any) -> Array:
        """Return the shares above these values, by halving."""
        x = np.asarray(score, dtype=np.float64)
        place = np.clip(np.searchsorted(-self._value, -x), 1, _KNOTS - 1)
        low, high = self._odds[place - 1], self._odds[place]
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            above = np.asarray(self._between(middle)) > x
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        steps = [slope if slope else -1.0 for slope in self._slopes]
        upper = -_FARTHEST + (x - self._value[0]) / steps[0]
        lower = _FARTHEST + (x - self._value[-1]) / steps[1]
        odds = np.where(x > self._value[0], upper, np.where(x < self._value[-1], lower, (low + high) / 2))
        return np.where(x >= self._ends[1], 0.0, np.where(x <= self._ends[0], 1.0, expit(odds)))


_SHARES = np.unique(np.concatenate([expit(np.linspace(-30, 30, 2001)), np.linspace(0, 1, 2001)[1:-1]]))


def has_ties(given: Any) -> bool:
    """Whether a distribution has values of positive probability: by its kind, else by its quantiles."""
    kind = getattr(given, "dist", given)
    if hasattr(kind, "pmf"):
        return True
    return not hasattr(kind, "_pdf") and bool((np.diff(given.isf(np.linspace(0.02, 0.98, 97))) == 0).any())


class TiedDistributions(TableBasedModel):
    """Two distributions with ties as one table: how often each value occurs in each class, without sampling noise.

    Moving all positives up would tear ties apart, so that a better classifier is one whose positives have higher values
    more often ("tilt").
    """

    note = INSTEAD

    def __init__(self, positive: Any, negative: Any) -> None:
        self.table = _in_blocks(positive).merge(_turned(_in_blocks(negative)))

    @cached_property
    def _way(self) -> Improved:
        return Improved(self, "tilt", self.auroc)

    def population_at(self, auroc: float) -> AnyPopulation:
        """Return the table with positives tilted to a quality."""
        return TablePopulation(self.table) if auroc == self.auroc else self._way.population_at(auroc)

    def improving(self, worst: float, near: Sequence[float] = (), points: int = 61) -> list[Any]:
        """Better and better tables, as far as tilting leads."""
        return self._way.improving(worst, near, points)

    def around(self, auroc: float, steps: Sequence[float]) -> list[Any]:
        """Return the table at a quality and its neighbours."""
        return self._way.around(auroc, steps)

    def __repr__(self) -> str:
        return f"Distributions with ties ({len(self.table):,} values, AUROC {self.auroc:.3f})"


def _in_blocks(given: Any) -> ScoreTable:
    """Return a distribution as positives of a table: all its values if it has few, else its quantiles."""
    score = np.unique(np.asarray(given.isf(_SHARES), dtype=np.float64))[::-1]
    above = np.asarray(given.sf(score), dtype=np.float64)
    weight = np.diff(above, append=1.0)  # from each value down to the next one, which is the value alone if it has ties
    weight[0] += above[0]
    return ScoreTable(score[weight > 0], weight[weight > 0], np.zeros(int((weight > 0).sum())))


def _turned(table: ScoreTable) -> ScoreTable:
    return ScoreTable(table.score, table.negatives, table.positives)
