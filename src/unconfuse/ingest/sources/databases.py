"""Databases: the GROUP BY runs where the rows are, and only the sums come back."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._argument_types import is_number
from unconfuse._errors import ArgumentError, InputError, argument_name, did_you_mean, surface_text
from unconfuse._formatting import short_repr
from unconfuse._row_errors import SkippedRows, SkipReason, not_numbers, repeated
from unconfuse.ingest._database_connection import check_one_statement, connected, is_address, shown
from unconfuse.ingest.aggregated_rows import AggregatedRows, coded, sample_of_cells, sample_of_groups
from unconfuse.ingest.build_sample import named_sample
from unconfuse.ingest.column_roles import ColumnRoles, choose, place_of
from unconfuse.ingest.data import ANY, NAMES, Data, ReadRequest, has_values, is_path, reject_options
from unconfuse.table.sample import Sample

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, FromClause

    Keys = dict[str, ColumnElement[Any]]

_LARGEST = 1.7976931348623157e308  # infinity is more, and so is NaN in PostgreSQL
_NO_ORDER = "the rows of a database come in no fixed order"


def recognises(data: Data) -> bool:
    """Tell whether the source is the address of a database."""
    return is_path(data) and is_address(str(data.source))


def read(data: Data, needs: ReadRequest) -> Sample:
    """Score tables (or rows, where they are needed) of a table or of a query."""
    reject_options(data, ANY | NAMES | {"table", "query"}, _NO_ORDER, "name columns instead")
    if has_values(data):
        raise InputError(f"{_NO_ORDER}: no values can be given apart from them. Hint: name columns instead.")
    with connected(str(data.source)) as connection:
        database_query = _DatabaseQuery(connection, data)
        chosen = database_query.chosen
        database_query.refuse_text()
        database_query.refuse_duplicated_ids()
        if needs.rows or chosen.needs_rows:
            return named_sample(replace(chosen, id=None), database_query.columns(), data).ordered
        return (
            sample_of_cells(database_query.cells(), chosen, data) if chosen.predicted else database_query.tables(data)
        )


def columns_of_database(data: Data, *, everything: bool, labelled: bool) -> tuple[ColumnRoles, dict[str, Any]]:
    """Columns as they are, unchecked: for rows that need no label."""
    with connected(str(data.source)) as connection:
        database_query = _DatabaseQuery(connection, data, labelled=labelled, everything=everything)
        database_query.refuse_duplicated_ids()
        return database_query.chosen, database_query.columns()


class _DatabaseQuery:
    """What is selected from, the columns that matter, and all that is asked of them."""

    def __init__(self, connection: Connection, data: Data, **how: bool) -> None:
        import sqlalchemy

        self._sa, self._connection = sqlalchemy, connection
        self._kind = connection.dialect.name
        self._source = self._selected(data)
        where = f"table {short_repr(data.table)}" if data.table else "the query"
        self.chosen = choose([str(column.name) for column in self._source.columns], data, where, **how)

    def _selected(self, data: Data) -> FromClause:
        """Return what to select from, with the names of its columns."""
        sa = self._sa
        if (data.table is None) == (data.query is None):
            raise ArgumentError(
                "which rows of the database? Hint: give "
                + surface_text("`table='name'` or `query='SELECT ...'`.", "--table NAME or --query SQL.")
            )
        if data.table is not None:
            found, columns = self._named(data.table)
            chosen: FromClause = sa.table(found.name, *(sa.column(name) for name in columns), schema=found.schema)
            return chosen
        query = str(data.query).strip().rstrip("; \n").replace("\\", "\\\\").replace(":", "\\:")
        check_one_statement(query, self._connection)
        query += "\n"  # it may end in a comment
        names = self._connection.execute(sa.text(f"SELECT * FROM ({query}) AS given WHERE 1 = 0")).keys()
        given: FromClause = sa.text(query).columns(*(sa.column(name) for name in names)).subquery("given")
        return given

    def _named(self, name: str) -> tuple[Any, list[str]]:
        """Return the table or view of this name, perhaps in a schema: `name` or `schema.name`."""
        inspector = self._sa.inspect(self._connection)
        schema, _, short = name.rpartition(".")
        for table in (self._sa.table(name), self._sa.table(short, schema=schema or None)):
            try:
                return table, [str(column["name"]) for column in inspector.get_columns(table.name, schema=table.schema)]
            except self._sa.exc.NoSuchTableError:
                continue
        known = [*inspector.get_table_names(), *inspector.get_view_names()]
        offer = did_you_mean(name, known) if known else "Hint: it holds no tables at all."
        raise InputError(f"{shown(self._connection.engine.url)} has no table {short_repr(name)}. {offer}")

    def columns(self) -> dict[str, Any]:
        """Only the columns that matter, row by row."""
        needed = self.chosen.needed
        statement = self._sa.select(*(self._source.c[name].label(f"c{place}") for place, name in enumerate(needed)))
        return dict(zip(needed, _fetched(self._connection, statement).values(), strict=True))

    def cells(self) -> dict[str, Any]:
        """Rows by true and predicted label (and by group and subgroup): how many, and with what weight."""
        return self._grouped({role: self._source.c[name] for role, name in self.chosen.keys.items()})

    def tables(self, data: Data) -> Sample:
        """Return the score tables of all models; rows with text where a number belongs are refused, or counted."""
        found = {model: _groups(self._of_model(name)) for model, name in self.chosen.scores.items()}
        text = max(texts for _, texts in found.values())
        if text and data.on_bad_row == "error":
            raise self._text_found(text)
        for model, name in self.chosen.scores.items():
            if self._is_whole(name):
                found[model][0].refuse_rounded(name)
        sample = sample_of_groups({model: groups for model, (groups, _) in found.items()}, self.chosen, data)
        return sample.derive(skipped=sample.skipped.plus(SkippedRows.of({SkipReason.TEXT: text})))

    def _of_model(self, name: str) -> dict[str, Any]:
        """One model's rows by label and score; bad rows are groups of their own."""
        sa, chosen = self._sa, self.chosen
        others = [self._number(score) for score in chosen.scores.values() if score != name]
        keys: Keys = {"label": self._source.c[str(chosen.label)], "score": self._number(name)}
        keys |= {f"by {place}": self._source.c[each] for place, each in enumerate(chosen.slices)}
        if self._kind == "sqlite":  # where a column may hold anything
            keys["is text"] = self._flag(*(self._is_text(number) for number in chosen.numbers.values()))
        if others:
            keys["missing elsewhere"] = self._flag(*(self._is_missing(each) for each in others))
            keys["infinite elsewhere"] = self._flag(*(sa.func.abs(each) > _LARGEST for each in others))
        return self._grouped(keys)

    def _grouped(self, keys: Keys) -> dict[str, Any]:
        """How many rows have the same keys, and with what weight; rows with bad weights are groups of their own."""
        sa = self._sa
        sums: Keys = {"rows": sa.func.count()}
        if self.chosen.weight is not None:
            weight = self._number(self.chosen.weight)
            keys["bad weight"] = self._flag(weight.is_(None), weight < 0, weight > _LARGEST)
            sums |= {"weight": sa.func.sum(weight), "lightest": sa.func.min(weight)}
        grouped = [each.label(key) for key, each in keys.items()]
        statement = sa.select(*grouped, *(each.label(key) for key, each in sums.items()))
        return _fetched(self._connection, statement.select_from(self._source).group_by(*grouped))

    def _number(self, name: str) -> ColumnElement[Any]:
        return self._sa.cast(self._source.c[name], self._sa.Double)

    def _flag(self, *conditions: Any) -> ColumnElement[Any]:
        literal = self._sa.literal_column
        return self._sa.case((self._sa.or_(*conditions), literal("1")), else_=literal("0"))

    def _is_missing(self, score: ColumnElement[Any]) -> ColumnElement[Any]:
        if self._kind == "postgresql":  # where NaN equals itself
            return self._sa.or_(score.is_(None), score == self._sa.literal_column("CAST('NaN' AS double precision)"))
        return self._sa.or_(score.is_(None), score != score)  # noqa: PLR0124

    def _is_text(self, name: str) -> ColumnElement[Any]:
        return self._sa.func.typeof(self._source.c[name]).in_(["text", "blob"])

    def _is_whole(self, name: str) -> bool:
        column = self._source.c[name]
        if self._kind == "sqlite":  # where a column may hold anything
            beyond = self._first(
                name, (self._sa.func.typeof(column) == "integer") & (self._sa.func.abs(column) > 2**53)
            )
            return beyond is not None
        kind = column.type
        return isinstance(kind, self._sa.Integer) or (isinstance(kind, self._sa.Numeric) and kind.scale == 0)

    def _first(self, name: str, condition: Any) -> Any:
        return self._connection.execute(self._sa.select(self._source.c[name]).where(condition).limit(1)).scalar()

    def refuse_text(self) -> None:
        """Scores and weights must be numbers: the first value of each column tells (but not in SQLite)."""
        for name in self.chosen.numbers.values() if self._kind != "sqlite" else ():
            first = self._first(name, self._source.c[name].is_not(None))
            if first is not None and not is_number(first):
                raise not_numbers(place_of(name).name, f"found {short_repr(first)}")

    def _text_found(self, rows: int) -> InputError:
        texts = {name: self._first(name, self._is_text(name)) for name in self.chosen.numbers.values()}
        name, first = next((name, text) for name, text in texts.items() if text is not None)
        found = f"found {short_repr(first)} ({rows} rows hold text where a number belongs)"
        return not_numbers(
            place_of(name).name, found, f"correct the values, or {argument_name('on_bad_row', 'skip')} leaves them out"
        )

    def refuse_duplicated_ids(self) -> None:
        """Refuse by name a case that occurs twice: it would count as two."""
        if self.chosen.id is None:
            return
        column, count = self._source.c[self.chosen.id], self._sa.func.count()
        twice = self._sa.select(column).group_by(column).having(count > 1).order_by(column).limit(1)
        for row in self._connection.execute(twice):
            raise repeated(self.chosen.id, row[0])


def _fetched(connection: Connection, statement: Any) -> dict[str, Any]:
    """Fetch a result as columns: over ADBC where its driver is there, else row by row."""
    columns = _over_adbc(connection, statement)
    if columns is not None:
        return columns
    result = connection.execute(statement)
    names, found = list(result.keys()), result.fetchall()
    values = zip(*found, strict=True) if found else ([] for _ in names)
    return {name: _array(list(column)) for name, column in zip(names, values, strict=True)}


def _over_adbc(connection: Connection, statement: Any) -> dict[str, Any] | None:
    """Ask the same question through PostgreSQL's columnar driver; return None where that cannot be done."""
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


def _groups(columns: dict[str, Any]) -> tuple[AggregatedRows, int]:
    """Return the groups that hold numbers, and how many rows hold text instead."""
    label = np.asarray(columns.pop("label"), dtype=object)
    known = {key: np.asarray(column, dtype=None if key[:3] == "by " else np.float64) for key, column in columns.items()}
    is_text = known.pop("is text", np.zeros(len(label))) > 0
    kept = {key: column[~is_text] for key, column in known.items()}
    return AggregatedRows.of(*coded(label[~is_text]), kept), int(known["rows"][is_text].sum())
