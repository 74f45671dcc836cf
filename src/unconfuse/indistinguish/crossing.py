"""Where B(r) crosses a level in a sample: the labelled sets on both sides, and the mixture that hits it exactly."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from unconfuse._formatting import strict_json
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.table import Array, ScoreTable

_SLACK = 1 + 1e-12  # as in metrics.indistinguishable: a level reached exactly stays reached in spite of rounding


@dataclass(frozen=True)
class LabelledSet:
    """The cases with a score of at least `threshold`, and how they compare with the real positives.

    Attributes
    ----------
    threshold : float
        The lowest labelled score.
    next_score : float
        The highest score that is not labelled (-inf if all are): every threshold above it, up to `threshold`, labels
        the same cases.
    b : float
        How often a random positive outranks a random labelled case; ties count half.
    precision, sensitivity, false_positive_rate : float
        C, v and u.
    tp, fp : float
        Labelled positives and labelled negatives.
    """

    threshold: float
    next_score: float
    b: float
    precision: float
    sensitivity: float
    false_positive_rate: float
    tp: float
    fp: float

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Crossing:
    """The labelled sets between which B passes through a level.

    Attributes
    ----------
    level : float
    below : LabelledSet or None
        The largest labelled set with B <= level; None if even the highest scores alone have a larger B.
    above : LabelledSet or None
        The smallest labelled set with B >= level; None if B stays below the level.
    share : float
        Labelling this share of the cases that `above` adds to `below`, at random, makes B equal to the level. 0 where
        `below` hits it by itself; NaN where one of the sets is missing.
    mixed_precision : float
        Precision of that mixture.
    """

    level: float
    below: LabelledSet | None
    above: LabelledSet | None
    share: float
    mixed_precision: float

    @property
    def exists(self) -> bool:
        """Whether B reaches the level at all."""
        return self.above is not None


def find_crossing(
    table: ScoreTable, level: float = 0.5, *, exclude_self: bool = False, b: Array | None = None
) -> Crossing:
    """Find the labelled sets around B = level in a table without empty blocks; `b` are its `b_values`, if known.

    With `exclude_self` no case is compared with itself, which makes no difference to the sets at level 1/2.

    >>> cats = ScoreTable(np.array([.8, .6, .3, .1]), np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1]))
    >>> found = find_crossing(cats, .6)
    >>> found.below.threshold, found.above.threshold, round(found.share, 4), round(found.mixed_precision, 4)
    (0.3, 0.1, 0.75, 0.5333)
    """
    values = b_values(table, exclude_self=exclude_self) if b is None else b
    if np.isnan(values[0]):  # nothing but a case's comparison with itself, which is left out
        values = np.nan_to_num(values)
    # B never decreases from one score to the next, so the sets are found by bisection.
    last_inside = int(np.searchsorted(values, level * _SLACK, side="right")) - 1
    first_outside = int(np.searchsorted(values, level / _SLACK, side="left"))
    below = _labelled_set(table, last_inside, values) if last_inside >= 0 else None
    above = _labelled_set(table, first_outside, values) if first_outside < len(values) else None
    if below is None or above is None:
        return Crossing(level, below, above, np.nan, np.nan)
    if below.threshold == above.threshold:
        return Crossing(level, below, above, 0.0, below.precision)
    share = _share(table, level, below, above, exclude_self=exclude_self)
    tp, fp = (share * more + (1 - share) * less for less, more in ((below.tp, above.tp), (below.fp, above.fp)))
    return Crossing(level, below, above, share, tp / (tp + fp))


def _labelled_set(table: ScoreTable, index: int, b: Array) -> LabelledSet:
    tp, fp = float(table.positives[: index + 1].sum()), float(table.negatives[: index + 1].sum())
    return LabelledSet(
        threshold=float(table.score[index]),
        next_score=float(table.score[index + 1]) if index + 1 < len(table) else -np.inf,
        b=float(b[index]),
        precision=tp / (tp + fp),
        sensitivity=tp / table.n_positives,
        false_positive_rate=fp / table.n_negatives,
        tp=tp,
        fp=fp,
    )


def _share(table: ScoreTable, level: float, below: LabelledSet, above: LabelledSet, *, exclude_self: bool) -> float:
    """B is a ratio of pairs won to pairs compared, and both grow evenly with the share: solve for it."""
    pairs = [
        table.n_positives * (labelled_set.tp + labelled_set.fp) - labelled_set.tp * exclude_self
        for labelled_set in (below, above)
    ]
    won = [labelled_set.b * compared for labelled_set, compared in zip((below, above), pairs, strict=True)]
    return (level * pairs[0] - won[0]) / (won[1] - won[0] - level * (pairs[1] - pairs[0]))
