"""Small commands: `unconfuse demo`, `unconfuse render` and `unconfuse completion`."""

import shlex
from pathlib import Path

import click

from unconfuse._parameters.outputs import HTML
from unconfuse.cli._help import command
from unconfuse.cli._options import file_to_write, files_to_read, option
from unconfuse.cli._output import emit_text

_ANTIBODIES = (
    "counts --tp 141 --fp 0 --fn 67 --tn 31 --design case-control "
    "--metric=sensitivity --metric=specificity --metric=precision --metric=npv"
)


@command()
@option("--data", "Only put the example data, patients.csv and animals.csv, here.")
@file_to_write(HTML, "Write the page of the first example, and say how to open it.")
def demo(*, data: bool, html: str | None) -> None:
    """Evaluate a model on simulated patients, and an antibody test from its four published counts.

    \b
    unconfuse demo --data
    unconfuse demo --html demo.html
    """
    from unconfuse.demo import patients_path

    if data:
        if html is not None:
            raise click.UsageError("--html writes the page of the examples, and --data runs none. Hint: give one.")
        _put_data()
        return
    words = "--title 'Is it a pulmonary embolism?' --positive-label ill --unit patients"
    page = f" --html {shlex.quote(html)} {words}" if html else ""
    data_file, columns = shlex.quote(str(patients_path())), "--label outcome --score risk --positive yes"
    _run(
        "Breathless, with chest pain: is it a pulmonary embolism? A model's risk for 2,400 simulated patients; "
        "everyone at 5% or more gets a scan.",
        f"evaluate {data_file} {columns} --threshold 5%{page}",
    )
    _run("A COVID-19 antibody test, tried on 208 patients and on 31 people who were not ill.", _ANTIBODIES)
    _run(
        "The same test where 2% of the people have had the disease. Look at the precision: no false positive among 31 "
        "people still allows for many among thousands.",
        f"{_ANTIBODIES} --prevalence 2%",
    )
    click.echo(click.style("\nYour own data: unconfuse evaluate FILE --label COLUMN --score COLUMN", bold=True))
    if html is None:
        click.echo("The first example as a page with live pictures: unconfuse demo --html demo.html")
    else:
        click.echo(
            f"The page is in {html}. Open it in a browser; it needs no network:\n{Path(html).resolve().as_uri()}"
        )


def _put_data() -> None:
    """Put the example data into this folder and say what their columns mean; a different file already there stays."""
    from unconfuse.demo import PATIENTS, animals_path, patients_path

    pictures = {"animal": "what the picture shows", "new_*, old_*": "two models' probabilities of the four animals"}
    kinds = {patients_path(): ("2,400 simulated patients", PATIENTS), animals_path(): ("800 pictures", pictures)}
    for source, (words, columns) in kinds.items():
        if Path(source.name).exists() and Path(source.name).read_bytes() != source.read_bytes():
            raise click.UsageError(f"{source.name} is here already, and is another file. Hint: go to another folder.")
        emit_text(source.read_text(encoding="utf-8"), source.name)
        click.echo(f"{source.name} is here now: {words} with the columns")
        for name, meaning in columns.items():
            click.echo(f"  {name:<14}{meaning}")


def _run(words: str, command: str) -> None:
    """Say what is to be seen and which command shows it, then run that command."""
    from unconfuse.cli import cli

    click.echo(click.style(f"\n{'=' * 100}\n", dim=True) + click.wrap_text(words, 100))
    click.echo(click.style(f"\n$ unconfuse {command}\n", fg="cyan"))
    cli.main(shlex.split(command), prog_name="unconfuse", standalone_mode=False)


@command()
@files_to_read("payload", metavar="PAYLOAD", type=click.Path(dir_okay=False))
@file_to_write(
    "--output FILE", "The HTML file to write.", short="-o", former=("--html",), is_needed=True, group="Output"
)
def render(payload: str, output: str) -> None:
    """Draw the page of a payload that `--payload` wrote, perhaps on another machine.

    \b
    unconfuse evaluate patients.csv --label outcome --positive yes --score risk --payload payload.json
    unconfuse render payload.json -o page.html
    """
    from unconfuse.report import read_payload
    from unconfuse.report import render as drawn

    emit_text(drawn(read_payload(payload)), output)
    click.echo(f"Wrote {output}.")


@command()
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
