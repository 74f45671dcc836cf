"""What a person waits for: every verb at the sizes people have, in seconds of CPU, each in a process of its own.

    python benchmarks/bench_waits.py                   # all of it, a few minutes
    python benchmarks/bench_waits.py --only compare    # whatever has this word in its name
    python benchmarks/bench_waits.py --without 1e7     # or what has not
    python benchmarks/bench_waits.py --json waits.json # also for `docs/benchmarks.md`

Each job prepares its data untimed, runs once to pay for imports and page faults, and then counts its best run.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

Call = Callable[[], object]
Job = Callable[[], Call]
_LONG = 1.0  # seconds: what takes longer is run fewer times
_SHAPES: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "normal": lambda rng, y: rng.normal(size=len(y)) + y,
    "float32": lambda rng, y: (rng.normal(size=len(y)) + y).astype(np.float32).astype(np.float64),
    "probabilities": lambda rng, y: 1 / (1 + np.exp(2.5 - 1.5 * y - rng.normal(size=len(y)))),
    "constant": lambda rng, y: np.full(len(y), 0.5),
    "2-valued": lambda rng, y: (rng.random(len(y)) < 0.3 + 0.4 * y).astype(float),
    "1,000-valued": lambda rng, y: np.round(rng.random(len(y)), 3),
    "rounded": lambda rng, y: np.round(rng.normal(size=len(y)) + y, 2),
    "Cauchy": lambda rng, y: rng.standard_cauchy(len(y)) + y,
    "lognormal": lambda rng, y: np.exp(3 * rng.normal(size=len(y)) + y),
    "near zero": lambda rng, y: 1e-9 * rng.random(len(y)) * (1 + y),
    "subnormal": lambda rng, y: 5e-324 * np.floor(1e9 * rng.random(len(y)) * (1 + y)),
    "sorted": lambda rng, y: np.sort(rng.normal(size=len(y))),
    "reversed": lambda rng, y: np.sort(rng.normal(size=len(y)))[::-1].copy(),
    "organ pipe": lambda rng, y: np.abs(np.linspace(-1, 1, len(y))) + 1e-9 * y,
}


def rows(n: float, shape: str = "probabilities", prevalence: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores."""
    rng = np.random.default_rng(0)
    y = rng.random(int(n)) < prevalence
    return y, _SHAPES[shape](rng, y)


def noisy(s: np.ndarray, seed: int) -> np.ndarray:
    """Another model's probabilities."""
    logit = np.log(s / (1 - s)) + np.random.default_rng(seed).normal(size=len(s)) * 0.5
    return np.asarray(1 / (1 + np.exp(-logit)))


def evaluation(n: float, **more: object) -> Call:
    """A full evaluation of arrays."""
    import unconfuse as uc

    y, s = rows(n)
    return lambda: uc.evaluate(y, s, **more)


def comparison(models: int, n: float = 1e5) -> Call:
    """All metrics of several models."""
    import unconfuse as uc

    y, s = rows(n)
    scores = {f"m{k}": s if k == 0 else noisy(s, k) for k in range(models)}
    return lambda: uc.compare(y, scores)


def subgroups(groups: int, n: float) -> Call:
    """All metrics of every subgroup, each of them asked for: subgroups are judged when somebody looks."""
    import unconfuse as uc

    y, s = rows(n)
    by = np.random.default_rng(1).integers(0, groups, len(y)).astype(str)
    return lambda: [list(part.estimates.values()) for part in uc.evaluate(y, s, by=by).subgroups.values()]


def auroc(shape: str, n: float = 1e6) -> Call:
    """From rows to the AUROC, and nothing else."""
    import unconfuse as uc

    y, s = rows(n, shape)
    return lambda: uc.METRICS["auroc"](uc.score_table(y, s))


