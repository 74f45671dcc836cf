"""A Spark session for the command line: local, a cluster or Spark Connect, and files read by it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from unconfuse._errors import ArgumentError, EngineError, InputError
from unconfuse._validate import brief
from unconfuse.ingest._spark_errors import complaints

CONNECT_WITHIN = 10.0  # seconds for a host to answer at all
_CONNECT_PORT = 15002
_FORMATS = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}
_COMPRESSED = (".gz", ".bz2", ".zst", ".snappy", ".lz4")


def open_session(master: str) -> tuple[Any, Callable[[], None]]:
    """A session with this master (`local[*]`, `spark://host:port`, `sc://host:port`), and how to end it.

    A session that is there already is used and left open.
    """
    builder_of = _pyspark()
    is_connect = master.startswith("sc://")
    if not is_connect and not re.match(r"(local(\[.*\]|-cluster\[.*\])?|spark://.+|yarn|k8s://.+)$", master):
        raise ArgumentError(f"{brief(master)} is no Spark master. Hint: local[*], spark://host:port or sc://host:port.")
    for host, port in _addresses(master):
        _reach(host, port, master)
    if not is_connect:
        _require_java()
    if master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    there = builder_of.getActiveSession()
    with complaints():
        builder = builder_of.builder.remote(master) if is_connect else _quiet(builder_of.builder.master(master), master)
        session = builder.appName("unconfuse").getOrCreate()
    return session, (lambda: None) if there is not None else session.stop


def frame_of_files(session: Any, path: str, delimiter: str | None = None) -> tuple[Any, bool]:
    """The frame of a file, a folder or a pattern, and whether its numbers are written as text."""
    kind = _format(path)
    if "://" not in path:
        path = str(Path(path).absolute())
    with complaints():
        if kind == "parquet":
            return session.read.parquet(path), False
        if kind == "json":
            return session.read.json(path, mode="FAILFAST"), True
        separator = delimiter or ("\t" if ".tsv" in path else ",")
        return session.read.csv(path, header=True, sep=separator, mode="FAILFAST"), True


def _format(path: str) -> str:
    name = Path(path)
    ending = name.with_suffix("").suffix if name.suffix in _COMPRESSED else name.suffix
    found = _FORMATS.get(ending.lower())
    if found is None:
        raise InputError(
            f"{brief(path)} does not say by its ending what it is. Hint: with --spark, files end in "
            ".parquet, .csv, .tsv, .json or .jsonl (patterns too: 'data/*.parquet')."
        )
    return found


def _pyspark() -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise EngineError("this needs PySpark. Hint: pip install 'unconfuse[spark]'.") from None
    return SparkSession


def _quiet(builder: Any, master: str) -> Any:
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
    if master.startswith("local"):  # 200 pieces, Spark's default, are for many machines
        settings["spark.sql.shuffle.partitions"] = str(2 * (os.cpu_count() or 1))
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if not (home and Path(home, "bin", "java").exists()) and shutil.which("java") is None:
        raise EngineError(
            "Spark runs on Java, which is not here. Hint: install a Java 17 runtime, set JAVA_HOME, or use a Spark "
            "Connect server (sc://host:port), which needs none here."
        )


def _addresses(master: str) -> list[tuple[str, int]]:
    if master.startswith("sc://"):
        parts = urlsplit(master)
        return [(parts.hostname or "localhost", parts.port or _CONNECT_PORT)]
    if not master.startswith("spark://"):
        return []
    found = [urlsplit(f"spark://{each}") for each in master.removeprefix("spark://").split(",")]
    return [(each.hostname or "localhost", each.port or 7077) for each in found][:1]


def _reach(host: str, port: int, master: str) -> None:
    """Spark itself would try again for minutes: ask once whether anyone is there."""
    try:
        socket.create_connection((host, port), timeout=CONNECT_WITHIN).close()
    except OSError as error:
        raise EngineError(
            f"no Spark answers at {brief(master)} ({error.strerror or error}). "
            "Hint: check the address, and that the cluster runs."
        ) from None
