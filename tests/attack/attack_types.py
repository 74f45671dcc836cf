"""Every public function and every method of every result, found by introspection, called with what nobody expects.

A good call is made from the names of the parameters; then one or two of its values are replaced by odd ones. It must
answer, or refuse in words: an UnconfuseError, or a TypeError that somebody wrote.
"""

from __future__ import annotations

import contextlib
import inspect
import linecache
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from hostile import FINE, REFUSED, Outcome
from oddities import LABELS, SCORES, odd

import unconfuse as uc

try:
    import resource
except ImportError:  # where memory cannot be limited
    resource = None  # type: ignore[assignment]

KIND = "types"
WORDS = "odd objects, dtypes and numbers for the parameters of every public function and result method"
PATIENCE = 60
ROOM = 3 << 30  # bytes that one call may take
SLOW = {"tournament", "prevalence_study"}  # train models for minutes
RECORDS = {
    "Comparison",
    "ConfusionMatrix",
    "Evaluation",
    "Estimate",
    "Subgroups",
}  # what verbs return; nobody makes them
INSIDE = {"from_validated", "from_rows", "rounded", "with_changes", "from_interval"}  # for what was checked before
INSIDE |= {"of", "of_rows", "scaled"}  # the first two are old names of those before
INSIDE |= {"around", "improving", "population", "population_at", "shift_for", "repeated_shifts", "kth_gap"}  # of models
INSIDE |= {"cells_html", "row_html", "bound_text", "table_html", "headlines", "with_columns"}  # pieces of pages
BROWSER = {"explore"}
ELSEWHERE = {"log_to_mlflow"}  # writes to whatever server is named; test_mlflow has one of its own
PATHS = ("expected str, bytes or os.PathLike", "argument should be a str object or an os.PathLike")  # in Python's words


@cache
def results() -> dict[str, Any]:
    """One of every kind of result."""
    table = uc.score_table(LABELS, SCORES)
    matrix = np.stack([SCORES, np.array(SCORES[::-1]) / 3], axis=1)
    matrix = np.column_stack([matrix, 1.4 - matrix.sum(axis=1)]) / 1.4
    several = uc.evaluate([0, 1, 2] * 4, matrix, n_resamples=100)
    one = uc.evaluate(LABELS, SCORES, n_resamples=100, by={"sex": ["a", "b", "b"] * 4}, threshold=0.45)
    power = uc.resolving_power(uc.Empirical(LABELS * 3, SCORES * 3), ["auroc"], n_samples=100)
    return {
        "table": table,
        "counts": uc.Counts(tp=5, fp=1, fn=1, tn=5),
        "evaluation": one,
        "several": several,
        "subgroups": one.subgroups,
        "confusion": several.confusion,
        "comparison": uc.compare(LABELS, {"a": SCORES, "b": SCORES[::-1]}, n_resamples=100),
        "estimate": one["auroc"],
        "card": uc.threshold_card(LABELS, SCORES, n_resamples=20, repeats=1),
        "indistinguishability": uc.indistinguishability(LABELS, SCORES, n_resamples=20),
        "curve": one.curve("roc"),
        "band": uc.band(table, n_resamples=100),
        "power": power,
        "bayes": uc.bayes(prevalence=0.1, sensitivity=0.9, specificity=0.8),
        "posterior": uc.posterior(one, prior=0.1),
        "usefulness": uc.usefulness(one),
        "metric": uc.METRICS["auroc"],
        "binormal": uc.Binormal(),
        "empirical": uc.Empirical(LABELS, SCORES),
        "data": uc.Data(LABELS, SCORES),
        "builder": uc.TableBuilder(),
        "explained": uc.definitions("auroc", table),
    }


GOOD: dict[str, Callable[[], Any]] = {
    "y": lambda: LABELS,
    "s": lambda: SCORES,
    "source": lambda: LABELS,
    "table": lambda: results()["table"],
    "other": lambda: results()["table"],
    "score": lambda: [0.9, 0.5],
    "positives": lambda: [1.0, 1.0],
    "negatives": lambda: [0.0, 1.0],
    "name": lambda: "auroc",
    "metric": lambda: "auroc",
    "metrics": lambda: ["auroc", "sensitivity"],
    "function": lambda: len,
    "n_resamples": lambda: 100,
    "n_samples": lambda: 100,
    "threshold": lambda: 0.5,
    "tp": lambda: 3,
    "fp": lambda: 1,
    "fn": lambda: 2,
    "tn": lambda: 4,
    "matrix": lambda: [[3, 1], [1, 4]],
    "prior": lambda: 0.1,
    "prevalence": lambda: 0.2,
    "model": uc.Binormal,
    "at": lambda: 0.7,
    "difference": lambda: 0.1,
    "n": lambda: 50,
    "k": lambda: 2,
    "beta": lambda: 2,
    "max_fpr": lambda: 0.2,
    "level": lambda: 0.5,
    "path": lambda: str(Path(tempfile.mkdtemp(dir=".")) / "out"),
    "data": lambda: results()["table"],
    "evaluation": lambda: results()["evaluation"],
    "result": lambda: results()["evaluation"],
    "costs": lambda: (1, 10),
    "card": lambda: results()["card"],
    "scores": lambda: SCORES,
    "data_or_table": lambda: results()["table"],
}


