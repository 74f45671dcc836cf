"""Every error and warning that unconfuse raises on purpose, and hints in the words of the surface that was used."""

import ast
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

_HERE = str(Path(__file__).parent)


_HINT = " Hint: "


class UnconfuseError(ValueError):
    """Something the caller can put right. The message says what was wrong, what was given and what to do.

    Attributes
    ----------
    problem : str
        What was wrong, and what was given.
    hint : str
        What to do, or nothing.
    argument : str
        The argument that is at fault, as stated or as the message begins; nothing where it is the data.

    Examples
    --------
    >>> error = UnconfuseError("`threshold` must lie between 0 and 1; got 5. Hint: 5% is 0.05.")
    >>> error.argument, error.problem, error.hint
    ('threshold', '`threshold` must lie between 0 and 1; got 5.', '5% is 0.05.')
    """

    def __init__(self, message: object = "", *, argument: str = "") -> None:
        super().__init__(message)
        self.stated_argument = argument

    @property
    def problem(self) -> str:
        """Return the message without its hint."""
        return str(self).partition(_HINT)[0]

    @property
    def hint(self) -> str:
        """Return what to do."""
        return str(self).partition(_HINT)[2]

    @property
    def argument(self) -> str:
        """Return the argument that is at fault: as stated, or the one with which the message begins."""
        if self.stated_argument:
            return self.stated_argument
        before, *first = parts_of(self.problem)[:2]
        name = first[0].name if not before and first and isinstance(first[0], Mention) else ""
        return name if name.isidentifier() else ""


class InputError(UnconfuseError):
    """The data cannot be used as given: lengths, labels, scores, weights, columns or files."""


class BadRowsError(InputError):
    """Some rows of a file cannot be used; a surface can offer to skip them."""

    def __init__(self, message: str, rows: int = 0) -> None:
        super().__init__(message)
        self.rows = rows


class ArgumentError(UnconfuseError):
    """An option has a value that makes no sense here."""


class CallError(ArgumentError, TypeError):
    """A function was called with an argument that it does not have, or without one that it needs."""


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
    """Something was done that the caller should know about.

    Examples
    --------
    >>> import warnings
    >>> import unconfuse as uc
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always", uc.UnconfuseWarning)
    ...     found = uc.evaluate([1, 0, 1, 0], [.3, .3, .3, .3], metrics=["auroc"], threshold=.5)
    >>> print(said[0].message)
    all scores are 0.3, so the cases are not ranked.
    """


class WeightWarning(UnconfuseWarning):
    """Weights that are not whole numbers: intervals take the total weight as the number of cases."""


class SkippedRowsWarning(UnconfuseWarning):
    """Rows that could not be used were left out, as asked."""


class RenamedWarning(UnconfuseWarning, DeprecationWarning):
    """A name was used that has another one now, and will go."""


def warn(words: str, kind: type[UnconfuseWarning] = UnconfuseWarning) -> None:
    """Issue a warning at the caller's line, however many of our own functions lie between."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame, level = frame.f_back, level + 1
    warnings.warn(words, kind, stacklevel=level)


def text_of(value: object) -> str:
    """Return the value as text, even a whole number of more digits than Python writes out.

    >>> text_of("a"), text_of(10**5000)[:6]
    ('a', '0x31e2')
    """
    try:
        return str(value)
    except ValueError:
        return hex(value) if isinstance(value, int) else f"a {type(value).__name__}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint that offers the known name closest to a misspelt one, or lists them all.

    >>> did_you_mean("sensitivty", ["sensitivity", "specificity"])
    "Hint: did you mean 'sensitivity'?"
    >>> did_you_mean("auroc", [])
    'Hint: there is none yet.'
    """
    names = list(dict.fromkeys(from_data(str(each)) for each in known))
    import difflib

    if not names:
        return "Hint: there is none yet."
    text = text_of(name)
    short = 2 < len(text) <= 4  # one letter makes ppv npv, and tpr fpr: another thing, not a slip
    close = [each for each in names if each.lower() == text.lower()][:1]
    close = close or difflib.get_close_matches(text, names, n=1, cutoff=0.75 if short else 0.6)
    if close:
        return f"Hint: did you mean {close[0]!r}?"
    shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    return f"Hint: known names are {shown}."


