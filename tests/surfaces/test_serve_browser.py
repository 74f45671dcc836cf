"""The web app in a browser: whole flows by mouse, by keyboard and on a phone, offline, and without barriers.

UNCONFUSE_SERVE_PICTURES=docs/serve puts the photographs of the documentation there anew.
"""

import csv
import io
import os
import random
import re
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web app needs starlette")

from unconfuse.demo import patients_path

AXE = Path(__file__).parents[2] / "build" / "tools" / "node_modules" / "axe-core" / "axe.min.js"
PHONE = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}
HEAR = (
    "addEventListener('securitypolicyviolation', e => console.error('CSP ' + e.violatedDirective + ' ' + e.blockedURI))"
)
BARRIERS = """async () => (await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice']}))
  .violations.map(each => `${each.id}: ${each.nodes.map(node => node.html.slice(0, 120)).join(' | ')}`)"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
WAIT = 60_000


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    """The first 400 simulated patients: enough to see, quick to judge."""
    path = tmp_path_factory.mktemp("patients") / "visits.csv"
    path.write_text("".join(patients_path().read_text().splitlines(keepends=True)[:401]))
    return path


@pytest.fixture
def visit(chromium, server):
    """Open pages as the one who started the server; complaints and requests to anywhere else are failures."""
    contexts, complaints = [], []
    server.client()

    def start(path="/", **options):
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 860}, **options})
        contexts.append(context)
        context.add_init_script(HEAR)
        context.add_cookies(
            [{"name": name, "value": each, "url": server.origin} for name, each in server.cookies.items()]
        )
        page = context.new_page()
        page.set_default_timeout(WAIT)
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda sent: sent.url.startswith(server.origin) or complaints.append(sent.url))
        page.goto(server.origin + path)
        return page

    yield start
    for each in contexts:
        each.close()
    assert [each for each in complaints if "status of 4" not in each] == []


def barriers(page):
    """What axe finds, if it is there."""
    if not AXE.exists():
        return []
    page.evaluate(AXE.read_text(encoding="utf-8"))
    return page.evaluate(BARRIERS)


def kept(page, name):
    """A photograph for the documentation, if they are being taken."""
    folder = os.environ.get("UNCONFUSE_SERVE_PICTURES")
    if folder:
        image = pytest.importorskip("PIL.Image").open(io.BytesIO(page.screenshot())).convert("RGB")
        width = 900 if image.width > 1000 else image.width
        small = image.resize((width, round(image.height * width / image.width)), resample=1)
        small.quantize(96, dither=0).save(Path(folder) / f"{name}.png", optimize=True)


def upload(page, path):
    page.set_input_files("#file", path)
    page.wait_for_url("**/files/*")


def workbook_of(path):
    """The same rows in the second sheet of a workbook."""
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.title = "Notes"
    book.active.append(["who", "when"])
    sheet = book.create_sheet("Visits")
    with path.open(newline="") as file:
        for row in csv.reader(file):
            sheet.append(row)
    book.save(path.with_suffix(".xlsx"))
    return path.with_suffix(".xlsx")


def evaluated(page):
    page.get_by_role("button", name="Evaluate").click()
    page.wait_for_url("**/evaluations/*")


def test_a_token_logs_in_and_out(visit, server):
    """Pages send no referrer, and so browsers say of their forms that they come from nowhere (`Origin: null`)."""
    page = visit("/static/app.css")
    page.context.clear_cookies()
    page.goto(f"{server.origin}/history")
    page.fill("#token", "wrong")
    page.get_by_role("button", name="Log in").click()
    page.get_by_text("This token is not known here").wait_for()
    page.fill("#token", server.token("add", "a browser"))
    page.get_by_role("button", name="Log in").click()
    page.get_by_text("a browser", exact=True).wait_for()
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login")
    page.goto(f"{server.origin}/history")
    assert page.locator("#token").is_visible()


@pytest.mark.parametrize("form", ["desktop", "phone"])
def test_from_a_file_to_a_saved_page(visit, patients, form):
    page = visit(**({} if form == "desktop" else PHONE))
    assert barriers(page) == [] and page.evaluate(OVERFLOW) <= 0
    if form == "desktop":
        kept(page, "desktop-home")
    if form == "desktop":
        upload(page, patients)
    else:
        upload(page, workbook_of(patients))
        assert "has several sheets: 'Notes', 'Visits'" in page.inner_text("[role=alert]")
        page.fill("#field-table", "Visits")
        page.get_by_role("button", name="Read it so").click()
        page.wait_for_url("**table=Visits*")
    assert page.input_value("#field-label") == "outcome" and page.input_value("#field-positive") == "yes"
    assert page.input_value("#field-score") == "risk" and "holds numbers between" in page.inner_text("#help-score")
    tabs = [each.bounding_box()["y"] for each in page.locator(".tabs a").all()]
    assert len(set(tabs)) == 1  # in one row, which a phone scrolls
    assert barriers(page) == [] and page.evaluate(OVERFLOW) <= 0
    if form == "desktop":
        kept(page, "desktop-file")
    page.fill("#field-name", f"risk on the {form}")
    page.fill("#field-tags", "ward 3, autumn")
    evaluated(page)
    frame = page.frame_locator("iframe.report")
    frame.locator("main").first.wait_for()
    assert page.locator("iframe.report").get_attribute("sandbox") == "allow-scripts allow-downloads"
    assert barriers(page) == [] and page.evaluate(OVERFLOW) <= 0
    page.wait_for_timeout(500)
    kept(page, f"{form}-saved")
    page.goto(page.url.partition("/evaluations")[0] + "/history")
    assert page.get_by_role("link", name=f"risk on the {form}").count() == 1
    assert barriers(page) == [] and page.evaluate(OVERFLOW) <= 0


def german_workbook(folder):
    """A sheet as clinics keep them: a title, decimal commas and thousands as text, and a note below the table."""
    book, rng = pytest.importorskip("openpyxl").Workbook(), random.Random(32)
    book.active.append(["Auswertung Notaufnahme, Klinikum Süd"])
    book.active.append([])
    book.active.append(["Fall", "Geschlecht", "Infarkt", "Troponin", "Risiko"])
    for case in range(300):
        ill = rng.random() < 0.25
        risk, troponin = min(max(rng.gauss(0.6 if ill else 0.25, 0.15), 0.01), 0.99), rng.uniform(900, 4000)
        written = f"{troponin:,.1f}".translate(str.maketrans(",.", ".,"))
        cells = [f"F{case:03}", rng.choice("mw"), "ja" if ill else "nein", written, f"{risk:.3f}".replace(".", ",")]
        book.active.append(cells)
    book.active.append([])
    book.active.append(["Quelle: Register, vorläufig"])
    book.save(folder / "Aufnahmen.xlsx")
    return folder / "Aufnahmen.xlsx"


def test_a_german_workbook_from_upload_to_page(visit, tmp_path):
    page = visit()
    upload(page, german_workbook(tmp_path))
    assert page.input_value("#field-label") == "Infarkt" and page.input_value("#field-positive") == "ja"
    assert page.input_value("#field-score") == "Risiko" and "has decimal commas" in page.inner_text(".title")
    assert "above the table was left out" in page.inner_text(".title") and barriers(page) == []
    kept(page, "workbook-file")
    page.fill("#field-positive_label", "ill")
    page.fill("#field-unit", "patients")
    evaluated(page)
    frame = page.frame_locator("iframe.report")
    frame.locator("#answer").wait_for()
    assert frame.locator("#answer").inner_text().startswith("Of 100 ill patients, it finds")
    assert page.locator("h1").all_inner_texts() == ["Risiko of Aufnahmen.xlsx"]
    assert not frame.locator("h1").first.is_visible(), "the title stands above the frame already"
    page.wait_for_timeout(500)
    kept(page, "workbook-saved")


def test_reasons_follow_the_choice_and_roles_the_file(visit, patients):
    page = visit()
    upload(page, patients)
    assert "Guessed: it is called outcome" in page.inner_text("#help-label")
    page.select_option("#field-label", "site")
    assert "Guessed" not in page.inner_text("#help-label") and page.input_value("#field-positive") != "yes"
    assert "Guessed" in page.inner_text("#help-positive")
    page.select_option("#field-positive", "practice")
    page.select_option("#field-score", "lab")
    page.get_by_role("link", name="Choose a threshold").click()
    page.wait_for_url("**question=thresholds*")
    chosen = [page.input_value(f"#field-{name}") for name in ("label", "positive", "score")]
    assert chosen == ["site", "practice", "lab"]
    page.get_by_role("button", name="Forget this file").click()
    page.wait_for_url(re.compile(r"//[^/]+/$"))
    page.go_back()
    page.get_by_text("this file is not here any more").wait_for()


def test_skipping_rows_is_a_button(visit, tmp_path):
    rows = "outcome,risk\n" + "yes,0.9\nno,0.1\nno,0.4\nyes,0.7\n" * 20 + "no,\n" * 15
    (tmp_path / "gaps.csv").write_text(rows)
    page = visit()
    upload(page, tmp_path / "gaps.csv")
    page.get_by_role("button", name="Evaluate").click()
    page.get_by_role("button", name="Skip these 15 rows").click()
    page.wait_for_url("**/evaluations/*")


def test_the_frame_has_no_rights(visit, server):
    page = visit("/counts")
    for name, count in {"tp": 40, "fp": 10, "fn": 5, "tn": 90}.items():
        page.fill(f"#field-{name}", str(count))
    evaluated(page)
    page.frame_locator("iframe.report").locator("main").first.wait_for()
    inside = page.frames[1]
    assert inside.evaluate("origin") == "null"
    assert inside.evaluate("(() => {try {return document.cookie} catch (e) {return e.name}})()") == "SecurityError"
    reach = "(() => {try {return parent.document.title} catch (e) {return e.name}})()"
    assert inside.evaluate(reach) == "SecurityError"
    alone = visit(page.url.removeprefix(server.origin) + "/page")
    assert alone.evaluate("origin") == "null", "even when it is opened by itself"


def test_by_keyboard_alone(visit):
    page = visit("/counts")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    for count in ("30", "4", "6", "60"):
        page.keyboard.press("Tab")
        page.keyboard.type(count)
    seen = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.textContent || document.activeElement.id"))
        if page.evaluate("document.activeElement.type") == "submit":
            break
    assert {"More options", "field-name", "field-tags", "Evaluate"} <= seen
    page.keyboard.press("Enter")
    page.wait_for_url("**/evaluations/*")
    page.get_by_text("Edit", exact=True).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("typed in")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="typed in", level=1).wait_for()


def test_refusals_appear_beside_their_field(visit, patients):
    page = visit()
    upload(page, patients)
    page.select_option("#field-positive", "")
    page.get_by_role("button", name="Evaluate").click()
    page.locator("#error-positive:visible").wait_for()
    assert "which label is positive?" in page.inner_text("#error-positive")
    assert page.get_attribute("#field-positive", "aria-invalid") == "true"
    assert page.evaluate("document.activeElement.id") == "field-positive" and barriers(page) == []
    page.select_option("#field-label", "site")
    assert page.locator("#field-positive option").all_inner_texts()[1:] == ["hospital", "practice"]
    page.fill("#field-threshold", "much")
    page.get_by_role("button", name="Evaluate").click()
    page.locator("#error-threshold:visible").wait_for()
    assert "'much' is not a number" in page.inner_text("#error-threshold")
    bad = visit()
    bad.set_input_files("#file", {"name": "bad.csv", "mimeType": "text/csv", "buffer": b"\0" * 100})
    bad.get_by_role("alert").filter(has_text="bad.csv").wait_for()


def test_compare_thresholds_and_cancel(visit, patients):
    page = visit()
    upload(page, patients)
    page.get_by_role("link", name="Compare models").click()
    page.uncheck("fieldset[data-field=score] input[value=rule]")
    assert barriers(page) == []
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url("**/evaluations/*")
    page.go_back()
    page.get_by_role("link", name="Choose a threshold").click()
    page.get_by_label("Who pays 1").fill("clinic")
    page.get_by_label("False positive 1").fill("1")
    page.get_by_label("Missed case 1").fill("20")
    kept(page, "desktop-thresholds")
    page.get_by_role("button", name="Find thresholds").click()
    page.wait_for_url("**/evaluations/*")
    page.frame_locator("iframe.report").get_by_text("clinic").first.wait_for(state="attached")
    page.go_back()
    page.get_by_role("link", name="Which metric to trust").click()
    page.select_option("#field-method", "full")
    page.get_by_role("button", name="Find out").click()
    page.get_by_role("button", name="Cancel").click()
    page.locator("#working").wait_for(state="hidden")
    assert "question=resolve" in page.url and page.get_by_role("button", name="Find out").is_enabled()


def test_history_edit_compare_export_trend_and_delete(visit, server, tmp_path):
    client = server.client()
    counts = {"tp": 40, "fp": 10, "fn": 5, "tn": 90}
    for name in ("first test", "second test"):
        assert server.ask(client, "counts", counts | {"fn": len(name)}, name=name, tags=["paper"])["state"] == "done"
    page = visit("/history?tag=paper")
    assert page.locator("article.card").count() == 2 and page.get_by_role("button", name="Compare").is_disabled()
    for each in page.locator(".tick").all():
        each.check()
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url("**/evaluations/*")
    page.get_by_text("unpaired, as independent samples").wait_for()
    page.get_by_text("Edit", exact=True).click()
    page.fill("#edit-note", "to be <b>read</b>")
    page.get_by_role("button", name="Save").click()
    page.locator("p.note", has_text="to be <b>read</b>").wait_for()
    page.get_by_text("Download", exact=True).click()
    with page.expect_download() as got:
        page.get_by_role("link", name="Page (HTML)").click()
    got.value.save_as(tmp_path / "page.html")
    assert "<title>first test vs second test" in (tmp_path / "page.html").read_text()
    page.get_by_text("Edit", exact=True).click()
    page.get_by_role("button", name="Delete this evaluation").click()
    page.get_by_role("button", name="Really delete it?").click()
    page.wait_for_url("**/history")
    assert page.get_by_role("link", name="first test against").count() == 0
    kept(page, "desktop-history")
    page.goto(f"{server.origin}/trend?metric=sensitivity")
    assert page.locator(".trend-dot").count() >= 2 and barriers(page) == []
    kept(page, "desktop-trend")
    with page.expect_download() as got:
        page.goto(f"{server.origin}/history")
        page.get_by_role("link", name="Export everything").click()
    assert got.value.suggested_filename == "unconfuse-history.jsonl.gz"


def test_a_dropped_file_and_example_data(visit, patients):
    page = visit()
    transfer = page.evaluate_handle(
        "text => {const t = new DataTransfer(); t.items.add(new File([text], 'dropped.csv')); return t;}",
        patients.read_text(),
    )
    page.dispatch_event("#drop", "drop", {"dataTransfer": transfer})
    page.wait_for_url("**/files/*")
    assert page.inner_text("h1") == "dropped.csv"
    page.goto(re.sub(r"/files/.*", "/", page.url))
    page.get_by_role("button", name="a camera that names animals").click()
    page.wait_for_url("**/files/*")
    assert page.input_value("#field-scores") == "new_*"


def test_long_names_leave_buttons_and_words_whole(visit, server):
    client = server.client()
    job = server.ask(client, "counts", {"tp": 9, "fp": 1, "fn": 2, "tn": 20}, name="every model of the year " * 6)
    page = visit(f"/evaluations/{job['evaluation']}")
    for word in ("Download", "Edit"):
        assert page.get_by_text(word, exact=True).bounding_box()["height"] < 60, word
    page = visit("/trend?metric=sensitivity", viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    head = page.get_by_role("columnheader", name="Evaluation")
    assert head.bounding_box()["height"] < 90 and head.bounding_box()["width"] > 70


def test_other_pages_and_the_dark_have_no_barriers(visit, chromium, server):
    for path in ("/plan", "/matrix", "/nothing", "/trend", "/evaluations/0123456789abcdef"):
        page = visit(path, color_scheme="dark")
        assert barriers(page) == [], path
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{server.origin}/history")
    assert page.get_by_label("Token").is_visible() and barriers(page) == []
    context.close()


def test_the_documentation_shows_its_photographs():
    docs = Path(__file__).parents[2] / "docs"
    shown = set(re.findall(r"\]\(serve/(.+?)\)", (docs / "serve.md").read_text(encoding="utf-8")))
    assert shown == {path.name for path in (docs / "serve").glob("*.png")}
    assert all((docs / "serve" / each).stat().st_size < 120_000 for each in shown)
