"""Too many, too slow, too much at once: whoever does that waits, and everybody else is answered."""

import asyncio
import contextlib
import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web app needs starlette")

from unconfuse.serve.middleware import SecurityMiddleware
from unconfuse.serve.settings import BusyError, ResourceLimits, settings_for
from unconfuse.serve.uploads import Uploads
from unconfuse.serve.worker_pool import JobQueue, WorkerPool

ROWS = b"y,p\n" + b"".join(b"%d,0.%03d\n" % (i % 2, i) for i in range(1, 400))
FORM = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n' + ROWS + b"\r\n--b--\r\n"


def connected(server):
    host, port = server.origin.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=20)


def is_closed(peer, seconds):
    """Whether the other side ends the connection within this time."""
    peer.settimeout(seconds)
    try:
        while peer.recv(4096):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


def uploaded(client, name="a.csv", content=ROWS):
    return client.post("/api/files", files={"file": (name, content)})


def test_half_sent_heads_shut_nobody_out_and_are_closed(server, client):
    """505 of them gave everybody 503, for as long as they stayed."""
    with contextlib.ExitStack() as opened:
        half = []
        for _ in range(505):
            half.append(opened.enter_context(connected(server)))
            half[-1].sendall(b"GET /history HTTP/1.1\r\nHost: ")
        start = time.monotonic()
        for _ in range(3):
            assert server.client().get("/history").status_code == 200
        assert time.monotonic() - start < 3, "at once, not when they have gone"
        drip = half[-1]
        for _ in range(5):  # bytes now and then do not help
            time.sleep(1)
            with contextlib.suppress(OSError):
                drip.sendall(b"x")
        assert all(is_closed(each, 3) for each in half[-5:])


def test_slow_bodies_of_strangers_shut_nobody_out(server, client):
    address = server.origin.removeprefix("http://")
    head = f"POST /login HTTP/1.1\r\nHost: {address}\r\nOrigin: {server.origin}\r\nContent-Length: 1000\r\n\r\ntoken="
    refused = head.replace("/login", "/api/evaluations")
    with contextlib.ExitStack() as opened:
        slow = []
        for number in range(320):
            slow.append(opened.enter_context(connected(server)))
            slow[-1].sendall((head if number % 2 else refused).encode())
        assert server.client().get("/history").status_code == 200
        time.sleep(4)
        with contextlib.suppress(OSError):
            slow[-2].sendall(b"x")
        assert is_closed(slow[-2], 4), "it was refused, and the rest is not awaited for ever"


def test_idle_connections_of_browsers_stay(server, client):
    others = [server.client() for _ in range(50)]
    assert all(each.get("/history").status_code == 200 for each in others)
    peer = connected(server)
    assert all(each.get("/history").status_code == 200 for each in others)
    peer.close()


def guarded(limits, messages, app, tmp_path, path="/login"):
    """What the guard answers to a request whose body comes like this."""
    guard = SecurityMiddleware(app, settings_for(tmp_path / "h", "127.0.0.1", 8765, limits=limits), None)
    headers = [(b"host", b"127.0.0.1:8765"), (b"origin", b"http://127.0.0.1:8765")]
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers, "scheme": "http", "client": None}
    sent = []

    async def receive():
        wait, body, more = next(messages)
        await asyncio.sleep(wait)
        return {"type": "http.request", "body": body, "more_body": more}

    async def send(message):
        sent.append(message)

    return guard, scope, receive, send, sent


