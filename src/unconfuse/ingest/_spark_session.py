"""Spark sessions: opened for the command line, asked for NumPy columns, and heard in one clear error each."""

from __future__ import annotations

import logging
import os
import re
import shutil
import socket
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from unconfuse._errors import ArgumentError, EngineError, InputError, UnconfuseError
from unconfuse._formatting import short_repr
from unconfuse.ingest import _spark_executor

CONNECT_WITHIN = 10.0  # seconds for a host to answer at all
_CONNECT_PORT = 15002
_FORMATS = {".parquet": "parquet"} | dict.fromkeys((".csv", ".tsv", ".txt"), "csv")
_FORMATS |= dict.fromkeys((".json", ".jsonl", ".ndjson"), "json")
_COMPRESSED = (".gz", ".bz2", ".zst", ".snappy", ".lz4")
TIMEOUT_KEY = "spark.unconfuse.timeout"
TIMEOUT = 120.0  # seconds in which nothing runs at all, before we give up
_CONDITION = re.compile(r"^\[([A-Z_0-9.]+)\]\s*")
_MISSING_FILE = re.compile("FILE_NOT_EXIST|PATH_NOT_FOUND|FAILED_READ_FILE|FileNotFoundException|does not exist")
_LOST = re.compile(
    "UNAVAILABLE|Connection (refused|reset)|stopped SparkContext|SparkContext was shut down|Answer from Java side is "
    "empty|Error while sending or receiving|ALL_MASTERS_UNRESPONSIVE|All masters are unresponsive"
)


def open_session(master: str) -> tuple[Any, Callable[[], None]]:
    """Return a session with this master (`local[*]`, `spark://host:port`, `sc://host:port`), and how to end it.

    A session that is there already is used and left open.
    """
    builder_of = _pyspark()
    is_connect = master.startswith("sc://")
    if not is_connect and not re.match(r"(local(\[.*\]|-cluster\[.*\])?|spark://.+|yarn|k8s://.+)$", master):
        raise ArgumentError(
            f"{short_repr(master)} is not a Spark master. Hint: pass local[*], spark://host:port or sc://host:port."
        )
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
    """Return the frame of a file, a folder or a pattern, and whether its numbers are written as text."""
    name = Path(path)
    ending = name.with_suffix("").suffix if name.suffix in _COMPRESSED else name.suffix
    kind = _FORMATS.get(ending.lower())
    if kind is None:
        raise InputError(
            f"{short_repr(path)} does not say by its ending what it is. Hint: with --spark, files end in "
            ".parquet, .csv, .tsv, .json or .jsonl (patterns too: 'data/*.parquet')."
        )
    if "://" not in path:
        path = str(Path(path).absolute())
    with complaints():
        if kind == "parquet":
            return session.read.parquet(path), False
        if kind == "json":
            return session.read.json(path, mode="FAILFAST"), True
        separator = delimiter or ("\t" if ".tsv" in path else ",")
        return session.read.csv(path, header=True, sep=separator, mode="FAILFAST"), True


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
            f"no Spark answers at {short_repr(master)} ({error.strerror or error}). "
            "Hint: check the address, and that the cluster runs."
        ) from None


