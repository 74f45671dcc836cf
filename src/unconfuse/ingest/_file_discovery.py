"""The files that a path means, and what each is by looking at it: compression and format, and whether it is whole."""

from __future__ import annotations

import contextlib
import glob
import gzip
import re
import shutil
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal

from unconfuse._atomic_files import temporary_folder, unnamed_file
from unconfuse._errors import InputError, from_data
from unconfuse._formatting import short_repr
from unconfuse.ingest import spreadsheets
from unconfuse.ingest.messy_tables import untidy_csv

Compression = Literal["none", "gzip", "zstd"]
Format = Literal["csv", "json", "parquet"]
Layout = Literal["lines", "array"]
_PARTITION = re.compile(r"(?:^|/)([^/=]+)=[^/]*(?=/)")
_ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".pq", ".jsonl", ".ndjson", ".json", *spreadsheets.ENDINGS)
_HEAD = 4096
_GZIP, _ZSTD, _PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"
_ARRAY = re.compile(rb"(\xef\xbb\xbf)?\s*\[\s*[{\]]")  # one array of objects
_DATABASE = re.compile(r"(sqlite|duckdb)(\+\w+)?:///", re.I)  # whose addresses name a file
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class FileSource:
    """One file to read: where it is, what to call it, and what it holds."""

    path: str  # as the engine is given it: from the root, so that nothing in it has a meaning of its own
    name: str
    format: Format
    compression: Compression
    layout: Layout = "lines"  # of JSON
    sheet: bool = False  # of a spreadsheet, written as CSV
    partitions: tuple[str, ...] = ()  # what folders such as site=a/ say of all rows


@contextlib.contextmanager
def open_sources(path: str, sheet: str | None = None, *, as_stated: bool = True) -> Iterator[list[FileSource]]:
    """Yield the files that a path means; what comes through a pipe is kept in a file of its own meanwhile.

    Unless a separator or a decimal sign is stated, a single CSV file may be untidy: it is then read as it is meant.
    """
    with contextlib.ExitStack() as kept:
        if path == "-":
            sources = [_source(kept.enter_context(_spooled(_standard_input())), "standard input", sheet, kept)]
        elif is_pipe(path):  # as in `unconfuse evaluate <(zcat data.gz)`
            pipe = kept.enter_context(open(path, "rb"))  # noqa: PTH123
            sources = [_source(kept.enter_context(_spooled(pipe)), shown(path), sheet, kept)]
        else:
            sources = [_reachable(_source(file, shown(file), sheet, kept), kept) for file in find_files(path)]
        if sheet is not None and not all(source.sheet for source in sources):
            raise InputError(
                f"`table` chooses rows of a database, or a sheet of a spreadsheet, and {sources[0].name} is neither. "
                "Hint: leave it out, or give an address such as sqlite:///file.db."
            )
        yield sources if as_stated or len(sources) > 1 else [_as_meant(sources[0], kept)]


def _as_meant(source: FileSource, kept: contextlib.ExitStack) -> FileSource:
    """Return a CSV file without its title, its notes and its decimal commas, where it has any."""
    if source.format != "csv" or source.compression != "none" or source.sheet or source.partitions:
        return source
    found = untidy_csv(source.path)
    return (
        source if found is None else replace(source, path=kept.enter_context(spreadsheets.written(found, source.name)))
    )


def _source(path: str, name: str, sheet: str | None, kept: contextlib.ExitStack) -> FileSource:
    """Return a file as it is, or the sheet of a spreadsheet as CSV."""
    if not _head(path, name).startswith(spreadsheets.MAGIC):
        return sniff(path, name)
    place = kept.enter_context(spreadsheets.sheet_as_csv(path, name, sheet))
    return replace(sniff(place, name), sheet=True, partitions=tuple(_PARTITION.findall(path)))


def _reachable(source: FileSource, links: contextlib.ExitStack) -> FileSource:
    """Return a file that the engine can name: it cannot escape a backslash beside letters of a pattern."""
    if "\\" not in source.path or not glob.has_magic(source.path):
        return source
    link = Path(links.enter_context(temporary_folder("unconfuse-link-"))) / "file"
    link.symlink_to(source.path)
    return replace(source, path=str(link))


