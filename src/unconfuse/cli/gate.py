"""`unconfuse gate`: three answers for a release, as exit codes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from unconfuse._errors import InputError
from unconfuse.cli import _options
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, harmless, say
from unconfuse.cli._options import Words, collected, option, several
from unconfuse.cli._output import emit_result, emit_text, markdown_text, output_options

if TYPE_CHECKING:
    from unconfuse.ingest.others import ReadColumns
    from unconfuse.results.gate import Gate

EXIT_CODES = {"pass": 0, "worse": 3, "cannot tell": 4}
_COLOURS = {"pass": "green", "worse": "red", "cannot tell": "yellow"}


@command()
@_options.files_to_read("new", metavar="NEW")
@_options.option_to_read("--baseline FILE", "The old model's scores of the same cases. [default: NEW itself]")
@collected(
    "data",
    option("--label COLUMN", "Column of true labels, of NEW. [default: label, y, target or truth]"),
    option("--score COLUMN", "Column of scores. [default: score, p, probability, prob or prediction]"),
    option("--id COLUMN", "Column that names the cases, in both files: cases are paired by it."),
    _options.positive_option,
    _options.delimiter_option,
)
@option("--baseline-score COLUMN", "The old model's column of scores. [default: as --score]")
@_options.metric_option("In which the new model must not be worse; may be repeated. [default: auroc]")
@option("--margin SHARE", "By how much it may be worse; 0 asks that it is better.", default=0.0)
@several("--require TEXT", "What the new model must show by itself, such as 'sensitivity>=.9'; may be repeated.")
@option("--threshold SCORE", "Where decisions of both models are cut. [default: 0.5 of probabilities]")
@option("--error-rate SHARE", "How often a worse model may pass, or a good one be called worse.", default=0.05)
@_options.sampling_options()
@_options.file_to_write("--junit", words="Write the checks as JUnit XML.")
@output_options
def gate(
    *,
    new: str,
    baseline: str | None,
    baseline_score: str | None,
    data: Words,
    output: Words,
    junit: str | None,
    **statistics: Any,
) -> None:
    """May NEW take the place of the baseline? Exit code 0: pass; 3: worse; 4: cannot tell.

    \b
    unconfuse gate new.parquet --baseline old.parquet --label y --score p --id id --metric auroc --margin .01
    unconfuse gate scores.csv --score new --baseline-score old --require "sensitivity>=.9"
    """
    import unconfuse

    given = _paired(new, baseline, baseline_score, data)
    statistics["metrics"] = statistics["metrics"] or ["auroc"]
    statistics["require"] = statistics["require"] or ()
    found = unconfuse.gate(*given, positive=data["positive"], **statistics)
    if junit is not None:
        emit_text(found.to_junit(), junit)
    emit_result(output, found, _markdown, _draw)
    sys.exit(EXIT_CODES[found.verdict])


def _paired(new: str, baseline: str | None, column: str | None, data: Words) -> tuple[Any, Any, Any]:
    """Labels and both models' scores of the cases that both files hold."""
    words = {name: data[name] for name in ("label", "score", "id", "delimiter") if data[name] is not None}
    first = _columns(new, words)
    if baseline is None and column is None:
        return first.label, next(iter(first.numbers.values())), None
    old = _columns(baseline or new, words | ({} if column is None else {"score": column}))
    if first.id is None or old.id is None:
        if baseline is not None and not _same_labels(first.label, old.label):
            raise InputError(
                f"{Path(new).name} and {Path(baseline).name} do not hold the same labels in the same order. "
                "Hint: name the cases with --id COLUMN, so that they can be paired."
            )
        return first.label, next(iter(first.numbers.values())), next(iter(old.numbers.values()))
    return _joined(first, old)


def _columns(path: str, words: dict[str, Any]) -> ReadColumns:
    from unconfuse.ingest import Data
    from unconfuse.ingest.others import read_columns

    if "label" not in words:
        raise InputError(f"which column of {Path(path).name} is the label? Hint: pass --label NAME.")
    return read_columns(Data(path, **words))


def _same_labels(one: Any, other: Any) -> bool:
    return len(one) == len(other) and bool((np.asarray(one) == np.asarray(other)).all())


def _joined(first: ReadColumns, old: ReadColumns) -> tuple[Any, Any, Any]:
    assert first.id is not None and old.id is not None
    places = {str(name): place for place, name in enumerate(old.id)}
    kept = [place for place, name in enumerate(first.id) if str(name) in places]
    if not kept:
        raise InputError("the files share no case: no value of the id column is in both. Hint: check --id.")
    left = len(first.id) + len(old.id) - 2 * len(kept)
    if left:
        click.echo(f"Note: {left:,} rows are in one of the files only, and are left out.", err=True)
    matched = [places[str(first.id[place])] for place in kept]
    if not _same_labels(np.asarray(first.label)[kept], np.asarray(old.label)[matched]):
        raise InputError("the two files disagree about the labels of the same cases. Hint: check --label and --id.")
    (scores,), (olds,) = first.numbers.values(), old.numbers.values()
    return np.asarray(first.label)[kept], scores[kept], olds[matched]


def _markdown(found: Gate) -> str:
    heads = ["check", "wanted", "answer", "why"]
    return markdown_text(
        heads, [[each.name, each.wanted, each.verdict, each.sentence] for each in found.checks], [found]
    )


def _draw(console: Console, found: Gate) -> None:
    say(console, found.verdict.upper(), f"bold {_COLOURS[found.verdict]}")
    for each in found.checks:
        say(
            console, harmless(f"  {each.verdict}: {each.name} ({each.wanted}). {each.sentence}"), _COLOURS[each.verdict]
        )
    rates = f"{found.error_rate:.3g}"
    say(console, f"{found.n:,.10g} cases; a model worse by the margin passes at most {rates} of the time.", "dim")
