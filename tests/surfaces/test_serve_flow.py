"""From a file to a saved page and back: what the web app answers is what Python says."""

import gzip
import html
import json
import re
import time

import pytest

pytest.importorskip("starlette", reason="the web app needs starlette")

import unconfuse as uc
from unconfuse.demo import patients_path
from unconfuse.serve.column_guesses import suggested
from unconfuse.serve.forms import question_form
from unconfuse.serve.questions import QUESTIONS, FieldError, checked
from unconfuse.serve.wording import field_of, in_fields

ROLES = {"label": "outcome", "positive": "yes", "score": "risk"}


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    """The first 400 simulated patients."""
    path = tmp_path_factory.mktemp("patients") / "patients.csv"
    path.write_text("".join(patients_path().read_text().splitlines(keepends=True)[:401]))
    return path


@pytest.fixture(scope="module")
def file(server, patients):
    """The same, uploaded."""
    sent = server.client().post("/api/files", files={"file": ("visits.csv", patients.read_bytes())})
    assert sent.status_code == 201 and sent.json()["name"] == "visits.csv"
    return sent.json()["id"]


@pytest.fixture(scope="module")
def judged(server, file):
    """One saved evaluation, with its cases."""
    asked = ROLES | {"keep_cases": True, "id": "patient"}
    job = server.ask(server.client(), "evaluate", asked, file=file, name="risk", tags=["ward 3"], note="first look")
    assert job["state"] == "done", job
    return job["evaluation"]


@pytest.mark.parametrize("form", ["data.csv", "data.csv.gz", "data.parquet", "data.jsonl", "data.xlsx"])
def test_every_format_is_seen_alike(client, data_files, columns, form, tmp_path):
    path = data_files.get(form)
    if path is None:
        import pandas as pd

        path = tmp_path / form
        pd.DataFrame(columns).to_excel(path, index=False)
    sent = client.post("/api/files", files={"file": (form, path.read_bytes())}).json()
    seen = client.get(f"/api/files/{sent['id']}").json()
    assert [each["name"] for each in seen["columns"]] == ["y", "p"] and seen["rows"] == 300
    assert seen["suggestions"]["positive"]["value"] == "ill" and seen["suggestions"]["score"]["value"] == ["p"]
    low, high = min(columns["p"]), max(columns["p"])
    assert (seen["columns"][1]["low"], seen["columns"][1]["high"]) == (low, high)
    assert client.get(f"/files/{sent['id']}").status_code == 200
    assert client.delete(f"/api/files/{sent['id']}").status_code == 204
    assert client.get(f"/api/files/{sent['id']}").status_code == 404


UNTOUCHED = re.compile(r'<select[^>]*name="(\w+)"[^>]*>(.*?)</select>', re.S)


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_untouched_choice_is_not_sent(question):
    """A file of another kind would refuse what nobody asked for, such as the decimals of a workbook."""
    chosen = {
        name: re.findall(r'value="([^"]*)" selected', inside)
        for name, inside in UNTOUCHED.findall(question_form(question))
    }
    choices = [each.name for each in QUESTIONS[question] if each.kind == "choice"]
    assert [chosen[name] for name in choices] == [[""]] * len(choices)


def test_a_decimal_comma_and_predicted_answers_are_recognised(client):
    rows = "Krankheit;Risiko\n" + "".join(f"{'ja' if k % 3 else 'nein'};0,{k}\n" for k in range(10, 60))
    sent = client.post("/api/files", files={"file": ("risiko.csv", rows.encode())}).json()
    found = client.get(f"/api/files/{sent['id']}").json()["suggestions"]
    assert found["score"]["value"] == ["Risiko"] and "decimal" not in found  # which is read as meant
    said = "animal,said\n" + "cat,dog\ndog,dog\nfox,cat\n" * 20
    sent = client.post("/api/files", files={"file": ("said.csv", said.encode())}).json()
    found = client.get(f"/api/files/{sent['id']}").json()["suggestions"]
    assert found["predicted"]["value"] == "said" and "by" not in found


