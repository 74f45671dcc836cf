"""The first screen in a browser: it holds the answer at both sizes, and follows its sliders as Python computes."""

import json
import math
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.explorer.packing import packed
from unconfuse.report import PageOptions, payload_of
from unconfuse.report.citation import fingerprint_of
from unconfuse.results.natural_frequencies import answer, in_whole
from unconfuse.uncertainty import estimate_counts

ROOT = Path(__file__).parents[2]
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
NAMES = {"positive_label": "ill", "unit": "patients"}


def labels(n=600, seed=3):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.2
    return y, 1 / (1 + np.exp(-(1.6 * y + rng.normal(size=n) - 2))).round(3)


def evaluated():
    y, s = labels()
    return uc.evaluate(y, s, threshold=0.2, n_resamples=100, name="Risk of readmission")


def compared():
    y, s = labels()
    noise = np.random.default_rng(4).normal(size=600)
    other = 1 / (1 + np.exp(-(np.log(s / (1 - s)) * 0.5 + noise - 1)))
    return uc.compare(y, {"new": s, "old": other}, threshold=0.2, n_resamples=100, metrics=["auroc", "accuracy"])


def divided():
    y, s = labels()
    site = np.array(["North", "South", "West"])[np.arange(600) % 3]
    return uc.evaluate(y, s, threshold=0.2, by={"site": site}, n_resamples=100, metrics=["sensitivity", "auroc"])


