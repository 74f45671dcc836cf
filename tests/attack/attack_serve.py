"""`unconfuse serve` under odd requests: of strangers and of those let in, broken off, several at once.

A server of its own runs as long as the attack. Whatever is sent, it answers with a status below 500 that it means, says
what a browser may do with the answer, lets nobody in who has no right, writes nothing into its log, and goes on.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import importlib.util
import json
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from attack_files import _bent, hostile_csv, mutated
from hostile import FINE, REFUSED, Outcome, WrongError

KIND = "serve"
WORDS = "requests to the web app: odd addresses, headers, bodies, files, answers and histories, of strangers, at once"
PATIENCE = 120
LARGEST = 1 << 20  # bytes that the server takes as a file
ODD = [
    "",
    " ",
    "x",
    "0",
    "-1",
    "0.5",
    "1e999",
    "nan",
    "%",
    "%00",
    "a\0b",
    "..",
    "../..",
    "<b>",
    "'",
    '"',
    "é",
    "📈",
    "\u202e",
]
ODD += [
    "\ud800",
    "p",
    "y",
    "auroc",
    "sensitivity>=.9",
    "x" * 300,
    "x" * 70_000,
    "1" * 5000,
    ",",
    "a=b",
    "\r\nx: y",
    "tab",
    ";",
]
VALUES: list[Any] = [*ODD, None, True, False, 0, 1, -1, 0.5, 7, 10**30, 1e308, -1e308, [], {}, [[]], ["p"], ["p", "q"]]
VALUES += [
    ["\ud800"],
    [None],
    {"a": 1},
    {"p": 0.5},
    {"clinic": [1, 9]},
    {"clinic": [0, 0]},
    ["precision>=.9"],
    "a,b\n1,2\n3,4",
]
METHODS = ["GET", "GET", "GET", "POST", "POST", "PATCH", "DELETE", "PUT", "HEAD", "OPTIONS", "TRACE", "get", "X" * 40]
PLACES = ["/", "/login", "/open", "/logout", "/history", "/trend", "/counts", "/matrix", "/plan", "/files/{}"]
PLACES += [
    "/evaluations/{}",
    "/evaluations/{}/page",
    "/static/{}",
    "/api/openapi.json",
    "/api/files",
    "/api/files/pointed",
]
PLACES += ["/api/files/{}", "/api/evaluations", "/api/evaluations/{}", "/api/evaluations/{}/{}", "/api/comparisons"]
PLACES += ["/api/jobs/{}", "/api/trend", "/api/history", "/api/{}", "/{}", "//", "/static/../app.py", "*", "http://x/"]
ASKED = ["question", "table", "delimiter", "decimal", "search", "tag", "metric", "once", "x"]
KINDS = [
    "application/json",
    "text/plain",
    "multipart/form-data",
    "multipart/form-data; boundary=b",
    "",
    "application/JSON;x",
]
KINDS += ["multipart/form-data; boundary=b; charset=undefined", "multipart/form-data; boundary=b; charset=idna"]
KINDS += [
    f"multipart/form-data; boundary={'b' * 300}",
    "multipart/form-data; boundary=",
    "application/x-www-form-urlencoded",
]
HEADERS = {
    "host": ["evil.example", "", "127.0.0.1", "localhost:1", "[::1]", "é"],
    "origin": ["null", "http://evil.example", "", "https://127.0.0.1", "é"],
    "sec-fetch-site": ["cross-site", "same-site", "none", "same-origin", "x"],
    "sec-fetch-mode": ["navigate", "cors", "no-cors", ""],
    "cookie": ["", "=", "a=b; c", "unconfuse-1=x", "x=\x01", '"', "a=" + "b" * 5000],
    "authorization": ["", "Bearer", "Bearer x", "Basic eDp5", "bearer  é", "Bearer " + "x" * 5000],
    "content-length": ["-1", "x", "1e3", "99999999999999999999999", "0", "+1", "²"],
    "transfer-encoding": ["chunked", "gzip, chunked", "identity"],
    "content-type": KINDS,
    "expect": ["100-continue", "x"],
    "upgrade": ["websocket", "h2c"],
    "range": ["bytes=0-1", "bytes=-", "x"],
    "content-encoding": ["gzip", "x"],
}  # fmt: skip
QUESTIONS = {
    "evaluate": {"label": "y", "score": "p", "n_resamples": 100},
    "compare": {"label": "y", "score": ["p", "q"], "n_resamples": 100},
    "thresholds": {"label": "y", "score": "p", "honest": "none"},
    "resolve": {"label": "y", "score": "p", "metrics": ["auroc", "mcc"]},
    "plan": {"metric": "auroc", "width": 0.1, "at": 0.8},
    "counts": {"tp": 5, "fp": 1, "fn": 2, "tn": 9},
    "matrix": {"matrix": "5,1\n2,9"},
}


def missing() -> str:
    """The web app needs its packages."""
    needed = [name for name in ("starlette", "uvicorn", "python_multipart") if importlib.util.find_spec(name) is None]
    return f"the web app needs {' and '.join(needed)}" if needed else ""


def attack(rng: np.random.Generator) -> Outcome:
    """One request, or a few that belong together."""
    tries = (
        _addressed,
        _addressed,
        _addressed,
        _stranger,
        _broken_off,
        _uploaded,
        _asked,
        _changed,
        _imported,
        _bent_archive,
        _at_once,
    )
    _server().heard = len(_server().said())  # what an input before this one left is not its own
    fine = tries[int(rng.integers(len(tries)))](rng)
    _server().check()
    return FINE if fine else REFUSED


def close() -> None:
    """End the server."""
    if _server.cache_info().currsize:
        _server().stop()
        _server.cache_clear()


@dataclass(frozen=True)
class Answer:
    """What came back; status 0 if the connection was closed instead."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """What it says, as values."""
        return json.loads(self.body)


class Server:
    """The server, what it wrote, and the cookie of somebody who was let in."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="unconfuse-attack-")
        self.folder = Path(self._folder.name)
        (self.folder / "root").mkdir()
        (self.folder / "root" / "rows.csv").write_bytes(ROWS)
        (self.folder / "secret.csv").write_bytes(b"secret\n")
        self._log = (self.folder / "log").open("wb")
        command = [sys.executable, "-m", "unconfuse", "serve", "--no-browser", "--port", "0", "--max-upload-mb", "1"]
        command += ["--history", str(self.folder / "history.sqlite"), "--root", str(self.folder / "root")]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        self.link = Path(self._awaited(rb"opens it, once, is in (.+?) for 15").decode()).read_text().strip()
        self.origin = self.link.partition("/open")[0]
        self.port = int(self.origin.rpartition(":")[2])
        self.heard = len(self.said())
        opened = self.send("GET", "/open?" + self.link.partition("?")[2])
        self.cookie = opened.headers["set-cookie"].partition(";")[0]

    def _awaited(self, pattern: bytes) -> bytes:
        until = time.monotonic() + 60
        while not (found := re.search(pattern, self.said())):
            if self.process.poll() is not None or time.monotonic() > until:
                raise WrongError(f"the server does not start: {self.said()!r}")
            time.sleep(0.05)
        return found[1]

    def said(self) -> bytes:
        """All that it wrote."""
        return (self.folder / "log").read_bytes()

    def check(self) -> None:
        """It goes on, and has complained of nothing but bytes that are no HTTP."""
        said = self.said()[self.heard :].decode("utf-8", "replace")
        told = [line for line in said.splitlines() if "Invalid HTTP request received" not in line]
        _check(self.process.poll() is None, f"the server ended with {self.process.returncode}: {said}")
        _check(not any(map(str.strip, told)), "the server complains:\n" + "\n".join(told[-40:]))
        answer = self.known("GET", "/api/openapi.json")
        _check(answer.status == 200, f"afterwards the server answers {answer}")

    def known(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        """The answer to somebody who was let in."""
        own = {"cookie": self.cookie, "origin": self.origin, "content-type": "application/json"}
        return self.send(method, path, body, **(own | headers))

    def send(self, method: str, path: str, body: bytes = b"", cut: int | None = None, **headers: str) -> Answer:
        """The answer to bytes as they are, or to the first of them; checked for what holds of every answer."""
        sent = {"host": f"127.0.0.1:{self.port}", "content-length": str(len(body)), "connection": "close"} | headers
        lines = [f"{name.replace('_', '-')}: {value}" for name, value in sent.items()]
        head = "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode("utf-8", "replace")
        waits = {"content-length", "transfer-encoding", "upgrade"} & set(headers)  # for what never comes
        answer = self._exchanged((head + body)[:cut], method, 0 if cut is not None else 0.3 if waits else 60)
        told = f"{method} {path[:200]} {headers} {body[:300]!r}: {answer.status} {answer.body[:400]!r}"
        _check(answer.status < 500, told)
        _check(answer.status in (0, 400) or "content-security-policy" in answer.headers, f"{told}\n{answer.headers}")
        _check(b"secret" not in answer.body or b"cookie" in answer.body, f"{told} tells a secret")
        if "json" in answer.headers.get("content-type", "") and answer.status >= 400 and method != "HEAD":
            _check(len(answer.json["error"]["message"]) > 9, f"{told} refuses without words")
        return answer

    def _exchanged(self, content: bytes, method: str, patience: float) -> Answer:
        nothing = Answer(0, {}, b"")
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            with contextlib.suppress(ConnectionError):  # it may have refused before it has heard all
                connection.sendall(content)
            if not patience:
                return nothing
            connection.settimeout(patience)
            answer = HTTPResponse(connection, method=method)
            try:
                answer.begin()
                body = answer.read()
            except (ConnectionError, HTTPException):
                return nothing
            except TimeoutError:
                _check(patience < 1, "the server does not answer")
                return nothing
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, body)

    def stop(self) -> None:
        """End it, and see how it ends."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self._log.close()
        self._folder.cleanup()
        if code not in (0, 128 + signal.SIGTERM, -signal.SIGTERM):
            raise WrongError(f"the server ended with {code}")


ROWS = b"y,p,q,g\n" + b"".join(b"%d,0.%02d,0.%02d,%d\n" % (k % 2, 7 * k % 100, 13 * k % 100, k % 3) for k in range(40))


@functools.cache
def _server() -> Server:
    return Server()


def _check(holds: bool, told: str) -> None:
    if not holds:
        raise WrongError(told)


def _one(rng: np.random.Generator, values: list[Any]) -> Any:
    return values[int(rng.integers(len(values)))]


# --- single requests -----------------------------------------------------------------------------------------------


def _address(rng: np.random.Generator) -> str:
    place, names = _one(rng, PLACES), ("0" * 16, "page", "payload", "table", "app.css")
    while "{}" in place:
        word = _one(rng, [*names, *ODD])
        place = place.replace("{}", word if rng.random() < 0.2 else quote(word, errors="replace", safe=""), 1)
    pairs = [f"{_one(rng, ASKED)}={quote(_one(rng, ODD), errors='replace')}" for _ in range(int(rng.integers(0, 3)))]
    return re.sub(r"[\r\n\0 ]", "+", place + ("?" + "&".join(pairs) if pairs else ""))


def _odd_headers(rng: np.random.Generator, many: int) -> dict[str, str]:
    return {name: _one(rng, HEADERS[name]) for name in rng.choice(list(HEADERS), many, replace=False)}


def _body(rng: np.random.Generator) -> bytes:
    kinds: list[Callable[[], bytes]] = [
        lambda: b"",
        lambda: json.dumps(_one(rng, VALUES)).encode(),
        lambda: json.dumps({_one(rng, ODD): _one(rng, VALUES)}).encode(),
        lambda: b"[" * 100_000,
        lambda: b'{"name": NaN}',
        lambda: b'{"name": "\xed\xa0\x80"}',
        lambda: rng.bytes(200),
        lambda: b"x" * (LARGEST + 10),
        lambda: _form(rng, "rows.csv", ROWS),
    ]
    return kinds[int(rng.integers(len(kinds)))]()


def _addressed(rng: np.random.Generator) -> bool:
    method, path = _one(rng, METHODS), _address(rng)
    answer = _server().known(method, path, _body(rng), **_odd_headers(rng, int(rng.integers(0, 3))))
    if path.startswith("/logout") and method == "POST":
        close()  # whoever asked may have left, whatever follows: another input begins with another server
        return True
    return answer.status < 400


def _stranger(rng: np.random.Generator) -> bool:
    """Nobody is let in without a cookie or a token that is known."""
    headers = _odd_headers(rng, int(rng.integers(0, 4)))
    method, path = _one(rng, METHODS), _address(rng)
    answer = _server().send(method, path, _body(rng), **headers)
    public = path.partition("?")[0] in ("/login", "/open")
    _check(public or answer.status == 0 or answer.status >= 400, f"{method} {path} {headers} of a stranger: {answer}")
    return False


def _broken_off(rng: np.random.Generator) -> bool:
    """The beginning of a request, and nothing more."""
    path = str(rng.choice(["/api/files", "/api/evaluations", "/api/history", "/login", "/api/files/pointed"]))
    body = _form(rng, "rows.csv", ROWS * int(rng.integers(1, 300)))
    server = _server()
    form = {"content-type": "multipart/form-data; boundary=b"} if rng.random() < 0.7 else {}
    cut = int(rng.integers(1, 300 + len(body)))
    own = {"cookie": server.cookie, "origin": server.origin, "content-type": "application/json"}
    server.send("POST", path, body, cut=cut, **(own | form))
    return True


def _at_once(rng: np.random.Generator) -> bool:
    """Several in threads: each has a generator of its own."""
    tries = (_addressed, _stranger, _uploaded, _changed, _broken_off)
    with ThreadPoolExecutor(6) as pool:
        picked = [(tries[int(rng.integers(len(tries)))], each) for each in rng.spawn(6)]
        picked = [(_stranger if each is _addressed else each, own) for each, own in picked]  # which may log out
        return any(list(pool.map(lambda pair: pair[0](pair[1]), picked)))


# --- files, questions, words, histories ----------------------------------------------------------------------------


def _form(rng: np.random.Generator, name: str, content: bytes, field: str = "file") -> bytes:
    named = f'; filename="{name}"' if rng.random() < 0.9 else ""
    more = _one(
        rng, ["", "", "Content-Type: text/csv\r\n", "X: \r\n", "Content-Type\r\n", "Content-Transfer-Encoding: x\r\n"]
    )
    head = f'--b\r\nContent-Disposition: form-data; name="{field}"{named}\r\n{more}\r\n'
    made = head.encode("utf-8", "replace") + content + b"\r\n--b--\r\n"
    return mutated(made, rng) if rng.random() < 0.3 else made


def _sent(rng: np.random.Generator) -> str | None:
    """The id of a file with an odd name and odd content, if it was taken."""
    name = _one(rng, [*ODD, "rows.csv", "rows.csv.gz", "rows.parquet", "rows.json", "../rows.xlsx", "C:\\rows.csv"])
    kinds = (
        lambda: ROWS,
        lambda: mutated(ROWS, rng),
        lambda: hostile_csv(rng),
        lambda: gzip.compress(mutated(ROWS, rng)),
    )
    content = kinds[int(rng.integers(len(kinds)))]()
    field = "file" if rng.random() < 0.95 else str(_one(rng, ["", "x", "é"]))
    kind = "multipart/form-data; boundary=b" if rng.random() < 0.9 else _one(rng, KINDS)
    answer = _server().known("POST", "/api/files", _form(rng, name, content, field), **{"content-type": kind})
    return answer.json["id"] if answer.status == 201 else None


def _uploaded(rng: np.random.Generator) -> bool:
    file = _sent(rng)
    if file is None:
        return False
    server = _server()
    words = f"?{_one(rng, ASKED)}={quote(_one(rng, ODD), errors='replace')}" if rng.random() < 0.3 else ""
    try:
        seen = server.known("GET", f"/api/files/{file}{words}" if rng.random() < 0.5 else f"/files/{file}{words}")
        _sober(seen.body.decode("utf-8", "replace"), f"{seen.status} of {file}{words}")
    finally:
        server.known("DELETE", f"/api/files/{file}")
    return seen.status == 200


def _asked(rng: np.random.Generator) -> bool:
    """A question with one or two odd answers, worked on to its end."""
    question = _one(rng, list(QUESTIONS))
    answers, server = dict(QUESTIONS[question]), _server()
    fields = [*_fields()[question], "x"]
    for name in rng.choice(fields, int(rng.integers(0, 3)), replace=False):
        answers[str(name)] = _one(rng, VALUES)
    body: dict[str, Any] = {"question": question, "answers": answers}
    if question in ("evaluate", "compare", "thresholds", "resolve"):
        pointed = server.known("POST", "/api/files/pointed", b'{"path": "rows.csv"}')
        body["file"] = pointed.json["id"]
    if rng.random() < 0.3:
        body[_one(rng, ["name", "note", "tags", "file", "question", "answers", "x"])] = _one(rng, VALUES)
    job = server.known("POST", "/api/evaluations", json.dumps(body).encode())
    try:
        return job.status == 202 and _ended(job.json, body)
    finally:
        if "file" in body and isinstance(body["file"], str):
            server.known("DELETE", f"/api/files/{quote(body['file'], errors='replace', safe='')}")


@functools.cache
def _fields() -> dict[str, list[str]]:
    from unconfuse.serve import questions

    return {name: [each.name for each in fields] for name, fields in questions.QUESTIONS.items()}


def _ended(job: dict[str, Any], body: Any) -> bool:
    """What came of a job: its pages can be seen, or it failed in words."""
    server, told = _server(), json.dumps(body)[:600]
    until = time.monotonic() + 100
    while job["state"] not in ("done", "failed", "cancelled"):
        _check(time.monotonic() < until, f"{told} does not end: {job}")
        time.sleep(0.02)
        job = server.known("GET", f"/api/jobs/{job['id']}").json
    if job["state"] == "failed":
        _sober(job["error"]["message"], told)
        return False
    _seen(job["evaluation"], told)
    return True


def _sober(said: str, told: str) -> None:
    inside = ("went wrong inside", "ended without an answer", "left no answer", "Traceback")
    _check(not any(each in said for each in inside), f"{told}: {said[-600:]}")


def _seen(evaluation: str, told: str) -> None:
    """Everything of one evaluation can be looked at; then it is forgotten."""
    server = _server()
    places = ["/api/evaluations/{}", "/evaluations/{}", "/evaluations/{}/page", "/api/evaluations/{}/page"]
    places += ["/api/evaluations/{}/payload", "/api/evaluations/{}/table", "/history", "/trend", "/", "/api/trend"]
    try:
        for place in [each.format(evaluation) for each in places]:
            answer = server.known("GET", place)
            _check(answer.status in (200, 404), f"{told}: {place} is answered by {answer.status} {answer.body[:300]!r}")
        _check(gzip.decompress(server.known("GET", "/api/history").body).count(b"\n") > 1, f"{told}: is not exported")
    finally:
        server.known("DELETE", f"/api/evaluations/{evaluation}")


@functools.cache
def _kept() -> bytes:
    """A history of two evaluations, exported."""
    server = _server()
    for question in ("counts", "plan"):
        body = json.dumps({"question": question, "answers": QUESTIONS[question]}).encode()
        job = server.known("POST", "/api/evaluations", body).json
        while job["state"] != "done":
            time.sleep(0.02)
            job = server.known("GET", f"/api/jobs/{job['id']}").json
    exported = server.known("GET", "/api/history").body
    _emptied()
    return gzip.decompress(exported)


def _emptied() -> list[str]:
    found = _server().known("GET", "/api/evaluations").json["evaluations"]
    for each in found:
        _server().known("DELETE", f"/api/evaluations/{each['id']}")
    return [each["id"] for each in found]


def _imported(rng: np.random.Generator) -> bool:
    """An exported history, bent or damaged, and whatever it shows if it is taken."""
    lines, server = _kept().splitlines(), _server()
    bent = [json.loads(line) for line in lines]
    for _ in range(int(rng.integers(0, 3))):
        place = int(rng.integers(len(bent)))
        bent[place] = _bent(bent[place], rng)
    text = b"\n".join(json.dumps(each).encode() for each in bent)
    content = gzip.compress(mutated(text, rng) if rng.random() < 0.2 else text)
    content = mutated(content, rng) if rng.random() < 0.1 else content
    form = {"content-type": "multipart/form-data; boundary=b"}
    answer = server.known("POST", "/api/history", _form(rng, "history.jsonl.gz", content), **form)
    _sober(answer.body.decode("utf-8", "replace"), "a history")
    if answer.status != 201:
        return False
    for each in server.known("GET", "/api/evaluations").json["evaluations"]:
        _seen(each["id"], "a bent history")
    return True


def _bent_archive(rng: np.random.Generator) -> bool:
    """A good archive with one field of one evaluation replaced or missing; every page is there afterwards."""
    head, *lines = [json.loads(line) for line in _kept().splitlines()]
    one = lines[int(rng.integers(len(lines)))]
    name = _one(rng, sorted(one))
    place, key, odd = one, name, _one(rng, [None, 5, -1, True, "x", [], {}, [1], {"a": 1}, 10**400, 1e308, -1e308])
    while isinstance(place[key], dict | list) and place[key] and rng.random() < 0.6:
        place = place[key]
        key = _one(rng, list(place)) if isinstance(place, dict) else int(rng.integers(len(place)))
    if rng.random() < 0.15:
        del place[key]
    else:
        place[key] = odd
    content = gzip.compress(b"\n".join(json.dumps(each).encode() for each in (head, one)))
    form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="h"\r\n\r\n' + content + b"\r\n--b--\r\n"
    kind, server = {"content-type": "multipart/form-data; boundary=b"}, _server()
    answer = server.known("POST", "/api/history", form, **kind)
    told = f"{name} of an archive, {key!r} as {str(odd)[:60]!r}"
    _sober(answer.body.decode("utf-8", "replace"), told)
    if answer.status != 201:
        _check(b"evaluation 1" in answer.body, f"{told} is refused without its place: {answer.body[:300]!r}")
        return False
    for each in server.known("GET", "/api/evaluations").json["evaluations"]:
        _seen(each["id"], told)
    return True


def _changed(rng: np.random.Generator) -> bool:
    """Words on an evaluation that is there, and a search for them."""
    server = _server()
    kept = server.known("GET", "/api/evaluations").json["evaluations"]
    if not kept:
        form = {"content-type": "multipart/form-data; boundary=b"}
        content = b'--b\r\nContent-Disposition: form-data; name="file"; filename="h"\r\n\r\n' + gzip.compress(_kept())
        server.known("POST", "/api/history", content + b"\r\n--b--\r\n", **form)
        kept = server.known("GET", "/api/evaluations").json["evaluations"]
    one = kept[0]["id"] if kept else "0" * 16
    word = _one(rng, ODD)
    body = {_one(rng, ["name", "note", "tags", "x"]): _one(rng, [word, [word], *VALUES])}
    answer = server.known("PATCH", f"/api/evaluations/{one}", json.dumps(body).encode())
    for place in (f"/history?search={quote(word, errors='replace')}", f"/history?tag={quote(word, errors='replace')}"):
        server.known("GET", place)
    server.known("GET", f"/evaluations/{one}")
    return answer.status == 200