def largest(n: float) -> Call:
    """From so many rows to the AUROC that every further array would show in the peak of memory."""
    import unconfuse as uc

    rng = np.random.default_rng(0)
    s = np.empty(int(n))
    rng.standard_normal(out=s)
    y = np.frombuffer(rng.bytes(len(s)), dtype=np.uint8) < 26
    return lambda: uc.METRICS["auroc"](uc.score_table(y, s))


def sorting(n: float) -> Call:
    """NumPy's sort of continuous scores: what nobody sorts faster."""
    _, s = rows(n, "normal")
    return lambda: np.sort(s)


def scikit_learn(n: float) -> Call:
    """scikit-learn's AUROC alone."""
    from sklearn.metrics import roc_auc_score

    y, s = rows(n, "normal")
    return lambda: roc_auc_score(y, s)


def weighted(n: float) -> Call:
    """A table of rows that have weights."""
    import unconfuse as uc

    y, s = rows(n, "normal")
    w = np.random.default_rng(2).random(len(y)) + 0.5
    return lambda: uc.score_table(y, s, weights=w)


def page(n: float) -> Call:
    """An evaluation and its page."""
    import unconfuse as uc

    y, s = rows(n)
    path = Path(tempfile.mkdtemp()) / "page.html"
    return lambda: uc.evaluate(y, s).report(path)


def page_of_classes(n: float, classes: int = 4) -> Call:
    """An evaluation of several classes and its page."""
    import unconfuse as uc

    y, matrix = of_classes(n, classes)
    path = Path(tempfile.mkdtemp()) / "page.html"
    return lambda: uc.evaluate(y, matrix).report(path)


