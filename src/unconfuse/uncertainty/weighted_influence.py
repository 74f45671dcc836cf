"""What a table of weighted cases says: each case's influence, half a case more, and how many cases it is worth.

Decisions are a table too, of two scores: 1 where a case is called positive.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unconfuse.metrics import Metric
from unconfuse.metrics.influence_functions import InfluenceFunction
from unconfuse.table import Array, Counts, Sample, ScoreTable, effective_sample_size
from unconfuse.uncertainty.bootstrap import HALF

_STEP = 1e-3  # of a cell; a stencil of five points is then exact to about 1e-12
_STENCIL = ((-2, 1), (-1, -8), (1, 8), (2, -1))


def decision_table(sample: Sample) -> ScoreTable:
    """Decisions as a table of two scores, 1 where a case is called positive."""
    counts, squares = sample.counts(), sample.squared_counts()
    columns = ([each.tp, each.fn] if own else [each.fp, each.tn] for each in (counts, squares) for own in (True, False))
    positives, negatives, *squared = (np.array(column, dtype=np.float64) for column in columns)
    return ScoreTable.from_validated(np.array([1.0, 0.0]), positives, negatives, None, *squared)


def influence_on(metric: Metric, table: ScoreTable) -> InfluenceFunction:
    """Each case's influence on a metric of this table, on the metric's own scale."""
    if metric.of == "counts":
        return _of_decisions(metric, table)
    root = metric.root
    assert root.of.inference.influence is not None
    influence_function = root.of.inference.influence(table)
    return InfluenceFunction(
        table,
        root(influence_function.value),
        root.scale * influence_function.positive,
        root.scale * influence_function.negative,
    )


def _of_decisions(metric: Metric, table: ScoreTable) -> InfluenceFunction:
    """By numerical derivatives; a cell that holds nothing moves nothing."""
    cells = np.concatenate([table.positives, table.negatives])
    slopes = np.zeros(4)
    for times, weight in _STENCIL:
        moved = cells + np.diag(times * _STEP * cells)
        value = metric(Counts.from_validated(tp=moved[:, 0], fn=moved[:, 1], fp=moved[:, 2], tn=moved[:, 3]))
        slopes += weight * np.nan_to_num(value, nan=np.nan, posinf=np.nan, neginf=np.nan)
    slopes = np.divide(slopes, 12 * _STEP * cells, out=np.zeros(4), where=cells != 0)
    tp, fn, fp, tn = cells
    return InfluenceFunction(table, metric(Counts.from_validated(tp=tp, fn=fn, fp=fp, tn=tn)), slopes[:2], slopes[2:])


def half_in_each_cell(table: ScoreTable) -> ScoreTable:
    """Decisions with half a case in each of the four cells.

    It weighs as much as the cases of its class; in an empty cell as much as those of the same decision, if these weigh
    more: where only some of those who tested negative were verified, a missed case speaks for many.
    """
    cells, squares = np.array([table.positives, table.negatives]), np.array(table.squared_weights)
    of_class, of_decision = (
        np.array([_unit(*each) for each in zip(cases, squared, strict=True)])
        for cases, squared in ((cells, squares), (cells.T, squares.T))
    )
    units = np.where(cells > 0, of_class[:, None], np.maximum.outer(of_class, of_decision))
    more, squared = cells + HALF * units, squares + HALF * units**2
    return ScoreTable.from_validated(table.score, more[0], more[1], None, squared[0], squared[1])


def _unit(weight: Array, squares: Array) -> float:
    """Return what a case of this class weighs, as far as the variance is concerned."""
    return float(squares.sum() / weight.sum()) if weight.sum() > 0 else 0.0


def cases_behind(metric: Metric, table: ScoreTable) -> float:
    """Kish's number of cases among which a share is taken; of anything else, of the smaller class.

    Where all of them agree, those that were not seen may weigh as much as the heavier class of them does.
    """
    classes = list(zip((table.positives, table.negatives), table.squared_weights, strict=True))
    how = metric.inference
    fraction = how.fraction or (how.increasing.fraction if how.increasing else None)
    if metric.of != "counts" or fraction is None:
        return min(effective_sample_size(*of_class) for of_class in classes)
    ones, cells = np.eye(4), np.concatenate([table.positives, table.negatives])
    right, trials = fraction(Counts.from_validated(tp=ones[0], fn=ones[1], fp=ones[2], tn=ones[3]))
    found = effective_sample_size(trials * cells, trials * np.concatenate(table.squared_weights))
    if 0 < right @ cells < trials @ cells:
        return found
    heaviest = max(
        _unit(*of_class) for of_class, own in zip(classes, (trials[:2], trials[2:]), strict=True) if own.any()
    )
    return min(found, float(trials @ cells) / heaviest) if heaviest else found


def trials_by_kind(metric: Metric) -> dict[str, npt.NDArray[np.bool_]]:
    """Which of the cells tp, fn, fp and tn a metric of decisions rests on, by what the cases are called.

    Of a proportion these are its trials, of anything else the positives and the negatives.

    >>> from unconfuse.metrics import METRICS
    >>> trials_by_kind(METRICS["precision"])
    {'cases called positive': array([ True, False,  True, False])}
    """
    ones = np.eye(4)
    sides = {"positives": ones[:2].sum(axis=0) > 0, "negatives": ones[2:].sum(axis=0) > 0}
    if metric.inference.fraction is None:
        return sides
    trials = metric.inference.fraction(Counts.from_validated(tp=ones[0], fn=ones[1], fp=ones[2], tn=ones[3]))[1]
    own = np.broadcast_to(np.asarray(trials) > 0, 4)
    called = {"cases called positive": np.array([1, 0, 1, 0]) > 0, "cases called negative": np.array([0, 1, 0, 1]) > 0}
    name = next((name for name, cells in (sides | called).items() if np.array_equal(cells, own)), "cases")
    return {name: np.array(own)}


def sums_of_weights(table: ScoreTable) -> tuple[Array, Array, Array]:
    """At each score of each class: squared weights, their fourth powers as if cases there were alike, and the cases."""
    weight, squares = np.concatenate([table.positives, table.negatives]), np.concatenate(table.squared_weights)
    cases = np.divide(weight**2, squares, out=np.zeros_like(weight), where=squares > 0)
    return squares, np.divide(squares**2, cases, out=np.zeros_like(weight), where=cases > 0), cases
