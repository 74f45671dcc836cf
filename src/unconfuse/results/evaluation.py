"""Every metric of one classifier, and what they mean in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from unconfuse import _cards
from unconfuse._errors import ArgumentError, UnknownNameError, nearest
from unconfuse._validate import NOTHING_SKIPPED, Skipped
from unconfuse.results.drawable import Drawable
from unconfuse.results.estimate import Estimate
from unconfuse.results.plain import frame_of, number_text
from unconfuse.table import Counts, ScoreTable

# What every surface shows first, in this order, as far as a result holds it.
HEADLINES = (
    "auroc",
    "average_precision",
    "sensitivity",
    "specificity",
    "precision",
    "mcc",
    "npv",
    "f1",
    "youden_j",
    "accuracy",
)
N_HEADLINES = 6


@dataclass(frozen=True)
class Finding:
    """A statement in plain words, with the rule it comes from and the numbers it rests on."""

    rule: str
    verdict: str
    sentence: str
    numbers: Mapping[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"rule": self.rule, "verdict": self.verdict, "sentence": self.sentence, "numbers": dict(self.numbers)}

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, repr=False)
class Evaluation(Drawable, Mapping[str, Estimate]):
    """Every metric of one classifier, by name, with what the numbers rest on.

    Attributes
    ----------
    estimates : mapping of name to Estimate
    counts : Counts
        The 2x2 table at the threshold.
    threshold : float or None
    table : ScoreTable or None
        None when only counts were given.
    design, confidence_level, seed
        How intervals were made.
    findings : tuple of Finding
        Plain-words verdicts, the most important first.
    metrics : tuple of Metric
        The declarations behind the estimates.
    name, source : str
        What the classifier is called, and where its data came from.
    skipped : Skipped
        Rows that were left out because they could not be used, by reason.

    Examples
    --------
    >>> import unconfuse as uc
    >>> uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31, metrics=["npv", "f1"])
    Evaluation: 2 metrics, 208 positives of 239, cohort design
    """

    estimates: Mapping[str, Estimate]
    counts: Counts
    threshold: float | None = None
    table: ScoreTable | None = None
    design: str = "cohort"
    confidence_level: float = 0.95
    n_resamples: int | None = None
    seed: int | None = None
    findings: tuple[Finding, ...] = ()
    metrics: tuple[Any, ...] = ()
    name: str = ""
    source: str = ""
    skipped: Skipped = NOTHING_SKIPPED

    def __getitem__(self, name: str) -> Estimate:
        try:
            return self.estimates[name]
        except KeyError:
            raise UnknownNameError(f"no metric {name!r} in this result. {nearest(name, self.estimates)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    @property
    def n(self) -> float:
        """Number of cases (sum of weights)."""
        return float(self.counts.total)

    @property
    def positives(self) -> float:
        """Number of positives (sum of weights)."""
        return float(self.counts.positives)

    @property
    def negatives(self) -> float:
        """Number of negatives (sum of weights)."""
        return float(self.counts.negatives)

    @property
    def headline(self) -> tuple[Estimate, ...]:
        """The few numbers to see first: six usual ones as far as they are here, or the first of the user's own.

        Examples
        --------
        >>> import unconfuse as uc
        >>> [each.name for each in uc.evaluate_counts(tp=8, fp=2, fn=2, tn=88).headline]
        ['sensitivity', 'specificity', 'precision', 'mcc', 'npv', 'f1']
        """
        usual = [self.estimates[name] for name in HEADLINES if name in self.estimates]
        others = [each for name, each in self.estimates.items() if name not in HEADLINES]
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
        ends = next((each.range for each in self.metrics if each.name == name), (math.nan, math.nan))
        return (float(ends[0]), float(ends[1])) if all(map(math.isfinite, ends)) else None

    def replaced(self, **changes: Any) -> Evaluation:
        """A copy with some fields changed."""
        return replace(self, **changes)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "estimates": dict(self.estimates)}  # a read-only view cannot be pickled

    # A result answers later questions by opening rooms above its own, inside the method that needs them;
    # `.importlinter` lists these doors.
    def curve(self, name: str) -> Any:
        """A curve of these scores as columns: "roc", "precision_recall", "gain", ... (see `unconfuse.curves`).

        Examples
        --------
        >>> import unconfuse as uc
        >>> uc.evaluate([1, 0, 1, 0], [.9, .4, .4, .1], metrics=["auroc"]).curve("roc")["tpr"]
        array([0. , 0.5, 1. , 1. ])
        """
        from unconfuse.curves import curve

        return curve(name, self._scores("a curve"))

    def explain(self, name: str) -> Any:
        """Where tools disagree on a metric: every definition, its value here, and who computes it."""
        from unconfuse.metrics.ledger import explain

        return explain(name, self._scores("an explanation"))

    def plot(self, path: str | None = None) -> Any:
        """One matplotlib figure of six: scores, ROC, precision-recall, trends and more; saved if a path is given."""
        from unconfuse.plots import overview, save

        self._scores("a picture")
        figure = overview(self, title=self.name)
        return figure if path is None else save(figure, path)

    def _scores(self, what: str) -> ScoreTable:
        if self.table is None:
            raise ArgumentError(f"{what} needs the scores, not only four counts. Hint: use `evaluate`.")
        return self.table

    def as_dict(self) -> dict[str, Any]:
        """The whole result as plain values; `plain_json` makes it strict JSON."""
        return {
            "metrics": {name: estimate.as_dict() for name, estimate in self.estimates.items()},
            "n": self.n,
            "positives": self.positives,
            "threshold": self.threshold,
            "counts": self.counts.as_dict(),
            "design": self.design,
            "confidence_level": self.confidence_level,
            "n_resamples": self.n_resamples,
            "seed": self.seed,
            "findings": [finding.as_dict() for finding in self.findings],
            "skipped": self.skipped.as_dict(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each metric: what every table shows."""
        return [{"metric": name, "label": each.label, **each.as_dict()} for name, each in self.estimates.items()]

    def to_frame(self) -> Any:
        """A data frame with one row per metric (pandas if installed, else polars, else pyarrow)."""
        return frame_of(self.rows())

    def __repr__(self) -> str:
        at = "" if self.threshold is None else f", threshold {number_text(self.threshold)}"
        of = f" of {self.name}" if self.name else ""
        return (
            f"Evaluation{of}: {len(self)} metrics, {self.positives:g} positives of {self.n:g}{at}, {self.design} design"
        )

    def _repr_html_(self) -> str:
        first = self.findings[0] if self.findings else None
        at = "" if self.threshold is None else f"threshold {number_text(self.threshold)}, "
        about = f"{self.positives:,.7g} positives of {self.n:,.7g} cases, {at}{self.design} design"
        rows = [
            [
                _cards.text(each.label.split(" (")[0], 28),
                number_text(each.value),
                each.interval_text,
                _cards.bar(each.value, each.low, each.high, self.span(each.name), each.baseline),
                each.bound_text(4),
            ]
            for each in self.headline
        ]
        heads = ["", "", "", "", "exact value certainly"] if any(row[4] for row in rows) else []
        cells = [f"{float(cell):,.7g}" for cell in self.counts.as_dict().values()]
        return _cards.card(
            self.name or "Evaluation",
            _cards.side_by_side(_cards.table(heads, rows, numbers=[1]), self._small_roc(), _cards.matrix(cells)),
            _cards.quiet(
                f"Bars: {self.confidence_level * 100:.4g}% intervals; tick: a useless classifier. "
                f"{len(self)} metrics in .to_frame()."
            ),
            verdict=first.sentence if first else "",
            notes=[about, *(each.sentence for each in self.findings[1:2])],
            tone=_cards.TONES.get(first.verdict if first else "", ""),
        )

    def _small_roc(self) -> str:
        if self.table is None or not (self.positives > 0 and self.negatives > 0):
            return ""
        curve = self.curve("roc").thinned(80)
        point = float(self.counts.fp) / self.negatives, float(self.counts.tp) / self.positives
        return _cards.roc(curve["fpr"].tolist(), curve["tpr"].tolist(), None if self.threshold is None else point)
