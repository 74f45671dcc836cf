"""What `forecast` returns: what to expect of a batch before its labels arrive, and how good that was once they came."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from unconfuse import _html_repr
from unconfuse._errors import ArgumentError
from unconfuse._formatting import FrozenMapping, TabularResult, number_text, p_text, share_words, strict_json
from unconfuse._render_mixins import PlotMixin, Reported
from unconfuse._scipy_special import expit, logit
from unconfuse._validate import check_choice, check_seed, check_whole
from unconfuse.forecasting.batch import Batch
from unconfuse.forecasting.covariate_shift import RiskCurve
from unconfuse.forecasting.label_acquisition import LabelAcquisition, chosen
from unconfuse.forecasting.label_shift import LabelShift
from unconfuse.ingest._read import sample_of
from unconfuse.metrics import Metric
from unconfuse.policy import Verdict
from unconfuse.table import Array
from unconfuse.thresholds.fixed_sequence import requirement
from unconfuse.uncertainty.estimate import Estimate, Finding

REFUTED = 0.05  # p-value below which label shift does not explain the new scores
_HINT = "Without labels a change of what a score means cannot be seen."
_MOST_ODDS = 1e6
_MANY_OUTSIDE = 0.05


@dataclass(frozen=True, repr=False, eq=False)
class Forecast(PlotMixin, Reported, TabularResult):
    """What to expect of cases whose labels have not come, under two assumptions side by side.

    Attributes
    ----------
    same_risk : mapping of str to Estimate
        If a score means what it meant in the reference: each case's chance of being positive follows from its score.
    label_shift : mapping of str to Estimate
        If scores within each class are as in the reference, and only the prevalence is another one.
    expected : mapping of str to Estimate
        What follows from both: the hull of both intervals where label shift is not refuted, else `same_risk`.
    prevalence : Estimate
        Of the new cases: by label shift where that is not refuted, else the mean chance of being positive.
    label_shift_p : float
        p-value of label shift, from the goodness of fit of the new scores; NaN where scores have fewer than three bins.
    threshold : float
        NaN where decisions are not forecast.
    n, n_reference : float
        Cases of the batch, and of the reference.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(1)
    >>> y, later = rng.random(1000) < .3, rng.random(500) < .1
    >>> def probability(y): return 1 / (1 + np.exp(1.5 - 2.5 * y - rng.normal(size=len(y))))
    >>> f = uc.forecast((y, probability(y)), probability(later))
    >>> print(f"{f.prevalence.value:.2f} {f.label_shift['precision'].value:.2f} {f.same_risk['precision'].value:.2f}")
    0.09 0.54 0.79
    """

    same_risk: Mapping[str, Estimate]
    label_shift: Mapping[str, Estimate]
    prevalence: Estimate
    shift: LabelShift | None
    batch: Batch = field(repr=False)
    curve: RiskCurve | None = field(repr=False)
    scores: Array = field(repr=False)
    confidence_level: float = 0.95
    words: Mapping[str, Any] = field(default_factory=dict, repr=False)
    metrics: tuple[Metric, ...] = field(default=(), repr=False)
    picture: ClassVar[str] = "plot_forecast"

    def __post_init__(self) -> None:
        """Keep what is held from being changed."""
        for name in ("same_risk", "label_shift"):
            object.__setattr__(self, name, FrozenMapping(getattr(self, name)))

    @property
    def label_shift_p(self) -> float:
        """The p-value of label shift."""
        return math.nan if self.shift is None else self.shift.p_value

    @property
    def is_refuted(self) -> bool:
        """Whether the new scores rule label shift out."""
        return self.label_shift_p < REFUTED

    @property
    def threshold(self) -> float:
        """Where decisions are cut."""
        return self.batch.threshold

    @property
    def n(self) -> float:
        """Number of new cases."""
        return self.batch.n

    @property
    def n_reference(self) -> float:
        """Number of cases of the reference."""
        return float(self.batch.reference.n)

    @cached_property
    def expected(self) -> Mapping[str, Estimate]:
        """What follows from both assumptions, or from the one that is left."""
        return FrozenMapping({name: self._expected(name) for name in self.label_shift})

    def _expected(self, name: str) -> Estimate:
        estimate, other = self.same_risk[name], self.label_shift[name]
        if self.is_refuted or other.undefined is not None:
            return estimate
        if estimate.undefined is not None:
            return other
        ends = min(estimate.low, other.low), max(estimate.high, other.high)
        method, context = "hull of both readings", estimate.conditions
        return Estimate(
            name, estimate.label, (estimate.value + other.value) / 2, *ends, self.confidence_level, method,
            better=estimate.better, conditions=context,
        )  # fmt: skip

    @property
    def sentence(self) -> str:
        """What to expect, and under which condition."""
        return " ".join(finding.sentence for finding in self.findings)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The expected metric under each assumption, what the test says, and what cannot be seen."""
        found = [self._of_same_risk(), self._of_label_shift()]
        if self.batch.outside > _MANY_OUTSIDE:
            told = (
                f"{share_words(self.batch.outside)} of the new scores lie outside those of the reference, "
                f"{number_text(float(self.batch.reference.score.min()))} to "
                f"{number_text(float(self.batch.reference.score.max()))}. Check that model and scale are the same."
            )
            found.append(Finding("outside", "warning", told, {"outside": self.batch.outside}))
        if self.batch.moved:
            told = f"{self.batch.moved:,.10g} probabilities within 0.0001 of 0 or 1 were moved to there for the fit."
            found.append(Finding("moved", "note", told, {"moved": self.batch.moved}))
        return (*found, Finding("unseen", "warning", _HINT))

    @property
    def _leading(self) -> str:
        return (
            "precision"
            if "precision" in self.same_risk
            else next(name for name in self.same_risk if name != "prevalence")
        )

    def _of_same_risk(self) -> Finding:
        estimate = self.same_risk[self._leading]
        if estimate.undefined is not None:
            return Finding(
                "same risk", "undefined", f"If a score means what it meant, nothing can be said: {estimate.undefined}."
            )
        told = f"If a score means what it meant in the reference, {_told(estimate, self)}."
        return Finding(
            "same risk", "forecast", told, {"value": estimate.value, "low": estimate.low, "high": estimate.high}
        )

    def _of_label_shift(self) -> Finding:
        estimate = self.label_shift[self._leading]
        if estimate.undefined is not None:
            return Finding("label shift", Verdict.UNDEFINED, f"Label shift cannot be assessed: {estimate.undefined}.")
        numbers = {"p_value": self.label_shift_p, "value": estimate.value}
        if self.is_refuted:
            told = (
                f"That only the prevalence has changed is refuted ({p_text(self.label_shift_p)}): "
                "scores within classes are not as they were."
            )
            return Finding("label shift", "refuted", told, numbers)
        test = "could not be tested" if math.isnan(self.label_shift_p) else f"not refuted, {p_text(self.label_shift_p)}"
        q = self.prevalence
        told = (
            f"If only the prevalence has changed ({test}), it is {number_text(q.value)} ({number_text(q.low)} to "
            f"{number_text(q.high)}), and {_told(estimate, self, short=True)}."
        )
        return Finding("label shift", "possible", told, numbers)

    def odds_factor(self, required: str) -> float:
        """Return by what factor the odds of being positive must be off before a requirement fails.

        Labelled positives are then less often positive, the others more often. 1 if it fails already, infinite if it
        never does. A large factor means that the forecast does not hang on what a score means; no factor is a verdict.

        Examples
        --------
        >>> import numpy as np, unconfuse as uc
        >>> rng = np.random.default_rng(1)
        >>> y = rng.random(1000) < .3
        >>> f = uc.forecast((y, y + rng.normal(size=1000)), rng.normal(size=400) + .4, threshold=.8)
        >>> print(f"{f.odds_factor('accuracy>=.6'):.1f}")
        1.5
        """
        name, relation, bound = requirement(required)
        if name not in (each.name for each in self.metrics):
            raise ArgumentError(f"{name} is not forecast here. Hint: pass `metrics=[{name!r}]`.")
        if self.curve is None:
            return math.nan
        curve = self.curve
        log_odds = logit(curve.risk(self.batch.feature(self.batch.scores)))
        metric = next(each for each in self.metrics if each.name == name)

        def fails(off: float) -> bool:
            risk = expit(np.where(self.batch.flagged, log_odds - off, log_odds + off))
            value = self.batch.value(metric, risk)
            return not (value >= bound if relation == ">=" else value <= bound)

        low, high = 0.0, math.log(_MOST_ODDS)
        if fails(low):
            return 1.0
        if not fails(high):
            return math.inf
        while high - low > 1e-6:
            middle = (low + high) / 2
            low, high = (low, middle) if fails(middle) else (middle, high)
        return math.exp(high)

    def requirement_sentence(self, required: str) -> str:
        """Return what can be said of a requirement without labels: never that it is met."""
        name, relation, bound = requirement(required)
        factor, estimate = self.odds_factor(required), self.same_risk[name]
        head = f"{estimate.label} {relation} {bound:g}: no verdict without labels."
        if math.isnan(factor):
            return f"{head} {estimate.undefined}."
        if factor == 1:
            return f"{head} The forecast, {number_text(estimate.value)}, fails it already."
        if math.isinf(factor):
            return f"{head} The forecast meets it whatever a score means."
        return f"{head} The forecast meets it unless the odds of being positive are off by a factor of {factor:.2g}."

    def label_next(self, n: int = 100, *, how: str = "random", rng: int = 0) -> LabelAcquisition:
        """Return which cases to label next.

        Parameters
        ----------
        n : int
            How many.
        how : {"random", "errors"}
            Each case alike, which tests the forecast as well; or those more often whose decision is doubtful, about n
            of them: the interval of the error rate is then 11 to 17% narrower if probabilities are right.
        rng : int

        Examples
        --------
        >>> import numpy as np, unconfuse as uc
        >>> rng = np.random.default_rng(1)
        >>> y = rng.random(600) < .3
        >>> f = uc.forecast((y, y + rng.normal(size=600)), rng.normal(size=300) + .4, threshold=.8)
        >>> f.label_next(50)
        LabelAcquisition(50 cases, random, chance 0.167 to 0.167)
        """
        wanted, seed = check_whole(n, "n", at_least=1), check_seed(rng)
        check_choice(how, "how", ("random", "errors"))
        if wanted > len(self.scores):
            raise ArgumentError(f"`n` must be at most the number of new cases, {len(self.scores)}; got {wanted}.")
        if math.isnan(self.threshold):
            raise ArgumentError("`label_next` requires decisions. Hint: forecast with `threshold`.")
        if self.curve is None:
            if how == "errors":
                raise ArgumentError(
                    "`how='errors'` requires risks, and the reference determines none. Hint: `how='random'`."
                )
            risk = np.full(len(self.scores), 0.5)
        else:
            risk = self.curve.risk(self.batch.feature(self.scores))
        return chosen(risk, np.asarray(self.scores >= self.threshold), wanted, how, seed)

    def check(self, y: Any) -> ForecastCheck:
        """Compare the forecast with the labels, once they have come.

        Parameters
        ----------
        y : array_like
            Labels of the new cases, in the order of their scores.

        Examples
        --------
        >>> import numpy as np, unconfuse as uc
        >>> rng = np.random.default_rng(1)
        >>> y, later = rng.random(1000) < .3, rng.random(500) < .1
        >>> s, t = y + rng.normal(size=1000), later + rng.normal(size=500)
        >>> print(uc.forecast((y, s), t, threshold=1.).check(later).held["label shift"])
        (9, 9)
        """
        sample = sample_of(y, self.scores, dict(self.words))  # type: ignore[arg-type]
        table = sample.table()
        counts = None if math.isnan(self.threshold) else sample.with_thresholds(self.threshold).counts()
        found = {}
        for metric in self.metrics:
            given = table if counts is None or metric.of != "counts" else counts
            found[metric.name] = float(metric(given))
        return ForecastCheck(self, FrozenMapping(found | {"prevalence": sample.positives / sample.n}))

    def rows(self) -> list[dict[str, Any]]:
        """One row for each metric: both readings and what follows."""
        kinds = (("same_risk", self.same_risk), ("label_shift", self.label_shift), ("expected", self.expected))
        return [
            {"metric": name, "label": self.same_risk[name].label}
            | {f"{kind}{end}": getattr(own[name], part) for kind, own in kinds for end, part in _COLUMNS}
            for name in self.same_risk
        ]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        parts = {"same_risk": self.same_risk, "label_shift": self.label_shift, "expected": self.expected}
        return {
            "sentence": self.sentence,
            "n": self.n,
            "n_reference": self.n_reference,
            "threshold": self.threshold,
            "prevalence": self.prevalence.as_dict(),
            "label_shift_p": self.label_shift_p,
            "outside": self.batch.outside,
            **{kind: {name: estimate.as_dict() for name, estimate in part.items()} for kind, part in parts.items()},
        }

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        heads = ["", "if a score means as before", "if only the prevalence changed", "expected"]
        return _html_repr.card("Forecast", _html_repr.table(heads, table_of(self)), verdict=self.sentence)


