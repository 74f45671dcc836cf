"""Can the stated probabilities be taken at their word? How far off they are, with limits that need no smoothing.

Everything rests on the reliability diagram without bins and its simultaneous band: whatever the true, increasing
relation between stated and actual probability is, it lies in the band with the confidence level, and so does every mean
distance from the diagonal lie between the smallest and the largest that the band allows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse import _html_repr
from unconfuse._formatting import TabularResult, number_text, p_text, strict_json, with_numbers
from unconfuse._scipy_special import ndtr
from unconfuse._validate import check_number
from unconfuse.metrics._tie_blocks import segments_of
from unconfuse.metrics.probability import brier
from unconfuse.table import AT_A_TIME, Array, ScoreTable
from unconfuse.uncertainty import Estimate
from unconfuse.uncertainty.bands import ConfidenceBand, band
from unconfuse.uncertainty.difference_tests import SMALLEST

_METHOD = "from the simultaneous band of the reliability diagram"
_LABELS = {
    "ici": "Integrated calibration index (mean distance)",
    "e50": "E50 (median distance)",
    "e90": "E90 (distance that nine of ten cases keep)",
    "emax": "Largest distance",
    "miscalibration": "Brier score: miscalibration",
    "discrimination": "Brier score: discrimination",
    "uncertainty": "Brier score: uncertainty",
}


@dataclass(frozen=True, repr=False)
class Calibration(TabularResult):
    """How far stated probabilities are from what occurs.

    Attributes
    ----------
    table : ScoreTable
    slope, intercept : Estimate
        Of the logistic recalibration.
    confidence_level : float

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> found = uc.evaluate(rng.random(500) < p / 2, p).calibration
    >>> found.ici.low > 0, round(found.ici.value, 2)
    (True, 0.26)
    >>> found.spiegelhalter.p_value < .001
    True
    """

    table: ScoreTable
    slope: Estimate
    intercept: Estimate
    confidence_level: float = 0.95

    @cached_property
    def band(self) -> ConfidenceBand:
        """The reliability diagram (isotonic) with its simultaneous band."""
        return band(self.table, "reliability", kind="simultaneous", confidence_level=self.confidence_level)

    @cached_property
    def ici(self) -> Estimate:
        """Mean distance between stated and actual probability (Austin & Steyerberg 2019, isotonic instead of loess)."""
        return self._limited("ici", *(self._mean(distance) for distance in self._distances))

    @cached_property
    def e50(self) -> Estimate:
        """Median distance."""
        return self._limited("e50", *(quantile[0] for quantile in self._quantiles))

    @cached_property
    def e90(self) -> Estimate:
        """The distance that nine of ten cases keep."""
        return self._limited("e90", *(quantile[1] for quantile in self._quantiles))

    @cached_property
    def emax(self) -> Estimate:
        """The largest distance."""
        return self._limited("emax", *(float(distance.max()) for distance in self._distances))

    @cached_property
    def miscalibration(self) -> Estimate:
        """By how much recalibration would lower the Brier score: the mean squared distance, in a population."""
        hull = segments_of(self.table)
        share = hull.positives / (hull.positives + hull.negatives)
        best = float((hull.positives @ (1 - share) ** 2 + hull.negatives @ share**2) / self.table.n)
        near, far = (self._mean(distance**2) for distance in self._distances[1:])
        return self._limited("miscalibration", float(brier(self.table)) - best, near, far)

    @cached_property
    def discrimination(self) -> Estimate:
        """What the Brier score owes to telling cases apart: how far actual shares are from the overall one."""
        first = self.levels
        weight = np.add.reduceat(self._weight, first)
        y, low, high = (each[first] for each in (self.band.y, self.band.low, self.band.high))
        near, far = _reach(low, high, self.table.prevalence)
        means = (float(each**2 @ weight / weight.sum()) for each in (y - self.table.prevalence, near, far))
        return self._limited("discrimination", *means, better="higher")

    @cached_property
    def uncertainty(self) -> Estimate:
        """The Brier score of stating the prevalence for everyone."""
        share = self.table.prevalence
        error = math.sqrt(share * (1 - share) / self.table.n)
        low, high = (float(np.clip(share + side * 1.96 * error, 0, 1)) for side in (-1, 1))
        ends = sorted(each * (1 - each) for each in (low, high))
        top = 0.25 if low <= 0.5 <= high else ends[1]
        return self._made("uncertainty", share * (1 - share), ends[0], top, "neither")

    @cached_property
    def spiegelhalter(self) -> Spiegelhalter:
        """Spiegelhalter's test of calibration: the Brier score against what the stated probabilities expect of it."""
        parts = [self._surplus(first) for first in range(0, len(self.table), AT_A_TIME)]
        surplus, spread = (math.fsum(each) for each in zip(*parts, strict=True))
        z = float(surplus / math.sqrt(spread)) if spread > 0 else math.nan
        return Spiegelhalter(z, max(float(2 * ndtr(-abs(z))), SMALLEST) if not math.isnan(z) else math.nan)

    def _surplus(self, first: int) -> tuple[float, float]:
        """Return a stretch's surplus in the Brier score over what is expected, halved, and its part of the variance."""
        rows = slice(first, first + AT_A_TIME)
        p, positives, negatives = (
            each[rows] for each in (self.table.score, self.table.positives, self.table.negatives)
        )
        cases, far = positives + negatives, 1 - 2 * p
        return float((far * (positives - p * cases)).sum()), float((far**2 * p * (1 - p) * cases).sum())

    def cases_needed(self, width: float) -> float:
        """About how many cases like these give the calibration slope an interval of this width."""
        wanted = check_number(width, "width")
        now = self.slope.high - self.slope.low
        return float(math.ceil(self.table.n * (now / wanted) ** 2)) if wanted > 0 and math.isfinite(now) else math.nan

    @property
    def sentence(self) -> str:
        """The verdict in plain words."""
        off = self.ici
        told = f"stated and actual probabilities are {number_text(off.value)} {off.interval_text} apart on average"
        signs = self._signs()
        if signs:
            return f"The probabilities cannot be taken at their word: {told}; {', '.join(signs)}."
        return f"These data do not show that the probabilities are off: {told}."

    def _signs(self) -> list[str]:
        """List what shows that the probabilities are off, each at the confidence level."""
        test, found = self.spiegelhalter, []
        if self.ici.low > 0:
            found.append("the band leaves the diagonal")
        for estimate, ideal in ((self.slope, 1.0), (self.intercept, 0.0)):
            if estimate.low > ideal or estimate.high < ideal:
                name = estimate.name.replace("_", " ")
                found.append(
                    f"the {name} is {number_text(estimate.value)} {estimate.interval_text} instead of {ideal:g}"
                )
        if test.p_value < 1 - self.confidence_level:
            found.append(f"Spiegelhalter's test has {p_text(test.p_value)}")
        return found

    def estimates(self) -> dict[str, Estimate]:
        """Everything that has an interval, by name."""
        own = {name: getattr(self, name) for name in _LABELS}
        return {"calibration_slope": self.slope, "calibration_intercept": self.intercept, **own}

    def rows(self) -> list[dict[str, Any]]:
        """One row for each number."""
        return [{"name": name, **with_numbers(estimate)} for name, estimate in self.estimates().items()]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        test = self.spiegelhalter
        found = {name: estimate.as_dict() for name, estimate in self.estimates().items()}
        return {"metrics": found, "spiegelhalter": {"z": test.z, "p_value": test.p_value}, "sentence": self.sentence}

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        rows = [
            [_html_repr.text(estimate.label, 44), number_text(estimate.value), estimate.interval_text]
            for estimate in self.estimates().values()
        ]
        return _html_repr.card("Calibration", _html_repr.table([], rows, numbers=[1]), verdict=self.sentence)

    def _limited(self, name: str, value: float, near: float, far: float, *, better: str = "lower") -> Estimate:
        """Return a summary of the diagram, and the smallest and largest that its band allows."""
        return self._made(name, value, min(near, value), max(far, value), better)

    @cached_property
    def _distances(self) -> tuple[Array, Array, Array]:
        """From the diagonal: of the diagram, and the smallest and largest that its band allows."""
        own = self.band.y - self.band.x
        return np.abs(own, out=own), *_reach(self.band.low, self.band.high, self.band.x)

    @cached_property
    def levels(self) -> npt.NDArray[np.intp]:
        """The first place of each stretch over which diagram and band are level."""
        confidence_band = self.band
        moves = confidence_band.y[1:] != confidence_band.y[:-1]
        for each in (confidence_band.low, confidence_band.high):
            moves |= each[1:] != each[:-1]
        return np.append(0, np.flatnonzero(moves) + 1)

    def _made(self, name: str, value: float, low: float, high: float, better: str) -> Estimate:
        method = _METHOD if name != "uncertainty" else "normal"
        return Estimate(name, _LABELS[name], value, low, high, self.confidence_level, method, better=better)

    @cached_property
    def _weight(self) -> Array:
        """Of each stated probability, lowest first."""
        return (self.table.positives + self.table.negatives)[::-1]

    def _mean(self, each: Array) -> float:
        return float(each @ self._weight / self._weight.sum())

    @cached_property
    def _quantiles(self) -> list[Array]:
        """The smallest distances that half, and nine of ten, of the cases do not exceed."""
        shares, weight = np.array([0.5, 0.9]) - 1e-12, self._weight
        if (weight == weight[:1]).all():  # then only their ranks are looked for, and nothing need be sorted
            reached = np.minimum(np.searchsorted(np.cumsum(weight) / weight.sum(), shares), len(weight) - 1)
            return [np.partition(distance, reached)[reached] for distance in self._distances]
        return [_weighted_quantiles(distance, weight, shares) for distance in self._distances]


def _weighted_quantiles(values: Array, weight: Array, shares: Array) -> Array:
    order = np.argsort(values)
    reached = np.searchsorted(np.cumsum(weight[order]) / weight.sum(), shares)
    return np.asarray(values[order][np.minimum(reached, len(values) - 1)])


def _reach(low: Array, high: Array, origin: npt.ArrayLike) -> tuple[Array, Array]:
    """Return the smallest and the largest distance from the origin that a band allows at each place, by stretches."""
    near, far, centre = np.empty(len(low)), np.empty(len(low)), np.broadcast_to(origin, low.shape)
    for first in range(0, len(low), AT_A_TIME):
        rows = slice(first, first + AT_A_TIME)
        under, over = low[rows] - centre[rows], high[rows] - centre[rows]
        np.maximum(np.maximum(under, -over), 0.0, out=near[rows])
        np.maximum(np.abs(under), np.abs(over), out=far[rows])
    return near, far


@dataclass(frozen=True)
class Spiegelhalter:
    """A test whether probabilities may be right; NaN where all of them are 0, 1/2 or 1.

    Spiegelhalter (1986), Statistics in Medicine 5:421.
    """

    z: float
    p_value: float
