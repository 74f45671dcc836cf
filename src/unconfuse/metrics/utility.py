"""Metrics with a parameter of their own: how recall weighs against precision, and what errors cost."""

from __future__ import annotations

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_number, check_probability
from unconfuse.metrics._counts import decision, example
from unconfuse.metrics._definition import Metric


def f_beta(beta: float) -> Metric:
    """F score in which sensitivity counts `beta` times as much as precision.

    Examples
    --------
    >>> from unconfuse import Counts, f_beta
    >>> f_beta(2)(Counts(tp=30, fp=20, fn=10, tn=140)).item()  # doctest: +ELLIPSIS
    0.714...
    """
    weight = check_number(beta, "beta")
    if weight <= 0:
        raise ArgumentError(f"`beta` must be above 0; got {weight:g}. Hint: 2 favours sensitivity, 0.5 precision.")
    return decision(
        f"f_beta({weight:g})",
        f"{1 + weight**2!r} * tp / ({1 + weight**2!r} * tp + {weight**2!r} * fn + fp)",
        label=f"F{weight:g} score",
        question=f"How good are precision and sensitivity together if sensitivity counts {weight:g} times as much?",
        range=(0.0, 1.0),
        formula=r"\frac{(1+\beta^2)\,TP}{(1+\beta^2)\,TP+\beta^2 FN+FP},\ \beta=" + f"{weight:g}",
        undefined="there are neither positives nor positive labels (TP + FP + FN = 0)",
        misleads="It ignores the true negatives and changes with prevalence.",
        references=("van Rijsbergen (1979), Information Retrieval, chapter 7",),
        example=example((1 + weight**2) * 30 / ((1 + weight**2) * 30 + weight**2 * 10 + 20)),
    )


def expected_cost(*, fp: float, fn: float) -> Metric:
    """Mean cost of a case when a false positive costs `fp` and a false negative `fn`.

    Examples
    --------
    >>> from unconfuse import Counts, expected_cost
    >>> expected_cost(fp=1, fn=10)(Counts(tp=30, fp=20, fn=10, tn=140)).item()
    0.6
    """
    false_alarm, miss = check_number(fp, "fp"), check_number(fn, "fn")
    if min(false_alarm, miss) < 0 or max(false_alarm, miss) == 0:
        raise ArgumentError(f"costs must be 0 or more and not both 0; got fp={false_alarm:g}, fn={miss:g}.")
    return decision(
        f"expected_cost(fp={false_alarm:g}, fn={miss:g})",
        f"({false_alarm!r} * fp + {miss!r} * fn) / total",
        label=f"Expected cost (FP {false_alarm:g}, FN {miss:g})",
        question="What does a case cost on average?",
        better="lower",
        range=(0.0, max(false_alarm, miss)),
        formula=rf"\frac{{{false_alarm:g}\,FP+{miss:g}\,FN}}{{n}}",
        undefined="there are no cases",
        misleads="It is only as good as the costs; look at several stakeholders' costs side by side.",
        references=("Elkan (2001), IJCAI, The foundations of cost-sensitive learning",),
        example=example((20 * false_alarm + 10 * miss) / 200),
    )


def net_benefit(threshold_probability: float) -> Metric:
    """True positives per case, less the false positives at the exchange rate of a threshold probability.

    Who acts from a probability t on accepts (1 - t)/t false alarms for one true positive.

    Examples
    --------
    >>> from unconfuse import Counts, net_benefit
    >>> net_benefit(.2)(Counts(tp=30, fp=20, fn=10, tn=140)).item()
    0.125
    """
    t = check_probability(threshold_probability, "threshold_probability")
    if t == 1:
        raise ArgumentError("`threshold_probability` must be below 1; at 1 no false positive is worth any benefit.")
    return decision(
        f"net_benefit({t:g})",
        f"(tp - fp * {t / (1 - t)!r}) / total",
        label=f"Net benefit at {t:g}",
        question=f"How many true positives per case remain, if one is worth {(1 - t) / t if t else np.inf:g} "
        "false positives?",
        range=(-t / (1 - t), 1.0),
        formula=rf"\frac{{TP}}{{n}}-\frac{{FP}}{{n}}\cdot\frac{{t}}{{1-t}},\ t={t:g}",
        undefined="there are no cases",
        misleads="Compare it with treating all and treating none at the same threshold probability.",
        references=("Vickers & Elkin (2006), Medical Decision Making 26:565, Decision curve analysis",),
        example=example(30 / 200 - 20 / 200 * t / (1 - t)),
    )
