"""The page of results that are tables of estimates: one renderer, no script, names as text, and a check of payloads."""

import csv
import html
import json
import re
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse.plots._svg import svg_problem
from unconfuse.report import payload_of, render
from unconfuse.report.tabular_page import SCHEMA

MARKUP = "<img src=x onerror=alert(1)>"


def _benchmark(rng):
    sets, models = [f"d{k}" for k in range(12)], ["a", "b", MARKUP]
    rows = {"dataset": sets * 3, "model": [each for each in models for _ in sets]}
    rows["auc"] = [0.8 - 0.02 * place + rng.normal(0, 0.01) for place in range(3) for _ in sets]
    return uc.benchmark(rows, dataset="dataset", model="model", value="auc")


def _items(rng):
    rows = {"item": list(range(40)) * 2, "model": ["a"] * 40 + [MARKUP] * 40}
    rows["correct"] = [int(rng.random() < 0.8) for _ in range(40)] + [int(rng.random() < 0.4) for _ in range(40)]
    return uc.items(rows, item="item", model="model", correct="correct")


def _readers(rng):
    rows = {name: column.ravel() for name, column in zip("mrc", np.meshgrid(*map(np.arange, (2, 4, 40))), strict=True)}
    rows["y"] = (rows["c"] < 15).astype(int)
    rows["s"] = (1 + rows["m"]) * rows["y"] + rng.normal(size=320)
    rows["m"] = np.where(rows["m"] == 1, "with", MARKUP)
    return uc.readers(rows, reader="r", case="c", truth="y", score="s", modality="m")


def _studies(rng):
    cells = [(28, 13, 2, 65), (40, 6, 5, 43), (33, 2, 16, 55), (38, 7, 1, 68)]
    tables = [uc.Counts(tp=tp, fp=fp, fn=fn, tn=tn) for tp, fp, fn, tn in cells]
    return uc.meta_analysis(dict(zip(["a", "b", "c", MARKUP], tables, strict=True)))


def _forecast(rng):
    y = rng.random(600) < 0.3
    return uc.forecast((y, y + rng.normal(size=600)), rng.normal(size=300) + 0.4, threshold=0.8, n_resamples=200)


def _check(rng):
    later = rng.random(300) < 0.2
    return _forecast(rng).check(later)


def _labelled(rng):
    y = (rng.random((120, 3)) < 0.3).astype(float)
    return y, 1 / (1 + np.exp(1 - 2 * y - rng.normal(size=y.shape)))


def _labels(rng):
    return uc.evaluate(*_labelled(rng), labels=["mass", "nodule", MARKUP])


def _labels_compared(rng):
    y, s = _labelled(rng)
    return uc.compare(y, {"a": s, MARKUP: np.clip(s + rng.normal(0, 0.1, s.shape), 0, 1)}, labels=["x", "y", "z"])


def _queries(rng):
    relevant = (rng.random(200) < 0.3).astype(int)
    query = [MARKUP if k < 10 else f"q{k // 10}" for k in range(200)]
    return uc.evaluate(relevant, relevant + rng.normal(size=200), query=query)


KINDS = {
    "benchmark": _benchmark, "items": _items, "readers": _readers, "studies": _studies, "forecast": _forecast,
    "check": _check, "labels": _labels, "labels compared": _labels_compared, "queries": _queries,
}  # fmt: skip


