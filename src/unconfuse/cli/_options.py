"""Options that several commands share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
if TYPE_CHECKING:
    _ParamType = click.ParamType[float]
else:  # older versions of click have no type parameter there
    _ParamType = click.ParamType
FORMATS = ("table", "json", "csv", "markdown")


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


def complete_metrics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Metric names for tab completion."""
    from unconfuse.metrics import METRICS

    return [name for name in METRICS if name.startswith(incomplete)]


def _together(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


database_options = _together(
    click.option("--table", metavar="NAME", help="Table of a database, when FILE is its address."),
    click.option("--query", metavar="SQL", help="The same, but the rows that a SELECT gives."),
)


def source_name(file: str) -> str:
    """What to call the data in results: never with a password."""
    from unconfuse.ingest._connection import without_password

    return "standard input" if file == "-" else without_password(file)


def _by_spark(command: Any) -> Any:
    """With --spark, FILE becomes a path that Spark reads; the session ends with the command."""

    @functools.wraps(command)
    def run(*, file: str, spark: str | None, delimiter: str | None, **given: Any) -> Any:
        if spark is not None:
            from unconfuse.ingest.spark import by_spark

            file, close = by_spark(file, spark, delimiter)
            click.get_current_context().call_on_close(close)
        return command(file=file, delimiter=delimiter, **given)

    return run


def _file_options(score: Callable[[Any], Any]) -> Callable[[Command], Command]:
    return _together(
        click.argument("file", metavar="FILE"),
        click.option("--label", metavar="COLUMN", help="Column of true labels. [default: label, y, target or truth]"),
        score,
        click.option("--weight", metavar="COLUMN", help="Column that says how many cases each row stands for."),
        click.option("--group", metavar="COLUMN", help="Column of what belongs together, such as patients or clinics."),
        click.option("--id", metavar="COLUMN", help="Column that must not hold any value twice."),
        click.option(
            "--positive", metavar="LABEL", help="The positive label, unless labels are 0/1, -1/1 or true/false."
        ),
        click.option(
            "--delimiter",
            metavar="CHARACTER",
            callback=lambda _, __, given: _TYPED.get(given, given),
            help="Separator of a CSV file; 'tab' for a tab. [default: found by itself]",
        ),
        database_options,
        click.option(
            "--on-bad-row",
            type=click.Choice(["error", "skip"]),
            default="error",
            show_default=True,
            help="Stop at a row that cannot be used, or leave such rows out and count them.",
        ),
        click.option(
            "--spark",
            metavar="MASTER",
            help="Let Spark read FILE: local[*], spark://host:port, or sc://host:port for Spark Connect.",
        ),
        _by_spark,
    )


file_options = _file_options(
    click.option(
        "--score", metavar="COLUMN", help="Column of scores. [default: score, p, probability, prob or prediction]"
    )
)
models_options = _file_options(
    click.option(
        "--score",
        "scores",
        metavar="COLUMN",
        multiple=True,
        help="Column of a model's scores; give one for each model.",
    )
)

metric_options = _together(
    click.option(
        "--metric",
        "metrics",
        multiple=True,
        metavar="NAME",
        shell_complete=complete_metrics,
        help="Only this metric; may be repeated. `unconfuse metrics` lists them.",
    ),
    click.option(
        "--prevalence",
        type=SHARE,
        metavar="SHARE",
        help="Show everything for a population with this share of positives.",
    ),
    click.option(
        "--design",
        type=click.Choice(["cohort", "case-control"]),
        default="cohort",
        show_default=True,
        help="Did the share of positives come about by itself, or did the study choose it?",
    ),
    click.option(
        "--level",
        type=SHARE,
        default=0.95,
        show_default=True,
        metavar="SHARE",
        help="Confidence level of the intervals.",
    ),
)

output_options = _together(
    click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="How to print the result.",
    ),
    click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
    click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write to a file instead."),
)
