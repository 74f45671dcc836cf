"""Replicates of several models on the same resampled rows, so that their differences are paired."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._errors import ArgumentError
from unconfuse.metrics import Metric
from unconfuse.table import Array, Counts, Scores, ScoreTable
from unconfuse.uncertainty.bootstrap import Progress, Teller, kernels_of, slices, split

Integers = npt.NDArray[np.int64]
_CELLS_AT_A_TIME = 1 << 22


@dataclass(frozen=True)
class Resampling:
    """How rows are drawn: how often, with which seed, by class or by group, and where decisions are cut."""

    n_resamples: int
    seed: int
    design: str
    thresholds: Mapping[str, float]
    progress: Progress | None = None
    n_groups: int | None = None  # all that are drawn from, if the rows are a subgroup that lacks some


def paired_replicates(rows: Scores, metrics: Iterable[Metric], how: Resampling) -> dict[str, Array]:
    """Replicates of shape (models, n_resamples) for each metric."""
    compiled, others = split(metrics)
    tell = Teller(how.progress, how.n_resamples * (bool(compiled) + bool(others)), how.n_resamples)
    orders = [_kernels.order_rows(score) for score in rows.score.values()]
    return _compiled(rows, orders, compiled, how, tell) | _by_tables(rows, orders, others, how, tell)


def _strata(rows: Scores, how: Resampling) -> Integers | None:
    """The class of each row, if rows are drawn within classes."""
    if how.design != "case-control":
        return None
    if rows.groups is not None:
        raise ArgumentError("groups are resampled whole, whatever their class. Hint: use design='cohort'.")
    return rows.is_positive.astype(np.int64)


def _compiled(
    rows: Scores, orders: list[tuple[Integers, Integers]], metrics: list[Metric], how: Resampling, tell: Teller
) -> dict[str, Array]:
    names = kernels_of(metrics)
    parts: dict[str, list[Array]] = {name: [] for name in names}
    for first, count in slices(how.n_resamples if names else 0, 8 * _CELLS_AT_A_TIME // (len(rows) * len(orders))):
        values = _kernels.paired_bootstrap_ranks(
            orders,
            rows.is_positive,
            seed=how.seed,
            first=first,
            count=count,
            metrics=names,
            strata=_strata(rows, how),
            unit_of_row=rows.groups,
            weights=rows.weights if rows.groups is None else _group_weights(rows, how),
            row_weights=None if rows.groups is None else rows.weights,
        )
        for name in names:
            parts[name].append(values[name])
        tell(count)
    return {each.name: each.root(np.concatenate(parts[each.root.of.kernel], axis=1)) for each in metrics}


def _by_tables(
    rows: Scores, orders: list[tuple[Integers, Integers]], metrics: list[Metric], how: Resampling, tell: Teller
) -> dict[str, Array]:
    """Any metric: the multiplicity of every row, then each model's tables or counts."""
    parts: dict[str, list[Array]] = {each.name: [] for each in metrics}
    for first, count in slices(how.n_resamples if metrics else 0, _CELLS_AT_A_TIME // len(rows)):
        weights = row_weights(rows, how, first, count)
        per_model = [
            _values(rows, name, order, weights, metrics, how.thresholds[name])
            for name, order in zip(rows.score, orders, strict=True)
        ]
        for each in metrics:
            parts[each.name].append(np.array([values[each.name] for values in per_model]))
        tell(count)
    return {name: np.concatenate(values, axis=1) for name, values in parts.items()}


def row_weights(rows: Scores, how: Resampling, first: int, count: int) -> Array:
    """The weight of every row in each resample: shape (count, rows)."""
    strata = _strata(rows, how)
    if rows.groups is None:
        weights = np.ones(len(rows)) if rows.weights is None else rows.weights
        draws = _kernels.bootstrap_rows(weights, seed=how.seed, first=first, count=count, strata=strata)
        return draws.astype(np.float64)
    draws = _kernels.bootstrap_rows(_group_weights(rows, how), seed=how.seed, first=first, count=count)
    per_row = draws[:, rows.groups].astype(np.float64)
    return per_row if rows.weights is None else per_row * rows.weights


def _group_weights(rows: Scores, how: Resampling) -> Array:
    """Every group is drawn as often as any other, also those that these rows lack."""
    assert rows.groups is not None
    return np.ones(int(rows.groups.max()) + 1 if how.n_groups is None else how.n_groups)


def _values(
    rows: Scores, name: str, order: tuple[Integers, Integers], weights: Array, metrics: list[Metric], threshold: float
) -> dict[str, Array]:
    counts = _counts(rows, name, weights, threshold) if any(each.of == "counts" for each in metrics) else None
    tables = _tables(rows, name, order, weights) if any(each.of != "counts" for each in metrics) else None
    return {each.name: each(counts if each.of == "counts" else tables) for each in metrics}  # type: ignore[arg-type]


def _counts(rows: Scores, name: str, weights: Array, threshold: float) -> Counts:
    labelled, positive = rows.score[name] >= threshold, rows.is_positive
    cells = np.array([positive & labelled, ~positive & labelled, positive & ~labelled, ~positive & ~labelled])
    tp, fp, fn, tn = (weights @ cells.T.astype(np.float64)).T
    return Counts(tp=tp, fp=fp, fn=fn, tn=tn)


def _tables(rows: Scores, name: str, order: tuple[Integers, Integers], weights: Array) -> ScoreTable:
    ranked, block_end = order
    starts = np.concatenate([[0], block_end[:-1]])
    in_order, positive = weights[:, ranked], rows.is_positive[ranked]
    positives, negatives = (np.add.reduceat(in_order * side, starts, axis=1) for side in (positive, ~positive))
    return ScoreTable(rows.score[name][ranked][starts], positives, negatives)
