"""`unconfuse demo`: the main job on example data."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

_DECISIONS = ("sensitivity", "specificity", "precision", "npv")


@click.command()
@click.option("--data", is_flag=True, help="Only put the example data, screening.csv and animals.csv, here.")
def demo(*, data: bool) -> None:
    """Judge a screening model on example data, and an antibody test from its four published counts."""
    from unconfuse.demo import animals_path, screening_path

    if data:
        _copy(screening_path(), "2,000 people with the columns patient, outcome, risk and rule")
        _copy(animals_path(), "800 pictures with the column animal and two models' probabilities, new_* and old_*")
        return
    said = [f"--metric={name}" for name in _DECISIONS]
    _run(
        "A model that predicts a disease, on 2,000 people. Everyone with a risk of 10% or more is called in.",
        [
            "evaluate",
            str(screening_path()),
            "--label",
            "outcome",
            "--score",
            "risk",
            "--positive",
            "yes",
            "--threshold",
            "0.1",
        ],
    )
    antibodies = ["counts", "--tp", "141", "--fp", "0", "--fn", "67", "--tn", "31"]
    _run(
        "A COVID-19 antibody test, tried on 208 patients and on 31 people who were not ill.",
        [*antibodies, "--design", "case-control", *said],
    )
    _run(
        "The same test where 2% of the people have had the disease. Look at the precision: no false alarm among 31 "
        "people still allows for many among thousands.",
        [*antibodies, "--design", "case-control", *said, "--prevalence", "2%"],
    )
    click.echo(click.style("\nYour own data: unconfuse evaluate FILE --label COLUMN --score COLUMN", bold=True))


def _copy(source: Path, words: str) -> None:
    from unconfuse._files import write_whole

    write_whole(Path(source.name), source.read_text(encoding="utf-8"))
    click.echo(f"{source.name} is here now: {words}.")


def _run(words: str, arguments: Sequence[str]) -> None:
    """Say what is to be seen and which command shows it, then run that command."""
    from unconfuse.cli._group import cli

    click.echo(click.style(f"\n{'=' * 100}\n", dim=True) + click.wrap_text(words, 100))
    click.echo(click.style("\n$ unconfuse " + shlex.join(arguments) + "\n", fg="cyan"))
    cli.main(list(arguments), prog_name="unconfuse", standalone_mode=False)
