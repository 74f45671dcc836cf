"""Small commands: `unconfuse demo`, `unconfuse render` and `unconfuse completion`."""

import shlex
from pathlib import Path

import click

from unconfuse.cli._options import file_to_write, files_to_read
from unconfuse.cli._output import emit_text

_ANTIBODIES = (
    "counts --tp 141 --fp 0 --fn 67 --tn 31 --design case-control "
    "--metric=sensitivity --metric=specificity --metric=precision --metric=npv"
)


@click.command()
@click.option("--data", is_flag=True, help="Only put the example data, screening.csv and animals.csv, here.")
def demo(*, data: bool) -> None:
    """Judge a screening model on example data, and an antibody test from its four published counts."""
    from unconfuse.demo import animals_path, screening_path

    if data:
        people = "2,000 people with the columns patient, outcome, risk and rule"
        pictures = "800 pictures with the column animal and two models' probabilities, new_* and old_*"
        for source, words in ((screening_path(), people), (animals_path(), pictures)):
            if Path(source.name).exists() and Path(source.name).read_bytes() != source.read_bytes():
                raise click.UsageError(
                    f"{source.name} is here already, and is another file. Hint: go to another folder."
                )
            emit_text(source.read_text(encoding="utf-8"), source.name)
            click.echo(f"{source.name} is here now: {words}.")
        return
    _run(
        "A model that predicts a disease, on 2,000 people. Everyone with a risk of 10% or more is called in.",
        f"evaluate {shlex.quote(str(screening_path()))} --label outcome --score risk --positive yes --threshold 0.1",
    )
    _run("A COVID-19 antibody test, tried on 208 patients and on 31 people who were not ill.", _ANTIBODIES)
    _run(
        "The same test where 2% of the people have had the disease. Look at the precision: no false alarm among 31 "
        "people still allows for many among thousands.",
        f"{_ANTIBODIES} --prevalence 2%",
    )
    click.echo(click.style("\nYour own data: unconfuse evaluate FILE --label COLUMN --score COLUMN", bold=True))


def _run(words: str, command: str) -> None:
    """Say what is to be seen and which command shows it, then run that command."""
    from unconfuse.cli import cli

    click.echo(click.style(f"\n{'=' * 100}\n", dim=True) + click.wrap_text(words, 100))
    click.echo(click.style(f"\n$ unconfuse {command}\n", fg="cyan"))
    cli.main(shlex.split(command), prog_name="unconfuse", standalone_mode=False)


@click.command()
@files_to_read("payload", metavar="PAYLOAD", type=click.Path(dir_okay=False))
@file_to_write("-o", "--output", words="The HTML file to write.", required=True)
def render(payload: str, output: str) -> None:
    """Draw the page of a payload that `--payload` wrote, perhaps on another machine.

    \b
    unconfuse evaluate patients.csv --payload payload.json
    unconfuse render payload.json -o page.html
    """
    from unconfuse.report import read_payload
    from unconfuse.report import render as drawn

    emit_text(drawn(read_payload(payload)), output)
    click.echo(f"Wrote {output}.")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes commands, options and metric names with the tab key.

    \b
    bash: unconfuse completion bash > ~/.local/share/bash-completion/completions/unconfuse
    zsh:  unconfuse completion zsh > "${fpath[1]}/_unconfuse"
    fish: unconfuse completion fish > ~/.config/fish/completions/unconfuse.fish
    """
    from click.shell_completion import ShellComplete, get_completion_class

    from unconfuse.cli import cli

    found = get_completion_class(shell)
    assert found is not None, "click knows the three shells"
    script = found(cli, {}, "unconfuse", "_UNCONFUSE_COMPLETE")
    click.echo(ShellComplete.source(script))  # not the override for bash, which starts bash to ask its version
