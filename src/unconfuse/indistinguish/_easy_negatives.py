"""Easy negatives: how far they flatter AUROC, on the user's own data.

Negatives below r_b can be thinned or multiplied without any effect on C(r_b), while AUROC moves with them: adding cases
that nobody would mistake makes AUROC look better although no hard case has become easier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError, InputError, surface_text
from unconfuse._formatting import frame_of, number_text, share_words
from unconfuse._validate import check_list, check_number, public_api
from unconfuse.curves._curve import single_table
from unconfuse.indistinguish.crossing import find_crossing
from unconfuse.metrics import METRICS
from unconfuse.metrics._tie_blocks import compute_together
from unconfuse.table import ScoreTable
from unconfuse.uncertainty.estimate import Finding

FACTORS = (0.0, 0.1, 0.5, 1.0, 2.0, 10.0)
IMPRESSIVE = 0.9  # an AUROC from here on is usually read as excellent
SOBER = 0.8  # a C(r_b) up to here is not excellent
MOSTLY = 0.5  # share of the AUROC's lead over chance that goes away with the easy negatives
_MOVED = ("auroc", "average_precision")
_KEPT = "precision_at_indistinguishability"


@dataclass(frozen=True)
class EasyNegatives:
    """AUROC, average precision and C(r_b) as the negatives below r_b are multiplied by each factor.

    r_b is that of the data as they are, for all factors, and so C(r_b), the precision of those labelled there, is the
    same for all. Where scores are tied, r_b of data with fewer easy negatives may lie a block of ties lower.

    Attributes
    ----------
    threshold : float
        r_b of the data as they are.
    easy_share : float
        Share of the negatives that score below it.
    factors : tuple of float
    values : mapping of metric name to tuple of float
    """

    threshold: float
    easy_share: float
    factors: tuple[float, ...]
    values: dict[str, tuple[float, ...]]

    def rows(self) -> list[dict[str, Any]]:
        """One row for each factor."""
        columns = {"factor": self.factors, **self.values}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_frame(self) -> Any:
        """Return a data frame with one row for each factor."""
        return frame_of(self.rows())


@public_api
def easy_negatives(table: ScoreTable, *, factors: Sequence[float] = FACTORS) -> EasyNegatives:
    """Compute what AUROC, average precision and C(r_b) would be with fewer or more easy negatives.

    Parameters
    ----------
    table : ScoreTable
    factors : sequence of float
        The negatives below r_b are multiplied by each of these; 0 leaves the hard ones alone.

    Examples
    --------
    >>> table = ScoreTable(np.array([4., 3, 2, 1]), np.array([4., 4, 1, 0]), np.array([1., 3, 6, 90]))
    >>> study = easy_negatives(table, factors=[0, 1, 10])
    >>> [round(each, 3) for each in study.values["auroc"]], study.easy_share
    ([0.556, 0.979, 0.995], 0.96)
    >>> [round(each, 3) for each in study.values["precision_at_indistinguishability"]]
    [0.667, 0.667, 0.667]
    """
    data, asked = single_table(table), tuple(check_number(each, "factors") for each in check_list(factors, "factors"))
    if any(each < 0 for each in asked):
        raise ArgumentError(f"`factors` must not be negative; got {asked}.")
    crossing = find_crossing(data)
    if crossing.below is None or crossing.above is None:
        raise InputError("the scores rank negatives first (AUROC < 1/2), so no negative counts as easy.")
    easy = slice(int(np.searchsorted(-data.score, -crossing.below.threshold, side="right")), None)
    rows = [_with_easy(data, easy, factor) for factor in asked]
    values = {name: tuple(row[name] for row in rows) for name in _MOVED} | {
        _KEPT: (crossing.below.precision,) * len(asked)
    }
    return EasyNegatives(crossing.below.threshold, float(data.negatives[easy].sum() / data.n_negatives), asked, values)


def _with_easy(table: ScoreTable, easy: slice, factor: float) -> dict[str, float]:
    """Compute the metrics with the easy negatives multiplied."""
    negatives = table.negatives.copy()
    negatives[easy] *= factor
    scaled = ScoreTable.from_validated(table.score, table.positives, negatives)
    compute_together(scaled, _MOVED)
    return {name: float(METRICS[name](scaled)) for name in _MOVED}


def easy_negatives_finding(table: ScoreTable) -> Finding | None:
    """Say so when a high AUROC rests mostly on negatives that score below r_b."""
    if not len(table) or not table.n_positives or not table.n_negatives or METRICS["auroc"](table) < IMPRESSIVE:
        return None
    study = easy_negatives(table, factors=(0.0, 1.0))
    hard, auroc = study.values["auroc"]
    precision = study.values["precision_at_indistinguishability"][1]
    lost = (auroc - hard) / (auroc - 0.5)
    # Without any negative above r_b there is no hard case at all, and the scores deserve their AUROC.
    if np.isnan(hard) or lost <= MOSTLY or precision > SOBER:
        return None
    share = "more than 99%" if 0.995 <= study.easy_share < 1 else f"{study.easy_share:.0%}"
    verb = surface_text("`indistinguishability`", "`unconfuse indistinguish`")
    sentence = (
        f"AUROC {number_text(auroc)} is mostly easy negatives: {share} of the negatives score below the "
        f"indistinguishability threshold {number_text(study.threshold)}, and without them it would be "
        f"{number_text(hard)}. There, where labelled and real positives cannot be told apart by their scores, "
        f"about {share_words(precision)} of the labelled are real (C(r_b) {number_text(precision)}; {verb} gives its "
        "interval)."
    )
    return Finding(
        f"An AUROC of at least {IMPRESSIVE:g} is easily overrated if more than half of its lead over chance comes from "
        f"negatives that score low anyway, and C(r_b) is at most {SOBER:g}.",
        "easy negatives",
        sentence,
        {"auroc": auroc, "auroc_hard": hard, "easy_share": study.easy_share, "precision": precision},
    )
