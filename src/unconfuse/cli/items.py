"""`unconfuse items`: models that answered the same items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse._formatting import p_text
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, as_table, number_text, say
from unconfuse.cli._options import (
    Words,
    collected,
    decimal_option,
    delimiter_option,
    files_to_read,
    level_option,
    option,
    several,
)
from unconfuse.cli._output import (
    emit_result,
    markdown_text,
    output_options,
    plot_of,
    table_page_options,
    write_table_page,
    wrote,
)

if TYPE_CHECKING:
    from unconfuse.results.items import ItemPair, Items

_PAIRS = 15  # shown on a terminal; JSON holds all


@command()
@collected(
    "data",
    files_to_read("source", metavar="FILE...", nargs=-1, required=True),
    option("--item COLUMN", "Column of items, such as questions. [default: item, q, question, doc_id or id]"),
    option("--model COLUMN", "Column of models. [default: model or m; else there is one model]"),
    option("--correct COLUMN", "Column of right or wrong, or of scores from 0 to 1; for logs, the metric or scorer."),
    option("--run COLUMN", "Column of runs, if items were answered several times."),
    option("--cluster COLUMN", "Column of clusters of items, such as passages."),
    option("--judge COLUMN", "Column of a rater's scores; --correct then holds verified scores of some answers."),
    level_option,
    option("--table NAME", "Sheet of a spreadsheet."),
    delimiter_option,
    decimal_option,
)
@several("--pass-at N", "Show pass@N and pass^N as well; may be repeated.", type=int)
@option("--width SHARE", "Plan how many items an interval of this width needs.")
@option("--item-cost COST", "For --width: what a new item costs besides its runs, in units of one run. [default: 0]")
@table_page_options
@output_options
@plot_of("the means and tiers")
def items(
    *, data: Words, output: Words, pass_at: list[int] | None, width: float | None, item_cost: float | None
) -> None:
    """Evaluate models on the same items: means for new items, tiers, and whether to add items or runs.

    FILE holds one row for each answer; or logs of lm-evaluation-harness (samples, JSONL) or Inspect (JSON).

    \b
    unconfuse items answers.csv --item q --model m --correct ok --run run --pass-at 3
    unconfuse items logs/*.json --width 5%
    """
    import unconfuse

    if item_cost is not None and width is None:
        raise click.UsageError("--item-cost requires --width.")
    source = data.pop("source")
    found = unconfuse.items(source[0] if len(source) == 1 else list(source), **data)
    passes = {k: (found.pass_at(k), found.pass_hat(k)) for k in pass_at or ()}
    plan = None if width is None else found.plan(width, item_cost=item_cost or 0.0)
    more: dict[str, Any] = {"pass": [_told(k, *each) for k, each in passes.items()]} if passes else {}
    more |= {} if plan is None else {"plan": plan.as_dict()}

    def draw(console: Console, result: Items) -> None:
        _draw(console, result, passes)
        if plan is not None:
            say(console)
            say(console, plan.sentence, "bold")

    write_table_page(found, output)
    emit_result(output, found, _markdown, draw, **more)
    if output["plot"] is not None:
        found.plot(output["plot"])
        wrote(output["plot"])


def _told(k: int, at: Any, hat: Any) -> dict[str, Any]:
    models = {model: {"pass_at": at[model].as_dict(), "pass_hat": hat[model].as_dict()} for model in at}
    return {"k": k, "models": models}


def _markdown(found: Items) -> str:
    heads = ["model", found.name.replace("_", " "), "interval", "rank"]
    return markdown_text(heads, [line[:4] for line in _lines(found)], found.findings)


def _lines(found: Items) -> list[list[str]]:
    return [
        [model, number_text(found[model].value), found[model].interval_text, _ranks(found.ranks[model])]
        for model in found.models
    ]


def _ranks(ranks: tuple[int, int]) -> str:
    return " to ".join(map(str, dict.fromkeys(ranks)))


def _pair(pair: ItemPair) -> list[str]:
    found = pair.difference
    return [
        *(pair.first, pair.second, number_text(found.value), found.interval_text),
        *(p_text(pair.p_value).removeprefix("p ").removeprefix("= "), pair.verdict),
    ]


def _draw(console: Console, found: Items, passes: dict[int, Any]) -> None:
    first, *others = found.findings
    say(console, first.sentence, "bold")
    for each in others:
        say(console, each.sentence)
    say(console)
    heads = ["model", found.name.replace("_", " "), f"{found.confidence_level * 100:.4g}% interval", "rank"]
    lines = _lines(found)
    for k, (at, hat) in passes.items():
        heads += [f"pass@{k}", f"pass^{k}"]
        for line, model in zip(lines, found.models, strict=True):
            line += [f"{number_text(each[model].value)} {each[model].interval_text}" for each in (at, hat)]
    console.print(as_table(lines, [{"header": head} for head in heads], gap=3))
    if len(found.models) > 2:
        say(console)
        say(console, "Inconclusive differences: " + "; ".join(", ".join(each) for each in found.tiers) + ".")
    if len(found.models) > 1:
        say(console)
        lines = [_pair(pair) for pair in found.pairs[:_PAIRS]]
        heads = ["first", "second", "first - second", "interval", "adjusted p", "first is"]
        console.print(as_table(lines, [{"header": head} for head in heads], gap=3))
        if len(found.pairs) > _PAIRS:
            say(console, f"and {len(found.pairs) - _PAIRS} more pairs: see --json.", "dim")
