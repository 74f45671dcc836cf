"""The commands and examples of the README and of the first pages of the docs, word for word."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from unconfuse.cli import COMMANDS, cli

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
TABLE = re.findall(r"^\| [^|]+ \| `(unconfuse [^`]+)` \| \[[^]]+\]\((\S+)\) \|$", TEXT, re.M)
FILE = re.search(r"FILE stands for `([^`]+)`", TEXT).group(1)
PAGES = [
    page
    for page in sorted((ROOT / "docs").glob("*.md"))
    if re.search(r"^(start|tutorial-|terminal|situations|coming-)", page.name)
]


def commands(text):
    """Lines of console blocks that run unconfuse, with what is shown below each until the next one."""
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            if command.startswith("unconfuse"):
                yield command, shown.strip()


def run(command, folder, **environment):
    words = [sys.executable, "-m", "unconfuse", *shlex.split(command)[1:]]
    known = os.environ | environment
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env=known)


def check(command, shown, folder, **environment):
    done = run(command, folder, **environment)
    assert done.returncode == 0, (command, done.stderr)
    assert done.stdout.strip() or "--output" in command, command
    if shown and "..." not in shown:
        assert done.stdout.strip() == shown, command
    for part in shown.split("...") if "..." in shown else ():
        assert part.strip() in done.stdout, (command, part, done.stdout)


def test_every_question_of_the_table_has_its_command(tmp_path):
    """On a plain installation: what only extras bring is hidden."""
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    for name in ("matplotlib", "pandas", "polars", "pyarrow", "sklearn", "sqlalchemy"):
        (hidden / f"{name}.py").write_text("raise ImportError('not installed')")
    assert len(TABLE) > 10
    run("unconfuse demo --data", tmp_path)
    for command, page in TABLE:
        check(command.replace("FILE", FILE), "", tmp_path, PYTHONPATH=str(hidden))
        assert (ROOT / page).exists(), page
    assert {"patients.csv", "page.html"} <= {each.name for each in tmp_path.iterdir()}


def test_every_command_of_the_readme_runs(tmp_path):
    found = list(commands(TEXT))
    assert found
    for command, shown in found:
        check(command, shown, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_the_page_runs_in_its_order(page, tmp_path):
    run("unconfuse demo --data", tmp_path)
    for command, shown in commands(page.read_text(encoding="utf-8")):
        check(command, shown, tmp_path)


def test_the_first_steps_are_found():
    assert "start.md" in {page.name for page in PAGES}


def test_python_examples():
    found = doctest.testfile(str(README), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 5
    assert found.failed == 0


def test_links_and_pictures_of_the_readme_exist():
    for link in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / link).exists(), link


def test_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make (\w+)`", TEXT):
        assert re.search(rf"^{target}:", makefile, re.M), target


# Pages whose commands all run are tested above, word for word; of the others, what reads the example data alone.
OTHERS = [page for page in sorted((ROOT / "docs").glob("*.md")) if page not in PAGES]
EXAMPLE = re.compile(r"(?:^(?:\$ )?| *`)(unconfuse \w[\w-]* (?:patients|animals)\.csv [^`]*)")


def on_example_data(text):
    """Commands of a text on the example data, of which none is left out for being written over two lines."""
    lines = re.sub(r"\\\\?\n\s*", "", text).splitlines()
    return [found[1] for line in lines for found in EXAMPLE.finditer(line.strip())]


def check_on_example_data(text, folder, monkeypatch):
    monkeypatch.chdir(folder)
    CliRunner().invoke(cli, ["demo", "--data"])
    for command in on_example_data(text):
        done = CliRunner().invoke(cli, shlex.split(command)[1:])
        assert done.exit_code in (0, 3, 4), (command, done.stderr)


@pytest.mark.parametrize("page", OTHERS, ids=lambda page: page.name)
def test_commands_on_the_example_data_run(page, tmp_path, monkeypatch):
    check_on_example_data(page.read_text(encoding="utf-8"), tmp_path, monkeypatch)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_examples_of_help_run_on_the_example_data(name, tmp_path, monkeypatch):
    check_on_example_data(cli.get_command(None, name).help or "", tmp_path, monkeypatch)
