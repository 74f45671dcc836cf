"""A sweep that finds waits: every property and method of every result, timed on its own, at growing numbers of rows.

    python benchmarks/bench_sweep.py                  # 1e3, 1e5 and 1e6 rows, several minutes
    python benchmarks/bench_sweep.py 1e3 1e5          # sizes of your choice
    python benchmarks/bench_sweep.py --only Comparison 1e3

Each member is asked of a result that nobody has asked anything yet. A wait is slow if it takes more CPU than `LIMITS`
allows, grows faster than `STEEPEST` (log-log slope between the two largest sizes, of what takes long enough to tell),
or holds more memory for each row than `MOST_BYTES`. Methods that need arguments get those of `VALUES`;
what cannot be asked, and what a result refuses, is listed, not timed.
"""

from __future__ import annotations

import argparse
import inspect
import json
import math
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from bench_waits import noisy, of_classes, rows, timed

import unconfuse as uc
from unconfuse._deprecated import renamed

SIZES = (1e3, 1e5, 1e6)
LIMITS = {1e3: 0.5, 1e5: 2.0, 1e6: 8.0}  # seconds of CPU
STEEPEST = 1.1
MOST_BYTES = 1_000  # a row, besides what the result held before
_TOO_SHORT = 0.05  # seconds: what takes less is noise, not growth
_CLASSES = 4
_WAYS_OUT = {"explore": "opens a browser", "log_to_mlflow": "writes to a tracking server"}
Given = Callable[[Any], Any]
VALUES: dict[str, Given] = {  # by the name of the parameter, or of the method and the parameter
    "bins": lambda _: 1000,
    "explain.name": lambda _: "auroc",
    "first": lambda result: next(iter(result)),
    "key": lambda result: next(iter(result)),
    "level": lambda _: 0.1,
    "metric": lambda _: "sensitivity",
    "metrics": lambda _: ["auroc"],
    "name": lambda _: "roc",
    "other": lambda result: result,
    "path": lambda _: Path(tempfile.mkdtemp()) / "written",
    "prevalence": lambda _: 0.05,
    "r": lambda _: 2.0,
    "reference": lambda result: next(iter(result)),
    "report.path": lambda _: Path(tempfile.mkdtemp()) / "page.html",
    "threshold": lambda _: 0.3,
    "of_class.wanted": lambda result: result.classes[0],
    "table_of.wanted": lambda result: result.classes[0],
}


def results(n: float) -> dict[str, Callable[[], Any]]:
    """What is swept: each made anew."""
    y, s = rows(n)
    by = np.random.default_rng(1).integers(0, 5, len(y)).astype(str)
    two = {"a": s, "b": noisy(s, 1)}
    truth, matrix = of_classes(n, _CLASSES)
    return {
        "Evaluation": lambda: uc.evaluate(y, s),
        "Evaluation, subgroups": lambda: uc.evaluate(y, s, by=by).subgroups,
        "Evaluation, classes": lambda: uc.evaluate(truth, matrix),
        "Comparison": lambda: uc.compare(y, two),
        "ThresholdCard": lambda: uc.threshold_card(y, s),
        "Indistinguishability": lambda: uc.indistinguishability(y, s),
        "Guarantee": lambda: uc.guarantee(y, s, "precision", at_least=0.2),
        "ScoreTable": lambda: uc.score_table(y, s),
    }


def members(result: Any) -> list[str]:
    """Public names of a result, and how it shows itself."""
    shown = [name for name in ("__repr__", "_repr_html_") if hasattr(type(result), name)]
    return [*(name for name in dir(type(result)) if not name.startswith("_")), *shown]


def unasked(result: Any, name: str) -> str:
    """Why a member is not asked; nothing if it is."""
    if name in _WAYS_OUT:
        return _WAYS_OUT[name]
    found = inspect.getattr_static(type(result), name)
    if isinstance(found, classmethod | staticmethod):
        return "makes a result, and belongs to none"
    if isinstance(found, renamed):
        return f"another name of {found.new}"
    missing = [each for each in needed(result, name) if value_of(name, each) is None]
    return f"needs {', '.join(missing)}" if missing else ""


def needed(result: Any, name: str) -> list[str]:
    """Parameters of a method without which it cannot be called."""
    found = inspect.getattr_static(type(result), name)
    if not callable(found):
        return []
    return [
        each.name
        for each in list(inspect.signature(found).parameters.values())[1:]
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]


def value_of(method: str, parameter: str) -> Given | None:
    """What is given for a parameter, if that is known."""
    return VALUES.get(f"{method}.{parameter}", VALUES.get(parameter))


