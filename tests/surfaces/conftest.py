"""What the tests of surfaces share: one data set in every form, and the command line in and out of process."""

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from unconfuse.cli import cli


@pytest.fixture(scope="session")
def columns():
    """300 cases, a third of them positive, with tied scores."""
    rng = np.random.default_rng(7)
    truth = rng.random(300) < 1 / 3
    score = np.round(np.clip(0.35 + 0.2 * truth + rng.normal(0, 0.15, 300), 0.01, 0.99), 2)
    return {"y": np.where(truth, "ill", "well").tolist(), "p": score.tolist()}


@pytest.fixture(scope="session")
def data_files(columns, tmp_path_factory):
    """The same rows as CSV, compressed CSV, Parquet and JSON lines."""
    import pandas as pd

    folder, frame = tmp_path_factory.mktemp("data"), pd.DataFrame(columns)
    frame.to_csv(folder / "data.csv", index=False)
    (folder / "data.csv.gz").write_bytes(gzip.compress((folder / "data.csv").read_bytes()))
    frame.to_parquet(folder / "data.parquet")
    frame.to_json(folder / "data.jsonl", orient="records", lines=True)
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture
def run():
    """Run the command line in this process."""

    def invoke(*arguments, **options):
        return CliRunner().invoke(cli, [str(each) for each in arguments], prog_name="unconfuse", **options)

    return invoke


@pytest.fixture
def shell():
    """Run the installed command in a process of its own."""

    def start(*arguments, **options):
        command = [str(Path(sys.executable).with_name("unconfuse")), *map(str, arguments)]
        environment = {**os.environ, "COLUMNS": "100", **options.pop("env", {})}
        return subprocess.run(command, capture_output=True, env=environment, check=False, timeout=120, **options)

    return start


CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
)
HEAR = "addEventListener('securitypolicyviolation', e => console.error('CSP ' + e.violatedDirective))"


@pytest.fixture(scope="module")
def chromium():
    """One browser for all tests of a module."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("the tests of pages need chromium, which is not installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="the tests of pages need playwright")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(CHROMIUM_FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """Open a file and hear every complaint: console errors, policy violations, requests to anywhere else."""
    contexts, complaints = [], []

    def start(path, **options):
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        context.add_init_script(HEAR)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda sent: sent.url.startswith(("file:", "about:")) or complaints.append(sent.url))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.goto(Path(path).as_uri())
        return page

    yield start
    for each in contexts:
        each.close()
    assert complaints == []


@pytest.fixture(scope="session")
def screenshots():
    """Save pictures of a page in the forms that people see: `screenshots(open_page, path, folder)`."""
    forms = {"light": {}, "dark": {"color_scheme": "dark"}, "phone": {"viewport": {"width": 360, "height": 740}}}

    def save(open_page, path, folder):
        for name, options in forms.items():
            open_page(path, **options).screenshot(path=folder / f"{Path(path).stem}-{name}.png", full_page=True)
        return sorted(folder.glob(f"{Path(path).stem}-*.png"))

    return save
