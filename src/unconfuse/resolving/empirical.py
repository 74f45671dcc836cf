"""The user's own scores as the population, improved by moving all positives up by the same amount."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._errors import ArgumentError
from unconfuse._formatting import whole
from unconfuse._scipy_special import expit, ndtri
from unconfuse._validate import check_both_classes, check_choice, check_probability, public_api
from unconfuse.ingest import DataOptions
from unconfuse.ingest._read import only_table, public_data_api
from unconfuse.resolving.crossings import Bracket, crossing, narrowed
from unconfuse.resolving.model_sequence import TableModel, TablePopulation, log_odds, redrawn_weights
from unconfuse.table import Array, Question, ScoreTable
from unconfuse.table.sample import positives_of

_HEAVY, _GROUPS, _TOP = 20_000, 8000, 2000  # scores from which a table is thinned, to how many, and how many stay
_FEW = 10  # cases of a class below which its distribution is hardly known
_PAIRS = 500.0  # whose gaps are looked at one by one
_LEAST = 2.0**-64  # of the range of scores: beyond a gap of 0, the next number would be too small to reckon with
_ROUNDING = 1e-10  # of the range of scores, within which two of them may be one: log-odds of probabilities are rounded
_SPREAD = 8  # places over which one score is spread


@public_api
class Empirical(TableModel):
    """Labels and scores as the sampling model.

    A better classifier is one whose positives all score higher by the same amount: pairs in the wrong order with the
    smallest gap between them are put right first.

    Parameters
    ----------
    y, s, **data
        As in `unconfuse.score_table`; `y` may also be a ScoreTable.
    scale : {"auto", "raw", "logit"}
        Where positives are moved: on the scores as they are, or on their log-odds. "auto" takes log-odds for scores in
        [0, 1]: probabilities moved as they are would leave that range, and the best positives would move as far as the
        others where there is no room. On log-odds they stay probabilities, so that their metrics can be compared too.

    Examples
    --------
    >>> model = Empirical([1, 0, 1, 0], [.9, .6, .4, .1])
    >>> model
    Empirical(2 positives of 4, AUROC 0.750)
    >>> Empirical([1, 0, 1, 0], [.9, .6, .4, .1], scale="raw").kth_gap(1).__round__(12)
    0.2
    """

    @public_data_api
    def __init__(self, y: Any, s: Any = None, *, scale: str = "auto", **data: Unpack[DataOptions]) -> None:
        check_choice(scale, "scale", ("auto", "raw", "logit"))
        sample = only_table(y, s, data, Question.of("`resolving_power`"))
        self.table = sample.table().exact("resolving power")
        check_both_classes(sample.positives, sample.negatives, sample.positive_label)
        self.scale = self._chosen(scale)
        self._moved = self._on_scale(self.table)
        self._classes = ShiftedClasses.of(self._moved)
        self._shifts: dict[float, float] = {}

    def _chosen(self, scale: str) -> str:
        inside = self.table.score[(self.table.score > 0) & (self.table.score < 1)]
        possible = self.table.score[0] <= 1 and self.table.score[-1] >= 0 and len(inside) > 0
        if scale == "logit" and not possible:
            raise ArgumentError("`scale='logit'` needs scores between 0 and 1. Hint: use `scale='raw'`.")
        return ("logit" if possible else "raw") if scale == "auto" else scale

    def _on_scale(self, table: ScoreTable) -> ScoreTable:
        """Return the table on the scale on which positives are moved."""
        return table if self.scale == "raw" else log_odds(table)

    _clear = False  # whether qualities are reached clear of ties, so that rounding does not decide them

    def _smoothed(self, table: ScoreTable) -> Empirical:
        made = self._of_moved(spread_out(table))
        made._clear = True
        return made

    def _of_moved(self, table: ScoreTable) -> Empirical:
        """Return another model on the same scale, from a table that is on it already."""
        made = object.__new__(Empirical)
        score = table.score if self.scale == "raw" else expit(table.score)
        made.table, made.scale = ScoreTable.from_validated(score, table.positives, table.negatives), self.scale
        made._moved, made._classes, made._shifts = table, ShiftedClasses.of(table), {}
        return made

    @property
    def note(self) -> str:
        """What a reader must know: few cases say little of how the scores of all others are spread."""
        if min(self.table.n_positives, self.table.n_negatives) >= _FEW:
            return ""
        sizes = f"{whole(self.table.n_positives):g} positives and {whole(self.table.n_negatives):g} negatives"
        return f"{sizes} stand for all cases here: fewer than {_FEW} of a class say little of how its scores are spread"

    @cached_property
    def light(self) -> Empirical:
        """The same model with at most about 20,000 scores, for curves and contests, whose cost should not grow."""
        return self if len(self.table) <= _HEAVY else self._of_moved(thinned(self._moved))

    @cached_property
    def smooth(self) -> Empirical:
        """The same model with each score spread out a little, unless scores are tied.

        The best threshold, or the hull of a curve, of a few hundred cases is an accident of theirs, by which metrics
        that look for it would seem to tell models apart.
        """
        return self.light if self._tied else self._smoothed(self.light._moved)

    @cached_property
    def _tied(self) -> bool:
        table = self.light.table
        return len(table) < 0.5 * min(table.n, 2 * _GROUPS)

    def redrawn(self, random: np.random.Generator) -> Empirical:
        """Return the model of as many cases drawn anew within each class, smoothed once where this one is.

        Cases are drawn on the scale on which positives move, so that a monotone map of all scores changes nothing.
        """
        score_table = self.light._moved
        weights = [redrawn_weights(each, random) for each in (score_table.positives, score_table.negatives)]
        kept = (weights[0] > 0) | (weights[1] > 0)
        drawn = ScoreTable.from_validated(score_table.score[kept], *(weight[kept] for weight in weights))
        return self._of_moved(drawn) if self._tied else self._smoothed(drawn)

    def population(self, shift: float) -> TablePopulation:
        """Return the scores with all positives moved by `shift`."""
        if shift == 0:
            return TablePopulation(self.table)
        table = self._classes.table(shift)
        score = table.score if self.scale == "raw" else expit(table.score)
        return TablePopulation(ScoreTable.from_validated(score, table.positives, table.negatives))

    def shift_for(self, auroc: float) -> float:
        """Find the shift that gives an AUROC, to within one pair."""
        if abs(auroc - self.auroc) < 1e-12:
            return 0.0
        if auroc not in self._shifts:  # asked for again and again, and sought
            shift = self._classes.shift_for(auroc)
            self._shifts[auroc] = self._classes.past_ties(shift) if self._clear else shift
        return self._shifts[auroc]

    def population_at(self, auroc: float) -> TablePopulation:
        """Return the scores, moved to a quality."""
        return self.population(self.shift_for(check_probability(auroc, "auroc", open_interval=True)))

    def kth_gap(self, k: float, *, upwards: bool = True) -> float:
        """Return the k-th smallest gap between a pair in the wrong order; `upwards=False`: in the right order."""
        return self._classes.kth_gap(k, upwards=upwards)

    def improving(self, worst: float, near: Sequence[float] = (), points: int = 121) -> list[TablePopulation]:
        """Better and better populations, about even in AUROC, and denser close to the qualities in `near`."""
        if self.light is not self:
            return self.light.improving(worst, near, points)
        shifts = self._classes.even_shifts(worst, tuple(near) or (self.auroc,), points)
        return [self.population(float(shift)) for shift in shifts]

    def around(self, auroc: float, steps: Sequence[float]) -> list[TablePopulation]:
        """Return the population at a quality and its neighbours, by the shift that takes so many pairs."""
        start = self.shift_for(auroc)
        model = self if start == 0 else Empirical(self._classes.table(start), scale="raw")
        return [self.population(start + model._gap_worth(step)) for step in steps]

    def _gap_worth(self, step: float) -> float:
        if step == 0:
            return 0.0
        k = round(abs(step) * self.table.n_positives * self.table.n_negatives)
        left = self._classes.left_to_move(upwards=step > 0)  # few where nearly all is right, none where all scores tie
        return float(np.sign(step)) * self.kth_gap(min(max(k, 1), left), upwards=step > 0) if left >= 1 else 0.0

    def repeated_shifts(self, *, step: float = 0.0005, up: int = 800, down: int = 200) -> list[TablePopulation]:
        """Beam's grid: one small shift, worth `step` of AUROC at the start, applied again and again."""
        k = np.trunc(self.table.n_positives * self.table.n_negatives * step)
        raised, lowered = self.kth_gap(k), self.kth_gap(k, upwards=False)
        shifts = np.concatenate([-lowered * np.arange(down, 0, -1), [0.0], raised * np.arange(1, up + 1)])
        return [self.population(float(shift)) for shift in shifts]

    def __repr__(self) -> str:
        return f"Empirical({positives_of(self.table.n_positives, self.n)}, AUROC {self.auroc:.3f})"


