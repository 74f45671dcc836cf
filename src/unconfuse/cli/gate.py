"""`unconfuse gate`: three answers for a release, as exit codes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from unconfuse._errors import InputError, did_you_mean
from unconfuse._formatting import short_repr
from unconfuse._parameters import cases
from unconfuse._parameters.decisions import THRESHOLD
from unconfuse._parameters.uncertainty import LOOKS, MARGIN
from unconfuse.cli import _options
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, harmless, say
from unconfuse.cli._options import Words, collected, option, several
from unconfuse.cli._output import emit_result, emit_text, markdown_text, output_options
from unconfuse.policy import Verdict

if TYPE_CHECKING:
    from unconfuse.ingest.read_columns import NumberColumns
    from unconfuse.results.gate import GateCheck, GateResult

EXIT_CODES = {Verdict.PASS: 0, Verdict.WORSE: 3, Verdict.CANNOT_TELL: 4}
_COLOURS = {"good": "green", "bad": "red", "open": "yellow"}


@command()
@_options.files_to_read("new", metavar="NEW")
@_options.option_to_read("--baseline FILE", "The old model's scores of the same cases. [default: NEW itself]")
@collected(
    "data",
    option(cases.LABEL, "Column of true labels, of NEW. [default: label, y, target or truth]"),
    option(cases.SCORE),
    option(cases.ID, "Column that names the cases, in both files: cases are paired by it."),
    _options.positive_option,
    _options.csv_options,
)
@option(cases.BY, "A column of NEW: the model must not be worse in any of its subgroups; several columns are crossed.")
@option(
    "--baseline-score COLUMN",
    "The old model's column of scores. [default: as --score]",
    group="Data",
    guesses=("old", "champion", "previous"),
)
@_options.metric_option("Metric in which the new model must not be worse; may be repeated. [default: auroc]")
@option(MARGIN, "Largest acceptable loss; 0 requires that it is better.", default=0.0)
@several("--require TEXT", "What the new model must show by itself, such as 'sensitivity>=.9'; may be repeated.")
@option(THRESHOLD, "Threshold of both models. [default: 0.5 of probabilities]")
@option("--error-rate SHARE", "How often a worse model may pass, or a good one be called worse.", default=0.05)
@option(LOOKS)
@option("--state FILE", "Remember earlier looks in this file (JSON); made if there is none. Implies --looks any.")
@_options.sampling_options()
@_options.file_to_write("--junit FILE", "Write the checks as JUnit XML.", group="Output")
@output_options
def gate(
    *,
    new: str,
    baseline: str | None,
    baseline_score: str | None,
    by: list[str] | None,
    data: Words,
    output: Words,
    junit: str | None,
    **statistics: Any,
) -> None:
    """Decide whether NEW may replace the baseline. Exit code 0: pass; 3: worse; 4: cannot tell.

    \b
    unconfuse gate new.parquet --baseline old.parquet --label y --score p --id id --metric auroc --margin .01
    unconfuse gate scores.csv --score new --baseline-score old --require "sensitivity>=.9"
    unconfuse gate scores.csv --label y --score new --baseline-score old --margin .01 --by sex
    unconfuse gate so-far.csv --label y --score new --baseline-score old --margin .02 --state gate.json
    """
    import unconfuse

    given, subgroups = _paired(new, baseline, baseline_score, data, by or [])
    statistics["metrics"] = statistics["metrics"] or ["auroc"]
    statistics["require"] = statistics["require"] or ()
    if subgroups:
        statistics["by"] = subgroups
    gate_result = unconfuse.gate(*given, positive=data["positive"], **statistics)
    if junit is not None:
        emit_text(gate_result.to_junit(), junit)
    emit_result(output, gate_result, _markdown, _draw)
    sys.exit(EXIT_CODES[gate_result.verdict])


def _paired(
    new: str, baseline: str | None, column: str | None, data: Words, by: list[str]
) -> tuple[tuple[Any, Any, Any], dict[str, Any]]:
    """Labels and both models' scores of the cases that both files hold, and their subgroups."""
    words = {name: data[name] for name in ("label", "score", "id", "delimiter", "decimal") if data[name] is not None}
    first = _columns(new, words, as_written=bool(by))
    subgroups = {name: _subgroup_column(first, name, new) for name in by}
    if baseline is None and column is None:
        return (first.label, next(iter(first.numbers.values())), None), subgroups
    if baseline is not None and not Path(baseline).exists() and _is_column(baseline, new, words):
        raise InputError(
            f"there is no file {baseline}: it is a column of {Path(new).name}. Hint: --baseline-score {baseline}."
        )
    old = _columns(baseline or new, words | ({} if column is None else {"score": column}))
    if first.id is None or old.id is None:
        if baseline is not None and not _same_labels(first.label, old.label):
            raise InputError(
                f"{Path(new).name} and {Path(baseline).name} do not hold the same labels in the same order. "
                "Hint: name the cases with --id COLUMN to pair them."
            )
        return (first.label, next(iter(first.numbers.values())), next(iter(old.numbers.values()))), subgroups
    return _joined(first, old, subgroups)


