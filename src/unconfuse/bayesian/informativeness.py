"""Is a classifier better than guessing? The diagnostic odds ratio above 1, what that is the same as, how sure it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unconfuse import _html_repr
from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text, short_repr, strict_json
from unconfuse._render_mixins import PlotMixin
from unconfuse._validate import check_count, public_api
from unconfuse.bayesian._inputs import HasCounts, level_of, one_table
from unconfuse.bayesian._verdict_text import guessing_sentence
from unconfuse.metrics import METRICS
from unconfuse.policy import Verdict, against_guessing
from unconfuse.table import Counts
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.table_estimates import estimate_counts

# Each is the same as TP x TN > FP x FN, and so the same as a diagnostic odds ratio above 1.
_SAME = (
    ("diagnostic_odds_ratio", ">", "1"),
    ("sensitivity", ">", "false_positive_rate"),
    ("false_negative_rate", "<", "specificity"),
    ("sensitivity", ">", "queue_rate"),
    ("specificity", ">", "negative_queue_rate"),
    ("false_positive_rate", "<", "queue_rate"),
    ("false_negative_rate", "<", "negative_queue_rate"),
    ("precision", ">", "prevalence"),
    ("npv", ">", "negative_prevalence"),
    ("false_discovery_rate", "<", "negative_prevalence"),
    ("false_omission_rate", "<", "prevalence"),
    ("accuracy", ">", "accuracy_bound"),
)


@dataclass(frozen=True)
class Inequality:
    """One of the inequalities that all say "better than guessing", with its two sides and whether it holds.

    `holds` is None where a side is 0/0, so that this one cannot decide.
    """

    left_name: str
    sign: str
    right_name: str
    left: float
    right: float
    holds: bool | None

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        words = f"{self.left_name} {self.sign} {self.right_name}"
        return {"condition": words, "left": self.left, "right": self.right, "holds": self.holds}

    def __str__(self) -> str:
        left, right = (name.replace("_", " ") for name in (self.left_name, self.right_name))
        right_value = "" if self.right_name == "1" else f" {number_text(self.right)}"
        answer = {True: "yes", False: "no", None: "cannot be decided: 0/0"}[self.holds]
        return f"{left} {number_text(self.left)} {self.sign} {right}{right_value}: {answer}"


@public_api
@dataclass(frozen=True, repr=False)
class Informativeness(PlotMixin):
    """Whether a classifier's labels carry information, as far as the data can tell.

    Attributes
    ----------
    verdict : Verdict
        "better than guessing", "hardly better than guessing" (detectable, but too small to matter much), "no better
        than guessing", "hardly worse than guessing", "worse than guessing" or "cannot tell".
    sentence : str
        The verdict in plain words with its numbers.
    is_better : bool
        Whether the diagnostic odds ratio of these counts is above 1, whatever their uncertainty; infinite counts.
    youden_j, diagnostic_odds_ratio : Estimate
    accuracy_bound : float
        The accuracy of guessing with the same prevalence and queue rate.
    conditions : tuple of Condition
        The inequalities that are the same as "better than guessing", each with its numbers.
    """

    picture = "plot_estimates"

    verdict: Verdict
    sentence: str
    is_better: bool
    youden_j: Estimate
    diagnostic_odds_ratio: Estimate
    accuracy: float
    accuracy_bound: float
    conditions: tuple[Inequality, ...]

    @property
    def drawn_estimates(self) -> dict[str, Estimate]:
        """Youden's J, as the picture shows it."""
        return {self.youden_j.label: self.youden_j}

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        plain = vars(self) | {name: getattr(self, name).as_dict() for name in ("youden_j", "diagnostic_odds_ratio")}
        return plain | {"conditions": [condition.as_dict() for condition in self.conditions]}

    def __repr__(self) -> str:
        return f"Usefulness: {self.verdict}, {self.youden_j}"

    def _repr_html_(self) -> str:
        parts = [self.youden_j.row_html(), self.diagnostic_odds_ratio.row_html()]
        parts += [_html_repr.quiet(str(condition)) for condition in self.conditions]
        tone = _html_repr.edge_of(self.verdict)
        return _html_repr.card("Is it better than guessing?", *parts, verdict=self.sentence, tone=tone)


