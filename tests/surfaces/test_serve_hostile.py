"""Hostile files, names and paths: refused in words, in a child process, while the server goes on."""

import gzip
import io
import json
import os
import struct
import time
import zipfile
import zlib
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web app needs starlette")

import unconfuse as uc
from unconfuse.serve import worker_tasks
from unconfuse.serve.folder_access import by_descriptor
from unconfuse.serve.settings import MEGABYTE, ResourceLimits, settings_for
from unconfuse.serve.uploads import Uploads, ending_of, plain_name

LIMITS = {"unpacked": ResourceLimits().unpacked, "rows": ResourceLimits().rows}
NAMES = (
    "../../etc/passwd",
    "..\\..\\boot.ini",
    "/etc/shadow",
    "a\x00b.csv",
    "x" * 5000,
    "",
    ".",
    "..",
    "con",
    "<script>.csv",
)
TRAVERSALS = [f"{'../' * n}etc/passwd" for n in range(1, 9)] + [f"sub/{'../' * n}secret.csv" for n in range(2, 6)]
TRAVERSALS += [
    "/etc/passwd",
    "/",
    "//etc/passwd",
    "/proc/self/environ",
    "/dev/zero",
    "/dev/stdin",
    "~/secret.csv",
    "~root/x",
    "..",
    ".",
    "../",
    "./..",
    "./../secret.csv",
    "sub/../../secret.csv",
    "sub/./../../secret.csv",
    "sub//..//..//secret.csv",
    "..\\secret.csv",
    "..\\..\\windows",
    "sub\\..\\..\\secret.csv",
    "C:\\secret.csv",
    "\\\\host\\share",
    "file:///etc/passwd",
    "http://127.0.0.1/x.csv",
    "s3://bucket/x",
    "sqlite:///secret.db",
    "postgresql://u@h/d",
    "data://x",
    "*.csv",
    "sub/*.csv",
    "s?b/data.csv",
    "[s]ub/data.csv",
    "{sub,x}/data.csv",
    "**/*.csv",
    "-",
    "-x",
    "%2e%2e/secret.csv",
    "..%2fsecret.csv",
    "%2e%2e%2fsecret.csv",
    "link.csv",
    "folder/secret.csv",
    "chain.csv",
    "sub",
    "pipe",
    "..;/secret.csv",
    "．．/secret.csv",
    "nothing.csv",
]
TRAVERSALS += ["data.csv\0.txt", "\0", "data.csv\n", "", "   ", "x" * 5000]


def zipped(**members):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in members.items():
            file.writestr(name.replace("__", "/").replace("_xml", ".xml"), text)
    return made.getvalue()


def lying_workbook():
    """A spreadsheet that says that it unpacks to 3 GB."""
    made = bytearray(zipped(xl__workbook_xml="<workbook/>", xl__worksheets__sheet1_xml="0" * 100_000))
    start = made.rfind(b"PK\x01\x02")
    made[start + 24 : start + 28] = struct.pack("<I", 3 << 30)
    return bytes(made)


def gzip_bomb(times):
    """Members of 100 MB, each packed to 0.1 MB."""
    packer = zlib.compressobj(9, wbits=31)
    member = b"".join([*(packer.compress(b"0" * MEGABYTE) for _ in range(100)), packer.flush()])
    return member * times


def parquet_of(folder, rows):
    import duckdb

    path = folder / "rows.parquet"
    duckdb.sql(f"COPY (SELECT 1 AS y, 0.5 AS p FROM range({rows})) TO '{path}' (FORMAT parquet)")
    return path.read_bytes()


def good_csv():
    return b"y,p\n" + b"".join(b"%d,0.%d\n" % (i % 2, i) for i in range(1, 60))


