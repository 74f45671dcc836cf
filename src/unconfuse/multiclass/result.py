"""What `evaluate` returns for several classes."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._errors import ArgumentError, UnknownNameError
from unconfuse.ingest._old import ClassScores, ClassTables
from unconfuse.metrics import find_metrics
from unconfuse.multiclass._definition import ClassMetric
from unconfuse.multiclass.cells import Cells
from unconfuse.multiclass.confusion import Confusion
from unconfuse.multiclass.costs import CostReport, expected_costs
from unconfuse.multiclass.distant import NEEDS_ROWS, estimates_of_any
from unconfuse.multiclass.intervals import ClassHow
from unconfuse.multiclass.per_class import ClassTable, class_table
from unconfuse.multiclass.registry import find_class_metric
from unconfuse.multiclass.selective import RiskCoverage, risk_coverage
from unconfuse.results import Drawable, Estimate, Evaluation, Finding, frame_of, number_text
from unconfuse.table import ScoreTable

if TYPE_CHECKING:
    from unconfuse.multiclass.resolution import ClassResolvingPower

Judge = Callable[[int], Evaluation]


@dataclass(frozen=True, repr=False)
class ClassEvaluation(Drawable, Mapping[str, Estimate]):
    """Every summary of a classifier of several classes, by name, and each class against the rest.

    `ev["accuracy"]` is an `Estimate`; a metric that was not asked for at first, such as `ev["npv_macro"]` or
    `ev["top_k_accuracy(3)"]`, is computed when it is. `ev.of_class("cat")["sensitivity"]` is the binary evaluation of
    one class against the rest.

    Attributes
    ----------
    estimates : mapping of name to Estimate
    confusion : Confusion
        The K x K table; rows are the truth.
    scores : ClassScores or None
        The rows; None when only the table was given, or when they stay on a cluster.
    tables : ClassTables or None
        What a cluster made of its rows.
    findings : tuple of Finding
        Plain-words verdicts, the most important first.
    design, confidence_level, n_resamples, seed
        How intervals were made.

    Examples
    --------
    >>> import unconfuse as uc
    >>> ev = uc.evaluate_confusion([[50, 3, 2], [10, 30, 5], [0, 4, 16]], classes=["cat", "dog", "fox"])
    >>> print(ev["accuracy"])
    accuracy 0.800 [0.721, 0.864] 95% mid-p, 3 classes, 120 cases
    >>> print(ev.of_class("cat")["sensitivity"])
    sensitivity 0.909 [0.810, 0.966] 95% mid-p, 55 positives of 120
    """

    estimates: Mapping[str, Estimate]
    confusion: Confusion
    how: ClassHow
    judge: Judge = field(repr=False, compare=False)
    scores: ClassScores | None = None
    findings: tuple[Finding, ...] = ()
    metrics: tuple[ClassMetric, ...] = ()
    name: str = ""
    source: str = ""
    tables: ClassTables | None = None
    _judged: dict[int, Evaluation] = field(default_factory=dict, repr=False, compare=False)

    def __getitem__(self, name: str) -> Estimate:
        if name in self.estimates:
            return self.estimates[name]
        try:
            metric = find_class_metric(name)
        except ArgumentError as error:
            raise UnknownNameError(str(error)) from None
        check_available(metric, self.data)
        return self.estimate([metric])[metric.name]

    def estimate(self, metrics: Iterable[ClassMetric]) -> dict[str, Estimate]:
        """Other metrics of the same data, with the same settings; also your own."""
        wanted = list(metrics)
        for each in wanted:
            check_available(each, self.data)
        return estimates_of_any(wanted, self.data, self.cells(), self.classes, self.how)

    @property
    def data(self) -> ClassScores | ClassTables | None:
        """The rows, or what a cluster made of them."""
        return self.scores if self.tables is None else self.tables

    def cells(self) -> Cells:
        """The cells of the confusion matrix that hold cases."""
        return Cells.of_matrix(self.confusion.counts)

    def __contains__(self, name: object) -> bool:
        return name in self.estimates

    def __iter__(self) -> Iterator[str]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.confusion.classes

    @property
    def n(self) -> float:
        """Number of cases (sum of weights)."""
        return self.confusion.n

    @property
    def design(self) -> str:
        """How cases came to be drawn."""
        return "clustered" if self.scores is not None and self.scores.groups is not None else self.how.design

    @property
    def confidence_level(self) -> float:
        """Of the intervals."""
        return self.how.confidence_level

    @property
    def n_resamples(self) -> int:
        """Size of the bootstrap."""
        return self.how.n_resamples

    @property
    def seed(self) -> int:
        """Of the bootstrap."""
        return self.how.seed

    def position(self, wanted: object) -> int:
        """The number of a class, from its name or label."""
        rows = self.scores or ClassScores(np.zeros(0, np.int64), self.classes, None, np.zeros(0, np.int64))
        return rows.position(wanted)

    def of_class(self, wanted: object) -> Evaluation:
        """One class against the rest: the binary evaluation, every metric with its interval.

        Decisions are "this class was predicted" against "another was"; rankings and probabilities are those of the
        class's own column. It is computed when first asked for.
        """
        k = self.position(wanted)
        if k not in self._judged:
            self._judged[k] = self.judge(k)
        return self._judged[k]

    def per_class(self, metrics: Iterable[str] | None = None) -> ClassTable:
        """Binary metrics of every class against the rest, side by side; rank metrics in one pass over all classes."""
        return class_table(self.confusion, self.data, None if metrics is None else find_metrics(metrics), self.how)

    def table_of(self, wanted: object) -> ScoreTable:
        """The score table of one class against the rest: for any function that takes one."""
        if self.tables is not None:
            return self.tables.tables[self.position(wanted)]
        rows, k = self._rows("a score table"), self.position(wanted)
        assert rows.scores is not None
        return ScoreTable.of_rows(rows.truth == k, np.asarray(rows.scores[:, k], dtype=np.float64), rows.weights)

    def threshold_card(self, wanted: object, **settings: Any) -> Any:
        """The threshold card of one class against the rest: whether to call a case this class at all.

        Thresholds of several classes are separate yes-or-no decisions: a case may get several classes, or none. They
        do not replace the choice of one class. `settings` go to `uc.threshold_card`.
        """
        from unconfuse.thresholds import threshold_card

        return threshold_card(self.table_of(wanted), **{"design": self.how.design, "rng": self.how.seed, **settings})

    def threshold_cards(self, **settings: Any) -> dict[str, Any]:
        """The threshold card of every class that occurs, by name; see `threshold_card`."""
        held = [name for name, size in zip(self.classes, self.confusion.truth, strict=True) if size > 0]
        return {name: self.threshold_card(name, **settings) for name in held}

    def indistinguishability(self, wanted: object, **settings: Any) -> Any:
        """The threshold at which those called this class and those of it cannot be told apart."""
        from unconfuse.indistinguish import indistinguishability

        return indistinguishability(self.table_of(wanted), **{"design": self.how.design, **settings})

    def risk_coverage(self) -> RiskCoverage:
        """The reject option: error rate against the share of cases decided, the most confident first."""
        return risk_coverage(self._rows("the risk-coverage curve"), self["aurc"])

    def expected_cost(self, costs: Any, *, recalibrate: bool = False) -> CostReport:
        """The mean cost of a case for a K x K matrix of costs (rows = truth, columns = decision).

        Beside the decisions made: those with the smallest expected cost under the stated probabilities,
        argmin_j sum_k C[k, j] p_k, which has no fitted parameter; with `recalibrate` the probabilities are first
        tempered, by a power fitted on other folds. And always naming the best single class.
        """
        if self.tables is not None:
            raise ArgumentError(f"cost-minimal decisions: this {NEEDS_ROWS}. Hint: bring a sample with .toPandas().")
        if self.scores is None:
            raise ArgumentError(
                "costs of cost-minimal decisions need the rows. Hint: for a matrix alone use "
                "ev.estimate([uc.class_cost(costs)])."
            )
        return expected_costs(self.scores, costs, self.how, recalibrate=recalibrate)

    def resolving_power(
        self,
        metrics: Iterable[str | ClassMetric] | None = None,
        *,
        reference: str = "auroc_ovr_macro",
        reach: float = 1.0,
    ) -> ClassResolvingPower:
        """Which summary tells models like this one apart best.

        A better model has a log-score of the true class that is higher by delta in every row (from -reach to reach).
        """
        from unconfuse.multiclass.resolution import class_resolving_power

        rows = self._rows("resolving power")
        return class_resolving_power(rows, metrics, self.how, reference=reference, reach=reach)

    def _rows(self, what: str) -> ClassScores:
        if self.tables is not None:
            raise ArgumentError(f"{what} {NEEDS_ROWS}. Hint: bring a sample with .toPandas().")
        if self.scores is None or self.scores.scores is None:
            raise ArgumentError(f"{what} needs scores, not only decisions. Hint: use `evaluate(y, S)`.")
        return self.scores

    def plot(self, path: str | None = None, *, normalise: str = "truth", ordered: bool | None = None) -> Any:
        """A picture of the confusion matrix, saved if a path is given; needs matplotlib."""
        from unconfuse.plots import plot_confusion, save

        figure = plot_confusion(self.confusion, normalise=normalise, ordered=ordered).figure
        return figure if path is None else save(figure, path)

    def replaced(self, **changes: Any) -> ClassEvaluation:
        """A copy with some fields changed."""
        return replace(self, **changes)

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each metric."""
        return [{"metric": name, "label": each.label, **each.as_dict()} for name, each in self.estimates.items()]

    def to_frame(self) -> Any:
        """A data frame with one row per metric."""
        return frame_of(self.rows())

    def as_dict(self) -> dict[str, Any]:
        """The whole result as plain values."""
        return {
            "metrics": {name: each.as_dict() | {"context": each.context} for name, each in self.estimates.items()},
            "n": self.n,
            "classes": list(self.classes),
            "confusion": self.confusion.counts.tolist(),
            "per_class": self.per_class().rows(),
            "worst_confusions": [each.as_dict() for each in self.confusion.worst(10)],
            "design": self.design,
            "confidence_level": self.confidence_level,
            "n_resamples": self.n_resamples,
            "seed": self.seed,
            "findings": [each.as_dict() for each in self.findings],
        }

    def __repr__(self) -> str:
        of = f" of {self.name}" if self.name else ""
        return (
            f"ClassEvaluation{of}: {len(self)} metrics, {len(self.classes)} classes, {self.n:g} cases, "
            f"{self.design} design"
        )

    def _repr_html_(self) -> str:
        lines = "".join(
            f"<tr><td>{html.escape(each.label)}</td><td>{number_text(each.value)}</td>"
            f"<td>{html.escape(each.interval_text)}</td><td>{html.escape(each.undefined or each.method)}</td></tr>"
            for each in self.estimates.values()
        )
        said = "".join(f"<p>{html.escape(str(each))}</p>" for each in self.findings)
        head = "<tr><th>metric</th><th>value</th><th>interval</th><th>method</th></tr>"
        return f"<p><b>{html.escape(repr(self))}</b></p>{said}<table>{head}{lines}</table>"


def check_available(metric: ClassMetric, data: ClassScores | ClassTables | None) -> None:
    """Refuse a metric that these data cannot have, and say why."""
    if metric.of == "confusion":
        return
    if data is None or (isinstance(data, ClassScores) and data.scores is None):
        raise ArgumentError(f"{metric.name} needs scores, not only decisions. Hint: use `evaluate(y, S)`.")
    if metric.of == "probabilities" and data.why_not_probabilities:
        raise ArgumentError(
            f"{metric.name} needs probabilities: {data.why_not_probabilities}. "
            "Hint: scale every row to add up to 1, or ask for ranking metrics."
        )
