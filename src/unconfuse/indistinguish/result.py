"""The indistinguishability threshold of a data set, with everything that belongs to it.

`sampled_b` is the paper's own way to B(r), randomly drawn pairs: beside the exact value it shows what sampling costs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from unconfuse import _cards
from unconfuse._errors import InputError
from unconfuse._plain import frame_of, number_text
from unconfuse._validate import check_number, check_whole
from unconfuse.curves import Curve, b_curve
from unconfuse.indistinguish.crossing import Crossing, LabelledSet
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.estimate import Estimate

Draws = npt.NDArray[np.intp]


@dataclass(frozen=True, repr=False)
class Indistinguishability:
    """Where B(r) crosses a level, and what share of the labelled is real there.

    Attributes
    ----------
    threshold, precision : Estimate
        r_b and C(r_b) with their intervals.
    level : float
    labelled : LabelledSet
        The labelled set that threshold and precision belong to: C, v, u, B and the counts.
    crossing : Crossing
        The sets on both sides of the level, and the mixture that hits it.
    table : ScoreTable
    exclude_self : bool
        Whether no case is compared with itself in B.
    take : str
        Which labelled set was chosen: "below", "above" or "mixture".
    """

    threshold: Estimate
    precision: Estimate
    level: float
    labelled: LabelledSet
    crossing: Crossing
    table: ScoreTable
    exclude_self: bool = False
    take: str = "below"
    options: dict[str, Any] = field(default_factory=dict)

    def b(self, r: npt.ArrayLike) -> Array:
        """B at any threshold (or array of them); NaN above the highest score, where nobody is labelled.

        Examples
        --------
        >>> import unconfuse as uc
        >>> uc.indistinguishability([1, 0, 1, 0], [.8, .6, .3, .1]).b([.2, .5, .9])
        array([0.5  , 0.375,   nan])
        """
        labelled = np.searchsorted(-self.table.score, -np.asarray(r, dtype=np.float64), side="right")
        return np.append(np.nan, self._b)[labelled]

    @cached_property
    def _b(self) -> Array:
        return b_values(self.table, exclude_self=self.exclude_self)

    @property
    def b_at_all(self) -> float:
        """B(-inf): how often a positive outranks a random case, (P/2 + N AUROC) / (P + N)."""
        return float(self._b[-1])

    @cached_property
    def curve(self) -> Curve:
        """B(r), its parts, precision, TPR, FPR and F1 at every threshold."""
        return b_curve(self.table)

    def at(self, level: float) -> Indistinguishability:
        """The same data at another level, for instance .4 or .6."""
        from unconfuse.indistinguish.threshold import indistinguishability

        same = {"exclude_self": self.exclude_self, "take": self.take, **self.options}
        return indistinguishability(self.table, level=level, **same)

    def sampled(self, *, n_pairs: int = 1000, rng: int = 0) -> Estimate:
        """B at this threshold by comparing random pairs, as the paper does it, with its Monte-Carlo error."""
        return sampled_b(self.table, self.threshold.value, n_pairs=n_pairs, rng=rng)

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        what = (
            "cannot be told apart by their scores"
            if self.level == 0.5
            else f"differ so much that a real one outranks a labelled one {self.level:.0%} of the time"
        )
        c, between = self.precision, ""
        if not np.isnan(c.low):
            between = f" ({c.low:.1%} to {c.high:.1%}, {c.confidence_level:.0%} {c.method})"
        return (
            f"When labelled and real positives {what}, {c.value:.1%} of the labelled are real{between}: label every "
            f"case with a score of {number_text(self.threshold.value)} or more."
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values; `unconfuse.results.plain_json` makes them fit for strict JSON."""
        return {
            "level": self.level,
            "threshold": self.threshold.as_dict(),
            "precision": self.precision.as_dict(),
            "take": self.take,
            "labelled": self.labelled.as_dict(),
            "share": self.crossing.share,
            "below": self.crossing.below and self.crossing.below.as_dict(),
            "above": self.crossing.above and self.crossing.above.as_dict(),
            "mixed_precision": self.crossing.mixed_precision,
            "b_at_all": self.b_at_all,
            "sentence": self.sentence,
        }

    def to_frame(self) -> Any:
        """The labelled sets on both sides of the level."""
        sides = {"below": self.crossing.below, "above": self.crossing.above}
        return frame_of([{"side": side, **each.as_dict()} for side, each in sides.items() if each])

    def __repr__(self) -> str:
        return f"Indistinguishability at B = {self.level:g}: {self.threshold}; {self.precision}"

    def _repr_html_(self) -> str:
        c, r = self.precision, self.threshold
        share = _cards.bar(c.value, c.low, c.high, (0.0, 1.0), self.table.prevalence)
        place = _cards.bar(r.value, r.low, r.high, (float(self.table.score[-1]), float(self.table.score[0])))
        rows = [
            ["precision C(r)", number_text(c.value), c.interval_text, share],
            ["threshold r", number_text(r.value), r.interval_text, place],
        ]
        return _cards.card(
            f"Indistinguishability at B = {self.level:g}",
            _cards.table([], rows, numbers=[1]),
            _cards.quiet("Bars: 0 to 1 with a tick at the prevalence; lowest to highest score."),
            verdict=self.sentence,
        )


