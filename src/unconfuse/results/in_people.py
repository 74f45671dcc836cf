"""Four counts as a reader pictures them: so many of 1,000, and one sentence. A page says the same while it moves."""

from __future__ import annotations

import math

from unconfuse._sayings import LARGEST
from unconfuse.table import Counts

CELLS = ("tp", "fp", "fn", "tn")
FEW = 10  # positives from which on shares of a hundred are said of them


def in_whole(counts: Counts, n: int = 1000) -> dict[str, int]:
    """The four cells per n cases, rounded so that they still add up to n.

    >>> in_whole(Counts(tp=30, fp=20, fn=10, tn=140))
    {'tp': 150, 'fp': 100, 'fn': 50, 'tn': 700}
    """
    exact = {name: n * float(getattr(counts, name) / counts.total) for name in CELLS}
    share = {name: math.floor(exact[name] + 1e-9) for name in CELLS}
    by_remainder = sorted(CELLS, key=lambda name: round(1e6 * (share[name] - exact[name])))
    for name in by_remainder[: n - sum(share.values())]:
        share[name] += 1
    return share


def so_many(share: float) -> tuple[int, int]:
    """A share as so many of 100, or of so many more that neither none nor all is said of what is only nearly so.

    >>> so_many(.73), so_many(.0004), so_many(0.0), so_many(.9996)
    ((73, 100), (4, 10000), (0, 100), (9996, 10000))
    """
    base = 100
    while 0 < share < 1 and round(share * base) in (0, base) and base < LARGEST:
        base *= 10
    return round(share * base), base


def answer(counts: Counts, prevalence: float | None = None, *, positive: str = "positive", unit: str = "cases") -> str:
    """What a classifier does to those who are positive, and what its alarms are worth where so many are.

    >>> answer(Counts(tp=30, fp=20, fn=10, tn=140), positive="ill", unit="patients")
    'Of 100 ill patients, it finds 75 and misses 25. Of 100 alarms, 60 are right.'
    >>> answer(Counts(tp=30, fp=20, fn=10, tn=140), 0.001)
    'Of 100 positive cases, it finds 75 and misses 25. Of 100 alarms, 1 is right.'
    >>> answer(Counts(tp=0, fp=0, fn=10, tn=140))
    'It raises no alarm: all positive cases are missed.'
    >>> answer(Counts(tp=3, fp=20, fn=1, tn=140))
    'Of only 4 positive cases, it finds 3 and misses 1. Of 100 alarms, 13 are right.'
    """
    there = counts if prevalence is None else counts.at_prevalence(prevalence)
    if not counts.labelled_positive:
        return f"It raises no alarm: all {positive} {unit} are missed."
    found = _finding(counts, f"{positive} {unit}")
    return f"{found}. {_alarms(float(there.tp / there.labelled_positive))}."


def _finding(counts: Counts, whom: str) -> str:
    share = float(counts.tp / counts.positives)
    if counts.positives < FEW and float(counts.tp).is_integer() and float(counts.fn).is_integer():
        return _finding_few(int(counts.tp), int(counts.positives), whom)
    if share in (0, 1):
        return f"It finds all {whom}" if share else f"It finds none of the {whom}"
    found, base = so_many(share)
    return f"Of {base:,} {whom}, it finds {found:,} and misses {base - found:,}"


def _finding_few(found: int, n: int, whom: str) -> str:
    """So few that shares of a hundred would promise what nobody knows."""
    if n == 1:
        return f"It {'finds' if found else 'misses'} the only one of the {whom}"
    return f"Of only {n} {whom}, it finds {found} and misses {n - found}"


def _alarms(share: float) -> str:
    if share in (0, 1):
        return "Every alarm is right" if share else "No alarm is right"
    right, base = so_many(share)
    return f"Of {base:,} alarms, {right:,} {'is' if right == 1 else 'are'} right"
