"""The suite says what it did not run, and in continuous integration that makes it red."""

import os
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

    def run(*arguments, no_browser=False, ci="", long=30):
        text = CONFTEST.read_text(encoding="utf-8").replace("LONG = 30", f"LONG = {long}")
        (tmp_path / "conftest.py").write_text(text, encoding="utf-8")
        (tmp_path / "tests").mkdir(exist_ok=True)
        (tmp_path / "tests" / "test_small.py").write_text(SUITE.format(no_browser=no_browser))
        (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = tests\n")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "xdist", *arguments]
        alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}  # other plugins take most of the start
        done = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, **alone, "CI": ci}, capture_output=True, text=True, check=False
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


def test_slow_kinds_can_be_left_out(suite):
    code, lines = suite("-m", "not (spark or browser)")
    assert code == 0 and lines[-1].startswith("1 passed, 1 skipped, 2 deselected")
    assert suite("-m", "postgresql")[1][-1].startswith("1 passed, 3 deselected")


def test_slow_files_are_listed(suite):
    wanted = "s: tests/test_small.py; it is not in SLOW of conftest.py"
    assert any(line.endswith(wanted) for line in suite(long=0)[1])
    assert not any(line.endswith(wanted) for line in suite()[1])
