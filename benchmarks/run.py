"""Speed as ratios against the peers installed beside us, in one run: `make bench` (about five minutes).

`python benchmarks/run.py --quick` leaves out 1e7 rows; `--scaling` adds how the cost grows from 1e4 to 1e8 rows.
Run it on an idle machine: ratios are steadier than times, but not immune.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from _timing import Call, Task, measured, print_table, seconds
from scipy.stats import mannwhitneyu
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

import unconfuse as uc
from unconfuse.curves import curve
from unconfuse.metrics import METRICS, h_measure
from unconfuse.uncertainty.interval_methods import limits_of_table

SHAPES: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "normal": lambda rng, y: rng.normal(size=len(y)) + y,
    "constant": lambda rng, y: np.full(len(y), 0.5),
    "0/1": lambda rng, y: (rng.random(len(y)) < 0.3 + 0.4 * y).astype(float),
    "rounded": lambda rng, y: np.round(rng.normal(size=len(y)) + y, 2),
    "Cauchy": lambda rng, y: rng.standard_cauchy(len(y)) + y,
    "lognormal": lambda rng, y: np.exp(3 * rng.normal(size=len(y)) + y),
    "near zero": lambda rng, y: 1e-9 * rng.random(len(y)) * (1 + y),
    "sorted": lambda rng, y: np.sort(rng.normal(size=len(y))),
    "reversed": lambda rng, y: np.sort(rng.normal(size=len(y)))[::-1].copy(),
}


def rows(n: int, shape: str = "normal", prevalence: float = 0.1, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    return y, SHAPES[shape](rng, y)


def our_auroc(y: np.ndarray, s: np.ndarray) -> float:
    return float(METRICS["auroc"](uc.score_table(y, s)))


def optional_peers(y: np.ndarray, s: np.ndarray) -> dict[str, Call]:
    found: dict[str, Call] = {}
    try:
        import polars as pl
        import rapidstats.metrics as rapid

        frame = pl.DataFrame({"y": y, "s": s})
        found["rapidstats"] = lambda: rapid.roc_auc(frame["y"], frame["s"])
    except Exception as missing:
        print(f"(no rapidstats: {missing})")
    return found


def table_tasks(n: int) -> list[Task]:
    y, s = rows(n)
    tasks = [
        Task(
            f"score table, {n:.0e} rows",
            lambda: uc.score_table(y, s),
            {"np.sort": lambda: np.sort(s)},
            target="np.sort >= 0.67 (1.5x np.sort plus a pass)",
        )
    ]
    for shape in ("constant", "0/1", "rounded", "Cauchy", "sorted", "reversed"):
        y, s = rows(n, shape)
        usual = {"np.sort of normal scores": partial(np.sort, rows(n)[1])}
        name = f"score table, {n:.0e} rows, {shape}"
        tasks.append(Task(name, partial(uc.score_table, y, s), usual, target="np.sort >= 0.5"))
    return tasks


def auroc_tasks(n: int) -> list[Task]:
    tasks = []
    for shape in SHAPES:
        y, s = rows(n, shape)
        peers: dict[str, Call] = {"scikit-learn": partial(roc_auc_score, y, s)}
        if shape == "normal":
            peers |= {"np.sort": partial(np.sort, s), "scipy mannwhitneyu": partial(mannwhitneyu, s[y], s[~y])}
            peers |= optional_peers(y, s)
        target = "scikit-learn >= 15, np.sort >= 0.5" if shape == "normal" else "scikit-learn >= 10"
        tasks.append(Task(f"T1 rows to AUROC, {n:.0e}, {shape}", partial(our_auroc, y, s), peers, target=target))
    return tasks


def curve_task() -> Task:
    y, s = rows(1_000_000)

    def ours() -> None:
        table = uc.score_table(y, s)
        curve("roc", table), curve("precision_recall", table)
        METRICS["auroc"](table), METRICS["average_precision"](table)

    def theirs() -> None:
        roc_curve(y, s, drop_intermediate=False), precision_recall_curve(y, s)
        roc_auc_score(y, s), average_precision_score(y, s)

    return Task("T2 all ROC and PR points + AP + AUROC, 1e6", ours, {"scikit-learn": theirs}, target=">= 25")


def bootstrap_tasks() -> list[Task]:
    rng = np.random.default_rng(1)
    y = np.arange(69_973) < 6_277
    s = rng.normal(size=len(y)) + 0.53 * y
    table, names = uc.score_table(y, s), ["auroc", "average_precision", "auprc_davis_goadrich"]
    positive, negative = np.flatnonzero(y), np.flatnonzero(~y)

    def loop() -> None:
        for _ in range(10):
            chosen = np.concatenate([rng.choice(positive, len(positive)), rng.choice(negative, len(negative))])
            roc_auc_score(y[chosen], s[chosen]), average_precision_score(y[chosen], s[chosen])

    return [
        Task(
            "T3 10,000 stratified replicates, n = 69,973",
            lambda: uc.bootstrap(table, names, design="case-control"),
            {"scikit-learn loop (2 of 3 metrics)": loop},
            scale=1000,
            target=">= 1000, under 1 s",
        ),
        Task(
            "T3 10,000 cohort replicates, n = 69,973",
            lambda: uc.bootstrap(table, names, design="cohort"),
            {"stratified": lambda: uc.bootstrap(table, names, design="case-control")},
            target="stratified >= 0.5",
        ),
        Task(
            "10,000 replicates of C(r_b), n = 69,973",
            lambda: uc.bootstrap(table, ["precision_at_indistinguishability"]),
            {},
            target="under 2 s",
        ),
    ]


def delong_task() -> Task:
    y, s = rows(1_000_000)
    peers: dict[str, Call] = {}
    try:
        from confidenceinterval.delong import delong_roc_variance

        labels = y.astype(int)
        peers["confidenceinterval"] = lambda: delong_roc_variance(labels, s)
    except ImportError:
        print("(no confidenceinterval)")
    return Task(
        "T5 DeLong, 1e6", lambda: limits_of_table(uc.METRICS["auroc"], uc.score_table(y, s)), peers, target=">= 50"
    )


def h_measure_task() -> Task:
    y, s = rows(100_000)
    measure = h_measure("severity_ratio")
    return Task("T6 H-measure, 1e5", lambda: measure(uc.score_table(y, s)), {}, target="<= 0.0105 s (hmeasure 1.05 s)")


def cold_start() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    for _ in range(5):
        subprocess.run([sys.executable, "-m", "unconfuse", "--help"], stdout=subprocess.DEVNULL, check=True)
    used = (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before) / 5
    print(f"\ncold start: unconfuse --help takes {used:.3f} s of CPU (target 0.25)")


def scaling() -> None:
    print(f"\n{'rows':>10} {'prevalence':>10} {'table s':>9} {'ns/row':>8} {'1,000 replicates s':>19}")
    for n in (10**4, 10**5, 10**6, 10**7, 10**8):
        for prevalence in (0.5, 0.01) if n < 10**8 else (0.01,):
            y, s = rows(n, prevalence=prevalence)
            made = min(seconds(partial(uc.score_table, y, s)) for _ in range(3 if n < 10**8 else 1))
            table = uc.score_table(y, s)
            few = 1000 if n <= 10**6 else 20
            drawn = seconds(partial(uc.bootstrap, table, ["auroc", "average_precision"], n_resamples=few)) * 1000 / few
            print(f"{n:10.0e} {prevalence:10.2f} {made:9.4f} {1e9 * made / n:8.1f} {drawn:19.3f}", flush=True)
    y = np.zeros(10**7, dtype=bool)
    y[1234] = True
    s = np.random.default_rng(0).normal(size=10**7)
    print(f"1 positive in 1e7: table {seconds(partial(uc.score_table, y, s)):.3f} s")


def main(options: list[str]) -> None:
    warnings.simplefilter("ignore")
    big = [] if "--quick" in options else [10**7]
    tasks = [task for n in [10**6, *big] for task in (*table_tasks(n), *auroc_tasks(n))]
    tasks += [curve_task(), *bootstrap_tasks(), delong_task(), h_measure_task()]
    found = []
    for task in tasks:
        print(f"{task.name} ...", file=sys.stderr, flush=True)
        found += measured(task)
    print_table(found)
    cold_start()
    if "--scaling" in options:
        scaling()


if __name__ == "__main__":
    main(sys.argv[1:])
