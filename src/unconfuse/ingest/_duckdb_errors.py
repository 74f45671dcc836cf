"""What is wrong with a file, for the person who has it: what the engine said, and which rows cannot be used."""

from __future__ import annotations

import mmap
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unconfuse._errors import BadRowsError, InputError, argument_name
from unconfuse._formatting import short_repr
from unconfuse._row_errors import ColumnProblem, ColumnProblems, not_numbers, repeated
from unconfuse.ingest._file_discovery import FileSource
from unconfuse.ingest.column_roles import UNITS, WEIGHTS

if TYPE_CHECKING:
    from unconfuse.ingest._duckdb_engine import Engine
    from unconfuse.ingest._duckdb_readers import FileGroup

_SHOWN = 5
_ROUNDED = (
    "regexp_full_match(trim(v), '[+-]?[0-9]{16,}') AND "
    "coalesce(TRY_CAST(TRY_CAST(v AS DOUBLE) AS HUGEINT) <> TRY_CAST(v AS HUGEINT), true)"
)
_UNDERSCORED = "contains(v, '_') AND TRY_CAST(v AS DOUBLE) IS NOT NULL"
_NOT_A_NUMBER = r"(?s)Error when converting column \"c(\d+)\"\. Could not convert string \"(.*?)\" to"
_RAGGED = r"Expected Number of Columns: (\d+) Found: (\d+)"
_LINE = r"CSV Error on Line: (\d+)|in line (\d+)"
_JSON_VALUE = r"(?s)JSON transform error.*?: Failed to cast value to numerical: (.*?)(?:\nTry|$)"
_NOT_UTF8 = "is not text in UTF-8. Hint: save the file as UTF-8 (in a spreadsheet: 'CSV UTF-8')."
_COMPLAINTS = {  # the first that was said; the engine quotes lines of the file, so that single words prove little
    "out of memory": "needs more memory than there is. Hint: name fewer columns, or give Parquet.",
    "maximum line size of": "has a line longer than 32 MB. Hint: check the line ends and the quotes.",
    "unterminated quote": "has a quote that is never closed. Hint: check the double quotes near that line.",
    "reached an invalid state": "mixes two kinds of line ends, or has quotes where none belong. Hint: save it again.",
    "unicode": _NOT_UTF8,
    "utf-8": _NOT_UTF8,
    "json": 'is not one JSON object per line. Hint: write each row as {"label": 1, "score": 0.5} on its own line.',
    "quote": "has a quote that is never closed. Hint: check the double quotes near that line.",
}


def explained(error: Exception, sources: Sequence[FileSource], names: Sequence[str]) -> InputError:
    """Turn the engine's complaint into one clear error that names file, line, column and text."""
    said = str(error)
    source = _meant(said, sources)
    found = re.search(_LINE, said)
    where = f"line {found[1] or found[2]} of {source.name}" if found else source.name
    if match := re.search(_NOT_A_NUMBER, said):
        name = names[int(match[1])] if int(match[1]) < len(names) else ""
        return not_a_number(where, name, match[2])
    if match := re.search(_RAGGED, said):
        return InputError(
            f"{where} has {match[2]} {'field' if match[2] == '1' else 'fields'}, but the header names {match[1]} "
            "columns. Hint: put fields that contain the separator in double quotes, or state the separator "
            "(--delimiter)."
        )
    return InputError(f"{where} {_complaint(said, source)}")


def _meant(said: str, sources: Sequence[FileSource]) -> FileSource:
    """Return the file that the engine speaks of; the first if it names none."""
    named = [source for source in sources if source.path in said]
    return max(named, key=lambda each: len(each.path)) if named and len(sources) > 1 else sources[0]


def not_a_number(where: str, name: str, value: str) -> InputError:
    """Text in a column of numbers."""
    comma = re.fullmatch(r"-?\d+,\d+", value.strip())
    hint = (
        f"write decimals with a point, or say {argument_name('decimal', ',')}"
        if comma
        else "correct the value or choose another column"
    )
    return not_numbers(f"{where}: column {short_repr(name)}", f"found {short_repr(value)}", hint)


def _complaint(said: str, source: FileSource) -> str:
    if match := re.search(_JSON_VALUE, said):
        return (
            f"{ColumnProblems.TEXT.what} where scores are expected; found {short_repr(match[1].strip())}. Hint: "
            "correct the value."
        )
    for words, complaint in _COMPLAINTS.items():
        if words in said.lower():
            return complaint
    is_parquet = source.format == "parquet"
    problem = "is damaged, cut short or holds a type that is not a number" if is_parquet else "cannot be read"
    first = (said.strip().splitlines() or ["no reason given"])[0][:200]
    return f"{problem}. Hint: write it again as CSV, Parquet or JSON lines. ({first})"


