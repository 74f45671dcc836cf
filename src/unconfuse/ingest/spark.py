"""Spark frames, classic and Connect: tables are made on the executors, and only tables come to the driver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from unconfuse._errors import InputError
from unconfuse._labels import positives_among
from unconfuse._skipped import Skipped
from unconfuse._validate import brief, check_not_empty
from unconfuse.ingest import _hashed
from unconfuse.ingest import _spark_sql as sql
from unconfuse.ingest._spark_errors import asked, complaints
from unconfuse.ingest.columns import Chosen, Wanted, choose_columns
from unconfuse.ingest.distant import DistantRows, Draws, LabelPatterns, Products, Worth
from unconfuse.ingest.reading import Reading
from unconfuse.table import Array, ScoreTable

MAX_DISTINCT = 20_000_000  # distinct scores, all models together, that the driver takes: about 1.5 GB there
BINS = 65_536
_SAMPLE = 8  # distinct scores for each bin, from which bins are cut
_CHUNK = 100  # resamples that are added up together
_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "boolean")


@dataclass(frozen=True)
class Precision:
    """How many distinct scores the driver takes; beyond that, how many bins, and where a bin must begin."""

    bins: int | None = None
    max_distinct: int = MAX_DISTINCT
    edges: tuple[float, ...] = ()


def rows_of_spark(
    frame: Any, wanted: Wanted, how: Reading | None = None, *, precision: Precision | None = None, text: bool = False
) -> SparkRows:
    """Checked rows of a Spark frame, which stay on the cluster.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    wanted : Wanted
        Columns.
    how : Reading, optional
        The positive label, and what to do with bad rows.
    precision : Precision, optional
        Limits of exact tables.
    text : bool
        Whether numbers may be written as text, as in a CSV file.
    """
    with complaints():  # a Connect session finds out only now whether the frame exists
        return _rows(frame, wanted, how or Reading(), precision or Precision(), text)


def _rows(frame: Any, wanted: Wanted, how: Reading, precision: Precision, text: bool) -> SparkRows:
    chosen = choose_columns(list(frame.columns), wanted, "the Spark frame")
    _check_types(frame, chosen, text)
    if chosen.id is not None:
        _refuse_repeated_ids(frame, chosen.id)
    skips = how.on_bad_row == "skip"
    counts, n_rows = _labels(frame, chosen.label, skips=skips)
    labels = positives_among(list(counts), how.positive)
    prepared = _prepared(frame, chosen, [each for each in labels if each in counts], text)
    prepared, skipped = _without_bad_rows(prepared, chosen) if skips else (prepared, Skipped())
    check_not_empty(n_rows - skipped.total)

    edges = _edges(prepared, chosen, n_rows, precision)
    binned = prepared if edges is None else prepared.mapInArrow(_by_value(_hashed.binning(edges)), prepared.schema)
    tables = _tables(binned, chosen, n_rows, binned=edges is not None)
    return SparkRows(
        tables, labels[0] if labels else 1, skipped, _has_fractions(tables, chosen), n_rows - skipped.total,
        chosen.weight is not None, chosen.group is not None, frame=binned, chosen=chosen, edges=edges,
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class SparkRows(DistantRows):
    """Rows on a cluster; see `DistantRows`."""

    frame: Any = None
    chosen: Chosen = field(default_factory=lambda: Chosen("", {}))
    edges: list[Array] | None = None
    constants: frozenset[str] = frozenset()

    def n_groups(self) -> int:
        """Number of groups."""
        found = asked(self.frame, "SELECT count(DISTINCT unit) AS n FROM {rows}", rows=self.frame)
        return int(found["n"][0])

    def with_constants(self, scores: Mapping[str, float]) -> SparkRows:
        """The same rows with models that give every case the same score."""
        added = [
            f"{sql.number(score if kind == 's' or self.edges is None else 0.0)} AS {kind}{len(self.models) + place}"
            for place, score in enumerate(scores.values()) for kind in ("s", "k")
        ]  # fmt: skip
        first = self.table()
        constant = {
            name: ScoreTable(np.array([score]), np.array([first.n_positives]), np.array([first.n_negatives]))
            for name, score in scores.items()
        }
        return replace(self, tables={**self.tables, **constant}, frame=self.frame.selectExpr("*", *added),
                       constants=self.constants | set(scores))  # fmt: skip

    def label_patterns(self, thresholds: Mapping[str, float]) -> LabelPatterns:
        """Cases by truth and by the labels of all models."""
        query = sql.label_patterns([thresholds[model] for model in self.models], weighted=self.is_weighted)
        found = asked(self.frame, query, rows=self.frame)
        order = np.lexsort([found["positive"], *(found[f"l{each}"] for each in range(len(self.models)))])
        return LabelPatterns(
            found["positive"][order].astype(bool),
            {model: found[f"l{place}"][order].astype(bool) for place, model in enumerate(self.models)},
            found["weight"][order],
        )

    def products(self, worth: Mapping[str, Worth]) -> Products:
        """Sums of products, over models, of what cases are worth at the rows of their tables."""
        names = list(next(iter(worth.values())))
        query = sql.products(len(self.models), len(names), weighted=self.is_weighted)
        joined = {f"worth{place}": self._worth(place, worth[model], names) for place, model in enumerate(self.models)}
        found = asked(self.frame, query, rows=self.frame, **joined)
        of_class = [_matrices(found, bool(kind), names, len(self.models)) for kind in (True, False)]
        return Products(*of_class)

    def replicates(self, lowest: Mapping[str, Array], draws: Draws) -> Mapping[str, tuple[Array, Array]]:
        """Resampled weights of both classes in bands of scores, for each model."""
        edges = [np.ascontiguousarray(lowest[model][:-1][::-1]) for model in self.models]
        cases = self._cases()
        count = _hashed.resampling(edges, draws.n_resamples, draws.seed, _CHUNK, not self._has_units)
        shape = "chunk int, sums binary"
        partial = cases.mapInArrow(_by_value(count), shape)
        summed = partial.groupBy("chunk").applyInArrow(_by_value(_hashed.adding()), shape)
        found = asked(self.frame, "SELECT * FROM {summed}", summed=summed)
        return _replicates(found, self.models, edges, draws.n_resamples)

    def __repr__(self) -> str:
        return f"SparkRows({self.n_rows} rows, models: {', '.join(self.models)})"

    @property
    def _has_units(self) -> bool:
        return self.is_clustered or self.chosen.id is not None

    def _cases(self) -> Any:
        """What is drawn: whole groups with their rows' weights, or single cases."""
        session = self.frame.sparkSession
        scores = [f"s{model}" for model in range(len(self.models))]
        if self.is_clustered:
            kept = ["positive", *scores, "unit", *(["w"] if self.is_weighted else [])]
            return self.frame.selectExpr(*kept, "0L AS copy")
        by_content = not self._has_units
        if not self.is_weighted and not by_content:
            return self.frame.selectExpr("positive", *scores, "unit", "1L AS copy")
        if self.has_fractions:
            raise InputError(
                f"column {brief(self.chosen.weight)} holds weights that are not whole numbers: parts of cases cannot "
                "be resampled one by one. Hint: name a group, or choose metrics that have a formula."
            )
        query = sql.single_cases(len(self.models), weighted=self.is_weighted, by_content=by_content)
        return session.sql(query, rows=self.frame)

    def _worth(self, place: int, worth: Worth, names: Sequence[str]) -> Any:
        import pyarrow as pa  # type: ignore[import-untyped]

        model = self.models[place]
        table = self.tables[model]
        if model in self.constants or self.edges is None:
            keys = table.score if self.edges is None else np.zeros(1)
        else:
            keys = _hashed.bins_of(table.score, self.edges[place]).astype(np.float64)
        columns = {f"key{place}": keys}
        for number, name in enumerate(names):
            columns[f"p{place}_{number}"], columns[f"n{place}_{number}"] = worth[name]
        return self.frame.sparkSession.createDataFrame(pa.table(columns))


