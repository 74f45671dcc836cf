"""`unconfuse compare`: several models' scores of the same cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli import _options
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, TerminalColumn, Text, fit, harmless, number_text, say, shortened
from unconfuse.cli._options import Words, collected, option, several
from unconfuse.cli._output import emit_result, markdown_list, markdown_text, output_options, page_options, write_page
from unconfuse.cli._publication_output import documents_of, methods_option, printed_instead, write_documents

if TYPE_CHECKING:
    from unconfuse.results import Comparison, Contrast

_BAR = 13
HEADS = ("difference", "interval", "p", "verdict")


@command()
@_options.models_options
@collected(
    "data",
    several(
        "--scores PATTERN", "Several classes: a model's columns of scores, such as 'a_*'; give one for each model."
    ),
    several("--predicted COLUMN", "Predicted classes instead of scores; give one for each model."),
    _options.ordered_option,
    _options.labels_option,
    several("--by COLUMN", "Compare the models in every subgroup of this column too; several columns are crossed."),
    _options.site_option,
)
@several("--counts NAME=TP,FP,FN,TN", "Four counts of a model, instead of FILE; pass one for each model.")
@several("--against FILE", "Another test set with the same columns, to compare the model there with that on FILE.")
@several(
    "--threshold [MODEL=]SCORE",
    "Label cases positive at or above this score: 10%, or risk=10% for one model.  [default: 0.5]",
)
@option(
    "--threshold-rule RULE",
    "Choose each model's threshold by this rule, such as youden (cross-fitted over folds).",
    also="--at",
)
@_options.metric_option("Compare by this metric; may be repeated. `unconfuse metrics` lists them.")
@option("--reference COLUMN", "Compare every model with this one only.")
@several(
    "--baseline majority|constant",
    "Add a model that always predicts the larger class, or always the prevalence.",
    to="baselines",
)
@click.option(
    "--decision-curve",
    is_flag=True,
    help="Show where each model has the larger net benefit, over threshold probabilities, instead.",
)
@click.option("--pairs", is_flag=True, help="Show every pair of models in every metric, below the leaderboard.")
@option("--margin SHARE", "The largest difference that does not matter.")
@option("--adjust max-t|holm", "How p-values are adjusted for several pairs of models.")
@_options.design_options
@_options.looks_option
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

    draw = partial(_draw, every_pair=pairs)
    statistics["baselines"] = statistics["baselines"] or ()
    data["table"], output["documents"] = documents_of(data["table"])
    if decision_curve:
        _refuse_with_decision_curve(threshold, statistics, counts=counts, against=against)
        _options.refuse({"by": data["by"]}, "cannot be combined with --decision-curve.")
        papers = {"table": output["documents"] or None, "methods": output["methods"] or None}
        _options.refuse(papers, "is of metrics, and --decision-curve shows none.")
    if counts or against:
        apart = _tables(counts, data) if counts else _test_sets(against or [], data)
        result = _options.watched(judge, apart, threshold=_thresholds(threshold), **statistics)
        write_page(result, output)
        write_documents(result, output)
        if not printed_instead(result, output):
            emit_result(output, result, _markdown, draw, source=" and ".join(apart))
        return
    if data["source"] is None:
        raise click.UsageError("Missing argument 'FILE'. Hint: name a file, or four counts of each model (--counts).")
    if _options.is_whole(data):
        from unconfuse.cli._multi_output import compare_whole

        own = {"ordered": data["ordered"], "decision-curve": decision_curve or None}
        _options.refuse(own, "is not for many labels or for queries.")
        compare_whole(data, output, _thresholds(threshold), statistics, draw, _markdown)
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
    edges = [*cuts.values()] if isinstance(cuts, dict) else [0.5 if cuts is None else cuts]
    sample = _options.read(data, rows=True, models=True, edges=edges, sites=True)
    result = _options.watched(judge, sample, threshold=cuts, **statistics)
    write_page(result, output)
    if decision_curve:
        from unconfuse.cli._decision_curves import emit_decision_curves

        emit_decision_curves(result, _pairs(result), output, _options.source_name(data))
        return
    write_documents(result, output)
    if not printed_instead(result, output):
        emit_result(output, result, _markdown, draw, source=_options.source_name(data))


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
    for each in counts:
        name, sign, text = each.partition("=")
        cells = text.replace(" ", "").split(",")
        if not (sign and name and len(cells) == 4):
            raise click.UsageError(f"--counts takes NAME=TP,FP,FN,TN; got {each!r}. Hint: --counts a=141,0,67,31.")
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


def _lines(result: Comparison, pair: tuple[str, str]) -> list[list[str]]:
    return [_line(each) for each in result.values() if (each.first, each.second) == pair]


def _line(each: Contrast) -> list[str]:
    from unconfuse._formatting import p_text

    return [
        each.label,
        *map(number_text, (each.first_value, each.second_value, each.difference.value)),
        each.difference.interval_text,
        p_text(each.p_value).removeprefix("p ").removeprefix("= "),
        each.verdict,
    ]


def _pairs(result: Comparison) -> list[tuple[str, str]]:
    return list(dict.fromkeys((each.first, each.second) for each in result.values()))


def _markdown(result: Comparison) -> str:
    tables = [markdown_text(["Metric", *pair, *HEADS], _lines(result, pair)) for pair in _pairs(result)]
    if result.by_subgroup is not None:
        tables += [markdown_text(["Subgroup", *pair, *HEADS], lines) for pair, lines in _subgroups(result)]
    cuts = [f"{result.thresholds}\n"] if result.thresholds else []
    if result.has_sites:
        from unconfuse.cli._site_output import sites_markdown

        tables += [sites_markdown(result.sites[result.metrics[0], *pair]) for pair in _pairs(result)]
    return "\n".join([markdown_list(result.findings), *cuts, *tables])


def _subgroups(result: Comparison) -> list[tuple[tuple[str, str], list[list[str]]]]:
    """Every pair's difference in each subgroup, by the first metric."""
    return [
        (pair, [[name, *_line(each)[1:]] for name, each in result.subgroups[result.metrics[0], *pair].items()])
        for pair in _pairs(result)
    ]


