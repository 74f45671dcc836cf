"""The options that commands share, and the one place where the words that describe data become data."""

from __future__ import annotations

import functools
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unconfuse._errors import ArgumentError
from unconfuse._formatting import short_repr
from unconfuse._parameters import OptionSpec, cases, decisions, names_in, uncertainty

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


class NumberType(_ParamType):
    """Any number."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, or refuse in words."""
        try:
            return float(value)
        except ValueError:
            return self.fail(f"{str(value)[:60]!r} is not a number.", param, ctx)


class Spelled(click.Option):
    """An option in its group of help, with former spellings, of which help says nothing; `was` is one that warns.

    `guesses` are words that people type for it: it is not called so, but meant.
    """

    def __init__(self, *names: Any, was: str = "", group: str = "", guesses: tuple[str, ...] = (), **more: Any) -> None:
        self.was, self.group, self.guesses = was, group, guesses
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
_TYPES = {"share": SHARE, "whole": int, "number": NumberType()}  # of values, by their kind


def option(given: OptionSpec | str, words: str | None = None, *, short: str = "", **more: Any) -> Option:
    """Make an option of a declared parameter, or of what this command alone asks: `--name VALUE`, `--name this|that`.

    `words` are what this command says of it. One that may be repeated gives a list, or None.
    """
    own = {name: more.pop(name) for name in _DECLARED & set(more)}
    spec = OptionSpec(given, words, **own) if isinstance(given, str) else given.but(**own)
    spec = spec if words is None else spec.but(meaning=words)
    many = more.setdefault("multiple", spec.takes_several)
    if many and "callback" not in more:
        more["callback"] = lambda _, __, given: list(given) or None
    names = [*([short] if short else []), spec.option, *spec.former, *([spec.was] if spec.was else []), spec.name]
    shown: Words = {"help": spec.meaning, "was": spec.was, "group": spec.group, "guesses": spec.guesses}
    shown["required"] = spec.is_needed
    shown |= {"default": spec.default, "show_default": spec.kind != "flag"} if spec.default is not None else {}
    return click.option(*names, cls=Spelled, **(_typed(spec) | shown | more))


_DECLARED = {"name", "kind", "former", "was", "group", "is_needed", "default", "guesses"}


def _typed(spec: OptionSpec) -> Words:
    """Return what click is told of the values of an option."""
    if spec.kind == "flag":
        return {"is_flag": True, "default": spec.default}
    if "|" in spec.value:
        return {"type": click.Choice(spec.value.split("|"))}
    return {"metavar": spec.value, "type": _TYPES.get(spec.kind)}


several = functools.partial(option, multiple=True)


def file_to_write(given: OptionSpec | str, words: str | None = None, **more: Any) -> Option:
    """Make an option that names a file to be written."""
    return option(given, words, type=click.Path(dir_okay=False), callback=_noted("written"), **more)


def files_to_read(name: str, **more: Any) -> Option:
    """Make an argument that names a file (or several) to be read."""
    return click.argument(name, callback=_noted("read"), **more)


def option_to_read(given: OptionSpec | str, words: str | None = None) -> Option:
    """Make an option that names a file to be read."""
    return option(given, words, callback=_noted("read"))


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


def metric_option(words: str | None = None, given: OptionSpec = decisions.METRICS, **more: Any) -> Option:
    """Which metrics, or which one, with tab completion."""
    spec = given.but(**{name: more.pop(name) for name in _DECLARED & set(more)})
    if more.get("multiple", spec.takes_several):
        more["callback"] = _several_names
    return option(spec, words, shell_complete=complete_metrics, **more)


def _several_names(_: click.Context, __: click.Parameter, given: Sequence[str]) -> list[str] | None:
    """Return names given one by one or with commas between them."""
    return [name for each in given for name in names_in(each)] or None


def sampling_options(resamples: int = 2000, seed: str | None = None) -> Callable[[Command], Command]:
    """How much to resample, and from which seed."""
    return together(option(uncertainty.RESAMPLES, default=resamples), option(uncertainty.SEED, seed))