def _check_types(frame: Any, chosen: Chosen, text: bool) -> None:
    types = {each.name: each.dataType.typeName() for each in frame.schema.fields}
    for name in dict.fromkeys(chosen.numbers.values()):
        kind = types[name]
        if not (kind in _NUMBERS or kind.startswith("decimal") or (text and kind == "string")):
            raise InputError(
                f"column {brief(name)} must hold numbers; Spark says that it holds {kind}. "
                "Hint: convert it to double first, or choose another column."
            )
    if types[chosen.label] in ("array", "map", "struct", "binary", "variant"):
        kind = types[chosen.label]
        raise InputError(f"column {brief(chosen.label)} cannot hold labels: Spark says that it holds {kind}.")


def _refuse_repeated_ids(frame: Any, name: str) -> None:
    """The same case twice would count as two: refuse it by name."""
    column = sql.quoted(name)
    query = f"SELECT CAST({column} AS STRING) AS id, count(*) AS n FROM {{rows}} GROUP BY 1 HAVING n > 1 LIMIT 1"
    twice = asked(frame, query, rows=frame)
    if len(twice["n"]):
        raise InputError(
            f"column {brief(name)} holds {brief(twice['id'][0])} {twice['n'][0]} times. "
            "Hint: keep one row for each case, or name the column as the group."
        )


