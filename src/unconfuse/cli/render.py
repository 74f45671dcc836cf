"""`unconfuse render`: a stored payload as a page."""

from __future__ import annotations

import click

from unconfuse.cli._options import file_to_write
from unconfuse.cli._output import emit_text


@click.command()
@click.argument("payload", metavar="PAYLOAD", type=click.Path(dir_okay=False))
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
