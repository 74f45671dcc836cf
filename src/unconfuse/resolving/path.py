"""A score table as the whole population; and the user's own sequence of models as the quality dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from unconfuse import _kernels
from unconfuse._errors import ArgumentError
from unconfuse._validate import check_both_classes, check_list, in_words
from unconfuse.ingest import Data, read
from unconfuse.metrics import METRICS
from unconfuse.table import Array, ScoreTable

_SAME = 1e-6  # AUROCs that differ by less are the same


@dataclass(frozen=True, eq=False)
class TablePopulation:
    """A score table taken as the whole population."""

    table: ScoreTable

    @cached_property
    def auroc(self) -> float:
        """Chance that a random positive outranks a random negative."""
        return float(METRICS["auroc"](self.table))

    def sized(self, positives: float, negatives: float) -> ScoreTable:
        """The same distributions with other class sizes."""
        table = self.table
        if (positives, negatives) == (table.n_positives, table.n_negatives):
            return table
        up, down = positives / table.n_positives, negatives / table.n_negatives
        return ScoreTable.trusted(table.score, table.positives * up, table.negatives * down)

    def auroc_variance(self, n_positives: float, n_negatives: float) -> float:
        """Variance of the AUROC over samples with replacement of fixed class sizes, exact."""
        moments = _kernels.placement_moments(self.table.positives, self.table.negatives)
        return (
            moments.pair_variance
            + (n_negatives - 1) * moments.positive_variance
            + (n_positives - 1) * moments.negative_variance
        ) / (n_positives * n_negatives)


class OfTable:
    """Something that a score table says all of: the quality that it has as given is its usual one."""

    table: ScoreTable

    @cached_property
    def auroc(self) -> float:
        """AUROC as given, ties half."""
        return TablePopulation(self.table).auroc

    @property
    def default_at(self) -> tuple[float, ...]:
        """The qualities to look at if none is named: the one as given."""
        return (self.auroc,)


class TableModel(OfTable):
    """A model that holds data: its own number of cases and share of positives are the usual ones."""

    @property
    def n(self) -> float:
        """Number of cases."""
        return self.table.n

    @property
    def prevalence(self) -> float:
        """Share of positives."""
        return self.table.prevalence


@in_words
class Path(TableModel):
    """A sequence of models that get better, scored on the same cases: the user's own quality dimension.

    Parameters
    ----------
    y : array_like
    scores : mapping of name to scores, or sequence of scores
        From the worst to the best model, such as the checkpoints of a training run.
    weights, positive
        As in `unconfuse.score_table`.

    Examples
    --------
    >>> Path([1, 0, 1, 0], {"first": [.5, .6, .4, .1], "second": [.9, .6, .4, .1]})
    Path(2 models of 4 cases, AUROC 0.500 to 0.750)
    """

    def __init__(
        self, y: Any, scores: Mapping[str, Any] | Sequence[Any], *, weights: Any = None, positive: object = None
    ) -> None:
        named = (
            scores
            if isinstance(scores, Mapping)
            else {f"model {i}": each for i, each in enumerate(check_list(scores, "scores"), 1)}
        )
        if len(named) < 2:
            raise ArgumentError(f"a path needs at least two models; got {len(named)}.")
        sample = read(Data(y, dict(named), weights=weights, positive=positive), models=True)
        self.names = sample.models
        self.populations = [TablePopulation(sample.table(name)) for name in self.names]
        self.table = self.populations[-1].table
        check_both_classes(sample.positives, sample.negatives, sample.positive_label)

    def _nearest(self, auroc: float) -> int:
        return int(np.argmin([abs(each.auroc - auroc) for each in self.populations]))

    def population_at(self, auroc: float) -> TablePopulation:
        """The model of that AUROC, or one on the way between two neighbours; beyond the ends the nearest model.

        On the way, each quantile of a class's scores moves straight from one model's to the next one's: what the
        models have learned between the two, in part.
        """
        nearest = self.populations[self._nearest(auroc)]
        if abs(nearest.auroc - auroc) < _SAME:
            return nearest
        for first, second in pairwise(self.populations):
            if min(first.auroc, second.auroc) < auroc < max(first.auroc, second.auroc):
                return _on_the_way(first.table, second.table, auroc)
        return nearest

    def improving(self, worst: float, near: Sequence[float] = (), points: int = 0) -> list[TablePopulation]:
        """The models, in the order given."""
        return self.populations

    def around(self, auroc: float, steps: Sequence[float]) -> list[TablePopulation]:
        """The model nearest to a quality, with the models before and after it."""
        place = self._nearest(auroc)
        return self.populations[max(place - 1, 0) : place + 2]

    def __repr__(self) -> str:
        first, last = self.populations[0].auroc, self.populations[-1].auroc
        return f"Path({len(self.names)} models of {self.n:g} cases, AUROC {first:.3f} to {last:.3f})"


def _on_the_way(first: ScoreTable, second: ScoreTable, auroc: float) -> TablePopulation:
    """The mixture of two models' quantiles that has an AUROC, by bisection."""
    ends = quantiles(first), quantiles(second)
    rises = TablePopulation(second).auroc > TablePopulation(first).auroc
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        found = _mixed(*ends, middle)
        if abs(found.auroc - auroc) < _SAME:
            break
        low, high = (middle, high) if (found.auroc < auroc) == rises else (low, middle)
    return found


def quantiles(table: ScoreTable, most: int = 2000) -> tuple[Array, Array]:
    """Scores of each class at even shares, highest first: every case of a small class, so many of a large one.

    Models may score on different scales, so that the middle negative is 0 and the middle half of the negatives 1 wide;
    probabilities stay as they are.
    """
    classes = [_even(table.score, weights, most) for weights in (table.positives, table.negatives)]
    if not table.why_not_probabilities:
        return classes[0], classes[1]
    middle, width = np.median(classes[1]), np.subtract(*np.quantile(classes[1], [0.75, 0.25]))
    positives, negatives = ((each - middle) / (width or 1.0) for each in classes)
    return positives, negatives


def _even(score: Array, weights: Array, most: int) -> Array:
    count = int(min(most, max(round(float(weights.sum())), 1)))
    reached = np.cumsum(weights)
    return np.asarray(score[np.searchsorted(reached, (np.arange(count) + 0.5) / count * reached[-1])])


def _mixed(first: tuple[Array, Array], second: tuple[Array, Array], share: float) -> TablePopulation:
    positives, negatives = ((1 - share) * one + share * other for one, other in zip(first, second, strict=True))
    is_positive = np.arange(len(positives) + len(negatives)) < len(positives)
    return TablePopulation(ScoreTable.of_rows(is_positive, np.concatenate([positives, negatives])))
