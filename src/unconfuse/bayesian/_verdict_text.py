"""Sentences on labels against guessing: the same on every surface."""

from __future__ import annotations

import math

from unconfuse._formatting import number_text
from unconfuse._phrases import LARGEST, counted, only, rate_of, times
from unconfuse._scipy_special import ndtri
from unconfuse.policy import FEW, Verdict
from unconfuse.table import Counts
from unconfuse.uncertainty.difference_tests import cases_needed
from unconfuse.uncertainty.estimate import Estimate

RULE = "Labels are better than guessing if sensitivity and specificity add up to more than 1 (Youden's J above 0)."
HEADS = {
    Verdict.BETTER_THAN_GUESSING: "Better than guessing",
    Verdict.HARDLY_BETTER_THAN_GUESSING: "Detectably, but hardly, better than guessing",
    Verdict.NO_BETTER_THAN_GUESSING: "No better than guessing",
    Verdict.HARDLY_WORSE_THAN_GUESSING: "Detectably, but hardly, worse than guessing",
    Verdict.WORSE_THAN_GUESSING: "Worse than guessing",
    Verdict.CANNOT_TELL: "Inconclusive whether this is better than guessing",
}
_HARDLY = (Verdict.HARDLY_BETTER_THAN_GUESSING, Verdict.HARDLY_WORSE_THAN_GUESSING)
_FAR = 50  # times as many cases: a difference this small is not worth settling
_FEWEST = 20  # cases below which nothing is said of how many would do


def guessing_sentence(verdict: Verdict, counts: Counts, j: Estimate, where: str = "") -> str:
    """Return the verdict on the labels of four counts in words; `where` names the threshold."""
    if not counts.positives or not counts.negatives:
        missing = "positives" if not counts.positives else "negatives"
        return f"Without {missing} it cannot be said whether the labels are better than guessing."
    if not counts.labelled_positive or not counts.labelled_negative:
        label = "positive" if counts.labelled_positive else "negative"
        return f"{HEADS[verdict]}: every case is labelled {label}, so the label carries no information."
    if j.undefined or math.isnan(j.low):
        return f"{HEADS[Verdict.CANNOT_TELL]}: {j.undefined or 'no interval for Youden J is known'}."
    shares = _shares(counts, where, 1000 if verdict in _HARDLY else 100)
    sizes = {"positive": float(counts.positives), "negative": float(counts.negatives)}
    few = {name: size for name, size in sizes.items() if size < FEW}
    youden = f"Youden's J {j.value_text}, {j.range_text}"
    if few:  # the interval first, no adjective
        head = HEADS[verdict]
        return f"{only(few)}: {j.range_text} for Youden's J, observed {j.value_text}. {head}: {shares}."
    found, flagged = float(counts.tp / counts.positives), float(counts.fp / counts.negatives)
    rates = f"sensitivity {number_text(found)}, false positive rate {number_text(flagged)}"
    evidence = f"{rates}; {youden}"
    return _by_verdict(verdict, counts, j, shares, evidence)


def _by_verdict(verdict: Verdict, counts: Counts, j: Estimate, shares: str, evidence: str) -> str:
    if verdict is Verdict.CANNOT_TELL:
        both = f"{counted(float(counts.positives), 'positive')} and {counted(float(counts.negatives), 'negative')}"
        return f"{HEADS[verdict]}: among {both}, {shares} ({evidence}){_settled(counts, j)}."
    more = {
        **dict.fromkeys(_HARDLY, f". {_size(j)}"),
        Verdict.WORSE_THAN_GUESSING: "; check whether the labels are swapped",
    }.get(verdict, "")
    if verdict is Verdict.NO_BETTER_THAN_GUESSING:
        return f"{HEADS[verdict]}: {shares}, nearly the same share ({evidence})."
    return f"{HEADS[verdict]}: {shares} ({evidence}){more}."


def guessing_by_interval(verdict: Verdict, j: Estimate, how: str) -> str:
    """Return the same from an interval that knows how cases were drawn."""
    more = f". {_size(j)}" if verdict in _HARDLY else ""
    return f"{HEADS[verdict]}: Youden's J is {j.value_text}, {j.range_text} ({how}){more}."


def _shares(counts: Counts, where: str, base: int) -> str:
    found = rate_of(float(counts.tp), float(counts.positives), "positive", base)
    flagged = rate_of(float(counts.fp), float(counts.negatives), "negative", base)
    found = f"misses {found.removeprefix('not ')}" if found.startswith("not ") else f"finds {found}"
    flagged = "does not flag the only negative" if flagged.startswith("not ") else f"flags {flagged}"
    return f"{where}it {found} and {flagged}"


def _size(j: Estimate) -> str:
    """How large a small effect is, in cases."""
    base = 1000
    while round(abs(j.value) * base) < 2 and base < LARGEST:
        base *= 10
    more = "more" if j.value > 0 else "fewer"
    ends = sorted(abs(end) * base for end in (j.low, j.high))
    return (
        f"Of {base:,} positives it finds about {abs(j.value) * base:,.0f} {more} than random labels with the same "
        f"false positive rate would ({j.confidence_level * 100:.4g}% interval {ends[0]:,.0f} to {ends[1]:,.0f})"
    )


def _settled(counts: Counts, j: Estimate) -> str:
    """How many cases would settle it, where that is known."""
    n, error = float(counts.total), (j.high - j.low) / (2 * float(ndtri((1 + j.confidence_level) / 2)))
    needed = cases_needed(n, j.value, error, j.confidence_level) if n >= _FEWEST else math.nan
    if not n < needed < _FAR * n:
        return ""
    return f"; about {times(needed)} cases like these would settle a difference of this size"
