"""Score tables made on the executors: of rows that were checked there, exact or in bins cut from a sample of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unconfuse._errors import InputError, warn
from unconfuse._formatting import short_repr
from unconfuse._kernels import order_rows
from unconfuse._row_errors import ColumnProblems, SkippedRows, no_weight, not_numbers, repeated
from unconfuse._validate import check_not_empty
from unconfuse.ingest import _spark_executor
from unconfuse.ingest import _spark_sql as sql
from unconfuse.ingest._spark_driver import Flags, found_table, found_together, joined
from unconfuse.ingest._spark_session import asked, by_value
from unconfuse.ingest.aggregated_rows import refusal
from unconfuse.ingest.column_roles import ColumnRoles, place_of
from unconfuse.ingest.data import Data
from unconfuse.ingest.grouping import division_of, folds_of, reject_many
from unconfuse.ingest.sources.score_tables import merge_all
from unconfuse.table.counts import Array
from unconfuse.table.sample import Grouping
from unconfuse.table.score_table import ScoreTable

MAX_DISTINCT = 20_000_000  # distinct scores, all models together, that the driver takes: about 5 GB there
BYTES_A_SCORE = 250  # on the driver at its peak: 0.4 GB at 1e6 distinct scores and 2.6 GB at 1e7 (bench_spark.py)
_WORTH_SAYING = 2_000_000  # distinct scores, about half a gigabyte: fewer come without a word
BINS = 65_536
_SAMPLE = 8  # distinct scores for each bin, from which bins are cut
_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "boolean")


@dataclass(frozen=True)
class SparkInput:
    """A frame, what its columns are for and how it is to be read; its numbers may be written as text."""

    frame: Any
    chosen: ColumnRoles
    data: Data
    edges: tuple[float, ...]
    text: bool
    sampled: bool = False  # whether the weight says how rows were sampled

    @property
    def most(self) -> int:
        """How many scores may come to the driver."""
        return MAX_DISTINCT if self.data.max_distinct is None else self.data.max_distinct

    @property
    def skips(self) -> bool:
        """Whether rows that cannot be used are left out."""
        return self.data.on_bad_row == "skip"

    @property
    def written(self) -> bool:
        """Whether scores are kept as they were written: text, and whole numbers that a double may not hold."""
        kinds = {field.name: field.dataType.typeName() for field in self.frame.schema.fields}
        whole = any(kinds[name] == "long" or kinds[name].startswith("decimal") for name in self.chosen.score_columns)
        return self.text or whole

    def check(self) -> None:
        """Numbers where numbers belong, labels that can be told apart, and no case twice."""
        types = {field.name: field.dataType.typeName() for field in self.frame.schema.fields}
        for name in dict.fromkeys(self.chosen.numbers.values()):
            kind = types[name]
            if not (kind in _NUMBERS or kind.startswith("decimal") or (self.text and kind == "string")):
                raise not_numbers(place_of(name).name, f"Spark says that it holds {kind}")
        label = str(self.chosen.label)
        if types[label] in ("array", "map", "struct", "binary", "variant"):
            raise InputError(f"column {short_repr(label)} cannot hold labels: Spark says that it holds {types[label]}.")
        if self.chosen.id is None:
            return
        ids = f"SELECT CAST({sql.quoted(self.chosen.id)} AS STRING) AS id, count(*) AS n FROM {{rows}} GROUP BY 1"
        twice = asked(self.frame, f"{ids} HAVING n > 1 LIMIT 1", rows=self.frame)
        if len(twice["n"]):
            raise repeated(self.chosen.id, twice["id"][0])

    def labels(self, name: str, most: int = 101) -> tuple[dict[Any, float], int]:
        """Return the labels in a column (the first of them, in order) with their rows, and the number of all rows."""
        groups = f"SELECT {sql.quoted(name)} AS label, count(*) AS n FROM {{rows}} GROUP BY 1"
        found = asked(self.frame, f"{groups} ORDER BY label NULLS FIRST LIMIT {most + 1}", rows=self.frame)
        values = [each.item() if isinstance(each, np.generic) else each for each in found["label"]]
        n_rows = int(found["n"].sum())
        if len(values) > most:  # not all labels came
            n_rows = int(asked(self.frame, "SELECT count(*) AS n FROM {rows}", rows=self.frame)["n"][0])
        check_not_empty(n_rows)
        gone = [label is None or label != label or str(label).strip() == "" for label in values]  # noqa: PLR0124
        if any(gone) and not self.skips:
            raise refusal(name, ColumnProblems.LABEL, f"{found['n'][gone].sum()} of {n_rows} rows")
        counts = zip(values, found["n"].tolist(), gone, strict=True)
        return {label: float(rows) for label, rows, is_gone in counts if not is_gone}, n_rows


def _without_bad_rows(kept: Any, chosen: ColumnRoles) -> tuple[Any, SkippedRows]:
    """Rows that can be used, and how many cannot and why."""
    reason = sql.bad_rows(chosen)
    found = asked(kept, f"SELECT {reason} AS reason, count(*) AS n FROM {{rows}} GROUP BY 1", rows=kept)
    skipped = SkippedRows.of({why: int(n) for why, n in zip(found["reason"], found["n"], strict=True) if why})
    return kept.where(f"{reason} = ''"), skipped


def _refuse_bad_rows(found: Mapping[str, Any], chosen: ColumnRoles, n_rows: int) -> None:
    """Refuse the first kind of bad row, with how many there are and what was found in them."""
    if not len(found["problem"]):
        raise InputError(
            "rows that could not be used were not there when they were counted. Hint: `cache()` a frame whose rows "
            "are not the same each time they are read."
        )
    worst = min(range(len(found["problem"])), key=lambda row: (found["problem"][row], found["model"][row]))
    code, model = int(found["problem"][worst]), int(found["model"][worst])
    role, fault, _ = sql.PROBLEMS[code - 1]
    name = {"weight": chosen.weight, "unit": chosen.unit}.get(role, chosen.score_columns[model])
    example = found["text"][worst] if code == 4 else float(found["example"][worst])
    seen = f", such as {short_repr(example)}" if code in (2, 3, 4, 6) else ""
    where = f"{found['rows'][worst]} of {n_rows} rows{seen}"
    if fault is ColumnProblems.WHOLE:  # rows that are left out are not what is wrong with them
        raise InputError(f"{place_of(str(name)).name} {fault.what}: {where}. Hint: {fault.hint}.")
    raise refusal(name, fault, where)


def _kept_columns(given: SparkInput, classes: Sequence[Any]) -> Any:
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


def _count_slices(kept: Any, chosen: ColumnRoles, n_rows: int) -> int:
    """How many there are, before all of them come to the driver; a column of ids is refused."""
    found = {
        width: int(asked(kept, sql.subgroups(width), rows=kept)["n"][0])
        for width in {len(chosen.by), len(chosen.slices)}
        if width
    }
    reject_many(found.get(len(chosen.by), 1), n_rows, chosen.by)
    return found.get(len(chosen.slices), 1)


def _shares(kept: Any, given: SparkInput, n_rows: int, slices: int) -> list[int] | None:
    """Bins are cut from one in how many distinct scores, for each model; None if whole tables come to the driver.

    They do if they have room there, and if no smaller part of them would do to cut bins from.
    """
    models, bins, most = len(given.chosen.score_columns), given.data.bins, given.most

    def shares(distinct: Sequence[int], rows: int) -> list[int] | None:
        found = [max(1, each // (_SAMPLE * (bins or BINS))) for each in distinct]
        return None if rows <= most and (bins is None or max(found) == 1) else found

    if shares([n_rows] * models, n_rows * models) is None:  # known without another pass
        _announce(n_rows * models, most, "at most ")
        return None
    counted = asked(kept, sql.distinct_scores(models), rows=kept)
    distinct = [int(counted[f"n{model}"][0]) for model in range(models)]
    found = shares(distinct, sum(distinct) * slices)
    if bins is None:  # else the caller knows
        _announce(sum(distinct) * slices, most, "about ")  # Spark counts distinct scores to within a few percent
    return found


def _announce(scores: int, most: int, bound: str = "") -> None:
    """Say what will come to the driver, or that bins will come instead, before it does."""
    if scores <= min(most, _WORTH_SAYING):
        return
    size = f"{bound}{scores:,} distinct scores (about {scores * BYTES_A_SCORE / 1e9:.2g} GB on the driver)"
    if scores > most:
        warn(
            f"{size} are more than `max_distinct={most:_}`, so the executors join them into about {BINS:,} bins for "
            "each model; numbers come with a bound. Hint: a larger `max_distinct` keeps the table exact."
        )
    else:
        warn(
            f"{size} come to the driver; beyond `max_distinct={most:_}` they would be joined into bins on the "
            f"executors. Hint: `bins={BINS:_}` keeps what comes small."
        )


def _sampled_edges(kept: Any, given: SparkInput, shares: Sequence[int]) -> list[Array]:
    """Where bins begin, for each model, known from a sample of its scores."""
    sample = asked(kept, sql.sampled_scores(shares, weighted=given.chosen.weight is not None), rows=kept)

    def table(own: Flags) -> ScoreTable:
        weight = sample["weight"][own]
        order, _ = order_rows(sample["score"][own])
        return ScoreTable.from_validated(sample["score"][own][order], weight[order], np.zeros(len(order)))

    return [_cuts(table(sample["model"] == model), given) for model in range(len(shares))]


def _cuts(table: ScoreTable, given: SparkInput) -> Array:
    """Where bins begin, ascending: each holds about as much of the table's weight."""
    blocks = table.coarsen(given.data.bins or BINS, edges=given.edges)
    heavy = blocks.score[blocks.upper_edges == blocks.score]  # scores that many cases share stay bins of their own
    return np.unique(np.concatenate([blocks.score, np.nextafter(heavy, np.inf), np.asarray(given.edges, dtype=float)]))