def test_what_is_saved_is_what_python_says(client, judged, patients):
    saved = client.get(f"/api/evaluations/{judged}").json()
    here = uc.evaluate(patients, label="outcome", score="risk", positive="yes")
    assert saved["result"]["metrics"].keys() == here.as_dict()["metrics"].keys()
    for name, each in here.items():
        told = saved["result"]["metrics"][name]
        assert [told["value"], told["low"], told["high"]] == [
            here.as_dict()["metrics"][name][k] for k in ("value", "low", "high")
        ]
        assert each.name == name
    assert saved["verdict"] == here.findings[0].sentence and saved["n"] == 400 and saved["keeps_cases"]
    assert (saved["name"], saved["tags"], saved["note"]) == ("risk", ["ward 3"], "first look")


def test_the_page_is_the_report_without_rights(client, judged):
    answer = client.get(f"/evaluations/{judged}/page")
    policy = answer.headers["content-security-policy"]
    assert "sandbox allow-scripts allow-downloads" in policy and "allow-same-origin" not in policy
    assert "frame-ancestors 'self'" in policy and "unsafe" not in policy
    payload = client.get(f"/api/evaluations/{judged}/payload").json()
    from unconfuse.report import render

    assert answer.text == render(payload) == client.get(f"/api/evaluations/{judged}/page").text
    shown = client.get(f"/evaluations/{judged}").text
    assert f'src="/evaluations/{judged}/page?framed=yes" sandbox="allow-scripts allow-downloads"' in shown


def test_downloads_are_files(client, judged):
    table = client.get(f"/api/evaluations/{judged}/table")
    assert table.headers["content-disposition"] == 'attachment; filename="risk.csv"'
    assert table.text.splitlines()[0].startswith("metric,") and len(table.text.splitlines()) > 40
    assert client.get(f"/api/evaluations/{judged}/nothing").status_code == 404


ASKED = {
    "evaluate": (ROLES | {"by": ["site"], "prevalence": "2%", "n_resamples": 100}, True),
    "compare": (
        {"label": "outcome", "positive": "yes", "score": ["risk", "rule"], "thresholds": "risk=.1, rule=3"},
        True,
    ),
    "thresholds": (ROLES | {"costs": {"clinic": ["1", "10"], "payer": [5, 1]}, "capacity": 200}, True),
    "resolve": (ROLES, True),
    "plan": ({"difference": ".05", "prevalence": "20%"}, False),
    "counts": ({"tp": 141, "fp": 0, "fn": 67, "tn": 31, "prevalence": ".1"}, False),
    "matrix": ({"matrix": "\tcat\tdog\tfox\ncat\t50\t3\t1\ndog\t10\t30\t2\nfox\t1\t2\t20"}, False),
}


@pytest.mark.parametrize("question", ASKED)
def test_every_question_is_answered_and_saved(server, client, file, question):
    answers, reads = ASKED[question]
    job = server.ask(client, question, answers, **({"file": file} if reads else {}))
    assert job["state"] == "done", job
    saved = client.get(f"/api/evaluations/{job['evaluation']}").json()
    assert saved["verdict"] and saved["kind"] == question and saved["result"]["table"]
    page = client.get(f"/evaluations/{job['evaluation']}")
    assert page.status_code == 200 and saved["name"].replace("&", "&amp;") in page.text
    shown = client.get(f"/evaluations/{job['evaluation']}/page")
    assert shown.status_code == (404 if question == "plan" else 200)
    if question == "plan":
        found = uc.plan(uc.Binormal(), difference=0.05, prevalence=0.2)
        assert found.sentence in page.text and saved["result"]["n"] == found.n
    if question == "evaluate":
        assert "subgroups" in client.get(f"/api/evaluations/{job['evaluation']}/payload").json()


@pytest.fixture(scope="module")
def places(server):
    """Forty visits to each of five hospitals, uploaded."""
    rows = [f"{k % 5},{k % 3 == 0:d},{(k * 37 % 100 + 40 * (k % 3 == 0)) / 140:.3f},{k * 61 % 100}" for k in range(200)]
    text = "\n".join(["hospital,ill,risk,rule", *(f"H{each}" for each in rows), ""])
    return server.client().post("/api/files", files={"file": ("places.csv", text.encode())}).json()["id"]


