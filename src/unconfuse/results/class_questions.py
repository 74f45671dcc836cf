"""What can be asked of classes: each against the rest, their confusions, decisions that cost or are left open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError, surface_text
from unconfuse._formatting import short_repr
from unconfuse.metrics import MULTICLASS_METRICS, Metric, find_metrics
from unconfuse.results.confusion import ConfusionMatrix
from unconfuse.results.costs import CostReport, expected_costs
from unconfuse.results.estimate_mapping import EstimateMapping
from unconfuse.results.per_class import ClassTable, class_table
from unconfuse.results.risk_coverage import RiskCoverage, risk_coverage
from unconfuse.table import InMemorySample, Sample, ScoreTable
from unconfuse.uncertainty import NEEDS_ROWS, available, estimate

if TYPE_CHECKING:
    from unconfuse.indistinguish import Indistinguishability
    from unconfuse.resolving import ClassResolvingPower
    from unconfuse.results.evaluation import Evaluation
    from unconfuse.thresholds import ThresholdCard


class ClassQuestions(EstimateMapping):
    """Questions to the classes of an evaluation; those that need several are refused for a yes-or-no question."""

    @cached_property
    def confusion(self) -> ConfusionMatrix:
        """The K x K table; rows are the truth."""
        self._require_decisions("a confusion matrix needs")
        return ConfusionMatrix(self.sample.cells().matrix(), self.classes)

    def one_vs_rest(self, wanted: object) -> Evaluation:
        """One class against the rest: the binary evaluation, every metric with its interval.

        Decisions are "this class was predicted" against "another was"; rankings and probabilities are those of the
        class's own column. It is computed when first asked for.

        Examples
        --------
        >>> import unconfuse as uc
        >>> ev = uc.evaluate_confusion([[50, 3, 2], [10, 30, 5], [0, 4, 16]], classes=["cat", "dog", "fox"])
        >>> print(ev.one_vs_rest("cat")["sensitivity"])
        sensitivity 0.909 [0.810, 0.966] 95% mid-p, 55 positives of 120
        """
        k = self.sample.class_index(wanted)
        if k not in self._of_classes:
            self._of_classes[k] = self._judged_class(k)
        return self._of_classes[k]

    @cached_property
    def _of_classes(self) -> dict[int, Evaluation]:
        return {}

    def _judged_class(self, k: int) -> Evaluation:
        from unconfuse.results.evaluation import Evaluation

        sample = self._against_rest(k)
        metrics = self._metrics_of_class(sample)
        found = estimate(metrics, sample, self.settings.without_progress())
        if sample.positives and sample.negatives:
            return Evaluation(sample, self.settings, metrics, found, name=self.classes[k])
        why = f"{'every' if sample.positives else 'no'} case belongs to {short_repr(self.classes[k])}"
        found = {
            key: replace(each, undefined=each.undefined and f"{each.undefined} ({why})") for key, each in found.items()
        }
        return Evaluation(sample, self.settings, metrics, found, name=self.classes[k], cached_findings=())

    def _against_rest(self, k: int) -> Sample:
        """Return the cases with the question whether they are of a class: of two, that is the question there is."""
        if k != 1:
            raise ArgumentError(
                f"this is a yes-or-no question about {short_repr(self.classes[1])}. Hint: evaluate with "
                f"`positive={short_repr(self.classes[0])}` and the scores turned round."
            )
        return self.sample

    def _metrics_of_class(self, own: Sample) -> tuple[Metric, ...]:
        """All that the class's column allows: its scores are probabilities if those of all classes are."""
        return available(None, own, probabilities=not self.sample.probability_problem())

    def per_class(self, metrics: Iterable[str] | None = None) -> ClassTable:
        """Binary metrics of every class against the rest, side by side; rank metrics in one pass over all classes."""
        self._several_classes("a yes-or-no question has no table of classes. Hint: its metrics are here by name.")
        return class_table(self.sample, None if metrics is None else find_metrics(metrics), self.settings)

    def table_of(self, wanted: object) -> ScoreTable:
        """Return the score table of one class against the rest: for any function that takes one."""
        self._scored("a score table")
        return self.sample.table(k=self.sample.class_index(wanted))

    def threshold_card(self, wanted: object = None, **settings: Any) -> ThresholdCard:
        """Return the threshold card; of several classes, that of the class `wanted` against the rest.

        Thresholds of several classes are separate yes-or-no decisions: a case may get several classes, or none. They
        do not replace the choice of one class. `settings` go to `uc.threshold_card`.
        """
        from unconfuse.thresholds import threshold_card

        return threshold_card(
            self._scores_of_question("a threshold card") if wanted is None else self.table_of(wanted),
            **{"design": self.sample.sampling.design, "rng": self.settings.seed, **settings},
        )

    def threshold_cards(self, **settings: Any) -> dict[str, ThresholdCard]:
        """Return the threshold card of every class that occurs, by name; see `threshold_card`."""
        held = [name for name, size in zip(self.classes, self.sample.sizes, strict=True) if size > 0]
        return {name: self.threshold_card(name, **settings) for name in held}

    def indistinguishability(self, wanted: object, **settings: Any) -> Indistinguishability:
        """Find the threshold at which those called this class and those of it cannot be told apart."""
        from unconfuse.indistinguish import indistinguishability

        return indistinguishability(self.table_of(wanted), **{"design": self.sample.sampling.design, **settings})

    def risk_coverage(self) -> RiskCoverage:
        """Describe the reject option: error rate against the share of cases decided, the most confident first.

        Of several classes the confidence is the score of the class that is named; of a yes-or-no question it is how far
        the score lies from the threshold.
        """
        what = "the risk-coverage curve"
        rows = self._by_confidence(what)
        return risk_coverage(rows, estimate(MULTICLASS_METRICS.find_all(["aurc"]), rows, self.settings)["aurc"])

    def expected_cost(self, costs: Any, *, recalibrate: bool = False) -> CostReport:
        """Compute the mean cost of a case for a K x K matrix of costs (rows = truth, columns = decision).

        Beside the decisions made: those with the smallest expected cost under the stated probabilities,
        argmin_j sum_k C[k, j] p_k, which has no fitted parameter; with `recalibrate` the probabilities are first
        tempered, by a power fitted on other folds. And always naming the best single class.
        """
        rows = self.sample.in_memory
        if rows is None:
            raise ArgumentError(
                f"cost-minimal decisions: this {NEEDS_ROWS}, or a matrix alone has none. Hint: for the decisions as "
                "they are, use ev.estimate([uc.class_cost(costs)])."
            )
        self._several_classes(
            "a matrix of costs is for decisions among classes. Hint: uc.expected_cost(fp, fn) is a metric for two."
        )
        return expected_costs(rows, costs, self.settings, recalibrate=recalibrate)

    def resolving_power(
        self, metrics: Iterable[str | Metric] | None = None, *, reference: str = "auroc_ovr_macro", reach: float = 1.0
    ) -> ClassResolvingPower:
        """Which summary tells models like this one apart best.

        A better model has a log-score of the true class that is higher by delta in every row (from -reach to reach).
        """
        from unconfuse.resolving import class_resolving_power

        rows = self._rows("resolving power")
        return class_resolving_power(rows, metrics, self.settings, reference=reference, reach=reach)

    def _scored(self, what: str) -> None:
        if not self.sample.has_scores:
            hint = surface_text("use `evaluate(y, S)`", "give --scores")
            raise ArgumentError(f"{what} needs scores, not only decisions. Hint: {hint}.")

    def _several_classes(self, problem: str) -> None:
        """Refuse what only several classes have, if there are but two."""
        raise ArgumentError(problem)

    def _rows(self, what: str) -> InMemorySample:
        self._several_classes(f"{what} of several classes was asked for, but this is a yes-or-no question.")
        self._scored(what)
        if self.sample.in_memory is None:
            raise ArgumentError(f"{what} {NEEDS_ROWS}. Hint: bring a sample with .toPandas().")
        return self.sample.in_memory

    def _scores_of_question(self, what: str) -> ScoreTable:
        return self._scores(what)

    def _by_confidence(self, what: str) -> InMemorySample:
        """Return a yes-or-no question's cases as two columns: how far a score lies on either side of the threshold."""
        threshold = self.threshold
        if not self.sample.sampling.counted or threshold is None or not self.sample.models:
            raise ArgumentError(f"{what} needs scores, a threshold, and cases that stand each for itself.")
        table = self.sample.table().exact(what)
        weights = np.concatenate([table.positives, table.negatives])
        far = np.tile(np.round(table.score - threshold, 12), 2)  # 0.6 and 0.4 are equally far from 0.5
        truth = np.repeat([1, 0], len(table.score))
        held = weights > 0
        return InMemorySample(
            truth=truth[held],
            scores={"score": np.column_stack([-far, far])[held]},
            decided={"score": (far >= 0).astype(np.int64)[held]},
            weights=weights[held],
            classes=self.classes,
            is_multiclass=True,
            fixed_classes=self.sample.fixed_classes,
        )

    of_class = renamed("one_vs_rest", permanent=True)