MADE = {
    "evaluation": evaluated,
    "comparison": compared,
    "subgroups": divided,
    "counts": lambda: uc.evaluate_counts(tp=182, fp=11, fn=18, tn=189),
    "few": lambda: uc.evaluate([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], n_resamples=100),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Each page is made once."""
    folder, known = tmp_path_factory.mktemp("first"), {}

    def make(name):
        if name not in known:
            result = MADE[name]()
            known[name] = result, result.report(folder / f"{name}.html", **NAMES)
        return known[name]

    return make


BOTTOM = "ids => ids.map(id => document.querySelector(id).getBoundingClientRect().bottom)"
MOVE = """([id, value]) => {
  const input = document.getElementById(id);
  input.value = value;
  input.dispatchEvent(new Event('input'));
}"""


def wait_until(page, expression):
    """As `wait_for_function`, which the page's policy forbids."""
    for _ in range(100):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}")


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("name", MADE)
def test_first_screen_holds_the_answer(written, open_page, name, size):
    page = open_page(written(name)[1], viewport=size)
    parts = ["h1", "#about", "#answer", "#verdict", "#where", ".people", "#prevalence-slider"]
    parts += [f"#first-{each}" for each in ("sensitivity", "specificity", "precision")]
    parts += [f"#first-range-{each}" for each in ("sensitivity", "specificity", "precision")]
    parts += ["#threshold-slider"] if name != "counts" else []
    parts += ["#lead"] if name in ("comparison", "subgroups") else []
    assert all(page.is_visible(each) and page.text_content(each) is not None for each in parts)
    assert max(page.evaluate(BOTTOM, parts)) <= size["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    about = page.text_content("#about")
    assert " patients" in about and re.search(r"\d{1,2} \w+ 20\d\d", about)


def test_moving_a_slider_changes_the_sentence_the_dots_and_the_numbers_to_what_python_computes(written, open_page):
    evaluation, path = written("evaluation")
    page, seen = open_page(path), set()
    most = int(page.get_attribute("#threshold-slider", "max"))
    for stop in {round(each) for each in np.linspace(0, most, 9)}:
        page.evaluate(MOVE, ["threshold-slider", stop])
        for place in (None, 120, 480, 900):
            page.click("#prevalence-own") if place is None else page.evaluate(MOVE, ["prevalence-slider", place])
            threshold = page.get_attribute("#threshold-slider-text", "data-value")
            counts = evaluation.table.counts_at(float(threshold.replace("Infinity", "inf")))
            prevalence = None if place is None else float(page.get_attribute("#prevalence-slider-text", "data-value"))
            there = counts if prevalence is None else counts.at_prevalence(prevalence)
            said = page.text_content("#answer")
            right = page.locator("#first-precision")
            limits = tuple(float(right.get_attribute(f"data-{end}")) for end in ("low", "high"))
            assert said == answer(counts, prevalence, limits, positive="ill", unit="patients")
            whole = in_whole(there)
            for cell, look in {"tp": "found", "fn": "missed", "fp": "alarmed", "tn": "alone"}.items():
                assert int(page.get_attribute(f"#thousand-{cell}", "data-whole")) == whole[cell]
                drawn = page.get_attribute(f".dots.{look}", "d") or ""
                assert drawn.count("M") == whole[cell]
            for name in ("sensitivity", "specificity", "precision"):
                shown = page.locator(f"#first-{name}")
                value = float(shown.get_attribute("data-value"))
                assert value == pytest.approx(float(uc.METRICS[name](there)), rel=1e-9, nan_ok=True)
            for name in ("sensitivity", "precision") if prevalence is None else ("sensitivity",):
                own, shown = estimate_counts(uc.METRICS[name], counts), page.locator(f"#first-{name}")
                for end in ("low", "high"):
                    assert float(shown.get_attribute(f"data-{end}")) == pytest.approx(
                        getattr(own, end), rel=1e-4, nan_ok=True
                    )
            seen.add(said)
    assert len(seen) > 12


def test_the_verdict_follows_the_threshold(written, open_page):
    evaluation, path = written("evaluation")
    page, seen = open_page(path), set()
    for stop in range(int(page.get_attribute("#threshold-slider", "max")) + 1):
        page.evaluate(MOVE, ["threshold-slider", stop])
        threshold = page.get_attribute("#threshold-slider-text", "data-value").replace("Infinity", "inf")
        verdict = uc.usefulness(evaluation.table.counts_at(float(threshold))).verdict
        assert page.text_content("#verdict").lower() == verdict
        seen.add(verdict)
    assert len(seen) > 1


def test_a_case_control_study_asks_for_the_prevalence_before_anything_is_said_about_the_flagged(tmp_path, open_page):
    study = uc.evaluate_counts(tp=109, fp=29, fn=11, tn=211, design="case-control")
    page = open_page(study.report(tmp_path / "study.html", **NAMES))
    said = page.text_content("#answer")
    assert said == answer(study.counts, asks=True, positive="ill", unit="patients") and said.endswith("set it.")
    assert not page.is_visible("#first-precision") and "once you set the prevalence" in page.text_content(
        "#thousand-words"
    )
    assert all(
        page.text_content(f"#{each}") == "?" for each in ("thousand-tp", "thousand-fp", "prevalence-slider-text")
    )
    assert page.input_value("#prevalence-typed") == "" and not page.get_attribute(".dots.found", "d")
    page.evaluate(MOVE, ["prevalence-slider", 300])
    assert (
        page.text_content("#thousand-tp") != "?"
        and page.get_attribute(".dots.found", "d")
        and page.is_visible("#first-precision")
    )
    assert "95% interval" in page.text_content("#answer") and "where " in page.text_content("#thousand-words")
    known = open_page(study.report(tmp_path / "known.html", prevalence=0.02, **NAMES))
    assert known.is_visible(".people") and "are ill" in known.text_content("#answer")
    known.click("#prevalence-own")
    assert known.text_content("#answer") == said and known.text_content("#prevalence-own") == "not known"


def test_the_dots_say_in_sight_whose_they_are(written, open_page):
    page = open_page(written("counts")[1])
    assert page.is_visible("#thousand-words")
    assert page.text_content("#thousand-words") == "1,000 patients like these, with 95% intervals"


def test_the_dots_and_their_intervals_are_whole(tmp_path, open_page):
    """Whole cases, rounded outwards: an interval of 10.8 to 20.2 cases is 10 to 21."""
    study = uc.evaluate_counts(tp=30, fp=9, fn=12, tn=700)
    page = open_page(study.report(tmp_path / "dots.html"))
    share = 42 / 751
    for cell, rate, part in (("tp", "sensitivity", share), ("tn", "specificity", 1 - share)):
        low, high = map(int, page.text_content(f"#thousand-range-{cell}").replace(",", "").split(" to "))
        assert low == math.floor(1000 * part * study[rate].low) and high == math.ceil(1000 * part * study[rate].high)


def test_the_page_says_what_holds_at_the_indistinguishability_threshold(written, open_page):
    evaluation, path = written("evaluation")
    said = open_page(path).text_content("#indistinguishable")
    found = uc.indistinguishability(evaluation.sample, n_resamples=evaluation.n_resamples, rng=evaluation.seed)
    assert said == found.full_sentence and "C(r_60)" in said and "look just like" not in said


def test_choices_stand_in_the_address(written, open_page):
    _, path = written("evaluation")
    page = open_page(path)
    page.evaluate(MOVE, ["threshold-slider", 20])
    page.evaluate(MOVE, ["prevalence-slider", 300])
    wait_until(page, "location.hash.includes('prevalence=')")
    texts = [page.text_content(each) for each in ("#answer", "#where")]
    again = open_page(path)
    again.goto(page.evaluate("location.href"))
    again.reload()
    assert [again.text_content(each) for each in ("#answer", "#where")] == texts
    again.goto(path.as_uri() + "#calibration")
    wait_until(again, "document.getElementById('calibration').open")
    again.goto(path.as_uri() + "#threshold=nonsense&prevalence=7&model=99")
    assert again.is_visible("#answer")


def test_a_click_on_a_curve_sets_the_threshold(written, open_page):
    _, path = written("evaluation")
    page = open_page(path)
    before = page.text_content("#threshold-slider-text")
    chart = page.locator("#threshold svg.chart").first
    chart.click(position={"x": 0.8 * chart.bounding_box()["width"], "y": 60})
    assert page.text_content("#threshold-slider-text") != before
    page.evaluate("document.getElementById('curves').open = true")
    chart = page.locator("#curves svg.chart").first
    box = chart.bounding_box()
    chart.click(position={"x": 0.12 * box["width"], "y": 0.8 * box["height"]})
    assert float(page.get_attribute("#first-sensitivity", "data-value")) < 0.5
    chart.click(position={"x": 0.95 * box["width"], "y": 0.1 * box["height"]})
    assert float(page.get_attribute("#first-sensitivity", "data-value")) > 0.9


def test_numbers_and_pictures_can_be_taken_along(written, open_page):
    _, path = written("evaluation")
    page = open_page(path)
    saved = {}
    for kind, ending in {"Numbers (CSV)": "csv", "Picture (SVG)": "svg", "Picture (PNG)": "png"}.items():
        page.locator("#threshold figure > .menu > summary").first.click()
        with page.expect_download() as waiting:
            page.locator("#threshold figure > .menu button", has_text=kind).first.click()
        assert waiting.value.suggested_filename.endswith(f".{ending}")
        saved[ending] = Path(waiting.value.path()).read_bytes()
    assert saved["csv"].count(b"\n") > 10 and saved["svg"].startswith(b"<svg") and saved["png"].startswith(b"\x89PNG")
    page.click(".tools .menu > summary")
    with page.expect_download() as waiting:
        page.click("#save-numbers")
    assert b"sensitivity" in Path(waiting.value.path()).read_bytes()


SEEN_ON_PAPER = """addEventListener('beforeprint', () => {
  const seen = id => document.getElementById(id)?.closest('details')?.open ?? null;
  window.onPaper = {citation: seen('citation'), curves: document.getElementById('curves')?.open};
})"""


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_print_is_two_sheets(written, open_page, name, paper):
    """Issue 36: the answer on the first sheet; findings, main metrics, curves, data and citation on the second."""
    page = open_page(written(name)[1])
    page.evaluate(SEEN_ON_PAPER)
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) == 2
    assert page.evaluate("onPaper.citation") is True
    assert page.evaluate("onPaper.curves") in (True, None)
    assert not page.evaluate("[...document.querySelectorAll('#statistician > details')].some(each => each.open)")
    assert not page.evaluate("document.documentElement.classList.contains('two-sheets')")


