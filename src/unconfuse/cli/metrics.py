"""`unconfuse metrics`: what there is, and what each metric means."""

import math
import re
from functools import partial
from typing import Any

import click

from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, as_table, say
from unconfuse.cli._options import Words, complete_metrics, option
from unconfuse.cli._output import emit, markdown_text, output_options

_BETTER = {"higher": "higher is better", "lower": "lower is better", "neither": "neither high nor low is better"}
_DECLARED = ("name", "label", "question", "of", "formula", "better", "undefined", "interval", "misleads")
_OF_CLASSES = "top_k_accuracy"
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|.", re.S)
_WORDS = {r"\cdot": "*", r"\int": "integral ", r"\sum": "sum ", r"\le": "<=", r"\ge": ">=", r"\bar": "mean "}
_WORDS |= {r"\ln": "ln ", r"\,": " ", r"\left": "", r"\right": "", r"\mathrm": ""}  # any other is its own name


@command()
@click.argument("name", required=False, shell_complete=complete_metrics)
@option("--classes", "Metrics of several classes.")
@output_options
def metrics(*, name: str | None, classes: bool, output: Words) -> None:
    """List all metrics with the question each one answers, or explain one.

    \b
    unconfuse metrics precision
    """
    chosen = _chosen(name, classes)
    rows = [_described(each, classes) for each in chosen]
    payload = rows[0] if name else {"metrics": {row["name"]: row for row in rows}}
    lines = [[row["label"], row["name"], row["question"]] for row in rows]
    draw = partial(_draw_one, row=rows[0]) if name else partial(_draw_list, chosen=chosen, classes=classes)
    emit(output, payload, rows, markdown_text(["Metric", "Name", "Question"], lines), draw)


def _chosen(name: str | None, classes: bool) -> list[Any]:
    from unconfuse.metrics import METRICS, MULTICLASS_METRICS, find_metric

    if classes:
        return [find_metric(name, several=True)] if name else list(MULTICLASS_METRICS.values())
    return [find_metric(name)] if name else list(METRICS.values())


def _described(metric: Any, classes: bool) -> dict[str, Any]:
    """Return what a metric declares, as plain values."""
    example = metric.example and f"{_plain(metric.example.data)} gives {metric.example.value:.6g}"
    declared = {key: getattr(metric, key) for key in (*_DECLARED, "depends_on_prevalence")}
    shown = {
        "range": f"{metric.range[0]:g} to {metric.range[1]:g}",
        "by_chance": "" if classes else _by_chance(metric),
        "aliases": ", ".join(metric.aliases),
        "references": "; ".join(metric.references),
        "example": example,
    }
    order = () if classes else (*_DECLARED[:5], "range", "better", "depends_on_prevalence", "by_chance")
    return dict.fromkeys(order) | declared | shown


def _plain(data: Any) -> str:
    """Write a matrix as lists of whole counts, a table as it shows itself."""
    return re.sub(r"\.0(?!\d)", "", repr(data.tolist())) if hasattr(data, "tolist") else repr(data)


def _by_chance(metric: Any) -> str:
    """Return the value of a useless classifier, as an example: 20% positives, 25% called positive."""
    value = float(metric.baseline(0.2, 0.25))
    where = "(if 20% of the cases are positive and 25% are called so)"
    return "" if math.isnan(value) else f"{round(value, 12) + 0.0:.3g} {where}"


def _draw_list(console: Console, chosen: list[Any], classes: bool) -> None:
    if classes:
        _draw_questions(console, chosen, chosen)
        also = f"Also '{_OF_CLASSES}(k)', and NAME_macro, NAME_micro, NAME_weighted of any metric of two classes."
        say(console, f"\n{also}", "dim")
        return
    from unconfuse.cli._evaluation_output import TITLES, title_of
    from unconfuse.metrics import FACTORIES

    grouped = {title: [each for each in chosen if title_of(each) == title] for title in TITLES}
    for position, (title, members) in enumerate((title, found) for title, found in grouped.items() if found):
        say(console, f"\n{title}" if position else title, "bold")
        _draw_questions(console, members, chosen)
    own = ", ".join(f"'{name}(...)'" for name in FACTORIES if name != _OF_CLASSES)
    say(console, f"\nWith a number of your own, in quotes: {own}", "dim")
    say(console, "unconfuse metrics NAME explains one of them; --classes lists those of several classes.", "dim")


