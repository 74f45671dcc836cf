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

pytestmark = pytest.mark.xdist_group("browser")
ROOT = Path(__file__).parents[2]
GALLERY = runpy.run_path(str(ROOT / "examples" / "gallery.py"))
# Of each page, the pictures that show what it is about.
PICTURES = {
    "screening-test": ("How far a label can be believed", "Of 1,000 people"),
    "fraud": ("ROC curve", "Precision and recall"),
    "spam-filter": ("Scores", "Confusion matrix"),
    "readmission": ("Reliability", "Decision curve"),
    "swapped-labels": ("ROC curve", "Precision and recall"),
}
MOST_BYTES, WIDTH = 120_000, 900


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    return GALLERY["write_pages"](tmp_path_factory.mktemp("gallery"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    given = os.environ.get("UNCONFUSE_GALLERY")
    made = Path(given) if given else tmp_path_factory.mktemp("photographs")
    made.mkdir(exist_ok=True)
    return made


def clip_of(page, titles):
    """The rectangle around some figures."""
    boxes = [page.locator(f'figure:has(> h3:text-is("{each}"))').bounding_box() for each in titles]
    left, top = (min(box[key] for box in boxes) - 12 for key in ("x", "y"))
    right, bottom = (max(box[at] + box[size] for box in boxes) + 12 for at, size in (("x", "width"), ("y", "height")))
    return {"x": left, "y": top, "width": right - left, "height": bottom - top}


def save(photograph, path):
    """Small enough to keep: few colours, and no wider than a page of documentation."""
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(photograph)).convert("RGB")
    size = (WIDTH, round(image.height * WIDTH / image.width))
    image.resize(size, resample=1).quantize(96, dither=0).save(path, optimize=True)


@pytest.mark.parametrize("name", PICTURES)
def test_photographs(open_page, pages, folder, name):
    page = open_page(pages[name])
    save(page.screenshot(clip={"x": 60, "y": 0, "width": 1160, "height": 620}), folder / f"{name}-top.png")
    save(page.screenshot(full_page=True, clip=clip_of(page, PICTURES[name])), folder / f"{name}-picture.png")
    from PIL import Image

    for kind in ("top", "picture"):
        path = folder / f"{name}-{kind}.png"
        assert path.stat().st_size < MOST_BYTES
        shades = np.asarray(Image.open(path).convert("L"))
        assert shades.std() > 10 and (shades < 200).mean() > 0.005, "a blank photograph"


def test_documentation_quotes_the_pages(open_page, pages):
    parts = re.split(r"^## .*\n", (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert len(parts) == len(pages) == len(PICTURES)
    for (name, path), part in zip(pages.items(), parts, strict=True):
        assert re.findall(r"\]\(gallery/(.+?)\)", part) == [f"{name}-top.png", f"{name}-picture.png"]
        quotes = [
            " ".join(re.sub(r"^> ?", "", each, flags=re.MULTILINE).split())
            for each in re.findall(r"(?:^>.*\n)+", part, flags=re.MULTILINE)
        ]
        shown = open_page(path).text_content("main")
        numbers = re.findall(r"\b0\.\d{3}\b", part)
        assert quotes and [each for each in (*quotes, *numbers) if each not in shown] == []


def test_kept_photographs_are_small():
    kept = {path.name for path in (ROOT / "docs" / "gallery").glob("*.png")}
    assert kept == {f"{name}-{kind}.png" for name in PICTURES for kind in ("top", "picture")}
    assert all((ROOT / "docs" / "gallery" / each).stat().st_size < MOST_BYTES for each in kept)
