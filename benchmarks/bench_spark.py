"""What Spark takes beside its own bare group-by, in one run: python benchmarks/bench_spark.py [rows ...] [soak=1e8]

Scores are distinct doubles, the worst case for a table. The bare group-by counts the cases of each class at each score
and brings the counts to the driver as Arrow columns: whatever judges exact scores has to do at least that. Everything
runs before it is measured, and then in turns, each job right after a bare group-by of its own: wall seconds, the best
of them; ratios to the group-by before, the median of them; and peak memory of the Python driver so far.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable
from statistics import median
from typing import Any

import unconfuse as uc

BARE = "bare group-by, fetched to the driver"
GOALS = {"evaluate": "2x", "evaluate, bins=65536": "2x", "compare, AUROC": "5x"}


def session() -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {"ui.enabled": "false", "ui.showConsoleProgress": "false", "driver.memory": "4g", "log.level": "OFF"}
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(f"spark.{key}", value)
    return builder.getOrCreate()


def frame_of(spark: Any, rows: int) -> Any:
    """Labels and scores of two models, in memory."""
    made = spark.range(rows).selectExpr("id", "rand(1) < 0.3 AS y", "rand(2) AS u", "rand(3) AS v")
    frame = made.selectExpr("id", "y", "IF(y, sqrt(u), u) AS a", "IF(y, sqrt(v), v) AS b").cache()
    frame.count()
    return frame


def jobs(frame: Any) -> dict[str, Callable[[], object]]:
    """What is measured."""
    named = {"label": "y", "score": "a"}
    return {
        BARE: lambda: frame.groupBy("a").agg({"y": "count"}).toArrow(),
        "evaluate": lambda: uc.evaluate(frame, **named),
        "evaluate, bins=65536": lambda: uc.evaluate(frame, bins=65_536, **named),
        "compare, AUROC": lambda: uc.compare(frame, label="y", score=["a", "b"], metrics=["auroc"]),
    }


def timed(rows: int, name: str, job: Callable[[], object]) -> float:
    """Wall seconds, said as they come."""
    start = time.perf_counter()
    job()
    took = time.perf_counter() - start
    print(f"{rows:.0e} {name:40} {took:8.2f} s", file=sys.stderr, flush=True)
    return took


def measured(spark: Any, rows: int, turns: int, warm: int) -> dict[str, Any]:
    """The best seconds and the median ratio of each job, after some turns that warm up."""
    frame = frame_of(spark, rows)
    made = jobs(frame)
    bare = made.pop(BARE)
    pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in made}
    for _ in range(warm + turns):
        for name, job in made.items():
            pairs[name].append((timed(rows, BARE, bare), timed(rows, name, job)))
    frame.unpersist()
    kept = {name: each[warm:] for name, each in pairs.items()}
    seconds = {name: min(own for _, own in each) for name, each in kept.items()}
    seconds[BARE] = min(before for each in kept.values() for before, _ in each)
    return {"seconds": seconds, "ratios": {name: median(own / before for before, own in kept[name]) for name in kept}}


def soak(spark: Any, rows: int) -> dict[str, Any]:
    """One evaluation of more rows than the driver could hold, which are made as they are read: bins are chosen."""
    made = spark.range(rows).selectExpr("rand(1) < 0.3 AS y", "rand(2) AS u").selectExpr("y", "IF(y, sqrt(u), u) AS a")
    most = min(20_000_000, rows // 5)  # so that a rehearsal with few rows takes the same way
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        took = timed(rows, "soak", lambda: uc.evaluate(made, label="y", score="a", max_distinct=most))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"soak": took, "megabytes": peak, "said": [str(each.message) for each in said]}


def main() -> None:
    spark = session()
    found: dict[str, Any] = {}
    for rows in [
        int(float(each[5:])) for each in sys.argv[1:] if each.startswith("soak=")
    ]:  # first: its peak is its own
        found[f"soak {rows:.0e}"] = soak(spark, rows)
    for rows in [int(float(each)) for each in sys.argv[1:] or ["1e6"] if not each.startswith("soak=")]:
        turns, warm = (5, 2) if rows < 5_000_000 else (3, 0)  # of long turns the median leaves out a first that is slow
        found[f"{rows:.0e}"] = measured(spark, rows, turns, warm)
        found[f"{rows:.0e}"]["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    spark.stop()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
