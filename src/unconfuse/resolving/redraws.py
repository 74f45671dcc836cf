"""How sure a gain over the AUROC is: the user's cases are drawn anew, and every metric is judged on them again.

A gain is the logarithm of how many cases the AUROC needs for one of the metric. Where influence functions are known, a
redraw costs no simulation: the squared change of the metric between two models over its variance, beside the AUROC's.
Other metrics are judged on few samples of each redraw, and on more if that may decide what few leave open.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._scipy_special import ndtri
from unconfuse.metrics import Metric
from unconfuse.resolving.asymptotic import ClassSizes, standard_error
from unconfuse.resolving.model_sequence import ModelSequence
from unconfuse.resolving.signal_curve import value_of
from unconfuse.resolving.win_probability import (
    SAMPLES,
    PopulationPair,
    WinProbability,
    direction,
    pair_at,
    signal_of,
    signals,
)
from unconfuse.table import Array

if TYPE_CHECKING:
    from unconfuse.resolving.power_result import ResolvingPower

BASE = "auroc"
WORTH = math.log(1.05)  # from which another metric is worth while: the AUROC needs 5% more cases
_REDRAWS = 15
_SURE = 2.06  # deviations over redraws; 1.645 erred in 7 of 84 samples of uniform scores, this in 3
_FIRST = 250  # samples for each redraw, of metrics whose influence function is not known; mostly they decide
_ENOUGH = 1000  # samples where these leave a metric open that more may decide; the error of either widens the interval
_LEAST = 8  # redraws that must succeed
FLAT = 0.2  # of the AUROC's signal: metrics that answer less are all alike


@dataclass(frozen=True)
class Gain:
    """The logarithm of how many cases the AUROC needs for one of a metric, with its interval.

    `least` is the lower limit that also holds for the metric that looks best of several simulated ones.
    """

    log_efficiency: float
    low: float
    high: float
    least: float

    @property
    def is_better(self) -> bool:
        """Whether the metric saves at least 5% of the cases, and its interval excludes that it saves none."""
        return self.log_efficiency > WORTH and self.least > 0

    @property
    def is_ruled_out(self) -> bool:
        """Whether the interval excludes that the metric saves 5% of the cases."""
        return self.high < WORTH

    @property
    def is_decided(self) -> bool:
        """Whether the metric is known to save cases, or not to."""
        return self.is_better or self.is_ruled_out

    @property
    def efficiencies(self) -> tuple[float, float, float]:
        """How many cases the AUROC needs for one of the metric, and the interval of that."""
        value, low, high = (float(np.exp(each)) for each in (self.log_efficiency, self.low, self.high))
        return value, low, high


def gains(
    result: ResolvingPower, at: float, pair: PopulationPair, chances: Mapping[str, WinProbability], seed: int
) -> dict[str, Gain]:
    """Return the gain of every metric that responds; of known distributions the simulation is the only error.

    At qualities besides those asked about, only of metrics that seem to be better: no other can be chosen there.
    """
    base, on_path = chances[BASE], pair.places is not None
    usable = [
        contestant
        for contestant in result.contestants
        if contestant.name != BASE and not chances[contestant.name].undefined
    ]
    if not math.isfinite(base.wins) or (base.undefined and not on_path):
        return {}
    if at not in result.at:
        usable = [metric for metric in usable if _signal(chances[metric.name]) > math.exp(WORTH / 2) * _signal(base)]
    if not hasattr(result.model, "n"):
        of_best = float(ndtri(1 - 0.025 / max(len(usable), 1)))
        return {metric.name: _of_ratio(chances[metric.name], base, 0.0, of_best) for metric in usable}
    redraws = list(_redrawn(result.model, at, pair, result.sizes, np.random.default_rng([seed, 1]))) if usable else []
    if on_path:
        drawn = _signals_redrawn(result, redraws, usable, seed, _ENOUGH)
        return {metric.name: _on_path(chances[metric.name], base, drawn[metric.name]) for metric in usable}
    drawn = _signals_redrawn(result, redraws, usable, seed, _FIRST)
    simulated = [metric for metric in usable if result.paired is not None or not _has_theory(metric)]
    of_first = math.sqrt((SAMPLES if at in result.at else _ENOUGH) / _FIRST)
    if any(_may_be_decided(chances[metric.name], base, drawn[metric.name], of_first) for metric in simulated):
        drawn |= _signals_redrawn(result, redraws, simulated, seed, _ENOUGH)
    return {metric.name: _by_ratios(chances[metric.name], base, drawn[metric.name]) for metric in usable}


def _signals_redrawn(
    result: ResolvingPower, redraws: list[PopulationPair], usable: list[Metric], seed: int, n_samples: int
) -> dict[str, Array]:
    """Return the signals of each metric and of the AUROC, one row for each redraw of the user's cases."""
    rows: dict[str, list[tuple[float, float]]] = {each.name: [] for each in usable}
    metrics = [contestant for contestant in result.contestants if contestant.name == BASE] + usable
    by_theory = [each for each in metrics if result.paired is None and _has_theory(each)]
    others = [each for each in metrics if each not in by_theory or each.name == BASE]
    for number, again in enumerate(redraws):
        theory = _signals(again, by_theory, result.sizes) if len(by_theory) > 1 else {}
        samples = _contested(result, again, others, seed + number, n_samples)
        for metric in usable:
            own = theory if metric in by_theory else samples
            rows[metric.name].append((own[metric.name], own[BASE]))
    found = {name: np.array(row, dtype=np.float64).reshape(-1, 2) for name, row in rows.items()}
    return {name: each[np.isfinite(each).all(axis=1)] for name, each in found.items()}


