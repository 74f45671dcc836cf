"""`unconfuse guarantee`: a threshold that promises a rate on new cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse._parameters.decisions import GUARANTEES, METRIC, PREVALENCE
from unconfuse._parameters.uncertainty import CONFIDENCE_LEVEL, DESIGN
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, number_text, say
from unconfuse.cli._options import Words, file_options, metric_option, option, read
from unconfuse.cli._output import emit_result, markdown_text, output_options

if TYPE_CHECKING:
    from unconfuse.thresholds import GuaranteedThreshold
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
    unconfuse guarantee patients.csv --label outcome --score risk --metric precision --at-least .9
    unconfuse guarantee patients.csv --metric false_negative_rate --at-most 2%
    unconfuse guarantee patients.csv --guarantee "precision>=.9" --guarantee "sensitivity>=.8" --refer
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
        cells = [[each["metric"], f"{each['relation']} {each['bound']:g}"] for each in bounds]
        ends = [[number_text(each["threshold"]), number_text(each["observed"])] for each in found.rows()]
        return markdown_text(heads, [[*one, *other] for one, other in zip(cells, ends, strict=True)], [found.sentence])
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