def _labels(frame: Any, name: str, *, skips: bool) -> tuple[dict[Any, int], int]:
    """The labels (at most 101 of them, in order) with their numbers of rows, and the number of all rows."""
    groups = f"SELECT {sql.quoted(name)} AS label, count(*) AS n FROM {{rows}} GROUP BY 1"
    query = f"SELECT *, sum(n) OVER () AS total FROM ({groups}) ORDER BY label NULLS FIRST LIMIT 102"
    found = asked(frame, query, rows=frame)
    counts = dict(zip(_python_values(found["label"]), found["n"].tolist(), strict=True))
    n_rows = int(found["total"][0]) if counts else 0
    check_not_empty(n_rows)
    missing = [label for label in counts if label is None or label != label or str(label).strip() == ""]  # noqa: PLR0124
    rows = sum(counts.pop(label) for label in missing)
    if rows and not skips:
        hint = "Hint: drop those rows or label them, or pass on_bad_row='skip'."
        raise InputError(f"column {brief(name)} has missing values: {rows} of {n_rows} rows. {hint}")
    return counts, n_rows


def _python_values(column: Any) -> list[Any]:
    return [each.item() if isinstance(each, np.generic) else each for each in column]


def _prepared(frame: Any, chosen: Chosen, labels: Sequence[Any], text: bool) -> Any:
    """Only what is needed, under names of our own."""
    label = frame[sql.quoted(chosen.label)]
    columns = [label.isin(list(labels)).alias("positive")]  # null where the label is
    columns += [_double(frame, name, text).alias(f"{kind}{place}") for kind in ("s", "k")
                for place, name in enumerate(chosen.scores.values())]  # fmt: skip
    if text:
        columns += [frame[sql.quoted(name)].cast("string").alias(f"t{place}")
                    for place, name in enumerate(chosen.scores.values())]  # fmt: skip
    if chosen.weight is not None:
        columns.append(_double(frame, chosen.weight, text).alias("w"))
    unit = chosen.group or chosen.id
    if unit is not None:
        columns.append(frame[sql.quoted(unit)].cast("string").alias("unit"))
    prepared = frame.select(*columns)
    if unit is None:
        return prepared
    others = [name for name in prepared.columns if name != "unit"]
    return prepared.selectExpr(*others, "CAST(conv(substring(md5(unit), 1, 15), 16, 10) AS BIGINT) AS unit")


def _without_bad_rows(prepared: Any, chosen: Chosen) -> tuple[Any, Skipped]:
    """Rows that can be used, and how many cannot and why."""
    reason = sql.bad_rows(
        len(chosen.scores), weighted=chosen.weight is not None, has_units=bool(chosen.group or chosen.id)
    )
    found = asked(prepared, f"SELECT {reason} AS reason, count(*) AS n FROM {{rows}} GROUP BY 1", rows=prepared)
    skipped = Skipped.of({why: int(n) for why, n in zip(found["reason"], found["n"], strict=True) if why})
    return prepared.where(f"{reason} = ''"), skipped


