"""`unconfuse resolve` and `unconfuse plan`: which metric tells models apart, and on how many cases."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text
from unconfuse._parameters import cases, planning
from unconfuse._parameters.decisions import METRIC, THRESHOLD
from unconfuse._parameters.uncertainty import DESIGN
from unconfuse.cli import _options
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, Layout, TerminalColumn, as_table, fit, say, shortened
from unconfuse.cli._options import SHARE, Words, collected, option, read, refuse, together, watched
from unconfuse.cli._output import emit, emit_result, markdown_text, output_options, page_options, write_page

if TYPE_CHECKING:
    from unconfuse.resolving.difference_plan import DifferencePlan
    from unconfuse.resolving.power_result import ResolvingPower
    from unconfuse.resolving.resolution import Resolution
    from unconfuse.resolving.sample_sizes import SampleSize

_BAR = 16
_HEADS = ("metric", "value", "interval", "on the AUROC scale", "wins", "cases", "kappa", "1/kappa", "delta", "")


@command()
@_options.file_options
@_options.metric_option("Only this metric; may be repeated. [default: six usual ones]")
@option(planning.QUALITIES, type=SHARE)
@option(planning.N)
@option(planning.SHARE_OF_POSITIVES, "Share of positives. [default: that of the data]")
@option(planning.METHOD)
@option("--quick", "The same as --method asymptotic.")
@option(planning.N_SAMPLES)
@option("--scale auto|raw|logit", "Where positives move as a classifier improves: on the scores, or on their log-odds.")
@option("--mapping interpolate|nearest", "`nearest` takes the grid points of the published tables.")
@option(planning.IMPROVEMENT)
@option("--all-improvements", "Print the whole recommendation for each kind of improvement.", was="--every-improvement")
@option(planning.SCORE_CORRELATION)
@option(planning.SEED_OF_SIMULATION)
@option(
    "--difference A B",
    "Say whether two values of the first metric, seen on such data, differ beyond chance.",
    type=(float, float),
)
@page_options
@output_options
def resolve(
    *, data: Words, output: Words, quick: bool, scale: str, difference: Any, all_improvements: bool, **asked: Any
) -> None:
    """Find the metric that best tells models of about this quality apart, on this many cases.

    FILE is as in `evaluate`. The answer can depend on how the next model is better: without --improvement, all four
    kinds are shown. `wins` is how often a metric ranks the better of two close models first, and `cases` is how many
    cases it needs for each one that the AUROC needs; both decide what is recommended. kappa is the width of the
    metric's 95% interval on the AUROC scale, 1/kappa is the resolving power, and delta is by what share kappa exceeds
    that of the AUROC.

    \b
    unconfuse resolve patients.csv --label outcome --score risk --positive yes --quick
    """
    import unconfuse

    if data["group"] is not None:
        raise ArgumentError("resolving power takes cases one by one; it does not know groups. Hint: leave --group out.")
    sample = read(data)
    model = unconfuse.Empirical(sample, scale=scale)
    asked |= {"method": "asymptotic"} if quick else {}
    result = watched(unconfuse.resolving_power, model, **asked)
    write_page(result, output)
    verdict = None if difference is None else result.is_resolved(*difference, metric=result.metrics[0])
    ways = {how: str(each) for how, each in result.by_improvement().items()} if all_improvements else None
    said = {"skipped": sample.skipped.as_dict(), "verdict": None if verdict is None else str(verdict)}
    said |= {} if ways is None else {"by_improvement": ways}
    emit_result(output, result, _markdown, partial(_draw, verdict=verdict, ways=ways or {}), **said)


def _markdown(result: ResolvingPower) -> str:
    numbers = markdown_text(_HEADS, [_cells(result, resolution) for resolution in result.values()])
    kinds = result.recommendation.kinds
    return f"{numbers}\n{markdown_text(_kind_heads(result), _kind_cells(result))}" if kinds else numbers


def _kind_heads(result: ResolvingPower) -> list[str]:
    return ["metric", *(kind.improvement for kind in result.recommendation.kinds)]


def _kind_cells(result: ResolvingPower) -> list[list[str]]:
    """For each metric and kind of improvement the cases that it needs for one of the AUROC."""
    kinds = result.recommendation.kinds
    known = [[kind.efficiencies.get(name, math.nan) for kind in kinds] for name in result.metrics]
    shown = [["" if math.isnan(value) else f"{1 / value:.2f}" for value in line] for line in known]
    return [[name, *line] for name, line in zip(result.metrics, shown, strict=True)]


def _draw(console: Console, result: ResolvingPower, verdict: Any, ways: dict[str, str] | None = None) -> None:
    say(console, str(result.recommendation), "bold")
    if verdict is not None:
        say(console, f"\n{verdict}")
    for how, recommended in (ways or {}).items():
        say(console, f"\nImprovement by {how}: {recommended}")
    say(console)
    for at in result.at:
        say(console, f"AUROC {at:.3f}, {result.n:,} cases, {result.sizes.positives:,} positive", "bold")
        _layout(console, result, at).draw_all(console)
    if result.recommendation.kinds:
        say(console, "\nCases for one of the AUROC, by kind of improvement", "bold")
        heads = [
            {"header": head, "justify": "right" if place else "left"} for place, head in enumerate(_kind_heads(result))
        ]
        console.print(as_table(_kind_cells(result), heads, gap=3))
    say(console, _footnote(result), "dim")


def _layout(console: Console, result: ResolvingPower, at: float) -> Layout:
    """One line for each metric; the bars are the intervals on the AUROC scale, so that the shortest is the finest."""
    from unconfuse.cli._terminal_canvas import AxisScale, interval_bar, marks_for

    resolutions = [result[name, at] for name in result.metrics]
    cells = [_cells(result, resolution) for resolution in resolutions]
    names, values, intervals, mapped, *powers, remarks = zip(*cells, strict=True)
    ends = [
        end
        for resolution in resolutions
        for end in (resolution.mapped_low, resolution.mapped_high)
        if math.isfinite(end)
    ]
    scale = AxisScale(min(ends, default=0.0), max(ends, default=1.0), _BAR)
    marks = marks_for(console)
    bars = [
        interval_bar(
            marks,
            scale,
            math.nan if resolution.undefined else resolution.at,
            resolution.mapped_low,
            resolution.mapped_high,
        )
        for resolution in resolutions
    ]
    columns = [
        TerminalColumn("metric", [shortened(name, 40) for name in names], narrowest=18),
        TerminalColumn("value", values, right=True, rank=3),
        TerminalColumn("interval", intervals, rank=4),
        TerminalColumn("as AUROC", mapped, rank=2),
        TerminalColumn("", bars, rank=1, name="bars"),
        *(TerminalColumn(head, column, right=True) for head, column in zip(_HEADS[4:9], powers, strict=True)),
        *([TerminalColumn("", remarks, narrowest=12, rank=1, name="remarks")] if any(remarks) else []),
    ]
    return fit(columns, console.width)


def _footnote(result: ResolvingPower) -> str:
    simulated = f"{result.n_samples:,} samples, seed {result.seed}; ± is the Monte-Carlo error"
    made = simulated if result.n_samples else "from theory"
    return f"\n{result.method} method, {made}; {result.sizes.design} sampling; {result.mapping} mapping"


def _cells(result: ResolvingPower, each: Resolution) -> list[str]:
    ranked = next(
        (ranked_metric for ranked_metric in result.verdicts(each.at).ranked if ranked_metric.metric == each.metric),
        None,
    )
    wins = ["", ""] if ranked is None else [f"{ranked.wins:.1%}", f"{1 / ranked.efficiency:.2f}"]
    remark = result.verdicts(each.at).reasons.get(each.metric, "") or result.caveat(each.metric, each.at)
    if each.undefined:
        return [each.metric, number_text(each.value, 4), "", "", *wins, "", "", "", remark]
    shown = each.mc_error or each.theory_error
    error = f" ± {shown:.1g}" if shown else ""
    ends = (each.low, each.high, each.mapped_low, each.mapped_high)
    value, low, high, mapped_low, mapped_high, kappa = (number_text(n, 4) for n in (each.value, *ends, each.kappa))
    intervals = [f"[{low}, {high}]", f"[{mapped_low}, {mapped_high}]"]
    powers = [f"{kappa}{error}", f"{each.resolving_power:.1f}", f"{each.delta:+.1%}"]
    return [each.metric, value, *intervals, *wins, *powers, remark]


@command()
@together(*map(option, (planning.DIFFERENCE, planning.WIDTH, planning.POWER, planning.WORSE_BY, planning.NULL)))
@option(planning.SHARE_OF_POSITIVES)
@_options.metric_option(given=METRIC)
@option(planning.QUALITY)
@option(DESIGN, "Does the number of positives vary, or is it fixed?")
@option(planning.SENSITIVITY)
@option(planning.SPECIFICITY)
@option(THRESHOLD, "Threshold at which scores become decisions. [default: the highest Youden J]")
@option(planning.SCORE_CORRELATION)
@option("--icc CORRELATION", "Correlation within clusters, with --group-size.")
@option("--group-size N", "Cases per cluster, if cases come in clusters.", kind="number")
@option(planning.SD_RATIO)
@collected(
    "data",
    option("--data FILE", "Take scores from a file instead of normal ones.", name="source"),
    option(cases.LABEL, "Column of true labels, with --data."),
    option(cases.SCORE, "Column of scores, with --data."),
    option(cases.POSITIVE, "The positive label, with --data."),
    _options.database_options,
)
@option(
    planning.METHOD.but(usage="--method auto|asymptotic|full"),
    "Formula, simulation, or whichever is needed.",
    default=None,
)
@option(planning.N_SAMPLES, "Simulated samples. [default: 10000]", default=None)
@option(planning.SEED_OF_SIMULATION)
@output_options
def plan(*, data: Words, output: Words, sd_ratio: float | None, prevalence: float | None, **asked: Any) -> None:
    """Compute how many cases a test set needs to tell two models apart, or for an interval or a test.

    \b
    unconfuse plan --difference .01 --prevalence 10%
    unconfuse plan --difference .02 --data scores.csv --label y --score p --metric average_precision
    unconfuse plan --metric sensitivity --sensitivity .9 --width .1 --prevalence 20%
    unconfuse plan --metric accuracy --sensitivity .9 --specificity .8 --power .8 --difference .05 \\
        --score-correlation .5
    """
    import unconfuse

    decided = asked["sensitivity"] is not None or asked["specificity"] is not None
    if data["source"] is None:
        refuse(data, "goes with --data FILE only.")
        model: Any = None if decided else unconfuse.Binormal(sd_ratio=1.0 if sd_ratio is None else sd_ratio)
        prevalence = 0.5 if prevalence is None else prevalence
    if decided or data["source"] is not None:
        refuse({"sd_ratio": sd_ratio}, "is for normal scores; it does not go with --data or given rates.")
    if data["source"] is not None:
        model = unconfuse.Empirical(read(data))
    verb: Any = partial(watched, unconfuse.plan) if _takes_long(asked) else unconfuse.plan
    found = verb(model, prevalence=prevalence, **asked)
    name = getattr(found, "reached_name", "kappa")
    few = [[f"{n:,}", f"{reached:.4f}"] for n, reached in found.curve[:: _every(found)]]
    rows = [{"n": n, name: reached} for n, reached in found.curve]
    markdown = f"{found.sentence}\n\n" + markdown_text(["Cases", name], few)
    emit(output, found.as_dict(), rows, markdown, lambda console: _draw_plan(console, found, name))


def _takes_long(asked: Words) -> bool:
    """Only kappa of models with a test set of their own each takes so long that progress is shown."""
    return all(asked[name] is None for name in ("width", "power", "score_correlation", "sensitivity", "specificity"))


def _every(found: DifferencePlan | SampleSize) -> int:
    return max(1, len(found.curve) // 8)


def _draw_plan(console: Console, found: DifferencePlan | SampleSize, name: str) -> None:
    say(console, f"{found.sentence}\n", "bold")
    lines = [(f"{n:,}", f"{round(n * found.prevalence):,}", f"{it:.4f}") for n, it in found.curve[:: _every(found)]]
    last = {"kappa": "kappa", "width": "width of the interval"}.get(name, name)
    heads = ("cases", "positives", last)
    console.print(as_table(lines, [{"header": head, "justify": "right"} for head in heads], gap=3))
