"""How counts and shares are said, so that the grammar holds for one, for none and for many."""

from __future__ import annotations

from collections.abc import Mapping

LARGEST = 10**6  # nobody pictures more people than a million
_ROUGH = 0.25  # so far a rounded share may be off, as a share of itself: 1 of 100 is not said of 6 in 1,000


def out_of(share: float) -> str:
    """A share as so many of a round number that shows something.

    >>> out_of(.73), out_of(.0004), out_of(0.0), out_of(1.0), out_of(.9996), out_of(.0063)
    ('73 of 100', '4 of 10,000', 'none of the', 'all of the', '9,996 of 10,000', '6 of 1,000')
    """
    if share in (0, 1):
        return "all of the" if share else "none of the"
    base, rarer = 100, min(share, 1 - share)
    while abs(round(rarer * base) - rarer * base) > _ROUGH * rarer * base and base < LARGEST:
        base *= 10
    return f"{round(share * base):,} of {base:,}"


def labelled(count: int, wrong: int, label: str) -> str:
    """How many cases get a label, and how many of them wrongly.

    >>> labelled(0, 0, "positive"), labelled(1, 1, "positive"), labelled(9, 2, "negative"), labelled(9, 0, "negative")
    ('none is labelled positive', '1 is labelled positive, wrongly', '9 are labelled negative, 2 of them wrongly', \
'9 are labelled negative, all of them rightly')
    """
    if count == 0:
        return f"none is labelled {label}"
    if count == 1:
        return f"1 is labelled {label}, {'wrongly' if wrong else 'rightly'}"
    how = (
        "all of them rightly"
        if not wrong
        else "all of them wrongly"
        if wrong == count
        else f"{wrong:,} of them wrongly"
    )
    return f"{count:,} are labelled {label}, {how}"


def counted(size: float, noun: str) -> str:
    """A number of things.

    >>> counted(1, "positive"), counted(3, "positive"), counted(2.5, "case"), counted(0, "case")
    ('1 positive', '3 positives', '2.5 cases', 'no cases')
    """
    if size == 0:
        return f"no {noun}s"
    return f"{size:,.3g} {noun}{'' if size == 1 else 's'}" if size < 1000 else f"{size:,.0f} {noun}s"


def times(ratio: float) -> str:
    """How many times as much, without false precision.

    >>> times(.031), times(2.46), times(31.2), times(1234.5)
    ('0.031', '2.5', '31', '1,200')
    """
    if ratio >= 100:
        digits = len(str(int(ratio))) - 2
        return f"{round(ratio / 10**digits) * 10**digits:,}"
    return f"{ratio:.2g}"


def told_apart(one: float, other: float) -> tuple[str, str]:
    """Two shares with as many digits as it takes to see which is larger, three at least.

    >>> told_apart(.84, .7), told_apart(.98971, .99)
    (('0.840', '0.700'), ('0.9897', '0.9900'))
    """
    digits = 3
    while one != other and f"{one:.{digits}f}" == f"{other:.{digits}f}" and digits < 9:
        digits += 1
    return f"{one:.{digits}f}", f"{other:.{digits}f}"


def only(sizes: Mapping[str, float], worth: str = "") -> str:
    """That there are few of something, or none.

    >>> only({"positive": 1}), only({"positive": 0, "negative": 3})
    ('There is only 1 positive', 'There are no positives and only 3 negatives')
    """
    there = "is" if next(iter(sizes.values())) == 1 else "are"
    said = [f"only {worth}{counted(size, name)}" if size else counted(size, name) for name, size in sizes.items()]
    both = " and ".join(said)
    return f"There {there} {both if said[0].startswith('no ') else both.replace(' and only ', ' and ')}"