@pytest.fixture(scope="module")
def results():
    """One result of each kind."""
    return {kind: make(np.random.default_rng(3)) for kind, make in KINDS.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_stands_first_and_names_are_text(results, kind, tmp_path):
    result = results[kind]
    path = result.report(tmp_path / "page.html", title=MARKUP)
    text = path.read_text()
    first = getattr(result.findings[0], "sentence", result.findings[0]) if hasattr(result, "findings") else ""
    first = result.sentence if kind in ("check", "labels compared") else first
    lead = re.search(r'<p class="lead">(.*?)</p>', text)
    assert html.unescape(lead[1]) == first
    assert "<img" not in text and "<script" not in text and html.escape(MARKUP) in text
    assert text.index(lead[0]) < text.index("<svg") < text.index("<table>") < text.index("How it was computed")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
    assert "script-src" not in policy and "unsafe" not in policy and policy.startswith("default-src 'none'")
    assert ' style="' not in text, "the policy blocks styles of elements"


@pytest.mark.parametrize("kind", KINDS)
def test_a_stored_payload_makes_the_same_page(results, kind, tmp_path):
    payload = json.loads(json.dumps(results[kind].payload(), allow_nan=False))
    assert payload["schema"] == SCHEMA and all(svg_problem(each["svg"]) is None for each in payload["pictures"])
    assert render(payload) == results[kind].report(tmp_path / "page.html").read_text()


def test_tables_show_the_numbers_of_the_result(results):
    found = results["benchmark"]
    payload = found.payload()
    models, pairs = payload["tables"]
    assert [row[0] for row in models["rows"]] == [each.model for each in found.leaderboard]
    assert len(pairs["rows"]) == len(found) == 3
    worst = results["labels"].per_label()
    assert [row[0] for row in results["labels"].payload()["tables"][0]["rows"]] == list(worst)
    studies = results["studies"].payload()["tables"][0]["rows"]
    assert [row[0] for row in studies][-2:] == ["mean study", "new study"] and len(studies) == 6


HOSTILE = {
    "script": '<script xmlns="http://www.w3.org/2000/svg">alert(1)</script>',
    "event": '<g xmlns="http://www.w3.org/2000/svg" onclick="alert(1)"/>',
    "link": '<a xmlns="http://www.w3.org/2000/svg" href="https://example.org"><text>x</text></a>',
    "outside": '<use xmlns="http://www.w3.org/2000/svg" href="https://example.org/x.svg#a"/>',
    "url": '<g xmlns="http://www.w3.org/2000/svg" fill="URL(https://example.org)"/>',
    "style": '<g xmlns="http://www.w3.org/2000/svg" style="position:fixed"/>',
    "html": '<div xmlns="http://www.w3.org/1999/xhtml">x</div>',
    "entity": "<!-- x -->",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_picture_that_we_did_not_draw_is_refused(results, kind):
    payload = results["items"].payload()
    payload["pictures"][0]["svg"] = payload["pictures"][0]["svg"].replace("</svg>", f"{HOSTILE[kind]}</svg>")
    with pytest.raises(InputError, match=r"pictures\[0\]"):
        render(payload)


def test_a_payload_that_is_not_one_is_refused(results):
    for change in (
        {"tables": [{"heading": "x"}]},
        {"title": 3},
        {"more": "x"},
        {"pictures": [{"words": "", "svg": "x"}]},
    ):
        with pytest.raises(InputError):
            render(results["items"].payload() | change)
    payload = results["items"].payload()
    payload["tables"][0]["rows"][0].append("x")
    with pytest.raises(InputError, match="different lengths"):
        render(payload)


def test_words_of_a_page_with_sliders_are_refused(results):
    from unconfuse.report import PageOptions

    with pytest.raises(ArgumentError, match="`prevalence` is for the page of a yes-or-no question"):
        payload_of(results["items"], PageOptions(prevalence=0.1))
    with pytest.raises(ArgumentError, match="data file"):
        results["items"].report("page.csv")


def test_without_matplotlib_there_is_a_page_without_pictures(results, monkeypatch):
    monkeypatch.setattr("unconfuse.report.tabular_page.can_draw", lambda: False)
    payload = results["items"].payload()
    assert payload["pictures"] == [] and "<table>" in render(payload)


def _written(path, columns):
    with path.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(columns)
        lines.writerows(zip(*columns.values(), strict=True))
    return path


@pytest.fixture
def files(tmp_path):
    """A file for each command, and the options that read it."""
    rng = np.random.default_rng(5)
    sets = [f"d{k}" for k in range(10)]
    results = {"d": sets * 2, "m": ["a"] * 10 + ["b"] * 10, "auc": rng.uniform(0.7, 0.9, 20).round(3)}
    items = {"q": [*range(30)] * 2, "m": ["a"] * 30 + ["b"] * 30, "ok": rng.integers(0, 2, 60)}
    study = {"tp": [28, 40, 33], "fp": [13, 6, 2], "fn": [2, 5, 16], "tn": [65, 43, 55]}
    readings = {
        "r": np.repeat(range(4), 30),
        "c": np.tile(range(30), 4),
        "y": np.tile(np.arange(30) < 12, 4).astype(int),
    }
    readings["s"] = readings["y"] + rng.normal(size=120).round(3)
    old = {"y": (np.arange(200) % 3 == 0).astype(int)}
    old["p"] = (1 / (1 + np.exp(1 - 2 * old["y"] - rng.normal(size=200)))).round(3)
    many = {f"f_{k}": rng.integers(0, 2, 60) for k in "ab"} | {f"p_{k}": rng.random(60).round(3) for k in "ab"}
    many |= {"r_a": rng.random(60).round(3), "r_b": rng.random(60).round(3)}
    ranked = {"rel": rng.integers(0, 2, 60), "p": rng.random(60).round(3), "q": np.repeat(range(6), 10)}
    every = {
        "results": results, "items": items, "study": study, "readings": readings, "old": old,
        "new": {"p": old["p"][:100]}, "many": many, "ranked": ranked,
    }  # fmt: skip
    at = {name: _written(tmp_path / f"{name}.csv", columns) for name, columns in every.items()}
    labels = ["--labels", "f_*", "--scores", "p_*"]
    return {
        "benchmark": ["benchmark", at["results"], "--dataset", "d", "--model", "m", "--value", "auc"],
        "items": ["items", at["items"], "--item", "q", "--model", "m", "--correct", "ok"],
        "meta": ["meta", at["study"]],
        "readers": ["readers", at["readings"], "--reader", "r", "--case", "c", "--truth", "y", "--score", "s"],
        "forecast": ["forecast", at["old"], at["new"], "--label", "y", "--score", "p", "--resamples", "200"],
        "labels": ["evaluate", at["many"], *labels],
        "queries": ["evaluate", at["ranked"], "--label", "rel", "--score", "p", "--query", "q"],
    }


@pytest.mark.parametrize("kind", ["benchmark", "items", "meta", "readers", "forecast", "labels", "queries"])
def test_every_command_writes_its_page(run, files, kind, tmp_path):
    page, payload = tmp_path / "page.html", tmp_path / "page.json"
    done = run(*files[kind], "--html", page, "--payload", payload, "--title", "Mine")
    assert done.exit_code == 0, done.output
    text = page.read_text()
    said = f"<pre>unconfuse {files[kind][0]} {Path(files[kind][1]).name} "  # without the folders of this machine
    assert "<h1>Mine</h1>" in text and said in html.unescape(text)
    assert run("render", payload, "-o", tmp_path / "again.html").exit_code == 0
    assert (tmp_path / "again.html").read_text() == text
    refused = run(*files[kind], "--title", "Mine")
    assert refused.exit_code == 2 and "--title is the title of a page" in refused.output


WIDTHS = {"desktop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 800}}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_browser_shows_it_all_without_complaint(chromium, results, kind, width, tmp_path):
    path = results[kind].report(tmp_path / "page.html")
    context = chromium.new_context(viewport=WIDTHS[width], color_scheme="dark")
    said = []
    page = context.new_page()
    page.on("console", lambda each: said.append(each.text))
    page.goto(path.as_uri())
    try:
        assert said == []
        beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(beyond) <= 0
        paper, ink = (
            page.evaluate(f"getComputedStyle(document.querySelector({where!r})).{what}")
            for where, what in (("body", "backgroundColor"), (".picture text", "fill"))
        )
        assert paper == "rgb(27, 27, 27)" and ink == "rgb(236, 236, 236)", "words of pictures follow the dark ground"
    finally:
        context.close()
