"""Score tables made on the executors: of rows that were checked there, exact or in bins cut from a sample of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._validate import NO_LABEL, Skipped, brief, check_not_empty, no_weight, not_numbers, repeated
from unconfuse.ingest import _spark_sql as sql
from unconfuse.ingest._spark_session import asked
from unconfuse.ingest.builder import merge_all
from unconfuse.ingest.by import division_of, folds_of, refuse_many
from unconfuse.ingest.columns import Chosen, place_of
from unconfuse.table.counts import Array
from unconfuse.table.sample import Division
from unconfuse.table.scores import ScoreTable

MAX_DISTINCT = 20_000_000  # distinct scores, all models together, that the driver takes: about 1.5 GB there
BINS = 65_536
_SAMPLE = 8  # distinct scores for each bin, from which bins are cut
Flags = npt.NDArray[np.bool_]
_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "boolean")


@dataclass(frozen=True)
class Precision:
    """How many distinct scores the driver takes; beyond that, how many bins, and where a bin must begin."""

    bins: int | None = None
    max_distinct: int = MAX_DISTINCT
    edges: tuple[float, ...] = ()


def check_types(frame: Any, chosen: Chosen, text: bool) -> None:
    """Numbers where numbers belong, and labels that can be told apart."""
    types = {each.name: each.dataType.typeName() for each in frame.schema.fields}
    for name in dict.fromkeys(chosen.numbers.values()):
        kind = types[name]
        if not (kind in _NUMBERS or kind.startswith("decimal") or (text and kind == "string")):
            raise not_numbers(place_of(name).name, f"Spark says that it holds {kind}")
    label = str(chosen.label)
    if types[label] in ("array", "map", "struct", "binary", "variant"):
        raise InputError(f"column {brief(label)} cannot hold labels: Spark says that it holds {types[label]}.")


def refuse_repeated_ids(frame: Any, name: str) -> None:
    """The same case twice would count as two: refuse it by name."""
    column = sql.quoted(name)
    query = f"SELECT CAST({column} AS STRING) AS id, count(*) AS n FROM {{rows}} GROUP BY 1 HAVING n > 1 LIMIT 1"
    twice = asked(frame, query, rows=frame)
    if len(twice["n"]):
        raise repeated(name, twice["id"][0])


def labels_of(frame: Any, name: str, *, skips: bool, most: int = 101) -> tuple[dict[Any, int], int]:
    """The labels (the first of them, in order) with their numbers of rows, and the number of all rows."""
    groups = f"SELECT {sql.quoted(name)} AS label, count(*) AS n FROM {{rows}} GROUP BY 1"
    query = f"SELECT *, sum(n) OVER () AS total FROM ({groups}) ORDER BY label NULLS FIRST LIMIT {most + 1}"
    found = asked(frame, query, rows=frame)
    counts = dict(zip(_python_values(found["label"]), found["n"].tolist(), strict=True))
    n_rows = int(found["total"][0]) if counts else 0
    check_not_empty(n_rows)
    missing = [label for label in counts if label is None or label != label or str(label).strip() == ""]  # noqa: PLR0124
    rows = sum(counts.pop(label) for label in missing)
    if rows and not skips:
        hint = f"Hint: {NO_LABEL.hint}, or pass on_bad_row='skip'."
        raise InputError(f"column {brief(name)} {NO_LABEL.what}: {rows} of {n_rows} rows. {hint}")
    return counts, n_rows


def _python_values(column: Any) -> list[Any]:
    return [each.item() if isinstance(each, np.generic) else each for each in column]


def without_bad_rows(kept: Any, chosen: Chosen) -> tuple[Any, Skipped]:
    """Rows that can be used, and how many cannot and why."""
    reason = sql.bad_rows(
        len(chosen.score_columns),
        weighted=chosen.weight is not None,
        has_units=bool(chosen.group or chosen.id),
        truth="positive" if chosen.scores else "truth",
        predicted=bool(chosen.predicted),
    )
    found = asked(kept, f"SELECT {reason} AS reason, count(*) AS n FROM {{rows}} GROUP BY 1", rows=kept)
    skipped = Skipped.of({why: int(n) for why, n in zip(found["reason"], found["n"], strict=True) if why})
    return kept.where(f"{reason} = ''"), skipped


def refuse_bad_rows(found: Mapping[str, Any], chosen: Chosen, n_rows: int) -> None:
    """The first kind of bad row, with how many there are and what was found in them."""
    bad = np.flatnonzero(found["problem"] > 0)
    if not len(bad):
        return
    worst = min(bad, key=lambda row: (found["problem"][row], found["model"][row], str(found["low"][row])))
    code, model = int(found["problem"][worst]), found["model"][worst]
    rows = sum(found["positives"][row] for row in bad if found["problem"][row] == code and found["model"][row] == model)
    role, (what, hint) = sql.PROBLEMS[code]
    score = chosen.score_columns[int(model)]
    name = {"weight": chosen.weight, "unit": chosen.group or chosen.id}.get(role, score)
    example = found["text"][worst] if code == 4 else float(found["low"][worst])
    seen = f", such as {brief(example)}" if code in (2, 3, 4, 6) else ""
    hint = f"Hint: {hint}, or pass on_bad_row='skip'."
    raise InputError(f"column {brief(name)} {what}: {rows:.0f} of {n_rows} rows{seen}. {hint}")


def kept_columns(frame: Any, chosen: Chosen, classes: Sequence[Any], text: bool) -> Any:
    """Only what is needed, under names of our own; `classes` are columns that tell what rows are or were called."""
    columns = list(classes)
    columns += [
        _double(frame, name, text).alias(f"{kind}{place}")
        for kind in ("s", "k")
        for place, name in enumerate(chosen.score_columns)
    ]
    columns += [frame[sql.quoted(name)].alias(f"b{place}") for place, name in enumerate(chosen.slices)]
    if text:
        columns += [
            frame[sql.quoted(name)].cast("string").alias(f"t{place}") for place, name in enumerate(chosen.score_columns)
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


def count_slices(kept: Any, chosen: Chosen, n_rows: int) -> int:
    """How many there are, before all of them come to the driver; a column of ids is refused."""
    found = {
        width: int(asked(kept, sql.subgroups(width), rows=kept)["n"][0])
        for width in {len(chosen.by), len(chosen.slices)}
        if width
    }
    refuse_many(found.get(len(chosen.by), 1), n_rows, chosen.by)
    return found.get(len(chosen.slices), 1)


def edges_of_bins(kept: Any, chosen: Chosen, n_rows: int, slices: int, precision: Precision) -> list[Array] | None:
    """Where bins begin, ascending, for each model; None if tables are exact."""
    models, bins = len(chosen.score_columns), precision.bins
    if bins is None and n_rows * models <= precision.max_distinct:
        return None
    found = asked(kept, sql.distinct_scores(models), rows=kept)
    distinct = [int(found[f"n{model}"][0]) for model in range(models)]
    if bins is None and sum(distinct) * slices <= precision.max_distinct:
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


class Answer:
    """Every model's table in each slice of the rows, from one pass; rows that are bad are refused."""

    def __init__(self, kept: Any, chosen: Chosen, n_rows: int, *, binned: bool, positive: str = "positive") -> None:
        query = sql.tables(
            len(chosen.score_columns),
            weighted=chosen.weight is not None,
            has_units=bool(chosen.group or chosen.id),
            binned=binned,
            text="t0" in kept.columns,
            by=len(chosen.slices),
            positive=positive,
        )
        self._found, self._models = asked(kept, query, rows=kept), len(chosen.score_columns)
        refuse_bad_rows(self._found, chosen, n_rows)
        columns = {name: self._found[f"b{place}"] for place, name in enumerate(chosen.slices)}
        self.by = division_of({name: columns[name] for name in chosen.by})
        self.folds = None if chosen.fold is None else folds_of({chosen.fold: columns[chosen.fold]})
        divisions = [each for each in (self.by, self.folds) if each is not None]
        self._slice = (
            np.unique([each.code for each in divisions], axis=1, return_inverse=True)[1] if divisions else None
        )
        if not any(table.n for table in self.tables()):
            raise no_weight(place_of(chosen.weight).name)

    def tables(self, own: Flags | None = None) -> list[ScoreTable]:
        """The table of each model, of all rows or of those of some slices."""
        inside = np.ones(len(self._found["model"]), dtype=np.bool_) if own is None else own
        return [self._table(inside & (self._found["model"] == model)) for model in range(self._models)]

    def _table(self, own: Flags) -> ScoreTable:
        if self._slice is None:
            return _table(self._found, own)
        slices = self._slice.reshape(-1)
        return merge_all(_table(self._found, own & (slices == each)) for each in np.unique(slices[own]))

    def parts(self, division: Division | None, own: Flags | None = None) -> dict[str, Flags]:
        """Which groups of rows each slice holds."""
        names = () if division is None else division.names
        found = {}
        for place, name in enumerate(names):
            assert division is not None
            found[name] = division.code == place if own is None else own & (division.code == place)
        return {name: each for name, each in found.items() if each.any()}


def _table(found: Mapping[str, Any], own: Flags) -> ScoreTable:
    low = found["low"][own]
    order = np.argsort(-low)
    high = found["high"][own][order] if "high" in found else None
    exact = high is None or np.array_equal(high, low[order])
    positives, negatives = (found[name][own][order] for name in ("positives", "negatives"))
    kept = positives + negatives > 0  # a score that only rows of weight 0 have is no score of the table
    highest = None if exact or high is None else high[kept]
    return ScoreTable(low[order][kept], positives[kept], negatives[kept], highest)


def has_fractions(tables: Sequence[ScoreTable], chosen: Chosen) -> bool:
    """Whether some weights are not whole numbers."""
    return chosen.weight is not None and any(
        not np.array_equal(each, np.round(each)) for table in tables for each in (table.positives, table.negatives)
    )