@pytest.mark.parametrize("name", MADE)
def test_page_cites_itself(written, open_page, name):
    result, path = written(name)
    page = open_page(path)
    told = page.text_content("#citation")
    assert f"unconfuse {uc.__version__}" in told and "SHA-256" in told
    assert result.payload()["citation"]["fingerprint"] == fingerprint_of(result)[0]
    assert fingerprint_of(result)[0][:16] in told
    page.focus("#unfold")
    page.keyboard.press("Enter")
    assert page.is_visible("#cite-text") and page.is_visible("#cite-bibtex")


def test_every_picture_can_be_taken_along_by_keyboard(written, open_page):
    """Its numbers are those that are drawn: as many rows as the picture has points."""
    page = open_page(written("evaluation")[1])
    page.evaluate("for (const each of document.querySelectorAll('details.fold')) each.open = true")
    without = "all => all.filter(each => each.querySelector('svg.chart') && !each.querySelector('.menu')).length"
    assert page.eval_on_selector_all("figure", without) == 0
    page.focus("#curves figure .menu > summary")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    lines = Path(waiting.value.path()).read_text().splitlines()
    assert lines[0] == "line,False positive rate,Sensitivity" and len(lines) > 20


def test_embedded_page_is_titled_and_can_save(written, open_page, tmp_path):
    evaluation, path = written("evaluation")
    inside, beside = evaluation.embed(title="Risk <b>&"), evaluation.embed(path.name, title='"Risk"', height=500)
    assert 'title="Risk &lt;b&gt;&amp; (unconfuse)"' in inside and "allow-downloads" in inside
    assert f'src="{path.name}"' in beside and 'height="500"' in beside and "&quot;Risk&quot;" in beside
    outer = tmp_path / "outer.html"
    outer.write_text(f"<!DOCTYPE html><meta charset=utf-8>{inside}", encoding="utf-8")
    page = open_page(outer)
    frame = page.frame_locator("iframe")
    frame.locator(".share-menu summary").click(timeout=5000)
    with page.expect_download() as waiting:
        frame.locator("#save-numbers").click()
    assert b"sensitivity" in Path(waiting.value.path()).read_bytes()


