"""A score table as the whole population; and the user's own sequence of models as the quality dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._errors import ArgumentError
from unconfuse._scipy_special import expit, logit
from unconfuse._validate import check_both_classes, check_list, public_api
from unconfuse.ingest import Data, read
from unconfuse.metrics import METRICS
from unconfuse.table import Array, ScoreTable

if TYPE_CHECKING:
    from unconfuse.table.in_memory import InMemorySample

_SAME = 1e-6  # AUROCs that differ by less are the same
_QUANTILES = 2000  # of each class, by which a model between two others is made


@dataclass(frozen=True, eq=False)
class TablePopulation:
    """A score table taken as the whole population."""

    table: ScoreTable

    @cached_property
    def auroc(self) -> float:
        """Chance that a random positive outranks a random negative."""
        return float(METRICS["auroc"](self.table))

    def sized(self, positives: float, negatives: float) -> ScoreTable:
        """Return a table of the same distributions with other class sizes."""
        table = self.table
        if (positives, negatives) == (table.n_positives, table.n_negatives):
            return table
        up, down = positives / table.n_positives, negatives / table.n_negatives
        return ScoreTable.from_validated(table.score, table.positives * up, table.negatives * down)

    def auroc_variance(self, n_positives: float, n_negatives: float) -> float:
        """Variance of the AUROC over samples with replacement of fixed class sizes, exact."""
        moments = _kernels.placement_moments(self.table.positives, self.table.negatives)
        variance = (
            moments.pair_variance
            + (n_negatives - 1) * moments.positive_variance
            + (n_positives - 1) * moments.negative_variance
        )
        return max(variance, 0.0) / (n_positives * n_negatives)  # rounding may leave it below


class TableBasedModel:
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


class TableModel(TableBasedModel):
    """A model that holds data: its own number of cases and share of positives are the usual ones."""

    @property
    def n(self) -> float:
        """Number of cases."""
        return self.table.n

    @property
    def prevalence(self) -> float:
        """Share of positives."""
        return self.table.prevalence


@public_api
class ModelSequence(TableModel):
    """A sequence of models that get better, scored on the same cases: the user's own quality dimension.

    The order is the user's: a later model is better, also where the AUROC of these cases falls along the way.

    Parameters
    ----------
    y : array_like
    scores : mapping of name to scores, or sequence of scores
        From the worst to the best model, such as the checkpoints of a training run.
    weights, positive
        As in `unconfuse.score_table`.

    Examples
    --------
    >>> ModelSequence([1, 0, 1, 0], {"first": [.5, .6, .4, .1], "second": [.9, .6, .4, .1]})
    ModelSequence(2 models of 4 cases, AUROC 0.500 to 0.750)
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
        sample = cast("InMemorySample", read(Data(y, dict(named), weights=weights, positive=positive), models=True))
        check_both_classes(sample.positives, sample.negatives, sample.positive_label)
        columns = [np.asarray(sample.scores[name], dtype=np.float64) for name in sample.models]
        order = np.lexsort((*columns, sample.is_positive))  # so that redraws do not depend on the order of rows
        rows = Rows(sample.is_positive[order], tuple(column[order] for column in columns), sample.weight[order])
        self._hold(sample.models, rows)

    def _hold(self, names: tuple[str, ...], rows: Rows) -> None:
        self.names, self.rows = names, rows
        self.populations = [TablePopulation(table) for table in rows.tables]
        self.table = self.populations[-1].table
        self._on_log_odds = all(log_odds(population.table) is not population.table for population in self.populations)

    def redrawn(self, random: np.random.Generator) -> ModelSequence:
        """Return the same models on cases drawn anew within each class, the same cases for all models."""
        made = object.__new__(ModelSequence)
        made._hold(self.names, self.rows.redrawn(random))
        return made

    @cached_property
    def note(self) -> str:
        """What a reader must know: where the AUROC falls though the order given says that models get better."""
        areas = [population.auroc for population in self.populations]
        falls = [place for place in range(1, len(areas)) if areas[place] < areas[place - 1] - _SAME]
        if not falls:
            return ""
        worst = min(falls, key=lambda place: areas[place] - areas[place - 1])
        first, second = self.names[worst - 1], self.names[worst]
        return (
            f"the AUROC falls from {areas[worst - 1]:.3f} ({first!r}) to {areas[worst]:.3f} ({second!r}) along this "
            "path; the order given is kept, so the later model counts as better"
        )

    def at_place(self, place: float) -> TablePopulation:
        """Return the model at a place from 0, the first, to the number of models less 1, the last.

        Between two models, each quantile of a class's scores moves straight from one model's to the next one's: what
        the models have learned between the two, in part. Probabilities move on the scale of log-odds.
        """
        before = min(int(place), len(self.populations) - 2)
        share = place - before
        if share in (0.0, 1.0):
            return self.populations[before + int(share)]
        first, second = self._quantiles[before], self._quantiles[before + 1]
        return TablePopulation(_mixed(first, second, share, log_odds=self._on_log_odds))

    @cached_property
    def _quantiles(self) -> list[_Quantiles]:
        tables = [population.table for population in self.populations]
        return [_Quantiles.of(log_odds(table) if self._on_log_odds else table) for table in tables]

    def place_of(self, auroc: float) -> float:
        """Return the last place of an AUROC on the path; beyond what the path reaches, the nearest model's."""
        areas = np.array([population.auroc for population in self.populations])
        close = np.flatnonzero(np.abs(areas - auroc) < _SAME)
        if len(close):
            return float(close[-1])
        for before in range(len(areas) - 2, -1, -1):
            if min(areas[before : before + 2]) < auroc < max(areas[before : before + 2]):
                return self._between(before, before + 1, auroc)
        return float(np.argmin(np.abs(areas - auroc)))

    def _between(self, start: float, end: float, auroc: float) -> float:
        """Return the place of an AUROC between two places on its two sides, by bisection."""
        rises = self.at_place(end).auroc > self.at_place(start).auroc
        low, high = start, end
        for _ in range(40):
            middle = (low + high) / 2
            found = self.at_place(middle).auroc
            if abs(found - auroc) < _SAME:
                break
            low, high = (middle, high) if (found < auroc) == rises else (low, middle)
        return middle

    def population_at(self, auroc: float) -> TablePopulation:
        """Return the model of that AUROC, or one on the way between two neighbours; beyond the ends the nearest one."""
        return self.at_place(self.place_of(auroc))

    def places_around(self, auroc: float, apart: float) -> tuple[float, float, str]:
        """Return two places in the order given, so far apart in AUROC around a quality; and a note if the path ends.

        The AUROC may rise or fall from the first to the second: the order given says which model is better.
        """
        here, last = self.place_of(auroc), float(len(self.populations) - 1)
        worse, better = self._away(here, -1, apart / 2), self._away(here, 1, apart / 2)
        if worse is not None and better is not None:
            return worse, better, ""
        if better is None:
            found = self._away(last, -1, apart)
            note = "the path ends here, so its last model is compared with an earlier one"
            return (0.0 if found is None else found), last, note
        found = self._away(0.0, 1, apart)
        note = "the path begins here, so its first model is compared with a later one"
        return 0.0, (last if found is None else found), note

    def _away(self, start: float, step: int, distance: float) -> float | None:
        """Return the first place in a direction whose AUROC differs by so much, or None if there is none."""
        base = self.at_place(start).auroc
        last, before = len(self.populations) - 1, start
        following = int(np.floor(start)) + 1 if step > 0 else int(np.ceil(start)) - 1
        while 0 <= following <= last:
            moved = self.populations[following].auroc - base
            if abs(moved) >= distance:
                return self._between(before, following, base + np.copysign(distance, moved))
            before, following = float(following), following + step
        return None

    def improving(self, worst: float, near: Sequence[float] = (), points: int = 0) -> list[TablePopulation]:
        """Return the models, in the order given."""
        return self.populations

    def around(self, auroc: float, steps: Sequence[float]) -> list[TablePopulation]:
        """Return the model nearest to a quality, with the models before and after it."""
        place = round(self.place_of(auroc))
        return self.populations[max(place - 1, 0) : place + 2]

    def __repr__(self) -> str:
        first, last = self.populations[0].auroc, self.populations[-1].auroc
        return f"ModelSequence({len(self.names)} models of {self.n:g} cases, AUROC {first:.3f} to {last:.3f})"


