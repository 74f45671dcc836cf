"""What the app does between a request and the history: look at files, answer questions, keep what came of it."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unconfuse.serve.auth import Authenticator
from unconfuse.serve.questions import READS_A_FILE, TITLES, FieldError, checked
from unconfuse.serve.records import LONGEST_NAME, checked_words
from unconfuse.serve.settings import ServerSettings
from unconfuse.serve.store import HistoryStore, SavedEvaluation
from unconfuse.serve.uploads import Upload, Uploads
from unconfuse.serve.worker_pool import Job, JobQueue, WorkerPool


@dataclass
class AppState:
    """All that requests need: settings, history, visitors, files, children and jobs."""

    settings: ServerSettings
    store: HistoryStore
    doorkeeper: Authenticator
    uploads: Uploads
    children: WorkerPool
    jobs: JobQueue

    @classmethod
    def opened(cls, settings: ServerSettings, store: HistoryStore, folder: Path) -> AppState:
        """Open a desk whose temporary files lie in this folder."""
        uploads, work = folder / "uploads", folder / "work"
        for path in (uploads, work):
            path.mkdir(mode=0o700)
        limits = settings.limits
        children, jobs = WorkerPool(limits, work, rooms=folder), JobQueue(limits)
        return cls(settings, store, Authenticator(store), Uploads(settings, uploads), children, jobs)

    async def preview_file(self, upload: Upload, words: dict[str, str] | None = None) -> dict[str, Any]:
        """Return what a file looks like, read in this way; once found it is remembered."""
        words = words or {}
        seen = upload.seen(words)
        if seen is None:
            task = upload.task | {"task": "look", "words": words, "limits": self._limits()}
            with upload.being_read():
                seen = await self.children.look(task)
            upload.remember(words, seen)
        return seen

    def run_question(self, body: Any) -> Job:
        """Start to answer a question; what is wrong with it is said at once, what is wrong with the file later."""
        question, answers, said = _request(body)
        answers = checked(question, answers)
        upload = self.uploads.get(str(body.get("file", ""))) if question in READS_A_FILE else None
        if upload is None and body.get("file"):
            raise FieldError("file", f"{question!r} reads no file. Hint: leave it out.")
        name = said["name"] or _usual_name(question, answers, upload)

        async def work(job: Job) -> str:
            task = {"task": "ask", "question": question, "answers": answers, "title": name, "limits": self._limits()}
            with contextlib.nullcontext() if upload is None else upload.being_read():
                made = await self._answer(job, task | ({} if upload is None else upload.task))
            source = "" if upload is None else upload.name
            return await self._keep(made, said | {"name": name}, question, {"answers": answers, "file": source}, source)

        return self.jobs.start(TITLES[question], work, answers)

    def compare(self, body: Any) -> Job:
        """Start to compare two saved evaluations."""
        said = _words(body, ("first", "second"))
        both = [self.store.get(str(body.get(place, ""))) for place in ("first", "second")]
        for place, one in zip(("first", "second"), both, strict=True):
            if one is None:
                raise FieldError(place, "there is no such evaluation. Hint: choose two from the history.")
            if one["unreadable"] is not None:
                raise FieldError(
                    place, f"{one['name']!r} cannot be read: {one['unreadable']}. Hint: choose another one."
                )
        first, second = (one or {} for one in both)
        if first["id"] == second["id"]:
            raise FieldError("second", "an evaluation cannot be compared with itself. Hint: choose another one.")
        name = said["name"] or f"{first['name']} vs {second['name']}"[:LONGEST_NAME]

        async def work(job: Job) -> str:
            kept = [{key: one[key] for key in ("name", "scores", "cases")} for one in (first, second)]
            task = {"task": "compare", "first": kept[0], "second": kept[1], "title": name}
            made = await self._answer(job, task)
            how = "paired, case by case" if made["paired"] else "unpaired, as independent samples"
            question = {"first": first["id"], "second": second["id"], "how": how}
            return await self._keep(made, said | {"name": name}, "saved", question, how)

        return self.jobs.start(TITLES["saved"], work)

    async def _answer(self, job: Job, task: dict[str, Any]) -> dict[str, Any]:
        def watch(said: dict[str, Any]) -> None:
            job.state, job.progress = "working", said

        return await self.children.run(task, self.settings.limits.wall, watch)

    async def _keep(
        self, made: dict[str, Any], said: dict[str, Any], kind: str, question: dict[str, Any], source: str
    ) -> str:
        result = made["result"] | {"table": made["table"], "notes": made["notes"]}
        parts = {name: made[name] for name in ("payload", "summary", "verdict", "n", "positives", "scores", "cases")}
        saved = SavedEvaluation(kind=kind, question=question, result=result, source=source, **said, **parts)
        return await asyncio.shield(asyncio.to_thread(self.store.save, saved))

    def _limits(self) -> dict[str, int]:
        return {"unpacked": self.settings.limits.unpacked, "rows": self.settings.limits.rows}


def _request(body: Any) -> tuple[str, Any, dict[str, Any]]:
    said = _words(body, ("question", "file", "answers"))
    return str(body.get("question", "")), body.get("answers", {}), said


def _words(body: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """Name, note and tags of what will be saved; anything that is not known is refused."""
    if not isinstance(body, dict):
        raise FieldError("body", "the request must be a JSON object.")
    odd = [name for name in body if name not in (*known, "name", "note", "tags")]
    if odd:
        raise FieldError(str(odd[0])[:60], f"a request has no {str(odd[0])[:60]!r}.")
    return {"name": "", "note": "", "tags": []} | checked_words(
        {key: body[key] for key in ("name", "note", "tags") if key in body}
    )


def _usual_name(question: str, answers: dict[str, Any], upload: Upload | None) -> str:
    what = answers.get("score") or answers.get("scores") or answers.get("predicted") or answers.get("metric")
    what = what or answers.get("value") or answers.get("correct")
    shown = _few(what) if isinstance(what, list) else what
    parts = [shown, upload and upload.name]
    named = " of ".join(part for part in parts if part)
    told = named if question == "evaluate" or not named else f"{TITLES[question]}: {named}"
    return (told or TITLES[question])[:LONGEST_NAME]


def _few(names: list[str]) -> str:
    """Name up to three models, and of more the first two and their number.

    >>> _few(["a", "b"]), _few(["a", "b", "c", "d"])
    ('a and b', 'a, b and 2 more')
    """
    return " and ".join(names) if len(names) <= 3 else f"{', '.join(names[:2])} and {len(names) - 2} more"
