"""What every attack shares: the convention, the verdict on one input, and the names of all kinds.

A kind of attack is one module `attack_NAME.py` in this folder with

    KIND = "files"                     # its row in the table of docs/trust.md
    WORDS = "what is tried, in half a line"
    def attack(rng) -> Outcome: ...    # one random input, drawn from the NumPy generator and from nothing else

and, where it needs them, `missing() -> str` (why it cannot run here; empty if it can), `close()` (at the end), and
`PATIENCE` (seconds that one input may take). An attack returns `FINE` or `REFUSED`, or an `Outcome` that counts more
than one input; it raises `WrongError` for an answer that is false. What it lets through is judged by `verdict_of`: an
`UnconfuseError` is a refusal, any other exception is foreign, and a warning is an exception.
"""

from __future__ import annotations

import importlib
import signal
import sys
import traceback
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import unconfuse as uc

HERE = Path(__file__).parent
VERDICTS = ("fine", "refused", "wrong", "foreign", "crash", "slow")
BAD = ("wrong", "foreign", "crash", "slow")


@dataclass(frozen=True)
class Outcome:
    """What came of one input.

    Attributes
    ----------
    verdict : one of VERDICTS
        Answered, refused in words, answered falsely, ended by an exception that is not ours, ended with its process,
        or not ended in time.
    told : str
        What went wrong, for a person.
    inputs, compared : int
        Inputs that were tried, and values that were compared with another computation.
    """

    verdict: str
    told: str = ""
    inputs: int = 1
    compared: int = 0


class WrongError(AssertionError):
    """An answer that is false: a value, a file, a state that must not be."""


FINE, REFUSED = Outcome("fine"), Outcome("refused")


def modules() -> dict[str, Any]:
    """Every kind of attack, by its name."""
    sys.path += [each for each in (str(HERE), str(HERE.parent)) if each not in sys.path]
    found = [importlib.import_module(each.stem) for each in sorted(HERE.glob("attack_*.py"))]
    return {module.KIND: module for module in found}


def generator(kind: str, seed: int, number: int) -> np.random.Generator:
    """The generator of one input: whoever has kind, seed and number can try the same again."""
    return np.random.default_rng([zlib.crc32(kind.encode()), seed, number])


def verdict_of(module: Any, seed: int, number: int) -> Outcome:
    """Try one input, and judge what came of it."""
    try:
        with warnings.catch_warnings(), in_time(getattr(module, "PATIENCE", 20)):
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", uc.UnconfuseWarning)
            return module.attack(generator(module.KIND, seed, number))
    except uc.UnconfuseError:
        return REFUSED
    except WrongError as error:
        return Outcome("wrong", str(error))
    except SlowError as error:
        return Outcome("slow", f"{error}\n{traceback.format_exc(limit=-6)}")
    except Exception:
        return Outcome("foreign", traceback.format_exc(limit=-6))


class SlowError(BaseException):
    """An input that took longer than it may; nobody below catches it by accident."""


@contextmanager
def in_time(seconds: float) -> Iterator[None]:
    """Stop what takes longer, where the system has alarms."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(*_: Any) -> None:
        raise SlowError(f"no end after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
