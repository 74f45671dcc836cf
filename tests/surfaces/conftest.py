"""What the tests of surfaces share: one data set in every form, and the command line in and out of process."""

import gzip
import os
import re
import shutil
import signal
import subprocess
import sys
import time
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


@pytest.fixture
def patience():
    """How much longer than on a free machine something may take: as many times as processes wait for each core."""
    return lambda: max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


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


UNPAINTED = """() => [...document.querySelectorAll('svg :is(rect, circle, path, polygon)')].filter(shape => {
  const look = getComputedStyle(shape);
  const isSeen = look.fillOpacity !== '0' && !shape.closest('defs') && shape.getClientRects().length;
  return isSeen && look.fill === 'rgb(0, 0, 0)';
}).map(shape => `no colour: ${shape.outerHTML.slice(0, 150)}`)"""  # what no style names is black


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
    for context in contexts:
        for page in context.pages:
            complaints += page.evaluate(UNPAINTED)
        context.close()
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


class Serving:
    """A server in a process of its own, its history, and clients for it."""

    def __init__(self, folder, *arguments):
        self.folder, self.history = folder, folder / "history.sqlite"
        self.arguments, self.clients = arguments, []

    def start(self):
        """Run it until it says where it is."""
        self.log = (self.folder / "log").open("w+b")
        command = [str(Path(sys.executable).with_name("unconfuse")), "serve", "--no-browser", "--port", "0"]
        more = ["--history", str(self.history), *map(str, self.arguments)]
        self.process = subprocess.Popen([*command, *more], stderr=self.log, stdout=self.log, stdin=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not (found := re.search(rb"opens it, once, is in (.+?) for 15 minutes", self.said())):
            assert self.process.poll() is None and time.monotonic() < end, self.said()
            time.sleep(0.02)
        self.link_file = Path(found[1].decode())
        self.link = self.link_file.read_text().strip()
        self.origin = self.link.partition("/open")[0]
        return self

    def said(self):
        """All that it printed."""
        self.log.flush()
        return Path(self.log.name).read_bytes()

    def token(self, *arguments):
        """`unconfuse serve token ...` on this history."""
        command = [str(Path(sys.executable).with_name("unconfuse")), "serve", "--history", str(self.history), "token"]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, timeout=60)
        return done if done.returncode else done.stdout.strip()

    def stranger(self, **headers):
        """A client that has no token."""
        import httpx

        client = httpx.Client(base_url=self.origin, headers=headers, timeout=60)
        self.clients.append(client)
        return client

    def client(self):
        """A client like a browser that opened the link, or was given another one meanwhile."""
        made = self.stranger(origin=self.origin)
        if self.link:
            assert made.get(self.link).status_code == 303
            self.link, self.cookies = None, dict(made.cookies)
        made.cookies.update(self.cookies)
        return made

    def ask(self, client, question, answers, **more):
        """The job of a question, when it has ended."""
        answer = client.post("/api/evaluations", json={"question": question, "answers": answers, **more})
        assert answer.status_code == 202, answer.text
        return self.ended(client, answer.json())

    def ended(self, client, job):
        """The same job, when it has ended."""
        end = time.monotonic() + 120
        while job["state"] not in ("done", "failed", "cancelled"):
            assert time.monotonic() < end, job
            time.sleep(0.03)
            job = client.get(f"/api/jobs/{job['id']}").json()
        return job

    def stop(self, number=signal.SIGTERM):
        """End it; its exit code."""
        for each in self.clients:
            each.close()
        self.clients.clear()
        self.process.send_signal(number)
        try:
            return self.process.wait(20)
        finally:
            self.log.close()


@pytest.fixture(scope="session")
def serving():
    """Start servers: `serving(folder, *arguments)`."""
    for name in ("starlette", "uvicorn", "python_multipart", "httpx"):
        pytest.importorskip(name, reason="the tests of the web app need starlette, uvicorn, python-multipart and httpx")
    started = []

    def start(folder, *arguments):
        started.append(Serving(folder, *arguments).start())
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.stop(signal.SIGKILL)


@pytest.fixture(scope="module")
def server(serving, tmp_path_factory):
    """One server for all tests of a module, with a folder that files can be pointed to in."""
    folder = tmp_path_factory.mktemp("serve")
    (folder / "root").mkdir()
    return serving(folder, "--root", folder / "root", "--max-upload-mb", "20")


@pytest.fixture
def client(server):
    """A browser's session with the server of this module."""
    return server.client()
