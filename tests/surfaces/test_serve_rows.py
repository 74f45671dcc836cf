"""Rows that cannot be used, cases that are kept, a full temporary disk, and paths that are shown to nobody."""

import asyncio
import errno
import json

import pytest

pytest.importorskip("starlette", reason="the web app needs starlette")

from starlette.requests import Request

import unconfuse as uc
from unconfuse.serve import worker
from unconfuse.serve.questions import NoRoomError
from unconfuse.serve.responses import errors_as_json, errors_as_page
from unconfuse.serve.settings import BusyError, ServerSettings
from unconfuse.serve.uploads import Uploads
from unconfuse.serve.worker_tasks import run

GOOD = [f"{k % 2},0.{37 * k % 100:02d},{k},g{k % 3},1" for k in range(40)]
ODD = ["1,,90,g1,1", ",.5,91,g1,1", "1,abc,92,g1,1", "0,inf,93,g1,1", " ,.4,95,g1,1"]
ANSWERS = {"label": "y", "score": "p", "id": "case", "positive": "1", "keep_cases": True}


def asked(path, **answers):
    limits = {"unpacked": 1 << 30, "rows": 10**7}
    task = {"task": "ask", "question": "evaluate", "path": str(path), "name": "visits.csv", "limits": limits}
    return run(task | {"answers": ANSWERS | answers}, lambda *_: None)


def written(folder, *rows):
    path = folder / "0123abcd.csv"
    path.write_text("\n".join(["y,p,case,g,w", *rows]) + "\n")
    return path


def test_kept_cases_are_those_that_were_evaluated(tmp_path):
    made = asked(written(tmp_path, *GOOD, *ODD), on_bad_row="skip")
    assert made["n"] == len(made["cases"]["label"]) == len(made["cases"]["score"]) == 40
    assert set(made["cases"]["label"]) == {"0", "1"} and made["cases"]["id"] == [str(k) for k in range(40)]
    assert str(tmp_path) not in json.dumps(made)


@pytest.mark.parametrize(
    ("role", "rows"), [("group", ["1,.5,90,,1"]), ("weight", ["1,.5,90,g1,", "1,.5,91,g1,-1", "0,.5,92,g1,inf"])]
)
def test_rows_without_a_group_or_a_weight_are_not_kept_either(tmp_path, role, rows):
    made = asked(written(tmp_path, *GOOD, *rows), on_bad_row="skip", **{role: role[0]})
    assert made["n"] == 40 and made["cases"]["id"] == [str(k) for k in range(40)]


@pytest.mark.parametrize("odd", ODD)
def test_a_refusal_speaks_of_the_file_by_its_own_name(tmp_path, odd):
    with pytest.raises(uc.UnconfuseError) as refused:
        asked(written(tmp_path, *GOOD, odd))
    assert str(tmp_path) not in str(refused.value)


def test_skipped_rows_do_not_stop_a_question_in_the_app(server, client, tmp_path):
    path = written(tmp_path, *GOOD, *ODD)
    file = client.post("/api/files", files={"file": ("visits.csv", path.read_bytes())}).json()["id"]
    job = server.ask(client, "evaluate", ANSWERS | {"on_bad_row": "skip"}, file=file)
    assert job["state"] == "done", job
    assert client.get(f"/api/evaluations/{job['evaluation']}").json()["keeps_cases"]


def test_a_full_temporary_disk_is_answered_by_507_in_words(tmp_path):
    async def parts():
        yield b"x"

    uploads = Uploads(ServerSettings(tmp_path / "h.sqlite"), tmp_path / "missing")
    with pytest.raises(NoRoomError, match=r"temporary files cannot be written: .*\. Hint: free disk space") as refused:
        asyncio.run(uploads.add("a.csv", parts()))
    assert str(tmp_path) not in str(refused.value)

    @errors_as_json
    async def full(_):
        raise NoRoomError(OSError(errno.ENOSPC, "No space left on device"))

    assert asyncio.run(full(None)).status_code == 507


def test_pages_tell_people_in_pages_what_programs_are_told_in_json(server, client):
    refusals = {
        "/evaluations/0123456789abcdef": (404, "there is no such evaluation."),
        "/evaluations/0123456789abcdef/page": (404, "there is no such evaluation."),
        "/files/0123456789abcdef?question=odd": (404, "there is no such question."),
        "/history?offset=x": (422, "must be a whole number"),
        "/trend?metric=odd": (422, "no evaluation has a metric named &#x27;odd&#x27;."),
        "/counts?odd=1": (422, "this address takes nothing"),
    }
    for path, (status, words) in refusals.items():
        answer = client.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8"), path
        assert words in answer.text and 'role="alert"' in answer.text and "Begin again" in answer.text, answer.text

    def failing(error):
        @errors_as_page
        async def page(_):
            raise error

        scope = {"type": "http", "path": "/", "headers": [], "query_string": b"", "server": ("x", 80), "scheme": "http"}
        return asyncio.run(page(Request(scope)))

    assert failing(NoRoomError(OSError(errno.ENOSPC, "No space left on device"))).status_code == 507
    busy = failing(BusyError("too many files are kept here.", 7))
    assert (busy.status_code, busy.headers["retry-after"]) == (429, "7")


def test_a_child_says_that_the_disk_is_full_and_no_paths(tmp_path):
    task = {"folder": str(tmp_path), "path": f"{tmp_path}/0123.csv", "name": "visits.csv"}

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", f"{tmp_path}/answer.json")

    def broken(*_):
        raise RuntimeError(f"cannot open {tmp_path}/0123.csv in {tmp_path}")

    assert worker._answer(full, task, None) == {"no_room": "No space left on device"}
    said = worker._answer(broken, task, None)["failed"]
    assert "cannot open visits.csv" in said and str(tmp_path) not in said
