"""Files that questions can be asked about: uploaded under names of our own, or pointed to below one folder.

Uploads are kept for a while and never copied into the history. Only they take room, and only they are limited by it.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unconfuse.serve.folder_access import found_below
from unconfuse.serve.questions import FieldError, NoRoomError
from unconfuse.serve.settings import BusyError, ServerSettings

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
LONGEST = 200
_SEEN = 8  # ways to read one file that are remembered


@dataclass
class Upload:
    """A file, by an id of ours; `name` is what its owner calls it."""

    id: str
    name: str
    path: Path
    size: int
    is_ours: bool = True
    owner: str = ""
    root: Path | None = None  # below which it must still be when it is read
    used: float = field(default_factory=time.monotonic)
    readers: int = 0
    _seen: dict[Any, dict[str, Any]] = field(default_factory=dict)

    @property
    def task(self) -> dict[str, str]:
        """What a child process needs to read it."""
        below = {} if self.root is None else {"root": str(self.root)}
        return {"path": str(self.path), "name": self.name} | below

    def seen(self, words: dict[str, str]) -> dict[str, Any] | None:
        """Return what was found when it was looked at, read in this way."""
        return self._seen.get(tuple(sorted(words.items())))

    def remember(self, words: dict[str, str], seen: dict[str, Any]) -> None:
        """Keep what was found, with what was found otherwise: one visitor's way to read it is nobody else's."""
        while len(self._seen) >= _SEEN:
            self._seen.pop(next(iter(self._seen)))
        self._seen[tuple(sorted(words.items()))] = seen

    @contextlib.contextmanager
    def being_read(self) -> Iterator[None]:
        """Keep it while it is read."""
        self.readers += 1
        try:
            yield
        finally:
            self.readers -= 1
            self.used = time.monotonic()

    def as_dict(self) -> dict[str, Any]:
        """Plain values; where it lies is nobody's business."""
        return {"id": self.id, "name": self.name, "size": self.size}


class Uploads:
    """All files that questions can be asked about now."""

    def __init__(self, settings: ServerSettings, folder: Path) -> None:
        self._settings, self._folder = settings, folder
        self._files: dict[str, Upload] = {}
        self._coming = 0

    def get(self, identity: str) -> Upload:
        """One file; a refusal if it is not there any more."""
        self._expire()
        upload = self._files.get(identity)
        if upload is None:
            raise FieldError("file", "this file is not here any more. Hint: upload it again.")
        upload.used = time.monotonic()
        return upload

    @contextlib.contextmanager
    def room(self, owner: str) -> Iterator[None]:
        """Take a place before anything comes in; the file of the same owner that was left alone longest makes room."""
        self._expire()
        ours = [file for file in self._files.values() if file.is_ours]
        if len(ours) + self._coming >= self._settings.limits.uploads:
            idle = [upload for upload in ours if upload.owner == owner and not upload.readers]
            if not idle:
                wait = min(
                    (upload.used + self._settings.limits.kept - time.monotonic() for upload in ours), default=10.0
                )
                raise BusyError("too many files are kept here. Hint: delete one, or try again later.", wait)
            self.forget(min(idle, key=lambda each: each.used).id)
        self._coming += 1
        try:
            yield
        finally:
            self._coming -= 1

    async def add(self, name: str, parts: AsyncIterator[bytes], owner: str = "") -> Upload:
        """Write what comes in under a name of ours, within `room`; of its own name only a known ending is kept."""
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
        return self._keep(Upload(secrets.token_hex(8), shown, path, size, owner=owner))

    def point(self, given: str) -> Upload:
        """Return a file below the folder given to the server; the real path counts, links and dots do not help."""
        root = self._settings.root
        if root is None:
            raise FieldError(
                "path", "no folder was opened for this. Hint: start with --root FOLDER, or upload the file."
            )
        path, size = found_below(root, given)
        name = str(path.relative_to(root))
        return self._keep(Upload(secrets.token_hex(8), name, path, size, is_ours=False, root=root))

    def add_known(self, name: str, path: Path) -> Upload:
        """Add example data, which come with the package."""
        return self._keep(Upload(secrets.token_hex(8), name, path, path.stat().st_size, is_ours=False))

    def forget(self, identity: str) -> bool:
        """Remove a file; what was pointed to stays where it is."""
        upload = self._files.pop(identity, None)
        if upload is not None and upload.is_ours:
            upload.path.unlink(missing_ok=True)
        return upload is not None

    def _keep(self, made: Upload) -> Upload:
        others = [file for file in self._files.values() if not file.is_ours]
        if not made.is_ours and len(others) >= self._settings.limits.pointed:  # they can be pointed to again
            self.forget(min(others, key=lambda each: each.used).id)
        self._files[made.id] = made
        return made

    def _expire(self) -> None:
        old = time.monotonic() - self._settings.limits.kept
        for upload in [file for file in self._files.values() if file.used < old and not file.readers]:
            self.forget(upload.id)


def plain_name(name: str) -> str:
    """Return the last part of a name, fit to be shown.

    >>> plain_name("../../etc/pass\\x00wd"), plain_name("C:\\\\data\\\\visits.csv"), plain_name("")
    ('passwd', 'visits.csv', 'upload')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(letter for letter in last if letter.isprintable()).strip(" .")
    return kept[-LONGEST:] or "upload"


def ending_of(name: str) -> str:
    """Return the ending that tells the format, if it is a known one; what the file really is, its bytes say.

    >>> ending_of("visits.CSV.gz"), ending_of("x.php"), ending_of("data.parquet")
    ('.csv', '', '.parquet')
    """
    lowered = name.lower().removesuffix(".gz")
    return next((each for each in ENDINGS if lowered.endswith(each)), "")
