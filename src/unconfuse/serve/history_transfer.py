"""The whole history as one file, and back: compressed JSON lines, checked before anything is kept."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import io
import json
from collections import Counter
from typing import Any

from unconfuse.serve.app_state import AppState
from unconfuse.serve.history_export import FORMAT
from unconfuse.serve.records import PARTS
from unconfuse.serve.store import HistoryStore, SavedEvaluation, insert
from unconfuse.serve.uploads import Upload


def exported(store: HistoryStore) -> tuple[bytes, int]:
    """Everything, oldest first, and how many evaluations are left out because they cannot be read."""
    made, left_out = io.BytesIO(), 0
    with gzip.GzipFile(fileobj=made, mode="wb", mtime=0) as file:
        file.write(json.dumps({"format": FORMAT}).encode() + b"\n")
        for each in store.iterate_all():
            if each["unreadable"] is not None:
                left_out += 1
                continue
            kept = {name: each[name] for name in PARTS}
            file.write(json.dumps(kept, allow_nan=False).encode() + b"\n")
    return made.getvalue(), left_out


async def import_into(desk: AppState, upload: Upload) -> int:
    """Add what a file holds, all of it or nothing; a child process reads and checks it first."""
    task = {
        "task": "import",
        "path": str(upload.path),
        "name": upload.name,
        "limits": {"unpacked": desk.settings.limits.unpacked},
    }
    checked = await desk.children.run(task, desk.settings.limits.wall, lambda _: None)
    return await asyncio.to_thread(_add, desk.store, checked["evaluations"])


def _add(store: HistoryStore, evaluations: list[dict[str, Any]]) -> int:
    """Add the evaluations that are not here yet; those that differ in anything are kept beside each other."""
    with store.writing() as connection:
        counts = Counter(
            content
            for created, name in {(each["created"], each["name"]) for each in evaluations}
            for content in map(_content, store.of(created, name))
        )
        new = []
        for evaluation in evaluations:
            content = _content(evaluation)
            counts[content] -= 1
            if counts[content] < 0:
                new.append(evaluation)
        for each in new:
            insert(connection, SavedEvaluation(**each))
    return len(new)


def _content(evaluation: dict[str, Any]) -> bytes:
    """All that an evaluation says, however its numbers and tags were written."""
    sizes = {name: None if evaluation[name] is None else float(evaluation[name]) for name in ("n", "positives")}
    told = {name: evaluation[name] for name in PARTS} | sizes | {"tags": list(dict.fromkeys(evaluation["tags"]))}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).digest()
