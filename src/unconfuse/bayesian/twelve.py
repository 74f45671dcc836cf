"""The twelve quantities of a binary classifier in a population, from any of them that determine the rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from unconfuse import _cards
from unconfuse._errors import ArgumentError, ContradictionError, InsufficientError
from unconfuse._plain import number_text
from unconfuse._validate import check_count, check_probability
from unconfuse.bayesian import _tables
from unconfuse.bayesian._tables import COMPLEMENTS, OF_THE_CLASSIFIER, OF_THE_LABELS, TWELVE, Given, Table, value_in
from unconfuse.table import Counts

_NEUTRAL = 1e-12  # Youden's J of a useless classifier, up to rounding
_OUTCOMES = ("true_positive", "false_positive", "false_negative", "true_negative")


@dataclass(frozen=True, repr=False)
class TwelveQuantities:
    """How common the condition is, how the classifier treats each class, and how far its labels can be believed.

    Attributes
    ----------
    prevalence, negative_prevalence : float
        Share of positives and of negatives.
    sensitivity, specificity, false_positive_rate, false_negative_rate : float
        What the classifier does within each class.
    queue_rate, negative_queue_rate : float
        Share of positive and of negative labels.
    precision, npv, false_discovery_rate, false_omission_rate : float
        How often each label is right or wrong.
    joint_true_positive, joint_false_positive, joint_false_negative, joint_true_negative : float
        Share of each of the four outcomes among all cases.
    undefined : mapping of str to str
        The quantities that are NaN, and why.

    Examples
    --------
    >>> import unconfuse as uc
    >>> test = uc.bayes(prevalence=.2, false_positive_rate=.1, false_negative_rate=.3)
    >>> test
    Twelve quantities: prevalence 0.200, sensitivity 0.700, specificity 0.900, precision 0.636, npv 0.923, useful
    >>> round(test.lr_positive, 10), round(test.youden_j, 10)
    (7.0, 0.6)
    >>> uc.bayes(prevalence=.01, sensitivity=0, specificity=1).undefined["precision"]
    'no case is labelled positive'
    """

    prevalence: float
    negative_prevalence: float
    sensitivity: float
    specificity: float
    false_positive_rate: float
    false_negative_rate: float
    queue_rate: float
    negative_queue_rate: float
    precision: float
    npv: float
    false_discovery_rate: float
    false_omission_rate: float
    joint_true_positive: float
    joint_false_positive: float
    joint_false_negative: float
    joint_true_negative: float
    undefined: Mapping[str, str] = field(default_factory=dict)

    @property
    def accuracy(self) -> float:
        """Share of all cases with the right label."""
        return self.joint_true_positive + self.joint_true_negative

    @property
    def youden_j(self) -> float:
        """Sensitivity + specificity - 1."""
        return self.sensitivity - self.false_positive_rate

    @property
    def lr_positive(self) -> float:
        """Sensitivity / false positive rate: what a positive label multiplies the odds by."""
        return _ratio(self.sensitivity, self.false_positive_rate)

    @property
    def lr_negative(self) -> float:
        """False negative rate / specificity: what a negative label multiplies the odds by."""
        return _ratio(self.false_negative_rate, self.specificity)

    @property
    def diagnostic_odds_ratio(self) -> float:
        """LR+ / LR-."""
        return _ratio(self.sensitivity * self.specificity, self.false_positive_rate * self.false_negative_rate)

    @property
    def verdict(self) -> str:
        """One of "useful", "useless", "misleading" (swap the labels) and "undefined"."""
        if math.isnan(self.youden_j):
            return "undefined"
        if abs(self.youden_j) <= _NEUTRAL:
            return "useless"
        return "useful" if self.youden_j > 0 else "misleading"

    @property
    def counts(self) -> Counts:
        """The joint probabilities as a 2x2 table that adds up to 1."""
        tp, fp, fn, tn = (getattr(self, f"joint_{each}") for each in _OUTCOMES)
        return Counts.trusted(tp=tp, fp=fp, fn=fn, tn=tn)

    def as_dict(self) -> dict[str, float]:
        """The twelve quantities, the joint probabilities and what follows from them, by name."""
        names = [name for name in self.__dataclass_fields__ if name != "undefined"]
        follow = ("accuracy", "youden_j", "lr_positive", "lr_negative", "diagnostic_odds_ratio")
        return {name: getattr(self, name) for name in (*names, *follow)}

    def __repr__(self) -> str:
        shown = ("prevalence", "sensitivity", "specificity", "precision", "npv")
        values = ", ".join(f"{name} {number_text(getattr(self, name))}" for name in shown)
        return f"Twelve quantities: {values}, {self.verdict}"

    def _repr_html_(self) -> str:
        def row(name: str, value: float) -> list[str]:
            """Shares lie between 0 and 1, and Youden's J between -1 and 1; ratios have no end."""
            ends = None if "ratio" in name or name.startswith("lr_") else (-1.0 if name == "youden_j" else 0.0, 1.0)
            drawn = _cards.bar(value, math.nan, math.nan, ends)
            return [name.replace("_", " "), number_text(value), drawn, _cards.text(self.undefined.get(name, ""))]

        rows = [row(name, value) for name, value in self.as_dict().items()]
        said = f"The test is {self.verdict}." if self.verdict != "undefined" else ""
        table = _cards.table([], rows, numbers=[1], most=len(rows))
        return _cards.card("Twelve quantities", table, verdict=said, tone=_cards.TONES.get(self.verdict, ""))


