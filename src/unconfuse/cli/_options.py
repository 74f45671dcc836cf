"""The options that commands share, and the one place where the words that describe data become data."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from unconfuse._skipped import Skipped
    from unconfuse.ingest import DistantRows, Tables
    from unconfuse.ingest.unlabelled import NewRows
    from unconfuse.table import Scores, ScoreTable

    _ParamType = click.ParamType[float]
else:  # older versions of click have no type parameter there
    _ParamType = click.ParamType
Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Any], Any]
Words = dict[str, Any]  # what some options said, by the names that the Python functions have for them
_PATIENCE = 0.7  # seconds before progress is shown
_CLEAR = "\r\x1b[K"


class Share(_ParamType):
    """A share of 1: `.02`, or `2%`."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Numbers as they are, percentages divided by 100."""
        text = str(value).strip()
        try:
            return float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            return self.fail(f"{text[:60]!r} is not a share. Hint: write .02 or 2%.", param, ctx)


SHARE = Share()
_TYPED = {"tab": "\t", "\\t": "\t"}  # a tab is hard to type in a shell
_TYPES = {"SHARE": SHARE, "N": int}  # of options, by what their help calls the value


def option(usage: str, words: str | None, *, to: str | None = None, **more: Any) -> Option:
    """An option as its help shows it, `--name VALUE` or `--name this|that`, with its default, if it has one.

    One that may be repeated gives a list, or None.
    """
    name, _, kind = usage.partition(" ")
    if "|" in kind:
        more["type"] = click.Choice(kind.split("|"))
    else:
        more = {"metavar": kind, "type": _TYPES.get(kind), **more}
    if more.get("multiple"):
        more["callback"] = lambda _, __, given: list(given) or None
    return click.option(name, *([to] if to else []), help=words, **{"show_default": "default" in more, **more})


def file_to_write(*names: str, words: str, **more: Any) -> Option:
    """An option that names a file to be written."""
    return click.option(*names, type=click.Path(dir_okay=False), metavar="FILE", help=words, **more)


def together(*options: Option) -> Callable[[Command], Command]:
    """Several options as one decorator, in this order."""

    def add(command: Command) -> Command:
        for each in reversed(options):
            command = each(command)
        return command

    return add


def collected(into: str, *options: Option, make: Callable[..., Words] = dict) -> Callable[[Command], Command]:
    """Options whose values the command is given as one argument; several such decorators add to the same one."""

    def add(command: Command) -> Any:
        names: list[str] = []

        @functools.wraps(command)
        def run(**given: Any) -> Any:
            words = make(**{name: given.pop(name) for name in names})
            given[into] = given.get(into, {}) | words
            return command(**given)

        before = len(getattr(run, "__click_params__", ()))
        made = together(*options)(run)
        names += [each.name for each in made.__click_params__[before:]]  # type: ignore[attr-defined]
        return made

    return add


