"""What `compare` prints: the leaderboard and every pair in every metric; or differences of net benefit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unconfuse._formatting import number_text, p_text
from unconfuse._html_repr import TERMINAL
from unconfuse._table_view import markdown_escaped
from unconfuse.cli._estimate_tables import draw_sites, sites_markdown
from unconfuse.cli._layout import Console, TerminalColumn, Text, fit, harmless, say, shortened
from unconfuse.cli._options import Words
from unconfuse.cli._output import emit, markdown_list, markdown_text
from unconfuse.cli._terminal_canvas import AxisScale, interval_bar, marks_for
from unconfuse.policy import Verdict

if TYPE_CHECKING:
    from unconfuse.results import Comparison, Contrast
    from unconfuse.results.decision_curve_difference import DecisionCurveContrast

_BAR = 13
HEADS = ("difference", "interval", "p", "verdict")
_PROBABILITIES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75)  # shown on a terminal; CSV has all
_CURVE_HEADS = ("threshold", "difference", "interval", "larger net benefit")


def _lines(result: Comparison, pair: tuple[str, str]) -> list[list[str]]:
    return [_line(contrast) for contrast in result.values() if (contrast.first, contrast.second) == pair]


def _line(each: Contrast) -> list[str]:

    return [
        each.label,
        *map(number_text, (each.first_value, each.second_value, each.difference.value)),
        each.difference.interval_text,
        p_text(each.p_value).removeprefix("p ").removeprefix("= "),
        each.verdict,
    ]


def pairs_of(result: Comparison) -> list[tuple[str, str]]:
    return list(dict.fromkeys((contrast.first, contrast.second) for contrast in result.values()))


def comparison_markdown(result: Comparison) -> str:
    tables = [markdown_text(["Metric", *pair, *HEADS], _lines(result, pair)) for pair in pairs_of(result)]
    if result.by_subgroup is not None:
        tables += [markdown_text(["Subgroup", *pair, *HEADS], lines) for pair, lines in _subgroups(result)]
    cuts = [f"{markdown_escaped(result.thresholds)}\n"] if result.thresholds else []
    if result.has_sites:
        tables += [sites_markdown(result.sites[result.metrics[0], *pair]) for pair in pairs_of(result)]
    return "\n".join([markdown_list(result.findings), *cuts, *tables])


def _subgroups(result: Comparison) -> list[tuple[tuple[str, str], list[list[str]]]]:
    """Every pair's difference in each subgroup, by the first metric."""
    return [
        (pair, [[name, *_line(contrast)[1:]] for name, contrast in result.subgroups[result.metrics[0], *pair].items()])
        for pair in pairs_of(result)
    ]


def draw_comparison(console: Console, result: Comparison, every_pair: bool = True) -> None:
    classes = result.settings.get("classes")
    kinds = f"{len(classes)} classes" if classes else f"{result.positives:,.0f} positive"
    size = f"{result.n:,.0f} cases, {kinds}" if classes or not math.isnan(result.positives) else _size_of_whole(result)
    say(console, f"{size}; {result.settings['design']} design", "dim")
    if result.thresholds:
        say(console, harmless(result.thresholds), "dim")
    console.print()
    pairs = pairs_of(result)
    for sentence in [finding.sentence for finding in result.sites.findings] if result.has_sites else []:
        say(console, harmless(sentence), "bold")
    if len(pairs) > 1:
        _draw_leaderboard(console, result)
    for contest in result.contests if every_pair or len(pairs) == 1 else ():
        say(console, harmless(contest.renamed(shortened).sentence), "bold")
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
        for pair in pairs or pairs_of(result)[:1]:
            draw_sites(console, result.sites[result.metrics[0], *pair])