class _ColumnCheck(NamedTuple):
    """A column, when its value is bad (as SQL, for each part), and how to say it."""

    role: str
    condition: str
    fault: ColumnProblem

    def sql(self, part: FileGroup) -> str:
        if self.role == "label":
            return part.label_is_missing()
        is_name = self.role in part.chosen.texts
        column = part.column(self.role) if is_name else part.number(self.role, lenient=True)
        return self.condition.format(column)


def check_bad_rows(engine: Engine, parts: Sequence[FileGroup]) -> None:
    """Raise an error that counts the bad rows and names the first of them, if there are any."""
    checks = list(_checks(parts[0]))
    totals = [0] * (len(checks) + 1)
    first: dict[int, tuple[FileGroup, FileSource]] = {}
    for part in parts:
        for source, counts in _counted(engine, part, checks):
            totals = [total + count for total, count in zip(totals, counts, strict=True)]
            for number in range(len(checks)):
                if counts[number] and number not in first:
                    first[number] = (part, source)
    for number, check in enumerate(checks):
        if totals[number]:
            where = _rows(engine, *first[number], check)
            name = {**parts[0].chosen.texts, **parts[0].chosen.numbers}[check.role]
            raise BadRowsError(
                f"column {short_repr(name)} {check.fault.what}: {totals[number]} of {totals[-1]} rows, "
                f"first at {where}. Hint: {check.fault.hint}, or skip them ({argument_name('on_bad_row', 'skip')}).",
                totals[number],
            )


def first_text(engine: Engine, parts: Sequence[FileGroup]) -> None:
    """Raise an error that names the first value that is not a number, if there is one that the engine cannot name."""
    for part in (
        file_group for file_group in parts if file_group.format == "parquet" or file_group.sources[0].layout == "array"
    ):
        for role in part.chosen.numbers:
            for source in part.sources:
                alone = part.of(source)
                query = f"{_numbered(alone, alone.is_text(role), part.name(role))} LIMIT 1"
                try:
                    found = engine.fetch(query)
                except engine.failure:  # a type that never converts, or a damaged file: the first error stands
                    continue
                if found:
                    raise not_a_number(f"row {found[0][0]} of {source.name}", part.chosen.numbers[role], found[0][1])


def check_rounded(engine: Engine, parts: Sequence[FileGroup], roles: Sequence[str], *, lenient: bool) -> None:
    """Whole numbers that no float64 holds would become ties of their neighbours: refuse the first by its row."""
    for part in parts:
        for source in part.sources:
            for role in roles:
                found = _first_written(engine, part.of(source), role, _ROUNDED, lenient=lenient)
                if found:
                    where, value = found
                    raise InputError(
                        f"column {short_repr(part.chosen.numbers[role])} {ColumnProblems.WHOLE.what}: first at "
                        f"{where}, {value.strip()}. Hint: {ColumnProblems.WHOLE.hint}."
                    )


def check_underscored(engine: Engine, parts: Sequence[FileGroup], *, lenient: bool) -> None:
    """Refuse the first number that is written with an underscore: the engine reads 0_57 as 57, and nobody else does."""
    for part in parts:
        for source in filter(_may_hold_underscores, part.sources):
            for role, name in part.chosen.numbers.items():
                if part.format == "csv" or part.types.get(name) == "VARCHAR":
                    found = _first_written(engine, part.of(source), role, _UNDERSCORED, lenient=lenient)
                    if found:
                        raise not_a_number(found[0], name, found[1])


def _first_written(
    engine: Engine, part: FileGroup, role: str, condition: str, *, lenient: bool
) -> tuple[str, str] | None:
    """Return where a file first holds such a number, and how it is written."""

    def first(lenient: bool) -> list[Any]:
        numbered = f"SELECT row_number() OVER () AS n, v FROM ({part.as_written(role, lenient=lenient)})"
        return list(engine.fetch(f"SELECT n, v FROM ({numbered}) WHERE {condition} LIMIT 1"))

    rows, counted = _as_far_as_readable(engine, first, lenient=lenient)
    if not rows:
        return None
    source = part.sources[0]
    return _where(source, [int(rows[0][0])]) if counted else source.name, rows[0][1]


