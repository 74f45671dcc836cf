"""An imperfect judge: numbers about the truth where only some of the judge's labels were checked.

Two assumptions serve. Double sampling: the checked cases are a random part of each stratum of these cases; every metric
with an influence function then follows from the judge's labels and what the checks say of them. Transport: only the
judge's sensitivity and specificity carry over from elsewhere; that is enough for the prevalence.

Tenenbein (1970), JASA 65:1350; Angelopoulos and others (2023), Science 382:669 (prediction-powered inference, of which
this is the form with strata); Robins, Rotnitzky and Zhao (1994), JASA 89:846.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text
from unconfuse._scipy_special import ndtri
from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics.influence_functions import InfluenceFunction
from unconfuse.table import INTERVAL, Array, Counts, ScoreTable, Settings
from unconfuse.table.double_sample import HALF, DoubleSample, RaterStratum, VerifiedPart
from unconfuse.uncertainty.bootstrap_intervals import scale_name, step
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.proportion_intervals import mid_p
from unconfuse.uncertainty.sandwich import WeightedCases, has_influence
from unconfuse.uncertainty.weighted_influence import influence_on

DOUBLE = "double sampling"


def estimates_of_judged(metrics: Sequence[Metric], sample: DoubleSample, design: Settings) -> dict[str, Estimate]:
    """Metrics of one model about the truth, with intervals that carry both the cases' and the checks' uncertainty."""
    sample.sampling.require(INTERVAL)
    cases = WeightedCases(sample, design)
    missing = {kind: sample.unknown(sample.strata_of(decisions=kind)) for kind in _kinds_of(metrics)}
    return {metric.name: _estimate(metric, sample, design, missing[metric.of == "counts"], cases) for metric in metrics}


def _kinds_of(metrics: Sequence[Metric]) -> set[bool]:
    """Whether there are metrics of decisions, and whether there are others."""
    return {metric.of == "counts" for metric in metrics}


def _estimate(
    metric: Metric, sample: DoubleSample, design: Settings, missing: Sequence[RaterStratum], cases: WeightedCases
) -> Estimate:
    context = _context(sample)
    ask = partial(_ask_again, metric, sample, design.without_progress())
    level = design.confidence_level
    if missing:
        why = f"no case was checked of those {words_of(missing[0])}"
        return Estimate.from_interval(
            metric, math.nan, (math.nan, math.nan, ""), level, undefined=why, conditions=context, recompute=ask
        )
    table = cases.table(metric)
    influence_function = influence_on(metric, table)
    value = float(
        np.clip(influence_function.value, *metric.range)
    )  # what checks take away again may leave less than nothing
    error = math.sqrt(_variance_of(metric, sample, influence_function, wary=False))
    # An empty cell moves nothing, but might have held a case: what cases are worth is taken with half a case more.
    more = influence_function if metric.of != "counts" else influence_on(metric, _wary_decisions(sample))
    parts = _parts(metric, sample, more)
    low, high = _limits(value, parts, _variance_of(metric, sample, more, wary=True), level, metric.range)
    # Everyone is labelled alike: that they are is seen of so many only.
    if low == high and metric.inference.fraction is not None:
        low, high = _of_all_alike(metric, table, value, level)
    scale = "" if np.isfinite(metric.range).all() else scale_name(metric.range)
    words = f"{DOUBLE}, MOVER of mid-p{scale}"
    queue = (table.positives + table.negatives)[0] / table.n if metric.of == "counts" else table.prevalence
    return Estimate.from_interval(
        metric,
        value,
        (low, high, words),
        level,
        standard_error=math.nan if math.isnan(value) else error,
        baseline=float(metric.baseline(table.prevalence, queue)),
        conditions=context,
        recompute=ask,
    )


def _of_all_alike(metric: Metric, table: ScoreTable, value: float, level: float) -> tuple[float, float]:
    """Mid-p limits of a share that is 0 or 1 of as many cases as it is taken among."""
    assert metric.inference.fraction is not None
    tp, fn, fp, tn = np.concatenate([table.positives, table.negatives])
    trials = float(metric.inference.fraction(Counts.from_validated(tp=tp, fn=fn, fp=fp, tn=tn))[1])
    low, high = (float(each) for each in mid_p(value * trials, trials, confidence_level=level))
    return min(low, value), max(high, value)


def _parts(metric: Metric, sample: DoubleSample, own: InfluenceFunction) -> list[VerifiedPart]:
    """Return what the checks of each stratum leave open."""
    gap = own.positive - own.negative
    if metric.of == "counts":
        return sample.parts_of_decisions(gap)
    verified_parts = sample.checked_parts(sample.strata_of(decisions=False), gap[sample.blocks(sample.only_model)])
    # Whose scores were checked matters as much as how many were positive.
    return [replace(verified_part, is_asymmetric=False) for verified_part in verified_parts]


def _ask_again(
    metric: Metric, sample: DoubleSample, design: Settings, *, confidence_level: float, method: str | None
) -> Estimate:
    if method not in (None, "double_sampling"):
        raise ArgumentError(f"double-sampled cases support the interval 'double_sampling' only; got {method!r}.")
    return estimates_of_judged([metric], sample, design.with_confidence_level(confidence_level))[metric.name]


def _variance_of(metric: Metric, sample: DoubleSample, own: InfluenceFunction, *, wary: bool) -> float:
    """Sum the squares of each case's part: its mass as a positive and as a negative, times what these are worth."""
    if metric.of == "counts":
        kinds = sample.kinds()
        place, count = np.where(kinds.labelled, 0, 1), kinds.count
        mass = kinds.smoothed_mass if wary else kinds.mass
    else:
        place, count = sample.blocks(sample.only_model), np.ones(len(sample))
        mass = sample.masses_of_scores(wary=wary)
    return float(count @ np.square(mass * own.positive[place] + (1 - mass) * own.negative[place]))


