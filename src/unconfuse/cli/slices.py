"""`unconfuse slices`: subgroups that a search finds on one half of the cases, confirmed on the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unconfuse._parameters.cases import BY
from unconfuse._parameters.decisions import METRIC, THRESHOLD
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, as_table, say
from unconfuse.cli._options import (
    Words,
    described,
    design_options,
    file_options,
    metric_option,
    option,
    sampling_options,
    watched,
)
from unconfuse.cli._output import emit_result, markdown_text, output_options

if TYPE_CHECKING:
    from unconfuse.results.slices import SliceSearchResult


@command()
@file_options
@option(BY, "Search this column, alone and crossed with the others; may be repeated.", is_needed=True)
@metric_option("Metric in which slices are compared.", METRIC)
@option(THRESHOLD)
@option("--depth N", "How many columns are crossed at most: 1, 2 or 3.", default=2)
@option("--min-cases N", "Pass over slices with fewer cases to search.", was="--smallest", default=50)
@option("--max-slices N", "How many slices to confirm on the cases held out.", was="--most", default=5)
@option("--holdout-fraction SHARE", "Share of cases held out for the confirmation.", was="--held-out", default=0.5)
@design_options
@sampling_options(seed="Seed of the deal and of the bootstrap.")
@output_options
def slices(*, data: Words, output: Words, by: Any, **how: Any) -> None:
    """Search all subgroups for the worst, and confirm them on cases held out of the search.

    \b
    unconfuse slices patients.csv --label outcome --positive yes --score risk --by site --by sex --metric sensitivity
    """
    import unconfuse

    found = watched(unconfuse.find_slices, described({**data, "by": by}), **how)
    emit_result(output, found, _markdown, _draw)


def _markdown(found: SliceSearchResult) -> str:
    from unconfuse.results.slices import HEADS

    return markdown_text(HEADS, found.lines(), [found.sentence])


def _draw(console: Console, found: SliceSearchResult) -> None:
    from unconfuse.results.slices import HEADS

    say(console, found.sentence, "bold")
    if len(found):
        console.print(as_table(found.lines(), [{"header": head} for head in HEADS]))
    say(console, "Differences are from all other cases, among those held out, adjusted for the slices shown.", "dim")
