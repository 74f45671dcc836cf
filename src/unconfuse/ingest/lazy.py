"""Lazy and remote frames: the engine that holds the rows adds them up by label and score; only the sums come back.

One piece of narwhals code serves polars' lazy frames, DuckDB relations, Dask, Ibis and whatever else narwhals knows. It
asks no engine what NaN, -0.0 or a missing truth value mean: scores are only cast and grouped, and the few groups are
judged by `ingest.groups`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from unconfuse._errors import InputError
from unconfuse._labels import ENOUGH
from unconfuse._validate import not_numbers, repeated
from unconfuse.ingest.by import orders_of
from unconfuse.ingest.columns import Chosen, choose, place_of
from unconfuse.ingest.data import Data, Needs, has_values
from unconfuse.ingest.frames import columns_of
from unconfuse.ingest.groups import Groups, coded, sample_of_cells, sample_of_groups
from unconfuse.ingest.rows import named_sample
from unconfuse.table.sample import Sample

Frame = nw.LazyFrame[Any]


def read_lazy(frame: Frame, data: Data, needs: Needs) -> Sample:
    """The score tables of a lazy frame, one for each score column; or its rows, where tables are not enough."""
    if has_values(data):
        raise InputError(
            "the rows of a lazy frame come in no fixed order: no values can be given apart from them. "
            "Hint: name columns instead, or collect the frame first."
        )
    schema = frame.collect_schema()
    chosen = choose(schema.names(), data, "the frame")
    orders = orders_of(frame.to_native(), chosen.slices)
    if needs.rows or chosen.matrices or (chosen.group is not None and chosen.scores):
        return named_sample(chosen, columns_of(frame, chosen), data, orders).ordered
    _refuse_text(schema, chosen)
    if chosen.id is not None:
        _refuse_duplicated_ids(frame, chosen.id)
    if chosen.predicted:
        return sample_of_cells(_cells(frame, schema, chosen), chosen, data, orders)
    kept = _kept(frame, schema, chosen)
    found = _answers([_added_up(kept, chosen, role) for role in _score_roles(chosen)])
    models = {model: _groups(each) for model, each in zip(chosen.scores, found, strict=True)}
    return sample_of_groups(models, chosen, data, orders)


def _cells(frame: Frame, schema: nw.Schema, chosen: Chosen) -> dict[str, Any]:
    """Rows by true and predicted label (and by group and subgroup): how many, and with what weight."""
    roles = {role: name for role, name in chosen.texts.items() if role != "id"}
    kept = frame.select(*(_plain(schema, name).alias(role) for role, name in roles.items()), *_weights(chosen))
    sums = [nw.len().alias("rows")]
    keys = list(roles)
    if chosen.weight is not None:
        kept = kept.with_columns(_one_if(_is_bad_weight()).alias("bad weight"))
        keys.append("bad weight")
        sums.append(nw.col("weight").sum())
    found = _answers([kept.group_by(*keys).agg(*sums)])[0]
    return {name: _present(found[name].to_list()) for name in found.columns}


def _weights(chosen: Chosen) -> list[nw.Expr]:
    return [] if chosen.weight is None else [nw.col(chosen.weight).cast(nw.Float64).alias("weight")]


def _answers(plans: Sequence[Frame]) -> list[nw.DataFrame[Any]]:
    """All results, or one clear error."""
    try:
        return _collected(plans)
    except Exception as error:  # each engine has errors of its own
        said = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
        raise InputError(f"the engine of the frame could not read it: {said}. Hint: collect it and look.") from error


def _score_roles(chosen: Chosen) -> list[str]:
    return [role for role in chosen.numbers if role != "weight"]


def _kept(frame: Frame, schema: nw.Schema, chosen: Chosen) -> Frame:
    """The columns that matter under the names of their roles, numbers as float64."""
    names = [_plain(schema, name).alias(role) for role, name in chosen.texts.items() if role not in ("group", "id")]
    numbers = [nw.col(name).cast(nw.Float64).alias(role) for role, name in chosen.numbers.items()]
    return frame.select(*names, *numbers)


def _refuse_text(schema: nw.Schema, chosen: Chosen) -> None:
    for name in chosen.numbers.values():
        if not (schema[name].is_numeric() or schema[name] in (nw.Boolean, nw.Object, nw.Unknown)):
            raise not_numbers(place_of(name).name, f"it holds {schema[name]}")


def _plain(schema: nw.Schema, name: str) -> nw.Expr:
    """A column of names; categories as the text they stand for."""
    is_category = isinstance(schema[name], nw.Categorical | nw.Enum)
    return nw.col(name).cast(nw.String) if is_category else nw.col(name)


def _added_up(kept: Frame, chosen: Chosen, role: str) -> Frame:
    """One model's rows by label and score; rows with bad weights or bad scores elsewhere are groups of their own."""
    others = [each for each in _score_roles(chosen) if each != role]
    divided = [each for each in chosen.texts if each.startswith("by ")]
    keys, sums = ["label", role, *divided], [nw.len().alias("rows")]
    if others:
        kept = kept.with_columns(
            nw.sum_horizontal(*(_one_if(_is_missing(each)) for each in others)).alias("missing elsewhere"),
            nw.sum_horizontal(*(_one_if(_is_infinite(each)) for each in others)).alias("infinite elsewhere"),
        )
        keys += ["missing elsewhere", "infinite elsewhere"]
    if chosen.weight is not None:
        kept = kept.with_columns(_one_if(_is_bad_weight()).alias("bad weight"))
        keys.append("bad weight")
        sums += [nw.col("weight").sum().alias("sum"), nw.col("weight").min().alias("lightest")]
    return kept.group_by(*keys).agg(*sums).rename({role: "score"})


