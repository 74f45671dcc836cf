"""Servers that tests start for themselves, on loopback, gone at the end."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from importlib.util import find_spec
from pathlib import Path

_PROGRAMS = Path("/usr/lib/postgresql")


def postgres_is_missing() -> str:
    """Why there can be no PostgreSQL here; empty if there can."""
    if not sorted(_PROGRAMS.glob("*/bin/initdb")):
        return "PostgreSQL is not installed"
    if os.geteuid() == 0 and not shutil.which("runuser"):
        return "PostgreSQL does not run as root, and there is no runuser"
    return ""


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@functools.cache
def postgres_server() -> str:
    """The address of a PostgreSQL of our own."""
    programs = sorted(_PROGRAMS.glob("*/bin/initdb"))
    folder = tempfile.mkdtemp(prefix="unconfuse-postgres-")
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if as_user:
        shutil.chown(folder, "postgres")
    port = _free_port()

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [*as_user, str(programs[-1].with_name(program)), *arguments],
            check=True,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    run("initdb", "-D", f"{folder}/data", "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    run("pg_ctl", "-D", f"{folder}/data", "-o", options, "-w", "-l", f"{folder}/log", "start")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(run, "pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "-w", "stop")
    return f"postgresql://tester@127.0.0.1:{port}/postgres"


def mlflow_is_missing() -> str:
    """Why there can be no tracking server here; empty if there can."""
    missing = [name for name in ("mlflow", "alembic", "flask", "flask_cors", "aiohttp") if find_spec(name) is None]
    return f"a tracking server of MLflow needs {', '.join(missing)}" if missing else ""


@functools.cache
def mlflow_server() -> str:
    """The address of an MLflow tracking server of our own, on SQLite."""
    folder, port = tempfile.mkdtemp(prefix="unconfuse-mlflow-"), _free_port()
    places = ["--backend-store-uri", f"sqlite:///{folder}/runs.db", "--artifacts-destination", f"{folder}/artifacts"]
    places += ["--workers", "1"]
    # Background jobs (of other parts of MLflow) would need more packages.
    quiet = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
    with Path(folder, "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), *places],
            cwd=folder,
            env=quiet,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(_end_session, server)
    _wait_for(f"http://127.0.0.1:{port}/health", server, Path(folder, "log"))
    return f"http://127.0.0.1:{port}"


def _end_session(server: subprocess.Popen[bytes]) -> None:
    """The server and what it started."""
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    _end_session(server)
    raise RuntimeError(f"the server did not start: {log.read_text(errors='replace')[-2000:]}")
