"""Every error and warning that unconfuse raises on purpose."""

import difflib
from collections.abc import Iterable


class UnconfuseError(ValueError):
    """Something the caller can put right. The message says what was wrong, what was given and what to do."""


class InputError(UnconfuseError):
    """The data cannot be used as given: lengths, labels, scores, weights, columns or files."""


class ArgumentError(UnconfuseError):
    """An option has a value that makes no sense here."""


class UnknownNameError(ArgumentError, KeyError):
    """A result was asked for a metric or a rule that it does not hold."""

    def __str__(self) -> str:
        return str(self.args[0])


class EngineError(UnconfuseError):
    """The engine that holds the data did not answer, or gave up."""


class ContradictionError(UnconfuseError):
    """The given quantities cannot all be true at once."""


class InsufficientError(UnconfuseError):
    """The given quantities do not determine the ones asked for."""


class UnconfuseWarning(UserWarning):
    """Something was done that the caller should know about."""


class WeightWarning(UnconfuseWarning):
    """Weights that are not whole numbers: intervals take the total weight as the number of cases."""


class SkippedRowsWarning(UnconfuseWarning):
    """Rows that could not be used were left out, as asked."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint that offers the known name closest to a misspelt one, or lists them all.

    >>> nearest("sensitivty", ["sensitivity", "specificity"])
    "Hint: did you mean 'sensitivity'?"
    """
    names = [str(each) for each in known]
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.6)
    if close:
        return f"Hint: did you mean {close[0]!r}?"
    shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    return f"Hint: known names are {shown}."
