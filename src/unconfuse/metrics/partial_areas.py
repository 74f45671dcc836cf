"""Partial areas under the ROC curve: over a range of false positive rates, or of true positive rates.

Over a range of true positive rates the specificity is integrated instead: seen from the negatives, with the order of
scores reversed, that is again an area over a range of "false positive" rates, so one function serves both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from unconfuse import _kernels
from unconfuse._errors import ArgumentError
from unconfuse._validate import check_choice, check_probability, public_api
from unconfuse.metrics._metric import Metric, ratio
from unconfuse.metrics._tie_blocks import constant, rank_metric
from unconfuse.metrics.influence_functions import InfluenceFunction
from unconfuse.table import Array, ScoreTable

_LONG = 1 << 12  # blocks
_NARROWEST = 1e-9  # between the ends of a range: rounding would be all that is left of the area
_FORMS = {
    "mcclish": ("McClish", r"\tfrac12\left(1+\frac{A-m}{w-m}\right),\ m=\tfrac12(b^2-a^2),\ w=b-a"),
    "box": ("share of the box", r"A/(b-a)"),
    "raw": ("raw area", r"A"),
}


@dataclass(frozen=True)
class RateRange:
    """A range of false positive rates; of true positive rates if `of_tpr`."""

    low: float
    high: float
    of_tpr: bool = False

    @property
    def width(self) -> float:
        """The area of the box."""
        return self.high - self.low

    @property
    def by_chance(self) -> float:
        """The area under the diagonal."""
        area = (self.high**2 - self.low**2) / 2
        return self.width - area if self.of_tpr else area

    def seen(self, table: ScoreTable) -> tuple[Array, Array, float, float]:
        """Whose rank counts, among whom, and the range of the latter's shares: from the top, or turned round."""
        if self.of_tpr:
            return table.negatives[..., ::-1], table.positives[..., ::-1], 1 - self.high, 1 - self.low
        return table.positives, table.negatives, self.low, self.high

    def area(self, table: ScoreTable) -> Array:
        """Of one table or of each in a stack; straight within a tie block."""
        own, others, low, high = self.seen(table)
        whole = _kernels.partial_areas(np.ascontiguousarray(own), np.ascontiguousarray(others), high)
        if low <= 0:
            return np.asarray(whole)
        return np.asarray(whole - _kernels.partial_areas(np.ascontiguousarray(own), np.ascontiguousarray(others), low))


@public_api
def partial_auroc(
    max_fpr: float | None = None,
    *,
    min_fpr: float | None = None,
    min_tpr: float | None = None,
    max_tpr: float | None = None,
    form: str = "mcclish",
) -> Metric:
    """Area under the ROC curve over a range of false positive rates, or of true positive rates.

    Parameters
    ----------
    max_fpr, min_fpr : float
        The range of false positive rates; from 0 to 0.1 if nothing is said (`partial.auc = c(1, .9)` in pROC).
    min_tpr, max_tpr : float
        Instead, a range of true positive rates, over which the specificity is integrated (pROC's
        `partial.auc.focus = "sensitivity"`).
    form : {"mcclish", "box", "raw"}
        "mcclish" is scaled so that chance is 1/2 and perfect 1 (scikit-learn's `max_fpr`, pROC's
        `partial.auc.correct`); "box" is the mean sensitivity over the range (precrec's `spauc`); "raw" is the area.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> partial_auroc(0.5, form="box")(PHOTOS).item(), partial_auroc(1, min_fpr=0.5, form="box")(PHOTOS).item()
    (0.5, 1.0)
    >>> partial_auroc(min_tpr=0.5, form="raw")(PHOTOS).item()  # specificity is 1/2 up to the last positive
    0.25
    """
    span = _checked(max_fpr, min_fpr, min_tpr, max_tpr)
    words, formula = _FORMS[check_choice(form, "form", tuple(_FORMS))]
    shift, scale = _scaled(span, form)
    rate, other = ("TPR", r"(1-\mathrm{FPR})") if span.of_tpr else ("FPR", r"\mathrm{TPR}")
    integral = rf"A=\int_a^b {other}\,d\mathrm{{{rate}}},\ a={span.low:g},\ b={span.high:g}"
    reach = f"up to {rate} {span.high:g}" if span.low == 0 else f"from {rate} {span.low:g} to {span.high:g}"
    chance = (shift + span.by_chance) / scale
    example = (shift + _area_of_photos(span)) / scale
    return rank_metric(
        _name(span, form),
        label=f"Partial AUROC {reach} ({words})",
        question=_question(span),
        function=lambda table: (shift + span.area(table)) / scale,
        influence=partial(_influence, span, shift, scale),
        joined=partial(_joined_beyond, span),
        deciding=(span.width, 1.0) if span.of_tpr else (1.0, span.width),
        formula=f"{formula},\\ {integral}",
        range=(shift / scale, (shift + span.width) / scale),
        chance=constant(chance),
        straight=True,
        depends_on_prevalence=False,
        misleads="Three forms go by this name; only McClish's has 1/2 as chance. Few cases decide it.",
        references=("McClish (1989), Medical Decision Making 9:190", "Dodd & Pepe (2003), Biometrics 59:614"),
        example=example,
    )


