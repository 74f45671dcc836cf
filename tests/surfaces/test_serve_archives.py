"""Archives bent field by field, damaged rows of a history, imports by content, and lists with their total."""

import contextlib
import copy
import gzip
import itertools
import json
import sqlite3

import pytest

pytest.importorskip("starlette", reason="the web app needs starlette")

import unconfuse as uc
from unconfuse.serve.history_export import FORMAT, read_history
from unconfuse.serve.records import PARTS
from unconfuse.serve.store import MOST, HistoryStore, SavedEvaluation
from unconfuse.serve.trend import round_ticks

GONE = object()
ODD = [None, 5, -1, True, "x", "", [], {}, [1], [[]], {"a": 1}, 10**400, 1e308, -1e308, GONE]
PAGES = ("/", "/history", "/trend", "/trend?metric=accuracy", "/api/evaluations", "/api/trend", "/api/history")
OWN = ("/evaluations/{}", "/evaluations/{}/page", "/api/evaluations/{}", "/api/evaluations/{}/page")
OWN += ("/api/evaluations/{}/payload", "/api/evaluations/{}/table")


def good(**more):
    """An evaluation with something in every part but the page."""
    estimate = {"value": 0.7, "low": 0.6, "high": 0.8}
    made = {
        "created": "2026-11-16T14:05:00+00:00",
        "name": "one",
        "note": "a note",
        "tags": ["x"],
        "kind": "evaluate",
        "source": "rows.csv",
        "verdict": "Better than guessing.",
        "n": 2.0,
        "positives": 1.0,
        "summary": {"auroc": dict(estimate), "accuracy": dict(estimate), "log_loss": {**estimate, "high": "inf"}},
        "question": {"answers": {"label": "y"}, "file": "rows.csv"},
        "result": {"table": [{"metric": "auroc", "value": 0.7}], "notes": ["said"], "n": 2},
        "payload": None,
        "scores": {"table": {"score": [0.9, 0.1], "positives": [1.0, 0.0], "negatives": [0.0, 1.0]}, "threshold": 0.5},
        "cases": {"label": ["1", "0"], "score": [0.9, 0.1], "id": ["a", "b"], "positive": None},
    }
    return copy.deepcopy(made | more)


def places(value, at=()):
    """Where every part is: all entries of objects, the first of lists."""
    items = value.items() if isinstance(value, dict) else list(enumerate(value))[:1] if isinstance(value, list) else ()
    for key, each in items:
        yield (*at, key)
        yield from places(each, (*at, key))


def bent(at, odd):
    """The evaluation with another value in one place, or none."""
    made = good()
    place = made
    for key in at[:-1]:
        place = place[key]
    if odd is GONE:
        del place[at[-1]]
    else:
        place[at[-1]] = odd
    return made


def every_bent_one():
    counts = good(scores={"counts": {"tp": 1, "fp": 2, "fn": 3, "tn": 4}}, cases=None)
    yield counts
    for at in places(good()):
        for odd in ODD:
            yield bent(at, odd)


def archive(*evaluations):
    """A file as an export writes it."""
    return gzip.compress(b"\n".join(json.dumps(each).encode() for each in ({"format": FORMAT}, *evaluations)))


def sent(client, *evaluations):
    return client.post("/api/history", files={"file": ("h.jsonl.gz", archive(*evaluations))})


def check_pages(client):
    """Every page is there, and so is what belongs to each evaluation."""
    listed = client.get("/api/evaluations", params={"limit": 1000}).json()
    assert len(listed["evaluations"]) == listed["total"]
    wrong = [(path, got) for path in PAGES if (got := client.get(path).status_code) != 200]
    for each in listed["evaluations"]:
        paths = [path.format(each["id"]) for path in OWN]
        wrong += [(path, got, each["name"]) for path in paths if (got := client.get(path).status_code) >= 500]
    assert wrong == []
    return listed["evaluations"]


