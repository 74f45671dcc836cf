"""The twelve quantities of a binary classifier in a population, from any of them that determine the rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from unconfuse import _html_repr
from unconfuse._errors import ArgumentError, CallError, ContradictionError, InsufficientError, did_you_mean
from unconfuse._formatting import number_text, short_repr, strict_json, with_numbers
from unconfuse._render_mixins import PlotMixin
from unconfuse._validate import check_count, check_number, check_probability, public_api
from unconfuse.bayesian import _conflict_messages, _linear_solver, derivation
from unconfuse.bayesian._linear_solver import COMPLEMENTS, OF_THE_CLASSIFIER, OF_THE_LABELS, TWELVE, Table, value_in
from unconfuse.bayesian._nonlinear_solver import RATIOS, Value, Values
from unconfuse.bayesian._solution_set import QUANTITIES, Range, SolutionSet, answer
from unconfuse.metrics import METRICS
from unconfuse.policy import Verdict
from unconfuse.table import Counts

_NEUTRAL = 1e-12  # Youden's J of a useless classifier, up to rounding
_OUTCOMES = ("true_positive", "false_positive", "false_negative", "true_negative")


@public_api
@dataclass(frozen=True, repr=False)
class BinaryQuantities(PlotMixin):
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
    ranges : mapping of str to (float, float)
        If what was given does not determine everything (`ranges=True`): smallest and largest value of each quantity.

    Examples
    --------
    >>> import unconfuse as uc
    >>> test = uc.bayes(prevalence=.2, false_positive_rate=.1, false_negative_rate=.3)
    >>> test
    Twelve quantities: prevalence 0.200, sensitivity 0.700, specificity 0.900, precision 0.636, npv 0.923, better than \
guessing
    >>> round(test.lr_positive, 10), round(test.youden_j, 10)
    (7.0, 0.6)
    >>> uc.bayes(prevalence=.01, sensitivity=0, specificity=1).undefined["precision"]
    'no case is labelled positive'
    """

    picture = "plot_predictive_values"

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
    ranges: Mapping[str, Range] = field(default_factory=dict)

    @property
    def accuracy(self) -> float:
        """Share of all cases with the right label."""
        return self._or_known("accuracy", self.joint_true_positive + self.joint_true_negative)

    @property
    def youden_j(self) -> float:
        """Sensitivity + specificity - 1."""
        return self._or_known("youden_j", self.sensitivity - self.false_positive_rate)

    @property
    def lr_positive(self) -> float:
        """Sensitivity / false positive rate: what a positive label multiplies the odds by."""
        return self._or_known("lr_positive", _ratio(self.sensitivity, self.false_positive_rate))

    @property
    def lr_negative(self) -> float:
        """False negative rate / specificity: what a negative label multiplies the odds by."""
        return self._or_known("lr_negative", _ratio(self.false_negative_rate, self.specificity))

    @property
    def diagnostic_odds_ratio(self) -> float:
        """LR+ / LR-."""
        value = _ratio(self.sensitivity * self.specificity, self.false_positive_rate * self.false_negative_rate)
        return self._or_known("diagnostic_odds_ratio", value)

    def __getattr__(self, name: str) -> Any:
        """Return a quantity by another of its names, such as `ppv`."""
        ours = None if name.startswith("_") else quantity_named(name)
        if ours is None or ours == name:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return float(getattr(self, ours))

    def _or_known(self, name: str, value: float) -> float:
        """Return the value, or the given one, which is known even if the rates behind it are not."""
        low, high = self.ranges.get(name, (math.nan, math.nan))
        return low if math.isnan(value) and low == high else value

    @property
    def verdict(self) -> Verdict:
        """Whether these exact numbers are better than guessing, no better, or worse; "undefined" if unknown."""
        above = self._above_guessing
        if math.isnan(above):
            return Verdict.UNDEFINED
        if abs(above) <= _NEUTRAL:
            return Verdict.NO_BETTER_THAN_GUESSING
        return Verdict.BETTER_THAN_GUESSING if above > 0 else Verdict.WORSE_THAN_GUESSING

    @property
    def _above_guessing(self) -> float:
        """Youden's J, or where it is unknown a likelihood ratio's distance from 1, which has the same sign."""
        for each in (self.youden_j, self.lr_positive - 1, 1 - self.lr_negative, self.diagnostic_odds_ratio - 1):
            if not math.isnan(each):
                return each
        return math.nan

    @property
    def counts(self) -> Counts:
        """The joint probabilities as a 2x2 table that adds up to 1."""
        tp, fp, fn, tn = (getattr(self, f"joint_{each}") for each in _OUTCOMES)
        return Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn)

    def show_work(self) -> str:
        """Show the four forms of Bayes' theorem with these numbers, a frequency tree, and a picture of 1,000 people."""
        return "\n".join([*derivation.theorems(self), "", *derivation.tree(self), "", *derivation.picture(self)])

    @strict_json
    def as_dict(self) -> dict[str, float]:
        """Return the twelve quantities, the joint probabilities and what follows from them, by name."""
        names = [name for name in self.__dataclass_fields__ if name not in ("undefined", "ranges")]
        return {name: getattr(self, name) for name in (*names, *RATIOS)}

    def __repr__(self) -> str:
        shown = ("prevalence", "sensitivity", "specificity", "precision", "npv")
        values = ", ".join(f"{name} {number_text(getattr(self, name))}" for name in shown)
        return f"Twelve quantities: {values}, {self.verdict}"

    def _repr_html_(self) -> str:
        def row(name: str, value: float) -> list[str]:
            """Shares lie between 0 and 1, and Youden's J between -1 and 1; ratios have no end."""
            ends = None if "ratio" in name or name.startswith("lr_") else (-1.0 if name == "youden_j" else 0.0, 1.0)
            drawn = _html_repr.bar(value, math.nan, math.nan, ends)
            return [name.replace("_", " "), number_text(value), drawn, _html_repr.text(self.undefined.get(name, ""))]

        rows = [row(name, value) for name, value in with_numbers(self).items()]
        said = f"The test is {self.verdict}." if self.verdict is not Verdict.UNDEFINED else ""
        table = _html_repr.table([], rows, numbers=[1], most=len(rows))
        return _html_repr.card("Twelve quantities", table, verdict=said, tone=_html_repr.edge_of(self.verdict))


