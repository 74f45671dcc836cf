"""What a metric would be if scores had nothing to do with the class: labels are dealt out anew.

For metrics that choose the best of many thresholds or pool scores: of a useless model they are never at their chance
level, but above it, so that only such draws say whether a value is more than chance.
"""

from __future__ import annotations

import numpy as np

from unconfuse.metrics import Metric
from unconfuse.table import Array, ScoreTable, remembered
from unconfuse.uncertainty.bootstrap import bootstrapped, in_fine_bands

_DRAWS = 199  # p-values are then multiples of 1/200
_EXACTLY = 5000  # cases; of more, labels are drawn with replacement, which comes to the same


def p_by_chance(metric: Metric, table: ScoreTable) -> float:
    """How often labels that are dealt out anew give a value as good as this one; the value counts as one of them.

    Good (1994), Permutation Tests; Phipson and Smyth (2010), Stat. Appl. Genet. Mol. Biol. 9:39 (why not 0).

    >>> from unconfuse.metrics import METRICS
    >>> table = ScoreTable(np.arange(20.)[::-1], np.repeat([1., 0], 10), np.repeat([0., 1], 10))
    >>> p_by_chance(METRICS["h_measure"], table), p_by_chance(METRICS["h_measure"], table.scaled(.25, .25))
    (0.005, 0.025)
    """
    return remembered(table, ("by chance", metric.name), lambda: _p_by_chance(metric, table))


def _p_by_chance(metric: Metric, table: ScoreTable) -> float:
    small = in_fine_bands(table)
    counted = table.n <= _EXACTLY and all(np.array_equal(of_class, np.round(of_class)) for of_class in _classes(table))
    draws = metric(_dealt(table)) if counted else _drawn(metric, small)
    reached = np.count_nonzero(draws >= float(metric(table if counted else small)) - 1e-12)
    return float((1 + reached) / (1 + _DRAWS))


def _classes(table: ScoreTable) -> tuple[Array, Array]:
    return table.positives, table.negatives


def _dealt(table: ScoreTable) -> ScoreTable:
    """Tables of the same scores and as many positives, which are dealt out at random."""
    cases = (table.positives + table.negatives).astype(np.int64)
    labels = np.arange(int(cases.sum())) < round(table.n_positives)
    held = np.flatnonzero(cases)
    starts = np.cumsum(cases[held]) - cases[held]
    dealt = np.random.default_rng(0).permuted(np.tile(labels, (_DRAWS, 1)), axis=1)
    positives = np.add.reduceat(dealt, starts, axis=1, dtype=np.float64)
    return ScoreTable.from_validated(
        table.score[held], positives, np.asarray(cases[held] - positives, dtype=np.float64)
    )


def _drawn(metric: Metric, table: ScoreTable) -> Array:
    """Draw the metric's values by chance with replacement, for fractional weights and for very many cases."""
    cases = table.positives + table.negatives
    pooled = ScoreTable.from_validated(
        table.score, cases * (table.n_positives / table.n), cases * (table.n_negatives / table.n)
    )
    return bootstrapped(pooled, [metric], _DRAWS, fixed_classes=True, seed=0)[metric.name]
