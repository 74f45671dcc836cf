"""Costs of confusions: what the decisions cost, and what the cost-minimal decisions would."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unconfuse._formatting import plain_values, strict_json
from unconfuse.metrics._metric import InfluenceSummary
from unconfuse.metrics.influence_functions import quantile
from unconfuse.metrics.multiclass_decisions import check_costs
from unconfuse.metrics.multiclass_scores import mean_summary
from unconfuse.table import Array, Codes, InMemorySample, Settings
from unconfuse.table.sample import Matrix
from unconfuse.uncertainty import Estimate, variance_of
from unconfuse.uncertainty.bootstrap_intervals import scale_name, step

FOLDS = 10


@dataclass(frozen=True)
class CostReport:
    """The mean cost of a case under three ways to decide, all measured on the same cases.

    Attributes
    ----------
    as_decided : Estimate
        Of the predicted classes.
    cost_minimal : Estimate or None
        Of the class with the smallest expected cost under the stated probabilities; None without probabilities. The
        rule has no fitted parameter, so that nothing flatters it; recalibrated probabilities are cross-fitted.
    best_constant : Estimate
        Of always naming the one class that costs least.
    saving : Estimate or None
        Cost as decided less cost-minimal cost, on the same cases.
    decisions : array or None
        The cost-minimal classes, by number.
    how : str
        Where the probabilities came from.
    """

    as_decided: Estimate
    cost_minimal: Estimate | None
    best_constant: Estimate
    saving: Estimate | None
    decisions: Codes | None
    how: str

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        names = ("as_decided", "cost_minimal", "best_constant", "saving", "how")
        return {name: plain_values(getattr(self, name)) for name in names}

    def __str__(self) -> str:
        found = (self.as_decided, self.cost_minimal, self.best_constant, self.saving)
        return "\n".join(str(estimate) for estimate in found if estimate is not None)


def expected_costs(rows: InMemorySample, costs: Any, design: Settings, *, recalibrate: bool = False) -> CostReport:
    """Compute what decisions cost on these rows."""
    matrix = check_costs(costs, rows.n_classes)
    decided = mean_summary(matrix[rows.truth, rows.predicted], rows)
    constant = int(np.argmin(rows.sizes @ matrix))
    always = mean_summary(matrix[rows.truth, constant], rows)
    ends = float(matrix.min()), float(matrix.max())
    first = _estimate("expected_cost", "Mean cost as decided", decided, rows, design, ends)
    name = f"Mean cost of always saying {rows.classes[constant]!r}"
    last = _estimate("expected_cost_constant", name, always, rows, design, ends)
    if rows.probability_problem():
        return CostReport(first, None, last, None, None, f"no cost-minimal rule: {rows.probability_problem()}")
    probabilities = _recalibrated(rows, design.seed) if recalibrate else rows.matrix
    chosen = cost_minimal(probabilities, matrix)
    best = mean_summary(matrix[rows.truth, chosen], rows)
    saved = InfluenceSummary(decided.value - best.value, decided.influence - best.influence)
    words = "the stated probabilities as they are; the rule has no fitted parameter"
    if recalibrate:
        words = f"temperature fitted on {FOLDS - 1} of {FOLDS} folds, used on the other"
    least = _estimate("expected_cost_minimal", "Mean cost of cost-minimal decisions", best, rows, design, ends)
    saving = _estimate("saving", "Saving of cost-minimal decisions", saved, rows, design, (-np.inf, np.inf))
    return CostReport(first, least, last, saving, chosen, words)


def cost_minimal(probabilities: Matrix, costs: Array) -> Codes:
    """For each row the class with the smallest expected cost; ties go to the first.

    >>> cost_minimal(np.array([[.8, .2]]), np.array([[0., 1.], [10., 0.]]))
    array([1])
    """
    return np.asarray(np.argmin(np.asarray(probabilities) @ costs, axis=1), dtype=np.int64)


def _estimate(
    name: str, label: str, summary: InfluenceSummary, rows: InMemorySample, design: Settings, ends: tuple[float, float]
) -> Estimate:
    reach = np.sqrt(variance_of(summary.influence, rows)) * quantile(design.confidence_level)
    range_ = ends if ends[0] < ends[1] else (-np.inf, np.inf)
    low, high = step(np.asarray(summary.value), np.asarray(reach), range_)
    limits = min(float(low), summary.value), max(float(high), summary.value)
    size, method = f"{rows.n_classes} classes, {rows.n:g} cases", f"influence function{scale_name(range_)}"
    level = design.confidence_level
    return Estimate(name, label, summary.value, *limits, level, method, better="lower", conditions=size)


def _recalibrated(rows: InMemorySample, seed: int) -> Array:
    """Probabilities raised to a power and scaled back; the power is fitted on the other folds."""
    logs = np.log(np.maximum(np.asarray(rows.matrix, dtype=np.float64), 1e-15))
    units = np.arange(len(rows)) if rows.groups is None else rows.groups
    fold = np.random.default_rng(seed).permutation(int(units.max()) + 1)[units] % FOLDS
    out = np.empty_like(logs)
    for index in range(FOLDS):
        inside = fold == index
        out[inside] = _tempered(logs[inside], _power(logs[~inside], rows.truth[~inside], rows.weight[~inside]))
    return out


def _tempered(logs: Array, power: float) -> Array:
    raised = power * logs
    raised = np.exp(raised - raised.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _power(logs: Array, truth: Codes, weight: Array) -> float:
    """Find the power with the smallest log loss: Newton's method on a convex function of one number."""
    power, own = 1.0, logs[np.arange(len(logs)), truth]
    for _ in range(50):
        p = _tempered(logs, power)
        mean = np.einsum("ik,ik->i", p, logs)
        slope = float(weight @ (mean - own))
        bend = float(weight @ (np.einsum("ik,ik->i", p, logs**2) - mean**2))
        if bend <= 0:
            break
        move = float(np.clip(slope / bend, -0.5 * power, power))
        power -= move
        if abs(move) < 1e-10 * power:
            break
    return power
