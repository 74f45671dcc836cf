"""Databases: the GROUP BY runs where the rows are, and only the sums come back."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._errors import ArgumentError, InputError, nearest
from unconfuse._validate import NOT_A_NUMBER, Skipped, brief, is_number, not_numbers, repeated
from unconfuse.ingest._connection import connected, is_address, shown
from unconfuse.ingest.columns import Chosen, choose, place_of
from unconfuse.ingest.data import ANY, NAMES, Data, Needs, has_values, refuse_words
from unconfuse.ingest.groups import Groups, coded, sample_of_cells, sample_of_groups
from unconfuse.ingest.rows import named_sample
from unconfuse.table.sample import Sample

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, FromClause, Select

_LARGEST = 1.7976931348623157e308  # infinity is more, and so is NaN in PostgreSQL
_NO_ORDER = "the rows of a database come in no fixed order"


def recognises(data: Data) -> bool:
    """The address of a database."""
    return isinstance(data.source, str) and is_address(data.source)


def read(data: Data, needs: Needs) -> Sample:
    """Score tables (or rows, where they are needed) of a table or of a query."""
    refuse_words(data, ANY | NAMES | {"table", "query"}, _NO_ORDER, "name columns instead")
    if has_values(data):
        raise InputError(f"{_NO_ORDER}: no values can be given apart from them. Hint: name columns instead.")
    with connected(str(data.source)) as connection:
        source = _source(connection, data)
        chosen = _chosen(source, data)
        _refuse_text(connection, source, chosen)
        if chosen.id is not None:
            _refuse_duplicated_ids(connection, source, chosen.id)
        if needs.rows or chosen.needs_rows:
            return named_sample(replace(chosen, id=None), _columns(connection, source, chosen), data).ordered
        if chosen.predicted:
            keys = {role: source.c[name] for role, name in chosen.keys.items()}
            return sample_of_cells(_fetched(connection, _grouped(source, chosen, keys)), chosen, data)
        return _tables(connection, source, chosen, data)


def columns_of_database(data: Data, *, everything: bool) -> tuple[Chosen, dict[str, Any]]:
    """Columns as they are, unchecked: for rows that need no label."""
    with connected(str(data.source)) as connection:
        source = _source(connection, data)
        chosen = _chosen(source, data, labelled=data.label is not None, everything=everything)
        if chosen.id is not None:
            _refuse_duplicated_ids(connection, source, chosen.id)
        return chosen, _columns(connection, source, chosen)


def _chosen(source: FromClause, data: Data, **how: bool) -> Chosen:
    where = f"table {brief(data.table)}" if data.table else "the query"
    return choose([str(column.name) for column in source.columns], data, where, **how)


def _source(connection: Connection, data: Data) -> FromClause:
    """What to select from, with the names of its columns."""
    import sqlalchemy as sa

    if (data.table is None) == (data.query is None):
        raise ArgumentError(
            "which rows of the database? Hint: pass table='name' or query='SELECT ...' "
            "(on the command line: --table NAME or --query SQL)."
        )
    if data.table is not None:
        found, columns = _named(connection, data.table)
        return sa.table(found.name, *(sa.column(name) for name in columns), schema=found.schema)
    query = str(data.query).strip().rstrip(";").replace("\\", "\\\\").replace(":", "\\:")
    names = connection.execute(sa.text(f"SELECT * FROM ({query}) AS given WHERE 1 = 0")).keys()
    return sa.text(query).columns(*(sa.column(name) for name in names)).subquery("given")


def _named(connection: Connection, name: str) -> tuple[Any, list[str]]:
    """The table or view of this name, perhaps in a schema: `name` or `schema.name`."""
    import sqlalchemy as sa

    inspector = sa.inspect(connection)
    schema, _, short = name.rpartition(".")
    for table in (sa.table(name), sa.table(short, schema=schema or None)):
        try:
            return table, [str(each["name"]) for each in inspector.get_columns(table.name, schema=table.schema)]
        except sa.exc.NoSuchTableError:
            continue
    known = [*inspector.get_table_names(), *inspector.get_view_names()]
    offer = nearest(name, known) if known else "Hint: it holds no tables at all."
    raise InputError(f"{shown(connection.engine.url)} has no table {brief(name)}. {offer}")


def _tables(connection: Connection, source: FromClause, chosen: Chosen, data: Data) -> Sample:
    models, text = {}, 0
    for model, name in chosen.scores.items():
        models[model], texts = _groups(_fetched(connection, _added_up(connection, source, chosen, name)))
        text = max(text, texts)
    if text and data.on_bad_row == "error":
        raise _text_found(connection, source, chosen, text)
    found = sample_of_groups(models, chosen, data)
    return replace(found, skipped=found.skipped.plus(Skipped.of({NOT_A_NUMBER: text})))


def _added_up(connection: Connection, source: FromClause, chosen: Chosen, name: str) -> Select[Any]:
    """One model's rows by label and score; bad rows are groups of their own."""
    import sqlalchemy as sa

    score = _number(source, name)
    others = [_number(source, each) for each in chosen.scores.values() if each != name]
    keys: dict[str, ColumnElement[Any]] = {"label": source.c[str(chosen.label)], "score": score}
    keys |= {f"by {place}": source.c[each] for place, each in enumerate(chosen.slices)}
    if connection.dialect.name == "sqlite":  # where a column may hold anything
        numbers = [source.c[each] for each in chosen.numbers.values()]
        keys["is text"] = _flag(sa.or_(*(sa.func.typeof(each).in_(["text", "blob"]) for each in numbers)))
    if others:
        keys["missing elsewhere"] = _flag(sa.or_(*(_is_missing(connection, each) for each in others)))
        keys["infinite elsewhere"] = _flag(sa.or_(*(sa.func.abs(each) > _LARGEST for each in others)))
    return _grouped(source, chosen, keys)