@public_api
def usefulness(
    source: HasCounts | Counts | None = None,
    *,
    tp: float | None = None,
    fp: float | None = None,
    fn: float | None = None,
    tn: float | None = None,
    confidence_level: float | None = None,
) -> Informativeness:
    r"""Whether the labels of a classifier carry any information about the truth.

    A classifier is better than guessing if its diagnostic odds ratio is above 1, worse if below, no better at 1.
    Whether it is useful is another question: that depends on what errors cost, and on the prevalence. All conditions in
    the result are the same inequality, :math:`TP \cdot TN > FP \cdot FN`, read in different ways: the sensitivity beats
    the false positive rate, the precision beats the prevalence, and so on. The accuracy bound
    :math:`p_1\pi_1 + p_0\pi_0` belongs to them: accuracy minus bound is :math:`2(TP \cdot TN - FP \cdot FN)/n^2`.

    Parameters
    ----------
    source : Evaluation or Counts, optional
        One 2x2 table, or what `evaluate` made of it.
    tp, fp, fn, tn : float, optional
        All four counts instead.
    confidence_level : float, optional
        That of the evaluation by default, else 0.95. The verdict is "better than guessing" or "worse than guessing"
        only if the interval of Youden's J at this level lies on one side of 0; "hardly" is added if it lies within 0.05
        of 0 and the interval of the odds ratio between 2/3 and 3/2. It is "no better than guessing" if these intervals
        are as narrow and hold 0 and 1, or if every case gets the same label; else, and with fewer than 5 cases of a
        class, "cannot tell".

    Examples
    --------
    >>> import unconfuse as uc
    >>> result = uc.usefulness(uc.Counts(tp=30, fp=20, fn=10, tn=140))
    >>> result.verdict, round(result.accuracy_bound, 3)
    ('better than guessing', 0.65)
    >>> print(result.conditions[7])
    precision 0.600 > prevalence 0.200: yes
    >>> uc.usefulness(tp=2, fp=1, fn=2, tn=3).verdict
    'cannot tell'
    >>> uc.usefulness(tp=50500, fp=50000, fn=49500, tn=50000).verdict
    'hardly better than guessing'
    """
    cells = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    counts = one_table(_counted(cells) if source is None else source)
    if source is not None and any(count is not None for count in cells.values()):
        raise ArgumentError("give a result or four counts, not both.")
    level, values = level_of(source, confidence_level), _values(counts)
    j, ratio = (_estimated(name, source, counts, level) for name in ("youden_j", "diagnostic_odds_ratio"))

    excess = float(counts.tp * counts.tn - counts.fp * counts.fn)
    conditions = tuple(_condition(*words, values, excess) for words in _SAME)
    labelled = float(counts.labelled_positive), float(counts.labelled_negative)
    limits = (j.low, j.high), (ratio.low, ratio.high)
    verdict = against_guessing(*limits, labelled=labelled, sizes=_sizes(source, counts))
    sentence = guessing_sentence(verdict, counts, j)
    return Informativeness(
        verdict, sentence, excess > 0, j, ratio, values["accuracy"], values["accuracy_bound"], conditions
    )


def _one(count: Any, name: str) -> float:
    found = check_count(count, name)
    if found.ndim:
        raise ArgumentError(f"`{name}` must be one count; got {short_repr(count)}.")
    return float(found)


def _counted(cells: Mapping[str, float | None]) -> Counts:
    given = {name: _one(count, name) for name, count in cells.items() if count is not None}
    if len(given) < len(cells):
        missing = ", ".join(name for name in cells if name not in given)
        raise ArgumentError(f"`usefulness` needs a result or all four counts; missing: {missing}.")
    return Counts(**given)


def _estimated(name: str, source: Any, counts: Counts, level: float) -> Estimate:
    """From the counts; as the evaluation has it where counts do not know how cases were drawn."""
    if not isinstance(source, HasCounts) or source.sample.sampling.independent:
        return estimate_counts(METRICS[name], counts, confidence_level=level)
    return source[name] if level == source.confidence_level else source[name].interval(confidence_level=level)


def _values(counts: Counts) -> dict[str, float]:
    names = {name for left, _, right in _SAME for name in (left, right) if name in METRICS}
    values = {name: float(METRICS[name](counts)) for name in (*names, "youden_j")}
    values |= {"1": 1.0, "negative_prevalence": 1 - values["prevalence"]}
    values["accuracy_bound"] = (
        values["queue_rate"] * values["prevalence"] + values["negative_queue_rate"] * values["negative_prevalence"]
    )
    return values


def _condition(left: str, sign: str, right: str, values: Mapping[str, float], excess: float) -> Inequality:
    """Decided by TP x TN - FP x FN, which has no rounding; only 0/0 leaves it open."""
    decidable = not (math.isnan(values[left]) or math.isnan(values[right]))
    return Inequality(left, sign, right, values[left], values[right], excess > 0 if decidable else None)


def _sizes(source: Any, counts: Counts) -> tuple[float, float]:
    """How many cases of each class the verdict rests on: of weighted ones, as many as they are worth."""
    sample = getattr(source, "sample", None)
    if sample is None:
        return float(counts.positives), float(counts.negatives)
    negatives, positives = (float(effective_size) for effective_size in sample.effective_sizes)
    return positives, negatives
