"""The result of `bayes`: the twelve quantities and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from unconfuse import _cards
from unconfuse._plain import number_text
from unconfuse.bayesian._quantities import COMPLEMENTS, OF_THE_CLASSIFIER, TWELVE, Table, value_in, why_undefined
from unconfuse.table import Counts

_NEUTRAL = 1e-12  # Youden's J of a useless classifier, up to rounding


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
        return Counts(
            tp=self.joint_true_positive,
            fp=self.joint_false_positive,
            fn=self.joint_false_negative,
            tn=self.joint_true_negative,
        )

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
        rows = [
            [
                name.replace("_", " "),
                number_text(value),
                _cards.bar(value, math.nan, math.nan, _span(name)),
                _cards.text(self.undefined.get(name, "")),
            ]
            for name, value in self.as_dict().items()
        ]
        said = f"The test is {self.verdict}." if self.verdict != "undefined" else ""
        return _cards.card(
            "Twelve quantities",
            _cards.table([], rows, numbers=[1], most=len(rows)),
            verdict=said,
            tone=_cards.TONES.get(self.verdict, ""),
        )


def _span(name: str) -> tuple[float, float] | None:
    """Shares lie between 0 and 1, and Youden's J between -1 and 1; ratios have no end."""
    return None if "ratio" in name or name.startswith("lr_") else (-1.0 if name == "youden_j" else 0.0, 1.0)


def quantities_of(table: Table, given: Mapping[str, Fraction]) -> TwelveQuantities:
    """All quantities of one table; rates of a class without members are as given."""
    exact = {name: value_in(table, name) for name in TWELVE}
    for name in OF_THE_CLASSIFIER:
        if exact[name] is None:
            exact[name] = _as_given(name, given)
    values = {name: math.nan if value is None else float(value) for name, value in exact.items()}
    undefined = {name: why_undefined(name) for name, value in exact.items() if value is None}
    tp, fp, fn, tn = (float(cell) for cell in table)
    return TwelveQuantities(
        **values,
        joint_true_positive=tp,
        joint_false_positive=fp,
        joint_false_negative=fn,
        joint_true_negative=tn,
        undefined=undefined,
    )


def _as_given(name: str, given: Mapping[str, Fraction]) -> Fraction | None:
    if name in given:
        return given[name]
    other = {**COMPLEMENTS, **{two: one for one, two in COMPLEMENTS.items()}}[name]
    return 1 - given[other] if other in given else None


def _ratio(top: float, bottom: float) -> float:
    if bottom == 0:
        return math.inf if top > 0 else math.nan
    return top / bottom