def _has_theory(metric: Metric) -> bool:
    """Whether a metric is an integral with a known influence; the best of all thresholds has none in small samples."""
    return metric.inference.influence is not None and metric.population is not None


def _redrawn(
    model: Any, at: float, pair: PopulationPair, sizes: ClassSizes, random: np.random.Generator
) -> Iterator[PopulationPair]:
    """Draw the cases anew; two models around the same quality, or at the same places of a path."""
    for _ in range(_REDRAWS):
        again = model.redrawn(random)
        if isinstance(again, ModelSequence) and pair.places is not None:
            worse, better = pair.places
            yield PopulationPair(again.at_place(worse), again.at_place(better))
            continue
        try:
            yield pair_at(again, at, sizes)
        except ArgumentError:  # so few or so tied cases that this draw has no model of that quality
            continue


def _signals(pair: PopulationPair, metrics: list[Metric], sizes: ClassSizes) -> dict[str, float]:
    """Return how many standard deviations of a difference lie between two models, by each metric, from theory."""
    found = {}
    for metric in metrics:
        change = value_of(pair.better, metric, sizes.prevalence, sizes.n) - value_of(
            pair.worse, metric, sizes.prevalence, sizes.n
        )
        towards = direction(metric, pair, sizes)
        errors = [standard_error(side, metric, sizes) for side in (pair.worse, pair.better)]
        found[metric.name] = math.nan if isinstance(towards, str) else towards * change / math.hypot(*errors)
    return found


def _contested(
    result: ResolvingPower, pair: PopulationPair, metrics: list[Metric], seed: int, n_samples: int
) -> dict[str, float]:
    """Return the same from simulated samples."""
    if all(metric.name == BASE for metric in metrics):
        return {}
    with np.errstate(all="ignore"):
        return signals(pair, metrics, result.sizes, seed=seed, n_samples=n_samples, paired=result.paired)


def _signal(chance: WinProbability) -> float:
    return signal_of(chance.wins)


def _by_ratios(own: WinProbability, base: WinProbability, drawn: Array) -> Gain:
    """Return the gain whose error is the deviation of the log ratio over redraws."""
    return _of_ratio(own, base, _deviation(drawn), _SURE)


def _deviation(drawn: Array) -> float:
    """Return the deviation of the log ratio over redraws, without end if they are too few."""
    if len(drawn) < _LEAST:
        return math.inf
    signal, of_base = drawn.T
    return float(np.std(2 * np.log(np.maximum(signal, FLAT * of_base) / of_base), ddof=1))


def _may_be_decided(own: WinProbability, base: WinProbability, drawn: Array, of_first: float) -> bool:
    """Whether first samples leave open what a simulation without error would decide.

    `of_first` is how many times the error of a contest is that of one redraw's first samples.
    """
    deviation = _deviation(drawn)
    exact = math.sqrt(max(deviation**2 - (of_first * _simulation_error(own, base)) ** 2, 0.0))
    return not _of_ratio(own, base, deviation, _SURE).is_decided and _of_ratio(own, base, exact, _SURE).is_decided


def _of_ratio(own: WinProbability, base: WinProbability, error: float, of_best: float) -> Gain:
    """Return the gain in the contest, with what redraws and the simulation leave open."""
    value = 2 * math.log(max(_signal(own) / _signal(base), FLAT))
    whole = math.hypot(error, _simulation_error(own, base))
    return Gain(value, value - _SURE * whole, value + _SURE * whole, value - of_best * whole)


def _simulation_error(own: WinProbability, base: WinProbability) -> float:
    """Return the error of the log ratio in a contest."""
    by_simulation = np.subtract(2 * _moves(own) / _signal(own), 2 * _moves(base) / _signal(base))
    return float(np.std(by_simulation, ddof=1)) / math.sqrt(len(by_simulation))


def _moves(chance: WinProbability) -> Array:
    """Return the signal in each batch of the simulation."""
    z = _signal(chance)
    return np.asarray(chance.parts * math.sqrt(2 * math.pi) * math.exp(z * z / 2))


def _on_path(own: WinProbability, base: WinProbability, drawn: Array) -> Gain:
    """Return the gain with Fieller's limits: along a path the AUROC may move so little that the ratio has no end."""
    if len(drawn) < _LEAST:
        return Gain(math.nan, -math.inf, math.inf, -math.inf)
    z, of_base = _signal(own), _signal(base)
    batches = np.stack([_moves(own), _moves(base)])
    spread = _SURE**2 * (np.cov(drawn.T) + np.cov(batches) / batches.shape[1])
    a, b, c = of_base**2 - spread[1, 1], z * of_base - spread[0, 1], z**2 - spread[0, 0]
    value = 2 * math.log(z / of_base) if of_base > 0 else math.inf
    if c <= 0 and (a <= 0 or of_base < 0):  # neither moves for sure, or the AUROC the other way
        return Gain(value, -math.inf, math.inf, -math.inf)
    if a > 0 and of_base < 0:
        return Gain(value, math.inf, math.inf, math.inf)
    root = math.sqrt(max(b * b - a * c, 0.0))
    ends = sorted([(b - root) / a, (b + root) / a])
    low, high = (ends[0], ends[1]) if a > 0 else (ends[1], math.inf)
    low, high = (2 * math.log(each) if each > 0 else -math.inf for each in (low, high))
    return Gain(value, low, high, low)
