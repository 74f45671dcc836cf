"""`unconfuse guarantee`: a threshold that promises a rate on new cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, number_text, say
from unconfuse.cli._options import Words, file_options, option, read
from unconfuse.cli._output import emit_result, markdown_text, output_options

if TYPE_CHECKING:
    from unconfuse.thresholds import Guarantee


@command()
@file_options
@option("--metric NAME", "Of what: precision, npv, sensitivity, specificity or a share of errors.", default="precision")
@option("--at-least SHARE", "The rate that is promised, such as .9 or 90%.")
@option("--at-most SHARE", "The same for a share of errors, such as false_negative_rate.")
@option("--probability SHARE", "How surely the promise is kept.", default=0.95)
@option("--prevalence SHARE", "Share of positives where the threshold will be used. [default: that of the data]")
@option("--starts N", "Walks along the scores that share the risk, for precision and npv.", default=1)
@option("--design cohort|case-control", "Did the share of positives come about by itself, or did the study choose it?")
@output_options
def guarantee(*, data: Words, output: Words, **promise: Any) -> None:
    """Find the threshold that promises a rate on new cases, or say how many cases could promise it.

    \b
    unconfuse guarantee patients.csv --label outcome --score risk --metric precision --at-least .9
    unconfuse guarantee patients.csv --metric false_negative_rate --at-most 2%
    """
    import unconfuse

    found = unconfuse.guarantee(read(data), **promise)
    emit_result(output, found, _markdown, _draw)


def _markdown(found: Guarantee) -> str:
    heads = ["metric", "promise", "probability", "threshold"]
    promise = found.promise
    cells = [promise.metric.name, f"{promise.relation} {promise.given:g}", f"{promise.probability:g}"]
    return markdown_text(heads, [[*cells, number_text(found.threshold)]], [found.sentence])


def _draw(console: Console, found: Guarantee) -> None:
    say(console, found.sentence, "bold")
    least = f"Any such promise needs at least {found.cases_needed:,} {_trials(found)}, all of them right."
    say(console, least, "dim")
    say(console, "It holds for new cases of the same kind, and only if the model was not fitted on these.", "dim")


def _trials(found: Guarantee) -> str:
    kinds = {"sensitivity": "positives", "specificity": "negatives", "precision": "cases labelled positive"}
    return kinds.get(found.promise.rate.name, "cases labelled negative")
