"""B(r): how often a positive outranks a case that is labelled positive, and the precision where that is a coin toss."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from unconfuse import _kernels
from unconfuse._errors import ArgumentError
from unconfuse._validate import check_flag, check_probability, public_api
from unconfuse.metrics import bounds
from unconfuse.metrics._metric import Metric, ratio
from unconfuse.metrics._tie_blocks import at_prevalence, cumulated, rank_metric
from unconfuse.metrics.influence_functions import quantile
from unconfuse.table import AT_A_TIME, Array, Counts, ScoreTable, remembered

_SUMPTER = "Sumpter (2023), Precision at the indistinguishability threshold (as corrected in our errata)"
_at_level = partial(rank_metric, interval="at_level", chance=at_prevalence, references=(_SUMPTER,))


def b_values(table: ScoreTable, *, exclude_self: bool = False) -> Array:
    """B with the threshold at each score, ties with half credit; NaN where nothing is labelled positive.

    B is the chance that a random positive outranks a random case among those labelled positive. With `exclude_self` no
    case is compared with itself.

    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> b_values(PHOTOS), b_values(PHOTOS, exclude_self=True).round(3)
    (array([0.25 , 0.375, 0.5  , 0.625]), array([0.   , 0.333, 0.5  , 0.667]))
    """
    if table.is_single_table and len(table) > AT_A_TIME:
        return _b_of_many(table, exclude_self=exclude_self)
    wins, pairs = _wins(table, exclude_self=exclude_self)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(wins, pairs, out=wins)


def _b_of_many(table: ScoreTable, *, exclude_self: bool) -> Array:
    """Compute `b_values` of a long table, the same to the last bit, by stretches that stay near the processor."""
    found = np.empty(len(table))
    sums = np.zeros(3)  # true positives, cases and pairs won before the stretch
    for first in range(0, len(table), AT_A_TIME):
        positives, negatives = (each[first : first + AT_A_TIME] for each in (table.positives, table.negatives))
        cases = positives + negatives
        tp = _summed_on(positives.copy(), sums[0])
        won = _summed_on((tp - positives / 2) * cases, sums[2])
        labelled = _summed_on(cases, sums[1])
        sums = np.array([tp[-1], labelled[-1], won[-1]])
        pairs = labelled * table.n_positives
        won, pairs = (won - tp / 2, pairs - tp) if exclude_self else (won, pairs)
        np.divide(won, pairs, out=found[first : first + AT_A_TIME])
    return found


def _summed_on(values: Array, before: float) -> Array:
    """Continue the running sums from those before, in place."""
    values[0] += before
    return np.cumsum(values, out=values)


def _wins(table: ScoreTable, *, exclude_self: bool) -> tuple[Array, Array]:
    """Pairs (positive, labelled case) won by the positive, and all of them, with the threshold at each score.

    Sums of halves are exact, so that B = 1/2 is found without rounding when the weights are whole numbers.
    """
    # In place where it can be: for a million scores most of the time goes into fetching fresh memory.
    positives, negatives = np.broadcast_arrays(table.positives, table.negatives)
    tp, cases = np.cumsum(positives, axis=-1), positives + negatives
    won = tp - positives / 2
    won *= cases
    pairs = np.cumsum(cases, axis=-1, out=cases)
    pairs *= tp[..., -1:]
    won = np.cumsum(won, axis=-1, out=won)
    return (won - tp / 2, pairs - tp) if exclude_self else (won, pairs)


def labelled_at_level(table: ScoreTable, level: float, *, exclude_self: bool = False) -> np.typing.NDArray[np.intp]:
    """Index of the lowest score in the largest labelled set with B <= level; -1 where there is none.

    The level is not reached at all (-1 too) where B stays below it even when every case is labelled positive.
    """
    search = partial(_kernels.last_at_level, level=level, exclude_self=exclude_self)
    if table.is_single_table:
        once = partial(search, table.positives, table.negatives)
        return np.asarray(remembered(table, ("last at level", level, exclude_self), once), dtype=np.intp)
    sides = np.broadcast_arrays(table.positives, table.negatives)
    *shape, size = sides[0].shape
    each = zip(*(side.reshape(-1, size) for side in sides), strict=True)
    return np.array([search(*both) for both in each], dtype=np.intp).reshape(shape)


def b_standard_errors(table: ScoreTable, level: float | None = None, *, fixed_classes: bool = False) -> Array:
    """Return the standard error of B with the threshold at each score, for a true B equal to `level` (or as found).

    The influence of a case on B is a square in running totals, so cumulated sums give the errors at all thresholds at
    once.

    >>> table = ScoreTable(np.array([3., 2, 1, 0]), np.array([3., 2, 1, 0]), np.array([0., 1, 2, 3]))
    >>> b_standard_errors(table).round(3)
    array([0.102, 0.087, 0.065, 0.069])
    """
    p, q = table.positives, table.negatives
    n_positives, n_negatives = table.n_positives, table.n_negatives
    tp, labelled = np.cumsum(p), np.cumsum(p + q)
    at = b_values(table) if level is None else np.full(len(table), level)

    outranked_by = tp - p / 2  # positives above each case, half of the ties included
    labelled_mid = labelled - (p + q) / 2
    # Influence of a labelled positive: own + constant; of one not labelled: missed; of a negative: above - shift.
    own, constant, missed = outranked_by - labelled_mid, labelled - at * (labelled + n_positives), -at * labelled
    sum_own = np.cumsum(p * own)
    positive_sum = sum_own + constant * tp + missed * (n_positives - tp)
    positive_squares = np.cumsum(p * own**2) + constant * (2 * sum_own + constant * tp) + missed**2 * (n_positives - tp)
    shift, fp = at * n_positives, labelled - tp
    negative_part = np.cumsum(q * outranked_by)
    negative_sum = negative_part - shift * fp
    negative_squares = np.cumsum(q * outranked_by**2) - 2 * shift * negative_part + shift**2 * fp
    variance = positive_squares + negative_squares
    if fixed_classes:
        variance = variance - positive_sum**2 / n_positives - negative_sum**2 / n_negatives
    return ratio(np.sqrt(np.maximum(variance, 0)), n_positives * labelled)


@dataclass(frozen=True)
class LevelReach:
    """Where the largest labelled set with B <= level may end in the population.

    Blocks `first` to `last`, counted from the highest score; `at` is where it ends in the sample (-1: nowhere). `tied`
    says whether so many cases share the next score that B jumps over the level by a good part of its standard error.
    """

    first: int
    at: int
    last: int
    tied: bool


def reach_of_level(
    table: ScoreTable,
    level: float,
    *,
    fixed_classes: bool = False,
    confidence_level: float = 0.95,
    exclude_self: bool = False,
) -> LevelReach:
    """Walk out from the crossing on both sides until B is surely on the other side of the level.

    Only ranks enter, so the answer moves along with any increasing transform of the scores, and no density has to be
    estimated. Far up, where hardly anybody is labelled, B says nothing: only the run around the crossing counts.

    >>> table = ScoreTable(np.array([3., 2, 1, 0]), np.array([30., 20, 10, 0]), np.array([0., 10, 20, 30]))
    >>> reach_of_level(table, .5)
    LevelReach(first=0, at=1, last=1, tied=True)
    """
    key = "reach of level", level, fixed_classes, confidence_level, exclude_self
    return remembered(table, key, lambda: _reach_of_level(table, level, fixed_classes, confidence_level, exclude_self))


def _reach_of_level(
    table: ScoreTable, level: float, fixed_classes: bool, confidence_level: float, exclude_self: bool
) -> LevelReach:
    classes, errors = (table.positives, table.negatives), quantile(confidence_level)
    cohort = not fixed_classes
    return LevelReach(*_kernels.reach_of_level(*classes, level, errors, cohort=cohort, exclude_self=exclude_self))


def threshold_reach(
    level: float,
    table: ScoreTable,
    fixed_classes: bool,
    confidence_level: float,
    found: LevelReach | None = None,
    step: int = 0,
) -> tuple[float, float, str]:
    """Return the lowest and the highest threshold in reach of the level, and how they were found.

    Between two scores without ties the threshold may lie anywhere, so that the interval ends at the first score that is
    surely too low; with ties it is one of the scores. `step` moves it for the smallest set above the level.
    """
    reach = found or reach_of_level(table, level, fixed_classes=fixed_classes, confidence_level=confidence_level)
    score, end = table.score, len(table) - 1
    if reach.tied:
        low, high = score[min(reach.last + step, end)], score[max(reach.first + step, 0)]
    else:
        low, high = score[reach.last + 1] if reach.last < end else -np.inf, score[max(reach.first, 0)]
    return float(low), float(high), "inversion of B"


def _tables_in_reach(
    level: float, exclude_self: bool, table: ScoreTable, fixed_classes: bool, confidence: float
) -> Counts | None:
    """Return the 2x2 tables of all thresholds at which the level may be reached, where scores are tied; else None."""
    level_reach = reach_of_level(
        table, level, fixed_classes=fixed_classes, confidence_level=confidence, exclude_self=exclude_self
    )
    return counts_between(table, level_reach.first, level_reach.last) if level_reach.tied else None


def counts_between(table: ScoreTable, first: int, last: int) -> Counts:
    """Return the 2x2 tables with the threshold at each of these blocks."""
    tp, fp = (np.cumsum(each)[max(first, 0) : last + 1] for each in (table.positives, table.negatives))
    return Counts(tp=tp, fp=fp, fn=table.n_positives - tp, tn=table.n_negatives - fp)


def _precision_at_level(level: float, table: ScoreTable, exclude_self: bool = False) -> Array:
    index = labelled_at_level(table, level, exclude_self=exclude_self)
    tp, fp = (np.take_along_axis(each, np.maximum(index, 0)[..., None], axis=-1)[..., 0] for each in cumulated(table))
    return np.where(index >= 0, ratio(tp, tp + fp), np.nan)


def precision_in_population(population: Any, prevalence: float) -> float:
    """C(r_b) with infinitely many cases; NaN where the AUROC is below 1/2."""
    try:
        return float(population.indistinguishability_crossing(prevalence).precision)
    except ArgumentError:
        return float("nan")


precision_at_indistinguishability = _at_level(
    "precision_at_indistinguishability",
    label="Precision at indistinguishability, C(r_b)",
    question=(
        "When labelled and real positives cannot be told apart by their scores, what share of the labelled is real?"
    ),
    population=precision_in_population,
    bounds=partial(bounds.precision_at_level, 0.5),
    candidates=partial(_tables_in_reach, 0.5, False),
    formula=r"C(r_b),\ r_b=\min\{r: B(r)\le\tfrac12\}",
    undefined="one of the classes is empty, or AUROC < 1/2: the scores rank negatives first, so B(r) never reaches 1/2",
    misleads="It moves with prevalence, but not with easy negatives below r_b: it shows how far those inflate AUROC.",
    example=2 / 3,
)


def ceiling_at(level: float) -> float:
    """Return the largest precision where B = level, however good the ranking.

    A share C of the labelled are positives, which outrank each other half of the time, and negatives at best always: B
    is at most C/2 + (1 - C). A sample's may be a little above it, where B jumps over the level.

    >>> ceiling_at(.5), ceiling_at(.75)
    (1.0, 0.5)
    """
    return min(1.0, 2 * (1 - level))


@public_api
def precision_at_b(level: float, *, exclude_self: bool = False) -> Metric:
    """Precision of the largest labelled set with B <= level; with `exclude_self` no case is compared with itself.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> precision_at_b(.4)(PHOTOS).item()
    0.5
    """
    at = check_probability(level, "level", open_interval=True)
    check_flag(exclude_self, "exclude_self")
    most = ceiling_at(at)
    said = "" if most >= 1 else f" Without ties it is at most 2 x (1 - {at:g}) = {most:.4g}, however good the ranking."
    return _at_level(
        f"precision_at_b({at:g}{', exclude_self' if exclude_self else ''})",
        label=f"Precision where B(r) = {at:g}",
        question=f"When a real positive outranks a labelled one {at:.4g} of the time, what share of them is real?",
        function=partial(_precision_at_level, at, exclude_self=exclude_self),
        bounds=partial(bounds.precision_at_level, at),
        candidates=partial(_tables_in_reach, at, exclude_self),
        formula=rf"C(r_b),\ r_b=\min\{{r: B(r)\le{at:g}\}}",
        undefined=f"one of the classes is empty, or B(r) does not pass through {at:g}",
        misleads="It moves with prevalence, but not with easy negatives below the threshold." + said,
        ceiling=most,
    )
