"""`guarantee`: the most useful threshold that promises a rate on new cases, or how many cases could promise it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from unconfuse import _cards
from unconfuse import _special as special
from unconfuse._errors import ArgumentError, InputError, argument
from unconfuse._plain import InRows, number_text, strict_json
from unconfuse._validate import check_both_classes, check_choice, check_probability
from unconfuse.ingest import DataWords
from unconfuse.ingest.door import only_table, takes_data
from unconfuse.metrics import Metric
from unconfuse.table import Array, Counts, ScoreTable
from unconfuse.table.sample import KINDS
from unconfuse.thresholds.promises import OF_LABELS, Promise
from unconfuse.uncertainty.engine import estimate_counts
from unconfuse.uncertainty.estimate import Estimate

_MOST = 1e4  # times as many cases as there are: beyond, "more cases" is no advice
_TESTED = 2_000  # thresholds that are tested at another prevalence, where each test inverts two beta functions


@takes_data
def guarantee(
    y: Any,
    s: Any = None,
    metric: str | Metric = "precision",
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    probability: float = 0.95,
    prevalence: float | None = None,
    starts: int = 1,
    design: str = "cohort",
    **data: Unpack[DataWords],
) -> Guarantee:
    """The most useful threshold that promises a rate on new cases of the same kind.

    "Of the cases labelled positive at least 90% will be, with a probability of 95%": among many data sets like this
    one, the threshold that is found keeps the promise in at least 95% of them. It is not the threshold at which these
    data show 90%: that one breaks the promise about half of the time.

    Parameters
    ----------
    y : array_like, data frame, file, ScoreTable or Data
        Labels of cases that the model was not fitted on; or a source of labels and scores.
    s : array_like
        Scores, higher for "more likely positive".
    metric : str
        precision, npv, sensitivity or specificity (with `at_least`); false_discovery_rate, false_omission_rate,
        false_negative_rate or false_positive_rate (with `at_most`).
    at_least, at_most : float
        The bound, between 0 and 1.
    probability : float
        How surely the promise is kept.
    prevalence : float, optional
        Share of positives where the threshold will be used, for precision and npv and their complements.
    starts : int
        Precision and npv are tested from the safe end on, and one unlucky case there ends the walk. More walks that
        begin with more labelled cases, and share the risk, often promise it for many more cases: try 5.
    design : {"cohort", "case-control"}
        Of a case-control study precision and npv need `prevalence`.
    **data
        What the columns mean, which rows to read: the words of `Data`. Cases in groups and fractional weights are
        refused: their counts are not binomial.

    Returns
    -------
    Guarantee
        `.threshold` (NaN if there is none), `.sentence`, `.cases_needed`, `.enough`.

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
    """
    promise = Promise.of(metric, at_least=at_least, at_most=at_most, probability=probability, starts=starts)
    check_choice(design, "design", KINDS)
    prevalence = None if prevalence is None else check_probability(prevalence, "prevalence", open_interval=True)
    _check_prevalence(promise, prevalence, design)
    table = _counted(only_table(y, s, data, "a guarantee").table())
    kept = _kept(promise, table.counts(), prevalence)
    index = int(promise.last(kept))
    return Guarantee(promise, math.nan if index < 0 else float(table.score[index]), table, prevalence)


def _check_prevalence(promise: Promise, prevalence: float | None, design: str) -> None:
    moves = promise.rate.name in OF_LABELS
    if prevalence is not None:
        if not moves:
            raise ArgumentError(f"{promise.metric.name} is the same at every prevalence. Hint: leave `prevalence` out.")
        if promise.starts > 1:
            raise ArgumentError("at another prevalence there is one walk. Hint: leave `starts` out.")
    elif design == "case-control" and moves:
        raise ArgumentError(
            f"the study chose the share of positives, and {promise.metric.name} moves with it. "
            f"Hint: give {argument('prevalence')}, the share of positives where the threshold will be used."
        )


def _counted(table: ScoreTable) -> ScoreTable:
    """A table of whole cases of both classes: what binomial tests are about."""
    check_both_classes(table.n_positives, table.n_negatives, "positive")
    weights = np.concatenate([table.positives, table.negatives])
    if table.is_sampled or (weights != np.floor(weights)).any():
        kind = "sampling" if table.is_sampled else "fractional"
        raise InputError(
            f"a guarantee counts whole cases, but there are {kind} weights. Hint: leave the weights out, or judge the "
            "threshold with `evaluate`, whose intervals know them."
        )
    return table


def _kept(promise: Promise, counts: Counts, prevalence: float | None) -> npt.NDArray[np.bool_]:
    """Which thresholds keep the promise; at another prevalence, of so many that inverting their tests takes no time."""
    if prevalence is None:
        return promise.kept(counts)
    tested = _some_of(counts.tp.shape[-1])
    some = _scaled(counts, tested)
    passed = _limit_at(promise, some, prevalence) >= promise.bound
    could = _limit_at(promise, _all_right(promise, some), prevalence) >= promise.bound
    kept = np.zeros(counts.tp.shape[-1], dtype=bool)
    kept[tested] = promise.walked(passed, could)
    return kept


def _all_right(promise: Promise, counts: Counts) -> Counts:
    """As many labels, all of them right as far as there are such cases: where even that promises nothing, no walk
    begins."""
    p, n = counts.positives, counts.negatives
    if promise.rate.name == "precision":
        tp = np.minimum(counts.labelled_positive, p)
        return Counts.trusted(tp=tp, fp=np.zeros_like(tp), fn=p - tp, tn=n)
    tn = np.minimum(counts.labelled_negative, n)
    return Counts.trusted(tp=p, fp=n - tn, fn=np.zeros_like(tn), tn=tn)


def _some_of(size: int) -> npt.NDArray[np.intp]:
    return np.unique(np.linspace(0, size - 1, min(_TESTED, size)).astype(np.intp))


def _scaled(counts: Counts, places: npt.NDArray[np.intp], factor: float = 1.0) -> Counts:
    """The counts at some thresholds, of so many times as many cases."""
    return Counts.trusted(**{name: getattr(counts, name)[places] * factor for name in ("tp", "fp", "fn", "tn")})


def _limit_at(promise: Promise, counts: Counts, prevalence: float) -> Array:
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
class Guarantee(InRows):
    """A threshold that keeps a promise on new cases, or the news that none does.

    Attributes
    ----------
    promise : Promise
        The rate, its bound and the probability.
    threshold : float
        Cases with at least this score are labelled positive; NaN if no threshold can promise it.
    table : ScoreTable
    prevalence : float or None
        For which it is promised; None: for the data's own.
    """

    promise: Promise
    threshold: float
    table: ScoreTable = field(repr=False)
    prevalence: float | None = None

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
        return estimate_counts(self.promise.metric, self.counts, context="on the data that chose the threshold")

    @cached_property
    def enough(self) -> float:
        """About how many cases like these could promise it; infinite if no number could, NaN if these do."""
        if not math.isnan(self.threshold):
            return math.nan
        return _enough(self.promise, self.table, self.prevalence)

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        promise, n = self.promise, f"{self.table.n:,.10g}"
        where = "" if self.prevalence is None else f" where {self.prevalence:.3g} of the cases are positive"
        sure = f"with a probability of {promise.probability:.4g}"
        if math.isnan(self.threshold):
            why = (
                f"no number of cases like these {n} could"
                if math.isinf(self.enough)
                else f"these {n} cases are too few; about {self.enough:,.0f} like them could"
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
            "enough": self.enough,
            "n": self.table.n,
            "positives": self.table.n_positives,
            "counts": self.counts and self.counts.as_dict(),
            "observed": self.observed and self.observed.as_dict(),
            "method": "exact binomial tests in a fixed sequence",
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
        return _cards.card(f"A threshold that promises {self.promise}", verdict=self.sentence)


def _enough(promise: Promise, table: ScoreTable, prevalence: float | None) -> float:
    """The smallest number of cases, distributed as these, with which some threshold could make the promise."""

    counts = table.counts()
    places = _some_of(len(table))

    def can(factor: float) -> bool:
        return bool(_kept(promise, _scaled(counts, places, factor), prevalence).any())

    if not can(_MOST):
        return math.inf
    low, high = 0.0, math.log(_MOST)
    while high - low > 0.01:
        middle = (low + high) / 2
        low, high = (low, middle) if can(math.exp(middle)) else (middle, high)
    return float(math.ceil(table.n * math.exp(high)))
