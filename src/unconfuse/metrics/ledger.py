"""The definition ledger: where tools give different numbers under one name, every number on these data, and why."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from unconfuse import _cards
from unconfuse._errors import ArgumentError, nearest
from unconfuse._plain import frame_of, number_text
from unconfuse.metrics import canonical, find_metric
from unconfuse.metrics._blocks import Blocks, totals
from unconfuse.metrics._definition import ratio
from unconfuse.metrics.areas_under_pr import auprc_trapezoid
from unconfuse.metrics.calibration import recalibration
from unconfuse.metrics.probability import brier, log_loss
from unconfuse.metrics.ranking import auroc
from unconfuse.table import Array, ScoreTable

Value = Callable[[ScoreTable], Any]
Row = tuple[str, Value, str, str]
_CLIP = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Entry:
    """One definition: its name, its value on the data, who computes it, and how it differs."""

    definition: str
    value: float
    tools: str
    why: str


@dataclass(frozen=True)
class Ledger:
    """All definitions that go by one name, ours first, with their values on one data set."""

    name: str
    title: str
    entries: tuple[Entry, ...]
    advice: str

    @property
    def spread(self) -> float:
        """How far apart the values are."""
        values = [each.value for each in self.entries if math.isfinite(each.value)]
        return max(values) - min(values) if values else math.nan

    @property
    def sentence(self) -> str:
        """The reconciliation in one line."""
        parts = (f"{each.definition} {number_text(each.value)} ({each.tools})" for each in self.entries)
        return f"{self.title}: " + "; ".join(parts) + f". {self.advice}"

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each definition."""
        return [asdict(each) for each in self.entries]

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"name": self.name, "title": self.title, "advice": self.advice, "entries": self.rows()}

    def to_frame(self) -> Any:
        """A data frame with one row per definition."""
        return frame_of(self.rows())

    def __str__(self) -> str:
        wide = max(len(each.definition) for each in self.entries)
        lines = [
            f"  {each.definition:<{wide}}  {number_text(each.value):>9}  {each.tools}\n"
            f"  {'':<{wide}}  {'':>9}  {each.why}"
            for each in self.entries
        ]
        return "\n".join([self.title, *lines, self.advice])

    def __repr__(self) -> str:
        return f"Ledger({self.name}: {len(self.entries)} definitions, values {number_text(self.spread)} apart)"

    def _repr_html_(self) -> str:
        texts = _cards.text
        rows = [[texts(each.definition), number_text(each.value), texts(each.tools, 80)] for each in self.entries]
        reasons = "".join(_cards.quiet(f"{each.definition}: {each.why}") for each in self.entries)
        heads = ["definition", "value", "who computes it"]
        return _cards.card(self.title, _cards.table(heads, rows, numbers=[1]), reasons, verdict=self.advice)


@dataclass(frozen=True)
class Family:
    """Definitions that share a name."""

    title: str
    rows: tuple[Row, ...]
    advice: str


def _tied_pairs(table: ScoreTable) -> Array:
    """Share of the pairs (positive, negative) that are tied."""
    positives, negatives = totals(table)
    return ratio((table.positives * table.negatives).sum(axis=-1), positives * negatives)


def _trapezoid_from_first_point(table: ScoreTable) -> Array:
    """The trapezoid without the stretch from recall 0 to the first point."""
    blocks = Blocks.of(table)
    first = (blocks.tp == 0) & (blocks.fp == 0)
    own, beside = blocks.positives[first], blocks.negatives[first]
    left_out = (own * (1 + own / (own + beside)) / 2).sum()
    return np.asarray(auprc_trapezoid(table) - ratio(left_out, blocks.n_positives))


def _clipped_log_loss(table: ScoreTable) -> Array:
    """Log loss with the scores kept away from 0 and 1."""
    return log_loss(ScoreTable(np.clip(table.score, _CLIP, 1 - _CLIP), table.positives, table.negatives))


# Definitions that only other tools use; the rest are metrics of ours.
_OF_OTHERS: dict[str, Value] = {
    "strict_auroc": lambda table: auroc(table) - _tied_pairs(table) / 2,
    "generous_auroc": lambda table: auroc(table) + _tied_pairs(table) / 2,
    "turned_auroc": lambda table: max(auroc(table), 1 - auroc(table)),
    "trapezoid_from_first_point": _trapezoid_from_first_point,
    "clipped_log_loss": _clipped_log_loss,
    "fitted_intercept": lambda table: recalibration(table)[0],
    "twice_brier": lambda table: 2 * brier(table),
}

