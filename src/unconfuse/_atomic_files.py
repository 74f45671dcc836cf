"""Files that are written whole or not at all, and folders for what lasts no longer than a run.

A reader sees the old file or the new one, never a half. Where the system can (Linux), a file has no name until it is
whole, so that nothing is left of it even after `kill -9`. Symbolic links are written through, devices and pipes are
written to, and a file keeps its permissions; a new one has those that the umask grants.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from unconfuse._errors import InputError

_HINT = "Hint: check the folder and the permissions."
_STREAM = r"/dev/(stdin|stdout|stderr)|/dev/fd/(\d+)|/proc/self/fd/(\d+)"
_STALE = 60.0  # seconds after which a folder that was never held was left by a run that was killed
_NEW = 0o666  # less what the umask takes away
_unfinished: set[Path] = set()  # what has a name and must not outlast the run


def drop_unfinished() -> None:
    """Remove what an ordinary end would have removed; for a process that is ended otherwise."""
    for place in list(_unfinished):
        with contextlib.suppress(OSError):
            shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)


def write_atomically(path: str | os.PathLike[str], text: str) -> None:
    """Write a text to a file, whole or not at all."""
    with in_place_of(Path(path)) as place:
        place.write_text(text, encoding="utf-8", newline="")


@contextlib.contextmanager
def in_place_of(path: Path) -> Iterator[Path]:
    """Where to write, before it is put in place of this file, pipe or device."""
    if str(path) == "-":  # which stands for standard input where files are read
        raise InputError("`-` is not a file name. Hint: pass one, or /dev/stdout.")
    try:
        with _passed_on(path) if is_stream(path) else _put_in_place(path) as place:
            yield place
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}. {_HINT}") from None
    except ValueError as error:
        if "null byte" not in str(error):
            raise
        raise InputError(f"{str(path)!r} is not a file name: it contains a null character.") from None


def is_same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to one file, by whatever links.

    >>> is_same_file("a/../b.csv", "b.csv"), is_same_file("a.csv", "b.csv")
    (True, False)
    """
    with contextlib.suppress(OSError, ValueError):
        return Path(one).samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether bytes go through it, rather than into it: pipes, devices, open streams."""
    if re.fullmatch(_STREAM, os.fspath(path)):
        return True
    try:
        kind = Path(path).stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(kind) or stat.S_ISDIR(kind))


@contextlib.contextmanager
def _passed_on(path: Path) -> Iterator[Path]:
    """Yield a file to write to, and pass it on to a pipe, a device or an open stream once it is whole."""
    with unnamed_file() as (_, name):
        yield Path(name)
        with _opened_stream(path) as stream, open(name, "rb") as written:  # noqa: PTH123
            shutil.copyfileobj(written, stream)


def _opened_stream(path: Path) -> IO[bytes]:
    """Return an open stream by its number, for opening it anew would begin at its start and overwrite it."""
    match = re.fullmatch(_STREAM, str(path))
    if match is None:
        return path.open("wb")
    numbers = {"stdin": 0, "stdout": 1, "stderr": 2}
    if sys.stdout is not None:
        sys.stdout.flush()
    return os.fdopen(os.dup(numbers[match[1]] if match[1] else int(match[2] or match[3])), "wb")


@contextlib.contextmanager
def _put_in_place(path: Path) -> Iterator[Path]:
    """Yield a file beside the intended one, whose place it takes once it is whole."""
    target = Path(os.path.realpath(path))  # links stay links
    mode = _mode_of(target)
    with _beside(target, _NEW if mode is None else mode) as (descriptor, place):
        yield place
        if mode is not None:
            place.chmod(mode)
        named = place
        if _has_no_name(place):
            named = _beside_name(target)
            os.link(place, named, src_dir_fd=descriptor, follow_symlinks=True)  # the descriptor asks for linkat()
        try:
            named.replace(target)
        except OSError:
            named.unlink(missing_ok=True)
            raise


def _mode_of(target: Path) -> int | None:
    """Return the permissions of a file to be replaced, None if there is none; refuse one that is write-protected."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(None, "it is write-protected")
    return stat.S_IMODE(found.st_mode)


@contextlib.contextmanager
def _beside(target: Path, mode: int) -> Iterator[tuple[int, Path]]:
    """Yield a file in the same folder, without a name where that is possible."""
    descriptor, place = _without_name(target.parent, mode)
    if place is None:
        place = _beside_name(target)
        _unfinished.add(place)
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
    try:
        yield descriptor, place
    finally:
        os.close(descriptor)
        if not _has_no_name(place):
            place.unlink(missing_ok=True)
            _unfinished.discard(place)


def _without_name(folder: Path, mode: int) -> tuple[int, Path | None]:
    """Open a file that vanishes with its process unless it is given a name; not every system or disk has such files."""
    flag = getattr(os, "O_TMPFILE", 0)
    if not flag or not Path("/proc/self/fd").is_dir():
        return -1, None
    try:
        descriptor = os.open(folder, flag | os.O_RDWR, mode)
    except OSError:  # the ordinary way will say what is wrong
        return -1, None
    return descriptor, Path(f"/proc/self/fd/{descriptor}")


def _has_no_name(place: Path) -> bool:
    return place.parent == Path("/proc/self/fd")


def _beside_name(target: Path) -> Path:
    return target.with_name(f".unconfuse-{os.urandom(8).hex()}")


@contextlib.contextmanager
def unnamed_file() -> Iterator[tuple[Any, str]]:
    """Yield a temporary file, and the name by which this process can open it."""
    folder = Path(tempfile.gettempdir())
    with _beside(folder / "unconfuse", 0o600) as (descriptor, place), os.fdopen(os.dup(descriptor), "wb") as file:
        yield file, str(place)


@contextlib.contextmanager
def temporary_folder(prefix: str) -> Iterator[str]:
    """Yield a private folder that goes with the run; what killed runs have left is cleared away first."""
    _clear_stale(prefix)
    try:
        folder = Path(tempfile.mkdtemp(prefix=prefix))
    except OSError as error:
        raise InputError(
            f"there is no free disk space: {error.strerror}. Hint: set TMPDIR to another folder."
        ) from None
    _unfinished.add(folder)
    try:
        with _held(folder, new=True):
            yield str(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _unfinished.discard(folder)


@contextlib.contextmanager
def _held(folder: Path, *, new: bool = False) -> Iterator[bool]:
    """Hold a folder while the process lives; False if another does. Its mark appears when it is held already."""
    try:
        import fcntl
    except ImportError:  # Windows, where an open file cannot be deleted anyway
        yield True
        return
    mark = folder / ".held"
    with (folder / ".holding" if new else mark).open("wb" if new else "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        if new:
            (folder / ".holding").replace(mark)
        yield True


def _clear_stale(prefix: str) -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with contextlib.suppress(OSError):  # not ours, or gone meanwhile
            if folder.is_symlink():
                continue
            if not (folder / ".held").exists():  # just made, or by an end between two steps
                if time.time() - folder.stat().st_mtime >= _STALE:
                    shutil.rmtree(folder, ignore_errors=True)
                continue
            with _held(folder) as free:
                if free:
                    shutil.rmtree(folder, ignore_errors=True)
