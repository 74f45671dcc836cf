"""What every verb does first: describe the data once, read them, and say what a reader must know of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from unconfuse._errors import ArgumentError
from unconfuse._validate import mention_skipped
from unconfuse.ingest import Data, DataWords, read
from unconfuse.ingest.data import Progress
from unconfuse.table import Sample

P = ParamSpec("P")
R = TypeVar("R")


def takes_data(verb: Callable[P, R]) -> Callable[P, R]:
    """A verb whose `**data` are the words of `Data`: its signature says so, word by word."""
    known = inspect.signature(verb)
    own = [each for each in known.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    described = inspect.signature(Data).parameters
    words = [described[name] for name in DataWords.__annotations__ if name not in known.parameters]
    verb.__signature__ = known.replace(parameters=[*own, *words])  # type: ignore[attr-defined]
    return verb


def sample_of(
    source: Any,
    s: Any,
    words: DataWords,
    *,
    rows: bool = False,
    models: bool = False,
    edges: Sequence[float] = (),
    progress: Progress | None = None,
) -> Sample:
    """The sample behind a verb's arguments: a `Data`, or a source with the same words."""
    if isinstance(source, Data):
        beside = [*(["s"] if s is not None else []), *words]
        if beside:
            raise ArgumentError(
                f"the data are described already, but `{beside[0]}` came beside them. Hint: put it into Data(...)."
            )
    unknown = [name for name in words if name not in DataWords.__annotations__]
    if unknown:
        raise TypeError(f"got an unexpected keyword argument {unknown[0]!r}")
    data = source if isinstance(source, Data) else Data(source, s, **words)
    sample = read(data, rows=rows, models=models, edges=edges, progress=progress)
    mention_skipped(sample.skipped, stacklevel=5)
    return sample


def only_table(source: Any, s: Any, words: DataWords, what: str, *, groups: bool = False) -> Sample:
    """A sample of one yes-or-no question and one model; cases in groups only where the verb knows them."""
    sample = sample_of(source, s, words)
    too_much = {
        "several classes": sample.several,
        "groups of cases": sample.is_clustered and not groups,
        "subgroups": bool(sample.by),
        "folds": bool(sample.fold_parts()),
        "several models": len(sample.models) > 1,
    }
    for kind, given in too_much.items():
        if given:
            raise ArgumentError(f"{what} knows no {kind}. Hint: leave them out, or use `evaluate`.")
    return sample