def sampled_b(
    table: ScoreTable, threshold: float, *, n_pairs: int = 1000, rng: int = 0, confidence_level: float = 0.95
) -> Estimate:
    """B(r) from random pairs of a positive and a labelled case; a pair of a case with itself is drawn again.

    Parameters
    ----------
    table : ScoreTable
    threshold : float
        Cases with at least this score are labelled.
    n_pairs, rng : int
        Number of pairs and seed.
    confidence_level : float
        Of the interval, which shows the Monte-Carlo error alone: what another draw of pairs from the same data would
        give.

    Examples
    --------
    >>> cats = ScoreTable(np.array([87., 85, 82, 79, 74, 73, 68, 66, 61, 39, 28, 12]),
    ...                   np.array([1., 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0]),
    ...                   np.array([0., 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1]))
    >>> print(sampled_b(cats, 67, n_pairs=100_000))
    b 0.485 [0.482, 0.489] 95% Monte Carlo, threshold 67.0, 100,000 pairs, no case with itself; exactly 18/37 = 0.486
    """
    at, pairs = check_number(threshold, "threshold"), check_whole(n_pairs, "n_pairs", at_least=1)
    labelled = int(np.searchsorted(-table.score, -at, side="right"))
    if not labelled:
        raise InputError(f"no case has a score of at least {at:g}. Hint: the highest score is {table.score[0]:g}.")
    won, compared = _exactly(table, labelled)
    if compared <= 0:
        raise InputError("the only labelled case is the only positive: there is nothing to compare it with.")

    real, shown = _pairs(table, labelled, pairs, np.random.default_rng(check_whole(rng, "rng", at_least=0)))
    wins = np.where(real < shown, 1.0, np.where(real == shown, 0.5, 0.0))
    value, error = float(wins.mean()), float(wins.std()) / math.sqrt(pairs)
    reach = float(ndtri((1 + confidence_level) / 2)) * error
    fraction = f"{won:g}/{compared:g} = " if won == int(won) and compared == int(compared) and compared < 1e6 else ""
    context = (
        f"threshold {number_text(at)}, {pairs:,} pairs, no case with itself; exactly "
        f"{fraction}{number_text(won / compared)}"
    )
    return Estimate(
        "b",
        "B(r) from random pairs",
        value,
        max(value - reach, 0.0),
        min(value + reach, 1.0),
        confidence_level,
        method="Monte Carlo",
        better="neither",
        context=context,
    )


def _exactly(table: ScoreTable, labelled: int) -> tuple[float, float]:
    """Pairs won and pairs compared, none of a case with itself."""
    p, cases = table.positives, table.positives + table.negatives
    tp = float(p[:labelled].sum())
    won = float((cases * (np.cumsum(p) - p / 2))[:labelled].sum()) - tp / 2
    return won, table.n_positives * float(cases[:labelled].sum()) - tp


def _pairs(table: ScoreTable, labelled: int, pairs: int, rng: np.random.Generator) -> tuple[Draws, Draws]:
    """Blocks of the positive and of the labelled case of each pair; same cases are thrown out and drawn again."""
    real, shown = np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    p, cases = table.positives, (table.positives + table.negatives)[:labelled]
    while len(real) < pairs:
        left, right = _draw(p, pairs, rng), _draw(cases, pairs, rng)
        # Within one block of c cases, the labelled case is the positive itself once in c times.
        same = (left == right) & (rng.random(pairs) * cases[np.minimum(right, labelled - 1)] < 1)
        real, shown = np.append(real, left[~same]), np.append(shown, right[~same])
    return real[:pairs], shown[:pairs]


def _draw(weights: Array, size: int, rng: np.random.Generator) -> Draws:
    reached = np.cumsum(weights)
    drawn: Draws = np.searchsorted(reached, rng.random(size) * reached[-1], side="right")
    return drawn