def _grouped(source: FromClause, chosen: Chosen, keys: dict[str, ColumnElement[Any]]) -> Select[Any]:
    """How many rows have the same keys, and with what weight; rows with bad weights are groups of their own."""
    import sqlalchemy as sa

    sums: dict[str, ColumnElement[Any]] = {"rows": sa.func.count()}
    if chosen.weight is not None:
        weight = _number(source, chosen.weight)
        keys["bad weight"] = _flag(sa.or_(weight.is_(None), weight < 0, weight > _LARGEST))
        sums |= {"weight": sa.func.sum(weight), "lightest": sa.func.min(weight)}
    grouped = [each.label(key) for key, each in keys.items()]
    return sa.select(*grouped, *(each.label(key) for key, each in sums.items())).select_from(source).group_by(*grouped)


def _number(source: FromClause, name: str) -> ColumnElement[Any]:
    import sqlalchemy as sa

    return sa.cast(source.c[name], sa.Double)


def _flag(condition: ColumnElement[Any]) -> ColumnElement[Any]:
    import sqlalchemy as sa

    return sa.case((condition, sa.literal_column("1")), else_=sa.literal_column("0"))


def _is_missing(connection: Connection, score: ColumnElement[Any]) -> ColumnElement[Any]:
    import sqlalchemy as sa

    if connection.dialect.name == "postgresql":  # where NaN equals itself
        return sa.or_(score.is_(None), score == sa.literal_column("CAST('NaN' AS double precision)"))
    return sa.or_(score.is_(None), score != score)  # noqa: PLR0124


def _fetched(connection: Connection, statement: Any) -> dict[str, Any]:
    """A result as columns: over ADBC where its driver is there, else row by row."""
    columns = _over_adbc(connection, statement)
    if columns is not None:
        return columns
    result = connection.execute(statement)
    names, found = list(result.keys()), result.fetchall()
    values = zip(*found, strict=True) if found else ([] for _ in names)
    return {name: _array(list(column)) for name, column in zip(names, values, strict=True)}


def _over_adbc(connection: Connection, statement: Any) -> dict[str, Any] | None:
    """The same question asked through PostgreSQL's columnar driver; None where that cannot be done."""
    if connection.dialect.name != "postgresql" or not (find_spec("adbc_driver_postgresql") and find_spec("pyarrow")):
        return None
    from adbc_driver_manager import Error
    from adbc_driver_postgresql import dbapi  # type: ignore[import-untyped]

    dialect: Any = type(connection.dialect)
    query = str(statement.compile(dialect=dialect(paramstyle="named"), compile_kwargs={"literal_binds": True}))
    url = connection.engine.url.set(drivername="postgresql").update_query_dict({"connect_timeout": "10"})
    try:
        with dbapi.connect(url.render_as_string(hide_password=False)) as session, session.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute(query)
            table = cursor.fetch_arrow_table()
    except Error:  # the ordinary driver may still do it, and words its complaints better
        return None
    return {name: table[name].to_numpy() for name in table.column_names}


def _array(values: list[Any]) -> Any:
    """Numbers as float64 with NaN where missing; anything else as Python objects."""
    if all(value is None or isinstance(value, float) for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _groups(columns: dict[str, Any]) -> tuple[Groups, int]:
    """The groups that hold numbers, and how many rows hold text instead."""
    label = np.asarray(columns.pop("label"), dtype=object)
    known = {key: np.asarray(each, dtype=None if key[:3] == "by " else np.float64) for key, each in columns.items()}
    is_text = known.pop("is text", np.zeros(len(label))) > 0
    kept = {key: column[~is_text] for key, column in known.items()}
    return Groups.of(*coded(label[~is_text]), kept), int(known["rows"][is_text].sum())


def _columns(connection: Connection, source: FromClause, chosen: Chosen) -> dict[str, Any]:
    """Only the columns that matter, row by row."""
    import sqlalchemy as sa

    statement = sa.select(*(source.c[name].label(f"c{place}") for place, name in enumerate(chosen.needed)))
    return dict(zip(chosen.needed, _fetched(connection, statement).values(), strict=True))


def _refuse_text(connection: Connection, source: FromClause, chosen: Chosen) -> None:
    """Scores and weights must be numbers: the first value of each column tells (but not in SQLite)."""
    import sqlalchemy as sa

    for name in chosen.numbers.values() if connection.dialect.name != "sqlite" else ():
        column = source.c[name]
        first = connection.execute(sa.select(column).where(column.is_not(None)).limit(1)).scalar()
        if first is not None and not is_number(first):
            raise not_numbers(place_of(name).name, f"found {brief(first)}")


def _text_found(connection: Connection, source: FromClause, chosen: Chosen, rows: int) -> InputError:
    import sqlalchemy as sa

    for name in chosen.numbers.values():
        column = source.c[name]
        is_text = sa.func.typeof(column).in_(["text", "blob"])
        first = connection.execute(sa.select(column).where(is_text).limit(1)).scalar()
        if first is not None:
            break
    found = f"found {brief(first)} ({rows} rows hold text where a number belongs)"
    return not_numbers(place_of(name).name, found, "correct the values, or pass on_bad_row='skip'")


def _refuse_duplicated_ids(connection: Connection, source: FromClause, name: str) -> None:
    import sqlalchemy as sa

    column = source.c[name]
    twice = sa.select(column).group_by(column).having(sa.func.count() > 1).order_by(column).limit(1)
    for row in connection.execute(twice):
        raise repeated(name, row[0])