def _as_far_as_readable(engine: Engine, look: Callable[[bool], list[Any]], *, lenient: bool) -> tuple[list[Any], bool]:
    """Return what is found in the files, and whether rows can be counted: not where lines are passed over."""
    try:
        return look(False), True
    except engine.failure:
        if not lenient:
            raise
        return look(True), False


def _may_hold_underscores(source: FileSource) -> bool:
    """Whether there may be one below the header, which takes no time to tell where the bytes of a file are text."""
    if source.format != "csv" or source.compression != "none":
        return True
    try:
        with Path(source.path).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as found:
            return found.find(b"_", found.find(b"\n") + 1) >= 0
    except (OSError, ValueError):  # no file of its own, or an empty one
        return True


def check_duplicated_ids(engine: Engine, parts: Sequence[FileGroup], *, lenient: bool) -> None:
    """Refuse by name a case that occurs twice: it would count as two."""

    def first(lenient: bool) -> list[Any]:
        each = (f"SELECT {part.name('id')} AS id FROM {part.reader(lenient=lenient)}" for part in parts)
        ids = " UNION ALL ".join(each)
        return list(engine.fetch(f"SELECT id FROM ({ids}) GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT 1"))

    twice, counted = _as_far_as_readable(engine, first, lenient=lenient)
    if not twice:
        return
    value, found = twice[0][0], []
    if not counted:
        raise repeated(parts[0].chosen.id, value)
    for part in parts:
        for source in part.sources:
            alone = part.of(source)
            same = _numbered(alone, part.is_same("id", value))
            found += [_where(source, [row[0]]) for row in engine.fetch(f"{same} LIMIT 2")]
            if len(found) > 1:
                raise repeated(parts[0].chosen.id, value, f": {found[0]} and {found[1]}")


def _checks(part: FileGroup) -> Iterator[_ColumnCheck]:
    if "label" in part.chosen.texts:
        yield _ColumnCheck("label", "", ColumnProblems.LABEL)
    for role in part.chosen.numbers:
        yield _ColumnCheck(role, "({0} IS NULL OR isnan({0}))", ColumnProblems.NUMBER)
        yield _ColumnCheck(role, "isinf({0})", ColumnProblems.INFINITE)
    for role in WEIGHTS:
        if role in part.chosen.numbers:
            yield _ColumnCheck(role, "{0} < 0", ColumnProblems.NEGATIVE)
    for role in UNITS:
        if role in part.chosen.texts:
            yield _ColumnCheck(role, "{0} IS NULL", ColumnProblems.GROUP)
    for role in part.chosen.texts:
        if role.startswith("predicted "):
            yield _ColumnCheck(role, "({0} IS NULL OR trim(CAST({0} AS VARCHAR)) = '')", ColumnProblems.LABEL)


def _counted(engine: Engine, part: FileGroup, checks: Sequence[_ColumnCheck]) -> Iterator[tuple[FileSource, list[int]]]:
    """Files of the part that have bad rows, in their order, with the number of rows at the end."""
    sums = ", ".join(f"count(*) FILTER ({check.sql(part)})" for check in checks)
    query = f"SELECT {part.file_column}, {sums}, count(*) FROM {part.reader(filename=True)} GROUP BY {part.file_column}"
    try:
        found = {str(row[0]): [int(count) for count in row[1:]] for row in engine.fetch(query)}
    except engine.failure as error:
        raise explained(error, part.sources, list(part.types)) from None
    for source in part.sources:
        yield source, found.get(source.path, [0] * (len(checks) + 1))


def _rows(engine: Engine, part: FileGroup, source: FileSource, check: _ColumnCheck) -> str:
    alone = part.of(source)
    found = engine.fetch(f"{_numbered(alone, check.sql(alone))} LIMIT {_SHOWN + 1}")
    return _where(source, [int(row[0]) for row in found])


def _numbered(part: FileGroup, condition: str, *columns: str) -> str:
    """Rows that meet a condition, numbered from 1 in the order of the file."""
    selected = "".join(f", {column} AS v{number}" for number, column in enumerate(columns))
    lenient = bool(columns) and part.format == "json"
    numbered = f"SELECT row_number() OVER () AS n, {condition} AS bad{selected} FROM {part.reader(lenient=lenient)}"
    shown = "".join(f", v{number}" for number in range(len(columns)))
    return f"SELECT n{shown} FROM ({numbered}) WHERE bad"


def _where(source: FileSource, rows: Sequence[int]) -> str:
    shown = ", ".join(map(str, rows[:_SHOWN])) + (", ..." if len(rows) > _SHOWN else "")
    return f"row {shown} of {source.name} (counted from 1, without the header)"
