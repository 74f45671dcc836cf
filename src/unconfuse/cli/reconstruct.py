"""`unconfuse reconstruct`: the 2x2 tables behind printed numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse._formatting import number_text
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, as_table, say
from unconfuse.cli._options import Words, collected, files_to_read, level_option, option, several
from unconfuse.cli._output import emit_result, markdown_text, output_options

if TYPE_CHECKING:
    from unconfuse.results.reconstruction import Reconstruction, Reconstructions

_RATES = (
    "sensitivity specificity ppv npv accuracy balanced_accuracy f1 mcc kappa youden_j prevalence "
    "lr_positive lr_negative dor auroc"
)
_COUNTS = {
    "tp": "True positives",
    "fp": "False positives",
    "fn": "False negatives",
    "tn": "True negatives",
    "positives": "Cases that are positive",
    "negatives": "Cases that are negative",
    "n": "All cases",
    "labelled_positive": "Cases labelled positive",
    "labelled_negative": "Cases labelled negative",
}
_MOST = 20  # tables shown on a terminal
_ANSWERS = {True: "possible", False: "impossible", None: "inconclusive"}


def _printed(name: str, words: str) -> Any:
    return option(f"--{name.replace('_', '-')} TEXT", words, name=name)


@command()
@files_to_read("papers", metavar="[FILE]", required=False)
@collected("printed", *(_printed(name, "As printed: 0.930, .93 or 93%.") for name in _RATES.split()))
@collected("printed", *(_printed(name, f"{words}, as printed.") for name, words in _COUNTS.items()))
@several("--rate NAME=VALUE", "Any other rate of `unconfuse metrics`, as printed; may be repeated.", name="rates")
@several(
    "--interval NAME=LOW,HIGH",
    "Printed interval of a rate, such as sensitivity=.80,.98; may be repeated.",
    name="intervals",
)
@level_option
@option(
    "--largest-n N", "Search up to this many cases where n is not printed. [default: 500; 20,000 if a class size is]"
)
@output_options
def reconstruct(
    *,
    papers: str | None,
    printed: Words,
    rates: list[str] | None,
    intervals: list[str] | None,
    output: Words,
    **how: Any,
) -> None:
    """Find every 2x2 table that agrees with printed numbers, or say which number is off.

    FILE is a CSV file with a row for each paper and a column for each printed number, such as paper, n, sensitivity,
    sensitivity_low, sensitivity_high, specificity.

    \b
    unconfuse reconstruct --sensitivity .93 --specificity .81 --positives 41 --negatives 79
    unconfuse reconstruct --sensitivity 92.7% --interval sensitivity=80.6%,97.5% --positives 41
    unconfuse reconstruct papers.csv
    """
    import unconfuse

    given = {name: value for name, value in printed.items() if value is not None}
    for name, value in [*_rates(rates or []), *_ends(intervals or [])]:
        if name in given:
            raise click.UsageError(f"{name} is given twice.")
        given[name] = value
    found = unconfuse.reconstruct(papers, **how, **given)
    if papers is not None:
        emit_result(output, found, _markdown_of_papers, _draw_papers)
    else:
        emit_result(output, found, _markdown, _draw)


def _rates(given: list[str]) -> list[tuple[str, str]]:
    return [_split(each, "--rate", "f_beta(2)=.81") for each in given]


def _ends(given: list[str]) -> list[tuple[str, str]]:
    found = []
    for each in given:
        name, ends = _split(each, "--interval", "sensitivity=.80,.98")
        parts = [part.strip() for part in ends.replace(" to ", ",").split(",")]
        if len(parts) != 2 or not all(parts):
            raise click.UsageError(f"--interval must be NAME=LOW,HIGH; got {each[:60]!r}.")
        found += [(f"{name}_low", parts[0]), (f"{name}_high", parts[1])]
    return found


def _split(text: str, option_name: str, example: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=") if "(" in text else text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise click.UsageError(f"{option_name} must be NAME=VALUE; got {text[:60]!r}. Hint: for example {example}.")
    return name.strip(), value.strip()


def _heads(found: Reconstruction) -> list[str]:
    return ["TP", "FP", "FN", "TN", "rounding", *(metric.name.replace("_", " ") for metric in found.metrics)]


def _lines(found: Reconstruction, most: int) -> list[list[str]]:
    """Return the first tables, with the intervals of their rates."""
    return [
        [*(f"{row[cell]:,}" for cell in ("tp", "fp", "fn", "tn")), row["rounding"]]
        + [_with_interval(*(row[metric.name + end] for end in ("", "_low", "_high"))) for metric in found.metrics]
        for row in found.rows()[:most]
    ]


def _with_interval(value: float, low: float, high: float) -> str:
    return f"{number_text(value)} [{number_text(low)}, {number_text(high)}]"


def _markdown(found: Reconstruction) -> str:
    return markdown_text(_heads(found), _lines(found, len(found.tables)), [*found.findings, *found.notes])


def _draw(console: Console, found: Reconstruction) -> None:
    for place, sentence in enumerate(found.findings):
        say(console, sentence, "" if place else "bold")
    for note in found.notes:
        say(console, note, "dim")
    lines = _lines(found, _MOST)
    if lines:
        say(console)
        turned = [[head, *(line[place] for line in lines)] for place, head in enumerate(_heads(found))]
        if len(lines) <= 2:
            heads, shown = ["", *(f"table {place + 1}" for place in range(len(lines)))], turned
        else:
            heads, shown = _heads(found)[:5], [line[:5] for line in lines]
        console.print(as_table(shown, [{"header": head} for head in heads]))
        if found.n_tables > len(lines):
            say(
                console,
                f"{len(lines)} of {found.n_tables:,.0f} tables are shown; --format csv prints up to 1,000.",
                "dim",
            )


def _markdown_of_papers(found: Reconstructions) -> str:
    lines = [
        [reconstruction.name, _ANSWERS[reconstruction.possible], reconstruction.sentence] for reconstruction in found
    ]
    return markdown_text(["paper", "answer", "why"], lines, [found.sentence])


def _draw_papers(console: Console, found: Reconstructions) -> None:
    say(console, found.sentence, "bold")
    say(console)
    for reconstruction in found:
        say(
            console,
            f"{reconstruction.name}: {_ANSWERS[reconstruction.possible]}",
            "" if reconstruction.possible else "bold",
        )
        say(console, f"  {reconstruction.sentence}", "dim")
        for note in reconstruction.notes:
            say(console, f"  {note}", "dim")
