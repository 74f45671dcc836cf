"""The same jobs done by us and by our peers, each in a process of its own, in seconds of CPU.

    python benchmarks/peers.py            # a table of ratios; peers that are missing say how to get them
    python benchmarks/peers.py --rows 1e5

torchmetrics is large, so it may live elsewhere: `python -m venv T && T/bin/pip install torch torchmetrics`, then set
TORCH_PYTHON=T/bin/python. R packages are found in R's own library and in those that R_LIBS names. HOW says how to get
each. `benchmarks/page.py` writes the same into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Call = Callable[[], object]
HERE = Path(__file__).parent
AUROC, INTERVAL, CURVES, RESAMPLES = "AUROC", "AUROC with its interval", "all ROC and PR points", "1,000 resamples"
H_MEASURE = "H-measure"
TASKS = {
    AUROC: "one number from rows",
    INTERVAL: "DeLong's, or what the peer offers",
    CURVES: "both curves, every distinct score",
    RESAMPLES: "bootstrap replicates of the AUROC (slow peers: 10 of them, times 100), a tenth of the rows",
    H_MEASURE: "Hand's, of a tenth of the rows",
}
R_PACKAGES = ("pROC", "PRROC", "precrec", "hmeasure")
HOW = """How to get the peers: `make bench` installs scikit-learn, rapidstats, confidenceinterval and DuckDB. For
torchmetrics `pip install torch torchmetrics`, where torch's build for CPUs is enough. R: Debian's `apt-get install
r-base-dev r-cran-proc`, then `install.packages(c("PRROC", "precrec", "hmeasure"))` in R. Without CRAN: `apt-get install
r-cran-rlang r-cran-rcpp r-cran-ggplot2 r-cran-gridextra r-cran-data.table r-cran-withr r-cran-assertthat`, then for
each of the three `R CMD INSTALL PRROC` in a folder with a checkout of it (`cran/PRROC` on GitHub, and so on)."""


def rows(n: float) -> tuple[np.ndarray, np.ndarray]:
    """Labels, a tenth of them positive, and continuous scores."""
    rng = np.random.default_rng(0)
    y = rng.random(int(n)) < 0.1
    return y, rng.normal(size=len(y)) + y


def _unconfuse(y: np.ndarray, s: np.ndarray) -> dict[str, tuple[Call, float]]:
    import unconfuse as uc

    few = slice(len(y) // 10)

    def curves() -> None:
        found = uc.evaluate(y, s, metrics=["auroc"])
        found.curve("roc"), found.curve("precision_recall")

    return {
        AUROC: (lambda: uc.METRICS["auroc"](uc.score_table(y, s)), 1),
        INTERVAL: (lambda: uc.evaluate(y, s, metrics=["auroc"]), 1),
        CURVES: (curves, 1),
        RESAMPLES: (lambda: uc.bootstrap(uc.score_table(y[few], s[few]), ["auroc"], n_resamples=1000, n_threads=1), 1),
        H_MEASURE: (lambda: uc.METRICS["h_measure"](uc.score_table(y[few], s[few])), 1),
    }


def _scikit_learn(y: np.ndarray, s: np.ndarray) -> dict[str, tuple[Call, float]]:
    from sklearn.metrics import precision_recall_curve, roc_auc_score, roc_curve

    few, rng = len(y) // 10, np.random.default_rng(1)

    def resamples() -> None:
        for _ in range(10):
            chosen = rng.integers(0, few, few)
            roc_auc_score(y[chosen], s[chosen])

    return {
        AUROC: (lambda: roc_auc_score(y, s), 1),
        CURVES: (lambda: (roc_curve(y, s, drop_intermediate=False), precision_recall_curve(y, s)), 1),
        RESAMPLES: (resamples, 100),
    }


def _rapidstats(y: np.ndarray, s: np.ndarray) -> dict[str, tuple[Call, float]]:
    import polars as pl
    import rapidstats.metrics as rapid

    frame = pl.DataFrame({"y": y, "s": s})
    return {AUROC: (lambda: rapid.roc_auc(frame["y"], frame["s"]), 1)}


def _confidenceinterval(y: np.ndarray, s: np.ndarray) -> dict[str, tuple[Call, float]]:
    from confidenceinterval import roc_auc_score

    labels = y.astype(int)
    return {INTERVAL: (lambda: roc_auc_score(labels, s, confidence_level=0.95), 1)}


def _torchmetrics(y: np.ndarray, s: np.ndarray) -> dict[str, tuple[Call, float]]:
    import torch
    from torchmetrics.functional.classification import binary_auroc, binary_precision_recall_curve, binary_roc

    truth, score = torch.from_numpy(y.astype(np.int64)), torch.from_numpy(1 / (1 + np.exp(-s)))
    both = (lambda: (binary_roc(score, truth), binary_precision_recall_curve(score, truth)), 1)
    return {AUROC: (lambda: binary_auroc(score, truth), 1), CURVES: both}


def _duckdb(y: np.ndarray, s: np.ndarray) -> dict[str, tuple[Call, float]]:
    import duckdb
    import pyarrow as pa

    connection = duckdb.connect()
    connection.register("cases", pa.table({"y": y.astype(np.int8), "s": s}))
    query = """
        WITH t AS (SELECT s, sum(y)::DOUBLE AS p, sum(1 - y)::DOUBLE AS q FROM cases GROUP BY s),
             c AS (SELECT p, q, sum(q) OVER (ORDER BY s) - q / 2 AS below FROM t)
        SELECT sum(p * below) / (sum(p) * sum(q)) FROM c"""
    return {AUROC: (lambda: connection.execute(query).fetchall(), 1)}


PEERS: dict[str, tuple[Callable[..., dict[str, tuple[Call, float]]], str]] = {
    "unconfuse": (_unconfuse, "unconfuse"),
    "scikit-learn": (_scikit_learn, "scikit-learn"),
    "rapidstats": (_rapidstats, "rapidstats"),
    "confidenceinterval": (_confidenceinterval, "confidenceinterval"),
    "torchmetrics": (_torchmetrics, "torchmetrics"),
    "DuckDB": (_duckdb, "duckdb"),
}


def best(call: Call) -> float:
    """Seconds of CPU of the best of a few runs; the first pays for imports and page faults."""
    took = []
    start = time.perf_counter()
    while len(took) < 2 or (time.perf_counter() - start < 5 and len(took) < 6):
        before = time.process_time()
        call()
        took.append(time.process_time() - before)
    return min(took)


def own_process(peer: str, n: float) -> dict[str, Any]:
    """A peer's version, and what it takes for each of its tasks, measured here."""
    made = PEERS[peer][0](*rows(n))
    seconds = {task: best(call) * times for task, (call, times) in made.items()}
    return {"version": importlib.metadata.version(PEERS[peer][1]), "seconds": seconds}


