"""Sampling models: where scores come from, and how they change when a classifier gets better."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import short_repr
from unconfuse._scipy_special import betaincc, betaln, ndtr, ndtri, xlog1py, xlogy
from unconfuse._validate import as_floats, check_number, check_probability, public_api
from unconfuse.populations import Population
from unconfuse.resolving.distributions import CachedDistribution, LegacyDistribution, TiedDistributions, has_ties
from unconfuse.table import Array

QUALITIES = (0.65, 0.75, 0.85, 0.95)  # poor, fair, good, excellent
BEST = 0.99995


class ShiftModel(ABC):
    """A model whose positives all move up by the same amount as the classifier improves."""

    default_at: tuple[float, ...] = QUALITIES

    @abstractmethod
    def population(self, shift: float) -> Population:
        """Both distributions, with the positives moved by `shift`."""

    @abstractmethod
    def shift_for(self, auroc: float) -> float:
        """Return the shift that gives an AUROC."""

    def population_at(self, auroc: float) -> Population:
        """Both distributions at a quality."""
        return self.population(self.shift_for(check_probability(auroc, "auroc", open_interval=True)))

    def improving(self, worst: float, near: Sequence[float] = (), points: int = 121) -> list[Population]:
        """Better and better populations by equal shifts, from an AUROC of `worst` to almost 1."""
        shifts = np.linspace(self.shift_for(max(worst, 1 - BEST)), self.shift_for(BEST), points)
        return [self.population(float(shift)) for shift in shifts]

    def around(self, auroc: float, steps: Sequence[float]) -> list[Population]:
        """Return the population at a quality and its neighbours, so many units of AUROC away."""
        return [self.population_at(min(max(auroc + step, 1 - BEST), BEST)) for step in steps]


@public_api
@dataclass(frozen=True)
class Binormal(ShiftModel):
    """Normal scores in both classes: negatives N(0, 1), positives N(shift, sd_ratio^2).

    Parameters
    ----------
    sd_ratio : float
        Standard deviation of the positives over that of the negatives.

    Examples
    --------
    >>> round(Binormal().shift_for(.75), 4)
    0.9539
    >>> round(Binormal(sd_ratio=2).population_at(.75).auroc, 12)
    0.75
    """

    sd_ratio: float = 1.0

    def __post_init__(self) -> None:
        if (ratio := check_number(self.sd_ratio, "sd_ratio")) <= 0:
            raise ArgumentError(f"`sd_ratio` must be above 0; got {ratio:g}.")

    def shift_for(self, auroc: float) -> float:
        """Root of (1 + sd_ratio^2) times the normal quantile of the AUROC."""
        return float(np.sqrt(1 + self.sd_ratio**2) * ndtri(auroc))

    def population(self, shift: float) -> Population:
        """Return the two normal distributions."""
        sd = self.sd_ratio
        return Population(
            lambda tpr: np.asarray(ndtr(sd * ndtri(tpr) - shift)),
            lambda fpr: np.asarray(ndtr((ndtri(fpr) + shift) / sd)),
            lambda tpr: np.asarray(shift - sd * ndtri(tpr)),
        )


@public_api
@dataclass(frozen=True)
class Uniform(ShiftModel):
    """Scores spread evenly in each class: negatives over (0, 1), positives over (shift, shift + width).

    Parameters
    ----------
    width : float
        Width of the positives' interval; that of the negatives is 1.

    Examples
    --------
    >>> round(Uniform().shift_for(.92), 12)
    0.6
    """

    width: float = 1.0

    def __post_init__(self) -> None:
        if (width := check_number(self.width, "width")) <= 0:
            raise ArgumentError(f"`width` must be above 0; got {width:g}.")

    def shift_for(self, auroc: float) -> float:
        """Found by bisection."""
        return _find_shift(self, auroc, -self.width, 1.0)

    def population(self, shift: float) -> Population:
        """Return the two overlapping intervals."""
        top, width = shift + self.width, self.width
        corners = tuple(float(np.clip((top - edge) / width, 0, 1)) for edge in (0.0, 1.0))
        return Population(
            lambda tpr: np.clip(1 - (top - width * tpr), 0.0, 1.0),
            lambda fpr: np.clip((top - (1 - fpr)) / width, 0.0, 1.0),
            lambda tpr: top - width * tpr,
            corners,
            lambda fpr: 1 - fpr,
        )


@public_api
@dataclass(frozen=True)
class Distributions(ShiftModel):
    """Any two distributions with scipy's methods `sf`, `isf` and `support`; shift 0 is as they are given.

    Those of scipy's newer kind, such as `scipy.stats.Normal(mu=1, sigma=2)`, call the same `ccdf` and `iccdf`.

    Where values are shared by many cases (counts, stars, a continuous score with many zeros), positives cannot move up
    without tearing the ties apart: there a better classifier is one whose positives have higher values more often.

    Parameters
    ----------
    positive, negative : scipy.stats distributions with their parameters

    Examples
    --------
    >>> from scipy.stats import norm
    >>> men_and_women = Distributions(norm(178.4, 7.6), norm(164.7, 7.1))
    >>> round(men_and_women.population(0).auroc, 3)
    0.906
    >>> from scipy.stats import poisson
    >>> Distributions(poisson(4), poisson(2)).tied
    Distributions with ties (27 values, AUROC 0.791)
    """

    positive: Any
    negative: Any
    _shifts: dict[float, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("positive", "negative"):
            given = getattr(self, name)
            if all(hasattr(given, method) for method in ("ccdf", "iccdf", "support")):
                given = LegacyDistribution(given)
                object.__setattr__(self, name, given)
            if not all(hasattr(given, method) for method in ("sf", "isf", "support")):
                kind = type(given).__name__
                raise ArgumentError(f"`{name}` must be a distribution such as scipy.stats.norm(0, 1); got {kind}.")

    @cached_property
    def tied(self) -> TiedDistributions | None:
        """The same as a table of values, if many cases share some."""
        both = self.positive, self.negative
        return TiedDistributions(*both) if any(map(has_ties, both)) else None

    @property
    def default_at(self) -> tuple[float, ...]:  # type: ignore[override]
        """The distributions as they are given."""
        return (self.population(0.0).auroc,)

    def improving(self, worst: float, near: Sequence[float] = (), points: int = 61) -> list[Population]:
        """Better and better populations, about even in AUROC, and denser close to the qualities in `near`.

        Equal shifts would leave most of them beyond the last quality of interest where tails are long.
        """
        start, end = max(worst, 1 - BEST), BEST
        low, high = self.shift_for(start), self.shift_for(end)
        turn = self.shift_for(0.9 if start < 0.9 else (start + end) / 2)
        coarse = np.concatenate([np.linspace(low, turn, 24), turn + (high - turn) * np.linspace(0, 1, 25)[1:] ** 3])
        areas = np.maximum.accumulate([self.population(float(shift)).auroc for shift in coarse])
        wanted = [np.linspace(areas[0], areas[-1], points), areas[-8:]]
        wanted += [np.linspace(max(areas[0], each - 0.1), min(areas[-1], each + 0.1), points // 3) for each in near]
        rising = np.append(True, np.diff(areas) > 0)
        shifts = np.interp(np.concatenate(wanted), areas[rising], coarse[rising])
        return [self.population(float(shift)) for shift in np.unique(shifts)]

    def shift_for(self, auroc: float) -> float:
        """Found by bisection, once for each quality."""
        if auroc not in self._shifts:
            ends = np.array([1e-12, 1 - 1e-12])
            low, high = (cached_distribution.isf(ends) for cached_distribution in self._remembering)
            middle = sum(
                float(np.ptp(cached_distribution.isf([0.25, 0.75]))) for cached_distribution in self._remembering
            )
            self._shifts[auroc] = _find_shift(self, auroc, high[1] - low[0], high[0] - low[1], middle)
        return self._shifts[auroc]

    @cached_property
    def _remembering(self) -> tuple[CachedDistribution, CachedDistribution]:
        return CachedDistribution(self.positive), CachedDistribution(self.negative)

    def population(self, shift: float) -> Population:
        """Return the two distributions, the positive one moved."""
        positive, negative = self._remembering
        edges = (float(positive.sf(edge - shift)) for edge in negative.support())
        return Population(
            lambda tpr: np.asarray(negative.sf(positive.isf(tpr) + shift), dtype=np.float64),
            lambda fpr: np.asarray(positive.sf(negative.isf(fpr) - shift), dtype=np.float64),
            lambda tpr: np.asarray(positive.isf(tpr) + shift, dtype=np.float64),
            tuple(edge for edge in edges if 0 < edge < 1),
            lambda fpr: np.asarray(negative.isf(fpr), dtype=np.float64),
        )


def _find_shift(model: ShiftModel, auroc: float, low: float, high: float, scale: float = 1.0) -> float:
    """By bisection on a scale that is even near 0 and logarithmic far out: tails may reach to 1e24."""
    from scipy.optimize import brentq

    def gap(place: float) -> float:
        return model.population(scale * float(np.sinh(place))).auroc - auroc

    first, last = (float(np.arcsinh(end / scale)) for end in (low, high))
    return scale * float(np.sinh(brentq(gap, first, last, xtol=1e-13, rtol=1e-13)))


class _BetaMixtureDistribution:
    """A mixture of Beta distributions with the methods that `Distributions` needs."""

    def __init__(self, given: Any, name: str) -> None:
        self.parts = _parts(given, name)
        ends = np.logspace(-15, -2.5, 500)
        self._grid = np.concatenate([ends, np.linspace(0.004, 0.996, 4001), 1 - ends[::-1]])
        self._tails = self.sf(self._grid)

    def sf(self, score: Any) -> Array:
        inside = np.clip(np.asarray(score, dtype=np.float64), 0.0, 1.0)
        return np.asarray(sum(share * betaincc(a, b, inside) for share, a, b in self.parts))

    def isf(self, tail: Any) -> Array:
        """Return the values above which these shares lie, looked up in a fine table and improved by Newton's steps."""
        wanted = np.asarray(tail, dtype=np.float64)
        score = np.interp(-wanted, -self._tails, self._grid)
        for _ in range(4):
            density = self._pdf(score)
            step = np.divide(self.sf(score) - wanted, density, out=np.zeros_like(score), where=density > 0)
            score = np.clip(score + step, score / 2, (1 + score) / 2)
        return np.where(wanted <= 0, 1.0, np.where(wanted >= 1, 0.0, score))

    def _pdf(self, score: Array) -> Array:
        logs = ((share, xlogy(a - 1, score) + xlog1py(b - 1, -score) - betaln(a, b)) for share, a, b in self.parts)
        return np.asarray(sum(share * np.exp(log) for share, log in logs))

    def support(self) -> tuple[float, float]:
        return 0.0, 1.0

    def __repr__(self) -> str:
        return " + ".join(f"{share:.3g} Beta({a:g}, {b:g})" for share, a, b in self.parts)