def _wary_decisions(sample: DoubleSample) -> ScoreTable:
    """Return the table of decisions, with shares of positives that have half a case more of each class per stratum."""
    cells = np.zeros((2, 2))  # positives and negatives; called positive and not
    for decided_stratum in sample.decided_strata():
        cells[:, 0 if decided_stratum.is_above else 1] += decided_stratum.cases * np.array(
            [decided_stratum.share, 1 - decided_stratum.share]
        )
    return ScoreTable.from_validated(np.array([1.0, 0.0]), cells[0], cells[1])


def _places(metric: Metric, sample: DoubleSample) -> npt.NDArray[np.intp]:
    """Return the row of the metric's table to which each case belongs."""
    name = sample.only_model
    return np.where(sample.labelled(name), 0, 1) if metric.of == "counts" else sample.blocks(name)


def _limits(
    value: float, parts: Sequence[VerifiedPart], variance: float, level: float, range: tuple[float, float]
) -> tuple[float, float]:
    """From the limits of each stratum's share of positives, and the normal ones of all else (MOVER).

    Few checks leave a share uncertain in a lopsided way: none positive of 20 may still be one in ten. So each share's
    own arms are carried to the metric, squared and added.

    Zou and Donner (2008), Stat. Med. 27:1693.
    """
    if math.isnan(value):
        return math.nan, math.nan
    z = float(ndtri((1 + level) / 2))
    rest = z * z * max(variance - sum(verified_part.variance for verified_part in parts), 0.0)
    down = up = rest
    for part in parts:
        arms = _arms(part, level)
        fall, rise = (arm**2 * part.variance for arm in (arms if part.is_asymmetric else (max(arms), max(arms))))
        down, up = (down + fall, up + rise) if part.is_increasing else (down + rise, up + fall)
    low, high = _stepped(value, math.sqrt(down), range)[0], _stepped(value, math.sqrt(up), range)[1]
    return max(min(low, value), range[0]), min(max(high, value), range[1])


def _stepped(value: float, reach: float, range: tuple[float, float]) -> tuple[float, float]:
    """On the scale of the value where the range has two ends, or none; on the log scale next to one."""
    if np.isfinite(range).all() or not np.isfinite(range).any():
        return value - reach, value + reach
    low, high = step(np.asarray(value), np.asarray(reach), range)
    return float(low), float(high)


def _arms(part: VerifiedPart, level: float) -> tuple[float, float]:
    """How far the share of positives reaches down and up, in standard errors."""
    stratum = part.stratum
    low, high = (float(each) for each in mid_p(stratum.positives, stratum.checked, confidence_level=level))
    share, wary = stratum.positives / stratum.checked, (stratum.positives + HALF) / (stratum.checked + 2 * HALF)
    unit = math.sqrt(wary * (1 - wary) / stratum.checked)
    return (share - low) / unit, (high - share) / unit


