"""The option to say "I do not know": the error among the cases that are decided, by how many these are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse._formatting import TabularResult
from unconfuse._scipy_special import xlogy
from unconfuse._validate import check_probability
from unconfuse.metrics.multiclass_calibration import by_confidence
from unconfuse.table import Array, Codes, InMemorySample
from unconfuse.table.sample import Flags
from unconfuse.uncertainty import Estimate
from unconfuse.uncertainty.proportion_intervals import Limits, mid_p, mid_p_tail

_AT_A_TIME = 4096  # points whose intervals are computed before looking whether they were enough
_ROUNDING, _LEAST = 1e-6, 1e-300


@dataclass(frozen=True, eq=False, repr=False)
class RiskCoverage(TabularResult):
    """Error rate among the decided cases against the share decided, the most confident first.

    Attributes
    ----------
    threshold, coverage, risk, low, high : array
        One point for each distinct confidence; mid-p intervals of the risk at each.
    area : Estimate
        The area under the curve (AURC).

    Examples
    --------
    >>> import unconfuse as uc
    >>> ev = uc.evaluate([0, 1, 2, 2], [[.9, .1, 0], [.2, .7, .1], [.1, .3, .6], [.4, .3, .3]], n_resamples=100)
    >>> ev.risk_coverage().coverage_at(.1).value
    0.75
    """

    threshold: Array
    coverage: Array
    risk: Array
    n: float
    area: Estimate
    confidence_level: float = 0.95

    @property
    def low(self) -> Array:
        """Lower ends of the intervals of the risk."""
        return self._limits[0]

    @property
    def high(self) -> Array:
        """Upper ends."""
        return self._limits[1]

    @cached_property
    def _limits(self) -> Limits:
        return limits_at(self, np.arange(len(self.risk)))

    def coverage_at(self, risk: float) -> Estimate:
        """Return the largest share of cases that can be decided with an error rate of at most `risk`.

        Its interval holds the coverages at which the pointwise interval of the risk still holds the wanted one.
        """
        wanted = check_probability(risk, "risk")
        name, label = f"coverage_at_risk({wanted:g})", f"Share decided at an error rate of at most {wanted:g}"
        fits = np.flatnonzero(self.risk <= wanted)
        value = float(self.coverage[fits[-1]]) if len(fits) else 0.0
        low, high = (self._coverage_until(wanted, side) for side in (1, 0))
        limits, level = (min(low, value), max(high, value)), self.confidence_level
        return Estimate(name, label, value, *limits, level, "inverted mid-p band", conditions=self._cut(fits))

    def _coverage_until(self, wanted: float, side: int) -> float:
        """Return the largest coverage at which that end of the interval (1: the upper one) is at most the wanted risk.

        By Chernoff's bound an end lies no farther from the risk than where its divergence is log(1/tail)/n: only where
        the wanted one is nearer is it computed, from the largest coverage down.
        """
        decided = self.coverage * self.n
        tail = (1 - self.confidence_level) / 2
        is_near = decided * _divergence(self.risk, wanted) <= -np.log(tail) + _ROUNDING
        surely = np.flatnonzero(~is_near & (self.risk <= wanted))
        found, near = int(surely[-1]) if len(surely) else -1, np.flatnonzero(is_near)
        for part in np.array_split(near[near > found], len(near) // _AT_A_TIME + 1)[::-1]:
            within = part[self._ends_by(part, wanted, side, tail)]
            if len(within):
                found = int(within[-1])
                break
        return float(self.coverage[found]) if found >= 0 else 0.0

    def _ends_by(self, places: Codes, wanted: float, side: int, tail: float) -> Flags:
        """At which of some points that end of the interval is at most the wanted risk: the end itself is not needed."""
        decided = self.coverage[places] * self.n
        errors = self.risk[places] * decided
        if side:
            reached = mid_p_tail(decided - errors, decided, 1 - wanted)
            within = (reached <= tail) | (wanted >= 1)
        else:
            reached = mid_p_tail(errors, decided, wanted)
            within = reached >= tail
        close = np.abs(reached - tail) <= _ROUNDING * tail  # there the end itself says
        within[close] = limits_at(self, places[close])[side] <= wanted
        return np.asarray(within)

    def _cut(self, fits: Codes) -> str:
        return f"decide from a score of {self.threshold[fits[-1]]:.3g} on" if len(fits) else "no cut reaches it"

    def rows(self) -> list[dict[str, Any]]:
        """One row for each point."""
        names = ("threshold", "coverage", "risk", "low", "high")
        return [
            dict(zip(names, map(float, each), strict=True))
            for each in zip(*(getattr(self, name) for name in names), strict=True)
        ]

    def __repr__(self) -> str:
        return f"RiskCoverage({len(self.coverage)} points, {self.area})"


def risk_coverage(rows: InMemorySample, area: Estimate) -> RiskCoverage:
    """Return the risk-coverage curve of these rows."""
    levels, covered, errors, _, _ = by_confidence(rows)
    return RiskCoverage(levels, covered / rows.n, errors / covered, rows.n, area, area.confidence_level)


def limits_at(curve: RiskCoverage, places: Codes) -> Limits:
    """Both ends at some points of a curve: at all points of a million cases they take half a minute."""
    decided = curve.coverage[places] * curve.n
    return mid_p(curve.risk[places] * decided, decided, confidence_level=curve.confidence_level)


def _divergence(risk: Array, wanted: float) -> Array:
    """Of a share of errors from the one that is wanted (Kullback and Leibler)."""
    right, wrong = max(1 - wanted, _LEAST), max(wanted, _LEAST)
    own = xlogy(risk, risk) - xlogy(risk, wrong)
    return np.asarray(own + xlogy(1 - risk, 1 - risk) - xlogy(1 - risk, right))
