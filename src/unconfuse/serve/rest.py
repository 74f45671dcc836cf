"""The REST API: the same verbs for programs, and for the app's own pages."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from unconfuse.demo import animals_path, patients_path
from unconfuse.serve.middleware import refused
from unconfuse.serve.questions import FieldError, NoRoomError
from unconfuse.serve.records import LISTED, checked_words
from unconfuse.serve.responses import (
    NotFoundError,
    body_of,
    desk_of,
    errors_as_json,
    owner_of,
    query_of,
    readable_of,
    saved_of,
    whole_of,
)
from unconfuse.serve.store import MOST

_PART = 1 << 20
_SHORT = ("id", *LISTED, "unreadable")
LARGEST_PAGE = 1000  # evaluations that one request may list
LEFT_OUT = "unconfuse-left-out"  # header that counts the evaluations that an export cannot hold
DEMOS = {"patients": patients_path, "animals": animals_path}


@asynccontextmanager
async def file_in(request: Request) -> AsyncIterator[UploadFile]:
    """Yield the one file of a form, open for as long as it is read."""
    kind = request.headers.get("content-type", "")
    if not kind.lower().startswith("multipart/form-data"):
        raise FieldError("file", "send the file as a form (multipart/form-data) with one field named file.")
    try:
        form = await request.form(max_files=1, max_fields=4)
    except (MultiPartException, HTTPException, UnicodeError) as error:  # letters may be said to be in any encoding
        said = getattr(error, "message", None) or getattr(error, "detail", None) or error
        raise FieldError("file", f"the form cannot be read: {said}") from None
    except OSError as error:  # large files are put aside while they come in
        raise NoRoomError(error) from None
    try:
        found = form.get("file")
        if not isinstance(found, UploadFile):
            raise FieldError("file", "no file was sent. Hint: the field must be named file.")
        yield found
    finally:
        await form.close()


async def parts_of(file: UploadFile) -> AsyncIterator[bytes]:
    """Yield a file piece by piece."""
    while part := await file.read(_PART):
        yield part


@errors_as_json
async def add_file(request: Request) -> Response:
    """Upload a file."""
    query_of(request)
    uploads, owner = desk_of(request).uploads, owner_of(request)
    with uploads.room(owner):
        async with file_in(request) as file:
            upload = await uploads.add(file.filename or "", parts_of(file), owner)
    return JSONResponse(upload.as_dict(), 201)


@errors_as_json
async def point_to_file(request: Request) -> Response:
    """Point to a file below the folder that was opened, or to example data."""
    query_of(request)
    body = await body_of(request)
    if not isinstance(body, dict) or set(body) not in ({"path"}, {"demo"}):
        raise FieldError("path", "give a path below the folder that was opened, or the name of example data (demo).")
    uploads = desk_of(request).uploads
    if "path" in body:
        return JSONResponse(uploads.point(body["path"]).as_dict(), 201)
    if not isinstance(body["demo"], str) or body["demo"] not in DEMOS:
        raise FieldError("demo", f"example data are {' and '.join(DEMOS)}.")
    return JSONResponse(uploads.add_known(f"{body['demo']}.csv", DEMOS[body["demo"]]()).as_dict(), 201)


@errors_as_json
async def see_file(request: Request) -> Response:
    """Return the first rows of a file, its columns and guesses of what they are for."""
    desk, words = desk_of(request), query_of(request, "table", "delimiter", "decimal")
    upload = _upload(request)
    seen = await desk.preview_file(upload, {key: value for key, value in words.items() if value})
    return JSONResponse(upload.as_dict() | seen)


@errors_as_json
async def forget_file(request: Request) -> Response:
    """Remove a file from the server."""
    query_of(request)
    desk_of(request).uploads.forget(_upload(request).id)
    return Response(status_code=204)


def _upload(request: Request) -> Any:
    try:
        return desk_of(request).uploads.get(request.path_params["id"])
    except FieldError as error:
        raise NotFoundError(str(error)) from None


@errors_as_json
async def ask(request: Request) -> Response:
    """Start to answer a question; the job says when it is done."""
    query_of(request)
    return JSONResponse(desk_of(request).run_question(await body_of(request)).as_dict(), 202)


@errors_as_json
async def compare(request: Request) -> Response:
    """Start to compare two saved evaluations."""
    query_of(request)
    return JSONResponse(desk_of(request).compare(await body_of(request)).as_dict(), 202)


@errors_as_json
async def list_saved(request: Request) -> Response:
    """List the history, newest first, from an offset on."""
    words = query_of(request, "search", "tag", "offset", "limit")
    store, sought = desk_of(request).store, (words.get("search", ""), words.get("tag", ""))
    offset, limit = whole_of(words, "offset", 0), whole_of(words, "limit", MOST, least=1, most=LARGEST_PAGE)
    found = await asyncio.to_thread(store.search, *sought, limit, offset)
    total = await asyncio.to_thread(store.count, *sought)
    return JSONResponse({"evaluations": found, "total": total, "offset": offset, "limit": limit})


@errors_as_json
async def see_saved(request: Request) -> Response:
    """One evaluation: what was asked and found."""
    query_of(request)
    saved = readable_of(request)
    more = {"question": saved["question"], "result": saved["result"], "keeps_cases": saved["cases"] is not None}
    return JSONResponse({key: saved[key] for key in _SHORT} | more)


@errors_as_json
async def change_saved(request: Request) -> Response:
    """Another name, note or tags."""
    query_of(request)
    saved, body = saved_of(request), await body_of(request)
    if not isinstance(body, dict) or not body or set(body) - {"name", "note", "tags"}:
        raise FieldError("body", "name, note and tags can be changed, and nothing else.")
    changes = checked_words(body)
    if changes.get("name") == "":
        raise FieldError("name", "a name must not be empty.")
    await asyncio.to_thread(lambda: desk_of(request).store.change(saved["id"], **changes))
    after = desk_of(request).store.get(saved["id"])
    if after is None:
        raise NotFoundError("it was deleted meanwhile.")
    return JSONResponse({key: after[key] for key in _SHORT})


@errors_as_json
async def delete_saved(request: Request) -> Response:
    """Forget an evaluation."""
    query_of(request)
    await asyncio.to_thread(desk_of(request).store.delete, saved_of(request)["id"])
    return Response(status_code=204)


@errors_as_json
async def download(request: Request) -> Response:
    """Send the page, the payload behind it, or the table, as a file."""
    query_of(request)
    saved, form = readable_of(request), request.path_params["form"]
    if form == "page" and saved["payload"] is not None:
        return _file(page_of(json.dumps(saved["payload"])), saved["name"], "html", "text/html")
    if form == "payload" and saved["payload"] is not None:
        return _file(json.dumps(saved["payload"]), saved["name"], "json", "application/json")
    if form == "table" and saved["result"].get("table"):
        from unconfuse._table_view import csv_text

        return _file(csv_text(saved["result"]["table"], for_spreadsheets=True), saved["name"], "csv", "text/csv")
    raise NotFoundError(f"there is no {form[:20]} of this evaluation.")


@lru_cache(maxsize=32)
def page_of(payload: str) -> str:
    """Return the page of a payload; the same ones are asked for again and again."""
    from unconfuse.report import render

    return render(json.loads(payload))


def _file(text: str, name: str, ending: str, kind: str) -> Response:
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:80] or "evaluation"
    headers = {"content-disposition": f'attachment; filename="{plain}.{ending}"'}
    return Response(text, media_type=f"{kind}; charset=utf-8", headers=headers)


@errors_as_json
async def see_job(request: Request) -> Response:
    """How far a job is."""
    query_of(request)
    return JSONResponse(_job(request).as_dict())


@errors_as_json
async def cancel_job(request: Request) -> Response:
    """Stop a job."""
    query_of(request)
    job = _job(request)
    await desk_of(request).jobs.cancel(job)
    return JSONResponse(job.as_dict())


def _job(request: Request) -> Any:
    job = desk_of(request).jobs.get(request.path_params["id"])
    if job is None:
        raise NotFoundError("there is no such job. Hint: jobs are forgotten an hour after they end.")
    return job


@errors_as_json
async def see_trend(request: Request) -> Response:
    """One metric over time, with its intervals."""
    from unconfuse.serve.trend import trend_of

    words = query_of(request, "metric", "search", "tag")
    return JSONResponse(await asyncio.to_thread(trend_of, desk_of(request).store, **words))


@errors_as_json
async def export_history(request: Request) -> Response:
    """Send the whole history as one file."""
    from unconfuse.serve.history_transfer import exported

    query_of(request)
    content, left_out = await asyncio.to_thread(exported, desk_of(request).store)
    headers = {"content-disposition": 'attachment; filename="unconfuse-history.jsonl.gz"', LEFT_OUT: str(left_out)}
    return Response(content, media_type="application/gzip", headers=headers)


@errors_as_json
async def import_history(request: Request) -> Response:
    """Add a history that was exported."""
    from unconfuse.serve.history_transfer import import_into

    query_of(request)
    desk, owner = desk_of(request), owner_of(request)
    with desk.uploads.room(owner):
        async with file_in(request) as file:
            upload = await desk.uploads.add(file.filename or "", parts_of(file), owner)
    try:
        with upload.being_read():
            added = await import_into(desk, upload)
    finally:
        desk.uploads.forget(upload.id)
    return JSONResponse({"added": added}, 201)


@errors_as_json
async def see_openapi(request: Request) -> Response:
    """Describe what this API takes and answers."""
    from unconfuse.serve.openapi import openapi

    query_of(request)
    return JSONResponse(openapi())


async def nothing_there(request: Request, error: Exception) -> Response:
    """Answer for an address or a method that is not known."""
    status = getattr(error, "status_code", 404)
    words = {405: "this address does not take that method.", 404: "there is nothing at this address."}
    answer = refused(status, words.get(status, "this request cannot be answered."))
    answer.headers.update(getattr(error, "headers", None) or {})
    return answer


ROUTES = [
    Route("/api/openapi.json", see_openapi),
    Route("/api/files", add_file, methods=["POST"]),
    Route("/api/files/pointed", point_to_file, methods=["POST"]),
    Route("/api/files/{id}", see_file),
    Route("/api/files/{id}", forget_file, methods=["DELETE"]),
    Route("/api/evaluations", ask, methods=["POST"]),
    Route("/api/evaluations", list_saved),
    Route("/api/evaluations/{id}", see_saved),
    Route("/api/evaluations/{id}", change_saved, methods=["PATCH"]),
    Route("/api/evaluations/{id}", delete_saved, methods=["DELETE"]),
    Route("/api/evaluations/{id}/{form}", download),
    Route("/api/comparisons", compare, methods=["POST"]),
    Route("/api/jobs/{id}", see_job),
    Route("/api/jobs/{id}", cancel_job, methods=["DELETE"]),
    Route("/api/trend", see_trend),
    Route("/api/history", export_history),
    Route("/api/history", import_history, methods=["POST"]),
]
