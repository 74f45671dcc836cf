"""B(r): how often a positive outranks a case that is labelled positive, and the precision where that is a coin toss."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_probability
from unconfuse.metrics import bounds
from unconfuse.metrics._blocks import at_prevalence, cumulated, rank_metric
from unconfuse.metrics._definition import Metric, ratio
from unconfuse.table import Array, ScoreTable

_SUMPTER = "Sumpter (2023), Precision at the indistinguishability threshold (as corrected in our errata)"
_at_level = partial(rank_metric, interval="percentile", chance=at_prevalence, references=(_SUMPTER,))
_SLACK = 1 + 1e-12  # weights that are no whole numbers add up with rounding; a level reached exactly must stay reached


def b_values(table: ScoreTable, *, exclude_self: bool = False) -> Array:
    """B with the threshold at each score, ties with half credit; NaN where nothing is labelled positive.

    B is the chance that a random positive outranks a random case among those labelled positive. With `exclude_self` no
    case is compared with itself.

    >>> from unconfuse.metrics._blocks import PHOTOS
    >>> b_values(PHOTOS), b_values(PHOTOS, exclude_self=True).round(3)
    (array([0.25 , 0.375, 0.5  , 0.625]), array([0.   , 0.333, 0.5  , 0.667]))
    """
    wins, pairs = _wins(table)
    if exclude_self:
        tp = np.cumsum(table.positives, axis=-1)
        wins, pairs = wins - tp / 2, pairs - tp
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(wins, pairs, out=wins)


def _wins(table: ScoreTable) -> tuple[Array, Array]:
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
    return np.cumsum(won, axis=-1, out=won), pairs


def labelled_at_level(table: ScoreTable, level: float) -> np.typing.NDArray[np.intp]:
    """Index of the lowest score in the largest labelled set with B <= level; -1 where there is none.

    The level is not reached at all (-1 too) where B stays below it even when every case is labelled positive.
    """
    wins, pairs = _wins(table)
    reached = wins[..., -1] * _SLACK >= level * pairs[..., -1]
    inside = (wins <= level * pairs * _SLACK) & (pairs > 0)
    last = inside.shape[-1] - 1 - np.argmax(inside[..., ::-1], axis=-1)
    return np.where(reached & inside.any(axis=-1), last, -1)


def _precision_at_level(level: float, table: ScoreTable) -> Array:
    index = labelled_at_level(table, level)
    tp, fp = (np.take_along_axis(each, np.maximum(index, 0)[..., None], axis=-1)[..., 0] for each in cumulated(table))
    return np.where(index >= 0, ratio(tp, tp + fp), np.nan)


def precision_in_population(population: Any, prevalence: float) -> float:
    """C(r_b) with infinitely many cases; NaN where the AUROC is below 1/2."""
    try:
        return float(population.indistinguishable(prevalence).precision)
    except ArgumentError:
        return float("nan")


precision_at_indistinguishability = _at_level(
    "precision_at_indistinguishability",
    "Precision at indistinguishability, C(r_b): When labelled and real positives cannot be told apart, what share of "
    "the labelled is real?",
    population=precision_in_population,
    bounds=partial(bounds.precision_at_level, 0.5),
    formula=r"C(r_b),\ r_b=\min\{r: B(r)\le\tfrac12\}",
    undefined="one of the classes is empty, or AUROC < 1/2: the scores rank negatives first, so B(r) never reaches 1/2",
    misleads="It moves with prevalence, but not with easy negatives below r_b: it shows how far those flatter AUROC.",
    example=2 / 3,
)


def precision_at_b(level: float) -> Metric:
    """Precision of the largest labelled set with B <= level.

    Examples
    --------
    >>> from unconfuse.metrics._blocks import PHOTOS
    >>> precision_at_b(.4)(PHOTOS).item()
    0.5
    """
    at = check_probability(level, "level", open_interval=True)
    return _at_level(
        f"precision_at_b({at:g})",
        f"Precision where B(r) = {at:g}: When a real positive outranks a labelled one {at:.4g} of the time, what "
        "share of them is real?",
        function=partial(_precision_at_level, at),
        bounds=partial(bounds.precision_at_level, at),
        formula=rf"C(r_b),\ r_b=\min\{{r: B(r)\le{at:g}\}}",
        undefined=f"one of the classes is empty, or B(r) does not pass through {at:g}",
        misleads="It moves with prevalence, but not with easy negatives below the threshold.",
    )
