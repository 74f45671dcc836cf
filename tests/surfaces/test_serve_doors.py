"""Deny by default: every route is refused to strangers, to other Hosts, to other Origins; tokens open what they may."""

import asyncio
import json
import os
import re
import socket
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web app needs starlette")

from unconfuse.serve import history_pages, login_routes, question_pages, rest
from unconfuse.serve.middleware import PUBLIC
from unconfuse.serve.openapi import openapi

ROUTES = [*login_routes.ROUTES, *question_pages.ROUTES, *history_pages.ROUTES, *rest.ROUTES]
EACH = sorted({(each.path, method) for each in ROUTES for method in each.methods - {"HEAD"}})
CLOSED = [(path, method) for path, method in EACH if path not in PUBLIC]
HOSTS = (
    "evil.example",
    "127.0.0.1",
    "127.0.0.1:1",
    "localhost.evil.example",
    "[::1]",
    "",
    "127.0.0.1:{port}.evil.example",
)
ORIGINS = ("http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1", "http://localhost:1", "")


def filled(path):
    return re.sub(r"\{(\w+)\}", "0123456789abcdef", path)


def test_every_route_is_known_here():
    assert len(EACH) >= 25 and {path for path, _ in EACH} >= {"/", "/history", "/api/files", "/open", "/login"}
    described = {(path, method.upper()) for path, own in openapi()["paths"].items() for method in own}
    assert described == {(path, method) for path, method in EACH if path.startswith("/api/")}


@pytest.mark.parametrize(("path", "method"), CLOSED)
def test_strangers_are_refused(server, path, method):
    answer = server.stranger(origin=server.origin).request(method, filled(path))
    assert answer.status_code == 401
    assert "evaluation" not in answer.text.lower() or "token" in answer.text


@pytest.mark.parametrize(("path", "method"), EACH)
def test_other_hosts_are_refused(server, client, path, method):
    port = server.origin.rpartition(":")[2]
    for host in HOSTS:
        answer = client.request(method, filled(path), headers={"host": host.format(port=port)})
        assert answer.status_code in (400, 403), host
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(("path", "method"), [each for each in EACH if each[1] != "GET"])
def test_other_origins_are_refused(server, client, path, method):
    port = server.origin.rpartition(":")[2]
    for origin in ORIGINS:
        answer = client.request(method, filled(path), headers={"origin": origin.format(port=port)})
        assert answer.status_code == 403, origin
    for site in ("cross-site", "same-site"):
        assert client.request(method, filled(path), headers={"sec-fetch-site": site}).status_code == 403
    for site in ("cross-site", "same-site", "none"):  # such as of a sandboxed frame
        assert (
            client.request(method, filled(path), headers={"origin": "null", "sec-fetch-site": site}).status_code == 403
        )
    bare = server.stranger()
    bare.cookies.update(server.cookies)
    assert bare.request(method, filled(path)).status_code == 403, "a browser always says where it comes from"


def test_other_sites_cannot_load_anything_into_their_pages(server, client):
    for mode in ("no-cors", "cors"):
        headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": mode}
        assert client.get("/api/evaluations", headers=headers).status_code == 403


def test_every_answer_carries_a_strict_policy(server, client):
    for path, method in EACH:
        for who in (client, server.stranger(origin=server.origin)):
            headers = who.request(method, filled(path)).headers if path != "/logout" else None
            if headers is None:
                continue
            policy = headers["content-security-policy"]
            assert policy.startswith("default-src 'none'") and "unsafe" not in policy and "*" not in policy, path
            assert headers["referrer-policy"] == "no-referrer" and headers["x-content-type-options"] == "nosniff"
            assert "access-control-allow-origin" not in headers


