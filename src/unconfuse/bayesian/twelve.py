"""The twelve quantities of a binary classifier in a population, from any of them that determine the rest."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from unconfuse._errors import ArgumentError, ContradictionError, InsufficientError
from unconfuse._validate import check_count, check_probability
from unconfuse.bayesian._feasible import cleaned, corners
from unconfuse.bayesian._quantities import OF_THE_LABELS, TWELVE, Table, value_in, why_undefined
from unconfuse.bayesian._refusals import Given, contradiction, insufficiency, short, shown
from unconfuse.bayesian.quantities import TwelveQuantities, quantities_of


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
    values = (
        prevalence,
        negative_prevalence,
        sensitivity,
        specificity,
        false_positive_rate,
        false_negative_rate,
        queue_rate,
        negative_queue_rate,
        precision,
        npv,
        false_discovery_rate,
        false_omission_rate,
    )
    wanted = dict(zip(TWELVE, values, strict=True))
    given = {name: _exact(check_probability(value, name)) for name, value in wanted.items() if value is not None}
    slack = check_probability(tolerance, "tolerance")

    table = _table_of_counts({"tp": tp, "fp": fp, "fn": fn, "tn": tn})
    tables = corners(given, slack) if table is None else [table]
    if table is not None:
        _check_against_counts(table, given, slack)
    elif not tables:
        raise ContradictionError(contradiction(given, slack))
    elif len(tables) > 1:
        raise InsufficientError(insufficiency(given, tables))
    return quantities_of(cleaned(tables[0], given, slack) if table is None else table, given)


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
    total = sum(cells)
    if not total:
        raise ArgumentError("the four counts are all 0: there are no cases.")
    return (cells[0] / total, cells[1] / total, cells[2] / total, cells[3] / total)


def _check_against_counts(table: Table, given: Given, tolerance: float) -> None:
    for name, value in given.items():
        implied = value_in(table, name)
        if implied is None and name in OF_THE_LABELS:
            raise ContradictionError(f"{shown(name, value)} cannot be: with these counts {why_undefined(name)}.")
        if implied is not None and abs(implied - value) > tolerance:
            raise ContradictionError(f"{shown(name, value)} contradicts the counts, which give {short(implied)}.")
