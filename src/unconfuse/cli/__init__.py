"""The command line: thin, over the Python functions. Each command is imported only when it is run."""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import click

import unconfuse
from unconfuse._errors import UnconfuseError, did_you_mean, on_command_line
from unconfuse.cli import _signals
from unconfuse.cli._help import in_options
from unconfuse.cli._layout import harmless

__all__ = ["COMMANDS", "cli", "main"]

# name -> one line of help. The help is here so that `--help` need not import the command.
EVERYDAY = {
    "evaluate": "Evaluate a classifier from a file of labels and scores.",
    "counts": "Evaluate a classifier from its four counts, or from a confusion matrix.",
    "compare": "Compare several models on the same cases, best first.",
    "gate": "Decide whether a new model may replace the old one: pass, worse or cannot tell.",
    "thresholds": "Compare rules for choosing a threshold, corrected for the choice.",
    "calibration": "Compare probabilities with what occurs, and recalibrate them.",
    "bayes": "Compute what follows from prevalence, sensitivity and specificity, or any other three.",
    "plan": "Compute how many cases a test set needs to tell two models apart.",
    "metrics": "List the metrics, or explain one.",
    "serve": "Evaluate classifiers in the browser, in a local web app.",
    "demo": "Show it at work on example data.",
}
SPECIAL = {
    "slices": "Search subgroups for the worst, and confirm them on cases held out.",
    "guarantee": "Find a threshold that guarantees a rate on new cases.",
    "prediction-sets": "Build sets of classes that hold the true one as often as you ask for.",
    "apply": "Label new rows with a threshold card, or recalibrate their probabilities with a map.",
    "curve": "Print any curve of the scores with its band.",
    "judge": "Evaluate a classifier on labels from an imperfect rater, some of them verified.",
    "items": "Evaluate models that answered the same items, such as language models on questions.",
    "forecast": "Say what to expect of new cases before their labels arrive.",
    "readers": "Evaluate people who read the same cases, with and without a model.",
    "meta": "Pool the 2x2 tables of several studies, and predict a new study.",
    "benchmark": "Compare models over many data sets, and on the next one.",
    "reconstruct": "Find the 2x2 tables behind printed rates, or which number is off.",
    "indistinguish": "Find the score where labelled and true positives rank alike.",
    "resolve": "Find the metric that needs the fewest cases to show which model is better.",
    "tournament": "Let metrics compete as guides of a model search.",
    "small-sample": "Show what chance does to few cases, such as 6 right of 10.",
    "simulate": "Draw a sample of two classes and show what chance does to every metric.",
    "exercises": "List exercises with their answers, or write a page that checks yours.",
    "reproduce": "Recompute published examples and compare.",
    "table": "Write a score table, to share it or to merge it with others.",
    "merge": "Merge score tables from many places into one.",
    "sql": "Print the query that makes a score table in a warehouse.",
    "render": "Draw a stored payload as an interactive page.",
    "schema": "Print the JSON schema of what pages show.",
    "completion": "Print the tab completion for your shell.",
}
COMMANDS = EVERYDAY | SPECIAL
_ROOMS = {  # of those that share one
    "counts": "evaluate",
    "judge": "evaluate",
    "apply": "thresholds",
    "plan": "resolve",
    "small-sample": "bayes",
    "prediction-sets": "guarantee",
    "exercises": "reproduce",
    **dict.fromkeys(("merge", "sql", "schema"), "table"),
    **dict.fromkeys(("render", "demo", "completion"), "misc_commands"),
}
# What functions are called in Python, and the method of `judge`: the same commands, which help does not list.
_ALSO = {
    "indistinguishability": "indistinguish",
    "resolving-power": "resolve",
    "find-slices": "slices",
    "threshold-card": "thresholds",
    "evaluate-counts": "counts",
    "double-sampling": "judge",
}


# What people type for a command, and what to write.
_GUESSES = {
    **dict.fromkeys(("eval", "judge-model", "score", "test", "run", "classify"), "unconfuse evaluate FILE"),
    **dict.fromkeys(("report", "html", "page", "show"), "unconfuse evaluate FILE --html page.html"),
    **dict.fromkeys(
        ("roc", "pr", "auc", "plot"), "unconfuse evaluate FILE --plot picture.png, or unconfuse curve FILE"
    ),
    **dict.fromkeys(("confusion", "matrix", "confusion-matrix"), "unconfuse counts --tp 90 --fp 5 --fn 10 --tn 95"),
    **dict.fromkeys(("power", "sample-size", "samplesize"), "unconfuse plan --help"),
    **dict.fromkeys(("app", "web", "gui", "ui", "start", "open"), "unconfuse serve"),
    **dict.fromkeys(("threshold", "cutoff", "youden"), "unconfuse thresholds FILE"),
    **dict.fromkeys(("example", "examples", "tutorial"), "unconfuse demo"),
    "version": "unconfuse --version",
}


