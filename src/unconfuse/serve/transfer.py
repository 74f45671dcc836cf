"""The whole history as one file, and back: compressed JSON lines, checked before anything is kept."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
from typing import Any

from unconfuse.serve.histories import FORMAT, PARTS
from unconfuse.serve.store import Saved, Store, insert
from unconfuse.serve.uploads import Upload
from unconfuse.serve.work import Desk


def exported(store: Store) -> bytes:
    """Everything, oldest first."""
    made = io.BytesIO()
    with gzip.GzipFile(fileobj=made, mode="wb", mtime=0) as file:
        file.write(json.dumps({"format": FORMAT}).encode() + b"\n")
        for each in store.everything():
            kept = {name: each[name] for name in PARTS}
            file.write(json.dumps(kept, allow_nan=False).encode() + b"\n")
    return made.getvalue()


async def import_into(desk: Desk, upload: Upload) -> int:
    """Add what a file holds, all of it or nothing; a child process reads and checks it first."""
    task = {
        "task": "import",
        "path": str(upload.path),
        "name": upload.name,
        "limits": {"unpacked": desk.settings.limits.unpacked},
    }
    checked = await desk.children.run(task, desk.settings.limits.wall, lambda _: None)
    return await asyncio.to_thread(_add, desk.store, checked["evaluations"])


def _add(store: Store, evaluations: list[dict[str, Any]]) -> int:
    with store.writing() as connection:
        known = {(row["created"], row["name"]) for row in connection.execute("SELECT created, name FROM evaluations")}
        new = [each for each in evaluations if (each["created"], each["name"]) not in known]
        for each in new:
            insert(connection, Saved(**each))
    return len(new)