def test_a_bent_archive_is_refused_with_its_field_or_does_no_harm(serving, tmp_path):
    taken, refusals = [], {}
    for number, each in enumerate(every_bent_one()):
        place = tmp_path / "h.gz"
        place.write_bytes(archive(each))
        try:
            (found,) = read_history(str(place), "h.gz", 1 << 20)
        except uc.UnconfuseError as error:
            refusals[number] = str(error)
        else:
            taken.append(found | {"name": f"{number} {found['name']}"})
    assert all("evaluation 1" in said for said in refusals.values())
    said = " ".join(refusals.values())
    for name in (*PARTS, "summary.auroc", "summary.auroc.low", "cases.score[0]", "scores.table.score", "result.notes"):
        assert f"evaluation 1.{name}" in said, name
    assert len(refusals) > 300 and len(taken) > 30
    server = serving(tmp_path)
    client = server.client()
    answer = sent(client, *taken)
    assert answer.status_code == 201 and answer.json() == {"added": len(taken)}, answer.text
    assert all(each["unreadable"] is None for each in check_pages(client))
    server.stop()


@pytest.mark.parametrize(
    ("part", "odd", "words"),
    [
        ("summary", {"auroc": 5}, "evaluation 1.summary.auroc must be object; got int"),
        ("summary", {"auroc": {"value": 1e308, "low": 0, "high": 1}}, "summary.auroc.value must be between 0 and 1"),
        ("summary", {"auroc": {"value": 10**400, "low": 0, "high": 1}}, "must be at most 1.7e+308; got an integer of"),
        ("summary", {"auroc": {"value": 0.5, "high": 1}}, "evaluation 1.summary.auroc lacks 'low'"),
        ("summary", {"height": {"value": 0.5, "low": 0, "high": 1}}, "summary must hold metrics; got 'height'"),
        ("result", {"notes": 5}, "evaluation 1.result.notes must be array; got int"),
        ("result", {"table": 5}, "evaluation 1.result.table must be array; got int"),
        ("kind", "x", "evaluation 1.kind must be one of 'evaluate'"),
        ("created", "yesterday", "evaluation 1.created must be a time such as"),
        ("payload", {}, "evaluation 1 cannot be imported: this is not a payload"),
        ("cases", {"label": ["a"], "score": [], "id": [], "positive": None}, "cases must have columns of one length"),
    ],
)
def test_a_refusal_names_the_field(tmp_path, part, odd, words):
    (tmp_path / "h.gz").write_bytes(archive(good(**{part: odd})))
    with pytest.raises(uc.UnconfuseError) as refused:
        read_history(str(tmp_path / "h.gz"), "h.gz", 1 << 20)
    assert words in str(refused.value)


def test_pages_survive_rows_that_are_damaged_already(serving, tmp_path):
    server = serving(tmp_path)
    client = server.client()
    assert sent(client, good(), good(name="two")).status_code == 201
    with contextlib.closing(sqlite3.connect(server.history, isolation_level=None)) as history:
        columns = [row[1] for row in history.execute("PRAGMA table_info(evaluations)")]
        whole = dict(zip(columns, history.execute("SELECT * FROM evaluations").fetchone(), strict=True))
        number = 0
        for each in every_bent_one():
            parts = {name: each.get(name) for name in ("summary", "tags", "question")}
            packed = {name: each.get(name) for name in ("result", "scores", "cases")}
            row = whole | {name: json.dumps(value) for name, value in parts.items()}
            row |= {name: gzip.compress(json.dumps(value).encode()) for name, value in packed.items()}
            if row == whole | {"id": whole["id"]}:
                continue
            number += 1
            row |= {"id": f"{number:016x}", "name": f"bent {number}"}
            history.execute(f"INSERT INTO evaluations VALUES ({', '.join('?' * len(row))})", list(row.values()))
        for damage in ({"summary": "{"}, {"tags": "\0"}, {"result": b"x"}, {"payload": b"\x1f\x8b"}, {"n": 9e999}):
            number += 1
            row = whole | {"id": f"{number:016x}", "name": "damaged"} | damage
            history.execute(f"INSERT INTO evaluations VALUES ({', '.join('?' * len(row))})", list(row.values()))
        history.execute(f"DELETE FROM evaluations WHERE name LIKE 'bent%' AND rowid % {max(number // 150, 1)} > 0")
    seen = check_pages(client)
    one = next(each for each in seen if each["name"] == "damaged" and each["unreadable"])
    assert "cannot be read" in client.get(f"/evaluations/{one['id']}").text
    assert client.get(f"/api/evaluations/{one['id']}").status_code == 422
    exported = client.get("/api/history")
    broken = [each for each in seen if client.get(f"/api/evaluations/{each['id']}").status_code == 422]
    assert int(exported.headers["unconfuse-left-out"]) == len(broken) > 10
    assert len(gzip.decompress(exported.content).splitlines()) == 1 + len(seen) - len(broken)
    assert client.post("/api/comparisons", json={"first": one["id"], "second": seen[-1]["id"]}).status_code == 422
    assert client.delete(f"/api/evaluations/{one['id']}").status_code == 204
    server.stop()