def _checked(max_fpr: float | None, min_fpr: float | None, min_tpr: float | None, max_tpr: float | None) -> RateRange:
    of_fpr, of_tpr = (any(each is not None for each in pair) for pair in ((max_fpr, min_fpr), (min_tpr, max_tpr)))
    if of_fpr and of_tpr:
        raise ArgumentError("a partial AUROC has a range of FPR or of TPR, not of both. Hint: leave one pair out.")
    if of_tpr:
        low, high = (
            check_probability(0.0 if min_tpr is None else min_tpr, "min_tpr"),
            check_probability(1.0 if max_tpr is None else max_tpr, "max_tpr"),
        )
        names = "min_tpr", "max_tpr"
    else:
        usual = 1.0 if min_fpr is not None else 0.1
        low, high = (
            check_probability(0.0 if min_fpr is None else min_fpr, "min_fpr"),
            check_probability(usual if max_fpr is None else max_fpr, "max_fpr"),
        )
        names = "min_fpr", "max_fpr"
    if high - low < _NARROWEST:
        raise ArgumentError(
            f"`{names[1]}` must be above `{names[0]}`, {low:g}; got {high:g}: there is no area between."
        )
    return RateRange(low, high, of_tpr)


def _scaled(span: RateRange, form: str) -> tuple[float, float]:
    """Return what is added to the area, and by what the sum is divided."""
    if form == "mcclish":
        return span.width - 2 * span.by_chance, 2 * (span.width - span.by_chance)
    return 0.0, span.width if form == "box" else 1.0


def _name(span: RateRange, form: str) -> str:
    """As `find_metric` reads it."""
    given = [f"{span.high:g}"] if not span.of_tpr else []
    if span.of_tpr:
        given += [f"min_tpr={span.low:g}"] if span.low else []
        given += [f"max_tpr={span.high:g}"] if span.high < 1 or not span.low else []
    elif span.low:
        given += [f"min_fpr={span.low:g}"]
    given += [] if form == "mcclish" else [f"form={form!r}"]
    return f"partial_auroc({', '.join(given)})"


def _question(span: RateRange) -> str:
    if span.of_tpr:
        return f"How good is the ranking where between {span.low:.4g} and {span.high:.4g} of the positives are found?"
    if span.low:
        return f"How good is the ranking where between {span.low:.4g} and {span.high:.4g} of the negatives are flagged?"
    return f"How good is the ranking where at most {span.high:.4g} of the negatives are flagged?"


def _area_of_photos(span: RateRange) -> float:
    """Of four photographs ranked cat, dog, cat, dog: TPR is 1/2 up to FPR 1/2, then 1."""
    if span.of_tpr:
        return max(min(span.high, 0.5) - span.low, 0.0) + max(span.high - max(span.low, 0.5), 0.0) / 2
    return max(min(span.high, 0.5) - span.low, 0.0) / 2 + max(span.high - max(span.low, 0.5), 0.0)


