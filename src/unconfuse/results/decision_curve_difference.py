"""Two models' decision curves against each other: where one is worth more than the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError
from unconfuse._formatting import TabularResult, number_text, strict_json
from unconfuse._validate import as_floats, check_choice
from unconfuse.metrics.influence_functions import quantile
from unconfuse.table import Sample, Settings, fractions
from unconfuse.uncertainty.bands import ConfidenceBand
from unconfuse.uncertainty.exact_bands import critical_value, paired_net_benefit_moments


@dataclass(frozen=True, repr=False)
class DecisionCurveContrast(TabularResult):
    """Net benefit of one model less that of another over threshold probabilities, on the same cases, with its band.

    Attributes
    ----------
    first, second : str
    band : ConfidenceBand
        `x` are the threshold probabilities, `y` the differences.
    """

    first: str
    second: str
    band: ConfidenceBand

    @property
    def wins(self) -> dict[str, list[tuple[float, float]]]:
        """Threshold probabilities at which each model is surely worth more, from and to."""
        band = self.band
        return {self.first: _ranges(band.x, band.low > 0), self.second: _ranges(band.x, band.high < 0)}

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        at_once = "everywhere at once" if self.band.kind == "simultaneous" else "at each threshold alone"
        how = f"{self.band.confidence_level:.4g} confidence, {at_once}"
        told = [
            f"{name} has the larger net benefit at threshold probabilities {_listed(ranges)}"
            for name, ranges in self.wins.items()
            if ranges
        ]
        if told:
            return f"{'; '.join(told)} (net benefit, {how})."
        ends = f"{self.band.x[0]:g} to {self.band.x[-1]:g}"
        return (
            f"No threshold probability from {ends} tells {self.first} and {self.second} apart in net benefit ({how})."
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row for each threshold probability."""
        keys = {"x": "threshold", "y": "difference", "low": "low", "high": "high"}
        return [{keys[name]: value for name, value in row.items()} for row in self.band.rows()]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        how = {"kind": self.band.kind, "confidence_level": self.band.confidence_level, "method": self.band.method}
        return {"first": self.first, "second": self.second, **how, "rows": self.rows(), "sentence": self.sentence}

    def __repr__(self) -> str:
        return self.sentence


def decision_difference(
    sample: Sample, first: str, second: str, design: Settings, *, at: npt.ArrayLike | None, kind: str
) -> DecisionCurveContrast:
    """Both models' net benefit on the same rows, and how sure their difference is."""
    check_choice(kind, "kind", ("pointwise", "simultaneous"))
    _check(sample, (first, second))
    rows = sample.rows_for("a comparison of decision curves")
    grid = fractions(1, 99, 100) if at is None else np.unique(as_floats(at, "at"))
    if not len(grid) or not ((grid >= 0) & (grid < 1)).all():
        raise ArgumentError("`threshold_probabilities` must hold numbers from 0 to below 1.")
    scores = rows.scores[first], rows.scores[second]
    values, covariance = paired_net_benefit_moments(rows.is_positive, scores, rows.weight, grid)
    error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    reach = (
        quantile(design.confidence_level)
        if kind == "pointwise"
        else critical_value(covariance, design.confidence_level)
    )
    made = ConfidenceBand(
        grid, values, values - reach * error, values + reach * error, kind, design.confidence_level, "Gaussian (sup-t)"
    )
    return DecisionCurveContrast(first, second, made)


def _check(sample: Sample, models: tuple[str, str]) -> None:
    if sample.is_multiclass or not sample.has_scores:
        raise ArgumentError("decision curves are for yes-or-no questions with probabilities.")
    for name in models:
        why = sample.probability_problem(name)
        if why:
            raise ArgumentError(
                f"decision curves need probabilities, but of {name}: {why}. Hint: recalibrate the scores."
            )
    if not sample.sampling.counted or sample.sampling.fixed_classes:
        raise ArgumentError(
            "decision curves are compared case by case, in a cohort. Hint: leave out groups, weights and design."
        )


def _ranges(at: npt.NDArray[np.float64], sure: npt.NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Return runs of neighbouring thresholds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], sure, [False]]).astype(np.int8)))
    return [(float(at[start]), float(at[end - 1])) for start, end in zip(edges[::2], edges[1::2], strict=True)]


def _listed(ranges: list[tuple[float, float]]) -> str:
    words = [number_text(low) if low == high else f"{number_text(low)} to {number_text(high)}" for low, high in ranges]
    return ", ".join(words[:4]) + (" and others" if len(words) > 4 else "")