FILES = {
    "empty.csv": b"",
    "blank.csv": b"\n\n\n",
    "header.csv": b"y,p\n",
    "zeros.csv": b"\0" * 5000,
    "utf16.csv": "y,p\n1,0.5\n".encode("utf-16"),
    "twice.csv": b"y,y,p\n1,0,.5\n",
    "quote.csv": b'y,p\n1,"0.5\n0,0.1\n' * 50,
    "ragged.csv": b"y,p\n1,.5\n0\n1,2,3,4\n",
    "wide.csv": b",".join(b"c%d" % i for i in range(5000)) + b"\n" + b",".join([b"1"] * 5000) + b"\n",
    "long.csv": b"y,p\n1," + b"9" * (40 << 20) + b"\n",
    "program.csv": b"\x7fELF\x02\x01\x01\0" + b"\0" * 500,
    "pickle.csv": b"\x80\x04\x95\0\0\0\0\0\0\0\0\x8c\x05posix\x8c\x06system\x93.",
    "deep.json": b"[" * 200_000,
    "nested.json": b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
    "odd.json": b'[{"y": 1}, 7, "x"]',
    "cut.parquet": b"PAR1" + b"\x15\x04" * 200,
    "ends.parquet": b"PAR1" + b"\0" * 200 + struct.pack("<I", 0xFFFFFFF0) + b"PAR1",
    "text.parquet": b"y,p\n1,0.5\n",
    "cut.csv.gz": gzip.compress(good_csv())[:-12],
    "bomb.csv.gz": None,
    "zstd.csv": b"\x28\xb5\x2f\xfd" + b"\0" * 100,
    "archive.xlsx": zipped(hello_xml="<a/>"),
    "broken.xlsx": b"PK\x03\x04" + b"\0" * 300,
    "lying.xlsx": lying_workbook(),
    "laughs.xlsx": zipped(
        xl__workbook_xml='<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;&b;&b;">]><workbook>&c;</workbook>'
    ),
    "rows.parquet": None,
}


@pytest.mark.parametrize("name", FILES)
def test_hostile_files_are_refused_in_words(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = {"bomb.csv.gz": lambda: gzip_bomb(12), "rows.parquet": lambda: parquet_of(tmp_path, 400_000)}
    path = tmp_path / f"upload{ending_of(name)}"
    path.write_bytes(made[name]() if FILES[name] is None else FILES[name])
    limits = LIMITS | {"rows": 300_000}
    start = time.process_time()
    with pytest.raises(uc.UnconfuseError) as refused:
        worker_tasks.run(
            {"task": "look", "path": str(path), "name": name, "words": {}, "limits": limits}, lambda *_: None
        )
    assert name in str(refused.value) and str(tmp_path) not in str(refused.value)
    assert time.process_time() - start < 10


def test_what_packs_like_rows_is_limited_by_its_size(tmp_path):
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(os.urandom(MEGABYTE).hex().encode()))
    worker_tasks.check_size(str(path), "rows.csv.gz", LIMITS)
    with pytest.raises(uc.UnconfuseError, match="more than 1 MB"):
        worker_tasks.check_size(str(path), "rows.csv.gz", LIMITS | {"unpacked": MEGABYTE})


def test_every_name_of_a_hostile_kind_is_harmless():
    for name in NAMES:
        shown = plain_name(name)
        assert shown and not set(shown) & set("/\\\0") and shown not in (".", "..") and len(shown) <= 200
        assert ending_of(shown) in ("", ".csv")


def test_fifty_ways_out_of_the_root_are_refused(tmp_path):
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "data.csv").write_bytes(good_csv())
    (tmp_path / "secret.csv").write_bytes(good_csv())
    (root / "link.csv").symlink_to(tmp_path / "secret.csv")
    (root / "chain.csv").symlink_to(root / "link.csv")
    (root / "folder").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    uploads = Uploads(settings_for(tmp_path / "h", "127.0.0.1", 1, root=root), tmp_path)
    assert uploads.point("sub/data.csv").path == root.resolve() / "sub" / "data.csv"
    assert uploads.point("sub/../sub/data.csv").name == "sub/data.csv"
    assert len(set(TRAVERSALS)) >= 50
    for each in TRAVERSALS:
        with pytest.raises(uc.UnconfuseError) as refused:
            uploads.point(each)
        assert refused.value.field == "path" and str(tmp_path) not in str(refused.value), each


SWAPS = {
    "the file": lambda root, secret: ((root / "a" / "data.csv").unlink(), (root / "a" / "data.csv").symlink_to(secret)),
    "its folder": lambda root, secret: ((root / "a").rename(root / "b"), (root / "a").symlink_to(secret.parent)),
    "a link inside": lambda root, _: (
        (root / "a" / "data.csv").rename(root / "other.csv"),
        (root / "a" / "data.csv").symlink_to(root / "other.csv"),
    ),
    "nothing": lambda root, _: (root / "a" / "data.csv").unlink(),
    "a pipe": lambda root, _: ((root / "a" / "data.csv").unlink(), os.mkfifo(root / "a" / "data.csv")),
}


