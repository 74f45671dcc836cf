"""`unconfuse compare`: several models' scores of the same cases."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from unconfuse._parameters import cases
from unconfuse._parameters.decisions import BASELINES, THRESHOLD_OF_EACH, THRESHOLD_RULE
from unconfuse._parameters.uncertainty import ADJUST, LOOKS, MARGIN
from unconfuse.cli import _options
from unconfuse.cli._comparison_output import comparison_markdown, draw_comparison, emit_decision_curves, pairs_of
from unconfuse.cli._help import command
from unconfuse.cli._options import Words, collected, option, several
from unconfuse.cli._output import emit_result, output_options, page_options, write_page
from unconfuse.cli._publication_output import documents_of, methods_option, printed_instead, write_documents
from unconfuse.policy import DEFAULT_THRESHOLD


@command()
@_options.models_options
@collected(
    "data",
    option(cases.SCORES_OF_EACH),
    several(cases.PREDICTED, "Predicted classes instead of scores; give one for each model."),
    option(cases.ORDERED),
    option(cases.LABELS),
    option(cases.BY, "Compare the models in every subgroup of this column too; several columns are crossed."),
    option(cases.SITE),
)
@several("--counts NAME=TP,FP,FN,TN", "Four counts of a model, instead of FILE; pass one for each model.", group="Data")
@several(
    "--against FILE",
    "Another test set with the same columns, to compare the model there with that on FILE.",
    group="Data",
)
@option(THRESHOLD_OF_EACH)
@option(THRESHOLD_RULE, "Choose each model's threshold by this rule, such as youden (cross-fitted over folds).")
@_options.metric_option("Compare by this metric; may be repeated. `unconfuse metrics` lists them.")
@option(cases.REFERENCE_MODEL)
@option(BASELINES)
@option("--decision-curve", "Show where each model has the larger net benefit, over threshold probabilities, instead.")
@option("--pairs", "Show every pair of models in every metric, below the leaderboard.")
@option(MARGIN)
@option(ADJUST)
@_options.design_options
@option(LOOKS)
@_options.sampling_options()
@page_options
@methods_option
@output_options
def compare(
    *,
    data: Words,
    output: Words,
    threshold: list[str] | None,
    counts: list[str] | None,
    against: list[str] | None,
    decision_curve: bool,
    pairs: bool,
    **statistics: Any,
) -> None:
    """Compare several models on the same cases, best first.

    \b
    unconfuse compare patients.csv --label outcome --positive yes --score risk --score rule --threshold rule=3
    unconfuse compare --counts a=141,0,67,31 --counts b=100,10,60,70
    unconfuse compare one.csv --against another.csv --label outcome --score risk
    unconfuse compare patients.csv --label outcome --positive yes --score risk --score lab --decision-curve
    unconfuse compare patients.csv --label outcome --positive yes --score risk --score lab --by sex
    """
    from unconfuse.api import compare as judge

    draw = partial(draw_comparison, every_pair=pairs)
    statistics["baselines"] = statistics["baselines"] or ()
    data["table"], output["documents"] = documents_of(data["table"])
    if decision_curve:
        _refuse_with_decision_curve(threshold, statistics, counts=counts, against=against)
        _options.refuse({name: data[name] for name in ("by", "site")}, "cannot be combined with --decision-curve.")
        papers = {"table": output["documents"] or None, "methods": output["methods"] or None}
        _options.refuse(papers, "is of metrics, and --decision-curve shows none.")
    if counts or against:
        apart = _tables(counts, data) if counts else _test_sets(against or [], data)
        result = _options.watched(judge, apart, threshold=_thresholds(threshold), **statistics)
        write_page(result, output)
        write_documents(result, output)
        if not printed_instead(result, output):
            emit_result(output, result, comparison_markdown, draw, source=" and ".join(apart))
        return
    if data["source"] is None:
        raise click.UsageError("Missing argument 'FILE'. Hint: name a file, or four counts of each model (--counts).")
    if _options.is_whole(data):
        from unconfuse.cli._multi_output import compare_whole

        own = {"ordered": data["ordered"], "decision-curve": decision_curve or None}
        _options.refuse(own, "is not for many labels or for queries.")
        compare_whole(data, output, _thresholds(threshold), statistics, draw, comparison_markdown)
        return
    if data["scores"]:
        labels = {name: data[name] for name in ("positive", "negative", "rest_negative")}
        _options.reject_two_classes(
            {"score": data["score"], **labels, "threshold": threshold, "threshold_rule": statistics["threshold_rule"]}
        )
    else:
        _options.refuse({"ordered": data["ordered"]}, "is for several classes: give --scores.")
    if data["predicted"]:
        given = {
            "score": data["score"],
            "scores": data["scores"],
            "threshold": threshold,
            "threshold_rule": statistics["threshold_rule"],
        }
        _options.refuse(given, "cannot be combined with --predicted.")
        data["predicted"] = {name: name for name in data["predicted"]}
    if not data["scores"] and not data["score"] and not data["predicted"]:
        raise click.UsageError("Missing option '--score'. Hint: name the column of each model's scores.")
    cuts = _thresholds(threshold)
    edges = [*cuts.values()] if isinstance(cuts, dict) else [DEFAULT_THRESHOLD if cuts is None else cuts]
    sample = _options.read(data, rows=True, models=True, edges=edges, sites=True)
    result = _options.watched(judge, sample, threshold=cuts, **statistics)
    if output["form"] == "csv" and not decision_curve:
        apart = {"by": data["by"], "site": data["site"]}
        _options.refuse(apart, "is not shown in CSV, which has a line for each metric and pair. Hint: use --json.")
    write_page(result, output)
    if decision_curve:
        emit_decision_curves(result, pairs_of(result), output, _options.source_name(data))
        return
    write_documents(result, output)
    if not printed_instead(result, output):
        emit_result(output, result, comparison_markdown, draw, source=_options.source_name(data))


def _refuse_with_decision_curve(threshold: list[str] | None, statistics: Words, **apart: Any) -> None:
    """Decision curves are of all thresholds, of models that were judged on the same cases."""
    given = {"threshold": threshold, "metric": statistics["metrics"]}
    given |= {name: statistics[name] for name in ("threshold_rule", "margin")}
    _options.refuse(given, "is not for --decision-curve, which has every threshold.")
    own = {name: each or None for name, each in apart.items()}
    _options.refuse(own, "has cases of its own; --decision-curve pairs.")
    statistics["metrics"] = ["auroc"]  # which every score has: nothing else is shown


def _thresholds(given: list[str] | None) -> float | dict[str, float] | None:
    """One threshold for all models, or one for each that is named."""
    named: dict[str, float] = {}
    for text in given or ():
        model, _, score = text.rpartition("=")
        if (not model and len(given or ()) > 1) or model in named:
            hint = "Hint: name the model of each, such as --threshold risk=0.1 --threshold rule=3."
            raise click.UsageError(f"whose threshold is {text[:60]}? {hint}")
        named[model] = _options.SHARE.convert(score, None, None)
    return named.get("", named or None)


def _tables(counts: list[str], data: Words) -> dict[str, Any]:
    """Models by name, from NAME=TP,FP,FN,TN."""
    from unconfuse.table import Counts

    given = {key: value or None for key, value in data.items() if key != "on_bad_row"}
    _options.refuse(given, "describes a file; it does not go with --counts.")
    found = {}
    for count in counts:
        name, sign, text = count.partition("=")
        cells = text.replace(" ", "").split(",")
        if not (sign and name and len(cells) == 4):
            raise click.UsageError(f"--counts takes NAME=TP,FP,FN,TN; got {count!r}. Hint: --counts a=141,0,67,31.")
        try:
            tp, fp, fn, tn = (float(cell) for cell in cells)
        except ValueError:
            raise click.UsageError(f"--counts takes four numbers; got {text!r}.") from None
        if name in found:
            raise click.UsageError(f"--counts names {name!r} twice.")
        found[name] = Counts(tp=tp, fp=fp, fn=fn, tn=tn)
    return found


def _test_sets(against: list[str], data: Words) -> dict[str, Any]:
    """One model's column in several files, by the files' names."""
    if data["source"] is None or data["scores"] or len(data["score"] or []) > 1:
        why = "--against compares one column of scores in FILE and in another file."
        raise click.UsageError(f"{why} Hint: give one --score.")
    words = data | {"score": (data["score"] or [None])[0], "scores": None}
    found: dict[str, Any] = {}
    for path in (data["source"], *against):
        if path in found:
            raise click.UsageError(f"{path} is named twice: a test set cannot be compared with itself.")
        found[path] = _options.read(words | {"source": path})
    return found
