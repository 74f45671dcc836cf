"""Every metric of one classifier, and all later questions to it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError
from unconfuse._formatting import TabularResult, strict_json, with_numbers
from unconfuse._phrases import counted
from unconfuse._render_mixins import ModelCardMixin, ReportMixin, lazy_import
from unconfuse._validate import check_choice, check_text, check_whole, public_api
from unconfuse.curves import Curve, curve
from unconfuse.curves._curve import single_table
from unconfuse.metrics import find_metric
from unconfuse.policy import SHOWN_FIRST
from unconfuse.results.class_questions import ClassQuestions
from unconfuse.results.display import (
    figure_of,
    headline_of,
    html_of,
    line_of,
    pictures_of,
    plain_of,
    plain_of_two,
    text_of,
)
from unconfuse.results.estimate_mapping import LazyEstimates
from unconfuse.results.findings import findings_of
from unconfuse.results.folds import LABELS, FoldEvaluations, curves_of_folds
from unconfuse.results.subgroups import Subgroups
from unconfuse.table import Feature, Question
from unconfuse.table.sample import DEFAULT, positives_of
from unconfuse.uncertainty import Estimate, Finding, estimate

if TYPE_CHECKING:  # rooms and results that are entered only when somebody asks
    from unconfuse.metrics.definitions import DefinitionComparison
    from unconfuse.resolving import ResolvingPower
    from unconfuse.results.calibration import Calibration
    from unconfuse.results.class_calibration import ClassCalibration
    from unconfuse.results.sites import Sites
    from unconfuse.thresholds import ThresholdCard
    from unconfuse.uncertainty.bands import ConfidenceBand
    from unconfuse.uncertainty.double_sampling_intervals import VerificationPlan

_ENOUGH_FOR_OPTIMISM = 500  # resamples of a card
_QUICK = 2000  # distinct scores up to which resolving power takes no noticeable time
_BAND = Question.of(
    "`band`",
    Feature.FOLDS,
    Feature.DOUBLE_SAMPLING,  # which has no table to draw a band around, and says so
    hints={Feature.CLUSTERS: "evaluate without groups", Feature.SAMPLING_WEIGHTS: "use a curve"},
)


@public_api
@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(TabularResult, ReportMixin, ModelCardMixin, ClassQuestions):
    """Every metric of one classifier, by name, with what the numbers rest on.

    `ev["auroc"]` is an `Estimate`; a metric that was not asked for at first, such as `ev["npv"]` or `ev["f_beta(2)"]`,
    is computed when it is. Cards, curves, subgroups and findings are made when asked for, under the same design.

    Attributes
    ----------
    sample : Sample
        What was read, as far as later questions need it.
    settings : Design
        How intervals are made.
    metrics : tuple of Metric
        The declarations behind the estimates.
    estimates : mapping of name to Estimate
    name, source : str
        What the classifier is called, and where its data came from.
    reference : object
        The subgroup that others are compared with, if one was named.

    Examples
    --------
    >>> import unconfuse as uc
    >>> test = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31, metrics=["npv", "f1"])
    >>> test
    Evaluation: 2 metrics, 208 positives of 239, cohort design
    >>> print(test["recall"])
    sensitivity 0.678 [0.612, 0.739] 95% mid-p, 208 positives of 239
    """

    shown_first = SHOWN_FIRST
    cases_of_a_class = "positives or negatives"

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Plain-words verdicts, the most important first."""
        if self.cached_findings is not None:
            return self.cached_findings
        own = self._own_findings()
        return (*self.sites.findings, *own) if self.sample.has_sites else own

    def _own_findings(self) -> tuple[Finding, ...]:
        return findings_of(self)

    @cached_property
    def subgroups(self) -> Subgroups:
        """The same classifier in each subgroup, and how these differ; `evaluate(..., by=...)` names them."""
        if not self.sample.by:
            raise ArgumentError("there are no subgroups here. Hint: evaluate with `by='column'` or `by=[values]`.")
        return Subgroups(self, self._judged_parts())

    @cached_property
    def sites(self) -> Sites:
        """Every metric over the places that cases come from: each, the mean one and a new one.

        `evaluate(..., site=...)` names them; `ev.sites["auroc"].new_site` is what to expect of a new place.
        """
        from unconfuse.results.sites import Sites, no_sites  # most cases come from one place

        if not self.sample.has_sites:
            raise no_sites("evaluate with site='column' or site=[values]")
        return Sites(self)

    @cached_property
    def folds(self) -> FoldEvaluations:
        """The evaluation of each fold of a cross-validation by itself; `evaluate(..., folds=...)` names them.

        Keys are the folds as text; a number will do.
        """
        if not self.sample.sampling.pooled:
            raise ArgumentError("there are no folds here. Hint: evaluate with `fold='column'` or `folds=[values]`.")
        parts = self.sample.by_fold()
        found = {
            name: LazyEstimates(self.metrics, part, self.settings.without_progress()) for name, part in parts.items()
        }
        again = partial(replace, self, source="", cached_findings=None)
        return FoldEvaluations(
            {name: again(sample=part, estimates=found[name], name=name) for name, part in parts.items()}
        )

    @cached_property
    def pooled(self) -> Evaluation:
        """All cases of a cross-validation in one table, as if one model had scored them."""
        if not self.sample.sampling.pooled:
            raise ArgumentError("there are no folds to pool. Hint: this evaluation is of all cases already.")
        whole = self.sample.pooled().compact()
        return replace(self, sample=whole, estimates=estimate(self.metrics, whole, self.settings.without_progress()))

    def _judged_parts(self) -> dict[str, Evaluation]:
        """Each part judged as the whole was; a part of one class, or of few cases, is an ordinary part."""
        parts = {name: part for name, part in self.sample.by_subgroup().items() if part.n}  # weight 0 is no case
        again = partial(replace, self, source="")
        found = {
            name: LazyEstimates(self.metrics, part, self.settings.without_progress()) for name, part in parts.items()
        }
        return {name: again(sample=part, estimates=found[name], name=name) for name, part in parts.items()}

    @cached_property
    def default_card(self) -> ThresholdCard:
        """Every way to choose a threshold, measured honestly under the design of this evaluation."""
        from unconfuse.thresholds import threshold_card

        self._scores("a threshold card").exact("a threshold card")
        chosen_here = self.threshold_source not in ("given", DEFAULT)  # by a rule that the card has itself
        cut = None if self.threshold is None or chosen_here or not math.isfinite(self.threshold) else self.threshold
        intervals_need_them = self.sample.sampling.clustered  # else the resamples only measure optimism
        return threshold_card(
            self._whole.without_subgroups(),
            threshold=cut,
            n_resamples=self.settings.n_resamples if intervals_need_them else _ENOUGH_FOR_OPTIMISM,
            design=self.sample.sampling.design,
            confidence_level=self.confidence_level,
            rng=self.settings.seed,
        )

    @cached_property
    def asymptotic_power(self) -> ResolvingPower:
        """Which metric tells models like this one apart best, from theory; `resolving_power` also simulates."""
        from unconfuse.resolving import Empirical, resolving_power

        return resolving_power(Empirical(self._scores("resolving power")), method="asymptotic")

    @property
    def asymptotic_power_if_fast(self) -> ResolvingPower | None:
        """The same where it takes no noticeable time and these data allow it, else None."""
        table = self._scores("resolving power")
        few = min(self.positives, self.negatives) < 2
        if len(table) > _QUICK or not table.is_exact or few or not self.sample.sampling.independent:
            return None
        try:
            return self.asymptotic_power if self.asymptotic_power.recommendation else None
        except ArgumentError:
            return None

    @cached_property
    def calibration(self) -> Calibration | ClassCalibration:
        """Whether the stated probabilities can be taken at their word: distances, decomposition and a test.

        Of several classes: over all of them, of the predicted class, and `calibration.of_class(name)`.
        """
        if not self.sample.sampling.is_cohort:
            raise ArgumentError(f"calibration requires a cohort design; got {self.design}.")
        return self._own_calibration()

    def _own_calibration(self) -> Calibration | ClassCalibration:
        from unconfuse.results.calibration import Calibration

        table = self._scores("calibration")
        slope, intercept = self.estimate(["calibration_slope", "calibration_intercept"]).values()
        return Calibration(table, slope, intercept, self.confidence_level)

    def band(self, name: str, **settings: Any) -> ConfidenceBand:
        """Return a band around any of its curves, case by case: see `unconfuse.band`, which knows the settings."""
        from unconfuse.uncertainty.bands import band

        self.sample.sampling.require(_BAND)
        table, how = self._scores("a band"), self.settings
        design = self.sample.sampling.design
        usual: dict[str, Any] = {"design": design, "confidence_level": how.confidence_level, "rng": how.seed}
        return band(table, name, **usual | settings)

    def curve(self, name: str, **settings: Any) -> Curve:
        """Return a curve of these scores as columns: "roc", "precision_recall", "gain", ... (see `unconfuse.curves`).

        Examples
        --------
        >>> import unconfuse as uc
        >>> uc.evaluate([1, 0, 1, 0], [.9, .4, .4, .1], metrics=["auroc"]).curve("roc")["tpr"]
        array([0. , 0.5, 1. , 1. ])
        """
        return curve(name, self._scores("a curve"), **settings)

    def plan_verification(self, n: int = 100, metric: str = "sensitivity") -> VerificationPlan:
        """Which cases to check next where a judge labelled them, so that a metric becomes surest (Neyman allocation).

        Examples
        --------
        >>> import numpy as np, unconfuse as uc
        >>> rng = np.random.default_rng(0)
        >>> truth = rng.random(500) < .3
        >>> judge, score = truth ^ (rng.random(500) < .1), .4 * truth + .6 * rng.random(500)
        >>> known = np.where(rng.random(500) < .2, truth, np.nan)
        >>> plan = uc.evaluate(known, score, judge=judge).plan_verification(50, "sensitivity")
        >>> sum(plan.checks.values()), plan.standard_error[0] > plan.standard_error[1]
        (50, True)
        """
        from unconfuse.uncertainty.double_sampling_intervals import plan_labels

        cases = self.sample.verified
        if cases is None:
            raise ArgumentError(
                "verified labels are planned where a rater labelled cases. Hint: evaluate(y, s, judge=...)."
            )
        return plan_labels(find_metric(metric), cases, check_whole(n, "n", at_least=1))

    def fold_curves(self, name: str = "roc") -> Curve:
        """Return each fold's "roc", "precision_recall" or "gain" curve, and their mean at each point of the x axis.

        The column `mean` averages heights over folds (vertical averaging); the others are called as the folds are.

        Examples
        --------
        >>> import unconfuse as uc
        >>> ev = uc.evaluate([1, 0, 1, 0] * 5, [.9, .4, .4, .1] * 5, folds=[0, 0, 0, 0, 1, 1, 1, 1] * 2 + [1] * 4)
        >>> list(ev.fold_curves("roc").columns)
        ['x', 'mean', 'fold 0', 'fold 1']
        """
        check_choice(name, "name", tuple(LABELS))
        tables = {fold: part._scores("a curve") for fold, part in self.folds.items()}
        return curves_of_folds(name, {fold: single_table(table) for fold, table in tables.items()})

    def definitions(self, name: str) -> DefinitionComparison:
        """Where tools disagree on a metric: every definition, its value here, and who computes it."""
        from unconfuse.metrics.definitions import definitions

        return definitions(name, self._scores("an explanation"))

    def plot(self, picture: str | None = None, path: str | None = None, **how: Any) -> Any:
        """Draw a matplotlib figure, saved if a path is given.

        Without the name of a picture: six pictures of two classes, the matrix of several. `ev.plot("roc")` draws one of
        them, the ROC curve with its operating point; others are "precision_recall", "det", "gain", "trends",
        "reliability", "decision_curve", ... A path may also stand in its place: `ev.plot("figure.png")`.
        """
        return figure_of(self, picture, path, how)

    def plot_panel(self, path: str | None = None, *, columns: int | None = None) -> Any:
        """Draw ROC, precision-recall, calibration and net benefit in one figure, saved if a path is given.

        Parameters
        ----------
        path : str, optional
            A .png, .svg or .pdf file.
        columns : {None, 1, 2}
            The width of one (88 mm) or both (180 mm) columns of a paper.
        """
        self._scores("a panel")
        draw = lazy_import("plots")
        figure = draw.panel(self, columns=columns)
        return figure if path is None else draw.save(figure, path)

    def checklist(self, guideline: str) -> Any:
        """Return a reporting checklist: what the data settle is filled in, the rest are questions to the author.

        Parameters
        ----------
        guideline : {"stard", "tripod-ai", "claim"}

        Examples
        --------
        >>> import unconfuse as uc
        >>> found = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31, metrics=["sensitivity"]).checklist("stard")
        >>> print(found["24"].answer)
        Sensitivity 0.678 (95% interval 0.612 to 0.739).
        """
        return lazy_import("publication").checklist_of(self, guideline)

    def log_to_mlflow(self, *, run_id: str | None = None, prefix: str = "", page: bool = True) -> str:
        """Log it to MLflow: metrics with `.low` and `.high`, the payload, and the page; returns the run's id.

        Parameters
        ----------
        run_id : str, optional
            The active run by default; without one, a new run.
        prefix : str
            Before all names, where a run holds several evaluations.
        page : bool
            Whether to log the page as well.
        """
        logged: str = lazy_import("integrations.tracking").log_evaluation(self, run_id=run_id, prefix=prefix, page=page)
        return logged

    @property
    def headline(self) -> tuple[Estimate, ...]:
        """The few numbers to see first: six usual ones as far as they are here, or the first of the user's own.

        Examples
        --------
        >>> import unconfuse as uc
        >>> [each.name for each in uc.evaluate_counts(tp=8, fp=2, fn=2, tn=88).headline]
        ['sensitivity', 'specificity', 'precision', 'mcc', 'npv', 'f1']
        """
        return headline_of(self)

    def value_range(self, name: str) -> tuple[float, float] | None:
        """Lowest and highest value that a metric can have: the ends of its bar; None if it has no such ends.

        Examples
        --------
        >>> import unconfuse as uc
        >>> test = uc.evaluate_counts(tp=8, fp=2, fn=2, tn=88)
        >>> test.value_range("mcc"), test.value_range("lr_positive")
        ((-1.0, 1.0), None)
        """
        text = check_text(name, "name")
        ends = next((metric.range for metric in self.metrics if metric.name == text), (math.nan, math.nan))
        return (float(ends[0]), float(ends[1])) if all(map(math.isfinite, ends)) else None

    @property
    def size_fields(self) -> dict[str, float]:
        """How many cases there are, and how many of them are positive, for a row of a table."""
        return {"n": self.n, "positives": self.positives}

    @property
    def size_text(self) -> str:
        """How many cases there are, in words."""
        return f"{self.positives:g} positives of {self.n:g}"

    @property
    def class_sizes_text(self) -> str:
        """How many cases of each class there are, in words."""
        return f"{counted(self.positives, 'positive')}, {counted(self.negatives, 'negative')}"

    def _size_line(self) -> str:
        at = self.sample.threshold_text() or ("" if self.has_decisions else "no threshold")
        return ", ".join(part for part in (positives_of(self.positives, self.n), at) if part)

    def _small_pictures(self) -> list[str]:
        return pictures_of(self)

    def _plain_fields(self) -> dict[str, Any]:
        return plain_of_two(self)

    def _plain_context(self, each: Estimate) -> dict[str, str]:
        return {}

    def with_changes(self, **changes: Any) -> Evaluation:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return the whole result as plain values, fit for strict JSON: NaN is None, and infinities are texts."""
        return plain_of(self)

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each metric: what every table shows."""
        return [{"metric": name, "label": each.label, **with_numbers(each)} for name, each in self.estimates.items()]

    def __str__(self) -> str:
        """Return the first numbers, one per line, under what they rest on."""
        return text_of(self)

    def __repr__(self) -> str:
        return line_of(self)

    def _repr_html_(self) -> str:
        return html_of(self)

    explain = renamed("definitions")
    labels_to_buy = renamed("plan_verification")
    card = renamed("default_card")
    power = renamed("asymptotic_power")
