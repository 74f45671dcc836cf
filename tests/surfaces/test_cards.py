"""Cards in notebooks: small, escaped, without script or anything fetched, whole after export, readable in dark."""

import re
import warnings
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc
from unconfuse import _html_repr

NASTY = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\x1b[31m\u202e"
VOID = {"path", "circle", "rect", "polyline"}


@pytest.fixture(scope="module")
def results():
    rng = np.random.default_rng(5)
    y = rng.random(5000) < 0.2
    s = 1 / (1 + np.exp(-(rng.normal(size=5000) + 1.5 * y - 1)))
    models = {NASTY * 100: s, "b": rng.random(5000), "c": 1 - s}
    counts = uc.Counts(tp=141, fp=0, fn=67, tn=31)
    ev = uc.evaluate(y, s, n_resamples=100, name=NASTY * 100)
    site = [f"{NASTY} {place % 40}" for place in range(len(y))]
    many = [f"{NASTY}{place % 60}" for place in range(600)]
    return {
        "evaluation": ev,
        "counts": uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31),
        "empty": uc.evaluate_counts(tp=0, fp=0, fn=5, tn=7),
        "estimate": ev["auroc"],
        "undefined": uc.evaluate_counts(tp=0, fp=0, fn=5, tn=7)["precision"],
        "infinite": uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31)["lr_positive"],
        "subgroups": uc.evaluate(y, s, by={NASTY: site}, metrics=["auroc", "sensitivity"], n_resamples=100).subgroups,
        "many classes": uc.evaluate(many, predicted=many[1:] + many[:1], n_resamples=100),
        "confusion": uc.evaluate_confusion([[5, 1, 0], [2, 9, 0], [0, 1, 3]], classes=[NASTY, "b", "c"]).confusion,
        "comparison": uc.compare(y, models, n_resamples=100),
        "thresholds": uc.threshold_card(y, s, costs={NASTY: (1, 9)}, n_resamples=50),
        "items": uc.items({"q": [1, 2, 3] * 2, "m": [NASTY] * 3 + ["b"] * 3, "ok": [1, 1, 0, 1, 0, 0]}),
        "guarantee": uc.guarantee(y, s, "precision", at_least=0.5),
        "studies": uc.meta_analysis({f"{NASTY}{i}": uc.Counts(tp=9 + i, fp=i, fn=2, tn=30) for i in range(4)}),
        "data sets": uc.benchmark(
            {"d": [1, 1, 2, 2, 3, 3], "m": [NASTY, "b"] * 3, "v": [0.5, 0.6, 0.7, 0.7, 0.4, 0.6]},
            dataset="d",
            model="m",
            value="v",
        ),
        "recalibration": uc.recalibrate(y, s),
        "operating point": uc.threshold_card(y, s, n_resamples=50)["youden"],
        "resolving": uc.resolving_power(uc.Binormal(), n=500, prevalence=0.1, at=[0.6, 0.99], method="asymptotic"),
        "resolution": uc.resolving_power(uc.Binormal(), n=500, prevalence=0.1, at=0.8, method="asymptotic")["auroc"],
        "indistinguishability": uc.indistinguishability(y, s, n_resamples=100),
        "bayes": uc.bayes(prevalence=0.01, sensitivity=0.9, specificity=0.95),
        "reconstruction": uc.reconstruct(sensitivity=".93", n=120, accuracy=".85"),
        "reconstructions": uc.reconstruct([{"paper": NASTY, "sensitivity": ".94", "positives": 41, "fp": 1, "tn": 1}]),
        "person": uc.posterior(counts, prior=0.05),
        "usefulness": uc.usefulness(counts),
        "ledger": ev.definitions("auprc"),
        "slices": uc.find_slices(y, s, by={NASTY: np.arange(len(y)) % 2}, min_cases=5, metric="accuracy"),
    }


class Tags(HTMLParser):
    """Every tag and attribute, and whether all that is opened is closed."""

    def __init__(self, page):
        super().__init__()
        self.found, self.attributes, self.open = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_cards_are_small_and_well_formed(results):
    for name, result in results.items():
        page = result._repr_html_()
        assert len(page.encode()) < 12_000, name
        tags = Tags(page)
        assert not tags.open, name
        assert "nan" not in re.sub(r"[a-z]*nan[a-z]+", "", page.lower()) and "None" not in page, name


