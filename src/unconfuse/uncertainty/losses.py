"""Standard errors of mean losses of one table, from the losses' moments alone: no array as long as the table is made.

The influence of a case on a mean loss is its own loss less the mean, over n; on the Brier skill it is linear in the
loss as well. So the mean and the spread of the losses in each class say all that `Influence` says of a whole table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unconfuse._kernels import LossMoments, Moments
from unconfuse.metrics.probability import losses_of
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.influence import is_cohort
from unconfuse.uncertainty.smoothed import HALF


@dataclass(frozen=True)
class LinearStatistic:
    """A metric's value, and the moments of its influences over the cases of each class."""

    value: Array
    classes: tuple[Moments, Moments]

    def standard_error(self, *, design: str = "cohort") -> Array:
        """Root of the variance, as `Influence.standard_error`; the class sizes' part counts only in a cohort."""
        within = sum(
            each.squares * each.weight / (each.weight - 1) if each.weight > 1 else np.nan for each in self.classes
        )
        between = sum(each.weight * each.mean**2 for each in self.classes) if is_cohort(design) else 0.0
        return np.asarray(np.sqrt(within + between))


def smoothed_brier(table: ScoreTable) -> LinearStatistic:
    """The Brier score of a table with half a case of unknown score added to each class."""
    return _mean(*_with_half_a_case(losses_of(table, logarithmic=False)))


def smoothed_log_loss(table: ScoreTable) -> LinearStatistic:
    """The log loss likewise; the added half case may meet a score of 0 or 1, but its surprise must stay finite."""
    return _mean(*_with_half_a_case(losses_of(table, logarithmic=True, floor=1 / (2 * table.n))))


def smoothed_skill(table: ScoreTable) -> LinearStatistic:
    """The Brier skill score likewise."""
    positives, negatives = _with_half_a_case(losses_of(table, logarithmic=False))
    n = positives.weight + negatives.weight
    worst = positives.weight * negatives.weight / n**2
    brier = _mean(positives, negatives)
    if not worst:  # of one class, whose prevalence says it all
        return LinearStatistic(np.asarray(np.nan), brier.classes)
    relative = float(brier.value) / worst
    by_size = (other.weight / n**2 - 2 * worst / n for other in (negatives, positives))
    classes = [
        Moments(each.weight, (relative * size - each.mean) / worst, each.squares / worst**2)
        for each, size in zip(brier.classes, by_size, strict=True)
    ]
    return LinearStatistic(np.asarray(1 - relative), (classes[0], classes[1]))


def _mean(positives: Moments, negatives: Moments) -> LinearStatistic:
    n = positives.weight + negatives.weight
    value = (positives.weight * positives.mean + negatives.weight * negatives.mean) / n
    first, second = (
        Moments(each.weight, (each.mean - value) / n, each.squares / n**2) for each in (positives, negatives)
    )
    return LinearStatistic(np.asarray(value), (first, second))


def _with_half_a_case(losses: LossMoments) -> tuple[Moments, Moments]:
    """Half a positive is spread over the negatives' scores, and half a negative over the positives'."""
    return (
        _joined(losses.positive_over_positives, losses.positive_over_negatives),
        _joined(losses.negative_over_negatives, losses.negative_over_positives),
    )


def _joined(own: Moments, others: Moments) -> Moments:
    if not others.weight:  # there is nothing to spread it over
        return own
    weight, apart = own.weight + HALF, others.mean - own.mean
    squares = own.squares + others.squares * HALF / others.weight + apart**2 * own.weight * HALF / weight
    return Moments(weight, (own.weight * own.mean + HALF * others.mean) / weight, squares)
