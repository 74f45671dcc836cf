"""`make bench`: all measurements in one run, written into docs/benchmarks.md and drawn in docs/benchmarks.svg.

python benchmarks/page.py                     # about ten minutes
python benchmarks/page.py --largest 1e8       # growth curves as far as memory goes
python benchmarks/page.py --rows 1e5 --only evaluate    # a quick look; nothing is written without --write
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import peers
from bench_waits import JOBS

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
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


def growth(largest: float) -> dict[str, dict[float, float]]:
    """Seconds of CPU by rows."""
    sizes = [10.0**power for power in range(3, 9) if 10.0**power <= largest]
    found: dict[str, dict[float, float]] = {name: {} for name in GROWTH}
    for which, name in enumerate(GROWTH):
        for n in sizes:
            job = _GROWTH_JOB.format(here=str(HERE), which=which, n=n, times=5 if n < 1e7 else 1)
            run = subprocess.run([sys.executable, "-c", job], check=False, capture_output=True, text=True)
            if run.returncode == 0:
                found[name][n] = float(run.stdout.splitlines()[-1])
                print(f"{name:36} {n:8.0e} {found[name][n]:10.4f}", flush=True)
    return found


def draw(found: dict[str, dict[float, float]], path: Path) -> None:
    """Growth curves on two logarithmic scales."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 4.2))
    for name, each in found.items():
        ax.loglog(list(each), list(each.values()), marker="o", label=name)
    ax.set_xlabel("rows")
    ax.set_ylabel("seconds of CPU")
    ax.legend()
    figure.tight_layout()
    mpl.rcParams["svg.hashsalt"] = "unconfuse"
    figure.savefig(path, metadata={"Date": None})


def page(
    found: dict[str, dict[str, float]], asked: dict[str, Any], grown: dict[str, Any], n: float, without: list[str]
) -> str:
    """The page as Markdown."""
    lines = [
        "# Benchmarks",
        "",
        "Measured in one run by `make bench`; seconds of CPU of all threads, the best of a few runs, every row in a "
        "process of its own. Ratios are steadier than seconds.",
        "",
        f"Machine: {_processor()}, {os.cpu_count()} cores; Python {platform.python_version()}, "
        + ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn", "duckdb"))
        + f". Load while it ran: {os.getloadavg()[1]:.1f} (other work slows both sides).",
        "",
        "## What people wait for",
        "",
        "A tenth of the rows are positive and every score is distinct, unless a row says otherwise. Goals were set on "
        "an idle machine of another kind; `3x one evaluate` and the like compare rows of this table."
        + (f" Left out of this run: {', '.join(without)}." if without else ""),
        "",
        "| what | CPU | wall | goal |",
        "|---|---|---|---|",
        *(f"| {name} | {each['cpu']:.3g} s | {each['wall']:.3g} s | {JOBS[name][1]} |" for name, each in found.items()),
        "",
        f"## Beside peers, {n:,.0f} rows",
        "",
        *(f"- {name}: {words}." for name, words in peers.TASKS.items()),
        "",
        *peers.table(asked),
        "",
        "## How it grows",
        "",
        "![Seconds of CPU by rows](benchmarks.svg)",
        "",
        "| rows | " + " | ".join(GROWTH) + " |",
        "|---" * (len(GROWTH) + 1) + "|",
    ]
    sizes = sorted({size for each in grown.values() for size in each})
    lines += [
        f"| {size:,.0f} | " + " | ".join(_seconds(grown[name].get(size)) for name in GROWTH) + " |" for size in sizes
    ]
    return "\n".join(lines) + "\n"


def _seconds(found: float | None) -> str:
    return "" if found is None else f"{found:.3g} s"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--largest", type=float, default=1e7)
    parser.add_argument("--only", default="", help="of what people wait for, jobs with this word")
    parser.add_argument("--without", action="append", default=[], help="and not those with this word; several times")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    waited, beside, grown = waits(asked.only, asked.without), peers.all_asked(asked.rows), growth(asked.largest)
    text = page(waited, beside, grown, asked.rows, asked.without)
    print(text)
    if asked.write:
        (DOCS / "benchmarks.md").write_text(text)
        draw(grown, DOCS / "benchmarks.svg")


if __name__ == "__main__":
    main()
