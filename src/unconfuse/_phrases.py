"""How counts and shares are said, so that the grammar holds for one, for none and for many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unconfuse.policy import FEW

LARGEST = 10**6  # nobody pictures more people than a million
_LITTLE = {"true", "false", "yes", "no"}  # what says little without the name of its column
_ROUGH = 0.25  # so far a rounded share may be off, as a share of itself: 1 of 100 is not said of 6 in 1,000


def out_of(share: float, base: int = 100) -> str:
    """Return a share as so many of a round number that shows something, `base` at least.

    >>> out_of(.73), out_of(.0004), out_of(0.0), out_of(1.0), out_of(.9996), out_of(.0063)
    ('73 of 100', '4 of 10,000', 'none of the', 'all of the', '9,996 of 10,000', '6 of 1,000')
    """
    if share in (0, 1):
        return "all of the" if share else "none of the"
    rarer = min(share, 1 - share)
    while abs(round(rarer * base) - rarer * base) > _ROUGH * rarer * base and base < LARGEST:
        base *= 10
    return f"{round(share * base):,} of {base:,}"


def rate_of(hits: float, size: float, noun: str, base: int = 100) -> str:
    """Return a share of a class in words: counts if they are few, or if it is none or all; else so many of 100.

    >>> rate_of(73, 100, "positive"), rate_of(40, 40, "positive"), rate_of(0, 40, "negative"), rate_of(3, 4, "positive")
    ('73 of 100 positives', 'all 40 positives', 'none of the 40 negatives', '3 of 4 positives')
    >>> rate_of(1, 1, "positive"), rate_of(0, 1, "positive")
    ('the only positive', 'not the only positive')
    >>> rate_of(2, 2, "positive"), rate_of(0, 2, "positive")
    ('both positives', 'neither of the 2 positives')
    """
    if size == 1 and hits in (0, 1):
        return f"the only {noun}" if hits else f"not the only {noun}"
    if 0 < hits < size and size < FEW and float(hits).is_integer() and float(size).is_integer():
        return f"{hits:g} of {size:g} {noun}s"
    if size == 2 and hits in (0, 2):
        return f"both {noun}s" if hits else f"neither of the 2 {noun}s"
    if hits in (0, size):
        return f"all {counted(size, noun)}" if hits else f"none of the {counted(size, noun)}"
    return f"{out_of(hits / size, base)} {noun}s"


def labelled(count: int, wrong: int, label: str, seen: float = 0.0) -> str:
    """Return how many cases get a label and how many of them wrongly; `seen` of them were in the data.

    >>> labelled(0, 0, "positive"), labelled(9, 2, "negative"), labelled(9, 9, "negative")
    ('0 are labelled positive', '9 are labelled negative (2 wrongly)', '9 are labelled negative (all wrongly)')
    >>> labelled(590, 0, "positive", 141), labelled(1, 1, "positive")
    ('590 are labelled positive (none of the 141 in the data wrongly)', '1 is labelled positive (wrongly)')
    """
    said = f"{count:,} {'is' if count == 1 else 'are'} labelled {label}"
    if count == 0:
        return said
    if wrong:
        return f"{said} ({'' if count == 1 else 'all ' if wrong == count else f'{wrong:,} '}wrongly)"
    if seen == 1:
        return f"{said} (the only one in the data rightly)"
    return f"{said} (none of the {seen:,.7g} in the data wrongly)" if seen else f"{said} (fewer than 1 wrongly)"


def counted(size: float, noun: str) -> str:
    """Format a number of things.

    >>> counted(1, "positive"), counted(3, "positive"), counted(2.5, "case"), counted(0, "case")
    ('1 positive', '3 positives', '2.5 cases', 'no cases')
    """
    if size == 0:
        return f"no {noun}s"
    return f"{size:,.3g} {noun}{'' if size == 1 else 's'}" if size < 1000 else f"{size:,.0f} {noun}s"


def called(name: str, noun: str) -> str:
    """Return a name as a sentence calls it, after what it names: "smoker 1" says more than "1".

    >>> called("1", "smoker"), called("women", "sex")
    ('smoker 1', 'women')
    """
    says_little = not any(map(str.isalpha, name)) or name.lower() in _LITTLE
    return f"{noun} {name}" if says_little else name


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
    """Return two shares with as many digits as it takes to see which is larger, three at least; 1 is only what is 1.

    >>> told_apart(.84, .7), told_apart(.98971, .99), told_apart(.991, .9999), told_apart(1.0, .8)
    (('0.840', '0.700'), ('0.9897', '0.9900'), ('0.9910', '0.9999'), ('1.000', '0.800'))
    """
    digits = 3
    while digits < 9 and (
        (one != other and f"{one:.{digits}f}" == f"{other:.{digits}f}")
        or any(each < 1 and float(f"{each:.{digits}f}") == 1 for each in (one, other))
    ):
        digits += 1
    return f"{one:.{digits}f}", f"{other:.{digits}f}"


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def only(sizes: Mapping[str, float], worth: str = "") -> str:
    """Say that there are few of something, or none.

    >>> only({"positive": 1}), only({"positive": 0, "negative": 3}), only({"positive": 2, "negative": 2})
    ('Only 1 positive', 'No positives and only 3 negatives', 'Only 2 positives and 2 negatives')
    """
    said = [f"only {worth}{counted(size, name)}" if size else counted(size, name) for name, size in sizes.items()]
    both = " and ".join(said)
    both = both if said[0].startswith("no ") else both.replace(" and only ", " and ")
    return f"{both[0].upper()}{both[1:]}"
