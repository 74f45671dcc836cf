"""Situations of rows on a cluster: one Spark session for all of them, in a process of its own."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from functools import cache, partial
from typing import Any

import flatten
import sources
from rows import Situation

import unconfuse as uc


def missing() -> str:
    """Why there can be no Spark here, or nothing."""
    if shutil.which("java") is None:
        return "Spark needs Java, which is not on this machine"
    return "" if importlib.util.find_spec("pyspark") else "pyspark is not installed"


@cache
def session() -> Any:
    """The one session; small, because the data are."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    light = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # start fast rather than run fast
    settings = {
        "ui.enabled": "false",
        "ui.showConsoleProgress": "false",
        "sql.shuffle.partitions": "2",
        "driver.memory": "1g",
        "log.level": "OFF",
        "sql.adaptive.enabled": "false",
        "sql.codegen.wholeStage": "false",
        "driver.extraJavaOptions": light,
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(f"spark.{key}", value)
    return builder.getOrCreate()


@cache
def frame() -> Any:
    import pyarrow as pa

    return session().createDataFrame(pa.table(sources.columns())).repartition(3).cache()


def situations() -> dict[str, Situation]:
    """All on Spark, by name."""
    by_sex = partial(flatten.subgroups, differences=("auroc", "sensitivity"))
    return {
        "spark: evaluate": sources.judged(frame, weight="cases"),
        "spark: 40 bins": sources.judged(frame, bins=40),
        "spark: by sex": sources.judged(frame, by_sex, by="sex"),
        "spark: classes": sources.several(frame, scores="p_*"),
        "spark: compare": sources.compared(frame),
        "spark: compare in groups": sources.compared(frame, group="clinic", metrics=["auroc", "mcc"]),
        "spark: groups": sources.judged(frame, group="clinic", metrics=["auroc", "mcc"]),
        "spark: card": Situation(
            flatten.card, lambda: uc.threshold_card(frame(), n_resamples=50, rules=["youden"], **sources.ROLES)
        ),
    }