@pytest.mark.parametrize("wrong", [{"src": ""}, {"src": "javascript:alert(1)"}, {"height": 10}])
def test_what_cannot_be_embedded_is_refused(wrong):
    with pytest.raises(uc.UnconfuseError):
        MADE["counts"]().embed(**wrong)


def test_fingerprint_is_of_the_data_alone():
    y, s = labels()
    order = np.random.default_rng(0).permutation(len(y))

    def found(*data, **how):
        return fingerprint_of(uc.evaluate(*data, n_resamples=100, **how))[0]

    assert found(y, s) == found(y[order], s[order]) == found(y, s, threshold=0.7, metrics=["auroc"])
    assert found(y, s) != found(y, np.where(s == s.max(), s + 0.0001, s))


def test_phone_keeps_one_slider_at_hand(written, open_page):
    page = open_page(written("evaluation")[1], viewport=PHONE)
    assert not page.is_visible("#sticky")
    page.evaluate("document.getElementById('prevalence').scrollIntoView()")
    wait_until(page, "!document.getElementById('sticky').hidden")
    assert page.locator("#sticky").bounding_box()["height"] <= 64
    assert page.is_visible("#bar-threshold") and not page.is_visible("#bar-prevalence")
    page.click("#sticky .turn")
    assert page.is_visible("#bar-prevalence") and not page.is_visible("#bar-threshold")
    page.evaluate(MOVE, ["bar-threshold", 3])
    assert page.input_value("#threshold-slider") == "3"


