"""`unconfuse judge`: a classifier, or a prevalence, where a judge labelled the cases and few were checked."""

from __future__ import annotations

from typing import Any

import click

from unconfuse._parameters import cases
from unconfuse._parameters.decisions import THRESHOLD
from unconfuse.cli import _options
from unconfuse.cli._help import command
from unconfuse.cli._options import Words, collected, option
from unconfuse.cli._output import output_options, page_options, plot_option


@command()
@collected(
    "data",
    _options.file_argument,
    option(cases.LABEL, "Column of the truth, empty where a case was not checked. [default: truth]"),
    option(cases.JUDGE, is_needed=True),
    option(cases.SCORE),
    option(cases.BY),
    _options.positive_option,
    _options.csv_options,
)
@option(THRESHOLD)
@_options.metric_option()
@_options.level_option
@option(
    "--plan-verification N",
    "Also say which N cases to check next, for the first metric asked for (or the sensitivity).",
    former=("--buy",),
)
@plot_option
@page_options
@output_options
def judge(*, data: Words, output: Words, plan_verification: int | None, **statistics: Any) -> None:
    """Evaluate a classifier on labels from an imperfect rater: a person, a cheap test, a language model.

    All cases have the rater's label; verified cases have the true class as well. The numbers refer to the true class,
    provided that which cases were verified depends only on the rater's label and the score.

    \b
    unconfuse judge answers.csv --label truth --judge llm --score p
    """
    from unconfuse.api import evaluate
    from unconfuse.cli._evaluation_sections import show_evaluation

    sample = _options.read(data)
    found = evaluate(sample, name=sample.models[0], **statistics)
    show_evaluation(found.with_changes(source=_options.source_name(data)), output)
    if plan_verification is not None:
        metric = (statistics["metrics"] or ["sensitivity"])[0]
        click.echo(
            found.plan_verification(plan_verification, metric).sentence, err=output["form"] not in ("table", "markdown")
        )
