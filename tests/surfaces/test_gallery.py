"""The gallery of the documentation: its pages are made, photographed, and say what the documentation quotes.

`make gallery` runs this with UNCONFUSE_GALLERY=docs/gallery, which is where the photographs then go.
"""

import io
import os
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
GALLERY = runpy.run_path(str(ROOT / "examples" / "gallery.py"))
FORMS = {  # what a page looks like to people: both sizes, light and dark
    "light": {"viewport": {"width": 1440, "height": 900}},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}},
    "phone, dark": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}
MOST_BYTES, HEIGHT, GAP = 200_000, 520, 12
PRINTED = "print.png"
FIRST = "#first p:visible"  # the sentences that a reader meets first


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    return GALLERY["write_pages"](tmp_path_factory.mktemp("gallery"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    given = os.environ.get("UNCONFUSE_GALLERY")
    made = Path(given) if given else tmp_path_factory.mktemp("photographs")
    made.mkdir(exist_ok=True)
    return made


def sheet(photographs):
    """All photographs side by side, in few colours: small enough to keep."""
    pictures = pytest.importorskip("PIL.Image")
    shown = [pictures.open(io.BytesIO(each)).convert("RGB") for each in photographs]
    scaled = [each.resize((round(each.width * HEIGHT / each.height), HEIGHT), resample=1) for each in shown]
    made = pictures.new("RGB", (sum(each.width + GAP for each in scaled) - GAP, HEIGHT), "#8a9098")
    left = 0
    for each in scaled:
        made.paste(each, (left, 0))
        left += each.width + GAP
    return made.quantize(64, method=1, dither=0)  # rare colours are kept: a little orange is what a picture is about


@pytest.mark.filterwarnings("ignore:all scores are", "ignore:.*too good")
@pytest.mark.parametrize("name", GALLERY["CASES"])
def test_photographs(open_page, pages, folder, name):
    photographs = [open_page(pages[name], **how).screenshot() for how in FORMS.values()]
    path = folder / f"{name}.png"
    sheet(photographs).save(path, optimize=True)
    from PIL import Image

    assert path.stat().st_size < MOST_BYTES
    shades = np.asarray(Image.open(path).convert("L"))
    assert shades.std() > 10 and (shades < 200).mean() > 0.005, "a blank photograph"


def test_print(open_page, pages, folder):
    page = open_page(pages["spam-filter"], viewport={"width": 794, "height": 1123}, color_scheme="dark")
    page.emulate_media(media="print")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"), "dark paper wastes ink"
    sheet([page.screenshot()]).save(folder / PRINTED, optimize=True)


def test_documentation_quotes_the_pages(open_page, pages):
    parts = re.split(r"^## .*\n", (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert len(parts) == len(pages) == 14
    for (name, path), part in zip(pages.items(), parts, strict=True):
        assert re.findall(r"\]\(gallery/(.+?)\)", part) == [f"{name}.png"]
        quotes = [
            " ".join(re.sub(r"^> ?", "", each, flags=re.MULTILINE).split())
            for each in re.findall(r"(?:^>.*\n)+", part, flags=re.MULTILINE)
        ]
        page = open_page(path)
        first = [" ".join(each.split()) for each in page.locator(FIRST).all_inner_texts()]
        assert len(quotes) == 1 and quotes[0] in first, f"{name}: its first screen says {first}"
        numbers = re.findall(r"\b0\.\d{3}\b", part)
        assert [each for each in numbers if each not in page.text_content("main")] == []


def test_kept_photographs_are_small():
    kept = {path.name for path in (ROOT / "docs" / "gallery").glob("*.png")}
    assert kept == {PRINTED, *(f"{name}.png" for name in GALLERY["CASES"])}
    assert all((ROOT / "docs" / "gallery" / each).stat().st_size < MOST_BYTES for each in kept)