def _subgroup_column(found: NumberColumns, name: str, path: str) -> Any:
    known = found.texts or {}
    if name not in known:
        raise InputError(f"no column {short_repr(name)} in {Path(path).name}. {did_you_mean(name, known)}")
    return np.array([None if each in (None, "") else each for each in known[name]], dtype=object)


def _columns(path: str, words: dict[str, Any], *, as_written: bool = False) -> NumberColumns:
    from unconfuse.ingest import Data
    from unconfuse.ingest.read_columns import read_columns

    return read_columns(Data(path, **words), as_written=as_written, labelled=True)


def _is_column(name: str, path: str, words: dict[str, Any]) -> bool:
    try:
        return name in _columns(path, words | {"score": name}).numbers
    except InputError:
        return False


def _same_labels(one: Any, other: Any) -> bool:
    return len(one) == len(other) and bool((np.asarray(one) == np.asarray(other)).all())


def _joined(
    first: NumberColumns, old: NumberColumns, subgroups: dict[str, Any]
) -> tuple[tuple[Any, Any, Any], dict[str, Any]]:
    assert first.id is not None and old.id is not None
    places = {str(name): place for place, name in enumerate(old.id)}
    kept = [place for place, name in enumerate(first.id) if str(name) in places]
    if not kept:
        raise InputError("the files share no case: no value of the id column is in both. Hint: check --id.")
    left = len(first.id) + len(old.id) - 2 * len(kept)
    if left:
        click.echo(f"Note: {left:,} rows are in only one of the files and were skipped.", err=True)
    matched = [places[str(first.id[place])] for place in kept]
    if not _same_labels(np.asarray(first.label)[kept], np.asarray(old.label)[matched]):
        raise InputError("the two files disagree about the labels of the same cases. Hint: check --label and --id.")
    (scores,), (olds,) = first.numbers.values(), old.numbers.values()
    held = {name: column[kept] for name, column in subgroups.items()}
    return (np.asarray(first.label)[kept], scores[kept], olds[matched]), held


def _markdown(found: GateResult) -> str:
    heads = ["check", "wanted", "answer", "why"]
    return markdown_text(
        heads,
        [[f"{check.name}{_where(check)}", check.wanted, check.verdict, check.sentence] for check in found.checks],
        [found],
    )


def _where(each: GateCheck) -> str:
    return f" for {each.subgroup}" if each.subgroup else ""


def _draw(console: Console, found: GateResult) -> None:
    say(console, found.verdict.upper(), f"bold {_COLOURS[found.verdict.tone]}")
    for check in found.checks:
        text = f"  {check.verdict.upper()}{_where(check)}. {check.sentence}"
        say(console, harmless(text), _COLOURS[check.verdict.tone])
    rates = f"{found.error_rate:.3g}"
    say(console, f"{found.n:,.10g} cases; a model worse by the margin passes at most {rates} of the time.", "dim")
    if found.looks:
        which = f"Look {found.look}. " if found.look else ""
        say(console, f"{which}The error rates hold over all looks together (looks: {found.looks}).", "dim")