def _meant(args: list[str]) -> str:
    """Return the hint for a command that does not exist: a file is evaluated, `help X` is `X --help`."""
    name = args[0][:60]
    if Path(name).suffix in (".csv", ".tsv", ".parquet", ".xlsx", ".json", ".jsonl", ".gz"):
        return f"Hint: unconfuse evaluate {harmless(name)}."
    if name == "help":
        return f"Hint: unconfuse {harmless(args[1][:60]) if len(args) > 1 else ''} --help.".replace("  ", " ")
    if name.lower() in _GUESSES:
        return f"Hint: {_GUESSES[name.lower()]}."
    from unconfuse.metrics import METRICS

    metric = METRICS.get(name.lower().replace("-", "_"))
    if metric is None:
        return did_you_mean(name, COMMANDS)
    what = f"unconfuse metrics {metric.name} explains this metric"
    return f"Hint: {what}; unconfuse evaluate and unconfuse counts compute it."


class UsageFailure(click.ClickException):
    """Bad input: one message on standard error, exit code 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Print the message alone."""
        click.echo(click.style("Error: ", fg="red", bold=True) + harmless(self.message, keep="\n"), err=True)


class RuntimeFailure(UsageFailure):
    """Anything that is not the fault of the caller: exit code 1."""

    exit_code = 1


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports them when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of use, not of the alphabet."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        cmd_name = _ALSO.get(cmd_name, cmd_name)
        if cmd_name not in COMMANDS:
            return None
        return getattr(import_module(f"unconfuse.cli.{_ROOMS.get(cmd_name, cmd_name)}"), cmd_name.replace("-", "_"))  # type: ignore[no-any-return]

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Offer the nearest command for a misspelt one."""
        name = args[0]
        if name not in COMMANDS and name not in _ALSO and not name.startswith("-"):
            ctx.fail(f"there is no command {harmless(name[:60])!r}. {_meant(args)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write both lists from the tables above."""
        for title, shown in (("Commands", EVERYDAY), ("Studies, reproductions and tools", SPECIAL)):
            with formatter.section(title):
                formatter.write_dl(list(shown.items()))

    def _worded(self, ctx: click.Context, message: str) -> str:
        """Put what a Python function says into the options of the command that is running."""
        running = self.get_command(ctx, ctx.invoked_subcommand or "")
        return in_options(message, running.params if running else [])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors become one message."""
        try:
            with on_command_line(), _warnings_in_words(lambda text: self._worded(ctx, text)):
                return super().invoke(ctx)
        except UnconfuseError as error:
            raise UsageFailure(self._worded(ctx, str(error))) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError, KeyboardInterrupt):
            raise
        except MemoryError:
            raise RuntimeFailure("there is not enough memory for these data.") from None
        except OSError as error:
            what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
            raise RuntimeFailure(f"the system refused ({what}). Hint: check permissions and free disk space.") from None
        except Exception as error:
            if _signals.code() is not None:  # a library made something else of the interruption
                raise KeyboardInterrupt from None
            if os.environ.get("UNCONFUSE_TRACEBACK"):
                raise
            what, advice = f"{type(error).__name__}: {error}"[:500], "Set UNCONFUSE_TRACEBACK=1 to see where"
            raise RuntimeFailure(
                f"something went wrong inside unconfuse ({what}). {advice}, and please report it."
            ) from None


@contextmanager
def _warnings_in_words(worded: Callable[[str], str]) -> Iterator[None]:
    """Warnings as one line each on standard error, without file names and code."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        click.echo(click.style("Note: ", fg="yellow") + harmless(worded(str(message))), err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("default")  # whatever PYTHONWARNINGS says: a note is not a failure
        for each in (DeprecationWarning, PendingDeprecationWarning, ResourceWarning):  # for those who write libraries
            warnings.simplefilter("ignore", each)
        warnings.showwarning = show
        yield


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(unconfuse.__version__, "-V", "--version", prog_name="unconfuse", message="%(prog)s %(version)s")
def cli() -> None:
    """Evaluate classifiers: every number with its interval and its meaning, and a plain verdict.

    \b
    unconfuse evaluate patients.csv --label outcome --score risk --positive yes
    unconfuse counts --tp 141 --fp 0 --fn 67 --tn 31 --prevalence 2%
    unconfuse demo
    """


def main() -> None:
    """Run the command line: exit with 0 when done, 2 on wrong use or bad input, 1 on anything else, 130 on Ctrl-C."""
    if sys.stderr is None:  # closed by whoever started it: what would be said there is said to nobody
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the process
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter still gets the rest
    _signals.heed_signals()
    done = _flushed(_run())
    if _signals.code() is not None:
        _signals.leave()
    sys.exit(done)


def _run() -> int:
    try:
        cli.main(prog_name="unconfuse", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        with suppress(OSError):  # where not even the complaint can be written
            error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _signals.code() or 130
    except BrokenPipeError:
        return 1
    return 0


def _flushed(code: int) -> int:
    """Write out what is still to be written, so that it is known whether it could be; return the exit code."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError, KeyboardInterrupt) as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python would try again, and complain
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            RuntimeFailure(f"standard output cannot be written: {error.strerror}.").show()
        return _signals.code() or code or 1  # silent where the reader has gone away, as in `| head`
    return code