@pytest.mark.parametrize(("question", "scores"), [("evaluate", "risk"), ("compare", ["risk", "rule"])])
def test_places_are_asked_for_and_shown(server, client, places, question, scores):
    form = client.get(f"/files/{places}?question={question}").text
    assert '<label for="field-site">Places</label>' in form
    answers = {"label": "ill", "positive": "1", "score": scores, "site": "hospital"}
    job = server.ask(client, question, answers, file=places)
    assert job["state"] == "done", job
    payload = client.get(f"/api/evaluations/{job['evaluation']}/payload").json()
    assert [each["name"] for each in payload["sites"]["sites"]] == [f"H{k}" for k in range(5)]
    refused = server.ask(client, question, answers | {"site": "hospitl"}, file=places)
    assert refused["state"] == "failed" and refused["error"]["field"] == "site", refused
    assert "did you mean 'hospital'?" in refused["error"]["message"]


@pytest.fixture(scope="module")
def results(server):
    """Results of three models on twelve data sets, uploaded; one of them has a name that looks like markup."""
    models = {"forest": 0.02, "linear": 0.0, "<b>net</b>": -0.03}
    rows = [f"d{k},{name},{0.8 + gain + k * 29 % 11 / 100 + hash_of(name, k):.3f}" for name, gain in models.items()
            for k in range(12)]  # fmt: skip
    text = "\n".join(["dataset,model,auc", *rows, ""])
    return server.client().post("/api/files", files={"file": ("results.csv", text.encode())}).json()["id"]


def hash_of(name, k):
    """Small differences that are the same on every machine."""
    return (len(name) * 7 + k * 13) % 10 / 1000


@pytest.fixture(scope="module")
def answered(server):
    """Answers of two models to forty questions, in two runs, uploaded."""
    rows = [f"q{k},{name},{run},{(k * 7 + run * 3) % 10 < right:d}" for name, right in (("new", 8), ("old", 5))
            for run in (1, 2) for k in range(40)]  # fmt: skip
    text = "\n".join(["question,model,run,correct", *rows, ""])
    return server.client().post("/api/files", files={"file": ("answers.csv", text.encode())}).json()["id"]


def test_a_benchmark_is_asked_for_and_shown(server, client, results):
    form = client.get(f"/files/{results}?question=benchmark").text
    assert all(f'value="{name}" selected' in form for name in ("dataset", "model", "auc"))
    job = server.ask(client, "benchmark", {"dataset": "dataset", "model": "model", "value": "auc"}, file=results)
    assert job["state"] == "done", job
    saved = client.get(f"/api/evaluations/{job['evaluation']}").json()
    shown = client.get(f"/evaluations/{job['evaluation']}/page")
    assert saved["verdict"] and html.escape(saved["verdict"]) in shown.text and saved["result"]["table"]
    assert "&lt;b&gt;net&lt;/b&gt;" in shown.text and "<b>net" not in shown.text and "<svg" in shown.text
    policy = shown.headers["content-security-policy"]
    assert "script-src" not in policy and "unsafe" not in policy and "default-src 'none'" in policy
    assert client.get(f"/api/evaluations/{job['evaluation']}/page").status_code == 200


def test_items_are_asked_for_and_shown(server, client, answered):
    form = client.get(f"/files/{answered}?question=items").text
    assert all(f'value="{name}" selected' in form for name in ("question", "model", "run", "correct"))
    roles = {"item": "question", "model": "model", "correct": "correct", "run": "run"}
    job = server.ask(client, "items", roles, file=answered)
    assert job["state"] == "done", job
    saved = client.get(f"/api/evaluations/{job['evaluation']}").json()
    assert saved["result"]["n_items"] == 40 and len(saved["result"]["models"]) == 2
    assert saved["verdict"] in html.unescape(client.get(f"/evaluations/{job['evaluation']}/page").text)


