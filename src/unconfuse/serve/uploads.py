"""Files that questions can be asked about: uploaded under names of our own, or pointed to below one folder.

Uploads are kept for a while and never copied into the history.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unconfuse.serve.questions import FieldError, NoRoomError
from unconfuse.serve.settings import Settings

ENDINGS = (
    ".csv",
    ".tsv",
    ".txt",
    ".parquet",
    ".pq",
    ".jsonl",
    ".ndjson",
    ".json",
    ".xlsx",
    ".xlsm",
    ".xlsb",
    ".xls",
    ".ods",
)
_PATTERN = frozenset("*?[]{}\0\\\n\r")
LONGEST = 200


@dataclass
class Upload:
    """A file, by an id of ours; `name` is what its owner calls it."""

    id: str
    name: str
    path: Path
    size: int
    is_ours: bool = True
    seen: dict[str, Any] | None = None  # what was found when it was looked at
    used: float = field(default_factory=time.monotonic)

    def as_dict(self) -> dict[str, Any]:
        """Plain values; where it lies is nobody's business."""
        return {"id": self.id, "name": self.name, "size": self.size}


class Uploads:
    """All files that questions can be asked about now."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._settings, self._folder = settings, folder
        self._files: dict[str, Upload] = {}

    def get(self, identity: str) -> Upload:
        """One file; a refusal if it is not there any more."""
        self._expire()
        found = self._files.get(identity)
        if found is None:
            raise FieldError("file", "this file is not here any more. Hint: upload it again.")
        found.used = time.monotonic()
        return found

    async def add(self, name: str, parts: AsyncIterator[bytes]) -> Upload:
        """Write what comes in under a name of ours; of its own name only a known ending is kept."""
        self._expire()
        if len(self._files) >= self._settings.limits.uploads:
            raise FieldError("file", "too many files are kept here. Hint: forget one, or wait an hour.")
        shown = plain_name(name)
        path, size = self._folder / f"{secrets.token_hex(16)}{ending_of(shown)}", 0
        try:
            with path.open("xb") as file:
                async for part in parts:
                    size += len(part)
                    await asyncio.to_thread(file.write, part)
        except OSError as error:
            path.unlink(missing_ok=True)
            raise NoRoomError(error) from None
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return self._keep(shown, path, size, is_ours=True)

    def point(self, given: str) -> Upload:
        """A file below the folder that the server was given; the real path counts, links and dots do not help."""
        root = self._settings.root
        if root is None:
            raise FieldError(
                "path", "no folder was opened for this. Hint: start with --root FOLDER, or upload the file."
            )
        path = _below(root, given)
        return self._keep(str(path.relative_to(root)), path, path.stat().st_size, is_ours=False)

    def add_known(self, name: str, path: Path) -> Upload:
        """Example data, which come with the package."""
        return self._keep(name, path, path.stat().st_size, is_ours=False)

    def forget(self, identity: str) -> bool:
        """Remove a file; what was pointed to stays where it is."""
        found = self._files.pop(identity, None)
        if found is not None and found.is_ours:
            found.path.unlink(missing_ok=True)
        return found is not None

    def _keep(self, name: str, path: Path, size: int, *, is_ours: bool) -> Upload:
        made = Upload(secrets.token_hex(8), name, path, size, is_ours)
        self._files[made.id] = made
        return made

    def _expire(self) -> None:
        old = time.monotonic() - self._settings.limits.kept
        for each in [each for each in self._files.values() if each.used < old]:
            self.forget(each.id)


def plain_name(name: str) -> str:
    """The last part of a name, fit to be shown.

    >>> plain_name("../../etc/pass\\x00wd"), plain_name("C:\\\\data\\\\visits.csv"), plain_name("")
    ('passwd', 'visits.csv', 'upload')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(letter for letter in last if letter.isprintable()).strip(" .")
    return kept[-LONGEST:] or "upload"


def ending_of(name: str) -> str:
    """The ending that tells the format, if it is a known one; what the file really is, its bytes say.

    >>> ending_of("visits.CSV.gz"), ending_of("x.php"), ending_of("data.parquet")
    ('.csv', '', '.parquet')
    """
    lowered = name.lower().removesuffix(".gz")
    return next((each for each in ENDINGS if lowered.endswith(each)), "")


def _below(root: Path, given: str) -> Path:
    if not isinstance(given, str) or not given.strip() or len(given) > 1000:
        raise FieldError("path", "name a file below the folder that was opened.")
    if "://" in given or given.startswith("-") or _PATTERN & set(given):
        raise FieldError("path", "name one file: addresses and patterns are not taken here.")
    hint = "Hint: name it as it stands below the folder."
    try:
        path = (root / given).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        raise FieldError("path", f"there is no file {given[:100]!r} below the folder that was opened. {hint}") from None
    if not path.is_relative_to(root) or not path.is_file():
        raise FieldError("path", f"there is no file {given[:100]!r} below the folder that was opened. {hint}")
    return path