def _draw(console: Console, result: Comparison, every_pair: bool = True) -> None:
    classes = result.settings.get("classes")
    kinds = f"{len(classes)} classes" if classes else f"{result.positives:,.0f} positive"
    size = f"{result.n:,.0f} cases, {kinds}" if classes or not math.isnan(result.positives) else _size_of_whole(result)
    say(console, f"{size}; {result.settings['design']} design", "dim")
    if result.thresholds:
        say(console, harmless(result.thresholds), "dim")
    console.print()
    pairs = _pairs(result)
    for sentence in [each.sentence for each in result.sites.findings] if result.has_sites else []:
        say(console, harmless(sentence), "bold")
    if len(pairs) > 1:
        _draw_leaderboard(console, result)
    for each in result.contests if every_pair or len(pairs) == 1 else ():
        say(console, harmless(each.renamed(shortened).sentence), "bold")
    if len(pairs) > 1 and not every_pair:
        say(console, f"\n--pairs shows each of {len(pairs)} pairs in {len(result.metrics)} metrics.", "dim")
        pairs = []
    for first, second in pairs:
        room = (console.width - len(" vs ")) // 2
        say(console, f"\n{shortened(first, room)} vs {shortened(second, room)}", "bold")
        _draw_pair(console, result, (first, second))
    if result.by_subgroup is not None:
        _draw_subgroups(console, result)
    say(console, _footnote(result), "dim")
    if result.has_sites:
        from unconfuse.cli._site_output import draw_sites

        for pair in pairs or _pairs(result)[:1]:
            draw_sites(console, result.sites[result.metrics[0], *pair])


def _draw_subgroups(console: Console, result: Comparison) -> None:
    """Of each pair, by the first metric, the difference in every subgroup."""
    for pair, lines in _subgroups(result):
        say(console, f"\n{harmless(result.subgroups[result.metrics[0], *pair].sentence)}", "bold")
        names, *values, differences, intervals, p, verdicts = zip(*lines, strict=True)
        columns = [
            TerminalColumn(shortened(" and ".join(result.subgroups.by), 20), [shortened(each, 40) for each in names]),
            *(
                TerminalColumn(shortened(name, 10), _known(each), right=True)
                for name, each in zip(pair, values, strict=True)
            ),
            TerminalColumn("diff.", _known(differences), right=True),
            TerminalColumn("interval", intervals, rank=2),
            TerminalColumn("p", _known(p), right=True, rank=3),
            TerminalColumn("verdict", verdicts),
        ]
        fit(columns, console.width).draw_all(console)


