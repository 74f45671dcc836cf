"""Frames of any library that narwhals knows, and mappings of columns: only what matters leaves them.

The engine of a lazy or remote frame adds its rows up by label and score, and only the sums come back. One piece of
narwhals code serves polars' lazy frames, DuckDB relations, Dask, Ibis and whatever else narwhals knows. It asks no
engine what NaN, -0.0 or a missing truth value mean: scores are only cast and grouped, and the few groups are judged by
`ingest.aggregated_rows`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from unconfuse._errors import InputError
from unconfuse._formatting import short_repr
from unconfuse._labels import ENOUGH
from unconfuse._row_errors import not_numbers, repeated
from unconfuse._validate import as_builtin
from unconfuse.ingest.aggregated_rows import AggregatedRows, coded, sample_of_cells, sample_of_groups
from unconfuse.ingest.build_sample import named_sample
from unconfuse.ingest.column_roles import WEIGHTS, ColumnRoles, choose, place_of
from unconfuse.ingest.data import ANY, NAMES, VALUES, Data, ReadRequest, has_values, reject_options
from unconfuse.ingest.grouping import orders_of
from unconfuse.table.counts import Counts
from unconfuse.table.sample import Sample

Frame = nw.LazyFrame[Any]
_BOTH = " Hint: pass scores as well, as in evaluate(y, s)."


def recognises(data: Data) -> bool:
    """Whatever no other kind of source is; what is no frame either is refused on reading."""
    return True


def read(data: Data, needs: ReadRequest) -> Sample:
    """Read and check the rows of a frame; of a lazy one only its score tables, unless rows are needed.

    Examples
    --------
    >>> read(Data({"y": [1, 0], "p": [.8, .3]}), ReadRequest())
    InMemorySample(2 cases, 1 positive, models: p)
    """
    reject_options(data, ANY | NAMES | VALUES, "the data are a frame")
    frame = known_frame(data.source)
    is_lazy = isinstance(frame, nw.LazyFrame)
    if is_lazy and has_values(data):
        raise InputError(
            "the rows of a lazy frame come in no fixed order: no values can be given apart from them. "
            "Hint: name columns instead, or collect the frame first."
        )
    chosen = choose(names_of(frame), data, "the mapping" if isinstance(frame, Mapping) else "the frame")
    orders = orders_of(data.source, chosen.slices)
    if is_lazy and not (needs.rows or chosen.needs_rows):
        return _added_up(frame, chosen, data, orders)
    sample = named_sample(chosen, columns_of(frame, chosen), data, orders)
    return sample.ordered if is_lazy else sample


def known_frame(source: Any, expected: str = "labels and scores, ", hint: str = _BOTH) -> Any:
    """Return a frame as narwhals knows it, or a mapping as it is; anything else is refused."""
    if isinstance(source, Mapping):
        return source
    try:
        known = nw.from_native(source, pass_through=True)
    except nw.exceptions.DuplicateError:
        twice = next(name for name in source.columns if list(source.columns).count(name) > 1)
        raise InputError(f"the frame has more than one column named {short_repr(twice)}. Hint: rename one.") from None
    if isinstance(source, Counts):
        raise InputError("four counts are no labels. Hint: evaluate_counts(tp=90, fp=5, fn=10, tn=95).")
    if not isinstance(known, nw.DataFrame | nw.LazyFrame):
        raise InputError(f"expected {expected}a data frame or the path of a file; got {type(source).__name__}.{hint}")
    return known


def names_of(frame: Any) -> list[str]:
    """Names of all columns."""
    return [str(name) for name in frame] if isinstance(frame, Mapping) else list(frame.collect_schema().names())


def columns_of(frame: Any, chosen: ColumnRoles) -> dict[str, Any]:
    """Return the columns that matter, as arrays; only they leave the engine of a lazy frame."""
    if isinstance(frame, Mapping):
        return {name: np.asarray(as_builtin(frame[name])) for name in chosen.needed}
    eager = frame.select(*chosen.needed).collect() if isinstance(frame, nw.LazyFrame) else frame
    return {name: eager.get_column(name).to_numpy() for name in chosen.needed}


def _added_up(frame: Frame, chosen: ColumnRoles, data: Data, orders: Mapping[str, Sequence[Any]]) -> Sample:
    """Decisions or score tables, from the sums of groups of rows."""
    schema = frame.collect_schema()
    for name in chosen.numbers.values():
        if not (schema[name].is_numeric() or schema[name] in (nw.Boolean, nw.Object, nw.Unknown)):
            raise not_numbers(place_of(name).name, f"it holds {schema[name]}")
    if chosen.id is not None:
        _refuse_duplicated_ids(frame, chosen.id)
    kept = _kept(frame, schema, chosen)
    if chosen.predicted:
        cells = _answers([_grouped(kept, list(chosen.keys), chosen)])[0]
        return sample_of_cells({name: _present(cells[name].to_list()) for name in cells.columns}, chosen, data, orders)
    scores = [role for role in chosen.numbers if role not in WEIGHTS]
    frames = _answers([_of_model(kept, chosen, role, scores) for role in scores])
    models = {model: _groups(each) for model, each in zip(chosen.scores, frames, strict=True)}
    for model, name in chosen.scores.items():
        if schema[name].is_integer():
            models[model].refuse_rounded(name)
    return sample_of_groups(models, chosen, data, orders)


def _kept(frame: Frame, schema: nw.Schema, chosen: ColumnRoles) -> Frame:
    """Return the columns that matter under the names of their roles: numbers as float64, categories as text."""

    def named(name: str) -> nw.Expr:
        is_category = isinstance(schema[name], nw.Categorical | nw.Enum)
        return nw.col(name).cast(nw.String) if is_category else nw.col(name)

    numbers = [nw.col(name).cast(nw.Float64).alias(role) for role, name in chosen.numbers.items()]
    return frame.select(*(named(name).alias(role) for role, name in chosen.keys.items()), *numbers)


def _of_model(kept: Frame, chosen: ColumnRoles, role: str, scores: Sequence[str]) -> Frame:
    """One model's rows by label and score; rows with bad scores elsewhere are groups of their own."""
    others = [score for score in scores if score != role]
    keys = ["label", role, *(text for text in chosen.texts if text.startswith("by "))]
    if others:
        kept = kept.with_columns(
            nw.sum_horizontal(*(_one_if(_is_missing(each)) for each in others)).alias("missing elsewhere"),
            nw.sum_horizontal(*(_one_if(_is_infinite(each)) for each in others)).alias("infinite elsewhere"),
        )
        keys += ["missing elsewhere", "infinite elsewhere"]
    return _grouped(kept, keys, chosen).rename({role: "score"})


