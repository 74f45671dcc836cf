"""`guarantee`: the most useful threshold that promises a rate on new cases, or how many cases could promise it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from unconfuse import _html_repr
from unconfuse import _scipy_special as special
from unconfuse._deprecated import parameter_aliases, renamed, renamed_parameters
from unconfuse._errors import ArgumentError, InputError, argument_name
from unconfuse._formatting import TabularResult, number_text, strict_json
from unconfuse._render_mixins import PlotMixin
from unconfuse._validate import check_both_classes, check_flag, check_list, check_probability, check_whole
from unconfuse.ingest import DataOptions
from unconfuse.ingest._read import only_table, public_data_api
from unconfuse.metrics import Metric
from unconfuse.table import Array, Counts, Feature, Question, Sample, ScoreTable, parse_design
from unconfuse.thresholds.case_units import ClusteredCases
from unconfuse.thresholds.fixed_sequence import GuaranteeSpec, probability_words
from unconfuse.thresholds.joint_guarantees import (
    JointGuarantee,
    check_sides,
    kept_by_groups,
    middle,
    observed_at,
    promises_of,
    zones,
)
from unconfuse.uncertainty.estimate import Estimate

_MOST = 1e4  # times as many cases as there are: beyond, "more cases" is no advice
_TESTED = 2_000  # thresholds that are tested at another prevalence, where each test inverts two beta functions


@parameter_aliases(probability="confidence_level")
@renamed_parameters(starts="n_starts")
@public_data_api
def guarantee(
    y: Any,
    s: Any = None,
    metric: str | Metric | Mapping[str, float] | Sequence[str] = "precision",
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    refer: bool = False,
    confidence_level: float = 0.95,
    prevalence: float | None = None,
    n_starts: int = 1,
    design: str = "cohort",
    **data: Unpack[DataOptions],
) -> GuaranteedThreshold | JointGuarantee:
    """Find the most useful threshold that promises a rate on new cases of the same kind.

    "Of the cases labelled positive at least 90% will be, with a probability of 95%": among many data sets like this
    one, the threshold that is found keeps the promise in at least 95% of them. It is not the threshold at which these
    data show 90%: that one breaks the promise about half of the time.

    Parameters
    ----------
    y : array_like, data frame, file, ScoreTable or Data
        Labels of cases that the model was not fitted on; or a source of labels and scores.
    s : array_like
        Scores, higher for "more likely positive".
    metric : str, mapping or sequence of str
        precision, npv, sensitivity or specificity (with `at_least`); false_discovery_rate, false_omission_rate,
        false_negative_rate or false_positive_rate (with `at_most`). Several promises at once: {"precision": .9,
        "sensitivity": .8} or ["precision>=.9", "sensitivity>=.8"].
    at_least, at_most : float
        The bound, between 0 and 1; of several promises each has its own.
    refer : bool
        Of several promises: two thresholds instead of one. Precision and specificity hold for cases labelled positive
        at or above `.high`, npv and sensitivity for cases labelled negative below `.low`; those between are referred to
        a person.
    confidence_level : float
        How surely the promise is kept.
    prevalence : float, optional
        Share of positives where the threshold will be used, for precision and npv and their complements.
    n_starts : int
        Precision and npv are tested from the safe end on, and one unlucky case there ends the walk. More walks that
        begin with more labelled cases, and share the risk, often promise it for many more cases: try 5.
    design : {"cohort", "case-control"}
        Of a case-control study precision and npv need `prevalence`.
    **data
        What the columns mean, which rows to read: the words of `Data`. Fractional weights are refused: their counts
        are not binomial. Cases in groups are tested by the jackknife over whole groups, which is approximate.

    Returns
    -------
    GuaranteedThreshold or JointGuarantee
        `.threshold` (NaN if there is none), `.promises`, `.sentence`, `.cases_needed`, `.is_sufficient`; of several
        promises also `.low` and `.high`.

    Notes
    -----
    Sensitivity and specificity are tested with the cases of one class at thresholds that the other order statistics
    choose, which is exact. Precision is tested among the labelled, whose number the scores decide: exact for thresholds
    fixed in advance; for those of the data, simulation shows that promises at 95% are broken in at most 4% of the data
    sets. At another prevalence the exact limits of sensitivity and false positive rate share the risk.

    References
    ----------
    Angelopoulos, Bates, Candes, Jordan & Lei (2021), Learn then test; Clopper & Pearson (1934), Biometrika 26:404.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(3)
    >>> y = rng.random(600) < .4
    >>> found = uc.guarantee(y, y + .5 * rng.normal(size=600), "precision", at_least=.9)
    >>> round(found.threshold, 2), found.cases_needed
    (0.97, 29)
    >>> uc.guarantee([1, 1, 0, 0], [.9, .8, .3, .1], "precision", at_least=.9).threshold
    nan
    >>> both = uc.guarantee(y, y + .3 * rng.normal(size=600), {"precision": .85, "sensitivity": .8})
    >>> both.promises, both.low < both.threshold < both.high
    ((precision >= 0.85 with probability 0.975, sensitivity >= 0.8 with probability 0.975), True)
    """
    fixed_classes = parse_design(design)
    prevalence = None if prevalence is None else check_probability(prevalence, "prevalence", open_interval=True)
    several = not isinstance(metric, str | Metric)
    if not isinstance(metric, str | Metric):
        _refuse_one_bound(at_least, at_most)
        sure = check_probability(confidence_level, "confidence_level", open_interval=True)
        walks = check_whole(n_starts, "n_starts", at_least=1)
        promises = promises_of(metric if isinstance(metric, Mapping) else check_list(metric, "metric"), sure, walks)
    else:
        promises = (
            GuaranteeSpec.of(metric, at_least=at_least, at_most=at_most, probability=confidence_level, starts=n_starts),
        )
    if check_flag(refer, "refer"):
        check_sides(promises)
    _check_prevalence(promises, prevalence, fixed_classes)
    sample = only_table(y, s, data, Question.of("`guarantee`", Feature.CLUSTERS), classes=True)
    if sample.is_multiclass:
        raise ArgumentError(
            "a promise is about a threshold on one score, and several classes have a score each. Hint: pass the score "
            "of one class with `positive` and negative='rest', or use `prediction_sets`, which promises coverage."
        )
    table = _counted(sample.table())
    kept = [_kept_by(promise, sample, table, prevalence) for promise in promises]
    if several:
        return _together(promises, kept, sample, table, refer, prevalence, confidence_level)
    index = int(promises[0].last(kept[0]))
    threshold = math.nan if index < 0 else float(table.score[index])
    return GuaranteedThreshold(promises[0], threshold, table, prevalence, _method(sample), sample.n_groups)


def _refuse_one_bound(at_least: float | None, at_most: float | None) -> None:
    if at_least is not None or at_most is not None:
        name = "at_least" if at_least is not None else "at_most"
        raise ArgumentError(f"`{name}` cannot be combined with several promises: each has its own bound.")


def _method(sample: Sample) -> str:
    if sample.sampling.clustered:
        return f"jackknife over {sample.n_groups} groups in a fixed sequence, approximate"
    return "exact binomial tests in a fixed sequence"


def _kept_by(
    promise: GuaranteeSpec, sample: Sample, table: ScoreTable, prevalence: float | None
) -> npt.NDArray[np.bool_]:
    """Which thresholds keep one promise; a rate within a class is the same at every prevalence."""
    if not sample.sampling.clustered:
        return _kept(promise, table.counts(), prevalence if promise.is_of_labels else None)
    rows = sample.rows_for("a guarantee of cases in groups")
    if prevalence is not None or promise.starts > 1:
        name = "prevalence" if prevalence is not None else "n_starts"
        raise ArgumentError(f"`{name}` cannot be combined with groups. Hint: leave `{name}` out.")
    return kept_by_groups(promise, ClusteredCases(rows))


def _together(
    promises: tuple[GuaranteeSpec, ...],
    kept: list[npt.NDArray[np.bool_]],
    sample: Sample,
    table: ScoreTable,
    refer: bool,
    prevalence: float | None,
    probability: float,
) -> JointGuarantee:
    allowed = np.logical_and.reduce(kept)
    index = middle(allowed, table) if len(promises) > 1 else int(promises[0].last(allowed))
    if refer:
        low, high = zones(promises, kept, table)
        at = low if low == high else math.nan
    elif index < 0:
        low = high = at = math.nan
    else:
        ends = table.score[np.flatnonzero(allowed)[[-1, 0]]]
        low, high, at = float(ends[0]), float(ends[1]), float(table.score[index])
    return JointGuarantee(
        promises, probability, at, low, high, refer, table, prevalence, _method(sample), sample.n_groups
    )


def _check_prevalence(promises: Sequence[GuaranteeSpec], prevalence: float | None, fixed_classes: bool) -> None:
    moving = [promise for promise in promises if promise.is_of_labels]
    if prevalence is not None:
        if not moving:
            name = promises[0].metric.name
            raise ArgumentError(f"{name} is the same at every prevalence. Hint: leave `prevalence` out.")
        if any(guarantee_spec.starts > 1 for guarantee_spec in moving):
            raise ArgumentError("at another prevalence there is one walk. Hint: leave `n_starts` out.")
    elif fixed_classes and moving:
        raise ArgumentError(
            f"the study chose the share of positives, and {moving[0].metric.name} moves with it. "
            f"Hint: give {argument_name('prevalence')}, the share of positives where the threshold will be used."
        )


def _counted(table: ScoreTable) -> ScoreTable:
    """Return the table if it holds whole cases of both classes: what binomial tests are about."""
    check_both_classes(table.n_positives, table.n_negatives, "positive")
    weights = np.concatenate([table.positives, table.negatives])
    if table.is_sampled or (weights != np.floor(weights)).any():
        kind = "sampling" if table.is_sampled else "fractional"
        raise InputError(
            f"a guarantee counts whole cases, but there are {kind} weights. Hint: remove the weights, or evaluate the "
            "threshold with `evaluate`, whose intervals use them."
        )
    return table


def _kept(promise: GuaranteeSpec, counts: Counts, prevalence: float | None) -> npt.NDArray[np.bool_]:
    """Which thresholds keep the promise; at another prevalence, of so many that inverting their tests takes no time."""
    if prevalence is None:
        return promise.satisfied(counts)
    tested = _some_of(counts.tp.shape[-1])
    some = _scaled(counts, tested)
    passed = _limit_at(promise, some, prevalence) >= promise.bound
    could = _limit_at(promise, _all_right(promise, some), prevalence) >= promise.bound
    kept = np.zeros(counts.tp.shape[-1], dtype=bool)
    kept[tested] = promise.tested_sequence(passed, could)
    return kept


def _all_right(promise: GuaranteeSpec, counts: Counts) -> Counts:
    """As many labels, all of them right as far as there are such cases: where even that promises nothing, no walk
    begins."""
    p, n = counts.positives, counts.negatives
    if promise.rate.name == "precision":
        tp = np.minimum(counts.labelled_positive, p)
        return Counts.from_validated(tp=tp, fp=np.zeros_like(tp), fn=p - tp, tn=n)
    tn = np.minimum(counts.labelled_negative, n)
    return Counts.from_validated(tp=p, fp=n - tn, fn=np.zeros_like(tn), tn=tn)


def _some_of(size: int) -> npt.NDArray[np.intp]:
    return np.unique(np.linspace(0, size - 1, min(_TESTED, size)).astype(np.intp))


def _scaled(counts: Counts, places: npt.NDArray[np.intp], factor: float = 1.0) -> Counts:
    """Return the counts at some thresholds, scaled to so many times as many cases."""
    return Counts.from_validated(**{name: getattr(counts, name)[places] * factor for name in ("tp", "fp", "fn", "tn")})


def _limit_at(promise: GuaranteeSpec, counts: Counts, prevalence: float) -> Array:
    """Lower limit of precision (or npv) at a prevalence, from exact limits of both rates that share the risk."""
    risk = promise.risk / 2
    if promise.rate.name == "precision":
        right = prevalence * _lower(counts.tp, counts.positives, risk)
        wrong = (1 - prevalence) * _upper(counts.fp, counts.negatives, risk)
    else:
        right = (1 - prevalence) * _lower(counts.tn, counts.negatives, risk)
        wrong = prevalence * _upper(counts.fn, counts.positives, risk)
    return np.asarray(right / (right + wrong))


def _lower(successes: Array, trials: Array, risk: float) -> Array:
    """Clopper and Pearson's one-sided limit."""
    inside = np.maximum(successes, 1)
    return np.where(successes > 0, special.betaincinv(inside, trials - inside + 1, risk), 0.0)


