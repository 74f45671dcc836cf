"""Which metrics of scores have an interval by formula, and the one they use.

Every formula is the same: add half a case of unknown rank to each class (see `smoothed`), take the standard error from
the influence function, and step 1.96 of them to each side on a scale without ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Protocol

import numpy as np
import numpy.typing as npt

from unconfuse.metrics import METRICS
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.delong import auroc_interval
from unconfuse.uncertainty.influence import (
    Influence,
    auprc_influence,
    auroc_influence,
    average_precision_influence,
    brier_influence,
    mean_influence,
    skill_influence,
)
from unconfuse.uncertainty.losses import LinearStatistic, smoothed_brier, smoothed_log_loss, smoothed_skill
from unconfuse.uncertainty.paired import (
    Difference,
    InfluenceOf,
    InfluenceSums,
    RowInfluences,
    difference,
    row_influences,
)
from unconfuse.uncertainty.smoothed import NamedLimits, area_interval, around, half_case, logit_limits, quantile

MEAN_METHOD = "normal{scale}, half a case of unknown score added to each class"


class Formula(Protocol):
    """An interval from a table alone; `confidence_level` and `design` as everywhere."""

    def __call__(self, table: ScoreTable, *, design: str = "cohort", confidence_level: float = 0.95) -> NamedLimits:
        """The limits and, in words, the method."""
        ...


def of_auroc(table: ScoreTable, *, design: str = "cohort", confidence_level: float = 0.95) -> NamedLimits:
    """The AUROC's; it is the same in both designs, for the AUROC does not depend on the share of positives."""
    return auroc_interval(table, confidence_level=confidence_level)


def of_gini(table: ScoreTable, *, design: str = "cohort", confidence_level: float = 0.95) -> NamedLimits:
    """2 AUROC - 1 of the AUROC's limits."""
    low, high, method = auroc_interval(table, confidence_level=confidence_level)
    return NamedLimits(2 * low - 1, 2 * high - 1, method)


def of_davis_goadrich(table: ScoreTable, *, design: str = "cohort", confidence_level: float = 0.95) -> NamedLimits:
    """Those of the continuous area, which Davis and Goadrich's approaches, widened if need be to hold the value."""
    found = area_interval(auprc_influence, table, design=design, confidence_level=confidence_level)
    return around(METRICS["auprc_davis_goadrich"](table), *found)


def of_brier(table: ScoreTable, *, design: str = "cohort", confidence_level: float = 0.95) -> NamedLimits:
    """A mean of squared errors, on the logit scale.

    Examples
    --------
    >>> table = ScoreTable(np.array([.9, .7, .4, .2]), np.array([9., 7, 4, 2]), np.array([1., 3, 6, 8]))
    >>> low, high, method = of_brier(table)
    >>> print(f"{low:.3f} {high:.3f} {method}")
    0.124 0.259 normal on the logit scale, half a case of unknown score added to each class
    """
    smoothed = smoothed_brier(table) if table.positives.ndim == 1 else brier_influence(half_case(table))
    limits = logit_limits(smoothed.value, smoothed.standard_error(design=design), confidence_level=confidence_level)
    return around(METRICS["brier"](table), *limits, MEAN_METHOD.format(scale=" on the logit scale"))


def of_log_loss(table: ScoreTable, *, design: str = "cohort", confidence_level: float = 0.95) -> NamedLimits:
    """A mean of surprises, on the log scale; infinite if something happened that was stated to be impossible."""
    value = METRICS["log_loss"](table)
    method = MEAN_METHOD.format(scale=" on the log scale")
    if np.any(np.isinf(value)):
        return NamedLimits(value, value, method)
    smoothed = smoothed_log_loss(table) if table.positives.ndim == 1 else _log_loss_influence(half_case(table), table.n)
    low, high = _log_limits(smoothed.value, smoothed, design, confidence_level)
    return NamedLimits(np.minimum(low, value), np.maximum(high, value), method)


def of_brier_skill(table: ScoreTable, *, design: str = "cohort", confidence_level: float = 0.95) -> NamedLimits:
    """One less a ratio of two mean squared errors; the ratio on the log scale."""
    smoothed = smoothed_skill(table) if table.positives.ndim == 1 else skill_influence(half_case(table))
    value = METRICS["brier_skill"](table)
    low, high = _log_limits(1 - smoothed.value, smoothed, design, confidence_level)
    method = MEAN_METHOD.format(scale=" on the log scale of 1 - skill")
    return NamedLimits(np.minimum(1 - high, value), np.maximum(1 - low, value), method)


def _log_loss_influence(table: ScoreTable, n: float) -> Influence:
    """Influence on the log loss, scores moved a little away from 0 and 1."""
    share = np.clip(table.score, 1 / (2 * n), 1 - 1 / (2 * n))
    return mean_influence(table, -np.log(share), -np.log1p(-share))


def _log_limits(
    value: Array, influence: Influence | LinearStatistic, design: str, confidence_level: float
) -> tuple[Array, Array]:
    reach = np.exp(quantile(confidence_level) * influence.standard_error(design=design) / value)
    return value / reach, value * reach


def paired_difference(
    name: str,
    is_positive: npt.NDArray[np.bool_],
    first: Array,
    second: Array,
    *,
    weights: Array | None = None,
    design: str = "cohort",
    confidence_level: float = 0.95,
) -> Difference:
    """First model's metric less the second's on the same rows, for a metric in `INFLUENCES`.

    Examples
    --------
    >>> truth = np.repeat([True, False], 10)
    >>> noise = np.random.default_rng(0).normal(size=(2, 20))
    >>> found = paired_difference("average_precision", truth, 2 * truth + noise[0], truth + noise[1])
    >>> print(f"{found.difference:.3f} [{found.low:.3f}, {found.high:.3f}] {found.method}")
    0.187 [-0.252, 0.503] influence function, paired
    """
    rows = row_influences(INFLUENCES[name], is_positive, [first, second], weights=weights)
    tables = [ScoreTable.of_rows(is_positive, score, weights) for score in (first, second)]
    return difference_of_tables(name, rows, tables, design=design, confidence_level=confidence_level)


def difference_of_tables(
    name: str,
    rows: RowInfluences | InfluenceSums,
    tables: Sequence[ScoreTable],
    *,
    design: str = "cohort",
    confidence_level: float = 0.95,
) -> Difference:
    """The same from both models' tables, and from the influences of the rows, which may be elsewhere."""
    limits = [FORMULAS[name](table, design=design, confidence_level=confidence_level) for table in tables]
    single = [(float(each.low), float(each.high)) for each in limits]
    label = "DeLong" if name == "auroc" else "influence function"
    return difference(rows, single=single, design=design, confidence_level=confidence_level, label=label)


INFLUENCES: Mapping[str, InfluenceOf] = MappingProxyType(
    {
        "auroc": auroc_influence,
        "average_precision": average_precision_influence,
        "auprc_davis_goadrich": auprc_influence,
        "auprc_integral": auprc_influence,
        "brier": brier_influence,
    }
)
FORMULAS: Mapping[str, Formula] = MappingProxyType(
    {
        "auroc": of_auroc,
        "gini": of_gini,
        "average_precision": partial(area_interval, average_precision_influence),
        "auprc_davis_goadrich": of_davis_goadrich,
        "auprc_integral": partial(area_interval, auprc_influence),
        "brier": of_brier,
        "brier_skill": of_brier_skill,
        "log_loss": of_log_loss,
    }
)
