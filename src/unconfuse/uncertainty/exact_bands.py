"""Bands that need no resampling: net benefit (Gaussian), reliability and histograms (exact binomial)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._errors import ArgumentError
from unconfuse._scipy_special import betaincinv, ndtr
from unconfuse.curves.decision_curves import reliability as reliability_curve
from unconfuse.curves.decision_curves import reliability_bins as bins_curve
from unconfuse.curves.decision_curves import score_histogram as histogram_curve
from unconfuse.metrics.influence_functions import quantile
from unconfuse.metrics.probability import above_shares
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.influence_intervals import wilson_limits

Limits = tuple[Array, Array, Array, Array]
_DRAWS = 40_000  # of the largest of correlated normal errors: the critical value is then known to about .01
_BLOCKS = 50  # scores of a reliability diagram whose blocks are all tested at once; more only widens the band
_FEW = 3.0  # cases of a class that decide a net benefit, below which a Gaussian band is far too narrow
HOW = {
    "decision_curve": "Gaussian band",
    "reliability": "Clopper-Pearson limits of blocks of consecutive scores, spread by monotonicity",
    "reliability_bins": "Clopper-Pearson limits",
    "score_histogram": "Clopper-Pearson limits",
}


def net_benefit(table: ScoreTable, at: Array, kind: str, level: float, fixed_classes: bool) -> Limits:
    """Net benefit at threshold probabilities with its Gaussian band.

    Vickers & Elkin (2006), Medical Decision Making 26:565; Montiel Olea & Plagborg-Moller (2019), Journal of Applied
    Econometrics 34:1.
    """
    if fixed_classes:
        raise ArgumentError(
            "net benefit moves with the share of positives, which the study chose. Hint: use `shift_prevalence`."
        )
    values, covariance = net_benefit_moments(table, at)
    error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    reach = quantile(level) if kind == "pointwise" else critical_value(covariance, level)
    # No decision gains more than every positive, nor costs more than every negative: shares that are estimated as well.
    fewest, most = wilson_limits(np.asarray(table.prevalence), np.asarray(table.n), reach)
    low = np.maximum(values - reach * error, -(1 - fewest) * at / (1 - at))
    return at, values, np.minimum(low, values), np.maximum(np.minimum(values + reach * error, most), values)


def net_benefit_moments(table: ScoreTable, at: Array) -> tuple[Array, Array]:
    """Net benefit at each threshold, and the covariance of its errors, exact from the table.

    A case adds 1{s >= t} (y - (1 - y) t / (1 - t)): products of two thresholds are those of the cases above both.
    """
    odds, counts, n = at / (1 - at), table.counts_at(at), table.n
    values = (counts.tp - odds * counts.fp) / n
    stricter = np.where(at[:, None] >= at, np.arange(len(at))[:, None], np.arange(len(at)))
    products = (counts.tp[stricter] + np.outer(odds, odds) * counts.fp[stricter]) / n
    unseen = _unseen(np.ones(len(at)), counts.tp, n) + _unseen(odds, counts.fp, n)
    return values, (products - np.outer(values, values)) / n + unseen


def _unseen(worth: Array, deciding: Array, n: float) -> Array:
    """Return what one case more of a class would add where few cases of it decide, each of this worth.

    Where nobody is labelled the covariance is 0, and chance has a part all the same.
    """
    moved = np.where(deciding < _FEW, worth, 0.0)
    return np.outer(moved, moved) / n**2


def paired_net_benefit_moments(
    is_positive: npt.NDArray[np.bool_], scores: tuple[Array, Array], weight: Array, at: Array
) -> tuple[Array, Array]:
    """Net benefit of the first model less that of the second on the same cases, and the covariance of its errors.

    Everything follows from how many cases of each class both models place above each pair of thresholds.
    """
    places = len(at) + 1
    first, second = (np.searchsorted(at, score, side="right") for score in scores)
    odds, n = at / (1 - at), float(weight.sum())
    products, unseen, values = np.zeros((len(at), len(at))), np.zeros((len(at), len(at))), np.zeros(len(at))
    for chosen, worth, own in (
        (is_positive, np.ones((len(at),) * 2), np.ones(len(at))),
        (~is_positive, np.outer(odds, odds), -odds),
    ):
        joint = np.bincount(first[chosen] * places + second[chosen], weight[chosen], places**2).reshape(places, places)
        both = joint[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
        one, other, shared = both[1:, 0], both[0, 1:], both[1:, 1:]
        stricter = np.maximum(*np.indices(shared.shape))
        products += worth * (one[stricter] + other[stricter] - shared - shared.T)
        values += own * (one - other)
        unseen += _unseen(own, one + other - 2 * np.diag(shared), n)
    values /= n
    return values, (products / n - np.outer(values, values)) / n + unseen


def critical_value(covariance: Array, level: float) -> float:
    """How many standard errors hold all of several correlated normal errors at once; those of 0 are left out."""
    error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    known = error > 1e-12 * max(float(error.max()), 1e-300)
    correlation = covariance[np.ix_(known, known)] / np.outer(error[known], error[known])
    if known.sum() < 2:
        return quantile(level)
    if known.sum() == 2:
        return _of_two(float(np.clip(correlation[0, 1], -1, 1)), level)
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    drawn = np.random.default_rng(0).standard_normal((_DRAWS, len(root))) @ root.T
    return float(np.quantile(np.abs(drawn).max(axis=1), level))


def _of_two(correlation: float, level: float) -> float:
    """Return the critical value for two errors, by integration."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    apart = math.sqrt(max(1 - correlation**2, 0.0))
    if apart < 1e-7:
        return quantile(level)

    def inside(reach: float) -> float:
        at = reach * nodes
        density = np.exp(-(at**2) / 2) / math.sqrt(2 * math.pi)
        within = ndtr((reach - correlation * at) / apart) - ndtr((-reach - correlation * at) / apart)
        return float(reach * (weights * density * within).sum())

    low, high = 0.0, 12.0
    while high - low > 1e-14 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle) < level else (low, middle)
    return high