@pytest.mark.parametrize("swap", SWAPS)
def test_a_link_in_place_of_a_file_that_was_named_leads_nowhere(swap, server, client):
    """The path was checked when it was named, and followed when it was read."""
    place, outside = server.folder / "root" / swap, server.folder / "outside" / swap
    for folder in (place / "a", outside):
        folder.mkdir(parents=True)
    (place / "a" / "data.csv").write_bytes(good_csv())
    (outside / "data.csv").write_bytes(b"secret,p\n" + good_csv().partition(b"\n")[2])
    named = client.post("/api/files/pointed", json={"path": f"{swap}/a/data.csv"}).json()["id"]
    SWAPS[swap](place, outside / "data.csv")
    for query in ("", "?delimiter=,"):
        seen = client.get(f"/api/files/{named}{query}")
        assert seen.status_code == 422 and "secret" not in seen.text and str(server.folder) not in seen.text
        assert "not below the folder" in seen.json()["error"]["message"]
    job = server.ask(client, "evaluate", {"label": "secret", "score": "p", "positive": "1"}, file=named)
    assert job["state"] == "failed" and "not below the folder" in job["error"]["message"]


def test_a_link_put_in_place_while_a_file_is_read_changes_nothing(tmp_path, monkeypatch):
    root, secret, work = tmp_path / "root", tmp_path / "secret.csv", tmp_path / "work"
    for folder in (root / "site=a", work):
        folder.mkdir(parents=True)
    monkeypatch.chdir(work)
    (root / "site=a" / "data.csv").write_bytes(good_csv())
    secret.write_bytes(b"secret\n1\n")
    task = {"root": str(root), "path": str(root / "site=a" / "data.csv"), "name": "site=a/data.csv"}
    before = len(list(Path("/proc/self/fd").iterdir()))
    with by_descriptor(task) as opened:
        (root / "site=a" / "data.csv").unlink()
        (root / "site=a" / "data.csv").symlink_to(secret)
        assert Path(opened["path"]).read_bytes() == good_csv() and opened["path"].endswith("/site=a/data.csv")
        seen = worker_tasks.look({**opened, "words": {}, "limits": LIMITS}, lambda *_: None)
    assert [each["name"] for each in seen["columns"]] == ["y", "p", "site"] and seen["rows"] == 59
    assert len(list(Path("/proc/self/fd").iterdir())) == before, "every descriptor is closed"


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet", "data.jsonl", "data.xlsx"])
def test_pointed_files_of_every_format_are_read(name, server, client, data_files):
    place = server.folder / "root" / name
    if name == "data.xlsx":
        pytest.importorskip("openpyxl")
        import pandas as pd

        pd.read_csv(data_files["data.csv"]).to_excel(place, index=False)
    else:
        place.write_bytes(data_files[name].read_bytes())
    (server.folder / "root" / f"inside-{name}").symlink_to(place)
    for path in (name, f"inside-{name}"):
        file = client.post("/api/files/pointed", json={"path": path}).json()
        assert file["name"] == name and file["size"] == place.stat().st_size
        assert client.get(f"/api/files/{file['id']}").json()["rows"] == 300
    job = server.ask(client, "evaluate", {"label": "y", "score": "p", "positive": "ill"}, file=file["id"])
    assert job["state"] == "done", job


def test_looking_at_a_file_changes_nothing_for_others(server, client):
    """Somebody who may only read chose another delimiter, and the owner saw one column from then on."""
    file = sent(client, "mine.csv", good_csv())
    reader = server.stranger(authorization=f"Bearer {server.token('add', 'reader', '--read-only')}")
    before = client.get(f"/api/files/{file}").json()
    for query in ("?delimiter=|", "?decimal=,&delimiter=|", *(f"?delimiter={each}" for each in "~^@;:_x")):
        other = reader.get(f"/api/files/{file}{query}")
        assert other.status_code == 422 or len(other.json()["columns"]) < 2 or other.json() != before
        assert client.get(f"/api/files/{file}").json() == before, query
    page = client.get(f"/files/{file}?delimiter=,&question=compare").text
    assert f"/files/{file}?question=thresholds&amp;delimiter=%2C" in page, "the next question reads it in the same way"