OF_TABLES = [
    ("benchmark", {"dataset": "dataset", "model": "model", "value": "auk"}, "value", "no column 'auk'"),
    ("benchmark", {"dataset": "dataset", "model": "dataset", "value": "auc"}, None, "a column of its own"),
    ("items", {"item": "dataset", "correct": "model"}, "correct", ""),
    ("items", {"item": "dataset", "model": "model", "correct": "auc", "run": "runs"}, "run", "runs"),
]


@pytest.mark.parametrize(("question", "answers", "field", "words"), OF_TABLES)
def test_refusals_of_tables_stand_beside_their_field(server, client, results, question, answers, field, words):
    job = server.ask(client, question, answers, file=results)
    assert job["state"] == "failed" and words in job["error"]["message"], job
    assert job["error"]["field"] == field, job
    assert re.search(r"--[a-z]|`|\b[a-z_]+='", job["error"]["message"]) is None, "a form has fields, not options"


REFUSED = [
    ("evaluate", {"label": "outcome", "score": "risk"}, "positive", "which label is positive?"),
    ("evaluate", ROLES | {"label": "outcom"}, "label", "did you mean 'outcome'?"),
    ("evaluate", ROLES | {"score": "patient"}, "score", "patient"),
    ("evaluate", ROLES | {"threshold": "7"}, "threshold", "“Threshold” must lie"),
    ("evaluate", ROLES | {"by": ["nobody"]}, "by", "nobody"),
    ("evaluate", ROLES | {"confidence_level": "2"}, "confidence_level", "level"),
    ("compare", {"label": "outcome", "positive": "yes", "score": ["risk"]}, "score", "at least two models"),
    ("thresholds", ROLES | {"guarantees": ["nonsense"]}, "guarantees", "nonsense"),
    ("thresholds", ROLES | {"promises": ["nonsense"]}, "guarantees", "nonsense"),  # by its former name
]


@pytest.mark.parametrize(("question", "answers", "field", "words"), REFUSED)
def test_refusals_stand_beside_their_field(server, client, file, question, answers, field, words):
    job = server.ask(client, question, answers, file=file)
    assert job["state"] == "failed" and words in job["error"]["message"], job
    assert job["error"]["field"] == field
    assert re.search(r"--[a-z]|`|\b[a-z_]+='", job["error"]["message"]) is None, "a form has fields, not options"


def test_refusals_are_those_of_the_command_line_in_the_words_of_the_form(server, client, file, run, patients):
    job = server.ask(client, "evaluate", {"label": "outcome", "score": "risk"}, file=file)
    said = run("evaluate", patients, "--label", "outcome", "--score", "risk").output
    message = job["error"]["message"].replace("visits.csv", str(patients))
    assert "say which, “Positive value”: yes." in message
    assert message.replace("“Positive value”:", "--positive") in said


def test_rows_that_cannot_be_used_can_be_skipped_at_a_press(server, client):
    rows = "outcome,risk\n" + "yes,0.9\nno,0.1\nno,0.4\nyes,0.7\n" * 20 + "no,\n" * 15
    file = client.post("/api/files", files={"file": ("gaps.csv", rows.encode())}).json()["id"]
    job = server.ask(client, "evaluate", ROLES, file=file)
    remedy = job["error"]["remedy"]
    assert job["error"]["field"] == "score" and remedy["label"] == "Skip these 15 rows"
    again = server.ask(client, "evaluate", ROLES | remedy["answers"], file=file)
    assert again["state"] == "done", again
    notes = client.get(f"/api/evaluations/{again['evaluation']}").json()["result"]["notes"]
    assert any("15 rows" in each for each in notes)


