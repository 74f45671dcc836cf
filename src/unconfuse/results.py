"""What the functions return: frozen objects that carry their value, their uncertainty and how both were made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

from unconfuse import _cards
from unconfuse._errors import ArgumentError, UnknownNameError, nearest
from unconfuse._skipped import NOTHING_SKIPPED, Skipped
from unconfuse.table import Counts, ScoreTable

# What every surface shows first, in this order, as far as a result holds it.
HEADLINES = ("auroc", "average_precision", "sensitivity", "specificity", "precision", "mcc",
             "npv", "f1", "youden_j", "accuracy")
N_HEADLINES = 6


def number_text(value: float, digits: int = 3) -> str:
    """A number for reading: fixed digits in the usual range, short forms outside it.

    >>> number_text(0.6778846), number_text(21.0), number_text(float("nan")), number_text(0.00012)
    ('0.678', '21.0', 'undefined', '0.00012')
    """
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    size = abs(value)
    if size < 1e-12:  # a rounding error, not a result
        return f"{0:.{digits}f}"
    if size >= 10**digits:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.{max(digits - 2, 1)}f}"
    return f"{value:.{digits}f}" if size >= 10 ** -(digits - 1) / 2 else f"{value:.2g}"


def _outward(value: float, rounding: Callable[[float], float], digits: int = 6) -> str:
    """An end of a bound, rounded away from the value: what is printed still holds.

    >>> _outward(0.12345678, math.floor), _outward(0.12345678, math.ceil), _outward(math.inf, math.ceil)
    ('0.123456', '0.123457', 'inf')
    """
    if not math.isfinite(value):
        return number_text(value)
    return f"{rounding(value * 10**digits) / 10**digits:.{digits}f}"


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, and how both were made.

    Attributes
    ----------
    name, label : str
        Of the metric.
    value, low, high : float
        The value and its interval; NaN where undefined.
    confidence_level : float
    method : str
        How the interval was made, for example "mid-p".
    undefined : str or None
        Why there is no value, or None.
    better : str
        "higher", "lower" or "neither".
    baseline : float
        The value of a useless classifier with the same prevalence and queue rate.
    context : str
        Threshold, sample size and design in words.
    bound : (float, float) or None
        Of a binned table: the exact value certainly lies between these two. None if the value is exact.

    Examples
    --------
    >>> import unconfuse as uc
    >>> recall = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31)["sensitivity"]
    >>> print(f"{recall.value:.3f} from {recall.low:.3f} to {recall.high:.3f}, by {recall.method}")
    0.678 from 0.612 to 0.739, by mid-p
    """

    name: str
    label: str
    value: float
    low: float
    high: float
    confidence_level: float = 0.95
    method: str = ""
    undefined: str | None = None
    better: str = "higher"
    baseline: float = math.nan
    context: str = ""
    ask: Callable[..., Estimate] | None = field(default=None, repr=False, compare=False)
    bound: tuple[float, float] | None = None

    def interval(self, *, confidence_level: float | None = None, method: str | None = None) -> Estimate:
        """Ask again with another confidence level or another method.

        Examples
        --------
        >>> import unconfuse as uc
        >>> recall = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31)["sensitivity"]
        >>> print(recall.interval(confidence_level=.9, method="clopper_pearson"))
        sensitivity 0.678 [0.621, 0.731] 90% Clopper-Pearson, 208 positives of 239
        """
        if self.ask is None:
            raise ArgumentError(f"{self.name} cannot be asked again: it does not carry its data.")
        return self.ask(confidence_level=self.confidence_level if confidence_level is None else confidence_level,
                        method=method)

    @property
    def interval_text(self) -> str:
        """The interval for reading, or nothing if there is none."""
        if math.isnan(self.low) and math.isnan(self.high):
            return ""
        return f"[{number_text(self.low)}, {number_text(self.high)}]"

    def bound_text(self, digits: int = 6) -> str:
        """Between which numbers the exact value certainly lies, for reading; nothing if the value is exact."""
        if self.bound is None or math.isnan(self.bound[0]) or self.bound[0] == self.bound[1]:
            return ""
        return f"{_outward(self.bound[0], math.floor, digits)} to {_outward(self.bound[1], math.ceil, digits)}"

    def as_dict(self) -> dict[str, Any]:
        """Plain values; NaN and infinity stay floats (see `unconfuse.results.plain_json`)."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "method": self.method,
            "confidence_level": self.confidence_level,
            "baseline": self.baseline,
            "undefined": self.undefined,
            **({} if self.bound is None else {"bound_low": self.bound[0], "bound_high": self.bound[1]}),
        }

    def __str__(self) -> str:
        if self.undefined:
            return f"{self.name} undefined: {self.undefined}"
        parts = [f"{self.name} {number_text(self.value)}"]
        if self.interval_text:
            parts.append(f"{self.interval_text} {self.confidence_level * 100:.4g}%")
        parts.append(self.method)
        text = " ".join(part for part in parts if part) + (f", {self.context}" if self.context else "")
        return f"{text}, exact value certainly {self.bound_text()}" if self.bound_text() else text

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return _cards.card(self.name, self.row_html(), notes=[self.undefined or "", self.context])

    def row_html(self) -> str:
        """Value, interval and a bar from the lowest to the highest of its numbers, chance included; for notebooks."""
        ends = [each for each in (self.value, self.low, self.high, self.baseline) if math.isfinite(each)]
        span = (min(ends), max(ends)) if ends else None
        level = f"{self.confidence_level * 100:.4g}% {self.method}" if self.interval_text else self.method
        numbers = [_cards.text(self.label), number_text(self.value), self.interval_text, _cards.text(level, 36)]
        shown = _cards.bar(self.value, self.low, self.high, span, self.baseline)
        ticks = [f"{number_text(span[0])} to {number_text(span[1])}"] if span and shown else [""]
        return _cards.table([], [[*numbers, shown, f'<span class="uc-q">{ticks[0]}</span>']], numbers=[1])


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


class Drawable:
    """A result that can be shown as an interactive page: in a file, in a notebook, or as the data behind it."""

    def report(self, path: str | PathLike[str], *, title: str = "", prevalence: float | None = None) -> Any:
        """Write one self-contained HTML file that opens offline, with live threshold and prevalence sliders.

        Parameters
        ----------
        path : str or path
        title : str
            Of the page; the model's name by default.
        prevalence : float, optional
            Where the prevalence slider stands at first; that of the data by default.
        """
        from unconfuse.report import Page, write_report

        return write_report(self, path, Page(title=title, prevalence=prevalence))

    def explore(self, *, height: int = 760) -> Any:
        """The same page inside a notebook; it stays alive in the notebook's HTML export."""
        from unconfuse.report import explore

        return explore(self, height=height)

    def payload(self) -> dict[str, Any]:
        """Everything that the page shows, as plain values for strict JSON; `unconfuse render` draws it."""
        from unconfuse.report import payload_of

        return payload_of(self)


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
        return (f"Evaluation{of}: {len(self)} metrics, {self.positives:g} positives of {self.n:g}{at}, "
                f"{self.design} design")

    def _repr_html_(self) -> str:
        first = self.findings[0] if self.findings else None
        at = "" if self.threshold is None else f"threshold {number_text(self.threshold)}, "
        about = f"{self.positives:,.7g} positives of {self.n:,.7g} cases, {at}{self.design} design"
        rows = [[_cards.text(each.label.split(" (")[0], 28), number_text(each.value), each.interval_text,
                 _cards.bar(each.value, each.low, each.high, self.span(each.name), each.baseline), each.bound_text(4)]
                for each in self.headline]  # fmt: skip
        heads = ["", "", "", "", "exact value certainly"] if any(row[4] for row in rows) else []
        cells = [f"{float(cell):,.7g}" for cell in self.counts.as_dict().values()]
        return _cards.card(
            self.name or "Evaluation",
            _cards.side_by_side(_cards.table(heads, rows, numbers=[1]), self._small_roc(), _cards.matrix(cells)),
            _cards.quiet(f"Bars: {self.confidence_level * 100:.4g}% intervals; tick: a useless classifier. "
                         f"{len(self)} metrics in .to_frame()."),
            verdict=first.sentence if first else "",
            notes=[about, *(each.sentence for each in self.findings[1:2])],
            tone=_cards.TONES.get(first.verdict if first else "", ""),
        )  # fmt: skip

    def _small_roc(self) -> str:
        if self.table is None or not (self.positives > 0 and self.negatives > 0):
            return ""
        curve = self.curve("roc").thinned(80)
        point = float(self.counts.fp) / self.negatives, float(self.counts.tp) / self.positives
        return _cards.roc(curve["fpr"].tolist(), curve["tpr"].tolist(), None if self.threshold is None else point)


def plain_json(value: Any) -> Any:
    """Values that strict JSON can hold: NaN becomes null, infinities become the texts "inf" and "-inf".

    >>> plain_json({"a": float("nan"), "b": [float("inf"), 1.0]})
    {'a': None, 'b': ['inf', 1.0]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(each) for each in value]
    if hasattr(value, "tolist"):
        return plain_json(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def frame_of(rows: list[dict[str, Any]]) -> Any:
    """Rows as a frame of the first data-frame library that is installed."""
    columns = {key: [row[key] for row in rows] for key in rows[0]} if rows else {}
    for library, make in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")):
        try:
            module = __import__(library)
        except ImportError:
            continue
        return getattr(module, make)(columns)
    raise ArgumentError("`to_frame` needs pandas, polars or pyarrow. Hint: pip install pandas, or use `rows()`.")
