"""The history survives: kill -9 while it is written, a hundred at once, a full disk, older and newer files."""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import unconfuse as uc
from unconfuse.serve.auth import FAILURES, Authenticator, add_token, revoke_token
from unconfuse.serve.store import STEPS, HistoryStore, SavedEvaluation, StoreError, migrate

WRITER = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from unconfuse.serve.store import HistoryStore, SavedEvaluation
    store = HistoryStore(Path(sys.argv[1]))
    for number in range(10**6):
        payload = {"text": str(number) * 20_000}
        made = store.save(SavedEvaluation(str(number), "counts", {}, {}, payload=payload))
        print(made, number, flush=True)
    """
)


def saved(name="one", **more):
    return SavedEvaluation(name, "counts", {"answers": {}}, {"table": []}, **more)


def test_what_was_saved_comes_back_whole(tmp_path):
    store = HistoryStore(tmp_path / "h.sqlite")
    made = store.save(
        saved(payload={"a": [1, 2.5, None, "ü"]}, tags=["x", "y", "x"], summary={"auroc": {"value": 0.5}})
    )
    found = store.get(made)
    assert found["payload"] == {"a": [1, 2.5, None, "ü"]} and found["tags"] == ["x", "y"]
    assert store.search("ONE")[0]["id"] == made and store.search("two") == [] and store.tags() == ["x", "y"]
    assert store.change(made, name="two") and store.search("two") and not store.change("nothing", name="x")
    assert store.delete(made) and store.get(made) is None and not store.delete(made)
    assert (tmp_path / "h.sqlite").stat().st_mode & 0o077 == 0, "for its owner alone"
    store.close()


def test_kill_9_while_it_is_written_loses_nothing_that_was_saved(tmp_path, times=3):
    path = tmp_path / "h.sqlite"
    known = {}
    for turn in range(times):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        lines = [writer.stdout.readline() for _ in range(3 + turn)]
        time.sleep(0.007 * turn)
        os.kill(writer.pid, signal.SIGKILL)
        lines += writer.stdout.read().splitlines()
        writer.stdout.close()
        assert writer.wait() == -signal.SIGKILL
        known |= dict(line.split() for line in lines if len(line.split()) == 2)
        assert rows_of_a_copy(path, tmp_path) >= len(known), "the file holds them without the log beside it"
        store = HistoryStore(path)
        assert store.reading("PRAGMA integrity_check")[0][0] == "ok"
        for identity, number in known.items():
            assert store.get(identity)["payload"] == {"text": number * 20_000}
        store.close()
    assert len(known) >= 3 * times


def test_a_hundred_at_once_are_all_saved(tmp_path):
    store = HistoryStore(tmp_path / "h.sqlite")
    made = []

    def write(number):
        made.append(store.save(saved(f"number {number}", payload={"n": number})))
        assert store.search(f"number {number}")

    threads = [threading.Thread(target=write, args=[number]) for number in range(100)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(set(made)) == 100 and {store.get(each)["payload"]["n"] for each in made} == set(range(100))
    store.close()


def test_a_hundred_requests_at_once_are_all_saved(server):
    pytest.importorskip("httpx")
    before = len(server.client().get("/api/evaluations").json()["evaluations"])
    made = server.ask(server.client(), "counts", {"tp": 9, "fp": 1, "fn": 2, "tn": 20})["evaluation"]
    clients = [server.client() for _ in range(10)]
    answers = []

    def change(client, k):
        for n in range(10):
            answers.append(client.patch(f"/api/evaluations/{made}", json={"tags": [f"{k} {n}"]}).status_code)

    threads = [threading.Thread(target=change, args=(each, k)) for k, each in enumerate(clients)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert answers == [200] * 100
    assert len(server.client().get("/api/evaluations").json()["evaluations"]) == before + 1


def rows_of_a_copy(path, folder):
    """How many evaluations the main file holds by itself."""
    copy = folder / f"copy-{path.name}"
    shutil.copyfile(path, copy)
    with contextlib.closing(sqlite3.connect(copy)) as opened:
        return opened.execute("SELECT count(*) FROM evaluations").fetchone()[0]


def test_a_closed_history_is_one_file(tmp_path):
    path = tmp_path / "h.sqlite"
    store = HistoryStore(path)
    for number in range(30):
        store.save(saved(f"number {number}"))
    readers = [threading.Thread(target=store.search) for _ in range(5)]
    for each in readers:
        each.start()
    for each in readers:
        each.join()
    store.close()
    assert rows_of_a_copy(path, tmp_path) == 30
    assert not path.with_name("h.sqlite-wal").exists(), "nothing is left beside it"
    store.close()


def test_a_reader_elsewhere_does_not_keep_rows_out_of_the_file(tmp_path):
    path = tmp_path / "h.sqlite"
    store = HistoryStore(path)
    beside = HistoryStore(path, exclusive=False)
    beside.search()
    store.save(saved())
    assert rows_of_a_copy(path, tmp_path) == 1
    store.close()
    assert rows_of_a_copy(path, tmp_path) == 1
    beside.close()


def test_a_reader_that_takes_long_holds_up_the_copy_and_not_those_who_save(tmp_path):
    path = tmp_path / "h.sqlite"
    store = HistoryStore(path)
    store.save(saved("first"))
    with contextlib.closing(sqlite3.connect(path)) as elsewhere:
        rows = elsewhere.execute("SELECT id FROM evaluations UNION SELECT 'x'")
        rows.fetchone()
        start = time.monotonic()
        store.save(saved("second"))
        assert time.monotonic() - start < 5 and store.count() == 2
        rows.close()
    store.save(saved("third"))
    assert rows_of_a_copy(path, tmp_path) == 3
    store.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_copy_of_a_stopped_servers_history_is_whole(serving, tmp_path, number):
    server = serving(tmp_path)
    client = server.client()
    for _ in range(3):
        assert server.ask(client, "counts", {"tp": 9, "fp": 1, "fn": 2, "tn": 20})["state"] == "done"
    assert client.get("/history").status_code == 200 and client.get("/trend").status_code == 200
    server.stop(number)
    assert rows_of_a_copy(server.history, tmp_path) == 3
    assert not server.history.with_name(f"{server.history.name}-wal").exists()


def test_commands_about_tokens_leave_one_file(tmp_path, shell):
    path = tmp_path / "h.sqlite"
    for command in (["add", "anna"], ["list"], ["revoke", "anna"]):
        assert shell("serve", "--history", path, "token", *command).returncode == 0
    assert not path.with_name("h.sqlite-wal").exists() and rows_of_a_copy(path, tmp_path) == 0


def test_a_full_disk_is_a_plain_refusal_and_loses_nothing(tmp_path):
    store = HistoryStore(tmp_path / "h.sqlite")
    kept = store.save(saved("kept", payload={"n": 1}))
    pages = store._writer.execute("PRAGMA page_count").fetchone()[0]
    store._writer.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match=r"full\. Hint: free disk space"):
        store.save(saved("large", payload={"noise": os.urandom(200_000).hex()}))
    store._writer.execute("PRAGMA max_page_count = 1000000")
    assert store.get(kept)["payload"] == {"n": 1} and [each["name"] for each in store.search()] == ["kept"]
    assert store.save(saved("after")) and store.reading("PRAGMA integrity_check")[0][0] == "ok"
    store.close()


def test_a_file_that_is_no_history_is_a_plain_refusal(tmp_path):
    (tmp_path / "h.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match="cannot be used"):
        HistoryStore(tmp_path / "h.sqlite")
    (tmp_path / "folder").write_text("")
    with pytest.raises(StoreError):
        HistoryStore(tmp_path / "folder" / "h.sqlite")


def test_older_files_take_the_missing_steps_and_newer_ones_are_refused(tmp_path):
    path = tmp_path / "h.sqlite"
    with sqlite3.connect(path, isolation_level=None) as old:
        migrate(old, path, STEPS[:1])
        old.execute(
            "INSERT INTO evaluations VALUES ('a','t','n','','[]','counts','',1,1,'','{}','{}',NULL,x'',NULL,NULL)"
        )
        assert old.execute("PRAGMA user_version").fetchone() == (1,)
    store = HistoryStore(path)
    assert store.search()[0]["name"] == "n" and store.reading("PRAGMA user_version")[0][0] == len(STEPS)
    store.close()
    with sqlite3.connect(path) as newer:
        newer.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    with pytest.raises(uc.UnconfuseError, match="newer version"):
        HistoryStore(path)


def test_a_step_that_fails_is_not_half_taken(tmp_path):
    path = tmp_path / "h.sqlite"
    with sqlite3.connect(path, isolation_level=None) as history:
        with pytest.raises(sqlite3.OperationalError):
            migrate(history, path, (*STEPS, "CREATE TABLE extra (a); CREATE TABLE extra (a)"))
        assert history.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


def test_one_server_at_a_time(tmp_path):
    first = HistoryStore(tmp_path / "h.sqlite")
    with pytest.raises(StoreError, match="another server has"):
        HistoryStore(tmp_path / "h.sqlite")
    beside = HistoryStore(tmp_path / "h.sqlite", exclusive=False)
    beside.close()
    first.close()
    HistoryStore(tmp_path / "h.sqlite").close()


def test_sessions_links_and_failures_run_out(tmp_path):
    now = [1000.0]
    store = HistoryStore(tmp_path / "h.sqlite")
    door = Authenticator(store, clock=lambda: now[0])
    once = door.create_login_link()
    session = door.from_one_time_link(once)
    assert (
        door.from_session(session).may_write
        and door.from_one_time_link(once) is None
        and door.from_session("x") is None
    )
    late = door.create_login_link()
    now[0] += 901
    assert door.from_one_time_link(late) is None
    assert not any(door.has_failed_too_often("10.0.0.1") for _ in range(FAILURES))
    assert door.has_failed_too_often("10.0.0.1") and not door.has_failed_too_often("10.0.0.2")
    now[0] += 61
    assert not door.has_failed_too_often("10.0.0.1")
    assert door.from_session(session) is not None
    now[0] += 12 * 3600
    assert door.from_session(session) is None
    old = door.from_one_time_link(door.create_login_link())
    with store.writing() as connection:
        connection.execute("UPDATE sessions SET expires = ?", [now[0] + 30 * 86400])  # as they were once made
    assert door.from_session(old) is None
    store.close()


def test_tokens_are_kept_as_hashes_and_named_once(tmp_path):
    store = HistoryStore(tmp_path / "h.sqlite")
    secret = add_token(store, "anna", may_write=False)
    for name in ("anna", "", " ", "x" * 61, "a\nb"):
        with pytest.raises(uc.UnconfuseError):
            add_token(store, name, may_write=True)
    door = Authenticator(store)
    session = door.log_in(secret)
    assert door.from_session(session).name == "anna" and not door.from_session(session).may_write
    assert secret not in (tmp_path / "h.sqlite").read_bytes().decode("latin-1")
    assert json.dumps(secret)[1:-1] not in (tmp_path / "h.sqlite-wal").read_bytes().decode("latin-1")
    revoke_token(store, "anna")
    assert door.from_session(session) is None and door.log_in(secret) is None
    store.close()