def _context(sample: DoubleSample) -> str:
    at = sample.thresholds.get(sample.only_model)
    cut = "" if at is None else f"threshold {number_text(at)}, "
    return f"{cut}{int(sample.checked.sum())} of {len(sample)} rated cases verified"


def words_of(stratum: RaterStratum) -> str:
    """Describe a stratum for reading."""
    judge, _, side = stratum.words.partition(", ")
    where = {"above": " and the score labels positive", "below": " and the score labels negative", "": ""}[side]
    return f"that the rater labels {judge}{where}"


def prevalence_of_checked(sample: DoubleSample, level: float) -> Estimate:
    """Estimate the share of positives among cases that a judge labelled, of which some were checked."""
    masses = [sample.positive_mass(sample.rater_strata(), wary=each) for each in (False, True)]
    value = float(masses[0].mean())
    errors = [float(np.sqrt(np.square(mass - value).sum())) / len(sample) for mass in masses]
    parts = sample.checked_parts(sample.rater_strata(), np.full(len(sample), 1 / len(sample)))
    limits = *_limits(value, parts, errors[1] ** 2, level, (0.0, 1.0)), f"{DOUBLE}, MOVER of mid-p"
    context = f"{int(sample.checked.sum())} of {len(sample)} rated cases verified"
    return Estimate.from_interval(
        METRICS["prevalence"], value, limits, level, standard_error=errors[0], conditions=context
    )


@dataclass(frozen=True)
class ObservedProportion:
    """A share that was seen so many times of so many."""

    successes: float
    trials: float

    @property
    def value(self) -> float:
        """As it was seen."""
        return self.successes / self.trials

    @property
    def moved(self) -> float:
        """With one success and one failure more."""
        return (self.successes + 1) / (self.trials + 2)


def rogan_gladen(
    called: ObservedProportion, sensitivity: ObservedProportion, specificity: ObservedProportion, level: float = 0.95
) -> Estimate:
    """Estimate the prevalence behind a judge's labels, from its sensitivity and specificity measured elsewhere.

    Value and standard error by Rogan and Gladen (1978), American Journal of Epidemiology 107:71; the interval by Lang
    and Reiczigel (2014), Preventive Veterinary Medicine 113:13.

    >>> print(rogan_gladen(ObservedProportion(9, 40), ObservedProportion(90, 100),  # doctest: +ELLIPSIS
    ...     ObservedProportion(95, 100)))
    prevalence 0.206 [0.067, 0.387] 95% Rogan-Gladen, Lang-Reiczigel, ...
    """
    informed = sensitivity.value + specificity.value - 1
    if informed <= 0:
        raise ArgumentError(
            f"the rater is no better than chance (sensitivity {sensitivity.value:.3g} + specificity "
            f"{specificity.value:.3g} is not above 1): its labels say nothing about the prevalence. Hint: check cases."
        )
    raw = (called.value + specificity.value - 1) / informed
    error = math.sqrt(
        _variance(called.value, raw, sensitivity.value, specificity.value, called, sensitivity, specificity)
    )
    low, high = _lang_reiczigel(called, sensitivity, specificity, level)
    value = min(max(raw, 0.0), 1.0)
    clipped = f"; {number_text(raw)} before it was clipped" if value != raw else ""
    if high <= 0.0 or low >= 1.0:
        clipped += ", so far off that the rater's rates do not seem to carry over"
    return Estimate.from_interval(
        METRICS["prevalence"],
        value,
        (min(low, value), max(high, value), "Rogan-Gladen, Lang-Reiczigel"),
        level,
        standard_error=error / informed,
        conditions=f"{called.trials:g} rated cases, rater measured on {sensitivity.trials:g} positives and "
        f"{specificity.trials:g} negatives{clipped}",
    )


def _variance(
    a: float,
    p: float,
    se: float,
    sp: float,
    called: ObservedProportion,
    positives: ObservedProportion,
    negatives: ObservedProportion,
) -> float:
    return (
        a * (1 - a) / called.trials
        + p**2 * se * (1 - se) / positives.trials
        + (1 - p) ** 2 * sp * (1 - sp) / negatives.trials
    )


