"""Work in several processes, none of which outlives the one that started them, whatever ends it.

Python's own pools hold locks that a process of theirs clears away, with a complaint, when their owner is stopped; and
what is sent to a process while it starts breaks off with a traceback. Here a process is started with two pipes and
nothing else, and is silent if they close.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, cast

from unconfuse._errors import EngineError

# Spawned, not forked: a fork would copy threads of the libraries in the middle of their work.
_CONTEXT = get_context("spawn")


def in_processes(work: Callable[[int], Any], numbers: Sequence[int], n_jobs: int) -> Iterator[Any]:
    """Yield what the work makes of each number, in the order in which they end; the work travels once to each process.

    Every process holds the end of a pipe that only this one can write to. It closes when this process is done, stopped
    or killed, and with it they end at once, in the middle of their work.
    """
    resource_tracker.ensure_running()  # which lets interrupts through again when it starts
    theirs, ours = _CONTEXT.Pipe(duplex=False)
    workers: dict[Connection, Any] = {}
    try:
        with _interrupts_held_back():
            for _ in range(min(n_jobs, len(numbers))):
                pipe, process = _started(theirs)
                workers[pipe] = process
        yield from _shared_out(work, numbers, list(workers))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise EngineError(
            "a process ended before its work was done. Hint: there may be too little memory for so many at a time; "
            "lower `n_jobs` (--jobs)."
        ) from None
    finally:
        ours.close()
        theirs.close()
        for pipe, process in workers.items():
            process.kill()
            process.join()
            pipe.close()


def _started(end: Connection) -> tuple[Connection, Any]:
    pipe, its = _CONTEXT.Pipe()
    process = _CONTEXT.Process(target=_serve, args=(its, end))
    process.start()
    its.close()
    return pipe, process


def _shared_out(work: Callable[[int], Any], numbers: Sequence[int], pipes: Sequence[Connection]) -> Iterator[Any]:
    """Hand a number to each process, and the next one to whichever is done."""
    left, busy = iter(numbers), list(pipes)
    for pipe in pipes:
        pipe.send(work)
        pipe.send(next(left))
    while busy:
        for pipe in cast("list[Connection]", wait(busy)):
            failure, found = pipe.recv()
            if failure is not None:
                raise failure
            following = next(left, None)
            if following is None:
                busy.remove(pipe)
            else:
                pipe.send(following)
            yield found


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Keep processes that are started meanwhile from ever seeing Ctrl-C: it is for this process, which ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, end: Connection) -> None:
    """Work on one number after another in a process, until a pipe closes."""
    threading.Thread(target=_end_with, args=(end,), daemon=True).start()
    try:
        work = pipe.recv()
        while True:
            outcome = _outcome(work, pipe.recv())
            try:
                pipe.send(outcome)
            except Exception:  # what the work gave or raised cannot travel
                pipe.send((EngineError(f"a process cannot hand over {type(outcome[0] or outcome[1]).__name__}."), None))
    except (EOFError, OSError):
        os._exit(1)


def _end_with(end: Connection) -> None:
    end.poll(None)  # nothing is ever sent: this returns when the other end closes
    os._exit(1)


def _outcome(work: Callable[[int], Any], number: int) -> tuple[Exception | None, Any]:
    """Return what stopped the work on a number, and what it made of it."""
    try:
        return None, work(number)
    except Exception as error:
        return error, None