def bayes(
    *,
    prevalence: float | None = None,
    negative_prevalence: float | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    false_positive_rate: float | None = None,
    false_negative_rate: float | None = None,
    queue_rate: float | None = None,
    negative_queue_rate: float | None = None,
    precision: float | None = None,
    npv: float | None = None,
    false_discovery_rate: float | None = None,
    false_omission_rate: float | None = None,
    tp: float | None = None,
    fp: float | None = None,
    fn: float | None = None,
    tn: float | None = None,
    tolerance: float = 1e-9,
) -> TwelveQuantities:
    """All twelve quantities of a classifier in a population, from any three that are independent.

    Bayes' theorem ties them together: how common the condition is, how often the classifier is right in each class,
    how often it says what, and how far each of its labels can be believed.

    Parameters
    ----------
    prevalence, negative_prevalence : float, optional
        Share of positives and of negatives in the population.
    sensitivity, false_negative_rate : float, optional
        Share of the positives that is labelled positive, and negative.
    specificity, false_positive_rate : float, optional
        Share of the negatives that is labelled negative, and positive.
    queue_rate, negative_queue_rate : float, optional
        Share of all cases that is labelled positive, and negative.
    precision, false_discovery_rate : float, optional
        Share of the positive labels that is right, and wrong.
    npv, false_omission_rate : float, optional
        Share of the negative labels that is right, and wrong.
    tp, fp, fn, tn : float, optional
        All four counts instead; anything else given is then checked against them.
    tolerance : float
        How far given quantities may contradict each other. Raise it for rounded ones, to 0.005 for two decimals. The
        first three independent ones, in the order above, then decide.

    Returns
    -------
    TwelveQuantities
        With the attributes named like the parameters, and `accuracy`, `youden_j`, `lr_positive`, ...

    Raises
    ------
    ContradictionError
        If no population and classifier have all these values; says which contradict, and what the others imply.
    InsufficientError
        If there are several that do; says what is missing, and between which bounds the rest lies.

    Notes
    -----
    Each given value is one linear equation in the four joint probabilities of truth and label. They are solved with
    exact fractions. A quantity that would be 0/0 is NaN, and `undefined` says why.

    Examples
    --------
    A test that is right for 90% of the ill and 95% of the healthy, where 1% are ill: 15% of its alarms are right.

    >>> import unconfuse as uc
    >>> test = uc.bayes(prevalence=.01, sensitivity=.9, specificity=.95)
    >>> round(test.precision, 4)
    0.1538

    What was the prevalence, if 5.85% of all tests are positive and 15.4% of these rightly so, and 90% of the ill found?

    >>> round(uc.bayes(queue_rate=.0585, precision=2/13, sensitivity=.9).prevalence, 10)
    0.01
    """
    asked = dict(locals())  # by name, as in the signature
    given = {name: _exact(check_probability(asked[name], name)) for name in TWELVE if asked[name] is not None}
    slack = check_probability(tolerance, "tolerance")

    table = _table_of_counts({"tp": tp, "fp": fp, "fn": fn, "tn": tn})
    if table is not None:
        _check_against_counts(table, given, slack)
        return _quantities_of(table, given)
    tables = _tables.corners(given, slack)
    if not tables:
        raise ContradictionError(_tables.contradiction(given, slack))
    if len(tables) > 1:
        raise InsufficientError(_tables.insufficiency(given, tables))
    return _quantities_of(_tables.cleaned(tables[0], given, slack), given)


def _exact(value: float) -> Fraction:
    """The number that was written, 0.8 = 4/5, rather than its binary neighbour: 0.2 and 0.8 then add up to 1."""
    return Fraction(repr(float(value)))


def _table_of_counts(counts: Mapping[str, float | None]) -> Table | None:
    """The joint probabilities that four counts estimate; None if no count was given."""
    missing = [name for name, count in counts.items() if count is None]
    if len(missing) == 4:
        return None
    if missing:
        raise ArgumentError(f"`bayes` needs all four counts or none; missing: {', '.join(missing)}.")
    cells = [_exact(float(check_count(count, name))) for name, count in counts.items()]
    if not any(cells):
        raise ArgumentError("the four counts are all 0: there are no cases.")
    return _tables.normalised(cells)


def _check_against_counts(table: Table, given: Given, tolerance: float) -> None:
    for name, value in given.items():
        implied, said = value_in(table, name), _tables.shown(name, value)
        if implied is None and name in OF_THE_LABELS:
            raise ContradictionError(f"{said} cannot be: with these counts {_tables.why_undefined(name)}.")
        if implied is not None and abs(implied - value) > tolerance:
            raise ContradictionError(f"{said} contradicts the counts, which give {_tables.short(implied)}.")


def _quantities_of(table: Table, given: Given) -> TwelveQuantities:
    """All quantities of one table; rates of a class without members are as given."""
    pairs = [*COMPLEMENTS.items(), *((two, one) for one, two in COMPLEMENTS.items())]
    known = {two: 1 - given[one] for one, two in pairs if one in given} | dict(given)
    exact = {name: value_in(table, name) for name in TWELVE}
    exact |= {name: known.get(name) for name in OF_THE_CLASSIFIER if exact[name] is None}
    values = {name: math.nan if value is None else float(value) for name, value in exact.items()}
    joint = {f"joint_{name}": float(cell) for name, cell in zip(_OUTCOMES, table, strict=True)}
    undefined = {name: _tables.why_undefined(name) for name, value in exact.items() if value is None}
    return TwelveQuantities(**values, **joint, undefined=undefined)


def _ratio(top: float, bottom: float) -> float:
    if bottom == 0:
        return math.inf if top > 0 else math.nan
    return top / bottom