def reliability(table: ScoreTable, at: Array, kind: str, level: float, fixed_classes: bool) -> Limits:
    """Share of positives at each stated probability, between limits that hold for any increasing truth.

    The mean over a block of cases just below a score is at most the truth at it; that just above, at least. At each
    point one block on each side is tested; for the curve as a whole all blocks of up to 50 groups of scores are.
    """
    curve = reliability_curve(table)
    starts = np.unique(np.append(0, above_shares(table, _BLOCKS, slack=0.0)))
    starts = starts[starts < len(table)]
    sums = _kernels.band_sums(table.score, table.positives, table.negatives, starts)
    x, n = sums[0][::-1], (sums[0] + sums[1])[::-1]
    sizes = np.diff(np.append(starts, len(table)))[::-1]
    low, high = (
        np.repeat(each, sizes) for each in (_every_block if kind == "simultaneous" else _one_block)(x, n, level)
    )
    share = curve["share"]
    return curve["score"], share, np.minimum(low, share, out=low), np.maximum(high, share, out=high)


def _every_block(x: Array, n: Array, level: float) -> tuple[Array, Array]:
    tested = len(n) * (len(n) + 1)  # both limits of every block
    first, last = np.triu_indices(len(n))
    sums, sizes = (np.concatenate([[0.0], np.cumsum(each)]) for each in (x, n))
    low, high = _clopper_pearson(sums[last + 1] - sums[first], sizes[last + 1] - sizes[first], (1 - level) / tested)
    best_low, best_high = np.zeros(len(n)), np.ones(len(n))
    np.maximum.at(best_low, last, low)
    np.minimum.at(best_high, first, high)
    return np.maximum.accumulate(best_low), np.minimum.accumulate(best_high[::-1])[::-1]


def _one_block(x: Array, n: Array, level: float) -> tuple[Array, Array]:
    """Blocks of about n^(2/3) cases: chosen by size alone, so that their binomial limits hold."""
    sums, sizes = (np.concatenate([[0.0], np.cumsum(each)]) for each in (x, n))
    width, k = sizes[-1] ** (2 / 3), np.arange(len(n))
    first = np.maximum(np.searchsorted(sizes, sizes[1:] - width, side="right") - 1, 0)
    last = np.minimum(np.searchsorted(sizes, sizes[:-1] + width), len(n))
    low = _clopper_pearson(sums[k + 1] - sums[first], sizes[k + 1] - sizes[first], (1 - level) / 2)[0]
    high = _clopper_pearson(sums[last] - sums[k], sizes[last] - sizes[k], (1 - level) / 2)[1]
    return low, high


def reliability_bins(table: ScoreTable, at: Array, kind: str, level: float, fixed_classes: bool) -> Limits:
    """Ten bins; for all of them at once each has its share of the risk."""
    curve = bins_curve(table)
    risk = (1 - level) / 2 / (len(curve["score"]) if kind == "simultaneous" else 1)
    return curve["score"], curve["share"], *_clopper_pearson(curve["positives"], curve["weight"], risk)


def score_histogram(table: ScoreTable, at: Array, kind: str, level: float, fixed_classes: bool) -> Limits:
    """Return the share of the positives in each bin; for all bins at once, each has its share of the risk."""
    curve = histogram_curve(table)
    risk = (1 - level) / 2 / (len(curve["left"]) if kind == "simultaneous" else 1)
    limits = _clopper_pearson(curve["positives"], np.full_like(curve["positives"], table.n_positives), risk)
    return (curve["left"] + curve["right"]) / 2, curve["share_of_positives"], *limits


def _clopper_pearson(successes: Array, trials: Array, tail: float) -> tuple[Array, Array]:
    """Exact limits with so much risk on each side."""
    failures = np.maximum(trials - successes, 0.0)
    low = np.where(successes > 0, betaincinv(np.maximum(successes, 1e-9), failures + 1, tail), 0.0)
    high = np.where(failures > 0, betaincinv(successes + 1, np.maximum(failures, 1e-9), 1 - tail), 1.0)
    return low, high