level_option = option(uncertainty.CONFIDENCE_LEVEL)
design_options = together(option(uncertainty.DESIGN), level_option)
metric_options = together(metric_option(), option(decisions.PREVALENCE), design_options)
file_argument = files_to_read("source", metavar="FILE")
database_options = together(option(cases.TABLE), option(cases.QUERY))
csv_options = together(
    option(cases.DELIMITER, callback=lambda _, __, given: _TYPED.get(given, given)), option(cases.DECIMAL)
)
positive_option = together(option(cases.POSITIVE), option(cases.NEGATIVE), option(cases.REST_NEGATIVE))
DOCUMENTS = (".docx", ".tex", ".md", ".html", ".csv")  # endings of what is written for papers


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
    cases.TABLE,
    "Table of a database, or the sheet of a spreadsheet; or a table for a paper to write: a name that ends in .docx, "
    ".tex, .md, .html or .csv. May be repeated.",
    multiple=True,
    callback=_read_or_written,
)


def _file_options(
    score: OptionSpec = cases.SCORE, file: Option = file_argument, table: Option | None = None
) -> Callable[[Command], Command]:
    columns = (cases.WEIGHT, cases.SAMPLING_WEIGHT, cases.STRATUM, cases.FOLD, cases.GROUP, cases.ID)
    return collected(
        "data",
        file,
        *map(option, (cases.LABEL, score, *columns)),
        positive_option,
        csv_options,
        table or option(cases.TABLE),
        *map(option, (cases.QUERY, cases.ON_BAD_ROW, cases.SPARK)),
    )


file_options = _file_options()
file_and_document_options = _file_options(table=table_or_document_option)
models_options = _file_options(
    cases.SCORE_OF_EACH, files_to_read("source", metavar="[FILE]", required=False), table_or_document_option
)


def refuse(given: Words, why: str) -> None:
    """Options that mean nothing here are refused, not passed over."""
    for word, value in given.items():
        if value is not None:
            raise click.UsageError(f"{_option_called(word)} {why}")


def _option_called(name: str) -> str:
    """Return the option of the running command that gives what a function calls so."""
    options = {each.name: each.opts[0] for each in click.get_current_context().command.params}
    return options.get(name, f"--{name.replace('_', '-')}")


def reject_two_classes(given: Words) -> None:
    """Options that mean nothing for several classes."""
    hint = "Hint: leave it out; models of a yes-or-no question are named with --score."
    refuse(given, f"is for two classes; it does not go with several. {hint}")


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
        from unconfuse.ingest.sources.spark import by_spark

        source, close = by_spark(source, spark)
        click.get_current_context().call_on_close(close)
    if "ordered" in given:
        given |= {"classes": names_in(given["ordered"]), "ordered": True}
    if "labels" in given and "*" not in given["labels"]:
        given["labels"] = names_in(given["labels"])
    if "scores" in given:
        given["scores"] = _columns_of_classes(given["scores"])
    return Data(source, **given)


def _columns_of_classes(scores: str | Sequence[str]) -> Any:
    """Return a pattern, or names split at commas; for several models, each one's columns by what its pattern names."""
    if isinstance(scores, str):
        return scores if "*" in scores else names_in(scores)
    models: dict[str, Any] = {}
    for pattern in scores:
        name = pattern.strip("*_-. ") or pattern
        if name in models:
            raise ArgumentError(
                f"two patterns give the same model {short_repr(name)}. Hint: name each model's columns apart."
            )
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
    """Return what to call the data in results, which are sent to others: no password, and no folders."""
    return "standard input" if words["source"] == "-" else shown_source(words["source"])


def shown_source(source: str) -> str:
    """Return the address of data without its password, and without folders if the data are files.

    >>> shown_source("sqlite:////home/me/clinic.db"), shown_source("postgresql://me:secret@host/db")
    ('sqlite:///clinic.db', 'postgresql://me:***@host/db')
    """
    if "://" not in source:
        return without_folders(source)
    from unconfuse.ingest._database_connection import without_password  # most data are files

    kind, mark, rest = without_password(source).partition(":///")
    path, asked, how = rest.partition("?")
    is_file = mark and kind.partition("+")[0].lower() in ("sqlite", "duckdb", "file")
    return f"{kind}{mark}{without_folders(path) if is_file else path}{asked}{how}"


def without_folders(path: str) -> str:
    """Return the name of a file, or of many from the first wildcard on: folders say who works where."""
    parts = PurePath(path).parts
    first = next((place for place, part in enumerate(parts) if set(part) & set("*?[")), len(parts) - 1)
    return "/".join(parts[first:]) or path


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
