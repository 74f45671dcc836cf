"""`unconfuse items`: models that answered the same items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse._formatting import number_text, p_text, places_text
from unconfuse._parameters import records
from unconfuse._parameters.cases import JUDGE, TABLE
from unconfuse._parameters.planning import WIDTH
from unconfuse.cli._estimate_tables import Table, draw_table, result_options, show
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, say
from unconfuse.cli._options import Words, collected, csv_options, files_to_read, level_option, option, several

if TYPE_CHECKING:
    from unconfuse.results.items import ItemPair, Items

_PAIRS = 15  # shown on a terminal; JSON holds all


@command()
@collected(
    "data",
    files_to_read("source", metavar="FILE...", nargs=-1, required=True),
    *map(option, (records.ITEM, records.MODEL_OF_ITEMS, records.CORRECT, records.RUN, records.CLUSTER)),
    option(JUDGE, "Column of a rater's scores; --correct then holds verified scores of some answers."),
    level_option,
    option(TABLE, "Sheet of a spreadsheet."),
    csv_options,
)
@several("--pass-at N", "Show pass@N and pass^N as well; may be repeated.", type=int)
@option(WIDTH.but(usage="--width SHARE", kind="share"), "Plan how many items an interval of this width needs.")
@option("--item-cost COST", "For --width: what a new item costs besides its runs, in units of one run. [default: 0]")
@result_options("the means and tiers")
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
    show(found, output, lambda result: _table(result, passes), _draw_pairs, plan=plan, **more)


def _told(k: int, at: Any, hat: Any) -> dict[str, Any]:
    models = {model: {"pass_at": at[model].as_dict(), "pass_hat": hat[model].as_dict()} for model in at}
    return {"k": k, "models": models}


def _table(found: Items, passes: dict[int, Any]) -> Table:
    heads = ["model", found.name.replace("_", " "), f"{found.confidence_level * 100:.4g}% interval", "rank"]
    lines = [
        [model, number_text(found[model].value), found[model].interval_text, places_text(*found.ranks[model])]
        for model in found.models
    ]
    for k, (at, hat) in passes.items():
        heads += [f"pass@{k}", f"pass^{k}"]
        for line, model in zip(lines, found.models, strict=True):
            line += [f"{number_text(each[model].value)} {each[model].interval_text}" for each in (at, hat)]
    return heads, lines


def _pair(pair: ItemPair) -> list[str]:
    estimate = pair.difference
    return [
        *(pair.first, pair.second, number_text(estimate.value), estimate.interval_text),
        *(p_text(pair.p_value).removeprefix("p ").removeprefix("= "), pair.verdict),
    ]


def _draw_pairs(console: Console, found: Items) -> None:
    if len(found.models) > 2:
        say(console)
        say(console, "Inconclusive differences: " + "; ".join(", ".join(tier) for tier in found.tiers) + ".")
    if len(found.models) > 1:
        say(console)
        lines = [_pair(pair) for pair in found.pairs[:_PAIRS]]
        heads = ["first", "second", "first - second", "interval", "adjusted p", "first is"]
        draw_table(console, heads, lines)
        if len(found.pairs) > _PAIRS:
            say(console, f"and {len(found.pairs) - _PAIRS} more pairs: see --json.", "dim")