def is_pipe(path: str) -> bool:
    """Whether bytes come through a named pipe; every path is looked at here first, so an impossible one stops here."""
    if not path.strip():
        raise InputError("the path is empty. Hint: name a file, a folder or a pattern; '.' is the current folder.")
    try:
        return Path(path).is_fifo()
    except (OSError, ValueError) as error:  # such as a name that is too long, or one with a null in it
        said = getattr(error, "strerror", None) or "there is no such name"
        raise InputError(f"{shown(path)} cannot be read: {said}. Hint: check the path.") from None


def files_meant(path: str) -> list[str]:
    """Return the files that would be read, or a database's file; say nothing about what is wrong with the path."""
    if _DATABASE.match(path):
        return [_DATABASE.sub("", path).partition("?")[0]]
    if path == "-":
        return ["/dev/stdin"]  # which leads to the file that it was taken from, as in `- < rows.csv`
    try:
        return find_files(path)
    except (InputError, OSError, ValueError):
        return [path]


def find_files(path: str) -> list[str]:
    """Return the file, or the files that match a pattern, in the order of their names."""
    if Path(path).is_dir():
        return _files_in(path)
    if Path(path).exists():
        return [path]
    if not glob.has_magic(path):
        raise InputError(f"there is no file {shown(path)}. {_nearby(path)}")
    found = sorted(each for each in glob.glob(path, recursive=True) if Path(each).is_file())  # noqa: PTH207
    if not found:
        raise InputError(f"no file matches {shown(path)}. Hint: check the folder and the ending.")
    return found


def _files_in(folder: str) -> list[str]:
    """Return the data files of a folder, if all are of one format; names that start with . or _ are no data."""
    paths = sorted(path for path in Path(folder).rglob("*") if path.is_file() and not _is_hidden(path, folder))
    kinds = {kind: [str(path) for path in paths if _kind(path) == kind] for kind in {_kind(path) for path in paths}}
    kinds.pop("", None)
    if len(kinds) == 1:
        return next(iter(kinds.values()))
    pattern = Path(shown(folder)) / "*.csv"
    what = f"a folder with {' and '.join(sorted(kinds))} files" if kinds else "a folder without data files"
    raise InputError(f"{shown(folder)} is {what}. Hint: name a file in it, or a pattern such as '{pattern}'.")


def _is_hidden(path: Path, folder: str) -> bool:
    return any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)


def _kind(path: Path) -> str:
    """Return the ending that tells the format; empty if none does."""
    endings = [ending.lower() for ending in path.suffixes if ending.lower() in _ENDINGS]
    return endings[-1] if endings else ""


def _nearby(path: str) -> str:
    if path.startswith("file:"):
        return f"Hint: give the path itself, {shown(path.removeprefix('file:').removeprefix('//'))}."
    folder = Path(path).parent
    if not folder.is_dir():
        return f"Hint: there is no folder {shown(str(folder))} either."
    import difflib

    close = difflib.get_close_matches(Path(path).name, [each.name for each in folder.iterdir()], n=1)
    return f"Hint: did you mean {shown(str(folder / close[0]))}?" if close else "Hint: check the path."


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise InputError("standard input is closed. Hint: name a file, or send rows through a pipe.")
    return sys.stdin.buffer


@contextlib.contextmanager
def _spooled(stream: BinaryIO) -> Iterator[str]:
    """Keep a stream in a file of its own: its format shows only at the start, and Parquet is read from the end."""
    with unnamed_file() as (spool, name):
        try:
            shutil.copyfileobj(stream, spool)
            spool.flush()
        except OSError as error:
            raise InputError(
                f"what comes through the pipe cannot be kept: {error.strerror}. Hint: set TMPDIR to a folder with room."
            ) from None
        yield name


def shown(path: str) -> str:
    """Return a path for reading, cut short if it is very long."""
    return from_data(path if len(path) <= 200 else short_repr(path, 200))


