"""Where results go: to the terminal or whole into a file, as a page, and as a picture."""

import io
import json
import math
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import Any

import click
from click.core import ParameterSource

from unconfuse._parameters import outputs
from unconfuse._table_view import csv_text, markdown_escaped, view_of
from unconfuse.cli._layout import LINE, Console, in_encoding
from unconfuse.cli._options import Words, collected, file_to_write, option, progress_line, refuse, shown_source

WIDEST = 200  # of tables on a terminal that has room for them
Draw = Callable[["Console"], None]
path_option = file_to_write("--output FILE", "Write to a file instead.", short="-o", name="path", group="Output")
_FORMS = {".csv": "csv", ".json": "json", ".md": "markdown", ".txt": "table"}
_OTHERS = {".html": "--html", ".htm": "--html", ".png": "--plot", ".svg": "--plot", ".pdf": "--plot"}
_INSTEAD = {".xlsx": ".csv", ".xls": ".csv", ".ods": ".csv", ".tsv": ".csv", ".docx": ".md", ".tex": ".md"}


def _output_of(form: str, as_json: bool, path: str | None) -> Words:
    """Return the form that was asked for; where none was, the ending of the file says it."""
    form = "json" if as_json else form
    ending = "" if path is None else PurePath(path).suffix.lower()
    context = click.get_current_context()
    if as_json or context.get_parameter_source("form") is not ParameterSource.DEFAULT or not ending:
        return {"form": form, "path": path}
    other = _OTHERS.get(ending)
    if other is not None:
        known = any(other in parameter.opts for parameter in context.command.params)
        hint = f"{other} {path} writes {'a page' if other == '--html' else 'a picture'}" if known else "end it in .txt"
        raise click.UsageError(f"--output writes text, and {path} ends in {ending}. Hint: {hint}.")
    if ending in _INSTEAD:
        written = ending in (".docx", ".tex") and any("--for" in parameter.opts for parameter in context.command.params)
        hint = f"--table {path} writes a table" if written else f"end {path} in {_INSTEAD[ending]}"
        raise click.UsageError(f"--output does not write {ending}. Hint: {hint}.")
    return {"form": _FORMS.get(ending, form), "path": path}


output_options = collected(
    "output",
    option(outputs.FORMAT),
    option(outputs.JSON),
    file_to_write(
        "--output FILE",
        "Write to a file instead; .csv, .json and .md choose the format.",
        short="-o",
        name="path",
        group="Output",
    ),
    make=_output_of,
)
page_options = collected(
    "output",
    file_to_write(outputs.HTML),
    file_to_write(outputs.PAYLOAD),
    option("--embed", "Print an iframe that embeds the page of --html, instead of the result.", group="Output"),
    *map(option, (outputs.TITLE, outputs.POSITIVE_LABEL, outputs.UNIT)),
)
table_page_options = collected(
    "output",
    file_to_write(outputs.HTML, "Write a page that opens offline."),
    file_to_write(outputs.PAYLOAD),
    option(outputs.TITLE, "Title of the page. [default: what it shows]"),
)
detail_options = collected(
    "output",
    option(outputs.EVERY),
    option("--complements", "Print every metric, also complements (1 - specificity) and restatements."),
)
_WORDS = ("positive_label", "unit")


def plot_of(what: str) -> Callable[[Any], Any]:
    """Make an option that draws something into a file."""
    return collected("output", file_to_write(outputs.PLOT, f"Draw {what} into a .png, .svg or .pdf file."))


plot_option = plot_of("the overview")


def emit(output: Words, payload: Any, rows: Sequence[dict[str, Any]], markdown: str, draw: Draw) -> None:
    """Print one result in the form that was asked for; nothing is written unless all of it can be."""
    form, path = output["form"], output["path"]
    if "snippet" in output:
        emit_text(output["snippet"], path)
    elif form == "table":
        _emit_table(draw, path)
    else:
        emit_text(markdown if form == "markdown" else csv_text(rows) if form == "csv" else json_text(payload), path)


def emit_result(
    output: Words, result: Any, markdown: Callable[[Any], str], draw: Callable[[Console, Any], None], **more: Any
) -> None:
    """Print what knows itself as plain values and as rows, of which only what is printed is made; JSON says more."""
    form = output["form"]
    payload = result.as_dict() | more if form == "json" else {}
    rows, text = result.rows() if form == "csv" else [], markdown(result) if form == "markdown" else ""
    emit(output, payload, rows, text, lambda console: draw(console, result))


def emit_text(text: str, path: str | None) -> None:
    """Print a text, or write it whole into a file."""
    if path is None:
        if sys.stdout is None:
            raise OSError(None, "standard output is closed")
        sys.stdout.write(in_encoding(text, _encoding()))
        return
    from unconfuse._atomic_files import write_atomically

    write_atomically(Path(path), text)


def emit_beside(rows: Any, own: str | None, new: Words, path: str | None) -> None:
    """Print CSV: the row (or its id, named `own`), every column that was read, and new columns beside them."""
    length = len(next(iter(rows.numbers.values())))
    numbered = {"row": range(1, length + 1)} if rows.id is None else {own: rows.id.tolist()}
    held = rows.texts or rows.numbers
    columns = {**numbered, **{name: column.tolist() for name, column in held.items()}}
    for name, column in new.items():
        if name in columns:
            raise click.UsageError(f"FILE already has a column {name}. Hint: leave it out or rename it.")
        columns[name] = column.tolist()
    lines = [dict(zip(columns, line, strict=True)) for line in zip(*columns.values(), strict=True)]
    emit_text(csv_text(lines), path)


