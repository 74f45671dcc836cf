"""Which summary of several classes tells models apart best, on the user's own scores.

A better classifier is one whose log-score of the true class is higher by delta in every row, rows scaled back to 1.
Signal curves are the metrics over a grid of delta; the noise is resampled at the data's own point (delta = 0), with
each row's influence on the metric; kappa is the width of the 95% interval mapped to the reference scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text
from unconfuse._validate import check_number
from unconfuse.metrics import Metric, find_metric, find_metrics, name_among
from unconfuse.resolving.resolution import Resolution, Resolutions, ratio_of, resolution_of
from unconfuse.resolving.signal_curve import SignalCurve
from unconfuse.table import Array, InMemorySample, Settings
from unconfuse.uncertainty.bootstrap_intervals import spread
from unconfuse.uncertainty.multiclass_limits import summary_of
from unconfuse.uncertainty.row_bootstrap import RowBootstrap

DEFAULT = ("auroc_ovr_macro", "auroc_hand_till", "accuracy", "balanced_accuracy", "mcc", "log_loss", "brier")
_GRID = 41
_FARTHEST = 50.0  # shifts of a log-probability: beyond, scores are 0 and 1
_BATCHES = 10


@dataclass(frozen=True, eq=False, repr=False)
class ClassResolvingPower(Resolutions[str]):
    """How finely each summary resolves models like this one; the smallest kappa tells models apart best.

    Attributes
    ----------
    resolutions : mapping of name to Resolution
    curves : mapping of name to SignalCurve
    reference : str
        The common scale.
    """

    reference: str
    n: float
    confidence_level: float
    n_resamples: int
    seed: int

    def __getitem__(self, name: str) -> Resolution:
        return self.resolutions[name_among(self.resolutions, name)]

    @property
    def recommendation(self) -> str:
        """Which metric to select models by, in words."""
        usable = [resolution for resolution in self.resolutions.values() if math.isfinite(resolution.kappa)]
        if not usable:
            return "no metric resolves these data: every signal curve is flat or bends back."
        best = min(usable, key=lambda each: each.kappa)
        also = [
            resolution.metric
            for resolution in usable
            if resolution is not best
            and resolution.kappa - best.kappa < 2 * math.hypot(resolution.mc_error, best.mc_error)
        ]
        tied = f" {', '.join(also)} did as well within the error of this simulation." if also else ""
        least = number_text(math.sqrt(0.5) * best.kappa, 4)  # of two independent estimates
        return (
            f"If a better model raises the log-score of the true class by the same amount in every case, and each of "
            f"two models is evaluated on {self.n:,g} cases of its own, {best.metric} has the highest resolving power: "
            f"its 95% interval is {number_text(best.kappa, 4)} wide on the scale of {self.reference} (kappa), and two "
            f"such models differ significantly from {least} on.{tied}"
        )

    def __repr__(self) -> str:
        return f"ClassResolvingPower: {len(self)} metrics on the scale of {self.reference}, {self.n:g} cases"


def class_resolving_power(
    rows: InMemorySample, metrics: Iterable[str | Metric] | None, design: Settings, *, reference: str, reach: float
) -> ClassResolvingPower:
    """Signal and noise of each metric on these rows."""
    if rows.probability_problem():
        raise ArgumentError(
            f"resolving power needs probabilities: {rows.probability_problem()}. Hint: the improvement "
            "moves the log-probability of the true class."
        )
    wanted = find_metrics(DEFAULT if metrics is None else metrics, several=True)
    base, reach = find_metric(reference, several=True), check_number(reach, "reach")
    if not 0 < reach <= _FARTHEST:
        raise ArgumentError(f"`reach` must lie between 0 and {_FARTHEST}; got {reach:g}.")
    everything = tuple(dict.fromkeys([base, *wanted]))
    grid = (improved(rows, float(delta)) for delta in np.linspace(-reach, reach, _GRID))
    columns = np.array([[float(metric(moved)) for metric in everything] for moved in grid]).T
    values = {metric.name: column for metric, column in zip(everything, columns, strict=True)}
    curves = {name: SignalCurve(name, base.name, values[base.name], value) for name, value in values.items()}
    at, found = float(values[base.name][_GRID // 2]), {}
    for name, drawn in _noise(everything, rows, design).items():
        here, sd = float(values[name][_GRID // 2]), spread(drawn)
        resolution, _ = resolution_of(curves[name], drawn, design.confidence_level, at, here, sd, batches=_BATCHES)
        found[name] = replace(resolution, mc_error=0.0 if resolution.undefined else resolution.mc_error)
    kappa = found[base.name].kappa
    shown = {
        metric.name: replace(found[metric.name], delta=float(ratio_of(found[metric.name].kappa, kappa)) - 1)
        for metric in wanted
    }
    how = design.confidence_level, design.n_resamples, design.seed
    return ClassResolvingPower(shown, curves, base.name, rows.n, *how)


def improved(rows: InMemorySample, delta: float) -> InMemorySample:
    """Return the same rows with the log-score of every true class higher by delta, rows scaled back to 1."""
    scores = np.array(rows.matrix, dtype=np.float64)
    scores[np.arange(len(rows)), rows.truth] *= math.exp(delta)
    scores /= scores.sum(axis=1, keepdims=True)
    model = rows.only_model
    return rows.derive(scores={model: scores}, decided={model: np.argmax(scores, axis=1)})


def _noise(metrics: Iterable[Metric], rows: InMemorySample, design: Settings) -> dict[str, Array]:
    """Linear replicates: the value plus the resampled rows' influences, the same resamples for all metrics."""
    start = improved(rows, 0.0)
    found = {metric.name: summary_of(metric, start) for metric in metrics}
    # A metric that is infinite or undefined stays so, whatever rows are drawn: nothing is added to it.
    known = (
        np.where(np.isfinite(influence_summary.influence), influence_summary.influence, 0.0)
        for influence_summary in found.values()
    )
    influence = np.column_stack(list(known))
    moves = RowBootstrap(start, design).sums(influence) - start.weight @ influence
    return {
        name: influence_summary.value + moves[:, place] for place, (name, influence_summary) in enumerate(found.items())
    }
