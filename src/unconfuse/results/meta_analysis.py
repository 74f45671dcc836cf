"""Several studies of one test: the mean study, a new one, and how far they differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse import _html_repr
from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import TabularResult, number_text, p_text, short_repr, strict_json
from unconfuse._render_mixins import Reported, lazy_import
from unconfuse._validate import check_choice, check_probability, public_api
from unconfuse.metrics import METRICS
from unconfuse.multilevel.binomial import RatePosterior, rate_posterior, unlike
from unconfuse.multilevel.bivariate import BivariateFit, limits, normal_fit, region, summary_roc
from unconfuse.policy import Verdict
from unconfuse.table import Array, Counts
from unconfuse.uncertainty.estimate import Estimate, Finding
from unconfuse.uncertainty.table_estimates import estimate_counts

RATES = ("sensitivity", "specificity")
FEWEST = 3  # studies: two say nothing about others
_FOR_REGION = 15  # studies below which the region of a new study covers 62 to 92% instead of 95%
_FOR_SHAPE = 10  # studies below which the shape of the summary curve is a guess
_EXTREME = 0.95  # a correlation beyond is where the likelihood of few studies ends, not what they show
_CLASS = {"sensitivity": "positives", "specificity": "negatives"}


@dataclass(frozen=True)
class StudySpread:
    """How one rate differs between studies.

    Attributes
    ----------
    rate : str
    deviation : float
        Standard deviation of the logits between studies.
    low, high : float
        Between which 95% of the studies' true rates lie, if mean and deviation are as estimated.
    p_value : float
        Of equal rates in all studies (Pearson's chi-squared). A large one does not show that they are alike.
    """

    rate: str
    deviation: float
    low: float
    high: float
    p_value: float

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {name: getattr(self, name) for name in ("rate", "deviation", "low", "high", "p_value")}


@dataclass(frozen=True, eq=False)
class NewStudy(Mapping[str, Estimate]):
    """What to expect of a new study like these: `.sensitivity` and `.specificity`, with prediction intervals."""

    estimates: Mapping[str, Estimate]
    posteriors: Mapping[str, RatePosterior]

    @property
    def sensitivity(self) -> Estimate:
        """Where the true sensitivity of a new study lies."""
        return self["sensitivity"]

    @property
    def specificity(self) -> Estimate:
        """Where the true specificity of a new study lies."""
        return self["specificity"]

    def chance(self, rate: str, at_least: float) -> float:
        """Return the probability that a new study's true rate is at least so large; NaN if that rate is undefined."""
        goal = check_probability(at_least, "at_least")
        self[rate]
        return self.posteriors[rate].chance_above(goal) if rate in self.posteriors else math.nan

    def __getitem__(self, rate: str) -> Estimate:
        if rate not in self.estimates:
            raise ArgumentError(f"no rate {short_repr(rate)}. {did_you_mean(rate, RATES)}")
        return self.estimates[rate]

    def __iter__(self) -> Iterator[str]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)


