"""The paired test of decisions among several classes: the two models' predictions are exchanged case by case.

If both models are alike, which of them made which of two predictions of a case is chance. Only cases on which they
differ count; all exchanges are weighed exactly where they are few. It needs no variance, which rare classes hide.
"""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np

from unconfuse.metrics import Metric
from unconfuse.table import Array, Codes, ConfusionCells, InMemorySample
from unconfuse.table.counts import counted_by

_EXACT = 4096  # exchanges up to which all are weighed: twelve cases that differ, or more of few kinds
_DRAWS = 4000  # else: a p-value of .05 is then known to .0034
_AT_ONCE = 2_000_000  # cells held at a time
_ROUNDING = 1e-12


def exchange_p(metric: Metric, rows: InMemorySample, pair: tuple[str, str], seed: int = 0) -> float:
    """Return the two-sided p-value of equal models in a metric of decisions.

    >>> from unconfuse.metrics import find_metric
    >>> truth, first, second = (np.array(each) for each in ([0, 0, 1, 1, 2], [0, 0, 1, 1, 2], [0, 1, 1, 0, 1]))
    >>> words = {"scores": {}, "classes": ("x", "y", "z"), "is_multiclass": True}
    >>> rows = InMemorySample(truth=truth, decided={"a": first, "b": second}, **words)
    >>> exchange_p(find_metric("f1_macro", several=True), rows, ("a", "b"))
    0.25
    """
    k, weight = rows.n_classes, rows.weight
    one, other = (rows.decided[model].astype(np.int64) for model in pair)
    truth = rows.truth.astype(np.int64)
    differ = np.flatnonzero((one != other) & (weight > 0))
    if not len(differ):
        return 1.0
    kinds, place = np.unique((truth * k + one)[differ] * k + other[differ], return_inverse=True)
    times = counted_by(place, weight[differ], len(kinds))
    whole = np.unique(np.concatenate([truth * k + one, truth * k + other]))
    base = [counted_by(np.searchsorted(whole, truth * k + each), weight, len(whole)) for each in (one, other)]
    moves = np.zeros((len(kinds), len(whole)))
    of_kind = kinds // (k * k) * k
    at = np.arange(len(kinds))
    moves[at, np.searchsorted(whole, of_kind + kinds // k % k)] -= 1
    moves[at, np.searchsorted(whole, of_kind + kinds % k)] += 1
    exchanged, share = _exchanges(times, seed)
    apart = []
    for part in np.array_split(exchanged, max(1, exchanged.size // len(kinds) * len(whole) // _AT_ONCE)):
        moved = part @ moves
        values = [_value(metric, whole, count, k) for count in (base[0] + moved, base[1] - moved)]
        apart.append(values[0] - values[1])
    seen = abs(float(_value(metric, whole, base[0], k)) - float(_value(metric, whole, base[1], k)))
    found = np.abs(np.concatenate(apart))
    extreme = ~(found < seen - _ROUNDING)  # what is undefined counts against a difference
    if share is not None:
        return float(min(share[extreme].sum(), 1.0))
    return float((1 + np.count_nonzero(extreme)) / (1 + len(extreme)))


def _value(metric: Metric, cells: Codes, count: Array, k: int) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(metric(ConfusionCells(cells // k, cells % k, count, k)))


def _exchanges(times: Array, seed: int) -> tuple[Array, Array | None]:
    """How many cases of each kind are exchanged: all ways with their probabilities, or draws of them."""
    sizes = times.round().astype(np.int64)
    if np.prod(sizes + 1.0) <= _EXACT:
        ways = np.array(list(product(*(range(size + 1) for size in sizes))), dtype=np.float64)
        chances = [np.array([comb(int(size), j) / 2.0 ** int(size) for j in range(size + 1)]) for size in sizes]
        share = np.ones(len(ways))
        for column, chance in enumerate(chances):
            share *= chance[ways[:, column].astype(np.int64)]
        return ways, share
    drawn = np.random.default_rng(seed).binomial(sizes, 0.5, (_DRAWS, len(sizes)))
    return drawn.astype(np.float64), None
