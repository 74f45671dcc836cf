"""`unconfuse prediction-sets`: sets of classes that hold the true one as often as was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unconfuse._formatting import number_text
from unconfuse._parameters.cases import SCORES
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, TerminalColumn, fit, say
from unconfuse.cli._options import Words, collected, file_options, option, read
from unconfuse.cli._output import emit_result, markdown_text, output_options

if TYPE_CHECKING:
    from unconfuse.thresholds import PredictionSets


@command()
@file_options
@collected("data", option(SCORES))
@option("--coverage SHARE", "How often the set of a new case must hold its class.", default=0.9)
@option("--by-class", "Hold that within each class; sets are larger then.")
@output_options
def prediction_sets(*, data: Words, output: Words, coverage: float, by_class: bool) -> None:
    """Find sets of classes that hold the true one of new cases as often as you ask for.

    \b
    unconfuse prediction-sets animals.csv --label animal --scores 'new_*' --coverage 90%
    unconfuse prediction-sets animals.csv --label animal --scores 'new_*' --coverage 90% --by-class
    """
    import unconfuse

    found = unconfuse.prediction_sets(read(data), coverage=coverage, by_class=by_class)
    emit_result(output, found, _markdown, _draw)


def _cells(found: PredictionSets) -> list[list[str]]:
    return [
        [name, f"{size:,.10g}", _bar(bar.score), number_text(each.value), each.interval_text]
        for (name, each), bar, size in zip(found.of_class.items(), found.bars, found.class_sizes, strict=True)
    ]


def _bar(score: float) -> str:
    return "always" if score == float("-inf") else number_text(score)


_HEADS = ["class", "cases", "in a set from", "held", "95% interval"]


def _markdown(found: PredictionSets) -> str:
    return markdown_text(_HEADS, _cells(found), [found.sentence, *found.findings])


def _draw(console: Console, found: PredictionSets) -> None:
    say(console, f"{found.sentence}\n", "bold")
    lines: list[Any] = _cells(found)
    columns = [
        TerminalColumn(head, [line[place] for line in lines], right=place in (1, 2, 3))
        for place, head in enumerate(_HEADS)
    ]
    fit(columns, console.width).draw_all(console)
    say(console, "")
    for each in found.findings:
        say(console, each)
    say(console, "It holds for new cases of the same kind, and only if the model was not fitted on these.", "dim")