@public_api
@np.errstate(all="ignore")  # ratios may be as large as numbers can be: what overflows is infinite
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
    accuracy: float | None = None,
    youden_j: float | None = None,
    lr_positive: float | None = None,
    lr_negative: float | None = None,
    diagnostic_odds_ratio: float | None = None,
    tp: float | None = None,
    fp: float | None = None,
    fn: float | None = None,
    tn: float | None = None,
    tolerance: float = 1e-9,
    ranges: bool = False,
    **also: float,
) -> BinaryQuantities:
    """All quantities of a classifier in a population, from any three that are independent.

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
    accuracy : float, optional
        Share of all cases that is labelled rightly.
    youden_j : float, optional
        Sensitivity + specificity - 1.
    lr_positive, lr_negative, diagnostic_odds_ratio : float, optional
        What a positive and a negative label multiply the odds by, and the ratio of the two; may be infinite.
    tp, fp, fn, tn : float, optional
        All four counts instead; anything else given is then checked against them.
    tolerance : float
        By how much each given value may be off because it is rounded: 0.005 for two decimals. If the values contradict
        each other as they stand, the first three that determine a table decide, in the order above, if all others are
        within their rounding there; otherwise the table that is nearest to all of them. A value below the step of the
        rounding, such as a prevalence of 1e-6, is taken to be rounded in its own last digit.
    ranges : bool
        If what is given does not determine the rest, return what is known instead of an error: the other quantities are
        NaN, and `ranges` says between which bounds they lie.
    **also : float
        The same quantities by another name: recall, tpr, ppv, fpr, alpha, beta, dor and so on.

    Returns
    -------
    BinaryQuantities
        With the attributes named like the parameters, and `accuracy`, `youden_j`, `lr_positive`, ...

    Raises
    ------
    ContradictionError
        If no population and classifier have all these values; says which contradict, and what the others imply.
    InsufficientError
        If there are several that do; says what is missing, and between which bounds the rest lies.

    Notes
    -----
    Each given share is one linear equation in the four joint probabilities of truth and label. They are solved with
    exact fractions. Ratios and Youden's J leave a polynomial in the prevalence whose coefficients are exact. A quantity
    that would be 0/0 is NaN, and `undefined` says why.

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

    A paper gives likelihood ratios only; what do they mean where 5% are ill?

    >>> test = uc.bayes(lr_positive=9, lr_negative=.1, prevalence=.05)
    >>> round(test.sensitivity, 3), round(test.specificity, 3), round(test.precision, 3)
    (0.91, 0.899, 0.321)

    One likelihood ratio and a prevalence say what one result means; the rest is bounded.

    >>> test = uc.bayes(lr_positive=18, prevalence=.01)
    >>> round(test.ppv, 3), test.undefined["npv"]
    (0.154, 'not determined: between 0.99 and 1')

    Two other quantities do not determine the rest either:

    >>> test = uc.bayes(prevalence=.2, accuracy=.9, ranges=True)
    >>> test.undefined["sensitivity"]
    'not determined: between 0.5 and 1'
    """
    asked = dict(locals())  # by name, as in the signature
    asked |= _by_our_names(asked.pop("also"), asked)
    given = {name: _checked(name, asked[name]) for name in QUANTITIES if asked[name] is not None}
    slack = check_probability(tolerance, "tolerance")

    table = _table_of_counts({"tp": tp, "fp": fp, "fn": fn, "tn": tn})
    if table is not None:
        _check_against_counts(table, given, slack)
        return _quantities_of(table, given)
    solution_set = answer(given, slack)
    if not solution_set.possible:
        raise ContradictionError(_conflict_messages.contradiction(given, slack))
    if solution_set.determined:
        return _quantities_of(solution_set.tables[0], solution_set.known)
    if not ranges and not _is_one_result(given):
        raise InsufficientError(_conflict_messages.insufficiency(given, solution_set))
    return _what_is_known(solution_set)


