"""A child process: takes one task from its parent, works behind limits, hands back one answer, and ends.

It sets its limits before it imports anything large, waits with everything imported so that an answer begins at once,
and ends with its parent. If that was killed, it clears away what the parent cannot: the folder with all uploads.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
import threading
from typing import Any

_CRASHED = 70
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


def main(memory: int, cpu: int, rooms: str) -> None:
    """Limits, imports, one task."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints is no answer
    _limit(memory, cpu)
    from unconfuse.serve import worker_tasks

    _prepare()
    line = sys.stdin.readline()
    if not line:
        _clear(rooms)
        return
    threading.Thread(target=_end_with_parent, args=(rooms,), daemon=True).start()
    task = json.loads(line)
    os.chdir(task["folder"])
    _say(answers, "done", _answer(worker_tasks.run, task, answers))


def _limit(memory: int, cpu: int) -> None:
    try:
        import resource
    except ImportError:  # Windows: only the parent's clock limits
        return
    limits = {"RLIMIT_AS": memory, "RLIMIT_CPU": cpu, "RLIMIT_CORE": 0, "RLIMIT_FSIZE": memory, "RLIMIT_NOFILE": 256}
    for name, most in limits.items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most, most) if hard in (resource.RLIM_INFINITY,) or hard >= most else (hard, hard))


def _prepare() -> None:
    """Import what every task needs, while nobody waits for it."""
    import unconfuse
    from unconfuse.demo import patients_path
    from unconfuse.ingest.preview import preview

    preview(str(patients_path()))
    unconfuse.evaluate([0, 1], [0.2, 0.8], metrics=["auroc"]).payload()


def _end_with_parent(rooms: str) -> None:
    """End with the parent: it keeps its end of the pipe open while it lives, and ends its children before itself."""
    while os.read(0, 1024):
        pass
    _clear(rooms)
    os._exit(_CRASHED)


def _clear(rooms: str) -> None:
    """Remove the folder of a parent that was killed: with it go the rows that people uploaded."""
    shutil.rmtree(rooms, ignore_errors=True)


def _answer(work: Any, task: dict[str, Any], answers: Any) -> dict[str, Any]:
    """Return what happened; a large answer goes through a file."""
    from unconfuse._errors import UnconfuseError
    from unconfuse.serve.questions import FieldError

    def progress(what: str, done: int, total: int) -> None:
        _say(answers, "progress", {"what": what, "done": done, "total": total})

    try:
        made = json.dumps(work(task, progress), allow_nan=False)
        with open("answer.json", "w", encoding="utf-8") as file:  # noqa: PTH123 - in the folder of this task
            file.write(made)
    except UnconfuseError as error:
        return {"refused": (error if isinstance(error, FieldError) else FieldError(None, str(error))).as_dict()}
    except MemoryError:
        words = "there is not enough memory for these data. Hint: use the command line, or fewer rows."
        return {"refused": FieldError(None, words).as_dict()}
    except OSError as error:
        if error.errno in _NO_ROOM:
            return {"no_room": error.strerror}
        return {"failed": f"something went wrong inside unconfuse ({type(error).__name__}: {error.strerror})"}
    except Exception as error:
        if os.environ.get("UNCONFUSE_TRACEBACK"):
            raise
        what = _without_folders(str(error), task)
        return {"failed": f"something went wrong inside unconfuse ({type(error).__name__}: {what})"[:600]}
    return {}


def _without_folders(said: str, task: dict[str, Any]) -> str:
    """Where temporary files lie is of no use to those who read it."""
    for place in (task.get("path"), task["folder"]):
        said = said.replace(place, task.get("name") or "") if place else said
    return said


def _say(answers: Any, kind: str, what: dict[str, Any]) -> None:
    answers.write(json.dumps({kind: what}) + "\n")
    answers.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
