"""`unconfuse guarantee` and `unconfuse prediction-sets`: what holds for new cases as often as was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse._formatting import number_text
from unconfuse._parameters.cases import SCORES
from unconfuse._parameters.decisions import GUARANTEES, METRIC, PREVALENCE
from unconfuse._parameters.uncertainty import CONFIDENCE_LEVEL, DESIGN
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, TerminalColumn, fit, say
from unconfuse.cli._options import Words, collected, file_options, metric_option, option, read
from unconfuse.cli._output import emit_result, markdown_text, output_options

if TYPE_CHECKING:
    from unconfuse.thresholds import GuaranteedThreshold, PredictionSets
    from unconfuse.thresholds.fixed_sequence import GuaranteeSpec
    from unconfuse.thresholds.joint_guarantees import JointGuarantee


@command()
@file_options
@metric_option(
    "Metric that is promised: precision, npv, sensitivity, specificity or an error rate.", METRIC, default="precision"
)
@option("--at-least SHARE", "The rate that is promised, such as .9 or 90%.")
@option("--at-most SHARE", "The same for a share of errors, such as false_negative_rate.")
@option(GUARANTEES, "A promise such as 'precision>=.9'; repeat it for several that hold together.", name="promises")
@option("--refer", "Two thresholds: scores between them are referred to a person.")
@option(CONFIDENCE_LEVEL, "Confidence with which the guarantee holds.", was="--probability", former=())
@option(PREVALENCE, "Share of positives where the threshold will be used. [default: that of the data]")
@option(
    "--n-starts N", "Number of test sequences that share the error, for precision and npv.", was="--starts", default=1
)
@option(DESIGN)
@output_options
def guarantee(*, data: Words, output: Words, promises: list[str] | None, **promise: Any) -> None:
    """Find the threshold that guarantees a rate on new cases, or how many cases could guarantee it.

    \b
    unconfuse guarantee patients.csv --label outcome --positive yes --score risk --metric precision --at-least 90%
    unconfuse guarantee patients.csv --label outcome --positive yes --score risk --metric fnr --at-most 10%
    unconfuse guarantee patients.csv --label outcome --positive yes --score risk --guarantee "precision>=.9" \\
        --guarantee "npv>=.95" --refer
    """
    import unconfuse

    if promises:
        if promise["metric"] != "precision":
            raise click.UsageError("--metric cannot be combined with --guarantee. Hint: write it into --guarantee.")
        promise["metric"] = promises
    found = unconfuse.guarantee(read(data), **promise)
    emit_result(output, found, _markdown, _draw)


def _markdown(found: GuaranteedThreshold | JointGuarantee) -> str:
    from unconfuse.thresholds import GuaranteedThreshold

    if not isinstance(found, GuaranteedThreshold):
        heads, bounds = ["metric", "promise", "threshold", "observed"], found.as_dict()["promises"]
        cells = [[bound["metric"], f"{bound['relation']} {bound['bound']:g}"] for bound in bounds]
        ends = [[number_text(row["threshold"]), number_text(row["observed"])] for row in found.rows()]
        return markdown_text(
            heads, [[*cell, *other] for cell, other in zip(cells, ends, strict=True)], [found.sentence]
        )
    heads = ["metric", "promise", "probability", "threshold"]
    promise = found.promise
    own = [promise.metric.name, f"{promise.relation} {promise.given:g}", f"{promise.probability:g}"]
    return markdown_text(heads, [[*own, number_text(found.threshold)]], [found.sentence])


def _draw(console: Console, found: GuaranteedThreshold | JointGuarantee) -> None:
    say(console, found.sentence, "bold")
    for promise in found.promises:
        say(console, _least(promise), "dim")
    if found.n_groups:
        say(console, f"Tested by the {found.method}.", "dim")
    say(console, "It holds for new cases of the same kind, and only if the model was not fitted on these.", "dim")


def _least(promise: GuaranteeSpec) -> str:
    kinds = {"sensitivity": "positives", "specificity": "negatives", "precision": "cases labelled positive"}
    trials = kinds.get(promise.rate.name, "cases labelled negative")
    return f"Any promise of {promise} needs at least {promise.cases_needed:,} {trials}, all of them right."


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
    emit_result(output, found, _sets_markdown, _draw_sets)


def _cells(found: PredictionSets) -> list[list[str]]:
    return [
        [name, f"{size:,.10g}", _bar(bar.score), number_text(estimate.value), estimate.interval_text]
        for (name, estimate), bar, size in zip(found.of_class.items(), found.bars, found.class_sizes, strict=True)
    ]


def _bar(score: float) -> str:
    return "always" if score == float("-inf") else number_text(score)


_HEADS = ["class", "cases", "in a set from", "held", "95% interval"]


def _sets_markdown(found: PredictionSets) -> str:
    return markdown_text(_HEADS, _cells(found), [found.sentence, *found.findings])


def _draw_sets(console: Console, found: PredictionSets) -> None:
    say(console, f"{found.sentence}\n", "bold")
    lines: list[Any] = _cells(found)
    columns = [
        TerminalColumn(head, [line[place] for line in lines], right=place in (1, 2, 3))
        for place, head in enumerate(_HEADS)
    ]
    fit(columns, console.width).draw_all(console)
    say(console, "")
    for finding in found.findings:
        say(console, finding)
    say(console, "It holds for new cases of the same kind, and only if the model was not fitted on these.", "dim")