def subjects() -> list[tuple[str, Callable[..., Any]]]:
    """Public callables, and public methods of results."""
    found = [(name, getattr(uc, name)) for name in uc.__all__ if name not in SLOW | RECORDS]
    calls = [(name, each) for name, each in found if callable(each) and not _is_error(each)]
    for kind, result in results().items():
        for name in dir(type(result)):
            if (
                not name.startswith("_")
                and name not in INSIDE | BROWSER | ELSEWHERE
                and callable(getattr(type(result), name))
            ):
                calls.append((f"{kind}.{name}", getattr(result, name)))
    return calls


def _is_error(each: Any) -> bool:
    return isinstance(each, type) and issubclass(each, Exception | Warning)


SUBJECTS = cache(subjects)


def attack(rng: np.random.Generator) -> Outcome:
    """One call."""
    with _apart(), _limited():
        calls = SUBJECTS()
        name, call = calls[rng.integers(len(calls))]
        given = _good(call)
        names = [*_parameters(call)]
        for place in rng.choice(names, min(len(names), int(rng.integers(1, 3))), replace=False) if names else ():
            given[str(place)] = odd(rng)
        return _called(name, call, given)


def _parameters(call: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    try:
        known = inspect.signature(call).parameters.items()
    except (TypeError, ValueError):
        return {}
    return {name: each for name, each in known if each.kind not in kinds}


def _good(call: Callable[..., Any]) -> dict[str, Any]:
    """Values for what must be given, and small numbers where large ones would only take time."""
    given = {}
    for name, each in _parameters(call).items():
        if each.default is inspect.Parameter.empty or name in ("s", "n_resamples", "n_samples", "path"):
            given[name] = GOOD.get(name, lambda: 0.5)()
    return given


def _called(name: str, call: Callable[..., Any], given: dict[str, Any]) -> Outcome:
    order = [each for each in _parameters(call).values() if each.kind is inspect.Parameter.POSITIONAL_ONLY]
    placed = [given.pop(each.name) for each in order if each.name in given]
    try:
        call(*placed, **given)
    except uc.UnconfuseError as error:
        if len(str(error)) < 10:
            return Outcome("wrong", f"{name}({_shown(given)}) refuses without words: {error!r}")
        return REFUSED
    except TypeError as error:
        if in_words(error.__traceback__) or str(error).startswith(PATHS):
            return REFUSED
        error.add_note(f"{name}({_shown(given)})")
        raise
    except Exception as error:
        error.add_note(f"{name}({_shown(given)})")
        raise
    return FINE


def in_words(where: TracebackType | None) -> bool:
    """Whether somebody raised it on purpose, or the call did not fit the signature of ours or of a given function."""
    assert where is not None
    inner = where
    while inner.tb_next is not None:
        inner = inner.tb_next
    file = inner.tb_frame.f_code.co_filename
    line = linecache.getline(file, inner.tb_lineno).strip()
    theirs = "progress(" in line  # what the function that was given makes of its two numbers, such as `int`
    return file == __file__ or ("unconfuse" in file and (line.startswith("raise ") or theirs))


def _shown(given: dict[str, Any]) -> str:
    return ", ".join(f"{name}={_brief(value)}" for name, value in given.items())


def _brief(value: Any) -> str:
    try:
        return repr(value)[:80]
    except Exception:
        return f"a {type(value).__name__}"


@contextlib.contextmanager
def _apart() -> Iterator[None]:
    """In an empty folder, and with nothing said: odd values may be taken for paths."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as place, Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.chdir(place)
        try:
            with contextlib.redirect_stdout(nowhere):
                yield
        finally:
            os.chdir(before)
            if "matplotlib.pyplot" in sys.modules:  # pictures stay open until their owner closes them
                sys.modules["matplotlib.pyplot"].close("all")


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """With little memory beyond what is used now: an absurd size fails at once, and does not take the machine down."""
    if resource is None or not sys.platform.startswith("linux"):
        yield
        return
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
