"""Two score distributions, one for each class, known exactly: what metrics would be with infinitely many cases.

Ranks do not care about the scale of scores, so a population is its ROC curve, read in both directions. Thresholds on
the scale of the scores are kept where the model has one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError
from unconfuse._scipy_special import expit, ndtr, ndtri, owens_t
from unconfuse._validate import check_number, check_probability
from unconfuse.table import Array, ScoreTable

Curve = Callable[[Array], Array]
Component = tuple[float, float, float]  # weight, mean and standard deviation of one normal of a mixture

# With p = 1/(1 + exp(-x)) any power of p or 1 - p at an end becomes an exponential, and the trapezoid rule over the
# whole line is exact to rounding for what remains.
_STEP = 0.1
_ROUNDING = 1e-9  # the crossing may lie at the lowest positive exactly: shifted exponentials, scaled Pareto
_X = np.arange(-400, 401) * _STEP
_NODES: Array = expit(_X)
_WEIGHTS: Array = _STEP * _NODES * expit(-_X)
_NEAR = 0.03  # of a node that is about the crossing: nodes lie up to .025 apart
_GAUSS_NODES, _GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(12)  # exact to rounding over so short a piece


def integral(function: Curve, low: float = 0.0, high: float = 1.0, corners: Sequence[float] = ()) -> float:
    """Integral from low to high, piece by piece between the corners; the function may be steep at the ends.

    >>> round(integral(lambda p: p**.25), 12), round(integral(np.log, 0, 1), 12)
    (0.8, -1.0)
    """
    edges = [low, *sorted(corner for corner in set(corners) if low < corner < high), high]
    pieces = ((start, end - start) for start, end in pairwise(edges) if end > start)
    return float(sum(width * float(function(start + width * _NODES) @ _WEIGHTS) for start, width in pieces))


@dataclass(frozen=True)
class PopulationCrossing:
    """The threshold where B = level (NaN without a scale of scores), and C, v and u there; NaN if B stays below."""

    level: float
    threshold: float = math.nan
    precision: float = math.nan
    sensitivity: float = math.nan
    false_positive_rate: float = math.nan


@dataclass(frozen=True, eq=False)
class Population:
    """The distributions of scores of both classes, as an ROC curve.

    Parameters
    ----------
    fpr_at, tpr_at : callable
        False positive rate at a true positive rate, and the reverse.
    threshold_at : callable, optional
        The score that has a given true positive rate.
    corners : sequence of float
        True positive rates where the curve bends sharply; quadrature stops there.
    threshold_at_fpr : callable, optional
        The score that has a given false positive rate, for thresholds below all positives.

    Examples
    --------
    A Lehmann pair, exponential scores with rates 1 (negatives) and 1/2 (positives):

    >>> lehmann = Population(lambda p: p**2, lambda q: q**.5, lambda p: -2 * np.log(p))
    >>> round(lehmann.auroc, 12), round(lehmann.auprc(.5), 9)
    (0.666666666667, 0.693147181)
    >>> lehmann.indistinguishability_crossing(.5).precision.__round__(9)
    0.535898385
    """

    fpr_at: Curve
    tpr_at: Curve
    threshold_at: Curve | None = None
    corners: Sequence[float] = ()
    threshold_at_fpr: Curve | None = None

    @cached_property
    def _points(self) -> dict[int, tuple[Array, Array]]:
        return {}

    @cached_property
    def auroc(self) -> float:
        """Chance that a random positive outranks a random negative."""
        return 1 - integral(self.fpr_at, corners=self.corners)

    def auprc(self, prevalence: float) -> float:
        """Area under the precision-recall curve: the limit of all its four forms."""
        return integral(lambda p: self.precision_at(p, prevalence), corners=self.corners)

    def auprc_by_right_sums(self, prevalence: float, steps: int = 1000) -> float:
        """Compute the AUPRC by a right Riemann sum, which lies a little below; Beam's published curves were made so."""
        return float(self.precision_at(np.arange(1, steps + 1) / steps, prevalence).mean())

    def auprg(self, prevalence: float) -> float:
        """Area under the precision-recall-gain curve."""
        odds = prevalence / (1 - prevalence)
        return integral(lambda p: odds / p**2 * (1 - self.fpr_at(p) / p), prevalence, 1.0, self.corners)

    def precision_at(self, tpr: Array, prevalence: float) -> Array:
        """Precision where recall is `tpr`."""
        found = prevalence * tpr
        labelled = found + (1 - prevalence) * self.fpr_at(tpr)
        return np.divide(found, labelled, out=np.ones_like(found), where=labelled > 0)

    def auroc_variance(self, n_positives: float, n_negatives: float) -> float:
        """Variance of the AUROC of a sample, exact for any number of cases."""
        area = self.auroc
        beats_two_negatives = integral(lambda p: (1 - self.fpr_at(p)) ** 2, corners=self.corners)
        beaten_by_two_positives = 1 - 2 * integral(lambda p: p * self.fpr_at(p), corners=self.corners)
        variance = (
            area * (1 - area)
            + (n_positives - 1) * (beaten_by_two_positives - area**2)
            + (n_negatives - 1) * (beats_two_negatives - area**2)
        )
        return max(variance, 0.0) / (n_positives * n_negatives)  # of a perfect ranking rounding may leave it below

    def b_at(self, tpr: float, prevalence: float) -> float:
        """Chance that a random positive outranks a random case among those labelled positive."""
        fpr = float(self.fpr_at(np.array([tpr]))[0])
        beaten = tpr * fpr - integral(self.fpr_at, 0.0, tpr, self.corners)  # negatives above the threshold
        return float(outranked(tpr, fpr, beaten, prevalence))

    def indistinguishability_crossing(self, prevalence: float, level: float = 0.5) -> PopulationCrossing:
        """Where B(r) passes through a level."""
        from scipy.optimize import brentq

        past = self._below_all_positives(prevalence, level)
        if past is not None:
            return past
        found = self._near_root(prevalence, level)
        gap, ends = found or (lambda p: self.b_at(p, prevalence) - level, (1e-9, 1.0))
        tpr = float(brentq(gap, *ends, xtol=1e-14, rtol=1e-14))
        fpr = float(self.fpr_at(np.array([tpr]))[0])
        score = math.nan if self.threshold_at is None else float(self.threshold_at(np.array([tpr]))[0])
        return PopulationCrossing(level, score, float(prevalence * tpr / queue_rate(tpr, fpr, prevalence)), tpr, fpr)

    def _near_root(
        self, prevalence: float, level: float
    ) -> tuple[Callable[[float], float], tuple[float, float]] | None:
        """B less the level near its root: one integral up to there, and short ones on; None if that is not sure."""
        fpr = self.fpr_at(_NODES)
        area = np.cumsum(fpr * _WEIGHTS) - fpr * _WEIGHTS / 2
        above = np.asarray(outranked(_NODES, fpr, _NODES * fpr - area, prevalence)) >= level
        start = float(_NODES[int(above.argmax())])
        low, high = start - _NEAR, min(start + _NEAR, 1.0)
        if not above.any() or low <= 0 or any(low < corner < high for corner in self.corners):
            return None
        whole = integral(self.fpr_at, 0.0, start, self.corners)

        def gap(tpr: float) -> float:
            places = start + (tpr - start) * (_GAUSS_NODES + 1) / 2
            rates = self.fpr_at(np.append(places, tpr))
            up_to = whole + (tpr - start) * float(rates[:-1] @ _GAUSS_WEIGHTS) / 2
            return float(outranked(tpr, rates[-1], tpr * rates[-1] - up_to, prevalence)) - level

        return (gap, (low, high)) if gap(low) < 0 < gap(high) else None

    def _below_all_positives(self, prevalence: float, level: float) -> PopulationCrossing | None:
        """Find the crossing past the lowest positive, where every further case is a negative; None if it lies above.

        There B(r) = [pi/2 + (1 - pi)(u - (1 - A))] / [pi + (1 - pi) u], which is solved for u.
        """
        lowest = float(self.fpr_at(np.array([1.0]))[0])
        u = ((1 - self.auroc) + (level - 0.5) * prevalence / (1 - prevalence)) / (1 - level)
        if u > 1 + _ROUNDING:
            return PopulationCrossing(level)
        if u < lowest - _ROUNDING:
            return None
        fpr = min(max(u, lowest), 1.0)
        score = math.nan if self.threshold_at_fpr is None else float(self.threshold_at_fpr(np.array([fpr]))[0])
        return PopulationCrossing(level, score, float(prevalence / queue_rate(1.0, fpr, prevalence)), 1.0, fpr)

    def points(self, n: int) -> tuple[Array, Array]:
        """Return true and false positive rates of about 2n thresholds, dense at both ends, from (0, 0) to (1, 1)."""
        if n not in self._points:  # several metrics ask for the same ones
            self._points[n] = self._new_points(n)
        return self._points[n]

    def _new_points(self, n: int) -> tuple[Array, Array]:
        even, corners = expit(np.linspace(-30, 30, n)), np.asarray(self.corners, dtype=np.float64)
        tpr = np.concatenate([[0.0, 1.0], corners, even, self.tpr_at(even)])
        fpr = np.concatenate([[0.0, 1.0], self.fpr_at(corners), self.fpr_at(even), even])
        order = np.lexsort((tpr, fpr))
        tpr, fpr = np.maximum.accumulate(tpr[order]), fpr[order]
        moved = np.append(True, (np.diff(tpr) > 0) | (np.diff(fpr) > 0))
        return tpr[moved], fpr[moved]

    def table(self, n_positives: float, n_negatives: float, n: int = 2000) -> ScoreTable:
        """Return the population as a score table of about 2n blocks; the scores only say the order."""
        tpr, fpr = self.points(n)
        return ScoreTable.from_validated(
            -np.arange(1.0, len(tpr)), n_positives * np.diff(tpr), n_negatives * np.diff(fpr)
        )

    def calibrated_table(self, n_positives: float, n_negatives: float, n: int = 2000) -> ScoreTable:
        """Return the score table with each score replaced by the probability of being positive that it stands for."""
        raw = self.table(n_positives, n_negatives, n)
        # Kept off 0 and 1, so that no surprise is infinite.
        share = np.clip(raw.positives / (raw.positives + raw.negatives), 1e-9, 1 - 1e-9)
        score, block = np.unique(-share, return_inverse=True)
        joined = (np.bincount(block, each).astype(np.float64) for each in (raw.positives, raw.negatives))
        return ScoreTable.from_validated(-score, *joined)

    indistinguishable = renamed("indistinguishability_crossing")