def _draw_questions(console: Console, shown: list[Any], chosen: list[Any]) -> None:
    """Names as wide as the longest of all, and the question that each metric answers."""
    lines = [(f" {each.name}", each.question or each.label) for each in shown]
    width = max(len(each.name) for each in chosen) + 1
    console.print(as_table(lines, [{"width": width, "no_wrap": True, "style": "cyan"}, {}]))


def _draw_one(console: Console, row: dict[str, Any]) -> None:
    say(console, row["label"], "bold")
    say(console, f"{row['question']}\n")
    lines = (
        ("name", row["name"]),
        ("also known as", row["aliases"]),
        ("formula", plain_formula(row["formula"])),
        ("range", f"{row['range']}; {_BETTER[row['better']]}"),
        ("by chance", row["by_chance"]),
        ("changes with prevalence", "yes" if row["depends_on_prevalence"] else "no, it stays the same"),
        ("undefined when", row["undefined"]),
        ("misleads", row["misleads"]),
        ("interval", row["interval"].replace("_", " ")),
        ("example", row["example"]),
        ("references", row["references"]),
    )
    known = [line for line in lines if line[1]]
    console.print(as_table(known, [{"style": "dim", "no_wrap": True}, {"overflow": "fold"}]))


def plain_formula(latex: str) -> str:
    r"""Write the formula in plain characters.

    Examples
    --------
    >>> plain_formula(r"\frac{TP}{TP+FN}")
    'TP/(TP + FN)'
    >>> plain_formula(r"\sqrt{\frac{TP}{P}\cdot\frac{TN}{N}}")
    'sqrt(TP/P * TN/N)'
    >>> plain_formula(r"\Pr(X>Y)+\tfrac12\Pr(X=Y)")
    'Pr(X > Y) + 1/2 * Pr(X = Y)'
    """
    text = _read(_TOKEN.findall(latex))
    text = re.sub(r"(?<=[\w)\]}])\s*([+\-=*<>]|<=|>=)\s*(?=[\w(\[{\\])", r" \1 ", text)
    text = re.sub(r"_(\w) - (\d)", r"_{\1-\2}", text)
    text = re.sub(r"_\{(\w+) = (\w+)\}", r"_{\1=\2}", text)
    text = re.sub(r"(integral|sum) +([_^])", r"\1\2", text)
    return re.sub(r"\s+", " ", text).strip()


def _read(tokens: list[str]) -> str:
    """Everything up to the closing brace, or to the end."""
    parts: list[str] = []
    while tokens and tokens[0] != "}":
        parts.append(_one(tokens))
    return "".join(parts)


def _one(tokens: list[str]) -> str:
    """Read the next token, or the next group in braces."""
    token = tokens.pop(0)
    if token == "{":
        inside = _read(tokens)
        del tokens[:1]
        return inside
    if token in (r"\frac", r"\tfrac"):
        return f"{_grouped(_one(tokens))}/{_grouped(_one(tokens))}{_times(tokens)}"
    if token == r"\sqrt":
        return f"sqrt({_one(tokens)})"
    if token in ("_", "^"):
        index = _one(tokens)
        space = " " if tokens and re.match(r"\w|\\[a-z]", tokens[0]) else ""
        return f"{token}{{{index}}}{space}" if "=" in index else f"{token}{index}{space}"
    return _WORDS.get(token, token.removeprefix("\\"))


def _grouped(text: str) -> str:
    """In parentheses, unless it is a single word or number."""
    return text if re.fullmatch(r"\w+", text) else f"({text})"


def _times(tokens: list[str]) -> str:
    """Return a sign to put between a fraction and the factor that follows it; "" if none does."""
    return " * " if re.match(r"[\w(\[]|\\(frac|tfrac|left|sqrt|Pr|sum|int)", "".join(tokens[:2])) else ""
