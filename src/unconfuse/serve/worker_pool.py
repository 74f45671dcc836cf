"""Child processes and the jobs they work on: a few at once, each stopped when it takes too long or nobody wants it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import shutil
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unconfuse._errors import InputError
from unconfuse.serve.questions import FieldError, NoRoomError, Remedy
from unconfuse.serve.settings import BusyError, ResourceLimits

FINISHED = ("done", "failed", "cancelled")
_KEPT, _OLD = 500, 3600.0
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "SYSTEMROOT", "UNCONFUSE_TRACEBACK", "ASAN_OPTIONS", "LD_PRELOAD")
_ALGEBRA = ("OPENBLAS_", "MKL_", "NPY_")
_FEW_THREADS = {
    "OMP_NUM_THREADS": "2",
    "OPENBLAS_NUM_THREADS": "2",
    "MALLOC_ARENA_MAX": "2",
}  # address space is limited
_LARGEST_ANSWER = 512 << 20


class WorkerCrashedError(Exception):
    """A child ended without an answer."""


@dataclass
class Job:
    """Something that is being worked on."""

    id: str
    what: str
    state: str = "waiting"  # then working, and one of FINISHED
    progress: dict[str, Any] = field(default_factory=dict)
    error: dict[str, Any] | None = None
    evaluation: str | None = None
    answers: Mapping[str, Any] = field(default_factory=dict)
    task: asyncio.Task[None] | None = None
    ended: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {name: getattr(self, name) for name in ("id", "what", "state", "progress", "error", "evaluation")}


class WorkerPool:
    """Starts children, one of them ahead of need, and gives each a folder of its own."""

    def __init__(self, limits: ResourceLimits, folder: Path, rooms: Path | None = None) -> None:
        self._limits, self._folder, self._rooms = limits, folder, rooms or folder
        self._spare: asyncio.subprocess.Process | None = None
        self._next: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._free = asyncio.Semaphore(limits.children)
        self._free_to_look = asyncio.Semaphore(limits.lookers)
        self._looks = 0

    async def prepare(self) -> None:
        """Start the child that will take the next task."""
        async with self._starting:
            if self._spare is None or self._spare.returncode is not None:
                self._spare = await self._start()

    async def close(self) -> None:
        """End the spare."""
        if self._next is not None:
            await asyncio.wait([self._next])
        spare, self._spare = self._spare, None
        if spare is not None:
            await _kill(spare)

    async def run(
        self, task: Mapping[str, Any], seconds: float, watch: Callable[[dict[str, Any]], None]
    ) -> dict[str, Any]:
        """Return the answer to a task; raise `InputError` if a person can put it right, else `WorkerCrashedError`."""
        async with self._free:
            return await self._run(task, seconds, watch)

    async def look(self, task: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a task for which somebody waits before a page: it does not queue behind jobs."""
        if self._looks >= self._limits.lookers + self._limits.looks:
            raise BusyError("too many files are being looked at. Hint: try again in a few seconds.", 5)
        self._looks += 1
        try:
            async with self._free_to_look:
                return await self._run(task, self._limits.look, lambda _: None)
        finally:
            self._looks -= 1

    async def _run(
        self, task: Mapping[str, Any], seconds: float, watch: Callable[[dict[str, Any]], None]
    ) -> dict[str, Any]:
        folder = self._folder / secrets.token_hex(8)
        try:
            folder.mkdir(mode=0o700)
        except OSError as error:
            raise NoRoomError(error) from None
        try:
            return await self._worked(dict(task) | {"folder": str(folder)}, folder, seconds, watch)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, True)

    async def _worked(
        self, task: dict[str, Any], folder: Path, seconds: float, watch: Callable[[dict[str, Any]], None]
    ) -> dict[str, Any]:
        child = None
        while child is None:  # another task may take the spare first
            await self.prepare()
            child, self._spare = self._spare, None
        self._next = asyncio.create_task(self.prepare())  # ready when this one is done
        try:
            async with asyncio.timeout(seconds):
                said = await self._conversation(child, task, watch)
        except TimeoutError:
            hint = "Hint: use fewer rows, or the command line."
            raise InputError(
                f"this takes more than the {seconds:g} seconds that are given to it here. {hint}"
            ) from None
        finally:
            await _kill(child)
        if "refused" in said:
            raise refusal_of(said["refused"])
        if "no_room" in said:
            raise NoRoomError(said["no_room"])
        if "failed" in said:
            raise WorkerCrashedError(said["failed"])
        return await asyncio.to_thread(_read, folder / "answer.json")

    async def _conversation(
        self, child: asyncio.subprocess.Process, task: dict[str, Any], watch: Callable[[dict[str, Any]], None]
    ) -> dict[str, Any]:
        assert child.stdin is not None and child.stdout is not None
        with contextlib.suppress(ConnectionError):
            child.stdin.write(json.dumps(task).encode() + b"\n")
            await child.stdin.drain()
        while line := await child.stdout.readline():
            said = json.loads(line)
            if "done" in said:
                return dict(said["done"])
            watch(said["progress"])
        code = await child.wait()
        if -code in (getattr(signal, "SIGXCPU", 24), signal.SIGKILL):
            raise InputError(
                "this takes more time than is given to it here. Hint: use fewer rows, or the command line."
            )
        hint = "Hint: check the file; it may be damaged or too large."
        raise WorkerCrashedError(f"the process that read the file ended without an answer. {hint}")

    async def _start(self) -> asyncio.subprocess.Process:
        # the libraries of linear algebra must run the same code as in this process, or last digits differ
        environment = {name: os.environ[name] for name in os.environ if name in _PASSED_ON or name.startswith(_ALGEBRA)}
        quiet = None if "UNCONFUSE_TRACEBACK" in os.environ else asyncio.subprocess.DEVNULL
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "unconfuse.serve.worker",
            str(self._limits.memory),
            str(self._limits.cpu),
            str(self._rooms),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=quiet,
            env={**environment, **_FEW_THREADS, "TMPDIR": str(self._folder), "HOME": str(self._folder)},
            start_new_session=os.name == "posix",
            limit=1 << 20,
        )


