"""By how much one more case at each score would move C(r_b): the standard error of C(r_b) without resampling.

Let W(r) add up, over the labelled cases, by how much each one's chance of being outranked exceeds the level. W = 0 at
the crossing. One more case moves W, hence the crossing, hence the precision, which also counts the case itself. The
density of the scores cancels on the way; only the share of positives right at the crossing remains to be estimated.
"""

from __future__ import annotations

import numpy as np

from unconfuse.metrics.influence import Influence
from unconfuse.table import Array, ScoreTable

_WINDOW = 0.75  # half-width of the window at the crossing, in units of n^(4/5) / 2 cases


def precision_influence(table: ScoreTable, level: float = 0.5) -> Influence:
    """Influence on the precision where B(r) = level, for the mixture that hits the level exactly.

    Examples
    --------
    >>> table = ScoreTable(np.array([3., 2, 1, 0]), np.array([3., 2, 1, 0]), np.array([0., 1, 2, 3]))
    >>> of_c = precision_influence(table)
    >>> of_c.value.round(3), of_c.standard_error().round(3)
    (np.float64(0.788), np.float64(0.148))
    """
    part = labelled_part(table, level)
    tp, fp = _total(part, table.positives), _total(part, table.negatives)
    labelled, precision = tp + fp, tp / (tp + fp)
    at = crossing_block(part)
    excess = float(_mid_cumulated(table.positives)[at]) - level * table.n_positives
    pull = (precision - local_share(table, part)) / (labelled * excess)
    positive, negative = excess_influence(table, level, part)
    return Influence(
        table,
        np.asarray(precision),
        part * (1 - precision) / labelled + pull * positive,
        -part * precision / labelled + pull * negative,
    )


def excess_influence(table: ScoreTable, level: float, part: Array) -> tuple[Array, Array]:
    """Effect of one more positive, and of one more negative, at each score on W with the labelled part held fixed."""
    above = _mid_cumulated(table.positives)
    own = part * (above - level * table.n_positives)
    labelled = part * (table.positives + table.negatives)
    # A positive outranks every labelled case below it, and raises the level's share of all comparisons.
    outranked = labelled.sum() - _mid_cumulated(labelled)
    return own + outranked - level * labelled.sum(), own


def labelled_part(table: ScoreTable, level: float) -> Array:
    """Share of each block that is labelled when B hits the level exactly: 1 above the crossing, 0 below it."""
    cases = table.positives + table.negatives
    gain = cases * (_mid_cumulated(table.positives) - level * table.n_positives)
    excess = np.cumsum(gain)
    at = int(np.searchsorted(np.where(excess > 0, 1, 0), 1))
    part = np.zeros(len(table))
    part[:at] = 1.0
    if at < len(table):
        part[at] = 1 - excess[at] / gain[at]
    return part


def crossing_block(part: Array) -> int:
    """Index of the block in which the labelled part ends."""
    return min(int(np.count_nonzero(part == 1)), len(part) - 1)


def local_share(table: ScoreTable, part: Array) -> float:
    """Share of positives right at the crossing: a straight line through the cases around it, by rank.

    A crossing inside a large tie block needs no neighbours: the block's own share is the answer.
    """
    cases = table.positives + table.negatives
    total = float(cases.sum())
    place = _total(part, cases)
    half = _WINDOW * total**0.8 / 2
    rank = _mid_cumulated(cases)
    weight = cases * np.maximum(1 - ((rank - place) / half) ** 2, 0)
    at = crossing_block(part)
    if cases[at] >= half or not weight.any():
        return float(table.positives[at] / cases[at])
    share, distance = table.positives / cases, rank - place
    return float(np.clip(_line_at_zero(distance, share, weight), 0, 1))


def _line_at_zero(x: Array, y: Array, weight: Array) -> float:
    """Weighted least squares: the height of the line at x = 0."""
    w = weight / weight.sum()
    mean_x, mean_y = float(w @ x), float(w @ y)
    spread = float(w @ (x - mean_x) ** 2)
    slope = float(w @ ((x - mean_x) * (y - mean_y))) / spread if spread > 0 else 0.0
    return mean_y - slope * mean_x


def _mid_cumulated(weights: Array) -> Array:
    """Weight above each block, half of its own included."""
    return np.cumsum(weights) - weights / 2


def _total(part: Array, weights: Array) -> float:
    return float(part @ weights)
