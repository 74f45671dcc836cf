"""What an evaluation of many labels says: averages over labels, and every label by itself, worst first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from unconfuse import _html_repr
from unconfuse._errors import ArgumentError
from unconfuse._formatting import TabularResult, number_text, short_repr, strict_json, whole, with_numbers
from unconfuse._phrases import called, counted
from unconfuse._render_mixins import lazy_import
from unconfuse._validate import check_list, check_text, public_api
from unconfuse.metrics import Metric, find_metrics
from unconfuse.metrics.multilabel import found, lacking
from unconfuse.policy import Verdict
from unconfuse.results.evaluate_sample import evaluate_sample
from unconfuse.results.evaluation import Evaluation
from unconfuse.results.multi_output import MultiOutputEvaluation
from unconfuse.table.multi_output import LabelSample
from unconfuse.uncertainty import available, estimate
from unconfuse.uncertainty.estimate import Estimate, Finding

if TYPE_CHECKING:
    from unconfuse.thresholds import ThresholdCard

SHOWN = ("auroc", "average_precision", "sensitivity", "specificity", "precision", "f1")
_FEW = 10  # positives of a label below which its own numbers say little


@public_api
@dataclass(frozen=True, repr=False, eq=False)
class LabelEvaluation(MultiOutputEvaluation):
    """Every metric of a model that gives many labels, and each label's own evaluation.

    `ev["f1_macro"]` is an `Estimate` whose interval takes all labels of a case together; a metric that was not asked
    for at first, such as `ev["npv_micro"]`, is computed when it is. `ev.of_label(name)` is the whole yes-or-no
    evaluation of one label on the cases of which it is known, `ev.per_label()` all of them side by side, worst first.

    Attributes
    ----------
    sample : LabelSample
    settings : Design
    metrics : tuple of Metric
    estimates : mapping of name to Estimate
    name, source : str

    Examples
    --------
    >>> import unconfuse as uc
    >>> Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, None]]
    >>> S = [[.9, .2], [.3, .8], [.7, .4], [.1, .3], [.6, .6], [.2, .1]]
    >>> ev = uc.evaluate(Y, S, labels=["mass", "nodule"])
    >>> print(ev["f1_macro"])
    f1_macro 0.750 [0.262, 0.962] 95% Wilson (effective n of whole cases, t), 2 labels, 6 cases
    >>> ev.of_label("mass")["sensitivity"].value
    1.0
    """

    sample: LabelSample

    first: ClassVar[tuple[str, ...]] = (
        "f1_macro",
        "f1_micro",
        "auroc_macro",
        "average_precision_macro",
        "subset_accuracy",
        "hamming_loss",
    )

    def _metric(self, name: str) -> Metric:
        metric = found(name)
        why = lacking(metric, self.sample)
        if why:
            raise ArgumentError(why)
        return metric

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the labels."""
        return self.sample.labels

    @property
    def thresholds(self) -> dict[str, float] | None:
        """Where each label is cut; None if decisions were given or nobody chose a threshold."""
        own = next(iter(self.sample.thresholds.values()), None)
        return None if own is None else {name: float(cut) for name, cut in zip(self.labels, own, strict=True)}

    @cached_property
    def _evaluations(self) -> dict[int, Evaluation]:
        return {}

    def of_label(self, label: Any, *, metrics: Iterable[str | Metric] | None = None) -> Evaluation:
        """Return the whole yes-or-no evaluation of one label, on the cases of which it is known.

        Parameters
        ----------
        label : str
            Its name, or the part that the star of a pattern stood for.
        metrics : names or Metric objects, optional
            All declared metrics by default.
        """
        place = self.sample.position(label)
        if metrics is None and place in self._evaluations:
            return self._evaluations[place]
        sample = self.sample.of_label(place)
        if not (sample.positives > 0 and sample.negatives > 0):
            kind = "positive" if not sample.positives > 0 else "negative"
            raise ArgumentError(
                f"label {short_repr(self.labels[place])} has no {kind} case among {sample.n:g} known ones: "
                "there is nothing to tell apart."
            )
        result = evaluate_sample(sample, metrics, self.settings, name=self.labels[place])
        if metrics is None:
            self._evaluations[place] = result
        return result

    def per_label(self, metrics: Iterable[str | Metric] | None = None, *, sort: str | None = None) -> LabelTable:
        """Return every label's own values with their intervals, the worst first by the first of the metrics.

        Parameters
        ----------
        metrics : names or Metric objects, optional
            AUROC, average precision, sensitivity, specificity, precision and F1 by default, as far as there are scores
            and decisions.
        sort : str, optional
            The metric that orders the labels, "support" (most positives first), or "name". Default: the first metric.

        Examples
        --------
        >>> import unconfuse as uc
        >>> Y, S = [[1, 0], [0, 1], [1, 1], [0, 0]], [[.9, .7], [.3, .8], [.7, .4], [.1, .6]]
        >>> [label for label in uc.evaluate(Y, S, labels=["a", "b"]).per_label(["auroc"])]
        ['b', 'a']
        """
        wanted = self._wanted(metrics)
        values: dict[str, dict[str, Estimate]] = {}
        support: dict[str, tuple[float, float]] = {}
        for place, label in enumerate(self.labels):
            sample = self.sample.of_label(place).without_subgroups()
            support[label] = whole(sample.positives), whole(sample.n)
            values[label] = estimate(wanted, sample, self.settings.without_progress())
        return LabelTable(values, support, _order(values, support, wanted, sort))

    def _wanted(self, metrics: Iterable[str | Metric] | None) -> tuple[Metric, ...]:
        if metrics is not None:
            return available(check_list(metrics, "metrics"), self.sample.of_label(0))
        usual = find_metrics(SHOWN)
        decides, scored = self.sample.has_decisions, self.sample.has_scores
        return tuple(metric for metric in usual if (decides if metric.of == "counts" else scored))

    @cached_property
    def cards(self) -> Cards:
        """A threshold card for each label: every way to choose its threshold, measured on cases not used to choose it.

        Each is made when it is first asked for.
        """
        return Cards(self)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What the averages hide, in plain words."""
        return tuple(finding for finding in (self._spread(), self._few(), self._unknown()) if finding is not None)

    def _spread(self) -> Finding | None:
        """Report the worst and the best label by the first metric, and whether the two differ beyond chance."""
        table = self.per_label(self._wanted(None)[:1])
        name = self._wanted(None)[0].name
        known = [label for label in table if not math.isnan(table[label][name].value)]
        if not known:
            return None
        worst, best = table[known[0]][name], table[known[-1]][name]
        first, last = called(known[0], "label"), called(known[-1], "label")
        words = f"{worst.label} runs from {number_text(worst.value)} {worst.interval_text} ({first}) to "
        words += f"{number_text(best.value)} {best.interval_text} ({last}) over {len(known)} labels."
        if len(known) < 2:
            words = f"{worst.label} of {first} is {number_text(worst.value)} {worst.interval_text}."
        return Finding("worst label", "described", words, {"worst": worst.value, "best": best.value})

    def _few(self) -> Finding | None:
        sizes = {
            name: min(float(p), float(q))
            for name, p, q in zip(self.labels, self.sample.positives, self.sample.negatives, strict=True)
        }
        few = [name for name, size in sizes.items() if size < _FEW]
        if not few:
            return None
        shown = ", ".join(f"{called(name, 'label')} ({sizes[name]:g})" for name in few[:5]) + (
            ", ..." if len(few) > 5 else ""
        )
        words = f"{len(few)} of {len(self.labels)} labels have fewer than {_FEW} cases of their rarer class: {shown}. "
        return Finding(
            "few cases", Verdict.CANNOT_TELL, f"{words}Their own numbers are uncertain.", {"labels": len(few)}
        )

    def _unknown(self) -> Finding | None:
        if not self.sample.missing:
            return None
        share, complete = self.sample.missing / self.sample.truth.size, int(self.sample.is_complete.sum())
        words = f"{100 * share:.1f}% of the labels are unknown; {counted(complete, 'case')} "
        words += f"{'has' if complete == 1 else 'have'} all of them. "
        words += "Averages over labels use the known ones, which is right if those unknown are so by chance."
        return Finding("unknown labels", "described", words, {"share": share, "complete": complete})

    def plot(self, path: str | None = None, **how: Any) -> Any:
        """Draw every label's value with its interval, the worst first; saved if a path is given."""
        plots = lazy_import("plots")
        plot_labels = plots.plot_labels(self, **how)
        return plot_labels.figure if path is None else plots.save(plot_labels.figure, path)

    def _more(self) -> dict[str, Any]:
        table = self.per_label()
        return {
            "labels": list(self.labels),
            "unknown": self.sample.missing,
            "thresholds": self.thresholds,
            "per_label": table.rows(),
        }


