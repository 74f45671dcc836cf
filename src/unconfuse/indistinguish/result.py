"""What `indistinguishability` answers: threshold and precision with their intervals, and all that belongs to them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from unconfuse import _html_repr
from unconfuse._deprecated import renamed
from unconfuse._errors import InputError, argument_name
from unconfuse._formatting import frame_of, number_text, share_words, strict_json, with_numbers
from unconfuse._render_mixins import PlotMixin
from unconfuse._validate import as_floats, check_choice, check_probability, public_api
from unconfuse.curves import Curve, b_curve
from unconfuse.indistinguish import intervals
from unconfuse.indistinguish.crossing import Crossing, LabelledSet, find_crossing
from unconfuse.indistinguish.distribution_diagnostics import ScoreSetDifference, compare_sets
from unconfuse.indistinguish.intervals import IndistinguishabilityRequest
from unconfuse.indistinguish.pair_sampling import sampled_a, sampled_b
from unconfuse.metrics import METRICS
from unconfuse.metrics._metric import ratio
from unconfuse.metrics.indistinguishable import b_values, ceiling_at
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.estimate import Estimate

_NOTABLE = 0.02  # B further than this from the level is said
_BESIDE = (0.6, 0.4)  # the levels at which the paper looks besides 1/2


def found_by(asked: IndistinguishabilityRequest) -> Indistinguishability:
    """Find the crossing, choose the labelled set, put intervals around threshold and precision."""
    crossing = find_crossing(asked.table, asked.level, exclude_self=asked.exclude_self)
    labelled = _chosen(asked.table, crossing, asked.take)
    step = int(labelled is not crossing.below and labelled.threshold != getattr(crossing.below, "threshold", None))
    threshold, precision = _threshold(asked, labelled, step), _precision(asked, crossing, labelled, step)
    return Indistinguishability(threshold, precision, asked.level, labelled, crossing, asked)


def _context(asked: IndistinguishabilityRequest) -> str:
    groups = asked.sample.sampling.size_words
    return f"level {asked.level:g}, {groups}{asked.table.n_positives:g} positives of {asked.table.n:g}"


def _threshold(asked: IndistinguishabilityRequest, labelled: LabelledSet, step: int) -> Estimate:
    low, high, how = intervals.threshold_limits(asked, step)
    value = labelled.threshold
    return Estimate(
        "threshold",
        "Indistinguishability threshold, r_b",
        value,
        min(low, value),
        max(high, value),
        asked.settings.confidence_level,
        how,
        better="neither",
        conditions=_context(asked),
        recompute=partial(_ask_threshold, asked, labelled, step),
    )


def _ask_threshold(
    asked: IndistinguishabilityRequest, labelled: LabelledSet, step: int, *, confidence_level: float, method: str | None
) -> Estimate:
    check_choice(method or "bootstrap", "method", ("bootstrap",))
    return _threshold(
        asked.at(method=method, settings=asked.settings.with_confidence_level(confidence_level)), labelled, step
    )


def _precision(asked: IndistinguishabilityRequest, crossing: Crossing, labelled: LabelledSet, step: int) -> Estimate:
    value = crossing.mixed_precision if asked.take == "mixture" else labelled.precision
    (low, high, how), estimate = intervals.precision_limits(asked, step)
    if asked.take == "mixture" or not asked.reach.tied:
        high = min(high, ceiling_at(asked.level))

    return Estimate(
        "precision_at_indistinguishability",
        "Precision at indistinguishability, C(r_b)",
        value,
        min(low, value),
        max(high, value),
        asked.settings.confidence_level,
        how,
        baseline=asked.table.prevalence,
        conditions=_context(asked),
        recompute=partial(_ask_precision, asked, crossing, labelled, step, estimate),
        standard_error=math.nan if estimate is None else estimate.standard_error,
    )


def _ask_precision(
    asked: IndistinguishabilityRequest,
    crossing: Crossing,
    labelled: LabelledSet,
    step: int,
    own: Estimate | None,
    *,
    confidence_level: float,
    method: str | None,
) -> Estimate:
    if own is not None and method is not None:
        return own.interval(confidence_level=confidence_level, method=method)
    return _precision(
        asked.at(settings=asked.settings.with_confidence_level(confidence_level)), crossing, labelled, step
    )


@public_api
@dataclass(frozen=True, repr=False)
class Indistinguishability(PlotMixin):
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
    asked : IndistinguishabilityRequest
        The data and how they were asked: `table`, `exclude_self` and `take` lead there.
    """

    threshold: Estimate
    precision: Estimate
    level: float
    labelled_set: LabelledSet
    crossing: Crossing
    asked: IndistinguishabilityRequest
    picture: ClassVar[str] = "plot_indistinguishability"

    @property
    def table(self) -> ScoreTable:
        """One row for each distinct score."""
        return self.asked.table

    @property
    def exclude_self(self) -> bool:
        """Whether no case is compared with itself in B."""
        return self.asked.exclude_self

    @property
    def take(self) -> str:
        """Which labelled set was chosen: "below", "above" or "mixture"."""
        return self.asked.take

    @property
    def has_ties(self) -> bool:
        """Whether so many cases share a score at the crossing that B jumps over the level there."""
        return self.asked.reach.tied

    @cached_property
    def mixture(self) -> Estimate | None:
        """C where a random part of the tied cases is labelled, so that B hits the level; None if there is no such part.

        Between two thresholds that B jumps over, the precision of this mixture says best what the scores are worth.
        """
        if self.crossing.below is None or self.asked.sample.sampling.clustered:
            return None
        return self.precision if self.take == "mixture" else found_by(self.asked.at(take="mixture")).precision

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
    def b_if_all_labelled(self) -> float:
        """B(-inf): how often a positive outranks a random case, (P/2 + N AUROC) / (P + N)."""
        return float(self._b[-1])

    @cached_property
    def curve(self) -> Curve:
        """B(r), its parts, precision, TPR, FPR and F1 at every threshold."""
        return b_curve(self.table)

    def at_level(self, level: float) -> Indistinguishability:
        """Return the result for the same data at another level, for instance .4 or .6."""
        return found_by(self.asked.at(level=check_probability(level, "level", open_interval=True)))

    def sampled(self, *, n_pairs: int = 1000, replace: bool = True, rng: int = 0) -> Estimate:
        """B at this threshold by comparing random pairs, as the paper does it, with its Monte-Carlo error.

        Without replacement no case is drawn twice on the same side.
        """
        return sampled_b(self.table, self.threshold.value, n_pairs=n_pairs, replace=replace, rng=rng)

    def sampled_auroc(self, *, n_pairs: int = 1000, rng: int = 0) -> Estimate:
        """Estimate the paper's A, AUROC by comparing random positive-negative pairs, with its Monte-Carlo error."""
        return sampled_a(self.table, n_pairs=n_pairs, rng=rng)

    def auroc_above(self, r: npt.ArrayLike) -> Array:
        """A(r): AUROC among the cases with a score of at least r; NaN where these lack a class.

        Examples
        --------
        >>> import unconfuse as uc
        >>> uc.indistinguishability([1, 0, 1, 0], [.8, .6, .3, .1]).auroc_above([.2, .5, .9])
        array([0.5, 1. , nan])
        """
        labelled = np.searchsorted(-self.table.score, -as_floats(r, "r"), side="right")
        tp, fp = np.cumsum(self.table.positives), np.cumsum(self.table.negatives)
        won = np.cumsum(self.table.negatives * (tp - self.table.positives / 2))
        return np.append(np.nan, ratio(won, tp * fp))[labelled]

    @cached_property
    def distribution_difference(self) -> ScoreSetDifference:
        """Whether labelled and real positives differ otherwise: in spread and in shape, with a sentence."""
        return compare_sets(
            self.table,
            self.threshold.value,
            self.asked.settings,
            fixed_classes=self.asked.sample.sampling.fixed_classes,
        )

    @property
    def sentence(self) -> str:
        """C(r_b) and r_b in plain words, each with its interval."""
        if self.has_ties and self.take != "mixture" and self.crossing.below is not None and self.crossing.share > 0:
            return self._sentence_of_ties()
        at, rest = f"{number_text(self.threshold.value)}{self._interval_of_threshold()}", ""
        if self.take == "mixture" and self.has_ties and self.crossing.share > 0:
            value = number_text(self.threshold.value)
            share = share_words(self.crossing.share)
            rest = f"label every case above {at}, and {share} of those at {value}, drawn at random."
        elif self.take != "mixture" and abs(self.labelled_set.b - self.level) > _NOTABLE:
            side = "below" if self.labelled_set.b < self.level else "above"
            nearest = (
                f"there B is {number_text(self.labelled_set.b)}, the nearest {side} {self.level:g} in so few cases"
            )
            rest = f"label every case with a score of {at} or more; {nearest}."
        rest = rest or f"label every case with a score of {at} or more."
        return f"When labelled and real positives {self._state()}, {_real(self.precision)}{self._ceiling()}: {rest}"

    @cached_property
    def beside(self) -> tuple[Indistinguishability, ...]:
        """The same at the levels .6 and .4, as far as the scores reach them; computed when first asked for."""
        requests = [self.asked.at(level=level) for level in _BESIDE]
        known, answers = intervals.estimates_at(requests), []
        for request in requests:
            try:
                answers.append(found_by(request.at(known=known)))
            except InputError:  # B never reaches it
                continue
        return tuple(answers)

    @property
    def full_sentence(self) -> str:
        """The sentence, with C(r_60) and C(r_40) beside it: what each is, and what it can be at most.

        Examples
        --------
        >>> import numpy as np, unconfuse as uc
        >>> y, s = np.arange(400) % 4 == 0, np.random.default_rng(0).normal(size=400) + (np.arange(400) % 4 == 0)
        >>> print(uc.indistinguishability(y, s).full_sentence.split(". ")[-1])
        C(r_60) is 32.7% (26.5% to 38.5%), at most 80%; C(r_40) is 43.3% (34.4% to 50.9%), at most 100%.
        """
        if self.level != 0.5 or not self.beside:
            return self.sentence
        said = [
            f"C(r_{round(100 * answer.level)}) is {share_words(answer.precision.value)} ("
            f"{share_words(answer.precision.low)} to {share_words(answer.precision.high)}), "
            f"at most {ceiling_at(answer.level):.0%}"
            for answer in self.beside
        ]
        return f"{self.sentence} {'; '.join(said)}."

    def _ceiling(self) -> str:
        return "" if ceiling_at(self.level) == 1 else f", of at most {ceiling_at(self.level):.0%} at this level"

    def _interval_of_threshold(self) -> str:
        r = self.threshold
        return "" if np.isnan(r.low) else f" ({r.range_text})"

    def _state(self) -> str:
        if self.level == 0.5:
            return "cannot be told apart by their scores"
        return f"differ so much that a real one outranks a labelled one {share_words(self.level)} of the time"

    def _sentence_of_ties(self) -> str:
        """No threshold reaches the level: which two lie around it, and what a mixture of both gives."""
        below, above = self.crossing.below, self.crossing.above
        assert below is not None and above is not None
        first, second = number_text(below.threshold), number_text(above.threshold)
        said = (
            f"No threshold makes B equal to {self.level:g}, because many cases share a score: from {first} on a real "
            f"positive outranks a labelled one {share_words(below.b)} of the time, from {second} on "
            f"{share_words(above.b)}."
        )
        mixture, chosen = self.mixture, f"From {number_text(self.threshold.value)} on, {_real(self.precision)}."
        if mixture is None:
            return f"{said} {chosen}"
        return (
            f"{said} When all from {first} on and {share_words(self.crossing.share)} of those at {second} are "
            f"labelled, labelled and real positives {self._state()}, and {_real(mixture)}. {chosen}"
        )

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return plain values, fit for strict JSON: NaN is None, and infinities are texts."""
        return {
            "level": self.level,
            "threshold": self.threshold.as_dict(),
            "precision": self.precision.as_dict(),
            "take": self.take,
            "labelled": self.labelled_set.as_dict(),
            "share": self.crossing.share,
            "below": self.crossing.below and self.crossing.below.as_dict(),
            "above": self.crossing.above and self.crossing.above.as_dict(),
            "mixed_precision": self.crossing.mixed_precision,
            "tied": self.has_ties,
            "mixture": None if self.mixture is None else self.mixture.as_dict(),
            "b_at_all": self.b_if_all_labelled,
            "sentence": self.sentence,
        }

    def to_frame(self) -> Any:
        """Return a data frame with the labelled sets on both sides of the level."""
        sides = {"below": self.crossing.below, "above": self.crossing.above}
        return frame_of(
            [{"side": side, **with_numbers(labelled_set)} for side, labelled_set in sides.items() if labelled_set]
        )

    def __repr__(self) -> str:
        return f"Indistinguishability at B = {self.level:g}: {self.threshold}; {self.precision}"

    def _repr_html_(self) -> str:
        c, r = self.precision, self.threshold
        share = _html_repr.bar(c.value, c.low, c.high, (0.0, 1.0), self.table.prevalence)
        place = _html_repr.bar(r.value, r.low, r.high, (float(self.table.score[-1]), float(self.table.score[0])))
        rows = [
            ["precision C(r)", number_text(c.value), c.interval_text, share],
            ["threshold r", number_text(r.value), r.interval_text, place],
        ]
        return _html_repr.card(
            f"Indistinguishability at B = {self.level:g}",
            _html_repr.table([], rows, numbers=[1]),
            _html_repr.quiet("Bars: 0 to 1 with a tick at the prevalence; lowest to highest score."),
            verdict=self.full_sentence,
        )

    at = renamed("at_level")
    alike = renamed("distribution_difference")
    b_at_all = renamed("b_if_all_labelled")
    is_tied = renamed("has_ties")
    labelled = renamed("labelled_set")


def _real(found: Estimate) -> str:
    """Say what share of the labelled is real, with its interval."""
    said = f"{share_words(found.value)} of the labelled are real"
    if np.isnan(found.low):
        return said
    low, high, level = (share_words(each) for each in (found.low, found.high, found.confidence_level))
    return f"{said} ({low} to {high}, {level} {found.method})"


def _chosen(table: ScoreTable, crossing: Crossing, take: str) -> LabelledSet:
    if crossing.above is None:
        raise _never_reached(table, crossing.level)
    if take == "below" and crossing.below is not None:
        return crossing.below
    if take == "mixture" and crossing.below is not None:
        return _mixed(crossing, crossing.below, crossing.above)
    if take == "above":
        return crossing.above
    raise InputError(
        f"even the cases with the highest score, {crossing.above.threshold:g}, have B = "
        f"{number_text(crossing.above.b)}, above {crossing.level:g}: so many share that score. "
        f"Hint: give {argument_name('side', 'above')} "
        "to use them, or a higher level."
    )


def _mixed(crossing: Crossing, below: LabelledSet, above: LabelledSet) -> LabelledSet:
    """Return the set below the level with a random part of the cases that the one above adds, on average."""
    if not crossing.share:
        return below
    names = ("precision", "sensitivity", "false_positive_rate", "tp", "fp")
    mixed = {
        name: getattr(below, name) + crossing.share * (getattr(above, name) - getattr(below, name)) for name in names
    }
    return replace(above, **mixed | {"b": crossing.level, "precision": crossing.mixed_precision})


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
        "Hint: pass a lower `b_level`."
    )
