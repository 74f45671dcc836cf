"""Score tables made on the executors: exact, or in bins that are cut from a sample of the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._validate import brief
from unconfuse.ingest import _spark_sql as sql
from unconfuse.ingest._spark_checks import refuse_bad_rows
from unconfuse.ingest._spark_errors import asked
from unconfuse.ingest.by import division_of, refuse_many
from unconfuse.ingest.columns import Chosen
from unconfuse.ingest.merging import merge_all
from unconfuse.table import Array, ScoreTable

MAX_DISTINCT = 20_000_000  # distinct scores, all models together, that the driver takes: about 1.5 GB there
BINS = 65_536
_SAMPLE = 8  # distinct scores for each bin, from which bins are cut


@dataclass(frozen=True)
class Precision:
    """How many distinct scores the driver takes; beyond that, how many bins, and where a bin must begin."""

    bins: int | None = None
    max_distinct: int = MAX_DISTINCT
    edges: tuple[float, ...] = ()


def kept_columns(frame: Any, chosen: Chosen, classes: Sequence[Any], text: bool) -> Any:
    """Only what is needed, under names of our own; `classes` are columns that tell what rows are or were called."""
    columns = list(classes)
    columns += [
        _double(frame, name, text).alias(f"{kind}{place}")
        for kind in ("s", "k")
        for place, name in enumerate(chosen.scores.values())
    ]
    columns += [frame[sql.quoted(name)].alias(f"b{place}") for place, name in enumerate(chosen.by)]
    if text:
        columns += [
            frame[sql.quoted(name)].cast("string").alias(f"t{place}")
            for place, name in enumerate(chosen.scores.values())
        ]
    if chosen.weight is not None:
        columns.append(_double(frame, chosen.weight, text).alias("w"))
    unit = chosen.group or chosen.id
    if unit is None:
        return frame.select(*columns)
    kept = frame.select(*columns, frame[sql.quoted(unit)].cast("string").alias("unit"))
    others = [name for name in kept.columns if name != "unit"]
    return kept.selectExpr(*others, "CAST(conv(substring(md5(unit), 1, 15), 16, 10) AS BIGINT) AS unit")


def _double(frame: Any, name: str, text: bool) -> Any:
    column = frame[sql.quoted(name)]
    return (column.try_cast("double") if text else column.cast("double")) + 0.0  # -0.0 and 0.0 are one score


def count_subgroups(kept: Any, chosen: Chosen, n_rows: int) -> int:
    """How many there are, before all of them come to the driver; a column of ids is refused."""
    if not chosen.by:
        return 1
    found = asked(kept, sql.subgroups(len(chosen.by)), rows=kept)
    refuse_many(int(found["n"][0]), n_rows, chosen.by)
    return int(found["n"][0])


def edges_of_bins(kept: Any, chosen: Chosen, n_rows: int, subgroups: int, precision: Precision) -> list[Array] | None:
    """Where bins begin, ascending, for each model; None if tables are exact."""
    models, bins = len(chosen.scores), precision.bins
    if bins is None and n_rows * models <= precision.max_distinct:
        return None
    found = asked(kept, sql.distinct_scores(models), rows=kept)
    distinct = [int(found[f"n{model}"][0]) for model in range(models)]
    if bins is None and sum(distinct) * subgroups <= precision.max_distinct:
        return None
    wanted = bins or BINS
    shares = [max(1, each // (_SAMPLE * wanted)) for each in distinct]
    query = sql.sampled_scores(models, shares, weighted=chosen.weight is not None)
    sample = asked(kept, query, rows=kept)
    return [_cuts(sample, model, wanted, precision.edges) for model in range(models)]


def _cuts(sample: Mapping[str, Any], model: int, bins: int, edges: Sequence[float]) -> Array:
    """Where bins begin: cut from a sample of the scores, so that each holds about as much weight."""
    own = sample["model"] == model
    order = np.argsort(-sample["score"][own])
    weight = sample["weight"][own][order]
    blocks = ScoreTable(sample["score"][own][order], weight, np.zeros(len(weight))).coarsen(bins, edges=edges)
    heavy = blocks.score[blocks.tops == blocks.score]  # scores that many cases share stay bins of their own
    return np.unique(np.concatenate([blocks.score, np.nextafter(heavy, np.inf), np.asarray(edges, dtype=np.float64)]))


def tables_of(
    kept: Any, chosen: Chosen, n_rows: int, *, binned: bool, positive: str = "positive"
) -> tuple[dict[str, ScoreTable], dict[str, ScoreTable]]:
    """The score table of each model, those of the subgroups if there are any, and all complaints, from one pass."""
    query = sql.tables(
        len(chosen.scores),
        weighted=chosen.weight is not None,
        has_units=bool(chosen.group or chosen.id),
        binned=binned,
        text="t0" in kept.columns,
        by=len(chosen.by),
        positive=positive,
    )
    found = asked(kept, query, rows=kept)
    refuse_bad_rows(found, chosen, n_rows, can_skip=positive == "positive")
    parts = _parts(found, chosen)
    tables = {
        model: merge_all(parts.values()) if parts else _table(found, found["model"] == position)
        for position, model in enumerate(chosen.scores)
    }
    if not any(table.n for table in tables.values()):
        hint = "Hint: give at least one case a weight above 0."
        raise InputError(f"column {brief(chosen.weight)} is zero in every row. {hint}")
    return tables, parts


def _parts(found: Mapping[str, Any], chosen: Chosen) -> dict[str, ScoreTable]:
    """The table of each subgroup, named as those of rows are."""
    division = division_of({name: found[f"b{place}"] for place, name in enumerate(chosen.by)})
    if division is None:
        return {}
    return {name: _table(found, division.code == place) for place, name in enumerate(division.names)}


def _table(found: Mapping[str, Any], own: npt.NDArray[np.bool_]) -> ScoreTable:
    low = found["low"][own]
    order = np.argsort(-low)
    high = found["high"][own][order] if "high" in found else None
    exact = high is None or np.array_equal(high, low[order])
    positives, negatives = (found[name][own][order] for name in ("positives", "negatives"))
    kept = positives + negatives > 0  # a score that only rows of weight 0 have is no score of the table
    highest = None if exact or high is None else high[kept]
    return ScoreTable(low[order][kept], positives[kept], negatives[kept], highest)


def has_fractions(tables: Mapping[str, ScoreTable], chosen: Chosen) -> bool:
    """Whether some weights are not whole numbers."""
    return chosen.weight is not None and any(
        not np.array_equal(each, np.round(each))
        for table in tables.values()
        for each in (table.positives, table.negatives)
    )