def _influence(span: RateRange, shift: float, scale: float, table: ScoreTable) -> InfluenceFunction:
    """Compute influences: a case of the ranked class counts the part of the range it outranks; one of the others, the
    curve at its own place, moved into the range if it lies outside (the ends of the range are quantiles of the data).
    """
    own, others, low, high = span.seen(table)
    own, others = np.broadcast_arrays(own, others)
    beyond = _blocks_beyond(others, high)
    if beyond > 1:  # they are all worth the same: one block is enough for them
        own, others = (np.append(each[:-beyond], each[-beyond:].sum()) for each in (own, others))
    n_own, n_others = own.sum(axis=-1, keepdims=True), others.sum(axis=-1, keepdims=True)
    right, up = ratio(np.cumsum(others, axis=-1), n_others), ratio(np.cumsum(own, axis=-1), n_own)
    left, down = right - ratio(others, n_others), up - ratio(own, n_own)
    place = _mean_place(left, right, low, high)
    ends = [_height(left, right, down, up, each) for each in (low, high)]
    inside = down + ratio(up - down, np.where(right > left, right - left, np.inf)) * (place - left)
    height = np.where(right <= low, ends[0], np.where(left >= high, ends[1], inside))
    area = ratio(((high - place) * own).sum(axis=-1, keepdims=True), n_own)
    middle = ratio((height * others).sum(axis=-1, keepdims=True), n_others)
    of_own, of_others = ratio(high - place - area, n_own) / scale, ratio(height - middle, n_others) / scale
    value = (shift + area[..., 0]) / scale
    if beyond > 1:
        of_own, of_others = (np.append(each[:-1], np.full(beyond, each[-1])) for each in (of_own, of_others))
    if span.of_tpr:
        return InfluenceFunction(table, value, of_others[..., ::-1], of_own[..., ::-1])
    return InfluenceFunction(table, value, of_own, of_others)


def _joined_beyond(span: RateRange, table: ScoreTable) -> ScoreTable:
    """All beyond the range of one long table as one block: they are worth alike, also if a case more is counted."""
    if span.of_tpr or not table.is_single_table or table.is_sampled or len(table) < _LONG:
        return table
    end = 1 + int(_kernels.places_reaching(table.negatives, np.array([span.high * (table.n_negatives + 1)]))[0])
    if end + 1 >= len(table):
        return table
    columns = (np.append(each[:end], each[end:].sum()) for each in (table.positives, table.negatives))
    return ScoreTable.from_validated(np.append(table.score[:end], table.score[-1]), *columns)


def _blocks_beyond(others: Array, high: float) -> int:
    """How many blocks of one table lie beyond the range as a whole; 0 of stacks, which are small."""
    if others.ndim > 1 or not len(others):
        return 0
    reached = np.cumsum(others)
    return max(len(others) - 2 - int(np.searchsorted(reached, high * reached[-1], side="right")), 0)


def _mean_place(left: Array, right: Array, low: float, high: float) -> Array:
    """Return the mean, over each tie block's stretch of the horizontal axis, of the place moved into the range."""

    def integral(end: Array) -> Array:
        inner = np.clip(end, low, high)
        return low * np.minimum(end, low) + (inner**2 - low**2) / 2 + high * np.maximum(end - high, 0.0)

    wide = right - left > 1e-15
    mean = ratio(integral(right) - integral(left), np.where(wide, right - left, 1.0))
    return np.where(wide, mean, np.clip(right, low, high))


def _height(left: Array, right: Array, down: Array, up: Array, at: float) -> Array:
    """Return the curve at one place of the horizontal axis, straight within a block."""
    block = np.argmax(right >= at - 1e-15, axis=-1)[..., None]
    a, b, c, d = (np.take_along_axis(each, block, axis=-1) for each in (left, right, down, up))
    return np.asarray(c + ratio(d - c, np.where(b > a, b - a, np.inf)) * (at - a))


partial_auroc_to_tenth = partial_auroc(0.1).with_fields(name="partial_auroc", aliases=("partial_auc", "pauc"))