def by_value(function: Any) -> Any:
    """Let a function travel to the executors with all that it calls: unconfuse need not be installed there."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(_spark_executor)  # type: ignore[no-untyped-call]
    return function


def asked(frame: Any, query: str, **frames: Any) -> dict[str, Any]:
    """Return the answer to a query, as columns by name; raise a complaint of Spark as an `UnconfuseError`."""
    session = frame.sparkSession
    with complaints(), _no_endless_waiting(session):
        table = session.sql(query, **frames).toArrow()
    return {name: _column(table.column(name)) for name in table.column_names}


@contextmanager
def complaints() -> Iterator[None]:
    """Turn whatever Spark raises into one clear error without a Java stack trace."""
    log = logging.getLogger("SQLQueryContextLogger")  # would write the whole Java stack trace to standard error
    was, log.disabled = log.disabled, True
    try:
        yield
    except UnconfuseError:
        raise
    except Exception as error:
        if type(error).__module__.split(".")[0] not in ("pyspark", "py4j", "grpc", "builtins"):
            raise
        if isinstance(error, TypeError | KeyError | AttributeError) and "JVM" not in str(error):
            raise
        raise explained(error) from None
    finally:
        log.disabled = was


def explained(error: Exception) -> UnconfuseError:
    """Explain what Spark complained about, in one or two sentences."""
    said = str(error)
    first = _first_sentence(said)
    if _LOST.search(said):
        return EngineError(f"the connection to Spark was lost or refused: {first} Hint: check that the cluster runs.")
    if _MISSING_FILE.search(said):
        return InputError(f"Spark could not read a file: {first} Hint: check that it is there, for every executor.")
    if "ModuleNotFoundError" in said:
        missing = re.search(r"No module named '([^']+)'", said)
        name = missing[1] if missing else "a module"
        return EngineError(
            f"the Python of the executors lacks {name}. Hint: install NumPy and pyarrow there, or set "
            "PYSPARK_PYTHON to a Python that has them."
        )
    if "maxResultSize" in said:
        return EngineError(
            "the table is larger than spark.driver.maxResultSize. Hint: raise it, or pass `bins=65_536`."
        )
    if "cannot be cast" in said or "CAST_INVALID_INPUT" in said or "DATATYPE_MISMATCH" in said:
        return InputError(f"a column has the wrong type for Spark: {first} Hint: convert it first.")
    return EngineError(f"Spark could not finish the work: {first}")


def _first_sentence(said: str) -> str:
    """Return the cause, without the stack trace; the last "Caused by" of a failed stage says most."""
    causes = re.findall(r"(?:Caused by: |Lost task[^:]*: )([^\n]+)", said)
    text = causes[-1] if causes else next((line for line in said.splitlines() if line.strip()), type(said).__name__)
    text = re.sub(r"^[\w.$]+(?:Exception|Error): ", "", _CONDITION.sub("", text.strip()))
    text = re.sub(r"\s*SQLSTATE: \w+.*$", "", _CONDITION.sub("", text)).strip().rstrip(".")
    return f"{text[:300]}{'...' if len(text) > 300 else '.'}"


@contextmanager
def _no_endless_waiting(session: Any) -> Iterator[None]:
    """Interrupt the work if no task runs for longer than the time-out: no executor came, or the cluster is full."""
    limit = float(session.conf.get(TIMEOUT_KEY, str(TIMEOUT)))
    finished, gave_up = threading.Event(), threading.Event()
    work = _ConnectJobs(session) if "connect" in type(session).__module__ else _ClassicJobs(session)

    def watch() -> None:
        last = time.monotonic()
        while not finished.wait(min(1.0, limit / 4)):
            if work.running() != 0:
                last = time.monotonic()
            elif time.monotonic() - last > limit:
                gave_up.set()
                with suppress(Exception):
                    work.interrupt()  # again and again: a query may hand in its next job in the meantime

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except Exception:
        if not gave_up.is_set():
            raise
        raise EngineError(
            f"no task has run on Spark for {limit:g} seconds. Hint: check that executors are there and free, or raise "
            f"the time-out: spark.conf.set('{TIMEOUT_KEY}', '600')."
        ) from None
    finally:
        finished.set()
        watcher.join()
        with suppress(Exception):
            work.forget()


class _ClassicJobs:
    """The jobs of a classic session that were not there before; tags do not reach the threads that collect Arrow."""

    def __init__(self, session: Any) -> None:
        self._context = session.sparkContext
        self._tracker = self._context.statusTracker()
        self._before = set(self._tracker.getActiveJobsIds())

    def running(self) -> int:
        """How many tasks run now; -1 if that cannot be known."""
        try:
            stages = [self._tracker.getStageInfo(stage) for stage in self._tracker.getActiveStageIds()]
        except Exception:
            return -1
        return sum(stage.numActiveTasks for stage in stages if stage is not None)

    def interrupt(self) -> None:
        """Cancel the jobs."""
        for job in set(self._tracker.getActiveJobsIds()) - self._before:
            self._context._jsc.sc().cancelJob(job)

    def forget(self) -> None:
        """There is nothing to take back."""


class _ConnectJobs:
    """The same for Spark Connect, whose server reports how many tasks run."""

    def __init__(self, session: Any) -> None:
        self._session, self._tag, self._running = session, f"unconfuse-{uuid.uuid4().hex}", 0
        session.addTag(self._tag)
        session.registerProgressHandler(self._note)

    def _note(self, stages: Any = None, inflight_tasks: int = 0, **_: Any) -> None:
        self._running = int(inflight_tasks)

    def running(self) -> int:
        """How many tasks run now."""
        return self._running

    def interrupt(self) -> None:
        """Cancel the operation."""
        self._session.interruptTag(self._tag)

    def forget(self) -> None:
        """Later operations are not meant."""
        self._session.removeProgressHandler(self._note)
        self._session.removeTag(self._tag)


def _column(column: Any) -> Any:
    import pyarrow as pa  # type: ignore[import-untyped]

    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_integer(kind):
        return column.to_numpy() if not column.null_count else column.cast(pa.float64()).to_numpy()
    if pa.types.is_boolean(kind) and not column.null_count:
        return column.to_numpy()
    return np.array(column.to_pylist(), dtype=object)