@dataclass(frozen=True, eq=False)
class Rows:
    """Cases with the score of every model of a path, in an order that does not depend on how they were given."""

    is_positive: npt.NDArray[np.bool_]
    scores: tuple[Array, ...]
    weights: Array

    @property
    def tables(self) -> list[ScoreTable]:
        """One score table for each model."""
        return [ScoreTable.from_rows(self.is_positive, score, self.weights) for score in self.scores]

    def redrawn(self, random: np.random.Generator) -> Rows:
        """Return as many cases of each class, drawn with replacement."""
        weights = np.zeros(len(self.weights))
        for of_class in (self.is_positive, ~self.is_positive):
            weights[of_class] = redrawn_weights(self.weights[of_class], random)
        kept = weights > 0
        return Rows(self.is_positive[kept], tuple(score[kept] for score in self.scores), weights[kept])


def redrawn_weights(weights: Array, random: np.random.Generator) -> Array:
    """Return how often each score occurs among as many cases, drawn with replacement."""
    total = float(weights.sum())
    count = max(round(total), 1)
    return np.asarray(random.multinomial(count, weights / total) * (total / count), dtype=np.float64)


def log_odds(table: ScoreTable) -> ScoreTable:
    """Return probabilities on the scale of log-odds, where they can move; other tables as they are.

    Scores of 0 and 1 go half way from the next score to the end.
    """
    inside = table.score[(table.score > 0) & (table.score < 1)]
    if table.probability_problem or not len(inside):
        return table
    score = np.clip(table.score, inside[-1] / 2, (1 + inside[0]) / 2)
    return ScoreTable.from_validated(logit(score), table.positives, table.negatives)