def test_the_link_opens_once_and_is_not_logged(serving, tmp_path):
    server = serving(tmp_path)
    link, stranger = server.link, server.stranger()
    first = stranger.get(link)
    cookie = first.headers["set-cookie"]
    assert first.status_code == 303 and first.headers["location"] == "/" and first.text == ""
    port = server.origin.rpartition(":")[2]
    assert cookie.startswith(f"unconfuse-{port}=") and "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert server.stranger().get(link).status_code == 401
    assert link.partition("once=")[2].encode() not in server.said(), "journals and logs are read by others"
    assert stat.S_IMODE(server.link_file.stat().st_mode) == 0o600
    with sqlite3.connect(server.history) as history:
        kept = b"".join(row[0] for row in history.execute("SELECT hash FROM sessions"))
    assert stranger.cookies[f"unconfuse-{port}"].encode() not in kept and len(kept) == 32
    assert "Max-Age=43200" in cookie, "twelve hours"
    server.stop()
    assert not server.link_file.exists()


def test_a_terminal_shows_the_link(tmp_path):
    pty = pytest.importorskip("pty", reason="terminals are files only on Unix")
    ours, theirs = pty.openpty()
    command = [Path(sys.executable).with_name("unconfuse"), "serve", "--no-browser", "--port", "0"]
    process = subprocess.Popen([*command, "--history", tmp_path / "h.sqlite"], stderr=theirs)
    try:
        said = b""
        while b"once=" not in said:
            said += os.read(ours, 4096)
        assert b"open this link, once: http://127.0.0.1:" in said and not (tmp_path / "h.sqlite.link").exists()
    finally:
        process.kill()
        process.wait(20)
        os.close(ours)
        os.close(theirs)


def test_tokens_read_write_and_end(serving, tmp_path):
    server = serving(tmp_path)
    admin, reading, writing = server.client(), server.token("add", "anna", "--read-only"), server.token("add", "ben")
    done = server.ask(admin, "counts", {"tp": 9, "fp": 1, "fn": 2, "tn": 20})
    path = f"/api/evaluations/{done['evaluation']}"
    anna = server.stranger(authorization=f"Bearer {reading}")
    ben = server.stranger(authorization=f"Bearer {writing}")
    assert anna.get(path).status_code == ben.get(path).status_code == 200
    for method, address, body in (
        ("PATCH", path, {"name": "x"}),
        ("DELETE", path, None),
        ("POST", "/api/evaluations", {}),
    ):
        assert anna.request(method, address, json=body).status_code == 403
    assert ben.patch(path, json={"name": "by ben"}).json()["name"] == "by ben"
    page = server.stranger(origin=server.origin)
    assert page.post("/login", data={"token": reading, "back": "/history"}).headers["location"] == "/history"
    assert page.get("/history").status_code == 200 and page.get("/").status_code == 303
    assert page.post("/login", data={"token": reading, "back": "//evil.example"}).headers["location"] == "/"
    assert "anna\tread only" in server.token("list") and reading not in server.token("list")
    server.token("revoke", "anna")
    assert anna.get(path).status_code == 401 and page.get("/history").status_code == 401
    assert "there is no token named 'anna'" in server.token("revoke", "anna").stderr
    with sqlite3.connect(server.history) as history:
        assert writing not in "\n".join(map(str, history.iterdump()))
    server.stop()


def test_failures_are_told_to_wait_and_right_tokens_come_in(serving, tmp_path):
    """Ten strangers who tried /open?once=x kept everybody out, for as long as they went on."""
    server = serving(tmp_path)
    right, link = server.token("add", "anna"), server.link
    tried = [server.stranger().get("/open?once=x") for _ in range(8)]
    tried += [
        server.stranger(authorization="Bearer wrong").get("/api/trend"),
        server.stranger(origin=server.origin).post("/login", data={"token": "wrong"}),
    ]
    assert [each.status_code for each in tried] == [401] * 10
    further = [
        server.stranger().get("/open?once=x"),
        server.stranger(authorization="Bearer wrong").get("/api/trend"),
        server.stranger(origin=server.origin).post("/login", data={"token": "wrong"}),
    ]
    assert [(each.status_code, each.headers["retry-after"]) for each in further] == [(429, "60")] * 3
    let_in = [
        server.stranger(origin=server.origin).post("/login", data={"token": right}),
        server.stranger(authorization=f"Bearer {right}").get("/api/trend"),
        server.stranger().get(link),
    ]
    assert [each.status_code for each in let_in] == [303, 200, 303]
    server.stop()


