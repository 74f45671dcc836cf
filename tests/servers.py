"""Servers that tests start for themselves, on loopback, gone at the end."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

_PROGRAMS = Path("/usr/lib/postgresql")


def postgres_is_missing() -> str:
    """Why there can be no PostgreSQL here; empty if there can."""
    if not sorted(_PROGRAMS.glob("*/bin/initdb")):
        return "PostgreSQL is not installed"
    if os.geteuid() == 0 and not shutil.which("runuser"):
        return "PostgreSQL does not run as root, and there is no runuser"
    return ""


@functools.cache
def postgres_server() -> str:
    """The address of a PostgreSQL of our own."""
    programs = sorted(_PROGRAMS.glob("*/bin/initdb"))
    folder = tempfile.mkdtemp(prefix="unconfuse-postgres-")
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if as_user:
        shutil.chown(folder, "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

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
