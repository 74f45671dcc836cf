"""The README's commands and examples, word for word."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", TEXT, re.S)
COMMANDS = [line[2:] for block in BLOCKS for line in block.splitlines() if line.startswith("$ unconfuse")]
SHOWN = [block for block in BLOCKS if block.startswith("$ unconfuse counts")]


def run(command, folder):
    words = [sys.executable, "-m", "unconfuse", *shlex.split(command)[1:]]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def test_every_command_runs_in_the_order_of_the_page(tmp_path):
    for command in COMMANDS:
        done = run(command, tmp_path)
        assert done.returncode == 0, (command, done.stderr)
        assert done.stdout.strip() or "--output" in command, command
    assert {"screening.csv", "overview.png", "card.json", "labelled.csv"} <= {each.name for each in tmp_path.iterdir()}


def test_output_is_what_is_shown(tmp_path):
    assert SHOWN
    for block in SHOWN:
        command, _, shown = block.partition("\n")
        assert run(command[2:], tmp_path).stdout.strip() == shown.strip()


def test_python_examples():
    found = doctest.testfile(str(README), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 15
    assert found.failed == 0


def test_make_targets_exist():
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^\$ make (\w+)", TEXT, re.M):
        assert re.search(rf"^{target}:", makefile, re.M), target
