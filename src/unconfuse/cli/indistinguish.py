"""`unconfuse indistinguish`: the threshold at which labelled and real positives cannot be told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError, InputError, argument_name
from unconfuse._formatting import number_text
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, as_table, say
from unconfuse.cli._options import Words, file_options, option, read, sampling_options, several
from unconfuse.cli._output import emit, markdown_text, output_options, page_options, plot_of, write_page

if TYPE_CHECKING:
    from unconfuse.indistinguish import Indistinguishability

_SHOWN = ("level", "threshold", "precision", "sensitivity", "false_positive_rate", "b")


@command()
@file_options
@several(
    "--b-level SHARE",
    "Which B(r) to look for; may be repeated.",
    name="levels",
    former=("--level",),
    default=(0.5, 0.4, 0.6),
)
@option(
    "--side below|above|mixture",
    "The largest set below the level, the smallest above it, or a part of the ties.",
    was="--take",
)
@option("--exclude-self", "Compare no case with itself.")
@option("--method bootstrap|influence", "How to make the intervals.", default=None)
@sampling_options()
@plot_of("B(r), r_b and C(r_b) at the first level")
@page_options
@output_options
def indistinguish(*, data: Words, output: Words, levels: list[float], **statistics: Any) -> None:
    """Find the score where labelled and true positives rank alike, and the precision there.

    With --group whole groups are resampled. --html writes the page of the classifier with its threshold at r_b,
    chosen and measured as `evaluate --threshold-rule indistinguishability` does.

    \b
    unconfuse indistinguish patients.csv --label outcome --score risk --positive yes
    """
    from unconfuse import indistinguishability
    from unconfuse.indistinguish import easy_negatives_finding

    page = output["html"] is not None or output["payload"] is not None
    sample = read(data, rows=page)  # a page chooses the threshold again without each case
    indistinguishabilities = [indistinguishability(sample, b_level=levels[0], **statistics)]
    missing = []
    for level in levels[1:]:
        try:
            indistinguishabilities.append(indistinguishabilities[0].at_level(level))
        except InputError as error:  # the first level decides; others may be out of reach
            missing.append(str(error))
    _write_pictures(sample, indistinguishabilities[0], output, statistics, page=page)
    remark = easy_negatives_finding(sample.table())
    said = [each.sentence for each in indistinguishabilities] + missing + ([remark.sentence] if remark else [])
    rows = [_row(each) for each in indistinguishabilities]
    sizes = {"n": sample.n, "positives": sample.positives, "skipped": sample.skipped.as_dict()}
    payload = {"levels": [each.as_dict() for each in indistinguishabilities], "findings": said, **sizes}
    markdown = markdown_text(list(rows[0]), [_texts(row) for row in rows], said)
    emit(output, payload, rows, markdown, lambda console: _draw(console, said, rows))


def _write_pictures(sample: Any, found: Indistinguishability, output: Words, statistics: Words, *, page: bool) -> None:
    """Write the plot of the first level, and the page of the classifier at that threshold, where they are asked for."""
    if output["plot"] is not None:
        found.plot(output["plot"])
    if page:
        from unconfuse import evaluate
        from unconfuse.thresholds.rules import at_b

        if found.take != "below":
            raise ArgumentError(
                f"the page does not support {argument_name('side', found.take)}. Hint: leave it out: the page labels "
                "the "
                "largest set that is still below the level."
            )
        again = {name: statistics[name] for name in ("n_resamples", "rng")}
        write_page(evaluate(sample, threshold_rule=at_b(found.level).name, **again), output)


def _row(found: Indistinguishability) -> dict[str, Any]:
    ends = {
        f"{name}{suffix}": getattr(getattr(found, name), end)
        for name in ("threshold", "precision")
        for suffix, end in (("", "value"), ("_low", "low"), ("_high", "high"))
    }
    rates = {name: getattr(found.labelled_set, name) for name in ("sensitivity", "false_positive_rate", "b")}
    return {"level": found.level, **ends, **rates}


def _texts(row: dict[str, Any]) -> list[str]:
    return [f"{value:g}" if name == "level" else number_text(value) for name, value in row.items()]


def _draw(console: Console, said: list[str], rows: list[dict[str, Any]]) -> None:
    for position, sentence in enumerate(said):
        say(console, sentence, "bold" if position == 0 else "")
    say(console)
    columns = [{"header": head.replace("_", " "), "justify": "right"} for head in _SHOWN]
    console.print(as_table([_texts({name: row[name] for name in _SHOWN}) for row in rows], columns))