def wrote(path: str) -> None:
    """Say so on standard error, where it does not mix with what is printed."""
    click.echo(f"Wrote {path}.", err=True)


def write_table_page(result: Any, output: Words) -> None:
    """Write the page of a result that is a table of estimates, the payload behind it, or both, if asked for."""
    if output["html"] is None and output["payload"] is None:
        refuse({"title": output["title"]}, "is the title of a page: it needs --html or --payload.")
    for name in ("embed", *_WORDS):  # of pages with sliders
        output.setdefault(name, None)
    write_page(result, output)


def write_page(result: Any, output: Words, **page: Any) -> None:
    """Write the page of a result, the payload behind it, or both; nothing if neither was asked for."""
    html, payload, title = output["html"], output["payload"], output["title"]
    if output["embed"]:
        _check_embedding(output)
    if html is None and payload is None:
        if title is not None and output.get("plot") is None:
            raise click.UsageError("--title is the title of a page or a picture: it needs --html, --payload or --plot.")
        refuse({name: output[name] for name in _WORDS}, "is a word of a page: it needs --html or --payload.")
        return
    from unconfuse.report import PageOptions, check_page_name, drawn, payload_of, snippet

    if html is not None:
        check_page_name(html)
    words: Words = {name: output[name] or "" for name in _WORDS}
    with progress_line("drawing the page") as progress:
        made = payload_of(
            result, PageOptions(title=title or "", command=command_line(), progress=progress, **words, **page)
        )
    if payload is not None:
        emit_text(json.dumps(made, allow_nan=False) + "\n", payload)
        wrote(payload)
    if html is not None:
        emit_text(drawn(made), html)
        wrote(html)
        if output["embed"]:
            output["snippet"] = snippet(Path(html).name, made["title"]) + "\n"


def _check_embedding(output: Words) -> None:
    """Refuse an iframe without a page, and one in place of another form of the result."""
    if output["html"] is None:
        raise click.UsageError("--embed embeds a page: it needs --html FILE.")
    if output["form"] != "table":
        raise click.UsageError("--embed prints an iframe instead of the result. Hint: leave out --format and --json.")
    refuse({"methods": output.get("methods"), "for": output.get("checklist")}, "cannot be combined with --embed.")


def command_line() -> str:
    """Return the command so that it can be given again, without the passwords and folders of whoever gave it."""
    context = click.get_current_context()
    words = ["unconfuse", context.info_name or ""]
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            words += map(_for_others, _words(parameter, context.params[name]))
    return shlex.join(words)


def _for_others(word: str) -> str:
    """Return an address without its password, and a file without the folders of this machine."""
    return shown_source(word) if "://" in word or PurePath(word).is_absolute() else word


def _words(given: click.Parameter, value: Any) -> list[str]:
    if isinstance(given, click.Argument):
        return [str(each) for each in value] if isinstance(value, tuple) else [str(value)]
    name = max(given.opts, key=len)
    if isinstance(given, click.Option) and given.is_flag:
        return [name]
    values = value if given.multiple else [value]
    return [word for each in values for word in (name, *map(str, each if isinstance(each, tuple) else (each,)))]


def json_text(payload: Any) -> str:
    """Strict JSON: NaN as null, infinities as text, whole numbers without a point."""
    from unconfuse._formatting import plain_json

    return json.dumps(_whole(plain_json(payload)), indent=2, allow_nan=False) + "\n"


def markdown_text(heads: Sequence[str], lines: Sequence[Sequence[str]], said: Sequence[Any] = ()) -> str:
    """Sentences as a list, then a table; text from outside cannot break out of its cell."""
    text = view_of(heads, lines).markdown()
    return f"{markdown_list(said)}\n{text}" if said else text


def markdown_list(said: Sequence[Any]) -> str:
    """Sentences, or what has one, as a list in Markdown; names in them are text, never markup."""
    return "".join(f"- {markdown_escaped(str(getattr(each, 'sentence', each)))}\n" for each in said)


def is_nan(value: Any) -> bool:
    """Whether this is the number that stands for "undefined"."""
    return isinstance(value, float) and math.isnan(value)


def _whole(value: Any) -> Any:
    """Turn counts that are whole numbers into integers: 208, not 208.0. Estimates stay as they are."""
    if isinstance(value, dict):
        return {key: each if key == "metrics" else _whole(each) for key, each in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _emit_table(draw: Draw, path: str | None) -> None:
    """Colour and the width of the window on a terminal; elsewhere plain text without trailing blanks."""
    from rich.console import Console

    plain: Any = {"markup": False, "highlight": False, "emoji": False}
    console = Console(**plain)
    on_terminal = path is None and console.is_terminal
    if on_terminal:
        console.width = min(console.width, WIDEST)
    else:  # the file is never written: it only says which characters the output can hold
        file = io.TextIOWrapper(io.BytesIO(), encoding=_encoding() if path is None else "utf-8")
        console = Console(file=file, width=LINE, force_terminal=False, **plain)
    with console.capture() as drawn:
        draw(console)
    text = drawn.get()
    emit_text(text if on_terminal else "".join(f"{line.rstrip()}\n" for line in text.split("\n")[:-1]), path)


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"