def thinned(table: ScoreTable) -> ScoreTable:
    """Join neighbouring scores of each class, but for the highest 2,000 of either.

    >>> table = ScoreTable(np.linspace(1, 0, 100_000), np.ones(100_000), np.ones(100_000))
    >>> len(thinned(table)) < 25_000, thinned(table).n
    (True, 200000.0)
    """
    sides = []
    for weights in (table.positives, table.negatives):
        score, weight = table.score[weights > 0], weights[weights > 0]
        group = np.floor((np.cumsum(weight) - weight / 2) / weight.sum() * _GROUPS)
        group[:_TOP] = -np.arange(min(_TOP, len(group)), 0, -1)
        starts = np.flatnonzero(np.append(True, np.diff(group) > 0))
        total = np.add.reduceat(weight, starts)
        sides.append((np.add.reduceat(weight * score, starts) / total, total))
    (up, own), (down, other) = sides
    return ScoreTable.from_validated(
        *_kernels.merge_tables(up, own, np.zeros(len(up)), down, np.zeros(len(down)), other)
    )


def spread_out(table: ScoreTable) -> ScoreTable:
    """Each class's scores spread over a few normal quantiles, by Silverman's bandwidth."""
    sides = []
    for weights in (table.positives, table.negatives):
        score, weight = table.score[weights > 0], weights[weights > 0]
        each = max(1, min(_SPREAD, 2 * _GROUPS // len(score)))
        offsets = bandwidth(score, weight) * ndtri((np.arange(each) + 0.5) / each)
        moved = (score[:, None] + offsets).ravel()
        order = np.argsort(-moved, kind="stable")
        sides.append((moved[order], np.repeat(weight / each, each)[order]))
    (up, own), (down, other) = sides
    return ScoreTable.from_validated(
        *_kernels.merge_tables(up, own, np.zeros(len(up)), down, np.zeros(len(down)), other)
    )


def bandwidth(score: Array, weight: Array) -> float:
    """Silverman's, of scores in descending order with weights."""
    total = float(weight.sum())
    mean = float(score @ weight) / total
    sd = np.sqrt(float((score - mean) ** 2 @ weight) / total)
    reached = (np.cumsum(weight) - weight / 2) / total
    middle = float(np.subtract(*np.interp([0.25, 0.75], reached, score)))
    return float(0.9 * min(sd, middle / 1.34 if middle > 0 else sd) * total**-0.2)


@dataclass(frozen=True, eq=False)
class ShiftedClasses:
    """Scores and weights of each class, ascending."""

    positive: Array
    positive_weight: Array
    negative: Array
    negatives_up_to: Array  # weight of the first 0, 1, 2, ... negatives

    @classmethod
    def of(cls, table: ScoreTable) -> ShiftedClasses:
        """Both classes of a table."""
        score, positives, negatives = (each[::-1] for each in (table.score, table.positives, table.negatives))
        own, other = positives > 0, negatives > 0
        return cls(score[own], positives[own], score[other], np.append(0.0, np.cumsum(negatives[other])))

    @property
    def pairs(self) -> float:
        """All pairs of a positive and a negative."""
        return float(self.positive_weight.sum() * self.negatives_up_to[-1])

    def table(self, shift: float) -> ScoreTable:
        """Return the score table after the positives have moved."""
        up, own, none = self.positive + shift, self.positive_weight, np.zeros(len(self.positive))
        down, rest, weights = self.negative, np.zeros(len(self.negative)), np.diff(self.negatives_up_to)
        descending = (np.ascontiguousarray(each[::-1]) for each in (up, own, none, down, rest, weights))
        return ScoreTable.from_validated(*_kernels.merge_tables(*descending))

    def auroc(self, shift: float) -> float:
        """AUROC after the shift, ties half."""
        below, up_to = self._pairs_within(shift)
        return (below + up_to) / (2 * self.pairs)

    def _pairs_within(self, shift: float) -> tuple[float, float]:
        """Weight of pairs with negative - positive < shift, and <= shift, compared as differences.

        Whether positive + shift equals the negative depends on rounding; whether the gap equals the shift does not.
        """
        places = self._places(self.positive, shift, strict=False)
        up_to = self._weight_of(places)
        tied = (places > 0) & (self.negative[places - 1] - self.positive == shift)
        if not tied.any():
            return up_to, up_to
        places[tied] = self._places(self.positive[tied], shift, strict=True)
        return self._weight_of(places), up_to

    def _weight_of(self, places: npt.NDArray[np.intp]) -> float:
        """Weight of pairs with the negatives passed; not by BLAS, whose threads would decide the last bits."""
        return float((self.positive_weight * self.negatives_up_to[places]).sum())

    def _places(self, positive: Array, shift: float, *, strict: bool) -> npt.NDArray[np.intp]:
        """How many negatives each positive has passed; corrected by one where rounding of the sum was wrong."""
        index = np.searchsorted(self.negative, positive + shift, side="left" if strict else "right")
        last = len(self.negative) - 1
        gap_above = self.negative[np.minimum(index, last)] - positive
        gap_below = self.negative[np.maximum(index - 1, 0)] - positive
        more = (index <= last) & ((gap_above < shift) if strict else (gap_above <= shift))
        less = (index > 0) & ((gap_below >= shift) if strict else (gap_below > shift))
        return index + more - less

    def left_to_move(self, *, upwards: bool) -> float:
        """Weight of the pairs that are in the wrong order, or else in the right one."""
        below, up_to = self._as_given
        return self.pairs - up_to if upwards else below

    @cached_property
    def _as_given(self) -> tuple[float, float]:
        return self._pairs_within(0.0)

    def kth_gap(self, k: float, *, upwards: bool) -> float:
        """Smallest shift that puts k pairs right (or wrong): found by counting, to the last bit."""
        start_below, start = self._as_given
        if not 1 <= k <= (left := self.left_to_move(upwards=upwards)):
            order = "wrong" if upwards else "right"
            raise ArgumentError(f"`k` must lie between 1 and the {left:g} pairs in the {order} order; got {k:g}.")
        sign = 1.0 if upwards else -1.0

        def beyond(size: float) -> float:
            """By how many pairs a shift puts more right, or wrong, than `k`."""
            below, up_to = self._pairs_within(sign * size)
            return (up_to - start if upwards else start_below - below) - k

        found = self._narrowed(beyond, Bracket(0.0, self._reach, -k, left - k), self.pairs)
        gaps = np.unique(sign * self._gaps_within(*sorted((sign * found.low, sign * found.high))))
        place = bisect_left(gaps, 0.0, key=lambda gap: beyond(float(gap)))
        return float(gaps[place]) if place < len(gaps) else found.high  # sums of fractions may miss the last pair

    def shift_for(self, auroc: float) -> float:
        """Smallest shift whose AUROC reaches the target: found among the gaps of the few pairs that are left."""

        def beyond(shift: float) -> float:
            return self.auroc(shift) - auroc

        found = crossing(beyond, self._reach / 64, 1.001 * self._reach + 1e-12)
        found = self._narrowed(beyond, found, 1.0)
        gaps = self._gaps_within(found.low, found.high)
        beyond_gaps = np.maximum(np.nextafter(gaps, np.inf), gaps + _LEAST * self._reach)
        shifts = np.unique([gaps, beyond_gaps])  # a pair counts half while it is tied
        place = bisect_left(shifts, auroc, key=lambda shift: self.auroc(float(shift)))
        return float(shifts[place]) if place < len(shifts) else found.high

    @cached_property
    def _reach(self) -> float:
        """How far all scores are spread."""
        return float(np.ptp(np.concatenate([self.positive, self.negative])))

    def _narrowed(self, function: Callable[[float], float], bracket: Bracket, of_all_pairs: float) -> Bracket:
        """Narrow a bracket until few gaps lie within; the function rises by so much when all pairs are passed."""
        pairs = len(self.positive) * len(self.negative) / of_all_pairs
        return narrowed(function, bracket, lambda ends: (ends.at_high - ends.at_low) * pairs < _PAIRS)

    def _gaps_within(self, low: float, high: float) -> Array:
        """Return how far apart pairs are that a shift from `low` to `high` reaches."""
        first = np.searchsorted(self.negative, self.positive + low, side="left")
        last = np.searchsorted(self.negative, self.positive + high, side="right")
        first, last = np.maximum(first - 1, 0), np.minimum(last + 1, len(self.negative))  # sums are rounded
        count = last - first
        owner = np.repeat(np.arange(len(count)), count)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
        gaps = self.negative[first[owner] + within] - self.positive[owner]
        return np.asarray(gaps[(gaps >= low) & (gaps <= high)])

    def past_ties(self, shift: float) -> float:
        """Return a shift half way to the next pair: where a positive meets a negative, rounding would decide."""
        start = shift + _ROUNDING * float(self.negative[-1] - self.negative[0])
        index = np.searchsorted(self.negative, self.positive + start, side="right")
        left = index < len(self.negative)
        gaps = self.negative[index[left]] - self.positive[left]
        return (shift + float(gaps.min())) / 2 if len(gaps) else start

    def even_shifts(self, worst: float, near: Sequence[float], points: int) -> Array:
        """Shifts whose AUROCs are about even from `worst` to almost 1, with as many again close to `near`."""
        start, end = min(worst, min(near) - 0.02), 1 - (1 - max(near)) / 50
        coarse = np.linspace(self.shift_for(start), self.shift_for(end), 33)
        areas = np.array([self.auroc(float(shift)) for shift in coarse])
        rising = np.append(True, np.diff(areas) > 0)
        wanted = [np.linspace(areas[0], areas[-1], points // 2)]
        for each in near:
            reach = max(0.02, min(0.1, 1 - each, each - start))
            wanted.append(np.linspace(max(areas[0], each - reach), min(areas[-1], each + reach), points // 2))
        found = np.interp(np.concatenate(wanted), areas[rising], coarse[rising])
        return np.unique(np.append(found, 0.0))
