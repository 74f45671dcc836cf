"""Averages over classes of which one is rare: each class's own interval, joined, and differences by class.

A class of a few cases shows next to no spread of its own, and a resampled table repeats what it shows. The interval of
the same metric of that class against the rest allows for it. Those of all classes are joined as in MOVER (Zou & Donner
2008, Statistics in Medicine 27:1693), with the correlations of the classes' influences; a class of which nothing is
known (never predicted, so that its precision counts as 0) may be anywhere in its range, whatever the others are, so its
distance is added whole. Measured in tests/coverage/multiclass.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics.multiclass_decisions import values_in_average
from unconfuse.table import Array, ConfusionCells, Counts, InMemorySample, Sample, Settings, summed_by
from unconfuse.uncertainty.multiclass_intervals import RARE
from unconfuse.uncertainty.multiclass_limits import ClassInterval, undefined_classes

_MOST_CLASSES = 30  # each is judged against the rest
_MOST_PAIRS = 90  # of classes: ten of them
_METHOD = "MOVER of the classes' intervals"
# Of these, those of a rare class rest on the many other cases: resampled tables hold them (NPV's upper tail 3% where
# joined mid-p limits have 9%, 120 to 300 samples of 30 cases).
_OF_OTHERS = ("npv", "false_omission_rate", "specificity", "false_positive_rate")
_STEP = 1e-5  # of the cases: of a derivative


@dataclass(frozen=True, eq=False)
class _Part:
    """One class of an average, or one pair of classes."""

    value: float
    low: float
    high: float
    influence: Array  # of each cell of decisions, or of each row
    known: bool = True


def has_rare_class(sample: Sample) -> bool:
    """Whether whole cases were drawn one by one, and a class that occurs has few of them."""
    sizes = sample.sizes[sample.sizes > 0]
    few = len(sizes) > 1 and float(sizes.min()) < RARE and sample.n_classes <= _MOST_CLASSES
    return bool(few and sample.sampling.counted and sample.sampling.independent)


def limits_of_average(metric: Metric, value: float, sample: Sample, design: Settings) -> ClassInterval | None:
    """Limits of a macro average where a class is rare; None of anything else."""
    if not has_rare_class(sample) or np.isnan(value):
        return None
    if metric.name == "auroc_hand_till":
        if np.count_nonzero(sample.sizes) * (np.count_nonzero(sample.sizes) - 1) > _MOST_PAIRS:
            return None
        return _joined(value, _pairs(sample, design), "")
    binary = _averaged(metric)
    if binary is None:
        return None
    note = undefined_classes(metric, sample.cells().margins(), sample.classes) if metric.of == "cells" else ""
    return _joined(value, _classes(binary, sample, design), note)


def _averaged(metric: Metric) -> Metric | None:
    """Return the metric of one class, of which this is the plain mean over the classes."""
    if metric.name == "balanced_accuracy":
        return METRICS["sensitivity"]
    average = metric.inference.average
    if average is None or average.kind != "macro" or average.of.name in _OF_OTHERS:
        return None
    return average.of


def _classes(binary: Metric, sample: Sample, design: Settings) -> Iterator[_Part]:
    """Each class against the rest, with its own interval."""
    from unconfuse.uncertainty.engine import estimate  # which reads this module

    cells = sample.cells()
    decided = binary.of == "counts"
    counted = values_in_average(binary, cells.margins()) if decided else np.where(sample.sizes > 0, 0.0, np.nan)
    for k in np.flatnonzero(~np.isnan(counted)):
        own = sample.one_vs_rest(int(k))
        found = estimate([binary], own, design.without_progress())[binary.name]
        if np.isnan(found.low):  # it counts in the average, and nothing is known of it: never predicted, or never true
            yield _Part(
                float(counted[k]),
                *binary.range,
                np.zeros(len(cells.truth) if decided else len(sample.rows_for(binary.name))),
                known=False,
            )
            continue
        influence = _of_decisions(binary, cells, int(k)) if decided else _of_scores(binary, own)
        yield _Part(found.value, found.low, found.high, influence)


def _of_decisions(binary: Metric, cells: ConfusionCells, k: int) -> Array:
    """How far one more case in each cell moves the metric of one class, times the root of the cases there."""
    counts = cells.one_vs_rest(k)
    base, unit = np.array([counts.tp, counts.fp, counts.fn, counts.tn], dtype=np.float64), _STEP * cells.count.sum()
    moved = base + unit * np.eye(4)
    tp, fp, fn, tn = moved.T
    slopes = (np.asarray(binary(Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn))) - float(binary(counts))) / unit
    place = np.where(cells.truth == k, np.where(cells.predicted == k, 0, 2), np.where(cells.predicted == k, 1, 3))
    return np.asarray(np.nan_to_num(slopes)[place] * np.sqrt(cells.count))


def _of_scores(binary: Metric, own: Sample) -> Array:
    """How far each row moves the metric of one class."""
    rows = own.rows_for("an interval of a rare class")
    if binary.inference.influence is None:
        return np.zeros(len(rows))
    found, block = binary.inference.influence(rows.table()), rows.blocks(rows.only_model)
    return np.asarray(np.where(rows.is_positive, found.positive[block], found.negative[block]) * np.sqrt(rows.weight))


def _pairs(sample: Sample, design: Settings) -> Iterator[_Part]:
    """Each class's column between it and each other class, as Hand and Till take them."""
    from unconfuse.uncertainty.engine import estimate

    rows, auroc = sample.rows_for("Hand and Till's AUROC"), METRICS["auroc"]
    present = np.flatnonzero(rows.sizes > 0)
    for k in present:
        against = rows.one_vs_rest(int(k))
        for other in present[present != k]:
            held = np.flatnonzero((rows.truth == k) | (rows.truth == other))
            own = against.taken(held)
            found = estimate([auroc], own, design.without_progress())["auroc"]
            influence = np.zeros(len(rows))
            influence[held] = _of_scores(auroc, own)
            yield _Part(found.value, found.low, found.high, influence)


