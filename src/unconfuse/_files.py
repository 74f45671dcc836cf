"""Writing files so that nobody ever sees half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unconfuse._errors import InputError


def write_whole(path: Path, text: str) -> None:
    """Write a text to a file, whole or not at all."""
    with in_place_of(path) as place:
        place.write_text(text, encoding="utf-8", newline="")


@contextmanager
def in_place_of(path: Path) -> Iterator[Path]:
    """Where to write beside a file, and then put it in place: a reader sees the old file or the new, never a half."""
    place = None
    try:
        descriptor, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")
        os.close(descriptor)
        place = Path(name)
        yield place
        place.chmod(0o644)
        place.replace(path)
    except OSError as error:
        hint = "Hint: check the folder and the permissions."
        raise InputError(f"{path} cannot be written: {error.strerror}. {hint}") from None
    finally:
        if place is not None:
            place.unlink(missing_ok=True)
