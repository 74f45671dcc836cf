"""Bayes' theorem written out: the four forms with the numbers put in, a frequency tree, and a thousand people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unconfuse._errors import ArgumentError
from unconfuse.table import Counts

if TYPE_CHECKING:
    from unconfuse.bayesian.quantities import BinaryQuantities

_PEOPLE, _WIDE = 1000, 50
_LARGEST = 10**9  # people in a tree
SIGNS = {"tp": "#", "fn": "o", "fp": "!", "tn": "."}
_WORDS = {
    "tp": "have the condition and are called positive",
    "fn": "have it and are missed",
    "fp": "do not have it and are called positive",
    "tn": "do not have it and are left alone",
}


def theorems(test: BinaryQuantities) -> list[str]:
    """Write out the four forms of Bayes' theorem, after the two rates at which labels occur.

    >>> import unconfuse as uc
    >>> print(theorems(uc.bayes(prevalence=.01, sensitivity=.9, specificity=.95))[2])
    PPV = Se x pi1 / p1          = 0.9 x 0.01 / 0.0585      = 0.1538   P(positive | labelled positive)
    """
    _check_known(test)
    pi1, pi0, p1, p0 = (_text(getattr(test, name)) for name in _POPULATION)
    se, sp, alpha, beta = (_text(getattr(test, name)) for name in _RATES)
    lines = [
        ("p1", "Se x pi1 + alpha x pi0", f"{se} x {pi1} + {alpha} x {pi0}", "P(labelled positive)"),
        ("p0", "Sp x pi0 + beta x pi1", f"{sp} x {pi0} + {beta} x {pi1}", "P(labelled negative)"),
        ("PPV", "Se x pi1 / p1", f"{se} x {pi1} / {p1}", "P(positive | labelled positive)"),
        ("NPV", "Sp x pi0 / p0", f"{sp} x {pi0} / {p0}", "P(negative | labelled negative)"),
        ("FDR", "alpha x pi0 / p1", f"{alpha} x {pi0} / {p1}", "P(negative | labelled positive)"),
        ("FOR", "beta x pi1 / p0", f"{beta} x {pi1} / {p0}", "P(positive | labelled negative)"),
    ]
    values = [_text(getattr(test, name)) for name in _IN_TURN]
    return [
        f"{name:<3} = {formula:<22} = {numbers:<24} = {value:<8} {words}"
        for (name, formula, numbers, words), value in zip(lines, values, strict=True)
    ]


_IN_TURN = ("queue_rate", "negative_queue_rate", "precision", "npv", "false_discovery_rate", "false_omission_rate")
_POPULATION = ("prevalence", "negative_prevalence", "queue_rate", "negative_queue_rate")
_RATES = ("sensitivity", "specificity", "false_positive_rate", "false_negative_rate")


def _check_known(test: BinaryQuantities) -> None:
    if math.isnan(test.joint_true_positive):
        raise ArgumentError("the four theorems need every quantity, but not all are determined. Hint: give one more.")


def odds(test: BinaryQuantities, prior: float, results: str) -> str:
    """One person's probability by odds: prior odds times a likelihood ratio for each result.

    >>> import unconfuse as uc
    >>> print(odds(uc.bayes(prevalence=.01, sensitivity=.9, specificity=.95), .05, "+"))
    odds before 0.05 / 0.95 = 0.05263; x LR+ 18 = 0.9474; probability 0.9474 / (1 + 0.9474) = 0.4865
    """
    before = prior / (1 - prior) if prior < 1 else math.inf
    after, factors = before, ""
    for sign in results:
        ratio = test.lr_positive if sign == "+" else test.lr_negative
        after *= ratio
        factors += f" x LR{sign} {_text(ratio)}"
    value = 1.0 if math.isinf(after) else after / (1 + after)
    chain = f"odds before {_text(prior)} / {_text(1 - prior)} = {_text(before)};{factors} = {_text(after)}"
    return f"{chain}; probability {_text(after)} / (1 + {_text(after)}) = {_text(value)}"


def tree(test: BinaryQuantities) -> list[str]:
    """Draw the frequency tree in whole people: so many that the smallest branch that is not empty shows.

    >>> import unconfuse as uc
    >>> print(tree(uc.bayes(prevalence=.01, sensitivity=.9, specificity=.95))[0])
    1,000 people
    """
    _check_known(test)
    people = _enough(test)
    tp, fp, fn, tn = _shared_out(test.counts, people)
    right = f"{tp:,} of {tp + fp:,} called positive are right" if tp + fp else "no case is labelled positive"
    left = f"{tn:,} of {tn + fn:,} called negative are right" if tn + fn else "no case is labelled negative"
    return [
        f"{people:,} people",
        f"|-- {tp + fn:,} have the condition",
        f"|   |-- {tp:,} called positive (found)",
        f"|   `-- {fn:,} called negative (missed)",
        f"`-- {fp + tn:,} do not have it",
        f"    |-- {fp:,} labelled positive (false positives)",
        f"    `-- {tn:,} called negative (left alone)",
        f"{right}; {left}",
    ]


def picture(test: BinaryQuantities) -> list[str]:
    """Draw a thousand people, one sign for each.

    >>> import unconfuse as uc
    >>> lines = picture(uc.bayes(prevalence=.01, sensitivity=.9, specificity=.95))
    >>> print(lines[0][:20], len("".join(lines[:20])))
    #########o!!!!!!!!!! 1000
    """
    _check_known(test)
    cells = dict(zip(("tp", "fp", "fn", "tn"), _shared_out(test.counts, _PEOPLE), strict=True))
    signs = "".join(sign * cells[cell] for cell, sign in SIGNS.items())
    rows = [signs[start : start + _WIDE] for start in range(0, _PEOPLE, _WIDE)]
    return [*rows, *(f"{sign} {cells[cell]:>4,} {_WORDS[cell]}" for cell, sign in SIGNS.items())]


def _enough(test: BinaryQuantities) -> int:
    """Return a power of ten in which every outcome that occurs has about one person or more."""
    cells = (float(each) for each in (test.counts.tp, test.counts.fp, test.counts.fn, test.counts.tn))
    smallest = min((cell for cell in cells if cell > 0), default=1.0)
    people = _PEOPLE
    while smallest * people < 0.95 and people < _LARGEST:
        people *= 10
    return people


def _shared_out(counts: Counts, people: int) -> tuple[int, int, int, int]:
    """Whole people who add up: those whose remainders are largest get the last ones."""
    exact = [float(each) * people for each in (counts.tp, counts.fp, counts.fn, counts.tn)]
    whole = [math.floor(each + 1e-9) for each in exact]
    order: Sequence[int] = sorted(range(4), key=lambda i: whole[i] - exact[i])
    for i in order[: people - sum(whole)]:
        whole[i] += 1
    return whole[0], whole[1], whole[2], whole[3]


def _text(value: float) -> str:
    """Four digits, so that the reader can follow the sums."""
    return f"{value:.4g}"
