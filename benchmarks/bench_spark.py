"""How long Spark takes, and how much memory the driver: python benchmarks/bench_spark.py [rows ...]

Scores are distinct doubles, the worst case for a table. Peak memory is that of the Python driver alone.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import unconfuse as uc


def session() -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {"ui.enabled": "false", "ui.showConsoleProgress": "false", "driver.memory": "2g", "log.level": "OFF"}
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(f"spark.{key}", value)
    return builder.getOrCreate()


def timed(what: str, run: Callable[[], object]) -> None:
    start = time.perf_counter()
    run()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:40} {time.perf_counter() - start:8.1f} s   peak {peak:8.0f} MB", flush=True)


def main() -> None:
    spark = session()
    for rows in [int(float(each)) for each in sys.argv[1:]] or [1_000_000]:
        made = spark.range(rows).selectExpr("id", "rand(1) < 0.3 AS y", "rand(2) AS u", "rand(3) AS v")
        frame = made.selectExpr("id", "y", "IF(y, sqrt(u), u) AS a", "IF(y, sqrt(v), v) AS b").cache()
        print(f"{frame.count():,} rows")
        timed("table, exact", lambda frame=frame: uc.score_table(frame, label="y", score="a"))
        timed("table, binned", lambda frame=frame: uc.score_table(frame, label="y", score="a", bins=65_536))
        timed(
            "compare, auroc, mcc",
            lambda frame=frame: uc.compare(frame, label="y", score=["a", "b"], metrics=["auroc", "mcc"]),
        )
        frame.unpersist()
    spark.stop()


if __name__ == "__main__":
    main()