class JobQueue:
    """What is being worked on, and what came of it."""

    def __init__(self, limits: ResourceLimits) -> None:
        self._limits = limits
        self._jobs: dict[str, Job] = {}

    def get(self, identity: str) -> Job | None:
        """One job."""
        return self._jobs.get(identity)

    def start(self, what: str, work: Callable[[Job], Awaitable[str]], answers: Mapping[str, Any] | None = None) -> Job:
        """Begin something that ends with the id of an evaluation."""
        self._forget()
        if sum(each.state not in FINISHED for each in self._jobs.values()) >= self._limits.queue:
            hint = "Hint: wait until something is done, then try again."
            raise BusyError(f"too much is being worked on already. {hint}", 10)
        job = Job(secrets.token_hex(8), what, answers=answers or {})
        self._jobs[job.id] = job
        job.task = asyncio.create_task(self._work(job, work))
        return job

    async def _work(self, job: Job, work: Callable[[Job], Awaitable[str]]) -> None:
        try:
            job.evaluation = await work(job)
            job.state = "done"
        except asyncio.CancelledError:
            job.state = "cancelled"
        except FieldError as error:
            job.state, job.error = "failed", error.as_dict()
        except (InputError, WorkerCrashedError) as error:
            job.state, job.error = "failed", FieldError(None, str(error)).as_dict()
        except Exception as error:
            message = f"something went wrong inside unconfuse ({type(error).__name__})."
            job.state, job.error = "failed", FieldError(None, message).as_dict()
        finally:
            job.ended = time.monotonic()

    async def cancel(self, job: Job) -> None:
        """Stop it, and wait until it has stopped."""
        if job.task is not None and job.state not in FINISHED:
            job.task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await job.task

    async def close(self) -> None:
        """Stop all."""
        for job in list(self._jobs.values()):
            await self.cancel(job)

    def _forget(self) -> None:
        over = [each for each in self._jobs.values() if each.state in FINISHED]
        old = [each for each in over if time.monotonic() - each.ended > _OLD] + over[: max(len(over) - _KEPT, 0)]
        for job in old:
            self._jobs.pop(job.id, None)


def refusal_of(said: Mapping[str, Any]) -> FieldError:
    """Return a refusal as a child has worded it."""
    remedy = said["remedy"]
    return FieldError(said["field"], said["message"], None if remedy is None else Remedy(**remedy))


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _LARGEST_ANSWER:
            raise WorkerCrashedError("the answer is too large to be kept.")
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        raise WorkerCrashedError("the process that read the file left no answer.") from None


async def _kill(child: asyncio.subprocess.Process) -> None:
    """With all that it started."""
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(child.pid, signal.SIGKILL)
            else:
                child.kill()
    await child.wait()