def _upper(successes: Array, trials: Array, risk: float) -> Array:
    return 1 - _lower(trials - successes, trials, risk)


@dataclass(frozen=True, repr=False, eq=False)
class GuaranteedThreshold(TabularResult, PlotMixin):
    """A threshold that keeps a promise on new cases, or the news that none does.

    Attributes
    ----------
    promise : GuaranteeSpec
        The rate, its bound and the probability.
    threshold : float
        Cases with at least this score are labelled positive; NaN if no threshold can promise it.
    table : ScoreTable
    prevalence : float or None
        For which it is promised; None: for the data's own.
    """

    picture = "plot_estimates"

    promise: GuaranteeSpec
    threshold: float
    table: ScoreTable = field(repr=False)
    prevalence: float | None = None
    method: str = "exact binomial tests in a fixed sequence"
    n_groups: int = 0

    @property
    def promises(self) -> tuple[GuaranteeSpec, ...]:
        """The one promise, as several have theirs."""
        return (self.promise,)

    @property
    def drawn_estimates(self) -> dict[str, Estimate]:
        """The rate on these data at the threshold, as the picture shows it."""
        if self.observed is None:
            raise ArgumentError(f"there is no threshold to draw. {self.sentence}")
        return {self.observed.label: self.observed}

    @property
    def scores(self) -> Array:
        """The thresholds that were tested, highest first."""
        return self.table.score

    @cached_property
    def p_values(self) -> Array:
        """Of the exact test at each threshold, at the data's own prevalence."""
        return self.promise.p_values(*self.promise.trials(self.table.counts()))

    @property
    def cases_needed(self) -> int:
        """Trials (labelled cases, positives or negatives) without which nothing can be promised, all of them right."""
        return self.promise.cases_needed

    @property
    def counts(self) -> Counts | None:
        """The 2x2 table of these data at the threshold."""
        return None if math.isnan(self.threshold) else self.table.counts_at(self.threshold)

    @property
    def observed(self) -> Estimate | None:
        """What these data show at the threshold: more than was promised, because a promise needs room."""
        if self.counts is None:
            return None
        return observed_at(self.promise.metric, self.counts, self.n_groups, "on the data that chose the threshold")

    @cached_property
    def is_sufficient(self) -> float:
        """About how many cases like these could promise it; infinite if no number could, NaN if these do, or of groups,
        where it is not known.

        It takes these cases as they are. In simulations about half of all samples of its size could promise it, but
        from 50 to 200 cases its quartiles lay 2 to 14 times apart, and 0 to 15% of the samples of which more could
        promise it had infinity.
        """
        if self.n_groups or not math.isnan(self.threshold):
            return math.nan
        return enough_for(self.promises, self.table, self.prevalence)

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        promise, n = self.promise, f"{self.table.n:,.10g}"
        where = "" if self.prevalence is None else f" where {self.prevalence:.3g} of the cases are positive"
        sure = probability_words(promise.probability, self.n_groups)
        if math.isnan(self.threshold):
            why = (
                f"these {n} cases in {self.n_groups:,} groups are too few, or the model is not good enough"
                if self.n_groups
                else f"no number of cases like these {n} could, though another sample may show otherwise"
                if math.isinf(self.is_sufficient)
                else f"these {n} cases are too few; about {self.is_sufficient:,.0f} like them could"
            )
            return f"No threshold can promise {promise.words} on new cases{where}, {sure}: {why}."
        assert self.observed is not None and self.counts is not None
        labelled = f"{float(self.counts.labelled_positive):,.10g} of these {n} cases"
        return (
            f"Label scores of {number_text(self.threshold)} or more: that promises {promise.words} on new cases"
            f"{where}, {sure}. It labels {labelled}, which show {number_text(self.observed.value)}."
        )

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "metric": self.promise.metric.name,
            "bound": self.promise.given,
            "relation": self.promise.relation,
            "probability": self.promise.probability,
            "prevalence": self.prevalence,
            "threshold": self.threshold,
            "cases_needed": self.cases_needed,
            "enough": self.is_sufficient,
            "n": self.table.n,
            "positives": self.table.n_positives,
            "counts": self.counts and self.counts.as_dict(),
            "observed": self.observed and self.observed.as_dict(),
            "method": self.method,
            "sentence": self.sentence,
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row for each threshold that was tested."""
        successes, trials = self.promise.trials(self.table.counts())
        columns = zip(self.scores.tolist(), successes.tolist(), trials.tolist(), self.p_values.tolist(), strict=True)
        return [{"threshold": t, "successes": x, "trials": m, "p_value": p} for t, x, m, p in columns]

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return _html_repr.card(f"A threshold that promises {self.promise}", verdict=self.sentence)

    enough = renamed("is_sufficient")


def enough_for(
    promises: Sequence[GuaranteeSpec], table: ScoreTable, prevalence: float | None, *, refer: bool = False
) -> float:
    """Return the smallest number of cases, distributed like these, with which thresholds could make the promises."""

    counts, places = table.counts(), _some_of(len(table))

    def can(factor: float) -> bool:
        more = _scaled(counts, places, factor)
        kept = [_kept(promise, more, prevalence if promise.is_of_labels else None) for promise in promises]
        return all(each.any() for each in kept) if refer else bool(np.logical_and.reduce(kept).any())

    return _least_factor(table.n, can)


def _least_factor(n: float, can: Callable[[float], bool]) -> float:
    """Return the smallest number of cases that can promise something; `can` tells whether so many times `n` can."""
    if not can(_MOST):
        return math.inf
    low, high = 0.0, math.log(_MOST)
    while high - low > 0.01:
        between = (low + high) / 2
        low, high = (low, between) if can(math.exp(between)) else (between, high)
    return float(math.ceil(n * math.exp(high)))