def _by_our_names(also: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return quantities that were given by another name, by ours."""
    found: dict[str, Any] = {}
    for name, value in also.items():
        ours = quantity_named(name)
        if ours is None:
            raise CallError(f"`bayes` has no argument `{name}`. {did_you_mean(name, QUANTITIES)}")
        if value is None:
            continue
        if asked[ours] is not None or ours in found:
            raise ArgumentError(f"`{ours}` and `{name}` cannot be combined: they are the same quantity.")
        found[ours] = value
    return found


def quantity_named(name: str) -> str | None:
    """Return our name of a quantity, whatever it is called; None if it is not one of them.

    >>> quantity_named("PPV"), quantity_named("alpha"), quantity_named("auc")
    ('precision', 'false_positive_rate', None)
    """
    if name in ("prior", "pretest_probability"):
        return "prevalence"
    metric = METRICS.get(name)
    return metric.name if metric is not None and metric.name in QUANTITIES else None


def _is_one_result(given: Values) -> bool:
    """Whether these are a prior and one likelihood ratio, which say what one result means."""
    ratios = {"lr_positive", "lr_negative"} & set(given)
    return len(ratios) == 1 and set(given) - ratios in ({"prevalence"}, {"negative_prevalence"})


def _checked(name: str, value: float) -> Value:
    """Return the number that was written, 0.8 = 4/5, not its binary neighbour: 0.2 and 0.8 then add up to 1."""
    if name not in RATIOS or name == "accuracy":
        return _exact(check_probability(value, name))
    if name != "youden_j" and isinstance(value, float) and value == math.inf:
        return math.inf
    number = check_number(value, name)
    if name == "youden_j" and not -1 <= number <= 1:
        raise ArgumentError(f"`youden_j` must lie between -1 and 1; got {short_repr(value)}.")
    if name != "youden_j" and number < 0:
        raise ArgumentError(f"`{name}` must not be negative; got {short_repr(value)}.")
    return _exact(number)


def _exact(value: float) -> Fraction:
    return Fraction(repr(float(value)))


def _table_of_counts(counts: Mapping[str, float | None]) -> Table | None:
    """Return the joint probabilities that four counts estimate; None if no count was given."""
    missing = [name for name, count in counts.items() if count is None]
    if len(missing) == 4:
        return None
    if missing:
        raise ArgumentError(f"`bayes` needs all four counts or none; missing: {', '.join(missing)}.")
    cells = [_exact(float(check_count(count, name, at_most=math.inf))) for name, count in counts.items()]
    if not any(cells):
        raise ArgumentError("the four counts are all 0: there are no cases.")
    return _linear_solver.normalised(cells)


def _check_against_counts(table: Table, given: Values, tolerance: float) -> None:
    of_counts = SolutionSet([table], isolated=True)
    for name, value in given.items():
        implied, said = of_counts.spread(name), _conflict_messages.shown(name, value)
        if implied is None and (name in OF_THE_LABELS or name in RATIOS):
            raise ContradictionError(f"{said} cannot be: with these counts {_linear_solver.why_undefined(name)}.")
        if implied is not None and implied[0] != value and not abs(implied[0] - value) <= tolerance:
            raise ContradictionError(
                f"{said} contradicts the counts, which give {_conflict_messages.short(implied[0])}."
            )


def _quantities_of(table: Table, given: Values) -> BinaryQuantities:
    """All quantities of one table; rates of a class without members are as given."""
    pairs = [*COMPLEMENTS.items(), *((two, one) for one, two in COMPLEMENTS.items())]
    known = {two: 1 - given[one] for one, two in pairs if one in given} | dict(given)
    exact: dict[str, Value | None] = {name: value_in(table, name) for name in TWELVE}
    exact |= {name: known.get(name) for name in OF_THE_CLASSIFIER if exact[name] is None}
    values: dict[str, Any] = {name: math.nan if value is None else float(value) for name, value in exact.items()}
    joint: dict[str, Any] = {f"joint_{name}": float(cell) for name, cell in zip(_OUTCOMES, table, strict=True)}
    undefined = {name: _linear_solver.why_undefined(name) for name, value in exact.items() if value is None}
    return BinaryQuantities(**values, **joint, undefined=undefined)


def _what_is_known(found: SolutionSet) -> BinaryQuantities:
    """Collect the quantities that have one value; the others are NaN, with their ranges."""
    ranges = _conflict_messages.ranges_of(found)
    known = {name: low for name, (low, high) in ranges.items() if high - low <= _NEUTRAL * max(1.0, abs(low))}
    ranges |= {name: (value, value) for name, value in known.items()}
    words = {name: _between(*limits) for name, limits in ranges.items() if name not in known}
    never = {name: _linear_solver.why_undefined(name) for name in QUANTITIES if name not in ranges}
    values: dict[str, Any] = {name: known.get(name, math.nan) for name in TWELVE}
    joint: dict[str, Any] = dict.fromkeys((f"joint_{each}" for each in _OUTCOMES), math.nan)
    return BinaryQuantities(**values, **joint, undefined=words | never, ranges=ranges)


def _between(low: float, high: float) -> str:
    return f"not determined: between {_conflict_messages.short(low, 4)} and {_conflict_messages.short(high, 4)}"


def _ratio(top: float, bottom: float) -> float:
    if bottom == 0:
        return math.inf if top > 0 else math.nan
    return top / bottom
