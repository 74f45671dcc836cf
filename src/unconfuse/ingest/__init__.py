"""One door for data: whatever `Data` describes becomes a `Sample`.

Nothing outside this room knows data-frame libraries, the file engine, databases or Spark, and none is imported before
it is needed. A kind of source is one module with two functions: `recognises(data)`, and `read(data, needs)`, which
hands over a sample. Most leave the checking to others: columns in memory to `ingest.rows`, and what an engine has
added up by label and score to `ingest.groups`. To add a kind, write the module and put its name into `SOURCES`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from unconfuse.ingest.data import Data, DataWords, Needs, Progress, refuse_words
from unconfuse.ingest.tables import in_bins
from unconfuse.table.sample import Sample

__all__ = ["Data", "DataWords", "read"]

SOURCES = ("arrays", "tables", "spark", "databases", "files", "frames")  # the first that recognises the data reads them


def read(
    data: Data,
    *,
    rows: bool = False,
    edges: Sequence[float] = (),
    models: bool = False,
    progress: Progress | None = None,
) -> Sample:
    """The cases that are described, checked: near, where their rows are in memory, or distant.

    Parameters
    ----------
    data : Data
        Its source may be a `Sample`, which is handed back.
    rows : bool
        Whether cases must be told apart (as when models are compared). Otherwise sources that can add up their rows
        hand over tables alone.
    edges : floats
        Where bins must begin, so that the 2x2 table at these thresholds stays exact.
    models : bool
        Whether a mapping of scores is of models, even if its keys could name the classes.
    progress : callable, optional
        Called with (rows read, rows in all or 0) while files are read.

    Examples
    --------
    >>> read(Data([1, 0, 1], [.9, .2, .4]))
    NearSample(3 cases, 2 positive, models: score)
    >>> read(Data({"y": ["a", "b"], "p": [.1, .8]}, positive="b")).classes
    ('a', 'b')
    >>> read(Data({"y": ["a", "b", "a"], "p_a": [.7, .2, .5], "p_b": [.3, .8, .5]}, scores="p_*"))
    NearSample(3 cases, 2 classes, models: score)
    """
    if isinstance(data.source, Sample):
        refuse_words(data, frozenset(("source",)), "the cases have been read already")
        return data.source
    needs = Needs(rows, tuple(edges), models, progress)
    source = source_of(data)
    found: Sample = source.read(data, needs)
    makes_bins = getattr(source, "MAKES_BINS", False)
    return found if data.bins is None or makes_bins else in_bins(found, data.bins, needs)


def source_of(data: Data) -> Any:
    """The module that reads this kind of source."""
    modules = (import_module(f"{__name__}.{name}") for name in SOURCES)
    return next(module for module in modules if module.recognises(data))
