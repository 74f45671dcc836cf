"""How often the better of two models wins, by each metric: what resolving power is for, measured directly.

Two models of known order are sampled many times, each on a test set of its own (or both on the same), and every metric
says which is better. The share of right answers needs no signal curve, no interval and no mapping, so no bias of a
metric in small samples can flatter it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._scipy_special import ndtri
from unconfuse.metrics import METRICS, Metric
from unconfuse.resolving.asymptotic import ClassSizes
from unconfuse.resolving.improvements import INSTEAD, Improved
from unconfuse.resolving.model_sequence import ModelSequence
from unconfuse.resolving.score_sampling import draw
from unconfuse.resolving.signal_curve import AnyPopulation, value_of
from unconfuse.table import Array

SAMPLES = 2500  # give P to about .005, and differences of P between metrics to about .003
APART = 1.19  # standard deviations of the AUROC between the two models: the better one then wins about 8 times of 10
_BATCHES = 20
_MOST_WORK = 2e7  # blocks that kernels go through in one contest: about half a second
_DEFINED = 0.9  # share of the samples in which a metric must have a value
_LEAST = 0.03  # above one half, which a metric must reach to be ranked
_OFF = 0.15  # of the distance between the models, by which tied scores may miss it


@dataclass(frozen=True, eq=False)
class PopulationPair:
    """Two populations of known order, and what must be known of how they were found."""

    worse: AnyPopulation
    better: AnyPopulation
    note: str = ""
    is_tilted: bool = False  # tied scores cannot move up, so higher ones become more frequent instead
    places: tuple[float, float] | None = None  # of both on a path

    @property
    def apart(self) -> float:
        """Their distance in AUROC, which may also fall along a path."""
        return abs(self.better.auroc - self.worse.auroc)


@dataclass(frozen=True, eq=False)
class WinProbability:
    """How often a metric ranks two models rightly.

    Attributes
    ----------
    wins, error : float
        Probability, ties counted half, and its Monte-Carlo error.
    parts : array
        The same in batches of the samples.
    means, deviation, skewness
        Of the metric over samples: at the worse and the better model; and of both together.
    undefined : str or None
        Why there is none.
    """

    metric: str
    wins: float = math.nan
    parts: Array = field(default_factory=lambda: np.full(_BATCHES, np.nan))
    means: tuple[float, float] = (math.nan, math.nan)
    deviation: float = math.nan
    skewness: float = math.nan
    undefined: str | None = None

    @property
    def error(self) -> float:
        """Monte-Carlo error of the probability."""
        return float(np.std(self.parts, ddof=1) / math.sqrt(len(self.parts)))

    @property
    def z(self) -> float:
        """How many standard deviations of a difference lie between the models."""
        return float(ndtri(min(self.wins, 1 - 1e-9))) if self.wins > 0.5 else math.nan

    def kappa(self, apart: float) -> float:
        """Return the width of the 95% interval that would resolve so well, if the metric were normal."""
        return 3.92 * apart / (math.sqrt(2) * self.z)

    def efficiency(self, other: WinProbability) -> tuple[float, float]:
        """How many cases the other needs for one of this, to resolve equally; and the Monte-Carlo error."""
        ratio = (self.z / other.z) ** 2
        moves = (
            win_probability.parts / (_density(win_probability.z) * win_probability.z)
            for win_probability in (self, other)
        )
        spread = np.std(np.subtract(*moves), ddof=1) / math.sqrt(_BATCHES)
        return ratio, 2 * ratio * float(spread)


def _density(z: float) -> float:
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def pair_at(model: Any, at: float, sizes: ClassSizes) -> PopulationPair:
    """Two models around a quality, so far apart that the AUROC finds the better one about 8 times of 10."""
    worse, better = _ends(model.population_at(at), at, sizes)
    if isinstance(model, ModelSequence):
        return _on_path(model, *model.places_around(at, better - worse))
    population_pair, off = _reached(model, worse, better)
    if off <= _OFF:
        return population_pair
    return _tilted(model, at, *_ends(Improved(model, "tilt", at).population_at(at), at, sizes))


def _ends(population: AnyPopulation, at: float, sizes: ClassSizes) -> tuple[float, float]:
    apart = APART * math.sqrt(population.auroc_variance(sizes.positives, sizes.negatives))
    better = min(at + apart / 2, 1 - (1 - at) / 4)
    return max(better - apart, 0.5 if at >= 0.5 else 0.0), better


def pair_of(model: Any, at: float, worse: float, better: float) -> PopulationPair:
    """Two qualities of a model; tied scores that cannot reach them tilt instead."""
    if isinstance(model, ModelSequence):
        return _named_on_path(model, worse, better)
    population_pair, off = _reached(model, worse, better)
    return population_pair if off <= _OFF else _tilted(model, at, worse, better)


def _tilted(model: Any, at: float, worse: float, better: float) -> PopulationPair:
    population_pair, off = _reached(Improved(model, "tilt", at), worse, better)
    if off > _OFF:
        raise ArgumentError(f"these scores cannot have AUROCs of {worse:.3g} and {better:.3g}: they are tied too much.")
    return PopulationPair(population_pair.worse, population_pair.better, INSTEAD, is_tilted=True)


def is_tied(model: Any, at: float, sizes: ClassSizes) -> bool:
    """Whether scores are tied so much that quality jumps where the signal curve should rise."""
    try:
        return bool(pair_at(model, at, sizes).note) and not isinstance(model, ModelSequence)
    except ArgumentError:
        return True


def _reached(model: Any, worse: float, better: float) -> tuple[PopulationPair, float]:
    """Return the pair, and by how much it misses what was wanted, as a share of the distance."""
    if not better > worse:
        raise ArgumentError(f"AUROCs near {better:.3g} do not vary here, so they show no difference between models.")
    population_pair = PopulationPair(model.population_at(worse), model.population_at(better))
    misses = abs(population_pair.worse.auroc - worse), abs(population_pair.better.auroc - better)
    return population_pair, max(misses) / (better - worse)


def _on_path(model: ModelSequence, worse: float, better: float, note: str = "") -> PopulationPair:
    """Two places of a path, in the order given."""
    return PopulationPair(model.at_place(worse), model.at_place(better), note, places=(worse, better))


def _named_on_path(model: ModelSequence, worse: float, better: float) -> PopulationPair:
    """Two qualities of a path; where they come in the other order, the path says that the question is wrong."""
    places = model.place_of(worse), model.place_of(better)
    population_pair = _on_path(model, min(places), max(places))
    misses = [abs(model.at_place(place).auroc - each) for place, each in zip(places, (worse, better), strict=True)]
    if max(misses) > _OFF * (better - worse):
        population_pair = _on_path(model, *model.places_around(better, better - worse))
    if population_pair.better.auroc < population_pair.worse.auroc:
        raise ArgumentError(
            f"the AUROC falls along this path, from {population_pair.worse.auroc:.3g} to "
            f"{population_pair.better.auroc:.3g}, so the model of AUROC {better:.3g} is not the better one. "
            "Hint: give models from the worst to the best."
        )
    return population_pair


def contest(
    pair: PopulationPair,
    metrics: Iterable[Metric],
    sizes: ClassSizes,
    *,
    seed: int,
    n_samples: int = SAMPLES,
    paired: float | None = None,
    most: float = _MOST_WORK,
) -> dict[str, WinProbability]:
    """How often each metric ranks two populations rightly, on samples of this size."""
    wanted = list(metrics)
    drawn = sampled(pair, wanted, sizes, seed=seed, n_samples=n_samples, paired=paired, most=most)
    found = {}
    for metric in wanted:
        values = drawn[metric.name]
        sign = direction(metric, pair, sizes)
        found[metric.name] = (
            WinProbability(metric.name, undefined=values)
            if isinstance(values, str)
            else _chance(metric.name, *values, same_cases=paired is not None, sign=sign)
        )
    return found


def signals(
    pair: PopulationPair,
    metrics: Iterable[Metric],
    sizes: ClassSizes,
    *,
    seed: int,
    n_samples: int,
    paired: float | None,
) -> dict[str, float]:
    """Return how many standard deviations of a difference lie between two models by each metric, from few samples."""
    drawn = sampled(pair, list(metrics), sizes, seed=seed, n_samples=n_samples, paired=paired, most=0.0)
    wins_of = win_chance if paired is None else _wins_of_same
    known = {name: each for name, each in drawn.items() if not isinstance(each, str) and _is_defined(*each)}
    return {name: signal_of(wins_of(*known[name])) if name in known else math.nan for name in drawn}


def signal_of(wins: float) -> float:
    """Return how many standard deviations of a difference lie between two models, from how often the better wins."""
    return float(ndtri(np.clip(wins, 1e-6, 1 - 1e-6)))


def sampled(
    pair: PopulationPair,
    metrics: list[Metric],
    sizes: ClassSizes,
    *,
    seed: int,
    n_samples: int,
    paired: float | None,
    most: float,
) -> dict[str, tuple[Array, Array] | str]:
    """Draw samples of both models; their metrics so turned that more is better, or why a metric cannot say."""
    from unconfuse.resolving.score_sampling import draw_both

    signs = {metric.name: direction(metric, pair, sizes) for metric in metrics}
    usable = [metric for metric in metrics if not isinstance(signs[metric.name], str)]
    with np.errstate(all="ignore"):
        if paired is None:
            sides = [draw(each, usable, sizes, n_samples, seed, most=most) for each in (pair.worse, pair.better)]
        else:
            sides = draw_both(pair, usable, sizes, n_samples, seed, paired)
    found: dict[str, tuple[Array, Array] | str] = {}
    for name, sign in signs.items():
        found[name] = sign if isinstance(sign, str) else (sign * sides[0][name], sign * sides[1][name])
    return found


def direction(metric: Metric, pair: PopulationPair, sizes: ClassSizes) -> float | str:
    """1 if more is better, -1 if less is, or why neither is known; a user's function goes where its values go."""
    if metric.better != "neither":
        return 1.0 if metric.better == "higher" else -1.0
    if metric.name in METRICS:
        return f"{metric.name} has no better end, so it cannot say which of two models is better"
    worse, better = (value_of(each, metric, sizes.prevalence, sizes.n) for each in (pair.worse, pair.better))
    if not math.isfinite(better - worse) or better == worse:
        return f"{metric.name} does not change between the two models"
    return math.copysign(1.0, better - worse)


