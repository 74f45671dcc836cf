"""The options that commands share, and the one place where the words that describe data become data."""

from __future__ import annotations

import functools
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unconfuse._errors import ArgumentError

if TYPE_CHECKING:
    from unconfuse.ingest import Data
    from unconfuse.table import Sample

    _ParamType = click.ParamType[float]
else:  # older versions of click have no type parameter there
    _ParamType = click.ParamType
Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Any], Any]
Words = dict[str, Any]  # what some options said, by the names that the Python functions have for them
_PATIENCE = 0.7  # seconds before progress is shown
_CLEAR = "\r\x1b[K"


class ShareType(_ParamType):
    """A number, or a share of 1: `.02`, or `2%`."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Numbers as they are, percentages divided by 100."""
        text = str(value).strip()
        text = (
            text.replace(",", ".") if re.fullmatch(r"[-+]?0?,\d+%?", text) else text
        )  # 0,9 has one meaning, 1,234 two
        try:
            return float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            rule = text.isidentifier() and param is not None and param.name == "threshold"
            hint = f"--threshold-rule {text[:60]} chooses it by a rule" if rule else "write .02 or 2%"
            return self.fail(f"{text[:60]!r} is not a number. Hint: {hint}.", param, ctx)


class Spelled(click.Option):
    """An option that has former spellings as well, of which help says nothing; `was` is one that warns."""

    def __init__(self, *names: Any, was: str = "", **more: Any) -> None:
        self.was = was
        super().__init__(*names, **more)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Show the first name only."""
        every, self.opts = self.opts, self.opts[:1] if self.opts[0].startswith("--") else self.opts
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = every


SHARE = ShareType()
_TYPED = {"tab": "\t", "\\t": "\t"}  # a tab is hard to type in a shell
_TYPES = {"SHARE": SHARE, "SCORE": SHARE, "N": int} | dict.fromkeys(
    ("COST", "RATIO"), float
)  # of options, by what their help calls the value


def option(
    usage: str, words: str | None, *, to: str | None = None, also: str = "", was: str = "", **more: Any
) -> Option:
    """Make an option as its help shows it: `--name VALUE`, or `--name this|that`, whose default is the first.

    One that may be repeated gives a list, or None. `also` and `was` are former spellings (see `Spelled`).
    """
    name, _, kind = usage.partition(" ")
    choices = kind.split("|")
    known = {"type": click.Choice(choices), "default": None if "multiple" in more else choices[0]}
    more = (known if "|" in kind else {"metavar": kind, "type": _TYPES.get(kind)}) | more
    if more.get("multiple") and "callback" not in more:
        more["callback"] = lambda _, __, given: list(given) or None
    names = [name, *spellings(also, was), *([to] if to else [])]
    return click.option(*names, cls=Spelled, was=was, help=words, **{"show_default": "default" in more, **more})


several = functools.partial(option, multiple=True)


def flag(name: str, words: str, *, was: str = "") -> Option:
    """Make an option that takes no value, and may have had another name."""
    return click.option(name, *spellings(was), cls=Spelled, was=was, is_flag=True, help=words)


def spellings(*former: str) -> list[str]:
    """Return the former spellings of an option that there are."""
    return [each for each in former if each]


def file_to_write(*names: str, words: str, was: str = "", **more: Any) -> Option:
    """Make an option that names a file to be written."""
    shown: Words = {"type": click.Path(dir_okay=False), "metavar": "FILE", "help": words, "callback": _noted("written")}
    return click.option(*names, *spellings(was), cls=Spelled, was=was, **shown, **more)


def files_to_read(name: str, **more: Any) -> Option:
    """Make an argument that names a file (or several) to be read."""
    return click.argument(name, callback=_noted("read"), **more)


def option_to_read(usage: str, words: str) -> Option:
    """Make an option that names a file to be read."""
    return option(usage, words, callback=_noted("read"))


def _noted(purpose: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Make a callback that notes a file, and refuses one that would be read and written, or written twice."""

    def note(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
        paths = [each for each in (given if isinstance(given, tuple) else (given,)) if each is not None]
        known: list[tuple[str, str]] = context.meta.setdefault("unconfuse.files", [])
        for path in paths:
            for other, others in known:
                if "written" in (purpose, others):
                    _refuse_same(path, purpose, other, others)
        known.extend((path, purpose) for path in paths)
        return given

    return note


note_written = _noted("written")


def _refuse_same(one: str, purpose: str, other: str, others: str) -> None:
    from unconfuse._atomic_files import is_same_file, is_stream

    if purpose == others:
        if is_same_file(one, other) and not is_stream(one):
            raise click.UsageError(f"{one} would be written twice. Hint: give each output a name of its own.")
        return
    output, read = (one, other) if purpose == "written" else (other, one)
    from unconfuse.ingest._file_discovery import files_meant

    if not is_stream(output) and any(is_same_file(output, each) for each in files_meant(read)):
        raise click.UsageError(f"{output} is the file that is read; its rows would be lost. Hint: choose another name.")


def together(*options: Option) -> Callable[[Command], Command]:
    """Several options as one decorator, in this order."""

    return lambda command: functools.reduce(lambda made, each: each(made), reversed(options), command)


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
    return several("--metric NAME", words, to="metrics", shell_complete=complete_metrics)


def sampling_options(resamples: int = 2000, seed: str = "Seed of the bootstrap.") -> Callable[[Command], Command]:
    """How much to resample, and from which seed."""
    return together(
        option("--resamples N", "Size of the bootstrap.", to="n_resamples", default=resamples),
        option("--seed N", seed, to="rng", default=0),
    )


looks_option = option(
    "--looks TEXT",
    "Repeated looks at growing data: any (number of looks), exact (proportions) or a planned number, 10.",
)
level_option = option("--confidence-level SHARE", "Confidence level of the intervals.", also="--level", default=0.95)
design_options = together(
    option(
        "--design cohort|case-control",
        "Study design: was prevalence observed (cohort) or set by the study (case-control)?",
    ),
    level_option,
)
metric_options = together(
    metric_option("Only this metric; may be repeated. `unconfuse metrics` lists them."),
    option("--prevalence SHARE", "Show everything for a population with this share of positives."),
    design_options,
)
threshold_option = option(
    "--threshold SCORE", "Label cases positive at or above this score: 0.1 or 10%.  [default: 0.5 of probabilities]"
)
file_argument = files_to_read("source", metavar="FILE")
table_option = option("--table NAME", "Table of a database, when FILE is its address; or the sheet of a spreadsheet.")
query_option = option("--query SQL", "SELECT statement for a database; for rankings, the column of queries.")
database_options = together(table_option, query_option)
DOCUMENTS = (".docx", ".tex", ".md", ".html")  # endings of what is written for papers
positive_option = together(
    option("--positive LABEL", "The positive label, unless labels are 0/1, -1/1 or true/false."),
    several("--negative LABEL", "A negative label, where there are several; may be repeated."),
    click.option("--rest-negative", is_flag=True, default=None, help="Every label that is not positive is negative."),
)
by_option = several(
    "--by COLUMN", "Evaluate each subgroup of this column, and compare them; several columns are crossed."
)
site_option = option(
    "--site COLUMN", "Column of sites, such as hospitals; shows what to expect of a new one. Score tables: any name."
)
delimiter_option = option(
    "--delimiter CHARACTER",
    "CSV separator; 'tab' for a tab. [default: detected]",
    callback=lambda _, __, given: _TYPED.get(given, given),
)


decimal_option = option(
    "--decimal CHARACTER", "What stands before the decimals in a CSV file, . or a comma. [default: .]"
)


scores_option = option(
    "--scores PATTERN", "Several classes: score columns, as 'p_*' (the star is the class) or as names with commas."
)
labels_option = option(
    "--labels PATTERN", "Many labels per case: columns of 0, 1 or nothing, as 'finding_*' or as names with commas."
)
ordered_option = option("--ordered NAMES", "Ordered classes, lowest first: mild,moderate,severe. Adds weighted kappas.")


def is_document(name: str) -> bool:
    """Return whether this is the name of a document, by its ending."""
    return name.lower().endswith(DOCUMENTS)


def _read_or_written(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
    """Note the documents among the tables that were named."""
    for each in given:
        if is_document(each):
            note_written(context, parameter, each)
    return list(given) or None


table_or_document_option = option(
    "--table NAME",
    "Table of a database, or the sheet of a spreadsheet; or a table for a paper to write: a name that ends in .docx, "
    ".tex, .md or .html. May be repeated.",
    multiple=True,
    callback=_read_or_written,
)


def _file_options(
    score: Option, file: Option = file_argument, table: Option = table_option
) -> Callable[[Command], Command]:
    return collected(
        "data",
        file,
        option("--label COLUMN", "Column of true labels. [default: label, y, target or truth]"),
        score,
        option("--weight COLUMN", "Column that says how many cases each row stands for."),
        option("--sampling-weight COLUMN", "Column of sampling weights (inverse sampling probabilities)."),
        option("--stratum COLUMN", "Column of the part of the population within which each row was sampled."),
        option("--fold COLUMN", "Column of the fold of a cross-validation in which each row was tested."),
        option("--group COLUMN", "Column of clusters, such as patients or clinics."),
        option("--id COLUMN", "Column of unique identifiers of the rows."),
        positive_option,
        delimiter_option,
        decimal_option,
        table,
        query_option,
        option("--on-bad-row error|skip", "Stop at a row that cannot be used, or leave such rows out and count them."),
        option(
            "--spark MASTER", "Let Spark read FILE: local[*], spark://host:port, or sc://host:port for Spark Connect."
        ),
    )


_score_option = option("--score COLUMN", "Column of scores. [default: score, p, probability, prob or prediction]")
file_options = _file_options(_score_option)
file_and_document_options = _file_options(_score_option, table=table_or_document_option)
models_options = _file_options(
    several("--score COLUMN", "Column of a model's scores; give one for each model."),
    files_to_read("source", metavar="[FILE]", required=False),
    table_or_document_option,
)


def refuse(given: Words, why: str) -> None:
    """Options that mean nothing here are refused, not passed over."""
    for word, value in given.items():
        if value is not None:
            raise click.UsageError(f"--{word.replace('_', '-')} {why}")


def reject_two_classes(given: Words) -> None:
    """Options that mean nothing for several classes."""
    refuse(given, "is for two classes; it does not go with several.")


def negative_of(words: Words) -> Any:
    """Which labels are negative, from what the options said; the words keep the rest."""
    named, rest = words.pop("negative", None), words.pop("rest_negative", None)
    if rest and named:
        raise click.UsageError("--negative and --rest-negative say the same in two ways. Hint: give one of them.")
    return "rest" if rest else named


def described(words: Words) -> Data:
    """Describe the data that a command is about, from its options; with --spark, FILE is a path that Spark reads."""
    from unconfuse.ingest import Data

    given = {word: value for word, value in words.items() if value is not None}
    given |= {"negative": negative} if (negative := negative_of(given)) else {}
    source, spark = given.pop("source"), given.pop("spark", None)
    if spark is not None:
        from unconfuse.ingest.spark import by_spark

        source, close = by_spark(source, spark)
        click.get_current_context().call_on_close(close)
    if "ordered" in given:
        given |= {"classes": [name.strip() for name in given["ordered"].split(",")], "ordered": True}
    if "labels" in given and "*" not in given["labels"]:
        given["labels"] = [name.strip() for name in given["labels"].split(",")]
    if "scores" in given:
        given["scores"] = _columns_of_classes(given["scores"])
    return Data(source, **given)


def _columns_of_classes(scores: str | Sequence[str]) -> Any:
    """Return a pattern, or names split at commas; for several models, each one's columns by what its pattern names."""
    if isinstance(scores, str):
        return scores if "*" in scores else [name.strip() for name in scores.split(",")]
    models: dict[str, Any] = {}
    for pattern in scores:
        name = pattern.strip("*_-. ") or pattern
        if name in models:
            raise ArgumentError(f"two patterns give the same model {name!r}. Hint: name each model's columns apart.")
        models[name] = _columns_of_classes(pattern)
    return models


def read(words: Words, **needs: Any) -> Sample:
    """Read the cases behind the options of a command, with progress on a line that vanishes."""
    from unconfuse.ingest._read import sample_of

    with progress_line("reading rows") as progress:
        return sample_of(described(words), None, {}, progress=progress, **needs)


def is_whole(words: Words) -> bool:
    """Whether the data have many labels, or documents ranked for queries."""
    if words.get("labels") is not None or words.get("query") is None:
        return words.get("labels") is not None
    from unconfuse.ingest.data import has_queries

    return has_queries(words["source"], words["query"])


def source_name(words: Words) -> str:
    """Return what to call the data in results: never with a password."""
    from unconfuse.ingest._database_connection import without_password

    return "standard input" if words["source"] == "-" else without_password(words["source"])


def watched(verb: Callable[..., Any], *data: Any, **words: Any) -> Any:
    """Return what a verb answers, with its progress on a line that vanishes."""
    with progress_line("resampling") as progress:
        return verb(*data, progress=progress, **words)


@contextmanager
def progress_line(what: str) -> Iterator[Callable[[int, int], object] | None]:
    """Yield a function of (done, total or 0) that shows one line on standard error; None where no terminal shows it."""
    if not sys.stderr.isatty():
        yield None
        return
    start = time.monotonic()

    def show(done: int, total: int) -> None:
        if time.monotonic() - start > _PATIENCE:
            of = f" of {total:,}" if total else ""
            print(f"{_CLEAR}{what}: {done:,}{of}", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        print(_CLEAR, end="", file=sys.stderr, flush=True)