def complete_metrics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Metric names for tab completion."""
    from unconfuse.metrics import METRICS

    return [name for name in METRICS if name.startswith(incomplete)]


def metric_option(words: str) -> Option:
    """Which metrics, with tab completion."""
    return option("--metric NAME", words, to="metrics", multiple=True, shell_complete=complete_metrics)


def sampling_options(resamples: int = 2000, seed: str = "Seed of the bootstrap.") -> Callable[[Command], Command]:
    """How much to resample, and from which seed."""
    return together(
        option("--resamples N", "Size of the bootstrap.", to="n_resamples", default=resamples),
        option("--seed N", seed, to="rng", default=0),
    )


design_options = together(
    option(
        "--design cohort|case-control",
        "Did the share of positives come about by itself, or did the study choose it?",
        default="cohort",
    ),
    option("--level SHARE", "Confidence level of the intervals.", to="confidence_level", default=0.95),
)
metric_options = together(
    metric_option("Only this metric; may be repeated. `unconfuse metrics` lists them."),
    option("--prevalence SHARE", "Show everything for a population with this share of positives."),
    design_options,
)
threshold_option = option(
    "--threshold SCORE", "A case is called positive if its score is at least this.", type=float, default=0.5
)

file_argument = click.argument("source", metavar="FILE")
database_options = together(
    option("--table NAME", "Table of a database, when FILE is its address."),
    option("--query SQL", "The same, but the rows that a SELECT gives."),
)
positive_option = option("--positive LABEL", "The positive label, unless labels are 0/1, -1/1 or true/false.")


def _opened(*, source: str, spark: str | None, **words: Any) -> Words:
    """With --spark, FILE becomes a path that Spark reads; the session ends with the command."""
    if spark is not None:
        from unconfuse.ingest import by_spark

        source, close = by_spark(source, spark, words["delimiter"])
        click.get_current_context().call_on_close(close)
    return {"source": source, **words}


def _file_options(score: Option) -> Callable[[Command], Command]:
    return collected(
        "data",
        file_argument,
        option("--label COLUMN", "Column of true labels. [default: label, y, target or truth]"),
        score,
        option("--weight COLUMN", "Column that says how many cases each row stands for."),
        option("--group COLUMN", "Column of what belongs together, such as patients or clinics."),
        option("--id COLUMN", "Column that must not hold any value twice."),
        positive_option,
        option(
            "--delimiter CHARACTER",
            "Separator of a CSV file; 'tab' for a tab. [default: found by itself]",
            callback=lambda _, __, given: _TYPED.get(given, given),
        ),
        database_options,
        option(
            "--on-bad-row error|skip",
            "Stop at a row that cannot be used, or leave such rows out and count them.",
            default="error",
        ),
        option(
            "--spark MASTER", "Let Spark read FILE: local[*], spark://host:port, or sc://host:port for Spark Connect."
        ),
        make=_opened,
    )


file_options = _file_options(
    option("--score COLUMN", "Column of scores. [default: score, p, probability, prob or prediction]")
)
models_options = _file_options(
    option("--score COLUMN", "Column of a model's scores; give one for each model.", multiple=True)
)


def source_name(data: Words) -> str:
    """What to call the data in results: never with a password."""
    from unconfuse.ingest.addresses import without_password

    return "standard input" if data["source"] == "-" else without_password(data["source"])


def read(data: Words, *, rows: bool = False, edges: Sequence[float] = ()) -> Scores | Tables:
    """Two classes: rows where they are needed, else score tables where the source can make them."""
    from unconfuse.ingest import gather

    words = {word: value for word, value in data.items() if word not in ("source", "scores", "predicted")}
    with progress_line("reading rows") as progress:
        return gather(data["source"], **words, progress=progress, rows=rows, edges=edges)


def read_models(data: Words, *, edges: Sequence[float]) -> Scores | Tables | DistantRows:
    """Several models' scores of the same rows, which may stay on a cluster."""
    from unconfuse.ingest import distant_rows

    words = ("label", "score", "weight", "group", "id", "positive", "on_bad_row")
    distant = distant_rows(data["source"], **{word: data[word] for word in words}, edges=edges)
    return distant or read(data, rows=True)


def read_table(data: Words) -> tuple[ScoreTable, Skipped]:
    """The score table of a source, and what was left out of it (which is said at once)."""
    from unconfuse._validate import mention_skipped

    found = read(data)
    mention_skipped(found.skipped)
    return found.table(), found.skipped


def read_classes(data: Words, scores: str | None, predicted: str | None = None) -> Any:
    """Several classes: a pattern of score columns, or their names with commas; or predicted labels."""
    from unconfuse.ingest.classes import gather_classes

    columns = scores if scores is None or "*" in scores else [name.strip() for name in scores.split(",")]
    words = {word: data[word] for word in ("label", "weight", "group", "id", "delimiter")}
    return gather_classes(data["source"], columns=columns, predicted=predicted, **words)


def read_new(data: Words) -> NewRows:
    """Rows whose labels need not be known."""
    from unconfuse.ingest.unlabelled import new_rows

    words = ("score", "label", "id", "delimiter", "table", "query")
    return new_rows(data["source"], **{word: data[word] for word in words})


def read_features(data: Words) -> tuple[Any, Any]:
    """Every column but the label as numbers, and the labels."""
    from unconfuse.ingest.features import read_features as features_of

    return features_of(data["source"], data["label"], table=data["table"], query=data["query"])


def watched(verb: Callable[..., Any], *data: Any, **words: Any) -> Any:
    """What a verb answers, with its progress on a line that vanishes."""
    with progress_line("resampling") as progress:
        return verb(*data, progress=progress, **words)


@contextmanager
def progress_line(what: str) -> Iterator[Callable[[int, int], object] | None]:
    """A function to call with (done, total or 0): one line on standard error; None where no terminal shows it."""
    if not sys.stderr.isatty():
        yield None
        return
    start = time.monotonic()

    def show(done: int, total: int) -> None:
        if time.monotonic() - start > _PATIENCE:
            sys.stderr.write(f"{_CLEAR}{what}: {done:,}" + (f" of {total:,}" if total else ""))
            sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write(_CLEAR)
        sys.stderr.flush()