def _chance(name: str, worse: Array, better: Array, *, same_cases: bool, sign: Any) -> WinProbability:
    if not _is_defined(worse, better):
        share = max(1 - np.isfinite(each).mean() for each in (worse, better))
        return WinProbability(name, undefined=f"{name} is undefined in {share:.0%} of the samples")
    of = _wins_of_same if same_cases else win_chance
    batches = zip(np.array_split(worse, _BATCHES), np.array_split(better, _BATCHES), strict=True)
    parts = np.array([of(*batch) for batch in batches])
    wins = of(worse, better)
    means = float(sign * np.nanmean(worse)), float(sign * np.nanmean(better))
    centred = np.concatenate([worse - np.nanmean(worse), better - np.nanmean(better)])
    deviation = float(np.nanstd(centred))
    skewness = float(np.nanmean(centred**3) / deviation**3) if deviation > 0 else 0.0
    flat = None
    if wins - 0.5 < max(_LEAST, 2 * float(np.std(parts, ddof=1)) / math.sqrt(_BATCHES)):
        answer = "ranks these models the other way" if wins < 0.5 - _LEAST else "does not respond to quality here"
        flat = f"{name} {answer}: the better model wins {wins:.0%} of the time"
    return WinProbability(name, wins, parts, means, deviation, skewness, flat)


def _is_defined(worse: Array, better: Array) -> bool:
    return bool(min(np.isfinite(worse).mean(), np.isfinite(better).mean()) >= _DEFINED)


def win_chance(worse: Array, better: Array) -> float:
    """P(better > worse) + half P(equal) over all pairs of samples; an undefined value decides nothing.

    >>> win_chance(np.array([1., 2, np.nan, 3]), np.array([2., 4]))
    0.6875
    """
    low, high = np.sort(worse[np.isfinite(worse)]), better[np.isfinite(better)]
    if not len(low) or not len(high):
        return 0.5
    places = np.searchsorted(low, high, side="left") + np.searchsorted(low, high, side="right")
    known = len(low) * len(high) / (len(worse) * len(better))
    return known * float(places.mean()) / (2 * len(low)) + (1 - known) / 2


def _wins_of_same(worse: Array, better: Array) -> float:
    """Return the chance of a win with both models judged on the same cases; equal or undefined values count half."""
    return float(np.nan_to_num((np.sign(better - worse) + 1) / 2, nan=0.5).mean())