async def reading(scope, receive, send):
    """An app that reads its body and says how long it was."""
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message["body"]), message["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


@pytest.mark.parametrize(
    ("messages", "status"),
    [
        ([(0, b"x" * 100, True), (0.1, b"x" * 100, False)], 200),
        ([(0.05, b"x", True)] * 1000, 408),  # each in time, all together never
        ([(0.05, b"x" * 100, True)] * 20 + [(0, b"", False)], 200),  # long, but it keeps coming
        ([(30, b"", False)], 408),
    ],
)
def test_a_body_must_keep_coming(messages, status, tmp_path):
    limits = ResourceLimits(patience=0.3, pace=200)
    guard, *request, sent = guarded(limits, iter(messages), reading, tmp_path)
    start = time.monotonic()
    asyncio.run(asyncio.wait_for(guard(*request), 20))
    assert sent[0]["status"] == status and time.monotonic() - start < 10
    if status == 408:
        assert (b"connection", b"close") in sent[0]["headers"]


def test_too_many_requests_at_once_are_told_when_to_come_again(tmp_path):
    async def many():
        held = asyncio.Event()

        async def waiting(scope, receive, send):
            await held.wait()

        guard, scope, receive, send, sent = guarded(ResourceLimits(requests=3), iter([]), waiting, tmp_path)
        tasks = [asyncio.create_task(guard(dict(scope), receive, send)) for _ in range(3)]
        await asyncio.sleep(0)
        await guard(dict(scope), receive, send)
        held.set()
        await asyncio.gather(*tasks)
        return sent

    sent = asyncio.run(many())
    assert sent[0]["status"] == 503 and dict(sent[0]["headers"])[b"retry-after"] == b"5"


def test_fifty_uploads_at_once_keep_to_the_limit(serving, tmp_path):
    """All of them found room before the first had taken its place."""
    server = serving(tmp_path)
    first, token = server.client(), server.token("add", "anna")
    anna = server.stranger(authorization=f"Bearer {token}")
    held = uploaded(anna).json()["id"]
    places = threading.Barrier(50, timeout=30)

    def send(_):
        client = server.client()
        places.wait()
        return uploaded(client)

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(send, range(50)))
    assert {each.status_code for each in answers} <= {201, 429}
    assert all(int(each.headers["retry-after"]) > 0 for each in answers if each.status_code == 429)
    kept = list(Path(rooms_of(server), "uploads").iterdir())
    assert 2 <= len(kept) <= 20
    assert anna.get(f"/api/files/{held}").status_code == 200, "room is made among one's own"
    for _ in range(25):
        assert uploaded(first).status_code == 201, "one's own oldest goes"
    assert len(list(Path(rooms_of(server), "uploads").iterdir())) == 20
    server.stop()