@dataclass(frozen=True, eq=False)
class _Quantiles:
    """Scores of each class at even shares, highest first, with the middle negative at 0 and a unit width.

    Models may score on different scales; in these units the middle half of the negatives is 1 wide.
    """

    positives: Array
    negatives: Array
    middle: float
    width: float

    @classmethod
    def of(cls, table: ScoreTable) -> _Quantiles:
        """Return those of a table: every case of a small class, so many of a large one."""
        positives, negatives = (_even(table.score, weights) for weights in (table.positives, table.negatives))
        middle = float(np.median(negatives))
        half = float(np.subtract(*np.quantile(negatives, [0.75, 0.25])))
        width = half or float(np.ptp(table.score)) or 1.0
        return cls((positives - middle) / width, (negatives - middle) / width, middle, width)


def _even(score: Array, weights: Array) -> Array:
    count = int(min(_QUANTILES, max(round(float(weights.sum())), 1)))
    reached = np.cumsum(weights)
    return np.asarray(score[np.searchsorted(reached, (np.arange(count) + 0.5) / count * reached[-1])])


def _mixed(first: _Quantiles, second: _Quantiles, share: float, *, log_odds: bool) -> ScoreTable:
    """Return the model that lies so far on the way from one model to the next, on their own scale."""
    one, other = vars(first), vars(second)
    positives, negatives, middle, width = ((1 - share) * one[name] + share * other[name] for name in one)
    is_positive = np.arange(len(positives) + len(negatives)) < len(positives)
    table = ScoreTable.from_rows(is_positive, np.concatenate([positives, negatives]))
    score = middle + width * table.score
    return ScoreTable.from_validated(expit(score) if log_odds else score, table.positives, table.negatives)
