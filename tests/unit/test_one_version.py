"""The version is written in one place; what is released says what changed."""

import re
import tomllib
from pathlib import Path

import unconfuse as uc

ROOT = Path(__file__).parents[2]


def test_the_metadata_read_the_version_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"] and project["project"]["dynamic"] == ["version"]
    assert project["tool"]["scikit-build"]["metadata"]["version"]["input"] == "src/unconfuse/__init__.py"


def test_the_changelog_begins_with_this_version():
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert next(each for each in headings if each != "Unreleased") == uc.__version__


def test_the_oldest_dependencies_are_where_the_ranges_begin():
    """Of each dependency with a range, tests/oldest.txt holds its first version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "tests" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    oldest = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    for each in project["dependencies"]:
        name, begin = re.match(r"([\w-]+)>=([\d.]+)", each).groups()
        assert f"{oldest[name]}.".startswith(f"{begin}."), each
