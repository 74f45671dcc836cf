"""`make bench`: all measurements, written into docs/benchmarks.md and drawn in docs/benchmarks.svg.

python benchmarks/page.py --write             # `make bench`: about ten minutes on an idle machine
python benchmarks/page.py --long --write      # `make bench-long`: what takes an hour, added to the same page
python benchmarks/page.py --part growth --largest 1e8    # one part: waits, peers, spark, growth or sweep
python benchmarks/page.py --part peers --rows 1e5        # a quick look; nothing is written without --write

What was measured is kept in build/benchmarks.json, so that parts can be measured one after the other; --write takes
what is there. Without --part and --long all starts anew. `--long` sweeps every member of every result, and measures
1e8 rows, Spark at 1e7 rows and its soak test. Python peers, R and Spark that are missing say how to get them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import bench_spark
import bench_sweep
import peers
from bench_waits import JOBS, beside

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
KEPT = HERE.parent / "build" / "benchmarks.json"
PARTS = ("waits", "peers", "spark", "growth", "sweep")
LONG = ("sweep", "growth", "spark")  # parts that have more to measure than fits into twenty minutes
_BY_PIECES = ("waits", "spark", "growth")  # jobs and sizes of these may be measured one after the other
GROWTH = ("unconfuse: AUROC", "unconfuse: evaluate, all metrics", "scikit-learn: AUROC", "np.sort")
_GROWTH_JOB = """
import sys, time, json
sys.path.insert(0, {here!r})
import numpy as np
from bench_waits import auroc, evaluation, scikit_learn, sorting, timed
make = [lambda n: auroc("normal", n), evaluation, scikit_learn, sorting][{which}]
call = make({n})
call()
print(json.dumps(min(timed(call)[0] for _ in range({times}))))
"""


def waits(only: str, without: list[str]) -> dict[str, dict[str, float]]:
    """What people wait for, each job in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "waits.json")
        words = [sys.executable, str(HERE / "bench_waits.py"), "--json", str(path), "--only", only]
        words += [part for word in without for part in ("--without", word)]
        subprocess.run(words, check=True)
        found: dict[str, dict[str, float]] = json.loads(path.read_text())
        return found


def spark(rows: list[str]) -> dict[str, Any]:
    """Spark beside its own group-by; nothing where it cannot run."""
    words = [sys.executable, str(HERE / "bench_spark.py"), *rows]
    run = subprocess.run(words, check=False, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1]) if run.returncode == 0 else {}
    return found


def sweep(sizes: list[str], only: str) -> dict[str, Any]:
    """Every property and method of every result."""
    words = [sys.executable, str(HERE / "bench_sweep.py"), *sizes, "--only", only]
    run = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


def growth(smallest: float, largest: float) -> dict[str, dict[str, float]]:
    """Seconds of CPU by rows."""
    sizes = [10.0**power for power in range(3, 9) if smallest <= 10.0**power <= largest]
    found: dict[str, dict[str, float]] = {name: {} for name in GROWTH}
    for which, name in enumerate(GROWTH):
        for n in sizes:
            job = _GROWTH_JOB.format(here=str(HERE), which=which, n=n, times=5 if n < 1e7 else 1)
            run = subprocess.run([sys.executable, "-c", job], check=False, capture_output=True, text=True)
            if run.returncode == 0:  # else memory was too small
                took = found[name][str(n)] = float(run.stdout.splitlines()[-1])
                print(f"{name:36} {n:8.0e} {took:10.4f}", flush=True)
    return found


_COLOURS = ("#0b6e4f", "#3f8f72", "#c8553d", "#8a8a8a")