def _edges(prepared: Any, chosen: Chosen, n_rows: int, precision: Precision) -> list[Array] | None:
    """Where bins begin, ascending, for each model; None if tables are exact."""
    models, bins = len(chosen.scores), precision.bins
    if bins is None and n_rows * models <= precision.max_distinct:
        return None
    found = asked(prepared, sql.distinct_scores(models), rows=prepared)
    distinct = [int(found[f"n{model}"][0]) for model in range(models)]
    if bins is None and sum(distinct) <= precision.max_distinct:
        return None
    wanted = bins or BINS
    shares = [max(1, each // (_SAMPLE * wanted)) for each in distinct]
    query = sql.sampled_scores(models, shares, weighted=chosen.weight is not None)
    sample = asked(prepared, query, rows=prepared)
    return [_cuts(sample, model, wanted, precision.edges) for model in range(models)]


def _tables(frame: Any, chosen: Chosen, n_rows: int, *, binned: bool) -> dict[str, ScoreTable]:
    """The score table of each model, and all complaints about rows, from one pass."""
    query = sql.tables(
        len(chosen.scores), weighted=chosen.weight is not None, has_units=bool(chosen.group or chosen.id),
        binned=binned, text="t0" in frame.columns,
    )  # fmt: skip
    found = asked(frame, query, rows=frame)
    _refuse_bad_rows(found, chosen, n_rows)
    tables = {model: _table(found, position) for position, model in enumerate(chosen.scores)}
    if not any(table.n for table in tables.values()):
        hint = "Hint: give at least one case a weight above 0."
        raise InputError(f"column {brief(chosen.weight)} is zero in every row. {hint}")
    return tables


def _refuse_bad_rows(found: Mapping[str, Any], chosen: Chosen, n_rows: int) -> None:
    """The first kind of bad row, with how many there are and what was found in them."""
    bad = np.flatnonzero(found["problem"] > 0)
    if not len(bad):
        return
    worst = min(bad, key=lambda row: (found["problem"][row], found["model"][row], str(found["low"][row])))
    code, model = int(found["problem"][worst]), found["model"][worst]
    rows = sum(found["positives"][row] for row in bad if found["problem"][row] == code and found["model"][row] == model)
    role, what, hint = sql.PROBLEMS[code]
    score = list(chosen.scores.values())[int(model)]
    name = {"weight": chosen.weight, "unit": chosen.group or chosen.id}.get(role, score)
    example = found["text"][worst] if code == 4 else float(found["low"][worst])
    seen = f", such as {brief(example)}" if code in (2, 3, 4, 6) else ""
    raise InputError(f"column {brief(name)} {what}: {rows:.0f} of {n_rows} rows{seen}. "
                     f"Hint: {hint}, or pass on_bad_row='skip'.")  # fmt: skip


def _has_fractions(tables: Mapping[str, ScoreTable], chosen: Chosen) -> bool:
    return chosen.weight is not None and any(
        not np.array_equal(each, np.round(each)) for table in tables.values()
        for each in (table.positives, table.negatives)
    )  # fmt: skip


def _double(frame: Any, name: str, text: bool) -> Any:
    column = frame[sql.quoted(name)]
    return (column.try_cast("double") if text else column.cast("double")) + 0.0  # -0.0 and 0.0 are one score


def _table(found: Mapping[str, Any], model: int) -> ScoreTable:
    own = found["model"] == model
    low = found["low"][own]
    order = np.argsort(-low)
    high = found["high"][own][order] if "high" in found else None
    exact = high is None or np.array_equal(high, low[order])
    positives, negatives = (found[name][own][order] for name in ("positives", "negatives"))
    kept = positives + negatives > 0  # a score that only rows of weight 0 have is no score of the table
    highest = None if exact or high is None else high[kept]
    return ScoreTable(low[order][kept], positives[kept], negatives[kept], highest)


def _cuts(sample: Mapping[str, Any], model: int, bins: int, edges: Sequence[float]) -> Array:
    """Where bins begin: cut from a sample of the scores, so that each holds about as much weight."""
    own = sample["model"] == model
    order = np.argsort(-sample["score"][own])
    weight = sample["weight"][own][order]
    blocks = ScoreTable(sample["score"][own][order], weight, np.zeros(len(weight))).coarsen(bins, edges=edges)
    heavy = blocks.score[blocks.tops == blocks.score]  # scores that many cases share stay bins of their own
    return np.unique(np.concatenate([blocks.score, np.nextafter(heavy, np.inf), np.asarray(edges, dtype=np.float64)]))


def _matrices(found: Mapping[str, Any], is_positive: bool, names: Sequence[str], models: int) -> dict[str, Array]:
    row = int(np.flatnonzero(found["positive"] == is_positive)[0])
    matrices = {}
    for number, name in enumerate(names):
        matrix = np.empty((models, models))
        for first in range(models):
            for second in range(first, models):
                matrix[first, second] = matrix[second, first] = found[f"x{first}_{second}_{number}"][row]
        matrices[name] = matrix
    return matrices


def _replicates(
    found: Mapping[str, Any], models: Sequence[str], edges: Sequence[Array], n_resamples: int
) -> dict[str, tuple[Array, Array]]:
    chunks = [np.frombuffer(found["sums"][row]) for row in np.argsort(found["chunk"])]
    ends = np.cumsum([_CHUNK * 2 * (len(own) + 1) for own in edges])
    result = {}
    for model, end, own in zip(models, ends, edges, strict=True):
        cells = len(own) + 1
        parts = [each[end - _CHUNK * 2 * cells : end].reshape(_CHUNK, cells, 2) for each in chunks]
        sums = np.concatenate(parts)[:n_resamples, ::-1]
        result[model] = np.ascontiguousarray(sums[..., 1]), np.ascontiguousarray(sums[..., 0])
    return result


def _by_value(function: Any) -> Any:
    """A function that travels to the executors with all that it calls: unconfuse need not be installed there."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(_hashed)  # type: ignore[no-untyped-call]
    return function
