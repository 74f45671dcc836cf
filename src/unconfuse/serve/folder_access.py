"""Files below one folder, named by visitors: opened step by step without following any link, and read as opened.

A path that was checked can lead elsewhere a moment later, when somebody has put a link in the place of a file or of a
folder. So nothing is read by its path: a child process opens the file below the folder once more, by descriptors, and
gives its readers a name for that descriptor.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unconfuse._errors import InputError
from unconfuse.serve.questions import FieldError

_PATTERN = frozenset("*?[]{}\0\\\n\r")
_HINT = "Hint: name it as it stands below the folder."
_STEPS = os.supports_dir_fd >= {os.open} and hasattr(os, "O_NOFOLLOW")  # which Windows has not


def found_below(root: Path, given: str) -> tuple[Path, int]:
    """Return a file's real path below the folder and its size; links that stay below it are followed now, not later."""
    if not isinstance(given, str) or not given.strip() or len(given) > 1000:
        raise FieldError("path", "name a file below the folder that was opened.")
    if "://" in given or given.startswith("-") or _PATTERN & set(given):
        raise FieldError("path", "name one file: addresses and patterns are not taken here.")
    try:
        path = (root / given).resolve(strict=True)
        with opened_below(root, path) as descriptor:
            return path, os.fstat(descriptor).st_size
    except (OSError, ValueError, RuntimeError):
        raise FieldError(
            "path", f"there is no file {given[:100]!r} below the folder that was opened. {_HINT}"
        ) from None


@contextlib.contextmanager
def opened_below(root: Path, path: Path) -> Iterator[int]:
    """Yield a descriptor of a plain file at a real path below the folder; raise `OSError` or `ValueError` if none."""
    *folders, last = path.relative_to(root).parts or (".",)
    with contextlib.ExitStack() as opened:
        place = None
        for each in (str(root), *folders) if _STEPS else ():
            place = _opened(each, os.O_DIRECTORY, place, opened)
        if not _STEPS and path.resolve(strict=True) != path:
            raise OSError("a link was put in its place")
        file = _opened(last if _STEPS else str(path), getattr(os, "O_NONBLOCK", 0), place, opened)
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError("it is not a file")
        yield file


def _opened(name: str, flags: int, folder: int | None, opened: contextlib.ExitStack) -> int:
    common = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(name, common | flags, dir_fd=folder)
    opened.callback(os.close, descriptor)
    return descriptor


@contextlib.contextmanager
def by_descriptor(task: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a task whose file, if pointed to, has a name in the current folder that stands for what was opened."""
    if "root" not in task:
        yield task
        return
    root, path = Path(task["root"]), Path(task["path"])
    place = Path.cwd() / "pointed" / path.relative_to(path.anchor)  # folders such as site=a/ say something
    with contextlib.ExitStack() as opened:
        try:
            descriptor = opened.enter_context(opened_below(root, path))
        except (OSError, ValueError):
            raise InputError(f"{task['name']} is not below the folder that was opened any more. {_HINT}") from None
        place.parent.mkdir(parents=True, exist_ok=True)
        _name(descriptor, place)
        yield dict(task) | {"path": str(place)}


def _name(descriptor: int, place: Path) -> None:
    """Make a link that leads to what is open, whatever happens to its path; a copy where there is no such link."""
    if Path(f"/proc/self/fd/{descriptor}").exists():
        place.symlink_to(f"/proc/self/fd/{descriptor}")
        return
    with os.fdopen(os.dup(descriptor), "rb") as file, place.open("xb") as copy:
        shutil.copyfileobj(file, copy)
