"""Score tables made on the executors: of rows that were checked there, exact or in bins cut from a sample of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._plain import brief
from unconfuse._refusals import Faults, Skipped, no_weight, not_numbers, repeated
from unconfuse._validate import check_not_empty
from unconfuse.ingest import _hashed
from unconfuse.ingest import _spark_sql as sql
from unconfuse.ingest._spark_session import asked, by_value
from unconfuse.ingest.by import division_of, folds_of, refuse_many
from unconfuse.ingest.columns import Chosen, place_of
from unconfuse.ingest.data import Data
from unconfuse.ingest.groups import refusal
from unconfuse.ingest.rows import unsquared
from unconfuse.ingest.tables import merge_all
from unconfuse.table.counts import Array
from unconfuse.table.sample import Division
from unconfuse.table.scores import ScoreTable

MAX_DISTINCT = 20_000_000  # distinct scores, all models together, that the driver takes: about 1.5 GB there
BINS = 65_536
_SAMPLE = 8  # distinct scores for each bin, from which bins are cut
Flags = npt.NDArray[np.bool_]
_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "boolean")


@dataclass(frozen=True)
class Given:
    """A frame, what its columns are for and how it is to be read; its numbers may be written as text."""

    frame: Any
    chosen: Chosen
    data: Data
    edges: tuple[float, ...]
    text: bool
    sampled: bool = False  # whether the weight says how rows were sampled

    @property
    def skips(self) -> bool:
        """Whether rows that cannot be used are left out."""
        return self.data.on_bad_row == "skip"

    @property
    def written(self) -> bool:
        """Whether scores are kept as they were written: text, and whole numbers that a double may not hold."""
        kinds = {each.name: each.dataType.typeName() for each in self.frame.schema.fields}
        whole = any(kinds[name] == "long" or kinds[name].startswith("decimal") for name in self.chosen.score_columns)
        return self.text or whole

    def check(self) -> None:
        """Numbers where numbers belong, labels that can be told apart, and no case twice."""
        types = {each.name: each.dataType.typeName() for each in self.frame.schema.fields}
        for name in dict.fromkeys(self.chosen.numbers.values()):
            kind = types[name]
            if not (kind in _NUMBERS or kind.startswith("decimal") or (self.text and kind == "string")):
                raise not_numbers(place_of(name).name, f"Spark says that it holds {kind}")
        label = str(self.chosen.label)
        if types[label] in ("array", "map", "struct", "binary", "variant"):
            raise InputError(f"column {brief(label)} cannot hold labels: Spark says that it holds {types[label]}.")
        if self.chosen.id is None:
            return
        ids = f"SELECT CAST({sql.quoted(self.chosen.id)} AS STRING) AS id, count(*) AS n FROM {{rows}} GROUP BY 1"
        twice = asked(self.frame, f"{ids} HAVING n > 1 LIMIT 1", rows=self.frame)
        if len(twice["n"]):
            raise repeated(self.chosen.id, twice["id"][0])

    def labels(self, name: str, most: int = 101) -> tuple[dict[Any, float], int]:
        """The labels in a column (the first of them, in order) with their rows, and the number of all rows."""
        groups = f"SELECT {sql.quoted(name)} AS label, count(*) AS n FROM {{rows}} GROUP BY 1"
        query = f"SELECT *, sum(n) OVER () AS total FROM ({groups}) ORDER BY label NULLS FIRST LIMIT {most + 1}"
        found = asked(self.frame, query, rows=self.frame)
        values = [each.item() if isinstance(each, np.generic) else each for each in found["label"]]
        n_rows = int(found["total"][0]) if values else 0
        check_not_empty(n_rows)
        gone = [label is None or label != label or str(label).strip() == "" for label in values]  # noqa: PLR0124
        if any(gone) and not self.skips:
            raise refusal(name, Faults.LABEL, f"{found['n'][gone].sum()} of {n_rows} rows")
        counts = zip(values, found["n"].tolist(), gone, strict=True)
        return {label: float(rows) for label, rows, is_gone in counts if not is_gone}, n_rows


def _without_bad_rows(kept: Any, chosen: Chosen) -> tuple[Any, Skipped]:
    """Rows that can be used, and how many cannot and why."""
    reason = sql.bad_rows(chosen)
    found = asked(kept, f"SELECT {reason} AS reason, count(*) AS n FROM {{rows}} GROUP BY 1", rows=kept)
    skipped = Skipped.of({why: int(n) for why, n in zip(found["reason"], found["n"], strict=True) if why})
    return kept.where(f"{reason} = ''"), skipped


def _refuse_bad_rows(found: Mapping[str, Any], chosen: Chosen, n_rows: int) -> None:
    """The first kind of bad row, with how many there are and what was found in them."""
    bad = np.flatnonzero(found["problem"] > 0)
    if not len(bad):
        return
    worst = min(bad, key=lambda row: (found["problem"][row], found["model"][row], str(found["low"][row])))
    code, model = int(found["problem"][worst]), found["model"][worst]
    rows = sum(found["positives"][row] for row in bad if found["problem"][row] == code and found["model"][row] == model)
    role, fault, _ = sql.PROBLEMS[code - 1]
    name = {"weight": chosen.weight, "unit": chosen.unit}.get(role, chosen.score_columns[int(model)])
    example = found["text"][worst] if code == 4 else float(found["low"][worst])
    seen = f", such as {brief(example)}" if code in (2, 3, 4, 6) else ""
    where = f"{rows:.0f} of {n_rows} rows{seen}"
    if fault is Faults.WHOLE:  # rows that are left out are not what is wrong with them
        raise InputError(f"{place_of(str(name)).name} {fault.what}: {where}. Hint: {fault.hint}.")
    raise refusal(name, fault, where)


def _kept_columns(given: Given, classes: Sequence[Any]) -> Any:
    """Only what is needed, under names of our own; `classes` are columns that tell what rows are or were called."""
    frame, chosen = given.frame, given.chosen

    def double(name: str) -> Any:
        column = frame[sql.quoted(name)]
        return (column.try_cast("double") if given.text else column.cast("double")) + 0.0  # -0.0 and 0.0 are one score

    columns = {f"{kind}{place}": double(name) for kind in "sk" for place, name in enumerate(chosen.score_columns)}
    columns |= {f"b{place}": frame[sql.quoted(name)] for place, name in enumerate(chosen.slices)}
    if given.written:
        names = enumerate(chosen.score_columns)
        columns |= {f"t{place}": frame[sql.quoted(name)].cast("string") for place, name in names}
    if chosen.weight is not None:
        columns["w"] = double(chosen.weight)
    if chosen.unit is not None:
        columns["unit"] = frame[sql.quoted(chosen.unit)].cast("string")
    kept = frame.select(*classes, *(column.alias(name) for name, column in columns.items()))
    hashed = {"unit": "CAST(conv(substring(md5(unit), 1, 15), 16, 10) AS BIGINT) AS unit"}
    return kept.selectExpr(*(hashed.get(name, name) for name in kept.columns))


def _count_slices(kept: Any, chosen: Chosen, n_rows: int) -> int:
    """How many there are, before all of them come to the driver; a column of ids is refused."""
    found = {
        width: int(asked(kept, sql.subgroups(width), rows=kept)["n"][0])
        for width in {len(chosen.by), len(chosen.slices)}
        if width
    }
    refuse_many(found.get(len(chosen.by), 1), n_rows, chosen.by)
    return found.get(len(chosen.slices), 1)


def _edges_of_bins(kept: Any, given: Given, n_rows: int, slices: int) -> list[Array] | None:
    """Where bins begin, ascending, for each model; None if tables are exact."""
    models, bins = len(given.chosen.score_columns), given.data.bins
    most = MAX_DISTINCT if given.data.max_distinct is None else given.data.max_distinct
    if bins is None and n_rows * models <= most:
        return None
    found = asked(kept, sql.distinct_scores(models), rows=kept)
    distinct = [int(found[f"n{model}"][0]) for model in range(models)]
    if bins is None and sum(distinct) * slices <= most:
        return None
    wanted = bins or BINS
    shares = [max(1, each // (_SAMPLE * wanted)) for each in distinct]
    sample = asked(kept, sql.sampled_scores(shares, weighted=given.chosen.weight is not None), rows=kept)
    return [_cuts(sample, model, wanted, given.edges) for model in range(models)]


def _cuts(sample: Mapping[str, Any], model: int, bins: int, edges: Sequence[float]) -> Array:
    """Where bins begin: cut from a sample of the scores, so that each holds about as much weight."""
    own = sample["model"] == model
    order = np.argsort(-sample["score"][own])
    weight = sample["weight"][own][order]
    blocks = ScoreTable.trusted(sample["score"][own][order], weight, np.zeros(len(weight))).coarsen(bins, edges=edges)
    heavy = blocks.score[blocks.tops == blocks.score]  # scores that many cases share stay bins of their own
    return np.unique(np.concatenate([blocks.score, np.nextafter(heavy, np.inf), np.asarray(edges, dtype=np.float64)]))


class Answer:
    """Every model's table in each slice of the rows, from one pass; rows that are bad are refused, or left out.

    `classes` are columns that tell what rows are; `rows` are those kept, and `binned` the same with bins as keys.
    """

    def __init__(self, given: Given, classes: Sequence[Any], n_rows: int, positive: str = "positive") -> None:
        chosen, self.rows, self.skipped = given.chosen, _kept_columns(given, classes), Skipped()
        if given.skips:
            self.rows, self.skipped = _without_bad_rows(self.rows, chosen)
        self.n_rows = n_rows - self.skipped.total
        check_not_empty(self.n_rows)
        slices = _count_slices(self.rows, chosen, n_rows)
        self.edges = _edges_of_bins(self.rows, given, n_rows, slices)
        self.binned = self.rows
        if self.edges is not None:
            self.binned = self.rows.mapInArrow(by_value(_hashed.binning(self.edges)), self.rows.schema)
        how: dict[str, Any] = {"text": given.written, "sampled": given.sampled, "positive": positive}
        query = sql.tables(chosen, binned=self.edges is not None, **how)
        self._found, self._models = asked(self.binned, query, rows=self.binned), len(chosen.score_columns)
        _refuse_bad_rows(self._found, chosen, n_rows)
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
        if division is None:
            return {}
        inside = np.ones(len(division.code), dtype=np.bool_) if own is None else own
        found = {name: inside & (division.code == place) for place, name in enumerate(division.names)}
        return {name: each for name, each in found.items() if each.any()}


def _table(found: Mapping[str, Any], own: Flags) -> ScoreTable:
    low = found["low"][own]
    order = np.argsort(-low)
    high = found["high"][own][order] if "high" in found else None
    exact = high is None or np.array_equal(high, low[order])
    positives, negatives = (found[name][own][order] for name in ("positives", "negatives"))
    kept = positives + negatives > 0  # a score that only rows of weight 0 have is no score of the table
    highest = None if exact or high is None else high[kept]
    squares = [found[name][own][order][kept] for name in ("squares1", "squares0") if name in found]
    if not all(np.isfinite(each).all() for each in squares):
        raise unsquared()
    return ScoreTable.trusted(low[order][kept], positives[kept], negatives[kept], highest, *squares)


def has_fractions(tables: Sequence[ScoreTable], chosen: Chosen) -> bool:
    """Whether some weights are not whole numbers."""
    return chosen.weight is not None and any(
        not np.array_equal(each, np.round(each)) for table in tables for each in (table.positives, table.negatives)
    )
