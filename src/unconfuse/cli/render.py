"""`unconfuse render`: a stored payload as a page."""

from __future__ import annotations

import click


@click.command()
@click.argument("payload", metavar="PAYLOAD", type=click.Path(dir_okay=False))
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), required=True, metavar="FILE", help="The HTML file to write."
)
def render(payload: str, output: str) -> None:
    """Draw the page of a payload that `--payload` wrote, perhaps on another machine.

    \b
    unconfuse evaluate patients.csv --payload payload.json
    unconfuse render payload.json -o page.html
    """
    from pathlib import Path

    from unconfuse._files import write_whole
    from unconfuse.report import read_payload
    from unconfuse.report import render as drawn

    write_whole(Path(output), drawn(read_payload(payload)))
    click.echo(f"Wrote {output}.")