def test_all_sessions_and_all_tokens_can_be_ended(serving, tmp_path):
    server = serving(tmp_path)
    right, inside = server.token("add", "anna"), server.client()
    anna = server.stranger(authorization=f"Bearer {right}")
    assert server.token("revoke", "--sessions") == "ended: 0 tokens, 1 sessions and links"
    assert inside.get("/history").status_code == 401 and anna.get("/api/trend").status_code == 200
    page = server.stranger(origin=server.origin)
    assert page.post("/login", data={"token": right}).status_code == 303
    assert server.token("revoke", "--all") == "ended: 1 tokens, 1 sessions and links"
    assert page.get("/history").status_code == 401 and anna.get("/api/trend").status_code == 401
    for wrong in ((), ("anna", "--all"), ("--all", "--sessions")):
        assert "Hint: give one of them" in server.token("revoke", *wrong).stderr
    server.stop()


def test_a_link_that_was_not_opened_can_be_revoked(serving, tmp_path):
    server = serving(tmp_path)
    server.token("revoke", "--all")
    assert server.stranger().get(server.link).status_code == 401
    server.stop()


def test_a_link_from_another_site_leads_through_our_own_page(server):
    answer = server.stranger().get("/history", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"})
    assert answer.status_code == 401 and 'http-equiv="refresh"' in answer.text


def test_websockets_are_refused_whoever_asks(server):
    host, port = server.origin.removeprefix("http://").split(":")
    for named, origin in ((f"{host}:{port}", server.origin), ("evil.example", "http://evil.example")):
        with socket.create_connection((host, int(port)), timeout=10) as raw:
            cookie = "; ".join(f"{name}={value}" for name, value in server.cookies.items())
            lines = ["GET /history HTTP/1.1", f"Host: {named}", "Upgrade: websocket", "Connection: Upgrade"]
            lines += [f"Origin: {origin}", f"Cookie: {cookie}", "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13"]
            raw.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
            assert b" 101 " not in raw.recv(4096).partition(b"\r\n")[0]


def test_the_guard_closes_websockets_itself(tmp_path):
    from unconfuse.serve.middleware import SecurityMiddleware
    from unconfuse.serve.settings import settings_for

    sent = []

    async def talk():
        guard = SecurityMiddleware(None, settings_for(tmp_path / "h", "127.0.0.1", 8765), None)
        scope = {"type": "websocket", "path": "/", "headers": [(b"host", b"127.0.0.1:8765")]}

        async def receive():
            return {"type": "websocket.connect"}

        async def send(message):
            sent.append(message)

        await guard(scope, receive, send)

    asyncio.run(talk())
    assert [each["type"] for each in sent] == ["websocket.close"]


def test_others_are_reached_only_by_name(run, tmp_path):
    refused = run("serve", "--host", "0.0.0.0", "--history", tmp_path / "h.sqlite", "--no-browser")
    assert refused.exit_code == 2 and "--allowed-host" in refused.output
    odd = run("serve", "--allowed-host", "http://a b/", "--history", tmp_path / "h.sqlite", "--no-browser")
    assert odd.exit_code == 2 and "https://stats.example.org" in odd.output


def test_behind_a_proxy_the_public_name_counts(serving, tmp_path):
    server = serving(tmp_path, "--host", "0.0.0.0", "--allowed-host", "https://stats.example.org")
    local = server.link.replace("https://stats.example.org", f"http://127.0.0.1:{_port(server)}")
    server.origin = local.partition("/open")[0]
    stranger = server.stranger(host="stats.example.org")
    opened = stranger.get(local)
    assert opened.status_code == 303 and "Secure" in opened.headers["set-cookie"]
    assert server.stranger().get("/login").status_code == 403, "its own address is no name of it"
    cookie = opened.headers["set-cookie"].partition(";")[0]
    mine = server.stranger(host="stats.example.org", origin="https://stats.example.org", cookie=cookie)
    asked = {"question": "counts", "answers": {"tp": 9, "fp": 1, "fn": 2, "tn": 20}}
    assert mine.post("/api/evaluations", json=asked).status_code == 202
    other = {"origin": "http://stats.example.org"}
    assert mine.post("/api/evaluations", json=asked, headers=other).status_code == 403
    server.stop()


def test_the_cookie_is_secure_whenever_the_browser_speaks_https(serving, tmp_path):
    """The documented set-up listens on this machine alone, by http, and is called by its public name, by https."""
    names = ("https://stats.example.org", "http://both.example.org", "https://both.example.org")
    server = serving(tmp_path, *(word for name in names for word in ("--allowed-host", name)))
    token = server.token("add", "anna")
    host = server.origin.partition("://")[2]
    for headers, is_secure in (
        ({"host": "stats.example.org", "origin": "https://stats.example.org"}, True),
        ({"host": "STATS.example.org", "origin": "https://stats.example.org"}, True),
        ({"host": host, "origin": server.origin}, False),
        ({"host": host, "origin": server.origin, "x-forwarded-proto": "https"}, True),
        ({"host": "both.example.org", "origin": "https://both.example.org"}, True),
        ({"host": "both.example.org", "origin": "http://both.example.org", "x-forwarded-proto": "http"}, False),
        ({"host": "stats.example.org", "origin": "https://stats.example.org", "x-forwarded-proto": "http"}, True),
    ):
        stranger = server.stranger(**headers)
        for answer in (stranger.post("/login", data={"token": token}), _logged_out(stranger, headers, server, token)):
            assert ("Secure" in answer.headers["set-cookie"]) is is_secure, headers
    server.stop()


def _logged_out(stranger, headers, server, token):
    made = stranger.post("/login", data={"token": token}).headers["set-cookie"].partition(";")[0]
    return server.stranger(**headers, cookie=made).post("/logout")


def _port(server):
    """The port that a server listens on, which its public name does not tell."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    links = {f"socket:[{row[9]}]": int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A"}
    for each in Path(f"/proc/{server.process.pid}/fd").iterdir():
        try:
            if str(each.readlink()) in links:
                return links[str(each.readlink())]
        except OSError:
            continue
    raise AssertionError("it does not listen")


def test_it_starts_at_once(serving, tmp_path):
    server = serving(tmp_path)
    spent = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    assert sum(map(int, spent[11:13])) / os.sysconf("SC_CLK_TCK") < 1.5, "seconds of work before it can be used"
    assert server.client().get("/").status_code == 200
    assert server.stop() in (0, 143, -15)


def test_two_servers_on_one_history_are_refused(server, run):
    second = run("serve", "--no-browser", "--port", "0", "--history", server.history)
    assert second.exit_code == 2 and "another server has" in second.output and "--history" in second.output


def test_a_port_in_use_is_a_plain_refusal(server, run, tmp_path):
    port = server.origin.rpartition(":")[2]
    second = run("serve", "--no-browser", "--port", port, "--history", tmp_path / "h.sqlite")
    assert second.exit_code == 2 and f"port {port}" in second.output


def test_bodies_are_limited_by_what_comes_not_by_what_is_said(server, client):
    assert client.post("/api/evaluations", content=b"x" * (3 << 20)).status_code == 413
    parts = (b"x" * (1 << 20) for _ in range(4))
    answer = client.post("/api/evaluations", content=parts, headers={"content-type": "application/json"})
    assert answer.status_code == 413
    for body in (b"{", b"NaN", b'{"question": Infinity}', b"[" * 100_000, b"\xff\xfe", b"1", b"null", b'"x"', b"[]"):
        answer = client.post("/api/evaluations", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 422 and json.loads(answer.text)["error"]["message"]
