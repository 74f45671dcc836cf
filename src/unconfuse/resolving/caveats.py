"""When the paper's kappa, a sample's limits mapped through the curve of infinitely many cases, says what it seems to.

Each limit was chosen in 24 settings in which kappa was compared with how often the better model wins.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from unconfuse.resolving.resolution import Resolution
from unconfuse.resolving.signal_curve import value_of
from unconfuse.resolving.win_probability import PopulationPair, WinProbability

if TYPE_CHECKING:
    from unconfuse.resolving.power_result import ResolvingPower

_SLOPES = 0.4  # |ln| of the ratio of the signal without noise to that at this sample size
_BIAS = 0.5  # standard deviations
_SKEW = 1.0


def caution(result: ResolvingPower, own: Resolution) -> str:
    """Why this kappa is not to be compared with others', or nothing."""
    if own.undefined or not math.isfinite(own.kappa):
        return own.undefined or f"{own.metric} has no resolution here"
    if own.clipped:
        return f"the {own.clipped} limit lies beyond the signal curve and was put at its end"
    contest_result = result.verdicts(own.at)
    chance = contest_result.chances[own.metric]
    if chance.undefined:
        return chance.undefined
    return _in_small_samples(result, own, chance, contest_result.pair) if own.metric != "auroc" else ""


def _in_small_samples(result: ResolvingPower, own: Resolution, chance: WinProbability, pair: PopulationPair) -> str:
    # Samples are those of the pair, smoothed where scores are, so the values must be the pair's too.
    metric = next(contestant for contestant in result.contestants if contestant.name == own.metric)
    sides = (pair.worse, pair.better)
    worse, better = (value_of(side, metric, result.prevalence, result.n) for side in sides)
    change, bias = chance.means[1] - chance.means[0], (sum(chance.means) - worse - better) / 2
    if abs(bias) > _BIAS * chance.deviation:
        return f"{own.metric} is biased in samples of this size, by {bias:+.3g}"
    if abs(chance.skewness) > _SKEW:
        return f"{own.metric} is skewed in samples of this size"
    if result.reference != "auroc":
        return ""
    signal = better - worse
    if change * signal <= 0 or abs(math.log(signal / change)) > _SLOPES:
        return f"{own.metric} answers to quality otherwise in samples of this size than with infinitely many cases"
    return ""