def asked(peer: str, n: float) -> dict[str, Any]:
    """The same in a process of its own: its seconds and version, or why there are none."""
    package = PEERS[peer][1]
    python = os.environ.get("TORCH_PYTHON", sys.executable) if peer == "torchmetrics" else sys.executable
    run = subprocess.run(
        [python, __file__, "--peer", peer, "--rows", str(n)], check=False, capture_output=True, text=True
    )
    if run.returncode:
        why = run.stderr.strip().splitlines()[-1]
        missing = "No module named" in why or "No package metadata" in why
        return {"missing": f"`pip install {package}`" if missing else f"it failed: {why}"}
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


def asked_of_r(package: str, n: float) -> dict[str, Any]:
    """An R package, if R and the package are here."""
    if shutil.which("Rscript") is None:
        return {"missing": "install R, then the package"}
    with tempfile.TemporaryDirectory() as folder:
        y, s = rows(n)
        y.astype(np.int32).tofile(Path(folder, "y"))
        s.tofile(Path(folder, "s"))
        words = ["Rscript", "--vanilla", str(HERE / "peers.R"), package, folder, str(len(y))]
        run = subprocess.run(words, check=False, capture_output=True, text=True)
    if run.returncode:
        missing = "there is no package called" in run.stderr
        why = run.stderr.strip().splitlines()[-1]
        return {"missing": f"`install.packages('{package}')` in R" if missing else f"it failed: {why}"}
    version, *lines = run.stdout.split("\n")
    seconds = dict(line.split("\t") for line in lines if line)
    return {"version": version, "seconds": {task: float(each) for task, each in seconds.items()}}


def all_asked(n: float) -> dict[str, dict[str, Any]]:
    """Every peer in turn."""
    found = {}
    for peer in PEERS:
        print(f"{peer} ...", file=sys.stderr, flush=True)
        found[peer] = asked(peer, n)
    for package in R_PACKAGES:
        print(f"{package} ...", file=sys.stderr, flush=True)
        found[f"{package} (R)"] = asked_of_r(package, n)
    return found


def table(found: dict[str, dict[str, Any]]) -> list[str]:
    """Markdown: seconds, and how many times ours."""
    ours = found["unconfuse"]["seconds"]
    lines = ["| " + " | ".join(["who", *TASKS]) + " |", "|---" * (len(TASKS) + 1) + "|"]
    for peer, each in found.items():
        if "missing" in each:
            lines.append(f"| {peer} | not measured: {each['missing']} |" + " |" * (len(TASKS) - 1))
            continue
        cells = [_cell(each["seconds"].get(task), ours[task]) for task in TASKS]
        lines.append("| " + " | ".join([f"{peer} {each['version']}", *cells]) + " |")
    return lines


def _cell(seconds: float | None, ours: float) -> str:
    return "" if seconds is None else f"{seconds:.3g} s ({seconds / ours:.3g}x)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer")
    parser.add_argument("--rows", type=float, default=1e6)
    given = parser.parse_args()
    if given.peer:
        print(json.dumps(own_process(given.peer, given.rows)))
    else:
        print("\n".join([*table(all_asked(given.rows)), "", HOW]))


if __name__ == "__main__":
    main()
