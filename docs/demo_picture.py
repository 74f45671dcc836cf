"""Writes the page of `unconfuse demo`, and photographs it for the README: `make pictures` (needs chromium)."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import unconfuse as uc
from unconfuse.demo import patients_path

PICTURE = Path(__file__).parent / "pictures" / "demo-page.png"


def write_page(path: Path) -> Path:
    """Write the page of the first example."""
    data = {"label": "outcome", "score": "risk", "positive": "yes", "threshold": 0.05}
    words = {"title": "Is it a pulmonary embolism?", "positive_label": "ill", "unit": "patients"}
    return uc.evaluate(patients_path(), **data).report(path, **words)


def main() -> None:
    """Write the picture: the first screen of a laptop."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    assert browser, "this needs chromium"
    with tempfile.TemporaryDirectory() as folder:
        page = write_page(Path(folder) / "demo.html")
        look = (
            "--headless",
            "--no-sandbox",
            "--hide-scrollbars",
            "--window-size=1440,900",
            "--virtual-time-budget=3000",
        )
        subprocess.run([browser, *look, f"--screenshot={PICTURE}", page.as_uri()], check=True, capture_output=True)


if __name__ == "__main__":
    main()