def _lang_reiczigel(
    called: ObservedProportion, sensitivity: ObservedProportion, specificity: ObservedProportion, level: float
) -> tuple[float, float]:
    z = float(ndtri((1 + level) / 2))
    more = ObservedProportion(called.successes + z * z / 2, called.trials + z * z)
    se, sp = sensitivity.moved, specificity.moved
    informed = se + sp - 1
    if informed <= 0:
        return 0.0, 1.0
    p = (more.value + sp - 1) / informed
    sizes = more, ObservedProportion(0, sensitivity.trials + 2), ObservedProportion(0, specificity.trials + 2)
    shift = 2 * z * z * (p * se * (1 - se) / sizes[1].trials - (1 - p) * sp * (1 - sp) / sizes[2].trials)
    reach = z * math.sqrt(_variance(more.value, p, se, sp, *sizes)) / informed
    return max(p + shift - reach, 0.0), min(p + shift + reach, 1.0)


@dataclass(frozen=True)
class VerificationPlan:
    """Which cases to check next, for one metric, and what it would bring.

    Attributes
    ----------
    metric : str
    checks : mapping of stratum to number of cases to check there
    standard_error : float
        Now, then, and if every case were checked.
    """

    metric: str
    checks: dict[str, int]
    standard_error: tuple[float, float, float]

    @property
    def sentence(self) -> str:
        """In plain words."""
        now, then, least = (number_text(each) for each in self.standard_error)
        where = "; ".join(f"{count} of those {words}" for words, count in self.checks.items() if count)
        return (
            f"{sum(self.checks.values())} more checks would take the standard error of the {self.metric} from {now} to "
            f"about {then} (checking every case: {least}): {where}."
        )

    def __str__(self) -> str:
        return self.sentence


def plan_labels(metric: Metric, sample: DoubleSample, extra: int) -> VerificationPlan:
    """Neyman's allocation: where a check tells most, in proportion to cases x what they are worth x how mixed they are.

    Neyman (1934), Journal of the Royal Statistical Society 97:558.
    """
    if not has_influence(metric):
        raise ArgumentError(f"{metric.name} has no influence function, so it cannot be planned for.")
    strata = sample.by_decision() if sample.only_model in sample.thresholds else sample.rater_strata()
    rater_strata = sample.described(strata)
    missing = [rater_stratum for rater_stratum in rater_strata if not rater_stratum.checked]
    if missing:
        raise ArgumentError(f"no case was checked of those {words_of(missing[0])}. Hint: check one of each kind first.")
    influence_function, place = (
        influence_on(metric, WeightedCases(sample, Settings()).table(metric)),
        _places(metric, sample),
    )
    gap = influence_function.positive[place] - influence_function.negative[place]
    codes = np.unique(strata)
    worth = np.array([math.sqrt(float(np.mean(gap[strata == code] ** 2))) for code in codes])
    share = np.array([(rater_stratum.positives + 0.5) / (rater_stratum.checked + 1) for rater_stratum in rater_strata])
    size, done = (
        np.array([rater_stratum.cases for rater_stratum in rater_strata]),
        np.array([rater_stratum.checked for rater_stratum in rater_strata]),
    )
    spread = size * worth * np.sqrt(share * (1 - share))
    target = _filled(spread, done, size, int(done.sum()) + extra)
    noise = [float(np.sum(np.where(n > 0, spread**2 / np.maximum(n, 1), np.inf))) for n in (done, target, size)]
    total = _variance_of(metric, sample, influence_function, wary=True)
    base = total - noise[0]
    errors = [math.sqrt(max(base, 0.0) + each) for each in noise]
    checks = {
        words_of(rater_stratum): int(n - m) for rater_stratum, n, m in zip(rater_strata, target, done, strict=True)
    }
    return VerificationPlan(metric.name, checks, (errors[0], errors[1], errors[2]))


def _filled(spread: Array, done: Array, size: Array, total: int) -> Array:
    """Allot checks in proportion to the spread, never fewer than there are nor more than there are cases."""
    target = done.astype(np.float64)
    for _ in range(total - int(done.sum())):
        gain = np.where(target < size, spread**2 / (np.maximum(target, 0.5) * (target + 1)), -1.0)
        if gain.max() <= 0:
            break
        target[int(np.argmax(gain))] += 1
    return np.asarray(target)