class Cards(Mapping[str, "ThresholdCard"]):
    """Threshold cards by label, each made when it is first asked for."""

    def __init__(self, evaluation: LabelEvaluation) -> None:
        self._evaluation = evaluation

    def __getitem__(self, label: str) -> ThresholdCard:
        return self._evaluation.of_label(label, metrics=["auroc"]).default_card

    def __iter__(self) -> Iterator[str]:
        return iter(self._evaluation.labels)

    def __len__(self) -> int:
        return len(self._evaluation.labels)

    def __repr__(self) -> str:
        return f"Threshold cards of {', '.join(self)}"


@dataclass(frozen=True, repr=False, eq=False)
class LabelTable(TabularResult, Mapping[str, Mapping[str, Estimate]]):
    """Labels by metrics, the worst label first; `table["mass"]["auroc"]` is an `Estimate`."""

    estimates: Mapping[str, Mapping[str, Estimate]]
    support: Mapping[str, tuple[float, float]]
    order: tuple[str, ...]

    def __getitem__(self, label: str) -> Mapping[str, Estimate]:
        return self.estimates[check_text(label, "label")]

    def __iter__(self) -> Iterator[str]:
        return iter(self.order)

    def __len__(self) -> int:
        return len(self.order)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row of plain values for each label and metric."""
        return [
            {"label": label, "positives": self.support[label][0], "cases": self.support[label][1], "metric": name}
            | with_numbers(each)
            for label in self.order
            for name, each in self.estimates[label].items()
        ]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"labels": self.rows()}

    def lines(self) -> list[list[str]]:
        """Return the cells of each label's row as text."""
        return [
            [label, f"{self.support[label][0]:g} of {self.support[label][1]:g}"]
            + [f"{number_text(each.value)} {each.interval_text}".rstrip() for each in self.estimates[label].values()]
            for label in self.order
        ]

    @property
    def heads(self) -> list[str]:
        """The heads of those columns."""
        first = next(iter(self.estimates.values()), {})
        return ["label", "positives", *(each.label.split(" (")[0] for each in first.values())]

    def __str__(self) -> str:
        table = [self.heads, *self.lines()]
        widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
        padded = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table)
        return "\n".join(line.rstrip() for line in padded)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [[_html_repr.text(cell, 40) for cell in line] for line in self.lines()]
        return _html_repr.card("Labels, the worst first", _html_repr.table(self.heads, rows, numbers=[1]))


def _order(
    values: Mapping[str, Mapping[str, Estimate]],
    support: Mapping[str, tuple[float, float]],
    metrics: tuple[Metric, ...],
    sort: str | None,
) -> tuple[str, ...]:
    """Order the labels worst first by a metric, those without a value last; or by support, or by name."""
    if sort == "name":
        return tuple(sorted(values))
    if sort == "support":
        return tuple(sorted(values, key=lambda label: (-support[label][0], label)))
    known = {metric.name: metric for metric in metrics}
    name = metrics[0].name if sort is None else find_metrics([sort])[0].name
    if name not in known:
        raise ArgumentError(f"`sort` must be one of {', '.join([*known, 'support', 'name'])}; got {sort!r}.")
    sign = -1.0 if known[name].better == "lower" else 1.0

    def key(label: str) -> tuple[bool, float, str]:
        value = values[label][name].value
        return math.isnan(value), 0.0 if math.isnan(value) else sign * value, label

    return tuple(sorted(values, key=key))
