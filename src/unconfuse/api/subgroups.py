"""Every metric of every subgroup: divide the rows once, then judge each part as the whole is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.api._estimates import How
from unconfuse.comparison import Subgroups
from unconfuse.comparison.subgroups import merged
from unconfuse.ingest._old import DividedTables, Tables
from unconfuse.ingest.by import MISSING, refuse_many
from unconfuse.metrics import Metric
from unconfuse.results import Evaluation
from unconfuse.table import Scores, ScoreTable

Data = Scores | Tables | ScoreTable
Judge = Callable[[Data, ScoreTable, tuple[Metric, ...], str, How], Evaluation]


@dataclass(frozen=True)
class Divided:
    """The cases of each subgroup, those of everyone, and what divides them."""

    parts: Mapping[str, Data]
    everyone: Data
    columns: tuple[str, ...]
    clustered: Scores | None = None


def is_tables(data: Any) -> bool:
    """Whether this is a mapping from subgroups to their score tables, as an engine that groups rows would give."""
    return isinstance(data, Mapping) and bool(data) and all(isinstance(each, ScoreTable) for each in data.values())


def divided(data: Any, by: Any, reference: Any) -> Divided | None:
    """The parts, if there are any."""
    if isinstance(data, Mapping):
        return _of_tables({str(name): table for name, table in data.items()}, by)
    if isinstance(data, Scores) and data.by is not None:
        whole = replace(data, by=None)
        return Divided(data.divided(), whole, data.by.columns, data if data.groups is not None else None)
    if isinstance(data, DividedTables):
        return Divided(data.parts, data, data.columns)
    if by is not None:
        raise ArgumentError(
            "a score table has no rows to divide. Hint: give one table for each subgroup, as in "
            "evaluate({'F': table_of_women, 'M': table_of_men})."
        )
    if reference is not None:
        raise ArgumentError("`reference` names a subgroup, but there are none. Hint: pass `by=` as well.")
    return None


def by_subgroup(division: Divided, overall: Evaluation, reference: Any, how: How, judge: Judge) -> Subgroups:
    """Each part judged as the whole was; a part of one class, or of few cases, is an ordinary part."""
    found = {}
    for place, (name, part) in enumerate(division.parts.items(), start=1):
        table = part if isinstance(part, ScoreTable) else part.table()
        if len(table):  # rows of weight 0 are no rows
            found[name] = judge(_recoded(part), table, overall.metrics, name, turn(how, place, division))
    result = Subgroups(found, overall, division.columns, _largest(found), division.clustered)
    return result if reference is None else result.compared_with(reference)


def turn(how: How, place: int, division: Divided | None) -> How:
    """The same settings, with progress that counts the resamples of all parts."""
    tell = how.progress
    if tell is None or division is None:
        return how
    turns = len(division.parts) + 1
    return replace(how, progress=lambda done, total: tell(place * total + done, turns * total))


def _of_tables(tables: Mapping[str, ScoreTable], by: Any) -> Divided:
    columns = ("subgroup",) if by is None else (by,) if isinstance(by, str) else tuple(map(str, by))
    refuse_many(len(tables), int(sum(table.n for table in tables.values())), columns)
    return Divided(tables, merged(list(tables.values())), columns)


def _recoded(part: Data) -> Data:
    """Groups are counted anew: a subgroup need not hold all of them."""
    if not isinstance(part, Scores) or part.groups is None:
        return part
    return replace(part, groups=np.unique(part.groups, return_inverse=True)[1].astype(np.int64))


def _largest(found: Mapping[str, Evaluation]) -> str:
    known = [name for name in found if name != MISSING] or list(found)
    return max(known, key=lambda name: found[name].n)
