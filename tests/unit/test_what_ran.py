"""The suite says what it did not run, and in continuous integration that makes it red."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[2] / "conftest.py"
SUITE = """
import pytest

@pytest.fixture
def chromium():
    if {no_browser}:
        pytest.skip("there is no chromium")

def test_page(chromium): ...

def test_rows_of_postgresql(): ...

@pytest.mark.needs("Spark")
def test_cluster(): ...

@pytest.mark.skip(reason="it is Sunday")
def test_weekday(): ...
"""


@pytest.fixture
def suite(tmp_path):
    """Run a small suite with our conftest.py: `suite(no_browser=True, ci="true")` gives exit code and lines."""

    def run(*arguments, no_browser=False, ci=""):
        shutil.copy(CONFTEST, tmp_path)
        (tmp_path / "tests").mkdir(exist_ok=True)
        (tmp_path / "tests" / "test_small.py").write_text(SUITE.format(no_browser=no_browser))
        (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = tests\n")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, "CI": ci}, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout.splitlines()

    return run


@pytest.mark.parametrize("workers", [[], ["-n", "1"]], ids=["one process", "workers"])
def test_all_ran(suite, workers):
    code, lines = suite(*workers, ci="true")
    assert code == 0
    assert {"Spark tests: 1 ran", "PostgreSQL tests: 1 ran", "browser tests: 1 ran"} <= set(lines)
    assert "skipped 1: it is Sunday" in lines
    assert lines[-1].startswith("3 passed, 1 skipped")


@pytest.mark.parametrize("workers", [[], ["-n", "1"]], ids=["one process", "workers"])
def test_one_kind_was_skipped(suite, workers):
    for ci, expected in (("true", 1), ("", 0)):
        code, lines = suite(*workers, no_browser=True, ci=ci)
        assert code == expected
        assert "browser tests: 0 ran, 1 SKIPPED" in lines and "skipped 1: there is no chromium" in lines
        assert any("in CI these must run: browser" in line for line in lines) == bool(expected)
        assert lines[-1].startswith("2 passed, 2 skipped")


def test_one_kind_was_not_collected(suite):
    """The whole suite must hold all kinds; who asks for a part is not told off."""
    (code, _), (part, _) = suite(), suite("tests/test_small.py::test_cluster", ci="true")
    assert (code, part) == (0, 0)
    assert suite("--deselect", "tests/test_small.py::test_cluster", ci="true")[0] == 1