def of_classes(n: float, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels of several classes and their probabilities."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, int(n))
    z = np.exp(rng.normal(size=(len(y), classes)) + 1.2 * np.eye(classes)[y])
    return y, z / z.sum(axis=1, keepdims=True)


def payloads(n: float, times: int = 20) -> Call:
    """The page's numbers, asked for again and again: memory must not grow beyond what the first takes."""
    import unconfuse as uc
    from unconfuse.report.payload import payload_of

    y, s = rows(n)

    def again() -> None:
        for _ in range(times):
            payload_of(uc.evaluate(y, s))

    payload_of(uc.evaluate(y, s))
    return again


def card(n: float) -> Call:
    """Ways to choose a threshold."""
    import unconfuse as uc

    y, s = rows(n)
    return lambda: uc.threshold_card(y, s)


_OF_GAPS = ("auroc", "ks", "max_f1", "max_mcc", "break_even_precision", "precision_at_indistinguishability")


def resamples(prevalence: float, names: Sequence[str] = _OF_GAPS, n: float = 1e5) -> Call:
    """1,000 replicates of ranking metrics; these need no more than how many lie between cases of the rarer class."""
    import unconfuse as uc

    table = uc.score_table(*rows(n, "normal", prevalence))
    return lambda: uc.bootstrap(table, list(names), n_resamples=1000)


def grouped(name: str, n: float = 1e5) -> Call:
    """Cases that belong together, ten to a group, and subgroups beside everyone else."""
    import unconfuse as uc

    y, s = rows(n)
    rng = np.random.default_rng(3)
    groups, by = rng.integers(0, len(y) // 10, len(y)), rng.integers(0, 20, len(y)).astype(str)
    return {
        "evaluate": lambda: uc.evaluate(y, s, groups=groups),
        "threshold card": lambda: uc.evaluate(y, s, groups=groups, metrics=["auroc", "sensitivity"]).default_card,
        "compare": lambda: uc.compare(y, {"a": s, "b": noisy(s, 1)}, groups=groups),
        "20 subgroups, each against the rest": lambda: len(uc.evaluate(y, s, by=by, reference="rest").subgroups.rows()),
    }[name]


def question(name: str, n: float = 1e6) -> Call:
    """Questions about weights, judges, folds and promises."""
    import unconfuse as uc

    y, s = rows(n)
    rng = np.random.default_rng(3)
    weights, groups = rng.random(len(y)) + 0.5, rng.integers(0, len(y) // 20, len(y))
    sampled = partial(uc.evaluate, y, s, sampling_weights=weights)
    few = rng.integers(0, 10, len(y))
    if name == "judge":
        judged = np.where(rng.random(len(y)) < 0.9, y, ~y)
        truth = np.where(rng.random(len(y)) < 0.01, y.astype(float), np.nan)
        return lambda: uc.evaluate(truth, s, judge=judged)
    if name == "slices":
        path = Path(tempfile.mkdtemp()) / "rows.csv"
        columns = np.column_stack([y, s, few % 5, few // 5, rng.integers(0, 4, len(y))])
        np.savetxt(path, columns, delimiter=",", header="y,p,a,b,c", comments="", fmt=["%d", "%.17g", *3 * ["v%d"]])
        return lambda: uc.find_slices(path, label="y", score="p", by=["a", "b", "c"])
    by = few.astype(str)
    other = noisy(s, 1)
    return {
        "folds": lambda: uc.evaluate(y, s, folds=few),
        "sampling weights": sampled,
        "sampling weights, groups": lambda: sampled(groups=groups),
        "sampling weights, strata": lambda: sampled(strata=groups % 20),
        "sampling weights, both": lambda: sampled(groups=groups, strata=groups % 20),
        "comparison of sampled cases": lambda: uc.compare(y, {"a": s, "b": other}, sampling_weights=weights),
        "gaps": lambda: uc.evaluate(y, s, by=by).subgroups.largest_difference("sensitivity"),
        "decision curve": lambda: uc.evaluate(y, s).band("decision_curve", kind="simultaneous"),
        "guarantee": lambda: uc.guarantee(y, s, "precision", at_least=0.5),
    }[name]


def command(n: float) -> Call:
    """The command line on a file, from a cold start to its end."""
    y, s = rows(n)
    path = Path(tempfile.mkdtemp()) / "rows.csv"
    np.savetxt(path, np.column_stack([y, s]), delimiter=",", header="y,p", comments="", fmt=["%d", "%.17g"])
    return run_cold("-m", "unconfuse", "evaluate", str(path), "--label", "y", "--score", "p")


def of_parquet(*options: str, n: float = 1e7) -> Call:
    """The command line on rows in Parquet."""
    return run_cold("-m", "unconfuse", "evaluate", str(parquet(n)), "--label", "y", "--score", "p", *options)


def bare_group_by(n: float = 1e7) -> Call:
    """DuckDB's count of each class at each score: what whoever evaluates exact scores in Parquet has to do."""
    query = f"SELECT p, count(*) FILTER (y), count(*) FROM '{parquet(n)}' GROUP BY p"
    return run_cold("-c", f"import duckdb; duckdb.sql({query!r}).to_arrow_table()")


def parquet(n: float) -> Path:
    """Labels and distinct scores in a file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    y, s = rows(n)
    path = Path(tempfile.mkdtemp()) / "rows.parquet"
    pq.write_table(pa.table({"y": y, "p": s}), path)
    return path


def import_and_evaluate(n: float) -> Call:
    """What a script pays for its first numbers."""
    make = f"import numpy as np; r = np.random.default_rng(0); y = r.random({int(n)}) < 0.3; s = r.random({int(n)})"
    return run_cold("-c", f"{make}; import unconfuse; unconfuse.evaluate(y, s)")


def run_cold(*words: str) -> Call:
    """Python in a process of its own, with compiled bytecode, as whoever installed it has it."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    compiled = known | {"PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir(), "unconfuse-bytecode"))}
    return lambda: subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL, env=compiled)


JOBS: dict[str, tuple[Job, str]] = {
    **{
        f"evaluate, all metrics, {n:.0e} rows": (partial(evaluation, n), goal)
        for n, goal in ((1e3, ".15"), (1e4, ".15"), (1e5, ".15"), (3e5, ".4"), (1e6, ".4"), (1e7, "2 (wall)"))
    },
    "evaluate, all metrics, 400 rows": (partial(evaluation, 400), ".040"),
    "evaluate, the AUROC, 400 rows": (partial(evaluation, 400, metrics=["auroc"]), ".001"),
    "compare, 2 models, 1e5 rows": (partial(comparison, 2), "1"),
    "compare, 5 models, 1e5 rows": (partial(comparison, 5), "2.5"),
    "20 subgroups, 1e5 rows": (partial(subgroups, 20, 1e5), ".5"),
    "100 subgroups, 1e6 rows": (partial(subgroups, 100, 1e6), "3"),
    "np.sort, 1e6 normal scores": (partial(sorting, 1e6), ""),
    "np.sort, 1e7 normal scores": (partial(sorting, 1e7), ""),
    "scikit-learn's AUROC, 1e6": (partial(scikit_learn, 1e6), ""),
    **{
        f"rows to AUROC, 1e6, {shape}": (partial(auroc, shape), "1.5x np.sort, 25x faster than scikit-learn")
        for shape in _SHAPES
    },
    "rows to AUROC, 1e7, normal": (partial(auroc, "normal", 1e7), "1.5x np.sort"),
    "rows to AUROC, 1e8, memory": (partial(largest, 1e8), "input + 16 bytes a row"),
    "weighted table, 1e6 rows": (partial(weighted, 1e6), "2.5x np.sort"),
    "weighted table, 1e7 rows": (partial(weighted, 1e7), "2.5x np.sort"),
    "page, 1e3 rows": (partial(page, 1e3), "1.2"),
    "page, 1e6 rows": (partial(page, 1e6), "2"),
    "page, 1e7 rows": (partial(page, 1e7), "8"),
    "page of four classes, 1e6 rows": (partial(page_of_classes, 1e6), "4"),
    "20 payloads, memory, 1e3 rows": (partial(payloads, 1e3), "no growth"),
    "threshold card, 1e6 rows": (partial(card, 1e6), ".7"),
    "replicates, 1% positives": (partial(resamples, 0.01), ""),
    "replicates, 1% negatives": (partial(resamples, 0.99), "2x rare positives"),
    "average precision, replicates, 1% positives": (partial(resamples, 0.01, ["average_precision"]), ""),
    "average precision, replicates, 1% negatives": (
        partial(resamples, 0.99, ["average_precision"]),
        "none: it needs every positive",
    ),
    **{
        f"in groups: {name}, 1e5 rows": (partial(grouped, name), "")
        for name in ("evaluate", "threshold card", "compare")
    },
    "20 subgroups, each against the rest, 1e5 rows": (partial(grouped, "20 subgroups, each against the rest"), ""),
    **{
        f"question: {name}, 1e6 rows": (partial(question, name), "2")
        for name in (
            "judge",
            "folds",
            "sampling weights",
            "sampling weights, groups",
            "sampling weights, strata",
            "sampling weights, both",
            "comparison of sampled cases",
            "gaps",
            "slices",
            "decision curve",
            "guarantee",
        )
    },
    "unconfuse evaluate, cold, 1e3 rows": (partial(command, 1e3), ".3"),
    "unconfuse --help, cold": (partial(run_cold, "-m", "unconfuse", "--help"), ".25"),
    "import and evaluate, cold, 1e3 rows": (partial(import_and_evaluate, 1e3), ".25"),
    "DuckDB's bare group-by, cold, 1e7 rows of Parquet": (bare_group_by, ""),
    "unconfuse evaluate --json, cold, 1e7 rows of Parquet": (partial(of_parquet, "--json"), "2x the group-by, .8 GB"),
    "unconfuse evaluate, cold, 1e7 rows of Parquet": (of_parquet, "2.5x the group-by, .8 GB"),
}


def used() -> float:
    """Seconds of CPU of this process and its ended children."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def timed(call: Call) -> tuple[float, float]:
    """CPU and wall."""
    cpu, wall = used(), time.perf_counter()
    call()
    return used() - cpu, time.perf_counter() - wall


def measured(name: str) -> dict[str, float]:
    """One job's best run, here; and by how much the most memory that it held grew."""
    call = JOBS[name][0]()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = [timed(call)]
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    largest_child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    again = 0 if found[0][0] > 10 * _LONG else 1 if found[0][0] > 2 * _LONG else 3 if found[0][0] > 0.5 else 10
    found += [timed(call) for _ in range(again)]
    quick = min(int(0.5 / min(wall for _, wall in found)), 50)  # of what takes milliseconds the best of many
    found += [timed(call) for _ in range(quick - again)]
    cpu, wall = (min(column) for column in zip(*found, strict=True))
    return {
        "cpu": cpu,
        "wall": wall,
        "first": found[0][0],
        "megabytes": (after - before) / 1e3,
        "peak": after / 1e3,
        "child": largest_child / 1e3,
    }


def beside(name: str, found: dict[str, dict[str, float]]) -> str:
    """How many times what a goal speaks of, where that was measured in the same run."""
    size = next((each for each in ("1e6", "1e7") if each in name), "")
    sort, scikit = f"np.sort, {size} normal scores", "scikit-learn's AUROC, 1e6"
    if name == "rows to AUROC, 1e8, memory":
        return f"{found[name]['peak'] / 100:.1f} bytes a row at the peak, of which 9 are the input"
    if name == "20 payloads, memory, 1e3 rows":
        return f"{found[name]['megabytes']:.0f} MB more at the end than before"
    against = {
        "weighted table": sort,
        "rows to AUROC": sort,
        "replicates, 1% negatives": "replicates, 1% positives",
        "20 subgroups, 1e5": "evaluate, all metrics, 1e+05 rows",
        "100 subgroups": "evaluate, all metrics, 1e+06 rows",
        "unconfuse evaluate --json, cold, 1e7": "DuckDB's bare group-by, cold, 1e7 rows of Parquet",
        "unconfuse evaluate, cold, 1e7": "DuckDB's bare group-by, cold, 1e7 rows of Parquet",
    }
    other = next((other for start, other in against.items() if name.startswith(start)), "")
    if other not in found:
        return ""
    ratios = [f"{found[name]['cpu'] / found[other]['cpu']:.2g}x {other.partition(',')[0]}"]
    if name.startswith("rows to AUROC, 1e6") and scikit in found:
        cpu, wall = (found[scikit][each] / found[name][each] for each in ("cpu", "wall"))
        ratios.append(f"{cpu:.0f}x faster than scikit-learn ({wall:.0f}x by the clock, on every core)")
    if "Parquet" in name:
        ratios.append(f"{found[name]['child'] / 1e3:.2f} GB")
    return ", ".join(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--without", action="append", default=[], help="leave out jobs with this word; several times")
    parser.add_argument("--job")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    if asked.job:
        print(json.dumps(measured(asked.job)))
        return
    found = {}
    print(f"{'what':44} {'CPU s':>9} {'wall s':>9} {'first s':>9} {'MB more':>8}  goal")
    wanted = [each for each in JOBS if asked.only in each and not any(word in each for word in asked.without)]
    for name in wanted:
        words = [sys.executable, __file__, "--job", name]
        run = subprocess.run(words, check=False, capture_output=True, text=True)
        if run.returncode:
            print(f"{name:44} failed: {run.stderr.strip().splitlines()[-1]}", flush=True)
            continue
        each = found[name] = json.loads(run.stdout.splitlines()[-1])
        numbers = f"{each['cpu']:9.4f} {each['wall']:9.4f} {each['first']:9.4f} {each['megabytes']:8.0f}"
        print(f"{name:44} {numbers}  {JOBS[name][1]}", flush=True)
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