def _grouped(kept: Frame, keys: Sequence[str], chosen: ColumnRoles) -> Frame:
    """How many rows have the same keys, and with what weight; rows with bad weights are groups of their own."""
    if chosen.weight is None:
        return kept.group_by(*keys).agg(nw.len().alias("rows"))
    is_negative = (nw.col("weight") < 0).fill_null(False)
    is_bad = _one_if(_is_missing("weight") | _is_infinite("weight") | is_negative).alias("bad weight")
    sums = (nw.col("weight").min().alias("lightest"), nw.col("weight").sum())
    return kept.with_columns(is_bad).group_by(*keys, "bad weight").agg(nw.len().alias("rows"), *sums)


def _is_missing(role: str) -> nw.Expr:
    return nw.col(role).is_null() | nw.col(role).is_nan().fill_null(False)


def _is_infinite(role: str) -> nw.Expr:
    return (nw.col(role).abs() == float("inf")).fill_null(False)


def _one_if(condition: nw.Expr) -> nw.Expr:
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))


def _answers(plans: Sequence[Frame]) -> list[nw.DataFrame[Any]]:
    """All results, or one clear error."""
    try:
        return _collected(plans)
    except Exception as error:  # each engine has errors of its own
        said = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
        raise InputError(f"the engine of the frame could not read it: {said}. Hint: collect it and look.") from error


def _collected(plans: Sequence[Frame]) -> list[nw.DataFrame[Any]]:
    """All results, from one pass over the rows where the engine can do that."""
    natives = [plan.to_native() for plan in plans]
    if plans[0].implementation.is_polars():
        import polars as pl

        frames = pl.collect_all(natives, engine="streaming")
    elif plans[0].implementation.is_dask():
        from dask.base import compute

        frames = compute(*natives)  # type: ignore[no-untyped-call]
    else:
        return [plan.collect() for plan in plans]
    return [nw.from_native(frame, eager_only=True) for frame in frames]


def _groups(frame: nw.DataFrame[Any]) -> AggregatedRows:
    names = [name for name in frame.columns if name != "label"]
    numbers = {
        name: np.asarray(frame[name].cast(nw.Float64).to_numpy()) for name in names if not name.startswith("by ")
    }
    by = {name: frame[name].to_numpy() for name in names if name.startswith("by ")}
    return AggregatedRows.of(*_codes(frame["label"]), {**numbers, **by})


def _codes(labels: Any) -> tuple[list[Any], Any]:
    """Without a Python object for each group, where there are few labels."""
    distinct, _ = coded(np.array(_present(labels.unique().to_list()), dtype=object))
    if len(distinct) > ENOUGH:
        return coded(np.array(_present(labels.to_list()), dtype=object))
    code = np.full(len(labels), -1, dtype=np.int64)
    for position, label in enumerate(distinct):
        code[np.asarray((labels == label).fill_null(False).to_numpy(), dtype=np.bool_)] = position
    return distinct, code


def _present(values: list[Any]) -> list[Any]:
    """Every library's own missing value as None."""
    return [None if type(value).__name__ in ("NAType", "NaTType") else value for value in values]


def _refuse_duplicated_ids(frame: Frame, name: str) -> None:
    counted = frame.select(nw.col(name).alias("id")).group_by("id").agg(nw.len().alias("rows"))
    twice = counted.filter(nw.col("rows") > 1).head(1).collect()
    if len(twice):
        raise repeated(name, twice["id"].to_list()[0])
