"""Two distributions whose values many cases share, such as counts, or a continuous one with many zeros."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse._scipy_special import expit
from unconfuse.resolving.improvements import INSTEAD, AnyPopulation, Improved
from unconfuse.resolving.model_sequence import TableBasedModel, TablePopulation
from unconfuse.table import ScoreTable

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
