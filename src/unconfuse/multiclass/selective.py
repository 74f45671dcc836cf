"""The option to say "I do not know": the error among the cases that are decided, by how many these are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_probability
from unconfuse.ingest._old import ClassScores, Codes
from unconfuse.multiclass._definition import Summary, class_metric
from unconfuse._plain import frame_of
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.table import Array
from unconfuse.uncertainty.closed_form import mid_p


def confidence(rows: ClassScores) -> Array:
    """The score of the predicted class."""
    if rows.scores is None:
        raise ArgumentError("the reject option needs scores, not only predicted labels. Hint: evaluate(y, S).")
    return np.asarray(rows.scores[np.arange(len(rows)), rows.predicted], dtype=np.float64)


def _blocks(rows: ClassScores) -> tuple[Array, Array, Array, Codes]:
    """Distinct confidences, highest first: coverage and errors up to each, cases in each, and each row's block."""
    stated = confidence(rows)
    levels, place = np.unique(-stated, return_inverse=True)
    wrong = (rows.predicted != rows.truth) * rows.weight
    cases = np.bincount(place, weights=rows.weight, minlength=len(levels))
    errors = np.bincount(place, weights=wrong, minlength=len(levels))
    return np.cumsum(cases), np.cumsum(errors), cases.astype(np.float64), place


@class_metric(
    of="scores",
    interval="influence",
    better="lower",
    label="Area under the risk-coverage curve",
    question="What is the error rate among the cases decided, averaged over how many are decided?",
    formula=r"\frac1n \sum_i \text{error rate among the } i \text{ most confident}",
    chance=lambda truth, predicted: 1 - float(truth @ predicted),
    misleads="It mixes how often decisions are wrong with how well confidence ranks them.",
    references=("Geifman & El-Yaniv (2017), NeurIPS 30.",),
)
def aurc(rows: ClassScores) -> Summary:
    """Mean risk over all coverages; tied cases are decided together."""
    covered, errors, cases, place = _blocks(rows)
    risk = errors / covered
    value = float((risk * cases).sum() / rows.n)
    # One more case moves the risk of its own block and of all later ones towards its own error.
    after = np.cumsum((cases / covered)[::-1])[::-1]
    drag = np.cumsum((risk * cases / covered)[::-1])[::-1]
    wrong = (rows.predicted != rows.truth).astype(np.float64)
    influence = (risk[place] - value + wrong * after[place] - drag[place]) / rows.n
    return Summary(value, influence)


@dataclass(frozen=True, eq=False, repr=False)
class RiskCoverage:
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
        fits = np.flatnonzero(self.risk <= wanted)
        sure, possible = np.flatnonzero(self.high <= wanted), np.flatnonzero(self.low <= wanted)
        value = float(self.coverage[fits[-1]]) if len(fits) else 0.0
        low = float(self.coverage[sure[-1]]) if len(sure) else 0.0
        high = float(self.coverage[possible[-1]]) if len(possible) else 0.0
        return Estimate(
            name,
            label,
            value,
            min(low, value),
            max(high, value),
            self.confidence_level,
            method="inverted mid-p band",
            context=self._cut(fits),
        )

    def _cut(self, fits: Codes) -> str:
        return f"decide from a score of {self.threshold[fits[-1]]:.3g} on" if len(fits) else "no cut reaches it"

    def rows(self) -> list[dict[str, float]]:
        """One row for each point."""
        names = ("threshold", "coverage", "risk", "low", "high")
        return [
            dict(zip(names, map(float, each), strict=True))
            for each in zip(*(getattr(self, name) for name in names), strict=True)
        ]

    def to_frame(self) -> Any:
        """A data frame with one row for each point."""
        return frame_of(self.rows())

    def __repr__(self) -> str:
        return f"RiskCoverage({len(self.coverage)} points, {self.area})"


def risk_coverage(rows: ClassScores, area: Estimate) -> RiskCoverage:
    """The curve of these rows."""
    covered, errors, _, _ = _blocks(rows)
    low, high = mid_p(errors, covered, confidence_level=area.confidence_level)
    levels = np.unique(-confidence(rows))
    return RiskCoverage(
        -levels,
        covered / rows.n,
        errors / covered,
        np.asarray(low),
        np.asarray(high),
        rows.n,
        area,
        area.confidence_level,
    )