def test_addresses_lead_out_of_nothing(client):
    for each in ("../../etc/passwd", "..%2f..%2fetc%2fpasswd", "app.css/../../store.py", "%2e%2e/store.py", "store.py"):
        assert client.get(f"/static/{each}").status_code == 404
    for each in ("' OR 1=1 --", "%00", "..", "0123456789abcdeg", "0" * 4000):
        assert client.get(f"/api/evaluations/{each}").status_code == 404


def sent(client, name, content):
    answer = client.post("/api/files", files={"file": (name, content)})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def memory_of(server):
    lines = Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) >> 10


def test_a_bomb_is_refused_soon_and_the_server_stays_small(server, client, patience):
    bomb = gzip_bomb(100)
    assert len(bomb) < 12 * MEGABYTE, "ten gigabytes, packed"
    client.get("/api/files/" + sent(client, "warm.csv", good_csv()))  # so that a child is ready
    start = time.monotonic()
    answer = client.get("/api/files/" + sent(client, "bomb.csv.gz", bomb))
    assert answer.status_code == 422 and "unpacks to more than" in answer.json()["error"]["message"]
    assert time.monotonic() - start < 10 * patience() and memory_of(server) < 500
    assert client.get("/files/" + sent(client, "bomb.csv.gz", bomb)).status_code == 422


def test_what_is_too_large_is_refused_before_it_is_kept(server, client):
    answer = client.post("/api/files", files={"file": ("large.csv", b"x" * (21 * MEGABYTE))})
    assert answer.status_code == 413 and "20 MB" in answer.json()["error"]["message"]
    for content in (b"", b"--x\r\n\r\n", b"--x--", os.urandom(1000)):
        headers = {"content-type": "multipart/form-data; boundary=x"}
        assert client.post("/api/files", content=content, headers=headers).status_code == 422
    assert client.post("/api/files", files={"other": ("a.csv", b"x")}).status_code == 422
    assert client.post("/api/files", files=[("file", ("a", b"x")), ("file", ("b", b"x"))]).status_code == 422


def test_a_crashed_child_is_one_error_on_one_page(server, client):
    """Its memory runs out while it works: the next file is read as if nothing had happened."""
    import asyncio

    from unconfuse.serve.worker_pool import WorkerCrashedError, WorkerPool

    async def crash(folder):
        children = WorkerPool(ResourceLimits(memory=96 * MEGABYTE), folder)
        try:
            await children.run({"task": "look"}, 30, lambda _: None)
        finally:
            await children.close()

    folder = server.folder / "crash"
    folder.mkdir()
    with pytest.raises((WorkerCrashedError, uc.UnconfuseError)):
        asyncio.run(crash(folder))
    assert client.get("/api/files/" + sent(client, "good.csv", good_csv())).json()["rows"] == 59


def test_a_child_that_takes_too_long_is_stopped(tmp_path):
    import asyncio

    from unconfuse.serve.worker_pool import WorkerPool

    async def slow():
        children = WorkerPool(ResourceLimits(), tmp_path)
        try:
            task = {"task": "look", "path": "/dev/zero", "name": "x", "words": {}, "limits": LIMITS}
            await children.run(task, 0.2, lambda _: None)
        finally:
            await children.close()

    with pytest.raises(uc.UnconfuseError, match=r"more than the 0\.2 seconds"):
        asyncio.run(slow())
    assert list(tmp_path.iterdir()) == [], "its folder goes with it"


def test_the_engine_reads_the_file_and_nothing_else(tmp_path):
    from unconfuse.ingest._duckdb_engine import Engine
    from unconfuse.ingest._file_discovery import sniff

    for name in ("mine.csv", "other.csv"):
        (tmp_path / name).write_bytes(good_csv())
    mine, other = tmp_path / "mine.csv", tmp_path / "other.csv"
    with Engine([sniff(str(mine), "mine")]) as engine:
        assert engine.fetch(f"SELECT count(*) FROM read_csv('{mine}')") == [(59,)]
        for query in (
            f"SELECT * FROM read_csv('{other}')",
            f"SELECT * FROM glob('{tmp_path}/*')",
            "SELECT * FROM read_csv('http://127.0.0.1:1/x.csv')",
            f"COPY (SELECT 1) TO '{tmp_path}/written.csv'",
            f"ATTACH '{tmp_path}/x.db'",
            "INSTALL httpfs",
            "LOAD httpfs",
            "SET enable_external_access = true",
            "SET memory_limit = '1TB'",
        ):
            with pytest.raises(engine.failure):
                engine.fetch(query)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["mine.csv", "other.csv"]


