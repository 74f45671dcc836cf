"""Estimates from a binned table: the certain bound of each value, and intervals widened by it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from unconfuse.metrics import Metric
from unconfuse.table import ScoreTable
from unconfuse.uncertainty.estimate import Estimate

NOT_BOUNDED = "not bounded for a binned table"


def bounded_all(
    estimates: Mapping[str, Estimate], metrics: Iterable[Metric], table: ScoreTable, threshold: float | None
) -> dict[str, Estimate]:
    """Estimates made in the middle of the blocks, each with the bound that the blocks allow; nothing else is shown."""
    return {metric.name: bounded(estimates[metric.name], metric, table, threshold) for metric in metrics}


def bounded(found: Estimate, metric: Metric, table: ScoreTable, threshold: float | None = None) -> Estimate:
    """One estimate with its bound, and with an interval that holds for both ends of the bound.

    The interval grows below by as much as the exact value can lie below the value shown, and above likewise.

    >>> import unconfuse as uc
    >>> exact = uc.score_table([1, 0] * 50, [k / 100 for k in range(100)])
    >>> ev = uc.evaluate(exact.coarsen(10, edges=[0.5]), metrics=["auroc", "sensitivity"])
    >>> low, high = ev["auroc"].binning_bounds
    >>> bool(low < uc.METRICS["auroc"](exact) < high), ev["sensitivity"].binning_bounds
    (True, (0.5, 0.5))
    """
    low, high = metric.bound_on(table, threshold)
    if math.isnan(low) and not found.undefined:
        unknown = replace(found, value=math.nan, low=math.nan, high=math.nan, method="", recompute=None)
        return replace(unknown, undefined=NOT_BOUNDED, binning_bounds=(low, high))
    if found.undefined:
        why = found.undefined if math.isnan(low) else f"not known from a binned table; perhaps {found.undefined}"
        return replace(found, undefined=why, binning_bounds=(low, high), recompute=None)
    again = None if found.recompute is None else _RecomputeBounded(found.recompute, metric, table, threshold)
    method = found.method if low == high else found.method + f", binned table, {len(table):,} blocks"
    return replace(_widened(found, low, high, metric.range), binning_bounds=(low, high), recompute=again, method=method)


class _RecomputeBounded:
    """Asking again gives a bounded estimate again."""

    def __init__(self, ask: Callable[..., Estimate], *rest: Any) -> None:
        self._ask, self._rest = ask, rest

    def __call__(self, *, confidence_level: float, method: str | None) -> Estimate:
        return bounded(self._ask(confidence_level=confidence_level, method=method), *self._rest)


def _widened(found: Estimate, low: float, high: float, limits: tuple[float, float]) -> Estimate:
    below, above = (0.0 if end == found.value else abs(found.value - end) for end in (low, high))
    return replace(
        found,
        low=max(found.low - below, limits[0]) if below else found.low,
        high=min(found.high + above, limits[1]) if above else found.high,
    )
