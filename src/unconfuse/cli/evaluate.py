"""`unconfuse evaluate`, `counts` and `judge`: labels and scores of a file, counts alone, labels of a rater."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Any

import click

from unconfuse._formatting import number_text
from unconfuse._parameters import cases
from unconfuse._parameters.decisions import THRESHOLD, THRESHOLD_RULE
from unconfuse._parameters.uncertainty import LOOKS
from unconfuse.cli import _options
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, as_table, say
from unconfuse.cli._null_tests import null_option
from unconfuse.cli._options import Words, collected, option, together
from unconfuse.cli._output import detail_options, emit_result, markdown_text, output_options, page_options, plot_option
from unconfuse.cli._publication_output import document_option, documents_of, evaluation_options
from unconfuse.cli.bayes import person_of, person_options, results_of


@command()
@_options.file_and_document_options
@option(THRESHOLD)
@option(THRESHOLD_RULE)
@collected("data", *map(option, (cases.SCORES, cases.LABELS, cases.PREDICTED, cases.ORDERED)))
@option("--class NAME", "Several classes or labels: evaluate this one alone, as two classes.", name="one_class")
@option("--sort NAME", "Several classes or labels: sort their table by support or a metric in it.  [default: support]")
@_options.metric_options
@collected("data", option(cases.BY), option(cases.SITE))
@option(cases.REFERENCE)
@option(LOOKS)
@_options.sampling_options()
@null_option
@plot_option
@option(
    "--definitions METRIC",
    "Show every definition that goes by this name, such as auprc, and which tool computes it.",
    former=("--explain",),
)
@page_options
@evaluation_options
@option("--mlflow", "Log it to MLflow: metrics with their intervals, the payload, the page.")
@detail_options
@output_options
def evaluate(
    *,
    data: Words,
    output: Words,
    threshold: float | None,
    one_class: str | None,
    sort: str | None,
    mlflow: bool,
    **statistics: Any,
) -> None:
    """Evaluate a classifier from labels and scores.

    FILE is CSV, Parquet, JSON or a spreadsheet (.xlsx), plain or compressed; a folder of such files or a pattern (in
    quotes); - for standard input; or the address of a database, such as sqlite:///file.db or
    postgresql://user@host/name, with --table or --query.

    \b
    unconfuse evaluate patients.csv --label outcome --score risk --positive yes --threshold 5%
    unconfuse evaluate patients.csv --label outcome --score risk --positive yes --threshold-rule youden --null auroc=.8
    unconfuse evaluate scans.csv --labels 'finding_*' --scores 'p_*'
    unconfuse evaluate run.csv --label relevance --score bm25 --query qid
    """
    from unconfuse.api import evaluate as judge
    from unconfuse.cli._evaluation_sections import reject_detail, reject_with_subgroups, show_evaluation, show_files
    from unconfuse.policy import DEFAULT_THRESHOLD, OF_SUBGROUPS
    from unconfuse.results.subgroup_findings import OF_RANKING

    if _options.is_whole(data):
        from unconfuse.cli._multi_output import evaluate_whole

        _options.refuse({"mlflow": mlflow or None}, "logs one yes-or-no question, or several classes.")
        evaluate_whole(data, output, threshold, one_class, sort, statistics)
        return
    prevalence, definitions, nulls = (statistics.pop(name) for name in ("prevalence", "definitions", "nulls"))
    data["table"], output["documents"] = documents_of(data["table"])
    reject_with_subgroups(data["by"], {**statistics, "prevalence": prevalence, "definitions": definitions})
    if data["by"]:
        _options.refuse({"site": data["site"]}, "cannot be combined with --by. Hint: give one of them.")
    if data["by"] or definitions is not None:
        reject_detail(output, "--by" if data["by"] else "--definitions")
    output["named"] = bool(statistics["metrics"])
    cuts = {"threshold": threshold, "threshold_rule": statistics["threshold_rule"]}
    _refuse_for_classes(data, one_class, sort, **cuts, prevalence=prevalence, definitions=definitions)
    of_classes = data["scores"] or data["predicted"]
    sample = _options.read(
        data,
        rows=statistics["threshold_rule"] is not None,
        edges=[DEFAULT_THRESHOLD if threshold is None else threshold],
        sites=True,
    )
    if data["by"] and not statistics["metrics"] and not of_classes and output["form"] in ("table", "markdown"):
        ranked = not any(cuts.values()) and sample.has_scores and sample.probability_problem()
        statistics["metrics"] = (
            OF_RANKING if ranked else OF_SUBGROUPS
        )  # tables show a few, other programs are given all
    name = of_classes.strip("*_-. ") if of_classes else sample.models[0]
    judged = _options.watched(judge, sample, threshold=threshold, name=name, **statistics)
    result = judged.with_changes(source=_options.source_name(data))
    if mlflow:
        _log(result if one_class is None else result.one_vs_rest(one_class))
    if definitions is None:
        show_evaluation(result, output, one_class, sort, prevalence=prevalence, nulls=nulls)
    else:
        _options.refuse({"null": nulls}, "tests metrics; --definitions shows definitions.")
        papers = {"methods": output["methods"], "for": output["checklist"]}
        _options.refuse(papers, "is of metrics; --definitions shows definitions.")
        show_files(result, output, prevalence=prevalence)
        emit_result(output, result.definitions(definitions), _ledger_markdown, _draw_ledger)


def _log(result: Any) -> None:
    """Log to MLflow, which prints addresses: they do not mix with what is printed here."""
    with redirect_stdout(sys.stderr):
        run = result.log_to_mlflow()
    click.echo(f"Logged to run {run} of MLflow.", err=True)


def _refuse_for_classes(data: Words, one_class: str | None, sort: str | None, **two_classes: Any) -> None:
    """Refuse options that are only for two classes, or only for several, where they do not apply."""
    labels = {name: data[name] for name in ("positive", "negative", "rest_negative")}
    if data["predicted"] is not None and data["scores"] is None and any(labels.values()):
        _options.refuse(
            {name: two_classes[name] for name in ("threshold", "threshold_rule")},
            "cuts scores, and predicted labels have none.",
        )
        own = {"class": one_class, "sort": sort, "ordered": data["ordered"]}
        _options.refuse(own, "is for several classes, and --positive asks about one.")
        _options.refuse({"score": data["score"]}, "does not go with --predicted.")
        return
    if data["scores"] is not None or data["predicted"] is not None:
        _options.reject_two_classes({"score": data["score"], **labels, **two_classes})
        if one_class is not None or data["by"]:
            _options.refuse({"sort": sort}, "orders the table of all classes, which is not shown here.")
        return
    hint = "Hint: give --scores PATTERN or --predicted COLUMN."
    words = f"needs the scores or the predicted labels of several classes. {hint}"
    _options.refuse({"class": one_class, "sort": sort, "ordered": data["ordered"]}, words)


def _ledger_markdown(ledger: Any) -> str:
    lines = [[entry.definition, number_text(entry.value), entry.tools, entry.why] for entry in ledger.entries]
    return markdown_text(["Definition", "Value", "Who computes it", "Why it differs"], lines)


def _draw_ledger(console: Console, ledger: Any) -> None:
    from rich.text import Text

    say(console, f"{ledger.title}\n", "bold")
    lines = [
        [entry.definition, number_text(entry.value), Text.assemble((entry.tools, "bold"), f"\n{entry.why}")]
        for entry in ledger.entries
    ]
    console.print(as_table(lines, [{}, {}, {}], below=1))
    say(console, ledger.advice)


@command()
@together(
    *(option(option_spec, is_needed=False) for option_spec in cases.COUNTS.values())
)  # or all of them in a matrix
@_options.option_to_read(cases.MATRIX.but(is_needed=False))
@option(cases.ROWS, default=None)
@option("--ordered", "With --matrix: its classes have an order, as they stand.", default=None, group="Data")
@option("--class NAME", "With --matrix: evaluate this class versus the rest.", name="one_class")
@collected("labels", _options.positive_option)
@person_options
@null_option
@_options.metric_options
@page_options
@evaluation_options
@document_option
@detail_options
@output_options
def counts(
    *,
    output: Words,
    labels: Words,
    matrix: str | None,
    one_class: str | None,
    ordered: bool | None,
    prevalence: float | None,
    **statistics: Any,
) -> None:
    """Evaluate a classifier from its four counts, or from a K x K confusion matrix.

    \b
    unconfuse counts --tp 90 --fp 5 --fn 10 --tn 95 --prior 5% --results ++-
    """
    rows, prior, nulls = (statistics.pop(name) for name in ("rows", "prior", "nulls"))
    results = results_of(statistics.pop("tests"), statistics.pop("more_tests"))
    output["named"] = bool(statistics["metrics"])
    cells = {name: statistics.pop(name) for name in ("tp", "fp", "fn", "tn")}
    from unconfuse.api import evaluate_confusion, evaluate_counts
    from unconfuse.cli._evaluation_sections import show_evaluation

    if matrix is not None:
        from unconfuse.ingest.read_columns import read_matrix

        _options.refuse(cells, "is one of four counts; --matrix FILE holds them all.")
        asked = {"positive": labels.pop("positive"), "negative": _options.negative_of(labels)}
        _options.reject_two_classes({"prior": prior, "tests": results or None})
        if not any(asked.values()):
            _options.reject_two_classes({"prevalence": prevalence})
        cells_of_classes, classes = read_matrix(matrix)
        how = {"rows": rows or "truth", "ordered": bool(ordered), **asked}
        judged = evaluate_confusion(cells_of_classes, classes, **how, **statistics)
        show_evaluation(judged.with_changes(source=matrix), output, one_class, prevalence=prevalence, nulls=nulls)
        return
    _options.refuse(labels, "names a class of --matrix FILE.")
    _options.refuse({"rows": rows, "ordered": ordered}, "says how --matrix FILE is written.")
    if one_class is not None:
        raise click.UsageError("--class goes with --matrix FILE only.")
    missing = [name for name, cell in cells.items() if cell is None]
    if missing:
        raise click.UsageError(f"Missing option '--{missing[0]}'. Hint: give all four counts, or --matrix FILE.")
    fractional = next((name for name, cell in cells.items() if cell % 1), None)
    if fractional is not None:
        raise click.UsageError(
            f"--{fractional} must be a whole number of cases; got {cells[fractional]:g}. Hint: for sums of weights, "
            "use evaluate_counts in Python."
        )
    judged = evaluate_counts(**cells, **statistics)
    person = person_of(judged, prior, results)
    show_evaluation(judged, output, person=person, prevalence=prevalence, nulls=nulls)


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
    evaluation = evaluate(sample, name=sample.models[0], **statistics)
    show_evaluation(evaluation.with_changes(source=_options.source_name(data)), output)
    if plan_verification is not None:
        metric = (statistics["metrics"] or ["sensitivity"])[0]
        click.echo(
            evaluation.plan_verification(plan_verification, metric).sentence,
            err=output["form"] not in ("table", "markdown"),
        )