def _draw_subgroups(console: Console, result: Comparison) -> None:
    """Of each pair, by the first metric, the difference in every subgroup."""
    for pair, lines in _subgroups(result):
        say(console, f"\n{harmless(result.subgroups[result.metrics[0], *pair].sentence)}", "bold")
        names, *values, differences, intervals, p, verdicts = zip(*lines, strict=True)
        columns = [
            TerminalColumn(shortened(" and ".join(result.subgroups.by), 20), [shortened(name, 40) for name in names]),
            *(
                TerminalColumn(shortened(name, 10), _known(value), right=True)
                for name, value in zip(pair, values, strict=True)
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
    for model in sorted(result.models, key=len, reverse=True):  # a name within a longer one is left to that
        sentence = sentence.replace(model, shortened(model)) if model else sentence
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

    marks, level = marks_for(console), f"{100 * result.settings['confidence_level']:.4g}%"
    labels, *values, differences, intervals, p, verdicts = zip(*_lines(result, pair), strict=True)
    columns = [
        TerminalColumn("", [shortened(label, 60) for label in labels], narrowest=15),
        *(
            TerminalColumn(shortened(name, 10), _known(value), right=True)
            for name, value in zip(pair, values, strict=True)
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
    return ["" if cell == "undefined" else cell for cell in cells]


def _bars(marks: Any, result: Comparison, pair: tuple[str, str]) -> list[Text]:

    found = [
        (contrast.difference, contrast.verdict)
        for contrast in result.values()
        if (contrast.first, contrast.second) == pair
    ]
    limits = (abs(end) for estimate, _ in found for end in (estimate.low, estimate.high, estimate.value))
    reach = max((limit for limit in limits if math.isfinite(limit)), default=0.0) or 1.0
    scale = AxisScale(-reach, reach, _BAR)
    coloured = [(estimate, TERMINAL.get(Verdict(verdict).tone, "")) for estimate, verdict in found]
    return [
        interval_bar(marks, scale, estimate.value, estimate.low, estimate.high, 0.0, style)
        for estimate, style in coloured
    ]


def _footnote(result: Comparison) -> str:
    pairs = len(pairs_of(result))
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


def emit_decision_curves(result: Comparison, pairs: list[tuple[str, str]], output: Words, source: str) -> None:
    """Every pair's difference in net benefit, on all surfaces."""
    contrasts = [result.decision_curve(*pair) for pair in pairs]
    payload = {"source": source, "n": result.n, "positives": result.positives}
    rows = [
        {"first": contrast.first, "second": contrast.second, **row} for contrast in contrasts for row in contrast.rows()
    ]
    markdown = "\n".join(markdown_text(_CURVE_HEADS, _curve_lines(contrast), [contrast]) for contrast in contrasts)
    told = payload | {"decision_curves": [contrast.as_dict() for contrast in contrasts]}
    emit(output, told, rows, markdown, lambda console: _draw_curves(console, contrasts))


def _curve_lines(found: DecisionCurveContrast) -> list[list[str]]:
    lines = []
    for row in found.rows():
        if row["threshold"] in _PROBABILITIES:
            wins = found.first if row["low"] > 0 else found.second if row["high"] < 0 else ""
            ends = f"[{number_text(row['low'])}, {number_text(row['high'])}]"
            lines.append([f"{row['threshold']:g}", number_text(row["difference"]), ends, wins])
    return lines


def _draw_curves(console: Console, found: list[DecisionCurveContrast]) -> None:
    for contrast in found:
        say(console, f"{harmless(contrast.sentence)}\n", "bold")
        cells: Any = list(zip(*_curve_lines(contrast), strict=True))
        sides = (True, True, False, False)
        columns = [
            TerminalColumn(head, list(cell), right=side)
            for head, cell, side in zip(_CURVE_HEADS, cells, sides, strict=True)
        ]
        fit(columns, console.width).draw_all(console)
    say(
        console,
        "\nNet benefit of the first model minus that of the second, true positives per case net of false ones, which "
        "weigh as the threshold says. The band holds everywhere at once; --format csv has every threshold.",
        "dim",
    )