def _joined(value: float, parts: Iterator[_Part], note: str) -> ClassInterval | None:
    """Limits of the mean: squared distances to the known parts' own limits, with their correlations."""
    held = list(parts)
    if not held or not np.isfinite([[each.low, each.high] for each in held]).all():
        return None
    moves = np.array([each.influence for each in held])
    together = moves @ moves.T
    size = np.sqrt(np.outer(np.diag(together), np.diag(together)))
    correlation = np.divide(together, size, out=np.zeros_like(together), where=size > 0)
    np.fill_diagonal(correlation, 1.0)
    known = np.array([each.known for each in held])

    def reach(side: str) -> float:
        distance = np.array([abs(each.value - getattr(each, side)) for each in held])
        random = np.where(known, distance, 0.0)
        return float(np.sqrt(max(random @ correlation @ random, 0.0)) + distance[~known].sum()) / len(held)

    low, high = reach("low"), reach("high")
    error = float(np.sqrt(max(together.sum(), 0.0))) / len(held)  # rounding may leave it below 0
    return ClassInterval(value - low, value + high, _METHOD, note, error)


def variance_of_difference(influence: Array, rows: InMemorySample) -> tuple[float, float]:
    """Return the variance of a difference in a mean over classes, and its degrees of freedom (Satterthwaite's).

    Each class has a variance of its own cases, with one degree of freedom from those of all classes: one case alone
    shows none.
    """
    truth, present = rows.truth.astype(np.int64, copy=False), rows.sizes > 0
    sizes = np.where(present, rows.sizes, 1.0)
    scaled = influence * sizes[truth]  # as of one case: the mean of a class divides by its size
    centre = summed_by(truth, rows.weight * scaled, len(sizes)) / sizes
    squares = summed_by(truth, rows.weight * (scaled - centre[truth]) ** 2, len(sizes))
    alone = squares.sum() / max(float((sizes - 1)[present].sum()), 1.0)
    parts = np.where(present, (squares + alone) / sizes / sizes, 0.0)
    whole = float(parts.sum())
    if whole <= 0:
        return 0.0, 1.0
    return whole, float(whole**2 / (parts**2 / sizes)[present].sum())
