"""The option to say "I do not know": the error among the cases that are decided, by how many these are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unconfuse._plain import InRows
from unconfuse._validate import check_probability
from unconfuse.metrics.of_confidence import by_confidence
from unconfuse.metrics.of_rows import confidence
from unconfuse.table import Array, Codes, NearSample
from unconfuse.uncertainty import Estimate
from unconfuse.uncertainty.closed_form import mid_p


@dataclass(frozen=True, eq=False, repr=False)
class RiskCoverage(InRows):
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
    low: Array
    high: Array
    n: float
    area: Estimate
    confidence_level: float = 0.95

    def coverage_at(self, risk: float) -> Estimate:
        """The largest share of cases that can be decided with an error rate of at most `risk`.

        Its interval holds the coverages at which the pointwise interval of the risk still holds the wanted one.
        """
        wanted = check_probability(risk, "risk")
        name, label = f"coverage_at_risk({wanted:g})", f"Share decided at an error rate of at most {wanted:g}"
        fits, sure, possible = (np.flatnonzero(each <= wanted) for each in (self.risk, self.high, self.low))
        value, low, high = (float(self.coverage[each[-1]]) if len(each) else 0.0 for each in (fits, sure, possible))
        limits, level = (min(low, value), max(high, value)), self.confidence_level
        return Estimate(name, label, value, *limits, level, "inverted mid-p band", context=self._cut(fits))

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


def risk_coverage(rows: NearSample, area: Estimate) -> RiskCoverage:
    """The curve of these rows."""
    covered, errors, _, _ = by_confidence(rows)
    level = area.confidence_level
    limits = mid_p(errors, covered, confidence_level=level)
    levels = np.unique(-confidence(rows)[rows.weight > 0])
    return RiskCoverage(-levels, covered / rows.n, errors / covered, *limits, rows.n, area, level)
