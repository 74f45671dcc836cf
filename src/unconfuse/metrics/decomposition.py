"""The Brier score taken apart: how wrong the probabilities are, how discerning, and how hard the task is."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from unconfuse._validate import check_choice, check_whole
from unconfuse.metrics._definition import ratio
from unconfuse.metrics._hull import hull_segments
from unconfuse.metrics.probability import bin_totals, brier, check_probabilities
from unconfuse.table import Array, ScoreTable


@dataclass(frozen=True)
class BrierParts:
    """Brier = reliability - resolution + uncertainty + within: how wrong, how discerning, how hard, what bins hide."""

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float
    method: str

    def as_dict(self) -> dict[str, float | str]:
        """Plain values."""
        return asdict(self)

    def __str__(self) -> str:
        within = f" + within {self.within:.4f}" if self.within else ""
        return (
            f"Brier {self.brier:.4f} = reliability {self.reliability:.4f} - resolution {self.resolution:.4f} "
            f"+ uncertainty {self.uncertainty:.4f}{within} ({self.method})"
        )


def brier_decomposition(table: ScoreTable, *, method: str = "isotonic", n_bins: int = 15) -> BrierParts:
    """Take the Brier score apart.

    Parameters
    ----------
    method : {"isotonic", "equal_width", "equal_mass"}
        "isotonic" compares the scores with their best monotone recalibration (CORP): no bins to choose, nothing left
        over. The others use Murphy's bins; `within` is what the spread of scores within a bin adds.

    References
    ----------
    Dimitriadis, Gneiting & Jordan (2021), PNAS 118:e2016191118. Murphy (1973), J Appl Meteorol 12:595.

    Examples
    --------
    >>> from unconfuse.metrics._blocks import PHOTOS
    >>> print(brier_decomposition(PHOTOS))
    Brier 0.2250 = reliability 0.1000 - resolution 0.1250 + uncertainty 0.2500 (isotonic)
    """
    check_probabilities(table)
    check_choice(method, "method", ("isotonic", "equal_width", "equal_mass"))
    score, pi = float(brier(table)), table.prevalence
    if method == "isotonic":
        positives, negatives = hull_segments(table.positives, table.negatives)
        resolution = _resolution(positives, positives + negatives)
        return BrierParts(score, score - pi * (1 - pi) + resolution, resolution, pi * (1 - pi), 0.0, "isotonic")
    bins = check_whole(n_bins, "n_bins", at_least=1)
    positives, weight, stated = bin_totals(table, bins, method)
    resolution = _resolution(positives, weight)
    reliability = float(np.nansum(ratio((stated - positives) ** 2, weight)) / table.n)
    within = score - reliability + resolution - pi * (1 - pi)
    words = f"{bins} bins of {method.replace('_', ' ')}"
    return BrierParts(score, reliability, resolution, pi * (1 - pi), within, words)


def _resolution(positives: Array, weight: Array) -> float:
    """Spread of the shares of positives around the prevalence."""
    total = weight.sum()
    return float(np.nansum(ratio((positives - weight * positives.sum() / total) ** 2, weight)) / total)