def test_imports_compare_by_content_and_keep_what_differs(serving, tmp_path):
    server = serving(tmp_path)
    client = server.client()
    assert sent(client, good()).json() == {"added": 1}
    assert sent(client, good(), good(note="another note")).json() == {"added": 1}
    assert sent(client, good(note="another note"), good(n=2), good(summary={})).json() == {"added": 1}
    assert sent(client, good(), good()).json() == {"added": 1}, "two alike are two"
    whole = client.get("/api/history").content
    assert client.post("/api/history", files={"file": ("h.gz", whole)}).json() == {"added": 0}
    assert sorted(each["note"] for each in client.get("/api/evaluations").json()["evaluations"]) == [
        "a note",
        "a note",
        "a note",
        "another note",
    ]
    server.stop()


def test_lists_say_how_many_there_are_and_can_be_paged(serving, tmp_path):
    store = HistoryStore(tmp_path / "history.sqlite")
    with store.writing():
        pass
    for number in range(MOST + 3):
        store.save(SavedEvaluation(f"number {number}", "counts", {}, {}, tags=["few"] if number < 2 else []))
    store.close()
    server = serving(tmp_path)
    client = server.client()
    first = client.get("/api/evaluations").json()
    assert (len(first["evaluations"]), first["total"], first["offset"], first["limit"]) == (MOST, MOST + 3, 0, MOST)
    rest = client.get("/api/evaluations", params={"offset": MOST}).json()
    names = [each["name"] for each in first["evaluations"] + rest["evaluations"]]
    assert names == [f"number {number}" for number in reversed(range(MOST + 3))]
    assert client.get("/api/evaluations", params={"tag": "few"}).json()["total"] == 2
    assert client.get("/api/evaluations", params={"offset": 10**6}).json() == {
        "evaluations": [],
        "total": MOST + 3,
        "offset": 10**6,
        "limit": MOST,
    }
    for odd in ({"offset": "-1"}, {"limit": "0"}, {"limit": "1001"}, {"offset": "x"}, {"offset": "²"}):
        answer = client.get("/api/evaluations", params=odd)
        assert answer.status_code == 422 and answer.json()["error"]["field"] in odd
    page = client.get("/history").text
    assert f"Showing 1 to {MOST} of {MOST + 3}" in page and f"/history?offset={MOST}" in page and "newer" not in page
    page = client.get(f"/history?offset={MOST}&search=number").text
    assert f"Showing {MOST + 1} to {MOST + 3} of {MOST + 3}" in page and "search=number" in page
    assert "/history?offset=0&amp;search=number" in page and "older" not in page
    assert client.get("/history?offset=999999").status_code == 200
    assert "Showing" not in client.get("/history?tag=few").text
    server.stop()


def test_infinite_and_huge_values_are_listed_and_not_drawn(serving, tmp_path):
    server = serving(tmp_path)
    client = server.client()
    endless = {"log_loss": {"value": "inf", "low": 0.1, "high": "inf"}}
    assert sent(client, good(summary=endless)).json() == {"added": 1}
    page = client.get("/trend?metric=log_loss")
    assert page.status_code == 200 and "<td>inf</td>" in page.text and "trend-dot" not in page.text
    large = {"log_loss": {"value": 3e20, "low": 0.1, "high": 1e300}}
    assert sent(client, good(summary=large), good(summary={"log_loss": {"value": 1, "low": 0, "high": 2}})).is_success
    assert client.get("/trend?metric=log_loss").text.count("trend-dot") == 1
    server.stop()


@pytest.mark.parametrize(("low", "high"), [(0, 0), (1e15, 1e15), (-1e15, 1e15), (1e-12, 2e-12), (0.7, 0.7 + 1e-13)])
def test_ticks_of_any_range_are_apart(low, high):
    ticks = round_ticks(low, high)
    assert 2 <= len(ticks) < 12 and all(one < other for one, other in itertools.pairwise(ticks))