def queue_rate(v: Array | float, u: Array | float, prevalence: float) -> Array | float:
    """Share of all cases that are labelled positive."""
    return prevalence * v + (1 - prevalence) * u


def outranked(v: Array | float, u: Array | float, wins: Array | float, prevalence: float) -> Array | float:
    """B: how often a positive outranks a labelled case; `wins` is the share of pairs with a labelled negative below."""
    return (prevalence * v**2 / 2 + (1 - prevalence) * wins) / queue_rate(v, u, prevalence)


class NormalMixtures(Population):
    """Each class a mixture of normals, as (weight, mean, sd) components, and a prevalence.

    Examples
    --------
    >>> nine_a = NormalMixtures([(1, 10, 2)], [(1000, 5, 2), (100, 2, 2)], prevalence=1000 / 2100)
    >>> round(nine_a.auroc, 4), round(nine_a.crossing().precision, 4), round(nine_a.auprc(.5), 4)
    (0.9647, 0.8744, 0.965)
    """

    positives: tuple[Component, ...]
    negatives: tuple[Component, ...]
    prevalence: float

    def __init__(self, positives: Sequence[Component], negatives: Sequence[Component], prevalence: float) -> None:
        own, other = _components(positives, "positives"), _components(negatives, "negatives")
        share = check_probability(prevalence, "prevalence", open_interval=True)
        vars(self).update(positives=own, negatives=other, prevalence=share)
        super().__init__(
            lambda tpr: _tail(other, _quantile(own, tpr)),
            lambda fpr: _tail(own, _quantile(other, fpr)),
            lambda tpr: _quantile(own, tpr),
        )

    @classmethod
    def binormal(
        cls, *, mean: float, sd: float = 1.0, prevalence: float, negative_mean: float = 0.0, negative_sd: float = 1.0
    ) -> NormalMixtures:
        """One normal for each class."""
        return cls([(1.0, mean, sd)], [(1.0, negative_mean, negative_sd)], prevalence)

    def __repr__(self) -> str:
        return f"NormalMixtures({self.positives}, {self.negatives}, {self.prevalence:g})"

    def sensitivity(self, r: Array | float) -> Array:
        """Share of positives with a score above r: v(r)."""
        return _tail(self.positives, r)

    def false_positive_rate(self, r: Array | float) -> Array:
        """Share of negatives with a score above r: u(r)."""
        return _tail(self.negatives, r)

    def wins(self, r: Array | float) -> Array:
        """Share of (positive, negative) pairs in which the negative scores above r and the positive above it."""
        at, own, other = np.asarray(r, dtype=np.float64), self.positives, self.negatives
        return np.asarray(sum(w * x * _pair_wins(at, *up, *down) for w, *up in own for x, *down in other))

    @property
    def auroc(self) -> float:
        """Chance that a random positive outranks a random negative."""
        return float(self.wins(-np.inf))

    def b(self, r: Array | float, prevalence: float | None = None) -> Array:
        """B(r): how often a positive outranks a case that scores above r, at this or another prevalence."""
        pi = self.prevalence if prevalence is None else prevalence
        return np.asarray(outranked(self.sensitivity(r), self.false_positive_rate(r), self.wins(r), pi))

    def precision(self, r: Array | float) -> Array:
        """C(r)."""
        v, pi = self.sensitivity(r), self.prevalence
        return np.asarray(pi * v / queue_rate(v, self.false_positive_rate(r), pi))

    def f1(self, r: Array | float) -> Array:
        """F1 with the threshold at r."""
        v, pi = self.sensitivity(r), self.prevalence
        return np.asarray(2 * pi * v / (pi + queue_rate(v, self.false_positive_rate(r), pi)))

    def crossing(self, level: float = 0.5) -> PopulationCrossing:
        """Where B = level at the population's own prevalence."""
        return self.indistinguishability_crossing(self.prevalence, level)

    def indistinguishability_crossing(self, prevalence: float, level: float = 0.5) -> PopulationCrossing:
        """Where B(r) passes through a level: sought among scores, where everything is in closed form."""
        from scipy.optimize import brentq

        # Nine standard deviations beyond the outermost components there is practically nothing.
        parts = [*self.positives, *self.negatives]
        low, high = min(m - 9 * s for _, m, s in parts), max(m + 9 * s for _, m, s in parts)
        if self.b(-np.inf, prevalence) < level or self.b(low, prevalence) < level:
            return PopulationCrossing(level)
        # B lies below v, so B is under the level where v is half of it. Further out B is a ratio of rounding errors.
        end = float(brentq(lambda at: float(self.sensitivity(at)) - level / 2, low, high))
        r = float(brentq(lambda at: float(self.b(at, prevalence)) - level, low, end, xtol=1e-13))
        v, u = float(self.sensitivity(r)), float(self.false_positive_rate(r))
        return PopulationCrossing(level, r, float(prevalence * v / queue_rate(v, u, prevalence)), v, u)


