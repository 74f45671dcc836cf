"""What pictures are given: labels and scores, models by name, a comparison; or a word on what they need."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from unconfuse._validate import public_api
from unconfuse.api import score_table
from unconfuse.results import Comparison

Picture = TypeVar("Picture", bound=Callable[..., Any])


def given(picture: Picture) -> Picture:
    """Return a picture that also takes labels and scores, `plot_roc(y, s)`, and the models of a comparison."""
    checked = public_api(picture)
    of_data = next(iter(inspect.signature(picture).parameters), "") == "data"

    @functools.wraps(picture)
    def drawn(*args: Any, **how: Any) -> Any:
        if of_data and len(args) > 1 and _is_column(args[0]):
            args = (_tables(*args[:2]), *args[2:])
        elif of_data and args and isinstance(args[0], Comparison):
            args = (dict(args[0].evaluations), *args[1:])
        return checked(*args, **how)

    return drawn  # type: ignore[return-value]


def _is_column(value: Any) -> bool:
    """Tell a column of the user's from a text and from tables and results of ours, which have a length as well."""
    ours = type(value).__module__.startswith("unconfuse.")
    return hasattr(value, "__len__") and not ours and not isinstance(value, str | Mapping)


def _tables(labels: Any, scores: Any) -> Any:
    if isinstance(scores, Mapping):
        return {name: score_table(labels, score) for name, score in scores.items()}
    return score_table(labels, scores)