def draw(found: dict[str, dict[float, float]], path: Path) -> None:
    """Growth curves on two logarithmic scales, each named at its end."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "unconfuse", "svg.fonttype": "none", "font.family": "sans-serif"})
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(8, 4.4))
    ends: list[tuple[float, str, dict[str, Any]]] = []
    largest = max(size for each in found.values() for size in each)
    for (name, each), colour in zip(found.items(), _COLOURS, strict=True):
        sizes, seconds = list(each), list(each.values())
        ours = name.startswith("unconfuse")
        ax.loglog(sizes, seconds, marker="o", markersize=4, color=colour, linewidth=2.4 if ours else 1.6)
        words: dict[str, Any] = {"textcoords": "offset points", "color": colour, "fontsize": 9.5}
        if sizes[-1] == largest:
            ends.append((seconds[-1], name, words))
        else:  # named at its start, where no other line is near
            ax.annotate(name, (sizes[0], seconds[0]), (0, 22), va="bottom", **words)
    for seconds_there, name, words in _apart(ends):
        ax.annotate(name, (largest, seconds_there), (9, 0), va="center", **words)
    ax.set_xlabel("rows")
    ax.set_ylabel("seconds of CPU")
    ax.set_xlim(right=40 * largest)
    ax.set_xticks(sorted({size for each in found.values() for size in each}))
    ax.grid(which="major", color="#e6e6e6", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.minorticks_off()
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def _apart(ends: list[tuple[float, str, dict[str, Any]]]) -> list[tuple[float, str, dict[str, Any]]]:
    """Names of lines that end close to each other, moved apart: at least a factor of 1.8."""
    placed: list[tuple[float, str, dict[str, Any]]] = []
    for seconds, name, words in sorted(ends, key=lambda each: each[0]):
        placed.append((max([seconds, *(1.8 * each[0] for each in placed[-1:])]), name, words))
    return placed


def page(kept: dict[str, Any]) -> str:
    """The page as Markdown, of the parts that were measured."""
    lines = [
        "# Benchmarks",
        "",
        "Measured by `make bench`; seconds of CPU of all threads, the best of a few runs, every job of the first two "
        "tables in a process of its own. Ratios are steadier than seconds.",
        "",
        f"Machine: {_processor()}, {os.cpu_count()} cores; Python {platform.python_version()}, "
        + ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn", "duckdb"))
        + ". Load on these cores while it ran: "
        + ", ".join(f"{kept[part]['load']:.1f} ({part})" for part in PARTS if part in kept)
        + "; above 2, other work slowed all of it.",
    ]
    writers = {"waits": _of_waits, "peers": _of_peers, "spark": _of_spark, "growth": _of_growth, "sweep": _of_sweep}
    for part, write in writers.items():
        if kept.get(part, {}).get("found"):
            lines += ["", *write(kept[part])]
        elif part in kept:
            lines += ["", f"Not measured: {part}, which did not run on this machine."]
    return "\n".join(lines) + "\n"


def _of_waits(part: dict[str, Any]) -> list[str]:
    found = {name: part["found"][name] for name in JOBS if name in part["found"]}
    left_out = [name for name in JOBS if name not in found]
    return [
        "## What people wait for",
        "",
        "A tenth of the rows are positive and every score is distinct, unless a row says otherwise. Goals were set on "
        "an idle machine of another kind." + (f" Left out: {'; '.join(left_out)}." if left_out else ""),
        "",
        "Of a table of more than 2,000 scores with positives some 2,200 bands are resampled, but each subgroup gives "
        "what its rows alone give, and is small enough to be resampled in full: all 20 have five times as many blocks "
        "as the one table has bands, all 100 fifty times as many.",
        "",
        "| what | CPU | wall | ratio | goal |",
        "|---|---|---|---|---|",
        *(
            f"| {name} | {each['cpu']:.3g} s | {each['wall']:.3g} s | {beside(name, found)} | {JOBS[name][1]} |"
            for name, each in found.items()
        ),
    ]


def _of_peers(part: dict[str, Any]) -> list[str]:
    tasks = (f"- {name}: {words}." for name, words in peers.TASKS.items())
    return [f"## Beside peers, {part['rows']:,.0f} rows", "", *tasks, "", *peers.table(part["found"]), "", peers.HOW]


def _of_spark(part: dict[str, Any]) -> list[str]:
    lines = [
        "## Spark, local[2], distinct scores",
        "",
        "Wall seconds, the best of some turns, and the median ratio to a bare group-by of the same frame that was "
        "fetched to the driver just before.",
        "",
        "| rows | " + " | ".join(["bare group-by", *bench_spark.GOALS]) + " | driver |",
        "|---" * (len(bench_spark.GOALS) + 3) + "|",
    ]
    soaked = {name: each for name, each in part["found"].items() if "soak" in each}
    for rows, each in part["found"].items():
        if rows in soaked:
            continue
        bare = each["seconds"][bench_spark.BARE]
        cells = [f"{each['seconds'][name]:.3g} s ({each['ratios'][name]:.2g}x)" for name in bench_spark.GOALS]
        lines.append(f"| {rows} | {bare:.3g} s | " + " | ".join(cells) + f" | {each['megabytes']:.0f} MB |")
    lines.append("| goal | | " + " | ".join(bench_spark.GOALS.values()) + " | |")
    for name, each in soaked.items():
        rows = name.removeprefix("soak ")
        words = f"{rows} rows made as they are read, in bins: {each['soak']:.0f} s, driver {each['megabytes']:.0f} MB."
        lines += ["", f"Soak test: {words} Said before: {' '.join(each['said'])}"]
    return lines


def _of_sweep(part: dict[str, Any]) -> list[str]:
    limits = ", ".join(f"{took:g} s at {n:.0e}" for n, took in bench_sweep.LIMITS.items())
    return [
        "## Every property and method of every result: the ten longest waits",
        "",
        f"Each is asked of a result that nobody has asked anything yet. Limits: {limits} rows, of CPU; slope "
        f"{bench_sweep.STEEPEST} on two logarithmic scales between the two largest sizes; {bench_sweep.MOST_BYTES:,} "
        "bytes a row.",
        "",
        *bench_sweep.table(part["found"]),
    ]


def _of_growth(part: dict[str, Any]) -> list[str]:
    grown = {name: {float(size): took for size, took in each.items()} for name, each in part["found"].items()}
    sizes = sorted({size for each in grown.values() for size in each})
    rows = (
        f"| {size:,.0f} | " + " | ".join(_seconds(grown[name].get(size)) for name in GROWTH) + " |" for size in sizes
    )
    head = ["## How it grows", "", "![Seconds of CPU by rows](benchmarks.svg)", ""]
    return [*head, "| rows | " + " | ".join(GROWTH) + " |", "|---" * (len(GROWTH) + 1) + "|", *rows]


def _seconds(found: float | None) -> str:
    return "" if found is None else f"{found:.3g} s"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def measure(part: str, asked: argparse.Namespace) -> dict[str, Any]:
    """One part, and the load under which it was measured."""
    sizes = (1e8, asked.largest or 1e8) if asked.long else (1e3, asked.largest or 1e7)
    does: dict[str, Callable[[], Any]] = {
        "waits": lambda: waits(asked.only, asked.without),
        "peers": lambda: peers.all_asked(asked.rows),
        "spark": lambda: spark(asked.spark_rows or (["soak=1e8", "1e7"] if asked.long else ["1e6"])),
        "growth": lambda: growth(*sizes),
        "sweep": lambda: sweep(asked.sweep_rows, asked.only),
    }
    found = does[part]()
    return {"found": found, "load": os.getloadavg()[1], "rows": asked.rows}


def joined(part: str, old: Any, new: Any) -> Any:
    """Add what was measured now to what was measured before."""
    if part not in _BY_PIECES or not old:
        return new
    return {name: each | new.get(name, {}) for name, each in old.items()} if part == "growth" else old | new


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=[*PARTS, "none"], help="all but the sweep if not given")
    parser.add_argument("--long", action="store_true", help="only what takes long, added to what was measured")
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--largest", type=float, help="1e7 if not given, and 1e8 with --long")
    parser.add_argument("--spark-rows", action="append", default=[], help="1e6; with --long soak=1e8 and 1e7")
    parser.add_argument("--sweep-rows", action="append", default=[], help="1e3, 1e5 and 1e6 if not given")
    parser.add_argument("--only", default="", help="of what people wait for and the sweep, jobs with this word")
    parser.add_argument("--without", action="append", default=[], help="and not those with this word; several times")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    kept: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() and (asked.part or asked.long) else {}
    usual = LONG if asked.long else [part for part in PARTS if part != "sweep"]
    for part in asked.part or usual:
        if part == "none":
            continue
        new = measure(part, asked)
        new["found"] = joined(part, kept.get(part, {}).get("found"), new["found"])
        kept[part] = new
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(kept))
    print(page(kept))
    if asked.write:
        (DOCS / "benchmarks.md").write_text(page(kept))
        if "growth" in kept:
            draw(
                {name: {float(n): took for n, took in each.items()} for name, each in kept["growth"]["found"].items()},
                DOCS / "benchmarks.svg",
            )


if __name__ == "__main__":
    main()