def ask(result: Any, name: str) -> str:
    """Read a property, or call a method, and use up what it yields; returns the words with which it is refused."""
    given = {each: VALUES.get(f"{name}.{each}", VALUES.get(each)) for each in needed(result, name)}
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            found = getattr(result, name)
            if callable(inspect.getattr_static(type(result), name)):
                found = found(*(make(result) for make in given.values() if make is not None))
            for _ in found if isinstance(found, Iterator) else ():
                pass
    except (uc.UnconfuseError, AttributeError) as error:  # a result without scores, groups or classes says so
        return str(error)
    return ""


def measured(make: Callable[[], Any], name: str, *, memory: bool = True) -> tuple[float, float]:
    """Seconds of CPU, the better of two, and the most bytes held."""
    seconds = min(timed(partial(ask, make(), name))[0] for _ in range(2))
    if not memory:
        return seconds, math.nan
    fresh = make()
    tracemalloc.start()
    ask(fresh, name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return seconds, float(peak)


def swept(sizes: list[float], only: str = "", *, memory: bool = True) -> dict[str, Any]:
    """Seconds by rows and bytes a row of every member, and what was not asked."""
    found: dict[str, Any] = {"members": {}, "unasked": {}}
    for n in sizes:
        for kind, make in results(n).items():
            if only not in kind:
                continue
            first = make()
            for name in members(first):
                why = unasked(first, name) or ask(make(), name)
                if why:
                    found["unasked"][f"{kind}.{name}"] = why
                    continue
                seconds, peak = measured(make, name, memory=memory and n == max(sizes))
                each = found["members"].setdefault(f"{kind}.{name}", {"seconds": {}})
                each["seconds"][f"{n:.0e}"] = seconds
                each["bytes"] = peak / n
                print(f"{n:.0e} {kind + '.' + name:50} {seconds:9.4f} s", file=sys.stderr, flush=True)
    return found


def slope(seconds: dict[str, float]) -> float:
    """Growth from the last size but one to the last; NaN of what is too short to tell."""
    last = sorted((float(n), took) for n, took in seconds.items())[-2:]
    if len(last) < 2 or last[1][1] < _TOO_SHORT:
        return math.nan
    (n, took), (more, longer) = last
    return math.log(longer / max(took, 1e-4)) / math.log(more / n)


def faults(each: dict[str, Any]) -> list[str]:
    """What is wrong with a member, in words."""
    slow = [f"takes {t:.2g} s at {n}" for n, t in each["seconds"].items() if t > LIMITS.get(float(n), math.inf)]
    steep = [f"grows with slope {slope(each['seconds']):.2f}"] if slope(each["seconds"]) > STEEPEST else []
    large = [f"holds {each['bytes']:.0f} bytes a row"] if _is_large(each) else []
    return [*slow, *steep, *large]


def _is_large(each: dict[str, Any]) -> bool:
    return max(map(float, each["seconds"])) >= 1e5 and each["bytes"] > MOST_BYTES  # of few rows, what is fixed counts


def worst(found: dict[str, Any], count: int = 10) -> list[tuple[str, dict[str, Any]]]:
    """What takes longest at the largest size."""
    largest = max((float(n) for each in found["members"].values() for n in each["seconds"]), default=0.0)
    return sorted(found["members"].items(), key=lambda item: -item[1]["seconds"].get(f"{largest:.0e}", 0))[:count]


def table(found: dict[str, Any]) -> list[str]:
    """The worst ten as Markdown, and what breaks a limit."""
    sizes = sorted({n for each in found["members"].values() for n in each["seconds"]}, key=float)
    lines = ["| what | " + " | ".join(sizes) + " | slope | bytes a row | beyond |", "|---" * (len(sizes) + 4) + "|"]
    for name, each in worst(found):
        cells = [f"{each['seconds'][n]:.3g} s" if n in each["seconds"] else "" for n in sizes]
        grown, beyond = slope(each["seconds"]), "; ".join(faults(each))
        steep = "" if math.isnan(grown) else f"{grown:.2f}"
        lines.append(f"| `{name}` | {' | '.join(cells)} | {steep} | {each['bytes']:.0f} | {beyond} |")
    beyond = sum(bool(faults(each)) for each in found["members"].values())
    return [*lines, "", f"Of {len(found['members'])} members asked, {beyond} are beyond a limit."]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=float)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    found = swept(asked.sizes or list(SIZES), asked.only)
    print("\n".join(table(found)), file=sys.stderr)
    for name, why in found["unasked"].items():
        print(f"not asked: {name}: {why}", file=sys.stderr)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