_COLUMNS = (("", "value"), ("_low", "low"), ("_high", "high"))


def table_of(found: Forecast) -> list[list[str]]:
    """Return one line of texts for each metric."""
    kinds = (found.same_risk, found.label_shift, found.expected)
    return [[found.same_risk[name].label, *(_cell(kind[name]) for kind in kinds)] for name in found.same_risk]


def _cell(each: Estimate) -> str:
    return "not estimable" if each.undefined is not None else f"{number_text(each.value)} {each.interval_text}".strip()


def _told(own: Estimate, found: Forecast, *, short: bool = False) -> str:
    where = "" if short or math.isnan(found.threshold) else f" at threshold {number_text(found.threshold)}"
    of = "" if short else " of this case" if found.n == 1 else f" of these {found.n:,.10g} cases"
    interval = f"{number_text(own.low)} to {number_text(own.high)}"
    level = "" if short else f"{100 * own.confidence_level:.4g}% interval "
    name = own.label.split(" (")[0]
    name = name if name.isupper() else name[:1].lower() + name[1:]
    return f"the {name}{of}{where} will be {number_text(own.value)} ({level}{interval})"


@dataclass(frozen=True, repr=False, eq=False)
class ForecastCheck(PlotMixin, Reported, TabularResult):
    """A forecast beside what the labels showed.

    Attributes
    ----------
    forecast : Forecast
    realised : mapping of str to float
        Of the batch, by its labels.
    """

    forecast: Forecast = field(repr=False)
    realised: Mapping[str, float]
    picture: ClassVar[str] = "plot_forecast"

    @property
    def held(self) -> dict[str, tuple[int, int]]:
        """By assumption: how many of the intervals held what came, and of how many."""
        kinds = {"same risk": self.forecast.same_risk, "label shift": self.forecast.label_shift}
        found = {}
        for kind, own in kinds.items():
            told = [self._inside(own[name], value) for name, value in self.realised.items()]
            known = [each for each in told if each is not None]
            found[kind] = sum(known), len(known)
        return found

    @staticmethod
    def _inside(own: Estimate, value: float) -> bool | None:
        if own.undefined is not None or math.isnan(own.low) or math.isnan(value):
            return None
        return bool(own.low <= value <= own.high)

    @property
    def sentence(self) -> str:
        """How good the forecast was."""
        parts = [f"{kind}: {held} of {known}" for kind, (held, known) in self.held.items()]
        share = number_text(self.realised["prevalence"])
        return (
            f"Forecast intervals that held what came: {'; '.join(parts)}. Of the {self.forecast.n:,.10g} cases a share "
            f"of {share} was positive."
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row for each metric: what came, both forecasts, and whether they held it."""
        f, found = self.forecast, []
        for name, value in self.realised.items():
            row: dict[str, Any] = {"metric": name, "label": f.same_risk[name].label, "realised": value}
            for kind, estimate in (("same_risk", f.same_risk[name]), ("label_shift", f.label_shift[name])):
                row |= {f"{kind}{end}": getattr(estimate, part) for end, part in _COLUMNS}
                row[f"{kind}_held"] = self._inside(estimate, value)
            found.append(row)
        return found

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        held = {kind.replace(" ", "_"): list(each) for kind, each in self.held.items()}
        return {"sentence": self.sentence, "held": held, "metrics": self.rows(), "forecast": self.forecast.as_dict()}

    def __repr__(self) -> str:
        return self.sentence