@public_api
@dataclass(frozen=True, repr=False, eq=False)
class MetaAnalysis(TabularResult, Reported):
    """The studies together: `.sensitivity`, `.specificity` of the mean study, `.new_study`, `.correlation`, `.plot()`.

    Examples
    --------
    >>> import unconfuse as uc
    >>> tables = [(28, 13, 2, 65), (40, 6, 5, 43), (33, 2, 16, 55), (38, 7, 0, 68), (29, 5, 3, 79)]
    >>> studies = {f"study {i}": uc.Counts(tp=a, fp=b, fn=c, tn=d) for i, (a, b, c, d) in enumerate(tables, 1)}
    >>> found = uc.meta_analysis(studies)
    >>> print(found.new_study.specificity)
    specificity 0.912 [0.617, 0.983] 95% binomial-normal posterior, prediction, new study, 5 studies
    """

    studies: Mapping[str, Counts]
    fitted: BivariateFit | None
    confidence_level: float = 0.95

    def __len__(self) -> int:
        return len(self.studies)

    def _cases(self, rate: str) -> tuple[Array, Array]:
        """Cases that are labelled rightly, and all of that class, in an order of their own: sums never depend on it."""
        cells = ("tp", "positives") if rate == "sensitivity" else ("tn", "negatives")
        tables = [self.studies[name] for name in sorted(self.studies)]
        right, cases = (np.array([float(getattr(table, cell)) for table in tables]) for cell in cells)
        return right, cases

    @cached_property
    def _posteriors(self) -> dict[str, RatePosterior]:
        known = {rate: self._cases(rate) for rate in RATES}
        return {rate: rate_posterior(*each) for rate, each in known.items() if (each[1] > 0).sum() >= FEWEST}

    @property
    def sensitivity(self) -> Estimate:
        """Of the mean study, with its interval."""
        return self._means["sensitivity"]

    @property
    def specificity(self) -> Estimate:
        """Of the mean study, with its interval."""
        return self._means["specificity"]

    @cached_property
    def _means(self) -> dict[str, Estimate]:
        return {rate: self._mean(side, rate) for side, rate in enumerate(RATES)}

    def _mean(self, side: int, rate: str) -> Estimate:
        if rate not in self._posteriors:
            return self._undefined(rate)
        if self.fitted is None:
            found = self._posteriors[rate]
            value, method = found.typical(0.5), "binomial-normal posterior"
            low, high = (found.typical(tail) for tail in self._tails)
        else:
            value, method = float(1 / (1 + np.exp(-self.fitted.mean[side]))), "bivariate binomial-normal, t"
            low, high = limits(self.fitted, side, self.confidence_level)
        return self._estimate(rate, value, low, high, method, "mean study")

    @property
    def _tails(self) -> tuple[float, float]:
        return (1 - self.confidence_level) / 2, (1 + self.confidence_level) / 2

    def _estimate(self, rate: str, value: float, low: float, high: float, method: str, who: str) -> Estimate:
        context = f"{who}, {int((self._cases(rate)[1] > 0).sum())} studies"
        return Estimate.from_interval(
            METRICS[rate], value, (low, high, method), self.confidence_level, conditions=context
        )

    def _undefined(self, rate: str) -> Estimate:
        size = int((self._cases(rate)[1] > 0).sum())
        why = f"only {size} of the studies have {_CLASS[rate]}; it takes at least {FEWEST}"
        return Estimate.from_interval(
            METRICS[rate], math.nan, (math.nan, math.nan, ""), self.confidence_level, undefined=why
        )

    @cached_property
    def new_study(self) -> NewStudy:
        """What to expect of a new study like these, with prediction intervals.

        By the posterior of each rate, which holds for few and small studies; never narrower than the mean's interval.
        """
        found = {}
        for rate, mean in self._means.items():
            if rate not in self._posteriors:
                found[rate] = mean
                continue
            low, high = (self._posteriors[rate].new(tail) for tail in self._tails)
            ends = min(low, mean.low), max(high, mean.high)
            found[rate] = self._estimate(rate, mean.value, *ends, "binomial-normal posterior, prediction", "new study")
        return NewStudy(found, self._posteriors)

    @property
    def correlation(self) -> float:
        """Of the logits of sensitivity and specificity between studies; NaN where it is not defined."""
        return math.nan if self.fitted is None else self.fitted.correlation

    @cached_property
    def spread(self) -> dict[str, StudySpread]:
        """How each rate differs between studies, and a test of it."""
        return {rate: self._spread(side, rate) for side, rate in enumerate(RATES)}

    def _spread(self, side: int, rate: str) -> StudySpread:
        deviation, low, high = math.nan, math.nan, math.nan
        if self.fitted is not None:
            deviation, mean = self.fitted.deviations[side], float(self.fitted.mean[side])
            low, high = (float(1 / (1 + np.exp(-(mean + sign * 1.96 * deviation)))) for sign in (-1, 1))
        return StudySpread(rate, deviation, low, high, unlike(*self._cases(rate)))

    @cached_property
    def estimates(self) -> dict[str, dict[str, Estimate]]:
        """Sensitivity and specificity of each study alone, as it gives them."""
        how: dict[str, Any] = {"confidence_level": self.confidence_level}
        return {
            name: {rate: estimate_counts(METRICS[rate], study, **how) for rate in RATES}
            for name, study in self.studies.items()
        }

    def region(self, kind: str = "mean") -> dict[str, Array]:
        """Return the outline of the region that holds the mean study, or a new one, in the ROC plane.

        Parameters
        ----------
        kind : {"mean", "new"}
            A new study's region is refused below 15 studies, where it covers far less than it says.
        """
        check_choice(kind, "kind", ("mean", "new"))
        if self.fitted is None or min(self.fitted.effective) < FEWEST:
            raise ArgumentError(f"there is no region: {self.no_model}. Hint: see each rate alone.")
        if kind == "new" and min(self.fitted.effective) < _FOR_REGION:
            raise ArgumentError(
                f"a new study's region must rest on at least {_FOR_REGION} studies of both classes; got "
                f"{min(self.fitted.effective)}. Hint: use `new_study`, whose two intervals hold for few studies too."
            )
        return region(self.fitted, self.confidence_level, new=kind == "new")

    @property
    def no_model(self) -> str:
        """Why sensitivity and specificity could not be modelled together; empty if they were."""
        if self.fitted is not None:
            return ""
        few = [_CLASS[rate] for rate in RATES if rate not in self._posteriors]
        if few:
            return f"fewer than {FEWEST} studies have {few[0]}"
        if any(not 0 < right.sum() < cases.sum() for right, cases in map(self._cases, RATES)):
            return "one of the rates is 0 or 1 in all studies, so the likelihood has no highest point"
        return "the likelihood has no highest point, as may happen with few cases in each study"

    def summary_roc(self, false_positive_rate: Any = None) -> dict[str, Array]:
        """Return the summary ROC curve (Rutter and Gatsonis), by default over the studies' own false positive rates."""
        if self.fitted is None:
            raise ArgumentError(f"there is no summary curve: {self.no_model}. Hint: see each rate alone.")
        if false_positive_rate is None:
            right, cases = self._cases("specificity")
            seen = 1 - (right[cases > 0] + 0.5) / (cases[cases > 0] + 1)
            false_positive_rate = np.linspace(float(seen.min()), float(seen.max()), 101)
        along = np.asarray(false_positive_rate, dtype=np.float64)
        return {"false_positive_rate": along, "sensitivity": summary_roc(self.fitted, along)}

    @cached_property
    def normal_approximation(self) -> dict[str, float]:
        """The older bivariate normal model (Reitsma, as R's mada fits it), to compare with published numbers."""
        return normal_fit(*self._cases("sensitivity"), *self._cases("specificity"))

    @property
    def sentence(self) -> str:
        """What to expect of a new study, and the mean study's rates."""
        return " ".join(self._said(rate) for rate in RATES)

    def _said(self, rate: str) -> str:
        new, mean = self.new_study[rate], self._means[rate]
        if mean.undefined:
            return f"The {rate} of other studies cannot be estimated: {mean.undefined}."
        return (
            f"In a new study expect a {rate} between {number_text(new.low)} and {number_text(new.high)}; the mean "
            f"study has {number_text(mean.value)} {mean.interval_text}."
        )

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The sentence, then what limits it."""
        said = [Finding("new study", "expected", self.sentence)]
        for rate, study_spread in self.spread.items():
            if study_spread.p_value < 0.05:
                how = f"by more than chance ({p_text(study_spread.p_value)})"
                words = f"Studies disagree about the {rate} {how}: merging them hides it."
                said.append(Finding("studies disagree", Verdict.DIFFERENT, words, {"p_value": study_spread.p_value}))
        size = len(self)
        if size <= FEWEST:
            words = "Three studies say almost nothing about other studies."
            said.append(Finding("few studies", Verdict.CANNOT_TELL, words, {"studies": size}))
        if size < _FOR_REGION:
            words = f"{size} studies are too few for a joint region of a new study, which takes {_FOR_REGION}"
            words += ": read the two intervals."
            said.append(Finding("no region", Verdict.CANNOT_TELL, words, {"studies": size}))
        if self.fitted is None:
            words = f"Sensitivity and specificity are estimated one at a time, because {self.no_model}."
            said.append(Finding("one at a time", Verdict.CANNOT_TELL, words))
        elif size < _FOR_SHAPE or not abs(self.correlation) <= _EXTREME:
            words = "The shape of the summary ROC curve is a guess: " + (
                f"{size} studies are fewer than {_FOR_SHAPE}."
                if size < _FOR_SHAPE
                else f"the correlation between studies is {number_text(self.correlation)}."
            )
            said.append(Finding("shape", Verdict.CANNOT_TELL, words, {"correlation": self.correlation}))
        return tuple(said)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each study and rate, then the mean and a new study."""
        kinds = [(name, each) for name, each in self.estimates.items()]
        kinds += [("mean study", self._means), ("new study", dict(self.new_study))]
        found = []
        for name, each in kinds:
            for rate in RATES:
                estimate = each[rate]
                found.append(
                    {
                        "study": name,
                        "rate": rate,
                        "value": estimate.value,
                        "low": estimate.low,
                        "high": estimate.high,
                        "method": estimate.method,
                    }
                )
        return found

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        means = {rate: self._means[rate].as_dict() for rate in RATES}
        new = {rate: self.new_study[rate].as_dict() for rate in RATES}
        return {
            **means,
            "new_study": new,
            "correlation": self.correlation,
            "spread": {rate: study_spread.as_dict() for rate, study_spread in self.spread.items()},
            "log_likelihood": math.nan if self.fitted is None else self.fitted.log_likelihood,
            "confidence_level": self.confidence_level,
            "studies": {name: study.as_dict() for name, study in self.studies.items()},
            "findings": [finding.as_dict() for finding in self.findings],
            "sentence": self.sentence,
        }

    def plot(self, path: str | None = None, *, kind: str = "roc", **how: Any) -> Any:
        """Draw the studies in the ROC plane (`kind="roc"`) or as a forest (`kind="forest"`), into a file if named."""
        check_choice(kind, "kind", ("roc", "forest"))
        plots = lazy_import("plots")
        drawn = (plots.plot_summary_roc if kind == "roc" else plots.plot_forest)(self, **how)
        return drawn.figure if path is None else plots.save(drawn.figure, path)

    def __str__(self) -> str:
        return "\n".join(
            [*(finding.sentence for finding in self.findings), *(str(estimate) for estimate in self._means.values())]
        )

    def __repr__(self) -> str:
        return f"MetaAnalysis of {len(self)} studies: {self.sentence}"

    def _repr_html_(self) -> str:
        rows = []
        for name, each in [*self.estimates.items(), ("mean study", self._means), ("new study", dict(self.new_study))]:
            cells = [
                number_text(estimate.value) + " " + estimate.interval_text
                for estimate in (each[rate] for rate in RATES)
            ]
            rows.append([_html_repr.text(name, 28), *cells])
        notes = [finding.sentence for finding in self.findings[1:]]
        return _html_repr.card(
            f"{len(self)} studies", _html_repr.table(["", *RATES], rows), verdict=self.sentence, notes=notes
        )
