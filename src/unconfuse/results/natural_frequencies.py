"""Four counts as a reader pictures them: so many of 1,000, and one sentence. A page says the same while it moves."""

from __future__ import annotations

import math

from unconfuse._phrases import LARGEST
from unconfuse.policy import FEW
from unconfuse.table import Counts

CELLS = ("tp", "fp", "fn", "tn")
WIDE = 0.5  # of an interval beyond which its middle is not said


def in_whole(counts: Counts, n: int = 1000) -> dict[str, int]:
    """Return the four cells per n cases, rounded so that they still add up to n.

    >>> in_whole(Counts(tp=30, fp=20, fn=10, tn=140))
    {'tp': 150, 'fp': 100, 'fn': 50, 'tn': 700}
    """
    exact = {name: n * float(getattr(counts, name) / counts.total) for name in CELLS}
    share = {name: math.floor(exact[name] + 1e-9) for name in CELLS}
    by_remainder = sorted(CELLS, key=lambda name: round(1e6 * (share[name] - exact[name])))
    for name in by_remainder[: n - sum(share.values())]:
        share[name] += 1
    return share


def natural_frequency(share: float) -> tuple[int, int]:
    """Write a share as so many of 100, or of enough more that what is only nearly none or all is not called so.

    >>> natural_frequency(.73), natural_frequency(.0004), natural_frequency(0.0), natural_frequency(.9996)
    ((73, 100), (4, 10000), (0, 100), (9996, 10000))
    """
    base = 100
    while 0 < share < 1 and round(share * base) in (0, base) and base < LARGEST:
        base *= 10
    return round(share * base), base


Limits = tuple[float, float]


def answer(
    counts: Counts,
    prevalence: float | None = None,
    limits: Limits = (math.nan, math.nan),
    *,
    level: float = 0.95,
    asks: bool = False,
    positive: str = "positive",
    unit: str = "cases",
) -> str:
    """Return what a classifier does to the positives, and how many of those it flags are positive.

    `limits` are those of the precision at this prevalence. With `asks` the design fixed the prevalence, and the one of
    use is asked for instead.

    >>> answer(Counts(tp=30, fp=20, fn=10, tn=140), None, (0.459, 0.724), positive="ill", unit="patients")
    'Of 100 ill patients, it finds 75 and misses 25. Of 100 flagged patients, 60 are ill (95% interval 46 to 72).'
    >>> answer(Counts(tp=30, fp=20, fn=10, tn=140), asks=True)
    'Of 100 positive cases, it finds 75 and misses 25; of 100 others, it flags 12. How many of the flagged are \
positive depends on the prevalence where it is used: set it.'
    >>> answer(Counts(tp=0, fp=0, fn=10, tn=140))
    'It flags none of the cases: all positive cases are missed.'
    >>> answer(Counts(tp=3, fp=0, fn=1, tn=140), None, (0.29, 1.0))
    'Of only 4 positive cases, it finds 3 and misses 1. Of 100 flagged cases, between 29 and 100 are positive (95% \
interval).'
    >>> answer(Counts(tp=30, fp=0, fn=10, tn=0))
    'Of 100 positive cases, it finds 75 and misses 25.'
    """
    there = counts if prevalence is None else counts.at_prevalence(prevalence)
    if not counts.positives:
        return f"There are no {positive} {unit} in these data: nothing can be said about finding them."
    if not counts.labelled_positive:
        return f"It flags none of the {unit}: all {positive} {unit} are missed."
    found = _finding(counts, (positive, unit))
    if not counts.negatives:
        return f"{found}."
    if asks:
        flagged, base = natural_frequency(float(counts.fp / counts.negatives))
        depends = f"How many of the flagged are {positive} depends on the prevalence where it is used: set it"
        return f"{found}; of {base:,} others, it flags {flagged:,}. {depends}."
    right = _flagged(float(there.tp / there.labelled_positive), limits, level, (positive, unit))
    return f"{found}. {right}." if right else f"{found}."


def _finding(counts: Counts, words: tuple[str, str]) -> str:
    whom = " ".join(words)
    share = float(counts.tp / counts.positives)
    if counts.positives < FEW and float(counts.tp).is_integer() and float(counts.fn).is_integer():
        return _finding_few(int(counts.tp), int(counts.positives), words)
    if share in (0, 1):
        of = f"{float(counts.positives):,.7g} {whom} in these data"
        return f"It finds all {of}" if share else f"It finds none of the {of}"
    found, base = natural_frequency(share)
    return f"Of {base:,} {whom}, it finds {found:,} and misses {base - found:,}"


def _finding_few(found: int, n: int, words: tuple[str, str]) -> str:
    """So few that shares of a hundred would promise too much."""
    if n == 1:
        return f"Only one of the {words[1]} is {words[0]}, and it {'finds' if found else 'misses'} that one"
    return f"Of only {n} {words[0]} {words[1]}, it finds {found} and misses {n - found}"


def _flagged(share: float, limits: Limits, level: float, words: tuple[str, str]) -> str:
    """How many of the flagged are positive: one number with its interval, or the interval alone if that is wide."""
    positive, unit = words
    interval = f"{level * 100:.4g}% interval"
    base = natural_frequency(share)[1]
    while (
        0 < share < 1 and limits[0] < limits[1] and base < LARGEST and len({round(end * base) for end in limits}) == 1
    ):
        base *= 10
    right = round(share * base)
    low, high = (math.nan if math.isnan(end) else round(end * base) for end in limits)
    if math.isnan(low):
        return "" if share in (0, 1) else f"Of {base:,} flagged {unit}, about {right:,} {_are(right)} {positive}"
    if share in (0, 1) or limits[1] - limits[0] > WIDE:
        return f"Of {base:,} flagged {unit}, between {low:,} and {high:,} are {positive} ({interval})"
    return f"Of {base:,} flagged {unit}, {right:,} {_are(right)} {positive} ({interval} {low:,} to {high:,})"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
