"""Running trials in several processes, and keeping every finished one on disk."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unconfuse._errors import InputError

if TYPE_CHECKING:
    from unconfuse.resolving.tournaments import Setup


class Store:
    """Finished trials, one line of JSON each, after a first line that says what they are trials of.

    A line is appended with one write and flushed to the disk. A line that a crash cut short is left out when reading
    and cut off before the next one is written.
    """

    def __init__(self, path: str | os.PathLike[str] | None, fingerprint: dict[str, Any]) -> None:
        self._path = None if path is None else Path(path)
        self.rows: dict[int, dict[str, Any]] = {}
        if self._path is not None:
            self._open(self._path, fingerprint)

    def _open(self, path: Path, fingerprint: dict[str, Any]) -> None:
        try:
            whole = _whole_lines(path.read_bytes()) if path.exists() else b""
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}.") from None
        lines = [_parsed(line, path) for line in whole.splitlines()]
        if lines and lines[0].get("tournament") != fingerprint:
            raise InputError(f"{path} holds trials of another tournament. Hint: name another file, or delete it.")
        self.rows = {int(line["trial"]): line for line in lines[1:]}
        try:
            with path.open("r+b" if path.exists() else "w+b") as file:
                file.truncate(len(whole))
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}.") from None
        if not lines:
            self._append({"tournament": fingerprint})

    def add(self, row: dict[str, Any]) -> None:
        """Keep one finished trial."""
        self.rows[int(row["trial"])] = row
        if self._path is not None:
            self._append(row)

    def _append(self, line: dict[str, Any]) -> None:
        assert self._path is not None
        with self._path.open("ab") as file:
            file.write(json.dumps(line).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


def _whole_lines(text: bytes) -> bytes:
    return text[: text.rfind(b"\n") + 1]


def _parsed(line: bytes, path: Path) -> dict[str, Any]:
    try:
        found = json.loads(line)
        if isinstance(found, dict) and ("tournament" in found or "trial" in found):
            return found
    except ValueError:
        pass
    raise InputError(f"{path} is not a file of trials. Hint: name a new file for `store`.")


def run_all(
    setup: Setup, n_trials: int, n_jobs: int, store: Store, progress: Callable[[int, int], object] | None
) -> list[dict[str, Any]]:
    """Run the trials that are not in the store; each is stored as soon as it is done."""
    missing = [number for number in range(n_trials) if number not in store.rows]
    done = n_trials - len(missing)
    for row in _finished(setup, missing, min(n_jobs, max(len(missing), 1))):
        store.add(row)
        done += 1
        if progress is not None:
            progress(done, n_trials)
    return [store.rows[number] for number in range(n_trials)]


def _finished(setup: Setup, numbers: list[int], n_jobs: int) -> Any:
    """Trials in the order in which they end."""
    if n_jobs == 1:
        yield from map(setup.trial, numbers)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    # Spawned, not forked: a fork would copy threads of the libraries in the middle of their work.
    pool = ProcessPoolExecutor(n_jobs, mp_context=get_context("spawn"), initializer=_receive, initargs=(setup,))
    try:
        for future in as_completed([pool.submit(_trial, number) for number in numbers]):
            yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


_setup: Setup | None = None


def _receive(setup: Setup) -> None:
    global _setup  # noqa: PLW0603 - the data travel once to each process, not once for each trial
    _setup = setup


def _trial(number: int) -> dict[str, Any]:
    assert _setup is not None
    return _setup.trial(number)