# Each paragraph: the names that lead here, title, advice; then, for each definition, its name and value, who computes
# it, and how it differs.
_TEXT = """\
auprc average_precision auprc_davis_goadrich auprc_integral auprc_trapezoid
Area under the precision-recall curve
Name the form whenever you print an AUPRC, and compare values of one form only.
step (average precision) = average_precision
scikit-learn average_precision_score, torchmetrics, yardstick average_precision
Each positive counts the precision at its own score; nothing is drawn between points.
Davis-Goadrich = auprc_davis_goadrich
PRROC auc.davis.goadrich, precrec
Within a block of ties the precision is interpolated at every whole true positive.
continuous integral = auprc_integral
PRROC auc.integral
The same interpolation, made infinitely fine.
trapezoid from (0, 1) = auprc_trapezoid
yardstick pr_auc, Spark areaUnderPR, MLstatkit pr_auc, scikit-learn auc(recall, precision)
Straight lines between the points, which no threshold can reach; with ties too high.
trapezoid from the first point = trapezoid_from_first_point
PyCM PRCurve.area
The stretch from recall 0 to the first point is left out, so even a perfect ranking falls short of 1.

auroc
Area under the ROC curve
PyCM's AUC of a 2x2 matrix is another thing: (TPR + TNR)/2, the balanced accuracy.
ties count half = auroc
scikit-learn, pROC, PRROC, Spark, torchmetrics, yardstick
The chance that a positive outranks a negative, and the area under straight lines between the points.
ties count nothing = strict_auroc
hand-written pair counts with >
Constant scores get 0 instead of 1/2.
ties count fully = generous_auroc
hand-written pair counts with >=; sorting with positives first
Constant scores get 1 instead of 1/2.
turned round if below 1/2 = turned_auroc
hmeasure; pROC's direction = 'auto' does it by the medians
Hides scores that rank negatives first, and flatters useless ones.

partial_auroc
Partial area under the ROC curve up to a false positive rate of 0.1
Print the form and the limit beside the number.
McClish = partial_auroc(0.1)
scikit-learn roc_auc_score(max_fpr=), pROC partial.auc.correct = TRUE
Rescaled so that chance is 1/2 and perfect 1.
share of the box = partial_auroc(0.1, form='box')
precrec's standardised pAUC
Mean sensitivity up to the limit; chance is half of the limit.
raw area = partial_auroc(0.1, form='raw')
pROC's default, precrec's pAUC
At most the limit itself.

h_measure
H-measure
An H-measure means nothing without its prior.
Beta(1+π1, 1+π0) = h_measure('hand2014')
recommended by Hand & Anagnostopoulos (2014); hmeasure only through an undocumented negative severity ratio
The likeliest costs make all false positives together as bad as all false negatives, with a wide spread.
Beta(2, 1+π0/π1) = h_measure('severity_ratio')
the default of the R package hmeasure
The same likeliest ratio, but far more certain of it when positives are rare.
Beta(2, 2) = h_measure('beta22')
Hand (2009); hmeasure with severity.ratio = 1
One false positive is likeliest as bad as one false negative, whatever the prevalence.

ece
Expected calibration error
It depends on the bins and is biased upwards in small samples; look at the reliability curve.
15 bins of equal width = ece(15)
torchmetrics BinaryCalibrationError by default, Guo et al. (2017)
Most cases may sit in one or two bins.
10 bins of equal width = ece(10)
many papers
Fewer bins hide more.
15 bins of equal mass = ece(15, binning='equal_mass')
adaptive ECE (Nixon et al. 2019)
Every bin is measured about equally well.
10 bins of equal mass = ece(10, binning='equal_mass')
the same with deciles, as Hosmer and Lemeshow's
Fewer bins hide more.

ks
Kolmogorov-Smirnov statistic
They differ only where the scores rank negatives first.
two-sided = ks
scipy.stats.ks_2samp
Scores that rank negatives first are praised for it.
one-sided = max_youden
max of TPR - FPR; credit scoring
Scores that rank negatives first get about 0.

log_loss
Log loss
They differ only where scores are exactly 0 or 1.
exact = log_loss
unconfuse
Infinite when a case happened that was stated to be impossible.
clipped = clipped_log_loss
scikit-learn log_loss
Scores of 0 and 1 are moved inside by 2.2e-16: at most 36 nats a case instead of infinity.

calibration_intercept
Calibration intercept
Both are 0 for calibrated probabilities.
slope held at 1 = calibration_intercept
Van Calster et al. (2019), CalibrationCurves: in the large
Are the probabilities too high or too low overall?
fitted with the slope = fitted_intercept
rms val.prob; a logistic regression of the labels on the log-odds
Has a meaning only together with the slope.

brier
Brier score
The one is half of the other.
one class = brier
scikit-learn brier_score_loss
Mean squared error of P(positive).
sum over both classes = twice_brier
Brier (1950); scikit-learn with scale_by_half=False
The same error counted once for each class.
"""


def _families(text: str) -> Iterator[tuple[str, Family]]:
    """Every family under each of its names."""
    for paragraph in text.split("\n\n"):
        names, title, advice, *lines = paragraph.splitlines()
        family = Family(title, tuple(_row(*lines[at : at + 3]) for at in range(0, len(lines), 3)), advice)
        yield from ((name, family) for name in names.split())


def _row(definition: str, tools: str, why: str) -> Row:
    name, _, value = definition.rpartition(" = ")
    return name, _OF_OTHERS.get(value) or find_metric(value), tools, why


FAMILIES: Mapping[str, Family] = MappingProxyType(dict(_families(_TEXT)))


def explain(name: str, table: ScoreTable) -> Ledger:
    """Every definition that goes by a metric's name, with its value on these data.

    Examples
    --------
    >>> import numpy as np
    >>> ledger = explain("auprc", ScoreTable(np.array([5., 0]), np.array([1., 2]), np.array([0., 7])))
    >>> [round(each.value, 3) for each in ledger.entries]
    [0.533, 0.671, 0.614, 0.767, 0.433]
    >>> ledger
    Ledger(auprc: 5 definitions, values 0.333 apart)
    """
    name = name if name in FAMILIES else canonical(name)
    if name not in FAMILIES:
        raise ArgumentError(f"tools do not disagree on {name!r}, as far as we know. {nearest(name, FAMILIES)}")
    family, exact = FAMILIES[name], table.exact("`explain`")
    entries = tuple(Entry(definition, float(value(exact)), tools, why) for definition, value, tools, why in family.rows)
    return Ledger(name, family.title, entries, family.advice)