def _is_missing(role: str) -> nw.Expr:
    return nw.col(role).is_null() | nw.col(role).is_nan().fill_null(False)


def _is_infinite(role: str) -> nw.Expr:
    size = nw.col(role).abs()
    return (size == float("inf")).fill_null(False)


def _is_bad_weight() -> nw.Expr:
    return _is_missing("weight") | _is_infinite("weight") | (nw.col("weight") < 0).fill_null(False)


def _one_if(condition: nw.Expr) -> nw.Expr:
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))


def _collected(plans: Sequence[Frame]) -> list[nw.DataFrame[Any]]:
    """All results, from one pass over the rows where the engine can do that."""
    if plans[0].implementation.is_polars():
        import polars as pl

        found = pl.collect_all([plan.to_native() for plan in plans], engine="streaming")
        return [nw.from_native(each, eager_only=True) for each in found]
    if plans[0].implementation.is_dask():
        from dask.base import compute

        found = compute(*(plan.to_native() for plan in plans))  # type: ignore[no-untyped-call]
        return [nw.from_native(each, eager_only=True) for each in found]
    return [plan.collect() for plan in plans]


def _groups(frame: nw.DataFrame[Any]) -> Groups:
    columns: Mapping[str, Any] = {
        name: np.asarray(frame[name].cast(nw.Float64).to_numpy(), dtype=np.float64)
        for name in frame.columns
        if name != "label" and not name.startswith("by ")
    }
    by = tuple(frame[name].to_numpy() for name in sorted(frame.columns) if name.startswith("by "))
    labels, code = _codes(frame["label"])
    flags = {
        name: columns[name] > 0 for name in ("bad weight", "missing elsewhere", "infinite elsewhere") if name in columns
    }
    return Groups(
        labels,
        code,
        columns["score"],
        columns["rows"],
        columns.get("sum"),
        columns.get("lightest"),
        flags.get("bad weight"),
        flags.get("missing elsewhere"),
        flags.get("infinite elsewhere"),
        by,
    )


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
