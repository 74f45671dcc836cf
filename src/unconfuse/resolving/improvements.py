"""Ways in which a classifier gets better, besides all positives moving up: the quality dimension, to choose.

Each way is one number (0: as it is) that moves the AUROC up or down; the population at a quality is found by bisection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._scipy_special import expit, ndtr, ndtri
from unconfuse._validate import check_choice
from unconfuse.populations import Population
from unconfuse.resolving.crossings import crossing, narrowed
from unconfuse.resolving.model_sequence import TablePopulation, log_odds
from unconfuse.table import Array, ScoreTable

AnyPopulation = Population | TablePopulation
Move = Callable[[AnyPopulation, float], AnyPopulation]
TOP = 0.1  # of the negatives: those that "top" puts right
_DIGITS = 8  # of how far a population moves
_CLOSE = 1e-10  # to within which that is sought
_STEP = 0.25  # where it is sought first
_LEVELS = 50  # distinct scores up to which "tilt" counts levels, and not ranks
_FARTHEST = 60.0
_BEYOND = 1e-8


def scaled(population: AnyPopulation, by: float) -> AnyPopulation:
    """Positives' distances from the middle negative grow by a factor, on a scale on which negatives are normal."""
    factor = float(np.exp(by / 8))
    if isinstance(population, Population):
        fpr_at, tpr_at = population.fpr_at, population.tpr_at
        return Population(
            lambda tpr: np.asarray(ndtr(factor * ndtri(fpr_at(tpr)))),
            lambda fpr: np.asarray(tpr_at(np.asarray(ndtr(ndtri(fpr) / factor)))),
            corners=population.corners,
        )
    table = log_odds(population.table)
    own, other = table.positives > 0, table.negatives > 0
    middle = _weighted_median(table.score[other], table.negatives[other])
    moved, none = middle + factor * (table.score[own] - middle), np.zeros
    up = ScoreTable.from_validated(moved, table.positives[own], none(len(moved)))
    down = ScoreTable.from_validated(table.score[other], none(int(other.sum())), table.negatives[other])
    merged = up.merge(down)
    score = merged.score if population.table.probability_problem else expit(merged.score)
    return TablePopulation(ScoreTable.from_validated(score, merged.positives, merged.negatives))


def _weighted_median(score: Array, weight: Array) -> float:
    reached = np.cumsum(weight)
    return float(score[np.searchsorted(reached, reached[-1] / 2)])


def top_fixed(population: AnyPopulation, by: float) -> AnyPopulation:
    """Make the highest tenth of the negatives rarer by a factor exp(-by), and the others more frequent."""
    if isinstance(population, TablePopulation):
        table = population.table
        edge = np.cumsum(table.negatives) / table.n_negatives
        moved = np.diff(_bent(edge, by), prepend=0.0) * table.n_negatives
        return TablePopulation(ScoreTable.from_validated(table.score, table.positives, moved))
    fpr_at, tpr_at, kink = population.fpr_at, population.tpr_at, float(population.tpr_at(np.array([TOP]))[0])
    return Population(
        lambda tpr: _bent(fpr_at(tpr), by),
        lambda fpr: tpr_at(_unbent(fpr, by)),
        population.threshold_at,
        (*population.corners, kink),
    )


def _bent(fpr: Array, by: float) -> Array:
    """Return the false positive rate when the top negatives count less."""
    at = TOP * float(np.exp(-by)) / (TOP * float(np.exp(-by)) + 1 - TOP)
    return np.interp(fpr, [0.0, TOP, 1.0], [0.0, at, 1.0])


def _unbent(fpr: Array, by: float) -> Array:
    at = TOP * float(np.exp(-by)) / (TOP * float(np.exp(-by)) + 1 - TOP)
    return np.interp(fpr, [0.0, at, 1.0], [0.0, TOP, 1.0])


