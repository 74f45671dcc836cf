"""What Spark takes beside its own bare group-by, in the same run: python benchmarks/bench_spark.py [rows ...]

Scores are distinct doubles, the worst case for a table. The bare group-by counts the cases of each class at each score
and brings the counts to the driver as Arrow columns: whatever judges exact scores has to do at least that. Everything
runs once before it is measured, and then in turns; wall seconds, the best of them, and peak memory of the driver.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
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


def measured(spark: Any, rows: int, turns: int = 3) -> dict[str, float]:
    """Wall seconds, the best of some turns after a first one that warms up."""
    frame = frame_of(spark, rows)
    found: dict[str, float] = {}
    for turn in range(turns + 1):
        for name, job in jobs(frame).items():
            start = time.perf_counter()
            job()
            took = time.perf_counter() - start
            print(f"{rows:.0e} {name:40} {took:8.2f} s", file=sys.stderr, flush=True)
            found[name] = took if turn < 2 else min(found[name], took)
    frame.unpersist()
    return found


def main() -> None:
    spark = session()
    found = {}
    for rows in [int(float(each)) for each in sys.argv[1:]] or [1_000_000]:
        seconds = measured(spark, rows, turns=2 if rows < 5_000_000 else 1)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        found[f"{rows:.0e}"] = {"seconds": seconds, "megabytes": peak}
    spark.stop()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
