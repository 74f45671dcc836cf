"""Writing files so that nobody ever sees half of one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from unconfuse._errors import InputError


def write_whole(path: Path, text: str) -> None:
    """Write beside the file and then put it in place: a reader sees the old file or the new one, never a half."""
    name = ""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as error:
        if name:
            Path(name).unlink(missing_ok=True)
        hint = "Hint: check the folder and the permissions."
        raise InputError(f"{path} cannot be written: {error.strerror}. {hint}") from None
