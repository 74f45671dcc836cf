"""Work in several processes, none of which outlives the one that started them, whatever ends it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from unconfuse._errors import EngineError

_work: Callable[[int], Any] | None = None


def in_processes(work: Callable[[int], Any], numbers: Sequence[int], n_jobs: int) -> Iterator[Any]:
    """What the work makes of each number, in the order in which they end; the work travels once to each process.

    Every process holds the end of a pipe that only this one can write to. It closes when this process is done, stopped
    or killed, and with it they end at once, in the middle of their work.
    """
    # Spawned, not forked: a fork would copy threads of the libraries in the middle of their work.
    context = get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(n_jobs, mp_context=context, initializer=_begin, initargs=(work, theirs))
    try:
        with _interrupts_held_back():
            futures: list[Future[Any]] = [pool.submit(_one, number) for number in numbers]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool:
        raise EngineError(
            "a process ended before its work was done. Hint: there may be too little memory for so many at a time; "
            "lower `n_jobs` (--jobs)."
        ) from None
    except BaseException:
        ours.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        ours.close()
        theirs.close()


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Processes that are started meanwhile never see Ctrl-C: it is for this process, which ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(work: Callable[[int], Any], pipe: Connection) -> None:
    global _work  # noqa: PLW0603 - the data travel once to each process, not once for each number
    _work = work
    threading.Thread(target=_end_with, args=(pipe,), daemon=True).start()


def _end_with(pipe: Connection) -> None:
    pipe.poll(None)  # nothing is ever sent: this returns when the other end closes
    os._exit(1)


def _one(number: int) -> Any:
    assert _work is not None
    return _work(number)