def _components(parts: Sequence[Component], name: str) -> tuple[Component, ...]:
    total = sum(check_number(w, name) for w, _, _ in parts)
    if total <= 0 or any(s <= 0 or w < 0 for w, _, s in parts):
        raise ArgumentError(f"`{name}` must be (weight, mean, sd) with weights and sds above 0; got {parts!r}.")
    return tuple((w / total, float(m), float(s)) for w, m, s in parts)


def _tail(parts: Sequence[Component], r: Array | float) -> Array:
    return np.asarray(sum(w * ndtr((m - np.asarray(r)) / s) for w, m, s in parts))


def _quantile(parts: Sequence[Component], tail: Array) -> Array:
    """Find the score above which there is this share: by bisection between the components' own quantiles."""
    each = np.stack([m - s * ndtri(tail) for _, m, s in parts])
    low, high = each.min(axis=0), each.max(axis=0)
    for _ in range(80 if len(parts) > 1 else 0):
        middle = (low + high) / 2
        over = _tail(parts, middle) > tail
        low, high = np.where(over, middle, low), np.where(over, high, middle)
    return np.asarray(high)


def _pair_wins(r: Array, m1: float, s1: float, m0: float, s0: float) -> Array:
    """Chance that r < negative < positive."""
    spread = math.hypot(s0, s1)
    reach = (m1 - m0) / spread
    return np.asarray(ndtr(reach) - binormal_cdf((r - m0) / s0, reach, s0 / spread))


def binormal_cdf(h: Array | float, k: float, rho: float) -> Array:
    """Chance that both of two standard normals with correlation rho lie below h and k, by Owen's T function.

    >>> binormal_cdf(0.0, 0.0, 0.5).round(6), binormal_cdf(-np.inf, 1.0, 0.5), binormal_cdf(np.inf, 0.0, 0.5)
    (np.float64(0.333333), array(0.), array(0.5))
    """
    at = np.asarray(h, dtype=np.float64)
    finite = np.where(np.isfinite(at), at, 1.0)
    root = math.sqrt(1 - rho**2)
    # Exactly 0 would be divided by; so small a step changes the result by less than rounding does.
    x, y = np.where(finite == 0, 1e-300, finite), k if k != 0 else 1e-300
    both = (ndtr(x) + ndtr(y)) / 2 - owens_t(x, (y - rho * x) / (x * root)) - owens_t(y, (x - rho * y) / (y * root))
    both = both - np.where((x < 0) != (y < 0), 0.5, 0.0)
    return np.where(at == np.inf, ndtr(k), np.where(at == -np.inf, 0.0, both))