def rooms_of(server):
    """The folder in which a server keeps files for a while."""
    for each in Path(f"/proc/{server.process.pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            if each.readlink().name == ".held":
                return each.readlink().parent
    raise AssertionError("it keeps no folder")


def test_example_data_and_pointed_files_take_no_room(server, client):
    (server.folder / "root" / "rows.csv").write_bytes(ROWS)
    for body in ({"demo": "patients"}, {"path": "rows.csv"}):
        for _ in range(25):
            assert client.post("/api/files/pointed", json=body).status_code == 201
    assert uploaded(client).status_code == 201
    history = client.get("/api/history").content
    assert client.post("/api/history", files={"file": ("h.gz", history)}).status_code == 201


def test_pointed_files_are_forgotten_one_by_one(tmp_path):
    uploads = Uploads(settings_for(tmp_path / "h", "127.0.0.1", 1, limits=ResourceLimits(pointed=5)), tmp_path)
    (tmp_path / "a.csv").write_bytes(ROWS)
    made = [uploads.add_known("a.csv", tmp_path / "a.csv") for _ in range(9)]
    assert [uploads.get(each.id).id for each in made[4:]] == [each.id for each in made[4:]]
    with pytest.raises(Exception, match="not here any more"):
        uploads.get(made[3].id)
    assert (tmp_path / "a.csv").exists()


def test_files_that_are_read_are_kept(tmp_path):
    settings = settings_for(tmp_path / "h", "127.0.0.1", 1, limits=ResourceLimits(uploads=2))
    uploads = Uploads(settings, tmp_path)

    async def parts():
        yield ROWS

    def add(owner):
        with uploads.room(owner):
            return asyncio.run(uploads.add("a.csv", parts(), owner))

    first, second = add("anna"), add("anna")
    with first.being_read():
        third = add("anna")
        assert first.path.exists() and not second.path.exists() and third.path.exists()
        with pytest.raises(BusyError) as busy, uploads.room("ben"):
            pass
        assert busy.value.seconds > 3000
        with first.being_read(), third.being_read(), pytest.raises(BusyError), uploads.room("anna"):
            pass


def test_a_full_queue_says_when_to_come_again(serving, tmp_path):
    """It was called an error of the request (422)."""
    server = serving(tmp_path)
    client = server.client()
    slow = {"metric": "auroc", "difference": 0.01, "at": 0.8}
    asked = {"question": "plan", "answers": slow}
    answers = [client.post("/api/evaluations", json=asked) for _ in range(40)]
    busy = [each for each in answers if each.status_code == 429]
    assert {each.status_code for each in answers} == {202, 429}, answers[0].text
    assert busy[0].headers["retry-after"] == "10" and "Hint" in busy[0].json()["error"]["message"]
    for each in answers:
        if each.status_code == 202:
            client.delete(f"/api/jobs/{each.json()['id']}")
    server.stop()


def test_looking_does_not_wait_for_jobs(tmp_path):
    async def look():
        children = WorkerPool(ResourceLimits(children=1, lookers=1, looks=1), tmp_path)
        (tmp_path / "a.csv").write_bytes(ROWS)
        task = {"task": "look", "path": str(tmp_path / "a.csv"), "name": "a.csv", "words": {}}
        task |= {"limits": {"unpacked": 1 << 20, "rows": 1000}}
        os.mkfifo(tmp_path / "pipe")  # into which nobody writes
        endless = asyncio.create_task(children.run({**task, "path": str(tmp_path / "pipe")}, 60, lambda _: None))
        try:
            first = asyncio.create_task(children.look(task))
            second = asyncio.create_task(children.look(task))
            await asyncio.sleep(0)
            with pytest.raises(BusyError):
                await children.look(task)
            seen = [await first, await second]
            assert not endless.done()
            return seen
        finally:
            endless.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await endless
            await children.close()

    assert [each["rows"] for each in asyncio.run(look())] == [399, 399]


def test_a_job_too_many_is_busy_not_wrong():
    async def start():
        jobs, held = JobQueue(ResourceLimits(queue=1)), asyncio.Event()

        async def work(_):
            await held.wait()
            return "x"

        jobs.start("a", work)
        with pytest.raises(BusyError):
            jobs.start("b", work)
        await jobs.close()

    asyncio.run(start())


def test_nothing_is_left_of_uploads_after_kill(serving, tmp_path):
    server = serving(tmp_path)
    file = uploaded(server.client()).json()["id"]
    assert file
    rooms = rooms_of(server)
    assert any(ROWS in each.read_bytes() for each in rooms.rglob("*") if each.is_file())
    time.sleep(1.5)  # a child is ready
    server.stop(signal.SIGKILL)
    end = time.monotonic() + 15
    while rooms.exists() and time.monotonic() < end:
        time.sleep(0.1)
    assert not rooms.exists()


def test_what_a_killed_server_left_goes_at_the_next_start(serving, tmp_path):
    """Even at once, and with its children killed before it."""
    server = serving(tmp_path)
    uploaded(server.client())
    rooms = rooms_of(server)
    children = [int(each) for each in child_ids(server.process.pid)]
    os.kill(server.process.pid, signal.SIGSTOP)
    for each in children:
        os.kill(each, signal.SIGKILL)
    server.stop(signal.SIGKILL)
    assert rooms.exists()
    again = serving(tmp_path)
    assert not rooms.exists() and rooms_of(again).exists()
    again.stop()


def child_ids(pid):
    return [each for task in Path(f"/proc/{pid}/task").iterdir() for each in (task / "children").read_text().split()]