def test_works_inside_another_page_without_storage(written, open_page, tmp_path):
    evaluation, _ = written("evaluation")
    path = tmp_path / "outer.html"
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8>{evaluation.explore(**NAMES)._repr_html_()}", encoding="utf-8")
    frame = open_page(path).frame_locator("iframe")
    frame.locator("#answer").wait_for(timeout=5000)
    before = frame.locator("#answer").text_content()
    frame.locator("#threshold-slider").evaluate("node => { node.value = 3; node.dispatchEvent(new Event('input')); }")
    assert frame.locator("#answer").text_content() != before


def test_statisticians_sections_show_pythons_numbers(written, open_page):
    evaluation, path = written("evaluation")
    page = open_page(path)
    for name, each in evaluation.calibration.estimates().items():
        shown = page.get_attribute(f"[data-calibration={name}]", "data-value")
        assert float(shown) == pytest.approx(each.value, rel=1e-12, abs=1e-15)
    assert evaluation.calibration.sentence in page.text_content("#calibration")
    found, path = written("comparison")
    assert found.decision_curve().sentence in open_page(path).text_content("#net-benefits")


def test_packed_columns_come_back_exactly(written):
    if shutil.which("node") is None:
        pytest.skip("node, which runs the page's scripts outside a browser, is not installed")
    payload = json.loads(json.dumps(payload_of(written("evaluation")[0])))
    payload["named"] = {f"{place}": {"$": place, "of": [place, "x"]} for place in range(9)}
    payload["nothing"] = ""
    payload["odd"] = [0.1, -3, None, "inf", "-inf", 1e-15, 123456.789, 0, 2.5, 7e15]
    module = (ROOT / "src" / "unconfuse" / "explorer" / "packing.js").as_uri()
    script = (
        f"import {{revived}} from '{module}'; let text = ''; for await (const part of process.stdin) text += part;"
        "console.log(JSON.stringify(JSON.parse(text, revived)));"
    )
    short = json.dumps(packed(payload))
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script], input=short, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == payload and len(short) < 0.6 * len(json.dumps(payload))


def test_words_of_the_page(data_files, run, tmp_path):
    where = [
        "evaluate",
        data_files["data.csv"],
        "--label",
        "y",
        "--positive",
        "ill",
        "--score",
        "p",
        "--resamples",
        "100",
    ]
    stored = tmp_path / "payload.json"
    done = run(*where, "--payload", stored, "--unit", "patients", "--title", "Risk")
    assert done.exit_code == 0, done.output
    made = json.loads(stored.read_text(encoding="utf-8"))
    assert made["words"] == {"positive": "ill", "unit": "patients", "label": "ill"} and made["title"] == "Risk"
    for option in ("--unit", "--positive-label"):
        refused = run(*where, option, "people")
        assert refused.exit_code == 2 and "needs --html" in refused.stderr
    with pytest.raises(uc.UnconfuseError, match="at most 40"):
        PageOptions(unit="x" * 41)
    classes = uc.evaluate([0, 1, 2] * 5, predicted=[0, 1, 1] * 5, n_resamples=100)
    with pytest.raises(uc.UnconfuseError, match="no positive label"):
        classes.report(tmp_path / "page.html", positive_label="ill")


def test_every_answer_is_where_the_documentation_says(written, open_page):
    text = (ROOT / "docs" / "ten-questions.md").read_text(encoding="utf-8")
    rows = [each for each in text.splitlines() if each.startswith("| ") and each.rstrip(" |")[-1].isdigit()]
    assert len(rows) == 10 and all(int(each.rstrip(" |")[-1]) <= 2 for each in rows)
    page = open_page(written("evaluation")[1])
    for words in ("Threshold and costs", "Elsewhere", "For the statistician"):
        target = page.locator("nav a", has_text=words).get_attribute("href")
        assert page.locator(target).count() == 1