def test_what_is_broken_off_or_no_http_is_nobodys_error(server, client):
    """Each was a traceback in the log, or a 500."""
    import socket

    address, before = server.origin.partition("://")[2], len(server.said())
    cookie = "; ".join(f"{name}={value}" for name, value in server.cookies.items())
    own = f"Host: {address}\r\nCookie: {cookie}\r\nOrigin: {server.origin}\r\n"
    form = "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9999\r\n\r\n"
    part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\ny,p\n'
    for content in (
        f"POST /login HTTP/1.1\r\n{own}Content-Length: 50\r\n\r\ntoken=",
        f"POST /api/files HTTP/1.1\r\n{own}{form}{part}",
        f"GET /history HTTP/1.1\r\n{own}Connection: close\r\n\r\nno request",
        f"POST /api/files HTTP/1.1\r\n{own}Transfer-Encoding: chunked\r\n\r\nno length\r\n",
        f"HEAD /history HTTP/1.1\r\n{own}Transfer-Encoding: chunked\r\n\r\n{'1' * 100_000}",
    ):
        with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=10) as peer:
            peer.sendall(content.encode())
            time.sleep(0.2)
    headers = {"content-type": "multipart/form-data; boundary=b"}
    for body in (b'--b\r\nContent-Disposition: form-data; name="x"; filename="a"\r\n\r\n1', b"--b\r\nX: \r\ry\r\n"):
        assert client.post("/api/files", content=body, headers=headers).status_code == 422
    time.sleep(0.3)
    said = server.said()[before:].replace(b"WARNING:  Invalid HTTP request received.\n", b"")
    assert said == b"" and client.get("/history").status_code == 200


def test_half_letters_odd_encodings_and_damaged_histories_are_refused_in_words(server, client):
    job = server.ask(client, "counts", {"tp": 5, "fp": 1, "fn": 2, "tn": 9})
    for body in (b'{"name": "\\ud800"}', b'{"note": "\xed\xa0\x80"}', b'{"tags": ["\\udc00"]}', b'{"\\ud83d": 1}'):
        sent_as = {"content-type": "application/json"}
        answer = client.patch(f"/api/evaluations/{job['evaluation']}", content=body, headers=sent_as)
        assert answer.status_code == 422 and "not JSON" in answer.json()["error"]["message"]
    named = client.patch(f"/api/evaluations/{job['evaluation']}", json={"name": "\U0001f4c8 whole"})
    assert named.json()["name"] == "\U0001f4c8 whole"
    odd = {"content-type": "multipart/form-data; boundary=b; charset=undefined"}
    body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\ny\r\n--b--\r\n'
    assert client.post("/api/files", content=body, headers=odd).status_code == 422
    damaged = bytearray(client.get("/api/history").content)
    damaged[60:70] = bytes(10)
    answer = client.post("/api/history", files={"file": ("history.jsonl.gz", bytes(damaged))})
    assert answer.status_code == 422 and "damaged" in answer.json()["error"]["message"]
    head, line, *_ = gzip.decompress(client.get("/api/history").content).splitlines()
    for size in (10**400, 1 << 64, -1, True):
        bent = gzip.compress(b"\n".join([head, json.dumps(json.loads(line) | {"n": size, "name": "bent"}).encode()]))
        answer = client.post("/api/history", files={"file": ("history.jsonl.gz", bent)})
        assert answer.status_code == 422 and "evaluation 1.n must be" in answer.json()["error"]["message"]


def test_names_in_files_are_text_everywhere(server, client):
    evil = "<img src=x onerror=alert(1)>"
    content = f'"{evil}",p\n' + "".join(f'"{evil if i % 2 else "no"}",0.{i:03d}\n' for i in range(60))
    file = sent(client, f"{evil}.csv", content.encode())
    page = client.get(f"/files/{file}").text
    assert "<img" not in page and "&lt;img" in page and "\\u003cimg" in page
    asked = {"label": evil, "score": "p", "positive": evil}
    job = server.ask(client, "evaluate", asked, file=file, name=evil, tags=[evil[:40]], note=evil)
    assert job["state"] == "done", job
    for path in (f"/evaluations/{job['evaluation']}", "/history", "/trend", "/"):
        assert "<img" not in client.get(path).text, path
    assert "<img" not in json.dumps(client.get(f"/evaluations/{job['evaluation']}/page").text.partition("<script")[0])
