"""Every metric of one classifier, and all later questions to it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unconfuse import _cards
from unconfuse._doors import Drawable, room
from unconfuse._errors import ArgumentError, InputError, UnknownNameError, nearest
from unconfuse._plain import InRows, number_text, plain_values, strict_json, whole, with_numbers
from unconfuse._refusals import Skipped
from unconfuse._validate import check_choice, check_list, check_text, check_whole, in_words
from unconfuse.curves import Curve, curve
from unconfuse.curves._curve import plain
from unconfuse.metrics import Metric, find_metric, find_metrics
from unconfuse.metrics.ledger import Ledger, explain
from unconfuse.results.calibration import Calibration
from unconfuse.results.class_findings import class_findings
from unconfuse.results.findings import findings_of
from unconfuse.results.folds import LABELS, Folds, curves_of_folds
from unconfuse.results.several import SeveralClasses
from unconfuse.results.subgroups import Subgroups
from unconfuse.table import Counts, Design, JudgedSample, Sample, ScoreTable
from unconfuse.table.sample import positives_of
from unconfuse.uncertainty import Estimate, Finding, available, estimate
from unconfuse.uncertainty.bands import Band, band
from unconfuse.uncertainty.engine import Asked, no_threshold
from unconfuse.uncertainty.judge import LabelPlan, plan_labels

if TYPE_CHECKING:
    from unconfuse.resolving import ResolvingPower  # rooms that are entered only when somebody asks
    from unconfuse.thresholds import ThresholdCard

# What every surface shows first, in this order, as far as a result holds it.
_FIRST = ("auroc", "average_precision", "sensitivity", "specificity", "precision", "mcc")
HEADLINES = (*_FIRST, "npv", "f1", "youden_j", "accuracy")
OF_CLASSES = ("accuracy", "balanced_accuracy", "f1_macro", "mcc", "auroc_ovr_macro", "brier")
N_HEADLINES = 6
_ENOUGH_FOR_OPTIMISM = 500  # resamples of a card
_QUICK = 2000  # distinct scores up to which resolving power takes no noticeable time


@in_words
@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(InRows, Drawable, SeveralClasses, Mapping[str, Estimate]):
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

    sample: Sample
    settings: Design
    metrics: tuple[Metric, ...]
    estimates: Mapping[str, Estimate]
    name: str = ""
    source: str = ""
    reference: object = None
    stated: tuple[Finding, ...] | None = field(default=None, repr=False)

    def __getitem__(self, name: str) -> Estimate:
        if isinstance(name, str) and name in self.estimates:
            return self.estimates[name]
        try:
            metric = find_metric(name, several=self.sample.several)
            available([metric], self.sample)
        except (ArgumentError, InputError) as error:
            raise UnknownNameError(str(error)) from None
        return self.estimates.get(metric.name) or self.estimate([metric])[metric.name]

    def __contains__(self, name: object) -> bool:
        return name in self.estimates

    def __iter__(self) -> Iterator[str]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def estimate(self, metrics: Iterable[str | Metric]) -> dict[str, Estimate]:
        """Other metrics of the same data under the same design; also your own."""
        wanted = find_metrics(check_list(metrics, "metrics"), several=self.sample.several)
        available(wanted, self.sample)
        return estimate(wanted, self.sample, self.settings.quietly())

    @cached_property
    def _whole(self) -> Sample:
        """All cases, each once: those of a repeated cross-validation are read more often."""
        return self.sample.pooled() if self.sample.repeats else self.sample

    @property
    def n(self) -> float:
        """Number of cases (sum of weights); a whole number where it is whole."""
        return whole(self._whole.n)

    @property
    def positives(self) -> float:
        """Number of positives (sum of weights)."""
        return whole(self._whole.positives)

    @property
    def negatives(self) -> float:
        """Number of negatives (sum of weights)."""
        return whole(self._whole.negatives)

    @property
    def counts(self) -> Counts:
        """The 2x2 table at the threshold."""
        self._two_classes("four counts")
        if not self.has_decisions:
            why, hint = no_threshold(self.sample, self.sample.only_model)
            raise ArgumentError(f"four counts need decisions, but {why}. Hint: {hint}.")
        return self._whole.counts()

    @property
    def has_decisions(self) -> bool:
        """Whether cases are called positive or negative: scores that are no probabilities need a threshold first."""
        return self.sample.several or self.sample.decides()

    @property
    def threshold(self) -> float | None:
        """Where a yes-or-no question is cut; None if decisions were given, or if nobody chose a threshold."""
        return self.sample.thresholds.get(self.sample.models[0])

    @property
    def threshold_origin(self) -> str | None:
        """How the threshold came about: "default", "given", or by which rule; None if there is none."""
        return None if self.threshold is None else self.sample.origins.get(self.sample.models[0], "given")

    @property
    def table(self) -> ScoreTable | None:
        """The score table of a yes-or-no question; None when only decisions were given."""
        scored = not self.sample.several and self.sample.has_scores and not self.sample.is_judged
        return self._whole.table() if scored else None

    @property
    def design(self) -> str:
        """How cases were drawn: "cohort", "case-control", "clustered", "sampled" or "cross-validated"."""
        return self.sample.design_word(self.settings)

    @property
    def confidence_level(self) -> float:
        """Of the intervals."""
        return self.settings.confidence_level

    @property
    def n_resamples(self) -> int | None:
        """Size of the bootstrap; None of four counts, which need none."""
        return self.settings.n_resamples if self.sample.several or self.sample.has_scores else None

    @property
    def seed(self) -> int | None:
        """Of the bootstrap; None of four counts, which need none."""
        return self.settings.seed if self.sample.several or self.sample.has_scores else None

    @property
    def skipped(self) -> Skipped:
        """Rows that were left out because they could not be used, by reason."""
        return self.sample.skipped

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Plain-words verdicts, the most important first."""
        if self.stated is not None:
            return self.stated
        return class_findings(self) if self.sample.several else findings_of(self)

    @cached_property
    def subgroups(self) -> Subgroups:
        """The same classifier in each subgroup, and how these differ; `evaluate(..., by=...)` names them."""
        if not self.sample.by:
            raise ArgumentError("there are no subgroups here. Hint: evaluate with by='column' or by=[values].")
        return Subgroups(self, self._judged_parts())

    @cached_property
    def folds(self) -> Folds:
        """The evaluation of each fold of a cross-validation by itself; `evaluate(..., folds=...)` names them.

        Keys are the folds as text; a number will do.
        """
        if not self.sample.has_folds:
            raise ArgumentError("there are no folds here. Hint: evaluate with fold='column' or folds=[values].")
        parts = self.sample.fold_parts()
        found = {name: Asked(self.metrics, part, self.settings.quietly()) for name, part in parts.items()}
        again = partial(replace, self, source="", stated=None)
        return Folds({name: again(sample=part, estimates=found[name], name=name) for name, part in parts.items()})

    @cached_property
    def pooled(self) -> Evaluation:
        """All cases of a cross-validation in one table, as if one model had scored them."""
        if not self.sample.has_folds:
            raise ArgumentError("there are no folds to pool. Hint: this evaluation is of all cases already.")
        whole = self.sample.pooled().settled()
        return replace(self, sample=whole, estimates=estimate(self.metrics, whole, self.settings.quietly()))

    def _judged_parts(self) -> dict[str, Evaluation]:
        """Each part judged as the whole was; a part of one class, or of few cases, is an ordinary part."""
        parts = {name: part.regrouped() for name, part in self.sample.parts().items() if part.n}  # weight 0 is no case
        again = partial(replace, self, source="")
        found = {name: Asked(self.metrics, part, self.settings.quietly()) for name, part in parts.items()}
        return {name: again(sample=part, estimates=found[name], name=name) for name, part in parts.items()}

    @cached_property
    def card(self) -> ThresholdCard:
        """Every way to choose a threshold, measured honestly under the design of this evaluation."""
        from unconfuse.thresholds import threshold_card

        self._scores("a threshold card").exact("a threshold card")
        cut = self.threshold if self.threshold is not None and math.isfinite(self.threshold) else None
        intervals_need_them = self.sample.is_clustered  # else the resamples only measure optimism
        return threshold_card(
            self._whole.undivided(),
            fixed=cut,
            n_resamples=self.settings.n_resamples if intervals_need_them else _ENOUGH_FOR_OPTIMISM,
            design=self.settings.kind,
            confidence_level=self.confidence_level,
            rng=self.settings.seed,
        )

    @cached_property
    def power(self) -> ResolvingPower:
        """Which metric tells models like this one apart best, from theory; `resolving_power` also simulates."""
        from unconfuse.resolving import Empirical, resolving_power

        return resolving_power(Empirical(self._scores("resolving power")), method="asymptotic")

    @property
    def quick_power(self) -> ResolvingPower | None:
        """The same where it takes no noticeable time and these data allow it, else None."""
        table = self._scores("resolving power")
        few = min(self.positives, self.negatives) < 2
        if len(table) > _QUICK or not table.is_exact or few or self.design not in ("cohort", "case-control"):
            return None
        try:
            return self.power if self.power.recommendation else None
        except ArgumentError:
            return None

    @cached_property
    def calibration(self) -> Calibration:
        """Whether the stated probabilities can be taken at their word: distances, decomposition and a test."""
        if self.design != "cohort":
            raise ArgumentError(f"calibration is judged case by case in a cohort; the design is {self.design}.")
        table = self._scores("calibration")
        slope, intercept = self.estimate(["calibration_slope", "calibration_intercept"]).values()
        return Calibration(table, slope, intercept, self.confidence_level)

    def band(self, name: str, **settings: Any) -> Band:
        """A band around any of its curves, case by case: see `unconfuse.band`, which knows the settings."""
        if self.sample.is_clustered:
            raise ArgumentError("a band takes cases one by one; these come in groups. Hint: evaluate without groups.")
        if self.sample.is_sampled:
            raise ArgumentError("a band takes cases that count alike; these have sampling weights. Hint: use a curve.")
        table, how = self._scores("a band"), self.settings
        usual: dict[str, Any] = {"design": how.kind, "confidence_level": how.confidence_level, "rng": how.seed}
        return band(table, name, **usual | settings)

    def curve(self, name: str, **settings: Any) -> Curve:
        """A curve of these scores as columns: "roc", "precision_recall", "gain", ... (see `unconfuse.curves`).

        Examples
        --------
        >>> import unconfuse as uc
        >>> uc.evaluate([1, 0, 1, 0], [.9, .4, .4, .1], metrics=["auroc"]).curve("roc")["tpr"]
        array([0. , 0.5, 1. , 1. ])
        """
        return curve(name, self._scores("a curve"), **settings)

    def labels_to_buy(self, n: int = 100, metric: str = "sensitivity") -> LabelPlan:
        """Which cases to check next where a judge labelled them, so that a metric becomes surest (Neyman allocation).

        Examples
        --------
        >>> import numpy as np, unconfuse as uc
        >>> rng = np.random.default_rng(0)
        >>> truth = rng.random(500) < .3
        >>> judge, score = truth ^ (rng.random(500) < .1), .4 * truth + .6 * rng.random(500)
        >>> known = np.where(rng.random(500) < .2, truth, np.nan)
        >>> plan = uc.evaluate(known, score, judge=judge).labels_to_buy(50, "sensitivity")
        >>> sum(plan.checks.values()), plan.standard_error[0] > plan.standard_error[1]
        (50, True)
        """
        if not isinstance(self.sample, JudgedSample):
            raise ArgumentError("labels are bought where a judge labelled cases. Hint: evaluate(y, s, judge=...).")
        return plan_labels(find_metric(metric), self.sample, check_whole(n, "n", at_least=1))

    def fold_curves(self, name: str = "roc") -> Curve:
        """The "roc", "precision_recall" or "gain" curve of each fold, and their mean at each point of the x axis.

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
        return curves_of_folds(name, {fold: plain(table) for fold, table in tables.items()})

    def explain(self, name: str) -> Ledger:
        """Where tools disagree on a metric: every definition, its value here, and who computes it."""
        return explain(name, self._scores("an explanation"))

    def plot(self, picture: str | None = None, path: str | None = None, **how: Any) -> Any:
        """A matplotlib figure, saved if a path is given.

        Without the name of a picture: six pictures of two classes, the matrix of several. `ev.plot("roc")` draws one of
        them, the ROC curve with its operating point; others are "precision_recall", "det", "gain", "trends",
        "reliability", "decision_curve", ... A path may also stand in its place: `ev.plot("figure.png")`.
        """
        draw = room("plots")
        picture = picture if picture is None else str(os.fspath(picture))
        if picture is not None and picture not in draw.PICTURES:
            if path is not None or not Path(picture).suffix:
                raise ArgumentError(f"there is no picture {picture!r}. {nearest(picture, draw.PICTURES)}")
            picture, path = None, picture
        if picture is not None:
            self._scores("a picture")
            figure = draw.PICTURES[picture](self, **how).figure
            return figure if path is None else draw.save(figure, path)
        if self.sample.several:
            figure = draw.plot_confusion(self.confusion, **how).figure
        else:
            self._scores("a picture")
            figure = draw.overview(self, title=self.name, **how)
        return figure if path is None else draw.save(figure, path)

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
        logged: str = room("integrations.tracking").log_evaluation(self, run_id=run_id, prefix=prefix, page=page)
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
        known = OF_CLASSES if self.sample.several else HEADLINES
        usual = [self.estimates[name] for name in known if name in self.estimates]
        others = [each for name, each in self.estimates.items() if name not in known]
        return tuple((usual or others)[:N_HEADLINES])

    def span(self, name: str) -> tuple[float, float] | None:
        """Lowest and highest value that a metric can have: the ends of its bar; None if it has no such ends.

        Examples
        --------
        >>> import unconfuse as uc
        >>> test = uc.evaluate_counts(tp=8, fp=2, fn=2, tn=88)
        >>> test.span("mcc"), test.span("lr_positive")
        ((-1.0, 1.0), None)
        """
        wanted = check_text(name, "name")
        ends = next((each.range for each in self.metrics if each.name == wanted), (math.nan, math.nan))
        return (float(ends[0]), float(ends[1])) if all(map(math.isfinite, ends)) else None

    def replaced(self, **changes: Any) -> Evaluation:
        """A copy with some fields changed."""
        return replace(self, **changes)

    def __getstate__(self) -> dict[str, Any]:
        return {
            **{key: vars(self)[key] for key in self.__dataclass_fields__},
            "estimates": dict(self.estimates.items()),  # a read-only view cannot be pickled
            "settings": self.settings.quietly(),
        }

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """The whole result as plain values; `plain_json` makes it strict JSON."""
        asked = ("positives", "classes", "threshold", "threshold_origin")
        of_two = {}
        if not self.sample.several:
            of_two = {name: plain_values(getattr(self, name)) for name in asked}
            of_two["counts"] = plain_values(self.counts) if self.has_decisions else None
        return {
            "metrics": {name: each.as_dict() | self._context(each) for name, each in self.estimates.items()},
            "n": self.n,
            **(self._classes_as_dict() if self.sample.several else of_two),
            "design": self.design,
            "confidence_level": self.confidence_level,
            "n_resamples": self.n_resamples,
            "seed": self.seed,
            "findings": plain_values(self.findings),
            "skipped": self.skipped.as_dict(),
            **self._folds_as_dict(),
        }

    def _folds_as_dict(self) -> dict[str, Any]:
        """Every fold's values, and those of all cases pooled."""
        if not self.sample.has_folds:
            return {}
        values = {fold: {name: each.value for name, each in own.items()} for fold, own in self.folds.items()}
        return {"folds": values, "pooled": {name: each.as_dict() for name, each in self.pooled.items()}}

    def _context(self, each: Estimate) -> dict[str, Any]:
        """What an average over classes rests on; a yes-or-no question says it once for all."""
        return {"context": each.context} if self.sample.several else {}

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each metric: what every table shows."""
        return [{"metric": name, "label": each.label, **with_numbers(each)} for name, each in self.estimates.items()]

    def _two_classes(self, what: str) -> None:
        if self.sample.several:
            raise ArgumentError(
                f"{what} {'are' if what.endswith('s') else 'is'} for a yes-or-no question, and there are "
                f"{len(self.classes)} classes. Hint: ask one of them, ev.of_class({self.classes[0]!r})."
            )

    def _scores(self, what: str) -> ScoreTable:
        self._two_classes(what)
        if self.sample.is_judged:
            raise ArgumentError(f"{what} needs the truth of every case, and only some were checked.")
        if self.table is None:
            raise ArgumentError(f"{what} needs the scores, not only four counts. Hint: use `evaluate`.")
        return self.table

    def __str__(self) -> str:
        """The first numbers, one in a line, under what they rest on."""
        lines = [f"  {each.label} {number_text(each.value)} {each.interval_text}".rstrip() for each in self.headline]
        return "\n".join([repr(self), *lines])

    def __repr__(self) -> str:
        of = f" of {self.name}" if self.name else ""
        if self.sample.several:
            size = f"{len(self.classes)} classes, {self.n:g} cases"
        else:
            at = self.sample.threshold_text() or ("" if self.has_decisions else "no threshold")
            size = ", ".join(part for part in (positives_of(self.positives, self.n), at) if part)
        by = f", by {' and '.join(self.sample.by)}" if self.sample.by else ""
        by += f", means over {len(self.folds)} folds" if self.sample.has_folds else ""
        return f"Evaluation{of}: {len(self)} metrics, {size}, {self.design} design{by}"

    def _repr_html_(self) -> str:
        first = self.findings[0] if self.findings else None
        rows = [[*each.cells_html(self.span(each.name), each.baseline), each.bound_text(4)] for each in self.headline]
        bars = f"Bars: {self.confidence_level * 100:.4g}% intervals; tick: a useless classifier."
        heads = ["", "", "", "", "exact value certainly"] if any(row[4] for row in rows) else []
        return _cards.card(
            self.name or "Evaluation",
            _cards.side_by_side(_cards.table(heads, rows, numbers=[1]), *self._small_pictures()),
            _cards.quiet(f"{bars} {len(self)} metrics in .to_frame()."),
            verdict=first.sentence if first else "",
            notes=[repr(self), *(each.sentence for each in self.findings[1:2])],
            tone=_cards.TONES.get(first.verdict if first else "", ""),
        )

    def _small_pictures(self) -> list[str]:
        """The ROC curve and the four counts; the matrix of several classes."""
        if self.sample.several:
            return [self.confusion.table_html()]
        if not self.has_decisions:
            return [self._small_roc()]
        cells = [f"{float(cell):,.7g}" for cell in self.counts.as_dict().values()]
        return [self._small_roc(), _cards.matrix(cells)]

    def _small_roc(self) -> str:
        if self.table is None or not (self.positives > 0 and self.negatives > 0):
            return ""
        roc = self.curve("roc").thinned(80)
        point = None
        if self.threshold is not None:
            point = float(self.counts.fp) / self.negatives, float(self.counts.tp) / self.positives
        return _cards.roc(roc["fpr"].tolist(), roc["tpr"].tolist(), point)
