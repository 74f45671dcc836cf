"""Which words of `Data` mean something for which kind of source: the others are refused, none is passed over."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from unconfuse._errors import InputError
from unconfuse._validate import brief, check_choice, check_whole
from unconfuse.ingest.data import Data, Progress

WHEN_BAD = ("error", "skip")
NAMES = frozenset(("label", "score", "scores", "weight", "group", "by", "fold", "id"))  # of columns
VALUES = frozenset(("weights", "groups", "folds"))  # one for each row
ANY = frozenset(("source", "predicted", "positive", "classes", "on_bad_row", "bins"))


class Needs(NamedTuple):
    """What a verb needs of the data.

    Attributes
    ----------
    rows : bool
        Whether cases must be told apart; otherwise score tables will do.
    edges : floats
        Where bins must begin, so that counts at these thresholds stay exact.
    models : bool
        Whether a mapping of scores is of models, even if its keys could name the classes.
    progress : callable or None
        Called with (rows read, rows in all or 0).
    """

    rows: bool = False
    edges: tuple[float, ...] = ()
    models: bool = False
    progress: Progress | None = None


def is_array_source(data: Data) -> bool:
    """Whether labels are given as they are, rather than by the name of a column."""
    if data.s is not None or isinstance(data.source, list | tuple | np.ndarray):
        return True
    if data.predicted is None or has_names(data.predicted):
        return False
    return not (isinstance(data.source, str | os.PathLike | Mapping) or hasattr(type(data.source), "columns"))


def is_several(data: Data) -> bool:
    """Whether columns of several classes were asked for."""
    return data.scores is not None or data.predicted is not None


def has_values(data: Data) -> bool:
    """Whether something was given as a value for each row, apart from the source."""
    by_values = data.by is not None and not isinstance(data.by, str) and not _are_names(data.by)
    apart = data.predicted is not None and not all(isinstance(own, str) for own in _each(data.predicted))
    return by_values or apart or any(getattr(data, word) is not None for word in VALUES)


def has_names(given: Any) -> bool:
    """Whether a column is named, for the only model or for one of several."""
    return any(isinstance(own, str) for own in _each(given))


def _each(given: Any) -> list[Any]:
    return list(given.values()) if isinstance(given, Mapping) else [given]


def _are_names(by: Any) -> bool:
    return isinstance(by, list | tuple) and all(isinstance(each, str) for each in by)


def refuse_words(data: Data, known: frozenset[str], what: str, hint: str = "") -> None:
    """Each word acts on this kind of source, or is refused; `what` says what kind it is."""
    given = data.words()
    for word, value in given.items():
        if word not in known:
            raise refused(word, value, what, hint)
    check_choice(data.on_bad_row, "on_bad_row", WHEN_BAD)
    for word in ("bins", "max_distinct"):
        if word in given:
            check_whole(given[word], word, at_least=1)
    for one, other in (("weight", "weights"), ("group", "groups"), ("fold", "folds")):
        if one in given and other in given:
            raise InputError(f"`{one}` and `{other}` say the same in two ways. Hint: give one of them.")


def refuse_with_several(data: Data) -> None:
    """What only a yes-or-no question has."""
    if data.positive is not None:
        raise InputError(
            f"`positive` is for a yes-or-no question, but there are several classes; got {brief(data.positive)}. "
            "Hint: leave it out; `of_class` judges one class against the rest."
        )
    if data.score is not None:
        raise InputError(
            "`score` is the one score of a yes-or-no question, but there are several classes. "
            "Hint: name the column of each class with scores=, or leave out predicted=."
        )


def refused(word: str, value: Any, what: str, hint: str = "") -> InputError:
    """The refusal of a word that means nothing for this kind of source."""
    why = _WHY.get(word, f"{word}={brief(value)} names a column")
    return InputError(f"{why}, but {what}. Hint: {_HINTS.get(word) or hint or f'leave `{word}` out'}.")


_WHY = {
    "table": "`table` chooses rows of a database",
    "query": "`query` chooses rows of a database",
    "delimiter": "`delimiter` separates the columns of a CSV file",
    "max_distinct": "`max_distinct` says when Spark makes bins",
    "on_bad_row": "`on_bad_row` leaves out rows",
    "positive": "`positive` names a label",
    "classes": "`classes` names labels",
    "bins": "`bins` makes tables of blocks of scores",
    **{word: f"`{word}` holds a value for each row" for word in ("s", *VALUES)},
}
_HINTS = dict.fromkeys(("table", "query"), "leave it out, or give an address such as sqlite:///file.db")