@pytest.mark.parametrize(
    ("columns", "label", "positive"),
    [
        ({"sex": "mf", "smoker": "01", "death_30d": "01"}, "death_30d", "1"),
        ({"male": "01", "hasDisease": "01"}, "hasDisease", "1"),
        ({"Geschlecht": "mw", "Raucher": ["ja", "nein"], "Infarkt": ["nein", "ja"]}, "Infarkt", "ja"),
        ({"arm": "AB", "relapse": ["no", "yes"]}, "relapse", "yes"),
        ({"flag": "01", "answer": ["nein", "ja"]}, "answer", "ja"),
    ],
)
def test_the_true_answer_is_guessed_by_its_meaning(columns, label, positive):
    seen = [
        {"name": name, "kind": "text", "distinct": 2, "values": [(each, 5) for each in held], "missing": 0}
        | {"low": None, "high": None}
        for name, held in columns.items()
    ]
    found = suggested({"columns": seen, "rows": 10})
    assert (found["label"]["value"], found["positive"]["value"]) == (label, positive)


AT_ONCE = [
    ({"question": "nothing", "answers": {}}, "question"),
    ({"question": "counts", "answers": {"tp": 1}}, "fp"),
    ({"question": "counts", "answers": {"tp": "x", "fp": 1, "fn": 1, "tn": 1}}, "tp"),
    ({"question": "counts", "answers": {"tp": True, "fp": 1, "fn": 1, "tn": 1}}, "tp"),
    ({"question": "counts", "answers": {"tpp": 1}}, "tpp"),
    ({"question": "counts", "answers": [1]}, "answers"),
    ({"question": "counts", "answers": {"tp": 1, "fp": 1, "fn": 1, "tn": 1}, "file": "x"}, "file"),
    ({"question": "evaluate", "answers": ROLES, "file": "nothing"}, "file"),
    ({"question": "evaluate", "answers": ROLES | {"design": "other"}, "file": "x"}, "design"),
    ({"question": "plan", "answers": {}, "name": "x" * 300}, "name"),
    ({"question": "plan", "answers": {}, "tags": [""]}, "tags"),
    ({"question": "plan", "answers": {}, "rows": 1}, "rows"),
]


@pytest.mark.parametrize(("body", "field"), AT_ONCE)
def test_what_can_be_seen_at_once_is_refused_at_once(client, body, field):
    answer = client.post("/api/evaluations", json=body)
    assert answer.status_code == 422 and answer.json()["error"]["field"] == field


def test_a_job_can_be_cancelled_and_leaves_nothing(server, client, file, patience):
    before = len(client.get("/api/evaluations").json()["evaluations"])
    slow = ROLES | {"method": "full", "metrics": ["auroc", "auprc_davis_goadrich", "h_measure"]}
    job = client.post("/api/evaluations", json={"question": "resolve", "answers": slow, "file": file}).json()
    time.sleep(0.3)
    start = time.monotonic()
    assert client.delete(f"/api/jobs/{job['id']}").json()["state"] == "cancelled"
    assert time.monotonic() - start < 5 * patience()
    assert len(client.get("/api/evaluations").json()["evaluations"]) == before
    assert client.get("/api/jobs/nothing").status_code == 404


def test_saved_evaluations_are_compared_in_pairs_if_cases_were_kept(server, client, file, judged, patients):
    rule = {"label": "outcome", "positive": "yes", "score": "rule", "threshold": 3}
    made = [
        server.ask(client, "evaluate", rule | more, file=file) for more in ({"keep_cases": True, "id": "patient"}, {})
    ]
    results = []
    for each in made:
        job = client.post("/api/comparisons", json={"first": judged, "second": each["evaluation"]}).json()
        job = server.ended(client, job)
        assert job["state"] == "done", job
        results.append(client.get(f"/api/evaluations/{job['evaluation']}").json())
    paired, unpaired = results
    assert "paired, case by case" in paired["source"] and "independent" in unpaired["source"]
    assert paired["question"]["how"] in client.get(f"/evaluations/{paired['id']}").text
    here = uc.compare(
        patients, label="outcome", positive="yes", score=["risk", "rule"], threshold={"risk": 0.5, "rule": 3}
    )
    width = {}
    for name, each in {"paired": paired, "unpaired": unpaired}.items():
        told = next(row for row in each["result"]["table"] if row["metric"] == "auroc")
        width[name] = told["high"] - told["low"]
        assert told["difference"] == pytest.approx(here["auroc", "risk", "rule"].difference.value)
    assert width["paired"] == pytest.approx(
        here["auroc", "risk", "rule"].difference.high - here["auroc", "risk", "rule"].difference.low
    )
    assert width["unpaired"] > width["paired"]
    same = client.post("/api/comparisons", json={"first": judged, "second": judged})
    assert same.status_code == 422 and same.json()["error"]["field"] == "second"