def tilted(population: AnyPopulation, by: float) -> AnyPopulation:
    """Positives are found exp(by) times more often at the highest score than at the lowest, in equal steps between.

    No score changes, only how often positives have it: the one way that tied scores can go smoothly.
    """
    table = population.table if isinstance(population, TablePopulation) else population.table(1.0, 1.0, 4000)
    weight = table.positives * np.exp(by * (_places(table) - 1))
    moved = ScoreTable.from_validated(
        table.score, _rounded(weight * (table.n_positives / weight.sum())), table.negatives
    )
    return TablePopulation(moved)


def _rounded(weight: Array) -> Array:
    """Round to about 12 digits: draws must not depend on the last bits, which differ between processors."""
    mantissa, exponent = np.frexp(weight)
    return np.asarray(np.ldexp(np.round(mantissa * 2.0**40) / 2.0**40, exponent))


def _places(table: ScoreTable) -> Array:
    """Where each score stands, from 0 to 1: by level if there are few, else by rank."""
    if len(table) <= _LEVELS:
        return np.linspace(1.0, 0.0, len(table))
    both = table.positives / table.n_positives + table.negatives / table.n_negatives
    return np.asarray(1 - (np.cumsum(both) - both / 2) / both.sum())


def _auroc_scaled(table: ScoreTable) -> Callable[[float], float]:
    table = log_odds(table)
    own, other = table.positives > 0, table.negatives > 0
    positives, negatives = table.score[own], table.score[other][::-1]
    weight, up_to = table.positives[own], np.append(0.0, np.cumsum(table.negatives[other][::-1]))
    middle, twice = _weighted_median(table.score[other], table.negatives[other]), 2 * weight.sum() * up_to[-1]

    def auroc(by: float) -> float:
        moved = middle + float(np.exp(by / 8)) * (positives - middle)
        below, reached = (up_to[np.searchsorted(negatives, moved, side)] for side in ("left", "right"))
        return float((weight * (below + reached)).sum() / twice)

    return auroc


def _auroc_top_fixed(table: ScoreTable) -> Callable[[float], float]:
    edge, weight = np.append(0.0, np.cumsum(table.negatives) / table.n_negatives), table.positives / table.n_positives

    def auroc(by: float) -> float:
        above = _bent(edge, by)
        return float(1 - (weight * (above[1:] + above[:-1])).sum() / 2)

    return auroc


def _auroc_tilted(table: ScoreTable) -> Callable[[float], float]:
    places = _places(table) - 1
    below = 1 - (np.cumsum(table.negatives) - table.negatives / 2) / table.n_negatives

    def auroc(by: float) -> float:
        weight = table.positives * np.exp(by * places)
        return float((weight * below).sum() / weight.sum())

    return auroc


@dataclass(frozen=True)
class Improvement:
    """One way in which a classifier gets better.

    Attributes
    ----------
    words : str
        What a better model does.
    move : callable, optional
        (population, how far) to the population that far along; None where the model itself moves its positives.
    auroc_of : callable, optional
        A table to the AUROC by how far it moves, without making the tables on the way.
    """

    words: str
    move: Move | None = None
    auroc_of: Callable[[ScoreTable], Callable[[float], float]] | None = None


IMPROVEMENTS = {
    "shift": Improvement("moves all positives up alike"),
    "scale": Improvement("spreads positives away from the middle negative", scaled, _auroc_scaled),
    "top": Improvement("makes the highest tenth of the negatives rarer", top_fixed, _auroc_top_fixed),
    "tilt": Improvement("makes higher scores more frequent among positives", tilted, _auroc_tilted),
}
INSTEAD = "scores are tied, so moving positives up makes quality jump; instead higher scores become more frequent"