def test_nothing_runs_and_nothing_is_fetched(results):
    for name, result in results.items():
        tags = Tags(result._repr_html_())
        assert not {"script", "img", "iframe", "link", "object", "a"} & set(tags.found), name
        assert not [key for key, _ in tags.attributes if key.startswith("on") or key in ("src", "href", "xlink:href")]
        page = result._repr_html_()
        assert "http" not in page and "url(" not in page and "@import" not in page
        assert not set(page) & set("\x1b\u202e\x07")


def test_evaluation_card_shows_what_matters(results):
    page = results["evaluation"]._repr_html_()
    for each in results["evaluation"].headline:
        assert f"{each.value:.3f}" in page
    assert page.count("<svg") == 7 and "TP" in page
    assert "Better than guessing" in page


def test_the_point_of_the_small_roc_is_where_the_numbers_say(results):
    ev = results["evaluation"]
    x, y = re.search(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="3.5"', ev._repr_html_()).groups()
    assert float(x) / 108 == pytest.approx(1 - ev["specificity"].value, abs=0.001)
    assert 1 - float(y) / 108 == pytest.approx(ev["sensitivity"].value, abs=0.001)


def test_bars_are_where_the_numbers_say():
    page = _html_repr.bar(0.5, 0.25, 0.75, (0.0, 1.0), 0.1)
    assert 'cx="75.0"' in page and "M37.5 7.0H112.5" in page and "M15.0 1V13" in page
    assert _html_repr.bar(float("nan"), 0, 1, (0, 1)) == "" and _html_repr.bar(0.5, 0, 1, None) == ""


def test_cards_survive_the_export_of_a_notebook(results, monkeypatch):
    nbformat, nbconvert = pytest.importorskip("nbformat"), pytest.importorskip("nbconvert")
    page = results["evaluation"]._repr_html_()
    book = nbformat.v4.new_notebook()
    output = nbformat.v4.new_output("execute_result", {"text/html": page, "text/plain": "x"}, execution_count=1)
    book.cells.append(nbformat.v4.new_code_cell("ev", execution_count=1, outputs=[output]))
    monkeypatch.setenv("JUPYTER_PATH", str(Path(nbconvert.__file__).parents[4] / "share" / "jupyter"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it misses the colours of IPython where that is not installed
        exported, _ = nbconvert.HTMLExporter().from_notebook_node(book)
    drawn = re.findall(r'points="[^"]+"|cx="[\d.]+"|d="[^"]+"', page)
    assert len(drawn) > 20 and all(piece in exported for piece in drawn)
    assert all(f"{each.value:.3f}" in exported for each in results["evaluation"].headline)
    assert "<script>alert" not in exported and ".uc-card{" in exported


@pytest.mark.needs("browser")
def test_words_can_be_read_in_light_and_in_dark(results, tmp_path):
    """The browser's own colours: words keep a contrast of 4.5 to the page, and nothing is wider than it."""
    playwright = pytest.importorskip("playwright.sync_api")
    browser = Path("/usr/bin/chromium")
    if not browser.exists():
        pytest.skip("chromium is not on this machine")
    pages = "".join(result._repr_html_() for result in results.values())
    flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]
    with playwright.sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=str(browser), args=flags)
        for scheme, ground in (("light", 255), ("dark", 18)):
            page = chromium.new_page(color_scheme=scheme, viewport={"width": 900, "height": 700})
            (tmp_path / f"{scheme}.html").write_text(
                "<!doctype html><meta charset=utf-8><meta name=color-scheme content='light dark'>" + pages,
                encoding="utf-8",
            )
            page.goto((tmp_path / f"{scheme}.html").as_uri())
            inks = page.evaluate(
                "[...document.querySelectorAll('.uc-card, .uc-card td, .uc-card p')]"
                ".map(each => getComputedStyle(each).color.match(/\\d+/g).slice(0, 3).map(Number))"
            )
            faint = min(_contrast([0.72 * part + 0.28 * ground for part in ink], [ground] * 3) for ink in inks)
            assert faint >= 4.5, scheme
        chromium.close()


def _contrast(first, second):
    bright, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour):
    parts = np.asarray(colour) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])