def test_history_is_searched_changed_and_emptied(server, client):
    counts = {"tp": 9, "fp": 1, "fn": 2, "tn": 20}
    made = [
        server.ask(client, "counts", counts, name=name, tags=tags)["evaluation"]
        for name, tags in (("Äpfel <b>", ["fruit"]), ("pears", []))
    ]
    listed = client.get("/api/evaluations", params={"search": "äpfel"}).json()["evaluations"]
    found = client.get("/api/evaluations", params={"tag": "fruit"}).json()["evaluations"]
    assert [each["id"] for each in found] == [made[0]] and listed == found
    page = client.get("/history").text
    assert "Äpfel &lt;b&gt;" in page and "<b>" not in page.replace("<b>0", "").replace("<b>1", "").replace("<b>-", "")
    changed = client.patch(
        f"/api/evaluations/{made[1]}", json={"name": "plums", "note": "ripe", "tags": ["fruit", "fruit"]}
    )
    assert changed.json()["tags"] == ["fruit"] and "plums" in client.get("/history?tag=fruit").text
    assert client.patch(f"/api/evaluations/{made[1]}", json={"name": " "}).status_code == 422
    assert client.patch(f"/api/evaluations/{made[1]}", json={"payload": {}}).status_code == 422
    assert [client.delete(f"/api/evaluations/{each}").status_code for each in (*made, made[0])] == [204, 204, 404]
    assert "plums" not in client.get("/history").text


def test_refusals_name_fields_wherever_arguments_stand():
    said = "column 'y' has gaps. Hint: skip them (`on_bad_row='skip'`), or `negative=['a', 'b']`, `negative='rest'`."
    assert in_fields(said, "evaluate") == (
        "column 'y' has gaps. Hint: skip them (“Rows that cannot be used”: skip), or “Negative values”: a, b, "
        "“Whatever is not positive is negative”."
    )
    assert field_of(said) == "on_bad_row" and field_of(said, {"label": "y"}) == "label"
    assert in_fields("x=3.csv holds 'score=4'; ask for `odd_word=3`.", "evaluate") == (
        "x=3.csv holds 'score=4'; ask for odd word: 3."
    )


def test_many_models_have_a_short_name(server, client):
    names = [f"m{k}" for k in range(5)]
    rows = [f"{k % 2}," + ",".join(str((k * 37 + 11 * m) % 100 / 100) for m in range(5)) for k in range(60)]
    file = client.post("/api/files", files={"file": ("five.csv", "\n".join([f"y,{','.join(names)}", *rows]))}).json()
    job = server.ask(client, "compare", {"label": "y", "score": names}, file=file["id"])
    saved = client.get(f"/api/evaluations/{job['evaluation']}").json()
    assert saved["name"] == "Compare models: m0, m1 and 3 more of five.csv"


def test_a_trend_shows_every_evaluation_with_its_interval(client, judged):
    found = client.get("/api/trend", params={"metric": "auroc"}).json()
    assert judged in [each["id"] for each in found["points"]]
    assert all(each["low"] <= each["value"] <= each["high"] for each in found["points"])
    page = client.get("/trend?metric=auroc").text
    assert page.count("trend-dot") == page.count("trend-bar") == len(found["points"])
    assert client.get("/api/trend", params={"metric": "nothing"}).json()["error"]["field"] == "metric"
    assert client.get("/api/trend", params={"odd": "1"}).status_code == 422