_ON_COMMAND_LINE: ContextVar[bool] = ContextVar("on_command_line", default=False)


@contextmanager
def on_command_line() -> Iterator[None]:
    """While a command runs, hints speak of options."""
    token = _ON_COMMAND_LINE.set(True)
    try:
        yield
    finally:
        _ON_COMMAND_LINE.reset(token)


_GRAVE = "\N{MODIFIER LETTER GRAVE ACCENT}"  # in messages, a backquote that the data hold


def from_data(name: str) -> str:
    """Return the name of a file, a column or a label as a message shows it: backquotes are for arguments.

    >>> from_data("`weight`.csv")
    'ˋweightˋ.csv'
    """
    return name.replace("`", _GRAVE)


def argument_name(name: str, *values: object) -> str:
    """How to give an argument on the surface that was used: `positive='yes'`, or `--positive yes`.

    >>> argument_name("positive", "yes"), argument_name("negative", "no", "never"), argument_name("by")
    ("`positive='yes'`", "`negative=['no', 'never']`", '`by`')
    >>> with on_command_line():
    ...     argument_name("positive", "yes"), argument_name("negative", "no", "never"), argument_name("n_resamples")
    ('--positive yes', '--negative no --negative never', '--resamples')
    """
    if _ON_COMMAND_LINE.get():
        from unconfuse._parameters import options_by_name

        return from_data(in_option(options_by_name().get(name, f"--{name.replace('_', '-')}"), values))
    given = f"={(values[0] if len(values) == 1 else list(values))!r}" if values else ""
    return f"`{name}{from_data(given)}`"


def in_option(option: str, values: Iterable[object]) -> str:
    """Return an option with each of its values, as a shell takes them.

    >>> in_option("--positive", ["yes, of course"]), in_option("--by", [])
    ("--positive 'yes, of course'", '--by')
    """
    return " ".join(f"{option} {shlex.quote(str(value))}" for value in values) or option


def surface_text(in_python: str, on_the_command_line: str) -> str:
    """One of two hints, for what the two surfaces do not call by the same word."""
    return on_the_command_line if _ON_COMMAND_LINE.get() else in_python


@dataclass(frozen=True)
class Mention:
    """An argument or a function in a message, between backquotes: its name, and what Python writes after `=`."""

    name: str
    given: str | None = None

    @property
    def values(self) -> list[str]:
        """The values that are given, as text: of `['no', 'never']` two, of nothing none.

        >>> Mention("negative", "['no', 'never']").values, Mention("by").values, Mention("threshold", "...").values
        (['no', 'never'], [], ['...'])
        """
        if self.given is None:
            return []
        try:
            found = ast.literal_eval(self.given)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return [self.given]
        return [str(each) for each in found] if isinstance(found, list | tuple) else [str(found)]


def parts_of(message: str) -> list[str | Mention]:
    """Take a message apart: text, and the arguments that stand in it between backquotes; commands are text.

    >>> parts_of("`n` is 0. Hint: `n=3`; see `unconfuse plan`.")[1:]
    [Mention(name='n', given=None), ' is 0. Hint: ', Mention(name='n', given='3'), '; see ', '`unconfuse plan`', '.']
    """
    pieces = message.split("`")
    parts: list[str | Mention] = []
    for place, piece in enumerate(pieces):
        if place % 2 == 0:
            parts.append(piece)
        elif place == len(pieces) - 1 or piece.startswith("unconfuse "):
            parts.append(f"`{piece}" + "`" * (place < len(pieces) - 1))
        else:
            name, _, given = piece.partition("=")
            parts.append(Mention(name, given or None))
    return parts


def respelt(message: str, spell: Callable[[Mention], str]) -> str:
    """Return a message with its arguments spelt as on another surface, and the backquotes of the data as they are.

    >>> respelt("`n` is 0. Hint: `n=3`, not 'n=4'.", lambda each: in_option(f"--{each.name}", each.values))
    "--n is 0. Hint: --n 3, not 'n=4'."
    """
    return "".join(part if isinstance(part, str) else spell(part) for part in parts_of(message)).replace(_GRAVE, "`")
