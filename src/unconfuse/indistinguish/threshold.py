"""The indistinguishability threshold of a data set, with everything that belongs to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from unconfuse import _cards
from unconfuse._errors import InputError, argument
from unconfuse._plain import frame_of, number_text
from unconfuse._validate import as_floats, check_choice, check_flag, check_probability, check_resamples, check_seed
from unconfuse.curves import Curve, b_curve
from unconfuse.curves._curve import plain
from unconfuse.indistinguish import intervals
from unconfuse.indistinguish.crossing import Crossing, LabelledSet, find_crossing, sampled_b
from unconfuse.ingest import DataWords
from unconfuse.ingest.door import only_table, takes_data
from unconfuse.metrics import METRICS
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.table import Array, Design, ScoreTable
from unconfuse.table.sample import KINDS
from unconfuse.uncertainty.estimate import Estimate


@takes_data
def indistinguishability(
    y: Any,
    s: Any = None,
    *,
    level: float = 0.5,
    exclude_self: bool = False,
    take: str = "below",
    design: str = "cohort",
    confidence_level: float = 0.95,
    method: str | None = None,
    n_resamples: int = 2000,
    rng: int = 0,
    **data: Unpack[DataWords],
) -> Indistinguishability:
    r"""The threshold at which labelled and real positives cannot be told apart, and the precision there.

    B(r) is the chance that a random positive outranks a random case with a score of at least r (ties count half). It
    falls as r rises. Where it is 1/2, the scores of the labelled and of the real positives cannot be told apart;
    C(r_b) is the share of the labelled that is real there.

    .. math:: B(r)=\frac{1}{P\,|L|}\sum_{i\in +}\sum_{j\in L}\left([X_i>S_j]+\tfrac12[X_i=S_j]\right),\quad L=\{S\ge r\}

    Parameters
    ----------
    y : array_like, data frame, file or ScoreTable
        Labels; or a frame or file with the columns `label` and `score`; or a table made by `score_table`.
    s : array_like
        Scores, higher for "more likely positive".
    level : float
        Which B to look for; .4 labels fewer cases, .6 more.
    exclude_self : bool
        Compare no case with itself, as the paper does. At level 1/2 the threshold is the same either way.
    take : {"below", "above", "mixture"}
        In a sample B jumps. "below" takes the largest labelled set with B <= level, "above" the smallest with
        B >= level, "mixture" labels a random part of the cases between them, so that B hits the level exactly.
    design : {"cohort", "case-control"}
        Whether the share of positives came about by itself, or was chosen by the study.
    confidence_level : float
    method : {"bootstrap", "influence"}, optional
        How the intervals are made. By default C(r_b) has a percentile bootstrap and r_b an interval by inversion: all
        thresholds at which B may be equal to the level. "influence" needs no resampling.
    n_resamples, rng : int
        Size and seed of the bootstrap.
    **data
        What the columns mean, which rows to read: the words of `Data`.

    Notes
    -----
    C(r_b) does not change when negatives below r_b are added or taken away, while AUROC does. It moves with prevalence
    as every precision does. There is no r_b when AUROC < 1/2.

    References
    ----------
    Sumpter (2023), Precision at the indistinguishability threshold; our errata correct its equations 10 to 19.

    Examples
    --------
    >>> import unconfuse as uc
    >>> cats, others = [79, 85, 82, 68, 87, 66], [61, 39, 28, 73, 74, 12]
    >>> found = uc.indistinguishability([1] * 6 + [0] * 6, cats + others)
    >>> found.threshold.value, found.labelled.next_score, round(found.precision.value, 3)
    (68.0, 66.0, 0.714)
    >>> found.at(.4).labelled.tp, found.at(.6).labelled.tp
    (4.0, 6.0)
    """
    check_probability(level, "level", open_interval=True)
    check_choice(take, "take", ("below", "above", "mixture"))
    settings = Design(
        check_choice(design, "design", KINDS),
        check_probability(confidence_level, "confidence_level", open_interval=True),
        check_resamples(n_resamples, at_least=1),
        check_seed(rng),
    )
    check_choice(method or "bootstrap", "method", ("bootstrap", "influence"))
    scores = plain(only_table(y, s, data, "`indistinguishability`").table().exact("`indistinguishability`"))
    return _found(scores, level, check_flag(exclude_self, "exclude_self"), take, method, settings)


def _found(
    table: ScoreTable, level: float, exclude_self: bool, take: str, method: str | None, settings: Design
) -> Indistinguishability:
    """Find the crossing, choose the labelled set, put intervals around threshold and precision."""
    crossing = find_crossing(table, level, exclude_self=exclude_self)
    labelled = _chosen(table, crossing, take)
    value = crossing.mixed_precision if take == "mixture" else labelled.precision
    estimated = partial(
        Estimate,
        confidence_level=settings.confidence_level,
        context=f"level {level:g}, {table.n_positives:g} positives of {table.n:g}",
    )
    low, high, how = intervals.threshold_limits(table, level, method, settings)
    name, better = "Indistinguishability threshold, r_b", "neither"
    threshold = estimated("threshold", name, labelled.threshold, low, high, method=how, better=better)
    low, high, how = intervals.precision_limits(table, level, method, settings)
    name, metric = "Precision at indistinguishability, C(r_b)", "precision_at_indistinguishability"
    precision = estimated(metric, name, value, low, high, method=how, baseline=table.prevalence)
    return Indistinguishability(
        threshold, precision, level, labelled, crossing, table, exclude_self, take, method, settings
    )


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
    method: str | None = None
    settings: Design = field(default_factory=Design)

    def b(self, r: npt.ArrayLike) -> Array:
        """B at any threshold (or array of them); NaN above the highest score, where nobody is labelled.

        Examples
        --------
        >>> import unconfuse as uc
        >>> uc.indistinguishability([1, 0, 1, 0], [.8, .6, .3, .1]).b([.2, .5, .9])
        array([0.5  , 0.375,   nan])
        """
        labelled = np.searchsorted(-self.table.score, -as_floats(r, "r"), side="right")
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
        check_probability(level, "level", open_interval=True)
        return _found(self.table, level, self.exclude_self, self.take, self.method, self.settings)

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


def _chosen(table: ScoreTable, crossing: Crossing, take: str) -> LabelledSet:
    if crossing.above is None:
        raise _never_reached(table, crossing.level)
    if take == "below" and crossing.below is not None:
        return crossing.below
    if take == "above" or (take == "mixture" and crossing.below is not None):
        return crossing.above
    raise InputError(
        f"even the cases with the highest score, {crossing.above.threshold:g}, have B = "
        f"{number_text(crossing.above.b)}, above {crossing.level:g}: so many share that score. "
        f"Hint: give {argument('take', 'above')} "
        "to use them, or a higher level."
    )


def _never_reached(table: ScoreTable, level: float) -> InputError:
    auroc, largest = float(METRICS["auroc"](table)), float(b_values(table)[-1])
    if auroc < 0.5:
        return InputError(
            f"the scores rank negatives first: AUROC is {number_text(auroc)}, below 1/2, so B(r) never reaches "
            f"{level:g} (at most {number_text(largest)}). Hint: if high scores mean 'negative', pass the scores with "
            "the opposite sign; check which label is positive; otherwise the scores cannot find positives."
        )
    return InputError(
        f"B(r) never reaches {level:g}: even when every case is labelled it is only {number_text(largest)}. "
        "Hint: pass a lower `level`."
    )