Parts = tuple[float, float] | Sequence[tuple[float, float, float]]


@public_api
def BetaMixture(positive: Parts, negative: Parts) -> Distributions:  # noqa: N802 - reads as a model
    """Scores in (0, 1) from mixtures of Beta distributions.

    Parameters
    ----------
    positive, negative : (a, b), or sequence of (share, a, b)
        One Beta distribution, or several with their shares.

    Examples
    --------
    >>> model = BetaMixture((2, 1), [(.7, 1, 3), (.3, 2, 2)])
    >>> round(model.population(0).auroc, 4)
    0.84
    """
    return Distributions(_BetaMixtureDistribution(positive, "positive"), _BetaMixtureDistribution(negative, "negative"))


def _parts(given: Any, name: str) -> tuple[tuple[float, float, float], ...]:
    try:
        rows = np.atleast_2d(as_floats(given, name))
        rows = np.column_stack([np.ones(len(rows)), rows]) if rows.shape[1] == 2 else rows
        if rows.shape[1] != 3 or not np.isfinite(rows).all() or (rows <= 0).any():
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        wanted = "(a, b) or a list of (share, a, b), all above 0"
        raise ArgumentError(f"`{name}` must be {wanted}; got {short_repr(given)}.") from None
    rows[:, 0] /= rows[:, 0].sum()
    return tuple((float(share), float(a), float(b)) for share, a, b in rows)