def in_bins(rows: Any, edges: Sequence[Array] | None) -> Any:
    """Return the same rows, with bins as keys if there are bins."""
    return rows if edges is None else rows.mapInArrow(by_value(_spark_executor.binning(edges)), rows.schema)


class SparkTables:
    """Every model's table in each slice of the rows, from one pass; rows that are bad are refused, or left out.

    `classes` are columns that tell what rows are; `rows` are those kept, and `edges` say where bins begin, if any.
    `together` is how scores occur together, if that came to the driver: not if several classes each have a table.
    """

    def __init__(self, given: SparkInput, classes: Sequence[Any], n_rows: int, positive: str = "positive") -> None:
        chosen, self.rows, self.skipped = given.chosen, _kept_columns(given, classes), SkippedRows()
        if given.skips:
            self.rows, self.skipped = _without_bad_rows(self.rows, chosen)
        check_not_empty(n_rows - self.skipped.total)
        shares = _shares(self.rows, given, n_rows, _count_slices(self.rows, chosen, n_rows))
        self.edges = None if shares is None else _sampled_edges(self.rows, given, shares)
        self._models = len(chosen.score_columns)
        is_together = shares is None and n_rows * self._models <= given.most and not chosen.matrices
        self._found = self._asked(given, n_rows, positive, is_together)
        self.together = found_together(self._found, chosen.scores) if is_together else None
        self._divide(chosen)
        self._joins = shares is None and given.data.bins is not None
        self.whole = self._tables(np.ones(len(self._found["positives"]), dtype=np.bool_))
        if self._joins:
            self.edges = [_cuts(table, given) for table in self.whole]
            self.whole = [joined(*each) for each in zip(self.whole, self.edges, strict=True)]
        if not any(table.n for table in self.whole):
            raise no_weight(place_of(chosen.weight).name)

    def _divide(self, chosen: ColumnRoles) -> None:
        """Which subgroup and which fold each row of the answer belongs to."""
        columns = {name: self._found[f"b{place}"] for place, name in enumerate(chosen.slices)}
        self.by = division_of({name: columns[name] for name in chosen.by})
        self.folds = None if chosen.fold is None else folds_of({chosen.fold: columns[chosen.fold]})
        divisions = [grouping for grouping in (self.by, self.folds) if grouping is not None]
        self._slice = (
            np.unique([division.code for division in divisions], axis=1, return_inverse=True)[1] if divisions else None
        )

    def _asked(self, given: SparkInput, n_rows: int, positive: str, is_together: bool) -> dict[str, Any]:
        """Return the tables of all models and slices; if some rows cannot be used, one more pass says why."""
        chosen, text, sampled, binned = given.chosen, given.written, given.sampled, self.edges is not None
        rows = in_bins(self.rows, self.edges)
        query = (
            sql.together(chosen, text=text, sampled=sampled)
            if is_together
            else sql.tables(chosen, binned=binned, text=text, sampled=sampled, positive=positive)
        )
        found = asked(rows, query, rows=rows)
        if np.isnan(found["key0" if is_together else "key"]).any():
            wrong = asked(self.rows, sql.problems(chosen, text=text, positive=positive), rows=self.rows)
            _refuse_bad_rows(wrong, chosen, n_rows)
        return found

    def tables(self, own: Flags) -> list[ScoreTable]:
        """Return the table of each model, of the rows of some slices."""
        score_tables = self._tables(own)
        if not self._joins or self.edges is None:
            return score_tables
        return [joined(*each) for each in zip(score_tables, self.edges, strict=True)]

    def _tables(self, own: Flags) -> list[ScoreTable]:
        if self.together is not None:
            return [self.together.table(model, own) for model in self.together.scores]
        return [self._table(own & (self._found["model"] == model)) for model in range(self._models)]

    def _table(self, own: Flags) -> ScoreTable:
        if self._slice is None or "high" not in self._found:
            return found_table(self._found, own)
        slices = self._slice.reshape(-1)  # bins of different slices do not begin and end at the same scores
        return merge_all(found_table(self._found, own & (slices == each)) for each in np.unique(slices[own]))

    def parts(self, division: Grouping | None, own: Flags | None = None) -> dict[str, Flags]:
        """Which groups of rows each slice holds."""
        if division is None:
            return {}
        inside = np.ones(len(division.code), dtype=np.bool_) if own is None else own
        found = {name: inside & (division.code == place) for place, name in enumerate(division.names)}
        return {name: each for name, each in found.items() if each.any()}


def has_fractions(tables: Sequence[ScoreTable], chosen: ColumnRoles) -> bool:
    """Whether some weights are not whole numbers."""
    return chosen.weight is not None and any(
        not np.array_equal(each, np.round(each)) for table in tables for each in (table.positives, table.negatives)
    )
