"""Frames of any library that narwhals knows, and mappings of columns: only the columns that matter are collected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unconfuse._errors import InputError
from unconfuse._validate import brief, plain
from unconfuse.ingest.by import orders_of
from unconfuse.ingest.columns import Chosen, choose
from unconfuse.ingest.data import ANY, NAMES, VALUES, Data, Needs, is_several, refuse_with_several, refuse_words
from unconfuse.ingest.rows import named_sample
from unconfuse.table.sample import Sample


def recognises(data: Data) -> bool:
    """Whatever no other kind of source is; what is no frame either is refused on reading."""
    return True


def read(data: Data, needs: Needs) -> Sample:
    """Checked rows of a frame; of a lazy one only its score tables, unless rows are needed.

    Examples
    --------
    >>> read(Data({"y": [1, 0], "p": [.8, .3]}), Needs())
    NearSample(2 cases, 1 positive, models: p)
    """
    refuse_words(data, ANY | NAMES | VALUES, "the data are a frame")
    if is_several(data):
        refuse_with_several(data)
    frame = known_frame(data.source)
    if is_lazy(frame):
        from unconfuse.ingest.lazy import read_lazy

        return read_lazy(frame, data, needs)
    chosen = choose(names_of(frame), data, "the mapping" if isinstance(frame, Mapping) else "the frame")
    return named_sample(chosen, columns_of(frame, chosen), data, orders_of(data.source, chosen.slices))


def known_frame(source: Any) -> Any:
    """A frame as narwhals knows it, or a mapping as it is; anything else is refused."""
    if isinstance(source, Mapping):
        return source
    import narwhals as nw

    try:
        known = nw.from_native(source, pass_through=True)
    except nw.exceptions.DuplicateError:
        twice = next(name for name in source.columns if list(source.columns).count(name) > 1)
        raise InputError(f"the frame has more than one column named {brief(twice)}. Hint: rename one.") from None
    if not isinstance(known, nw.DataFrame | nw.LazyFrame):
        raise InputError(
            f"expected labels and scores, a data frame or the path of a file; got {type(source).__name__}. "
            "Hint: pass scores as well, as in evaluate(y, s)."
        )
    return known


def is_lazy(frame: Any) -> bool:
    """Whether an engine holds the rows of this frame."""
    if isinstance(frame, Mapping):
        return False
    import narwhals as nw

    return isinstance(frame, nw.LazyFrame)


def names_of(frame: Any) -> list[str]:
    """Names of all columns."""
    return [str(name) for name in frame] if isinstance(frame, Mapping) else list(frame.collect_schema().names())


def columns_of(frame: Any, chosen: Chosen) -> dict[str, Any]:
    """The columns that matter, as arrays; only they leave the engine of a lazy frame."""
    if isinstance(frame, Mapping):
        return {name: np.asarray(plain(frame[name])) for name in chosen.needed}
    eager = frame.select(*chosen.needed).collect() if is_lazy(frame) else frame
    return {name: eager.get_column(name).to_numpy() for name in chosen.needed}