@dataclass(frozen=True, eq=False)
class Improved:
    """A sampling model whose quality changes in another way, starting from one of its qualities."""

    model: Any
    how: str
    start: float

    base: AnyPopulation = field(init=False)
    _found: dict[float, AnyPopulation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Tied scores tilt from where they are: to move them first would tear the ties apart.
        own = self.how == "tilt" and hasattr(self.model, "table")
        vars(self).update(base=self.model.population_at(self.model.auroc if own else self.start))

    def _moved(self, by: float) -> AnyPopulation:
        move = IMPROVEMENTS[self.how].move
        assert move is not None  # "shift" is the model's own
        return move(self.base, by)

    def __getattr__(self, name: str) -> Any:
        """Size, prevalence and table are those of the model."""
        if name in ("n", "prevalence", "table", "default_at", "auroc"):
            return getattr(self.model, name)
        raise AttributeError(name)

    def redrawn(self, random: np.random.Generator) -> Improved:
        """Return the same way from cases drawn anew."""
        return Improved(self.model.redrawn(random), self.how, self.start)

    @property
    def smooth(self) -> Improved:
        """The same way from smoothed scores, if the model has some."""
        return Improved(getattr(self.model, "smooth", self.model), self.how, self.start)

    def population_at(self, auroc: float) -> AnyPopulation:
        """Return the population at a quality, or raise an error that says why this way does not lead there."""
        if auroc not in self._found:
            self._found[auroc] = self._sought(auroc)
        return self._found[auroc]

    def _sought(self, auroc: float) -> AnyPopulation:
        here = self._auroc(0.0)  # rounding may have torn or tied a pair on the way
        if min(abs(self.base.auroc - auroc), abs(here - auroc)) < 1e-9:
            return self.base
        bracket = crossing(lambda by: self._auroc(by) - auroc, _STEP, _FARTHEST)
        if bracket.at_low > 0 or bracket.at_high < 0:
            reached = auroc + (bracket.at_low if bracket.at_low > 0 else bracket.at_high)
            raise ArgumentError(
                f"`improvement={self.how!r}` leads from AUROC {self.base.auroc:.4g} to {reached:.4g} at most; "
                f"asked for {auroc:.4g}."
            )
        bracket = narrowed(lambda by: self._auroc(by) - auroc, bracket, lambda ends: ends.high - ends.low < _CLOSE)
        by = round(bracket.high, _DIGITS)  # rounding differs between processors, and the draws below would follow it
        # A table jumps where a positive meets a negative: a little beyond, rounding does not decide which comes first.
        return self._moved(by + (_BEYOND if isinstance(self.base, TablePopulation) else 0.0))

    @cached_property
    def _auroc(self) -> Callable[[float], float]:
        """Return the AUROC by how far the population moves; of a table without making the table."""
        auroc_of = IMPROVEMENTS[self.how].auroc_of
        if isinstance(self.base, TablePopulation) and auroc_of is not None:
            return auroc_of(self.base.table)
        return lambda by: self._moved(by).auroc

    def improving(self, worst: float, near: Sequence[float] = (), points: int = 61) -> list[AnyPopulation]:
        """Better and better populations, as far as this way leads, even in AUROC."""
        low, high = (self._moved(far).auroc for far in (-_FARTHEST, _FARTHEST))
        ends = max(low + 1e-6, worst), min(high - 1e-6, 1 - (1 - max(near, default=self.start)) / 50)
        wanted = np.unique(
            np.concatenate([np.linspace(*ends, points), [each for each in near if ends[0] < each < ends[1]]])
        )
        return [self._sought(float(each)) for each in wanted]

    def around(self, auroc: float, steps: Sequence[float]) -> list[AnyPopulation]:
        """Return the population at a quality and its neighbours, so many units of AUROC away."""
        return [self.population_at(auroc + step) for step in steps]

    def __repr__(self) -> str:
        return f"{self.model!r}, improved by {self.how}"


def improved(model: Any, how: str, at: float) -> Any:
    """Return the model, getting better in this way."""
    check_choice(how, "improvement", tuple(IMPROVEMENTS))
    if how == "shift":
        return model
    if not hasattr(model, "shift_for"):
        raise ArgumentError(f"a {type(model).__name__} has its own way to get better; `improvement` must be left out.")
    return Improved(model, how, at)
