"""Every command with odd values for a few of its options, found by introspection: it ends with words, never inside."""

from __future__ import annotations

import functools
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

import click
import numpy as np
from click.testing import CliRunner
from hostile import FINE, REFUSED, Outcome, WrongError

from unconfuse.cli import COMMANDS, cli

KIND = "commands"
WORDS = "odd values for the options of every command: names, numbers, shares, lists, files, letters of other scripts"
PATIENCE = 120
ELSEWHERE = {"serve", "tournament", "completion", "reproduce", "demo"}  # servers, minutes of work, nothing to be told
CODES = (0, 2, 3, 4)  # of `gate`: worse, or cannot tell
VALUES = ["", " ", "0", "1", "-1", "2", "0.5", "50%", "1e-300", "1e400", "nan", "inf", "-inf", "10", "1e6", "1_0", "½"]
VALUES += [
    "y",
    "p",
    "q",
    "g",
    "Y",
    "auroc",
    "mcc",
    "f_beta(2)",
    "ece(1e9)",
    "(",
    "a=b",
    "p=0.5",
    "p=",
    "=",
    "a,b",
    "yes",
]
VALUES += [
    "roc",
    "pr",
    "youden",
    "++-",
    "sensitivity>=.9",
    "sensitivity>=",
    "é",
    "\u202e",
    "📈",
    "\x1b[31m",
    "<b>",
    "'",
    '"',
]
VALUES += [
    "cohort",
    "case-control",
    "duckdb",
    "oracle",
    "{}",
    "[]",
    '{"a": 1}',
    "rows.csv",
    "none.csv",
    "-",
    "x" * 3000,
]


@functools.cache
def _rows() -> bytes:
    rng = np.random.default_rng(0)
    lines = [f"{k % 2},{rng.random() + k % 2 / 3:.2f},{rng.random():.3f},{'ab'[k % 3 == 0]},{k}" for k in range(40)]
    return "\n".join(["y,p,q,g,id", *lines, ""]).encode()


def attack(rng: np.random.Generator) -> Outcome:
    """One command in a folder of its own."""
    names = [name for name in COMMANDS if name not in ELSEWHERE]
    name = names[rng.integers(len(names))]
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="unconfuse-attack-") as folder:
        os.chdir(folder)
        try:
            Path("rows.csv").write_bytes(_rows())
            return _tried(_command(name, rng))
        finally:
            os.chdir(before)


def _command(name: str, rng: np.random.Generator) -> list[str]:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = [each for each in command.params if isinstance(each, click.Option) and each.name != "help"]
    given: list[str] = ["rows.csv"] * sum(isinstance(each, click.Argument) for each in command.params)
    usual = {"--label": "y", "--score": "p", "--judge": "g", "--by": "g", "--baseline": "rows.csv", "--id": "id"}
    known = {flag for each in options for flag in each.opts}
    for flag, value in usual.items():
        if flag in known and rng.random() < 0.85:
            given += [flag, value]
    for place in rng.permutation(len(options))[: int(rng.integers(0, 4))]:
        option = options[place]
        value = VALUES[rng.integers(len(VALUES))]
        given += [option.opts[0]] if option.is_flag else [option.opts[0], value]
    return [name, *given]


def _tried(command: list[str]) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        done: Any = CliRunner().invoke(cli, command, input="y,p\n1,0.5\n0,0.2\n")
    said = f"{command}\n{done.output[-500:]}"
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise WrongError(f"{done.exception!r} escaped: {said}")
    if done.exit_code not in CODES or "went wrong" in done.output:
        raise WrongError(f"exit code {done.exit_code}: {said}")
    if command[1:2] == ["rows.csv"] and Path("rows.csv").read_bytes() != _rows():
        raise WrongError(f"the rows were changed: {said}")
    if done.exit_code == 2 and "Error" not in done.output:
        raise WrongError(f"refused without a word: {said}")
    return REFUSED if done.exit_code == 2 else FINE