def _size_of_whole(result: Comparison) -> str:
    """How many cases and labels there are, or queries."""
    labels = result.settings.get("labels")
    return f"{result.n:,.0f} cases, {len(labels)} labels" if labels else f"{result.n:,.0f} queries"


def _draw_leaderboard(console: Console, result: Comparison) -> None:
    """Print the sentence, and the models best first, in tiers that cannot be told apart."""
    board, sentence = result.leaderboard, result.sentence
    for each in sorted(result.models, key=len, reverse=True):  # a name within a longer one is left to that
        sentence = sentence.replace(each, shortened(each)) if each else sentence
    say(console, harmless(sentence), "bold")
    console.print()
    tiers, models, values, behind, p = zip(*board.lines(), strict=True)
    columns = [
        TerminalColumn("tier", tiers, right=True),
        TerminalColumn("model", [shortened(each, 40) for each in models], narrowest=10),
        TerminalColumn(shortened(board.label.split(" (")[0], 20), values, right=True),
        TerminalColumn("behind the best", behind, rank=2),
        TerminalColumn("p", p, right=True, rank=3),
    ]
    fit(columns, console.width).draw_all(console)
    say(console, "Within a tier, differences are inconclusive.", "dim")
    console.print()


def _draw_pair(console: Console, result: Comparison, pair: tuple[str, str]) -> None:
    """One line for each metric; the bars of a pair have one scale, with no difference in its middle."""
    from unconfuse.cli._terminal_canvas import marks_for

    marks, level = marks_for(console), f"{100 * result.settings['confidence_level']:.4g}%"
    labels, *values, differences, intervals, p, verdicts = zip(*_lines(result, pair), strict=True)
    columns = [
        TerminalColumn("", [shortened(each, 60) for each in labels], narrowest=15),
        *(
            TerminalColumn(shortened(name, 10), _known(each), right=True)
            for name, each in zip(pair, values, strict=True)
        ),
        TerminalColumn("diff.", _known(differences), right=True),
        TerminalColumn(f"{level} interval", intervals, rank=2),
        TerminalColumn("", _bars(marks, result, pair), name="bars", rank=4),
        TerminalColumn("p", _known(p), right=True, rank=3),
        TerminalColumn("verdict", verdicts),
    ]
    layout = fit(columns, console.width)
    layout.draw_all(console)
    if any(column.name == "bars" for column in layout.columns):
        words = f"{marks.value} difference  {marks.interval} interval  {marks.chance} no difference"
        say(console, f"{words}; to the right, {shortened(pair[0], 20)} is higher", "dim")


def _known(cells: Sequence[str]) -> list[str]:
    """Nothing for what is undefined: the verdict says so."""
    return ["" if each == "undefined" else each for each in cells]


def _bars(marks: Any, result: Comparison, pair: tuple[str, str]) -> list[Text]:
    from unconfuse._html_repr import TERMINAL
    from unconfuse.cli._terminal_canvas import AxisScale, interval_bar
    from unconfuse.policy import Verdict

    found = [(each.difference, each.verdict) for each in result.values() if (each.first, each.second) == pair]
    limits = (abs(end) for each, _ in found for end in (each.low, each.high, each.value))
    reach = max((each for each in limits if math.isfinite(each)), default=0.0) or 1.0
    scale = AxisScale(-reach, reach, _BAR)
    coloured = [(each, TERMINAL.get(Verdict(verdict).tone, "")) for each, verdict in found]
    return [interval_bar(marks, scale, each.value, each.low, each.high, 0.0, style) for each, style in coloured]


def _footnote(result: Comparison) -> str:
    pairs = len(_pairs(result))
    formulas = "(AUROC: DeLong; accuracy, sensitivity, specificity: McNemar)"
    ways = f"resampled {result.settings['n_resamples']:,} times where no formula serves {formulas}"
    if result.settings.get("labels") or result.settings.get("queries"):
        ways = "by every whole case's influence on both metrics, Student's t"
    elif result.settings.get("classes"):
        ways = "by every case's influence on both metrics (accuracy: McNemar)"
    adjusted = f" p-values are adjusted for {pairs} pairs of models ({result.settings['adjust']})." if pairs > 1 else ""
    if not result.same_cases:
        return f"\nEach model has its own cases: differences are those of independent samples (MOVER).{adjusted}"
    return f"\nDifferences are paired: both models are evaluated on the same cases, {ways}.{adjusted}"