def test_a_history_moves_as_one_file(serving, server, client, judged, tmp_path):
    whole = client.get("/api/history").content
    other = serving(tmp_path)
    there = other.client()
    n = len(client.get("/api/evaluations").json()["evaluations"])
    assert there.post("/api/history", files={"file": ("h.jsonl.gz", whole)}).json() == {"added": n}
    assert there.post("/api/history", files={"file": ("h.jsonl.gz", whole)}).json() == {"added": 0}
    assert there.get("/api/history").content == whole
    old = {each["name"]: each["summary"] for each in client.get("/api/evaluations").json()["evaluations"]}
    new = {each["name"]: each["summary"] for each in there.get("/api/evaluations").json()["evaluations"]}
    assert old == new
    lines = gzip.decompress(whole).splitlines()
    odd = [
        b"",
        b"x",
        gzip.compress(b""),
        gzip.compress(b"{}"),
        gzip.compress(lines[0] + b"\n[]"),
        whole[: len(whole) // 2],
    ]
    changed = json.loads(lines[1]) | {"payload": {"schema": "unconfuse-payload/1", "models": "<script>"}}
    odd.append(gzip.compress(lines[0] + b"\n" + json.dumps(changed).encode()))
    for each in odd:
        answer = there.post("/api/history", files={"file": ("h.jsonl.gz", each)})
        assert answer.status_code == 422, each[:40]
    assert there.get("/api/history").content == whole, "all of it or nothing"
    other.stop()


def test_files_are_pointed_to_below_the_root(server, client):
    (server.folder / "root" / "sub").mkdir(exist_ok=True)
    (server.folder / "root" / "sub" / "data.csv").write_bytes(patients_path().read_bytes())
    sent = client.post("/api/files/pointed", json={"path": "sub/data.csv"})
    assert sent.status_code == 201 and client.get(f"/api/files/{sent.json()['id']}").json()["rows"] == 2400
    assert client.delete(f"/api/files/{sent.json()['id']}").status_code == 204
    assert (server.folder / "root" / "sub" / "data.csv").exists(), "what was pointed to stays"
    assert client.post("/api/files/pointed", json={"demo": "animals"}).status_code == 201


def test_guesses_say_why():
    def column(name, values=(), kind="text", distinct=None, low=None, high=None):
        n = len(values) if distinct is None else distinct
        return {"name": name, "kind": kind, "distinct": n, "values": values, "missing": 0, "low": low, "high": high}

    columns = [
        column("case", distinct=100),
        column("sex", [("f", 50), ("m", 50)]),
        column("died", [("0", 90), ("1", 10)], "number", low=0, high=1),
        column("model", distinct=80, kind="number", low=0.01, high=0.97),
        column("weight", distinct=9, kind="number", low=1, high=9),
    ]
    found = suggested({"columns": columns, "rows": 100})
    assert {role: each["value"] for role, each in found.items()} == {
        "label": "died", "positive": "1", "score": ["model"], "weight": "weight", "id": "case", "by": ["sex"],
    }  # fmt: skip
    assert all(each["reason"] for each in found.values())
    assert suggested({"columns": [], "rows": 0}) == {}


def test_several_classes_are_recognised(server, client):
    sent = client.post("/api/files/pointed", json={"demo": "animals"}).json()
    seen = client.get(f"/api/files/{sent['id']}").json()
    assert seen["suggestions"]["scores"]["value"] == ["new_*", "old_*"]
    assert 'value="new_*"' in client.get(f"/files/{sent['id']}").text
    job = server.ask(client, "evaluate", {"label": "animal", "scores": "new_*", "n_resamples": 100}, file=sent["id"])
    assert job["state"] == "done", job


def test_answers_are_checked_by_kind():
    for question, fields in QUESTIONS.items():
        for each in fields:
            odd = {"flag": "yes", "matrix": 1, "costs": [1]}.get(
                each.kind, {"a": {"b": 1}} if each.kind != "shares" else {"a": "x"}
            )
            with pytest.raises(FieldError) as refused:
                checked(question, {each.name: odd})
            assert refused.value.field == each.name, (question, each.name)


def test_nothing_is_sent_by_pages_to_anywhere(client, judged):
    for path in ("/", "/history", "/trend", "/plan", "/counts", "/matrix", f"/evaluations/{judged}", "/static/app.css"):
        text = client.get(path).text
        assert not re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", text), path