def sniff(path: str, name: str) -> FileSource:
    """Look at the first bytes of a file; refuse what cannot be read."""
    head = _head(path, name)
    place, partitions = str(Path(path).absolute()), tuple(_PARTITION.findall(path))
    if head.startswith(_PARQUET):
        return FileSource(place, name, "parquet", "none", partitions=partitions)
    compression: Compression = "gzip" if head.startswith(_GZIP) else "zstd" if head.startswith(_ZSTD) else "none"
    if compression == "gzip":
        head = _head_of_gzip(path, name)
    elif compression == "zstd":
        _check_zstd_is_whole(path, name)
        head = b""  # the ending of the name must tell
    _refuse_what_is_not_text(head, path, name)
    found = _text_format(head, path)
    layout: Layout = "array" if found == "json" and _ARRAY.match(head) else "lines"
    return FileSource(place, name, found, compression, layout, partitions=partitions)


def _text_format(head: bytes, path: str) -> Format:
    endings = [ending.lower() for ending in Path(path).suffixes]
    if any(ending in (".jsonl", ".ndjson", ".json") for ending in endings):
        return "json"
    if any(ending in (".csv", ".tsv", ".txt") for ending in endings):
        return "csv"
    is_json = head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{") or _ARRAY.match(head)
    return "json" if is_json else "csv"


def _head(path: str, name: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        hint = "Hint: check the path and the permissions."
        raise InputError(f"{name} cannot be read: {error.strerror}. {hint}") from None
    if not head.strip():
        raise InputError(f"{name} is empty. Hint: the first line must hold the column names.")
    return head


def _head_of_gzip(path: str, name: str) -> bytes:
    """Read to the end once: the engine takes a file that was cut short for a whole one."""
    try:
        with gzip.open(path, "rb") as file:
            head = file.read(_HEAD)
            while file.read(1 << 20):
                pass
    except (OSError, EOFError, zlib.error):
        raise _damaged(name, "gzip") from None
    if not head.strip():
        raise InputError(f"{name} is empty. Hint: the first line must hold the column names.")
    return head


def _check_zstd_is_whole(path: str, name: str) -> None:
    with Path(path).open("rb") as file:
        while magic := file.read(4):
            if len(magic) < 4 or not _skip_frame(file, magic):
                raise _damaged(name, "zstd")


def _skip_frame(file: BinaryIO, magic: bytes) -> bool:
    """Walk over one frame by its block headers (RFC 8878, section 3.1); False if the file ends inside it."""
    if magic != _ZSTD:  # a skippable frame
        return b"\x50" <= magic[:1] <= b"\x5f" and _skip(file, int.from_bytes(file.read(4), "little"))
    descriptor = (file.read(1) or b"\0")[0]
    single_segment, has_checksum = descriptor >> 5 & 1, descriptor >> 2 & 1
    size_bytes = (single_segment, 2, 4, 8)[descriptor >> 6]
    if not _skip(file, 1 - single_segment + (0, 1, 2, 4)[descriptor & 3] + size_bytes):
        return False
    while len(header := file.read(3)) == 3:
        block = int.from_bytes(header, "little")
        if not _skip(file, 1 if block >> 1 & 3 == 1 else block >> 3):
            return False
        if block & 1:
            return _skip(file, 4 * has_checksum)
    return False


def _skip(file: BinaryIO, size: int) -> bool:
    return len(file.read(size)) == size


def _damaged(name: str, kind: str) -> InputError:
    return InputError(
        f"{name} is damaged or was cut short: its {kind} data do not end properly. Hint: copy or download it again."
    )


def _refuse_what_is_not_text(head: bytes, path: str, name: str) -> None:
    if head.startswith(_UTF16):
        raise InputError(f"{name} is text in UTF-16. Hint: save it as UTF-8 (in a spreadsheet: 'CSV UTF-8').")
    if Path(path).suffix.lower() in (".parquet", ".pq"):
        raise InputError(f"{name} is not a Parquet file, whatever its name says. Hint: write it again.")
    if b"\0" in head:
        raise InputError(f"{name} is neither text nor Parquet. Hint: give CSV, Parquet or JSON lines.")
