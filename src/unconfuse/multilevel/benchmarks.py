"""Models over data sets: ranks, classical tests, which pairs can be told apart at once. Higher is better here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from unconfuse import _scipy_special as special
from unconfuse.multilevel.random_effects import Array

Flags = npt.NDArray[np.bool_]
_DRAWS = 10_000  # of signs, where there are more than that many
_EXACT = 13  # data sets up to which all signs are counted out
_COUNTED = 50  # the same of signed ranks without ties
_NODES = np.linspace(-8.5, 8.5, 1201)  # of the range of normal variables: a cdf to 1e-12
_CHUNK = 4_000_000  # entries of a matrix of draws and pairs at a time
_ALIKE = 1e-12  # of the values: differences below it are rounding


@dataclass(frozen=True)
class Friedman:
    """Friedman's test that no model ranks better than another, and what Nemenyi's test makes of the mean ranks.

    `critical_difference` is that of two mean ranks at 5%, of all pairs at once.
    """

    statistic: float
    p_value: float
    mean_ranks: tuple[float, ...]
    critical_difference: float


def pairs_of(models: int) -> list[tuple[int, int]]:
    """All pairs of models, by their places."""
    return list(combinations(range(models), 2))


def ranks(values: Array) -> Array:
    """Ranks within each row, 1 the highest; equal values share the mean of their ranks."""
    above = (values[:, None, :] > values[:, :, None]).sum(axis=-1)
    same = (values[:, None, :] == values[:, :, None]).sum(axis=-1)
    return np.asarray(above + (same + 1) / 2, dtype=np.float64)


def friedman(values: Array) -> Friedman:
    """Friedman's test with its correction for ties.

    >>> found = friedman(np.array([[.9, .8, .7], [.8, .7, .6], [.9, .6, .7], [.7, .6, .5]]))
    >>> round(found.statistic, 3), found.mean_ranks
    (6.5, (1.0, 2.25, 2.75))
    """
    sets, models = values.shape
    ranked = ranks(values)
    means = ranked.mean(axis=0)
    around = sets * float(((means - (models + 1) / 2) ** 2).sum())
    within = float(((ranked - (models + 1) / 2) ** 2).sum()) / (sets * (models - 1))
    statistic = around / within if within > 0 else math.nan
    p_value = float(special.chdtrc(models - 1, statistic)) if within > 0 else math.nan
    difference = _range_quantile(0.95, models) / math.sqrt(2) * math.sqrt(models * (models + 1) / (6 * sets))
    return Friedman(statistic, p_value, tuple(means.tolist()), difference)


def nemenyi(values: Array) -> Array:
    """p-values of all pairs, from the range of so many mean ranks."""
    sets, models = values.shape
    means = ranks(values).mean(axis=0)
    error = math.sqrt(models * (models + 1) / (6 * sets))
    return np.array(
        [1 - _range_cdf(math.sqrt(2) * abs(means[i] - means[j]) / error, models) for i, j in pairs_of(models)]
    )


def _range_cdf(width: float, models: int) -> float:
    """How probably so many standard normal variables lie within a width of each other."""
    inside = (special.ndtr(_NODES + width) - special.ndtr(_NODES)) ** (models - 1)
    density = np.exp(-0.5 * _NODES**2) / math.sqrt(2 * math.pi)
    return min(1.0, models * float((inside * density).sum()) * float(_NODES[1] - _NODES[0]))


def _range_quantile(probability: float, models: int) -> float:
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _range_cdf(middle, models) < probability else (low, middle)
    return (low + high) / 2


def wilcoxon(values: Array) -> Array:
    """Two-sided p-values of all pairs by Wilcoxon's signed ranks; 1 where two models are alike everywhere.

    As SciPy has it by default: data sets without a difference are left out; signs are counted out where there are no
    ties and at most 50 data sets, or at most 13 of them; otherwise ranks are taken as normal.
    """
    return np.array([_signed_ranks(values[:, i] - values[:, j]) for i, j in pairs_of(values.shape[1])])


def _signed_ranks(differences: Array) -> float:
    """Return the p-value of one pair.

    >>> round(_signed_ranks(np.array([.1, .2, -.05, .3, .4])), 4)
    0.125
    """
    some = differences[differences != 0]
    if not len(some):
        return 1.0
    ranked = ranks(-np.abs(some)[None, :])[0]
    upwards, sets = float(ranked[some > 0].sum()), len(differences)
    tied = len(some) < sets or len(np.unique(ranked)) < len(some)
    if sets <= _COUNTED and (not tied or sets <= _EXACT):
        return _counted_out(ranked, upwards)
    error = math.sqrt(float((ranked**2).sum())) / 2
    return 2 * float(special.ndtr(-abs(upwards - ranked.sum() / 2) / error))


def _counted_out(ranked: Array, upwards: float) -> float:
    """Twice the smaller tail of the sum of ranks under all signs; halves of ranks are counted, which ties may have."""
    halves = np.round(2 * ranked).astype(int)
    share = np.zeros(int(halves.sum()) + 1)
    share[0] = 1.0
    for half in halves:
        moved = np.zeros_like(share)
        moved[half:] = share[: len(share) - half]
        share = (share + moved) / 2
    at = round(2 * upwards)
    return min(1.0, 2 * min(float(share[: at + 1].sum()), float(share[at:].sum())))


def holm(p_values: Array) -> Array:
    """Adjust p-values so that any wrong rejection among all of them happens at most at the level of the test.

    >>> holm(np.array([.01, .04, .03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    raised = np.maximum.accumulate((len(p_values) - np.arange(len(p_values))) * p_values[order])
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def signed_rank(differences: Array, rope: float, *, draws: int = 50_000, seed: int = 0) -> tuple[float, float, float]:
    """Posterior probabilities that the first model, neither, or the second is better: Benavoli's signed-rank test.

    Data sets have Dirichlet weights, with half a data set of no difference added. `neither` means that the typical
    difference lies within the region of practical equivalence.
    """
    values = np.concatenate([[0.0], np.sort(differences)])
    sums = values[:, None] + values
    above, below = _beyond(sums, 2 * rope), _beyond(-sums, 2 * rope)
    rng = np.random.default_rng(seed)
    wins = np.zeros(3)
    for size in _sizes(draws, len(values) ** 2):
        weights = rng.dirichlet([0.5, *np.ones(len(values) - 1)], size)
        first, second = (np.einsum("ri,ij,rj->r", weights, each, weights, optimize=True) for each in (above, below))
        shares = np.stack([first, 1 - first - second, second], axis=1)
        best = shares >= shares.max(axis=1, keepdims=True) - 1e-15
        wins += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
    one, neither, two = (wins / draws).tolist()
    return one, neither, two


def _beyond(sums: Array, rope: float) -> Array:
    return np.asarray((sums > rope) + 0.5 * (sums == rope))


def _sizes(draws: int, entries: int) -> list[int]:
    size = max(1, min(draws, _CHUNK // entries))
    return [min(size, draws - done) for done in range(0, draws, size)]


@dataclass(frozen=True, eq=False)
class AllPairs:
    """Mean differences of all pairs with limits that hold all at once, and p-values to match."""

    mean: Array
    low: Array
    high: Array
    p_value: Array
    critical: float


def all_pairs(values: Array, confidence_level: float = 0.95, seed: int = 0) -> AllPairs:
    """Compare all pairs by the largest of their t statistics, under signs drawn for whole data sets (wild bootstrap).

    Among five equal models on 5 to 30 data sets, normal, heavy-tailed or skewed, 3 to 7% of the tables had any pair
    that was told apart wrongly; the multivariate t distribution gave up to 13%.
    """
    sets, models = values.shape
    places = np.array(pairs_of(models))
    differences = values[:, places[:, 0]] - values[:, places[:, 1]]
    mean = differences.mean(axis=0)
    away = differences - mean
    squares = (away**2).sum(axis=0)
    moving = squares > (_ALIKE * (np.abs(values).max() + 1e-300)) ** 2 * sets
    error = np.sqrt(squares / (sets - 1) / sets)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(moving, np.abs(mean) / error, np.where(np.abs(mean) > _ALIKE * np.abs(values).max(), np.inf, 0.0))
    largest = np.sort(_largest(away[:, moving], squares[moving], seed)) if moving.any() else np.zeros(_DRAWS)
    beyond = len(largest) - np.searchsorted(largest, t * (1 - 1e-9), side="left")
    p_value = np.maximum(beyond, 0.5 if sets <= _EXACT else 1) / len(largest)
    cut = _critical(largest, 1 - confidence_level)
    half = np.multiply(cut, error, out=np.zeros(len(error)), where=moving)
    return AllPairs(mean, mean - half, mean + half, np.where(moving, p_value, np.where(np.isinf(t), np.nan, 1.0)), cut)


def _critical(largest: Array, error: float) -> float:
    """Return the value beyond which a p-value is at most this error; infinite where so few signs allow none."""
    allowed = math.floor(error * len(largest) + 1e-9)
    if not allowed and 0.5 / len(largest) > error:
        return math.inf
    return float(largest[len(largest) - allowed - 1])


def _largest(away: Array, squares: Array, seed: int) -> Array:
    """Return the largest t statistic of each draw of signs; squares of differences do not change with their signs."""
    sets = len(away)
    found = []
    for signs in _signs(sets, away.shape[1], seed):
        mean = signs @ away / sets
        rest = np.maximum(squares - sets * mean**2, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(mean) * np.sqrt(sets * (sets - 1) / rest)
        found.append(np.nan_to_num(t, nan=0.0, posinf=np.inf).max(axis=1))
    return np.concatenate(found)


def _signs(sets: int, pairs: int, seed: int) -> list[Array]:
    """All signs of few data sets, but for turning all of them round; of many, a draw of them."""
    if sets <= _EXACT:
        count = np.arange(2 ** (sets - 1))
        turned = (count[:, None] >> np.arange(sets)) & 1
    else:
        turned = np.random.default_rng(seed).integers(0, 2, (_DRAWS, sets))
    drawn = np.where(turned == 1, -1.0, 1.0)
    steps = max(1, _CHUNK // max(pairs, 1))
    return [drawn[start : start + steps] for start in range(0, len(drawn), steps)]


def rank_limits(better: Flags) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the best and the worst rank that each model may have; `better[i, j]`: i is told to be better than j."""
    return 1 + better.sum(axis=0), len(better) - better.sum(axis=1)


def tiers(order: list[int], apart: Flags) -> list[list[int]]:
    """Maximal runs of neighbours, best first, of which no two are told apart; they overlap.

    >>> tiers([2, 0, 1], np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0]], dtype=bool))
    [[2, 0], [0, 1]]
    """
    runs: list[list[int]] = []
    last = 0
    for first in range(len(order)):
        end = first
        while end < len(order) and not apart[order[end], order[first:end]].any():
            end += 1
        if end > last:
            runs.append(order[first:end])
            last = end
    return runs
