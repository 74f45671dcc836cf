"""`unconfuse forecast`: what to expect of cases whose labels have not come yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse._formatting import number_text
from unconfuse._parameters import cases
from unconfuse._parameters.decisions import THRESHOLD
from unconfuse.cli import _options
from unconfuse.cli._estimate_tables import Table, result_options, show
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, harmless, say
from unconfuse.cli._options import Words, collected, option, several

if TYPE_CHECKING:
    from unconfuse.results.forecast import Forecast, ForecastCheck

_HEADS = ["", "if a score means as before", "if only prevalence changed", "expected"]
_KINDS = (("same_risk", "same risk"), ("label_shift", "label shift"))


@command()
@_options.files_to_read("reference", metavar="REFERENCE")
@_options.files_to_read("new", metavar="NEW")
@collected(
    "data",
    option(cases.LABEL, "Column of true labels, of REFERENCE (with --check of NEW too)."),
    option(cases.SCORE, "Column of scores, of both. [default: score, p, probability, prob or prediction]"),
    _options.positive_option,
    _options.csv_options,
)
@option(THRESHOLD)
@_options.metric_option("Forecast this metric of decisions, or auroc; may be repeated.")
@several("--require TEXT", "Show by what factor odds may be off before this fails, such as 'precision>=.6'.")
@option("--label-next N", "List so many rows of NEW to label next (counted from 1).")
@option("--check", "NEW now has labels: measure how good the forecast was.")
@_options.level_option
@_options.sampling_options(1000)
@result_options("both forecasts with their intervals,")
def forecast(
    *,
    reference: str,
    new: str,
    data: Words,
    output: Words,
    require: list[str] | None,
    label_next: int | None,
    check: bool,
    **statistics: Any,
) -> None:
    """Say what to expect of NEW, which has scores but no labels yet, from REFERENCE, which has both.

    \b
    unconfuse forecast last-year.csv this-month.csv --label outcome --score risk --positive yes --threshold .15
    unconfuse forecast last-year.csv this-month.csv --label outcome --score risk --positive yes --check
    """
    import unconfuse
    from unconfuse.ingest import Data

    words = {name: value for name, value in data.items() if value is not None}
    words |= {"negative": negative} if (negative := _options.negative_of(words)) else {}
    found = unconfuse.forecast(Data(reference, **words), Data(new, **_of_new(words)), **statistics)
    more: Words = {"source": new}
    if check:
        _options.refuse(
            {"require": require, "label_next": label_next}, "is for cases without labels, and --check has them."
        )
        show(found.check(_labels(new, words)), output, _check_table, **more)
        return
    if require:
        more["requirements"] = [
            {"requirement": each, "odds_factor": found.odds_factor(each), "sentence": found.requirement_sentence(each)}
            for each in require
        ]
    if label_next is not None:
        more["label_next"] = (found.label_next(label_next, rng=statistics["rng"]).rows + 1).tolist()
    show(found, output, _table, lambda console, _: _draw_requirements(console, more), **_plain(more))


def _of_new(words: Words) -> Words:
    return {name: words[name] for name in ("score", "delimiter", "decimal") if name in words}


def _labels(new: str, words: Words) -> Any:
    from unconfuse.ingest import Data
    from unconfuse.ingest.read_columns import read_columns

    if "label" not in words:
        raise click.UsageError("--check needs the labels of NEW. Hint: give --label COLUMN.")
    return read_columns(Data(new, label=words["label"], **_of_new(words))).label


def _plain(more: Words) -> Words:
    from unconfuse._formatting import plain_json

    return dict(plain_json(more))


def _table(found: Forecast) -> Table:
    from unconfuse.results.forecast import table_of

    return _HEADS, table_of(found)


def _draw_requirements(console: Console, more: Words) -> None:
    for each in more.get("requirements", ()):
        say(console, harmless(each["sentence"]))
    if "label_next" in more:
        say(console, f"Rows to label next: {', '.join(map(str, more['label_next']))}.")


def _check_table(found: ForecastCheck) -> Table:
    lines = []
    for row in found.rows():
        cells = [row["label"], number_text(row["realised"])]
        for kind, _ in _KINDS:
            held = {True: "held", False: "missed", None: ""}[row[f"{kind}_held"]]
            cells.append(f"{number_text(row[f'{kind}_low'])} to {number_text(row[f'{kind}_high'])} {held}".strip())
        lines.append(cells)
    return ["", "came", *(words for _, words in _KINDS)], lines
