"""Every exercise of the texts is answered by the one command that the page names."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "exercises.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n\$ (.*?)\n(.*?)```", PAGE, re.S)
NAMED = (
    "8.1",
    "8.2",
    "8.3",
    "8.5",
    "Figure 1",
    "2.5",
    "2.6",
    "2.7",
    "3 ",
    "4 ",
    "5 ",
    "6.1",
    "6.2",
    "7 ",
    "8 ",
    "9 ",
    "10 ",
)


def plain(text):
    """Words without how they are laid out."""
    return " ".join(text.split())


def test_every_section_has_its_exercise():
    assert all(f"**{name}" in PAGE for name in NAMED)
    assert len(re.findall(r"^\*\*Questions? [1-4]", PAGE, re.M)) == 6 - 1
    assert len(BLOCKS) >= 30


def printed_by_shell(command, folder):
    (folder / "unconfuse").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m unconfuse "$@"\n')
    (folder / "unconfuse").chmod(0o755)
    path = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, shell=True, env=path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("command", "shown"), BLOCKS, ids=[command[:60] for command, _ in BLOCKS])
def test_the_command_gives_what_is_shown(command, shown, tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command)
    if words[0] == "unconfuse" and not {"|", ">", "&&"} & set(words):  # no shell is needed
        done = run(*words[1:])
        assert done.exit_code == 0, done.output
        printed = plain(done.stdout)
    else:
        printed = plain(printed_by_shell(command, tmp_path))
    for line in shown.splitlines():
        assert plain(line) in printed, line
